//! The chart of an answer, read back from its document to be drawn.

use data::chart::Chart;
use serde_json::Value;

/// The chart that an answer's document tells of; nothing where none helps to read it.
pub fn chart_of(answer: &Value) -> Option<Chart> {
    serde_json::from_value(answer["chart"]["drawing"].clone()).ok()
}
