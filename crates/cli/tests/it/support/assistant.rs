//! A caller of tools over HTTP, as another assistant is one.

use serde_json::{Value, json};

use super::http::Site;

/// What a tool answers, structured; whether it went wrong stands in `isError`.
#[track_caller]
pub fn tool(site: &Site, name: &str, arguments: Value) -> Value {
    let headers = [
        ("Content-Type", "application/json"),
        ("Accept", "application/json, text/event-stream"),
        ("MCP-Protocol-Version", "2025-06-18"),
    ];
    let params = json!({ "name": name, "arguments": arguments });
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    let reply = site.send("POST", "/mcp", &headers, call.to_string().as_bytes()).is(200).json();
    let mut said = reply["result"]["structuredContent"].clone();
    assert!(said.is_object(), "{name} gives nothing structured: {reply}");
    said["isError"] = reply["result"]["isError"].clone();
    said
}
