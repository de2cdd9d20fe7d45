//! The server as its callers meet it: the real binary, a free port, and HTTP as it goes over the wire.

mod abuse;
mod assistants;
mod attacks;
mod clients;
mod crowd;
mod doors;
mod durable;
mod owners;
mod page;

use serde_json::{Value, json};

use crate::support::Place;
use crate::support::contract;
use crate::support::http::{Frame, Site};

fn last(frames: &[Frame]) -> &Value {
    let last = frames.last().expect("a stream says something");
    assert_eq!(last.event, "run.finished", "{last:?}");
    &last.data["data"]
}

#[test]
fn every_question_to_begin_with_is_answered_in_both_ways() {
    let place = Place::new();
    let site = Site::of(&place);
    let datasets = site.get("/datasets").is(200).json();
    let ids: Vec<&str> =
        datasets["datasets"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["ecommerce", "support", "sensors"]);
    for id in ids {
        let schema = site.get(&format!("/datasets/{id}/schema")).is(200).json();
        let questions = schema["questions"].as_array().unwrap();
        assert!(questions.len() >= 3, "{schema}");
        for question in questions.iter().map(|question| question.as_str().unwrap()) {
            let answer = site.chat(id, question);
            assert_eq!(answer["status"], "answered", "{question}: {answer}");
            assert_eq!(answer["run_id"], answer["run"]);
            assert!(answer["thread_id"].is_string());
            let body = json!({ "dataset_id": id, "message": question, "no_cache": true });
            let frames: Vec<Frame> = site.stream("POST", "/chat/stream", &[], Some(&body)).collect();
            let ids: Vec<i64> = frames.iter().filter_map(|frame| frame.id).collect();
            assert!(ids.is_sorted_by(|a, b| a < b), "{ids:?}");
            let streamed = last(&frames);
            contract::holds(&streamed["output"]);
            assert_eq!(streamed["output"]["table"], answer["table"], "{question}");
            assert!(streamed["thread_id"].is_string());
        }
    }
}

#[test]
fn what_is_offered_after_an_answer_is_answered_in_its_thread() {
    let place = Place::new();
    let site = Site::of(&place);
    let offered = |run: &Value| {
        let path = format!("/runs/{}/follow-ups", run.as_str().unwrap());
        let questions = site.get(&path).is(200).json()["questions"].take();
        serde_json::from_value::<Vec<String>>(questions).unwrap()
    };
    let questions = [
        ("ecommerce", "What was the revenue by category last month?", "only Electronics"),
        ("ecommerce", "How many orders are there?", "by month"),
        ("support", "What is the SLA compliance by priority?", "by month too"),
        ("sensors", "What is the average temperature by zone?", "only East"),
    ];
    for (dataset, question, expected) in questions {
        let answer = site.chat(dataset, question);
        let follow_ups = offered(&answer["run_id"]);
        assert!(follow_ups.len() >= 2 && follow_ups.iter().any(|one| one == expected), "{question}: {follow_ups:?}");
        for follow_up in follow_ups {
            let thread = site.chat(dataset, question)["thread_id"].take();
            let body = json!({ "dataset_id": dataset, "message": follow_up, "thread_id": thread });
            let next = site.post("/chat", &body).is(200).json();
            assert_eq!(next["status"], "answered", "{question} {follow_up}: {next}");
            assert_ne!(next["plan_hash"], answer["plan_hash"], "{question} {follow_up}");
            let codes: Vec<&Value> = next["assumptions"].as_array().unwrap().iter().map(|one| &one["code"]).collect();
            assert!(codes.contains(&&json!("follow_up")), "{question} {follow_up}: {codes:?}");
        }
    }
    let refused = site.chat("support", "profit by moon phase");
    assert!(offered(&refused["run_id"]).is_empty());
    let statement = site.chat("support", "SQL: SELECT 1 AS n");
    assert!(offered(&statement["run_id"]).is_empty());
}

