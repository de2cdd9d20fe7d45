//! Who works on a run: claimed by a command, taken by a worker, renewed, handed back, and taken from the dead.
//!
//! ```text
//!            take                      release, reap (queued)
//! pending ----------> running ------------------------------------> pending
//!                     running --reap (attached)--> interrupted --claim--> running
//!                     running --reap, too often--> failed
//! ```

use base::{Action, Code, Problem, RunId};
use rusqlite::{Connection, Row, params};
use serde_json::json;

use super::lifecycle::{cancelled, end};
use super::{Done, Entry};
use crate::error::Failure;
use crate::read::run_id;
use crate::record::{Ending, Fence, Held, Lease, Mode, RunState};
use crate::sql::{all, execute, one, only};

/// Begins the attempt after `fence.attempt` of a run that nobody works on, attached to the process that claims it.
pub(super) fn claim(connection: &Connection, fence: &Fence, lease: &Lease) -> Result<Done, Failure> {
    let claimed: Option<(i64, i64, i64)> = one(
        connection,
        "UPDATE runs SET state = 'running', mode = 'attached', attempts = attempts + 1, last_seq = last_seq + 1,
                owner = ?3, lease_until = (SELECT now_ms FROM clock) + ?4, problem = NULL, finished_at = NULL,
                cancel_requested_at = NULL, recoveries = 0
         WHERE id = ?1 AND attempts = ?2 AND state IN ('pending', 'interrupted', 'failed', 'cancelled', 'waiting')
         RETURNING attempts, last_seq, (SELECT now_ms FROM clock)",
        params![fence.run.as_str(), fence.attempt, &lease.owner, lease.for_ms],
        |row| row.try_into(),
    )?;
    let (attempt, seq, at) = claimed.ok_or_else(|| Failure::Fenced(fence.clone()))?;
    let mut entry = Entry::at(&fence.run, at, seq);
    entry.append(connection, "run.started", json!({ "attempt": attempt, "program": lease.program }))?;
    Ok(entry.done())
}

/// Takes the oldest pending runs of these tasks, each at its next attempt.
pub(super) fn take(connection: &Connection, lease: &Lease, tasks: &[String], limit: i64) -> Result<Done, Failure> {
    let known: String = tasks.iter().map(|task| format!(",{task},")).collect();
    let pending: Vec<String> = all(
        connection,
        "SELECT id FROM runs WHERE state = 'pending' AND ?1 LIKE '%,' || task || ',%' ORDER BY id LIMIT ?2",
        params![known, limit.max(0)],
        |row| row.get(0),
    )?;
    let mut done = Done::default();
    // An id that is none is damage that must not keep the rest waiting.
    for (id, run) in pending.iter().filter_map(|id| Some((id, RunId::parse(id)?))) {
        let (attempt, seq, at): (i64, i64, i64) = only(
            connection,
            "UPDATE runs SET state = 'running', attempts = attempts + 1, last_seq = last_seq + 1, owner = ?2,
                    lease_until = (SELECT now_ms FROM clock) + ?3
             WHERE id = ?1 RETURNING attempts, last_seq, (SELECT now_ms FROM clock)",
            params![id, &lease.owner, lease.for_ms],
            |row| row.try_into(),
        )?;
        let mut entry = Entry::at(&run, at, seq);
        entry.append(connection, "run.started", json!({ "attempt": attempt, "program": lease.program }))?;
        done.events.append(&mut entry.events);
        done.held.push(Held { fence: Fence { run, attempt }, cancel_requested: false });
    }
    done.runs = done.held.len();
    Ok(done)
}

/// Renews the lease of those runs that are still this owner's, and says which these are.
pub(super) fn renew(connection: &Connection, held: &[Fence], lease: &Lease) -> Result<Done, Failure> {
    let mut done = Done::default();
    for fence in held {
        let renewed: Option<bool> = one(
            connection,
            "UPDATE runs SET state = 'running', lease_until = (SELECT now_ms FROM clock) + ?4
             WHERE id = ?1 AND attempts = ?2 AND owner = ?3 AND state IN ('running', 'interrupted')
             RETURNING cancel_requested_at IS NOT NULL",
            params![fence.run.as_str(), fence.attempt, &lease.owner, lease.for_ms],
            |row| row.get(0),
        )?;
        done.held.extend(renewed.map(|cancel_requested| Held { fence: fence.clone(), cancel_requested }));
    }
    Ok(done)
}

/// Gives a queued run back, for another worker to take at once; an attached one waits to be resumed, and one that a user
/// asked to be stopped is.
pub(super) fn release(connection: &Connection, fence: &Fence) -> Result<Done, Failure> {
    let released: Option<(bool, i64, i64)> = one(
        connection,
        "UPDATE runs SET state = CASE mode WHEN 'queued' THEN 'pending' ELSE 'interrupted' END, lease_until = NULL,
                last_seq = last_seq + (cancel_requested_at IS NOT NULL)
         WHERE id = ?1 AND attempts = ?2 AND state IN ('running', 'interrupted')
         RETURNING cancel_requested_at IS NOT NULL, last_seq, (SELECT now_ms FROM clock)",
        params![fence.run.as_str(), fence.attempt],
        |row| row.try_into(),
    )?;
    let (stopped, seq, at) = released.ok_or_else(|| Failure::Fenced(fence.clone()))?;
    let mut entry = Entry::at(&fence.run, at, seq);
    if stopped {
        end(&mut entry, connection, &cancelled(&fence.run))?;
    }
    Ok(entry.done())
}

