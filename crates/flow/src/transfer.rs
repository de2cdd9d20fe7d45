//! Runs between stores: exported to a capsule, checked, imported.

use std::fs::File;
use std::io::{self, BufReader, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use base::{Action, Choice, Code, Hash, Problem, RunId};
use serde_json::Value;
use store::{Content, Error, Event, Here, Journal, Mode, RunState, Store, blocking};

use crate::Runs;
use crate::capsule::{self, Capsule, Manifest, Origin};

/// The file a capsule is written to.
#[derive(Clone, Debug)]
pub struct Target {
    /// A regular file, or a name that is free; a link is followed.
    pub path: PathBuf,
    /// Whether a file of that name may be replaced.
    pub replace: bool,
}

/// A run that came in.
#[derive(Clone, Debug)]
pub struct Imported {
    /// Its name, the same as where it came from.
    pub run: RunId,
    /// Whether the same run was here before.
    pub was_here: bool,
}

/// Checks every byte of a capsule and what it says; gives what it says about itself.
pub fn verify(file: &Path) -> Result<Manifest, Problem> {
    capsule::verify(open(file)?)
}

impl Runs {
    /// Writes a run with everything recorded about it to a file, which appears whole or not at all. A run that somebody
    /// works on is exported as it is at one moment.
    pub async fn export(&self, id: &RunId, to: Target, program: &str) -> Result<Manifest, Problem> {
        let mut journal = self.journal(id).await?;
        journal.run.here = Here::default();
        let events = self.events_until(id, journal.run.last_seq).await?;
        let capsule = Capsule { journal, events };
        let origin = Origin {
            exported_at: SystemTime::now().into(),
            exporter: program.to_string(),
            store: store::VERSION as u32,
        };
        let store = self.store().clone();
        blocking(move || write_file(&store, &capsule, &origin, &to)).await
    }

    /// Takes a run in from a capsule, under its own id. Unfinished ones wait to be resumed.
    pub async fn import(&self, file: &Path) -> Result<Imported, Problem> {
        let (store, path) = (self.store().clone(), file.to_path_buf());
        let (Capsule { mut journal, events }, kept) = blocking(move || {
            let kept = store.pin()?;
            let (capsule, mut contents) = capsule::read(open(&path)?)?;
            let hashes: Vec<_> = contents.hashes().cloned().collect();
            for sha256 in hashes {
                kept.keep(&contents.load(&sha256)?)?;
            }
            Ok((capsule, kept))
        })
        .await?;
        if !journal.run.state.is_final() {
            // Nobody here works on it, whatever was so where it came from.
            (journal.run.state, journal.run.mode) = (RunState::Interrupted, Mode::Attached);
        }
        let run = journal.run.id.clone();
        let mine = self.store().journal(&run).await?;
        match self.store().import_run(journal.clone(), events, kept).await {
            Ok(()) => Ok(Imported { run, was_here: false }),
            Err(Error::Exists { .. }) if mine.is_some_and(|mine| same(&mine, &journal)) => {
                Ok(Imported { run, was_here: true })
            }
            Err(Error::Exists { .. }) => Err(Problem::new(
                Code::RunExists,
                format!("there is a run `{run}` here already, and it is not the one in `{}`", file.display()),
            )
            .hint("import it into another data directory")
            .action(Choice::DataDir)
            .in_run(&run)),
            Err(error) => Err(error.into()),
        }
    }

    /// A run's durable events up to a number, which is the last of one moment.
    async fn events_until(&self, id: &RunId, last: i64) -> Result<Vec<Event>, Problem> {
        let (mut events, mut seen) = (Vec::new(), 0);
        while seen < last {
            let more = self.store().events(id, seen, EVENTS_AT_ONCE).await?;
            events.extend(more.into_iter().filter(|event| event.seq <= Some(last)));
            let reached = events.last().and_then(|event: &Event| event.seq).unwrap_or(0);
            if reached == seen {
                let message = format!("run `{id}` lacks events after {seen}");
                return Err(Problem::new(Code::JournalDamaged, message).in_run(id));
            }
            seen = reached;
        }
        Ok(events)
    }
}

/// How many events are read at a time.
const EVENTS_AT_ONCE: usize = 1000;

pub(crate) fn open(file: &Path) -> Result<BufReader<File>, Problem> {
    let unreadable = |error: io::Error| {
        Problem::new(Code::FileUnreadable, format!("cannot read the capsule `{}`: {error}", file.display()))
            .hint("check the path")
    };
    // A pipe would hold us for ever, and cannot be read twice.
    let found = std::fs::metadata(file).map_err(unreadable)?;
    if !found.is_file() {
        return Err(unreadable(io::Error::other("it is no regular file")));
    }
    File::open(file).map(BufReader::new).map_err(unreadable)
}

fn write_file(store: &Store, capsule: &Capsule, origin: &Origin, to: &Target) -> Result<Manifest, Problem> {
    let shown = to.path.display();
    let unwritable = |error: io::Error| {
        let code = match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Code::DiskFull,
            _ => Code::FileUnreadable,
        };
        Problem::new(code, format!("cannot write the capsule `{shown}`: {}", error.kind()))
            .hint("use another file")
            .action(Choice::CapsuleFile)
    };
    let taken = || {
        Problem::new(Code::Usage, format!("there is a file `{shown}` already"))
            .hint("use another, or replace it")
            .action(Choice::CapsuleFile)
            .action(Action::ReplaceFile)
    };
    let no_file = || {
        Problem::new(Code::Usage, format!("`{shown}` is no regular file"))
            .hint("use another")
            .action(Choice::CapsuleFile)
    };
    // What a link points to is replaced, not the link.
    let path = std::fs::canonicalize(&to.path).unwrap_or_else(|_| to.path.clone());
    match std::fs::symlink_metadata(&path) {
        Ok(found) if !found.is_file() => return Err(no_file()),
        Ok(_) if !to.replace => return Err(taken()),
        _ => {}
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut part = tempfile::Builder::new().prefix(".assay-").tempfile_in(folder).map_err(unwritable)?;
    let written = capsule::write(part.as_file_mut(), capsule, origin, &mut |sha256| store.load_now(sha256));
    let manifest = written.map_err(|problem| match problem.code {
        Code::DiskFull => unwritable(io::Error::from(io::ErrorKind::StorageFull)),
        _ => problem,
    })?;
    part.flush().and_then(|()| part.as_file().sync_all()).map_err(unwritable)?;
    let placed = if to.replace { part.persist(&path) } else { part.persist_noclobber(&path) };
    placed.map_err(|error| match error.error.kind() {
        io::ErrorKind::AlreadyExists => taken(),
        _ => unwritable(error.error),
    })?;
    // The name too survives a power cut, where the folder can be opened.
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
    Ok(manifest)
}

/// Whether two records are of one run: what was asked, what was done, what came out.
fn same(mine: &Journal, theirs: &Journal) -> bool {
    fn essence(journal: &Journal) -> (&str, &Value, Option<&Content>, Vec<(&str, &Hash)>) {
        let Journal { run, steps, .. } = journal;
        let steps = steps.iter().map(|step| (step.name.as_str(), &step.output_hash)).collect();
        (&run.task, &run.input, run.output.as_ref(), steps)
    }
    essence(mine) == essence(theirs)
}
