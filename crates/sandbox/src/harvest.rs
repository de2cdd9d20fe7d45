//! Brings back the files a program left in `/work/out`.
//!
//! The names and the tree are a stranger's: links are not followed, nothing but regular files is opened, and names are
//! bounded. By the time this runs the cell is dead, so nothing changes under our hands.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use crate::sys;

const FILES_MAX: usize = 1_000;
const DEPTH_MAX: usize = 8;

/// Copies what lies below `out` into `target`, and names what was copied, sorted.
pub fn copy_out(out: &OwnedFd, target: &Path) -> Vec<String> {
    let mut copied = Vec::new();
    collect(out, Path::new(""), target, &mut copied, 0);
    copied.sort();
    copied
}

fn collect(out: &OwnedFd, folder: &Path, target: &Path, copied: &mut Vec<String>, depth: usize) {
    for name in names(out, folder) {
        let path = folder.join(&name);
        if copied.len() >= FILES_MAX || depth >= DEPTH_MAX {
            return;
        }
        // Without O_NONBLOCK a named pipe would hold us here for ever.
        let flags = libc::O_RDONLY | libc::O_NONBLOCK | libc::O_NOFOLLOW;
        let Ok(opened) = sys::open_beneath(out.as_raw_fd(), &path, flags) else { continue };
        let mut file = File::from(opened);
        let Ok(metadata) = file.metadata() else { continue };
        if metadata.is_dir() {
            collect(out, &path, target, copied, depth + 1);
        } else if metadata.is_file() && metadata.nlink() == 1 && !metadata.file_type().is_fifo() {
            let (Some(text), Ok(())) = (path.to_str(), copy(&mut file, &target.join(&path))) else { continue };
            copied.push(text.to_string());
        }
    }
}

fn names(out: &OwnedFd, folder: &Path) -> Vec<OsString> {
    let directory: PathBuf = Path::new("/proc/self/fd").join(out.as_raw_fd().to_string()).join(folder);
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let mut names: Vec<OsString> = entries.take(FILES_MAX).map(|entry| entry.file_name()).collect();
    names.sort();
    names
}

fn copy(from: &mut File, to: &Path) -> io::Result<()> {
    if let Some(parent) = to.parent() {
        fs::create_dir_all(parent)?;
    }
    let mut to = File::create(to)?;
    io::copy(from, &mut to)?;
    to.sync_data()
}
