//! What the tables hold, as types: the closed sets of states, what goes in, and what comes back.
//!
//! What comes back is also what a capsule carries, so names and order of its fields are part of the capsule's format.

use std::borrow::Cow;

use base::{Hash, Problem, RunId, Timestamp, read_word};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Value, json};

use crate::Event;

macro_rules! words {
    ($(#[$about:meta])* $name:ident $kind:literal { $($(#[$doc:meta])* $variant:ident $word:literal,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name { $($(#[$doc])* $variant,)* }

        impl $name {
            /// The word in the machine interface and in the table.
            pub fn as_str(self) -> &'static str {
                match self { $($name::$variant => $word,)* }
            }

            /// Reads the word back.
            pub fn parse(word: &str) -> Option<$name> {
                match word { $($word => Some($name::$variant),)* _ => None }
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({ "type": "string", "enum": [$($word),*] })
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<$name, D::Error> {
                read_word(deserializer, $kind, $name::parse)
            }
        }
    };
}

words! {
    /// Where a run stands.
    RunState "run's state" {
        /// Accepted, not begun.
        Pending "pending",
        /// Being worked on by its owner.
        Running "running",
        /// Finished with what was asked for.
        Succeeded "succeeded",
        /// Finished without, by its own account or by a problem.
        Failed "failed",
        /// Finished by declining, such as a refused question.
        Rejected "rejected",
        /// Stopped by the user.
        Cancelled "cancelled",
        /// Its process went away; it waits to be resumed.
        Interrupted "interrupted",
        /// It asked a person something; nobody works on it.
        Waiting "waiting",
    }
}

impl RunState {
    /// Whether nothing more will happen to the run by itself or by a worker.
    pub fn is_final(self) -> bool {
        match self {
            RunState::Succeeded | RunState::Failed | RunState::Rejected | RunState::Cancelled => true,
            RunState::Pending | RunState::Running | RunState::Interrupted | RunState::Waiting => false,
        }
    }
}

words! {
    /// Who works on a run.
    Mode "run's mode" {
        /// The command that started it, and nobody else.
        Attached "attached",
        /// Whichever worker takes it.
        Queued "queued",
    }
}

words! {
    /// How a step ended.
    StepState "step's state" {
        /// With an output.
        Ok "ok",
        /// With a problem that the same input would meet again.
        Failed "failed",
    }
}

/// What a run asks a person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Question {
    /// Its name within the run.
    pub id: String,
    /// What is to be allowed, as a word.
    pub action: String,
    /// What exactly, for the person to read.
    pub detail: String,
}

/// Which attempt of which run is writing. A write whose attempt is no longer the run's is refused.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fence {
    /// The run.
    pub run: RunId,
    /// Counted from 1.
    pub attempt: i64,
}

/// Who works on a run, and how long it may give no sign of life before the run is taken from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    /// The process, by a name that no other ever had.
    pub owner: String,
    /// The version of the program it runs.
    pub program: String,
    /// Counted by the database's clock from the last sign of life.
    pub for_ms: i64,
}

/// How a run begins.
#[derive(Clone, Debug)]
pub enum Beginning {
    /// At once, by the process that creates it.
    Attached(Lease),
    /// The same, as a worker would have taken it from the queue: where it goes away, another takes it.
    Taken(Lease),
    /// When a worker takes it.
    Queued,
}

/// A run about to be recorded.
#[derive(Clone, Debug)]
pub struct NewRun {
    /// Fresh.
    pub id: RunId,
    /// The task's registered name, such as `ask/1`.
    pub task: String,
    /// What the task is given, kept so that it can be given again.
    pub input: Value,
    /// The hash of the input, whatever order its fields were written in.
    pub input_hash: Hash,
    /// The caller's idempotency key.
    pub key: Option<String>,
    /// One line for lists.
    pub title: Option<String>,
    /// The version of the program.
    pub program: String,
    /// How it begins.
    pub beginning: Beginning,
}

/// A run in somebody's hands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    /// The run and the attempt that holds it.
    pub fence: Fence,
    /// Whether a user asked for it to be stopped.
    pub cancel_requested: bool,
}

/// Runs a worker has just taken.
#[derive(Clone, Debug)]
pub struct Taken {
    /// Each with the attempt that begins.
    pub runs: Vec<Fence>,
    /// What that appended to their streams.
    pub events: Vec<Event>,
}

/// What recording a step gave.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// Appended to the run's stream.
    pub events: Vec<Event>,
    /// Whether a user asked for the run to be stopped.
    pub cancel_requested: bool,
}

/// A process that the journal says is at work, and may not be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suspect {
    /// The process.
    pub owner: String,
    /// Whether it gave no sign of life for longer than it may.
    pub lapsed: bool,
}

