//! The weather, which has no name but "it": `when it was below zero outside`, `on readings below freezing`.

use data::plan::Test;

use super::compare::units;
use super::filters::add;
use super::{Parser, Steps};
use crate::draft::{Amount, Columns, Condition, Draft};
use crate::index::ColId;
use crate::lexicon::Unit;
use crate::score::Feature;

/// The freezing point in each unit of temperature.
const FREEZING: [(&str, f64); 2] = [("celsius", 0.0), ("fahrenheit", 32.0)];

/// `freezing` and `freezing (0 °C)` as a number of degrees.
pub(super) fn freezing(parser: &Parser, at: usize) -> Vec<(usize, Amount)> {
    let end = at + 1 + usize::from(parser.word(at + 1) == "point");
    let mut found = Vec::new();
    for (name, number) in FREEZING {
        let unit = parser.index.lexicon.unit(name).cloned();
        found.push((end, Amount { number, percent: false, money: false, unit }));
        // The number may be said again.
        if parser.tokens.get(end).and_then(|token| token.number()) == Some(number) {
            let unit_end = units(parser, end + 1).iter().map(|(end, _)| *end).max();
            let unit = parser.index.lexicon.unit(name).cloned();
            found.push((unit_end.unwrap_or(end + 1), Amount { number, percent: false, money: false, unit }));
        }
    }
    found
}

/// `when it was below zero outside`, `if it is freezing`: a condition on the only temperature there is.
pub fn outside(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    if draft.is_open() {
        return;
    }
    let start = at + usize::from(matches!(parser.word(at), "when" | "while" | "whenever" | "if"));
    let after = match (parser.word(start), parser.word(start + 1)) {
        ("it's", _) => start + 1,
        ("it", "is" | "was" | "gets" | "got") => start + 2,
        _ => return,
    };
    let columns = temperatures(parser, after);
    if columns.len() != 1 {
        return;
    }
    let degrees = |amount: &Amount| amount.unit.as_ref().is_none_or(is_degrees) && !amount.percent && !amount.money;
    let mut found = parser.comparisons(after, false).to_vec();
    if parser.word(after) == "freezing" {
        found.extend(freezing(parser, after).into_iter().map(|(end, amount)| (end, Test::Lt, vec![amount])));
    }
    for (end, test, amounts) in found.into_iter().filter(|(_, _, amounts)| amounts.iter().all(degrees)) {
        let condition = Condition::Compare { columns: columns.clone(), test, amounts, implied: true };
        let end = end + usize::from(is_outside(parser.word(end)));
        steps.push((end, add(draft, condition, &[Feature::ImpliedColumn, Feature::OpenChoice])));
    }
}

pub(super) fn is_outside(word: &str) -> bool {
    matches!(word, "outside" | "outdoors")
}

fn is_degrees(unit: &Unit) -> bool {
    matches!(unit.family, "celsius" | "fahrenheit")
}

/// The columns that hold a temperature; of several, those outside where the words after a position say so.
fn temperatures(parser: &Parser, at: usize) -> Columns {
    let index = parser.index;
    let all: Columns = index
        .columns()
        .filter(|id| index.column(*id).ty.is_number() && index.facts(*id).unit.as_ref().is_some_and(is_degrees))
        .collect();
    let out = |id: &ColId| index.facts(*id).has_any(&["outdoor", "outside"]);
    let said = (at..parser.tokens.len()).any(|token| is_outside(parser.word(token)));
    let outdoors: Columns = all.iter().copied().filter(out).collect();
    if said && !outdoors.is_empty() { outdoors } else { all }
}
