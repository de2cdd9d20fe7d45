//! `cargo xtask bench loop`: one question from the shell with nothing resident, beside bare Python with pandas.
//!
//! Both are timed as whole processes, in turn, and each first in every second round. Both answers are compared in every
//! round: a time for a wrong answer is no measurement.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, bail, ensure};
use serde_json::Value;

use super::{load, median};
use crate::ci::BUILD;
use crate::workspace::{Workspace, exit_code, output};

const ROUNDS: usize = 20;
const RATIO_TO_REACH: f64 = 0.4;
const QUESTION: &str = "What are the top 10 products by revenue?";
const PROGRAM: &str = include_str!("top_products.py");
/// What `timing_ms` names.
const PHASES: &[&str] = &["plan", "execute", "verify", "total"];

/// A name and a number in each.
type Rows = Vec<(String, f64)>;

struct Round {
    assay_ms: f64,
    /// `PHASES` in their order, and last what the program itself does not see: the process's start and end.
    phases_ms: Vec<f64>,
    python_ms: f64,
}

/// Both commands, ready to be started.
struct Contest {
    assay: PathBuf,
    data_dir: PathBuf,
    python: PathBuf,
    packages: PathBuf,
    csv: PathBuf,
}

/// Measures and prints.
pub fn run(workspace: &Workspace) -> anyhow::Result<u8> {
    let code = exit_code(&mut workspace.cargo(BUILD))?;
    if code != 0 {
        return Ok(code);
    }
    let scratch = tempfile::tempdir().context("cannot make a folder for throw-away data")?;
    let contest = Contest::prepare(workspace.assay()?, scratch.path())?;
    println!("bench loop: `assay ask ecommerce \"{QUESTION}\" --json`, nothing resident, {ROUNDS} rounds");
    println!("assay:  {} (dev profile, as the README's commands build it)", contest.assay.display());
    println!("python: {} -s -c … (pandas of the same environment, outside the sandbox)", contest.python.display());
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    println!("machine: {cores} cores, load average {}; one warm-up of each, not counted\n", load());
    contest.round(0)?;
    println!("{}", heading());
    let mut rounds = Vec::new();
    for number in 1..=ROUNDS {
        let round = contest.round(number)?;
        println!("{}", row(&number.to_string(), &round));
        rounds.push(round);
    }
    let middle = middle_of(&rounds);
    println!("{}", row("p50", &middle));
    println!("\nboth gave the same ten rows in every round");
    let (assay, python) = (middle.assay_ms, middle.python_ms);
    let ratio = assay / python;
    let verdict = if ratio <= RATIO_TO_REACH { "reached" } else { "not reached" };
    println!("bench loop: p50 of {ROUNDS}: assay {assay:.1} ms, python {python:.1} ms, ratio {ratio:.2}");
    println!("bench loop: to reach: at most {RATIO_TO_REACH} ({verdict})");
    Ok(0)
}

impl Contest {
    fn prepare(assay: PathBuf, scratch: &Path) -> anyhow::Result<Contest> {
        let settings = output(Command::new(&assay).args(["config", "show", "--json"]))?;
        let settings: Value = serde_json::from_str(&settings)?;
        let setting = |name: &str| {
            let all = settings["settings"].as_array().map(Vec::as_slice).unwrap_or_default();
            all.iter().find(|setting| setting["name"] == name).and_then(|setting| setting["value"].as_str())
        };
        let data_dir = scratch.join("data");
        let csv = scratch.join("csv");
        output(Command::new(&assay).args(["doctor", "--quiet", "--data-dir"]).arg(&data_dir))?;
        output(Command::new(&assay).args(["data", "export", "ecommerce", "--to"]).arg(&csv))?;
        let environment = setting("env_dir").context("`assay config show` names no env_dir")?;
        let packages = newest_packages(Path::new(environment))?;
        let python = own_python(&packages).map_or_else(|| find_python(setting("python")), Ok)?;
        Ok(Contest { assay, data_dir, python, packages, csv })
    }

    fn round(&self, number: usize) -> anyhow::Result<Round> {
        let ((assay_ms, answer), (python_ms, expected)) = if number.is_multiple_of(2) {
            let python = self.time_python()?;
            (self.time_assay()?, python)
        } else {
            let assay = self.time_assay()?;
            (assay, self.time_python()?)
        };
        let answer: Value = serde_json::from_str(&answer)?;
        let expected = rows_of_python(&serde_json::from_str(&expected)?).context("Python printed something else")?;
        let rows = rows_of_answer(&answer).with_context(|| format!("no answer, but: {answer}"))?;
        ensure!(answer["cached"] == false, "the answer of round {number} came from a cache");
        if !same(&rows, &expected) {
            bail!("the answers of round {number} differ:\nassay  {rows:?}\npython {expected:?}");
        }
        let phase = |name: &&str| answer["timing_ms"][*name].as_f64().unwrap_or(f64::NAN);
        let mut phases_ms: Vec<f64> = PHASES.iter().map(phase).collect();
        phases_ms.push(assay_ms - phase(&"total"));
        Ok(Round { assay_ms, phases_ms, python_ms })
    }

    fn time_assay(&self) -> anyhow::Result<(f64, String)> {
        let mut command = Command::new(&self.assay);
        command.args(["ask", "ecommerce", QUESTION, "--json", "--no-cache", "--data-dir"]).arg(&self.data_dir);
        timed(command.env("ASSAY_BROKER", "off"))
    }

    fn time_python(&self) -> anyhow::Result<(f64, String)> {
        let mut command = Command::new(&self.python);
        command.args(["-s", "-c", PROGRAM]).arg(&self.csv);
        // The packages are compiled already; nothing may be written beside them.
        timed(command.env("PYTHONPATH", &self.packages).env("PYTHONDONTWRITEBYTECODE", "1"))
    }
}

