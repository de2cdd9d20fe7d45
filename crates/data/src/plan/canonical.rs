//! One spelling per plan, and its hash.
//!
//! The normal form flattens and sorts `and` and `or`, sorts `in` and `via`, and drops repetitions in them. The hash is
//! that of the RFC 8785 JSON: sorted keys, no blanks, numbers as ECMAScript prints them. One deliberate difference:
//! integers that a double cannot hold keep all their digits, because two plans must not share a hash.

use std::cmp::Ordering;
use std::fmt::Write;

use base::{Cell, Hash};
use serde_json::{Number, Value};

use super::{Exists, Plan, Pred, Test};

impl Plan {
    /// The canonical JSON: defaults written out, nulls and empty arrays left out, fields in the language's order.
    pub fn canonical(&self) -> Value {
        serde_json::to_value(self.normal()).expect("a plan is plain data")
    }

    /// The hash by which equal plans are known.
    pub fn hash(&self) -> Hash {
        Hash::of(print(&self.canonical()).as_bytes())
    }

    /// The same plan with everything that has no order sorted.
    pub(crate) fn normal(&self) -> Plan {
        let mut plan = self.clone();
        plan.via.sort();
        plan.via.dedup();
        plan.filter = plan.filter.as_ref().map(normal);
        plan.having = plan.having.as_ref().map(normal);
        for measure in &mut plan.measures {
            measure.filter = measure.filter.as_ref().map(normal);
        }
        plan
    }
}

fn normal(pred: &Pred) -> Pred {
    match pred {
        Pred::And { and } => match flat(and, &|pred| if let Pred::And { and } = pred { Ok(and) } else { Err(pred) }) {
            mut only if only.len() == 1 => only.remove(0),
            and => Pred::And { and },
        },
        Pred::Or { or } => match flat(or, &|pred| if let Pred::Or { or } = pred { Ok(or) } else { Err(pred) }) {
            mut only if only.len() == 1 => only.remove(0),
            or => Pred::Or { or },
        },
        Pred::Not { not } => Pred::Not { not: Box::new(normal(not)) },
        Pred::Exists { exists } => {
            let filter = exists.filter.as_ref().map(|pred| Box::new(normal(pred)));
            Pred::Exists { exists: Exists { table: exists.table.clone(), filter } }
        }
        Pred::Test { test: Test::In, expr, values } => {
            let mut values = values.clone();
            values.sort_by(order);
            values.dedup();
            Pred::Test { test: Test::In, expr: expr.clone(), values }
        }
        Pred::Test { .. } => pred.clone(),
    }
}

/// The normal items of a conjunction or disjunction, those of the same kind inside it spilled into it.
fn flat(items: &[Pred], spill: &dyn Fn(Pred) -> Result<Vec<Pred>, Pred>) -> Vec<Pred> {
    let mut all: Vec<Pred> = Vec::new();
    for item in items {
        match spill(normal(item)) {
            Ok(inner) => all.extend(inner),
            Err(other) => all.push(other),
        }
    }
    all.sort_by_cached_key(|pred| print(&serde_json::to_value(pred).expect("a predicate is plain data")));
    all.dedup();
    all
}

/// Numbers by size, everything else by its text.
fn order(a: &Cell, b: &Cell) -> Ordering {
    match (a, b) {
        (Cell::Number(x), Cell::Number(y)) => {
            let sizes = x.as_f64().partial_cmp(&y.as_f64()).unwrap_or(Ordering::Equal);
            sizes.then_with(|| print(a).cmp(&print(b)))
        }
        _ => print(a).cmp(&print(b)),
    }
}

/// RFC 8785 JSON.
pub(crate) fn print(value: &Value) -> String {
    let mut text = String::new();
    write_value(&mut text, value);
    text
}

