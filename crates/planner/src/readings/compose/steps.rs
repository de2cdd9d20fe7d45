//! The steps by which a frame takes in the phrase at a position: one function for each kind of phrase.

use data::plan::Agg;

use super::super::{Name, Parser, features};
use super::frame::{Frame, Last, Wanted};
use super::{asides, conditions, groups, named, numbers, passes, sides};
use crate::draft::{Columns, Draft, Head, Target, Zone};
use crate::index::ColId;
use crate::lexicon::{Ask, Glue, Role};
use crate::mentions::{Mention, What};
use crate::score::Feature;

/// Frames with the position they have reached.
pub type Found = Vec<(usize, Frame)>;

/// What the phrase at a position can make of a frame.
type Step = fn(&Parser, usize, &Frame, &mut Found);

/// Every kind of phrase. What they find competes; their order only breaks ties.
const STEPS: &[Step] = &[
    words,
    comma,
    names_in_place,
    mentions,
    passes::passed,
    passes::actor,
    passes::modifier,
    passes::particle,
    passes::single,
    passes::trend,
    groups::counted_last,
    groups::one_by_one,
    numbers::extent,
    numbers::rate,
    numbers::in_unit,
    numbers::number,
    conditions::state,
    conditions::compared,
    conditions::against,
    conditions::of_many,
    conditions::beside_date,
    asides::from,
    sides::from,
    sides::often,
];

/// Every frame that the phrase at a position can make of another.
pub fn from(parser: &Parser, at: usize, frame: &Frame) -> Found {
    let mut found = Found::new();
    STEPS.iter().for_each(|step| step(parser, at, frame, &mut found));
    found
}

/// Words of the language, by what they do in a question.
fn words(parser: &Parser, at: usize, frame: &Frame, found: &mut Found) {
    for (end, role) in parser.roles(at) {
        joint(parser, at, end, role, frame, found);
        asked(parser, end, role, frame, found);
        numbers::aggregate(parser, at, end, role, frame, found);
        numbers::ranking(parser, end, role, frame, found);
        groups::marker(parser, at, end, role, frame, found);
    }
}

fn comma(parser: &Parser, at: usize, frame: &Frame, found: &mut Found) {
    if parser.comma(at) || matches!(parser.word(at), "but" | "although" | "though" | "yet") {
        let draft = Draft { joined: true, ..frame.draft.clone() };
        found.push((at + 1, Frame { draft, ..frame.clone() }));
    }
}

/// Names, by what each can be in the frame.
fn names_in_place(parser: &Parser, at: usize, frame: &Frame, found: &mut Found) {
    for (end, target, said) in names(parser, at).iter().cloned() {
        // "Ticket count", "visitor numbers".
        let counted = matches!(parser.word(end), "count" | "counts" | "numbers");
        if counted && matches!(target, Target::Thing(_)) && frame.draft.heads.is_empty() && frame.wanted.is_none() {
            let next = frame.with(Last::Head, |next| {
                next.draft.features.extend_from_slice(&said);
                next.draft.heads.push(Head::count_of(target.clone()));
            });
            found.push((end + 1, next));
        }
        if matches!(target, Target::Grain(_) | Target::Part(_)) && is_in_a_period(parser, at) {
            continue;
        }
        if let Target::Columns(columns) = &target
            && columns.iter().all(|id| parser.index.facts(*id).yes.is_some())
            && !said.contains(&Feature::PartialName)
        {
            conditions::flag(end, columns, &said, frame, found);
        }
        found.extend(named::added(parser, at, end, frame, &target, &said).into_iter().map(|next| (end, next)));
    }
}

/// Cells, states, deeds, periods, and words that name a quantity.
fn mentions(parser: &Parser, at: usize, frame: &Frame, found: &mut Found) {
    for mention in parser.mentions.at(at) {
        match &mention.what {
            What::Value(cells) => conditions::cell(parser, mention, cells, frame, found),
            What::Flag(columns) => conditions::flag(mention.end, columns, &features(mention), frame, found),
            What::Opposite { flags, dates } => conditions::opposite(mention, flags, dates, frame, found),
            What::Event(columns) => conditions::event(parser, mention, columns, frame, found),
            What::When(when) => conditions::period(mention, when, frame, found),
            What::Adjective(adjective) => {
                for (dir, words) in &adjective.numbers {
                    numbers::adjective_rank(parser, mention, *dir, words, frame, found);
                }
            }
            What::Comparative((test, words)) => conditions::comparative(parser, mention, *test, words, frame, found),
            _ => {}
        }
    }
}

