//! `cargo xtask pictures`: the pictures of the README, drawn from what the program really answers.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::Context;

use crate::ci::BUILD;
use crate::workspace::{Workspace, exit_code, output};

/// Below the workspace.
const TERMINAL: &str = "docs/terminal.svg";
const CHART: &str = "docs/chart.svg";

const ASKED_IN_TERMINAL: [&str; 2] = ["ecommerce", "What are the top 10 products by revenue?"];
const ASKED_FOR_CHART: [&str; 2] = ["ecommerce", "revenue per month by category"];

const LINE_HEIGHT: usize = 18;
const CHARACTER_WIDTH: f64 = 8.43;
const MARGIN: usize = 16;

/// Builds, asks and draws.
pub fn run(workspace: &Workspace) -> anyhow::Result<u8> {
    let code = exit_code(&mut workspace.cargo(BUILD))?;
    if code != 0 {
        return Ok(code);
    }
    let scratch = tempfile::tempdir().context("cannot make a folder for throw-away data")?;
    let assay = workspace.assay()?;
    let ask = |asked: [&str; 2]| {
        let mut command = Command::new(&assay);
        command.arg("ask").args(asked).args(["--color", "never", "--data-dir"]).arg(scratch.path());
        command
    };
    let answer = output(&mut ask(ASKED_IN_TERMINAL))?;
    let [data, question] = ASKED_IN_TERMINAL;
    let screen = format!("$ assay ask {data} \"{question}\"\n{answer}");
    fs::write(workspace.root.join(TERMINAL), terminal(&screen)).with_context(|| format!("cannot write {TERMINAL}"))?;
    output(ask(ASKED_FOR_CHART).arg("--chart").arg(fresh(&workspace.root.join(CHART))?))?;
    println!("drawn: {TERMINAL}, {CHART}");
    Ok(0)
}

/// The path, where no file is any more.
fn fresh(path: &Path) -> anyhow::Result<&Path> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot replace {}", path.display()))
        }
        _ => Ok(path),
    }
}

/// A screen of text as a picture.
fn terminal(text: &str) -> String {
    let lines: Vec<&str> = text.trim_end().lines().collect();
    let longest = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0);
    let width = (longest as f64 * CHARACTER_WIDTH).ceil() as usize + 2 * MARGIN;
    let height = lines.len() * LINE_HEIGHT + 2 * MARGIN;
    let mut picture = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         font-family=\"DejaVu Sans Mono, Menlo, Consolas, monospace\" font-size=\"14\" fill=\"#e6e6e6\">\n\
         <rect width=\"{width}\" height=\"{height}\" rx=\"8\" fill=\"#1e1f24\"/>\n"
    );
    for (at, line) in lines.iter().enumerate().filter(|(_, line)| !line.is_empty()) {
        let baseline = MARGIN + (at + 1) * LINE_HEIGHT - 5;
        let length = line.chars().count() as f64 * CHARACTER_WIDTH;
        picture += &format!(
            "<text x=\"{MARGIN}\" y=\"{baseline}\" textLength=\"{length:.1}\" xml:space=\"preserve\">{}</text>\n",
            escaped(line)
        );
    }
    picture + "</svg>\n"
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_screen_keeps_its_lines_and_their_blanks() {
        let picture = terminal("$ ask \"a < b\"\n\n  two  blanks\n");
        assert!(picture.contains(">$ ask \"a &lt; b\"</text>"), "{picture}");
        assert!(picture.contains(">  two  blanks</text>"), "{picture}");
        assert!(picture.contains(&format!("height=\"{}\"", 3 * LINE_HEIGHT + 2 * MARGIN)), "{picture}");
    }
}
