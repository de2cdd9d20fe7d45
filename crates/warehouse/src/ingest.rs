//! Files become a database inside a cell: what is shown to it, what it says meanwhile, and what came back.
//!
//! A stranger's file is only ever parsed inside a cell. A file that nobody has changed for a while, and that the cell's
//! user can read, is shown to it as it is, and looked at again afterwards: an equal state means that what was parsed is
//! what was hashed. Every other file is copied, and the copy is hashed while it is made.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use base::{Choice, Code, Hash, Problem};
use data::builtin;
use data::dataset::VALUES_MAX;
use data::metadata::Metadata;
use data::profile::Profile;
use sandbox::{
    CallError, Cell, CellOptions, End, Finished, HarvestFailure, Input, KilledBy, Listener, Policy, Sandbox, Stop,
    Stream, WALL_MS_MAX,
};
use serde_json::{Value, json};

use crate::cache::{Cache, DATABASE_FILE, Part};
use crate::early_read::blocking;
use crate::file_state::{Access, FileState, Way, way};
use crate::files::{copy_hashed, unreadable, unwritable};
use crate::folder::{format_of, named};
use crate::hashes::changed;
use crate::warehouse::Progress;

/// How often people are told how far reading is.
const PROGRESS_PAUSE: Duration = Duration::from_millis(400);

/// One file to be read.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// The table it becomes.
    pub table: String,
    /// Where it is.
    pub path: PathBuf,
    /// What the system said of it when it was resolved.
    pub state: FileState,
    /// The digest its contents must have; without one it must not need to be copied.
    pub hash: Option<Hash>,
}

/// Everything that is read into one database.
#[derive(Clone, Debug)]
pub enum Reading {
    /// A built-in dataset, which is generated.
    Builtin(&'static str),
    /// The user's files.
    Files(Vec<Wanted>),
    /// One file of very many small tables.
    Tables(Wanted),
}

impl Reading {
    /// The files of the user's.
    fn files(&self) -> &[Wanted] {
        match self {
            Reading::Builtin(_) => &[],
            Reading::Files(files) => files,
            Reading::Tables(file) => std::slice::from_ref(file),
        }
    }

    /// The kernel's function that reads it.
    fn function(&self) -> &'static str {
        match self {
            Reading::Builtin(_) | Reading::Files(_) => "ingest.read",
            Reading::Tables(_) => "ingest_tables.read",
        }
    }

    /// What reading it may use. Many small tables take time by their number, which nobody knows beforehand.
    fn policy(&self) -> Policy {
        let policy = Policy::ingest(self.files().iter().map(|file| file.state.size).sum());
        match self {
            Reading::Builtin(_) | Reading::Files(_) => policy,
            Reading::Tables(_) => Policy { wall_ms: WALL_MS_MAX, cpu_ms: WALL_MS_MAX, ..policy },
        }
    }
}

/// One ingest, apart from where it happens.
#[derive(Clone)]
pub struct Ingest {
    /// The dataset's name, for messages.
    pub id: String,
    /// What is read.
    pub reading: Reading,
    /// The declared types, as the kernel takes them.
    pub types: Value,
    /// Told how far it is.
    pub progress: Progress,
}

/// A file as the cell sees it.
struct Inside {
    table: String,
    name: String,
    path: PathBuf,
    label: Option<String>,
    format: Option<&'static str>,
    /// The user's own file that is shown, and what it must still be afterwards.
    own: Option<(PathBuf, FileState)>,
}

/// The declared column types, as the kernel takes them.
pub fn declared_types(metadata: &Metadata) -> Value {
    let mut types: BTreeMap<&str, BTreeMap<&str, &str>> = BTreeMap::new();
    for (table, column, ty) in metadata.types() {
        types.entry(table).or_default().insert(column, ty.as_str());
    }
    json!(types)
}

/// How a cell would read a file that has this state now.
pub fn way_of(path: &Path, state: &FileState) -> Way {
    let own = fs::metadata("/proc/self").map_or(0, |own| own.uid());
    match fs::metadata(path) {
        Ok(found) if FileState::of(&found) == *state => {
            way(state, Access { mode: found.mode(), owner: found.uid(), own }, SystemTime::now())
        }
        _ => Way::Copied,
    }
}

impl Ingest {
    /// Reads everything into a new part of the cache. Nothing of it stays if that fails.
    pub async fn make(self, sandbox: Sandbox, cache: Cache) -> Result<(Part, Profile), Problem> {
        (self.progress)(&format!("reading {} (once)", self.id));
        let part = cache.part()?;
        let profile = match self.read(&sandbox, &part.folder, false).await {
            // Permissions do not say everything: some file systems show files to nobody but who mounted them.
            Err(problem) if problem.code == Code::SandboxUnavailable && self.can_copy() => {
                self.read(&sandbox, &part.folder, true).await?
            }
            said => said?,
        };
        let failed = |error: io::Error| unwritable(&part.folder, &error);
        fs::set_permissions(part.folder.join(DATABASE_FILE), Permissions::from_mode(0o644)).map_err(failed)?;
        fs::remove_dir_all(part.folder.join("input")).map_err(failed)?;
        Ok((part, profile))
    }

