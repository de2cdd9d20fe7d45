//! What can go wrong in the store, and which problem of the shared table each cause is.

use std::io;
use std::path::Path;

use base::{Action, Choice, Code, Problem, RunId};

use crate::Fence;

/// Why a write was not made.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Error {
    /// Another attempt owns the run now, or it has ended: whoever gets this must stop working on it.
    #[error("attempt {attempt} of run `{run}` no longer owns it")]
    Fenced {
        /// The run.
        run: RunId,
        /// The attempt that was refused.
        attempt: i64,
    },
    /// Another run has the key.
    #[error("the key belongs to run `{run}`")]
    KeyTaken {
        /// The run that has it.
        run: RunId,
    },
    /// A run of that id is there already.
    #[error("there is a run `{run}` already")]
    Exists {
        /// The run.
        run: RunId,
    },
    /// The store itself failed.
    #[error(transparent)]
    Problem(#[from] Problem),
}

impl From<Error> for Problem {
    fn from(error: Error) -> Problem {
        match error {
            Error::Problem(problem) => problem,
            Error::Fenced { ref run, .. } => Problem::new(Code::RunBusy, error.to_string())
                .hint("another process took it over, or it was stopped")
                .action(Action::FollowRun { run: run.clone() })
                .in_run(run),
            Error::KeyTaken { ref run } => Problem::new(Code::KeyConflict, error.to_string()).in_run(run),
            Error::Exists { ref run } => Problem::new(Code::RunExists, error.to_string()).in_run(run),
        }
    }
}

/// A failure inside one statement or row, before it is known which file it is about.
#[derive(Debug)]
pub(crate) enum Failure {
    Fenced(Fence),
    KeyTaken(RunId),
    Exists(RunId),
    Sql(rusqlite::Error),
    Damaged(String),
    DamagedRun(RunId, String),
    Panicked,
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Failure {
        use rusqlite::Error::{FromSqlConversionFailure, InvalidColumnType, Utf8Error};
        match error {
            FromSqlConversionFailure(..) | InvalidColumnType(..) | Utf8Error(..) => {
                Failure::Damaged(format!("a row holds something else than was written: {error}"))
            }
            error => Failure::Sql(error),
        }
    }
}

impl Failure {
    pub(crate) fn into_error(self, database: &Path) -> Error {
        match self {
            Failure::Fenced(Fence { run, attempt }) => Error::Fenced { run, attempt },
            Failure::KeyTaken(run) => Error::KeyTaken { run },
            Failure::Exists(run) => Error::Exists { run },
            Failure::Sql(error) => Error::Problem(sql_problem(database, &error)),
            Failure::Damaged(what) => Error::Problem(damaged(database, &what)),
            Failure::Panicked => {
                let problem = Problem::new(Code::Internal, "a change of the store could not be made");
                Error::Problem(problem.hint("please report what you did; nothing of it was recorded"))
            }
            Failure::DamagedRun(run, what) => {
                let problem = Problem::new(Code::JournalDamaged, format!("run `{run}` is damaged: {what}"));
                Error::Problem(
                    problem.hint("other runs are not touched by it; a backup may still have this one").in_run(&run),
                )
            }
        }
    }

    /// Damage that is in one run's rows.
    pub(crate) fn of_run(self, run: &RunId) -> Failure {
        match self {
            Failure::Damaged(what) => Failure::DamagedRun(run.clone(), what),
            other => other,
        }
    }

    /// Whether another process is writing.
    pub(crate) fn is_busy(&self) -> bool {
        matches!(self, Failure::Sql(error) if error.sqlite_error_code() == Some(rusqlite::ErrorCode::DatabaseBusy))
    }

    pub(crate) fn into_problem(self, database: &Path) -> Problem {
        self.into_error(database).into()
    }
}

