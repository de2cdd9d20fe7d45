//! Reading rows back into records. Text that is none of ours is damage, never a guess.

use base::{Hash, RunId, Timestamp};
use rusqlite::{Connection, Row, params};
use serde_json::Value;

use crate::Event;
use crate::error::Failure;
use crate::record::{
    ArtifactRecord, Content, ForkPoint, Here, Journal, Mode, Question, RunRecord, RunState, RunSummary, StepRecord,
    StepState, Suspect,
};
use crate::sql::{all, one, only};

/// The run with its steps and artifacts, all as of one moment.
pub(crate) fn journal(connection: &Connection, id: &RunId) -> Result<Option<Journal>, Failure> {
    let snapshot = connection.unchecked_transaction()?;
    let journal = parts(&snapshot, id)?;
    snapshot.commit()?;
    Ok(journal)
}

/// The same, inside the caller's transaction.
pub(crate) fn parts(connection: &Connection, id: &RunId) -> Result<Option<Journal>, Failure> {
    parts_of(connection, id).map_err(|failure| failure.of_run(id))
}

fn parts_of(connection: &Connection, id: &RunId) -> Result<Option<Journal>, Failure> {
    let Some(run) = one(connection, "SELECT * FROM runs WHERE id = ?1", [id.as_str()], run)? else { return Ok(None) };
    let steps = "SELECT * FROM steps WHERE run = ?1 ORDER BY position";
    let artifacts = "SELECT * FROM artifacts WHERE run = ?1 ORDER BY name";
    Ok(Some(Journal {
        run,
        steps: all(connection, steps, [id.as_str()], step)?,
        artifacts: all(connection, artifacts, [id.as_str()], artifact)?,
    }))
}

/// Where a run stands.
pub(crate) fn standing(connection: &Connection, id: &RunId) -> Result<Option<RunState>, Failure> {
    let read = |row: &Row<'_>| word(row, "state", RunState::parse);
    one(connection, "SELECT state FROM runs WHERE id = ?1", [id.as_str()], read)
}

/// Where each of these runs stands, and the number of its last event.
pub(crate) fn marks(connection: &Connection, runs: &[RunId]) -> Result<Vec<(RunId, RunState, i64)>, Failure> {
    let ids: Vec<&str> = runs.iter().map(RunId::as_str).collect();
    let ids = serde_json::to_string(&ids).map_err(|error| Failure::Damaged(error.to_string()))?;
    let marks = "SELECT id, state, last_seq FROM runs WHERE id IN (SELECT value FROM json_each(?1))";
    all(connection, marks, [ids], |row| {
        Ok::<_, Failure>((run_id(text(row, "id")?)?, word(row, "state", RunState::parse)?, row.get("last_seq")?))
    })
}

/// When the oldest of the runs that wait for a worker was made.
pub(crate) fn waiting_since(connection: &Connection) -> Result<Option<Timestamp>, Failure> {
    let oldest = "SELECT MIN(created_at) FROM runs WHERE state = 'pending'";
    only(connection, oldest, [], |row| row.get::<_, Option<i64>>(0)).map(|at| at.map(Timestamp))
}

/// What a person decided about a question.
pub(crate) fn decision(connection: &Connection, run: &RunId, id: &str) -> Result<Option<bool>, Failure> {
    let decided = "SELECT allowed FROM approvals WHERE run = ?1 AND id = ?2";
    one(connection, decided, params![run.as_str(), id], |row| row.get::<_, Option<bool>>(0)).map(Option::flatten)
}

/// The questions of a run that nobody has decided yet, the oldest first.
pub(crate) fn questions(connection: &Connection, run: &RunId) -> Result<Vec<Question>, Failure> {
    let open = "SELECT id, action, detail FROM approvals WHERE run = ?1 AND allowed IS NULL ORDER BY asked_at, id";
    all(connection, open, params![run.as_str()], |row| {
        Ok::<_, rusqlite::Error>(Question { id: row.get(0)?, action: row.get(1)?, detail: row.get(2)? })
    })
}

