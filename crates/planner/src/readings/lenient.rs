//! What is read only where no strict reading exists: words that restrict nothing are passed, and the answer says so.
//!
//! The grammar proper gives every word a meaning of its own. People also use words that have none for the rows: verbs of
//! being there, how a question is put. Passing them is a guess, so it is priced and told, and such an answer is
//! never called verified.

use super::joins::names_data;
use super::{Parser, Production, Steps};
use crate::draft::Draft;
use crate::score::Feature;

/// The productions that only lenient readings use.
pub const PRODUCTIONS: &[Production] = &[idle_word];

/// How many words an idle phrase has at most.
const PHRASE_MAX: usize = 4;

/// `turns up`, `actually`: passed, unless the dataset itself uses the word.
fn idle_word(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    if names_data(parser, at) {
        return;
    }
    let phrase = |end: usize| (at..end).map(|i| parser.word(i)).collect::<Vec<_>>().join(" ");
    let ends = (at + 1..=(at + PHRASE_MAX).min(parser.tokens.len())).rev();
    if let Some(end) = ends.into_iter().find(|end| parser.index.lexicon.is_idle(&phrase(*end))) {
        steps.push((end, pass(parser, at, end, draft)));
    }
}

/// The draft after words that are taken to restrict nothing.
fn pass(parser: &Parser, at: usize, end: usize, draft: &Draft) -> Draft {
    let said = parser.tokens[at..end].iter().map(|token| token.text.as_str()).collect::<Vec<_>>().join(" ");
    let next = draft.granting(Feature::IdleWord, "idle_word", format!("`{said}` chooses no rows"));
    Draft { predicate: draft.predicate || !draft.heads.is_empty(), ..next }
}
