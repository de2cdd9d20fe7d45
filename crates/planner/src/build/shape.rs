//! What kind of answer a draft asks for: numbers, possibly per group, or a list of rows.

use base::Type;
use data::chart::Wish;
use data::plan::{Agg, ComputeOp, Dir, Grain, LIMIT_MAX, Op};

use super::settle::{self, Number, Settled, Use};
use super::{Why, charts, ranking, usual};
use crate::Assumption;
use crate::draft::{Columns, Condition, Draft, Filter, Having, Head, Pending, Target};
use crate::index::{ColId, Index, Interval, ThingId};
use crate::lexicon::Ask;
use crate::score::Feature;

/// The kinds of answers.
pub enum Shape {
    Aggregate(Aggregate),
    List(List),
}

/// Numbers, per group where there are groups.
#[derive(Default)]
pub struct Aggregate {
    pub measures: Vec<Settled>,
    pub groups: Vec<Target>,
    /// Columns of what is ranked that are shown with it.
    pub beside: Vec<Columns>,
    pub top: Option<TopRequest>,
    pub having: Vec<(Settled, Having)>,
    pub filters: Vec<Filter>,
    pub share: Option<Share>,
    /// Conditions that each get a number of their own.
    pub sides: Vec<Filter>,
    /// Whether the groups are counted, not listed.
    pub counted: bool,
    pub series: Option<ComputeOp>,
    pub features: Vec<Feature>,
    pub assumptions: Vec<Assumption>,
}

/// A share of something.
pub enum Share {
    /// Of the rows that these conditions hold for.
    Where(Vec<Filter>),
    /// Of each group.
    PerGroup,
}

/// The first groups by the first measure; the last group is what is ranked, those before it restart the count.
pub struct TopRequest {
    pub number: u32,
    pub dir: Dir,
    /// Whether the measure is part of the answer, not only its reason.
    pub measure_in_focus: bool,
}

/// Rows, or distinct values.
#[derive(Default)]
pub struct List {
    pub thing: Option<ThingId>,
    pub columns: Vec<Columns>,
    pub rank: Option<(Columns, Dir, u32)>,
    /// Ranked by how long each row took.
    pub elapsed: Option<(Interval, Op, Dir, u32)>,
    pub features: Vec<Feature>,
    pub assumptions: Vec<Assumption>,
}

impl Shape {
    /// Takes something for granted, at a price.
    pub fn assume(&mut self, feature: Feature, assumption: Assumption) {
        let (features, assumptions) = match self {
            Shape::Aggregate(aggregate) => (&mut aggregate.features, &mut aggregate.assumptions),
            Shape::List(list) => (&mut list.features, &mut list.assumptions),
        };
        features.push(feature);
        assumptions.push(assumption);
    }

    pub fn features(&self) -> Vec<Feature> {
        match self {
            Shape::Aggregate(aggregate) => aggregate
                .measures
                .iter()
                .chain(aggregate.having.iter().map(|(settled, _)| settled))
                .flat_map(|settled| settled.features.iter())
                .chain(&aggregate.features)
                .copied()
                .collect(),
            Shape::List(list) => list.features.clone(),
        }
    }

    pub fn assumptions(&self) -> &[Assumption] {
        match self {
            Shape::Aggregate(aggregate) => &aggregate.assumptions,
            Shape::List(list) => &list.assumptions,
        }
    }
}

