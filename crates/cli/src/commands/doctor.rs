//! `assay doctor`: what this machine gives and what is missing.

use app::documents::machine::{Check, Doctor};
use base::{Document, Problem};

use crate::advice;
use crate::printer::Printer;
use crate::terminal::Terminal;

/// Checks everything; 1 if something required is missing.
pub async fn run(terminal: &Terminal) -> Result<u8, Problem> {
    let mut doctor = Doctor::examine(&terminal.app).await;
    advice::mended(&mut doctor.checks);
    terminal.show(&doctor.to_json(), |printer| print(printer, &doctor.checks));
    Ok(u8::from(!doctor.ok))
}

/// One line per check, and one for what mends it.
pub fn print(printer: &Printer, checks: &[Check]) {
    for Check { id, status, found, message, fix, .. } in checks {
        printer.line(&format!("{:<9} {id:<19} {message} ({found})", status.as_str()));
        if let Some(fix) = fix {
            printer.line(&format!("{:<30}fix: {fix}", ""));
        }
    }
}
