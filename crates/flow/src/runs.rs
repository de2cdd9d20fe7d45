//! Runs as whoever looks at them sees them: documents of one or many, what happens to them next, and how they are stopped
//! and forgotten.
//!
//! Looking is also when a dead owner is noticed: a run that says `running` while its process is gone, or gave no sign of
//! life for too long, is taken from it before it is shown.

use std::time::Duration;

use base::{Action, Code, Problem, RunId, Timestamp};
use serde_json::Value;
use store::{Content, Event, Fence, Filter, Journal, RecallRecord, RunRecord, RunState, Store};
use tokio::time::{Instant, timeout_at};

use crate::Memory;
use crate::documents;
use crate::hub::{Events, Hub};
use crate::owner::{self, Life};

/// The most runs or events one call gives.
const PAGE_MAX: usize = 1000;
/// Fewer digits of an id say too little.
const ID_DIGITS_MIN: usize = 4;
/// How many runs are named when digits do not tell them apart.
const CANDIDATES_MAX: usize = 5;
/// How often a queued run is taken over without getting further before it counts as failed.
const RECOVERIES_MAX: i64 = 5;
/// How often it is looked, for all followers at once, whether anything was committed.
pub(crate) const LOOK_EVERY: Duration = Duration::from_millis(50);
/// How often it looks whether the process at work is gone, which commits nothing.
pub(crate) const REAP_EVERY: Duration = Duration::from_millis(500);
/// How long a cancelled run is given to stop before its state is reported as it is.
const CANCEL_WAIT: Duration = Duration::from_secs(10);

/// The runs of one store. Needs no tasks, so that showing a run does not need what running it would.
#[derive(Clone)]
pub struct Runs {
    store: Store,
    hub: Hub,
}

impl Runs {
    /// The runs in this store.
    pub fn new(store: Store) -> Runs {
        Runs { store, hub: Hub::default() }
    }

    pub(crate) fn hub(&self) -> &Hub {
        &self.hub
    }

    pub(crate) fn store(&self) -> &Store {
        &self.store
    }

    /// The `run` document.
    pub async fn show(&self, id: &RunId) -> Result<documents::Run, Problem> {
        let mut document = documents::Run::from(&self.journal(id).await?);
        if document.state == RunState::Waiting {
            document.questions = self.store.questions(id).await?;
        }
        Ok(document)
    }

    /// The `runs` document: newest first, of those the filter lets through; its `next` continues.
    pub async fn list(&self, filter: &Filter, limit: usize) -> Result<documents::Runs, Problem> {
        self.reap().await?;
        let page = self.store.summaries(filter, limit.clamp(1, PAGE_MAX)).await?;
        let runs = page.runs.into_iter().map(documents::Listed::from).collect();
        Ok(documents::Runs { runs, next: page.next, damaged: page.damaged })
    }

    /// Which answers can be given again, latest used first.
    pub async fn recalls(&self, about: Option<&str>) -> Result<Vec<RecallRecord>, Problem> {
        self.store.recalls(about).await
    }

    /// Removes what answers are given again by, the runs stay; gives the `cleared` document.
    pub async fn forget_recalls(
        &self,
        about: Option<&str>,
        used_before: Option<Timestamp>,
    ) -> Result<documents::Cleared, Problem> {
        let (answers, bytes) = self.store.forget(about, used_before).await?;
        Ok(documents::Cleared { answers, bytes })
    }

    /// The `threads` document, latest used first.
    pub async fn threads(&self) -> Result<documents::Threads, Problem> {
        Ok(documents::Threads { threads: self.store.threads().await? })
    }

    /// The `thread` document: its runs, oldest first.
    pub async fn thread(&self, name: &str) -> Result<documents::Thread, Problem> {
        Ok(documents::Thread { thread: name.to_string(), runs: self.store.thread(name).await? })
    }

    /// Forgets a thread, not its runs; says how many it had.
    pub async fn forget_thread(&self, name: &str) -> Result<usize, Problem> {
        Ok(self.store.disband(name).await?)
    }

