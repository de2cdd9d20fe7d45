//! The task `sql/1`: one statement of the user's, through the same door as our own.

use base::Problem;
use flow::{Finish, Run};
use sandbox::{Outcome, Stop};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::sync::Mutex;

use crate::context::Context;
use crate::query::{Kernel, Queried, UNLESS_LOST};
use crate::task::{document, finish, parse_input, unchanged};

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
