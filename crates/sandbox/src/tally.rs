//! What became of those who asked for cells: how many came warm, how many cold, how long was waited, and how many were turned
//! away. Counted for whoever watches the process; nothing here decides anything.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use base::{Durations, Histogram};

/// Counts of cells since the process began to ask for them.
#[derive(Debug, Default)]
pub struct CellTally {
    warm: Histogram,
    cold: Histogram,
    refused: AtomicU64,
}

impl CellTally {
    pub(crate) fn given(&self, is_warm: bool, waited: Duration) {
        if is_warm { &self.warm } else { &self.cold }.observe(waited);
    }

    pub(crate) fn refused(&self) {
        self.refused.fetch_add(1, Ordering::Relaxed);
    }

    /// How long was waited for each cell that a broker gave.
    pub fn warm(&self) -> Durations {
        self.warm.durations()
    }

    /// The same of those that were made when they were needed.
    pub fn cold(&self) -> Durations {
        self.cold.durations()
    }

    /// How often there was none.
    pub fn refusals(&self) -> u64 {
        self.refused.load(Ordering::Relaxed)
    }
}
