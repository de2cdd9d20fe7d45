//! What a program's last expression came to, as the machine interface spells it.
//!
//! It is told by the kernel in which a stranger's program has just run, so it is a claim: its shape, its size and every
//! cell are looked at, and a path counts only if it names a file that came back. A claim that does not hold is no result,
//! and the document says why; the program's own end is judged by its status alone.

use base::{Table, Type};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::OutFile;

const ROWS_MAX: usize = 1_000;
/// An index of several levels comes on top of a frame's own columns.
const COLUMNS_MAX: usize = 1_100;
const NAME_BYTES_MAX: usize = 1_024;
const TEXT_BYTES_MAX: usize = 64 * 1024;

/// What a program's last expression came to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Returned {
    /// Nothing: no expression, `None`, or a program that did not come to a good end.
    None {
        /// Why what the kernel told does not count.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        problem: Option<String>,
    },
    /// One value.
    Scalar {
        /// How to read it.
        #[serde(rename = "type")]
        ty: Type,
        /// As in a table's cell, except that `json` is JSON itself.
        value: Value,
        /// Whether a text was longer.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        truncated: bool,
    },
    /// The first rows of a table.
    Table {
        /// The rows, and how many there are.
        table: Table,
    },
    /// A drawing.
    Figure {
        /// Its file, relative to `out/`.
        path: String,
    },
    /// A file that the program wrote.
    File {
        /// Relative to `out/`.
        path: String,
    },
}

impl Default for Returned {
    fn default() -> Returned {
        Returned::NONE
    }
}

impl Returned {
    /// No result, and nothing to say about it.
    pub const NONE: Returned = Returned::None { problem: None };

    /// Reads a kernel's claim.
    pub(super) fn read(claim: Value, files: &[OutFile]) -> Returned {
        if claim.is_null() {
            return Returned::NONE;
        }
        let read = serde_json::from_value(claim).map_err(|error| error.to_string());
        match read.and_then(|returned| check(&returned, files).map(|()| returned)) {
            Ok(Returned::None { .. }) => Returned::NONE,
            Ok(returned) => returned,
            Err(why) => Returned::unread(&why),
        }
    }

    /// A claim that does not hold; the reason may repeat a stranger's words.
    pub(super) fn unread(why: &str) -> Returned {
        const WHY_CHARACTERS_MAX: usize = 200;
        let why: String = why.chars().take(WHY_CHARACTERS_MAX).collect();
        Returned::None { problem: Some(format!("what the kernel told of the last expression is no result: {why}")) }
    }
}

fn check(returned: &Returned, files: &[OutFile]) -> Result<(), String> {
    match returned {
        Returned::None { .. } => Ok(()),
        Returned::Scalar { ty: Type::Json, .. } => Ok(()),
        Returned::Scalar { ty, value, .. } => {
            let is_short = value.as_str().is_none_or(|text| text.len() <= TEXT_BYTES_MAX);
            let fits = is_short && !value.is_null() && fits(*ty, value);
            fits.then_some(()).ok_or_else(|| format!("the value is not of the type {}", ty.as_str()))
        }
        Returned::Table { table } => check_table(table),
        // Files that came back have plain names below `out/`, so whatever equals one of them is one.
        Returned::Figure { path } | Returned::File { path } => {
            let came_back = files.iter().any(|file| file.path == *path);
            came_back.then_some(()).ok_or_else(|| "its file did not come back".to_string())
        }
    }
}

fn check_table(table: &Table) -> Result<(), String> {
    let (columns, rows) = (table.columns.len(), table.rows.len());
    if columns > COLUMNS_MAX || rows > ROWS_MAX {
        return Err(format!("a table of {rows} rows and {columns} columns is too large"));
    }
    if table.columns.iter().any(|column| column.name.len() > NAME_BYTES_MAX) {
        return Err("a column's name is too long".to_string());
    }
    if table.rows.iter().any(|row| row.len() != columns) {
        return Err("a row is not as wide as the table".to_string());
    }
    if table.row_count < rows as u64 || table.truncated != (table.row_count > rows as u64) {
        return Err("the table has another number of rows than it says".to_string());
    }
    let cells = table.rows.iter().flat_map(|row| row.iter().zip(&table.columns));
    match cells.into_iter().find(|(cell, column)| !cell.is_null() && !fits(column.ty, cell)) {
        Some((_, column)) => Err(format!("a cell is not of the type {}", column.ty.as_str())),
        None => Ok(()),
    }
}

