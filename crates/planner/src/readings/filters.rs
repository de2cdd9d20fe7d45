//! Conditions on rows: cells, two-valued columns, absence and single things, each of them possibly negated. Periods are in
//! `times.rs`.

use data::plan::{Agg, Test};

use super::{Parser, Steps, features, kinds, times};
use crate::draft::{Columns, Condition, Draft, Filter, Pending, Target, Zone};
use crate::index::ColId;
use crate::lexicon::{Glue, Role};
use crate::mentions::{Mention, What};
use crate::score::Feature;
use crate::words::{is_be, is_participle};

type Cells = Vec<(ColId, Vec<String>)>;

pub(super) fn add(draft: &Draft, condition: Condition, found: &[Feature]) -> Draft {
    add_filter(draft, condition, found, false)
}

pub(super) fn add_negated(draft: &Draft, condition: Condition, found: &[Feature]) -> Draft {
    add_filter(draft, condition, found, true)
}

fn add_filter(draft: &Draft, condition: Condition, found: &[Feature], negated: bool) -> Draft {
    let zone = draft.zone();
    draft.with(|next| {
        next.features.extend_from_slice(found);
        next.filters.push(Filter { condition, negated, zone });
    })
}

/// Whether "by" says who or what did it: just after a participle.
fn is_done_by(parser: &Parser, at: usize) -> bool {
    parser.word(at) == "by" && is_participle(parser.before(at))
}

/// Whether a cell of a column can be said of the noun that follows it: "German clients" are not those whose translators know
/// German.
fn may_describe(parser: &Parser, noun: usize, column: ColId) -> bool {
    let schema = &parser.index.schema;
    let near = |table: usize| {
        table == column.table
            || schema.hops(table, column.table).is_some()
            || schema.hops(column.table, table).is_some()
    };
    let things = parser.mentions.at(noun).iter().filter(|mention| !mention.synonym && !mention.partial);
    let mut tables = things.filter_map(|mention| match mention.what {
        What::Thing(thing) => parser.index.things[thing].table,
        _ => None,
    });
    tables.all(near)
}

/// `Electronics`, `Books or Toys`, `in the North zone`.
pub fn value(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    for list in value_lists(parser, at) {
        // The column's name may follow: "North zone".
        let named = restricted(parser, list.end, &list.cells);
        let is_name = !parser.targets(at).is_empty();
        let mut found = if is_name && named.is_none() { vec![Feature::ValueOverName] } else { Vec::new() };
        if beside_period(parser, at, list.end) {
            found.push(Feature::ValueBesidePeriod);
        }
        if list.loose {
            found.push(Feature::LooseValue);
        }
        let compared = list.compared || is_comparison(parser) && list.several();
        // A bare number is a cell of a text only where its column is named.
        let bare = list.end == at + 1 && parser.tokens[at].number().is_some();
        let mut alone = list.cells.clone();
        alone.retain(|(column, _)| !(bare && parser.index.facts(*column).digits));
        let mut alone = directed(parser, at, &alone).unwrap_or(alone);
        alone.retain(|(column, _)| may_describe(parser, list.end, *column));
        let alone = (!alone.is_empty()).then_some((list.end, alone));
        for (end, cells) in alone.into_iter().chain(named) {
            let columns: Columns = cells.iter().map(|(column, _)| *column).collect();
            let mut next = add(draft, Condition::Values { cells, all: list.all }, &found);
            let group = Target::Columns(columns);
            if compared && !next.groups.contains(&group) {
                next.groups.push(group);
            }
            steps.push((end, next));
        }
        // "The agent resolved", "were resolved": the verb may mean the event rather than the state.
        let happened = matches!(parser.before(at), "was" | "were" | "been" | "got" | "get");
        if draft.zone() == Zone::AfterHead || happened {
            for (end, dates) in event_dates(parser, at).into_iter().filter(|(end, _)| *end == list.end) {
                let next = add_negated(draft, Condition::Empty(dates), &found);
                steps.push((end, next));
            }
        }
    }
}

/// `from Hamburg to Genoa`: of two columns with such cells, the one that the preposition speaks of.
fn directed(parser: &Parser, at: usize, cells: &Cells) -> Option<Cells> {
    const ORIGINS: &[&str] = &["origin", "from", "start", "source", "departure", "sender", "pickup"];
    const ENDS: &[&str] = &["destination", "to", "end", "target", "arrival", "receiver", "recipient", "dropoff"];
    let (wanted, other) = match parser.word_before_determiners(at) {
        "from" | "leaving" => (ORIGINS, ENDS),
        "to" | "into" => (ENDS, ORIGINS),
        _ => return None,
    };
    let said = |list: &[&str], id: &ColId| parser.index.facts(*id).has_any(list);
    let kept: Cells = cells.iter().filter(|(id, _)| said(wanted, id)).cloned().collect();
    let opposed = cells.iter().any(|(id, _)| said(other, id) && !said(wanted, id));
    (kept.len() == 1 && opposed).then_some(kept)
}

