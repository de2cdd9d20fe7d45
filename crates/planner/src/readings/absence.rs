//! What never happened: `employees who never took any leave`, `products that did not get a single order last week`.
//!
//! Rows of the many side that must not exist; the conditions that follow are about those rows.

use base::Type;
use data::plan::Test;

use super::filters::{add, add_negated};
use super::{Parser, Steps, features};
use crate::draft::{Amount, Condition, Draft, Head, Target};
use crate::index::{ColId, ThingId};
use crate::lexicon::{Glue, Role};
use crate::mentions::{Mention, What};
use crate::score::Feature;
use crate::words::{is_be, is_deed};

/// `never took any leave`, `did not get a single order`, `have not had a visit`.
pub fn never(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let Some(end) = parser.role(at, Role::Not).filter(|_| !draft.heads.is_empty() && !draft.is_open()) else { return };
    let participle = parser.skip(end, |glue| glue == Glue::Be);
    done(parser, participle, draft, steps);
    sold(parser, participle, draft, steps);
    let verb = verb_end(parser, end);
    let start = skip_any(parser, verb);
    for mention in parser.mentions.at(start) {
        let What::Thing(thing) = mention.what else { continue };
        if parser.index.things[thing].table.is_none() {
            continue;
        }
        let next = add_negated(draft, Condition::Related(thing), &features(mention));
        steps.push((mention.end, next));
    }
}

/// `were never renewed`, `were renewed`: a number of the rows counts how often it was done.
pub fn done_times(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    const COMMON_MIN: usize = 5;
    if draft.heads.is_empty() || draft.is_open() {
        return;
    }
    let never = parser.word(at) == "never" || parser.word(at) == "not";
    let verb = at + usize::from(never);
    let passive = is_be(parser.before(at));
    let Some(participle) = parser.tokens.get(verb).filter(|token| token.fold.ends_with("ed") && passive) else {
        return;
    };
    let index = parser.index;
    let counts = |id: &ColId| match &index.facts(*id).core[..] {
        [noun] => {
            let number = index.column(*id).ty == Type::Int && !index.facts(*id).identifier;
            let zero = index.column(*id).min.as_ref().and_then(crate::build::number_of) == Some(0.0);
            let shared = noun.chars().zip(participle.fold.chars()).take_while(|(a, b)| a == b).count();
            number && zero && noun.ends_with('s') && shared >= COMMON_MIN
        }
        _ => false,
    };
    // A word that is a state or a date of the rows says that.
    let state = |mention: &Mention| matches!(mention.what, What::Value(_) | What::Flag(_) | What::Event(_));
    let columns: Vec<ColId> = index.columns().filter(counts).collect();
    if columns.len() != 1
        || parser.mentions.at(verb).iter().any(state)
        || parser.tokens.get(verb + 1).is_some_and(|next| next.number().is_some())
    {
        return;
    }
    let test = if never { Test::Eq } else { Test::Gt };
    let zero = Amount::bare(0.0);
    let condition = Condition::Compare { columns, test, amounts: vec![zero], implied: false };
    steps.push((verb + 1, add(draft, condition, &[Feature::OpenChoice])));
}

/// `never ordered`: the participle names the rows that are not there.
fn done(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let Some(participle) = parser.tokens.get(at).filter(|token| token.fold.ends_with("ed")) else { return };
    let akin = |noun: &str| {
        const COMMON_MIN: usize = 5;
        is_deed(noun, &participle.stem)
            || noun.chars().zip(participle.fold.chars()).take_while(|(a, b)| a == b).count() >= COMMON_MIN
    };
    let asked = |thing: usize| draft.heads.iter().any(|head| head.target == Target::Thing(thing));
    let other_word = |thing: usize| {
        let says =
            |mention: &Mention| matches!(mention.what, What::Thing(known) if known == thing) && mention.end == at + 1;
        parser.mentions.at(at).iter().any(says)
    };
    let end = at + 1 + usize::from(parser.word(at + 1) == "anything");
    for (thing, info) in parser.index.things.iter().enumerate() {
        let said = if akin(&info.noun) { Feature::StemmedName } else { Feature::Synonym };
        if info.table.is_some() && (akin(&info.noun) || other_word(thing)) && !asked(thing) {
            let next = add_negated(draft, Condition::Related(thing), &[said]);
            steps.push((end, next));
        }
    }
}

/// `were not sold`, `didn't sell at all`: no row of the only table of orders or sales that names the thing.
fn sold(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    if !matches!(parser.word(at), "sold" | "sell" | "bought" | "purchased") {
        return;
    }
    let [Head { target: Target::Thing(asked), .. }] = draft.heads[..] else { return };
    let index = parser.index;
    let Some(table) = index.things[asked].table else { return };
    let trades = |name: &str| {
        let words = crate::words::split_name(name);
        words.iter().any(|word| index.lexicon.is_of("trade", &index.forms.singular(word)))
    };
    let lines: Vec<ThingId> = (0..index.things.len())
        .filter(|thing| {
            let from = index.things[*thing].table.filter(|from| *from != table);
            from.is_some_and(|from| index.schema.hops(from, table) == Some(1) && trades(&index.table(from).name))
        })
        .collect();
    if let [line] = lines[..] {
        let mut next = add_negated(draft, Condition::Related(line), &[Feature::StemmedName]);
        next.assume("sold", format!("not sold = without a row of {}", index.things[line].noun));
        steps.push((at + 1, next));
    }
}

