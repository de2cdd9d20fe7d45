//! The tables, as numbered migrations, and how a store gets from one version to the next.
//!
//! `PRAGMA user_version` counts the migrations applied. All that are missing run in one transaction, so a store has
//! either the old version or the new one. Statements elsewhere are plain SQL; what differs between databases (the
//! clock) hides behind the view `clock`.

use std::path::Path;

use base::{Choice, Code, Problem};
use rusqlite::Connection;

use crate::error::{Failure, damaged};
use crate::sql::only;

const MIGRATIONS: &[&str] = &[
    "
CREATE VIEW clock AS SELECT CAST(ROUND(unixepoch('subsec') * 1000) AS INTEGER) AS now_ms;

CREATE TABLE runs (
    id              TEXT NOT NULL PRIMARY KEY,
    task            TEXT NOT NULL,
    state           TEXT NOT NULL,
    mode            TEXT NOT NULL,
    key             TEXT,
    title           TEXT,
    input           TEXT NOT NULL,
    output          TEXT,
    output_artifact TEXT,
    problem         TEXT,
    forked_from     TEXT,
    forked_step     BIGINT,
    attempts        BIGINT NOT NULL,
    program         TEXT NOT NULL,
    owner           TEXT,
    created_at      BIGINT NOT NULL,
    finished_at     BIGINT,
    last_seq        BIGINT NOT NULL
);
CREATE UNIQUE INDEX runs_by_key ON runs (key) WHERE key IS NOT NULL;
CREATE INDEX runs_running ON runs (owner) WHERE state = 'running';

CREATE TABLE steps (
    run             TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    position        BIGINT NOT NULL,
    name            TEXT NOT NULL,
    state           TEXT NOT NULL,
    attempts        BIGINT NOT NULL,
    run_attempt     BIGINT NOT NULL,
    input_hash      TEXT NOT NULL,
    output_hash     TEXT NOT NULL,
    output          TEXT,
    output_artifact TEXT,
    started_at      BIGINT NOT NULL,
    finished_at     BIGINT NOT NULL,
    duration_ms     DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (run, position)
);

CREATE TABLE events (
    run  TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    seq  BIGINT NOT NULL,
    at   BIGINT NOT NULL,
    type TEXT NOT NULL,
    data TEXT NOT NULL,
    PRIMARY KEY (run, seq)
);

CREATE TABLE artifacts (
    run        TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    name       TEXT NOT NULL,
    media_type TEXT NOT NULL,
    bytes      BIGINT NOT NULL,
    sha256     TEXT NOT NULL,
    PRIMARY KEY (run, name)
);
",
    "
ALTER TABLE runs ADD COLUMN input_hash TEXT;
ALTER TABLE runs ADD COLUMN lease_until BIGINT;
ALTER TABLE runs ADD COLUMN cancel_requested_at BIGINT;
ALTER TABLE runs ADD COLUMN recoveries BIGINT NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN imported_at BIGINT;

DROP INDEX runs_by_key;
CREATE UNIQUE INDEX runs_by_key ON runs (key) WHERE key IS NOT NULL AND imported_at IS NULL;
CREATE INDEX runs_pending ON runs (id) WHERE state = 'pending';
CREATE INDEX runs_by_time ON runs (created_at, id);
",
    "
CREATE TABLE recalls (
    key     TEXT NOT NULL PRIMARY KEY,
    run     TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    about   TEXT NOT NULL,
    bytes   BIGINT NOT NULL,
    uses    BIGINT NOT NULL,
    made_at BIGINT NOT NULL,
    used_at BIGINT NOT NULL
);
CREATE INDEX recalls_by_run ON recalls (run);

CREATE TABLE threads (
    run  TEXT NOT NULL PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
    name TEXT NOT NULL
);
CREATE INDEX threads_by_name ON threads (name);
",
    "
CREATE TABLE lessons (
    id              TEXT NOT NULL PRIMARY KEY,
    kind            TEXT NOT NULL,
    task            TEXT NOT NULL,
    task_key        TEXT NOT NULL,
    checks          TEXT,
    error_signature TEXT,
    code            TEXT,
    fix             TEXT,
    outcome         TEXT NOT NULL,
    run             TEXT,
    created_at      BIGINT NOT NULL,
    hidden          BIGINT NOT NULL,
    imported        BIGINT NOT NULL
);
CREATE INDEX lessons_by_task ON lessons (task_key);
CREATE INDEX lessons_by_signature ON lessons (error_signature) WHERE error_signature IS NOT NULL;

CREATE TABLE lesson_uses (
    lesson TEXT NOT NULL REFERENCES lessons (id) ON DELETE CASCADE,
    run    TEXT NOT NULL,
    helped BIGINT NOT NULL,
    PRIMARY KEY (lesson, run)
);

CREATE TABLE approvals (
    run        TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    id         TEXT NOT NULL,
    action     TEXT NOT NULL,
    detail     TEXT NOT NULL,
    asked_at   BIGINT NOT NULL,
    allowed    BIGINT,
    decided_at BIGINT,
    PRIMARY KEY (run, id)
);
",
    "
CREATE TABLE tokens (
    id         TEXT NOT NULL PRIMARY KEY,
    name       TEXT NOT NULL,
    owner      TEXT NOT NULL,
    scopes     TEXT NOT NULL,
    sha256     TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT,
    revoked_at BIGINT
);
",
    "
ALTER TABLE lessons ADD COLUMN seq BIGINT NOT NULL DEFAULT 0;
UPDATE lessons SET seq = numbered.seq
    FROM (SELECT id, ROW_NUMBER() OVER (ORDER BY created_at, id) AS seq FROM lessons) AS numbered
    WHERE numbered.id = lessons.id;
CREATE INDEX lessons_by_seq ON lessons (seq);

CREATE TABLE lesson_changes (seq BIGINT NOT NULL);
INSERT INTO lesson_changes SELECT COUNT(*) FROM lessons;
",
];

