//! Which conditions a question can have, and what each set of them leaves of the rows.
//!
//! Generous on purpose: what is right should be among the candidates, and weights decide. The order in which sets are
//! kept is a plain rule, so that the candidates of a question do not depend on what was learned.

use data::plan::Agg;

use super::scene::{How, Link, Operand, Relation, Scene, Span};
use super::table::sameness;

/// How many sets of conditions are weighed.
pub const SETS_MAX: usize = 32;
const CONDITIONS_MAX: usize = 4;

/// What is done with the chosen column.
pub const AGGREGATES: [Option<Agg>; 6] =
    [None, Some(Agg::Max), Some(Agg::Min), Some(Agg::Count), Some(Agg::Sum), Some(Agg::Avg)];

/// A set of conditions.
#[derive(Clone, Debug)]
pub struct Conditions {
    /// Positions in the scene's links, in the order of the question.
    pub links: Vec<usize>,
    /// The rows that satisfy them, where rows are at hand.
    pub rows: Vec<usize>,
    order: f64,
    end: usize,
}

/// One candidate: positions of a column, an aggregate and a set of conditions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Candidate {
    pub column: usize,
    pub aggregate: usize,
    pub conditions: usize,
}

/// The sets of conditions worth weighing, the likeliest by a plain rule first; the empty one is always among them.
pub fn conditions(scene: &Scene) -> Vec<Conditions> {
    let none = Conditions { links: Vec::new(), rows: Vec::new(), order: 0.0, end: 0 };
    let mut sets = vec![none.clone()];
    for (at, link) in scene.links.iter().enumerate() {
        let order = plausibility(scene, link);
        let free = sets.iter().filter(|set| set.end <= link.span.start && set.links.len() < CONDITIONS_MAX);
        let longer: Vec<Conditions> = free
            .filter(|set| set.links.iter().all(|other| may_meet(&scene.links[*other], link)))
            .map(|set| {
                let links = set.links.iter().copied().chain([at]).collect();
                Conditions { links, rows: Vec::new(), order: set.order + order, end: link.span.end }
            })
            .collect();
        sets.extend(longer);
        sets.sort_by(|a, b| b.order.total_cmp(&a.order).then_with(|| a.links.cmp(&b.links)));
        sets.truncate(4 * SETS_MAX);
    }
    sets.truncate(SETS_MAX - 1);
    if sets.iter().all(|set| !set.links.is_empty()) {
        sets.push(none);
    }
    for set in &mut sets {
        set.rows = rows(scene, &set.links);
    }
    sets
}

/// One column cannot be two things at once.
fn may_meet(one: &Link, other: &Link) -> bool {
    one.column != other.column || one.relation != Relation::Equal && other.relation != Relation::Equal
}

/// How likely a link is a condition, for the order in which sets are kept.
fn plausibility(scene: &Scene, link: &Link) -> f64 {
    let words = &scene.words[link.span.start..link.span.end];
    let base = match (link.how, link.relation) {
        (_, Relation::Above | Relation::Below | Relation::AtLeast | Relation::AtMost) => 1.6,
        (How::Exact, _) => 1.3 + 0.4 * (words.len() - 1) as f64,
        (How::Stem, _) => 0.8 + 0.3 * (words.len() - 1) as f64,
        (How::Number, _) => 0.8,
        (How::Part, _) => 0.2 * words.len() as f64,
    };
    let proper = if words.iter().any(|word| word.proper && word.number.is_none()) { 0.4 } else { 0.0 };
    let near = scene.nearest(link.column, link.span).map_or(0.0, |mention| {
        let reach = match mention.span.gap(link.span) {
            0..=1 => 1.5,
            2..=3 => 1.0,
            4..=6 => 0.5,
            _ => 0.2,
        };
        reach * mention.coverage
    });
    let single = words.len() == 1 && words[0].number.is_none();
    let said = |span: Span| span.start <= link.span.start && link.span.end <= span.end;
    let header = single && scene.mentions.iter().flatten().any(|mention| mention.coverage > 0.8 && said(mention.span));
    let closed = single && words[0].closed.is_some();
    base + proper + near
        - if link.nested { 0.9 } else { 0.0 }
        - if header { 0.8 } else { 0.0 }
        - if closed { 0.8 } else { 0.0 }
        - 0.15 * (link.columns.max(1) - 1) as f64
}

fn rows(scene: &Scene, links: &[usize]) -> Vec<usize> {
    let holds = |row: usize| links.iter().all(|link| satisfies(scene, &scene.links[*link], row));
    if scene.table.known { (0..scene.table.rows).filter(|row| holds(*row)).collect() } else { Vec::new() }
}

fn satisfies(scene: &Scene, link: &Link, row: usize) -> bool {
    let column = &scene.table.columns[link.column];
    let Some(id) = column.rows[row] else { return false };
    match &link.operand {
        Operand::Values(ids) => ids.contains(&id),
        Operand::Number(bound) => {
            column.values[id as usize].number.is_some_and(|number| link.relation.holds(number, *bound))
        }
        Operand::Texts(_) => false,
    }
}

/// What a candidate comes to, as a digest that is equal for equal results; nothing where rows are not at hand.
pub fn result(scene: &Scene, column: usize, aggregate: Option<Agg>, rows: &[usize]) -> Option<u64> {
    const EMPTY: u64 = 1;
    if !scene.table.known {
        return None;
    }
    let column = &scene.table.columns[column];
    let values = rows.iter().map(|row| column.rows[*row].map(|id| &column.values[id as usize]));
    let Some(aggregate) = aggregate else {
        let mut digests: Vec<u64> = values.map(|value| value.map_or(0, |value| value.sameness)).collect();
        digests.sort_unstable();
        let mix = |digest: u64, next: u64| (digest.rotate_left(5) ^ next).wrapping_mul(0x0100_0000_01b3);
        return Some(digests.into_iter().fold(EMPTY, mix));
    };
    let one = |number: f64| {
        let digest = sameness(Some(number), "");
        (EMPTY.rotate_left(5) ^ digest).wrapping_mul(0x0100_0000_01b3)
    };
    if aggregate == Agg::Count {
        return Some(one(rows.len() as f64));
    }
    let numbers: Vec<f64> = values.flatten().filter_map(|value| value.number).collect();
    if numbers.is_empty() {
        return Some(EMPTY + 1);
    }
    let sum: f64 = numbers.iter().sum();
    Some(one(match aggregate {
        Agg::Max => numbers.iter().copied().fold(f64::MIN, f64::max),
        Agg::Min => numbers.iter().copied().fold(f64::MAX, f64::min),
        Agg::Sum => sum,
        _ => sum / numbers.len() as f64,
    }))
}
