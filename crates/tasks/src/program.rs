//! The task `program/1`: a program of the user's own, run in a cell. The guard is asked only when the user wants it: the
//! sandbox is the boundary.

use std::collections::BTreeMap;
use std::fs::{self, File, Permissions, TryLockError};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use base::{Code, Document, Finding, FindingInLine, Hash, Problem, RunId};
use flow::{Finish, Run, Shelf};
use sandbox::{CellOptions, Execution, Input, Listener, Outcome, Policy, Profile, Program, Stream, Tables};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use warehouse::{Prepared, Warehouse, hash_file, private_folder, unreadable, unwritable};

use crate::context::Context;
use crate::task::{finish, no_stranger_writes, parse_input, unchanged};

/// The name under which a program finds its dataset's file in `input/`.
pub const DATABASE_NAME: &str = "data.duckdb";

/// A program and what it is given.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ProgramInput {
    /// The name shown in tracebacks.
    pub name: String,
    /// Its text.
    pub code: String,
    /// What it may do and use.
    pub policy: Policy,
    /// Files it can read, with the digests they had.
    pub inputs: Vec<(PathBuf, Hash)>,
    /// Where the files it leaves go; without a place they become artifacts of the run.
    pub out: Option<PathBuf>,
    /// Bound to these names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub values: BTreeMap<String, Value>,
    /// The dataset whose tables are bound as DataFrames.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<ProgramData>,
    /// Whether the guard looks at it first.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub guard: bool,
}

/// A dataset and the version it had when the run began.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ProgramData {
    /// As the user named it.
    pub names: Vec<String>,
    /// Hash of contents and metadata.
    pub version: String,
}

/// What became of a program.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ExecutionDocument {
    /// The run it was executed in.
    pub run: RunId,
    /// How it came out, what it printed, left and used.
    #[serde(flatten)]
    pub execution: Execution,
}

impl Document for ExecutionDocument {
    const KIND: &'static str = "execution";
}

/// Runs one program.
pub async fn program(run: &mut Run, context: &Context, input: Value) -> Result<Finish, Problem> {
    let warehouse = &context.warehouse;
    let input: ProgramInput = parse_input(input)?;
    if input.out.is_some() {
        no_stranger_writes(run)?;
    }
    let findings =
        if input.guard { guard::python::findings(&input.code, checked_as(&input.policy)) } else { Vec::new() };
    let is_refused = findings.iter().any(|finding| finding.severity == base::Severity::Error);
    let findings = in_lines(findings, &input.code);
    if is_refused {
        let execution = Execution::refused(findings);
        return Ok(finish(Outcome::Refused, &ExecutionDocument { run: run.id().clone(), execution }));
    }
    let prepared = prepare(run, warehouse, &input).await?;
    let shelf = run.shelf();
    let listener = listener(run);
    // An heir of a run does not wait for the attempt before it, which may be frozen in its folder.
    let folder = warehouse.data_dir.join("jobs").join(format!("{}-{}", run.id(), run.attempt()));
    let effect = || async {
        let job = Job::enter(folder).await?;
        let out = input.out.clone().unwrap_or_else(|| job.folder.join("out"));
        let mut inputs = copy_inputs(&input.inputs, &job.folder.join("input"))?;
        inputs.extend(prepared.iter().map(|data| Input { name: DATABASE_NAME.into(), path: data.file.clone() }));
        let program = Program {
            code: &input.code,
            name: &input.name,
            values: input.values.clone().into_iter().collect(),
            tables: prepared.as_ref().map(tables),
        };
        let options = CellOptions { inputs, out: Some(out.clone()), listener, ..CellOptions::of(input.policy.clone()) };
        let execution = sandbox::execute_with(warehouse.sandbox().await?, &program, options).await?;
        if input.out.is_none() {
            keep_files(&shelf, &execution, &out).await?;
        }
        Ok(execution)
    };
    let executed: Execution = run.step("execute", &step_input(&input), effect).await?;
    let execution = Execution { findings, ..executed };
    Ok(finish(execution.outcome, &ExecutionDocument { run: run.id().clone(), execution }))
}

/// What the step depends on; parts that a program is not given are absent, as they were before there were any.
fn step_input(input: &ProgramInput) -> Value {
    let mut step = json!({ "code": Hash::of(input.code.as_bytes()), "policy": input.policy, "inputs": input.inputs });
    if !input.values.is_empty() {
        step["values"] = json!(input.values);
    }
    if let Some(data) = &input.data {
        step["dataset"] = json!(data.version);
    }
    step
}

/// The program's dataset, if it has one and is yet to run.
async fn prepare(run: &mut Run, warehouse: &Warehouse, input: &ProgramInput) -> Result<Option<Prepared>, Problem> {
    let Some(data) = &input.data else { return Ok(None) };
    let resolved = run.unless_stopped(unchanged(warehouse, &data.names, &data.version)).await?;
    if !run.will_perform() {
        return Ok(None);
    }
    run.unless_stopped(resolved.prepare(warehouse)).await.map(Some)
}

fn tables(prepared: &Prepared) -> Tables {
    let names = prepared.dataset.tables.iter().map(|table| table.name.clone()).collect();
    Tables { path: format!("/work/input/{DATABASE_NAME}"), names }
}

