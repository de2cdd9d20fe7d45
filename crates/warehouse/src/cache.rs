//! Where prepared datasets lie: made beside their place and renamed, used under a lock, removed when there are too many.
//!
//! ```text
//! <data dir>/datasets/<version>-<ingest>/     data.duckdb, dataset.json, profile.json, values.fst
//! <data dir>/datasets/<try>.part              one that is being made, or is on its way out
//! <data dir>/locks/<either name>.lock         shared by who uses it, alone for who makes or removes it
//! ```
//! `<ingest>` stands for the code that prepared it: a program that reads files differently prepares them again. A folder
//! has its name only when it is whole and on the disk, and loses it by one rename before anything in it is removed, so
//! whoever is killed leaves either a prepared dataset or a `.part` that the next one removes.

mod choice;
mod lock;

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use base::{Hash, Problem};

use crate::files::{private_folder, unwritable};
pub use choice::Entry;
pub use lock::Lock;

/// The database of a prepared dataset.
pub const DATABASE_FILE: &str = "data.duckdb";
/// What is known about it.
pub const DATASET_FILE: &str = "dataset.json";
/// Everything that was measured.
pub const PROFILE_FILE: &str = "profile.json";
/// What people say for its values.
pub const VALUES_FILE: &str = "values.fst";

/// The prepared datasets of one data directory.
#[derive(Clone, Debug)]
pub struct Cache {
    folder: PathBuf,
    locks: PathBuf,
}

/// A folder for something that is being made; removed unless it is placed.
#[derive(Debug)]
pub struct Part {
    /// Where.
    pub folder: PathBuf,
    lock: Option<Lock>,
}

impl Cache {
    /// That of this data directory.
    pub fn of(data_dir: &Path) -> Cache {
        Cache { folder: data_dir.join("datasets"), locks: data_dir.join("locks") }
    }

