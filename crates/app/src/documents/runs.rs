//! Documents about what was done to runs, and about what they are found by.

use std::path::Path;

use base::{Document, Problem, RunId, Timestamp};
use flow::{Difference, Imported, Manifest, Part, RecallRecord, RunState};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use tasks::{ANSWERS_BYTES_MAX, ANSWERS_MAX};

/// Runs that wait for a worker now.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Queued {
    /// The task's registered name.
    pub task: String,
    /// Their names.
    pub runs: Vec<RunId>,
}

impl Document for Queued {
    const KIND: &'static str = "queued";
}

/// What a worker did until it ended.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct Worker {
    /// How many runs it worked on.
    pub runs: usize,
}

impl Document for Worker {
    const KIND: &'static str = "worker";
}

/// Whether a run was stopped.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Cancel {
    /// Which.
    pub run: RunId,
    /// Where it stands.
    pub state: RunState,
    /// Whether this command stopped it.
    pub cancelled: bool,
}

impl Document for Cancel {
    const KIND: &'static str = "cancel";
}

impl Cancel {
    /// Stops a run.
    pub async fn stop(runs: &flow::Runs, id: RunId) -> Result<Cancel, Problem> {
        let (state, cancelled) = runs.cancel(&id).await?;
        Ok(Cancel { run: id, state, cancelled })
    }
}

/// What a person decided about what a run asks.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Decision {
    /// Which run.
    pub run: RunId,
    /// Whether it was allowed.
    pub allowed: bool,
    /// Where the run stands now: `waiting` until somebody goes on with it, `pending` where a worker will.
    pub state: RunState,
}

impl Document for Decision {
    const KIND: &'static str = "decision";
}

/// What holding a run's code against its journal came to.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Replay {
    /// Which run.
    pub run: RunId,
    /// How many recorded steps the code came by.
    pub steps: usize,
    /// Whether it gave what was recorded.
    pub same: bool,
    /// Where it first went another way.
    pub difference: Option<ReplayDifference>,
}

impl Document for Replay {
    const KIND: &'static str = "replay";
}

/// Where code and journal part.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ReplayDifference {
    /// In words.
    pub message: String,
    /// A JSON pointer into the output, if that is what differs.
    pub path: Option<String>,
    /// What the journal has there.
    pub recorded: Value,
    /// What the code gives there.
    pub replayed: Value,
}

impl From<flow::Replay> for Replay {
    fn from(replay: flow::Replay) -> Replay {
        let flow::Replay { run, steps, difference } = replay;
        let told =
            |Difference { message, path, recorded, replayed }| ReplayDifference { message, path, recorded, replayed };
        Replay { run, steps, same: difference.is_none(), difference: difference.map(told) }
    }
}

/// A capsule of which every byte is right: it was just written, or checked.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Capsule {
    /// Always true; a damaged capsule is a problem.
    pub valid: bool,
    /// Where it is.
    pub file: String,
    /// Its layout.
    pub format: u32,
    /// The run inside.
    pub run: RunId,
    /// Its task.
    pub task: String,
    /// The version of the program that created the run.
    pub program: String,
    /// When the capsule was written.
    pub exported_at: Timestamp,
    /// What it is made of.
    pub parts: Vec<Part>,
}

impl Document for Capsule {
    const KIND: &'static str = "capsule";
}

impl Capsule {
    /// Of what a capsule says about itself.
    pub fn of(manifest: &Manifest, file: &Path) -> Capsule {
        Capsule {
            valid: true,
            file: file.display().to_string(),
            format: manifest.format,
            run: manifest.run.clone(),
            task: manifest.task.clone(),
            program: manifest.program.clone(),
            exported_at: manifest.exported_at,
            parts: manifest.parts.clone(),
        }
    }
}

/// A run that came in from a capsule.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Import {
    /// Which.
    pub run: RunId,
    /// Whether the same run was here before.
    pub was_here: bool,
}

impl Document for Import {
    const KIND: &'static str = "import";
}

impl From<Imported> for Import {
    fn from(imported: Imported) -> Import {
        Import { run: imported.run, was_here: imported.was_here }
    }
}

/// A thread that is forgotten; its runs stay.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ThreadForgotten {
    /// What it was called.
    pub thread: String,
    /// How many runs it had.
    pub runs: usize,
}

impl Document for ThreadForgotten {
    const KIND: &'static str = "thread_forgotten";
}

/// Which answers are given again without computing them, latest used first.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Caches {
    /// Each with the run that gave it.
    pub entries: Vec<RecallRecord>,
    /// What they take.
    pub bytes: i64,
    /// What all answers may take.
    pub bytes_max: i64,
    /// How many there may be.
    pub answers_max: i64,
}

impl Document for Caches {
    const KIND: &'static str = "caches";
}

impl Caches {
    /// Of these answers.
    pub fn of(entries: Vec<RecallRecord>) -> Caches {
        let bytes = entries.iter().map(|entry| entry.bytes).sum();
        Caches { entries, bytes, bytes_max: ANSWERS_BYTES_MAX, answers_max: ANSWERS_MAX }
    }
}
