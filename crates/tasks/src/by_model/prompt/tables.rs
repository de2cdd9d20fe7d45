//! The tables as a model is told of them, within the room that its context has.
//!
//! What does not fit is cut step by step, and each cut is said: first only the columns that the question names are
//! described, the others named; then some of those are only counted; at last whole tables are.

use std::collections::BTreeMap;
use std::fmt::Write;

use base::Type;
use data::Dataset;
use data::dataset::{ColumnInfo, TableInfo};

use super::{cell, quoted};
use crate::by_model::sample::is_personal;

/// Columns that are described in full; of wider tables the others are only named.
pub const COLUMNS_DESCRIBED_MAX: usize = 60;
/// From here on a small model is described in full only what the question names.
const COLUMNS_WIDE: usize = 8;
const VALUES_SHOWN_MAX: usize = 8;
/// What a table is told in at least, so that a few names of each are there.
const TABLE_CHARACTERS_MIN: usize = 200;

/// The tables in at most so many characters. Where only what the question names is wanted, a wide table's other columns are
/// only named, also where there is room.
pub fn described(dataset: &Dataset, question: &str, only_named: bool, room: usize) -> String {
    let question = folded(question);
    let is_named = |column: &ColumnInfo| question.contains(&folded(&column.name));
    let wide = |table: &TableInfo| table.columns.len() > COLUMNS_WIDE && table.columns.iter().any(is_named);
    let links = links(dataset);
    let told = |full: &dyn Fn(usize, &ColumnInfo, &TableInfo) -> bool| {
        dataset.tables.iter().map(|table| of_table(table, |at, column| full(at, column, table))).collect::<String>()
    };
    let usual =
        told(&|at, column, table| is_named(column) || at < COLUMNS_DESCRIBED_MAX && !(only_named && wide(table)))
            + &links;
    if usual.chars().count() <= room {
        return usual;
    }
    let named = told(&|_, column, _| is_named(column)) + &links;
    if named.chars().count() <= room {
        return named;
    }
    counted(dataset, &is_named, room)
}

fn links(dataset: &Dataset) -> String {
    let mut text = String::new();
    for relation in &dataset.relations {
        let _ = writeln!(
            text,
            "Each {} of {} is one of {} of {}",
            quoted(&relation.from_column),
            relation.from_table,
            quoted(&relation.to_column),
            relation.to_table
        );
    }
    text
}

fn heading(table: &TableInfo) -> String {
    format!("Table {} with {} rows:\n", table.name, table.rows)
}

/// A table with some columns in full and the others by name.
fn of_table(table: &TableInfo, is_full: impl Fn(usize, &ColumnInfo) -> bool) -> String {
    let (full, others): (Vec<(usize, &ColumnInfo)>, Vec<_>) =
        table.columns.iter().enumerate().partition(|(at, column)| is_full(*at, column));
    let mut text = heading(table);
    for (_, column) in full {
        let _ = writeln!(text, "- {}", of_column(column, table));
    }
    let others: Vec<String> = others.iter().map(|(_, column)| quoted(&column.name)).collect();
    if !others.is_empty() {
        let _ = writeln!(text, "- and {}", others.join(", "));
    }
    text
}

/// As many tables and names as there is room for, those that the question names first; the rest by number.
fn counted(dataset: &Dataset, is_named: &dyn Fn(&ColumnInfo) -> bool, room: usize) -> String {
    let share = (room / dataset.tables.len().max(1)).max(TABLE_CHARACTERS_MIN);
    let (mut text, mut used) = (String::new(), 0);
    for (at, table) in dataset.tables.iter().enumerate() {
        if at > 0 && used + share > room.max(share) {
            let _ =
                writeln!(text, "{} more tables are there; there is no room to show them", dataset.tables.len() - at);
            break;
        }
        let told = of_table_within(table, is_named, share);
        used += told.chars().count();
        text.push_str(&told);
    }
    text
}

fn of_table_within(table: &TableInfo, is_named: &dyn Fn(&ColumnInfo) -> bool, room: usize) -> String {
    let mut text = heading(table);
    let mut used = text.chars().count();
    let mut takes = |part: &str, room: usize| {
        let fits = used + part.chars().count() <= room;
        used += if fits { part.chars().count() } else { 0 };
        fits
    };
    let (named, others): (Vec<&ColumnInfo>, Vec<&ColumnInfo>) = table.columns.iter().partition(|one| is_named(one));
    let mut left_out: Vec<&ColumnInfo> = Vec::new();
    for column in named {
        let line = format!("- {}\n", of_column(column, table));
        if takes(&line, room / 2) { text.push_str(&line) } else { left_out.push(column) }
    }
    let mut names: Vec<String> = Vec::new();
    left_out.extend(others);
    left_out.retain(|column| {
        let name = quoted(&column.name) + ", ";
        let fits = takes(&name, room);
        if fits {
            names.push(quoted(&column.name));
        }
        !fits
    });
    if !names.is_empty() {
        let _ = writeln!(text, "- and {}", names.join(", "));
    }
    let mut types: BTreeMap<&str, usize> = BTreeMap::new();
    left_out.iter().for_each(|column| *types.entry(dtype(column.ty)).or_default() += 1);
    if !left_out.is_empty() {
        let types: Vec<String> = types.iter().map(|(ty, count)| format!("{count} {ty}")).collect();
        let _ = writeln!(
            text,
            "- and {} more columns, not named here for want of room: {}",
            left_out.len(),
            types.join(", ")
        );
    }
    text
}

/// Letters and digits, in lower case.
pub fn folded(text: &str) -> String {
    text.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn of_column(column: &ColumnInfo, table: &TableInfo) -> String {
    let mut text = format!("{} {}", quoted(&column.name), dtype(column.ty));
    if let Some(unit) = &column.unit {
        let _ = write!(text, " in {}", quoted(unit));
    }
    if column.nulls > 0 {
        let _ = write!(text, ", {} null", column.nulls);
    }
    if column.unique {
        text.push_str(", unique");
    }
    match (&column.min, &column.max) {
        _ if is_personal(column, table) => {}
        (Some(min), Some(max)) if column.ty != Type::Text => {
            let _ = write!(text, ", {} to {}", cell(min), cell(max));
        }
        _ if !column.values.is_empty() && !column.unique => {
            let some: Vec<String> = column.values.iter().take(VALUES_SHOWN_MAX).map(|value| quoted(value)).collect();
            let more = if column.values_complete && column.values.len() <= VALUES_SHOWN_MAX { "" } else { ", …" };
            let _ = write!(text, ", values {}{more}", some.join(", "));
        }
        _ => {}
    }
    if let Some(stock) = &column.stock {
        let (of, time) = (per(&stock.entity), quoted(&stock.time));
        let _ = write!(text, ", a stock{of} at each {time}: add it up only within one {time}");
    }
    if let Some(running) = &column.running {
        let (of, time) = (per(&running.entity), quoted(&running.time));
        let _ = write!(text, ", a running total{of} over {time}: never add it up");
    }
    if !column.description.is_empty() {
        let _ = write!(text, "; {}", quoted(&column.description));
    }
    text
}

fn per(entity: &[String]) -> String {
    let names: Vec<String> = entity.iter().map(|name| quoted(name)).collect();
    if names.is_empty() { String::new() } else { format!(" per {}", names.join(" and ")) }
}

/// A type as a model is told it.
pub fn dtype(ty: Type) -> &'static str {
    match ty {
        Type::Decimal => "decimal number",
        other => other.as_str(),
    }
}
