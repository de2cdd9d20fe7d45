//! When something was highest, lowest or last, and at what hour or on which day most of it happens.

use data::plan::{Agg, Dir, Part};

use super::ranks::ranked;
use super::times::event_columns;
use super::{Parser, Steps};
use crate::draft::{Columns, Condition, Draft, Filter, Head, RankKind, Target};
use crate::index::ColId;
use crate::lexicon::{Ask, Role};
use crate::mentions::What;
use crate::score::Feature;

/// `when was it coldest`: the moment of the row that has the extreme value.
pub fn when_extreme(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let asked = draft.ask == Some(Ask::When) && draft.heads.is_empty() && draft.rank.is_none() && !draft.is_open();
    let it = parser.word(at) == "it" && matches!(parser.before(at), "is" | "was");
    let Some(start) = asked.then_some(if it { at + 1 } else { at }) else { return };
    let start = parser.skip_determiners(start);
    let index = parser.index;
    for mention in parser.mentions.at(start) {
        let What::Adjective(adjective) = &mention.what else { continue };
        let [(dir, words)] = &adjective.numbers[..] else { continue };
        let named = |id: &ColId| index.column(*id).ty.is_number() && index.facts(*id).has_any(words);
        let columns: Columns = index.columns().filter(named).collect();
        let [column] = columns[..] else { continue };
        let dates = crate::build::moments(index, column.table);
        let thing = index.rows_of(column.table);
        let Some(thing) = thing.filter(|_| dates.len() == 1) else { continue };
        let by = Head::plain(Target::Columns(columns));
        let mut next = ranked(draft, RankKind::Adjective, *dir, None, Some(by));
        next.heads.push(Head::plain(Target::Columns(dates)));
        next.scopes.push(thing);
        next.ask = Some(Ask::What);
        // "Coldest outside", where the column says so itself.
        let outdoors = index.facts(column).has_any(&["outdoor", "outside"]);
        let again = outdoors && super::weather::is_outside(parser.word(mention.end));
        steps.push((mention.end + usize::from(again), next));
    }
}

/// `when was the usage highest`: the same with the number said.
pub fn when_highest(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let asked = draft.ask == Some(Ask::When) && draft.heads.is_empty() && draft.rank.is_none() && !draft.is_open();
    let index = parser.index;
    if !asked || index.row_words.days || !matches!(parser.before(at), "is" | "was") {
        return;
    }
    for (middle, by, features) in parser.quantities(at).iter().cloned() {
        let middle = parser.skip_determiners(if parser.word(middle) == "at" { middle + 1 } else { middle });
        let extreme = |(end, role)| if let Role::Extreme(dir) = role { Some((end, dir)) } else { None };
        let (Some((end, dir)), Target::Columns(columns)) = (parser.roles(middle).find_map(extreme), &by.target) else {
            continue;
        };
        let [column] = columns[..] else { continue };
        let dates = crate::build::moments(index, column.table);
        let thing = index.rows_of(column.table);
        let (Some(thing), 1, None) = (thing, dates.len(), by.agg) else { continue };
        let mut next = ranked(draft, RankKind::Adjective, dir, None, Some(by));
        next.features.extend(features);
        // The highest of all rows, or the period with the most of it.
        let facts = index.facts(column);
        next.features.extend((facts.adds_up()).then_some(Feature::OpenChoice));
        next.heads.push(Head::plain(Target::Columns(dates)));
        next.scopes.push(thing);
        next.ask = Some(Ask::What);
        steps.push((end, next));
    }
}

/// `when did S-007 last report`: the last moment of the rows that the condition holds for.
pub fn last_done(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let asked = draft.ask == Some(Ask::When) && draft.heads.is_empty() && draft.rank.is_none() && !draft.is_open();
    let [Filter { condition: Condition::Values { cells, .. }, negated: false, .. }] = &draft.filters[..] else {
        return;
    };
    let recent =
        parser.roles(at).find_map(|(end, role)| if let Role::Recent(dir) = role { Some((end, dir)) } else { None });
    let Some((end, dir)) = recent.filter(|_| asked) else { return };
    let verb = parser.roles(end).find_map(|(end, role)| matches!(role, Role::Link | Role::Created).then_some(end));
    let Some(end) = verb else { return };
    let mut tables: Vec<usize> = cells.iter().map(|(column, _)| column.table).collect();
    tables.dedup();
    let [table] = tables[..] else { return };
    let dates = crate::build::moments(parser.index, table);
    if dates.len() == 1 {
        let agg = if dir == Dir::Desc { Agg::Max } else { Agg::Min };
        let head = Head { agg: Some(agg), ..Head::plain(Target::Columns(dates)) };
        steps.push((end, draft.with(|next| next.heads.push(head))));
    }
}

