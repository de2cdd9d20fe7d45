//! Forms of words: plural and singular, light stemming, names cut into words.
//!
//! Both sides of every comparison pass through the same functions, so a form only has to be the same on both sides, not
//! to be English. Values are compared by [`Forms::singular`] only; names of things and columns also by [`Forms::stem`].

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

/// The irregular forms, from `lexicon/irregular.tsv`, and words that are spelled in two ways, from `spellings.tsv`.
#[derive(Clone, Debug)]
pub struct Forms {
    irregular: FxHashMap<String, String>,
    spellings: FxHashMap<&'static str, &'static str>,
}

impl Forms {
    /// What comes with the planner, read when it is first asked for.
    pub fn built_in() -> &'static Forms {
        static BUILT_IN: LazyLock<Forms> = LazyLock::new(Forms::new);
        &BUILT_IN
    }

    /// Reads the table of irregular forms.
    fn new() -> Forms {
        let irregular = crate::lexicon::lines(include_str!("../lexicon/irregular.tsv"))
            .filter_map(|line| line.split_once('\t'))
            .map(|(form, base)| (form.to_string(), base.to_string()))
            .collect();
        let spellings = crate::lexicon::lines(include_str!("../lexicon/spellings.tsv"));
        Forms { irregular, spellings: spellings.filter_map(|line| line.split_once('\t')).collect() }
    }

    /// A lower-case word in the one spelling that is compared.
    pub fn spelled<'a>(&self, word: &'a str) -> &'a str {
        self.spellings.get(word).copied().unwrap_or(word)
    }

    /// The singular of a lower-case word.
    pub fn singular(&self, word: &str) -> String {
        let word = self.spelled(word);
        if let Some(base) = self.irregular.get(word) {
            return base.clone();
        }
        let length = word.chars().count();
        let cut = |n: usize| word[..word.len() - n].to_string();
        if !word.is_ascii() || length <= 3 {
            return if word.ends_with("'s") { cut(2) } else { word.to_string() };
        }
        if word.ends_with("'s") {
            return cut(2);
        }
        if word.ends_with("ies") && length > 4 {
            return cut(3) + "y";
        }
        if ["sses", "shes", "ches", "xes", "zzes"].iter().any(|end| word.ends_with(end)) {
            return cut(2);
        }
        if ["ss", "us", "is", "ous"].iter().any(|end| word.ends_with(end)) || !word.ends_with('s') {
            return word.to_string();
        }
        cut(1)
    }

    /// A light stem of a lower-case word: no plural, no `-ing`, no `-ed`, no last `e`.
    pub fn stem(&self, word: &str) -> String {
        let word = self.singular(word);
        if !word.is_ascii() || self.irregular.contains_key(&word) {
            return without_last_e(word);
        }
        let participle = [("ing", 5), ("ed", 4)].into_iter().find_map(|(end, longer_than)| {
            let base = word.strip_suffix(end)?;
            let usable = word.len() > longer_than && base.len() >= 3 && base.contains(['a', 'e', 'i', 'o', 'u', 'y']);
            (usable && !base.ends_with('e')).then(|| base.to_string())
        });
        match participle {
            Some(base) if base.ends_with('i') => base[..base.len() - 1].to_string() + "y",
            Some(base) => without_last_e(undoubled(base)),
            None => without_last_e(word),
        }
    }
}

/// Whether a word is a form of "to be" that a participle may follow.
pub fn is_be(word: &str) -> bool {
    matches!(word, "is" | "are" | "was" | "were" | "been")
}

/// Whether a word says that something has what is said next.
pub fn is_with(word: &str) -> bool {
    matches!(word, "with" | "have" | "has" | "having" | "had")
}

/// Whether a word is the past participle of a verb, by its form or one of a few.
pub fn is_participle(word: &str) -> bool {
    let irregular = matches!(word, "driven" | "made" | "sold" | "given" | "spent" | "taken" | "paid" | "won" | "lost");
    word.len() > 3 && word.ends_with("ed") || irregular
}

/// Whether a noun names what a verb of that stem does: a booking and `book`, an order and `order`.
pub fn is_deed(noun: &str, stem: &str) -> bool {
    noun.strip_prefix(stem).is_some_and(|rest| matches!(rest, "" | "e" | "ing" | "ment" | "al"))
}

fn without_last_e(word: String) -> String {
    if word.len() > 3 && word.ends_with('e') { word[..word.len() - 1].to_string() } else { word }
}

fn undoubled(word: String) -> String {
    let bytes = word.as_bytes();
    let doubled = bytes.len() > 3 && bytes[bytes.len() - 1] == bytes[bytes.len() - 2];
    let keeps = word.ends_with(['l', 's', 'z', 'a', 'e', 'i', 'o', 'u']);
    if doubled && !keeps { word[..word.len() - 1].to_string() } else { word }
}

