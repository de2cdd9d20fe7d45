//! A run at work: its position in the journal, and `step`.
//!
//! Steps take `&mut self`, so two at once do not compile, and positions are the order of the code. Once something
//! happened that the journal does not know (an effect that failed without an outcome, a mismatch, a lost commit), the
//! run can only end: a further step would be recorded at a position that a later attempt reaches differently.

use std::future::Future;
use std::sync::Arc;
use std::time::{Instant, SystemTime};

use base::{Action, Code, Hash, Problem, RunId, Timestamp};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use store::{ArtifactRecord, Content, Event, Fence, Pin, Question, StepOutcome, StepRecord, StepState, Store};
use tokio::sync::Mutex;
use tracing::field::Empty;
use tracing::{Instrument, debug, error_span};

use crate::fault::{Fault, Point};
use crate::hub::Channel;
use crate::keeper::{Grip, Signal};
use crate::known::{RECALL, recall_input};
use crate::policy::{is_outcome, is_passing};
use crate::{Finish, Memory, StepPolicy};

/// Why a step gave no output. Becomes a [`Problem`] with `?`.
#[derive(Clone, Debug, thiserror::Error)]
pub enum StepError {
    /// The effect failed, and that is recorded: the same comes back on every resume, and the task may go on.
    #[error(transparent)]
    Failed(Problem),
    /// The run cannot go on in this attempt: nothing was recorded, and every further step says the same.
    #[error(transparent)]
    Ended(Problem),
}

impl From<StepError> for Problem {
    fn from(error: StepError) -> Problem {
        match error {
            StepError::Failed(problem) | StepError::Ended(problem) => problem,
        }
    }
}

/// Tells whoever watches what is only passing by. Cheap to clone, so that effects can hold one.
#[derive(Clone)]
pub struct Emitter {
    run: RunId,
    channel: Option<Arc<Channel>>,
}

impl Emitter {
    pub(crate) fn new(run: RunId, channel: Arc<Channel>) -> Emitter {
        Emitter { run, channel: Some(channel) }
    }

    /// One that nobody hears.
    pub(crate) fn mute(run: RunId) -> Emitter {
        Emitter { run, channel: None }
    }

    /// Emits an event that is not recorded, such as `step.progress` or `text.delta`.
    pub fn pass(&self, kind: &str, data: Value) {
        let Some(channel) = &self.channel else { return };
        let at = SystemTime::now().into();
        channel.say(Event { run: self.run.clone(), seq: None, at, kind: kind.to_string(), data });
    }

    pub(crate) fn tell(&self, events: &[Event]) {
        if let Some(channel) = &self.channel {
            events.iter().for_each(|event| channel.say(event.clone()));
        }
    }
}

/// Keeps the files of a step, from within its effect: they are named in the commit that records the step, so there is
/// no step without its files. Cheap to clone.
#[derive(Clone)]
pub struct Shelf {
    store: Store,
    kept: Arc<Mutex<Kept>>,
}

#[derive(Default)]
struct Kept {
    right: Option<Pin>,
    files: Vec<ArtifactRecord>,
}

impl Shelf {
    fn new(store: Store) -> Shelf {
        Shelf { store, kept: Arc::default() }
    }

    /// Keeps a file under a name that is unique in its run.
    pub async fn put(&self, name: &str, media_type: &str, contents: Vec<u8>) -> Result<Hash, Problem> {
        let mut kept = self.kept.lock().await;
        let bytes = contents.len() as i64;
        let (sha256, right) = self.store.keep_artifact(kept.right.take(), contents).await?;
        kept.right = Some(right);
        kept.files.push(ArtifactRecord {
            name: name.to_string(),
            media_type: media_type.to_string(),
            bytes,
            sha256: sha256.clone(),
        });
        Ok(sha256)
    }

    async fn take(&self) -> Kept {
        std::mem::take(&mut *self.kept.lock().await)
    }
}

/// What was found of another run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Found {
    /// Its name.
    pub run: RunId,
    /// The document it came to.
    pub output: Value,
}

