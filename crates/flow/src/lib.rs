//! Durable runs: a task is an ordinary async function whose effects go through [`Run::step`].
//!
//! The one idea: what a step came to is committed before the run goes on. When the process dies, the function is run
//! again from the top, and every recorded step returns what it came to the first time instead of happening again.
//!
//! ```text
//! start  -> running -> succeeded | rejected | failed | cancelled
//!              | its process went away            | failed or cancelled by a problem
//!              v                                  v
//!         interrupted ------- resume ------> running (attempt + 1)
//! ```
//!
//! Invariants
//! - A step runs at least once, and never again after it is recorded.
//! - Nobody works on a run whose owner is alive; a process that lost its run is refused at its next commit.
//! - This crate knows nothing of agents, data or sandboxes, starts no process and reads no environment.

mod engine;
mod fault;
mod hash;
mod owner;
mod problem;
mod registry;
mod run;
mod runs;

pub use engine::{Ended, Engine, Observer, Options, Request};
pub use fault::Fault;
pub use hash::hash_of;
pub use registry::{Finish, Registry, Task, Verdict};
pub use run::{Emitter, Run, StepError};
pub use runs::Runs;
pub use store::{Event, Store};
