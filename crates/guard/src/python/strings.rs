//! What a constant text may do: name attributes when it is formatted, be a key, be a path to a process's memory.

use super::table::{DUNDERS_REFUSED, FRAMES, KEY_BEGINNINGS, SECRET_WORDS, TextIs};

/// How many characters of a key are shown.
const KEY_SHOWN: usize = 4;
const KEY_LENGTH_MIN: usize = 20;
const SECRET_LENGTH_MIN: usize = 8;

/// Whether a name has the form `__name__`.
pub fn is_dunder(name: &str) -> bool {
    name.len() > 4 && name.starts_with("__") && name.ends_with("__")
}

/// Whether a rule about texts is about this one; `is_refused` tells which attributes may not be used.
pub fn is_about(is: TextIs, text: &str, is_refused: impl Fn(&str) -> bool) -> bool {
    match is {
        TextIs::Format => fields(text).any(|field| field.split(['.', '[', ']']).skip(1).any(&is_refused)),
        TextIs::Refused => DUNDERS_REFUSED.contains(&text) || FRAMES.contains(&text),
        TextIs::Beginning(beginnings) => beginnings.iter().any(|beginning| text.starts_with(beginning)),
        TextIs::Memory => is_memory(text),
        TextIs::Key => is_key(text),
    }
}

/// The text as a message may show it.
pub fn shown(is: TextIs, text: &str) -> String {
    const LENGTH_MAX: usize = 60;
    let length = if matches!(is, TextIs::Key) { KEY_SHOWN } else { LENGTH_MAX };
    let mut shown: String = text.chars().take(length).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    shown.escape_debug().to_string()
}

/// The replacement fields of a format text, without conversion and format.
fn fields(text: &str) -> impl Iterator<Item = &str> {
    text.split('{').skip(1).map(|rest| rest.split(['}', ':', '!']).next().unwrap_or_default())
}

fn is_memory(text: &str) -> bool {
    const OF_THE_MACHINE: &[&str] =
        &["/proc/1/", "/proc/kcore", "/proc/sysrq-trigger", "/proc/sys/kernel/", "/dev/mem", "/dev/kmem"];
    let of_a_process = text.strip_prefix("/proc/").and_then(|rest| rest.split_once('/'));
    OF_THE_MACHINE.iter().any(|beginning| text.starts_with(beginning))
        || of_a_process.is_some_and(|(_, file)| file == "mem" || file.ends_with("/mem"))
        || text.ends_with("/docker.sock")
}

fn is_key(text: &str) -> bool {
    if text.starts_with("-----BEGIN ") {
        return text.contains("PRIVATE KEY-----");
    }
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_');
    text.len() >= KEY_LENGTH_MIN
        && KEY_BEGINNINGS.iter().any(|beginning| text.starts_with(beginning))
        && text.chars().all(is_part)
        && text.chars().any(|letter| letter.is_ascii_digit())
}

/// Whether a text under this name is a secret: the name says so, and the text is no word, path or place-holder.
pub fn is_secret(name: &str, text: &str) -> bool {
    let name = name.to_ascii_lowercase();
    SECRET_WORDS.iter().any(|word| name.contains(word))
        && text.len() >= SECRET_LENGTH_MIN
        && text.chars().any(|letter| letter.is_ascii_digit())
        && text.chars().any(|letter| letter.is_ascii_alphabetic())
        && !text.contains(['/', '<', '{', '$', '%', ' ', '\n'])
}

/// Whether a text begins as a statement of SQL does.
pub fn is_statement(text: &str) -> bool {
    const VERBS: &[&str] =
        &["SELECT", "INSERT", "UPDATE", "DELETE", "WITH", "CREATE", "DROP", "ALTER", "REPLACE", "MERGE"];
    let word = text.split_whitespace().next().unwrap_or_default().to_ascii_uppercase();
    VERBS.contains(&word.as_str())
}

/// Whether a text is an address of the network.
pub fn is_address(text: &str) -> bool {
    const SCHEMES: &[&str] = &["http://", "https://", "ftp://", "s3://", "gs://", "hf://"];
    SCHEMES.iter().any(|scheme| text.starts_with(scheme))
}

/// The names after `@` in an expression of pandas.
pub fn outer_names(expression: &str) -> impl Iterator<Item = &str> {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    expression.split('@').skip(1).map(move |rest| {
        let rest = rest.trim_start();
        &rest[..rest.find(|letter| !is_part(letter)).unwrap_or(rest.len())]
    })
}
