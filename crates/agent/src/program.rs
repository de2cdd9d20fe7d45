//! The task `program/1`: a program of the user's own, run in a cell. The guard is not asked: the sandbox is the boundary.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use base::{Code, Hash, Problem};
use flow::{Finish, Run};
use sandbox::{CellOptions, Input, Policy, execute};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::ask::{internal, parse_input};
use crate::context::Context;
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
    /// Where the files it leaves go.
    pub out: Option<PathBuf>,
}

/// Runs one program.
pub async fn program(run: &mut Run, context: &Context, input: Value) -> Result<Finish, Problem> {
    let input: ProgramInput = parse_input(input)?;
    let id = run.id().to_string();
    let job = context.data_dir.join("jobs").join(&id);
    let step = json!({ "code": Hash::of(input.code.as_bytes()), "policy": input.policy, "inputs": input.inputs });
    let effect = || async {
        let inputs = copy_inputs(&input.inputs, &job)?;
        let out = input.out.clone().unwrap_or_else(|| job.join("out"));
        let options = CellOptions { policy: input.policy.clone(), inputs, out: Some(out) };
        let execution = execute(context.sandbox().await?, &input.code, &input.name, options).await?;
        serde_json::to_value(&execution).map_err(internal)
    };
    let executed: Result<Value, _> = run.step("execute", &step, effect).await;
    let _ = fs::remove_dir_all(&job);
    let executed = executed?;
    let outcome = serde_json::from_value(executed["outcome"].clone()).map_err(internal)?;
    let mut document = json!({ "v": 1, "kind": "execution", "run": id });
    if let (Some(document), Value::Object(fields)) = (document.as_object_mut(), executed) {
        document.extend(fields);
    }
    Ok(finish(outcome, document))
}

/// Copies what the program may read: the inner user owns nothing, and the user's file may be private.
fn copy_inputs(files: &[(PathBuf, Hash)], job: &Path) -> Result<Vec<Input>, Problem> {
    let folder = job.join("input");
    let failed = |error: std::io::Error| Problem::new(Code::FileUnreadable, format!("cannot copy an input: {error}"));
    fs::create_dir_all(&folder).map_err(failed)?;
    let mut inputs = Vec::new();
    for (file, hash) in files {
        let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_string();
        let copy = folder.join(&name);
        let contents = fs::read(file).map_err(failed)?;
        if Hash::of(&contents) != *hash {
            return Err(Problem::new(Code::InputChanged, format!("`{}` changed since the run began", file.display()))
                .hint("run the program again"));
        }
        fs::write(&copy, contents).map_err(failed)?;
        fs::set_permissions(&copy, Permissions::from_mode(0o644)).map_err(failed)?;
        inputs.push(Input { name, path: copy });
    }
    Ok(inputs)
}
