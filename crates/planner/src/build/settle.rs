//! How a target becomes a number when the words leave it open, and when they must not.

use base::Type;
use data::plan::{Agg, Dir, Expr, Op};

use super::Why;
use crate::Assumption;
use crate::draft::{Columns, Formula, Head, Target};
use crate::index::{Index, Interval, MeasureId};
use crate::score::Feature;

/// What the number is wanted for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Use {
    Plain,
    /// To find the group with the highest or lowest of it.
    Extreme(Dir),
    /// To find the group with the most of it.
    Amount,
}

/// A number that can be computed.
#[derive(Clone, Debug)]
pub struct Settled {
    pub what: Number,
    pub features: Vec<Feature>,
    pub assumption: Option<Assumption>,
}

/// The kinds of numbers.
#[derive(Clone, Debug, PartialEq)]
pub enum Number {
    /// How many rows or things.
    Count(Target),
    /// Rows where a two-valued column says yes: how many, or their share.
    Flag {
        columns: Columns,
        share: bool,
    },
    Column {
        columns: Columns,
        agg: Agg,
        quantile: Option<f64>,
    },
    Declared(MeasureId),
    /// How long rows took.
    Elapsed {
        interval: Interval,
        op: Op,
        agg: Agg,
        quantile: Option<f64>,
    },
    /// How many different days there are.
    Days,
    /// Two numbers of each row put together.
    Formula {
        formula: Formula,
        agg: Agg,
        quantile: Option<f64>,
    },
    /// How two numbers of a row go together.
    Correlation(Box<(Columns, Columns)>),
    /// The first for each unit of the second.
    Ratio(Box<(Number, Number)>),
}

/// Decides how a target becomes a number.
pub fn settle(index: &Index, head: &Head, usage: Use, distinct: bool) -> Result<Settled, Why> {
    let plain = |what| Ok(Settled { what, features: Vec::new(), assumption: None });
    match (&head.target, head.agg) {
        (Target::Thing(_) | Target::Rows, None | Some(Agg::Count)) => plain(Number::Count(head.target.clone())),
        (Target::Thing(_) | Target::Rows, Some(Agg::Sum)) => Ok(Settled {
            what: Number::Count(head.target.clone()),
            features: vec![Feature::SumOfRows],
            assumption: None,
        }),
        (Target::Thing(_) | Target::Rows, Some(agg)) => {
            Err(Why::unsupported(format!("the {} of rows is not a number of one column", word(agg))))
        }
        (Target::Flag(columns), None | Some(Agg::Count | Agg::Sum)) => {
            plain(Number::Flag { columns: columns.clone(), share: false })
        }
        (Target::Flag(columns), Some(Agg::Avg)) => plain(Number::Flag { columns: columns.clone(), share: true }),
        (Target::Flag(_), Some(agg)) => Err(Why::unsupported(format!("the {} of yes and no", word(agg)))),
        (Target::Measure(measure), agg) => declared(index, *measure, agg, head.quantile),
        (Target::Columns(columns), agg) => column(index, columns, agg, head, usage, distinct),
        (Target::Elapsed(interval, op), _) => elapsed(*interval, *op, head, usage),
        (Target::Ratio(pair), None | Some(Agg::Avg)) => super::ratio::settle(index, &pair.0, &pair.1),
        (Target::Ratio(_), Some(agg)) => Err(Why::unsupported(format!("the {} of a ratio", word(agg)))),
        (Target::Formula(formula), _) => super::formula::settle(index, formula, head, usage),
        (Target::Correlation(pair), _) => plain(Number::Correlation(pair.clone())),
        (Target::Grain(_) | Target::Part(_) | Target::OverTime | Target::Decades(_), _) => {
            Err(Why::unsupported("a period is not a number"))
        }
        (Target::Bins(..), _) => Err(Why::unsupported("a range is not a number")),
    }
}

fn word(agg: Agg) -> &'static str {
    match agg {
        Agg::Avg => "average",
        Agg::Min => "minimum",
        Agg::Max => "maximum",
        Agg::Sum => "sum",
        Agg::Median => "median",
        Agg::Stddev => "standard deviation",
        Agg::Quantile => "percentile",
        Agg::Corr => "correlation",
        Agg::Count | Agg::CountDistinct => "number",
    }
}

/// A declared measure keeps its declared aggregate; other words must not silently replace it.
fn declared(index: &Index, measure: MeasureId, agg: Option<Agg>, quantile: Option<f64>) -> Result<Settled, Why> {
    let info = index.measure(measure);
    // "The median resolution time": of the column whose average is declared.
    if let (Some(agg @ (Agg::Median | Agg::Min | Agg::Max | Agg::Stddev | Agg::Quantile)), Some(Expr::Col { col })) =
        (agg, &info.expr)
        && let Some(column) = index.find(col).filter(|id| index.column(*id).ty.is_number())
    {
        let what = Number::Column { columns: vec![column], agg, quantile };
        return Ok(Settled { what, features: Vec::new(), assumption: None });
    }
    let counted = matches!(info.unit.as_deref(), Some("units" | "items" | "pieces"));
    let fits = match agg {
        None => true,
        Some(Agg::Count) => info.agg == Agg::Count || counted,
        Some(agg) => agg == info.agg,
    };
    if !fits {
        let asked = agg.map_or("", word);
        return Err(Why::ambiguous(format!("{} is declared as a {}, its {asked} is not", info.name, word(info.agg))));
    }
    Ok(Settled { what: Number::Declared(measure), features: Vec::new(), assumption: None })
}

