//! What people do with what rows record: forms of verbs, whether they choose rows, and the names that record them.

use rustc_hash::FxHashMap;

use super::Words;
use super::files::{alternatives, fields, lines};
use crate::tokens;
use crate::words::Forms;

/// One verb of the language.
#[derive(Clone, Debug)]
pub struct Verb {
    /// All of its forms, the base first.
    pub forms: Words,
    /// Whether it only says that what a row records happened.
    plain: bool,
    /// The stem of its base.
    pub stem: String,
    /// Words of the names that record it, the most usual first.
    pub recorded: Vec<Recorded>,
}

/// A word of a name that records a verb.
#[derive(Clone, Debug)]
pub struct Recorded {
    pub word: &'static str,
    pub stem: String,
}

/// The forms that stand in different places of a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `use`, after an auxiliary or a pronoun; elsewhere it may be a noun.
    Base,
    /// `uses`, after what does it; elsewhere it may be a plural.
    Third,
    /// `using`.
    Gerund,
    /// `used`.
    Past,
}

impl Verb {
    fn form(&self, phrase: &str) -> Form {
        let [base, said] = [self.forms[0], phrase].map(|phrase| phrase.split(' ').next().unwrap_or_default());
        if said == base {
            Form::Base
        } else if said.ends_with("ing") {
            Form::Gerund
        } else if said.ends_with('s') {
            Form::Third
        } else {
            Form::Past
        }
    }
}

/// All verbs, by any of their forms and by what records them.
#[derive(Clone, Debug)]
pub struct Verbs {
    all: Vec<Verb>,
    by_form: FxHashMap<&'static str, Vec<usize>>,
}

impl Verbs {
    /// Reads the file.
    pub fn new() -> Verbs {
        let all: Vec<Verb> = lines(include_str!("../../lexicon/verbs.tsv")).filter_map(verb).collect();
        let mut by_form: FxHashMap<&'static str, Vec<usize>> = FxHashMap::default();
        for (at, verb) in all.iter().enumerate() {
            for form in &verb.forms {
                by_form.entry(*form).or_default().push(at);
            }
        }
        Verbs { all, by_form }
    }

    /// Words of the names that record a verb, by any form of it.
    pub fn recorded(&self, phrase: &str) -> impl Iterator<Item = &'static str> {
        let verbs = self.by_form.get(phrase).into_iter().flatten();
        verbs.flat_map(|at| &self.all[*at].recorded).map(|recorded| recorded.word)
    }

    /// Every verb.
    pub fn iter(&self) -> impl Iterator<Item = &Verb> {
        self.all.iter()
    }

    /// How a lower-case phrase is a form of verbs none of which chooses rows.
    pub fn plain(&self, phrase: &str) -> Option<Form> {
        let verbs = self.by_form.get(phrase)?;
        let plain = verbs.iter().all(|at| self.all[*at].plain);
        verbs.first().filter(|_| plain).map(|at| self.all[*at].form(phrase))
    }
}

fn verb(line: &'static str) -> Option<Verb> {
    let [base, others, class, recorded] = fields(line)?;
    let stem = |phrase: &str| tokens::phrase(phrase, |word| Forms::built_in().stem(word));
    let forms = std::iter::once(base).chain(alternatives(others)).collect();
    let plain = match class {
        "plain" => true,
        "state" => false,
        _ => return None,
    };
    let recorded = alternatives(recorded).map(|word| Recorded { stem: stem(word), word }).collect();
    Some(Verb { forms, plain, stem: stem(base), recorded })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_a_verb() {
        assert!(lines(include_str!("../../lexicon/verbs.tsv")).all(|line| verb(line).is_some()));
    }
}
