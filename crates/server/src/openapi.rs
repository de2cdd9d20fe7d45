//! The OpenAPI document, made of the table of doors and of the schemas of the documents; and the same as a page.
//!
//! Schemas refer to their own definitions; here all definitions lie side by side under names of their own. What is taken or
//! given by several doors is there once, under the name of its type, so that a generated client has one class for it.

use app::documents::Schemas;
use axum::body::Body;
use axum::http::{HeaderValue, header};
use axum::response::Response;
use base::schema_of;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use crate::body::Json;
use crate::doors::{self, Door, Gives, Takes};
use crate::refusal::Told;

/// The document.
pub async fn document() -> Json {
    Json::ok(made())
}

/// What a body of this type may be: what has a default may be left out.
pub fn body_of<T: JsonSchema>() -> Value {
    SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<T>().to_value()
}

fn made() -> Value {
    let mut schemas = Map::new();
    let served: Vec<&str> = doors::all().iter().flat_map(|door| documents_of(door).to_vec()).collect();
    for (name, schema) in Schemas::all().schemas.into_iter().filter(|(name, _)| served.contains(&name.as_str())) {
        enter(&mut schemas, &name, schema);
    }
    enter(&mut schemas, "told_problem", schema_of::<Told<'static>>());
    let mut paths = Map::new();
    for door in doors::all() {
        let path = door.path.replace("{*", "{");
        let operation = operation(&door, &mut schemas);
        paths.entry(path).or_insert_with(|| json!({}))[door.method] = operation;
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Assay",
            "version": app::PROGRAM,
            "description": "Questions about data, answered by code that was run in a sandbox, checked and recorded."
        },
        "security": [{ "bearer": [] }, {}],
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": { "bearer": { "type": "http", "scheme": "bearer" } }
        }
    })
}

fn operation(door: &Door, schemas: &mut Map<String, Value>) -> Value {
    let id = operation_id(door);
    let of_path = parameters_of(door.path)
        .map(|name| json!({ "name": name, "in": "path", "required": true, "schema": { "type": "string" } }));
    let of_query = door.query.iter().map(|name| {
        let ty = match *name {
            "limit" | "after" => "integer",
            "width" => "number",
            _ => "string",
        };
        json!({ "name": name, "in": "query", "required": *name == "dataset_id", "schema": { "type": ty } })
    });
    let header =
        |name: &str| json!({ "name": name, "in": "header", "required": false, "schema": { "type": "string" } });
    let of_header = match door.path {
        "/runs" if door.method == "post" => vec![header("Idempotency-Key")],
        "/runs/{id}/events" => vec![header("Last-Event-ID")],
        _ => Vec::new(),
    };
    let parameters: Vec<Value> = of_path.chain(of_query).chain(of_header).collect();
    let mut operation = json!({ "operationId": id, "summary": door.about, "parameters": parameters });
    if let Some(body) = body(door, &id, schemas) {
        operation["requestBody"] = body;
    }
    operation["responses"] = responses(door, &id, schemas);
    if door.scope.is_none() {
        operation["security"] = json!([]);
    }
    operation
}

fn body(door: &Door, id: &str, schemas: &mut Map<String, Value>) -> Option<Value> {
    let (schema, required) = match door.takes {
        Takes::Nothing => return None,
        Takes::Files => {
            let files = json!({ "type": "array", "items": { "type": "string", "format": "binary" } });
            let form = json!({
                "type": "object", "properties": { "name": { "type": "string" }, "file": files }, "required": ["file"]
            });
            return Some(json!({ "required": true, "content": { "multipart/form-data": { "schema": form } } }));
        }
        Takes::Json(schema) => (schema(), true),
        Takes::JsonOrNothing(schema) => (schema(), false),
    };
    let name = enter_once(schemas, &format!("{id}_body"), schema);
    Some(json!({ "required": required, "content": { "application/json": { "schema": reference(&name) } } }))
}

fn responses(door: &Door, id: &str, schemas: &mut Map<String, Value>) -> Value {
    let (status, gives) = &door.gives;
    let content = match gives {
        Gives::Document([only]) => json!({ "application/json": { "schema": reference(only) } }),
        Gives::Document(kinds) => {
            let any: Vec<Value> = kinds.iter().map(|kind| reference(kind)).collect();
            json!({ "application/json": { "schema": { "anyOf": any } } })
        }
        Gives::Json(schema) => {
            let name = enter_once(schemas, &format!("{id}_answer"), schema());
            json!({ "application/json": { "schema": reference(&name) } })
        }
        Gives::Other(kind) => json!({ (*kind): {} }),
    };
    let problem = json!({
        "description": "why it was not done",
        "content": { "application/problem+json": { "schema": reference("told_problem") } }
    });
    let mut responses = json!({ status.to_string(): { "description": door.about, "content": content } });
    if door.path == "/runs/{id}/events" {
        responses["204"] = json!({ "description": "every event was heard" });
    }
    responses["4XX"] = problem.clone();
    responses["5XX"] = problem;
    responses
}

fn documents_of(door: &Door) -> &'static [&'static str] {
    if let Gives::Document(kinds) = door.gives.1 { kinds } else { &[] }
}

