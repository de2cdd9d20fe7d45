//! Files for cells that are already shut: mounts that travel.
//!
//! The hub is a small shared file system of the broker's. Each cell sees its own folder of it, as a slave: what the broker
//! mounts there appears in the cell, and nothing the cell does comes back.

use std::fs::{self, File};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use super::wire::{Wanted, is_plain};
use crate::sys;

/// Where inputs are mounted.
pub struct Hub {
    root: PathBuf,
}

impl Hub {
    /// Mounts the hub at a folder that nobody else needs.
    pub fn make(root: &Path) -> io::Result<Hub> {
        let flags = libc::MS_NOSUID | libc::MS_NODEV | libc::MS_NOEXEC;
        sys::mount("tmpfs", root, "tmpfs", flags, "size=16m,nr_inodes=65536,mode=0755")?;
        sys::mount("", root, "", libc::MS_SHARED, "")?;
        Ok(Hub { root: root.to_path_buf() })
    }

    /// The folder of one cell.
    pub fn folder(&self, cell: u64) -> PathBuf {
        self.root.join(cell.to_string())
    }

    /// Makes the folder of one cell.
    pub fn open(&self, cell: u64) -> io::Result<PathBuf> {
        let folder = self.folder(cell);
        fs::create_dir(&folder)?;
        Ok(folder)
    }

    /// Shows files of a data directory to one cell, read-only.
    pub fn show(&self, cell: u64, store: &OwnedFd, wanted: &[Wanted]) -> io::Result<()> {
        let store = same_here(store)?;
        for Wanted { name, shelf, parts } in wanted {
            if !is_plain(name) || !parts.iter().all(|part| is_plain(part)) {
                return Err(io::Error::new(io::ErrorKind::InvalidInput, "an input's name is not a plain name"));
            }
            let path: PathBuf = [shelf.folder()].into_iter().chain(parts.iter().map(String::as_str)).collect();
            let file = File::from(sys::open_beneath(store.as_raw_fd(), &path, libc::O_PATH | libc::O_NOFOLLOW)?);
            if !file.metadata()?.is_file() {
                return Err(io::Error::new(io::ErrorKind::InvalidInput, "an input is not a file"));
            }
            let tree = sys::open_tree_of(&file.into())?;
            let attributes =
                libc::MOUNT_ATTR_RDONLY | libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NODEV | libc::MOUNT_ATTR_NOEXEC;
            sys::mount_attributes(&tree, attributes)?;
            let target = self.folder(cell).join(name);
            fs::write(&target, "")?;
            sys::move_mount(&tree, &target)?;
        }
        Ok(())
    }

    /// Takes everything of one cell away.
    pub fn close(&self, cell: u64) {
        let folder = self.folder(cell);
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let _ = sys::unmount(&entry.path());
            let _ = fs::remove_file(entry.path());
        }
        let _ = fs::remove_dir(&folder);
    }
}

/// The same directory as seen from our own mounts: a descriptor of another process's mounts cannot be bound.
fn same_here(directory: &OwnedFd) -> io::Result<File> {
    let path = fs::read_link(format!("/proc/self/fd/{}", directory.as_raw_fd()))?;
    let flags = libc::O_PATH | libc::O_DIRECTORY | libc::O_NOFOLLOW;
    let here = File::options().read(true).custom_flags(flags).open(path)?;
    let (theirs, ours) = (File::from(directory.try_clone()?).metadata()?, here.metadata()?);
    if (theirs.dev(), theirs.ino()) != (ours.dev(), ours.ino()) {
        return Err(io::Error::new(io::ErrorKind::NotFound, "the data directory is not reachable from here"));
    }
    Ok(here)
}