/// What a person decided.
#[derive(Serialize, Deserialize)]
struct Decided {
    id: String,
    allowed: bool,
}

/// A document, wherever it is kept.
pub(crate) async fn whole(store: &Store, content: &Content) -> Result<Value, Problem> {
    let broken = |error: serde_json::Error| Problem::new(Code::JournalDamaged, format!("an output is broken: {error}"));
    match content {
        Content::Inline(text) => serde_json::from_str(text).map_err(broken),
        Content::Artifact(sha256) => serde_json::from_slice(&store.artifact(sha256).await?).map_err(broken),
    }
}

/// What steps of a name have given since midnight, in UTC, in whichever runs.
pub(crate) async fn outputs_of_today(store: &Store, name: &str) -> Result<Vec<Value>, Problem> {
    const DAY_MS: i64 = 86_400_000;
    let now = store.now().await?.0;
    let mut outputs = Vec::new();
    for content in store.outputs_since(name, Timestamp(now - now.rem_euclid(DAY_MS))).await? {
        outputs.push(whole(store, &content).await?);
    }
    Ok(outputs)
}

/// A run that this process works on, or whose code it holds against its journal.
pub struct Run {
    fence: Fence,
    store: Store,
    emitter: Emitter,
    recorded: Vec<StepRecord>,
    position: usize,
    work: Work,
    imported: bool,
    shelf: Shelf,
    ended: Option<Problem>,
    stopped: Option<Signal>,
    waiting: bool,
    note: Value,
}

/// What happens where the journal has nothing to return.
pub(crate) enum Work {
    /// Effects are performed and recorded.
    Live { fault: Option<Fault>, grip: Grip },
    /// Nothing is performed, nothing is recorded: the code is only held against what was.
    Replay { artifacts: Vec<ArtifactRecord> },
}

impl Run {
    pub(crate) fn new(
        fence: Fence,
        store: Store,
        emitter: Emitter,
        recorded: Vec<StepRecord>,
        imported: bool,
        work: Work,
    ) -> Run {
        let shelf = Shelf::new(store.clone());
        Run {
            fence,
            store,
            emitter,
            recorded,
            position: 0,
            work,
            imported,
            shelf,
            ended: None,
            stopped: None,
            waiting: false,
            note: Value::Null,
        }
    }

    /// Its name.
    pub fn id(&self) -> &RunId {
        &self.fence.run
    }

    /// Which attempt this is, counted from 1.
    pub fn attempt(&self) -> i64 {
        self.fence.attempt
    }

    /// Whether a stranger's capsule brought it here: what its input asks for is then no wish of this machine's user.
    pub fn is_imported(&self) -> bool {
        self.imported
    }

    /// The index of the next step.
    pub fn position(&self) -> usize {
        self.position
    }

    /// Whether the next step's effect will run: if not, there is nothing to prepare for it.
    pub fn will_perform(&self) -> bool {
        matches!(self.work, Work::Live { .. }) && self.position >= self.recorded.len()
    }

    /// Says how far the task is, in its own terms. Nothing is recorded: it follows from the steps, and whoever asks for it
    /// later has the code follow them again.
    pub fn note(&mut self, state: Value) {
        self.note = state;
    }

    pub(crate) fn take_note(&mut self) -> Value {
        self.note.take()
    }

    /// For passing events, also from within an effect.
    pub fn emitter(&self) -> Emitter {
        self.emitter.clone()
    }

    /// For files that belong to the step under way, to be kept from within its effect.
    pub fn shelf(&self) -> Shelf {
        self.shelf.clone()
    }

    /// Performs an effect once: if the journal has this step, what it came to is returned and `effect` is not called;
    /// otherwise the effect runs and is recorded before this returns.
    ///
    /// The output is always what the journal's JSON says, also the first time, so that an attempt cannot see more than
    /// a later one will. A future that is dropped half way ends the run.
    pub async fn step<I, O, F, W>(&mut self, name: &str, input: &I, effect: F) -> Result<O, StepError>
    where
        I: Serialize + ?Sized,
        O: Serialize + DeserializeOwned,
        F: FnOnce() -> W,
        W: Future<Output = Result<O, Problem>>,
    {
        let mut effect = Some(effect);
        let once = || effect.take().expect("the policy says once")();
        self.step_under(StepPolicy::ONCE, name, input, once).await
    }

