//! A resident kernel: a module that takes long to load stays in one cell, for all processes of the user.
//!
//! ```text
//! command --spawn--> assay __resident --supervisor--> cell: module.load(arguments), once
//!    \__ a socket in a folder of ours: order in, words out __/    module.answer(order, say), one order at a time
//! ```
//! Who asks first starts it; a lock lets one stay. Orders wait in turn, so many at most, each for so long at most. Whoever
//! closes the connection gives its order up. It ends when nobody has asked for a while, and the cell with it, however it
//! ends: the next who asks starts another. What its cell may do is written here and cannot be asked for: nobody's request
//! names a policy.

mod client;
mod serve;

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::broker::Door;
use crate::policy::Policy;
use crate::protocol::{Input, Raised};

pub use client::{Resident, ResidentError};
pub use serve::{RESIDENT_ARGUMENT, be_resident};

/// Raised when a word of the conversation changes its meaning.
const VERSION: u32 = 1;
/// The longest order.
const ORDER_BYTES_MAX: usize = 4 << 20;

/// What stays, and for how long.
#[derive(Clone, Debug)]
pub struct ResidentOptions {
    /// What it is, for people: the word its socket's name begins with.
    pub name: &'static str,
    /// The folder for sockets of this login.
    pub runtime_dir: Option<PathBuf>,
    /// Where its socket lies otherwise.
    pub folder: PathBuf,
    /// The one file it can read.
    pub input: Input,
    /// The module that stays. Its `load` is called once, its `answer` with each order and the function that tells a piece.
    pub module: &'static str,
    /// For `load`.
    pub arguments: Value,
    /// What it may hold in memory.
    pub memory_bytes: u64,
    /// After so long without an order it ends.
    pub idle_ms: u64,
    /// An order that takes longer, waiting not counted, is given up.
    pub order_ms_max: u64,
}

/// What a resident process is told to be.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct ResidentSpec {
    v: u32,
    base: PathBuf,
    folder: String,
    name: String,
    image: PathBuf,
    kernel: PathBuf,
    input: Input,
    module: String,
    arguments: Value,
    policy: Policy,
    idle_ms: u64,
    order_ms_max: u64,
}

impl ResidentSpec {
    fn door(&self) -> Door {
        Door { base: self.base.clone(), folder: self.folder.clone(), name: self.name.clone() }
    }
}

/// What is asked of a resident.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "order", rename_all = "lowercase")]
enum Order {
    Answer { arguments: Value },
    Status,
    Stop,
}

/// What it says.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "said", rename_all = "lowercase")]
enum Word {
    /// The order was taken; it waits or is worked on.
    Taken,
    /// A part of the answer.
    Piece { value: Value },
    /// The answer is whole.
    Whole { value: Value },
    /// The module raised.
    Raised { error: Raised },
    /// There is no answer.
    Failed { why: String },
    /// Too many wait.
    Busy { waiting: usize },
    /// How it is.
    Status(ResidentStatus),
    /// It ends.
    Stopping,
}

/// How a resident kernel is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResidentStatus {
    /// Its process.
    pub pid: u32,
    /// Whether its module is loaded.
    pub loaded: bool,
    /// Orders that wait or are worked on.
    pub orders: usize,
}
