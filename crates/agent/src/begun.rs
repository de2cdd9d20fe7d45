//! Which version files have, and reading that begins before that is known.
//!
//! Computing the digest of a large file and parsing it take their time; both only read, so they go on beside each other.
//! The digest is there first. If that version turns out to be prepared, what was begun is given up.

use std::fs;

use base::{Code, Hash, Problem};
use data::metadata::Metadata;
use data::profile::Profile;
use tokio::task::JoinHandle;

use crate::added::AddedFile;
use crate::cache::Part;
use crate::context::Context;
use crate::ingest::{Ingest, Reading, Wanted, declared_types, way_of};
use crate::source::Files;
use crate::stamp::{Stamp, Way};

/// From here on it is worth while.
const AHEAD_FROM_BYTES: u64 = 64 << 20;

/// A reading that began before its version was known. Dropping it gives it up.
#[derive(Debug)]
pub(crate) struct Begun {
    version: Option<Hash>,
    task: JoinHandle<Result<(Part, Profile), Problem>>,
}

impl Begun {
    /// The same, now that it is known what it reads.
    pub(crate) fn of(mut self, version: &Hash) -> Begun {
        self.version = Some(version.clone());
        self
    }

    pub(crate) fn is_of(&self, version: &Hash) -> bool {
        self.version.as_ref() == Some(version)
    }

    /// What it made, waited for.
    pub(crate) async fn made(mut self) -> Result<(Part, Profile), Problem> {
        let made = (&mut self.task).await;
        made.map_err(|error| Problem::new(Code::Internal, format!("reading was given up: {error}")))?
    }

    /// Stops it and waits until nothing is left of it.
    pub(crate) async fn give_up(mut self) {
        self.task.abort();
        let _ = (&mut self.task).await;
    }
}

impl Drop for Begun {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// The digests of files, and what the system says of them.
pub(crate) async fn look_at(context: &Context, files: &Files) -> Result<Vec<AddedFile>, Problem> {
    const TELL_EVERY_BYTES: u64 = 512 << 20;
    let (hashes, tables, tell) = (context.hashes(), files.tables.clone(), context.progress.clone());
    blocking(move || {
        let total: u64 = tables.iter().filter_map(|(_, path)| Some(fs::metadata(path).ok()?.len())).sum();
        let (mut before, mut told) = (0, 0);
        let mut known = Vec::new();
        for (table, path) in tables {
            let (hash, stamp) = hashes.hash(&path, &mut |bytes| {
                let done = before + bytes;
                if done / TELL_EVERY_BYTES > told {
                    told = done / TELL_EVERY_BYTES;
                    tell(&format!("looking at the files {:.0} %", 100.0 * done as f64 / total.max(done) as f64));
                }
            })?;
            before += stamp.size;
            known.push(AddedFile { table, path, hash, stamp });
        }
        Ok(known)
    })
    .await?
}

/// Work that reads much, on a thread of its own.
pub(crate) async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Problem> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| Problem::new(Code::Internal, format!("looking at files was given up: {error}")))
}

/// Stops it, if there is one.
pub(crate) async fn give_up(begun: Option<Begun>) {
    if let Some(begun) = begun {
        begun.give_up().await;
    }
}

/// Begins to read large files that can be read where they are, before their version is known.
pub(crate) async fn begin(context: &Context, files: &Files, metadata: &Metadata) -> Result<Option<Begun>, Problem> {
    let mut wanted = Vec::new();
    for (table, path) in &files.tables {
        let Ok(found) = fs::metadata(path) else { return Ok(None) };
        let stamp = Stamp::of(&found);
        if !found.is_file() || way_of(path, &stamp) == Way::Copied {
            return Ok(None);
        }
        wanted.push(Wanted { table: table.clone(), path: path.clone(), stamp, hash: None });
    }
    let bytes: u64 = wanted.iter().map(|file| file.stamp.size).sum();
    let hashes = context.hashes();
    if bytes < AHEAD_FROM_BYTES || wanted.iter().all(|file| hashes.knows(&file.path, &file.stamp)) {
        return Ok(None);
    }
    let ingest = Ingest {
        id: files.id.clone(),
        reading: Reading::Files(wanted),
        types: declared_types(metadata),
        progress: context.progress.clone(),
    };
    let sandbox = context.sandbox().await?.clone();
    Ok(Some(Begun { version: None, task: tokio::spawn(ingest.make(sandbox, context.cache())) }))
}
