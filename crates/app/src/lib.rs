//! What every front door shares: settings, the wiring of store, engine, sandbox and warehouse, requests, and every
//! document with its schema. A front door (the command line, a server) adds how things are asked for and shown there.
//!
//! Invariants
//! - Only `settings` reads the environment.
//! - This crate knows no command line and no terminal, and serves nothing; of HTTP it knows how spans are sent (`telemetry`).

mod app;
pub mod documents;
mod local;
pub mod markdown;
pub mod pictures;
pub mod png;
pub mod requests;
mod settings;
pub mod telemetry;
pub mod tokens;

pub use app::{App, PROGRAM, request};
pub use local::{LocalModels, Pulled};
pub use model::Asked;
pub use settings::{Collector, Color, MODEL_OFF, Overrides, ServeLimits, Setting, Settings};
