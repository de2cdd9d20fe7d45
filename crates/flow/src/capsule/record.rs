//! What a capsule holds, as types. They mirror the journal's records, without what is true only where the run lives:
//! its owner, its lease, how often it was recovered.

use std::collections::BTreeSet;

use base::{Hash, RunId, Timestamp};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use store::{Content, Event, ForkPoint, Mode, RunState, StepState};

use super::word;

/// A run with everything recorded about it, the contents of its artifacts apart.
#[derive(Clone, Debug, PartialEq)]
pub struct Capsule {
    /// The run itself.
    pub run: CapsuleRun,
    /// In order, from 0.
    pub steps: Vec<CapsuleStep>,
    /// Its durable events, in order.
    pub events: Vec<Event>,
    /// The files it produced.
    pub artifacts: Vec<CapsuleArtifact>,
}

impl Capsule {
    /// The contents a capsule of this run carries: of its artifacts, and of outputs too large for a row.
    pub fn contents(&self) -> BTreeSet<Hash> {
        let outputs = self.run.output.iter().chain(self.steps.iter().map(|step| &step.output));
        let large = outputs.filter_map(|output| match output {
            Content::Artifact(sha256) => Some(sha256),
            Content::Inline(_) => None,
        });
        large.chain(self.artifacts.iter().map(|artifact| &artifact.sha256)).cloned().collect()
    }
}

/// The run's own record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CapsuleRun {
    /// Its name, which it keeps wherever it is imported.
    #[serde(with = "word")]
    pub id: RunId,
    /// The task's registered name, with its version.
    pub task: String,
    /// Where it stood when it was exported.
    #[serde(with = "word")]
    pub state: RunState,
    /// Who worked on it.
    #[serde(with = "word")]
    pub mode: Mode,
    /// The caller's idempotency key.
    pub key: Option<String>,
    /// One line for lists.
    pub title: Option<String>,
    /// What the task was given.
    pub input: Value,
    /// The hash of the input; none for a run recorded before there was one.
    #[serde(default, with = "word::optional")]
    pub input_hash: Option<Hash>,
    /// What it gave.
    #[serde(default, with = "optional_content")]
    pub output: Option<Content>,
    /// The problem document it ended with.
    pub problem: Option<Value>,
    /// The run it was forked from.
    #[serde(default, with = "optional_fork")]
    pub forked_from: Option<ForkPoint>,
    /// How often it was begun.
    pub attempts: i64,
    /// The version of the program that created it.
    pub program: String,
    /// By the clock of the store it came from.
    #[serde(with = "word")]
    pub created_at: Timestamp,
    /// By the clock of the store it came from.
    #[serde(default, with = "word::optional")]
    pub finished_at: Option<Timestamp>,
    /// The number of its last durable event.
    pub last_seq: i64,
}

/// A recorded step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CapsuleStep {
    /// Its place in the run, counted from 0.
    #[serde(rename = "index")]
    pub position: i64,
    /// What the code called it.
    pub name: String,
    /// How it ended.
    #[serde(with = "word")]
    pub state: StepState,
    /// How often the effect was tried by the attempt that recorded it.
    pub attempts: i64,
    /// By the clock of the store it came from.
    #[serde(with = "word")]
    pub finished_at: Timestamp,
    /// How long the effect took.
    pub duration_ms: f64,
    /// The hash of the input it was given.
    #[serde(with = "word")]
    pub input_hash: Hash,
    /// The hash of the output's JSON text.
    #[serde(with = "word")]
    pub output_hash: Hash,
    /// The output, or the problem document if it failed.
    #[serde(with = "ContentForm")]
    pub output: Content,
}

/// A file the run produced.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CapsuleArtifact {
    /// Unique in its run.
    pub name: String,
    /// Such as `image/svg+xml`.
    pub media_type: String,
    /// How long the contents are.
    pub bytes: i64,
    /// The hash of the contents.
    #[serde(with = "word")]
    pub sha256: Hash,
}

/// `{"inline":"<JSON text>"}` or `{"artifact":"<sha256>"}`. The text is a string and not a value, because its hash is
/// that of the very bytes that were recorded.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Content", rename_all = "snake_case")]
enum ContentForm {
    Inline(String),
    Artifact(#[serde(with = "word")] Hash),
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "ForkPoint")]
struct ForkForm {
    #[serde(with = "word")]
    run: RunId,
    step: i64,
}

mod optional_content {
    use super::*;

    #[derive(Serialize, Deserialize)]
    struct Form(#[serde(with = "ContentForm")] Content);

    pub(super) fn serialize<S: Serializer>(value: &Option<Content>, serializer: S) -> Result<S::Ok, S::Error> {
        value.clone().map(Form).serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Content>, D::Error> {
        Ok(Option::<Form>::deserialize(deserializer)?.map(|form| form.0))
    }
}

mod optional_fork {
    use super::*;

    #[derive(Serialize, Deserialize)]
    struct Form(#[serde(with = "ForkForm")] ForkPoint);

    pub(super) fn serialize<S: Serializer>(value: &Option<ForkPoint>, serializer: S) -> Result<S::Ok, S::Error> {
        value.clone().map(Form).serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<ForkPoint>, D::Error> {
        Ok(Option::<Form>::deserialize(deserializer)?.map(|form| form.0))
    }
}
