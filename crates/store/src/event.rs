//! One line of a run's event stream, durable or passing.

use base::{RunId, Timestamp};
use serde::ser::{Serialize, SerializeStruct, Serializer};
use serde_json::Value;

/// Something that happened in a run. Serialises as the machine interface spells it.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// The run it happened in.
    pub run: RunId,
    /// Its place in the run's durable stream; `None` for what only passes by.
    pub seq: Option<i64>,
    /// When, by the database's clock if durable.
    pub at: Timestamp,
    /// Such as `step.finished`.
    pub kind: String,
    /// What the kind says about it.
    pub data: Value,
}

impl Serialize for Event {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut line = serializer.serialize_struct("Event", 6)?;
        line.serialize_field("v", &1)?;
        line.serialize_field("run", &self.run)?;
        line.serialize_field("seq", &self.seq)?;
        line.serialize_field("at", &self.at)?;
        line.serialize_field("type", &self.kind)?;
        line.serialize_field("data", &self.data)?;
        line.end()
    }
}
