//! Phrases that choose rows: cells, two-valued columns, states, deeds, periods and comparisons.

use super::super::times::year_test;
use super::super::{Parser, features};
use super::frame::{Frame, Last, Wanted};
use super::named;
use super::steps::{Found, names, names_data};
use crate::draft::{Amount, Columns, Condition, Filter, Head, Target};
use crate::index::{ColId, Interval};
use crate::lexicon::Role;
use crate::mentions::{Mention, What};
use crate::score::Feature;
use crate::tokens;
use data::plan::Test;

/// `active`, `still available`: a state that the dataset records by another word, or as its opposite.
pub fn state(parser: &Parser, at: usize, frame: &Frame, found: &mut Found) {
    let index = parser.index;
    let states = &index.lexicon.states;
    let phrase = |end: usize| tokens::folded(&parser.tokens[at..end]);
    let ends = (at + 1..=(at + states.words_max()).min(parser.tokens.len())).rev();
    let Some((end, state)) = ends.into_iter().find_map(|end| Some((end, states.get(&phrase(end))?))) else { return };
    let own = |mention: &Mention| names_data(&mention.what) && !mention.partial && !mention.synonym;
    if !frame.is_free() || parser.mentions.at(at).iter().any(own) {
        return;
    }
    let said = &[Feature::Synonym];
    let flags = |words: &[&str]| -> Columns {
        let named = |id: &ColId| {
            let core = index.facts(*id).core.join(" ");
            index.facts(*id).yes.is_some() && words.contains(&core.as_str())
        };
        index.columns().filter(named).collect()
    };
    let cells = |words: &[&str]| -> Vec<(ColId, Vec<String>)> {
        let found = words.iter().flat_map(|word| index.values(word));
        found.filter(|(id, _)| index.column(*id).distinct <= 20).map(|(id, text)| (id, vec![text])).collect()
    };
    let denied = || Frame { denied: !frame.denied, ..frame.clone() };
    let (same, other) = (flags(&state.same), flags(&state.opposite));
    let (like, unlike) = (cells(&state.same), cells(&state.opposite));
    let done = |id: &ColId| {
        let facts = index.facts(*id);
        let event = facts.event.join(" ");
        index.column(*id).nulls > 0 && !event.is_empty() && state.opposite.contains(&event.as_str())
    };
    let dates: Columns = index.columns().filter(done).collect();
    let one_column = |cells: &[(ColId, Vec<String>)]| cells.len() == 1;
    let next = if !same.is_empty() {
        frame.conditioned(Condition::Flag(same), said)
    } else if one_column(&like) {
        frame.conditioned(Condition::Values { cells: like, all: false }, said)
    } else if !other.is_empty() {
        denied().conditioned(Condition::Flag(other), said)
    } else if dates.len() == 1 {
        if frame.denied {
            return;
        }
        frame.conditioned(Condition::Missing(dates), said)
    } else if one_column(&unlike) {
        denied().conditioned(Condition::Values { cells: unlike, all: false }, said)
    } else {
        return;
    };
    found.push((end, next));
}

pub fn cell(parser: &Parser, mention: &Mention, cells: &[(ColId, String)], frame: &Frame, found: &mut Found) {
    let mut next = frame.clone();
    let mut cells: Vec<(ColId, Vec<String>)> = cells.iter().map(|(id, text)| (*id, vec![text.clone()])).collect();
    match next.wanted.take() {
        Some(Wanted::Cell(columns, said)) => {
            let link = linked(parser, &columns, &cells);
            cells.retain(|(id, _)| columns.contains(id) || link.is_some_and(|(_, table)| id.table == table));
            next.draft.link = next.draft.link.or(link.map(|(relation, _)| relation));
            next.draft.features.extend(said);
        }
        // "Bought by hotels" says by whom.
        Some(Wanted::By) | None => {}
        Some(Wanted::Lacking) if frame.denied => return,
        Some(Wanted::Lacking) => next.denied = true,
        Some(Wanted::Compared(..) | Wanted::Comparison(..) | Wanted::Per) => return,
        wanted @ Some(_) => next.wanted = wanted,
    }
    // "Playing time" is no cell that says `time`.
    let start = mention.end - 1;
    let general = matches!(
        parser.tokens[start].fold.as_str(),
        "time" | "day" | "days" | "month" | "number" | "total" | "other" | "others" | "none" | "date"
    );
    let small = parser.tokens[start].text.starts_with(char::is_lowercase);
    if cells.is_empty() || general && small && parser.mentions.at(start).iter().any(|own| own.end == mention.end) {
        return;
    }
    let mut said = features(mention);
    for feature in said.iter_mut().filter(|feature| **feature == Feature::Synonym) {
        *feature = Feature::LooseValue;
    }
    // A bare number is a cell only of a column that is named.
    let named = matches!(frame.wanted, Some(Wanted::Cell(..)));
    if !named && parser.tokens[mention.end - 1].number().is_some() {
        return;
    }
    let negated = next.denied;
    if matches!(frame.last, Last::Value | Last::State) && frame.draft.joined && !negated {
        let either = frame.either;
        let mut listed = next.clone();
        if let Some(last) = listed.draft.filters.last_mut()
            && let Condition::Values { cells: known, all } = &mut last.condition
        {
            let merged: Vec<(ColId, Vec<String>)> = known
                .iter()
                .filter_map(|(id, texts)| {
                    let (_, more) = cells.iter().find(|(other, _)| other == id)?;
                    Some((*id, [texts.clone(), more.clone()].concat()))
                })
                .collect();
            if !merged.is_empty() {
                (*known, *all) = (merged, !either);
                listed.draft.features.extend(said);
                listed.draft.joined = false;
                listed.either = false;
                found.push((mention.end, listed));
                return;
            }
        }
    }
    // "High or Email" are either, and not both.
    if frame.either && matches!(frame.last, Last::Value | Last::State) {
        return;
    }
    let mut conditioned = next.conditioned(Condition::Values { cells, all: false }, &said);
    let done = parser.tokens[mention.end - 1].fold.ends_with("ed");
    conditioned.last = if done { Last::State } else { Last::Value };
    found.push((mention.end, conditioned));
}

