//! Why a question has no reading, in the words that stood in the way.

use super::question::Question;
use crate::build::Why;
use crate::index::Index;
use crate::lexicon::Role;
use crate::mentions::{Mention, What};
use crate::tokens::Token;
use crate::{Outcome, Reason, Refusal, readings, spelling};

/// Words that ask for what no rows hold, and what that is.
const BEYOND: &[(&[&str], &str)] = &[
    (&["why", "how", "come", "explain", "cause", "caused", "causes", "because"], "reasons"),
    (
        &[
            "predict",
            "forecast",
            "forecasting",
            "prediction",
            "predicted",
            "projection",
            "projected",
            "will",
            "tomorrow",
            "next",
            "future",
            "likely",
            "probability",
            "likelihood",
            "happen",
            "what",
            "if",
        ],
        "forecasts",
    ),
    (
        &[
            "should",
            "recommend",
            "recommendation",
            "advice",
            "advise",
            "suggest",
            "opinion",
            "think",
            "optimal",
            "optimize",
            "improve",
        ],
        "opinions",
    ),
];

/// A question that has no reading, and what is known of its words.
pub struct Unread<'a> {
    pub index: &'a Index,
    pub question: &'a Question,
    /// Which tokens some production gave a meaning.
    pub passed: &'a [bool],
    /// Unknown words that have been taken for names.
    pub guessed: &'a [usize],
}

