//! `cargo xtask guard`: what the policy for SQL has of the engine, asked of the engine anew: the functions it may allow,
//! and how it parses the statements of the cases.

use std::fs;
use std::process::Command;

use anyhow::Context;

use crate::ci::BUILD;
use crate::workspace::{Workspace, exit_code, output};

/// What is written, the script that prints it, and what the script reads, all below the workspace.
const PRINTED: [(&str, &str, &[&str]); 2] = [
    ("crates/guard/src/sql/functions.txt", "crates/guard/src/sql/functions.py", &[]),
    (
        "crates/guard/cases/sql.trees.jsonl",
        "crates/guard/cases/trees.py",
        &[
            "crates/guard/cases/sql.md",
            "crates/data/kernel/sql.py",
            "crates/data/kernel/cells.py",
            "crates/sandbox/kernel/wire.py",
        ],
    ),
];

/// Builds and prints; a file is replaced only by what a script printed to its end.
pub fn run(workspace: &Workspace) -> anyhow::Result<u8> {
    let code = exit_code(&mut workspace.cargo(BUILD))?;
    if code != 0 {
        return Ok(code);
    }
    let scratch = tempfile::tempdir().context("cannot make a folder for throw-away data")?;
    let assay = workspace.assay()?;
    for (target, script, inputs) in PRINTED {
        let mut command = Command::new(&assay);
        command.current_dir(&workspace.root).args(["sandbox", "run", script, "--data-dir"]).arg(scratch.path());
        command.args(inputs.iter().flat_map(|input| ["--input", input]));
        let printed = output(&mut command)?;
        fs::write(workspace.root.join(target), printed).with_context(|| format!("cannot write {target}"))?;
        println!("printed: {target}");
    }
    Ok(0)
}
