//! Which layers of isolation this machine gives, found out by really making a cell.

use crate::cell::CellOptions;
use crate::execution::{Outcome, execute};
use crate::meter;
use crate::policy::Policy;
use crate::{Error, Sandbox};

/// What a machine must give for a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Facility {
    Namespaces,
    Landlock,
    Seccomp,
    Memory,
}

/// What the machine gives of one facility.
#[derive(Clone, Debug)]
pub struct FacilityStatus {
    /// Which.
    pub facility: Facility,
    /// Whether it holds.
    pub holds: bool,
    /// Whether it is weaker than it could be.
    pub degraded: bool,
    /// What was found.
    pub found: String,
    /// What to do, where something is missing or weaker.
    pub fix: Option<String>,
}

/// Makes a cell and looks at what it is made of.
pub async fn probe(sandbox: &Sandbox) -> Vec<FacilityStatus> {
    // The first cell after a start of the machine reads everything from the disk: what is slow is not missing.
    let patient = Policy { cpu_ms: 30_000, wall_ms: 30_000, ..Policy::analysis() };
    let options = CellOptions::of(patient);
    let executed = execute(&sandbox.cold(), "print('inside')", "probe.py", options).await;
    let status = |facility, holds, degraded, found: &str, fix: Option<String>| FacilityStatus {
        facility,
        holds,
        degraded,
        found: found.to_string(),
        fix,
    };
    match executed {
        Ok(execution) if execution.outcome == Outcome::Ok => {
            let memory = execution.isolation.map(|isolation| isolation.memory).unwrap_or_default();
            let weaker = memory == "watchdog";
            let fix = weaker.then(how_to_have_a_group);
            vec![
                status(Facility::Namespaces, true, false, "user mnt pid net ipc uts cgroup", None),
                status(Facility::Landlock, true, false, "enforced", None),
                status(Facility::Seccomp, true, false, "allow-list", None),
                status(Facility::Memory, true, weaker, &memory, fix),
            ]
        }
        Ok(execution) => {
            let ended = match execution.killed_by {
                Some(by) => format!("a cell reached its limit of {by:?}").to_lowercase(),
                None => "a cell ended without a word".to_string(),
            };
            let said = execution.stderr.lines().last().unwrap_or(&ended);
            missing(said, "try again; remove the environment's directory if it stays so")
        }
        Err(Error::Unavailable { cause, fix }) => missing(&cause, &fix),
        Err(error) => missing(&error.to_string(), "check that this program's file can be executed"),
    }
}

/// What to do where memory is only watched. A broker that runs already goes on as it began.
fn how_to_have_a_group() -> String {
    let why = meter::refusal().map(|why| format!(" ({why})")).unwrap_or_default();
    format!(
        "this user may make no control groups here{why}: with systemd, stop the broker, then start this program by \
         systemd-run --user --scope; otherwise as root, or with memory, pids and cpuacct groups of its own (version 1)"
    )
}

/// One cause takes all layers away: a cell is either whole or not there.
fn missing(cause: &str, fix: &str) -> Vec<FacilityStatus> {
    [Facility::Namespaces, Facility::Landlock, Facility::Seccomp, Facility::Memory]
        .into_iter()
        .map(|facility| FacilityStatus {
            facility,
            holds: false,
            degraded: false,
            found: cause.to_string(),
            fix: Some(fix.to_string()),
        })
        .collect()
}
