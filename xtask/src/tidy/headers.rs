//! Every source file begins by saying what it is for.

use super::Finding;
use crate::workspace::File;

/// Findings of one file; Rust and Python are looked at.
pub fn check(file: &File) -> Vec<Finding> {
    let begins_well = match file.path.rsplit_once('.') {
        Some((_, "rs")) => file.text.strip_prefix("//! ").is_some_and(|rest| !first_line(rest).trim().is_empty()),
        Some((_, "py")) => has_docstring(&file.text),
        _ => true,
    };
    if begins_well {
        return Vec::new();
    }
    let message = "the file does not begin with what it is for";
    let hint = if file.path.ends_with(".rs") {
        "write `//!` and a sentence on the first line"
    } else {
        "write a docstring with a sentence as the first statement"
    };
    vec![Finding { path: file.path.clone(), line: 1, message: message.into(), hint: hint.into() }]
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

/// Only the line that names the interpreter may come before.
fn has_docstring(text: &str) -> bool {
    let body = if text.starts_with("#!") { text.split_once('\n').map_or("", |(_, rest)| rest) } else { text };
    let body = body.strip_prefix('r').unwrap_or(body);
    ["\"\"\"", "'''"].iter().any(|quotes| {
        let inside = body.strip_prefix(quotes).and_then(|rest| rest.split_once(quotes));
        inside.is_some_and(|(sentence, _)| !sentence.trim().is_empty())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passes(path: &str, text: &str) -> bool {
        check(&File { path: path.into(), text: text.into() }).is_empty()
    }

    #[test]
    fn rust_begins_with_an_inner_doc_comment() {
        assert!(passes("a.rs", "//! What it is for.\nfn a() {}\n"));
        for text in ["", "//!\n//! Late.\n", "// Not a doc comment.\n", "\n//! Late.\n", "fn a() {}\n"] {
            assert!(!passes("a.rs", text), "{text:?}");
        }
    }

    #[test]
    fn python_begins_with_a_docstring() {
        assert!(passes("a.py", "\"\"\"What it is for.\"\"\"\nimport json\n"));
        assert!(passes("a.py", "#!/usr/bin/env python3\n'''What it is for.'''\n"));
        for text in ["", "import json\n\"\"\"Late.\"\"\"\n", "# A comment.\n", "\"\"\"\"\"\"\n", "\"\"\"Not closed.\n"]
        {
            assert!(!passes("a.py", text), "{text:?}");
        }
    }

    #[test]
    fn other_files_may_begin_as_they_like() {
        assert!(passes("a.md", "text"));
    }
}
