//! OpenAI Chat Completions, as spoken by OpenAI, Ollama, llama.cpp, vLLM, LM Studio and others.
//!
//! `finish_reason` ends a reply; the count of tokens and `[DONE]` may follow.

use serde_json::{Value, json};

use super::{Block, Draft, Interruption, Progress, is_strict, result_text, tokens_within};
use crate::families::is_reasoning;
use crate::{Message, Request, Stop};

pub(super) fn body(model: &str, request: &Request) -> Value {
    let mut messages = Vec::new();
    if !request.system.is_empty() {
        messages.push(json!({"role": "system", "content": request.system}));
    }
    messages.extend(request.messages.iter().flat_map(turns));
    let mut body = json!({
        "model": model,
        "messages": messages,
        "stream": true,
        "stream_options": {"include_usage": true},
    });
    // OpenAI's reasoning models refuse the old name and a temperature; other servers know the old name only.
    let is_reasoning = is_reasoning(model);
    let limit = if is_reasoning { "max_completion_tokens" } else { "max_tokens" };
    body[limit] = json!(request.output_tokens_max);
    if !request.tools.is_empty() {
        let tools = request.tools.iter().map(|tool| {
            let function = json!({"name": tool.name, "description": tool.description, "parameters": tool.parameters});
            json!({"type": "function", "function": function})
        });
        body["tools"] = tools.collect();
    }
    if let Some(schema) = &request.schema {
        let schema = json!({"name": "reply", "schema": schema, "strict": is_strict(schema)});
        body["response_format"] = json!({"type": "json_schema", "json_schema": schema});
    }
    if !request.stop.is_empty() {
        body["stop"] = json!(request.stop);
    }
    if let Some(temperature) = request.temperature.filter(|_| !is_reasoning) {
        body["temperature"] = json!(temperature);
    }
    if let Some(seed) = request.seed {
        body["seed"] = json!(seed);
    }
    body
}

fn turns(message: &Message) -> Vec<Value> {
    match message {
        Message::User { text } => vec![json!({"role": "user", "content": text})],
        // Reasoning has no agreed form on this wire and is not sent back.
        Message::Assistant { text, tool_calls, reasoning: _ } => {
            let mut turn = json!({"role": "assistant", "content": text});
            if !tool_calls.is_empty() {
                let calls = tool_calls.iter().map(|call| {
                    let function = json!({"name": call.name, "arguments": call.arguments});
                    json!({"id": call.id, "type": "function", "function": function})
                });
                turn["tool_calls"] = calls.collect();
            }
            vec![turn]
        }
        Message::Results { results } => {
            let results = results.iter();
            results
                .map(|result| json!({"role": "tool", "tool_call_id": result.id, "content": result_text(result)}))
                .collect()
        }
    }
}

/// Reads a piece (`delta`) as well as a whole reply (`message`): they have the same form.
pub(super) fn read(draft: &mut Draft, value: &Value) -> Result<String, Interruption> {
    if !value["error"].is_null() {
        return Err(Interruption::said(value));
    }
    if value["usage"].is_object() {
        draft.tokens = tokens_within(&value["usage"], "prompt_tokens", "completion_tokens");
    }
    let choice = &value["choices"][0];
    let part = if choice["delta"].is_object() { &choice["delta"] } else { &choice["message"] };
    let mut piece = draft.say(part["content"].as_str().unwrap_or_default());
    if let Some(refusal) = part["refusal"].as_str().filter(|refusal| !refusal.is_empty()) {
        piece += &draft.say(refusal);
        draft.stop = Some(Stop::Refused);
    }
    for key in ["reasoning_content", "reasoning"] {
        draft.bytes += part[key].as_str().map_or(0, str::len);
    }
    for (position, call) in part["tool_calls"].as_array().into_iter().flatten().enumerate() {
        take_call(draft, position, call);
    }
    if let Some(reason) = choice["finish_reason"].as_str() {
        finish(draft, reason, &choice["stop_reason"])?;
    }
    Ok(piece)
}

