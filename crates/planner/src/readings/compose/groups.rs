//! Words that tell rows apart: `by`, `per`, `each`, `monthly`, and what is counted at the very end.

use super::super::Parser;
use super::frame::{Frame, Last, Wanted};
use super::steps::{Found, names_data};
use crate::draft::{Columns, Condition, Filter, Head, Target};
use crate::lexicon::Role;
use crate::mentions::{Mention, What};
use data::plan::Agg;

pub fn marker(parser: &Parser, at: usize, end: usize, role: Role, frame: &Frame, found: &mut Found) {
    let timed =
        parser.roles(parser.skip_determiners(end)).any(|(_, role)| matches!(role, Role::Grain(_) | Role::Part(_)));
    let wanted = match role {
        // "Taken by riders" says who did it.
        Role::GroupBy if follows_deed(parser, at) && !timed => return,
        Role::GroupBy => Wanted::By,
        // "Across the lines we sold" are all of them.
        Role::GroupPer if parser.word(at) == "across" && parser.word(end) == "the" => {
            found.push((end, frame.clone()));
            return;
        }
        Role::GroupPer | Role::Each => Wanted::Per,
        // "Daily records" are the rows.
        Role::Adjective(_) if frame.draft.share || parser.role(end, Role::Rows).is_some() => {
            found.push((end, frame.clone()));
            return;
        }
        // "Annual leave" may be a cell.
        Role::Adjective(_) if parser.mentions.at(at).iter().any(|name| names_data(&name.what) && name.end > end) => {
            return;
        }
        Role::Adjective(grain) => {
            found.push((end, frame.with(Last::Group, |next| next.draft.groups.push(Target::Grain(grain)))));
            return;
        }
        _ => return,
    };
    if matches!(frame.wanted, None | Some(Wanted::By | Wanted::Per | Wanted::Shared)) {
        found.push((end, Frame { wanted: Some(wanted), ..frame.clone() }));
    }
}

/// `… - how many?`, `…: what's the count?`, `… of each`: after all else, how many there are.
pub fn counted_last(parser: &Parser, at: usize, frame: &Frame, found: &mut Found) {
    const PHRASES: &[&[&str]] = &[
        &["how", "many"],
        &["what's", "the", "count"],
        &["what", "is", "the", "count"],
        &["i", "just", "need", "the", "number"],
        &["just", "the", "number"],
        &["count"],
    ];
    let length = parser.tokens.len();
    let each = parser.after_phrase(at, &[&["how", "many", "of", "each"], &["how", "many", "each"]]);
    if let Some(end) = each.filter(|end| *end == length && frame.draft.heads.is_empty() && frame.wanted.is_none()) {
        let listed = |filter: &Filter| match &filter.condition {
            Condition::Values { cells, .. } if cells.iter().all(|(_, texts)| texts.len() > 1) => {
                Some(cells.iter().map(|(id, _)| *id).collect::<Columns>())
            }
            _ => None,
        };
        if let Some(columns) = frame.draft.filters.iter().find_map(listed) {
            found.push((
                end,
                frame.with(Last::Head, |next| {
                    next.draft.heads.push(Head::count_of(Target::Rows));
                    next.draft.groups.push(Target::Columns(columns));
                }),
            ));
        }
    }
    let Some(end) = parser.after_phrase(at, PHRASES).filter(|end| *end == length && at > 0) else { return };
    let mut next = frame.clone();
    match &mut next.draft.heads[..] {
        [head] if head.agg.is_none() && head.target.is_rows() => {
            head.agg = Some(Agg::Count);
        }
        [] if !next.draft.filters.is_empty() && next.wanted.is_none() => next.wanted = Some(Wanted::Counted),
        _ => return,
    }
    found.push((end, next));
}

/// Whether the word before says what was done.
fn follows_deed(parser: &Parser, at: usize) -> bool {
    let deed = |mention: &Mention| matches!(mention.what, What::Event(_));
    let before = parser.before(at);
    let participle = before.ends_with("ed")
        || matches!(before, "taken" | "done" | "made" | "sold" | "bought" | "driven" | "written" | "given" | "ridden");
    at > 0 && (participle || parser.mentions.covering(at - 1).any(deed))
}

/// `month by month`.
pub fn one_by_one(parser: &Parser, at: usize, frame: &Frame, found: &mut Found) {
    let grain = |at: usize| {
        parser.roles(at).find_map(|(_, role)| if let Role::Grain(grain) = role { Some(grain) } else { None })
    };
    let (Some(grain), Some(again)) = (grain(at), grain(at + 2)) else { return };
    if grain == again && matches!(parser.word(at + 1), "by" | "after" | "on") && frame.is_free() {
        found.push((at + 3, frame.with(Last::Group, |next| next.draft.groups.push(Target::Grain(grain)))));
    }
}
