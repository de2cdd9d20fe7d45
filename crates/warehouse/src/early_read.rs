//! Which version files have, and reading that begins before that is known.
//!
//! Computing the digest of a large file and parsing it take their time; both only read, so they go on beside each other.
//! The digest is there first. If that version turns out to be prepared, what was begun is given up.

use std::fs;

use base::{Code, Hash, Problem};
use data::metadata::Metadata;
use data::profile::Profile;
use tokio::task::JoinHandle;

use crate::added_datasets::AddedFile;
use crate::cache::Part;
use crate::file_state::{FileState, Way};
use crate::ingest::{Ingest, Reading, Wanted, declared_types, way_of};
use crate::source::Files;
use crate::warehouse::Warehouse;

/// From here on it is worth while.
const AHEAD_FROM_BYTES: u64 = 64 << 20;

/// A reading that began before its version was known. Dropping it gives it up.
#[derive(Debug)]
pub struct EarlyRead {
    version: Option<Hash>,
    task: JoinHandle<Result<(Part, Profile), Problem>>,
}

impl EarlyRead {
    /// The same, now that it is known what it reads.
    pub fn of(mut self, version: &Hash) -> EarlyRead {
        self.version = Some(version.clone());
        self
    }

    pub fn is_of(&self, version: &Hash) -> bool {
        self.version.as_ref() == Some(version)
    }

    /// What it made, waited for.
    pub async fn made(mut self) -> Result<(Part, Profile), Problem> {
        let made = (&mut self.task).await;
        made.map_err(|error| Problem::new(Code::Internal, format!("reading was given up: {error}")))?
    }

    /// Stops it and waits until nothing is left of it.
    pub async fn give_up(mut self) {
        self.task.abort();
        let _ = (&mut self.task).await;
    }
}

impl Drop for EarlyRead {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// The digests of files, and what the system says of them.
pub async fn look_at(warehouse: &Warehouse, files: &Files) -> Result<Vec<AddedFile>, Problem> {
    const TELL_EVERY_BYTES: u64 = 512 << 20;
    let (hashes, tables, tell) = (warehouse.hashes(), files.tables.clone(), warehouse.progress.clone());
    blocking(move || {
        let total: u64 = tables.iter().filter_map(|(_, path)| Some(fs::metadata(path).ok()?.len())).sum();
        let (mut before, mut told) = (0, 0);
        let mut known = Vec::new();
        for (table, path) in tables {
            let (hash, state) = hashes.hash(&path, &mut |bytes| {
                let done = before + bytes;
                if done / TELL_EVERY_BYTES > told {
                    told = done / TELL_EVERY_BYTES;
                    tell(&format!("looking at the files {:.0} %", 100.0 * done as f64 / total.max(done) as f64));
                }
            })?;
            before += state.size;
            known.push(AddedFile { table, path, hash, state });
        }
        Ok(known)
    })
    .await?
}

/// Work that reads much, on a thread of its own.
pub async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Problem> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| Problem::new(Code::Internal, format!("looking at files was given up: {error}")))
}

/// Stops it, if there is one.
pub async fn give_up(begun: Option<EarlyRead>) {
    if let Some(begun) = begun {
        begun.give_up().await;
    }
}

/// Begins to read large files that can be read where they are, before their version is known.
pub async fn begin(warehouse: &Warehouse, files: &Files, metadata: &Metadata) -> Result<Option<EarlyRead>, Problem> {
    let mut wanted = Vec::new();
    for (table, path) in &files.tables {
        let Ok(found) = fs::metadata(path) else { return Ok(None) };
        let state = FileState::of(&found);
        if !found.is_file() || way_of(path, &state) == Way::Copied {
            return Ok(None);
        }
        wanted.push(Wanted { table: table.clone(), path: path.clone(), state, hash: None });
    }
    let bytes: u64 = wanted.iter().map(|file| file.state.size).sum();
    let hashes = warehouse.hashes();
    if bytes < AHEAD_FROM_BYTES || wanted.iter().all(|file| hashes.knows(&file.path, &file.state)) {
        return Ok(None);
    }
    let ingest = Ingest {
        id: files.id.clone(),
        reading: Reading::Files(wanted),
        types: declared_types(metadata),
        progress: warehouse.progress.clone(),
    };
    let sandbox = warehouse.sandbox().await?.clone();
    Ok(Some(EarlyRead { version: None, task: tokio::spawn(ingest.make(sandbox, warehouse.cache())) }))
}
