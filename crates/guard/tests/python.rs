//! Runs `cases/python/*.md` through the guard, attacks the limits, and cuts and mutates every case.

use std::fs;
use std::time::{Duration, Instant};

use base::{Finding, Severity};
use guard::python::{self, Profile};

/// Far above what any text takes on a busy machine, and far below what one takes that is worse than linear.
const TIME_MAX: Duration = Duration::from_secs(20);

struct Case {
    heading: String,
    profile: Profile,
    text: String,
    expected: Vec<String>,
}

/// The cases of every file; a file's first line names its profile.
fn cases() -> Vec<Case> {
    let folder = std::env::current_dir().expect("tests run in their crate's folder").join("cases/python");
    let mut files: Vec<_> =
        fs::read_dir(&folder).expect("the cases").map(|entry| entry.expect("a file").path()).collect();
    files.sort();
    let mut cases = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file).expect("a text");
        let profile = match text.lines().next() {
            Some(line) if line.contains("`analysis`") => Profile::Analysis,
            Some(line) if line.contains("`task`") => Profile::Task,
            _ => panic!("{}: the first line names no profile", file.display()),
        };
        cases.extend(text.split("\n## ").skip(1).map(|part| {
            let (heading, rest) = part.split_once("\n```python\n").expect("a heading and a program");
            let (text, rest) = rest.split_once("\n```\n").expect("the end of the program");
            let expected = rest.lines().filter_map(|line| line.strip_prefix("- ")).map(str::to_string).collect();
            Case { heading: heading.to_string(), profile, text: text.to_string(), expected }
        }));
    }
    cases
}

fn shown(text: &str, finding: &Finding) -> String {
    let severity = if finding.severity == Severity::Warning { "warning " } else { "" };
    match finding.span {
        Some(span) => format!("{severity}{} @ `{}`", finding.rule, text[span.start..span.end].replace('\n', "⏎")),
        None => format!("{severity}{}", finding.rule),
    }
}

fn check(text: &str, profile: Profile) -> Vec<String> {
    match &python::findings(text, profile)[..] {
        [] => vec!["ok".to_string()],
        findings => findings.iter().map(|finding| shown(text, finding)).collect(),
    }
}

/// The rules of a text's findings, without places.
fn rules(text: &str, profile: Profile) -> Vec<String> {
    python::findings(text, profile).into_iter().map(|finding| finding.rule).collect()
}

