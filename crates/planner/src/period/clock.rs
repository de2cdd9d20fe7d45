//! Times of day: `in the morning`, `before 10 am`, `between 8 and 18 o'clock`, `from 10pm until 6am`.
//!
//! Hours are whole: a condition on minutes is not one of these and stays unread. A bare number is an hour only beside a
//! word that says so. Where hours follow a part of the day, they say what was meant by it.

use super::{Hours, When};
use crate::tokens::{self, Token};

/// Parts of the day and the hours they are taken to have, the last one not included.
const PARTS: [(&str, u8, u8); 4] = [("morning", 6, 12), ("afternoon", 12, 18), ("evening", 18, 22), ("night", 22, 6)];

const MIDNIGHT: u8 = 24;

/// An hour of the day as far as it was said.
#[derive(Clone, Copy)]
struct Hour {
    hour: u8,
    /// Whether am, pm, a part of the day or the 24 hour clock decided it.
    decided: bool,
}

/// Every condition on the time of day that starts at a token, with the token after it.
pub fn parse(tokens: &[Token], at: usize) -> Vec<(usize, When)> {
    let Some((mut end, mut hours)) = one(tokens, at) else { return Vec::new() };
    while word(tokens, end) == "or"
        && let Some((next, more)) = one(tokens, end + 1)
    {
        end = next;
        hours = Hours { spans: [hours.spans, more.spans].concat(), part: hours.part.or(more.part) };
    }
    vec![(end, When::Hours(hours))]
}

fn word(tokens: &[Token], at: usize) -> &str {
    tokens::word(tokens, at)
}

fn one(tokens: &[Token], at: usize) -> Option<(usize, Hours)> {
    explicit(tokens, at).or_else(|| part_of_day(tokens, at)).or_else(|| outside(tokens, at))
}

/// `in the morning`, `at night`; hours that follow replace those it is taken to have.
fn part_of_day(tokens: &[Token], at: usize) -> Option<(usize, Hours)> {
    let here = match word(tokens, at) {
        "in" | "during" | "at" | "over" => at + 1,
        _ if super::parse::beside(tokens, at) => at,
        "overnight" => return Some((at + 1, Hours { spans: vec![(22, 6)], part: Some("night") })),
        _ => return None,
    };
    let here = if word(tokens, here) == "the" { here + 1 } else { here };
    let (name, from, to) = named(word(tokens, here))?;
    let after = here + 1;
    let said = (after..=after + 2).find(|next| !is_aside(word(tokens, *next))).unwrap_or(after);
    if let Some((end, hours)) = explicit(tokens, said) {
        return Some((end, hours));
    }
    Some((after, Hours { spans: vec![(from, to)], part: Some(name) }))
}

/// `outside office hours (before 8 am or after 6 pm)`: only with the hours said.
fn outside(tokens: &[Token], at: usize) -> Option<(usize, Hours)> {
    let office = matches!(word(tokens, at + 1), "office" | "business" | "working" | "opening");
    let said = word(tokens, at) == "outside" && office && word(tokens, at + 2) == "hours";
    if said { explicit(tokens, at + 3) } else { None }
}

fn named(word: &str) -> Option<(&'static str, u8, u8)> {
    PARTS.into_iter().find(|(name, _, _)| word.strip_suffix('s').unwrap_or(word) == *name)
}

fn is_aside(word: &str) -> bool {
    matches!(word, "," | "say" | "i.e" | "meaning")
}

