//! Cells by less than their whole text: one telling word of it ("sick" of "Sick leave"), its initials, or another form
//! of a word.
//!
//! Only columns that sort rows into few kinds take part, and only what belongs to exactly one of their cells. A reading
//! that needs such a match is never called verified.

use base::Type;
use rustc_hash::FxHashMap;

use super::{ColId, Index};
use crate::lexicon::Role;
use crate::tokens;

/// Above this many different cells a column does not sort rows into kinds.
const KINDS_MAX: usize = 60;
/// A kind has several rows, in its own table or in one that links to it.
const ROWS_PER_KIND_MIN: u64 = 2;
const WORD_LETTERS_MIN: usize = 3;
/// A cell with more words is a sentence.
const WORDS_MAX: usize = 3;

/// What parts and forms of cells can stand for.
#[derive(Clone, Debug, Default)]
pub struct Loose {
    words: FxHashMap<String, Vec<(ColId, String)>>,
    /// Initials, which must be written in capitals.
    initials: FxHashMap<String, Vec<(ColId, String)>>,
}

impl Loose {
    pub fn get(&self, phrase: &str, shouted: bool) -> &[(ColId, String)] {
        let initials = self.initials.get(phrase).filter(|_| shouted);
        initials.or_else(|| self.words.get(phrase)).map_or(&[], Vec::as_slice)
    }
}

/// The parts and forms of every column's cells.
pub fn values(index: &Index) -> Loose {
    let mut loose = Loose::default();
    for id in index.columns() {
        let column = index.column(id);
        let table = index.table(id.table);
        let linked = index.dataset.relations.iter().any(|relation| relation.to_table == table.name);
        let repeated = linked || column.distinct * ROWS_PER_KIND_MIN <= table.rows;
        let kinds = column.ty == Type::Text && column.values_complete && column.values.len() <= KINDS_MAX && repeated;
        if is_country(index, id) {
            let said = |text: &String| index.lexicon.nationality(&text.to_lowercase()).collect::<Vec<_>>();
            let of = |text: &String, word: &str| (word.to_string(), vec![text.clone()]);
            let found = column.values.iter().flat_map(|text| said(text).into_iter().map(|word| of(text, word)));
            keep(&mut loose.words, found.collect(), id, |phrase| !is_taken(index, phrase));
        }
        if !kinds || index.facts(id).yes.is_some() || index.facts(id).lists {
            continue;
        }
        let mut words: FxHashMap<String, Vec<String>> = FxHashMap::default();
        let mut initials: FxHashMap<String, Vec<String>> = FxHashMap::default();
        for text in &column.values {
            for phrase in phrases(index, text).into_iter().chain(shortened(index, id, text)) {
                note(words.entry(phrase).or_default(), text);
            }
            for phrase in initials_of(text) {
                note(initials.entry(phrase).or_default(), text);
            }
        }
        keep(&mut loose.words, words, id, |phrase| !is_taken(index, phrase));
        keep(&mut loose.initials, initials, id, |phrase| !index.is_value(phrase));
    }
    loose
}

fn note(texts: &mut Vec<String>, text: &str) {
    if texts.iter().all(|known| known != text) {
        texts.push(text.to_string());
    }
}

fn keep(
    kept: &mut FxHashMap<String, Vec<(ColId, String)>>,
    found: FxHashMap<String, Vec<String>>,
    id: ColId,
    wanted: impl Fn(&str) -> bool,
) {
    for (phrase, texts) in found {
        if let [text] = &texts[..]
            && wanted(&phrase)
        {
            kept.entry(phrase).or_default().push((id, text.clone()));
        }
    }
}

/// Whether the dataset or the language has the phrase for something else.
fn is_taken(index: &Index, phrase: &str) -> bool {
    let stem = tokens::phrase(phrase, |word| index.forms.stem(word));
    // Beside a cell `fail`, what failed is no verb that denies.
    let spoken = index.lexicon.roles(phrase).iter().any(|role| *role != Role::Failed);
    !index.names(&stem).is_empty() || index.is_value(phrase) || spoken
}

