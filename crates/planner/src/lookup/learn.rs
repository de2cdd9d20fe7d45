//! Learning the weights: questions whose right candidates are known, and the weights that make those likely.
//!
//! The likelihood of the right candidates among all of a question's, climbed one question after the other in an order
//! that depends on nothing but their number, so that the same questions give the same weights to the last digit.

use std::cell::RefCell;

use rustc_hash::FxHashMap;

use data::plan::Agg;

use super::answer;
use super::candidates::{AGGREGATES, Candidate, Conditions, conditions, result};
use super::certainty;
use super::features::Sink;
use super::rank::{Parts, is_possible, rank};
use super::scene::{Link, Operand, Relation, Scene};
use super::table::sameness;
use super::weights::{SEPARATOR, Weights};
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
struct Names {
    ids: FxHashMap<String, u32>,
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
}

pub use super::features::GROUPS;

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
struct Example {
    parts: Parts<Features>,
    possible: Vec<Candidate>,
    /// Positions in `possible`.
    right: Vec<usize>,
    /// What the truth comes to.
    result: Option<u64>,
}

impl Example {
    /// The candidates of a question about one table, and which of them are right.
    fn new(names: &mut Names, question: &Question) -> Example {
        let scene = question.scene();
        let truth = &question.truth;
        let sets = conditions(&scene);
        let names = RefCell::new(names);
        let intern =
            |namer: Namer| namer.0.into_iter().map(|(name, size)| (names.borrow_mut().id(name), size)).collect();
        let parts: Parts<Features> = Parts::new(&scene, &sets, Namer::default, intern);
        let possible: Vec<Candidate> = parts.candidates().filter(|candidate| is_possible(&scene, *candidate)).collect();
        let expected = outcome(&scene, truth);
        let right = right(&scene, &sets, &possible, truth, expected);
        Example { parts, possible, right, result: expected }
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
            && truth
                .conditions
                .iter()
                .all(|condition| set.links.iter().any(|link| is_condition(scene, &scene.links[*link], condition)))
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
        !rows.is_empty() && result(scene, candidate.column, AGGREGATES[candidate.aggregate], rows) == expected
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
        Operand::Texts(texts) => {
            texts.iter().any(|text| sameness(words::number(text), text) == sameness(number, value))
        }
    }
}

/// How often every question is seen.
const ROUNDS: usize = 15;
/// The size of the first steps.
const STEP: f64 = 0.1;
/// How strongly weights are drawn to nothing.
const DECAY: f64 = 2e-3;
/// A feature of fewer questions has no weight: it would be about them.
const QUESTIONS_MIN: u32 = 12;
/// A weight of less says nothing.
const WEIGHT_MIN: f64 = 0.05;
/// For confidence, each question is judged by weights learned without its table's part.
const PARTS: usize = 4;

/// A question over the first table of a dataset whose meaning is known.
#[derive(Clone, Debug)]
pub struct Question<'a> {
    /// The dataset.
    pub index: &'a Index,
    /// As it was asked.
    pub text: String,
    /// What it asks for.
    pub truth: Truth,
    /// Questions over one table have the same number, so that none is judged by what another taught.
    pub table: usize,
}

impl<'a> Question<'a> {
    fn scene(&self) -> Scene<'a> {
        let table = self.index.lookup().expect("a question of a course is about one table");
        Scene::new(self.index, table, &self.text)
    }
}

/// How a question was understood.
#[derive(Clone, Copy, Debug)]
pub struct Judged {
    /// Whether the result is the truth's.
    pub right: bool,
    /// How sure the ranker was.
    pub confidence: f64,
    /// The probability before it was corrected.
    pub probability: f64,
    /// Whether the candidate accounts for every word, so that a user may see it as an answer.
    pub whole: bool,
}

/// Questions with their candidates.
#[derive(Debug)]
pub struct Course<'a> {
    questions: Vec<Question<'a>>,
    examples: Vec<Example>,
    names: Names,
}

