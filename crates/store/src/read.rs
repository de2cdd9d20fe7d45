//! Reading rows back into records. Text that is none of ours is damage, never a guess.

use base::{Hash, RunId, Timestamp};
use serde_json::Value;
use sqlx::sqlite::SqliteRow;
use sqlx::{Connection, Row, SqliteConnection};

use crate::Event;
use crate::error::Failure;
use crate::record::{
    ArtifactRecord, Content, ForkPoint, Journal, Mode, RunRecord, RunState, RunSummary, StepRecord, StepState, Suspect,
};

/// The run with its steps and artifacts, all as of one moment.
pub(crate) async fn journal(connection: &mut SqliteConnection, id: &RunId) -> Result<Option<Journal>, Failure> {
    let mut snapshot = connection.begin().await?;
    let journal = parts(&mut snapshot, id).await?;
    snapshot.commit().await?;
    Ok(journal)
}

/// The same, inside the caller's transaction.
pub(crate) async fn parts(connection: &mut SqliteConnection, id: &RunId) -> Result<Option<Journal>, Failure> {
    let row = sqlx::query("SELECT * FROM runs WHERE id = $1").bind(id.as_str());
    let Some(row) = row.fetch_optional(&mut *connection).await? else { return Ok(None) };
    let steps = sqlx::query("SELECT * FROM steps WHERE run = $1 ORDER BY position").bind(id.as_str());
    let steps = steps.fetch_all(&mut *connection).await?;
    let artifacts = sqlx::query("SELECT * FROM artifacts WHERE run = $1 ORDER BY name").bind(id.as_str());
    let artifacts = artifacts.fetch_all(connection).await?;
    Ok(Some(Journal {
        run: run(&row)?,
        steps: steps.iter().map(step).collect::<Result<_, _>>()?,
        artifacts: artifacts.iter().map(artifact).collect::<Result<_, _>>()?,
    }))
}

/// Where a run stands.
pub(crate) async fn standing(connection: &mut SqliteConnection, id: &RunId) -> Result<Option<RunState>, Failure> {
    let row = sqlx::query("SELECT state FROM runs WHERE id = $1").bind(id.as_str()).fetch_optional(connection).await?;
    row.map(|row| word(&row, "state", RunState::parse)).transpose()
}

/// Every owner that is said to be at work.
pub(crate) async fn suspects(connection: &mut SqliteConnection) -> Result<Vec<Suspect>, Failure> {
    let rows: Vec<(Option<String>, Option<bool>)> = sqlx::query_as(
        "SELECT owner, MAX(lease_until < (SELECT now_ms FROM clock)) FROM runs WHERE state = 'running' GROUP BY owner",
    )
    .fetch_all(connection)
    .await?;
    let suspect = |(owner, lapsed): (Option<String>, Option<bool>)| Suspect {
        owner: owner.unwrap_or_default(),
        lapsed: lapsed == Some(true),
    };
    Ok(rows.into_iter().map(suspect).collect())
}

/// How many runs wait for a worker, and how many are in a worker's hands.
pub(crate) async fn queue(connection: &mut SqliteConnection) -> Result<(i64, i64), Failure> {
    let counts = sqlx::query_as(
        "SELECT (SELECT COUNT(*) FROM runs WHERE state = 'pending'),
                (SELECT COUNT(*) FROM runs WHERE state = 'running' AND mode = 'queued')",
    );
    Ok(counts.fetch_one(connection).await?)
}

/// Those of an owner's runs that a user asked to be stopped.
pub(crate) async fn cancel_requests(connection: &mut SqliteConnection, owner: &str) -> Result<Vec<RunId>, Failure> {
    let ids: Vec<String> = sqlx::query_scalar(
        "SELECT id FROM runs WHERE owner = $1 AND state = 'running' AND cancel_requested_at IS NOT NULL",
    )
    .bind(owner)
    .fetch_all(connection)
    .await?;
    ids.iter().map(|id| run_id(id)).collect()
}

/// A number that is another whenever somebody else has committed since.
pub(crate) async fn version(connection: &mut SqliteConnection) -> Result<i64, Failure> {
    Ok(sqlx::query_scalar("PRAGMA data_version").fetch_one(connection).await?)
}

/// The durable events after a number, in order.
pub(crate) async fn events(
    connection: &mut SqliteConnection,
    id: &RunId,
    after: i64,
    limit: i64,
) -> Result<Vec<Event>, Failure> {
    let rows = sqlx::query("SELECT seq, at, type, data FROM events WHERE run = $1 AND seq > $2 ORDER BY seq LIMIT $3")
        .bind(id.as_str())
        .bind(after)
        .bind(limit)
        .fetch_all(connection)
        .await?;
    rows.iter().map(|row| event(row, id)).collect()
}

