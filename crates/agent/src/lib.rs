//! The tasks: the one place where planner, data, guard, sandbox and journal meet.
//!
//! A task is an async function over a [`flow::Run`]; every effect that matters goes through a step, every piece of
//! generated text goes through the guard before it reaches a kernel. Planning, compiling and checking are pure and are
//! done again on resume. This crate prints nothing and reads no environment.

mod added;
mod ahead;
mod answer;
mod ask;
mod begun;
mod cache;
mod context;
mod datasets;
mod demo;
mod eval;
mod export;
mod files;
mod folder;
mod hashes;
mod ingest;
mod invariants;
mod notes;
mod plan_run;
mod plan_tour;
mod program;
mod query;
mod recall;
mod sentence;
mod source;
mod sql;
mod stamp;
mod task;
mod warehouse;

pub use added::{Added, AddedFile, Datasets, FilesNow};
pub use answer::Answer;
pub use ask::{AskInput, ask};
pub use cache::Cache;
pub use context::{CACHE_BYTES_DEFAULT, Context, Progress, Warmth};
pub use datasets::{Refreshed, TableChange, add, refresh, remove};
pub use demo::{DemoInput, demo};
pub use eval::{CaseResult, EvalInput, Expected, FileInput, RESULTS_FILE, Status, eval};
pub use export::{export, init};
pub use files::{hash_file, private_folder};
pub use notes::{Note, Notes};
pub use plan_run::{PlanInput, plan_run, unvalidated};
pub use plan_tour::plan_tour;
pub use program::{DATABASE_NAME, ProgramData, ProgramInput, program};
pub use recall::{ANSWERS_BYTES_MAX, ANSWERS_MAX};
pub use source::{Files, Source};
pub use sql::{SqlInput, sql};
pub use warehouse::{Prepared, Resolved};

/// The names under which tasks are registered and found again after a restart.
pub const ASK: &str = "ask/1";
/// One SQL statement.
pub const SQL: &str = "sql/1";
/// Many questions, held against what was expected.
pub const EVAL: &str = "eval/1";
/// One plan.
pub const PLAN: &str = "plan/1";
/// One program of the user's own.
pub const PROGRAM: &str = "program/1";

/// Steps that only last.
pub const DEMO: &str = "demo/1";

/// Every task this program knows.
pub fn tasks() -> flow::Registry<Context> {
    flow::Registry::new()
        .with(ASK, ask)
        .measuring(ASK, &["/timing_ms", "/remembered"])
        .with(SQL, sql)
        .with(EVAL, eval)
        .with(PLAN, plan_run)
        .with(PROGRAM, program)
        .with(DEMO, demo)
}
