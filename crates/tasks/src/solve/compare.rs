//! Holds what a program gave against what its task's examples expect, outside of the cell in which it ran.
//!
//! What is expected never enters the cell: a program can say that its calls gave anything, and does not learn what would be
//! right. A value that cannot be written out is the same as nothing, whatever it says of itself.

use agent::solve::{By, Example};
use guard::python::Literal;
use serde::{Deserialize, Serialize};

/// What was held against a program.
#[derive(Deserialize)]
pub struct Counted {
    pub by: By,
    pub passed: u64,
    pub failed: u64,
    #[serde(default)]
    pub skipped: u64,
    pub details: Vec<String>,
}

const DETAILS_MAX: usize = 5;
const DETAIL_CHARACTERS_MAX: usize = 400;

impl Counted {
    /// Nothing yet.
    pub fn of(by: By) -> Counted {
        Counted { by, passed: 0, failed: 0, skipped: 0, details: Vec::new() }
    }

    /// One more that does not hold.
    pub fn fail(&mut self, why: String) {
        self.failed += 1;
        if self.details.len() < DETAILS_MAX {
            self.details.push(why.chars().take(DETAIL_CHARACTERS_MAX).collect());
        }
    }
}

/// An example as the cell sees it: without what is wanted.
#[derive(Serialize)]
#[serde(tag = "form", rename_all = "lowercase")]
pub enum Asked<'a> {
    Session { source: &'a str },
    Call { call: &'a str },
}

/// What of an example enters the cell.
pub fn asked(example: &Example) -> Asked<'_> {
    match example {
        Example::Session { source, .. } => Asked::Session { source },
        Example::Call { call, .. } => Asked::Call { call },
    }
}

/// What the cell says that an example gave.
#[derive(Default, Deserialize)]
#[serde(default)]
pub struct Answer {
    /// The name of the error.
    raised: Option<String>,
    value: Option<Literal>,
    printed: Option<String>,
    /// The same for people.
    told: String,
}

/// Holds answers against examples. One that has no answer was not come to; what failed before it says why.
pub fn hold(examples: &[Example], answers: &[Answer]) -> Counted {
    let mut counted = Counted::of(By::Examples);
    for (at, example) in examples.iter().enumerate() {
        let Some(answer) = answers.get(at) else {
            if counted.failed == 0 {
                counted.fail(format!("{} was not come to", shown(example)));
            }
            break;
        };
        let held = match example {
            Example::Session { want, .. } if want.trim().is_empty() => continue,
            Example::Session { want, .. } => shows(want, answer),
            Example::Call { want, .. } => match Literal::read(want) {
                Some(want) => answer.value.as_ref().is_some_and(|given| want.is_given_by(given)),
                None => continue,
            },
        };
        if held {
            counted.passed += 1;
        } else {
            counted.fail(missed(example, answer));
        }
    }
    counted
}

fn shown(example: &Example) -> &str {
    match example {
        Example::Session { source, .. } => source,
        Example::Call { call, .. } => call,
    }
}

fn missed(example: &Example, answer: &Answer) -> String {
    let (Example::Session { want, .. } | Example::Call { want, .. }) = example;
    let (shown, told) = (shown(example), &answer.told);
    match &answer.raised {
        Some(_) => format!("{shown}: {told}"),
        None => format!("{shown} gave {told}, expected {want}"),
    }
}

/// Whether a session shows what it is to show: blanks and what `...` stands for do not matter, and a value may be spelled in
/// another way.
fn shows(want: &str, answer: &Answer) -> bool {
    let wants_error = want.contains("Traceback");
    if let Some(raised) = &answer.raised {
        return wants_error && want.contains(raised.as_str());
    }
    if wants_error {
        return false;
    }
    let blank_lines = want.replace("<BLANKLINE>", "");
    if matches(&plain(&blank_lines), &plain(answer.printed.as_deref().unwrap_or_default())) {
        return true;
    }
    let given = answer.value.as_ref();
    Literal::read(want).zip(given).is_some_and(|(want, given)| want.is_given_by(given))
}

fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether a text is a pattern's, in which `...` stands for anything.
fn matches(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split("...");
    let Some(mut rest) = parts.next().and_then(|first| text.strip_prefix(first)) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(want: &str) -> Example {
        Example::Session { source: "f()".into(), want: want.into() }
    }

    fn printed(text: &str) -> Answer {
        Answer { printed: Some(text.into()), ..Answer::default() }
    }

    #[test]
    fn sessions_show_what_they_are_to_show() {
        for (want, text, same) in [
            ("[1,  2]", "[1, 2]\n", true),
            ("<A at ...>", "<A at 0x7f>", true),
            ("a ... c ... e", "a b c d e", true),
            ("a ... c ... e", "a b d e", false),
            ("4", "5", false),
            ("a\n<BLANKLINE>\nb", "a\n\nb", true),
        ] {
            let counted = hold(&[session(want)], &[printed(text)]);
            assert_eq!((counted.passed, counted.failed), (u64::from(same), u64::from(!same)), "{want} by {text}");
        }
        let raised = |name: &str| Answer { raised: Some(name.into()), ..Answer::default() };
        let wanted = session("Traceback (most recent call last):\nValueError: no");
        assert_eq!(hold(std::slice::from_ref(&wanted), &[raised("ValueError")]).passed, 1);
        assert_eq!(hold(std::slice::from_ref(&wanted), &[raised("KeyError")]).failed, 1);
        assert_eq!(
            hold(&[wanted], &[printed("Traceback ValueError")]).failed,
            1,
            "to print an error is not to raise it"
        );
    }

    #[test]
    fn what_was_not_come_to_does_not_hold() {
        let call = || Example::Call { call: "f(1)".into(), want: "2".into() };
        let right = || Answer { value: Literal::read("2"), ..Answer::default() };
        let counted = hold(&[call(), call()], &[right()]);
        assert_eq!((counted.passed, counted.failed), (1, 1));
        assert_eq!(hold(&[call(), call()], &[]).failed, 1);
        let opaque = Answer { value: Some(Literal::Other("Anything".into())), ..Answer::default() };
        assert_eq!(hold(&[call()], &[opaque]).failed, 1);
    }
}
