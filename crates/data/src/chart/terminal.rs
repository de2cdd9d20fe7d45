//! A chart in letters: bars of blocks, lines and dots of braille. No colour, so it reads the same everywhere.

use base::columns;

use super::scale::Scale;
use super::{Chart, Kind, Point, Positions};

/// Rows of a chart that runs along time or numbers.
const HIGH: usize = 10;
const NAME_MAX: usize = 28;
/// Of a line's name at its end.
const LINE_NAME_MAX: usize = 16;
const BAR_MIN: usize = 10;
/// Of a line to or from a period that is not whole, one dot in so many is set.
const DASH: usize = 4;
const EIGHTHS: [char; 9] = [' ', '▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'];
/// For parts of one bar, and for series that share one field of dots.
const FILLS: [char; 8] = ['█', '▓', '▒', '░', '▚', '▞', '▤', '▥'];

/// Draws a chart at most so wide.
pub fn draw(chart: &Chart, width: usize) -> String {
    match (&chart.along.positions, chart.kind) {
        (_, Kind::Stacked) => stacked(chart, width),
        (Positions::Names(_) | Positions::Ranges(..), _) => bars(chart, width),
        (Positions::Times { .. }, Kind::Bar) => bars(chart, width),
        (Positions::Times { .. } | Positions::Numbers(_), _) => field(chart, width),
    }
}

/// One line for each bar: name, bar, number. Bars below zero run to the left of the others' beginning.
fn bars(chart: &Chart, width: usize) -> String {
    let rows: Vec<(String, &Point)> = chart
        .series
        .iter()
        .flat_map(|series| series.points.iter().map(move |point| (series, point)))
        .map(|(series, point)| {
            let place = words(chart, point.at as usize);
            (series.name.as_ref().map_or(place.clone(), |name| format!("{place}, {name}")), point)
        })
        .collect();
    let names: Vec<String> = rows.iter().map(|(name, _)| cut(name, NAME_MAX)).collect();
    let name_width = names.iter().map(|name| columns(name)).max().unwrap_or(0);
    let numbers: Vec<String> = rows.iter().map(|(_, point)| chart.form.figure(&point.exact)).collect();
    let number_width = numbers.iter().map(|number| columns(number)).max().unwrap_or(0);
    let room = width.saturating_sub(name_width + number_width + 4).max(BAR_MIN);
    let most = rows.iter().map(|(_, point)| point.value).fold(0.0, f64::max);
    let least = rows.iter().map(|(_, point)| point.value).fold(0.0, f64::min);
    let span = most - least;
    let zero = if span > 0.0 { (-least / span * room as f64).round() as usize } else { 0 };
    let mut out = String::new();
    for ((name, number), (_, point)) in names.iter().zip(&numbers).zip(&rows) {
        let long = if span > 0.0 { point.value.abs() / span * room as f64 } else { 0.0 };
        let bar = if point.value < 0.0 {
            let long = long.round() as usize;
            " ".repeat(zero.saturating_sub(long)) + &"█".repeat(long.min(zero))
        } else {
            " ".repeat(zero) + &blocks(long)
        };
        let pad = " ".repeat(name_width - columns(name));
        let gap = " ".repeat((room + 1).saturating_sub(columns(&bar)));
        let number = format!("{}{number}", " ".repeat(number_width - columns(number)));
        out += &format!("{name}{pad}  {bar}{gap}{number}\n");
    }
    out + &below(chart, width)
}

