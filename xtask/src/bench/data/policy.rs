//! What the SQL policy costs: `policy ASSAY ENVIRONMENT` parses and checks a typical statement again and again in one
//! kernel, and prints one JSON line for each time it took.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, anyhow, ensure};
use sandbox::{CellOptions, Environment, Policy, Stop};
use serde_json::json;

const TIMES: usize = 200;
const STATEMENT: &str = "WITH monthly AS (SELECT date_trunc('month', o.order_date) AS month, i.category, \
     sum(i.price * i.quantity) AS revenue, count(*) AS items FROM order_items AS i JOIN orders AS o USING (order_id) \
     WHERE o.status <> 'cancelled' AND i.discount BETWEEN 0 AND 50 GROUP BY ALL) \
     SELECT month, category, revenue, rank() OVER (PARTITION BY month ORDER BY revenue DESC) AS place \
     FROM monthly WHERE items > 10 ORDER BY month, place LIMIT 100";

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [assay, environment] = arguments.as_slice() else { anyhow::bail!("usage: policy ASSAY ENVIRONMENT") };
    let mut cell = cell(assay, environment).await?;
    for time in 0..TIMES {
        let begun = Instant::now();
        let parsed = cell.call("sql.parse", &json!({ "sql": STATEMENT })).await;
        let parsed = parsed.map_err(|error| anyhow!("not parsed: {error:?}"))?;
        let parse_ms = begun.elapsed().as_secs_f64() * 1e3;
        let begun = Instant::now();
        let checked = guard::sql::check(STATEMENT, &parsed, &["orders", "order_items"]);
        let check_ms = begun.elapsed().as_secs_f64() * 1e3;
        ensure!(checked.is_ok(), "the statement is refused: {:?}", checked.err());
        if time > 0 {
            say("parse, in the kernel", parse_ms);
            say("check of the tree", check_ms);
        }
    }
    cell.finish(Stop::Now).await;
    Ok(())
}

async fn cell(assay: &Path, environment: &Path) -> anyhow::Result<sandbox::Cell> {
    let environment = Environment::locate(environment).context("the environment has not been made")?;
    let sandbox = environment.sandbox(assay.to_path_buf(), data::kernel::MODULES).await;
    let sandbox = sandbox.map_err(|problem| anyhow!("no sandbox: {}", problem.message))?;
    Ok(sandbox.cell(CellOptions::of(Policy::analysis())).await?)
}

fn say(who: &str, ms: f64) {
    println!("{}", json!({ "case": "policy", "who": who, "unit": "ms", "value": ms }));
}
