//! Headers that cut a word short: `Special Exhib.` for an exhibition, `Waste shts` for sheets, `pcode` for a postcode.
//!
//! Short words of English are also the beginnings of longer ones that mean something else (`art` and artist, `form` and
//! format), so a header's word that is itself one cuts nothing short unless a full stop says so; and one that is generally
//! known to be short for a word is short for no other.

use super::Guess;
use crate::index::{ColId, Index};
use crate::tokens::Token;

/// A word with fewer letters is hardly worth cutting.
const WORD_MIN: usize = 5;
/// A beginning has at least so many letters, and fewer if a full stop ends it.
const PREFIX_MIN: usize = 4;
const DOTTED_MIN: usize = 3;

/// The only column whose name cuts the word short, with what else of its name stands beside the word.
pub fn guess(index: &Index, tokens: &[Token], at: usize) -> Option<Guess> {
    let mut found: Vec<(usize, usize, ColId)> = Vec::new();
    for id in index.columns() {
        let shortened = |place: &usize| is_short(index, id, *place, &tokens[at]);
        let places = (0..index.facts(id).written.len()).filter(shortened);
        found.extend(places.map(|place| span(index, tokens, at, id, place)).map(|(start, end)| (start, end, id)));
    }
    let longest = found.iter().map(|(start, end, _)| end - start).max()?;
    found.retain(|(start, end, _)| end - start == longest);
    let (start, end, first) = *found.first()?;
    let same = |(_, _, id): &(usize, usize, ColId)| index.facts(*id).written == index.facts(first).written;
    if !found.iter().all(same) {
        return None;
    }
    // "Sheets" alone are not the wasted ones: of a number the whole name must be said.
    if index.column(first).ty.is_number() && end - start < index.facts(first).core.len() {
        return None;
    }
    let mut columns: Vec<ColId> = found.into_iter().map(|(_, _, id)| id).collect();
    columns.dedup();
    Guess::columns(index, start, end, columns)
}

/// Whether a word of a column's name is a word of the question cut short.
fn is_short(index: &Index, id: ColId, place: usize, said: &Token) -> bool {
    let facts = index.facts(id);
    let short = facts.written[place].as_str();
    // A person is no number of something: a captain is no `Cap.`.
    let person = index.lexicon.is_person(&said.singular);
    if person && index.column(id).ty.is_number() && !facts.identifier || facts.yes.is_some() && person {
        return false;
    }
    // Departures are rows, and not the different times that `Dep.` holds.
    let plural = said.fold != said.singular && !said.fold.ends_with("'s");
    if plural && (facts.digits || index.column(id).ty.is_temporal()) {
        return false;
    }
    if index.lexicon.spoken(short) != short {
        return index.lexicon.is_short_for(short, &said.singular);
    }
    // Who does something is another word than what is done: an exhibitor and an exhibition.
    let agent = ["er", "or", "ist", "ian", "ee"].iter().any(|end| said.singular.ends_with(end));
    if agent || person {
        return false;
    }
    // What is left of a unit is no word: `min`, `sec`.
    if index.lexicon.unit(short).is_some() || !index.lexicon.roles(short).is_empty() {
        return false;
    }
    let dotted = index.column(id).name.to_lowercase().contains(&format!("{short}."));
    let word = dotted || !index.lexicon.is_short_word(&index.forms.singular(short));
    word && [&said.singular, &said.fold].into_iter().any(|full| abbreviates(short, full, dotted))
}

/// Whether one lower-case word is the other cut short.
fn abbreviates(short: &str, full: &str, dotted: bool) -> bool {
    let plain = short.is_ascii() && full.is_ascii() && full.bytes().all(|letter| letter.is_ascii_alphabetic());
    if !plain || full.len() < WORD_MIN || short.len() + 2 > full.len() || short.as_bytes()[0] != full.as_bytes()[0] {
        return false;
    }
    is_beginning(short, full, dotted) || is_skeleton(short, full) || is_initial_and_end(short, full)
}

/// `exhib` of exhibition; not `print` of printer, which is another word.
fn is_beginning(short: &str, full: &str, dotted: bool) -> bool {
    const ENDINGS: &[&str] = &["er", "ers", "or", "ors", "ed", "ing", "ings", "es", "ly", "ist", "ists", "man", "men"];
    let Some(rest) = full.strip_prefix(short) else { return false };
    let minimum = if dotted { DOTTED_MIN } else { PREFIX_MIN };
    short.len() >= minimum && (dotted || !ENDINGS.contains(&rest))
}

/// `shts` of sheets, `bldg` of building: consonants in order, the last one with them, and most of those there are.
fn is_skeleton(short: &str, full: &str) -> bool {
    let vowel = |letter: &u8| matches!(letter, b'a' | b'e' | b'i' | b'o' | b'u');
    if short.len() < 3 || short.bytes().skip(1).any(|letter| vowel(&letter)) || full.starts_with(short) {
        return false;
    }
    let consonants: Vec<u8> = full.bytes().enumerate().filter(|(i, c)| *i == 0 || !vowel(c)).map(|(_, c)| c).collect();
    let mut rest = consonants.iter();
    let in_order = short.bytes().all(|letter| rest.any(|other| *other == letter));
    // Of three letters nearly all must be there.
    let most =
        if short.len() == 3 { short.len() * 4 > consonants.len() * 3 } else { short.len() * 5 >= consonants.len() * 3 };
    in_order && short.bytes().last() == consonants.last().copied() && most
}

/// `pcode` of postcode.
fn is_initial_and_end(short: &str, full: &str) -> bool {
    short.len() > PREFIX_MIN && full.ends_with(&short[1..])
}

/// How far a column's name goes on before and after the word, in the question's order.
fn span(index: &Index, tokens: &[Token], at: usize, id: ColId, place: usize) -> (usize, usize) {
    let facts = index.facts(id);
    let same = |place: usize, token: &Token| {
        let number = token.singular == "number" && matches!(facts.written[place].as_str(), "no" | "nr" | "num");
        let stem = index.forms.stem(&facts.words[place]) == token.stem || facts.written[place] == token.fold;
        number || stem || is_short(index, id, place, token)
    };
    let before = (1..=place.min(at)).take_while(|back| same(place - back, &tokens[at - back])).count();
    let room = (facts.written.len() - place).min(tokens.len() - at);
    let after = (1..room).take_while(|on| same(place + on, &tokens[at + on])).count();
    (at - before, at + after + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_cut_short_in_the_ways_people_do() {
        for (short, full) in [
            ("exhib", "exhibition"),
            ("shts", "sheets"),
            ("pcode", "postcode"),
            ("bldg", "building"),
            ("mgmt", "management"),
            ("dlvd", "delivered"),
            ("propul", "propulsion"),
        ] {
            assert!(abbreviates(short, full, false), "{short} {full}");
        }
        assert!(abbreviates("acc", "accession", true) && abbreviates("cap", "capacity", true));
        for (short, full) in [
            ("acc", "accession"),
            ("min", "minister"),
            ("no", "number"),
            ("ref", "refund"),
            ("art", "artist"),
            ("std", "standard"),
            ("print", "printer"),
            ("sail", "sailor"),
            ("std", "student"),
            ("rte", "rate"),
            ("code", "decode"),
        ] {
            assert!(!abbreviates(short, full, false), "{short} {full}");
        }
    }
}
