//! Periods of results: which groups run along time, and which periods the data covers only in part.
//!
//! A last month of nine days is no fall. Whether a period is whole is told by how often the column has a date at all: it is
//! not where the next date would still lie within it. Days and hours are never judged, for nobody knows when they close.

use base::{Cell, Table};
use jiff::ToSpan as _;
use jiff::civil::Date;
use serde_json::Value;

use crate::dataset::{ColumnInfo, Dataset};
use crate::figures::{month_name, period};
use crate::plan::{Expr, Grain, Group, Part};
use crate::profile::words;

/// Fewer different dates do not show how often there is one.
const DATES_MIN: u64 = 6;
/// Days from one date to the next where data comes as regularly as a calendar has it.
const REGULAR: [f64; 5] = [1.0, 7.0, 30.44, 91.31, 365.25];
const REGULAR_WITHIN: f64 = 0.03;
/// Months differ in length.
const REGULAR_SLACK: f64 = 1.05;
/// From a Friday to a Monday.
const WEEKEND_DAYS: f64 = 3.0;

/// A period that the data covers only in part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfinished {
    /// Its first day, as the table spells it.
    pub start: String,
    grain: Grain,
    seen: Seen,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Seen {
    From(Date),
    To(Date),
}

impl Unfinished {
    /// `November 2026 has data to the 9th only`.
    pub fn words(&self) -> String {
        let (way, day) = match self.seen {
            Seen::From(day) => ("from", day),
            Seen::To(day) => ("to", day),
        };
        let day = match self.grain {
            Grain::Month => format!("the {}", ordinal(day.day())),
            _ => format!("{} {}", day.day(), month_name(day.month() as usize)),
        };
        format!("{} has data {way} {day} only", period(self.grain, &self.start))
    }

    /// Whether it is the last one; else it is the first.
    pub fn is_last(&self) -> bool {
        matches!(self.seen, Seen::To(_))
    }
}

/// The length of a group's periods; a calendar year as a number is one too.
pub fn grain(group: &Group, table: &Table) -> Option<Grain> {
    let year = || {
        let said = match &group.expr {
            Expr::Part { part, .. } => *part == Part::Year,
            Expr::Col { col } => {
                col.rsplit('.').next().is_some_and(|name| words(name).iter().any(|word| word == "year" || word == "yr"))
            }
            _ => false,
        };
        let column = table.columns.iter().position(|column| column.name == group.name)?;
        let fits = |row: &Vec<Cell>| row[column].is_null() || matches!(row[column].as_i64(), Some(1000..=2999));
        (said && table.rows.iter().all(fits)).then_some(Grain::Year)
    };
    group.grain.or_else(year)
}

/// The first moment of a period as a table spells it; a year may be a number.
pub fn start(cell: &Cell) -> Option<String> {
    match cell {
        Value::String(text) => Some(text.clone()),
        Value::Number(year) => Some(format!("{:04}-01-01", year.as_i64()?)),
        _ => None,
    }
}

/// The periods of a group that the data covers only in part, the first before the last.
pub fn unfinished(group: &Group, dataset: &Dataset, table: &Table) -> Vec<Unfinished> {
    found(group, dataset, table).unwrap_or_default()
}

fn found(group: &Group, dataset: &Dataset, table: &Table) -> Option<Vec<Unfinished>> {
    let grain = group.grain.filter(|grain| !matches!(grain, Grain::Day | Grain::Hour))?;
    let Expr::Col { col } = &group.expr else { return None };
    let info = dataset.column(col)?;
    let (first, last) = (moment(info.min.as_ref()?)?, moment(info.max.as_ref()?)?);
    let reach = reach(info, first, last)?;
    let at = table.columns.iter().position(|column| column.name == group.name)?;
    let mut periods: Vec<(Date, &str)> =
        table.rows.iter().filter_map(|row| row[at].as_str()).filter_map(|text| Some((date(text)?, text))).collect();
    periods.sort_unstable();
    periods.dedup();
    let mut found = Vec::new();
    for (start, text) in periods {
        let (from, to) = (days(start), days(next(grain, start)?));
        let unfinished = |seen: Seen| Unfinished { start: text.to_string(), grain, seen };
        if (from..to).contains(&first) && first - from >= reach {
            found.push(unfinished(Seen::From(date(info.min.as_ref()?.as_str()?)?)));
        }
        if (from..to).contains(&last) && last + reach < to {
            found.push(unfinished(Seen::To(date(info.max.as_ref()?.as_str()?)?)));
        }
    }
    Some(found)
}

/// How many days after one date the next is expected at the latest.
fn reach(info: &ColumnInfo, first: f64, last: f64) -> Option<f64> {
    if info.distinct < DATES_MIN {
        return None;
    }
    let step = (last - first) / (info.distinct - 1) as f64;
    if info.ty == base::Type::Timestamp {
        return Some((1.5 * step).max(WEEKEND_DAYS));
    }
    let regular = REGULAR.iter().find(|days| (step - **days).abs() < REGULAR_WITHIN * **days);
    Some(regular.map_or((1.0 + 1.5 * step).max(WEEKEND_DAYS), |days| REGULAR_SLACK * days))
}

