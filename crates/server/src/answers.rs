//! What only the server says: answers that no command of the command line prints.

use base::{RunId, Timestamp};
use flow::RunState;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use app::tokens::Scope;

/// That the server lives, or can serve.
#[derive(Serialize, JsonSchema)]
pub struct Health {
    /// One word.
    pub status: &'static str,
    /// Of the program.
    pub version: &'static str,
}

/// A run that was begun, and where to look for it.
#[derive(Serialize, JsonSchema)]
pub struct BegunRun {
    /// Its name.
    pub run_id: RunId,
    /// Where it stands.
    pub status_url: String,
    /// What happens.
    pub events_url: String,
}

/// Where a run stands.
#[derive(Serialize, JsonSchema)]
pub struct RunStatus {
    /// Which.
    pub run_id: RunId,
    /// Its state.
    pub state: RunState,
    /// Its place in the queue, counted from 1, while it waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<i64>,
}

/// How an answer can be continued.
#[derive(Serialize, JsonSchema)]
pub struct FollowUps {
    /// The run whose answer it is.
    pub run_id: RunId,
    /// To be asked next in its thread.
    pub questions: Vec<String>,
}

/// Conversations, latest used first.
#[derive(Serialize, JsonSchema)]
pub struct ThreadList {
    /// Each with its first question.
    pub threads: Vec<ListedThread>,
}

/// One conversation.
#[derive(Serialize, JsonSchema)]
pub struct ListedThread {
    /// What it is called.
    pub id: String,
    /// Its first question.
    pub title: Option<String>,
    /// What was asked.
    pub dataset_id: Option<String>,
    /// When it was last used.
    pub at: Timestamp,
}

/// What was asked and answered.
#[derive(Serialize, JsonSchema)]
pub struct Messages {
    /// In order.
    pub messages: Vec<Message>,
}

/// One thing that was said.
#[derive(Serialize, JsonSchema)]
pub struct Message {
    /// By whom.
    pub role: Role,
    /// What; null where an answer is not there yet.
    pub text: Option<String>,
    /// The run in which.
    pub run_id: RunId,
    /// When; null where it is not over.
    pub at: Option<Timestamp>,
}

/// Who says something.
#[derive(Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Who asks.
    User,
    /// Who answers.
    Assistant,
}

/// Who is signed in.
#[derive(Serialize, JsonSchema)]
pub struct Session {
    /// Whether anybody is.
    pub signed_in: bool,
    /// Whom the caller stands for.
    pub owner: Option<String>,
    /// The most it may do.
    pub scope: Option<Scope>,
    /// What requests with the cookie carry in `X-Assay-CSRF`.
    pub csrf: Option<String>,
    /// Whether the server asks for a token at all.
    pub token_needed: bool,
}

/// What models may use and have used.
#[derive(Serialize, JsonSchema)]
pub struct Spending {
    /// What one run may use.
    pub run: RunLimit,
    /// What all runs of a day may use, in UTC, and have used today.
    pub day: DayUse,
}

/// What one run may use; null where nothing was said.
#[derive(Serialize, JsonSchema)]
#[allow(missing_docs)]
pub struct RunLimit {
    pub tokens_max: Option<u64>,
    pub usd_max: Option<f64>,
    pub seconds_max: Option<u64>,
}

/// What a day's runs may use and have used; a limit is null where nothing was said.
#[derive(Serialize, JsonSchema)]
#[allow(missing_docs)]
pub struct DayUse {
    pub tokens_max: Option<u64>,
    pub usd_max: Option<f64>,
    pub calls: u64,
    pub tokens: u64,
    pub usd: f64,
}

/// How much of everything an owner may have.
#[derive(Serialize, JsonSchema)]
pub struct Limits {
    /// Of a request that carries no files.
    pub body_bytes_max: u64,
    /// Of a question, a statement or a program.
    pub message_bytes_max: u64,
    /// Of all files of one upload.
    pub upload_bytes_max: u64,
    /// How many runs are worked on.
    pub runs_at_once: u64,
    /// How many wait for that; more are refused.
    pub runs_waiting_max: u64,
    /// What code that answers a question may use.
    pub analysis: ProgramLimits,
    /// What a whole program may use.
    pub program: ProgramLimits,
}

/// What one program may use.
#[derive(Serialize, JsonSchema)]
#[allow(missing_docs)]
pub struct ProgramLimits {
    pub wall_ms: u64,
    pub cpu_ms: u64,
    pub memory_bytes: u64,
}

/// Writes an answer as JSON.
pub fn value(answer: &impl Serialize) -> Value {
    serde_json::to_value(answer).expect("an answer is plain data, and its keys are texts")
}
