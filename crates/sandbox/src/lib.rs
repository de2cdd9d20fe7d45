//! Cells, kernels and policies: everything a model or a stranger wrote runs here and nowhere else.
//!
//! A *cell* is an isolated place (namespaces, a minimal read-only root, no capabilities, Landlock, seccomp, limits), a
//! *kernel* is the Python interpreter that lives in it. The crate knows no SQL and no dataset: a kernel can be asked to
//! call a function of the modules it was shipped with, or to run a program. It is the only crate with `unsafe` code and
//! the only one that starts processes.

#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
compile_error!("the native sandbox is written for Linux on x86-64; other platforms have no tier yet");

mod cell;
mod elf;
mod environment;
mod execution;
mod harvest;
mod image;
mod isolate;
mod meter;
mod policy;
mod probe;
mod protocol;
mod seccomp;
mod supervisor;
mod sys;

use std::path::PathBuf;

use base::{Code, Problem};

pub use cell::{CallError, Captured, Cell, CellOptions, Finished, Stop};
pub use environment::{Environment, EnvironmentOptions, LOCK_TEXT};
pub use execution::{Execution, OutFile, Outcome, execute};
pub use policy::{MEMORY_BYTES_MAX, Network, Policy, Profile, WALL_MS_MAX};
pub use probe::{Layer, LayerStatus, probe};
pub use protocol::{End, HarvestFailure, Input, Isolation, KilledBy, Raised, Report};
pub use supervisor::{SUPERVISOR_ARGUMENT, supervise};

/// Why there is no cell.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The supervisor could not be started.
    #[error("cannot start a cell: {0}")]
    Start(String),
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
            Error::Start(_) => Problem::new(Code::SandboxUnavailable, message).hint("run `assay doctor`"),
            Error::Excessive(_) => {
                Problem::new(Code::Usage, message).hint("start the same anew with limits within the maxima")
            }
            Error::Unavailable { fix, .. } => Problem::new(Code::SandboxUnavailable, message).hint(fix),
            Error::Harvest { disk_full: true, .. } => {
                Problem::new(Code::DiskFull, message).hint("free some space and run the program again")
            }
            Error::Harvest { .. } => {
                Problem::new(Code::FileUnreadable, message).hint("make the folder writable, or give another --out")
            }
        }
    }
}

/// Makes cells of one environment.
#[derive(Clone, Debug)]
pub struct Sandbox {
    program: PathBuf,
    image: PathBuf,
    kernel: PathBuf,
}

impl Sandbox {
    /// A fresh, one-shot cell.
    pub fn cell(&self, options: CellOptions) -> Result<Cell, Error> {
        Cell::start(self, options)
    }
}