/// Every name that starts at a position: those the grammar knows, and those that other words stand for.
pub fn names<'p>(parser: &'p Parser, at: usize) -> &'p [Name] {
    parser.names.get(at).map_or(&[], |asked| asked.get_or_init(|| names_at(parser, at)))
}

fn names_at(parser: &Parser, at: usize) -> Vec<Name> {
    // "In" is no `in_date`, and "per" no `price_per_kg`.
    let joint = |role: Role| matches!(role, Role::Glue(Glue::Preposition) | Role::GroupPer | Role::GroupBy);
    let joins = parser.roles(at).any(|(_, role)| joint(role));
    let mut found = parser.targets(at).to_vec();
    found.retain(|(end, _, _)| !joins || *end > at + 1);
    let loose = |said: &[Feature]| said.contains(&Feature::PartialName) || said.contains(&Feature::Synonym);
    found.retain(|(end, target, said)| !loose(said) || !is_of_a_sort(parser, at..*end, target));
    found.retain(|(end, target, said)| {
        !said.contains(&Feature::PartialName) || !is_of_another(parser, at..*end, target)
    });
    for link in parser.index.other_names().at(parser.index, parser.tokens, at) {
        let longer = found.iter().any(|(end, _, _)| *end > link.0);
        let known = found.iter().any(|(end, target, _)| *end == link.0 && *target == link.1);
        let other = link.2.contains(&Feature::PartialName) && is_of_another(parser, at..link.0, &link.1);
        if !longer && !known && !other && (!joins || link.0 > at + 1) {
            found.push(link);
        }
    }
    found
}

/// Whether a column tells sorts of what is said, and not itself: a bike is no `bike_type`.
fn is_of_a_sort(parser: &Parser, said: std::ops::Range<usize>, target: &Target) -> bool {
    let Target::Columns(columns) = target else { return false };
    let is_sort = |word: &str| crate::index::other_names::SORTS.contains(&word);
    let spoken = parser.tokens[said].iter().any(|token| is_sort(&token.singular));
    !spoken && columns.iter().all(|id| parser.index.facts(*id).core.iter().any(|word| is_sort(word)))
}

/// Whether a number is of what is said, and not itself: passengers are no `passenger_age`.
fn is_of_another(parser: &Parser, said: std::ops::Range<usize>, target: &Target) -> bool {
    const TOLD: &[&str] =
        &["score", "amount", "total", "count", "number", "value", "level", "percentage", "percent", "rating"];
    let Target::Columns(columns) = target else { return false };
    let index = parser.index;
    let spoken = |word: &str| parser.tokens[said.clone()].iter().any(|token| token.stem == index.forms.stem(word));
    let of_person = parser.tokens[said.clone()].iter().all(|token| index.lexicon.is_person(&token.singular));
    let other = |id: &ColId| {
        let last = index.facts(*id).core.last();
        index.column(*id).ty.is_number() && last.is_some_and(|last| !spoken(last) && !TOLD.contains(&last.as_str()))
    };
    of_person && columns.iter().all(other)
}

/// Whether the token is part of a period of several words, which only means something as a whole.
pub fn is_in_a_period(parser: &Parser, at: usize) -> bool {
    (0..=at).any(|start| {
        let holds = |mention: &Mention| mention.end > at && mention.end > start + 1;
        parser.mentions.at(start).iter().any(|mention| matches!(mention.what, What::When(_)) && holds(mention))
    })
}

/// Whether how many there are of each is asked for: "how are they distributed".
fn is_spread(parser: &Parser) -> bool {
    (0..parser.tokens.len()).any(|at| parser.role(at, Role::Distribution).is_some())
}

pub fn names_data(what: &What) -> bool {
    !matches!(what, What::Role(_) | What::When(_) | What::Adjective(_) | What::Comparative(_))
}