fn is_comparison(parser: &Parser) -> bool {
    parser.tokens.iter().any(|token| matches!(token.fold.as_str(), "compare" | "comparison"))
}

/// Whether the words are also a date's verb with a period after them: then the date is meant.
fn beside_period(parser: &Parser, at: usize, end: usize) -> bool {
    let is_verb = |what: &What| match what {
        What::Event(_) => true,
        What::Columns(columns) => columns.iter().any(|id| parser.index.column(*id).ty.is_temporal()),
        _ => false,
    };
    let verb = parser.mentions.at(at).iter().any(|mention| mention.end == end && is_verb(&mention.what));
    verb && after_joints(parser, end).any(|next| parser.mentions.is_period(next))
}

/// The position itself and those after each joining word that follows.
pub(super) fn after_joints<'p>(parser: &'p Parser, at: usize) -> impl Iterator<Item = usize> + 'p {
    let mut next = Some(at);
    std::iter::from_fn(move || {
        let here = next?;
        next = parser.roles(here).find_map(|(end, role)| matches!(role, Role::Glue(_)).then_some(end));
        Some(here)
    })
}

struct ValueList {
    end: usize,
    cells: Cells,
    all: bool,
    compared: bool,
    /// Whether a cell was found by a part or another form of its text.
    loose: bool,
}

impl ValueList {
    fn several(&self) -> bool {
        self.cells.iter().any(|(_, texts)| texts.len() > 1)
    }
}

/// One cell, or several of one column joined by commas, "or", "and", "vs".
fn value_lists(parser: &Parser, at: usize) -> Vec<ValueList> {
    let mut lists = Vec::new();
    for (end, cells, loose) in values_at(parser, at) {
        let mut list = ValueList { end, cells, all: false, compared: false, loose };
        while let Some((end, all, versus)) = list_joint(parser, list.end) {
            // "For men and for women" asks for each of them.
            let each = parser.word_before_determiners(at) == "for" && parser.word(end) == "for";
            let end = if each { end + 1 } else { end };
            // "Full" of "full time" is no determiner.
            let starts = [end, parser.skip_determiners(end)];
            let next = starts.into_iter().flat_map(|start| values_at(parser, start));
            let longer = next.into_iter().find_map(|(end, cells, loose)| {
                let both = intersect(&list.cells, &cells);
                (!both.is_empty()).then_some((end, both, loose))
            });
            let Some((end, both, loose)) = longer else { break };
            let compared = list.compared || versus || each;
            list = ValueList { end, cells: both, all: list.all || all && !each, compared, loose: list.loose || loose };
        }
        lists.push(list);
    }
    lists
}

fn list_joint(parser: &Parser, at: usize) -> Option<(usize, bool, bool)> {
    let start = if parser.comma(at) { at + 1 } else { at };
    let or = parser.role(start, Role::Or).map(|end| (end, false, false));
    let and = || parser.role(start, Role::And).map(|end| (end, true, false));
    let versus = || parser.role(start, Role::Versus).map(|end| (end, false, true));
    or.or_else(and).or_else(versus).or((start > at).then_some((start, true, false)))
}

/// The cells that start at a position, and whether they were found by less than their text.
fn values_at(parser: &Parser, at: usize) -> Vec<(usize, Cells, bool)> {
    let mentions = parser.mentions.at(at).iter();
    let cells = |found: &Vec<(ColId, String)>| {
        let mut cells: Cells = Vec::new();
        for (column, text) in found {
            match cells.iter_mut().find(|(known, _)| known == column) {
                Some((_, texts)) => texts.push(text.clone()),
                None => cells.push((*column, vec![text.clone()])),
            }
        }
        cells
    };
    let found = |m: &Mention| match &m.what {
        What::Value(found) => Some((m.end, cells(found), m.synonym)),
        _ => None,
    };
    mentions.filter_map(found).collect()
}

fn intersect(first: &Cells, second: &Cells) -> Cells {
    let joined = |(column, texts): &(ColId, Vec<String>)| {
        let (_, more) = second.iter().find(|(other, _)| other == column)?;
        Some((*column, texts.iter().chain(more).cloned().collect()))
    };
    first.iter().filter_map(joined).collect()
}

