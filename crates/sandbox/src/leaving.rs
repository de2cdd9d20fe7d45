//! The supervisors that this process started, from their cells' end until they have cleared everything away.
//!
//! What a cell came to is known before its processes, groups and mounts are gone, and nobody should wait for that with an
//! answer in hand. But a command that has ended must have left nothing behind: so whoever has no more to do waits here.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::process::Child;
use tokio::runtime::Handle;
use tokio::task::JoinSet;
use tokio::time::timeout;

/// A supervisor that needs longer is lost; the next one sweeps up after it.
const CLEARING_TIME_MAX: Duration = Duration::from_secs(5);

/// Those that may still be clearing up, each waited for beside whatever goes on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Leaving(Arc<Mutex<JoinSet<()>>>);

impl Leaving {
    /// Keeps a supervisor in sight, from the moment when its cell is let go.
    pub(crate) fn of(&self, child: Child) -> Supervisor {
        Supervisor { child: Some(child), leaving: self.clone() }
    }

    /// Waits until all are gone.
    pub(crate) async fn settle(&self) {
        let mut leaving = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        while leaving.join_next().await.is_some() {}
    }

    fn add(&self, mut child: Child) {
        // Whoever lets go of a cell after everything else has ended has nobody who could wait.
        let Ok(runtime) = Handle::try_current() else { return };
        let mut leaving = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        while leaving.try_join_next().is_some() {}
        leaving.spawn_on(async move { drop(timeout(CLEARING_TIME_MAX, child.wait()).await) }, &runtime);
    }
}

/// The supervisor of one cell.
#[derive(Debug)]
pub(crate) struct Supervisor {
    child: Option<Child>,
    leaving: Leaving,
}

impl Drop for Supervisor {
    fn drop(&mut self) {
        if let Some(child) = self.child.take() {
            self.leaving.add(child);
        }
    }
}
