//! What is usual where the words leave it open: which aggregate a number per group is told by, and that rows are counted.
//!
//! Mostly for drafts that no strict reading was found for; everything decided here is reported as an assumption.

use data::plan::{Agg, Expr};

use super::Why;
use super::ranking;
use super::shape::{Shape, assumption, conditioned_thing};
use crate::Assumption;
use crate::draft::{Condition, Draft, Filter, Head, Target};
use crate::index::{ColId, Index};
use crate::score::Feature;

/// The aggregate that people mean by the nature of a number: amounts are added up, levels are averaged.
pub fn aggregate(index: &Index, draft: &Draft, head: &Head) -> Option<(Head, Assumption)> {
    let open = draft.lenient && head.agg.is_none() && !head.amount && head.quantile.is_none();
    let Target::Columns(columns) = &head.target else { return None };
    let number = |id: &ColId| index.is_quantity(*id);
    // "Cost" of two tables does not say of what.
    let one_table = columns.iter().all(|id| id.table == columns[0].table);
    if !open || !one_table || !columns.iter().all(number) {
        return None;
    }
    let all = |wanted: &dyn Fn(ColId) -> bool| columns.iter().all(|id| wanted(*id));
    // Two sides may be meant by their totals or by what a row has of it.
    let compared = draft.filters.iter().any(|filter| is_grouped(draft, filter));
    let other_word = draft.features.contains(&Feature::Synonym);
    let (agg, said) = if !compared && all(&|id| adds_up(index, id)) {
        (Agg::Sum, "total")
    } else if !other_word && all(&|id| is_level(index, id)) {
        (Agg::Avg, "average")
    } else {
        return None;
    };
    // Where a measure of that column is declared another way, both may be meant.
    let declared = |measure: &data::dataset::DeclaredMeasure| match &measure.expr {
        Some(Expr::Col { col }) => measure.agg != agg && index.find(col).is_some_and(|id| columns.contains(&id)),
        _ => false,
    };
    if index.dataset.measures.iter().any(declared) {
        return None;
    }
    let name = index.column(columns[0]).name.replace('_', " ");
    let text = format!("{name} without an aggregate = its {said}");
    Some((Head { agg: Some(agg), ..head.clone() }, assumption("aggregate", &text)))
}

/// Whether a number of several rows is usually told as their total.
pub fn adds_up(index: &Index, id: ColId) -> bool {
    index.facts(id).adds_up() || is_amount_of_money(index, id)
}

/// Whether a number is what a row comes to in money, and not what one of something costs.
fn is_amount_of_money(index: &Index, id: ColId) -> bool {
    let facts = index.facts(id);
    let level =
        |word: &String| index.lexicon.is_level(word) || matches!(word.as_str(), "price" | "rate" | "unit" | "per");
    let whole = facts.has_any(&["total", "amount", "paid"]);
    (facts.is_money() && !facts.words.iter().any(level) || whole) && facts.per.is_none()
}

/// Whether the cells of a condition are told one by one.
fn is_grouped(draft: &Draft, filter: &Filter) -> bool {
    match &filter.condition {
        Condition::Values { cells, .. } => {
            draft.groups.contains(&Target::Columns(cells.iter().map(|(id, _)| *id).collect()))
        }
        _ => false,
    }
}

/// Whether a number says how high something stands, so that adding it up over rows means nothing.
fn is_level(index: &Index, id: ColId) -> bool {
    let facts = index.facts(id);
    let unit = facts.unit.as_ref().is_some_and(|unit| index.lexicon.is_level_unit(unit.family));
    unit || facts.words.iter().any(|word| index.lexicon.is_level(word))
}

/// `smokers vs non-smokers by sex`, `emails vs chats in June`: two sides without a number are counted.
pub fn count_sides(index: &Index, draft: &mut Draft, implied: &mut Vec<Feature>) {
    let listed = draft.filters.iter().any(|filter| is_grouped(draft, filter));
    let sides = draft.contrast.is_some_and(|sides| sides > 0) || listed;
    if !draft.lenient || !sides || draft.share || !draft.heads.is_empty() || draft.rank.is_some() {
        return;
    }
    let columns = |filter: &Filter| match &filter.condition {
        Condition::Flag(columns) => columns.clone(),
        Condition::Values { cells, .. } => cells.iter().map(|(id, _)| *id).collect(),
        _ => Vec::new(),
    };
    let told: Vec<ColId> = draft.filters.iter().flat_map(columns).collect();
    let one_table = told.iter().all(|id| id.table == told[0].table);
    if !told.is_empty()
        && one_table
        && let Ok(thing) = ranking::thing_of(index, &told)
    {
        let noun = &index.things[thing].noun;
        draft
            .granted
            .push(assumption("aggregate", &format!("both sides are told by how many rows of {noun} they have")));
        draft.heads.push(Head::counted(thing));
        implied.push(Feature::ImpliedAggregate);
    }
}

/// `no shows per instructor`: rows that are told by a cell of theirs are counted.
pub fn rows_of_a_kind(index: &Index, draft: &Draft) -> Result<Vec<Head>, Why> {
    let told =
        |filter: &Filter| matches!(filter.condition, Condition::Values { .. } | Condition::Flag(_)) && !filter.negated;
    let kinds: Vec<Filter> = draft.filters.iter().filter(|filter| told(filter)).cloned().collect();
    let grouped = draft.lenient && !draft.groups.is_empty();
    let rows = conditioned_thing(index, &kinds).filter(|_| grouped && !kinds.is_empty());
    let rows = rows.ok_or_else(|| Why::unsupported("what to compute per group is not said"))?;
    Ok(vec![Head::counted(rows)])
}

/// `check-ins last month`: of events without a name, how many there were in a period is what people ask.
pub fn counted_in_period(index: &Index, draft: &Draft) -> Option<Draft> {
    let [Head { target: Target::Thing(thing), agg: None, .. }] = draft.heads[..] else { return None };
    let info = &index.things[thing];
    // "Cars with a check due before May" are listed: the date is one of their own, not when they happened.
    let period = |filter: &Filter| match &filter.condition {
        Condition::Time { columns, verb, .. } => columns.is_none() || *verb,
        Condition::AnyTime { columns, .. } => columns.is_none(),
        _ => false,
    };
    let timed = draft.filters.iter().any(period);
    let plain = draft.ask.is_none() && draft.sort.is_none() && draft.direction.is_none() && draft.limit.is_none();
    let nameless = info.label.is_none() && info.table.is_some() && !index.lexicon.is_of("person", &info.noun);
    (timed && plain && nameless && draft.chart.is_none())
        .then(|| Draft { heads: vec![Head::counted(thing)], ..draft.clone() })
}

/// Whether to list or to count was not said.
pub fn unasked(mut shape: Shape) -> Shape {
    if let Shape::Aggregate(_) = shape {
        shape.assume(Feature::UnaskedList, assumption("count", "how many there are is asked for, not which"));
    }
    shape
}
