//! Closed spans as a collector reads them: OTLP in JSON, as the protocol's own mapping spells it (ids in hexadecimal digits,
//! numbers of 64 bits as text).

use std::time::{SystemTime, UNIX_EPOCH};

use serde::Serialize;

use super::watch::{SpanFacts, Value};

/// Fields that are said by the span's name or its place and by no attribute.
const NO_ATTRIBUTES: &[&str] = &["traceparent"];
/// The conventions' words for fields that have short names in the log. What has a dot is spelled as they do already.
const SPELLED: &[(&str, &str)] = &[
    ("request_id", "assay.request.id"),
    ("method", "http.request.method"),
    ("door", "http.route"),
    ("status", "http.response.status_code"),
    ("run", "assay.run.id"),
    ("task", "assay.run.task"),
    ("attempt", "assay.run.attempt"),
    ("state", "assay.run.state"),
    ("step", "assay.step.name"),
    ("index", "assay.step.index"),
    ("tries", "assay.step.tries"),
    ("warm", "assay.cell.warm"),
    ("profile", "assay.cell.profile"),
];

/// What is sent.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Traces {
    resource_spans: [ResourceSpans; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ResourceSpans {
    resource: Resource,
    scope_spans: [ScopeSpans; 1],
}

#[derive(Serialize)]
struct Resource {
    attributes: Vec<Attribute>,
}

#[derive(Serialize)]
struct ScopeSpans {
    scope: Scope,
    spans: Vec<Span>,
}

#[derive(Serialize)]
struct Scope {
    name: &'static str,
    version: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Span {
    trace_id: String,
    span_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent_span_id: Option<String>,
    name: String,
    kind: u8,
    start_time_unix_nano: String,
    end_time_unix_nano: String,
    attributes: Vec<Attribute>,
    status: Status,
}

#[derive(Serialize)]
struct Attribute {
    key: String,
    value: AnyValue,
}

#[derive(Serialize)]
enum AnyValue {
    #[serde(rename = "stringValue")]
    Text(String),
    #[serde(rename = "intValue")]
    Whole(String),
    #[serde(rename = "doubleValue")]
    Number(f64),
    #[serde(rename = "boolValue")]
    Yes(bool),
}

#[derive(Serialize)]
struct Status {
    code: u8,
}

/// Kinds of spans, by the protocol's numbers.
const INTERNAL: u8 = 1;
const SERVER: u8 = 2;
const CLIENT: u8 = 3;
/// Nothing is said about how it went; it went wrong.
const UNSET: u8 = 0;
const ERROR: u8 = 2;

impl Traces {
    pub(crate) fn of(service: &str, spans: Vec<SpanFacts>) -> Traces {
        let text =
            |key: &str, value: &str| Attribute { key: key.to_string(), value: AnyValue::Text(value.to_string()) };
        let attributes = vec![text("service.name", service), text("service.version", crate::PROGRAM)];
        let scope = Scope { name: "assay", version: crate::PROGRAM };
        let spans = spans.into_iter().filter_map(Span::of).collect();
        let resource = Resource { attributes };
        Traces { resource_spans: [ResourceSpans { resource, scope_spans: [ScopeSpans { scope, spans }] }] }
    }
}

impl Span {
    /// None for a span that has no place in a trace.
    fn of(facts: SpanFacts) -> Option<Span> {
        let place = facts.place.clone()?;
        let failed = facts.fields.get("error.type").is_some();
        let told = facts.fields.0.iter().filter(|(name, _)| !NO_ATTRIBUTES.contains(name));
        let attributes = told.map(|(name, value)| Attribute { key: spelled(name), value: value.into() }).collect();
        Some(Span {
            trace_id: place.trace,
            span_id: place.span,
            parent_span_id: place.parent,
            name: name_of(&facts),
            kind: match facts.name {
                "request" => SERVER,
                "model" => CLIENT,
                _ => INTERNAL,
            },
            start_time_unix_nano: nanoseconds(facts.began),
            end_time_unix_nano: nanoseconds(facts.ended.unwrap_or(facts.began)),
            attributes,
            status: Status { code: if failed { ERROR } else { UNSET } },
        })
    }
}

/// What is done, and on what kind of thing; never on which of them.
fn name_of(facts: &SpanFacts) -> String {
    let text = |name: &str| facts.fields.text(name);
    let words = match facts.name {
        "request" => [text("method"), text("door")],
        "run" => ["run", text("task")],
        "step" => ["step", text("step")],
        "model" => [text("gen_ai.operation.name"), text("gen_ai.request.model")],
        other => [other, ""],
    };
    words.join(" ").trim_end().to_string()
}

fn spelled(name: &str) -> String {
    SPELLED.iter().find(|(short, _)| *short == name).map_or(name, |(_, long)| long).to_string()
}

fn nanoseconds(at: SystemTime) -> String {
    at.duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos().to_string()
}

impl From<&Value> for AnyValue {
    fn from(value: &Value) -> AnyValue {
        match value {
            Value::Text(text) => AnyValue::Text(text.clone()),
            Value::Whole(number) => AnyValue::Whole(number.to_string()),
            Value::Number(number) => AnyValue::Number(*number),
            Value::Yes(yes) => AnyValue::Yes(*yes),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::json;

    use super::super::watch::{Fields, TracePlace};
    use super::*;

    #[test]
    fn a_span_is_spelled_as_the_protocol_does() {
        let place = TracePlace { trace: "0a".repeat(16), span: "0b".repeat(8), parent: Some("0c".repeat(8)) };
        let began = UNIX_EPOCH + Duration::from_nanos(1_700_000_000_000_000_001);
        let fields = Fields(vec![
            ("gen_ai.operation.name", Value::Text("chat".into())),
            ("gen_ai.request.model", Value::Text("chat:m".into())),
            ("gen_ai.usage.input_tokens", Value::Whole(7)),
            ("error.type", Value::Text("model_failed".into())),
            ("traceparent", Value::Text("x".into())),
        ]);
        let facts = SpanFacts { name: "model", fields, place: Some(place), began, ended: None };
        let sent = serde_json::to_value(Traces::of("here", vec![facts])).expect("plain data");
        let of = &sent["resourceSpans"][0];
        assert_eq!(
            of["resource"]["attributes"][0],
            json!({ "key": "service.name", "value": { "stringValue": "here" } })
        );
        let span = &of["scopeSpans"][0]["spans"][0];
        assert_eq!(
            (&span["name"], &span["kind"], &span["status"]),
            (&json!("chat chat:m"), &json!(3), &json!({ "code": 2 }))
        );
        assert_eq!(span["traceId"], "0a".repeat(16));
        assert_eq!(span["startTimeUnixNano"], "1700000000000000001");
        let tokens = json!({ "key": "gen_ai.usage.input_tokens", "value": { "intValue": "7" } });
        assert_eq!(span["attributes"][2], tokens);
        assert_eq!(span["attributes"].as_array().map(Vec::len), Some(4), "{span}");
    }
}
