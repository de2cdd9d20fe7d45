//! `assay runs …`: what was done, and what to do about it.

mod capsule;
mod list;
mod prune;

use app::documents::runs::{Cancel, Decision, Replay};
use base::{Code, Document, Problem};
use flow::{Mode, Runs as RunsOfStore, Start, Store, Target};
use serde_json::{Value, json};

use crate::args::{Runs, RunsAction, RunsDecide};
use crate::commands::document;
use crate::files;
use crate::printer::{Format, Printer};
use crate::terminal::Terminal;

/// Does to runs what was asked for.
pub async fn run(terminal: &Terminal, runs: &Runs) -> Result<u8, Problem> {
    match &runs.action {
        RunsAction::List(asked) => list::list(terminal, runs_of(terminal).await, asked).await,
        RunsAction::Prune(asked) => prune::prune(terminal, &runs_of(terminal).await?, asked).await,
        RunsAction::Show { id, after, follow: false } => show(terminal, id, *after).await,
        RunsAction::Show { id, after, follow: true } => follow(terminal, id, *after).await,
        RunsAction::Resume { id } => resume(terminal, id).await,
        RunsAction::Approve(asked) => decide(terminal, asked, true).await,
        RunsAction::Deny(asked) => decide(terminal, asked, false).await,
        RunsAction::Cancel { id } => cancel(terminal, id).await,
        RunsAction::Replay { id } => replay(terminal, id).await,
        RunsAction::Fork { id, from_step } => fork(terminal, id, *from_step).await,
        RunsAction::Export { id, to, force } => {
            let runs = runs_of(terminal).await?;
            files::check_folder(to, "--to")?;
            let target = Target { path: to.clone(), replace: *force };
            capsule::export(terminal, &runs, &runs.find(id).await?, target).await
        }
        RunsAction::Artifact { id, name } => {
            let runs = runs_of(terminal).await?;
            let contents = runs.artifact(&runs.find(id).await?, name).await?;
            terminal.printer.bytes(&contents);
            Ok(0)
        }
        RunsAction::Verify { file } => capsule::verify(terminal, file),
        RunsAction::Import { file } => {
            let runs = RunsOfStore::new(Store::open(&terminal.app.settings.data_dir).await?);
            capsule::import(terminal, &runs, file).await
        }
    }
}

/// The runs that are there; looking for some does not make a store.
pub async fn runs_of(terminal: &Terminal) -> Result<RunsOfStore, Problem> {
    let data_dir = &terminal.app.settings.data_dir;
    let looked = std::fs::metadata(data_dir.join("store.db"));
    if looked.is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound) {
        return Err(Problem::new(Code::RunUnknown, format!("there is no run in `{}`", data_dir.display()))
            .hint("check --data-dir; `assay demo flow` makes a run"));
    }
    Ok(RunsOfStore::new(Store::open(data_dir).await?))
}

async fn show(terminal: &Terminal, id: &str, after: i64) -> Result<u8, Problem> {
    if after > 0 && terminal.printer.format != Format::JsonLines {
        return Err(Problem::new(Code::Usage, "--after is about events, and none are shown")
            .hint("add --jsonl or --follow to see the events after that one"));
    }
    let runs = runs_of(terminal).await?;
    let id = runs.find(id).await?;
    if terminal.printer.format == Format::JsonLines {
        let mut seen = after;
        loop {
            let events = runs.events(&id, seen).await?;
            let Some(last) = events.last() else { return Ok(0) };
            seen = last.seq.unwrap_or(seen);
            events.iter().for_each(|event| terminal.printer.json(&json!(event)));
        }
    }
    let mut shown = runs.show(&id).await?;
    if shown.task == tasks::SOLVE {
        shown.progress = terminal.app.engine().await?.note(&terminal.app.context, &id).await?;
    }
    let document = shown.to_json();
    terminal.show(&document, |printer| print(printer, &document));
    if terminal.printer.format == Format::Text && document["output"]["kind"].is_string() {
        terminal.printer.line("");
        document::show_again(terminal, &document["output"], is_imported(&runs, &id).await?);
    }
    Ok(0)
}

