//! Arithmetic as people write it: `price * quantity * (1 - discount / 100)` over columns and numbers, nothing more.
//!
//! ```text
//! sum     = product { ("+" | "-") product }
//! product = factor { ("*" | "/") factor }
//! factor  = number | column | "-" factor | "(" sum ")"
//! ```
//! A column is a word, `table.column`, or any name between double quotes or backticks. Positions in messages count
//! characters from 1.

use base::{Cell, Type};

use super::kind::{self, Kind};
use super::{EXPR_DEPTH_MAX, Expr, Op, PlanProblem, literal, name};
use crate::dataset::{Dataset, TableInfo};

/// The longest arithmetic that is read.
const TEXT_CHARS_MAX: usize = 1_000;

/// Reads arithmetic over the columns seen from `from_table`; problems carry an empty path.
pub fn parse_arithmetic(text: &str, from_table: &str, dataset: &Dataset) -> Result<Expr, PlanProblem> {
    let from = name::table(dataset, from_table)?;
    parse(text, dataset, from, &[]).map(|(expr, _)| expr)
}

pub(super) fn parse(
    text: &str,
    dataset: &Dataset,
    from: &TableInfo,
    via: &[String],
) -> Result<(Expr, Kind), PlanProblem> {
    let tokens = tokens(text)?;
    let end = text.chars().count() + 1;
    let mut parser = Parser { tokens, next: 0, depth: 0, end, dataset, from, via };
    let parsed = parser.sum()?;
    match parser.peek() {
        None => Ok(parsed),
        Some(token) => Err(at(token.position, format!("an operator is expected, not `{}`", token.shown()))),
    }
}

#[derive(Clone, Debug)]
struct Token {
    position: usize,
    what: What,
}

#[derive(Clone, Debug)]
enum What {
    Number(String),
    Column(String),
    Sign(char),
}

impl Token {
    fn shown(&self) -> String {
        match &self.what {
            What::Number(text) | What::Column(text) => text.clone(),
            What::Sign(sign) => sign.to_string(),
        }
    }
}

fn at(position: usize, message: String) -> PlanProblem {
    PlanProblem::invalid("", format!("{message} at character {position}"))
}

fn tokens(text: &str) -> Result<Vec<Token>, PlanProblem> {
    let chars: Vec<char> = text.chars().collect();
    if chars.len() > TEXT_CHARS_MAX {
        return Err(PlanProblem::invalid("", format!("arithmetic is at most {TEXT_CHARS_MAX} characters long")));
    }
    let mut tokens = Vec::new();
    let mut next = 0;
    while let Some(&first) = chars.get(next) {
        let position = next + 1;
        let run = |from: usize, belongs: fn(char) -> bool| {
            chars[from..].iter().position(|c| !belongs(*c)).map_or(chars.len(), |length| from + length)
        };
        let (what, end) = match first {
            c if c.is_whitespace() => {
                next += 1;
                continue;
            }
            '+' | '-' | '*' | '/' | '(' | ')' => (What::Sign(first), next + 1),
            '"' | '`' => {
                let Some(length) = chars[next + 1..].iter().position(|c| *c == first) else {
                    return Err(at(position, format!("the name that `{first}` opens is not closed")));
                };
                let end = next + 1 + length;
                (What::Column(chars[next + 1..end].iter().collect()), end + 1)
            }
            c if c.is_ascii_digit() || c == '.' => {
                let end = run(next, |c| c.is_alphanumeric() || c == '.' || c == '_');
                (What::Number(chars[next..end].iter().collect()), end)
            }
            c if c.is_alphabetic() || c == '_' => {
                let end = run(next, |c| c.is_alphanumeric() || c == '.' || c == '_');
                (What::Column(chars[next..end].iter().collect()), end)
            }
            c => return Err(at(position, format!("`{c}` has no meaning in arithmetic"))),
        };
        tokens.push(Token { position, what });
        next = end;
    }
    Ok(tokens)
}

struct Parser<'d> {
    tokens: Vec<Token>,
    next: usize,
    depth: usize,
    end: usize,
    dataset: &'d Dataset,
    from: &'d TableInfo,
    via: &'d [String],
}

