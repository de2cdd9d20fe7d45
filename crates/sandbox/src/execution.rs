//! A user's own program, run from start to end: the `execution` document of the machine interface.

use std::io::Read;
use std::path::Path;

use base::{Digest, Finding, Hash, Usage};
use serde::{Deserialize, Serialize};

use crate::cell::{CallError, CellOptions, Finished, Stop};
use crate::protocol::{End, HarvestFailure, Isolation, KilledBy, Raised};
use crate::{Error, Sandbox};

/// How an execution came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum Outcome {
    Ok,
    Failed,
    Killed,
    Refused,
    Lost,
}

/// What became of a program.
#[derive(Debug, Serialize)]
pub struct Execution {
    /// How it came out.
    pub outcome: Outcome,
    /// The limit it reached.
    pub killed_by: Option<KilledBy>,
    /// The status it ended with.
    pub exit_code: Option<i32>,
    /// The signal it ended by.
    pub signal: Option<i32>,
    /// The first bytes it printed.
    pub stdout: String,
    /// The first bytes it printed.
    pub stderr: String,
    /// Whether it printed more.
    pub stdout_truncated: bool,
    /// Whether it printed more.
    pub stderr_truncated: bool,
    /// Why it failed.
    pub error: Option<Raised>,
    /// What the guard said.
    pub findings: Vec<Finding>,
    /// What it left in `out/`.
    pub files: Vec<OutFile>,
    /// How many other entries of `out/` did not come back: links, devices, or beyond the most that are copied.
    pub files_left_out: usize,
    /// What it used.
    pub usage: Usage,
    /// How it was isolated.
    pub isolation: Option<Isolation>,
}

/// A file that a program left behind.
#[derive(Debug, Serialize)]
pub struct OutFile {
    /// Relative to `out/`.
    pub path: String,
    /// Its size.
    pub bytes: u64,
    /// Its digest.
    pub sha256: Hash,
}

/// Runs a program to its end.
pub async fn execute(sandbox: &Sandbox, code: &str, name: &str, options: CellOptions) -> Result<Execution, Error> {
    let out = options.out.clone();
    let mut cell = sandbox.cell(options)?;
    let said = cell.exec(code, name).await;
    let Finished { report, stdout, stderr } = cell.finish(Stop::WhenDone).await;
    let mut execution = Execution {
        outcome: Outcome::Lost,
        killed_by: None,
        exit_code: None,
        signal: None,
        stdout: stdout.text,
        stderr: stderr.text,
        stdout_truncated: stdout.truncated,
        stderr_truncated: stderr.truncated,
        error: None,
        findings: Vec::new(),
        files: Vec::new(),
        files_left_out: 0,
        usage: Usage::default(),
        isolation: None,
    };
    let Some(report) = report else { return Ok(execution) };
    if let Some(HarvestFailure { cause, disk_full }) = report.harvest_failed {
        return Err(Error::Harvest { cause, disk_full });
    }
    execution.usage = report.usage;
    execution.isolation = report.isolation;
    execution.files_left_out = report.files_left_out;
    if let Some(out) = &out {
        execution.files = report.files.iter().filter_map(|path| describe(out, path)).collect();
    }
    match report.end {
        End::Unavailable { cause, fix } => return Err(Error::Unavailable { cause, fix }),
        End::Stopped if stdout.flooded || stderr.flooded => execution.kill(KilledBy::Output),
        End::Stopped => execution.outcome = Outcome::Lost,
        End::Killed { by } => execution.kill(by),
        End::Exited { exit_code, signal } => execution.exit(said, exit_code, signal),
    }
    Ok(execution)
}

impl Execution {
    fn kill(&mut self, by: KilledBy) {
        self.outcome = Outcome::Killed;
        self.killed_by = Some(by);
        self.signal = Some(libc::SIGKILL);
    }

    /// A program is judged by its status; its last word says why it failed.
    fn exit(&mut self, said: Result<serde_json::Value, CallError>, exit_code: Option<i32>, signal: Option<i32>) {
        self.exit_code = exit_code;
        self.signal = signal;
        if exit_code == Some(0) {
            self.outcome = Outcome::Ok;
            return;
        }
        self.outcome = Outcome::Failed;
        self.error = Some(match said {
            Err(CallError::Raised(raised)) => raised,
            Ok(_) | Err(CallError::Ended) => ended_silently(exit_code, signal),
        });
    }
}

fn ended_silently(exit_code: Option<i32>, signal: Option<i32>) -> Raised {
    match (exit_code, signal) {
        (Some(code), _) => Raised::ours("SystemExit", format!("exit status {code}")),
        (None, Some(signal)) => Raised::ours("Signal", format!("ended by signal {signal}")),
        (None, None) => Raised::ours("SystemExit", "ended without a status"),
    }
}

fn describe(out: &Path, path: &str) -> Option<OutFile> {
    let mut file = std::fs::File::open(out.join(path)).ok()?;
    let mut digest = Digest::new();
    let mut buffer = vec![0; 1 << 20];
    let mut bytes = 0;
    while let count @ 1.. = file.read(&mut buffer).ok()? {
        digest.update(&buffer[..count]);
        bytes += count as u64;
    }
    Some(OutFile { path: path.to_string(), bytes, sha256: digest.finish() })
}
