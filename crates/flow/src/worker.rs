//! Working on queued runs: several at once, taken one after another, until told to stop.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use base::{Problem, RunId};
use tokio::task::JoinSet;
use tracing::Instrument;

use crate::engine::run_span;
use crate::{Ended, Engine, Slot, Slots};

/// How often it looks for a run to take.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// How often it looks for runs whose worker is gone.
const REAP_EVERY: Duration = Duration::from_millis(250);
/// How long it waits after a look that failed.
const PAUSE_AFTER_PROBLEM: Duration = Duration::from_secs(1);

/// How a worker works.
#[derive(Clone, Debug)]
pub struct Worker {
    /// How many runs at once.
    pub slots: Slots,
    /// Whether to end when no run waits and none is in any worker's hands.
    pub until_idle: bool,
}

impl<C: Send + Sync + 'static> Engine<C> {
    /// Takes queued runs of the registry's tasks and works on them until `stop` comes back; then it hands back what it
    /// has not finished. `tell` hears which runs it takes, how each ended, and of problems with the store, which it
    /// outlives.
    pub async fn work_queue(
        self: &Arc<Self>,
        context: &Arc<C>,
        worker: Worker,
        stop: impl Future<Output = ()>,
        tell: impl Fn(Told<'_>),
    ) -> Result<usize, Problem> {
        let keeper = self.keeper()?;
        let mut stop = pin!(stop);
        let mut working: JoinSet<Result<Ended, Problem>> = JoinSet::new();
        let (mut reaped_at, mut ended) = (None::<Instant>, 0);
        loop {
            let due = reaped_at.is_none_or(|at| at.elapsed() >= REAP_EVERY);
            let looked = self.take(context, &worker, due, &mut working, &tell).await;
            reaped_at = if due { Some(Instant::now()) } else { reaped_at };
            let pause = match looked {
                Ok(Look::Idle) if worker.until_idle && working.is_empty() => return Ok(ended),
                Ok(_) => LOOK_EVERY,
                Err(problem) => {
                    tell(Told::Trouble(&problem));
                    PAUSE_AFTER_PROBLEM
                }
            };
            tokio::select! {
                biased;
                () = &mut stop => break,
                Some(one) = working.join_next() => ended += report(one, &tell),
                () = worker.slots.changed() => {}
                () = tokio::time::sleep(pause) => {}
            }
            while let Some(one) = working.try_join_next() {
                ended += report(one, &tell);
            }
        }
        keeper.hand_back();
        while let Some(one) = working.join_next().await {
            ended += report(one, &tell);
        }
        Ok(ended)
    }

    async fn take(
        self: &Arc<Self>,
        context: &Arc<C>,
        worker: &Worker,
        reap: bool,
        working: &mut JoinSet<Result<Ended, Problem>>,
        tell: &impl Fn(Told<'_>),
    ) -> Result<Look, Problem> {
        let keeper = self.keeper()?;
        if reap {
            self.runs.reap_sparing(|| keeper.held()).await?;
        }
        let (pending, in_hands) = self.store.queue().await?;
        let mut free: Vec<Slot> = Vec::new();
        while (free.len() as i64) < pending
            && let Some(slot) = worker.slots.reserve()
        {
            free.push(slot);
        }
        if free.is_empty() {
            worker.slots.set_waited(pending > 0);
            return Ok(if pending == 0 && in_hands == 0 { Look::Idle } else { Look::Busy });
        }
        let taken = self.store.take_runs(keeper.lease(), &self.registry.names(), free.len()).await?;
        worker.slots.set_waited(pending > taken.runs.len() as i64);
        let look = if taken.runs.is_empty() && in_hands == 0 { Look::Idle } else { Look::Busy };
        for fence in taken.runs {
            let events: Vec<_> = taken.events.iter().filter(|event| event.run == fence.run).cloned().collect();
            // Held from here on, so that it is handed back also if it has not begun.
            let grip = keeper.hold(fence);
            let run = grip.fence().run.clone();
            let begun = self.taken(grip, &events);
            tell(Told::Began(&run));
            let (engine, context) = (self.clone(), context.clone());
            let slot = free.pop();
            let work = async move {
                let _slot = slot;
                engine.work(&context, begun).await
            };
            working.spawn(work.instrument(run_span(&run)));
        }
        Ok(look)
    }
}

/// What a worker says of its work.
#[derive(Clone, Copy, Debug)]
pub enum Told<'a> {
    /// It has taken a run, whose events can be heard from here on.
    Began(&'a RunId),
    /// A run came to an end.
    Ended(&'a Ended),
    /// Something does not work, and is tried again.
    Trouble(&'a Problem),
}

enum Look {
    /// Nothing to take, and nobody has anything in hand.
    Idle,
    Busy,
}

/// A run whose task panicked is no longer renewed, so it is taken again when its lease lapses.
fn report(one: Result<Result<Ended, Problem>, tokio::task::JoinError>, tell: &impl Fn(Told<'_>)) -> usize {
    match one {
        Ok(Ok(ended)) => {
            tell(Told::Ended(&ended));
            1
        }
        Ok(Err(problem)) => {
            tell(Told::Trouble(&problem));
            0
        }
        Err(error) => {
            tell(Told::Trouble(&Problem::new(base::Code::Internal, format!("a run's task ended early: {error}"))));
            0
        }
    }
}
