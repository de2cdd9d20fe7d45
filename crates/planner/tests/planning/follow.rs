//! Continuations and what they must become, read from `cases/follow/*.md`: `# dataset`, `## question`, and below it
//! `### continuation` with the expected outcome in one line. `ASSAY_BLESS=1` rewrites the expectations.

use std::fs;
use std::path::PathBuf;

use planner::{Index, Outcome, Previous, plan_after, plan_with};

use crate::{datasets, render};

fn case_files() -> Vec<PathBuf> {
    let folder = std::env::current_dir().expect("tests run in their crate's folder").join("cases/follow");
    let entries = fs::read_dir(folder).expect("the cases are there");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("a readable entry").path()).collect();
    files.sort();
    files
}

/// What is continued: the answer to a question.
fn previous(index: &Index, question: &str) -> Previous {
    let Outcome::Answer(answer) = plan_with(index, question) else { panic!("{question:?} is refused") };
    let reading = answer.reading;
    Previous {
        question: question.to_string(),
        plan: reading.plan,
        focus: reading.focus,
        assumptions: reading.assumptions,
        ambiguous: reading.ambiguous,
    }
}

fn run(text: &str, mut each: impl FnMut(&Index, &Previous, &str, &str) -> String) -> String {
    let mut actual = String::new();
    let (mut index, mut before) = (None, None);
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        actual += &format!("{line}\n");
        if let Some(name) = line.strip_prefix("# ") {
            index = Some(Index::new(&datasets::named(name)));
        }
        let index = index.as_ref().expect("a dataset is named first");
        if let Some(question) = line.strip_prefix("## ") {
            before = Some(previous(index, question));
        }
        let Some(words) = line.strip_prefix("### ") else { continue };
        let expected = lines.next_if(|next| !next.starts_with('#') && !next.is_empty()).unwrap_or("");
        actual += &each(index, before.as_ref().expect("something is continued"), words, expected);
        actual.push('\n');
    }
    actual
}

fn outcome(index: &Index, before: &Previous, words: &str) -> String {
    let outcome = plan_after(index, before, words);
    let chart = match &outcome {
        Outcome::Answer(answer) => answer.reading.chart.map(|wish| format!(" as {wish:?}").to_lowercase()),
        Outcome::Refusal(_) => None,
    };
    render::outcome(&outcome) + &chart.unwrap_or_default()
}

#[test]
fn every_continuation_becomes_what_it_should() {
    let bless = std::env::var_os("ASSAY_BLESS").is_some();
    let (mut wrong, mut total) = (Vec::new(), 0);
    for file in case_files() {
        let text = fs::read_to_string(&file).expect("a readable case file");
        let actual = run(&text, |index, before, words, expected| {
            total += 1;
            let outcome = outcome(index, before, words);
            if expected != outcome {
                wrong.push(format!(
                    "{:?}, then {words:?}\n  expected {expected}\n  actual   {outcome}",
                    before.question
                ));
            }
            outcome
        });
        if bless {
            fs::write(&file, actual).expect("a writable case file");
        }
    }
    assert!(total >= 30, "only {total} cases");
    assert!(bless || wrong.is_empty(), "{} of {total} differ:\n\n{}", wrong.len(), wrong.join("\n\n"));
}

/// A word that means nothing must never be passed over, and every plan must compile.
#[test]
fn no_word_of_a_continuation_is_ignored() {
    for file in case_files() {
        let text = fs::read_to_string(&file).expect("a readable case file");
        run(&text, |index, before, words, _| {
            let followed = plan_after(index, before, &format!("{words} zorblatt"));
            assert!(matches!(followed, Outcome::Refusal(_)), "{words:?} zorblatt, after {:?}", before.question);
            String::new()
        });
    }
}

/// What stands alone is not changed by what was asked before.
#[test]
fn a_whole_question_stands_on_its_own() {
    let index = Index::new(&datasets::named("ecommerce"));
    let before = previous(&index, "revenue by month");
    for question in ["how many orders are there", "What are the top 10 products by revenue?", "total stock by category"]
    {
        assert_eq!(plan_after(&index, &before, question), plan_with(&index, question), "{question:?}");
    }
}