/// Settles what kind of answer a draft asks for.
pub fn interpret(index: &Index, draft: &Draft) -> Result<Shape, Why> {
    let mut draft = draft.clone();
    let mut implied = Vec::new();
    match draft.pending.take() {
        // "How many were returned": rows of the only table that can be meant.
        Some(Pending::Agg(Agg::Count, _)) => {
            draft.heads.push(Head::count_of(Target::Rows));
            implied.push(Feature::ImpliedList);
        }
        Some(_) => return Err(Why::unsupported("what to compute is not said")),
        None => {}
    }
    usual::count_sides(index, &mut draft, &mut implied);
    let sides = super::contrast::sides(index, &mut draft, &mut implied)?;
    split_by_opposites(index, &mut draft);
    let mut granted: Vec<Assumption> = Vec::new();
    granted.extend(split_by_values(index, &mut draft));
    granted.extend(average_over_days(index, &mut draft));
    implied.extend(granted.iter().map(|_| Feature::OpenChoice));
    let mut shape = shape(index, &draft)?;
    if draft.percent {
        match &mut shape {
            Shape::Aggregate(aggregate) if is_split(aggregate) => aggregate.share = Some(Share::PerGroup),
            _ => return Err(Why::unsupported("percent of what is not clear")),
        }
    }
    match &mut shape {
        Shape::Aggregate(aggregate) => aggregate.sides = sides,
        Shape::List(_) if sides.is_empty() => {}
        Shape::List(_) => return Err(Why::unsupported("two sides of a list")),
    }
    check_words_used(index, &draft, &shape)?;
    if let Shape::Aggregate(aggregate) = &mut shape {
        aggregate.features.append(&mut implied);
        aggregate.assumptions.append(&mut granted);
    }
    Ok(shape)
}

/// Whether groups add up to a whole.
fn is_split(aggregate: &Aggregate) -> bool {
    let counted = matches!(&aggregate.measures[..], [Settled { what: Number::Count(_), .. }]);
    let plain = aggregate.share.is_none() && aggregate.series.is_none() && aggregate.top.is_none();
    counted && plain && aggregate.groups.len() == 1 && aggregate.having.is_empty()
}

/// "Smokers and non-smokers": both sides of a two-valued column are its groups.
fn split_by_opposites(index: &Index, draft: &mut Draft) {
    let opposite = |filter: &Filter, other: &Filter| {
        matches!(filter.condition, Condition::Flag(_))
            && filter.condition == other.condition
            && filter.negated != other.negated
    };
    let found = draft.filters.iter().find(|filter| draft.filters.iter().any(|other| opposite(filter, other))).cloned();
    let Some(Filter { condition: Condition::Flag(columns), .. }) = found else { return };
    draft.filters.retain(|filter| filter.condition != Condition::Flag(columns.clone()));
    draft.filters.extend(super::contrast::known(index, &columns));
    let group = Target::Columns(columns);
    if !draft.groups.contains(&group) {
        draft.groups.push(group);
    }
}

/// "The average salary of men and women": an average of both together is hardly meant, so there is one for each.
fn split_by_values(index: &Index, draft: &mut Draft) -> Option<Assumption> {
    let middle = |head: &Head| {
        let declared = match head.target {
            Target::Measure(measure) => Some(index.measure(measure).agg),
            _ => None,
        };
        matches!(head.agg.or(declared), Some(Agg::Avg | Agg::Median | Agg::Stddev | Agg::Quantile))
    };
    if draft.rank.is_some() || draft.share || draft.heads.is_empty() || !draft.heads.iter().all(middle) {
        return None;
    }
    let listed = |filter: &Filter| match &filter.condition {
        Condition::Values { cells, all: true } if !filter.negated && cells.iter().all(|(_, texts)| texts.len() > 1) => {
            Some(Target::Columns(cells.iter().map(|(column, _)| *column).collect()))
        }
        _ => None,
    };
    let group = draft.filters.iter().find_map(listed).filter(|group| !draft.groups.contains(group))?;
    draft.groups.push(group);
    Some(assumption("each", "one number for each of those that `and` joins, not one for all together"))
}

/// "Mean visitors per day, wet against dry": where each row is a day, that is the mean of the rows.
fn average_over_days(index: &Index, draft: &mut Draft) -> Option<Assumption> {
    let daily = |id: &ColId| {
        let dates: Vec<ColId> =
            index.columns().filter(|date| date.table == id.table && index.column(*date).ty.is_temporal()).collect();
        matches!(dates[..], [date] if index.column(date).ty == Type::Date && index.column(date).unique)
    };
    let averaged = |head: &Head| match &head.target {
        Target::Columns(columns) => matches!(head.agg, Some(Agg::Avg | Agg::Median)) && columns.iter().all(daily),
        _ => false,
    };
    let day = Target::Grain(Grain::Day);
    let split = draft.groups.len() > 1 && draft.groups.contains(&day);
    if !split || draft.heads.is_empty() || !draft.heads.iter().all(averaged) {
        return None;
    }
    draft.groups.retain(|group| *group != day);
    Some(assumption("per_day", "each row is a day, so per day is over the rows"))
}

