//! Expressions, conditions and aggregates as SQL text, over the rows of a table or over the columns of a result.

use base::{Cell, Type};

use super::text::{Select, identifier, string};
use crate::dataset::Dataset;
use crate::join;
use crate::plan::kind::{self, Kind, Wrong};
use crate::plan::literal;
use crate::plan::output::Output;
use crate::plan::{Agg, Exists, Expr, Grain, Measure, Op, Part, Plan, PlanProblem, Pred, Test};

/// A value as text, its type, and how tightly its outermost operator binds.
pub(super) struct Value {
    pub(super) text: String,
    pub(super) kind: Kind,
    binds: Binds,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Binds {
    Sum,
    Product,
    Atom,
}

impl Value {
    fn atom(text: String, kind: impl Into<Kind>) -> Value {
        Value { text, kind: kind.into(), binds: Binds::Atom }
    }

    fn as_double(&self) -> String {
        if self.kind.ty == Type::Float { self.text.clone() } else { format!("CAST({} AS DOUBLE)", self.text) }
    }

    fn enclosed(&self) -> String {
        if self.binds == Binds::Atom { self.text.clone() } else { format!("({})", self.text) }
    }
}

/// What names mean where an expression stands.
pub(super) trait Names {
    fn column(&self, qualified: &str) -> Option<Value>;
    fn output(&self, name: &str) -> Option<Value>;
    fn exists(&self, exists: &Exists) -> Result<String, PlanProblem>;
}

/// The columns of a result.
pub(super) struct Results<'o> {
    pub(super) outputs: &'o [Output],
}

impl Names for Results<'_> {
    fn column(&self, _: &str) -> Option<Value> {
        None
    }

    fn output(&self, name: &str) -> Option<Value> {
        let output = self.outputs.iter().find(|output| output.name == name)?;
        Some(Value::atom(identifier(name), output.kind?))
    }

    fn exists(&self, exists: &Exists) -> Result<String, PlanProblem> {
        Err(invalid(format!("`exists` on `{}` stands in `having`", exists.table)))
    }
}

/// The rows of a table and what they join.
pub(super) struct Rows<'d> {
    dataset: &'d Dataset,
    table: &'d str,
    via: &'d [String],
}

impl<'d> Rows<'d> {
    pub(super) fn new(dataset: &'d Dataset, plan: &'d Plan, table: &'d str) -> Rows<'d> {
        Rows { dataset, table, via: &plan.via }
    }

    /// The table and the joins that these expressions and conditions need, in the order of their first use.
    pub(super) fn from<'e>(
        &self,
        exprs: impl Iterator<Item = &'e Expr>,
        preds: impl Iterator<Item = &'e Pred>,
    ) -> Result<Vec<String>, PlanProblem> {
        let columns = exprs.flat_map(Expr::columns).chain(preds.flat_map(Pred::columns));
        let mut from = vec![identifier(self.table)];
        let tables = columns.filter_map(|column| column.split_once('.')).map(|(table, _)| table);
        self.join(&mut from, tables)?;
        Ok(from)
    }

    fn join<'t>(&self, from: &mut Vec<String>, tables: impl Iterator<Item = &'t str>) -> Result<(), PlanProblem> {
        for table in tables {
            for link in join::path(self.dataset, self.table, table, self.via)? {
                let one = identifier(&link.to_table);
                let key = format!("{}.{}", identifier(&link.from_table), identifier(&link.from_column));
                let text = format!("{one} ON {key} = {one}.{}", identifier(&link.to_column));
                if !from.contains(&text) {
                    from.push(text);
                }
            }
        }
        Ok(())
    }
}

