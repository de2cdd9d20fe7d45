//! `cargo xtask cases NAME OUT`: a public benchmark becomes files that `assay eval` takes. Its rows stay where they are;
//! nothing of them belongs into the project.

use std::path::Path;
use std::process::Command;

use anyhow::{bail, ensure};

use crate::workspace::exit_code;

/// Where benchmarks lie, from the root of the workspace.
pub const BENCHMARKS: &str = "../shared/data";
const MAKE: &str = include_str!("cases/make.py");
const NAMES: [&str; 4] = ["wikisql", "geoquery", "unanswerable", "dabench"];

/// Writes `OUT/cases.jsonl` and what the cases are about.
pub fn run(name: &str, out: &str, benchmarks: &Path) -> anyhow::Result<u8> {
    if !NAMES.contains(&name) {
        bail!("no benchmark is called `{name}`; there are: {}", NAMES.join(", "));
    }
    let from = benchmarks.join(name);
    ensure!(
        from.is_dir(),
        "the benchmark `{name}` is not at `{}`; fetch it and name the folder that holds it: \
         cargo xtask cases {name} OUT FROM",
        from.display()
    );
    let code = exit_code(Command::new("python3").args(["-c", MAKE, name]).arg(&from).arg(out))?;
    if code == 0 {
        let tables = if name == "wikisql" { format!(" --tables {out}/tables.jsonl") } else { String::new() };
        println!(
            "assay eval {out}/cases.jsonl{tables} --answer-all --out {out}/results.jsonl --html {out}/report.html"
        );
    }
    Ok(code)
}
