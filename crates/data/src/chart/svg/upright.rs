//! Charts that are measured upwards: bars, lines, areas, dots.

use super::canvas::{Canvas, Paint, Text};
use super::labels::Labels;
use super::text::{FONT, cut_to, shortened, width};
use super::{MARGIN, STEPS, axis_title, marks, tip};
use crate::chart::scale::{Scale, Steps};
use crate::chart::{Chart, Kind, Positions};
use crate::figures::Form;

/// Numbers on more bars would touch each other.
const NUMBERED_BARS_MAX: usize = 16;
/// More dots on one line would hide it.
const SEEN_DOTS_MAX: usize = 80;
/// Tooltips of more points would make a file that is slow to open; the table has them.
const TIPS_MAX: usize = 2_000;
const LINE_NAME_LETTERS_MAX: usize = 22;
/// Where a chart along time begins and ends beside its frame.
const EDGE: f64 = 10.0;

/// The frame of an upright chart: where it lies, and what is where.
pub struct Frame {
    pub left: f64,
    pub right: f64,
    pub top: f64,
    pub base: f64,
    /// Room under the base.
    pub below: f64,
    scale: Scale,
}

impl Frame {
    fn up(&self, number: f64) -> f64 {
        self.base - self.scale.place(number) * (self.base - self.top)
    }

    /// The middle and the width of one of so many places side by side.
    pub fn band(&self, at: f64, count: usize) -> (f64, f64) {
        let band = (self.right - self.left) / count.max(1) as f64;
        (self.left + (at + 0.5) * band, band)
    }
}

/// Whether the lines have their names at their ends, so that no legend is needed.
pub fn names_its_lines(chart: &Chart) -> bool {
    matches!(chart.kind, Kind::Line | Kind::Area) && chart.series.iter().any(|series| series.name.is_some())
}

pub fn draw(canvas: &mut Canvas, chart: &Chart, top: f64, bottom: f64) {
    let (low, high) = chart.measured_extent();
    let scale = scale(&chart.form, (low, high), STEPS);
    let ticks = marks(&chart.form, &scale);
    let left = MARGIN + ticks.iter().map(|tick| width(tick, FONT)).fold(0.0, f64::max) + 8.0;
    let names = if names_its_lines(chart) {
        let named = chart.series.iter().filter_map(|series| series.name.as_ref());
        named.map(|name| width(&shortened(name, LINE_NAME_LETTERS_MAX), FONT)).fold(0.0, f64::max) + 22.0
    } else {
        0.0
    };
    let right = canvas.width() - MARGIN - names;
    let labels = Labels::of(chart, right - left);
    let top = top + FONT * 2.6;
    // The numbers of bars below zero stand under them.
    let below = if low < 0.0 && matches!(chart.kind, Kind::Bar | Kind::Stacked) { FONT * 1.3 } else { 0.0 };
    let frame = Frame { left, right, top, base: bottom - labels.height - FONT * 1.8 - below, below, scale };
    let note = chart.axis_note(&frame.scale, &ticks).map(|note| format!(" ({note})")).unwrap_or_default();
    let title = axis_title(&chart.measured, &chart.form) + &note;
    let shown = cut_to(&title, canvas.width() - 2.0 * MARGIN, FONT);
    canvas.text(&Text { faint: true, whole: Some(&title), ..Text::at(MARGIN, top - FONT * 1.7, &shown) });
    for (tick, label) in frame.scale.ticks.iter().zip(&ticks) {
        let y = frame.up(*tick);
        canvas.line([frame.left, y, frame.right, y], if *tick == 0.0 { Paint::Faint } else { Paint::Line });
        canvas.text(&Text { faint: true, anchor: "end", ..Text::at(frame.left - 6.0, y + FONT * 0.35, label) });
    }
    match chart.kind {
        Kind::Line | Kind::Area => lines(canvas, chart, &frame),
        Kind::Scatter => dots(canvas, chart, &frame),
        Kind::Bar | Kind::Histogram | Kind::Stacked => bars(canvas, chart, &frame),
    }
    labels.draw(canvas, chart, &frame);
    let along = match &chart.along.positions {
        Positions::Numbers(form) | Positions::Ranges(_, form) => axis_title(&chart.along.label, form),
        _ => chart.along.label.clone(),
    };
    let middle = (frame.left + frame.right) / 2.0;
    canvas.text(&Text { faint: true, anchor: "middle", ..Text::at(middle, bottom - 2.0, &along) });
}

