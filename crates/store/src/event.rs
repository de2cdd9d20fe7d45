//! One line of a run's event stream, durable or passing.

use std::borrow::Cow;

use base::{DOCUMENT_VERSION, RunId, Timestamp};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::ser::{Serialize, SerializeStruct, Serializer};
use serde_json::{Value, json};

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
        line.serialize_field("v", &DOCUMENT_VERSION)?;
        line.serialize_field("run", &self.run)?;
        line.serialize_field("seq", &self.seq)?;
        line.serialize_field("at", &self.at)?;
        line.serialize_field("type", &self.kind)?;
        line.serialize_field("data", &self.data)?;
        line.end()
    }
}

/// What happens in runs: its word, whether it is durable, and what its data tells.
const TYPES: &[(&str, bool, &[&str])] = &[
    ("run.created", true, &["task", "input"]),
    ("run.started", true, &["attempt"]),
    ("step.finished", true, &["index", "name", "state", "attempts", "duration_ms", "output_hash"]),
    ("artifact.added", true, &["name", "media_type", "bytes", "sha256"]),
    ("approval.requested", true, &["id", "action"]),
    ("approval.given", true, &["id", "allowed"]),
    ("run.finished", true, &["state", "output", "problem"]),
    ("step.started", false, &["index", "name"]),
    ("step.progress", false, &["index", "done", "total", "unit"]),
    ("text.delta", false, &["channel", "text"]),
    ("output.chunk", false, &["stream", "text"]),
];

impl JsonSchema for Event {
    fn schema_name() -> Cow<'static, str> {
        "event".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let one = |(word, durable, fields): &(&str, bool, &[&str])| {
            let data = json!({ "type": "object", "required": fields });
            let seq = if *durable { "integer" } else { "null" };
            json!({ "properties": { "seq": { "type": seq }, "type": { "const": word }, "data": data } })
        };
        json_schema!({
            "description": "Something that happened in a run, one line of its events; `seq` is null for what only passes by.",
            "type": "object",
            "properties": {
                "v": { "const": DOCUMENT_VERSION },
                "run": generator.subschema_for::<RunId>(),
                "seq": { "type": ["integer", "null"] },
                "at": generator.subschema_for::<Timestamp>(),
                "type": { "type": "string", "enum": TYPES.iter().map(|(word, ..)| word).collect::<Vec<_>>() },
                "data": { "type": "object" },
            },
            "required": ["v", "run", "seq", "at", "type", "data"],
            "oneOf": TYPES.iter().map(one).collect::<Vec<_>>(),
        })
    }
}