fn take_call(draft: &mut Draft, position: usize, call: &Value) {
    let id = call["id"].as_str().unwrap_or_default();
    let mut index = call["index"].as_u64().unwrap_or(position as u64);
    // Some servers give every call the index 0, or none: a new id is then a new call, and what follows belongs to the last.
    let is_other =
        |block: Option<&Block>| matches!(block, Some(Block::Call(known)) if !known.id.is_empty() && known.id != id);
    let last = draft.blocks.keys().next_back().copied();
    if !id.is_empty() && is_other(draft.blocks.get(&index)) {
        let known = draft.blocks.iter().find(|(_, block)| matches!(block, Block::Call(known) if known.id == id));
        index = known.map(|(index, _)| *index).unwrap_or(last.map_or(0, |last| last.saturating_add(1)));
    } else if id.is_empty() && call["index"].is_null() {
        index = last.unwrap_or(index);
    }
    let known = draft.call(index);
    if !id.is_empty() {
        known.id = id.to_string();
    }
    if let Some(name) = call["function"]["name"].as_str().filter(|name| !name.is_empty()) {
        known.name = name.to_string();
    }
    match &call["function"]["arguments"] {
        Value::String(piece) => draft.argue(index, piece),
        Value::Null => {}
        whole => draft.argue(index, &whole.to_string()),
    }
}

fn finish(draft: &mut Draft, reason: &str, stop_reason: &Value) -> Result<(), Interruption> {
    let stop = match reason {
        "" => return Ok(()),
        "error" => {
            return Err(Interruption::Said { kind: String::new(), message: "the reply ended in an error".into() });
        }
        "length" => Stop::Length,
        "tool_calls" | "function_call" => Stop::ToolCalls,
        "content_filter" => Stop::Refused,
        // vLLM says which word it stopped at; others do not tell a stop word from an end.
        _ if stop_reason.is_string() => Stop::StopWord,
        _ => draft.stop.unwrap_or(Stop::End),
    };
    draft.stop = Some(stop);
    draft.progress = Progress::Stands;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn calls(pieces: &[Value]) -> Vec<(String, String, String)> {
        let mut draft = Draft::default();
        for piece in pieces {
            read(&mut draft, &json!({"choices": [{"delta": {"tool_calls": piece}}]})).expect("a piece");
        }
        let calls = draft.into_reply(&[]).tool_calls.into_iter();
        calls.map(|call| (call.id, call.name, call.arguments)).collect()
    }

    #[test]
    fn calls_are_told_apart_by_index_or_by_id() {
        let call = |id: &str, name: &str, arguments: &str| (id.to_string(), name.to_string(), arguments.to_string());
        let expected = [call("a", "f", "{1}"), call("b", "g", "{2}")];
        let start = |index: Value, id: &str, name: &str| json!([{"index": index, "id": id, "function": {"name": name, "arguments": "{"}}]);
        let rest = |index: Value, text: &str| json!([{"index": index, "function": {"arguments": text}}]);
        let (first, second) = (start(json!(0), "a", "f"), start(json!(1), "b", "g"));
        assert_eq!(calls(&[first, second, rest(json!(0), "1}"), rest(json!(1), "2}")]), expected);
        let (first, second) = (start(Value::Null, "a", "f"), start(Value::Null, "b", "g"));
        assert_eq!(calls(&[first, rest(Value::Null, "1}"), second, rest(Value::Null, "2}")]), expected);
        let whole = |id: &str, name: &str, arguments: Value| json!({"index": 0, "id": id, "function": {"name": name, "arguments": arguments}});
        let both = json!([whole("a", "f", json!({"x": 1})), whole("b", "g", json!("2"))]);
        assert_eq!(calls(&[both]), [call("a", "f", "{\"x\":1}"), call("b", "g", "2")]);
        assert_eq!(calls(&[json!([{"function": {"name": "f", "arguments": "{}"}}])]), [call("call_0", "f", "{}")]);
    }
}
