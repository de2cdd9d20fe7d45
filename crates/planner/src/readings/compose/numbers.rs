//! Words that say how a number is told: aggregates, ends, rankings, lengths of time, rates and units.

use super::super::spans::elapsed;
use super::super::{Parser, features};
use super::frame::{Frame, Last, Wanted};
use super::steps::{Found, names};
use crate::draft::{Columns, Condition, Having, Head, Rank, RankKind, Target};
use crate::index::{ColId, Interval};
use crate::lexicon::Role;
use crate::mentions::{Mention, What};
use crate::score::Feature;
use data::plan::{Agg, Dir, Op};

pub fn aggregate(parser: &Parser, at: usize, end: usize, role: Role, frame: &Frame, found: &mut Found) {
    let agg = match role {
        Role::Agg(agg) => agg,
        Role::Typically => Agg::Avg,
        _ => return,
    };
    if frame.aggs.contains(&agg) {
        return;
    }
    let end = if parser.word(end - 1) == "up" && parser.word(end) == "to" { end + 1 } else { end };
    let before = frame.aggs.is_empty() || frame.draft.joined;
    if before && !matches!(frame.wanted, Some(Wanted::Comparison(..) | Wanted::Cell(..))) {
        let mut next = frame.clone();
        next.aggs.push(agg);
        found.push((end, next));
    }
    found.extend(of_groups(parser, agg, frame).map(|next| (end, next)));
    // "Stay on average".
    let said_after = matches!(parser.word(at), "on" | "add") || role == Role::Typically;
    if !said_after {
        return;
    }
    let mut after = frame.clone();
    let by = after.draft.rank.as_mut().and_then(|rank| rank.by.as_mut());
    if let Some(head) = by.or(after.draft.heads.last_mut())
        && head.agg.is_none_or(|known| known == agg)
        && is_measured(&head.target)
    {
        (head.agg, head.amount) = (Some(agg), false);
        found.push((end, after));
    }
}

/// `sites whose nitrate is above 25 on average`: the comparison was one of groups.
fn of_groups(parser: &Parser, agg: Agg, frame: &Frame) -> Option<Frame> {
    let [Head { target, agg: None, amount: false, .. }] = &frame.draft.heads[..] else { return None };
    let grouped = match target {
        Target::Columns(columns) => {
            columns.iter().all(|id| !parser.index.column(*id).unique && !parser.index.column(*id).ty.is_number())
        }
        Target::Thing(_) => true,
        _ => false,
    };
    let last = frame.draft.filters.last()?;
    let Condition::Compare { columns, test, amounts, .. } = &last.condition else { return None };
    let elsewhere = |heads: &Columns| columns.iter().any(|id| heads.iter().all(|head| head.table != id.table));
    if matches!(target, Target::Columns(heads) if elsewhere(heads)) {
        return None;
    }
    let own = |thing: usize| columns.iter().any(|id| parser.index.things[thing].table == Some(id.table));
    if !grouped || last.negated || matches!(target, Target::Thing(thing) if own(*thing)) {
        return None;
    }
    let head = Head { agg: Some(agg), ..Head::plain(Target::Columns(columns.clone())) };
    let (test, amounts) = (*test, amounts.clone());
    let mut next = frame.clone();
    next.draft.filters.pop();
    next.draft.having.push(Having { head, kind: Vec::new(), test, amounts });
    Some(next)
}

pub fn is_measured(target: &Target) -> bool {
    matches!(target, Target::Columns(_) | Target::Elapsed(..) | Target::Formula(_))
}

