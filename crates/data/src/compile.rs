//! Plans as DuckDB SQL: one SELECT over CTEs, the same text for the same plan.
//!
//! ```text
//! listed | grouped    rows, joined and filtered, as a list or as groups with their measures
//! computed…           values from measures; one stage more where a value builds on another
//! ranked              `having`, then each row's place for `top`
//! SELECT              `top`, order, limit; or `top` and what is aggregated over the rows it leaves
//! ```
//! Each stage names its columns once and the next refers to them by name, so no name can mean a column of a table.
//! Names are always quoted, joins are LEFT JOINs over unique keys, every sort puts nulls last.

mod expr;
mod text;
mod window;

use crate::dataset::Dataset;
use crate::plan::output::{Output, Role, outputs};
use crate::plan::{Expr, Measure, Plan, PlanProblem};
use expr::Rows;
use text::{Select, Stages, identifier};

/// The plan as SQL for DuckDB 2.0. Fails only on a plan that [`crate::plan::read`] would have refused.
pub fn duckdb(plan: &Plan, dataset: &Dataset) -> Result<String, PlanProblem> {
    let plan = &plan.normal();
    let (outputs, problem) = outputs(plan, dataset);
    if let Some(problem) = problem {
        return Err(problem);
    }
    let (over, outputs): (Vec<Output>, Vec<Output>) = outputs.into_iter().partition(|output| output.role == Role::Over);
    let mut stages = Stages::new(dataset);
    let mut source = match plan.select.is_empty() {
        true => stages.add("grouped", grouped(plan, dataset, &outputs)?),
        false => stages.add("listed", listed(plan, dataset)?),
    };
    for computed in window::computed(plan, &outputs)? {
        let select =
            Select { columns: [vec!["*".to_string()], computed].concat(), from: vec![source], ..Select::default() };
        source = stages.add("computed", select);
    }
    let having = match &plan.having {
        Some(pred) => expr::conditions(&expr::Results { outputs: &outputs }, pred)?,
        None => Vec::new(),
    };
    let (source, filter) = ranked(plan, &outputs, &mut stages, source, having);
    let last = match over.is_empty() {
        true => sorted(plan, &outputs),
        false => aggregated(plan, &outputs, &over)?,
    };
    Ok(stages.finish(Select { from: vec![source], filter, ..last }))
}

fn listed(plan: &Plan, dataset: &Dataset) -> Result<Select, PlanProblem> {
    let rows = Rows::new(dataset, plan, &plan.from);
    let mut columns = Vec::new();
    for column in &plan.select {
        columns.push(named(expr::value(&rows, &column.expr)?.text, &column.name));
    }
    let filter = filter(&rows, plan)?;
    let exprs = plan.select.iter().map(|column| &column.expr);
    let from = rows.from(exprs, plan.filter.iter())?;
    Ok(Select { distinct: plan.distinct, columns, from, filter, ..Select::default() })
}

fn grouped(plan: &Plan, dataset: &Dataset, outputs: &[Output]) -> Result<Select, PlanProblem> {
    let rows = Rows::new(dataset, plan, &plan.from);
    let mut columns = Vec::new();
    for group in &plan.group {
        let value = expr::value(&rows, &group.expr)?;
        let text = group.grain.map_or(value.text.clone(), |grain| expr::period(grain, &value));
        columns.push(named(text, &group.name));
    }
    for (measure, output) in plan.measures.iter().zip(&outputs[plan.group.len()..]) {
        columns.push(named(expr::aggregate(&rows, measure, output.unbounded)?, &measure.name));
    }
    let filter = filter(&rows, plan)?;
    let groups = plan.group.iter().map(|group| &group.expr);
    let exprs = groups.chain(plan.measures.iter().flat_map(Measure::exprs));
    let preds = plan.filter.iter().chain(plan.measures.iter().filter_map(|measure| measure.filter.as_ref()));
    let from = rows.from(exprs, preds)?;
    Ok(Select { columns, from, filter, groups: plan.group.len(), ..Select::default() })
}

fn filter(rows: &Rows<'_>, plan: &Plan) -> Result<Vec<String>, PlanProblem> {
    match &plan.filter {
        Some(pred) => expr::conditions(rows, pred),
        None => Ok(Vec::new()),
    }
}

/// What is left to select from, and which rows of it: those that `having` and `top` keep.
fn ranked(
    plan: &Plan,
    outputs: &[Output],
    stages: &mut Stages<'_>,
    source: String,
    having: Vec<String>,
) -> (String, Vec<String>) {
    let Some(top) = &plan.top else { return (source, having) };
    let place = text::fresh("place", |name| outputs.iter().any(|output| output.name.eq_ignore_ascii_case(name)));
    let columns = vec!["*".to_string(), named(window::place(top, outputs), &place)];
    let source = stages.add("ranked", Select { columns, from: vec![source], filter: having, ..Select::default() });
    (source, vec![format!("{} <= {}", identifier(&place), top.n)])
}

fn sorted(plan: &Plan, outputs: &[Output]) -> Select {
    Select {
        columns: outputs.iter().map(|output| identifier(&output.name)).collect(),
        order: window::order(&plan.order, outputs),
        limit: Some(plan.limit),
        ..Select::default()
    }
}

/// One row needs no order, and no limit is less than one row.
fn aggregated(plan: &Plan, outputs: &[Output], over: &[Output]) -> Result<Select, PlanProblem> {
    let mut columns = Vec::new();
    for (item, output) in plan.over.iter().zip(over) {
        let expr = item.of.as_ref().map(|name| Expr::Ref { name: name.clone() });
        let measure =
            Measure { name: item.name.clone(), agg: item.agg.into(), expr, with: None, q: None, filter: None };
        columns.push(named(expr::aggregate(&expr::Results { outputs }, &measure, output.unbounded)?, &item.name));
    }
    Ok(Select { columns, ..Select::default() })
}

fn named(text: String, name: &str) -> String {
    format!("{text} AS {}", identifier(name))
}