/// Cuts a name as its owner spells it into lower-case words: `resolution_time_hours`, `UnitPrice`, `Height (cm)`.
pub fn split_name(name: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut before = ' ';
    let characters: Vec<char> = name.chars().collect();
    let mut skipped = 0;
    for (i, &c) in characters.iter().enumerate() {
        if i < skipped {
            continue;
        }
        if let Some(unit) = cased_unit(&characters, i) {
            words.extend((!word.is_empty()).then(|| std::mem::take(&mut word)));
            words.push(unit.to_lowercase());
            (skipped, before) = (i + unit.len(), ' ');
            continue;
        }
        let next_is_lower = characters.get(i + 1).is_some_and(|next| next.is_lowercase());
        let hump = c.is_uppercase() && (before.is_lowercase() || (before.is_uppercase() && next_is_lower));
        if (hump || !is_name_char(c)) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if is_name_char(c) {
            word.extend(c.to_lowercase());
        }
        before = c;
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

/// The unit that a name has at a position, where its capitals are no words of their own: `rated_kW`, `lostMWh`.
fn cased_unit(name: &[char], at: usize) -> Option<&'static str> {
    const UNITS: &[&str] = &["kWh", "MWh", "GWh", "kW", "MW", "GW", "kVA", "mAh", "kPa", "hPa", "kHz", "MHz", "GHz"];
    let before = at.checked_sub(1).map(|before| name[before]);
    let starts = |unit: &str| match before {
        None => true,
        // A capital ends the word before it; a small letter is a part of it.
        Some(letter) => !letter.is_alphabetic() || letter.is_lowercase() && unit.starts_with(char::is_uppercase),
    };
    let ends = |unit: &str| !name.get(at + unit.len()).is_some_and(|next| next.is_lowercase());
    let is_here = |unit: &str| unit.chars().enumerate().all(|(i, letter)| name.get(at + i) == Some(&letter));
    UNITS.iter().copied().find(|unit| is_here(unit) && starts(unit) && ends(unit))
}

fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '%' | '°' | '$' | '€' | '£' | '\'')
}

/// The words of a name in snake_case, for output columns.
pub fn snake(name: &str) -> String {
    let words: Vec<String> =
        split_name(name).into_iter().map(|word| word.replace(|c: char| !c.is_alphanumeric(), "")).collect();
    let joined = words.iter().filter(|word| !word.is_empty()).cloned().collect::<Vec<_>>().join("_");
    if joined.is_empty() { "value".to_string() } else { joined }
}

/// A plural good enough for output names: `customer` to `customers`.
pub fn plural(noun: &str) -> String {
    let vowel_before_y = noun.len() > 1 && matches!(noun.as_bytes()[noun.len() - 2], b'a' | b'e' | b'i' | b'o' | b'u');
    if noun.ends_with('y') && !vowel_before_y {
        return noun[..noun.len() - 1].to_string() + "ies";
    }
    match noun {
        "person" => "people".to_string(),
        "child" => "children".to_string(),
        _ if noun.ends_with('s') || noun.ends_with('x') || noun.ends_with("ch") || noun.ends_with("sh") => {
            noun.to_string() + "es"
        }
        _ => noun.to_string() + "s",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_one_word_meet_and_others_do_not() {
        let forms = Forms::built_in();
        for family in [
            &["create", "created", "creating", "creates"][..],
            &["price", "prices", "priced"],
            &["ship", "shipped", "shipping_"][..2],
            &["category", "categories"],
            &["status", "statuses"],
            &["met", "meet", "meets"],
        ] {
            let stems: Vec<String> = family.iter().map(|word| forms.stem(word)).collect();
            assert!(stems.iter().all(|stem| *stem == stems[0]), "{family:?} {stems:?}");
        }
        assert_ne!(forms.stem("rating"), forms.stem("rate"));
        assert_ne!(forms.singular("opened"), forms.singular("open"));
        assert_eq!(forms.singular("boxes"), "box");
        assert_eq!(forms.singular("purchases"), "purchase");
    }

    #[test]
    fn names_fall_into_words() {
        assert_eq!(split_name("resolution_time_hours"), ["resolution", "time", "hours"]);
        assert_eq!(split_name("UnitPrice"), ["unit", "price"]);
        assert_eq!(split_name("Height (cm)"), ["height", "cm"]);
        assert_eq!(split_name("HTTPStatus"), ["http", "status"]);
        assert_eq!(split_name("lost_MWh"), ["lost", "mwh"]);
        assert_eq!(split_name("ratedMW"), ["rated", "mw"]);
        assert_eq!(split_name("peak kW (net)"), ["peak", "kw", "net"]);
        assert_eq!(split_name("BMWModel"), ["bmw", "model"]);
        assert_eq!(snake("Units Sold"), "units_sold");
    }
}
