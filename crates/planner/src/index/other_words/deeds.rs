//! Verbs for what the dataset records under another name: `brought back` for `returned_on`, `left` for `churn_date`.
//!
//! A verb that the dataset uses itself is not among them, and of the names that may record a verb the most usual that
//! the dataset has is meant.

use super::super::{Fit, Index, Sense};
use crate::tokens;

/// How many of the names for a deed are also said for one another.
const USUAL: usize = 2;

/// Adds every verb that is recorded as a date or as a two-valued column.
pub fn name(index: &Index, added: &mut Vec<(Vec<String>, Sense)>) {
    for verb in index.lexicon.verbs.iter() {
        let base: Vec<String> = verb.forms[0].split(' ').map(str::to_string).collect();
        let stem = tokens::phrase(&verb.forms[0], |word| index.forms.stem(word));
        if !index.names(&stem).is_empty() || base.iter().any(|word| index.is_in_a_name(word)) {
            continue;
        }
        let recorded = verb.recorded.iter().map(|word| senses(index, word)).find(|senses| !senses.is_empty());
        added.extend(recorded.into_iter().flatten().map(|sense| (base.clone(), sense)));
    }
    // "Sales" of what was sold on a day.
    for verb in index.lexicon.verbs.iter() {
        let usual = &verb.recorded[..verb.recorded.len().min(USUAL)];
        let own = usual.iter().chain(&verb.forms[..1]).map(|word| senses(index, word));
        let Some(senses) = own.into_iter().find(|senses| !senses.is_empty()) else { continue };
        let free = |word: &&String| {
            let stem = tokens::phrase(word, |word| index.forms.stem(word));
            index.names(&stem).iter().all(|entry| entry.fit == Fit::Part)
                && !word.contains(' ')
                && !index.is_value(word)
        };
        for word in usual.iter().filter(free) {
            added.extend(senses.iter().map(|sense| (vec![word.clone()], *sense)));
        }
    }
}

/// The dates and two-valued columns of a name.
fn senses(index: &Index, word: &str) -> Vec<Sense> {
    let stem = tokens::phrase(word, |word| index.forms.stem(word));
    let entries = index.names(&stem).iter();
    entries.map(|entry| entry.sense).filter(|sense| matches!(sense, Sense::Event(_) | Sense::Flag(_))).collect()
}
