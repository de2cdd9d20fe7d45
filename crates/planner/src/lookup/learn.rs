//! Learning the weights: questions whose right candidates are known, and the weights that make those likely.
//!
//! The likelihood of the right candidates among all of a question's, climbed one question after the other in an order
//! that depends on nothing but their number, so that the same questions give the same weights to the last digit.

use std::cell::RefCell;
use std::collections::HashMap;

use data::plan::Agg;

use super::candidates::{AGGREGATES, Candidate, Conditions, conditions, result};
use super::features::Sink;
use super::rank::{Parts, is_possible};
use super::scene::{Link, Operand, Relation, Scene};
use super::table::sameness;
use super::weights::SEPARATOR;
use super::words;
use crate::index::Index;

/// What a question asks for, by positions.
#[derive(Clone, Debug)]
pub struct Truth {
    /// The column.
    pub column: usize,
    /// What is done with it.
    pub aggregate: Option<Agg>,
    /// Column, comparison (`=`, `>` or `<`) and value of each condition.
    pub conditions: Vec<(usize, char, String)>,
}

/// The names of features in the order they were first seen.
#[derive(Clone, Debug, Default)]
pub struct Names {
    ids: HashMap<String, u32>,
    names: Vec<String>,
}

impl Names {
    fn id(&mut self, name: String) -> u32 {
        let next = self.names.len() as u32;
        *self.ids.entry(name).or_insert_with_key(|name| {
            self.names.push(name.clone());
            next
        })
    }

    /// The weights as a text: sorted, rounded, without those that say nothing.
    pub fn text(&self, weights: &[f64]) -> String {
        let named = self.names.iter().zip(weights).filter(|(_, weight)| weight.abs() >= 0.005);
        let mut lines: Vec<String> = named.map(|(name, weight)| format!("{name}\t{weight:.2}\n")).collect();
        lines.sort();
        lines.concat()
    }
}

type Features = Vec<(u32, f32)>;

#[derive(Default)]
struct Namer(Vec<(String, f32)>);

impl Sink for Namer {
    fn add_times(&mut self, name: &[&str], size: f64) {
        if size != 0.0 {
            self.0.push((name.join(SEPARATOR), size as f32));
        }
    }
}

/// A question to learn from.
#[derive(Debug)]
pub struct Example {
    parts: Parts<Features>,
    possible: Vec<Candidate>,
    /// Positions in `possible`.
    right: Vec<usize>,
    /// What the truth comes to.
    pub result: Option<u64>,
}

impl Example {
    /// The candidates of a question about one table, and which of them are right.
    pub fn new(names: &mut Names, index: &Index, table: usize, question: &str, truth: &Truth) -> Example {
        let scene = Scene::new(index, table, question);
        let sets = conditions(&scene);
        let names = RefCell::new(names);
        let intern = |namer: Namer| namer.0.into_iter().map(|(name, size)| (names.borrow_mut().id(name), size)).collect();
        let parts: Parts<Features> = Parts::new(&scene, &sets, Namer::default, intern);
        let possible: Vec<Candidate> = parts.candidates().filter(|candidate| is_possible(&scene, *candidate)).collect();
        let expected = outcome(&scene, truth);
        let right = right(&scene, &sets, &possible, truth, expected);
        Example { parts, possible, right, result: expected }
    }

    /// Whether any candidate is right.
    pub fn is_within_reach(&self) -> bool {
        !self.right.is_empty()
    }
}

/// What the truth comes to.
fn outcome(scene: &Scene, truth: &Truth) -> Option<u64> {
    let holds = |row: usize| {
        truth.conditions.iter().all(|(column, relation, value)| {
            let column = &scene.table.columns[*column];
            let Some(cell) = column.rows[row].map(|id| &column.values[id as usize]) else { return value.is_empty() };
            let number = words::number(value);
            match relation {
                '=' => cell.sameness == sameness(number, value),
                _ => cell.number.zip(number).is_some_and(|(cell, bound)| related(*relation).holds(cell, bound)),
            }
        })
    };
    let rows: Vec<usize> = (0..scene.table.rows).filter(|row| holds(*row)).collect();
    result(scene, truth.column, truth.aggregate, &rows)
}

fn related(relation: char) -> Relation {
    match relation {
        '>' => Relation::Above,
        '<' => Relation::Below,
        _ => Relation::Equal,
    }
}

