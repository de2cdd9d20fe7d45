//! `cargo xtask bench sandbox`: what isolation costs here, beside bare Python, bubblewrap and a process that is already
//! open.
//!
//! A driver takes every contestant in turn, round after round, checks what each came to, and prints one JSON line for
//! each time it took. This side prepares, starts it, and makes percentiles and ratios of the lines.

mod bubblewrap;

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use anyhow::{Context, bail};
use serde_json::{Value, json};

use super::ask_loop::{find_python, newest_packages, own_python};
use super::load;
use super::table::{self, Bound, Goal, Measured};
use crate::workspace::{Workspace, exit_code, output};

const BUILD: &[&str] =
    &["build", "--release", "--locked", "-p", "cli", "-p", "xtask", "--bin", "assay", "--example", "sandbox"];
/// Below the folder that the workspace lies in.
const TASKS: &str = "shared/data/humaneval/HumanEval.jsonl.gz";

/// What is to be reached, at p50.
const GOALS: &[Goal] = &[
    Goal { case: "cold pass", ours: "assay cold", bound: Bound::Below("bubblewrap") },
    Goal { case: "pandas sum", ours: "assay warm", bound: Bound::TimesLess("bare python", 300.0) },
    Goal { case: "query, 10 M rows", ours: "assay warm", bound: Bound::AtMostTimes("open process, 1 thread", 1.5) },
    Goal { case: "matplotlib PNG", ours: "assay warm", bound: Bound::TimesLess("bare python", 15.0) },
    Goal { case: "runs/s, pass", ours: "assay warm, 4 clients", bound: Bound::AtLeast(100.0) },
    Goal { case: "runs/s, pass", ours: "assay warm, 8 clients", bound: Bound::AtLeast(100.0) },
    Goal { case: "runs/s, pandas sum", ours: "assay warm, 4 clients", bound: Bound::AtLeast(100.0) },
    Goal { case: "runs/s, pandas sum", ours: "assay warm, 8 clients", bound: Bound::AtLeast(100.0) },
    Goal { case: "HumanEval, whole", ours: "assay warm", bound: Bound::Below("bare python") },
    Goal { case: "ask", ours: "assay resident", bound: Bound::TimesLess("bare python import pandas", 15.0) },
];

/// How long to measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// Enough for percentiles.
    Full,
    /// Enough to see that everything runs.
    Quick,
}

/// Measures everything, or one part, and prints; the numbers do not change the exit code.
pub fn run(workspace: &Workspace, length: Length, only: Option<&str>) -> anyhow::Result<u8> {
    let code = exit_code(&mut workspace.cargo(BUILD))?;
    if code != 0 {
        return Ok(code);
    }
    let target = workspace.target()?;
    let scratch = tempfile::Builder::new().prefix("bench-").tempdir_in(target);
    let scratch = scratch.with_context(|| format!("cannot make a folder in `{}`", target.display()))?;
    let mut setup = prepare(workspace, target, scratch.path(), length)?;
    setup["only"] = only.into();
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    println!("machine: {cores} cores, load average {}; every contestant is warmed up first, not counted", load());
    let (measured, ended) = drive(&target.join("release/examples/sandbox"), &setup)?;
    table::print(&measured, GOALS);
    println!("load average at the end: {}", load());
    if !ended.success() {
        bail!("the driver failed ({ended}); what stands above is what it had measured until then");
    }
    Ok(0)
}

/// Everything the driver has to know.
fn prepare(workspace: &Workspace, target: &Path, scratch: &Path, length: Length) -> anyhow::Result<Value> {
    let assay = target.join("release/assay");
    let settings = output(Command::new(&assay).args(["config", "show", "--json"]))?;
    let settings: Value = serde_json::from_str(&settings)?;
    let setting = |name: &str| {
        let mut all = settings["settings"].as_array().into_iter().flatten();
        all.find(|setting| setting["name"] == name).and_then(|setting| setting["value"].as_str())
    };
    let environment = PathBuf::from(setting("env_dir").context("`assay config show` names no env_dir")?);
    output(Command::new(&assay).args(["doctor", "--quiet", "--data-dir"]).arg(scratch.join("data")))?;
    let packages = newest_packages(&environment)?;
    let python = own_python(&packages).map_or_else(|| find_python(setting("python")), Ok)?;
    println!("bench sandbox: {} (release profile)", assay.display());
    println!("bare python: {}, outside the sandbox, with the packages of cells", python.display());
    let bubblewrap = bubblewrap::provide(target)?;
    if let Some((program, version)) = &bubblewrap {
        println!("bubblewrap: {version} ({})", program.display());
    }
    let tasks = workspace.root.parent().map(|folder| folder.join(TASKS)).filter(|file| file.is_file());
    Ok(json!({
        "assay": assay,
        "environment": environment,
        "packages": packages,
        "python": python,
        "bubblewrap": bubblewrap.map(|(program, _)| program),
        "tasks": tasks,
        "scratch": scratch,
        "quick": length == Length::Quick,
    }))
}

/// Runs the driver to its end; what it measured is kept however it ended.
fn drive(driver: &Path, setup: &Value) -> anyhow::Result<(Measured, ExitStatus)> {
    let mut process = Command::new(driver)
        .arg(setup.to_string())
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start `{}`", driver.display()))?;
    let lines = BufReader::new(process.stdout.take().expect("stdout was piped above")).lines();
    let mut measured = Measured::default();
    for line in lines {
        let line = line.context("cannot read what the driver says")?;
        let said: Value = serde_json::from_str(&line).with_context(|| format!("the driver said `{line}`"))?;
        match said["note"].as_str() {
            Some(note) => println!("{note}"),
            None => measured.add(&said).with_context(|| format!("the driver said `{line}`"))?,
        }
    }
    Ok((measured, process.wait()?))
}
