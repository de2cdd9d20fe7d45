//! Every change a run can undergo, as data, so that the writer can commit many together.
//!
//! A change to a run that somebody works on first enters the run's row, which checks the fence, numbers the change's
//! events and reads the clock in one statement; nothing is written past a failed fence.

mod copy;
mod lifecycle;
mod ownership;
mod progress;

use base::{RunId, Timestamp};
use serde_json::Value;
use sqlx::SqliteConnection;

pub(crate) use self::progress::{RUN_OUTPUT_NAME, overflow, step_output_name};
use crate::Event;
use crate::error::Failure;
use crate::record::{ArtifactRecord, Ending, Fence, Held, Journal, Lease, NewRun, RunState, StepOutcome};

/// One change.
pub(crate) enum Write {
    Create(NewRun),
    Claim { fence: Fence, lease: Lease },
    Take { lease: Lease, tasks: Vec<String>, limit: i64 },
    Renew { held: Vec<Fence>, lease: Lease },
    Release { fence: Fence },
    Reap { gone: Vec<String>, recoveries_max: i64 },
    Cancel { run: RunId },
    Step { fence: Fence, step: StepOutcome },
    Artifact { fence: Fence, artifact: ArtifactRecord },
    Finish { fence: Fence, ending: Ending },
    Fork { new: NewRun, from: RunId, steps: i64 },
    Import { journal: Box<Journal>, events: Vec<Event> },
    Delete { runs: Vec<RunId>, finished_before: Timestamp },
}

/// What a change came to. Each kind of change fills what it has to tell.
#[derive(Debug, Default)]
pub(crate) struct Done {
    /// Appended to the run's stream.
    pub(crate) events: Vec<Event>,
    /// In the asking process's hands now.
    pub(crate) held: Vec<Held>,
    /// Whether a user asked for the run to be stopped.
    pub(crate) cancel_requested: bool,
    /// Where the run stands now.
    pub(crate) state: Option<RunState>,
    /// How many runs it touched.
    pub(crate) runs: usize,
}

impl Done {
    fn told(events: Vec<Event>) -> Done {
        Done { events, ..Done::default() }
    }
}

/// Makes the change inside the caller's transaction.
pub(crate) async fn apply(write: &Write, connection: &mut SqliteConnection) -> Result<Done, Failure> {
    match write {
        Write::Create(run) => lifecycle::create(connection, run).await,
        Write::Claim { fence, lease } => ownership::claim(connection, fence, lease).await,
        Write::Take { lease, tasks, limit } => ownership::take(connection, lease, tasks, *limit).await,
        Write::Renew { held, lease } => ownership::renew(connection, held, lease).await,
        Write::Release { fence } => ownership::release(connection, fence).await,
        Write::Reap { gone, recoveries_max } => ownership::reap(connection, gone, *recoveries_max).await,
        Write::Cancel { run } => lifecycle::cancel(connection, run).await,
        Write::Step { fence, step } => progress::commit_step(connection, fence, step).await,
        Write::Artifact { fence, artifact } => progress::add_artifact(connection, fence, artifact).await,
        Write::Finish { fence, ending } => lifecycle::finish(connection, fence, ending).await,
        Write::Fork { new, from, steps } => copy::fork(connection, new, from, *steps).await,
        Write::Import { journal, events } => copy::import(connection, journal, events).await,
        Write::Delete { runs, finished_before } => lifecycle::delete(connection, runs, *finished_before).await,
    }
}

/// A run's row, entered: the time of the change and the numbers of its events.
struct Entry<'a> {
    run: &'a RunId,
    at: i64,
    next_seq: i64,
    cancel_requested: bool,
    events: Vec<Event>,
}

impl<'a> Entry<'a> {
    /// Checks the fence and reserves numbers for that many events. An update rather than a query, so that the row is
    /// locked where the database has row locks.
    ///
    /// A run that was marked as interrupted because its process gave no sign of life, and that nobody resumed since, is
    /// still that process's: an attempt's number is never given twice.
    async fn by(connection: &mut SqliteConnection, fence: &'a Fence, events: i64) -> Result<Entry<'a>, Failure> {
        let entered: Option<(i64, i64, bool)> = sqlx::query_as(
            "UPDATE runs SET last_seq = last_seq + $3, state = 'running'
             WHERE id = $1 AND attempts = $2 AND state IN ('running', 'interrupted')
             RETURNING last_seq, (SELECT now_ms FROM clock), cancel_requested_at IS NOT NULL",
        )
        .bind(fence.run.as_str())
        .bind(fence.attempt)
        .bind(events)
        .fetch_optional(connection)
        .await?;
        let (last_seq, at, cancel_requested) = entered.ok_or_else(|| Failure::Fenced(fence.clone()))?;
        Ok(Entry { cancel_requested, ..Entry::at(&fence.run, at, last_seq - events + 1) })
    }

    fn at(run: &'a RunId, at: i64, next_seq: i64) -> Entry<'a> {
        Entry { run, at, next_seq, cancel_requested: false, events: Vec::new() }
    }

    async fn append(&mut self, connection: &mut SqliteConnection, kind: &str, data: Value) -> Result<(), Failure> {
        let event = Event {
            run: self.run.clone(),
            seq: Some(self.next_seq),
            at: Timestamp(self.at),
            kind: kind.to_string(),
            data,
        };
        insert_event(connection, &event).await?;
        self.events.push(event);
        self.next_seq += 1;
        Ok(())
    }

    fn done(self) -> Done {
        Done { cancel_requested: self.cancel_requested, ..Done::told(self.events) }
    }
}

async fn insert_event(connection: &mut SqliteConnection, event: &Event) -> Result<(), Failure> {
    sqlx::query("INSERT INTO events (run, seq, at, type, data) VALUES ($1, $2, $3, $4, $5)")
        .bind(event.run.as_str())
        .bind(event.seq)
        .bind(event.at.0)
        .bind(&event.kind)
        .bind(event.data.to_string())
        .execute(connection)
        .await?;
    Ok(())
}