pub fn ranking(parser: &Parser, end: usize, role: Role, frame: &Frame, found: &mut Found) {
    if let Role::Extreme(dir) = role {
        extreme_of_several(parser, end, dir, frame, found);
    }
    let (kind, dir) = match role {
        Role::Extreme(dir) => (RankKind::Extreme, dir),
        Role::Amount(dir) => (RankKind::Amount, dir),
        Role::Top(dir) => (RankKind::Top, dir),
        // "Busiest": where most rows are; "most popular": what most rows have.
        Role::Extent(dir) | Role::Frequent(dir) if frame.draft.rank.is_none() && frame.is_free() => {
            let next = frame.with(Last::Other, |next| {
                let by = Some(Head::count_of(Target::Rows));
                let number = next.number.take();
                next.draft.rank = Some(Rank { kind: RankKind::Amount, dir, number, by, open: false });
                next.draft.features.push(Feature::OpenChoice);
            });
            found.push((end, next));
            return;
        }
        _ => return,
    };
    let named = match &frame.wanted {
        Some(Wanted::Comparison(columns, said)) if frame.draft.rank.is_none() => Some((columns.clone(), said.clone())),
        _ => None,
    };
    // "Which category do we discount most": the number came first.
    if let (Some((columns, said)), RankKind::Amount) = (named, kind) {
        let next = frame.with(Last::Other, |next| {
            next.wanted = None;
            next.draft.features.extend(said);
            let by = Some(Head { amount: true, ..Head::plain(Target::Columns(columns)) });
            next.draft.rank = Some(Rank { kind, dir, number: next.number.take(), by, open: false });
        });
        found.push((end, next));
    }
    if frame.draft.rank.is_some() || !frame.is_free() {
        return;
    }
    let mut next = frame.clone();
    // "The best rating": which end that is depends on the number.
    let valued = parser.word(end - 1) == "best";
    if valued && parser.tokens.get(end).is_none_or(|token| token.number().is_none()) && next.number.is_none() {
        next.better = true;
        next.draft.rank = Some(Rank { kind: RankKind::Extreme, dir, number: None, by: None, open: true });
        found.push((end, next));
        return;
    }
    let said = parser.tokens.get(end).and_then(|token| token.number()).filter(|number| number.fract() == 0.0);
    // Only one number can say how many.
    if next.number.is_some() && said.is_some() {
        return;
    }
    let number = next.number.take().or(said.map(|number| number as u32));
    let end = if said.is_some() { end + 1 } else { end };
    // "Stay longest": by how long it took.
    // "Has delivered the longest" is said of who did it.
    let before = (0..end - 1).rev().find(|at| parser.word(*at) != "the");
    let is_deed = |mention: &Mention| matches!(mention.what, What::Event(_));
    let did = before.is_some_and(|at| parser.mentions.at(at).iter().any(is_deed));
    if matches!(parser.word(end - 1), "longest" | "shortest") && said.is_none() && !did {
        // "The longest books" are not what was lent for longest.
        let rows_said = parser.mentions.at(end).iter().find_map(|mention| match mention.what {
            What::Thing(thing) => parser.index.things[thing].table,
            _ => None,
        });
        let own = |interval: &&Interval| rows_said.is_none_or(|table| interval.start.table == table);
        for interval in parser.index.intervals.iter().filter(own) {
            let by = Head { agg: next.aggs.first().copied(), ..Head::plain(elapsed(parser, *interval, None)) };
            let mut took = next.clone();
            took.aggs.clear();
            took.draft.rank = Some(Rank { kind, dir, number, by: Some(by), open: false });
            took.draft.features.push(Feature::ImpliedColumn);
            found.push((end, took));
        }
    }
    next.draft.rank = Some(Rank { kind, dir, number, by: None, open: true });
    found.push((end, next));
}

/// `lowest, highest and mean`: ends of a number that are told beside one another.
fn extreme_of_several(parser: &Parser, end: usize, dir: Dir, frame: &Frame, found: &mut Found) {
    let tells = |at: usize| parser.roles(at).any(|(_, role)| matches!(role, Role::Extreme(_) | Role::Agg(_)));
    let joins = |at: usize| parser.comma(at) || parser.role(at, Role::And).is_some();
    let more = joins(end) && (tells(end + 1) || parser.word(end + 1) == "the" && tells(end + 2));
    let before = !frame.aggs.is_empty() && frame.draft.joined;
    let agg = if dir == Dir::Desc { Agg::Max } else { Agg::Min };
    if (more || before) && frame.is_free() && !frame.aggs.contains(&agg) {
        let mut next = frame.clone();
        next.aggs.push(agg);
        next.draft.joined = false;
        found.push((end, next));
    }
}

