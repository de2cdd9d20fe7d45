//! Words beside a name that choose nothing more: `day pass holders`, `registered patients`, `the biggest single order`,
//! `sensors installed in the lab`, `count each patient once`, `round trips, i.e. …`.

use data::plan::Agg;

use super::super::joins::names_data;
use super::super::{Parser, Steps};
use super::{pass, persons};
use crate::draft::{Condition, Draft, Filter, Head, Target};
use crate::index::ColId;
use crate::lexicon::Role;
use crate::mentions::{Mention, What};

/// `day pass holders`, `single ride customers`: whoever the value before it is said of.
pub fn holder(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let Some(token) = parser.tokens.get(at) else { return };
    let person = matches!(
        token.singular.as_str(),
        "holder" | "owner" | "user" | "customer" | "client" | "people" | "person" | "folk" | "member"
    );
    let of_person = |id: &ColId| {
        let first = parser.index.facts(*id).words.first();
        first.is_some_and(|word| {
            parser.index.lexicon.is_of("person", word) || persons::is_described_by_columns(parser, word)
        })
    };
    let valued = match draft.filters.last() {
        Some(Filter { condition: Condition::Values { cells, .. }, .. }) => cells.iter().all(|(id, _)| of_person(id)),
        _ => false,
    };
    let just_said = ends_here(parser, at, |mention| matches!(mention.what, What::Value(_)));
    // Counted or listed they would be persons, whom the rows do not tell apart.
    let asked_for = draft.heads.is_empty() && !matches!(parser.word(0), "do" | "does" | "did" | "are" | "is");
    if person && !asked_for && !draft.is_open() && valued && just_said && !names_data(parser, at) {
        steps.push((at + 1, pass(parser, at, at + 1, draft)));
    }
}

/// `registered patients`, `known sensors`: every row that the table has is that.
pub fn on_record(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let said = matches!(parser.word(at), "registered" | "known" | "existing" | "individual" | "recorded" | "listed");
    let rows =
        |mention: &Mention| matches!(mention.what, What::Thing(thing) if parser.index.things[thing].table.is_some());
    if said && !names_data(parser, at) && parser.mentions.at(at + 1).iter().any(rows) {
        steps.push((at + 1, pass(parser, at, at + 1, draft)));
    }
}

/// `the biggest single order`, `the single highest reading`: one row's own number, which a superlative asks for anyway.
pub fn single(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    if !matches!(parser.word(at), "single" | "individual") || names_data(parser, at) {
        return;
    }
    let superlative = |mention: &Mention| {
        matches!(mention.what, What::Adjective(_) | What::Role(Role::Extreme(_) | Role::Amount(_) | Role::Recent(_)))
    };
    let before = ends_here(parser, at, superlative);
    if before || parser.mentions.at(at + 1).iter().any(superlative) {
        steps.push((at + 1, pass(parser, at, at + 1, draft)));
    }
}

/// `sensors installed in the boiler house`: being put somewhere is being there, where a cell says the place.
pub fn located(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let put = matches!(
        parser.word(at),
        "installed" | "placed" | "mounted" | "situated" | "positioned" | "fitted" | "housed" | "stationed" | "sitting"
    );
    let place = matches!(parser.word(at + 1), "in" | "at" | "on" | "inside");
    let cell = parser.mentions.at(parser.skip_determiners(at + 2)).iter();
    let known = cell.clone().any(|mention| matches!(mention.what, What::Value(_)));
    let period = cell.clone().any(|mention| matches!(mention.what, What::When(_)));
    if put && place && known && !period && !draft.heads.is_empty() && !names_data(parser, at) {
        steps.push((at + 1, pass(parser, at, at + 1, draft)));
    }
}

/// `patients has Dr. Moroby treated`: the verb at the end links what is asked for to who did it.
pub fn linked_last(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let Some(end) = parser.role(at, Role::Link).filter(|_| parser.role(at, Role::Write).is_none()) else { return };
    let thing = matches!(&draft.heads[..], [Head { target: Target::Thing(_), .. }]);
    let doer = ends_here(parser, at, |mention| matches!(mention.what, What::Value(_)));
    let active = (0..at).any(|token| matches!(parser.word(token), "did" | "does" | "do" | "has" | "have"));
    if thing && doer && active && end == parser.tokens.len() && !draft.is_open() {
        steps.push((end, pass(parser, at, end, draft)));
    }
}

/// `count each patient once`: things are counted once each anyway.
pub fn counted_once(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let opens = matches!(parser.word(at), "count" | "counting" | "counted");
    let each = matches!(parser.word(at + 1), "each" | "every");
    if !opens || !each {
        return;
    }
    for mention in parser.mentions.at(at + 2) {
        let What::Thing(thing) = mention.what else { continue };
        let once = usize::from(matches!(parser.word(mention.end), "only" | "just"));
        let heads = draft.heads.iter().chain(draft.rank.iter().filter_map(|rank| rank.by.as_ref()));
        let counted = heads.into_iter().any(|head| head.target == Target::Thing(thing));
        if counted && parser.word(mention.end + once) == "once" {
            steps.push((mention.end + once + 1, draft.clone()));
        }
    }
}