/// The link that a column is, where the cells are of the table it leads to: a home branch by the branch's name.
fn linked(parser: &Parser, columns: &Columns, cells: &[(ColId, Vec<String>)]) -> Option<(usize, usize)> {
    let index = parser.index;
    let leads = |relation: &data::dataset::Relation| {
        let from = index.find(&format!("{}.{}", relation.from_table, relation.from_column));
        from.is_some_and(|from| columns.contains(&from))
    };
    let relation = index.dataset.relations.iter().position(leads)?;
    let to = &index.dataset.relations[relation].to_table;
    let table = index.dataset.tables.iter().position(|table| table.name == *to)?;
    cells.iter().any(|(id, _)| id.table == table).then_some((relation, table))
}

pub fn flag(end: usize, columns: &Columns, said: &[Feature], frame: &Frame, found: &mut Found) {
    let known = |filter: &Filter| filter.condition == Condition::Flag(columns.clone());
    // "Failed quality control" of `qc_passed` says it once more.
    if frame.draft.filters.last().is_some_and(known) && !frame.draft.joined && frame.draft.contrast.is_none() {
        found.push((end, frame.with(Last::Other, |next| next.draft.features.extend_from_slice(said))));
        return;
    }
    let mut next = frame.clone();
    match next.wanted.take() {
        Some(Wanted::Lacking) if frame.denied => return,
        Some(Wanted::Lacking) => next.denied = true,
        Some(Wanted::Compared(..) | Wanted::Comparison(..) | Wanted::Cell(..) | Wanted::Per | Wanted::By) => return,
        wanted => next.wanted = wanted,
    }
    found.push((end, next.conditioned(Condition::Flag(columns.clone()), said)));
}

pub fn opposite(mention: &Mention, flags: &Columns, dates: &Columns, frame: &Frame, found: &mut Found) {
    if !frame.is_free() || frame.denied {
        return;
    }
    let said = features(mention);
    if !flags.is_empty() {
        let denied = Frame { denied: true, ..frame.clone() };
        found.push((mention.end, denied.conditioned(Condition::Flag(flags.clone()), &said)));
    } else if !dates.is_empty() {
        found.push((mention.end, frame.conditioned(Condition::Missing(dates.clone()), &said)));
    }
}

/// A deed that has a date: a period may be about it, and what has not been done has none.
pub fn event(parser: &Parser, mention: &Mention, columns: &Columns, frame: &Frame, found: &mut Found) {
    if !frame.is_free() || frame.event.is_some() {
        return;
    }
    let open = columns.iter().any(|id| parser.index.column(*id).nulls > 0);
    if frame.denied {
        if open {
            let undone = Frame { denied: false, ..frame.clone() };
            found.push((mention.end, undone.conditioned(Condition::Missing(columns.clone()), &features(mention))));
        }
        return;
    }
    let deed = |next: &mut Frame| {
        next.draft.features.extend(features(mention));
        next.event = Some(columns.clone());
    };
    let mut said = frame.with(Last::Other, deed);
    said.draft.predicate |= !frame.draft.heads.is_empty();
    // "By admission date": which date is meant.
    if matches!(parser.word(mention.end), "date" | "day") {
        let wanted = said.wanted.take().filter(|wanted| *wanted != Wanted::By);
        found.push((mention.end + 1, Frame { wanted, ..said.clone() }));
        return;
    }
    found.push((mention.end, said));
    // "How many sales", "the most departures": the rows that have such a date.
    let [ColId { table, .. }] = columns[..] else { return };
    let token = &parser.tokens[mention.end - 1];
    let Some(rows) = parser.index.rows_of(table).filter(|_| token.fold != token.singular) else { return };
    let target = Target::Thing(rows);
    for next in named::added(parser, mention.end - 1, mention.end, frame, &target, &[]) {
        let mut next = next;
        deed(&mut next);
        found.push((mention.end, next));
    }
}

