//! Periods become half-open spans of days, measured from the last day of a date column.

use data::plan::Grain;
use jiff::ToSpan;
use jiff::civil::Date;

use super::parse::{day_span, month_span, quarter_span, year_span};
use super::{Period, When};

/// The days a date column covers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Anchor {
    pub first: Date,
    pub last: Date,
}

/// A condition on time as days; an absent end is open.
#[derive(Clone, Debug, PartialEq)]
pub struct Resolved {
    pub from: Option<Date>,
    /// The day after the last.
    pub to: Option<Date>,
    /// What the words were taken to mean, where they left something open.
    pub note: Option<String>,
    /// Whether another reader could have meant other days.
    pub open: bool,
}

/// The days a condition on time means for a column, or why it means none.
pub fn resolve(when: &When, anchor: Anchor, column: &str) -> Result<Resolved, String> {
    let one = |period: &Period| span(period, anchor, column);
    let both = |from, to, parts: &[&Span]| Resolved {
        from,
        to,
        note: joined_notes(parts),
        open: parts.iter().any(|part| part.open),
    };
    Ok(match when {
        When::In(period) => {
            let span = one(period)?;
            both(Some(span.from), Some(span.to), &[&span])
        }
        When::Since(period) => {
            let span = one(period)?;
            both(Some(span.from), None, &[&span])
        }
        When::After(period) => {
            let span = one(period)?;
            both(Some(span.to), None, &[&span])
        }
        When::Before(period) => {
            let span = one(period)?;
            both(None, Some(span.from), &[&span])
        }
        When::Until(period) => {
            let span = one(period)?;
            both(None, Some(span.to), &[&span])
        }
        When::Between(first, last) => {
            let (first, last) = (one(first)?, one(last)?);
            if last.to <= first.from {
                return Err(format!("the period ends before it begins: {} to {}", first.from, last.to));
            }
            both(Some(first.from), Some(last.to), &[&first, &last])
        }
        When::PriorTo(inner, many, grain) => {
            let known = resolve(inner, anchor, column)?;
            let to = known.from.filter(|_| *grain != Grain::Hour).ok_or("a period before an open one")?;
            let from = minus(to, length(*grain, *many));
            let words = match many {
                1 => format!("the {}", grain.as_str()),
                many => format!("the {many} {}s", grain.as_str()),
            };
            let note = format!("{words} before = {from} to {}", minus(to, 1.day()));
            Resolved { from: Some(from), to: Some(to), note: Some(note), open: known.open }
        }
        When::Weekdays(_) | When::Hours(_) => Resolved { from: None, to: None, note: None, open: false },
    })
}

struct Span {
    from: Date,
    to: Date,
    note: Option<String>,
    open: bool,
}

fn joined_notes(parts: &[&Span]) -> Option<String> {
    let notes: Vec<&str> = parts.iter().filter_map(|part| part.note.as_deref()).collect();
    (!notes.is_empty()).then(|| notes.join("; "))
}

