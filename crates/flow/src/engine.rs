//! Starting runs and resuming them: the one place that joins tasks, journal and ownership.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use base::{Code, Hash, Problem, RunId};
use serde_json::Value;
use store::{Beginning, Ending, Error, Event, Fence, FoundBy, Journal, NewRun, RunState, StepRecord, Store};

use crate::keeper::{Grip, Keeper, Signal};
use crate::run::Work;
use crate::{Emitter, Fault, Finish, Registry, Run, Runs, Verdict};

/// Told every event of every run this engine works on, durable ones after they are committed. Must not block.
pub type Observer = Arc<dyn Fn(&Event) + Send + Sync>;

/// How an engine behaves.
#[derive(Clone)]
pub struct Options {
    /// The program's version, recorded with each run it creates.
    pub program: String,
    /// How long a process may give no sign of life before its runs are taken from it.
    pub lease: Duration,
    /// Where to die, for tests.
    pub fault: Option<Fault>,
    /// Who watches.
    pub observer: Option<Observer>,
}

impl Default for Options {
    fn default() -> Options {
        Options { program: String::new(), lease: Duration::from_secs(10), fault: None, observer: None }
    }
}

/// What to start.
#[derive(Clone, Debug)]
pub struct Request {
    /// The task's registered name, such as `ask/1`.
    pub task: String,
    /// What the task is given; recorded, so it must not hold secrets, only their names.
    pub input: Value,
    /// One line for lists.
    pub title: Option<String>,
    /// The same key and input is the same run, however often it is asked for.
    pub key: Option<String>,
}

/// A run that is over, at least for this process.
#[derive(Clone, Debug)]
pub struct Ended {
    /// The run.
    pub run: RunId,
    /// What its task gave, or the problem it ended with, which names the run.
    pub result: Result<Finish, Problem>,
}

/// An attempt that has just begun, and what it begins with.
struct Begun {
    grip: Grip,
    task: String,
    input: Value,
    steps: Vec<StepRecord>,
    imported: bool,
}

/// Works on runs in this process. `C` is what the caller lends to the tasks.
pub struct Engine<C> {
    pub(crate) runs: Runs,
    pub(crate) store: Store,
    pub(crate) registry: Registry<C>,
    pub(crate) options: Options,
    /// Made when the first run starts: who only looks at runs holds none.
    keeper: Mutex<Option<Arc<Keeper>>>,
}

