//! The task `demo/1`: a run of small steps that does nothing but last, so that durability can be felt and tested.
//!
//! Each step folds its number into a value; the value at the end tells whether every step's outcome was kept. A step's
//! effect leaves one line `run step attempt pid` in a file, if one is named.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use base::{Choice, Code, Document, Problem, RunId};
use flow::{Emitter, Finish, Run, StepPolicy};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::context::Context;
use crate::task::{no_stranger_writes, parse_input};

/// What the demonstration is to do.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DemoInput {
    /// How many steps.
    pub steps: u32,
    /// How long each lasts.
    pub step_ms: u64,
    /// Where each effect leaves its line.
    pub effects: Option<PathBuf>,
    /// A step whose first two tries fail, to show that it is tried again.
    pub unlucky: Option<u32>,
}

/// What the steps of a demonstration came to.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DemoDocument {
    /// The run.
    pub run: RunId,
    /// How many steps were done.
    pub steps: u32,
    /// Every step's number folded into one; the same however often the run was killed.
    pub value: u64,
}

impl Document for DemoDocument {
    const KIND: &'static str = "demo";
}

/// How often an unlucky step fails.
const BAD_LUCK: u32 = 2;

/// Performs the steps.
pub async fn demo(run: &mut Run, _: &Context, input: Value) -> Result<Finish, Problem> {
    let input: DemoInput = parse_input(input)?;
    if input.effects.is_some() {
        no_stranger_writes(run)?;
    }
    let id = run.id().clone();
    let mut value: u64 = 1;
    for index in 0..input.steps {
        let line = format!("{id} {index} {} {}\n", run.attempt(), std::process::id());
        let (before, emitter, failed) = (value, run.emitter(), AtomicU32::new(0));
        let effect = || async {
            if let Some(effects) = &input.effects {
                append(effects, &line)?;
            }
            if input.unlucky == Some(index) && failed.fetch_add(1, Ordering::Relaxed) < BAD_LUCK {
                return Err(Problem::new(Code::TimedOut, format!("step {index} had bad luck, as it was told to")));
            }
            last(input.step_ms, index, &emitter).await;
            Ok(before.wrapping_mul(31).wrapping_add(u64::from(index)) % 1_000_000_007)
        };
        let performed = run.will_perform();
        value = run.step_under(StepPolicy::tries(BAD_LUCK + 1), "work", &(index, before), effect).await?;
        if performed {
            let progress = json!({ "index": index, "done": index + 1, "total": input.steps, "unit": "steps" });
            run.emitter().pass("step.progress", progress);
        }
    }
    Ok(Finish::succeeded(DemoDocument { run: id, steps: input.steps, value }.to_json()))
}

/// One write, so that lines of several processes do not mix.
fn append(path: &Path, line: &str) -> Result<(), Problem> {
    let file = OpenOptions::new().append(true).create(true).open(path);
    file.and_then(|mut file| file.write_all(line.as_bytes())).map_err(|error| {
        let code = match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Code::DiskFull,
            _ => Code::FileUnreadable,
        };
        Problem::new(code, format!("cannot write the effects file `{}`: {error}", path.display()))
            .hint("mend it and resume the run, or start another with another file")
            .action(Choice::EffectsFile)
    })
}

/// Takes its time, and says how far it is.
async fn last(step_ms: u64, index: u32, emitter: &Emitter) {
    const TELL_EVERY_MS: u64 = 500;
    let mut done = 0;
    while done < step_ms {
        let pause = TELL_EVERY_MS.min(step_ms - done);
        tokio::time::sleep(Duration::from_millis(pause)).await;
        done += pause;
        if done < step_ms {
            emitter.pass("step.progress", json!({ "index": index, "done": done, "total": step_ms, "unit": "ms" }));
        }
    }
}
