//! A walk through the plan language on the built-in shop. Everything it shows is computed when it is shown: the program's
//! own reader, compiler, engine and oracle say what they say.

use base::{Action, Code, Document, Hash, Problem, Table};
use data::dataset::Identity;
use data::plan::{Plan, PlanProblem};
use data::{agree, compile, plan};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};
use warehouse::{Prepared, Resolved, Source, Warehouse};

use crate::answer::{By, Known, Level};
use crate::plan_run::unvalidated;
use crate::query::{Kernel, Queried, Recomputed};

const DATASET: &str = "ecommerce";

/// A walk through the plan language, stage by stage.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PlanTour {
    /// What everything is computed over.
    pub dataset: Identity,
    /// In order.
    pub stages: Vec<Stage>,
}

impl Document for PlanTour {
    const KIND: &'static str = "demo_plan";
}

/// One stage of the walk.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(tag = "name", rename_all = "snake_case")]
pub enum Stage {
    /// A plan as people write it.
    Short {
        /// In short form.
        plan: Written,
    },
    /// The same in the one spelling that is computed.
    Canonical {
        /// In canonical form.
        plan: Written,
        /// Its hash.
        plan_hash: Hash,
        /// The same in other words.
        reworded: Reworded,
    },
    /// What it compiles to.
    Sql {
        /// Of which engine.
        dialect: &'static str,
        /// The statement.
        sql: String,
    },
    /// What it comes to.
    Result {
        /// Computed twice.
        #[serde(flatten)]
        computed: Computed,
    },
    /// A plan with mistakes.
    Refused {
        /// The plan and what is wrong with it.
        #[serde(flatten)]
        refused: Refused,
    },
    /// A sum that would count rows twice.
    NoDoubling {
        /// The plan and what is wrong with it.
        #[serde(flatten)]
        refused: Refused,
        /// The same from the other side.
        from_items: Refused,
        /// What SQL makes of it.
        by_hand: ByHand,
        /// What the sum is.
        #[serde(rename = "true")]
        in_truth: Table,
    },
    /// What can be asked instead.
    Exists {
        /// In canonical form.
        plan: Written,
        /// Its hash.
        plan_hash: Hash,
        /// Computed twice.
        #[serde(flatten)]
        computed: Computed,
    },
}

/// A plan as JSON, in either form.
type Written = Map<String, Value>;

/// A plan in other words, and the same hash.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Reworded {
    /// In short form.
    pub plan: Written,
    /// Its hash.
    pub plan_hash: Hash,
}

/// What engine and oracle make of a plan.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Computed {
    /// By SQL.
    pub engine: Table,
    /// By the interpreter that knows no SQL.
    pub oracle: Option<Table>,
    /// What is known from both.
    pub known: Known,
}

/// A plan that has no meaning.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Refused {
    /// As it was written.
    pub plan: Written,
    /// Everything that is wrong with it.
    pub problems: Vec<PlanProblem>,
}

/// A statement and its result.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ByHand {
    /// The statement.
    pub sql: &'static str,
    /// What it gives.
    pub table: Table,
}

/// Has every stage computed.
pub async fn plan_tour(warehouse: &Warehouse) -> Result<PlanTour, Problem> {
    let source = Source::Builtin(DATASET);
    let prepared = Resolved::of(warehouse, source).await?.prepare(warehouse).await?;
    Ok(PlanTour { dataset: prepared.dataset.identity(), stages: stages(warehouse, &prepared).await? })
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

async fn stages(warehouse: &Warehouse, prepared: &Prepared) -> Result<Vec<Stage>, Problem> {
    let dataset = &prepared.dataset;
    let read = |written: &Value| plan::read(written, dataset).map_err(unvalidated);
    let refused = |plan: Value| match plan::read(&plan, dataset) {
        Err(problems) => Ok(Refused { plan: written(plan), problems }),
        Ok(_) => Err(Problem::new(Code::Internal, "a plan that has no meaning was read")),
    };
    let compiled = |plan: &Plan| compile::duckdb(plan, dataset).map_err(|problem| unvalidated(vec![problem]));

    let (meant, total, exists) = (read(&short())?, read(&totals())?, read(&existing())?);
    let (sql, total_sql, exists_sql) = (compiled(&meant)?, compiled(&total)?, compiled(&exists)?);
    let work = Work { warehouse, prepared };
    let (computed, by_hand, total, found) = tokio::try_join!(
        work.computed(&meant, &sql),
        work.query(DOUBLING_BY_HAND),
        work.query(&total_sql),
        work.computed(&exists, &exists_sql),
    )?;
    let reworded = Reworded { plan_hash: read(&reworded())?.hash(), plan: written(reworded()) };
    Ok(vec![
        Stage::Short { plan: written(short()) },
        Stage::Canonical { plan: written(meant.canonical()), plan_hash: meant.hash(), reworded },
        Stage::Sql { dialect: "duckdb", sql },
        Stage::Result { computed },
        Stage::Refused { refused: refused(misspelt())? },
        Stage::NoDoubling {
            refused: refused(doubling())?,
            from_items: refused(doubling_from_items())?,
            by_hand: ByHand { sql: DOUBLING_BY_HAND, table: by_hand },
            in_truth: total,
        },
        Stage::Exists { plan: written(exists.canonical()), plan_hash: exists.hash(), computed: found },
    ])
}

fn written(plan: Value) -> Written {
    match plan {
        Value::Object(fields) => fields,
        other => unreachable!("a plan is an object and not {other}"),
    }
}

/// What runs in cells; each piece has one of its own, so that they run beside one another.
struct Work<'a> {
    warehouse: &'a Warehouse,
    prepared: &'a Prepared,
}

impl Work<'_> {
    /// What engine and oracle make of a plan, and what is known from both.
    async fn computed(&self, plan: &Plan, sql: &str) -> Result<Computed, Problem> {
        let mut kernel = Kernel::new(self.warehouse, self.prepared);
        let engine = table(kernel.query(sql).await?)?;
        let recomputed = kernel.recompute(plan).await?;
        kernel.retire();
        let (oracle, level, note) = match recomputed {
            Recomputed::Table(oracle) => match agree::agree(plan, &oracle, &engine) {
                Ok(()) => {
                    (Some(oracle), Level::Verified, "computed by two interpreters that share no code, equal".into())
                }
                Err(apart) => (Some(oracle), Level::Unverified, format!("recomputed, not equal: {apart}")),
            },
            Recomputed::Nothing(reason) => (None, Level::Unverified, format!("not recomputed: {reason}")),
        };
        Ok(Computed { engine, oracle, known: Known { level, by: By::Oracle, note } })
    }

    /// Parsed, checked and run, as any statement is.
    async fn query(&self, sql: &str) -> Result<Table, Problem> {
        let mut kernel = Kernel::new(self.warehouse, self.prepared);
        let queried = kernel.query(sql).await?;
        kernel.retire();
        table(queried)
    }
}

fn table(queried: Queried) -> Result<Table, Problem> {
    queried.table.ok_or_else(|| {
        let why = queried.error.map_or_else(|| format!("{:?}", queried.outcome).to_lowercase(), |error| error.message);
        Problem::new(Code::Internal, format!("the engine gave no table: {why}")).action(Action::CheckMachine)
    })
}
