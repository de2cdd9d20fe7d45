//! Reading result tables and comparing them with what somebody else computed.

use serde_json::Value;

/// Two results agree when floats are within this, relative.
const TOLERANCE: f64 = 1e-9;

pub fn rows(table: &Value) -> Vec<Vec<Value>> {
    let rows = table["rows"].as_array().unwrap_or_else(|| panic!("no table: {table}"));
    rows.iter().map(|row| row.as_array().expect("a row is an array").clone()).collect()
}

pub fn column_names(table: &Value) -> Vec<String> {
    let columns = table["columns"].as_array().unwrap_or_else(|| panic!("no table: {table}"));
    columns.iter().map(|column| column["name"].as_str().expect("a name").to_string()).collect()
}

/// The cells of some columns, row by row.
pub fn chosen(table: &Value, names: &[String]) -> Vec<Vec<Value>> {
    let all = column_names(table);
    let index = |name: &String| all.iter().position(|one| one == name).unwrap_or_else(|| panic!("no column {name}"));
    let indexes: Vec<usize> = names.iter().map(index).collect();
    rows(table).iter().map(|row| indexes.iter().map(|index| row[*index].clone()).collect()).collect()
}

/// The columns an answer puts in focus.
pub fn focus(answer: &Value) -> Vec<String> {
    let names = answer["focus"].as_array().expect("an answer has a focus");
    names.iter().map(|name| name.as_str().expect("a name").to_string()).collect()
}

/// The columns of an answer that are context.
pub fn context(answer: &Value) -> Vec<String> {
    let focus = focus(answer);
    column_names(&answer["table"]).into_iter().filter(|name| !focus.contains(name)).collect()
}

/// Whether two lists of rows are equal, as lists or as multisets.
pub fn same_rows(found: &[Vec<Value>], expected: &[Vec<Value>], ordered: bool) -> bool {
    let same = |one: &Vec<Value>, other: &Vec<Value>| {
        one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same_cell(one, other))
    };
    if found.len() != expected.len() {
        return false;
    }
    if ordered {
        return found.iter().zip(expected).all(|(one, other)| same(one, other));
    }
    let mut left: Vec<&Vec<Value>> = found.iter().collect();
    expected.iter().all(|row| match left.iter().position(|one| same(one, row)) {
        Some(index) => {
            left.swap_remove(index);
            true
        }
        None => false,
    })
}

/// Numbers within the tolerance, decimals by their value, everything else exactly.
pub fn same_cell(one: &Value, other: &Value) -> bool {
    if one == other {
        return true;
    }
    let (Some(one), Some(other)) = (number(one), number(other)) else { return false };
    (one - other).abs() <= TOLERANCE * one.abs().max(other.abs())
}

fn number(cell: &Value) -> Option<f64> {
    cell.as_f64().or_else(|| cell.as_str()?.parse().ok())
}
