//! Two sides of a comparison: `do members spend more than guests`, `faster in May than in April`, `compared with the rest`.

use data::plan::{Agg, Dir};

use super::super::Parser;
use super::frame::{Frame, Last, Wanted};
use super::steps::Found;
use crate::draft::{Condition, Filter, Having, Head, Rank, RankKind, Target};
use crate::score::Feature;

/// Every step that a word of comparing takes.
pub fn from(parser: &Parser, at: usize, frame: &Frame, found: &mut Found) {
    degree(parser, at, frame, found);
    than(parser, at, frame, found);
    the_rest(parser, at, frame, found);
}

/// `more`, `faster`, `better`: of what is said elsewhere, or of the number that the word names.
fn degree(parser: &Parser, at: usize, frame: &Frame, found: &mut Found) {
    let compares = (at + 1..parser.tokens.len()).find(|later| parser.word(*later) == "than");
    let Some(than) = compares.filter(|_| frame.draft.contrast.is_none() && frame.is_free()) else { return };
    // "More than 5" is no comparison of two sides.
    let counted = (than + 1..parser.tokens.len()).take(3).any(|later| parser.tokens[later].number().is_some());
    let index = parser.index;
    let word = parser.word(at);
    if counted && than == at + 1 {
        return;
    }
    if matches!(
        word,
        "more" | "less" | "fewer" | "higher" | "lower" | "better" | "worse" | "bigger" | "larger" | "greater"
    ) {
        let mut next = frame.clone();
        next.draft.predicate |= !frame.draft.heads.is_empty();
        next.graded |= !matches!(word, "more" | "fewer" | "less");
        let often = parser.word(at + 1) == "often";
        found.push((at + 1 + usize::from(often), next));
        return;
    }
    let Some((_, words)) = index.lexicon.comparative(&format!("{word} than")) else { return };
    let (columns, other) = index.numbers_called(words);
    let measured = frame.draft.heads.iter().any(|head| !head.target.is_rows());
    // "Is the water harder" is no comparison of what it was measured by otherwise.
    let other_number = |head: &Head| matches!(&head.target, Target::Columns(named) if *named != columns);
    if !columns.is_empty() && frame.draft.heads.iter().any(other_number) {
        return;
    }
    let targets: Vec<Target> = if !columns.is_empty() {
        vec![Target::Columns(columns)]
    } else if words.iter().any(|word| matches!(*word, "time" | "duration" | "length")) {
        index.intervals.iter().map(|interval| super::super::spans::elapsed(parser, *interval, None)).collect()
    } else {
        Vec::new()
    };
    for target in targets {
        found.push((
            at + 1,
            frame.with(Last::Other, |next| {
                next.draft.features.extend(other.then_some(Feature::Synonym));
                next.draft.predicate = true;
                if !measured {
                    next.draft.heads = vec![Head { agg: Some(Agg::Avg), ..Head::plain(target) }];
                    next.draft.features.push(Feature::ImpliedAverage);
                }
            }),
        ));
    }
}

/// `than`: the other side follows.
fn than(parser: &Parser, at: usize, frame: &Frame, found: &mut Found) {
    let sided = !frame.draft.filters.is_empty() && frame.draft.contrast.is_none() && frame.is_free();
    if parser.word(at) == "than" && sided {
        let mut next = frame.clone();
        next.draft.contrast = Some(frame.draft.filters.len());
        found.push((at + 1, next));
    }
}

/// `the rest`, `those without`: all that the first side is not.
fn the_rest(parser: &Parser, at: usize, frame: &Frame, found: &mut Found) {
    const PHRASES: &[&[&str]] = &[
        &["the", "rest"],
        &["the", "others"],
        &["others"],
        &["those", "without"],
        &["those", "that", "don't"],
        &["those", "who", "don't"],
        &["all", "others"],
        &["everyone", "else"],
        &["everybody", "else"],
        &["not"],
        &["without"],
    ];
    let Some(sides) = frame.draft.contrast.filter(|sides| *sides > 0 && *sides == frame.draft.filters.len()) else {
        return;
    };
    let Some(end) = parser.after_phrase(at, PHRASES) else { return };
    let ends = end == parser.tokens.len() || parser.comma(end) || !parser.mentions.is_data(end);
    let first = frame.draft.filters[sides - 1].clone();
    let state = matches!(first.condition, Condition::Flag(_) | Condition::Values { .. });
    if ends && state && !first.negated && frame.is_free() {
        found.push((end, frame.with(Last::Other, |next| next.draft.filters.push(Filter { negated: true, ..first }))));
    }
}

/// `how often`, `most often`: by how many rows.
pub fn often(parser: &Parser, at: usize, frame: &Frame, found: &mut Found) {
    let asks = parser.after_phrase(at, &[&["how", "often"], &["how", "many", "times"], &["how", "frequently"]]);
    if let Some(end) = asks.filter(|_| frame.draft.heads.is_empty() && frame.wanted.is_none()) {
        let next = Frame { wanted: Some(Wanted::Counted), ..frame.clone() };
        found.push((end, next));
    }
    let most = parser.after_phrase(at, &[&["most", "often"], &["most", "frequently"], &["the", "most", "often"]]);
    // "Borrowed fewer than 10 times".
    if let (Some(Wanted::Compared(test, amounts)), "times") = (&frame.wanted, parser.word(at)) {
        let rows = frame.deed.map_or(Target::Rows, Target::Thing);
        let head = Head::count_of(rows);
        let (test, amounts) = (*test, amounts.clone());
        found.push((
            at + 1,
            frame.with(Last::Other, |next| {
                next.wanted = None;
                next.draft.having.push(Having { head, kind: Vec::new(), test, amounts });
            }),
        ));
    }
    if let Some(end) = most.filter(|_| frame.draft.rank.is_none() && frame.is_free()) {
        let next = frame.with(Last::Other, |next| {
            let (kind, dir, number) = (RankKind::Amount, Dir::Desc, next.number.take());
            let rows = next.deed.map_or(Target::Rows, Target::Thing);
            let by = Some(Head::count_of(rows));
            next.draft.rank = Some(Rank { kind, dir, number, by, open: false });
        });
        found.push((end, next));
    }
}