#[test]
fn documents_about_a_dataset_are_those_of_the_command_line() {
    let place = Place::new();
    let site = Site::of(&place);
    let same = |path: &str, arguments: &[&str]| {
        assert_eq!(site.get(path).is(200).json(), place.json(0, arguments), "{path}");
    };
    same("/datasets/support", &["data", "show", "support"]);
    same("/datasets/support/profile", &["data", "profile", "support"]);
    same("/datasets", &["data", "list"]);
    let unknown = site.get("/datasets/suport").problem(404, "dataset_unknown");
    assert_eq!(unknown["detail"], "did you mean `support`?");
    for path in ["/health", "/healthz", "/readyz"] {
        site.get(path).is(200).json();
    }
}

#[test]
fn a_message_may_be_a_statement_or_a_program_and_what_is_stopped_has_a_code() {
    let place = Place::new();
    let site = Site::of(&place);
    let counted = site.chat("support", "SQL: SELECT count(*) AS n FROM tickets");
    assert_eq!((&counted["kind"], &counted["table"]["rows"]), (&json!("sql"), &json!([[6417]])));
    let refused = site.chat("support", "SQL: DROP TABLE tickets");
    assert_eq!((&refused["outcome"], &refused["error"]["code"]), (&json!("refused"), &json!("SQL_POLICY")));
    assert!(!refused["findings"].as_array().unwrap().is_empty());
    let program = site.chat("support", "PYTHON: len(tickets)");
    assert_eq!((&program["kind"], &program["result"]["value"]), (&json!("execution"), &json!(6417)));
    let refused = site.chat("support", "PYTHON: import socket");
    assert_eq!((&refused["outcome"], &refused["error"]["code"]), (&json!("refused"), &json!("PYTHON_POLICY")));
    let endless = site.chat("support", "PYTHON:\nwhile True:\n    pass");
    assert_eq!((&endless["outcome"], &endless["error"]["code"]), (&json!("killed"), &json!("RUNNER_TIMEOUT")));
    let run = site.get(&format!("/runs/{}", endless["run_id"].as_str().unwrap())).is(200).json();
    assert_eq!((&run["state"], &run["output"]["error"]["code"]), (&json!("failed"), &json!("RUNNER_TIMEOUT")));
    let refused = site.chat("support", "profit by moon phase");
    assert_eq!((&refused["kind"], &refused["status"]), (&json!("answer"), &json!("refused")));
    site.post("/chat", &json!({ "dataset_id": "support", "message": "SQL:" })).problem(400, "usage");
    site.post("/chat", &json!({ "message": "how many" })).problem(400, "usage");
    site.post("/chat", &json!(["support", "how many tickets"])).problem(400, "usage");
    site.post("/runs", &json!({ "task": "sql", "input": ["support", "SELECT 1"] })).problem(400, "usage");
}

