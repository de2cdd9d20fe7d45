//! Runs as documents: what `runs show`, `runs list` and `--jsonl` print.
//!
//! Looking is also when a dead owner is noticed: a run that says `running` while its process is gone is stored as
//! interrupted before it is shown.

use std::collections::BTreeSet;

use base::{Code, Problem, RunId};
use serde_json::{Value, json};
use store::{Event, Journal, Mode, RunState, RunSummary, StepRecord, Store};

use crate::owner::{self, Life};

/// The most runs or events one call gives.
const PAGE_MAX: usize = 1000;

/// The runs of one store. Needs no tasks, so that showing a run does not need what running it would.
#[derive(Clone)]
pub struct Runs {
    store: Store,
}

impl Runs {
    /// The runs in this store.
    pub fn new(store: Store) -> Runs {
        Runs { store }
    }

    /// The `run` document.
    pub async fn show(&self, id: &RunId) -> Result<Value, Problem> {
        Ok(run_document(&self.journal(id).await?))
    }

    /// The `runs` document: newest first, those before the given run; its `next` continues.
    pub async fn list(&self, limit: usize, before: Option<&RunId>) -> Result<Value, Problem> {
        let limit = limit.clamp(1, PAGE_MAX);
        let mut runs = self.store.summaries(limit + 1, before).await?;
        let owners = runs.iter().filter(|run| run.state == RunState::Running && run.mode == Mode::Attached);
        let owners: BTreeSet<String> = owners.filter_map(|run| run.owner.clone()).collect();
        let mut changed = false;
        for owner in owners {
            changed |= self.bury(&owner).await?.is_none();
        }
        if changed {
            runs = self.store.summaries(limit + 1, before).await?;
        }
        let more = runs.len() > limit;
        runs.truncate(limit);
        let next = runs.last().filter(|_| more).map(|run| &run.id);
        Ok(json!({ "v": 1, "kind": "runs", "runs": runs.iter().map(list_entry).collect::<Vec<_>>(), "next": next }))
    }

    /// The durable events after a number, in order, at most a thousand. The last of an ended run is `run.finished`,
    /// with its whole output.
    pub async fn events(&self, id: &RunId, after: i64) -> Result<Vec<Event>, Problem> {
        let journal = self.journal(id).await?;
        let mut events = self.store.events(id, after, PAGE_MAX).await?;
        let output = journal.run.output.as_ref().map(store::Content::document);
        for event in events.iter_mut().filter(|event| event.kind == "run.finished") {
            if output.is_some() && event.data.get("output") == output.as_ref() {
                event.data["output"] = self.output(&journal).await?;
            }
        }
        Ok(events)
    }

    /// Everything recorded about a run, its state being true now.
    pub async fn journal(&self, id: &RunId) -> Result<Journal, Problem> {
        let journal = self.read(id).await?;
        match &journal.run.owner {
            Some(owner) if journal.run.state == RunState::Running && journal.run.mode == Mode::Attached => {
                match self.bury(owner).await? {
                    None => self.read(id).await,
                    Some(_) => Ok(journal),
                }
            }
            _ => Ok(journal),
        }
    }

    /// The run's whole output, read from its artifact if it is large; null if there is none.
    pub async fn output(&self, journal: &Journal) -> Result<Value, Problem> {
        match &journal.run.output {
            None => Ok(Value::Null),
            Some(store::Content::Artifact(sha256)) => {
                let contents = self.store.artifact(sha256).await?;
                serde_json::from_slice(&contents).map_err(|error| {
                    Problem::new(Code::JournalDamaged, format!("the output of the run is broken JSON: {error}"))
                        .in_run(&journal.run.id)
                })
            }
            Some(inline) => Ok(inline.document()),
        }
    }

    async fn read(&self, id: &RunId) -> Result<Journal, Problem> {
        self.store.journal(id).await?.ok_or_else(|| {
            Problem::new(Code::RunUnknown, format!("there is no run `{id}`"))
                .hint("`assay runs list` shows those there are")
        })
    }

    /// If the owner is gone, what it left running is stored as interrupted and `None` is returned; else who it is.
    pub(crate) async fn bury(&self, owner: &str) -> Result<Option<Life>, Problem> {
        match owner::life(self.store.data_dir(), owner) {
            Life::Gone => self.store.interrupt_runs_of(owner).await.map(|()| None).map_err(Problem::from),
            alive => Ok(Some(alive)),
        }
    }
}

fn run_document(journal: &Journal) -> Value {
    let run = &journal.run;
    let artifacts = journal.artifacts.iter().map(|artifact| {
        json!({ "name": artifact.name, "media_type": artifact.media_type, "bytes": artifact.bytes,
                "sha256": artifact.sha256 })
    });
    json!({
        "v": 1, "kind": "run", "id": run.id, "task": run.task, "state": run.state.as_str(),
        "mode": run.mode.as_str(), "key": run.key, "title": run.title, "input": run.input,
        "output": run.output.as_ref().map(store::Content::document), "problem": run.problem,
        "forked_from": run.forked_from.as_ref().map(|from| json!({ "run": from.run, "step": from.step })),
        "attempts": run.attempts, "program": run.program, "created_at": run.created_at,
        "finished_at": run.finished_at, "last_seq": run.last_seq,
        "steps": journal.steps.iter().map(step_entry).collect::<Vec<_>>(),
        "artifacts": artifacts.collect::<Vec<_>>(),
    })
}

fn step_entry(step: &StepRecord) -> Value {
    json!({
        "index": step.position, "name": step.name, "state": step.state.as_str(), "attempts": step.attempts,
        "finished_at": step.finished_at, "duration_ms": step.duration_ms, "input_hash": step.input_hash,
        "output_hash": step.output_hash, "output": step.output.document(),
    })
}

fn list_entry(run: &RunSummary) -> Value {
    json!({ "id": run.id, "task": run.task, "state": run.state.as_str(), "key": run.key,
            "created_at": run.created_at, "finished_at": run.finished_at, "title": run.title })
}
