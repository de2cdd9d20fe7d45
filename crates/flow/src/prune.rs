//! Forgetting runs that ended long ago, and the files that only they needed.
//!
//! A run goes only if it ended, long enough ago, and is not among the latest to end. That is checked again in the
//! statement that deletes it, so a run that was resumed meanwhile stays. Nothing is ever pruned by itself.

use std::collections::HashSet;
use std::time::Duration;

use base::{Problem, RunId, Timestamp};
use store::{Freed, RunSummary};

use crate::{Runs, documents};

/// How many runs one commit deletes: whoever else writes waits for no longer than that takes.
const BATCH: usize = 100;

/// What is to be forgotten.
#[derive(Clone, Copy, Debug)]
pub struct Prune {
    /// How long ago a run must have ended.
    pub older_than: Duration,
    /// How many of the latest to end stay however old they are.
    pub keep: usize,
    /// Only say what would go.
    pub dry_run: bool,
}

impl Runs {
    /// Deletes runs and then the files that no row names any more; gives the `prune` document. Of a dry run it says what
    /// would be.
    pub async fn prune(&self, prune: &Prune) -> Result<documents::Prune, Problem> {
        let older_than_ms = i64::try_from(prune.older_than.as_millis()).unwrap_or(i64::MAX);
        let finished_before = Timestamp(self.store().now().await?.0.saturating_sub(older_than_ms));
        let outdated = self.store().outdated(finished_before, prune.keep).await?;
        let mut runs = outdated.runs;
        let (deleted, freed) = if prune.dry_run {
            let ids: Vec<RunId> = runs.iter().map(|run| run.id.clone()).collect();
            (runs.len(), Some(self.store().unnamed_without(&ids).await?))
        } else {
            (self.delete(&mut runs, finished_before).await?, self.store().remove_unnamed().await?)
        };
        let Freed { files, bytes } = freed.unwrap_or_default();
        Ok(documents::Prune {
            dry_run: prune.dry_run,
            runs: runs.into_iter().map(documents::Pruned::from).collect(),
            deleted,
            artifacts: files,
            bytes,
            artifacts_busy: freed.is_none(),
            damaged: outdated.damaged,
        })
    }

    /// Deletes the runs and takes those that stayed off the list; says how many went by this call.
    async fn delete(&self, runs: &mut Vec<RunSummary>, finished_before: Timestamp) -> Result<usize, Problem> {
        let (mut deleted, mut stayed) = (0, HashSet::new());
        for batch in runs.chunks(BATCH) {
            let ids: Vec<RunId> = batch.iter().map(|run| run.id.clone()).collect();
            let gone = self.store().delete_runs(ids.clone(), finished_before).await?;
            deleted += gone;
            if gone < ids.len() {
                for id in ids {
                    if self.store().standing(&id).await?.is_some() {
                        stayed.insert(id);
                    }
                }
            }
        }
        runs.retain(|run| !stayed.contains(&run.id));
        Ok(deleted)
    }
}
