//! Examples in the words of a task, found without a model: doctests, and calls with what they are to give.
//!
//! Only what is surely one is taken: a call, a sign or word that says what it gives, and a literal. A wrong example would
//! refuse a right solution, so whatever is in doubt is none.

use serde::{Deserialize, Serialize};

/// Something that the task says the solution does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "form", rename_all = "lowercase")]
pub enum Example {
    /// What a session with the interpreter shows.
    Session {
        /// What is typed, without prompts.
        source: String,
        /// What is printed; empty where nothing is shown.
        want: String,
    },
    /// What a call gives.
    Call {
        /// The call.
        call: String,
        /// The literal.
        want: String,
    },
}

/// More say no more.
const EXAMPLES_MAX: usize = 50;
const TEXT_BYTES_MAX: usize = 4_096;

/// Finds the examples of a task, in its order.
pub fn find(task: &str) -> Vec<Example> {
    let (mut examples, rest) = sessions(task);
    examples.extend(calls(&rest));
    let mut seen = Vec::new();
    examples.retain(|example| {
        let is_new = !seen.contains(example);
        seen.push(example.clone());
        is_new
    });
    examples.truncate(EXAMPLES_MAX);
    // Sessions that only prepare something are no evidence by themselves.
    let says_something = |example: &Example| !matches!(example, Example::Session { want, .. } if want.is_empty());
    if examples.iter().any(says_something) { examples } else { Vec::new() }
}

/// Doctests, and the task's lines without them.
fn sessions(task: &str) -> (Vec<Example>, String) {
    let mut examples = Vec::new();
    let mut rest = String::new();
    let mut lines = task.lines().peekable();
    while let Some(line) = lines.next() {
        let Some(first) = prompted(line, ">>>") else {
            rest.push_str(line);
            rest.push('\n');
            continue;
        };
        let mut source = vec![first];
        while let Some(more) = lines.peek().and_then(|line| prompted(line, "...")) {
            source.push(more);
            lines.next();
        }
        let mut want = Vec::new();
        while let Some(shown) = lines.peek().filter(|line| is_shown(line)) {
            want.push(shown.trim());
            lines.next();
        }
        let (source, want) = (source.join("\n"), want.join("\n"));
        if source.len() <= TEXT_BYTES_MAX && want.len() <= TEXT_BYTES_MAX {
            examples.push(Example::Session { source, want });
        }
    }
    (examples, rest)
}

fn prompted<'a>(line: &'a str, prompt: &str) -> Option<&'a str> {
    let rest = line.trim_start().strip_prefix(prompt)?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix(' ') }
}

fn is_shown(line: &str) -> bool {
    let line = line.trim();
    let ends = line.is_empty() || line.starts_with(">>>") || line.starts_with("\"\"\"") || line.starts_with("'''");
    !ends && !line.starts_with("```")
}

/// What may stand between a call and what it gives, the longest first.
const SIGNS: [&str; 12] = [
    "should return",
    "should be",
    "must return",
    "will return",
    "evaluates to",
    "returns",
    "return",
    "gives",
    "==",
    "=>",
    "->",
    "➞",
];

fn calls(text: &str) -> Vec<Example> {
    let mut examples = Vec::new();
    let mut at = 0;
    while let Some((start, open)) = next_call(text, at) {
        let Some(end) = closing(&text[open..]).map(|length| open + length) else {
            at = open + 1;
            continue;
        };
        at = open + 1;
        let is_definition = ["def ", "class ", "lambda "].iter().any(|word| text[..start].ends_with(word));
        let Some(after) = after_sign(&text[end..]).filter(|_| !is_definition) else { continue };
        let Some(length) = literal(after) else { continue };
        let (call, want) = (text[start..end].to_string(), after[..length].to_string());
        if call.len() <= TEXT_BYTES_MAX && want.len() <= TEXT_BYTES_MAX && arguments_are_plain(&call) {
            at = end;
            examples.push(Example::Call { call, want });
        }
    }
    examples
}

/// The next name that a bracket follows: where the name begins and where the bracket stands.
fn next_call(text: &str, from: usize) -> Option<(usize, usize)> {
    let mut search = from;
    loop {
        let open = search + text.get(search..)?.find('(')?;
        let name = text[..open]
            .rfind(|letter: char| !is_name(letter))
            .map_or(0, |before| before + text[before..].chars().next().map_or(1, char::len_utf8));
        let begins = text[name..open].chars().next().is_some_and(|first| first.is_alphabetic() || first == '_');
        if begins && name >= from {
            return Some((name, open));
        }
        search = open + 1;
    }
}

