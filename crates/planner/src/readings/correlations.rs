//! How two numbers go together: `correlation between age and charges`, `how are age and charges correlated`,
//! `does age correlate with charges`.

use data::plan::Agg;

use super::formulas::numbers;
use super::{Name, Parser, Steps};
use crate::draft::{Draft, Head, Target};
use crate::lexicon::Role;

/// Words before the first number that only ask.
const LEAD: &[&str] = &[
    "how", "is", "are", "was", "were", "does", "do", "did", "strongly", "closely", "much", "well", "there", "a", "any",
];

/// The two numbers, wherever the word stands that says what is asked of them.
pub fn correlation(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    if !draft.heads.is_empty() || draft.is_open() || draft.rank.is_some() || draft.share {
        return;
    }
    let start = (at..parser.tokens.len()).find(|at| !LEAD.contains(&parser.word(*at))).unwrap_or(at);
    let noun = noun_end(parser, start);
    if start > at && noun.is_none() && !draft.filters.is_empty() {
        return;
    }
    for (end, target, features) in pairs(parser, noun.unwrap_or(start), noun.is_some()) {
        let next = draft.with(|next| {
            next.features.extend(features);
            next.heads.push(Head { agg: Some(Agg::Corr), ..Head::plain(target) });
        });
        steps.push((end, next));
    }
}

/// The token after `correlation coefficient between`.
fn noun_end(parser: &Parser, at: usize) -> Option<usize> {
    let end = match parser.word(at) {
        "correlation" => at + 1 + usize::from(parser.word(at + 1) == "coefficient"),
        "correlate" => at + 1,
        _ => return None,
    };
    Some(end + usize::from(matches!(parser.word(end), "between" | "of")))
}

/// Both numbers from a position on; where no word before them says what is asked, one between or behind them must.
fn pairs(parser: &Parser, at: usize, said: bool) -> Vec<Name> {
    let mut found = Vec::new();
    for (left_end, left, left_features) in numbers(parser, at) {
        let after_be = left_end + usize::from(matches!(parser.word(left_end), "is" | "are" | "was" | "were"));
        let between = is_verb(parser.word(after_be)) && matches!(parser.word(after_be + 1), "with" | "to");
        let joint = match () {
            () if between => Some(after_be + 2),
            () if said && matches!(parser.word(left_end), "with" | "to") => Some(left_end + 1),
            () => parser.role(left_end, Role::And).or_else(|| parser.role(left_end, Role::Versus)),
        };
        let Some(joint) = joint else { continue };
        for (right_end, right, right_features) in numbers(parser, joint) {
            let after_be = right_end + usize::from(matches!(parser.word(right_end), "is" | "are" | "was" | "were"));
            let end = match is_verb(parser.word(after_be)) {
                true => after_be + 1,
                false if said || between => right_end,
                false => continue,
            };
            if left != right {
                let features = left_features.iter().chain(&right_features).copied().collect();
                found.push((end, Target::Correlation(Box::new((left.clone(), right))), features));
            }
        }
    }
    found
}

fn is_verb(word: &str) -> bool {
    matches!(word, "correlate" | "correlates" | "correlated")
}
