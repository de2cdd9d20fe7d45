//! From words to a plan, beside NL4DV: the suite's questions over tables of one file, all that NL4DV can take.
//!
//! Only time is compared: NL4DV gives a chart for nearly anything, we refuse what we do not read. Its models cannot all be
//! had from a package index; what is missing is replaced by less work, and named, so that its time is a lower bound.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, ensure};
use serde_json::{Value, json};

use super::Bench;
use crate::bench::python;
use crate::bench::table::{self, Bound, Goal, Measured};
use crate::workspace::output;

const PEER_PACKAGE: &str = "nl4dv==4.2.0";
const PEER: &str = include_str!("nl4dv_peer.py");
const ROUNDS: usize = 3;
/// Datasets of the suite that are one table each.
const DATASETS: &[(&str, &str)] = &[("support", "tickets.csv"), ("sensors", "sensors.csv"), ("films", "films.csv")];
const GOALS: &[Goal] = &[Goal { case: "planning", ours: "assay", bound: Bound::TimesLess("nl4dv", 1.0) }];

/// Questions about one file.
struct Asked {
    file: PathBuf,
    questions: Vec<String>,
}

pub fn run(bench: &Bench) -> anyhow::Result<()> {
    let asked = prepare(bench)?;
    let count: usize = asked.iter().map(|asked| asked.questions.len()).sum();
    println!("\nplanning: {count} questions of the suite over {} files, {ROUNDS} rounds", asked.len());
    let peer = match python::provide(bench.workspace.target()?, PEER_PACKAGE) {
        Ok(python) => Some(python),
        Err(error) => {
            println!("nl4dv: not measured: {error:#}");
            None
        }
    };
    let mut measured = Measured::default();
    for round in 0..ROUNDS {
        for time in ours(bench, &asked)? {
            measured.add_value("planning", "assay", "ms", time);
        }
        let Some(python) = &peer else { continue };
        let told = theirs(python, &asked)?;
        for time in told["ms"].as_array().into_iter().flatten() {
            measured.add_value("planning", "nl4dv", "ms", time.as_f64().context("a time is a number")?);
        }
        if round == 0 {
            println!("nl4dv: {}", python::versions(python, &["nl4dv", "spacy", "nltk", "pandas"])?);
            println!("nl4dv: failed on {} of {count}; replaced by less: {}", told["failed"], told["replaced"]);
        }
    }
    table::print(&measured, GOALS);
    Ok(())
}

fn prepare(bench: &Bench) -> anyhow::Result<Vec<Asked>> {
    let suite = bench.workspace.root.join("suite");
    let data = bench.scratch.join("suite");
    output(Command::new("python3").arg(suite.join("make.py")).arg(&data))?;
    for built_in in ["support", "sensors"] {
        let folder = data.join(built_in);
        bench.say(&["data", "export", built_in, "--to", folder.to_str().context("a name is text")?])?;
    }
    let lines = fs::read_to_string(suite.join("questions.jsonl"))?;
    let all: Vec<Value> = lines.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    let asked = |(dataset, file): &(&str, &str)| {
        let questions = all.iter().filter(|one| one["dataset"] == *dataset);
        let questions = questions.filter_map(|one| one["question"].as_str()).map(str::to_string).collect();
        Asked { file: data.join(dataset).join(file), questions }
    };
    Ok(DATASETS.iter().map(asked).collect())
}

/// What planning each question took, as `assay eval` says; only the CSV is given, as to NL4DV.
fn ours(bench: &Bench, asked: &[Asked]) -> anyhow::Result<Vec<f64>> {
    let mut cases = String::new();
    for one in asked {
        for question in &one.questions {
            let number = cases.lines().count();
            cases += &format!("{}\n", json!({"id": number.to_string(), "dataset": [one.file], "question": question}));
        }
    }
    fs::write(bench.scratch.join("cases.jsonl"), &cases)?;
    bench.say(&["eval", "cases.jsonl", "--out", "results.jsonl", "--json", "--quiet"])?;
    let results = fs::read_to_string(bench.scratch.join("results.jsonl"))?;
    let time = |line: &str| -> anyhow::Result<f64> {
        let result: Value = serde_json::from_str(line)?;
        ensure!(result["status"] != "problem", "a case is no case: {result}");
        result["plan_ms"].as_f64().context("a result says how long planning took")
    };
    results.lines().map(time).collect()
}

fn theirs(python: &Path, asked: &[Asked]) -> anyhow::Result<Value> {
    let asked: Vec<Value> = asked.iter().map(|one| json!({ "file": one.file, "questions": one.questions })).collect();
    let mut command = Command::new(python);
    command.args(["-s", "-W", "ignore", "-c", PEER]).arg(json!(asked).to_string());
    let said = output(&mut command).context("NL4DV")?;
    let line = said.lines().last().context("NL4DV printed nothing")?;
    serde_json::from_str(line).with_context(|| format!("NL4DV printed something else: {line}"))
}
