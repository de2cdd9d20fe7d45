//! Readings whose parts may stand in any order, for questions that no production reads from left to right.
//!
//! ```text
//! question --seeds--> what is asked for, wherever it stands --parts of all other words--> draft
//! ```
//! A seed is what is asked for (a count, a number, a list, a ranking, a share) together with the words that say it. Every
//! other phrase is read by the productions of the grammar as if it came after the seed, and adds its part no matter what
//! stands around it. Nothing is skipped that could choose rows: each word is part of the seed, of a condition, of a group
//! or a joining word, and numbers and negations are read with their neighbours or not at all. That the parts belong
//! together is a guess, so such a reading is never called verified, and two that differ compete.

mod parts;
mod seeds;

use std::ops::Range;

use super::{Parser, cheapest};
use crate::draft::{Draft, Zone};
use crate::lexicon::{Glue, Role};
use crate::mentions::What;

/// How many seeds of one question are looked at.
const SEEDS_MAX: usize = 24;

/// What is asked for, and the words that say it.
pub struct Seed {
    pub draft: Draft,
    /// In the order of the question, without overlap.
    pub taken: Vec<Range<usize>>,
}

impl Seed {
    /// The token after the seed's words, where one of its phrases starts at a position.
    fn end_at(&self, at: usize) -> Option<usize> {
        self.taken.iter().find(|range| range.start == at).map(|range| range.end)
    }

    /// Whether a span holds none of the seed's words.
    fn is_free(&self, span: Range<usize>) -> bool {
        self.taken.iter().all(|range| range.end <= span.start || span.end <= range.start)
    }

    /// Where the last of its words ends.
    fn end(&self) -> usize {
        self.taken.last().map_or(0, |range| range.end)
    }
}

/// The drafts that account for the whole question in any order, cheapest first.
pub fn drafts(parser: &Parser) -> Vec<Draft> {
    if (0..parser.tokens.len()).any(|at| depends_on_order(parser, at)) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for seed in seeds::all(parser).into_iter().take(SEEDS_MAX) {
        found.extend(completed(parser, &seed));
    }
    cheapest(found)
}

/// Whether a word says of what stands beside it how it is meant, so that nothing may be put elsewhere: "booked only at",
/// "visited every doctor", "the change from 2023 to 2024".
fn depends_on_order(parser: &Parser, at: usize) -> bool {
    const WORDS: &[&str] = &[
        "never",
        "only",
        "change",
        "changed",
        "difference",
        "except",
        "neither",
        "nor",
        "always",
        "exclusively",
        "unless",
    ];
    let word = parser.word(at);
    let in_a_period = || parser.mentions.covering(at).any(|mention| matches!(mention.what, What::When(_)));
    let each = word == "every" && !matches!(parser.before(at), "" | "for" | "in" | "per" | "of" | "at" | "on" | "by");
    let first_or_last = matches!(word, "last" | "first") && !in_a_period();
    WORDS.contains(&word) || each && !in_a_period() || first_or_last
}

/// A seed with the parts of all other words.
fn completed(parser: &Parser, seed: &Seed) -> Vec<Draft> {
    let length = parser.tokens.len();
    let mut agenda: Vec<Vec<Draft>> = vec![Vec::new(); length + 1];
    agenda[0].push(seed.draft.clone());
    for at in 0..length {
        let drafts = cheapest(std::mem::take(&mut agenda[at]));
        if drafts.is_empty() {
            continue;
        }
        if let Some(end) = seed.end_at(at) {
            agenda[end].extend(drafts);
            continue;
        }
        let parts = parts::at(parser, at, seed);
        for draft in &drafts {
            for part in &parts {
                let added = part.added_to(draft, zone(parser, seed, at));
                if let Some(next) = added.filter(|next| !agenda[part.end].contains(next)) {
                    agenda[part.end].push(next);
                }
            }
        }
    }
    std::mem::take(&mut agenda[length])
}

/// Where a condition stands: before the end of what is asked for, after it, or after its verb.
fn zone(parser: &Parser, seed: &Seed, at: usize) -> Zone {
    let end = seed.end();
    let verb = |at: usize| {
        parser.roles(at).any(|(_, role)| {
            let glue = matches!(role, Role::Glue(Glue::Be | Glue::Have | Glue::Relative | Glue::Auxiliary));
            glue || matches!(role, Role::Link | Role::Light | Role::Neutral | Role::Created)
        })
    };
    if at < end {
        Zone::BeforeHead
    } else if (end..at).any(|before| verb(before) || parser.word(before) == "from") {
        Zone::Predicate
    } else {
        Zone::AfterHead
    }
}
