//! What a question asks for, wherever its words stand: a count, a number, a list, a ranking or a share.
//!
//! A word that asks (`how many`, `average`, `highest`) takes the nearest name that it can be said of. A question with two
//! such words of one kind, but for a list of aggregates of one number, has no seed: which of them is meant with what
//! would be a guess.

use std::ops::Range;

use data::plan::{Agg, Dir};

use super::super::Parser;
use super::super::compare::comparisons;
use super::Seed;
use super::parts::{aggregate_of, assumption};
use crate::draft::{Draft, Head, Rank, RankKind, Target};
use crate::index::ColId;
use crate::lexicon::{Ask, Glue, Role};
use crate::mentions::{Mention, What};
use crate::score::Feature;

/// A name of the question and what it stands for.
#[derive(Clone)]
struct Name {
    span: Range<usize>,
    target: Target,
    features: Vec<Feature>,
}

/// The words of a question that ask, and the names they can be said of.
struct Words {
    asks: Vec<(Range<usize>, Ask)>,
    counts: Vec<Range<usize>>,
    much: Vec<Range<usize>>,
    shares: Vec<Range<usize>>,
    aggregates: Vec<(Range<usize>, Agg)>,
    extremes: Vec<(Range<usize>, RankKind, Dir)>,
    numbers: Vec<Name>,
    things: Vec<Name>,
    /// What rows can be told apart by: columns that are no numbers, and periods.
    kinds: Vec<Name>,
}

/// Every way to say what is asked for.
pub fn all(parser: &Parser) -> Vec<Seed> {
    let words = Words::of(parser);
    let one = |length: usize| length == 1;
    match (words.shares.len(), words.extremes.len(), words.counts.len(), words.aggregates.len()) {
        (1, 0, 0, _) => words.shares(),
        (0, extremes, 0, aggregates) if extremes + aggregates > 1 => {
            let mut seeds = words.several_aggregates(parser);
            if one(extremes) && one(aggregates) {
                seeds.extend(words.rankings(parser));
            }
            seeds
        }
        (0, 1, 0, _) => words.rankings(parser),
        (0, 0, 1, 0) => words.counted(parser),
        (0, 0, 0, 1) => words.aggregated(),
        (0, 0, 0, 0) => words.plain(parser),
        _ => Vec::new(),
    }
}

impl Words {
    fn of(parser: &Parser) -> Words {
        let mut words = Words {
            asks: Vec::new(),
            counts: Vec::new(),
            much: Vec::new(),
            shares: Vec::new(),
            aggregates: Vec::new(),
            extremes: Vec::new(),
            numbers: Vec::new(),
            things: Vec::new(),
            kinds: Vec::new(),
        };
        let mut passed = 0;
        for at in 0..parser.tokens.len() {
            if at >= passed {
                passed = words.add_role(parser, at).unwrap_or(at);
            }
            words.add_names(parser, at);
        }
        words
    }

    /// The longest phrase that asks and starts at a position; the token after it.
    fn add_role(&mut self, parser: &Parser, at: usize) -> Option<usize> {
        for (end, role) in parser.roles(at) {
            let span = at..end;
            match role {
                Role::Ask(ask) => self.asks.push((span, ask)),
                Role::Count => self.counts.push(span),
                Role::Much => self.much.push(span),
                Role::Share => self.shares.push(span),
                // "Sum of total" where a column is called so: one word asks, the other names.
                Role::Agg(_) if is_column_name(parser, &span) => continue,
                Role::Agg(_) | Role::Typically => {
                    self.aggregates.extend(aggregate_of(role).map(|agg| (span, agg)));
                }
                Role::Extreme(dir) => self.extremes.push((span, RankKind::Extreme, dir)),
                Role::Amount(dir) => self.extremes.push((span, RankKind::Amount, dir)),
                _ => continue,
            }
            return Some(end);
        }
        None
    }

