//! The grammar: productions consume a phrase at a position and extend a draft; an agenda keeps the cheapest drafts per
//! position until the question's end.
//!
//! ```text
//! draft at token i --production(phrase i..j)--> draft at token j --> ... --> draft at the end --build--> plan
//! ```
//! Because a token is only ever passed by a production, a draft at the end accounts for every word of the question.
//! Words without a condition of their own are passed only where a production says why, and only those that the lexicon
//! or the production itself lists.

mod absence;
mod asides;
mod bins;
mod charts;
mod compare;
mod compose;
mod contrast;
mod correlations;
mod counts;
mod dates;
mod deeds;
mod filters;
mod formulas;
mod groups;
mod heads;
mod joins;
mod kinds;
mod lateness;
mod lenient;
mod links;
mod lists;
mod moments;
mod pairs;
mod periods;
mod presence;
mod ranks;
mod rates;
mod ratios;
mod repeats;
mod spans;
mod superlatives;
mod those;
mod times;
mod trailing;
mod verbs;
mod weather;
mod within;

use std::cell::OnceCell;

use base::Type;
use data::plan::Test;

use crate::draft::{Amount, Draft, Head, Target};
use crate::index::{ColId, Index, ThingId};
use crate::lexicon::{Glue, Role};
use crate::mentions::{Mention, Mentions, What};
use crate::score::Feature;
use crate::tokens::{self, Kind, Token};

/// How many drafts are kept per position.
const BEAM: usize = 24;

/// Drafts that a production made, with the position they have reached.
pub type Steps = Vec<(usize, Draft)>;

/// One production: what a phrase at a position can add to a draft.
type Production = fn(&Parser, usize, &Draft, &mut Steps);

/// Every production of the grammar.
const PRODUCTIONS: &[Production] = &[
    joins::joining_word,
    joins::question_word,
    joins::linking_verb,
    joins::in_own_unit,
    joins::among,
    joins::every,
    weather::outside,
    trailing::count_last,
    trailing::of_each,
    trailing::and_which,
    trailing::and_how_much,
    trailing::and_what_share,
    charts::chart,
    charts::against,
    charts::trend,
    correlations::correlation,
    heads::aggregate,
    heads::percentile,
    heads::target,
    heads::modifier,
    heads::extent,
    heads::thing_count,
    heads::with_number,
    heads::with_ranked,
    rates::flag_rate,
    heads::share,
    heads::distribution,
    heads::distinct,
    heads::series,
    heads::event_noun,
    spans::how_long,
    spans::averaged,
    spans::lasting,
    spans::compared,
    spans::told_in,
    spans::longest,
    within::done_within,
    formulas::meant_before,
    absence::never,
    absence::done_times,
    absence::nothing,
    absence::no_kind,
    counts::how_often_was,
    counts::most_of_a_kind,
    counts::breaches,
    counts::missing_values,
    counts::missing_for,
    heads::how_often,
    rates::opposite_rate,
    pairs::columns,
    pairs::degree_between,
    pairs::same_day,
    pairs::same_end,
    asides::same_cell,
    asides::same_number,
    asides::compared_name,
    asides::ranked_first,
    asides::but,
    asides::at_least_once,
    groups::one_by_one,
    groups::in_percent,
    ranks::first_in_order,
    moments::when_extreme,
    moments::when_highest,
    trailing::when_was_extreme,
    moments::last_done,
    moments::at_what_hour,
    moments::event_of_rank,
    moments::new_rows,
    superlatives::most_often,
    superlatives::do_most,
    superlatives::flagged_most,
    superlatives::best_number,
    superlatives::trailing_top,
    superlatives::in_what_terms,
    those::again,
    those::among,
    those::share_of_them,
    ratios::relative_to,
    ratios::does_on_average,
    ratios::in_own_rate,
    contrast::compare_word,
    contrast::difference,
    contrast::versus,
    contrast::the_others,
    contrast::with_and_without,
    contrast::comparative,
    contrast::more_than,
    contrast::does_more_than,
    ratios::on_average,
    groups::across_all,
    groups::agent,
    groups::group,
    groups::period_adjective,
    groups::over_time,
    filters::value,
    filters::column_value,
    filters::participle_value,
    filters::flag,
    filters::negation,
    filters::failure,
    filters::negative_prefix,
    filters::lack,
    filters::absent,
    filters::still,
    lateness::still_open,
    lateness::late,
    presence::presence,
    presence::had,
    presence::got,
    presence::marks,
    presence::availability,
    filters::key,
    filters::by_one,
    links::link_word,
    links::link_preposition,
    lists::among,
    lists::including,
    times::time,
    times::event_time,
    times::event_group,
    times::bound_time,
    times::group_of_event,
    compare::column_compare,
    compare::compare_column,
    compare::compared_together,
    compare::aggregate_compare,
    compare::comparative,
    repeats::times,
    compare::number_before_name,
    compare::ordinal,
    ranks::top,
    ranks::extent,
    ranks::frequent,
    ranks::done_most,
    ranks::trailing_extreme,
    ranks::on_average,
    ranks::in_total,
    ranks::extreme,
    ranks::recent,
    ranks::adjective,
    ranks::leading_number,
    ranks::sort,
    ranks::direction,
    ranks::limit,
    verbs::done_most,
    verbs::rows_done_most,
    verbs::acts,
    verbs::payer,
    verbs::restricting_verb,
    verbs::paid_for,
    verbs::on_average,
    verbs::extent,
    verbs::extent_verb,
    verbs::lasted,
    verbs::compound,
    verbs::head_again,
    verbs::best_doing,
    compare::averaging,
    kinds::counted,
    kinds::rated,
    periods::with_number,
    periods::total,
    periods::done_by_us,
    periods::each_of_the_last,
    kinds::free,
    times::year_said,
    rates::value_rate,
    rates::deed_rate,
    rates::takings,
];

