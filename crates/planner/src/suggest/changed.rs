//! A question with the words that are not understood put right, replaced by names of the data, or left out.
//!
//! All slips are put right together. Of other unknown words one is replaced by what can stand in its place, and failing
//! that left out with the small words that join it; what is understood stays as it was asked.

use std::ops::Range;

use super::made::{is_amount, is_category, spoken};
use super::slot::{Slot, has, runs};
use super::{Near, slip};
use crate::decide::Question;
use crate::index::{ColId, Index};
use crate::lexicon::{Glue, Role};
use crate::mentions::What;
use crate::tokens::written;
use crate::understood::{Part, Span};
use crate::words::plural;

/// How many names are tried in one place.
const NAMES_MAX: usize = 4;
/// What is asked of a number that the question does not say what to do with.
const AGGREGATES: [&str; 3] = ["average", "total", "highest"];

/// Other words for some of a question's.
#[derive(Clone, Debug)]
struct Edit {
    at: Range<usize>,
    /// Empty where they are left out.
    words: String,
    /// What the plan has to read for them: of each one of these.
    parts: Vec<Vec<Part>>,
}

impl Edit {
    fn overlaps(&self, at: &Range<usize>) -> bool {
        self.at.start < at.end && at.start < self.at.end
    }

    fn reading(at: Range<usize>, words: String, part: Vec<Part>) -> Edit {
        Edit { at, words, parts: if part.is_empty() { Vec::new() } else { vec![part] } }
    }
}

/// A question changed.
pub struct Changed {
    /// The likeliest change first.
    pub questions: Vec<Near>,
    /// The same with what to do with the number, for where that was left open.
    pub aggregated: Vec<Near>,
    /// What unknown words most likely stand for.
    pub meant: Vec<Part>,
}

/// The question changed in the words at some positions.
pub fn changed(index: &Index, text: &str, question: &Question, unknown: &[usize], spans: &[Span]) -> Changed {
    let asked = Asked { index, text, question, unknown, spans, places: places(text, question) };
    let edits = if unknown.is_empty() { vec![Vec::new()] } else { asked.edits() };
    let plain = edits.iter().filter(|edits| !edits.is_empty()).cloned();
    let aggregated = edits.iter().flat_map(|edits| asked.with_aggregate(edits));
    let questions = plain.filter_map(|edits| asked.with(&edits)).collect();
    let aggregated = aggregated.filter_map(|edits| asked.with(&edits)).collect();
    let meant = asked
        .runs()
        .into_iter()
        .filter_map(|run| asked.mended(run).into_iter().next())
        .flat_map(|edit| edit.parts)
        .flatten();
    Changed { questions, aggregated, meant: meant.collect() }
}

/// Where each token stands in the text; none for those that were put together from several.
fn places(text: &str, question: &Question) -> Vec<Option<Range<usize>>> {
    let mut cursor = 0;
    let place = |token: &crate::tokens::Token| {
        let start = cursor + text[cursor..].find(&token.text)?;
        cursor = start + token.text.len();
        Some(start..cursor)
    };
    question.tokens.iter().map(place).collect()
}

/// A question that is to be changed.
struct Asked<'a> {
    index: &'a Index,
    text: &'a str,
    question: &'a Question,
    unknown: &'a [usize],
    spans: &'a [Span],
    places: Vec<Option<Range<usize>>>,
}

