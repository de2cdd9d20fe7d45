//! The task `program/1`: a program of the user's own, run in a cell. The guard is not asked: the sandbox is the boundary.

use std::fs::{self, File, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use base::{Code, Hash, Problem};
use flow::{Finish, Run, Shelf};
use sandbox::{CellOptions, Input, Policy, execute};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::ask::{internal, parse_input};
use crate::context::Context;
use crate::files::{hash_file, no_stranger_writes, private_folder, unreadable, unwritable};
use crate::sql::finish;

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
}

/// Runs one program.
pub async fn program(run: &mut Run, context: &Context, input: Value) -> Result<Finish, Problem> {
    let input: ProgramInput = parse_input(input)?;
    if input.out.is_some() {
        no_stranger_writes(run)?;
    }
    let id = run.id().to_string();
    let job = Job::enter(&context.data_dir.join("jobs"), &id)?;
    let out = input.out.clone().unwrap_or_else(|| job.folder.join("out"));
    let step = json!({ "code": Hash::of(input.code.as_bytes()), "policy": input.policy, "inputs": input.inputs });
    let shelf = run.shelf();
    let effect = || async {
        let inputs = copy_inputs(&input.inputs, &job.folder.join("input"))?;
        let options = CellOptions { policy: input.policy.clone(), inputs, out: Some(out.clone()) };
        let execution = execute(context.sandbox().await?, &input.code, &input.name, options).await?;
        let executed = serde_json::to_value(&execution).map_err(internal)?;
        if input.out.is_none() {
            keep_files(&shelf, &executed, &out).await?;
        }
        Ok(executed)
    };
    let executed: Value = run.step("execute", &step, effect).await?;
    let outcome = serde_json::from_value(executed["outcome"].clone()).map_err(internal)?;
    let mut document = json!({ "v": 1, "kind": "execution", "run": id });
    if let (Some(document), Value::Object(fields)) = (document.as_object_mut(), executed) {
        document.extend(fields);
    }
    Ok(finish(outcome, document))
}

/// Files without a place of their own are kept with the step that produced them.
async fn keep_files(shelf: &Shelf, executed: &Value, out: &Path) -> Result<(), Problem> {
    for file in executed["files"].as_array().into_iter().flatten() {
        let Some(path) = file["path"].as_str() else { continue };
        let place = out.join(path);
        let contents = fs::read(&place).map_err(|error| unreadable(&place, &error))?;
        shelf.put(path, "application/octet-stream", contents).await?;
    }
    Ok(())
}

/// The folder of one running program: private, and gone when the program is, however that came.
struct Job {
    folder: PathBuf,
    _lock: File,
}

impl Job {
    fn enter(jobs: &Path, id: &str) -> Result<Job, Problem> {
        sweep(jobs);
        let folder = jobs.join(id);
        private_folder(&folder)?;
        let failed = |error: std::io::Error| unwritable(&folder, &error);
        let lock = File::create(folder.join("lock")).map_err(failed)?;
        lock.lock().map_err(failed)?;
        Ok(Job { folder, _lock: lock })
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Removes what killed processes left: a folder whose lock nobody holds.
fn sweep(jobs: &Path) {
    for entry in fs::read_dir(jobs).into_iter().flatten().flatten() {
        let abandoned = File::open(entry.path().join("lock")).is_ok_and(|lock| lock.try_lock().is_ok());
        if abandoned {
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
        if hash_file(&copy)?.0 != *hash {
            return Err(Problem::new(Code::InputChanged, format!("`{}` changed since the run began", file.display()))
                .hint("run the program again"));
        }
        fs::set_permissions(&copy, Permissions::from_mode(0o644)).map_err(|error| unwritable(&copy, &error))?;
        inputs.push(Input { name, path: copy });
    }
    Ok(inputs)
}