/// Adds a schema under its type's name, unless it is there; under the other name where another is called so. Gives the name.
fn enter_once(schemas: &mut Map<String, Value>, other_name: &str, schema: Value) -> String {
    let mut alone = Map::new();
    let title = schema["title"].as_str().unwrap_or(other_name).to_string();
    enter(&mut alone, &title, schema.clone());
    if alone.iter().all(|(name, part)| schemas.get(name).is_none_or(|known| known == part)) {
        schemas.extend(alone);
        return title;
    }
    enter(schemas, other_name, schema);
    other_name.to_string()
}

/// Adds a schema under a name, and what it refers to beside it.
fn enter(schemas: &mut Map<String, Value>, name: &str, mut schema: Value) {
    let definitions = schema.as_object_mut().and_then(|schema| schema.shift_remove("$defs"));
    if let Some(object) = schema.as_object_mut() {
        object.shift_remove("$schema");
    }
    redirect(&mut schema, name);
    spell_out(&mut schema);
    schemas.insert(name.to_string(), schema);
    let Some(Value::Object(definitions)) = definitions else { return };
    for (part, mut definition) in definitions {
        redirect(&mut definition, name);
        spell_out(&mut definition);
        schemas.insert(part_name(name, &part), definition);
    }
}

fn part_name(name: &str, part: &str) -> String {
    format!("{name}.{part}")
}

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

/// Has references lead to where definitions lie here.
fn redirect(schema: &mut Value, name: &str) {
    match schema {
        Value::Object(fields) => {
            for (key, value) in fields.iter_mut() {
                match value.as_str().and_then(|path| path.strip_prefix("#/$defs/")) {
                    Some(part) if key == "$ref" => *value = reference(&part_name(name, part))["$ref"].take(),
                    _ => redirect(value, name),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| redirect(item, name)),
        _ => {}
    }
}

/// Says `{}` where a schema is `true`, which means the same and which some generators of clients do not read.
fn spell_out(schema: &mut Value) {
    let spell = |part: &mut Value| match part {
        Value::Bool(true) => *part = json!({}),
        part => spell_out(part),
    };
    let Value::Object(fields) = schema else { return };
    for (keyword, value) in fields {
        match (keyword.as_str(), value) {
            ("properties", Value::Object(parts)) => parts.values_mut().for_each(spell),
            ("prefixItems" | "anyOf" | "oneOf" | "allOf", Value::Array(parts)) => parts.iter_mut().for_each(spell),
            ("items", part) => spell(part),
            ("additionalProperties", part) => spell_out(part),
            _ => {}
        }
    }
}

fn parameters_of(path: &str) -> impl Iterator<Item = &str> {
    path.split('/')
        .filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
        .map(|name| name.trim_start_matches('*'))
}

/// Such as `get_runs_id_status`.
fn operation_id(door: &Door) -> String {
    let words: String =
        door.path.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '_' }).collect();
    let words: Vec<&str> = words.split('_').filter(|word| !word.is_empty()).collect();
    format!("{}_{}", door.method, words.join("_"))
}

/// A plain page with every address.
pub async fn page() -> Response {
    let mut rows = String::new();
    for door in doors::all() {
        let scope = door.scope.map_or("-", |scope| scope.as_str());
        let (method, path, about) = (door.method.to_uppercase(), door.path, escaped(door.about));
        rows += &format!("<tr><td>{method}</td><td><code>{path}</code></td><td>{about}</td><td>{scope}</td></tr>\n");
    }
    let page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>Assay: the API</title>\n\
         <h1>The API</h1>\n<p>Documents are those of the command line; problems are <code>application/problem+json</code>. \
         Everything is described in <a href=\"/openapi.json\">openapi.json</a>; assistants find tools at <code>/mcp</code>.</p>\n\
         <table>\n<thead><tr><th>method</th><th>address</th><th>what for</th><th>scope</th></tr></thead>\n\
         <tbody>\n{rows}</tbody>\n</table>\n</html>\n"
    );
    let mut response = Response::new(Body::from(page));
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    response
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_reference_leads_somewhere_and_every_operation_has_a_name_of_its_own() {
        let document = made();
        let schemas = document["components"]["schemas"].as_object().expect("schemas");
        let mut references = Vec::new();
        collect(&document, &mut references);
        assert!(references.len() > 50);
        for reference in references {
            let name = reference.strip_prefix("#/components/schemas/").expect("a reference to a schema");
            assert!(schemas.contains_key(name), "{reference} leads nowhere");
        }
        let paths = document["paths"].as_object().expect("paths");
        let operations: Vec<&Value> =
            paths.values().flat_map(|ways| ways.as_object().expect("ways").values()).collect();
        let names: HashSet<&str> = operations.iter().filter_map(|one| one["operationId"].as_str()).collect();
        assert_eq!(names.len(), operations.len());
        assert_eq!(operations.len(), doors::all().len());
    }

    fn collect(value: &Value, found: &mut Vec<String>) {
        match value {
            Value::Object(fields) => {
                found.extend(fields.get("$ref").and_then(Value::as_str).map(str::to_string));
                fields.values().for_each(|field| collect(field, found));
            }
            Value::Array(items) => items.iter().for_each(|item| collect(item, found)),
            _ => {}
        }
    }
}