    fn add_names(&mut self, parser: &Parser, at: usize) {
        let index = parser.index;
        let number = |id: &ColId| index.column(*id).ty.is_number() && !index.facts(*id).identifier;
        let kind = |id: &ColId| index.facts(*id).identifier || !index.column(*id).ty.is_number();
        for (end, target, features) in parser.targets(at) {
            let name = Name { span: at..end, target, features };
            match &name.target {
                Target::Columns(columns) if columns.iter().all(number) => self.numbers.push(name),
                Target::Measure(_) | Target::Elapsed(..) => self.numbers.push(name),
                Target::Columns(columns) if columns.iter().all(kind) => self.kinds.push(name),
                Target::Thing(_) | Target::Rows => self.things.push(name),
                Target::Grain(_) | Target::Part(_) => self.kinds.push(name),
                _ => {}
            }
        }
    }

    fn ask(&self) -> Option<Ask> {
        self.asks.first().map(|(_, ask)| *ask)
    }

    /// `how many orders above 500 got cancelled`: of the first thing after the words, or of what was sold.
    fn counted(&self, parser: &Parser) -> Vec<Seed> {
        let span = &self.counts[0];
        let things = nearest_after(&self.things, span.end);
        let first = things.first().map_or(usize::MAX, |name| name.span.start);
        let next = parser.skip_determiners(span.end);
        let amounts = self.numbers.iter().filter(|name| name.span.start == next && name.span.start < first);
        let of = |name: &Name| {
            let head = Head { agg: Some(Agg::Count), ..Head::plain(name.target.clone()) };
            seed(Draft { heads: vec![head], ..Draft::default() }, &[span], &[name])
        };
        things.into_iter().chain(amounts).filter_map(of).collect()
    }

    /// `median hours to solve billing problems`, `usage on average`.
    fn aggregated(&self) -> Vec<Seed> {
        let (span, agg) = &self.aggregates[0];
        let after = nearest_after(&self.numbers, span.end);
        let names = if after.is_empty() { nearest_before(&self.numbers, span.start) } else { after };
        let of = |name: &Name| {
            let head = Head { agg: Some(*agg), ..Head::plain(name.target.clone()) };
            seed(Draft { heads: vec![head], ..Draft::default() }, &[span], &[name])
        };
        names.into_iter().filter_map(of).collect()
    }

    /// `lowest, highest and mean temperature`: several aggregates of the number that follows them.
    fn several_aggregates(&self, parser: &Parser) -> Vec<Seed> {
        let ends = self
            .extremes
            .iter()
            .map(|(span, _, dir)| (span.clone(), if *dir == Dir::Desc { Agg::Max } else { Agg::Min }));
        let mut found: Vec<(Range<usize>, Agg)> = self.aggregates.iter().cloned().chain(ends).collect();
        found.sort_by_key(|(span, _)| span.start);
        let joins = |at: usize| parser.comma(at) || parser.role(at, Role::And).is_some() || parser.word(at) == "the";
        let listed = found.windows(2).all(|pair| (pair[0].0.end..pair[1].0.start).all(joins));
        let Some((last, _)) = found.last().filter(|_| listed) else { return Vec::new() };
        let spans: Vec<&Range<usize>> = found.iter().map(|(span, _)| span).collect();
        let of = |name: &Name| {
            let head = |agg: Agg| Head { agg: Some(agg), ..Head::plain(name.target.clone()) };
            let heads = found.iter().map(|(_, agg)| head(*agg)).collect();
            seed(Draft { heads, ..Draft::default() }, &spans, &[name])
        };
        nearest_after(&self.numbers, last.end).into_iter().filter_map(of).collect()
    }

