//! What is said a second time: `the ER (emergency room)`, `rated above 7 by viewers`, `the 3 worst, worst first`.
//!
//! Each production passes words that repeat a condition or a ranking the draft already has, and only then: the same
//! words beside anything else would add something, and are left to the productions that know what.

use super::{Parser, Steps, features};
use crate::draft::{Columns, Condition, Draft, Filter, Head, Target};
use crate::lexicon::{Glue, Role};
use crate::mentions::{Mention, What};
use crate::score::Feature;

/// `the ER (emergency room)`: just after a cell, another spelling of the same one.
pub fn same_cell(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let Some(Filter { condition: Condition::Values { cells, .. }, .. }) = draft.filters.last() else { return };
    for mention in parser.mentions.at(at) {
        let What::Value(said) = &mention.what else { continue };
        let held = |column, text: &String| cells.iter().any(|(id, texts)| *id == column && texts.contains(text));
        let before = |earlier: &&Mention| match &earlier.what {
            What::Value(known) => known.iter().any(|cell| said.contains(cell)),
            _ => false,
        };
        let adjacent = ending(parser, at).any(|earlier| before(&earlier));
        if adjacent && said.iter().any(|(column, text)| held(*column, text)) {
            steps.push((mention.end, draft.clone()));
        }
    }
}

/// `sales revenue`: just after the name of what is asked for, another name of it.
pub fn same_number(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let Some(head) = draft.heads.last().filter(|_| !draft.is_open()) else { return };
    let number = |target: &Target| matches!(target, Target::Measure(_) | Target::Columns(_)) && *target == head.target;
    let adjacent = |start: usize| parser.targets_named(start).iter().any(|(end, target)| *end == at && number(target));
    if !(at.saturating_sub(2)..at).any(adjacent) {
        return;
    }
    for (end, target) in parser.targets_named(at) {
        if number(&target) {
            steps.push((end, draft.with(|next| next.features.push(Feature::OpenChoice))));
        }
    }
}

/// `rated above 7 by viewers`, `earns more than 90000 base`: the rest of the name of the number just compared.
pub fn compared_name(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let Some(compared) = just_compared(parser, at, draft) else { return };
    let start = if parser.word(at) == "by" { parser.skip_determiners(at + 1) } else { at };
    for mention in parser.mentions.at(start) {
        let rest = rest_of(mention, compared);
        if rest.is_empty() {
            continue;
        }
        let mut next = draft.clone();
        next.features.extend(features(mention));
        // Of two ratings, the one that viewers gave.
        if let Some(Filter { condition: Condition::Compare { columns, .. }, .. }) = next.filters.last_mut() {
            *columns = rest;
        }
        steps.push((mention.end, next));
    }
}

/// The columns of a comparison whose number stands just before a position.
pub(super) fn just_compared<'d>(parser: &Parser, at: usize, draft: &'d Draft) -> Option<&'d Columns> {
    let number = at.checked_sub(1).is_some_and(|before| parser.tokens[before].number().is_some());
    match draft.filters.last() {
        Some(Filter { condition: Condition::Compare { columns, .. }, .. }) if number => Some(columns),
        _ => None,
    }
}

/// Those of the columns that a mention names by less than their whole name.
pub(super) fn rest_of(mention: &Mention, columns: &Columns) -> Columns {
    match &mention.what {
        What::Columns(named) if mention.partial || mention.synonym => {
            columns.iter().copied().filter(|id| named.contains(id)).collect()
        }
        _ => Columns::new(),
    }
}

/// `the 3 worst rates, worst first`: the end that the ranking starts from anyway.
pub fn ranked_first(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let Some(rank) = draft.rank.as_ref().filter(|rank| !rank.open && !draft.heads.is_empty()) else { return };
    for mention in parser.mentions.at(at) {
        let same = match &mention.what {
            What::Role(Role::Extreme(dir) | Role::Amount(dir) | Role::Extent(dir)) => *dir == rank.dir,
            What::Role(Role::Top(_)) | What::Adjective(_) => repeats(parser, at, mention.end),
            _ => false,
        };
        if same && parser.word(mention.end) == "first" {
            steps.push((mention.end + 1, draft.clone()));
        }
    }
    if matches!(parser.word(at), "best" | "worst") && parser.word(at + 1) == "first" && repeats(parser, at, at + 1) {
        steps.push((at + 2, draft.clone()));
    }
}

/// Whether the words of a span have been said before it.
fn repeats(parser: &Parser, at: usize, end: usize) -> bool {
    let said = &parser.tokens[at..end];
    parser.tokens[..at].windows(said.len()).any(|span| span.iter().zip(said).all(|(a, b)| a.fold == b.fold))
}

/// `with 30 docks but no charger`, `in stock but not sold`: one more condition, set against the one before it.
pub fn but(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let conditioned = !draft.filters.is_empty() || !draft.having.is_empty();
    if parser.word(at) != "but" || draft.heads.is_empty() || !conditioned || draft.is_open() {
        return;
    }
    let denies = |(_, role)| matches!(role, Role::Lack | Role::Not | Role::Glue(Glue::Have | Glue::Relative));
    if parser.roles(at + 1).any(denies) {
        steps.push((at + 1, Draft { predicate: true, ..draft.clone() }));
    }
}

/// `sensors that were offline at least once`: things match by any of their rows anyway.
pub fn at_least_once(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let said = ["at", "least", "once"].iter().enumerate().all(|(i, word)| parser.word(at + i) == *word);
    let things = matches!(&draft.heads[..], [Head { target: Target::Thing(_), .. }]) && draft.having.is_empty();
    let states =
        |filter: &Filter| !filter.negated && matches!(filter.condition, Condition::Values { .. } | Condition::Flag(_));
    if said && things && draft.rank.is_none() && draft.filters.last().is_some_and(states) {
        steps.push((at + 3, draft.clone()));
    }
}

/// The mentions that end where a position starts.
fn ending<'p>(parser: &'p Parser, at: usize) -> impl Iterator<Item = &'p Mention> {
    const WORDS_MAX: usize = 6;
    let starts = at.saturating_sub(WORDS_MAX)..at;
    starts.flat_map(|start| parser.mentions.at(start)).filter(move |mention| mention.end == at)
}
