//! Executes what a model wrote against the checks: through the guard, in a cell, as a step.

use agent::solve::{By, Evidence, Example, Ran};
use base::{Hash, Problem};
use flow::Run;
use guard::python::Profile;
use guard::{Checked, Python};
use sandbox::{CellOptions, Execution, Outcome, Policy, Program, Returned, Sandbox};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::TestsFile;
use super::compare::{self, Answer, Counted};
use crate::context::Context;
use crate::query::UNLESS_LOST;
use crate::task::internal;

/// What is executed: it loads the solution and holds it against the checks.
const RUNNER: &str = include_str!("runner.py");
const OUTPUT_CHARACTERS_MAX: usize = 4_000;
/// A cell is killed at its limit of time; what gets there has not said where it was.
const ERROR_CHARACTERS_MAX: usize = 2_000;

/// What a solution is held against.
pub struct Checks<'a> {
    /// The name it is imported by.
    pub module: String,
    /// The user's.
    pub tests: Option<&'a TestsFile>,
    /// The task's.
    pub examples: &'a [Example],
    /// What lies beside it when it is run.
    pub beside: &'a [TestsFile],
}

/// What one execution is held against.
pub struct Held<'a> {
    /// What decides.
    pub checks: &'a Checks<'a>,
    /// What the model wrote itself.
    pub self_tests: Option<&'a Checked<Python>>,
}

impl Checks<'_> {
    /// Whether there are none.
    pub fn is_none(&self) -> bool {
        self.tests.is_none() && self.examples.is_empty()
    }

    /// What is done where the model says no plan.
    pub fn plan(&self) -> String {
        let against = match (self.tests, self.examples.len()) {
            (Some(tests), 0) => format!("hold it against the tests in {}", tests.name),
            (Some(tests), some) => format!("hold it against the tests in {} and {}", tests.name, told(some)),
            (None, 0) => "see whether it runs; there is nothing to hold it against".to_string(),
            (None, some) => format!("hold it against {}", told(some)),
        };
        format!("write the program in one go, then {against}")
    }

    /// What tells them from others.
    pub fn hash(&self) -> Hash {
        let tests = self.tests.map(|tests| &tests.text);
        let mut all = json!({ "tests": tests, "examples": self.examples, "module": self.module });
        if !self.beside.is_empty() {
            all["beside"] = json!(self.beside);
        }
        Hash::of_json(&all)
    }
}

fn told(examples: usize) -> String {
    if examples == 1 { "the example of the task".into() } else { format!("{examples} examples of the task") }
}

/// Checks and executes, once. `allowed`: a person was shown what the guard sees and said yes.
pub async fn execute(
    run: &mut Run,
    context: &Context,
    own: Option<&Sandbox>,
    held: &Held<'_>,
    (code, allowed): (&str, bool),
) -> Result<Ran, Problem> {
    let mut input = json!({ "code": Hash::of(code.as_bytes()), "checks": held.checks.hash() });
    if let Some(tests) = held.self_tests {
        input["self_tests"] = json!(Hash::of(tests.text().as_bytes()));
    }
    let effect = || async {
        let checked = match allowed {
            true => guard::python::check_with_consent(code, Profile::Task),
            false => guard::python::check(code, Profile::Task),
        };
        match checked {
            Ok(checked) => {
                let sandbox = match own {
                    Some(sandbox) => sandbox,
                    None => context.warehouse.sandbox().await?,
                };
                let mut ran = run_checked(sandbox, held, &checked).await?;
                ran.evidence.push(types(code));
                Ok(ran)
            }
            Err(report) => Ok(refused(&report)),
        }
    };
    Ok(run.step_under(UNLESS_LOST, "execute", &input, effect).await?)
}

/// Only what cannot be read gets here: what has errors is not to be run.
fn refused(report: &guard::Report) -> Ran {
    let said = report.findings.iter().map(|finding| finding.message.as_str()).next().unwrap_or_default();
    failed(String::new(), format!("it was not executed: {said}"))
}

fn failed(output: String, error: String) -> Ran {
    let signature = Some(told_apart(&error));
    Ran { output, error: Some(error), signature, evidence: Vec::new() }
}

/// What tells a failure from others: the error, or else what was given for what.
fn told_apart(error: &str) -> String {
    agent::memory::signature(error).unwrap_or_else(|| error.lines().next().unwrap_or_default().to_string())
}

