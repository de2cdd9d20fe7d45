//! Many compiled plans over one prepared file in few cells.
//!
//! What is believed of a kernel stays what it is for one query. All statements of a batch are parsed while nothing but
//! parsing has run there; the guard reads each tree; then the file is opened, and no tree of that kernel is read any
//! more. A plan during which its cell comes to an end has a cell of its own the second time, so what became of it does
//! not depend on its neighbours.

use std::path::Path;
use std::time::{Duration, Instant};

use base::Problem;
use data::Dataset;
use data::plan::Plan;
use guard::{Checked, Sql};
use sandbox::{CallError, Cell, Outcome, Policy, Stop, WALL_MS_MAX};
use serde_json::json;
use warehouse::Warehouse;

use super::{
    Kernel, ORACLE_ROWS_MAX, Queried, ROWS_MAX, Recomputed, cell_over, checked, open_in, query_in, recompute_in,
    rows_read,
};

/// Statements that one cell is given at most.
const STATEMENTS_MAX: usize = 100;
/// How long one statement and its recomputation may take before they are tried alone.
const STATEMENT_TIME_MAX: Duration = Duration::from_secs(10);

/// A plan and the statement it was compiled to.
pub struct Job<'a> {
    /// Over these tables of the prepared file.
    pub dataset: &'a Dataset,
    /// What to compute.
    pub plan: &'a Plan,
    /// The same for the engine.
    pub sql: &'a str,
}

/// What became of a job.
pub struct Done {
    /// Its statement.
    pub queried: Queried,
    /// The same computed another way, where there is a table and it is not too large for that.
    pub recomputed: Option<Recomputed>,
    /// How long both took.
    pub duration_ms: f64,
}

/// Runs all jobs, in their order.
pub async fn run_all(warehouse: &Warehouse, file: &Path, jobs: &[Job<'_>]) -> Result<Vec<Done>, Problem> {
    let (front, back) = jobs.split_at(jobs.len() / 2);
    let (front, back) = tokio::join!(in_turn(warehouse, file, front), in_turn(warehouse, file, back));
    let mut done = front?;
    done.extend(back?);
    Ok(done)
}

async fn in_turn(warehouse: &Warehouse, file: &Path, jobs: &[Job<'_>]) -> Result<Vec<Done>, Problem> {
    let mut done = Vec::with_capacity(jobs.len());
    while done.len() < jobs.len() {
        let rest = &jobs[done.len()..];
        let batch = &rest[..rest.len().min(STATEMENTS_MAX)];
        let finished = together(warehouse, file, batch).await?;
        let interrupted = batch.get(finished.len());
        done.extend(finished);
        if let Some(job) = interrupted {
            done.push(alone(warehouse, file, job).await?);
        }
    }
    Ok(done)
}

/// What the jobs came to, up to the one at which the cell ended if it did.
async fn together(warehouse: &Warehouse, file: &Path, jobs: &[Job<'_>]) -> Result<Vec<Done>, Problem> {
    let mut done = Vec::with_capacity(jobs.len());
    if jobs.len() < 2 {
        return Ok(done);
    }
    let mut cell = cell_over(warehouse, file, policy_of(jobs.len())).await?;
    let mut kept_going = true;
    if let Some(parsed) = parse_all(&mut cell, jobs).await
        && open_in(&mut cell).await.is_ok()
    {
        for (job, (parsed, parse_ms)) in jobs.iter().zip(parsed) {
            let ran = tokio::time::timeout(STATEMENT_TIME_MAX, run(&mut cell, job, parsed)).await;
            let Ok(Some(mut ran)) = ran else {
                kept_going = false;
                break;
            };
            ran.duration_ms += parse_ms;
            done.push(ran);
        }
    }
    match kept_going {
        true => warehouse.retire(cell),
        false => drop(cell.finish(Stop::Now).await),
    }
    Ok(done)
}

/// The limits of that many statements.
fn policy_of(statements: usize) -> Policy {
    let one = Policy::analysis();
    let many = |limit_ms: u64| limit_ms.saturating_mul(statements as u64).min(WALL_MS_MAX);
    Policy { wall_ms: many(one.wall_ms), cpu_ms: many(one.cpu_ms), ..one }
}

/// A statement that may run, or why not.
type Parsed = Result<Checked<Sql>, Queried>;

/// Every statement parsed and checked with the time it took, before anything else runs in the kernel; nothing if the
/// cell did not live through it.
async fn parse_all(cell: &mut Cell, jobs: &[Job<'_>]) -> Option<Vec<(Parsed, f64)>> {
    let mut all = Vec::with_capacity(jobs.len());
    for job in jobs {
        let began = Instant::now();
        let parsed = match cell.call("sql.parse", &json!({ "sql": job.sql })).await {
            Ok(parsed) => checked(job.sql, &parsed, job.dataset)
                .map_err(|report| Queried { findings: report.findings, ..Queried::of(Outcome::Refused) }),
            Err(CallError::Raised(raised)) => Err(Queried { error: Some(raised), ..Queried::of(Outcome::Failed) }),
            Err(CallError::Ended) => return None,
        };
        all.push((parsed, began.elapsed().as_secs_f64() * 1e3));
    }
    Some(all)
}

/// One job in a kernel that has the file open; nothing if the cell ended.
async fn run(cell: &mut Cell, job: &Job<'_>, parsed: Parsed) -> Option<Done> {
    let began = Instant::now();
    let done =
        |queried, recomputed| Some(Done { queried, recomputed, duration_ms: began.elapsed().as_secs_f64() * 1e3 });
    let sql = match parsed {
        Ok(sql) => sql,
        Err(queried) => return done(queried, None),
    };
    let table = match query_in(cell, &sql, ROWS_MAX).await {
        Ok(table) => table,
        Err(CallError::Raised(raised)) => {
            return done(Queried { error: Some(raised), ..Queried::of(Outcome::Failed) }, None);
        }
        Err(CallError::Ended) => return None,
    };
    let queried = Queried { table: Some(table), ..Queried::of(Outcome::Ok) };
    if rows_read(job.plan, job.dataset) > ORACLE_ROWS_MAX {
        return done(queried, None);
    }
    match recompute_in(cell, job.plan, job.dataset, ROWS_MAX).await {
        Ok(table) => done(queried, Some(Recomputed::Table(table))),
        Err(CallError::Raised(raised)) => done(queried, Some(Recomputed::Nothing(raised.message))),
        Err(CallError::Ended) => None,
    }
}

/// One job in cells of its own, with the limits that a question has.
async fn alone(warehouse: &Warehouse, file: &Path, job: &Job<'_>) -> Result<Done, Problem> {
    let began = Instant::now();
    let mut kernel = Kernel::over(warehouse, file, job.dataset);
    let queried = kernel.query(job.sql).await?;
    let recomputed = match queried.table {
        Some(_) if rows_read(job.plan, job.dataset) <= ORACLE_ROWS_MAX => Some(kernel.recompute(job.plan).await?),
        _ => None,
    };
    kernel.retire();
    Ok(Done { queried, recomputed, duration_ms: began.elapsed().as_secs_f64() * 1e3 })
}