    /// A number that is asked for by its name, or things that are listed.
    fn plain(&self, parser: &Parser) -> Vec<Seed> {
        let amount = !self.much.is_empty();
        let said: Vec<&Range<usize>> = self.much.iter().collect();
        let number = |name: &Name| {
            let head = Head { amount, ..Head::plain(name.target.clone()) };
            seed(Draft { heads: vec![head], ..Draft::default() }, &said, &[name])
        };
        // "How much gas did they burn" asks for gas, whatever else is burnt.
        let said_of = |name: &&Name| {
            let next = self.much.first().map_or(name.span.start, |word| parser.skip_determiners(word.end));
            let verb = |(_, role)| matches!(role, Role::Glue(Glue::Auxiliary | Glue::Be | Glue::Have));
            next == name.span.start || parser.roles(next).any(verb)
        };
        // "Late fees above 10 euros" is a condition.
        let free = |name: &&Name| comparisons(parser, name.span.end, true).is_empty();
        let numbers = self.numbers.iter().filter(said_of).filter(free).filter_map(number);
        let listed = |name: &Name| {
            let heads = vec![Head::plain(name.target.clone())];
            seed(Draft { heads, ask: self.ask(), ..Draft::default() }, &[], &[name])
        };
        let column = |name: &&Name| matches!(name.target, Target::Columns(_)) && self.is_asked(parser, name);
        let kinds = self.kinds.iter().filter(column);
        let things = self.things.iter().chain(kinds).filter(|_| !amount && self.ask() != Some(Ask::When));
        numbers.chain(things.filter_map(listed)).collect()
    }

    /// `at what hour is electricity use highest on average`: what has the highest or the most of a number.
    fn rankings(&self, parser: &Parser) -> Vec<Seed> {
        let (word, kind, dir) = &self.extremes[0];
        let aggregate = self.aggregates.first();
        let counted = if *kind == RankKind::Amount { nearest_after(&self.things, word.end) } else { Vec::new() };
        let decisive = nearest(&self.numbers, word).into_iter().chain(counted);
        let mut seeds = Vec::new();
        for by in decisive {
            for subject in self.subjects(parser, by) {
                let mut spans = vec![word];
                spans.extend(aggregate.map(|(span, _)| span));
                let (number, counted) = number_before(parser, &[&subject.span, word]);
                spans.extend(&counted);
                let agg = aggregate.map(|(_, agg)| *agg);
                let by_head = Head { agg, amount: *kind == RankKind::Amount, ..Head::plain(by.target.clone()) };
                let rank = Some(Rank { kind: *kind, dir: *dir, number, by: Some(by_head), open: false });
                let heads = vec![Head::plain(subject.target.clone())];
                let ask = self.ask();
                seeds.extend(seed(Draft { heads, rank, ask, ..Draft::default() }, &spans, &[by, &subject]));
            }
        }
        seeds
    }

    /// What can be ranked: what a question word is said of, or what the question begins with.
    fn subjects(&self, parser: &Parser, by: &Name) -> Vec<Name> {
        let apart = |name: &&Name| name.span.end <= by.span.start || by.span.end <= name.span.start;
        let names: Vec<&Name> = self.things.iter().chain(&self.kinds).filter(apart).collect();
        let leads = |name: &Name| {
            let start = name.span.start;
            start == 0 || start == 1 && parser.tokens[0].number().is_some()
        };
        let said = names.into_iter().filter(|name| self.is_asked(parser, name) || leads(name));
        said.cloned().collect()
    }

    /// Whether a question word stands just before a name.
    fn is_asked(&self, parser: &Parser, name: &Name) -> bool {
        let follows = |(span, _): &(Range<usize>, Ask)| {
            let start = parser.skip(span.end, |glue| matches!(glue, Glue::Determiner | Glue::Preposition));
            start == name.span.start || span.end == name.span.start
        };
        self.asks.iter().any(follows)
    }