pub fn period(mention: &Mention, when: &crate::period::When, frame: &Frame, found: &mut Found) {
    match &frame.wanted {
        // "Built before 1950".
        Some(Wanted::Comparison(columns, said)) => {
            if let Some((test, amounts)) = year_test(when) {
                let condition = Condition::Compare { columns: columns.clone(), test, amounts, implied: false };
                let free = Frame { wanted: None, ..frame.clone() };
                found.push((mention.end, free.conditioned(condition, said)));
            }
        }
        _ if frame.is_free() => {
            let condition = Condition::Time { columns: None, when: when.clone(), verb: frame.last == Last::State };
            found.push((mention.end, frame.conditioned(condition, &[])));
        }
        _ => {}
    }
}

/// `heavier than 5 kg`.
pub fn comparative(parser: &Parser, mention: &Mention, test: Test, words: &[&str], frame: &Frame, found: &mut Found) {
    if !frame.is_free() {
        return;
    }
    let (columns, other) = parser.index.numbers_called(words);
    let said: &[Feature] = if other { &[Feature::Synonym] } else { &[] };
    for (end, eq, amounts) in parser.comparisons(mention.end, true).iter().cloned() {
        if eq == Test::Eq && !columns.is_empty() {
            let condition = Condition::Compare { columns: columns.clone(), test, amounts, implied: false };
            found.push((end, frame.conditioned(condition, said)));
        }
    }
}

/// `above 500`, `between 5 and 10 km`: of the number named before, of the only one in that unit, or of what comes next.
pub fn compared(parser: &Parser, at: usize, frame: &Frame, found: &mut Found) {
    let named = matches!(frame.wanted, Some(Wanted::Comparison(..)));
    for (end, test, amounts) in parser.comparisons(at, named).iter().cloned() {
        match &frame.wanted {
            Some(Wanted::Comparison(columns, said)) => {
                let condition = Condition::Compare { columns: columns.clone(), test, amounts, implied: false };
                let free = Frame { wanted: None, ..frame.clone() };
                found.push((end, free.conditioned(condition, said)));
            }
            None | Some(Wanted::Counted | Wanted::Shared) => {
                // "More than 40 days of leave" are days of what comes next.
                if parser.word(end) != "of" {
                    found.extend(by_unit(parser, frame, test, &amounts).into_iter().map(|next| (end, next)));
                }
                found.extend(unnamed(parser, end, frame, test, &amounts).map(|next| (end, next)));
                if frame.wanted.is_none() {
                    let wanted = Some(Wanted::Compared(test, amounts));
                    found.push((end, Frame { wanted, ..frame.clone() }));
                }
            }
            _ => {}
        }
    }
}

/// `went for more than the asking price`: another number of the same rows, of the same kind.
pub fn against(parser: &Parser, at: usize, frame: &Frame, found: &mut Found) {
    let index = parser.index;
    let tests = parser.roles(at).filter_map(|(end, role)| match role {
        Role::Compare(test) if test != Test::Ne && frame.is_free() => Some((end, test)),
        _ => None,
    });
    for (end, test) in tests {
        for (name_end, target, said) in names(parser, parser.skip_determiners(end)).iter().cloned() {
            let Target::Columns(right) = target else { continue };
            let [other] = right[..] else { continue };
            let kind = index.facts(other).core.last().cloned();
            let rival = |id: &ColId| {
                let facts = index.facts(*id);
                let same = id.table == other.table && *id != other && facts.core.last() == kind.as_ref();
                same && index.column(*id).ty.is_number() && facts.core.len() > 1
            };
            let left: Columns = index.columns().filter(rival).collect();
            if left.len() == 1 && index.column(other).ty.is_number() {
                let condition = Condition::Columns { left, test, right: right.clone() };
                found.push((name_end, frame.conditioned(condition, &[&said[..], &[Feature::ImpliedColumn]].concat())));
            }
        }
    }
}

