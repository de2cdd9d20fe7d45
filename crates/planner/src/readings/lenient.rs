//! What is read only where no strict reading exists: words that restrict nothing are passed, and the answer says so.
//!
//! The grammar proper gives every word a meaning of its own. People also use words that have none for the rows: verbs of
//! being there, how a question is put, whoever did what the rows record. Passing them is a guess, so it is priced and
//! told, and an answer that needs one is not called verified.

mod beside;
mod counted;
mod none;
mod persons;
mod places;
pub(super) mod staying;
mod texts;
mod totals;

use super::compare::with_having;
use super::joins::names_data;
use super::{Parser, Production, Steps, features, links};
use crate::draft::{Condition, Draft, Head, Rank};
use crate::index::{ColId, Index, ThingId};
use crate::lexicon::{Form, Glue, Role};
use crate::mentions::{Mention, What};
use crate::score::Feature;
use crate::tokens::{self, Token};

/// The productions that only lenient readings use.
pub const PRODUCTIONS: &[Production] = &[
    idle_word,
    plain_verb,
    depictive,
    rather_than,
    event_rank,
    event_having,
    persons::actor,
    persons::headcount,
    persons::agent,
    totals::what_did,
    totals::owed,
    beside::holder,
    beside::on_record,
    beside::single,
    beside::located,
    beside::linked_last,
    beside::counted_once,
    beside::explained,
    beside::per_row,
    beside::off,
    beside::of_nature,
    beside::about,
    beside::both,
    counted::volume,
    counted::hit,
    counted::ranked_by,
    staying::without_gone,
    super::formulas::worth,
    none::nothing,
    none::nobody,
    places::same_place,
    staying::current,
    staying::employed,
    staying::still_members,
    staying::happened,
    texts::word_in,
    texts::saying,
];

/// How many words an idle phrase has at most.
const PHRASE_MAX: usize = 6;

/// The token after the longest idle phrase that starts at a position.
pub fn idle_end(index: &Index, tokens: &[Token], at: usize) -> Option<usize> {
    let phrase = |end: usize| tokens::folded(&tokens[at..end]);
    let ends = (at + 1..=(at + PHRASE_MAX).min(tokens.len())).rev();
    ends.into_iter().find(|end| index.lexicon.is_idle(&phrase(*end)))
}

/// `turns up`, `actually`: passed, unless the dataset itself uses the word.
fn idle_word(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    // "The products we sell" is a clause of the noun; in "do we sell more" the verb says what is counted.
    let clause = parser.word(at) != "we" || at > 0 && parser.mentions.is_data(at - 1);
    let end = parser.idle_end(at);
    if let Some(end) = end.filter(|_| clause && !names_data(parser, at) && !is_dated(parser, at)) {
        steps.push((end, pass(parser, at, end, draft)));
    }
}

/// `supplied`, `picked up`: a verb that only says that what the rows record happened, where the dataset calls nothing so
/// and the question speaks of something else of the data beside what it asks for.
fn plain_verb(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let Some(end) = parser.plain_verb_end(at) else { return };
    let names_nothing = (at..end).all(|at| !parser.mentions.is_data(at));
    // "Taken by riders" says by whom.
    let agent = parser.word(end) == "by";
    let denied = at > 0 && parser.role(at - 1, Role::Not).is_some();
    if names_nothing && !agent && !denied && says_something_else(parser, at, end) {
        steps.push((end, pass(parser, at, end, draft)));
    }
}

/// The token after the longest verb at a position that chooses no rows, where a verb can stand there.
pub(super) fn plain_verb_end(parser: &Parser, at: usize) -> Option<usize> {
    let phrase = |end: usize| tokens::folded(&parser.tokens[at..end]);
    let ends = (at + 1..=(at + PHRASE_MAX).min(parser.tokens.len())).rev();
    let (end, form) = ends.into_iter().find_map(|end| Some((end, parser.index.lexicon.verbs.plain(&phrase(end))?)))?;
    let written_small = parser.tokens[at].text.starts_with(char::is_lowercase);
    (at > 0 && written_small && is_verb_place(parser, at, form)).then_some(end)
}

/// Whether the words before a position are followed by a verb of that form and not by a noun.
fn is_verb_place(parser: &Parser, at: usize, form: Form) -> bool {
    let before = parser.before(at);
    let noun = || parser.mentions.is_data(at - 1);
    let be = || parser.role(at - 1, Role::Glue(Glue::Be)).is_some();
    let pronoun = matches!(before, "we" | "you" | "they" | "i" | "people" | "it");
    // "Who directed it" asks for the one who did.
    let asked = matches!(before, "who" | "whom");
    match form {
        Form::Base => {
            let auxiliary = |word: &str| {
                matches!(word, "do" | "does" | "did" | "to" | "can" | "could" | "would" | "didn't" | "don't")
            };
            let helped = (at.saturating_sub(4)..at).any(|before| auxiliary(parser.word(before)));
            auxiliary(before) || pronoun || helped && noun()
        }
        Form::Third => {
            matches!(before, "that" | "which")
                || noun() && before != "no" && parser.tokens[at - 1].fold == parser.tokens[at - 1].singular
        }
        Form::Gerund => be() || noun(),
        // "Were booked" says what became of them, unless the rows are that deed.
        Form::Past if be() => recorded_rows(parser.index, parser.word(at)).is_some(),
        Form::Past => !asked && !matches!(before, "the" | "a" | "an" | "of" | "by" | "per" | "no" | "most" | "least"),
    }
}

