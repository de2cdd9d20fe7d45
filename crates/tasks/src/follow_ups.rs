//! How an answer can be continued in its thread: a few short questions, made of its plan and of its data.
//!
//! Each one is planned as the continuation that it would be before it is offered, and only where its words can be meant in
//! one way, so that whoever asks it next gets an answer. Nothing is executed; that takes as long as planning some questions,
//! which is why it is done when somebody wants to see them and not with every answer.

use base::{Cell, Type};
use data::Dataset;
use data::dataset::{ColumnInfo, TableInfo};
use data::figures::month_name;
use data::plan::{Expr, Grain, Plan, Pred, Test};
use planner::{Index, Outcome, Previous};
use serde_json::Value;

/// How many are offered.
const OFFERED_MAX: usize = 3;
/// How many of one kind are planned at most.
const PLANNED_MAX: usize = 3;
/// More values are no choice to be drawn beside each other.
const VALUES_MAX: u64 = 50;
/// Few enough groups to be followed along time.
const LINES_MAX: usize = 8;
/// More rows are worth cutting.
const ROWS_MANY: usize = 10;
const TOP: usize = 5;
/// A name that is longer is no word to repeat.
const NAME_CHARS_MAX: usize = 40;
/// Up to how many days, and then months, are looked at one by one.
const DAYS_MAX: i64 = 45;
const MONTHS_DAYS_MAX: i64 = 1100;

/// What continues an answer document; nothing where its plan does not fit the data any more, or nothing fits it.
pub fn follow_ups(index: &Index, dataset: &Dataset, answer: &Value) -> Vec<String> {
    let Some(previous) = previous(dataset, answer) else { return Vec::new() };
    let mut offered = Vec::new();
    let mut plans = vec![previous.plan.hash()];
    // Of each kind one: the next of a kind only where the one before is not understood.
    for kind in candidates(dataset, &previous.plan, &answer["table"]) {
        let understood = kind.into_iter().take(PLANNED_MAX).find(|words| {
            let Outcome::Answer(found) = planner::plan_after(index, &previous, words) else { return false };
            let plan = found.reading.plan.hash();
            let is_new = !found.reading.ambiguous && !plans.contains(&plan);
            plans.extend(is_new.then_some(plan));
            is_new
        });
        offered.extend(understood);
        if offered.len() == OFFERED_MAX {
            break;
        }
    }
    offered
}

/// What an answer document says was answered, as what is asked next continues it.
pub(crate) fn previous(dataset: &Dataset, answer: &Value) -> Option<Previous> {
    let plan = data::plan::read(&answer["plan"], dataset).ok()?;
    let ambiguous = answer["known"]["level"] != "verified" && answer["known"]["by"] == "oracle";
    Some(Previous {
        question: answer["question"].as_str()?.to_string(),
        plan,
        focus: serde_json::from_value(answer["focus"].clone()).ok()?,
        assumptions: serde_json::from_value(answer["assumptions"].clone()).ok()?,
        ambiguous,
    })
}

/// What could be said, the most telling kind first.
fn candidates(dataset: &Dataset, plan: &Plan, table: &Value) -> Vec<Vec<String>> {
    if plan.measures.is_empty() {
        return vec![cut(plan, table)];
    }
    vec![
        over_time(dataset, plan, table),
        narrowed(plan, table),
        other_period(plan),
        split(dataset, plan),
        cut(plan, table),
    ]
}

/// The same along time.
fn over_time(dataset: &Dataset, plan: &Plan, table: &Value) -> Vec<String> {
    let is_along = plan.group.iter().any(|group| group.grain.is_some());
    let Some(days) = period(plan).map(|(from, to)| days(to) - days(from)).or_else(|| length(dataset, plan)) else {
        return Vec::new();
    };
    if is_along || plan.top.is_some() {
        return Vec::new();
    }
    let grain = if days <= DAYS_MAX {
        Grain::Day
    } else if days <= MONTHS_DAYS_MAX {
        Grain::Month
    } else {
        Grain::Year
    };
    let by = format!("by {}", grain.as_str());
    match plan.group.len() {
        0 => vec![by],
        1 if rows(table).len() <= LINES_MAX => vec![format!("{by} too"), format!("{by} instead")],
        _ => vec![format!("{by} instead")],
    }
}

/// Only what stands first.
fn narrowed(plan: &Plan, table: &Value) -> Vec<String> {
    let first = rows(table).first().filter(|_| rows(table).len() > 1);
    let named = plan.group.iter().filter(|group| group.grain.is_none() && matches!(group.expr, Expr::Col { .. }));
    let values = named.filter_map(|group| {
        let at = table["columns"].as_array()?.iter().position(|column| column["name"] == group.name.as_str())?;
        let name = first?.get(at)?.as_str()?;
        let is_plain = !name.is_empty() && name.chars().count() <= NAME_CHARS_MAX && !name.contains(['"', '\n', '?']);
        is_plain.then(|| format!("only {name}"))
    });
    values.collect()
}

