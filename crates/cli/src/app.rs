//! Everything a command needs, built once: printer, settings, and on demand the store, the engine and the context.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agent::{Context, Resolved, Source, Warmth};
use base::{Code, Problem, RunId};
use flow::{Ended, Engine, Options, Request, Runs, Store};
use sandbox::EnvironmentOptions;
use serde::Serialize;
use serde_json::{Value, json};

use crate::args::Begin;
use crate::printer::{Format, Printer};
use crate::settings::Settings;
use crate::watcher::Watcher;

/// What commands are lent.
pub struct App {
    /// The way to the terminal.
    pub printer: Arc<Printer>,
    /// What is seen of this process's runs.
    pub watcher: Arc<Watcher>,
    /// What was decided outside.
    pub settings: Settings,
    /// What tasks are lent.
    pub context: Arc<Context>,
}

impl App {
    /// Builds what costs nothing; the store is opened when a command needs it.
    pub fn new(printer: Printer, settings: Settings) -> App {
        let printer = Arc::new(printer);
        let environment = EnvironmentOptions {
            directory: settings.env_dir.clone(),
            python: settings.python.clone(),
            search_path: settings.search_path.clone(),
        };
        let shown = printer.clone();
        let progress: agent::Progress = Arc::new(move |text: &str| shown.progress(text));
        // The running file itself, also when another has taken its place on disk.
        let program = PathBuf::from("/proc/self/exe");
        let warmth = match settings.broker {
            true => Warmth::Resident { runtime_dir: settings.runtime_dir.clone() },
            false => Warmth::Cold,
        };
        let mut context = Context::new(settings.data_dir.clone(), program, environment, warmth, progress);
        context.cache_bytes = settings.cache_bytes;
        context.build = build_of(&context.program);
        let watcher = Arc::new(Watcher::new(printer.clone()));
        App { printer, watcher, settings, context: Arc::new(context) }
    }

    /// The engine over the user's store; what its runs do is told to the user.
    pub async fn engine(&self) -> Result<Engine<Context>, Problem> {
        let watcher = self.watcher.clone();
        self.engine_seen_by(Some(Arc::new(move |event: &flow::Event| watcher.see(event)))).await
    }

    /// The engine over the user's store, watched by somebody else or nobody.
    pub async fn engine_seen_by(&self, observer: Option<flow::Observer>) -> Result<Engine<Context>, Problem> {
        let store = Store::open(&self.settings.data_dir).await?;
        let options = Options {
            program: env!("CARGO_PKG_VERSION").to_string(),
            lease: self.settings.lease,
            fault: self.settings.fault,
            observer,
        };
        Ok(Engine::new(store, agent::tasks(), options))
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
        let engine = self.engine().await?;
        if begin.queue {
            let run = engine.enqueue(&request).await?;
            self.show_queued(task, &[run]);
            return Ok(None);
        }
        let Ended { result, .. } = engine.start(&self.context, request).await?;
        Ok(Some((result?.output, engine.runs().clone())))
    }

    /// What to start, in the engine's terms.
    pub fn request(&self, begin: &Begin, task: &str, input: &impl Serialize, title: &str) -> Result<Request, Problem> {
        let input = serde_json::to_value(input).map_err(|error| Problem::new(Code::Internal, error.to_string()))?;
        let key = begin.key.clone();
        if key.as_ref().is_some_and(|key| key.is_empty() || key.len() > KEY_BYTES_MAX) {
            return Err(Problem::new(Code::Usage, format!("a key has 1 to {KEY_BYTES_MAX} bytes"))
                .hint("give a name for the request, or the hash of a longer one"));
        }
        Ok(Request { task: task.to_string(), input, title: Some(short(title)), key })
    }

    /// Says which runs wait for a worker now.
    pub fn show_queued(&self, task: &str, runs: &[RunId]) {
        let document = json!({ "v": 1, "kind": "queued", "task": task, "runs": runs });
        self.show(&document, |printer| {
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
            self.printer.json(&json!(problem));
        }
        self.printer.problem(problem);
    }

    /// Ends what is still running.
    pub async fn close(&self) {
        self.context.close().await;
    }
}

/// What tells this program from every other build of it on this machine, without reading it.
fn build_of(program: &Path) -> String {
    let file =
        std::fs::metadata(program).map(|file| (file.dev(), file.ino(), file.len(), file.mtime(), file.mtime_nsec()));
    format!("{} {:?}", env!("CARGO_PKG_VERSION"), file.ok())
}

/// Splits `DATA… LAST` and resolves the data.
pub async fn data_and_last<'a>(
    app: &App,
    words: &'a [String],
    command: &str,
    what: &str,
) -> Result<(&'a [String], &'a str, Resolved), Problem> {
    let usage = |message: String| {
        Problem::new(Code::Usage, message).hint(format!("such as: assay {command} ecommerce \"the {what}\""))
    };
    let datasets = app.context.datasets();
    let is_data = |word: &String| datasets.is_dataset(word) || Path::new(word).exists();
    match words {
        [] | [_] => Err(usage(format!("name the data first, then the {what}"))),
        [first, .., last] if is_data(last) && !is_data(first) => {
            Err(usage(format!("`{last}` is data and comes first, then the {what}")))
        }
        [first, second, _, ..] if is_data(first) && !is_data(second) && !second.contains(['.', '/']) => {
            Err(usage(format!("the {what} is more than one word; put it in quotes")))
        }
        [data @ .., last] => Ok((data, last, resolve(app, data).await?)),
    }
}

/// The version of what the user named.
pub async fn resolve(app: &App, data: &[String]) -> Result<Resolved, Problem> {
    Resolved::of(&app.context, Source::parse(data, &app.context.datasets())?).await
}

/// Paths that mean the same from wherever a run is resumed.
pub fn absolute(app: &App, data: &[String]) -> Vec<String> {
    let datasets = app.context.datasets();
    let name = |text: &String| match std::path::absolute(text) {
        Ok(path) if path.exists() && !datasets.is_dataset(text) => path.display().to_string(),
        _ => text.clone(),
    };
    data.iter().map(name).collect()
}

/// More is no name but content.
const KEY_BYTES_MAX: usize = 256;

fn short(title: &str) -> String {
    const CHARACTERS_MAX: usize = 120;
    title.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(CHARACTERS_MAX).collect()
}
