//! The task that owns the writing connection: group commit.
//!
//! It takes whatever has queued up, up to a limit, makes each change inside a savepoint, commits once, and only then
//! answers. A change that fails is rolled back alone; if the transaction itself fails, nobody is told "done".
//!
//! It lives on its caller's runtime and blocks that for as long as a commit is being synced, which is what the caller is
//! waiting for anyway: a thread of its own would cost two switches for each commit, more than the commit itself where
//! syncing is fast. Waiting for another process's transaction, which may be long, blocks nobody.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rusqlite::Connection;
use tokio::sync::{mpsc, oneshot};

use crate::error::Failure;
use crate::lock::StoreLock;
use crate::open::BUSY_TIMEOUT;
use crate::write::{self, Done, Write};
use crate::{Error, Pin, sql};

/// How many changes may share a commit, and how many may wait for the next.
pub(crate) const BATCH_MAX: usize = 64;

/// Between two looks whether another process's transaction has ended. Who has waited long looks seldom: hundreds that look
/// all the time would keep the one that writes from writing.
const PAUSE_FIRST: Duration = Duration::from_millis(1);
const PAUSE_MAX: Duration = Duration::from_millis(200);

/// A change and who waits for it.
pub(crate) struct Job {
    pub(crate) write: Write,
    pub(crate) reply: oneshot::Sender<Result<Done, Error>>,
    /// Keeps the files that the change names from being removed until it is committed.
    pub(crate) kept: Option<Pin>,
}

pub(crate) struct Writer {
    pub(crate) connection: Connection,
    /// Held shared for as long as there may be something to write.
    pub(crate) lock: StoreLock,
    pub(crate) database: PathBuf,
    pub(crate) jobs: mpsc::Receiver<Job>,
    pub(crate) commits: Arc<AtomicU64>,
}

impl Writer {
    /// Works until nobody can send any more.
    pub(crate) async fn run(mut self) {
        let mut batch = Vec::with_capacity(BATCH_MAX);
        while self.jobs.recv_many(&mut batch, BATCH_MAX).await > 0 {
            let waited_from = Instant::now();
            let mut pause = PAUSE_FIRST;
            let answers = loop {
                match self.begin() {
                    Ok(()) => break self.commit_unless_it_panics(&batch),
                    Err(failure) if failure.is_busy() && waited_from.elapsed() < BUSY_TIMEOUT => {
                        tokio::time::sleep(pause).await;
                        pause = (pause * 2).min(PAUSE_MAX);
                    }
                    Err(failure) => break Err(failure),
                }
            };
            if answers.is_err() {
                // SQLite may have rolled back by itself; what counts is that no transaction stays open.
                let _ = self.execute("ROLLBACK");
            }
            self.answer(&mut batch, answers);
        }
        drop(self.lock);
    }

    /// SQLite's own way of waiting would block the runtime.
    pub(crate) fn never_block_on_others(&self) -> Result<(), Failure> {
        Ok(self.connection.busy_timeout(Duration::ZERO)?)
    }

    /// Asks for the right to write; says at once if another process has it.
    fn begin(&self) -> Result<(), Failure> {
        self.execute("BEGIN IMMEDIATE")
    }

    /// A fault of ours in one change must not end the writer, and with it everybody who will ever wait for it.
    fn commit_unless_it_panics(&self, batch: &[Job]) -> Result<Vec<Result<Done, Failure>>, Failure> {
        let committed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| self.commit(batch)));
        committed.unwrap_or_else(|_| Err(Failure::Panicked))
    }

    /// One transaction for all, which has begun. The outer error is the transaction's, the inner ones are single changes'.
    fn commit(&self, batch: &[Job]) -> Result<Vec<Result<Done, Failure>>, Failure> {
        if let [job] = batch {
            return self.commit_one(job);
        }
        let mut answers = Vec::with_capacity(batch.len());
        for job in batch {
            self.execute("SAVEPOINT change")?;
            let answer = write::apply(&job.write, &self.connection);
            if answer.is_err()
                && let Err(error) = self.execute("ROLLBACK TO change")
            {
                // A full disk ends the whole transaction, savepoint and all; the first error tells why.
                return Err(answer.err().filter(|cause| matches!(cause, Failure::Sql(_))).unwrap_or(error));
            }
            self.execute("RELEASE change")?;
            answers.push(answer);
        }
        self.execute("COMMIT")?;
        self.commits.fetch_add(1, Ordering::Relaxed);
        Ok(answers)
    }

    /// A change that is alone needs no savepoint: undoing it undoes the transaction.
    fn commit_one(&self, job: &Job) -> Result<Vec<Result<Done, Failure>>, Failure> {
        match write::apply(&job.write, &self.connection) {
            Err(error @ Failure::Sql(_)) => Err(error),
            Err(refused) => self.execute("ROLLBACK").map(|()| vec![Err(refused)]),
            Ok(done) => {
                self.execute("COMMIT")?;
                self.commits.fetch_add(1, Ordering::Relaxed);
                Ok(vec![Ok(done)])
            }
        }
    }

    fn answer(&self, batch: &mut Vec<Job>, answers: Result<Vec<Result<Done, Failure>>, Failure>) {
        let answers: Vec<Result<Done, Error>> = match answers {
            Ok(answers) => {
                answers.into_iter().map(|answer| answer.map_err(|failure| failure.into_error(&self.database))).collect()
            }
            Err(failure) => {
                let problem = failure.into_problem(&self.database);
                batch.iter().map(|_| Err(Error::Problem(problem.clone()))).collect()
            }
        };
        for (Job { reply, kept, .. }, answer) in batch.drain(..).zip(answers) {
            // Before the answer: who has it may remove files at once.
            drop(kept);
            // Who no longer waits does not need it.
            let _ = reply.send(answer);
        }
    }

    fn execute(&self, statement: &str) -> Result<(), Failure> {
        sql::execute(&self.connection, statement, []).map(|_| ())
    }
}
