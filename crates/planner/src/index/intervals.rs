//! How long a row took, where its table says only when it began and when it ended.

use base::{Cell, Type};

use super::{ColId, Index};
use crate::schema::TableId;

/// The two dates of a row that are the beginning and the end of one event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    pub start: ColId,
    pub end: ColId,
}

const STARTS: &[&str] = &[
    "start",
    "started",
    "begin",
    "began",
    "begun",
    "from",
    "admitted",
    "admission",
    "created",
    "opened",
    "open",
    "hire",
    "hired",
    "joined",
    "checkin",
    "pickup",
    "issue",
    "issued",
    "order",
    "ordered",
    "placed",
    "submitted",
    "received",
    "request",
    "report",
    "booked",
    "booking",
    "borrowed",
    "loan",
    "loaned",
    "lent",
    "rented",
    "rental",
    "reported",
    "requested",
    "entered",
    "signed",
    "sown",
    "planted",
    "departure",
    "departed",
    "out",
];
/// What goes out on one of two dates and is there on the other; after an order it is an end by itself.
const SENT: &[&str] = &["ship", "shipped", "shipping", "dispatch", "dispatched", "sent", "mailed"];
const ENDS: &[&str] = &[
    "end",
    "ended",
    "finish",
    "finished",
    "to",
    "until",
    "discharged",
    "discharge",
    "resolved",
    "closed",
    "exit",
    "left",
    "return",
    "returned",
    "checkout",
    "dropoff",
    "completed",
    "completion",
    "delivery",
    "delivered",
    "arrival",
    "arrived",
    "shipped",
    "terminated",
    "termination",
    "released",
    "resolution",
    "solved",
    "settled",
    "repaid",
    "paid",
    "harvest",
    "harvested",
];
/// Words of numbers that already say how long.
const DURATIONS: &[&str] =
    &["duration", "length", "runtime", "elapsed", "tenure", "days", "hours", "minutes", "nights", "seconds", "los"];

/// The interval of each table that has exactly one and no number that says how long it was.
pub fn all(index: &Index) -> Vec<Interval> {
    (0..index.dataset.tables.len()).filter_map(|table| of_table(index, table)).collect()
}

/// The only interval of a table, where both its dates are of one kind.
fn of_table(index: &Index, table: TableId) -> Option<Interval> {
    of_dates(index, table).filter(|found| index.column(found.start).ty == index.column(found.end).ty)
}

/// The interval of a table that may begin with a moment and end with a day.
fn of_dates(index: &Index, table: TableId) -> Option<Interval> {
    let ids = || index.columns_of(table);
    if ids().any(|id| is_duration(index, id)) {
        return None;
    }
    let of = |words: &[&str]| -> Vec<ColId> {
        let named = |id: &ColId| index.facts(*id).has_any(words);
        ids().filter(|id| index.column(*id).ty.is_temporal() && named(id)).collect()
    };
    let (starts, ends, sent) = (of(STARTS), of(ENDS), of(SENT));
    let there: Vec<ColId> = ends.iter().copied().filter(|id| !sent.contains(id)).collect();
    let pair = match (&starts[..], &ends[..], &sent[..], &there[..]) {
        // A departure comes before the arrival of a flight, and after that of a guest.
        ([start], [end], ..) if is_travel(index, *start, *end) => {
            Some(if runs_before(index, *start, *end) { (*start, *end) } else { (*end, *start) })
        }
        ([start], [end], ..) if start != end => Some((*start, *end)),
        ([], _, [start], [end]) => Some((*start, *end)),
        _ => only_two(index, ids().collect()),
    };
    let (start, end) = pair.filter(|(start, end)| runs_before(index, *start, *end))?;
    Some(Interval { start, end })
}

impl Index {
    /// The interval of its table that a date ends; it may begin with a moment and end with a day.
    pub(crate) fn interval_until(&self, date: ColId) -> Option<Interval> {
        of_dates(self, date.table).filter(|interval| interval.end == date)
    }
}

/// The only two dates of a table that say when something was done.
fn only_two(index: &Index, ids: Vec<ColId>) -> Option<(ColId, ColId)> {
    let done = |id: &ColId| {
        let facts = index.facts(*id);
        let elsewhen = facts.words.iter().any(|word| index.lexicon.is_elsewhen(word));
        index.column(*id).ty.is_temporal() && !facts.event.is_empty() && !elsewhen
    };
    let dates: Vec<ColId> = ids.into_iter().filter(done).collect();
    let [first, second] = dates[..] else { return None };
    Some(if runs_before(index, first, second) { (first, second) } else { (second, first) })
}

fn is_travel(index: &Index, start: ColId, end: ColId) -> bool {
    let says = |id: ColId, words: &[&str]| index.facts(id).has_any(words);
    says(start, &["departure", "departed"]) && says(end, &["arrival", "arrived"])
}

/// Whether a number of the table already says how long.
fn is_duration(index: &Index, id: ColId) -> bool {
    let facts = index.facts(id);
    let timed = facts.unit.as_ref().is_some_and(|unit| unit.family == "time" || unit.family == "milliseconds");
    let named = facts.has_any(DURATIONS);
    index.column(id).ty.is_number() && (timed || named)
}

fn runs_before(index: &Index, start: ColId, end: ColId) -> bool {
    let bound = |cell: &Option<Cell>| cell.as_ref().and_then(Cell::as_str).map(str::to_string);
    let (start, end) = (index.column(start), index.column(end));
    let first = bound(&start.min).zip(bound(&end.min)).is_some_and(|(start, end)| start <= end);
    // What has not ended yet may have begun after the last end.
    first && (end.nulls > 0 || bound(&start.max).zip(bound(&end.max)).is_some_and(|(start, end)| start <= end))
}

impl Interval {
    /// The table whose rows have both dates, one of them perhaps by a link.
    pub fn rows(self, index: &Index) -> TableId {
        match index.schema.hops(self.start.table, self.end.table) {
            Some(_) => self.start.table,
            None => self.end.table,
        }
    }

    /// Whether its moments have a time of day, so that it is told in hours rather than days.
    pub fn is_timed(self, index: &Index) -> bool {
        index.column(self.start).ty == Type::Timestamp
    }
}
