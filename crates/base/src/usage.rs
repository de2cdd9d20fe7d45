//! What an execution used.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What an execution used: time on the wall, time on the processor, memory at its highest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Usage {
    /// From start to end.
    pub wall_ms: f64,
    /// Over all processes of the cell.
    pub cpu_ms: f64,
    /// At the peak, over all processes of the cell where that can be known.
    pub memory_peak_bytes: u64,
}
