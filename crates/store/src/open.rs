//! From a directory's name to a connection whose tables are ours and current.
//!
//! ```text
//! directory -> store.lock shared -> connect -> version? -- current --> use
//!                  ^                              | behind
//!                  +---- release <- migrate <- exclusive (nobody else uses the store)
//! ```
//!
//! Two processes that meet an empty directory both try for the exclusive lock; the loser looks again and finds the
//! work done. A failure on the way leaves at most an empty database of version 0, which the next one treats as new.

use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use base::{Choice, Code, Problem};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use crate::error::{Failure, io_problem, not_a_directory};
use crate::lock::StoreLock;
use crate::schema::{self, Standing};
use crate::sql::STATEMENTS_MAX;

/// How long to wait for somebody who is changing the tables, or who uses them while we want to.
const LOCK_WAIT: Duration = Duration::from_secs(2);
const LOCK_POLL: Duration = Duration::from_millis(5);
/// How long one process may wait for another's commit.
pub(crate) const BUSY_TIMEOUT: Duration = Duration::from_secs(60);

/// A log of a megabyte is read in a moment when the next command opens the store.
const PRAGMAS: &str = "PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 256";

/// Where the pieces of a store lie.
#[derive(Clone, Debug)]
pub(crate) struct Places {
    pub(crate) data_dir: PathBuf,
    pub(crate) database: PathBuf,
    pub(crate) artifacts: PathBuf,
}

impl Places {
    /// Absolute, so that a later change of the working directory does not split the store in two.
    pub(crate) fn below(data_dir: &Path) -> Result<Places, Problem> {
        let data_dir = std::path::absolute(data_dir).map_err(|error| io_problem(data_dir, &error))?;
        Ok(Places { database: data_dir.join("store.db"), artifacts: data_dir.join("artifacts"), data_dir })
    }
}

/// Opens the store for writing, creating or migrating it where needed; the lock is held shared.
pub(crate) fn open(places: &Places) -> Result<(Connection, StoreLock), Problem> {
    create_directory(&places.data_dir)?;
    let lock_path = places.data_dir.join("store.lock");
    let lock = StoreLock::open(&lock_path).map_err(|error| denied(&places.data_dir, &error))?;
    let lock_problem = |error: io::Error| io_problem(&lock_path, &error);
    let deadline = Instant::now() + LOCK_WAIT;
    let mut connection = None;
    loop {
        if lock.try_shared().map_err(lock_problem)? {
            let connected = match connection.take() {
                Some(connected) => connected,
                None => connect(&places.database, Access::Write)?,
            };
            let connected = connection.insert(connected);
            let Standing::Behind(version) = schema::standing(connected, &places.database)? else {
                lock.mark().map_err(lock_problem)?;
                break;
            };
            if version == 0 && lock.is_marked().map_err(lock_problem)? {
                return Err(gone(places));
            }
            lock.release().map_err(lock_problem)?;
            if lock.try_exclusive().map_err(lock_problem)? {
                // Somebody may have been faster between the two locks.
                if schema::standing(connected, &places.database)? == Standing::Behind(version) {
                    schema::migrate(connected, &places.database, version)?;
                    sync_directory(&places.data_dir)?;
                }
                lock.release().map_err(lock_problem)?;
                continue;
            }
        }
        if Instant::now() >= deadline {
            return Err(locked(&places.data_dir, lock.holder()));
        }
        std::thread::sleep(LOCK_POLL);
    }
    Ok((connection.expect("the loop ends only after it connected"), lock))
}

/// What a connection is for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    Write,
    Read,
}

pub(crate) fn connect(database: &Path, access: Access) -> Result<Connection, Problem> {
    let flags = match access {
        Access::Write => OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE,
        Access::Read => OpenFlags::SQLITE_OPEN_READ_ONLY,
    };
    let connected = Connection::open_with_flags(database, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX);
    let prepared = connected.and_then(|connection| {
        connection.busy_timeout(BUSY_TIMEOUT)?;
        connection.set_prepared_statement_cache_capacity(STATEMENTS_MAX);
        // What is in the log is safe there. To move it into the database at the end of every command would take three
        // more syncs each time, so that is done by whichever commit finds the log long.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        connection.execute_batch(PRAGMAS)?;
        Ok(connection)
    });
    prepared.map_err(|error| Failure::from(error).into_problem(database))
}

fn create_directory(directory: &Path) -> Result<(), Problem> {
    match std::fs::metadata(directory) {
        Ok(found) if found.is_dir() => Ok(()),
        Ok(_) => Err(not_a_directory(directory)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(directory)
            // Every level may be new.
            .and_then(|()| {
                directory.ancestors().skip(1).filter(|level| level.is_dir()).take(8).try_for_each(sync_if_ours)
            })
            .map_err(|error| io_problem(directory, &error)),
        Err(error) => Err(denied(directory, &error)),
    }
}

/// Tells a directory that cannot be looked into from one that cannot be written.
fn denied(directory: &Path, error: &io::Error) -> Problem {
    let unreadable = error.kind() == io::ErrorKind::PermissionDenied && std::fs::read_dir(directory).is_err();
    if !unreadable {
        return io_problem(directory, error);
    }
    Problem::new(Code::FileUnreadable, format!("cannot read the data directory `{}`: {error}", directory.display()))
        .hint("make it readable, or use another data directory")
        .action(Choice::DataDir)
}

/// A directory that may not be read is nobody's new one.
fn sync_if_ours(directory: &Path) -> io::Result<()> {
    match sync(directory) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(()),
        other => other,
    }
}

/// Makes the names in a directory survive a power cut.
pub(crate) fn sync(directory: &Path) -> io::Result<()> {
    std::fs::File::open(directory)?.sync_all()
}

fn sync_directory(directory: &Path) -> Result<(), Problem> {
    sync(directory).map_err(|error| io_problem(directory, &error))
}

fn locked(directory: &Path, holder: Option<u32>) -> Problem {
    let who = holder.map_or("another process".to_string(), |pid| format!("process {pid}"));
    Problem::new(Code::StoreLocked, format!("the store in `{}` is held by {who}", directory.display()))
        .hint("wait until that process ends: the store's tables can be changed only while nobody uses them")
}

/// An empty database where a store was is no new store: who goes on would not notice that everything is lost.
fn gone(places: &Places) -> Problem {
    let message = format!("the store in `{}` is gone: its database is empty or missing", places.data_dir.display());
    Problem::new(Code::JournalDamaged, message)
        .hint("restore store.db from a backup; to begin anew, remove store.db and store.lock")
}
