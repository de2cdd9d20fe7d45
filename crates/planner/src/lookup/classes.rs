//! Classes of words of the language, by stem: what a question word asks for, and words used for one another.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use crate::lexicon::lines;
use crate::words::Forms;

/// Classes by the stem of their words.
pub struct Classes {
    by_stem: FxHashMap<String, Vec<u16>>,
    names: Vec<&'static str>,
}

/// What a question word asks for.
pub static ASKED: LazyLock<Classes> = LazyLock::new(|| Classes::read(include_str!("asked.tsv")));
/// Words that people use for one another.
pub static KIN: LazyLock<Classes> = LazyLock::new(|| Classes::read(include_str!("kin.tsv")));

impl Classes {
    fn read(text: &'static str) -> Classes {
        let forms = Forms::built_in();
        let mut classes = Classes { by_stem: FxHashMap::default(), names: Vec::new() };
        for (class, line) in lines(text).enumerate() {
            let (name, list) = line.split_once('\t').unwrap_or(("", line));
            classes.names.push(name);
            for word in list.split(" | ") {
                let places = classes.by_stem.entry(forms.stem(word)).or_default();
                if places.last() != Some(&(class as u16)) {
                    places.push(class as u16);
                }
            }
        }
        classes
    }

    /// The classes of a word.
    pub fn of(&self, stem: &str) -> &[u16] {
        self.by_stem.get(stem).map_or(&[], Vec::as_slice)
    }

    /// Whether a word is in the class of that name.
    pub fn contains(&self, name: &str, stem: &str) -> bool {
        self.of(stem).iter().any(|class| self.names[usize::from(*class)] == name)
    }
}
