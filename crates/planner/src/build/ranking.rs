//! Rankings: what is ranked, by what, and whether rows or groups of rows are compared.

use base::Type;
use data::plan::{Agg, Dir, Grain};

use super::Why;
use super::settle::{self, Use};
use super::shape::{List, Shape, TopRequest, aggregate, assumption, sole_thing};
use super::usual;
use crate::draft::{Columns, Draft, Head, Rank, RankKind, Target};
use crate::index::{ColId, Index, ThingId};
use crate::lexicon::Ask;
use crate::score::Feature;

/// The first by a value: rows, groups, or the extreme value itself.
pub fn ranked(index: &Index, draft: &Draft, rank: Rank) -> Result<Shape, Why> {
    if draft.distribution || draft.series.is_some() {
        return Err(Why::unsupported("a ranking of changes or of a distribution"));
    }
    if !draft.having.is_empty() && (draft.heads.is_empty() || rank.kind == RankKind::Recent) {
        return Err(Why::unsupported("a ranking with a condition on groups"));
    }
    if rank.kind == RankKind::Recent {
        return recent(index, draft, rank);
    }
    let Some(by) = rank.by.clone() else {
        let sole = sole_amount(index, draft, &rank).ok_or_else(|| Why::ambiguous("what to rank by is not said"))?;
        let text = format!("how big they are is said by {}", index.column(sole).name);
        let by = Some(Head::plain(Target::Columns(vec![sole])));
        let mut shape = ranked(index, draft, Rank { by, ..rank })?;
        shape.assume(Feature::OpenChoice, assumption("rank", &text));
        return Ok(shape);
    };
    check_order(index, rank.kind, &by)?;
    let (subject, by) = subject(index, draft, by)?;
    let number = rank.number.or(draft.limit);
    let Some(subject) = subject else { return extreme_alone(index, draft, &rank, by, number) };
    let ranking = Ranking { index, draft, rank: &rank, subject: &subject, by: &by, number };
    match ranking.of_rows() {
        Some(list) => Ok(Shape::List(list)),
        None => ranking.of_groups(),
    }
}

/// `the biggest order`: of rows that have just one number, which adds up, that number says how big they are.
fn sole_amount(index: &Index, draft: &Draft, rank: &Rank) -> Option<ColId> {
    let [Head { target: Target::Thing(thing), agg: None, .. }] = draft.heads[..] else { return None };
    let table = index.things[thing].table.filter(|_| rank.kind == RankKind::Extreme)?;
    let mut numbers = index.columns_of(table).filter(|id| index.is_quantity(*id));
    numbers.next().filter(|sole| numbers.next().is_none() && usual::adds_up(index, *sole))
}

/// What has no order of high and low cannot be ranked by it.
fn check_order(index: &Index, kind: RankKind, by: &Head) -> Result<(), Why> {
    let Target::Columns(columns) = &by.target else { return Ok(()) };
    if columns.iter().any(|id| is_place(index, *id)) {
        return Err(Why::ambiguous("whether the first place or the greatest number is the highest rank"));
    }
    // "The longest open ticket" asks how long something took; its date alone does not say.
    if kind == RankKind::Extreme && columns.iter().any(|id| index.column(*id).ty.is_temporal()) {
        return Err(Why::ambiguous("a date is early or late, not high, low or long"));
    }
    Ok(())
}

/// What is ranked, if it is said or can only be one, and what it is ranked by where that depends on it.
fn subject(index: &Index, draft: &Draft, by: Head) -> Result<(Option<Head>, Head), Why> {
    let asks_who = matches!(draft.ask, Some(Ask::Who));
    let subject = match &draft.heads[..] {
        [] if asks_who => {
            let owner = match &by.target {
                Target::Columns(columns) => thing_of(index, columns).ok(),
                _ => None,
            };
            let person = owner.map(|owner| person_of(index, owner));
            sole_thing(index).or(person).map(|thing| Head::plain(Target::Thing(thing)))
        }
        [] => None,
        [head] if head.agg.is_none() && !head.amount => Some(head.clone()),
        // "The ten happiest countries with their scores".
        [head, rest @ ..] if [head].into_iter().chain(rest).all(is_plain) && rest.iter().all(is_column) => {
            Some(head.clone())
        }
        _ => return Err(Why::unsupported("a ranking of several things at once")),
    };
    let (subject, by) = match subject {
        Some(head) if asks_who => acting_person(index, head, by),
        subject => (subject, by),
    };
    if let (true, Some(Head { target: Target::Thing(thing), .. })) = (asks_who, &subject)
        && names_somebody_else(index, *thing)
    {
        return Err(Why::ambiguous("who is meant: its rows are no persons, and name one"));
    }
    Ok((subject, by))
}

