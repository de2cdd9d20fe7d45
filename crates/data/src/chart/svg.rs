//! A chart as SVG: exact places, honest labels, every cell in a tooltip, readable in the light and in the dark.

use std::fmt::Write as _;

use super::scale::Scale;
use super::{Chart, Kind, Point, Positions};
use crate::plan::Grain;

/// How a picture is coloured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theme {
    /// As whoever looks at it has set their screen.
    Automatic,
    /// Dark on white, for paper and for pictures that cannot ask.
    Light,
    /// Light on black.
    Dark,
}

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 440.0;
const FONT: f64 = 12.0;
const TITLE_FONT: f64 = 15.0;
const MARGIN: f64 = 16.0;
/// Of a lying bar with its gap.
const ROW: f64 = 24.0;
const STEPS: usize = 5;
/// Numbers on more bars would touch each other.
const NUMBERED_BARS_MAX: usize = 16;
const DOTS_MAX: usize = 80;
/// Told apart also by those who see few colours, and with enough contrast on white and on black.
const COLOURS: [&str; 8] = ["#2f7ed8", "#d9822b", "#2a9d6f", "#c4569e", "#7a62d3", "#b8433a", "#3aa3b5", "#8a7a3c"];
const LIGHT: &str = "--ink:#1f2328;--faint:#59636e;--line:#d1d9e0;--ground:#ffffff";
const DARK: &str = "--ink:#e6edf3;--faint:#9198a1;--line:#3d444d;--ground:#0d1117";

/// Draws a chart.
pub fn draw(chart: &Chart, theme: Theme) -> String {
    let mut canvas = Canvas { out: String::new(), theme };
    let bars = chart.along.positions.len();
    let height = if chart.horizontal { (bars as f64 * ROW + 130.0).max(HEIGHT / 2.0) } else { HEIGHT };
    canvas.open(chart, height);
    let mut top = MARGIN + TITLE_FONT;
    // Bold letters are wider.
    for line in wrapped(&capitalized(&chart.title), WIDTH - 2.0 * MARGIN, TITLE_FONT * 1.12) {
        canvas.text(&Text { bold: true, size: TITLE_FONT, ..Text::at(MARGIN, top, &line) });
        top += TITLE_FONT * 1.3;
    }
    top = canvas.legend(chart, top);
    let bottom = if chart.note.is_some() { height - MARGIN - FONT * 1.6 } else { height - MARGIN };
    if let Some(note) = &chart.note {
        canvas.text(&Text { faint: true, ..Text::at(MARGIN, height - MARGIN, note) });
    }
    if chart.horizontal {
        lying(&mut canvas, chart, top, bottom);
    } else {
        upright(&mut canvas, chart, top, bottom);
    }
    canvas.out.push_str("</svg>\n");
    canvas.out
}

