//! Values and conditions in words.

use base::{Cell, Type};
use jiff::ToSpan;
use jiff::civil::Date;

use super::{Kind, Telling};
use crate::bins;
use crate::plan::{Exists, Expr, Op, Part, Pred, Test};

impl Telling<'_> {
    /// What the rows of a table are called, in the plural.
    pub(super) fn rows_of(&self, table: &str) -> String {
        match self.dataset.table(table).and_then(|info| info.noun.as_ref()) {
            Some(noun) => plural(noun),
            None => format!("rows of {table}"),
        }
    }

    /// A value of one row.
    pub(super) fn expression(&self, expr: &Expr) -> String {
        match expr {
            Expr::Col { col } => self.column(col),
            Expr::Lit { lit } => value(lit),
            Expr::Ref { name } => self.output(name),
            Expr::Part { part, of } => format!("{} of {}", part_words(*part), self.expression(of)),
            Expr::Op { op, args } => self.operation(*op, args),
        }
    }

    /// The bare name where it can mean only one column: its table is the one asked, or no other table has the name.
    fn column(&self, qualified: &str) -> String {
        let Some((table, name)) = qualified.split_once('.') else { return qualified.to_string() };
        if table == self.plan.from || !self.is_shared_name(qualified) {
            name.to_string()
        } else {
            qualified.to_string()
        }
    }

    /// Whether another table has a column of that name too.
    pub(super) fn is_shared_name(&self, qualified: &str) -> bool {
        let Some((table, name)) = qualified.split_once('.') else { return false };
        self.dataset.tables.iter().any(|other| other.name != table && other.column(name).is_some())
    }

    fn operation(&self, op: Op, args: &[Expr]) -> String {
        let argument = |index: usize| args.get(index).map_or("?".to_string(), |arg| self.expression(arg));
        let elapsed = |unit: &str| format!("{unit} from {} to {}", argument(0), argument(1));
        let sign = match op {
            Op::Add => " + ",
            Op::Sub => " − ",
            Op::Mul => " × ",
            Op::Div => " ÷ ",
            Op::Bin => return self.bin(args),
            Op::ToNumber => return format!("{} as a number", argument(0)),
            Op::ElapsedMinutes => return elapsed("minutes"),
            Op::ElapsedHours => return elapsed("hours"),
            Op::ElapsedDays => return elapsed("days"),
        };
        let operands = args.iter().enumerate().map(|(index, arg)| {
            let text = self.expression(arg);
            if needs_parentheses(op, index, arg) { format!("({text})") } else { text }
        });
        operands.collect::<Vec<_>>().join(sign)
    }

    /// Ranges of one width, or ten years.
    fn bin(&self, args: &[Expr]) -> String {
        let [of, Expr::Lit { lit }] = args else { return "bins".to_string() };
        match bins::decade(args, self.dataset) {
            Some(of) => format!("decade of {}", self.expression(of)),
            None => format!("{} in bins of {}", self.expression(of), value(lit)),
        }
    }

    /// A truth of one row, or of one group.
    pub(super) fn condition(&self, pred: &Pred) -> String {
        let member = |pred: &Pred| match pred {
            Pred::And { and } if and.len() > 1 => format!("({})", self.condition(pred)),
            Pred::Or { or } if or.len() > 1 => format!("({})", self.condition(pred)),
            _ => self.condition(pred),
        };
        let all = |preds: &[Pred], word: &str| preds.iter().map(member).collect::<Vec<_>>().join(word);
        match pred {
            Pred::And { and } if and.is_empty() => "always".to_string(),
            Pred::Or { or } if or.is_empty() => "never".to_string(),
            Pred::And { and } => all(and, " and "),
            Pred::Or { or } => all(or, " or "),
            Pred::Exists { exists } => self.existence("at least one", exists),
            Pred::Test { test, expr, values } => self.test(*test, expr, values, ""),
            Pred::Not { not } => match not.as_ref() {
                Pred::Exists { exists } => self.existence("no", exists),
                Pred::Test { test, expr, values } => self.test(*test, expr, values, " not"),
                other => format!("not ({})", self.condition(other)),
            },
        }
    }

    fn existence(&self, how_many: &str, exists: &Exists) -> String {
        let noun = self.dataset.table(&exists.table).and_then(|table| table.noun.clone());
        let noun = noun.unwrap_or_else(|| format!("row of {}", exists.table));
        match &exists.filter {
            // Inside, that table is the one spoken of, so its columns go by their bare names.
            Some(filter) => {
                let mut inner = self.plan.clone();
                inner.from = exists.table.clone();
                let inner = Telling { plan: &inner, dataset: self.dataset };
                format!("there is {how_many} {noun} where {}", inner.grouped(filter))
            }
            None => format!("there is {how_many} {noun}"),
        }
    }

    fn grouped(&self, pred: &Pred) -> String {
        let several = matches!(pred, Pred::And { and: parts } | Pred::Or { or: parts } if parts.len() > 1);
        if several { format!("({})", self.condition(pred)) } else { self.condition(pred) }
    }

    /// `not` is empty or ` not`: each test says its own opposite.
    fn test(&self, test: Test, expr: &Expr, values: &[Cell], not: &str) -> String {
        let subject = self.expression(expr);
        let first = || values.first().map_or("?".to_string(), value);
        let time = self.kind(expr) == Kind::Time;
        let verb = |positive: &str, negative: &str| {
            let verb = if not.is_empty() { positive } else { negative };
            format!("{subject} {verb} {}", values.first().map_or("?".to_string(), quoted))
        };
        match test {
            Test::Eq => format!("{subject} is{not} {}", first()),
            Test::Ne if not.is_empty() => format!("{subject} is not {}", first()),
            Test::Ne => format!("{subject} is {}", first()),
            Test::Lt if time => format!("{subject} is{not} before {}", first()),
            Test::Le if time => format!("{subject} is{not} {} or earlier", first()),
            Test::Gt if time => format!("{subject} is{not} after {}", first()),
            Test::Ge if time => format!("{subject} is{not} {} or later", first()),
            Test::Lt => format!("{subject} is{not} below {}", first()),
            Test::Le => format!("{subject} is{not} at most {}", first()),
            Test::Gt => format!("{subject} is{not} above {}", first()),
            Test::Ge => format!("{subject} is{not} at least {}", first()),
            Test::In => {
                let values: Vec<String> = values.iter().map(value).collect();
                let how = if not.is_empty() { "one of" } else { "none of" };
                format!("{subject} is {how} {}", joined(&values, if not.is_empty() { "or" } else { "and" }))
            }
            Test::Between | Test::Within => {
                format!("{subject} is{not} {}", range(test, values, self.column_type(expr)))
            }
            Test::Contains => verb("contains", "does not contain"),
            Test::StartsWith => verb("starts with", "does not start with"),
            Test::EndsWith => verb("ends with", "does not end with"),
            Test::IsNull if not.is_empty() => format!("{subject} is missing"),
            Test::IsNull => format!("{subject} is present"),
        }
    }

    fn column_type(&self, expr: &Expr) -> Option<Type> {
        match expr {
            Expr::Col { col } => self.dataset.column(col).map(|column| column.ty),
            _ => None,
        }
    }

    pub(super) fn kind(&self, expr: &Expr) -> Kind {
        match expr {
            Expr::Ref { name } => self.output_kind(name),
            // Its values are names of days, which sort from Monday.
            Expr::Part { part: Part::Weekday, .. } => Kind::Time,
            _ => match self.column_type(expr) {
                Some(Type::Date | Type::Time | Type::Timestamp) => Kind::Time,
                Some(Type::Text | Type::Json) => Kind::Text,
                Some(Type::Bool) => Kind::Truth,
                Some(Type::Int | Type::Float | Type::Decimal) | None => Kind::Number,
            },
        }
    }
}

