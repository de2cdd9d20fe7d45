//! Every change a run can undergo, as data, so that the writer can commit many together.
//!
//! A change to a run that somebody works on first enters the run's row, which checks the fence, numbers the change's
//! events and reads the clock in one statement; nothing is written past a failed fence.

mod approval;
mod copy;
mod lifecycle;
mod ownership;
mod progress;

use base::{RunId, Timestamp};
use rusqlite::{Connection, params};
use serde_json::Value;

pub(crate) use self::progress::{RUN_OUTPUT_NAME, overflow, step_output_name};
use crate::Event;
use crate::error::Failure;
use crate::found::{self, FoundBy};
use crate::lesson::{self, Learned, Lesson};
use crate::record::{ArtifactRecord, Ending, Fence, Held, Journal, Lease, NewRun, Question, RunState, StepOutcome};
use crate::sql::{execute, one};
use crate::token::{self, TokenRecord};

/// One change.
pub(crate) enum Write {
    Create(NewRun),
    Claim { fence: Fence, lease: Lease },
    Take { lease: Lease, tasks: Vec<String>, limit: i64 },
    Renew { held: Vec<Fence>, lease: Lease },
    Release { fence: Fence },
    Requeue { fence: Fence },
    Reap { gone: Vec<String>, spared: Vec<Fence>, recoveries_max: i64 },
    Cancel { run: RunId },
    Step { fence: Fence, step: StepOutcome },
    Artifact { fence: Fence, artifact: ArtifactRecord },
    Finish { fence: Fence, ending: Ending, by: FoundBy },
    Whole { new: Box<NewRun>, step: Box<StepOutcome>, ending: Ending, by: FoundBy },
    Wait { fence: Fence, question: Question },
    Decide { run: RunId, id: Option<String>, allowed: bool },
    Learn { learned: Learned },
    Edit { lesson: Box<Lesson> },
    ForgetLessons { ids: Vec<String> },
    Forget { about: Option<String>, used_before: Option<Timestamp> },
    Disband { thread: String },
    Fork { new: NewRun, from: RunId, steps: i64 },
    Import { journal: Box<Journal>, events: Vec<Event> },
    Delete { runs: Vec<RunId>, finished_before: Timestamp },
    CreateToken { token: TokenRecord, lasts_ms: Option<i64> },
    RevokeToken { id: String },
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
    /// How many runs it touched, or what leads to them.
    pub(crate) runs: usize,
    /// How many bytes their outputs have.
    pub(crate) bytes: i64,
}

impl Done {
    fn told(events: Vec<Event>) -> Done {
        Done { events, ..Done::default() }
    }
}

/// Makes the change inside the caller's transaction.
pub(crate) fn apply(write: &Write, connection: &Connection) -> Result<Done, Failure> {
    match write {
        Write::Create(run) => lifecycle::create(connection, run),
        Write::Claim { fence, lease } => ownership::claim(connection, fence, lease),
        Write::Take { lease, tasks, limit } => ownership::take(connection, lease, tasks, *limit),
        Write::Renew { held, lease } => ownership::renew(connection, held, lease),
        Write::Release { fence } => ownership::release(connection, fence),
        Write::Requeue { fence } => ownership::requeue(connection, fence),
        Write::Reap { gone, spared, recoveries_max } => ownership::reap(connection, gone, spared, *recoveries_max),
        Write::Cancel { run } => lifecycle::cancel(connection, run),
        Write::Step { fence, step } => progress::commit_step(connection, fence, step),
        Write::Artifact { fence, artifact } => progress::add_artifact(connection, fence, artifact),
        Write::Finish { fence, ending, by } => lifecycle::finish(connection, fence, ending, by),
        Write::Whole { new, step, ending, by } => whole(connection, new, step, ending, by),
        Write::Wait { fence, question } => approval::wait(connection, fence, question),
        Write::Decide { run, id, allowed } => approval::decide(connection, run, id.as_deref(), *allowed),
        Write::Learn { learned } => Ok(Done { runs: lesson::learn(connection, learned)?, ..Done::default() }),
        Write::Edit { lesson } => Ok(Done { runs: lesson::edit(connection, lesson)?, ..Done::default() }),
        Write::ForgetLessons { ids } => Ok(Done { runs: lesson::forget(connection, ids)?, ..Done::default() }),
        Write::Forget { about, used_before } => {
            let (runs, bytes) = found::forget(connection, about.as_deref(), *used_before)?;
            Ok(Done { runs, bytes, ..Done::default() })
        }
        Write::Disband { thread } => Ok(Done { runs: found::disband(connection, thread)?, ..Done::default() }),
        Write::Fork { new, from, steps } => copy::fork(connection, new, from, *steps),
        Write::Import { journal, events } => copy::import(connection, journal, events),
        Write::CreateToken { token, lasts_ms } => token::create(connection, token, *lasts_ms).map(|()| Done::default()),
        Write::RevokeToken { id } => Ok(Done { runs: token::revoke(connection, id)?, ..Done::default() }),
        Write::Delete { runs, finished_before } => lifecycle::delete(connection, runs, *finished_before),
    }
}

/// A run of one step from its beginning to its end.
fn whole(
    connection: &Connection,
    new: &NewRun,
    step: &StepOutcome,
    ending: &Ending,
    by: &FoundBy,
) -> Result<Done, Failure> {
    let fence = Fence { run: new.id.clone(), attempt: 1 };
    let mut done = lifecycle::create(connection, new)?;
    done.events.extend(progress::commit_step(connection, &fence, step)?.events);
    done.events.extend(lifecycle::finish(connection, &fence, ending, by)?.events);
    Ok(done)
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
    fn by(connection: &Connection, fence: &'a Fence, events: i64) -> Result<Entry<'a>, Failure> {
        let entered: Option<(i64, i64, bool)> = one(
            connection,
            "UPDATE runs SET last_seq = last_seq + ?3, state = 'running'
             WHERE id = ?1 AND attempts = ?2 AND state IN ('running', 'interrupted')
             RETURNING last_seq, (SELECT now_ms FROM clock), cancel_requested_at IS NOT NULL",
            params![fence.run.as_str(), fence.attempt, events],
            |row| row.try_into(),
        )?;
        let (last_seq, at, cancel_requested) = entered.ok_or_else(|| Failure::Fenced(fence.clone()))?;
        Ok(Entry { cancel_requested, ..Entry::at(&fence.run, at, last_seq - events + 1) })
    }

    fn at(run: &'a RunId, at: i64, next_seq: i64) -> Entry<'a> {
        Entry { run, at, next_seq, cancel_requested: false, events: Vec::new() }
    }

    fn append(&mut self, connection: &Connection, kind: &str, data: Value) -> Result<(), Failure> {
        let event = Event {
            run: self.run.clone(),
            seq: Some(self.next_seq),
            at: Timestamp(self.at),
            kind: kind.to_string(),
            data,
        };
        insert_event(connection, &event)?;
        self.events.push(event);
        self.next_seq += 1;
        Ok(())
    }

    fn done(self) -> Done {
        Done { cancel_requested: self.cancel_requested, ..Done::told(self.events) }
    }
}

fn insert_event(connection: &Connection, event: &Event) -> Result<(), Failure> {
    execute(
        connection,
        "INSERT INTO events (run, seq, at, type, data) VALUES (?1, ?2, ?3, ?4, ?5)",
        params![event.run.as_str(), event.seq, event.at.0, &event.kind, event.data.to_string()],
    )?;
    Ok(())
}