impl Asked<'_> {
    /// What may be said in the place of unknown words, all of them at once.
    fn edits(&self) -> Vec<Vec<Edit>> {
        let (mut slips, mut others): (Vec<Vec<Edit>>, Vec<Vec<Edit>>) = (Vec::new(), Vec::new());
        for run in self.runs() {
            match self.mended(run.clone()) {
                mended if mended.is_empty() => others.push(self.replaced(run)),
                mended => slips.push(mended),
            }
        }
        let is_about_data = self.spans.iter().any(|span| !span.part.is_empty());
        if !is_about_data && slips.iter().flatten().all(|edit| edit.parts.is_empty()) {
            return Vec::new();
        }
        slips.extend(self.stemmed().into_iter().map(|edit| vec![edit]));
        let mended: Vec<Edit> = slips.iter().filter_map(|edits| edits.first().cloned()).collect();
        let Some((first, rest)) = others.split_first() else {
            // Where two words are as near, each is offered.
            let later =
                slips.iter().enumerate().flat_map(|(at, edits)| edits.iter().skip(1).map(move |edit| (at, edit)));
            let others =
                later.map(|(at, edit)| [&mended[..at], std::slice::from_ref(edit), &mended[at + 1..]].concat());
            return std::iter::once(mended.clone()).chain(others).collect();
        };
        let empty = |edits: &Vec<Edit>| edits.iter().find(|edit| edit.words.is_empty()).cloned();
        let Some(left_out) = rest.iter().map(empty).collect::<Option<Vec<Edit>>>() else { return Vec::new() };
        first.iter().map(|edit| [&mended[..], std::slice::from_ref(edit), &left_out[..]].concat()).collect()
    }

    /// Slips that are understood by their stem, put right where others are: `chargs`.
    fn stemmed(&self) -> Vec<Edit> {
        let is_said = |span: &&Span| {
            let singular = &self.question.tokens[span.at.start].singular;
            let named = self.index.phrases_of_names().any(|(name, _)| name.split(' ').any(|word| word == singular));
            named || self.index.is_value(singular)
        };
        let single = self.spans.iter().filter(|span| span.at.len() == 1 && !span.part.is_empty() && !is_said(span));
        single.flat_map(|span| self.slips(span.at.clone()).into_iter().take(1)).collect()
    }

    /// The question with some edits; its plan has to read what is new and everything that is kept.
    fn with(&self, edits: &[Edit]) -> Option<Near> {
        let mut edits: Vec<&Edit> = edits.iter().collect();
        edits.sort_by_key(|edit| edit.at.start);
        let (mut question, mut cursor) = (String::new(), 0);
        for edit in &edits {
            let start = self.places[edit.at.start].clone()?.start;
            let end = self.places[edit.at.end - 1].clone()?.end;
            question += self.text.get(cursor..start)?;
            question += &edit.words;
            cursor = end;
        }
        question += self.text.get(cursor..)?;
        let question = question.split_whitespace().collect::<Vec<_>>().join(" ").replace(" ?", "?").replace(" ,", ",");
        let is_kept =
            |span: &&Span| !edits.iter().any(|edit| edit.at.start < span.at.end && span.at.start < edit.at.end);
        let kept = self.spans.iter().filter(is_kept).map(|span| &span.part);
        let parts = kept.filter(|part| !part.is_empty()).chain(edits.iter().flat_map(|edit| &edit.parts));
        let parts: Vec<Vec<Part>> = parts.cloned().collect();
        (!parts.is_empty()).then_some(Near { question, parts })
    }

    /// Runs of unknown words: slips each alone, and as one what only together is like a name: `gdp per capita`.
    fn runs(&self) -> Vec<Range<usize>> {
        let single = |run: &Range<usize>| run.clone().all(|at| self.unknown.contains(&at));
        let is_slip = |at: usize| !self.slips(at..at + 1).is_empty();
        let mut split: Vec<Range<usize>> = Vec::new();
        for run in runs(self.question, self.unknown) {
            let (mut start, end) = (run.start, run.end);
            for at in run.clone().filter(|_| single(&run)).filter(|at| is_slip(*at)) {
                split.extend((start < at).then_some(start..at));
                split.push(at..at + 1);
                start = at + 1;
            }
            split.extend((start < end).then_some(start..end));
        }
        let mut joined: Vec<Range<usize>> = Vec::new();
        for run in split {
            let both = joined.last().filter(|last| last.end + 1 == run.start).map(|last| last.start..run.end);
            let is_one = |both: &Range<usize>| {
                matches!(self.question.word(run.start - 1), "per" | "of")
                    && self.slips(run.clone()).is_empty()
                    && !self.related(both.clone()).is_empty()
            };
            match both.filter(is_one) {
                Some(both) => *joined.last_mut().expect("there is one before") = both,
                None => joined.push(run),
            }
        }
        joined
    }

    /// The words as slips of others, or as those that a name is like.
    fn mended(&self, run: Range<usize>) -> Vec<Edit> {
        let slips = self.slips(run.clone());
        if !slips.is_empty() {
            return slips;
        }
        let mut related = self.related(run.clone());
        if !related.is_empty() && Slot::of(self.question, run.start, run.end) != Slot::Number {
            related.extend(self.left_out(run));
        }
        related
    }

    /// The word as a slip of others; none for several words.
    fn slips(&self, run: Range<usize>) -> Vec<Edit> {
        let slot = Slot::of(self.question, run.start, run.end);
        let edit = |(words, part)| Edit::reading(run.clone(), words, part);
        match run.len() {
            1 => slip::meant(self.index, &self.question.tokens[run.start], slot).into_iter().map(edit).collect(),
            _ => Vec::new(),
        }
    }

    fn related(&self, run: Range<usize>) -> Vec<Edit> {
        let slot = Slot::of(self.question, run.start, run.end);
        let edit = |(words, part)| Edit::reading(run.clone(), words, part);
        slip::related(self.index, &self.question.tokens[run.clone()], slot).into_iter().map(edit).collect()
    }

    /// Names of the data that can stand where words stand, and last of all nothing.
    fn replaced(&self, run: Range<usize>) -> Vec<Edit> {
        let index = self.index;
        let edit = |words: String, part: Part| Edit::reading(run.clone(), words, vec![part]);
        let columns = |wanted: &dyn Fn(ColId) -> bool| -> Vec<Edit> {
            let open = index.columns().filter(|id| wanted(*id) && !self.speaks_of(&Part::Column(*id)));
            open.map(|id| edit(spoken(index, id), Part::Column(id))).collect()
        };
        let slot = Slot::of(self.question, run.start, run.end);
        let mut names = match slot {
            Slot::Number => {
                let adds_up = has(self.question, run.start.saturating_sub(1), |role| {
                    matches!(role, Role::Agg(data::plan::Agg::Sum) | Role::Much)
                });
                let declared = index.dataset.measures.iter().enumerate();
                let mut names: Vec<Edit> =
                    declared.map(|(id, measure)| edit(measure.name.clone(), Part::Measure(id))).collect();
                names.retain(|name| !name.parts.iter().flatten().any(|part| self.speaks_of(part)));
                names.extend(columns(&|id| is_amount(index, id) && (!adds_up || index.facts(id).adds_up())));
                names
            }
            Slot::Group => {
                let mut groups: Vec<Edit> = columns(&|id| is_category(index, id));
                let is_number = |edit: &Edit| {
                    edit.parts
                        .iter()
                        .flatten()
                        .any(|part| matches!(part, Part::Column(id) if index.column(*id).ty.is_number()))
                };
                groups.sort_by_key(is_number);
                groups
            }
            Slot::Thing => {
                let is_plural =
                    run.clone().any(|at| self.question.tokens[at].fold != self.question.tokens[at].singular);
                let noun = |noun: &str| if is_plural { plural(noun) } else { noun.to_string() };
                let tables = index.things.iter().filter_map(|thing| Some((thing, thing.table?)));
                let part = |table: usize| Part::Table(index.table(table).name.clone());
                tables.map(|(thing, table)| edit(noun(&thing.noun), part(table))).collect()
            }
            Slot::Other => self.had(run.clone()).into_iter().collect(),
        };
        names.truncate(NAMES_MAX);
        let is_verb = slot == Slot::Other && !names.is_empty();
        names.extend(self.as_rank(run.start));
        // Without the number that it asks for, it would be another question.
        names.extend(self.left_out(run).filter(|_| slot != Slot::Number && !is_verb));
        names
    }

    fn speaks_of(&self, part: &Part) -> bool {
        self.spans.iter().any(|span| span.part.contains(part))
    }

    /// `which storm caused the most damage`: what a verb says of the greatest number is that something has it.
    fn had(&self, run: Range<usize>) -> Option<Edit> {
        let ranks = |role: &Role| matches!(role, Role::Amount(_) | Role::Extreme(_));
        let ahead = (run.end..run.end + 2).any(|at| has(self.question, at, ranks));
        ahead.then(|| Edit::reading(run, "had".to_string(), Vec::new()))
    }

    /// `which region is the best`: by a number, where that is a matter of rank and the word names none.
    fn as_rank(&self, at: usize) -> Vec<Edit> {
        let ranks = |what: &What| matches!(what, What::Adjective(_) | What::Role(Role::Vague));
        if !self.question.mentions.at(at).iter().any(|mention| ranks(&mention.what)) {
            return Vec::new();
        }
        let joins = |at: usize| has(self.question, at, |role| matches!(role, Role::Glue(Glue::Be | Glue::Determiner)));
        let start = (0..at).rev().take_while(|before| joins(*before)).last().unwrap_or(at);
        let is_told = start < at && has(self.question, start, |role| matches!(role, Role::Glue(Glue::Be)));
        let numbers = self.index.columns().filter(|id| is_amount(self.index, *id)).take(NAMES_MAX);
        if is_told {
            let words = |id: ColId| format!("has the highest {}", spoken(self.index, id));
            return numbers.map(|id| Edit::reading(start..at + 1, words(id), vec![Part::Column(id)])).collect();
        }
        // "Best region" is the region that has it.
        let Some(span) = self.spans.iter().find(|span| span.at.start == at + 1 && start == 0) else {
            return Vec::new();
        };
        let noun = written(&self.question.tokens[span.at.clone()]);
        let edit = |id: ColId| Edit {
            at: start..span.at.end,
            words: format!("which {noun} has the highest average {}", spoken(self.index, id)),
            parts: vec![vec![Part::Column(id)], span.part.clone()],
        };
        numbers.map(edit).collect()
    }

    /// Nothing in the place of words and, where nothing that they join follows, of those that only join them; none where
    /// that leaves no question.
    fn left_out(&self, run: Range<usize>) -> Option<Edit> {
        let joins = |role: &Role| {
            matches!(
                role,
                Role::Glue(Glue::Determiner | Glue::Preposition | Glue::Be | Glue::Have | Glue::Relative)
                    | Role::GroupBy
                    | Role::GroupPer
                    | Role::Each
                    | Role::And
            )
        };
        let mut start = run.start;
        if !self.question.mentions.is_data(run.end) {
            while start > 0 && !self.question.mentions.is_data(start - 1) && has(self.question, start - 1, joins) {
                start -= 1;
            }
        }
        let kept = self.spans.iter().filter(|span| span.at.end <= start || span.at.start >= run.end).count();
        let others = self.unknown.iter().filter(|at| !run.contains(at)).count();
        (kept + others > 1).then(|| Edit::reading(start..run.end, String::new(), Vec::new()))
    }

    /// The same edits and what to do with the number, where the question does not say.
    fn with_aggregate(&self, edits: &[Edit]) -> Vec<Vec<Edit>> {
        let asks = |role: &Role| matches!(role, Role::Agg(_) | Role::Extreme(_) | Role::Amount(_) | Role::Count);
        let said = |word: &str| AGGREGATES.contains(&word) || word.starts_with("which ") || word.starts_with("has ");
        let is_said = (0..self.question.tokens.len()).any(|at| has(self.question, at, asks));
        if is_said || edits.iter().any(|edit| said(&edit.words)) {
            return Vec::new();
        }
        let number = |part: &[Part]| match part {
            [Part::Column(id)] if is_amount(self.index, *id) => Some(*id),
            _ => None,
        };
        let (edit, others) = match edits.iter().position(|edit| edit.parts.iter().any(|part| number(part).is_some())) {
            Some(at) => (edits[at].clone(), [&edits[..at], &edits[at + 1..]].concat()),
            None => {
                let is_kept = |span: &&Span| !edits.iter().any(|edit| edit.overlaps(&span.at));
                let Some(span) = self.spans.iter().filter(is_kept).find(|span| number(&span.part).is_some()) else {
                    return Vec::new();
                };
                // "By charges" is by the average charges.
                let data = |at: &usize| self.question.mentions.is_data(*at);
                let Some(start) = span.at.clone().find(data) else { return Vec::new() };
                let at = start..span.at.end;
                let name = written(&self.question.tokens[at.clone()]);
                (Edit::reading(at, name, span.part.clone()), edits.to_vec())
            }
        };
        let adds_up = edit.parts.iter().filter_map(|part| number(part)).all(|id| self.index.facts(id).adds_up());
        let aggregates = AGGREGATES.iter().filter(|word| adds_up || **word != "total");
        let with = |word: &&str| {
            let edit = Edit { words: format!("{word} {}", edit.words), ..edit.clone() };
            [&others[..], &[edit]].concat()
        };
        aggregates.map(with).collect()
    }
}
