//! "The farm's best day", "the whole fleet": a word for all that the data is about, where nothing of it is called so.

use super::Guess;
use crate::lexicon::{Glue, Role};
use crate::mentions::{Mention, Mentions, What};
use crate::tokens::Token;

/// Words for a house whose records the data is.
const HOUSES: &[&str] = &[
    "farm",
    "park",
    "fleet",
    "club",
    "school",
    "shop",
    "store",
    "library",
    "clinic",
    "practice",
    "hospital",
    "gallery",
    "hotel",
    "restaurant",
    "cafe",
    "brewery",
    "bakery",
    "garage",
    "factory",
    "plant",
    "mill",
    "workshop",
    "studio",
    "theatre",
    "theater",
    "cinema",
    "gym",
    "charity",
    "league",
    "network",
    "station",
    "airline",
    "agency",
    "company",
    "firm",
    "business",
    "organisation",
    "organization",
    "institution",
    "department",
    "office",
    "bank",
];

/// A house that owns what follows, that is joined, or that is said to be meant as a whole: it chooses nothing.
pub fn guess(tokens: &[Token], mentions: &Mentions, at: usize) -> Option<Guess> {
    let before = |back: usize| at.checked_sub(back).map_or("", |before| tokens[before].fold.as_str());
    let definite = matches!(before(1), "the" | "our");
    let whole = matches!(before(1), "whole" | "entire") && matches!(before(2), "the" | "our");
    let joined = definite && matches!(before(2), "join" | "joined" | "joining");
    // "Club players", "museum objects".
    let things = mentions.at(at + 1).iter().any(|next| matches!(next.what, What::Thing(_)) && !next.assumed);
    let owner = tokens[at].fold.strip_suffix("'s").filter(|_| definite && at + 1 < tokens.len());
    let house = owner.or_else(|| (whole || joined || things).then_some(tokens[at].fold.as_str()))?;
    HOUSES.contains(&house).then(|| Guess {
        start: at,
        mention: Mention::guessed(at + 1, What::Role(Role::Glue(Glue::Determiner))),
        meant: "all of the data".to_string(),
    })
}
