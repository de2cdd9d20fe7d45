//! Which date column a period is about, and its condition.

use base::{Cell, Type};
use data::plan::{Expr, Grain, Part, Pred, Test};
use jiff::ToSpan;
use jiff::civil::{Date, DateTime};

use super::Why;
use super::ground::Ground;
use crate::draft::Columns;
use crate::index::{ColId, Index};
use crate::period::{self, Anchor, Period, When};
use crate::schema::TableId;
use crate::score::Feature;

/// The dates of a table's rows: those never missing and the one of what the rows are, or else all.
pub fn dates_of(index: &Index, table: TableId) -> Columns {
    let all: Columns = index.columns_of(table).filter(|id| index.column(*id).ty.is_temporal()).collect();
    if all.iter().all(|id| index.column(*id).nulls > 0) {
        return all;
    }
    all.into_iter().filter(|id| index.column(*id).nulls == 0 || is_own_date(index, *id)).collect()
}

/// Whether a date says when what the rows are was done: deliveries are dated by when they were delivered.
fn is_own_date(index: &Index, id: ColId) -> bool {
    let noun = index.rows_of(id.table).map(|rows| index.things[rows].noun.clone()).unwrap_or_default();
    let named = |word: &String| {
        let stem = index.forms.stem(word);
        stem.len() >= OWN_LETTERS_MIN && noun.starts_with(&stem)
    };
    index.facts(id).event.iter().any(named)
}

/// A verb of fewer letters has the beginning of many nouns.
const OWN_LETTERS_MIN: usize = 4;

/// Of several dates the one by which people place a row in time: when it began or was made.
pub fn beginnings(index: &Index, dates: Columns) -> Columns {
    // What is due has not happened, and nobody places people by when they were born.
    let happened = |id: &ColId| !index.facts(*id).words.iter().any(|word| index.lexicon.is_elsewhen(word));
    let placed: Columns = dates.iter().copied().filter(happened).collect();
    let dates = if placed.is_empty() { dates } else { placed };
    let named: Columns = dates.iter().copied().filter(|id| is_own_date(index, *id)).collect();
    if named.len() == 1 {
        return named;
    }
    let begun = |id: &ColId| index.facts(*id).event.iter().any(|word| index.lexicon.is_beginning(word));
    let found: Columns = dates.iter().copied().filter(begun).collect();
    if found.len() == 1 { found } else { dates }
}

/// The dates by which people place the rows of a table in time.
pub fn moments(index: &Index, table: TableId) -> Columns {
    beginnings(index, dates_of(index, table))
}

