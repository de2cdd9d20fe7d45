//! Names of the dataset by any of the words that people say for a word of theirs.
//!
//! A name is a list of words, and each has alternatives: what an abbreviation is short for, other words of its class. A
//! phrase of the question stands for a name if every word of the phrase is an alternative of another word of the name;
//! the name that accounts for most of the phrase, and of which least is left unsaid, is nearest.

use crate::draft::Target;
use crate::index::{ColId, Index, Sense};
use crate::score::Feature;
use crate::tokens::{Kind, Token};
use crate::words::split_name;
use rustc_hash::{FxHashMap, FxHashSet};

/// Every name of a dataset by the first word of each alternative of its words.
#[derive(Clone, Debug, Default)]
pub struct OtherNames {
    names: Vec<Name>,
    hits: FxHashMap<String, Vec<Hit>>,
}

#[derive(Clone, Debug)]
struct Name {
    sense: Sense,
    /// Which of its words say something.
    telling: Vec<bool>,
    /// The word that says that it tells sorts of something.
    sort: Option<usize>,
}

/// One way to say one word of a name.
#[derive(Clone, Debug)]
struct Hit {
    name: usize,
    place: usize,
    /// The words after the first, where an alternative has several.
    rest: Vec<String>,
    /// Whether the dataset itself has another word.
    other: bool,
}

/// How a phrase stands for a name.
struct Match {
    end: usize,
    sense: Sense,
    said: usize,
    unsaid: usize,
    /// Whether every word of the name is said.
    whole: bool,
    other: bool,
}

/// Words of names that many names have; alone they name nothing, and unsaid they are not missed.
const GENERAL: &[&str] = &[
    "id", "no", "number", "name", "date", "time", "code", "total", "count", "value", "amount", "flag", "at", "on",
    "by", "of", "is", "has", "ref", "key", "avg", "average", "per",
];

/// Words of names that say what sorts of something there are: what they are said of is something else.
pub const SORTS: &[&str] = &["type", "kind", "category", "group", "class", "status", "level", "style", "band", "tier"];

impl OtherNames {
    /// Gathers the names of a dataset.
    pub fn new(index: &Index) -> OtherNames {
        let mut other = OtherNames::default();
        for (id, thing) in index.things.iter().enumerate() {
            let words = split_name(&thing.noun);
            other.add(index, Sense::Thing(id), &words, &words);
            if thing.table.is_some() {
                let general = words.last().map(|noun| general_words(index, noun)).unwrap_or_default();
                let sorted = thing.table.map(|table| sorted(index, table)).unwrap_or_default();
                for word in general.into_iter().map(str::to_string).chain(sorted) {
                    other.add_other(index, Sense::Thing(id), &word);
                }
            }
        }
        for id in index.columns() {
            let facts = index.facts(id);
            let core = |word: &String| facts.core.contains(word);
            let (written, words): (Vec<String>, Vec<String>) =
                facts.written.iter().cloned().zip(facts.words.iter().cloned()).filter(|(_, word)| core(word)).unzip();
            other.add(index, Sense::Column(id), &written, &words);
        }
        for (id, measure) in index.dataset.measures.iter().enumerate() {
            let words = split_name(&measure.name);
            other.add(index, Sense::Measure(id), &words, &words);
        }
        other
    }

    fn add(&mut self, index: &Index, sense: Sense, written: &[String], words: &[String]) {
        let general = |word: &String| GENERAL.contains(&index.forms.singular(word).as_str());
        // "People" are all of them, where a column says that some are residents.
        let two_valued = matches!(sense, Sense::Column(id) if index.facts(id).yes.is_some());
        let anybody = |word: &str| index.lexicon.entities.iter().any(|entity| entity.generic.contains(&word));
        let name = self.names.len();
        let sort = words.iter().rposition(|word| SORTS.contains(&word.as_str())).filter(|_| words.len() > 1);
        self.names.push(Name { sense, telling: words.iter().map(|word| !general(word)).collect(), sort });
        for (place, (written, word)) in written.iter().zip(words).enumerate() {
            let mut known: FxHashSet<Vec<String>> = FxHashSet::default();
            let alternatives = alternatives(index, written, word).into_iter();
            for (phrase, other) in alternatives.filter(|(phrase, other)| !(two_valued && *other && anybody(phrase))) {
                let mut stems = phrase.split(' ').map(|word| index.forms.stem(word));
                let Some(first) = stems.next() else { continue };
                let rest: Vec<String> = stems.collect();
                if known.insert([vec![first.clone()], rest.clone()].concat()) {
                    self.hits.entry(first).or_default().push(Hit { name, place, rest, other });
                }
            }
        }
    }