impl Unread<'_> {
    /// Why no reading accounts for the whole question; the failure is that of the first draft that could not be built.
    pub fn explain(&self, failure: Option<Why>) -> Outcome {
        let question = self.question;
        let about_data = (0..question.tokens.len()).any(|at| question.mentions.is_data(at));
        let writes =
            question.positions(|at| self.is_imperative(at) && question.is_only(at, |role| *role == Role::Write));
        if !writes.is_empty() {
            return self.refuse(Reason::WriteRequested, "answers never change data", &writes);
        }
        let beyond = question.positions(|at| {
            question.is_only(at, |role| *role == Role::Unsupported) && !question.is_said_of_the_greatest(at)
        });
        if let Some(first) = beyond.first().filter(|_| about_data) {
            return self.refuse(Reason::Unsupported, &self.is_beyond(*first), &beyond);
        }
        let unknown = self.unknown();
        let vague = question.positions(|at| question.is_only(at, |role| *role == Role::Vague));
        let only_vague = self.names_a_period() && !vague.is_empty() && unknown.is_empty();
        if !about_data && !only_vague {
            let message = match unknown.len() {
                0 => "nothing of the dataset is mentioned".to_string(),
                several if several == question.tokens.len() && several > 1 => {
                    "nothing of the dataset is mentioned; questions are read in English".to_string()
                }
                _ => format!("nothing of the dataset is mentioned: {}", self.name_nothing(&unknown)),
            };
            return self.refuse(Reason::NotAboutData, &message, &unknown);
        }
        if !unknown.is_empty() && unknown.iter().all(|at| question.is_said_of_the_greatest(*at)) {
            let message = format!("what {} says of it is not understood", self.quoted(&unknown));
            return self.refuse(Reason::Unsupported, &message, &unknown);
        }
        if !unknown.is_empty() {
            return self.refuse(Reason::UnknownWord, &self.name_nothing(&unknown), &unknown);
        }
        if !vague.is_empty() {
            let message = format!("`{}` does not say which number decides", self.texts(&vague).join(" "));
            return self.refuse(Reason::Ambiguous, &message, &vague);
        }
        match failure {
            Some(why) => {
                let lead = if why.reason == Reason::Ambiguous { "it is not clear" } else { "it cannot be computed" };
                self.refuse(why.reason, &format!("{lead}: {}", why.message), &[])
            }
            None => {
                let unranked = question.positions(|at| self.ranks_by_nothing(at));
                let message = match &unranked[..] {
                    [] => "the words are known, but what they ask for together is not".to_string(),
                    words => format!("no number of the data says what is {}", self.quoted(words)),
                };
                self.refuse(Reason::Unsupported, &message, &unranked)
            }
        }
    }

    /// What a word asks for that nothing is computed for.
    fn is_beyond(&self, at: usize) -> String {
        let Token { fold, text, .. } = &self.question.tokens[at];
        match BEYOND.iter().find(|(words, _)| words.contains(&fold.as_str())) {
            Some((_, what)) => format!("{what} are not in the data"),
            None => format!("what `{text}` asks for is not computed here"),
        }
    }

    /// "Happiest" where no number says how happy somebody is.
    fn ranks_by_nothing(&self, at: usize) -> bool {
        let called = |words: &Vec<String>| !self.index.numbers_called(words).0.is_empty();
        let nothing = |mention: &Mention| match &mention.what {
            What::Adjective(adjective) => {
                adjective.date.is_none() && !adjective.numbers.iter().any(|(_, words)| called(words))
            }
            _ => false,
        };
        let mut covering = self.question.mentions.covering(at).peekable();
        covering.peek().is_some() && covering.all(nothing)
    }

    fn refuse(&self, reason: Reason, message: &str, words: &[usize]) -> Outcome {
        Outcome::Refusal(Refusal { words: self.texts(words), ..Refusal::new(reason, message) })
    }

    fn texts(&self, words: &[usize]) -> Vec<String> {
        words.iter().map(|at| self.question.tokens[*at].text.clone()).collect()
    }

    fn quoted(&self, words: &[usize]) -> String {
        self.texts(words).iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
    }

    fn name_nothing(&self, unknown: &[usize]) -> String {
        let list = self.quoted(unknown);
        format!("{list} {} nothing in the data", if unknown.len() == 1 { "names" } else { "name" })
    }

    /// The words to blame: those that nothing is known of, or else verbs that only link.
    fn unknown(&self) -> Vec<usize> {
        let idle: Vec<usize> = readings::idle_spans(self.index, &self.question.tokens).into_iter().flatten().collect();
        let blamed =
            self.question.unknown().into_iter().filter(|at| !idle.contains(at) && !self.is_of_the_language(*at));
        let blamed: Vec<usize> = blamed.collect();
        // What a guess does not help is as unknown as before.
        let unguessed: Vec<usize> = blamed.iter().copied().filter(|at| !self.guessed.contains(at)).collect();
        if !unguessed.is_empty() {
            return unguessed;
        }
        if !blamed.is_empty() {
            return blamed;
        }
        let links = |role: &Role| matches!(role, Role::Link | Role::Created);
        self.question.positions(|at| self.question.is_only(at, links))
    }

    /// Whether some question has a use for the word, though this one has none.
    fn is_of_the_language(&self, at: usize) -> bool {
        let (index, question) = (self.index, self.question);
        let token = &question.tokens[at];
        let timed =
            !index.intervals.is_empty() && matches!(token.singular.as_str(), "length" | "duration" | "stay" | "time");
        // "New tickets per week" are placed by when they came to be.
        let rows = |next: &Mention| matches!(next.what, What::Thing(_));
        let fresh =
            self.names_a_period() && question.word(at) == "new" && question.mentions.at(at + 1).iter().any(rows);
        index.lexicon.unit(&token.fold).is_some()
            || self.passed[at] && question.mentions.covering(at).next().is_none()
            || index.lexicon.is_grammar(question.word(at))
            || timed
            || fresh
            || self.is_extent(at)
            || self.compares(at)
            || self.is_weather(at)
            || spelling::meant(index, token).is_some()
    }

    /// "How tall" is known where a column is a height.
    fn is_extent(&self, at: usize) -> bool {
        let said = |words: &[&str]| self.index.columns().any(|id| self.index.facts(id).has_any(words));
        let how = at > 0 && self.question.word(at - 1) == "how";
        how && self.index.lexicon.extent(self.question.word(at)).is_some_and(said)
    }

    fn compares(&self, at: usize) -> bool {
        self.index.lexicon.comparative(&format!("{} than", self.question.word(at))).is_some()
    }

    /// "Is it warmer", "when was it coldest".
    fn is_weather(&self, at: usize) -> bool {
        let lexicon = self.index.lexicon;
        let word = |at: usize| self.question.word(at);
        let graded = self.compares(at + 1) || lexicon.adjective(word(at + 1)).is_some();
        let goes_on = word(at) == "it" && matches!(word(at + 1), "is" | "was" | "gets" | "got");
        let when = at > 0 && matches!(word(at - 1), "when" | "while" | "whenever" | "if");
        let how = at > 1 && lexicon.extent(word(at - 2)).is_some();
        (word(at) == "it" && at > 0 && matches!(word(at - 1), "is" | "was") && (graded || how))
            || when && (goes_on || word(at) == "it's")
    }

    fn names_a_period(&self) -> bool {
        let period = |mention: &Mention| matches!(mention.what, What::Role(Role::Grain(_) | Role::Part(_)));
        (0..self.question.tokens.len()).any(|at| self.question.mentions.at(at).iter().any(period))
    }

    /// Whether the token can be the verb of a request: first, or after "and", "then", "please", "to".
    fn is_imperative(&self, at: usize) -> bool {
        let opens = |word: &str| matches!(word, "and" | "then" | "please" | "to" | "you" | "," | "us" | "me");
        at == 0 || opens(&self.question.tokens[at - 1].fold)
    }
}