/// The period before, or the last month where all of them were looked at.
fn other_period(plan: &Plan) -> Vec<String> {
    match period(plan) {
        Some((from, to)) => before(from, to).into_iter().collect(),
        None if plan.filter.is_none() && plan.group.iter().all(|group| group.grain.is_none()) => {
            vec!["and last month?".to_string()]
        }
        None => Vec::new(),
    }
}

/// By something else.
fn split(dataset: &Dataset, plan: &Plan) -> Vec<String> {
    let is_used = |table: &TableInfo, column: &ColumnInfo| {
        let name = format!("{}.{}", table.name, column.name);
        let groups = plan.group.iter().any(|group| group.expr == Expr::col(name.as_str()));
        groups || plan.filter.as_ref().is_some_and(|filter| columns(filter).contains(&name.as_str()))
    };
    let is_choice =
        |column: &ColumnInfo| column.ty == Type::Text && !column.unique && (2..=VALUES_MAX).contains(&column.distinct);
    let named = near(dataset, plan).flat_map(|table| table.columns.iter().map(move |column| (table, column)));
    let others = named.filter(|(table, column)| is_choice(column) && !is_used(table, column));
    let ending = if plan.group.is_empty() { "" } else { " instead" };
    others.map(|(_, column)| format!("by {}{ending}", column.name.replace('_', " "))).collect()
}

/// Fewer of them.
fn cut(plan: &Plan, table: &Value) -> Vec<String> {
    let is_long = rows(table).len() > ROWS_MANY || plan.top.as_ref().is_some_and(|top| top.n as usize > TOP);
    if is_long && !plan.group.iter().any(|group| group.grain.is_some()) {
        return vec![format!("top {TOP} only")];
    }
    Vec::new()
}

/// The table whose rows are counted, and those that each of its rows names one of.
fn near<'a>(dataset: &'a Dataset, plan: &'a Plan) -> impl Iterator<Item = &'a TableInfo> {
    let one_side = dataset.relations.iter().filter(|link| link.from_table == plan.from).map(|link| &link.to_table);
    std::iter::once(&plan.from).chain(one_side).filter_map(|name| dataset.table(name))
}

fn rows(table: &Value) -> &[Value] {
    table["rows"].as_array().map_or(&[], Vec::as_slice)
}

/// The columns that conditions look at.
fn columns(filter: &Pred) -> Vec<&str> {
    match filter {
        Pred::And { and: parts } | Pred::Or { or: parts } => parts.iter().flat_map(columns).collect(),
        Pred::Not { not } => columns(not),
        Pred::Test { expr: Expr::Col { col }, .. } => vec![col],
        Pred::Test { .. } | Pred::Exists { .. } => Vec::new(),
    }
}

/// A day as year, month and day.
type Day = (i64, i64, i64);

/// The period that all rows lie in, its end left out, if there is one.
fn period(plan: &Plan) -> Option<(Day, Day)> {
    let within = |filter: &Pred| match filter {
        Pred::Test { test: Test::Within, values, .. } => match &values[..] {
            [from, to] => day(from).zip(day(to)),
            _ => None,
        },
        _ => None,
    };
    match plan.filter.as_ref()? {
        Pred::And { and } => and.iter().find_map(within),
        filter => within(filter),
    }
}

/// How many days the data is of.
fn length(dataset: &Dataset, plan: &Plan) -> Option<i64> {
    let is_time = |column: &&ColumnInfo| matches!(column.ty, Type::Date | Type::Timestamp);
    let mut times = near(dataset, plan).flat_map(|table| &table.columns).filter(is_time);
    times.find_map(|column| Some(days(day(column.max.as_ref()?)?) - days(day(column.min.as_ref()?)?)))
}

/// `2026-05-01`, whatever follows.
fn day(cell: &Cell) -> Option<Day> {
    let text = cell.as_str()?.get(..10)?;
    let mut parts = text.split('-').map(|part| part.parse::<i64>().ok());
    Some((parts.next()??, parts.next()??, parts.next()??))
}

/// About how many days lie before one; it only says how long a period is.
fn days((year, month, day): Day) -> i64 {
    year * 365 + month * 30 + day
}

/// The month before a month, the year before a year.
fn before(from: Day, to: Day) -> Option<String> {
    match (from, to) {
        ((year, month, 1), (next, first, 1)) if next * 12 + first == year * 12 + month + 1 => {
            let (year, month) = if month == 1 { (year - 1, 12) } else { (year, month - 1) };
            Some(format!("and in {} {year}?", month_name(usize::try_from(month).ok()?)))
        }
        ((year, 1, 1), (next, 1, 1)) if next == year + 1 => Some(format!("and in {}?", year - 1)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_period_before_is_a_month_or_a_year() {
        let said = |from: &str, to: &str| before(day(&from.into())?, day(&to.into())?);
        assert_eq!(said("2026-05-01", "2026-06-01").as_deref(), Some("and in April 2026?"));
        assert_eq!(said("2026-01-01", "2026-02-01").as_deref(), Some("and in December 2025?"));
        assert_eq!(said("2026-12-01", "2027-01-01").as_deref(), Some("and in November 2026?"));
        assert_eq!(said("2026-01-01", "2027-01-01").as_deref(), Some("and in 2025?"));
        assert_eq!(said("2026-05-03", "2026-06-03"), None);
    }
}
