//! A chart as SVG: exact places, honest labels, every cell in a tooltip, readable in the light and in the dark.

mod canvas;
mod labels;
mod lying;
pub(super) mod text;
mod upright;

use super::scale::Scale;
use super::{Chart, Point, Positions};
use crate::figures::Form;

pub use canvas::Theme;
use canvas::{Canvas, Text};
use text::{FONT, capitalized, isolated, shortened, width, wrapped};

/// What a chart is drawn for where nothing else is said, and how narrow it can be.
pub const WIDTH: f64 = 760.0;
/// Less leaves no room for labels.
pub const WIDTH_MIN: f64 = 280.0;
const HEIGHT: f64 = 440.0;
const TITLE_FONT: f64 = 15.0;
const MARGIN: f64 = 16.0;
/// Of a lying bar with its gap.
const ROW: f64 = 24.0;
const STEPS: usize = 5;
/// Bold letters are wider.
const BOLD: f64 = 1.12;
const LINE: f64 = 1.4;

/// Draws a chart in its usual width.
pub fn draw(chart: &Chart, theme: Theme) -> String {
    draw_in(chart, theme, WIDTH)
}

/// Draws a chart so wide; less than the least width is not had.
pub fn draw_in(chart: &Chart, theme: Theme, width: f64) -> String {
    let width = if width.is_finite() { width.clamp(WIDTH_MIN, WIDTH) } else { WIDTH };
    let notes = chart.note.as_deref().map(|note| wrapped(&capitalized(note), width - 2.0 * MARGIN, FONT));
    let notes = notes.unwrap_or_default();
    let titles = wrapped(&capitalized(&chart.title), width - 2.0 * MARGIN, TITLE_FONT * BOLD);
    let rows = chart.along.positions.len() as f64 * ROW;
    let around = 110.0 + titles.len() as f64 * TITLE_FONT * LINE;
    let height = if chart.horizontal { (rows + around).max(HEIGHT * 0.45) } else { HEIGHT };
    let height = (height + notes.len() as f64 * FONT * LINE).round();
    let mut canvas = Canvas::new(theme);
    canvas.open([width, height], &capitalized(&chart.title), &description(chart));
    let mut top = MARGIN + TITLE_FONT;
    for line in &titles {
        canvas.text(&Text { bold: true, size: TITLE_FONT, ..Text::at(MARGIN, top, line) });
        top += TITLE_FONT * LINE;
    }
    let mut bottom = height - MARGIN;
    for line in notes.iter().rev() {
        canvas.text(&Text { faint: true, ..Text::at(MARGIN, bottom, line) });
        bottom -= FONT * LINE;
    }
    if !upright::names_its_lines(chart) {
        top = legend(&mut canvas, chart, top);
    }
    if chart.horizontal {
        lying::draw(&mut canvas, chart, top, bottom);
    } else {
        upright::draw(&mut canvas, chart, top, bottom);
    }
    canvas.close()
}

/// The names of the colours, one after the other; gives where the chart may begin.
fn legend(canvas: &mut Canvas, chart: &Chart, top: f64) -> f64 {
    let named: Vec<(usize, &String)> =
        chart.series.iter().enumerate().filter_map(|(at, series)| Some((at, series.name.as_ref()?))).collect();
    if named.is_empty() {
        return top;
    }
    let (mut x, mut y) = (MARGIN, top);
    for (at, name) in named {
        let shown = shortened(name, 28);
        let wide = width(&shown, FONT) + 32.0;
        if x + wide > canvas.width() - MARGIN && x > MARGIN {
            (x, y) = (MARGIN, y + FONT * 1.6);
        }
        canvas.rectangle([x, y - FONT * 0.8, FONT * 0.9, FONT * 0.9], at, name);
        canvas.text(&Text::at(x + 16.0, y, &shown));
        x += wide;
    }
    y + FONT * LINE
}

impl Positions {
    /// How many places there are side by side.
    pub(super) fn len(&self) -> usize {
        match self {
            Positions::Names(names) => names.len(),
            Positions::Times { periods, .. } => periods.len(),
            Positions::Numbers(_) => 1,
            Positions::Ranges(edges, _) => edges.len().saturating_sub(1),
        }
    }