/// How long something took is averaged unless the words say otherwise.
fn elapsed(interval: Interval, op: Op, head: &Head, usage: Use) -> Result<Settled, Why> {
    let (agg, meaning) = match (head.agg, usage) {
        (Some(Agg::Count | Agg::CountDistinct), _) => {
            return Err(Why::unsupported("the number of different lengths of time"));
        }
        (Some(agg), _) => (agg, None),
        (None, Use::Extreme(Dir::Desc)) => (Agg::Max, Some("maximum")),
        (None, Use::Extreme(Dir::Asc)) => (Agg::Min, Some("minimum")),
        (None, _) => (Agg::Avg, Some("average")),
    };
    let text = |meaning: &str| format!("how long it took without an aggregate = its {meaning}");
    Ok(Settled {
        what: Number::Elapsed { interval, op, agg, quantile: head.quantile },
        features: meaning.map(|_| Feature::ImpliedAggregate).into_iter().collect(),
        assumption: meaning.map(|meaning| Assumption { code: "aggregate".to_string(), text: text(meaning) }),
    })
}

/// Two people of one name are two: they are counted by what identifies them.
fn told_apart(index: &Index, columns: &Columns) -> Option<Settled> {
    let thing = index.namesakes(columns)?;
    Some(Settled { what: Number::Count(Target::Thing(thing)), features: Vec::new(), assumption: None })
}

fn column(
    index: &Index,
    columns: &Columns,
    agg: Option<Agg>,
    head: &Head,
    usage: Use,
    distinct: bool,
) -> Result<Settled, Why> {
    let quantile = head.quantile;
    // "Average rating" is that of the ratings that are numbers.
    let numbers: Columns = columns.iter().copied().filter(|id| index.column(*id).ty.is_number()).collect();
    let averaged = matches!(agg, Some(Agg::Avg | Agg::Sum | Agg::Median | Agg::Stddev | Agg::Quantile));
    let columns = if averaged && !numbers.is_empty() { &numbers } else { columns };
    let first = columns[0];
    let (info, facts) = (index.column(first), index.facts(first));
    let name = || info.name.replace('_', " ");
    let number = info.ty.is_number() && !facts.identifier;
    let done = |agg| {
        let what = Number::Column { columns: columns.clone(), agg, quantile };
        Ok(Settled { what, features: Vec::new(), assumption: None })
    };
    let implied = |agg, meaning: &str| {
        let text = format!("{} without an aggregate = {meaning}", name());
        let assumption = Some(Assumption { code: "aggregate".to_string(), text });
        let what = Number::Column { columns: columns.clone(), agg, quantile };
        Ok(Settled { what, features: vec![Feature::ImpliedAggregate], assumption })
    };
    if facts.yes.is_some() && matches!(agg, None | Some(Agg::Count | Agg::Sum)) {
        return Err(Why::unsupported(format!("{} is yes or no", name())));
    }
    // How many different ones there are is never what "how many" asks of numbers that are written as text.
    let written = facts.digits && !facts.identifier || facts.counted && !number;
    if written && !distinct && matches!(agg, None | Some(Agg::Count)) {
        return Err(Why::unsupported(format!("{} holds numbers written as text", name())));
    }
    match agg {
        // "On how many days": each once, however many rows it has.
        Some(Agg::Count) if info.ty == Type::Date && facts.core.last().is_some_and(|word| word == "day") => {
            done(Agg::CountDistinct)
        }
        // One row for each day: it is the same how they are counted.
        Some(Agg::Count) if info.ty == Type::Date && info.unique && info.nulls == 0 => done(Agg::CountDistinct),
        Some(Agg::Count) if info.ty.is_temporal() && !distinct => {
            Err(Why::ambiguous(format!("how many {}: rows, or different days", name())))
        }
        Some(Agg::Count) if distinct || !number => {
            told_apart(index, columns).map_or_else(|| done(Agg::CountDistinct), Ok)
        }
        // "How many invoices" asks for rows, never for money.
        Some(Agg::Count) if facts.is_money() => {
            Err(Why::ambiguous(format!("the number of {}: how many rows have one, or its sum", name())))
        }
        Some(Agg::Count) if facts.adds_up() => implied(Agg::Sum, "its sum"),
        Some(Agg::Count) => {
            Err(Why::ambiguous(format!("the number of {}: its sum, or how many different ones", name())))
        }
        Some(Agg::Min | Agg::Max) if info.ty.is_temporal() || number => done(agg.unwrap_or(Agg::Max)),
        Some(agg) if number => done(agg),
        Some(agg) => Err(Why::unsupported(format!("the {} of {}, which is no number", word(agg), name()))),
        None if !number && (head.amount || usage != Use::Plain) && !info.ty.is_temporal() => {
            told_apart(index, columns).map_or_else(|| done(Agg::CountDistinct), Ok)
        }
        None if !number => Err(Why::unsupported(format!("{} is no number", name()))),
        // It only rises: the latest is the greatest.
        None if let Some(running) = &info.running => {
            let text = format!("{} = its highest, which is its latest: a {running}", name());
            let assumption = Some(Assumption { code: "running".to_string(), text });
            let what = Number::Column { columns: columns.clone(), agg: Agg::Max, quantile };
            Ok(Settled { what, features: vec![Feature::ImpliedAggregate], assumption })
        }
        None if facts.additive || head.amount && facts.extensive => implied(Agg::Sum, "its sum"),
        // The lowest payout of a site is one payment, or all of them together.
        None if facts.extensive && facts.unit.is_some() && matches!(usage, Use::Extreme(_)) => {
            Err(Why::ambiguous(format!("{}: of one row, on average, or in total", name())))
        }
        None => match usage {
            Use::Extreme(Dir::Desc) if !head.amount => implied(Agg::Max, "its maximum"),
            Use::Extreme(Dir::Asc) if !head.amount => implied(Agg::Min, "its minimum"),
            _ => Err(Why::ambiguous(format!("{}: average, total, highest or lowest", name()))),
        },
    }
}
