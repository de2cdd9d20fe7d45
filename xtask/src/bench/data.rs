//! `cargo xtask bench data`: a file of ten million rows is read once and asked about, beside DuckDB and pandas.
//!
//! Every command is a whole process, from the shell; the rounds are interleaved, and the answers of all are compared.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, ensure};
use serde_json::Value;

use super::ask_loop::{find_python, newest_packages, own_python};
use super::load;
use super::table::{self, Bound, Goal, Measured};
use crate::workspace::{Workspace, exit_code, output};

const BUILD: &[&str] =
    &["build", "--release", "--locked", "-p", "cli", "-p", "xtask", "--bin", "assay", "--example", "policy"];
const MAKE_ROWS: &str = include_str!("data/make_rows.py");
const MEASURED: &str = include_str!("data/measured.py");
const PEER: &str = include_str!("data/peer.py");
const ROWS: &str = "10000000";
const ROUNDS: usize = 3;
const QUESTIONS: usize = 15;
const QUESTION: &str = "What is the total revenue by region?";
/// Read in every round would take longer than everything else together.
const PANDAS_ROUNDS: usize = 2;

const GOALS: &[Goal] = &[
    Goal { case: "read 500 MB", ours: "assay data add", bound: Bound::AtMostTimes("duckdb", 1.3) },
    Goal {
        case: "question",
        ours: "assay resident",
        bound: Bound::AtMostTimesAndMore("duckdb, connect and query", 1.2, 40.0),
    },
    Goal { case: "question", ours: "assay resident", bound: Bound::TimesLess("pandas from CSV", 20.0) },
];

/// Everything that is needed to start anyone.
struct Contest {
    assay: PathBuf,
    python: PathBuf,
    packages: PathBuf,
    csv: PathBuf,
    scratch: PathBuf,
}

/// What one process took, and what it printed.
struct Took {
    ms: f64,
    peak_mb: f64,
    printed: Value,
}

/// Measures and prints; the numbers do not change the exit code.
pub fn run(workspace: &Workspace) -> anyhow::Result<u8> {
    let code = exit_code(&mut workspace.cargo(BUILD))?;
    if code != 0 {
        return Ok(code);
    }
    let target = workspace.target()?;
    let scratch = tempfile::Builder::new().prefix("bench-").tempdir_in(target)?;
    let contest = Contest::prepare(target, scratch.path())?;
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    println!("machine: {cores} cores, load average {}", load());
    let mut measured = Measured::default();
    let expected = contest.reading(&mut measured)?;
    contest.asking(&mut measured, &expected)?;
    contest.policy(&mut measured, Path::new(target))?;
    table::print(&measured, GOALS);
    println!("load average at the end: {}", load());
    Ok(0)
}

impl Contest {
    fn prepare(target: &Path, scratch: &Path) -> anyhow::Result<Contest> {
        let assay = target.join("release/assay");
        let settings: Value = serde_json::from_str(&output(Command::new(&assay).args(["config", "show", "--json"]))?)?;
        let mut settings = settings["settings"].as_array().into_iter().flatten();
        let environment = settings.find(|setting| setting["name"] == "env_dir");
        let environment = environment.and_then(|setting| setting["value"].as_str());
        let environment = environment.context("`assay config show` names no env_dir")?;
        output(Command::new(&assay).args(["doctor", "--quiet", "--data-dir"]).arg(scratch.join("doctor")))?;
        let packages = newest_packages(Path::new(environment))?;
        let python = own_python(&packages).map_or_else(|| find_python(None), Ok)?;
        let folder = target.join("bench/data");
        fs::create_dir_all(&folder)?;
        let contest = Contest { assay, python, packages, csv: folder.join("rows.csv"), scratch: scratch.to_path_buf() };
        if !contest.csv.is_file() {
            let part = folder.join("rows.part");
            output(contest.python(MAKE_ROWS).arg(&part).arg(ROWS))?;
            fs::rename(part, &contest.csv)?;
        }
        println!("{ROWS} rows, {:.0} MB", fs::metadata(&contest.csv)?.len() as f64 / 1e6);
        Ok(contest)
    }

    fn python(&self, program: &str) -> Command {
        let mut command = Command::new(&self.python);
        command.args(["-c", program]).env("PYTHONPATH", &self.packages).env("PYTHONDONTWRITEBYTECODE", "1");
        command
    }

    /// Reads the file with each, anew in every round. Gives what the question must come to.
    fn reading(&self, measured: &mut Measured) -> anyhow::Result<Value> {
        let mut expected = Value::Null;
        for round in 1..=ROUNDS {
            println!("reading, round {round} of {ROUNDS}");
            let data = self.data();
            let _ = fs::remove_dir_all(&data);
            let ours = self.assay(&["data", "add"], |command| {
                command.arg(&self.csv).args(["--name", "rows"]);
            })?;
            keep(measured, "read 500 MB", "assay data add", &ours);
            let _ = fs::remove_file(self.database());
            keep(measured, "read 500 MB", "duckdb", &self.peer("read")?);
            if round <= PANDAS_ROUNDS {
                let pandas = self.peer("pandas")?;
                expected = pandas.printed["rows"].clone();
                let read = pandas.printed["ms"]["read"].as_f64().context("no time")?;
                measured.add_value("read 500 MB", "pandas", "ms", read);
                measured.add_value("peak", "pandas, read 500 MB", "MB", pandas.peak_mb);
                measured.add_value("question", "pandas from CSV", "ms", pandas.ms);
            }
        }
        Ok(expected)
    }

