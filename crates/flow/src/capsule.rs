//! A capsule: one zip file that holds a run with everything recorded about it, for somebody else to check and continue.
//!
//! The one idea: the container is determined by its parts. They are stored without compression, in one order, with one
//! time and one set of attributes, so a reader lays the parts out again and compares every byte of the file. What was
//! changed anywhere is found, and belongs to a part that can be named; nothing can be hidden between the parts, and
//! nothing grows when it is unpacked. A capsule that another program packed again is therefore refused, though its parts
//! be the same.
//!
//! ```text
//! manifest.json        what this is, and the size and SHA-256 of every part below
//! manifest.sha256      the SHA-256 of manifest.json, and a newline
//! run.json             the run's record and the names of its artifacts
//! journal.jsonl        one line for each step
//! events.jsonl         one line for each durable event
//! artifacts/<sha256>   each distinct content once, in the order of their names
//! ```
//!
//! Invariants
//! - What [`write`] writes, [`read`] gives back equal; what cannot come back is refused when written.
//! - Nothing is returned from a capsule before all of it was checked. It comes from strangers: every count and size has a
//!   limit, and no name in it is ever used as a path.
//! - The digests show that a capsule is whole, not who made it: who can change a part can write a new manifest.

mod container;
mod document;
mod flaw;
mod manifest;
mod read;
mod write;

use std::collections::BTreeSet;

use base::Hash;
use store::{Content, Event, Journal};

pub use manifest::{Manifest, Origin, Part};
pub use read::{Contents, read, verify};
pub use write::write;

/// A run with everything recorded about it, the contents of its artifacts apart. What is true of it only
/// [here](store::Here) is left behind.
#[derive(Clone, Debug, PartialEq)]
pub struct Capsule {
    /// The run, its steps and its artifacts.
    pub journal: Journal,
    /// Its durable events, in order.
    pub events: Vec<Event>,
}

impl Capsule {
    /// The contents a capsule of this run carries: of its artifacts, and of outputs too large for a row.
    pub fn contents(&self) -> BTreeSet<Hash> {
        let Journal { run, steps, artifacts } = &self.journal;
        let outputs = run.output.iter().chain(steps.iter().map(|step| &step.output));
        let large = outputs.filter_map(|output| match output {
            Content::Artifact(sha256) => Some(sha256),
            Content::Inline(_) => None,
        });
        large.chain(artifacts.iter().map(|artifact| &artifact.sha256)).cloned().collect()
    }
}

/// The layout of capsules this program writes, and the only one it reads.
const FORMAT: u32 = 1;

const MANIFEST: &str = "manifest.json";
const MANIFEST_DIGEST: &str = "manifest.sha256";
const RUN: &str = "run.json";
const JOURNAL: &str = "journal.jsonl";
const EVENTS: &str = "events.jsonl";
const ARTIFACTS: &str = "artifacts/";

/// One byte less than 4 GiB, up to which a zip file needs no second kind of header.
const CONTAINER_BYTES_MAX: u64 = u32::MAX as u64 - 1;
/// The two manifest files not counted.
const PARTS_MAX: usize = 10_000;
/// Enough for `PARTS_MAX` parts.
const MANIFEST_BYTES_MAX: u64 = 4 * 1024 * 1024;
/// For each of the parts that are read into memory: run, journal and events.
const TEXT_BYTES_MAX: u64 = 32 * 1024 * 1024;
/// For an output that is kept in its line; far above what the journal keeps in a row.
const INLINE_BYTES_MAX: usize = 1024 * 1024;
