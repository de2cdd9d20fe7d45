//! Rates and takings: `anomaly rate`, `cancellation rate`, `fee income`.

use base::Type;
use data::plan::Agg;

use super::{Parser, Steps};
use crate::draft::{Condition, Draft, Filter, Head, Target, Zone};
use crate::index::ColId;
use crate::lexicon::Role;
use crate::mentions::{Mention, What};
use crate::score::Feature;

/// `anomaly rate` where only the two-valued column is known: the share of rows that say yes.
pub fn flag_rate(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    for mention in parser.mentions.at(at) {
        let What::Flag(columns) = &mention.what else { continue };
        let Some(end) = parser.role(mention.end, Role::Rate) else { continue };
        let declared = |m: &Mention| m.end == end && matches!(m.what, What::Measure(_));
        if draft.pending.is_some() || parser.mentions.at(at).iter().any(declared) {
            continue;
        }
        // The average of a text is no share.
        if let [column] = columns[..]
            && parser.index.column(column).ty == Type::Text
        {
            let condition = Condition::Flag(columns.clone());
            let made = rate_of(parser, column, condition, draft);
            steps.extend(made.map(|next| (end, next.with(|next| next.features.extend(super::features(mention))))));
            continue;
        }
        let head = Head { agg: Some(Agg::Avg), ..Head::plain(Target::Flag(columns.clone())) };
        let mut next = draft.with(|next| next.features.extend(super::features(mention)));
        match &mut next.rank {
            Some(rank) if rank.open => {
                rank.open = false;
                rank.by = Some(head);
            }
            _ if next.heads.is_empty() => next.heads.push(head),
            _ => continue,
        }
        steps.push((end, next));
    }
}

/// The share of a table's rows that a condition on one of its columns holds for.
fn rate_of(parser: &Parser, column: ColId, condition: Condition, draft: &Draft) -> Option<Draft> {
    let rows = parser.index.rows_of(column.table)?;
    let free = draft.heads.is_empty() && draft.pending.is_none() && draft.rank.is_none() && !draft.share;
    free.then(|| {
        let mut next = draft.with(|next| {
            next.share = true;
            next.filters.push(Filter { condition, negated: false, zone: Zone::Predicate });
            next.heads.push(Head::counted(rows));
        });
        next.assume("rate", "the rate is the share of rows");
        next
    })
}

/// `the lowest cancellation rate`: things are ranked by the share of their rows.
fn ranked_rate(parser: &Parser, column: ColId, condition: Condition, draft: &Draft) -> Option<Draft> {
    let rows = parser.index.rows_of(column.table)?;
    let open = draft.rank.as_ref().is_some_and(|rank| rank.open && rank.by.is_none());
    if !open || draft.heads.len() != 1 || draft.pending.is_some() || draft.share {
        return None;
    }
    let mut next = draft.with(|next| {
        next.share = true;
        next.share_from = next.filters.len();
        next.filters.push(Filter { condition, negated: false, zone: Zone::Predicate });
        if let Some(rank) = &mut next.rank {
            (rank.open, rank.by) = (false, Some(Head::counted(rows)));
        }
    });
    next.assume("rate", "the rate is the share of rows");
    Some(next)
}

/// `cancellation rate` where a cell says that something was cancelled.
pub fn value_rate(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    for mention in parser.mentions.at(at) {
        let What::Value(cells) = &mention.what else { continue };
        let (Some(end), [(column, text)]) = (parser.role(mention.end, Role::Rate), &cells[..]) else { continue };
        let taken =
            |m: &Mention| m.end >= mention.end && matches!(m.what, What::Measure(_) | What::Flag(_) | What::Columns(_));
        let whole = |start: usize| parser.mentions.at(start).iter().any(|m| m.end == end && taken(m));
        if parser.mentions.at(at).iter().any(taken) || whole(at) {
            continue;
        }
        let condition = Condition::Values { cells: vec![(*column, vec![text.clone()])], all: false };
        if let Some(next) = ranked_rate(parser, *column, condition.clone(), draft) {
            steps.push((end, next.with(|next| next.features.extend(mention.synonym.then_some(Feature::LooseValue)))));
        }
        if let Some(mut next) = rate_of(parser, *column, condition, draft) {
            next.features.extend(mention.synonym.then_some(Feature::LooseValue));
            steps.push((end, next));
        }
    }
}

