//! The task `sql/1`: one statement of the user's, through the same door as our own.

use base::Problem;
use flow::{Finish, Run};
use sandbox::{Outcome, Stop};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::sync::Mutex;

use crate::ask::{parse_input, unchanged};
use crate::context::Context;
use crate::query::{Kernel, Queried, UNLESS_LOST};

/// What is queried, of what.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SqlInput {
    /// As the user named it.
    pub data: Vec<String>,
    /// Its version when the run began.
    pub version: String,
    /// The statement.
    pub sql: String,
}

/// Runs one statement.
pub async fn sql(run: &mut Run, context: &Context, input: Value) -> Result<Finish, Problem> {
    let input: SqlInput = parse_input(input)?;
    let resolved = run.unless_stopped(unchanged(context, &input.data, &input.version)).await?;
    let prepared = run.unless_stopped(resolved.prepare(context)).await?;
    let kernel = Mutex::new(Kernel::new(context, &prepared));
    let step = json!({ "dataset": prepared.dataset.version, "sql": input.sql });
    let effect = || async { query_whole(&mut *kernel.lock().await, &input.sql).await };
    let queried: Queried = run.step_under(UNLESS_LOST, "execute", &step, effect).await?;
    let document = document("sql", run, &input.sql, &queried);
    Ok(finish(queried.outcome, document))
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

/// The document that `sql` and `plan run` share.
pub(crate) fn document(kind: &str, run: &Run, sql: &str, queried: &Queried) -> Value {
    json!({
        "v": 1, "kind": kind, "run": run.id(), "outcome": queried.outcome, "killed_by": queried.killed_by, "sql": sql,
        "table": queried.table, "error": queried.error, "findings": queried.findings, "usage": queried.usage,
        "isolation": queried.isolation,
    })
}

/// A document's outcome decides how its run ended.
pub(crate) fn finish(outcome: Outcome, document: Value) -> Finish {
    match outcome {
        Outcome::Ok => Finish::succeeded(document),
        Outcome::Refused => Finish::rejected(document),
        Outcome::Failed | Outcome::Killed | Outcome::Lost => Finish::failed(document),
    }
}