    /// A place in words.
    pub(super) fn words(&self, at: f64) -> String {
        let index = at as usize;
        let words = match self {
            Positions::Names(names) => names.get(index).cloned(),
            Positions::Times { periods, .. } => periods.get(index).map(|(_, words)| words.clone()),
            Positions::Numbers(form) => Some(form.number(at)),
            Positions::Ranges(edges, form) => {
                let marks = marks_at(form, edges, Scale::digits_of(edges));
                marks.get(index).zip(marks.get(index + 1)).map(|(from, to)| format!("{from} to {to}"))
            }
        };
        words.unwrap_or_default()
    }
}

/// What a mark says when it is pointed at: where it stands, and the cell as the table has it.
fn tip(chart: &Chart, series: Option<&str>, point: &Point) -> String {
    if chart.kind == super::Kind::Scatter {
        return point.exact.clone();
    }
    let place = chart.along.positions.words(point.at);
    let parts: Vec<String> = series.into_iter().chain([place.as_str()]).map(isolated).collect();
    format!("{}: {}", parts.join(", "), point.exact)
}

/// What the marks of an axis say: as many decimals as tell them apart; large ones all in thousands of thousands.
pub(super) fn marks(form: &Form, scale: &Scale) -> Vec<String> {
    marks_at(form, &scale.ticks, scale.digits)
}

fn marks_at(form: &Form, ticks: &[f64], digits: usize) -> Vec<String> {
    const LARGE: [(f64, &str); 3] = [(1e12, " tn"), (1e9, " bn"), (1e6, " m")];
    let largest = ticks.iter().map(|tick| tick.abs()).fold(0.0, f64::max);
    let unit = LARGE.into_iter().find(|(unit, _)| largest >= 2.0 * *unit);
    let mark = |tick: &f64| match unit {
        _ if *tick == 0.0 => if form.percent { "0 %" } else { "0" }.to_string(),
        _ if form.percent => format!("{} %", crate::figures::rounded(tick * 100.0, digits.saturating_sub(2))),
        _ if largest >= 1e16 || digits > 6 => crate::figures::scientific(*tick),
        // A round mark has few digits in its own unit.
        Some((unit, name)) => {
            let shown = format!("{:.6}", tick / unit);
            format!("{}{name}", shown.trim_end_matches('0').trim_end_matches('.'))
        }
        None if form.plain => format!("{tick:.0}"),
        None => crate::figures::rounded(*tick, digits),
    };
    ticks.iter().map(mark).collect()
}

fn axis_title(measured: &str, form: &Form) -> String {
    // "weight kg" and "resolution time hours" say it themselves.
    let says = |unit: &&String| measured.rsplit(' ').next().is_some_and(|word| word.eq_ignore_ascii_case(unit));
    match form.unit.as_ref().filter(|unit| !says(unit)) {
        Some(unit) => format!("{measured}, {unit}"),
        None => measured.to_string(),
    }
}

/// For those who do not see the picture.
fn description(chart: &Chart) -> String {
    let points = || chart.series.iter().flat_map(|series| series.points.iter().map(move |point| (series, point)));
    let told = |(series, point): (&super::Series, &Point)| tip(chart, series.name.as_deref(), point);
    let most = points().max_by(|a, b| a.1.value.total_cmp(&b.1.value)).map(told);
    let least = points().min_by(|a, b| a.1.value.total_cmp(&b.1.value)).map(told);
    let kind = chart.kind.as_str();
    let note = chart.note.as_ref().map(|note| format!("; {note}")).unwrap_or_default();
    match (most, least) {
        (Some(most), Some(least)) => format!(
            "{kind} chart of {} by {}, {} values; highest {most}; lowest {least}{note}",
            chart.measured,
            chart.along.label,
            points().count()
        ),
        _ => format!("{kind} chart of {} by {}{note}", chart.measured, chart.along.label),
    }
}