/// Every owner that is said to be at work.
pub(crate) fn suspects(connection: &Connection) -> Result<Vec<Suspect>, Failure> {
    let owners =
        "SELECT owner, MAX(lease_until < (SELECT now_ms FROM clock)) FROM runs WHERE state = 'running' GROUP BY owner";
    let rows = all(connection, owners, [], |row| {
        let read: Result<(Option<String>, Option<bool>), rusqlite::Error> = row.try_into();
        Ok::<_, Failure>(read.ok())
    })?;
    // An owner that cannot be read is damage of one run, which must not hide all others.
    let suspects = rows.into_iter().flatten();
    Ok(suspects
        .map(|(owner, lapsed)| Suspect { owner: owner.unwrap_or_default(), lapsed: lapsed == Some(true) })
        .collect())
}

/// How many runs wait for a worker, and how many are in a worker's hands.
pub(crate) fn queue(connection: &Connection) -> Result<(i64, i64), Failure> {
    let counts = "SELECT (SELECT COUNT(*) FROM runs WHERE state = 'pending'),
                         (SELECT COUNT(*) FROM runs WHERE state = 'running' AND mode = 'queued')";
    only(connection, counts, [], |row| row.try_into())
}

/// How many runs there are of each task in each state.
pub(crate) fn tally(connection: &Connection) -> Result<Vec<(String, String, i64)>, Failure> {
    let counts = "SELECT task, state, COUNT(*) FROM runs GROUP BY task, state ORDER BY task, state";
    all(connection, counts, [], |row| row.try_into())
}

/// How many runs wait that a worker takes before this one; they are taken in the order of their ids.
pub(crate) fn waiting_before(connection: &Connection, id: &RunId) -> Result<i64, Failure> {
    let before = "SELECT COUNT(*) FROM runs WHERE state = 'pending' AND id < ?1";
    only(connection, before, [id.as_str()], |row| row.get(0))
}

/// Those of an owner's runs that a user asked to be stopped.
pub(crate) fn cancel_requests(connection: &Connection, owner: &str) -> Result<Vec<RunId>, Failure> {
    let asked = "SELECT id FROM runs WHERE owner = ?1 AND state = 'running' AND cancel_requested_at IS NOT NULL";
    all(connection, asked, [owner], |row| run_id(&row.get::<_, String>(0)?))
}

/// A number that is another whenever somebody else has committed since.
pub(crate) fn version(connection: &Connection) -> Result<i64, Failure> {
    only(connection, "PRAGMA data_version", [], |row| row.get(0))
}

/// The outputs of steps of a name that ended at a moment or later and were performed by runs of this store: not those
/// that came with a capsule, nor those that a fork took over from the run it forked.
pub(crate) fn outputs_since(connection: &Connection, name: &str, since: Timestamp) -> Result<Vec<Content>, Failure> {
    let outputs = "SELECT steps.output, steps.output_artifact FROM steps JOIN runs ON runs.id = steps.run
         WHERE steps.name = ?1 AND steps.finished_at >= ?2 AND runs.imported_at IS NULL
           AND (runs.forked_step IS NULL OR steps.position >= runs.forked_step)";
    let found: Vec<Option<Content>> = all(connection, outputs, params![name, since.0], content)?;
    Ok(found.into_iter().flatten().collect())
}

/// The durable events after a number, in order.
pub(crate) fn events(connection: &Connection, id: &RunId, after: i64, limit: i64) -> Result<Vec<Event>, Failure> {
    let events = "SELECT seq, at, type, data FROM events WHERE run = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3";
    all(connection, events, params![id.as_str(), after, limit], |row| event(row, id).map_err(|it| it.of_run(id)))
}

fn run(row: &Row<'_>) -> Result<RunRecord, Failure> {
    let id = text(row, "id")?;
    let forked_from = match row.get::<_, Option<String>>("forked_from")? {
        Some(run) => Some(ForkPoint { run: run_id(&run)?, step: row.get("forked_step")? }),
        None => None,
    };
    let input = json(text(row, "input")?)?;
    let input_hash = row.get::<_, Option<String>>("input_hash")?.map(|text| hash(&text)).transpose()?;
    if input_hash.as_ref().is_some_and(|hash| *hash != Hash::of_json(&input)) {
        return Err(Failure::Damaged("its input is not what was recorded".to_string()));
    }
    Ok(RunRecord {
        id: run_id(id)?,
        task: row.get("task")?,
        state: word(row, "state", RunState::parse)?,
        mode: word(row, "mode", Mode::parse)?,
        key: row.get("key")?,
        title: row.get("title")?,
        input,
        input_hash,
        output: content(row)?,
        problem: row.get::<_, Option<String>>("problem")?.map(|text| json(&text)).transpose()?,
        forked_from,
        attempts: row.get("attempts")?,
        program: row.get("program")?,
        created_at: Timestamp(row.get("created_at")?),
        finished_at: moment(row, "finished_at")?,
        last_seq: row.get("last_seq")?,
        here: Here {
            owner: row.get("owner")?,
            recoveries: row.get("recoveries")?,
            imported_at: moment(row, "imported_at")?,
        },
    })
}

