//! `assay worker`: works on queued runs in the background.

use std::cell::Cell;
use std::sync::Arc;

use base::{Code, Problem};
use flow::{Ended, Worker as HowToWork};
use serde_json::json;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::oneshot;

use crate::app::App;
use crate::args::Worker;
use crate::printer::Format;

/// Works until interrupted, terminated or idle; what is not finished then is handed back.
pub async fn run(app: &App, worker: &Worker, interrupted: oneshot::Receiver<()>) -> Result<u8, Problem> {
    // Beside each other, the steps of several runs would only confuse people.
    let events = app.printer.format == Format::JsonLines;
    let watcher = app.watcher.clone();
    let observer: Option<flow::Observer> =
        events.then(|| Arc::new(move |event: &flow::Event| watcher.see(event)) as flow::Observer);
    let engine = Arc::new(app.engine_seen_by(observer).await?);
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let how = HowToWork { slots: worker.slots.map_or(processors, usize::from), until_idle: worker.until_idle };
    let mut terminated = signal(SignalKind::terminate())
        .map_err(|error| Problem::new(Code::Internal, format!("cannot listen for the end: {error}")))?;
    let by_keyboard = Cell::new(false);
    let stop = async {
        tokio::select! {
            Ok(()) = interrupted => by_keyboard.set(true),
            _ = terminated.recv() => {}
        }
    };
    app.printer.progress(&format!("working on queued runs, {} at once", how.slots));
    let ended = engine
        .work_queue(&app.context, how, stop, |one| {
            app.context.provide_broker();
            tell(app, one);
        })
        .await?;
    let document = json!({ "v": 1, "kind": "worker", "runs": ended });
    match app.printer.format {
        Format::Json => app.printer.json(&document),
        Format::JsonLines => {}
        Format::Text => app.printer.progress(&format!("runs worked on: {ended}")),
    }
    Ok(if by_keyboard.get() { Code::Cancelled.exit_code() } else { 0 })
}

fn tell(app: &App, one: Result<&Ended, &Problem>) {
    match one {
        // The events say it all.
        Ok(_) if app.printer.format == Format::JsonLines => {}
        Ok(Ended { run, result: Ok(finish) }) => {
            app.printer.progress(&format!("{run} {}", finish.state.as_str()));
        }
        Ok(Ended { run, result: Err(problem) }) if problem.code == Code::Cancelled => {
            app.printer.progress(&format!("{run} stopped: {problem}"));
        }
        Ok(Ended { run, result: Err(problem) }) => {
            app.printer.progress(&format!("{run} {}: {problem}", problem.code.as_str()))
        }
        Err(problem) => app.printer.remark("error", &problem.message),
    }
}
