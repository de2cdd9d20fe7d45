//! Conditions on texts that hold several things in one cell, where the words say that one of them is asked for.
//!
//! What is searched for need not be a cell itself, so only quoted texts and names in capitals are taken.

use super::filters::add;
use super::{Parser, Steps, features};
use crate::draft::{Columns, Condition, Draft};
use crate::lexicon::Role;
use crate::mentions::{Mention, What};
use crate::tokens::{self, Kind};

/// How many words are searched for at most.
const WORDS_MAX: usize = 4;

/// `Florida among the areas affected`.
pub fn among(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let end = name_end(parser, at);
    if end == at || parser.role(end, Role::Among).is_none() || draft.is_open() {
        return;
    }
    for mention in parser.mentions.at(parser.skip_determiners(end + 1)) {
        if let Some(columns) = texts(parser, mention) {
            let condition = Condition::Contains { columns, text: phrase(parser, at, end) };
            steps.push((mention.end, add(draft, condition, &features(mention))));
        }
    }
}

/// `whose areas affected include Florida`.
pub fn including(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    if draft.is_open() {
        return;
    }
    for mention in parser.mentions.at(at) {
        let Some(columns) = texts(parser, mention) else { continue };
        let verb = parser.word(mention.end);
        if !matches!(verb, "include" | "includes" | "included" | "contain" | "contains" | "containing" | "including") {
            continue;
        }
        let start = parser.skip_determiners(mention.end + 1);
        let end = name_end(parser, start);
        if end > start {
            let condition = Condition::Contains { columns, text: phrase(parser, start, end) };
            steps.push((end, add(draft, condition, &features(mention))));
        }
    }
}

fn texts(parser: &Parser, mention: &Mention) -> Option<Columns> {
    let What::Columns(columns) = &mention.what else { return None };
    let text = columns.iter().all(|id| parser.index.column(*id).ty == base::Type::Text);
    text.then(|| columns.clone())
}

/// The token after a quoted text or a run of capitalised words.
fn name_end(parser: &Parser, at: usize) -> usize {
    let token = |i: usize| parser.tokens.get(i);
    if token(at).is_some_and(|token| token.kind == Kind::Quoted) {
        return at + 1;
    }
    let named = |i: &usize| {
        let capital = |text: &str| text.starts_with(char::is_uppercase);
        token(*i).is_some_and(|token| token.kind == Kind::Word && capital(&token.text))
    };
    at + (at..at + WORDS_MAX).take_while(named).count()
}

fn phrase(parser: &Parser, start: usize, end: usize) -> String {
    tokens::written(&parser.tokens[start..end])
}
