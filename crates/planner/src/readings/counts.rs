//! Rows counted without a noun for them: `how often was the cellar warmer than 8 degrees`, `which line gave the most
//! pressure alarms`, `how many SLA breaches`.

use data::plan::Agg;

use super::filters::add;
use super::{Parser, Steps, features};
use crate::draft::{Columns, Condition, Draft, Filter, Head, Pending, RankKind, Zone};
use crate::index::{ColId, ThingId};
use crate::lexicon::Role;
use crate::mentions::What;
use crate::score::Feature;
use crate::words::is_be;

/// `how often was the cellar warmer than 8 degrees`: the rows that say so, where every row is one of a table's.
pub fn how_often_was(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let said = parser.word(at) == "how" && parser.word(at + 1) == "often";
    let verb = is_be(parser.word(at + 2));
    let index = parser.index;
    let tables: Vec<ThingId> = (0..index.things.len()).filter(|thing| index.things[*thing].table.is_some()).collect();
    let ([rows], true) = (&tables[..], said && verb && draft.is_fresh()) else { return };
    let mut next = draft.with(|next| next.heads.push(Head::counted(*rows)));
    next.assume("often", format!("every {} that says so counts", index.things[*rows].noun));
    steps.push((at + 3, Draft { predicate: true, ..next }));
}

/// `which line gave the most pressure alarms`: the rows that have the cell, where no number says how many each stands for.
pub fn most_of_a_kind(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let amount = |draft: &Draft| {
        let rank = draft.rank.as_ref();
        rank.is_some_and(|rank| rank.open && rank.by.is_none() && rank.kind == RankKind::Amount)
    };
    if !amount(draft) || draft.heads.is_empty() || draft.pending.is_some() || draft.share {
        return;
    }
    let index = parser.index;
    for mention in parser.mentions.at(at) {
        let What::Value(cells) = &mention.what else { continue };
        let [(column, text)] = &cells[..] else { continue };
        let last = &parser.tokens[mention.end - 1];
        let several = last.fold != last.singular && !text.to_lowercase().ends_with(&last.fold);
        let adds_up = |id: &ColId| id.table == column.table && (index.facts(*id).adds_up());
        let Some(rows) =
            parser.index.rows_of(column.table).filter(|_| several && !index.columns().any(|id| adds_up(&id)))
        else {
            continue;
        };
        let condition = Condition::Values { cells: vec![(*column, vec![text.clone()])], all: false };
        let mut next = add(draft, condition, &features(mention));
        if let Some(rank) = &mut next.rank {
            (rank.by, rank.open) = (Some(Head::counted(rows)), false);
        }
        next.assume("counted", format!("rows of {} with `{text}` are counted", index.table(column.table).name));
        steps.push((mention.end, next));
    }
}

/// `SLA breaches last month`, `SLA breach rate`: the noun denies one word of a two-valued column.
pub fn breaches(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let noun = parser.tokens.get(at + 1).map_or("", |token| token.singular.as_str());
    let free = draft.heads.is_empty() && draft.rank.is_none() && !draft.share;
    if !free || !matches!(noun, "breach" | "violation" | "failure" | "miss") {
        return;
    }
    let columns: Columns = super::filters::denied_flags(parser, at);
    let [column] = columns[..] else { return };
    let Some(rows) = parser.index.rows_of(column.table) else { return };
    let rate = parser.role(at + 2, Role::Rate).filter(|_| draft.pending.is_none());
    let counting = matches!(draft.pending, Some(Pending::Agg(Agg::Count, None)));
    let plural = parser.tokens[at + 1].fold != noun;
    if rate.is_none() && !(counting || draft.pending.is_none() && plural) {
        return;
    }
    let zone = if rate.is_some() { Zone::Predicate } else { Zone::BeforeHead };
    let mut next = draft.with(|next| {
        next.pending = None;
        next.share = rate.is_some();
        next.filters.push(Filter { condition: Condition::Flag(columns), negated: true, zone });
        next.features.push(Feature::StemmedName);
        next.heads.push(Head::counted(rows));
    });
    if rate.is_some() {
        next.assume("rate", "the rate is the share of rows");
    }
    steps.push((rate.unwrap_or(at + 2), next));
}

/// `for how many tickets is the colour missing`: rows whose cell is not filled.
pub fn missing_for(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let counted = matches!(&draft.heads[..], [Head { agg: Some(Agg::Count), .. }]);
    if !counted || !is_be(parser.word(at)) || draft.is_open() {
        return;
    }
    let start = parser.skip_determiners(at + 1);
    for mention in parser.mentions.at(start) {
        let What::Columns(columns) = &mention.what else { continue };
        if matches!(parser.word(mention.end), "missing" | "empty" | "blank" | "unknown") {
            steps.push((mention.end + 1, add(draft, Condition::Missing(columns.clone()), &features(mention))));
        }
    }
}

/// `missing usage values for each home`: the cells that are not filled are counted.
pub fn missing_values(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let free = draft.heads.is_empty() && draft.filters.is_empty() && draft.rank.is_none() && !draft.share;
    let counting = matches!(draft.pending, None | Some(Pending::Agg(Agg::Count, None)));
    if !matches!(parser.word(at), "missing" | "empty") || !free || !counting {
        return;
    }
    for mention in parser.mentions.at(at + 1) {
        let What::Columns(columns) = &mention.what else { continue };
        let [column] = columns[..] else { continue };
        let Some(rows) = parser.index.rows_of(column.table) else { continue };
        if matches!(parser.word(mention.end), "values" | "entries" | "cells") {
            let mut next = add(draft, Condition::Missing(columns.clone()), &features(mention));
            next.pending = None;
            next.heads.push(Head::counted(rows));
            steps.push((mention.end + 1, next));
        }
    }
}
