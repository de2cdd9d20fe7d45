//! Arithmetic with columns, said in words: `quantity times unit price`, `box office minus budget`, `cost divided by usage`.
//!
//! A word just before it that names nothing is what the result is called: `profit (box office minus budget)`.

use data::plan::{Agg, Op};

use super::{Parser, Steps, features};
use crate::draft::{Columns, Draft, Formula, Head, Target};
use crate::index::ColId;
use crate::lexicon::Role;
use crate::mentions::What;
use crate::score::Feature;

/// How many words the result of a formula may be called by.
const NAME_WORDS_MAX: usize = 3;

/// Formulas that start at a position, or that follow what they are called by.
pub fn targets(parser: &Parser, at: usize) -> Vec<(usize, Target, Vec<Feature>)> {
    let unnamed =
        |token: usize| parser.mentions.covering(token).next().is_none() && parser.tokens[token].number().is_none();
    let name_end = (at..parser.tokens.len().min(at + NAME_WORDS_MAX)).take_while(|token| unnamed(*token)).count() + at;
    let mut found = formulas(parser, name_end, name_end > at);
    if name_end > at {
        found.iter_mut().for_each(|(_, _, features)| features.push(Feature::OpenChoice));
    }
    found.extend(speed(parser, at));
    found
}

/// `average speed`: how far in how long, for each row, where one column says each and none says the speed itself.
fn speed(parser: &Parser, at: usize) -> Option<(usize, Target, Vec<Feature>)> {
    let index = parser.index;
    let said = matches!(parser.word(at), "speed" | "speeds") && parser.mentions.covering(at).next().is_none();
    if !said {
        return None;
    }
    let of = |families: &[&str], word: &str| -> Columns {
        let fits = |id: &ColId| {
            let unit = index.facts(*id).unit.as_ref().is_some_and(|unit| families.contains(&unit.family));
            unit && index.facts(*id).has(word)
        };
        index.columns().filter(fits).collect()
    };
    let ([way], [time]) = (&of(&["length", "miles"], "distance")[..], &of(&["time"], "duration")[..]) else {
        return None;
    };
    let minutes = index.facts(*time).unit.as_ref()?.factor;
    let factor = (60.0 / minutes * 1e9).round() / 1e9;
    let formula = Formula { op: Op::Div, left: vec![*way], right: vec![*time], factor };
    // "Km/h" is what it is told in anyway.
    let start = at + 1 + usize::from(parser.word(at + 1) == "in");
    let own = index.facts(*way).unit.as_ref()?;
    let unit = index.lexicon.unit(parser.word(start)).is_some_and(|unit| unit.name == own.name);
    let per = start + 1 + usize::from(parser.word(start + 1) == "per");
    let end = if unit && matches!(parser.word(per), "h" | "hour" | "hr") { per + 1 } else { at + 1 };
    (way.table == time.table).then(|| (end, Target::Formula(formula), vec![Feature::Synonym]))
}

/// `what are they worth (quantity times price)`: the verb of a number that a formula after it explains.
pub fn worth(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let explained = || (at + 1..parser.tokens.len()).any(|later| !formulas(parser, later, true).is_empty());
    if parser.word(at) == "worth" && matches!(draft.heads[..], [Head { agg: None, .. }]) && explained() {
        let end = parser.role(at + 1, Role::Agg(Agg::Sum)).unwrap_or(at + 1);
        let total = ["in", "total"].iter().enumerate().all(|(i, word)| parser.word(at + 1 + i) == *word);
        let end = if total { at + 3 } else { end };
        steps.push((end, draft.clone()));
    }
}

/// `cost by month (quantity times unit price)`: how the number asked for before it is computed.
pub fn meant_before(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    if draft.is_open() || draft.joined && !draft.groups.is_empty() {
        return;
    }
    let by = draft.rank.as_ref().and_then(|rank| rank.by.as_ref());
    let Some(number) = by.or_else(|| draft.heads.last().filter(|_| draft.heads.len() == 1)) else { return };
    for (end, target, found) in formulas(parser, at, true) {
        let Target::Formula(formula) = &target else { continue };
        // "Cost" was taken for one of the two numbers that the words now put together.
        let about =
            |columns: &Columns| columns.iter().any(|id| formula.left.contains(id) || formula.right.contains(id));
        let worth = |thing: usize| {
            let rows = formula.left.iter().all(|id| parser.index.things[thing].table == Some(id.table));
            rows && parser.tokens.iter().any(|token| token.fold == "worth")
        };
        let asked = match &number.target {
            Target::Columns(columns) => about(columns),
            Target::Thing(thing) => worth(*thing),
            _ => false,
        };
        if !asked || !matches!(number.agg, None | Some(Agg::Sum | Agg::Avg)) {
            continue;
        }
        let head = Head { target: target.clone(), ..number.clone() };
        let next = draft.with(|next| {
            next.features.extend(found);
            match next.rank.as_mut().and_then(|rank| rank.by.as_mut()) {
                Some(by) => *by = head,
                None => next.heads = vec![head],
            }
        });
        steps.push((end, next));
    }
}

/// Formulas whose first column is named at a position. "Over" divides only where a definition is expected: elsewhere it
/// compares.
fn formulas(parser: &Parser, at: usize, defines: bool) -> Vec<(usize, Target, Vec<Feature>)> {
    let mut found = Vec::new();
    for (left_end, left, left_features) in operands(parser, at) {
        let Some((middle, op)) = operator(parser, left_end, defines) else { continue };
        for (end, right, right_features) in operands(parser, middle) {
            if right.iter().any(|id| left.contains(id)) {
                continue;
            }
            let all = left_features.iter().chain(&right_features).copied().collect();
            found.push((end, Target::Formula(Formula { op, left: left.clone(), right, factor: 1.0 }), all));
        }
    }
    found
}

fn operator(parser: &Parser, at: usize, defines: bool) -> Option<(usize, Op)> {
    match (parser.word(at), parser.word(at + 1)) {
        ("times" | "x" | "*", _) => Some((at + 1, Op::Mul)),
        ("multiplied", "by" | "with") => Some((at + 2, Op::Mul)),
        ("minus", _) => Some((at + 1, Op::Sub)),
        ("divided", "by") => Some((at + 2, Op::Div)),
        ("over", _) if defines => Some((at + 1, Op::Div)),
        _ => None,
    }
}

/// Number columns named at a position, after "the" and "total".
fn operands(parser: &Parser, at: usize) -> Vec<(usize, Columns, Vec<Feature>)> {
    let start = parser.skip_determiners(at);
    let mut found = numbers(parser, parser.role(start, Role::Agg(Agg::Sum)).unwrap_or(start));
    found.retain(|(_, columns, _)| columns.iter().all(|id| !parser.index.facts(*id).years));
    found
}

/// Number columns named at a position, after "the".
pub fn numbers(parser: &Parser, at: usize) -> Vec<(usize, Columns, Vec<Feature>)> {
    let start = parser.skip_determiners(at);
    let number = |id: &ColId| {
        let facts = parser.index.facts(*id);
        parser.index.column(*id).ty.is_number() && !facts.identifier && facts.yes.is_none()
    };
    let named = parser.mentions.at(start).iter().filter_map(|mention| match &mention.what {
        What::Columns(columns) => {
            let numbers: Columns = columns.iter().copied().filter(number).collect();
            (!numbers.is_empty()).then(|| (mention.end, numbers, features(mention)))
        }
        _ => None,
    });
    named.collect()
}
