//! Brings back the files a program left in `/work/out`.
//!
//! The names and the tree are a stranger's: links are not followed, nothing but regular files is opened, and names are
//! bounded. By the time this runs the cell is dead, so nothing changes under our hands.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};

use crate::sys;

const FILES_MAX: usize = 10_000;
const DEPTH_MAX: usize = 8;
const ENTRIES_MAX: usize = 100_000;
const BESIDE_MAX: usize = 10;

/// Why the files of a program could not be brought back.
#[derive(Clone, Debug)]
pub struct HarvestFailure {
    /// Which file, and what the system said.
    pub cause: String,
    /// Whether there was no space for it.
    pub disk_full: bool,
}

/// What came back.
#[derive(Debug, Default)]
pub struct Harvest {
    /// The copied files, relative to `out/`, sorted.
    pub files: Vec<String>,
    /// How many other entries there were.
    pub left_out: usize,
    /// What lies beside `out/` and is gone with the cell, sorted.
    pub beside: Vec<String>,
    /// Why a file could not be written on our side.
    pub failed: Option<HarvestFailure>,
    bytes: u64,
}

/// Copies what lies below `out` into `target`, where there is one, at most `bytes_max` in all: a file may claim more than it
/// takes.
pub fn copy_out(out: &OwnedFd, target: Option<&Path>, bytes_max: u64) -> Harvest {
    let mut harvest = Harvest { beside: beside(out), ..Harvest::default() };
    if let Some(target) = target {
        collect(&Field { out, target, bytes_max }, Path::new(""), &mut harvest, 0);
        harvest.files.sort();
    }
    harvest
}

/// The first names that a program left in the folder around `out`; hidden ones are those of libraries.
fn beside(out: &OwnedFd) -> Vec<String> {
    let known = |name: &str| matches!(name, "out" | "input" | "__pycache__") || name.starts_with('.');
    let all = names(out, Path::new("..")).into_iter().map(|name| name.to_string_lossy().into_owned());
    all.filter(|name| !known(name)).take(BESIDE_MAX).collect()
}

struct Field<'a> {
    out: &'a OwnedFd,
    target: &'a Path,
    bytes_max: u64,
}

fn collect(field: &Field, folder: &Path, harvest: &mut Harvest, depth: usize) {
    for name in names(field.out, folder) {
        let path = folder.join(&name);
        // Without O_NONBLOCK a named pipe would hold us here for ever.
        let flags = libc::O_RDONLY | libc::O_NONBLOCK | libc::O_NOFOLLOW;
        let opened = sys::open_beneath(field.out.as_raw_fd(), &path, flags).map(File::from);
        let opened = opened.and_then(|file| Ok((file.metadata()?, file)));
        match opened {
            Ok((metadata, _)) if metadata.is_dir() && depth < DEPTH_MAX => {
                collect(field, &path, harvest, depth + 1);
            }
            Ok((metadata, mut file))
                if metadata.is_file()
                    && harvest.files.len() < FILES_MAX
                    && harvest.bytes + metadata.len() <= field.bytes_max =>
            {
                // A name that is no text cannot be told, so such a file is not brought back either.
                let Some(text) = path.to_str() else {
                    harvest.left_out += 1;
                    continue;
                };
                match copy(&mut file, &field.target.join(&path)) {
                    Ok(()) => {
                        harvest.bytes += metadata.len();
                        harvest.files.push(text.to_string());
                    }
                    Err(error) => {
                        harvest.left_out += 1;
                        harvest.failed = harvest.failed.take().or(Some(failure(&path, &error)));
                    }
                }
            }
            _ => harvest.left_out += 1,
        }
    }
}

fn failure(path: &Path, error: &io::Error) -> HarvestFailure {
    let disk_full = matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded);
    HarvestFailure { cause: format!("`{}`: {error}", path.display()), disk_full }
}

fn names(out: &OwnedFd, folder: &Path) -> Vec<OsString> {
    let directory: PathBuf = Path::new("/proc/self/fd").join(out.as_raw_fd().to_string()).join(folder);
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let mut names: Vec<OsString> = entries.take(ENTRIES_MAX).map(|entry| entry.file_name()).collect();
    names.sort();
    names
}

/// Writes beside the target and renames: a link at the target is replaced and not followed, an executable of the same
/// name does not lend its mode, and a copy that fails leaves nothing.
fn copy(from: &mut File, to: &Path) -> io::Result<()> {
    if let Some(parent) = to.parent() {
        fs::create_dir_all(parent)?;
    }
    // A name of its own: one that is already as long as names can be has no room for a suffix.
    let part = to.with_file_name(format!(".assay-{}.part", std::process::id()));
    let written = File::create_new(&part).and_then(|mut file| io::copy(from, &mut file));
    let placed = written.and_then(|_| fs::rename(&part, to));
    if placed.is_err() {
        let _ = fs::remove_file(&part);
    }
    placed
}