/// Whether a column itself decides, and no aggregate of it.
fn is_column_itself(by: &Head) -> bool {
    matches!(by.target, Target::Columns(_)) && by.agg.is_none()
}

/// A ranking of which all parts are known.
struct Ranking<'a> {
    index: &'a Index,
    draft: &'a Draft,
    rank: &'a Rank,
    subject: &'a Head,
    by: &'a Head,
    number: Option<u32>,
}

impl Ranking<'_> {
    /// How many are shown: as many as were said, or ten of the top, or the first.
    fn number(&self) -> u32 {
        self.number.unwrap_or(if self.rank.kind == RankKind::Top { 10 } else { 1 })
    }

    /// The list, where each of what is ranked is a row that has the number itself.
    fn of_rows(&self) -> Option<List> {
        let (index, draft, by) = (self.index, self.draft, self.by);
        if !draft.groups.is_empty() || !draft.having.is_empty() {
            return None;
        }
        match (&by.target, &draft.heads[..]) {
            (Target::Columns(columns), _) if is_column_itself(by) => {
                ranked_rows(index, draft, self.subject, columns, self.rank.dir, self.number, self.rank.kind)
            }
            (Target::Elapsed(interval, op), [_]) if by.agg.is_none() => {
                let Target::Thing(thing) = self.subject.target else { return None };
                let elapsed = Some((*interval, *op, self.rank.dir, self.number()));
                let own = index.things[thing].table == Some(interval.start.table);
                own.then(|| List { thing: Some(thing), elapsed, ..List::default() })
            }
            _ => None,
        }
    }

    /// The groups, where many rows make up each of what is ranked.
    fn of_groups(&self) -> Result<Shape, Why> {
        let beside = self.shown_beside()?;
        self.check_deciding()?;
        let groups = self.groups()?;
        // The hottest day has the highest value of all days.
        let by = match (self.rank.kind, &self.subject.target) {
            (RankKind::Adjective, target) if *target != Target::Grain(Grain::Day) => {
                on_average(self.index, self.by.clone())
            }
            _ => self.by.clone(),
        };
        let averaged = by.agg == Some(Agg::Avg) && is_column_itself(self.by);
        let amount = self.rank.kind == RankKind::Top || by.amount;
        let usage = if amount { Use::Amount } else { Use::Extreme(self.rank.dir) };
        let shape = aggregate(self.index, &Draft { ask: None, ..self.draft.clone() }, vec![by], groups, usage)?;
        let Shape::Aggregate(mut shape) = shape else { return Ok(shape) };
        if averaged {
            shape.features.push(Feature::ImpliedAggregate);
            shape.assumptions.push(assumption("aggregate", "groups of rows are ranked by their average"));
        }
        // "Among those with at least 10 films".
        for condition in &self.draft.having {
            shape.having.push((settle::settle(self.index, &condition.head, Use::Plain, false)?, condition.clone()));
        }
        if self.number.is_none() && self.rank.kind == RankKind::Top {
            shape.features.push(Feature::ImpliedNumber);
            shape.assumptions.push(assumption("number", "top without a number = the first ten"));
        }
        let said = self.draft.with_number || self.draft.heads.len() > 1 + beside.len();
        let asks_which = matches!(self.draft.ask, Some(Ask::Which | Ask::Who));
        let measure_in_focus = said || self.rank.kind == RankKind::Top && !asks_which;
        shape.beside = beside;
        shape.top = Some(TopRequest { number: self.number(), dir: self.rank.dir, measure_in_focus });
        Ok(Shape::Aggregate(shape))
    }

    /// `top 5 stations by trips, with their district`: what every one of them has once.
    fn shown_beside(&self) -> Result<Vec<Columns>, Why> {
        let others = self.draft.heads.iter().skip(1).filter(|head| head.target != self.by.target);
        let shown = others.map(|head| match &head.target {
            Target::Columns(columns) => {
                Some(attributes(self.index, self.subject, columns)).filter(|own| !own.is_empty())
            }
            _ => None,
        });
        let shown: Option<Vec<Columns>> = shown.collect();
        shown.ok_or_else(|| Why::unsupported("a ranking of several things at once"))
    }

    /// Whether what decides can differ between what is ranked, and is one number of each.
    fn check_deciding(&self) -> Result<(), Why> {
        let index = self.index;
        let (by, subject) = (&self.by.target, &self.subject.target);
        if let (Target::Flag(columns), Target::Thing(thing)) = (by, subject)
            && columns.iter().any(|id| index.things[*thing].table == Some(id.table))
        {
            return Err(Why::ambiguous("each of them says yes or no only once"));
        }
        // "The most expensive visit" is not the one whose lines have a high price.
        if let (RankKind::Adjective, None, Target::Columns(columns), Target::Thing(thing)) =
            (self.rank.kind, self.by.agg, by, subject)
            && let Some(own) = index.things[*thing].table
            && columns.iter().all(|id| id.table != own && index.schema.hops(own, id.table).is_none())
        {
            return Err(Why::ambiguous("whether one of its rows decides or all of them together"));
        }
        Ok(())
    }

    /// What is ranked, last, after the groups within which it is.
    fn groups(&self) -> Result<Vec<Target>, Why> {
        let (index, subject) = (self.index, &self.subject.target);
        // "The lowest average cost per shipment": each row is one anyway.
        let per_row = |group: &Target| match (group, &self.by.target) {
            (Target::Thing(thing), Target::Columns(columns)) if self.by.agg == Some(Agg::Avg) => {
                columns.iter().all(|id| index.things[*thing].table == Some(id.table))
            }
            _ => false,
        };
        let mut groups: Vec<Target> = self.draft.groups.iter().filter(|group| !per_row(group)).cloned().collect();
        if groups.contains(subject) {
            return Err(Why::unsupported("a thing is ranked within itself"));
        }
        if groups.iter().any(|group| has_only_one(index, group, subject)) {
            return Err(Why::ambiguous("whether the first for each of them is meant, or the first on average"));
        }
        if let Target::Thing(counted) = self.by.target
            && is_row_of(index, counted, subject)
        {
            return Err(Why::ambiguous("each of them is there only once"));
        }
        groups.push(subject.clone());
        Ok(groups)
    }
}

