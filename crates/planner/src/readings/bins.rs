//! Ranges of one width that numbers are put into: `by age group of 10`, `by price in bins of 50`, `per age band`, `by decade`.

use super::{Name, Parser};
use crate::draft::{Columns, Target};
use crate::index::ColId;
use crate::mentions::What;
use crate::tokens::Token;

/// What starts at a position in a group: a number and its bins, or decades.
pub fn targets(parser: &Parser, at: usize) -> Vec<Name> {
    let mut found: Vec<Name> = decades(parser, at).into_iter().collect();
    for mention in parser.mentions.at(at) {
        let What::Columns(columns) = &mention.what else { continue };
        let number = |id: &ColId| {
            parser.index.column(*id).ty.is_number()
                && !parser.index.facts(*id).identifier
                && parser.index.facts(*id).yes.is_none()
        };
        let columns: Columns = columns.iter().copied().filter(number).collect();
        let Some((end, width)) = bins_end(parser, mention.end).filter(|_| !columns.is_empty()) else { continue };
        // "Age group" may be the name of a column.
        let named = parser.mentions.at(at).iter().any(|other| {
            other.end > mention.end && !other.partial && matches!(other.what, What::Columns(_) | What::Thing(_))
        });
        if !named {
            found.push((end, Target::Bins(columns, width), super::features(mention)));
        }
    }
    found
}

/// `decade`, `decade of release`, `release decade`.
fn decades(parser: &Parser, at: usize) -> Option<Name> {
    let said = |at: usize| matches!(parser.word(at), "decade" | "decades");
    let of = |at: usize| {
        parser.mentions.at(at).iter().find_map(|mention| match &mention.what {
            What::Columns(columns) | What::Event(columns) => {
                let timed = |id: &ColId| parser.index.column(*id).ty.is_temporal() || parser.index.facts(*id).years;
                let columns: Columns = columns.iter().copied().filter(timed).collect();
                (!columns.is_empty()).then_some((mention.end, columns, super::features(mention)))
            }
            _ => None,
        })
    };
    if said(at) {
        let start = parser.skip_determiners(at + 2);
        let named = if matches!(parser.word(at + 1), "of" | "in") { of(start) } else { None };
        return Some(match named {
            Some((end, columns, features)) => (end, Target::Decades(columns), features),
            None => (at + 1, Target::Decades(Columns::new()), Vec::new()),
        });
    }
    let (end, columns, features) = of(at)?;
    said(end).then_some((end + 1, Target::Decades(columns), features))
}

/// The token after `groups of 10 years`, `in bins of 50`, and the width if it is said.
fn bins_end(parser: &Parser, at: usize) -> Option<(usize, Option<f64>)> {
    let inside = parser.word(at) == "in" || parser.word(at) == "into";
    let noun = at + usize::from(inside);
    let is_noun =
        |word: &str| matches!(word, "group" | "band" | "bin" | "bracket" | "range" | "bucket" | "step" | "interval");
    if !is_noun(parser.tokens.get(noun)?.singular.as_str()) {
        return None;
    }
    let of = noun + 1;
    let width =
        matches!(parser.word(of), "of" | "by").then(|| parser.tokens.get(of + 1).and_then(Token::number)).flatten();
    let Some(width) = width.filter(|width| *width > 0.0) else {
        return (!inside && parser.word(of) != "of").then_some((of, None));
    };
    let unit = parser.index.lexicon.unit(parser.word(of + 2)).is_some();
    Some((of + 2 + usize::from(unit), Some(width)))
}
