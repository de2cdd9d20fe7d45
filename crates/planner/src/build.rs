//! A draft becomes a plan: its shape is settled, a table is chosen to start from, and every column is bound.
//!
//! `from` fixes the grain, so the choice of the table is the choice of what is counted. A table is only taken if every
//! measure may be computed at its grain and everything else is reachable many-to-one, or, for conditions, through
//! `exists`. Where nothing fits, the reason is kept for the refusal.

mod aggregate;
mod bins;
mod charts;
mod clock;
mod condition;
mod contrast;
mod date;
mod elapsed;
mod formula;
mod ground;
mod group_count;
mod list;
mod measure;
mod ranking;
mod ratio;
mod settle;
mod shape;
mod shares;
mod threshold;
mod usual;

use base::Type;
use data::plan::{Agg, Plan, Pred};

use crate::draft::{Columns, Draft, Head, Pending, Target};
use crate::index::Index;
use crate::score::Feature;
use crate::{Reading, Reason, score};

pub use condition::number_of;
pub use contrast::known;
pub use date::moments;
pub use ratio::is_summable;

use ground::Ground;
use shape::Shape;

/// Why a draft yields no plan.
#[derive(Clone, Debug, PartialEq)]
pub struct Why {
    pub reason: Reason,
    pub message: String,
}

impl Why {
    pub fn ambiguous(message: impl Into<String>) -> Why {
        Why { reason: Reason::Ambiguous, message: message.into() }
    }

    pub fn unsupported(message: impl Into<String>) -> Why {
        Why { reason: Reason::Unsupported, message: message.into() }
    }

    pub fn no_data(message: impl Into<String>) -> Why {
        Why { reason: Reason::NoData, message: message.into() }
    }
}

/// How many ways to bind the columns of one draft are looked at.
const BINDINGS_MAX: usize = 8;

/// Costs that differ by less are equal.
const TIE: f64 = 1e-9;

/// What it costs to count rows that nobody has named where rows of another table decide which of them.
const OTHER_ROWS: f64 = 1.0;

/// Every reading of a draft from the table that fits best, or why there is none.
pub fn build(index: &Index, draft: &Draft) -> Result<Vec<Reading>, Why> {
    let shape = shape::interpret(index, draft)?;
    let unnamed = matches!(draft.pending, Some(Pending::Agg(Agg::Count, _)));
    let mut best: Option<(f64, Vec<Reading>)> = None;
    let mut failure: Option<Why> = None;
    for base in 0..index.dataset.tables.len() {
        match at_base(index, draft, &shape, base) {
            Ok(mut readings) => {
                let cost = readings.iter().map(|reading| -reading.score).fold(f64::INFINITY, f64::min);
                // "How many engineers are in Engineering" counts those of whom both can be said.
                let looks_elsewhere = unnamed && readings.iter().any(|reading| tests_other_rows(&reading.plan));
                let cost = if looks_elsewhere { cost + OTHER_ROWS } else { cost };
                readings.iter_mut().for_each(|reading| reading.ambiguous |= looks_elsewhere);
                match &mut best {
                    Some((known, _)) if cost > *known + TIE => {}
                    // Two tables that fit alike are two meanings, and nobody has said which.
                    Some((known, equal)) if cost > *known - TIE => {
                        if !is_of_one_vocabulary(index, draft) {
                            equal.extend(readings);
                        }
                    }
                    _ => best = Some((cost, readings)),
                }
            }
            Err(why) => failure = Some(preferred(failure, why)),
        }
    }
    match (best, failure) {
        (Some((_, mut readings)), why) => {
            // Another table's number of that name may be meant, about which more would have to be said.
            let open = why.is_some_and(|why| why.reason == Reason::Ambiguous) && asks_for_a_shared_name(draft);
            readings.iter_mut().for_each(|reading| reading.ambiguous |= open);
            Ok(readings)
        }
        (None, Some(why)) => Err(why),
        (None, None) => Err(Why::no_data("the dataset has no tables")),
    }
}

/// Whether a plan asks for rows of the many side.
pub fn tests_other_rows(plan: &Plan) -> bool {
    let mut pending: Vec<&Pred> = plan.filter.iter().collect();
    while let Some(pred) = pending.pop() {
        match pred {
            Pred::And { and: parts } | Pred::Or { or: parts } => pending.extend(parts),
            Pred::Not { not } => pending.push(not),
            Pred::Exists { .. } => return true,
            Pred::Test { .. } => {}
        }
    }
    false
}

