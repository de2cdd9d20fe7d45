//! What opens a period to one side after it is named: `2022 or later`, `2019 and earlier`, `May onwards`.

use super::{Period, When};
use crate::tokens::{self, Token};

/// The open period, where words after a named one say so, with the token after them.
pub fn after(tokens: &[Token], at: usize, period: &Period) -> Option<(usize, When)> {
    let word = |i: usize| tokens::word(tokens, i);
    if matches!(word(at), "onwards" | "onward") {
        return Some((at + 1, When::Since(period.clone())));
    }
    // Only what lies in the calendar has a later and an earlier: "yesterday or earlier" is nobody's period.
    let calendar = matches!(period, Period::Span(..) | Period::Year(_) | Period::Month(_) | Period::MonthDay(..));
    // "In 2022 and before May" names two.
    let another = super::parse::core(tokens, at + 2).is_some();
    if !matches!(word(at), "or" | "and") || !calendar || another {
        return None;
    }
    match word(at + 1) {
        "later" | "newer" | "after" | "since" | "onwards" => Some((at + 2, When::Since(period.clone()))),
        "earlier" | "older" | "before" => Some((at + 2, When::Until(period.clone()))),
        _ => None,
    }
}