/// Whether a cell that is not null is written as its type wants it.
fn fits(ty: Type, cell: &Value) -> bool {
    let text = |shape: &str| cell.as_str().is_some_and(|text| is_shaped(text, shape));
    match ty {
        Type::Bool => cell.is_boolean(),
        Type::Int => cell.is_i64() || cell.is_u64(),
        Type::Float => cell.is_number() || matches!(cell.as_str(), Some("NaN" | "Infinity" | "-Infinity")),
        Type::Decimal => cell.as_str().is_some_and(|text| text.parse::<f64>().is_ok()),
        Type::Date => text("####-##-##") && cell.as_str().is_some_and(|text| text.len() == 10),
        Type::Time => text("##:##:##"),
        Type::Timestamp => text("####-##-##T##:##:##"),
        Type::Text | Type::Json => cell.is_string(),
    }
}

/// Whether a text begins as the shape says, where `#` is a digit.
fn is_shaped(text: &str, shape: &str) -> bool {
    let same = |(byte, wanted): (u8, u8)| if wanted == b'#' { byte.is_ascii_digit() } else { byte == wanted };
    text.len() >= shape.len() && text.bytes().zip(shape.bytes()).all(same)
}

#[cfg(test)]
mod tests {
    use base::Hash;
    use serde_json::json;

    use super::*;

    fn read(claim: Value) -> Value {
        let files = [OutFile { path: "figure-1.png".into(), bytes: 1, sha256: Hash::of(b"") }];
        serde_json::to_value(Returned::read(claim, &files)).expect("plain data")
    }

    #[test]
    fn a_claim_that_holds_is_passed_on() {
        let table = json!({ "columns": [{ "name": "a", "type": "float" }, { "name": "d", "type": "date" }],
            "rows": [[1.5, "2026-01-31"], ["NaN", null]], "row_count": 9, "truncated": true });
        for claim in [
            json!({ "kind": "none" }),
            json!({ "kind": "scalar", "type": "int", "value": 3 }),
            json!({ "kind": "scalar", "type": "json", "value": { "a": [null, 1] } }),
            json!({ "kind": "scalar", "type": "text", "value": "x", "truncated": true }),
            json!({ "kind": "table", "table": table }),
            json!({ "kind": "figure", "path": "figure-1.png" }),
        ] {
            assert_eq!(read(claim.clone()), claim);
        }
        assert_eq!(read(Value::Null), json!({ "kind": "none" }));
        assert_eq!(read(json!({ "kind": "none", "problem": "trust me" })), json!({ "kind": "none" }));
    }

    #[test]
    fn a_claim_that_does_not_hold_is_no_result() {
        let table = |columns: Value, rows: Value, row_count: i64, truncated: bool| {
            json!({ "kind": "table",
                "table": { "columns": columns, "rows": rows, "row_count": row_count, "truncated": truncated } })
        };
        let one = json!([{ "name": "a", "type": "int" }]);
        let long = "x".repeat(TEXT_BYTES_MAX + 1);
        for claim in [
            json!(7),
            json!({ "kind": "shell" }),
            json!({ "kind": "scalar", "type": "int", "value": "3" }),
            json!({ "kind": "scalar", "type": "int", "value": null }),
            json!({ "kind": "scalar", "type": "text", "value": long }),
            json!({ "kind": "scalar", "type": "date", "value": "2026-01-31\u{1b}[2J" }),
            json!({ "kind": "figure", "path": "../figure-1.png" }),
            json!({ "kind": "file", "path": "/etc/passwd" }),
            json!({ "kind": "file", "path": "./figure-1.png" }),
            table(one.clone(), json!([[1, 2]]), 1, false),
            table(one.clone(), json!([["x"]]), 1, false),
            table(one.clone(), json!([[1]]), 0, false),
            table(one.clone(), json!([[1]]), 2, false),
            table(one.clone(), json!([[1]]), -1, false),
            table(one.clone(), json!(vec![[1]; ROWS_MAX + 1]), ROWS_MAX as i64 + 1, false),
            table(json!(vec![one[0].clone(); COLUMNS_MAX + 1]), json!([]), 0, false),
            table(json!([{ "name": long, "type": "int" }]), json!([]), 0, false),
        ] {
            let said = read(claim.clone());
            assert!(said["kind"] == "none" && said["problem"].is_string(), "{claim} was read as {said}");
        }
    }
}
