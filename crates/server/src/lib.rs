//! The server: what the command line does, over HTTP and for a browser.
//!
//! ```text
//! request -> outer (request id, headers, Host) -> caller -> door -> run handed to the engine -> document | events
//! ```
//!
//! Invariants
//! - Data is named, never a path of the server: every name goes through `DataNames::only`.
//! - A run that was begun here is begun as from the queue: a caller that goes away stops nothing, and a server that is
//!   killed finds its runs again.
//! - Documents are those of the command line; problems are `application/problem+json`.
//! - This crate knows no command line, reads no environment and prints nothing.

mod advice;
mod answers;
mod body;
mod caller;
mod chat;
mod codes;
mod counters;
mod datasets;
mod doors;
mod exposition;
mod guesses;
mod health;
mod lessons;
mod limits;
mod listening;
mod mcp;
mod memory;
mod metrics;
mod openapi;
mod outer;
mod place;
mod refusal;
mod requests;
mod runs;
mod serve;
mod session;
mod stream;
mod threads;
mod tools;
mod uploads;
mod web;

pub use mcp::on_stdio;
pub use serve::{Options, Server};
