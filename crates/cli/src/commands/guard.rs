//! `assay guard check`: what the guard says of a program, without running it.

use base::{Finding, Problem, Severity};
use guard::python::{self, Profile};
use serde_json::{Value, json};

use crate::app::App;
use crate::args::{Guard, GuardAction, GuardCheck, ProfileName};
use crate::commands::plan::read_text;
use crate::printer::Printer;

/// More than the guard looks at, so that a program that is too long is a finding and not a problem.
const PROGRAM_BYTES_MAX: usize = 4 << 20;

/// Checks a file; 1 when an error was found.
pub fn run(app: &App, guard: &Guard) -> Result<u8, Problem> {
    let GuardAction::Check(check) = &guard.action;
    let text = read_text(&check.file, PROGRAM_BYTES_MAX)?;
    let profile = match check.profile {
        ProfileName::Analysis => Profile::Analysis,
        ProfileName::Task => Profile::Task,
    };
    let findings = python::findings(&text, profile);
    let is_ok = !findings.iter().any(|finding| finding.severity == Severity::Error);
    let document = json!({
        "v": 1, "kind": "guard", "file": check.file, "profile": profile.name(), "ok": is_ok,
        "findings": findings.iter().map(|finding| placed(finding, &text)).collect::<Vec<_>>(),
    });
    app.show(&document, |printer| print(printer, check, &findings, &text));
    Ok(u8::from(!is_ok))
}

/// A finding with its line and column.
fn placed(finding: &Finding, text: &str) -> Value {
    let position = finding.span.map(|span| guard::position(text, span.start));
    let mut value = json!(finding);
    value["line"] = position.map(|position| position.line).into();
    value["column"] = position.map(|position| position.column).into();
    value
}

/// One line a finding, as compilers write them, and how many there are.
fn print(printer: &Printer, check: &GuardCheck, findings: &[Finding], text: &str) {
    for finding in findings {
        let Finding { rule, message, .. } = finding;
        let severity = match finding.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        let place = finding.span.map(|span| guard::position(text, span.start));
        let place = place.map_or_else(String::new, |place| format!("{}:{}:", place.line, place.column));
        printer.line(&format!("{}:{place} {severity} {rule}: {message}", check.file));
    }
    let errors = findings.iter().filter(|finding| finding.severity == Severity::Error).count();
    let warnings = findings.len() - errors;
    let counted = |count: usize, word: &str| format!("{count} {word}{}", if count == 1 { "" } else { "s" });
    let label = if errors > 0 { "refused" } else { "passed" };
    printer.remark(label, &format!("{}, {}", counted(errors, "error"), counted(warnings, "warning")));
}
