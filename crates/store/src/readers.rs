//! The connections that a process reads on: a few, lent to one reader each, made when they are first needed.
//!
//! A reader sees what was committed when it begins and waits neither for the writer nor for another reader, but where all
//! connections are lent; then it waits in turn, and blocks no thread meanwhile. Whether anybody committed is asked on a
//! connection of its own, because SQLite counts that for each connection.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use base::{Code, Problem};
use rusqlite::Connection;
use tokio::sync::Semaphore;

use crate::error::Failure;
use crate::open::{self, Access};
use crate::store::blocking;

/// How many read at once. More than there are processors, for who waits for the disk; each holds up to 2 MB of pages.
const READERS_MAX: usize = 8;
/// More than one for each processor and a few only cost memory.
const READERS_BESIDE: usize = 2;

pub(crate) struct Readers {
    inside: Arc<Inside>,
    places: Arc<Semaphore>,
}

struct Inside {
    database: PathBuf,
    idle: Mutex<Vec<Connection>>,
    alone: Mutex<Option<Connection>>,
}

impl Readers {
    /// None is connected yet: a command that only records a run does not pay for it.
    pub(crate) fn of(database: PathBuf) -> Readers {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let most = (processors + READERS_BESIDE).min(READERS_MAX);
        let inside = Inside { database, idle: Mutex::default(), alone: Mutex::default() };
        Readers { inside: Arc::new(inside), places: Arc::new(Semaphore::new(most)) }
    }

    /// Reads on a connection that nobody else reads on meanwhile.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Connection) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Problem> {
        let closed = |_| Problem::new(Code::Internal, "the store's readers have ended");
        let place = self.places.clone().acquire_owned().await.map_err(closed)?;
        let inside = self.inside.clone();
        blocking(move || {
            let _place = place;
            let lent = inside.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let connection = match lent {
                Some(connection) => connection,
                None => open::connect(&inside.database, Access::Read)?,
            };
            // One on which a read panicked is not given back, but dropped.
            let done = read(&connection).map_err(|failure| failure.into_problem(&inside.database));
            inside.idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
            done
        })
        .await
    }

    /// Reads on the connection that is always the same.
    pub(crate) async fn read_alone<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Connection) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Problem> {
        let inside = self.inside.clone();
        blocking(move || {
            // A read that panicked left nothing behind that the next one could stumble over.
            let mut alone = inside.alone.lock().unwrap_or_else(PoisonError::into_inner);
            if alone.is_none() {
                *alone = Some(open::connect(&inside.database, Access::Read)?);
            }
            let connection = alone.as_ref().expect("connected just above");
            read(connection).map_err(|failure| failure.into_problem(&inside.database))
        })
        .await
    }
}
