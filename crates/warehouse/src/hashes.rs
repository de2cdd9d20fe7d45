//! The digests of large files, remembered by what the system says of them, so that an unchanged one is read once.
//!
//! ```text
//! <data dir>/hashes/<digest of the path>.json     path, state, digest
//! ```
//! A memory only: whoever deletes it loses a second reading. A digest is remembered only of a file that was settled when
//! its reading began, and is believed only while the file has the same state.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use base::{Code, Hash, Problem};
use serde::{Deserialize, Serialize};

use crate::file_state::FileState;
use crate::files::{hash_reader, open_regular, private_folder, unreadable, write_whole};

/// Smaller files are read again faster than it matters.
const REMEMBERED_FROM_BYTES: u64 = 4 << 20;
/// More are forgotten, those first that were remembered longest ago.
const REMEMBERED_MAX: usize = 1_000;

/// The remembered digests of one data directory.
#[derive(Clone, Debug)]
pub struct Hashes {
    folder: PathBuf,
}

#[derive(Serialize, Deserialize)]
struct Remembered {
    path: PathBuf,
    #[serde(rename = "stamp")]
    state: FileState,
    hash: Hash,
}

impl Hashes {
    /// Those of this data directory.
    pub fn of(data_dir: &Path) -> Hashes {
        Hashes { folder: data_dir.join("hashes") }
    }

    /// The digest of a regular file and the state it had; `progress` is told how many bytes were read.
    pub fn hash(&self, path: &Path, progress: &mut dyn FnMut(u64)) -> Result<(Hash, FileState), Problem> {
        let began = SystemTime::now();
        let (mut file, state) = open_regular(path)?;
        let whole = std::path::absolute(path).ok().filter(|_| state.size >= REMEMBERED_FROM_BYTES);
        if let Some(hash) = whole.as_deref().and_then(|whole| self.recall(whole, &state)) {
            return Ok((hash, state));
        }
        let mut bytes = 0;
        let hash = hash_reader(&mut file, &mut |part| {
            bytes += part.len() as u64;
            progress(bytes);
        })
        .map_err(|error| unreadable(path, &error))?;
        let after = file.metadata().map_err(|error| unreadable(path, &error))?;
        if FileState::of(&after) != state {
            return Err(changed(&path.display().to_string()));
        }
        if let Some(path) = whole.filter(|_| state.is_settled(began)) {
            self.remember(&Remembered { path, state, hash: hash.clone() });
        }
        Ok((hash, state))
    }

    /// Whether the digest of a file with this state need not be computed.
    pub fn knows(&self, path: &Path, state: &FileState) -> bool {
        std::path::absolute(path).is_ok_and(|path| self.recall(&path, state).is_some())
    }

    /// Forgets what was remembered longest ago.
    pub fn sweep(&self) {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let mut all: Vec<(SystemTime, PathBuf)> =
            entries.filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path()))).collect();
        all.sort();
        for (_, path) in all.iter().take(all.len().saturating_sub(REMEMBERED_MAX)) {
            let _ = fs::remove_file(path);
        }
    }

    fn slot(&self, path: &Path) -> PathBuf {
        self.folder.join(format!("{}.json", Hash::of(path.as_os_str().as_encoded_bytes())))
    }

    /// That it cannot be written is no reason to fail.
    fn remember(&self, remembered: &Remembered) {
        if let (Ok(()), Ok(text)) = (private_folder(&self.folder), serde_json::to_vec(remembered)) {
            let _ = write_whole(&self.slot(&remembered.path), &text);
        }
    }

    fn recall(&self, path: &Path, state: &FileState) -> Option<Hash> {
        let remembered: Remembered = serde_json::from_slice(&fs::read(self.slot(path)).ok()?).ok()?;
        (remembered.path == path && remembered.state == *state).then_some(remembered.hash)
    }
}

/// The problem of data that somebody writes while it is read.
pub fn changed(name: &str) -> Problem {
    Problem::new(Code::InputChanged, format!("`{name}` changed while it was read"))
        .hint("try again when nobody writes the file")
}
