//! Weighing the candidates of a question: the best, and how sure it is.
//!
//! A score is the sum of the scores of a candidate's parts, and a softmax over all candidates makes probabilities of
//! them. Candidates that come to the same result are one answer, so their probabilities add up.

use data::plan::Agg;

use super::candidates::{AGGREGATES, Candidate, Conditions, conditions, result};
use super::features::{self, Sink};
use super::scene::Scene;
use super::table::Kind;
use super::weights::Weights;

/// One value for each part that candidates are put together from.
#[derive(Clone, Debug)]
pub struct Parts<T> {
    columns: Vec<T>,
    aggregates: Vec<T>,
    conditions: Vec<T>,
    column_aggregates: Vec<T>,
    column_conditions: Vec<T>,
    aggregate_conditions: Vec<T>,
    /// By aggregate, kind of column and rows left.
    outcomes: Vec<Option<T>>,
    outcome_of_column: Vec<usize>,
    outcome_of_conditions: Vec<usize>,
}

const KINDS: [Kind; 5] = [Kind::Number, Kind::Year, Kind::Date, Kind::Mixed, Kind::Text];
const LEFT: [&str; 5] = ["unknown", "none", "one", "few", "many"];

impl<T> Parts<T> {
    /// Every part with what `fresh` makes of its features.
    pub fn new<S: Sink>(
        scene: &Scene,
        sets: &[Conditions],
        mut fresh: impl FnMut() -> S,
        done: impl Fn(S) -> T,
    ) -> Parts<T> {
        let mut of = |fill: &mut dyn FnMut(&mut S)| {
            let mut sink = fresh();
            fill(&mut sink);
            done(sink)
        };
        let columns = scene.table.columns.len();
        let kind_of = |column: usize| scene.table.columns[column].kind;
        let outcome_of_column: Vec<usize> =
            (0..columns).map(|at| KINDS.iter().position(|kind| *kind == kind_of(at)).unwrap_or(0)).collect();
        let outcome_of_conditions: Vec<usize> = sets
            .iter()
            .map(|set| LEFT.iter().position(|left| *left == features::left(scene, set)).unwrap_or(0))
            .collect();
        let mut outcomes = Vec::with_capacity(AGGREGATES.len() * KINDS.len() * LEFT.len());
        for aggregate in AGGREGATES {
            for (kind_at, kind) in KINDS.into_iter().enumerate() {
                for (left_at, left) in LEFT.into_iter().enumerate() {
                    let there = outcome_of_column.contains(&kind_at) && outcome_of_conditions.contains(&left_at);
                    outcomes.push(there.then(|| of(&mut |sink| features::outcome(scene, aggregate, kind, left, sink))));
                }
            }
        }
        let pairs = |first: usize, second: usize| (0..first).flat_map(move |a| (0..second).map(move |b| (a, b)));
        Parts {
            columns: (0..columns).map(|at| of(&mut |sink| features::column(scene, at, sink))).collect(),
            aggregates: AGGREGATES.iter().map(|agg| of(&mut |sink| features::aggregate(scene, *agg, sink))).collect(),
            conditions: sets.iter().map(|set| of(&mut |sink| features::conditions(scene, set, sink))).collect(),
            column_aggregates: pairs(columns, AGGREGATES.len())
                .map(|(at, agg)| of(&mut |sink| features::column_and_aggregate(scene, at, AGGREGATES[agg], sink)))
                .collect(),
            column_conditions: pairs(columns, sets.len())
                .map(|(at, set)| of(&mut |sink| features::column_and_conditions(scene, at, &sets[set], sink)))
                .collect(),
            aggregate_conditions: pairs(AGGREGATES.len(), sets.len())
                .map(|(agg, set)| {
                    of(&mut |sink| features::aggregate_and_conditions(scene, AGGREGATES[agg], &sets[set], sink))
                })
                .collect(),
            outcomes,
            outcome_of_column,
            outcome_of_conditions,
        }
    }

    /// The same parts with other values.
    pub fn map<U>(&self, change: impl Fn(&T) -> U) -> Parts<U> {
        Parts {
            columns: self.columns.iter().map(&change).collect(),
            aggregates: self.aggregates.iter().map(&change).collect(),
            conditions: self.conditions.iter().map(&change).collect(),
            column_aggregates: self.column_aggregates.iter().map(&change).collect(),
            column_conditions: self.column_conditions.iter().map(&change).collect(),
            aggregate_conditions: self.aggregate_conditions.iter().map(&change).collect(),
            outcomes: self.outcomes.iter().map(|part| part.as_ref().map(&change)).collect(),
            outcome_of_column: self.outcome_of_column.clone(),
            outcome_of_conditions: self.outcome_of_conditions.clone(),
        }
    }

