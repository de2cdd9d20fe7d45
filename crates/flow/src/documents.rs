//! The documents about runs: one or many of them, what was deleted, and what they are found by.

use base::{Document, Hash, Problem, RunId, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use store::{ArtifactRecord, Content, ForkPoint, Journal, Mode, Question, RunState, RunSummary, StepRecord, StepState};
use store::{ThreadRecord, ThreadRun};

use crate::run::input_name;

/// One run with its steps and its files.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Run {
    /// Its name.
    pub id: RunId,
    /// The task's registered name, such as `ask/1`.
    pub task: String,
    /// Where it stands.
    pub state: RunState,
    /// Who works on it.
    pub mode: Mode,
    /// The caller's idempotency key.
    pub key: Option<String>,
    /// One line for lists.
    pub title: Option<String>,
    /// What the task was given.
    pub input: Value,
    /// The document it gave, or `{"artifact":"<sha256>"}` if it is large.
    pub output: Option<Value>,
    /// The problem it ended with.
    #[schemars(with = "Option<Problem>")]
    pub problem: Option<Value>,
    /// The run it was forked from.
    pub forked_from: Option<ForkPoint>,
    /// How often it was begun.
    pub attempts: i64,
    /// The version of the program that created it.
    pub program: String,
    /// By the clock of the database it was begun in.
    pub created_at: Timestamp,
    /// By the same clock.
    pub finished_at: Option<Timestamp>,
    /// The number of its last durable event.
    pub last_seq: i64,
    /// In order.
    pub steps: Vec<Step>,
    /// Files that it produced.
    pub artifacts: Vec<ArtifactRecord>,
    /// What it asks a person and nobody has decided yet, the oldest first.
    pub questions: Vec<Question>,
    /// How far its task is, in its own terms, such as the `state` of a solve; null where it says nothing.
    pub progress: Value,
}

impl Document for Run {
    const KIND: &'static str = "run";
}

/// A recorded step.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Step {
    /// Its place in the run, counted from 0.
    pub index: i64,
    /// What the code called it.
    pub name: String,
    /// How it ended.
    pub state: StepState,
    /// How often the effect was tried.
    pub attempts: i64,
    /// When it was committed.
    pub finished_at: Timestamp,
    /// How long the effect took.
    pub duration_ms: f64,
    /// The hash of the input it was given.
    pub input_hash: Hash,
    /// The hash of the output's JSON text.
    pub output_hash: Hash,
    /// The output, or the problem if it failed; `{"artifact":"<sha256>"}` if it is large.
    pub output: Value,
    /// The hash of the file with its whole input, where it kept it.
    pub request: Option<Hash>,
}

impl From<&Journal> for Run {
    fn from(journal: &Journal) -> Run {
        let run = journal.run.clone();
        Run {
            id: run.id,
            task: run.task,
            state: run.state,
            mode: run.mode,
            key: run.key,
            title: run.title,
            input: run.input,
            output: run.output.as_ref().map(Content::document),
            problem: run.problem,
            forked_from: run.forked_from,
            attempts: run.attempts,
            program: run.program,
            created_at: run.created_at,
            finished_at: run.finished_at,
            last_seq: run.last_seq,
            steps: journal.steps.iter().map(|step| Step::of(step, journal)).collect(),
            artifacts: journal.artifacts.clone(),
            questions: Vec::new(),
            progress: Value::Null,
        }
    }
}

impl Step {
    fn of(step: &StepRecord, journal: &Journal) -> Step {
        let name = input_name(step.position as usize);
        let request = journal.artifacts.iter().find(|artifact| artifact.name == name);
        Step {
            index: step.position,
            name: step.name.clone(),
            state: step.state,
            attempts: step.attempts,
            finished_at: step.finished_at,
            duration_ms: step.duration_ms,
            input_hash: step.input_hash.clone(),
            output_hash: step.output_hash.clone(),
            output: step.output.document(),
            request: request.map(|artifact| artifact.sha256.clone()),
        }
    }
}

/// Some runs, newest first.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Runs {
    /// In the order of the list.
    pub runs: Vec<Listed>,
    /// The last of this page, if there are older ones.
    pub next: Option<RunId>,
    /// The ids of runs that cannot be read.
    pub damaged: Vec<String>,
}

impl Document for Runs {
    const KIND: &'static str = "runs";
}

/// What a list shows of a run.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Listed {
    /// Its name.
    pub id: RunId,
    /// The task's registered name.
    pub task: String,
    /// Where it stands.
    pub state: RunState,
    /// The caller's idempotency key.
    pub key: Option<String>,
    /// By the database's clock.
    pub created_at: Timestamp,
    /// By the database's clock.
    pub finished_at: Option<Timestamp>,
    /// One line.
    pub title: Option<String>,
}

impl From<RunSummary> for Listed {
    fn from(run: RunSummary) -> Listed {
        Listed {
            id: run.id,
            task: run.task,
            state: run.state,
            key: run.key,
            created_at: run.created_at,
            finished_at: run.finished_at,
            title: run.title,
        }
    }
}

/// What was deleted, or would be.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Prune {
    /// Whether nothing was deleted.
    pub dry_run: bool,
    /// The runs that went, or would.
    pub runs: Vec<Pruned>,
    /// How many went by this command, or would.
    pub deleted: usize,
    /// How many files that no run needs.
    pub artifacts: usize,
    /// What they take.
    pub bytes: u64,
    /// Whether files stayed because another process was recording one.
    pub artifacts_busy: bool,
    /// The ids of runs that cannot be read.
    pub damaged: Vec<String>,
}

impl Document for Prune {
    const KIND: &'static str = "prune";
}

/// A run that is forgotten.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Pruned {
    /// Its name.
    pub id: RunId,
    /// The task's registered name.
    pub task: String,
    /// How it ended.
    pub state: RunState,
    /// When.
    pub finished_at: Option<Timestamp>,
    /// One line.
    pub title: Option<String>,
}

impl From<RunSummary> for Pruned {
    fn from(run: RunSummary) -> Pruned {
        Pruned { id: run.id, task: run.task, state: run.state, finished_at: run.finished_at, title: run.title }
    }
}

/// How many answers were forgotten; their runs stay.
#[derive(Clone, Copy, Debug, Default, Serialize, JsonSchema)]
pub struct Cleared {
    /// How many.
    pub answers: usize,
    /// What they took.
    pub bytes: i64,
}

impl Document for Cleared {
    const KIND: &'static str = "cleared";
}

/// Every thread, latest used first.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Threads {
    /// Each with its latest run.
    pub threads: Vec<ThreadRecord>,
}

impl Document for Threads {
    const KIND: &'static str = "threads";
}

/// The runs of one thread, oldest first.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Thread {
    /// What it is called.
    pub thread: String,
    /// In order.
    pub runs: Vec<ThreadRun>,
}

impl Document for Thread {
    const KIND: &'static str = "thread";
}
