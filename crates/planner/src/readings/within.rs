//! How soon something was done, as a condition: `paid within 7 days`, `delivered more than 3 days after being ordered`.

use base::Type;
use data::plan::Test;

use super::filters::add;
use super::{Parser, Steps, dates};
use crate::draft::{Amount, Condition, Draft};
use crate::index::{ColId, Index, Interval};
use crate::mentions::What;
use crate::score::Feature;

/// A verb with a date of its own, and how long it took until then.
pub fn done_within(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    if draft.heads.is_empty() || draft.is_open() {
        return;
    }
    for mention in parser.mentions.at(at) {
        let What::Event(ids) = &mention.what else { continue };
        let [date] = ids[..] else { continue };
        let start = mention.end + usize::from(parser.word(mention.end) == "in");
        for (end, test, amounts) in parser.comparisons(start, false).iter().cloned() {
            if !is_time(&amounts) {
                continue;
            }
            for (end, interval, said) in since(parser, end, date) {
                if fits(parser.index, interval, test, &amounts) {
                    let condition = Condition::Elapsed { interval, test, amounts: amounts.clone() };
                    let open: &[Feature] = if said { &[] } else { &[Feature::OpenChoice] };
                    steps.push((end, add(draft, condition, open)));
                }
            }
        }
    }
}

/// From when on it is counted, whether or not that is said: `of the order`, `after being issued`.
fn since(parser: &Parser, at: usize, date: ColId) -> Vec<(usize, Interval, bool)> {
    if !matches!(parser.word(at), "of" | "after" | "from") {
        let own = parser.index.interval_until(date);
        return own.map(|interval| (at, interval, false)).into_iter().collect();
    }
    let starts = dates::named(parser, at + 1).into_iter();
    starts.filter_map(|start| Some((start.end, dates::mixed_pair(parser, start.date, date)?, !start.open))).collect()
}

fn is_time(amounts: &[Amount]) -> bool {
    amounts.iter().all(|amount| amount.unit.as_ref().is_some_and(|unit| unit.family == "time"))
}

/// From a moment to a day, only a bound of whole days that includes its last is the same by the clock and by the calendar.
fn fits(index: &Index, interval: Interval, test: Test, amounts: &[Amount]) -> bool {
    let (start, end) = (index.column(interval.start).ty, index.column(interval.end).ty);
    let whole = |amount: &Amount| {
        let days = amount.unit.as_ref().map_or(0.0, |unit| amount.number * unit.factor / 1440.0);
        days >= 1.0 && days.fract() == 0.0
    };
    let bounded = matches!(test, Test::Le | Test::Gt) && amounts.iter().all(whole);
    start == end || start == Type::Timestamp && end == Type::Date && bounded
}
