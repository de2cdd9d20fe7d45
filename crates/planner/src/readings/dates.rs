//! Which dates of a row words name, and the time between two of them: `between roasting and shipping`, `from order to
//! delivery`, `until a ticket is paid`.

use super::Parser;
use crate::draft::Target;
use crate::index::{ColId, Interval};
use crate::lexicon::Glue;
use crate::mentions::What;
use crate::score::Feature;

/// Ways to say the date on which something went or came back, where a column is called so.
const GOING: &[(&[&str], &[&str])] = &[
    (&["going", "out"], &["out"]),
    (&["goes", "out"], &["out"]),
    (&["went", "out"], &["out"]),
    (&["go", "out"], &["out"]),
    (&["coming", "back"], &["returned", "return", "back"]),
    (&["comes", "back"], &["returned", "return", "back"]),
    (&["came", "back"], &["returned", "return", "back"]),
    (&["come", "back"], &["returned", "return", "back"]),
    (&["getting", "back"], &["returned", "return", "back"]),
    (&["is", "back"], &["returned", "return", "back"]),
    (&["brought", "back"], &["returned", "return", "back"]),
];

/// Verbs that end whatever a row records.
const ENDING: &[&str] = &[
    "clear", "fix", "finish", "complete", "end", "resolve", "solve", "close", "repair", "settle", "handle", "process",
    "sort", "deal",
];

/// A date that a phrase names.
#[derive(Clone, Copy, PartialEq)]
pub struct Named {
    /// The token after the phrase.
    pub end: usize,
    pub date: ColId,
    /// Whether it is known by another word, or by one that is only akin.
    pub open: bool,
}

/// The time between two dates that a phrase names.
#[derive(Clone, Copy, PartialEq)]
pub struct Spanned {
    pub end: usize,
    pub interval: Interval,
    /// Whether a date of it is not named by its own word.
    pub open: bool,
}

impl Spanned {
    /// What speaks against it.
    pub fn features(&self) -> Vec<Feature> {
        if self.open { vec![Feature::OpenChoice] } else { Vec::new() }
    }
}

/// The date columns that a phrase names.
pub fn named(parser: &Parser, at: usize) -> Vec<Named> {
    let start = opening(parser, at);
    let mut found = Vec::new();
    for mention in parser.mentions.at(start) {
        let (What::Event(ids) | What::Columns(ids)) = &mention.what else { continue };
        let dates = ids.iter().filter(|id| parser.index.column(**id).ty.is_temporal());
        found.extend(dates.map(|id| Named { end: mention.end, date: *id, open: mention.synonym || mention.partial }));
    }
    for (words, names) in GOING {
        if words.iter().enumerate().all(|(i, word)| parser.word(start + i) == *word) {
            let called = |id: &ColId| {
                let event = &parser.index.facts(*id).event;
                event.first().is_some_and(|word| names.contains(&word.as_str()))
            };
            let end = start + words.len();
            found.extend(parser.index.columns().filter(called).map(|date| Named { end, date, open: true }));
        }
    }
    if found.is_empty()
        && let Some(said) = parser.tokens.get(start).map(|token| &token.fold)
    {
        let akin = |id: &ColId| parser.index.facts(*id).event.first().is_some_and(|event| is_akin(said, event));
        found.extend(parser.index.columns().filter(akin).map(|date| Named { end: start + 1, date, open: true }));
    }
    // "Delivery on average": the last word of `delivered_on` may belong to what follows.
    let shorter: Vec<Named> = found
        .iter()
        .filter(|one| one.end > start + 1 && matches!(parser.word(one.end - 1), "on" | "at"))
        .map(|one| Named { end: one.end - 1, ..*one })
        .collect();
    found.extend(shorter);
    for one in &mut found {
        one.end += usize::from(matches!(parser.word(one.end), "date" | "day" | "time"));
    }
    found.sort_by_key(|one| (std::cmp::Reverse(one.end), one.date.table, one.date.column, one.open));
    found.dedup_by_key(|one| (one.end, one.date));
    found
}