/// One line for each bar, its parts told apart by their filling.
fn stacked(chart: &Chart, width: usize) -> String {
    let count = chart.along.positions.len();
    let sum = |at: usize| -> f64 {
        let points = chart.series.iter().flat_map(|series| &series.points);
        points.filter(|point| point.at as usize == at).map(|point| point.value).sum()
    };
    let most = (0..count).map(sum).fold(0.0, f64::max);
    let names: Vec<String> = (0..count).map(|at| cut(&words(chart, at), NAME_MAX)).collect();
    let name_width = names.iter().map(|name| columns(name)).max().unwrap_or(0);
    let room = width.saturating_sub(name_width + 2).max(BAR_MIN);
    let mut out = String::new();
    for (at, name) in names.iter().enumerate() {
        let mut bar = String::new();
        let mut so_far = 0.0;
        for (number, series) in chart.series.iter().enumerate() {
            let point = series.points.iter().find(|point| point.at as usize == at);
            so_far += point.map_or(0.0, |point| point.value);
            let end = if most > 0.0 { (so_far / most * room as f64).round() as usize } else { 0 };
            while columns(&bar) < end {
                bar.push(FILLS[number % FILLS.len()]);
            }
        }
        out += &format!("{name}{}  {bar}\n", " ".repeat(name_width - columns(name)));
    }
    out + &legend(chart, width) + &below(chart, width)
}

/// A field of braille dots, eight to a letter, with marks at its left and names below.
fn field(chart: &Chart, width: usize) -> String {
    let (low, high) = chart.measured_extent();
    let scale = Scale::around(low, high, 4);
    let marks = super::svg::marks(&chart.form, &scale);
    let margin = marks.iter().map(|mark| columns(mark)).max().unwrap_or(0);
    let names: Vec<String> =
        chart.series.iter().map(|series| cut(series.name.as_deref().unwrap_or_default(), LINE_NAME_MAX)).collect();
    let beside =
        names.iter().map(|name| columns(name)).max().filter(|longest| *longest > 0).map_or(0, |longest| longest + 1);
    let wide = width.saturating_sub(margin + 3 + beside).clamp(BAR_MIN, 100);
    let mut dots = vec![vec![0_u8; wide]; HIGH];
    let extent = across_extent(chart);
    let mut named: Vec<String> = vec![String::new(); HIGH];
    for (series, name) in chart.series.iter().zip(&names) {
        let place = |point: &Point| {
            let x = share(across(chart, point.at), extent) * (wide * 2 - 1) as f64;
            (x, (1.0 - scale.place(point.value)) * (HIGH * 4 - 1) as f64)
        };
        for part in chart.unbroken(series) {
            let places: Vec<(f64, f64)> = part.iter().map(place).collect();
            places.iter().for_each(|place| set(&mut dots, *place));
            if chart.kind != Kind::Scatter {
                for (pair, points) in places.windows(2).zip(part.windows(2)) {
                    let open = points.iter().any(|point| chart.is_unfinished(point));
                    connect(&mut dots, pair[0], pair[1], if open { DASH } else { 1 });
                }
            }
        }
        if let Some((_, y)) = series.points.last().map(place) {
            let row = (y / 4.0) as usize;
            let free = (0..HIGH).filter(|row| named[*row].is_empty()).min_by_key(|free| free.abs_diff(row));
            named[free.unwrap_or(row.min(HIGH - 1))].clone_from(name);
        }
    }
    let mut out = String::new();
    for (row, cells) in dots.iter().enumerate() {
        let here = |tick: &&f64| ((1.0 - scale.place(**tick)) * (HIGH - 1) as f64).round() as usize == row;
        let label = scale.ticks.iter().position(|tick| here(&tick)).map(|at| marks[at].as_str()).unwrap_or_default();
        let line: String = cells.iter().map(|cell| braille(*cell)).collect();
        let line = match named[row].as_str() {
            "" => line.trim_end_matches('\u{2800}').to_string(),
            name => format!("{line} {name}"),
        };
        let pad = " ".repeat(margin - columns(label));
        out += &format!("{pad}{label} ┤{line}\n");
    }
    let (first, last) = ends(chart);
    let gap = wide.saturating_sub(columns(&first) + columns(&last)).max(1);
    out += &format!(
        "{} └{}\n{}  {first}{}{last}\n",
        " ".repeat(margin),
        "─".repeat(wide),
        " ".repeat(margin),
        " ".repeat(gap)
    );
    out +=
        &lines(chart.axis_note(&scale, &marks).iter().flat_map(|note| note.split(' ').map(str::to_string)), " ", width);
    out + &below(chart, width)
}

