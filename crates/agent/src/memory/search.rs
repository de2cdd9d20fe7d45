//! Texts found by what they are about: by the words they share with a query and, where there is a table, by the direction
//! of the whole, both added up.

use std::sync::Arc;

use super::nearest::Nearest;
use super::table::Table;
use super::vectors::{Direction, Vectors};
use super::words::{Terms, Words};

/// How much words count beside directions.
const WORDS_SHARE: f32 = 0.5;
/// Of texts that share no word: further apart than this they have nothing to do with one another. One pair in a hundred that
/// was put together by chance is nearer.
const COSINE_MIN: f32 = 0.3;
/// So many of the best of either kind are added up.
const LOOKED_AT: usize = 100;

/// Texts that can be looked for, each known by how many there were before it.
#[derive(Default)]
pub struct Index {
    words: Words,
    vectors: Option<(Arc<Table>, Vectors)>,
    texts: usize,
}

/// A text that was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Which.
    pub place: usize,
    /// From 0 to 1.
    pub score: f64,
    /// What it was found by, more than by the other.
    pub by: By,
}

/// What a text is found by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// The words it shares.
    Words,
    /// Its direction.
    Vector,
}

impl Index {
    /// An empty one, which finds by words only where there is no table.
    pub fn new(table: Option<Arc<Table>>) -> Index {
        Index { vectors: table.map(|table| (table, Vectors::default())), ..Index::default() }
    }

    /// A further text.
    pub fn add(&mut self, text: &str) {
        self.words.add(text);
        self.texts += 1;
        if let Some((table, vectors)) = &mut self.vectors {
            vectors.add(table.embed(text).map(|vector| Direction::of(&vector)).as_ref());
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.texts
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.texts == 0
    }

    /// The best for a query, the best first.
    pub fn search(&self, query: &str, limit: usize) -> Vec<Hit> {
        let count = LOOKED_AT.max(limit);
        let shared = self.words.scores(&Terms::of(query));
        let mut by_words = Nearest::new(count);
        shared.iter().enumerate().filter(|(_, score)| **score > 0.0).for_each(|(at, score)| by_words.offer(at, *score));
        let by_words = by_words.best();
        let best = by_words.first().map_or(1.0, |(_, score)| *score);
        let looked_for = self.vectors.as_ref().and_then(|(table, vectors)| {
            let direction = Direction::of(&table.embed(query)?);
            Some((vectors, direction))
        });
        let Some((vectors, direction)) = looked_for else {
            let hit = |(place, score): (usize, f32)| Hit { place, score: f64::from(score / best), by: By::Words };
            return by_words.into_iter().take(limit).map(hit).collect();
        };
        let near = vectors.search(&direction, count).into_iter().filter(|(_, cosine)| *cosine >= COSINE_MIN);
        let mut places: Vec<usize> = near.chain(by_words).map(|(place, _)| place).collect();
        places.sort_unstable();
        places.dedup();
        let mut hits: Vec<Hit> = places
            .into_iter()
            .map(|place| {
                let words = WORDS_SHARE * shared[place] / best;
                let vector = (1.0 - WORDS_SHARE) * vectors.cosine(place, &direction).clamp(0.0, 1.0);
                let by = if vector > words { By::Vector } else { By::Words };
                Hit { place, score: f64::from(words + vector), by }
            })
            .collect();
        hits.sort_by(|one, other| other.score.total_cmp(&one.score).then(one.place.cmp(&other.place)));
        hits.truncate(limit);
        hits
    }
}

#[cfg(test)]
mod tests {
    use super::super::table::tests::table;
    use super::*;

    fn index(table: Option<Table>, texts: &[&str]) -> Index {
        let mut index = Index::new(table.map(Arc::new));
        texts.iter().for_each(|text| index.add(text));
        index
    }

    #[test]
    fn without_a_table_only_shared_words_find() {
        let index = index(None, &["parse ISO dates", "sort numbers", "parse numbers"]);
        let hits = index.search("sorting numbers", 5);
        assert_eq!(hits.iter().map(|hit| hit.place).collect::<Vec<_>>(), [1, 2]);
        assert!(hits[0].score == 1.0 && hits[0].by == By::Words && hits[1].score < 1.0);
        assert!(index.search("read a file", 5).is_empty() && index.len() == 3 && !index.is_empty());
    }

    #[test]
    fn a_table_finds_what_shares_no_word() {
        // `order` is near to `sort` in this table, and `file` to nothing.
        let letters: Vec<(String, usize)> =
            ('a'..='z').map(|letter| (letter.to_string(), 200 + letter as usize % 40)).collect();
        let whole = [("sort", 0), ("order", 0), ("number", 1), ("date", 2), ("file", 3)];
        let whole = whole.iter().map(|(word, direction)| (format!("▁{word}"), *direction));
        // Every beginning of a word is a piece, so that words are joined from the left.
        let begun = ["sort", "order", "number", "date", "file"]
            .into_iter()
            .flat_map(|word| (1..word.len()).map(|end| (format!("▁{}", &word[..end]), 100)));
        let mut pieces: Vec<(String, usize)> =
            [("▁".to_string(), 100)].into_iter().chain(letters).chain(begun).chain(whole).collect();
        let mut seen = std::collections::BTreeSet::new();
        pieces.retain(|(piece, _)| seen.insert(piece.clone()));
        let pieces: Vec<(&str, usize)> = pieces.iter().map(|(piece, at)| (piece.as_str(), *at)).collect();
        let index = index(Some(table(&pieces)), &["date file", "sort number", "file"]);
        let hits = index.search("order", 5);
        assert_eq!((hits.len(), hits[0].place, hits[0].by), (1, 1, By::Vector), "{hits:?}");
        let hits = index.search("sort file", 5);
        assert_eq!(hits.iter().map(|hit| hit.place).collect::<Vec<_>>().len(), 3, "{hits:?}");
        assert!(hits.iter().any(|hit| hit.by == By::Words));
    }
}