    /// One word for a name that none of its own words is.
    fn add_other(&mut self, index: &Index, sense: Sense, word: &str) {
        let name = self.names.len();
        self.names.push(Name { sense, telling: vec![true], sort: None });
        let hit = Hit { name, place: 0, rest: Vec::new(), other: true };
        self.hits.entry(index.forms.stem(word)).or_default().push(hit);
    }

    /// What the words from a position on stand for, with what speaks against it; only the nearest names of each length.
    pub fn at(&self, index: &Index, tokens: &[Token], at: usize) -> Vec<(usize, Target, Vec<Feature>)> {
        let mut found: Vec<Match> = Vec::new();
        for hit in self.hits_at(tokens, at) {
            found.extend(self.extended(tokens, at, hit));
        }
        let is_thing = |link: &Match| matches!(link.sense, Sense::Thing(_));
        let (mut things, mut found): (Vec<Match>, Vec<Match>) = found.into_iter().partition(is_thing);
        keep_nearest(&mut things);
        // What identifies a thing is not asked for beside it, and a measure is said by its whole name.
        let key_of = |link: &Match, id: ColId| match link.sense {
            Sense::Thing(thing) => index.things[thing].keys.contains(&id),
            _ => false,
        };
        found.retain(|link| match link.sense {
            Sense::Column(id) => !things.iter().any(|thing| key_of(thing, id) || link.other && !thing.other),
            Sense::Measure(_) => link.whole,
            _ => true,
        });
        keep_nearest(&mut found);
        found.extend(things);
        let features = |link: &Match| {
            let partial = (link.unsaid > 0).then_some(Feature::PartialName);
            partial.into_iter().chain(link.other.then_some(Feature::Synonym)).collect::<Vec<_>>()
        };
        let mut targets: Vec<(usize, Target, Vec<Feature>)> = Vec::new();
        let mut columns: Vec<ColId> = Vec::new();
        for link in &found {
            match link.sense {
                Sense::Thing(thing) => targets.push((link.end, Target::Thing(thing), features(link))),
                Sense::Measure(measure) => targets.push((link.end, Target::Measure(measure), features(link))),
                Sense::Column(id) => columns.push(id),
                Sense::Flag(_) | Sense::Event(_) => {}
            }
        }
        // Columns of one name in several tables are one name; several of one table are different readings.
        let first = columns.first().copied();
        let same = |id: &ColId| first.is_some_and(|first| index.facts(*id).words == index.facts(first).words);
        let link = |id: ColId| found.iter().find(|link| link.sense == Sense::Column(id));
        if !columns.is_empty() && columns.iter().all(same) {
            let (end, features) = first.and_then(link).map(|one| (one.end, features(one))).unwrap_or_default();
            targets.push((end, Target::Columns(columns), features));
        } else {
            let one = |id: ColId| link(id).map(|one| (one.end, Target::Columns(vec![id]), features(one)));
            targets.extend(columns.into_iter().filter_map(one));
        }
        targets
    }

    fn hits_at<'a>(&'a self, tokens: &'a [Token], at: usize) -> impl Iterator<Item = &'a Hit> {
        let token = tokens.get(at).filter(|token| token.kind == Kind::Word);
        // What is rated has a rating; a rate is something else.
        let stem = |token: &'a Token| if token.fold == "rated" { "rating" } else { token.stem.as_str() };
        let hits = token.and_then(|token| self.hits.get(stem(token))).into_iter().flatten();
        hits.filter(move |hit| {
            hit.rest.iter().enumerate().all(|(i, stem)| tokens.get(at + 1 + i).is_some_and(|token| token.stem == *stem))
        })
    }

