//! In which state something is: what people say, and the names and cells that record it or its opposite.

use rustc_hash::FxHashMap;

use super::Words;
use super::files::{alternatives, fields, lines};

/// How tables record one state.
#[derive(Clone, Debug)]
pub struct State {
    /// Words of two-valued columns' names and spellings of cells that say just this.
    pub same: Words,
    /// Those that say just the opposite, words of dates that are then filled among them.
    pub opposite: Words,
}

/// All states by what people say.
#[derive(Clone, Debug)]
pub struct States {
    all: Vec<State>,
    by_phrase: FxHashMap<&'static str, usize>,
    words_max: usize,
}

impl States {
    /// Reads the file.
    pub fn new() -> States {
        let mut states = States { all: Vec::new(), by_phrase: FxHashMap::default(), words_max: 1 };
        for (said, state) in lines(include_str!("../../lexicon/states.tsv")).filter_map(state) {
            for phrase in said {
                states.words_max = states.words_max.max(phrase.split(' ').count());
                states.by_phrase.entry(phrase).or_insert(states.all.len());
            }
            states.all.push(state);
        }
        states
    }

    /// The state that a lower-case phrase says.
    pub fn get(&self, phrase: &str) -> Option<&State> {
        self.by_phrase.get(phrase).map(|at| &self.all[*at])
    }

    /// How many words the longest phrase has.
    pub fn words_max(&self) -> usize {
        self.words_max
    }
}

fn state(line: &'static str) -> Option<(Words, State)> {
    let [said, same, opposite] = fields(line)?.map(|field| alternatives(field).collect());
    Some((said, State { same, opposite }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_a_state() {
        assert!(lines(include_str!("../../lexicon/states.tsv")).all(|line| state(line).is_some()));
    }
}