#[test]
fn every_case_is_as_its_heading_says() {
    let cases = cases();
    assert!(cases.len() >= 150, "only {} cases", cases.len());
    let mut wrong = Vec::new();
    for case in &cases {
        let found = check(&case.text, case.profile);
        if found != case.expected {
            wrong.push(format!("{}\n  expected {:?}\n  found    {found:?}", case.heading, case.expected));
        }
    }
    assert!(wrong.is_empty(), "{} of {} cases:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

#[test]
fn the_same_word_in_other_letters_is_the_same_name() {
    for text in ["ｅｖａｌ('1')", "𝓮𝓿𝓪𝓵('1')", "().__ｃlass__", "import ｏs", "from ᵒs import path", "(1).__𝒸𝓁𝒶𝓈𝓈__"]
    {
        assert_eq!(rules(text, Profile::Analysis).len(), 1, "{text}");
    }
}

#[test]
fn remarks_change_nothing() {
    for remark in ["# noqa", "# nosec", "# type: ignore", "# pragma: no cover", "# fmt: off"] {
        assert_eq!(rules(&format!("import os  {remark}\n"), Profile::Analysis), ["python/import"], "{remark}");
    }
}

#[test]
fn another_encoding_is_refused_where_python_would_follow_it() {
    let refused = [
        "# coding: utf-7\nx",
        "#!/bin/x\n# -*- coding: latin-1 -*-\n",
        "\n# vim: set fileencoding=cp1252 :\n",
        "\x0c#coding=rot13\n",
        "# a\r\n# coding:utf_7\r\n",
    ];
    for text in refused {
        assert_eq!(rules(text, Profile::Task), ["python/encoding"], "{text:?}");
    }
    let fine = [
        "# coding: utf-8\n",
        "# -*- coding: UTF_8 -*-\n",
        "x = 1\n# coding: utf-7\n",
        "\n\n# coding: utf-7\n",
        "s = 'coding: utf-7'\n",
        "\u{feff}# coding: utf-8\nx = 1\n",
    ];
    for text in fine {
        assert_eq!(rules(text, Profile::Task), [""; 0], "{text:?}");
    }
}

#[test]
fn a_mark_of_the_byte_order_and_form_feeds_do_not_shift_places() {
    assert_eq!(check("\u{feff}\x0ceval('1')", Profile::Analysis), ["python/call @ `eval`"]);
    assert_eq!(check("x = \\\n  eval", Profile::Analysis), ["python/call @ `eval`"]);
    assert_eq!(check("if 1:\r\n\tx = 1\r\n\teval\r\n", Profile::Analysis), ["python/call @ `eval`"]);
    assert_eq!(rules("x = 1\0\n", Profile::Task), ["python/syntax"]);
}

/// Each would end a parser that recurses, or keep a careless walk busy for minutes. Blocks within an open bracket are
/// none to Python, so there the answer may be about the bracket.
#[test]
fn no_depth_or_length_ends_the_guard() {
    let n = 100_000;
    let deep = [
        "(".repeat(n),
        "[".repeat(n) + &"]".repeat(n),
        "{".repeat(n),
        "x = ".to_string() + &"not ".repeat(n) + "x",
        "-".repeat(n) + "1",
        "~".repeat(n) + "1",
        "a".to_string() + &".b".repeat(n),
        "a".to_string() + &"()".repeat(n),
        "a".to_string() + &"[0]".repeat(n),
        "1".to_string() + &"+1".repeat(n),
        "2".to_string() + &"**2".repeat(n),
        "x".to_string() + &" if x else x".repeat(50_000),
        "lambda: ".repeat(n) + "1",
        "lambda a, b: ".repeat(n / 2) + "1",
        "f'{".repeat(n / 2),
        "f'{x:".to_string() + &"{x:".repeat(n / 2),
        "await ".repeat(n) + "x",
        "(yield ".repeat(n),
        (0..1_400).map(|depth| " ".repeat(depth) + "if x:\n").collect(),
        "(\n".to_string() + &(0..1_400).map(|depth| " ".repeat(depth) + "while x:\n").collect::<String>(),
        "class A:\n ".to_string() + &"def f(x=(lambda: ".repeat(n / 4),
        "match x:\n case ".to_string() + &"A(".repeat(n),
        "x = ".to_string() + &"(a := ".repeat(n),
        "@".repeat(n),
        "x: ".to_string() + &"a[".repeat(n),
        "print(*".repeat(n),
    ];
    for text in deep {
        let started = Instant::now();
        let found = rules(&text, Profile::Analysis);
        assert!(
            matches!(&found[..], [rule] if rule == "python/limit" || rule == "python/syntax"),
            "{:.30}: {found:?}",
            text
        );
        assert!(started.elapsed() < TIME_MAX, "{:.30}: {:?}", text, started.elapsed());
    }
}

/// What the limits let through must not end the parser, the walk, or whoever drops the tree.
#[test]
fn what_lies_just_below_the_limits_is_answered() {
    let n = python::DEPTH_MAX - 10;
    let brackets = python::BRACKETS_MAX - 1;
    let deep = [
        "(".repeat(brackets) + "1" + &")".repeat(brackets),
        "[".repeat(brackets) + &"]".repeat(brackets),
        "f(x=".repeat(brackets) + "1" + &")".repeat(brackets),
        "{1: ".repeat(brackets) + "1" + &"}".repeat(brackets),
        "[".repeat(brackets) + "1" + &" for x in y]".repeat(brackets),
        "(1+".repeat(brackets) + "1" + &")".repeat(brackets),
        "not ".repeat(n) + "x",
        "-".repeat(n) + "1",
        "a".to_string() + &".b".repeat(n),
        "a".to_string() + &"()".repeat(n / 2),
        "1".to_string() + &"+1".repeat(n),
        "2".to_string() + &"**2".repeat(n),
        "x".to_string() + &" if x else x".repeat(n / 2),
        "lambda a, b: ".repeat(n) + "1",
        (0..python::INDENTATION_MAX).map(|depth| " ".repeat(depth) + "if x:\n").collect::<String>()
            + &" ".repeat(python::INDENTATION_MAX)
            + "pass\n",
        (0..python::INDENTATION_MAX - 1).map(|depth| " ".repeat(depth) + "def f():\n").collect::<String>()
            + &" ".repeat(python::INDENTATION_MAX)
            + &"not ".repeat(n)
            + "x\n",
    ];
    for text in deep {
        assert_eq!(rules(&text, Profile::Task), [""; 0], "{text:.30}");
    }
}

#[test]
fn long_but_flat_programs_are_answered() {
    let n = 20_000;
    let flat = [
        "if x: pass\n".to_string() + &"elif x: pass\n".repeat(50_000),
        "x = [".to_string() + &"-1, ".repeat(n) + "]",
        "x = {".to_string() + &"'a': f(x.y)[0], ".repeat(n) + "}",
        "x = 1\n".repeat(n),
        "x = x.y\n".repeat(n),
        (0..n).map(|index| format!("a{} = a{index}\n", index + 1)).collect(),
        "f(".to_string() + &"a=1, ".repeat(n) + ")",
        "x = ".to_string() + &"y = ".repeat(n) + "1",
        "x = ".to_string() + &"'a' ".repeat(n),
        "x = a".to_string() + &" < a".repeat(n),
        "x = a".to_string() + &" and a or b".repeat(n),
        "import a".to_string() + &", a".repeat(n),
        "global x\n".repeat(n),
        "try:\n pass\nexcept A:\n pass\n".repeat(n / 2),
        ("s = 'a'".to_string() + &" + 'a'".repeat(900) + "\n").repeat(100),
        "from numpy import *\n".repeat(500) + &"load\n".repeat(5_000),
        "open = 1\nif x:\n open = 2\n".repeat(n / 4) + &"open\n".repeat(n / 4),
    ];
    for text in flat {
        let started = Instant::now();
        let found = rules(&text, Profile::Task);
        assert!(!found.contains(&"python/limit".to_string()), "{:.30}: {found:?}", text);
        assert!(started.elapsed() < TIME_MAX, "{:.30}: {:?}", text, started.elapsed());
    }
}

#[test]
fn a_program_that_is_too_long_is_refused_unread() {
    let text = "x = 1\n".repeat(python::TEXT_BYTES_MAX / 6 + 1);
    assert_eq!(check(&text, Profile::Task), ["python/limit"]);
}

#[test]
fn the_line_of_a_limit_is_found() {
    let text = format!("x = 1\ny = 2\nz = {}\nw = 3\n", "(".repeat(300));
    let found = python::findings(&text, Profile::Task);
    let start = found[0].span.expect("a place").start;
    assert_eq!(guard::position(&text, start), guard::Position { line: 3, column: 1 });
}

#[test]
fn findings_are_few_sorted_and_once_each() {
    let text = "import os\neval('1')\n".repeat(200);
    let found = python::findings(&text, Profile::Analysis);
    assert_eq!(found.len(), python::FINDINGS_MAX);
    let starts: Vec<usize> = found.iter().map(|finding| finding.span.expect("a place").start).collect();
    assert!(starts.is_sorted_by(|a, b| a < b), "{starts:?}");
    let text = "import socket\n".repeat(200) + "import os\nos.setsid()\n";
    let found = python::findings(&text, Profile::Task);
    assert_eq!(found.len(), python::FINDINGS_MAX);
    assert_eq!(found.last().map(|finding| finding.severity), Some(Severity::Error), "an error is never crowded out");
}

#[test]
fn messages_say_why_and_what_to_write_instead() {
    let message = |text: &str, profile| python::findings(text, profile)[0].message.clone();
    assert!(message("import subprocess", Profile::Analysis).contains("starts processes"));
    assert!(message("import seaborn", Profile::Analysis).contains("there are pandas"));
    assert!(message("yaml.load(x)\nimport yaml", Profile::Task).contains("yaml.safe_load"));
    assert!(message("import requests", Profile::Task).contains("a cell has none"));
    let key = "x = 'AKIAIOSFODNN7EXAMPLE1'";
    assert!(!message(key, Profile::Task).contains("IOSF"), "a key is not shown");
}

/// Numbers that look random and are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end.max(1)
    }
}

