//! The answer cache: the same question on the same data is answered at once, as a run of its own; whatever could change
//! the answer makes it another question.

use std::fs;

use serde_json::{Value, json};

use crate::support::{Call, Place};

const SALES: &str = "region,price\nNorth,10\nSouth,20\nSouth,30\n";
const QUESTION: &str = "Total price by region?";

fn place() -> Place {
    let place = Place::new();
    place.file("sales.csv", SALES);
    place
}

fn ask(place: &Place, question: &str) -> Value {
    place.answer(&["sales.csv"], question)
}

fn steps(place: &Place, answer: &Value) -> Vec<String> {
    let run = place.json(0, &["runs", "show", answer["run"].as_str().unwrap()]);
    run["steps"].as_array().unwrap().iter().map(|step| step["name"].as_str().unwrap().to_string()).collect()
}

/// A command that finds nothing to run code with.
fn without_python(call: Call, place: &Place) -> Call {
    call.env("ASSAY_ENV_DIR", place.path("nowhere")).env("PATH", "")
}

#[test]
fn the_same_question_is_answered_again_without_computing_it() {
    let place = place();
    let first = ask(&place, QUESTION);
    assert_eq!((&first["cached"], &first["cached_from"]), (&json!(false), &Value::Null));
    let words = ["ask", "sales.csv", "  total PRICE by   region", "--json"];
    let second = without_python(place.assay(words), &place).run().exits(0).document();
    assert_eq!((&second["cached"], &second["cached_from"]), (&json!(true), &first["run"]));
    for same in ["table", "sentence", "reading", "plan_hash", "sql", "known", "chart", "dataset", "focus"] {
        assert_eq!(second[same], first[same], "{same}");
    }
    assert_ne!(second["run"], first["run"]);
    assert_eq!(second["question"], words[2]);
    assert_eq!(
        (steps(&place, &first), steps(&place, &second)),
        (vec!["execute".into(), "verify".into()], vec!["recall".to_string()])
    );
    let anew = [&words[..], &["--no-cache"]].concat();
    without_python(place.assay(&anew), &place).run().exits(2);
    let anew = place.assay(&anew).run().exits(0).document();
    assert_eq!((&anew["cached"], steps(&place, &anew).len()), (&json!(false), 2));
    let people = place.assay(["ask", "sales.csv", QUESTION]).run().exits(0);
    assert!(people.stdout.contains("\ncached "), "{}", people.stdout);
}

#[test]
fn other_data_other_words_of_its_owner_and_another_program_are_asked_anew() {
    let place = Place::new();
    place.file("shop/sales.csv", SALES);
    let ask = || place.answer(&["shop"], QUESTION)["cached"].clone();
    assert_eq!([ask(), ask()], [false, true]);
    place.file("shop/sales.csv", format!("{SALES}North,5\n"));
    assert_eq!([ask(), ask()], [false, true]);
    place.file("shop/dataset.toml", "description = \"what was sold\"\n");
    assert_eq!([ask(), ask()], [false, true]);
    let (program, copy) = (place.program(), place.path("copy"));
    fs::copy(&program, &copy).unwrap();
    fs::rename(&copy, &program).unwrap();
    assert_eq!([ask(), ask()], [false, true], "another program may answer otherwise");
    place.file("shop/sales.csv", SALES);
    fs::remove_file(place.path("shop/dataset.toml")).unwrap();
    assert_eq!(ask(), false, "what the first program answered is not this one's answer");
}

#[test]
fn options_are_part_of_the_question_and_refusals_are_not_kept() {
    let place = place();
    let cached =
        |arguments: &[&str]| place.json_any(&[&["ask", "sales.csv"][..], arguments].concat())["cached"].clone();
    assert_eq!([cached(&[QUESTION]), cached(&[QUESTION, "--answer-all"])], [false, false]);
    assert_eq!([cached(&[QUESTION]), cached(&[QUESTION, "--answer-all"])], [true, true]);
    assert_eq!([cached(&["profit by region"]), cached(&["profit by region"])], [false, false]);
    assert_eq!(place.json(0, &["cache", "list"])["entries"].as_array().unwrap().len(), 2);
}

