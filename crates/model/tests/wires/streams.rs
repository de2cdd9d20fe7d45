//! What goes right: text, calls, counts, and the bodies that are sent.

use model::{Message, Stop, Tokens, Tool, ToolCall, ToolResult, Wire};
use serde_json::{Value, json};

use crate::loopback::{Server, Turn};
use crate::{WIRES, ask, endpoint, frames, limits, request};

#[tokio::test]
async fn text_is_heard_in_order_and_counted() {
    for wire in WIRES {
        let pieces = ["Grüße aus ", "Zürich, 日本", " 🦀\n"];
        let server = Server::start(vec![Turn::Stream(frames::text(wire, &pieces))]).await;
        let (reply, heard) = ask(endpoint(wire, "m", &server.url), &request(), limits()).await;
        let reply = reply.expect("a reply");
        assert_eq!(heard, pieces, "{wire:?}");
        assert_eq!((reply.text, reply.stop, reply.tool_calls), (pieces.concat(), Stop::End, vec![]), "{wire:?}");
        let counted = match wire {
            Wire::Messages => Tokens { input: 10, cache_read: 7, cache_write: 5, output: 20, reasoning: 0 },
            _ => Tokens { input: 10, cache_read: 7, cache_write: 0, output: 20, reasoning: 3 },
        };
        assert_eq!(reply.tokens, counted, "{wire:?}");
        assert_eq!(server.seen().len(), 1);
    }
}

#[tokio::test]
async fn calls_are_kept_as_written_and_reasoning_goes_back_verbatim() {
    for wire in WIRES {
        let script = vec![Turn::Stream(frames::calls(wire)), Turn::Stream(frames::text(wire, &["done"]))];
        let server = Server::start(script).await;
        let mut request = request();
        let reply = ask(endpoint(wire, "o3", &server.url), &request, limits()).await.0.expect("a reply");
        let call = |id: &str, name: &str, arguments: &str| ToolCall {
            id: id.into(),
            name: name.into(),
            arguments: arguments.into(),
        };
        let calls = [call("call_a", "weather", "{\"city\":\"Zürich 🦀\"}"), call("call_b", "time", "{\"city\":日本")];
        assert_eq!((&reply.tool_calls[..], reply.stop), (&calls[..], Stop::ToolCalls), "{wire:?}");

        let result = |id: &str, is_error| ToolResult { id: id.into(), text: "r".into(), is_error };
        let (tool_calls, reasoning) = (reply.tool_calls, reply.reasoning);
        request.messages.push(Message::Assistant { text: "t".into(), tool_calls, reasoning });
        request.messages.push(Message::Results { results: vec![result("call_a", false), result("call_b", true)] });
        ask(endpoint(wire, "o3", &server.url), &request, limits()).await.0.expect("a reply");
        let body = server.seen()[1].body.clone();
        let (turns, expected) = second_turn(wire, &body);
        assert_eq!(Value::Array(turns), expected, "{wire:?}");
    }
}

/// The conversation behind the first message as it was sent, and as it should be.
fn second_turn(wire: Wire, body: &Value) -> (Vec<Value>, Value) {
    let key = if wire == Wire::Responses { "input" } else { "messages" };
    let skipped = if wire == Wire::Chat { 2 } else { 1 };
    let turns = body[key].as_array().expect("turns").iter().skip(skipped).cloned().collect();
    let expected = match wire {
        Wire::Messages => json!([
            {"role": "assistant", "content": [
                frames::thought(wire),
                {"type": "text", "text": "t"},
                {"type": "tool_use", "id": "call_a", "name": "weather", "input": {"city": "Zürich 🦀"}},
                {"type": "tool_use", "id": "call_b", "name": "time", "input": {"malformed": "{\"city\":日本"}},
            ]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "call_a", "content": "r", "is_error": false},
                {"type": "tool_result", "tool_use_id": "call_b", "content": "r", "is_error": true,
                 "cache_control": {"type": "ephemeral"}},
            ]},
        ]),
        Wire::Responses => json!([
            frames::thought(wire),
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "t"}]},
            {"type": "function_call", "call_id": "call_a", "name": "weather", "arguments": "{\"city\":\"Zürich 🦀\"}"},
            {"type": "function_call", "call_id": "call_b", "name": "time", "arguments": "{\"city\":日本"},
            {"type": "function_call_output", "call_id": "call_a", "output": "r"},
            {"type": "function_call_output", "call_id": "call_b", "output": "error: r"},
        ]),
        Wire::Chat => json!([
            {"role": "assistant", "content": "t", "tool_calls": [
                {"id": "call_a", "type": "function", "function": {"name": "weather", "arguments": "{\"city\":\"Zürich 🦀\"}"}},
                {"id": "call_b", "type": "function", "function": {"name": "time", "arguments": "{\"city\":日本"}},
            ]},
            {"role": "tool", "tool_call_id": "call_a", "content": "r"},
            {"role": "tool", "tool_call_id": "call_b", "content": "error: r"},
        ]),
    };
    (turns, expected)
}

