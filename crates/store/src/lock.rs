//! `store.lock`: shared by every process that uses the store, exclusive for the one that changes its tables.
//!
//! The lock is flock(2) on an open file, so it ends with its process however that dies, and nothing needs cleaning up.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::Path;

/// The opened lock file; what is locked is let go when it is dropped.
pub(crate) struct StoreLock {
    file: File,
}

impl StoreLock {
    pub(crate) fn open(path: &Path) -> io::Result<StoreLock> {
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        Ok(StoreLock { file })
    }

    /// Whether the shared lock was had.
    pub(crate) fn try_shared(&self) -> io::Result<bool> {
        had(self.file.try_lock_shared())
    }

    /// Whether the exclusive lock was had.
    pub(crate) fn try_exclusive(&self) -> io::Result<bool> {
        had(self.file.try_lock())
    }

    /// Whether a store was made beside this file at some time.
    pub(crate) fn is_marked(&self) -> io::Result<bool> {
        Ok(self.file.metadata()?.len() > 0)
    }

    /// Leaves the mark of a store that is made, once and for all.
    pub(crate) fn mark(&self) -> io::Result<()> {
        if !self.is_marked()? {
            self.file.write_all_at(b"a store was made here\n", 0)?;
            self.file.sync_all()?;
        }
        Ok(())
    }

    /// Lets go. A lock is never converted in place: that is not atomic anyway, and not portable.
    pub(crate) fn release(&self) -> io::Result<()> {
        self.file.unlock()
    }

    /// The process of some holder, where the kernel tells.
    pub(crate) fn holder(&self) -> Option<u32> {
        let inode = self.file.metadata().ok()?.ino();
        let locks = std::fs::read_to_string("/proc/locks").ok()?;
        locks.lines().find_map(|line| holder_in(line, inode))
    }
}

fn had(attempt: Result<(), TryLockError>) -> io::Result<bool> {
    match attempt {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Reads `7: FLOCK ADVISORY READ 1234 08:01:5678 0 EOF`. The device is not compared, because some file systems report
/// another there than to stat: the pid is advice, not a decision.
fn holder_in(line: &str, inode: u64) -> Option<u32> {
    let fields: Vec<&str> = line.split_whitespace().collect();
    let [_, "FLOCK", _, _, pid, file, ..] = fields.as_slice() else { return None };
    let same = file.rsplit(':').next()?.parse() == Ok(inode);
    same.then(|| pid.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::holder_in;

    #[test]
    fn the_holder_is_read_from_the_kernels_table() {
        let line = "7: FLOCK  ADVISORY  READ 1234 08:01:5678 0 EOF";
        assert_eq!(holder_in(line, 5678), Some(1234));
        assert_eq!(holder_in(line, 678), None);
        assert_eq!(holder_in("8: POSIX  ADVISORY  READ 1234 08:01:5678 0 EOF", 5678), None);
        assert_eq!(holder_in("7: -> FLOCK ADVISORY WRITE 99 08:01:5678 0 EOF", 5678), None);
    }
}
