//! The handle everybody holds: cheap to clone, writes through the one writer, reads on connections that it lends.

use std::path::Path;
use std::sync::Arc;

use base::{Code, Durations, Hash, Histogram, Problem, RunId, Timestamp};
use rusqlite::Connection;
use tokio::sync::{mpsc, oneshot};

use crate::error::Failure;
use crate::found::{FoundBy, RecallRecord, ThreadRecord, ThreadRun};
use crate::lesson::{self, Learned, Lesson, LessonText};
use crate::open::{self, Places};
use crate::readers::Readers;
use crate::record::{
    ArtifactRecord, Content, Ending, Fence, Held, Journal, Lease, NewRun, Question, Recorded, RunState, StepOutcome,
    Suspect, Taken,
};
use crate::token::TokenRecord;
use crate::write::{self, Done, Write};
use crate::writer::{BATCH_MAX, Job, Writer};
use crate::{Error, Event, Filter, Freed, INLINE_BYTES_MAX, Page, Pin, artifact, found, list, prune, read, token};

/// A store that is open in this process. Clones share it; the last one closes it.
#[derive(Clone)]
pub struct Store {
    shared: Arc<Shared>,
}

struct Shared {
    places: Places,
    jobs: mpsc::Sender<Job>,
    readers: Readers,
    commits: Arc<Histogram>,
}

impl Store {
    /// Opens the store in this directory and makes both where they are missing. Needs a running tokio runtime, on
    /// which the writer lives.
    pub async fn open(data_dir: &Path) -> Result<Store, Problem> {
        let places = Places::below(data_dir)?;
        let (places, connection, lock) = blocking(move || {
            let (connection, lock) = open::open(&places)?;
            Ok((places, connection, lock))
        })
        .await?;
        let (sender, jobs) = mpsc::channel(BATCH_MAX);
        let commits = Arc::new(Histogram::default());
        let writer = Writer { connection, lock, database: places.database.clone(), jobs, commits: commits.clone() };
        // Ends by itself when the last handle, and with it the sender, is gone.
        writer.never_block_on_others().map_err(|failure| failure.into_problem(&places.database))?;
        writer.start();
        let readers = Readers::of(places.database.clone());
        Ok(Store { shared: Arc::new(Shared { places, jobs: sender, readers, commits }) })
    }

    /// The directory it lies in, absolute.
    pub fn data_dir(&self) -> &Path {
        &self.shared.places.data_dir
    }

    /// How many transactions this handle and its clones have committed.
    pub fn commits(&self) -> u64 {
        self.shared.commits.count()
    }

    /// How long they took.
    pub fn commit_times(&self) -> Durations {
        self.shared.commits.durations()
    }

    /// Records a run and, if it is attached, its first attempt, in one commit.
    pub async fn create_run(&self, run: NewRun) -> Result<Vec<Event>, Error> {
        Ok(self.write(Write::Create(run)).await?.events)
    }

    /// Records an attached run that has the first steps of another, in one commit.
    pub async fn fork_run(&self, new: NewRun, from: &RunId, steps: i64) -> Result<Vec<Event>, Error> {
        Ok(self.write(Write::Fork { new, from: from.clone(), steps }).await?.events)
    }