    async fn read(&self, sandbox: &Sandbox, part: &Path, copied: bool) -> Result<Profile, Problem> {
        let (laid, folder) = (self.clone(), part.to_path_buf());
        let inputs = blocking(move || laid.lay_out(&folder, copied)).await??;
        let said = self.call(sandbox, part, &inputs).await;
        // A file that changed explains whatever was found in it.
        check_unchanged(&inputs)?;
        said
    }

    /// Whether a copy can be told from what it should be.
    fn can_copy(&self) -> bool {
        let files = self.reading.files();
        !files.is_empty() && files.iter().all(|file| file.hash.is_some())
    }

    /// Makes every file readable for the cell's user: as it is, or as a copy below the part's `input`.
    fn lay_out(&self, part: &Path, copied: bool) -> Result<Vec<Inside>, Problem> {
        let folder = part.join("input");
        let failed = |error: io::Error| unwritable(&folder, &error);
        fs::create_dir_all(&folder).map_err(failed)?;
        let files = match &self.reading {
            Reading::Builtin(name) => {
                let files = builtin::files(name).ok_or_else(|| Problem::new(Code::Internal, "a dataset is gone"))?;
                let write = |(table, contents): (String, Vec<u8>)| {
                    let name = format!("{table}.csv");
                    fs::write(folder.join(&name), contents).map_err(failed)?;
                    Ok(Inside { table, path: folder.join(&name), name, label: None, format: Some("csv"), own: None })
                };
                files.tables.into_iter().map(write).collect::<Result<Vec<_>, Problem>>()?
            }
            Reading::Files(_) | Reading::Tables(_) => {
                let files = self.reading.files();
                let way = |file: &Wanted| if copied { Way::Copied } else { way_of(&file.path, &file.state) };
                let ways: Vec<Way> = files.iter().map(way).collect();
                let copied = files.iter().zip(&ways).filter(|(_, way)| **way == Way::Copied);
                self.look_for_room(part, copied.map(|(file, _)| file.state.size).sum())?;
                let placed = files.iter().zip(ways).enumerate();
                placed.map(|(index, (file, way))| place(&folder, index, file, way)).collect::<Result<_, Problem>>()?
            }
        };
        for file in files.iter().filter(|file| file.path.starts_with(&folder)) {
            fs::set_permissions(&file.path, Permissions::from_mode(0o644)).map_err(failed)?;
        }
        Ok(files)
    }

    fn bytes(&self) -> u64 {
        self.reading.files().iter().map(|file| file.state.size).sum()
    }

    fn look_for_room(&self, part: &Path, copied_bytes: u64) -> Result<(), Problem> {
        let free = sandbox::free_bytes(part).unwrap_or(u64::MAX);
        match room(copied_bytes, self.bytes(), free) {
            Ok(()) => Ok(()),
            Err(needed) => Err(Problem::new(
                Code::DiskFull,
                format!("reading `{}` may take {needed} bytes of disk, and {free} are free", self.id),
            )
            .hint("free some space, or use another data directory")
            .action(Choice::DataDir)),
        }
    }

    async fn call(&self, sandbox: &Sandbox, part: &Path, inputs: &[Inside]) -> Result<Profile, Problem> {
        let shown = inputs.iter().map(|file| Input { name: file.name.clone(), path: file.path.clone() }).collect();
        let options = CellOptions {
            inputs: shown,
            out: Some(part.to_path_buf()),
            listener: Some(listener(self.progress.clone(), PROGRESS_PAUSE)),
            ..CellOptions::of(self.reading.policy())
        };
        let mut cell = sandbox.cell(options).await?;
        if let Some(path) = denied(&mut cell, inputs).await {
            drop(cell.finish(Stop::Now).await);
            return Err(Problem::new(Code::SandboxUnavailable, format!("no cell may read `{path}` of `{}`", self.id))
                .hint("copy it to a local disk"));
        }
        let files: Vec<Value> = inputs
            .iter()
            .map(|file| {
                let path = format!("/work/input/{}", file.name);
                json!({ "table": file.table, "path": path, "label": file.label, "format": file.format })
            })
            .collect();
        let out = format!("/work/out/{DATABASE_FILE}");
        let arguments = json!({ "files": files, "types": self.types, "out": out, "values_max": VALUES_MAX });
        let said = cell.call(self.reading.function(), &arguments).await;
        let raised = matches!(said, Err(CallError::Raised(_)));
        let finished = cell.finish(if raised { Stop::Now } else { Stop::WhenDone }).await;
        match said {
            Ok(profile) => {
                came_back(&self.id, DATABASE_FILE, finished)?;
                serde_json::from_value(profile)
                    .map_err(|error| Problem::new(Code::Internal, format!("the ingest kernel's answer: {error}")))
            }
            Err(CallError::Raised(raised)) if raised.kind == "InputError" => {
                let hint = raised.hint.unwrap_or_else(|| "check that the file is a table with a header".into());
                Err(Problem::new(Code::FileFormat, raised.message).hint(hint))
            }
            Err(CallError::Raised(raised)) => {
                let message = format!("reading `{}` failed: {}: {}", self.id, raised.kind, raised.message);
                Err(Problem::new(Code::Internal, message).hint("give a smaller or simpler file, and report this one"))
            }
            Err(CallError::Ended) => Err(ended(&self.id, finished.report.map(|report| report.end))),
        }
    }
}