fn span(period: &Period, anchor: Anchor, column: &str) -> Result<Span, String> {
    let plain = |period: Option<Period>| match period {
        Some(Period::Span(from, to)) => Ok(Span { from, to, note: None, open: false }),
        _ => Err("a date that does not exist".to_string()),
    };
    let today = anchor.last;
    match period {
        Period::Span(from, to) => Ok(Span { from: *from, to: *to, note: None, open: false }),
        Period::Year(year) => plain(Some(year_span(*year))),
        Period::Month(month) => yearless(anchor, column, |year| month_span(year, *month)),
        Period::MonthDay(month, day) => yearless(anchor, column, |year| day_span(year, *month, *day)),
        Period::Quarter(quarter) => yearless(anchor, column, |year| quarter_span(year, *quarter)),
        Period::OfYear(part, back) => {
            let year = today.year() - back;
            let span = match **part {
                Period::Month(month) => month_span(year, month),
                Period::MonthDay(month, day) => day_span(year, month, day),
                Period::Quarter(quarter) => quarter_span(year, quarter),
                _ => None,
            };
            let words = if *back == 0 { "this year" } else { "last year" };
            Ok(Span { note: Some(format!("{words} = {year}, by the last day in {column}")), ..plain(span)? })
        }
        Period::HalfMonth(year, month, first) => {
            let half = |year: i16| super::halves::half_month(year, *month, *first);
            let span = match year {
                Some(year) => plain(half(*year)),
                None => yearless(anchor, column, half),
            }?;
            let days = format!("half a month = {} to {}", span.from, minus(span.to, 1.day()));
            let note = span.note.map_or(days.clone(), |note| format!("{days}; {note}"));
            Ok(Span { note: Some(note), open: true, ..span })
        }
        Period::Today => noted("today", today, 1.day(), format!("the last day in {column}")),
        Period::Yesterday => {
            noted("yesterday", minus(today, 1.day()), 1.day(), format!("the day before the last day in {column}"))
        }
        Period::This(grain) => {
            let from = start_of(today, *grain);
            let what = format!("the calendar {} of the last day in {column}", grain.as_str());
            noted(&format!("this {}", grain.as_str()), from, length(*grain, 1), what)
        }
        Period::Last(Grain::Week) => {
            let what = format!("the seven days that end with the last day in {column}");
            noted("last week", minus(today, 6.days()), 7.days(), what)
        }
        Period::Last(Grain::Day) => span(&Period::Yesterday, anchor, column),
        Period::Last(grain) => {
            let from = minus(start_of(today, *grain), length(*grain, 1));
            let what = format!("the calendar {} before that of the last day in {column}", grain.as_str());
            noted(&format!("last {}", grain.as_str()), from, length(*grain, 1), what)
        }
        Period::LastWeekend => {
            let sunday = minus(today, i64::from(today.weekday().to_sunday_zero_offset()).days());
            let what = format!("the last one that ends by the last day in {column}");
            noted("last weekend", minus(sunday, 1.day()), 2.days(), what).map(|span| Span { open: true, ..span })
        }
        Period::Prior(..) => Err("what the period comes before is not said".to_string()),
        Period::LastMany(many, Grain::Day) => last_days(*many, *many, "days", today, column),
        Period::LastMany(many, Grain::Week) => last_days(*many, many * 7, "weeks", today, column),
        Period::LastMany(_, Grain::Hour) => Err("hours are resolved with the column's last moment".to_string()),
        Period::LastMany(many, grain) => {
            let from = minus(start_of(today, *grain), length(*grain, *many));
            let what = format!("the {many} full calendar {}s before that of the last day in {column}", grain.as_str());
            let words = format!("last {many} {}s", grain.as_str());
            noted(&words, from, length(*grain, *many), what).map(|span| Span { open: true, ..span })
        }
    }
}

fn last_days(many: i64, days: i64, unit: &str, today: Date, column: &str) -> Result<Span, String> {
    let what = format!("the {days} days that end with the last day in {column}");
    noted(&format!("last {many} {unit}"), minus(today, (days - 1).days()), days.days(), what)
}

fn noted(words: &str, from: Date, length: jiff::Span, what: String) -> Result<Span, String> {
    let to = from.checked_add(length).map_err(|_| "a period beyond the calendar".to_string())?;
    let last = minus(to, 1.day());
    let days = if last == from { from.to_string() } else { format!("{from} to {last}") };
    Ok(Span { from, to, note: Some(format!("{words} = {days}, {what}")), open: false })
}

/// The latest year in which the period touches the data; more than one such year leaves the question open.
fn yearless(anchor: Anchor, column: &str, make: impl Fn(i16) -> Option<Period>) -> Result<Span, String> {
    let years = (anchor.first.year()..=anchor.last.year()).rev();
    let spans: Vec<(Date, Date)> = years
        .filter_map(|year| if let Some(Period::Span(from, to)) = make(year) { Some((from, to)) } else { None })
        .filter(|(from, to)| *from <= anchor.last && *to > anchor.first)
        .collect();
    let Some(&(from, to)) = spans.first() else {
        return Err(format!("{column} has no such days: it runs from {} to {}", anchor.first, anchor.last));
    };
    let note = format!("the year is {}, the latest one in {column}", from.year());
    let several = anchor.first.year() != anchor.last.year();
    Ok(Span { from, to, note: several.then_some(note), open: spans.len() > 1 })
}

fn minus(day: Date, span: jiff::Span) -> Date {
    day.checked_sub(span).unwrap_or(Date::MIN)
}

fn length(grain: Grain, many: i64) -> jiff::Span {
    match grain {
        Grain::Year => many.years(),
        Grain::Quarter => (3 * many).months(),
        Grain::Month => many.months(),
        Grain::Week => many.weeks(),
        Grain::Day | Grain::Hour => many.days(),
    }
}

fn start_of(day: Date, grain: Grain) -> Date {
    match grain {
        Grain::Year => Date::new(day.year(), 1, 1).unwrap_or(day),
        Grain::Quarter => Date::new(day.year(), (day.month() - 1) / 3 * 3 + 1, 1).unwrap_or(day),
        Grain::Month => day.first_of_month(),
        Grain::Week => minus(day, i64::from(day.weekday().to_monday_zero_offset()).days()),
        Grain::Day | Grain::Hour => day,
    }
}
