//! What the tasks are lent: where data lives, how to get a sandbox, whom to tell about progress.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use base::{Code, Problem};
use sandbox::{Cell, Environment, EnvironmentOptions, Sandbox, Stop};
use tokio::sync::OnceCell;
use tokio::task::JoinSet;

/// Told what long work is doing. Must not block.
pub type Progress = Arc<dyn Fn(&str) + Send + Sync>;

/// Where kernels come from.
#[derive(Clone, Debug)]
pub enum Warmth {
    /// Each is started when it is needed.
    Cold,
    /// From a broker, whose socket lies in the folder for sockets of this login, else in the data directory.
    Resident {
        /// That folder.
        runtime_dir: Option<PathBuf>,
    },
}

/// What the tasks are lent.
pub struct Context {
    /// Where datasets, runs and artifacts live.
    pub data_dir: PathBuf,
    /// This program's own file, which becomes the supervisor of a cell.
    pub program: PathBuf,
    /// How the Python environment is found or made.
    pub environment: EnvironmentOptions,
    /// Whether kernels come warm, from a resident broker.
    pub warmth: Warmth,
    /// Whom to tell.
    pub progress: Progress,
    sandbox: OnceCell<Sandbox>,
    /// Held while a dataset is prepared: whoever else in this process needs one waits here and blocks nobody.
    pub(crate) preparing: tokio::sync::Mutex<()>,
    retired: Mutex<JoinSet<()>>,
}

impl Context {
    /// A context that has not made a sandbox yet.
    pub fn new(
        data_dir: PathBuf,
        program: PathBuf,
        environment: EnvironmentOptions,
        warmth: Warmth,
        progress: Progress,
    ) -> Context {
        Context {
            warmth,
            data_dir,
            program,
            environment,
            progress,
            sandbox: OnceCell::new(),
            preparing: tokio::sync::Mutex::default(),
            retired: Mutex::default(),
        }
    }

    /// The sandbox; its environment is made on first need.
    pub async fn sandbox(&self) -> Result<&Sandbox, Problem> {
        let make = || async {
            let environment = match Environment::locate(&self.environment.directory) {
                Some(environment) => environment,
                None => self.make_environment().await?,
            };
            let sandbox = environment.sandbox(self.program.clone(), data::kernel::MODULES).await?;
            Ok(match &self.warmth {
                Warmth::Cold => sandbox,
                Warmth::Resident { runtime_dir } => sandbox.with_broker(runtime_dir.as_deref(), &self.data_dir),
            })
        };
        self.sandbox.get_or_try_init(make).await
    }

    /// Takes minutes, on a thread of its own. Who no longer waits for it lets it go on; the next finds it made.
    async fn make_environment(&self) -> Result<Environment, Problem> {
        let (tell, options) = (self.progress.clone(), self.environment.clone());
        let making = tokio::task::spawn_blocking(move || {
            Environment::provide(&options, &mut |text| tell(&format!("preparing Python (once): {text}")))
        });
        let lost = |error| Problem::new(Code::Internal, format!("making the Python environment was given up: {error}"));
        making.await.map_err(lost)?
    }

    /// Starts a broker for those who come next, if one was missed so far. That it cannot be started is no reason to fail.
    pub fn provide_broker(&self) {
        let broker = self.sandbox.get().and_then(Sandbox::broker);
        if let Some(broker) = broker.filter(|broker| broker.was_absent()) {
            let _ = broker.start();
        }
    }

    /// Takes a cell whose work is done and ends it beside whatever goes on.
    pub(crate) fn retire(&self, cell: Cell) {
        if cell.ends_by_itself() {
            return;
        }
        let mut retired = self.retired.lock().unwrap_or_else(PoisonError::into_inner);
        while retired.try_join_next().is_some() {}
        retired.spawn(async { drop(cell.finish(Stop::Now).await) });
    }

    /// Ends what is still running.
    pub async fn close(&self) {
        self.provide_broker();
        let mut retired = std::mem::take(&mut *self.retired.lock().unwrap_or_else(PoisonError::into_inner));
        while retired.join_next().await.is_some() {}
    }
}
