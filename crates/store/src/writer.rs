//! The task that owns the writing connection: group commit.
//!
//! It takes whatever has queued up, up to a limit, makes each change inside a savepoint, commits once, and only then
//! answers. A change that fails is rolled back alone; if the transaction itself fails, nobody is told "done".
//!
//! Where its caller's runtime has one thread, it lives there and blocks it for as long as a commit is being synced, which
//! is what the caller is waiting for anyway: a thread of its own would cost two switches for each commit, more than the
//! commit itself where syncing is fast. Where the runtime serves many (`serve`), it has a thread of its own, or each sync
//! would keep a processor from everybody else. Waiting for another process's transaction, which may be long, blocks nobody.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use base::Histogram;
use rusqlite::Connection;
use tokio::runtime::{Builder, Handle, RuntimeFlavor};
use tokio::sync::{mpsc, oneshot};
use tracing::trace;

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
    /// How long each transaction took, from its beginning until it was synced.
    pub(crate) commits: Arc<Histogram>,
}

impl Writer {
    /// Begins to work where that is best for the runtime of the caller.
    pub(crate) fn start(self) {
        if Handle::current().runtime_flavor() == RuntimeFlavor::CurrentThread {
            tokio::spawn(self.run());
            return;
        }
        match Builder::new_current_thread().enable_time().build() {
            Ok(own) => drop(std::thread::spawn(move || own.block_on(self.run()))),
            // Nothing is missing but a descriptor to wait with.
            Err(_) => drop(tokio::spawn(self.run())),
        }
    }

    /// Works until nobody can send any more.
    pub(crate) async fn run(mut self) {
        let mut batch = Vec::with_capacity(BATCH_MAX);
        while self.jobs.recv_many(&mut batch, BATCH_MAX).await > 0 {
            let waited_from = Instant::now();
            let mut pause = PAUSE_FIRST;
            let answers = loop {
                match self.begin() {
                    Ok(()) => break self.timed_commit(&batch),
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

    fn timed_commit(&self, batch: &[Job]) -> Result<Vec<Result<Done, Failure>>, Failure> {
        let began = Instant::now();
        let committed = self.commit_unless_it_panics(batch);
        let took = began.elapsed();
        // One refused change alone makes a transaction that is given up.
        if matches!(committed.as_deref(), Ok([Ok(_), ..] | [_, _, ..])) {
            self.commits.observe(took);
        }
        let ms = took.as_secs_f64() * 1e3;
        trace!(target: "assay::journal", changes = batch.len(), ms, done = committed.is_ok(), "commit");
        committed
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
        Ok(answers)
    }

    /// A change that is alone needs no savepoint: undoing it undoes the transaction.
    fn commit_one(&self, job: &Job) -> Result<Vec<Result<Done, Failure>>, Failure> {
        match write::apply(&job.write, &self.connection) {
            Err(error @ Failure::Sql(_)) => Err(error),
            Err(refused) => self.execute("ROLLBACK").map(|()| vec![Err(refused)]),
            Ok(done) => {
                self.execute("COMMIT")?;
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
