//! A text as words that question, headers and cells share, so that the same thing is the same words wherever it stands.
//!
//! Letters and digits are words of their own ("25g" is "25 g"), a number keeps its point and loses its commas, and all
//! else only separates.

use std::ops::Range;

use super::classes::KIN;
use crate::words::Forms;

/// One word of a question.
#[derive(Clone, Debug)]
pub struct Word {
    /// In lower case.
    pub fold: String,
    pub stem: String,
    /// Where it stands in the text.
    pub at: Range<usize>,
    /// The number it is, unless letters stand before it without a gap.
    pub number: Option<f64>,
    /// Whether it begins with a capital letter or stands in quotation marks.
    pub proper: bool,
    /// Itself, if it is one of the words that features may name.
    pub closed: Option<&'static str>,
    /// The classes of words used for one another that it is in.
    pub kin: &'static [u16],
}

/// The words of a question.
pub fn words(text: &str, forms: &Forms) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut quoted = false;
    let mut seen = 0;
    for (at, fold) in pieces(text) {
        quoted ^= text[seen..at.start].matches('"').count() % 2 == 1;
        seen = at.end;
        let glued = words.last().is_some_and(|last| last.at.end == at.start && last.number.is_none());
        let number = if glued { None } else { number_word(&fold) };
        let proper = quoted || text[at.clone()].starts_with(char::is_uppercase);
        let closed = CLOSED.binary_search(&fold.as_str()).ok().map(|found| CLOSED[found]);
        let stem = forms.stem(&fold);
        words.push(Word { kin: KIN.of(&stem), stem, number, proper, closed, fold, at });
    }
    words
}

/// The words of a cell or header with single spaces between.
pub fn key(text: &str) -> String {
    let mut key = String::with_capacity(text.len());
    for (_, word) in pieces(text) {
        if !key.is_empty() {
            key.push(' ');
        }
        key.push_str(&word);
    }
    key
}

/// A whole text as a number, apart from separators, signs of money and percent.
pub fn number(text: &str) -> Option<f64> {
    let plain: String = text.chars().filter(|c| !matches!(c, ',' | '$' | '%' | '£' | '€' | ' ')).collect();
    let numeric = plain.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.'))
        && plain.ends_with(|c: char| c.is_ascii_digit() || c == '.');
    if numeric { plain.parse().ok() } else { None }
}

fn number_word(fold: &str) -> Option<f64> {
    const SMALL: [&str; 13] =
        ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
    match fold.as_bytes()[0].is_ascii_digit() {
        true => fold.parse().ok(),
        false => SMALL.iter().position(|word| *word == fold).map(|value| value as f64),
    }
}

fn pieces(text: &str) -> impl Iterator<Item = (Range<usize>, String)> + '_ {
    let bytes = text.as_bytes();
    let digit = move |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let mut rest = text.char_indices().peekable();
    std::iter::from_fn(move || {
        while rest.next_if(|(_, c)| !c.is_alphanumeric()).is_some() {}
        let (start, first) = *rest.peek()?;
        let numeric = first.is_ascii_digit();
        let mut word = String::new();
        let mut end = start;
        while let Some(&(at, c)) = rest.peek() {
            let point = numeric && c == '.' && digit(at + 1);
            let comma = numeric && c == ',' && (1..=3).all(|i| digit(at + i)) && !digit(at + 4);
            if comma {
                rest.next();
                continue;
            }
            if !point && (!c.is_alphanumeric() || c.is_ascii_digit() != numeric) {
                break;
            }
            word.extend(c.to_lowercase());
            end = at + c.len_utf8();
            rest.next();
        }
        Some((start..end, word))
    })
}

/// The words that features may name: they are of the language, not of any data. Sorted.
pub const CLOSED: &[&str] = &[
    "a",
    "about",
    "above",
    "across",
    "after",
    "against",
    "all",
    "also",
    "am",
    "among",
    "amount",
    "an",
    "and",
    "any",
    "are",
    "as",
    "at",
    "average",
    "be",
    "because",
    "been",
    "before",
    "being",
    "below",
    "best",
    "between",
    "biggest",
    "both",
    "but",
    "by",
    "can",
    "combined",
    "could",
    "count",
    "did",
    "different",
    "do",
    "does",
    "during",
    "each",
    "earliest",
    "either",
    "entire",
    "equal",
    "ever",
    "every",
    "exactly",
    "fewer",
    "fewest",
    "first",
    "for",
    "from",
    "full",
    "give",
    "greater",
    "greatest",
    "had",
    "has",
    "have",
    "having",
    "he",
    "her",
    "high",
    "higher",
    "highest",
    "his",
    "how",
    "i",
    "if",
    "in",
    "into",
    "is",
    "it",
    "its",
    "kind",
    "largest",
    "last",
    "latest",
    "least",
    "less",
    "list",
    "long",
    "longest",
    "low",
    "lower",
    "lowest",
    "many",
    "max",
    "maximum",
    "me",
    "mean",
    "min",
    "minimum",
    "more",
    "most",
    "much",
    "name",
    "named",
    "no",
    "not",
    "number",
    "of",
    "on",
    "one",
    "only",
    "or",
    "other",
    "over",
    "overall",
    "s",
    "same",
    "she",
    "shortest",
    "show",
    "smallest",
    "some",
    "such",
    "sum",
    "tell",
    "than",
    "that",
    "the",
    "their",
    "them",
    "then",
    "there",
    "these",
    "they",
    "this",
    "those",
    "through",
    "times",
    "to",
    "top",
    "total",
    "type",
    "under",
    "until",
    "up",
    "value",
    "was",
    "were",
    "what",
    "when",
    "where",
    "which",
    "while",
    "who",
    "whom",
    "whose",
    "why",
    "will",
    "with",
    "within",
    "without",
    "would",
    "you",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_thing_is_the_same_words() {
        assert_eq!(key("Talbot-Lago T26C"), key("talbot - lago t26c"));
        assert_eq!(key("25g"), key("25 g"));
        assert_eq!(key("1,234.50 m"), "1234.50 m");
        assert_eq!(key("winner 's share"), key("Winner's share"));
    }

    #[test]
    fn a_number_after_letters_is_a_part_of_a_name() {
        let found = words("the T26 had 25g, 1,234 and \"two\"", Forms::built_in());
        let numbers: Vec<f64> = found.iter().filter_map(|word| word.number).collect();
        assert_eq!(numbers, [25.0, 1234.0, 2.0]);
        assert!(found.last().is_some_and(|word| word.proper));
    }

    #[test]
    fn whole_texts_are_numbers() {
        assert_eq!(number("$ 1,234"), Some(1234.0));
        assert_eq!(number("-0.5%"), Some(-0.5));
        assert_eq!(number("26-24"), None);
        assert_eq!(number("5 km"), None);
    }

    #[test]
    fn the_closed_class_is_sorted() {
        assert!(CLOSED.is_sorted());
    }
}
