//! What is said between the three processes of an execution: the command, the supervisor of one cell, and the kernel
//! in it. Every message is one frame: four bytes of length (big-endian), then JSON; bounded in both directions.
//!
//! ```text
//! command --Spec--> supervisor              command --Request--> kernel
//! command <-Report- supervisor              command <-Response-- kernel
//! ```
//! The command closing its end of the supervisor's channel means: kill the cell.

use std::io::{self, Read, Write};
use std::path::PathBuf;

use base::Usage;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::execution::Program;
use crate::layers::Layer;
use crate::policy::Policy;

/// Raised when a message changes its meaning.
pub const PROTOCOL_VERSION: u32 = 2;
/// The longest frame that is written or accepted.
pub const FRAME_BYTES_MAX: usize = 32 * 1024 * 1024;
/// The longest last word of a program, which comes from a stranger: a result of 4 MiB, or an error's text.
pub const LAST_WORD_BYTES_MAX: usize = 4 * 1024 * 1024 + 64 * 1024;

/// How a cell is to be made.
#[derive(Debug, Serialize, Deserialize)]
pub struct Spec {
    /// [`PROTOCOL_VERSION`].
    pub v: u32,
    /// The read-only root.
    pub image: PathBuf,
    /// The kernel's own modules, mounted at `/assay`.
    pub kernel: PathBuf,
    /// Files mounted read-only at `/work/input/<name>`.
    pub inputs: Vec<Input>,
    /// What it may do and use.
    pub policy: Policy,
    /// Layers left out, to show what they are for.
    pub without: Vec<Layer>,
}

/// One file a cell can read.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Input {
    /// Its name inside.
    pub name: String,
    /// Where it is outside.
    pub path: PathBuf,
}

/// What became of a cell. The directory of the files it left comes with it, as a descriptor.
#[derive(Debug, Serialize, Deserialize)]
pub struct Report {
    /// How it ended.
    pub end: End,
    /// What it used.
    pub usage: Usage,
    /// How it was isolated; absent when it never was.
    pub isolation: Option<Isolation>,
}

/// How a cell ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "how")]
pub enum End {
    /// Its main process ended by itself.
    Exited {
        /// The status it gave.
        exit_code: Option<i32>,
        /// The signal it died by.
        signal: Option<i32>,
    },
    /// It reached a limit.
    Killed {
        /// Which.
        by: KilledBy,
    },
    /// The command let go of it.
    Stopped,
    /// It could not be made.
    Unavailable {
        /// What failed and on what.
        cause: String,
        /// What to do about it.
        fix: String,
    },
}

/// The limit that ended a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum KilledBy {
    Time,
    Memory,
    Output,
    Processes,
}

/// How a cell was isolated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Isolation {
    /// The tier, `namespaces`.
    #[schemars(extend("enum" = ["namespaces", "landlock", "docker", "kubernetes"]))]
    pub tier: String,
    /// What bounds memory: `cgroup2`, `cgroup1` or `watchdog`.
    #[schemars(extend("enum" = ["cgroup2", "cgroup1", "watchdog"]))]
    pub memory: String,
    /// Whether the kernel was already running.
    pub warm: bool,
}

/// What a kernel is asked to do.
#[derive(Debug, Serialize)]
#[serde(tag = "op", rename_all = "lowercase")]
pub enum Request<'a> {
    /// Call a function of a shipped module.
    Call {
        /// Such as `sql.parse`.
        function: &'a str,
        /// Its one argument.
        arguments: &'a Value,
        /// Whether it answers in pieces, by a second argument.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        in_pieces: bool,
    },
    /// End the answer that is being told in pieces. One that was whole before hears it too, and nothing comes of it.
    Stop,
    /// Run a program as `__main__`, then end.
    Exec {
        /// Its text and what it is given.
        #[serde(flatten)]
        program: &'a Program<'a>,
        /// Whether it sees only the built-ins and modules that an analyst needs.
        reduced: bool,
    },
}

/// What a kernel answers: a value, or what it raised.
#[derive(Debug, Deserialize)]
pub struct Response {
    /// What it returned.
    #[serde(default)]
    pub value: Value,
    /// A part of an answer; the whole is still to come.
    #[serde(default)]
    pub piece: Option<Value>,
    /// What it raised.
    #[serde(default)]
    pub error: Option<Raised>,
    /// The status a program ends with: its last word.
    #[serde(default)]
    pub status: Option<u8>,
}

/// With it a command tells whoever made its cell that its program has said its last word; the program's status follows.
pub const DONE: u8 = b'd';

/// An exception inside a kernel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Raised {
    /// The class.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its text.
    pub message: String,
    /// The user's line.
    pub line: Option<u64>,
    /// Trimmed to the user's lines.
    pub traceback: String,
    /// Advice, where the module has some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl Raised {
    /// An error that we noticed, in the shape of one that a kernel raised.
    pub fn ours(kind: &str, message: impl Into<String>) -> Raised {
        Raised { kind: kind.into(), message: message.into(), line: None, traceback: String::new(), hint: None }
    }
}

/// One message as bytes.
pub fn frame(message: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; 4];
    serde_json::to_writer(&mut bytes, message)?;
    let length = bytes.len() - 4;
    if length > FRAME_BYTES_MAX {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "message is longer than a frame may be"));
    }
    bytes[..4].copy_from_slice(&(length as u32).to_be_bytes());
    Ok(bytes)
}

/// Reads the length of a frame, refusing one that is longer than `bytes_max`.
pub fn frame_length(header: [u8; 4], bytes_max: usize) -> io::Result<usize> {
    let length = u32::from_be_bytes(header) as usize;
    if length > bytes_max {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "message is longer than a frame may be"));
    }
    Ok(length)
}

/// Writes one message, blocking.
pub fn write_frame(to: &mut impl Write, message: &impl Serialize) -> io::Result<()> {
    to.write_all(&frame(message)?)
}

/// Reads one message, blocking.
pub fn read_frame<T: DeserializeOwned>(from: &mut impl Read) -> io::Result<T> {
    let mut header = [0; 4];
    from.read_exact(&mut header)?;
    let mut body = vec![0; frame_length(header, FRAME_BYTES_MAX)?];
    from.read_exact(&mut body)?;
    Ok(serde_json::from_slice(&body)?)
}