/// `pay more per trip on average`: of rows that are trips, the average is that of the rows.
pub fn per_row(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let [Head { target: Target::Columns(columns), agg: None | Some(Agg::Avg), .. }] = &draft.heads[..] else { return };
    if parser.word(at) != "per" || draft.is_open() || draft.rank.is_some() || !draft.groups.is_empty() {
        return;
    }
    for mention in parser.mentions.at(at + 1) {
        let What::Thing(thing) = mention.what else { continue };
        let own = columns.iter().all(|id| parser.index.things[thing].table == Some(id.table));
        let average = parser.role(mention.end, Role::Agg(Agg::Avg)).filter(|_| parser.word(mention.end) == "on");
        if let Some(end) = average.filter(|_| own) {
            let averaged = |next: &mut Draft| {
                next.heads.iter_mut().for_each(|head| (head.agg, head.amount) = (Some(Agg::Avg), false));
            };
            steps.push((end, draft.with(averaged)));
        }
    }
}

/// `round trips, i.e. …`, `flopped, meaning …`: a word that names nothing is what the words after it explain.
pub fn explained(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    const WORDS_MAX: usize = 3;
    if draft.heads.is_empty() || draft.is_open() || parser.mentions.covering(at).next().is_some() {
        return;
    }
    let Some(mark) = (at + 1..=at + WORDS_MAX).find(|token| marks(parser, *token).is_some()) else { return };
    let end = marks(parser, mark).unwrap_or(mark);
    let end = end + usize::from(parser.comma(end));
    if end < parser.tokens.len() {
        let words = parser.tokens[at..mark].iter().filter(|token| token.fold != ",");
        let words = words.map(|token| token.text.as_str()).collect::<Vec<_>>().join(" ");
        let mut next = draft.clone();
        next.assume("explained", format!("`{words}` is what the words after it say"));
        next.predicate = true;
        steps.push((end, next));
    }
}

/// The token after words that introduce an explanation.
fn marks(parser: &Parser, at: usize) -> Option<usize> {
    match (parser.word(at), parser.word(at + 1)) {
        ("i.e" | "ie" | "meaning" | "namely", _) => Some(at + 1),
        ("that", "is" | "means") if parser.comma(at + 2) || parser.comma(at - 1) => Some(at + 2),
        _ => None,
    }
}

/// `days off`, `been off sick`: what rows of leaves are about anyway.
pub fn off(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    if parser.word(at) != "off" || names_data(parser, at) {
        return;
    }
    let leaves = |table: usize| {
        let name = crate::words::split_name(&parser.index.table(table).name);
        let says =
            |word: &String| matches!(parser.index.forms.singular(word).as_str(), "leave" | "absence" | "vacation");
        name.iter().any(says)
    };
    let days = |mention: &Mention| match &mention.what {
        What::Columns(columns) => columns.iter().all(|id| leaves(id.table)),
        _ => false,
    };
    let kind = |mention: &Mention| match &mention.what {
        What::Value(cells) => cells.iter().all(|(id, _)| leaves(id.table)),
        _ => false,
    };
    // "Who has been off sick" asks for persons, whose leaves would have to be added up.
    let of_rows = !draft.heads.is_empty() && parser.mentions.at(at + 1).iter().any(kind);
    if ends_here(parser, at, days) || of_rows {
        steps.push((at + 1, pass(parser, at, at + 1, draft)));
    }
}

/// `of a technical nature`: the noun says nothing more than the cell.
pub fn of_nature(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let noun = matches!(parser.word(at), "nature" | "kind" | "sort" | "variety");
    if noun && !names_data(parser, at) && ends_here(parser, at, |mention| matches!(mention.what, What::Value(_))) {
        steps.push((at + 1, pass(parser, at, at + 1, draft)));
    }
}

/// `tickets about billing`: before a cell a preposition like any other.
pub fn about(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let cell = |mention: &Mention| matches!(mention.what, What::Value(_));
    let number = parser.tokens.get(at + 1).is_some_and(|token| token.number().is_some());
    let said = matches!(parser.word(at), "about" | "concerning") && !draft.heads.is_empty() && !number;
    if said && parser.mentions.at(parser.skip_determiners(at + 1)).iter().any(cell) {
        steps.push((at + 1, draft.clone()));
    }
}

/// `mean score of both groups`, `average rating for both`: the two sides that are compared anyway.
pub fn both(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let start = at + usize::from(matches!(parser.word(at), "of" | "for" | "in"));
    if parser.word(start) != "both" || draft.contrast.is_none_or(|sides| sides == 0 || sides == draft.filters.len()) {
        return;
    }
    let noun = matches!(parser.word(start + 1), "groups" | "sides" | "of" | "cases");
    let end = start + 1 + usize::from(noun) + usize::from(noun && parser.word(start + 2) == "them");
    steps.push((end, draft.clone()));
}

/// Whether a mention of some kind ends where a position starts.
fn ends_here(parser: &Parser, at: usize, wanted: impl Fn(&Mention) -> bool) -> bool {
    const WORDS_MAX: usize = 6;
    (at.saturating_sub(WORDS_MAX)..at)
        .any(|start| parser.mentions.at(start).iter().any(|mention| mention.end == at && wanted(mention)))
}
