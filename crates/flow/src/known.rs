//! A run that was over as soon as it began, because what it asks for was found: its one step is that it was. It is begun,
//! recorded and ended in one commit, so that whoever asks again waits for one sync instead of three.
//!
//! Invariant: its journal is the one it would have if its task had been worked on step by step.

use std::time::Instant;

use base::{Code, Hash, Problem, RunId};
use serde_json::{Value, json};
use store::{Beginning, Ending, StepOutcome, StepState};

use crate::run::{Found, whole};
use crate::{Engine, Finish, Request};

/// What the step is called that finds another run by a key.
pub(crate) const RECALL: &str = "recall";

/// The input of that step.
pub(crate) fn recall_input(key: &Hash) -> Value {
    json!({ "key": key })
}

impl<C: Send + Sync + 'static> Engine<C> {
    /// The run that a key leads to, and what it came to.
    pub async fn found_by_key(&self, key: &Hash) -> Result<Option<Found>, Problem> {
        let Some((run, output)) = self.store.recalled(key).await? else { return Ok(None) };
        Ok(Some(Found { output: whole(&self.store, &output).await?, run }))
    }

    /// Records a run of a request, without a key of its own, that `found` is the answer to; `finish` makes its end of it.
    /// `None` where that is too large to be recorded at once.
    pub async fn record_found(
        &self,
        request: &Request,
        key: &Hash,
        found: Found,
        finish: impl FnOnce(&RunId, Found) -> Finish,
    ) -> Result<Option<(RunId, Finish)>, Problem> {
        let begun = Instant::now();
        self.registry.find(&request.task)?;
        let broken = |error: serde_json::Error| Problem::new(Code::Internal, error.to_string());
        let new = self.new_run(request, Beginning::Taken(self.keeper()?.lease().clone()));
        let run = new.id.clone();
        let step = StepOutcome {
            position: 0,
            name: RECALL.to_string(),
            state: StepState::Ok,
            attempts: 1,
            input_hash: Hash::of_json(&recall_input(key)),
            output: serde_json::to_string(&found).map_err(broken)?,
            duration_ms: begun.elapsed().as_micros() as f64 / 1000.0,
            artifacts: Vec::new(),
        };
        let finish = finish(&run, found);
        let ending = Ending { state: finish.state.into(), output: Some(finish.output.to_string()), problem: None };
        let is_recorded = self.store.whole_run(new, step, ending, finish.found_by.clone()).await?;
        Ok(is_recorded.then_some((run, finish)))
    }
}
