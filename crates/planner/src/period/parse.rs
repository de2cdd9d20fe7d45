//! Words to periods: `since June 1`, `between March and May 2026`, `in the last 30 days`.

use data::plan::Grain;
use jiff::ToSpan;
use jiff::civil::{Date, date};

use super::{Period, When};
use crate::tokens::{self, Kind, Token};

/// In lower case, January first.
pub const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
const WEEKDAYS: [&str; 7] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

/// Whether a lower-case word is the name of a weekday.
pub fn is_weekday(word: &str) -> bool {
    WEEKDAYS.iter().any(|day| day.to_lowercase() == word)
}

/// The words that open a period to one side, and what they make of it.
type Bound = (&'static [&'static str], fn(Period) -> When);

/// Every condition on time that starts at a token, with the token after it.
pub fn parse(tokens: &[Token], at: usize) -> Vec<(usize, When)> {
    let mut found = Vec::new();
    let word = |i: usize| tokens::word(tokens, i);
    let pair = format!("{} {}", word(at), word(at + 1));
    let bounds: [Bound; 4] = [
        (&["since", "starting", "starting from", "from"], When::Since),
        (&["after", "later than", "following"], When::After),
        (&["before", "prior to", "earlier than"], When::Before),
        (&["until", "till", "through", "up to"], When::Until),
    ];
    for (phrases, make) in bounds {
        for phrase in phrases {
            let length = phrase.split(' ').count();
            let here = if length == 2 { *phrase == pair } else { *phrase == word(at) };
            // "from" alone is a preposition; it starts an open period only before "onwards", which ranges cover.
            if here && *phrase != "from" {
                found.extend(up_to_edge(tokens, at + length, phrase));
                let start = skip_edge(tokens, at + length, phrase);
                found.extend(core(tokens, start).map(|(end, period)| (end, make(period))));
            }
        }
    }
    found.extend(range(tokens, at).or_else(|| days_of_month(tokens, at)));
    let inside = if matches!(word(at), "in" | "on" | "during" | "over" | "within" | "for") { at + 1 } else { at };
    if let Some((end, period)) = core(tokens, skip_article(tokens, inside)) {
        found.push(super::open_ended::after(tokens, end, &period).unwrap_or((end, When::In(period))));
    }
    found.extend(weekdays(tokens, at));
    found.extend(super::clock::parse(tokens, at));
    found
}

fn skip_article(tokens: &[Token], at: usize) -> usize {
    if tokens.get(at).is_some_and(|token| matches!(token.fold.as_str(), "the" | "date")) { at + 1 } else { at }
}

/// `before the end of May` takes May in, `after the beginning of May` does, too.
fn up_to_edge(tokens: &[Token], at: usize, bound: &str) -> Option<(usize, When)> {
    let word = |i: usize| tokens::word(tokens, i);
    let start = skip_article(tokens, at);
    let make: fn(Period) -> When = match (bound, word(start)) {
        ("before" | "prior to", "end") => When::Until,
        ("after", "start" | "beginning") => When::Since,
        _ => return None,
    };
    let of = (word(start + 1) == "of").then(|| skip_article(tokens, start + 2))?;
    core(tokens, of).map(|(end, period)| (end, make(period)))
}

/// `since the start of 2025` is since 2025, `until the end of May` until May.
fn skip_edge(tokens: &[Token], at: usize, bound: &str) -> usize {
    let word = |i: usize| tokens::word(tokens, i);
    let start = skip_article(tokens, at);
    let first = matches!(bound, "since" | "starting" | "starting from" | "before" | "prior to" | "earlier than");
    let edges: &[&str] = if first { &["start", "beginning"] } else { &["end"] };
    let says = edges.contains(&word(start)) && word(start + 1) == "of";
    if says { skip_article(tokens, start + 2) } else { start }
}

