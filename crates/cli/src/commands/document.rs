//! A run's document, whichever task made it: how it is drawn for people, and what exit code it means.

use serde_json::Value;

use crate::commands::{ask, demo, eval, sandbox, solve, sql};
use crate::printer::{Format, Printer, clean_lines};
use crate::terminal::Terminal;

/// Prints a document as asked for; gives the exit code.
pub fn show(terminal: &Terminal, document: &Value) -> u8 {
    let was_streamed = terminal.watcher.has_streamed(document["run"].as_str().unwrap_or_default());
    terminal.show(document, |printer| draw(printer, document, was_streamed));
    match kind(document) {
        "answer" => ask::exit_code(document),
        "solution" => solve::exit_code(document),
        "execution" | "sql" | "plan" => sql::exit_code(document),
        _ => 0,
    }
}

/// Prints the document of a run that was there before. What the program of a stranger's capsule printed is not for the
/// terminal as it is.
pub fn show_again(terminal: &Terminal, document: &Value, is_imported: bool) -> u8 {
    if !is_imported || terminal.printer.format != Format::Text {
        return show(terminal, document);
    }
    let mut cleaned = document.clone();
    for stream in ["stdout", "stderr"] {
        if let Some(text) = document[stream].as_str() {
            cleaned[stream] = clean_lines(text).into();
        }
    }
    show(terminal, &cleaned)
}

fn draw(printer: &Printer, document: &Value, was_streamed: bool) {
    match kind(document) {
        "answer" => ask::print(printer, document, &ask::View::default()),
        "execution" => sandbox::print(printer, document, was_streamed),
        "solution" => solve::print(printer, document),
        "demo" => demo::print(printer, document),
        "eval" => eval::print(printer, document),
        "sql" | "plan" => {
            sql::print(printer, document);
            let known = &document["known"];
            if known.is_object() {
                printer.line(&printer.dim(&format!("\nknown    {}", ask::how_known(known))));
            }
        }
        _ => printer.lines(&format!("{document:#}\n")),
    }
}

fn kind(document: &Value) -> &str {
    document["kind"].as_str().unwrap_or_default()
}
