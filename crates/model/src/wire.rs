//! The three wires: a request as the body each wants, and a reply put together from its frames.
//!
//! Pure: values in, values out. Frames are read leniently, for servers that speak the same wire differ in all that does
//! not matter, and strictly in one thing: a reply is finished only when its server says so.

mod chat;
mod messages;
mod responses;

use std::collections::BTreeMap;

use serde_json::Value;

use crate::sse::Frame;
use crate::{Reply, Request, Stop, Tokens, ToolCall};

/// What a server speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wire {
    /// Anthropic Messages.
    Messages,
    /// OpenAI Responses.
    Responses,
    /// OpenAI Chat Completions, and the many servers that speak it too.
    Chat,
}

impl Wire {
    pub(crate) fn path(self) -> &'static str {
        match self {
            Wire::Messages => "/v1/messages",
            Wire::Responses => "/responses",
            Wire::Chat => "/chat/completions",
        }
    }

    /// The body of a request for a stream.
    pub(crate) fn body(self, model: &str, request: &Request) -> Value {
        match self {
            Wire::Messages => messages::body(model, request),
            Wire::Responses => responses::body(model, request),
            Wire::Chat => chat::body(model, request),
        }
    }

    /// Adds a frame to the reply and gives the text that came with it.
    pub(crate) fn read(self, draft: &mut Draft, frame: &Frame) -> Result<String, Interruption> {
        if frame.data.trim() == "[DONE]" {
            // The end on Chat; some servers send it behind the terminal frame of the other wires.
            if self == Wire::Chat {
                draft.progress = Progress::Complete;
            }
            return Ok(String::new());
        }
        if frame.data.trim().is_empty() {
            return Ok(String::new());
        }
        let value: Value =
            serde_json::from_str(&frame.data).map_err(|_| Interruption::Malformed(frame.data.clone()))?;
        self.read_value(draft, &frame.event, &value)
    }

    /// The same for what a frame holds, with the word that the frame had for it.
    pub(crate) fn read_value(self, draft: &mut Draft, event: &str, value: &Value) -> Result<String, Interruption> {
        let kind = value["type"].as_str().unwrap_or(event);
        match self {
            _ if kind == "error" => Err(Interruption::said(value)),
            Wire::Messages => Ok(messages::read(draft, kind, value)),
            Wire::Responses => responses::read(draft, kind, value),
            Wire::Chat => chat::read(draft, value),
        }
    }

    /// Reads a reply that came whole although a stream was asked for; `None` where the wire knows no such thing.
    pub(crate) fn read_whole(self, draft: &mut Draft, body: &str) -> Option<Result<String, Interruption>> {
        let frame = Frame { event: String::new(), data: body.to_string() };
        (self == Wire::Chat).then(|| self.read(draft, &frame))
    }
}

/// Why a stream goes no further.
#[derive(Debug, PartialEq)]
pub(crate) enum Interruption {
    /// A frame is no JSON.
    Malformed(String),
    /// The server says that something went wrong.
    Said {
        /// In its classification: words, or a status.
        kind: String,
        /// In its words.
        message: String,
    },
}

impl Interruption {
    /// What a server says in any of the forms that errors have: `{"error": {…}}`, `{"error": "…"}`, `{"message": …}`.
    pub fn said(value: &Value) -> Interruption {
        let error = if value["error"].is_null() { value } else { &value["error"] };
        let word = |key: &str| match &error[key] {
            Value::String(text) => text.clone(),
            Value::Number(number) => number.to_string(),
            _ => String::new(),
        };
        let kind = format!("{} {}", word("type"), word("code")).trim().to_string();
        let texts = [error, &error["message"], &error["detail"]];
        let message = texts.into_iter().find_map(Value::as_str).map_or_else(|| error.to_string(), str::to_string);
        Interruption::Said { kind, message }
    }
}

/// How far a reply has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Progress {
    /// Its end is still to come.
    #[default]
    Open,
    /// It stands; what may still follow is the count of tokens.
    Stands,
    /// Nothing follows.
    Complete,
}

/// A reply while it comes.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    pub text: String,
    /// By the server's own index, in whose order they go on.
    pub blocks: BTreeMap<u64, Block>,
    pub stop: Option<Stop>,
    pub progress: Progress,
    pub tokens: Tokens,
    /// What the reply takes in memory, about.
    pub bytes: usize,
}

/// A part of a reply that is no text.
#[derive(Debug)]
pub(crate) enum Block {
    Call(ToolCall),
    Reasoning(Value),
}

impl Draft {
    /// Adds text and gives it back as what is new.
    pub fn say(&mut self, piece: &str) -> String {
        self.bytes += piece.len();
        self.text.push_str(piece);
        piece.to_string()
    }

    /// Sets a block in place of one at the same index.
    pub fn put(&mut self, index: u64, block: Block) {
        // Even an empty block takes room.
        const BLOCK_BYTES: usize = 64;
        self.bytes += BLOCK_BYTES
            + match &block {
                Block::Call(call) => call.id.len() + call.name.len() + call.arguments.len(),
                Block::Reasoning(value) => value.to_string().len(),
            };
        self.blocks.insert(index, block);
    }

