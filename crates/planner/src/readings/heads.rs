//! What is asked for: counts, aggregates, columns, declared measures, shares.

use data::plan::{Agg, Grain};

use super::groups::is_own_unit;
use super::{Parser, Steps};
use crate::draft::{Condition, Draft, Filter, Head, Pending, Rank, RankKind, Target, Zone};
use crate::index::ColId;
use crate::lexicon::{Ask, Glue, Role};
use crate::mentions::{Mention, What};
use crate::score::Feature;
use crate::tokens::Token;

/// `how many`, `average`, `total`: waits for its target. "Average number of" keeps the first for ratios.
pub fn aggregate(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    for (end, role) in parser.roles(at) {
        let pending = match role {
            Role::Count => Pending::Agg(Agg::Count, None),
            Role::Much => Pending::Much,
            Role::Agg(agg) if named_total(parser, at).is_none_or(|_| agg != Agg::Sum) => Pending::Agg(agg, None),
            _ => continue,
        };
        // "Total number of" is a count.
        let replaced = draft.pending == Some(Pending::Agg(Agg::Sum, None)) && role == Role::Count;
        // "Percentage of the total amount" is a share of a sum.
        let shared = !draft.share || role == Role::Agg(Agg::Sum) && draft.heads.is_empty();
        if (draft.pending.is_none() || replaced) && shared {
            let next = draft.with(|next| next.pending = Some(pending));
            steps.push((end, Draft { joined: draft.joined, ..next }));
        }
        // "Average number of pages" is the average of the pages; of things it stays refused.
        if role == Role::Count
            && matches!(draft.pending, Some(Pending::Agg(agg, _)) if agg != Agg::Count && agg != Agg::Sum)
        {
            steps.push((end, draft.with(|_| {})));
        }
    }
}

/// `total votes` where a column is called so: its sum, and not that of any other votes.
fn named_total(parser: &Parser, at: usize) -> Option<Target> {
    let index = parser.index;
    let adds_up = |id: &ColId| {
        let column = index.column(*id);
        index.is_quantity(*id) && column.running.is_none() && column.stock.is_none()
    };
    let named = |mention: &Mention| match &mention.what {
        What::Columns(columns) if mention.end > at + 1 && columns.iter().all(adds_up) => {
            let whole = !mention.partial && !mention.synonym && !mention.stemmed;
            whole.then(|| Target::Columns(columns.clone()))
        }
        _ => None,
    };
    let said = parser.word(at) == "total";
    said.then(|| parser.mentions.at(at).iter().find_map(named)).flatten()
}

/// `admissions per month`, `new hires since 2020`: what happened, counted by the rows that say when.
pub fn event_noun(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let start = if parser.word(at) == "new" { at + 1 } else { at };
    let free = draft.heads.is_empty() && draft.rank.is_none() && draft.dated.is_none() && !draft.distinct;
    let counting = matches!(draft.pending, None | Some(Pending::Agg(Agg::Count | Agg::Sum, None)));
    if !free || !counting {
        return;
    }
    for mention in parser.mentions.at(start) {
        let What::Event(dates) = &mention.what else { continue };
        let word = &parser.tokens[mention.end - 1];
        let noun = word.fold != word.singular || word.fold.ends_with("ion");
        let owner = |id: &ColId| parser.index.rows_of(id.table);
        let [date] = dates[..] else { continue };
        let Some(thing) = owner(&date).filter(|_| noun) else { continue };
        let next = draft.with(|next| {
            next.features.extend(super::features(mention));
            next.features.push(Feature::OpenChoice);
            next.pending = None;
            next.heads.push(Head::counted(thing));
            next.dated = Some(dates.clone());
            // "Arrivals by station" are found by the station of the arrival.
            next.link = next.link.or_else(|| super::links::named(parser, start, mention.end).first().copied());
        });
        steps.push((mention.end, next));
    }
}

/// `which kinds of anomaly do we see, and how often`: each of them with the number of its rows.
pub fn how_often(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let said = parser.word(at) == "how" && parser.word(at + 1) == "often";
    let [Head { target: target @ Target::Columns(columns), agg: None, amount: false, .. }] = &draft.heads[..] else {
        return;
    };
    let free = draft.rank.is_none() && draft.groups.is_empty() && !draft.is_open() && draft.joined;
    let sorts = columns.iter().all(|id| parser.index.column(*id).ty == base::Type::Text);
    if said && free && sorts {
        let target = target.clone();
        let next = draft.with(|next| {
            next.groups.push(target);
            next.heads = vec![Head::count_of(Target::Rows)];
        });
        steps.push((at + 2, next));
    }
}