/// `between A and B`, `from A to B`, `A to B`; a year after B alone serves both.
fn range(tokens: &[Token], at: usize) -> Option<(usize, When)> {
    let word = |i: usize| tokens::word(tokens, i);
    let open = word(at);
    if !matches!(open, "between" | "from") {
        return None;
    }
    let (middle, first) = core(tokens, skip_article(tokens, at + 1))?;
    let joins: &[&str] = if open == "between" { &["and"] } else { &["to", "until", "through", "till"] };
    if !joins.contains(&word(middle)) {
        return None;
    }
    let (end, last) = core(tokens, skip_article(tokens, middle + 1))?;
    Some((end, When::Between(with_year_of(first, &last), last)))
}

/// `1 to 7 June`, `from 25 to 31 December 2025`, `between 3 and 9 May`: two days of the month that is named once.
fn days_of_month(tokens: &[Token], at: usize) -> Option<(usize, When)> {
    let word = |i: usize| tokens::word(tokens, i);
    let open = word(at);
    let start = skip_article(tokens, if matches!(open, "between" | "from" | "on" | "in") { at + 1 } else { at });
    let first = day_number(tokens, start)?;
    let joins: &[&str] = if open == "between" { &["and"] } else { &["to", "until", "through", "till"] };
    if !joins.contains(&word(start + 1)) {
        return None;
    }
    let (end, last) = month(tokens, skip_article(tokens, start + 2))?;
    let first = match last {
        Period::MonthDay(month, day) if first < day => Period::MonthDay(month, first),
        Period::Span(day, _) if first < day.day() => day_span(day.year(), day.month(), first)?,
        _ => return None,
    };
    Some((end, When::Between(first, last)))
}

fn with_year_of(first: Period, last: &Period) -> Period {
    let Period::Span(start, _) = last else { return first };
    match first {
        Period::Month(month) => month_span(start.year(), month).unwrap_or(first),
        Period::MonthDay(month, day) => day_span(start.year(), month, day).unwrap_or(first),
        Period::Quarter(quarter) => quarter_span(start.year(), quarter).unwrap_or(first),
        _ => first,
    }
}

/// A period without its preposition.
pub(super) fn core(tokens: &[Token], at: usize) -> Option<(usize, Period)> {
    named(tokens, at).map(|(end, period)| of_year(tokens, end, period))
}

/// `Q3 this year`, `March of last year`.
fn of_year(tokens: &[Token], at: usize, period: Period) -> (usize, Period) {
    let word = |i: usize| tokens::word(tokens, i);
    let start = at + usize::from(word(at) == "of");
    let back = match word(start) {
        "this" => 0,
        "last" | "previous" => 1,
        _ => return (at, period),
    };
    match (&period, word(start + 1)) {
        (Period::Month(_) | Period::MonthDay(..) | Period::Quarter(_), "year") => {
            (start + 2, Period::OfYear(Box::new(period), back))
        }
        _ => (at, period),
    }
}

fn named(tokens: &[Token], at: usize) -> Option<(usize, Period)> {
    tokens.get(at)?;
    iso(tokens, at)
        .or_else(|| relative(tokens, at))
        .or_else(|| to_date(tokens, at))
        .or_else(|| prior(tokens, at))
        .or_else(|| month(tokens, at))
        .or_else(|| feast(tokens, at))
        .or_else(|| quarter(tokens, at))
        .or_else(|| super::halves::parse(tokens, at))
        .or_else(|| decade(tokens, at))
        .or_else(|| year_at(tokens, at).map(|year| (at + 1, Period::Year(year))))
}

/// `the 1990s`, `the nineties`.
fn decade(tokens: &[Token], at: usize) -> Option<(usize, Period)> {
    const NAMES: [&str; 6] = ["forties", "fifties", "sixties", "seventies", "eighties", "nineties"];
    let named = NAMES.iter().position(|name| *name == tokens[at].fold).map(|place| 1940 + 10 * place as i16);
    let written = || tokens[at].fold.strip_suffix('s').filter(|digits| digits.len() == 4)?.parse().ok();
    let year: i16 = named.or_else(written)?;
    let first = (year % 10 == 0 && (1800..2100).contains(&year)).then_some(year)?;
    Some((at + 1, Period::Span(date(first, 1, 1), date(first + 10, 1, 1))))
}