/// The first file of the user's that the cell's user cannot open. A cell that is gone says so when it is asked next.
async fn denied(cell: &mut Cell, inputs: &[Inside]) -> Option<String> {
    let own: Vec<&Inside> = inputs.iter().filter(|file| file.own.is_some()).collect();
    if own.is_empty() {
        return None;
    }
    let inside = |file: &Inside| format!("/work/input/{}", file.name);
    let paths: Vec<String> = own.iter().map(|file| inside(file)).collect();
    let said = cell.call("access.denied", &json!({ "paths": paths })).await.ok()?;
    let denied = said["paths"].as_array()?.first()?.as_str()?;
    own.iter().find(|file| inside(file) == denied).and_then(|file| file.label.clone())
}

/// What was shown as it is must still be what was hashed.
fn check_unchanged(inputs: &[Inside]) -> Result<(), Problem> {
    let is_same =
        |path: &Path, state: &FileState| fs::metadata(path).is_ok_and(|found| FileState::of(&found) == *state);
    match inputs.iter().filter_map(|file| file.own.as_ref()).find(|(path, state)| !is_same(path, state)) {
        Some((path, _)) => Err(changed(&path.display().to_string())),
        None => Ok(()),
    }
}

/// One file of the user's, as the cell is to see it. Its name inside is ours: the owner's may be anything.
fn place(folder: &Path, index: usize, file: &Wanted, way: Way) -> Result<Inside, Problem> {
    let own = file.path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let ending = named(&own).ending.to_ascii_lowercase();
    let name = if ending.is_empty() { index.to_string() } else { format!("{index}.{ending}") };
    let (path, state) = match way {
        Way::InPlace => {
            let path = std::path::absolute(&file.path).map_err(|error| unreadable(&file.path, &error))?;
            (path, Some(file.state))
        }
        Way::Copied => {
            let copy = folder.join(&name);
            let found = copy_hashed(&file.path, &copy)?;
            if file.hash.as_ref().is_none_or(|hash| *hash != found) {
                return Err(changed(&file.path.display().to_string()));
            }
            (copy, None)
        }
    };
    let shown = state.map(|state| (file.path.clone(), state));
    let (table, format) = (file.table.clone(), format_of(&file.path));
    Ok(Inside { table, name, path, label: Some(own), format, own: shown })
}

/// Whether there is room for copies and for what is made of all files; else how much is needed.
fn room(copied_bytes: u64, bytes: u64, free_bytes: u64) -> Result<(), u64> {
    // A database is seldom larger than the text it was made from.
    let needed = copied_bytes.saturating_add(bytes);
    if needed <= free_bytes { Ok(()) } else { Err(needed) }
}

/// A file counts only when its kernel came to a good end and the whole of it was copied.
pub fn came_back(id: &str, file: &str, finished: Finished) -> Result<(), Problem> {
    let report = finished.report.ok_or_else(|| ended(id, None))?;
    if let Some(HarvestFailure { cause, disk_full }) = finished.harvest.failed {
        let code = if disk_full { Code::DiskFull } else { Code::StoreReadonly };
        return Err(Problem::new(code, format!("what was made of `{id}` could not be kept: {cause}"))
            .hint("make room below the data directory, or use another")
            .action(Choice::DataDir));
    }
    let whole = finished.harvest.files.iter().any(|found| found == file);
    match report.end {
        End::Exited { exit_code: Some(0), .. } if whole => Ok(()),
        end => Err(ended(id, Some(end))),
    }
}

