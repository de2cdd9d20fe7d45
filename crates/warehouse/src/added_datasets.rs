//! Datasets that were added under a name: where their files are, and which version was added.
//!
//! ```text
//! <data dir>/sources/<name>.json     one per dataset, whole or not there
//! <data dir>/sources/.lock           held while one is written or removed
//! ```
//! A name is made of letters, digits and `_`, so it is also the name of its file. A record fixes a version: what is
//! answered under the name changes only when its owner refreshes it.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use base::{Action, Choice, Code, Hash, Problem, Timestamp, nearest};
use data::builtin;
use data::profile::Remark;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::file_state::FileState;
use crate::files::{private_folder, read_small, unreadable, unwritable, write_whole};
use crate::folder::plain_name;
use crate::hashes::Hashes;
use crate::source::{Files, shown};

/// Raised when a record changes so that older programs would misread it.
pub const RECORD_FORMAT: u32 = 1;
const NAME_BYTES_MAX: usize = 64;

/// A dataset under a name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Added {
    /// The record's format.
    pub v: u32,
    /// What it is asked by.
    pub name: String,
    /// What its owner named, absolute.
    pub paths: Vec<PathBuf>,
    /// The version that was added.
    pub version: Hash,
    /// The prepared form that it answers from.
    pub prepared: String,
    /// The form that this one took the place of: whoever was stopped before it was removed leaves it to the next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaced: Option<String>,
    /// When it was added.
    pub added_at: Timestamp,
    /// When its files were last read.
    pub read_at: Timestamp,
    /// The files that were read.
    pub files: Vec<AddedFile>,
    /// The text of the `dataset.toml` beside them.
    pub metadata: String,
    /// What was passed over.
    pub skipped: Vec<Remark>,
    /// Tables with their rows.
    pub tables: Vec<(String, u64)>,
}

/// One file of an added dataset, as it was read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AddedFile {
    /// The table it became, or would have become where it holds several.
    pub table: String,
    /// Where it is.
    pub path: PathBuf,
    /// The digest of its contents.
    pub hash: Hash,
    /// What the system said of it.
    #[serde(rename = "stamp")]
    pub state: FileState,
}

/// How the files of an added dataset are now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FilesNow {
    /// As they were read.
    Unchanged,
    /// Something about them is new.
    Changed,
    /// They cannot be read.
    Missing,
}

impl Added {
    /// Compares its files with what was read. A file that was only touched is read to find out.
    pub fn files_now(&self, hashes: &Hashes) -> FilesNow {
        let Ok(files) = Files::at(&self.paths) else { return FilesNow::Missing };
        if files.tables.iter().any(|(_, path)| !path.exists()) {
            return FilesNow::Missing;
        }
        let named = files.tables.iter().map(|(table, path)| (table, path));
        if !named.eq(self.files.iter().map(|file| (&file.table, &file.path))) {
            return FilesNow::Changed;
        }
        let words = files.metadata.as_deref().map(read_small).transpose().ok().map(Option::unwrap_or_default);
        if words.as_ref() != Some(&self.metadata) {
            return FilesNow::Changed;
        }
        let states = self.files.iter().map(|file| file.now(hashes));
        states.fold(FilesNow::Unchanged, |worst, state| if worst == FilesNow::Unchanged { state } else { worst })
    }

    /// Its files as they are now, if they still hold what was read: from them the same version can be made again. Files
    /// that came to its folders since do not count.
    pub fn same_files(&self, hashes: &Hashes) -> Option<Vec<AddedFile>> {
        self.files.iter().map(|file| file.same_now(hashes)).collect()
    }

    /// Whether its files are surely what was read, as far as that is known without reading them.
    pub fn is_untouched(&self) -> bool {
        let now = |file: &AddedFile| fs::metadata(&file.path).map(|found| FileState::of(&found));
        self.files.iter().all(|file| now(file).is_ok_and(|now| now == file.state))
    }

