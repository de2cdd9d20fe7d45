//! Bins as people say them: `20–29` of whole numbers, `[0.5, 1)` of fractions, `1990s` of years. Documents keep the lower
//! edge.

use base::Type;
use serde::{Deserialize, Serialize};

use crate::dataset::Dataset;
use crate::figures::{grouped, is_year};
use crate::plan::kind::{self, Name};
use crate::plan::{Expr, Op};

/// What ten years are called by.
const DECADE: f64 = 10.0;

/// How the bins of an output column are said.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bins {
    width: f64,
    holds: Holds,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Holds {
    Whole,
    Fractions,
    Years,
}

impl Bins {
    /// Those that an expression puts numbers into, if it does.
    pub fn of(expr: &Expr, dataset: &Dataset) -> Option<Bins> {
        let Expr::Op { op: Op::Bin, args } = expr else { return None };
        let [of, Expr::Lit { lit }] = &args[..] else { return None };
        let ty = kind::of(expr, &|name| match name {
            Name::Column(column) => dataset.column(column).map(|column| column.ty.into()),
            Name::Output(_) => None,
        });
        let holds = match ty.is_ok_and(|kind| kind.ty == Type::Int) {
            true if is_year(of, dataset) => Holds::Years,
            true => Holds::Whole,
            false => Holds::Fractions,
        };
        Some(Bins { width: lit.as_f64()?, holds })
    }

    /// The bin with this lower edge of numbers that are called so: `age 20–29`, but `1990s`.
    pub fn label(&self, name: &str, edge: f64) -> String {
        match self.holds {
            Holds::Years => self.text(edge),
            Holds::Whole | Holds::Fractions => format!("{name} {}", self.text(edge)),
        }
    }

    /// The bin with this lower edge.
    pub fn text(&self, edge: f64) -> String {
        // The end of a bin of tenths is told with the digits of its edges, not with those of a binary sum.
        let end = ((edge + self.width) * 1e9).round() / 1e9;
        match self.holds {
            Holds::Years if self.width == DECADE => format!("{edge:.0}s"),
            Holds::Years => format!("{edge:.0}–{:.0}", end - 1.0),
            Holds::Whole if self.width == 1.0 => whole(edge),
            Holds::Whole if edge < 0.0 => format!("{} to {}", whole(edge), whole(end - 1.0)),
            Holds::Whole => format!("{}–{}", whole(edge), whole(end - 1.0)),
            Holds::Fractions => format!("[{}, {})", plain(edge), plain(end)),
        }
    }
}

/// The years of which bins are decades.
pub(crate) fn decade<'e>(args: &'e [Expr], dataset: &Dataset) -> Option<&'e Expr> {
    let [of, Expr::Lit { lit }] = args else { return None };
    let years = is_year(of, dataset) && lit.as_f64() == Some(DECADE);
    years.then_some(match of {
        Expr::Part { of, .. } => of,
        of => of,
    })
}

fn whole(number: f64) -> String {
    grouped(&format!("{:.0}", number + 0.0))
}

fn plain(number: f64) -> String {
    let text = (number + 0.0).to_string();
    match text.split_once('.') {
        Some((whole, rest)) => format!("{}.{rest}", grouped(whole)),
        None => grouped(&text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_are_said_by_their_ends() {
        let said = |width: f64, holds: Holds, edge: f64| Bins { width, holds }.text(edge);
        for (width, holds, edge, expected) in [
            (10.0, Holds::Whole, 20.0, "20–29"),
            (10.0, Holds::Whole, -10.0, "-10 to -1"),
            (1.0, Holds::Whole, 7.0, "7"),
            (500.0, Holds::Whole, 1000.0, "1,000–1,499"),
            (50.0, Holds::Fractions, -0.0, "[0, 50)"),
            (0.1, Holds::Fractions, 0.2, "[0.2, 0.3)"),
            (2.5, Holds::Fractions, 1000.0, "[1,000, 1,002.5)"),
            (10.0, Holds::Years, 1990.0, "1990s"),
            (100.0, Holds::Years, 1900.0, "1900–1999"),
        ] {
            assert_eq!(said(width, holds, edge), expected);
        }
    }
}
