//! Models on this machine: where their weights lie, and who runs them.
//!
//! ```text
//! <models dir>/<name>-<hash>.gguf         weights that are whole and were found right; the name is given last
//! <models dir>/<name>-<hash>.table        a table of vectors likewise, by which lessons are found
//! <models dir>/<name>-<hash>.part, …      weights on their way (`pull.rs`)
//! <models dir>/resident/                  sockets of models that are loaded, where this login has no folder for such
//! ```
//! A model runs in a cell without a network, which all processes of the user share; nothing of it is on the path of who
//! asks no local model.

mod pull;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use base::{Action, Code, Problem, nearest};
use model::{ChunkHeard, LocalRunner, Weights, WeightsKind};
use sandbox::{Environment, EnvironmentOptions, Input, Raised, Resident, ResidentError, ResidentOptions, Set};
use serde_json::{Value, json};
use warehouse::Progress;

pub use pull::Pulled;

/// More threads are slower than fewer where others want the processors too.
const THREADS_MAX: usize = 8;
/// A reply on a slow and busy machine.
const ORDER_TIME_MAX: Duration = Duration::from_secs(600);
/// Beside the weights: the engine, its buffers and what it keeps of a conversation.
const MEMORY_BYTES_BESIDE: u64 = 3 << 29;

/// What is needed to run models here.
#[derive(Clone)]
pub struct LocalModels {
    /// Where weights lie.
    pub directory: PathBuf,
    /// Those that can be had.
    pub known: Vec<Weights>,
    /// Who is asked for them instead of the public hub.
    pub mirror: Option<String>,
    /// After so long without a question a model is put away.
    pub idle: Duration,
    /// Where sockets of this login live.
    pub runtime_dir: Option<PathBuf>,
    /// How the environment that runs them is found or made.
    pub environment: EnvironmentOptions,
    /// This program's own file.
    pub program: PathBuf,
    /// Whom to tell.
    pub progress: Progress,
}

impl LocalModels {
    /// The weights of that name.
    pub fn find(&self, name: &str) -> Result<&Weights, Problem> {
        self.known.iter().find(|weights| weights.name == name).ok_or_else(|| {
            let names: Vec<&str> = self.known.iter().map(|weights| weights.name.as_str()).collect();
            let problem = Problem::new(Code::ModelUnknown, format!("there are no weights `{}`", base::shown(name)));
            match nearest(name, names.iter().copied()).first() {
                Some(close) => problem.hint(format!("did you mean `{close}`?")),
                None => problem.hint(format!("use one of {}", names.join(", "))),
            }
        })
    }

    /// Those of models, the best first.
    pub fn models(&self) -> impl Iterator<Item = &Weights> {
        self.known.iter().filter(|weights| weights.kind == WeightsKind::Model)
    }

    /// Those that are tables of vectors.
    pub fn tables(&self) -> impl Iterator<Item = &Weights> {
        self.known.iter().filter(|weights| weights.kind == WeightsKind::Table)
    }

    /// The table of vectors by which lessons are found, if one is there: the user's own before ours.
    pub fn table(&self) -> Option<PathBuf> {
        let there = self.tables().filter(|weights| self.is_there(weights)).last();
        there.map(|weights| self.file(weights))
    }

    /// The weights of a model of that name, where they are there.
    fn whole(&self, name: &str) -> Result<&Weights, Problem> {
        let weights = self.find(name)?;
        if weights.kind != WeightsKind::Model {
            return Err(Problem::new(
                Code::ModelUnknown,
                format!("`{name}` is a table of vectors and answers nothing"),
            )
            .hint("lessons are found by it; name a model"));
        }
        if self.is_there(weights) {
            return Ok(weights);
        }
        let message = format!("the weights of `local:{name}` are not on this machine");
        Err(Problem::new(Code::ModelUnknown, message).action(Action::PullModel { model: name.to_string() }))
    }

    /// Where they lie, or would.
    pub fn file(&self, weights: &Weights) -> PathBuf {
        self.directory.join(format!("{}-{}.{}", weights.name, weights.sha256.short(), weights.kind.ending()))
    }

    /// Whether they are there, whole.
    pub fn is_there(&self, weights: &Weights) -> bool {
        std::fs::metadata(self.file(weights)).is_ok_and(|file| file.is_file() && file.len() == weights.bytes)
    }

