//! A table as Markdown: cells as they are, with whatever Markdown would take for markup escaped, and what a terminal would
//! take for a command made visible.

use base::{Cell, Table};

/// The table with a header line; numbers to the right.
pub fn write(table: &Table) -> String {
    let mut out = line(table.columns.iter().map(|column| escaped(&column.name)));
    out += &line(table.columns.iter().map(|column| if column.ty.is_number() { "---:" } else { "---" }.to_string()));
    for row in &table.rows {
        out += &line(row.iter().map(cell));
    }
    out
}

fn line(cells: impl Iterator<Item = String>) -> String {
    format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "))
}

fn cell(cell: &Cell) -> String {
    match cell {
        Cell::Null => String::new(),
        Cell::String(text) => escaped(text),
        Cell::Bool(_) | Cell::Number(_) => cell.to_string(),
        Cell::Array(_) | Cell::Object(_) => escaped(&cell.to_string()),
    }
}

/// A text in one cell: a line break would end the row.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut before = ' ';
    let mut rest = text.chars().peekable();
    while let Some(letter) = rest.next() {
        let within_word = before.is_alphanumeric() && rest.peek().is_some_and(|next| next.is_alphanumeric());
        match letter {
            '\r' if rest.peek() == Some(&'\n') => {}
            '\n' | '\r' => out.push_str("<br>"),
            // Who prints the document is not to obey it.
            '\0'..='\x1f' if letter != '\t' => out.extend(char::from_u32(0x2400 + u32::from(letter))),
            _ if letter.is_control() && letter != '\t' => out.push('\u{fffd}'),
            '_' if within_word => out.push('_'),
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '~' | '&' | '$' => {
                out.push('\\');
                out.push(letter);
            }
            _ => out.push(letter),
        }
        before = letter;
    }
    out
}

#[cfg(test)]
mod tests {
    use base::{Column, Type};
    use serde_json::json;

    use super::*;

    #[test]
    fn a_cell_is_neither_markup_nor_a_further_cell() {
        let column = |name: &str, ty| Column { name: name.into(), ty };
        let table = Table {
            columns: vec![column("unit_price", Type::Float), column("a|b", Type::Text)],
            rows: vec![
                vec![json!(0.1), json!("x|y\r\n*z* <i> _u_ v_w")],
                vec![json!(null), json!("\\\u{1b}[2J\u{9b}")],
                vec![json!(1e21), json!({ "k": [1] })],
            ],
            row_count: 3,
            truncated: false,
        };
        let expected = "| unit_price | a\\|b |\n| ---: | --- |\n| 0.1 | x\\|y<br>\\*z\\* \\<i\\> \\_u\\_ v_w |\n|  | \\\\\u{241b}\\[2J\u{fffd} |\n\
                        | 1e+21 | {\"k\":\\[1\\]} |\n";
        assert_eq!(write(&table), expected);
    }
}