fn run(row: &SqliteRow) -> Result<RunRecord, Failure> {
    let id: &str = row.try_get("id")?;
    let forked_from = match optional::<String>(row, "forked_from")? {
        Some(run) => Some(ForkPoint { run: run_id(&run)?, step: row.try_get("forked_step")? }),
        None => None,
    };
    let input = json(row.try_get("input")?)?;
    let input_hash = optional::<String>(row, "input_hash")?.map(|text| hash(&text)).transpose()?;
    if input_hash.as_ref().is_some_and(|hash| *hash != Hash::of_json(&input)) {
        return Err(Failure::Damaged(format!("the input of run `{id}` is not what was recorded")));
    }
    Ok(RunRecord {
        id: run_id(id)?,
        task: row.try_get("task")?,
        state: word(row, "state", RunState::parse)?,
        mode: word(row, "mode", Mode::parse)?,
        key: row.try_get("key")?,
        title: row.try_get("title")?,
        input,
        input_hash,
        output: content(row)?,
        problem: optional::<String>(row, "problem")?.map(|text| json(&text)).transpose()?,
        forked_from,
        attempts: row.try_get("attempts")?,
        program: row.try_get("program")?,
        owner: row.try_get("owner")?,
        created_at: Timestamp(row.try_get("created_at")?),
        finished_at: optional(row, "finished_at")?.map(Timestamp),
        last_seq: row.try_get("last_seq")?,
        recoveries: row.try_get("recoveries")?,
        cancel_requested: optional::<i64>(row, "cancel_requested_at")?.is_some(),
        imported_at: optional(row, "imported_at")?.map(Timestamp),
    })
}

pub(crate) fn summary(row: &SqliteRow) -> Result<RunSummary, Failure> {
    Ok(RunSummary {
        id: run_id(row.try_get("id")?)?,
        task: row.try_get("task")?,
        state: word(row, "state", RunState::parse)?,
        mode: word(row, "mode", Mode::parse)?,
        key: row.try_get("key")?,
        title: row.try_get("title")?,
        owner: row.try_get("owner")?,
        created_at: Timestamp(row.try_get("created_at")?),
        finished_at: optional(row, "finished_at")?.map(Timestamp),
    })
}

fn step(row: &SqliteRow) -> Result<StepRecord, Failure> {
    let position: i64 = row.try_get("position")?;
    let damaged = |what: &str| Failure::Damaged(format!("step {position} of run `{}` {what}", run_of(row)));
    let output_hash = hash(row.try_get("output_hash")?)?;
    let output = content(row).map_err(|_| damaged("has an output that is broken JSON"))?;
    let output = output.ok_or_else(|| damaged("has no output"))?;
    if matches!(&output, Content::Inline(text) if Hash::of(text.as_bytes()) != output_hash) {
        return Err(damaged("has another output than was recorded"));
    }
    Ok(StepRecord {
        position,
        name: row.try_get("name")?,
        state: word(row, "state", StepState::parse)?,
        attempts: row.try_get("attempts")?,
        input_hash: hash(row.try_get("input_hash")?)?,
        output_hash,
        output,
        finished_at: Timestamp(row.try_get("finished_at")?),
        duration_ms: row.try_get("duration_ms")?,
    })
}

fn run_of(row: &SqliteRow) -> String {
    row.try_get("run").unwrap_or_default()
}

fn artifact(row: &SqliteRow) -> Result<ArtifactRecord, Failure> {
    Ok(ArtifactRecord {
        name: row.try_get("name")?,
        media_type: row.try_get("media_type")?,
        bytes: row.try_get("bytes")?,
        sha256: hash(row.try_get("sha256")?)?,
    })
}

fn event(row: &SqliteRow, run: &RunId) -> Result<Event, Failure> {
    Ok(Event {
        run: run.clone(),
        seq: Some(row.try_get("seq")?),
        at: Timestamp(row.try_get("at")?),
        kind: row.try_get("type")?,
        data: json(row.try_get("data")?)?,
    })
}

fn content(row: &SqliteRow) -> Result<Option<Content>, Failure> {
    let text: Option<String> = row.try_get("output")?;
    if let Some(text) = text {
        json(&text)?;
        return Ok(Some(Content::Inline(text)));
    }
    let artifact: Option<String> = row.try_get("output_artifact")?;
    artifact.map(|sha256| hash(&sha256).map(Content::Artifact)).transpose()
}

fn optional<'r, T>(row: &'r SqliteRow, column: &str) -> Result<Option<T>, Failure>
where
    Option<T>: sqlx::Decode<'r, sqlx::Sqlite> + sqlx::Type<sqlx::Sqlite>,
{
    Ok(row.try_get(column)?)
}

fn word<T>(row: &SqliteRow, column: &str, parse: fn(&str) -> Option<T>) -> Result<T, Failure> {
    let text: &str = row.try_get(column)?;
    parse(text).ok_or_else(|| Failure::Damaged(format!("`{text}` is no {column}")))
}

fn run_id(text: &str) -> Result<RunId, Failure> {
    RunId::parse(text).ok_or_else(|| Failure::Damaged(format!("`{text}` is no run id")))
}

fn hash(text: &str) -> Result<Hash, Failure> {
    Hash::parse(text).ok_or_else(|| Failure::Damaged(format!("`{text}` is no hash")))
}

fn json(text: &str) -> Result<Value, Failure> {
    serde_json::from_str(text).map_err(|error| Failure::Damaged(format!("a row holds broken JSON: {error}")))
}
