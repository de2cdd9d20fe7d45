//! Runs between stores: exported to a capsule, checked, imported.

use std::fs::File;
use std::io::{self, BufReader, Write};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use base::{Code, Problem, RunId, Timestamp};
use store::{ArtifactRecord, Error, Event, Journal, Mode, RunRecord, RunState, StepRecord, Store};

use crate::Runs;
use crate::capsule::{
    Capsule, CapsuleArtifact, CapsuleOrigin, CapsuleRun, CapsuleStep, Manifest, read_capsule, verify_capsule,
    write_capsule,
};

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
    verify_capsule(open(file)?)
}

impl Runs {
    /// Writes a run with everything recorded about it to a file, which appears whole or not at all. A run that somebody
    /// works on is exported as it is at one moment.
    pub async fn export(&self, id: &RunId, to: &Path, program: &str) -> Result<Manifest, Problem> {
        let journal = self.journal(id).await?;
        let mut events: Vec<Event> = Vec::new();
        while events.last().and_then(|event| event.seq).unwrap_or(0) < journal.run.last_seq {
            let seen = events.last().and_then(|event| event.seq).unwrap_or(0);
            let more = self.store().events(id, seen, EVENTS_AT_ONCE).await?;
            if more.is_empty() {
                return Err(
                    Problem::new(Code::JournalDamaged, format!("run `{id}` lacks events after {seen}")).in_run(id)
                );
            }
            events.extend(more.into_iter().filter(|event| event.seq <= Some(journal.run.last_seq)));
        }
        let capsule = pack(journal, events);
        let exported_at = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as i64);
        let origin = CapsuleOrigin {
            exported_at: Timestamp(exported_at),
            exporter: program.to_string(),
            store: store::VERSION as u32,
        };
        let (store, to) = (self.store().clone(), to.to_path_buf());
        blocking(move || write_file(&store, &capsule, &origin, &to)).await
    }

    /// Takes a run in from a capsule, under its own id. Unfinished ones wait to be resumed.
    pub async fn import(&self, file: &Path) -> Result<Imported, Problem> {
        let (store, path) = (self.store().clone(), file.to_path_buf());
        let (journal, events, kept) = blocking(move || {
            let kept = store.keeping()?;
            let (capsule, mut contents) = read_capsule(open(&path)?)?;
            let hashes: Vec<_> = contents.hashes().cloned().collect();
            for sha256 in hashes {
                kept.keep(&contents.load(&sha256)?)?;
            }
            let (journal, events) = unpack(capsule);
            Ok((journal, events, kept))
        })
        .await?;
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
            .hint("import it into another data directory: --data-dir DIR")
            .in_run(&run)),
            Err(error) => Err(error.into()),
        }
    }
}

/// How many events are read at a time.
const EVENTS_AT_ONCE: usize = 1000;

fn open(file: &Path) -> Result<BufReader<File>, Problem> {
    let unreadable = |error: io::Error| {
        Problem::new(Code::FileUnreadable, format!("cannot read the capsule `{}`: {error}", file.display()))
            .hint("check the path")
    };
    if file.is_dir() {
        return Err(unreadable(io::Error::from(io::ErrorKind::IsADirectory)));
    }
    File::open(file).map(BufReader::new).map_err(unreadable)
}

fn write_file(store: &Store, capsule: &Capsule, origin: &CapsuleOrigin, to: &Path) -> Result<Manifest, Problem> {
    let unwritable = |error: io::Error| {
        let code = match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Code::DiskFull,
            _ => Code::FileUnreadable,
        };
        Problem::new(code, format!("cannot write the capsule `{}`: {error}", to.display()))
            .hint("name another file with --to")
    };
    if to.is_dir() {
        return Err(unwritable(io::Error::from(io::ErrorKind::IsADirectory)));
    }
    let folder = to.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut part = tempfile::NamedTempFile::new_in(folder).map_err(unwritable)?;
    let manifest = write_capsule(part.as_file_mut(), capsule, origin, &mut |sha256| store.load_now(sha256))?;
    part.flush().and_then(|()| part.as_file().sync_all()).map_err(unwritable)?;
    part.persist(to).map_err(|error| unwritable(error.error))?;
    Ok(manifest)
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T, Problem> + Send + 'static) -> Result<T, Problem> {
    tokio::task::spawn_blocking(work)
        .await
        .unwrap_or_else(|error| Err(Problem::new(Code::Internal, format!("the transfer ended early: {error}"))))
}

