//! Tables of questions to learn from, as the planner sees the prepared tables of the same cells.

use std::collections::{HashMap, HashSet};

use base::{Cell, Hash, Type};
use data::Dataset;
use data::dataset::{ColumnInfo, TableInfo};

/// A dataset of one table with these headers and rows of texts.
pub fn dataset(id: &str, headers: &[String], rows: &[Vec<String>]) -> Dataset {
    let types: Vec<Type> = (0..headers.len()).map(|at| kind(rows.iter().map(|row| row[at].trim()))).collect();
    let cells: Vec<Vec<Cell>> =
        rows.iter().map(|row| row.iter().zip(&types).map(|(text, ty)| cell(text.trim(), *ty)).collect()).collect();
    let columns =
        names(headers).into_iter().enumerate().map(|(at, name)| column(name, types[at], at, &cells)).collect();
    let table = TableInfo {
        name: "t".to_string(),
        description: String::new(),
        noun: None,
        synonyms: Vec::new(),
        rows: rows.len() as u64,
        columns,
        cells,
    };
    Dataset {
        id: id.to_string(),
        version: Hash::of(id.as_bytes()),
        description: String::new(),
        tables: vec![table],
        relations: Vec::new(),
        measures: Vec::new(),
        questions: Vec::new(),
    }
}

/// Every name once.
fn names(headers: &[String]) -> Vec<String> {
    let mut taken = HashSet::new();
    let fresh = |(at, header): (usize, &String)| {
        let name = if header.is_empty() { format!("column_{}", at + 1) } else { header.clone() };
        let free = taken.insert(name.to_lowercase());
        if free { name } else { format!("{name}_{}", at + 1) }
    };
    headers.iter().enumerate().map(fresh).collect()
}

fn kind<'c>(cells: impl Iterator<Item = &'c str>) -> Type {
    let mut found = None;
    for text in cells.filter(|text| !text.is_empty()) {
        let digits = text.strip_prefix('-').unwrap_or(text);
        let whole = digits.bytes().all(|byte| byte.is_ascii_digit()) && (digits == "0" || !digits.starts_with('0'));
        let point = digits.split_once('.').is_some_and(|(whole, rest)| {
            let plain = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
            plain(whole) && plain(rest) && digits.len() > 1
        });
        found = match (whole && !digits.is_empty(), point, found) {
            (true, _, None | Some(Type::Int)) => Some(Type::Int),
            (true, _, Some(Type::Float)) | (_, true, _) => Some(Type::Float),
            _ => return Type::Text,
        };
    }
    found.unwrap_or(Type::Text)
}

fn cell(text: &str, ty: Type) -> Cell {
    match ty {
        _ if text.is_empty() => Cell::Null,
        Type::Int => text.parse::<i64>().map_or_else(|_| Cell::from(text), Cell::from),
        Type::Float => text.parse::<f64>().map_or_else(|_| Cell::from(text), Cell::from),
        _ => Cell::from(text),
    }
}

fn column(name: String, ty: Type, at: usize, rows: &[Vec<Cell>]) -> ColumnInfo {
    let filled: Vec<&Cell> = rows.iter().map(|row| &row[at]).filter(|cell| !cell.is_null()).collect();
    let mut counts: HashMap<String, usize> = HashMap::new();
    for cell in &filled {
        *counts.entry(cell.to_string()).or_default() += 1;
    }
    let mut values: Vec<(String, usize)> = match ty {
        Type::Text => filled.iter().filter_map(|cell| cell.as_str()).map(|text| (text.to_string(), 0)).collect(),
        _ => Vec::new(),
    };
    for (text, count) in &mut values {
        *count = counts.get(&Cell::from(text.as_str()).to_string()).copied().unwrap_or(0);
    }
    values.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    values.dedup();
    let least = |order: fn(&f64, &f64) -> bool| {
        let numbers = filled.iter().filter_map(|cell| Some((cell.as_f64()?, *cell)));
        numbers.reduce(|a, b| if order(&b.0, &a.0) { b } else { a }).map(|(_, cell)| cell.clone())
    };
    ColumnInfo {
        name,
        ty,
        description: String::new(),
        synonyms: Vec::new(),
        noun: None,
        unit: None,
        nulls: (rows.len() - filled.len()) as u64,
        distinct: counts.len() as u64,
        unique: !rows.is_empty() && counts.len() == rows.len(),
        min: least(|a, b| a < b),
        max: least(|a, b| a > b),
        values: values.into_iter().map(|(text, _)| text).collect(),
        values_complete: ty == Type::Text && !filled.is_empty(),
        running: None,
        stock: None,
        repeats_within: None,
    }
}
