//! What the tasks are lent: where data lives, how to get a sandbox, whom to tell about progress.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use base::Problem;
use sandbox::{Cell, Environment, EnvironmentOptions, Sandbox, Stop};
use tokio::sync::OnceCell;

/// Told what long work is doing. Must not block.
pub type Progress = Arc<dyn Fn(&str) + Send + Sync>;

/// What the tasks are lent.
pub struct Context {
    /// Where datasets, runs and artifacts live.
    pub data_dir: PathBuf,
    /// This program's own file, which becomes the supervisor of a cell.
    pub program: PathBuf,
    /// How the Python environment is found or made.
    pub environment: EnvironmentOptions,
    /// Whom to tell.
    pub progress: Progress,
    sandbox: OnceCell<Sandbox>,
    retired: Mutex<Vec<Cell>>,
}

impl Context {
    /// A context that has not made a sandbox yet.
    pub fn new(data_dir: PathBuf, program: PathBuf, environment: EnvironmentOptions, progress: Progress) -> Context {
        Context { data_dir, program, environment, progress, sandbox: OnceCell::new(), retired: Mutex::default() }
    }

    /// The sandbox; its environment is made on first need.
    pub async fn sandbox(&self) -> Result<&Sandbox, Problem> {
        let make = || async {
            let tell = self.progress.clone();
            let environment = Environment::provide(&self.environment, &mut |text| {
                tell(&format!("preparing Python (once): {text}"));
            })?;
            environment.sandbox(self.program.clone(), data::kernel::MODULES).await
        };
        self.sandbox.get_or_try_init(make).await
    }

    /// Takes a cell whose work is done; it is ended by [`Context::close`], after the answer has been shown.
    pub(crate) fn retire(&self, cell: Cell) {
        self.retired.lock().unwrap_or_else(PoisonError::into_inner).push(cell);
    }

    /// Ends what is still running.
    pub async fn close(&self) {
        let cells = std::mem::take(&mut *self.retired.lock().unwrap_or_else(PoisonError::into_inner));
        for cell in cells {
            cell.finish(Stop::Now).await;
        }
    }
}
