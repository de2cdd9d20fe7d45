//! What is published of a coder at work: the task, the plan, what was tried, and how far it is.

use base::{Document, Finding, Severity};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A solve at one moment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct State {
    /// In the user's words.
    pub task: String,
    /// What the model said that it would do.
    pub plan: Vec<String>,
    /// The code that was written last.
    pub current_code: Option<String>,
    /// Where the solution is to be written.
    pub file_path: Option<String>,
    /// Pieces of code tried so far.
    pub iteration: u32,
    /// Pieces of code that are tried at most.
    pub max_iterations: u32,
    /// Each with what came of it, the first first.
    pub history: Vec<Tried>,
    /// How far it is.
    pub status: Status,
}

impl Document for State {
    const KIND: &'static str = "state";
}

/// How far a solve is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum Status {
    Planning,
    Coding,
    Executing,
    Reflecting,
    Finished,
    Failed,
}

/// A piece of code and what came of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Tried {
    /// As it was executed; empty where the reply had none.
    pub code: String,
    /// What it printed.
    pub output: String,
    /// Why it is not the solution.
    pub error: Option<String>,
    /// What was made of that.
    pub reflection: Option<String>,
    /// What the guard said.
    pub findings: Vec<Finding>,
    /// What was held against it.
    pub evidence: Vec<Evidence>,
}

impl Tried {
    pub(super) fn of(code: String) -> Tried {
        Tried { code, output: String::new(), error: None, reflection: None, findings: Vec::new(), evidence: Vec::new() }
    }

    /// Whether what can verify was executed, and all of it holds.
    pub fn holds(&self) -> bool {
        let mut verifying = self.evidence.iter().filter(|evidence| evidence.by.verifies()).peekable();
        verifying.peek().is_some() && verifying.all(|evidence| evidence.failed == 0 && evidence.passed > 0)
    }

    /// How many checks passed that count.
    pub fn passed(&self) -> u64 {
        self.evidence.iter().filter(|evidence| evidence.by.verifies()).map(|evidence| evidence.passed).sum()
    }

    /// Whether it was executed.
    pub fn ran(&self) -> bool {
        !self.evidence.is_empty() || !self.output.is_empty()
    }

    /// What the guard calls an error, as one text.
    pub(super) fn errors(&self) -> String {
        let errors = self.findings.iter().filter(|finding| finding.severity == Severity::Error);
        errors.take(3).map(|finding| finding.message.as_str()).collect::<Vec<_>>().join("; ")
    }
}

/// What was held against a piece of code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Evidence {
    /// What it is.
    pub by: By,
    /// How many held.
    pub passed: u64,
    /// How many did not.
    pub failed: u64,
    /// In words.
    pub detail: String,
}

/// What code is held against.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum By {
    /// The user's.
    Tests,
    /// Found in the task.
    Examples,
    /// Written by the model; they verify nothing.
    SelfTests,
    /// That the code says of itself.
    Types,
}

impl By {
    /// Whether it can verify a solution.
    pub fn verifies(self) -> bool {
        matches!(self, By::Tests | By::Examples)
    }
}
