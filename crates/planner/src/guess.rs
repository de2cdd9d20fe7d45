//! What a word most likely names that neither the language nor the dataset knows: a header cuts it short, it has the
//! stem of a name, or it only says what kind of thing a name before it is.
//!
//! Asked last, where a question has no reading otherwise, so that nothing that is read already is read anew. A word is only
//! guessed where exactly one name of the dataset fits; what it was taken for is said, and such an answer is never called
//! verified. Names of single things, which people write with a capital, are never guessed.

mod abbreviated;
mod compound;
mod derived;
mod owner;

use crate::Assumption;
use crate::index::{ColId, Index};
use crate::mentions::{Mention, Mentions, What};
use crate::tokens::{Kind, Token};

/// A name behind unknown words.
pub struct Guess {
    /// Where its words begin.
    start: usize,
    mention: Mention,
    /// What they are taken for, in people's words.
    meant: String,
}

impl Guess {
    /// Columns of one name behind the words from `start` to `end`.
    fn columns(index: &Index, start: usize, end: usize, columns: Vec<ColId>) -> Option<Guess> {
        let meant = format!("`{}`", index.column(*columns.first()?).name);
        // What identifies things that have no table of their own stands for them.
        let keyed = |thing: &crate::index::Thing| {
            thing.table.is_none() && columns.iter().all(|column| thing.keys.contains(column))
        };
        let what = index.things.iter().position(keyed).map_or(What::Columns(columns), What::Thing);
        Some(Guess { start, mention: Mention::guessed(end, what), meant })
    }
}

/// A question with what its unknown words are taken for.
pub struct Guessed {
    pub mentions: Mentions,
    /// What was taken for what.
    pub said: Vec<Assumption>,
    /// The words that something was found for.
    pub known: Vec<usize>,
}

/// The mentions of a question with a guess for every unknown word that has one.
pub fn guessed(index: &Index, tokens: &[Token], mentions: &Mentions, unknown: &[usize]) -> Option<Guessed> {
    let found = unknown.iter().filter_map(|at| Some((*at, guess(index, tokens, mentions, *at)?)));
    let (known, guesses): (Vec<usize>, Vec<Guess>) = found.unzip();
    if guesses.is_empty() {
        return None;
    }
    let said = |guess: &Guess| {
        let words: Vec<&str> = tokens[guess.start..guess.mention.end].iter().map(|token| token.text.as_str()).collect();
        let text = format!("`{}` is taken for {}", words.join(" "), guess.meant);
        Assumption { code: "guessed_name".to_string(), text }
    };
    let said = guesses.iter().map(said).collect();
    let mentions = mentions.with(guesses.into_iter().map(|guess| (guess.start, guess.mention)));
    Some(Guessed { mentions, said, known })
}

fn guess(index: &Index, tokens: &[Token], mentions: &Mentions, at: usize) -> Option<Guess> {
    let token = &tokens[at];
    let written_small = at == 0 || token.text.starts_with(char::is_lowercase);
    if token.kind != Kind::Word || !written_small || mentions.covering(at).next().is_some() {
        return None;
    }
    let open = !index.lexicon.is_grammar(&token.fold) && index.lexicon.unit(&token.fold).is_none();
    compound::guess(index, tokens, mentions, at)
        .or_else(|| abbreviated::guess(index, tokens, at).filter(|_| open))
        .or_else(|| derived::guess(index, tokens, at).filter(|_| open))
        .or_else(|| owner::guess(tokens, mentions, at))
}
