//! The figures of an evaluation: how much was answered, how much of that was right, and how both go with confidence.

use base::{Document, RunId};
use schemars::JsonSchema;
use serde::Serialize;

use super::result::{CaseResult, Status};
use crate::answer::AnswerModel;

/// Points of a curve at most.
const POINTS_MAX: usize = 40;

/// One point of the curve: what would be answered, and how much of that rightly, if everything less certain were refused.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Point {
    /// The part of the answerable cases that is answered.
    pub coverage: f64,
    /// The part of the answers that is right.
    pub precision: f64,
    /// The least confidence among them.
    pub confidence: f64,
}

/// How long cases took, in milliseconds; nothing where there was none.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[allow(missing_docs)]
pub struct Times {
    pub p50: Option<f64>,
    pub p99: Option<f64>,
}

/// The figures of an evaluation.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct EvalDocument {
    /// The run; its file `results.jsonl` has every case.
    pub run: RunId,
    /// How many cases.
    pub cases: usize,
    /// How many were answered.
    pub answered: usize,
    /// How many answers are right.
    pub right: usize,
    /// How many answers are wrong.
    pub wrong: usize,
    /// How many were refused.
    pub refused: usize,
    /// How many of those were to be refused.
    pub refused_right: usize,
    /// How many could not be evaluated.
    pub problems: usize,
    /// The part of the cases that came out as expected.
    pub accuracy: Option<f64>,
    /// The part of the answers that is right.
    pub precision: Option<f64>,
    /// The part of the answerable cases that was answered.
    pub coverage: Option<f64>,
    /// By falling confidence.
    pub curve: Vec<Point>,
    /// For planning.
    pub plan_ms: Times,
    /// In all.
    pub total_ms: Times,
    /// The model that read what the planner did not, and what all of its replies cost.
    pub model: Option<AnswerModel>,
}

impl Document for EvalDocument {
    const KIND: &'static str = "eval";
}

/// The figures of these results.
pub fn summary(run: &RunId, results: &[CaseResult]) -> EvalDocument {
    let count = |wanted: &dyn Fn(&CaseResult) -> bool| results.iter().filter(|result| wanted(result)).count();
    let answered = |result: &CaseResult| result.status == Status::Answered;
    let right = count(&|result| answered(result) && result.right == Some(true));
    let wrong = count(&|result| answered(result) && result.right == Some(false));
    let refused_right = count(&|result| result.status == Status::Refused && result.right == Some(true));
    let expecting = count(&|result| result.right.is_some());
    let answerable = count(&is_answerable);
    let times = |of: &dyn Fn(&CaseResult) -> f64| {
        let done = results.iter().filter(|result| result.status != Status::Problem);
        let mut times: Vec<f64> = done.map(of).collect();
        times.sort_by(f64::total_cmp);
        Times { p50: percentile(&times, 50), p99: percentile(&times, 99) }
    };
    EvalDocument {
        run: run.clone(),
        cases: results.len(),
        answered: count(&answered),
        right,
        wrong,
        refused: count(&|result| result.status == Status::Refused),
        refused_right,
        problems: count(&|result| result.status == Status::Problem),
        accuracy: share(right + refused_right, expecting),
        precision: share(right, right + wrong),
        coverage: share(count(&|result| answered(result) && is_answerable(result)), answerable),
        curve: curve(results),
        plan_ms: times(&|result| result.plan_ms),
        total_ms: times(&|result| result.total_ms),
        model: None,
    }
}

fn is_answerable(result: &CaseResult) -> bool {
    result.status != Status::Problem && !result.expects_refusal()
}

fn share(part: usize, whole: usize) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// The value below which so many percent of the sorted values lie, by the nearest rank.
fn percentile(sorted: &[f64], percent: usize) -> Option<f64> {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).copied()
}

/// By falling confidence. Answers of equal confidence are told apart by no threshold, so they share a point.
fn curve(results: &[CaseResult]) -> Vec<Point> {
    let scorable = results.iter().filter(|result| is_answerable(result) && result.right.is_some()).count();
    let mut answers: Vec<&CaseResult> =
        results.iter().filter(|result| result.status == Status::Answered && result.right.is_some()).collect();
    answers.sort_by(|one, other| other.confidence.total_cmp(&one.confidence));
    let (mut covered, mut right) = (0, 0);
    let mut points: Vec<Point> = Vec::new();
    for (at, answer) in answers.iter().enumerate() {
        covered += usize::from(is_answerable(answer));
        right += usize::from(answer.right == Some(true));
        let point = Point {
            coverage: share(covered, scorable).unwrap_or(0.0),
            precision: right as f64 / (at + 1) as f64,
            confidence: answer.confidence,
        };
        match points.last_mut() {
            Some(last) if last.confidence == point.confidence => *last = point,
            _ => points.push(point),
        }
    }
    thinned(points)
}

/// Every so many points, with the last of all.
fn thinned(points: Vec<Point>) -> Vec<Point> {
    let step = points.len().div_ceil(POINTS_MAX).max(1);
    let last = points.len().saturating_sub(1);
    points.into_iter().enumerate().filter(|(at, _)| (last - at).is_multiple_of(step)).map(|(_, point)| point).collect()
}