    /// The run that is meant by what somebody typed: an id, or enough digits of its beginning or its end.
    pub async fn find(&self, text: &str) -> Result<RunId, Problem> {
        if let Some(id) = RunId::parse(text) {
            return Ok(id);
        }
        let shown = text.chars().take(60).collect::<String>().escape_debug().to_string();
        let digits = text.replace('-', "").to_ascii_lowercase();
        let are_digits = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !are_digits || !(ID_DIGITS_MIN..32).contains(&digits.len()) {
            return Err(Problem::new(Code::RunUnknown, format!("`{shown}` is not a run's id"))
                .hint(format!("give at least {ID_DIGITS_MIN} digits of its beginning or its end"))
                .action(Action::ListRuns));
        }
        let mut found = self.store.matching(&digits, CANDIDATES_MAX + 1).await?;
        match found.as_slice() {
            [only] => Ok(only.clone()),
            [] => Err(Problem::new(Code::RunUnknown, format!("no run's id begins or ends with `{shown}`"))
                .action(Action::ListRuns)),
            several => {
                let more = if several.len() > CANDIDATES_MAX { ", …" } else { "" };
                found.truncate(CANDIDATES_MAX);
                let ids: Vec<&str> = found.iter().map(RunId::short).collect();
                Err(Problem::new(Code::RunUnknown, format!("more than one run's id begins or ends with `{shown}`"))
                    .hint(format!("give more digits, such as {}{more}", ids.join(", "))))
            }
        }
    }

    /// What time it is by the clock that runs are recorded with.
    pub async fn now(&self) -> Result<Timestamp, Problem> {
        self.store.now().await
    }

    /// What steps of a name have given since midnight, in UTC, in whichever runs.
    pub async fn outputs_of_today(&self, name: &str) -> Result<Vec<Value>, Problem> {
        crate::run::outputs_of_today(&self.store, name).await
    }

    /// The durable events after a number, in order, at most a thousand. The last of an ended run is `run.finished`,
    /// with its whole output.
    pub async fn events(&self, id: &RunId, after: i64) -> Result<Vec<Event>, Problem> {
        self.journal(id).await?;
        self.events_after(id, after).await
    }

    pub(crate) async fn events_after(&self, id: &RunId, after: i64) -> Result<Vec<Event>, Problem> {
        let mut events = self.store.events(id, after, PAGE_MAX).await?;
        if let Some(last) = events.last_mut().filter(|event| event.kind == "run.finished") {
            let journal = self.read(id).await?;
            let output = journal.run.output.as_ref().map(Content::document);
            if output.is_some() && last.data.get("output") == output.as_ref() {
                last.data["output"] = self.output(&journal).await?;
            }
        }
        Ok(events)
    }

    /// Everything recorded about a run, its state being true now.
    pub async fn journal(&self, id: &RunId) -> Result<Journal, Problem> {
        self.reap().await?;
        self.read(id).await
    }

    /// The events of a run after a number, as they happen, by whatever process; those that only pass by as well while
    /// this one works on it.
    pub fn watch(&self, id: &RunId, after: i64) -> Events {
        Events::new(self.clone(), id.clone(), after)
    }

    /// Comes back when nobody works on the run any more.
    pub(crate) async fn settled(&self, id: &RunId) -> Result<(), Problem> {
        let mut follow = self.follow(id);
        while self.state(id).await? == RunState::Running {
            follow.changed().await;
        }
        Ok(())
    }

    /// Stops a run: at once if nobody works on it; else whoever does is asked to, and is waited for a while. Gives where
    /// the run then stands, and whether this call stopped it.
    pub async fn cancel(&self, id: &RunId) -> Result<(RunState, bool), Problem> {
        self.journal(id).await?;
        let Some(mut state) = self.store.cancel_run(id).await? else { return Ok((self.state(id).await?, false)) };
        let (deadline, mut follow) = (Instant::now() + CANCEL_WAIT, self.follow(id));
        while state == RunState::Running {
            state = self.state(id).await?;
            if state != RunState::Running || timeout_at(deadline, follow.changed()).await.is_err() {
                break;
            }
        }
        Ok((state, state == RunState::Cancelled))
    }

    /// What was learned from runs.
    pub fn memory(&self) -> Memory {
        Memory::new(self.store.clone())
    }

    /// Records what a person decided about what a waiting run asks, the oldest question where none is named; gives where
    /// the run then stands. Going on with it is another matter.
    pub async fn decide(&self, id: &RunId, question: Option<&str>, allowed: bool) -> Result<RunState, Problem> {
        let state = self.journal(id).await?.run.state;
        if let Some(state) = self.store.decide(id, question, allowed).await? {
            return Ok(state);
        }
        let message = match question {
            Some(question) if state == RunState::Waiting => format!("run `{id}` asks nothing called `{question}`"),
            _ => format!("run `{id}` does not wait for a decision: it is {}", state.as_str()),
        };
        Err(Problem::new(Code::NotFound, message).hint("`approve` and `deny` are for runs that wait").in_run(id))
    }

    /// Takes runs from processes that are gone or gave no sign of life for too long.
    ///
    /// Where nothing can be written, a look still tells what is recorded.
    pub(crate) async fn reap(&self) -> Result<(), Problem> {
        self.reap_sparing(Vec::new).await
    }

