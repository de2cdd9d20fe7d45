//! Readings by what the words can stand for, for questions that no production reads from left to right.
//!
//! ```text
//! question --steps, a phrase at a time--> frame (what is asked for, of which rows, by what) --finished--> draft
//! ```
//! The grammar asks of every phrase that it stands where a rule expects it. A frame only asks what it can be: a number that an
//! aggregate waits for, a kind that rows are told apart by, a condition, a number to compare with. So there are few steps and
//! they may come in any order, and what the parts mean together is a guess: such a reading is never called verified, two that
//! differ compete, and a word that is part of nothing ends it. Nothing is passed that could choose rows.

mod asides;
mod conditions;
mod frame;
mod groups;
mod named;
mod numbers;
mod passes;
mod sides;
mod steps;

use super::Parser;
use crate::draft::Draft;
use crate::mentions::What;

use frame::Frame;

/// How many frames are kept for each position.
const BEAM: usize = 24;

/// The drafts that account for the whole question, cheapest first.
pub fn drafts(parser: &Parser) -> Vec<Draft> {
    let length = parser.tokens.len();
    if (0..length).any(|at| depends_on_order(parser, at)) || waits_longest(parser) {
        return Vec::new();
    }
    let mut agenda: Vec<Vec<Frame>> = vec![Vec::new(); length + 1];
    agenda[0].push(Frame::default());
    for at in 0..length {
        let frames = cheapest(std::mem::take(&mut agenda[at]));
        for frame in &frames {
            for (end, next) in steps::from(parser, at, frame) {
                match agenda[end].iter_mut().find(|known| **known == next) {
                    Some(known) if next.draft.cost() < known.draft.cost() => *known = next,
                    Some(_) => {}
                    None => agenda[end].push(next),
                }
            }
        }
    }
    let ended = cheapest(std::mem::take(&mut agenda[length]));
    let mut found = Vec::new();
    for frame in ended {
        if let Some(draft) = frame.clone().finished(parser)
            && !found.contains(&draft)
        {
            found.push(draft);
        }
    }
    super::cheapest(found)
}

fn cheapest(mut frames: Vec<Frame>) -> Vec<Frame> {
    frames.sort_by_cached_key(|frame| frame.draft.cost().to_bits());
    frames.truncate(BEAM);
    frames
}

/// Whether a word says of what stands beside it how it is meant, so that nothing may be put elsewhere: "booked only at",
/// "visited every doctor", "the change from 2023 to 2024".
fn depends_on_order(parser: &Parser, at: usize) -> bool {
    const WORDS: &[&str] =
        &["only", "change", "changed", "difference", "except", "neither", "nor", "always", "exclusively", "unless"];
    let word = parser.word(at);
    let in_a_period = || parser.mentions.covering(at).any(|mention| matches!(mention.what, What::When(_)));
    let each = word == "every" && !matches!(parser.before(at), "" | "for" | "in" | "per" | "of" | "at" | "on" | "by");
    let first_or_last = matches!(word, "last" | "first") && !in_a_period();
    let counted = word == "only" && matches!(parser.word(at + 1), "for" | "where" | "those" | "counting");
    WORDS.contains(&word) && !counted || each && !in_a_period() || first_or_last
}

/// Whether what has not ended is ranked by how long it took.
fn waits_longest(parser: &Parser) -> bool {
    let said = |words: &[&str]| (0..parser.tokens.len()).any(|at| words.contains(&parser.word(at)));
    said(&["open", "unresolved", "pending", "ongoing", "outstanding"]) && said(&["longest", "shortest"])
}