/// A question with everything that was found in it.
pub struct Parser<'a> {
    pub index: &'a Index,
    pub tokens: &'a [Token],
    pub mentions: &'a Mentions,
    /// What starts at each position, as it is asked for: every draft there asks the same.
    targets: Vec<OnceCell<Vec<Name>>>,
    quantities: Vec<OnceCell<Vec<Quantity>>>,
    /// Comparisons as they are said, and after a name.
    comparisons: [Vec<OnceCell<Vec<Comparison>>>; 2],
    idle_ends: Vec<OnceCell<Option<usize>>>,
    verb_ends: Vec<OnceCell<Option<usize>>>,
    /// The names at each position as the composer sees them.
    names: Vec<OnceCell<Vec<Name>>>,
}

/// What a phrase names: the token after it, what it stands for, and what speaks against that.
pub type Name = (usize, Target, Vec<Feature>);

/// What a phrase names as a number that things can be ranked by, in the same way.
pub type Quantity = (usize, Head, Vec<Feature>);

/// A comparison with numbers: the token after it, the test, and the numbers.
pub type Comparison = (usize, Test, Vec<Amount>);

/// How much a reading may take for granted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Rigor {
    /// Every word has its own meaning.
    Strict,
    /// Words that restrict nothing are passed, and what is usual is assumed and said.
    Lenient,
}

/// What the grammar makes of a question.
pub struct Parsed {
    /// The drafts that account for the whole of it, cheapest first.
    pub drafts: Vec<Draft>,
    /// Which tokens some production gave a meaning, whether or not a draft reached the end.
    pub passed: Vec<bool>,
}

