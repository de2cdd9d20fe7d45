//! The handle everybody holds: cheap to clone, writes through the one writer, reads on a connection of its own.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use base::{Code, Hash, Problem, RunId, Timestamp};
use sqlx::SqliteConnection;
use tokio::sync::{Mutex, MutexGuard, mpsc, oneshot};

use crate::open::{self, Access, Places};
use crate::record::{
    ArtifactRecord, Ending, Fence, Held, Journal, Lease, NewRun, Recorded, RunState, RunSummary, StepOutcome, Suspect,
    Taken,
};
use crate::write::{self, Done, Write};
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

    /// Records a run and, if it is attached, its first attempt, in one commit.
    pub async fn create_run(&self, run: NewRun) -> Result<Vec<Event>, Error> {
        Ok(self.write(Write::Create(run)).await?.events)
    }

    /// Records an attached run that has the first steps of another, in one commit.
    pub async fn fork_run(&self, new: NewRun, from: &RunId, steps: i64) -> Result<Vec<Event>, Error> {
        Ok(self.write(Write::Fork { new, from: from.clone(), steps }).await?.events)
    }

    /// Records a run from elsewhere as it was recorded there. What its artifacts contain was kept before, by
    /// [`Store::keep_artifact`].
    pub async fn import_run(&self, journal: Journal, events: Vec<Event>) -> Result<(), Error> {
        self.write(Write::Import { journal: Box::new(journal), events }).await.map(|_| ())
    }

    /// Begins the attempt after the fence's, of a run that nobody works on.
    pub async fn claim_run(&self, fence: Fence, lease: &Lease) -> Result<Vec<Event>, Error> {
        Ok(self.write(Write::Claim { fence, lease: lease.clone() }).await?.events)
    }

    /// Takes pending runs of these tasks, oldest first, each at its next attempt.
    pub async fn take_runs(&self, lease: &Lease, tasks: &[&str], limit: usize) -> Result<Taken, Error> {
        let tasks = tasks.iter().map(|task| task.to_string()).collect();
        let done = self.write(Write::Take { lease: lease.clone(), tasks, limit: limit as i64 }).await?;
        Ok(Taken { runs: done.held.into_iter().map(|held| held.fence).collect(), events: done.events })
    }

    /// Renews the lease of these runs; gives those that are still in this owner's hands.
    pub async fn renew_leases(&self, held: Vec<Fence>, lease: &Lease) -> Result<Vec<Held>, Error> {
        Ok(self.write(Write::Renew { held, lease: lease.clone() }).await?.held)
    }

    /// Gives a run back before its end: a queued one can be taken again, an attached one waits to be resumed.
    pub async fn release_run(&self, fence: Fence) -> Result<(), Error> {
        self.write(Write::Release { fence }).await.map(|_| ())
    }

    /// Takes runs from these owners, who are gone, and from those who gave no sign of life; says how many. A queued run
    /// that was taken over this often without getting any further has failed.
    pub async fn reap_runs(&self, gone: Vec<String>, recoveries_max: i64) -> Result<usize, Error> {
        Ok(self.write(Write::Reap { gone, recoveries_max }).await?.runs)
    }

    /// Stops a run, or asks whoever works on it to stop; gives where it then stands, `None` if it had ended before.
    pub async fn cancel_run(&self, id: &RunId) -> Result<Option<RunState>, Error> {
        Ok(self.write(Write::Cancel { run: id.clone() }).await?.state)
    }

    /// Records what a step came to; a large output becomes an artifact of the run.
    pub async fn commit_step(&self, fence: Fence, step: StepOutcome) -> Result<Recorded, Error> {
        let artifact = write::overflow(&write::step_output_name(step.position), &step.output);
        if let Some(artifact) = artifact {
            self.keep(artifact.sha256, step.output.clone().into_bytes()).await?;
        }
        let done = self.write(Write::Step { fence, step }).await?;
        Ok(Recorded { events: done.events, cancel_requested: done.cancel_requested })
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
        let done = self.write(Write::Artifact { fence, artifact }).await?;
        Ok((sha256, done.events))
    }

    /// Keeps contents that a row is going to name.
    pub async fn keep_artifact(&self, contents: Vec<u8>) -> Result<Hash, Problem> {
        let sha256 = Hash::of(&contents);
        self.keep(sha256.clone(), contents).await?;
        Ok(sha256)
    }

    /// Records a run's end; a large output becomes an artifact of the run.
    pub async fn finish_run(&self, fence: Fence, ending: Ending) -> Result<Vec<Event>, Error> {
        let output = ending.output.as_deref();
        if let Some(artifact) = output.and_then(|output| write::overflow(write::RUN_OUTPUT_NAME, output)) {
            self.keep(artifact.sha256, output.unwrap_or_default().as_bytes().to_vec()).await?;
        }
        Ok(self.write(Write::Finish { fence, ending }).await?.events)
    }

    /// Deletes those of these runs that ended before the moment; says how many.
    pub async fn delete_runs(&self, runs: Vec<RunId>, finished_before: Timestamp) -> Result<usize, Error> {
        Ok(self.write(Write::Delete { runs, finished_before }).await?.runs)
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

    /// Where a run stands, without the rest of it.
    pub async fn standing(&self, id: &RunId) -> Result<Option<RunState>, Problem> {
        let mut reader = self.reader().await?;
        let standing = read::standing(connected(&mut reader), id).await;
        standing.map_err(|failure| failure.into_problem(&self.shared.places.database))
    }

    /// Every process that is said to be at work.
    pub async fn suspects(&self) -> Result<Vec<Suspect>, Problem> {
        let mut reader = self.reader().await?;
        let suspects = read::suspects(connected(&mut reader)).await;
        suspects.map_err(|failure| failure.into_problem(&self.shared.places.database))
    }

    /// How many runs wait for a worker, and how many are in a worker's hands.
    pub async fn queue(&self) -> Result<(i64, i64), Problem> {
        let mut reader = self.reader().await?;
        let queue = read::queue(connected(&mut reader)).await;
        queue.map_err(|failure| failure.into_problem(&self.shared.places.database))
    }

    /// Those of an owner's runs that a user asked to be stopped.
    pub async fn cancel_requests(&self, owner: &str) -> Result<Vec<RunId>, Problem> {
        let mut reader = self.reader().await?;
        let requests = read::cancel_requests(connected(&mut reader), owner).await;
        requests.map_err(|failure| failure.into_problem(&self.shared.places.database))
    }

    /// A number that is another whenever anything was committed since, by this process or another: who follows looks
    /// only then.
    pub async fn version(&self) -> Result<i64, Problem> {
        let mut reader = self.reader().await?;
        let version = read::version(connected(&mut reader)).await;
        version.map_err(|failure| failure.into_problem(&self.shared.places.database))
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

    async fn write(&self, write: Write) -> Result<Done, Error> {
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