/// Words about order and number must have had an effect.
fn check_words_used(index: &Index, draft: &Draft, shape: &Shape) -> Result<(), Why> {
    let dated = |settled: &Settled| match &settled.what {
        Number::Column { columns, agg: Agg::Min | Agg::Max, .. } => {
            columns.iter().all(|id| index.column(*id).ty.is_temporal())
        }
        _ => false,
    };
    match shape {
        Shape::Aggregate(aggregate) => {
            let scalar = aggregate.groups.is_empty() || aggregate.counted;
            let ordered = draft.sort.is_some() || draft.direction.is_some();
            if scalar && (ordered || draft.limit.is_some()) || aggregate.top.is_some() && ordered {
                return Err(Why::unsupported("one number has no order"));
            }
            if draft.ask == Some(Ask::When) && !aggregate.measures.iter().all(dated) {
                return Err(Why::unsupported("a time is asked for, but none is said"));
            }
        }
        Shape::List(_) if draft.ask == Some(Ask::When) => {
            return Err(Why::unsupported("a time is asked for, but none is said"));
        }
        Shape::List(_) => {}
    }
    let grouped = matches!(shape, Shape::Aggregate(aggregate) if !aggregate.groups.is_empty());
    let timed = draft.filters.iter().any(|filter| matches!(filter.condition, Condition::Time { columns: None, .. }));
    if draft.dated.is_some() && !grouped && !timed {
        return Err(Why::unsupported("a date without a period"));
    }
    let twice = draft.limit.is_some() && draft.rank.as_ref().is_some_and(|rank| rank.number.is_some());
    if twice { Err(Why::unsupported("two numbers of rows are asked for")) } else { Ok(()) }
}

fn one_number() -> Why {
    Why::unsupported("how something changed takes two periods, or a period to tell it by")
}

fn shape(index: &Index, draft: &Draft) -> Result<Shape, Why> {
    let is_time = |group: &Target| matches!(group, Target::Grain(_) | Target::OverTime);
    if draft.trend && !draft.groups.iter().any(is_time) {
        let mut along_time = draft.clone();
        along_time.groups.push(Target::OverTime);
        along_time.trend = false;
        return shape(index, &along_time);
    }
    if draft.changes && draft.groups.is_empty() && draft.contrast.is_none() {
        let mut apart = draft.clone();
        apart.groups.push(Target::Grain(super::contrast::spanned(draft).ok_or_else(one_number)?));
        apart.changes = false;
        return shape(index, &apart);
    }
    if draft.share && draft.rank.is_some() {
        return super::shares::ranked(index, draft);
    }
    if draft.share {
        return super::shares::share(index, draft);
    }
    if let Some(rank) = draft.rank.clone() {
        return ranking::ranked(index, draft, rank);
    }
    if draft.distribution || charts::counts_values(index, draft) {
        return distribution(index, draft);
    }
    if draft.chart == Some(Wish::Histogram) && draft.groups.is_empty() {
        return Err(Why::unsupported("a histogram counts the values of one column of numbers"));
    }
    if charts::pairs_columns(draft) {
        return list(index, draft);
    }
    if !draft.having.is_empty() {
        return with_having(index, draft);
    }
    let computed = |target: &Target| matches!(target, Target::Measure(_) | Target::Ratio(_) | Target::Formula(_));
    let number = |head: &Head| head.agg.is_some() || head.amount || computed(&head.target);
    let numbers = draft.heads.iter().filter(|head| number(head)).count();
    if numbers == 0 && draft.groups.is_empty() {
        if implies_sum(index, draft) || implies_total(index, draft) {
            return aggregate(index, draft, draft.heads.clone(), Vec::new(), Use::Plain);
        }
        return list(index, draft);
    }
    if numbers > 0 && numbers < draft.heads.len() {
        return Err(Why::unsupported("a number and a list are asked for at once"));
    }
    let heads = draft.heads.iter().map(|head| in_periods(index, draft, head)).collect();
    aggregate(index, draft, heads, draft.groups.clone(), Use::Plain)
}