/// `without sick leave`, `no nylon job`: rows of a kind that are not there.
pub fn no_kind(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let absent = |(end, role): (usize, Role)| match role {
        Role::Lack => Some(end),
        Role::Not => Some(verb_end(parser, end)),
        _ => None,
    };
    let Some(end) = parser.roles(at).find_map(absent).filter(|_| !draft.heads.is_empty() && !draft.is_open()) else {
        return;
    };
    let start = skip_any(parser, end);
    for mention in parser.mentions.at(start) {
        let What::Value(cells) = &mention.what else { continue };
        let [(column, text)] = &cells[..] else { continue };
        // "No account" beside a column that says who holds one.
        let named = |other: &Mention| {
            other.end == mention.end && matches!(other.what, What::Columns(_) | What::Flag(_) | What::Thing(_))
        };
        if parser.mentions.at(start).iter().any(named) {
            continue;
        }
        let owner = parser.index.rows_of(column.table);
        let Some(thing) = owner else { continue };
        if let Some(end) = own_noun(parser, mention.end, thing).filter(|_| is_of_rows(parser, draft, column.table)) {
            let condition = Condition::Values { cells: vec![(*column, vec![text.clone()])], all: false };
            let next = add_negated(draft, condition, &features(mention));
            steps.push((end, next));
            continue;
        }
        if draft.heads.iter().any(|head| head.target == Target::Thing(thing)) {
            continue;
        }
        let next = add_negated(draft, Condition::Related(thing), &features(mention));
        let condition = Condition::Values { cells: vec![(*column, vec![text.clone()])], all: false };
        let next = add(&next, condition, &[]);
        steps.push((own_noun(parser, mention.end, thing).unwrap_or(mention.end), next));
    }
}

/// The token after a noun for the rows of that kind.
fn own_noun(parser: &Parser, at: usize, thing: ThingId) -> Option<usize> {
    let named = |mention: &&Mention| matches!(mention.what, What::Thing(known) if known == thing);
    parser.mentions.at(at).iter().find(named).map(|noun| noun.end)
}

/// `sales without cancelled orders`: a number of the rows themselves leaves some of them out, it does not lack them.
fn is_of_rows(parser: &Parser, draft: &Draft, table: usize) -> bool {
    let index = parser.index;
    let of_table = |name: &String| {
        let from = index.columns().map(|id| id.table).find(|id| index.table(*id).name == *name);
        from.is_some_and(|from| from == table || index.schema.hops(from, table).is_some())
    };
    let own = |head: &Head| match &head.target {
        Target::Columns(columns) => columns.iter().all(|id| id.table == table && index.column(*id).ty.is_number()),
        Target::Measure(measure) => index.measure(*measure).tables.iter().any(of_table),
        _ => false,
    };
    draft.groups.iter().all(|group| !matches!(group, Target::Thing(_))) && draft.heads.iter().all(own)
}

/// `without anything being prescribed`, `with nothing ordered`: the participle names what is not there.
pub fn nothing(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let without = parser.word(at) == "without" && parser.word(at + 1) == "anything";
    let with = parser.word(at) == "with" && parser.word(at + 1) == "nothing";
    if !(without || with) || draft.heads.is_empty() || draft.is_open() {
        return;
    }
    let start = parser.skip(at + 2, |glue| glue == Glue::Be);
    done(parser, start, draft, steps);
}

/// The position after verbs that only link: "had", "took", "been given".
fn verb_end(parser: &Parser, mut at: usize) -> usize {
    let links = |role: &Role| {
        matches!(
            role,
            Role::Link | Role::Created | Role::ExtentVerb | Role::Glue(Glue::Be | Glue::Have | Glue::Auxiliary)
        )
    };
    let verb = |at: usize| {
        let found = parser.roles(at).find(|(_, role)| links(role)).map(|(end, _)| end);
        let coming = matches!(parser.word(at), "come" | "came" | "gone" | "went" | "been");
        let inside = at + 1 + usize::from(parser.word(at + 1) == "in");
        // "Never come in for a visit".
        let came = coming && matches!(parser.word(inside), "for" | "to");
        found
            .filter(|_| !came)
            .or_else(|| matches!(parser.word(at), "ever" | "yet").then_some(at + 1))
            .or(came.then_some(inside + 1))
    };
    while let Some(end) = verb(at) {
        at = end;
    }
    at
}

/// The position after "any", "a single", "even one".
fn skip_any(parser: &Parser, at: usize) -> usize {
    let mut start = parser.skip_determiners(at);
    while matches!(parser.word(start), "single" | "even" | "one") {
        start = parser.skip_determiners(start + 1);
    }
    // "A single day of leave".
    let piece = parser.tokens.get(start).is_some_and(|token| {
        matches!(token.singular.as_str(), "day" | "hour" | "minute" | "piece" | "bit" | "case" | "kind" | "form")
    });
    if piece && parser.word(start + 1) == "of" { parser.skip_determiners(start + 2) } else { start }
}