/// Bars that lie, each with its name before it and its number behind it.
fn lying(canvas: &mut Canvas, chart: &Chart, top: f64, bottom: f64) {
    let Positions::Names(names) = &chart.along.positions else { return };
    let points: Vec<&Point> = chart.series.iter().flat_map(|series| &series.points).collect();
    let shown: Vec<String> = names.iter().map(|name| shortened(name, 34)).collect();
    let longest = shown.iter().map(|name| width(name, FONT)).fold(0.0, f64::max);
    let numbers = points.iter().map(|point| width(&chart.form.bare(point.value), FONT)).fold(0.0, f64::max);
    let (low, high) = chart.extent();
    let scale = Scale::around(low.min(0.0), high.max(0.0), STEPS);
    let left = MARGIN + longest + 10.0;
    let room_left = if low < 0.0 { numbers + 8.0 } else { 0.0 };
    let right = WIDTH - MARGIN - numbers - 8.0;
    let place = |number: f64| left + room_left + scale.place(number) * (right - left - room_left);
    let base = bottom - FONT * 3.2;
    for tick in &scale.ticks {
        canvas.line(place(*tick), top, place(*tick), base, *tick == 0.0);
        let label = tick_text(chart, *tick, scale.digits);
        canvas.text(&Text { faint: true, anchor: "middle", ..Text::at(place(*tick), base + FONT * 1.4, &label) });
    }
    let title = axis_title(&chart.measured, chart.form.unit.as_deref());
    canvas.text(&Text { faint: true, anchor: "end", ..Text::at(right, base + FONT * 2.9, &title) });
    let row = (base - top) / names.len().max(1) as f64;
    for (at, name) in shown.iter().enumerate() {
        let middle = top + (at as f64 + 0.5) * row;
        canvas.text(&Text { anchor: "end", ..Text::at(left - 8.0, middle + FONT * 0.35, name) });
        let Some(point) = points.iter().find(|point| point.at as usize == at) else { continue };
        let (from, to) = (place(0.0).min(place(point.value)), place(0.0).max(place(point.value)));
        let tip = format!("{}: {}", names[at], point.exact);
        canvas.rectangle([from, middle - row * 0.36, to - from, row * 0.72], COLOURS[0], &tip);
        let label = chart.form.bare(point.value);
        let (x, anchor) = if point.value < 0.0 { (from - 5.0, "end") } else { (to + 5.0, "start") };
        canvas.text(&Text { anchor, ..Text::at(x, middle + FONT * 0.35, &label) });
    }
}

/// The frame of an upright chart: where it lies, and what is where.
struct Frame {
    left: f64,
    right: f64,
    top: f64,
    base: f64,
    scale: Scale,
}

impl Frame {
    fn up(&self, number: f64) -> f64 {
        self.base - self.scale.place(number) * (self.base - self.top)
    }

    /// The middle and the width of one of so many places side by side.
    fn band(&self, at: f64, count: usize) -> (f64, f64) {
        let band = (self.right - self.left) / count.max(1) as f64;
        (self.left + (at + 0.5) * band, band)
    }
}

fn upright(canvas: &mut Canvas, chart: &Chart, top: f64, bottom: f64) {
    let (low, high) = chart.extent();
    let (low, high) = if chart.begins_at_zero() { (low.min(0.0), high.max(0.0)) } else { (low, high) };
    let scale = Scale::around(low, high, STEPS);
    let ticks: Vec<String> = scale.ticks.iter().map(|tick| tick_text(chart, *tick, scale.digits)).collect();
    let left = MARGIN + ticks.iter().map(|tick| width(tick, FONT)).fold(0.0, f64::max) + 8.0;
    let labels = Labels::of(chart, WIDTH - MARGIN - left);
    let top = top + FONT * 1.9;
    let frame = Frame { left, right: WIDTH - MARGIN, top, base: bottom - labels.height - FONT * 1.8, scale };
    let title = axis_title(&chart.measured, chart.form.unit.as_deref());
    canvas.text(&Text { faint: true, ..Text::at(MARGIN, top - FONT * 0.9, &title) });
    for (tick, label) in frame.scale.ticks.iter().zip(&ticks) {
        let y = frame.up(*tick);
        canvas.line(frame.left, y, frame.right, y, *tick == 0.0);
        canvas.text(&Text { faint: true, anchor: "end", ..Text::at(frame.left - 6.0, y + FONT * 0.35, label) });
    }
    match chart.kind {
        Kind::Line | Kind::Area => lines(canvas, chart, &frame),
        Kind::Scatter => dots(canvas, chart, &frame),
        Kind::Bar | Kind::Histogram | Kind::Stacked => bars(canvas, chart, &frame),
    }
    labels.draw(canvas, chart, &frame);
    let along = &chart.along.label;
    canvas.text(&Text {
        faint: true,
        anchor: "middle",
        ..Text::at((frame.left + frame.right) / 2.0, bottom - 2.0, along)
    });
}

