//! Arithmetic with two columns of a row: a product or difference added up, a quotient of totals or of each row.

use data::plan::{Agg, Dir, Expr, Measure, Op};

use super::Why;
use super::ground::Ground;
use super::settle::{Number, Settled, Use};
use crate::Assumption;
use crate::draft::{Formula, Head, Target};
use crate::index::{ColId, Index};
use crate::names;
use crate::score::Feature;
use crate::words::snake;

/// How two numbers put together become one number: without an aggregate word they are added up, and a quotient is that
/// of the totals.
pub fn settle(index: &Index, formula: &Formula, head: &Head, usage: Use) -> Result<Settled, Why> {
    let side = |columns: &Vec<ColId>| Head::plain(Target::Columns(columns.clone()));
    if formula.op == Op::Div && formula.factor == 1.0 && matches!(head.agg, None | Some(Agg::Sum)) {
        return super::ratio::settle(index, &side(&formula.left), &side(&formula.right));
    }
    let (agg, meaning) = match (head.agg, usage) {
        (Some(Agg::Count | Agg::CountDistinct), _) => {
            return Err(Why::unsupported("how many different results there are"));
        }
        (Some(Agg::Sum), _) if formula.op == Op::Div => return Err(Why::unsupported("the sum of quotients")),
        (Some(agg), _) => (agg, None),
        (None, Use::Extreme(Dir::Desc)) => (Agg::Max, Some("maximum")),
        (None, Use::Extreme(Dir::Asc)) => (Agg::Min, Some("minimum")),
        (None, _) if formula.op == Op::Div => (Agg::Avg, Some("average")),
        (None, _) => (Agg::Sum, Some("sum")),
    };
    let text = |meaning: &str| format!("what is computed for each row without an aggregate = its {meaning}");
    Ok(Settled {
        what: Number::Formula { formula: formula.clone(), agg, quantile: head.quantile },
        features: meaning.map(|_| Feature::ImpliedAggregate).into_iter().collect(),
        assumption: meaning.map(|meaning| Assumption { code: "aggregate".to_string(), text: text(meaning) }),
    })
}

impl Ground<'_> {
    /// The measure of two numbers put together, at the grain of the row that has them.
    pub fn formula(&mut self, formula: &Formula, agg: Agg, quantile: Option<f64>) -> Result<Measure, Why> {
        let (left, right) = (self.nearest(&formula.left)?, self.nearest(&formula.right)?);
        self.check_formula(formula.op, left, right)?;
        let joint = match formula.op {
            Op::Mul => "times",
            Op::Sub => "minus",
            _ => "over",
        };
        let core = |id: ColId| snake(&self.index.facts(id).core.join(" "));
        let name = format!("{}_{joint}_{}", core(left), core(right));
        let told = if formula.factor == 1.0 { String::new() } else { format!(", times {}", formula.factor) };
        let text = format!("{} {joint} {}{told} of each row", self.index.qualified(left), self.index.qualified(right));
        self.assume("formula", text);
        self.features.push(Feature::OpenChoice);
        let plain = Expr::Op { op: formula.op, args: vec![self.expr(left), self.expr(right)] };
        let expr = match formula.factor {
            1.0 => plain,
            factor => Expr::Op { op: Op::Mul, args: vec![plain, Expr::Lit { lit: super::condition::cell(factor) }] },
        };
        let measure = self.named(&names::aggregate(agg, quantile, &name), agg, Some(expr));
        Ok(Measure { q: quantile, ..measure })
    }

    /// How two numbers go together over the rows that have both.
    pub fn correlation(&mut self, left: &[ColId], right: &[ColId]) -> Result<Measure, Why> {
        let (left, right) = (self.nearest(left)?, self.nearest(right)?);
        if left.table != self.base && right.table != self.base {
            return Err(self.unreachable(&self.index.qualified(left)));
        }
        let core = |id: ColId| snake(&self.index.column(id).name);
        let name = format!("corr_{}_{}", core(left), core(right));
        self.assume("correlation", "Pearson's, between -1 and 1, over the rows that have both numbers".to_string());
        let measure = self.named(&name, Agg::Corr, Some(self.expr(left)));
        Ok(Measure { with: Some(self.expr(right)), ..measure })
    }

    /// Whether the two belong to one row and are told in units that the operation can take.
    fn check_formula(&self, op: Op, left: ColId, right: ColId) -> Result<(), Why> {
        let own = |id: ColId| id.table == self.base;
        // A product with a number of the row itself counts no row twice; a difference would.
        let at_grain = if op == Op::Mul { own(left) || own(right) } else { own(left) && own(right) };
        if !at_grain {
            return Err(self.unreachable(&self.index.qualified(if own(left) { right } else { left })));
        }
        let facts = |id: ColId| self.index.facts(id);
        let family = |id: ColId| facts(id).unit.as_ref().map(|unit| unit.family);
        let unit = |id: ColId| facts(id).unit.as_ref().map(|unit| unit.name);
        if op == Op::Mul && [left, right].into_iter().any(|id| family(id) == Some("percent")) {
            return Err(Why::ambiguous("whether a percentage is to be divided by 100"));
        }
        let differs = unit(left).is_some() && unit(right).is_some() && unit(left) != unit(right);
        if op == Op::Sub && (differs || facts(left).scale != facts(right).scale) {
            return Err(Why::unsupported("the difference of two numbers in different units"));
        }
        Ok(())
    }
}
