//! The words of a question: what each may stand for, and which of them nothing is known of.

use crate::index::Index;
use crate::lexicon::Role;
use crate::mentions::{Mention, Mentions, What};
use crate::tokens::{self, Kind, TOKENS_MAX, Token};
use crate::{Reason, Refusal};

/// A question and what its words may stand for.
pub struct Question {
    pub tokens: Vec<Token>,
    pub mentions: Mentions,
}

impl Question {
    /// Looks up every word, if the question and the dataset have anything to read.
    pub fn new(index: &Index, text: &str) -> Result<Question, Box<Refusal>> {
        let refusal = |reason, message: &str| Box::new(Refusal::new(reason, message));
        let tokens = tokens::merge_magnitudes(tokens::tokenize(text, index.forms));
        if tokens.len() > TOKENS_MAX {
            return Err(refusal(Reason::Limit, &format!("a question has at most {TOKENS_MAX} words")));
        }
        if tokens.is_empty() {
            return Err(refusal(Reason::NotAboutData, "there is no question"));
        }
        if index.dataset.tables.iter().all(|table| table.columns.is_empty()) {
            return Err(refusal(Reason::NoData, "the dataset has no columns"));
        }
        let mentions = Mentions::new(index, &tokens);
        Ok(Question { tokens, mentions })
    }

    /// The words that neither the language nor the dataset knows.
    pub fn unknown(&self) -> Vec<usize> {
        (0..self.tokens.len()).filter(|at| self.is_unknown(*at)).collect()
    }

    /// The lower-case word at a position, empty past the end.
    pub fn word(&self, at: usize) -> &str {
        tokens::word(&self.tokens, at)
    }

    /// The positions of words of some kind.
    pub fn positions(&self, wanted: impl Fn(usize) -> bool) -> Vec<usize> {
        (0..self.tokens.len()).filter(|at| wanted(*at)).collect()
    }

    /// Whether the token has a role of that kind and nothing else covers it.
    pub fn is_only(&self, at: usize, wanted: impl Fn(&Role) -> bool) -> bool {
        let open = |role: &Role| role.says_little_alone() || matches!(role, Role::Top(_) | Role::Frequent(_));
        let is_open = |mention: &Mention| match &mention.what {
            What::Role(role) => open(role),
            // "Busiest" names a number only where the dataset has one of that name.
            What::Adjective(_) => true,
            _ => false,
        };
        let is_wanted = |mention: &Mention| matches!(&mention.what, What::Role(role) if wanted(role));
        self.mentions.covering(at).any(is_wanted) && self.mentions.covering(at).all(is_open)
    }

    /// "Caused the most damage": a verb that says no more than that something has it.
    pub fn is_said_of_the_greatest(&self, at: usize) -> bool {
        let ranks = |mention: &Mention| matches!(mention.what, What::Role(Role::Amount(_) | Role::Extreme(_)));
        at > 0 && self.word(at).starts_with("caus") && self.mentions.at(at + 1).iter().any(ranks)
    }

    /// Whether neither the language nor the dataset knows a word.
    fn is_unknown(&self, at: usize) -> bool {
        let Question { tokens, mentions } = self;
        // "More than 5 times", "at least twice" say how often.
        let repeated = at > 0
            && match tokens[at].fold.as_str() {
                "times" => tokens[at - 1].number().is_some(),
                "once" | "twice" => matches!(tokens[at - 1].fold.as_str(), "than" | "least" | "most"),
                _ => false,
            };
        let known_kind = repeated || matches!(tokens[at].kind, Kind::Number { .. } | Kind::Comma);
        // A refusal word is known to the lexicon, but it names nothing either.
        let of_name = at > 0 && mentions.is_data(at - 1);
        let refused = self.is_only(at, |role| match role {
            Role::Unsupported | Role::Write => true,
            Role::Measured => !of_name,
            Role::Among => !mentions.is_data(at + 1) && !mentions.is_data(at + 2),
            Role::Pronoun => !mentions.is_data(at + 1),
            _ => false,
        });
        !known_kind && !self.is_searched(at) && (mentions.covering(at).next().is_none() || refused)
    }

    /// Whether a name is looked for in a column's texts: it need not be a cell. "Florida among the areas".
    fn is_searched(&self, at: usize) -> bool {
        let Question { tokens, mentions } = self;
        let word = |i: usize| tokens::word(tokens, i);
        let named = |i: &usize| tokens.get(*i).is_some_and(|token| token.text.starts_with(char::is_uppercase));
        let end = at + (at..tokens.len()).take_while(named).count();
        let start = at + 1 - (0..=at).rev().take_while(named).count();
        let among = word(end) == "among" && (mentions.is_data(end + 1) || mentions.is_data(end + 2));
        let included = start
            .checked_sub(1)
            .is_some_and(|verb| verb > 0 && word(verb).starts_with("inclu") && mentions.is_data(verb - 1));
        end > at && (among || included)
    }
}
