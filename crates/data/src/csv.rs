//! Tables as CSV text: RFC 4180 quoting, `\n` line ends, `true`/`false`, nulls empty.
//!
//! A null is an empty field and an empty text is `""`, so that a reader that cares can tell them apart. In a table of
//! one column a null is written `""` too: a bare empty line would be skipped by most readers and the row lost.

use std::fmt::{Display, Write as _};

use base::{Cell, Table};

/// The table with a header line.
pub fn write(table: &Table) -> String {
    let mut writer = Writer::new(table.columns.iter().map(|column| column.name.as_str()));
    for row in &table.rows {
        for cell in row {
            match cell {
                Cell::Null if row.len() == 1 => writer.text(""),
                Cell::Null => writer.null(),
                Cell::String(text) => writer.text(text),
                Cell::Bool(_) | Cell::Number(_) => writer.plain(cell),
                Cell::Array(_) | Cell::Object(_) => writer.text(&cell.to_string()),
            }
        }
        writer.end_row();
    }
    writer.finish()
}

/// CSV in the making, field by field.
pub(crate) struct Writer {
    out: String,
    row_begun: bool,
}

impl Writer {
    /// Starts with the header line.
    pub(crate) fn new<'a>(header: impl IntoIterator<Item = &'a str>) -> Writer {
        let mut writer = Writer { out: String::new(), row_begun: false };
        header.into_iter().for_each(|name| writer.text(name));
        writer.end_row();
        writer
    }

    /// A field that may need quotes.
    pub(crate) fn text(&mut self, text: &str) {
        self.separate();
        if text.is_empty() || text.contains([',', '"', '\n', '\r']) {
            self.out.push('"');
            self.out.push_str(&text.replace('"', "\"\""));
            self.out.push('"');
        } else {
            self.out.push_str(text);
        }
    }

    /// A field whose text never needs quotes: a number, a truth, a date.
    pub(crate) fn plain(&mut self, value: impl Display) {
        self.separate();
        write!(self.out, "{value}").expect("writing to a string cannot fail");
    }

    /// An empty field.
    pub(crate) fn null(&mut self) {
        self.separate();
    }

    /// A plain field, or an empty one.
    pub(crate) fn optional(&mut self, value: Option<impl Display>) {
        match value {
            Some(value) => self.plain(value),
            None => self.null(),
        }
    }

    pub(crate) fn end_row(&mut self) {
        self.out.push('\n');
        self.row_begun = false;
    }

    pub(crate) fn finish(self) -> String {
        self.out
    }

    fn separate(&mut self) {
        if self.row_begun {
            self.out.push(',');
        }
        self.row_begun = true;
    }
}

#[cfg(test)]
mod tests {
    use base::{Column, Type};
    use serde_json::json;

    use super::*;

    fn table(names: &[&str], rows: Vec<Vec<Cell>>) -> Table {
        let columns = names.iter().map(|name| Column { name: name.to_string(), ty: Type::Text }).collect();
        Table { columns, row_count: rows.len() as u64, rows, truncated: false }
    }

    #[test]
    fn fields_are_quoted_only_where_they_must_be() {
        let rows = vec![
            vec![json!("plain text"), json!(1.5), json!(true)],
            vec![json!("a, \"b\"\nc"), json!(null), json!(false)],
            vec![json!(""), json!(-3), json!({"k": [1, "x"]})],
        ];
        assert_eq!(
            write(&table(&["name", "n, rounded", "ok"], rows)),
            "name,\"n, rounded\",ok\n\
             plain text,1.5,true\n\
             \"a, \"\"b\"\"\nc\",,false\n\
             \"\",-3,\"{\"\"k\"\":[1,\"\"x\"\"]}\"\n"
        );
    }

    #[test]
    fn a_null_in_a_single_column_keeps_its_row() {
        assert_eq!(write(&table(&["n"], vec![vec![json!(null)], vec![json!(2)]])), "n\n\"\"\n2\n");
    }
}
