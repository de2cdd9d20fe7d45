//! Threads: a question continues the one before, found through the journal, with the same guarantees as any other.

use serde_json::{Value, json};

use crate::support::{Place, shared};

fn codes(answer: &Value) -> Vec<&str> {
    answer["assumptions"].as_array().unwrap().iter().map(|one| one["code"].as_str().unwrap()).collect()
}

fn ask(thread: &str, code: i32, question: &str) -> Value {
    shared().json(code, &["ask", "ecommerce", question, "--thread", thread])
}

#[test]
fn a_question_continues_the_one_before() {
    let thread = "continues";
    let first = ask(thread, 0, "revenue by category");
    assert_eq!(codes(&first), [""; 0]);
    let may = ask(thread, 0, "only for May 2026");
    assert_eq!((codes(&may), &may["known"]["level"]), (vec!["follow_up"], &json!("verified")));
    let whole = shared().answer(&["ecommerce"], "revenue by category in May 2026");
    assert_eq!((&may["plan_hash"], &may["table"]), (&whole["plan_hash"], &whole["table"]));
    assert_eq!(may["reading"], whole["reading"], "the reading says the whole of what is computed");
    assert!(may["assumptions"][0]["text"].as_str().unwrap().contains("revenue by category"), "{may}");
    let top = ask(thread, 0, "top 2 only");
    assert_eq!(top["table"]["rows"].as_array().unwrap()[..], whole["table"]["rows"].as_array().unwrap()[..2]);
    let line = ask(thread, 0, "as a line chart");
    assert_eq!(line["table"], top["table"]);
}

#[test]
fn a_whole_question_stands_on_its_own_and_an_unclear_one_is_refused() {
    let thread = "alone";
    ask(thread, 0, "revenue by category");
    let refused = ask(thread, 1, "and by zorblatt?");
    let message = refused["refusal"]["message"].as_str().unwrap();
    assert!(message.contains("zorblatt") && message.contains("revenue by category"), "{message}");
    let month = ask(thread, 0, "by month instead");
    assert_eq!(month["focus"], json!(["month", "revenue"]), "what was refused is not continued");
    let alone = ask(thread, 0, "how many orders are there");
    let hash = &shared().answer(&["ecommerce"], "how many orders are there")["plan_hash"];
    assert_eq!((&alone["plan_hash"], codes(&alone)), (hash, vec![]));
    assert_eq!(ask("another", 1, "by month instead")["status"], "refused", "another thread knows nothing of it");
    let threads = shared().json(0, &["threads", "list"]);
    let named = |name: &str| threads["threads"].as_array().unwrap().iter().any(|one| one["name"] == name);
    assert_eq!((named(thread), named("another")), (true, false), "a thread begins with an answer");
}

#[test]
fn threads_are_listed_shown_and_forgotten_and_their_runs_replay() {
    let place = Place::new();
    place.file("sales.csv", "region,price\nNorth,10\nSouth,20\nSouth,30\n");
    let ask = |question: &str, code| place.json(code, &["ask", "sales.csv", question, "--thread", "t"]);
    assert_eq!(place.json(0, &["threads", "list"])["threads"], json!([]));
    let first = ask("total price by region", 0);
    let second = ask("and the median?", 0);
    assert_eq!(second["table"]["rows"], json!([["South", 25.0], ["North", 10.0]]));
    ask("and by zorblatt", 1);
    let run = second["run"].as_str().unwrap();
    assert_eq!(place.json(0, &["runs", "replay", run])["same"], true);
    let listed = place.json(0, &["threads", "list"]);
    assert_eq!((&listed["threads"][0]["name"], &listed["threads"][0]["runs"]), (&json!("t"), &json!(3)));
    let shown = place.json(0, &["threads", "show", "t"]);
    let states: Vec<&str> =
        shown["runs"].as_array().unwrap().iter().map(|one| one["state"].as_str().unwrap()).collect();
    assert_eq!(states, ["succeeded", "succeeded", "rejected"]);
    assert_eq!(place.json(0, &["threads", "forget", "t"])["runs"], 3);
    assert_eq!(place.json(2, &["threads", "show", "t"])["code"], "run_unknown");
    ask("and the median?", 1);
    place.json(0, &["runs", "show", first["run"].as_str().unwrap()]);
}