fn bars(canvas: &mut Canvas, chart: &Chart, frame: &Frame) {
    let count = chart.along.positions.len();
    let several = chart.kind == Kind::Bar && chart.series.len() > 1;
    let mut above = vec![0.0; count];
    let mut below = vec![0.0; count];
    for (colour, series) in chart.series.iter().enumerate() {
        for point in &series.points {
            let (middle, band) = frame.band(point.at, count);
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
            let tip = tip(chart, series.name.as_deref(), point);
            canvas.rectangle([x, start.min(end), wide, (start - end).abs()], colour_of(colour), &tip);
            if chart.series.len() == 1 && count <= NUMBERED_BARS_MAX {
                let label = chart.form.bare(point.value);
                let y = if point.value < 0.0 { end + FONT * 1.2 } else { end - 5.0 };
                if width(&label, FONT) < band * 1.15 {
                    canvas.text(&Text { anchor: "middle", ..Text::at(x + wide / 2.0, y, &label) });
                }
            }
        }
    }
}

fn lines(canvas: &mut Canvas, chart: &Chart, frame: &Frame) {
    for (colour, series) in chart.series.iter().enumerate() {
        let places: Vec<(f64, f64)> =
            series.points.iter().map(|point| (across(chart, frame, point.at), frame.up(point.value))).collect();
        let path: Vec<String> = places.iter().map(|(x, y)| format!("{x:.2},{y:.2}")).collect();
        if let (Kind::Area, Some(first), Some(last)) = (chart.kind, places.first(), places.last()) {
            let ground = frame.up(0.0);
            let _ = writeln!(
                canvas.out,
                "<polygon points=\"{:.2},{ground:.2} {} {:.2},{ground:.2}\" fill=\"{}\" fill-opacity=\"0.25\"/>",
                first.0,
                path.join(" "),
                last.0,
                colour_of(colour)
            );
        }
        let _ = writeln!(
            canvas.out,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\" stroke-linejoin=\"round\"/>",
            path.join(" "),
            colour_of(colour)
        );
        let radius = if series.points.len() <= DOTS_MAX { 3.0 } else { 1.5 };
        for (point, (x, y)) in series.points.iter().zip(&places) {
            canvas.dot(*x, *y, radius, colour_of(colour), &tip(chart, series.name.as_deref(), point));
        }
    }
}

fn dots(canvas: &mut Canvas, chart: &Chart, frame: &Frame) {
    for (colour, series) in chart.series.iter().enumerate() {
        for point in &series.points {
            let tip = tip(chart, series.name.as_deref(), point);
            canvas.dot(across(chart, frame, point.at), frame.up(point.value), 3.5, colour_of(colour), &tip);
        }
    }
}

/// Where a point lies from left to right: periods by their time, numbers by their value.
fn across(chart: &Chart, frame: &Frame, at: f64) -> f64 {
    match &chart.along.positions {
        Positions::Times { periods, .. } if periods.len() > 1 => {
            let (first, last) = (periods[0].0, periods[periods.len() - 1].0);
            let edge = 10.0;
            let share = (periods[at as usize].0 - first) / (last - first);
            frame.left + edge + share * (frame.right - frame.left - 2.0 * edge)
        }
        Positions::Numbers(_) => {
            let scale = numbers_along(chart);
            frame.left + scale.place(at) * (frame.right - frame.left)
        }
        positions => frame.band(at, positions.len()).0,
    }
}

fn numbers_along(chart: &Chart) -> Scale {
    let points = || chart.series.iter().flat_map(|series| &series.points).map(|point| point.at);
    Scale::around(points().fold(f64::INFINITY, f64::min), points().fold(f64::NEG_INFINITY, f64::max), STEPS + 2)
}

/// What stands below an upright chart.
struct Labels {
    /// Where, and what; from left to right.
    texts: Vec<(f64, String)>,
    turned: bool,
    height: f64,
}