/// `how old`, `how far`, `how long`: the number that says so.
pub fn extent(parser: &Parser, at: usize, frame: &Frame, found: &mut Found) {
    if parser.word(at) != "how" || !frame.draft.heads.is_empty() || frame.wanted.is_some() {
        return;
    }
    let word = parser.word(at + 1);
    // "How many days does it take".
    let op = match parser.word(at + 2) {
        "days" => Some(Op::ElapsedDays),
        "hours" => Some(Op::ElapsedHours),
        "minutes" => Some(Op::ElapsedMinutes),
        _ => None,
    };
    let takes =
        parser.after_phrase(at + 3, &[&["does", "it", "take"], &["did", "it", "take"], &["do"], &["does"], &["did"]]);
    if let (Some(op), "many", Some(end)) = (op, word, takes) {
        let average = frame.aggs == [Agg::Avg] || (end..parser.tokens.len()).any(|at| parser.word(at) == "average");
        for interval in self::intervals(parser, at).iter().filter(|_| average) {
            found.push((
                end,
                frame.with(Last::Head, |next| {
                    next.aggs.clear();
                    next.draft.heads.push(Head { agg: Some(Agg::Avg), ..Head::plain(Target::Elapsed(*interval, op)) });
                    next.draft.features.push(Feature::ImpliedColumn);
                }),
            ));
        }
    }
    let intervals: Vec<Interval> = intervals(parser, at);
    let (columns, other) =
        parser.index.lexicon.extent(word).map(|words| parser.index.numbers_called(words)).unwrap_or_default();
    let usual = |target: Target, feature: Option<Feature>| {
        frame.with(Last::Head, |next| {
            let agg = next.aggs.pop().or(Some(Agg::Avg));
            next.draft.heads.push(Head { agg, ..Head::plain(target) });
            next.draft.features.push(Feature::ImpliedAverage);
            next.draft.features.extend(feature);
        })
    };
    if !columns.is_empty() {
        found.push((at + 2, usual(Target::Columns(columns), other.then_some(Feature::Synonym))));
    } else if word == "long" {
        for interval in &intervals {
            found.push((at + 2, usual(elapsed(parser, *interval, None), None)));
        }
    }
}

/// How long something took: until a deed that is named later, or else what a table says of its rows.
fn intervals(parser: &Parser, at: usize) -> Vec<Interval> {
    let index = parser.index;
    let named = |at: usize| {
        parser.mentions.at(at).iter().find_map(|mention| match &mention.what {
            What::Event(dates) => dates.iter().find_map(|date| index.interval_until(*date)),
            _ => None,
        })
    };
    match (at..parser.tokens.len()).find_map(named) {
        Some(interval) => vec![interval],
        None => index.intervals.clone(),
    }
}

/// `cheapest`: the word names the number that decides.
pub fn adjective_rank(
    parser: &Parser,
    mention: &Mention,
    dir: Dir,
    words: &[String],
    frame: &Frame,
    found: &mut Found,
) {
    if frame.draft.rank.is_some() || !frame.is_free() {
        return;
    }
    let (columns, other) = parser.index.numbers_called(words);
    if columns.is_empty() || words == ["size"] {
        return;
    }
    let next = frame.with(Last::Other, |next| {
        let number = next.number.take();
        let by = Head { agg: next.aggs.pop(), ..Head::plain(Target::Columns(columns.clone())) };
        next.draft.rank = Some(Rank { kind: RankKind::Adjective, dir, number, by: Some(by), open: false });
        next.draft.features.extend(other.then_some(Feature::Synonym));
    });
    found.push((mention.end, next));
}

