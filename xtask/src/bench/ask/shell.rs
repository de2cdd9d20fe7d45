//! A question from the shell, as a whole process: cold (nothing resident), warm (a broker with kernels that wait) and from
//! the cache; and where the time goes, as the answer itself says it.

use std::time::Instant;

use anyhow::{Context, ensure};
use serde_json::Value;

use super::Bench;
use crate::bench::table::{self, Measured};
use crate::workspace::output;

const ROUNDS: usize = 20;
const QUESTION: [&str; 2] = ["support", "What is the average resolution time by category?"];
/// What `timing_ms` names; what is left of the process's time is its start and end.
const PHASES: [&str; 4] = ["plan", "execute", "verify", "total"];

/// One way to ask.
struct Way {
    name: &'static str,
    broker: &'static str,
    flags: &'static [&'static str],
}

const WAYS: [Way; 3] = [
    Way { name: "cold", broker: "off", flags: &["--no-cache"] },
    Way { name: "warm", broker: "on", flags: &["--no-cache"] },
    Way { name: "cached", broker: "on", flags: &[] },
];

pub fn run(bench: &Bench) -> anyhow::Result<()> {
    println!("\nshell: `assay ask {} \"{}\" --json`, {ROUNDS} rounds, in turn", QUESTION[0], QUESTION[1]);
    let mut measured = Measured::default();
    let asked = rounds(bench, &mut measured);
    // Whatever happened: the broker that answered warm is ours and goes.
    let stopped = output(&mut bench.assay(&["sandbox", "stop"]));
    asked?;
    stopped.context("the broker cannot be stopped")?;
    table::print(&measured, &[]);
    Ok(())
}

fn rounds(bench: &Bench, measured: &mut Measured) -> anyhow::Result<()> {
    for round in 0..=ROUNDS {
        for way in &WAYS {
            let (took, answer) = way.ask(bench)?;
            ensure!(answer["status"] == "answered", "no answer: {answer}");
            // The first round reads the data, starts the broker and fills the cache.
            if round == 0 {
                continue;
            }
            ensure!(answer["cached"] == way.flags.is_empty(), "{} of round {round}: {}", way.name, answer["cached"]);
            measured.add_value(way.name, "whole process", "ms", took);
            for phase in PHASES {
                let time = answer["timing_ms"][phase].as_f64().with_context(|| format!("no time of {phase}"))?;
                measured.add_value(way.name, phase, "ms", time);
            }
        }
    }
    Ok(())
}

impl Way {
    fn ask(&self, bench: &Bench) -> anyhow::Result<(f64, Value)> {
        let mut command = bench.assay(&["ask", QUESTION[0], QUESTION[1], "--json"]);
        command.args(self.flags).env("ASSAY_BROKER", self.broker);
        let begun = Instant::now();
        let said = output(&mut command)?;
        let took = begun.elapsed().as_secs_f64() * 1000.0;
        Ok((took, serde_json::from_str(&said)?))
    }
}
