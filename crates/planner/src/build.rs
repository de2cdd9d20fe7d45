//! A draft becomes a plan: its shape is settled, a table is chosen to start from, and every column is bound.
//!
//! `from` fixes the grain, so the choice of the table is the choice of what is counted. A table is only taken if every
//! measure may be computed at its grain and everything else is reachable many-to-one, or, for conditions, through
//! `exists`. Where nothing fits, the reason is kept for the refusal.

mod aggregate;
mod charts;
mod clock;
mod condition;
mod contrast;
mod date;
mod elapsed;
mod ground;
mod group_count;
mod list;
mod measure;
mod ranking;
mod ratio;
mod settle;
mod shape;
mod shares;
mod usual;

use data::plan::Plan;

use crate::draft::Draft;
use crate::index::Index;
use crate::score::Feature;
use crate::{Reading, Reason, score};

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

/// Every reading of a draft from the table that fits best, or why there is none.
pub fn build(index: &Index, draft: &Draft) -> Result<Vec<Reading>, Why> {
    let shape = shape::interpret(index, draft)?;
    let mut best: Option<(f64, Vec<Reading>)> = None;
    let mut failure: Option<Why> = None;
    for base in 0..index.dataset.tables.len() {
        match at_base(index, draft, &shape, base) {
            Ok(readings) => {
                let cost = readings.iter().map(|reading| -reading.score).fold(f64::INFINITY, f64::min);
                if best.as_ref().is_none_or(|(known, _)| cost < *known - 1e-9) {
                    best = Some((cost, readings));
                }
            }
            Err(why) => failure = Some(preferred(failure, why)),
        }
    }
    match (best, failure) {
        (Some((_, readings)), _) => Ok(readings),
        (None, Some(why)) => Err(why),
        (None, None) => Err(Why::no_data("the dataset has no tables")),
    }
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
    let used = data::plan::tables(plan);
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
    if unused {
        Err(Why::unsupported("by which link rows belong together is said, but none is needed"))
    } else {
        Ok(())
    }
}