/// Whether each row that the first stands for has just one of the second: then there is nothing to rank within it.
fn has_only_one(index: &Index, group: &Target, subject: &Target) -> bool {
    let row = match group {
        Target::Thing(thing) => index.things[*thing].table,
        Target::Columns(columns) => columns.iter().find(|id| index.column(**id).unique).map(|id| id.table),
        _ => None,
    };
    row.is_some_and(|table| match subject {
        Target::Thing(thing) => {
            let own = index.things[*thing].table.filter(|own| *own != table);
            own.is_some_and(|own| index.schema.hops(table, own).is_some())
        }
        Target::Columns(columns) => columns.iter().all(|id| id.table == table && !index.column(*id).unique),
        _ => false,
    })
}

/// Whether the rows of a thing are told apart by what is ranked, so that each of these has just one of them.
fn is_row_of(index: &Index, rows: ThingId, subject: &Target) -> bool {
    let Some(table) = index.things[rows].table else { return false };
    let single = |id: &ColId| id.table == table && index.column(*id).unique;
    match subject {
        Target::Thing(thing) => index.things[*thing].keys.iter().any(single),
        Target::Columns(columns) => columns.iter().all(single),
        _ => false,
    }
}

/// "Who" asks for a person: the rows themselves, or the person that each of them belongs to.
fn person_of(index: &Index, rows: ThingId) -> ThingId {
    let person = |thing: &ThingId| index.lexicon.is_of("person", &index.things[*thing].noun);
    let belongs = |thing: &ThingId| match (index.things[rows].table, index.things[*thing].table) {
        (Some(from), Some(to)) => from != to && index.schema.hops(from, to).is_some(),
        (Some(from), None) => index.things[*thing].keys.iter().any(|key| key.table == from),
        _ => false,
    };
    let mut others = (0..index.things.len()).filter(person).filter(belongs);
    match (person(&rows), others.next(), others.next()) {
        (false, Some(one), None) => one,
        _ => rows,
    }
}

