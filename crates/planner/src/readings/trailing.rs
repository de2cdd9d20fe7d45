//! What is asked for at the end: `films with no synopsis, how many?`, `open tickets - count`.

use data::plan::Agg;

use super::{Parser, Steps};
use crate::draft::{Draft, Target};
use crate::lexicon::Role;

/// The last words say that what was described is to be counted.
pub fn count_last(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let Some(end) = parser.role(at, Role::Count) else { return };
    let told = (end..parser.tokens.len()).all(|at| {
        matches!(
            parser.word(at),
            "are" | "were" | "is" | "was" | "there" | "that" | "of" | "them" | "in" | "total" | "please"
        )
    });
    let [head] = &draft.heads[..] else { return };
    let rows = matches!(head.target, Target::Thing(_) | Target::Rows) && head.agg.is_none();
    let plain = draft.rank.is_none() && draft.groups.is_empty() && !draft.is_open() && !draft.share;
    let described = !draft.filters.is_empty() || !draft.having.is_empty();
    if told && rows && plain && described && draft.sort.is_none() && draft.limit.is_none() {
        let mut next = draft.with(|next| next.heads[0].agg = Some(Agg::Count));
        next.ask = None;
        steps.push((parser.tokens.len(), next));
    }
}
