//! Two columns of one row against each other: `closed higher than it opened`, `discharged on the day they were admitted`.

use data::plan::Test;

use super::filters::add;
use super::{Parser, Steps, features};
use crate::draft::{Columns, Condition, Draft};
use crate::index::ColId;
use crate::lexicon::{Glue, Role};
use crate::mentions::{Mention, What};
use crate::score::Feature;
use base::Type;

/// `budget is greater than the box office`, `made less than they cost`.
pub fn columns(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    if draft.heads.is_empty() || draft.is_open() {
        return;
    }
    for first in parser.mentions.at(at) {
        let left = comparable(parser, first);
        if left.is_empty() {
            continue;
        }
        let joint = parser.skip(first.end, |glue| matches!(glue, Glue::Be | Glue::Have | Glue::Determiner));
        let tests = parser.roles(joint).filter_map(|(end, role)| match role {
            Role::Compare(test) if test != Test::Ne => Some((end, test)),
            _ => None,
        });
        for (end, test) in tests {
            let mut start = parser.skip_determiners(end);
            start += usize::from(matches!(parser.word(start), "they" | "it"));
            for second in parser.mentions.at(start) {
                let right = comparable(parser, second);
                if right.is_empty() || right == left || second.end < end {
                    continue;
                }
                let found: Vec<Feature> = features(first).into_iter().chain(features(second)).collect();
                let condition = Condition::Columns { left: left.clone(), test, right };
                steps.push((second.end, add(draft, condition, &found)));
            }
        }
    }
}

/// `took less at the box office than they cost to make`: the first column stands between the degree and "than".
pub fn degree_between(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    if draft.heads.is_empty() || draft.is_open() {
        return;
    }
    // The verb may be another word for the column.
    let verb = parser.mentions.at(at).iter().find(|mention| mention.synonym && !comparable(parser, mention).is_empty());
    let degree = verb.map_or(at, |mention| mention.end);
    let test = match parser.word(degree) {
        "more" | "higher" => Test::Gt,
        "less" | "lower" | "fewer" => Test::Lt,
        _ => return,
    };
    let start = parser.skip(degree + 1, |glue| matches!(glue, Glue::Preposition | Glue::Determiner));
    for first in parser.mentions.at(start).iter().filter(|mention| parser.word(mention.end) == "than") {
        let left = comparable(parser, first);
        let mut other = parser.skip_determiners(first.end + 1);
        other += usize::from(matches!(parser.word(other), "they" | "it" | "what"));
        for second in parser.mentions.at(other) {
            let right = comparable(parser, second);
            if left.is_empty() || right.is_empty() || right.iter().any(|id| left.contains(id)) {
                continue;
            }
            let found: Vec<Feature> = features(first).into_iter().chain(features(second)).collect();
            let condition = Condition::Columns { left: left.clone(), test, right };
            let end = parser.role(second.end, Role::Purpose).unwrap_or(second.end);
            steps.push((end, add(draft, condition, &found)));
        }
    }
}

fn comparable(parser: &Parser, mention: &Mention) -> Columns {
    let measured = |id: &ColId| {
        let facts = parser.index.facts(*id);
        parser.index.column(*id).ty.is_number() && !facts.identifier && facts.yes.is_none()
    };
    match &mention.what {
        What::Columns(columns) => columns.iter().copied().filter(measured).collect(),
        _ => Vec::new(),
    }
}

/// `discharged on the same day they were admitted`: two dates without a time of day are equal.
pub fn same_day(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    if draft.heads.is_empty() || draft.is_open() {
        return;
    }
    for first in parser.mentions.at(at) {
        let left = days(parser, first);
        let on = ["on", "the"].iter().enumerate().all(|(i, word)| parser.word(first.end + i) == *word);
        if left.is_empty() || !on {
            continue;
        }
        let day = first.end + 2 + usize::from(parser.word(first.end + 2) == "same");
        if parser.word(day) != "day" {
            continue;
        }
        let passed =
            |word: &str| matches!(word, "as" | "that" | "they" | "it" | "were" | "was" | "are" | "is" | "when");
        let start = (day + 1..parser.tokens.len()).find(|at| !passed(parser.word(*at))).unwrap_or(day + 1);
        for second in parser.mentions.at(start) {
            let right = days(parser, second);
            if !right.is_empty() && right != left {
                let condition = Condition::Columns { left: left.clone(), test: Test::Eq, right };
                steps.push((second.end, add(draft, condition, &[])));
            }
        }
    }
}

fn days(parser: &Parser, mention: &Mention) -> Columns {
    let day = |id: &ColId| parser.index.column(*id).ty == Type::Date;
    match &mention.what {
        What::Event(columns) | What::Columns(columns) => columns.iter().copied().filter(day).collect(),
        _ => Vec::new(),
    }
}

/// `ended at the same station where they began`: two columns that hold the same kind of thing at both ends.
pub fn same_end(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let verb = matches!(parser.word(at), "end" | "ended" | "ends" | "finish" | "finished" | "stop" | "stopped");
    let place = at + 1 + usize::from(matches!(parser.word(at + 1), "at" | "in"));
    let same = parser.word(place) == "the" && parser.word(place + 1) == "same";
    if !verb || !same || draft.heads.is_empty() || draft.is_open() {
        return;
    }
    let Some((left, right)) = ends_of(parser, place + 2) else { return };
    let passed = |word: &str| matches!(word, "as" | "that" | "where" | "they" | "it" | "which" | "from" | "at");
    let start = (place + 3..parser.tokens.len()).find(|at| !passed(parser.word(*at))).unwrap_or(place + 3);
    let began = matches!(parser.word(start), "began" | "started" | "start" | "begin" | "begun" | "starts");
    if began {
        let end = start + 1 + usize::from(matches!(parser.word(start + 1), "from" | "at" | "in"));
        steps.push((end, add(draft, Condition::Columns { left, test: Test::Eq, right }, &[])));
    }
}

/// The columns that say where a row ended and where it began, for the noun at a position.
pub(super) fn ends_of(parser: &Parser, at: usize) -> Option<(Columns, Columns)> {
    const STARTS: &[&str] = &["start", "started", "begin", "began", "from", "origin", "pickup", "departure"];
    const ENDS: &[&str] = &["end", "ended", "finish", "finished", "to", "destination", "dropoff", "arrival"];
    let index = parser.index;
    let noun = parser.tokens.get(at)?.singular.clone();
    let of = |list: &[&str]| -> Columns {
        let says = |id: &ColId| {
            let words = &index.facts(*id).words;
            words.contains(&noun) && words.iter().any(|word| list.contains(&word.as_str()))
        };
        index.columns().filter(|id| says(id) && index.column(*id).ty.is_number()).collect()
    };
    let (left, right) = (of(ENDS), of(STARTS));
    (left.len() == 1 && right.len() == 1).then_some((left, right))
}
