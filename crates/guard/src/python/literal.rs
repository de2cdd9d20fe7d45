//! Values that are written out in Python, read without executing anything, and when two of them are the same.
//!
//! With them a value that a program gave is held against one that was expected outside of the process that gave it.

use ruff_python_ast::{Expr, Number, UnaryOp};
use ruff_python_parser::parse_expression;
use serde::{Deserialize, Serialize};

use super::unreadable;

/// A value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Literal {
    /// `None`
    None,
    /// `True`
    Bool(bool),
    /// Of any size, in decimal digits.
    Int(String),
    /// As Python spells it.
    Float(String),
    /// `'a'`
    Text(String),
    /// `b'a'`
    Bytes(Vec<u8>),
    /// `[1]`
    List(Vec<Literal>),
    /// `(1,)`
    Tuple(Vec<Literal>),
    /// `{1}`
    Set(Vec<Literal>),
    /// `{1: 2}`
    Dict(Vec<(Literal, Literal)>),
    /// Something that cannot be written out, which is the same as nothing; its type.
    Other(String),
}

/// How far two floats may lie apart, beside their size.
const TOLERANCE: f64 = 1e-6;

impl Literal {
    /// Reads one; none where the text is anything else.
    pub fn read(text: &str) -> Option<Literal> {
        if unreadable(text).is_some() {
            return None;
        }
        of(parse_expression(text.trim()).ok()?.expr())
    }

    /// Whether a value is this one that was expected. Numbers are compared as Python does, floats as closely as they are
    /// usually written.
    pub fn is_given_by(&self, given: &Literal) -> bool {
        let all = |wanted: &[Literal], given: &[Literal]| {
            wanted.len() == given.len() && wanted.iter().zip(given).all(|(wanted, given)| wanted.is_given_by(given))
        };
        match (self, given) {
            (Literal::None, Literal::None) => true,
            (Literal::Text(wanted), Literal::Text(given)) => wanted == given,
            (Literal::Bytes(wanted), Literal::Bytes(given)) => wanted == given,
            (Literal::List(wanted), Literal::List(given)) | (Literal::Tuple(wanted), Literal::Tuple(given)) => {
                all(wanted, given)
            }
            (Literal::Set(wanted), Literal::Set(given)) => {
                wanted.len() == given.len()
                    && wanted.iter().all(|wanted| given.iter().any(|given| wanted.is_given_by(given)))
            }
            (Literal::Dict(wanted), Literal::Dict(given)) => {
                let has = |(key, value): &(Literal, Literal)| {
                    given.iter().any(|(other, under)| key.is_given_by(other) && value.is_given_by(under))
                };
                wanted.len() == given.len() && wanted.iter().all(has)
            }
            _ => self.is_near(given),
        }
    }

    fn is_near(&self, given: &Literal) -> bool {
        if let (Some(wanted), Some(given)) = (self.whole(), given.whole()) {
            return wanted == given;
        }
        let (Some(wanted), Some(given)) = (self.number(), given.number()) else { return false };
        let near = matches!(self, Literal::Float(_)) && (wanted - given).abs() <= TOLERANCE * wanted.abs().max(1.0);
        wanted == given || near || (wanted.is_nan() && given.is_nan())
    }

    fn whole(&self) -> Option<&str> {
        match self {
            Literal::Bool(value) => Some(if *value { "1" } else { "0" }),
            Literal::Int(digits) => Some(digits),
            _ => None,
        }
    }

    fn number(&self) -> Option<f64> {
        match self {
            Literal::Float(text) => text.parse().ok(),
            other => other.whole()?.parse().ok(),
        }
    }

    /// The same number with the other sign.
    fn negated(self) -> Option<Literal> {
        let turned = |text: String| match text.strip_prefix('-') {
            Some(bare) => bare.to_string(),
            None if text == "0" => text,
            None => format!("-{text}"),
        };
        match self {
            Literal::Int(digits) => Some(Literal::Int(turned(digits))),
            Literal::Float(text) => Some(Literal::Float(turned(text))),
            _ => None,
        }
    }
}

/// Expressions nest no deeper than the parser's callers allow.
fn of(expression: &Expr) -> Option<Literal> {
    let all = |items: &[Expr]| items.iter().map(of).collect::<Option<Vec<_>>>();
    Some(match expression {
        Expr::NoneLiteral(_) => Literal::None,
        Expr::BooleanLiteral(one) => Literal::Bool(one.value),
        Expr::NumberLiteral(one) => match &one.value {
            Number::Int(whole) => {
                Literal::Int(whole.as_u64().map_or_else(|| whole.to_string(), |small| small.to_string()))
            }
            Number::Float(value) => Literal::Float(format!("{value:?}")),
            Number::Complex { .. } => return None,
        },
        Expr::StringLiteral(one) => Literal::Text(one.value.to_str().to_string()),
        Expr::BytesLiteral(one) => Literal::Bytes(one.value.bytes().collect()),
        Expr::List(one) => Literal::List(all(&one.elts)?),
        Expr::Tuple(one) => Literal::Tuple(all(&one.elts)?),
        Expr::Set(one) => Literal::Set(all(&one.elts)?),
        Expr::Dict(one) => {
            let pairs = one.items.iter().map(|item| Some((of(item.key.as_ref()?)?, of(&item.value)?)));
            Literal::Dict(pairs.collect::<Option<_>>()?)
        }
        Expr::UnaryOp(one) if one.op == UnaryOp::USub => of(&one.operand)?.negated()?,
        Expr::UnaryOp(one) if one.op == UnaryOp::UAdd => of(&one.operand).filter(|value| value.number().is_some())?,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_compared_as_python_does() {
        for (wanted, given, same) in [
            ("4", "4", true),
            ("4", "4.0", true),
            ("True", "1", true),
            ("0.333333", "0.3333333333", true),
            ("1", "1.0000001", false),
            ("-0", "0", true),
            ("123456789012345678901234567890", "123456789012345678901234567890", true),
            ("123456789012345678901234567890", "123456789012345678901234567891", false),
            ("[1, (2, 'a')]", "[1, (2, \"a\")]", true),
            ("[1, 2]", "(1, 2)", false),
            ("{1, 2}", "{2, 1}", true),
            ("{'a': [1.0], 'b': None}", "{'b': None, 'a': [1]}", true),
            ("{'a': 1}", "{'a': 2}", false),
            ("'1'", "1", false),
            ("b'a'", "'a'", false),
            ("None", "False", false),
            ("-1.5e3", "-1500", true),
        ] {
            let read = |text: &str| Literal::read(text).unwrap_or_else(|| panic!("{text} is none"));
            assert_eq!(read(wanted).is_given_by(&read(given)), same, "{wanted} by {given}");
        }
        assert!(!Literal::Other("A".into()).is_given_by(&Literal::Other("A".into())), "what says it equals anything");
    }

    #[test]
    fn what_would_have_to_be_computed_is_no_value() {
        for text in ["f(1)", "1 + 2", "x", "[x]", "f'{1}'", "1j", "-'a'", "", "1 2", "{**{}}"] {
            assert_eq!(Literal::read(text), None, "{text}");
        }
    }
}
