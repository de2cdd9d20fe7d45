//! Plans that a model writes: read like anybody's, doubted like the planner's own, computed twice.
//!
//! A plan is the one proposal that a model can make whose meaning we know, so it can be held against the question before it
//! runs and against the oracle after.

use base::{Problem, Table};
use data::compile;
use data::plan::Plan;
use planner::Reading;
use sandbox::Outcome;
use serde_json::Value;
use warehouse::Warehouse;

use super::Over;
use super::execute::Executed;
use crate::answer::{Answer, AnswerChart, By, Known, forms};
use crate::ask::{known_by, known_without_recomputing};
use crate::query::{Kernel, Recomputed};
use crate::sentence;

/// What is wrong with a plan that a model is told at most.
const PROBLEMS_MAX: usize = 4;

/// The plan that a text is, or what is wrong with it.
pub fn read(text: &str, over: Over<'_>) -> Result<Plan, String> {
    let mut value: Value = serde_json::from_str(text).map_err(|error| format!("the plan is no JSON: {error}"))?;
    let Some(fields) = value.as_object_mut() else { return Err("a plan is a JSON object".to_string()) };
    // Which dataset is meant is not the model's to say.
    let name = if fields.contains_key("dataset") { "dataset" } else { "dataset_id" };
    fields.insert(name.to_string(), Value::from(over.dataset.id.as_str()));
    data::plan::read(&value, over.dataset).map_err(|problems| {
        let told: Vec<String> = problems
            .iter()
            .take(PROBLEMS_MAX)
            .map(|problem| match problem.suggestions.first() {
                Some(instead) => format!("{}: {} (perhaps `{instead}`)", problem.path, problem.message),
                None => format!("{}: {}", problem.path, problem.message),
            })
            .collect();
        format!("the plan is not valid: {}", told.join("; "))
    })
}

/// Holds a plan against the question, computes it and recomputes it.
pub async fn execute(warehouse: &Warehouse, over: Over<'_>, question: &str, text: &str) -> Result<Executed, Problem> {
    let plan = match read(text, over) {
        Ok(plan) => plan,
        Err(error) => return Ok(Executed::failed(error)),
    };
    if let Some(doubt) = planner::doubts(over.index, question, &plan) {
        return Ok(Executed::failed(format!("the plan may not answer the question: {doubt}")));
    }
    let sql = match compile::duckdb(&plan, over.dataset) {
        Ok(sql) => sql,
        Err(problem) => return Ok(Executed::failed(format!("the plan has no meaning here: {problem}"))),
    };
    let mut kernel = Kernel::over(warehouse, over.file, over.dataset);
    let mut queried = kernel.query_plan(&plan, &sql).await?;
    let table = queried.table.take().filter(|_| queried.outcome == Outcome::Ok);
    let Some(mut table) = table else {
        kernel.retire();
        return Ok(Executed::of_query(queried));
    };
    let known = verify(&mut kernel, over, &plan, &table).await?;
    kernel.retire();
    if let Some(total) = queried.total {
        table.truncated = total > table.rows.len() as u64;
        table.row_count = total;
    }
    Ok(match known {
        Ok(known) => Executed { known: Some(known), ..Executed::gave(table) },
        Err(difference) => Executed::failed(format!("computed two ways, the results differ: {difference}")),
    })
}

async fn verify(
    kernel: &mut Kernel<'_>,
    over: Over<'_>,
    plan: &Plan,
    table: &Table,
) -> Result<Result<Known, String>, Problem> {
    if let Some(known) = known_without_recomputing(plan, over.dataset, table) {
        return Ok(known.map(|known| at_most_checked(known, over)));
    }
    let recomputed: Recomputed = kernel.recompute(plan).await?;
    let known = known_by(recomputed, &reading(plan.clone()), table, over.doubts);
    Ok(known.map(|known| at_most_checked(known, over)))
}

/// That a plan was computed rightly says nothing about whether it is what was asked, so nothing is verified; what no other
/// interpreter confirms is not even checked.
fn at_most_checked(known: Known, over: Over<'_>) -> Known {
    if known.by != By::Oracle {
        return Known::unverified(format!("a plan that a model wrote, computed once: {}", known.note));
    }
    let files = over.doubts.note().map(|note| format!("; {note}")).unwrap_or_default();
    Known::checked(By::Oracle, format!("a plan that a model wrote, computed twice, in two ways, equal{files}"))
}

/// A plan as a reading of the question.
fn reading(plan: Plan) -> Reading {
    let groups = plan.group.iter().map(|item| &item.name).chain(plan.select.iter().map(|item| &item.name));
    let numbers = plan.measures.iter().map(|item| &item.name).chain(plan.compute.iter().map(|item| &item.name));
    let focus = groups.chain(numbers).cloned().collect();
    Reading { plan, focus, assumptions: Vec::new(), ambiguous: true, chart: None, score: 0.0 }
}

/// Says what a plan's result says, as of any plan: in words, with its statement, and drawn where that helps.
pub fn tell(answer: &mut Answer, over: Over<'_>, text: &str, table: &Table) -> Result<(), Problem> {
    let Ok(plan) = read(text, over) else { return Err(super::missing("its plan")) };
    let Ok(sql) = compile::duckdb(&plan, over.dataset) else { return Err(super::missing("its statement")) };
    let reading = reading(plan);
    answer.understand(&reading, over.dataset, &sql);
    answer.forms = forms(&reading.plan, over.dataset, table);
    if !table.truncated {
        let Reading { plan, focus, .. } = &reading;
        answer.sentence = Some(sentence::tell(plan, over.dataset, table, table.rows.len(), focus));
        answer.chart = data::chart::choose(plan, over.dataset, table, focus, None).map(|chart| AnswerChart {
            kind: chart.kind,
            spec: chart.spec(),
            drawing: chart,
        });
    }
    answer.plan_computed = Some(reading.plan);
    Ok(())
}
