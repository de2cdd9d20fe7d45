//! `cargo xtask bench ask`: what a question costs and how far an answer can be trusted.
//!
//! `planning` is the time from words to a plan, beside NL4DV on the same questions; `shell` a whole command, cold, warm
//! and from the cache, and where its time goes; `risk` how much is right if only the surest part is answered, on tables
//! that the weights were not learned from; `ablation` what each group of features is worth.

mod curve;
mod planning;
mod risk;
mod shell;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};

use super::load;
use crate::ci::BUILD;
use crate::train;
use crate::workspace::{Workspace, exit_code, output};

/// The program and a place of its own to work in.
struct Bench<'a> {
    workspace: &'a Workspace,
    assay: PathBuf,
    scratch: &'a Path,
}

/// Measures these parts and prints.
pub fn run(workspace: &Workspace, parts: &[&str]) -> anyhow::Result<u8> {
    let code = exit_code(&mut workspace.cargo(BUILD))?;
    if code != 0 {
        return Ok(code);
    }
    let scratch = tempfile::tempdir().context("cannot make a folder for throw-away data")?;
    let bench = Bench { workspace, assay: workspace.assay()?, scratch: scratch.path() };
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    println!("bench ask: {} (dev profile)", bench.assay.display());
    println!("machine: {cores} cores, load average {}", load());
    for part in parts {
        match *part {
            "planning" => planning::run(&bench)?,
            "shell" => shell::run(&bench)?,
            "risk" => risk::run(&bench)?,
            "ablation" => drop(train::run(workspace, &["--ablate"])?),
            other => bail!("`{other}` is no part: there are planning, shell, risk and ablation"),
        }
    }
    Ok(0)
}

impl Bench<'_> {
    /// The program with a data directory of its own.
    fn assay(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.assay);
        command.args(arguments).arg("--data-dir").arg(self.scratch.join("data")).current_dir(self.scratch);
        command
    }

    /// The same, to its end; nothing is left behind.
    fn say(&self, arguments: &[&str]) -> anyhow::Result<String> {
        output(self.assay(arguments).env("ASSAY_BROKER", "off"))
    }
}