/// `kWh per day`, `fares by month`: how much there was in each period.
fn in_periods(index: &Index, draft: &Draft, head: &Head) -> Head {
    let extensive = match &head.target {
        Target::Columns(columns) => head.agg.is_none() && columns.iter().all(|id| index.facts(*id).extensive),
        _ => false,
    };
    let periods = draft.groups.iter().any(|group| matches!(group, Target::Grain(_)));
    Head { amount: head.amount || extensive && periods, ..head.clone() }
}

/// `profit for Acme Corp`: what adds up is summed, unless one row is pinned or a list is asked for.
fn implies_sum(index: &Index, draft: &Draft) -> bool {
    let additive = |head: &Head| match &head.target {
        Target::Columns(columns) => columns.iter().all(|id| index.facts(*id).additive),
        _ => false,
    };
    let pinned = draft.filters.iter().any(|filter| match &filter.condition {
        Condition::Key { .. } => true,
        Condition::Values { cells, .. } => cells.iter().any(|(id, _)| index.column(*id).unique),
        _ => false,
    });
    let asks = matches!(draft.ask, None | Some(Ask::What));
    asks && !pinned && draft.limit.is_none() && !draft.heads.is_empty() && draft.heads.iter().all(additive)
}

/// `energy cost in January`: an amount under a condition that holds for many rows is added up where nothing else fits.
fn implies_total(index: &Index, draft: &Draft) -> bool {
    let amount = |head: &Head| match &head.target {
        Target::Columns(columns) => columns.iter().all(|id| index.facts(*id).extensive),
        _ => false,
    };
    let asks = matches!(draft.ask, None | Some(Ask::What));
    draft.lenient && asks && draft.limit.is_none() && !draft.filters.is_empty() && draft.heads.iter().all(amount)
}

/// Numbers per group, each settled.
pub fn aggregate(
    index: &Index,
    draft: &Draft,
    heads: Vec<Head>,
    groups: Vec<Target>,
    usage: Use,
) -> Result<Shape, Why> {
    let (heads, unsaid) = if heads.is_empty() { (usual::rows_of_a_kind(index, draft)?, true) } else { (heads, false) };
    let listing = draft.ask == Some(Ask::List);
    let mut shape = Aggregate { groups, filters: draft.filters.clone(), series: draft.series, ..Aggregate::default() };
    if unsaid {
        shape.assumptions.push(assumption("aggregate", "what to compute was not said: the rows are counted"));
        shape.features.push(Feature::ImpliedAggregate);
    }
    for head in &heads {
        if listing && head.target.is_rows() && head.agg.is_none() {
            shape.features.push(Feature::ImpliedAggregate);
        }
        // "Cost per day" is what all of a day cost.
        let timed = |group: &Target| matches!(group, Target::Grain(_) | Target::OverTime);
        let adds_up = match &head.target {
            Target::Columns(columns) => columns.iter().all(|id| index.facts(*id).extensive),
            _ => false,
        };
        let head = &Head { amount: head.amount || adds_up && shape.groups.iter().any(timed), ..head.clone() };
        let usual = usual::aggregate(index, draft, head).filter(|_| usage == Use::Plain);
        let head = usual.as_ref().map_or(head, |(usual, _)| usual);
        let settled = settle::settle(index, head, usage, draft.distinct)?;
        shape.features.extend(usual.as_ref().map(|_| Feature::ImpliedAggregate));
        shape.assumptions.extend(usual.map(|(_, text)| text));
        shape.assumptions.extend(settled.assumption.clone());
        let summed = |group: &Target| match group {
            Target::Thing(_) => true,
            Target::Columns(columns) => columns.iter().all(|id| index.facts(*id).years),
            _ => false,
        };
        if averages_sums(index, &settled) && shape.groups.iter().any(summed) {
            shape.features.push(Feature::OpenChoice);
            shape.assumptions.push(assumption("average", "the average is over rows, not over sums per group"));
        }
        shape.measures.push(settled);
    }
    Ok(Shape::Aggregate(shape))
}

