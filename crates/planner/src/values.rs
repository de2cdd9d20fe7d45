//! The values of a dataset by the words people would use for them: an ordered automaton from phrase to cells.
//!
//! Built once per dataset version and kept beside it as bytes, so that a question over a hundred thousand values begins
//! without looking at any of them. The phrases are the planner's own (folded, singular, with the lexicon's other words
//! for a cell), so bytes made by another planner are not read: who gets nothing builds anew.

use std::collections::BTreeMap;

use fst::Map;

use crate::index::ColId;

/// What bytes of this form begin with; the digest of whatever decides about phrases follows.
const MAGIC: &[u8; 8] = b"values\x00\x01";
const HEADER: usize = MAGIC.len() + 8 + 8 + 8;

/// The cells that a phrase can stand for.
#[derive(Clone, Debug)]
pub struct Values {
    phrases: Map<Vec<u8>>,
    /// One list of cells after the other: count, then table, column, length and text of each.
    cells: Vec<u8>,
    words_max: usize,
}

impl Values {
    /// From every phrase and the cells it stands for.
    pub fn of(phrases: &BTreeMap<String, Vec<(ColId, String)>>) -> Values {
        let mut cells = Vec::new();
        let mut entries = Vec::new();
        for (phrase, found) in phrases {
            entries.push((phrase, cells.len() as u64));
            put(&mut cells, found.len());
            for (column, text) in found {
                put(&mut cells, column.table);
                put(&mut cells, column.column);
                put(&mut cells, text.len());
                cells.extend_from_slice(text.as_bytes());
            }
        }
        let words_max = phrases.keys().map(|phrase| phrase.split(' ').count()).max().unwrap_or(0);
        let phrases = Map::from_iter(entries).expect("a sorted map gives its keys in order, each once");
        Values { phrases, cells, words_max }
    }

    /// The cells that a phrase stands for.
    pub fn get(&self, phrase: &str) -> Vec<(ColId, String)> {
        self.phrases.get(phrase).and_then(|at| self.read(at)).unwrap_or_default()
    }

    /// Whether a phrase stands for any cell.
    pub fn contains(&self, phrase: &str) -> bool {
        self.phrases.contains_key(phrase)
    }

    /// The most words of any phrase.
    pub fn words_max(&self) -> usize {
        self.words_max
    }

    /// The bytes to keep, of which only a planner of the same rules reads.
    pub fn to_bytes(&self, rules: u64) -> Vec<u8> {
        let automaton = self.phrases.as_fst().as_bytes();
        let mut bytes = MAGIC.to_vec();
        for number in [rules, self.words_max as u64, automaton.len() as u64] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        bytes.extend_from_slice(automaton);
        bytes.extend_from_slice(&self.cells);
        bytes
    }

    /// What [`Values::to_bytes`] wrote; nothing if they are another planner's, or damaged.
    pub fn from_bytes(bytes: &[u8], rules: u64) -> Option<Values> {
        let body = bytes.strip_prefix(MAGIC)?;
        let number = |at: usize| Some(u64::from_le_bytes(body.get(at * 8..at * 8 + 8)?.try_into().ok()?));
        if number(0)? != rules {
            return None;
        }
        let words_max = usize::try_from(number(1)?).ok()?;
        let length = usize::try_from(number(2)?).ok()?;
        let rest = &body[HEADER - MAGIC.len()..];
        let phrases = Map::new(rest.get(..length)?.to_vec()).ok()?;
        phrases.as_fst().verify().ok()?;
        Some(Values { phrases, cells: rest[length..].to_vec(), words_max })
    }

    fn read(&self, at: u64) -> Option<Vec<(ColId, String)>> {
        let mut rest = self.cells.get(usize::try_from(at).ok()?..)?;
        let count = take(&mut rest)?;
        let mut found = Vec::new();
        for _ in 0..count {
            let column = ColId { table: take(&mut rest)?, column: take(&mut rest)? };
            let length = take(&mut rest)?;
            let (text, after) = rest.split_at_checked(length)?;
            rest = after;
            found.push((column, std::str::from_utf8(text).ok()?.to_string()));
        }
        Some(found)
    }
}

fn put(bytes: &mut Vec<u8>, number: usize) {
    let number = u32::try_from(number).expect("a table has fewer than four thousand million columns and letters");
    bytes.extend_from_slice(&number.to_le_bytes());
}

fn take(bytes: &mut &[u8]) -> Option<usize> {
    let (number, rest) = bytes.split_first_chunk::<4>()?;
    *bytes = rest;
    Some(u32::from_le_bytes(*number) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some() -> Values {
        let column = |column| ColId { table: 0, column };
        let phrases = BTreeMap::from([
            ("new york".to_string(), vec![(column(1), "New York".to_string()), (column(2), "NEW YORK".to_string())]),
            ("é".to_string(), vec![(column(1), "É".to_string())]),
        ]);
        Values::of(&phrases)
    }

    #[test]
    fn phrases_lead_to_their_cells() {
        let values = some();
        assert_eq!(values.get("new york").len(), 2);
        assert_eq!(values.get("é"), [(ColId { table: 0, column: 1 }, "É".to_string())]);
        assert!(values.get("york").is_empty() && !values.contains("york"));
        assert_eq!(values.words_max(), 2);
    }

    #[test]
    fn kept_bytes_read_back_and_others_do_not() {
        let bytes = some().to_bytes(7);
        let read = Values::from_bytes(&bytes, 7).expect("its own bytes");
        assert_eq!(read.get("new york"), some().get("new york"));
        assert_eq!(read.words_max(), 2);
        assert!(Values::from_bytes(&bytes, 8).is_none());
        assert!(Values::from_bytes(&bytes[..40], 7).is_none());
        assert!(Values::from_bytes(b"", 7).is_none());
        let mut damaged = bytes.clone();
        damaged[HEADER + 20] ^= 1;
        assert!(Values::from_bytes(&damaged, 7).is_none());
    }
}
