//! How the answer is to be drawn: words that choose no rows and no numbers, only their picture.

use data::chart::Wish;

use super::joins::names_data;
use super::{Parser, Steps};
use crate::draft::{Draft, Target};
use crate::lexicon::{Glue, Role};

/// `plot`, `as a bar chart`, `make me a histogram of`.
pub fn chart(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let opens = matches!(
        parser.word(at),
        "make"
            | "create"
            | "build"
            | "produce"
            | "generate"
            | "show"
            | "display"
            | "give"
            | "as"
            | "in"
            | "with"
            | "using"
    );
    let passed = |glue| matches!(glue, Glue::Determiner | Glue::Other);
    let start = if opens { parser.skip(at + 1, passed) } else { at };
    for (end, role) in parser.roles(start) {
        let Role::Chart(wish) = role else { continue };
        if names_data(parser, start) || is_counted(parser, at) {
            continue;
        }
        let introduces = matches!(parser.word(end), "showing" | "comparing" | "illustrating" | "representing");
        let end = if introduces { end + 1 } else { end };
        steps.push((end, Draft { chart: Some(wish.beside(draft.chart)), ..draft.clone() }));
    }
}

/// `how many plots`, `number of different charts`: what is counted is no picture of the answer.
fn is_counted(parser: &Parser, at: usize) -> bool {
    let before = |back: usize| at.checked_sub(back).map_or("", |at| parser.word(at));
    matches!(before(1), "many" | "different" | "distinct" | "unique")
        || before(1) == "of" && matches!(before(2), "number" | "count")
}

/// `plot price against weight`: both numbers of every row; the first is measured upwards.
pub fn against(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let Some(end) = parser.role(at, Role::Versus) else { return };
    let dotted = matches!(draft.chart, Some(Wish::Any | Wish::Scatter));
    let [head] = &draft.heads[..] else { return };
    if dotted && head.agg.is_none() && matches!(head.target, Target::Columns(_)) {
        steps.push((end, Draft { chart: Some(Wish::Against), joined: true, ..draft.clone() }));
    }
}

/// `trend of revenue`, `monthly revenue trend`.
pub fn trend(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    if let Some(end) = parser.role(at, Role::Trend)
        && !names_data(parser, at)
    {
        steps.push((end, draft.with(|next| next.trend = true)));
    }
}
