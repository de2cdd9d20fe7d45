//! The wiring: everything is built here, once, from the settings.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use base::{Code, Problem};
use flow::{Engine, Options, Request, Spawned, Start, Store};
use sandbox::EnvironmentOptions;
use serde::Serialize;
use tasks::{Context, Recall};
use tokio::sync::OnceCell;
use warehouse::{Progress, Warehouse, Warmth};

use crate::LocalModels;
use crate::settings::Settings;

/// The version that runs are recorded with.
pub const PROGRAM: &str = env!("CARGO_PKG_VERSION");
/// More is no name but content.
const KEY_BYTES_MAX: usize = 256;

/// What front doors are lent.
pub struct App {
    /// What was decided outside.
    pub settings: Settings,
    /// What tasks are lent.
    pub context: Arc<Context>,
    /// Models on this machine.
    pub local: LocalModels,
    store: OnceCell<Store>,
    engine: OnceCell<Arc<Engine<Context>>>,
}

impl App {
    /// Builds what costs nothing; the store is opened when somebody needs it. `progress` is told what long work is doing.
    pub fn new(settings: Settings, progress: Progress) -> App {
        let environment = EnvironmentOptions {
            directory: settings.env_dir.clone(),
            python: settings.python.clone(),
            search_path: settings.search_path.clone(),
        };
        // The running file itself, also when another has taken its place on disk.
        let program = PathBuf::from("/proc/self/exe");
        let warmth = match settings.broker {
            true => Warmth::Resident { runtime_dir: settings.runtime_dir.clone() },
            false => Warmth::Cold,
        };
        let build = build_of(&program);
        let local = LocalModels {
            directory: settings.models_dir.clone(),
            known: settings.weights.clone(),
            mirror: settings.models_mirror.clone(),
            idle: settings.models_idle,
            runtime_dir: settings.runtime_dir.clone(),
            environment: environment.clone(),
            program: program.clone(),
            progress: progress.clone(),
        };
        let mut warehouse = Warehouse::new(settings.data_dir.clone(), program, environment, warmth, progress);
        warehouse.cache_bytes = settings.cache_bytes;
        let models = model::Directory { local: Some(local.clone().runner()), ..settings.models.clone() };
        let budget_day = settings.budget_day.clone();
        let searches = settings.searches.clone();
        let tables = local.clone();
        let recall = Recall::new(Box::new(move || tables.table()));
        let context = Arc::new(Context { warehouse, build, models, budget_day, searches, recall });
        App { settings, context, local, store: OnceCell::new(), engine: OnceCell::new() }
    }

    /// Where data comes from.
    pub fn warehouse(&self) -> &Warehouse {
        &self.context.warehouse
    }

    /// The user's store, opened on first need.
    pub async fn store(&self) -> Result<&Store, Problem> {
        self.store.get_or_try_init(|| Store::open(&self.settings.data_dir)).await
    }

    /// The engine over the user's store, made on first need.
    pub async fn engine(&self) -> Result<&Arc<Engine<Context>>, Problem> {
        let make = || async {
            let store = self.store().await?.clone();
            let (lease, fault) = (self.settings.lease, self.settings.fault);
            let options = Options { program: PROGRAM.to_string(), lease, fault };
            Ok(Arc::new(Engine::new(store, tasks::tasks(), options)))
        };
        self.engine.get_or_try_init(make).await
    }

    /// Hands a run to the engine.
    pub async fn spawn(&self, start: Start) -> Result<Spawned, Problem> {
        self.engine().await?.spawn(&self.context, start).await
    }

    /// Gives up what is not finished and ends what is still running.
    pub async fn close(&self) {
        if let Some(engine) = self.engine.get() {
            engine.abandon().await;
        }
        self.warehouse().close().await;
    }
}

/// What to start, in the engine's terms.
pub fn request(task: &str, input: &impl Serialize, title: &str, key: Option<&str>) -> Result<Request, Problem> {
    let input = serde_json::to_value(input).map_err(|error| Problem::new(Code::Internal, error.to_string()))?;
    if key.is_some_and(|key| key.is_empty() || key.len() > KEY_BYTES_MAX) {
        return Err(Problem::new(Code::Usage, format!("a key has 1 to {KEY_BYTES_MAX} bytes"))
            .hint("give a name for the request, or the hash of a longer one"));
    }
    Ok(Request { task: task.to_string(), input, title: Some(short(title)), key: key.map(str::to_string) })
}

/// One line for lists.
fn short(title: &str) -> String {
    const CHARACTERS_MAX: usize = 120;
    title.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(CHARACTERS_MAX).collect()
}

/// What tells this program from every other build of it on this machine, without reading it.
fn build_of(program: &Path) -> String {
    let file =
        std::fs::metadata(program).map(|file| (file.dev(), file.ino(), file.len(), file.mtime(), file.mtime_nsec()));
    format!("{PROGRAM} {:?}", file.ok())
}
