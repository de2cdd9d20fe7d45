//! Which layers of isolation this machine gives, found out by really making a cell.

use crate::cell::CellOptions;
use crate::execution::{Outcome, execute};
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
    let options = CellOptions::of(Policy::analysis());
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
            let fix = weaker.then(|| "start it where this user may make control groups: systemd-run --user --scope assay … (version 2), or as \
                 root, or with memory, pids and cpuacct groups of its own (version 1)"
                    .to_string());
            vec![
                status(Facility::Namespaces, true, false, "user mnt pid net ipc uts cgroup", None),
                status(Facility::Landlock, true, false, "enforced", None),
                status(Facility::Seccomp, true, false, "allow-list", None),
                status(Facility::Memory, true, weaker, &memory, fix),
            ]
        }
        Ok(execution) => {
            let said = execution.stderr.lines().last().unwrap_or("a cell ended without a word").to_string();
            missing(&said, "run the command again; remove the environment's directory if it stays so")
        }
        Err(Error::Unavailable { cause, fix }) => missing(&cause, &fix),
        Err(error) => missing(&error.to_string(), "check that this program's file can be executed"),
    }
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
