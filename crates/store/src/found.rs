//! How a finished run is found again other than by its id: by the key of what it answers, or by the thread it is in.
//!
//! Only rows that point at runs; what was answered is in the journal and nowhere else. A run that is deleted takes its
//! rows along, and a row that is removed leaves its run as it is. A run that came from a capsule has none.

use base::{Hash, RunId, Timestamp};
use rusqlite::{Connection, Row, params};
use schemars::JsonSchema;
use serde::Serialize;

use crate::error::Failure;
use crate::read;
use crate::record::{Content, RunState};
use crate::sql::{all, execute, one, only};

/// What a run that ends is to be found by.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FoundBy {
    /// Instead of doing the same again.
    pub recall: Option<Recall>,
    /// As the latest of several that belong together.
    pub thread: Option<String>,
}

/// A key under which a run's output stands for that of others, and how much may stand there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recall {
    /// Equal exactly where the output would be.
    pub key: Hash,
    /// What it is about, by which keys can be listed and removed.
    pub about: String,
    /// How many keys stay, the latest used first.
    pub rows_max: i64,
    /// How many bytes of outputs their runs may have together, likewise.
    pub bytes_max: i64,
}

/// A key and the run it leads to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RecallRecord {
    /// The key.
    pub key: String,
    /// The run that last gave the output.
    pub run: String,
    /// What it is about.
    pub about: String,
    /// The run's line for lists.
    pub title: Option<String>,
    /// Of the output.
    pub bytes: i64,
    /// How often it was given.
    pub uses: i64,
    /// When it was computed.
    pub made_at: Timestamp,
    /// When it was last given.
    pub used_at: Timestamp,
}

/// A thread and its latest run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ThreadRecord {
    /// What it is called.
    pub name: String,
    /// How many runs are in it.
    pub runs: i64,
    /// The line of its latest run.
    pub title: Option<String>,
    /// When its latest run ended.
    pub used_at: Timestamp,
}

/// A run of a thread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ThreadRun {
    /// Its name.
    pub run: String,
    /// Its line for lists.
    pub title: Option<String>,
    /// How it ended.
    pub state: RunState,
    /// When.
    pub finished_at: Timestamp,
}

/// Writes down what a run that ended just now is found by.
pub(crate) fn keep(connection: &Connection, run: &RunId, bytes: usize, by: &FoundBy) -> Result<(), Failure> {
    if let Some(recall) = &by.recall {
        execute(
            connection,
            "INSERT INTO recalls (key, run, about, bytes, uses, made_at, used_at)
             VALUES (?1, ?2, ?3, ?4, 1, (SELECT now_ms FROM clock), (SELECT now_ms FROM clock))
             ON CONFLICT (key) DO UPDATE SET run = excluded.run, bytes = excluded.bytes, uses = recalls.uses + 1,
                 used_at = excluded.used_at",
            params![recall.key.as_str(), run.as_str(), &recall.about, bytes as i64],
        )?;
        let leaving = "DELETE FROM recalls WHERE key IN (
                 SELECT key FROM (
                     SELECT key, ROW_NUMBER() OVER latest AS place, SUM(bytes) OVER latest AS total FROM recalls
                     WINDOW latest AS (ORDER BY used_at DESC, key ROWS UNBOUNDED PRECEDING)
                 ) AS placed WHERE place > ?1 OR total > ?2)";
        execute(connection, leaving, params![recall.rows_max, recall.bytes_max])?;
    }
    if let Some(thread) = &by.thread {
        let join = "INSERT INTO threads (name, run) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
        execute(connection, join, params![thread, run.as_str()])?;
    }
    Ok(())
}

/// The run that a key leads to, with its output.
pub(crate) fn recalled(connection: &Connection, key: &Hash) -> Result<Option<(RunId, Content)>, Failure> {
    let found = "SELECT runs.id, runs.output, runs.output_artifact FROM recalls JOIN runs ON runs.id = recalls.run
         WHERE recalls.key = ?1 AND runs.state = 'succeeded'";
    one(connection, found, params![key.as_str()], with_output).map(Option::flatten)
}

