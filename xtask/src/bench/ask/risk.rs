//! The risk-coverage curve over WikiSQL: five times the weights are learned without a fifth of the tables, that fifth is
//! asked, and all answers together are ordered by how sure they are. Only figures leave this, never rows.

use std::collections::HashSet;
use std::fs;

use anyhow::Context;
use serde_json::Value;

use super::{Bench, curve};
use crate::{cases, train};

const FOLDS: usize = 5;
/// Below the workspace.
const PICTURE: &str = "docs/risk-coverage.svg";
/// Coverages that are printed, in percent.
const SHOWN: [usize; 6] = [10, 20, 40, 60, 80, 100];

/// One answer: how sure it is, whether it is right, whether `ask` would give it.
pub struct Judged {
    pub confidence: f64,
    pub right: bool,
    pub given: bool,
}

pub fn run(bench: &Bench) -> anyhow::Result<()> {
    let benchmarks = bench.workspace.root.join(cases::BENCHMARKS);
    if !benchmarks.join("wikisql").is_dir() {
        println!("\nrisk: not measured: WikiSQL is not here (`{}/wikisql`)", cases::BENCHMARKS);
        return Ok(());
    }
    let folder = bench.scratch.join("folds");
    let name = folder.to_str().context("a name is text")?;
    cases::run("wikisql", name, &benchmarks)?;
    train::run(bench.workspace, &["--folds", &FOLDS.to_string(), "--out", name])?;
    let all = fs::read_to_string(folder.join("cases.jsonl"))?;
    let mut judged = Vec::new();
    for fold in 0..FOLDS {
        let ids = fs::read_to_string(folder.join(format!("fold-{fold}.ids")))?;
        judged.extend(fold_of(bench, fold, &ids.lines().collect(), &all)?);
    }
    judged.sort_by(|one, other| other.confidence.total_cmp(&one.confidence));
    tell(&judged);
    let picture = bench.workspace.root.join(PICTURE);
    fs::create_dir_all(picture.parent().context("a folder")?)?;
    fs::write(&picture, curve::draw(&judged))?;
    println!("drawn: {PICTURE}");
    Ok(())
}

/// Asks what one fold holds back, with weights that never saw it.
fn fold_of(bench: &Bench, fold: usize, ids: &HashSet<&str>, all: &str) -> anyhow::Result<Vec<Judged>> {
    let mut held = String::new();
    for line in all.lines() {
        let case: Value = serde_json::from_str(line)?;
        if case["id"].as_str().is_some_and(|id| ids.contains(id)) {
            held += line;
            held.push('\n');
        }
    }
    fs::write(bench.scratch.join("folds/held.jsonl"), held)?;
    let weights = format!("folds/fold-{fold}.tsv");
    let flags =
        ["--tables", "folds/tables.jsonl", "--answer-all", "--weights", &weights, "--out", "folds/results.jsonl"];
    bench.say(&[&["eval", "folds/held.jsonl", "--json", "--quiet"][..], &flags[..]].concat())?;
    let results = fs::read_to_string(bench.scratch.join("folds/results.jsonl"))?;
    let one = |line: &str| -> anyhow::Result<Judged> {
        let result: Value = serde_json::from_str(line)?;
        let answered = result["status"] == "answered";
        Ok(Judged {
            confidence: if answered { result["confidence"].as_f64().unwrap_or_default() } else { -1.0 },
            right: result["right"] == true,
            given: answered && result["would_refuse"] == false,
        })
    };
    results.lines().map(one).collect()
}

/// The part that is right of those, from 0 to 1.
pub fn precision<'a>(judged: impl IntoIterator<Item = &'a Judged>) -> f64 {
    let (mut count, mut right) = (0_u32, 0_u32);
    for one in judged {
        count += 1;
        right += u32::from(one.right);
    }
    f64::from(right) / f64::from(count.max(1))
}

fn tell(judged: &[Judged]) {
    println!("\nrisk: {} questions of WikiSQL, each over a table its weights were not learned from", judged.len());
    for percent in SHOWN {
        let surest = &judged[..judged.len() * percent / 100];
        println!("  the surest {percent:>3} %: {:.1} % right", 100.0 * precision(surest));
    }
    let given: Vec<&Judged> = judged.iter().filter(|one| one.given).collect();
    let coverage = given.len() as f64 / judged.len().max(1) as f64;
    let right = precision(given.iter().copied());
    println!("  what `ask` gives: {:.1} %, of which {:.1} % is right", 100.0 * coverage, 100.0 * right);
}
