//! Locks that end with their process, on files that may be removed.
//!
//! Whoever removes a lock's file holds the lock; whoever got a lock looks whether the file still has its name. So nobody
//! believes to hold a lock that others cannot see.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// A lock that is held until it is dropped. When its file was last changed is when it was last wanted.
#[derive(Debug)]
pub struct Lock {
    file: File,
    path: PathBuf,
}

impl Lock {
    /// For one alone; `None` while others hold it.
    pub fn exclusive(path: &Path) -> io::Result<Option<Lock>> {
        Lock::had(path, File::try_lock)
    }

    /// Together with others; `None` while one has it alone.
    pub fn shared(path: &Path) -> io::Result<Option<Lock>> {
        Lock::had(path, File::try_lock_shared)
    }

    fn had(path: &Path, try_lock: impl Fn(&File) -> Result<(), TryLockError>) -> io::Result<Option<Lock>> {
        loop {
            let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
            match try_lock(&file) {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Ok(None),
                Err(TryLockError::Error(error)) => return Err(error),
            }
            let (ours, named) = (file.metadata()?, fs::metadata(path));
            if named.is_ok_and(|named| (named.dev(), named.ino()) == (ours.dev(), ours.ino())) {
                return Ok(Some(Lock { file, path: path.to_path_buf() }));
            }
        }
    }

    /// Says that it was wanted now.
    pub fn touch(&self) {
        let _ = self.file.set_modified(SystemTime::now());
    }

    /// Removes its file. Only for who holds it alone.
    pub fn remove(self) {
        let _ = fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_whose_file_is_gone_is_not_believed() {
        let folder = std::env::temp_dir().join(format!("assay-lock-{}", base::RunId::fresh()));
        fs::create_dir(&folder).expect("a folder");
        let path = folder.join("x.lock");
        let first = Lock::exclusive(&path).expect("it can be made").expect("it is free");
        assert!(Lock::shared(&path).expect("it is there").is_none(), "one has it alone");
        first.remove();
        let one = Lock::shared(&path).expect("it is made again").expect("it is free");
        let other = Lock::shared(&path).expect("it is there").expect("several may share it");
        assert!(Lock::exclusive(&path).expect("it is there").is_none());
        drop((one, other));
        assert!(Lock::exclusive(&path).expect("it is there").is_some());
        fs::remove_dir_all(&folder).expect("our own folder");
    }
}
