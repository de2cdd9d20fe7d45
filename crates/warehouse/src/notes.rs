//! What people know about a dataset and the data does not say: short notes, shown with the answers they touch. A model may
//! propose one, which counts for nothing until a person accepts it.
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

use base::{Action, Code, Digest, Problem, RunId, Timestamp};
use data::plan::Plan;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::added_datasets::Datasets;
use crate::files::{private_folder, unreadable, unwritable, write_whole};

const FORMAT: u32 = 1;
const NOTES_MAX: usize = 200;
/// The longest note.
pub const NOTE_CHARACTERS_MAX: usize = 500;
/// Proposals that wait at most; the oldest one leaves.
const PROPOSED_MAX: usize = 20;
/// Proposals that are not made again, at most.
const REJECTED_MAX: usize = 100;

/// One note.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Note {
    /// Counted from 1; a number is never given twice.
    pub id: u32,
    /// In the user's words.
    pub text: String,
    /// When it was written or last changed.
    pub at: Timestamp,
    /// Where it comes from, if a model proposed it.
    #[serde(default)]
    pub proposed: Option<Proposed>,
}

/// Where a proposed note comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Proposed {
    /// The model, as the user named it.
    pub by: String,
    /// The run whose answer it came with.
    pub run: RunId,
    /// The query whose result held every number of it at that time.
    pub sql: String,
}

/// The notes about one dataset.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Record {
    v: u32,
    last_id: u32,
    notes: Vec<Note>,
    /// What waits for a person to decide.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    proposed: Vec<Note>,
    /// Texts that are not proposed again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    rejected: Vec<String>,
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
            room(record)?;
            record.last_id += 1;
            let note = Note { id: record.last_id, text, at: SystemTime::now().into(), proposed: None };
            record.notes.push(note.clone());
            Ok(note)
        })
    }

    /// What waits to be accepted or rejected.
    pub fn proposed(&self, data: &[String]) -> Result<Vec<Note>, Problem> {
        Ok(self.read(&self.file(data))?.proposed)
    }

    /// Proposes a note and gives its number; nothing where it is there already or was rejected.
    pub fn propose(&self, data: &[String], text: &str, from: &Proposed) -> Result<Option<u32>, Problem> {
        let text = fitting(text)?;
        self.change(data, |record| {
            if record.rejected.contains(&text) || record.notes.iter().any(|note| note.text == text) {
                return Ok(None);
            }
            if let Some(known) = record.proposed.iter().find(|note| note.text == text) {
                return Ok(Some(known.id));
            }
            if record.proposed.len() >= PROPOSED_MAX {
                record.proposed.remove(0);
            }
            record.last_id += 1;
            let id = record.last_id;
            record.proposed.push(Note { id, text, at: SystemTime::now().into(), proposed: Some(from.clone()) });
            Ok(Some(id))
        })
    }

    /// Remembers what was proposed.
    pub fn accept(&self, data: &[String], id: u32) -> Result<Note, Problem> {
        self.change(data, |record| {
            room(record)?;
            let note = Note { at: SystemTime::now().into(), ..take_proposed(record, id)? };
            record.notes.push(note.clone());
            Ok(note)
        })
    }

    /// Drops what was proposed; the same is not proposed again.
    pub fn reject(&self, data: &[String], id: u32) -> Result<Note, Problem> {
        self.change(data, |record| {
            let note = take_proposed(record, id)?;
            if record.rejected.len() >= REJECTED_MAX {
                record.rejected.remove(0);
            }
            record.rejected.push(note.text.clone());
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

fn room(record: &Record) -> Result<(), Problem> {
    if record.notes.len() < NOTES_MAX {
        return Ok(());
    }
    Err(Problem::new(Code::Usage, format!("there are {NOTES_MAX} notes already"))
        .hint("forget one to make room")
        .action(Action::ForgetNote))
}

fn take_proposed(record: &mut Record, id: u32) -> Result<Note, Problem> {
    let at = record.proposed.iter().position(|note| note.id == id);
    let at = at.ok_or_else(|| {
        Problem::new(Code::Usage, format!("no note {id} waits to be accepted")).action(Action::ListNotes)
    })?;
    Ok(record.proposed.remove(at))
}

fn fitting(text: &str) -> Result<String, Problem> {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.chars().count() {
        1..=NOTE_CHARACTERS_MAX => Ok(text),
        _ => Err(Problem::new(Code::Usage, format!("a note has 1 to {NOTE_CHARACTERS_MAX} characters"))
            .hint("several short notes are shown where each of them belongs")),
    }
}

fn unknown(id: u32) -> Problem {
    Problem::new(Code::Usage, format!("there is no note {id}")).action(Action::ListNotes)
}