/// `orders above 500`: the one amount that the rows come to.
fn unnamed(parser: &Parser, end: usize, frame: &Frame, test: Test, amounts: &[Amount]) -> Option<Frame> {
    let index = parser.index;
    let [Head { target: Target::Thing(thing), .. }] = frame.draft.heads[..] else { return None };
    let table = index.things[thing].table?;
    let whole = |word: &String| matches!(word.as_str(), "total" | "amount" | "value" | "sum");
    let amount = |id: &ColId| {
        let facts = index.facts(*id);
        id.table == table && (facts.adds_up()) && facts.words.iter().any(whole)
    };
    let columns: Columns = index.columns().filter(amount).collect();
    let next = parser.skip_determiners(end);
    let named = !parser.targets(next).is_empty() || parser.mentions.is_data(next);
    let bare = amounts.iter().all(|amount| amount.unit.is_none() && !amount.percent);
    let period = parser.mentions.is_period(end - 1);
    (columns.len() == 1 && bare && !named && !period).then(|| {
        let condition = Condition::Compare { columns, test, amounts: amounts.to_vec(), implied: true };
        frame.conditioned(condition, &[Feature::ImpliedColumn])
    })
}

/// A comparison whose unit says of which number it is, or of how long something took.
fn by_unit(parser: &Parser, frame: &Frame, test: Test, amounts: &[Amount]) -> Vec<Frame> {
    let index = parser.index;
    let Some(unit) = amounts.first().and_then(|amount| amount.unit.clone()) else { return Vec::new() };
    let measured = |id: &ColId| {
        let same = index.facts(*id).unit.as_ref().is_some_and(|own| own.family == unit.family);
        same && index.column(*id).ty.is_number() && index.facts(*id).per.is_none()
    };
    let columns: Columns = index.columns().filter(measured).collect();
    // Of several rows each or all together may be meant.
    let elsewhere = |id: &ColId| match frame.draft.heads.first().map(|head| &head.target) {
        Some(Target::Thing(thing)) => {
            index.things[*thing].table.is_none_or(|own| index.schema.hops(own, id.table).is_none())
        }
        _ => false,
    };
    if columns.iter().any(elsewhere) {
        return Vec::new();
    }
    if !columns.is_empty() {
        let condition = Condition::Compare { columns, test, amounts: amounts.to_vec(), implied: true };
        return vec![frame.conditioned(condition, &[Feature::ImpliedColumn])];
    }
    let took = |interval: &Interval| {
        let condition = Condition::Elapsed { interval: *interval, test, amounts: amounts.to_vec() };
        frame.conditioned(condition, &[Feature::ImpliedColumn])
    };
    let intervals = index.intervals.iter().filter(|_| unit.family == "time");
    intervals.map(took).collect()
}

/// `6 seats or more`: the name stands between the number and the rest of the comparison.
pub fn of_many(parser: &Parser, at: usize, frame: &Frame, found: &mut Found) {
    let Some(number) = parser.tokens[at].number().filter(|_| frame.is_free() && frame.wanted.is_none()) else { return };
    for (end, target, said) in names(parser, at + 1).iter().cloned() {
        let tests = parser.roles(end).filter_map(|(end, role)| match role {
            Role::AfterCompare(test) => Some((end, test)),
            _ => None,
        });
        for (after, test) in tests.collect::<Vec<_>>() {
            let amount = Amount::bare(number);
            let waits = Frame { wanted: Some(Wanted::Compared(test, vec![amount])), ..frame.clone() };
            found.extend(
                named::added(parser, at + 1, end, &waits, &target, &said).into_iter().map(|next| (after, next)),
            );
        }
    }
}

/// `came back after the due date`: two dates of one row.
pub fn beside_date(parser: &Parser, at: usize, frame: &Frame, found: &mut Found) {
    let Some(event) = frame.event.clone().filter(|_| frame.is_free()) else { return };
    let (test, start) = match (parser.word(at), parser.word(at + 1)) {
        ("after", _) => (Test::Gt, at + 1),
        ("later", "than") => (Test::Gt, at + 2),
        ("before", _) => (Test::Lt, at + 1),
        ("earlier", "than") => (Test::Lt, at + 2),
        _ => return,
    };
    let dates = |columns: &Columns| columns.iter().all(|id| parser.index.column(*id).ty.is_temporal());
    let own =
        |columns: &Columns| columns.iter().all(|id| event.iter().any(|known| known.table == id.table && known != id));
    let start = parser.skip_determiners(start);
    for mention in parser.mentions.at(start) {
        let (What::Event(columns) | What::Columns(columns)) = &mention.what else { continue };
        if !dates(columns) || !own(columns) {
            continue;
        }
        let end = mention.end + usize::from(matches!(parser.word(mention.end), "date" | "day"));
        let condition = Condition::Columns { left: event.clone(), test, right: columns.clone() };
        let mut next = frame.conditioned(condition, &features(mention));
        next.event = None;
        found.push((end, next));
    }
}