impl Labels {
    fn of(chart: &Chart, room: f64) -> Labels {
        match &chart.along.positions {
            Positions::Names(names) => {
                let band = room / names.len().max(1) as f64;
                let turned = names.iter().any(|name| width(name, FONT) > band - 4.0);
                let every = if turned { (FONT * 1.3 / band).ceil().max(1.0) as usize } else { 1 };
                let texts = names.iter().enumerate().step_by(every);
                let texts: Vec<(f64, String)> =
                    texts.map(|(at, name)| (at as f64, shortened(name, if turned { 18 } else { 40 }))).collect();
                let longest = texts.iter().map(|(_, text)| width(text, FONT)).fold(0.0, f64::max);
                Labels { texts, turned, height: if turned { longest * 0.64 + FONT } else { FONT * 1.6 } }
            }
            Positions::Times { grain, periods } => {
                let words: Vec<String> = periods.iter().map(|(_, words)| brief(*grain, words)).collect();
                let widest = words.iter().map(|word| width(word, FONT)).fold(0.0, f64::max) + 18.0;
                let every = (periods.len() as f64 * widest / room).ceil().max(1.0) as usize;
                let texts = words.into_iter().enumerate().step_by(every).map(|(at, word)| (at as f64, word));
                Labels { texts: texts.collect(), turned: false, height: FONT * 1.6 }
            }
            Positions::Numbers(form) => {
                let scale = numbers_along(chart);
                let text = |tick: &f64| (*tick, number_text(form, *tick, scale.digits));
                Labels { texts: scale.ticks.iter().map(text).collect(), turned: false, height: FONT * 1.6 }
            }
            Positions::Ranges(edges, form) => {
                let digits = Scale::around(edges[0], edges[edges.len() - 1], edges.len() - 1).digits;
                let words: Vec<String> = edges.iter().map(|edge| number_text(form, *edge, digits)).collect();
                let widest = words.iter().map(|word| width(word, FONT)).fold(0.0, f64::max) + 10.0;
                let every = (edges.len() as f64 * widest / room).ceil().max(1.0) as usize;
                // An edge lies half a band before the middle of its range.
                let texts = words.into_iter().enumerate().step_by(every).map(|(at, word)| (at as f64 - 0.5, word));
                Labels { texts: texts.collect(), turned: false, height: FONT * 1.6 }
            }
        }
    }

    fn draw(&self, canvas: &mut Canvas, chart: &Chart, frame: &Frame) {
        let y = frame.base + FONT * 1.4;
        for (at, text) in &self.texts {
            let x = match &chart.along.positions {
                Positions::Ranges(edges, _) => frame.band(*at, edges.len() - 1).0,
                _ => across(chart, frame, *at),
            };
            if self.turned {
                canvas.text(&Text { anchor: "end", turned: true, ..Text::at(x + 4.0, y - 2.0, text) });
            } else {
                let half = width(text, FONT) / 2.0;
                let x = x.clamp(MARGIN + half, WIDTH - 4.0 - half);
                canvas.text(&Text { anchor: "middle", ..Text::at(x, y, text) });
            }
        }
    }
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

    /// A place in words, for tooltips.
    fn words(&self, at: f64) -> Option<String> {
        let index = at as usize;
        match self {
            Positions::Names(names) => names.get(index).cloned(),
            Positions::Times { periods, .. } => periods.get(index).map(|(_, words)| words.clone()),
            Positions::Numbers(_) => None,
            Positions::Ranges(edges, _) => Some(format!("{} to {}", edges.get(index)?, edges.get(index + 1)?)),
        }
    }
}

fn tip(chart: &Chart, series: Option<&str>, point: &Point) -> String {
    let place = chart.along.positions.words(point.at);
    let parts: Vec<&str> = series.into_iter().chain(place.as_deref()).collect();
    if parts.is_empty() { point.exact.clone() } else { format!("{}: {}", parts.join(", "), point.exact) }
}

fn tick_text(chart: &Chart, tick: f64, digits: usize) -> String {
    number_text(&chart.form, tick, digits)
}

/// A mark of an axis: as many decimals as tell the marks apart.
fn number_text(form: &crate::figures::Form, tick: f64, digits: usize) -> String {
    // A mark next to zero that is zero but for the last bits.
    let tick = if tick.abs() < 1e-12 { 0.0 } else { tick };
    if form.percent {
        format!("{} %", crate::figures::rounded(tick * 100.0, digits.saturating_sub(2)))
    } else {
        crate::figures::rounded(tick, digits)
    }
}