    /// Every part's value beside that of the same part of another.
    pub fn zip<'a, U>(&'a self, other: &'a Parts<U>) -> impl Iterator<Item = (&'a T, &'a U)> {
        let chained = |parts: &'a Parts<T>| {
            let single = parts.columns.iter().chain(&parts.aggregates).chain(&parts.conditions);
            let pairs = single.chain(&parts.column_aggregates).chain(&parts.column_conditions);
            pairs.chain(&parts.aggregate_conditions).chain(parts.outcomes.iter().flatten())
        };
        let single = other.columns.iter().chain(&other.aggregates).chain(&other.conditions);
        let pairs = single.chain(&other.column_aggregates).chain(&other.column_conditions);
        let others = pairs.chain(&other.aggregate_conditions).chain(other.outcomes.iter().flatten());
        chained(self).zip(others)
    }

    fn outcome(&self, candidate: Candidate) -> usize {
        let (kind, left) = (self.outcome_of_column[candidate.column], self.outcome_of_conditions[candidate.conditions]);
        (candidate.aggregate * KINDS.len() + kind) * LEFT.len() + left
    }

    /// Every candidate, in a fixed order.
    pub fn candidates(&self) -> impl Iterator<Item = Candidate> + use<T> {
        let (columns, sets) = (self.columns.len(), self.conditions.len());
        (0..columns).flat_map(move |column| {
            (0..AGGREGATES.len())
                .flat_map(move |aggregate| (0..sets).map(move |conditions| Candidate { column, aggregate, conditions }))
        })
    }
}

impl Parts<f64> {
    pub fn score(&self, candidate: Candidate) -> f64 {
        let Candidate { column, aggregate, conditions } = candidate;
        let sets = self.conditions.len();
        self.columns[column]
            + self.aggregates[aggregate]
            + self.conditions[conditions]
            + self.column_aggregates[column * AGGREGATES.len() + aggregate]
            + self.column_conditions[column * sets + conditions]
            + self.aggregate_conditions[aggregate * sets + conditions]
            + self.outcomes[self.outcome(candidate)].unwrap_or(0.0)
    }

    /// Adds to each of a candidate's parts.
    pub fn add(&mut self, candidate: Candidate, amount: f64) {
        let Candidate { column, aggregate, conditions } = candidate;
        let sets = self.conditions.len();
        let outcome = self.outcome(candidate);
        self.columns[column] += amount;
        self.aggregates[aggregate] += amount;
        self.conditions[conditions] += amount;
        self.column_aggregates[column * AGGREGATES.len() + aggregate] += amount;
        self.column_conditions[column * sets + conditions] += amount;
        self.aggregate_conditions[aggregate * sets + conditions] += amount;
        if let Some(part) = &mut self.outcomes[outcome] {
            *part += amount;
        }
    }
}

/// Whether a candidate can be computed at all.
pub fn is_possible(scene: &Scene, candidate: Candidate) -> bool {
    let numbers = scene.table.columns[candidate.column].range.is_some();
    matches!(AGGREGATES[candidate.aggregate], None | Some(Agg::Count)) || numbers
}

/// A question's best candidate and what is known about it.
#[derive(Debug)]
pub struct Ranked {
    pub best: Candidate,
    pub sets: Vec<Conditions>,
    /// Of its result, among all candidates.
    pub probability: f64,
    /// Of the most likely other result.
    pub second: f64,
    /// Of the candidate alone.
    pub alone: f64,
    /// A digest of its result, where rows are at hand.
    pub result: Option<u64>,
    /// The most likely candidates with other results, best first.
    pub others: Vec<Candidate>,
}

/// How many candidates are compared by their results.
const COMPARED_MAX: usize = 64;
const OTHERS_MAX: usize = 3;

struct Scorer<'w> {
    weights: &'w Weights,
    total: f64,
}

impl Sink for Scorer<'_> {
    fn add_times(&mut self, name: &[&str], size: f64) {
        self.total += self.weights.of(name) * size;
    }
}

/// Weighs every candidate; nothing where a table has no columns.
pub fn rank(scene: &Scene, weights: &Weights) -> Option<Ranked> {
    let sets = conditions(scene);
    let parts: Parts<f64> = Parts::new(scene, &sets, || Scorer { weights, total: 0.0 }, |scorer| scorer.total);
    weigh(scene, sets, &parts)
}

/// The best of candidates whose parts have these scores.
pub fn weigh(scene: &Scene, sets: Vec<Conditions>, parts: &Parts<f64>) -> Option<Ranked> {
    let mut scored: Vec<(f64, Candidate)> = parts
        .candidates()
        .filter(|candidate| is_possible(scene, *candidate))
        .map(|candidate| (parts.score(candidate), candidate))
        .collect();
    let highest = scored.iter().map(|(score, _)| *score).fold(f64::NEG_INFINITY, f64::max);
    let total: f64 = scored.iter().map(|(score, _)| (score - highest).exp()).sum();
    let by_score = |a: &(f64, Candidate), b: &(f64, Candidate)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
    if scored.len() > COMPARED_MAX {
        scored.select_nth_unstable_by(COMPARED_MAX, by_score);
        scored.truncate(COMPARED_MAX);
    }
    scored.sort_by(by_score);
    let mut answers: Vec<(Option<u64>, f64, Candidate, f64)> = Vec::new();
    for (score, candidate) in scored {
        let probability = (score - highest).exp() / total;
        let rows = &sets[candidate.conditions].rows;
        let came_to = result(scene, candidate.column, AGGREGATES[candidate.aggregate], rows);
        match answers.iter_mut().find(|answer| came_to.is_some() && answer.0 == came_to) {
            Some(answer) => answer.1 += probability,
            None => answers.push((came_to, probability, candidate, probability)),
        }
    }
    answers.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.2.cmp(&b.2)));
    let &(result, probability, best, alone) = answers.first()?;
    let second = answers.get(1).map_or(0.0, |answer| answer.1);
    let others = answers[1..].iter().take(OTHERS_MAX).map(|answer| answer.2).collect();
    Some(Ranked { best, sets, probability, second, alone, result, others })
}