fn next(grain: Grain, start: Date) -> Option<Date> {
    let step = match grain {
        Grain::Year => 1.year(),
        Grain::Quarter => 3.months(),
        Grain::Month => 1.month(),
        Grain::Week => 1.week(),
        Grain::Day | Grain::Hour => return None,
    };
    start.checked_add(step).ok()
}

fn date(text: &str) -> Option<Date> {
    text.get(..10)?.parse().ok()
}

fn days(date: Date) -> f64 {
    date.duration_since(Date::ZERO).as_hours() as f64 / 24.0
}

/// A date or a moment in days.
fn moment(cell: &Cell) -> Option<f64> {
    let text = cell.as_str()?;
    let part = |from: usize, to: usize| text.get(from..to).and_then(|part| part.parse::<f64>().ok()).unwrap_or(0.0);
    Some(days(date(text)?) + part(11, 13) / 24.0 + part(14, 16) / 1440.0)
}

fn ordinal(number: i8) -> String {
    let ending = match (number % 10, number) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}

#[cfg(test)]
mod tests {
    use base::{Column, Hash, Type};
    use serde_json::json;

    use super::*;
    use crate::dataset::TableInfo;

    /// What is said of the periods that begin on `starts`, of dates from `min` to `max`.
    #[track_caller]
    fn check(grain: &str, (min, max, distinct): (&str, &str, u64), starts: &[&str], expected: &[&str]) {
        let ty = if min.len() > 10 { "timestamp" } else { "date" };
        let column = json!({
            "name": "day", "type": ty, "description": "", "synonyms": [], "noun": null, "unit": null, "nulls": 0,
            "distinct": distinct, "unique": false, "min": min, "max": max, "values": [], "values_complete": false,
        });
        let table = TableInfo {
            name: "t".to_string(),
            description: String::new(),
            noun: None,
            synonyms: Vec::new(),
            rows: 100,
            columns: vec![serde_json::from_value(column).expect("a column")],
            cells: Vec::new(),
        };
        let dataset = Dataset {
            id: "d".to_string(),
            version: Hash::of(b"v"),
            description: String::new(),
            tables: vec![table],
            relations: Vec::new(),
            measures: Vec::new(),
            questions: Vec::new(),
        };
        let group = json!({ "as": "period", "expr": { "col": "t.day" }, "grain": grain });
        let rows: Vec<Vec<Cell>> = starts.iter().map(|start| vec![json!(start)]).collect();
        let columns = vec![Column { name: "period".to_string(), ty: Type::Date }];
        let table = Table { columns, row_count: rows.len() as u64, rows, truncated: false };
        let group: Group = serde_json::from_value(group).expect("a group");
        let said: Vec<String> = unfinished(&group, &dataset, &table).iter().map(Unfinished::words).collect();
        assert_eq!(said, expected);
    }

    #[test]
    fn a_period_is_whole_where_the_next_date_lies_beyond_it() {
        let months = ["2026-01-01", "2026-10-01", "2026-11-01"];
        let only = ["Nov 2026 has data to the 9th only"];
        check("month", ("2026-01-01", "2026-11-09", 313), &months, &only);
        check("month", ("2026-01-01", "2026-11-30", 334), &months, &[]);
        check("month", ("2026-01-15", "2026-11-30", 320), &months, &["Jan 2026 has data from the 15th only"]);
        // One date a month, at its first or its last day.
        check("month", ("2026-01-01", "2026-11-01", 11), &months, &[]);
        check("month", ("2026-01-31", "2026-11-30", 11), &months, &[]);
        // Working days: the 28th is a Friday, the 30th a Sunday.
        check("month", ("2025-11-03", "2025-11-28", 20), &["2025-11-01"], &[]);
        // Three times a month.
        check("month", ("2026-01-05", "2026-11-09", 32), &months, &only);
        // Too few to tell.
        check("month", ("2026-01-05", "2026-11-09", 4), &months, &[]);
        // The last month of the data is not asked for.
        check("month", ("2026-01-01", "2026-11-09", 313), &months[..2], &[]);
    }

    #[test]
    fn years_quarters_and_weeks_are_told_by_day_and_month() {
        check("year", ("2019-01-01", "2024-03-15", 1901), &["2024-01-01"], &["2024 has data to 15 March only"]);
        check("year", ("2019-01-01", "2024-12-01", 72), &["2024-01-01"], &[]);
        check("year", ("2019-01-01", "2024-11-01", 71), &["2024-01-01"], &["2024 has data to 1 November only"]);
        check("quarter", ("2019-01-01", "2024-03-15", 1901), &["2024-01-01"], &["Q1 2024 has data to 15 March only"]);
        let week = ["the week of 2024-03-11 has data to 13 March only"];
        check("week", ("2019-01-01", "2024-03-13", 1899), &["2024-03-11"], &week);
        check("week", ("2019-01-01T08:00:00", "2024-03-15T17:50:00", 90_000), &["2024-03-11T00:00:00"], &[]);
        check("day", ("2019-01-01T08:00:00", "2024-03-13T09:00:00", 90_000), &["2024-03-13T00:00:00"], &[]);
    }
}
