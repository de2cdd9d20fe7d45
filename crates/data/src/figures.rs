//! How cells are written for people: rounded, with thousands set apart, with their unit, periods by name.
//!
//! Sentences and charts write them the same way, so that no reader has to compare two roundings of one cell.

use base::{Cell, Column, Type};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::bins::Bins;
use crate::dataset::Dataset;
use crate::plan::{Agg, ComputeOp, Expr, Grain, Measure, Part, Plan};

/// How the numbers of one output column are written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Form {
    /// Shares, relative changes and averages of truths are told in percent.
    pub percent: bool,
    /// Decimals at most.
    pub digits: usize,
    /// Such as `hours`.
    pub unit: Option<String>,
    /// Calendar years have no thousands.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub years: bool,
    /// Correlations lie between -1 and 1: what is too small for the digits is nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub correlates: bool,
    /// Lower edges of bins are told as the bins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bins: Option<Bins>,
}

impl Form {
    /// The form of an output column of a plan.
    pub fn of(plan: &Plan, dataset: &Dataset, column: &Column) -> Form {
        let whole = column.ty == Type::Int;
        // What is aggregated over groups is written as the groups' values are; how many groups there are has no unit.
        let name = match plan.over.iter().find(|over| over.name == column.name) {
            Some(over) => over.of.as_deref(),
            None => Some(column.name.as_str()),
        };
        let percent = name.is_some_and(|name| is_fraction(plan, dataset, name));
        let unit = name.and_then(|name| unit(plan, dataset, name)).filter(|_| !percent);
        let years = unit.is_none() && name.is_some_and(|name| are_years(plan, dataset, name));
        let bins = name.and_then(|name| bins(plan, dataset, name));
        let correlates = name.is_some_and(|name| is_correlation(plan, name));
        let digits = if whole { 0 } else { 2 + usize::from(correlates) };
        Form { percent, digits, unit, years, correlates, bins }
    }

    /// One that counts rows.
    pub fn of_counts() -> Form {
        Form { percent: false, digits: 0, unit: None, years: false, correlates: false, bins: None }
    }

    /// One cell with its unit.
    pub fn text(&self, cell: &Cell) -> String {
        let exact = cell.as_str().map_or_else(|| cell.to_string(), str::to_string);
        match (number(cell), &self.unit) {
            (Some(number), Some(unit)) if number.abs() == 1.0 && self.digits == 0 => {
                format!("{} {}", self.figure(&exact), one_of(unit))
            }
            (Some(_), Some(unit)) => format!("{} {unit}", self.figure(&exact)),
            (Some(_), None) => self.figure(&exact),
            (None, _) => exact,
        }
    }

    /// A number as the table spells it, for reading. Whole numbers keep every digit, however many.
    pub fn figure(&self, exact: &str) -> String {
        if let (Some(bins), Ok(edge)) = (&self.bins, exact.parse()) {
            return bins.text(edge);
        }
        let digits = exact.strip_prefix('-').unwrap_or(exact);
        if !self.percent && self.digits == 0 && digits.chars().all(|letter| letter.is_ascii_digit()) {
            return if self.years { exact.to_string() } else { grouped(exact) };
        }
        exact.parse().map_or_else(|_| exact.to_string(), |number| self.bare(number))
    }

    /// One number without its unit.
    pub fn bare(&self, number: f64) -> String {
        match self {
            Form { bins: Some(bins), .. } => bins.text(number),
            Form { percent: true, .. } => format!("{} %", readable(number * 100.0, 1)),
            Form { years: true, .. } => format!("{number:.0}"),
            Form { correlates: true, digits, .. } => {
                let told = rounded(number, *digits);
                if told.trim_matches(['-', '0', '.']).is_empty() { rounded(0.0, *digits) } else { told }
            }
            Form { digits, .. } => readable(number, *digits),
        }
    }
}

/// Whether the values of a row are calendar years for all that the data shows.
pub(crate) fn is_year(expr: &Expr, dataset: &Dataset) -> bool {
    const CALENDAR: std::ops::RangeInclusive<i64> = 1500..=2200;
    match expr {
        Expr::Part { part, .. } => *part == Part::Year,
        Expr::Col { col } => dataset.column(col).is_some_and(|column| {
            let within =
                |cell: &Option<Cell>| cell.as_ref().and_then(Cell::as_i64).is_some_and(|n| CALENDAR.contains(&n));
            column.ty == Type::Int && within(&column.min) && within(&column.max)
        }),
        _ => false,
    }
}

/// Whether an output column holds correlations, or the difference between two.
pub(crate) fn is_correlation(plan: &Plan, name: &str) -> bool {
    let correlates = |name: &str| measure(plan, name).is_some_and(|measure| measure.agg == Agg::Corr);
    let between = plan.compute.iter().find(|made| made.name == name);
    match between.filter(|made| matches!(made.op, ComputeOp::Diff | ComputeOp::Change | ComputeOp::Cumulative)) {
        Some(made) => made.args.iter().all(|arg| correlates(arg)),
        None => correlates(name),
    }
}

/// The bins that an output column holds the lower edges of.
fn bins(plan: &Plan, dataset: &Dataset, name: &str) -> Option<Bins> {
    let groups = plan.group.iter().map(|group| (&group.name, &group.expr));
    let mut shown = groups.chain(plan.select.iter().map(|select| (&select.name, &select.expr)));
    shown.find(|(known, _)| *known == name).and_then(|(_, expr)| Bins::of(expr, dataset))
}