/// Reads a question from its first token to its last.
pub fn parse(parser: &Parser, rigor: Rigor) -> Parsed {
    let tokens = parser.tokens;
    let lenient = rigor == Rigor::Lenient;
    let more = if lenient { lenient::PRODUCTIONS } else { &[] };
    let mut agenda: Vec<Vec<Draft>> = vec![Vec::new(); tokens.len() + 1];
    agenda[0].push(Draft { lenient, ..Draft::default() });
    let mut steps = Steps::new();
    let mut passed = vec![false; tokens.len()];
    for at in 0..tokens.len() {
        let drafts = cheapest(std::mem::take(&mut agenda[at]));
        for draft in &drafts {
            for production in PRODUCTIONS.iter().chain(more) {
                production(parser, at, draft, &mut steps);
            }
            for (end, next) in steps.drain(..) {
                passed[at..end].fill(true);
                match agenda[end].iter_mut().find(|known| **known == next) {
                    Some(known) if next.cost() < known.cost() => *known = next,
                    Some(_) => {}
                    None => agenda[end].push(next),
                }
            }
        }
    }
    let mut ended = cheapest(std::mem::take(&mut agenda[tokens.len()]));
    let counts = |draft: &Draft| draft.pending.is_some() && draft.heads.is_empty();
    ended.retain(|draft| !draft.is_open() || counts(draft) || draft.ranks_by_share());
    Parsed { drafts: ended, passed }
}

/// The drafts that account for the whole question if its parts may stand in any order, cheapest first.
pub fn composed_drafts(parser: &Parser) -> Vec<Draft> {
    compose::drafts(parser)
}

/// The phrases that a lenient reading may pass.
pub fn idle_spans(index: &Index, tokens: &[Token]) -> Vec<std::ops::Range<usize>> {
    (0..tokens.len()).filter_map(|at| Some(at..lenient::idle_end(index, tokens, at)?)).collect()
}

fn cheapest(mut drafts: Vec<Draft>) -> Vec<Draft> {
    // Costs are never negative, so their bits are in their order.
    drafts.sort_by_cached_key(|draft| draft.cost().to_bits());
    drafts.truncate(BEAM);
    drafts
}

impl<'a> Parser<'a> {
    /// A question whose names have not been asked for yet.
    pub fn new(index: &'a Index, tokens: &'a [Token], mentions: &'a Mentions) -> Parser<'a> {
        Parser {
            index,
            tokens,
            mentions,
            targets: unasked(tokens),
            quantities: unasked(tokens),
            comparisons: [unasked(tokens), unasked(tokens)],
            idle_ends: unasked(tokens),
            verb_ends: unasked(tokens),
            names: unasked(tokens),
        }
    }

    /// The lower-case word at a position, empty past the end.
    pub fn word(&self, at: usize) -> &str {
        tokens::word(self.tokens, at)
    }

    /// Whether the question has a lower-case word.
    pub fn has(&self, word: &str) -> bool {
        self.tokens.iter().any(|token| token.fold == word)
    }

    /// The positions of all words.
    pub fn positions(&self) -> impl Iterator<Item = usize> + use<> {
        0..self.tokens.len()
    }

    /// The lower-case word before a position.
    pub fn before(&self, at: usize) -> &str {
        at.checked_sub(1).map_or("", |before| self.word(before))
    }

    /// The roles that start at a position, longest phrase first.
    pub fn roles(&self, at: usize) -> impl Iterator<Item = (usize, Role)> + '_ {
        self.mentions.at(at).iter().filter_map(|mention| match mention.what {
            What::Role(role) => Some((mention.end, role)),
            _ => None,
        })
    }

    /// The token after a phrase of that role, if one starts here.
    pub fn role(&self, at: usize, wanted: Role) -> Option<usize> {
        self.roles(at).find(|(_, role)| *role == wanted).map(|(end, _)| end)
    }

    /// The position after determiners.
    pub fn skip_determiners(&self, at: usize) -> usize {
        self.skip(at, |glue| glue == Glue::Determiner)
    }

    /// The position after joining words of some kinds.
    pub fn skip(&self, mut at: usize, allowed: impl Fn(Glue) -> bool) -> usize {
        let next = |at: usize| {
            self.roles(at).find_map(|(end, role)| match role {
                Role::Glue(glue) if allowed(glue) => Some(end),
                _ => None,
            })
        };
        while let Some(end) = next(at) {
            at = end;
        }
        at
    }