/// The only way of a model's program to a cell: it takes what the guard has checked.
async fn run_checked(sandbox: &Sandbox, held: &Held<'_>, checked: &Checked<Python>) -> Result<Ran, Problem> {
    let Held { checks, self_tests } = held;
    let values: Map<String, Value> = [
        ("solution", json!(checked.text())),
        ("module", json!(checks.module)),
        ("tests", json!(checks.tests.map(|tests| &tests.text))),
        ("tests_name", json!(checks.tests.map(|tests| &tests.name))),
        ("examples", json!(checks.examples.iter().map(compare::asked).collect::<Vec<_>>())),
        ("self_tests", json!(self_tests.map(|tests| tests.text()))),
        ("beside", json!(checks.beside)),
    ]
    .into_iter()
    .map(|(name, value)| (name.to_string(), value))
    .collect();
    let program = Program { code: RUNNER, name: "runner.py", values, tables: None };
    let execution = sandbox::execute_with(sandbox, &program, CellOptions::of(Policy::task())).await?;
    read(execution, checks)
}

/// What the runner says of the checks.
#[derive(Deserialize)]
struct Report {
    reports: Vec<Counted>,
    answers: Vec<Answer>,
    error: Option<String>,
    tests_error: Option<String>,
}

fn read(execution: Execution, checks: &Checks<'_>) -> Result<Ran, Problem> {
    let output = printed(&execution);
    if execution.outcome == Outcome::Lost {
        return Err(internal("a cell was lost").hint("try again"));
    }
    if let Some(by) = execution.killed_by {
        return Ok(failed(output, format!("it was killed: it reached the limit of {by:?}").to_lowercase()));
    }
    let said = match &execution.result {
        Returned::Scalar { value: Value::String(text), .. } => serde_json::from_str::<Report>(text).ok(),
        _ => None,
    };
    let Some(Report { mut reports, answers, error, tests_error }) = said else {
        let why = execution
            .error
            .map_or("it ended the interpreter".to_string(), |error| format!("{}: {}", error.kind, error.message));
        return Ok(failed(output, format!("its checks could not be brought to an end: {why}")));
    };
    if let Some(error) = error.or(tests_error) {
        return Ok(failed(output, error));
    }
    // Said by who was held: what has to be there is known here.
    reports.retain(|report| report.by != By::Examples);
    if let Some(tests) = checks.tests {
        all_were_held(&mut reports, guard::python::tests_at_least(&tests.text));
    }
    if !checks.examples.is_empty() {
        reports.push(compare::hold(checks.examples, &answers));
    }
    let evidence: Vec<Evidence> = reports.iter().map(evidence).collect();
    let verifying = reports.iter().filter(|report| report.by.verifies());
    let details: Vec<&str> = verifying.flat_map(|report| &report.details).map(String::as_str).collect();
    let error: Option<String> =
        (!details.is_empty()).then(|| details.join("\n").chars().take(ERROR_CHARACTERS_MAX).collect());
    let signature = details.first().map(|detail| told_apart(detail));
    Ok(Ran { output, error, signature, evidence })
}

/// A report of fewer tests than there surely are is none of tests that hold.
fn all_were_held(reports: &mut Vec<Counted>, least: u64) {
    if !reports.iter().any(|report| report.by == By::Tests) {
        reports.insert(0, Counted::of(By::Tests));
    }
    for report in reports.iter_mut().filter(|report| report.by == By::Tests && report.failed == 0) {
        let held = report.passed + report.skipped;
        if held < least {
            report.fail(format!("only {held} of {least} tests were come to"));
        }
    }
}

/// Whether the program hangs together, as far as that is known without running it.
fn types(code: &str) -> Evidence {
    let findings = guard::python::lint(code);
    let of = |rule: &str| findings.iter().filter(|finding| finding.rule == rule).collect::<Vec<_>>();
    let faults: Vec<_> = guard::python::FAULTS.iter().map(|rule| of(rule)).collect();
    let failed = faults.iter().filter(|found| !found.is_empty()).count() as u64;
    let passed = faults.len() as u64 - failed;
    let said: Vec<&str> = faults.iter().flatten().take(3).map(|finding| finding.message.as_str()).collect();
    let detail = if said.is_empty() { "names and calls fit together".to_string() } else { said.join("; ") };
    Evidence { by: By::Types, passed, failed, detail }
}

fn evidence(report: &Counted) -> Evidence {
    let Counted { by, passed, failed, details, .. } = report;
    let total = passed + failed;
    let what = match (by, total) {
        (By::Tests, 1) => "test",
        (By::Tests, _) => "tests",
        (By::SelfTests, 1) => "test that the model wrote itself",
        (By::SelfTests, _) => "tests that the model wrote itself",
        (_, 1) => "example of the task",
        (_, _) => "examples of the task",
    };
    let first = details.first().map(|detail| format!("; {detail}")).unwrap_or_default();
    let detail = match total {
        0 => format!("no {what} were found"),
        _ => format!("{passed} of {total} {what} passed{first}"),
    };
    Evidence { by: *by, passed: *passed, failed: *failed, detail }
}

/// What it printed, stderr last.
fn printed(execution: &Execution) -> String {
    let all = [execution.stdout.as_str(), execution.stderr.as_str()].concat();
    all.chars().take(OUTPUT_CHARACTERS_MAX).collect()
}
