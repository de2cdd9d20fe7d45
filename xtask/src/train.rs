//! `cargo xtask train`: learns the weights that the planner orders lookups by.
//!
//! The driver is an example, because only examples know the product. Without options it writes the weights that are
//! committed; the same questions give the same file, byte for byte.

use std::process::Command;

use anyhow::Context;

use crate::workspace::{Workspace, exit_code};

const BUILD: &[&str] = &["build", "--locked", "-p", "xtask", "--example", "train"];
/// Below the folder that the workspace lies in.
const QUESTIONS: &str = "shared/data/wikisql";
/// Below the workspace.
const WEIGHTS: &str = "crates/planner/src/lookup/weights.tsv";

/// Learns from the questions at hand; says so where there are none.
pub fn run(workspace: &Workspace, options: &[&str]) -> anyhow::Result<u8> {
    let around = workspace.root.parent().context("the workspace lies in no folder")?;
    let questions = around.join(QUESTIONS);
    if !questions.is_dir() {
        eprintln!(
            "there are no questions to learn from: `{}` is missing, the weights stay as they are",
            questions.display()
        );
        return Ok(1);
    }
    let code = exit_code(&mut workspace.cargo(BUILD))?;
    if code != 0 {
        return Ok(code);
    }
    let mut driver = Command::new(workspace.target()?.join("debug/examples/train"));
    driver.arg(&questions).args(options);
    if options.is_empty() {
        driver.arg("--out").arg(workspace.root.join(WEIGHTS));
    }
    exit_code(&mut driver)
}
