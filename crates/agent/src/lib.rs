//! The loop of an agent, without anything it does to the world.
//!
//! [`Machine`] decides what is done next from what came of the last thing; a driver asks the model, checks and executes,
//! and records each as a step. The machine is never stored: given the same outcomes it makes the same decisions, so a
//! resumed run rebuilds it from its journal. [`read`] finds the code in a model's words. [`solve`] is the same for whole
//! programs, which checks decide about, [`memory`] finds what was learned before, and [`tools`] are what a model may look up.
//!
//! This crate knows no provider, no sandbox, no journal and no task.

mod machine;
pub mod memory;
mod reading;
pub mod solve;
pub mod tools;

pub use machine::{Action, Answer, Attempt, Code, End, Language, Machine, Outcome, Policy, Ran, Verdict, Writing};
pub use reading::{REASON_CHARACTERS_MAX, Written, read, read_paragraph, read_program, read_verdict};