pub(crate) fn summary(row: &Row<'_>) -> Result<RunSummary, Failure> {
    Ok(RunSummary {
        id: run_id(text(row, "id")?)?,
        task: row.get("task")?,
        state: word(row, "state", RunState::parse)?,
        mode: word(row, "mode", Mode::parse)?,
        key: row.get("key")?,
        title: row.get("title")?,
        owner: row.get("owner")?,
        created_at: Timestamp(row.get("created_at")?),
        finished_at: moment(row, "finished_at")?,
    })
}

/// Damage is said to be this step's.
fn step(row: &Row<'_>) -> Result<StepRecord, Failure> {
    read_step(row).map_err(|failure| match failure {
        Failure::Damaged(what) => {
            let position = row.get::<_, i64>("position").map_or("?".to_string(), |position| position.to_string());
            Failure::Damaged(format!("step {position}: {what}"))
        }
        other => other,
    })
}

fn read_step(row: &Row<'_>) -> Result<StepRecord, Failure> {
    let output_hash = hash(text(row, "output_hash")?)?;
    let output = content(row)?.ok_or_else(|| Failure::Damaged("it has no output".to_string()))?;
    if matches!(&output, Content::Inline(text) if Hash::of(text.as_bytes()) != output_hash) {
        return Err(Failure::Damaged("its output is not what was recorded".to_string()));
    }
    Ok(StepRecord {
        position: row.get("position")?,
        name: row.get("name")?,
        state: word(row, "state", StepState::parse)?,
        attempts: row.get("attempts")?,
        finished_at: Timestamp(row.get("finished_at")?),
        duration_ms: row.get("duration_ms")?,
        input_hash: hash(text(row, "input_hash")?)?,
        output_hash,
        output,
    })
}

fn artifact(row: &Row<'_>) -> Result<ArtifactRecord, Failure> {
    Ok(ArtifactRecord {
        name: row.get("name")?,
        media_type: row.get("media_type")?,
        bytes: row.get("bytes")?,
        sha256: hash(text(row, "sha256")?)?,
    })
}

fn event(row: &Row<'_>, run: &RunId) -> Result<Event, Failure> {
    Ok(Event {
        run: run.clone(),
        seq: Some(row.get("seq")?),
        at: Timestamp(row.get("at")?),
        kind: row.get("type")?,
        data: json(text(row, "data")?)?,
    })
}

pub(crate) fn content(row: &Row<'_>) -> Result<Option<Content>, Failure> {
    let text: Option<String> = row.get("output")?;
    if let Some(text) = text {
        json(&text)?;
        return Ok(Some(Content::Inline(text)));
    }
    let artifact: Option<String> = row.get("output_artifact")?;
    artifact.map(|sha256| hash(&sha256).map(Content::Artifact)).transpose()
}

/// Text without a copy of it.
fn text<'r>(row: &'r Row<'_>, column: &str) -> Result<&'r str, Failure> {
    let value = row.get_ref(column)?;
    value.as_str().map_err(|error| Failure::Damaged(format!("a {column} is no text: {error}")))
}

fn word<T>(row: &Row<'_>, column: &str, parse: fn(&str) -> Option<T>) -> Result<T, Failure> {
    let text = text(row, column)?;
    parse(text).ok_or_else(|| Failure::Damaged(format!("`{text}` is no {column}")))
}

fn moment(row: &Row<'_>, column: &str) -> Result<Option<Timestamp>, Failure> {
    Ok(row.get::<_, Option<i64>>(column)?.map(Timestamp))
}

pub(crate) fn run_id(text: &str) -> Result<RunId, Failure> {
    RunId::parse(text).ok_or_else(|| Failure::Damaged(format!("`{text}` is no run id")))
}

fn hash(text: &str) -> Result<Hash, Failure> {
    Hash::parse(text).ok_or_else(|| Failure::Damaged(format!("`{text}` is no hash")))
}

fn json(text: &str) -> Result<Value, Failure> {
    serde_json::from_str(text).map_err(|error| Failure::Damaged(format!("a row holds broken JSON: {error}")))
}
