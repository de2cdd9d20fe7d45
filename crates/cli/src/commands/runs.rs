//! `assay runs …`: what was done, and what to do about it.

mod list;
mod prune;

use base::Problem;
use flow::{Replay, Runs as RunsOfStore, Store};
use serde_json::{Value, json};

use crate::app::App;
use crate::args::{Runs, RunsAction};
use crate::commands::{capsule, document};
use crate::printer::{Format, Printer};

/// Does to runs what was asked for.
pub async fn run(app: &App, runs: &Runs) -> Result<u8, Problem> {
    match &runs.action {
        RunsAction::List(asked) => list::list(app, &runs_of(app).await?, asked).await,
        RunsAction::Prune(asked) => prune::prune(app, &runs_of(app).await?, asked).await,
        RunsAction::Show { id, after, follow: false } => show(app, id, *after).await,
        RunsAction::Show { id, after, follow: true } => follow(app, id, *after).await,
        RunsAction::Resume { id } => resume(app, id).await,
        RunsAction::Cancel { id } => cancel(app, id).await,
        RunsAction::Replay { id } => replay(app, id).await,
        RunsAction::Fork { id, from_step } => fork(app, id, *from_step).await,
        RunsAction::Export { id, to } => {
            let runs = runs_of(app).await?;
            capsule::export(app, &runs, &runs.find(id).await?, to).await
        }
        RunsAction::Verify { file } => capsule::verify(app, file),
        RunsAction::Import { file } => capsule::import(app, &runs_of(app).await?, file).await,
    }
}

async fn runs_of(app: &App) -> Result<RunsOfStore, Problem> {
    Ok(RunsOfStore::new(Store::open(&app.settings.data_dir).await?))
}

async fn show(app: &App, id: &str, after: i64) -> Result<u8, Problem> {
    let runs = runs_of(app).await?;
    let id = runs.find(id).await?;
    if app.printer.format == Format::JsonLines {
        let mut seen = after;
        loop {
            let events = runs.events(&id, seen).await?;
            let Some(last) = events.last() else { return Ok(0) };
            seen = last.seq.unwrap_or(seen);
            events.iter().for_each(|event| app.printer.json(&json!(event)));
        }
    }
    let document = runs.show(&id).await?;
    app.show(&document, |printer| print(printer, &document));
    Ok(0)
}

/// Shows what happens as it happens; with `--json` the run as it is at its end.
async fn follow(app: &App, id: &str, after: i64) -> Result<u8, Problem> {
    let runs = runs_of(app).await?;
    let id = runs.find(id).await?;
    let mut seen = after;
    let mut tell = |event: &flow::Event| match app.printer.format {
        Format::JsonLines => app.printer.json(&json!(event)),
        Format::Text => print_event(&app.printer, event),
        Format::Json => {}
    };
    let state = runs.follow(&id, &mut seen, &mut tell).await?;
    if app.printer.format == Format::Json {
        app.printer.json(&runs.show(&id).await?);
    }
    if !state.is_final() {
        let why = format!("its process is gone; `assay runs resume {id}` goes on with it");
        app.printer.remark(state.as_str(), &why);
    }
    Ok(u8::from(state != flow::RunState::Succeeded))
}

fn print_event(printer: &Printer, event: &flow::Event) {
    let data = &event.data;
    let text = |field: &str| data[field].as_str().unwrap_or_default();
    let told = match event.kind.as_str() {
        "run.created" => text("task").to_string(),
        "run.started" => format!("attempt {}", data["attempt"]),
        "step.finished" => format!("step {} {} {}", data["index"], text("name"), text("state")),
        "artifact.added" => format!("{} ({} bytes)", text("name"), data["bytes"]),
        _ => text("state").to_string(),
    };
    printer.line(&format!("{}  {:<14}  {told}", event.at.to_rfc3339(), event.kind));
}

fn print(printer: &Printer, run: &Value) {
    let text = |field: &str| run[field].as_str().unwrap_or("-").to_string();
    for field in ["id", "task", "state", "created_at", "finished_at"] {
        printer.line(&format!("{field:<12} {}", text(field)));
    }
    if let (Some(from), step) = (run["forked_from"]["run"].as_str(), &run["forked_from"]["step"]) {
        printer.line(&format!("{:<12} {from} at step {step}", "forked from"));
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
    let ended = engine.resume(&app.context, &engine.runs().find(id).await?).await?;
    Ok(document::show(app, &ended.result?.output, &[]))
}

async fn fork(app: &App, id: &str, from_step: usize) -> Result<u8, Problem> {
    let engine = app.engine().await?;
    let ended = engine.fork(&app.context, &engine.runs().find(id).await?, from_step).await?;
    Ok(document::show(app, &ended.result?.output, &[]))
}

async fn cancel(app: &App, id: &str) -> Result<u8, Problem> {
    let runs = runs_of(app).await?;
    let id = runs.find(id).await?;
    let (state, cancelled) = runs.cancel(&id).await?;
    let document = json!({ "v": 1, "kind": "cancel", "run": id, "state": state.as_str(), "cancelled": cancelled });
    app.show_apart(&document, |printer| match (cancelled, state.is_final()) {
        (true, _) => printer.line(&format!("{id} is cancelled")),
        (false, true) => printer.remark("not cancelled", &format!("{id} had ended before: {}", state.as_str())),
        (false, false) => printer.remark("asked", &format!("{id} was asked to stop and has not done so yet")),
    });
    Ok(u8::from(!cancelled))
}

async fn replay(app: &App, id: &str) -> Result<u8, Problem> {
    let engine = app.engine().await?;
    let Replay { run, steps, difference } = engine.replay(&app.context, &engine.runs().find(id).await?).await?;
    let found = difference.as_ref().map(|found| {
        json!({ "message": found.message, "path": found.path, "recorded": found.recorded, "replayed": found.replayed })
    });
    let document =
        json!({ "v": 1, "kind": "replay", "run": run, "steps": steps, "same": found.is_none(), "difference": found });
    app.show_apart(&document, |printer| match &difference {
        None => printer.line(&format!("the same: {steps} recorded steps, and what the code makes of them")),
        Some(found) => {
            printer.remark("differs", &found.message);
            if found.path.is_some() {
                printer.remark("recorded", &found.recorded.to_string());
                printer.remark("replayed", &found.replayed.to_string());
            }
        }
    });
    Ok(u8::from(difference.is_some()))
}
