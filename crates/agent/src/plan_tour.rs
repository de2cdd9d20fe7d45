//! A walk through the plan language on the built-in shop. Everything it shows is computed when it is shown: the program's
//! own reader, compiler, engine and oracle say what they say.

use base::{Code, Problem, Table};
use data::plan::Plan;
use data::{agree, compile, plan};
use serde_json::{Map, Value, json};

use crate::context::Context;
use crate::plan_run::unvalidated;
use crate::query::{Kernel, Queried, Recomputed};
use crate::source::Source;
use crate::warehouse::{Prepared, Resolved};

const DATASET: &str = "ecommerce";

/// The document of the walk, stage by stage.
pub async fn plan_tour(context: &Context) -> Result<Value, Problem> {
    let source = Source::parse(&[DATASET.to_string()], &context.datasets())?;
    let prepared = Resolved::of(context, source).await?.prepare(context).await?;
    let stages = stages(context, &prepared).await?;
    Ok(json!({
        "v": 1, "kind": "demo_plan", "dataset": { "id": prepared.dataset.id, "version": prepared.dataset.version },
        "stages": stages,
    }))
}

/// A plan as people write it.
fn short() -> Value {
    json!({
        "dataset_id": DATASET, "table": "order_items",
        "select": [
            {"column": "category"},
            {"agg": "sum", "expr": "price * quantity * (1 - discount / 100)", "as": "revenue"},
            {"agg": "count", "column": "*", "as": "items"},
        ],
        "filters": [{"column": "status", "op": "!=", "value": "cancelled"}, {"column": "discount", "op": "<", "value": 30}],
        "group_by": ["category"], "order_by": [{"expr": "revenue", "dir": "desc"}],
    })
}

/// The same in other words.
fn reworded() -> Value {
    let mut other = short();
    other["select"][1] = json!({"func": "sum", "expr": "price*quantity*(1-discount/100)", "alias": "revenue"});
    other["filters"].as_array_mut().expect("a list").reverse();
    other["limit"] = json!(plan::LIMIT_DEFAULT);
    other["notes"] = json!("the order of filters, blanks and what is the default anyway do not count");
    other
}

fn misspelt() -> Value {
    let mut wrong = short();
    wrong["select"][1]["expr"] = json!("prise * quantity");
    wrong["order_by"][0]["expr"] = json!("revenu");
    wrong
}

/// Orders have a total, items have a category: joined, an order of three items would count three times.
fn doubling() -> Value {
    json!({
        "v": 1, "dataset": DATASET, "from": "orders",
        "group": [{"as": "category", "expr": {"col": "order_items.category"}}],
        "measures": [{"as": "total", "agg": "sum", "expr": {"col": "orders.total"}}],
    })
}

/// The same from the other side: each item brings the total of its whole order.
fn doubling_from_items() -> Value {
    json!({
        "v": 1, "dataset": DATASET, "from": "order_items",
        "group": [{"as": "category", "expr": {"col": "order_items.category"}}],
        "measures": [{"as": "total", "agg": "sum", "expr": {"col": "orders.total"}}],
    })
}

const DOUBLING_BY_HAND: &str =
    "SELECT sum(orders.total) AS total FROM orders JOIN order_items ON order_items.order_id = orders.order_id";

fn totals() -> Value {
    json!({
        "v": 1, "dataset": DATASET, "from": "orders",
        "measures": [{"as": "total", "agg": "sum", "expr": {"col": "orders.total"}}],
    })
}

/// What can be asked about the many side: whether there is such a row.
fn existing() -> Value {
    let books = json!({"test": "eq", "expr": {"col": "order_items.category"}, "values": ["Books"]});
    json!({
        "v": 1, "dataset": DATASET, "from": "orders",
        "where": {"exists": {"table": "order_items", "where": books}},
        "measures": [{"as": "total", "agg": "sum", "expr": {"col": "orders.total"}}, {"as": "orders", "agg": "count"}],
    })
}