/// Hours with their words: `before 10 am`, `from 6 pm on`, `between 8 and 18 o'clock`, `at 5 pm`.
fn explicit(tokens: &[Token], at: usize) -> Option<(usize, Hours)> {
    let spans = |from, to| Hours { spans: vec![(from, to)], part: None };
    let opening = word(tokens, at);
    if matches!(opening, "between" | "from") {
        let (middle, first) = hour(tokens, at + 1)?;
        let joint = word(tokens, middle);
        let joins = if opening == "between" { joint == "and" } else { matches!(joint, "to" | "until" | "till") };
        if joins && let Some((end, last)) = hour(tokens, middle + 1) {
            let (first, last) = together(first, last).filter(|_| says_clock(tokens))?;
            return (first != last).then(|| (end, spans(first, last)));
        }
    }
    let (mut end, hour) = hour(tokens, at + 1)?;
    if !hour.decided && !says_clock(tokens) {
        return None;
    }
    Some(match opening {
        "before" | "until" | "till" if hour.hour > 0 => (end, spans(0, hour.hour)),
        "after" | "since" | "from" if hour.hour < MIDNIGHT => {
            let on = matches!(word(tokens, end), "on" | "onwards" | "onward");
            end += usize::from(on);
            // "From" alone opens nothing.
            if opening == "from" && !on {
                return None;
            }
            (end, spans(hour.hour, MIDNIGHT))
        }
        "at" if hour.decided && hour.hour < MIDNIGHT => (end, spans(hour.hour, hour.hour + 1)),
        _ => return None,
    })
}

/// "Between 2 and 5 pm": what is said of the last hour holds for the first, unless that would turn the day around.
fn together(first: Hour, last: Hour) -> Option<(u8, u8)> {
    let shifted = first.hour + 12;
    let hour = if !first.decided && last.decided && shifted < last.hour { shifted } else { first.hour };
    (hour < MIDNIGHT).then_some((hour, last.hour))
}

/// Whether some word of the question is one of the clock.
fn says_clock(tokens: &[Token]) -> bool {
    (0..tokens.len()).any(|at| {
        let said = word(tokens, at);
        let written = written_hour(said).is_some();
        let of_number = at > 0 && tokens[at - 1].number().is_some() && is_half(said).is_some();
        written || of_number || said == "o'clock" || named(said).is_some()
    })
}

/// `10`, `10 am`, `10pm`, `18:00`, `10 o'clock`, `6 in the evening`, `noon`, `midnight`.
fn hour(tokens: &[Token], at: usize) -> Option<(usize, Hour)> {
    let said = word(tokens, at);
    let decided = |hour| Hour { hour, decided: true };
    match said {
        "noon" => return Some((at + 1, decided(12))),
        "midnight" => return Some((at + 1, decided(MIDNIGHT))),
        _ => {}
    }
    if let Some(hour) = written_hour(said) {
        return Some((at + 1, decided(hour)));
    }
    let number = tokens.get(at)?.number().filter(|n| n.fract() == 0.0 && (0.0..=24.0).contains(n))? as u8;
    let next = word(tokens, at + 1);
    if let Some(afternoon) = is_half(next) {
        return Some((at + 2, decided(of_half(number, afternoon)?)));
    }
    let after = if next == "o'clock" { at + 2 } else { at + 1 };
    let in_part = word(tokens, after) == "in" && word(tokens, after + 1) == "the";
    let at_night = word(tokens, after) == "at" && word(tokens, after + 1) == "night";
    if at_night {
        return Some((after + 2, decided(of_half(number, number >= 6)?)));
    }
    if let Some((part, _, _)) = named(word(tokens, after + 2)).filter(|_| in_part) {
        return Some((after + 3, decided(of_half(number, part != "morning")?)));
    }
    Some((after, Hour { hour: number, decided: number > 12 }))
}

fn is_half(word: &str) -> Option<bool> {
    match word {
        "am" | "a.m" => Some(false),
        "pm" | "p.m" => Some(true),
        _ => None,
    }
}

fn of_half(hour: u8, afternoon: bool) -> Option<u8> {
    match (hour, afternoon) {
        (12, false) => Some(0),
        (1..=11, true) => Some(hour + 12),
        (1..=12, _) => Some(hour),
        _ => None,
    }
}

/// `10pm`, `18:00`; with minutes it is no whole hour.
fn written_hour(word: &str) -> Option<u8> {
    if let Some((hour, minutes)) = word.split_once(':') {
        return (minutes == "00").then(|| hour.parse().ok())?.filter(|hour| *hour <= MIDNIGHT);
    }
    let digits = word.trim_end_matches(|c: char| c.is_alphabetic());
    let afternoon = is_half(&word[digits.len()..])?;
    of_half(digits.parse().ok()?, afternoon)
}