impl<'a> Course<'a> {
    /// Finds the candidates of every question.
    pub fn new(questions: Vec<Question<'a>>) -> Course<'a> {
        let mut names = Names::default();
        let examples = questions.iter().map(|question| Example::new(&mut names, question)).collect();
        Course { questions, examples, names }
    }

    /// The questions.
    pub fn questions(&self) -> &[Question<'a>] {
        &self.questions
    }

    /// How many of the questions have a right candidate.
    pub fn within_reach(&self) -> usize {
        self.examples.iter().filter(|example| !example.right.is_empty()).count()
    }

    /// The weights that these of the questions teach, as the text that [`Weights::parse`] reads.
    pub fn teach(&self, chosen: &[usize]) -> String {
        let judged = (0..PARTS).flat_map(|part| {
            let (held, taught): (Vec<usize>, Vec<usize>) =
                chosen.iter().partition(|at| self.questions[**at].table % PARTS == part);
            let weights = Weights::of_lines(&self.ranking(&taught, None));
            held.into_iter().filter_map(|at| self.evidence(at, &weights)).collect::<Vec<_>>()
        });
        let mut lines = calibrate(&judged.collect::<Vec<_>>());
        lines.extend(self.ranking(chosen, None));
        lines.sort_by(|a, b| a.0.cmp(&b.0));
        lines.iter().map(|(name, weight)| format!("{name}\t{weight:.2}\n")).collect()
    }

    /// The weights that order candidates alone, without those of one group of features: for measuring what it is worth.
    pub fn teach_without(&self, chosen: &[usize], group: Option<&str>) -> Weights {
        Weights::of_lines(&self.ranking(chosen, group))
    }

    /// How these of the questions are understood with weights.
    pub fn judge(&self, chosen: &[usize], weights: &Weights) -> Vec<Judged> {
        chosen.iter().map(|at| self.judge_one(*at, weights)).collect()
    }

    fn judge_one(&self, at: usize, weights: &Weights) -> Judged {
        let question = &self.questions[at];
        let scene = question.scene();
        let Some(ranked) = rank(&scene, weights) else {
            return Judged { right: false, confidence: 0.0, probability: 0.0, whole: false };
        };
        Judged {
            right: ranked.result == self.examples[at].result,
            confidence: certainty::confidence(&scene, &ranked, weights),
            probability: ranked.probability,
            whole: answer::is_whole(&scene, &ranked),
        }
    }

    /// What speaks for the confidence in a question's best candidate, and whether it is right.
    fn evidence(&self, at: usize, weights: &Weights) -> Option<(Vec<(String, f64)>, bool)> {
        let question = &self.questions[at];
        let scene = question.scene();
        let ranked = rank(&scene, weights)?;
        let mut namer = Namer::default();
        certainty::features(&scene, &ranked, &mut namer);
        let features = namer.0.into_iter().map(|(name, size)| (name, f64::from(size))).collect();
        Some((features, ranked.result == self.examples[at].result))
    }

    /// The weights that order candidates.
    fn ranking(&self, chosen: &[usize], without: Option<&str>) -> Vec<(String, f64)> {
        let examples: Vec<&Example> = chosen.iter().map(|at| &self.examples[*at]).collect();
        let frequent = frequent(&examples, self.names.names.len());
        let used: Vec<bool> = self
            .names
            .names
            .iter()
            .zip(frequent)
            .map(|(name, frequent)| frequent && without != name.split(SEPARATOR).next())
            .collect();
        let weights = climb(&examples, &used);
        let named = self.names.names.iter().cloned().zip(weights);
        named.filter(|(_, weight)| weight.abs() >= WEIGHT_MIN).collect()
    }
}

/// Which features enough questions have.
fn frequent(examples: &[&Example], count: usize) -> Vec<bool> {
    let (mut questions, mut last) = (vec![0_u32; count], vec![usize::MAX; count]);
    for (at, example) in examples.iter().enumerate() {
        for (features, _) in example.parts.zip(&example.parts) {
            for (id, _) in features {
                let id = *id as usize;
                if last[id] != at {
                    last[id] = at;
                    questions[id] += 1;
                }
            }
        }
    }
    questions.into_iter().map(|questions| questions >= QUESTIONS_MIN).collect()
}

/// Weights of confidence: a logistic regression, by steps along the whole slope.
fn calibrate(judged: &[(Vec<(String, f64)>, bool)]) -> Vec<(String, f64)> {
    const STEPS: usize = 400;
    const DRAW: f64 = 1e-3;
    let mut names = Names::default();
    let rows: Vec<(Vec<(usize, f64)>, bool)> = judged
        .iter()
        .map(|(features, right)| {
            let ids = features.iter().map(|(name, size)| (names.id(name.clone()) as usize, *size)).collect();
            (ids, *right)
        })
        .collect();
    let count = names.names.len();
    let (mut weights, mut squares) = (vec![0.0; count], vec![1e-8; count]);
    for _ in 0..STEPS {
        let mut slope: Vec<f64> = weights.iter().map(|weight: &f64| -DRAW * weight).collect();
        for (features, right) in &rows {
            let sum: f64 = features.iter().map(|(id, size)| weights[*id] * size).sum();
            let miss = f64::from(u8::from(*right)) - 1.0 / (1.0 + (-sum).exp());
            features.iter().for_each(|(id, size)| slope[*id] += miss * size / rows.len() as f64);
        }
        for id in 0..count {
            squares[id] += slope[id] * slope[id];
            weights[id] += 0.2 * slope[id] / f64::sqrt(squares[id]);
        }
    }
    names.names.into_iter().zip(weights).collect()
}

/// The weights, by the ids of their names, under which the right candidates of these questions are likely.
fn climb(examples: &[&Example], used: &[bool]) -> Vec<f64> {
    let (mut weights, mut squares) = (vec![0.0; used.len()], vec![1e-2; used.len()]);
    let examples: Vec<&&Example> = examples.iter().filter(|example| !example.right.is_empty()).collect();
    let mut order: Vec<usize> = (0..examples.len()).collect();
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    for _ in 0..ROUNDS {
        for at in (1..order.len()).rev() {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            order.swap(at, (random >> 33) as usize % (at + 1));
        }
        for &at in &order {
            let example = examples[at];
            let slope = slope(example, &weights);
            for (features, slope) in example.parts.zip(&slope).filter(|(_, slope)| slope.abs() > 1e-6) {
                for &(id, size) in features.iter().filter(|(id, _)| used[*id as usize]) {
                    let id = id as usize;
                    let change = slope * f64::from(size) - DECAY * weights[id];
                    squares[id] += change * change;
                    weights[id] += STEP * change / f64::sqrt(squares[id]);
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
