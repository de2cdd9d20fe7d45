//! Files kept under the hash of their contents: `artifacts/<2 hex>/<sha256>`.
//!
//! A file appears under its name whole and on disk, or not at all; one that no row names is harmless. Reading checks
//! the hash, so that a damaged file is never handed on.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use base::{Code, Hash, Problem};

use crate::error::{damaged, io_problem};
use crate::open::sync;

fn place(root: &Path, sha256: &Hash) -> PathBuf {
    root.join(&sha256.as_str()[..2]).join(sha256.as_str())
}

/// Writes the contents unless they are there already.
pub(crate) fn keep(root: &Path, sha256: &Hash, contents: &[u8]) -> Result<(), Problem> {
    let path = place(root, sha256);
    let there = std::fs::metadata(&path).is_ok_and(|found| found.is_file() && found.len() == contents.len() as u64);
    if there {
        return Ok(());
    }
    write_whole(root, &path, contents).map_err(|error| io_problem(&path, &error))
}

fn write_whole(root: &Path, path: &Path, contents: &[u8]) -> io::Result<()> {
    let directory = path.parent().expect("an artifact lies two levels below its root");
    if !directory.is_dir() {
        std::fs::create_dir_all(directory)?;
        sync(root)?;
        sync(root.parent().unwrap_or(root))?;
    }
    let mut file = tempfile::NamedTempFile::new_in(directory)?;
    file.write_all(contents)?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    sync(directory)
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
