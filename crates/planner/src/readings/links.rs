//! Words that say by which of several links a row belongs to another: `rides that start from`, `ended at`.

use super::{Parser, Steps};
use crate::draft::Draft;
use crate::mentions::What;
use crate::schema::Fork;
use crate::words::split_name;

/// `to Norway`, `from Oslo`: which of the links a preposition before a cell of the linked table means.
pub fn direction(parser: &Parser, at: usize) -> Option<usize> {
    let begins = match parser.word(at) {
        "from" => true,
        "to" | "into" | "towards" | "toward" => false,
        _ => return None,
    };
    let next = parser.skip_determiners(at + 1);
    let linked = |table: usize| {
        parser.mentions.at(next).iter().any(|mention| match &mention.what {
            What::Value(cells) => cells.iter().any(|(id, _)| id.table == table),
            _ => false,
        })
    };
    parser.index.schema.forks.iter().find_map(|fork| match fork.relations[..] {
        [first, second] if linked(fork.to) => Some(if begins { first } else { second }),
        _ => None,
    })
}

/// A preposition that says by which link.
pub fn link_preposition(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    if let Some(link) = direction(parser, at)
        && draft.link.is_none_or(|known| known == link)
        && !draft.heads.is_empty()
    {
        let next = Draft { link: Some(link), connected: true, ..draft.clone() };
        steps.push((at + 1, next));
    }
}

/// The verb of one link, where tables have several: `start` for `start_station_id`.
pub fn link_word(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    if draft.link.is_some() || draft.heads.is_empty() && draft.rank.is_none() {
        return;
    }
    for end in [at + 1, at + 2] {
        for link in named(parser, at, end) {
            let next = draft.with(|next| {
                next.link = Some(link);
                next.predicate = true;
            });
            steps.push((end, next));
        }
    }
}

/// The links that a word or two name, where tables have several: `start`, `drop off`.
pub fn named(parser: &Parser, at: usize, end: usize) -> Vec<usize> {
    let index = parser.index;
    let Some(span) = parser.tokens.get(at..end).filter(|_| !index.schema.forks.is_empty()) else { return Vec::new() };
    let stem = |word: &str| index.forms.stem(word);
    let said = span.iter().map(|token| stem(&token.singular)).collect::<Vec<_>>().join(" ");
    let says = |relation: &usize| {
        let words = split_name(&index.dataset.relations[*relation].from_column);
        words.iter().any(|word| {
            let singular = index.forms.singular(word);
            let mut same = index.lexicon.synonyms(&singular).map(|other| crate::tokens::phrase(other, stem));
            stem(word) == said || same.any(|other| other == said)
        })
    };
    let only = |fork: &Fork| match fork.relations.iter().copied().filter(says).collect::<Vec<_>>()[..] {
        [link] => Some(link),
        _ => None,
    };
    index.schema.forks.iter().filter_map(only).collect()
}
