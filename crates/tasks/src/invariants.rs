//! What must hold of a result whatever the data is: cheap, and needs no second computation.

use base::{Table, Type};
use data::Dataset;
use data::plan::{Agg, ComputeOp, OverAgg, Plan, output};
use serde_json::Value;

/// The first thing about `table` that cannot be a result of `plan`.
pub fn violated(plan: &Plan, dataset: &Dataset, table: &Table) -> Option<String> {
    let expected: Vec<String> = output(plan, dataset).into_iter().map(|column| column.name).collect();
    let found: Vec<String> = table.columns.iter().map(|column| column.name.clone()).collect();
    if expected != found {
        return Some(format!("columns are {found:?} and should be {expected:?}"));
    }
    if table.row_count > u64::from(plan.limit) && plan.top.is_none() {
        return Some(format!("{} rows where at most {} were asked for", table.row_count, plan.limit));
    }
    let rows = dataset.table(&plan.from).map_or(0, |table| table.rows);
    if plan.group.is_empty() && !plan.measures.is_empty() && table.row_count > 1 {
        return Some("an ungrouped result has more than one row".to_string());
    }
    if !plan.over.is_empty() && table.row_count != 1 {
        return Some(format!("{} rows where groups are aggregated to one", table.row_count));
    }
    if table.row_count > rows.max(1) {
        return Some(format!("{} groups of {rows} rows", table.row_count));
    }
    (0..table.columns.len()).find_map(|index| violated_in_column(plan, table, index, rows))
}

fn violated_in_column(plan: &Plan, table: &Table, index: usize, rows: u64) -> Option<String> {
    let column = &table.columns[index];
    let counts = plan
        .measures
        .iter()
        .any(|measure| measure.name == column.name && matches!(measure.agg, Agg::Count | Agg::CountDistinct));
    let groups = plan.over.iter().any(|over| over.name == column.name && over.agg == OverAgg::Count);
    let shares = plan.compute.iter().any(|compute| compute.name == column.name && compute.op == ComputeOp::Share);
    for row in &table.rows {
        let number = row.get(index).and_then(Value::as_f64);
        if counts && !number.is_some_and(|number| (0.0..=rows as f64).contains(&number)) {
            return Some(format!("`{}` is not a count of at most {rows} rows", column.name));
        }
        if groups && !number.is_some_and(|number| (0.0..=rows.max(1) as f64).contains(&number)) {
            return Some(format!("`{}` is not a count of groups of at most {rows} rows", column.name));
        }
        if shares && column.ty == Type::Float && number.is_some_and(|number| !(-1e-9..=1.0 + 1e-9).contains(&number)) {
            return Some(format!("`{}` is not a share", column.name));
        }
    }
    None
}