    /// Like [`Run::step`], trying as often and as long as the policy says.
    pub async fn step_under<I, O, F, W>(
        &mut self,
        policy: StepPolicy,
        name: &str,
        input: &I,
        effect: F,
    ) -> Result<O, StepError>
    where
        I: Serialize + ?Sized,
        O: Serialize + DeserializeOwned,
        F: FnMut() -> W,
        W: Future<Output = Result<O, Problem>>,
    {
        if let Some(problem) = &self.ended {
            return Err(StepError::Ended(problem.clone()));
        }
        // Stands only if this future is dropped; whoever comes back replaces it.
        self.ended = Some(Problem::new(Code::Cancelled, format!("step `{name}` was given up before it was recorded")));
        let outcome = self.replay_or_perform(policy, name, input, effect).await;
        self.ended = match &outcome {
            Err(StepError::Ended(problem)) => Some(problem.clone()),
            _ => None,
        };
        outcome
    }

    /// What another run came to, if `key` leads to one. Recorded as a step only if it does: a task that finds nothing has
    /// the journal it would have without looking, and one that went on without does not look again.
    pub async fn found_by_key(&mut self, key: &Hash) -> Result<Option<Found>, StepError> {
        self.look(RECALL, &recall_input(key), |store| async move { store.recalled(key).await }).await
    }

    /// What the latest other run of a thread came to, if there is one; recorded likewise.
    pub async fn latest_in(&mut self, thread: &str) -> Result<Option<Found>, StepError> {
        let without = self.id().clone();
        let look = |store: Store| async move { store.latest_in(thread, &without).await };
        self.look("thread", &json!({ "thread": thread }), look).await
    }

    async fn look<F, W>(&mut self, name: &str, input: &Value, look: F) -> Result<Option<Found>, StepError>
    where
        F: FnOnce(Store) -> W,
        W: Future<Output = Result<Option<(RunId, Content)>, Problem>>,
    {
        let found = match self.recorded.get(self.position) {
            Some(step) if step.name == name => None,
            Some(_) => return Ok(None),
            // A stranger's run does not ask what this machine knows.
            None if !self.will_perform() || self.imported => return Ok(None),
            None => match look(self.store.clone()).await.map_err(StepError::Ended)? {
                None => return Ok(None),
                found => found,
            },
        };
        let store = self.store.clone();
        let effect = || async move {
            let (run, output) = found.ok_or_else(|| Problem::new(Code::Internal, "what was found is recorded"))?;
            Ok(Found { output: whole(&store, &output).await?, run })
        };
        self.step(name, input, effect).await.map(Some)
    }

    /// Asks a person, and goes on with what they decided. Until they have, the attempt ends here and the run waits: nobody
    /// works on it, and it survives whatever happens to this process. The decision is recorded as a step.
    pub async fn wait(&mut self, action: &str, detail: &str) -> Result<bool, StepError> {
        let input = json!({ "action": action, "detail": detail });
        let id = format!("{}", self.position);
        if self.will_perform() && self.ended.is_none() {
            let decided = self.store.decision(&self.fence.run, &id).await.map_err(StepError::Ended)?;
            if decided.is_none() {
                return Err(self.give_back(Question { id, action: action.into(), detail: detail.into() }).await);
            }
        }
        let (store, run, asked) = (self.store.clone(), self.fence.run.clone(), id.clone());
        let effect = || async move {
            let allowed = store.decision(&run, &asked).await?;
            let allowed = allowed.ok_or_else(|| Problem::new(Code::Internal, "a decision was lost"))?;
            Ok(Decided { id: asked, allowed })
        };
        Ok(self.step("approval", &input, effect).await?.allowed)
    }