/// "Average sales per customer" may also mean the average of each customer's sum.
fn averages_sums(index: &Index, settled: &Settled) -> bool {
    match &settled.what {
        Number::Column { columns, agg: Agg::Avg, .. } => columns.iter().any(|id| index.facts(*id).adds_up()),
        _ => false,
    }
}

/// `status distribution`, `breakdown of tickets by priority`: how many rows per value.
fn distribution(index: &Index, draft: &Draft) -> Result<Shape, Why> {
    if !draft.having.is_empty() {
        return Err(Why::unsupported("a distribution with a condition on groups"));
    }
    let categories = |head: &Head| match &head.target {
        Target::Columns(columns) => head.agg.is_none() && columns.iter().all(|id| !index.column(*id).ty.is_number()),
        _ => false,
    };
    if let ([head], false) = (&draft.heads[..], draft.groups.is_empty())
        && categories(head)
    {
        let rows = Head::count_of(Target::Rows);
        let groups = draft.groups.iter().chain([&head.target]).cloned().collect();
        return aggregate(index, draft, vec![rows], groups, Use::Plain);
    }
    if !draft.groups.is_empty() {
        return aggregate(index, draft, draft.heads.clone(), draft.groups.clone(), Use::Plain);
    }
    let [Head { target: target @ (Target::Columns(columns) | Target::Flag(columns)), agg: None, .. }] =
        &draft.heads[..]
    else {
        return Err(Why::ambiguous("a distribution needs a column to be split by"));
    };
    if columns.iter().all(|id| index.column(*id).ty.is_number() && index.column(*id).distinct > u64::from(LIMIT_MAX)) {
        return list(index, draft);
    }
    let rows = Head::count_of(Target::Rows);
    let group = match target {
        Target::Flag(columns) => Target::Columns(columns.clone()),
        other => other.clone(),
    };
    aggregate(index, draft, vec![rows], vec![group], Use::Plain)
}

/// `customers with more than 5 orders`: groups that pass a condition on an aggregate.
fn with_having(index: &Index, draft: &Draft) -> Result<Shape, Why> {
    let lacks = |filter: &Filter| matches!(filter.condition, Condition::Empty(_) | Condition::Missing(_));
    if draft.filters.iter().any(|filter| lacks(filter) && !filter.negated) {
        return Err(Why::ambiguous("whether it is missing in the rows that are counted or in all rows of a thing"));
    }
    let mut having = Vec::new();
    for condition in &draft.having {
        having.push((settle::settle(index, &condition.head, Use::Plain, false)?, condition.clone()));
    }
    let listed = |head: &Head| {
        let groups = matches!(head.target, Target::Thing(_) | Target::Columns(_) | Target::Grain(_));
        head.agg.is_none() && !head.amount && groups
    };
    if let ([head], true) = (&draft.heads[..], draft.groups.is_empty())
        && listed(head)
    {
        if draft.having.iter().any(|condition| condition.head.target == head.target) {
            return Err(Why::unsupported("a thing is compared with its own number"));
        }
        let groups = vec![head.target.clone()];
        let features = if draft.ask.is_none() { vec![Feature::ImpliedList] } else { Vec::new() };
        let shape = Aggregate { groups, having, features, filters: draft.filters.clone(), ..Aggregate::default() };
        return Ok(Shape::Aggregate(shape));
    }
    if let Some(target) = super::group_count::counted(index, draft) {
        if draft.having.iter().any(|condition| condition.head.target == target) {
            return Err(Why::unsupported("a thing is compared with its own number"));
        }
        let (groups, filters) = (vec![target], draft.filters.clone());
        return Ok(Shape::Aggregate(Aggregate { groups, having, filters, counted: true, ..Aggregate::default() }));
    }
    if draft.groups.is_empty() {
        return Err(Why::unsupported("a condition on groups without saying what they are groups of"));
    }
    let Shape::Aggregate(shape) = aggregate(index, draft, draft.heads.clone(), draft.groups.clone(), Use::Plain)?
    else {
        return Err(Why::unsupported("a condition on groups needs numbers"));
    };
    Ok(Shape::Aggregate(Aggregate { having, ..shape }))
}