fn boundary(text: &str, at: usize) -> usize {
    (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

/// Whatever is cut off, doubled, moved or put in: there is an answer, and every span lies in the text.
#[test]
fn no_prefix_or_mutation_of_a_case_ends_the_guard() {
    const PIECES: &[&str] = &[
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "'",
        "\"",
        "\"\"\"",
        "\n",
        "\n  ",
        ":",
        "\\\n",
        "f'{",
        "é",
        "\t",
        "=",
        "lambda",
        "@",
        ";",
        "\r",
        "...",
        "1e",
        "0x",
        "*",
        "\u{feff}",
        "async ",
        "match x:\n case ",
    ];
    let cases = cases();
    let mut random = Random(7);
    let mut answered = 0;
    for case in &cases {
        for _ in 0..40 {
            let text = &case.text;
            let (from, to) =
                (boundary(text, random.below(text.len() + 1)), boundary(text, random.below(text.len() + 1)));
            let (from, to) = (from.min(to), from.max(to));
            let other = &cases[random.below(cases.len())].text;
            let changed = match random.below(5) {
                0 => text[..to].to_string(),
                1 => format!("{}{}", &text[..from], &text[to..]),
                2 => format!("{}{}{}", &text[..from], PIECES[random.below(PIECES.len())], &text[from..]),
                3 => format!("{}{}{}", &text[..to], &text[from..to], &text[to..]),
                _ => format!("{}{}", &text[..from], &other[boundary(other, random.below(other.len() + 1))..]),
            };
            for profile in [Profile::Analysis, Profile::Task] {
                for finding in python::findings(&changed, profile) {
                    let span = finding.span.expect("a place");
                    assert!(changed.get(span.start..span.end).is_some(), "{changed:?}: {finding:?}");
                }
                answered += 1;
            }
        }
    }
    assert!(answered > 10_000, "only {answered}");
}
