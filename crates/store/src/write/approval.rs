//! A run that asks a person: it is given back until somebody has decided, and the decision is recorded.
//!
//! ```text
//! running --wait--> waiting --decide--> waiting (attached: a user goes on with it) | pending (queued: a worker does)
//! ```

use base::RunId;
use rusqlite::{Connection, params};
use serde_json::json;

use super::{Done, Entry};
use crate::error::Failure;
use crate::record::{Fence, Question, RunState};
use crate::sql::{all, execute, one, only};

/// Ends the attempt without ending the run. A question that was asked before is not told again.
pub(super) fn wait(connection: &Connection, fence: &Fence, question: &Question) -> Result<Done, Failure> {
    let asked = execute(
        connection,
        "INSERT INTO approvals (run, id, action, detail, asked_at) VALUES (?1, ?2, ?3, ?4, (SELECT now_ms FROM clock))
         ON CONFLICT DO NOTHING",
        params![fence.run.as_str(), &question.id, &question.action, &question.detail],
    )?;
    let mut entry = Entry::by(connection, fence, asked as i64)?;
    if asked > 0 {
        let data = json!({ "id": question.id, "action": question.action, "detail": question.detail });
        entry.append(connection, "approval.requested", data)?;
    }
    execute(
        connection,
        "UPDATE runs SET state = 'waiting', lease_until = NULL, owner = NULL WHERE id = ?1",
        params![fence.run.as_str()],
    )?;
    Ok(entry.done())
}

/// Records a decision about what a waiting run asks, the oldest question where none is named; `runs` counts it.
pub(super) fn decide(connection: &Connection, run: &RunId, id: Option<&str>, allowed: bool) -> Result<Done, Failure> {
    let open: Vec<String> = all(
        connection,
        "SELECT approvals.id FROM approvals JOIN runs ON runs.id = approvals.run
         WHERE run = ?1 AND allowed IS NULL AND runs.state = 'waiting' AND (?2 IS NULL OR approvals.id = ?2)
         ORDER BY asked_at, approvals.id LIMIT 1",
        params![run.as_str(), id],
        |row| row.get(0),
    )?;
    let Some(id) = open.first() else { return Ok(Done::default()) };
    execute(
        connection,
        "UPDATE approvals SET allowed = ?3, decided_at = (SELECT now_ms FROM clock) WHERE run = ?1 AND id = ?2",
        params![run.as_str(), id, allowed],
    )?;
    let (seq, at): (i64, i64) = only(
        connection,
        "UPDATE runs SET last_seq = last_seq + 1,
                state = CASE mode WHEN 'queued' THEN 'pending' ELSE state END
         WHERE id = ?1 RETURNING last_seq, (SELECT now_ms FROM clock)",
        params![run.as_str()],
        |row| row.try_into(),
    )?;
    let mut entry = Entry::at(run, at, seq);
    entry.append(connection, "approval.given", json!({ "id": id, "allowed": allowed }))?;
    let state: Option<String> =
        one(connection, "SELECT state FROM runs WHERE id = ?1", params![run.as_str()], |row| row.get(0))?;
    Ok(Done { runs: 1, state: state.as_deref().and_then(RunState::parse), ..entry.done() })
}
