//! `assay runs list|show|resume`.

use base::Problem;
use flow::{Runs as RunsOfStore, Store};
use serde_json::Value;

use crate::app::{App, run_id};
use crate::args::{Runs, RunsAction};
use crate::commands::{ask, sandbox, sql};
use crate::printer::{Format, Printer};

/// Lists, shows or resumes runs.
pub async fn run(app: &App, runs: &Runs) -> Result<u8, Problem> {
    match &runs.action {
        RunsAction::List { limit, before } => list(app, *limit as usize, before.as_deref()).await,
        RunsAction::Show { id, after } => show(app, id, *after).await,
        RunsAction::Resume { id } => resume(app, id).await,
    }
}

async fn list(app: &App, limit: usize, before: Option<&str>) -> Result<u8, Problem> {
    let runs = RunsOfStore::new(Store::open(&app.settings.data_dir).await?);
    let before = before.map(run_id).transpose()?;
    let document = runs.list(limit, before.as_ref()).await?;
    app.show(&document, |printer| {
        for run in document["runs"].as_array().into_iter().flatten() {
            let text = |field: &str| run[field].as_str().unwrap_or_default().to_string();
            let (at, state) = (text("created_at"), text("state"));
            printer.line(&format!("{}  {at}  {state:<11}  {:<9}  {}", text("id"), text("task"), text("title")));
        }
    });
    Ok(0)
}

async fn show(app: &App, id: &str, after: i64) -> Result<u8, Problem> {
    let runs = RunsOfStore::new(Store::open(&app.settings.data_dir).await?);
    let id = run_id(id)?;
    let document = runs.show(&id).await?;
    if app.printer.format == Format::JsonLines {
        for event in runs.events(&id, after).await? {
            app.printer.json(&serde_json::to_value(&event).unwrap_or_default());
        }
        return Ok(0);
    }
    app.show(&document, |printer| print(printer, &document));
    Ok(0)
}

fn print(printer: &Printer, run: &Value) {
    let text = |field: &str| run[field].as_str().unwrap_or("-").to_string();
    for field in ["id", "task", "state", "created_at", "finished_at"] {
        printer.line(&format!("{field:<12} {}", text(field)));
    }
    printer.line(&format!("{:<12} {}", "input", run["input"]));
    for step in run["steps"].as_array().into_iter().flatten() {
        let hash = step["output_hash"].as_str().unwrap_or_default();
        printer.line(&format!(
            "step {:<7} {:<9} {:<7} {:>9.1} ms  {}",
            step["index"],
            step["name"].as_str().unwrap_or_default(),
            step["state"].as_str().unwrap_or_default(),
            step["duration_ms"].as_f64().unwrap_or_default(),
            hash.get(..12).unwrap_or(hash)
        ));
    }
    if let Some(message) = run["problem"]["message"].as_str() {
        printer.line(&format!("{:<12} {message}", "problem"));
    }
    if let Some(sentence) = run["output"]["sentence"].as_str() {
        printer.line(&format!("{:<12} {sentence}", "answer"));
    }
}

async fn resume(app: &App, id: &str) -> Result<u8, Problem> {
    let engine = app.engine().await?;
    let ended = engine.resume(&app.context, &run_id(id)?).await?;
    let document = ended.result?.output;
    let kind = document["kind"].as_str().unwrap_or_default();
    app.show(&document, |printer| match kind {
        "answer" => ask::print(printer, &document, &[]),
        "execution" => sandbox::print(printer, &document),
        _ => sql::print(printer, &document),
    });
    Ok(if kind == "answer" { ask::exit_code(&document) } else { sql::exit_code(&document) })
}
