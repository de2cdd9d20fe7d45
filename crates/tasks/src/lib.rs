//! The tasks: the one place where planner, data, guard, sandbox, warehouse and journal meet.
//!
//! A task is an async function over a [`flow::Run`]; every effect that matters goes through a step, every piece of
//! generated text goes through the guard before it reaches a kernel. Planning, compiling and checking are pure and are
//! done again on resume. This crate prints nothing and reads no environment.

mod about;
mod advice;
mod answer;
mod answer_cache;
mod ask;
mod background;
mod by_model;
mod context;
mod demo;
mod eval;
mod follow_ups;
mod invariants;
mod looking_up;
mod plan_run;
mod plan_tour;
mod program;
mod query;
mod recall;
mod replies;
mod sentence;
mod solve;
mod sql;
mod task;
mod whole;

pub use agent::solve::State as SolveState;
pub use agent::tools::{LICENCES, Tool};
pub use answer::{
    Answer, AnswerChart, AnswerModel, AnswerRefusal, AnswerSource, AnswerStatus, By, Cost, Derivation, Figure, Known,
    Level, NumberedReading, ProposedNote, Timing,
};
pub use answer_cache::{ANSWERS_BYTES_MAX, ANSWERS_MAX, give_again};
pub use ask::{AskInput, ask};
pub use by_model::{Budget, DayBudget, DaySpent, EXAMPLE_ROWS, ModelUse};
pub use context::Context;
pub use demo::{DemoDocument, DemoInput, demo};
pub use eval::{
    ByModel, CaseResult, EvalDocument, EvalInput, Expected, FileInput, Point, RESULTS_FILE, Status, Times, eval,
};
pub use follow_ups::follow_ups;
pub use looking_up::{LookingUp, Searches, WebSearch};
pub use plan_run::{PlanDocument, PlanInput, plan_run, unvalidated};
pub use plan_tour::{ByHand, Computed, PlanTour, Refused, Reworded, Stage, plan_tour};
pub use program::{DATABASE_NAME, ExecutionDocument, ProgramData, ProgramInput, program};
pub use recall::{FindTable, FoundBy, Recall, Recalled};
pub use solve::{
    Consent, ITERATIONS_MAX, Solution, SolutionFile, SolutionLessons, SolutionModel, SolutionStatus, SolutionVerdict,
    SolveInput, Solver, TestsFile, solve,
};
pub use sql::{SqlDocument, SqlInput, sql};
pub use whole::FileForm;

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

/// A program that does what a task says.
pub const SOLVE: &str = "solve/1";

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
        .with(SOLVE, solve)
        .with(DEMO, demo)
}