    async fn give_back(&mut self, question: Question) -> StepError {
        let run = self.fence.run.clone();
        let problem = match self.store.wait_run(self.fence.clone(), question.clone()).await {
            Ok(events) => {
                self.emitter.tell(&events);
                self.waiting = true;
                Problem::new(Code::ApprovalNeeded, format!("a person has to allow this first: {}", question.action))
                    .action(Action::DecideRun { run: run.clone() })
                    .in_run(&run)
            }
            Err(error) => error.into(),
        };
        self.ended = Some(problem.clone());
        StepError::Ended(problem)
    }

    /// Whether the attempt ended because a person has to decide.
    pub(crate) fn is_waiting(&self) -> bool {
        self.waiting
    }

    /// What was learned from earlier runs; none for a stranger's run, which does not ask what this machine knows.
    pub fn memory(&self) -> Option<Memory> {
        (!self.imported).then(|| Memory::new(self.store.clone()))
    }

    /// The outputs of all steps of a name that runs of this machine have performed since midnight, in UTC. Not recorded:
    /// it says whether to begin, and what was begun does not ask again.
    pub async fn outputs_of_today(&self, name: &str) -> Result<Vec<Value>, Problem> {
        outputs_of_today(&self.store, name).await
    }

    /// Does something beside the steps that may take long, and gives it up when the run is to stop.
    pub async fn unless_stopped<T>(&mut self, work: impl Future<Output = Result<T, Problem>>) -> Result<T, Problem> {
        let Work::Live { grip, .. } = &mut self.work else { return work.await };
        let signal = tokio::select! {
            biased;
            signal = grip.stopped() => signal,
            done = work => return done,
        };
        let problem = self.stop(signal);
        self.ended = Some(problem.clone());
        Err(problem)
    }

    /// Keeps a file under a name. Not a step: the contents follow from what steps gave, so a resumed run may add them
    /// again, which changes nothing.
    pub async fn add_artifact(&mut self, name: &str, media_type: &str, contents: Vec<u8>) -> Result<Hash, StepError> {
        if let Some(problem) = &self.ended {
            return Err(StepError::Ended(problem.clone()));
        }
        let added = match &self.work {
            Work::Live { .. } => self.store.add_artifact(self.fence.clone(), name, media_type, contents).await,
            Work::Replay { artifacts } => {
                let sha256 = Hash::of(&contents);
                let same = artifacts.iter().any(|artifact| artifact.name == name && artifact.sha256 == sha256);
                let mismatch = || self.mismatch(format!("the file `{name}` is not the recorded one")).into();
                if same { Ok((sha256, Vec::new())) } else { Err(mismatch()) }
            }
        };
        match added {
            Ok((sha256, events)) => {
                self.emitter.tell(&events);
                Ok(sha256)
            }
            Err(error) => {
                let problem = Problem::from(error);
                self.ended = Some(problem.clone());
                Err(StepError::Ended(problem))
            }
        }
    }