fn iso(tokens: &[Token], at: usize) -> Option<(usize, Period)> {
    let parts: Vec<&str> = tokens[at].fold.split('-').collect();
    let number = |text: &str| text.parse::<i16>().ok();
    match parts[..] {
        [year, month, day] if year.len() == 4 => {
            let period = day_span(number(year)?, number(month)? as i8, number(day)? as i8)?;
            Some((at + 1, period))
        }
        [year, month] if year.len() == 4 && month.len() == 2 => {
            Some((at + 1, month_span(number(year)?, number(month)? as i8)?))
        }
        _ => None,
    }
}

pub(super) fn year_at(tokens: &[Token], at: usize) -> Option<i16> {
    let token = tokens.get(at)?;
    let Kind::Number { value, percent: false, money: false } = token.kind else { return None };
    let plain = token.text.len() == 4 && token.text.chars().all(|c| c.is_ascii_digit());
    (plain && (1900.0..2100.0).contains(&value)).then_some(value as i16)
}

fn day_number(tokens: &[Token], at: usize) -> Option<i8> {
    let value = tokens.get(at)?.number()?;
    (value.fract() == 0.0 && (1.0..=31.0).contains(&value)).then_some(value as i8)
}

pub(super) fn month_number(tokens: &[Token], at: usize) -> Option<i8> {
    let token = tokens.get(at).filter(|token| token.kind == Kind::Word)?;
    let fold = token.fold.as_str();
    // The modal verb "may" is never capitalised inside a sentence, and a month rarely is not.
    if fold == "may" && token.text == "may" && !follows_time_word(tokens, at) {
        return None;
    }
    let known = |month: &str| month == fold || (fold.len() >= 3 && fold.len() <= 4 && month.starts_with(fold));
    MONTHS.iter().position(|month| known(month)).map(|position| position as i8 + 1)
}

fn follows_time_word(tokens: &[Token], at: usize) -> bool {
    let before = at.checked_sub(1).map_or("", |i| tokens[i].fold.as_str());
    matches!(
        before,
        "in" | "since"
            | "before"
            | "after"
            | "during"
            | "of"
            | "for"
            | "until"
            | "from"
            | "between"
            | "and"
            | "to"
            | "vs"
            | "versus"
            | "than"
    ) || year_at(tokens, at + 1).is_some()
        || at > 1
            && day_number(tokens, at - 1).is_some()
            && matches!(tokens[at - 2].fold.as_str(), "to" | "and" | "on" | "until")
}

/// `March`, `March 2026`, `March 3`, `March 3rd, 2026`, `3 March 2026`, `the 3rd of March`.
fn month(tokens: &[Token], at: usize) -> Option<(usize, Period)> {
    let is = |i: usize, word: &str| tokens.get(i).is_some_and(|token| token.fold == word);
    if let Some(day) = day_number(tokens, at) {
        let name = if is(at + 1, "of") { at + 2 } else { at + 1 };
        let month = month_number(tokens, name)?;
        return Some(dated(tokens, name + 1, month, day));
    }
    let month = month_number(tokens, at)?;
    if let Some(day) = day_number(tokens, at + 1) {
        let after = if is(at + 2, ",") && year_at(tokens, at + 3).is_some() { at + 3 } else { at + 2 };
        return Some(dated(tokens, after, month, day));
    }
    let after = if is(at + 1, "of") || is(at + 1, ",") { at + 2 } else { at + 1 };
    match year_at(tokens, after) {
        Some(year) => Some((after + 1, month_span(year, month)?)),
        None => Some((at + 1, Period::Month(month))),
    }
}

