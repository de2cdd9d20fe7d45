//! The machine interface does not change by accident: whatever documents are written down in `interface.txt` to have, they
//! keep. One line a field: the document, the place in it, and its types or, for a closed set, its words.

use std::collections::BTreeSet;

use app::documents::Schemas;
use serde_json::Value;

const WRITTEN: &str = include_str!("interface.txt");

#[test]
fn what_is_written_down_is_kept_and_what_is_new_is_written_down() {
    let mut lines = BTreeSet::new();
    for (name, schema) in &Schemas::all().schemas {
        tell(&mut lines, schema, schema, name);
    }
    let written: BTreeSet<String> = WRITTEN.lines().map(str::to_string).collect();
    let gone: Vec<&String> = written.difference(&lines).collect();
    let new: Vec<&String> = lines.difference(&written).collect();
    assert!(gone.is_empty(), "fields, types or words that programs rely on are gone:\n{gone:#?}\nnew: {new:#?}");
    let new: Vec<&str> = new.into_iter().map(String::as_str).collect();
    assert!(new.is_empty(), "add to interface.txt what programs may rely on from now on:\n{}\n", new.join("\n"));
}

/// Adds a line for this place and for every place below it. What is described once and used often is told at each use.
fn tell(lines: &mut BTreeSet<String>, root: &Value, schema: &Value, place: &str) {
    if let Some(name) = schema["$ref"].as_str().and_then(|path| path.strip_prefix("#/$defs/")) {
        return tell(lines, root, &root["$defs"][name], place);
    }
    for word in schema["enum"].as_array().into_iter().flatten().chain(schema.get("const")) {
        lines.insert(format!("{place} = {word}"));
    }
    if schema.get("enum").or(schema.get("const")).is_none() {
        lines.extend(types(&schema["type"]).map(|ty| format!("{place}: {ty}")));
    }
    let required: Vec<&str> = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    for (name, field) in schema["properties"].as_object().into_iter().flatten() {
        let may_be_absent = if required.contains(&name.as_str()) { "" } else { "?" };
        tell(lines, root, field, &format!("{place}.{name}{may_be_absent}"));
    }
    if schema["items"].is_object() {
        tell(lines, root, &schema["items"], &format!("{place}[]"));
    }
    for (at, item) in schema["prefixItems"].as_array().into_iter().flatten().enumerate() {
        tell(lines, root, item, &format!("{place}[{at}]"));
    }
    for keyword in ["anyOf", "oneOf"] {
        schema[keyword].as_array().into_iter().flatten().for_each(|one| tell(lines, root, one, place));
    }
}

fn types(types: &Value) -> impl Iterator<Item = &str> {
    let several = types.as_array().into_iter().flatten().filter_map(Value::as_str);
    types.as_str().into_iter().chain(several)
}
