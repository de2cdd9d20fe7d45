//! Second nouns that only say what kind of thing the name before them is: "crew size" of `Crew`, "referral source" of
//! `referred_by`, "badge number" of `OfficerBadge`.
//!
//! The column must be of that kind: the size of a crew is a number without a unit, a source is a text.

use base::Type;

use super::Guess;
use crate::index::{ColId, Index};
use crate::mentions::{Mention, Mentions, What};
use crate::tokens::Token;

/// What a second noun says of a column.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// How many there are.
    Number,
    /// One of some kinds or names.
    Text,
    /// A code or name that tells one from another.
    Code,
    /// A day or a moment.
    Moment,
    /// How many persons of a sort there are.
    Persons,
}

fn kinds(noun: &str) -> &'static [Kind] {
    match noun {
        "size" | "strength" | "tally" | "total" | "count" => &[Kind::Number],
        "number" => &[Kind::Number, Kind::Code],
        "code" | "ref" | "reference" => &[Kind::Code],
        "source" | "method" | "channel" | "status" | "name" | "type" | "kind" | "category" | "option" | "group" => {
            &[Kind::Text]
        }
        "date" | "day" => &[Kind::Moment],
        "visitor" | "guest" | "people" | "person" | "passenger" | "attendee" => &[Kind::Persons],
        _ => &[],
    }
}

/// The columns of the name that ends before the noun, where they are of its kind.
pub fn guess(index: &Index, tokens: &[Token], mentions: &Mentions, at: usize) -> Option<Guess> {
    let wanted = kinds(&tokens[at].singular);
    let fits = |id: &ColId| wanted.iter().any(|kind| is_of_kind(index, *id, *kind));
    let named = |(start, mention): (usize, &Mention)| match &mention.what {
        What::Columns(columns) if mention.end == at && columns.iter().all(fits) => Some((start, columns.clone())),
        _ => None,
    };
    let names: Vec<(usize, Vec<ColId>)> =
        (0..at).flat_map(|start| mentions.at(start).iter().map(move |m| (start, m))).filter_map(named).collect();
    let (start, columns) = names.first()?;
    let name = &index.facts(*columns.first()?).written;
    let same = columns.iter().all(|id| index.facts(*id).written == *name);
    same.then(|| Guess::columns(index, *start, at + 1, columns.clone()))?
}

fn is_of_kind(index: &Index, id: ColId, kind: Kind) -> bool {
    let (column, facts) = (index.column(id), index.facts(id));
    let code = facts.identifier || facts.digits;
    match kind {
        Kind::Number => column.ty == Type::Int && !code && facts.unit.is_none() && !facts.years && facts.yes.is_none(),
        Kind::Text => column.ty == Type::Text && !code && facts.yes.is_none(),
        Kind::Code => code || column.ty == Type::Text && column.unique,
        Kind::Moment => column.ty.is_temporal(),
        Kind::Persons => column.ty == Type::Int && facts.core.last().is_some_and(|word| is_sort_of_person(index, word)),
    }
}

fn is_sort_of_person(index: &Index, word: &str) -> bool {
    let noun = index.forms.singular(word);
    let aged = matches!(noun.as_str(), "adult" | "child" | "kid" | "senior" | "junior" | "infant" | "teen" | "youth");
    aged || index.lexicon.is_of("person", &noun)
}
