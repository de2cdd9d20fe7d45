//! The typing rules of the plan language, in one place: reading, compiling and describing results ask the same ones.

use base::{Cell, Type};

use super::limits::{BIN_WIDTH_MAX, BIN_WIDTH_MIN};
use super::{Agg, ComputeOp, Expr, Grain, Op, OverAgg, Part, Test, literal};

/// The type of a value; weekday names are text with an order of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Kind {
    pub(crate) ty: Type,
    pub(crate) weekday: bool,
}

impl From<Type> for Kind {
    fn from(ty: Type) -> Kind {
        Kind { ty, weekday: false }
    }
}

impl Kind {
    fn name(self) -> &'static str {
        if self.weekday { "a weekday" } else { self.ty.as_str() }
    }
}

/// A broken rule, and which argument broke it.
#[derive(Debug)]
pub(crate) struct Wrong {
    pub(crate) arg: Option<usize>,
    pub(crate) message: String,
}

fn wrong<T>(message: String) -> Result<T, Wrong> {
    Err(Wrong { arg: None, message })
}

/// The type of a literal; `None` for null, lists and objects.
pub(crate) fn literal(value: &Cell) -> Option<Kind> {
    match value {
        Cell::Bool(_) => Some(Type::Bool.into()),
        Cell::Number(number) if literal::whole(number).is_f64() => Some(Type::Float.into()),
        Cell::Number(_) => Some(Type::Int.into()),
        Cell::String(_) => Some(Type::Text.into()),
        Cell::Null | Cell::Array(_) | Cell::Object(_) => None,
    }
}

/// How many arguments an operation takes.
pub(crate) fn arity(op: Op) -> std::ops::RangeInclusive<usize> {
    match op {
        Op::Add | Op::Mul => 2..=super::ARGS_MAX,
        Op::ToNumber => 1..=1,
        Op::Sub | Op::Div | Op::Bin | Op::ElapsedMinutes | Op::ElapsedHours | Op::ElapsedDays => 2..=2,
    }
}

/// What an operation gives over these arguments.
pub(crate) fn operation(op: Op, args: &[(&Expr, Kind)]) -> Result<Kind, Wrong> {
    if !arity(op).contains(&args.len()) {
        return wrong(arity_message(op, args.len()));
    }
    let accepts = |expr: &Expr, kind: Kind| match op {
        Op::Add | Op::Sub | Op::Mul | Op::Div | Op::Bin => kind.ty.is_number(),
        Op::ToNumber => kind.ty == Type::Text && !kind.weekday,
        Op::ElapsedMinutes | Op::ElapsedHours | Op::ElapsedDays => {
            kind.ty.is_temporal()
                || matches!(expr, Expr::Lit { lit } if literal::fit(lit, Type::Timestamp.into()).is_ok())
        }
    };
    if let Some(arg) = args.iter().position(|(expr, kind)| !accepts(expr, *kind)) {
        let wanted = match op {
            Op::Add | Op::Sub | Op::Mul | Op::Div | Op::Bin => "numbers",
            Op::ToNumber => "text",
            Op::ElapsedMinutes | Op::ElapsedHours | Op::ElapsedDays => "dates or timestamps",
        };
        let message = format!("`{}` takes {wanted}, not {}", op.as_str(), args[arg].1.name());
        return Err(Wrong { arg: Some(arg), message });
    }
    if let (Op::Bin, [(of, _), (width, _)]) = (op, args) {
        bin(of, width)?;
    }
    Ok(match op {
        Op::Bin if args.iter().all(|(_, kind)| kind.ty == Type::Int) => Type::Int.into(),
        Op::Bin => Type::Float.into(),
        Op::Add | Op::Sub | Op::Mul => number(args.iter().map(|(_, kind)| *kind)),
        Op::Div | Op::ToNumber | Op::ElapsedMinutes | Op::ElapsedHours | Op::ElapsedDays => Type::Float.into(),
    })
}

/// Bins lie side by side from zero on, so all have one width. Bins of bins would be bins again, or nothing anybody means.
fn bin(of: &Expr, width: &Expr) -> Result<(), Wrong> {
    let number = if let Expr::Lit { lit } = width { lit.as_f64() } else { None };
    if !number.is_some_and(|width| (BIN_WIDTH_MIN..=BIN_WIDTH_MAX).contains(&width)) {
        let message = format!("the width of a bin is a number from {BIN_WIDTH_MIN} to {BIN_WIDTH_MAX}");
        return Err(Wrong { arg: Some(1), message });
    }
    if has_bins(of) {
        return Err(Wrong { arg: Some(0), message: "`bin` takes numbers that are in no bin yet".to_string() });
    }
    Ok(())
}

