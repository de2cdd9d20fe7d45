//! Verbs for what the dataset records under another name: `brought back` for `returned_on`, `left` for `churn_date`.
//!
//! A verb that the dataset uses itself is not among them, and of the names that may record a verb the most usual that
//! the dataset has is meant.

use super::super::{Fit, Index, Sense};
use crate::lexicon::verbs::Recorded;

/// How many of the names for a deed are also said for one another.
const USUAL: usize = 2;

/// Adds every verb that is recorded as a date or as a two-valued column.
pub fn name(index: &Index, added: &mut Vec<(Vec<String>, Sense)>) {
    for verb in index.lexicon.verbs.iter() {
        let base = verb.forms[0].split(' ');
        if !index.names(&verb.stem).is_empty() || base.clone().any(|word| index.is_in_a_name(word)) {
            continue;
        }
        let recorded = verb.recorded.iter().find_map(|recorded| senses(index, &recorded.stem));
        let base: Vec<String> = base.map(str::to_string).collect();
        added.extend(recorded.into_iter().flatten().map(|sense| (base.clone(), sense)));
    }
    // "Sales" of what was sold on a day.
    for verb in index.lexicon.verbs.iter() {
        let usual = &verb.recorded[..verb.recorded.len().min(USUAL)];
        let mut stems = usual.iter().map(|recorded| &recorded.stem).chain([&verb.stem]);
        let Some(senses) = stems.find_map(|stem| senses(index, stem)) else { continue };
        let free = |recorded: &&Recorded| {
            index.names(&recorded.stem).iter().all(|entry| entry.fit == Fit::Part)
                && !recorded.word.contains(' ')
                && !index.is_value(recorded.word)
        };
        for recorded in usual.iter().filter(free) {
            added.extend(senses.iter().map(|sense| (vec![recorded.word.to_string()], *sense)));
        }
    }
}

/// The dates and two-valued columns of a name, if it has any.
fn senses(index: &Index, stem: &str) -> Option<Vec<Sense>> {
    let entries = index.names(stem).iter();
    let deeds = entries.map(|entry| entry.sense).filter(|sense| matches!(sense, Sense::Event(_) | Sense::Flag(_)));
    Some(deeds.collect()).filter(|deeds: &Vec<Sense>| !deeds.is_empty())
}
