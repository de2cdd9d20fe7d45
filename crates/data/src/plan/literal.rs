//! Literals: whether one fits a type, and its one canonical spelling.
//!
//! A whole number is an int however it is written (`1.0` is `1`), a fraction is a float. A moment at midnight is spelled
//! as its date, and one with an offset in UTC, so that equal moments are equal text.

use base::{Cell, Type};
use jiff::SignedDuration;
use jiff::civil::{Date, Time};
use serde_json::Number;

use super::kind::Kind;

/// The longest text a plan may carry.
const TEXT_BYTES_MAX: usize = 10_000;

pub(crate) const WEEKDAYS: [&str; 7] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

/// The literal in its canonical spelling, if a value of this kind can be compared with it.
pub(crate) fn fit(value: &Cell, kind: Kind) -> Result<Cell, String> {
    if value.is_null() {
        return Err("nothing compares with null; the test `is_null` finds it".to_string());
    }
    let fitting = match (kind.ty, value) {
        (Type::Bool, Cell::Bool(_)) => Some(value.clone()),
        (Type::Int | Type::Float | Type::Decimal, Cell::Number(number)) => Some(Cell::Number(whole(number))),
        (Type::Text, Cell::String(text)) if kind.weekday => {
            WEEKDAYS.iter().find(|day| day.eq_ignore_ascii_case(text)).map(|day| Cell::from(*day))
        }
        (Type::Text, Cell::String(text)) => return self::text(text).map(Cell::from),
        (Type::Date, Cell::String(text)) => date(text).map(|date| Cell::from(date.to_string())),
        (Type::Timestamp, Cell::String(text)) => moment(text).map(|moment| Cell::from(moment.spelling())),
        (Type::Time, Cell::String(text)) => time(text).map(|time| Cell::from(time.to_string())),
        _ => None,
    };
    fitting.ok_or_else(|| format!("{} is expected, not {}", expectation(kind), super::node::describe(value)))
}

fn expectation(kind: Kind) -> &'static str {
    match kind.ty {
        Type::Bool => "true or false",
        Type::Int | Type::Float | Type::Decimal => "a number",
        Type::Text if kind.weekday => "a weekday such as \"Monday\"",
        Type::Text => "text",
        Type::Date => "a date such as \"2025-12-31\"",
        Type::Timestamp => "a moment such as \"2025-12-31\" or \"2025-12-31T09:30:00\"",
        Type::Time => "a time such as \"09:30:00\"",
        Type::Json => "nothing",
    }
}

/// A scalar literal of an expression in its canonical spelling.
pub(crate) fn scalar(value: &Cell) -> Result<Cell, String> {
    match value {
        Cell::Number(number) => Ok(Cell::Number(whole(number))),
        Cell::String(text) => self::text(text).map(Cell::from),
        Cell::Bool(_) => Ok(value.clone()),
        Cell::Null | Cell::Array(_) | Cell::Object(_) => {
            Err(format!("a literal is a number, text, true or false, not {}", super::node::describe(value)))
        }
    }
}

fn text(text: &str) -> Result<String, String> {
    if text.len() > TEXT_BYTES_MAX {
        return Err(format!("the text has {} bytes, at most {TEXT_BYTES_MAX} are allowed", text.len()));
    }
    match text.contains('\0') {
        true => Err("the text holds a zero byte".to_string()),
        false => Ok(text.to_string()),
    }
}

/// A whole number as an integer, as long as a float can say it exactly.
pub(super) fn whole(number: &Number) -> Number {
    const EXACT_MAX: f64 = 9_007_199_254_740_992.0;
    match number.as_f64() {
        Some(float) if number.is_f64() && float.fract() == 0.0 && float.abs() <= EXACT_MAX => {
            Number::from(float as i64)
        }
        _ => number.clone(),
    }
}

/// A date, and a time of day unless it is midnight.
pub(crate) struct Moment {
    pub(crate) date: Date,
    pub(crate) time: Time,
}

impl Moment {
    fn spelling(&self) -> String {
        match self.time == Time::midnight() {
            true => self.date.to_string(),
            false => format!("{}T{}", self.date, self.time),
        }
    }
}

/// `2025-12-31` and nothing else; from year 1, as every engine has it.
pub(crate) fn date(text: &str) -> Option<Date> {
    let bytes = text.as_bytes();
    let shaped = bytes.len() == 10 && bytes[4] == b'-' && bytes[7] == b'-';
    if !shaped {
        return None;
    }
    let (year, month, day) = (digits(&text[..4])?, digits(&text[5..7])?, digits(&text[8..])?);
    Date::new(year as i16, month as i8, day as i8).ok().filter(|_| year >= 1)
}

/// `09:30`, `09:30:00` or `09:30:00.250`, to the microsecond.
pub(crate) fn time(text: &str) -> Option<Time> {
    let (clock, fraction) = text.split_once('.').unwrap_or((text, ""));
    let parts: Vec<i32> = clock
        .split(':')
        .map(|part| Some(part).filter(|part| part.len() == 2).and_then(digits))
        .collect::<Option<_>>()?;
    let (hour, minute, second) = match parts[..] {
        [hour, minute] if fraction.is_empty() && !text.contains('.') => (hour, minute, 0),
        [hour, minute, second] => (hour, minute, second),
        _ => return None,
    };
    let nanoseconds = match text.contains('.') {
        true if (1..=6).contains(&fraction.len()) => digits(&format!("{fraction:0<9}"))?,
        true => return None,
        false => 0,
    };
    Time::new(hour as i8, minute as i8, second as i8, nanoseconds).ok()
}

/// A date, or a date and a time with `T` or a blank between. Moments are kept in UTC: a final `Z` changes nothing, and an
/// offset such as `+02:00` is taken off.
pub(crate) fn moment(text: &str) -> Option<Moment> {
    let Some((day, clock)) = text.split_once(['T', ' ']) else {
        return Some(Moment { date: date(text.strip_suffix('Z').unwrap_or(text))?, time: Time::midnight() });
    };
    let (clock, minutes) = match clock.find(['Z', '+', '-']) {
        Some(at) => (&clock[..at], offset(&clock[at..])?),
        None => (clock, 0),
    };
    let local = date(day)?.to_datetime(time(clock)?);
    let moment = local.checked_sub(SignedDuration::from_mins(minutes)).ok()?;
    (1..=9999).contains(&moment.year()).then(|| Moment { date: moment.date(), time: moment.time() })
}

/// `Z`, `+02:00` or `-0530`, in minutes east of Greenwich.
fn offset(text: &str) -> Option<i64> {
    if text == "Z" {
        return Some(0);
    }
    let sign = if text.starts_with('-') { -1 } else { 1 };
    let clock: String = text[1..].chars().filter(|c| *c != ':').collect();
    let shaped =
        clock.is_ascii() && clock.len() == 4 && matches!(text.len(), 5 | 6) && text.find(':').is_none_or(|at| at == 3);
    let (hours, minutes) = shaped.then(|| Some((digits(&clock[..2])?, digits(&clock[2..])?))).flatten()?;
    (hours <= 18 && minutes < 60).then(|| sign * i64::from(hours * 60 + minutes))
}

fn digits(text: &str) -> Option<i32> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}
