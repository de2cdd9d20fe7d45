//! Watches the runs of this process: prints their events, their progress, what a model writes or what their programs print,
//! and knows which run is under way.

mod live;
mod outlet;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use base::RunId;
use flow::Event;

use self::live::Live;
use self::outlet::{Outlet, Piece};
use crate::commands::solve;
use crate::printer::{Format, Printer, json_line};

/// What this process has seen of its runs.
pub struct Watcher {
    printer: Arc<Printer>,
    under_way: Mutex<Option<RunId>>,
    ended: AtomicBool,
    /// The run whose program's output was printed while it ran, and the way there.
    streamed: Mutex<Option<(RunId, Outlet)>>,
    /// What was told of the solve that is under way.
    solve: Mutex<solve::Live>,
    /// What a model writes right now.
    live: Mutex<Live>,
}

impl Watcher {
    /// Nothing seen yet.
    pub fn new(printer: Arc<Printer>) -> Watcher {
        Watcher {
            printer,
            under_way: Mutex::new(None),
            ended: AtomicBool::new(false),
            streamed: Mutex::new(None),
            solve: Mutex::default(),
            live: Mutex::default(),
        }
    }

    /// The run that is under way, so that who interrupts it is told its name.
    pub fn under_way(&self) -> Option<RunId> {
        self.under_way.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether a run's end was seen, which tells what it came to.
    pub fn saw_an_end(&self) -> bool {
        self.ended.load(Ordering::Relaxed)
    }

    /// Whether what that run's program printed was shown while it ran.
    pub fn has_streamed(&self, run: &str) -> bool {
        let streamed = self.streamed.lock().unwrap_or_else(PoisonError::into_inner);
        streamed.as_ref().is_some_and(|(one, _)| one.as_str() == run)
    }

    /// Takes note of an event, and prints it as asked for.
    pub fn see(&self, event: &Event) {
        if event.kind == "output.chunk" {
            return self.stream(event);
        }
        self.finish_streaming(event);
        let ended = event.kind == "run.finished";
        self.ended.store(ended, Ordering::Relaxed);
        *self.under_way.lock().unwrap_or_else(PoisonError::into_inner) = (!ended).then(|| event.run.clone());
        match self.printer.format {
            Format::JsonLines => self.printer.json(&serde_json::to_value(event).unwrap_or_default()),
            Format::Json => self.tell_progress(event),
            Format::Text => {
                self.tell_solve(event);
                self.tell_progress(event);
            }
        }
    }

    /// Passes a piece of a program's output on. One document has all of it in the end, so nothing is printed before.
    fn stream(&self, event: &Event) {
        let text = event.data["text"].as_str().unwrap_or_default();
        let piece = match self.printer.format {
            Format::Json => return,
            Format::JsonLines => Piece::Out(json_line(&serde_json::to_value(event).unwrap_or_default()) + "\n"),
            Format::Text if event.data["stream"] == "stderr" => Piece::Err(text.to_string()),
            Format::Text => Piece::Out(text.to_string()),
        };
        let mut streamed = self.streamed.lock().unwrap_or_else(PoisonError::into_inner);
        let (run, outlet) = streamed.get_or_insert_with(|| (event.run.clone(), Outlet::new(self.printer.clone())));
        run.clone_from(&event.run);
        outlet.put(piece);
    }

    /// What a program printed comes before whatever is said after it. Where nobody takes it, the run goes on to its end.
    fn finish_streaming(&self, next: &Event) {
        let streamed = self.streamed.lock().unwrap_or_else(PoisonError::into_inner);
        let failed = streamed.as_ref().and_then(|(_, outlet)| outlet.drain());
        if let Some(error) = failed.filter(|_| next.kind == "run.finished") {
            self.printer.give_up(&error);
        }
    }

    /// What a coder says, writes and is told.
    fn tell_solve(&self, event: &Event) {
        let mut live = self.solve.lock().unwrap_or_else(PoisonError::into_inner);
        let text = |field: &str| event.data[field].as_str().unwrap_or_default();
        match event.kind.as_str() {
            "text.delta" if matches!(text("channel"), "plan" | "code" | "reflection") && live.is_on() => {
                live.hear(&self.printer, text("channel"), text("text"));
            }
            "solve.state" => live.see(&self.printer, &event.data),
            _ => {}
        }
    }

    /// Whether what a model writes is told as a coder's words.
    fn is_solving(&self) -> bool {
        self.solve.lock().unwrap_or_else(PoisonError::into_inner).is_on()
    }

    /// Long steps say how far they are, and a run that is there to be killed says its name.
    fn tell_progress(&self, event: &Event) {
        let data = &event.data;
        match event.kind.as_str() {
            "run.created" if data["task"] == tasks::DEMO => self.printer.progress(&format!("run {}", event.run)),
            "step.started" if data["name"] == "model" => {
                self.live.lock().unwrap_or_else(PoisonError::into_inner).begin();
                self.printer.progress("the model writes");
            }
            "text.delta" if self.printer.is_read_by_people() && !self.is_solving() => {
                let text = |name: &str| data[name].as_str().unwrap_or_default();
                let mut live = self.live.lock().unwrap_or_else(PoisonError::into_inner);
                live.take(text("channel"), text("text"), &self.printer);
            }
            "solve.state" => {
                if let Some(told) = solve::progress(data) {
                    self.printer.progress(&told);
                }
            }
            "step.progress" => {
                let unit = data["unit"].as_str().unwrap_or_default();
                self.printer.progress(&format!("step {}: {} of {} {unit}", data["index"], data["done"], data["total"]));
            }
            _ => {}
        }
    }
}
