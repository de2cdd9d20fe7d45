//! How cells are written for people: rounded, with thousands set apart, with their unit, periods by name.
//!
//! Tables, sentences and charts write them the same way, so that no reader has to compare two roundings of one cell.

mod form;

use serde_json::Value;

use base::Cell;

use crate::plan::Grain;

pub use form::{Form, exact};
pub(crate) use form::{is_correlation, is_year};

/// A number rounded for reading, but never to nothing: one too small for so many decimals keeps three digits that say something.
fn readable(number: f64, digits: usize) -> String {
    let size = number.abs();
    if size >= 1e16 || size > 0.0 && size < 1e-6 {
        return scientific(number);
    }
    let smallest = 0.5 * 10_f64.powi(-(digits as i32));
    if size == 0.0 || size >= smallest {
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
        Grain::Month => format!("{} {year}", &month_name(month)[..3]),
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
            (false, 2, "0.0123456", "0.01"),
            (false, 2, "0.00123456", "0.00123"),
            (false, 2, "0.05", "0.05"),
            (false, 2, "-0.00012", "-0.00012"),
            (false, 2, "0.00000000123", "1.23e-9"),
            (false, 2, "0.0", "0.00"),
            (false, 2, "1.5e22", "1.5e22"),
            (false, 0, "9007199254740993", "9,007,199,254,740,993"),
            (false, 0, "-1200", "-1,200"),
            (true, 1, "0.9527", "95.3 %"),
            (true, 1, "0.0004", "0.04 %"),
            (true, 1, "0", "0.0 %"),
            (true, 0, "0.5", "50 %"),
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
        assert_eq!(period(Grain::Month, "2026-01-01"), "Jan 2026");
        assert_eq!(period(Grain::Month, "2026-05-01"), "May 2026");
        assert_eq!(period(Grain::Quarter, "2026-10-01"), "Q4 2026");
        assert_eq!(period(Grain::Hour, "2026-05-01T13:00:00"), "2026-05-01 13:00:00");
    }
}