/// Shows what happens as it happens; with `--json` the run as it is at its end.
async fn follow(terminal: &Terminal, id: &str, after: i64) -> Result<u8, Problem> {
    let runs = runs_of(terminal).await?;
    let id = runs.find(id).await?;
    let mut events = runs.watch(&id, after);
    while let Some(event) = events.next().await? {
        match terminal.printer.format {
            Format::JsonLines => terminal.printer.json(&json!(*event)),
            Format::Text => print_event(&terminal.printer, &event),
            Format::Json => {}
        }
    }
    let state = runs.state(&id).await?;
    if terminal.printer.format == Format::Json {
        terminal.printer.json(&runs.show(&id).await?.to_json());
    }
    if state == flow::RunState::Waiting {
        let why = format!("a person has to decide; `assay runs show {id}` says what");
        terminal.printer.remark(state.as_str(), &why);
    } else if !state.is_final() {
        let why = format!("its process is gone; `assay runs resume {id}` goes on with it");
        terminal.printer.remark(state.as_str(), &why);
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
    if let Some(status) = run["progress"]["status"].as_str() {
        let progress = &run["progress"];
        line("progress", &format!("{status}, try {} of {}", progress["iteration"], progress["max_iterations"]));
        for step in progress["plan"].as_array().into_iter().flatten() {
            line("plan", step.as_str().unwrap_or_default());
        }
        for tried in progress["history"].as_array().into_iter().flatten() {
            let error = tried["error"].as_str().and_then(|error| error.lines().next());
            line("tried", error.unwrap_or("nothing speaks against it so far"));
        }
        // A run that has ended shows its program in its document.
        if let Some(code) = progress["current_code"].as_str().filter(|_| run["output"].is_null()) {
            printer.lines(&format!("{}\n", code.trim_end()));
        }
    }
    for question in run["questions"].as_array().into_iter().flatten() {
        line("asks", &format!("{} ({})", question["action"].as_str().unwrap_or_default(), question["id"]));
        printer.lines(&format!("{}\n", question["detail"].as_str().unwrap_or_default()));
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

async fn resume(terminal: &Terminal, id: &str) -> Result<u8, Problem> {
    let engine = terminal.app.engine().await?;
    let id = engine.runs().find(id).await?;
    let run = engine.runs().show(&id).await?;
    let recorded = run.steps.len();
    if run.output.is_none() {
        terminal.printer.progress(&format!("{recorded} recorded steps; going on at step {recorded}"));
    }
    let is_imported = is_imported(engine.runs(), &id).await?;
    let ended = terminal.follow(Start::Resume(id)).await?;
    Ok(document::show_again(terminal, &ended.result?.output, is_imported))
}

async fn fork(terminal: &Terminal, id: &str, from_step: usize) -> Result<u8, Problem> {
    let engine = terminal.app.engine().await?;
    let id = engine.runs().find(id).await?;
    let is_imported = is_imported(engine.runs(), &id).await?;
    let ended = terminal.follow(Start::Fork { from: id, steps: from_step, mode: Mode::Attached }).await?;
    terminal.printer.progress(&format!("forked as {}", ended.run));
    Ok(document::show_again(terminal, &ended.result?.output, is_imported))
}

/// Whether a stranger's capsule brought the run here, or the one it was forked from.
async fn is_imported(runs: &RunsOfStore, id: &base::RunId) -> Result<bool, Problem> {
    Ok(runs.journal(id).await?.run.here.imported_at.is_some())
}

async fn cancel(terminal: &Terminal, id: &str) -> Result<u8, Problem> {
    let runs = runs_of(terminal).await?;
    let cancel = Cancel::stop(&runs, runs.find(id).await?).await?;
    let Cancel { run: id, state, cancelled } = &cancel;
    terminal.show_apart(&cancel.to_json(), |printer| match (*cancelled, state.is_final()) {
        (true, _) => printer.line(&format!("{id} is cancelled")),
        (false, true) => printer.remark("not cancelled", &format!("{id} had ended before: {}", state.as_str())),
        (false, false) => printer.remark("asked", &format!("{id} was asked to stop and has not done so yet")),
    });
    Ok(u8::from(!cancel.cancelled))
}

async fn decide(terminal: &Terminal, asked: &RunsDecide, allowed: bool) -> Result<u8, Problem> {
    let runs = runs_of(terminal).await?;
    let run = runs.find(&asked.id).await?;
    let state = runs.decide(&run, asked.question.as_deref(), allowed).await?;
    let decision = Decision { run, allowed, state };
    terminal.show_apart(&decision.to_json(), |printer| {
        let Decision { run, state, .. } = &decision;
        printer.line(&format!("{run} is {}", if allowed { "allowed to" } else { "not allowed to" }));
        let next = match state {
            flow::RunState::Pending => "a worker goes on with it".to_string(),
            _ => format!("`assay runs resume {run}` goes on with it"),
        };
        printer.remark("next", &next);
    });
    Ok(0)
}

async fn replay(terminal: &Terminal, id: &str) -> Result<u8, Problem> {
    let engine = terminal.app.engine().await?;
    let replay = engine.replay(&terminal.app.context, &engine.runs().find(id).await?).await?;
    let replay = Replay::from(replay);
    terminal.show_apart(&replay.to_json(), |printer| match &replay.difference {
        None => printer.line(&format!("the same: {} recorded steps, and what the code makes of them", replay.steps)),
        Some(found) => {
            printer.remark("differs", &found.message);
            if found.path.is_some() {
                printer.remark("recorded", &found.recorded.to_string());
                printer.remark("replayed", &found.replayed.to_string());
            }
        }
    });
    Ok(u8::from(!replay.same))
}