/// Why a cell gave nothing.
pub fn ended(id: &str, end: Option<End>) -> Problem {
    match end {
        Some(End::Unavailable { cause, fix }) => Problem::new(Code::SandboxUnavailable, cause).hint(fix),
        Some(End::Killed { by: KilledBy::Time }) => {
            Problem::new(Code::FileFormat, format!("reading `{id}` took too long")).hint("give a smaller file")
        }
        Some(End::Killed { by: KilledBy::Memory }) => {
            Problem::new(Code::FileFormat, format!("reading `{id}` took too much memory")).hint("give a smaller file")
        }
        _ => Problem::new(Code::SandboxLost, format!("the cell that read `{id}` was lost")).hint("run it again"),
    }
}

/// Passes the kernel's own words on, with a pause before each: what is read at once needs none.
fn listener(progress: Progress, pause: Duration) -> Listener {
    const LINE_BYTES_MAX: usize = 16 * 1024;
    let state = Mutex::new((String::new(), Doing::default(), Instant::now()));
    Arc::new(move |stream, text| {
        if stream != Stream::Stdout {
            return;
        }
        let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
        let (begun, doing, last) = &mut *state;
        begun.push_str(text);
        let Some(end) = begun.rfind('\n') else {
            if begun.len() > LINE_BYTES_MAX {
                begun.clear();
            }
            return;
        };
        let told = begun[..end].lines().filter_map(|line| doing.progress_in(line)).last();
        begun.drain(..=end);
        if let Some(told) = told.filter(|_| last.elapsed() >= pause) {
            *last = Instant::now();
            progress(&told);
        }
    })
}

/// What a kernel said last that it is doing, and how far it was with it.
#[derive(Default)]
struct Doing {
    text: String,
    percent: f64,
}

impl Doing {
    /// A line of the kernel's as words for people; `None` if it is none, or if it says less than was said: a file is
    /// read by several statements, each of which counts from nothing. One without words of its own says how far it is
    /// with what it was doing.
    fn progress_in(&mut self, line: &str) -> Option<String> {
        const CHARACTERS_MAX: usize = 120;
        let said: Value = serde_json::from_str(line).ok()?;
        let said = said.get("progress")?.as_object()?;
        let text = said.get("text").and_then(Value::as_str).map(|text| text.chars().take(CHARACTERS_MAX).collect());
        if let Some(text) = text.filter(|text| *text != self.text) {
            *self = Doing { text, percent: 0.0 };
        }
        let number = |field: &str| said.get(field).and_then(Value::as_f64).filter(|number| *number >= 0.0);
        match (number("done"), number("total")) {
            (Some(done), Some(total)) if total > 0.0 => {
                let percent = (100.0 * done / total).min(100.0);
                (percent >= self.percent).then(|| {
                    self.percent = percent;
                    format!("{} {percent:.0} %", self.text)
                })
            }
            _ => Some(self.text.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernels_line_becomes_words() {
        let mut doing = Doing::default();
        let mut told = |line: &str| doing.progress_in(line);
        assert_eq!(
            told(r#"{"progress":{"text":"reading a.csv","done":3,"total":10}}"#).as_deref(),
            Some("reading a.csv 30 %")
        );
        assert_eq!(told(r#"{"progress":{"text":"profiling","done":3,"total":null}}"#).as_deref(), Some("profiling"));
        assert_eq!(
            told(r#"{"progress":{"text":null,"done":61.7,"total":100}}"#).as_deref(),
            Some("profiling 62 %"),
            "without words it is about the last ones"
        );
        let next_statement = r#"{"progress":{"text":null,"done":5,"total":100}}"#;
        assert_eq!(told(next_statement), None, "nobody is told that less is done than was");
        assert_eq!(told(r#"{"progress":{"text":"x","done":30,"total":10}}"#).as_deref(), Some("x 100 %"));
        assert_eq!([told("hello"), told("{}"), told(r#"{"progress":3}"#)], [None, None, None]);
    }

    fn heard(pause: Duration) -> Vec<String> {
        let heard = Arc::new(Mutex::new(Vec::new()));
        let tell = heard.clone();
        let listen = listener(Arc::new(move |text: &str| tell.lock().expect("no panic").push(text.to_string())), pause);
        listen(Stream::Stdout, r#"{"progress":{"text":"one","#);
        listen(Stream::Stderr, "\n");
        listen(Stream::Stdout, "\"done\":1,\"total\":null}}\n{\"progress\":{\"text\":\"two\"}}\n");
        listen(Stream::Stdout, "{\"progress\":{\"text\":\"three\"}}\n");
        heard.lock().expect("no panic").clone()
    }

    #[test]
    fn words_come_whole_and_not_too_often() {
        assert_eq!(heard(Duration::ZERO), ["two", "three"]);
        assert!(heard(Duration::from_secs(60)).is_empty());
    }

    #[test]
    fn room_is_needed_for_copies_and_for_what_is_made() {
        assert_eq!(room(0, 100, 100), Ok(()));
        assert_eq!(room(60, 100, 100), Err(160));
        assert_eq!(room(u64::MAX, 1, 5), Err(u64::MAX));
    }
}
