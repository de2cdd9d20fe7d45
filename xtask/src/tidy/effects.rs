//! What only certain places may do: `unsafe`, starting a process, reading the environment.

use super::code::{block_end, code_only, line_of, test_regions};
use super::{Finding, in_name};
use crate::workspace::File;

struct Rule {
    found: fn(&str) -> Vec<usize>,
    allowed: fn(&str) -> bool,
    allowed_in_tests: bool,
    message: &'static str,
    hint: &'static str,
}

const RULES: &[Rule] = &[
    Rule {
        found: |code| words(code, "unsafe"),
        allowed: |path| path.starts_with("crates/sandbox/"),
        allowed_in_tests: false,
        message: "`unsafe` outside crates/sandbox",
        hint: "use a safe call, or move what needs it into the sandbox crate",
    },
    Rule {
        found: |code| {
            let mut found = words(code, "Command::new");
            found.extend(uses(code, "process", &["Command"]));
            found.extend(uses(code, "tokio", &["process"]));
            found
        },
        allowed: |path| path.starts_with("crates/sandbox/src/") || path.starts_with("xtask/"),
        allowed_in_tests: true,
        message: "a process is started outside crates/sandbox",
        hint: "let the sandbox crate start it: it is the only one that knows how to confine a process",
    },
    Rule {
        found: |code| uses(code, "env", &["var", "vars", "var_os", "vars_os"]),
        // A build script hears from cargo in no other way.
        allowed: |path| {
            path == "crates/app/src/settings.rs" || path.starts_with("xtask/") || path.ends_with("/build.rs")
        },
        allowed_in_tests: true,
        message: "the environment is read outside crates/app/src/settings.rs",
        hint: "make it a setting there and pass its value down",
    },
];

/// Findings of one file; only Rust is looked at.
pub fn check(file: &File) -> Vec<Finding> {
    if !file.path.ends_with(".rs") {
        return Vec::new();
    }
    let code = code_only(&file.text);
    let regions = test_regions(&code);
    let is_test = |offset: usize| is_test_file(&file.path) || regions.iter().any(|region| region.contains(&offset));
    let mut findings = Vec::new();
    for rule in RULES.iter().filter(|rule| !(rule.allowed)(&file.path)) {
        let offsets = (rule.found)(&code).into_iter().filter(|offset| !(rule.allowed_in_tests && is_test(*offset)));
        let mut lines: Vec<usize> = offsets.map(|offset| line_of(&code, offset)).collect();
        lines.sort_unstable();
        lines.dedup();
        findings.extend(lines.into_iter().map(|line| Finding {
            path: file.path.clone(),
            line,
            message: rule.message.into(),
            hint: rule.hint.into(),
        }));
    }
    findings
}

/// `crates/NAME/tests/…`.
fn is_test_file(path: &str) -> bool {
    matches!(path.split('/').collect::<Vec<_>>()[..], ["crates", _, "tests", _, ..])
}

/// Where a word stands alone.
fn words(code: &str, word: &str) -> Vec<usize> {
    let alone = |offset: &usize| {
        let before = code[..*offset].chars().next_back();
        let after = code[offset + word.len()..].chars().next();
        !before.is_some_and(in_name) && !after.is_some_and(in_name)
    };
    code.match_indices(word).map(|(offset, _)| offset).filter(alone).collect()
}

/// Where `module::item` is named, or imported in braces or with everything else.
fn uses(code: &str, module: &str, items: &[&str]) -> Vec<usize> {
    let named = |offset: &usize| {
        let Some(rest) = code[offset + module.len()..].strip_prefix("::") else { return false };
        let inside = match rest.chars().next() {
            Some('*') => return true,
            Some('{') => &rest[..block_end(rest, 0)],
            _ => rest.split(|letter| !in_name(letter)).next().unwrap_or_default(),
        };
        items.iter().any(|item| !words(inside, item).is_empty())
    };
    words(code, module).into_iter().filter(named).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(path: &str, text: &str) -> Vec<usize> {
        check(&File { path: path.into(), text: text.into() }).into_iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn unsafe_is_found_in_code_only() {
        let text = "#![deny(unsafe_code)]\n// unsafe\nlet a = \"unsafe\";\nunsafe { b() }\n";
        assert_eq!(lines("crates/data/src/a.rs", text), [4]);
        assert_eq!(lines("crates/data/tests/a.rs", text), [4]);
        assert_eq!(lines("xtask/src/a.rs", text), [4]);
        assert_eq!(lines("crates/sandbox/src/a.rs", text), [0; 0]);
    }

    #[test]
    fn processes_are_started_by_the_sandbox_only() {
        for text in [
            "use std::process::Command;",
            "use std::process::{self, Command as Program};",
            "use std::process::*;",
            "let a = std::process::Command::new(b);",
            "use tokio::process::Child;",
            "use tokio::{fs, process};",
            "Command::new(a)",
        ] {
            assert_eq!(lines("crates/tasks/src/a.rs", text), [1], "{text}");
            assert_eq!(lines("crates/tasks/examples/a.rs", text), [1], "{text}");
            assert_eq!(lines("crates/sandbox/tests/it/a.rs", text), [0; 0], "{text}");
            assert_eq!(lines("crates/sandbox/src/a.rs", text), [0; 0], "{text}");
            assert_eq!(lines("xtask/src/a.rs", text), [0; 0], "{text}");
        }
        for text in ["std::process::exit(1)", "use std::process::ExitCode;", "crate::args::Command::Ask", "CommandExt"]
        {
            assert_eq!(lines("crates/tasks/src/a.rs", text), [0; 0], "{text}");
        }
    }

    #[test]
    fn the_environment_is_read_in_one_place() {
        for text in ["std::env::var(a)", "env::vars()", "use std::env::{args, var_os};", "env::vars_os()"] {
            assert_eq!(lines("crates/cli/src/a.rs", text), [1], "{text}");
            assert_eq!(lines("crates/app/src/settings.rs", text), [0; 0], "{text}");
            assert_eq!(lines("crates/cli/tests/a.rs", text), [0; 0], "{text}");
        }
        for text in ["std::env::args()", "env!(\"CARGO_PKG_VERSION\")", "env::variable()"] {
            assert_eq!(lines("crates/cli/src/a.rs", text), [0; 0], "{text}");
        }
    }

    #[test]
    fn test_modules_may_what_tests_may() {
        let text =
            "fn a() {}\n#[cfg(test)]\nmod tests {\n    use std::process::Command;\n}\nuse std::process::Command;";
        assert_eq!(lines("crates/tasks/src/a.rs", text), [6]);
    }
}
