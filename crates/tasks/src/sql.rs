//! The task `sql/1`: one statement of the user's, through the same door as our own.

use base::{Document, Finding, Problem, RunId, Table, Usage};
use data::figures::Form;
use flow::{Finish, Run};
use sandbox::{Isolation, KilledBy, Outcome, Raised, Stop};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::sync::Mutex;

use crate::context::Context;
use crate::query::{Kernel, Queried, UNLESS_LOST};
use crate::task::{finish, parse_input, unchanged};
use crate::whole::{self, FileForm};

/// What is queried, of what.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SqlInput {
    /// As the user named it.
    pub data: Vec<String>,
    /// Its version when the run began.
    pub version: String,
    /// The statement.
    pub sql: String,
    /// Whether every row is also written to a file of the run, and how.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<FileForm>,
}

/// What became of one statement.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SqlDocument {
    /// The run it was executed in.
    pub run: RunId,
    /// How it came out.
    pub outcome: Outcome,
    /// The limit it reached.
    pub killed_by: Option<KilledBy>,
    /// The statement.
    pub sql: String,
    /// The result.
    pub table: Option<Table>,
    /// How the cells of each column are written for people; the table has them as they are.
    pub forms: Vec<Form>,
    /// Why it failed.
    pub error: Option<Raised>,
    /// Why the guard refused it.
    pub findings: Vec<Finding>,
    /// What it used.
    pub usage: Usage,
    /// How it was isolated.
    pub isolation: Option<Isolation>,
}

impl Document for SqlDocument {
    const KIND: &'static str = "sql";
}

impl SqlDocument {
    /// What a statement came to in a run.
    pub(crate) fn of(run: &RunId, sql: &str, queried: Queried) -> SqlDocument {
        SqlDocument {
            run: run.clone(),
            outcome: queried.outcome,
            killed_by: queried.killed_by,
            sql: sql.to_string(),
            forms: queried.table.as_ref().map(Form::of_each).unwrap_or_default(),
            table: queried.table,
            error: queried.error,
            findings: queried.findings,
            usage: queried.usage,
            isolation: queried.isolation,
        }
    }
}

/// Runs one statement.
pub async fn sql(run: &mut Run, context: &Context, input: Value) -> Result<Finish, Problem> {
    let warehouse = &context.warehouse;
    let input: SqlInput = parse_input(input)?;
    let resolved = run.unless_stopped(unchanged(warehouse, &input.data, &input.version)).await?;
    let prepared = run.unless_stopped(resolved.prepare(warehouse)).await?;
    let kernel = Mutex::new(Kernel::new(warehouse, &prepared));
    let step = json!({ "dataset": prepared.dataset.version, "sql": input.sql });
    let effect = || async { query_whole(&mut *kernel.lock().await, &input.sql).await };
    let queried: Queried = run.step_under(UNLESS_LOST, "execute", &step, effect).await?;
    let is_cut = queried.table.as_ref().is_some_and(|table| table.truncated);
    if let (Some(form), Outcome::Ok) = (input.file.filter(|form| form.is_needed(is_cut)), queried.outcome) {
        whole::write(run, warehouse, &prepared, &input.sql, form).await?;
    }
    Ok(finish(queried.outcome, &SqlDocument::of(run.id(), &input.sql, queried)))
}

/// Runs a statement and waits for its cell's end, which says what was used.
pub(crate) async fn query_whole(kernel: &mut Kernel<'_>, sql: &str) -> Result<Queried, Problem> {
    let mut queried = kernel.query(sql).await?;
    if queried.outcome == Outcome::Ok {
        let ended = kernel.end(Stop::Now).await?;
        queried.usage = ended.usage;
        queried.isolation = ended.isolation;
    }
    Ok(queried)
}
