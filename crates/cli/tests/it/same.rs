//! What must not change an answer: asking again and at once, other words for the same, their order, case and
//! punctuation. The wordings are groups in `same/wordings.txt`.

use std::collections::BTreeMap;
use std::fs;
use std::thread;

use serde_json::{Value, json};

use crate::support::{Place, shared, slow_is_wanted};

const WORDINGS: &str = include_str!("same/wordings.txt");
const PROCESSES: usize = 8;
/// One of each kind of plan: a ranking over a join, a mean by group, a period that ends with the data.
const ASKED_OFTEN: &[(&str, &str)] = &[
    ("ecommerce", "What are the top 10 products by revenue?"),
    ("support", "What is the average resolution time by category?"),
    ("sensors", "How many anomalies were there per day in the last week?"),
];

/// Wordings of one question, the first as the others are held against.
struct Group {
    dataset: &'static str,
    wordings: Vec<&'static str>,
}

fn groups() -> Vec<Group> {
    let mut dataset = "";
    let mut groups: Vec<Group> = Vec::new();
    let mut begins = true;
    for line in WORDINGS.lines() {
        match line.strip_prefix("# ") {
            Some(name) => dataset = name,
            None if line.is_empty() => begins = true,
            None if begins => {
                groups.push(Group { dataset, wordings: vec![line] });
                begins = false;
            }
            None => groups.last_mut().unwrap().wordings.push(line),
        }
    }
    groups
}

/// Asks everything at once and gives the result of each, in their order.
#[track_caller]
fn asked(questions: &[(&str, String)]) -> Vec<Value> {
    let case = |(at, (dataset, question)): (usize, &(&str, String))| {
        format!("{}\n", json!({"id": at.to_string(), "dataset": dataset, "question": question}))
    };
    let place = Place::new();
    place.file("cases.jsonl", questions.iter().enumerate().map(case).collect::<String>());
    place.json(0, &["eval", "cases.jsonl", "--out", "results.jsonl"]);
    let results = fs::read_to_string(place.path("results.jsonl")).unwrap();
    let results: Vec<Value> = results.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(results.len(), questions.len());
    results
}

/// The first cells of each row, in no order: a wording may add a number as context, or turn a list around.
fn rows_of(result: &Value, width: usize) -> Vec<String> {
    let row = |row: &Value| format!("{:?}", &row.as_array().unwrap()[..width]);
    let mut rows: Vec<String> = result["rows"].as_array().unwrap().iter().map(row).collect();
    rows.sort();
    rows
}

/// What is different about two results of one question.
fn difference(one: &Value, other: &Value) -> Option<String> {
    for result in [one, other] {
        if result["status"] != "answered" {
            return Some(format!("{} is refused: {}", result["question"], result["message"]));
        }
    }
    let width = |result: &Value| result["columns"].as_array().unwrap().len();
    let shared = width(one).min(width(other));
    (rows_of(one, shared) != rows_of(other, shared)).then(|| {
        format!("{} is read as {}\n  {} as {}", one["question"], one["reading"], other["question"], other["reading"])
    })
}

#[test]
fn another_wording_gets_the_same_rows() {
    let groups = groups();
    let questions: Vec<(&str, String)> = groups
        .iter()
        .flat_map(|group| group.wordings.iter().map(|wording| (group.dataset, wording.to_string())))
        .collect();
    assert!(groups.len() >= 30 && questions.len() >= 120, "{} wordings in {} groups", questions.len(), groups.len());
    let mut results = asked(&questions).into_iter();
    let mut failures = Vec::new();
    for group in &groups {
        let results: Vec<Value> = results.by_ref().take(group.wordings.len()).collect();
        failures.extend(results[1..].iter().filter_map(|result| difference(&results[0], result)));
    }
    assert!(failures.is_empty(), "{} wordings change the result:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn case_punctuation_and_spaces_change_nothing() {
    type Dress = fn(&str) -> String;
    const DRESSES: &[Dress] = &[
        str::to_uppercase,
        str::to_lowercase,
        |question| format!("{}?", question.trim_end_matches('?')),
        |question| format!("{} ?!", question.trim_end_matches('?')),
        |question| question.trim_end_matches('?').to_string(),
        |question| format!("  {}.\n", question.trim_end_matches('?').replace(' ', "   ")),
        |question| format!("Please: {question}"),
    ];
    let groups = groups();
    let questions: Vec<(&str, String)> = groups
        .iter()
        .flat_map(|group| {
            let plain = group.wordings[0];
            let dressed = DRESSES.iter().map(move |dress| (group.dataset, dress(plain)));
            std::iter::once((group.dataset, plain.to_string())).chain(dressed)
        })
        .collect();
    let results = asked(&questions);
    let mut failures = Vec::new();
    for results in results.chunks(DRESSES.len() + 1) {
        for result in &results[1..] {
            if result["plan_hash"] != results[0]["plan_hash"] || result["plan_hash"].is_null() {
                failures.push(difference(&results[0], result).unwrap_or_else(|| format!("another plan: {result}")));
            }
        }
    }
    assert!(failures.is_empty(), "{} spellings change the plan:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn many_processes_at_once_say_the_same() {
    ask_at_once(24);
}

#[test]
fn very_many_processes_at_once_say_the_same() {
    if slow_is_wanted("very_many_processes_at_once_say_the_same") {
        ask_at_once(100);
    }
}

/// Each question so often, in eight processes at a time, each computed anew.
#[track_caller]
fn ask_at_once(times: usize) {
    let ask = |number: usize| {
        let (dataset, question) = ASKED_OFTEN[number % ASKED_OFTEN.len()];
        let mut answer = shared().json(0, &["ask", dataset, question, "--no-cache"]);
        assert_eq!(answer["cached"], false);
        assert!(answer["plan_hash"].is_string(), "{answer}");
        for own in ["run", "timing_ms"] {
            answer.as_object_mut().unwrap().remove(own);
        }
        (question, answer.to_string())
    };
    let all = times * ASKED_OFTEN.len();
    let lane = |lane: usize| (lane..all).step_by(PROCESSES).map(ask).collect::<Vec<_>>();
    let said: Vec<(&str, String)> = thread::scope(|scope| {
        let lanes: Vec<_> = (0..PROCESSES).map(|number| scope.spawn(move || lane(number))).collect();
        lanes.into_iter().flat_map(|lane| lane.join().expect("every question is answered")).collect()
    });
    let mut answers: BTreeMap<&str, BTreeMap<String, usize>> = BTreeMap::new();
    for (question, answer) in said {
        *answers.entry(question).or_default().entry(answer).or_default() += 1;
    }
    for (question, answers) in answers {
        assert_eq!(answers.values().sum::<usize>(), times, "{question}");
        assert_eq!(answers.len(), 1, "{question:?} has several answers: {answers:#?}");
    }
}