/// The cells of the column whose name comes at a position.
fn restricted(parser: &Parser, at: usize, cells: &Cells) -> Option<(usize, Cells)> {
    parser.mentions.at(at).iter().find_map(|mention| {
        let What::Columns(columns) = &mention.what else { return None };
        let kept: Cells = cells.iter().filter(|(column, _)| columns.contains(column)).cloned().collect();
        (!kept.is_empty()).then_some((mention.end, kept))
    })
}

/// `category Electronics`, `status is Open`, `priority = High`.
pub fn column_value(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    for mention in parser.mentions.at(at) {
        let What::Columns(columns) = &mention.what else { continue };
        let joins = |glue| matches!(glue, Glue::Be | Glue::Have | Glue::Determiner | Glue::Preposition);
        let last = parser.skip(mention.end, joins);
        for joint in after_joints(parser, mention.end).take_while(|joint| *joint <= last) {
            let start = parser.role(joint, Role::Compare(Test::Eq)).unwrap_or(joint);
            let (start, negated) = match parser.role(start, Role::Not) {
                Some(end) => (parser.skip_determiners(end), true),
                None => (start, false),
            };
            for list in value_lists(parser, start) {
                // "Rated 16+" may be said of another rating than the one that is a number.
                let noun = |id: &ColId| parser.index.facts(*id).core.last();
                let alike = |id: &ColId| columns.iter().any(|said| mention.stemmed && noun(said) == noun(id));
                let fits = |id: &ColId| columns.contains(id) || alike(id);
                let kept: Cells = list.cells.iter().filter(|(column, _)| fits(column)).cloned().collect();
                if !kept.is_empty() {
                    let loose = list.loose.then_some(Feature::LooseValue);
                    let found: Vec<Feature> = features(mention).into_iter().chain(loose).collect();
                    let condition = Condition::Values { cells: kept, all: list.all };
                    steps.push((list.end, add_filter(draft, condition, &found, negated)));
                }
            }
        }
    }
}

/// `rated 16+` of `Age Rating`, `paid in cash` of `payment_method`: the participle has the root of the cell's column.
pub fn participle_value(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    const ROOT_MIN: usize = 3;
    let word = parser.word(at);
    let stem = parser.index.forms.stem(word);
    let root = word.strip_suffix("ed").unwrap_or(&stem);
    if !is_participle(word) || root.len() < ROOT_MIN {
        return;
    }
    let start = parser.skip(at + 1, |glue| matches!(glue, Glue::Determiner | Glue::Preposition));
    for list in value_lists(parser, start) {
        let named = |id: &ColId| parser.index.facts(*id).words.iter().any(|word| word.starts_with(root));
        let kept: Cells = list.cells.iter().filter(|(column, _)| named(column)).cloned().collect();
        if !kept.is_empty() {
            let loose = list.loose.then_some(Feature::LooseValue);
            let found: Vec<Feature> = [Feature::StemmedName].into_iter().chain(loose).collect();
            steps.push((list.end, add(draft, Condition::Values { cells: kept, all: list.all }, &found)));
        }
    }
}

/// `returned`, `SLA met`.
pub fn flag(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    for mention in parser.mentions.at(at) {
        if let What::Flag(columns) = &mention.what {
            if super::groups::go_on(parser, at, draft, columns) {
                continue;
            }
            let mut next = add(draft, Condition::Flag(columns.clone()), &features(mention));
            // "What percentage of women survived": the verb is the condition, the women are the whole.
            let whole = draft.filters.last().is_some_and(|last| matches!(last.condition, Condition::Values { .. }));
            let verb = parser.word(mention.end - 1).ends_with("ed") || mention.synonym;
            if draft.share && draft.heads.is_empty() && whole && verb {
                next.filters.last_mut().expect("a filter was just added").zone = Zone::Predicate;
            }
            steps.push((mention.end, next));
        }
    }
}

/// `not`, `never`, `excluding`: turns the condition that follows into its opposite.
pub fn negation(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let Some(end) = parser.role(at, Role::Not) else { return };
    let start = parser.skip(end, |_| true);
    // "Not about billing".
    let start = start + usize::from(parser.word(start) == "about");
    for start in [end, start] {
        negated(
            parser,
            start,
            draft,
            &[value, column_value, flag, super::compare::column_compare, times::time, times::event_time, kinds::free],
            steps,
        );
        missing_event(parser, start, draft, steps);
        if start == end && parser.skip(end, |_| true) == end && parser.word(end) != "about" {
            break;
        }
    }
}

/// `not resolved` where the moment of it is known: the moment is missing.
fn missing_event(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    for (end, dates) in event_dates(parser, at) {
        steps.push((end, add(draft, Condition::Empty(dates), &[])));
    }
}

