//! `assay runs …`: what was done, and what to do about it.

mod capsule;
mod list;
mod prune;

use base::{Code, Problem};
use flow::{Replay, Runs as RunsOfStore, Store, Target};
use serde_json::{Value, json};

use crate::app::App;
use crate::args::{Runs, RunsAction};
use crate::commands::document;
use crate::files;
use crate::printer::{Format, Printer};

/// Does to runs what was asked for.
pub async fn run(app: &App, runs: &Runs) -> Result<u8, Problem> {
    match &runs.action {
        RunsAction::List(asked) => list::list(app, runs_of(app).await, asked).await,
        RunsAction::Prune(asked) => prune::prune(app, &runs_of(app).await?, asked).await,
        RunsAction::Show { id, after, follow: false } => show(app, id, *after).await,
        RunsAction::Show { id, after, follow: true } => follow(app, id, *after).await,
        RunsAction::Resume { id } => resume(app, id).await,
        RunsAction::Cancel { id } => cancel(app, id).await,
        RunsAction::Replay { id } => replay(app, id).await,
        RunsAction::Fork { id, from_step } => fork(app, id, *from_step).await,
        RunsAction::Export { id, to, force } => {
            let runs = runs_of(app).await?;
            files::check_folder(to, "--to")?;
            let target = Target { path: to.clone(), replace: *force };
            capsule::export(app, &runs, &runs.find(id).await?, target).await
        }
        RunsAction::Artifact { id, name } => {
            let runs = runs_of(app).await?;
            let contents = runs.artifact(&runs.find(id).await?, name).await?;
            app.printer.bytes(&contents);
            Ok(0)
        }
        RunsAction::Verify { file } => capsule::verify(app, file),
        RunsAction::Import { file } => {
            let runs = RunsOfStore::new(Store::open(&app.settings.data_dir).await?);
            capsule::import(app, &runs, file).await
        }
    }
}

/// The runs that are there; looking for some does not make a store.
pub async fn runs_of(app: &App) -> Result<RunsOfStore, Problem> {
    let data_dir = &app.settings.data_dir;
    let looked = std::fs::metadata(data_dir.join("store.db"));
    if looked.is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound) {
        return Err(Problem::new(Code::RunUnknown, format!("there is no run in `{}`", data_dir.display()))
            .hint("check --data-dir; `assay demo flow` makes a run"));
    }
    Ok(RunsOfStore::new(Store::open(data_dir).await?))
}

async fn show(app: &App, id: &str, after: i64) -> Result<u8, Problem> {
    if after > 0 && app.printer.format != Format::JsonLines {
        return Err(Problem::new(Code::Usage, "--after is about events, and none are shown")
            .hint("add --jsonl or --follow to see the events after that one"));
    }
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
    if app.printer.format == Format::Text && document["output"]["kind"].is_string() {
        app.printer.line("");
        document::show_again(app, &document["output"], is_imported(&runs, &id).await?);
    }
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
    let line = |name: &str, value: &str| printer.line(&format!("{name:<12} {value}"));
    let text = |field: &str| run[field].as_str().unwrap_or("-").to_string();
    for field in ["id", "task", "state", "created_at", "finished_at", "mode", "key"] {
        if !run[field].is_null() {
            line(field, &text(field));
        }
    }
    line("attempts", &run["attempts"].to_string());
    if let (Some(from), step) = (run["forked_from"]["run"].as_str(), &run["forked_from"]["step"]) {
        line("forked from", &format!("{from} at step {step}"));
    }
    line("input", &run["input"].to_string());
    for step in run["steps"].as_array().into_iter().flatten() {
        printer.line(&step_line(step));
    }
    for artifact in run["artifacts"].as_array().into_iter().flatten() {
        line("artifact", &format!("{} ({} bytes)", artifact["name"].as_str().unwrap_or_default(), artifact["bytes"]));
    }
    if let Some(message) = run["problem"]["message"].as_str() {
        line("problem", message);
    }
    match &run["output"] {
        Value::Null => {}
        document if document["kind"].is_string() => {}
        output => line("output", &cut(&output.to_string())),
    }
}

/// A recorded step in one line.
pub fn step_line(step: &Value) -> String {
    let hash = step["output_hash"].as_str().unwrap_or_default();
    let tries = step["attempts"].as_i64().filter(|tries| *tries > 1);
    format!(
        "step {:<7} {:<9} {:<7} {:>9.1} ms  {}{}",
        step["index"],
        step["name"].as_str().unwrap_or_default(),
        step["state"].as_str().unwrap_or_default(),
        step["duration_ms"].as_f64().unwrap_or_default(),
        hash.get(..12).unwrap_or(hash),
        tries.map(|tries| format!("  {tries} tries")).unwrap_or_default()
    )
}

/// Documents can be long; `--json` has the whole of it.
fn cut(text: &str) -> String {
    const CHARACTERS_MAX: usize = 200;
    match text.char_indices().nth(CHARACTERS_MAX) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_string(),
    }
}

async fn resume(app: &App, id: &str) -> Result<u8, Problem> {
    let engine = app.engine().await?;
    let id = engine.runs().find(id).await?;
    let run = engine.runs().show(&id).await?;
    let recorded = run["steps"].as_array().map_or(0, Vec::len);
    if run["output"].is_null() {
        app.printer.progress(&format!("{recorded} recorded steps; going on at step {recorded}"));
    }
    let is_imported = is_imported(engine.runs(), &id).await?;
    let ended = engine.resume(&app.context, &id).await?;
    Ok(document::show_again(app, &ended.result?.output, is_imported))
}

async fn fork(app: &App, id: &str, from_step: usize) -> Result<u8, Problem> {
    let engine = app.engine().await?;
    let id = engine.runs().find(id).await?;
    let is_imported = is_imported(engine.runs(), &id).await?;
    let ended = engine.fork(&app.context, &id, from_step).await?;
    app.printer.progress(&format!("forked as {}", ended.run));
    Ok(document::show_again(app, &ended.result?.output, is_imported))
}

/// Whether a stranger's capsule brought the run here, or the one it was forked from.
async fn is_imported(runs: &RunsOfStore, id: &base::RunId) -> Result<bool, Problem> {
    Ok(runs.journal(id).await?.run.here.imported_at.is_some())
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
