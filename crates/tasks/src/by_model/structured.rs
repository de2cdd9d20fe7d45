//! Replies in JSON of a form that is a type here: its schema goes with the request, where the wire enforces one, and what
//! comes is read as that type whoever promised what.

use agent::{Answer, Verdict};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// What a model thinks of a result.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct VerdictReply {
    verdict: Answer,
    reason: String,
}

impl From<VerdictReply> for Verdict {
    fn from(said: VerdictReply) -> Verdict {
        let VerdictReply { verdict, reason } = said;
        Verdict { verdict, reason: reason.chars().take(agent::REASON_CHARACTERS_MAX).collect() }
    }
}

/// A plan in short form, or why there is none.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct PlanReply {
    plan: Option<ShortPlan>,
    cannot: Option<String>,
}

impl PlanReply {
    /// In the words of a model that keeps to fences: the one way in which proposals are read.
    pub fn into_words(self) -> String {
        match (self.plan, self.cannot) {
            (Some(plan), _) => format!("```plan\n{}\n```", plan.into_json()),
            (None, why) => format!("CANNOT: {}", why.unwrap_or_default()),
        }
    }
}

/// The short form of plans as models write it; every field is there, and null where it says nothing.
#[derive(Debug, Deserialize, serde::Serialize, JsonSchema)]
struct ShortPlan {
    table: String,
    select: Vec<ShortSelect>,
    filters: Vec<ShortFilter>,
    group_by: Vec<String>,
    order_by: Vec<ShortOrder>,
    limit: Option<u32>,
}

#[derive(Debug, Deserialize, serde::Serialize, JsonSchema)]
struct ShortSelect {
    column: Option<String>,
    agg: Option<String>,
    expr: Option<String>,
    #[serde(rename = "as")]
    name: Option<String>,
}

#[derive(Debug, Deserialize, serde::Serialize, JsonSchema)]
struct ShortFilter {
    column: String,
    op: String,
    value: ShortValue,
}

/// What a column is held against.
#[derive(Debug, Deserialize, serde::Serialize, JsonSchema)]
#[serde(untagged)]
enum ShortValue {
    Nothing(()),
    Truth(bool),
    Number(f64),
    Text(String),
    Numbers(Vec<f64>),
    Texts(Vec<String>),
}

#[derive(Debug, Deserialize, serde::Serialize, JsonSchema)]
struct ShortOrder {
    expr: String,
    dir: String,
}

impl ShortPlan {
    fn into_json(self) -> Value {
        let mut value = serde_json::to_value(self).unwrap_or_default();
        drop_nothing(&mut value);
        value
    }
}

/// Takes out what says nothing: the language has no nulls and no empty lists.
fn drop_nothing(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.values_mut().for_each(drop_nothing);
            fields.retain(|_, value| !value.is_null() && value.as_array().is_none_or(|list| !list.is_empty()));
        }
        Value::Array(items) => items.iter_mut().for_each(drop_nothing),
        // A whole number is written as one, so that it can be compared with a column of such.
        Value::Number(number) => {
            let whole = number.as_f64().filter(|number| number.fract() == 0.0 && number.abs() < 1e15);
            if let (false, Some(whole)) = (number.is_i64() || number.is_u64(), whole) {
                *value = Value::from(whole as i64);
            }
        }
        _ => {}
    }
}

/// The schema of a reply: every object is closed and requires all that it names, as the strictest server wants it.
pub fn schema_of<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    close(&mut schema);
    schema
}

fn close(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            // Names and remarks are for readers of code.
            if fields.get("title").is_some_and(Value::is_string) {
                fields.remove("title");
            }
            fields.retain(|name, value| {
                !matches!(name.as_str(), "description" | "format" | "minimum") || value.is_object()
            });
            if let Some(Value::Object(properties)) = fields.get("properties") {
                let names: Vec<Value> = properties.keys().map(|name| Value::from(name.as_str())).collect();
                fields.insert("required".into(), Value::Array(names));
                fields.insert("additionalProperties".into(), Value::Bool(false));
            }
            fields.values_mut().for_each(close);
        }
        Value::Array(items) => items.iter_mut().for_each(close),
        _ => {}
    }
}

/// A reply as what it was to be; fences around it are passed over. Else what is wrong with it, for the model to read.
pub fn read<T: DeserializeOwned>(reply: &str) -> Result<T, String> {
    let bare = reply.trim().trim_start_matches("```json").trim_matches('`').trim();
    let fields: Map<String, Value> =
        serde_json::from_str(bare).map_err(|error| format!("it is no JSON object: {error}"))?;
    serde_json::from_value(Value::Object(fields)).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_object_of_a_schema_is_closed_and_requires_all() {
        assert_eq!(
            schema_of::<VerdictReply>(),
            json!({
                "type": "object", "additionalProperties": false, "required": ["verdict", "reason"],
                "properties": { "verdict": { "type": "string", "enum": ["YES", "NO"] }, "reason": { "type": "string" } },
            })
        );
        let plan = schema_of::<PlanReply>().to_string();
        assert!(!plan.contains("$ref") && !plan.contains("\"format\""), "{plan}");
        assert_eq!(plan.matches("\"properties\"").count(), plan.matches("\"additionalProperties\":false").count());
    }

    #[test]
    fn a_plan_in_json_is_a_plan_between_fences() {
        let said = json!({
            "cannot": null,
            "plan": {
                "table": "sales", "select": [{ "column": "region", "agg": null, "expr": null, "as": null }],
                "filters": [{ "column": "amount", "op": ">", "value": 10.0 }, { "column": "day", "op": "is_null", "value": null }],
                "group_by": [], "order_by": [], "limit": null,
            },
        });
        let words = read::<PlanReply>(&format!("```json\n{said}\n```")).expect("a plan").into_words();
        let plan = words.strip_prefix("```plan\n").and_then(|words| words.strip_suffix("\n```")).expect("fences");
        let expected = json!({
            "table": "sales", "select": [{ "column": "region" }],
            "filters": [{ "column": "amount", "op": ">", "value": 10 }, { "column": "day", "op": "is_null" }],
        });
        assert_eq!(serde_json::from_str::<Value>(plan).expect("JSON"), expected);
        let cannot = read::<PlanReply>(r#"{"plan": null, "cannot": "no weather"}"#).expect("a refusal");
        assert_eq!(cannot.into_words(), "CANNOT: no weather");
        assert!(read::<PlanReply>("CANNOT: x").expect_err("no JSON").starts_with("it is no JSON object"));
        assert!(
            read::<VerdictReply>(r#"{"verdict": "MAYBE", "reason": ""}"#).expect_err("no verdict").contains("MAYBE")
        );
    }
}