#[test]
fn a_run_is_begun_once_for_a_key_and_can_be_looked_at_from_every_side() {
    let place = Place::new();
    let site = Site::of(&place);
    let body = json!({ "task": "ask", "input": { "dataset_id": "support", "message": "tickets by priority" } });
    let begin = |body: &Value, key: &str| {
        let headers = [("Content-Type", "application/json"), ("Idempotency-Key", key)];
        site.send("POST", "/runs", &headers, body.to_string().as_bytes())
    };
    let begun = begin(&body, "one").is(202).json();
    let run = begun["run_id"].as_str().unwrap();
    assert_eq!(begin(&body, "one").is(202).json()["run_id"], run);
    let other = json!({ "task": "ask", "input": { "dataset_id": "support", "message": "tickets by category" } });
    begin(&other, "one").problem(409, "key_conflict");

    let frames: Vec<Frame> = site.stream("GET", begun["events_url"].as_str().unwrap(), &[], None).collect();
    assert_eq!(last(&frames)["state"], "succeeded");
    let heard = frames.iter().filter_map(|frame| frame.id).collect::<Vec<_>>();
    assert_eq!(heard, (1..=heard.len() as i64).collect::<Vec<_>>());
    let rest: Vec<Frame> =
        site.stream("GET", begun["events_url"].as_str().unwrap(), &[("Last-Event-ID", "2")], None).collect();
    assert_eq!(rest.iter().filter_map(|frame| frame.id).collect::<Vec<_>>(), heard[2..]);
    let all = heard.len().to_string();
    site.send("GET", &format!("/runs/{run}/events"), &[("Last-Event-ID", &all)], b"").is(204);
    site.send("GET", &format!("/runs/{run}/events"), &[("Last-Event-ID", "x")], b"").problem(400, "usage");

    let status = site.get(begun["status_url"].as_str().unwrap()).is(200).json();
    assert_eq!((&status["run_id"], &status["state"]), (&json!(run), &json!("succeeded")));
    let shown = site.get(&format!("/runs/{run}")).is(200).json();
    assert_eq!((&shown["mode"], &shown["key"]), (&json!("queued"), &json!("one")));
    assert_eq!(shown, place.json(0, &["runs", "show", run]));
    let picture = site.get(&format!("/runs/{run}/chart.svg?theme=dark&width=360")).is(200);
    assert_eq!(picture.header("content-type"), Some("image/svg+xml"));
    assert!(picture.text().contains("viewBox=\"0 0 360 "), "{}", picture.text());
    site.get(&format!("/runs/{run}/chart.svg?theme=pink")).problem(400, "usage");
    site.get(&format!("/runs/{run}/artifacts/nothing")).problem(404, "not_found");
    let capsule = site.get(&format!("/runs/{run}/capsule")).is(200);
    let file = place.file("run.zip", &capsule.body);
    place.json(0, &["runs", "verify", &file.display().to_string()]);
    let replayed = site.send("POST", &format!("/runs/{run}/replay"), &[], b"").is(200).json();
    assert_eq!((&replayed["kind"], &replayed["replay"]["same"]), (&json!("run"), &json!(true)));
    let fork = json!({ "from_step": 1 });
    let forked = site.post(&format!("/runs/{run}/fork"), &fork).is(202).json();
    assert_eq!(forked["forked_from"], json!({ "run": run, "step": 1 }));
    site.send("POST", &format!("/runs/{run}/resume"), &[], b"").is(202);
    site.send("POST", &format!("/runs/{run}/cancel"), &[], b"").is(200);
    site.get("/runs/01a1f053672377ada136b14ac8c862f8").problem(404, "run_unknown");
    site.get("/runs/zz").problem(404, "run_unknown");
}

#[test]
fn each_task_runs_by_name_and_lists_are_cut_into_pages() {
    let place = Place::new();
    let site = Site::of(&place);
    let plan = json!({ "dataset_id": "support", "table": "tickets", "select": [{ "agg": "count", "column": "*", "as": "n" }] });
    let inputs = [
        ("ask", json!({ "dataset_id": "support", "message": "how many tickets are there" }), "answer"),
        ("sql", json!({ "dataset_id": "support", "sql": "SELECT 1 AS one" }), "sql"),
        ("plan", json!({ "plan": plan }), "plan"),
        ("python", json!({ "code": "print('hello')" }), "execution"),
        ("python", json!({ "dataset_id": "support", "code": "len(tickets)" }), "execution"),
    ];
    for (task, input, kind) in &inputs {
        let begun = site.post("/runs", &json!({ "task": task, "input": input })).is(202).json();
        let frames: Vec<Frame> = site.stream("GET", begun["events_url"].as_str().unwrap(), &[], None).collect();
        assert_eq!((&last(&frames)["state"], &last(&frames)["output"]["kind"]), (&json!("succeeded"), &json!(kind)));
    }
    site.post("/runs", &json!({ "task": "dance", "input": {} })).problem(404, "task_unknown");
    site.post("/runs", &json!({ "task": "sql", "input": { "dataset_id": "support" } })).problem(400, "usage");
    let mut seen = Vec::new();
    let mut path = "/runs?limit=2".to_string();
    loop {
        let page = site.get(&path).is(200).json();
        seen.extend(page["runs"].as_array().unwrap().iter().map(|run| run["id"].as_str().unwrap().to_string()));
        let Some(next) = page["next"].as_str() else { break };
        path = format!("/runs?limit=2&cursor={next}");
    }
    assert_eq!(seen.len(), inputs.len());
    let programs = site.get("/runs?task=program&state=succeeded").is(200).json();
    assert_eq!(programs["runs"].as_array().unwrap().len(), 2);
    site.get("/runs?state=asleep").problem(400, "usage");
    site.get("/runs?limit=x").problem(400, "usage");
}

