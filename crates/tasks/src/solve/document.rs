//! The `solution` document of the machine interface.

use agent::solve::{Evidence, Tried};
use base::{Document, Problem, RunId};
use schemars::JsonSchema;
use serde::Serialize;

use crate::answer::Cost;

/// What a task came to: the code, what speaks for it, what was tried and what that cost.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Solution {
    /// The run it was solved in.
    pub run: RunId,
    /// Whether there is a program that ran.
    pub status: SolutionStatus,
    /// What is known of it.
    pub verdict: SolutionVerdict,
    /// In the user's words.
    pub task: String,
    /// What was to be done.
    pub plan: Vec<String>,
    /// The solution; where it failed, what came furthest.
    pub code: Option<String>,
    /// Where the solution is to be written, as the user named it.
    pub file_path: Option<String>,
    /// Whether it was written there.
    pub written: bool,
    /// Pieces of code that were tried.
    pub iteration: u32,
    /// Pieces of code that may be tried.
    pub max_iterations: u32,
    /// Each with what came of it, the first first.
    pub history: Vec<Tried>,
    /// What was held against the code.
    pub evidence: Vec<Evidence>,
    /// What was remembered for it and from it.
    pub lessons: SolutionLessons,
    /// Who wrote it.
    pub model: SolutionModel,
    /// What ended it early.
    pub problem: Option<Problem>,
}

impl Document for Solution {
    const KIND: &'static str = "solution";
}

/// Whether there is a program that ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum SolutionStatus {
    Finished,
    Failed,
}

/// What is known of a solution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SolutionVerdict {
    /// The user's tests or the task's examples were executed, and all hold.
    Verified,
    /// It ran, and there was nothing to hold it against.
    NoEvidence,
    /// Nothing that was tried holds.
    Failed,
}

/// Lessons that were used and that were learned, by their ids.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct SolutionLessons {
    /// Found and used.
    pub used: Vec<String>,
    /// Kept for later.
    pub saved: Vec<String>,
}

/// Which model was asked, and what that cost.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SolutionModel {
    /// As the user named it; none where nobody was named.
    pub name: Option<String>,
    /// All of its replies together.
    pub cost: Cost,
}
