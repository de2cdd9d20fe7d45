//! Starting runs and resuming them: the one place that joins tasks, journal and ownership.

use std::sync::{Arc, Mutex, PoisonError};

use base::{Code, Problem, RunId};
use serde_json::Value;
use store::{Ending, Error, Event, Fence, Journal, NewRun, RunState, StepRecord, Store};

use crate::owner::{Life, Owner};
use crate::problem::from_document;
use crate::{Emitter, Fault, Finish, Registry, Run, Runs, Verdict};

/// Told every event of every run this engine works on, durable ones after they are committed. Must not block.
pub type Observer = Arc<dyn Fn(&Event) + Send + Sync>;

/// How an engine behaves.
#[derive(Clone, Default)]
pub struct Options {
    /// The program's version, recorded with each run it creates.
    pub program: String,
    /// Where to die, for tests.
    pub fault: Option<Fault>,
    /// Who watches.
    pub observer: Option<Observer>,
}

/// What to start.
#[derive(Clone, Debug)]
pub struct Request {
    /// The task's registered name, such as `ask/1`.
    pub task: String,
    /// What the task is given; recorded, so it must not hold secrets.
    pub input: Value,
    /// One line for lists.
    pub title: Option<String>,
}

/// A run that is over, at least for this process.
#[derive(Clone, Debug)]
pub struct Ended {
    /// The run.
    pub run: RunId,
    /// What its task gave, or the problem it ended with, which names the run.
    pub result: Result<Finish, Problem>,
}

/// Works on attached runs in this process. `C` is what the caller lends to the tasks.
pub struct Engine<C> {
    runs: Runs,
    store: Store,
    registry: Registry<C>,
    options: Options,
    /// Entered when the first run starts: who only looks at runs needs no name.
    owner: Mutex<Option<Arc<Owner>>>,
}

impl<C: Send + Sync + 'static> Engine<C> {
    /// An engine over a store, for the tasks in the registry.
    pub fn new(store: Store, registry: Registry<C>, options: Options) -> Engine<C> {
        Engine { runs: Runs::new(store.clone()), store, registry, options, owner: Mutex::new(None) }
    }

    /// The runs in the store.
    pub fn runs(&self) -> &Runs {
        &self.runs
    }

    /// Creates a run and works on it to its end. The outer problem means that there is no run.
    ///
    /// If the future is dropped, the run stays `running` until the engine or its process is gone, then it is
    /// interrupted.
    pub async fn start(&self, context: &C, request: Request) -> Result<Ended, Problem> {
        self.registry.find(&request.task)?;
        let owner = self.owner()?;
        let id = RunId::fresh();
        let new = NewRun {
            id: id.clone(),
            task: request.task.clone(),
            input: request.input.clone(),
            title: request.title,
            program: self.options.program.clone(),
            owner: owner.id().to_string(),
        };
        let events = self.store.create_run(new).await?;
        let fence = Fence { run: id, attempt: 1 };
        self.work(context, &request.task, request.input, fence, Vec::new(), &events).await
    }

    /// Works on a run again, from the top: recorded steps give what they gave. For a run that was interrupted, or that
    /// a problem ended; one that finished by its own account gives its recorded result.
    pub async fn resume(&self, context: &C, id: &RunId) -> Result<Ended, Problem> {
        let journal = self.runs.journal(id).await?;
        let run = &journal.run;
        match (run.state, &run.problem) {
            (RunState::Interrupted, _) | (RunState::Failed | RunState::Cancelled, Some(_)) => {}
            (RunState::Running | RunState::Pending, _) => return Err(self.busy(&journal)),
            (state, _) => return self.recorded(state, &journal).await,
        }
        self.registry.find(&run.task)?;
        let owner = self.owner()?;
        let before = Fence { run: id.clone(), attempt: run.attempts };
        let events = self.store.claim_run(before, owner.id()).await.map_err(|error| match error {
            Error::Fenced { .. } => taken(id, None),
            other => other.into(),
        })?;
        // Read after the claim: from here on nobody else can add a step.
        let journal = self.runs.journal(id).await?;
        let fence = Fence { run: id.clone(), attempt: journal.run.attempts };
        self.work(context, &journal.run.task, journal.run.input, fence, journal.steps, &events).await
    }

    async fn work(
        &self,
        context: &C,
        task: &str,
        input: Value,
        fence: Fence,
        recorded: Vec<StepRecord>,
        events: &[Event],
    ) -> Result<Ended, Problem> {
        let emitter = Emitter::new(fence.run.clone(), self.options.observer.clone());
        emitter.tell(events);
        let mut run = Run::new(fence.clone(), self.store.clone(), emitter.clone(), self.options.fault, recorded);
        let outcome = self.registry.find(task)?(&mut run, context, input).await;
        let result = run.settle(outcome).map_err(|problem| problem.in_run(&fence.run));
        let result = self.finish(fence.clone(), &emitter, result).await;
        Ok(Ended { run: fence.run, result })
    }

    async fn finish(
        &self,
        fence: Fence,
        emitter: &Emitter,
        result: Result<Finish, Problem>,
    ) -> Result<Finish, Problem> {
        let ending = match &result {
            Ok(finish) => {
                Ending { state: state_of(finish.state), output: Some(finish.output.to_string()), problem: None }
            }
            Err(problem) => {
                let state = if problem.code == Code::Cancelled { RunState::Cancelled } else { RunState::Failed };
                Ending { state, output: None, problem: Some(problem.clone()) }
            }
        };
        let run = fence.run.clone();
        match (self.store.finish_run(fence, ending).await, result) {
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

    /// The result of a run that finished by its own account.
    async fn recorded(&self, state: RunState, journal: &Journal) -> Result<Ended, Problem> {
        let verdict = match state {
            RunState::Succeeded => Verdict::Succeeded,
            RunState::Rejected => Verdict::Rejected,
            _ => Verdict::Failed,
        };
        let problem = journal.run.problem.as_ref().and_then(from_document);
        let result = match problem {
            Some(problem) => Err(problem),
            None => Ok(Finish { state: verdict, output: self.runs.output(journal).await? }),
        };
        Ok(Ended { run: journal.run.id.clone(), result })
    }

    fn busy(&self, journal: &Journal) -> Problem {
        let life = journal.run.owner.as_ref().map(|owner| crate::owner::life(self.store.data_dir(), owner));
        let pid = match life {
            Some(Life::Alive { pid }) => pid,
            _ => None,
        };
        taken(&journal.run.id, pid)
    }

    fn owner(&self) -> Result<Arc<Owner>, Problem> {
        // Nothing panics while it is held; a poisoned lock still guards a whole value.
        let mut owner = self.owner.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(owner) = &*owner {
            return Ok(owner.clone());
        }
        let entered = Arc::new(Owner::enter(self.store.data_dir())?);
        *owner = Some(entered.clone());
        Ok(entered)
    }
}

fn state_of(verdict: Verdict) -> RunState {
    match verdict {
        Verdict::Succeeded => RunState::Succeeded,
        Verdict::Rejected => RunState::Rejected,
        Verdict::Failed => RunState::Failed,
    }
}

fn taken(id: &RunId, pid: Option<u32>) -> Problem {
    let who = pid.map_or("another process".to_string(), |pid| format!("process {pid}"));
    Problem::new(Code::StoreLocked, format!("run `{id}` is being worked on by {who}"))
        .hint(format!("wait for it; `assay runs show {id}` shows how far it is"))
        .in_run(id)
}
