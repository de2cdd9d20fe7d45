//! The task that owns the writing connection: group commit.
//!
//! It takes whatever has queued up, up to a limit, makes each change inside a savepoint, commits once, and only then
//! answers. A change that fails is rolled back alone; if the transaction itself fails, nobody is told "done".

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use sqlx::SqliteConnection;
use tokio::sync::{mpsc, oneshot};

use crate::error::{Failure, sql_problem};
use crate::lock::StoreLock;
use crate::write::{self, Done, Write};
use crate::{Error, Keeping};

/// How many changes may share a commit, and how many may wait for the next.
pub(crate) const BATCH_MAX: usize = 64;

/// A change and who waits for it.
pub(crate) struct Job {
    pub(crate) write: Write,
    pub(crate) reply: oneshot::Sender<Result<Done, Error>>,
    /// Keeps the files that the change names from being removed until it is committed.
    pub(crate) _kept: Option<Keeping>,
}

pub(crate) struct Writer {
    pub(crate) connection: SqliteConnection,
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
            let answers = self.commit(&batch).await;
            if answers.is_err() {
                // SQLite may have rolled back by itself; what counts is that no transaction stays open.
                let _ = self.execute("ROLLBACK").await;
            }
            self.answer(&mut batch, answers);
        }
        drop(self.lock);
    }

    /// One transaction for all. The outer error is the transaction's, the inner ones are single changes'.
    async fn commit(&mut self, batch: &[Job]) -> Result<Vec<Result<Done, Failure>>, sqlx::Error> {
        self.execute("BEGIN IMMEDIATE").await?;
        if let [job] = batch {
            return self.commit_one(job).await;
        }
        let mut answers = Vec::with_capacity(batch.len());
        for job in batch {
            self.execute("SAVEPOINT change").await?;
            let answer = write::apply(&job.write, &mut self.connection).await;
            if answer.is_err()
                && let Err(error) = self.execute("ROLLBACK TO change").await
            {
                // A full disk ends the whole transaction, savepoint and all; the first error tells why.
                return Err(match answer {
                    Err(Failure::Sql(cause)) => cause,
                    _ => error,
                });
            }
            self.execute("RELEASE change").await?;
            answers.push(answer);
        }
        self.execute("COMMIT").await?;
        self.commits.fetch_add(1, Ordering::Relaxed);
        Ok(answers)
    }

    /// A change that is alone needs no savepoint: undoing it undoes the transaction.
    async fn commit_one(&mut self, job: &Job) -> Result<Vec<Result<Done, Failure>>, sqlx::Error> {
        match write::apply(&job.write, &mut self.connection).await {
            Err(Failure::Sql(error)) => Err(error),
            Err(refused) => self.execute("ROLLBACK").await.map(|()| vec![Err(refused)]),
            Ok(done) => {
                self.execute("COMMIT").await?;
                self.commits.fetch_add(1, Ordering::Relaxed);
                Ok(vec![Ok(done)])
            }
        }
    }

    fn answer(&self, batch: &mut Vec<Job>, answers: Result<Vec<Result<Done, Failure>>, sqlx::Error>) {
        // Who no longer waits does not need the answer.
        match answers {
            Ok(answers) => {
                for (job, answer) in batch.drain(..).zip(answers) {
                    let _ = job.reply.send(answer.map_err(|failure| failure.into_error(&self.database)));
                }
            }
            Err(error) => {
                let problem = sql_problem(&self.database, &error);
                for job in batch.drain(..) {
                    let _ = job.reply.send(Err(Error::Problem(problem.clone())));
                }
            }
        }
    }

    async fn execute(&mut self, statement: &'static str) -> Result<(), sqlx::Error> {
        sqlx::query(statement).execute(&mut self.connection).await.map(|_| ())
    }
}