fn has_bins(expr: &Expr) -> bool {
    match expr {
        Expr::Op { op, args } => *op == Op::Bin || args.iter().any(has_bins),
        Expr::Part { of, .. } => has_bins(of),
        Expr::Col { .. } | Expr::Lit { .. } | Expr::Ref { .. } => false,
    }
}

fn arity_message(op: Op, given: usize) -> String {
    let arity = arity(op);
    let wanted = match (*arity.start(), *arity.end()) {
        (1, 1) => "one argument".to_string(),
        (2, 2) => "two arguments".to_string(),
        (least, most) => format!("{least} to {most} arguments"),
    };
    format!("`{}` takes {wanted}, not {given}", op.as_str())
}

/// The type in which numbers of these types meet.
fn number(kinds: impl Iterator<Item = Kind>) -> Kind {
    let widest = |a: Type, b: Kind| match (a, b.ty) {
        (Type::Float, _) | (_, Type::Float) => Type::Float,
        (Type::Decimal, _) | (_, Type::Decimal) => Type::Decimal,
        _ => Type::Int,
    };
    kinds.fold(Type::Int, widest).into()
}

/// What a part of this value is.
pub(crate) fn part(part: Part, of: Kind) -> Result<Kind, Wrong> {
    if !of.ty.is_temporal() {
        return wrong(format!("`{}` is part of a date or timestamp, not of {}", part.as_str(), of.name()));
    }
    match part {
        Part::Hour if of.ty == Type::Date => wrong("a date has no `hour`".to_string()),
        Part::Weekday => Ok(Kind { ty: Type::Text, weekday: true }),
        Part::Year | Part::Quarter | Part::Month | Part::Week | Part::Day | Part::Hour => Ok(Type::Int.into()),
    }
}

/// What a period of this value is: its first day, or its first moment for hours.
pub(crate) fn grain(grain: Grain, of: Kind) -> Result<Kind, Wrong> {
    if !of.ty.is_temporal() {
        return wrong(format!("a grain cuts a date or timestamp, not {}", of.name()));
    }
    match grain {
        Grain::Hour if of.ty == Type::Date => wrong("a date cannot be cut into hours".to_string()),
        Grain::Hour => Ok(Type::Timestamp.into()),
        Grain::Year | Grain::Quarter | Grain::Month | Grain::Week | Grain::Day => Ok(Type::Date.into()),
    }
}

/// What an aggregate gives.
pub(crate) fn aggregate(agg: Agg, over: Option<Kind>) -> Result<Kind, Wrong> {
    let Some(kind) = over else {
        return match agg {
            Agg::Count => Ok(Type::Int.into()),
            _ => wrong(format!("`{}` needs `expr`: what to aggregate", agg.as_str())),
        };
    };
    let (accepted, wanted) = match agg {
        Agg::Count | Agg::CountDistinct => (true, ""),
        Agg::Sum | Agg::Avg => (kind.ty.is_number() || kind.ty == Type::Bool, "numbers or bools"),
        Agg::Median | Agg::Stddev | Agg::Quantile | Agg::Corr => (kind.ty.is_number(), "numbers"),
        Agg::Min | Agg::Max => (kind.ty != Type::Json && !kind.weekday, "values with an order"),
    };
    if !accepted {
        return wrong(format!("`{}` takes {wanted}, not {}", agg.as_str(), kind.name()));
    }
    Ok(match agg {
        Agg::Count | Agg::CountDistinct => Type::Int.into(),
        Agg::Sum => number([kind].into_iter()),
        Agg::Avg | Agg::Median | Agg::Stddev | Agg::Quantile | Agg::Corr => Type::Float.into(),
        Agg::Min | Agg::Max => kind,
    })
}

/// What an aggregate gives of all that it is made from.
pub(crate) fn measure(agg: Agg, of: &[Kind]) -> Result<Kind, Wrong> {
    with(agg, of.get(1).copied())?;
    aggregate(agg, of.first().copied())
}

