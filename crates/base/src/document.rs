//! Documents: what programs read of Assay. Each is a type with a JSON Schema; the two fields that every one begins with are
//! not its own, and are put before the others here.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde::Serialize;
use serde_json::{Map, Value, json};

/// The version of the machine interface, which every document and every event begins with.
pub const DOCUMENT_VERSION: u32 = 1;

/// What is printed as one JSON document. Every field is written, null where it does not apply, so every one is required.
pub trait Document: Serialize + JsonSchema + Sized {
    /// The word that tells it from others.
    const KIND: &'static str;

    /// As it is printed: the version and its kind, then its own fields in their order.
    fn to_json(&self) -> Value {
        let own = serde_json::to_value(self).expect("a document is plain data, and its keys are texts");
        let mut fields: Map<String, Value> =
            [("v".to_string(), json!(DOCUMENT_VERSION)), ("kind".to_string(), json!(Self::KIND))].into_iter().collect();
        match own {
            Value::Object(own) => fields.extend(own),
            other => unreachable!("the document `{}` is no object: {other}", Self::KIND),
        }
        Value::Object(fields)
    }

    /// Its JSON Schema. Other fields are allowed: readers ignore what they do not know.
    fn schema() -> Value {
        let mut schema = root_schema::<Self>();
        begin::<Self>(&mut schema);
        schema.insert("title".to_string(), Self::KIND.into());
        in_reading_order(schema.to_value())
    }
}

/// The JSON Schema of whatever is written, a document or not.
pub fn schema_of<T: JsonSchema>() -> Value {
    in_reading_order(root_schema::<T>().to_value())
}

fn root_schema<T: JsonSchema>() -> Schema {
    SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<T>()
}

/// What a schema is about, then its fields, then what they refer to.
fn in_reading_order(schema: Value) -> Value {
    const FIRST: [&str; 6] = ["$schema", "title", "description", "type", "properties", "required"];
    let Value::Object(parts) = schema else { return schema };
    let place = |name: &str| FIRST.iter().position(|first| *first == name).unwrap_or(FIRST.len());
    let mut parts: Vec<(String, Value)> = parts.into_iter().collect();
    parts.sort_by_key(|(name, _)| place(name));
    Value::Object(parts.into_iter().collect())
}

/// Puts what every document begins with before the fields of a schema.
pub(crate) fn begin<D: Document>(schema: &mut Schema) {
    let mut properties = Map::new();
    properties.insert("v".to_string(), json!({ "const": DOCUMENT_VERSION }));
    properties.insert("kind".to_string(), json!({ "const": D::KIND }));
    if let Some(Value::Object(own)) = schema.remove("properties") {
        properties.extend(own.into_iter().filter(|(name, _)| name != "v" && name != "kind"));
    }
    let mut required = vec![json!("v"), json!("kind")];
    if let Some(Value::Array(own)) = schema.remove("required") {
        required.extend(own.into_iter().filter(|name| name != "v" && name != "kind"));
    }
    schema.insert("type".to_string(), json!("object"));
    schema.insert("properties".to_string(), Value::Object(properties));
    schema.insert("required".to_string(), Value::Array(required));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A dog.
    #[derive(Serialize, JsonSchema)]
    struct Dog {
        name: String,
        owner: Option<String>,
    }

    impl Document for Dog {
        const KIND: &'static str = "dog";
    }

    #[test]
    fn a_document_begins_with_its_version_and_its_kind() {
        let dog = Dog { name: "Rex".into(), owner: None };
        assert_eq!(dog.to_json().to_string(), r#"{"v":1,"kind":"dog","name":"Rex","owner":null}"#);
    }

    #[test]
    fn every_field_is_required_and_one_that_may_be_missing_may_be_null() {
        let schema = Dog::schema();
        assert_eq!(schema["required"], json!(["v", "kind", "name", "owner"]));
        assert_eq!(schema["properties"]["kind"], json!({ "const": "dog" }));
        assert_eq!(schema["properties"]["owner"]["type"], json!(["string", "null"]));
        assert_eq!((&schema["title"], &schema["description"]), (&json!("dog"), &json!("A dog.")));
        assert_eq!(schema["additionalProperties"], Value::Null);
    }
}
