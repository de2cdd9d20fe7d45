//! The tokens of a statement, and how a finding finds the one it is about.
//!
//! Positions come from the engine and are only ever used to point: one that does not lie on a token gives no span,
//! never a panic.

use base::Span;
use serde::Deserialize;

/// One token as the kernel reports it, in UTF-8 bytes.
#[derive(Deserialize)]
pub struct Token {
    start: usize,
    end: usize,
    kind: String,
}

/// The tokens of one text, comments left out.
pub struct Tokens<'a> {
    text: &'a str,
    spans: Vec<(Span, bool)>,
    /// The first character outside quotes and comments that looks like a space, or like nothing, and is neither.
    odd: Option<(Span, char)>,
}

impl<'a> Tokens<'a> {
    pub fn new(text: &'a str, tokens: Vec<Token>) -> Tokens<'a> {
        let odd = tokens.iter().find_map(|token| odd_character(text, token));
        let spans = tokens
            .into_iter()
            .filter(|token| token.kind != "comment" && text.get(token.start..token.end).is_some_and(|t| !t.is_empty()))
            .map(|token| (Span { start: token.start, end: token.end }, token.kind == "keyword"))
            .collect();
        Tokens { text, spans, odd }
    }

    /// A character by which the engine's parser and its tokens disagree: the one skips it, the others take it for a
    /// letter.
    pub fn odd(&self) -> Option<(Span, char)> {
        self.odd
    }

    pub fn text(&self, span: Span) -> &'a str {
        self.text.get(span.start..span.end).unwrap_or_default()
    }

    pub fn upper(&self, span: Span) -> String {
        self.text(span).to_uppercase()
    }

    pub fn first(&self) -> Option<Span> {
        self.spans.first().map(|(span, _)| *span)
    }

    pub fn last(&self) -> Option<Span> {
        self.spans.last().map(|(span, _)| *span)
    }

    /// The token that covers a position.
    pub fn at(&self, position: usize) -> Option<Span> {
        self.spans.iter().map(|(span, _)| *span).find(|span| span.start <= position && position < span.end)
    }

    /// The first token from a position on that spells a name, quoted or not.
    pub fn name(&self, name: &str, from: usize) -> Option<Span> {
        let wanted = name.to_lowercase();
        let spans = self.spans.iter().map(|(span, _)| *span);
        spans.filter(|span| span.start >= from).find(|span| unquoted(self.text(*span)).to_lowercase() == wanted)
    }

    /// The first keyword token of that spelling (upper case).
    pub fn keyword(&self, word: &str) -> Option<Span> {
        self.spans.iter().find(|(span, keyword)| *keyword && self.upper(*span) == word).map(|(span, _)| *span)
    }

    /// Where each statement begins.
    pub fn statements(&self) -> Vec<Span> {
        let mut starts = Vec::new();
        let mut inside = false;
        for (span, _) in &self.spans {
            let separator = self.text(*span) == ";";
            if !separator && !inside {
                starts.push(*span);
            }
            inside = !separator;
        }
        starts
    }
}

fn odd_character(text: &str, token: &Token) -> Option<(Span, char)> {
    let spelled = text.get(token.start..token.end)?;
    if ["comment", "string_const"].contains(&token.kind.as_str()) || spelled.starts_with(['"', '\'', '$']) {
        return None;
    }
    let (offset, odd) = spelled.char_indices().find(|(_, character)| is_odd(*character))?;
    let start = token.start + offset;
    Some((Span { start, end: start + odd.len_utf8() }, odd))
}

/// Spaces beyond ASCII, and characters that are not seen at all.
fn is_odd(character: char) -> bool {
    let unseen = matches!(character, '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{2069}' | '\u{feff}');
    unseen || (!character.is_ascii() && character.is_whitespace())
}

fn unquoted(token: &str) -> String {
    for quote in ['"', '\''] {
        if let Some(inner) = token.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote)) {
            let doubled: String = [quote, quote].iter().collect();
            return inner.replace(&doubled, &quote.to_string());
        }
    }
    token.to_string()
}
