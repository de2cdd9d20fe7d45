//! What is said beside refusals, read from `cases/refusals/*.md`: `# dataset`, `## question`, and below it the reason and
//! the message, what was understood, the readings that are listed, the questions that are offered and the word that may
//! be a number of the owner's own. `ASSAY_BLESS=1` rewrites the expectations.

use std::fs;
use std::path::PathBuf;

use data::Dataset;
use data::describe::describe;
use planner::{Index, Outcome, plan_with, with_suggestions};

use crate::datasets;

fn told(index: &Index, dataset: &Dataset, question: &str) -> String {
    let refusal = match plan_with(index, question) {
        Outcome::Answer(answer) => return format!("answered: {}\n", describe(&answer.reading.plan, dataset)),
        Outcome::Refusal(refusal) => with_suggestions(index, question, refusal),
    };
    let mut text = format!("{}: {}\n", refusal.reason.as_str(), refusal.message);
    let understood: Vec<String> =
        refusal.understood.iter().map(|span| format!("`{}` {}", span.words, span.meaning)).collect();
    if !understood.is_empty() {
        text += &format!("understood: {}\n", understood.join(", "));
    }
    let listed = refusal.best.iter().chain(&refusal.others).filter(|_| !refusal.others.is_empty());
    // Those of words that are left aside are shown to nobody.
    for reading in listed.filter(|_| refusal.reason.as_str() == "ambiguous") {
        text += &format!("reading: {}\n", describe(&reading.plan, dataset));
    }
    refusal.suggestions.iter().for_each(|suggestion| text += &format!("try: {suggestion}\n"));
    refusal.number.iter().for_each(|word| text += &format!("number: {word}\n"));
    text
}

/// The text of one file with what is said now.
fn run(text: &str) -> String {
    let mut actual = String::new();
    let mut now: Option<(Dataset, Index)> = None;
    for block in text.split_inclusive('\n').filter(|line| line.starts_with('#')) {
        actual += if actual.is_empty() { "" } else { "\n" };
        actual += block;
        if let Some(name) = block.strip_prefix("# ") {
            let dataset = datasets::named(name.trim());
            now = Some((dataset.clone(), Index::new(&dataset)));
        }
        if let (Some(question), Some((dataset, index))) = (block.strip_prefix("## "), &now) {
            actual += &told(index, dataset, question.trim());
        }
    }
    actual
}

#[test]
fn every_refusal_says_what_it_should() {
    let folder = std::env::current_dir().expect("tests run in their crate's folder").join("cases/refusals");
    let files = fs::read_dir(folder).expect("the cases are there");
    let mut files: Vec<PathBuf> = files.map(|entry| entry.expect("a readable entry").path()).collect();
    files.sort();
    let mut wrong = Vec::new();
    for file in files {
        let expected = fs::read_to_string(&file).expect("a readable case file");
        let actual = run(&expected);
        if std::env::var_os("ASSAY_BLESS").is_some() {
            fs::write(&file, actual).expect("a writable case file");
        } else if actual != expected {
            let differing = actual.lines().zip(expected.lines()).find(|(actual, expected)| actual != expected);
            wrong.push(format!("{}: {differing:?}", file.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