/// The problem behind an error of SQLite on this file.
pub(crate) fn sql_problem(database: &Path, error: &rusqlite::Error) -> Problem {
    let code = error.sqlite_error().map(|error| error.extended_code);
    let store = format!("store `{}`", database.display());
    match code.map(|code| code & 0xff) {
        // SQLITE_IOERR_SHMSIZE: the file that processes share could not grow.
        _ if code == Some(4874) => disk_full(database),
        // SQLITE_PERM, SQLITE_READONLY
        Some(3 | 8) => readonly(database, error),
        // SQLITE_BUSY, SQLITE_LOCKED
        Some(5 | 6) => Problem::new(Code::StoreLocked, format!("{store} is busy: another process writes for too long"))
            .hint("try again when it is done"),
        // SQLITE_IOERR
        Some(10) => Problem::new(Code::DiskFailed, format!("{store} cannot be read or written: {error}"))
            .hint("check the disk and the system's log; what was recorded before is safe"),
        // SQLITE_CORRUPT, SQLITE_NOTADB
        Some(11 | 26) => damaged(database, &error.to_string()),
        // SQLITE_FULL
        Some(13) => disk_full(database),
        // SQLITE_CANTOPEN
        Some(14) => cannot_open(database, error),
        _ => Problem::new(Code::Internal, format!("{store} failed: {error}")),
    }
}

/// The problem behind an error of the file system on this path.
pub(crate) fn io_problem(path: &Path, error: &io::Error) -> Problem {
    use io::ErrorKind::{NotADirectory, PermissionDenied, QuotaExceeded, ReadOnlyFilesystem, StorageFull};
    match error.kind() {
        PermissionDenied | ReadOnlyFilesystem => readonly(path, error),
        StorageFull | QuotaExceeded => disk_full(path),
        NotADirectory => not_a_directory(path),
        _ => Problem::new(Code::FileUnreadable, format!("cannot use `{}`: {error}", path.display()))
            .hint("use another data directory")
            .action(Choice::DataDir),
    }
}

pub(crate) fn not_a_directory(path: &Path) -> Problem {
    Problem::new(Code::SettingInvalid, format!("the data directory `{}` is not a directory", path.display()))
        .hint("use another data directory")
        .action(Choice::DataDir)
}

pub(crate) fn damaged(path: &Path, what: &str) -> Problem {
    Problem::new(Code::JournalDamaged, format!("`{}` is damaged: {what}", path.display()))
        .hint("move it away and restore it from a backup, or use another data directory")
        .action(Choice::DataDir)
}

fn disk_full(path: &Path) -> Problem {
    Problem::new(Code::DiskFull, format!("no space is left to write `{}`", path.display()))
        .hint("free some space and try again; what was recorded before is safe")
}

fn readonly(path: &Path, cause: &dyn std::fmt::Display) -> Problem {
    Problem::new(Code::StoreReadonly, format!("cannot write `{}`: {cause}", path.display()))
        .hint("make it writable, or use another data directory")
        .action(Choice::DataDir)
}

/// SQLite says only that it cannot open a file; whether the directory takes a new one tells why.
fn cannot_open(database: &Path, error: &rusqlite::Error) -> Problem {
    let directory = database.parent().unwrap_or(database);
    match tempfile::tempfile_in(directory) {
        Err(cause) => io_problem(directory, &cause),
        Ok(_) => Problem::new(Code::FileUnreadable, format!("cannot open `{}`: {error}", database.display()))
            .hint("check who owns it and its permissions"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_database_that_may_not_grow_is_a_full_disk() {
        let connection = rusqlite::Connection::open_in_memory().expect("in memory");
        let fill = "PRAGMA max_page_count = 3; CREATE TABLE t (x); INSERT INTO t VALUES (zeroblob(100000))";
        let error = connection.execute_batch(fill).expect_err("three pages are too few");
        assert_eq!(sql_problem(Path::new("store.db"), &error).code, Code::DiskFull);
    }

    #[test]
    fn causes_of_the_file_system_are_told_apart() {
        let code = |kind: io::ErrorKind| io_problem(Path::new("x"), &io::Error::from(kind)).code;
        assert_eq!(code(io::ErrorKind::ReadOnlyFilesystem), Code::StoreReadonly);
        assert_eq!(code(io::ErrorKind::StorageFull), Code::DiskFull);
        assert_eq!(code(io::ErrorKind::NotADirectory), Code::SettingInvalid);
        assert_eq!(code(io::ErrorKind::InvalidInput), Code::FileUnreadable);
    }
}
