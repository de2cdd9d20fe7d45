//! What is said beside a refusal: what its words were understood as, and questions nearby that work.
//!
//! A question nearby is the same one with what was not understood put right, replaced or left out; only where that gives
//! none, it is one that is declared or made of names and shares something of the data with what was asked. Each one is
//! planned before it is offered, and its plan has to read every column that its words were made from: that there is an
//! answer does not say that it is one to these words.

mod changed;
mod made;
mod slip;
mod slot;

use self::changed::Changed;
use crate::decide::{Question, SEVERAL_WAYS, decide};
use crate::index::Index;
use crate::lexicon::Role;
use crate::tokens;
use crate::understood::{self, Part};
use crate::{Outcome, Reason, Refusal, plan_with, spelling};

/// How many questions are offered.
const SUGGESTIONS_MAX: usize = 3;
/// How many candidates are planned at most.
const ATTEMPTS_MAX: usize = 16;

/// The refusal with what was understood and with questions that are near and can be answered.
pub fn with_suggestions(index: &Index, text: &str, refusal: Refusal) -> Refusal {
    let Ok(question) = Question::new(index, text) else {
        let suggestions = first_questions(index).into_iter().take(SUGGESTIONS_MAX).collect();
        return Refusal { suggestions, ..refusal };
    };
    let unknown = unknown(index, &question, &refusal);
    let spans = understood::spans(index, &question, &unknown);
    // Readings are listed already.
    if refusal.message == SEVERAL_WAYS && !refusal.others.is_empty() {
        return Refusal { understood: understood::told(&question, &spans), ..refusal };
    }
    // Without the words for what is not in the data another question would be left.
    let beyond = |at: &usize| {
        let asks = question.is_only(*at, |role| matches!(role, Role::Unsupported | Role::Write));
        asks && !question.is_said_of_the_greatest(*at)
    };
    let is_beyond = refusal.reason != Reason::UnknownWord && unknown.iter().any(beyond);
    let Changed { questions, aggregated, meant } = changed::changed(index, text, &question, &unknown, &spans);
    let mut suggestions = if is_beyond { Vec::new() } else { offered(index, text, questions) };
    if suggestions.is_empty() && !is_beyond {
        suggestions = offered(index, text, aggregated);
    }
    let parts: Vec<Part> = spans.iter().flat_map(|span| span.part.iter().cloned()).chain(meant).collect();
    if suggestions.is_empty() && !parts.is_empty() {
        suggestions = offered(index, text, about(index, text, &question, &parts));
    }
    if suggestions.is_empty() && parts.is_empty() {
        suggestions = first_of(index, asks_for_a_number(&question));
        suggestions.truncate(SUGGESTIONS_MAX);
    }
    let names_nothing = matches!(refusal.reason, Reason::UnknownWord | Reason::NotAboutData);
    let number = slot::number_asked_for(index, &question, &unknown).filter(|_| names_nothing);
    let understood = understood::told(&question, &spans);
    Refusal { suggestions, understood, number, ..refusal }
}

/// The words that a refusal is about, and slips in words of the language.
fn unknown(index: &Index, question: &Question, refusal: &Refusal) -> Vec<usize> {
    let blamed = |at: &usize| refusal.words.contains(&question.tokens[*at].text);
    let is_slip = |at: &usize| spelling::meant(index, &question.tokens[*at]).is_some();
    let unknown = question.unknown();
    // What may stand for any row is known where anything else is.
    let is_row = |at: &usize| index.row_words.words.contains(&question.tokens[*at].singular.as_str());
    let is_unknown = |at: &usize| !is_row(at) && (blamed(at) || unknown.contains(at) && is_slip(at));
    (0..question.tokens.len()).filter(is_unknown).collect()
}

/// A question that may be offered.
#[derive(Clone, Debug)]
pub struct Near {
    question: String,
    /// What its plan has to read: of each one of these.
    parts: Vec<Vec<Part>>,
}

/// The first of some candidates that are answered as they were meant.
fn offered(index: &Index, asked: &str, candidates: Vec<Near>) -> Vec<String> {
    let mut offered: Vec<String> = Vec::new();
    for candidate in candidates.into_iter().take(ATTEMPTS_MAX) {
        let is_new = candidate.question != asked && !offered.contains(&candidate.question);
        if is_new && is_read_as_meant(index, &candidate) {
            offered.push(candidate.question);
        }
        if offered.len() == SUGGESTIONS_MAX {
            break;
        }
    }
    offered
}

