//! How a run comes to be and how it ends: created, finished, cancelled, deleted.

use base::{Action, Code, Problem, RunId, Timestamp};
use rusqlite::{Connection, params};
use serde_json::{Value, json};

use super::progress::{RUN_OUTPUT_NAME, content, overflow, put_artifact};
use super::{Done, Entry};
use crate::error::Failure;
use crate::found::{self, FoundBy};
use crate::read;
use crate::record::{Beginning, Content, Ending, Fence, Lease, Mode, NewRun, RunState};
use crate::sql::{execute, one, only};

pub(super) fn create(connection: &Connection, run: &NewRun) -> Result<Done, Failure> {
    let mut entry = insert(connection, run)?;
    entry.append(connection, "run.created", json!({ "task": run.task, "input": run.input }))?;
    if let Beginning::Attached(_) | Beginning::Taken(_) = run.beginning {
        entry.append(connection, "run.started", json!({ "attempt": 1, "program": run.program }))?;
    }
    Ok(entry.done())
}

/// Inserts the row, which expects the events that [`create`] appends.
pub(super) fn insert<'a>(connection: &Connection, run: &'a NewRun) -> Result<Entry<'a>, Failure> {
    if let Some(key) = &run.key
        && let Some(holder) = holder_of(connection, key)?
    {
        return Err(Failure::KeyTaken(holder));
    }
    let (state, mode, lease): (_, _, Option<&Lease>) = match &run.beginning {
        Beginning::Attached(lease) => (RunState::Running, Mode::Attached, Some(lease)),
        Beginning::Taken(lease) => (RunState::Running, Mode::Queued, Some(lease)),
        Beginning::Queued => (RunState::Pending, Mode::Queued, None),
    };
    // The first attempt of a run that is begun is its creation; a waiting one's begins when it is taken.
    let attempts = i64::from(lease.is_some());
    let at: i64 = only(
        connection,
        "INSERT INTO runs (id, task, state, mode, key, title, input, input_hash, attempts, program, owner, lease_until,
                           created_at, last_seq)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, (SELECT now_ms FROM clock) + ?12,
                 (SELECT now_ms FROM clock), ?9 + 1)
         RETURNING created_at",
        params![
            run.id.as_str(),
            &run.task,
            state.as_str(),
            mode.as_str(),
            &run.key,
            &run.title,
            run.input.to_string(),
            run.input_hash.as_str(),
            attempts,
            &run.program,
            lease.map(|lease| lease.owner.as_str()),
            lease.map(|lease| lease.for_ms)
        ],
        |row| row.get(0),
    )?;
    Ok(Entry::at(&run.id, at, 1))
}

fn holder_of(connection: &Connection, key: &str) -> Result<Option<RunId>, Failure> {
    let holder = "SELECT id FROM runs WHERE key = ?1 AND imported_at IS NULL";
    one(connection, holder, params![key], |row| read::run_id(&row.get::<_, String>(0)?))
}

pub(super) fn finish(connection: &Connection, fence: &Fence, ending: &Ending, by: &FoundBy) -> Result<Done, Failure> {
    let artifact = ending.output.as_deref().and_then(|output| overflow(RUN_OUTPUT_NAME, output));
    let mut entry = Entry::by(connection, fence, 1 + i64::from(artifact.is_some()))?;
    if let Some(artifact) = &artifact {
        put_artifact(&mut entry, connection, artifact)?;
    }
    end(&mut entry, connection, ending)?;
    found::keep(connection, &fence.run, ending.output.as_ref().map_or(0, String::len), by)?;
    Ok(entry.done())
}

/// Writes the end of a run whose row was entered for one more event.
pub(super) fn end(entry: &mut Entry<'_>, connection: &Connection, ending: &Ending) -> Result<(), Failure> {
    let content = ending.output.as_deref().map(|output| content(output, overflow(RUN_OUTPUT_NAME, output).as_ref()));
    let (output, output_artifact) = content.as_ref().map_or((None, None), Content::columns);
    let problem = ending.problem.as_ref().map(|problem| json!(problem));
    execute(
        connection,
        "UPDATE runs SET state = ?2, output = ?3, output_artifact = ?4, problem = ?5, finished_at = ?6,
                lease_until = NULL WHERE id = ?1",
        params![
            entry.run.as_str(),
            ending.state.as_str(),
            output,
            output_artifact,
            problem.as_ref().map(Value::to_string),
            entry.at
        ],
    )?;
    let output = content.as_ref().map(Content::document);
    let data = json!({ "state": ending.state, "output": output, "problem": problem });
    entry.append(connection, "run.finished", data)
}

/// Ends a run that nobody works on; asks whoever works on it to stop; leaves one that has ended as it is.
pub(super) fn cancel(connection: &Connection, run: &RunId) -> Result<Done, Failure> {
    let asked = execute(
        connection,
        "UPDATE runs SET cancel_requested_at = COALESCE(cancel_requested_at, (SELECT now_ms FROM clock))
         WHERE id = ?1 AND state = 'running'",
        params![run.as_str()],
    )?;
    if asked > 0 {
        return Ok(Done { state: Some(RunState::Running), ..Done::default() });
    }
    let entered: Option<(i64, i64)> = one(
        connection,
        "UPDATE runs SET last_seq = last_seq + 1, cancel_requested_at = (SELECT now_ms FROM clock)
         WHERE id = ?1 AND state IN ('pending', 'interrupted', 'waiting') RETURNING last_seq, cancel_requested_at",
        params![run.as_str()],
        |row| row.try_into(),
    )?;
    let Some((seq, at)) = entered else { return Ok(Done::default()) };
    let mut entry = Entry::at(run, at, seq);
    end(&mut entry, connection, &cancelled(run))?;
    Ok(Done { state: Some(RunState::Cancelled), ..entry.done() })
}

/// How a run ends that nobody worked on when it was cancelled.
pub(super) fn cancelled(run: &RunId) -> Ending {
    let problem = Problem::new(Code::Cancelled, "the run was cancelled")
        .action(Action::ResumeRun { run: run.clone() })
        .in_run(run);
    Ending { state: RunState::Cancelled, output: None, problem: Some(problem) }
}

/// Deletes runs with everything recorded about them, but only those that ended before the given moment: one that was
/// resumed since it was chosen stays.
pub(super) fn delete(connection: &Connection, runs: &[RunId], finished_before: Timestamp) -> Result<Done, Failure> {
    let mut deleted = 0;
    for run in runs {
        let done = execute(
            connection,
            "DELETE FROM runs WHERE id = ?1 AND finished_at < ?2
             AND state IN ('succeeded', 'failed', 'rejected', 'cancelled')",
            params![run.as_str(), finished_before.0],
        )?;
        deleted += done;
    }
    Ok(Done { runs: deleted, ..Done::default() })
}
