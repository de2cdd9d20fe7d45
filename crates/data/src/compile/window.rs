//! What looks at several rows of the result: values computed from measures, places for `top`, and the final order.

use base::Type;

use super::expr::sum;
use super::text::{identifier, string};
use crate::plan::kind::Kind;
use crate::plan::literal::WEEKDAYS;
use crate::plan::output::Output;
use crate::plan::{Compute, ComputeOp, Dir, Grain, Order, Plan, PlanProblem, Top};

/// The computed values, in stages: each builds on measures and on stages before its own.
pub(super) fn computed(plan: &Plan, outputs: &[Output]) -> Result<Vec<Vec<String>>, PlanProblem> {
    let mut levels: Vec<(&str, usize)> = Vec::new();
    let mut stages: Vec<Vec<String>> = Vec::new();
    for compute in &plan.compute {
        let level_of = |name: &String| levels.iter().find(|(known, _)| known == name).map_or(0, |(_, level)| level + 1);
        let level = compute.args.iter().map(level_of).max().unwrap_or(0);
        levels.push((&compute.name, level));
        if stages.len() == level {
            stages.push(Vec::new());
        }
        stages[level].push(format!("{} AS {}", text(compute, outputs)?, identifier(&compute.name)));
    }
    Ok(stages)
}

fn text(compute: &Compute, outputs: &[Output]) -> Result<String, PlanProblem> {
    let missing = || PlanProblem::invalid("", format!("`{}` names an output that is not there", compute.name));
    let find = |name: &String| outputs.iter().find(|output| output.name == *name).ok_or_else(missing);
    let names: Vec<String> = compute.args.iter().map(|name| identifier(name)).collect();
    let first = names.first().ok_or_else(missing)?;
    let arg = find(&compute.args[0])?;
    let kind = arg.kind.ok_or_else(missing)?;
    let per = partition(&compute.per);
    Ok(match compute.op {
        ComputeOp::Ratio => format!("{first} / nullif({}, 0)", names[1]),
        ComputeOp::Diff => format!("{} - {}", wide(first, kind), names[1]),
        ComputeOp::Share => {
            format!("{first} / nullif({}, 0)", sum(first, kind, arg.unbounded, &format!(" OVER ({per})")))
        }
        ComputeOp::Change | ComputeOp::ChangePct | ComputeOp::Cumulative => {
            let along = find(compute.along.as_ref().ok_or_else(missing)?)?;
            walked(compute.op, arg, kind, &per, along).ok_or_else(missing)?
        }
    })
}

/// A value along periods. The row before is the period before only if no period is missing between them.
fn walked(op: ComputeOp, arg: &Output, kind: Kind, per: &str, along: &Output) -> Option<String> {
    let (value, period) = (identifier(&arg.name), identifier(&along.name));
    let order =
        format!("{}ORDER BY {period} ASC NULLS LAST", if per.is_empty() { String::new() } else { format!("{per} ") });
    if op == ComputeOp::Cumulative {
        let so_far = format!(" OVER ({order} ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)");
        return Some(sum(&value, kind, arg.unbounded, &so_far));
    }
    let step = step(along.periods()?);
    let before = format!("lag({value}) OVER ({order})");
    let adjacent = format!("lag({period}) OVER ({order}) = {period} - INTERVAL {}", string(step));
    let change = format!("{} - {before}", wide(&value, kind));
    Some(match op {
        ComputeOp::ChangePct => format!("CASE WHEN {adjacent} THEN ({change}) / nullif({before}, 0) END"),
        _ => format!("CASE WHEN {adjacent} THEN {change} END"),
    })
}

/// An integer with room for a difference: the least and the greatest of a column are as narrow as the column.
fn wide(value: &str, kind: Kind) -> String {
    if kind.ty == Type::Int { format!("CAST({value} AS HUGEINT)") } else { value.to_string() }
}

fn step(grain: Grain) -> &'static str {
    match grain {
        Grain::Year => "1 year",
        Grain::Quarter => "3 months",
        Grain::Month => "1 month",
        Grain::Week => "7 days",
        Grain::Day => "1 day",
        Grain::Hour => "1 hour",
    }
}

fn partition(names: &[String]) -> String {
    if names.is_empty() {
        return String::new();
    }
    let names: Vec<String> = names.iter().map(|name| identifier(name)).collect();
    format!("PARTITION BY {}", names.join(", "))
}

/// The place of a row for `top`: shared by equals with ties, else decided by all columns.
pub(super) fn place(top: &Top, outputs: &[Output]) -> String {
    let by = Order { by: top.by.clone(), dir: top.dir };
    let (function, keys) = match top.ties {
        true => ("rank", keys(std::slice::from_ref(&by), outputs)),
        false => ("row_number", order(std::slice::from_ref(&by), outputs)),
    };
    let per = partition(&top.per);
    let per = if per.is_empty() { per } else { format!("{per} ") };
    format!("{function}() OVER ({per}ORDER BY {})", keys.join(", "))
}

/// The sort keys that were asked for, then every other column ascending.
pub(super) fn order(order: &[Order], outputs: &[Output]) -> Vec<String> {
    let mut all = order.to_vec();
    for output in outputs.iter().filter(|output| order.iter().all(|key| key.by != output.name)) {
        all.push(Order { by: output.name.clone(), dir: Dir::Asc });
    }
    keys(&all, outputs)
}

fn keys(order: &[Order], outputs: &[Output]) -> Vec<String> {
    let key = |order: &Order| {
        let weekday = outputs.iter().any(|output| output.name == order.by && output.is_weekday());
        let name = identifier(&order.by);
        let key = if weekday { weekday_number(&name) } else { name };
        format!("{key} {} NULLS LAST", if order.dir == Dir::Asc { "ASC" } else { "DESC" })
    };
    order.iter().map(key).collect()
}

/// Weekdays sort from Monday, not by their letters.
fn weekday_number(name: &str) -> String {
    let numbered = WEEKDAYS.iter().zip(1..).map(|(day, number)| format!(" WHEN {} THEN {number}", string(day)));
    format!("CASE {name}{} END", numbered.collect::<String>())
}
