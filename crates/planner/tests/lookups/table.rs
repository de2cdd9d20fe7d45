//! The table of a case file, as a prepared table of the same cells looks to the planner.

use base::{Cell, Hash, Type};
use data::Dataset;
use data::dataset::{ColumnInfo, TableInfo};

/// Reads `# name`, then a line of headers and lines of cells between bars.
pub fn read(text: &str) -> Dataset {
    let name = text.lines().find_map(|line| line.strip_prefix("# ")).expect("a name");
    let row = |line: &str| line.trim_matches('|').split('|').map(|cell| cell.trim().to_string()).collect::<Vec<_>>();
    let mut rows = text.lines().filter(|line| line.starts_with('|') && !line.starts_with("|-")).map(row);
    let headers = rows.next().expect("headers");
    let rows: Vec<Vec<String>> = rows.collect();
    let columns: Vec<ColumnInfo> = (0..headers.len()).map(|at| column(&headers[at], &rows, at)).collect();
    let cell = |(text, column): (&String, &ColumnInfo)| match column.ty {
        Type::Int => Cell::from(text.parse::<i64>().expect("a whole number")),
        _ => Cell::from(text.as_str()),
    };
    let cells = rows.iter().map(|row| row.iter().zip(&columns).map(cell).collect()).collect();
    let table = TableInfo {
        name: name.to_string(),
        description: String::new(),
        noun: None,
        synonyms: Vec::new(),
        rows: rows.len() as u64,
        columns,
        cells,
    };
    Dataset {
        id: name.to_string(),
        version: Hash::of(name.as_bytes()),
        description: String::new(),
        tables: vec![table],
        relations: Vec::new(),
        measures: Vec::new(),
        questions: Vec::new(),
    }
}

fn column(name: &str, rows: &[Vec<String>], at: usize) -> ColumnInfo {
    let mut values: Vec<String> = rows.iter().map(|row| row[at].clone()).collect();
    values.sort();
    values.dedup();
    let numbers: Vec<i64> = values.iter().filter_map(|text| text.parse().ok()).collect();
    let whole = numbers.len() == values.len();
    ColumnInfo {
        name: name.to_string(),
        ty: if whole { Type::Int } else { Type::Text },
        description: String::new(),
        synonyms: Vec::new(),
        noun: None,
        unit: None,
        nulls: 0,
        distinct: values.len() as u64,
        unique: values.len() == rows.len(),
        min: numbers.iter().min().filter(|_| whole).map(|number| Cell::from(*number)),
        max: numbers.iter().max().filter(|_| whole).map(|number| Cell::from(*number)),
        values_complete: !whole,
        running: None,
        stock: None,
        repeats_within: None,
        values: if whole { Vec::new() } else { values },
    }
}
