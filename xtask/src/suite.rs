//! `cargo xtask suite`: the project's own questions, written by people who saw headers and ten rows, each with a pandas
//! snippet that computes what it should give.

use std::process::Command;

use crate::ci::BUILD;
use crate::workspace::{Workspace, exit_code};

/// Builds, asks everything and prints a line for each set.
pub fn run(workspace: &Workspace) -> anyhow::Result<u8> {
    let code = exit_code(&mut workspace.cargo(BUILD))?;
    if code != 0 {
        return Ok(code);
    }
    let script = workspace.root.join("suite/run.py");
    exit_code(Command::new("python3").arg(script).arg(workspace.assay()?))
}
