//! The Python policy: a table of rules held against a program's syntax tree.
//!
//! This is policy and early feedback, not the boundary. A static look at Python cannot be complete: whoever tries for
//! long enough finds a way of writing that no rule sees, and then stands inside the sandbox, which is what holds. The
//! guard says early, and with a line, what would fail there anyway or what its reader should know.
//!
//! The one idea: rules are data ([`table`]), and one generic walk asks three questions of every name, attribute and
//! call: is it the builtin of that name, which dotted path does it stand for, and what does the table say of it.
//! `analysis` allows the modules on a list and nothing that leads out of them; `task` refuses only what is surely a
//! mistake or an attack. Remarks such as `# noqa` mean nothing.
//!
//! ```text
//! text -> bytes, encoding -> depth of tokens -> parser (3.11) -> scopes and bindings -> rules -> findings
//! ```
//!
//! Nothing here recurses deeper than [`DEPTH_MAX`]: what could is refused before it is parsed.

mod arguments;
mod depth;
mod imports;
mod lint;
mod literal;
mod paths;
mod program;
mod scopes;
mod shape;
mod strings;
mod table;
mod text;
mod walk;

use base::{Finding, Severity, Span};
use ruff_python_ast::PythonVersion;
use ruff_python_parser::{Mode, ParseOptions, Parsed};
use ruff_text_size::TextRange;

use crate::checked::{Checked, Python, Report};

pub use lint::{FAULTS, REMARKS, TAMPERING, lint};
pub use literal::Literal;
pub use shape::{Stub, interface, shape, stub, tests_at_least, wordless};

/// Bytes of a program that are looked at.
pub const TEXT_BYTES_MAX: usize = 1 << 20;
/// How deep expressions may nest, operators and calls in a row included.
pub const DEPTH_MAX: usize = 1_000;
/// How many brackets may be open at once, and how deep a block may be indented: what Python itself allows.
pub const BRACKETS_MAX: usize = 200;
/// Likewise.
pub const INDENTATION_MAX: usize = 100;
/// Findings that are reported; more would say the same again.
pub const FINDINGS_MAX: usize = 100;

/// The Python that runs in a cell; what is newer is a syntax error there.
const VERSION: PythonVersion = PythonVersion::PY311;

/// What a program is held against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// An analyst's code over tables: modules of an allow-list, no files by hand, no processes, no interpreter tricks.
    Analysis,
    /// A whole program: only what is surely a mistake or an attack is an error.
    Task,
}

impl Profile {
    /// Its name on the command line and in documents.
    pub fn name(self) -> &'static str {
        match self {
            Profile::Analysis => "analysis",
            Profile::Task => "task",
        }
    }
}

/// Everything the rules say of a program, in the order of the text and at most [`FINDINGS_MAX`], errors before
/// warnings if there are more.
pub fn findings(text: &str, profile: Profile) -> Vec<Finding> {
    let mut findings = match unreadable(text) {
        Some(finding) => vec![finding],
        None => read(text, profile),
    };
    let place = |finding: &Finding| finding.span.map_or((0, 0), |span| (span.start, span.end));
    findings.sort_by(|a, b| (place(a), &a.rule, &a.message).cmp(&(place(b), &b.rule, &b.message)));
    findings.dedup_by(|a, b| a.rule == b.rule && a.span == b.span);
    if findings.len() > FINDINGS_MAX {
        findings.sort_by_key(|finding| finding.severity == Severity::Warning);
        findings.truncate(FINDINGS_MAX);
        findings.sort_by_key(place);
    }
    findings
}

/// The program as one that may be executed, if the rules find no error in it.
pub fn check(text: &str, profile: Profile) -> Result<Checked<Python>, Report> {
    let findings = findings(text, profile);
    if findings.iter().any(|finding| finding.severity == Severity::Error) {
        return Err(Report { findings });
    }
    Ok(Checked::new(Python { text: text.to_string() }))
}

/// The program as one that may be executed although the rules find errors in it: a person was shown them and said so. What
/// cannot be read is never one.
pub fn check_with_consent(text: &str, profile: Profile) -> Result<Checked<Python>, Report> {
    let mut findings = findings(text, profile);
    findings.retain(|finding| matches!(finding.rule.as_str(), "python/syntax" | "python/limit"));
    if findings.iter().any(|finding| finding.severity == Severity::Error) {
        return Err(Report { findings });
    }
    Ok(Checked::new(Python { text: text.to_string() }))
}

/// Why a text cannot even be parsed.
fn unreadable(text: &str) -> Option<Finding> {
    if text.len() > TEXT_BYTES_MAX {
        let message = format!("the program has {} bytes; write one of at most {TEXT_BYTES_MAX}", text.len());
        return Some(Finding::error("python/limit", message, None));
    }
    if let Some(start) = text.find('\0') {
        let span = Some(Span { start, end: start + 1 });
        return Some(Finding::error("python/syntax", "the program contains a NUL byte", span));
    }
    text::foreign_encoding(text).or_else(|| depth::too_deep(text))
}

fn read(text: &str, profile: Profile) -> Vec<Finding> {
    let options = ParseOptions::from(Mode::Module).with_target_version(VERSION);
    let Some(parsed) = ruff_python_parser::parse_unchecked(text, options).try_into_module() else {
        return vec![Finding::error("python/syntax", "the parser gave no module", None)];
    };
    let mut findings = syntax(&parsed);
    if findings.is_empty() {
        let program = program::read(parsed.syntax());
        findings = walk::walk(&program, table::policy(profile));
    }
    findings.extend(text::hidden(text, profile));
    findings
}

/// The first error of the parser (those after it are often its echo), or everything that 3.11 does not know.
fn syntax<T>(parsed: &Parsed<T>) -> Vec<Finding> {
    let finding = |message: String, range: TextRange| Finding::error("python/syntax", message, Some(span(range)));
    if let Some(error) = parsed.errors().iter().min_by_key(|error| error.location.start()) {
        return vec![finding(lower_first(&error.error.to_string()), error.location)];
    }
    let unsupported = parsed.unsupported_syntax_errors().iter().take(FINDINGS_MAX);
    unsupported.map(|error| finding(lower_first(&error.to_string()), error.range)).collect()
}

/// Lower case, except where the first word is a name of its own.
fn lower_first(message: &str) -> String {
    let mut letters = message.chars();
    match (letters.next(), letters.next()) {
        (Some(first), Some(second)) if !second.is_uppercase() => {
            first.to_lowercase().chain([second]).chain(letters).collect()
        }
        _ => message.to_string(),
    }
}

fn span(range: TextRange) -> Span {
    Span { start: range.start().to_usize(), end: range.end().to_usize() }
}