    async fn replay_or_perform<I, O, F, W>(
        &mut self,
        policy: StepPolicy,
        name: &str,
        input: &I,
        effect: F,
    ) -> Result<O, StepError>
    where
        I: Serialize + ?Sized,
        O: Serialize + DeserializeOwned,
        F: FnMut() -> W,
        W: Future<Output = Result<O, Problem>>,
    {
        let input = serde_json::to_value(input);
        let input = input.map_err(|error| self.broken(format!("the input of step `{name}`: {error}")))?;
        let input_hash = Hash::of_json(&input);
        if let Some(step) = self.recorded.get(self.position) {
            self.check(step, name, &input_hash)?;
            let outcome = self.recall(step).await;
            self.position += usize::from(!matches!(outcome, Err(StepError::Ended(_))));
            return outcome;
        }
        let performed = self.perform(policy, name, effect).await?;
        Fault::strike(self.fault(), Point::AfterEffect, self.position);
        let (state, output) = match performed.outcome {
            Ok(output) => (StepState::Ok, serde_json::to_string(&output)),
            Err(problem) if is_outcome(problem.code) => (StepState::Failed, serde_json::to_string(&problem)),
            Err(problem) => return Err(StepError::Ended(problem)),
        };
        let output = output.map_err(|error| self.broken(format!("the output of step `{name}`: {error}")))?;
        if policy.keeps_input {
            let kept =
                self.shelf.put(&input_name(self.position), "application/json", input.to_string().into_bytes()).await;
            kept.map_err(StepError::Ended)?;
        }
        let kept = self.shelf.take().await;
        let step = StepOutcome {
            artifacts: kept.files,
            position: self.position as i64,
            name: name.to_string(),
            state,
            attempts: i64::from(performed.tries),
            input_hash,
            output: output.clone(),
            duration_ms: performed.duration_ms,
        };
        let committed = self.store.commit_step(self.fence.clone(), step, kept.right).await;
        let committed = committed.map_err(|error| StepError::Ended(error.into()))?;
        Fault::strike(self.fault(), Point::AfterCommit, self.position);
        self.emitter.tell(&committed.events);
        self.position += 1;
        if committed.cancel_requested {
            self.stopped = Some(Signal::Cancel);
        }
        self.decode(name, state, &output)
    }

    /// Runs the effect as the policy says, or gives up because the run shall stop.
    async fn perform<O, F, W>(
        &mut self,
        policy: StepPolicy,
        name: &str,
        mut effect: F,
    ) -> Result<Performed<O>, StepError>
    where
        F: FnMut() -> W,
        W: Future<Output = Result<O, Problem>>,
    {
        if let Work::Replay { .. } = &self.work {
            let what = format!("the code goes on with step `{name}` where the journal has ended");
            return Err(StepError::Ended(self.mismatch(what)));
        }
        if let Some(signal) = self.stopped {
            return Err(StepError::Ended(self.stop(signal)));
        }
        self.emitter.pass("step.started", json!({ "index": self.position, "name": name }));
        Fault::strike(self.fault(), Point::BeforeEffect, self.position);
        let (run, position, shelf) = (self.fence.run.clone(), self.position, self.shelf.clone());
        let Work::Live { grip, .. } = &mut self.work else { unreachable!("looked at above") };
        let begun = Instant::now();
        let working = async {
            let mut tries = 1;
            loop {
                // What an earlier try kept belongs to no outcome.
                shelf.take().await;
                let outcome = in_time(policy.timeout, name, effect()).await;
                match &outcome {
                    Err(problem) if is_passing(problem.code) && tries < policy.tries_max => {
                        tokio::time::sleep(policy.pause(&run, position, tries)).await;
                        tries += 1;
                    }
                    _ => return (outcome, tries),
                }
            }
        };
        let span = error_span!(target: "assay::step", "step", step = name, index = position, tries = Empty, error.type = Empty);
        let ended = tokio::select! {
            biased;
            signal = grip.stopped() => Err(signal),
            ended = working.instrument(span.clone()) => Ok(ended),
        };
        match ended {
            Ok((outcome, tries)) => {
                let duration_ms = begun.elapsed().as_micros() as f64 / 1000.0;
                let code = outcome.as_ref().err().map(Problem::code_name);
                span.record("tries", tries).record("error.type", code);
                span.in_scope(|| debug!(target: "assay::step", ms = duration_ms, tries, code, "step"));
                Ok(Performed { outcome, tries, duration_ms })
            }
            Err(signal) => Err(StepError::Ended(self.stop(signal))),
        }
    }

    fn fault(&self) -> Option<Fault> {
        match &self.work {
            Work::Live { fault, .. } => *fault,
            Work::Replay { .. } => None,
        }
    }