/// Whether the rows of a thing are no persons, but say by whom something was done.
fn names_somebody_else(index: &Index, thing: ThingId) -> bool {
    let is_person = |noun: &String| index.lexicon.is_of_any(&["person", "role", "organisation"], noun);
    let named = |id: ColId| {
        let words = &index.facts(id).words;
        let person = words.last().is_some_and(|word| word == "by" || is_person(&index.forms.singular(word)));
        let several = index.facts(id).yes.is_none() && index.column(id).distinct > 2;
        Some(id.table) == index.things[thing].table && index.column(id).ty == Type::Text && person && several
    };
    !is_person(&index.things[thing].noun) && index.columns().any(named)
}

/// "Who roasted the most batches": the person that each row names, and how many of the rest there are for each.
fn acting_person(index: &Index, head: Head, by: Head) -> (Option<Head>, Head) {
    let Target::Thing(thing) = head.target else { return (Some(head), by) };
    let is_person = |noun: &String| index.lexicon.is_person(noun);
    let (Some(table), Target::Thing(done)) = (index.things[thing].table, &by.target) else { return (Some(head), by) };
    if is_person(&index.things[thing].noun) || !is_row_of(index, *done, &head.target) {
        return (Some(head), by);
    }
    let named = |id: &ColId| {
        let person = index.facts(*id).core.last().is_some_and(|word| is_person(&index.forms.singular(word)));
        id.table == table && person && index.column(*id).ty == Type::Text && !index.column(*id).unique
    };
    let persons: Vec<ColId> = index.columns().filter(named).collect();
    match persons[..] {
        [person] => (Some(Head::plain(Target::Columns(vec![person]))), Head::counted(thing)),
        _ => (Some(head), by),
    }
}

/// "The warmest locations" are so on average, unless the numbers add up.
fn on_average(index: &Index, by: Head) -> Head {
    let adds_up = |id: &ColId| index.facts(*id).additive;
    match &by.target {
        Target::Columns(columns)
            if by.agg.is_none() && columns.iter().all(|id| index.column(*id).ty.is_number() && !adds_up(id)) =>
        {
            Head { agg: Some(Agg::Avg), ..by }
        }
        _ => by,
    }
}

/// Those of some columns that belong to the table with one row for each of what is ranked.
fn attributes(index: &Index, subject: &Head, columns: &Columns) -> Columns {
    let own = match subject.target {
        Target::Thing(thing) => index.things[thing].table,
        _ => None,
    };
    columns.iter().copied().filter(|id| Some(id.table) == own).collect()
}

/// In a rank the best has the lowest number.
fn is_place(index: &Index, id: ColId) -> bool {
    index.facts(id).has_any(&["rank", "ranking"])
}

fn is_ordered(index: &Index, id: ColId) -> bool {
    index.column(id).ty.is_number() || index.column(id).ty.is_temporal()
}

fn is_plain(head: &Head) -> bool {
    head.agg.is_none() && !head.amount
}

fn is_column(head: &Head) -> bool {
    matches!(head.target, Target::Columns(_))
}

/// `highest temperature by zone`: no subject, the extreme is an aggregate.
fn extreme_alone(index: &Index, draft: &Draft, rank: &Rank, by: Head, number: Option<u32>) -> Result<Shape, Why> {
    let best = if rank.dir == Dir::Desc { Agg::Max } else { Agg::Min };
    if matches!(by.target, Target::Elapsed(..)) && by.agg.is_none() && number.is_none() {
        let head = Head { agg: Some(best), ..by };
        return aggregate(index, draft, vec![head], draft.groups.clone(), Use::Plain);
    }
    let Target::Columns(columns) = &by.target else {
        return Err(Why::ambiguous("what has the highest or lowest value is not said"));
    };
    // "The lowest number of trips on any one day": the least value of a row, whose noun is said.
    let of_row = draft.scopes.iter().any(|thing| columns.iter().any(|id| index.things[*thing].table == Some(id.table)));
    if !is_column_itself(&by) || by.amount && !of_row || rank.kind == RankKind::Adjective || rank.kind == RankKind::Top
    {
        return Err(Why::ambiguous("what has the highest or lowest value is not said"));
    }
    if !columns.iter().all(|id| is_ordered(index, *id)) {
        return Err(Why::unsupported("texts have no highest and no lowest"));
    }
    if let Some(number) = number {
        let thing = thing_of(index, columns)?;
        let list = List { thing: Some(thing), rank: Some((columns.clone(), rank.dir, number)), ..List::default() };
        return Ok(Shape::List(List { columns: vec![columns.clone()], ..list }));
    }
    let head = Head { agg: Some(best), amount: false, ..by };
    aggregate(index, draft, vec![head], draft.groups.clone(), Use::Plain)
}

