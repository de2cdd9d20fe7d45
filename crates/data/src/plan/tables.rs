//! Which tables a plan reads.

use std::collections::BTreeSet;

use serde_json::Value;

use super::Plan;

/// The tables whose rows a plan reads: `from`, those of its columns, and those of its `exists`.
pub fn tables(plan: &Plan) -> BTreeSet<String> {
    let mut found = BTreeSet::from([plan.from.clone()]);
    collect(&plan.canonical(), &mut found);
    found
}

fn collect(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            if let Some((table, _)) = fields.get("col").and_then(Value::as_str).and_then(|name| name.split_once('.')) {
                found.insert(table.to_string());
            }
            if let Some(table) = fields.get("exists").and_then(|exists| exists["table"].as_str()) {
                found.insert(table.to_string());
            }
            fields.values().for_each(|value| collect(value, found));
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, found)),
        _ => {}
    }
}