fn bars(canvas: &mut Canvas, chart: &Chart, frame: &Frame) {
    let count = chart.along.positions.len();
    let several = chart.kind == Kind::Bar && chart.series.len() > 1;
    let mut above = vec![0.0; count];
    let mut below = vec![0.0; count];
    let figures = chart.series.iter().flat_map(|series| &series.points).map(|point| chart.form.figure(&point.exact));
    let widest = figures.map(|figure| width(&figure, FONT)).fold(0.0, f64::max);
    let numbered = chart.series.len() == 1 && count <= NUMBERED_BARS_MAX && widest < frame.band(0.0, count).1 * 1.05;
    for (colour, series) in chart.series.iter().enumerate() {
        for point in &series.points {
            let (middle, band) = frame.band(point.at, count);
            // One bar alone is a bar, not a wall.
            let band = band.min(120.0);
            let share = if chart.kind == Kind::Histogram { 0.96 } else { 0.72 };
            let (x, wide) = if several {
                let each = band * share / chart.series.len() as f64;
                (middle - band * share / 2.0 + colour as f64 * each, each * 0.92)
            } else {
                (middle - band * share / 2.0, band * share)
            };
            let from = match chart.kind {
                Kind::Stacked if point.value < 0.0 => &mut below[point.at as usize],
                Kind::Stacked => &mut above[point.at as usize],
                _ => &mut 0.0,
            };
            let (start, end) = (frame.up(*from), frame.up(*from + point.value));
            *from += point.value;
            let gap = if chart.kind == Kind::Stacked && (start - end).abs() > 2.0 { 1.0 } else { 0.0 };
            let tip = tip(chart, series.name.as_deref(), point);
            let bar = [x, start.min(end) + gap, wide, (start - end).abs() - gap];
            if chart.is_unfinished(point) {
                canvas.pale_rectangle(bar, colour, &tip);
            } else {
                canvas.rectangle(bar, colour, &tip);
            }
            if numbered {
                let label = chart.form.figure(&point.exact);
                let y = if point.value < 0.0 { end + FONT * 1.2 } else { end - 5.0 };
                canvas.text(&Text { anchor: "middle", clear: true, ..Text::at(x + wide / 2.0, y, &label) });
            }
        }
    }
    let bare = |at: &usize| chart.series.iter().flat_map(|series| &series.points).all(|point| point.at as usize != *at);
    for at in (0..count).filter(bare) {
        let (middle, band) = frame.band(at as f64, count);
        let text = if band > 60.0 { "no value" } else { "–" };
        canvas.text(&Text { faint: true, anchor: "middle", ..Text::at(middle, frame.up(0.0) - 5.0, text) });
    }
}

fn lines(canvas: &mut Canvas, chart: &Chart, frame: &Frame) {
    let points: usize = chart.series.iter().map(|series| series.points.len()).sum();
    for (colour, series) in chart.series.iter().enumerate() {
        for part in chart.unbroken(series) {
            let places: Vec<(f64, f64)> =
                part.iter().map(|point| (across(chart, frame, point.at), frame.up(point.value))).collect();
            if let (Kind::Area, Some(first), Some(last)) = (chart.kind, places.first(), places.last()) {
                let ground = frame.up(0.0);
                let closed = [(first.0, ground)].into_iter().chain(places.clone()).chain([(last.0, ground)]);
                canvas.polygon(&closed.collect::<Vec<_>>(), colour);
            }
            let open: Vec<bool> = part.iter().map(|point| chart.is_unfinished(point)).collect();
            let whole: Vec<(f64, f64)> =
                places.iter().zip(&open).filter(|(_, open)| !**open).map(|(at, _)| *at).collect();
            canvas.polyline(&whole, colour);
            for (pair, open) in places.windows(2).zip(open.windows(2)) {
                if open.contains(&true) {
                    canvas.dashed(pair, colour);
                }
            }
            for (point, place) in part.iter().zip(&places) {
                let tip = tip(chart, series.name.as_deref(), point);
                if chart.is_unfinished(point) {
                    canvas.ring(*place, 3.5, colour, &tip);
                } else if series.points.len() <= SEEN_DOTS_MAX || part.len() == 1 {
                    canvas.dot(*place, 3.0, colour, &tip);
                } else if points <= TIPS_MAX {
                    canvas.hidden_dot(*place, &tip);
                }
            }
        }
    }
    if names_its_lines(chart) {
        line_names(canvas, chart, frame);
    }
}