#[test]
fn files_are_sent_asked_about_and_forgotten() {
    let place = Place::new();
    let site = Site::of(&place);
    let sales = b"region,price,quantity\nNorth,10,1\nSouth,20,2\nNorth,30,3\n";
    let made = site.upload(&[], &[("name", "My Sales")], &[("sales.csv", sales)]).is(201).json();
    assert_eq!((&made["kind"], &made["id"]), (&json!("dataset"), &json!("my_sales")));
    let answer = site.chat("my_sales", "average price by region");
    assert_eq!(answer["table"]["rows"], json!([["North", 20.0], ["South", 20.0]]), "{answer}");
    let listed = site.get("/datasets").is(200).json();
    let mine = listed["datasets"].as_array().unwrap().iter().find(|one| one["id"] == "my_sales").unwrap().clone();
    assert!(!mine["paths"].to_string().contains('/'), "{mine}");
    site.upload(&[], &[("name", "my_sales")], &[("sales.csv", sales)]).problem(400, "usage");
    site.upload(&[], &[("name", "support")], &[("sales.csv", sales)]).problem(400, "usage");
    site.upload(&[], &[("name", "empty")], &[]).problem(400, "usage");
    site.upload(&[], &[("name", "bad")], &[("bad.parquet", b"PAR1 nothing that could be read PAR1")])
        .problem(422, "file_format");
    let uploads = std::fs::read_dir(place.data().join("uploads")).unwrap().count();
    assert_eq!(uploads, 1, "what was not read is not kept");

    let note = json!({ "dataset_id": "my_sales", "text": "price is without tax" });
    let remembered = site.post("/notes", &note).is(201).json();
    let number = &remembered["note"]["id"];
    let notes = site.get("/notes?dataset_id=my_sales").is(200).json();
    assert_eq!(notes["notes"][0]["text"], "price is without tax");
    site.delete(&format!("/notes/my_sales/{number}")).is(200);
    site.get("/notes?dataset_id=nothing").problem(404, "dataset_unknown");

    site.delete("/datasets/my_sales").is(200).json();
    site.get("/datasets/my_sales").problem(404, "dataset_unknown");
    assert_eq!(std::fs::read_dir(place.data().join("uploads")).unwrap().count(), 0);
    site.delete("/datasets/support").problem(400, "usage");
}

