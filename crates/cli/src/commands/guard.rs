//! `assay guard check`: what the guard says of a program, without running it.

use app::documents::machine;
use base::{Document, Problem, Severity};
use guard::python::Profile;

use crate::args::{Guard, GuardAction, ProfileName};
use crate::commands::plan::read_text;
use crate::printer::Printer;
use crate::terminal::Terminal;

/// More than the guard looks at, so that a program that is too long is a finding and not a problem.
const PROGRAM_BYTES_MAX: usize = 4 << 20;

/// Checks a file; 1 when an error was found.
pub fn run(terminal: &Terminal, guard: &Guard) -> Result<u8, Problem> {
    let GuardAction::Check(check) = &guard.action;
    let text = read_text(&check.file, PROGRAM_BYTES_MAX)?;
    let profile = match check.profile {
        ProfileName::Analysis => Profile::Analysis,
        ProfileName::Task => Profile::Task,
    };
    let guard = machine::Guard::check(&check.file, &text, profile);
    terminal.show(&guard.to_json(), |printer| print(printer, &guard));
    Ok(u8::from(!guard.ok))
}

/// One line a finding, as compilers write them, and how many there are.
fn print(printer: &Printer, guard: &machine::Guard) {
    for placed in &guard.findings {
        let finding = &placed.finding.finding;
        let severity = match finding.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        let place = placed.finding.line.zip(placed.column).map(|(line, column)| format!("{line}:{column}:"));
        let (file, place) = (&guard.file, place.unwrap_or_default());
        printer.line(&format!("{file}:{place} {severity} {}: {}", finding.rule, finding.message));
    }
    let is_error = |placed: &&machine::PlacedFinding| placed.finding.finding.severity == Severity::Error;
    let errors = guard.findings.iter().filter(is_error).count();
    let warnings = guard.findings.len() - errors;
    let counted = |count: usize, word: &str| format!("{count} {word}{}", if count == 1 { "" } else { "s" });
    let label = if errors > 0 { "refused" } else { "passed" };
    printer.remark(label, &format!("{}, {}", counted(errors, "error"), counted(warnings, "warning")));
}
