//! Rows of a kind: `at least 50 rated tickets` is a number of rows that have a rating; `for free` says that a price is 0.

use data::plan::Test;

use super::{Parser, Steps, features, filters};
use crate::draft::{Amount, Columns, Condition, Draft, Filter, Having, Head, Target, Zone};
use crate::index::{ColId, ThingId};
use crate::mentions::{Mention, What};
use crate::score::Feature;
use crate::words::is_be;

/// How many words may say of what kind the rows are.
const KINDS_MAX: usize = 3;

/// What is said of rows that are counted, and where their noun ends.
struct Kind {
    end: usize,
    rows: ThingId,
    filters: Vec<Filter>,
    features: Vec<Feature>,
}

/// `agents with at least 50 rated tickets`, `homes with more than 15 estimated readings`.
pub fn counted(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    if draft.heads.is_empty() || draft.is_open() {
        return;
    }
    for (end, test, amounts) in parser.comparisons(at, false).iter().cloned() {
        if !amounts.iter().all(is_plain) {
            continue;
        }
        for kind in kinds(parser, end, &Draft::default(), KINDS_MAX) {
            let asked = |head: &Head| head.target == Target::Thing(kind.rows);
            if draft.heads.iter().any(asked) {
                continue;
            }
            let next = draft.with(|next| {
                next.features.extend_from_slice(&kind.features);
                let head = Head::counted(kind.rows);
                next.having.push(Having { head, kind: kind.filters.clone(), test, amounts: amounts.clone() });
            });
            steps.push((kind.end, next));
        }
    }
}

fn is_plain(amount: &Amount) -> bool {
    amount.unit.is_none() && !amount.money && !amount.percent
}

/// Conditions one after the other, and then the noun of the rows whose own columns they are about.
fn kinds(parser: &Parser, at: usize, said: &Draft, more: usize) -> Vec<Kind> {
    let mut found = Vec::new();
    if more == 0 || at >= parser.tokens.len() {
        return found;
    }
    let mut steps = Steps::new();
    for production in [filters::value, filters::flag, filters::negative_prefix, filled] {
        production(parser, at, said, &mut steps);
    }
    steps.retain(|(_, next)| next.filters.len() == said.filters.len() + 1 && next.groups.is_empty());
    for (end, next) in steps {
        let own = |thing: &ThingId| {
            let table = parser.index.things[*thing].table;
            table.is_some_and(|table| next.filters.iter().all(|filter| is_about(&filter.condition, table)))
        };
        for mention in parser.mentions.at(end) {
            let What::Thing(rows) = mention.what else { continue };
            if own(&rows) {
                let features = next.features.iter().copied().chain(features(mention)).collect();
                found.push(Kind { end: mention.end, rows, filters: next.filters.clone(), features });
            }
        }
        found.extend(kinds(parser, end, &next, more - 1));
    }
    found
}

fn is_about(condition: &Condition, table: usize) -> bool {
    match condition {
        Condition::Values { cells, .. } => cells.iter().any(|(column, _)| column.table == table),
        Condition::Flag(columns) | Condition::Empty(columns) | Condition::Missing(columns) => {
            columns.iter().any(|column| column.table == table)
        }
        _ => false,
    }
}

/// `rated` before a noun: those that have a rating, where not all do.
fn filled(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    for mention in parser.mentions.at(at) {
        let What::Columns(columns) = &mention.what else { continue };
        let missing = |id: &ColId| parser.index.column(*id).nulls > 0;
        if is_participle(parser, mention)
            && columns.iter().all(|id| missing(id) && parser.index.column(*id).ty.is_number())
        {
            let condition = Condition::Missing(columns.clone());
            let mut next = filters::add(draft, condition, &features(mention));
            let last = next.filters.last_mut().expect("a filter was just added");
            (last.negated, last.zone) = (true, Zone::Predicate);
            steps.push((mention.end, next));
        }
    }
}

/// `tickets that were rated`, `rated tickets`: those that have a rating, where not all do.
pub fn rated(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let passive = is_be(parser.before(at)) && !draft.heads.is_empty();
    // "How much power was generated" asks for what the verb names.
    let rows = draft.heads.iter().all(|head| head.target.is_rows());
    let mut found = Steps::new();
    if rows {
        filled(parser, at, draft, &mut found);
    }
    for (end, mut next) in found {
        let noun = parser.mentions.at(end).iter().any(|mention| matches!(mention.what, What::Thing(_)));
        let described = noun && draft.heads.is_empty() && !passive;
        // "Were rated 5" says how.
        let bare = parser.comparisons(end, true).is_empty();
        if (described || passive && !draft.is_open()) && bare {
            if let Some(filter) = next.filters.last_mut() {
                filter.zone = draft.zone();
            }
            steps.push((end, next));
        }
    }
}

fn is_participle(parser: &Parser, mention: &Mention) -> bool {
    (mention.stemmed || mention.synonym) && parser.word(mention.end - 1).ends_with("ed")
}

/// Whether a name after a number says what kind of rows are counted and not what the number is compared with: a
/// participle before their noun, or another word for a column none of whose numbers comes near.
pub fn says_a_kind(parser: &Parser, mention: &Mention, columns: &Columns, amounts: &[Amount]) -> bool {
    if !amounts.iter().all(is_plain) {
        return false;
    }
    let rows = |next: &Mention| matches!(next.what, What::Thing(_));
    let before_noun = is_participle(parser, mention) && parser.mentions.at(mention.end).iter().any(rows);
    before_noun
        || mention.synonym && columns.iter().all(|id| amounts.iter().all(|amount| is_beyond(parser, *id, amount)))
}

/// Whether a number lies outside of all that a column holds.
fn is_beyond(parser: &Parser, id: ColId, amount: &Amount) -> bool {
    let info = parser.index.column(id);
    let bound = |cell: &Option<base::Cell>| cell.as_ref().and_then(crate::build::number_of);
    let (Some(least), Some(most)) = (bound(&info.min), bound(&info.max)) else { return false };
    parser.index.facts(id).scale <= 1.0 && !(least..=most).contains(&amount.number)
}

/// `lent for free`, `the free ones`: the only price there is, where some of them are 0.
pub fn free(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let said = match parser.word(at) {
        "free" if parser.word(at + 1) == "of" => (parser.word(at + 2) == "charge").then_some(at + 3),
        "free" if parser.word(at + 1) == "ones" => Some(at + 2),
        "free" if parser.mentions.at(at + 1).iter().any(|next| matches!(next.what, What::Thing(_))) => Some(at + 1),
        "for" if parser.word(at + 1) == "free" => Some(at + 2),
        _ => None,
    };
    let Some(end) = said.filter(|_| !parser.mentions.is_data(at) && !draft.is_open()) else { return };
    let index = parser.index;
    let named = |word: &String| matches!(word.as_str(), "fee" | "price" | "fare" | "cost" | "charge");
    let priced = |id: &ColId| {
        let least = index.column(*id).min.as_ref().and_then(crate::build::number_of);
        index.column(*id).ty.is_number() && index.facts(*id).words.iter().any(named) && least.is_some()
    };
    let columns: Columns = index.columns().filter(priced).collect();
    let [column] = columns[..] else { return };
    if index.column(column).min.as_ref().and_then(crate::build::number_of) == Some(0.0) {
        let zero = Amount::bare(0.0);
        let condition = Condition::Compare { columns, test: Test::Eq, amounts: vec![zero], implied: true };
        steps.push((end, filters::add(draft, condition, &[Feature::ImpliedColumn, Feature::OpenChoice])));
    }
}
