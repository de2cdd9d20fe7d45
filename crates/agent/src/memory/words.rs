//! Texts ranked by the words they share with a query: BM25 over words and pairs of neighbours.
//!
//! Names are cut where their writing changes (`parseDate`, `parse_date`), endings that only inflect are dropped, and so is
//! what every task begins with, which would reward its style. The figures are those that did best on texts of this kind.

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHasher};

/// How fast a repeated word stops counting.
const K1: f32 = 1.2;
/// How much long texts are held back.
const B: f32 = 0.5;
/// What a pair of neighbours counts beside its words.
const PAIR_WEIGHT: f32 = 0.3;
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

/// A text as it is looked for: each of its terms once, and whether that is a pair.
pub struct Terms(Vec<(u64, bool)>);

impl Terms {
    /// Of what somebody typed.
    pub fn of(text: &str) -> Terms {
        let mut terms = terms(text);
        terms.sort_unstable();
        terms.dedup();
        Terms(terms)
    }
}

/// Texts that can be ranked. Terms are known by their digests: two that share one of 64 bits are not to be expected.
#[derive(Default)]
pub struct Words {
    /// Of each term the texts that have it, and how often.
    postings: FxHashMap<u64, Vec<(u32, u32)>>,
    lengths: Vec<u32>,
    terms: u64,
}

impl Words {
    /// A further text, which is known by how many there were before.
    pub fn add(&mut self, text: &str) {
        let place = self.lengths.len() as u32;
        let terms = terms(text);
        self.lengths.push(terms.len() as u32);
        self.terms += terms.len() as u64;
        for (term, _) in terms {
            let found = self.postings.entry(term).or_default();
            match found.last_mut() {
                Some((last, count)) if *last == place => *count += 1,
                _ => found.push((place, 1)),
            }
        }
    }

    /// Of each text how much it shares with what is looked for; 0 where that is nothing.
    pub fn scores(&self, wanted: &Terms) -> Vec<f32> {
        let texts = self.lengths.len() as f32;
        let mean = (self.terms as f32 / texts.max(1.0)).max(1.0);
        let mut scores = vec![0.0; self.lengths.len()];
        for (term, is_pair) in &wanted.0 {
            let Some(found) = self.postings.get(term) else { continue };
            let having = found.len() as f32;
            let rarity = (1.0 + (texts - having + 0.5) / (having + 0.5)).ln();
            let weight = rarity * (K1 + 1.0) * if *is_pair { PAIR_WEIGHT } else { 1.0 };
            for (place, count) in found {
                let (place, count) = (*place as usize, *count as f32);
                let held_back = K1 * (1.0 - B + B * self.lengths[place] as f32 / mean);
                scores[place] += weight * count / (count + held_back);
            }
        }
        scores
    }
}

/// Words and pairs of neighbours.
fn terms(text: &str) -> Vec<(u64, bool)> {
    let digest = |value: &dyn Fn(&mut FxHasher)| {
        let mut hasher = FxHasher::default();
        value(&mut hasher);
        hasher.finish()
    };
    let words: Vec<u64> = words(text).iter().map(|word| digest(&|hasher| word.hash(hasher))).collect();
    let pairs = words.windows(2).map(|pair| (digest(&|hasher| pair.hash(hasher)), true));
    words.iter().map(|word| (*word, false)).chain(pairs).collect()
}

/// A task without what every task begins with.
pub fn without_beginning(text: &str) -> String {
    let text = text.trim_start();
    let lower = text.to_lowercase();
    let begins = BEGINNINGS.iter().find(|beginning| lower.starts_with(**beginning));
    // Lower case may have another length, so the beginning is counted in letters.
    let skipped = begins.map_or(0, |beginning| beginning.chars().count());
    text.chars().skip(skipped).collect()
}

fn words(text: &str) -> Vec<String> {
    let text = without_beginning(text);
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
        let mut words = Words::default();
        texts.iter().for_each(|text| words.add(text));
        let scores = words.scores(&Terms::of(query));
        let mut places: Vec<usize> = (0..texts.len()).filter(|place| scores[*place] > 0.0).collect();
        places.sort_by(|one, other| scores[*other].total_cmp(&scores[*one]));
        places
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
