//! `assay sql`: one SELECT.

use std::path::Path;

use base::{Problem, Table};
use data::figures::Form;
use serde_json::Value;
use tasks::{SQL, SqlInput};

use crate::args::Sql;
use crate::commands::chart::{self, ChartFile, Written};
use crate::commands::{document, plan, sandbox};
use crate::grid;
use crate::printer::{Printer, clean_lines};
use crate::rows::Rows;
use crate::terminal::Terminal;

/// More is no statement of a person's.
const STATEMENT_BYTES_MAX: usize = 65_536;

/// Runs the statement and prints the result; 1 when refused, failed or killed.
pub async fn run(terminal: &Terminal, sql: &Sql) -> Result<u8, Problem> {
    let (data, statement, resolved) = terminal.data_and_last(&sql.words, "sql", "statement").await?;
    let typed = if statement == "-" { Some(plan::read_text("-", STATEMENT_BYTES_MAX)?) } else { None };
    let statement = typed.as_deref().unwrap_or(statement);
    let rows = Rows::asked(sql.csv, sql.out.as_deref())?;
    let is_drawn = sql.chart.as_deref() == Some(Path::new("-"));
    let file = sql.chart.as_deref().filter(|_| !is_drawn);
    let chart = ChartFile::asked(file, sql.chart_theme, &terminal.app.settings.env_dir)?;
    let input =
        SqlInput { file: rows.form(), ..app::requests::statement(&terminal.data_names(), data, &resolved, statement) };
    let ran = terminal.run_or_queue(&sql.begin, SQL, &input, statement).await?;
    let Some((made, runs)) = ran else { return Ok(0) };
    let csv = if made["outcome"] == "ok" { rows.take(&runs, &made).await? } else { None };
    let code = show(terminal, sql, &made, csv);
    if made["outcome"] == "ok" && sql.chart.is_some() {
        draw(&terminal.printer, sql, &made, chart.as_ref())?;
    }
    Ok(code)
}

/// Prints the result as it was asked for; the exit code.
fn show(terminal: &Terminal, sql: &Sql, made: &Value, csv: Option<Vec<u8>>) -> u8 {
    match csv {
        Some(csv) => {
            terminal.printer.bytes(&csv);
            exit_code(made)
        }
        None if sql.markdown && made["outcome"] == "ok" => {
            if let Ok(table) = serde_json::from_value::<Table>(made["table"].clone()) {
                terminal.printer.lines(&app::markdown::write(&table));
                say_if_cut(&terminal.printer, &table);
            }
            exit_code(made)
        }
        None => document::show(terminal, made),
    }
}

/// Draws the result below it, or into a file: by its columns' types, for nobody says what the statement means.
fn draw(printer: &Printer, sql: &Sql, made: &Value, file: Option<&ChartFile>) -> Result<(), Problem> {
    let table = serde_json::from_value::<Table>(made["table"].clone()).ok();
    let drawn = table.and_then(|table| data::chart::of_table(&table, None));
    match (file, &drawn) {
        (Some(file), _) => match file.write(drawn.as_ref())? {
            Written::Whole => {}
            Written::WithoutSomeLetters => printer.remark("note", chart::LETTERS_MISSING),
            Written::Nothing => printer.remark("note", chart::NO_CHART),
        },
        (None, Some(drawn)) => {
            let letters = format!("\n{}", chart::drawn(drawn, printer.width));
            // On stdout there is only the table where it is to be a file.
            if sql.csv || sql.markdown { printer.pass_on(&clean_lines(&letters)) } else { printer.lines(&letters) }
        }
        (None, None) => printer.remark("note", chart::NO_CHART),
    }
    Ok(())
}

/// A listing that holds the first rows only says so.
fn say_if_cut(printer: &Printer, table: &Table) {
    if table.truncated {
        let (listed, all) = (table.rows.len(), table.row_count);
        printer.remark("note", &format!("the first {listed} of {all} rows; --csv or --out FILE.csv gives all"));
    }
}

/// How a document says that the columns of its table are written; one of an earlier version says nothing of it.
pub fn forms(document: &Value, table: &Table) -> Vec<Form> {
    let said: Option<Vec<Form>> = serde_json::from_value(document["forms"].clone()).ok();
    said.filter(|forms| forms.len() == table.columns.len()).unwrap_or_else(|| Form::of_each(table))
}

/// The exit code of a document with an outcome.
pub fn exit_code(document: &Value) -> u8 {
    match document["outcome"].as_str() {
        Some("ok") => 0,
        Some("lost") | None => 2,
        Some(_) => 1,
    }
}

/// Draws a `sql` or `plan` document for people.
pub fn print(printer: &Printer, document: &Value) {
    match document["outcome"].as_str().unwrap_or_default() {
        "ok" => {
            if let Ok(table) = serde_json::from_value::<Table>(document["table"].clone()) {
                printer.data(&grid::draw(&table, &forms(document, &table), printer.width));
                say_if_cut(printer, &table);
            }
        }
        "refused" => {
            for finding in document["findings"].as_array().into_iter().flatten() {
                printer.remark("refused", &pointed(finding, document["sql"].as_str().unwrap_or_default()));
            }
        }
        "killed" => {
            printer.remark("killed", &format!("{}; ask for fewer rows", sandbox::limit(word(&document["killed_by"]))))
        }
        outcome => print_error(printer, outcome, &document["error"]),
    }
}

/// An engine's error: its first line says what is wrong, a later one may say what was meant.
pub fn print_error(printer: &Printer, outcome: &str, error: &Value) {
    let (kind, message) = (word(&error["type"]), word(&error["message"]));
    let mut lines = message.lines().map(str::trim).filter(|line| !line.is_empty());
    printer.remark(outcome, lines.next().unwrap_or(if kind.is_empty() { "no word of it" } else { kind }));
    if let Some(meant) = lines.find(|line| line.starts_with("Candidate") || line.starts_with("Did you mean")) {
        printer.remark("hint", meant);
    }
}

/// A finding with the words it points at.
fn pointed(finding: &Value, sql: &str) -> String {
    let message = word(&finding["message"]);
    let at = |field: &str| finding["span"][field].as_u64().map(|offset| offset as usize);
    let token = at("start").zip(at("end")).and_then(|(start, end)| sql.get(start..end));
    match (token, at("start")) {
        (Some(token), Some(start)) => format!("{message} (at `{token}`, byte {start})"),
        _ => message.to_string(),
    }
}

fn word(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
