//! Who is alive: each process that works on runs holds a lock on a file named after itself.
//!
//! `owners/<uuid>.lock` is locked for as long as the process lives, however it dies. A file whose lock is free, or that
//! is gone, belongs to nobody alive. A name is never used twice, so what is dead stays dead. The file gets its final
//! name only once it is locked, so nobody can see a live owner's file unlocked.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use base::{Choice, Code, Problem};

/// How many files of dead owners one start clears away.
const SWEEP_MAX: usize = 64;
/// How long a process may take to lock its new file before the file counts as left behind.
const NEW_MAX: Duration = Duration::from_secs(3600);

/// This process, as the owner of runs. Dropping it gives its runs up.
pub(crate) struct Owner {
    id: String,
    path: PathBuf,
    _file: File,
}

impl Owner {
    /// Enters this process among the living.
    pub(crate) fn enter(data_dir: &Path) -> Result<Owner, Problem> {
        let directory = directory(data_dir);
        let problem = |error: io::Error| {
            let message = format!("cannot enter this process in `{}`: {error}", directory.display());
            match error.kind() {
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Problem::new(Code::DiskFull, message)
                    .hint("free some space and try again; what was recorded before is safe"),
                _ => Problem::new(Code::StoreReadonly, message)
                    .hint("make it writable, or use another data directory")
                    .action(Choice::DataDir),
            }
        };
        std::fs::create_dir_all(&directory).map_err(problem)?;
        sweep(&directory);
        let id = uuid::Uuid::now_v7().simple().to_string();
        let path = file_of(&directory, &id);
        let file = lock_new(&path).map_err(problem)?;
        Ok(Owner { id, path, _file: file })
    }

    pub(crate) fn id(&self) -> &str {
        &self.id
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        // Without the file the lock means nothing; one that stays is swept by a later owner.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Whether that owner's process lives, and its pid where its file tells.
pub(crate) fn life(data_dir: &Path, owner: &str) -> Life {
    let path = file_of(&directory(data_dir), owner);
    match File::open(&path) {
        Ok(file) if is_free(&file) => Life::Gone,
        // Locked, or nobody can tell.
        Ok(file) => Life::Alive { pid: io::read_to_string(file).ok().and_then(|text| text.trim().parse().ok()) },
        Err(error) if error.kind() == io::ErrorKind::NotFound => Life::Gone,
        // Not knowing must not take a run away from somebody.
        Err(_) => Life::Alive { pid: None },
    }
}

/// What is known of an owner.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Life {
    Alive { pid: Option<u32> },
    Gone,
}

fn directory(data_dir: &Path) -> PathBuf {
    data_dir.join("owners")
}

fn file_of(directory: &Path, owner: &str) -> PathBuf {
    directory.join(format!("{owner}.lock"))
}

fn lock_new(path: &Path) -> io::Result<File> {
    let unlocked = path.with_extension("new");
    let mut file = OpenOptions::new().write(true).create_new(true).open(&unlocked)?;
    file.lock()?;
    file.write_all(format!("{}\n", std::process::id()).as_bytes())?;
    std::fs::rename(&unlocked, path)?;
    Ok(file)
}

/// A shared lock, so that two who look at once do not take each other for the owner.
fn is_free(file: &File) -> bool {
    file.try_lock_shared().is_ok()
}

fn sweep(directory: &Path) {
    let Ok(entries) = std::fs::read_dir(directory) else { return };
    let left = entries.flatten().map(|entry| entry.path()).filter(|path| match path.extension() {
        Some(ending) if ending == "lock" => true,
        Some(ending) if ending == "new" => is_old(path),
        _ => false,
    });
    for path in left.filter(|path| File::open(path).is_ok_and(|file| is_free(&file))).take(SWEEP_MAX) {
        // Somebody else may sweep too.
        let _ = std::fs::remove_file(&path);
    }
}

/// A file that is about to be locked is free for a moment.
fn is_old(path: &Path) -> bool {
    let changed = std::fs::metadata(path).and_then(|found| found.modified());
    changed.is_ok_and(|at| at.elapsed().is_ok_and(|age| age > NEW_MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_owner_lives_until_it_is_dropped_and_the_dead_are_swept() {
        let dir = tempfile::tempdir().expect("a directory");
        let owner = Owner::enter(dir.path()).expect("entered");
        let id = owner.id().to_string();
        assert_eq!(life(dir.path(), &id), Life::Alive { pid: Some(std::process::id()) });
        drop(owner);
        assert_eq!(life(dir.path(), &id), Life::Gone);

        let dead = file_of(&directory(dir.path()), "dead");
        std::fs::write(&dead, "1\n").expect("written");
        assert_eq!(life(dir.path(), "dead"), Life::Gone);
        let _next = Owner::enter(dir.path()).expect("entered");
        assert!(!dead.exists());
    }

    #[test]
    fn what_a_killed_process_left_before_it_was_entered_is_swept_when_it_is_old() {
        let dir = tempfile::tempdir().expect("a directory");
        drop(Owner::enter(dir.path()).expect("entered"));
        let file = |name: &str| directory(dir.path()).join(name);
        for (name, age) in [("old.new", 2 * NEW_MAX), ("fresh.new", Duration::ZERO), ("old.txt", 2 * NEW_MAX)] {
            let made = File::create(file(name)).expect("made");
            made.set_modified(std::time::SystemTime::now() - age).expect("our own file");
        }
        let _next = Owner::enter(dir.path()).expect("entered");
        let there = ["old.new", "fresh.new", "old.txt"].map(|name| file(name).exists());
        assert_eq!(there, [false, true, true]);
    }
}