    /// Who answers for `local:`.
    pub fn runner(self) -> LocalRunner {
        let models = Arc::new(self);
        let asked = models.clone();
        LocalRunner {
            check: Arc::new(move |name: &str| asked.whole(name).map(drop)),
            run: Arc::new(move |name: &str, body: &Value, heard: ChunkHeard<'_>| {
                let models = models.clone();
                Box::pin(async move { models.answer(name, body, heard).await })
            }),
        }
    }

    async fn answer(&self, name: &str, body: &Value, heard: ChunkHeard<'_>) -> Result<(), Problem> {
        let resident = self.resident(name).await?;
        if !resident.socket().exists() {
            (self.progress)(&format!("starting local:{name}"));
        }
        let answered = resident.answer(body, heard).await;
        answered.map(drop).map_err(|error| problem_of(name, error))
    }

    /// The process that has the model, whether or not it runs.
    pub async fn resident(&self, name: &str) -> Result<Resident, Problem> {
        let weights = self.whole(name)?;
        self.resident_in(self.environment().await?, weights).await
    }

    /// The process that has a model loaded, if there is one; nothing is made to find out.
    pub async fn running(&self, weights: &Weights) -> Option<Resident> {
        let environment = Environment::of(&self.environment.directory, Set::Llama)?;
        let resident = self.resident_in(environment, weights).await.ok()?;
        resident.status().await.map(|_| resident)
    }

    async fn resident_in(&self, environment: Environment, weights: &Weights) -> Result<Resident, Problem> {
        let sandbox = environment.sandbox(self.program.clone(), model::kernel::MODULES).await?;
        let processors = std::thread::available_parallelism().map_or(1, |count| count.get());
        let threads = (processors - 1).clamp(1, THREADS_MAX);
        let options = ResidentOptions {
            name: "model",
            runtime_dir: self.runtime_dir.clone(),
            folder: self.directory.clone(),
            input: Input { name: "weights.gguf".into(), path: self.file(weights) },
            module: "llama",
            arguments: json!({ "context_tokens": model::CONTEXT_TOKENS, "threads": threads }),
            memory_bytes: weights.bytes + weights.bytes / 2 + MEMORY_BYTES_BESIDE,
            idle_ms: self.idle.as_millis() as u64,
            order_ms_max: ORDER_TIME_MAX.as_millis() as u64,
        };
        sandbox.resident(options).map_err(|error| {
            let message = format!("`local:{}` has no place for its socket: {error}", weights.name);
            Problem::new(Code::ModelFailed, message)
        })
    }

    /// Whether the environment that runs weights is there.
    pub fn can_run(&self) -> bool {
        Environment::of(&self.environment.directory, Set::Llama).is_some()
    }

    /// The environment that runs weights, made if it is not there.
    pub async fn environment(&self) -> Result<Environment, Problem> {
        if let Some(environment) = Environment::of(&self.environment.directory, Set::Llama) {
            return Ok(environment);
        }
        let (tell, options) = (self.progress.clone(), self.environment.clone());
        let making = tokio::task::spawn_blocking(move || {
            let mut told = |text: &str| tell(&format!("preparing what runs models (once): {text}"));
            Environment::install(&options, Set::Llama, &mut told)
        });
        let lost = |error| Problem::new(Code::Internal, format!("making the environment was given up: {error}"));
        making.await.map_err(lost)?
    }
}

fn problem_of(name: &str, error: ResidentError) -> Problem {
    let problem = |code, message: String| Problem::new(code, message);
    match error {
        ResidentError::Lost => problem(Code::ModelTruncated, format!("`local:{name}` ended before its reply did"))
            .hint("ask again: it is started anew"),
        ResidentError::Busy(waiting) => {
            problem(Code::SandboxBusy, format!("`local:{name}` has {waiting} questions to answer already"))
                .hint("ask again when some of them have been answered")
        }
        ResidentError::Raised(Raised { kind, message, .. }) if kind == "TimeoutError" => {
            problem(Code::TimedOut, format!("`local:{name}`: {message}")).hint("ask when the machine is less busy")
        }
        ResidentError::Raised(Raised { message, .. }) => {
            problem(Code::ModelFailed, format!("`local:{name}`: {message}"))
        }
        ResidentError::Start(_) | ResidentError::Failed(_) => {
            problem(Code::ModelFailed, format!("`local:{name}`: {error}")).action(Action::CheckMachine)
        }
    }
}
