//! The handle everybody holds: cheap to clone, writes through the one writer, reads on a connection of its own.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use base::{Code, Hash, Problem, RunId};
use sqlx::SqliteConnection;
use tokio::sync::{Mutex, MutexGuard, mpsc, oneshot};

use crate::open::{self, Access, Places};
use crate::record::{ArtifactRecord, Ending, Fence, Journal, NewRun, RunSummary, StepOutcome};
use crate::write::{self, Write};
use crate::writer::{BATCH_MAX, Job, Writer};
use crate::{Error, Event, artifact, read};

/// A store that is open in this process. Clones share it; the last one closes it.
#[derive(Clone)]
pub struct Store {
    shared: Arc<Shared>,
}

struct Shared {
    places: Places,
    jobs: mpsc::Sender<Job>,
    /// Made when something is first read: a command that only records a run does not pay for it.
    reader: Mutex<Option<SqliteConnection>>,
    commits: Arc<AtomicU64>,
}

impl Store {
    /// Opens the store in this directory and makes both where they are missing. Needs a running tokio runtime, on
    /// which the writer lives.
    pub async fn open(data_dir: &Path) -> Result<Store, Problem> {
        let places = Places::below(data_dir)?;
        let (connection, lock) = open::open(&places).await?;
        let (sender, jobs) = mpsc::channel(BATCH_MAX);
        let commits = Arc::new(AtomicU64::new(0));
        let writer = Writer { connection, lock, database: places.database.clone(), jobs, commits: commits.clone() };
        // Ends by itself when the last handle, and with it the sender, is gone.
        tokio::spawn(writer.run());
        Ok(Store { shared: Arc::new(Shared { places, jobs: sender, reader: Mutex::new(None), commits }) })
    }

    /// The directory it lies in, absolute.
    pub fn data_dir(&self) -> &Path {
        &self.shared.places.data_dir
    }

    /// How many transactions this handle and its clones have committed.
    pub fn commits(&self) -> u64 {
        self.shared.commits.load(Ordering::Relaxed)
    }

    /// Records a run and its first attempt, in one commit.
    pub async fn create_run(&self, run: NewRun) -> Result<Vec<Event>, Error> {
        self.write(Write::Create(run)).await
    }

    /// Begins the attempt after the fence's, of a run that was interrupted, failed or cancelled.
    pub async fn claim_run(&self, fence: Fence, owner: &str) -> Result<Vec<Event>, Error> {
        self.write(Write::Claim { fence, owner: owner.to_string() }).await
    }

    /// Marks what this owner, who is gone, left running.
    pub async fn interrupt_runs_of(&self, owner: &str) -> Result<(), Error> {
        self.write(Write::Interrupt { owner: owner.to_string() }).await.map(|_| ())
    }

    /// Records what a step came to; a large output becomes an artifact of the run.
    pub async fn commit_step(&self, fence: Fence, step: StepOutcome) -> Result<Vec<Event>, Error> {
        let artifact = write::overflow(&write::step_output_name(step.position), &step.output);
        if let Some(artifact) = artifact {
            self.keep(artifact.sha256, step.output.clone().into_bytes()).await?;
        }
        self.write(Write::Step { fence, step }).await
    }

    /// Records a file of the run under a name, replacing what had the name before.
    pub async fn add_artifact(
        &self,
        fence: Fence,
        name: &str,
        media_type: &str,
        contents: Vec<u8>,
    ) -> Result<(Hash, Vec<Event>), Error> {
        let sha256 = Hash::of(&contents);
        let artifact = ArtifactRecord {
            name: name.to_string(),
            media_type: media_type.to_string(),
            bytes: contents.len() as i64,
            sha256: sha256.clone(),
        };
        self.keep(sha256.clone(), contents).await?;
        let events = self.write(Write::Artifact { fence, artifact }).await?;
        Ok((sha256, events))
    }

    /// Records a run's end; a large output becomes an artifact of the run.
    pub async fn finish_run(&self, fence: Fence, ending: Ending) -> Result<Vec<Event>, Error> {
        let output = ending.output.as_deref();
        if let Some(artifact) = output.and_then(|output| write::overflow(write::RUN_OUTPUT_NAME, output)) {
            self.keep(artifact.sha256, output.unwrap_or_default().as_bytes().to_vec()).await?;
        }
        self.write(Write::Finish { fence, ending }).await
    }

    /// A run with its steps and artifacts, as of one moment.
    pub async fn journal(&self, id: &RunId) -> Result<Option<Journal>, Problem> {
        let mut reader = self.reader().await?;
        let journal = read::journal(connected(&mut reader), id).await;
        journal.map_err(|failure| failure.into_problem(&self.shared.places.database))
    }

    /// Runs, newest first, those made before the given one.
    pub async fn summaries(&self, limit: usize, before: Option<&RunId>) -> Result<Vec<RunSummary>, Problem> {
        let mut reader = self.reader().await?;
        let summaries = read::summaries(connected(&mut reader), limit as i64, before).await;
        summaries.map_err(|failure| failure.into_problem(&self.shared.places.database))
    }

    /// A run's durable events after a number, in order; none for a run that is not there.
    pub async fn events(&self, id: &RunId, after: i64, limit: usize) -> Result<Vec<Event>, Problem> {
        let mut reader = self.reader().await?;
        let events = read::events(connected(&mut reader), id, after, limit as i64).await;
        events.map_err(|failure| failure.into_problem(&self.shared.places.database))
    }

    /// The contents of an artifact, checked against its hash.
    pub async fn artifact(&self, sha256: &Hash) -> Result<Vec<u8>, Problem> {
        let (root, sha256) = (self.shared.places.artifacts.clone(), sha256.clone());
        blocking(move || artifact::load(&root, &sha256)).await
    }

    async fn keep(&self, sha256: Hash, contents: Vec<u8>) -> Result<(), Problem> {
        let root = self.shared.places.artifacts.clone();
        blocking(move || artifact::keep(&root, &sha256, &contents)).await
    }

    async fn write(&self, write: Write) -> Result<Vec<Event>, Error> {
        let (reply, answer) = oneshot::channel();
        let sent = self.shared.jobs.send(Job { write, reply }).await;
        sent.map_err(|_| writer_gone())?;
        answer.await.map_err(|_| writer_gone())?
    }

    async fn reader(&self) -> Result<MutexGuard<'_, Option<SqliteConnection>>, Problem> {
        let mut reader = self.shared.reader.lock().await;
        if reader.is_none() {
            *reader = Some(open::connect(&self.shared.places.database, Access::Read).await?);
        }
        Ok(reader)
    }
}

fn connected<'a>(reader: &'a mut MutexGuard<'_, Option<SqliteConnection>>) -> &'a mut SqliteConnection {
    reader.as_mut().expect("`reader` connects before it hands the guard out")
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T, Problem> + Send + 'static) -> Result<T, Problem> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) => Err(Problem::new(Code::Internal, format!("a file operation of the store ended early: {error}"))),
    }
}

fn writer_gone() -> Problem {
    Problem::new(Code::Internal, "the store's writer has ended")
}
