//! What all tasks share: how an input is read back, what a run began with, and how a run's document says how it ended.

use std::time::Instant;

use base::{Code, Document, Problem};
use flow::{Finish, Run};
use sandbox::Outcome;
use serde_json::Value;
use warehouse::{DataNames, Resolved, Warehouse};

/// Reads a run's input back.
pub fn parse_input<T: serde::de::DeserializeOwned>(input: Value) -> Result<T, Problem> {
    serde_json::from_value(input).map_err(|error| {
        Problem::new(Code::JournalMismatch, format!("the run's input no longer fits: {error}"))
            .hint("resume it with the program that began it, or start anew")
    })
}

/// The data a run began with, or `input_changed`.
pub async fn unchanged(warehouse: &Warehouse, data: &[String], version: &str) -> Result<Resolved, Problem> {
    let resolved = Resolved::of(warehouse, DataNames::recorded(warehouse.datasets()).source(data)?).await?;
    if resolved.version.as_str() != version {
        return Err(Problem::new(Code::InputChanged, format!("`{}` changed since the run began", resolved.id))
            .hint("what was recorded can only be continued over the data as it was; ask again for the new contents"));
    }
    Ok(resolved)
}

/// A run from a stranger's capsule may be continued here, but it does not choose where files are written.
pub fn no_stranger_writes(run: &Run) -> Result<(), Problem> {
    if !run.is_imported() {
        return Ok(());
    }
    Err(Problem::new(Code::Usage, "the run came from a capsule and wants to write to a place of its choice")
        .hint("start the same anew to have it done here"))
}

/// A fault of ours, said with what to do about it.
pub fn internal(error: impl std::fmt::Display) -> Problem {
    Problem::new(Code::Internal, error.to_string()).hint("please report what you did")
}

/// The time since then, to a hundredth.
pub fn milliseconds(since: Instant) -> f64 {
    (since.elapsed().as_secs_f64() * 1e5).round() / 100.0
}

/// A document's outcome decides how its run ended.
pub fn finish(outcome: Outcome, document: &impl Document) -> Finish {
    let document = document.to_json();
    match outcome {
        Outcome::Ok => Finish::succeeded(document),
        Outcome::Refused => Finish::rejected(document),
        Outcome::Failed | Outcome::Killed | Outcome::Lost => Finish::failed(document),
    }
}
