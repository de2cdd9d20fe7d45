//! Questions and what they must become, read from `cases/*.md`.
//!
//! A case file has a heading `# dataset`, then `## question` with the expected outcome in one line below it.
//! `ASSAY_BLESS=1` rewrites the expectations, which are then to be read one by one.

mod datasets;
mod follow;
mod refusals;
mod render;

use std::fs;
use std::path::PathBuf;

use planner::{Index, Outcome, plan_with, with_suggestions};

fn case_files() -> Vec<PathBuf> {
    let folder = std::env::current_dir().expect("tests run in their crate's folder").join("cases");
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .expect("the cases are there")
        .map(|entry| entry.expect("a readable entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .collect();
    files.sort();
    files
}

/// Runs one file; returns its text with actual outcomes and the cases that differ.
fn run(text: &str) -> (String, Vec<String>, usize) {
    let mut actual = String::new();
    let mut wrong = Vec::new();
    let mut count = 0;
    let mut index: Option<Index> = None;
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        actual.push_str(line);
        actual.push('\n');
        if let Some(name) = line.strip_prefix("# ") {
            index = Some(Index::new(&datasets::named(name)));
        }
        let Some(question) = line.strip_prefix("## ") else { continue };
        count += 1;
        let index = index.as_ref().expect("a dataset is named before the first question");
        let outcome = render::outcome(&plan_with(index, question));
        let expected = lines.next_if(|next| !next.starts_with('#') && !next.is_empty()).unwrap_or("");
        if expected != outcome {
            wrong.push(format!("{question}\n  expected {expected}\n  actual   {outcome}"));
        }
        actual.push_str(&outcome);
        actual.push('\n');
    }
    (actual, wrong, count)
}

#[test]
fn every_case_becomes_what_it_should() {
    let bless = std::env::var_os("ASSAY_BLESS").is_some();
    let mut wrong = Vec::new();
    let mut total = 0;
    for file in case_files() {
        let text = fs::read_to_string(&file).expect("a readable case file");
        let (actual, differing, count) = run(&text);
        total += count;
        if bless {
            // Other tests read the files at the same time: they must never see half of one.
            let draft = file.with_extension("tmp");
            fs::write(&draft, actual).expect("a writable case file");
            fs::rename(&draft, &file).expect("a replaceable case file");
        }
        wrong.extend(differing);
    }
    assert!(total >= 150, "only {total} cases");
    assert!(bless || wrong.is_empty(), "{} of {total} differ:\n\n{}", wrong.len(), wrong.join("\n\n"));
}

/// Every plan is one that the plan language accepts, that compiles, and whose focus names its own columns.
#[test]
fn every_plan_is_valid() {
    for file in case_files() {
        let text = fs::read_to_string(&file).expect("a readable case file");
        let name = text.lines().find_map(|line| line.strip_prefix("# ")).expect("a dataset");
        let dataset = datasets::named(name);
        let index = Index::new(&dataset);
        for question in text.lines().filter_map(|line| line.strip_prefix("## ")) {
            let Outcome::Answer(answer) = plan_with(&index, question) else { continue };
            for reading in answer.others.iter().chain([&answer.reading]) {
                let value = serde_json::to_value(&reading.plan).expect("a plan is plain data");
                if let Err(problems) = data::plan::read(&value, &dataset) {
                    panic!("{question:?} becomes an invalid plan: {problems:?}\n{value}");
                }
                data::compile::duckdb(&reading.plan, &dataset)
                    .unwrap_or_else(|problem| panic!("{question:?}: {problem:?}"));
                let plan = &reading.plan;
                let outputs = plan.select.iter().map(|item| &item.name).chain(plan.group.iter().map(|item| &item.name));
                let outputs = outputs.chain(plan.measures.iter().map(|item| &item.name));
                let outputs = outputs.chain(plan.compute.iter().map(|item| &item.name));
                let outputs: Vec<&String> = outputs.chain(plan.over.iter().map(|item| &item.name)).collect();
                assert!(!reading.focus.is_empty(), "{question:?} has no focus");
                assert!(reading.focus.iter().all(|name| outputs.contains(&name)), "{question:?} {:?}", reading.focus);
            }
        }
    }
}

/// Values that were prepared before, for a dataset that itself holds only the most frequent ones, read the same.
#[test]
fn prepared_values_give_the_same_readings() {
    const KEPT: usize = 200;
    let mut questions = 0;
    for file in case_files() {
        let text = fs::read_to_string(&file).expect("a readable case file");
        let name = text.lines().find_map(|line| line.strip_prefix("# ")).expect("a dataset");
        let mut dataset = datasets::named(name);
        let whole = Index::new(&dataset);
        for column in dataset.tables.iter_mut().flat_map(|table| &mut table.columns) {
            column.values_complete &= column.values.len() <= KEPT;
            column.values.truncate(KEPT);
        }
        let prepared = Index::with_values(&dataset, &whole.value_bytes()).expect("its own bytes");
        for question in text.lines().filter_map(|line| line.strip_prefix("## ")) {
            questions += 1;
            let (expected, found) = (plan_with(&whole, question), plan_with(&prepared, question));
            assert_eq!(expected, found, "{question:?}");
        }
    }
    assert!(questions >= 150, "only {questions} questions");
}

/// A suggestion must have an answer: it is shown beside a refusal as a way on.
#[test]
fn every_suggestion_is_answered() {
    for file in case_files() {
        let text = fs::read_to_string(&file).expect("a readable case file");
        let name = text.lines().find_map(|line| line.strip_prefix("# ")).expect("a dataset");
        let index = Index::new(&datasets::named(name));
        for question in text.lines().filter_map(|line| line.strip_prefix("## ")) {
            if let Outcome::Refusal(refusal) = plan_with(&index, question) {
                for suggestion in with_suggestions(&index, question, refusal).suggestions {
                    let answered = matches!(plan_with(&index, &suggestion), Outcome::Answer(_));
                    assert!(answered, "{question:?} suggests {suggestion:?}, which is refused");
                }
            }
        }
    }
}

/// Appending a word that means nothing must turn every answer into a refusal that names it.
#[test]
fn no_word_is_ignored() {
    for file in case_files() {
        let text = fs::read_to_string(&file).expect("a readable case file");
        let name = text.lines().find_map(|line| line.strip_prefix("# ")).expect("a dataset");
        let index = Index::new(&datasets::named(name));
        for question in text.lines().filter_map(|line| line.strip_prefix("## ")) {
            if let Outcome::Answer(_) = plan_with(&index, question) {
                let extended = format!("{question} zorblatt");
                let Outcome::Refusal(refusal) = plan_with(&index, &extended) else {
                    panic!("{extended:?} is answered")
                };
                assert!(refusal.words.iter().any(|word| word == "zorblatt"), "{extended:?}: {:?}", refusal.words);
            }
        }
    }
}

/// A number or a negation that a question gains must change the plan or refuse it, never be passed over.
#[test]
fn no_number_and_no_negation_is_ignored() {
    for file in case_files() {
        let text = fs::read_to_string(&file).expect("a readable case file");
        let name = text.lines().find_map(|line| line.strip_prefix("# ")).expect("a dataset");
        let index = Index::new(&datasets::named(name));
        for question in text.lines().filter_map(|line| line.strip_prefix("## ")) {
            let Outcome::Answer(before) = plan_with(&index, question) else { continue };
            let words: Vec<&str> = question.split(' ').collect();
            for at in 0..=words.len() {
                for extra in ["not", "17"] {
                    let mut changed = words.clone();
                    changed.insert(at, extra);
                    let changed = changed.join(" ");
                    if let Outcome::Answer(after) = plan_with(&index, &changed) {
                        assert_ne!(
                            before.reading.plan, after.reading.plan,
                            "{changed:?} reads like {question:?} {:?}",
                            after.reading.assumptions
                        );
                    }
                }
            }
        }
    }
}
