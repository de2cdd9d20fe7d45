//! A table for a terminal: aligned, numbers to the right and written alike in each column, cut to the width.

use base::{Cell, Table, Type, columns, cut};
use data::figures::Form;
use serde_json::Value;

use crate::printer::is_unfit;

const ROWS_SHOWN_MAX: usize = 50;
const CELL_WIDTH_MAX: usize = 60;
const GAP: &str = "  ";

/// Draws a table, each column in its form; `width` is that of the terminal, none means as wide as needed.
pub fn draw(table: &Table, forms: &[Form], width: Option<usize>) -> String {
    let shown = table.rows.len().min(ROWS_SHOWN_MAX);
    let written = |row: &Vec<Cell>| -> Vec<String> {
        row.iter()
            .enumerate()
            .map(|(at, cell)| text(cell, table.columns.get(at).map(|c| c.ty), forms.get(at)))
            .collect()
    };
    let cells: Vec<Vec<String>> = table.rows[..shown].iter().map(written).collect();
    let widths: Vec<usize> = table
        .columns
        .iter()
        .enumerate()
        .map(|(index, column)| {
            let longest = cells.iter().map(|row| columns(cell(row, index))).max().unwrap_or(0);
            longest.max(columns(&column.name)).min(CELL_WIDTH_MAX)
        })
        .collect();
    let fitting = fitting(&widths, width);
    let mut out = String::new();
    let header: Vec<String> = table.columns.iter().map(|column| cleaned(&column.name)).collect();
    out += &line(table, &header, &widths, fitting);
    let rule: Vec<String> = widths.iter().map(|width| "─".repeat(*width)).collect();
    out += &line(table, &rule, &widths, fitting);
    for row in &cells {
        out += &line(table, row, &widths, fitting);
    }
    let left_out = table.row_count as usize - shown.min(table.row_count as usize);
    if left_out > 0 {
        out += &format!("… {left_out} more rows\n");
    }
    if fitting < table.columns.len() {
        out += &format!("… {} more columns; widen the terminal or use --json\n", table.columns.len() - fitting);
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

fn line(table: &Table, cells: &[String], widths: &[usize], fitting: usize) -> String {
    let parts: Vec<String> = (0..fitting)
        .map(|index| {
            let cell = cut(cell(cells, index), widths[index]);
            let padding = " ".repeat(widths[index].saturating_sub(columns(&cell)));
            if table.columns[index].ty.is_number() { padding + &cell } else { cell + &padding }
        })
        .collect();
    parts.join(GAP).trim_end().to_string() + "\n"
}

/// A table that was read back may have rows of any length.
fn cell(row: &[String], index: usize) -> &str {
    row.get(index).map_or("", String::as_str)
}

fn cleaned(text: &str) -> String {
    text.chars().map(|letter| if is_unfit(letter) { '·' } else { letter }).collect()
}

/// A cell for reading, control characters kept off the terminal.
fn text(cell: &Cell, ty: Option<Type>, form: Option<&Form>) -> String {
    match (cell, form) {
        (Value::Null, _) => "∅".to_string(),
        (_, Some(form)) if form.period.is_some() || ty.is_some_and(Type::is_number) => cleaned(&form.cell(cell)),
        (Value::String(text), _) => cleaned(text),
        (other, _) => cleaned(&other.to_string()),
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

    fn drawn(table: &Table, width: Option<usize>) -> String {
        draw(table, &Form::of_each(table), width)
    }

    #[test]
    fn numbers_stand_to_the_right_and_are_written_alike() {
        assert_eq!(
            drawn(&table(), None),
            "region      n  mean\n──────  ─────  ────\nNorth       7  0.33\n∅       1,200  2.00\n"
        );
    }

    #[test]
    fn wide_letters_take_the_room_they_need() {
        let mut table = table();
        table.rows = vec![vec![json!("北京"), json!(1), json!(2)], vec![json!("🙂"), json!(1), json!(2)]];
        assert_eq!(drawn(&table, None), "region  n  mean\n──────  ─  ────\n北京    1     2\n🙂      1     2\n");
    }

    #[test]
    fn rows_of_another_width_are_drawn_as_far_as_they_go() {
        let mut table = table();
        table.rows = vec![vec![], vec![json!("North")], vec![json!("a"), json!(1), json!(2.5), json!("extra")]];
        let text = drawn(&table, None);
        assert_eq!(text.lines().skip(2).collect::<Vec<_>>(), ["", "North", "a       1   2.5"], "{text}");
        table.columns.clear();
        assert_eq!(drawn(&table, Some(0)).trim(), "");
    }

    #[test]
    fn no_cell_speaks_to_the_terminal() {
        let mut table = table();
        table.rows = vec![vec![json!("a\x1b[31m"), json!({ "k": "\u{9b}31m" }), json!("\u{202e}b")]];
        assert!(!drawn(&table, None).contains(['\x1b', '\u{9b}', '\u{202e}']));
    }

    #[test]
    fn what_does_not_fit_is_said() {
        let text = drawn(&table(), Some(13));
        assert!(text.starts_with("region      n\n"), "{text}");
        assert!(text.ends_with("… 1 more columns; widen the terminal or use --json\n"), "{text}");
    }
}
