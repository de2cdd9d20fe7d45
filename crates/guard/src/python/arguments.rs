//! What a call is given, as far as that can be read.

use ruff_python_ast::{AnyNodeRef, Expr, ExprCall, FStringPart, Keyword, Number, Operator, UnaryOp};
use ruff_text_size::{Ranged, TextRange};

/// The text of a constant string, also one written in parts.
pub fn constant(expr: &Expr) -> Option<&str> {
    expr.as_string_literal_expr().map(|literal| literal.value.to_str())
}

/// A constant whole number.
pub fn integer(expr: &Expr) -> Option<i64> {
    match expr {
        Expr::UnaryOp(unary) if unary.op == UnaryOp::USub => integer_literal(&unary.operand).map(|value| -value),
        _ => integer_literal(expr),
    }
}

fn integer_literal(expr: &Expr) -> Option<i64> {
    match &expr.as_number_literal_expr()?.value {
        Number::Int(value) => value.as_i64(),
        _ => None,
    }
}

/// The argument at a position or with a name.
pub fn positional<'a>(call: &'a ExprCall, index: usize, name: &str) -> Option<&'a Expr> {
    let mut before_star = call.arguments.args.iter().take_while(|argument| !argument.is_starred_expr());
    before_star.nth(index).or_else(|| keyword(call, name).map(|keyword| &keyword.value))
}

/// The argument with a name.
pub fn keyword<'a>(call: &'a ExprCall, name: &str) -> Option<&'a Keyword> {
    call.arguments.keywords.iter().find(|keyword| keyword.arg.as_ref().is_some_and(|arg| arg.as_str() == name))
}

/// Whether arguments are passed that cannot be read: `*words` or `**options`.
pub fn has_unknown(call: &ExprCall) -> bool {
    let keywords = &call.arguments.keywords;
    call.arguments.args.iter().any(Expr::is_starred_expr) || keywords.iter().any(|keyword| keyword.arg.is_none())
}

/// Whether an expression is surely false.
pub fn is_false(expr: &Expr) -> bool {
    match expr {
        Expr::BooleanLiteral(literal) => !literal.value,
        Expr::NoneLiteral(_) => true,
        _ => integer(expr) == Some(0),
    }
}

/// A text that is put together by `+`, `%`, `.format` or an f-string.
#[derive(Default)]
pub struct Folded {
    /// Its constant parts.
    pub text: String,
    /// Whether anything else is in it.
    pub is_mixed: bool,
    /// The operations that were looked through.
    pub operations: Vec<TextRange>,
}

/// Looks through a text that is put together.
pub fn folded(node: AnyNodeRef) -> Folded {
    let mut folded = Folded::default();
    let mut pending = vec![node];
    while let Some(node) = pending.pop() {
        match node {
            AnyNodeRef::ExprStringLiteral(literal) => folded.text.push_str(literal.value.to_str()),
            AnyNodeRef::ExprFString(string) => string.value.iter().for_each(|part| folded.f_string(part)),
            AnyNodeRef::ExprBinOp(operation) if operation.op == Operator::Add => {
                folded.operations.push(operation.range());
                pending.extend([AnyNodeRef::from(&*operation.right), AnyNodeRef::from(&*operation.left)]);
            }
            AnyNodeRef::ExprBinOp(operation) if operation.op == Operator::Mod => {
                folded.is_mixed = true;
                folded.operations.push(operation.range());
                pending.push(AnyNodeRef::from(&*operation.left));
            }
            AnyNodeRef::ExprCall(call) => {
                folded.is_mixed = true;
                let method = call.func.as_attribute_expr().filter(|method| method.attr.as_str() == "format");
                pending.extend(method.map(|method| AnyNodeRef::from(&*method.value)));
            }
            _ => folded.is_mixed = true,
        }
    }
    folded
}

impl Folded {
    fn f_string(&mut self, part: &FStringPart) {
        match part {
            FStringPart::Literal(literal) => self.text.push_str(literal),
            FStringPart::FString(part) => {
                part.elements.literals().for_each(|literal| self.text.push_str(&literal.value));
                self.is_mixed |= part.elements.interpolations().next().is_some();
            }
        }
    }
}