/// Each line's name at its end, moved apart where they would touch.
fn line_names(canvas: &mut Canvas, chart: &Chart, frame: &Frame) {
    let apart = FONT * 1.3;
    let named = chart.series.iter().enumerate();
    let ends = named.filter_map(|(colour, series)| Some((colour, series.name.as_ref()?, series.points.last()?)));
    let mut ends: Vec<(usize, &String, (f64, f64), f64)> = ends
        .map(|(colour, name, point)| {
            let place = (across(chart, frame, point.at), frame.up(point.value));
            (colour, name, place, place.1)
        })
        .collect();
    ends.sort_by(|left, right| left.3.total_cmp(&right.3));
    let mut free_from = frame.top;
    for end in &mut ends {
        end.3 = end.3.max(free_from);
        free_from = end.3 + apart;
    }
    let mut free_to = frame.base;
    for end in ends.iter_mut().rev() {
        end.3 = end.3.min(free_to);
        free_to = end.3 - apart;
    }
    for (colour, name, (x, y), at) in ends {
        let start = frame.right + 4.0;
        canvas.line([x, y, start, at], Paint::Series(colour));
        canvas.line([start, at, start + 8.0, at], Paint::Series(colour));
        let shown = shortened(name, LINE_NAME_LETTERS_MAX);
        canvas.text(&Text { whole: Some(name), ..Text::at(start + 12.0, at + FONT * 0.35, &shown) });
    }
}

fn dots(canvas: &mut Canvas, chart: &Chart, frame: &Frame) {
    let count: usize = chart.series.iter().map(|series| series.points.len()).sum();
    let radius = match count {
        0..=200 => 4.0,
        201..=2_000 => 3.0,
        _ => 2.0,
    };
    for (colour, series) in chart.series.iter().enumerate() {
        for point in &series.points {
            let tip = (count <= TIPS_MAX).then(|| tip(chart, series.name.as_deref(), point));
            let place = (across(chart, frame, point.at), frame.up(point.value));
            canvas.faint_dot(place, radius, colour, tip.as_deref());
        }
    }
}

/// Where a point lies from left to right: periods by their time, numbers by their value.
pub fn across(chart: &Chart, frame: &Frame, at: f64) -> f64 {
    match &chart.along.positions {
        // Bars stand side by side, each in the middle of its place.
        Positions::Times { periods, .. } if matches!(chart.kind, Kind::Bar | Kind::Stacked) => {
            frame.band(at, periods.len()).0
        }
        Positions::Times { periods, .. } if periods.len() > 1 => {
            let (first, last) = (periods[0].0, periods[periods.len() - 1].0);
            let share = (periods[at as usize].0 - first) / (last - first);
            frame.left + EDGE + share * (frame.right - frame.left - 2.0 * EDGE)
        }
        Positions::Numbers(_) => {
            let scale = numbers_along(chart);
            frame.left + scale.place(at) * (frame.right - frame.left)
        }
        positions => frame.band(at, positions.len()).0,
    }
}

pub fn numbers_along(chart: &Chart) -> Scale {
    let points = || chart.series.iter().flat_map(|series| &series.points).map(|point| point.at);
    let extent = (points().fold(f64::INFINITY, f64::min), points().fold(f64::NEG_INFINITY, f64::max));
    match &chart.along.positions {
        Positions::Numbers(form) => scale(form, extent, STEPS + 2),
        _ => Scale::around(extent.0, extent.1, STEPS + 2),
    }
}

/// There is no half of a year.
fn scale(form: &Form, (low, high): (f64, f64), steps: usize) -> Scale {
    Scale::of(low, high, steps, if form.plain { Steps::Whole } else { Steps::Any })
}
