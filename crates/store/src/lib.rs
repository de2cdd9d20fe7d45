//! The journal's tables in SQLite: runs, their steps, their events, and the files they produced.
//!
//! The one idea: every write of a run names the attempt that makes it ([`Fence`]), and is answered only after it is on
//! disk. One task owns the writing connection and commits whatever has queued up together, so that many writers share
//! one fsync without any of them being told "done" too early.
//!
//! Invariants
//! - Only this crate knows our tables; nobody else writes SQL against them.
//! - An event's number and the row it reports are committed together, so `last_seq` is always true.
//! - Nothing here starts a process, reads the environment or asks a clock other than the database's.

mod artifact;
mod error;
mod event;
mod found;
mod glance;
mod lesson;
mod list;
mod lock;
mod open;
mod prune;
mod read;
mod readers;
mod record;
mod schema;
mod sql;
mod store;
mod token;
mod write;
mod writer;

pub use artifact::{Freed, Pin};
pub use error::Error;
pub use event::Event;
pub use found::{FoundBy, Recall, RecallRecord, ThreadRecord, ThreadRun};
pub use glance::glance;
pub use lesson::{Learned, Lesson, LessonKind, LessonText};
pub use list::{Filter, Page};
pub use record::{
    ArtifactRecord, Beginning, Content, Ending, Fence, ForkPoint, Held, Here, Journal, Lease, Mode, NewRun, Question,
    Recorded, RunRecord, RunState, RunSummary, StepOutcome, StepRecord, StepState, Suspect, Taken,
};
pub use store::{Store, blocking};
pub use token::TokenRecord;

/// The version of the tables that this program makes and uses.
pub const VERSION: usize = schema::VERSION;

/// An output of more bytes than this is kept as an artifact; the row holds its hash.
pub const INLINE_BYTES_MAX: usize = 64 * 1024;