#[test]
fn a_cached_answer_travels_and_replays_like_any_other() {
    let place = place();
    let first = ask(&place, QUESTION);
    let again = ask(&place, QUESTION);
    let run = again["run"].as_str().unwrap();
    assert_eq!(place.json(0, &["runs", "replay", run])["same"], true);
    let capsule = place.path("run.zip");
    place.json(0, &["runs", "export", run, "--to", capsule.to_str().unwrap()]);
    assert_eq!(place.json(0, &["runs", "verify", capsule.to_str().unwrap()])["valid"], true);
    let other = place.folder("other");
    let other = other.to_str().unwrap();
    place.json(0, &["runs", "import", capsule.to_str().unwrap(), "--data-dir", other]);
    let shown = place.json(0, &["runs", "show", run, "--data-dir", other]);
    assert_eq!(shown["output"]["table"], first["table"]);
    let elsewhere = place.json(0, &["ask", "sales.csv", QUESTION, "--data-dir", other]);
    assert_eq!(elsewhere["cached"], false, "what a stranger's capsule says is no answer here");
}

#[test]
fn what_is_cached_is_listed_and_forgotten() {
    let place = place();
    place.file("other.csv", SALES);
    assert_eq!(place.json(0, &["cache", "list"])["entries"], json!([]));
    assert_eq!(place.json(0, &["cache", "clear"])["answers"], 0);
    ask(&place, QUESTION);
    ask(&place, QUESTION);
    place.answer(&["other.csv"], QUESTION);
    let entries = |arguments: &[&str]| {
        let document = place.json(0, &[&["cache", "list"][..], arguments].concat());
        let entries = document["entries"].as_array().unwrap().clone();
        entries
            .iter()
            .map(|one| (one["about"].as_str().unwrap().to_string(), one["uses"].as_i64().unwrap()))
            .collect::<Vec<_>>()
    };
    assert_eq!(entries(&[]), [("other".to_string(), 1), ("sales".to_string(), 2)]);
    assert_eq!(entries(&["sales.csv"]), [("sales".to_string(), 2)]);
    let people = place.assay(["cache", "list"]).run().exits(0);
    assert!(people.stdout.contains(QUESTION) && people.stdout.contains("2x"), "{}", people.stdout);
    assert_eq!(place.json(0, &["cache", "clear", "--older-than", "1d"])["answers"], 0);
    let cleared = place.json(0, &["cache", "clear", "sales"]);
    assert_eq!(cleared["answers"], 1);
    assert!(cleared["bytes"].as_i64().unwrap() > 100, "{cleared}");
    assert_eq!(entries(&[]), [("other".to_string(), 1)]);
    assert_eq!(ask(&place, QUESTION)["cached"], false);
    assert_eq!(place.json(0, &["cache", "clear"])["answers"], 2);
    assert_eq!(place.json(0, &["runs", "list"])["runs"].as_array().unwrap().len(), 4, "the runs stay");
}

#[test]
fn many_who_ask_at_once_get_the_same_answer_and_one_key() {
    let place = place();
    ask(&place, "how many rows");
    let asking: Vec<_> = (0..6).map(|_| place.assay(["ask", "sales.csv", QUESTION, "--json"]).start()).collect();
    let tables: Vec<Value> = asking
        .into_iter()
        .map(|child| {
            let output = child.wait_with_output().unwrap();
            assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
            serde_json::from_slice::<Value>(&output.stdout).unwrap()["table"].clone()
        })
        .collect();
    assert!(tables.iter().all(|table| *table == tables[0]));
    assert_eq!(place.json(0, &["cache", "list"])["entries"].as_array().unwrap().len(), 2);
    assert_eq!(ask(&place, QUESTION)["cached"], true);
}
