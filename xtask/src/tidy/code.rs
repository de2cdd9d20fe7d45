//! Rust text with everything blanked out that is not code, so that a search for a word finds only uses of it.
//!
//! Invariant: every byte keeps its place, so that offsets and line numbers are those of the original.

use std::ops::Range;

/// Comments, strings and character literals become spaces; newlines stay.
pub fn code_only(text: &str) -> String {
    let mut blanked = text.as_bytes().to_vec();
    for range in comments_and_literals(text) {
        for byte in &mut blanked[range] {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
    }
    String::from_utf8(blanked).expect("whole literals and comments are blanked, so whole characters are")
}

/// Where strings and character literals lie, quotes included.
pub fn literals(text: &str) -> Vec<Range<usize>> {
    let is_comment = |range: &Range<usize>| text[range.start..].starts_with('/');
    comments_and_literals(text).into_iter().filter(|range| !is_comment(range)).collect()
}

fn comments_and_literals(text: &str) -> Vec<Range<usize>> {
    let (mut found, mut at) = (Vec::new(), 0);
    while at < text.len() {
        let end = literal_end(text, at);
        if end > at {
            found.push(at..end);
        }
        at = end.max(at + 1);
    }
    found
}

/// Where the comment or literal that begins here ends; `at` itself if none does.
fn literal_end(text: &str, at: usize) -> usize {
    let bytes = text.as_bytes();
    let rest = &bytes[at..];
    match rest {
        [b'/', b'/', ..] => at + rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len()),
        [b'/', b'*', ..] => at + block_comment(rest),
        [b'"', ..] => at + quoted(rest, b'"'),
        [b'\'', b'\\', ..] => at + quoted(rest, b'\''),
        [b'\'', ..] => {
            // A quote, one letter and a quote is a character; anything else is a lifetime.
            let Some(letter) = text.get(at + 1..).and_then(|after| after.chars().next()) else { return at };
            let close = at + 1 + letter.len_utf8();
            if bytes.get(close) == Some(&b'\'') { close + 1 } else { at }
        }
        [b'r', ..] => raw_string(bytes, at),
        _ => at,
    }
}

fn block_comment(rest: &[u8]) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < rest.len() {
        match rest[at..] {
            [b'/', b'*', ..] => (depth, at) = (depth + 1, at + 2),
            [b'*', b'/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            break;
        }
    }
    at
}

fn quoted(rest: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while at < rest.len() {
        match rest[at] {
            b'\\' => at += 2,
            byte if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    rest.len()
}

/// `r"…"` and `r#"…"#`, with or without a `b` or `c` before; not the `r` of a name or of `r#type`.
fn raw_string(bytes: &[u8], at: usize) -> usize {
    let name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii();
    let prefixed = at >= 1 && matches!(bytes[at - 1], b'b' | b'c');
    let before = at.checked_sub(if prefixed { 2 } else { 1 });
    if before.is_some_and(|before| name(bytes[before])) {
        return at;
    }
    let hashes = bytes[at + 1..].iter().take_while(|byte| **byte == b'#').count();
    let open = at + 1 + hashes;
    if bytes.get(open) != Some(&b'"') {
        return at;
    }
    let closes =
        |place: usize| bytes[place] == b'"' && bytes[place + 1..].iter().take(hashes).all(|byte| *byte == b'#');
    let close = (open + 1..bytes.len().saturating_sub(hashes)).find(|place| closes(*place));
    close.map_or(bytes.len(), |close| close + 1 + hashes)
}

/// Where the items marked `#[cfg(test)]` lie in blanked code.
pub fn test_regions(code: &str) -> Vec<Range<usize>> {
    let item_end = |start: usize| {
        let begin = code[start..].find(['{', ';']).map_or(code.len(), |offset| start + offset);
        if code[begin..].starts_with('{') { block_end(code, begin) } else { begin }
    };
    if code.contains("#![cfg(test)]") {
        return std::iter::once(0..code.len()).collect();
    }
    code.match_indices("#[cfg(test)]").map(|(start, _)| start..item_end(start)).collect()
}

/// The end of the block whose brace opens at `open`.
pub fn block_end(code: &str, open: usize) -> usize {
    let mut depth = 0;
    for (offset, letter) in code[open..].char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return open + offset + 1;
        }
    }
    code.len()
}

/// The line of an offset, counted from 1.
pub fn line_of(text: &str, offset: usize) -> usize {
    text[..offset].matches('\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What stays, with every blank run as one space.
    fn left(text: &str) -> String {
        let code = code_only(text);
        assert_eq!(code.len(), text.len());
        code.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn comments_and_strings_are_blanked() {
        assert_eq!(left("a // b\nc /* d /* e */ f */ g"), "a c g");
        assert_eq!(left(r#"a("b \" c", d)"#), "a( , d)");
        assert_eq!(left(r##"a(r#"b " c"#, br"d\", e)"##), "a( , b , e)");
        assert_eq!(left("a 'b' '\\'' '\"' 'é' c"), "a c");
        assert_eq!(left("//! a\n\"b\nc\"\nd"), "d");
    }

    #[test]
    fn lifetimes_and_raw_names_stay() {
        assert_eq!(
            left("fn a<'b>(c: &'b str, r#type: &'static str) {}"),
            "fn a<'b>(c: &'b str, r#type: &'static str) {}"
        );
        assert_eq!(left("for\"x\""), "for");
    }

    #[test]
    fn an_unclosed_literal_blanks_the_rest() {
        assert_eq!(left("a \"b"), "a");
        assert_eq!(left("a r#\"b\""), "a");
        assert_eq!(left("a /* b"), "a");
    }

    #[test]
    fn literals_are_found_without_comments() {
        let text = "a(\"b\", 'c') // \"d\"\nr#\"e\"# /* 'f' */";
        let found: Vec<&str> = literals(text).into_iter().map(|range| &text[range]).collect();
        assert_eq!(found, ["\"b\"", "'c'", "r#\"e\"#"]);
    }

    #[test]
    fn test_regions_end_where_their_item_ends() {
        let code = "a\n#[cfg(test)]\nmod tests { b { c } }\nd\n#[cfg(test)]\nuse e;\nf";
        let found: Vec<&str> = test_regions(code).into_iter().map(|region| &code[region]).collect();
        assert_eq!(found, ["#[cfg(test)]\nmod tests { b { c } }", "#[cfg(test)]\nuse e"]);
        assert_eq!(test_regions("#![cfg(test)] a").len(), 1);
    }
}
