//! Everything a command needs, built once: the printer, what is seen of runs, and what every front door shares.

use std::sync::Arc;

use app::documents::runs::Queued;
use app::{App, Settings};
use base::{Document, Problem, RunId};
use flow::{Ended, Request, Runs, Start};
use serde::Serialize;
use serde_json::{Value, json};
use warehouse::{DataNames, Progress, Resolved};

use crate::advice;
use crate::args::Begin;
use crate::printer::{Format, Printer};
use crate::watcher::Watcher;

/// What commands are lent.
pub struct Terminal {
    /// The way to the terminal.
    pub printer: Arc<Printer>,
    /// What is seen of this process's runs.
    pub watcher: Arc<Watcher>,
    /// What every front door shares.
    pub app: App,
}

impl Terminal {
    /// Builds what costs nothing; the store is opened when a command needs it.
    pub fn new(printer: Arc<Printer>, settings: Settings) -> Terminal {
        let shown = printer.clone();
        let progress: Progress = Arc::new(move |text: &str| shown.progress(text));
        let watcher = Arc::new(Watcher::new(printer.clone()));
        Terminal { printer, watcher, app: App::new(settings, progress) }
    }

    /// Works on a run to its end; what it does is told to the user.
    pub async fn follow(&self, start: Start) -> Result<Ended, Problem> {
        let mut spawned = self.app.spawn(start).await?;
        let mut events = self.app.engine().await?.runs().watch(&spawned.run, 0);
        let ended = loop {
            tokio::select! {
                biased;
                // Where events cannot be read, the run's result still can.
                event = events.next() => match event.ok().flatten() {
                    Some(event) => self.watcher.see(&event),
                    None => break spawned.ended().await,
                },
                ended = spawned.ended() => break ended,
            }
        };
        while let Ok(Some(event)) = events.next_there().await {
            self.watcher.see(&event);
        }
        ended
    }

    /// Runs a task to its end and shows its document, or only queues it; gives the exit code.
    pub async fn run_and_show(
        &self,
        begin: &Begin,
        task: &str,
        input: &impl Serialize,
        title: &str,
        shown: impl FnOnce(&Value) -> u8,
    ) -> Result<u8, Problem> {
        Ok(self.run_or_queue(begin, task, input, title).await?.map_or(0, |(document, _)| shown(&document)))
    }

    /// Runs a task to its end and gives its document and where to look into its run, or only queues it and says so.
    pub async fn run_or_queue(
        &self,
        begin: &Begin,
        task: &str,
        input: &impl Serialize,
        title: &str,
    ) -> Result<Option<(Value, Runs)>, Problem> {
        let request = self.request(begin, task, input, title)?;
        let engine = self.app.engine().await?;
        if begin.queue {
            let run = engine.enqueue(&request).await?;
            self.show_queued(task, &[run]);
            return Ok(None);
        }
        let Ended { result, .. } = self.follow(Start::Request(request)).await?;
        Ok(Some((result?.output, engine.runs().clone())))
    }

    /// What to start, in the engine's terms.
    pub fn request(&self, begin: &Begin, task: &str, input: &impl Serialize, title: &str) -> Result<Request, Problem> {
        app::request(task, input, title, begin.key.as_deref())
    }

    /// Says which runs wait for a worker now.
    pub fn show_queued(&self, task: &str, runs: &[RunId]) {
        let document = Queued { task: task.to_string(), runs: runs.to_vec() };
        self.show(&document.to_json(), |printer| {
            runs.iter().for_each(|run| printer.line(run.as_str()));
            printer.remark("queued", "`assay worker` works on it; `assay runs show ID --follow` shows how far it is");
        });
    }

    /// Prints a document as asked for; `for_people` draws it.
    pub fn show(&self, document: &Value, for_people: impl FnOnce(&Printer)) {
        match self.printer.format {
            Format::Json => self.printer.json(document),
            // The last event carries a run's document; what has no run is a line of its own.
            Format::JsonLines if document.get("run").is_some() => {}
            Format::JsonLines => self.printer.json(document),
            Format::Text => for_people(&self.printer),
        }
    }

    /// Prints a document that is about a run but is none of its own.
    pub fn show_apart(&self, document: &Value, for_people: impl FnOnce(&Printer)) {
        match self.printer.format {
            Format::Json | Format::JsonLines => self.printer.json(document),
            Format::Text => for_people(&self.printer),
        }
    }

    /// Prints a problem. Among events it is a line of its own, unless a run's end has told it.
    pub fn problem(&self, problem: &Problem) {
        if self.printer.format == Format::JsonLines && !self.watcher.saw_an_end() {
            self.printer.json(&json!(advice::told(problem)));
        }
        self.printer.problem(problem);
    }

    /// What the user may call data: these are the user's own files.
    pub fn data_names(&self) -> DataNames {
        DataNames::with_paths(self.app.warehouse().datasets())
    }

    /// The version of what the user named.
    pub async fn resolve(&self, data: &[String]) -> Result<Resolved, Problem> {
        app::requests::resolve(&self.app, &self.data_names(), data).await
    }

    /// Splits `DATA… LAST` and resolves the data.
    pub async fn data_and_last<'a>(
        &self,
        words: &'a [String],
        command: &str,
        what: &str,
    ) -> Result<(&'a [String], &'a str, Resolved), Problem> {
        let example = |problem: Problem| problem.hint(format!("such as: assay {command} ecommerce \"the {what}\""));
        let (data, last) = self.data_names().split(words, what).map_err(example)?;
        Ok((data, last, self.resolve(data).await?))
    }

    /// Ends what is still running.
    pub async fn close(&self) {
        self.app.close().await;
    }
}
