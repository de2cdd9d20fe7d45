//! `assay worker`: works on queued runs in the background.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use app::documents::runs;
use base::{Code, Document, Problem};
use flow::{Ended, Events, Slots, Told, Worker as HowToWork};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::oneshot;
use tokio::task::JoinSet;

use crate::args::Worker;
use crate::printer::Format;
use crate::terminal::Terminal;
use crate::watcher::Watcher;

/// Works until interrupted, terminated or idle; what is not finished then is handed back.
pub async fn run(terminal: &Terminal, worker: &Worker, interrupted: oneshot::Receiver<()>) -> Result<u8, Problem> {
    // Beside each other, the steps of several runs would only confuse people.
    let events = terminal.printer.format == Format::JsonLines;
    let engine = terminal.app.engine().await?;
    let readers = RefCell::new(JoinSet::new());
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let slots = worker.slots.map_or(processors, usize::from);
    let how = HowToWork { slots: Slots::new(slots), until_idle: worker.until_idle };
    let mut terminated = signal(SignalKind::terminate())
        .map_err(|error| Problem::new(Code::Internal, format!("cannot listen for the end: {error}")))?;
    let by_keyboard = Cell::new(false);
    let stop = async {
        tokio::select! {
            Ok(()) = interrupted => by_keyboard.set(true),
            _ = terminated.recv() => {}
        }
    };
    terminal.printer.progress(&format!("working on queued runs, {} at once", slots));
    let ended = engine
        .work_queue(&terminal.app.context, how, stop, |told| match told {
            Told::Began(run) if events => {
                readers.borrow_mut().spawn(read(engine.runs().watch(run, 0), terminal.watcher.clone()));
            }
            Told::Began(_) => {}
            Told::Ended(ended) => {
                terminal.app.warehouse().provide_broker();
                tell(terminal, ended);
            }
            Told::Trouble(problem) => terminal.printer.remark("error", &problem.message),
        })
        .await?;
    let mut readers = readers.into_inner();
    while readers.join_next().await.is_some() {}
    match terminal.printer.format {
        Format::Json => terminal.printer.json(&runs::Worker { runs: ended }.to_json()),
        Format::JsonLines => {}
        Format::Text => terminal.printer.progress(&format!("runs worked on: {ended}")),
    }
    Ok(if by_keyboard.get() { Code::Cancelled.exit_code() } else { 0 })
}

/// Prints what happens in a run, until it ends or is handed back.
async fn read(mut events: Events, watcher: Arc<Watcher>) {
    while let Ok(Some(event)) = events.next_here().await {
        watcher.see(&event);
    }
}

fn tell(terminal: &Terminal, ended: &Ended) {
    let run = &ended.run;
    match &ended.result {
        // The events say it all.
        _ if terminal.printer.format == Format::JsonLines => {}
        Ok(finish) => terminal.printer.progress(&format!("{run} {}", finish.state.as_str())),
        Err(problem) if problem.code == Code::Cancelled => {
            terminal.printer.progress(&format!("{run} stopped: {problem}"));
        }
        Err(problem) => terminal.printer.progress(&format!("{run} {}: {problem}", problem.code_name())),
    }
}
