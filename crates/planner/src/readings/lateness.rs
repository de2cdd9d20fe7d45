//! What is not over yet and what was late, by the dates of a row: `faults that are still open`, `hires that came back late`.
//!
//! A row that has begun and has no end is open. One whose end is after the day by which it was due was late. Both are said
//! with the answer, and only tables with one such date of each kind are read so.

use data::plan::Test;

use super::filters::add;
use super::{Parser, Steps};
use crate::draft::{Condition, Draft, Target};
use crate::index::ColId;
use crate::lexicon::Role;
use crate::score::Feature;

/// Words of dates by which something has to be done.
const DUE: &[&str] = &["due", "deadline", "promised", "expected", "scheduled", "planned", "target"];
/// Words of dates on which it was done.
const DONE: &[&str] = &[
    "returned",
    "return",
    "delivered",
    "delivery",
    "paid",
    "completed",
    "completion",
    "arrived",
    "arrival",
    "resolved",
    "finished",
    "closed",
    "submitted",
    "actual",
    "repaid",
];
/// Verbs that say what was done on such a date.
const DOING: &[&[&str]] = &[
    &["came", "back"],
    &["come", "back"],
    &["brought", "back"],
    &["returned"],
    &["delivered"],
    &["arrived"],
    &["arrive"],
    &["paid"],
    &["completed"],
    &["finished"],
    &["resolved"],
    &["were"],
    &["was"],
    &["are"],
    &["is"],
];

/// `are still open`, `are ongoing`: rows that have begun and not ended.
pub fn still_open(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let start = parser.role(at, Role::Still).unwrap_or(at);
    let said = matches!(parser.word(start), "open" | "ongoing" | "unfinished" | "running" | "outstanding");
    let Some(table) = table_of_head(parser, draft).filter(|_| said && !parser.mentions.is_data(start)) else { return };
    let index = parser.index;
    let open = |id: &ColId| index.column(*id).nulls > 0;
    let Some(interval) = index.intervals.iter().find(|one| one.start.table == table && open(&one.end)) else { return };
    let mut next = add(draft, Condition::Missing(vec![interval.end]), &[Feature::ImpliedColumn]);
    next.assume("open", format!("open = without {}", index.column(interval.end).name));
    steps.push((start + 1, next));
}

/// `came back late`, `were delivered on time`: the day it was done against the day by which it was due.
pub fn late(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let Some(end) = parser.after_phrase(at, DOING) else { return };
    let (test, length) = match (parser.word(end), parser.word(end + 1)) {
        ("late", _) => (Test::Gt, 1),
        ("too", "late") => (Test::Gt, 2),
        ("on", "time") => (Test::Le, 2),
        _ => return,
    };
    let Some(table) = table_of_head(parser, draft).filter(|_| !draft.is_open()) else { return };
    let Some((done, due)) = done_and_due(parser, table) else { return };
    let index = parser.index;
    let condition = Condition::Columns { left: vec![done], test, right: vec![due] };
    let mut next = add(draft, condition, &[Feature::ImpliedColumn]);
    let (done, due) = (&index.column(done).name, &index.column(due).name);
    next.assume("late", format!("late = {done} after {due}; what is not done yet does not count"));
    steps.push((end + length, Draft { predicate: true, ..next }));
}

/// The only date of a table on which something was done, and the only one by which it was due.
pub(super) fn done_and_due(parser: &Parser, table: usize) -> Option<(ColId, ColId)> {
    let index = parser.index;
    let dates = |words: &[&str]| -> Vec<ColId> {
        let named = |id: &ColId| index.facts(*id).has_any(words);
        index.columns_of(table).filter(|id| index.column(*id).ty.is_temporal() && named(id)).collect()
    };
    let (due, done) = (dates(DUE), dates(DONE));
    let ([due], [done]) = (&due[..], &done[..]) else { return None };
    (due != done && index.column(*due).ty == index.column(*done).ty).then_some((*done, *due))
}

fn table_of_head(parser: &Parser, draft: &Draft) -> Option<usize> {
    match &draft.heads.first()?.target {
        Target::Thing(thing) => parser.index.things[*thing].table,
        _ => None,
    }
}
