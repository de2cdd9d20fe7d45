//! One hash for one JSON value, whatever order its fields were written in.

use base::Hash;
use serde::Serialize;
use serde_json::Value;

/// The hash of a value's JSON with every object's fields sorted, so that equal inputs have equal hashes.
pub fn hash_of<T: Serialize + ?Sized>(value: &T) -> Result<Hash, serde_json::Error> {
    Ok(Hash::of(sorted(serde_json::to_value(value)?).to_string().as_bytes()))
}

fn sorted(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields.into_iter().collect();
            fields.sort_by(|a, b| a.0.cmp(&b.0));
            Value::Object(fields.into_iter().map(|(name, value)| (name, sorted(value))).collect())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(sorted).collect()),
        scalar => scalar,
    }
}

#[cfg(test)]
mod tests {
    use super::hash_of;
    use serde_json::json;

    #[test]
    fn the_order_of_fields_does_not_count_and_that_of_items_does() {
        let hash = |value: serde_json::Value| hash_of(&value).expect("plain data");
        assert_eq!(
            hash(json!([{ "a": 1, "b": { "c": 2, "d": 3 } }])),
            hash(json!([{ "b": { "d": 3, "c": 2 }, "a": 1 }]))
        );
        assert_ne!(hash(json!([1, 2])), hash(json!([2, 1])));
        assert_ne!(hash(json!(1)), hash(json!("1")));
    }
}