    /// A name that begins with a hit, with as many of the words after it as belong to it.
    fn extended(&self, tokens: &[Token], at: usize, first: &Hit) -> Option<Match> {
        let name = &self.names[first.name];
        let mut places = vec![first.place];
        let (mut end, mut other, mut said) = (at + 1 + first.rest.len(), first.other, 1 + first.rest.len());
        loop {
            let joint = |token: &Token| matches!(token.fold.as_str(), "of" | "the" | "for" | "in");
            let starts = [Some(end), tokens.get(end).filter(|token| joint(token)).map(|_| end + 1)];
            let next = starts.into_iter().flatten().find_map(|start| {
                let mut hits = self.hits_at(tokens, start).filter(|hit| hit.name == first.name);
                hits.find(|hit| !places.contains(&hit.place)).map(|hit| (start, hit))
            });
            let Some((start, hit)) = next else { break };
            places.push(hit.place);
            end = start + 1 + hit.rest.len();
            said += 1 + hit.rest.len();
            other |= hit.other;
        }
        let telling = places.iter().any(|place| name.telling[*place]);
        if (0..name.telling.len()).any(|place| name.sort == Some(place) && !places.contains(&place)) {
            return None;
        }
        let unsaid = (0..name.telling.len()).filter(|place| name.telling[*place] && !places.contains(place)).count();
        let whole = name.telling.len() == places.len();
        (telling || whole).then_some(Match { end, sense: name.sense, said, unsaid, whole, other })
    }
}

/// Of the names that account for most words, those of which least is unsaid.
fn keep_nearest(matches: &mut Vec<Match>) {
    let longest = matches.iter().map(|one| one.said).max();
    matches.retain(|one| Some(one.said) == longest);
    let nearest = matches.iter().map(|one| (one.other, one.unsaid)).min();
    matches.retain(|one| Some((one.other, one.unsaid)) == nearest);
}

/// The general words for what a table's rows are: properties, where they are listings.
fn general_words(index: &Index, noun: &str) -> Vec<&'static str> {
    let noun = index.forms.singular(noun);
    let of_class = index.lexicon.entities.iter().filter(|entity| entity.has(&noun));
    let general: Vec<&str> = of_class.flat_map(|entity| entity.generic.iter().copied()).collect();
    // Only a listing may be of any of them.
    if noun != "listing" {
        return general;
    }
    let others = general.iter().flat_map(|word| index.lexicon.synonyms(word)).filter(|word| !word.contains(' '));
    general.iter().copied().chain(others).collect()
}

/// What the rows of a table happen to be by a column that tells sorts of it: orders, where there is an `order_type`.
fn sorted(index: &Index, table: usize) -> Vec<String> {
    const EVENTS: &[&str] =
        &["trade", "travel", "stay", "contact", "contract", "mishap", "contest", "property", "measurement"];
    let noun = |id: ColId| match &index.facts(id).words[..] {
        [noun, sort] if SORTS.contains(&sort.as_str()) => Some(index.forms.singular(noun)),
        _ => None,
    };
    let event = |noun: &String| index.lexicon.is_of_any(EVENTS, noun);
    let named = |noun: &String| index.things.iter().any(|thing| thing.noun == *noun);
    index.columns_of(table).filter_map(noun).filter(|noun| event(noun) && !named(noun)).collect()
}

/// What people say for a word of a name, and whether it is another word.
fn alternatives(index: &Index, written: &str, word: &str) -> Vec<(String, bool)> {
    let lexicon = index.lexicon;
    let mut found = vec![(written.to_string(), false), (word.to_string(), false)];
    found.extend(lexicon.short_for_all(written).map(|long| (long.to_string(), long != word)));
    let singular = index.forms.singular(word);
    found.push((format!("{singular}ship"), true));
    if !GENERAL.contains(&singular.as_str()) {
        let others: Vec<String> = found.iter().map(|(known, _)| index.forms.singular(known)).collect();
        for known in others {
            found.extend(lexicon.synonyms(&known).map(|other| (other.to_string(), true)));
        }
    }
    found
}
