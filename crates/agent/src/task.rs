//! What all tasks share: how an input is read back, what a run began with, and how a run's document says how it ended.

use std::time::Instant;

use base::{Code, Problem};
use flow::{Finish, Run};
use sandbox::Outcome;
use serde_json::{Value, json};

use crate::context::Context;
use crate::query::Queried;
use crate::source::Source;
use crate::warehouse::Resolved;

/// Reads a run's input back.
pub fn parse_input<T: serde::de::DeserializeOwned>(input: Value) -> Result<T, Problem> {
    serde_json::from_value(input).map_err(|error| {
        Problem::new(Code::JournalMismatch, format!("the run's input no longer fits: {error}"))
            .hint("resume it with the program that began it, or start anew")
    })
}

/// The data a run began with, or `input_changed`.
pub async fn unchanged(context: &Context, data: &[String], version: &str) -> Result<Resolved, Problem> {
    let resolved = Resolved::of(context, Source::parse(data, &context.datasets())?).await?;
    if resolved.version.as_str() != version {
        return Err(Problem::new(Code::InputChanged, format!("`{}` changed since the run began", resolved.id))
            .hint("what was recorded can only be continued over the data as it was; ask again for the new contents"));
    }
    Ok(resolved)
}

/// A fault of ours, said with what to do about it.
pub fn internal(error: impl std::fmt::Display) -> Problem {
    Problem::new(Code::Internal, error.to_string()).hint("please report what you did")
}

/// The time since then, to a hundredth.
pub fn milliseconds(since: Instant) -> f64 {
    (since.elapsed().as_secs_f64() * 1e5).round() / 100.0
}

/// The document that `sql` and `plan run` share.
pub fn document(kind: &str, run: &Run, sql: &str, queried: &Queried) -> Value {
    json!({
        "v": 1, "kind": kind, "run": run.id(), "outcome": queried.outcome, "killed_by": queried.killed_by, "sql": sql,
        "table": queried.table, "error": queried.error, "findings": queried.findings, "usage": queried.usage,
        "isolation": queried.isolation,
    })
}

/// A document's outcome decides how its run ended.
pub fn finish(outcome: Outcome, document: Value) -> Finish {
    match outcome {
        Outcome::Ok => Finish::succeeded(document),
        Outcome::Refused => Finish::rejected(document),
        Outcome::Failed | Outcome::Killed | Outcome::Lost => Finish::failed(document),
    }
}