    /// Where a prepared dataset is, or would be.
    pub fn home(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Whether a dataset is prepared, as far as its folder tells.
    pub fn holds(&self, name: &str) -> bool {
        let home = self.home(name);
        home.join(DATASET_FILE).is_file() && home.join(DATABASE_FILE).is_file()
    }

    /// Keeps a prepared dataset from being removed. `None` if it is not there or just being made or removed; the inner
    /// `None` where nothing can be written, and so nothing removed either.
    pub fn keep(&self, name: &str) -> Option<Option<Lock>> {
        if !self.holds(name) {
            return None;
        }
        let lock = match Lock::shared(&self.lock_file(name)) {
            Ok(Some(lock)) => Some(lock),
            Ok(None) => return None,
            Err(_) => None,
        };
        lock.iter().for_each(Lock::touch);
        self.holds(name).then_some(lock)
    }

    /// The right to make or remove a prepared dataset; `None` while others use or make it.
    pub fn own(&self, name: &str) -> Result<Option<Lock>, Problem> {
        self.make_folders()?;
        let path = self.lock_file(name);
        Lock::exclusive(&path).map_err(|error| unwritable(&path, &error))
    }

    /// A new folder to make something in.
    pub fn part(&self) -> Result<Part, Problem> {
        self.make_folders()?;
        let name = base::RunId::fresh().to_string();
        let path = self.lock_file(&name);
        let failed = |error: io::Error| unwritable(&path, &error);
        // Only a sweeper can be faster, and it leaves at once.
        let lock = loop {
            if let Some(lock) = Lock::exclusive(&path).map_err(failed)? {
                break lock;
            }
        };
        let folder = self.folder.join(format!("{name}.part"));
        private_folder(&folder)?;
        Ok(Part { folder, lock: Some(lock) })
    }

    /// Gives a complete folder its name. Everything in it is on the disk before it has it.
    pub fn place(&self, part: Part, name: &str) -> io::Result<()> {
        for entry in fs::read_dir(&part.folder)? {
            File::open(entry?.path())?.sync_all()?;
        }
        File::open(&part.folder)?.sync_all()?;
        fs::rename(&part.folder, self.home(name))?;
        File::open(&self.folder)?.sync_all()
    }

    /// Removes a prepared dataset that nobody uses; whether it went.
    pub fn remove(&self, name: &str) -> bool {
        match self.own(name) {
            Ok(Some(lock)) => {
                let gone = self.discard(name);
                lock.remove();
                gone
            }
            _ => false,
        }
    }

    /// Takes a folder's name away and then removes what is in it. Only for who has the right to.
    pub fn discard(&self, name: &str) -> bool {
        let away = self.folder.join(format!("{}.part", base::RunId::fresh()));
        if fs::rename(self.home(name), &away).is_err() {
            return false;
        }
        let _ = fs::remove_dir_all(&away);
        true
    }

    /// Removes what was begun and given up: folders that nobody is making, and locks of what is not there.
    pub fn sweep(&self) {
        for name in names(&self.folder) {
            if let Some(part) = name.strip_suffix(".part")
                && let Ok(Some(lock)) = Lock::exclusive(&self.lock_file(part))
            {
                let _ = fs::remove_dir_all(self.folder.join(&name));
                lock.remove();
            }
        }
        for name in names(&self.locks) {
            let Some(name) = name.strip_suffix(".lock") else { continue };
            let is_needed = || self.home(name).exists() || self.folder.join(format!("{name}.part")).exists();
            if !is_needed()
                && let Ok(Some(lock)) = Lock::exclusive(&self.lock_file(name))
                && !is_needed()
            {
                lock.remove();
            }
        }
    }

    /// The prepared datasets there are: name, bytes, and when each was last wanted.
    pub fn entries(&self) -> Vec<(String, u64, SystemTime)> {
        let whole = names(&self.folder).into_iter().filter(|name| is_ours(name));
        whole
            .map(|name| {
                let home = self.home(&name);
                let wanted = fs::metadata(self.lock_file(&name)).or_else(|_| fs::metadata(&home));
                let used = wanted.and_then(|metadata| metadata.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
                (name, bytes_in(&home), used)
            })
            .collect()
    }

    /// What all of them take.
    pub fn bytes(&self) -> u64 {
        names(&self.folder).iter().map(|name| bytes_in(&self.folder.join(name))).sum()
    }

    /// Removes what has to go so that the rest takes at most that many bytes.
    pub fn shrink(&self, entries: Vec<Entry>, bytes_max: u64) {
        choice::evict(entries, bytes_max, |entry| self.remove(&entry.name));
    }

    fn make_folders(&self) -> Result<(), Problem> {
        private_folder(&self.folder)?;
        private_folder(&self.locks)
    }

    fn lock_file(&self, name: &str) -> PathBuf {
        self.locks.join(format!("{name}.lock"))
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
        if let Some(lock) = self.lock.take() {
            lock.remove();
        }
    }
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().into_string().ok()).collect()
}

/// Whether a folder is called like one that was prepared; what else somebody put there is not ours to remove.
fn is_ours(name: &str) -> bool {
    let is_code = |code: &str| code.len() == 12 && code.bytes().all(|byte| byte.is_ascii_hexdigit());
    name.split_once('-').is_some_and(|(version, code)| Hash::parse(version).is_some() && is_code(code))
}

/// What the files of a folder take; ours have no folders in them but while they are made.
fn bytes_in(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.metadata().ok()).filter(|found| found.is_file()).map(|found| found.len()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Place(PathBuf);

    impl Place {
        fn new() -> (Place, Cache) {
            let root = std::env::temp_dir().join(format!("assay-cache-{}", base::RunId::fresh()));
            (Place(root.clone()), Cache::of(&root))
        }
    }

    impl Drop for Place {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn make(cache: &Cache, name: &str) {
        let part = cache.part().expect("a folder");
        for file in [DATABASE_FILE, DATASET_FILE] {
            fs::write(part.folder.join(file), "{}").expect("a file");
        }
        cache.place(part, name).expect("placed");
    }

    #[test]
    fn only_what_was_prepared_is_counted_and_may_go() {
        let (_place, cache) = Place::new();
        let name = format!("{}-{}", Hash::of(b"x"), "0".repeat(12));
        for other in [name.as_str(), "notes", "a-1", "x.part"] {
            fs::create_dir_all(cache.folder.join(other)).expect("a folder");
        }
        assert_eq!(cache.entries().into_iter().map(|(name, ..)| name).collect::<Vec<_>>(), [name]);
    }

    #[test]
    fn what_is_used_is_not_removed() {
        let (_place, cache) = Place::new();
        make(&cache, "a-1");
        let held = cache.keep("a-1").expect("it is there").expect("it can be locked");
        assert!(!cache.remove("a-1"));
        drop(held);
        assert!(cache.remove("a-1") && cache.keep("a-1").is_none());
    }

    #[test]
    fn what_was_given_up_is_swept_and_what_is_made_is_not() {
        let (place, cache) = Place::new();
        make(&cache, "a-1");
        let live = cache.part().expect("a folder");
        let dead = cache.folder.join("dead.part");
        fs::create_dir_all(dead.join("input")).expect("as a kill leaves it");
        fs::write(cache.lock_file("gone"), "").expect("as a kill leaves it");
        cache.sweep();
        assert!(live.folder.exists() && cache.holds("a-1") && !dead.exists());
        assert!(!cache.lock_file("gone").exists() && !cache.lock_file("dead").exists());
        drop(live);
        cache.keep("a-1").expect("it is there");
        cache.sweep();
        assert_eq!(names(&place.0.join("locks")), ["a-1.lock"]);
        assert_eq!(names(&place.0.join("datasets")), ["a-1"]);
    }
}
