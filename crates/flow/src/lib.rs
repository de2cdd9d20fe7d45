//! Durable runs: a task is an ordinary async function whose effects go through [`Run::step`].
//!
//! The one idea: what a step came to is committed before the run goes on. When the process dies, the function is run
//! again from the top, and every recorded step returns what it came to the first time instead of happening again.
//!
//! ```text
//! start ------> running -> succeeded | rejected | failed | cancelled
//! enqueue -> pending ^ |
//!   ^     a worker takes it            | its process went away or gave no sign of life
//!   +---------------- queued ----------+---------- attached -> interrupted -- resume --> running (attempt + 1)
//!
//! running -- asks a person --> waiting -- decided, then resumed (queued: taken by a worker) --> running (attempt + 1)
//! ```
//!
//! Invariants
//! - A step runs at least once, and never again after it is recorded.
//! - Nobody takes a run from a process that lives and gives signs of it; one that lost its run is refused at its next commit.
//! - What a user stopped or killed is not continued by anybody but a user; only queued runs are taken over.
//! - This crate knows nothing of agents, data or sandboxes, starts no process and reads no environment.

pub mod capsule;
pub mod documents;
mod engine;
mod fault;
mod hub;
mod keeper;
mod known;
mod lookout;
mod memory;
mod owner;
mod policy;
mod prune;
mod recorded;
mod registry;
mod replay;
mod run;
mod runs;
mod slots;
mod transfer;
mod worker;

pub use capsule::{Manifest, Part};
pub use engine::{Ended, Engine, Options, Request, Spawned, Start};
pub use fault::Fault;
pub use hub::Events;
pub use memory::Memory;
pub use policy::StepPolicy;
pub use prune::Prune;
pub use recorded::recorded;
pub use registry::{Finish, Registry, Task, Verdict};
pub use replay::{Difference, Replay};
pub use run::{Emitter, Found, Run, Shelf, StepError};
pub use runs::Runs;
pub use slots::{Slot, Slots};
pub use store::{
    Event, Filter, FoundBy, Learned, Lesson, LessonKind, LessonText, Mode, Question, Recall, RecallRecord, RunState,
    RunSummary, Store, TokenRecord, glance,
};
pub use transfer::{Imported, Target, verify};
pub use worker::{Told, Worker};
