//! Watches the runs of this process: prints their events or their progress, and knows which run is under way.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use base::RunId;
use flow::Event;

use crate::printer::{Format, Printer};

/// What this process has seen of its runs.
pub struct Watcher {
    printer: Arc<Printer>,
    under_way: Mutex<Option<RunId>>,
    ended: AtomicBool,
}

impl Watcher {
    /// Nothing seen yet.
    pub fn new(printer: Arc<Printer>) -> Watcher {
        Watcher { printer, under_way: Mutex::new(None), ended: AtomicBool::new(false) }
    }

    /// The run that is under way, so that who interrupts it is told its name.
    pub fn under_way(&self) -> Option<RunId> {
        self.under_way.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether a run's end was seen, which tells what it came to.
    pub fn saw_an_end(&self) -> bool {
        self.ended.load(Ordering::Relaxed)
    }

    /// Takes note of an event, and prints it as asked for.
    pub fn see(&self, event: &Event) {
        let ended = event.kind == "run.finished";
        self.ended.store(ended, Ordering::Relaxed);
        *self.under_way.lock().unwrap_or_else(PoisonError::into_inner) = (!ended).then(|| event.run.clone());
        match self.printer.format {
            Format::JsonLines => self.printer.json(&serde_json::to_value(event).unwrap_or_default()),
            Format::Json | Format::Text => self.tell_progress(event),
        }
    }

    /// Long steps say how far they are, and a run that is there to be killed says its name.
    fn tell_progress(&self, event: &Event) {
        let data = &event.data;
        match event.kind.as_str() {
            "run.created" if data["task"] == agent::DEMO => self.printer.progress(&format!("run {}", event.run)),
            "step.progress" => {
                let unit = data["unit"].as_str().unwrap_or_default();
                self.printer.progress(&format!("step {}: {} of {} {unit}", data["index"], data["done"], data["total"]));
            }
            _ => {}
        }
    }
}