impl Ground<'_> {
    /// The date column in use: the named one, the one already used, or the nearest.
    pub fn date_column(&mut self, named: Option<&Columns>) -> Result<ColId, Why> {
        if let Some(columns) = named {
            let column = self.nearest(columns)?;
            self.date = Some(column);
            return Ok(column);
        }
        if let Some(column) = self.date {
            return Ok(column);
        }
        if let Some(columns) = &self.draft.dated {
            let column = self.nearest(columns)?;
            self.date = Some(column);
            return Ok(column);
        }
        let index = self.index;
        let nearest = (0..index.dataset.tables.len())
            .filter(|table| !dates_of(index, *table).is_empty())
            .filter_map(|table| index.schema.hops(self.base, table).map(|hops| (hops, table)))
            .min();
        let Some((hops, table)) = nearest else {
            return Err(Why::unsupported(format!("a row of {} has no date", self.table_name())));
        };
        self.features.extend(std::iter::repeat_n(Feature::Hop, hops));
        let dates = dates_of(index, table);
        let column = self.pick(beginnings(index, dates.clone()));
        let others = index.table(table).columns.iter().filter(|info| info.ty.is_temporal()).count() > 1;
        if others {
            let placed = |id: &&ColId| !index.facts(**id).words.iter().any(|word| index.lexicon.is_elsewhen(word));
            let rivals = dates.iter().filter(placed).count() > 1;
            self.features.push(Feature::ImpliedDate);
            self.features.extend(rivals.then_some(Feature::Rival));
            let text = format!("dates are those of {}", index.qualified(column));
            self.assume("time_column", text);
        }
        self.date = Some(column);
        Ok(column)
    }

    /// "Closed in May" without a date of closing: with one date at hand that one is meant, with several none is.
    pub fn check_event_date(&mut self) -> Result<(), Why> {
        let column = self.date_column(None)?;
        let table = self.index.table(column.table);
        if table.columns.iter().filter(|info| info.ty.is_temporal()).count() > 1 {
            return Err(Why::ambiguous("which of the dates the period is about is not said"));
        }
        self.features.push(Feature::OpenChoice);
        let text = format!("the period is that of {}", self.index.qualified(column));
        self.assume("time_column", text);
        Ok(())
    }

    /// The days a column covers.
    fn anchor(&self, column: ColId) -> Result<Anchor, Why> {
        let info = self.index.column(column);
        let day = |cell: &Option<Cell>| cell.as_ref().and_then(Cell::as_str).and_then(first_day);
        match (day(&info.min), day(&info.max)) {
            (Some(first), Some(last)) => Ok(Anchor { first, last }),
            _ => Err(Why::no_data(format!("{} holds no date", self.index.qualified(column)))),
        }
    }

    /// A grain that gives a readable number of periods.
    pub fn fitting_grain(&self, column: ColId) -> Grain {
        let Ok(anchor) = self.anchor(column) else { return Grain::Month };
        let days = (anchor.last - anchor.first).get_days();
        match days {
            ..=62 => Grain::Day,
            63..=1500 => Grain::Month,
            _ => Grain::Year,
        }
    }

    /// The condition that a date lies in a period.
    pub fn time_pred(&mut self, columns: Option<&Columns>, when: &When) -> Result<Pred, Why> {
        if let When::Hours(hours) = when {
            return self.hours_pred(columns, hours);
        }
        let column = self.date_column(columns)?;
        self.named.push(column);
        let expr = self.expr(column);
        if let When::Weekdays(days) = when {
            let of = Expr::Part { part: Part::Weekday, of: Box::new(expr) };
            let values: Vec<Cell> = days.iter().map(|day| Cell::from(*day)).collect();
            let test = if values.len() == 1 { Test::Eq } else { Test::In };
            return Ok(Pred::Test { test, expr: of, values });
        }
        if let When::In(Period::LastMany(hours, Grain::Hour)) = when {
            return self.last_hours(column, *hours);
        }
        let anchor = self.anchor(column)?;
        let name = self.index.qualified(column);
        let resolved = period::resolve(when, anchor, &name).map_err(Why::no_data)?;
        let after = resolved.from.is_some_and(|from| from > anchor.last);
        let before = resolved.to.is_some_and(|to| to <= anchor.first);
        if after || before {
            return Err(Why::no_data(format!("{name} runs from {} to {}", anchor.first, anchor.last)));
        }
        if let Some(note) = resolved.note {
            self.assume("time_anchor", note);
        }
        if resolved.open {
            self.features.push(Feature::OpenChoice);
        }
        let cell = |day: Date| Cell::from(day.to_string());
        let (test, values) = match (resolved.from, resolved.to) {
            (Some(from), Some(to)) => (Test::Within, vec![cell(from), cell(to)]),
            (Some(from), None) => (Test::Ge, vec![cell(from)]),
            (None, Some(to)) => (Test::Lt, vec![cell(to)]),
            (None, None) => return Err(Why::unsupported("a period without an end")),
        };
        Ok(Pred::Test { test, expr, values })
    }

    fn last_hours(&mut self, column: ColId, hours: i64) -> Result<Pred, Why> {
        let info = self.index.column(column);
        let last = info.max.as_ref().and_then(Cell::as_str).and_then(moment);
        let Some(last) = last.filter(|_| info.ty == Type::Timestamp) else {
            return Err(Why::unsupported(format!("{} has no hours", self.index.qualified(column))));
        };
        let from = last.checked_sub(hours.hours()).map_err(|_| Why::no_data("a period beyond the calendar"))?;
        let name = self.index.qualified(column);
        self.assume("time_anchor", format!("last {hours} hours = after {from}, up to the last moment in {name}"));
        Ok(Pred::Test { test: Test::Gt, expr: self.expr(column), values: vec![Cell::from(from.to_string())] })
    }
}

fn first_day(text: &str) -> Option<Date> {
    text.get(..10)?.parse().ok()
}

fn moment(text: &str) -> Option<DateTime> {
    text.trim_end_matches('Z').replace(' ', "T").parse().ok()
}
