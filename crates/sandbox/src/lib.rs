//! Cells, kernels and policies: everything a model or a stranger wrote runs here and nowhere else.
//!
//! A *cell* is an isolated place (namespaces, a minimal read-only root, no capabilities, Landlock, seccomp, limits), a
//! *kernel* is the Python interpreter that lives in it. The crate knows no SQL and no dataset: a kernel can be asked to
//! call a function of the modules it was shipped with, or to run a program. Of those modules it knows one by name: what
//! a zygote does to be warm is the `warm` that it was shipped with. It is the only crate with `unsafe` code and the only
//! one that starts processes.

#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
compile_error!("the native sandbox is written for Linux on x86-64; other platforms have no tier yet");

mod broker;
mod capture;
mod cell;
mod elf;
mod environment;
mod execution;
mod harvest;
mod image;
mod isolate;
mod layers;
mod leaving;
mod meter;
mod own_program;
mod package;
mod policy;
mod probe;
mod protocol;
mod resident;
mod seccomp;
mod supervisor;
mod sys;
mod tally;
mod turnstile;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use base::{Action, Choice, Code, Problem};
use broker::Asked;
use leaving::Leaving;
use tracing::{debug, warn};

pub use broker::{BROKER_ARGUMENT, Breadth, Broker, BrokerStatus, be_broker};
pub use capture::{Captured, Listener, Stream};
pub use cell::{CallError, Cell, CellOptions, Finished, Stop};
pub use environment::{Environment, EnvironmentOptions, Set};
pub use execution::{Execution, OutFile, Outcome, Program, Returned, Tables, execute, execute_with};
pub use harvest::{Harvest, HarvestFailure};
pub use layers::Layer;
pub use own_program::run_own_program;
pub use package::fetch_package;
pub use policy::{MEMORY_BYTES_MAX, Network, Policy, Profile, WALL_MS_MAX};
pub use probe::{Facility, FacilityStatus, probe};
pub use protocol::{End, Input, Isolation, KilledBy, Raised, Report};
pub use resident::{RESIDENT_ARGUMENT, Resident, ResidentError, ResidentOptions, ResidentStatus, be_resident};
pub use supervisor::{SUPERVISOR_ARGUMENT, supervise};
pub use sys::{allow_more_files, free_bytes};
pub use tally::CellTally;

/// Why there is no cell.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The supervisor could not be started.
    #[error("cannot start a cell: {0}")]
    Start(String),
    /// Too many others wait for one.
    #[error("no cell is free: {0}")]
    Busy(String),
    /// More was asked for than anyone may have.
    #[error("the cell's limits are too high: {0}")]
    Excessive(String),
    /// The machine does not give the isolation.
    #[error("{cause}")]
    Unavailable {
        /// What failed.
        cause: String,
        /// What to do about it.
        fix: String,
    },
    /// The program's files could not be brought back.
    #[error("the program's files cannot be written: {cause}")]
    Harvest {
        /// Which file, and what the system said.
        cause: String,
        /// Whether there was no space for it.
        disk_full: bool,
    },
}

impl From<Error> for Problem {
    fn from(error: Error) -> Problem {
        let message = error.to_string();
        match error {
            Error::Start(_) => Problem::new(Code::SandboxUnavailable, message).action(Action::CheckMachine),
            Error::Busy(_) => Problem::new(Code::SandboxBusy, message).hint("try again when others have ended"),
            Error::Excessive(_) => {
                Problem::new(Code::Usage, message).hint("start the same anew with limits within the maxima")
            }
            Error::Unavailable { fix, .. } => {
                Problem::new(Code::SandboxUnavailable, message).hint(fix).action(Action::CheckMachine)
            }
            Error::Harvest { disk_full: true, .. } => {
                Problem::new(Code::DiskFull, message).hint("free some space and run the program again")
            }
            Error::Harvest { .. } => Problem::new(Code::FileUnreadable, message)
                .hint("make the folder writable, or use another")
                .action(Choice::OutputFolder),
        }
    }
}

/// Makes cells of one environment.
#[derive(Clone, Debug)]
pub struct Sandbox {
    program: PathBuf,
    image: PathBuf,
    kernel: PathBuf,
    broker: Option<Arc<Broker>>,
    leaving: Leaving,
    tally: Arc<CellTally>,
}

impl Sandbox {
    /// A fresh, one-shot cell.
    pub async fn cell(&self, options: CellOptions) -> Result<Cell, Error> {
        let began = Instant::now();
        let made = self.make(options).await;
        let waited = began.elapsed();
        let waited_ms = waited.as_secs_f64() * 1e3;
        match &made {
            Ok(cell) => {
                let warm = cell.ends_by_itself();
                self.tally.given(warm, waited);
                debug!(target: "assay::cell", warm, waited_ms, "cell");
            }
            Err(_) => {
                self.tally.refused();
                warn!(target: "assay::cell", waited_ms, "no cell");
            }
        }
        made
    }

    async fn make(&self, options: CellOptions) -> Result<Cell, Error> {
        if let Some(excess) = options.policy.excess() {
            return Err(Error::Excessive(excess));
        }
        let options = match &self.broker {
            Some(broker) => match broker.ask(options).await? {
                Asked::Cell(cell) => return Ok(*cell),
                Asked::Cold(options) => options,
            },
            None => options,
        };
        let pass = turnstile::pass(self.kernel.parent().unwrap_or(&self.kernel)).await?;
        Cell::start(self, options, pass)
    }

    /// What became of those who asked for cells.
    pub fn tally(&self) -> &CellTally {
        &self.tally
    }

    /// The same sandbox, with warm cells where a broker gives them.
    pub fn with_broker(self, runtime_dir: Option<&Path>, data_dir: &Path) -> Sandbox {
        // A place that cannot be looked at has no broker.
        let broker = Broker::of(&self, runtime_dir, data_dir).ok().map(Arc::new);
        Sandbox { broker, ..self }
    }

    /// The same sandbox, without a broker.
    pub(crate) fn cold(&self) -> Sandbox {
        Sandbox { broker: None, ..self.clone() }
    }

    /// Waits until nothing is left of the cells that were made here and let go. Those of a broker are the broker's.
    pub async fn settle(&self) {
        self.leaving.settle().await;
    }

    /// The broker its warm cells come from.
    pub fn broker(&self) -> Option<&Broker> {
        self.broker.as_deref()
    }
}
