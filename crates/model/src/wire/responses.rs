//! OpenAI Responses, without the provider's memory: the whole conversation goes with every request.

use serde_json::{Value, json};

use super::{Block, Draft, Interruption, Progress, count, is_strict, result_text, tokens_within};
use crate::families::is_reasoning;
use crate::{Message, Request, Stop};

pub(super) fn body(model: &str, request: &Request) -> Value {
    let mut body = json!({
        "model": model,
        "input": request.messages.iter().flat_map(items).collect::<Vec<_>>(),
        "max_output_tokens": request.output_tokens_max,
        "stream": true,
        "store": false,
    });
    if !request.system.is_empty() {
        body["instructions"] = json!(request.system);
    }
    if !request.tools.is_empty() {
        let tools = request.tools.iter().map(|tool| {
            json!({"type": "function", "name": tool.name, "description": tool.description, "parameters": tool.parameters,
                   "strict": false})
        });
        body["tools"] = tools.collect();
    }
    if let Some(schema) = &request.schema {
        let format = json!({"type": "json_schema", "name": "reply", "schema": schema, "strict": is_strict(schema)});
        body["text"] = json!({"format": format});
    }
    if is_reasoning(model) {
        // Not stored there, reasoning can only be taken up again from what we send back.
        body["include"] = json!(["reasoning.encrypted_content"]);
    } else if let Some(temperature) = request.temperature {
        body["temperature"] = json!(temperature);
    }
    body
}

fn items(message: &Message) -> Vec<Value> {
    match message {
        Message::User { text } => {
            vec![json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]})]
        }
        Message::Assistant { text, tool_calls, reasoning } => {
            let mut items: Vec<Value> = reasoning.iter().filter(|item| item["type"] == "reasoning").cloned().collect();
            if !text.is_empty() {
                let content = json!([{"type": "output_text", "text": text}]);
                items.push(json!({"type": "message", "role": "assistant", "content": content}));
            }
            items.extend(tool_calls.iter().map(|call| {
                json!({"type": "function_call", "call_id": call.id, "name": call.name, "arguments": call.arguments})
            }));
            items
        }
        Message::Results { results } => {
            let results = results.iter();
            results
                .map(|result| json!({"type": "function_call_output", "call_id": result.id, "output": result_text(result)}))
                .collect()
        }
    }
}

pub(super) fn read(draft: &mut Draft, kind: &str, value: &Value) -> Result<String, Interruption> {
    let index = count(&value["output_index"]);
    let delta = value["delta"].as_str().unwrap_or_default();
    match kind {
        "response.output_text.delta" => return Ok(draft.say(delta)),
        "response.refusal.delta" => {
            draft.stop = Some(Stop::Refused);
            return Ok(draft.say(delta));
        }
        "response.function_call_arguments.delta" => draft.argue(index, delta),
        "response.output_item.added" | "response.output_item.done" => take_item(draft, index, kind, &value["item"]),
        "response.completed" | "response.incomplete" => return Ok(complete(draft, kind, &value["response"])),
        "response.failed" => return Err(Interruption::said(&value["response"])),
        // Summaries of the reasoning come apart from its item; they count as something that grows.
        _ => draft.bytes += delta.len(),
    }
    Ok(String::new())
}

/// An item is announced, filled by pieces and at last repeated whole; the last form counts.
fn take_item(draft: &mut Draft, index: u64, kind: &str, item: &Value) {
    let word = |key: &str| item[key].as_str().unwrap_or_default();
    let is_done = kind == "response.output_item.done";
    match word("type") {
        "function_call" => {
            let call = draft.call(index);
            call.id =
                [word("call_id"), word("id")].into_iter().find(|id| !id.is_empty()).unwrap_or_default().to_string();
            call.name = word("name").to_string();
            if is_done && !word("arguments").is_empty() {
                call.arguments = word("arguments").to_string();
            }
        }
        "reasoning" if is_done => draft.put(index, Block::Reasoning(item.clone())),
        _ => {}
    }
}

fn complete(draft: &mut Draft, kind: &str, response: &Value) -> String {
    draft.progress = Progress::Complete;
    draft.tokens = tokens_within(&response["usage"], "input_tokens", "output_tokens");
    if kind == "response.incomplete" {
        let reason = response["incomplete_details"]["reason"].as_str();
        draft.stop = Some(if reason == Some("content_filter") { Stop::Refused } else { Stop::Length });
    }
    if !draft.text.is_empty() || !draft.blocks.is_empty() {
        return String::new();
    }
    // Some servers send the terminal frame only.
    let mut piece = String::new();
    for (index, item) in response["output"].as_array().into_iter().flatten().enumerate() {
        take_item(draft, index as u64, "response.output_item.done", item);
        for part in item["content"].as_array().into_iter().flatten().filter(|part| part["type"] == "output_text") {
            piece += &draft.say(part["text"].as_str().unwrap_or_default());
        }
    }
    piece
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ToolCall;

    #[test]
    fn a_terminal_frame_alone_is_a_reply() {
        let mut draft = Draft::default();
        let call = json!({"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"});
        let message = json!({"type": "message", "content": [{"type": "output_text", "text": "hi"}]});
        let value = json!({"response": {"output": [call, message]}});
        assert_eq!(read(&mut draft, "response.completed", &value), Ok("hi".to_string()));
        let reply = draft.into_reply(&[]);
        assert_eq!((reply.text.as_str(), reply.stop), ("hi", Stop::ToolCalls));
        assert_eq!(reply.tool_calls, [ToolCall { id: "c".into(), name: "f".into(), arguments: "{}".into() }]);
    }
}