fn axis_title(measured: &str, unit: Option<&str>) -> String {
    match unit {
        Some(unit) => format!("{measured}, {unit}"),
        None => measured.to_string(),
    }
}

fn brief(grain: Grain, words: &str) -> String {
    match (grain, words.split_once(' ')) {
        (Grain::Month, Some((month, year))) => format!("{} {year}", month.chars().take(3).collect::<String>()),
        (Grain::Week, _) => words.trim_start_matches("the week of ").to_string(),
        (Grain::Hour, _) => words.get(5..16).unwrap_or(words).to_string(),
        _ => words.to_string(),
    }
}

fn colour_of(series: usize) -> &'static str {
    COLOURS[series % COLOURS.len()]
}

fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// About how wide a text is: letters of a usual font, wide ones twice.
fn width(text: &str, size: f64) -> f64 {
    let letter = |letter: char| match letter {
        'i' | 'j' | 'l' | '.' | ',' | ':' | '\'' | '|' | ' ' => 0.34,
        'm' | 'w' | 'M' | 'W' | '%' => 0.96,
        'A'..='Z' => 0.72,
        letter if (letter as u32) >= 0x1100 => 1.1,
        _ => 0.63,
    };
    text.chars().map(letter).sum::<f64>() * size
}

fn shortened(text: &str, letters_max: usize) -> String {
    if text.chars().count() <= letters_max {
        return text.to_string();
    }
    text.chars().take(letters_max - 1).collect::<String>() + "…"
}

/// Lines of at most a width; at most three, the last cut.
fn wrapped(text: &str, room: f64, size: f64) -> Vec<String> {
    const LINES_MAX: usize = 3;
    let mut lines: Vec<String> = vec![String::new()];
    for word in text.split_whitespace() {
        let last = lines.last_mut().expect("there is a first line");
        let longer = if last.is_empty() { word.to_string() } else { format!("{last} {word}") };
        if width(&longer, size) <= room || last.is_empty() {
            *last = longer;
        } else if lines.len() == LINES_MAX {
            lines.last_mut().expect("there is a first line").push('…');
            return lines;
        } else {
            lines.push(word.to_string());
        }
    }
    lines
}

/// A text and where it stands.
struct Text<'a> {
    x: f64,
    y: f64,
    text: &'a str,
    size: f64,
    anchor: &'static str,
    bold: bool,
    faint: bool,
    turned: bool,
}

impl<'a> Text<'a> {
    fn at(x: f64, y: f64, text: &'a str) -> Text<'a> {
        Text { x, y, text, size: FONT, anchor: "start", bold: false, faint: false, turned: false }
    }
}

/// SVG in the making.
struct Canvas {
    out: String,
    theme: Theme,
}

impl Canvas {
    fn open(&mut self, chart: &Chart, height: f64) {
        let style = match self.theme {
            Theme::Automatic => format!("svg{{{LIGHT}}}@media(prefers-color-scheme:dark){{svg{{{DARK}}}}}"),
            Theme::Light | Theme::Dark => String::new(),
        };
        let _ = writeln!(
            self.out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" \
             height=\"{height}\" role=\"img\" font-family=\"DejaVu Sans, Verdana, sans-serif\">\n\
             <title>{}</title>\n<desc>{}</desc>",
            escaped(&capitalized(&chart.title)),
            escaped(&description(chart)),
        );
        if !style.is_empty() {
            let _ = writeln!(self.out, "<style>{style}</style>");
        }
        let ground = self.colour("ground");
        let _ = writeln!(self.out, "<rect width=\"{WIDTH}\" height=\"{height}\" fill=\"{ground}\"/>");
    }

    /// A colour of the theme. Programs that draw pictures of SVG know no variables.
    fn colour(&self, name: &str) -> String {
        let fixed = match self.theme {
            Theme::Automatic => return format!("var(--{name})"),
            Theme::Light => LIGHT,
            Theme::Dark => DARK,
        };
        let found = fixed.split(';').find_map(|pair| pair.strip_prefix("--")?.strip_prefix(name)?.strip_prefix(':'));
        found.unwrap_or("#808080").to_string()
    }

