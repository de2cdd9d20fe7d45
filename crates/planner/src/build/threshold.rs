//! Numbers to compare with: in the column's own unit and magnitude, and never taken at face value where they lie far
//! outside of all that the column holds.

use base::Cell;

use super::Why;
use super::condition::{cell, in_unit, number_of};
use super::ground::Ground;
use crate::draft::Amount;
use crate::index::ColId;
use crate::score::Feature;

/// From here on a number is told in full, not in the thousands or millions of its column.
const WHOLE_MIN: f64 = 10_000.0;

/// A number that is outside of a column's range by this factor was probably meant in another magnitude.
const FAR: f64 = 50.0;

/// Magnitudes that people leave out or write out.
const MAGNITUDES: [f64; 3] = [1e3, 1e6, 1e9];

/// What a number is compared with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// One value, or something between the least and the greatest.
    Row,
    /// The sum of many values.
    Total,
    /// How many values there are.
    Number,
}

impl Ground<'_> {
    /// The numbers to compare with, as the column would hold them.
    pub fn thresholds(&mut self, column: ColId, amounts: &[Amount], reach: Reach) -> Result<Vec<Cell>, Why> {
        let index = self.index;
        let (info, facts) = (index.column(column), index.facts(column));
        let greatest = info.max.as_ref().and_then(number_of).unwrap_or(f64::INFINITY);
        let scale = if self.is_told_in_full(column, amounts, reach)? { facts.scale } else { 1.0 };
        let mut values = Vec::new();
        for amount in amounts {
            let told = Amount { number: amount.number / scale, ..amount.clone() };
            values.push(in_unit(&told, facts.unit.as_ref(), greatest <= 1.0, &info.name)?);
        }
        if reach != Reach::Number && facts.scale > 1.0 {
            self.say_magnitude(column, amounts, &values);
        }
        if reach == Reach::Row && !facts.years && !facts.identifier {
            let given = amounts.iter().any(|amount| amount.percent || amount.unit.is_some());
            self.check_range(column, &values, scale > 1.0 || given)?;
        }
        Ok(values)
    }

    /// Numbers of a column that is told in thousands: what was said, and what it is compared as. Clear is only a number that
    /// was told in full and lies among those of the column; "more than 100 votes" may be either.
    fn say_magnitude(&mut self, column: ColId, amounts: &[Amount], values: &[Cell]) {
        let index = self.index;
        let (info, name) = (index.column(column), index.qualified(column));
        let bound = |cell: &Option<Cell>| cell.as_ref().and_then(number_of);
        let (least, most) = (bound(&info.min), bound(&info.max));
        let among = |number: f64| least.is_some_and(|least| least <= number) && most.is_some_and(|most| number <= most);
        let own: Vec<f64> = values.iter().filter_map(number_of).collect();
        let said: Vec<String> = amounts.iter().map(|amount| amount.number.to_string()).collect();
        let told: Vec<String> = own.iter().map(f64::to_string).collect();
        if said == told || !own.into_iter().all(among) {
            self.features.push(Feature::OpenChoice);
        }
        let (said, told, scale) = (said.join(" and "), told.join(" and "), index.facts(column).scale);
        self.assume("magnitude", format!("{said} is compared as {told} with {name}, where 1 stands for {scale}"));
    }

    /// Whether "over 100 million" is said of numbers that are told in millions: beyond all of them it can only be so.
    fn is_told_in_full(&self, column: ColId, amounts: &[Amount], reach: Reach) -> Result<bool, Why> {
        let info = self.index.column(column);
        let scale = self.index.facts(column).scale;
        let greatest = info.max.as_ref().and_then(number_of).unwrap_or(f64::INFINITY);
        let said = amounts.iter().map(|amount| amount.number).fold(f64::NEG_INFINITY, f64::max);
        if reach == Reach::Number || scale <= 1.0 || said <= greatest || said < scale.min(WHOLE_MIN) {
            return Ok(false);
        }
        let most = greatest * self.index.table(column.table).rows as f64;
        if reach == Reach::Total && said <= most {
            let name = self.index.qualified(column);
            return Err(Why::ambiguous(format!("whether {said} is told in full or in the magnitude of {name}")));
        }
        Ok(true)
    }

    /// A number far outside of what a column holds is compared with reserve, and not at all where another magnitude of it
    /// would lie inside. `settled`: whether its unit or magnitude is known.
    fn check_range(&mut self, column: ColId, values: &[Cell], settled: bool) -> Result<(), Why> {
        let info = self.index.column(column);
        let bound = |cell: &Option<Cell>| cell.as_ref().and_then(number_of);
        let (Some(least), Some(most)) = (bound(&info.min), bound(&info.max)) else { return Ok(()) };
        let size = least.abs().max(most.abs());
        let far = |number: &f64| {
            let above = size > 0.0 && number.abs() >= size * FAR;
            let below = least > 0.0 && *number > 0.0 && number * FAR <= least;
            above || below
        };
        let Some(number) = values.iter().filter_map(number_of).find(far) else { return Ok(()) };
        let name = self.index.qualified(column);
        let inside = |number: f64| (least..=most).contains(&number);
        let percent = (size <= 1.0).then_some(100.0);
        let explained = |factor: f64| inside(number / factor) || inside(number * factor);
        if !settled && MAGNITUDES.into_iter().chain(percent).any(explained) {
            let range = format!("{name} runs from {} to {}", cell(least), cell(most));
            return Err(Why::ambiguous(format!("whether {number} is in the magnitude of the data, as {range}")));
        }
        self.features.push(Feature::OpenChoice);
        let text = format!("{name} runs from {} to {}, far from {number}", cell(least), cell(most));
        self.assume("range", text);
        Ok(())
    }
}