/// Leaves an interrupted run to the workers.
pub(super) fn requeue(connection: &Connection, fence: &Fence) -> Result<Done, Failure> {
    let requeued = execute(
        connection,
        "UPDATE runs SET state = 'pending', mode = 'queued', recoveries = 0
         WHERE id = ?1 AND attempts = ?2 AND state = 'interrupted'",
        params![fence.run.as_str(), fence.attempt],
    )?;
    if requeued == 0 { Err(Failure::Fenced(fence.clone())) } else { Ok(Done::default()) }
}

/// What is looked at before a run is taken from its owner.
struct AtWork {
    id: String,
    attempt: i64,
    mode: String,
    owner: Option<String>,
    lapsed: Option<bool>,
    cancel_requested: bool,
    recoveries: i64,
    position: i64,
}

impl AtWork {
    fn read(row: &Row<'_>) -> Result<AtWork, rusqlite::Error> {
        Ok(AtWork {
            id: row.get("id")?,
            attempt: row.get("attempts")?,
            mode: row.get("mode")?,
            owner: row.get("owner")?,
            lapsed: row.get("lapsed")?,
            cancel_requested: row.get("cancel_requested")?,
            recoveries: row.get("recoveries")?,
            position: row.get("position")?,
        })
    }
}

/// Takes every run from owners who are gone, or who gave no sign of life for longer than they may. What the asking
/// process itself holds is spared: it is alive, whatever the clock says. A row that cannot be read is left alone.
pub(super) fn reap(
    connection: &Connection,
    gone: &[String],
    spared: &[Fence],
    recoveries_max: i64,
) -> Result<Done, Failure> {
    let at_work: Vec<Option<AtWork>> = all(
        connection,
        "SELECT id, attempts, mode, owner, lease_until < (SELECT now_ms FROM clock) AS lapsed,
                cancel_requested_at IS NOT NULL AS cancel_requested, recoveries,
                (SELECT COUNT(*) FROM steps WHERE run = runs.id) AS position
         FROM runs WHERE state = 'running'",
        [],
        |row| Ok::<_, Failure>(AtWork::read(row).ok().filter(|run| RunId::parse(&run.id).is_some())),
    )?;
    let is_gone = |run: &AtWork| run.owner.as_ref().is_none_or(|owner| gone.contains(owner));
    let is_spared =
        |run: &AtWork| spared.iter().any(|fence| fence.run.as_str() == run.id && fence.attempt == run.attempt);
    let mut done = Done::default();
    let at_work = at_work.iter().flatten().filter(|run| !is_spared(run));
    for run in at_work.filter(|run| run.lapsed == Some(true) || is_gone(run)) {
        done.events.append(&mut reap_one(connection, run, recoveries_max)?);
        done.runs += 1;
    }
    Ok(done)
}

fn reap_one(connection: &Connection, run: &AtWork, recoveries_max: i64) -> Result<Vec<crate::Event>, Failure> {
    let id = run_id(&run.id)?;
    let ending = if run.cancel_requested {
        cancelled(&id)
    } else if run.mode == Mode::Attached.as_str() {
        execute(connection, "UPDATE runs SET state = 'interrupted' WHERE id = ?1", params![&run.id])?;
        return Ok(Vec::new());
    } else if run.recoveries < recoveries_max {
        execute(
            connection,
            "UPDATE runs SET state = 'pending', recoveries = recoveries + 1, lease_until = NULL WHERE id = ?1",
            params![&run.id],
        )?;
        return Ok(Vec::new());
    } else {
        given_up(&id, run)
    };
    let (seq, at): (i64, i64) = only(
        connection,
        "UPDATE runs SET last_seq = last_seq + 1 WHERE id = ?1 RETURNING last_seq, (SELECT now_ms FROM clock)",
        params![&run.id],
        |row| row.try_into(),
    )?;
    let mut entry = Entry::at(&id, at, seq);
    end(&mut entry, connection, &ending)?;
    Ok(entry.events)
}

/// A run that takes every worker down with it must not take the next one too.
fn given_up(id: &RunId, run: &AtWork) -> Ending {
    let workers = run.recoveries + 1;
    let message = format!("{workers} workers died or froze at step {} of the run", run.position);
    let problem = Problem::new(Code::WorkerLost, message)
        .hint(format!("find out what step {} does to them before it goes on", run.position))
        .action(Action::ResumeRun { run: id.clone() })
        .in_run(id);
    Ending { state: RunState::Failed, output: None, problem: Some(problem) }
}