    /// The names of the colours, one after the other; gives where the chart may begin.
    fn legend(&mut self, chart: &Chart, top: f64) -> f64 {
        let named: Vec<(usize, &String)> =
            chart.series.iter().enumerate().filter_map(|(at, series)| Some((at, series.name.as_ref()?))).collect();
        if named.is_empty() {
            return top;
        }
        let (mut x, mut y) = (MARGIN, top);
        for (at, name) in named {
            let name = shortened(name, 28);
            let wide = width(&name, FONT) + 32.0;
            if x + wide > WIDTH - MARGIN && x > MARGIN {
                (x, y) = (MARGIN, y + FONT * 1.6);
            }
            self.rectangle([x, y - FONT * 0.8, FONT * 0.9, FONT * 0.9], colour_of(at), &name);
            self.text(&Text::at(x + 16.0, y, &name));
            x += wide;
        }
        y + FONT * 1.2
    }

    fn text(&mut self, text: &Text) {
        let Text { x, y, size, anchor, .. } = *text;
        let fill = self.colour(if text.faint { "faint" } else { "ink" });
        let weight = if text.bold { " font-weight=\"bold\"" } else { "" };
        let turn = if text.turned { format!(" transform=\"rotate(-40 {x:.2} {y:.2})\"") } else { String::new() };
        let _ = writeln!(
            self.out,
            "<text x=\"{x:.2}\" y=\"{y:.2}\" font-size=\"{size}\" text-anchor=\"{anchor}\" fill=\"{fill}\"{weight}{turn}>{}</text>",
            escaped(text.text)
        );
    }

    fn line(&mut self, x1: f64, y1: f64, x2: f64, y2: f64, strong: bool) {
        let stroke = self.colour(if strong { "faint" } else { "line" });
        let _ = writeln!(
            self.out,
            "<line x1=\"{x1:.2}\" y1=\"{y1:.2}\" x2=\"{x2:.2}\" y2=\"{y2:.2}\" stroke=\"{stroke}\"/>"
        );
    }

    fn rectangle(&mut self, [x, y, wide, high]: [f64; 4], fill: &str, tip: &str) {
        let _ = writeln!(
            self.out,
            "<rect x=\"{x:.2}\" y=\"{y:.2}\" width=\"{wide:.2}\" height=\"{high:.2}\" fill=\"{fill}\"><title>{}</title></rect>",
            escaped(tip)
        );
    }

    fn dot(&mut self, x: f64, y: f64, radius: f64, fill: &str, tip: &str) {
        let _ = writeln!(
            self.out,
            "<circle cx=\"{x:.2}\" cy=\"{y:.2}\" r=\"{radius}\" fill=\"{fill}\"><title>{}</title></circle>",
            escaped(tip)
        );
    }
}

/// For those who do not see the picture.
fn description(chart: &Chart) -> String {
    let points = || chart.series.iter().flat_map(|series| series.points.iter().map(move |point| (series, point)));
    let told = |(series, point): (&super::Series, &Point)| tip(chart, series.name.as_deref(), point);
    let most = points().max_by(|a, b| a.1.value.total_cmp(&b.1.value)).map(told);
    let least = points().min_by(|a, b| a.1.value.total_cmp(&b.1.value)).map(told);
    let kind = chart.kind.as_str();
    match (most, least) {
        (Some(most), Some(least)) => format!(
            "{kind} chart of {} by {}, {} values; highest {most}; lowest {least}",
            chart.measured,
            chart.along.label,
            points().count()
        ),
        _ => format!("{kind} chart of {} by {}", chart.measured, chart.along.label),
    }
}

/// Text inside XML; what XML cannot hold at all becomes a mark.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            letter if letter.is_control() || matches!(letter, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            letter => out.push(letter),
        }
    }
    out
}
