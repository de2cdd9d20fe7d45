//! A question that can be read in several ways: refused with the readings numbered, and answered in the one chosen.

use serde_json::{Value, json};

use crate::support::Place;

const RIDES: &str = "\
start_station,end_station,duration
A,B,10
A,C,20
B,C,30
";
const QUESTION: &str = "how many rides by station";

fn place() -> Place {
    let place = Place::new();
    place.file("rides.csv", RIDES);
    place
}

fn groups(answer: &Value) -> Value {
    answer["table"]["rows"].clone()
}

#[test]
fn the_readings_of_a_refused_question_are_numbered_and_can_be_chosen() {
    let place = place();
    let refused = place.json(1, &["ask", "rides.csv", QUESTION]);
    assert_eq!(refused["refusal"]["reason"], "ambiguous");
    let readings = refused["refusal"]["readings"].as_array().unwrap().clone();
    assert_eq!(readings.iter().map(|one| one["number"].clone()).collect::<Vec<_>>(), [1, 2]);
    assert_ne!(readings[0]["plan_hash"], readings[1]["plan_hash"]);
    let people = place.assay(["ask", "rides.csv", QUESTION]).run().exits(1);
    for reading in &readings {
        let line = format!("reading: {}: {}", reading["number"], reading["reading"].as_str().unwrap());
        assert!(people.stderr.contains(&line), "{line} is missing in {}", people.stderr);
    }
    for (number, rows) in [("1", json!([["A", 2], ["B", 1]])), ("2", json!([["C", 2], ["B", 1]]))] {
        let answer = place.json(0, &["ask", "rides.csv", QUESTION, "--reading", number]);
        let chosen = &readings[number.parse::<usize>().unwrap() - 1];
        assert_eq!((&answer["reading"], &answer["plan_hash"]), (&chosen["reading"], &chosen["plan_hash"]));
        assert_eq!((groups(&answer), &answer["known"]["by"]), (rows, &json!("oracle")));
        let codes = answer["assumptions"].to_string();
        assert!(codes.contains("reading_chosen"), "{codes}");
        let again = place.json(0, &["ask", "rides.csv", QUESTION, "--reading", number]);
        assert_eq!((&again["cached"], &again["plan_hash"]), (&json!(true), &answer["plan_hash"]));
    }
}

#[test]
fn a_reading_that_is_not_there_is_an_error() {
    let problem = place().json(2, &["ask", "rides.csv", QUESTION, "--reading", "7"]);
    assert_eq!(
        (&problem["code"], problem["message"].as_str().unwrap().contains("2 readings")),
        (&json!("usage"), true)
    );
}

#[test]
fn the_best_reading_is_answered_beside_its_refusal_where_everything_is_to_be_answered() {
    let place = place();
    let answer = place.json(0, &["ask", "rides.csv", QUESTION, "--answer-all"]);
    assert_eq!((&answer["status"], &answer["refusal"]["reason"]), (&json!("answered"), &json!("ambiguous")));
    assert!(answer["confidence"].as_f64().unwrap() > 0.0, "{answer}");
    assert_eq!(groups(&answer), json!([["A", 2], ["B", 1]]));
    assert_eq!(place.json(1, &["ask", "rides.csv", "delete everything", "--answer-all"])["status"], "refused");
}

#[test]
fn of_two_numbers_that_are_asked_for_none_is_dropped() {
    let place = Place::new();
    let folder = place.folder("team");
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).expect("a file");
    write("sales.csv", "sale_id,rep,day,units\n1,Ana,2024-01-01,5\n2,Bo,2024-01-02,7\n3,Ana,2024-02-01,4\n");
    write("targets.csv", "rep,target\nAna,10\nBo,20\n");
    let apart = place.json_any(&["ask", folder.to_str().expect("a plain path"), "total units and target by rep"]);
    assert_eq!(apart["status"], "refused", "{apart}");
    place.file("reps.csv", "rep,month,units,target\nAna,1,5,6\nBo,1,7,8\nAna,2,4,6\n");
    let together = place.json(0, &["ask", "reps.csv", "total units and target by rep"]);
    assert_eq!(groups(&together), json!([["Ana", 9, 12], ["Bo", 7, 8]]));
}