impl Parser<'_> {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.next)
    }

    /// Takes one of these signs, and says where it stood.
    fn take(&mut self, signs: &[char]) -> Option<(usize, char)> {
        let Some(Token { position, what: What::Sign(sign) }) = self.peek() else { return None };
        let found = signs.contains(sign).then_some((*position, *sign));
        self.next += usize::from(found.is_some());
        found
    }

    fn sum(&mut self) -> Result<(Expr, Kind), PlanProblem> {
        let mut left = self.product()?;
        while let Some((position, sign)) = self.take(&['+', '-']) {
            let op = if sign == '+' { Op::Add } else { Op::Sub };
            left = join(op, left, self.product()?, position)?;
        }
        Ok(left)
    }

    fn product(&mut self) -> Result<(Expr, Kind), PlanProblem> {
        let mut left = self.factor()?;
        while let Some((position, sign)) = self.take(&['*', '/']) {
            let op = if sign == '*' { Op::Mul } else { Op::Div };
            left = join(op, left, self.factor()?, position)?;
        }
        Ok(left)
    }

    fn factor(&mut self) -> Result<(Expr, Kind), PlanProblem> {
        let Some(token) = self.peek().cloned() else {
            return Err(at(self.end, "a column or a number is expected, but the text ends".to_string()));
        };
        self.next += 1;
        match token.what {
            What::Number(text) => number(&text, token.position),
            What::Column(text) => self.column(&text, token.position),
            What::Sign('(') => {
                let inner = self.deeper(token.position, Self::sum)?;
                match self.take(&[')']) {
                    Some(_) => Ok(inner),
                    None => {
                        let message = format!("the parenthesis at character {} is not closed", token.position);
                        Err(PlanProblem::invalid("", message))
                    }
                }
            }
            What::Sign('-') => {
                let inner = self.deeper(token.position, Self::factor)?;
                negated(inner, token.position)
            }
            What::Sign(sign) => Err(at(token.position, format!("a column or a number is expected, not `{sign}`"))),
        }
    }

    fn deeper<T>(
        &mut self,
        position: usize,
        read: impl FnOnce(&mut Self) -> Result<T, PlanProblem>,
    ) -> Result<T, PlanProblem> {
        self.depth += 1;
        if self.depth > EXPR_DEPTH_MAX {
            return Err(at(position, format!("arithmetic is nested deeper than {EXPR_DEPTH_MAX}")));
        }
        let value = read(self)?;
        self.depth -= 1;
        Ok(value)
    }

    fn column(&self, text: &str, position: usize) -> Result<(Expr, Kind), PlanProblem> {
        match name::column(self.dataset, self.from, self.via, text) {
            Ok((table, column)) => Ok((Expr::col(name::qualified(table, column)), column.ty.into())),
            Err(problem) => {
                let message = format!("{} at character {position}", problem.message);
                Err(PlanProblem { message, ..problem })
            }
        }
    }
}

fn number(text: &str, position: usize) -> Result<(Expr, Kind), PlanProblem> {
    let shaped = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') && text != ".";
    let value: Option<Cell> = match (shaped, text.parse::<u64>()) {
        (true, Ok(whole)) => Some(Cell::from(whole)),
        (true, Err(_)) => text.parse::<f64>().ok().filter(|float| float.is_finite()).map(Cell::from),
        (false, _) => None,
    };
    let literal = value.and_then(|value| literal::scalar(&value).ok());
    let Some(lit) = literal else { return Err(at(position, format!("`{text}` is not a number"))) };
    let kind = kind::literal(&lit).unwrap_or(Type::Int.into());
    Ok((Expr::Lit { lit }, kind))
}

fn negated((expr, kind): (Expr, Kind), position: usize) -> Result<(Expr, Kind), PlanProblem> {
    if let Expr::Lit { lit: Cell::Number(number) } = &expr {
        let negative =
            number.as_i64().map(|whole| Cell::from(-whole)).or_else(|| number.as_f64().map(|float| Cell::from(-float)));
        if let Some(lit) = negative {
            return Ok((Expr::Lit { lit }, kind));
        }
    }
    join(Op::Sub, (Expr::Lit { lit: Cell::from(0) }, Type::Int.into()), (expr, kind), position)
}

fn join(op: Op, left: (Expr, Kind), right: (Expr, Kind), position: usize) -> Result<(Expr, Kind), PlanProblem> {
    let kind =
        kind::operation(op, &[(&left.0, left.1), (&right.0, right.1)]).map_err(|wrong| at(position, wrong.message))?;
    Ok((Expr::Op { op, args: vec![left.0, right.0] }, kind))
}
