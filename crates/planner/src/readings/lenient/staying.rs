//! Who is still there, and what has happened to whom: `current staff`, `currently employed`, `everyone ever hired`.
//!
//! A date of leaving that is missing says that somebody is still there. A participle that names a date which no row lacks
//! chooses nothing; one that some rows lack chooses those that have it.

use super::super::filters::{add, add_negated, after_joints};
use super::super::{Parser, Steps, features};
use super::pass;
use crate::draft::{Columns, Condition, Draft, Head, Target};
use crate::index::{ColId, ThingId};
use crate::lexicon::Role;
use crate::mentions::{Mention, What};
use crate::period::{Period, When};
use crate::score::Feature;
use crate::tokens;

/// Words of dates by which a row has come to its end.
const ENDS: &[&str] = &[
    "exit",
    "end",
    "ended",
    "left",
    "leave",
    "leaving",
    "termination",
    "terminated",
    "quit",
    "resigned",
    "separation",
    "departure",
];

/// The dates of leaving that some rows lack.
fn leaving(parser: &Parser) -> Columns {
    let index = parser.index;
    let named = |id: &ColId| index.facts(*id).event.iter().any(|word| ENDS.contains(&word.as_str()));
    let open = |id: &ColId| index.column(*id).ty.is_temporal() && index.column(*id).nulls > 0;
    // What is cancelled has ended; whoever has cancelled has left.
    let cancelled = |id: &ColId| {
        let person = index.rows_of(id.table).is_some_and(|rows| is_person(parser, rows));
        let said = |word: &String| matches!(word.as_str(), "cancelled" | "canceled" | "cancellation" | "churned");
        person && index.facts(*id).event.iter().any(said)
    };
    index.columns().filter(|id| open(id) && (named(id) || cancelled(id))).collect()
}

fn is_person(parser: &Parser, thing: ThingId) -> bool {
    parser.index.lexicon.is_of("person", &parser.index.things[thing].noun)
}

/// The date of leaving of the persons that a draft is about.
fn leaving_of_head(parser: &Parser, draft: &Draft) -> Option<ColId> {
    let [Head { target: Target::Thing(thing), .. }] = draft.heads[..] else { return None };
    let [date] = leaving(parser)[..] else { return None };
    (is_person(parser, thing) && parser.index.things[thing].table == Some(date.table)).then_some(date)
}

/// Whether "today" says of persons that they are still there, and not that something happened on that day.
pub fn is_now(parser: &Parser, draft: &Draft, when: &When) -> bool {
    *when == When::In(Period::Today) && leaving_of_head(parser, draft).is_some()
}

/// `how many people are still members today`: those without a date of leaving, called by their noun once more.
pub fn still_members(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let (Some(date), [Head { target, .. }]) = (leaving_of_head(parser, draft), &draft.heads[..]) else { return };
    let after = parser.role(at, Role::Still);
    let start = after.unwrap_or(at);
    let again = |mention: &&Mention| matches!(mention.what, What::Thing(thing) if Target::Thing(thing) == *target);
    let Some(noun) = parser.mentions.at(start).iter().find(again) else { return };
    let today = matches!(parser.word(noun.end), "today" | "now" | "currently");
    let passive = matches!(parser.before(at), "are" | "is");
    if passive && (after.is_some() || today) {
        let end = noun.end + usize::from(today);
        steps.push((end, still_there(parser, at, end, draft, date)));
    }
}

fn still_there(parser: &Parser, at: usize, end: usize, draft: &Draft, date: ColId) -> Draft {
    let words = tokens::written(&parser.tokens[at..end]);
    let mut next = add(draft, Condition::Empty(vec![date]), &[]);
    next.assume("still", format!("`{words}` = without {}", parser.index.qualified(date)));
    next
}

/// `current staff`, `current headcount`: those without a date of leaving.
pub fn current(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let [date] = leaving(parser)[..] else { return };
    let whom = |mention: &Mention| match mention.what {
        What::Thing(thing) => parser.index.things[thing].table == Some(date.table),
        _ => false,
    };
    let noun = parser.mentions.at(at + 1).iter().any(whom) || parser.word(at + 1).starts_with("headcount");
    if matches!(parser.word(at), "current" | "present") && noun {
        steps.push((at + 1, still_there(parser, at, at + 1, draft, date)));
    }
}

/// `currently employed`, `still here`, `who still work here`.
pub fn employed(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let ([date], Some(after)) = (&leaving(parser)[..], parser.role(at, Role::Still)) else { return };
    let work = usize::from(matches!(parser.word(after), "employed" | "working" | "work" | "works" | "active"));
    let place = match (parser.word(after + work), parser.word(after + work + 1)) {
        ("here", _) => 1,
        ("with" | "for", "us") => 2,
        _ => 0,
    };
    let end = after + work + place;
    // Who was still there in 2020 is another question than who is there now.
    let then = (0..parser.tokens.len()).any(|token| parser.mentions.is_period(token)) && parser.before(at) != "are";
    if end > after && !draft.heads.is_empty() && !then {
        steps.push((end, still_there(parser, at, end, draft, *date)));
    }
}

/// `without people who have left`: those whose date of leaving is missing, also where that was said before.
pub fn without_gone(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let without = parser.role(at, Role::Not).or_else(|| parser.role(at, Role::Lack));
    let ([date], Some(start)) = (&leaving(parser)[..], without) else { return };
    let whom = parser.skip_determiners(start);
    let person = parser.mentions.at(whom).iter().find(|mention| matches!(mention.what, What::Thing(_)));
    let after = match parser.word(whom) {
        "those" | "anyone" | "everyone" | "people" => whom + 1,
        _ => person.map_or(whom, |mention| mention.end),
    };
    let who = after + usize::from(matches!(parser.word(after), "who" | "that"));
    let gone = who + usize::from(matches!(parser.word(who), "have" | "has" | "had" | "already"));
    let left = parser.mentions.at(gone).iter().find(|m| matches!(&m.what, What::Event(dates) if dates.contains(date)));
    let Some(left) = left.filter(|_| who > after && !draft.heads.is_empty()) else { return };
    let known = draft.filters.iter().any(|filter| filter.condition == Condition::Empty(vec![*date]));
    let next = if known { draft.clone() } else { still_there(parser, at, left.end, draft, *date) };
    steps.push((left.end, next));
}

/// `everyone ever hired`, `has left`: what a date says has happened, where no period follows.
pub fn happened(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    if draft.heads.is_empty() || draft.is_open() {
        return;
    }
    let word = parser.word(at);
    let participle = word.ends_with("ed") || matches!(word, "left" | "gone" | "begun");
    let perfect = matches!(parser.before(at), "has" | "have" | "had" | "ever" | "already" | "been" | "who" | "that");
    if !participle || !perfect {
        return;
    }
    for mention in parser.mentions.at(at) {
        let What::Event(dates) = &mention.what else { continue };
        let [date] = dates[..] else { continue };
        let of_head = draft.heads.iter().all(|head| match head.target {
            Target::Thing(thing) => parser.index.things[thing].table == Some(date.table),
            Target::Rows => true,
            _ => false,
        });
        if !of_head || after_joints(parser, mention.end).any(|next| parser.mentions.is_period(next)) {
            continue;
        }
        if parser.index.column(date).nulls == 0 {
            steps.push((mention.end, pass(parser, at, mention.end, draft)));
            continue;
        }
        let mut found = features(mention);
        found.push(Feature::OpenChoice);
        let next = add_negated(draft, Condition::Empty(vec![date]), &found);
        steps.push((mention.end, next));
    }
}
