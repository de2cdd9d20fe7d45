//! Replies as the three providers stream them.

use model::Wire;
use serde_json::{Value, json};

/// A frame as each wire writes it.
pub fn frame(wire: Wire, value: &Value) -> String {
    match wire {
        Wire::Chat => format!("data: {value}\n\n"),
        _ => format!("event: {}\ndata: {value}\n\n", value["type"].as_str().unwrap_or_default()),
    }
}

fn frames(wire: Wire, values: &[Value]) -> Vec<String> {
    values.iter().map(|value| frame(wire, value)).collect()
}

/// A piece of text.
pub fn piece(wire: Wire, text: &str) -> Value {
    match wire {
        Wire::Messages => {
            json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}})
        }
        Wire::Responses => json!({"type": "response.output_text.delta", "output_index": 0, "delta": text}),
        Wire::Chat => json!({"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": null}]}),
    }
}

/// Text without its end.
pub fn open(wire: Wire, pieces: &[&str]) -> Vec<String> {
    let start = match wire {
        Wire::Messages => vec![
            json!({"type": "message_start", "message": {"usage": {"input_tokens": 10, "cache_read_input_tokens": 7,
                   "cache_creation_input_tokens": 5, "output_tokens": 1}}}),
            json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
            json!({"type": "ping"}),
        ],
        Wire::Responses => vec![
            json!({"type": "response.created", "response": {"status": "in_progress"}}),
            json!({"type": "response.output_item.added", "output_index": 0, "item": {"type": "message", "content": []}}),
        ],
        Wire::Chat => {
            vec![json!({"choices": [{"index": 0, "delta": {"role": "assistant", "content": null}}], "usage": null})]
        }
    };
    let pieces = pieces.iter().map(|text| piece(wire, text));
    frames(wire, &start.into_iter().chain(pieces).collect::<Vec<_>>())
}

/// The end of a reply. On every wire 10 tokens are read afresh and 7 from the cache; 20 are written.
pub fn end(wire: Wire, reason: &str) -> Vec<String> {
    match wire {
        Wire::Messages => frames(
            wire,
            &[
                json!({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 20}}),
                json!({"type": "message_stop"}),
            ],
        ),
        Wire::Responses => {
            let usage = json!({"input_tokens": 17, "input_tokens_details": {"cached_tokens": 7}, "output_tokens": 23,
                               "output_tokens_details": {"reasoning_tokens": 3}});
            let response = json!({"usage": usage, "incomplete_details": {"reason": "max_output_tokens"}});
            frames(wire, &[json!({"type": format!("response.{reason}"), "response": response})])
        }
        Wire::Chat => {
            let usage = json!({"prompt_tokens": 17, "prompt_tokens_details": {"cached_tokens": 7}, "completion_tokens": 23,
                               "completion_tokens_details": {"reasoning_tokens": 3}});
            let finish = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]});
            let mut frames = frames(wire, &[finish, json!({"choices": [], "usage": usage})]);
            frames.push("data: [DONE]\n\n".into());
            frames
        }
    }
}

/// The reason of a reply that has said all.
pub fn normal(wire: Wire) -> &'static str {
    match wire {
        Wire::Messages => "end_turn",
        Wire::Responses => "completed",
        Wire::Chat => "stop",
    }
}

/// A whole reply.
pub fn text(wire: Wire, pieces: &[&str]) -> Vec<String> {
    let mut all = open(wire, pieces);
    all.extend(end(wire, normal(wire)));
    all
}

/// What was reasoned, as it must come back.
pub fn thought(wire: Wire) -> Value {
    match wire {
        Wire::Messages => json!({"type": "thinking", "thinking": "hm, Zürich", "signature": "c2ln"}),
        _ => json!({"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA"}),
    }
}

/// Reasoning where the wire has it, then two calls whose pieces come in turn; the second's arguments are no JSON.
pub fn calls(wire: Wire) -> Vec<String> {
    let halves = [(1, "{\"city\":\"Zü"), (2, "{\"city\":日"), (1, "rich 🦀\"}"), (2, "本")];
    let names = [(1, "call_a", "weather"), (2, "call_b", "time")];
    let mut values = Vec::new();
    match wire {
        Wire::Messages => {
            let delta =
                |index: u64, delta: Value| json!({"type": "content_block_delta", "index": index, "delta": delta});
            let start = |index: u64, block: Value| json!({"type": "content_block_start", "index": index, "content_block": block});
            values.push(start(0, json!({"type": "thinking", "thinking": "", "signature": ""})));
            values.push(delta(0, json!({"type": "thinking_delta", "thinking": "hm, "})));
            values.push(delta(0, json!({"type": "thinking_delta", "thinking": "Zürich"})));
            values.push(delta(0, json!({"type": "signature_delta", "signature": "c2ln"})));
            values.extend(names.map(|(index, id, name)| {
                start(index, json!({"type": "tool_use", "id": id, "name": name, "input": {}}))
            }));
            values.extend(
                halves.map(|(index, text)| delta(index, json!({"type": "input_json_delta", "partial_json": text}))),
            );
        }
        Wire::Responses => {
            values.push(json!({"type": "response.output_item.done", "output_index": 0, "item": thought(wire)}));
            values.extend(names.map(|(index, id, name)| {
                let item = json!({"type": "function_call", "id": "fc", "call_id": id, "name": name, "arguments": ""});
                json!({"type": "response.output_item.added", "output_index": index, "item": item})
            }));
            values.extend(halves.map(|(index, text)| {
                json!({"type": "response.function_call_arguments.delta", "output_index": index, "delta": text})
            }));
        }
        Wire::Chat => {
            let delta = |call: Value| json!({"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]});
            values.extend(names.map(|(index, id, name)| {
                delta(json!({"index": index - 1, "id": id, "type": "function", "function": {"name": name, "arguments": ""}}))
            }));
            values.extend(
                halves.map(|(index, text)| delta(json!({"index": index - 1, "function": {"arguments": text}}))),
            );
        }
    }
    let reason = match wire {
        Wire::Messages => "tool_use",
        Wire::Responses => "completed",
        Wire::Chat => "tool_calls",
    };
    let mut all = frames(wire, &values);
    all.extend(end(wire, reason));
    all
}