/// `at what hour do most rides begin`: an hour of the day, and the verb says by which moment.
pub fn at_what_hour(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let asks = parser.word(at) == "at" && matches!(parser.word(at + 1), "what" | "which");
    let hour = matches!(parser.word(at + 2), "hour" | "time");
    if asks && hour && draft.is_fresh() {
        let end = match parser.role(at + 2, Role::Part(Part::Hour)) {
            Some(end) => end,
            None => at + 3,
        };
        let next = draft.with(|next| next.heads.push(Head::plain(Target::Part(Part::Hour))));
        steps.push((end, Draft { ask: Some(Ask::Which), ..next }));
    }
}

/// `most rides begin`, `most tickets get opened`: the verb at the end says which moment is ranked by.
pub fn event_of_rank(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let timed = matches!(&draft.heads[..], [Head { target: Target::Part(_) | Target::Grain(_), .. }]);
    let by = draft.rank.as_ref().filter(|rank| !rank.open).and_then(|rank| rank.by.as_ref());
    let Some(by) = by.filter(|_| timed && draft.dated.is_none()) else { return };
    let index = parser.index;
    let named = |list: &[&str]| -> Columns {
        let says = |id: &ColId| index.facts(*id).event.iter().any(|word| list.contains(&word.as_str()));
        index.columns().filter(|id| index.column(*id).ty.is_temporal() && says(id)).collect()
    };
    let begins = match parser.word(at) {
        "begin" | "begins" | "start" | "starts" => named(&["start", "started", "begin", "began"]),
        "end" | "ends" | "finish" | "finishes" => named(&["end", "ended", "finish", "finished"]),
        _ => Vec::new(),
    };
    let verbs = event_columns(parser, at).into_iter().map(|(mention, columns)| (mention.end, columns));
    for (end, dates) in verbs.chain([(at + 1, begins)]).filter(|(_, dates)| !dates.is_empty()) {
        let rows = match by.target {
            Target::Thing(thing) => index.things[thing].table,
            _ => None,
        };
        if rows.is_none_or(|table| dates.iter().any(|id| id.table == table)) {
            steps.push((end, draft.with(|next| next.dated = Some(dates))));
            continue;
        }
        // "Most patients are admitted": each time that it happened counts.
        let [date] = dates[..] else { continue };
        let Some(thing) = index.rows_of(date.table) else { continue };
        if rows.is_some_and(|table| index.schema.hops(date.table, table).is_some()) {
            let by = Head::counted(thing);
            let mut next = draft.with(|next| next.dated = Some(dates));
            next.rank.iter_mut().for_each(|rank| rank.by = Some(by.clone()));
            next.assume("counted", format!("rows of {} are counted", index.table(date.table).name));
            steps.push((end, next));
        }
    }
}

/// `new tickets per week`: placed in time by when they came to be.
pub fn new_rows(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let open = draft.heads.is_empty() || draft.is_open();
    if parser.word(at) != "new" || !open || draft.dated.is_some() {
        return;
    }
    let timed = (at..parser.tokens.len()).any(|later| {
        parser.mentions.at(later).iter().any(|mention| {
            matches!(mention.what, What::When(_) | What::Role(Role::Grain(_) | Role::Part(_) | Role::Adjective(_)))
        })
    }) || matches!(&draft.heads[..], [Head { target: Target::Part(_) | Target::Grain(_), .. }]);
    for mention in parser.mentions.at(at + 1) {
        let What::Thing(thing) = mention.what else { continue };
        let Some(table) = parser.index.things[thing].table else { continue };
        let dates = crate::build::moments(parser.index, table);
        if timed && dates.len() == 1 {
            steps.push((at + 1, draft.with(|next| next.dated = Some(dates))));
        }
    }
}
