//! What is asked for where a word stands: a number, a group, things to count, or anything.

use std::ops::Range;

use super::made::{is_amount, is_category};
use super::slip;
use crate::decide::Question;
use crate::index::{ColId, Index, Sense};
use crate::lexicon::{Ask, Glue, Role};
use crate::mentions::What;
use crate::tokens::{Kind, written};

/// What a name at a place has to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    Number,
    Group,
    Thing,
    Other,
}

impl Slot {
    /// What words stand for from one token up to another.
    pub fn of(question: &Question, start: usize, end: usize) -> Slot {
        let ranks = |at: usize| has(question, at, |role| matches!(role, Role::Top(_) | Role::Sort | Role::Vague));
        match before(question, start) {
            Before::Role(Role::GroupBy) if (0..start).any(ranks) => Slot::Number,
            Before::Role(Role::GroupBy | Role::GroupPer | Role::Each) => Slot::Group,
            Before::Role(Role::Count | Role::Ask(Ask::Which | Ask::List)) => Slot::Thing,
            Before::Role(
                Role::Agg(_)
                | Role::Extreme(_)
                | Role::Amount(_)
                | Role::Much
                | Role::Sort
                | Role::Series(_)
                | Role::Percentile,
            ) => Slot::Number,
            Before::Nothing if is_told_of(question, end) => Slot::Number,
            Before::Nothing | Before::Other if is_compared(question, end) => Slot::Number,
            _ => Slot::Other,
        }
    }

    /// Whether a name can stand there.
    pub fn fits(self, index: &Index, sense: Sense) -> bool {
        match (self, sense) {
            (Slot::Number, Sense::Column(id)) => index.column(id).ty.is_number(),
            (Slot::Number, Sense::Measure(_)) | (Slot::Number | Slot::Thing, Sense::Thing(_)) => true,
            // The rows of the only table are no groups of it.
            (Slot::Group, Sense::Thing(id)) => index.dataset.tables.len() > 1 || index.things[id].table.is_none(),
            (Slot::Group, Sense::Column(id)) => !is_amount(index, id) || is_category(index, id),
            (Slot::Thing, Sense::Column(id)) => !is_amount(index, id),
            (Slot::Other, _) => true,
            _ => false,
        }
    }
}

/// The words that stand where a number is asked for and are like no name, where the dataset has numbers.
pub fn number_asked_for(index: &Index, question: &Question, unknown: &[usize]) -> Option<String> {
    let has_numbers = index.columns().any(|id: ColId| is_amount(index, id));
    let is_number = |run: &Range<usize>| {
        let tokens = &question.tokens[run.clone()];
        let is_named = || {
            tokens.iter().any(|token| !slip::meant(index, token, Slot::Other).is_empty())
                || !slip::related(index, tokens, Slot::Number).is_empty()
        };
        let is_word = tokens.iter().all(|token| token.kind == Kind::Word);
        // "SLA compliance" is one number, whatever "SLA" is.
        let start = (0..run.start).rev().take_while(|at| question.mentions.is_data(*at)).last().unwrap_or(run.start);
        is_word && Slot::of(question, start, run.end) == Slot::Number && !is_named()
    };
    let run = runs(question, unknown).into_iter().find(is_number).filter(|_| has_numbers)?;
    Some(written(&question.tokens[run]))
}

/// Unknown words that stand side by side, with a word after them that says no more than that they are a number.
pub fn runs(question: &Question, unknown: &[usize]) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for &at in unknown {
        let mut end = at + 1;
        let says_little = |role: &Role| matches!(role, Role::Rate | Role::Measured | Role::Glue(Glue::Noun));
        while has(question, end, says_little) && !question.mentions.is_data(end) {
            end += 1;
        }
        match runs.last_mut().filter(|run| run.end >= at) {
            Some(run) => run.end = run.end.max(end),
            None => runs.push(at..end),
        }
    }
    runs
}

/// What decides what a word is, left of it.
enum Before {
    /// The last word that is more than a joint.
    Role(Role),
    /// Only words that ask.
    Nothing,
    /// Something of the data, or an unknown word.
    Other,
}

fn before(question: &Question, start: usize) -> Before {
    let mut end = start;
    while end > 0 {
        let ending = |at: usize| question.mentions.at(at).iter().filter(move |mention| mention.end == end);
        let role = |what: &What| if let What::Role(role) = what { Some(*role) } else { None };
        let roles: Vec<(usize, Role)> =
            (0..end).flat_map(|at| ending(at).filter_map(move |mention| Some((at, role(&mention.what)?)))).collect();
        let says = |role: &Role| !matches!(role, Role::Glue(_) | Role::Ask(Ask::What) | Role::Rows);
        match roles.iter().find(|(_, role)| says(role)) {
            _ if question.mentions.is_data(end - 1) => return Before::Other,
            Some((_, role)) => return Before::Role(*role),
            None => match roles.iter().map(|(at, _)| *at).min() {
                Some(at) => end = at,
                None => return Before::Other,
            },
        }
    }
    Before::Nothing
}

/// Whether a comparison with a number follows.
fn is_compared(question: &Question, end: usize) -> bool {
    let compares = |what: &What| matches!(what, What::Role(Role::Compare(_) | Role::Between));
    let numbered = |at: usize| question.tokens.get(at).is_some_and(|token| token.number().is_some());
    let start = if has(question, end, |role| matches!(role, Role::Glue(Glue::Be))) { end + 1 } else { end };
    question.mentions.at(start).iter().any(|mention| compares(&mention.what) && numbered(mention.end))
}

/// Whether words that opened the question are what is told: by something, of something, or alone.
fn is_told_of(question: &Question, end: usize) -> bool {
    let joins = |role: &Role| matches!(role, Role::GroupBy | Role::GroupPer | Role::OverTime);
    end == question.tokens.len() || question.word(end) == "of" || has(question, end, joins)
}

/// Whether a token begins a role of some kind.
pub fn has(question: &Question, at: usize, wanted: impl Fn(&Role) -> bool) -> bool {
    question.mentions.at(at).iter().any(|mention| matches!(&mention.what, What::Role(role) if wanted(role)))
}