fn joint(parser: &Parser, at: usize, end: usize, role: Role, frame: &Frame, found: &mut Found) {
    let mut next = frame.clone();
    let headed = !frame.draft.heads.is_empty();
    match role {
        Role::Glue(Glue::Relative) if !headed && frame.draft.filters.is_empty() => return,
        Role::Glue(Glue::Other) if parser.word(at) == "how" && !is_spread(parser) => return,
        Role::Glue(_)
            if parser.word(at) == "break" && !(0..parser.tokens.len()).any(|at| parser.word(at) == "down") =>
        {
            return;
        }
        // "Order value" is worth something; only after a number it says nothing more.
        Role::Glue(Glue::Noun) if !frame.draft.heads.last().is_some_and(|head| numbers::is_measured(&head.target)) => {
            return;
        }
        Role::Glue(glue) => {
            let verb = matches!(glue, Glue::Be | Glue::Relative | Glue::Auxiliary | Glue::Have);
            next.draft.predicate |= verb && headed;
        }
        Role::And => next.draft.joined = true,
        Role::Or => (next.draft.joined, next.either) = (true, true),
        Role::Still if parser.role(at, Role::Not).is_none() => {
            next.still = true;
            next.draft.predicate |= headed;
        }
        Role::Versus if !frame.draft.filters.is_empty() && frame.draft.contrast.is_none() => {
            next.draft.contrast = Some(frame.draft.filters.len());
        }
        // "Never" is said of all rows of a thing.
        Role::Not if !frame.denied && parser.word(at) != "never" => next.denied = true,
        Role::Lack if frame.wanted.is_none() => next.wanted = Some(Wanted::Lacking),
        Role::Direction(dir) if frame.draft.direction.is_none() => next.draft.direction = Some(dir),
        _ => return,
    }
    found.push((end, next));
}

/// Question words, and words that say how what is named next is told.
fn asked(parser: &Parser, end: usize, role: Role, frame: &Frame, found: &mut Found) {
    let mut next = frame.clone();
    let fresh = frame.draft.heads.is_empty() && frame.wanted.is_none();
    match role {
        Role::Ask(ask) if frame.draft.ask.is_none() && frame.draft.heads.is_empty() => {
            next.draft.ask = Some(ask);
            if ask == Ask::Who {
                found.extend(persons(parser).into_iter().map(|person| {
                    let mut who = next.clone();
                    who.draft.heads.push(Head::plain(person));
                    who.draft.features.push(Feature::OpenChoice);
                    (end, who)
                }));
            }
        }
        Role::Ask(Ask::List) if frame.draft.heads.is_empty() => {}
        Role::Ask(Ask::Which | Ask::Who) => next.draft.predicate = true,
        Role::Count if fresh => next.wanted = Some(Wanted::Counted),
        // "Of the paid bills, how many were late": what is counted came first.
        Role::Count if frame.wanted.is_none() && counts_head(frame) => {
            next.draft.heads[0].agg = Some(Agg::Count);
            next.draft.predicate = true;
        }
        Role::Share if frame.wanted.is_none() && counts_head(frame) && !frame.draft.share => {
            next.draft.heads[0].agg = Some(Agg::Count);
            (next.draft.share, next.draft.predicate) = (true, true);
            next.draft.share_from = frame.draft.filters.len();
            for filter in &mut next.draft.filters {
                filter.zone = Zone::BeforeHead;
            }
        }
        // "By number of orders".
        Role::Count if frame.wanted == Some(Wanted::By) && frame.ranks() => next.wanted = Some(Wanted::ByNumber),
        Role::Much if fresh => next.wanted = Some(Wanted::Much),
        // "How are the scores spread": how many there are of each.
        Role::Distribution if frame.wanted.is_none() && !frame.draft.distribution => next.draft.distribution = true,
        Role::Share if fresh && !frame.draft.share => {
            next.draft.share = true;
            next.draft.share_from = frame.draft.filters.len();
            next.wanted = Some(Wanted::Shared);
        }
        Role::Distinct if frame.draft.heads.is_empty() => next.draft.distinct = true,
        _ => return,
    }
    found.push((end, next));
}

/// Whether what is asked for so far is a list of rows, which may be counted instead.
fn counts_head(frame: &Frame) -> bool {
    let rows = |head: &Head| head.agg.is_none() && head.target.is_rows();
    matches!(&frame.draft.heads[..], [head] if rows(head)) && frame.draft.ask.is_none() && frame.draft.rank.is_none()
}

/// Who can be meant: the only rows that are persons, or the only column that names some.
pub fn persons(parser: &Parser) -> Option<Target> {
    let index = parser.index;
    let is_person = |noun: &String| index.lexicon.is_person(&index.forms.singular(noun));
    let things: Vec<usize> = (0..index.things.len()).filter(|thing| is_person(&index.things[*thing].noun)).collect();
    if let [thing] = things[..] {
        return Some(Target::Thing(thing));
    }
    let names = |id: &ColId| {
        let text = index.column(*id).ty == base::Type::Text && index.facts(*id).yes.is_none();
        text && index.facts(*id).core.last().is_some_and(is_person)
    };
    let columns: Columns = index.columns().filter(names).collect();
    let first = *columns.first()?;
    let same = columns.iter().all(|id| index.facts(*id).words == index.facts(first).words);
    (things.is_empty() && same).then_some(Target::Columns(columns))
}
