//! A chart in letters: bars of blocks, lines and dots of braille. No colour, so it reads the same everywhere.

use super::scale::Scale;
use super::{Chart, Kind, Point, Positions};

/// Rows of a chart that runs along time or numbers.
const HIGH: usize = 10;
const NAME_MAX: usize = 28;
const BAR_MIN: usize = 10;
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
            let place = place(chart, point);
            (series.name.as_ref().map_or(place.clone(), |name| format!("{place}, {name}")), point)
        })
        .collect();
    let names: Vec<String> = rows.iter().map(|(name, _)| cut(name, NAME_MAX)).collect();
    let name_width = names.iter().map(|name| length(name)).max().unwrap_or(0);
    let numbers: Vec<String> = rows.iter().map(|(_, point)| chart.form.bare(point.value)).collect();
    let number_width = numbers.iter().map(|number| length(number)).max().unwrap_or(0);
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
        let pad = " ".repeat(name_width - length(name));
        let gap = " ".repeat((room + 1).saturating_sub(length(&bar)));
        out += &format!("{name}{pad}  {bar}{gap}{number:>number_width$}\n");
    }
    out + &below(chart)
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
    let name_width = names.iter().map(|name| length(name)).max().unwrap_or(0);
    let room = width.saturating_sub(name_width + 2).max(BAR_MIN);
    let mut out = String::new();
    for (at, name) in names.iter().enumerate() {
        let mut bar = String::new();
        let mut so_far = 0.0;
        for (number, series) in chart.series.iter().enumerate() {
            let point = series.points.iter().find(|point| point.at as usize == at);
            so_far += point.map_or(0.0, |point| point.value);
            let end = if most > 0.0 { (so_far / most * room as f64).round() as usize } else { 0 };
            while length(&bar) < end {
                bar.push(FILLS[number % FILLS.len()]);
            }
        }
        out += &format!("{name}{}  {bar}\n", " ".repeat(name_width - length(name)));
    }
    out + &legend(chart) + &below(chart)
}

/// A field of braille dots, eight to a letter, with marks at its left and names below.
fn field(chart: &Chart, width: usize) -> String {
    let (low, high) = chart.extent();
    let low = if chart.begins_at_zero() { low.min(0.0) } else { low };
    let scale = Scale::around(low, high, 4);
    let marks: Vec<String> = scale.ticks.iter().map(|tick| crate::figures::rounded(shown(chart, *tick), 0)).collect();
    let digits = if marks.windows(2).any(|pair| pair[0] == pair[1]) { scale.digits.max(1) } else { 0 };
    let mark = |tick: f64| {
        let text = crate::figures::rounded(shown(chart, tick), digits);
        if chart.form.percent { text + " %" } else { text }
    };
    let margin = scale.ticks.iter().map(|tick| length(&mark(*tick))).max().unwrap_or(0);
    let wide = width.saturating_sub(margin + 3).clamp(BAR_MIN, 100);
    let mut dots = vec![vec![0_u8; wide]; HIGH];
    let extent = across_extent(chart);
    for series in &chart.series {
        let places: Vec<(f64, f64)> = series
            .points
            .iter()
            .map(|point| {
                let x = share(across(chart, point.at), extent) * (wide * 2 - 1) as f64;
                (x, (1.0 - scale.place(point.value)) * (HIGH * 4 - 1) as f64)
            })
            .collect();
        places.iter().for_each(|place| set(&mut dots, *place));
        if chart.kind != Kind::Scatter {
            places.windows(2).for_each(|pair| connect(&mut dots, pair[0], pair[1]));
        }
    }
    let mut out = String::new();
    for (row, cells) in dots.iter().enumerate() {
        let here = |tick: &&f64| ((1.0 - scale.place(**tick)) * (HIGH - 1) as f64).round() as usize == row;
        let label = scale.ticks.iter().find(here).map(|tick| mark(*tick)).unwrap_or_default();
        let line: String = cells.iter().map(|cell| braille(*cell)).collect();
        let pad = " ".repeat(margin - length(&label));
        out += &format!("{pad}{label} ┤{}\n", line.trim_end_matches('\u{2800}'));
    }
    let (first, last) = ends(chart);
    let gap = wide.saturating_sub(length(&first) + length(&last)).max(1);
    out += &format!(
        "{} └{}\n{}  {first}{}{last}\n",
        " ".repeat(margin),
        "─".repeat(wide),
        " ".repeat(margin),
        " ".repeat(gap)
    );
    out + &names(chart) + &below(chart)
}

fn shown(chart: &Chart, number: f64) -> f64 {
    if chart.form.percent { number * 100.0 } else { number }
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
            (format!("{} {}", chart.along.label, form.bare(low)), form.bare(high))
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

fn connect(dots: &mut [Vec<u8>], from: (f64, f64), to: (f64, f64)) {
    let steps = (to.0 - from.0).abs().max((to.1 - from.1).abs()).ceil().max(1.0) as usize;
    for step in 0..=steps {
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

fn place(chart: &Chart, point: &Point) -> String {
    words(chart, point.at as usize)
}

fn words(chart: &Chart, at: usize) -> String {
    match &chart.along.positions {
        Positions::Names(names) => names.get(at).cloned().unwrap_or_default(),
        Positions::Times { periods, .. } => periods.get(at).map(|(_, words)| words.clone()).unwrap_or_default(),
        Positions::Numbers(form) => form.bare(at as f64),
        Positions::Ranges(edges, form) => match (edges.get(at), edges.get(at + 1)) {
            (Some(from), Some(to)) => format!("{} to {}", form.bare(*from), form.bare(*to)),
            _ => String::new(),
        },
    }
}

fn legend(chart: &Chart) -> String {
    let named = chart.series.iter().enumerate().filter_map(|(at, series)| Some((at, series.name.as_ref()?)));
    let parts: Vec<String> =
        named.map(|(at, name)| format!("{} {}", FILLS[at % FILLS.len()], cut(name, NAME_MAX))).collect();
    if parts.is_empty() { String::new() } else { format!("{}\n", parts.join("  ")) }
}

/// Lines of dots cannot be told apart; their names say at least what is there.
fn names(chart: &Chart) -> String {
    let names: Vec<&str> = chart.series.iter().filter_map(|series| series.name.as_deref()).collect();
    if names.is_empty() { String::new() } else { format!("{} lines: {}\n", names.len(), names.join(", ")) }
}

fn below(chart: &Chart) -> String {
    chart.note.as_ref().map(|note| format!("{note}\n")).unwrap_or_default()
}

fn length(text: &str) -> usize {
    text.chars().count()
}

fn cut(text: &str, letters: usize) -> String {
    let text: String = text.chars().map(|letter| if letter.is_control() { '�' } else { letter }).collect();
    if length(&text) <= letters { text } else { text.chars().take(letters - 1).collect::<String>() + "…" }
}
