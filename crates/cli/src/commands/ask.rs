//! `assay ask`: a question and its answer.

use agent::{ASK, AskInput};
use base::{Problem, Table};
use serde_json::Value;

use crate::app::{App, absolute, data_and_last};
use crate::args::{Ask, Show};
use crate::commands::chart::{self, ChartFile, Written};
use crate::commands::document;
use crate::grid;
use crate::printer::Printer;

/// Of a chart in letters; wider ones are harder to read.
const CHART_WIDTH: usize = 90;

/// Asks and prints; 1 when refused.
pub async fn run(app: &App, ask: &Ask) -> Result<u8, Problem> {
    let (data, question, resolved) = data_and_last(app, &ask.words, "ask", "question").await?;
    let input = AskInput {
        data: absolute(app, data),
        version: resolved.version.to_string(),
        question: question.to_string(),
        answer_all: ask.answer_all,
    };
    let chart = ChartFile::asked(ask, &app.settings.env_dir)?;
    let mut unwritten = None;
    let shown = |made: &Value| match chart.as_ref().map(|chart| chart.write(made)).transpose() {
        Ok(written) => {
            match written {
                Some(Written::Nothing) => {
                    app.printer.remark("note", "no chart helps to read this answer, so none was written");
                }
                Some(Written::WithoutSomeLetters) => {
                    app.printer.remark("note", "the font of pictures lacks some letters of this chart; .svg has them");
                }
                Some(Written::Whole) | None => {}
            }
            document::show(app, made, &ask.show)
        }
        Err(problem) => {
            unwritten = Some(problem);
            2
        }
    };
    let code = app.perform(&ask.begin, ASK, &input, question, shown).await?;
    unwritten.map_or(Ok(code), Err)
}

/// 0 for an answer, 1 for a refusal.
pub fn exit_code(answer: &Value) -> u8 {
    u8::from(answer["status"] != "answered")
}

/// Draws an answer for people.
pub fn print(printer: &Printer, answer: &Value, show: &[Show]) {
    for note in answer["notes"].as_array().into_iter().flatten() {
        printer.remark("note", text(note));
    }
    if answer["status"] != "answered" {
        return print_refusal(printer, &answer["refusal"]);
    }
    printer.line(&printer.strong(text(&answer["sentence"])));
    if let Ok(table) = serde_json::from_value::<Table>(answer["table"].clone())
        && (table.rows.len() > 1 || table.columns.len() > 1)
    {
        printer.data(&format!("\n{}", grid::draw(&table, printer.width)));
    }
    if let Some(letters) = chart::in_letters(answer, printer.width.unwrap_or(CHART_WIDTH).min(CHART_WIDTH)) {
        printer.lines(&format!("\n{letters}"));
    }
    printer.line("");
    printer.line(&printer.dim(&format!("reading  {}", text(&answer["reading"]))));
    for assumption in answer["assumptions"].as_array().into_iter().flatten() {
        printer.line(&printer.dim(&format!("assumed  {}", text(&assumption["text"]))));
    }
    let known = &answer["known"];
    printer.line(&printer.dim(&format!("known    {}: {}", text(&known["level"]), text(&known["note"]))));
    for what in show {
        match what {
            Show::Sql => printer.lines(&format!("\n{}\n", text(&answer["sql"]))),
            Show::Plan => printer.lines(&format!("\n{}\n", answer["plan"])),
        }
    }
}

fn print_refusal(printer: &Printer, refusal: &Value) {
    printer.remark("refused", text(&refusal["message"]));
    for suggestion in refusal["suggestions"].as_array().into_iter().flatten() {
        printer.remark("try", text(suggestion));
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