/// Whether two records are of one run: what was asked, what was done, what came out.
fn same(mine: &Journal, theirs: &Journal) -> bool {
    let essence = |journal: &Journal| {
        let steps: Vec<_> = journal.steps.iter().map(|step| (step.name.clone(), step.output_hash.clone())).collect();
        (journal.run.task.clone(), journal.run.input.clone(), journal.run.output.clone(), steps)
    };
    essence(mine) == essence(theirs)
}

fn pack(journal: Journal, events: Vec<Event>) -> Capsule {
    let Journal { run, steps, artifacts } = journal;
    let step = |step: StepRecord| CapsuleStep {
        position: step.position,
        name: step.name,
        state: step.state,
        attempts: step.attempts,
        finished_at: step.finished_at,
        duration_ms: step.duration_ms,
        input_hash: step.input_hash,
        output_hash: step.output_hash,
        output: step.output,
    };
    let artifact = |artifact: ArtifactRecord| CapsuleArtifact {
        name: artifact.name,
        media_type: artifact.media_type,
        bytes: artifact.bytes,
        sha256: artifact.sha256,
    };
    Capsule {
        run: CapsuleRun {
            id: run.id,
            task: run.task,
            state: run.state,
            mode: run.mode,
            key: run.key,
            title: run.title,
            input: run.input,
            input_hash: run.input_hash,
            output: run.output,
            problem: run.problem,
            forked_from: run.forked_from,
            attempts: run.attempts,
            program: run.program,
            created_at: run.created_at,
            finished_at: run.finished_at,
            last_seq: run.last_seq,
        },
        steps: steps.into_iter().map(step).collect(),
        events,
        artifacts: artifacts.into_iter().map(artifact).collect(),
    }
}

/// Nobody here works on it, whatever was so where it came from.
fn unpack(capsule: Capsule) -> (Journal, Vec<Event>) {
    let Capsule { run, steps, events, artifacts } = capsule;
    let step = |step: CapsuleStep| StepRecord {
        position: step.position,
        name: step.name,
        state: step.state,
        attempts: step.attempts,
        input_hash: step.input_hash,
        output_hash: step.output_hash,
        output: step.output,
        finished_at: step.finished_at,
        duration_ms: step.duration_ms,
    };
    let artifact = |artifact: CapsuleArtifact| ArtifactRecord {
        name: artifact.name,
        media_type: artifact.media_type,
        bytes: artifact.bytes,
        sha256: artifact.sha256,
    };
    let (state, mode) = match run.state.is_final() {
        true => (run.state, run.mode),
        false => (RunState::Interrupted, Mode::Attached),
    };
    let run = RunRecord {
        id: run.id,
        task: run.task,
        state,
        mode,
        key: run.key,
        title: run.title,
        input: run.input,
        input_hash: run.input_hash,
        output: run.output,
        problem: run.problem,
        forked_from: run.forked_from,
        attempts: run.attempts,
        program: run.program,
        owner: None,
        created_at: run.created_at,
        finished_at: run.finished_at,
        last_seq: run.last_seq,
        recoveries: 0,
        cancel_requested: false,
        imported_at: None,
    };
    let journal = Journal {
        run,
        steps: steps.into_iter().map(step).collect(),
        artifacts: artifacts.into_iter().map(artifact).collect(),
    };
    (journal, events)
}
