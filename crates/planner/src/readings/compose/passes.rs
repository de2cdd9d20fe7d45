//! Words that choose no rows: verbs that only say that what a row records happened, their particles, whoever did it.

use super::super::Parser;
use super::super::lenient;
use super::frame::{Frame, Wanted};
use super::steps::{Found, is_in_a_period, names, names_data};
use crate::draft::Target;
use crate::lexicon::{Glue, Role};
use crate::mentions::{Mention, What};
use crate::score::Feature;

/// Words that choose no rows.
pub fn passed(parser: &Parser, at: usize, frame: &Frame, found: &mut Found) {
    if is_in_a_period(parser, at) {
        return;
    }
    // "Bills paid in cash" are not what they come to.
    let otherwise = |mention: &Mention| mention.synonym || mention.partial || !names_data(&mention.what);
    let named = !parser.mentions.covering(at).all(otherwise);
    let verb = |(end, role): (usize, Role)| {
        let passes =
            matches!(role, Role::Neutral | Role::Light | Role::Link | Role::Created | Role::Purpose | Role::ExtentVerb);
        // "In a draw" is a noun.
        let noun = matches!(
            parser.before(at),
            "a" | "an" | "the" | "no" | "of" | "per" | "each" | "who" | "whom" | "which" | "what"
        );
        (passes && parser.word(end) != "by" && !noun).then_some(end)
    };
    // "Good books" are some of them.
    if parser.roles(at).any(|(_, role)| role == Role::Vague) {
        return;
    }
    // Where rows have several dates, what was done in a period may be any of them.
    let timed = (0..parser.tokens.len()).any(|at| parser.mentions.is_period(at));
    let dates = parser.index.columns().filter(|id| parser.index.column(*id).ty.is_temporal()).count();
    let placed = timed && dates > 1 && parser.tokens[at].fold.ends_with("ed");
    // "Crew cost" is no crew.
    let compound = at > 0 && parser.mentions.is_data(at - 1) && parser.role(at, Role::ExtentVerb).is_some();
    if placed || compound {
        return;
    }
    let idle = parser.idle_end(at);
    let end = idle.or_else(|| parser.plain_verb_end(at)).or_else(|| parser.roles(at).find_map(verb));
    if let Some(end) = end.filter(|_| !named || idle.is_some()) {
        let said: Vec<&str> = parser.tokens[at..end].iter().map(|token| token.text.as_str()).collect();
        let text = format!("`{}` chooses no rows", said.join(" "));
        let mut next = frame.clone();
        next.draft = frame.draft.granting(Feature::IdleWord, "idle_word", text);
        next.draft.predicate |= !frame.draft.heads.is_empty();
        next.deed = next.deed.or_else(|| lenient::recorded_rows(parser.index, &said.join(" ").to_lowercase()));
        found.push((end, next));
    }
}

/// `handed in`, `auctioned off`: the particle of a verb.
pub fn particle(parser: &Parser, at: usize, frame: &Frame, found: &mut Found) {
    let particle =
        matches!(parser.word(at), "in" | "out" | "off" | "up" | "back" | "away" | "down" | "over" | "behind");
    let before = parser.before(at);
    let verb = before.len() > 4 && (before.ends_with("ed") || before.ends_with("ing"));
    let ends = at + 1 == parser.tokens.len()
        || !parser.mentions.is_data(at + 1) && parser.role(at + 1, Role::Glue(Glue::Determiner)).is_none();
    let free = !parser.mentions.is_data(at) || at + 1 == parser.tokens.len();
    if particle && verb && ends && free && frame.is_free() {
        let mut next = frame.clone();
        next.draft.features.push(Feature::IdleWord);
        found.push((at + 1, next));
    }
}

