//! Slips of the keyboard in words of the language: `avrage`, `wiht`, `hwo many`.
//!
//! Only words that ask, join, compare or aggregate are repaired, and only where the question has no reading as it is
//! written: a word that may name data is never guessed at. What was taken for what is said, and such an answer is never
//! called verified.

use std::sync::OnceLock;

use crate::Assumption;
use crate::index::Index;
use crate::lexicon::{Glue, Lexicon, Role};
use crate::period::MONTHS;
use crate::tokens::{self, Kind, Token};

/// Below this many letters only two letters that changed places are a slip: `county` is not `count`.
const LETTERS_MIN: usize = 6;
/// Below this many letters another letter makes another word.
const REPLACED_MIN: usize = 7;
/// Words of their own that two changed places would make of another.
const WORDS: [&str; 5] = ["form", "pre", "fro", "forms", "stared"];

/// A question with its slips mended, and what was taken for what; nothing where there is none.
pub fn repaired(index: &Index, tokens: &[Token], unknown: &[usize]) -> Option<(Vec<Token>, Vec<Assumption>)> {
    let mut mended = tokens.to_vec();
    let mut assumptions = Vec::new();
    for &at in unknown {
        let Some(word) = meant(index, &tokens[at]) else { continue };
        let text = format!("`{}` is a slip for `{word}`", tokens[at].text);
        assumptions.push(Assumption { code: "spelling".to_string(), text });
        mended[at] = tokens::tokenize(&word, index.forms).pop()?;
    }
    (!assumptions.is_empty()).then_some((mended, assumptions))
}

/// The only word that a slip can stand for.
pub fn meant(index: &Index, token: &Token) -> Option<String> {
    let said = token.fold.as_str();
    if token.kind != Kind::Word || !said.is_ascii() || said.len() < 3 || WORDS.contains(&said) {
        return None;
    }
    static REPAIRABLE: OnceLock<Vec<&str>> = OnceLock::new();
    let words = REPAIRABLE.get_or_init(|| repairable(index.lexicon));
    let from = words.partition_point(|word| word.as_bytes()[0] < said.as_bytes()[0]);
    let alike = words[from..].iter().take_while(|word| word.as_bytes()[0] == said.as_bytes()[0]);
    let mut near = alike.filter(|word| is_slip(said.as_bytes(), word.as_bytes()));
    near.next().filter(|_| near.next().is_none()).map(|only| only.to_string())
}

/// Every word that a slip may stand for, sorted.
fn repairable(lexicon: &Lexicon) -> Vec<&'static str> {
    let mut words = lexicon.words_of(is_repairable);
    words.extend(MONTHS.iter().filter(|month| month.len() >= LETTERS_MIN));
    words.retain(|word| !word.is_empty());
    words.sort_unstable();
    words.dedup();
    words
}

/// Whether words of a role say how something is asked, and never what is asked about.
fn is_repairable(role: &Role) -> bool {
    match role {
        Role::Glue(glue) => !matches!(glue, Glue::Other | Glue::Noun),
        Role::Ask(_)
        | Role::Count
        | Role::Much
        | Role::Distinct
        | Role::Share
        | Role::Agg(_)
        | Role::Extreme(_)
        | Role::Amount(_)
        | Role::Recent(_)
        | Role::Compare(_)
        | Role::Between
        | Role::GroupBy
        | Role::GroupPer
        | Role::Each
        | Role::Adjective(_)
        | Role::Grain(_)
        | Role::Part(_)
        | Role::Not
        | Role::And
        | Role::Versus => true,
        _ => false,
    }
}

/// Whether one slip makes the one word of the other: two letters in the wrong order, one too few, too many or wrong.
fn is_slip(said: &[u8], word: &[u8]) -> bool {
    if said.first() != word.first() || said == word {
        return false;
    }
    let same = said.iter().zip(word).take_while(|(a, b)| a == b).count();
    let (rest, other) = (&said[same..], &word[same..]);
    let swapped = rest.len() == other.len() && rest.len() >= 2 && rest[0] == other[1] && rest[1] == other[0];
    if swapped && rest[2..] == other[2..] {
        return true;
    }
    let fewer = other.len() == rest.len() + 1 && rest == &other[1..];
    let more = rest.len() == other.len() + 1 && &rest[1..] == other;
    let wrong = rest.len() == other.len() && !rest.is_empty() && rest[1..] == other[1..];
    (fewer || more) && word.len() >= LETTERS_MIN || wrong && word.len() >= REPLACED_MIN
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_near_and_other_words_are_not() {
        let slip = |said: &str, word: &str| is_slip(said.as_bytes(), word.as_bytes());
        for (said, word) in
            [("avrage", "average"), ("wiht", "with"), ("hwo", "how"), ("adn", "and"), ("avarage", "average")]
        {
            assert!(slip(said, word), "{said}");
        }
        for (said, word) in
            [("county", "count"), ("width", "with"), ("wheat", "what"), ("overage", "average"), ("fever", "fewer")]
        {
            assert!(!slip(said, word), "{said}");
        }
    }
}