    /// The run shall not go on.
    fn stop(&mut self, signal: Signal) -> Problem {
        self.stopped = Some(signal);
        let id = &self.fence.run;
        let problem = match signal {
            Signal::Lost => Problem::new(Code::RunBusy, format!("another process has taken over run `{id}`"))
                .action(Action::FollowRun { run: id.clone() }),
            Signal::HandBack => Problem::new(Code::Cancelled, "the worker stopped and handed the run back")
                .hint("another worker goes on with it"),
            Signal::Cancel | Signal::GoOn => {
                Problem::new(Code::Cancelled, "the run was cancelled").action(Action::ResumeRun { run: id.clone() })
            }
        };
        problem.in_run(id)
    }

    /// Why the run was told to stop, if that is why it ended.
    pub(crate) fn stopped(&self) -> Option<Signal> {
        self.stopped.filter(|_| self.ended.is_some())
    }

    fn check(&self, step: &StepRecord, name: &str, input_hash: &Hash) -> Result<(), StepError> {
        if step.name != name {
            let what = format!("the journal has step `{}` where the code has `{name}`", step.name);
            return Err(StepError::Ended(self.mismatch(what)));
        }
        if step.input_hash != *input_hash {
            let what = format!("step `{name}` was recorded with another input");
            return Err(StepError::Ended(self.mismatch(what)));
        }
        Ok(())
    }

    async fn recall<O: DeserializeOwned>(&self, step: &StepRecord) -> Result<O, StepError> {
        let text = match &step.output {
            Content::Inline(text) => text.clone(),
            Content::Artifact(sha256) => {
                let contents = self.store.artifact(sha256).await.map_err(StepError::Ended)?;
                String::from_utf8(contents).map_err(|_| self.broken(format!("the artifact of step `{}`", step.name)))?
            }
        };
        self.decode(&step.name, step.state, &text)
    }

    fn decode<O: DeserializeOwned>(&self, name: &str, state: StepState, text: &str) -> Result<O, StepError> {
        if state == StepState::Failed {
            let problem = serde_json::from_str(text);
            return Err(problem.map_or_else(
                |error| self.broken(format!("the recorded problem of step `{name}` cannot be read: {error}")),
                StepError::Failed,
            ));
        }
        serde_json::from_str(text).map_err(|error| {
            StepError::Ended(self.mismatch(format!("the recorded output of step `{name}` no longer fits: {error}")))
        })
    }

    /// What the run ends with, given what its task returned.
    pub(crate) fn settle(&self, outcome: Result<Finish, Problem>) -> Result<Finish, Problem> {
        if let Some(problem) = &self.ended {
            return Err(problem.clone());
        }
        if outcome.is_ok() && self.position < self.recorded.len() {
            let extra = &self.recorded[self.position].name;
            return Err(self.mismatch(format!("the journal has a further step `{extra}` where the code has finished")));
        }
        outcome
    }

    /// Whether the run could not go on.
    pub(crate) fn ended(&self) -> bool {
        self.ended.is_some()
    }

    fn mismatch(&self, what: String) -> Problem {
        Problem::new(Code::JournalMismatch, format!("{what} (position {})", self.position))
            .hint("the task changed since the run began; resume it with the program that began it, or start anew")
            .in_run(&self.fence.run)
    }

    fn broken(&self, what: String) -> StepError {
        StepError::Ended(Problem::new(Code::Internal, what).in_run(&self.fence.run))
    }
}

/// The name of the artifact that is a step's whole input, where that is kept.
pub(crate) fn input_name(position: usize) -> String {
    format!("step-{position}-input.json")
}

/// What an effect came to.
struct Performed<O> {
    outcome: Result<O, Problem>,
    tries: u32,
    duration_ms: f64,
}

async fn in_time<O>(
    timeout: Option<std::time::Duration>,
    name: &str,
    effect: impl Future<Output = Result<O, Problem>>,
) -> Result<O, Problem> {
    let Some(timeout) = timeout else { return effect.await };
    tokio::time::timeout(timeout, effect).await.unwrap_or_else(|_| {
        let limit_ms = timeout.as_millis();
        Err(Problem::new(Code::TimedOut, format!("step `{name}` took longer than its {limit_ms} ms"))
            .hint("resume the run to try it again"))
    })
}
