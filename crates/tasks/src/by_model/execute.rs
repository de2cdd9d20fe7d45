//! Executes what a model wrote: through the guard, in a cell, as a step.

use base::{Finding, Hash, Problem, Table};
use flow::Run;
use guard::{Checked, Python};
use sandbox::{CellOptions, Execution, Input, Outcome, Policy, Program, Tables};
use serde::{Deserialize, Serialize};
use serde_json::json;
use warehouse::Warehouse;

use super::{Over, plan, result};
use crate::answer::Known;
use crate::context::Context;
use crate::program::DATABASE_NAME;
use crate::query::{Kernel, Queried, UNLESS_LOST};

/// The name that tracebacks show.
pub const PROGRAM_NAME: &str = "answer.py";

/// What became of code.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Executed {
    /// `ok`, `failed`, `killed` or `refused`.
    pub outcome: String,
    /// The result, where there is one that counts.
    pub table: Option<Table>,
    /// Why there is none.
    pub error: Option<String>,
    /// What the guard said.
    pub findings: Vec<Finding>,
    /// How a plan's result is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known: Option<Known>,
}

impl Executed {
    fn refused(findings: Vec<Finding>) -> Executed {
        let said: Vec<&str> = findings.iter().map(|finding| finding.message.as_str()).take(3).collect();
        let error = Some(format!("it was not executed: {}", said.join("; ")));
        Executed { outcome: "refused".into(), table: None, error, findings, known: None }
    }

    /// What came to nothing, and why.
    pub fn failed(error: String) -> Executed {
        Executed::of(Outcome::Failed, Err(error))
    }

    /// A table, if it is one that counts.
    pub fn gave(table: Table) -> Executed {
        Executed::of(Outcome::Ok, result::acceptable(table))
    }

    /// What a statement came to.
    pub fn of_query(queried: Queried) -> Executed {
        let Queried { outcome, table, error, findings, killed_by, .. } = queried;
        if outcome == Outcome::Refused {
            return Executed::refused(findings);
        }
        let result = match (table, error, killed_by) {
            (Some(table), ..) => result::acceptable(table),
            (None, Some(error), _) => Err(error.message),
            (None, None, Some(by)) => Err(format!("it reached the limit of {by:?}").to_lowercase()),
            (None, None, None) => Err("it gave no table".to_string()),
        };
        Executed::of(outcome, result)
    }

    fn of(outcome: Outcome, result: Result<Table, String>) -> Executed {
        let word = match outcome {
            Outcome::Ok if result.is_ok() => "ok",
            Outcome::Ok | Outcome::Failed => "failed",
            Outcome::Killed | Outcome::Lost => "killed",
            Outcome::Refused => "refused",
        };
        let (table, error) = match result {
            Ok(table) => (Some(table), None),
            Err(error) => (None, Some(error)),
        };
        Executed { outcome: word.into(), table, error, findings: Vec::new(), known: None }
    }
}

/// Checks and executes, once.
pub async fn execute(
    run: &mut Run,
    context: &Context,
    over: Over<'_>,
    question: &str,
    code: &agent::Code,
) -> Result<Executed, Problem> {
    let input = json!({
        "dataset": over.dataset.version, "language": code.language, "code": Hash::of(code.text.as_bytes()),
    });
    let warehouse = &context.warehouse;
    let effect = || async {
        match code.language {
            agent::Language::Python => python(warehouse, over, &code.text).await,
            agent::Language::Sql => sql(warehouse, over, &code.text).await,
            agent::Language::Plan => plan::execute(warehouse, over, question, &code.text).await,
        }
    };
    Ok(run.step_under(UNLESS_LOST, "execute", &input, effect).await?)
}

async fn python(warehouse: &Warehouse, over: Over<'_>, text: &str) -> Result<Executed, Problem> {
    match guard::python::check(text, guard::python::Profile::Analysis) {
        Ok(checked) => run_checked(warehouse, over, &checked).await,
        Err(report) => Ok(Executed::refused(report.findings)),
    }
}

/// The only way of a model's program to a cell: it takes what the guard has checked.
async fn run_checked(warehouse: &Warehouse, over: Over<'_>, checked: &Checked<Python>) -> Result<Executed, Problem> {
    let names = over.dataset.tables.iter().map(|table| table.name.clone()).collect();
    let program = Program {
        code: checked.text(),
        name: PROGRAM_NAME,
        tables: Some(Tables { path: format!("/work/input/{DATABASE_NAME}"), names }),
        ..Program::default()
    };
    let inputs = vec![Input { name: DATABASE_NAME.into(), path: over.file.to_path_buf() }];
    let options = CellOptions { inputs, ..CellOptions::of(Policy::analysis()) };
    let execution = sandbox::execute_with(warehouse.sandbox().await?, &program, options).await?;
    let outcome = execution.outcome;
    Ok(Executed::of(outcome, outcome_of(execution)))
}

fn outcome_of(execution: Execution) -> Result<Table, String> {
    if execution.outcome == Outcome::Ok { result::of_program(execution.result) } else { Err(why_not(execution, 0)) }
}

/// Why a program did not come to its end; so many lines before it were not the model's.
pub fn why_not(execution: Execution, lines_before: usize) -> String {
    match (execution.error, execution.killed_by) {
        (Some(error), _) => {
            let line = error.line.and_then(|line| (line as usize).checked_sub(lines_before));
            let line = line.map(|line| format!(" (line {line})")).unwrap_or_default();
            let hint = error.hint.map(|hint| format!("; {hint}")).unwrap_or_default();
            format!("{}: {}{line}{hint}", error.kind, error.message)
        }
        (None, Some(by)) => format!("it reached the limit of {by:?}").to_lowercase(),
        (None, None) => "it ended without a word".to_string(),
    }
}

async fn sql(warehouse: &Warehouse, over: Over<'_>, text: &str) -> Result<Executed, Problem> {
    let mut kernel = Kernel::over(warehouse, over.file, over.dataset);
    let queried = kernel.query(text).await?;
    kernel.retire();
    Ok(Executed::of_query(queried))
}