#[tokio::test]
async fn each_wire_gets_the_body_it_wants() {
    let parameters = json!({"type": "object", "properties": {}});
    let schema = json!({"type": "object", "properties": {}, "required": [], "additionalProperties": false});
    let mut request = request();
    request.tools = vec![Tool { name: "f".into(), description: "d".into(), parameters: parameters.clone() }];
    request.schema = Some(schema.clone());
    (request.temperature, request.seed, request.stop) = (Some(0.5), Some(7), vec!["END".into()]);
    let cached = json!({"type": "ephemeral"});
    let user = json!({"role": "user", "content": [{"type": "text", "text": "hello", "cache_control": cached}]});
    let function = json!({"name": "f", "description": "d", "parameters": parameters});
    let item = json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hello"}]});
    let tool = json!({"type": "function", "name": "f", "description": "d", "parameters": parameters, "strict": false});
    let named = json!({"name": "reply", "schema": schema, "strict": true});
    let text = json!({"format": {"type": "json_schema", "name": "reply", "schema": schema, "strict": true}});
    let expected = [
        json!({"model": "m", "max_tokens": 100, "stream": true, "messages": [user],
               "system": [{"type": "text", "text": "Be brief.", "cache_control": cached}],
               "tools": [{"name": "f", "description": "d", "input_schema": parameters}],
               "output_config": {"format": {"type": "json_schema", "schema": schema}},
               "stop_sequences": ["END"], "temperature": 0.5}),
        json!({"model": "m", "input": [item], "max_output_tokens": 100, "stream": true, "store": false,
               "instructions": "Be brief.", "tools": [tool], "text": text, "temperature": 0.5}),
        json!({"model": "m", "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "hello"}],
               "stream": true, "stream_options": {"include_usage": true}, "max_tokens": 100,
               "tools": [{"type": "function", "function": function}],
               "response_format": {"type": "json_schema", "json_schema": named},
               "stop": ["END"], "temperature": 0.5, "seed": 7}),
    ];
    let heads = [
        ("post /v1/messages ", "x-api-key: sk-canary-0123456789"),
        ("post /responses ", "authorization: bearer sk-canary-0123456789"),
        ("post /chat/completions ", "authorization: bearer sk-canary-0123456789"),
    ];
    for ((wire, expected), (path, key)) in WIRES.into_iter().zip(expected).zip(heads) {
        let server = Server::start(vec![Turn::Stream(frames::text(wire, &["one END two"]))]).await;
        let reply = ask(endpoint(wire, "m", &server.url), &request, limits()).await.0.expect("a reply");
        assert_eq!((reply.text.as_str(), reply.stop), ("one ", Stop::StopWord), "{wire:?}");
        let seen = server.seen().remove(0);
        assert_eq!(seen.body, expected, "{wire:?}");
        assert!(seen.head.starts_with(path) && seen.head.contains(key), "{}", seen.head);
        ask(endpoint(wire, "gpt-5", &server.url), &request, limits()).await.0.expect("a reply");
        let body = server.seen().remove(1).body;
        match wire {
            Wire::Messages => {}
            Wire::Responses => {
                assert_eq!(body["include"], json!(["reasoning.encrypted_content"]));
                assert!(body["temperature"].is_null());
            }
            Wire::Chat => {
                assert_eq!((&body["max_completion_tokens"], &body["temperature"]), (&json!(100), &Value::Null))
            }
        }
    }
}

#[tokio::test]
async fn a_limit_of_the_provider_is_told() {
    for (wire, reason) in WIRES.into_iter().zip(["max_tokens", "incomplete", "length"]) {
        let mut all = frames::open(wire, &["half"]);
        all.extend(frames::end(wire, reason));
        let server = Server::start(vec![Turn::Stream(all)]).await;
        let reply = crate::ask_plainly(wire, &server).await.expect("a reply");
        assert_eq!((reply.text.as_str(), reply.stop), ("half", Stop::Length), "{wire:?}");
    }
}

#[tokio::test]
async fn chat_ends_with_its_reason_and_may_come_whole() {
    let finish = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]});
    let mut all = frames::open(Wire::Chat, &["hi"]);
    all.push(frames::frame(Wire::Chat, &finish));
    let whole = json!({"choices": [{"message": {"role": "assistant", "content": "hi"}, "finish_reason": "stop"}]});
    let json_type = "content-type: application/json\r\n".to_string();
    for turn in [
        Turn::Stream(all.clone()),
        Turn::Cut(all.clone()),
        Turn::Hold(all),
        Turn::Answer("200 OK", json_type, whole.to_string()),
    ] {
        let server = Server::start(vec![turn]).await;
        let (reply, heard) = ask(endpoint(Wire::Chat, "m", &server.url), &request(), limits()).await;
        let reply = reply.expect("a reply");
        assert_eq!((reply.text.as_str(), reply.stop, reply.tokens), ("hi", Stop::End, Tokens::default()));
        assert_eq!((heard, server.seen().len()), (vec!["hi".to_string()], 1));
    }
}