fn is_name(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// A call whose arguments hold a colon outside of brackets is a signature with types, and one with `...` is a sketch.
fn arguments_are_plain(call: &str) -> bool {
    let inside = call.split_once('(').map_or("", |(_, inside)| inside);
    let mut depth = 0_i32;
    let mut quote = None;
    for letter in inside.chars() {
        match (quote, letter) {
            (Some(open), letter) if letter == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(letter),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth -= 1,
            (None, ':') if depth == 0 => return false,
            _ => {}
        }
    }
    !inside.contains("...") && !inside.contains('…')
}

/// What follows the sign.
fn after_sign(text: &str) -> Option<&str> {
    let text = text.trim_start_matches(['`', ' ', '\t']);
    let sign = SIGNS.iter().find(|sign| text.starts_with(**sign))?;
    let rest = &text[sign.len()..];
    let ends = !sign.ends_with(char::is_alphabetic) || rest.starts_with([' ', ':', '\t']);
    ends.then(|| rest.trim_start_matches([':', '`', ' ', '\t']))
}

/// How long the literal is that a text begins with; none where it begins with none.
fn literal(text: &str) -> Option<usize> {
    let length = match text.chars().next()? {
        '[' | '(' | '{' => closing(text)?,
        quote @ ('"' | '\'') => quoted(text, quote)?,
        letter if letter.is_ascii_digit() || letter == '-' => number(text)?,
        _ => ["True", "False", "None"].into_iter().find(|word| text.starts_with(word))?.len(),
    };
    let goes_on = match text[length..].chars().next() {
        Some('.') => text[length + 1..].starts_with(is_name),
        Some(letter) => is_name(letter) || "([".contains(letter),
        None => false,
    };
    let goes_on = goes_on || text[length..].trim_start_matches(' ').starts_with(|next| "+-*/%<>=&|^".contains(next));
    (!goes_on && !text[..length].contains("...") && !text[..length].contains('…')).then_some(length)
}

fn number(text: &str) -> Option<usize> {
    let body = text.strip_prefix('-').unwrap_or(text);
    let mut length = 0;
    let mut has_point = false;
    for (at, letter) in body.char_indices() {
        let is_point = letter == '.' && !has_point && body[at + 1..].starts_with(|next: char| next.is_ascii_digit());
        let is_exponent = matches!(letter, 'e' | 'E')
            && at > 0
            && body[at + 1..].starts_with(['-', '+', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9']);
        let is_sign = matches!(letter, '-' | '+') && body[..at].ends_with(['e', 'E']);
        if !(letter.is_ascii_digit() || is_point || is_exponent || is_sign) {
            break;
        }
        has_point |= is_point || is_exponent;
        length = at + 1;
    }
    (length > 0).then(|| text.len() - body.len() + length)
}

fn quoted(text: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    for (at, letter) in text.char_indices().skip(1) {
        match letter {
            '\n' => return None,
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if letter == quote => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// How long a text is that begins with a bracket, up to the one that closes it.
fn closing(text: &str) -> Option<usize> {
    let mut open = Vec::new();
    let mut at = 0;
    while let Some(letter) = text[at..].chars().next() {
        match letter {
            '(' | '[' | '{' => open.push(letter),
            ')' | ']' | '}' => {
                let fits = matches!((open.pop()?, letter), ('(', ')') | ('[', ']') | ('{', '}'));
                if !fits {
                    return None;
                }
                if open.is_empty() {
                    return Some(at + 1);
                }
            }
            '"' | '\'' => {
                at += quoted(&text[at..], letter)?;
                continue;
            }
            _ => {}
        }
        at += letter.len_utf8();
        if at > TEXT_BYTES_MAX {
            return None;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(task: &str) -> Vec<String> {
        let tell = |example: &Example| match example {
            Example::Session { source, want } => format!(">>> {source} | {want}"),
            Example::Call { call, want } => format!("{call} = {want}"),
        };
        find(task).iter().map(tell).collect()
    }

    #[test]
    fn doctests_are_found_with_what_they_print() {
        let task = "def f(x: int) -> int:\n    \"\"\"Doubles.\n    >>> f(2)\n    4\n    >>> for x in [1]:\n    ...     print(f(x))\n    2\n    \"\"\"";
        assert_eq!(told(task), [">>> f(2) | 4", ">>> for x in [1]:\n    print(f(x)) | 2"]);
        assert!(told(">>> x = 1").is_empty(), "what only prepares shows nothing");
    }

    #[test]
    fn calls_are_found_with_what_they_are_to_give() {
        for (task, expected) in [
            ("so that f(2) == 4 and f(0)==0.", vec!["f(2) = 4", "f(0) = 0"]),
            ("f([1, 2], \"a)\") -> [2, 1]", vec!["f([1, 2], \"a)\") = [2, 1]"]),
            ("f('x') => True, f(-1) => -1.5e3", vec!["f('x') = True", "f(-1) = -1.5e3"]),
            ("`f(3)` returns `None`", vec!["f(3) = None"]),
            ("f(3) should return {'a': 1}", vec!["f(3) = {'a': 1}"]),
            ("count_vowels(\"hello\") returns 2.", vec!["count_vowels(\"hello\") = 2"]),
            ("f(g(1)) == 2", vec!["f(g(1)) = 2"]),
        ] {
            assert_eq!(told(task), expected, "{task}");
        }
    }

    #[test]
    fn what_is_in_doubt_is_no_example() {
        for task in [
            "def f(x: int) -> [1]",
            "f(x: int) -> 5",
            "f(2) == 4 * 2",
            "f(2) returns the double",
            "f(1, ...) == 3",
            "f(2) == [1, ..., 9]",
            "it returns (1, 2)",
            "f(2 == 4",
            "f(2) == x",
            "f(2) returned 4",
            "",
        ] {
            assert!(told(task).is_empty(), "{task}: {:?}", told(task));
        }
    }

    #[test]
    fn no_text_makes_it_panic_or_run_away() {
        for text in
            ["(((((((((", "f(é", "é(1) == 1", "f(\"\\", ">>>", ">>> é\n…", "f('a\n') == 1", "f(1) == 1.é", "f(1)==-"]
        {
            let _ = find(text);
        }
        assert!(find(&"f(1) == 1 ".repeat(10_000)).len() <= EXAMPLES_MAX);
        assert!(find(&"(".repeat(50_000)).is_empty());
    }
}