impl<C: Send + Sync + 'static> Engine<C> {
    /// An engine over a store, for the tasks in the registry.
    pub fn new(store: Store, registry: Registry<C>, options: Options) -> Engine<C> {
        Engine { runs: Runs::new(store.clone()), store, registry, options, keeper: Mutex::new(None) }
    }

    /// The runs in the store.
    pub fn runs(&self) -> &Runs {
        &self.runs
    }

    /// Creates a run and works on it to its end. The outer problem means that there is no run.
    ///
    /// If the request has a key that a run of the same input has, that run's result is given: a finished one's at once,
    /// a live one's when it ends; one that nobody works on is worked on here.
    ///
    /// If the future is dropped, the run stays `running` until the engine or its process is gone, then it is
    /// interrupted.
    pub async fn start(&self, context: &C, request: Request) -> Result<Ended, Problem> {
        self.registry.find(&request.task)?;
        loop {
            let keeper = self.keeper()?;
            let new = self.new_run(&request, Beginning::Attached(keeper.lease().clone()));
            let fence = Fence { run: new.id.clone(), attempt: 1 };
            match self.store.create_run(new).await {
                Ok(events) => {
                    let (task, input) = (request.task.clone(), request.input.clone());
                    let begun = Begun { grip: keeper.hold(fence), task, input, steps: Vec::new(), imported: false };
                    let ended = self.work(context, begun, &events).await?;
                    let lost = matches!(&ended.result, Err(problem) if problem.code == Code::RunBusy);
                    if !lost || request.key.is_none() {
                        return Ok(ended);
                    }
                    // The key stands for the run, whoever works on it now.
                }
                Err(Error::KeyTaken { run }) => {
                    if let Some(ended) = self.join(context, &request, &run).await? {
                        return Ok(ended);
                    }
                }
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Records a run for a worker to take. With a key that a run of the same input has, that run is meant.
    pub async fn enqueue(&self, request: &Request) -> Result<RunId, Problem> {
        self.registry.find(&request.task)?;
        let new = self.new_run(request, Beginning::Queued);
        let id = new.id.clone();
        match self.store.create_run(new).await {
            Ok(_) => Ok(id),
            Err(Error::KeyTaken { run }) => {
                let journal = self.runs.journal(&run).await?;
                same_request(&journal, request)?;
                if journal.run.state == RunState::Interrupted {
                    let fence = Fence { run: run.clone(), attempt: journal.run.attempts };
                    match self.store.requeue_run(fence).await {
                        // Who was faster goes on with it.
                        Ok(()) | Err(Error::Fenced { .. }) => {}
                        Err(error) => return Err(error.into()),
                    }
                }
                Ok(run)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Works on a run again, from the top: recorded steps give what they gave. For a run that waits, was interrupted, or
    /// that a problem ended; one that finished by its own account gives its recorded result.
    pub async fn resume(&self, context: &C, id: &RunId) -> Result<Ended, Problem> {
        let journal = self.runs.journal(id).await?;
        let run = &journal.run;
        match (run.state, &run.problem) {
            (RunState::Interrupted | RunState::Pending, _) | (RunState::Failed | RunState::Cancelled, Some(_)) => {}
            (RunState::Running, _) => return Err(self.runs.busy(&journal.run)),
            _ => return self.recorded(&journal, 0).await,
        }
        match self.claim(context, &journal).await? {
            Some(ended) => Ok(ended),
            None => Err(self.runs.busy(&self.runs.journal(id).await?.run)),
        }
    }

    /// A new run with the first steps of another, worked on from there.
    pub async fn fork(&self, context: &C, from: &RunId, steps: usize) -> Result<Ended, Problem> {
        let journal = self.runs.journal(from).await?;
        let recorded = journal.steps.len();
        if steps > recorded {
            return Err(Problem::new(Code::Usage, format!("run `{from}` has only {recorded} recorded steps"))
                .hint(format!("fork from a step between 0 and {recorded}"))
                .in_run(from));
        }
        let run = journal.run;
        self.registry.find(&run.task)?;
        let request = Request { task: run.task, input: run.input, title: run.title, key: None };
        let keeper = self.keeper()?;
        let new = self.new_run(&request, Beginning::Attached(keeper.lease().clone()));
        let fence = Fence { run: new.id.clone(), attempt: 1 };
        let events = self.store.fork_run(new, from, steps as i64).await?;
        self.go_on(context, keeper.hold(fence), &events).await
    }

    fn new_run(&self, request: &Request, beginning: Beginning) -> NewRun {
        NewRun {
            id: RunId::fresh(),
            task: request.task.clone(),
            input_hash: Hash::of_json(&request.input),
            input: request.input.clone(),
            key: request.key.clone(),
            title: request.title.clone(),
            program: self.options.program.clone(),
            beginning,
        }
    }

    /// Comes to the result of the run that has the request's key; `None` if that run is gone again.
    async fn join(&self, context: &C, request: &Request, id: &RunId) -> Result<Option<Ended>, Problem> {
        let mut seen = 0;
        loop {
            let journal = match self.runs.journal(id).await {
                Err(problem) if problem.code == Code::RunUnknown => return Ok(None),
                other => other?,
            };
            same_request(&journal, request)?;
            match journal.run.state {
                RunState::Running => {
                    let mut tell = |event: &Event| self.observe(event);
                    match self.runs.follow_while(&[RunState::Running], id, &mut seen, &mut tell).await {
                        Err(problem) if problem.code == Code::RunUnknown => return Ok(None),
                        followed => drop(followed?),
                    }
                }
                RunState::Interrupted | RunState::Pending => {
                    if let Some(ended) = self.claim(context, &journal).await? {
                        return Ok(Some(ended));
                    }
                }
                _ => return self.recorded(&journal, seen).await.map(Some),
            }
        }
    }

    fn observe(&self, event: &Event) {
        if let Some(observer) = &self.options.observer {
            observer(event);
        }
    }

    /// Works on a run that nobody works on; `None` if somebody else was faster.
    async fn claim(&self, context: &C, journal: &Journal) -> Result<Option<Ended>, Problem> {
        let run = &journal.run;
        self.registry.find(&run.task)?;
        let before = Fence { run: run.id.clone(), attempt: run.attempts };
        let keeper = self.keeper()?;
        match self.store.claim_run(before, keeper.lease()).await {
            Ok(events) => {
                let fence = Fence { run: run.id.clone(), attempt: run.attempts + 1 };
                self.go_on(context, keeper.hold(fence), &events).await.map(Some)
            }
            Err(Error::Fenced { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Works on a run whose attempt this process has just begun, from what is recorded.
    pub(crate) async fn go_on(&self, context: &C, grip: Grip, events: &[Event]) -> Result<Ended, Problem> {
        let fence = grip.fence().clone();
        // Read after the attempt began: from here on nobody else can add a step.
        let Journal { run, steps, .. } = match self.runs.read(&fence.run).await {
            Ok(journal) => journal,
            // What passes is somebody else's to try again.
            Err(problem) if problem.code != Code::JournalDamaged => {
                let _ = self.store.release_run(fence).await;
                return Err(problem);
            }
            // Nobody else can read it either, so it must not wait for one who can.
            Err(problem) => {
                let emitter = Emitter::new(fence.run.clone(), self.options.observer.clone());
                let run = fence.run.clone();
                let result = self.finish(fence, &emitter, Err(problem.in_run(&run))).await;
                return Ok(Ended { run, result });
            }
        };
        let begun = Begun { grip, task: run.task, input: run.input, steps, imported: run.here.imported_at.is_some() };
        self.work(context, begun, events).await
    }

    async fn work(&self, context: &C, begun: Begun, events: &[Event]) -> Result<Ended, Problem> {
        let Begun { grip, task, input, steps, imported } = begun;
        let fence = grip.fence().clone();
        let emitter = Emitter::new(fence.run.clone(), self.options.observer.clone());
        emitter.tell(events);
        let task = self.registry.find(&task)?;
        let work = Work::Live { fault: self.options.fault, grip };
        let mut run = Run::new(fence.clone(), self.store.clone(), emitter.clone(), steps, imported, work);
        let outcome = task(&mut run, context, input).await;
        let result = run.settle(outcome).map_err(|problem| problem.in_run(&fence.run));
        let result = match run.stopped() {
            Some(Signal::HandBack) => {
                self.store.release_run(fence.clone()).await?;
                result
            }
            Some(Signal::Lost) => result,
            Some(Signal::Cancel | Signal::GoOn) | None => self.finish(fence.clone(), &emitter, result).await,
        };
        let result = match result {
            Err(problem) if problem.code == Code::RunBusy => Err(self.runs.lost(&fence.run, problem).await),
            result => result,
        };
        Ok(Ended { run: fence.run, result })
    }

    async fn finish(
        &self,
        fence: Fence,
        emitter: &Emitter,
        result: Result<Finish, Problem>,
    ) -> Result<Finish, Problem> {
        let ending = match &result {
            Ok(finish) => Ending { state: finish.state.into(), output: Some(finish.output.to_string()), problem: None },
            Err(problem) => {
                let state = if problem.code == Code::Cancelled { RunState::Cancelled } else { RunState::Failed };
                Ending { state, output: None, problem: Some(problem.clone()) }
            }
        };
        let run = fence.run.clone();
        let by = result.as_ref().map(|finish| finish.found_by.clone()).unwrap_or_default();
        match (self.store.finish_run(fence, ending, by).await, result) {
            (Ok(mut events), Ok(finish)) => {
                // Who watches gets the document itself, also where the journal keeps it as an artifact.
                if let Some(last) = events.last_mut() {
                    last.data["output"] = finish.output.clone();
                }
                emitter.tell(&events);
                Ok(finish)
            }
            (Ok(events), Err(problem)) => {
                emitter.tell(&events);
                Err(problem)
            }
            // What ended the run says more than that its end could not be written.
            (Err(_), Err(problem)) => Err(problem),
            (Err(error), Ok(_)) => Err(Problem::from(error).in_run(&run)),
        }
    }

    /// The result of a run that has ended; who watches is told what it has not seen of it.
    async fn recorded(&self, journal: &Journal, mut seen: i64) -> Result<Ended, Problem> {
        if self.options.observer.is_some() {
            self.runs.tell(&journal.run.id, &mut seen, &mut |event| self.observe(event)).await?;
        }
        let verdict = match journal.run.state {
            RunState::Succeeded => Verdict::Succeeded,
            RunState::Rejected => Verdict::Rejected,
            _ => Verdict::Failed,
        };
        let result = match journal.run.problem.clone() {
            Some(problem) => Err(serde_json::from_value(problem).map_err(|error| {
                let message = format!("the problem the run ended with cannot be read: {error}");
                Problem::new(Code::JournalDamaged, message).in_run(&journal.run.id)
            })?),
            None => {
                let output = self.runs.output(journal).await?;
                Ok(Finish { state: verdict, output, found_by: FoundBy::default() })
            }
        };
        Ok(Ended { run: journal.run.id.clone(), result })
    }

    pub(crate) fn keeper(&self) -> Result<Arc<Keeper>, Problem> {
        // Nothing panics while it is held; a poisoned lock still guards a whole value.
        let mut keeper = self.keeper.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(keeper) = &*keeper {
            return Ok(keeper.clone());
        }
        let entered = Arc::new(Keeper::enter(self.store.data_dir(), &self.options.program, self.options.lease)?);
        *keeper = Some(entered.clone());
        Ok(entered)
    }
}

/// A key stands for one task and one input.
fn same_request(journal: &Journal, request: &Request) -> Result<(), Problem> {
    let run = &journal.run;
    let recorded = run.input_hash.clone().unwrap_or_else(|| Hash::of_json(&run.input));
    if run.task == request.task && recorded == Hash::of_json(&request.input) {
        return Ok(());
    }
    let key = request.key.as_deref().unwrap_or_default();
    Err(Problem::new(Code::KeyConflict, format!("the key `{key}` belongs to run `{}` of another input", run.id))
        .hint("use another key for another request")
        .in_run(&run.id))
}
