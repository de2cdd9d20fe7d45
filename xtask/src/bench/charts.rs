//! How often the chart that a question's words and its result's shape give is the one that people drew: nvBench, which is
//! read where it lies and not part of the project. A figure, never a rule.

use crate::workspace::{Workspace, exit_code};

const QUESTIONS: &str = "../shared/data/nvbench";

pub fn run(workspace: &Workspace) -> anyhow::Result<u8> {
    let folder = workspace.root.join(QUESTIONS);
    if !folder.join("dev.csv").is_file() {
        println!("nvBench is not here (`{QUESTIONS}/dev.csv`), so nothing is measured");
        return Ok(0);
    }
    let folder = folder.display().to_string();
    exit_code(&mut workspace.cargo(&[
        "run",
        "--quiet",
        "--locked",
        "-p",
        "xtask",
        "--example",
        "charts",
        "--",
        &folder,
    ]))
}