impl Names for Rows<'_> {
    fn column(&self, qualified: &str) -> Option<Value> {
        let (table, name) = qualified.split_once('.')?;
        let column = self.dataset.table(table)?.column(name)?;
        Some(Value::atom(format!("{}.{}", identifier(table), identifier(name)), column.ty))
    }

    fn output(&self, _: &str) -> Option<Value> {
        None
    }

    /// The key of this table is among those that the rows of the many side lead to.
    fn exists(&self, exists: &Exists) -> Result<String, PlanProblem> {
        let path = join::path(self.dataset, &exists.table, self.table, self.via)?;
        let Some((last, way)) = path.split_last() else {
            return Err(invalid(format!("`exists` needs another table than `{}`", self.table)));
        };
        let many = Rows { dataset: self.dataset, table: &exists.table, via: self.via };
        let filter = exists.filter.as_deref();
        let mut from = many.from(std::iter::empty(), filter.into_iter())?;
        many.join(&mut from, way.iter().map(|link| link.to_table.as_str()))?;
        let key = format!("{}.{}", identifier(&last.from_table), identifier(&last.from_column));
        let mut conditions = vec![format!("{key} IS NOT NULL")];
        if let Some(pred) = filter {
            conditions.extend(self::conditions(&many, pred)?);
        }
        let select = Select { columns: vec![key], from, filter: conditions, ..Select::default() };
        let one = format!("{}.{}", identifier(self.table), identifier(&last.to_column));
        Ok(format!("{one} IN ({})", select.inline()))
    }
}

fn invalid(message: String) -> PlanProblem {
    PlanProblem::invalid("", message)
}

impl From<Wrong> for PlanProblem {
    fn from(wrong: Wrong) -> PlanProblem {
        invalid(wrong.message)
    }
}

/// An expression as SQL.
pub(super) fn value(names: &dyn Names, expr: &Expr) -> Result<Value, PlanProblem> {
    match expr {
        Expr::Col { col } => names.column(col).ok_or_else(|| invalid(format!("no column `{col}`"))),
        Expr::Ref { name } => names.output(name).ok_or_else(|| invalid(format!("no output `{name}`"))),
        Expr::Lit { lit } => {
            let kind = kind::literal(lit).ok_or_else(|| invalid("a literal is a scalar".to_string()))?;
            Ok(Value::atom(constant(lit, kind, Use::Arithmetic)?, kind))
        }
        Expr::Part { part, of } => {
            let of = value(names, of)?;
            Ok(Value::atom(format!("{}({})", part_function(*part), of.text), kind::part(*part, of.kind)?))
        }
        Expr::Op { op, args } => operation(names, *op, args),
    }
}

fn part_function(part: Part) -> &'static str {
    match part {
        Part::Weekday => "dayname",
        Part::Year | Part::Quarter | Part::Month | Part::Week | Part::Day | Part::Hour => part.as_str(),
    }
}

fn operation(names: &dyn Names, op: Op, args: &[Expr]) -> Result<Value, PlanProblem> {
    let values: Vec<Value> = args.iter().map(|arg| value(names, arg)).collect::<Result<_, _>>()?;
    let kinds: Vec<(&Expr, Kind)> = args.iter().zip(values.iter().map(|value| value.kind)).collect();
    let kind = kind::operation(op, &kinds)?;
    Ok(match op {
        Op::Add => infix(" + ", Binds::Sum, &values, kind),
        Op::Sub => infix(" - ", Binds::Sum, &values, kind),
        Op::Mul => infix(" * ", Binds::Product, &values, kind),
        Op::Div => {
            let nonzero = matches!(&args[1], Expr::Lit { lit } if lit.as_f64().is_some_and(|number| number != 0.0));
            let divisor = if nonzero { values[1].text.clone() } else { format!("nullif({}, 0)", values[1].text) };
            let dividend = if values[0].binds < Binds::Product { values[0].enclosed() } else { values[0].text.clone() };
            Value { text: format!("{dividend} / {divisor}"), kind, binds: Binds::Product }
        }
        Op::Bin => bin(&values[0], &values[1], kind),
        Op::ToNumber => Value::atom(to_number(&values[0].text), kind),
        Op::ElapsedMinutes => elapsed(args, &values, "60e6")?,
        Op::ElapsedHours => elapsed(args, &values, "3600e6")?,
        Op::ElapsedDays => elapsed(args, &values, "86400e6")?,
    })
}

/// Decimals to which the edges of bins of fractions are told.
const BIN_DECIMALS: u32 = 9;

/// DuckDB gives a product of decimals 18 digits where both factors have no more, and fails when they do not suffice; its
/// type does not tell the scale, so the product is widened by its first factor.
const WIDE_ONE: &str = "CAST(1 AS HUGEINT)";

