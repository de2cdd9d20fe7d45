//! `assay demo plan`: a walk through the plan language on the built-in shop. Everything shown is computed when it is shown:
//! the program's own reader, compiler, engine and oracle say what they say.

use agent::{Kernel, Prepared, Queried, Recomputed, unvalidated};
use base::{Code, Problem, Table};
use data::plan::Plan;
use data::{agree, compile, plan};
use serde_json::{Map, Value, json};

use crate::app::{App, resolve};
use crate::grid;
use crate::printer::Printer;

const DATASET: &str = "ecommerce";

/// Computes every stage, then shows them.
pub async fn run(app: &App) -> Result<u8, Problem> {
    let prepared = resolve(app, &[DATASET.to_string()]).await?.prepare(&app.context).await?;
    let stages = stages(app, &prepared).await?;
    let document = json!({
        "v": 1, "kind": "demo_plan", "dataset": { "id": prepared.dataset.id, "version": prepared.dataset.version },
        "stages": stages,
    });
    app.show(&document, |printer| {
        stages.iter().enumerate().for_each(|(index, stage)| print(printer, index + 1, stage))
    });
    Ok(0)
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

async fn stages(app: &App, prepared: &Prepared) -> Result<Vec<Value>, Problem> {
    let dataset = &prepared.dataset;
    let read = |written: &Value| plan::read(written, dataset).map_err(unvalidated);
    let refused = |written: &Value| match plan::read(written, dataset) {
        Err(problems) => Ok(problems),
        Ok(_) => Err(Problem::new(Code::Internal, "a plan that has no meaning was read")),
    };
    let compiled = |plan: &Plan| compile::duckdb(plan, dataset).map_err(|problem| unvalidated(vec![problem]));

    let (meant, total, exists) = (read(&short())?, read(&totals())?, read(&existing())?);
    let (sql, total_sql, exists_sql) = (compiled(&meant)?, compiled(&total)?, compiled(&exists)?);
    let work = Work { app, prepared };
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
    app: &'a App,
    prepared: &'a Prepared,
}

impl Work<'_> {
    /// What engine and oracle make of a plan, and what is known from both.
    async fn computed(&self, plan: &Plan, sql: &str) -> Result<Value, Problem> {
        let mut kernel = Kernel::new(&self.app.context, self.prepared);
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
        let mut kernel = Kernel::new(&self.app.context, self.prepared);
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

fn print(printer: &Printer, number: usize, stage: &Value) {
    let name = text(&stage["name"]);
    let (title, words) = told(name);
    printer.line(&format!("{}{}", if number == 1 { "" } else { "\n" }, printer.strong(&format!("{number}. {title}"))));
    printer.line(&printer.dim(words));
    printer.line("");
    match name {
        "sql" => printer.lines(&format!("{}\n", text(&stage["sql"]))),
        "short" => printer.lines(&laid_out(&stage["plan"])),
        "canonical" => {
            printer.lines(&laid_out(&stage["plan"]));
            printer.line(&format!("hash      {}", text(&stage["plan_hash"])));
            printer.line(&format!("reworded  {}", text(&stage["reworded"]["plan_hash"])));
        }
        "result" => print_computed(printer, stage),
        "exists" => {
            printer.lines(&laid_out(&stage["plan"]));
            print_computed(printer, stage);
        }
        _ => print_refused(printer, stage),
    }
}

/// What a stage shows, and why.
fn told(name: &str) -> (&'static str, &'static str) {
    match name {
        "short" => (
            "A plan in short form",
            "What people and models write. `status` is a column of orders: the link from items to orders is known.",
        ),
        "canonical" => (
            "The canonical form",
            "One spelling for one meaning: every column with its table, defaults written out. Equal plans share a hash.",
        ),
        "sql" => ("The SQL", "Printed from the plan, the same text each time; joins go from many to one only."),
        "result" => (
            "Computed twice",
            "The engine ran the SQL; the oracle interpreted the plan in plain Python and knows no SQL.",
        ),
        "refused" => ("A plan with mistakes", "Each is named with its place, and what could have been meant."),
        "no_doubling" => (
            "A sum that would count orders twice",
            "Joined to its items, an order of three items counts three times. Here that has no spelling, from either side.",
        ),
        _ => ("What can be asked instead", "`exists` asks about the many side and leaves the number of rows alone."),
    }
}

fn print_computed(printer: &Printer, stage: &Value) {
    for who in ["engine", "oracle"] {
        if let Ok(table) = serde_json::from_value::<Table>(stage[who].clone()) {
            printer.line(&printer.dim(who));
            printer.data(&grid::draw(&table, printer.width));
        }
    }
    let known = &stage["known"];
    printer.line(&format!("known  {}: {}", text(&known["level"]), text(&known["note"])));
}

fn print_refused(printer: &Printer, stage: &Value) {
    for refused in [Some(stage), stage.get("from_items")].into_iter().flatten() {
        printer.lines(&laid_out(&refused["plan"]));
        for problem in refused["problems"].as_array().into_iter().flatten() {
            printer.line(&format!("{}  {}", text(&problem["path"]), text(&problem["message"])));
            for suggestion in problem["suggestions"].as_array().into_iter().flatten() {
                printer.line(&format!("    did you mean `{}`?", text(suggestion)));
            }
        }
    }
    if let Some(by_hand) = stage.get("by_hand") {
        let only = |table: &Value| text(&table["rows"][0][0]).to_string();
        printer.line(&printer.dim(&format!("\nby hand  {}", text(&by_hand["sql"]))));
        printer.line(&format!("by hand  {}", only(&by_hand["table"])));
        printer.line(&format!("in truth {}", only(&stage["true"])));
    }
}

/// A plan with one line for each of its fields.
fn laid_out(plan: &Value) -> String {
    let fields = plan.as_object().into_iter().flatten().map(|(name, value)| format!("  \"{name}\": {value}"));
    format!("{{\n{}\n}}\n", fields.collect::<Vec<_>>().join(",\n"))
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