/// The version a store has after every migration.
pub(crate) const VERSION: usize = MIGRATIONS.len();

/// What has to be done before a store of some version can be used.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    Current,
    Behind(usize),
}

/// Compares the store's version with ours; one from the future is a problem.
pub(crate) fn standing(connection: &Connection, database: &Path) -> Result<Standing, Problem> {
    let version: i64 = only(connection, "PRAGMA user_version", [], |row| row.get(0))
        .map_err(|failure| failure.into_problem(database))?;
    match usize::try_from(version) {
        Ok(version) if version == VERSION => Ok(Standing::Current),
        Ok(version) if version < VERSION => Ok(Standing::Behind(version)),
        _ => Err(Problem::new(
            Code::StoreNewer,
            format!("store `{}` has version {version}, this program knows {}", database.display(), VERSION),
        )
        .hint("use the newer program that wrote it, or another data directory")
        .action(Choice::DataDir)),
    }
}

/// Applies what is missing. The caller holds the store's lock exclusively.
pub(crate) fn migrate(connection: &Connection, database: &Path, version: usize) -> Result<(), Problem> {
    if version == 0 {
        prepare_empty(connection, database)?;
    }
    let missing = MIGRATIONS[version..].concat();
    let script = format!("BEGIN IMMEDIATE; {missing} PRAGMA user_version = {VERSION}; COMMIT");
    connection.execute_batch(&script).map_err(|error| {
        // The error is what counts; SQLite may have rolled back already.
        let _ = connection.execute_batch("ROLLBACK");
        Failure::from(error).into_problem(database)
    })
}

/// Refuses somebody else's database, and switches an empty one to write-ahead logging, which then stays.
fn prepare_empty(connection: &Connection, database: &Path) -> Result<(), Problem> {
    let problem = |failure: Failure| failure.into_problem(database);
    let tables: i64 = only(connection, "SELECT COUNT(*) FROM sqlite_master", [], |row| row.get(0)).map_err(problem)?;
    if tables > 0 {
        return Err(damaged(database, "it is a database, but not a store of this program"));
    }
    let mode: String = only(connection, "PRAGMA journal_mode = WAL", [], |row| row.get(0)).map_err(problem)?;
    if mode == "wal" {
        return Ok(());
    }
    Err(Problem::new(
        Code::StoreReadonly,
        format!("`{}` lies where write-ahead logging does not work", database.display()),
    )
    .hint("use a data directory on a local disk")
    .action(Choice::DataDir))
}
