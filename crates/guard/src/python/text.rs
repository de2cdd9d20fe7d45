//! What is wrong with a program before its first token: another encoding, letters that hide what is written.

use base::{Finding, Severity, Span};

use super::Profile;

/// The finding for a remark that makes Python read other letters than the guard does. Python looks for it in the first
/// two lines.
pub fn foreign_encoding(text: &str) -> Option<Finding> {
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = body.split(['\n', '\r']);
    let first = lines.next().unwrap_or_default();
    // A carriage return and a line feed end one line, and leave an empty piece between them.
    let second = match (body.get(first.len()..first.len() + 2), lines.next()) {
        (Some("\r\n"), _) => lines.next(),
        (_, second) => second,
    };
    let is_remark_or_blank =
        |line: &str| matches!(line.trim_start_matches([' ', '\t', '\x0c']).chars().next(), None | Some('#'));
    let candidates = [Some(first), second.filter(|_| is_remark_or_blank(first))];
    let name = candidates.into_iter().flatten().find_map(declared)?;
    let plain = name.to_ascii_lowercase().replace('_', "-");
    if matches!(plain.as_str(), "utf-8" | "utf8" | "ascii" | "us-ascii" | "utf-8-sig") {
        return None;
    }
    let start = name.as_ptr() as usize - text.as_ptr() as usize;
    let message = format!("the encoding `{name}` would make Python read another program; write it in utf-8");
    Some(Finding::error("python/encoding", message, Some(Span { start, end: start + name.len() })))
}

/// The encoding that a remark names, by Python's own pattern: `coding`, `:` or `=`, a word.
fn declared(line: &str) -> Option<&str> {
    let remark = line.trim_start_matches([' ', '\t', '\x0c']).strip_prefix('#')?;
    remark.match_indices("coding").find_map(|(at, word)| {
        let name = remark[at + word.len()..].strip_prefix([':', '='])?.trim_start_matches([' ', '\t']);
        let is_part = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.');
        let length = name.find(|letter| !is_part(letter)).unwrap_or(name.len());
        (length > 0).then(|| &name[..length])
    })
}

/// Findings for letters that turn the direction of what follows, so that people read another program than Python does.
pub fn hidden(text: &str, profile: Profile) -> Vec<Finding> {
    let severity = match profile {
        Profile::Analysis => Severity::Error,
        Profile::Task => Severity::Warning,
    };
    let turns = |letter: char| matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let found = text.char_indices().filter(|(_, letter)| turns(*letter)).take(super::FINDINGS_MAX);
    found
        .map(|(start, letter)| Finding {
            rule: "python/hidden".to_string(),
            severity,
            message: format!(
                "U+{:04X} turns the direction of the text, so it reads otherwise than it runs",
                letter as u32
            ),
            span: Some(Span { start, end: start + letter.len_utf8() }),
        })
        .collect()
}
