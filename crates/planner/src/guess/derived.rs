//! Words made from the stem that a name has: what vibrates has a vibration, a referral was referred by somebody.
//!
//! Only a verb form and a noun of what is done are kin, in either order: a product is no production, and who directs no
//! direction.

use super::Guess;
use crate::index::{ColId, Index};
use crate::tokens::Token;

/// A stem with fewer letters has words that are not kin: a station and a state.
const STEM_MIN: usize = 5;
/// Words that only look made from a verb.
const OTHERS: &[&str] = &["department", "commission", "direction", "director", "position", "station", "production"];

/// The only column whose name has a word of the same stem.
pub fn guess(index: &Index, tokens: &[Token], at: usize) -> Option<Guess> {
    let said = &tokens[at];
    let named = |id: &ColId| {
        let facts = index.facts(*id);
        // The first word of a name says what it is about; a person's name or a date beside it is another thing.
        let [word, rest @ ..] = &facts.core[..] else { return false };
        let joins = rest.iter().all(|word| matches!(word.as_str(), "by" | "via" | "on" | "at" | "from"));
        joins && are_kin(said, word)
    };
    let columns: Vec<ColId> = index.columns().filter(named).collect();
    let first = *columns.first()?;
    let same = columns.iter().all(|id| index.facts(*id).written == index.facts(first).written);
    same.then(|| Guess::columns(index, at, at + 1, columns))?
}

/// Whether one word is a form of a verb and the other a noun of what it does.
fn are_kin(said: &Token, word: &str) -> bool {
    if !said.fold.is_ascii() || !word.is_ascii() || OTHERS.contains(&said.singular.as_str()) || OTHERS.contains(&word) {
        return false;
    }
    let meets = |verb: Option<String>, nouns: Vec<String>| {
        verb.is_some_and(|stem| stem.len() >= STEM_MIN && nouns.contains(&stem))
    };
    meets(verb_stem(&said.fold), noun_stems(word)) || meets(verb_stem(word), noun_stems(&said.singular))
}

/// The stem of a verb form: `vibrat` of vibrates, `refer` of referred.
fn verb_stem(word: &str) -> Option<String> {
    let done = word.strip_suffix("ed").or_else(|| word.strip_suffix("ing")).map(undoubled);
    let does = || ["ates", "ate"].iter().find_map(|end| Some(format!("{}at", word.strip_suffix(end)?)));
    done.or_else(does)
}

/// The stems that a noun of what is done can have: `dismiss` of dismissal, `vibrat` of vibration.
fn noun_stems(word: &str) -> Vec<String> {
    let ends = ["ation", "ion", "al", "ment", "ance", "ence"];
    ends.iter().filter_map(|end| word.strip_suffix(end)).map(undoubled).collect()
}

fn undoubled(stem: &str) -> String {
    let letters = stem.as_bytes();
    let doubled = letters.len() > 2 && letters[letters.len() - 1] == letters[letters.len() - 2];
    if doubled { stem[..stem.len() - 1].to_string() } else { stem.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::tokenize;
    use crate::words::Forms;

    #[test]
    fn kin_share_a_stem_and_look_alikes_do_not() {
        let kin = |said: &str, word: &str| are_kin(&tokenize(said, Forms::built_in())[0], word);
        for (said, word) in [
            ("vibrates", "vibration"),
            ("referrals", "referred"),
            ("generated", "generation"),
            ("inspection", "inspected"),
        ] {
            assert!(kin(said, word), "{said} {word}");
        }
        for (said, word) in [
            ("products", "production"),
            ("stated", "station"),
            ("department", "departed"),
            ("general", "generation"),
            ("personal", "person"),
            ("directed", "direction"),
            ("regional", "region"),
            ("commission", "commissioned"),
        ] {
            assert!(!kin(said, word), "{said} {word}");
        }
    }
}
