//! A user's own program, run from start to end: the `execution` document of the machine interface.

mod returned;

use std::io::Read;
use std::path::Path;

use base::{Digest, FindingInLine, Hash, Usage};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use returned::Returned;

use crate::broker::Breadth;
use crate::cell::{CallError, CellOptions, Finished, Stop};
use crate::harvest::HarvestFailure;
use crate::policy::Profile;
use crate::protocol::{End, Isolation, KilledBy, Raised};
use crate::{Error, Sandbox};

/// A program and what it is given.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Program<'a> {
    /// Its text.
    pub code: &'a str,
    /// The name shown in tracebacks.
    pub name: &'a str,
    /// Bound to these names.
    pub values: Map<String, Value>,
    /// Bound as pandas DataFrames, where the program mentions them.
    pub tables: Option<Tables>,
}

/// The tables of a database file that is one of the cell's inputs.
#[derive(Clone, Debug, Serialize)]
pub struct Tables {
    /// Where it is inside.
    pub path: String,
    /// The names of those that may be bound.
    pub names: Vec<String>,
}

/// How an execution came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
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
    /// What its last expression came to.
    #[serde(default)]
    pub result: Returned,
    /// What the guard said.
    pub findings: Vec<FindingInLine>,
    /// What it left in `out/`.
    pub files: Vec<OutFile>,
    /// How many other entries of `out/` did not come back: links, devices, or beyond the most that are copied.
    #[serde(default)]
    pub files_left_out: usize,
    /// What it left in its folder beside `out/`, where nothing comes back from; the first of it.
    #[serde(default)]
    pub files_beside: Vec<String>,
    /// What it used.
    pub usage: Usage,
    /// How it was isolated.
    pub isolation: Option<Isolation>,
}

/// A file that a program left behind.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct OutFile {
    /// Relative to `out/`.
    pub path: String,
    /// Its size.
    pub bytes: u64,
    /// Its digest.
    pub sha256: Hash,
}

/// Runs a program that is given nothing to its end.
pub async fn execute(sandbox: &Sandbox, code: &str, name: &str, options: CellOptions) -> Result<Execution, Error> {
    execute_with(sandbox, &Program { code, name, ..Program::default() }, options).await
}

/// Runs a program to its end.
pub async fn execute_with(sandbox: &Sandbox, program: &Program<'_>, options: CellOptions) -> Result<Execution, Error> {
    let out = options.out.clone();
    let breadth = if program.tables.is_some() { Breadth::Full } else { Breadth::of(program.code) };
    let options = CellOptions { breadth, ..options };
    let (mut said, mut finished) = attempt(sandbox, program, options.clone()).await?;
    let silent = finished.stdout.text.is_empty() && finished.stderr.text.is_empty();
    if finished.report.is_none() && silent && sandbox.broker().is_some() {
        // A broker that dies takes its cells along. Nothing of this one was seen, so it may as well begin again.
        (said, finished) = attempt(&sandbox.cold(), program, options).await?;
    }
    let Finished { report, harvest, stdout, stderr } = finished;
    let mut execution = Execution {
        stdout: stdout.text,
        stderr: stderr.text,
        stdout_truncated: stdout.truncated,
        stderr_truncated: stderr.truncated,
        ..Execution::of(Outcome::Lost)
    };
    let Some(report) = report else { return Ok(execution) };
    if let Some(HarvestFailure { cause, disk_full }) = harvest.failed {
        return Err(Error::Harvest { cause, disk_full });
    }
    execution.usage = report.usage;
    execution.isolation = report.isolation;
    execution.files_left_out = harvest.left_out;
    execution.files_beside = harvest.beside.into_iter().filter(|name| name != program.name).collect();
    if let Some(out) = &out {
        execution.files = harvest.files.iter().filter_map(|path| describe(out, path)).collect();
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

async fn attempt(
    sandbox: &Sandbox,
    program: &Program<'_>,
    options: CellOptions,
) -> Result<(Result<Value, CallError>, Finished), Error> {
    let is_reduced = options.policy.profile == Profile::Analysis;
    let mut cell = sandbox.cell(options).await?;
    let said = cell.exec(program, is_reduced).await;
    Ok((said, cell.finish(Stop::WhenDone).await))
}

impl Execution {
    fn of(outcome: Outcome) -> Execution {
        Execution {
            outcome,
            killed_by: None,
            exit_code: None,
            signal: None,
            stdout: String::new(),
            stderr: String::new(),
            stdout_truncated: false,
            stderr_truncated: false,
            error: None,
            result: Returned::NONE,
            findings: Vec::new(),
            files: Vec::new(),
            files_left_out: 0,
            files_beside: Vec::new(),
            usage: Usage::default(),
            isolation: None,
        }
    }

    /// A program that the guard did not let run.
    pub fn refused(findings: Vec<FindingInLine>) -> Execution {
        Execution { findings, ..Execution::of(Outcome::Refused) }
    }

    fn kill(&mut self, by: KilledBy) {
        self.outcome = Outcome::Killed;
        self.killed_by = Some(by);
        self.signal = Some(libc::SIGKILL);
    }

    /// A program is judged by its status; its last word says what it came to or why it failed.
    fn exit(&mut self, said: Result<Value, CallError>, exit_code: Option<i32>, signal: Option<i32>) {
        self.exit_code = exit_code;
        self.signal = signal;
        if exit_code == Some(0) {
            self.outcome = Outcome::Ok;
            self.result = match said {
                Ok(claim) => Returned::read(claim, &self.files),
                Err(CallError::Ended) => Returned::NONE,
                Err(CallError::Raised(_)) => Returned::unread("it is an error, and the program ended without one"),
            };
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
