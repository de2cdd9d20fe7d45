//! What is wrong with a plan, and where: a JSON pointer into what the user wrote, never into a form derived from it.

use std::fmt;

use base::{Code, Problem};
use schemars::JsonSchema;
use serde::Serialize;

/// One thing that is wrong with a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PlanProblem {
    /// A JSON pointer into the plan as it was written.
    pub path: String,
    /// `table_unknown`, `column_unknown` or `plan_invalid`.
    pub code: Code,
    /// Lower case, no period: what is wrong and on what.
    pub message: String,
    /// What could be written instead, best first.
    pub suggestions: Vec<String>,
}

impl PlanProblem {
    /// Something that has no meaning.
    pub fn invalid(path: impl Into<String>, message: impl Into<String>) -> PlanProblem {
        PlanProblem { path: path.into(), code: Code::PlanInvalid, message: message.into(), suggestions: Vec::new() }
    }

    /// The same with another code.
    pub(crate) fn code(mut self, code: Code) -> PlanProblem {
        self.code = code;
        self
    }

    /// The same with words to write instead.
    pub(crate) fn suggest(mut self, suggestions: Vec<String>) -> PlanProblem {
        self.suggestions = suggestions;
        self
    }

    /// The same at another place.
    pub(crate) fn at(mut self, path: &str) -> PlanProblem {
        self.path = path.to_string();
        self
    }
}

impl fmt::Display for PlanProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for PlanProblem {}

impl From<PlanProblem> for Problem {
    fn from(found: PlanProblem) -> Problem {
        let problem = Problem::new(found.code, found.message).at(found.path);
        if found.suggestions.is_empty() {
            return problem;
        }
        let words: Vec<String> = found.suggestions.iter().map(|word| format!("`{word}`")).collect();
        problem.hint(format!("did you mean {}?", words.join(" or ")))
    }
}