/// `water hardness`: a noun that only says of what the number after it is.
pub fn modifier(parser: &Parser, at: usize, frame: &Frame, found: &mut Found) {
    let number = |target: &Target| match target {
        Target::Columns(columns) => columns.iter().all(|id| parser.index.column(*id).ty.is_number()),
        Target::Measure(_) => true,
        _ => false,
    };
    let whole = |(_, target, said): &(usize, Target, Vec<Feature>)| number(target) && said.is_empty();
    let partial = |mention: &Mention| mention.partial && matches!(mention.what, What::Columns(_));
    let only_partial = parser.mentions.at(at).iter().any(partial)
        && parser
            .mentions
            .at(at)
            .iter()
            .all(|mention| mention.end == at + 1 && (mention.partial || !names_data(&mention.what)));
    if is_rows_of_what_follows(parser, at) && frame.is_free() {
        found.push((at + 1, frame.clone()));
    }
    if only_partial && names(parser, at + 1).iter().any(whole) && frame.is_free() {
        let mut next = frame.clone();
        next.draft.features.push(Feature::PartialName);
        found.push((at + 1, next));
    }
}

/// `test centre`: rows in the singular, only to say of what the column after them is.
fn is_rows_of_what_follows(parser: &Parser, at: usize) -> bool {
    let token = &parser.tokens[at];
    let own = |table: usize| {
        let column =
            |target: &Target| matches!(target, Target::Columns(columns) if columns.iter().all(|id| id.table == table));
        names(parser, at + 1).iter().any(|(_, target, said)| column(target) && said.is_empty())
    };
    let tables = parser.mentions.at(at).iter().filter(|mention| mention.end == at + 1);
    let mut tables = tables.filter_map(|mention| match mention.what {
        What::Thing(thing) => parser.index.things[thing].table,
        _ => None,
    });
    token.fold == token.singular && tables.any(own)
}

/// `people stay`, `our customers pay`: whoever the rows come from, where they are not told apart.
pub fn actor(parser: &Parser, at: usize, frame: &Frame, found: &mut Found) {
    let general = matches!(
        parser.tokens[at].singular.as_str(),
        "people" | "person" | "customer" | "client" | "user" | "guest" | "anyone" | "everyone" | "folk"
    );
    let told_apart = matches!(
        parser.word_before_determiners(at),
        "by" | "per" | "each" | "every" | "which" | "what" | "many" | "most" | "different" | "of"
    );
    let waits = matches!(
        frame.wanted,
        Some(Wanted::Counted | Wanted::Shared | Wanted::By | Wanted::Per | Wanted::Compared(..))
    );
    let asked = !frame.draft.heads.is_empty() || frame.wanted == Some(Wanted::Much) || !frame.aggs.is_empty();
    // "Satisfied customers" are some of them.
    let described = at > 0 && parser.mentions.is_data(at - 1);
    if general && !described && !told_apart && !waits && asked && !parser.mentions.is_data(at) {
        let text = format!("`{}` chooses no rows", parser.tokens[at].text);
        let draft = frame.draft.granting(Feature::IdleWord, "idle_word", text);
        found.push((at + 1, Frame { draft, ..frame.clone() }));
    }
}

/// `the biggest single order`: each row is meant by itself.
pub fn single(parser: &Parser, at: usize, frame: &Frame, found: &mut Found) {
    if crate::mentions::is_stress(parser.word(at)) && frame.draft.rank.is_some() && !parser.mentions.is_data(at) {
        found.push((at + 1, frame.clone()));
    }
}

/// `is it going up or down`: a number along time.
pub fn trend(parser: &Parser, at: usize, frame: &Frame, found: &mut Found) {
    const PHRASES: &[&[&str]] = &[
        &["going", "up", "or", "down"],
        &["gone", "up", "or", "down"],
        &["go", "up", "or", "down"],
        &["getting", "better", "or", "worse"],
        &["rising", "or", "falling"],
        &["increasing", "or", "decreasing"],
        &["growing", "or", "shrinking"],
    ];
    if let Some(end) = parser.after_phrase(at, PHRASES).filter(|_| !frame.draft.heads.is_empty() && frame.is_free()) {
        let mut next = frame.clone();
        next.draft.trend = true;
        found.push((end, next));
    }
}
