//! A table for a terminal: aligned, numbers to the right, cut to the width.

use base::{Cell, Table};
use serde_json::Value;

use crate::printer::is_unfit;

const ROWS_SHOWN_MAX: usize = 50;
const CELL_WIDTH_MAX: usize = 60;
const GAP: &str = "  ";

/// Draws a table; `width` is that of the terminal, none means as wide as needed.
pub fn draw(table: &Table, width: Option<usize>) -> String {
    let shown = table.rows.len().min(ROWS_SHOWN_MAX);
    let cells: Vec<Vec<String>> =
        table.rows[..shown].iter().map(|row| row.iter().map(text).collect::<Vec<_>>()).collect();
    let widths: Vec<usize> = table
        .columns
        .iter()
        .enumerate()
        .map(|(index, column)| {
            let longest = cells.iter().map(|row| length(cell(row, index))).max().unwrap_or(0);
            longest.max(length(&column.name)).min(CELL_WIDTH_MAX)
        })
        .collect();
    let columns = fitting(&widths, width);
    let mut out = String::new();
    let header: Vec<String> = table.columns.iter().map(|column| cleaned(&column.name)).collect();
    out += &line(table, &header, &widths, columns);
    let rule: Vec<String> = widths.iter().map(|width| "─".repeat(*width)).collect();
    out += &line(table, &rule, &widths, columns);
    for row in &cells {
        out += &line(table, row, &widths, columns);
    }
    let left_out = table.row_count as usize - shown.min(table.row_count as usize);
    if left_out > 0 {
        out += &format!("… {left_out} more rows\n");
    }
    if columns < table.columns.len() {
        out += &format!("… {} more columns; widen the terminal or use --json\n", table.columns.len() - columns);
    }
    out
}

/// How many columns fit; the first is always shown.
fn fitting(widths: &[usize], width: Option<usize>) -> usize {
    let Some(width) = width else { return widths.len() };
    let mut used = 0;
    let fits = widths.iter().take_while(|column| {
        used += *column + GAP.len();
        used <= width + GAP.len()
    });
    fits.count().max(1).min(widths.len())
}

fn line(table: &Table, cells: &[String], widths: &[usize], columns: usize) -> String {
    let parts: Vec<String> = (0..columns)
        .map(|index| {
            let cell = cut(cell(cells, index), widths[index]);
            let padding = " ".repeat(widths[index] - length(&cell));
            if table.columns[index].ty.is_number() { padding + &cell } else { cell + &padding }
        })
        .collect();
    parts.join(GAP).trim_end().to_string() + "\n"
}

/// A table that was read back may have rows of any length.
fn cell(row: &[String], index: usize) -> &str {
    row.get(index).map_or("", String::as_str)
}

/// How many letters a text has.
pub(crate) fn length(text: &str) -> usize {
    text.chars().count()
}

/// A text of at most so many letters.
pub(crate) fn cut(text: &str, width: usize) -> String {
    if length(text) <= width {
        text.to_string()
    } else {
        text.chars().take(width.saturating_sub(1)).collect::<String>() + "…"
    }
}

fn cleaned(text: &str) -> String {
    text.chars().map(|letter| if is_unfit(letter) { '·' } else { letter }).collect()
}

/// A cell for reading: floats rounded, control characters kept off the terminal.
fn text(cell: &Cell) -> String {
    match cell {
        Value::Null => "∅".to_string(),
        Value::String(text) => cleaned(text),
        Value::Number(number) if number.is_f64() => {
            let number = number.as_f64().unwrap_or_default();
            let text = format!("{number:.4}");
            text.trim_end_matches('0').trim_end_matches('.').to_string()
        }
        other => cleaned(&other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use base::{Column, Type};
    use serde_json::json;

    use super::*;

    fn table() -> Table {
        Table {
            columns: vec![
                Column { name: "region".into(), ty: Type::Text },
                Column { name: "n".into(), ty: Type::Int },
                Column { name: "mean".into(), ty: Type::Float },
            ],
            rows: vec![vec![json!("North"), json!(7), json!(1.0 / 3.0)], vec![json!(null), json!(1200), json!(2.0)]],
            row_count: 2,
            truncated: false,
        }
    }

    #[test]
    fn numbers_stand_to_the_right() {
        assert_eq!(
            draw(&table(), None),
            "region     n    mean\n──────  ────  ──────\nNorth      7  0.3333\n∅       1200       2\n"
        );
    }

    #[test]
    fn rows_of_another_width_are_drawn_as_far_as_they_go() {
        let mut table = table();
        table.rows = vec![vec![], vec![json!("North")], vec![json!("a"), json!(1), json!(2.5), json!("extra")]];
        let drawn = draw(&table, None);
        assert_eq!(drawn.lines().skip(2).collect::<Vec<_>>(), ["", "North", "a       1   2.5"], "{drawn}");
        table.columns.clear();
        assert_eq!(draw(&table, Some(0)).trim(), "");
    }

    #[test]
    fn no_cell_speaks_to_the_terminal() {
        let mut table = table();
        table.rows = vec![vec![json!("a\x1b[31m"), json!({ "k": "\u{9b}31m" }), json!("\u{202e}b")]];
        assert!(!draw(&table, None).contains(['\x1b', '\u{9b}', '\u{202e}']));
    }

    #[test]
    fn what_does_not_fit_is_said() {
        let drawn = draw(&table(), Some(13));
        assert!(drawn.starts_with("region     n\n"), "{drawn}");
        assert!(drawn.ends_with("… 1 more columns; widen the terminal or use --json\n"), "{drawn}");
    }
}