    /// `what share of total usage comes from`: of the nearest name after it.
    fn shares(&self) -> Vec<Seed> {
        let span = &self.shares[0];
        let sum = match &self.aggregates[..] {
            [] => None,
            [(word, Agg::Sum)] if word.start >= span.end => Some(word),
            _ => return Vec::new(),
        };
        let start = sum.map_or(span.end, |word| word.end);
        let names: Vec<Name> = self.numbers.iter().chain(&self.things).cloned().collect();
        let of = |name: &Name| {
            let agg = match &name.target {
                Target::Thing(_) | Target::Rows => Some(Agg::Count),
                _ => sum.map(|_| Agg::Sum),
            };
            let heads = vec![Head { agg, ..Head::plain(name.target.clone()) }];
            let spans: Vec<&Range<usize>> = std::iter::once(span).chain(sum).collect();
            seed(Draft { heads, share: true, ..Draft::default() }, &spans, &[name])
        };
        nearest_after(&names, start).into_iter().filter_map(of).collect()
    }
}

/// Whether a phrase is what a column is called, to the letter.
fn is_column_name(parser: &Parser, span: &Range<usize>) -> bool {
    let exact = |mention: &Mention| !mention.partial && !mention.synonym && !mention.stemmed;
    let column = |mention: &Mention| mention.end == span.end && matches!(mention.what, What::Columns(_));
    parser.mentions.at(span.start).iter().any(|mention| column(mention) && exact(mention))
}

/// A number that says how many are wanted, just before one of some phrases.
fn number_before(parser: &Parser, spans: &[&Range<usize>]) -> (Option<u32>, Option<Range<usize>>) {
    let said = spans.iter().find_map(|span| {
        let at = span.start.checked_sub(1)?;
        let number =
            parser.tokens[at].number().filter(|number| number.fract() == 0.0 && (1.0..=1000.0).contains(number))?;
        Some((number as u32, at..at + 1))
    });
    (said.as_ref().map(|(number, _)| *number), said.map(|(_, span)| span))
}

fn nearest_after(names: &[Name], at: usize) -> Vec<&Name> {
    let after = || names.iter().filter(|name| name.span.start >= at);
    let first = after().map(|name| name.span.start).min();
    let longest = after().filter(|name| Some(name.span.start) == first).map(|name| name.span.end).max();
    after().filter(|name| Some(name.span.start) == first && Some(name.span.end) == longest).collect()
}

fn nearest_before(names: &[Name], at: usize) -> Vec<&Name> {
    let before = || names.iter().filter(|name| name.span.end <= at);
    let last = before().map(|name| name.span.end).max();
    let longest = before().filter(|name| Some(name.span.end) == last).map(|name| name.span.start).min();
    before().filter(|name| Some(name.span.end) == last && Some(name.span.start) == longest).collect()
}

/// The names nearest to a word on either side.
fn nearest<'n>(names: &'n [Name], word: &Range<usize>) -> Vec<&'n Name> {
    let (before, after) = (nearest_before(names, word.start), nearest_after(names, word.end));
    match (before.first(), after.first()) {
        (Some(left), Some(right)) if word.start - left.span.end < right.span.start - word.end => before,
        (Some(_), None) => before,
        _ => after,
    }
}

/// A seed of words and names that do not overlap.
fn seed(draft: Draft, words: &[&Range<usize>], names: &[&Name]) -> Option<Seed> {
    let mut taken: Vec<Range<usize>> =
        words.iter().map(|word| (*word).clone()).chain(names.iter().map(|name| name.span.clone())).collect();
    taken.sort_by_key(|span| span.start);
    if taken.windows(2).any(|pair| pair[1].start < pair[0].end) {
        return None;
    }
    let mut draft = Draft { lenient: true, predicate: true, ..draft };
    draft.features.extend(names.iter().flat_map(|name| name.features.clone()));
    draft.features.extend(std::iter::repeat_n(Feature::Mention, names.len()));
    draft.features.push(Feature::OpenChoice);
    draft.granted.push(assumption());
    Some(Seed { draft, taken })
}
