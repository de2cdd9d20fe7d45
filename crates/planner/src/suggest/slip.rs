//! Names and words of the language that a word may be a slip for, where people are asked and nothing is taken for granted.

use super::made::spoken;
use super::slot::Slot;
use crate::index::{ColId, Index, Sense};
use crate::spelling;
use crate::tokens::{Kind, Token};
use crate::understood::{self, Part};
use crate::words::{plural, split_name};

/// Below this many letters only two letters that changed places are a slip.
const LETTERS_MIN: usize = 4;
/// Below this many letters another letter makes another word: `race` is not `rape`.
const REPLACED_MIN: usize = 5;
/// From this many letters on there may be two slips.
const TWICE_MIN: usize = 7;
/// Cells are looked through where a column has no more.
const CELLS_MAX: usize = 200;
/// How many are tried.
const MEANT_MAX: usize = 2;

/// A word or name that is meant, and what of the data it stands for.
pub type Meant = (String, Vec<Part>);

/// What a word may be a slip for at its place, the nearest first.
pub fn meant(index: &Index, token: &Token, slot: Slot) -> Vec<Meant> {
    if token.kind != Kind::Word || is_word(index, token) {
        return Vec::new();
    }
    let said = token.fold.as_str();
    let mut near: Vec<(usize, Meant)> = Vec::new();
    let mut add = |name: &str, part: Vec<Part>| {
        let name_folded = name.to_lowercase();
        let edits = [said, token.singular.as_str()].into_iter().filter_map(|said| edits(said, &name_folded)).min();
        let Some(edits) = edits else { return };
        match near.iter_mut().find(|(_, (known, _))| known == name) {
            // A word of the language stays one, also where a name has it.
            Some((_, (_, parts))) if parts.is_empty() => {}
            Some((_, (_, parts))) => parts.extend(part),
            None => near.push((edits, (name.to_string(), part))),
        }
    };
    if let Some(word) = spelling::meant(index, token) {
        add(&word, Vec::new());
    }
    for (name, sense) in index.phrases_of_names().filter(|(_, sense)| slot.fits(index, *sense)) {
        add(name, understood::part_of(index, sense));
    }
    for id in index.columns().filter(|id| slot.fits(index, Sense::Column(*id))) {
        let words = split_name(&index.column(id).name).into_iter().filter(|word| word.len() >= LETTERS_MIN);
        words.for_each(|word| add(&word, vec![Part::Column(id)]));
    }
    if slot == Slot::Other {
        for id in index.columns().filter(|id| index.column(*id).values.len() <= CELLS_MAX) {
            let cells = index.column(id).values.iter().filter(|cell| cell.len() >= REPLACED_MIN);
            cells.for_each(|cell| add(cell, vec![Part::Column(id)]));
        }
    }
    near.sort_by(|(a, (name, _)), (b, (other, _))| (a, name.len(), name).cmp(&(b, other.len(), other)));
    let counted = |name: String| match token.fold != token.singular && !name.ends_with('s') {
        true => plural(&name),
        false => name,
    };
    near.into_iter().map(|(_, (name, part))| (counted(name), part)).take(MEANT_MAX).collect()
}

/// The columns whose names begin like some words, or the words like them: `lifeexp` for "life expectancy", `pop` for
/// "population". Those that share most words.
pub fn related(index: &Index, tokens: &[Token], slot: Slot) -> Vec<Meant> {
    let begins = |name: &str, word: &str| {
        let (long, short) = if name.len() > word.len() { (name, word) } else { (word, name) };
        // "Father" has nothing to do with `fat`.
        let enough = short.len() >= LETTERS_MIN || short.len() == 3 && (name == long || long.len() > 2 * short.len());
        enough && long.starts_with(short)
    };
    let shared = |id: ColId| {
        let words = split_name(&index.column(id).name);
        let is_shared = |token: &&Token| words.iter().any(|word| begins(word, &token.fold));
        tokens.iter().filter(is_shared).count()
    };
    let fitting = index.columns().filter(|id| slot.fits(index, Sense::Column(*id)));
    let found: Vec<(usize, ColId)> = fitting.map(|id| (shared(id), id)).filter(|(shared, _)| *shared > 0).collect();
    let most = found.iter().map(|(shared, _)| *shared).max();
    let best = found.into_iter().filter(|(shared, _)| Some(*shared) == most).map(|(_, id)| id);
    best.map(|id| (spoken(index, id), vec![Part::Column(id)])).collect()
}

/// Whether it is a word of its own, though the dataset has no use for it.
fn is_word(index: &Index, token: &Token) -> bool {
    let (lexicon, word) = (index.lexicon, token.singular.as_str());
    let is_concept = lexicon.concepts.iter().any(|concept| concept.words.contains(&word));
    lexicon.is_entity(word) || is_concept || lexicon.synonyms(word).next().is_some()
}

/// How many slips make one word of the other, if they are few enough; none where only spaces differ.
fn edits(said: &str, name: &str) -> Option<usize> {
    let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
    let (said, name) = (letters(said), letters(name));
    let (long, short) =
        (said.chars().count().max(name.chars().count()), said.chars().count().min(name.chars().count()));
    if long - short > 2 {
        return None;
    }
    let edits = base::edits(&said, &name);
    let sorted = |text: &str| {
        let mut letters: Vec<char> = text.chars().collect();
        letters.sort_unstable();
        letters
    };
    let is_near = match (edits, short) {
        (0, _) => true,
        (1, _) if sorted(&said) == sorted(&name) => short > 2,
        // `fes` for `fees`.
        (1, 3) if long != short => {
            said.chars().next() == name.chars().next() && said.chars().last() == name.chars().last()
        }
        (1, _) if long != short => short >= LETTERS_MIN,
        (1, _) => short >= REPLACED_MIN,
        (2, _) => short >= TWICE_MIN,
        _ => false,
    };
    is_near.then_some(edits)
}

#[cfg(test)]
mod tests {
    use super::edits;

    #[test]
    fn a_slip_keeps_the_word_and_another_letter_in_a_short_one_makes_another() {
        for (said, name) in [("regoin", "region"), ("chargs", "charges"), ("sxe", "sex"), ("homeruns", "home runs")] {
            assert!(edits(said, name).is_some(), "{said}");
        }
        for (said, name) in [("race", "rape"), ("sunday", "sun"), ("reason", "region"), ("age", "wage")] {
            assert!(edits(said, name).is_none(), "{said}");
        }
    }
}