/// The rows that record what a verb says: loans of what is borrowed.
pub(super) fn recorded_rows(index: &Index, verb: &str) -> Option<ThingId> {
    let rows = |word: &str| {
        let stem = index.forms.stem(word);
        index.things.iter().position(|thing| thing.table.is_some() && index.forms.stem(&thing.noun) == stem)
    };
    index.lexicon.verbs.recorded(verb).find_map(rows)
}

/// Whether two names, values or periods stand outside of a span: what is asked for is one, and a verb that is all there
/// is beside it would be the condition itself.
fn says_something_else(parser: &Parser, start: usize, end: usize) -> bool {
    let outside = (0..parser.tokens.len()).filter(|at| !(start..end).contains(at));
    let spoken = |at: &usize| {
        let names = |mention: &Mention| {
            let data = !matches!(mention.what, What::Role(_) | What::Adjective(_) | What::Comparative(_));
            data || matches!(mention.what, What::Role(Role::Grain(_) | Role::Part(_) | Role::Amount(_)))
        };
        parser.mentions.at(*at).iter().any(names)
    };
    outside.filter(spoken).count() > 1
}

/// Whether a date of the dataset says when that was done: "given out" beside `given_on` is said of what was given.
fn is_dated(parser: &Parser, at: usize) -> bool {
    let dated = |mention: &Mention| matches!(mention.what, What::Event(_)) && !mention.synonym && !mention.stemmed;
    parser.mentions.at(at).iter().any(dated)
}

/// The draft after words that are taken to restrict nothing.
pub fn pass(parser: &Parser, at: usize, end: usize, draft: &Draft) -> Draft {
    let said = tokens::written(&parser.tokens[at..end]);
    let next = draft.granting(Feature::IdleWord, "idle_word", format!("`{said}` chooses no rows"));
    Draft { predicate: draft.predicate || !draft.heads.is_empty(), ..next }
}

/// `arrived without a battery level`, `ended with at least one prescription`: the verb only carries what it came with.
fn depictive(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    const VERBS: &[&[&str]] = &[
        &["came", "back"],
        &["come", "back"],
        &["came", "in"],
        &["come", "in"],
        &["ended", "up"],
        &["end", "up"],
        &["arrived"],
        &["arrive"],
        &["arrives"],
        &["ended"],
        &["end"],
        &["ends"],
        &["finished"],
        &["finish"],
        &["finishes"],
        &["came"],
        &["come"],
        &["comes"],
        &["began"],
        &["begin"],
        &["left"],
        &["returned"],
        &["went"],
    ];
    let free = !draft.heads.is_empty() && !draft.is_open();
    let Some(end) = parser.after_phrase(at, VERBS).filter(|_| free) else { return };
    if matches!(parser.word(end), "with" | "without") {
        steps.push((end, pass(parser, at, end, draft)));
    }
}

/// `estimated rather than measured`: what is not meant says nothing more than the condition before it.
fn rather_than(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    let said = matches!((parser.word(at), parser.word(at + 1)), ("rather", "than") | ("instead", "of"));
    let conditioned = draft.filters.last().is_some_and(|filter| {
        matches!(filter.condition, Condition::Flag(_) | Condition::Values { .. }) && !filter.negated
    });
    let other = at + 2;
    if said && conditioned && other < parser.tokens.len() && !parser.mentions.is_data(other) {
        steps.push((other + 1, pass(parser, at, other + 1, draft)));
    }
}

/// `departures`, `arrivals`: the rows whose table says when they happened, and the link that the noun names.
fn event_rows(parser: &Parser, at: usize) -> Option<(usize, ThingId, Option<usize>, Vec<Feature>)> {
    parser.mentions.at(at).iter().find_map(|mention| {
        let What::Event(dates) = &mention.what else { return None };
        let word = &parser.tokens[mention.end - 1];
        let [ColId { table, .. }] = dates[..] else { return None };
        let plural = word.fold != word.singular;
        let rows = parser.index.rows_of(table).filter(|_| plural)?;
        let link = links::named(parser, at, mention.end).first().copied();
        // Of several links the noun has to say one: bikes are dropped off where the ride ends.
        let forked = parser.index.schema.forks.iter().any(|fork| fork.from == table);
        (link.is_some() || !forked).then(|| (mention.end, rows, link, features(mention)))
    })
}

/// `which districts see the most departures`: ranked by how often it happened.
fn event_rank(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    // "Which weekday is busiest for admissions" waits for what it is busy with.
    let waits = |rank: &Rank| rank.open || rank.by.is_none() && !draft.heads.is_empty();
    let open = draft.rank.as_ref().is_some_and(waits) && draft.pending.is_none();
    let Some((end, rows, link, found)) = event_rows(parser, at).filter(|_| open) else { return };
    let next = draft.with(|next| {
        next.features.extend(found);
        next.features.push(Feature::OpenChoice);
        next.link = next.link.or(link);
        if let Some(rank) = &mut next.rank {
            (rank.by, rank.open) = (Some(Head::counted(rows)), false);
        }
    });
    steps.push((end, next));
}

/// `districts with more than 1000 departures`.
fn event_having(parser: &Parser, at: usize, draft: &Draft, steps: &mut Steps) {
    if draft.heads.is_empty() || draft.is_open() {
        return;
    }
    for (number_end, test, amounts) in parser.comparisons(at, false).iter().cloned() {
        let Some((end, rows, link, mut found)) = event_rows(parser, number_end) else { continue };
        found.push(Feature::OpenChoice);
        let next = with_having(draft, Head::counted(rows), test, amounts, &found);
        steps.push((end, Draft { link: draft.link.or(link), ..next }));
    }
}
