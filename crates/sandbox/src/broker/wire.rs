//! What is said to the broker and by it. Frames as in `protocol`; descriptors travel with the first byte of one.
//!
//! ```text
//! command --Order--> broker     with a descriptor of the data directory, when inputs are wanted
//! command <--Grant-- broker     with the kernel's channel, stdout and stderr, when it is a cell
//! command <-Report-- broker     with the directory of the files that were left, when there are any
//! ```
//! After a grant the connection is the cell's control channel: closing it means kill.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::policy::Policy;

/// The longest order: a policy and the names of inputs.
pub const ORDER_BYTES_MAX: usize = 64 * 1024;
/// The longest grant.
pub const GRANT_BYTES_MAX: usize = 64 * 1024;

/// What the broker is started with.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BrokerSpec {
    /// [`crate::protocol::PROTOCOL_VERSION`].
    pub v: u32,
    /// The folder its own folder lies in.
    pub base: PathBuf,
    /// The name of its folder.
    pub folder: String,
    /// The name of its socket.
    pub name: String,
    /// The read-only root of cells.
    pub image: PathBuf,
    /// The kernel's own modules.
    pub kernel: PathBuf,
    /// Whether cells of root are somebody else outside.
    pub inner_id_is_mapped: bool,
}

/// What the broker is asked.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "lowercase")]
pub enum Order {
    /// A cell with a warm kernel.
    Cell {
        /// What it may do and use.
        policy: Policy,
        /// What it can read.
        inputs: Vec<Wanted>,
        /// What its kernel has imported.
        #[serde(default)]
        breadth: Breadth,
    },
    /// How it is.
    Status,
    /// To end.
    Stop,
}

/// What a kernel has imported before it is asked anything. One with less is made, and let go, in a fraction of the time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Breadth {
    /// The standard library.
    Light,
    /// The libraries for data as well.
    #[default]
    Full,
}

impl Breadth {
    /// What a program seems to need. Either kernel can run any program; a wrong guess costs an import.
    pub fn of(code: &str) -> Breadth {
        let libraries = ["pandas", "numpy", "matplotlib", "duckdb", "pyarrow", "sklearn", "scipy"];
        if libraries.iter().any(|library| code.contains(library)) { Breadth::Full } else { Breadth::Light }
    }
}

/// One file a cell can read: named by what it belongs to, never by a path.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wanted {
    /// Its name inside.
    pub name: String,
    /// Where in the data directory.
    pub shelf: Shelf,
    /// The folder and the file, plain names.
    pub parts: Vec<String>,
}

/// The parts of a data directory that cells read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum Shelf {
    Datasets,
    Jobs,
}

impl Shelf {
    /// Its folder.
    pub fn folder(self) -> &'static str {
        match self {
            Shelf::Datasets => "datasets",
            Shelf::Jobs => "jobs",
        }
    }
}

/// What the broker answers.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "grant", rename_all = "lowercase")]
pub enum Grant {
    /// Here it is.
    Cell,
    /// It comes when others have ended; the next word is about it.
    Later,
    /// Too many others wait.
    Busy {
        /// How many.
        reason: String,
    },
    /// Not from here; a cold cell can.
    Unfit {
        /// Why.
        reason: String,
    },
    /// How it is.
    Status(BrokerStatus),
    /// It ends when what runs has ended.
    Stopping,
}

/// How the broker is.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct BrokerStatus {
    /// Its process.
    pub pid: u32,
    /// Since its start.
    pub uptime_s: f64,
    /// Whether the zygotes are up.
    pub ready: bool,
    /// Workers that wait for something to do.
    pub idle: usize,
    /// Workers that are being made.
    pub forming: usize,
    /// Cells at work.
    pub running: usize,
    /// Orders that wait for a worker.
    pub waiting: usize,
    /// Orders that found a worker at once.
    pub hits: u64,
    /// Orders that had to wait.
    pub misses: u64,
    /// Orders that were turned away.
    pub refused: u64,
    /// Workers made so far.
    pub made: u64,
    /// Workers that could not be made, or died before their time.
    pub failed: u64,
    /// How often a zygote was started.
    pub zygotes: u64,
    /// How long it took to make the last worker.
    pub refill_ms: f64,
    /// What an idle worker holds for itself alone.
    pub worker_bytes: u64,
    /// What bounds memory.
    pub memory: String,
    /// What went wrong last.
    pub trouble: Option<String>,
}

/// A name that cannot lead anywhere else.
pub fn is_plain(name: &str) -> bool {
    !name.is_empty() && name.len() <= 255 && name != "." && name != ".." && !name.contains(['/', '\0'])
}