/// `pass rate` beside a cell `passed`, `deferral rate` beside a column `deferred`: the noun of what was done.
pub fn deed_rate(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let index = parser.index;
    let Some(end) = parser.role(at + 1, Role::Rate).filter(|_| !parser.mentions.is_data(at)) else { return };
    let mut found: Vec<(ColId, Condition)> = Vec::new();
    for done in participles(parser.word(at)) {
        let says = |id: &ColId| index.facts(*id).yes.is_some() && index.facts(*id).core == [done.as_str()];
        found.extend(index.columns().filter(says).map(|id| (id, Condition::Flag(vec![id]))));
        let cells = index.values(&done).into_iter();
        found.extend(cells.map(|(id, text)| (id, Condition::Values { cells: vec![(id, vec![text])], all: false })));
    }
    // Of those without a cell nobody knows whether they passed.
    found.retain(|(id, _)| index.column(*id).nulls == 0);
    let [(column, condition)] = &found[..] else { return };
    let made = ranked_rate(parser, *column, condition.clone(), draft)
        .or_else(|| rate_of(parser, *column, condition.clone(), draft));
    steps.extend(made.map(|next| (end, next.with(|next| next.features.push(Feature::LooseValue)))));
}

/// What was done, of a verb or of the noun for it: passed of a pass, dismissed of a dismissal.
fn participles(noun: &str) -> Vec<String> {
    let verb = ["ation", "ion", "al", "ment"].iter().find_map(|suffix| noun.strip_suffix(suffix));
    let verbs = std::iter::once(noun).chain(verb.filter(|verb| verb.len() > 2));
    verbs.flat_map(|verb| [format!("{verb}ed"), format!("{verb}d")]).collect()
}

/// `fee income`, `fare revenue`: what comes in by an amount of money is its sum.
pub fn takings(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let noun = matches!(
        parser.word(at),
        "income" | "revenue" | "takings" | "proceeds" | "receipts" | "earnings" | "sales" | "turnover"
    );
    let Some(Head { target: Target::Columns(columns), agg: None | Some(Agg::Sum), .. }) = draft.heads.last() else {
        return;
    };
    let money = |id: &ColId| {
        let facts = parser.index.facts(*id);
        facts.is_money()
            && facts
                .words
                .iter()
                .any(|word| matches!(word.as_str(), "fee" | "fare" | "charge" | "price" | "net" | "gross"))
    };
    let named = (0..at).any(|start| {
        let said = |m: &Mention| m.end == at && matches!(&m.what, What::Columns(ids) if ids == columns);
        parser.mentions.at(start).iter().any(said)
    });
    if noun && named && columns.iter().all(money) && !draft.is_open() {
        let mut next = draft.with(|next| next.heads.iter_mut().for_each(|head| head.agg = Some(Agg::Sum)));
        next.assume("aggregate", format!("`{}` is the sum", parser.tokens[at].text));
        steps.push((at + 1, next));
    }
}

/// `unpaid rate`: the share of rows where a two-valued column says no.
pub fn opposite_rate(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    for mention in parser.mentions.at(at) {
        let What::Opposite { flags, .. } = &mention.what else { continue };
        let (Some(end), [flag]) = (parser.role(mention.end, Role::Rate), &flags[..]) else { continue };
        let rows = parser.index.rows_of(flag.table);
        let free = draft.heads.is_empty() && draft.pending.is_none() && draft.rank.is_none() && !draft.share;
        if let (Some(rows), true) = (rows, free) {
            let condition = Condition::Flag(flags.clone());
            let next = draft.with(|next| {
                next.share = true;
                next.filters.push(Filter { condition, negated: true, zone: Zone::Predicate });
                next.heads.push(Head::counted(rows));
                next.assume("rate", "the rate is the share of rows");
            });
            steps.push((end, next));
        }
    }
}
