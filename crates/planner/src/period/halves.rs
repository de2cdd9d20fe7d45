//! Halves of months and years: `the first half of June`, `the second half of 2025`, `H1 2025`.
//!
//! A month's first half ends with its 15th day. A half that does not say of what is that of the period whose other half
//! was named before it.

use jiff::civil::date;

use super::Period;
use super::parse::{month_number, year_at};
use crate::tokens::{self, Token};

/// The half that is named at a token, with the token after it.
pub fn parse(tokens: &[Token], at: usize) -> Option<(usize, Period)> {
    let word = |i: usize| tokens::word(tokens, i);
    if let "h1" | "h2" = word(at) {
        return Some((at + 2, half_year(year_at(tokens, at + 1)?, word(at) == "h1")));
    }
    let first = opens(word(at), word(at + 1))?;
    if word(at + 2) == "of" {
        let start = at + 3 + usize::from(word(at + 3) == "the");
        return of(tokens, start, first);
    }
    let named = (0..at).rev().find(|i| opens(word(*i), word(i + 1)).is_some() && word(i + 2) == "of")?;
    of(tokens, named + 3, first).map(|(_, period)| (at + 2, period))
}

/// Whether two words name a half, and which.
fn opens(ordinal: &str, noun: &str) -> Option<bool> {
    match (ordinal, noun) {
        ("first" | "1st", "half") => Some(true),
        ("second" | "2nd" | "latter", "half") => Some(false),
        _ => None,
    }
}

fn of(tokens: &[Token], at: usize, first: bool) -> Option<(usize, Period)> {
    if let Some(year) = year_at(tokens, at) {
        return Some((at + 1, half_year(year, first)));
    }
    let month = month_number(tokens, at)?;
    let year = year_at(tokens, at + 1);
    Some((at + 1 + usize::from(year.is_some()), Period::HalfMonth(year, month, first)))
}

fn half_year(year: i16, first: bool) -> Period {
    match first {
        true => Period::Span(date(year, 1, 1), date(year, 7, 1)),
        false => Period::Span(date(year, 7, 1), date(year + 1, 1, 1)),
    }
}

/// The first fifteen days of a month, or the others.
pub fn half_month(year: i16, month: i8, first: bool) -> Option<Period> {
    let Period::Span(from, to) = super::parse::month_span(year, month)? else { return None };
    let middle = date(year, month, 16);
    Some(if first { Period::Span(from, middle) } else { Period::Span(middle, to) })
}
