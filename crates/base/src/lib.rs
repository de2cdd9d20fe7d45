//! The words every crate shares: ids, hashes, moments, tables, usage, findings and the one table of problems.
//!
//! This crate knows no files, no clock (but for fresh ids), no network and no other crate of ours. What lives here is named in the machine
//! interface, so that one concept has one shape from the kernel to the terminal.

mod action;
mod columns;
mod document;
mod finding;
mod hash;
mod histogram;
mod id;
mod nearest;
mod problem;
mod table;
mod time;
mod usage;
mod word;

pub use action::{Action, Choice};
pub use columns::{columns, cut, padded};
pub use document::{DOCUMENT_VERSION, Document, schema_of};
pub use finding::{Finding, FindingInLine, Severity, Span};
pub use hash::{Digest, Hash};
pub use histogram::{Durations, Histogram};
pub use id::RunId;
pub use nearest::{edits, nearest};
pub use problem::{Code, Problem};
pub use table::{Cell, Column, Table, Type};
pub use time::Timestamp;
pub use usage::Usage;
pub use word::{read_word, shown};