fn write_value(text: &mut String, value: &Value) {
    match value {
        Value::Null => text.push_str("null"),
        Value::Bool(truth) => text.push_str(if *truth { "true" } else { "false" }),
        Value::Number(number) => text.push_str(&print_number(number)),
        Value::String(string) => write_string(text, string),
        Value::Array(items) => {
            text.push('[');
            for (index, item) in items.iter().enumerate() {
                text.push_str(if index > 0 { "," } else { "" });
                write_value(text, item);
            }
            text.push(']');
        }
        Value::Object(fields) => {
            let mut sorted: Vec<_> = fields.iter().collect();
            sorted.sort_by(|a, b| a.0.encode_utf16().cmp(b.0.encode_utf16()));
            text.push('{');
            for (index, (name, field)) in sorted.into_iter().enumerate() {
                text.push_str(if index > 0 { "," } else { "" });
                write_string(text, name);
                text.push(':');
                write_value(text, field);
            }
            text.push('}');
        }
    }
}

/// Short escapes where JSON has them, `\u00xx` for the other control characters, nothing else escaped.
fn write_string(text: &mut String, string: &str) {
    text.push('"');
    for c in string.chars() {
        match c {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '\u{8}' => text.push_str("\\b"),
            '\t' => text.push_str("\\t"),
            '\n' => text.push_str("\\n"),
            '\u{c}' => text.push_str("\\f"),
            '\r' => text.push_str("\\r"),
            c if c < ' ' => write!(text, "\\u{:04x}", c as u32).expect("writing to a string cannot fail"),
            c => text.push(c),
        }
    }
    text.push('"');
}

/// As ECMAScript prints a number: the shortest digits that read back, plain between 1e-6 and 1e21.
fn print_number(number: &Number) -> String {
    let Some(float) = number.as_f64().filter(|_| number.is_f64()) else { return number.to_string() };
    if float == 0.0 {
        return "0".to_string();
    }
    let shortest = format!("{:e}", float.abs());
    let (mantissa, exponent) = shortest.split_once('e').expect("the `e` format has an exponent");
    let digits = mantissa.replace('.', "");
    let exponent: i32 = exponent.parse().expect("the exponent is a small integer");
    let sign = if float < 0.0 { "-" } else { "" };
    let point = exponent + 1;
    let count = digits.len() as i32;
    let body = match point {
        _ if count <= point && point <= 21 => format!("{digits}{}", "0".repeat((point - count) as usize)),
        1..=21 => format!("{}.{}", &digits[..point as usize], &digits[point as usize..]),
        -5..=0 => format!("0.{}{digits}", "0".repeat(-point as usize)),
        _ => {
            let (first, rest) = digits.split_at(1);
            let fraction = if rest.is_empty() { String::new() } else { format!(".{rest}") };
            format!("{first}{fraction}e{}{}", if exponent < 0 { "-" } else { "+" }, exponent.abs())
        }
    };
    format!("{sign}{body}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_spelled_as_in_ecmascript() {
        let spelled = |text: &str| print(&serde_json::from_str(text).expect("a number"));
        for (written, printed) in [
            ("1.0", "1"),
            ("-0.0", "0"),
            ("1e3", "1000"),
            ("333333333.33333329", "333333333.3333333"),
            ("1E30", "1e+30"),
            ("4.50", "4.5"),
            ("2e-3", "0.002"),
            ("0.000001", "0.000001"),
            ("1e-7", "1e-7"),
            ("1.5e-10", "1.5e-10"),
            ("1e20", "100000000000000000000"),
            ("1e21", "1e+21"),
            ("-12.75", "-12.75"),
            ("9007199254740993", "9007199254740993"),
        ] {
            assert_eq!(spelled(written), printed, "{written}");
        }
    }

    #[test]
    fn keys_are_sorted_and_only_control_characters_escaped() {
        let value: Value = serde_json::from_str(r#"{"b":"\u0001\n\"€/","a":[true,null],"B":{}}"#).expect("json");
        assert_eq!(print(&value), r#"{"B":{},"a":[true,null],"b":"\u0001\n\"€/"}"#);
    }
}