    /// The call at an index, made if it is not there.
    pub fn call(&mut self, index: u64) -> &mut ToolCall {
        if !matches!(self.blocks.get(&index), Some(Block::Call(_))) {
            let call = ToolCall { id: String::new(), name: String::new(), arguments: String::new() };
            self.put(index, Block::Call(call));
        }
        match self.blocks.get_mut(&index) {
            Some(Block::Call(call)) => call,
            _ => unreachable!("a call was put there"),
        }
    }

    /// Adds to the arguments of the call at an index.
    pub fn argue(&mut self, index: u64, piece: &str) {
        self.bytes += piece.len();
        self.call(index).arguments.push_str(piece);
    }

    /// The reply. Where no wire says why it ended, its parts do.
    pub fn into_reply(mut self, stop_words: &[String]) -> Reply {
        let (mut tool_calls, mut reasoning) = (Vec::new(), Vec::new());
        for (index, block) in self.blocks {
            match block {
                Block::Call(mut call) => {
                    if call.id.is_empty() {
                        // Results refer to an id, which some servers leave out.
                        call.id = format!("call_{index}");
                    }
                    tool_calls.push(call);
                }
                Block::Reasoning(value) => reasoning.push(value),
            }
        }
        let is_calling = !tool_calls.is_empty() && matches!(self.stop, None | Some(Stop::End));
        let mut stop = if is_calling { Stop::ToolCalls } else { self.stop.unwrap_or(Stop::End) };
        // Responses knows no stop words, and not every server on Chat does.
        if cut_at_stop(&mut self.text, stop_words) && !is_calling {
            stop = Stop::StopWord;
        }
        let (text, tokens) = (self.text, self.tokens);
        Reply { text, tool_calls, stop, tokens, ms: 0, reasoning, by: None, usd: None, recorded: false }
    }
}

/// Ends the text before the first stop word, and says whether there was one.
pub(crate) fn cut_at_stop(text: &mut String, stop_words: &[String]) -> bool {
    let words = stop_words.iter().filter(|word| !word.is_empty());
    let Some(at) = words.filter_map(|word| text.find(word.as_str())).min() else { return false };
    text.truncate(at);
    true
}

/// A count; one that is missing or strange is none.
fn count(value: &Value) -> u64 {
    value.as_u64().unwrap_or(0)
}

/// The tokens of OpenAI's wires, which count cached ones among those read and reasoning among those written.
fn tokens_within(usage: &Value, read: &str, written: &str) -> Tokens {
    let cache_read = count(&usage[format!("{read}_details")]["cached_tokens"]);
    let reasoning = count(&usage[format!("{written}_details")]["reasoning_tokens"]);
    Tokens {
        input: count(&usage[read]).saturating_sub(cache_read),
        cache_read,
        cache_write: 0,
        output: count(&usage[written]).saturating_sub(reasoning),
        reasoning,
    }
}

/// Whether OpenAI takes a schema as strict: every object is closed and requires all that it names. It refuses any other
/// as such, and does not enforce one that is not strict.
fn is_strict(schema: &Value) -> bool {
    let is_closed = match schema["properties"].as_object() {
        Some(properties) => {
            let required = schema["required"].as_array().map(Vec::as_slice).unwrap_or_default();
            schema["additionalProperties"] == Value::Bool(false)
                && properties.keys().all(|name| required.iter().any(|other| other == name))
        }
        None => schema["type"] != "object",
    };
    is_closed
        && match schema {
            Value::Object(fields) => fields.values().all(is_strict),
            Value::Array(items) => items.iter().all(is_strict),
            _ => true,
        }
}

/// A result's text on wires that have no sign for an error.
fn result_text(result: &crate::ToolResult) -> String {
    if result.is_error { format!("error: {}", result.text) } else { result.text.clone() }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn errors_are_read_in_every_form() {
        for (value, kind, message) in [
            (
                json!({"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}),
                "overloaded_error",
                "busy",
            ),
            (json!({"error": {"type": "t", "code": "c", "message": "m"}}), "t c", "m"),
            (json!({"error": {"code": 502, "message": "m"}}), "502", "m"),
            (json!({"error": "no model"}), "", "no model"),
            (json!({"detail": "Not Found"}), "", "Not Found"),
            (json!({"strange": 1}), "", "{\"strange\":1}"),
        ] {
            let said = Interruption::Said { kind: kind.into(), message: message.into() };
            assert_eq!(Interruption::said(&value), said);
        }
    }

    #[test]
    fn a_schema_is_strict_where_every_object_is_closed() {
        let inner = json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": false});
        let outer = |item: &Value| {
            json!({"type": "object", "properties": {"list": {"type": "array", "items": item}},
            "required": ["list"], "additionalProperties": false})
        };
        assert!(is_strict(&outer(&inner)));
        assert!(!is_strict(&outer(&json!({"type": "object"}))));
        assert!(!is_strict(&outer(&json!({"properties": {"a": {}}, "additionalProperties": false}))));
    }

    #[test]
    fn a_stop_word_ends_the_text_wherever_it_was_looked_for() {
        let mut draft = Draft::default();
        draft.say("one END two STOP");
        let reply = draft.into_reply(&["STOP".into(), "END".into(), String::new()]);
        assert_eq!((reply.text.as_str(), reply.stop), ("one ", Stop::StopWord));
    }
}
