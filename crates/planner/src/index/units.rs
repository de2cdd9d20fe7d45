//! Units that a column's name has in parentheses: `Field Size (ha)`, `Sale Price (EUR/t)`.

use super::Index;
use crate::lexicon::Unit;

/// A unit is not written in more letters, unless it is a known one.
const LETTERS_MAX: usize = 3;

/// The name before what is in parentheses at its end.
pub fn before(name: &str) -> Option<&str> {
    Some(parenthesised(name)?.0)
}

fn parenthesised(name: &str) -> Option<(&str, &str)> {
    let inner = name.trim().strip_suffix([')', ']'])?;
    let (stem, unit) = inner.rsplit_once(['(', '['])?;
    (!stem.trim().is_empty() && !unit.trim().is_empty()).then_some((stem.trim(), unit.trim()))
}

/// Whether what a name has in parentheses can be a unit.
pub fn in_parentheses(index: &Index, name: &str) -> bool {
    let Some((_, unit)) = parenthesised(name) else { return false };
    let lower = unit.to_lowercase();
    let short = |part: &str| part.chars().count() <= LETTERS_MAX && part.chars().all(|c| !c.is_ascii_digit());
    let known = |part: &str| index.lexicon.unit(part).is_some();
    known(&lower) || lower.split(['/', ' ']).all(|part| !part.is_empty() && (known(part) || short(part)))
}

/// What a number for one of something is told in: the euro of `EUR/t`.
pub fn dividend(index: &Index, name: &str) -> Option<Unit> {
    let lower = parenthesised(name)?.1.to_lowercase();
    let (dividend, _) = lower.rsplit_once('/').or_else(|| lower.rsplit_once(" per "))?;
    index.lexicon.unit(dividend.trim()).cloned()
}

/// What a number is for one of: the tonne of `EUR/t`.
pub fn per(index: &Index, name: &str) -> Option<Unit> {
    let (_, unit) = parenthesised(name)?;
    let lower = unit.to_lowercase();
    let (_, divisor) = lower.rsplit_once('/').or_else(|| lower.rsplit_once(" per "))?;
    index.lexicon.unit(divisor.trim()).filter(|_| index.lexicon.unit(&lower).is_none()).cloned()
}

/// A period, where the name itself says that the number is for one: `Fee/mo (€)`, `Monthly Rent (£)`. Which one is not told.
pub fn for_a_period(index: &Index, name: &str) -> Option<Unit> {
    const ENDINGS: &[&str] = &["mo", "month", "day", "hr", "hour", "h", "wk", "week", "yr", "year", "km", "unit", "pc"];
    const BEGINNINGS: &[&str] = &["monthly", "daily", "weekly", "hourly", "annual", "yearly", "nightly"];
    let lower = name.to_lowercase();
    let stem = before(&lower).unwrap_or(&lower);
    let divided = stem.rsplit_once('/').is_some_and(|(_, last)| ENDINGS.contains(&last.trim()));
    let first = crate::words::split_name(stem).into_iter().next().unwrap_or_default();
    let money = ["fee", "rent", "rate", "price", "charge", "salary", "wage"].iter().any(|word| stem.contains(word));
    (divided || money && BEGINNINGS.contains(&first.as_str())).then(|| index.lexicon.unit("day").cloned())?
}