/// `90th percentile of`.
pub fn percentile(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let Some(number) = parser.tokens.get(at).and_then(Token::number) else { return };
    let Some(end) = parser.role(at + 1, Role::Percentile) else { return };
    if draft.pending.is_none() && (0.0..=100.0).contains(&number) {
        let pending = Pending::Agg(Agg::Quantile, Some(number / 100.0));
        steps.push((end, draft.with(|next| next.pending = Some(pending))));
    }
}

/// A thing, column, measure or noun of rows, in the place the draft has open for it.
pub fn target(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let counting = draft.pending == Some(Pending::Agg(Agg::Count, None));
    let rows = |end: usize| parser.mentions.at(at).iter().any(|m| m.end == end && parser.is_shadowed(at, m));
    for (end, target, features) in parser.targets(at) {
        let end = *end;
        // Counted, a word that names both rows and a number means the rows.
        if counting && matches!(target, Target::Columns(_)) && rows(end) {
            continue;
        }
        // Where every row is a day, days are rows and need no grouping.
        if *target == Target::Grain(Grain::Day) && parser.index.row_words.days {
            continue;
        }
        // "How much did patients pay" asks for what they paid, never how many they are.
        if draft.pending == Some(Pending::Much) && (is_row_noun(target) || matches!(target, Target::Flag(_))) {
            continue;
        }
        if draft.pending == Some(Pending::Agg(Agg::Sum, None)) && is_row_noun(target) && !counts_rows(parser, at) {
            continue;
        }
        let meant = features.iter().filter(|feature| !counting || **feature != Feature::ThingOverColumn);
        let mut next = draft.with(|next| next.features.extend(meant));
        // "How many tonnes" asks for their sum.
        let amount = is_own_unit(parser, end, target) || named_total(parser, at).as_ref() == Some(target);
        if amount && counting {
            next.pending = Some(Pending::Agg(Agg::Sum, None));
        }
        if matches!(target, Target::Flag(_)) {
            next.features.push(Feature::FlagAsNoun);
        }
        if place(parser, at, &mut next, draft, target.clone()) {
            // "Time to resolve" is said of what follows.
            next.connected = end > at + 1 && parser.word(end - 2) == "to";
            let told = matches!(draft.ask, None | Some(Ask::What)) && draft.rank.is_none() && !draft.share;
            if let Some(head) = next.heads.last_mut().filter(|head| amount && told && head.agg.is_none()) {
                head.agg = Some(Agg::Sum);
                next.features.push(Feature::ImpliedAggregate);
            }
            // "The most kilos" are all of them together.
            let ranked =
                next.rank.as_mut().filter(|rank| rank.kind == RankKind::Amount).and_then(|rank| rank.by.as_mut());
            if let Some(by) = ranked.filter(|by| amount && by.agg.is_none() && by.target == *target) {
                by.agg = Some(Agg::Sum);
                next.features.push(Feature::ImpliedAggregate);
            }
            steps.push((end, next));
        }
    }
}

/// `average customer age`, `credit limit`: the rows' noun before a column of theirs only says whose it is.
pub fn modifier(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    if let Some((mention, thing)) = parser.modifier(at) {
        let own = |next: &Mention| match &next.what {
            What::Columns(columns) => columns.iter().any(|id| parser.index.things[thing].table == Some(id.table)),
            _ => false,
        };
        let owned = parser.mentions.at(mention.end).iter().any(own);
        let next = draft.with(|next| {
            next.features.extend(super::features(mention));
            match owned {
                true => next.scopes.push(thing),
                false => next.features.push(Feature::OpenChoice),
            }
        });
        steps.push((mention.end, Draft { joined: draft.joined, ..next }));
    }
}

/// `how tall is the tallest tree`: the number that says it, where one column does.
pub fn extent(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let index = parser.index;
    let asks = parser.word(at) == "how" && matches!(parser.word(at + 2), "is" | "was");
    let Some(words) = index.lexicon.extent(parser.word(at + 1)).filter(|_| asks && draft.is_fresh()) else {
        return;
    };
    let said = |id: &ColId| index.column(*id).ty.is_number() && index.facts(*id).has_any(words);
    let columns: Vec<ColId> = index.columns().filter(said).collect();
    if columns.len() == 1 {
        let mut next = draft.with(|next| next.heads.push(Head::plain(Target::Columns(columns))));
        (next.ask, next.connected) = (Some(Ask::What), true);
        steps.push((at + 3, next));
    }
}

