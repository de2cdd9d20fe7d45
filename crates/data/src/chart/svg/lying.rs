//! Bars that lie, each with its name before it and, where it has one part, its number behind it.

use super::canvas::{Canvas, Paint, Text};
use super::text::{FONT, shortened, width};
use super::{MARGIN, STEPS, WIDTH, axis_title, marks, tip};
use crate::chart::scale::Scale;
use crate::chart::{Chart, Point, Positions, Series};

const NAME_LETTERS_MAX: usize = 34;
/// Where the picture is narrow the bars need the room.
const NAME_LETTERS_MAX_NARROW: usize = 16;

pub fn draw(canvas: &mut Canvas, chart: &Chart, top: f64, bottom: f64) {
    let Positions::Names(names) = &chart.along.positions else { return };
    let numbered = chart.series.len() == 1;
    let figure = |point: &Point| if numbered { chart.form.figure(&point.exact) } else { String::new() };
    let points = || chart.series.iter().flat_map(|series| &series.points);
    let letters = if canvas.width() < WIDTH { NAME_LETTERS_MAX_NARROW } else { NAME_LETTERS_MAX };
    let shown: Vec<String> = names.iter().map(|name| shortened(name, letters)).collect();
    let longest = shown.iter().map(|name| width(name, FONT)).fold(0.0, f64::max);
    let widest = points().map(|point| width(&figure(point), FONT)).fold(0.0, f64::max);
    let (low, high) = chart.extent();
    let scale = Scale::around(low.min(0.0), high.max(0.0), STEPS);
    let left = MARGIN + longest + 10.0;
    let room_left = if low < 0.0 { widest + 8.0 } else { 0.0 };
    let labels = marks(&chart.form, &scale);
    let half_mark = labels.last().map_or(0.0, |label| width(label, FONT) / 2.0);
    let right = canvas.width() - MARGIN - (widest + 8.0).max(half_mark);
    let place = |number: f64| left + room_left + scale.place(number) * (right - left - room_left);
    let base = bottom - FONT * 3.2;
    let mut free_from = f64::NEG_INFINITY;
    for (tick, label) in scale.ticks.iter().zip(&labels) {
        let x = place(*tick);
        canvas.line([x, top, x, base], if *tick == 0.0 { Paint::Faint } else { Paint::Line });
        let half = width(label, FONT) / 2.0;
        if x - half > free_from {
            canvas.text(&Text { faint: true, anchor: "middle", ..Text::at(x, base + FONT * 1.4, label) });
            free_from = x + half + 8.0;
        }
    }
    let title = axis_title(&chart.measured, &chart.form);
    canvas.text(&Text { faint: true, anchor: "end", ..Text::at(right, base + FONT * 2.9, &title) });
    let row = (base - top) / names.len().max(1) as f64;
    let middle = |at: usize| top + (at as f64 + 0.5) * row;
    for (at, name) in shown.iter().enumerate() {
        let y = middle(at) + FONT * 0.35;
        canvas.text(&Text { anchor: "end", whole: Some(&names[at]), ..Text::at(left - 8.0, y, name) });
    }
    let mut ends = vec![(0.0, 0.0); names.len()];
    for (number, series) in chart.series.iter().enumerate() {
        for point in &series.points {
            let span = part(&mut ends[point.at as usize], chart, point);
            bar(
                canvas,
                chart,
                (number, series, point),
                [place(span.0), place(span.1)],
                [middle(point.at as usize), row],
            );
        }
    }
    for (at, _) in names.iter().enumerate().filter(|(at, _)| points().all(|point| point.at as usize != *at)) {
        canvas.text(&Text { faint: true, ..Text::at(place(0.0) + 5.0, middle(at) + FONT * 0.35, "no value") });
    }
}

/// From where to where a part of a bar goes; parts stand on those before them.
fn part((below, above): &mut (f64, f64), chart: &Chart, point: &Point) -> (f64, f64) {
    if chart.kind != crate::chart::Kind::Stacked {
        return (0.0, point.value);
    }
    let end = if point.value < 0.0 { below } else { above };
    let from = *end;
    *end += point.value;
    (from, *end)
}

fn bar(
    canvas: &mut Canvas,
    chart: &Chart,
    (number, series, point): (usize, &Series, &Point),
    [start, end]: [f64; 2],
    [middle, row]: [f64; 2],
) {
    let (from, to) = (start.min(end), start.max(end));
    let gap = if chart.series.len() > 1 && to - from > 2.0 { 1.0 } else { 0.0 };
    let tip = tip(chart, series.name.as_deref(), point);
    canvas.rectangle([from, middle - row * 0.36, to - from - gap, row * 0.72], number, &tip);
    if chart.series.len() == 1 {
        let label = chart.form.figure(&point.exact);
        let (x, anchor) = if point.value < 0.0 { (from - 5.0, "end") } else { (to + 5.0, "start") };
        canvas.text(&Text { anchor, clear: true, ..Text::at(x, middle + FONT * 0.35, &label) });
    }
}