/// `5 farms with the highest …`: how many are wanted.
pub fn number(parser: &Parser, at: usize, frame: &Frame, found: &mut Found) {
    let whole = |number: &f64| number.fract() == 0.0 && (1.0..=1000.0).contains(number);
    let Some(said) = parser.tokens[at].number().filter(whole) else { return };
    let open = frame.number.is_none() && frame.draft.heads.is_empty() && frame.wanted.is_none();
    let lists = frame.draft.rank.as_ref().is_none_or(|rank| rank.number.is_none());
    // "Four bedroom houses" have so many.
    let token = parser.tokens.get(at + 1);
    let described =
        said > 1.0 && token.is_some_and(|token| token.fold == token.singular) && parser.mentions.is_data(at + 1);
    if open && lists && !described {
        found.push((at + 1, Frame { number: Some(said as u32), ..frame.clone() }));
    }
}

/// `churn rate`: the share of rows of which it is true.
pub fn rate(parser: &Parser, at: usize, frame: &Frame, found: &mut Found) {
    let index = parser.index;
    // "Which centre has the lowest pass rate".
    let ranked = frame.ranks() && matches!(frame.draft.heads[..], [Head { agg: None, .. }]);
    if !frame.draft.heads.is_empty() && !ranked || frame.wanted.is_some() || frame.draft.share {
        return;
    }
    let shared = |rows: usize| {
        frame.with(Last::Head, |next| {
            if !ranked {
                next.draft.heads.push(Head::counted(rows));
            }
            next.draft.share_from = next.draft.filters.len();
            (next.draft.share, next.draft.predicate) = (true, true);
        })
    };
    let flags = |id: &ColId| index.facts(*id).yes.is_some();
    let named = names(parser, at).iter().cloned().filter_map(|(end, target, said)| match target {
        Target::Columns(columns) if columns.iter().all(flags) => Some((end, columns, said)),
        Target::Flag(columns) => Some((end, columns, said)),
        _ => None,
    });
    for mention in parser.mentions.at(at) {
        let What::Value(cells) = &mention.what else { continue };
        let [(id, text)] = &cells[..] else { continue };
        let Some(after) = parser.role(mention.end, Role::Rate) else { continue };
        let Some(rows) = index.rows_of(id.table) else { continue };
        let condition = Condition::Values { cells: vec![(*id, vec![text.clone()])], all: false };
        found.push((after, shared(rows).conditioned(condition, &features(mention))));
    }
    for (end, columns, said) in named {
        let Some(after) = parser.role(end, Role::Rate) else { continue };
        let Some(rows) = columns.first().and_then(|id| index.rows_of(id.table)) else { continue };
        found.push((after, shared(rows).conditioned(Condition::Flag(columns), &said)));
    }
}

/// `in minutes`, `in euros`: how a number is told, after the number.
pub fn in_unit(parser: &Parser, at: usize, frame: &Frame, found: &mut Found) {
    let said = matches!(parser.word(at), "in" | "measured") && frame.is_free();
    let Some(unit) = parser.index.lexicon.unit(parser.word(at + 1)).filter(|_| said) else { return };
    let mut next = frame.clone();
    let fits = next.draft.heads.iter_mut().any(|head| match &mut head.target {
        Target::Elapsed(_, op) if unit.family == "time" => {
            *op = match unit.name {
                "minute" => Op::ElapsedMinutes,
                "hour" => Op::ElapsedHours,
                "day" => Op::ElapsedDays,
                _ => return false,
            };
            true
        }
        Target::Columns(columns) => {
            columns.iter().all(|id| parser.index.facts(*id).unit.as_ref().is_some_and(|own| own.name == unit.name))
        }
        _ => false,
    });
    if fits {
        found.push((at + 2, next));
    }
}
