//! `assay runs list`: the newest runs, as a page for people or a document.

use base::{Code, Document, Problem, Timestamp};
use flow::{Filter, Runs, documents};
use serde_json::Value;

use crate::args::RunsList;
use crate::printer::Printer;
use crate::terminal::Terminal;
use crate::when;

/// Shows a page of runs.
pub async fn list(terminal: &Terminal, runs: Result<Runs, Problem>, asked: &RunsList) -> Result<u8, Problem> {
    let runs = match runs {
        // Where no store is, no run is.
        Err(problem) if problem.code == Code::RunUnknown => {
            let document = documents::Runs::default();
            terminal.show(&document.to_json(), |printer| printer.remark("none", &problem.message));
            return Ok(0);
        }
        runs => runs?,
    };
    let now = runs.now().await?;
    let before = match &asked.before {
        Some(text) => Some(runs.find(text).await?),
        None => None,
    };
    let filter = Filter {
        task: asked.task.clone(),
        states: asked.state.clone(),
        since: asked.since.map(|when| when.at(now)),
        until: asked.until.map(|when| when.at(now)),
        before,
    };
    let document = runs.list(&filter, asked.limit as usize).await?.to_json();
    terminal.show(&document, |printer| {
        print_table(printer, &document["runs"], "created_at", now);
        if document["runs"].as_array().is_some_and(Vec::is_empty) {
            printer.remark("none", if filter == Filter::default() { "no run yet" } else { "no run like that" });
        }
        if let Some(next) = document["next"].as_str() {
            printer.remark("more", &format!("the same command with `--before {}` shows older ones", short(next)));
        }
        print_damaged(printer, &document);
    });
    Ok(0)
}

/// The end of an id, which is random: the beginnings of ids are alike.
fn short(id: &str) -> &str {
    const DIGITS: usize = 8;
    id.len().checked_sub(DIGITS).and_then(|from| id.get(from..)).unwrap_or(id)
}

/// One line per run, aligned, cut to the terminal's width; its age is counted from the moment in this field.
pub fn print_table(printer: &Printer, runs: &Value, moment: &str, now: Timestamp) {
    let runs: Vec<[String; 5]> = runs.as_array().into_iter().flatten().map(|run| cells(run, moment, now)).collect();
    if runs.is_empty() {
        return;
    }
    let header = ["run", "age", "state", "task", "title"].map(str::to_string);
    let all = || std::iter::once(&header).chain(&runs);
    let width = |column: usize| all().map(|cells| cells[column].chars().count()).max().unwrap_or(0);
    let widths = [0, 1, 2, 3].map(width);
    for (number, [id, age, state, task, title]) in all().enumerate() {
        let [id_width, age_width, state_width, task_width] = widths;
        let line = format!("{id:<id_width$}  {age:>age_width$}  {state:<state_width$}  {task:<task_width$}  {title}");
        let line = fitting(line.trim_end(), printer.width);
        printer.line(&if number == 0 { printer.dim(&line) } else { line });
    }
}

/// Names the runs that could not be read, and were left out.
pub fn print_damaged(printer: &Printer, document: &Value) {
    let damaged: Vec<&str> = document["damaged"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    if !damaged.is_empty() {
        printer.remark("damaged", &format!("left out, because they cannot be read: {}", damaged.join(", ")));
    }
}

fn cells(run: &Value, moment: &str, now: Timestamp) -> [String; 5] {
    let text = |field: &str| run[field].as_str().unwrap_or_default();
    let age = when::moment(text(moment)).map_or("-".to_string(), |at| when::age(at, now));
    [short(text("id")).to_string(), age, text("state").to_string(), text("task").to_string(), text("title").to_string()]
}

fn fitting(line: &str, width: Option<usize>) -> String {
    match width {
        Some(width) => base::cut(line, width),
        None => line.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_fits_the_terminal_and_an_id_shows_its_end() {
        assert_eq!(fitting("a long title", Some(7)), "a long…");
        assert_eq!(fitting("a title", Some(7)), "a title");
        assert_eq!(fitting("a long title", None), "a long title");
        assert_eq!(short("0199aabbccddeeff0011223344556677"), "44556677");
        assert_eq!(short("?"), "?");
    }
}