/// Whether a question is answered by a plan that reads all it was made from, and none of its words had to be guessed.
fn is_read_as_meant(index: &Index, candidate: &Near) -> bool {
    let Outcome::Answer(answer) = plan_with(index, &candidate.question) else { return false };
    let plan = &answer.reading.plan;
    let guessed = |code: &str| matches!(code, "guessed_name" | "spelling" | "lookup");
    !answer.reading.assumptions.iter().any(|assumption| guessed(&assumption.code))
        && candidate.parts.iter().all(|parts| parts.iter().any(|part| part.is_read(index, plan)))
}

/// Questions to begin with: those that the owner declared, else some that are made of the names and can be answered.
pub fn first_questions(index: &Index) -> Vec<String> {
    first_of(index, false)
}

/// The same, or those first that tell of numbers for each group.
fn first_of(index: &Index, numbers: bool) -> Vec<String> {
    if !index.dataset.questions.is_empty() {
        return index.dataset.questions.clone();
    }
    let mut candidates: Vec<&Near> = index.candidates.iter().collect();
    candidates.sort_by_key(|near| std::cmp::Reverse(if numbers { near.parts.len() } else { 0 }));
    let answered = candidates.into_iter().take(ATTEMPTS_MAX).filter(|near| {
        let Outcome::Answer(answer) = decide(index, &near.question) else { return false };
        near.parts.iter().flatten().all(|part| part.is_read(index, &answer.reading.plan))
    });
    answered.take(SUGGESTIONS_MAX).map(|near| near.question.clone()).collect()
}

fn asks_for_a_number(question: &Question) -> bool {
    let asks = |role: &Role| matches!(role, Role::Agg(_) | Role::Extreme(_) | Role::Amount(_) | Role::Much);
    (0..question.tokens.len()).any(|at| slot::has(question, at, asks))
}

/// The declared questions, then questions made from the schema.
pub fn candidates(index: &Index) -> Vec<Near> {
    let declared = index.dataset.questions.iter();
    let declared = declared.map(|question| Near { question: question.clone(), parts: Vec::new() });
    declared.chain(made::made(index)).collect()
}

/// Questions about what was understood: those that the owner declared, then those made of the names.
fn about(index: &Index, text: &str, question: &Question, parts: &[Part]) -> Vec<Near> {
    let asked = stems(index, text);
    let shared = |question: &String| stems(index, question).iter().filter(|stem| asked.contains(stem)).count();
    let mut declared: Vec<&String> = index.dataset.questions.iter().filter(|question| shared(question) > 0).collect();
    declared.sort_by_key(|question| std::cmp::Reverse(shared(question)));
    let declared =
        declared.into_iter().map(|question| Near { question: question.clone(), parts: vec![parts.to_vec()] });
    let asks = |at: &usize| slot::has(question, *at, |role| matches!(role, Role::Agg(_) | Role::Extreme(_)));
    let asked_with = (0..question.tokens.len()).find(asks).map_or(made::AVERAGE, |at| &question.tokens[at].fold);
    let relates = |word: &&str| RELATING.iter().any(|start| word.starts_with(start));
    let relates = question.tokens.iter().map(|token| token.fold.as_str()).any(|word| relates(&word));
    let times = |role: &Role| matches!(role, Role::OverTime | Role::Trend | Role::Changed | Role::Series(_));
    let along_time = (0..question.tokens.len()).any(|at| slot::has(question, at, times));
    let counts_rows = (0..question.tokens.len()).any(|at| slot::has(question, at, |role| *role == Role::Count));
    let manner = made::Manner { asked_with, relates, along_time, counts_rows };
    declared.chain(made::about(index, parts, &manner)).collect()
}

/// How words begin that ask how two numbers go together.
const RELATING: &[&str] = &[
    "correlat", "relat", "depend", "affect", "influenc", "impact", "regress", "associat", "higher", "lower", "between",
];

fn stems(index: &Index, text: &str) -> Vec<String> {
    tokens::tokenize(text, index.forms).into_iter().map(|token| token.stem).filter(|stem| stem.len() > 3).collect()
}