/// Dates that may be missing, by the verb they are named after.
fn event_dates(parser: &Parser, at: usize) -> Vec<(usize, Columns)> {
    let missing = |id: &ColId| parser.index.column(*id).nulls > 0;
    let mentions = parser.mentions.at(at).iter();
    let dates = mentions.filter_map(|mention| match &mention.what {
        What::Event(columns) => Some((mention.end, columns.iter().copied().filter(missing).collect::<Columns>())),
        _ => None,
    });
    dates.filter(|(_, columns)| !columns.is_empty()).collect()
}

/// `missed the SLA`, `failed SLA`: verbs that deny a two-valued column.
pub fn failure(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    if let Some(end) = parser.role(at, Role::Failed) {
        denied_flag_part(parser, parser.skip_determiners(end), draft, steps);
        negated(parser, parser.skip_determiners(end), draft, &[flag], steps);
    }
}

/// The verb has taken the place of one word of the column's name: "missed SLA" against `sla_met`.
fn denied_flag_part(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let columns = denied_flags(parser, at);
    if !columns.is_empty() {
        let next = add_negated(draft, Condition::Flag(columns), &[Feature::StemmedName]);
        steps.push((at + 1, next));
    }
}

/// The two-valued columns that say of the word at a position that it was kept.
pub(super) fn denied_flags(parser: &Parser, at: usize) -> Columns {
    let stem = parser.tokens.get(at).map_or("", |token| token.stem.as_str());
    let index = parser.index;
    let verbs = ["met", "passed", "kept", "achieved", "ok"];
    let kept = |id: &ColId| {
        let core = &index.facts(*id).core;
        core.len() == 2
            && core.iter().any(|word| index.forms.stem(word) == stem)
            && core.iter().any(|word| verbs.contains(&word.as_str()))
    };
    index.columns().filter(|id| index.facts(*id).yes.is_some()).filter(kept).collect()
}

fn negated(parser: &Parser, at: usize, draft: &Draft, productions: &[super::Production], steps: &mut Steps) {
    if at >= parser.tokens.len() {
        return;
    }
    let mut found = Steps::new();
    for production in productions {
        production(parser, at, draft, &mut found);
    }
    for (end, mut next) in found {
        if next.filters.len() == draft.filters.len() + 1 {
            let last = next.filters.last_mut().expect("a filter was just added");
            last.negated = !last.negated;
            steps.push((end, next));
        }
    }
}

/// `unresolved`, `unanswered`: the opposite of a two-valued column, or a date that is not there yet.
pub fn negative_prefix(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    for mention in parser.mentions.at(at) {
        let What::Opposite { flags, dates } = &mention.what else { continue };
        if !flags.is_empty() {
            let next = add_negated(draft, Condition::Flag(flags.clone()), &features(mention));
            steps.push((mention.end, next));
        }
        if !dates.is_empty() {
            steps.push((mention.end, add(draft, Condition::Empty(dates.clone()), &[])));
        }
    }
}

/// `without a satisfaction score`, `missing temperature`, `products without orders`.
pub fn lack(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    for (end, role) in parser.roles(at) {
        if role != Role::Lack {
            continue;
        }
        let start = parser.skip_determiners(end);
        let unfilled = (at..end).any(|word| {
            matches!(parser.word(word), "missing" | "miss" | "misses" | "empty" | "null" | "unknown" | "blank")
        });
        for mention in parser.mentions.at(start) {
            let (condition, negated) = match &mention.what {
                What::Columns(columns) if columns.iter().all(|id| parser.index.facts(*id).yes.is_none()) => {
                    match unfilled {
                        true => (Condition::Missing(columns.clone()), false),
                        false => (Condition::Empty(columns.clone()), false),
                    }
                }
                // "Without a courier" where a column says whether one was sent.
                What::Columns(columns) if columns.iter().all(|id| parser.index.facts(*id).yes.is_some()) => {
                    (Condition::Flag(columns.clone()), true)
                }
                What::Thing(thing) if parser.index.things[*thing].table.is_none() => {
                    (Condition::Empty(parser.index.things[*thing].keys.clone()), false)
                }
                What::Thing(thing) => (Condition::Related(*thing), true),
                What::Flag(columns) => (Condition::Flag(columns.clone()), true),
                What::Event(dates) => (Condition::Empty(dates.clone()), false),
                _ => continue,
            };
            // "No discharge date": the noun of what a moment is.
            let moment = matches!(mention.what, What::Event(_)) && matches!(parser.word(mention.end), "date" | "time");
            let mut next = add(draft, condition, &features(mention));
            let last = next.filters.last_mut().expect("a filter was just added");
            last.negated = negated;
            if mention.partial && matches!(last.condition, Condition::Flag(_)) {
                next.features.push(Feature::OpenChoice);
            }
            steps.push((mention.end + usize::from(moment), next));
        }
    }
}

