//! English questions over a dataset become readings with plans, or an honest refusal.
//!
//! ```text
//! question --tokens--> words --mentions--> what each may stand for --readings--> drafts --build--> plans --decide--> outcome
//! ```
//! Rules generate readings, costs order them, and hard rules come first: every word, number and negation is consumed by
//! the production that gives it a meaning, or is listed in the lexicon as one that says nothing. A question is read
//! strictly; where that fails, leniently, with its spelling mended, with unknown words guessed, by the learned ranker
//! ([`lookup`]), and last of all by what its parts can be, in any order. What any of these took for granted is said, and
//! keeps the answer from being called verified. Pure: no clock, no IO; "today" is the last day in the date column used.

mod about;
mod build;
mod decide;
mod draft;
mod follow;
mod guess;
mod index;
mod lexicon;
pub mod lookup;
mod mentions;
mod names;
mod period;
mod readings;
mod schema;
mod score;
mod spelling;
mod suggest;
mod tokens;
mod touch;
mod values;
mod words;

use data::chart::Wish;
use data::plan::Plan;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use about::{About, about};
pub use decide::doubts;
pub use follow::{Previous, plan_after};
pub use index::Index;
pub use lookup::Weights;
pub use suggest::{first_questions, with_suggestions};
pub use touch::touches;

/// What became of a question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// One reading is clearly the best.
    Answer(Answer),
    /// No reading can be trusted.
    Refusal(Refusal),
}

/// The reading to compute, and what else the question could have meant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// The best reading.
    pub reading: Reading,
    /// Between 0 and 1.
    pub confidence: f64,
    /// Other readings with another plan, best first.
    pub others: Vec<Reading>,
}

/// One way to understand a question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reading {
    /// What to compute.
    pub plan: Plan,
    /// The output columns that answer the question; the others are context.
    pub focus: Vec<String>,
    /// What was taken for granted.
    pub assumptions: Vec<Assumption>,
    /// Whether a careful person could read the words another way, so that the answer must not be called verified.
    pub ambiguous: bool,
    /// How the answer is to be drawn, if the words say so.
    #[serde(default)]
    pub chart: Option<Wish>,
    /// Log of the odds it is compared by; 0 is perfect, lower is worse.
    pub score: f64,
}

impl Reading {
    /// How likely it is right, on the scale of [`Answer::confidence`].
    pub fn confidence(&self) -> f64 {
        score::confidence(-self.score)
    }
}

/// Something taken for granted, for people to check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Assumption {
    /// Such as `time_anchor`.
    pub code: String,
    /// In people's words.
    pub text: String,
}

/// Why a question is not answered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Refusal {
    /// The class of the refusal.
    pub reason: Reason,
    /// In people's words, lower case, no period.
    pub message: String,
    /// The words of the question it is about.
    pub words: Vec<String>,
    /// Near questions that this planner does answer.
    pub suggestions: Vec<String>,
    /// The best reading there was, if any.
    pub best: Option<Reading>,
    /// How likely that reading is right, on the scale of [`Answer::confidence`]; 0 where there is none.
    #[serde(default)]
    pub best_confidence: f64,
    /// What comes after the best reading, best first.
    #[serde(default)]
    pub others: Vec<Reading>,
}

impl Refusal {
    /// A refusal with nothing beside it.
    pub fn new(reason: Reason, message: impl Into<String>) -> Refusal {
        Refusal {
            reason,
            message: message.into(),
            words: Vec::new(),
            suggestions: Vec::new(),
            best: None,
            best_confidence: 0.0,
            others: Vec::new(),
        }
    }

    /// Whether no reading was found, and nothing is asked for that is never done.
    fn is_unread(&self) -> bool {
        let may_be_read = !matches!(
            self.reason,
            Reason::WriteRequested | Reason::LowConfidence | Reason::Disagreement | Reason::Limit
        );
        may_be_read && self.best.is_none()
    }
}

/// The classes of refusals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// A word names nothing in the data.
    UnknownWord,
    /// Two readings are about as good, or a word leaves open what is meant.
    Ambiguous,
    /// The words are known, what they ask for together cannot be computed here.
    Unsupported,
    /// Nothing of the dataset is mentioned.
    NotAboutData,
    /// The dataset has nothing to answer from.
    NoData,
    /// The question asks to change something.
    WriteRequested,
    /// The best reading is too uncertain.
    LowConfidence,
    /// Two ways of computing disagree; decided after execution, never here.
    Disagreement,
    /// The question is too long.
    Limit,
}

impl Reason {
    /// The word in the machine interface.
    pub fn as_str(self) -> &'static str {
        match self {
            Reason::UnknownWord => "unknown_word",
            Reason::Ambiguous => "ambiguous",
            Reason::Unsupported => "unsupported",
            Reason::NotAboutData => "not_about_data",
            Reason::NoData => "no_data",
            Reason::WriteRequested => "write_requested",
            Reason::LowConfidence => "low_confidence",
            Reason::Disagreement => "disagreement",
            Reason::Limit => "limit",
        }
    }
}

/// The chart that a question's words ask for, whatever data it is about.
pub fn chart_wish(question: &str) -> Option<Wish> {
    let lower = question.to_lowercase();
    let letters = |letter: char| !letter.is_alphanumeric();
    let words: Vec<&str> = lower.split(letters).filter(|word| !word.is_empty()).collect();
    lexicon::Lexicon::built_in().chart_wish(&words)
}

/// Reads the words of the language, which the first index made in a process otherwise has to wait for.
pub fn read_lexicon() {
    lexicon::Lexicon::built_in();
}

/// Plans one question with a ready index. A refusal has no suggestions yet: finding them takes as long as planning, so
/// whoever shows them asks for them, by [`with_suggestions`].
pub fn plan_with(index: &Index, question: &str) -> Outcome {
    plan_by(index, Weights::built_in, question)
}

/// Plans one question with a ready index, ordering what the grammar does not read by these weights.
pub fn plan_weighted(index: &Index, weights: &Weights, question: &str) -> Outcome {
    plan_by(index, || weights, question)
}

/// Weights are only read where the ranker is asked.
fn plan_by<'w>(index: &Index, weights: impl Fn() -> &'w Weights, question: &str) -> Outcome {
    let words = match decide::Question::new(index, question) {
        Ok(words) => words,
        Err(refusal) => return Outcome::Refusal(*refusal),
    };
    let outcome = match decide::decide_in_order(index, &words) {
        Outcome::Refusal(refusal) => {
            let unread = refusal.is_unread();
            match lookup::instead(index, &weights, question, refusal) {
                Outcome::Refusal(refusal) if unread => decide::decide_in_any_order(index, &words, refusal),
                outcome => outcome,
            }
        }
        Outcome::Answer(answer) => lookup::beside(index, &weights, question, answer),
    };
    decide::checked(index, outcome)
}
