//! Conditions on the time of day, on columns that have one.

use base::{Cell, Type};
use data::plan::{Expr, Part, Pred, Test};

use super::Why;
use super::ground::Ground;
use crate::draft::Columns;
use crate::index::ColId;
use crate::period::Hours;
use crate::score::Feature;

const MIDNIGHT: u8 = 24;

impl Ground<'_> {
    /// The condition that a moment lies in some hours of its day.
    pub fn hours_pred(&mut self, columns: Option<&Columns>, hours: &Hours) -> Result<Pred, Why> {
        let column = self.date_column(columns)?;
        if self.index.column(column).ty != Type::Timestamp {
            return Err(Why::no_data(format!("{} has no time of day", self.index.qualified(column))));
        }
        self.named.push(column);
        if let (Some(part), [(from, to)]) = (hours.part, &hours.spans[..]) {
            self.features.push(Feature::OpenChoice);
            self.assume("time_of_day", format!("{part} = from {from}:00 to {to}:00"));
        }
        let mut preds: Vec<Pred> = hours.spans.iter().map(|span| self.span_pred(column, *span)).collect();
        match preds.len() {
            1 => Ok(preds.remove(0)),
            _ => Ok(Pred::Or { or: preds }),
        }
    }

    fn span_pred(&self, column: ColId, (from, to): (u8, u8)) -> Pred {
        let hour = Expr::Part { part: Part::Hour, of: Box::new(self.expr(column)) };
        let test = |test: Test, hours: &[u8]| Pred::Test {
            test,
            expr: hour.clone(),
            values: hours.iter().map(|hour| Cell::from(*hour)).collect(),
        };
        match (from, to) {
            (from, to) if to == from + 1 => test(Test::Eq, &[from]),
            (0, to) => test(Test::Lt, &[to]),
            (from, MIDNIGHT | 0) => test(Test::Ge, &[from]),
            (from, to) if from < to => test(Test::Within, &[from, to]),
            (from, to) => Pred::Or { or: vec![test(Test::Ge, &[from]), test(Test::Lt, &[to])] },
        }
    }
}