pub fn assumption(code: &str, text: &str) -> Assumption {
    Assumption { code: code.to_string(), text: text.to_string() }
}

/// The only table's rows, where there is only one.
pub fn sole_thing(index: &Index) -> Option<ThingId> {
    let mut things = (0..index.things.len()).filter(|thing| index.things[*thing].table.is_some());
    let first = things.next()?;
    things.next().is_none().then_some(first)
}

fn list(index: &Index, draft: &Draft) -> Result<Shape, Why> {
    if draft.series.is_some() {
        return Err(Why::unsupported("a change over time needs a measure and a period"));
    }
    if let Some(counted) = usual::counted_in_period(index, draft) {
        return aggregate(index, &counted, counted.heads.clone(), Vec::new(), Use::Plain).map(usual::unasked);
    }
    let mut list = List::default();
    // "Trips yesterday" may ask which they are or how many.
    let rows = |head: &Head| matches!(head.target, Target::Thing(_) | Target::Rows | Target::Flag(_));
    if draft.ask.is_none() && !draft.filters.is_empty() && draft.heads.iter().all(rows) {
        list.features.push(Feature::UnaskedList);
    }
    match &draft.heads[..] {
        [] if draft.filters.is_empty() => return Err(Why::unsupported("what is asked for is not said")),
        [] => {
            list.thing = sole_thing(index).or_else(|| conditioned_thing(index, &draft.filters));
            list.features.push(Feature::ImpliedList);
            if list.thing.is_none() {
                return Err(Why::ambiguous("what to list is not said"));
            }
        }
        [first, rest @ ..] => {
            match &first.target {
                Target::Thing(thing) => list.thing = Some(*thing),
                Target::Columns(columns) => list.columns.push(columns.clone()),
                Target::Rows => list.thing = sole_thing(index),
                Target::Flag(columns) => return flagged_rows(index, columns, rest, list),
                _ => return Err(Why::unsupported("a period is not something to list")),
            }
            for head in rest {
                match &head.target {
                    Target::Columns(columns) => list.columns.push(columns.clone()),
                    _ => return Err(Why::unsupported("several lists are asked for at once")),
                }
            }
        }
    }
    if list.thing.is_none() {
        list.thing = draft.scopes.first().copied();
    }
    if draft.ask.is_none() || draft.ask == Some(Ask::What) {
        list.features.push(Feature::ImpliedList);
    }
    Ok(Shape::List(list))
}

/// The rows of the only table that has a column for every condition: `which toys are out of stock`.
pub fn conditioned_thing(index: &Index, filters: &[Filter]) -> Option<ThingId> {
    let tables_of = |filter: &Filter| -> Vec<usize> {
        match &filter.condition {
            Condition::Values { cells, .. } => cells.iter().map(|(id, _)| id.table).collect(),
            Condition::Flag(columns)
            | Condition::Empty(columns)
            | Condition::Missing(columns)
            | Condition::Compare { columns, .. } => columns.iter().map(|id| id.table).collect(),
            _ => (0..index.dataset.tables.len()).collect(),
        }
    };
    let tables: Vec<Vec<usize>> = filters.iter().map(tables_of).collect();
    let shared = |table: &usize| tables.iter().all(|list| list.contains(table));
    let candidates: Vec<usize> = (0..index.dataset.tables.len()).filter(shared).collect();
    let [table] = candidates[..] else { return None };
    index.rows_of(table)
}

/// `anomalies in the North zone`: the rows where a two-valued column says yes; the list adds the condition itself.
fn flagged_rows(index: &Index, columns: &Columns, rest: &[Head], list: List) -> Result<Shape, Why> {
    let thing = ranking::thing_of(index, columns)?;
    if !rest.is_empty() {
        return Err(Why::unsupported("several lists are asked for at once"));
    }
    Ok(Shape::List(List { thing: Some(thing), columns: vec![columns.clone()], ..list }))
}