/// Whether there is another number where an aggregate needs one, and only there.
pub(crate) fn with(agg: Agg, other: Option<Kind>) -> Result<(), Wrong> {
    match (agg, other) {
        (Agg::Corr, None) => wrong("`corr` needs `with`: the number to correlate with".to_string()),
        (Agg::Corr, Some(kind)) => aggregate(agg, Some(kind)).map(drop),
        (_, Some(_)) => wrong("`with` belongs to `corr` only".to_string()),
        (_, None) => Ok(()),
    }
}

/// What an aggregate over groups gives.
pub(crate) fn over(agg: OverAgg, of: Option<Kind>) -> Result<Kind, Wrong> {
    match (agg, of) {
        (OverAgg::Count, Some(_)) => wrong("`count` counts the groups: it has no `of`".to_string()),
        (OverAgg::Count, None) => Ok(Type::Int.into()),
        (_, None) => wrong(format!("`{}` needs `of`: a measure or computed value", agg.as_str())),
        (_, Some(kind)) => aggregate(agg.into(), Some(kind)),
    }
}

/// How many measures a computed value takes.
pub(crate) fn compute_arity(op: ComputeOp) -> usize {
    match op {
        ComputeOp::Ratio | ComputeOp::Diff => 2,
        ComputeOp::Share | ComputeOp::Change | ComputeOp::ChangePct | ComputeOp::Cumulative => 1,
    }
}

/// What a value computed from measures is.
pub(crate) fn compute(op: ComputeOp, args: &[Kind]) -> Result<Kind, Wrong> {
    let wanted = compute_arity(op);
    if args.len() != wanted {
        let words = if wanted == 1 { "one argument" } else { "two arguments" };
        return wrong(format!("`{}` takes {words}, not {}", op.as_str(), args.len()));
    }
    if let Some(arg) = args.iter().position(|kind| !kind.ty.is_number()) {
        let message = format!("`{}` takes numbers, not {}", op.as_str(), args[arg].name());
        return Err(Wrong { arg: Some(arg), message });
    }
    Ok(match op {
        ComputeOp::Ratio | ComputeOp::Share | ComputeOp::ChangePct => Type::Float.into(),
        ComputeOp::Diff | ComputeOp::Change | ComputeOp::Cumulative => number(args.iter().copied()),
    })
}

/// Whether a test makes sense on a value of this type.
pub(crate) fn test(test: Test, kind: Kind) -> Result<(), Wrong> {
    let accepted = match test {
        Test::IsNull => true,
        Test::Eq | Test::Ne | Test::In => kind.ty != Type::Json,
        Test::Lt | Test::Le | Test::Gt | Test::Ge | Test::Between | Test::Within => {
            !matches!(kind.ty, Type::Json | Type::Bool) && !kind.weekday
        }
        Test::Contains | Test::StartsWith | Test::EndsWith => kind.ty == Type::Text && !kind.weekday,
    };
    match accepted {
        true => Ok(()),
        false => wrong(format!("`{}` has no meaning for {}", test.as_str(), kind.name())),
    }
}

/// How many values a test takes.
pub(crate) fn values(test: Test) -> std::ops::RangeInclusive<usize> {
    match test {
        Test::IsNull => 0..=0,
        Test::In => 1..=super::VALUES_MAX,
        Test::Between | Test::Within => 2..=2,
        Test::Eq
        | Test::Ne
        | Test::Lt
        | Test::Le
        | Test::Gt
        | Test::Ge
        | Test::Contains
        | Test::StartsWith
        | Test::EndsWith => 1..=1,
    }
}

/// The type of an expression, given those of columns and of output names.
pub(crate) fn of(expr: &Expr, known: &dyn Fn(Name<'_>) -> Option<Kind>) -> Result<Kind, Wrong> {
    match expr {
        Expr::Col { col } => known(Name::Column(col)).map_or_else(|| wrong(format!("no column `{col}`")), Ok),
        Expr::Ref { name } => known(Name::Output(name)).map_or_else(|| wrong(format!("no output `{name}`")), Ok),
        Expr::Lit { lit } => self::literal(lit).map_or_else(|| wrong("a literal is a scalar".to_string()), Ok),
        Expr::Part { part, of } => self::part(*part, self::of(of, known)?),
        Expr::Op { op, args } => {
            let kinds: Vec<Kind> = args.iter().map(|arg| self::of(arg, known)).collect::<Result<_, _>>()?;
            operation(*op, &args.iter().zip(kinds).collect::<Vec<_>>())
        }
    }
}

/// What an expression refers to.
pub(crate) enum Name<'a> {
    Column(&'a str),
    Output(&'a str),
}