/// The telling words of a text, and forms that people give its last one: `part timer`, `privately`.
fn phrases(index: &Index, text: &str) -> Vec<String> {
    let key = tokens::phrase(&tokens::fold(text), |word| index.forms.singular(word));
    let words: Vec<&str> = key.split(' ').collect();
    let denies = |word: &str| matches!(word, "nobody" | "none" | "nothing" | "never" | "without" | "not");
    let telling =
        |word: &&str| word.len() >= WORD_LETTERS_MIN && word.chars().all(char::is_alphabetic) && !denies(word);
    let mut found: Vec<String> = Vec::new();
    let capitals = text.split(' ').filter(|word| word.starts_with(char::is_uppercase)).count();
    // A name is known by its first word: "Harbor" of "Harbor Coffee Bar", not any coffee.
    let is_name = words.len() == 3 && capitals == 3;
    // What is full is not `full-time`.
    let compound = text.contains('-') && !text.contains(' ');
    // The last word says what all of them are: wards, rooms, leaves. One word of a sentence does not stand for it.
    if let [telling_words @ .., _] = &words[..]
        && words.len() <= WORDS_MAX
        && !compound
    {
        let known_by = if is_name { &telling_words[..1] } else { telling_words };
        found.extend(known_by.iter().filter(|word| telling(word)).map(|word| word.to_string()));
    }
    if words.last().is_some_and(telling) {
        let ending = if key.ends_with('e') { "r" } else { "er" };
        found.push(format!("{key}{ending}"));
        if words.len() == 1 {
            found.push(format!("{key}ly"));
        }
        // "Cancellation" of what was cancelled, "rejection" of what was rejected.
        if let (1, Some(base)) = (words.len(), key.strip_suffix("ed").filter(|base| base.len() > WORD_LETTERS_MIN)) {
            found.extend([format!("{base}ation"), format!("{base}ion"), format!("{base}al"), format!("{base}ment")]);
            // "Dropouts" are those who dropped.
            let short = base.strip_suffix(base.chars().last().unwrap_or_default()).unwrap_or(base);
            let doubled = short.chars().last() == base.chars().last();
            found.push(format!("{}out", if doubled { short } else { base }));
        }
    }
    // "Flats" where the cell says apartment; phrases are rather said of something else, as the days of sick days are.
    if words.len() == 1 {
        let single = |word: &&str| !word.contains(' ') && telling(word);
        // A customer is no kind of ticket because one is about accounts.
        let person = |word: &&str| index.lexicon.is_of_any(&["person", "role", "organisation"], word);
        let said = index.lexicon.synonyms(&key).filter(single).filter(|word| !person(word));
        found.extend(said.map(str::to_string));
    }
    // "Collections" of "In collections": a small word before it says nothing.
    if let [joint, noun] = &words[..]
        && matches!(*joint, "in" | "on" | "under" | "at" | "by" | "for" | "with")
        && telling(noun)
    {
        found.push(noun.to_string());
    }
    found
}

/// Whether cells of a column are countries.
fn is_country(index: &Index, id: ColId) -> bool {
    let named = |word: &String| matches!(word.as_str(), "country" | "nation" | "nationality" | "origin");
    index.column(id).ty == Type::Text && (index.facts(id).words.iter().any(named) || index.holds_countries(id))
}

/// `lab` of `Laboratory`; `e` of `electric`, and `ebike` where the column tells kinds of bikes.
fn shortened(index: &Index, id: ColId, text: &str) -> Vec<String> {
    let key = tokens::phrase(&tokens::fold(text), |word| index.forms.singular(word));
    let mut found: Vec<String> = index.lexicon.short_for(&key).map(str::to_string).collect();
    if matches!(key.as_str(), "electric" | "electronic") {
        found.push("e".to_string());
        found.extend(index.facts(id).words.first().map(|noun| format!("e{noun}")));
    }
    found
}

/// `er` of `Emergency Room`, `r d` and `rd` of `Research and Development`.
fn initials_of(text: &str) -> Vec<String> {
    let joins = |word: &&str| matches!(*word, "and" | "of" | "the" | "for" | "&");
    let folded = tokens::fold(text);
    let letters: Vec<String> = folded
        .split(' ')
        .filter(|word| !joins(word))
        .filter_map(|word| word.chars().next())
        .map(String::from)
        .collect();
    if letters.len() < 2 { Vec::new() } else { vec![letters.concat(), letters.join(" ")] }
}
