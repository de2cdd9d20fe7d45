//! Starting runs and resuming them: the one place that joins tasks, journal and ownership.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use base::{Code, Hash, Problem, RunId};
use serde_json::Value;
use store::{Beginning, Ending, Error, Event, Fence, FoundBy, Journal, Lease, Mode, NewRun, RunState, Store};
use tokio::sync::oneshot;
use tokio::task::JoinSet;
use tracing::field::{Empty, display};
use tracing::{Instrument, Span, error_span, info};

use crate::hub::Open;
use crate::keeper::{Grip, Keeper, Signal};
use crate::run::Work;
use crate::{Emitter, Fault, Finish, Registry, Run, Runs, Slot, Verdict};

/// How an engine behaves.
#[derive(Clone)]
pub struct Options {
    /// The program's version, recorded with each run it creates.
    pub program: String,
    /// How long a process may give no sign of life before its runs are taken from it.
    pub lease: Duration,
    /// Where to die, for tests.
    pub fault: Option<Fault>,
}

impl Default for Options {
    fn default() -> Options {
        Options { program: String::new(), lease: Duration::from_secs(10), fault: None }
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

/// What to work on.
#[derive(Clone, Debug)]
pub enum Start {
    /// A new run; or, where the request has a key that a run of the same input has, that run.
    Request(Request),
    /// The same, but begun as a worker would have taken it from the queue: where this process goes away, a worker goes on.
    Queued(Request),
    /// A run that waits, was interrupted, or that a problem ended.
    Resume(RunId),
    /// A new run with the first steps of another.
    Fork {
        /// The other.
        from: RunId,
        /// How many of its steps.
        steps: usize,
        /// Who works on it: this process, or, where it goes away, a worker.
        mode: Mode,
    },
}

/// A run that was handed to the engine. Dropping this stops nothing.
pub struct Spawned {
    /// The run.
    pub run: RunId,
    ended: oneshot::Receiver<Result<Ended, Problem>>,
}

impl Spawned {
    /// What the run came to, waited for. The outer problem means that it could not be worked on.
    pub async fn ended(&mut self) -> Result<Ended, Problem> {
        let given_up = || {
            let message = "the process gave the run up before its end";
            Problem::new(Code::Cancelled, message).hint("resume it to go on with it").in_run(&self.run)
        };
        (&mut self.ended).await.unwrap_or_else(|_| Err(given_up()))
    }
}

/// An attempt that has just begun, and what it begins with. Its channel is open, so that who looks from here on hears all.
pub(crate) struct Begun {
    grip: Grip,
    open: Open,
    input: Begins,
}

/// Where an attempt finds what it begins with.
enum Begins {
    /// The run was made just now.
    New { task: String, input: Value },
    /// In the journal.
    Recorded,
}

/// What a start came to before any work.
enum Begin {
    /// This process works on it.
    Here(Begun),
    /// The key stands for a run that is there.
    Joined(RunId),
    /// It was over.
    Over(Ended),
}

impl Begin {
    fn run(&self) -> &RunId {
        match self {
            Begin::Here(begun) => &begun.grip.fence().run,
            Begin::Joined(run) | Begin::Over(Ended { run, .. }) => run,
        }
    }
}

/// Works on runs in this process. `C` is what the caller lends to the tasks.
pub struct Engine<C> {
    pub(crate) runs: Runs,
    pub(crate) store: Store,
    pub(crate) registry: Registry<C>,
    pub(crate) options: Options,
    /// Made when the first run starts: who only looks at runs holds none.
    keeper: Mutex<Option<Arc<Keeper>>>,
    /// The runs that were handed over and are worked on.
    spawned: Mutex<JoinSet<()>>,
}

impl<C: Send + Sync + 'static> Engine<C> {
    /// An engine over a store, for the tasks in the registry.
    pub fn new(store: Store, registry: Registry<C>, options: Options) -> Engine<C> {
        let runs = Runs::new(store.clone());
        Engine { runs, store, registry, options, keeper: Mutex::new(None), spawned: Mutex::default() }
    }

    /// The runs in the store.
    pub fn runs(&self) -> &Runs {
        &self.runs
    }

    /// Hands a run to the engine, which works on it whether or not somebody waits for it. Comes back as soon as the run
    /// is there; a problem means that there is none to work on.
    pub async fn spawn(self: &Arc<Self>, context: &Arc<C>, start: Start) -> Result<Spawned, Problem> {
        self.spawn_in(context, start, None).await
    }

    /// The same in a slot, which is given back when the run is over.
    pub async fn spawn_in(
        self: &Arc<Self>,
        context: &Arc<C>,
        start: Start,
        slot: Option<Slot>,
    ) -> Result<Spawned, Problem> {
        let begin = self.begin(&start).await?;
        let run = begin.run().clone();
        let (tell, ended) = oneshot::channel();
        let (engine, context) = (self.clone(), context.clone());
        let span = run_span(&run);
        let working = async move {
            let ended = engine.go(&context, &start, begin).await;
            drop(slot);
            drop(tell.send(ended));
        };
        let mut spawned = self.spawned.lock().unwrap_or_else(PoisonError::into_inner);
        while spawned.try_join_next().is_some() {}
        spawned.spawn(working.instrument(span));
        Ok(Spawned { run, ended })
    }

    /// Gives up what was handed over and is not finished, and waits until nothing of it is left. Such runs are
    /// interrupted once this process is gone.
    pub async fn abandon(&self) {
        let mut spawned = std::mem::take(&mut *self.spawned.lock().unwrap_or_else(PoisonError::into_inner));
        spawned.shutdown().await;
    }

    /// Stops what was handed over where it stands, so that another process may go on with it, and waits until nothing of
    /// it is left: begun as from the queue it waits for a worker, else for whoever resumes it.
    pub async fn hand_back(&self) {
        let keeper = self.keeper.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(keeper) = keeper {
            keeper.hand_back();
        }
        let mut spawned = std::mem::take(&mut *self.spawned.lock().unwrap_or_else(PoisonError::into_inner));
        while spawned.join_next().await.is_some() {}
    }

    /// Works on a run to its end, here. The outer problem means that there is no run.
    ///
    /// If the request has a key that a run of the same input has, that run's result is given: a finished one's at once,
    /// a live one's when it ends; one that nobody works on is worked on here.
    ///
    /// If the future is dropped, the run stays `running` until the engine or its process is gone, then it is
    /// interrupted.
    pub async fn start(&self, context: &C, request: Request) -> Result<Ended, Problem> {
        self.start_here(context, Start::Request(request)).await
    }

    /// Works on a run again, from the top, here: recorded steps give what they gave. One that finished by its own account
    /// gives its recorded result.
    pub async fn resume(&self, context: &C, id: &RunId) -> Result<Ended, Problem> {
        self.start_here(context, Start::Resume(id.clone())).await
    }

    async fn start_here(&self, context: &C, start: Start) -> Result<Ended, Problem> {
        let begin = self.begin(&start).await?;
        let span = run_span(begin.run());
        self.go(context, &start, begin).instrument(span).await
    }

    /// Makes the run or takes it, so that nobody else does.
    async fn begin(&self, start: &Start) -> Result<Begin, Problem> {
        match start {
            Start::Request(request) => self.begin_request(request, Beginning::Attached).await,
            Start::Queued(request) => self.begin_request(request, Beginning::Taken).await,
            Start::Resume(id) => self.begin_again(id).await,
            Start::Fork { from, steps, mode } => self.begin_fork(from, *steps, *mode).await,
        }
    }

    /// Goes on from there to the run's end.
    async fn go(&self, context: &C, start: &Start, mut begin: Begin) -> Result<Ended, Problem> {
        loop {
            let key = match start {
                Start::Request(request) | Start::Queued(request) if request.key.is_some() => Some(request),
                _ => None,
            };
            match (begin, key) {
                (Begin::Over(ended), _) => return Ok(ended),
                (Begin::Here(begun), key) => {
                    let ended = self.work(context, begun).await?;
                    let lost = matches!(&ended.result, Err(problem) if problem.code == Code::RunBusy);
                    if !lost || key.is_none() {
                        return Ok(ended);
                    }
                    // The key stands for the run, whoever works on it now.
                }
                (Begin::Joined(run), Some(request)) => {
                    if let Some(ended) = self.join(context, request, &run).await? {
                        return Ok(ended);
                    }
                }
                (Begin::Joined(_), None) => unreachable!("only a key leads to a run that is there"),
            }
            begin = self.begin(start).await?;
        }
    }

    async fn begin_request(&self, request: &Request, begins: fn(Lease) -> Beginning) -> Result<Begin, Problem> {
        self.registry.find(&request.task)?;
        let keeper = self.keeper()?;
        let new = self.new_run(request, begins(keeper.lease().clone()));
        let fence = Fence { run: new.id.clone(), attempt: 1 };
        match self.store.create_run(new).await {
            Ok(events) => {
                let input = Begins::New { task: request.task.clone(), input: request.input.clone() };
                Ok(Begin::Here(self.begun(keeper.hold(fence), input, &events)))
            }
            Err(Error::KeyTaken { run }) => {
                match self.runs.journal(&run).await {
                    Ok(journal) => same_request(&journal, request)?,
                    // Gone again; who joins finds out.
                    Err(problem) if problem.code == Code::RunUnknown => {}
                    Err(problem) => return Err(problem),
                }
                Ok(Begin::Joined(run))
            }
            Err(error) => Err(error.into()),
        }
    }

    async fn begin_again(&self, id: &RunId) -> Result<Begin, Problem> {
        let journal = self.runs.journal(id).await?;
        let run = &journal.run;
        match (run.state, &run.problem) {
            (RunState::Interrupted | RunState::Pending | RunState::Waiting, _)
            | (RunState::Failed | RunState::Cancelled, Some(_)) => {}
            (RunState::Running, _) => return Err(self.runs.busy(&journal.run)),
            _ => return Ok(Begin::Over(self.recorded(&journal).await?)),
        }
        match self.claim(&journal).await? {
            Some(begun) => Ok(Begin::Here(begun)),
            None => Err(self.runs.busy(&self.runs.journal(id).await?.run)),
        }
    }

    async fn begin_fork(&self, from: &RunId, steps: usize, mode: Mode) -> Result<Begin, Problem> {
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
        let lease = keeper.lease().clone();
        let begins = match mode {
            Mode::Attached => Beginning::Attached(lease),
            Mode::Queued => Beginning::Taken(lease),
        };
        let new = self.new_run(&request, begins);
        let fence = Fence { run: new.id.clone(), attempt: 1 };
        let events = self.store.fork_run(new, from, steps as i64).await?;
        Ok(Begin::Here(self.begun(keeper.hold(fence), Begins::Recorded, &events)))
    }

    /// An attempt that this process has just begun; its first events are told.
    fn begun(&self, grip: Grip, input: Begins, events: &[Event]) -> Begun {
        let open = self.runs.hub().open(&grip.fence().run);
        Emitter::new(grip.fence().run.clone(), open.channel()).tell(events);
        Begun { grip, open, input }
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

    pub(crate) fn new_run(&self, request: &Request, beginning: Beginning) -> NewRun {
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
        loop {
            let journal = match self.runs.journal(id).await {
                Err(problem) if problem.code == Code::RunUnknown => return Ok(None),
                other => other?,
            };
            same_request(&journal, request)?;
            match journal.run.state {
                RunState::Running => match self.runs.settled(id).await {
                    Err(problem) if problem.code == Code::RunUnknown => return Ok(None),
                    settled => settled?,
                },
                RunState::Interrupted | RunState::Pending | RunState::Waiting => {
                    if let Some(begun) = self.claim(&journal).await? {
                        return self.work(context, begun).await.map(Some);
                    }
                }
                _ => return self.recorded(&journal).await.map(Some),
            }
        }
    }

    /// Begins to work on a run that nobody works on; `None` if somebody else was faster.
    async fn claim(&self, journal: &Journal) -> Result<Option<Begun>, Problem> {
        let run = &journal.run;
        self.registry.find(&run.task)?;
        let before = Fence { run: run.id.clone(), attempt: run.attempts };
        let keeper = self.keeper()?;
        match self.store.claim_run(before, keeper.lease()).await {
            Ok(events) => {
                let fence = Fence { run: run.id.clone(), attempt: run.attempts + 1 };
                Ok(Some(self.begun(keeper.hold(fence), Begins::Recorded, &events)))
            }
            Err(Error::Fenced { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// An attempt at a run that this process has just taken from the queue.
    pub(crate) fn taken(&self, grip: Grip, events: &[Event]) -> Begun {
        self.begun(grip, Begins::Recorded, events)
    }

    pub(crate) async fn work(&self, context: &C, begun: Begun) -> Result<Ended, Problem> {
        let Begun { grip, open, input } = begun;
        let fence = grip.fence().clone();
        let emitter = Emitter::new(fence.run.clone(), open.channel());
        let (task, input, steps, imported) = match input {
            Begins::New { task, input } => (task, input, Vec::new(), false),
            // Read after the attempt began: from here on nobody else can add a step.
            Begins::Recorded => match self.runs.read(&fence.run).await {
                Ok(Journal { run, steps, .. }) => (run.task, run.input, steps, run.here.imported_at.is_some()),
                // What passes is somebody else's to try again.
                Err(problem) if problem.code != Code::JournalDamaged => {
                    let _ = self.store.release_run(fence).await;
                    return Err(problem);
                }
                // Nobody else can read it either, so it must not wait for one who can.
                Err(problem) => {
                    let run = fence.run.clone();
                    let result = self.finish(fence, &emitter, Err(problem.in_run(&run))).await;
                    return Ok(Ended { run, result });
                }
            },
        };
        let span = Span::current();
        span.record("task", display(&task)).record("attempt", fence.attempt);
        info!(target: "assay::run", task = %task, attempt = fence.attempt, recorded = steps.len(), "run began");
        let began = Instant::now();
        let task = self.registry.find(&task)?;
        let work = Work::Live { fault: self.options.fault, grip };
        let mut run = Run::new(fence.clone(), self.store.clone(), emitter.clone(), steps, imported, work);
        let outcome = task(&mut run, context, input).await;
        let result = run.settle(outcome).map_err(|problem| problem.in_run(&fence.run));
        let result = match run.stopped() {
            _ if run.is_waiting() => result,
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
        // The code says what kind of problem it was; its message may hold a stranger's words.
        let (state, code) = match &result {
            Ok(finish) => (finish.state.as_str(), None),
            Err(problem) => ("ended", Some(problem.code_name())),
        };
        span.record("state", state).record("error.type", code);
        info!(target: "assay::run", state, code, ms = began.elapsed().as_secs_f64() * 1e3, "run ended");
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

    /// The result of a run that has ended.
    async fn recorded(&self, journal: &Journal) -> Result<Ended, Problem> {
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

/// What everything that is told of an attempt is within; of the request that began it, if one did.
pub(crate) fn run_span(run: &RunId) -> Span {
    error_span!(target: "assay::run", "run", run = %run, task = Empty, attempt = Empty, state = Empty, error.type = Empty)
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