    /// The nearest word before a position that is no determiner.
    pub fn word_before_determiners(&self, mut at: usize) -> &str {
        while at > 0 && self.role(at - 1, Role::Glue(Glue::Determiner)).is_some() {
            at -= 1;
        }
        self.before(at)
    }

    /// The nearest token before a position that is no form of "be" and no relative.
    pub fn noun_before(&self, at: usize) -> Option<usize> {
        let passed = |word: &str| matches!(word, "are" | "is" | "was" | "were" | "who" | "that" | "aged");
        (0..at).rev().find(|before| !passed(self.word(*before)))
    }

    /// A noun for rows that only says whose column follows: "credit limit", "hotel rating".
    pub fn modifier(&self, at: usize) -> Option<(&Mention, ThingId)> {
        self.mentions.at(at).iter().find_map(|mention| {
            let What::Thing(thing) = mention.what else { return None };
            let table = self.index.things[thing].table?;
            // "Patient satisfaction" may be known per visit of the patient.
            let linked = |id: &ColId| self.index.schema.hops(id.table, table).is_some();
            let own = |next: &Mention| match &next.what {
                What::Columns(columns) => columns.iter().any(|id| id.table == table || linked(id)),
                _ => false,
            };
            let last = &self.tokens[mention.end - 1];
            let singular = last.fold == last.singular || last.fold.ends_with("'s");
            (singular && self.mentions.at(mention.end).iter().any(own)).then_some((mention, thing))
        })
    }

    /// The token after the first of some phrases that stands at a position.
    pub fn after_phrase(&self, at: usize, phrases: &[&[&str]]) -> Option<usize> {
        let here = |phrase: &&&[&str]| phrase.iter().enumerate().all(|(i, word)| self.word(at + i) == *word);
        phrases.iter().find(here).map(|phrase| at + phrase.len())
    }

    /// Whether the token at a position is a comma.
    pub fn comma(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(|token| token.kind == Kind::Comma)
    }

    /// Everything countable or measurable that starts at a position.
    pub fn targets(&self, at: usize) -> &[Name] {
        self.targets.get(at).map_or(&[], |asked| asked.get_or_init(|| self.find_targets(at)))
    }

    /// Every number that things can be ranked by whose name starts at a position.
    pub fn quantities(&self, at: usize) -> &[Quantity] {
        self.quantities.get(at).map_or(&[], |asked| asked.get_or_init(|| groups::find_quantities(self, at)))
    }

    /// Every comparison that starts at a position; after a name, "is" and "of" may stand between and a bare number is equal.
    pub fn comparisons(&self, at: usize, after_name: bool) -> &[Comparison] {
        let asked = self.comparisons[usize::from(after_name)].get(at);
        asked.map_or(&[], |asked| asked.get_or_init(|| compare::find_comparisons(self, at, after_name)))
    }

    /// The token after the longest phrase at a position that a lenient reading may pass.
    pub fn idle_end(&self, at: usize) -> Option<usize> {
        *self.idle_ends.get(at)?.get_or_init(|| lenient::idle_end(self.index, self.tokens, at))
    }

    /// The token after the longest verb at a position that chooses no rows.
    pub fn plain_verb_end(&self, at: usize) -> Option<usize> {
        *self.verb_ends.get(at)?.get_or_init(|| lenient::plain_verb_end(self, at))
    }

    fn find_targets(&self, at: usize) -> Vec<Name> {
        let mentions = self.mentions.at(at).iter();
        // "The record of the team" is the column where there is one.
        let column = |mention: &Mention| {
            matches!(mention.what, What::Columns(_)) && !mention.partial && !mention.synonym && !mention.stemmed
        };
        let named: Vec<usize> = mentions.clone().filter(|mention| column(mention)).map(|mention| mention.end).collect();
        let made = |mention: &Mention| {
            if matches!(mention.what, What::Role(Role::Rows)) && named.contains(&mention.end) {
                return None;
            }
            let mut found = features(mention);
            if self.is_shadowed(at, mention) {
                found.push(Feature::ThingOverColumn);
            }
            Some((mention.end, target(mention)?, found))
        };
        let elapsed = spans::nouns(self, at);
        let formulas = formulas::targets(self, at);
        mentions
            .filter_map(made)
            .chain(elapsed)
            .chain(self.sorts(at))
            .chain(formulas)
            .chain(deeds::targets(self, at))
            .collect()
    }

