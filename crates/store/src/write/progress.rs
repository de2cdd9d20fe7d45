//! What a run records while it works: its steps and its files.

use base::{Hash, Timestamp};
use serde_json::{Value, json};
use sqlx::SqliteConnection;

use super::{Done, Entry};
use crate::INLINE_BYTES_MAX;
use crate::error::Failure;
use crate::record::{ArtifactRecord, Content, Fence, StepOutcome, StepRecord};

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

/// Where an output is kept.
pub(super) fn content(output: &str, artifact: Option<&ArtifactRecord>) -> Content {
    match artifact {
        Some(artifact) => Content::Artifact(artifact.sha256.clone()),
        None => Content::Inline(output.to_string()),
    }
}

pub(super) async fn commit_step(
    connection: &mut SqliteConnection,
    fence: &Fence,
    step: &StepOutcome,
) -> Result<Done, Failure> {
    let artifact = overflow(&step_output_name(step.position), &step.output);
    let files = artifact.iter().chain(&step.artifacts);
    let mut entry = Entry::by(connection, fence, 1 + files.clone().count() as i64).await?;
    let record = StepRecord {
        position: step.position,
        name: step.name.clone(),
        state: step.state,
        attempts: step.attempts,
        input_hash: step.input_hash.clone(),
        output_hash: Hash::of(step.output.as_bytes()),
        output: content(&step.output, artifact.as_ref()),
        finished_at: Timestamp(entry.at),
        duration_ms: step.duration_ms,
    };
    insert_step(connection, fence, &record).await?;
    if fence.attempt > 1 {
        // Who gets further is no danger to whoever works on it.
        sqlx::query("UPDATE runs SET recoveries = 0 WHERE id = $1 AND recoveries > 0")
            .bind(fence.run.as_str())
            .execute(&mut *connection)
            .await?;
    }
    for file in files {
        put_artifact(&mut entry, connection, file).await?;
    }
    entry.append(connection, "step.finished", step_finished(&record)).await?;
    Ok(entry.done())
}

/// The row of a step that this attempt recorded, or has from elsewhere.
pub(super) async fn insert_step(
    connection: &mut SqliteConnection,
    fence: &Fence,
    step: &StepRecord,
) -> Result<(), Failure> {
    let (output, output_artifact) = step.output.columns();
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
    .bind(step.output_hash.as_str())
    .bind(output)
    .bind(output_artifact)
    .bind(step.finished_at.0 - step.duration_ms as i64)
    .bind(step.finished_at.0)
    .bind(step.duration_ms)
    .execute(connection)
    .await?;
    Ok(())
}

pub(super) fn step_finished(step: &StepRecord) -> Value {
    json!({
        "index": step.position, "name": step.name, "state": step.state.as_str(), "attempts": step.attempts,
        "duration_ms": step.duration_ms, "output_hash": step.output_hash,
    })
}

/// Adding what is there already changes nothing, so that a resumed run may add its artifacts again.
pub(super) async fn add_artifact(
    connection: &mut SqliteConnection,
    fence: &Fence,
    artifact: &ArtifactRecord,
) -> Result<Done, Failure> {
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
        put_artifact(&mut entry, connection, artifact).await?;
    }
    Ok(entry.done())
}

pub(super) async fn put_artifact(
    entry: &mut Entry<'_>,
    connection: &mut SqliteConnection,
    artifact: &ArtifactRecord,
) -> Result<(), Failure> {
    insert_artifact(connection, entry.run.as_str(), artifact).await?;
    entry.append(connection, "artifact.added", artifact.document()).await
}

pub(super) async fn insert_artifact(
    connection: &mut SqliteConnection,
    run: &str,
    artifact: &ArtifactRecord,
) -> Result<(), Failure> {
    sqlx::query(
        "INSERT INTO artifacts (run, name, media_type, bytes, sha256) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (run, name) DO UPDATE
         SET media_type = excluded.media_type, bytes = excluded.bytes, sha256 = excluded.sha256",
    )
    .bind(run)
    .bind(&artifact.name)
    .bind(&artifact.media_type)
    .bind(artifact.bytes)
    .bind(artifact.sha256.as_str())
    .execute(connection)
    .await?;
    Ok(())
}
