//! Asks a language model: one trait, three wires, retries and limits.
//!
//! This is the only crate that knows a provider. What a caller says is a [`Request`] and what it gets a [`Reply`],
//! whatever the wire. It reads no environment, no settings, no store, and decides nothing by the clock: keys and limits
//! are handed in, and a key leaves only in the header of a request.
//!
//! ```text
//!   Request --wire--> body --client--> bytes --sse--> frames --wire--> Draft --> Reply
//!                              ^                                  |
//!                              +------ retry: pause or Problem <--+ Fault
//! ```
//!
//! The wires, the parser of frames and the decisions about retries are functions of values; only the client acts.

mod client;
mod command;
mod connections;
mod defined;
mod directory;
mod discreet;
mod download;
mod endpoint;
mod families;
pub mod kernel;
mod local;
mod recorded;
mod reply;
mod request;
mod retry;
pub mod search;
mod secret;
mod sse;
mod watched;
mod weights;
mod wire;

use std::pin::Pin;

pub use client::provide_cryptography;
pub use command::{CommandModel, CommandRunner, command};
pub use connections::Connections;
pub use defined::{DefinedKey, Definition, Provider};
pub use directory::{Described, Directory, KeyState, ReadRecorded, RunProgram};
pub use download::{DownloadError, download};
pub use endpoint::{Endpoint, Limits, connect};
pub use families::{Action, Capabilities, Family};
pub use local::{ChunkHeard, LocalRunner, RunLocal};
pub use reply::{Prices, Reply, Stop, Tokens};
pub use request::{Message, Request, Tool, ToolCall, ToolResult};
pub use secret::Secret;
pub use watched::{Asked, Tally};
pub use weights::{CONTEXT_TOKENS, HUB, Packages, Weights, WeightsKind, is_name};
pub use wire::Wire;

/// A reply on its way.
pub type Reading<'a> = Pin<Box<dyn Future<Output = Result<Reply, base::Problem>> + Send + 'a>>;

/// Hears text as it comes, in order.
///
/// A try that fails in mid-reply is made again as a whole, and its text is heard again from the start. The empty piece
/// says so: what was heard before it is void.
pub type Listener<'a> = &'a (dyn Fn(&str) + Send + Sync);

/// Something that answers a request.
pub trait Model: Send + Sync {
    /// The name as the user gave it, such as `chat:qwen`.
    fn name(&self) -> &str;

    /// What can be expected of it.
    fn family(&self) -> &Family;

    /// Answers the request whole, and lets `heard` hear the text while it comes.
    fn reply<'a>(&'a self, request: &'a Request, heard: Listener<'a>) -> Reading<'a>;
}