/// Whether an output column holds calendar years.
fn are_years(plan: &Plan, dataset: &Dataset, name: &str) -> bool {
    let expr = match measure(plan, name) {
        Some(Measure { agg: Agg::Min | Agg::Max, expr, .. }) => expr.as_ref(),
        Some(_) => None,
        None => {
            let groups = plan.group.iter().map(|group| (&group.name, &group.expr));
            let mut shown = groups.chain(plan.select.iter().map(|select| (&select.name, &select.expr)));
            shown.find(|(known, _)| *known == name).map(|(_, expr)| expr)
        }
    };
    expr.is_some_and(|expr| is_year(expr, dataset))
}

/// A unit after one: `1 hour`.
fn one_of(unit: &str) -> &str {
    let counted =
        ["years", "months", "weeks", "days", "hours", "minutes", "seconds", "units", "items", "pieces", "points"];
    if counted.contains(&unit) { unit.trim_end_matches('s') } else { unit }
}

/// A number rounded for reading, but never to nothing: a small one keeps three digits that say something.
fn readable(number: f64, digits: usize) -> String {
    let size = number.abs();
    if size >= 1e16 || size > 0.0 && size < 1e-6 {
        return scientific(number);
    }
    let smallest = 10_f64.powi(1 - digits as i32);
    if size == 0.0 || size >= smallest || size.fract() == 0.0 {
        return rounded(number, digits);
    }
    let first = -size.log10().floor() as usize;
    let text = format!("{number:.*}", first + 2);
    padded(text.trim_end_matches('0'), digits)
}

/// At least so many decimals.
fn padded(text: &str, digits: usize) -> String {
    let decimals = text.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    format!("{text}{}", "0".repeat(digits.saturating_sub(decimals)))
}

/// Three digits and a power of ten.
pub fn scientific(number: f64) -> String {
    let text = format!("{number:.2e}");
    match text.split_once('e') {
        Some((digits, power)) => {
            format!("{}e{power}", digits.trim_end_matches('0').trim_end_matches('.'))
        }
        None => text,
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
    let same = [ComputeOp::Cumulative, ComputeOp::Change, ComputeOp::Diff];
    if let Some(compute) = plan.compute.iter().find(|compute| compute.name == name && same.contains(&compute.op)) {
        return compute.args.first().filter(|arg| *arg != name).and_then(|arg| unit(plan, dataset, arg));
    }
    if let Some(select) = plan.select.iter().find(|select| select.name == name) {
        return column_unit(dataset, &select.expr);
    }
    let measure = measure(plan, name)?;
    if matches!(measure.agg, Agg::Count | Agg::CountDistinct | Agg::Corr) {
        return None;
    }
    let declared = dataset.measures.iter().find(|d| d.agg == measure.agg && d.expr == measure.expr);
    let of_measure = declared.and_then(|declared| declared.unit.clone());
    of_measure.or_else(|| measure.expr.as_ref().and_then(|expr| column_unit(dataset, expr)))
}

fn column_unit(dataset: &Dataset, expr: &Expr) -> Option<String> {
    match expr {
        Expr::Col { col } => dataset.column(col).and_then(|column| column.unit.clone()),
        _ => None,
    }
}

/// The number in a cell, however it is spelled.
pub fn number(cell: &Cell) -> Option<f64> {
    match cell {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.parse().ok(),
        _ => None,
    }
}

/// The name of a month, counted from 1.
pub fn month_name(month: usize) -> &'static str {
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
    MONTHS[month.clamp(1, 12) - 1]
}

/// A period by its first day, as people say it.
pub fn period(grain: Grain, start: &str) -> String {
    let year = start.get(..4).unwrap_or(start);
    let month: usize = start.get(5..7).and_then(|month| month.parse().ok()).unwrap_or(1);
    match grain {
        Grain::Year => year.to_string(),
        Grain::Quarter => format!("Q{} {year}", (month.max(1) - 1) / 3 + 1),
        Grain::Month => format!("{} {year}", month_name(month)),
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
        let form = |percent: bool, digits: usize| Form { percent, digits, ..Form::of_counts() };
        for (percent, digits, exact, expected) in [
            (false, 2, "56.75", "56.75"),
            (false, 2, "0.5", "0.50"),
            (false, 2, "0.0123456", "0.0123"),
            (false, 2, "0.05", "0.05"),
            (false, 2, "-0.00012", "-0.00012"),
            (false, 2, "0.00000000123", "1.23e-9"),
            (false, 2, "0.0", "0.00"),
            (false, 2, "1.5e22", "1.5e22"),
            (false, 0, "9007199254740993", "9,007,199,254,740,993"),
            (false, 0, "-1200", "-1,200"),
            (true, 2, "0.9527", "95.3 %"),
            (true, 2, "0.0004", "0.04 %"),
            (true, 2, "0", "0.0 %"),
        ] {
            assert_eq!(form(percent, digits).figure(exact), expected);
        }
        let correlation = Form { correlates: true, ..form(false, 3) };
        let told = ["0.29876", "-0.9996", "-0.0000000000000001", "1"].map(|exact| correlation.figure(exact));
        assert_eq!(told, ["0.299", "-1.000", "0.000", "1.000"]);
        let hours = Form { unit: Some("hours".to_string()), ..form(false, 0) };
        assert_eq!([1, 2].map(|hour| hours.text(&hour.into())), ["1 hour", "2 hours"]);
    }

    #[test]
    fn periods_are_said_as_people_say_them() {
        assert_eq!(period(Grain::Month, "2026-05-01"), "May 2026");
        assert_eq!(period(Grain::Quarter, "2026-10-01"), "Q4 2026");
        assert_eq!(period(Grain::Hour, "2026-05-01T13:00:00"), "2026-05-01 13:00:00");
    }
}
