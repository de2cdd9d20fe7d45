//! Another assistant's way in: MCP over HTTP and on stdio, spoken as its clients speak it, and the description of the API.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::support::Place;
use crate::support::http::Site;

const TOOLS: [&str; 9] = [
    "list_datasets",
    "describe_dataset",
    "ask_data",
    "run_sql",
    "run_python",
    "verify_answer",
    "get_run",
    "recall_lessons",
    "save_lesson",
];

fn hello(id: u64) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" } } })
}

fn call(id: u64, tool: &str, arguments: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": tool, "arguments": arguments } })
}

/// What an assistant does, by whatever way its words go.
fn holds(mut say: impl FnMut(Value) -> Value) {
    let greeted = say(hello(1));
    assert_eq!(greeted["result"]["serverInfo"]["name"], "assay", "{greeted}");
    let listed = say(json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" }));
    let tools = listed["result"]["tools"].as_array().unwrap();
    assert_eq!(tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect::<Vec<_>>(), TOOLS);
    for tool in tools {
        assert!(tool["inputSchema"]["type"] == "object" && tool["annotations"]["destructiveHint"] == false, "{tool}");
    }
    let mut use_tool = |id: u64, tool: &str, arguments: Value| say(call(id, tool, arguments))["result"].clone();
    let datasets = use_tool(3, "list_datasets", json!({}));
    assert_eq!(datasets["structuredContent"]["datasets"][1]["dataset_id"], "support", "{datasets}");
    let text: Value = serde_json::from_str(datasets["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(text, datasets["structuredContent"], "those who read no structure read the same");
    let described = use_tool(4, "describe_dataset", json!({ "dataset_id": "support" }));
    assert_eq!(described["structuredContent"]["tables"][0]["name"], "tickets");
    let question = json!({ "dataset_id": "support", "question": "tickets by priority" });
    let answer = use_tool(5, "ask_data", question)["structuredContent"].clone();
    assert_eq!((&answer["status"], &answer["table"]["row_count"]), (&json!("answered"), &json!(4)), "{answer}");
    let run = json!({ "run_id": answer["run_id"] });
    let verified = use_tool(6, "verify_answer", run.clone())["structuredContent"].clone();
    assert_eq!((&verified["same"], &verified["known"]), (&json!(true), &answer["known"]), "{verified}");
    assert_eq!(use_tool(7, "get_run", run)["structuredContent"]["state"], "succeeded");
    let many = json!({ "dataset_id": "support", "sql": "SELECT ticket_id FROM tickets" });
    let many = use_tool(8, "run_sql", many)["structuredContent"].clone();
    assert_eq!(many["table"]["rows"].as_array().unwrap().len(), 50);
    assert!(many["hint"].as_str().unwrap().contains("narrow"), "{many}");
    let refused = json!({ "dataset_id": "support", "sql": "SELECT * FROM read_csv('/etc/passwd')" });
    let refused = use_tool(9, "run_sql", refused)["structuredContent"].clone();
    assert_eq!((&refused["outcome"], &refused["error"]["code"]), (&json!("refused"), &json!("SQL_POLICY")));
    let program = json!({ "code": "print(len(tickets)); tickets.priority.nunique()", "dataset_id": "support" });
    let program = use_tool(10, "run_python", program)["structuredContent"].clone();
    assert_eq!((&program["stdout"], &program["result"]["value"]), (&json!("6417\n"), &json!(4)), "{program}");
    let lesson = json!({ "text": "tickets of priority Critical are few" });
    use_tool(13, "save_lesson", lesson);
    let recalled = use_tool(14, "recall_lessons", json!({ "text": "critical tickets" }))["structuredContent"].clone();
    assert_eq!(recalled["lessons"][0]["fix"], "tickets of priority Critical are few", "{recalled}");
    let unknown = use_tool(11, "ask_data", json!({ "dataset_id": "/etc/passwd", "question": "rows?" }));
    assert_eq!((&unknown["isError"], &unknown["structuredContent"]["code"]), (&json!(true), &json!("dataset_unknown")));
    let wrong = use_tool(12, "run_sql", json!({ "sql": "SELECT 1" }));
    assert_eq!((&wrong["isError"], &wrong["structuredContent"]["code"]), (&json!(true), &json!("usage")), "{wrong}");
}

#[test]
fn the_tools_are_there_over_http() {
    let place = Place::new();
    let site = Site::of(&place);
    let headers = [
        ("Content-Type", "application/json"),
        ("Accept", "application/json, text/event-stream"),
        ("MCP-Protocol-Version", "2025-06-18"),
    ];
    holds(|said| site.send("POST", "/mcp", &headers, said.to_string().as_bytes()).is(200).json());
    let evil: Vec<(&str, &str)> = headers.iter().chain(&[("Host", "evil.example")]).copied().collect();
    site.send("POST", "/mcp", &evil, hello(1).to_string().as_bytes()).problem(403, "forbidden");
    let made = place.json(0, &["token", "create", "reader", "--scope", "read"]);
    site.send("POST", "/mcp", &headers, hello(1).to_string().as_bytes()).problem(401, "token_invalid");
    let bearer = format!("Bearer {}", made["token"].as_str().unwrap());
    let known: Vec<(&str, &str)> = headers.iter().chain(&[("Authorization", bearer.as_str())]).copied().collect();
    let say = |said: Value| site.send("POST", "/mcp", &known, said.to_string().as_bytes()).is(200).json();
    assert_eq!(say(call(1, "list_datasets", json!({})))["result"]["isError"], false);
    let denied = say(call(2, "run_python", json!({ "code": "1" })));
    assert_eq!(denied["result"]["structuredContent"]["code"], "forbidden", "{denied}");
}

#[test]
fn the_tools_are_there_on_stdio() {
    let place = Place::new();
    let call = place.assay(["mcp"]);
    let mut command = Command::new(place.program());
    command.arg("mcp").env_clear().envs(call.environment()).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut greeted = false;
    holds(|said| {
        writeln!(stdin, "{said}").unwrap();
        let answer: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
        assert_eq!(answer["id"], said["id"]);
        if !std::mem::replace(&mut greeted, true) {
            writeln!(stdin, "{}", json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).unwrap();
        }
        answer
    });
    drop(stdin);
    assert!(child.wait().unwrap().success());
    for client in ["claude", "codex", "cursor", "vscode"] {
        let setup = place.json(0, &["mcp", "install", client]);
        assert!(setup["text"].as_str().unwrap().contains("mcp"), "{setup}");
    }
}

#[test]
fn the_api_describes_itself_and_what_it_says_is_there() {
    let place = Place::new();
    let site = Site::of(&place);
    let described = site.get("/openapi.json").is(200).json();
    assert_eq!(described["openapi"], "3.1.0");
    for (path, ways) in described["paths"].as_object().unwrap() {
        for (method, operation) in ways.as_object().unwrap() {
            // Every address answers in a shape that was told: as is, without a body, or with one that is wrong.
            let address = path.replace("{id}", "nothing").replace("{dataset}", "nothing").replace("{number}", "1");
            let reply = site.send(&method.to_uppercase(), &address.replace("{name}", "x"), &[], b"");
            assert!(reply.status < 500 && reply.status != 405, "{method} {path}: {}", reply.text());
            let told = operation["responses"].as_object().unwrap();
            if reply.status < 400 {
                assert!(told.contains_key(&reply.status.to_string()), "{method} {path}: {}", reply.status);
            } else {
                assert_eq!(reply.header("content-type"), Some("application/problem+json"), "{method} {path}");
            }
        }
    }
    let page = site.get("/docs").is(200);
    assert!(page.text().contains("/chat/stream") && !page.text().contains("<script"));
    let metrics = site.get("/metrics").is(200);
    assert!(metrics.header("content-type").unwrap().starts_with("text/plain"));
    site.chat("support", "how many tickets are there");
    let text = site.get("/metrics").is(200).text();
    assert!(text.contains("assay_runs{task=\"ask/1\",state=\"succeeded\"} 1"), "{text}");
}