fn timed(command: &mut Command) -> anyhow::Result<(f64, String)> {
    let begin = Instant::now();
    let said = output(command)?;
    Ok((begin.elapsed().as_secs_f64() * 1000.0, said))
}

/// Environments of older versions may lie beside the one in use, which was made last.
pub(super) fn newest_packages(environment: &Path) -> anyhow::Result<PathBuf> {
    let entries = std::fs::read_dir(environment).with_context(|| format!("cannot read `{}`", environment.display()))?;
    let sets = entries.filter_map(Result::ok).filter(|entry| {
        let name = entry.file_name();
        name.to_string_lossy().starts_with("core-") && entry.path().join("root/usr/lib/packages/pandas").is_dir()
    });
    let newest = sets.max_by_key(|entry| entry.metadata().and_then(|metadata| metadata.modified()).ok());
    let newest = newest.with_context(|| format!("no Python environment below `{}`", environment.display()))?;
    Ok(newest.path().join("root/usr/lib/packages"))
}

/// The interpreter of cells, if it starts outside of them too. Another one of the same version may be told by its
/// machine to import more at every start, and would make us look faster than we are.
pub(super) fn own_python(packages: &Path) -> Option<PathBuf> {
    let python = packages.parent()?.parent()?.join("bin/python3");
    output(Command::new(&python).args(["-c", "pass"])).ok().map(|_| python)
}

/// The interpreter itself: what is on the search path may be a script that looks for it, and would count as its time.
pub(super) fn find_python(setting: Option<&str>) -> anyhow::Result<PathBuf> {
    const FACTS: &str = "import sys; print(sys.version_info[:2] == (3, 11), sys.executable)";
    let candidates = setting.map_or_else(|| vec!["python3.11", "python3"], |python| vec![python]);
    let interpreter = |python: &&str| {
        let said = output(Command::new(python).args(["-s", "-c", FACTS])).ok()?;
        said.trim().strip_prefix("True ").map(PathBuf::from)
    };
    let found = candidates.iter().find_map(interpreter);
    found.context("no Python 3.11 found to compare with; name one with ASSAY_PYTHON")
}

/// The columns that answer the question.
fn rows_of_answer(answer: &Value) -> Option<Rows> {
    let columns = answer["table"]["columns"].as_array()?;
    let focus = answer["focus"].as_array()?;
    let place = |name: &Value| columns.iter().position(|column| column["name"] == *name);
    let [product, revenue] = [place(focus.first()?)?, place(focus.get(1)?)?];
    let rows = answer["table"]["rows"].as_array()?;
    rows.iter().map(|row| pair(&row[product], &row[revenue])).collect()
}

fn rows_of_python(printed: &Value) -> Option<Rows> {
    printed.as_array()?.iter().map(|row| pair(&row[0], &row[1])).collect()
}

fn pair(name: &Value, number: &Value) -> Option<(String, f64)> {
    let number = number.as_f64().or_else(|| number.as_str()?.parse().ok())?;
    Some((name.as_str()?.to_string(), number))
}

/// Equal but for the order in which floating-point numbers were added.
fn same(left: &Rows, right: &Rows) -> bool {
    const RELATIVE: f64 = 1e-9;
    let close = |(a, b): (&(String, f64), &(String, f64))| a.0 == b.0 && (a.1 - b.1).abs() <= RELATIVE * b.1.abs();
    left.len() == 10 && left.len() == right.len() && left.iter().zip(right).all(close)
}

fn heading() -> String {
    let phases: String = PHASES.iter().map(|phase| format!("{phase:>10}")).collect();
    format!("{:>5}{:>10}{phases}{:>10}{:>10}{:>8}", "round", "assay ms", "process", "python ms", "ratio")
}

fn row(label: &str, round: &Round) -> String {
    let phases: String = round.phases_ms.iter().map(|phase| format!("{phase:>10.1}")).collect();
    let ratio = round.assay_ms / round.python_ms;
    format!("{label:>5}{:>10.1}{phases}{:>10.1}{ratio:>8.2}", round.assay_ms, round.python_ms)
}

/// The p50 of each column on its own.
fn middle_of(rounds: &[Round]) -> Round {
    let of = |value: &dyn Fn(&Round) -> f64| median(rounds.iter().map(value).collect()).expect("there are rounds");
    Round {
        assay_ms: of(&|round| round.assay_ms),
        phases_ms: (0..=PHASES.len()).map(|place| of(&|round| round.phases_ms[place])).collect(),
        python_ms: of(&|round| round.python_ms),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_ten_equal_rows_are_the_same() {
        let answer = |factor: f64| {
            let rows: Vec<Value> = (0..10).map(|n| json!([n, format!("p{n}"), f64::from(n) * factor])).collect();
            let columns = json!([{"name": "product_id"}, {"name": "product"}, {"name": "revenue"}]);
            json!({"focus": ["product", "revenue"], "table": {"columns": columns, "rows": rows}})
        };
        let printed: Vec<Value> = (0..10).map(|n| json!([format!("p{n}"), f64::from(n) * 1.5])).collect();
        let expected = rows_of_python(&json!(printed)).expect("rows");
        assert!(same(&rows_of_answer(&answer(1.5)).expect("rows"), &expected));
        assert!(!same(&rows_of_answer(&answer(1.501)).expect("rows"), &expected));
        assert!(!same(&expected[..9].to_vec(), &expected[..9].to_vec()));
        assert_eq!(rows_of_answer(&json!({"status": "refused", "table": null, "focus": null})), None);
    }
}