    /// How many bytes its files had.
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.state.size).sum()
    }
}

impl AddedFile {
    /// The same file with the state under which it was looked at, if it holds what was read.
    fn same_now(&self, hashes: &Hashes) -> Option<AddedFile> {
        let now = FileState::of(&fs::metadata(&self.path).ok()?);
        if now == self.state {
            return Some(self.clone());
        }
        let (hash, state) = (now.size == self.state.size).then(|| hashes.hash(&self.path, &mut |_| {}).ok())??;
        (hash == self.hash).then(|| AddedFile { state, ..self.clone() })
    }

    fn now(&self, hashes: &Hashes) -> FilesNow {
        match self.same_now(hashes) {
            Some(_) => FilesNow::Unchanged,
            None if self.path.exists() => FilesNow::Changed,
            None => FilesNow::Missing,
        }
    }
}

/// The added datasets of one data directory.
#[derive(Clone, Debug)]
pub struct Datasets {
    folder: PathBuf,
}

/// Held while a record is written or removed.
pub struct Changing(#[allow(dead_code)] File);

impl Datasets {
    /// Those of this data directory.
    pub fn of(data_dir: &Path) -> Datasets {
        Datasets { folder: data_dir.join("sources") }
    }

    /// The name under which a dataset can be added; refused if it would be taken for another.
    pub fn free_name(&self, wanted: &str) -> Result<String, Problem> {
        let refused = |message: String| Problem::new(Code::Usage, message);
        let name = plain_name(wanted).ok_or_else(|| {
            refused(format!("`{}` has no letter or digit to make a name of", shown(wanted)))
                .hint("give it a name, such as `sales`")
                .action(Choice::DatasetName)
        })?;
        if name.len() > NAME_BYTES_MAX {
            return Err(refused(format!("the name `{}` is too long", shown(&name)))
                .hint(format!("give one of up to {NAME_BYTES_MAX} characters"))
                .action(Choice::DatasetName));
        }
        if builtin::names().contains(&name.as_str()) {
            return Err(refused(format!("`{name}` is the name of a built-in dataset"))
                .hint("choose another name")
                .action(Choice::DatasetName));
        }
        if self.record(&name).exists() {
            return Err(refused(format!("a dataset `{name}` was added already"))
                .action(Action::RefreshDataset { dataset: name.clone() })
                .action(Action::RemoveDataset { dataset: name })
                .action(Choice::DatasetName));
        }
        Ok(name)
    }

    /// Names of added datasets, sorted.
    pub fn names(&self) -> Result<Vec<String>, Problem> {
        let entries = match fs::read_dir(&self.folder) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.map_err(|error| unreadable(&self.folder, &error))?,
        };
        let name = |entry: fs::DirEntry| Some(entry.file_name().to_str()?.strip_suffix(".json")?.to_string());
        let mut names: Vec<String> = entries.flatten().filter_map(name).filter(|name| is_name(name)).collect();
        names.sort();
        Ok(names)
    }

    /// Names of built-in and added datasets.
    pub fn all_names(&self) -> Vec<String> {
        builtin::names().iter().map(|name| name.to_string()).chain(self.names().unwrap_or_default()).collect()
    }

    /// Whether there is a dataset of that name, built in or added.
    pub fn is_dataset(&self, name: &str) -> bool {
        builtin::names().contains(&name) || (is_name(name) && self.record(name).is_file())
    }

    /// The added dataset of that name.
    pub fn find(&self, name: &str) -> Result<Option<Added>, Problem> {
        if !is_name(name) {
            return Ok(None);
        }
        let path = self.record(name);
        let damaged = |said: String| {
            Problem::new(Code::FileFormat, format!("what is recorded of the dataset `{name}` cannot be read: {said}"))
                .hint("remove it and add its files again")
                .action(Action::RemoveDataset { dataset: name.to_string() })
        };
        let text = match fs::read(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(unreadable(&path, &error)),
        };
        let added: Added = serde_json::from_slice(&text).map_err(|error| damaged(error.to_string()))?;
        if added.v != RECORD_FORMAT || added.name != name {
            return Err(damaged("it is of another program".into()));
        }
        Ok(Some(added))
    }

    /// The added dataset of that name, or why there is none.
    pub fn get(&self, name: &str) -> Result<Added, Problem> {
        self.find(name)?.ok_or_else(|| {
            if builtin::names().contains(&name) {
                return Problem::new(Code::Usage, format!("`{name}` is built in"))
                    .hint("only added datasets are refreshed and removed");
            }
            let problem = Problem::new(Code::DatasetUnknown, format!("no dataset was added as `{}`", shown(name)));
            let names = self.names().unwrap_or_default();
            let close = nearest(name, names.iter().map(String::as_str));
            match (close.first(), names.is_empty()) {
                (Some(close), _) => problem.hint(format!("did you mean `{close}`?")),
                (None, true) => problem.action(Action::AddDataset),
                (None, false) => problem.hint(format!("added: {}", names.join(", "))),
            }
        })
    }

    /// Every record that can be read, and whether that is all of them.
    pub fn all(&self) -> (Vec<Added>, bool) {
        let names = self.names();
        let found: Vec<_> = names.iter().flatten().map(|name| self.find(name)).collect();
        let whole = names.is_ok() && found.iter().all(Result::is_ok);
        (found.into_iter().flatten().flatten().collect(), whole)
    }

    /// Waits until nobody else changes a record.
    pub fn change(&self) -> Result<Changing, Problem> {
        private_folder(&self.folder)?;
        let path = self.folder.join(".lock");
        let failed = |error: io::Error| unwritable(&path, &error);
        let file = File::create(&path).map_err(failed)?;
        file.lock().map_err(failed)?;
        self.sweep();
        Ok(Changing(file))
    }

    /// Writes a record, in place of the one of that name.
    pub fn write(&self, _changing: &Changing, added: &Added) -> Result<(), Problem> {
        let path = self.record(&added.name);
        let text = serde_json::to_vec(added).map_err(|error| Problem::new(Code::Internal, error.to_string()))?;
        write_whole(&path, &text).map_err(|error| unwritable(&path, &error))
    }

    /// Removes a record, also one that cannot be read; whether there was one.
    pub fn forget(&self, _changing: &Changing, name: &str) -> Result<bool, Problem> {
        let path = self.record(name);
        match is_name(name).then(|| fs::remove_file(&path)) {
            Some(Ok(())) => Ok(true),
            Some(Err(error)) if error.kind() != io::ErrorKind::NotFound => Err(unwritable(&path, &error)),
            _ => Ok(false),
        }
    }

    fn record(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.json"))
    }

    /// Removes records that were never finished. Only for who holds the lock: then nobody is writing one.
    fn sweep(&self) {
        for entry in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            if entry.path().extension().is_some_and(|extension| extension == "part") {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

/// Whether a text is exactly what a dataset can be called, and so a plain file name.
fn is_name(text: &str) -> bool {
    text.len() <= NAME_BYTES_MAX && plain_name(text).as_deref() == Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_made_plain_or_refused() {
        let datasets = Datasets::of(Path::new("/nowhere/at/all"));
        let name = |wanted: &str| datasets.free_name(wanted).ok();
        assert_eq!(name("My Sales (2024)").as_deref(), Some("my_sales_2024"));
        assert_eq!(name("../../etc/passwd").as_deref(), Some("etc_passwd"));
        assert_eq!((name("…"), name(""), name("Ecommerce"), name(&"x".repeat(65))), (None, None, None, None));
    }

    #[test]
    fn only_a_plain_name_is_looked_up() {
        for wrong in ["../x", "A", "a b", "", ".lock", "a.json", "_a", "1a"] {
            assert!(!is_name(wrong), "{wrong}");
        }
        assert!(is_name("sales_2024") && is_name("t_1a"));
    }
}
