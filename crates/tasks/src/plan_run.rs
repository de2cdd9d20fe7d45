//! The task `plan/1`: a plan of the user's is validated, compiled, queried and recomputed.

use base::{Action, Document, Hash, Problem};
use data::plan::{Plan, PlanProblem};
use data::{Dataset, agree, compile};
use flow::{Finish, Run};
use sandbox::{Outcome, Stop};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use tokio::sync::Mutex;

use crate::answer::Known;
use crate::context::Context;
use crate::query::{Kernel, ORACLE_ROWS_MAX, Queried, Recomputed, UNLESS_LOST, rows_read};
use crate::sql::SqlDocument;
use crate::task::{finish, parse_input, unchanged};

/// What is computed, over what.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PlanInput {
    /// The dataset, as the plan names it.
    pub data: Vec<String>,
    /// Its version when the run began.
    pub version: String,
    /// In either form.
    pub plan: Value,
}

/// What became of one plan.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PlanDocument {
    /// What became of its statement.
    #[serde(flatten)]
    pub computed: SqlDocument,
    /// In canonical form; the plan language has a schema of its own.
    #[schemars(with = "Map<String, Value>")]
    pub plan: Value,
    /// The hash of the canonical form.
    pub plan_hash: Hash,
    /// How the result is known.
    pub known: Option<Known>,
}

impl Document for PlanDocument {
    const KIND: &'static str = "plan";
}

/// Runs one plan.
pub async fn plan_run(run: &mut Run, context: &Context, input: Value) -> Result<Finish, Problem> {
    let warehouse = &context.warehouse;
    let input: PlanInput = parse_input(input)?;
    let resolved = run.unless_stopped(unchanged(warehouse, &input.data, &input.version)).await?;
    let prepared = run.unless_stopped(resolved.prepare(warehouse)).await?;
    let dataset = &prepared.dataset;
    let plan = data::plan::read(&input.plan, dataset).map_err(unvalidated)?;
    let sql = compile::duckdb(&plan, dataset).map_err(|problem| unvalidated(vec![problem]))?;
    let kernel = Mutex::new(Kernel::new(warehouse, &prepared));
    let step = json!({ "dataset": dataset.version, "sql": sql });
    let effect = || async { kernel.lock().await.query(&sql).await };
    let mut queried: Queried = run.step_under(UNLESS_LOST, "execute", &step, effect).await?;
    let mut known: Option<Known> = None;
    if let Some(table) = queried.table.clone().filter(|_| queried.outcome == Outcome::Ok) {
        let step = json!({ "dataset": dataset.version, "plan_hash": plan.hash() });
        let effect = || async { verify(&mut *kernel.lock().await, dataset, &plan, &table).await };
        let verified: Verified = run.step_under(UNLESS_LOST, "verify", &step, effect).await?;
        queried.usage = verified.usage;
        queried.isolation = verified.isolation;
        known = Some(verified.known);
    }
    let outcome = queried.outcome;
    let computed = SqlDocument::of(run.id(), &sql, queried);
    Ok(finish(outcome, &PlanDocument { computed, plan: plan.canonical(), plan_hash: plan.hash(), known }))
}

/// What the second step gives: it also ends the cell, which says what both steps used.
#[derive(Serialize, Deserialize)]
struct Verified {
    known: Known,
    usage: base::Usage,
    isolation: Option<sandbox::Isolation>,
}

/// A plan has one meaning, so all there is to know is whether another interpreter gives the same.
async fn verify(
    kernel: &mut Kernel<'_>,
    dataset: &Dataset,
    plan: &Plan,
    table: &base::Table,
) -> Result<Verified, Problem> {
    let known = compare(kernel, dataset, plan, table).await?;
    let ended = kernel.end(Stop::Now).await?;
    Ok(Verified { known, usage: ended.usage, isolation: ended.isolation })
}

async fn compare(
    kernel: &mut Kernel<'_>,
    dataset: &Dataset,
    plan: &Plan,
    table: &base::Table,
) -> Result<Known, Problem> {
    let rows = rows_read(plan, dataset);
    if rows > ORACLE_ROWS_MAX {
        return Ok(Known::unverified(format!("{rows} rows are too many to recompute")));
    }
    Ok(match kernel.recompute(plan).await? {
        Recomputed::Table(other) => match agree::agree(plan, &other, table) {
            Ok(()) => Known::recomputed(),
            Err(difference) => Known::unverified(format!("recomputed, not equal: {difference}")),
        },
        Recomputed::Nothing(reason) => Known::unverified(format!("not recomputed: {reason}")),
    })
}

/// The first thing wrong with a plan, as a problem.
pub fn unvalidated(problems: Vec<PlanProblem>) -> Problem {
    let first = problems.into_iter().next();
    let problem = first.map_or_else(|| Problem::new(base::Code::PlanInvalid, "the plan is not valid"), Problem::from);
    if problem.hint.is_some() { problem } else { problem.action(Action::CheckPlan) }
}