/// `customer count by gender`: how many of them, where no column is called so.
pub fn thing_count(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let free = draft.heads.is_empty() && draft.rank.is_none() && !draft.share;
    let summed = matches!(draft.pending, None | Some(Pending::Agg(Agg::Sum, None)));
    if !free || !summed || parser.modifier(at).is_some() {
        return;
    }
    for mention in parser.mentions.at(at) {
        let What::Thing(thing) = mention.what else { continue };
        let word = &parser.tokens[mention.end - 1];
        let counted = matches!(parser.word(mention.end), "count" | "counts") && word.fold == word.singular;
        if counted {
            let next = draft.with(|next| {
                next.features.extend(super::features(mention));
                next.pending = None;
                next.heads.push(Head::counted(thing));
            });
            steps.push((mention.end + 1, next));
        }
    }
}

/// `with the counts`: where a count or sum is what is ranked by or asked for, it is part of the answer.
pub fn with_number(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let Some(end) = parser.role(at, Role::WithNumber) else { return };
    let counts = |head: &Head| {
        let tally = |columns: &Vec<_>| columns.iter().any(|id| parser.index.facts(*id).tally);
        let tallied = matches!(&head.target, Target::Columns(columns) if tally(columns));
        head.agg == Some(Agg::Count) || tallied || matches!(head.target, Target::Thing(_))
    };
    let sums = |head: &Head| {
        let additive = |columns: &Vec<_>| columns.iter().all(|id| parser.index.facts(*id).additive);
        let implied = head.agg.is_none() && matches!(&head.target, Target::Columns(columns) if additive(columns));
        head.agg == Some(Agg::Sum) || implied
    };
    let total = (at..end).any(|token| parser.word(token).starts_with("total"));
    let counts = |head: &Head| if total { sums(head) } else { counts(head) };
    let ranked = draft.rank.as_ref().and_then(|rank| rank.by.as_ref());
    if ranked.is_some_and(counts) || !draft.groups.is_empty() && draft.heads.iter().all(counts) {
        steps.push((end, draft.with(|next| next.with_number = true)));
    }
}

/// `the five days with the highest volume, including the volume`: what is ranked by is part of the answer.
pub fn with_ranked(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let Some(rank) = draft.rank.as_ref().filter(|rank| !rank.open && !draft.heads.is_empty()) else { return };
    if !matches!(parser.word(at), "including" | "with" | "showing") || draft.with_number {
        return;
    }
    for (end, head, features) in parser.quantities(at + 1).iter().cloned() {
        let same = |by: &Head| by.target == head.target && (head.agg.is_none() || head.agg == by.agg);
        if rank.by.as_ref().is_some_and(same) {
            let shown = |next: &mut Draft| {
                next.features.extend(features);
                next.with_number = true;
            };
            steps.push((end, draft.with(shown)));
        }
    }
}

fn is_row_noun(target: &Target) -> bool {
    target.is_rows()
}

/// "Total orders" counts them; "the total of orders" and "the sum of orders" ask for a sum of something unsaid.
fn counts_rows(parser: &Parser, at: usize) -> bool {
    let sums = parser.tokens[..at].iter().any(|token| matches!(token.fold.as_str(), "sum" | "combined" | "summed"));
    parser.word_before_determiners(at) != "of" && !sums
}