/// Left to right. Where integers meet first they are widened: a result must not overflow its columns' own width.
fn infix(operator: &str, binds: Binds, values: &[Value], kind: Kind) -> Value {
    let enclosed = |index: usize, value: &Value| match value.binds < binds || (index > 0 && value.binds == binds) {
        true => value.enclosed(),
        false => value.text.clone(),
    };
    let mut parts: Vec<String> = values.iter().enumerate().map(|(index, value)| enclosed(index, value)).collect();
    let integers = values.iter().take(2).all(|value| value.kind.ty == Type::Int);
    if integers && values[0].binds == Binds::Atom {
        let wide = if kind.ty == Type::Float { "DOUBLE" } else { "HUGEINT" };
        parts[0] = format!("CAST({} AS {wide})", values[0].text);
    }
    let decimals = values.iter().filter(|value| value.kind.ty == Type::Decimal).count();
    if binds == Binds::Product && kind.ty == Type::Decimal && decimals > 1 && !parts[0].starts_with(WIDE_ONE) {
        parts.insert(0, WIDE_ONE.to_string());
    }
    Value { text: parts.join(operator), kind, binds }
}

/// The lower edge of the bin a number lies in. What is a hair below a bin in binary fractions is in it: 0.3 by 0.1 is
/// 2.9999999999999996, and people mean 3.
fn bin(of: &Value, width: &Value, kind: Kind) -> Value {
    let edge = &width.text;
    if kind.ty == Type::Int {
        let number = format!("CAST({} AS HUGEINT)", of.text);
        return Value { text: format!("{number} - ({number} % {edge} + {edge}) % {edge}"), kind, binds: Binds::Sum };
    }
    let number = if of.kind.ty == Type::Float { of.enclosed() } else { of.as_double() };
    let product = format!("floor({number} / {edge} * (1 + sign({number}) * 1e-15)) * {edge}");
    match width.kind.ty {
        Type::Int => Value { text: product, kind, binds: Binds::Product },
        _ => Value::atom(format!("round({product}, {BIN_DECIMALS})"), kind),
    }
}

/// Text such as `1,234`, `$5` or `12 %`; commas must stand between groups of three digits. Anything else is null.
fn to_number(text: &str) -> String {
    const IGNORED: &str = r"[$%£€\s\x{A0}\x{202F}]";
    const NUMBER: &str = r"[+-]?(([0-9]+|[0-9]{1,3}(,[0-9]{3})+)(\.[0-9]*)?|\.[0-9]+)";
    let bare = format!("replace(regexp_replace({text}, '{IGNORED}', '', 'g'), '\u{2212}', '-')");
    format!("CASE WHEN regexp_full_match({bare}, '{NUMBER}') THEN TRY_CAST(replace({bare}, ',', '') AS DOUBLE) END")
}

fn elapsed(args: &[Expr], values: &[Value], microseconds: &str) -> Result<Value, PlanProblem> {
    let mut moments = Vec::new();
    for (arg, value) in args.iter().zip(values) {
        moments.push(match arg {
            Expr::Lit { lit } => constant(lit, Type::Timestamp.into(), Use::Comparison)?,
            _ if value.kind.ty == Type::Date => format!("CAST({} AS TIMESTAMP)", value.text),
            _ => value.text.clone(),
        });
    }
    let text = format!("date_diff('microsecond', {}) / {microseconds}", moments.join(", "));
    Ok(Value { text, kind: Type::Float.into(), binds: Binds::Product })
}

/// The first day of a value's period, or its first moment for hours.
pub(super) fn period(grain: Grain, value: &Value) -> String {
    let start = format!("date_trunc('{}', {})", grain.as_str(), value.text);
    if grain == Grain::Hour { start } else { format!("CAST({start} AS DATE)") }
}