/// `Christmas Day`, `New Year's Eve 2025`: days that have the same date every year.
fn feast(tokens: &[Token], at: usize) -> Option<(usize, Period)> {
    const FEASTS: [(&str, i8, i8); 6] = [
        ("christmas day", 12, 25),
        ("christmas eve", 12, 24),
        ("boxing day", 12, 26),
        ("new year's day", 1, 1),
        ("new year's eve", 12, 31),
        ("valentine's day", 2, 14),
    ];
    let joined = |end: usize| tokens.get(at..end).map(tokens::folded);
    FEASTS.iter().find_map(|(name, month, day)| {
        let end = at + name.split(' ').count();
        (joined(end)? == *name).then(|| dated(tokens, end, *month, *day))
    })
}

fn dated(tokens: &[Token], at: usize, month: i8, day: i8) -> (usize, Period) {
    match year_at(tokens, at).and_then(|year| day_span(year, month, day)) {
        Some(span) => (at + 1, span),
        None => (at, Period::MonthDay(month, day)),
    }
}

/// `Q1`, `Q1 2026`, `first quarter of 2026`, `quarter 1`.
fn quarter(tokens: &[Token], at: usize) -> Option<(usize, Period)> {
    let word = |i: usize| tokens::word(tokens, i);
    let ordinal = |text: &str| match text {
        "first" | "1st" | "q1" | "1" => Some(1),
        "second" | "2nd" | "q2" | "2" => Some(2),
        "third" | "3rd" | "q3" | "3" => Some(3),
        "fourth" | "4th" | "q4" | "4" => Some(4),
        _ => None,
    };
    let (mut end, quarter) = if word(at).starts_with('q') {
        (at + 1, ordinal(word(at))?)
    } else if word(at) == "quarter" {
        (at + 2, ordinal(word(at + 1))?)
    } else if word(at + 1) == "quarter" {
        (at + 2, ordinal(word(at))?)
    } else {
        return None;
    };
    if word(end) == "of" && year_at(tokens, end + 1).is_some() {
        end += 1;
    }
    match year_at(tokens, end) {
        Some(year) => Some((end + 1, quarter_span(year, quarter)?)),
        None => Some((end, Period::Quarter(quarter))),
    }
}

fn relative(tokens: &[Token], at: usize) -> Option<(usize, Period)> {
    let word = |i: usize| tokens::word(tokens, i);
    match word(at) {
        "today" => return Some((at + 1, Period::Today)),
        "yesterday" => return Some((at + 1, Period::Yesterday)),
        "this" | "current" => {
            let so_far = word(at + 2) == "so" && word(at + 3) == "far";
            return Some((if so_far { at + 4 } else { at + 2 }, Period::This(unit(word(at + 1))?)));
        }
        "last" | "previous" if word(at + 1) == "weekend" => return Some((at + 2, Period::LastWeekend)),
        "last" | "past" | "previous" => {}
        _ => return None,
    }
    if let Some(grain) = unit(word(at + 1)).filter(|_| !word(at + 1).ends_with('s')) {
        // "The past month" may mean 30 days or a calendar month; a week is seven days either way.
        let clear = word(at) != "past" || matches!(grain, Grain::Week | Grain::Day);
        return clear.then_some((at + 2, Period::Last(grain)));
    }
    let many = tokens.get(at + 1)?.number().filter(|n| n.fract() == 0.0 && (1.0..100_000.0).contains(n))?;
    Some((at + 3, Period::LastMany(many as i64, unit(word(at + 2))?)))
}

/// `year to date`, `since new year`: the calendar period of the last day.
fn to_date(tokens: &[Token], at: usize) -> Option<(usize, Period)> {
    let word = |i: usize| tokens::word(tokens, i);
    match word(at) {
        "ytd" => return Some((at + 1, Period::This(Grain::Year))),
        "mtd" => return Some((at + 1, Period::This(Grain::Month))),
        "new" if matches!(word(at + 1), "year" | "year's") && at > 0 && word(at - 1) == "since" => {
            return Some((at + 2, Period::This(Grain::Year)));
        }
        _ => {}
    }
    let said = word(at + 1) == "to" && word(at + 2) == "date";
    said.then(|| unit(word(at)))?.map(|grain| (at + 3, Period::This(grain)))
}

