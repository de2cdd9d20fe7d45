//! Every package we build has a licence we can live with and comes from the one registry.

use serde_json::Value;

use super::Finding;

const ALLOWED: &[&str] = &[
    "MIT",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "ISC",
    "Zlib",
    "Unicode-3.0",
    "Unicode-DFS-2016",
    "Unlicense",
    "CC0-1.0",
    "0BSD",
    "BSL-1.0",
    // Of data, not code: the certificates of public authorities, by which a provider's server is known.
    "CDLA-Permissive-2.0",
];

/// The crates registry, as cargo names it whichever mirror served the files.
const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// Findings of every package of the lock file.
pub fn check(metadata: &Value, lock: &str) -> Vec<Finding> {
    let members = metadata["workspace_members"].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut findings = Vec::new();
    for package in metadata["packages"].as_array().into_iter().flatten() {
        let text = |field: &str| package[field].as_str().unwrap_or_default();
        let shown = format!("package `{} {}`", text("name"), text("version"));
        let mut add = |message: String, hint: &str| {
            let line = line_of_package(lock, text("name"), text("version"));
            findings.push(Finding { path: "Cargo.lock".into(), line, message, hint: hint.into() });
        };
        match package["license"].as_str().map(|licence| (licence, is_allowed(licence))) {
            Some((_, Some(true))) => {}
            Some((licence, Some(false))) => add(
                format!("{shown} has the licence `{licence}`, which is not on the list"),
                "do without it, or weigh the licence and add it in xtask/src/tidy/licences.rs",
            ),
            Some((licence, None)) => {
                add(format!("{shown} has the licence `{licence}`, which is no expression"), "do without it")
            }
            None => add(format!("{shown} names no licence"), "do without it"),
        }
        let from_registry = package["source"] == REGISTRY;
        if !from_registry && !members.contains(&package["id"]) {
            let source = package["source"].as_str().unwrap_or("a path outside the workspace");
            add(format!("{shown} comes from {source}"), "depend on a version in the crates registry");
        }
    }
    findings
}

fn line_of_package(lock: &str, name: &str, version: &str) -> usize {
    let lines: Vec<&str> = lock.lines().collect();
    let (name, version) = (format!("name = \"{name}\""), format!("version = \"{version}\""));
    lines.windows(2).position(|pair| pair[0] == name && pair[1] == version).map_or(1, |place| place + 1)
}

/// Evaluates an SPDX expression, `/` being the older word for OR; none if it cannot be read.
fn is_allowed(expression: &str) -> Option<bool> {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let (allowed, rest) = either(&words)?;
    rest.is_empty().then_some(allowed)
}

type Parsed<'a, 'b> = Option<(bool, &'a [&'b str])>;

fn either<'a, 'b>(words: &'a [&'b str]) -> Parsed<'a, 'b> {
    let (mut allowed, mut rest) = both(words)?;
    while let ["OR", after @ ..] = rest {
        let (next, remaining) = both(after)?;
        (allowed, rest) = (allowed || next, remaining);
    }
    Some((allowed, rest))
}

fn both<'a, 'b>(words: &'a [&'b str]) -> Parsed<'a, 'b> {
    let (mut allowed, mut rest) = one(words)?;
    while let ["AND", after @ ..] = rest {
        let (next, remaining) = one(after)?;
        (allowed, rest) = (allowed && next, remaining);
    }
    Some((allowed, rest))
}

fn one<'a, 'b>(words: &'a [&'b str]) -> Parsed<'a, 'b> {
    match words {
        ["(", inside @ ..] => match either(inside)? {
            (allowed, [")", rest @ ..]) => Some((allowed, rest)),
            _ => None,
        },
        [")" | "OR" | "AND" | "WITH", ..] | [] => None,
        [licence, "WITH", exception, rest @ ..] => {
            Some((ALLOWED.contains(&format!("{licence} WITH {exception}").as_str()), rest))
        }
        [licence, rest @ ..] => Some((ALLOWED.contains(licence), rest)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn expressions_are_evaluated() {
        for (expression, expected) in [
            ("MIT", Some(true)),
            ("GPL-3.0-only", Some(false)),
            ("MIT OR GPL-3.0-only", Some(true)),
            ("MIT/GPL-3.0", Some(true)),
            ("MIT AND GPL-3.0-only", Some(false)),
            ("(MIT OR GPL-3.0-only) AND Unicode-3.0", Some(true)),
            ("GPL-3.0-only OR MIT AND MPL-2.0", Some(false)),
            ("Apache-2.0 WITH LLVM-exception", Some(true)),
            ("MIT WITH Classpath-exception-2.0", Some(false)),
            ("", None),
            ("MIT OR", None),
            ("(MIT", None),
            ("MIT Apache-2.0", None),
            ("MIT)", None),
            ("MIT WITH", None),
        ] {
            assert_eq!(is_allowed(expression), expected, "{expression}");
        }
    }

    /// Findings about version 2.0.0 of a package, as lines and messages.
    fn found(id: &str, source: Value, licence: Value) -> Vec<(usize, String)> {
        let package = json!({"id": id, "name": "a", "version": "2.0.0", "source": source, "license": licence});
        let metadata = json!({ "workspace_members": ["own"], "packages": [package] });
        let of = |version: &str| format!("[[package]]\nname = \"a\"\nversion = \"{version}\"\n\n");
        let lock = format!("version = 4\n\n{}{}", of("1.0.0"), of("2.0.0"));
        check(&metadata, &lock).into_iter().map(|finding| (finding.line, finding.message)).collect()
    }

    #[test]
    fn a_licence_off_the_list_is_found_with_its_line() {
        let of = |licence: Value| found("foreign", json!(REGISTRY), licence);
        assert_eq!(of(json!("MIT OR Apache-2.0")), []);
        assert_eq!(of(json!("AGPL-3.0-only"))[0].0, 8);
        assert_eq!(of(json!("whatever you like")).len(), 1);
        assert_eq!(of(Value::Null), [(8, "package `a 2.0.0` names no licence".to_string())]);
    }

    #[test]
    fn a_foreign_source_is_found() {
        let from = |id: &str, source: Value| found(id, source, json!("MIT"));
        assert_eq!(from("own", Value::Null), []);
        assert_eq!(from("foreign", Value::Null).len(), 1);
        assert_eq!(from("foreign", json!("git+https://example.org/a"))[0].0, 8);
    }
}
