//! What stands on stdout: one document with `--json`, events with `--jsonl`, data otherwise; and a reader that leaves.

use std::io::Read;

use serde_json::{Value, json};

use crate::support::{Place, contract, shared};

#[test]
fn every_command_prints_exactly_one_document() {
    let place = Place::new();
    let program = place.file("program.py", "print('hello')\nprint('second line')\n");
    let plan = json!({"dataset_id":"ecommerce","table":"orders","select":[{"agg":"count","column":"*","as":"n"}]});
    let plan = place.file("plan.json", plan.to_string());
    let (program, plan) = (program.to_str().unwrap(), plan.to_str().unwrap());
    let out = place.path("exported");
    let cases: &[(&[&str], &str)] = &[
        (&["data", "list"], "datasets"),
        (&["data", "show", "ecommerce"], "dataset"),
        (&["data", "export", "ecommerce", "--to", out.to_str().unwrap()], "export"),
        (&["ask", "ecommerce", "How many orders are there by status?"], "answer"),
        (&["sql", "ecommerce", "SELECT 1"], "sql"),
        (&["plan", "run", plan], "plan"),
        (&["plan", "check", plan], "plan_check"),
        (&["plan", "compile", plan, "--dialect", "duckdb"], "plan_sql"),
        (&["sandbox", "run", program], "execution"),
        (&["runs", "list"], "runs"),
        (&["doctor"], "doctor"),
        (&["config", "show"], "config"),
        (&["schema"], "schemas"),
        (&["schema", "answer"], "schemas"),
    ];
    for (arguments, kind) in cases {
        assert_eq!(place.json(0, arguments)["kind"], *kind, "{arguments:?}");
    }
    // Flags work on either side of the command.
    let ran = place.assay(["--json", "--quiet", "data", "list"]).run().exits(0);
    assert_eq!(ran.document()["kind"], "datasets");
    assert_eq!(ran.stderr, "");
}

#[test]
fn datasets_are_described_as_the_interface_says() {
    let listed = shared().json(0, &["data", "list"]);
    let ids: Vec<&Value> = listed["datasets"].as_array().unwrap().iter().map(|dataset| &dataset["id"]).collect();
    assert_eq!(ids, ["ecommerce", "support", "sensors"]);
    for id in ids {
        let shown = shared().json(0, &["data", "show", id.as_str().unwrap()]);
        assert_eq!(&shown["id"], id);
        assert!(shown["tables"].as_array().is_some_and(|tables| !tables.is_empty()));
        assert_eq!(shown["questions"].as_array().map(Vec::len), Some(6));
        let listed = listed["datasets"].as_array().unwrap().iter().find(|dataset| &dataset["id"] == id);
        assert_eq!(listed.unwrap()["version"], shown["version"]);
    }
}

#[test]
fn settings_say_where_they_come_from() {
    let place = Place::new();
    let origin = |ran: &Value| {
        let setting = ran["settings"].as_array().unwrap().iter().find(|setting| setting["name"] == "data_dir");
        let setting = setting.unwrap();
        (setting["value"].as_str().unwrap().to_string(), setting["origin"].as_str().unwrap().to_string())
    };
    let by_environment = origin(&place.json(0, &["config", "show"]));
    assert_eq!(by_environment, (place.data().display().to_string(), "environment ASSAY_DATA_DIR".to_string()));
    let by_flag = origin(&place.json(0, &["config", "show", "--data-dir", "/elsewhere"]));
    assert_eq!(by_flag, ("/elsewhere".to_string(), "flag".to_string()));
}

#[test]
fn events_come_in_order_and_the_last_holds_the_document() {
    let place = Place::new();
    let program = place.file("program.py", "print('hello')\n");
    let commands: [&[&str]; 4] = [
        &["ask", "ecommerce", "How many orders are there by status?"],
        &["ask", "ecommerce", "What is the profit by category?"],
        &["sql", "ecommerce", "SELECT 1 AS one"],
        &["sandbox", "run", program.to_str().unwrap()],
    ];
    for arguments in commands {
        let ran = place.assay(arguments).arg("--jsonl").run();
        let events: Vec<Value> =
            ran.stdout.lines().map(|line| serde_json::from_str(line).expect("a line is JSON")).collect();
        events.iter().for_each(|event| contract::event(event));
        let durable: Vec<i64> = events.iter().filter_map(|event| event["seq"].as_i64()).collect();
        assert_eq!(durable, (1..=durable.len() as i64).collect::<Vec<_>>(), "{arguments:?}");
        assert_eq!(events[0]["type"], "run.created");
        let last = events.last().unwrap();
        assert_eq!(last["type"], "run.finished", "{arguments:?}");
        contract::holds(&last["data"]["output"]);
        let shown = place.json(0, &["runs", "show", last["run"].as_str().unwrap()]);
        assert_eq!(shown["state"], last["data"]["state"]);
        assert_eq!(shown["output"], last["data"]["output"]);
        assert_eq!(shown["last_seq"], last["seq"]);
        let replayed =
            place.assay(["runs", "show", last["run"].as_str().unwrap(), "--jsonl", "--after", "1"]).run().exits(0);
        let first: Value = serde_json::from_str(replayed.stdout.lines().next().unwrap()).unwrap();
        assert_eq!(first["seq"], 2, "--after continues");
    }
}

