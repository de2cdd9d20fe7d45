//! Files kept under the hash of their contents: `artifacts/<2 hex>/<sha256>`.
//!
//! A file appears under its name whole and on disk, or not at all; one that no row names is harmless. Reading checks
//! the hash, so that a damaged file is never handed on.
//!
//! A file is written, or found to be there, before the row that names it is committed; in between nothing tells it from
//! one that nobody needs. `artifacts.lock` does: it is held shared by whoever keeps a file until its row is committed
//! ([`Pin`]), and alone by whoever removes files ([`Removing`]). It is flock(2), so it ends with its process.

use std::collections::HashSet;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use base::{Code, Hash, Problem};

use crate::error::{damaged, io_problem};
use crate::open::sync;

/// The right to keep files that a row is going to name. While it is held, no file is removed.
#[derive(Debug)]
pub struct Pin {
    root: PathBuf,
    _lock: File,
}

impl Pin {
    /// Blocks while files are being removed.
    pub(crate) fn begin(root: &Path) -> Result<Pin, Problem> {
        let lock = lock_file(root)?;
        lock.lock_shared().map_err(|error| io_problem(&lock_path(root), &error))?;
        Ok(Pin { root: root.to_path_buf(), _lock: lock })
    }

    /// Keeps contents under their hash. Blocks until they are on disk.
    pub fn keep(&self, contents: &[u8]) -> Result<Hash, Problem> {
        let sha256 = Hash::of(contents);
        self.keep_as(&sha256, contents).map(|()| sha256)
    }

    /// The same for who knows the hash: writes the contents unless they are there already.
    pub(crate) fn keep_as(&self, sha256: &Hash, contents: &[u8]) -> Result<(), Problem> {
        let path = place(&self.root, sha256);
        // The length first: a file of another length needs no reading.
        let there = std::fs::metadata(&path).is_ok_and(|found| found.is_file() && found.len() == contents.len() as u64)
            && load(&self.root, sha256).is_ok();
        let kept = if there { sync_whole(&self.root, &path) } else { write_whole(&self.root, &path, contents) };
        kept.map_err(|error| io_problem(&path, &error))
    }
}

/// The right to remove files: nobody keeps one meanwhile.
pub(crate) struct Removing {
    root: PathBuf,
    _lock: File,
}

/// A file that no row names.
pub(crate) struct Found {
    path: PathBuf,
    pub(crate) bytes: u64,
}

/// What removing files gave back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Freed {
    /// How many files.
    pub files: usize,
    /// How long they were together.
    pub bytes: u64,
}

impl Removing {
    /// `None` while somebody keeps files: there is always a next time, so nobody waits for it.
    pub(crate) fn begin(root: &Path) -> Result<Option<Removing>, Problem> {
        let lock = lock_file(root)?;
        match lock.try_lock() {
            Ok(()) => Ok(Some(Removing { root: root.to_path_buf(), _lock: lock })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(io_problem(&lock_path(root), &error)),
        }
    }

    /// Removes files that were found to be unnamed under this same lock.
    pub(crate) fn remove(&self, unnamed: &[Found]) -> Result<Freed, Problem> {
        let mut freed = Freed::default();
        for found in unnamed {
            debug_assert!(found.path.starts_with(&self.root), "only our own files are found");
            std::fs::remove_file(&found.path).map_err(|error| io_problem(&found.path, &error))?;
            freed = Freed { files: freed.files + 1, bytes: freed.bytes + found.bytes };
        }
        Ok(freed)
    }
}

/// Files of ours that are not among the named: contents, and what a killed process was about to write. A stranger's
/// file is left out.
pub(crate) fn unnamed(root: &Path, named: &HashSet<String>) -> Result<Vec<Found>, Problem> {
    let mut unnamed = Vec::new();
    for folder in entries(root)? {
        let prefix = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_string();
        if prefix.len() != 2 || !folder.is_dir() {
            continue;
        }
        for path in entries(&folder)? {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let contents = name.starts_with(&prefix) && Hash::parse(name).is_some();
            if (contents && !named.contains(name)) || name.starts_with(PART_PREFIX) {
                let bytes = std::fs::symlink_metadata(&path).map(|found| found.len());
                unnamed.push(Found { bytes: bytes.map_err(|error| io_problem(&path, &error))?, path });
            }
        }
    }
    Ok(unnamed)
}

fn entries(directory: &Path) -> Result<Vec<PathBuf>, Problem> {
    let read = match std::fs::read_dir(directory) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        read => read.and_then(|entries| entries.map(|entry| entry.map(|entry| entry.path())).collect()),
    };
    read.map_err(|error| io_problem(directory, &error))
}

/// What the name of a file begins with that is not whole yet.
const PART_PREFIX: &str = ".part-";

fn lock_path(root: &Path) -> PathBuf {
    root.with_extension("lock")
}

fn lock_file(root: &Path) -> Result<File, Problem> {
    let path = lock_path(root);
    let opened = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path);
    opened.map_err(|error| io_problem(&path, &error))
}

fn place(root: &Path, sha256: &Hash) -> PathBuf {
    root.join(&sha256.as_str()[..2]).join(sha256.as_str())
}

fn write_whole(root: &Path, path: &Path, contents: &[u8]) -> io::Result<()> {
    let directory = directory_of(path);
    std::fs::create_dir_all(directory)?;
    let mut file = tempfile::Builder::new().prefix(PART_PREFIX).tempfile_in(directory)?;
    file.write_all(contents)?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    sync_names(root, path)
}

/// What is there may be there only in memory: whoever wrote it may have died, or failed, before it was on disk.
fn sync_whole(root: &Path, path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()?;
    sync_names(root, path)
}

/// Every name on the way to the file, for the same reason.
fn sync_names(root: &Path, path: &Path) -> io::Result<()> {
    sync(directory_of(path))?;
    sync(root)?;
    sync(root.parent().unwrap_or(root))
}

fn directory_of(path: &Path) -> &Path {
    path.parent().expect("an artifact lies two levels below its root")
}

/// Reads the contents back and checks them.
pub(crate) fn load(root: &Path, sha256: &Hash) -> Result<Vec<u8>, Problem> {
    let path = place(root, sha256);
    let contents = match std::fs::read(&path) {
        Ok(contents) => contents,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(damaged(&path, "the artifact is gone")),
        Err(error) => {
            return Err(Problem::new(Code::FileUnreadable, format!("cannot read `{}`: {error}", path.display())));
        }
    };
    if Hash::of(&contents) != *sha256 {
        return Err(damaged(&path, "its contents are not what its name says"));
    }
    Ok(contents)
}
