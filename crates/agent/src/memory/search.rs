//! Texts ranked by the words they share with a query: BM25 over words and pairs of neighbours.
//!
//! Names are cut where their writing changes (`parseDate`, `parse_date`), endings that only inflect are dropped, and so is
//! what every task begins with, which would reward its style. The figures are those that did best on texts of this kind.

use std::collections::HashMap;

/// How fast a repeated word stops counting.
const K1: f64 = 1.2;
/// How much long texts are held back.
const B: f64 = 0.5;
/// What a pair of neighbours counts beside its words.
const PAIR_WEIGHT: f64 = 0.3;
/// More of a text is not looked at.
const WORDS_MAX: usize = 400;

/// What every task begins with.
const BEGINNINGS: &[&str] = &[
    "write a python function to",
    "write a python function that",
    "write a function to",
    "write a function that",
    "write a function which",
    "write a program that",
    "write a program to",
    "create a function that",
    "implement a function that",
    "write a function",
    "write a program",
];

/// A text as it is looked for.
pub struct Query {
    terms: Vec<String>,
}

impl Query {
    /// Of what somebody typed.
    pub fn of(text: &str) -> Query {
        let mut terms = terms(text);
        terms.sort();
        terms.dedup();
        Query { terms }
    }
}

/// Texts that can be ranked.
#[derive(Default)]
pub struct Index {
    /// Of each term the texts that have it, and how often.
    postings: HashMap<String, Vec<(u32, u32)>>,
    lengths: Vec<u32>,
}

impl Index {
    /// Of texts, which are known by their places from here on.
    pub fn of<'a>(texts: impl IntoIterator<Item = &'a str>) -> Index {
        let mut index = Index::default();
        for text in texts {
            index.add(text);
        }
        index
    }

    fn add(&mut self, text: &str) {
        let place = self.lengths.len() as u32;
        let mut counts: HashMap<String, u32> = HashMap::new();
        let terms = terms(text);
        self.lengths.push(terms.len() as u32);
        for term in terms {
            *counts.entry(term).or_default() += 1;
        }
        for (term, count) in counts {
            self.postings.entry(term).or_default().push((place, count));
        }
    }

    /// The places of the texts that share something with the query, the best first, each with its score.
    pub fn search(&self, query: &Query) -> Vec<(usize, f64)> {
        let texts = self.lengths.len() as f64;
        let mean = (self.lengths.iter().map(|length| f64::from(*length)).sum::<f64>() / texts.max(1.0)).max(1.0);
        let mut scores: HashMap<u32, f64> = HashMap::new();
        for term in &query.terms {
            let Some(found) = self.postings.get(term) else { continue };
            let having = found.len() as f64;
            let rarity = (1.0 + (texts - having + 0.5) / (having + 0.5)).ln();
            let weight = if term.contains(' ') { PAIR_WEIGHT } else { 1.0 };
            for (place, count) in found {
                let count = f64::from(*count);
                let length = f64::from(self.lengths[*place as usize]);
                let held_back = K1 * (1.0 - B + B * length / mean);
                *scores.entry(*place).or_default() += weight * rarity * count * (K1 + 1.0) / (count + held_back);
            }
        }
        let mut ranked: Vec<(usize, f64)> = scores.into_iter().map(|(place, score)| (place as usize, score)).collect();
        ranked.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
        ranked
    }
}

/// Words and pairs of neighbours.
fn terms(text: &str) -> Vec<String> {
    let words = words(text);
    let pairs: Vec<String> = words.windows(2).map(|pair| format!("{} {}", pair[0], pair[1])).collect();
    words.into_iter().chain(pairs).collect()
}

fn words(text: &str) -> Vec<String> {
    let lower = text.trim_start().to_lowercase();
    let begins = BEGINNINGS.iter().find(|beginning| lower.starts_with(**beginning));
    // Lower case may have another length, so the beginning is counted in letters.
    let skipped = begins.map_or(0, |beginning| beginning.chars().count());
    let text: String = text.trim_start().chars().skip(skipped).collect();
    let mut words = Vec::new();
    let mut word = String::new();
    let mut before = ' ';
    for letter in text.chars().chain([' ']) {
        let turns = before.is_lowercase() && letter.is_uppercase();
        if !letter.is_alphanumeric() || turns {
            if !word.is_empty() {
                words.push(stem(&std::mem::take(&mut word)));
            }
            if words.len() >= WORDS_MAX {
                break;
            }
        }
        if letter.is_alphanumeric() {
            word.extend(letter.to_lowercase());
        }
        before = letter;
    }
    words
}

/// A word without an ending that only inflects.
fn stem(word: &str) -> String {
    const LETTERS_MIN: usize = 3;
    let endings = [("ies", "y"), ("sses", "ss"), ("ing", ""), ("ed", ""), ("es", ""), ("s", "")];
    for (ending, instead) in endings {
        if let Some(rest) = word.strip_suffix(ending)
            && rest.chars().count() >= LETTERS_MIN
            && !(ending == "s" && rest.ends_with('s'))
        {
            return format!("{rest}{instead}");
        }
    }
    word.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn best(texts: &[&str], query: &str) -> Vec<usize> {
        Index::of(texts.iter().copied()).search(&Query::of(query)).into_iter().map(|(place, _)| place).collect()
    }

    #[test]
    fn words_are_found_however_they_are_written_and_bent() {
        let texts = ["Write a function to parse ISO dates", "sort a list of numbers", "KeyError in groupby of a frame"];
        assert_eq!(best(&texts, "parsing dates").first(), Some(&0));
        assert_eq!(best(&texts, "parseDate").first(), Some(&0));
        assert_eq!(best(&texts, "sorted_number").first(), Some(&1));
        assert_eq!(best(&texts, "KeyError groupby"), [2]);
        assert!(best(&texts, "write a function to").is_empty() && best(&texts, "").is_empty());
    }

    #[test]
    fn neighbours_count_and_rare_words_count_more() {
        let texts =
            ["the sum of squares of a list", "the squares on a board, and their sum", "a list of a list of a list"];
        assert_eq!(best(&texts, "sum of squares").first(), Some(&0));
        assert_eq!(best(&texts, "board list").first(), Some(&1));
    }

    #[test]
    fn no_text_is_too_long_or_too_odd() {
        let long = "é\u{130}x ".repeat(10_000);
        assert_eq!(best(&[&long, "", "İ"], "é").first(), Some(&0));
    }
}
