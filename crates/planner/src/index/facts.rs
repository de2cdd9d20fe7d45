//! What a column's name and profile say about it: its words without the unit, whether it is an identifier, two-valued,
//! or adds up over rows.

use base::{Cell, Type};
use data::dataset::ColumnInfo;

use super::Index;
use crate::lexicon::Unit;
use crate::words::split_name;

/// What planning needs to know of one column.
#[derive(Clone, Debug)]
pub struct Facts {
    /// All words of its name.
    pub words: Vec<String>,
    /// Its words without unit and without marks such as `is` and `flag`.
    pub core: Vec<String>,
    /// The verb behind a date: `resolved` of `resolved_at`; empty for other columns and for a bare `date`.
    pub event: Vec<String>,
    /// The cell that means yes, where a column has two values.
    pub yes: Option<Cell>,
    /// Whether its values name things rather than measure them.
    pub identifier: bool,
    /// Whether its values add up over rows.
    pub additive: bool,
    /// In what its numbers are measured.
    pub unit: Option<Unit>,
}

/// The facts of every column, table by table.
pub fn all(index: &Index) -> Vec<Vec<Facts>> {
    let tables = index.dataset.tables.iter();
    tables.map(|table| table.columns.iter().map(|column| facts(index, column)).collect()).collect()
}

fn facts(index: &Index, column: &ColumnInfo) -> Facts {
    let words = split_name(&column.name);
    let (unitless, named_unit) =
        if column.ty.is_number() { without_unit(index, &words) } else { (words.clone(), None) };
    let declared = column.unit.as_deref().and_then(|unit| index.lexicon.unit(&unit.to_lowercase())).cloned();
    let yes = yes(column);
    let core = if yes.is_some() { without_marks(&unitless) } else { unitless };
    let identifier = is_identifier(column, &words);
    let additive = column.ty.is_number()
        && !identifier
        && words
            .iter()
            .any(|word| index.lexicon.is_additive(word) || index.lexicon.is_additive(&index.forms.singular(word)));
    let event = if column.ty.is_temporal() { event(&words) } else { Vec::new() };
    Facts { event, yes, identifier, additive, unit: declared.or(named_unit), core, words }
}

/// Cuts the unit off the end of a name: `temperature_c`, `vibration_mm_s`, `Height (cm)`.
fn without_unit(index: &Index, words: &[String]) -> (Vec<String>, Option<Unit>) {
    for length in [2, 1] {
        if words.len() > length {
            let (core, end) = words.split_at(words.len() - length);
            if let Some(unit) = index.lexicon.unit(&end.join(" ")) {
                return (core.to_vec(), Some(unit.clone()));
            }
        }
    }
    (words.to_vec(), None)
}

fn without_marks(words: &[String]) -> Vec<String> {
    let mark = |word: &String| matches!(word.as_str(), "is" | "has" | "was" | "flag" | "flagged" | "indicator");
    let core: Vec<String> = words.iter().filter(|word| !mark(word)).cloned().collect();
    if core.is_empty() { words.to_vec() } else { core }
}

/// Bools, complete yes/no texts, and 0/1 numbers that are named like a question.
fn yes(column: &ColumnInfo) -> Option<Cell> {
    if column.ty == Type::Bool {
        return Some(Cell::Bool(true));
    }
    if column.ty == Type::Text && column.values_complete && matches!(column.values.len(), 1..=2) {
        let pairs = [("yes", "no"), ("y", "n"), ("true", "false")];
        let fits = |pair: &(&str, &str)| {
            let known = |value: &String| [pair.0, pair.1].contains(&value.to_lowercase().as_str());
            column.values.iter().all(known)
        };
        let pair = pairs.iter().find(|pair| fits(pair))?;
        let yes = column.values.iter().find(|value| value.to_lowercase() == pair.0)?;
        return Some(Cell::String(yes.clone()));
    }
    let words = split_name(&column.name);
    let named = words.iter().any(|word| matches!(word.as_str(), "is" | "has" | "flag"));
    let zero_one = column.min == Some(Cell::from(0)) && column.max == Some(Cell::from(1));
    (column.ty == Type::Int && named && zero_one).then(|| Cell::from(1))
}

fn is_identifier(column: &ColumnInfo, words: &[String]) -> bool {
    let named =
        words.last().is_some_and(|word| matches!(word.as_str(), "id" | "uuid" | "guid" | "sku" | "isbn" | "zip"));
    matches!(column.ty, Type::Int | Type::Text) && (named || column.noun.is_some())
}

fn event(words: &[String]) -> Vec<String> {
    let bare = |word: &String| {
        matches!(word.as_str(), "at" | "on" | "date" | "time" | "timestamp" | "datetime" | "day" | "of")
    };
    words.iter().filter(|word| !bare(word)).cloned().collect()
}
