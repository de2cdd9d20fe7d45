//! No crate below a front door names command-line syntax: its texts are read behind every door.
//!
//! What can be done about a problem is a `base::Action` there; `crates/cli/src/advice.rs` says how on the command line.

use super::code::{code_only, line_of, literals, test_regions};
use super::{Finding, in_name};
use crate::workspace::File;

/// The crates that are a front door or no part of the program.
const DOORS: &[&str] = &["crates/cli/", "xtask/"];

/// The program's settings have names in the environment behind every door, and these are told in one place.
const SETTINGS: &str = "crates/app/src/settings.rs";

/// Options of other programs, which advice about a machine names.
const OF_OTHERS: &[&str] = &["--security-opt", "--user", "--scope"];

/// Findings of one file; only what a program below the doors may say is looked at.
pub fn check(file: &File) -> Vec<Finding> {
    let source = file.path.starts_with("crates/") && file.path.contains("/src/") && file.path.ends_with(".rs");
    if !source || DOORS.iter().any(|door| file.path.starts_with(door)) {
        return Vec::new();
    }
    let regions = test_regions(&code_only(&file.text));
    let strings = literals(&file.text).into_iter().filter(|literal| file.text[literal.clone()].contains('"'));
    let told = strings.filter(|literal| !regions.iter().any(|region| region.contains(&literal.start)));
    told.filter_map(|literal| Some((literal.start, syntax_in(&file.text[literal], file.path == SETTINGS)?)))
        .map(|(offset, syntax)| Finding {
            path: file.path.clone(),
            line: line_of(&file.text, offset),
            message: format!("`{syntax}` is a word of the command line"),
            hint: "say it in words that are true behind every door, and add a `base::Action` for how".into(),
        })
        .collect()
}

/// The first command, option or variable of ours in a text.
fn syntax_in(text: &str, names_settings: bool) -> Option<String> {
    let word_at = |offset: usize| -> String {
        text[offset..].chars().take_while(|letter| in_name(*letter) || *letter == '-').collect()
    };
    let begins =
        |offset: usize| !text[..offset].chars().next_back().is_some_and(|letter| in_name(letter) || letter == '-');
    let words = |start: &'static str| text.match_indices(start).map(|(at, _)| at).filter(|at| begins(*at));
    let is_option = |word: &String| {
        word[2..].starts_with(|letter: char| letter.is_ascii_lowercase()) && !OF_OTHERS.contains(&word.as_str())
    };
    let command = || words("assay ").next().map(|_| "assay".to_string());
    // One word alone is an argument of a process that is started, and `var(--x)` is a colour of a picture.
    let is_said = |at: &usize| text.contains(' ') && !text[..*at].ends_with("var(");
    let option = || words("--").filter(is_said).map(word_at).find(is_option);
    let variable = || words("ASSAY_").map(word_at).next().filter(|_| !names_settings);
    command().or_else(option).or_else(variable)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(path: &str, text: &str) -> Vec<usize> {
        check(&File { path: path.into(), text: text.into() }).into_iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn what_a_lower_crate_says_names_no_command() {
        for said in [
            "`assay runs list` shows them",
            "see (`assay doctor`)",
            "first assay sandbox stop",
            "name another with --data-dir",
            "give it as `--input`",
            "--to names it (--force)",
            "a larger ASSAY_CACHE_BYTES keeps more",
        ] {
            for text in [format!("let a = 1;\nb.hint(\"{said}\")"), format!("\nformat!(r#\"{said}\"#)")] {
                assert_eq!(lines("crates/flow/src/a.rs", &text), [2], "{text}");
                assert_eq!(lines("crates/flow/src/a/b.rs", &text), [2], "{text}");
                assert_eq!(lines("crates/cli/src/a.rs", &text), [0; 0], "{text}");
                assert_eq!(lines("crates/flow/tests/a.rs", &text), [0; 0], "{text}");
                assert_eq!(lines("xtask/src/a.rs", &text), [0; 0], "{text}");
            }
        }
    }

    #[test]
    fn other_words_may_stay() {
        for text in [
            "// `assay runs list --all`\nfn a() {}",
            "/// `--data-dir`, else ASSAY_DATA_DIR\nfn a() {}",
            "\"start the container with --security-opt seccomp=unconfined\"",
            "\"systemd-run --user --scope\"",
            "\"a--b -- c --- d\"",
            "\"<text style='stroke:var(--ground)'>\"",
            "command.args([\"--target\", \"x\"])",
            "\"below assay/env, in .assay-x\"",
            "a.get(ASSAY_X)",
            "#[cfg(test)]\nmod tests {\n    const A: &str = \"ASSAY_FAULT --out\";\n}",
        ] {
            assert_eq!(lines("crates/sandbox/src/a.rs", text), [0; 0], "{text}");
        }
    }

    #[test]
    fn only_the_settings_name_variables() {
        assert_eq!(lines(SETTINGS, "\"set ASSAY_DATA_DIR\""), [0; 0]);
        assert_eq!(lines(SETTINGS, "\"set ASSAY_DATA_DIR or --data-dir\""), [1]);
        assert_eq!(lines("crates/app/src/app.rs", "\"set ASSAY_DATA_DIR\""), [1]);
    }
}
