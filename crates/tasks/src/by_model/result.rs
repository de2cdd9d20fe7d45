//! What code gave, as a table that may be shown, and one sentence about it. Every figure is a cell of the table.

use base::{Cell, Column, Table, Type};
use data::figures::{grouped, number, rounded};
use sandbox::Returned;
use serde_json::Value;

/// Columns of a result that one sentence names.
const NAMED_MAX: usize = 6;
/// Rows that a model is shown of its own result.
const SHOWN_MAX: usize = 20;
const CELL_CHARACTERS_MAX: usize = 80;
/// Behind the point, in a sentence.
const DIGITS_MAX: usize = 4;

/// The value of a program's last expression as a table, or why it is none.
pub fn of_program(returned: Returned) -> Result<Table, String> {
    let table = match returned {
        Returned::Table { table } => table,
        Returned::Scalar { ty: Type::Json, value: Value::Object(fields), .. } => {
            if let Some((name, _)) = fields.iter().find(|(_, value)| value.is_object() || value.is_array()) {
                return Err(format!("`{name}` of the result is several values; give single ones, or a DataFrame"));
            }
            if let Some((name, _)) = fields.iter().find(|(_, value)| is_nothing(value)) {
                return Err(format!("`{name}` of the result is empty or no number"));
            }
            row_of(fields.into_iter().collect())
        }
        Returned::Scalar { ty: Type::Json, value: Value::Array(items), .. } if is_records(&items) => records(items),
        Returned::Scalar { ty: Type::Json, value: Value::Array(items), .. } => {
            let items = items.into_iter().map(|item| vec![plain(&item)]).collect::<Vec<_>>();
            let ty = type_of(items.iter().map(|row| &row[0]));
            whole(vec![Column { name: "value".into(), ty }], items)
        }
        Returned::Scalar { ty, value, truncated: false } => {
            whole(vec![Column { name: "result".into(), ty }], vec![vec![value]])
        }
        Returned::Scalar { .. } => return Err("the result is a text that is too long to show".to_string()),
        Returned::Figure { .. } | Returned::File { .. } => {
            return Err(
                "the last expression is a picture or a file; make it the table or the number itself".to_string()
            );
        }
        Returned::None { problem } => {
            let why = problem.map(|problem| format!(": {problem}")).unwrap_or_default();
            return Err(format!("the last line is no expression with a value{why}; end with the result itself"));
        }
    };
    acceptable(table)
}

/// A result that may be an answer: it has cells, and not all of them are empty.
pub fn acceptable(table: Table) -> Result<Table, String> {
    if table.columns.is_empty() {
        return Err("the result has no columns".to_string());
    }
    if table.rows.is_empty() {
        return Err("the result has no rows: look at the exact values and types of the columns".to_string());
    }
    if table.rows.iter().flatten().all(is_nothing) {
        return Err("every cell of the result is empty or no number".to_string());
    }
    Ok(table)
}

fn is_nothing(cell: &Cell) -> bool {
    cell.is_null() || matches!(cell.as_str(), Some("NaN" | "Infinity" | "-Infinity"))
}

/// Whether a list is a table whose rows name their cells, as `to_dict("records")` makes it.
fn is_records(items: &[Value]) -> bool {
    let names = |item: &Value| item.as_object().map(|fields| fields.keys().cloned().collect::<Vec<_>>());
    let first = items.first().and_then(names).filter(|names| !names.is_empty());
    first.is_some() && items.iter().all(|item| names(item) == first)
}

fn records(items: Vec<Value>) -> Table {
    let names: Vec<String> =
        items.first().and_then(Value::as_object).map(|fields| fields.keys().cloned().collect()).unwrap_or_default();
    let cells = |item: &Value| names.iter().map(|name| plain(&item[name.as_str()])).collect::<Vec<Cell>>();
    let rows: Vec<Vec<Cell>> = items.iter().map(cells).collect();
    let column =
        |(at, name): (usize, &String)| Column { name: name.clone(), ty: type_of(rows.iter().map(|row| &row[at])) };
    let columns = names.iter().enumerate().map(column).collect();
    whole(columns, rows)
}

fn row_of(fields: Vec<(String, Value)>) -> Table {
    let cells: Vec<Cell> = fields.iter().map(|(_, value)| plain(value)).collect();
    let column = |(at, (name, _)): (usize, &(String, Value))| Column { name: name.clone(), ty: type_of([&cells[at]]) };
    let columns = fields.iter().enumerate().map(column).collect();
    whole(columns, vec![cells])
}

fn whole(columns: Vec<Column>, rows: Vec<Vec<Cell>>) -> Table {
    let row_count = rows.len() as u64;
    Table { columns, rows, row_count, truncated: false }
}

/// What is nested becomes its text.
fn plain(value: &Value) -> Cell {
    match value {
        Value::Array(_) | Value::Object(_) => Value::String(value.to_string()),
        other => other.clone(),
    }
}

