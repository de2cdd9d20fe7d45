//! `--value NAME=JSON`: what a program is given by name. Read strictly, before anything is run: a name that Python would
//! not take, or a number that a reader of JSON would round, is a mistake of the command line and not of the program.

use std::collections::BTreeMap;

use base::{Code, Problem};
use serde_json::Value;

const KEYWORDS: &str = "False None True and as assert async await break class continue def del elif else except \
    finally for from global if import in is lambda nonlocal not or pass raise return try while with yield";

/// Reads all of them.
pub fn read(values: &[String]) -> Result<BTreeMap<String, Value>, Problem> {
    let mut read = BTreeMap::new();
    for one in values {
        let (name, text) = one.split_once('=').ok_or_else(|| {
            usage(format!("--value `{}` has no `=`", shown(one)), "give it as NAME=JSON, such as limit=10")
        })?;
        check_name(name)?;
        let value = parse(text).map_err(|(why, hint)| usage(format!("the value of `{name}` {why}"), hint))?;
        if read.insert(name.to_string(), value).is_some() {
            return Err(usage(format!("two values are called `{name}`"), "give each name once"));
        }
    }
    Ok(read)
}

fn check_name(name: &str) -> Result<(), Problem> {
    let is_first = |letter: char| letter.is_ascii_alphabetic() || letter == '_';
    let is_identifier =
        name.starts_with(is_first) && name.chars().all(|letter| is_first(letter) || letter.is_ascii_digit());
    if !is_identifier {
        return Err(usage(format!("`{}` is no name for a value", shown(name)), "use letters, digits and `_`"));
    }
    if KEYWORDS.split_whitespace().any(|keyword| keyword == name) {
        return Err(usage(format!("`{name}` is a word of Python and no name for a value"), "use another name"));
    }
    if name.starts_with("__") {
        return Err(usage(format!("`{name}` is a name of Python's own"), "use a name without leading `__`"));
    }
    Ok(())
}

fn parse(text: &str) -> Result<Value, (String, &'static str)> {
    let value = serde_json::from_str(text).map_err(|error| {
        (format!("is not JSON: {error}"), "text needs its own quotes, such as --value 'region=\"North\"'")
    })?;
    match rounded_integer(text) {
        Some(digits) => Err((format!("holds {}, which 64 bits do not hold", shown(digits)), "give it as text")),
        None => Ok(value),
    }
}

/// The first whole number of a JSON text that would be rounded.
fn rounded_integer(text: &str) -> Option<&str> {
    let mut rest = text;
    while let Some(start) = rest.find(|letter: char| letter == '"' || letter == '-' || letter.is_ascii_digit()) {
        rest = &rest[start..];
        if rest.starts_with('"') {
            rest = after_string(rest);
            continue;
        }
        let is_part = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '+' | '.');
        let (number, after) = rest.split_at(rest.find(|letter| !is_part(letter)).unwrap_or(rest.len()));
        let is_whole = !number.contains(['.', 'e', 'E']);
        if is_whole && number.parse::<i64>().is_err() && number.parse::<u64>().is_err() {
            return Some(number);
        }
        rest = after;
    }
    None
}

/// What follows the string that a valid JSON text begins with.
fn after_string(text: &str) -> &str {
    let mut escaped = false;
    for (place, letter) in text.char_indices().skip(1) {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return &text[place + 1..],
            _ => {}
        }
    }
    ""
}

fn usage(message: String, hint: &str) -> Problem {
    Problem::new(Code::Usage, message).hint(hint)
}

fn shown(text: &str) -> String {
    const CHARACTERS_MAX: usize = 40;
    text.chars().take(CHARACTERS_MAX).collect::<String>().escape_debug().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_values_are_read_strictly() {
        let read = |texts: &[&str]| read(&texts.iter().map(|text| text.to_string()).collect::<Vec<_>>());
        let good = read(&["n=3", "text=\"a=b\"", "_x={\"k\":[1.5,null,18446744073709551615,-9223372036854775808]}"]);
        assert_eq!(good.expect("three values").len(), 3);
        assert!(read(&["t=\"12345678901234567890123 \\\" 99999999999999999999\""]).is_ok(), "digits in a text");
        for wrong in ["n", "n=", "n=x", "n=NaN", "n='a'", "1n=1", "a-b=1", "=1", "ü=1", "class=1", "__name__=1", "n=[1"]
        {
            assert_eq!(read(&[wrong]).expect_err(wrong).code, Code::Usage, "{wrong}");
        }
        for wrong in ["n=18446744073709551616", "n=[1, {\"a\": -9223372036854775809}]"] {
            assert!(read(&[wrong]).expect_err(wrong).message.contains("64 bits"), "{wrong}");
        }
        assert!(read(&["n=1", "n=1"]).expect_err("twice").message.contains("two values"));
    }
}
