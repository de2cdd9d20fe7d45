//! How often something happened to a thing: `customers who ordered more than 5 times`, `patients who came in at least twice`.
//!
//! The times are rows of the table that the verb names, or of the only table that has many rows for one such thing.

use data::plan::Test;

use super::compare::with_having;
use super::{Parser, Steps};
use crate::draft::{Amount, Draft, Head, Target};
use crate::index::ThingId;
use crate::lexicon::Role;
use crate::score::Feature;

/// Verbs that say of a thing only that it happened again.
const CAME: &[&[&str]] = &[&["been", "in"], &["been", "here"], &["come", "in"], &["came", "in"], &["come", "back"]];

/// `ordered more than 5 times`, `came in at least twice`: a verb and a number of times.
pub fn times(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let [Head { target: Target::Thing(thing), .. }] = &draft.heads[..] else { return };
    if draft.is_open() || !draft.groups.is_empty() {
        return;
    }
    for (verb_end, rows) in verbs(parser, at, *thing) {
        // "Bought from us".
        let with_us = matches!(parser.word(verb_end), "from" | "with") && parser.word(verb_end + 1) == "us";
        for (end, test, amounts) in how_often(parser, if with_us { verb_end + 2 } else { verb_end }) {
            let head = Head::counted(rows);
            steps.push((end, with_having(draft, head, test, amounts, &[Feature::StemmedName])));
        }
    }
}

/// The rows that a verb speaks of, and where it ends.
fn verbs(parser: &Parser, at: usize, thing: ThingId) -> Vec<(usize, ThingId)> {
    let many = many_rows(parser, thing);
    let verb = &parser.tokens[at];
    let stem = |word: &str| parser.index.forms.stem(word);
    let named = |rows: &&ThingId| {
        let noun = parser.index.things[**rows].noun.rsplit(' ').next().unwrap_or_default().to_string();
        stem(&noun) == stem(&verb.fold) || *verb.singular == *noun
    };
    let own: Vec<(usize, ThingId)> = many.iter().filter(named).map(|rows| (at + 1, *rows)).collect();
    if !own.is_empty() {
        return own;
    }
    let came = parser.after_phrase(at, CAME);
    let link = parser.roles(at).find_map(|(end, role)| matches!(role, Role::Link | Role::Created).then_some(end));
    match (came.or(link), &many[..]) {
        (Some(end), [only]) => vec![(end, *only)],
        _ => Vec::new(),
    }
}

/// The things that one of these may have several of: rows of tables where its key repeats.
fn many_rows(parser: &Parser, thing: ThingId) -> Vec<ThingId> {
    let index = parser.index;
    let repeated = index.things[thing].keys.iter().filter(|key| !index.column(**key).unique);
    let rows = repeated.filter_map(|key| index.things.iter().position(|rows| rows.table == Some(key.table)));
    rows.filter(|rows| *rows != thing).collect()
}

/// `more than 5 times`, `at least twice`.
fn how_often(parser: &Parser, at: usize) -> Vec<(usize, Test, Vec<Amount>)> {
    let mut found = Vec::new();
    for (end, test, amounts) in parser.comparisons(at, false).iter().cloned() {
        let plain = amounts.iter().all(|amount| amount.unit.is_none() && !amount.money && !amount.percent);
        if plain && matches!(parser.word(end), "times" | "time") {
            found.push((end + 1, test, amounts));
        }
    }
    let only = matches!(parser.word(at), "only" | "just").then_some((at + 1, Role::Compare(Test::Eq)));
    for (end, role) in parser.roles(at).chain(only) {
        let Role::Compare(test) = role else { continue };
        let number = match parser.word(end) {
            "once" => 1.0,
            "twice" => 2.0,
            _ => continue,
        };
        found.push((end + 1, test, vec![Amount::bare(number)]));
    }
    found
}