/// `the budget is unknown`, `whose rating is missing`.
pub fn absent(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    if draft.is_open() && draft.pending != Some(Pending::Agg(Agg::Count, None)) {
        return;
    }
    for mention in parser.mentions.at(at) {
        let What::Columns(columns) = &mention.what else { continue };
        let start = parser.skip(mention.end, |glue| glue == Glue::Be);
        // "Is the budget unknown" has the verb before it.
        let said = start > mention.end || is_be(parser.word_before_determiners(at));
        let Some(end) = parser.role(start, Role::Absent).filter(|_| said) else { continue };
        steps.push((end, add(draft, Condition::Missing(columns.clone()), &features(mention))));
    }
}

/// `still working`, `still open`: what has an end of its own has not come to it.
pub fn still(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    // "Still have to pass" denies that they have.
    let denies = parser.role(at, Role::Not).is_some();
    let Some(end) = parser.role(at, Role::Still).filter(|_| !denies) else { return };
    let index = parser.index;
    let ends: Columns =
        index.columns().filter(|id| index.column(*id).ty.is_temporal() && index.column(*id).nulls > 0).collect();
    let goes_on = matches!(
        parser.word(end),
        "working" | "employed" | "work" | "here" | "open" | "active" | "in" | "with" | "admitted" | "ongoing"
    );
    match ends.len() {
        0 => steps.push((end, draft.clone())),
        // "In transit at the moment": a state is that of now.
        _ if states_now(parser, at, draft) => {
            steps.push((end, draft.with(|next| next.features.push(Feature::OpenChoice))))
        }
        1 if goes_on && !in_a_period(parser, end + 1) => {
            steps.push((end, add(draft, Condition::Empty(ends), &[Feature::OpenChoice])))
        }
        // A condition that says itself what has not happened: "still unpaid", "still not resolved".
        _ if says_not(parser, end) => steps.push((end, draft.clone())),
        _ => {}
    }
}

/// Whether a cell that says how things stand comes just before words for now.
fn states_now(parser: &Parser, at: usize, draft: &Draft) -> bool {
    let state = |filter: &Filter| matches!(filter.condition, Condition::Values { .. }) && !filter.negated;
    let cell = |mention: &Mention| mention.end == at && matches!(mention.what, What::Value(_));
    let just_said = (0..at).any(|start| parser.mentions.at(start).iter().any(cell));
    parser.word(at) != "still" && just_said && draft.filters.last().is_some_and(state)
}

/// "Still here in 2020" is said of another day than the last.
fn in_a_period(parser: &Parser, at: usize) -> bool {
    let period = |mention: &Mention| matches!(mention.what, What::When(_));
    after_joints(parser, at).any(|next| parser.mentions.at(next).iter().any(period))
}

fn says_not(parser: &Parser, at: usize) -> bool {
    parser.mentions.at(at).iter().any(|mention| match &mention.what {
        What::Opposite { .. } => true,
        What::Role(role) => matches!(role, Role::Not | Role::Lack),
        _ => false,
    })
}

/// `tickets by agent 7`, `books by Mira Holt`: after "by" a single thing is a condition, not a group.
pub fn by_one(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let Some(end) = parser.role(at, Role::GroupBy).filter(|_| parser.word(at) == "by" && !draft.heads.is_empty())
    else {
        return;
    };
    if draft.rank.is_none() {
        let start = parser.skip_determiners(end);
        // "Driven by diesel cars": the noun after the cell belongs to it.
        let connected = Draft { connected: true, ..draft.clone() };
        if start < parser.tokens.len() {
            key(parser, start, draft, steps);
            value(parser, start, if is_done_by(parser, at) { &connected } else { draft }, steps);
        }
    }
}

/// `order 1001`, `customer #42`.
pub fn key(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    for mention in parser.mentions.at(at) {
        let What::Thing(thing) = mention.what else { continue };
        let plural = parser.tokens[mention.end - 1].fold != parser.tokens[mention.end - 1].singular;
        let after = parser.role(mention.end, Role::Numbered).unwrap_or(mention.end);
        let Some(number) = parser.tokens.get(after).and_then(|token| token.number()) else { continue };
        if !plural && number.fract() == 0.0 && number >= 0.0 {
            steps.push((after + 1, add(draft, Condition::Key { thing, number }, &features(mention))));
        }
    }
}