/// Whether what is asked for has a name that columns of several tables have.
fn asks_for_a_shared_name(draft: &Draft) -> bool {
    let shared = |columns: &Columns| columns.iter().any(|id| id.table != columns[0].table);
    draft.heads.iter().any(|head| matches!(&head.target, Target::Columns(columns) if shared(columns)))
}

/// Whether all that is asked for is a set of words which several tables hold alike, such as the categories of both products
/// and sales: then it does not matter from which of them it is told.
fn is_of_one_vocabulary(index: &Index, draft: &Draft) -> bool {
    let shared = |columns: &Columns| {
        let mut counts = columns.iter().map(|id| index.column(*id)).map(|column| (column.ty, column.distinct));
        let first = counts.next();
        first.is_some_and(|(ty, _)| ty == Type::Text) && counts.all(|other| Some(other) == first)
    };
    let plain = |head: &Head| matches!(&head.target, Target::Columns(columns) if shared(columns));
    draft.filters.is_empty() && draft.groups.is_empty() && draft.heads.iter().all(plain)
}

/// The reason worth telling: data that is not there over an open choice over what cannot be computed.
fn preferred(known: Option<Why>, why: Why) -> Why {
    let rank = |why: &Why| match why.reason {
        Reason::NoData => 0,
        Reason::Ambiguous => 1,
        _ => 2,
    };
    match known {
        Some(known) if rank(&known) <= rank(&why) => known,
        _ => why,
    }
}

/// Builds from one table, once for every way to bind names that several columns share.
fn at_base(index: &Index, draft: &Draft, shape: &Shape, base: usize) -> Result<Vec<Reading>, Why> {
    let mut readings: Vec<Reading> = Vec::new();
    let mut script = Vec::new();
    let mut failure = None;
    for _ in 0..BINDINGS_MAX {
        let mut ground = Ground::new(index, draft, base, script);
        match one(&mut ground, shape) {
            Ok(reading) => {
                if readings.iter().all(|known| known.plan != reading.plan) {
                    readings.push(reading);
                }
            }
            Err(why) => failure = Some(why),
        }
        match ground.next_script() {
            Some(next) => script = next,
            None => break,
        }
    }
    match failure {
        Some(why) if readings.is_empty() => Err(why),
        _ => Ok(readings),
    }
}

fn one(ground: &mut Ground, shape: &Shape) -> Result<Reading, Why> {
    let (plan, focus) = match shape {
        Shape::Aggregate(aggregate) => aggregate::plan(ground, aggregate)?,
        Shape::List(list) => list::plan(ground, list)?,
    };
    let mut plan = plan;
    choose_links(ground, &mut plan)?;
    let mut features = ground.draft.features.clone();
    features.extend(shape.features());
    features.extend(ground.features.iter().copied());
    let mut assumptions = ground.draft.granted.clone();
    assumptions.extend_from_slice(shape.assumptions());
    assumptions.append(&mut ground.assumptions);
    assumptions.dedup();
    let ambiguous = features.iter().any(|feature| feature.leaves_open());
    let chart = charts::wish(ground.index, ground.draft);
    Ok(Reading { plan, focus, assumptions, ambiguous, chart, score: -score::cost(&features) })
}

/// Where two columns lead to the same table, the plan names the one that was meant.
fn choose_links(ground: &mut Ground, plan: &mut Plan) -> Result<(), Why> {
    let index = ground.index;
    let used = plan.tables();
    let name = |table: usize| &index.table(table).name;
    let mut unused = ground.draft.link.is_some();
    let crossed =
        index.schema.forks.iter().filter(|fork| used.contains(name(fork.from)) && used.contains(name(fork.to)));
    for fork in crossed {
        let said = ground.draft.link.filter(|link| fork.relations.contains(link));
        unused &= said.is_none();
        let relation = &index.dataset.relations[said.unwrap_or(fork.relations[0])];
        plan.via.push(data::join::link(relation));
        if said.is_none() {
            ground.features.push(Feature::OpenChoice);
            let text = format!("{} is found by {}.{}", relation.to_table, relation.from_table, relation.from_column);
            ground.assume("link", text);
        }
    }
    for relation in index.schema.shortcuts.iter().map(|relation| &index.dataset.relations[*relation]) {
        if plan.from == relation.from_table && used.contains(&relation.to_table) {
            plan.via.push(data::join::link(relation));
            ground.features.push(Feature::OpenChoice);
            let text = format!("{} is found by {}.{}", relation.to_table, relation.from_table, relation.from_column);
            ground.assume("link", text);
        }
    }
    if unused {
        Err(Why::unsupported("by which link rows belong together is said, but none is needed"))
    } else {
        Ok(())
    }
}
