//! Anthropic Messages.

use serde_json::{Value, json};

use super::{Block, Draft, Progress, count};
use crate::{Message, Request, Stop, ToolCall};

pub(super) fn body(model: &str, request: &Request) -> Value {
    let mut body = json!({
        "model": model,
        "max_tokens": request.output_tokens_max,
        "stream": true,
        "messages": messages(&request.messages),
    });
    if !request.system.is_empty() {
        body["system"] = json!([{"type": "text", "text": request.system, "cache_control": {"type": "ephemeral"}}]);
    }
    if !request.tools.is_empty() {
        let tools = request.tools.iter();
        body["tools"] = tools
            .map(|tool| json!({"name": tool.name, "description": tool.description, "input_schema": tool.parameters}))
            .collect();
    }
    if let Some(schema) = &request.schema {
        body["output_config"] = json!({"format": {"type": "json_schema", "schema": schema}});
    }
    if !request.stop.is_empty() {
        body["stop_sequences"] = json!(request.stop);
    }
    if let Some(temperature) = request.temperature {
        body["temperature"] = json!(temperature);
    }
    body
}

/// Whatever repeats from turn to turn is cached: all up to the last message of the user.
fn messages(messages: &[Message]) -> Value {
    let mut turns: Vec<Value> = messages.iter().filter_map(message).collect();
    let last = turns.iter_mut().rev().find(|turn| turn["role"] == "user");
    if let Some(block) = last.and_then(|turn| turn["content"].as_array_mut()).and_then(|blocks| blocks.last_mut()) {
        block["cache_control"] = json!({"type": "ephemeral"});
    }
    Value::Array(turns)
}

/// `None` for a turn without content, which the wire does not take.
fn message(message: &Message) -> Option<Value> {
    let (role, content) = match message {
        Message::User { text } => ("user", vec![json!({"type": "text", "text": text})]),
        Message::Assistant { text, tool_calls, reasoning } => {
            // Blocks of another wire, from before a change of models, would be refused.
            let is_ours = |block: &&Value| matches!(block["type"].as_str(), Some("thinking" | "redacted_thinking"));
            let mut content: Vec<Value> = reasoning.iter().filter(is_ours).cloned().collect();
            if !text.is_empty() {
                content.push(json!({"type": "text", "text": text}));
            }
            content.extend(tool_calls.iter().map(tool_use));
            ("assistant", content)
        }
        Message::Results { results } => {
            let results = results.iter().map(|result| {
                json!({"type": "tool_result", "tool_use_id": result.id, "content": result.text, "is_error": result.is_error})
            });
            ("user", results.collect())
        }
    };
    (!content.is_empty()).then(|| json!({"role": role, "content": content}))
}

fn tool_use(call: &ToolCall) -> Value {
    // The wire takes objects only. What is none is wrapped, so that the model sees what it wrote.
    let input = match serde_json::from_str::<Value>(&call.arguments) {
        Ok(input) if input.is_object() => input,
        _ if call.arguments.trim().is_empty() => json!({}),
        _ => json!({"malformed": call.arguments}),
    };
    json!({"type": "tool_use", "id": call.id, "name": call.name, "input": input})
}

pub(super) fn read(draft: &mut Draft, kind: &str, value: &Value) -> String {
    let index = count(&value["index"]);
    match kind {
        "message_start" => read_usage(draft, &value["message"]["usage"]),
        "content_block_start" => return start_block(draft, index, &value["content_block"]),
        "content_block_delta" => return add_to_block(draft, index, &value["delta"]),
        "message_delta" => {
            read_usage(draft, &value["usage"]);
            draft.stop = stop(&value["delta"]["stop_reason"]).or(draft.stop);
        }
        "message_stop" => draft.progress = Progress::Complete,
        _ => {}
    }
    String::new()
}

fn start_block(draft: &mut Draft, index: u64, block: &Value) -> String {
    let word = |key: &str| block[key].as_str().unwrap_or_default().to_string();
    match block["type"].as_str() {
        Some("text") => return draft.say(&word("text")),
        Some("tool_use") => {
            // The arguments follow in pieces, but for servers that send them at once.
            let is_whole = block["input"].as_object().is_some_and(|input| !input.is_empty());
            let arguments = if is_whole { block["input"].to_string() } else { String::new() };
            draft.put(index, Block::Call(ToolCall { id: word("id"), name: word("name"), arguments }));
        }
        Some("thinking" | "redacted_thinking") => draft.put(index, Block::Reasoning(block.clone())),
        _ => {}
    }
    String::new()
}

fn add_to_block(draft: &mut Draft, index: u64, delta: &Value) -> String {
    let word = |key: &str| delta[key].as_str().unwrap_or_default();
    match delta["type"].as_str() {
        Some("text_delta") => return draft.say(word("text")),
        Some("input_json_delta") => draft.argue(index, word("partial_json")),
        Some("thinking_delta") => lengthen(draft, index, "thinking", word("thinking")),
        Some("signature_delta") => lengthen(draft, index, "signature", word("signature")),
        _ => {}
    }
    String::new()
}

fn lengthen(draft: &mut Draft, index: u64, key: &str, piece: &str) {
    draft.bytes += piece.len();
    if let Some(Block::Reasoning(block)) = draft.blocks.get_mut(&index) {
        match &mut block[key] {
            Value::String(text) => text.push_str(piece),
            other => *other = Value::from(piece),
        }
    }
}

/// The counts are of the reply so far: a later one replaces an earlier one. Cached tokens are counted apart.
fn read_usage(draft: &mut Draft, usage: &Value) {
    let tokens = &mut draft.tokens;
    for (key, field) in [
        ("input_tokens", &mut tokens.input),
        ("cache_read_input_tokens", &mut tokens.cache_read),
        ("cache_creation_input_tokens", &mut tokens.cache_write),
    ] {
        *field = usage[key].as_u64().unwrap_or(*field);
    }
    if let Some(written) = usage["output_tokens"].as_u64() {
        tokens.reasoning = count(&usage["output_tokens_details"]["thinking_tokens"]).min(written);
        tokens.output = written - tokens.reasoning;
    }
}

fn stop(reason: &Value) -> Option<Stop> {
    match reason.as_str()? {
        "max_tokens" | "model_context_window_exceeded" => Some(Stop::Length),
        "tool_use" => Some(Stop::ToolCalls),
        "stop_sequence" => Some(Stop::StopWord),
        "refusal" => Some(Stop::Refused),
        _ => Some(Stop::End),
    }
}
