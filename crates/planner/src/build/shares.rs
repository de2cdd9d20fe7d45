//! Shares: of the rows a condition holds for, or of each group.

use data::plan::Agg;

use super::Why;
use super::settle::{self, Number, Use};
use super::shape::{Aggregate, Shape, Share, TopRequest};
use crate::draft::{Condition, Draft, Filter, Head, Target, Zone};
use crate::index::{Index, ThingId};
use crate::score::Feature;

/// `what share of tickets is Critical`, `percentage of orders returned`, `share of revenue by category`.
pub fn share(index: &Index, draft: &Draft) -> Result<Shape, Why> {
    if draft.rank.is_some() || !draft.having.is_empty() || draft.series.is_some() || draft.distribution {
        return Err(Why::unsupported("a share together with a ranking"));
    }
    // "What percentage of women are married": the rows that the first condition holds for.
    let rows = [Head::count_of(Target::Rows)];
    let whole_said = draft.filters.iter().any(|filter| filter.zone == Zone::BeforeHead && !is_time(filter));
    let predicated = draft.filters.iter().any(|filter| filter.zone == Zone::Predicate && !is_time(filter));
    let implied = draft.heads.is_empty() && whole_said && predicated;
    // "Share of women by department": of all rows that may be women.
    let parts = draft.filters.iter().filter(|filter| !is_time(filter)).count();
    let owner = super::shape::conditioned_thing(index, &draft.filters).filter(|_| parts == 1 && !predicated);
    let unsaid = draft.heads.is_empty() && owner.is_some();
    let owned = owner.map(Head::counted);
    let heads = match (implied, unsaid) {
        (true, _) => &rows[..],
        (_, true) => owned.as_slice(),
        _ => &draft.heads[..],
    };
    let [head] = heads else {
        return Err(Why::unsupported("a share of several things"));
    };
    let mut filters = draft.filters.clone();
    let mut head = head.clone();
    if let Target::Flag(columns) = &head.target
        && head.agg.is_none()
    {
        // "What share of anomalies is ...": the anomalies are the whole.
        let whole = Filter { condition: Condition::Flag(columns.clone()), negated: false, zone: Zone::BeforeHead };
        if !filters.iter().any(|filter| filter.zone == Zone::Predicate && !is_time(filter)) {
            return aggregate_of_flag(index, draft, head);
        }
        filters.push(whole);
        head = Head::count_of(Target::Rows);
    }
    if let Target::Columns(columns) = &head.target
        && head.agg.is_none()
        && let [column] = columns[..]
        && index.column(column).unique
        && let Some(thing) = index.rows_of(column.table)
    {
        // One row for each: "what percent of countries".
        head = Head::counted(thing);
    }
    // "Include breakfast and were cancelled in May": what the verbs say belongs together, a period included.
    let said = filters.iter().filter(|filter| filter.zone != Zone::BeforeHead).count();
    if draft.coordinated && said > 1 {
        return Err(Why::ambiguous("which of the conditions the share is of, and which limit the whole"));
    }
    let (conditions, whole) = split(filters);
    if conditions.len() > 1 {
        return Err(Why::ambiguous("which of the conditions the share is of, and which limit the whole"));
    }
    let settled = settle::settle(index, &head, Use::Plain, false)?;
    let additive = match &settled.what {
        Number::Count(_) => true,
        Number::Declared(measure) => matches!(index.measure(*measure).agg, Agg::Sum | Agg::Count),
        Number::Column { agg, .. } => *agg == Agg::Sum,
        Number::Flag { .. } | Number::Ratio(_) | Number::Days => false,
        Number::Elapsed { agg, .. } | Number::Formula { agg, .. } => *agg == Agg::Sum,
        Number::Correlation(_) => false,
    };
    if !additive {
        return Err(Why::unsupported("a share of something that does not add up"));
    }
    let share = match (conditions.is_empty(), draft.groups.is_empty()) {
        (false, _) => Share::Where(conditions),
        (true, false) => Share::PerGroup,
        (true, true) => return Err(Why::ambiguous("a share of what is not said")),
    };
    let mut shape =
        Aggregate { groups: draft.groups.clone(), filters: whole, share: Some(share), ..Aggregate::default() };
    shape.assumptions.extend(settled.assumption.clone());
    shape.measures.push(settled);
    if let (true, Some(thing)) = (unsaid, owner) {
        assume_whole(index, &mut shape, thing);
    }
    Ok(Shape::Aggregate(shape))
}

