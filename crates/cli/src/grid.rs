//! A table for a terminal: aligned, numbers to the right, cut to the width.

use base::{Cell, Table};
use serde_json::Value;

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
            let longest = cells.iter().map(|row| length(&row[index])).max().unwrap_or(0);
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
            let cell = cut(&cells[index], widths[index]);
            let padding = " ".repeat(widths[index] - length(&cell));
            if table.columns[index].ty.is_number() { padding + &cell } else { cell + &padding }
        })
        .collect();
    parts.join(GAP).trim_end().to_string() + "\n"
}

fn length(text: &str) -> usize {
    text.chars().count()
}

fn cut(text: &str, width: usize) -> String {
    if length(text) <= width {
        text.to_string()
    } else {
        text.chars().take(width.saturating_sub(1)).collect::<String>() + "…"
    }
}

fn cleaned(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { '·' } else { letter }).collect()
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
        other => other.to_string(),
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
    fn what_does_not_fit_is_said() {
        let drawn = draw(&table(), Some(13));
        assert!(drawn.starts_with("region     n\n"), "{drawn}");
        assert!(drawn.ends_with("… 1 more columns; widen the terminal or use --json\n"), "{drawn}");
    }
}