/// Whoever watches is told what the program prints while it runs. What the program of a stranger's capsule prints is not
/// for the terminal as it is; it is shown at the end, cleaned.
fn listener(run: &Run) -> Option<Listener> {
    let emitter = run.emitter();
    let tell = move |stream: Stream, text: &str| {
        emitter.pass("output.chunk", json!({ "stream": stream.as_str(), "text": text }));
    };
    (!run.is_imported()).then(|| Arc::new(tell) as Listener)
}

fn checked_as(policy: &Policy) -> guard::python::Profile {
    match policy.profile {
        Profile::Analysis => guard::python::Profile::Analysis,
        Profile::Task | Profile::Ingest => guard::python::Profile::Task,
    }
}

/// Findings with their lines, as people find them in the program.
fn in_lines(findings: Vec<Finding>, code: &str) -> Vec<FindingInLine> {
    let line = |finding: &Finding| finding.span.map(|span| guard::position(code, span.start).line);
    findings.into_iter().map(|finding| FindingInLine { line: line(&finding), finding }).collect()
}

/// Files without a place of their own are kept with the step that produced them.
async fn keep_files(shelf: &Shelf, execution: &Execution, out: &Path) -> Result<(), Problem> {
    for file in &execution.files {
        let place = out.join(&file.path);
        let contents = fs::read(&place).map_err(|error| unreadable(&place, &error))?;
        shelf.put(&file.path, media_type(&file.path), contents).await?;
    }
    Ok(())
}

fn media_type(path: &str) -> &'static str {
    let extension = Path::new(path).extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    match extension.to_ascii_lowercase().as_str() {
        "png" => "image/png",
        "svg" => "image/svg+xml",
        "pdf" => "application/pdf",
        "csv" => "text/csv",
        "json" => "application/json",
        "parquet" => "application/vnd.apache.parquet",
        "html" => "text/html",
        "txt" => "text/plain",
        _ => "application/octet-stream",
    }
}

/// The folder of one running program: private, locked as long as it is used, and gone when the program is, however that
/// came. The lock is on the folder itself: one that is made and not locked yet may be swept away, which [`hold`] notices.
pub(crate) struct Job {
    pub(crate) folder: PathBuf,
    _lock: File,
}

impl Job {
    pub(crate) async fn enter(folder: PathBuf) -> Result<Job, Problem> {
        // Only a sweep can be in the way, and only for a moment.
        const TRIES_MAX: usize = 100;
        const PAUSE: Duration = Duration::from_millis(10);
        if let Some(jobs) = folder.parent() {
            sweep(jobs);
        }
        for _ in 0..TRIES_MAX {
            private_folder(&folder)?;
            if let Some(lock) = hold(&folder).map_err(|error| unwritable(&folder, &error))? {
                return Ok(Job { folder, _lock: lock });
            }
            tokio::time::sleep(PAUSE).await;
        }
        Err(Problem::new(Code::RunBusy, format!("another process works in `{}`", folder.display()))
            .hint("wait for it to end, then resume the run"))
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Locks a folder, unless somebody else has or it was swept away meanwhile: then the lock would be on a folder that
/// nobody finds.
fn hold(folder: &Path) -> io::Result<Option<File>> {
    let absent = |error: io::Error| if error.kind() == io::ErrorKind::NotFound { Ok(None) } else { Err(error) };
    let lock = match File::open(folder) {
        Ok(lock) => lock,
        Err(error) => return absent(error),
    };
    match lock.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Ok(None),
        Err(TryLockError::Error(error)) => return Err(error),
    }
    let held = lock.metadata()?;
    match fs::metadata(folder) {
        Ok(found) => Ok(((found.dev(), found.ino()) == (held.dev(), held.ino())).then_some(lock)),
        Err(error) => absent(error),
    }
}

/// Removes what killed processes left: a folder whose lock nobody holds.
fn sweep(jobs: &Path) {
    for entry in fs::read_dir(jobs).into_iter().flatten().flatten() {
        if let Ok(Some(_lock)) = hold(&entry.path()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Copies what the program may read: the inner user owns nothing, and the user's file may be private.
fn copy_inputs(files: &[(PathBuf, Hash)], folder: &Path) -> Result<Vec<Input>, Problem> {
    private_folder(folder)?;
    let mut inputs = Vec::new();
    for (file, hash) in files {
        let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_string();
        let copy = folder.join(&name);
        fs::copy(file, &copy).map_err(|error| unreadable(file, &error))?;
        if hash_file(&copy)? != *hash {
            return Err(Problem::new(Code::InputChanged, format!("`{}` changed since the run began", file.display()))
                .hint("run the program again"));
        }
        fs::set_permissions(&copy, Permissions::from_mode(0o644)).map_err(|error| unwritable(&copy, &error))?;
        inputs.push(Input { name, path: copy });
    }
    Ok(inputs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_enters_a_folder_is_never_swept_away_by_others_who_enter() {
        let jobs = std::env::temp_dir().join(format!("assay-jobs-{}", std::process::id()));
        let enter_often = &|name: usize| {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
            for _ in 0..200 {
                let job = runtime.block_on(Job::enter(jobs.join(name.to_string()))).expect("a folder");
                fs::write(job.folder.join("file"), "mine").expect("the folder is there");
                std::thread::yield_now();
                assert!(job.folder.join("file").exists(), "swept away while it was held");
            }
        };
        std::thread::scope(|scope| (0..4).for_each(|name| drop(scope.spawn(move || enter_often(name)))));
        fs::create_dir(jobs.join("abandoned")).expect("a folder");
        sweep(&jobs);
        fs::remove_dir(&jobs).expect("nothing is left");
    }
}
