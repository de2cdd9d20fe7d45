//! Holding a run's code against its journal: no step is performed, nothing is recorded, the first difference is told.
//!
//! What a task does beside its steps it does again, such as preparing a dataset that is not prepared here yet.

use base::{Code, Problem, RunId};
use serde_json::Value;
use store::{Fence, Journal, RunState};

use crate::run::Work;
use crate::{Emitter, Engine, Run};

/// What holding the code against the journal came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Replay {
    /// The run.
    pub run: RunId,
    /// How many recorded steps the code came by.
    pub steps: usize,
    /// Where it first went another way; none if it did not.
    pub difference: Option<Difference>,
}

/// Where code and journal part.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// In words.
    pub message: String,
    /// A JSON pointer into the output, if that is what differs.
    pub path: Option<String>,
    /// What the journal has there.
    pub recorded: Value,
    /// What the code gives there.
    pub replayed: Value,
}

impl<C: Send + Sync + 'static> Engine<C> {
    /// Runs the task's code again with what its steps gave, and compares what it makes of that. The code of an
    /// unfinished run is followed to where its journal ends. A problem means that the code could not be run at all.
    pub async fn replay(&self, context: &C, id: &RunId) -> Result<Replay, Problem> {
        let journal = self.runs.journal(id).await?;
        let task = self.registry.find(&journal.run.task)?;
        let mut run = self.followed(&journal);
        let outcome = task(&mut run, context, journal.run.input.clone()).await;
        let steps = run.position();
        let went_on = steps == journal.steps.len() && run.ended();
        let outcome = run.settle(outcome);
        let difference = match (outcome, journal.run.state) {
            // Where the journal ends, an unfinished run's code goes on, and so does one's that a problem ended.
            (Err(_), state) if went_on && !finished_by_itself(state, &journal) => None,
            (Err(problem), _) if problem.code == Code::JournalMismatch => Some(told(problem.message)),
            (Err(problem), _) => match same_problem(&journal, &problem) {
                true => None,
                false => return Err(problem.in_run(id)),
            },
            (Ok(finish), state) if finished_by_itself(state, &journal) && RunState::from(finish.state) != state => {
                let state = state.as_str();
                Some(told(format!("the code gives `{}` where the run is recorded as `{state}`", finish.state.as_str())))
            }
            (Ok(finish), state) if finished_by_itself(state, &journal) => {
                let recorded = self.runs.output(&journal).await?;
                first_difference(&recorded, &finish.output, self.registry.measured(&journal.run.task))
            }
            (Ok(_), state) => Some(told(format!("the code finishes where the run is recorded as {}", state.as_str()))),
        };
        Ok(Replay { run: id.clone(), steps, difference })
    }

    /// How far a run's task is, in its own terms: what it last said when its code follows what is recorded. Null for a
    /// task that says nothing.
    pub async fn note(&self, context: &C, id: &RunId) -> Result<Value, Problem> {
        let journal = self.runs.journal(id).await?;
        let task = self.registry.find(&journal.run.task)?;
        let mut run = self.followed(&journal);
        // Where the journal ends, so does the code, and that is no problem here.
        let _ = task(&mut run, context, journal.run.input.clone()).await;
        Ok(run.take_note())
    }

    fn followed(&self, journal: &Journal) -> Run {
        let run = &journal.run;
        let fence = Fence { run: run.id.clone(), attempt: run.attempts };
        let work = Work::Replay { artifacts: journal.artifacts.clone() };
        let imported = run.here.imported_at.is_some();
        Run::new(fence, self.store.clone(), Emitter::mute(run.id.clone()), journal.steps.clone(), imported, work)
    }
}

fn finished_by_itself(state: RunState, journal: &Journal) -> bool {
    state.is_final() && journal.run.problem.is_none()
}

fn same_problem(journal: &Journal, problem: &Problem) -> bool {
    journal.run.problem.as_ref().is_some_and(|recorded| recorded["code"] == problem.code_name())
}

fn told(message: String) -> Difference {
    Difference { message, path: None, recorded: Value::Null, replayed: Value::Null }
}

/// The first place, in the order of the recorded document, where two documents differ; measured parts do not count.
fn first_difference(recorded: &Value, replayed: &Value, measured: &[&str]) -> Option<Difference> {
    let (path, recorded, replayed) = differ(recorded, replayed, String::new(), measured)?;
    let message = format!("the output differs at `{}`", if path.is_empty() { "/" } else { &path });
    Some(Difference { message, path: Some(path), recorded, replayed })
}

fn differ(a: &Value, b: &Value, path: String, measured: &[&str]) -> Option<(String, Value, Value)> {
    if measured.contains(&path.as_str()) {
        return None;
    }
    let below = |name: &str| format!("{path}/{}", name.replace('~', "~0").replace('/', "~1"));
    let absent = Value::Null;
    match (a, b) {
        (Value::Object(left), Value::Object(right)) => {
            let names = left.keys().chain(right.keys().filter(|name| !left.contains_key(*name)));
            let mut pairs =
                names.map(|name| (name, left.get(name).unwrap_or(&absent), right.get(name).unwrap_or(&absent)));
            pairs.find_map(|(name, a, b)| differ(a, b, below(name), measured))
        }
        (Value::Array(left), Value::Array(right)) => (0..left.len().max(right.len())).find_map(|index| {
            let (a, b) = (left.get(index).unwrap_or(&absent), right.get(index).unwrap_or(&absent));
            differ(a, b, below(&index.to_string()), measured)
        }),
        _ if a == b => None,
        _ => Some((path, a.clone(), b.clone())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_first_difference_is_pointed_at_and_what_is_measured_does_not_count() {
        let recorded = json!({ "rows": [[1, 2], [3, 4]], "timing": { "total": 1.5 }, "a/b": null });
        let at = |replayed: Value| first_difference(&recorded, &replayed, &["/timing"]).map(|found| found.path);
        assert_eq!(at(json!({ "a/b": null, "rows": [[1, 2], [3, 4]], "timing": { "total": 9 } })), None);
        assert_eq!(at(json!({ "rows": [[1, 2], [3, 5]], "timing": {}, "a/b": 1 })), Some(Some("/rows/1/1".into())));
        assert_eq!(at(json!({ "rows": [[1, 2]], "a/b": null })), Some(Some("/rows/1".into())));
        assert_eq!(at(json!({ "rows": [[1, 2], [3, 4]], "a/b": 1 })), Some(Some("/a~1b".into())));
    }
}
