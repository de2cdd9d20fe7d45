//! The API as programs of others use it: one that reads its description and tries whatever that allows, a client generated
//! from the same, and an assistant by the usual client of MCP for Python. Each is skipped, by name, where it cannot be had.

use std::process::Command;

use serde_json::{Value, json};

use crate::support::Place;
use crate::support::http::Site;
use crate::support::packages::programs;
use crate::support::slow_is_wanted;

const CONFIGURATION: &str = include_str!("clients/schemathesis.toml");
const CLIENT_PROGRAM: &str = include_str!("clients/generated.py");
const ASSISTANT: &str = include_str!("clients/assistant.py");
/// What an answer is held against: that it is no fault of ours, and told of in its status, type, headers and shape.
const CHECKS: &str = "not_a_server_error,status_code_conformance,content_type_conformance,response_headers_conformance,\
                      response_schema_conformance,negative_data_rejection,unsupported_method,ignored_auth";

fn ids(documents: &[&Value]) -> String {
    json!(documents).to_string()
}

/// The configuration with names of things that are there: without them every door but the first would only say 404.
fn configuration(site: &Site, token: &str) -> String {
    let post = |path: &str, body: Value| site.as_bearer(token, "POST", path, Some(&body)).json();
    let bearer = format!("Bearer {token}");
    site.upload(&[("Authorization", &bearer)], &[("name", "sales")], &[("s.csv", b"region,price\nN,1\nS,2\n")]).is(201);
    let answer = post("/chat", json!({ "dataset_id": "support", "message": "tickets by priority" }));
    let statement = post("/chat", json!({ "dataset_id": "support", "message": "SQL: SELECT 1" }));
    let code = "open('out/x.txt', 'w').write('x')";
    let program = post("/runs", json!({ "task": "python", "input": { "code": code } }));
    let lesson = post("/lessons", json!({ "text": "low ones do not count" }));
    post("/notes", json!({ "dataset_id": "support", "text": "low ones do not count" }));
    let runs = ids(&[&answer["run_id"], &statement["run_id"], &program["run_id"]]);
    CONFIGURATION
        .replace("[\"RUNS\"]", &runs)
        .replace("[\"THREADS\"]", &ids(&[&answer["thread_id"]]))
        .replace("[\"LESSONS\"]", &ids(&[&lesson["lessons"][0]["id"]]))
}

#[test]
fn whatever_the_description_allows_is_answered_as_it_says() {
    const TEST: &str = "whatever_the_description_allows_is_answered_as_it_says";
    if !slow_is_wanted(TEST) {
        return;
    }
    let Some(programs) = programs(TEST, &["schemathesis==4.32.5"]) else { return };
    let place = Place::new();
    let site = Site::of(&place);
    let made = place.json(0, &["token", "create", "all", "--scope", "admin"]);
    let token = made["token"].as_str().unwrap();
    let file = place.file("schemathesis.toml", configuration(&site, token));
    let mut fuzzer = Command::new(programs.join("schemathesis"));
    fuzzer.arg("--config-file").arg(file).arg("run").arg(format!("http://{}/openapi.json", site.address));
    fuzzer.args(["--header", &format!("Authorization: Bearer {token}"), "--checks", CHECKS]);
    fuzzer.args(["--phases", "examples,coverage,fuzzing", "--max-examples", "25", "--seed", "1"]);
    fuzzer.args(["--suppress-health-check", "all", "--request-timeout", "60", "--continue-on-failure"]);
    // It would ask models of the whole world.
    fuzzer.args(["--exclude-path", "/models/test"]);
    let ran = fuzzer.current_dir(place.path("")).output().unwrap();
    let said = String::from_utf8_lossy(&ran.stdout);
    assert!(ran.status.success(), "{said}\n{}", String::from_utf8_lossy(&ran.stderr));
    assert!(said.contains("generated"), "{said}");
    let alive = site.as_bearer(token, "GET", "/runs", None).is(200).json();
    assert!(alive["runs"].as_array().is_some_and(|runs| runs.len() > 10), "{alive}");
}

#[test]
fn a_client_that_was_generated_asks_a_question() {
    const TEST: &str = "a_client_that_was_generated_asks_a_question";
    if !slow_is_wanted(TEST) {
        return;
    }
    let Some(programs) = programs(TEST, &["openapi-python-client==0.29.1"]) else { return };
    let place = Place::new();
    let site = Site::of(&place);
    let made = place.json(0, &["token", "create", "client", "--owner", "ada"]);
    let token = made["token"].as_str().unwrap();
    place.file("openapi.json", site.get("/openapi.json").is(200).body);
    let overrides = "content_type_overrides:\n  application/zip: application/octet-stream\n  image/svg+xml: application/octet-stream\n";
    place.file("config.yml", format!("{overrides}post_hooks: []\n"));
    let mut generator = Command::new(programs.join("openapi-python-client"));
    generator.args(["generate", "--path", "openapi.json", "--config", "config.yml", "--meta", "none"]);
    let made = generator.args(["--output-path", "client"]).current_dir(place.path("")).output().unwrap();
    let said = format!("{}{}", String::from_utf8_lossy(&made.stdout), String::from_utf8_lossy(&made.stderr));
    assert!(made.status.success() && !said.contains("WARNING") && !said.contains("Unable"), "{said}");
    place.file("ask.py", CLIENT_PROGRAM);
    let mut asking = Command::new(programs.join("python"));
    let asked = asking.arg("ask.py").arg(format!("http://{}", site.address)).arg(token).current_dir(place.path(""));
    let asked = asked.output().unwrap();
    assert!(asked.status.success(), "{}", String::from_utf8_lossy(&asked.stderr));
    let told: Value = serde_json::from_slice(&asked.stdout).unwrap();
    let question = json!({ "dataset_id": "support", "message": "tickets by priority" });
    let answer = site.as_bearer(token, "POST", "/chat", Some(&question)).is(200).json();
    assert_eq!((&told["rows"], &told["sentence"]), (&answer["table"]["rows"], &answer["sentence"]));
    assert_eq!((&told["refused"], &told["begun"]), (&json!("dataset_unknown"), &json!("succeeded")), "{told}");
}

#[test]
fn an_assistant_written_in_python_uses_every_tool() {
    const TEST: &str = "an_assistant_written_in_python_uses_every_tool";
    if !slow_is_wanted(TEST) {
        return;
    }
    let Some(programs) = programs(TEST, &["mcp==1.28.1"]) else { return };
    let place = Place::new();
    let site = Site::of(&place);
    let call = place.assay(["mcp"]);
    for how in [format!("http://{}/mcp", site.address), place.program().display().to_string()] {
        let mut assistant = Command::new(programs.join("python"));
        assistant.args(["-c", ASSISTANT, &how]).env_clear().envs(call.environment());
        let ran = assistant.output().unwrap();
        assert!(ran.status.success(), "{how}: {}", String::from_utf8_lossy(&ran.stderr));
        let told: Value = serde_json::from_slice(&ran.stdout).unwrap();
        assert_eq!((&told["used"], &told["wrong"]), (&json!(9), &json!("dataset_unknown")), "{told}");
    }
}
