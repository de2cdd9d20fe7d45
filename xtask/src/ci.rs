//! `cargo xtask ci`: the stages that must pass on every change, cheapest first, each with its seconds.
//!
//! All stages build the whole workspace with the dev profile into one target directory, so that features are the same
//! everywhere and nothing is built twice. (Clippy's own compilation leaves nothing that a build can use.) The Python
//! environment is shared with the user's: `ASSAY_ENV_DIR`, or the program's default.

use std::process::Command;
use std::time::Instant;

use anyhow::Context;

use crate::tidy;
use crate::web;
use crate::workspace::{Workspace, exit_code};

const LINT: &[&str] = &["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"];
/// What makes the binary, and the same packages with the same features as the tests.
pub const BUILD: &[&str] = &["build", "--workspace", "--locked"];
const TEST: &[&str] = &["test", "--workspace", "--locked"];

/// How much is tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ring {
    /// What must hold on every change.
    One,
    /// That, and then the tests with `ASSAY_SLOW=1`, which those that take long wait for.
    OneAndSlow,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Tidy,
    Clippy,
    Build,
    Environment,
    Tests,
    Web,
    SlowTests,
}

impl Ring {
    fn stages(self) -> &'static [Stage] {
        const ALL: &[Stage] =
            &[Stage::Tidy, Stage::Clippy, Stage::Build, Stage::Environment, Stage::Tests, Stage::Web, Stage::SlowTests];
        match self {
            Ring::One => &ALL[..ALL.len() - 1],
            Ring::OneAndSlow => ALL,
        }
    }
}

impl Stage {
    fn name(self) -> &'static str {
        match self {
            Stage::Tidy => "tidy",
            Stage::Clippy => "clippy",
            Stage::Build => "build",
            Stage::Environment => "environment",
            Stage::Tests => "tests",
            Stage::Web => "web",
            Stage::SlowTests => "slow tests",
        }
    }

    fn perform(self, workspace: &Workspace) -> anyhow::Result<u8> {
        match self {
            Stage::Tidy => tidy::run(workspace),
            Stage::Clippy => exit_code(&mut workspace.cargo(LINT)),
            Stage::Build => exit_code(&mut workspace.cargo(BUILD)),
            Stage::Environment => provide_environment(workspace),
            Stage::Tests => exit_code(workspace.cargo(TEST).env_remove("ASSAY_SLOW")),
            Stage::Web => web::run(workspace, web::Wanted::Tests),
            Stage::SlowTests => exit_code(workspace.cargo(TEST).env("ASSAY_SLOW", "1")),
        }
    }
}

/// Performs the ring's stages until one fails, and gives that one's exit code.
pub fn run(workspace: &Workspace, ring: Ring) -> anyhow::Result<u8> {
    let mut finished = Vec::new();
    for stage in ring.stages() {
        println!("ci: {} begins", stage.name());
        let begin = Instant::now();
        let code = match stage.perform(workspace) {
            Ok(code) => code,
            Err(error) => {
                eprintln!("error: {error:#}");
                2
            }
        };
        let seconds = begin.elapsed().as_secs_f64();
        println!("ci: {} took {seconds:.1} s", stage.name());
        finished.push((stage.name(), seconds));
        if code != 0 {
            println!("{}", last_line(&finished, code));
            return Ok(code);
        }
    }
    println!("{}", last_line(&finished, 0));
    Ok(0)
}

/// The whole outcome on one line, for whoever reads only the end of a log.
fn last_line(finished: &[(&str, f64)], code: u8) -> String {
    let total: f64 = finished.iter().map(|(_, seconds)| seconds).sum();
    let each: Vec<String> = finished.iter().map(|(name, seconds)| format!("{name} {seconds:.1} s")).collect();
    let each = each.join(", ");
    match finished.last() {
        Some((name, _)) if code != 0 => {
            format!("ci: FAILED in stage {name} with exit code {code} after {total:.1} s ({each})")
        }
        _ => format!("ci: PASSED all {} stages in {total:.1} s ({each})", finished.len()),
    }
}

/// Makes the Python environment once and shows that the sandbox works, before tests need both at the same time.
fn provide_environment(workspace: &Workspace) -> anyhow::Result<u8> {
    let data = tempfile::tempdir().context("cannot make a folder for throw-away data")?;
    let mut doctor = Command::new(workspace.assay()?);
    exit_code(doctor.args(["doctor", "--quiet", "--data-dir"]).arg(data.path()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_tells_the_outcome() {
        let stages = [("tidy", 1.04), ("clippy", 20.0)];
        assert_eq!(last_line(&stages, 0), "ci: PASSED all 2 stages in 21.0 s (tidy 1.0 s, clippy 20.0 s)");
        let failed = "ci: FAILED in stage clippy with exit code 101 after 21.0 s (tidy 1.0 s, clippy 20.0 s)";
        assert_eq!(last_line(&stages, 101), failed);
    }

    #[test]
    fn the_slow_ring_begins_with_the_first() {
        assert!(Ring::OneAndSlow.stages().starts_with(Ring::One.stages()));
        assert_eq!(Ring::OneAndSlow.stages().last(), Some(&Stage::SlowTests));
        assert!(!Ring::One.stages().contains(&Stage::SlowTests));
    }
}