fn place(parser: &Parser, at: usize, next: &mut Draft, before: &Draft, target: Target) -> bool {
    if next.rank.as_ref().is_some_and(|rank| rank.open) {
        return rank_target(next, target);
    }
    let is_time = matches!(target, Target::Grain(_) | Target::Part(_));
    if next.heads.is_empty() {
        // "North zone" names the column of the value, it does not ask for it.
        let named = |filter: &Filter| match (&filter.condition, &target) {
            (Condition::Values { cells, .. }, Target::Columns(columns)) => {
                cells.iter().any(|(id, _)| columns.contains(id))
            }
            _ => false,
        };
        if next.filters.last().is_some_and(named) {
            return false;
        }
        // "The lowest stock product" ranks products; "the lowest stock that has a category" does not.
        if next.rank.as_ref().is_some_and(|rank| rank.by.is_some()) && next.predicate {
            return false;
        }
        if is_time && (next.pending.is_some() || next.ask.is_none() && next.rank.is_none()) {
            return false;
        }
        if next.rank.as_ref().is_some_and(|rank| rank.by.is_some()) && before.connected {
            return add_scope(next, target);
        }
        let head = take_pending(next, target);
        next.heads.push(head);
        return true;
    }
    if is_time {
        return false;
    }
    if before.joined && next.groups.is_empty() && next.rank.is_none() {
        let previous = next.heads[next.heads.len() - 1].clone();
        let explicit = next.pending.is_some();
        // "How many where the grade is Fine and the colour …" goes on with conditions.
        let conditioned = next.filters.last().is_some_and(|filter| filter.zone == Zone::Predicate);
        if conditioned && !explicit && previous.agg.is_some() {
            return false;
        }
        // "Days in March, approved ones only" has a condition after the comma, not a second number.
        if matches!(target, Target::Flag(_)) && !explicit && previous.agg != Some(Agg::Count) {
            return false;
        }
        let mut head = take_pending(next, target);
        let carries = matches!(head.target, Target::Columns(_) | Target::Thing(_) | Target::Flag(_));
        if !explicit && carries {
            (head.agg, head.quantile, head.amount) = (previous.agg, previous.quantile, previous.amount);
        }
        next.heads.push(head);
        return true;
    }
    if next.pending.is_some() {
        return false;
    }
    let listed = matches!(parser.before(at), "their" | "its");
    match target {
        Target::Columns(_) if listed => {
            next.heads.push(Head::plain(target));
            true
        }
        Target::Thing(_) if before.connected => add_scope(next, target),
        _ => false,
    }
}

fn add_scope(next: &mut Draft, target: Target) -> bool {
    match target {
        Target::Thing(thing) => next.scopes.push(thing),
        Target::Rows => {}
        _ => return false,
    }
    true
}

fn take_pending(next: &mut Draft, target: Target) -> Head {
    match next.pending.take() {
        Some(Pending::Agg(agg, quantile)) => Head { target, agg: Some(agg), quantile, amount: false },
        Some(Pending::Much) => Head { target, agg: None, quantile: None, amount: true },
        None => Head::plain(target),
    }
}

/// The target of `highest` or `most`: what is ranked by, or, for `largest orders`, what is ranked.
fn rank_target(next: &mut Draft, target: Target) -> bool {
    if matches!(target, Target::Grain(_) | Target::Part(_)) {
        return false;
    }
    let head = take_pending(next, target);
    let Some(Rank { kind, by, open, .. }) = &mut next.rank else { return false };
    *open = false;
    let ranks_itself = !next.share && *kind == RankKind::Extreme && head.agg.is_none() && head.target.is_rows();
    if !ranks_itself {
        *by = Some(Head { amount: *kind == RankKind::Amount, ..head });
        return true;
    }
    if next.heads.is_empty() {
        next.heads.push(head);
    }
    next.heads.len() == 1
}

/// `what share of tickets is Critical`.
pub fn share(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    if let Some(end) = parser.role(at, Role::Share)
        && draft.pending.is_none()
        && !draft.share
    {
        // "The highest share of returned orders" ranks by it.
        let ranks = draft.rank.as_ref().is_some_and(|rank| rank.open && rank.by.is_none() && rank.number.is_none());
        if draft.heads.is_empty() && draft.rank.is_none() || ranks {
            let from = draft.filters.len();
            steps.push((end, draft.with(|next| (next.share, next.share_from) = (true, from))));
        }
    }
}

/// `distribution of orders by status`, `status breakdown`.
pub fn distribution(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    if let Some(end) = parser.role(at, Role::Distribution)
        && draft.pending.is_none()
    {
        steps.push((end, draft.with(|next| next.distribution = true)));
    }
}

/// `distinct`, `different`.
pub fn distinct(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    if let Some(end) = parser.role(at, Role::Distinct)
        && draft.heads.is_empty()
    {
        steps.push((end, draft.with(|next| next.distinct = true)));
    }
    // "The most different patients": things are counted once each anyway.
    if let Some(end) = parser.role(at, Role::Distinct)
        && draft.rank.as_ref().is_some_and(|rank| rank.open)
        && parser.mentions.at(end).iter().any(|mention| matches!(mention.what, What::Thing(_)))
    {
        steps.push((end, draft.clone()));
    }
}

/// `growth of`, `cumulative`: before the measure, or `growth` after it.
pub fn series(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    for (end, role) in parser.roles(at) {
        let Role::Series(op) = role else { continue };
        let end = parser.skip(end, |glue| glue == Glue::Determiner);
        if draft.series.is_none() && draft.pending.is_none() {
            steps.push((end, draft.with(|next| next.series = Some(op))));
        }
    }
}