/// The run of a thread that last succeeded, this one apart, with its output.
pub(crate) fn latest(
    connection: &Connection,
    thread: &str,
    without: &RunId,
) -> Result<Option<(RunId, Content)>, Failure> {
    let found = "SELECT runs.id, runs.output, runs.output_artifact FROM threads JOIN runs ON runs.id = threads.run
         WHERE threads.name = ?1 AND runs.state = 'succeeded' AND runs.id <> ?2
         ORDER BY runs.finished_at DESC, runs.id DESC LIMIT 1";
    one(connection, found, params![thread, without.as_str()], with_output).map(Option::flatten)
}

fn with_output(row: &Row<'_>) -> Result<Option<(RunId, Content)>, Failure> {
    let run = read::run_id(&row.get::<_, String>("id")?)?;
    Ok(read::content(row)?.map(|output| (run, output)))
}

/// The keys there are, latest used first.
pub(crate) fn recalls(connection: &Connection, about: Option<&str>) -> Result<Vec<RecallRecord>, Failure> {
    let listed = "SELECT recalls.key, run, about, title, bytes, uses, made_at, used_at
         FROM recalls JOIN runs ON runs.id = recalls.run
         WHERE ?1 IS NULL OR about = ?1 ORDER BY used_at DESC, recalls.key";
    all(connection, listed, params![about], |row| {
        Ok::<_, Failure>(RecallRecord {
            key: row.get("key")?,
            run: row.get("run")?,
            about: row.get("about")?,
            title: row.get("title")?,
            bytes: row.get("bytes")?,
            uses: row.get("uses")?,
            made_at: Timestamp(row.get("made_at")?),
            used_at: Timestamp(row.get("used_at")?),
        })
    })
}

/// Removes keys that were last used before the moment; gives how many, and the bytes of what they led to.
pub(crate) fn forget(
    connection: &Connection,
    about: Option<&str>,
    used_before: Option<Timestamp>,
) -> Result<(usize, i64), Failure> {
    let chosen = "(?1 IS NULL OR about = ?1) AND (?2 IS NULL OR used_at < ?2)";
    let before = used_before.map(|at| at.0);
    let bytes: i64 = only(
        connection,
        &format!("SELECT COALESCE(SUM(bytes), 0) FROM recalls WHERE {chosen}"),
        params![about, before],
        |row| row.get(0),
    )?;
    let removed = execute(connection, &format!("DELETE FROM recalls WHERE {chosen}"), params![about, before])?;
    Ok((removed, bytes))
}

/// The threads there are, latest used first.
pub(crate) fn threads(connection: &Connection) -> Result<Vec<ThreadRecord>, Failure> {
    let listed = "SELECT name, number, title, finished_at FROM (
             SELECT threads.name, runs.title, runs.finished_at, COUNT(*) OVER whole AS number,
                    ROW_NUMBER() OVER latest AS place
             FROM threads JOIN runs ON runs.id = threads.run
             WINDOW whole AS (PARTITION BY threads.name),
                    latest AS (PARTITION BY threads.name ORDER BY runs.finished_at DESC, runs.id DESC)
         ) AS placed WHERE place = 1 ORDER BY finished_at DESC, name";
    all(connection, listed, [], |row| {
        Ok::<_, Failure>(ThreadRecord {
            name: row.get("name")?,
            runs: row.get("number")?,
            title: row.get("title")?,
            used_at: Timestamp(row.get("finished_at")?),
        })
    })
}

/// The runs of a thread, oldest first.
pub(crate) fn thread(connection: &Connection, name: &str) -> Result<Vec<ThreadRun>, Failure> {
    let listed = "SELECT runs.id, runs.title, runs.state, runs.finished_at
         FROM threads JOIN runs ON runs.id = threads.run WHERE threads.name = ?1
         ORDER BY runs.finished_at, runs.id";
    all(connection, listed, params![name], |row| {
        let state: String = row.get("state")?;
        let unknown = || Failure::Damaged(format!("`{state}` is no state"));
        Ok::<_, Failure>(ThreadRun {
            run: row.get("id")?,
            title: row.get("title")?,
            state: RunState::parse(&state).ok_or_else(unknown)?,
            finished_at: Timestamp(row.get("finished_at")?),
        })
    })
}

/// Lets a thread's runs go; says how many it had.
pub(crate) fn disband(connection: &Connection, name: &str) -> Result<usize, Failure> {
    execute(connection, "DELETE FROM threads WHERE name = ?1", params![name])
}