/// What a step came to.
#[derive(Clone, Debug)]
pub struct StepOutcome {
    /// Its place in the run, counted from 0.
    pub position: i64,
    /// What the code calls it.
    pub name: String,
    /// How it ended.
    pub state: StepState,
    /// How often the effect was tried by the attempt that recorded it.
    pub attempts: i64,
    /// The hash of the input it was given.
    pub input_hash: Hash,
    /// JSON text: the output, or the problem if it failed.
    pub output: String,
    /// How long the effect took.
    pub duration_ms: f64,
    /// Files the effect produced; their contents were kept before.
    pub artifacts: Vec<ArtifactRecord>,
}

/// How a run ends.
#[derive(Clone, Debug)]
pub struct Ending {
    /// One of the final states.
    pub state: RunState,
    /// JSON text, if the task finished by its own account.
    pub output: Option<String>,
    /// Why not, if it did not.
    pub problem: Option<Problem>,
}

/// JSON kept in its row, or in a file if it is large. Its hash is that of the very text that was recorded, so a capsule
/// carries it as a string and not as a value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Content {
    /// The text itself.
    Inline(String),
    /// The text is an artifact.
    Artifact(Hash),
}

impl Content {
    /// As documents show it: the value, or `{"artifact":"<sha256>"}`.
    pub fn document(&self) -> Value {
        match self {
            Content::Inline(text) => serde_json::from_str(text).unwrap_or(Value::Null),
            Content::Artifact(sha256) => json!({ "artifact": sha256 }),
        }
    }

    /// The two columns of an output: its text, or the hash of the file that holds it.
    pub(crate) fn columns(&self) -> (Option<&str>, Option<&str>) {
        match self {
            Content::Inline(text) => (Some(text), None),
            Content::Artifact(sha256) => (None, Some(sha256.as_str())),
        }
    }
}

/// Where a forked run left the run it came from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ForkPoint {
    /// The run it came from.
    pub run: RunId,
    /// The first step that is not shared.
    pub step: i64,
}

/// A run's row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// Its name, which it keeps in every store.
    pub id: RunId,
    /// The task's registered name.
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
    /// The hash of the input; none for a run recorded before there was one.
    pub input_hash: Option<Hash>,
    /// What it gave.
    pub output: Option<Content>,
    /// The problem document it ended with.
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
    /// What no capsule carries.
    #[serde(skip)]
    pub here: Here,
}

/// What is true of a run only in the store it was read from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Here {
    /// The process that works, or last worked, on it.
    pub owner: Option<String>,
    /// How often it was taken over since it last recorded a step.
    pub recoveries: i64,
    /// When it came in from a capsule; none for a run that was begun here.
    pub imported_at: Option<Timestamp>,
}

/// What a list shows of a run.
#[derive(Clone, Debug)]
pub struct RunSummary {
    /// Its name.
    pub id: RunId,
    /// The task's registered name.
    pub task: String,
    /// Where it stands.
    pub state: RunState,
    /// Who works on it.
    pub mode: Mode,
    /// The caller's idempotency key.
    pub key: Option<String>,
    /// One line.
    pub title: Option<String>,
    /// The process that works, or last worked, on it.
    pub owner: Option<String>,
    /// By the database's clock.
    pub created_at: Timestamp,
    /// By the database's clock.
    pub finished_at: Option<Timestamp>,
}

/// A recorded step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepRecord {
    /// Its place in the run, counted from 0.
    #[serde(rename = "index")]
    pub position: i64,
    /// What the code called it.
    pub name: String,
    /// How it ended.
    pub state: StepState,
    /// How often the effect was tried by the attempt that recorded it.
    pub attempts: i64,
    /// When it was committed, by the database's clock.
    pub finished_at: Timestamp,
    /// How long the effect took.
    pub duration_ms: f64,
    /// The hash of the input it was given.
    pub input_hash: Hash,
    /// The hash of the output's JSON text.
    pub output_hash: Hash,
    /// The output, or the problem document if it failed.
    pub output: Content,
}

/// A file a run produced; its contents are kept under their hash.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ArtifactRecord {
    /// Unique in its run.
    pub name: String,
    /// Such as `image/svg+xml`.
    pub media_type: String,
    /// How long the contents are.
    pub bytes: i64,
    /// The hash of the contents.
    pub sha256: Hash,
}

/// Everything recorded about a run at one moment, events apart.
#[derive(Clone, Debug, PartialEq)]
pub struct Journal {
    /// Its row.
    pub run: RunRecord,
    /// In order of position.
    pub steps: Vec<StepRecord>,
    /// In order of name.
    pub artifacts: Vec<ArtifactRecord>,
}