    /// The same, sparing what the caller holds itself, asked for only if there is anything to take.
    pub(crate) async fn reap_sparing(&self, held: impl FnOnce() -> Vec<Fence>) -> Result<(), Problem> {
        match self.try_reap(held).await {
            Err(problem) if matches!(problem.code, Code::DiskFull | Code::StoreReadonly | Code::StoreLocked) => Ok(()),
            other => other,
        }
    }

    async fn try_reap(&self, held: impl FnOnce() -> Vec<Fence>) -> Result<(), Problem> {
        let suspects = self.store.suspects().await?;
        let is_gone = |owner: &str| owner::life(self.store.data_dir(), owner) == Life::Gone;
        let gone: Vec<String> =
            suspects.iter().map(|suspect| suspect.owner.clone()).filter(|owner| is_gone(owner)).collect();
        if !gone.is_empty() || suspects.iter().any(|suspect| suspect.lapsed) {
            self.store.reap_runs(gone, held(), RECOVERIES_MAX).await?;
        }
        Ok(())
    }

    /// Somebody else works on the run; who, where that can be told.
    pub(crate) fn busy(&self, run: &RunRecord) -> Problem {
        let life = run.here.owner.as_ref().map(|owner| owner::life(self.store.data_dir(), owner));
        let who = match life {
            Some(Life::Alive { pid: Some(pid) }) => format!("process {pid}"),
            _ => "another process".to_string(),
        };
        let id = &run.id;
        Problem::new(Code::RunBusy, format!("run `{id}` is being worked on by {who}"))
            .action(Action::FollowRun { run: id.clone() })
            .action(Action::CancelRun { run: id.clone() })
            .in_run(id)
    }

    /// What to say to whoever lost a run: it may have been stopped meanwhile rather than taken over.
    pub(crate) async fn lost(&self, id: &RunId, problem: Problem) -> Problem {
        match self.state(id).await {
            Ok(RunState::Cancelled) => Problem::new(Code::Cancelled, "the run was cancelled")
                .action(Action::ResumeRun { run: id.clone() })
                .in_run(id),
            _ => problem,
        }
    }

    /// How many runs a worker takes before this one, which waits.
    pub async fn waiting_before(&self, id: &RunId) -> Result<i64, Problem> {
        self.store.waiting_before(id).await
    }

    /// How many runs wait for a worker, and how many are in a worker's hands.
    pub async fn queue(&self) -> Result<(i64, i64), Problem> {
        self.store.queue().await
    }

    /// When the oldest of the runs that wait for a worker was made.
    pub async fn waiting_since(&self) -> Result<Option<Timestamp>, Problem> {
        self.store.waiting_since().await
    }

    /// Where a run stands, as it is recorded.
    pub async fn state(&self, id: &RunId) -> Result<RunState, Problem> {
        self.store.standing(id).await?.ok_or_else(|| unknown(id))
    }

    /// The contents of a file that a run produced, by its name.
    pub async fn artifact(&self, id: &RunId, name: &str) -> Result<Vec<u8>, Problem> {
        let journal = self.read(id).await?;
        match journal.artifacts.iter().find(|artifact| artifact.name == name) {
            Some(artifact) => self.store.artifact(&artifact.sha256).await,
            None => {
                let names: Vec<&str> = journal.artifacts.iter().map(|artifact| artifact.name.as_str()).collect();
                let there = if names.is_empty() { "it has none".to_string() } else { names.join(", ") };
                Err(Problem::new(Code::FileUnreadable, format!("run `{id}` has no file of that name"))
                    .hint(format!("its files: {there}"))
                    .in_run(id))
            }
        }
    }

    /// The run's whole output, read from its artifact if it is large; null if there is none.
    pub async fn output(&self, journal: &Journal) -> Result<Value, Problem> {
        match &journal.run.output {
            None => Ok(Value::Null),
            Some(Content::Artifact(sha256)) => {
                let contents = self.store.artifact(sha256).await?;
                serde_json::from_slice(&contents).map_err(|error| {
                    Problem::new(Code::JournalDamaged, format!("the output of the run is broken JSON: {error}"))
                        .in_run(&journal.run.id)
                })
            }
            Some(inline) => Ok(inline.document()),
        }
    }

    /// The same as [`Runs::journal`] for who knows that its state is true.
    pub(crate) async fn read(&self, id: &RunId) -> Result<Journal, Problem> {
        self.store.journal(id).await?.ok_or_else(|| unknown(id))
    }
}

fn unknown(id: &RunId) -> Problem {
    Problem::new(Code::RunUnknown, format!("there is no run `{id}`")).action(Action::ListRuns)
}