/// The candidates that are what is asked for; where none is, those that come to the same.
fn right(
    scene: &Scene,
    sets: &[Conditions],
    possible: &[Candidate],
    truth: &Truth,
    expected: Option<u64>,
) -> Vec<usize> {
    let same_set = |set: &Conditions| {
        set.links.len() == truth.conditions.len()
            && truth.conditions.iter().all(|condition| {
                set.links.iter().any(|link| is_condition(scene, &scene.links[*link], condition))
            })
    };
    let sets_right: Vec<bool> = sets.iter().map(same_set).collect();
    let said = |candidate: &Candidate| {
        candidate.column == truth.column
            && AGGREGATES[candidate.aggregate] == truth.aggregate
            && sets_right[candidate.conditions]
    };
    let of = |wanted: &dyn Fn(&Candidate) -> bool| -> Vec<usize> {
        (0..possible.len()).filter(|at| wanted(&possible[*at])).collect()
    };
    let literal = of(&said);
    if !literal.is_empty() {
        return literal;
    }
    of(&|candidate| {
        let rows = &sets[candidate.conditions].rows;
        !rows.is_empty()
            && result(scene, candidate.column, AGGREGATES[candidate.aggregate], rows) == expected
    })
}

fn is_condition(scene: &Scene, link: &Link, (column, relation, value): &(usize, char, String)) -> bool {
    if link.column != *column || link.relation != related(*relation) {
        return false;
    }
    let number = words::number(value);
    match &link.operand {
        Operand::Values(ids) => {
            let values = &scene.table.columns[*column].values;
            ids.iter().any(|id| values[*id as usize].sameness == sameness(number, value))
        }
        Operand::Number(bound) => number == Some(*bound),
        Operand::Texts(texts) => texts.iter().any(|text| sameness(words::number(text), text) == sameness(number, value)),
    }
}

/// How to learn.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// How often every question is seen.
    pub rounds: usize,
    /// The size of the first steps.
    pub step: f64,
    /// How strongly weights are drawn to nothing.
    pub decay: f64,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { rounds: 15, step: 0.1, decay: 2e-3 }
    }
}

/// The weights, by the ids of their names, under which the right candidates of these questions are likely; names for
/// which `used` says no have none.
pub fn learn(examples: &[&Example], names: &Names, settings: Settings, used: impl Fn(&str) -> bool) -> Vec<f64> {
    let count = names.names.len();
    let used: Vec<bool> = names.names.iter().map(|name| used(name)).collect();
    let (mut weights, mut squares) = (vec![0.0; count], vec![1e-2; count]);
    let examples: Vec<&&Example> = examples.iter().filter(|example| example.is_within_reach()).collect();
    let mut order: Vec<usize> = (0..examples.len()).collect();
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    for _ in 0..settings.rounds {
        for at in (1..order.len()).rev() {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            order.swap(at, (random >> 33) as usize % (at + 1));
        }
        for &at in &order {
            let example = examples[at];
            let slope = slope(example, &weights);
            for (features, slope) in example.parts.zip(&slope) {
                if slope.abs() < 1e-6 {
                    continue;
                }
                for &(id, size) in features {
                    let id = id as usize;
                    if !used[id] {
                        continue;
                    }
                    let change = slope * f64::from(size) - settings.decay * weights[id];
                    squares[id] += change * change;
                    weights[id] += settings.step * change / f64::sqrt(squares[id]);
                }
            }
        }
    }
    weights
}

/// For each part, how much more often it should be there.
fn slope(example: &Example, weights: &[f64]) -> Parts<f64> {
    let dot = |features: &Features| features.iter().map(|(id, size)| weights[*id as usize] * f64::from(*size)).sum();
    let scores: Parts<f64> = example.parts.map(dot);
    let mut all: Vec<f64> = example.possible.iter().map(|candidate| scores.score(*candidate)).collect();
    let mut right: Vec<f64> = example.right.iter().map(|at| all[*at]).collect();
    softmax(&mut all);
    softmax(&mut right);
    for (at, probability) in all.iter_mut().enumerate() {
        *probability = -*probability;
        if let Some(place) = example.right.iter().position(|right| *right == at) {
            *probability += right[place];
        }
    }
    let mut slope = scores.map(|_| 0.0);
    for (candidate, amount) in example.possible.iter().zip(all) {
        if amount.abs() > 1e-7 {
            slope.add(*candidate, amount);
        }
    }
    slope
}

fn softmax(scores: &mut [f64]) {
    let highest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    scores.iter_mut().for_each(|score| *score = (*score - highest).exp());
    let total: f64 = scores.iter().sum();
    scores.iter_mut().for_each(|score| *score /= total);
}
