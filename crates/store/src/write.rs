//! Every change a run can undergo, and the statements that make it.
//!
//! A change is data, so that the writer can commit many together. Each first enters the run's row, which checks the
//! fence, numbers the change's events and reads the clock in one statement; nothing is written past a failed fence.

use base::{Hash, RunId, Timestamp};
use serde_json::{Value, json};
use sqlx::SqliteConnection;

use crate::error::Failure;
use crate::record::{ArtifactRecord, Content, Ending, Fence, Mode, NewRun, RunState, StepOutcome};
use crate::{Event, INLINE_BYTES_MAX};

/// One change.
pub(crate) enum Write {
    Create(NewRun),
    Claim { fence: Fence, owner: String },
    Interrupt { owner: String },
    Step { fence: Fence, step: StepOutcome },
    Artifact { fence: Fence, artifact: ArtifactRecord },
    Finish { fence: Fence, ending: Ending },
}

/// Makes the change inside the caller's transaction; gives the events it appended.
pub(crate) async fn apply(write: &Write, connection: &mut SqliteConnection) -> Result<Vec<Event>, Failure> {
    match write {
        Write::Create(run) => create(connection, run).await,
        Write::Claim { fence, owner } => claim(connection, fence, owner).await,
        Write::Interrupt { owner } => interrupt(connection, owner).await,
        Write::Step { fence, step } => commit_step(connection, fence, step).await,
        Write::Artifact { fence, artifact } => add_artifact(connection, fence, artifact).await,
        Write::Finish { fence, ending } => finish(connection, fence, ending).await,
    }
}

/// What an output becomes: its text, or an artifact of the run if it is large. The file itself is written before.
pub(crate) fn overflow(name: &str, output: &str) -> Option<ArtifactRecord> {
    (output.len() > INLINE_BYTES_MAX).then(|| ArtifactRecord {
        name: name.to_string(),
        media_type: "application/json".to_string(),
        bytes: output.len() as i64,
        sha256: Hash::of(output.as_bytes()),
    })
}

pub(crate) fn step_output_name(position: i64) -> String {
    format!("steps/{position}/output.json")
}

pub(crate) const RUN_OUTPUT_NAME: &str = "run/output.json";

/// The two columns of an output.
fn columns<'a>(output: &'a str, artifact: Option<&'a ArtifactRecord>) -> (Option<&'a str>, Option<&'a str>) {
    match artifact {
        Some(artifact) => (None, Some(artifact.sha256.as_str())),
        None => (Some(output), None),
    }
}

/// A run's row, entered: the time of the change and the numbers of its events.
struct Entry<'a> {
    run: &'a RunId,
    at: i64,
    next_seq: i64,
    events: Vec<Event>,
}

