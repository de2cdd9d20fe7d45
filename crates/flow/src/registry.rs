//! Tasks by name, so that a run's code is found again after a restart.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;

use base::{Code, Problem};
use serde_json::Value;
use store::{FoundBy, RunState};

use crate::Run;

/// How a task ended by its own account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// With what was asked for.
    Succeeded,
    /// By declining, such as a refused question.
    Rejected,
    /// Without it, such as a program that failed.
    Failed,
}

impl Verdict {
    /// The word of the run's state.
    pub fn as_str(self) -> &'static str {
        RunState::from(self).as_str()
    }
}

impl From<Verdict> for RunState {
    fn from(verdict: Verdict) -> RunState {
        match verdict {
            Verdict::Succeeded => RunState::Succeeded,
            Verdict::Rejected => RunState::Rejected,
            Verdict::Failed => RunState::Failed,
        }
    }
}

/// What a task gives back: the document it made, and whether that is what was asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Finish {
    /// How it ended.
    pub state: Verdict,
    /// The document.
    pub output: Value,
    /// What else than its id the run is found by from now on.
    pub found_by: FoundBy,
}

impl Finish {
    /// A finish with what was asked for.
    pub fn succeeded(output: Value) -> Finish {
        Finish { state: Verdict::Succeeded, output, found_by: FoundBy::default() }
    }

    /// A finish that declines.
    pub fn rejected(output: Value) -> Finish {
        Finish { state: Verdict::Rejected, output, found_by: FoundBy::default() }
    }

    /// A finish without what was asked for.
    pub fn failed(output: Value) -> Finish {
        Finish { state: Verdict::Failed, output, found_by: FoundBy::default() }
    }
}

/// An `async fn(&mut Run, &C, Value) -> Result<Finish, Problem>`. Implemented for every such function; the lifetime
/// lets the future borrow its arguments.
pub trait Task<'a, C: 'a>: Send + Sync + 'static {
    /// What the function returns.
    type Working: Future<Output = Result<Finish, Problem>> + Send + 'a;

    /// Begins the work.
    fn begin(&self, run: &'a mut Run, context: &'a C, input: Value) -> Self::Working;
}

impl<'a, C: 'a, F, W> Task<'a, C> for F
where
    F: Fn(&'a mut Run, &'a C, Value) -> W + Send + Sync + 'static,
    W: Future<Output = Result<Finish, Problem>> + Send + 'a,
{
    type Working = W;

    fn begin(&self, run: &'a mut Run, context: &'a C, input: Value) -> W {
        self(run, context, input)
    }
}

type Working<'a> = Pin<Box<dyn Future<Output = Result<Finish, Problem>> + Send + 'a>>;
type BoxedTask<C> = Box<dyn for<'a> Fn(&'a mut Run, &'a C, Value) -> Working<'a> + Send + Sync>;

/// The tasks a program knows. `C` is what the caller lends to each of them.
pub struct Registry<C> {
    tasks: BTreeMap<&'static str, BoxedTask<C>>,
    measured: BTreeMap<&'static str, &'static [&'static str]>,
}

impl<C: 'static> Registry<C> {
    /// A registry without tasks.
    pub fn new() -> Registry<C> {
        Registry { tasks: BTreeMap::new(), measured: BTreeMap::new() }
    }

    /// Adds a task under a name such as `ask/1`. The number changes when old journals no longer fit the code.
    #[must_use]
    pub fn with<F>(mut self, name: &'static str, task: F) -> Registry<C>
    where
        F: for<'a> Task<'a, C>,
    {
        self.tasks.insert(name, Box::new(move |run, context, input| Box::pin(task.begin(run, context, input))));
        self
    }

    /// Says which parts of a task's output, as JSON pointers, are measured anew each time and so differ on replay.
    #[must_use]
    pub fn measuring(mut self, name: &'static str, pointers: &'static [&'static str]) -> Registry<C> {
        self.measured.insert(name, pointers);
        self
    }

    pub(crate) fn measured(&self, name: &str) -> &'static [&'static str] {
        self.measured.get(name).copied().unwrap_or_default()
    }

    /// The names of all tasks.
    pub(crate) fn names(&self) -> Vec<&'static str> {
        self.tasks.keys().copied().collect()
    }

    pub(crate) fn find(&self, name: &str) -> Result<&BoxedTask<C>, Problem> {
        self.tasks.get(name).ok_or_else(|| {
            Problem::new(Code::TaskUnknown, format!("this program has no task `{name}`"))
                .hint(format!("it knows: {}", self.names().join(", ")))
        })
    }
}

impl<C: 'static> Default for Registry<C> {
    fn default() -> Registry<C> {
        Registry::new()
    }
}
