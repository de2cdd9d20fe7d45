//! What a run records while it works: its steps and its files.

use base::{Hash, Timestamp};
use rusqlite::{Connection, params};
use serde_json::{Value, json};

use super::{Done, Entry};
use crate::INLINE_BYTES_MAX;
use crate::error::Failure;
use crate::record::{ArtifactRecord, Content, Fence, StepOutcome, StepRecord};
use crate::sql::{execute, one};

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

pub(super) fn commit_step(connection: &Connection, fence: &Fence, step: &StepOutcome) -> Result<Done, Failure> {
    let artifact = overflow(&step_output_name(step.position), &step.output);
    let files = artifact.iter().chain(&step.artifacts);
    let mut entry = Entry::by(connection, fence, 1 + files.clone().count() as i64)?;
    let record = StepRecord {
        position: step.position,
        name: step.name.clone(),
        state: step.state,
        attempts: step.attempts,
        finished_at: Timestamp(entry.at),
        duration_ms: step.duration_ms,
        input_hash: step.input_hash.clone(),
        output_hash: Hash::of(step.output.as_bytes()),
        output: content(&step.output, artifact.as_ref()),
    };
    insert_step(connection, fence, &record)?;
    if fence.attempt > 1 {
        // Who gets further is no danger to whoever works on it.
        execute(
            connection,
            "UPDATE runs SET recoveries = 0 WHERE id = ?1 AND recoveries > 0",
            params![fence.run.as_str()],
        )?;
    }
    for file in files {
        put_artifact(&mut entry, connection, file)?;
    }
    entry.append(connection, "step.finished", step_finished(&record))?;
    Ok(entry.done())
}

/// The row of a step that this attempt recorded, or has from elsewhere.
pub(super) fn insert_step(connection: &Connection, fence: &Fence, step: &StepRecord) -> Result<(), Failure> {
    let (output, output_artifact) = step.output.columns();
    execute(
        connection,
        "INSERT INTO steps (run, position, name, state, attempts, run_attempt, input_hash, output_hash, output,
                            output_artifact, started_at, finished_at, duration_ms)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
        params![
            fence.run.as_str(),
            step.position,
            &step.name,
            step.state.as_str(),
            step.attempts,
            fence.attempt,
            step.input_hash.as_str(),
            step.output_hash.as_str(),
            output,
            output_artifact,
            step.finished_at.0.saturating_sub(step.duration_ms as i64),
            step.finished_at.0,
            step.duration_ms
        ],
    )?;
    Ok(())
}

pub(super) fn step_finished(step: &StepRecord) -> Value {
    json!({
        "index": step.position, "name": step.name, "state": step.state, "attempts": step.attempts,
        "duration_ms": step.duration_ms, "output_hash": step.output_hash,
    })
}

/// Adding what is there already changes nothing, so that a resumed run may add its artifacts again.
pub(super) fn add_artifact(connection: &Connection, fence: &Fence, artifact: &ArtifactRecord) -> Result<Done, Failure> {
    let same: Option<i64> = one(
        connection,
        "SELECT 1 FROM artifacts WHERE run = ?1 AND name = ?2 AND sha256 = ?3 AND media_type = ?4",
        params![fence.run.as_str(), &artifact.name, artifact.sha256.as_str(), &artifact.media_type],
        |row| row.get(0),
    )?;
    let mut entry = Entry::by(connection, fence, i64::from(same.is_none()))?;
    if same.is_none() {
        put_artifact(&mut entry, connection, artifact)?;
    }
    Ok(entry.done())
}

pub(super) fn put_artifact(
    entry: &mut Entry<'_>,
    connection: &Connection,
    artifact: &ArtifactRecord,
) -> Result<(), Failure> {
    insert_artifact(connection, entry.run.as_str(), artifact)?;
    entry.append(connection, "artifact.added", json!(artifact))
}

pub(super) fn insert_artifact(connection: &Connection, run: &str, artifact: &ArtifactRecord) -> Result<(), Failure> {
    execute(
        connection,
        "INSERT INTO artifacts (run, name, media_type, bytes, sha256) VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT (run, name) DO UPDATE
         SET media_type = excluded.media_type, bytes = excluded.bytes, sha256 = excluded.sha256",
        params![run, &artifact.name, &artifact.media_type, artifact.bytes, artifact.sha256.as_str()],
    )?;
    Ok(())
}