/// A range as people say it: whole days from the first to the last; where that would not be exact, the exact bounds.
fn range(test: Test, values: &[Cell], ty: Option<Type>) -> String {
    let [low, high] = values else { return "in an unclear range".to_string() };
    let day = |cell: &Cell| cell.as_str().and_then(|text| text.parse::<Date>().ok()).filter(|_| is_plain_date(cell));
    match (test, day(low), day(high), ty) {
        (Test::Within, Some(start), Some(end), Some(Type::Date | Type::Timestamp)) => {
            let last = end.saturating_sub(1.day());
            if start == last { format!("on {last}") } else { format!("from {start} to {last}") }
        }
        (Test::Within, ..) => format!("from {} up to but without {}", value(low), value(high)),
        (_, Some(_), Some(_), Some(Type::Timestamp)) => {
            format!("from {} 00:00 to {} 00:00", value(low), value(high))
        }
        _ => format!("from {} to {}", value(low), value(high)),
    }
}

fn is_plain_date(cell: &Cell) -> bool {
    cell.as_str().is_some_and(|text| text.len() == "2026-01-31".len())
}

fn part_words(part: Part) -> &'static str {
    match part {
        Part::Year => "year",
        Part::Quarter => "quarter number",
        Part::Month => "month number",
        Part::Week => "week number",
        Part::Day => "day of the month",
        Part::Weekday => "weekday",
        Part::Hour => "hour of the day",
    }
}

/// Products bind tighter than sums; what follows a minus or a division must keep its own brackets.
fn needs_parentheses(outer: Op, index: usize, arg: &Expr) -> bool {
    let Expr::Op { op: inner, .. } = arg else { return false };
    let strength = |op: Op| match op {
        Op::Add | Op::Sub => 1,
        Op::Mul | Op::Div => 2,
        Op::Bin | Op::ToNumber | Op::ElapsedMinutes | Op::ElapsedHours | Op::ElapsedDays => 0,
    };
    let same = strength(*inner) == strength(outer);
    strength(*inner) < strength(outer)
        || (same && index > 0 && !(*inner == outer && matches!(outer, Op::Add | Op::Mul)))
}

/// A scalar; text bare where it is one word, so that `priority is Critical` reads as said.
pub(super) fn value(cell: &Cell) -> String {
    match cell {
        Cell::String(text) => {
            let moment = text.len() > 10 && text.is_char_boundary(10) && text[..10].parse::<Date>().is_ok();
            let word = !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || "-_.:/".contains(c));
            if word || moment { text.clone() } else { quoted(cell) }
        }
        Cell::Null => "null".to_string(),
        other => other.to_string(),
    }
}

fn quoted(cell: &Cell) -> String {
    match cell {
        Cell::String(text) => format!("\"{text}\""),
        other => format!("\"{other}\""),
    }
}

/// `a, b and c`.
pub(super) fn joined(items: &[String], last: &str) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [init @ .., end] => format!("{} {last} {end}", init.join(", ")),
    }
}

/// The regular English plural.
pub(super) fn plural(noun: &str) -> String {
    let ends = |endings: &[&str]| endings.iter().any(|ending| noun.ends_with(ending));
    let vowel_before_y = ends(&["ay", "ey", "iy", "oy", "uy"]);
    if noun.ends_with('y') && !vowel_before_y {
        format!("{}ies", &noun[..noun.len() - 1])
    } else if ends(&["s", "x", "z", "ch", "sh"]) {
        format!("{noun}es")
    } else {
        format!("{noun}s")
    }
}
