//! Holds values against JSON Schema, as far as our own schemas go. A keyword that is not known here is an error, so that no
//! schema can ask for something that nobody looks at.

use serde_json::{Map, Value};

/// The first thing about a value that its schema does not allow, with its place.
pub fn check(value: &Value, schema: &Value) -> Result<(), String> {
    Checker { definitions: schema["$defs"].as_object() }.check(value, schema, "")
}

struct Checker<'a> {
    definitions: Option<&'a Map<String, Value>>,
}

impl Checker<'_> {
    fn check(&self, value: &Value, schema: &Value, place: &str) -> Result<(), String> {
        let Value::Object(keywords) = schema else {
            return match schema {
                Value::Bool(true) => Ok(()),
                other => Err(format!("{place}: the schema {other} allows nothing")),
            };
        };
        keywords.iter().try_for_each(|(keyword, wanted)| self.keyword(value, keyword, wanted, place))
    }

    fn keyword(&self, value: &Value, keyword: &str, wanted: &Value, place: &str) -> Result<(), String> {
        let require = |holds: bool| {
            let shown: String = value.to_string().chars().take(200).collect();
            holds.then_some(()).ok_or_else(|| format!("{place}: {shown} does not fit `{keyword}` {wanted}"))
        };
        let list = || wanted.as_array().map(Vec::as_slice).unwrap_or_default();
        let items = value.as_array().map(Vec::as_slice).unwrap_or_default();
        let below = |name: &dyn std::fmt::Display| format!("{place}/{name}");
        match keyword {
            "$schema" | "$defs" | "title" | "description" | "default" => Ok(()),
            "$ref" => {
                let name = wanted.as_str().and_then(|path| path.strip_prefix("#/$defs/")).unwrap_or_default();
                let definition = self.definitions.and_then(|all| all.get(name));
                self.check(value, definition.unwrap_or_else(|| panic!("no definition {wanted}")), place)
            }
            "type" => require(words(wanted).iter().any(|ty| is_of(value, ty))),
            "const" => require(value == wanted),
            "enum" => require(list().contains(value)),
            "minimum" => require(value.as_f64().is_none_or(|number| number >= wanted.as_f64().unwrap_or_default())),
            "pattern" => require(value.as_str().is_none_or(|text| fits(text, wanted.as_str().unwrap_or_default()))),
            "format" => require(wanted != "date-time" || value.as_str().is_none_or(is_moment)),
            "required" => require(
                value.as_object().is_none_or(|fields| words(wanted).iter().all(|name| fields.contains_key(*name))),
            ),
            "properties" => {
                let known = wanted.as_object().into_iter().flatten();
                known
                    .filter_map(|(name, schema)| Some((name, value.get(name)?, schema)))
                    .try_for_each(|(name, field, schema)| self.check(field, schema, &below(name)))
            }
            "additionalProperties" => require(wanted == &Value::Bool(true)),
            "items" if wanted == &Value::Bool(false) => Ok(()),
            "items" => items.iter().enumerate().try_for_each(|(at, item)| self.check(item, wanted, &below(&at))),
            "prefixItems" => items
                .iter()
                .zip(list())
                .enumerate()
                .try_for_each(|(at, (item, one))| self.check(item, one, &below(&at))),
            "minItems" => require(!value.is_array() || items.len() as u64 >= wanted.as_u64().unwrap_or_default()),
            "maxItems" => require(!value.is_array() || items.len() as u64 <= wanted.as_u64().unwrap_or_default()),
            "anyOf" => {
                let errors: Vec<_> = list().iter().filter_map(|one| self.check(value, one, place).err()).collect();
                if errors.len() < list().len() { Ok(()) } else { Err(errors.join("; or ")) }
            }
            "oneOf" => {
                let errors: Vec<_> = list().iter().filter_map(|one| self.check(value, one, place).err()).collect();
                if errors.len() + 1 == list().len() {
                    Ok(())
                } else {
                    Err(format!("{place}: one of: {}", errors.join("; ")))
                }
            }
            other => panic!("{place}: nobody looks at the keyword `{other}` of a schema"),
        }
    }
}

/// One word or several.
fn words(wanted: &Value) -> Vec<&str> {
    match wanted {
        Value::Array(words) => words.iter().filter_map(Value::as_str).collect(),
        word => word.as_str().into_iter().collect(),
    }
}

fn is_of(value: &Value, ty: &str) -> bool {
    match ty {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("no type `{other}`"),
    }
}

/// The only patterns there are: so many hexadecimal digits.
fn fits(text: &str, pattern: &str) -> bool {
    let count = pattern.strip_prefix("^[0-9a-f]{").and_then(|rest| rest.strip_suffix("}$"));
    let count: usize = count.and_then(|count| count.parse().ok()).unwrap_or_else(|| panic!("the pattern {pattern}"));
    text.len() == count && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// RFC 3339 in UTC.
fn is_moment(text: &str) -> bool {
    base::Timestamp::parse(text).is_some()
}