impl<'a> Entry<'a> {
    /// Checks the fence and reserves numbers for that many events. An update rather than a query, so that the row is
    /// locked where the database has row locks.
    async fn by(connection: &mut SqliteConnection, fence: &'a Fence, events: i64) -> Result<Entry<'a>, Failure> {
        let entered: Option<(i64, i64)> = sqlx::query_as(
            "UPDATE runs SET last_seq = last_seq + $3 WHERE id = $1 AND attempts = $2 AND state = 'running'
             RETURNING last_seq, (SELECT now_ms FROM clock)",
        )
        .bind(fence.run.as_str())
        .bind(fence.attempt)
        .bind(events)
        .fetch_optional(connection)
        .await?;
        let (last_seq, at) = entered.ok_or_else(|| Failure::Fenced(fence.clone()))?;
        Ok(Entry { run: &fence.run, at, next_seq: last_seq - events + 1, events: Vec::new() })
    }

    async fn append(&mut self, connection: &mut SqliteConnection, kind: &str, data: Value) -> Result<(), Failure> {
        sqlx::query("INSERT INTO events (run, seq, at, type, data) VALUES ($1, $2, $3, $4, $5)")
            .bind(self.run.as_str())
            .bind(self.next_seq)
            .bind(self.at)
            .bind(kind)
            .bind(data.to_string())
            .execute(connection)
            .await?;
        self.events.push(Event {
            run: self.run.clone(),
            seq: Some(self.next_seq),
            at: Timestamp(self.at),
            kind: kind.to_string(),
            data,
        });
        self.next_seq += 1;
        Ok(())
    }

    async fn put_artifact(
        &mut self,
        connection: &mut SqliteConnection,
        artifact: &ArtifactRecord,
    ) -> Result<(), Failure> {
        sqlx::query(
            "INSERT INTO artifacts (run, name, media_type, bytes, sha256) VALUES ($1, $2, $3, $4, $5)
             ON CONFLICT (run, name) DO UPDATE
             SET media_type = excluded.media_type, bytes = excluded.bytes, sha256 = excluded.sha256",
        )
        .bind(self.run.as_str())
        .bind(&artifact.name)
        .bind(&artifact.media_type)
        .bind(artifact.bytes)
        .bind(artifact.sha256.as_str())
        .execute(&mut *connection)
        .await?;
        self.append(connection, "artifact.added", artifact.document()).await
    }
}

async fn create(connection: &mut SqliteConnection, run: &NewRun) -> Result<Vec<Event>, Failure> {
    let at: i64 = sqlx::query_scalar(
        "INSERT INTO runs (id, task, state, mode, title, input, attempts, program, owner, created_at, last_seq)
         VALUES ($1, $2, $3, $4, $5, $6, 1, $7, $8, (SELECT now_ms FROM clock), 2) RETURNING created_at",
    )
    .bind(run.id.as_str())
    .bind(&run.task)
    .bind(RunState::Running.as_str())
    .bind(Mode::Attached.as_str())
    .bind(&run.title)
    .bind(run.input.to_string())
    .bind(&run.program)
    .bind(&run.owner)
    .fetch_one(&mut *connection)
    .await?;
    let mut entry = Entry { run: &run.id, at, next_seq: 1, events: Vec::new() };
    entry.append(connection, "run.created", json!({ "task": run.task, "input": run.input })).await?;
    entry.append(connection, "run.started", json!({ "attempt": 1 })).await?;
    Ok(entry.events)
}

/// Begins the attempt after `fence.attempt` of a run that nobody works on.
async fn claim(connection: &mut SqliteConnection, fence: &Fence, owner: &str) -> Result<Vec<Event>, Failure> {
    let claimed: Option<(i64, i64, i64)> = sqlx::query_as(
        "UPDATE runs SET state = 'running', attempts = attempts + 1, last_seq = last_seq + 1, owner = $3,
                problem = NULL, finished_at = NULL
         WHERE id = $1 AND attempts = $2 AND state IN ('interrupted', 'failed', 'cancelled')
         RETURNING attempts, last_seq, (SELECT now_ms FROM clock)",
    )
    .bind(fence.run.as_str())
    .bind(fence.attempt)
    .bind(owner)
    .fetch_optional(&mut *connection)
    .await?;
    let (attempt, next_seq, at) = claimed.ok_or_else(|| Failure::Fenced(fence.clone()))?;
    let mut entry = Entry { run: &fence.run, at, next_seq, events: Vec::new() };
    entry.append(connection, "run.started", json!({ "attempt": attempt })).await?;
    Ok(entry.events)
}

async fn interrupt(connection: &mut SqliteConnection, owner: &str) -> Result<Vec<Event>, Failure> {
    sqlx::query("UPDATE runs SET state = 'interrupted' WHERE owner = $1 AND state = 'running' AND mode = 'attached'")
        .bind(owner)
        .execute(connection)
        .await?;
    Ok(Vec::new())
}

async fn commit_step(
    connection: &mut SqliteConnection,
    fence: &Fence,
    step: &StepOutcome,
) -> Result<Vec<Event>, Failure> {
    let artifact = overflow(&step_output_name(step.position), &step.output);
    let (output, output_artifact) = columns(&step.output, artifact.as_ref());
    let output_hash = Hash::of(step.output.as_bytes());
    let mut entry = Entry::by(connection, fence, 1 + i64::from(artifact.is_some())).await?;
    sqlx::query(
        "INSERT INTO steps (run, position, name, state, attempts, run_attempt, input_hash, output_hash, output,
                            output_artifact, started_at, finished_at, duration_ms)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)",
    )
    .bind(fence.run.as_str())
    .bind(step.position)
    .bind(&step.name)
    .bind(step.state.as_str())
    .bind(step.attempts)
    .bind(fence.attempt)
    .bind(step.input_hash.as_str())
    .bind(output_hash.as_str())
    .bind(output)
    .bind(output_artifact)
    .bind(entry.at - step.duration_ms as i64)
    .bind(entry.at)
    .bind(step.duration_ms)
    .execute(&mut *connection)
    .await?;
    if let Some(artifact) = &artifact {
        entry.put_artifact(connection, artifact).await?;
    }
    let data = json!({
        "index": step.position, "name": step.name, "state": step.state.as_str(), "attempts": step.attempts,
        "duration_ms": step.duration_ms, "output_hash": output_hash,
    });
    entry.append(connection, "step.finished", data).await?;
    Ok(entry.events)
}

/// Adding what is there already changes nothing, so that a resumed run may add its artifacts again.
async fn add_artifact(
    connection: &mut SqliteConnection,
    fence: &Fence,
    artifact: &ArtifactRecord,
) -> Result<Vec<Event>, Failure> {
    let same: Option<i64> =
        sqlx::query_scalar("SELECT 1 FROM artifacts WHERE run = $1 AND name = $2 AND sha256 = $3 AND media_type = $4")
            .bind(fence.run.as_str())
            .bind(&artifact.name)
            .bind(artifact.sha256.as_str())
            .bind(&artifact.media_type)
            .fetch_optional(&mut *connection)
            .await?;
    let mut entry = Entry::by(connection, fence, i64::from(same.is_none())).await?;
    if same.is_none() {
        entry.put_artifact(connection, artifact).await?;
    }
    Ok(entry.events)
}

async fn finish(connection: &mut SqliteConnection, fence: &Fence, ending: &Ending) -> Result<Vec<Event>, Failure> {
    let artifact = ending.output.as_deref().and_then(|output| overflow(RUN_OUTPUT_NAME, output));
    let (output, output_artifact) = match &ending.output {
        Some(output) => columns(output, artifact.as_ref()),
        None => (None, None),
    };
    let shown = match (&artifact, output) {
        (Some(artifact), _) => Content::Artifact(artifact.sha256.clone()).document(),
        (None, Some(output)) => Content::Inline(output.to_string()).document(),
        (None, None) => Value::Null,
    };
    let problem = ending.problem.as_ref().map(|problem| json!(problem));
    let mut entry = Entry::by(connection, fence, 1 + i64::from(artifact.is_some())).await?;
    sqlx::query(
        "UPDATE runs SET state = $2, output = $3, output_artifact = $4, problem = $5, finished_at = $6 WHERE id = $1",
    )
    .bind(fence.run.as_str())
    .bind(ending.state.as_str())
    .bind(output)
    .bind(output_artifact)
    .bind(problem.as_ref().map(Value::to_string))
    .bind(entry.at)
    .execute(&mut *connection)
    .await?;
    if let Some(artifact) = &artifact {
        entry.put_artifact(connection, artifact).await?;
    }
    let data = json!({ "state": ending.state.as_str(), "output": shown, "problem": problem });
    entry.append(connection, "run.finished", data).await?;
    Ok(entry.events)
}
