//! Where data lives, how to get a sandbox, whom to tell about progress.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use base::{Code, Hash, Problem};
use sandbox::{Cell, Environment, EnvironmentOptions, Sandbox, Set, Stop};
use tokio::sync::OnceCell;
use tokio::task::JoinSet;

use crate::added_datasets::{Added, Datasets, FilesNow};
use crate::cache::Cache;
use crate::early_read::EarlyRead;
use crate::hashes::Hashes;
use crate::indexes::Indexes;
use crate::kept::KeptCells;
use crate::notes::Notes;

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

/// What prepared datasets may take together unless somebody decides otherwise.
pub const CACHE_BYTES_DEFAULT: u64 = 10 << 30;

/// The place where data is kept and prepared, and the sandbox in which that is done.
pub struct Warehouse {
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
    /// What prepared datasets may take together.
    pub cache_bytes: u64,
    /// What planning looks up in, by dataset version.
    pub indexes: Arc<Indexes>,
    /// Cells that serve more than one statement.
    pub kept: KeptCells,
    sandbox: OnceCell<Sandbox>,
    /// Readings that began before it was known which version they are of.
    early_reads: Mutex<Vec<EarlyRead>>,
    retired: Mutex<JoinSet<()>>,
}

impl Warehouse {
    /// A warehouse that has not made a sandbox yet.
    pub fn new(
        data_dir: PathBuf,
        program: PathBuf,
        environment: EnvironmentOptions,
        warmth: Warmth,
        progress: Progress,
    ) -> Warehouse {
        Warehouse {
            warmth,
            data_dir,
            program,
            environment,
            progress,
            indexes: Arc::default(),
            kept: KeptCells::default(),
            sandbox: OnceCell::new(),
            cache_bytes: CACHE_BYTES_DEFAULT,
            early_reads: Mutex::default(),
            retired: Mutex::default(),
        }
    }

    /// The sandbox; its environment is made on first need.
    pub async fn sandbox(&self) -> Result<&Sandbox, Problem> {
        let make = || async {
            let environment = match Environment::locate(&self.environment.directory) {
                Some(environment) => environment,
                None => self.install(Set::Core).await?,
            };
            let sandbox = environment.sandbox(self.program.clone(), data::kernel::MODULES).await?;
            Ok(match &self.warmth {
                Warmth::Cold => sandbox,
                Warmth::Resident { runtime_dir } => sandbox.with_broker(runtime_dir.as_deref(), &self.data_dir),
            })
        };
        self.sandbox.get_or_try_init(make).await
    }

    /// The sandbox, if anybody has needed it yet.
    pub fn sandbox_in_use(&self) -> Option<&Sandbox> {
        self.sandbox.get()
    }

    /// The environment with that set. To make it takes minutes, on a thread of its own. Who no longer waits for it lets
    /// it go on; the next finds it made.
    pub async fn install(&self, set: Set) -> Result<Environment, Problem> {
        let (tell, options) = (self.progress.clone(), self.environment.clone());
        let making = tokio::task::spawn_blocking(move || {
            Environment::install(&options, set, &mut |text| tell(&format!("preparing Python (once): {text}")))
        });
        let lost = |error| Problem::new(Code::Internal, format!("making the Python environment was given up: {error}"));
        making.await.map_err(lost)?
    }

    /// A sandbox of its own with that set, for who began before it was installed; its cells are cold.
    pub async fn sandbox_with(&self, set: Set) -> Result<Sandbox, Problem> {
        let environment = self.install(set).await?;
        environment.sandbox(self.program.clone(), data::kernel::MODULES).await
    }

    /// Starts a broker for those who come next, if one was missed so far. That it cannot be started is no reason to fail.
    pub fn provide_broker(&self) {
        let broker = self.sandbox.get().and_then(Sandbox::broker);
        if let Some(broker) = broker.filter(|broker| broker.was_absent()) {
            let _ = broker.start();
        }
    }

    /// The datasets that were added under a name.
    pub fn datasets(&self) -> Datasets {
        Datasets::of(&self.data_dir)
    }

    /// What people remember about datasets.
    pub fn notes(&self) -> Notes {
        Notes::of(&self.data_dir)
    }

    /// The prepared datasets.
    pub fn cache(&self) -> Cache {
        Cache::of(&self.data_dir)
    }

    /// How the files of an added dataset are now.
    pub fn files_now(&self, added: &Added) -> FilesNow {
        added.files_now(&self.hashes())
    }

    /// What large files hashed to.
    pub fn hashes(&self) -> Hashes {
        Hashes::of(&self.data_dir)
    }

    /// Keeps a reading going for whoever prepares its version.
    pub fn keep_early_read(&self, begun: EarlyRead, version: &Hash) {
        self.early_reads.lock().unwrap_or_else(PoisonError::into_inner).push(begun.of(version));
    }

    /// The reading of that version, if one is going.
    pub fn take_early_read(&self, version: &Hash) -> Option<EarlyRead> {
        let mut begun = self.early_reads.lock().unwrap_or_else(PoisonError::into_inner);
        let index = begun.iter().position(|begun| begun.is_of(version))?;
        Some(begun.swap_remove(index))
    }

    /// Takes a cell whose work is done and ends it beside whatever goes on.
    pub fn retire(&self, cell: Cell) {
        if cell.ends_by_itself() {
            return;
        }
        let mut retired = self.retired.lock().unwrap_or_else(PoisonError::into_inner);
        while retired.try_join_next().is_some() {}
        retired.spawn(async { drop(cell.finish(Stop::Now).await) });
    }

    /// Ends what is still running.
    pub async fn close(&self) {
        self.kept.end();
        self.provide_broker();
        let begun = std::mem::take(&mut *self.early_reads.lock().unwrap_or_else(PoisonError::into_inner));
        for begun in begun {
            begun.give_up().await;
        }
        let mut retired = std::mem::take(&mut *self.retired.lock().unwrap_or_else(PoisonError::into_inner));
        while retired.join_next().await.is_some() {}
        if let Some(sandbox) = self.sandbox.get() {
            sandbox.settle().await;
        }
    }
}
