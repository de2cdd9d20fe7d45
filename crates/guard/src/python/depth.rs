//! How deep a program would nest, from its tokens alone.
//!
//! The parser, and whoever drops its tree, recurse once per level, so a text that nests too deeply has to be refused
//! before there is a tree. What nests: brackets, blocks, and within one expression every operator, call and attribute
//! in a row, because a chain of them is a tree that leans to one side. A comma ends a chain, except that of lambdas,
//! whose parameters are separated by commas too. The estimate is never below the tree's depth.

use base::{Finding, Span};
use ruff_python_ast::token::TokenKind;
use ruff_python_parser::{Mode, lexer};

use super::{BRACKETS_MAX, DEPTH_MAX, INDENTATION_MAX};

/// The finding for a program that nests too deeply, at the line where it does.
pub fn too_deep(text: &str) -> Option<Finding> {
    let what = reached(text)?;
    // The tokens do not say where they stand, but lines can be bisected: more lines never nest less.
    let ends: Vec<usize> = text.match_indices('\n').map(|(at, _)| at + 1).chain([text.len()]).collect();
    let line = ends.partition_point(|end| reached(&text[..*end]).is_none());
    let start = if line == 0 { 0 } else { ends[line - 1] };
    let end = ends.get(line).copied().unwrap_or(text.len());
    let message = format!("{what}; write flatter code");
    Some(Finding::error("python/limit", message, Some(Span { start, end: start.max(end) })))
}

/// One open bracket, or the logical line.
#[derive(Clone, Copy, Default)]
struct Level {
    /// Operators of the chain so far.
    chained: usize,
    lambdas: usize,
    /// The deepest of what is enclosed in the chain so far.
    enclosed: usize,
    /// The deepest chain that has ended.
    deepest: usize,
}

impl Level {
    fn depth(self) -> usize {
        self.deepest.max(self.chained + self.enclosed)
    }

    fn end_chain(&mut self) {
        *self = Level { chained: self.lambdas, lambdas: self.lambdas, enclosed: 0, deepest: self.depth() };
    }
}

/// Which limit a program reaches, in words.
fn reached(text: &str) -> Option<String> {
    let mut lexer = lexer::lex(text, Mode::Module);
    let mut levels = vec![Level::default()];
    let mut indentation = 0;
    loop {
        let kind = lexer.next_token();
        match kind {
            TokenKind::EndOfFile => break,
            TokenKind::Semi if levels.len() == 1 => levels[0] = Level::default(),
            TokenKind::Newline => levels = vec![Level::default()],
            TokenKind::Indent => indentation += 1,
            TokenKind::Dedent => indentation -= 1,
            _ => step(&mut levels, kind),
        }
        if indentation > INDENTATION_MAX as isize {
            return Some(format!("more than {INDENTATION_MAX} blocks lie in each other"));
        }
        if levels.len() > BRACKETS_MAX {
            return Some(format!("more than {BRACKETS_MAX} brackets are open at once"));
        }
        if levels.last().is_some_and(|level| level.depth() > DEPTH_MAX) {
            return Some(format!("an expression nests more than {DEPTH_MAX} levels deep"));
        }
    }
    while levels.len() > 1 {
        close(&mut levels);
    }
    (levels[0].depth() > DEPTH_MAX).then(|| format!("an expression nests more than {DEPTH_MAX} levels deep"))
}

fn step(levels: &mut Vec<Level>, kind: TokenKind) {
    use TokenKind as T;
    let Some(level) = levels.last_mut() else { return };
    match kind {
        T::Lpar | T::Lsqb | T::Lbrace | T::FStringStart | T::TStringStart => {
            level.chained += 1;
            levels.push(Level::default());
        }
        T::Rpar | T::Rsqb | T::Rbrace | T::FStringEnd | T::TStringEnd => close(levels),
        T::Comma => level.end_chain(),
        T::Lambda => {
            level.chained += 1;
            level.lambdas += 1;
        }
        kind if is_chained(kind) => level.chained += 1,
        _ => {}
    }
}

fn close(levels: &mut Vec<Level>) {
    if levels.len() > 1
        && let (Some(inner), Some(outer)) = (levels.pop(), levels.last_mut())
    {
        outer.enclosed = outer.enclosed.max(inner.depth() + 1);
    }
}

/// Whether each of these in a row is one level more.
fn is_chained(kind: TokenKind) -> bool {
    use TokenKind as T;
    matches!(
        kind,
        T::Dot
            | T::Plus
            | T::Minus
            | T::Star
            | T::Slash
            | T::DoubleSlash
            | T::Percent
            | T::At
            | T::DoubleStar
            | T::Vbar
            | T::Amper
            | T::CircumFlex
            | T::Tilde
            | T::LeftShift
            | T::RightShift
            | T::Not
            | T::Await
            | T::If
            | T::Else
            | T::ColonEqual
            | T::Yield
            | T::From
            | T::Exclamation
    )
}