/// A measure as SQL; `unbounded` where infinity can be among its values.
pub(super) fn aggregate(names: &dyn Names, measure: &Measure, unbounded: bool) -> Result<String, PlanProblem> {
    let of: Vec<Value> = measure.exprs().map(|expr| value(names, expr)).collect::<Result<_, _>>()?;
    kind::measure(measure.agg, &of.iter().map(|value| value.kind).collect::<Vec<_>>())?;
    let filter = match &measure.filter {
        Some(pred) => format!(" FILTER (WHERE {})", condition(names, pred)?.text),
        None => String::new(),
    };
    match &of[..] {
        [] => Ok(format!("count(*){filter}")),
        [one, other] => Ok(format!("nullif(corr({}, {}){filter}, 'NaN')", one.as_double(), other.as_double())),
        [value, ..] => call(measure, value, unbounded, &filter),
    }
}

fn call(measure: &Measure, over: &Value, unbounded: bool, filter: &str) -> Result<String, PlanProblem> {
    let text = match over.kind.ty {
        Type::Bool if matches!(measure.agg, Agg::Sum | Agg::Avg) => format!("CAST({} AS INTEGER)", over.text),
        _ => over.text.clone(),
    };
    let is_float = over.kind.ty == Type::Float;
    let float = over.as_double();
    Ok(match measure.agg {
        Agg::Count => format!("count({text}){filter}"),
        Agg::CountDistinct => format!("count(DISTINCT {text}){filter}"),
        Agg::Sum => sum(&text, over.kind, unbounded, filter),
        // DuckDB divides the exact sum of integers and decimals; of floats it is the compensated sum that is exact enough.
        Agg::Avg if is_float => compensated("favg", "avg", &text, unbounded, filter),
        Agg::Avg => format!("avg({text}){filter}"),
        Agg::Min => format!("min({text}){filter}"),
        Agg::Max => format!("max({text}){filter}"),
        Agg::Median => format!("median({float}){filter}"),
        Agg::Stddev => format!("stddev_samp({float}){filter}"),
        Agg::Corr => return Err(invalid("`corr` needs `with`".to_string())),
        Agg::Quantile => {
            let q = measure.q.ok_or_else(|| invalid("`quantile` needs `q`".to_string()))?;
            format!("quantile_cont({float}, {q}){filter}")
        }
    })
}

/// The sum that does not depend on the order of rows; `over` is what follows the call.
pub(super) fn sum(text: &str, kind: Kind, unbounded: bool, over: &str) -> String {
    match kind.ty {
        Type::Float => compensated("fsum", "sum", text, unbounded, over),
        _ => format!("sum({text}){over}"),
    }
}

/// Compensation subtracts what was added, and infinity less itself is not a number: there the plain function knows.
fn compensated(exact: &str, plain: &str, text: &str, unbounded: bool, over: &str) -> String {
    match unbounded {
        true => format!("coalesce(nullif({exact}({text}){over}, 'NaN'), {plain}({text}){over})"),
        false => format!("{exact}({text}){over}"),
    }
}

/// A condition as text, and whether it may stand beside AND without parentheses.
pub(super) struct Condition {
    text: String,
    loose: bool,
}

impl Condition {
    fn enclosed(&self) -> String {
        if self.loose { format!("({})", self.text) } else { self.text.clone() }
    }
}

/// The conditions that all must hold.
pub(super) fn conditions(names: &dyn Names, pred: &Pred) -> Result<Vec<String>, PlanProblem> {
    let all = match pred {
        Pred::And { and } => and.as_slice(),
        _ => std::slice::from_ref(pred),
    };
    let alone = all.len() == 1;
    all.iter()
        .map(|pred| condition(names, pred).map(|found| if alone { found.text } else { found.enclosed() }))
        .collect()
}

fn condition(names: &dyn Names, pred: &Pred) -> Result<Condition, PlanProblem> {
    let joined = |items: &[Pred], word: &str| -> Result<Condition, PlanProblem> {
        let parts: Vec<Condition> = items.iter().map(|item| condition(names, item)).collect::<Result<_, _>>()?;
        let texts: Vec<String> = parts.iter().map(Condition::enclosed).collect();
        Ok(Condition { text: texts.join(word), loose: true })
    };
    match pred {
        Pred::And { and } => joined(and, " AND "),
        Pred::Or { or } => joined(or, " OR "),
        Pred::Not { not } => match not.as_ref() {
            Pred::Test { test: Test::IsNull, expr, .. } => {
                Ok(Condition { text: format!("{} IS NOT NULL", value(names, expr)?.enclosed()), loose: false })
            }
            other => Ok(Condition { text: format!("NOT ({})", condition(names, other)?.text), loose: false }),
        },
        Pred::Exists { exists } => Ok(Condition { text: names.exists(exists)?, loose: false }),
        Pred::Test { test, expr, values } => tested(names, *test, expr, values),
    }
}

