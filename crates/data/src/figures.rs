//! How cells are written for people: rounded, with thousands set apart, with their unit, periods by name.
//!
//! Sentences and charts write them the same way, so that no reader has to compare two roundings of one cell.

use base::{Cell, Column, Type};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::dataset::Dataset;
use crate::plan::{Agg, ComputeOp, Expr, Grain, Measure, Plan};

/// How the numbers of one output column are written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Form {
    /// Shares, relative changes and averages of truths are told in percent.
    pub percent: bool,
    /// Decimals at most.
    pub digits: usize,
    /// Such as `hours`.
    pub unit: Option<String>,
}

impl Form {
    /// The form of an output column of a plan.
    pub fn of(plan: &Plan, dataset: &Dataset, column: &Column) -> Form {
        let digits = if column.ty == Type::Int { 0 } else { 2 };
        // What is aggregated over groups is written as the groups' values are; how many groups there are has no unit.
        let name = match plan.over.iter().find(|over| over.name == column.name) {
            Some(over) => over.of.as_deref(),
            None => Some(column.name.as_str()),
        };
        let percent = name.is_some_and(|name| is_fraction(plan, dataset, name));
        let unit = name.and_then(|name| unit(plan, dataset, name)).filter(|_| !percent);
        Form { percent, digits, unit }
    }

    /// One cell with its unit.
    pub fn text(&self, cell: &Cell) -> String {
        match (number(cell), &self.unit) {
            (Some(number), Some(unit)) => format!("{} {unit}", self.bare(number)),
            (Some(number), None) => self.bare(number),
            (None, _) => cell.as_str().map_or_else(|| cell.to_string(), str::to_string),
        }
    }

    /// One number without its unit.
    pub fn bare(&self, number: f64) -> String {
        if self.percent { format!("{} %", rounded(number * 100.0, 1)) } else { rounded(number, self.digits) }
    }
}

fn measure<'a>(plan: &'a Plan, name: &str) -> Option<&'a Measure> {
    plan.measures.iter().find(|measure| measure.name == name)
}

fn is_fraction(plan: &Plan, dataset: &Dataset, name: &str) -> bool {
    if let Some(compute) = plan.compute.iter().find(|compute| compute.name == name) {
        return matches!(compute.op, ComputeOp::Share | ComputeOp::ChangePct)
            || (compute.op == ComputeOp::Ratio && is_part_of_whole(plan, &compute.args));
    }
    measure(plan, name).is_some_and(|measure| match (&measure.agg, &measure.expr) {
        (Agg::Avg, Some(Expr::Col { col })) => dataset.column(col).is_some_and(|column| column.ty == Type::Bool),
        _ => false,
    })
}

/// Whether a ratio compares one measure over fewer rows with the same over more.
fn is_part_of_whole(plan: &Plan, args: &[String]) -> bool {
    let [part, whole] = args else { return false };
    match (measure(plan, part), measure(plan, whole)) {
        (Some(part), Some(whole)) => part.agg == whole.agg && part.expr == whole.expr && part.filter.is_some(),
        _ => false,
    }
}

fn unit(plan: &Plan, dataset: &Dataset, name: &str) -> Option<String> {
    let measure = measure(plan, name)?;
    if matches!(measure.agg, Agg::Count | Agg::CountDistinct) {
        return None;
    }
    let declared = dataset.measures.iter().find(|d| d.agg == measure.agg && d.expr == measure.expr);
    let of_measure = declared.and_then(|declared| declared.unit.clone());
    let of_column = match &measure.expr {
        Some(Expr::Col { col }) => dataset.column(col).and_then(|column| column.unit.clone()),
        _ => None,
    };
    of_measure.or(of_column)
}

/// The number in a cell, however it is spelled.
pub fn number(cell: &Cell) -> Option<f64> {
    match cell {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.parse().ok(),
        _ => None,
    }
}

/// A period by its first day, as people say it.
pub fn period(grain: Grain, start: &str) -> String {
    const MONTHS: [&str; 12] = [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ];
    let year = start.get(..4).unwrap_or(start);
    let month: usize = start.get(5..7).and_then(|month| month.parse().ok()).unwrap_or(1);
    match grain {
        Grain::Year => year.to_string(),
        Grain::Quarter => format!("Q{} {year}", (month.max(1) - 1) / 3 + 1),
        Grain::Month => format!("{} {year}", MONTHS.get(month.max(1) - 1).unwrap_or(&start)),
        Grain::Week => format!("the week of {start}"),
        Grain::Day | Grain::Hour => start.replace('T', " "),
    }
}

/// A number with thousands set apart and at most `digits` decimals.
pub fn rounded(number: f64, digits: usize) -> String {
    if !number.is_finite() {
        return number.to_string();
    }
    let text = format!("{number:.digits$}");
    match text.split_once('.') {
        Some((whole, rest)) => format!("{}.{rest}", grouped(whole)),
        None => grouped(&text),
    }
}

/// Digits with thousands set apart.
pub fn grouped(whole: &str) -> String {
    let (sign, figures) = whole.strip_prefix('-').map_or(("", whole), |figures| ("-", figures));
    let mut out = String::new();
    for (index, figure) in figures.chars().enumerate() {
        if index > 0 && (figures.len() - index) % 3 == 0 {
            out.push(',');
        }
        out.push(figure);
    }
    format!("{sign}{out}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_rounded_for_reading_only() {
        assert_eq!(rounded(1234567.891, 2), "1,234,567.89");
        assert_eq!(rounded(-4018.0, 0), "-4,018");
        assert_eq!(rounded(0.125, 2), "0.12");
    }

    #[test]
    fn periods_are_said_as_people_say_them() {
        assert_eq!(period(Grain::Month, "2026-05-01"), "May 2026");
        assert_eq!(period(Grain::Quarter, "2026-10-01"), "Q4 2026");
        assert_eq!(period(Grain::Hour, "2026-05-01T13:00:00"), "2026-05-01 13:00:00");
    }
}
