//! Who waits for runs that this process does not work on, and the one look at the store that serves them all.
//!
//! However many follow, one task asks whether anybody committed, and only where somebody did, where the awaited runs stand;
//! whoever's run has changed is woken, and nobody else. A run that this process begins to work on wakes its followers at
//! once, without any look. The task ends with its last follower.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use base::RunId;
use store::RunState;
use tokio::sync::{Notify, watch};

use crate::Runs;
use crate::runs::{LOOK_EVERY, REAP_EVERY};

/// The runs that are awaited. Cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct Lookout(Arc<Inside>);

#[derive(Default)]
struct Inside {
    awaited: Mutex<Awaited>,
    /// Told when the last follower has left.
    left: Notify,
}

#[derive(Default)]
struct Awaited {
    runs: HashMap<RunId, Waiters>,
    is_looking: bool,
}

struct Waiters {
    count: usize,
    tell: watch::Sender<()>,
}

/// A follower's place; dropping it gives the place up.
pub(crate) struct Follow {
    lookout: Lookout,
    run: RunId,
    told: watch::Receiver<()>,
}

impl Lookout {
    /// A place to wait for what becomes of a run, and whether somebody has to begin to look.
    fn enter(&self, run: &RunId) -> (Follow, bool) {
        let mut awaited = self.awaited();
        let waiters =
            awaited.runs.entry(run.clone()).or_insert_with(|| Waiters { count: 0, tell: watch::channel(()).0 });
        waiters.count += 1;
        let told = waiters.tell.subscribe();
        let begins = !std::mem::replace(&mut awaited.is_looking, true);
        (Follow { lookout: self.clone(), run: run.clone(), told }, begins)
    }

    /// Wakes who waits for a run.
    pub(crate) fn tell(&self, run: &RunId) {
        if let Some(waiters) = self.awaited().runs.get(run) {
            let _ = waiters.tell.send(());
        }
    }

    /// The runs that are awaited now; if there are none, nobody looks from here on.
    fn runs_or_end(&self) -> Vec<RunId> {
        let mut awaited = self.awaited();
        awaited.is_looking = !awaited.runs.is_empty();
        awaited.runs.keys().cloned().collect()
    }

    /// Nothing panics while it is held; a poisoned lock still guards a whole value.
    fn awaited(&self) -> MutexGuard<'_, Awaited> {
        self.0.awaited.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Follow {
    /// Comes back when the run may stand elsewhere than when this was entered or last came back.
    pub(crate) async fn changed(&mut self) {
        // Who tells is kept for as long as this place is.
        let _ = self.told.changed().await;
    }
}

impl Drop for Follow {
    fn drop(&mut self) {
        let mut awaited = self.lookout.awaited();
        if let Some(waiters) = awaited.runs.get_mut(&self.run) {
            waiters.count -= 1;
            if waiters.count == 0 {
                awaited.runs.remove(&self.run);
            }
        }
        if awaited.runs.is_empty() {
            self.lookout.0.left.notify_one();
        }
    }
}

impl Runs {
    /// A place to wait for what becomes of a run.
    pub(crate) fn follow(&self, run: &RunId) -> Follow {
        let lookout = self.hub().lookout();
        let (follow, begins) = lookout.enter(run);
        if begins {
            tokio::spawn(look(self.clone(), lookout.clone()));
        }
        follow
    }
}

/// Looks for as long as anybody waits. What cannot be read is told as a change: whoever waits reads for itself, and says
/// what is wrong.
async fn look(runs: Runs, lookout: Lookout) {
    let (mut version, mut reaped_at) = (None, Instant::now());
    let mut stood: HashMap<RunId, (RunState, i64)> = HashMap::new();
    loop {
        if reaped_at.elapsed() >= REAP_EVERY {
            // Followers hear of it by what it changes.
            let _ = runs.reap().await;
            reaped_at = Instant::now();
        }
        // Asked before it is known who waits, so that nobody who came before a commit misses it.
        let now = runs.store().version().await.ok();
        let awaited = lookout.runs_or_end();
        if awaited.is_empty() {
            return;
        }
        if now.is_none() || version != now {
            version = now;
            let marks = runs.store().marks(awaited.clone()).await.unwrap_or_default();
            let mut stands: HashMap<RunId, (RunState, i64)> =
                marks.into_iter().map(|(run, state, last_seq)| (run, (state, last_seq))).collect();
            for run in &awaited {
                let now = stands.get(run);
                if now.is_none() || now != stood.get(run) {
                    lookout.tell(run);
                }
            }
            std::mem::swap(&mut stood, &mut stands);
        }
        tokio::select! {
            () = lookout.0.left.notified() => {}
            () = tokio::time::sleep(LOOK_EVERY) => {}
        }
    }
}
