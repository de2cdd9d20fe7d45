//! The profile of a dataset for the terminal: what was measured of each column, and what follows from it. Text is laid
//! out as plain lines first, cut to the width, and only then printed.

use base::{Cell, Type, columns, cut, padded};
use data::Dataset;
use data::dataset::{ColumnInfo, TableInfo};
use data::profile::{ColumnProfile, Profile, TableProfile};

use crate::printer::Printer;

const COLUMNS_SHOWN_MAX: usize = 200;
const TOP_SHOWN_MAX: usize = 5;
/// One in so many rows is worth showing as a frequent value.
const TOP_SHARE: u64 = 100;
const VALUE_CHARS_MAX: usize = 32;
const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Prints the profile for people.
pub fn print(printer: &Printer, dataset: &Dataset, profile: &Profile) {
    for line in lines(dataset, profile) {
        let text = printer.width.map_or_else(|| line.text.clone(), |width| cut(&line.text, width));
        match line.weight {
            Weight::Strong => printer.line(&printer.strong(&text)),
            Weight::Plain => printer.line(&text),
            Weight::Dim => printer.line(&printer.dim(&text)),
        }
    }
    for remark in &profile.remarks {
        printer.remark("note", &remark.message);
    }
}

/// The dataset's tables with what was measured of them.
fn both<'a>(dataset: &'a Dataset, profile: &'a Profile) -> impl Iterator<Item = (&'a TableInfo, &'a TableProfile)> {
    dataset.tables.iter().filter_map(|table| Some((table, profile.table(&table.name)?)))
}

enum Weight {
    Strong,
    Plain,
    Dim,
}

struct Line {
    weight: Weight,
    text: String,
}

fn lines(dataset: &Dataset, profile: &Profile) -> Vec<Line> {
    let mut lines = Vec::new();
    for (table, measured) in both(dataset, profile) {
        let sampled = measured
            .sampled_rows
            .map(|rows| format!("; quartiles, histograms and patterns are of {} of them", grouped(rows)));
        if !lines.is_empty() {
            lines.push(Line { weight: Weight::Plain, text: String::new() });
        }
        let text = format!("{} ({} rows{})", table.name, grouped(table.rows), sampled.unwrap_or_default());
        lines.push(Line { weight: Weight::Strong, text });
        let width = table.columns.iter().take(COLUMNS_SHOWN_MAX).map(|column| columns(&column.name)).max().unwrap_or(0);
        for column in table.columns.iter().take(COLUMNS_SHOWN_MAX) {
            if let Some(measured) = measured.column(&column.name) {
                lines.extend(column_lines(dataset, table, column, measured, width.min(VALUE_CHARS_MAX)));
            }
        }
        if table.columns.len() > COLUMNS_SHOWN_MAX {
            let text = format!("  … {} more columns; --json has them", table.columns.len() - COLUMNS_SHOWN_MAX);
            lines.push(Line { weight: Weight::Plain, text });
        }
    }
    if !dataset.relations.is_empty() {
        lines.push(Line { weight: Weight::Strong, text: "\nrelationships".to_string() });
        let links = dataset.relations.iter().map(|link| format!("  {}", data::join::link(link)));
        lines.extend(links.map(|text| Line { weight: Weight::Plain, text }));
    }
    lines
}

/// A line with what the column is, and below it, standing back, what is in it.
fn column_lines(
    dataset: &Dataset,
    table: &TableInfo,
    column: &ColumnInfo,
    measured: &ColumnProfile,
    width: usize,
) -> Vec<Line> {
    let name = padded(&cut(&column.name, width), width);
    let mut facts = vec![distinct(measured)];
    facts.extend((measured.nulls > 0).then(|| format!("{} empty", grouped(measured.nulls))));
    facts.extend(measured.may_be_key().then(|| "key".to_string()));
    facts.extend(dataset.references(&table.name, &column.name).map(|link| format!("→ {}", link.target())));
    facts.extend(measured.tells_time().then(|| "time".to_string()));
    facts.extend(column.unit.as_ref().map(|unit| format!("in {unit}")));
    facts.extend(column.running.as_ref().map(ToString::to_string));
    facts.extend(column.stock.as_ref().map(ToString::to_string));
    let text = format!("  {name}  {:<9}  {}", column.ty.as_str(), facts.join(", "));
    let mut lines = vec![Line { weight: Weight::Plain, text }];
    let indent = " ".repeat(width + 15);
    let details = [range(column.ty, measured), histogram(measured), top(table.rows, measured), pattern(measured)];
    lines.extend(
        details.into_iter().flatten().map(|text| Line { weight: Weight::Dim, text: format!("{indent}{text}") }),
    );
    lines
}

fn distinct(measured: &ColumnProfile) -> String {
    let about = if measured.distinct_is_exact { "" } else { "about " };
    format!("{about}{} distinct", grouped(measured.distinct))
}

