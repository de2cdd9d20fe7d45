//! A run at work: its position in the journal, and `step`.
//!
//! Steps take `&mut self`, so two at once do not compile, and positions are the order of the code. Once something
//! happened that the journal does not know (an effect that failed without an outcome, a mismatch, a lost commit), the
//! run can only end: a further step would be recorded at a position that a later attempt reaches differently.

use std::future::Future;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use base::{Code, Hash, Problem, RunId, Timestamp};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use store::{Content, Event, Fence, StepOutcome, StepRecord, StepState, Store};

use crate::fault::{Fault, Point};
use crate::hash::hash_of;
use crate::problem::{from_document, is_outcome};
use crate::{Finish, Observer};

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
    observer: Option<Observer>,
}

impl Emitter {
    pub(crate) fn new(run: RunId, observer: Option<Observer>) -> Emitter {
        Emitter { run, observer }
    }

    /// Emits an event that is not recorded, such as `step.progress` or `text.delta`.
    pub fn pass(&self, kind: &str, data: Value) {
        let Some(observer) = &self.observer else { return };
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as i64);
        observer(&Event { run: self.run.clone(), seq: None, at: Timestamp(now), kind: kind.to_string(), data });
    }

    pub(crate) fn tell(&self, events: &[Event]) {
        if let Some(observer) = &self.observer {
            events.iter().for_each(|event| observer(event));
        }
    }
}

/// A run that this process works on.
pub struct Run {
    fence: Fence,
    store: Store,
    emitter: Emitter,
    fault: Option<Fault>,
    recorded: Vec<StepRecord>,
    position: usize,
    ended: Option<Problem>,
}

impl Run {
    pub(crate) fn new(
        fence: Fence,
        store: Store,
        emitter: Emitter,
        fault: Option<Fault>,
        recorded: Vec<StepRecord>,
    ) -> Run {
        Run { fence, store, emitter, fault, recorded, position: 0, ended: None }
    }

    /// Its name.
    pub fn id(&self) -> &RunId {
        &self.fence.run
    }

    /// Which attempt this is, counted from 1.
    pub fn attempt(&self) -> i64 {
        self.fence.attempt
    }

    /// The index of the next step.
    pub fn position(&self) -> usize {
        self.position
    }

    /// For passing events, also from within an effect.
    pub fn emitter(&self) -> Emitter {
        self.emitter.clone()
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
        if let Some(problem) = &self.ended {
            return Err(StepError::Ended(problem.clone()));
        }
        // Stands only if this future is dropped; whoever comes back replaces it.
        self.ended = Some(Problem::new(Code::Cancelled, format!("step `{name}` was given up before it was recorded")));
        let outcome = self.replay_or_perform(name, input, effect).await;
        self.ended = match &outcome {
            Err(StepError::Ended(problem)) => Some(problem.clone()),
            _ => None,
        };
        outcome
    }

    /// Keeps a file under a name. Not a step: the contents follow from what steps gave, so a resumed run may add them
    /// again, which changes nothing.
    pub async fn add_artifact(&mut self, name: &str, media_type: &str, contents: Vec<u8>) -> Result<Hash, StepError> {
        if let Some(problem) = &self.ended {
            return Err(StepError::Ended(problem.clone()));
        }
        let added = self.store.add_artifact(self.fence.clone(), name, media_type, contents).await;
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

    async fn replay_or_perform<I, O, F, W>(&mut self, name: &str, input: &I, effect: F) -> Result<O, StepError>
    where
        I: Serialize + ?Sized,
        O: Serialize + DeserializeOwned,
        F: FnOnce() -> W,
        W: Future<Output = Result<O, Problem>>,
    {
        let input_hash = hash_of(input).map_err(|error| self.broken(format!("the input of step `{name}`: {error}")))?;
        if let Some(step) = self.recorded.get(self.position) {
            self.check(step, name, &input_hash)?;
            let outcome = self.recall(step).await;
            self.position += usize::from(!matches!(outcome, Err(StepError::Ended(_))));
            return outcome;
        }
        let (state, output, duration_ms) = self.perform(name, effect).await?;
        let step = StepOutcome {
            position: self.position as i64,
            name: name.to_string(),
            state,
            attempts: 1,
            input_hash,
            output: output.clone(),
            duration_ms,
        };
        let committed = self.store.commit_step(self.fence.clone(), step).await;
        let events = committed.map_err(|error| StepError::Ended(error.into()))?;
        Fault::strike(self.fault, Point::AfterCommit, self.position);
        self.emitter.tell(&events);
        self.position += 1;
        self.decode(name, state, &output)
    }

    /// Runs the effect; gives what is to be recorded.
    async fn perform<O, F, W>(&self, name: &str, effect: F) -> Result<(StepState, String, f64), StepError>
    where
        O: Serialize,
        F: FnOnce() -> W,
        W: Future<Output = Result<O, Problem>>,
    {
        self.emitter.pass("step.started", json!({ "index": self.position, "name": name }));
        Fault::strike(self.fault, Point::BeforeEffect, self.position);
        let begun = Instant::now();
        let outcome = effect().await;
        let duration_ms = begun.elapsed().as_micros() as f64 / 1000.0;
        Fault::strike(self.fault, Point::AfterEffect, self.position);
        let (state, output) = match outcome {
            Ok(output) => (StepState::Ok, serde_json::to_string(&output)),
            Err(problem) if is_outcome(problem.code) => (StepState::Failed, serde_json::to_string(&problem)),
            Err(problem) => return Err(StepError::Ended(problem)),
        };
        let output = output.map_err(|error| self.broken(format!("the output of step `{name}`: {error}")))?;
        Ok((state, output, duration_ms))
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
            let document = serde_json::from_str(text).unwrap_or(Value::Null);
            let problem = from_document(&document)
                .ok_or_else(|| self.broken(format!("the recorded problem of step `{name}` is not one we know")))?;
            return Err(StepError::Failed(problem));
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

    fn mismatch(&self, what: String) -> Problem {
        Problem::new(Code::JournalMismatch, format!("{what} (position {})", self.position))
            .hint("the task changed since the run began; resume it with the program that began it, or start anew")
            .in_run(&self.fence.run)
    }

    fn broken(&self, what: String) -> StepError {
        StepError::Ended(Problem::new(Code::Internal, what).in_run(&self.fence.run))
    }
}
