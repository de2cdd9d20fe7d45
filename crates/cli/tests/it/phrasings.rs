//! Questions by chance: random files, random plans, each asked in several phrasings, and what is right computed apart
//! from the program (`phrasings/*.py`, plain loops over the rows). A refusal is allowed, a wrong answer is not.

use std::fs;
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use crate::support::{Place, slow_is_wanted};

const SEED: u64 = 7;
/// Of a hundred questions, so many are answered at least: a program that refuses everything is never wrong.
const ANSWERED_MIN: usize = 70;
/// Of every kind of plan that was asked often enough to tell, so many of a hundred.
const ANSWERED_MIN_OF_KIND: usize = 15;
const OFTEN: usize = 20;
const FAILURES_SHOWN: usize = 20;
/// Files are read one after the other, each in a cell of its own.
const TIME_MAX: Duration = Duration::from_secs(3_600);

#[test]
fn a_question_over_an_unseen_file_is_answered_rightly_or_refused() {
    right_or_refused(SEED, 10, 300);
}

#[test]
fn many_questions_over_unseen_files_are_answered_rightly_or_refused() {
    if slow_is_wanted("many_questions_over_unseen_files_are_answered_rightly_or_refused") {
        right_or_refused(SEED + 1, 100, 5_000);
    }
}

#[track_caller]
fn right_or_refused(seed: u64, files: usize, questions: usize) {
    let place = Place::new();
    make(&place, [seed, files as u64, questions as u64]);
    let eval = place.assay(["eval", "cases.jsonl", "--out", "results.jsonl", "--json"]).time_max(TIME_MAX);
    let summary = eval.run().exits(0).document();
    assert_eq!((&summary["cases"], &summary["problems"]), (&questions.into(), &0.into()), "{summary}");
    let results = fs::read_to_string(place.path("results.jsonl")).unwrap();
    let results: Vec<Value> = results.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let answered: Vec<&Value> = results.iter().filter(|result| result["status"] == "answered").collect();
    let wrong: Vec<&&Value> = answered.iter().filter(|result| result["right"] != true).collect();
    let shown: String = wrong.iter().take(FAILURES_SHOWN).map(|result| told(&place, result)).collect();
    assert!(wrong.is_empty(), "seed {seed}: {} of {questions} answers are wrong\n{shown}", wrong.len());
    eprintln!("seed {seed}: {} of {questions} questions answered, all rightly", answered.len());
    assert!(answered.len() * 100 >= questions * ANSWERED_MIN, "only {} of {questions} are answered", answered.len());
    for (kind, asked, answered) in by_kind(&results) {
        let enough = asked < OFTEN || answered * 100 >= asked * ANSWERED_MIN_OF_KIND;
        assert!(enough, "`{kind}` proves nothing: {answered} of {asked} answered");
    }
}

/// Writes the files and the questions about them into the place.
#[track_caller]
fn make(place: &Place, numbers: [u64; 3]) {
    let script = std::env::current_dir().expect("tests run in their crate's folder").join("tests/it/phrasings/make.py");
    let mut python = Command::new("python3");
    python.arg(script).args(numbers.map(|number| number.to_string())).arg(place.path("."));
    let output = python.env("PYTHONDONTWRITEBYTECODE", "1").output().expect("python3 runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Each kind of plan, how often it was asked and how often answered.
fn by_kind(results: &[Value]) -> Vec<(String, usize, usize)> {
    let mut kinds: Vec<(String, usize, usize)> = Vec::new();
    for result in results {
        let kind = result["id"].as_str().unwrap().split(' ').next().unwrap();
        let at = kinds.iter().position(|(known, ..)| known == kind).unwrap_or_else(|| {
            kinds.push((kind.to_string(), 0, 0));
            kinds.len() - 1
        });
        kinds[at].1 += 1;
        kinds[at].2 += usize::from(result["status"] == "answered");
    }
    kinds
}

/// A wrong answer with all that is needed to ask again.
fn told(place: &Place, result: &Value) -> String {
    let cases = fs::read_to_string(place.path("cases.jsonl")).unwrap();
    let mut cases = cases.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let case = cases.find(|case| case["id"] == result["id"]).unwrap();
    let file = case["dataset"][0].as_str().unwrap();
    let head: Vec<String> = fs::read_to_string(place.path(file)).unwrap().lines().take(3).map(str::to_string).collect();
    format!(
        "{} of {file}: {}\n  {}\n  read as  {} ({})\n  expected {}\n  or       {}\n  got      {} {}\n",
        result["id"],
        case["question"],
        head.join("\n  "),
        result["reading"],
        result["known"],
        case["expect"]["rows"],
        case["expect"]["also"],
        result["columns"],
        result["rows"],
    )
}