/// `the month before`, `the 7 days before that`: relative to the period that is named beside it.
fn prior(tokens: &[Token], at: usize) -> Option<(usize, Period)> {
    let word = |i: usize| tokens::word(tokens, i);
    let many = tokens.get(at)?.number().filter(|n| n.fract() == 0.0 && (1.0..100_000.0).contains(n));
    let name = at + usize::from(many.is_some());
    let plural = word(name).ends_with('s');
    let grain = unit(word(name)).filter(|_| plural == many.is_some_and(|many| many > 1.0))?;
    if !matches!(word(name + 1), "before" | "earlier") {
        return None;
    }
    let end = if matches!(word(name + 2), "that" | "those" | "it" | "them") { name + 3 } else { name + 2 };
    // "The month before June" is another one.
    core(tokens, skip_article(tokens, end)).is_none().then(|| (end, Period::Prior(many.unwrap_or(1.0) as i64, grain)))
}

fn unit(word: &str) -> Option<Grain> {
    let word = word.strip_suffix("'s").unwrap_or(word);
    Grain::ALL.iter().copied().find(|grain| word.strip_suffix('s').unwrap_or(word) == grain.as_str())
}

/// `on Mondays`, `at weekends`, `on a Friday`; a single "on Monday" may be one day and is not read as all of them.
fn weekdays(tokens: &[Token], at: usize) -> Option<(usize, When)> {
    let word = |i: usize| tokens::word(tokens, i);
    let mut here = at;
    if matches!(word(here), "on" | "during" | "at" | "over") {
        here += 1;
    }
    if word(here) == "the" {
        here += 1;
    }
    let one = word(here) == "a" || word(here) == "any";
    if one {
        here += 1;
    }
    match word(here) {
        "weekends" | "weekend" => return Some((here + 1, When::Weekdays(WEEKDAYS[5..].to_vec()))),
        "weekday" | "weekdays" | "workdays" if beside(tokens, at) => {
            return Some((here + 1, When::Weekdays(WEEKDAYS[..5].to_vec())));
        }
        "weekdays" | "workdays" if here > at => {
            return Some((here + 1, When::Weekdays(WEEKDAYS[..5].to_vec())));
        }
        _ => {}
    }
    let name = if one { Some(word(here)) } else { word(here).strip_suffix('s') }?;
    let day = WEEKDAYS.into_iter().find(|day| day.to_lowercase() == name)?;
    Some((here + 1, When::Weekdays(vec![day])))
}

/// Whether a word that sets two sides against each other comes just before.
pub(super) fn beside(tokens: &[Token], at: usize) -> bool {
    let before = at.checked_sub(1).map_or("", |i| tokens[i].fold.as_str());
    let with = matches!(before, "with" | "to") && at > 1 && tokens[at - 2].fold == "compared";
    with || matches!(before, "vs" | "versus" | "than" | "against")
}

pub(super) fn day_span(year: i16, month: i8, day: i8) -> Option<Period> {
    let first = Date::new(year, month, day).ok()?;
    Some(Period::Span(first, first.checked_add(1.day()).ok()?))
}

pub(super) fn month_span(year: i16, month: i8) -> Option<Period> {
    let first = Date::new(year, month, 1).ok()?;
    Some(Period::Span(first, first.checked_add(1.month()).ok()?))
}

pub(super) fn quarter_span(year: i16, quarter: i8) -> Option<Period> {
    let first = Date::new(year, (quarter - 1) * 3 + 1, 1).ok()?;
    Some(Period::Span(first, first.checked_add(3.months()).ok()?))
}

pub(super) fn year_span(year: i16) -> Period {
    Period::Span(date(year, 1, 1), date(year + 1, 1, 1))
}