#[test]
fn a_thread_is_a_conversation() {
    let place = Place::new();
    let site = Site::of(&place);
    let first = site.chat("ecommerce", "revenue by category");
    let thread = first["thread_id"].as_str().unwrap();
    let body = json!({ "dataset_id": "ecommerce", "message": "only for May 2026", "thread_id": thread });
    let second = site.post("/chat", &body).is(200).json();
    assert_eq!((&second["status"], &second["thread_id"]), (&json!("answered"), &json!(thread)));
    let threads = site.get("/threads").is(200).json();
    assert_eq!(threads["threads"][0]["id"], thread);
    assert_eq!(threads["threads"][0]["title"], "revenue by category");
    assert_eq!(threads["threads"][0]["dataset_id"], "ecommerce");
    let messages = site.get(&format!("/threads/{thread}/messages")).is(200).json();
    let roles: Vec<&str> =
        messages["messages"].as_array().unwrap().iter().map(|one| one["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["user", "assistant", "user", "assistant"]);
    assert_eq!(messages["messages"][3]["text"], second["sentence"]);
    site.delete(&format!("/threads/{thread}")).is(200).json();
    site.get(&format!("/threads/{thread}/messages")).problem(404, "not_found");
    site.get("/models").is(200).json();
    let settings = site.get("/settings").is(200).json().to_string();
    assert!(!settings.contains(&place.data().display().to_string()), "{settings}");
}

#[test]
fn a_known_answer_is_a_run_like_any_other() {
    let place = Place::new();
    let site = Site::of(&place);
    let first = site.chat("ecommerce", "revenue by category");
    let known = site.chat("ecommerce", "Revenue by category?");
    assert_eq!((&first["cached"], &known["cached"]), (&json!(false), &json!(true)));
    assert_eq!((&known["cached_from"], &known["table"]), (&first["run"], &first["table"]));
    assert_eq!((&known["run"], &known["question"]), (&known["run_id"], &json!("Revenue by category?")));
    // Begun as a run that is worked on step by step.
    let body = json!({ "task": "ask", "input": { "dataset_id": "ecommerce", "message": "revenue by category" } });
    let begun = site.post("/runs", &body).is(202).json();
    let heard = |run: &str| -> Vec<(Option<i64>, String)> {
        let frames: Vec<Frame> = site.stream("GET", &format!("/runs/{run}/events"), &[], None).collect();
        frames.into_iter().filter(|frame| frame.id.is_some()).map(|frame| (frame.id, frame.event)).collect()
    };
    let run = known["run"].as_str().unwrap();
    assert_eq!(heard(run), heard(begun["run_id"].as_str().unwrap()));
    let shown = |run: &str| {
        let run = site.get(&format!("/runs/{run}")).is(200).json();
        let steps: Vec<Value> = run["steps"].as_array().unwrap().iter().map(|step| step["name"].clone()).collect();
        json!([run["task"], run["state"], run["mode"], run["attempts"], run["program"], steps])
    };
    assert_eq!(shown(run), shown(begun["run_id"].as_str().unwrap()));
    let replayed = site.send("POST", &format!("/runs/{run}/replay"), &[], b"").is(200).json();
    assert_eq!(replayed["replay"]["same"], true, "{replayed}");
    assert_eq!(place.json(0, &["ask", "ecommerce", "revenue by category"])["cached_from"], begun["run_id"]);
    let body = json!({ "dataset_id": "ecommerce", "message": "only for May 2026", "thread_id": known["thread_id"] });
    let next = site.post("/chat", &body).is(200).json();
    assert_eq!((&next["status"], &next["cached"]), (&json!("answered"), &json!(false)), "it continues: {next}");
    let messages = site.get(&format!("/threads/{}/messages", known["thread_id"].as_str().unwrap())).is(200).json();
    assert_eq!(messages["messages"].as_array().unwrap().len(), 4, "{messages}");
}

#[test]
fn the_page_is_there_with_everything_it_needs() {
    let place = Place::new();
    let site = Site::of(&place);
    let index = site.send("GET", "/", &[("Accept", "text/html")], b"").is(200);
    assert_eq!(index.header("content-type"), Some("text/html; charset=utf-8"));
    assert_eq!(index.header("cache-control"), Some("no-cache"));
    let text = index.text();
    let assets: Vec<&str> = text.split('"').filter(|part| part.starts_with("/ui/")).collect();
    assert!(!assets.is_empty(), "{text}");
    for asset in assets {
        let kind = site.get(asset).is(200);
        let expected = if asset.ends_with(".css") { "text/css" } else { "text/javascript" };
        assert!(kind.header("content-type").unwrap().starts_with(expected) || asset.ends_with(".svg"), "{asset}");
    }
    let page = |accept: &str| site.send("GET", "/ask/support", &[("Accept", accept)], b"");
    assert_eq!(page("text/html").is(200).text(), text);
    page("application/json").problem(404, "not_found");
    for wrong in ["/ui/0000000000000000/app.css", "/ui/x/../../Cargo.toml", "/ui/x/%2e%2e/%2e%2e/build.rs"] {
        site.get(wrong).problem(404, "not_found");
    }
}