/// Least and greatest value, and between them the quartiles where there are any.
fn range(ty: Type, measured: &ColumnProfile) -> Option<String> {
    let (Some(min), Some(max)) = (&measured.min, &measured.max) else { return None };
    if min == max || !(ty.is_number() || ty.is_temporal() || ty == Type::Time) {
        return None;
    }
    let about = if measured.quantiles_are_exact { "" } else { "about " };
    let quartiles = match measured.quantiles.as_slice() {
        [_, low, middle, high, _] => {
            format!("; quartiles {about}{}, {}, {}", value(low), value(middle), value(high))
        }
        _ => String::new(),
    };
    Some(format!("{} to {}{quartiles}", value(min), value(max)))
}

/// The bins as blocks of eight heights; an empty bin is blank, and the smallest that is not is still seen.
fn histogram(measured: &ColumnProfile) -> Option<String> {
    let highest = measured.histogram.iter().copied().max().filter(|highest| *highest > 0)?;
    let block = |count: &u64| match count {
        0 => ' ',
        count => BLOCKS[((count * BLOCKS.len() as u64).div_ceil(highest) as usize - 1).min(BLOCKS.len() - 1)],
    };
    Some(measured.histogram.iter().map(block).collect::<String>().trim_end().to_string())
}

/// The most frequent values with their counts, if the first of them makes up a part of the rows; else an example.
fn top(rows: u64, measured: &ColumnProfile) -> Option<String> {
    let notable = |count: u64| count > 1 && count * TOP_SHARE >= rows - measured.nulls.min(rows);
    if measured.top.first().is_some_and(|(_, count)| notable(*count)) {
        let shown = measured.top.iter().take(TOP_SHOWN_MAX);
        let shown: Vec<String> = shown.map(|(cell, count)| format!("{} ×{}", value(cell), grouped(*count))).collect();
        let more = if measured.distinct > shown.len() as u64 { ", …" } else { "" };
        return Some(format!("{}{more}", shown.join(", ")));
    }
    measured.example.as_ref().map(|example| format!("such as {}", value(example)))
}

fn pattern(measured: &ColumnProfile) -> Option<String> {
    measured.pattern.as_ref().map(|pattern| format!("pattern {pattern}"))
}

/// A value on one line and not endless: floats rounded, texts cut.
fn value(cell: &Cell) -> String {
    match cell {
        Cell::String(text) => cut(text, VALUE_CHARS_MAX),
        Cell::Number(number) if number.is_f64() => {
            let number = number.as_f64().unwrap_or_default();
            let text = if number.abs() >= 1e15 || (number != 0.0 && number.abs() < 1e-4) {
                format!("{number:e}")
            } else {
                format!("{number:.4}").trim_end_matches('0').trim_end_matches('.').to_string()
            };
            cut(&text, VALUE_CHARS_MAX)
        }
        other => other.to_string(),
    }
}

fn grouped(count: u64) -> String {
    data::figures::grouped(&count.to_string())
}

#[cfg(test)]
mod tests {
    use base::Hash;
    use data::metadata::Metadata;
    use serde_json::{Value, json};

    use super::*;

    fn shown(column: Value) -> String {
        let mut whole = json!({ "name": "x", "type": "int", "nulls": 0, "distinct": 9, "unique": false, "distinct_is_exact": true });
        whole.as_object_mut().expect("an object").extend(column.as_object().cloned().expect("an object"));
        let profile = json!({ "tables": [{ "name": "t", "rows": 1_000, "columns": [whole] }] });
        let profile: Profile = serde_json::from_value(profile).expect("a profile");
        let dataset = Dataset::assemble("d", Hash::of(b"v"), &profile, &Metadata::default()).expect("it fits");
        let lines = lines(&dataset, &profile).into_iter().skip(1).map(|line| line.text.trim().to_string());
        lines.collect::<Vec<_>>().join(" | ")
    }

    #[test]
    fn what_was_measured_stands_in_few_lines() {
        assert_eq!(
            shown(json!({
                "min": 1, "max": 9, "quantiles": [1, 3, 5, 7, 9], "quantiles_are_exact": true, "nulls": 1_000,
                "histogram": [8, 0, 1, 4, 0], "top": [[5, 700], [1, 2]], "unit": "kg",
            })),
            "x  int        9 distinct, 1,000 empty, in kg | 1 to 9; quartiles 3, 5, 7 | █ ▁▄ | 5 ×700, 1 ×2, …"
        );
        assert_eq!(
            shown(
                json!({ "type": "text", "distinct_is_exact": false, "pattern": "AA-9", "example": "AB-1", "top": [["AB-1", 2]] })
            ),
            "x  text       about 9 distinct | such as AB-1 | pattern AA-9"
        );
        assert_eq!(
            shown(
                json!({ "type": "float", "min": 0.000_01, "max": 1_234.567_89, "quantiles": [0, 0.1, 0.25, 1e20, 2] })
            ),
            "x  float      9 distinct | 1e-5 to 1234.5679; quartiles about 0.1, 0.25, 1e20"
        );
    }

    #[test]
    fn lines_end_at_the_width() {
        assert_eq!(
            (cut("abcdef", 4), cut("abcd", 4), cut("", 0), cut("ab", 0)),
            ("abc…".into(), "abcd".into(), "".into(), "…".into())
        );
        assert_eq!(
            ["0", "999", "1,000", "12,345,678"],
            [0, 999, 1_000, 12_345_678].map(grouped).each_ref().map(String::as_str)
        );
    }
}
