//! No document is put together by hand: each is a type with a schema, and `base::Document` says its kind.

use super::Finding;
use super::code::{code_only, line_of, literals, test_regions};
use crate::workspace::File;

/// Findings of one file; only what the program itself is made of is looked at.
pub fn check(file: &File) -> Vec<Finding> {
    let source = file.path.starts_with("crates/") && file.path.contains("/src/") && file.path.ends_with(".rs");
    if !source {
        return Vec::new();
    }
    let text = &file.text;
    let regions = test_regions(&code_only(text));
    let is_key = |end: usize| text[end..].trim_start().strip_prefix(':').is_some_and(|rest| !rest.starts_with(':'));
    literals(text)
        .into_iter()
        .filter(|literal| &text[literal.clone()] == "\"kind\"" && is_key(literal.end))
        .filter(|literal| !regions.iter().any(|region| region.contains(&literal.start)))
        .map(|literal| Finding {
            path: file.path.clone(),
            line: line_of(text, literal.start),
            message: "a document is put together by hand".into(),
            hint: "make it a type that implements `base::Document`, and list it in crates/app/src/documents.rs".into(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(path: &str, text: &str) -> Vec<usize> {
        check(&File { path: path.into(), text: text.into() }).into_iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn a_document_is_a_type() {
        for text in [
            "let a = 1;\njson!({ \"v\": 1, \"kind\": \"answer\" })",
            "json!({\n    \"kind\" : kind, \"v\": 1 })",
            "\njson!({\"kind\":\"answer\"})",
        ] {
            assert_eq!(lines("crates/flow/src/a.rs", text), [2], "{text}");
            assert_eq!(lines("crates/cli/src/a/b.rs", text), [2], "{text}");
            assert_eq!(lines("crates/flow/tests/a.rs", text), [0; 0], "{text}");
            assert_eq!(lines("xtask/src/a.rs", text), [0; 0], "{text}");
        }
        for text in [
            "document[\"kind\"] == \"answer\"",
            "// json!({ \"kind\": \"answer\" })",
            "json!({ \"v\": 1, \"dataset\": a })",
            "fields.insert(\"kind\".to_string(), a)",
            "#[cfg(test)]\nmod tests {\n    json!({ \"kind\": \"answer\" });\n}",
        ] {
            assert_eq!(lines("crates/flow/src/a.rs", text), [0; 0], "{text}");
        }
    }
}
