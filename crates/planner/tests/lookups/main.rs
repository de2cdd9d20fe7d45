//! Lookups in small tables, read from `cases/lookups/*.md`, and learning the weights that order them.
//!
//! A case file has `# table` with rows of cells between bars below it, then `## question` lines.

mod table;

use std::fs;
use std::path::PathBuf;

use data::plan::Agg;
use planner::lookup::learn::{Course, Question, Truth};
use planner::{Index, Outcome, Weights, plan_with};

fn case_files() -> Vec<PathBuf> {
    let folder = std::env::current_dir().expect("tests run in their crate's folder").join("cases/lookups");
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .expect("the cases are there")
        .map(|entry| entry.expect("a readable entry").path())
        .collect();
    files.sort();
    files
}

/// Every best reading is a plan that the plan language accepts and that compiles.
#[test]
fn every_lookup_is_a_valid_plan() {
    for file in case_files() {
        let text = fs::read_to_string(&file).expect("a readable case file");
        let dataset = table::read(&text);
        let index = Index::new(&dataset);
        for question in text.lines().filter_map(|line| line.strip_prefix("## ")) {
            let readings = match plan_with(&index, question) {
                Outcome::Answer(answer) => [vec![answer.reading], answer.others].concat(),
                Outcome::Refusal(refusal) => refusal.best.into_iter().chain(refusal.others).collect(),
            };
            for reading in readings {
                let value = serde_json::to_value(&reading.plan).expect("a plan is plain data");
                assert!(data::plan::read(&value, &dataset).is_ok(), "{question:?} becomes an invalid plan\n{value}");
                assert!(data::compile::duckdb(&reading.plan, &dataset).is_ok(), "{question:?} does not compile");
            }
        }
    }
}

/// A word that means nothing, and a negation, must never be passed over by an answer.
#[test]
fn no_word_is_ignored_by_an_answer() {
    for file in case_files() {
        let text = fs::read_to_string(&file).expect("a readable case file");
        let index = Index::new(&table::read(&text));
        for question in text.lines().filter_map(|line| line.strip_prefix("## ")) {
            let Outcome::Answer(before) = plan_with(&index, question) else { continue };
            let words: Vec<&str> = question.split(' ').collect();
            for at in 0..=words.len() {
                for extra in ["zorblatt", "not", "17"] {
                    let mut changed = words.clone();
                    changed.insert(at, extra);
                    let changed = changed.join(" ");
                    if let Outcome::Answer(after) = plan_with(&index, &changed) {
                        assert_ne!(before.reading.plan, after.reading.plan, "{changed:?} reads like {question:?}");
                    }
                }
            }
        }
    }
}

/// What a question of the small course asks for: column, aggregate, column and value of its condition.
const COURSE: &[(&str, usize, Option<Agg>, usize, &str)] = &[
    ("What is the length of the Alder Bridge?", 2, None, 0, "Alder Bridge"),
    ("What river does the Corvin Bridge cross?", 1, None, 0, "Corvin Bridge"),
    ("Which bridge was opened in 1931?", 0, None, 3, "1931"),
    ("When was the Ostrow Bridge opened?", 3, None, 0, "Ostrow Bridge"),
    ("What is the average length of bridges over the river Tamsel?", 2, Some(Agg::Avg), 1, "Tamsel"),
    ("How many bridges cross the river Tamsel?", 0, Some(Agg::Count), 1, "Tamsel"),
    ("What is the highest length with the river Weide?", 2, Some(Agg::Max), 1, "Weide"),
    ("Name the type of the Linden Bridge", 4, None, 0, "Linden Bridge"),
    ("What is the total length of bridges of type arch?", 2, Some(Agg::Sum), 4, "arch"),
    ("Which type is the Corvin Bridge?", 4, None, 0, "Corvin Bridge"),
    ("What is the river of the bridge with a length of 212?", 1, None, 2, "212"),
    ("What was the bridge opened in 1975?", 0, None, 3, "1975"),
];

fn course(index: &Index) -> Course<'_> {
    // A feature counts only if enough questions have it, so each is asked of several tables alike.
    const TABLES: usize = 4;
    let question = |table: usize, (text, column, aggregate, on, value): &(&str, usize, Option<Agg>, usize, &str)| {
        let conditions = vec![(*on, '=', value.to_string())];
        Question {
            index,
            text: text.to_string(),
            truth: Truth { column: *column, aggregate: *aggregate, conditions },
            table,
        }
    };
    Course::new((0..TABLES).flat_map(|table| COURSE.iter().map(move |asked| question(table, asked))).collect())
}

#[test]
fn the_same_questions_teach_the_same_weights() {
    let text = fs::read_to_string(case_files().first().expect("a case file")).expect("a readable case file");
    let index = Index::new(&table::read(&text));
    let all: Vec<usize> = (0..course(&index).questions().len()).collect();
    let (first, second) = (course(&index).teach(&all), course(&index).teach(&all));
    assert!(first == second, "two lessons differ");
    let names: Vec<&str> = first.lines().filter_map(|line| line.split_once('\t')).map(|(name, _)| name).collect();
    assert!(names.is_sorted() && names.len() > 20, "{first}");
    let weights = Weights::parse(&first).expect("what was learned can be read");
    let judged = course(&index).judge(&all, &weights);
    let right = judged.iter().filter(|judged| judged.right).count();
    assert!(right * 5 >= judged.len() * 4, "only {right} of {} are understood", judged.len());
}