    fn asking(&self, measured: &mut Measured, expected: &Value) -> anyhow::Result<()> {
        println!("asking `{QUESTION}`, {QUESTIONS} rounds, the broker resident");
        // The first starts the broker, which needs a moment to fill its pool.
        self.ask()?;
        std::thread::sleep(std::time::Duration::from_secs(6));
        for _ in 0..QUESTIONS {
            let ours = self.ask()?;
            ensure!(same(&ours.printed["table"]["rows"], expected), "another answer: {}", ours.printed["table"]);
            measured.add_value("question", "assay resident", "ms", ours.ms);
            for phase in ["plan", "execute", "verify"] {
                let ms = ours.printed["timing_ms"][phase].as_f64().unwrap_or(f64::NAN);
                measured.add_value("question", &format!("· timing_ms.{phase}"), "ms", ms);
            }
            let peer = self.peer("ask")?;
            ensure!(same(&peer.printed["rows"], expected), "duckdb gives another answer");
            measured.add_value("question", "duckdb, whole process", "ms", peer.ms);
            let inner = peer.printed["ms"]["whole"].as_f64().context("no time")?;
            measured.add_value("question", "duckdb, connect and query", "ms", inner);
        }
        output(Command::new(&self.assay).args(["sandbox", "stop", "--data-dir"]).arg(self.data())).map(drop)
    }

    /// Parse and check of a typical statement, by a program that is linked with the guard.
    fn policy(&self, measured: &mut Measured, target: &Path) -> anyhow::Result<()> {
        let environment = self.packages.ancestors().nth(5).context("the packages lie elsewhere")?;
        let said = output(Command::new(target.join("release/examples/policy")).arg(&self.assay).arg(environment))?;
        for line in said.lines() {
            measured.add(&serde_json::from_str(line)?)?;
        }
        Ok(())
    }

    fn ask(&self) -> anyhow::Result<Took> {
        let took = self.assay(&["ask", "rows", QUESTION, "--json", "--no-cache"], |_| {})?;
        ensure!(took.printed["status"] == "answered", "no answer, but: {}", took.printed);
        Ok(took)
    }

    fn assay(&self, words: &[&str], add: impl Fn(&mut Command)) -> anyhow::Result<Took> {
        let mut command = self.python(MEASURED);
        command.arg(&self.assay).args(words);
        add(&mut command);
        command.args(["--quiet", "--data-dir"]).arg(self.data());
        if !words.contains(&"--json") {
            command.arg("--json");
        }
        took(&mut command)
    }

    fn peer(&self, what: &str) -> anyhow::Result<Took> {
        let mut command = self.python(MEASURED);
        took(command.arg(&self.python).args(["-c", PEER, what]).arg(&self.csv).arg(self.database()))
    }

    fn data(&self) -> PathBuf {
        self.scratch.join("data")
    }

    fn database(&self) -> PathBuf {
        self.scratch.join("peer.duckdb")
    }
}

fn keep(measured: &mut Measured, case: &str, who: &str, took: &Took) {
    measured.add_value(case, who, "ms", took.ms);
    measured.add_value("peak", &format!("{who}, {case}"), "MB", took.peak_mb);
}

fn took(command: &mut Command) -> anyhow::Result<Took> {
    let said: Value = serde_json::from_str(&output(command)?)?;
    let number = |name: &str| said[name].as_f64().with_context(|| format!("no `{name}` in {said}"));
    let printed = said["stdout"].as_str().and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
    Ok(Took { ms: number("ms")?, peak_mb: number("peak_bytes")? / 1e6, printed })
}

/// Whether two tables of names and numbers are equal but for their order and the last digits.
fn same(rows: &Value, expected: &Value) -> bool {
    let pairs = |rows: &Value| -> Option<Vec<(String, f64)>> {
        let number = |cell: &Value| cell.as_f64().or_else(|| cell.as_str()?.parse().ok());
        let pair = |row: &Value| Some((row[0].as_str()?.to_string(), number(&row[1])?));
        let mut pairs = rows.as_array()?.iter().map(pair).collect::<Option<Vec<_>>>()?;
        pairs.sort_by(|left, right| left.0.cmp(&right.0));
        Some(pairs)
    };
    let (Some(left), Some(right)) = (pairs(rows), pairs(expected)) else { return false };
    let close = |(a, b): (&(String, f64), &(String, f64))| a.0 == b.0 && (a.1 - b.1).abs() <= 1e-9 * b.1.abs();
    !left.is_empty() && left.len() == right.len() && left.iter().zip(&right).all(close)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::same;

    #[test]
    fn order_and_spelling_of_numbers_make_no_difference() {
        let expected = json!([["a", 1.5], ["b", 2.0]]);
        assert!(same(&json!([["b", "2.00"], ["a", 1.5]]), &expected));
        assert!(!same(&json!([["b", "2.01"], ["a", 1.5]]), &expected));
        assert!(!same(&json!([]), &json!([])));
    }
}
