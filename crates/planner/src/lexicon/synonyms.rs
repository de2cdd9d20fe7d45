//! Words that people use for one another, by class.
//!
//! The list is long and most of it is of no use to one dataset, so words are only sorted by their
//! first letters, as slices of the file itself: nothing is copied, and nothing more is done before it is asked for.

use super::files::{alternatives, lines};

/// Every class of words.
#[derive(Clone, Debug)]
pub struct Synonyms {
    classes: Vec<&'static str>,
    /// Each word with the number of its class, by the first byte of the word.
    members: Vec<Vec<(&'static str, usize)>>,
}

impl Synonyms {
    /// Reads the file.
    pub fn new() -> Synonyms {
        let classes: Vec<&'static str> = lines(include_str!("../../lexicon/synonyms.tsv")).collect();
        let mut by_letter: Vec<Vec<(&'static str, usize)>> = vec![Vec::new(); LETTERS];
        for (at, class) in classes.iter().enumerate() {
            for word in alternatives(class) {
                by_letter[letter(word)].push((word, at));
            }
        }
        Synonyms { classes, members: by_letter }
    }

    /// The other words of a word's classes.
    pub fn of<'a>(&'a self, word: &'a str) -> impl Iterator<Item = &'static str> + 'a {
        let classes = self.members[letter(word)].iter().filter(move |(known, _)| *known == word);
        classes.flat_map(|(_, at)| alternatives(self.classes[*at])).filter(move |known| *known != word)
    }
}

const LETTERS: usize = 256;

fn letter(word: &str) -> usize {
    word.bytes().next().map_or(0, usize::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_has_the_others_of_all_its_classes() {
        let synonyms = Synonyms::new();
        let others: Vec<&str> = synonyms.of("film").collect();
        assert!(others.contains(&"movie") && !others.contains(&"film"), "{others:?}");
        assert_eq!(synonyms.of("no such word").count(), 0);
    }

    #[test]
    fn every_class_has_several_words_and_none_twice() {
        for class in Synonyms::new().classes {
            let mut words: Vec<&str> = alternatives(class).collect();
            let count = words.len();
            words.sort_unstable();
            words.dedup();
            assert!(count > 1 && words.len() == count, "{class}");
        }
    }
}
