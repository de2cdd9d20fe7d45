//! What people know about a dataset and the data does not say: short notes, shown with the answers they touch.
//!
//! ```text
//! <data dir>/notes/<identity>.json     one per dataset, whole or not there
//! <data dir>/notes/.lock               held while one is written
//! ```
//! They belong to what the user calls the data, not to a version of it: to a dataset's name, or to the paths of files. So
//! they stay when files change or are read again.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use base::{Action, Code, Digest, Problem, Timestamp};
use data::plan::Plan;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::added_datasets::Datasets;
use crate::files::{private_folder, unreadable, unwritable, write_whole};

const FORMAT: u32 = 1;
const NOTES_MAX: usize = 200;
const TEXT_CHARACTERS_MAX: usize = 500;

/// One note.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Note {
    /// Counted from 1; a number is never given twice.
    pub id: u32,
    /// In the user's words.
    pub text: String,
    /// When it was written or last changed.
    pub at: Timestamp,
}

/// The notes about one dataset.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Record {
    v: u32,
    last_id: u32,
    notes: Vec<Note>,
}

/// The notes of one data directory.
#[derive(Clone, Debug)]
pub struct Notes {
    folder: PathBuf,
    datasets: Datasets,
}

impl Notes {
    /// Those of this data directory.
    pub fn of(data_dir: &Path) -> Notes {
        Notes { folder: data_dir.join("notes"), datasets: Datasets::of(data_dir) }
    }

    /// What is remembered about the data that the user named.
    pub fn about(&self, data: &[String]) -> Result<Vec<Note>, Problem> {
        Ok(self.read(&self.file(data))?.notes)
    }

    /// Remembers something.
    pub fn remember(&self, data: &[String], text: &str) -> Result<Note, Problem> {
        let text = fitting(text)?;
        self.change(data, |record| {
            if record.notes.len() >= NOTES_MAX {
                return Err(Problem::new(Code::Usage, format!("there are {NOTES_MAX} notes already"))
                    .hint("forget one to make room")
                    .action(Action::ForgetNote));
            }
            record.last_id += 1;
            let note = Note { id: record.last_id, text, at: SystemTime::now().into() };
            record.notes.push(note.clone());
            Ok(note)
        })
    }

    /// Says a note otherwise.
    pub fn edit(&self, data: &[String], id: u32, text: &str) -> Result<Note, Problem> {
        let text = fitting(text)?;
        self.change(data, |record| {
            let note = record.notes.iter_mut().find(|note| note.id == id).ok_or_else(|| unknown(id))?;
            note.text = text;
            note.at = SystemTime::now().into();
            Ok(note.clone())
        })
    }

    /// Remembers a note no more.
    pub fn forget(&self, data: &[String], id: u32) -> Result<Note, Problem> {
        self.change(data, |record| {
            let at = record.notes.iter().position(|note| note.id == id).ok_or_else(|| unknown(id))?;
            Ok(record.notes.remove(at))
        })
    }

    /// Forgets everything about a dataset that is no more.
    pub fn forget_all(&self, name: &str) {
        let _ = fs::remove_file(self.folder.join(format!("{name}.json")));
    }

    fn change<T>(&self, data: &[String], change: impl FnOnce(&mut Record) -> Result<T, Problem>) -> Result<T, Problem> {
        private_folder(&self.folder)?;
        let lock = self.folder.join(".lock");
        let held = File::create(&lock).and_then(|file| file.lock().map(|()| file));
        let _held = held.map_err(|error| unwritable(&lock, &error))?;
        let path = self.file(data);
        let mut record = self.read(&path)?;
        let changed = change(&mut record)?;
        record.v = FORMAT;
        let text = serde_json::to_vec(&record).map_err(|error| Problem::new(Code::Internal, error.to_string()))?;
        write_whole(&path, &text).map_err(|error| unwritable(&path, &error))?;
        Ok(changed)
    }

    fn read(&self, path: &Path) -> Result<Record, Problem> {
        let text = match fs::read(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Record::default()),
            Err(error) => return Err(unreadable(path, &error)),
        };
        let damaged = |said: String| {
            Problem::new(Code::FileFormat, format!("the notes in `{}` cannot be read: {said}", path.display()))
                .hint("mend the file or remove it")
        };
        let record: Record = serde_json::from_slice(&text).map_err(|error| damaged(error.to_string()))?;
        if record.v == FORMAT { Ok(record) } else { Err(damaged("they are of another program".to_string())) }
    }

    /// A dataset's name is a plain file name; paths are told apart by their digest.
    fn file(&self, data: &[String]) -> PathBuf {
        let name = match data {
            [name] if self.datasets.is_dataset(name) => name.clone(),
            paths => {
                let whole = |path: &String| fs::canonicalize(path).unwrap_or_else(|_| PathBuf::from(path));
                let mut paths: Vec<PathBuf> = paths.iter().map(whole).collect();
                paths.sort();
                let mut digest = Digest::new();
                paths.iter().for_each(|path| digest.part(path.as_os_str().as_encoded_bytes()));
                format!("files-{}", digest.finish())
            }
        };
        self.folder.join(format!("{name}.json"))
    }

    /// Those of the notes about the data that a plan touches. Notes that cannot be read are no reason to withhold an
    /// answer.
    pub fn touching(&self, data: &[String], plan: &Plan) -> Vec<Note> {
        let notes = self.about(data).unwrap_or_default();
        notes.into_iter().filter(|note| planner::touches(&note.text, plan)).collect()
    }
}

fn fitting(text: &str) -> Result<String, Problem> {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.chars().count() {
        1..=TEXT_CHARACTERS_MAX => Ok(text),
        _ => Err(Problem::new(Code::Usage, format!("a note has 1 to {TEXT_CHARACTERS_MAX} characters"))
            .hint("several short notes are shown where each of them belongs")),
    }
}

fn unknown(id: u32) -> Problem {
    Problem::new(Code::Usage, format!("there is no note {id}")).action(Action::ListNotes)
}
