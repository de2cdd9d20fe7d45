//! What came back to where it began: `returned to the same station they started from`.

use data::plan::Test;

use super::super::filters::add;
use super::super::pairs::ends_of;
use super::super::{Parser, Steps};
use crate::draft::{Condition, Draft};

/// Verbs of coming to an end, which may come back.
const ENDED: &[&[&str]] = &[
    &["brought", "back"],
    &["taken", "back"],
    &["given", "back"],
    &["handed", "back"],
    &["came", "back"],
    &["come", "back"],
    &["comes", "back"],
    &["go", "back"],
    &["goes", "back"],
    &["went", "back"],
    &["dropped", "off"],
    &["returned"],
    &["return"],
    &["returns"],
    &["ended"],
    &["end"],
    &["ends"],
    &["finished"],
    &["finish"],
    &["finishes"],
];

/// Verbs of how it began.
const BEGAN: &[&[&str]] = &[
    &["picked", "up"],
    &["set", "off"],
    &["started"],
    &["start"],
    &["began"],
    &["begin"],
    &["left"],
    &["taken"],
    &["took"],
    &["departed"],
    &["borrowed"],
    &["rented"],
    &["came"],
];

/// `brought back to the same station they were taken from`: the columns of both ends hold the same.
pub fn same_place(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let Some(after) = parser.after_phrase(at, ENDED).filter(|_| !draft.heads.is_empty() && !draft.is_open()) else {
        return;
    };
    let place = after + usize::from(matches!(parser.word(after), "to" | "at" | "in"));
    let same = parser.word(place + 1) == "same";
    let noun = place + 1 + usize::from(same);
    if parser.word(place) != "the" {
        return;
    }
    let Some((left, right)) = ends_of(parser, noun) else { return };
    let passed = |word: &str| {
        matches!(
            word,
            "as" | "that" | "where" | "they" | "it" | "which" | "from" | "at" | "was" | "were" | "had" | "been" | "we"
        )
    };
    let start = (noun + 1..parser.tokens.len()).find(|next| !passed(parser.word(*next))).unwrap_or(noun + 1);
    let Some(end) = parser.after_phrase(start, BEGAN) else { return };
    let mut next = add(draft, Condition::Columns { left, test: Test::Eq, right }, &[]);
    next.assume("same_place", "what came back to where it began has the same at both ends");
    steps.push((end + usize::from(matches!(parser.word(end), "from" | "at" | "in")), next));
}