pub fn thing_of(index: &Index, columns: &Columns) -> Result<ThingId, Why> {
    let tables: Vec<usize> = columns.iter().map(|id| id.table).collect();
    let thing = index.things.iter().position(|thing| thing.table.is_some_and(|table| tables.contains(&table)));
    thing.ok_or_else(|| Why::unsupported("what to list is not clear"))
}

/// `oldest employee`, `products with the lowest stock`: rows of the ranked thing's own table.
fn ranked_rows(
    index: &Index,
    draft: &Draft,
    subject: &Head,
    columns: &Columns,
    dir: Dir,
    number: Option<u32>,
    kind: RankKind,
) -> Option<List> {
    let of_table = |table: usize| -> Columns {
        columns.iter().copied().filter(|id| id.table == table && is_ordered(index, *id)).collect()
    };
    let (thing, shown) = match &subject.target {
        Target::Thing(thing) => (*thing, Vec::new()),
        // "The name of the employee with the highest salary", or a column that is unique in its table.
        Target::Columns(asked) => {
            let scope = draft.scopes.first().copied();
            let unique = |id: &ColId| index.column(*id).unique;
            // "Which model has done the most km" is said of all its rows together.
            if kind == RankKind::Amount && !asked.iter().any(unique) {
                return None;
            }
            let own = || {
                asked
                    .iter()
                    .find(|id| unique(id))
                    .and_then(|id| index.things.iter().position(|t| t.table == Some(id.table)))
            };
            (scope.or_else(own)?, vec![asked.clone()])
        }
        _ => return None,
    };
    let table = index.things[thing].table?;
    let ranked = of_table(table);
    if ranked.is_empty() {
        return None;
    }
    let implied = if kind == RankKind::Top { 10 } else { 1 };
    let rank = Some((ranked, dir, number.unwrap_or(implied)));
    let mut shown: Vec<Columns> = shown;
    for head in draft.heads.iter().skip(1) {
        if let Target::Columns(columns) = &head.target {
            shown.push(columns.clone());
        }
    }
    let mut list = List { thing: Some(thing), columns: shown, rank, ..List::default() };
    if number.is_none() && kind == RankKind::Top {
        list.features.push(Feature::ImpliedNumber);
        list.assumptions.push(assumption("number", "top without a number = the first ten"));
    }
    Some(list)
}

/// `latest order`, `when was the first ticket`, `last order date`.
fn recent(index: &Index, draft: &Draft, rank: Rank) -> Result<Shape, Why> {
    let [head] = &draft.heads[..] else { return Err(Why::unsupported("what is latest is not said")) };
    let agg = if rank.dir == Dir::Desc { Agg::Max } else { Agg::Min };
    let number = rank.number.or(draft.limit);
    if let Target::Columns(columns) = &head.target
        && head.agg.is_none()
        && number.is_none()
        && columns.iter().all(|id| index.column(*id).ty.is_temporal())
    {
        let head = Head { agg: Some(agg), ..head.clone() };
        return aggregate(index, draft, vec![head], draft.groups.clone(), Use::Plain);
    }
    if let Target::Columns(columns) = &head.target
        && (head.agg, number, rank.dir) == (None, None, Dir::Desc)
        && columns.iter().all(|id| index.column(*id).running.is_some())
    {
        return aggregate(index, draft, vec![head.clone()], draft.groups.clone(), Use::Amount);
    }
    let Target::Thing(thing) = head.target else {
        return Err(Why::unsupported("only rows with a date have a latest one"));
    };
    let Some(table) = index.things[thing].table.filter(|_| head.agg.is_none() && draft.groups.is_empty()) else {
        return Err(Why::unsupported("only rows with a date have a latest one"));
    };
    let columns = super::date::beginnings(index, super::date::dates_of(index, table));
    if columns.is_empty() {
        return Err(Why::unsupported(format!("a {} has no date", index.things[thing].noun)));
    }
    if draft.ask == Some(Ask::When) {
        if number.is_some() {
            return Err(Why::unsupported("one time is asked for, not several"));
        }
        let head = Head { agg: Some(agg), ..Head::plain(Target::Columns(columns)) };
        return aggregate(index, draft, vec![head], Vec::new(), Use::Plain);
    }
    let rank = Some((columns, rank.dir, number.unwrap_or(1)));
    Ok(Shape::List(List { thing: Some(thing), rank, ..List::default() }))
}
