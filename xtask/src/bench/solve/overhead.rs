//! `cargo xtask bench solve --only overhead`: what a step of a loop costs beside the model, here and in LangGraph.
//!
//! Ten steps a run, each of which gives a text at once, as a model would that costs nothing; each is durable before the next
//! begins: here in the journal, there by its SQLite checkpointer. Both take turns, so that they meet the same load. Figures,
//! never a rule.

use std::process::Command;

use anyhow::Context;
use serde_json::Value;

use crate::bench::{load, median, python};
use crate::workspace::{Workspace, exit_code, output};

const ROUNDS: usize = 3;
const STEPS: usize = 10;
const REPLY_BYTES: usize = 500;
const RUNS: usize = 300;
const PEER_RUNS: usize = 60;
const GOAL: f64 = 18.0;
const BUILD: &[&str] = &["build", "--release", "--locked", "-p", "flow", "--example", "steps"];
/// The peer's loop: ten steps, a text each, a checkpoint after each.
const PEER: &str = "../shared/peers/langgraph_bench.py";
const PACKAGES: &[&str] = &["langgraph==1.2.22", "langgraph-checkpoint-sqlite==3.1.2"];
/// Of the peer's program only the loops that are compared.
const CALL: &str = "
import runpy, sys
program, runs, size = sys.argv[1:]
sys.argv = [program, runs, size]
loops = runpy.run_path(program, run_name='peer')
loops['baseline']()
loops['lg']('sqlite')";

/// What a step costs somebody.
#[derive(Debug, PartialEq)]
struct Step {
    cpu_ms: f64,
    kilobytes: f64,
}

/// Measures and prints; the numbers do not change the exit code.
pub fn run(workspace: &Workspace) -> anyhow::Result<u8> {
    let code = exit_code(&mut workspace.cargo(BUILD))?;
    if code != 0 {
        return Ok(code);
    }
    let target = workspace.target()?;
    let program = workspace.root.join(PEER);
    let peer = if program.is_file() {
        Some(python::provide_all(target, &PACKAGES[0].replace("==", "-"), PACKAGES)?)
    } else {
        println!("LangGraph: not measured: its loop is not here (`{PEER}`)");
        None
    };
    println!("bench solve, overhead: {STEPS} steps of {REPLY_BYTES} bytes a run, load average {}", load());
    if let Some(python) = &peer {
        println!("{}", python::versions(python, &["langgraph", "langgraph-checkpoint-sqlite"])?);
    }
    let mut all: Vec<(String, Step)> = Vec::new();
    for round in 1..=ROUNDS {
        let folder = tempfile::tempdir_in(target)?;
        let mut driver = Command::new(target.join("release/examples/steps"));
        driver.arg(folder.path()).args([1, RUNS, STEPS, REPLY_BYTES].map(|number| number.to_string()));
        let line: Value = serde_json::from_str(&output(&mut driver)?)?;
        all.push(("assay".to_string(), ours(&line).context("the driver said something else")?));
        if let Some(python) = &peer {
            let mut loops = Command::new(python);
            loops
                .args(["-s", "-c", CALL])
                .arg(&program)
                .args([PEER_RUNS, REPLY_BYTES].map(|number| number.to_string()));
            all.extend(output(&mut loops)?.lines().filter_map(theirs));
        }
        println!("round {round} of {ROUNDS} done, load average {}", load());
    }
    report(&all).iter().for_each(|line| println!("{line}"));
    Ok(0)
}

fn ours(line: &Value) -> Option<Step> {
    let cpu_ms = line["cpu_ms_per_run"].as_f64()? / STEPS as f64;
    Some(Step { cpu_ms, kilobytes: line["step_bytes"].as_f64()? / 1024.0 })
}

/// A line of the peer: JSON, and after it `db=…MB (…KB/step)`.
fn theirs(line: &str) -> Option<(String, Step)> {
    let end = line.rfind('}')? + 1;
    let told: Value = serde_json::from_str(&line[..end]).ok()?;
    let size = line[end..].split('(').nth(1)?.split("KB").next()?;
    Some((
        told["name"].as_str()?.to_string(),
        Step { cpu_ms: told["cpu_ms_step"].as_f64()?, kilobytes: size.parse().ok()? },
    ))
}

/// The medians of everybody, and how many times less ours is than the peer's.
fn report(all: &[(String, Step)]) -> Vec<String> {
    let mut names: Vec<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let middle = |name: &str, number: fn(&Step) -> f64| {
        median(all.iter().filter(|(whose, _)| whose == name).map(|(_, step)| number(step)).collect())
    };
    let cpu = |name: &str| middle(name, |step| step.cpu_ms);
    let mut lines: Vec<String> = names
        .iter()
        .filter_map(|name| {
            let kilobytes = middle(name, |step| step.kilobytes)?;
            Some(format!("{name:<40} {:>8.3} CPU ms a step {kilobytes:>8.1} KB a step", cpu(name)?))
        })
        .collect();
    let peer = names.iter().find(|name| name.starts_with("langgraph"));
    if let (Some(own), Some(other)) = (cpu("assay").filter(|own| *own > 0.0), peer.and_then(|name| cpu(name))) {
        let ratio = other / own;
        let verdict = if ratio >= GOAL { "reached" } else { "not reached" };
        lines.push(format!("a durable step: {ratio:.1} times less CPU than LangGraph, to reach {GOAL}: {verdict}"));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_the_peer_is_read_and_compared() {
        let line = "{\"name\": \"langgraph sqlite\", \"cpu_ms_step\": 1.8} db=6.6MB (6.6KB/step)";
        let (name, step) = theirs(line).expect("it is one");
        assert_eq!((name.as_str(), &step), ("langgraph sqlite", &Step { cpu_ms: 1.8, kilobytes: 6.6 }));
        assert_eq!(theirs("warning: something"), None);
        let own = ("assay".to_string(), Step { cpu_ms: 0.09, kilobytes: 1.0 });
        let lines = report(&[own, (name, step)]);
        assert!(
            lines.last().is_some_and(|line| line.contains("20.0 times less CPU") && line.ends_with(": reached")),
            "{lines:?}"
        );
    }
}