async fn stages(context: &Context, prepared: &Prepared) -> Result<Vec<Value>, Problem> {
    let dataset = &prepared.dataset;
    let read = |written: &Value| plan::read(written, dataset).map_err(unvalidated);
    let refused = |written: &Value| match plan::read(written, dataset) {
        Err(problems) => Ok(problems),
        Ok(_) => Err(Problem::new(Code::Internal, "a plan that has no meaning was read")),
    };
    let compiled = |plan: &Plan| compile::duckdb(plan, dataset).map_err(|problem| unvalidated(vec![problem]));

    let (meant, total, exists) = (read(&short())?, read(&totals())?, read(&existing())?);
    let (sql, total_sql, exists_sql) = (compiled(&meant)?, compiled(&total)?, compiled(&exists)?);
    let work = Work { context, prepared };
    let (computed, by_hand, total, found) = tokio::try_join!(
        work.computed(&meant, &sql),
        work.query(DOUBLING_BY_HAND),
        work.query(&total_sql),
        work.computed(&exists, &exists_sql),
    )?;
    Ok(vec![
        json!({"name": "short", "plan": short()}),
        json!({
            "name": "canonical", "plan": meant.canonical(), "plan_hash": meant.hash(),
            "reworded": {"plan": reworded(), "plan_hash": read(&reworded())?.hash()},
        }),
        json!({"name": "sql", "dialect": "duckdb", "sql": sql}),
        with(json!({"name": "result"}), computed),
        json!({"name": "refused", "plan": misspelt(), "problems": refused(&misspelt())?}),
        json!({
            "name": "no_doubling", "plan": doubling(), "problems": refused(&doubling())?,
            "from_items": {"plan": doubling_from_items(), "problems": refused(&doubling_from_items())?},
            "by_hand": {"sql": DOUBLING_BY_HAND, "table": by_hand}, "true": total,
        }),
        with(json!({"name": "exists", "plan": exists.canonical(), "plan_hash": exists.hash()}), found),
    ])
}

/// What runs in cells; each piece has one of its own, so that they run beside one another.
struct Work<'a> {
    context: &'a Context,
    prepared: &'a Prepared,
}

impl Work<'_> {
    /// What engine and oracle make of a plan, and what is known from both.
    async fn computed(&self, plan: &Plan, sql: &str) -> Result<Value, Problem> {
        let mut kernel = Kernel::new(self.context, self.prepared);
        let engine = table(kernel.query(sql).await?)?;
        let recomputed = kernel.recompute(plan).await?;
        kernel.retire();
        let (oracle, level, note) = match recomputed {
            Recomputed::Table(oracle) => match agree::agree(&oracle, &engine) {
                Ok(()) => (Some(oracle), "verified", "computed by two interpreters that share no code, equal".into()),
                Err(apart) => (Some(oracle), "unverified", format!("recomputed, not equal: {apart}")),
            },
            Recomputed::Nothing(reason) => (None, "unverified", format!("not recomputed: {reason}")),
        };
        Ok(json!({"engine": engine, "oracle": oracle, "known": {"level": level, "by": "oracle", "note": note}}))
    }

    /// Parsed, checked and run, as any statement is.
    async fn query(&self, sql: &str) -> Result<Table, Problem> {
        let mut kernel = Kernel::new(self.context, self.prepared);
        let queried = kernel.query(sql).await?;
        kernel.retire();
        table(queried)
    }
}

fn table(queried: Queried) -> Result<Table, Problem> {
    queried.table.ok_or_else(|| {
        let why = queried.error.map_or_else(|| format!("{:?}", queried.outcome).to_lowercase(), |error| error.message);
        Problem::new(Code::Internal, format!("the engine gave no table: {why}"))
            .hint("`assay doctor` looks at this machine")
    })
}

fn with(mut stage: Value, more: Value) -> Value {
    let fields: Map<String, Value> = serde_json::from_value(more).unwrap_or_default();
    stage.as_object_mut().expect("a stage is an object").extend(fields);
    stage
}