/// The position after what only says of whom a date is told: `the`, `being`, `a ticket is`, `it gets`.
fn opening(parser: &Parser, at: usize) -> usize {
    let carried = |at: usize| {
        let mut end = at;
        while matches!(
            parser.word(end),
            "being" | "getting" | "is" | "are" | "was" | "were" | "gets" | "get" | "got" | "been" | "has" | "be"
        ) && parser.word(end + 1) != "back"
        {
            end += 1;
        }
        end
    };
    let start = parser.skip_determiners(at);
    let whom = parser.targets_named(start).into_iter().find_map(|(end, target)| {
        let verb = carried(end);
        (matches!(target, Target::Thing(_)) && verb > end).then_some(verb)
    });
    let it = matches!(parser.word(start), "it" | "they").then(|| carried(start + 1));
    whom.or(it).unwrap_or_else(|| carried(start))
}

/// `between A and B`, `from A to B`.
pub fn between(parser: &Parser, at: usize) -> Vec<Spanned> {
    let joint = match parser.word(at) {
        "between" => &["and"][..],
        "from" => &["to", "until", "till"][..],
        _ => return Vec::new(),
    };
    let mut found = Vec::new();
    for start in named(parser, at + 1).into_iter().filter(|start| joint.contains(&parser.word(start.end))) {
        for stop in named(parser, start.end + 1) {
            let open = start.open || stop.open;
            let interval = pair(parser, start.date, stop.date);
            found.extend(interval.map(|interval| Spanned { end: stop.end, interval, open }));
        }
    }
    found
}

/// The time that ends with a date which a phrase names: `until a ticket is paid`, `to delivery`, `to clear a fault`.
pub fn until(parser: &Parser, at: usize) -> Vec<Spanned> {
    if !matches!(parser.word(at), "to" | "until" | "till") {
        return Vec::new();
    }
    let intervals = &parser.index.intervals;
    let of_end = |stop: &Named| {
        let known = intervals.iter().find(|interval| interval.end == stop.date);
        known.map(|interval| Spanned { end: stop.end, interval: *interval, open: false })
    };
    let mut found: Vec<Spanned> = named(parser, at + 1).iter().filter_map(of_end).collect();
    // "To clear a fault": the end of what is named, whatever it is called.
    if found.is_empty() && ENDING.contains(&parser.word(at + 1)) && parser.word(at) == "to" {
        let noun = parser.skip(at + 2, |glue| matches!(glue, Glue::Determiner | Glue::Preposition));
        for (end, target) in parser.targets_named(noun) {
            let Target::Thing(thing) = target else { continue };
            let table = parser.index.things[thing].table;
            let own = intervals.iter().find(|interval| Some(interval.start.table) == table);
            found.extend(own.map(|interval| Spanned { end, interval: *interval, open: true }));
        }
    }
    found
}

/// The token after `to clear`, where nothing more is said of what ends.
pub fn ending_verb(parser: &Parser, at: usize) -> Option<usize> {
    (parser.word(at) == "to" && ENDING.contains(&parser.word(at + 1))).then_some(at + 2)
}

/// The interval from one date to another, where one row has both.
pub fn pair(parser: &Parser, start: ColId, end: ColId) -> Option<Interval> {
    mixed_pair(parser, start, end).filter(|_| parser.index.column(start).ty == parser.index.column(end).ty)
}

/// The interval from one date to another of the same row, even if one of them has a time of day.
pub fn mixed_pair(parser: &Parser, start: ColId, end: ColId) -> Option<Interval> {
    let hops = |from: ColId, to: ColId| parser.index.schema.hops(from.table, to.table).is_some();
    (start != end && (hops(start, end) || hops(end, start))).then_some(Interval { start, end })
}

/// Whether two words are forms of one: "admission" and "admitted".
fn is_akin(one: &str, other: &str) -> bool {
    const COMMON_MIN: usize = 4;
    const WHOLE_MIN: usize = 3;
    let whole = one.len().min(other.len()) >= WHOLE_MIN && (one.starts_with(other) || other.starts_with(one));
    one == other || whole || one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count() >= COMMON_MIN
}
