//! Runs made from other runs: forked from one in this store, or imported from a capsule.

use base::RunId;
use rusqlite::{Connection, params};
use serde_json::{Value, json};

use super::lifecycle::insert;
use super::progress::{insert_artifact, insert_step, put_artifact, step_finished};
use super::{Done, insert_event};
use crate::error::Failure;
use crate::record::{Content, Fence, Journal, NewRun};
use crate::sql::{all, execute, one};
use crate::{Event, read};

/// A new attached run that has the first steps of another, and the files that were recorded before the last of these:
/// all files, if all steps are copied.
pub(super) fn fork(connection: &Connection, new: &NewRun, from: &RunId, steps: i64) -> Result<Done, Failure> {
    let journal = read::parts(connection, from)?;
    let journal = journal.ok_or_else(|| Failure::Damaged(format!("the run `{from}` is gone")))?;
    let whole = journal.steps.len() as i64 <= steps;
    let fence = Fence { run: new.id.clone(), attempt: 1 };
    let mut entry = insert(connection, new)?;
    entry.append(connection, "run.created", json!({ "task": new.task, "input": new.input }))?;
    for step in journal.steps.iter().filter(|step| step.position < steps) {
        insert_step(connection, &fence, step)?;
        entry.append(connection, "step.finished", step_finished(step))?;
    }
    let before = if whole { i64::MAX } else { end_of_step(connection, from, steps - 1)? };
    let added: Vec<String> = all(
        connection,
        "SELECT data FROM events WHERE run = ?1 AND type = 'artifact.added' AND seq < ?2",
        params![from.as_str(), before],
        |row| row.get(0),
    )?;
    let names: Vec<Value> =
        added.iter().filter_map(|data| Some(serde_json::from_str::<Value>(data).ok()?["name"].clone())).collect();
    let copied = journal
        .artifacts
        .iter()
        .filter(|artifact| artifact.name != super::RUN_OUTPUT_NAME && names.iter().any(|name| *name == artifact.name));
    for artifact in copied {
        put_artifact(&mut entry, connection, artifact)?;
    }
    entry.append(connection, "run.started", json!({ "attempt": 1, "program": new.program }))?;
    // Where a run came from does not change by copying it.
    execute(
        connection,
        "UPDATE runs SET last_seq = ?2, forked_from = ?3, forked_step = ?4,
                imported_at = (SELECT imported_at FROM runs WHERE id = ?3) WHERE id = ?1",
        params![new.id.as_str(), entry.next_seq - 1, from.as_str(), steps],
    )?;
    Ok(entry.done())
}

/// The number of the event that tells of a step; 0 if there is none.
fn end_of_step(connection: &Connection, run: &RunId, position: i64) -> Result<i64, Failure> {
    let told: Vec<(i64, String)> = all(
        connection,
        "SELECT seq, data FROM events WHERE run = ?1 AND type = 'step.finished' ORDER BY seq",
        params![run.as_str()],
        |row| row.try_into(),
    )?;
    let of_the_step = |data: &str| serde_json::from_str::<Value>(data).is_ok_and(|data| data["index"] == position);
    Ok(told.iter().find(|(_, data)| of_the_step(data)).map_or(0, |(seq, _)| *seq))
}

/// Inserts a run from elsewhere as it was recorded there. Its key is shown but does not count as taken here.
pub(super) fn import(connection: &Connection, journal: &Journal, events: &[Event]) -> Result<Done, Failure> {
    let run = &journal.run;
    let there = one(connection, "SELECT 1 FROM runs WHERE id = ?1", params![run.id.as_str()], |_| Ok::<_, Failure>(()));
    if there?.is_some() {
        return Err(Failure::Exists(run.id.clone()));
    }
    let (output, output_artifact) = run.output.as_ref().map_or((None, None), Content::columns);
    execute(
        connection,
        "INSERT INTO runs (id, task, state, mode, key, title, input, input_hash, output, output_artifact, problem,
                           forked_from, forked_step, attempts, program, created_at, finished_at, last_seq, imported_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18,
                 (SELECT now_ms FROM clock))",
        params![
            run.id.as_str(),
            &run.task,
            run.state.as_str(),
            run.mode.as_str(),
            &run.key,
            &run.title,
            run.input.to_string(),
            run.input_hash.as_ref().map(base::Hash::as_str),
            output,
            output_artifact,
            run.problem.as_ref().map(Value::to_string),
            run.forked_from.as_ref().map(|from| from.run.as_str()),
            run.forked_from.as_ref().map(|from| from.step),
            run.attempts,
            &run.program,
            run.created_at.0,
            run.finished_at.map(|at| at.0),
            run.last_seq
        ],
    )?;
    let fence = Fence { run: run.id.clone(), attempt: run.attempts };
    for step in &journal.steps {
        insert_step(connection, &fence, step)?;
    }
    for artifact in &journal.artifacts {
        insert_artifact(connection, run.id.as_str(), artifact)?;
    }
    for event in events {
        insert_event(connection, event)?;
    }
    Ok(Done::default())
}
