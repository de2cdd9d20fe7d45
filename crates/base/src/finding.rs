//! One remark of the guard: which rule, how bad, and where in the text.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whether a finding stops the code from running.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The code is refused.
    Error,
    /// The code may run; the reader should know.
    Warning,
}

/// A half-open range of UTF-8 byte offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

/// One remark of the guard.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// The rule's stable name, such as `sql/function`.
    pub rule: String,
    /// Whether it stops execution.
    pub severity: Severity,
    /// What is wrong and what to write instead.
    pub message: String,
    /// Where, if the text could be pointed at.
    pub span: Option<Span>,
}

impl Finding {
    /// A finding that stops execution.
    pub fn error(rule: &str, message: impl Into<String>, span: Option<Span>) -> Finding {
        Finding { rule: rule.to_string(), severity: Severity::Error, message: message.into(), span }
    }
}

/// A finding with the line it is on, for people who look at the program in an editor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FindingInLine {
    /// The remark.
    #[serde(flatten)]
    pub finding: Finding,
    /// Counted from 1.
    pub line: Option<usize>,
}
