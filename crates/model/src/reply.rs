//! What a model answers, and what that costs.

use std::ops::AddAssign;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::ToolCall;

/// A finished reply.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    /// All text of the reply.
    pub text: String,
    /// What the model wants called, in its order.
    pub tool_calls: Vec<ToolCall>,
    /// Why it ended.
    pub stop: Stop,
    /// What it used.
    pub tokens: Tokens,
    /// From asking to the end, with all tries and the pauses between them.
    pub ms: u64,
    /// The provider's blocks of reasoning. They mean nothing to us and go back as they are with the next request.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasoning: Vec<Value>,
    /// Who answered, where it is another than was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// What it cost by the prices of that time, where they are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usd: Option<f64>,
    /// Whether it was given before and cost nothing now.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub recorded: bool,
}

/// Why a reply ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// The model had said all.
    End,
    /// A limit on its length cut it.
    Length,
    /// It waits for the results of its calls.
    ToolCalls,
    /// It came to a word at which it was to stop.
    StopWord,
    /// The model or its provider declined to go on.
    Refused,
}

/// Tokens by what they cost; none is counted twice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Tokens {
    /// Read afresh.
    pub input: u64,
    /// Read from the provider's cache.
    pub cache_read: u64,
    /// Read and put into the provider's cache.
    pub cache_write: u64,
    /// Written as text and calls.
    pub output: u64,
    /// Written as reasoning.
    pub reasoning: u64,
}

impl Tokens {
    /// All of them.
    pub fn total(&self) -> u64 {
        [self.input, self.cache_read, self.cache_write, self.output, self.reasoning]
            .into_iter()
            .fold(0, u64::saturating_add)
    }
}

impl AddAssign for Tokens {
    fn add_assign(&mut self, other: Tokens) {
        // Saturating, for the counts are a stranger's.
        self.input = self.input.saturating_add(other.input);
        self.cache_read = self.cache_read.saturating_add(other.cache_read);
        self.cache_write = self.cache_write.saturating_add(other.cache_write);
        self.output = self.output.saturating_add(other.output);
        self.reasoning = self.reasoning.saturating_add(other.reasoning);
    }
}

/// US dollars per million tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Prices {
    /// Of a token read afresh.
    pub input: f64,
    /// Of a token read from the cache.
    pub cache_read: f64,
    /// Of a token put into the cache.
    pub cache_write: f64,
    /// Of a token written; reasoning costs the same.
    pub output: f64,
}

impl Prices {
    /// US dollars for all of `tokens`.
    pub fn cost(&self, tokens: &Tokens) -> f64 {
        let millionths = tokens.input as f64 * self.input
            + tokens.cache_read as f64 * self.cache_read
            + tokens.cache_write as f64 * self.cache_write
            + tokens.output.saturating_add(tokens.reasoning) as f64 * self.output;
        millionths / 1e6
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_token_has_one_price() {
        let mut tokens =
            Tokens { input: 1_000_000, cache_read: 2_000_000, cache_write: 0, output: 100, reasoning: 300 };
        let prices = Prices { input: 3.0, cache_read: 0.5, cache_write: 9.0, output: 10_000.0 };
        assert_eq!(prices.cost(&tokens), 3.0 + 1.0 + 4.0);
        tokens += Tokens { cache_write: 1, output: u64::MAX, ..Tokens::default() };
        assert_eq!((tokens.cache_write, tokens.output, tokens.total()), (1, u64::MAX, u64::MAX));
    }

    #[test]
    fn a_reply_without_reasoning_does_not_mention_it() {
        let reply = Reply {
            text: "t".into(),
            tool_calls: vec![],
            stop: Stop::StopWord,
            tokens: Tokens::default(),
            ms: 5,
            reasoning: vec![],
            by: None,
            usd: None,
            recorded: false,
        };
        let written = serde_json::to_value(&reply).expect("plain data");
        let tokens = json!({"input": 0, "cache_read": 0, "cache_write": 0, "output": 0, "reasoning": 0});
        assert_eq!(written, json!({"text": "t", "tool_calls": [], "stop": "stop_word", "tokens": tokens, "ms": 5}));
        assert_eq!(serde_json::from_value::<Reply>(written).expect("its own form"), reply);
    }
}