fn type_of<'a>(cells: impl IntoIterator<Item = &'a Cell>) -> Type {
    let mut found: Option<Type> = None;
    for cell in cells {
        let ty = match cell {
            Value::Null => continue,
            Value::Bool(_) => Type::Bool,
            Value::Number(number) if number.is_f64() => Type::Float,
            Value::Number(_) => Type::Int,
            _ => Type::Text,
        };
        found = Some(match found {
            None => ty,
            Some(before) if before == ty => ty,
            Some(Type::Int | Type::Float) if ty.is_number() => Type::Float,
            Some(_) => Type::Text,
        });
    }
    found.unwrap_or(Type::Text)
}

/// Says a result in one sentence.
pub fn tell(table: &Table) -> String {
    let Some(first) = table.rows.first() else { return "Nothing matches.".to_string() };
    if table.row_count > 1 {
        let names: Vec<String> = table.columns.iter().take(NAMED_MAX).map(|column| words(&column.name)).collect();
        return format!("{} rows of {}.", grouped(&table.row_count.to_string()), names.join(", "));
    }
    let parts = table.columns.iter().zip(first).take(NAMED_MAX);
    let parts: Vec<String> =
        parts.map(|(column, cell)| format!("{} is {}", words(&column.name), figure(cell, column.ty))).collect();
    let mut sentence = parts.join(", ");
    if let Some(letter) = sentence.get(..1).map(str::to_uppercase) {
        sentence.replace_range(..1, &letter);
    }
    sentence + "."
}

/// A result in a few words, to be set beside another.
pub fn brief(table: &Table) -> String {
    match (table.rows.first(), table.row_count) {
        (Some(row), 1) => {
            let cells = row.iter().zip(&table.columns).take(NAMED_MAX);
            cells.map(|(cell, column)| figure(cell, column.ty)).collect::<Vec<_>>().join(", ")
        }
        (_, rows) => format!("{rows} rows"),
    }
}

/// The first rows as text for a model.
pub fn shown(table: &Table) -> String {
    let names: Vec<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
    let mut lines = vec![names.join(" | ")];
    for row in table.rows.iter().take(SHOWN_MAX) {
        let cell = |cell: &Cell| {
            let text = cell.as_str().map_or_else(|| cell.to_string(), str::to_string);
            text.chars().take(CELL_CHARACTERS_MAX).collect::<String>()
        };
        lines.push(row.iter().map(cell).collect::<Vec<_>>().join(" | "));
    }
    if table.row_count > SHOWN_MAX as u64 {
        lines.push(format!("… {} rows in all", table.row_count));
    }
    lines.join("\n")
}

fn figure(cell: &Cell, ty: Type) -> String {
    match (cell, ty, number(cell)) {
        (Value::Null, ..) => "nothing".to_string(),
        (_, Type::Int, _) => {
            let text = cell.to_string();
            match text.strip_prefix('-') {
                Some(digits) => format!("-{}", grouped(digits)),
                None => grouped(&text),
            }
        }
        (_, Type::Float | Type::Decimal, Some(number)) => {
            let text = rounded(number, DIGITS_MAX);
            if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_string() } else { text }
        }
        _ => cell.as_str().map_or_else(|| cell.to_string(), str::to_string),
    }
}

fn words(name: &str) -> String {
    name.replace('_', " ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn told(returned: Value) -> String {
        let returned = serde_json::from_value(returned).expect("a result");
        of_program(returned).map_or_else(|why| format!("not: {why}"), |table| tell(&table))
    }

    #[test]
    fn what_code_gives_is_a_table_or_says_what_to_do() {
        assert_eq!(told(json!({ "kind": "scalar", "type": "int", "value": 12345 })), "Result is 12,345.");
        assert_eq!(
            told(json!({ "kind": "scalar", "type": "json", "value": { "mean_fare": 34.65, "n": 3 } })),
            "Mean fare is 34.65, n is 3."
        );
        let json = |value: Value| told(json!({ "kind": "scalar", "type": "json", "value": value }));
        assert_eq!(json(json!([{ "a": 1, "b": "x" }, { "a": 2, "b": "y" }])), "2 rows of a, b.");
        assert_eq!(json(json!({ "mean": null, "n": 3 })), "not: `mean` of the result is empty or no number");
        assert!(json(json!({ "mean": { "x": 1 } })).starts_with("not: `mean` of the result is several values"));
        assert!(told(json!({ "kind": "none" })).starts_with("not: the last line"));
        assert!(told(json!({ "kind": "scalar", "type": "float", "value": "NaN" })).starts_with("not: every cell"));
        let empty =
            json!({ "columns": [{ "name": "a", "type": "int" }], "rows": [], "row_count": 0, "truncated": false });
        assert!(told(json!({ "kind": "table", "table": empty })).starts_with("not: the result has no rows"));
    }

    #[test]
    fn several_values_of_one_kind_keep_it() {
        let cells = [json!(1), json!(2.5), Value::Null];
        assert_eq!(type_of(&cells), Type::Float);
        assert_eq!(type_of(&[json!(1), json!("x")]), Type::Text);
        assert_eq!(type_of(&[]), Type::Text);
    }
}