    /// Records a run from elsewhere as it was recorded there. What its artifacts contain was kept before, by the
    /// [`Pin`] that is given up here.
    pub async fn import_run(&self, journal: Journal, events: Vec<Event>, kept: Pin) -> Result<(), Error> {
        self.write_kept(Write::Import { journal: Box::new(journal), events }, Some(kept)).await.map(|_| ())
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

    /// Leaves an interrupted run to the workers.
    pub async fn requeue_run(&self, fence: Fence) -> Result<(), Error> {
        self.write(Write::Requeue { fence }).await.map(|_| ())
    }

    /// Takes runs from these owners, who are gone, and from those who gave no sign of life, but for those that the
    /// caller holds itself; says how many. A queued run that was taken over this often without getting any further has
    /// failed.
    pub async fn reap_runs(&self, gone: Vec<String>, spared: Vec<Fence>, recoveries_max: i64) -> Result<usize, Error> {
        Ok(self.write(Write::Reap { gone, spared, recoveries_max }).await?.runs)
    }

    /// Stops a run, or asks whoever works on it to stop; gives where it then stands, `None` if it had ended before.
    pub async fn cancel_run(&self, id: &RunId) -> Result<Option<RunState>, Error> {
        Ok(self.write(Write::Cancel { run: id.clone() }).await?.state)
    }

    /// Records what a step came to; a large output becomes an artifact of the run. What its other artifacts contain was
    /// kept before, by the [`Pin`] that is given up here.
    pub async fn commit_step(&self, fence: Fence, step: StepOutcome, kept: Option<Pin>) -> Result<Recorded, Error> {
        let artifact = write::overflow(&write::step_output_name(step.position), &step.output);
        let kept = match artifact {
            Some(artifact) => Some(self.keep(kept, artifact.sha256, step.output.clone().into_bytes()).await?),
            None => kept,
        };
        let done = self.write_kept(Write::Step { fence, step }, kept).await?;
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
        let kept = self.keep(None, sha256.clone(), contents).await?;
        let done = self.write_kept(Write::Artifact { fence, artifact }, Some(kept)).await?;
        Ok((sha256, done.events))
    }

    /// The right to keep files that a row is going to name. Blocks while unnamed ones are being removed.
    pub fn pin(&self) -> Result<Pin, Problem> {
        Pin::begin(&self.shared.places.artifacts)
    }

    /// The contents of an artifact, checked against its hash. Blocks.
    pub fn load_now(&self, sha256: &Hash) -> Result<Vec<u8>, Problem> {
        artifact::load(&self.shared.places.artifacts, sha256)
    }

    /// Records a run's end and what the run is found by; a large output becomes an artifact of the run.
    pub async fn finish_run(&self, fence: Fence, ending: Ending, by: FoundBy) -> Result<Vec<Event>, Error> {
        let output = ending.output.as_deref().unwrap_or_default();
        let kept = match write::overflow(write::RUN_OUTPUT_NAME, output) {
            Some(artifact) => Some(self.keep(None, artifact.sha256, output.as_bytes().to_vec()).await?),
            None => None,
        };
        Ok(self.write_kept(Write::Finish { fence, ending, by }, kept).await?.events)
    }

    /// Records a run that was begun, took one step and ended, in one commit; says whether. Not one whose outputs would have
    /// to be kept as files first.
    pub async fn whole_run(&self, new: NewRun, step: StepOutcome, ending: Ending, by: FoundBy) -> Result<bool, Error> {
        let output = ending.output.as_ref().map_or(0, String::len);
        if step.output.len().max(output) > INLINE_BYTES_MAX {
            return Ok(false);
        }
        self.write(Write::Whole { new: Box::new(new), step: Box::new(step), ending, by }).await.map(|_| true)
    }

    /// Deletes those of these runs that ended before the moment; says how many.
    pub async fn delete_runs(&self, runs: Vec<RunId>, finished_before: Timestamp) -> Result<usize, Error> {
        Ok(self.write(Write::Delete { runs, finished_before }).await?.runs)
    }

    /// The run that a key leads to, with its output.
    pub async fn recalled(&self, key: &Hash) -> Result<Option<(RunId, Content)>, Problem> {
        let key = key.clone();
        self.read(move |connection| found::recalled(connection, &key)).await
    }

    /// The keys there are, latest used first; only those about that, if it is given.
    pub async fn recalls(&self, about: Option<&str>) -> Result<Vec<RecallRecord>, Problem> {
        let about = about.map(str::to_string);
        self.read(move |connection| found::recalls(connection, about.as_deref())).await
    }

    /// Removes keys that were last used before the moment; gives how many, and the bytes of what they led to.
    pub async fn forget(&self, about: Option<&str>, used_before: Option<Timestamp>) -> Result<(usize, i64), Error> {
        let done = self.write(Write::Forget { about: about.map(str::to_string), used_before }).await?;
        Ok((done.runs, done.bytes))
    }

    /// The run of a thread that last succeeded, this one apart, with its output.
    pub async fn latest_in(&self, thread: &str, without: &RunId) -> Result<Option<(RunId, Content)>, Problem> {
        let (thread, without) = (thread.to_string(), without.clone());
        self.read(move |connection| found::latest(connection, &thread, &without)).await
    }

    /// The threads there are, latest used first.
    pub async fn threads(&self) -> Result<Vec<ThreadRecord>, Problem> {
        self.read(found::threads).await
    }

    /// The runs of a thread, oldest first.
    pub async fn thread(&self, name: &str) -> Result<Vec<ThreadRun>, Problem> {
        let name = name.to_string();
        self.read(move |connection| found::thread(connection, &name)).await
    }

    /// Forgets a thread, not its runs; says how many it had.
    pub async fn disband(&self, thread: &str) -> Result<usize, Error> {
        Ok(self.write(Write::Disband { thread: thread.to_string() }).await?.runs)
    }

    /// Gives a run back until a person has decided.
    pub async fn wait_run(&self, fence: Fence, question: Question) -> Result<Vec<Event>, Error> {
        Ok(self.write(Write::Wait { fence, question }).await?.events)
    }

    /// Records what a person decided about a waiting run; gives where it then stands, `None` if nothing was asked.
    pub async fn decide(&self, run: &RunId, id: Option<&str>, allowed: bool) -> Result<Option<RunState>, Error> {
        let id = id.map(str::to_string);
        Ok(self.write(Write::Decide { run: run.clone(), id, allowed }).await?.state)
    }

    /// What a person decided about a question of a run; `None` while it is open or was not asked.
    pub async fn decision(&self, run: &RunId, id: &str) -> Result<Option<bool>, Problem> {
        let (run, id) = (run.clone(), id.to_string());
        self.read(move |connection| read::decision(connection, &run, &id)).await
    }

    /// The questions of a run that nobody has decided yet, the oldest first.
    pub async fn questions(&self, run: &RunId) -> Result<Vec<Question>, Problem> {
        let run = run.clone();
        self.read(move |connection| read::questions(connection, &run)).await
    }

    /// Keeps lessons and counts what others did; says how many are new.
    pub async fn learn(&self, learned: Learned) -> Result<usize, Error> {
        Ok(self.write(Write::Learn { learned }).await?.runs)
    }

    /// Changes what a lesson says; says whether it is there.
    pub async fn edit_lesson(&self, lesson: Lesson) -> Result<bool, Error> {
        Ok(self.write(Write::Edit { lesson: Box::new(lesson) }).await?.runs > 0)
    }

    /// Forgets lessons; says how many were there.
    pub async fn forget_lessons(&self, ids: Vec<String>) -> Result<usize, Error> {
        Ok(self.write(Write::ForgetLessons { ids }).await?.runs)
    }

    /// The newest lessons.
    pub async fn lessons(&self, limit: usize) -> Result<Vec<Lesson>, Problem> {
        self.read(move |connection| lesson::every(connection, limit as i64)).await
    }

    /// Lessons whose ids begin so.
    pub async fn lessons_beginning(&self, digits: &str, limit: usize) -> Result<Vec<Lesson>, Problem> {
        let digits = digits.to_string();
        self.read(move |connection| lesson::beginning(connection, &digits, limit as i64)).await
    }

    /// Solutions of the same task that passed the same tests, the best first.
    pub async fn lessons_of_task(&self, task: &str, checks: &str, limit: usize) -> Result<Vec<Lesson>, Problem> {
        let (task, checks) = (task.to_string(), checks.to_string());
        self.read(move |connection| lesson::of_task(connection, &task, &checks, limit as i64)).await
    }

    /// Lessons about an error that say what to do, the best first.
    pub async fn lessons_of_error(&self, signature: &str, limit: usize) -> Result<Vec<Lesson>, Problem> {
        let signature = signature.to_string();
        self.read(move |connection| lesson::of_error(connection, &signature, limit as i64)).await
    }

    /// Lessons about a task or an error, whatever they say, the best first.
    pub async fn lessons_about(
        &self,
        task: &str,
        signature: Option<&str>,
        limit: usize,
    ) -> Result<Vec<Lesson>, Problem> {
        let (task, signature) = (task.to_string(), signature.map(str::to_string));
        self.read(move |connection| lesson::about(connection, &task, signature.as_deref(), limit as i64)).await
    }

    /// Those lessons of these ids that are there and not hidden.
    pub async fn lessons_named(&self, ids: Vec<String>) -> Result<Vec<Lesson>, Problem> {
        self.read(move |connection| lesson::named(connection, &ids)).await
    }

    /// What lessons are found by, of those that changed after a number, the oldest change first.
    pub async fn lesson_texts_since(&self, seq: i64, limit: usize) -> Result<Vec<LessonText>, Problem> {
        self.read(move |connection| lesson::texts_since(connection, seq, limit as i64)).await
    }

    /// Writes a token down, which is worth something for so long; its own times are not looked at.
    pub async fn create_token(&self, token: TokenRecord, lasts_ms: Option<i64>) -> Result<(), Error> {
        self.write(Write::CreateToken { token, lasts_ms }).await.map(|_| ())
    }

    /// Makes a token worth nothing; whether it was worth something.
    pub async fn revoke_token(&self, id: &str) -> Result<bool, Error> {
        Ok(self.write(Write::RevokeToken { id: id.to_string() }).await?.runs > 0)
    }

    /// Every token there ever was, the newest first.
    pub async fn tokens(&self) -> Result<Vec<TokenRecord>, Problem> {
        self.read(token::every).await
    }

    /// The token of that id, if it is worth something now.
    pub async fn valid_token(&self, id: &str) -> Result<Option<TokenRecord>, Problem> {
        let id = id.to_string();
        self.read(move |connection| token::valid(connection, &id)).await
    }

    /// Whether there ever was a token.
    pub async fn has_tokens(&self) -> Result<bool, Problem> {
        self.read(token::any).await
    }

    /// How many runs there are: task, state and number.
    pub async fn tally(&self) -> Result<Vec<(String, String, i64)>, Problem> {
        self.read(read::tally).await
    }

    /// How many runs wait that a worker takes before this one.
    pub async fn waiting_before(&self, id: &RunId) -> Result<i64, Problem> {
        let id = id.clone();
        self.read(move |connection| read::waiting_before(connection, &id)).await
    }

    /// A run with its steps and artifacts, as of one moment.
    pub async fn journal(&self, id: &RunId) -> Result<Option<Journal>, Problem> {
        let id = id.clone();
        self.read(move |connection| read::journal(connection, &id)).await
    }

    /// The newest runs of those the filter lets through.
    pub async fn summaries(&self, filter: &Filter, limit: usize) -> Result<Page, Problem> {
        let filter = filter.clone();
        self.read(move |connection| list::page(connection, &filter, limit)).await
    }

    /// Runs whose id begins or ends with these hexadecimal digits, newest first.
    pub async fn matching(&self, digits: &str, limit: usize) -> Result<Vec<RunId>, Problem> {
        let digits = digits.to_string();
        self.read(move |connection| list::matching(connection, &digits, limit)).await
    }

    /// What time it is by the clock that runs are recorded with.
    pub async fn now(&self) -> Result<Timestamp, Problem> {
        self.read(list::now).await
    }

    /// Runs that ended before the moment and are not among the latest to end, oldest first.
    pub async fn outdated(&self, finished_before: Timestamp, keep: usize) -> Result<Page, Problem> {
        self.read(move |connection| prune::outdated(connection, finished_before, keep)).await
    }

    /// Which files no row would name if these runs were deleted.
    pub async fn unnamed_without(&self, runs: &[RunId]) -> Result<Freed, Problem> {
        let found = self.unnamed(runs).await?;
        Ok(Freed { files: found.len(), bytes: found.iter().map(|file| file.bytes).sum() })
    }

    /// Removes the files that no row names; `None` if that has to wait for somebody who is keeping one.
    pub async fn remove_unnamed(&self) -> Result<Option<Freed>, Problem> {
        let root = self.shared.places.artifacts.clone();
        let Some(alone) = blocking(move || artifact::Removing::begin(&root)).await? else { return Ok(None) };
        let unnamed = self.unnamed(&[]).await?;
        blocking(move || alone.remove(&unnamed).map(Some)).await
    }

    async fn unnamed(&self, without: &[RunId]) -> Result<Vec<artifact::Found>, Problem> {
        let without = without.to_vec();
        let named = self.read(move |connection| prune::named(connection, &without)).await?;
        let root = self.shared.places.artifacts.clone();
        blocking(move || artifact::unnamed(&root, &named)).await
    }

    /// A run's durable events after a number, in order; none for a run that is not there.
    pub async fn events(&self, id: &RunId, after: i64, limit: usize) -> Result<Vec<Event>, Problem> {
        let id = id.clone();
        self.read(move |connection| read::events(connection, &id, after, limit as i64)).await
    }

    /// Where a run stands, without the rest of it.
    pub async fn standing(&self, id: &RunId) -> Result<Option<RunState>, Problem> {
        let id = id.clone();
        self.read(move |connection| read::standing(connection, &id)).await
    }

    /// Every process that is said to be at work.
    pub async fn suspects(&self) -> Result<Vec<Suspect>, Problem> {
        self.read(read::suspects).await
    }

    /// How many runs wait for a worker, and how many are in a worker's hands.
    pub async fn queue(&self) -> Result<(i64, i64), Problem> {
        self.read(read::queue).await
    }

    /// The outputs of steps of a name that runs of this store performed since a moment.
    pub async fn outputs_since(&self, name: &str, since: Timestamp) -> Result<Vec<Content>, Problem> {
        let name = name.to_string();
        self.read(move |connection| read::outputs_since(connection, &name, since)).await
    }

    /// Those of an owner's runs that a user asked to be stopped.
    pub async fn cancel_requests(&self, owner: &str) -> Result<Vec<RunId>, Problem> {
        let owner = owner.to_string();
        self.read(move |connection| read::cancel_requests(connection, &owner)).await
    }

    /// A number that is another whenever anything was committed since, by this process or another: who follows looks
    /// only then.
    pub async fn version(&self) -> Result<i64, Problem> {
        self.shared.readers.read_alone(read::version).await
    }

    /// Where each of these runs stands and the number of its last event, of those that are there.
    pub async fn marks(&self, runs: Vec<RunId>) -> Result<Vec<(RunId, RunState, i64)>, Problem> {
        self.read(move |connection| read::marks(connection, &runs)).await
    }

    /// When the oldest of the runs that wait for a worker was made.
    pub async fn waiting_since(&self) -> Result<Option<Timestamp>, Problem> {
        self.read(read::waiting_since).await
    }

    /// Keeps contents that a row is going to name, by the right that is given or a new one, and gives that back.
    pub async fn keep_artifact(&self, kept: Option<Pin>, contents: Vec<u8>) -> Result<(Hash, Pin), Problem> {
        let sha256 = Hash::of(&contents);
        let kept = self.keep(kept, sha256.clone(), contents).await?;
        Ok((sha256, kept))
    }

    /// The contents of an artifact, checked against its hash.
    pub async fn artifact(&self, sha256: &Hash) -> Result<Vec<u8>, Problem> {
        let (store, sha256) = (self.clone(), sha256.clone());
        blocking(move || store.load_now(&sha256)).await
    }

    async fn keep(&self, kept: Option<Pin>, sha256: Hash, contents: Vec<u8>) -> Result<Pin, Problem> {
        let store = self.clone();
        blocking(move || {
            let keeping = kept.map_or_else(|| store.pin(), Ok)?;
            keeping.keep_as(&sha256, &contents)?;
            Ok(keeping)
        })
        .await
    }

    async fn write(&self, write: Write) -> Result<Done, Error> {
        self.write_kept(write, None).await
    }

    /// The files that the change names go along with it, because it is made also if nobody waits for it any more.
    async fn write_kept(&self, write: Write, kept: Option<Pin>) -> Result<Done, Error> {
        let (reply, answer) = oneshot::channel();
        let sent = self.shared.jobs.send(Job { write, reply, kept }).await;
        sent.map_err(|_| writer_gone())?;
        answer.await.map_err(|_| writer_gone())?
    }

    async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Connection) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Problem> {
        self.shared.readers.read(read).await
    }
}

/// Does work with files where it holds nobody else up.
pub async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) => Err(Problem::new(Code::Internal, format!("a file operation ended early: {error}"))),
    }
}

fn writer_gone() -> Problem {
    Problem::new(Code::Internal, "the store's writer has ended")
}
