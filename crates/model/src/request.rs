//! What a model is asked, in words that no provider owns.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One question to a model with all that it needs to answer: a model keeps nothing between two requests.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// What holds for the whole conversation.
    pub system: String,
    /// The conversation so far, the oldest first.
    pub messages: Vec<Message>,
    /// What the model may call.
    pub tools: Vec<Tool>,
    /// The JSON schema of the reply's text. Not every server keeps to it: validate what comes.
    pub schema: Option<Value>,
    /// The longest reply, in tokens.
    pub output_tokens_max: u32,
    /// How freely the model chooses its words; left to the provider where absent.
    pub temperature: Option<f64>,
    /// Asks for the same reply to the same request, where the wire knows that (Chat).
    pub seed: Option<u64>,
    /// The reply ends before the first of these.
    pub stop: Vec<String>,
}

impl Request {
    /// What of the reply was written for the model, which goes on from there; the reply's text holds only what follows.
    pub fn begun(&self) -> &str {
        match self.messages.last() {
            Some(Message::Assistant { text, .. }) => text,
            _ => "",
        }
    }
}

/// One turn of a conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum Message {
    /// What the user says.
    User {
        /// In plain text.
        text: String,
    },
    /// What the model said.
    Assistant {
        /// In plain text.
        text: String,
        /// What it called.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<ToolCall>,
        /// Its blocks of reasoning as they came, see [`Reply::reasoning`](crate::Reply::reasoning).
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        reasoning: Vec<Value>,
    },
    /// What the tools gave: all results of one turn together.
    Results {
        /// One for each call.
        results: Vec<ToolResult>,
    },
}

/// A function that the model may call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tool {
    /// Its name in a call.
    pub name: String,
    /// What it does and when to use it, for the model.
    pub description: String,
    /// The JSON schema of its arguments, an object.
    pub parameters: Value,
}

/// A call as the model wrote it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// What the result refers to.
    pub id: String,
    /// The tool's name, which need not be one that was offered.
    pub name: String,
    /// The arguments as text: whether it is JSON is for the caller to find, who can tell the model so.
    pub arguments: String,
}

/// What a call gave.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolResult {
    /// The id of the call.
    pub id: String,
    /// What the model reads.
    pub text: String,
    /// Whether the call failed.
    pub is_error: bool,
}