    /// `type of insurance`, `kind of contract`, `insurance type`: the kinds that a column holds, where none is called so.
    fn sorts(&self, at: usize) -> Vec<Name> {
        let says_sort = |at: usize| {
            let word = self.tokens.get(at).map_or("", |token| token.singular.as_str());
            matches!(word, "type" | "kind" | "sort" | "category" | "class" | "group")
        };
        let before = says_sort(at) && self.word(at + 1) == "of";
        let start = if before { self.skip_determiners(at + 2) } else { at };
        let kinds = |mention: &&Mention| match &mention.what {
            What::Columns(columns) => columns.iter().all(|id| {
                let column = self.index.column(*id);
                column.ty == Type::Text && !column.unique && !self.index.facts(*id).identifier
            }),
            _ => false,
        };
        let named = self.mentions.at(start).iter().filter(kinds).filter(|mention| before || says_sort(mention.end));
        // Where the words together are a name of the dataset, it is that.
        let taken = |end: usize| self.mentions.at(at).iter().any(|other| other.end >= end && target(other).is_some());
        let found = named.filter_map(|mention| {
            let end = if before { mention.end } else { mention.end + 1 };
            (!taken(end)).then(|| Some((end, target(mention)?, features(mention))))?
        });
        found.collect()
    }

    /// What the names that start at a position stand for.
    pub fn targets_named(&self, at: usize) -> Vec<(usize, Target)> {
        self.mentions.at(at).iter().filter_map(|mention| Some((mention.end, target(mention)?))).collect()
    }

    /// Whether a table's rows are named only by its file's name, which is also the name of a number column.
    pub fn is_shadowed(&self, at: usize, mention: &Mention) -> bool {
        let What::Thing(thing) = mention.what else { return false };
        let undeclared = self.index.things[thing].table.is_some_and(|table| self.index.table(table).noun.is_none());
        let number = |other: &Mention| match &other.what {
            What::Columns(columns) => {
                let measured = |id: &ColId| self.index.is_quantity(*id);
                other.end == mention.end && !other.partial && !other.synonym && columns.iter().any(measured)
            }
            _ => false,
        };
        undeclared && self.mentions.at(at).iter().any(number)
    }
}

fn unasked<T>(tokens: &[Token]) -> Vec<OnceCell<T>> {
    tokens.iter().map(|_| OnceCell::new()).collect()
}

fn target(mention: &Mention) -> Option<Target> {
    Some(match &mention.what {
        What::Thing(thing) => Target::Thing(*thing),
        What::Columns(columns) => Target::Columns(columns.clone()),
        What::Measure(measure) => Target::Measure(*measure),
        What::Flag(columns) => Target::Flag(columns.clone()),
        What::Role(Role::Rows) => Target::Rows,
        What::Role(Role::Part(part)) => Target::Part(*part),
        What::Role(Role::Grain(grain)) => Target::Grain(*grain),
        _ => return None,
    })
}

/// What a mention of a name speaks against a reading.
pub fn features(mention: &Mention) -> Vec<Feature> {
    let partial = mention.partial.then_some(Feature::PartialName);
    let vague = mention.vague.then_some(Feature::VaguePart);
    let synonym = mention.synonym.then_some(Feature::Synonym);
    let stemmed = mention.stemmed.then_some(Feature::StemmedName);
    let assumed = mention.assumed.then_some(Feature::AssumedNoun);
    partial.into_iter().chain(vague).chain(synonym).chain(stemmed).chain(assumed).collect()
}
