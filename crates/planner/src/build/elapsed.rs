//! How long rows took, from the moments they began and ended, and other comparisons of two columns of one row.

use base::Cell;
use data::plan::{Agg, Expr, Measure, Op, Pred, Test};

use super::Why;
use super::condition::cell;
use super::ground::Ground;
use crate::draft::{Amount, Columns};
use crate::index::{ColId, Interval};
use crate::names;
use crate::score::Feature;

/// Of every so many rows one may lack its end before it matters that only ended ones count.
const ONE_OPEN_IN: u64 = 10;

/// The length of a unit in minutes, where it is one of time.
fn minutes(op: Op) -> (&'static str, f64) {
    match op {
        Op::ElapsedMinutes => ("minutes", 1.0),
        Op::ElapsedHours => ("hours", 60.0),
        _ => ("days", 1440.0),
    }
}

/// An amount of time in the unit of an operation.
pub fn amount(op: Op, amount: &Amount) -> Result<Cell, Why> {
    let unit = amount.unit.as_ref().filter(|unit| unit.family == "time");
    let unit = unit.ok_or_else(|| Why::ambiguous("a length of time needs its unit, such as days"))?;
    let (_, own) = minutes(op);
    Ok(cell((amount.number * unit.factor / own * 1e9).round() / 1e9))
}

impl Ground<'_> {
    /// The measure of how long rows of this table took.
    pub fn elapsed(&mut self, interval: Interval, op: Op, agg: Agg, quantile: Option<f64>) -> Result<Measure, Why> {
        let expr = self.elapsed_expr(interval, op)?;
        let end = self.index.column(interval.end);
        if end.nulls > 0 {
            let name = self.index.qualified(interval.end);
            self.assume("ended", format!("only rows with {name} count"));
            if end.nulls * ONE_OPEN_IN > self.index.table(self.base).rows {
                self.features.push(Feature::OpenChoice);
            }
        }
        let name = names::aggregate(agg, quantile, minutes(op).0);
        let measure = self.named(&name, agg, Some(expr));
        Ok(Measure { q: quantile, ..measure })
    }

    /// How long each row took, as a column of a list, with its name.
    pub fn elapsed_shown(&mut self, interval: Interval, op: Op) -> Result<(String, Expr), Why> {
        let expr = self.elapsed_expr(interval, op)?;
        Ok((self.names.fresh(minutes(op).0), expr))
    }

    fn elapsed_expr(&mut self, interval: Interval, op: Op) -> Result<Expr, Why> {
        if interval.rows(self.index) != self.base {
            return Err(self.unreachable(&self.index.qualified(interval.start)));
        }
        let text = format!(
            "{} from {} to {}",
            minutes(op).0,
            self.index.qualified(interval.start),
            self.index.qualified(interval.end)
        );
        self.assume("elapsed", text);
        Ok(Expr::Op { op, args: vec![self.expr(interval.start), self.expr(interval.end)] })
    }

    /// The condition on how long a row took, in the unit that was said.
    pub fn elapsed_pred(&mut self, interval: Interval, test: Test, amounts: &[Amount]) -> Result<Pred, Why> {
        let unit = amounts.iter().find_map(|amount| amount.unit.as_ref()).map(|unit| unit.name);
        let op = match unit {
            Some("minute" | "second") => Op::ElapsedMinutes,
            Some("hour") => Op::ElapsedHours,
            _ => Op::ElapsedDays,
        };
        let values = amounts.iter().map(|said| amount(op, said)).collect::<Result<Vec<_>, _>>()?;
        let expr = self.elapsed_expr(interval, op)?;
        self.named.extend([interval.start, interval.end]);
        Ok(Pred::Test { test, expr, values })
    }

    /// The condition that compares two columns of a row: their difference with nothing.
    pub fn columns_pred(&mut self, left: &Columns, test: Test, right: &Columns) -> Result<Pred, Why> {
        let own = |columns: &Columns| -> Vec<ColId> {
            columns.iter().copied().filter(|column| column.table == self.base).collect()
        };
        let ([left], [right]) = (&own(left)[..], &own(right)[..]) else {
            return Err(Why::unsupported(format!("two columns of {} are not both said", self.table_name())));
        };
        let (first, second) = (self.index.column(*left).ty, self.index.column(*right).ty);
        let op = match (first.is_number() && second.is_number(), first == second && first.is_temporal()) {
            (true, _) => Op::Sub,
            // Elapsed time runs from the first to the second.
            (_, true) => Op::ElapsedMinutes,
            _ => return Err(Why::unsupported("two columns that are no numbers and no dates")),
        };
        let family = |id: ColId| self.index.facts(id).unit.as_ref().map(|unit| unit.family);
        if let (Some(one), Some(other)) = (family(*left), family(*right))
            && one != other
        {
            return Err(Why::unsupported("two numbers in different units"));
        }
        if self.index.facts(*left).scale != self.index.facts(*right).scale {
            return Err(Why::unsupported("two numbers in different magnitudes"));
        }
        let (from, to) = if op == Op::Sub { (*left, *right) } else { (*right, *left) };
        self.named.extend([*left, *right]);
        let expr = Expr::Op { op, args: vec![self.expr(from), self.expr(to)] };
        Ok(Pred::Test { test, expr, values: vec![Cell::from(0)] })
    }
}