/// Of what the share is taken was not said.
fn assume_whole(index: &Index, shape: &mut Aggregate, thing: ThingId) {
    let noun = &index.things[thing].noun;
    let text = format!("the share is that of every {noun} there, in each group on its own");
    shape.assumptions.push(super::shape::assumption("share", &text));
    shape.features.push(Feature::OpenChoice);
}

/// `which agent has the highest share of late tickets`, `which miss the deadline on the largest share of their tickets`.
pub fn ranked(index: &Index, draft: &Draft) -> Result<Shape, Why> {
    let (Some(rank), [subject]) = (&draft.rank, &draft.heads[..]) else {
        return Err(Why::unsupported("what has the highest share is not said"));
    };
    let plain = subject.agg.is_none() && !subject.amount && !draft.groups.contains(&subject.target);
    if !plain || !draft.having.is_empty() || draft.series.is_some() || draft.distribution || draft.with_number {
        return Err(Why::unsupported("a share together with a ranking"));
    }
    let owner = super::shape::conditioned_thing(index, &draft.filters);
    let rows = Head::plain(owner.map_or(Target::Rows, Target::Thing));
    let counted = Head { agg: Some(Agg::Count), amount: false, ..rank.by.clone().unwrap_or(rows) };
    if !counted.target.is_rows() {
        return Err(Why::unsupported("a share of something that is not counted"));
    }
    // What is said after "share of" is the part; without it, what the verb before it says.
    let (before, after) = draft.filters.split_at(draft.share_from.min(draft.filters.len()));
    let is_part = |filter: &Filter| !is_time(filter) && filter.zone != Zone::BeforeHead;
    let (parts, whole): (Vec<Filter>, Vec<Filter>) = match after.iter().any(|filter| !is_time(filter)) {
        true => {
            let (parts, times): (Vec<Filter>, Vec<Filter>) = after.iter().cloned().partition(|f| !is_time(f));
            (parts, before.iter().cloned().chain(times).collect())
        }
        false => draft.filters.iter().cloned().partition(is_part),
    };
    if parts.len() != 1 {
        return Err(Why::ambiguous("which condition the share is of"));
    }
    let settled = settle::settle(index, &counted, Use::Plain, false)?;
    let mut groups = draft.groups.clone();
    groups.push(subject.target.clone());
    let number = rank.number.or(draft.limit).unwrap_or(1);
    let top = Some(TopRequest { number, dir: rank.dir, measure_in_focus: false });
    let share = Some(Share::Where(parts));
    let measures = vec![settled];
    let mut shape = Aggregate { groups, filters: whole, share, top, measures, ..Aggregate::default() };
    if let (None, Some(thing)) = (&rank.by, owner) {
        assume_whole(index, &mut shape, thing);
    }
    Ok(Shape::Aggregate(shape))
}

fn aggregate_of_flag(index: &Index, draft: &Draft, head: Head) -> Result<Shape, Why> {
    let settled = settle::settle(index, &Head { agg: Some(Agg::Avg), ..head }, Use::Plain, false)?;
    let mut shape = Aggregate { groups: draft.groups.clone(), filters: draft.filters.clone(), ..Aggregate::default() };
    shape.measures.push(settled);
    Ok(Shape::Aggregate(shape))
}

fn is_time(filter: &Filter) -> bool {
    matches!(filter.condition, Condition::Time { .. })
}

/// The condition whose share is asked, and what limits the whole: a period always limits the whole; what the verb says is
/// the condition; without a verb, what follows the noun is; without that, what stands before it.
fn split(filters: Vec<Filter>) -> (Vec<Filter>, Vec<Filter>) {
    let zones = [Zone::Predicate, Zone::AfterHead, Zone::BeforeHead];
    let said = zones.into_iter().find(|zone| filters.iter().any(|filter| filter.zone == *zone && !is_time(filter)));
    filters.into_iter().partition(|filter| !is_time(filter) && Some(filter.zone) == said)
}
