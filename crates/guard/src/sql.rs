//! The SQL policy: an allow-list over the engine's own parse tree.
//!
//! The one idea: nothing is allowed because it was not thought of. Every node type, field, type and function of the
//! tree has to be on a list, every table has to be the dataset's, and what is unknown is refused by its name. The tree
//! comes from the parser that will run the statement, so there is no second grammar to disagree with it.
//!
//! ```text
//! text, parser's answer -> limits -> syntax, one SELECT -> walk of the tree -> Checked<Sql> or findings
//! ```

mod lists;
mod tokens;
mod walk;

use base::{Finding, Span};
use serde::Deserialize;
use serde_json::Value;

use crate::{Checked, Report, Sql};
use tokens::{Token, Tokens};

/// Bytes of SQL that are looked at.
pub const TEXT_BYTES_MAX: usize = 65_536;
/// How deep the parse tree may nest, in nodes; an expression level is two of them.
pub const DEPTH_MAX: usize = 600;
/// Findings that are reported; more would say the same again.
pub const FINDINGS_MAX: usize = 20;

/// What the kernel's `sql.parse` answers. The tree is flat: each object an entry, `{"$": index}` where it held another.
#[derive(Deserialize)]
struct Parsed {
    tree: Option<Vec<Value>>,
    tokens: Vec<Token>,
    error: Option<ParseError>,
}

#[derive(Deserialize)]
struct ParseError {
    kind: ErrorKind,
    message: String,
    start: Option<usize>,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum ErrorKind {
    Syntax,
    Statement,
    Limit,
}

/// Checks one statement against the tables it may read; `parsed` is what `sql.parse` answered for exactly this text.
pub fn check(text: &str, parsed: &Value, tables: &[&str]) -> Result<Checked<Sql>, Report> {
    let findings = findings(text, parsed, tables);
    if findings.is_empty() { Ok(Checked::new(Sql { text: text.to_string() })) } else { Err(Report { findings }) }
}

fn findings(text: &str, parsed: &Value, tables: &[&str]) -> Vec<Finding> {
    if text.len() > TEXT_BYTES_MAX {
        let message = format!("the statement has {} bytes; write one of at most {TEXT_BYTES_MAX}", text.len());
        return vec![Finding::error("sql/limit", message, None)];
    }
    if let Some(start) = text.find('\0') {
        let span = Some(Span { start, end: start + 1 });
        return vec![Finding::error("sql/syntax", "the statement contains a NUL byte", span)];
    }
    let Ok(parsed) = Parsed::deserialize(parsed) else {
        return vec![Finding::error("sql/syntax", "the parser gave no answer that can be checked", None)];
    };
    let tokens = Tokens::new(text, parsed.tokens);
    if let Some((span, odd)) = tokens.odd() {
        let message = format!("there is an unusual space here (U+{:04X}); write an ordinary one", u32::from(odd));
        return vec![Finding::error("sql/syntax", message, Some(span))];
    }
    if let Some(error) = parsed.error {
        return refused_by_parser(&error, &tokens);
    }
    let nodes = parsed.tree.unwrap_or_default();
    let statements = nodes.first().and_then(|root| root["statements"].as_array()).map_or(0, Vec::len);
    match statements {
        0 => vec![Finding::error("sql/statement", "there is no statement; write a SELECT", None)],
        1 => walk::walk(&nodes, &tokens, tables),
        _ => vec![second_statement(&tokens)],
    }
}

/// Findings for a text that has no tree: not SQL, nested too deeply, or not a SELECT.
fn refused_by_parser(error: &ParseError, tokens: &Tokens) -> Vec<Finding> {
    match error.kind {
        ErrorKind::Syntax => {
            let span = error.start.and_then(|start| tokens.at(start)).or_else(|| tokens.last());
            vec![Finding::error("sql/syntax", error.message.clone(), span)]
        }
        ErrorKind::Limit => {
            let message = format!("{}; write a shorter or flatter statement", error.message);
            vec![Finding::error("sql/limit", message, None)]
        }
        ErrorKind::Statement => not_a_select(error, tokens),
    }
}

fn not_a_select(error: &ParseError, tokens: &Tokens) -> Vec<Finding> {
    let starts = tokens.statements();
    let mut findings: Vec<Finding> = starts
        .iter()
        .filter(|start| !lists::SELECT_STARTS.contains(&tokens.upper(**start).as_str()))
        .map(|start| statement(&tokens.upper(*start), Some(*start)))
        .collect();
    if starts.len() > 1 && !findings.iter().any(|finding| finding.span == starts.get(1).copied()) {
        findings.push(second_statement(tokens));
    }
    if findings.is_empty() {
        let keyword =
            lists::OTHER_STATEMENTS.iter().filter_map(|word| tokens.keyword(word)).min_by_key(|span| span.start);
        findings.push(match keyword {
            Some(span) => statement(&tokens.upper(span), Some(span)),
            None => Finding::error("sql/statement", error.message.clone(), tokens.first()),
        });
    }
    findings.truncate(FINDINGS_MAX);
    findings
}

fn second_statement(tokens: &Tokens) -> Finding {
    let span = tokens.statements().get(1).copied();
    Finding::error("sql/statement", "one statement at a time; ask the second one separately", span)
}

/// The finding for a keyword that begins something else than a SELECT.
fn statement(keyword: &str, span: Option<Span>) -> Finding {
    let message = match keyword {
        "PIVOT" | "PIVOT_WIDER" => {
            "`PIVOT` is not allowed; write one aggregate with FILTER (WHERE …) for each column".to_string()
        }
        _ => format!("`{keyword}` is not allowed; data is read with one SELECT"),
    };
    Finding::error("sql/statement", message, span)
}