fn tested(names: &dyn Names, test: Test, expr: &Expr, values: &[Cell]) -> Result<Condition, PlanProblem> {
    let subject = value(names, expr)?;
    kind::test(test, subject.kind)?;
    if !kind::values(test).contains(&values.len()) {
        return Err(invalid(format!("`{}` has {} values", test.as_str(), values.len())));
    }
    let constants: Vec<String> =
        values.iter().map(|value| constant(value, subject.kind, Use::Comparison)).collect::<Result<_, _>>()?;
    let (subject, first) = (subject.enclosed(), constants.first().cloned().unwrap_or_default());
    let text = match test {
        Test::Eq => format!("{subject} = {first}"),
        Test::Ne => format!("{subject} <> {first}"),
        Test::Lt => format!("{subject} < {first}"),
        Test::Le => format!("{subject} <= {first}"),
        Test::Gt => format!("{subject} > {first}"),
        Test::Ge => format!("{subject} >= {first}"),
        Test::In => format!("{subject} IN ({})", constants.join(", ")),
        Test::Between => format!("({subject} BETWEEN {first} AND {})", constants[1]),
        Test::Within => format!("({subject} >= {first} AND {subject} < {})", constants[1]),
        Test::Contains => format!("contains(lower({subject}), lower({first}))"),
        Test::StartsWith => format!("starts_with(lower({subject}), lower({first}))"),
        Test::EndsWith => format!("ends_with(lower({subject}), lower({first}))"),
        Test::IsNull => format!("{subject} IS NULL"),
    };
    Ok(Condition { text, loose: false })
}

/// What a number is printed for: arithmetic needs the type to be a double, a comparison the value to be exact.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    Arithmetic,
    Comparison,
}

/// A literal of a kind as SQL.
fn constant(value: &Cell, kind: Kind, purpose: Use) -> Result<String, PlanProblem> {
    let fitting = literal::fit(value, kind).map_err(invalid)?;
    Ok(match (&fitting, kind.ty) {
        (Cell::Bool(truth), _) => truth.to_string(),
        (Cell::Number(number), ty) => match number.as_f64().filter(|_| number.is_f64()) {
            Some(float) => fraction(float, ty, purpose),
            None => number.to_string(),
        },
        (Cell::String(text), Type::Date) => format!("DATE {}", string(text)),
        (Cell::String(text), Type::Time) => format!("TIME {}", string(text)),
        (Cell::String(text), Type::Timestamp) => {
            let moment = literal::moment(text).ok_or_else(|| invalid(format!("`{text}` is not a moment")))?;
            format!("TIMESTAMP {}", string(&format!("{} {}", moment.date, moment.time)))
        }
        (Cell::String(text), _) => string(text),
        (other, _) => return Err(invalid(format!("`{other}` is not a scalar"))),
    })
}

/// Plain digits are a DECIMAL in SQL, which compares exactly; with an exponent they are a DOUBLE.
fn fraction(float: f64, ty: Type, purpose: Use) -> String {
    const DECIMAL_DIGITS_MAX: usize = 30;
    const EXACT_DIGITS_MAX: usize = 15;
    let plain = float.to_string();
    let digits = plain.bytes().filter(u8::is_ascii_digit).count();
    let digits_max = if ty == Type::Float { EXACT_DIGITS_MAX } else { DECIMAL_DIGITS_MAX };
    match purpose {
        Use::Comparison if digits <= digits_max => plain,
        Use::Arithmetic if digits <= EXACT_DIGITS_MAX => format!("{plain}e0"),
        Use::Comparison | Use::Arithmetic => format!("{float:e}"),
    }
}