#[test]
fn an_error_with_events_still_ends_in_run_finished() {
    let place = Place::new();
    let file = place.file("ragged.csv", "a,b\n1,2\n3\n4\n5\n6\n7,8,9\n");
    let ran = place.assay(["ask", file.to_str().unwrap(), "how many rows", "--jsonl"]).run().exits(2);
    let last: Value = serde_json::from_str(ran.stdout.lines().last().expect("events")).unwrap();
    assert_eq!((&last["type"], &last["data"]["state"]), (&json!("run.finished"), &json!("failed")));
    assert_eq!(last["data"]["problem"]["code"], "file_format", "{last}");
}

#[test]
fn progress_stays_off_stdout() {
    let place = Place::new();
    let ran = place.assay(["sql", "ecommerce", "SELECT 41 + 1 AS n"]).run().exits(0);
    assert!(ran.stderr.contains("reading ecommerce"), "the first use says that it takes a moment: {}", ran.stderr);
    assert!(!ran.stdout.contains("reading") && ran.stdout.contains("42"), "{}", ran.stdout);
    assert!(!ran.stdout.contains('\x1b'), "no colour where there is no terminal");
}

#[test]
fn a_reader_that_leaves_is_not_an_error() {
    let place = Place::new();
    let program = place.file("program.py", "print('x' * 900_000)\n");
    let many = "SELECT * FROM sensors LIMIT 1000";
    let commands: [&[&str]; 5] = [
        &["sql", "sensors", many, "--json"],
        &["sql", "sensors", many],
        &["sandbox", "run", program.to_str().unwrap()],
        &["sandbox", "run", program.to_str().unwrap(), "--json"],
        &["ask", "ecommerce", "How many orders are there by status?", "--jsonl"],
    ];
    for arguments in commands {
        let mut child = shared().assay(arguments).start();
        let mut stdout = child.stdout.take().unwrap();
        let mut beginning = [0; 10];
        stdout.read_exact(&mut beginning).unwrap();
        drop(stdout);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        assert!(!String::from_utf8_lossy(&output.stderr).contains("anick"), "{arguments:?}");
    }
}

#[test]
fn help_and_version_are_answers() {
    for arguments in [&["--help"][..], &["--version"], &["ask", "--help"], &["sandbox", "run", "--help"]] {
        let ran = shared().assay(arguments).run().exits(0);
        assert!(!ran.stdout.is_empty() && ran.stderr.is_empty(), "{arguments:?}");
    }
}

#[test]
fn the_schemas_are_printed_as_they_are_held_against_documents() {
    let place = Place::new();
    let all = place.json(0, &["schema"]);
    let ran = place.assay(["schema", "answer"]).run().exits(0);
    let answer: Value = serde_json::from_str(&ran.stdout).expect("a schema is JSON");
    assert_eq!(answer, all["schemas"]["answer"]);
    assert_eq!(answer["properties"]["kind"], json!({ "const": "answer" }));
    let listed = place.assay(["schema"]).run().exits(0);
    let names: Vec<&str> = listed.stdout.lines().filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(names, all["schemas"].as_object().unwrap().keys().collect::<Vec<_>>());
    let problem = place.json(2, &["schema", "anwser"]);
    assert_eq!((&problem["code"], &problem["hint"]), (&json!("usage"), &json!("did you mean `answer`?")));
}

/// What a test reads is held against the schemas, so they must be able to say no.
#[test]
fn a_document_that_is_not_as_its_schema_says_is_noticed() {
    let document = shared().json(0, &["sql", "ecommerce", "SELECT 1 AS one"]);
    let spoilt = |pointer: &str, value: Value| {
        let mut spoilt = document.clone();
        *spoilt.pointer_mut(pointer).unwrap_or_else(|| panic!("no {pointer}")) = value;
        contract::fits(&spoilt).expect_err(pointer)
    };
    assert_eq!(contract::fits(&document), Ok(()));
    for field in document.as_object().unwrap().keys() {
        let mut without = document.clone();
        without.as_object_mut().unwrap().shift_remove(field);
        contract::fits(&without).expect_err(field);
    }
    spoilt("/v", json!(2));
    spoilt("/kind", json!("sequel"));
    spoilt("/run", json!("../run"));
    spoilt("/outcome", json!("fine"));
    spoilt("/killed_by", json!("boredom"));
    spoilt("/sql", Value::Null);
    spoilt("/table/columns/0/type", json!("integer"));
    spoilt("/table/row_count", json!(-1));
    spoilt("/table/rows/0/0", json!({ "one": 1 }));
    spoilt("/usage/wall_ms", json!("1"));
    let error = spoilt("/isolation/tier", json!("trust"));
    assert!(error.starts_with("/isolation/tier: \"trust\""), "{error}");
    let mut more = document.clone();
    more["of_the_future"] = json!(1);
    assert_eq!(contract::fits(&more), Ok(()), "readers ignore unknown fields");
}
