//! The supervisors that this process started, from their cells' end until they have cleared everything away.
//!
//! What a cell came to is known before its processes, groups and mounts are gone, and nobody should wait for that with an
//! answer in hand. But a command that has ended must have left nothing behind: so whoever has no more to do waits here.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::process::Child;
use tokio::time::timeout;

/// A supervisor that needs longer is lost; the next one sweeps up after it.
const CLEARING_TIME_MAX: Duration = Duration::from_secs(5);

/// Those that may still be clearing up.
#[derive(Clone, Debug, Default)]
pub(crate) struct Leaving(Arc<Mutex<Vec<Child>>>);

impl Leaving {
    /// Keeps a supervisor in sight, from the moment when its cell is let go.
    pub(crate) fn of(&self, child: Child) -> Supervisor {
        Supervisor { child: Some(child), leaving: self.clone() }
    }

    /// Waits until all are gone.
    pub(crate) async fn settle(&self) {
        let children = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        for mut child in children {
            let _ = timeout(CLEARING_TIME_MAX, child.wait()).await;
        }
    }

    fn add(&self, child: Child) {
        let mut children = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        children.retain_mut(|child| matches!(child.try_wait(), Ok(None)));
        children.push(child);
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
