//! What the page asks of the server beside questions: lessons said otherwise, models tried, what was spent, capsules taken
//! in, and a solve that asks before it runs what the guard refuses.

use serde_json::{Value, json};

use crate::models::{Scripted, python};
use crate::support::Place;
use crate::support::http::Site;

const DANGEROUS: &str = "import os\ndef double(x):\n    return x * 2\ndef leave():\n    os.setsid()";

fn with_model(place: &Place, model: &Scripted) -> Site {
    let serve = place.assay(["serve", "--listen", "127.0.0.1:0"]);
    Site::starting(serve.env("ASSAY_MODEL", "chat:scripted").env("OPENAI_BASE_URL", &model.address))
}

#[test]
fn a_lesson_is_said_otherwise_put_aside_and_names_the_run_it_comes_from() {
    let place = Place::new();
    let site = Site::of(&place);
    let run = site.chat("support", "tickets by priority")["run_id"].as_str().unwrap().to_string();
    let kept = site.post("/lessons", &json!({ "text": "low ones do not count", "run": run })).is(201).json();
    let lesson = &kept["lessons"][0];
    assert_eq!((&lesson["kind"], &lesson["run"]), (&json!("note"), &json!(run)));
    let path = format!("/lessons/{}", lesson["id"].as_str().unwrap());
    let put =
        |body: Value| site.send("PUT", &path, &[("Content-Type", "application/json")], body.to_string().as_bytes());
    let changed = put(json!({ "fix": "leave out low ones", "hidden": true })).is(200).json();
    assert_eq!(changed["lessons"][0]["fix"], "leave out low ones");
    assert_eq!(site.get(&path).is(200).json()["lessons"][0]["hidden"], true);
    assert_eq!(site.get("/lessons?q=leave%20out%20low").is(200).json()["lessons"], json!([]), "it is found no more");
    assert_eq!(put(json!({ "hidden": false })).is(200).json()["lessons"][0]["fix"], "leave out low ones");
    put(json!({ "fix": " " })).problem(400, "usage");
    site.post("/lessons", &json!({ "text": "x", "run": "01a1f053672377ada136b14ac8c862f8" }))
        .problem(404, "run_unknown");
}

#[test]
fn a_model_is_tried_and_what_was_spent_is_counted() {
    let place = Place::new();
    let model = Scripted::saying(&["ready", "1 2 3", "{\"city\": \"Paris\"}", "none", &python("len(tickets)")]);
    let site = with_model(&place, &model);
    let tried = site.post("/models/test", &json!({ "model": "chat:scripted" })).is(200).json();
    let text = tried["checks"].as_array().unwrap().iter().find(|check| check["id"] == "text").unwrap();
    assert_eq!((&tried["kind"], &text["ok"]), (&json!("model_test"), &json!(true)), "{tried}");
    for other in ["command:touch /tmp/x", "recorded:/etc/passwd", "nobody"] {
        site.post("/models/test", &json!({ "model": other })).problem(422, "model_unknown");
    }
    let before = site.get("/spending").is(200).json();
    assert_eq!((&before["day"]["calls"], &before["run"]["tokens_max"]), (&json!(0), &Value::Null), "{before}");
    site.chat("support", "what does the moon make of it");
    let after = site.get("/spending").is(200).json();
    assert!(after["day"]["calls"].as_u64() > Some(0) && after["day"]["tokens"].as_u64() > Some(0), "{after}");
    assert_eq!(site.get("/isolation").is(200).json()["kind"], "probe");
    let limits = site.get("/limits").is(200).json();
    let body = vec![b' '; usize::try_from(limits["body_bytes_max"].as_u64().unwrap()).unwrap() + 1];
    site.send("POST", "/chat", &[("Content-Type", "application/json")], &body).problem(413, "too_large");
    assert!(limits["analysis"]["memory_bytes"].as_u64() < limits["program"]["memory_bytes"].as_u64(), "{limits}");
}

#[test]
fn a_capsule_is_taken_in_once_and_a_broken_one_says_nothing_of_this_machine() {
    let (from, to) = (Place::new(), Place::new());
    let (home, away) = (Site::of(&from), Site::of(&to));
    let run = home.chat("support", "tickets by priority")["run_id"].as_str().unwrap().to_string();
    let capsule = home.get(&format!("/runs/{run}/capsule")).is(200).body;
    let import = |bytes: &[u8]| away.upload_to("/runs/import", &[], &[], &[("run.zip", bytes)]);
    let taken = import(&capsule).is(201).json();
    assert_eq!((&taken["run"], &taken["was_here"]), (&json!(run), &json!(false)));
    assert_eq!(import(&capsule).is(201).json()["was_here"], true);
    let shown = away.get(&format!("/runs/{run}")).is(200).json();
    assert_eq!(shown["output"], home.get(&format!("/runs/{run}")).is(200).json()["output"]);
    let mut broken = capsule.clone();
    let middle = broken.len() / 2;
    broken[middle] ^= 0xff;
    let told = import(&broken).problem(422, "capsule_damaged");
    assert!(!told.to_string().contains("uploads"), "{told}");
    assert!(!import(b"nothing").problem(422, "capsule_damaged").to_string().contains("uploads"));
}

#[test]
fn a_solve_asks_before_it_runs_what_the_guard_refuses_and_says_how_far_it_is() {
    let place = Place::new();
    let model = Scripted::saying(&[&python(DANGEROUS)]);
    let site = with_model(&place, &model);
    let input = json!({ "task": "a function double(x), double(2) == 4", "ask": true });
    let begun = site.post("/runs", &json!({ "task": "solve", "input": input })).is(202).json();
    let path = format!("/runs/{}", begun["run_id"].as_str().unwrap());
    let shown = crate::support::started::until("it asks", || {
        Some(site.get(&path).is(200).json()).filter(|run| run["state"] == "waiting")
    });
    assert_eq!(shown["questions"][0]["action"], "run_code", "{shown}");
    assert_eq!((&shown["progress"]["kind"], &shown["progress"]["iteration"]), (&json!("state"), &json!(1)));
    site.send("POST", &format!("{path}/approve"), &[], b"").is(200);
    let over = crate::support::started::until("it ends", || {
        Some(site.get(&path).is(200).json()).filter(|run| run["state"] == "succeeded")
    });
    assert_eq!((&over["output"]["verdict"], &over["output"]["code"]), (&json!("verified"), &json!(DANGEROUS)));
}