fn across(chart: &Chart, at: f64) -> f64 {
    match &chart.along.positions {
        Positions::Times { periods, .. } => periods[at as usize].0,
        _ => at,
    }
}

fn across_extent(chart: &Chart) -> (f64, f64) {
    let points = || chart.series.iter().flat_map(|series| &series.points).map(|point| across(chart, point.at));
    (points().fold(f64::INFINITY, f64::min), points().fold(f64::NEG_INFINITY, f64::max))
}

fn share(number: f64, (low, high): (f64, f64)) -> f64 {
    if high > low { (number - low) / (high - low) } else { 0.5 }
}

/// What stands below the two ends.
fn ends(chart: &Chart) -> (String, String) {
    match &chart.along.positions {
        Positions::Times { periods, .. } => {
            let word = |period: Option<&(f64, String)>| period.map(|(_, words)| words.clone()).unwrap_or_default();
            (word(periods.first()), word(periods.last()))
        }
        Positions::Numbers(form) => {
            let (low, high) = across_extent(chart);
            (format!("{} {}", chart.along.label, form.number(low)), form.number(high))
        }
        Positions::Names(_) | Positions::Ranges(..) => (String::new(), String::new()),
    }
}

fn set(dots: &mut [Vec<u8>], (x, y): (f64, f64)) {
    /// The bit of each dot of a braille letter, by row and column.
    const BITS: [[u8; 2]; 4] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]];
    let (x, y) = (x.round().max(0.0) as usize, y.round().max(0.0) as usize);
    if let Some(cell) = dots.get_mut(y / 4).and_then(|row| row.get_mut(x / 2)) {
        *cell |= BITS[y % 4][x % 2];
    }
}

/// Sets every dot between two places, or every so many.
fn connect(dots: &mut [Vec<u8>], from: (f64, f64), to: (f64, f64), every: usize) {
    let steps = (to.0 - from.0).abs().max((to.1 - from.1).abs()).ceil().max(1.0) as usize;
    for step in (0..=steps).step_by(every) {
        let part = step as f64 / steps as f64;
        set(dots, (from.0 + (to.0 - from.0) * part, from.1 + (to.1 - from.1) * part));
    }
}

fn braille(dots: u8) -> char {
    char::from_u32(0x2800 + u32::from(dots)).expect("braille letters are a whole block")
}

/// A length in eighths of a letter.
fn blocks(long: f64) -> String {
    let eighths = (long * 8.0).round() as usize;
    let mut bar = "█".repeat(eighths / 8);
    if !eighths.is_multiple_of(8) {
        bar.push(EIGHTHS[eighths % 8]);
    }
    bar
}

fn words(chart: &Chart, at: usize) -> String {
    chart.along.positions.words(at as f64)
}

fn legend(chart: &Chart, width: usize) -> String {
    let named = chart.series.iter().enumerate().filter_map(|(at, series)| Some((at, series.name.as_ref()?)));
    let parts = named.map(|(at, name)| format!("{} {}", FILLS[at % FILLS.len()], cut(name, NAME_MAX)));
    lines(parts, "  ", width)
}

fn below(chart: &Chart, width: usize) -> String {
    lines(chart.note.iter().flat_map(|note| note.split(' ').map(str::to_string)), " ", width)
}

/// Parts one after the other, in lines that are no wider than there is room.
fn lines(parts: impl Iterator<Item = String>, between: &str, width: usize) -> String {
    let mut out = String::new();
    let mut line = String::new();
    for part in parts {
        if !line.is_empty() && columns(&line) + columns(between) + columns(&part) > width {
            out += &format!("{line}\n");
            line.clear();
        }
        if !line.is_empty() {
            line += between;
        }
        line += &part;
    }
    if line.is_empty() { out } else { format!("{out}{line}\n") }
}

/// A text that fits and commands nothing.
fn cut(text: &str, columns_max: usize) -> String {
    let safe = |letter: char| {
        if letter.is_control() || matches!(letter, '\u{202a}'..='\u{202e}') { '\u{fffd}' } else { letter }
    };
    base::cut(&text.chars().map(safe).collect::<String>(), columns_max)
}
