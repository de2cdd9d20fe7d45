//! Periods in a question: parsed here as words, resolved against the last day of a date column.
//!
//! "Today" is the last day in the column used, so an answer does not change with the clock. What a relative word came to
//! mean is always reported as an assumption.

mod clock;
mod halves;
mod open_ended;
mod parse;
mod resolve;

use data::plan::Grain;
use jiff::civil::Date;

pub use parse::{MONTHS, is_weekday, parse};
pub use resolve::{Anchor, resolve};

/// A condition on time.
#[derive(Clone, Debug, PartialEq)]
pub enum When {
    In(Period),
    Since(Period),
    After(Period),
    Before(Period),
    Until(Period),
    Between(Period, Period),
    /// English names of weekdays.
    Weekdays(Vec<&'static str>),
    Hours(Hours),
    /// So many periods just before another condition's first day.
    PriorTo(Box<When>, i64, Grain),
}

/// Hours of the day.
#[derive(Clone, Debug, PartialEq)]
pub struct Hours {
    /// From the first hour up to, not including, the second; over midnight where the second is not later.
    pub spans: Vec<(u8, u8)>,
    /// The part of the day whose hours were not said.
    pub part: Option<&'static str>,
}

/// A stretch of time as people name it.
#[derive(Clone, Debug, PartialEq)]
pub enum Period {
    /// From the first day up to, not including, the second.
    Span(Date, Date),
    /// A number that may be a year.
    Year(i16),
    /// A month of a year still to be found.
    Month(i8),
    /// A day of a year still to be found: month, day.
    MonthDay(i8, i8),
    /// A quarter of a year still to be found.
    Quarter(i8),
    /// A month, quarter or day of the year so many before that of the last day.
    OfYear(Box<Period>, i16),
    /// The first (true) or second half of a month, of a year that may still have to be found.
    HalfMonth(Option<i16>, i8, bool),
    Today,
    Yesterday,
    This(Grain),
    Last(Grain),
    LastMany(i64, Grain),
    /// Just before the period that is named beside it: "the 7 days before".
    Prior(i64, Grain),
    LastWeekend,
}
