//! The task `program/1`: a program of the user's own, run in a cell. The guard is not asked: the sandbox is the boundary.

use std::fs::{self, File, Permissions, TryLockError};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

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
    // An heir of a run does not wait for the attempt before it, which may be frozen in its folder.
    let folder = context.data_dir.join("jobs").join(format!("{id}-{}", run.attempt()));
    let step = json!({ "code": Hash::of(input.code.as_bytes()), "policy": input.policy, "inputs": input.inputs });
    let shelf = run.shelf();
    let effect = || async {
        let job = Job::enter(folder).await?;
        let out = input.out.clone().unwrap_or_else(|| job.folder.join("out"));
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

/// The folder of one running program: private, locked as long as it is used, and gone when the program is, however that
/// came. The lock is on the folder itself: one that is made and not locked yet may be swept away, which [`hold`] notices.
struct Job {
    folder: PathBuf,
    _lock: File,
}

impl Job {
    async fn enter(folder: PathBuf) -> Result<Job, Problem> {
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
        if hash_file(&copy)?.0 != *hash {
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
