//! What a command writes, makes durable and says, in order, and the disk that a power cut at any moment would leave.
//!
//! A small library (`trace.c`) is loaded into the command and records; here the record is read and played back. The
//! disk promises little: bytes count only once their file was synced, a name only once its directory was.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use super::{Call, Place, Ran, grounds};

/// The identity of a file: its name may change, and its number may be used again.
type FileId = String;

/// One thing that the command did.
#[derive(Debug)]
pub enum Event {
    Wrote {
        file: FileId,
        path: PathBuf,
        at: usize,
        bytes: Vec<u8>,
    },
    Cut {
        file: FileId,
        path: PathBuf,
        at: usize,
    },
    Synced {
        file: FileId,
        path: PathBuf,
    },
    SyncedFolder {
        path: PathBuf,
        names: Vec<(String, FileId)>,
    },
    /// A sync that was made to fail.
    Unsynced,
    Said {
        text: String,
    },
}

impl Event {
    /// Whether it changes that file of a data directory.
    pub fn changes(&self, name: &str) -> bool {
        matches!(self, Event::Wrote { path, .. } | Event::Cut { path, .. } if path.ends_with(name))
    }

    /// Whether it makes that file of a data directory durable.
    pub fn syncs(&self, name: &str) -> bool {
        matches!(self, Event::Synced { path, .. } if path.ends_with(name))
    }

    /// What went to stdout.
    pub fn said(&self) -> Option<&str> {
        if let Event::Said { text } = self { Some(text) } else { None }
    }
}

/// Runs a command and gives what it did besides.
#[track_caller]
pub fn traced(place: &Place, call: Call) -> (Ran, Vec<Event>) {
    let record = tempfile::NamedTempFile::new_in(place.path("")).expect("a file for the record");
    let ran = call.env("LD_PRELOAD", library()).env("TRACE_TO", record.path()).run();
    (ran, read(&fs::read(record.path()).expect("a record")))
}

/// A command for which every sync of a file with this ending fails, from the given one on, counted from 1.
pub fn with_failing_sync(call: Call, ending: &str, from: usize) -> Call {
    call.env("LD_PRELOAD", library()).env("TRACE_FAIL_PATH", ending).env("TRACE_FAIL_FROM", from.to_string())
}

/// The files of that name with changes that a power cut after these events could take away.
pub fn volatile<'a>(events: &'a [Event], name: &str) -> Vec<&'a Path> {
    let mut open: BTreeMap<&FileId, &Path> = BTreeMap::new();
    for event in events {
        match event {
            Event::Wrote { file, path, .. } | Event::Cut { file, path, .. } if path.ends_with(name) => {
                open.insert(file, path);
            }
            Event::Synced { file, .. } => {
                open.remove(file);
            }
            _ => {}
        }
    }
    open.into_values().collect()
}

/// A disk on which some of what happened is durable.
#[derive(Default)]
pub struct Disk {
    files: BTreeMap<FileId, Contents>,
    folders: BTreeMap<PathBuf, Vec<(String, FileId)>>,
}

#[derive(Clone, Default)]
struct Contents {
    durable: Vec<u8>,
    pending: Vec<Change>,
}

#[derive(Clone)]
enum Change {
    Write(usize, Vec<u8>),
    Cut(usize),
}

impl Change {
    fn make(&self, contents: &mut Vec<u8>) {
        match self {
            Change::Cut(at) => contents.resize(*at, 0),
            Change::Write(at, bytes) => {
                contents.resize(contents.len().max(at + bytes.len()), 0);
                contents[*at..at + bytes.len()].copy_from_slice(bytes);
            }
        }
    }
}

impl Disk {
    /// The disk after these events, beginning with an empty one.
    pub fn after(events: &[Event]) -> Disk {
        let mut disk = Disk::default();
        events.iter().for_each(|event| disk.happen(event));
        disk
    }

    fn happen(&mut self, event: &Event) {
        match event {
            Event::Wrote { file, at, bytes, .. } => self.change(file, Change::Write(*at, bytes.clone())),
            Event::Cut { file, at, .. } => self.change(file, Change::Cut(*at)),
            Event::Synced { file, .. } => {
                let contents = self.files.entry(file.clone()).or_default();
                for change in std::mem::take(&mut contents.pending) {
                    change.make(&mut contents.durable);
                }
            }
            Event::SyncedFolder { path, names } => drop(self.folders.insert(path.clone(), names.clone())),
            Event::Unsynced | Event::Said { .. } => {}
        }
    }

    fn change(&mut self, file: &FileId, change: Change) {
        self.files.entry(file.clone()).or_default().pending.push(change);
    }

    /// Lays out what is found of a folder after the power is back. Each change that was not synced survives or not as
    /// the caller decides; a name in a folder that was not synced is gone.
    pub fn lay_out(&self, folder: &Path, target: &Path, survives: &mut dyn FnMut() -> bool) {
        fs::create_dir_all(target).expect("a folder");
        for (name, file) in self.folders.get(folder).into_iter().flatten() {
            let (from, to) = (folder.join(name), target.join(name));
            if self.folders.contains_key(&from) {
                self.lay_out(&from, &to, survives);
            } else if let Some(contents) = self.files.get(file) {
                let mut bytes = contents.durable.clone();
                contents.pending.iter().filter(|_| survives()).for_each(|change| change.make(&mut bytes));
                fs::write(&to, bytes).expect("a file");
            }
        }
    }
}

fn library() -> &'static Path {
    static LIBRARY: OnceLock<PathBuf> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let (source, library) = (grounds().join("trace.c"), grounds().join("trace.so"));
        fs::write(&source, include_str!("trace.c")).expect("a file");
        let mut compiler = Command::new("cc");
        compiler.args(["-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror", "-o"]).arg(&library).arg(&source);
        let output = compiler.output().expect("a C compiler is there");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        library
    })
}

/// Reads the record; its form is described in `trace.c`.
fn read(mut record: &[u8]) -> Vec<Event> {
    let mut events = Vec::new();
    while let Some(end) = record.iter().position(|byte| *byte == b'\n') {
        let line = String::from_utf8_lossy(&record[..end]).into_owned();
        let mut fields = line.splitn(5, ' ');
        let mut field = || fields.next().unwrap_or_else(|| panic!("a broken record: {line}"));
        let (kind, file, at, length, path) = (field(), field().to_string(), field(), field(), PathBuf::from(field()));
        let number = |text: &str| text.parse::<usize>().unwrap_or_else(|_| panic!("a broken record: {line}"));
        let (at, rest) = (number(at), end + 1 + number(length));
        let bytes = record[end + 1..rest].to_vec();
        events.push(match kind {
            "wrote" => Event::Wrote { file, path, at, bytes },
            "cut" => Event::Cut { file, path, at },
            "synced" if bytes.is_empty() => Event::Synced { file, path },
            "synced" => Event::SyncedFolder { path, names: listing(&String::from_utf8_lossy(&bytes)) },
            "unsynced" => Event::Unsynced,
            "said" => Event::Said { text: String::from_utf8_lossy(&bytes).into_owned() },
            other => panic!("a broken record: {other}"),
        });
        record = &record[rest..];
    }
    events
}

fn listing(text: &str) -> Vec<(String, FileId)> {
    let entries = text.lines().filter_map(|line| line.split_once(' '));
    entries.map(|(file, name)| (name.to_string(), file.to_string())).collect()
}
