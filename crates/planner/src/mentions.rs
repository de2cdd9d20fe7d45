//! What every span of a question can stand for: words of the language, names, values, numbers and periods.
//!
//! Several mentions of one span are alternatives; readings decide. A name matched whole hides partial matches of the
//! same span, a name matched as written hides matches by stem, and a two-valued column hides a text value of the same table and spelling.

mod hide;

use data::plan::Dir;

use crate::index::{ColId, Entry, Fit, Index, MeasureId, Sense, ThingId};
use crate::lexicon::{Adjective, Comparative, Role};
use crate::period::{self, When};
use crate::tokens::{self, Kind, Token};
use crate::words::is_be;

/// One thing a span can stand for.
#[derive(Clone, Debug)]
pub struct Mention {
    /// The token after the span.
    pub end: usize,
    pub what: What,
    /// Whether only a part of the name is in the question.
    pub partial: bool,
    /// Whether that part says only what kind of number it is: the size of somebody, of something.
    pub vague: bool,
    /// Whether the question has another word of the same class than the name.
    pub synonym: bool,
    /// Whether the name was found through its stem only.
    pub stemmed: bool,
    /// Whether a word of the language is taken for the rows of the only table.
    pub assumed: bool,
}

impl Mention {
    /// A mention that nothing speaks against.
    fn plain(end: usize, what: What) -> Mention {
        Mention { end, what, partial: false, vague: false, synonym: false, stemmed: false, assumed: false }
    }

    /// A mention by a word that names nothing itself.
    pub fn guessed(end: usize, what: What) -> Mention {
        Mention { synonym: true, ..Mention::plain(end, what) }
    }
}

/// The kinds of mentions.
#[derive(Clone, Debug)]
pub enum What {
    Role(Role),
    Thing(ThingId),
    /// Columns of that name, in one or several tables.
    Columns(Vec<ColId>),
    Measure(MeasureId),
    Flag(Vec<ColId>),
    Event(Vec<ColId>),
    /// `unresolved`: the opposite of two-valued columns, or dates that are not there yet.
    Opposite {
        flags: Vec<ColId>,
        dates: Vec<ColId>,
    },
    /// Cells of that spelling.
    Value(Vec<(ColId, String)>),
    Adjective(Adjective),
    Comparative(Comparative),
    When(When),
}

/// All mentions of a question by the token they start at.
pub struct Mentions {
    starts: Vec<Vec<Mention>>,
}

impl Mentions {
    /// Looks up every span.
    pub fn new(index: &Index, tokens: &[Token]) -> Mentions {
        let mut starts: Vec<Vec<Mention>> = (0..tokens.len()).map(|at| at_token(index, tokens, at)).collect();
        hide::hide(index, tokens, &mut starts);
        let mut mentions = Mentions { starts };
        mentions.check_row_nouns(index, tokens);
        mentions
    }

    /// The same with more mentions, each at the token it starts at.
    pub fn with(&self, more: impl Iterator<Item = (usize, Mention)>) -> Mentions {
        let mut starts = self.starts.clone();
        for (start, mention) in more {
            starts[start].push(mention);
            starts[start].sort_by_key(|mention| std::cmp::Reverse(mention.end));
        }
        Mentions { starts }
    }

    /// A word for rows that no one declared needs something else of the data beside it, and no second such word.
    fn check_row_nouns(&mut self, index: &Index, tokens: &[Token]) {
        let nouns: Vec<usize> = (0..tokens.len()).filter(|at| self.row_noun(*at)).collect();
        let Some(first) = nouns.first() else { return };
        let same = nouns.iter().all(|at| tokens[*at].singular == tokens[*first].singular);
        // "Older" speaks of the data where a column is an age.
        let named = |words: &[&str]| index.columns().any(|id| index.facts(id).has_any(words));
        let speaks = |mention: &Mention| match &mention.what {
            What::Comparative((_, words)) => named(words),
            What::When(_) => index.columns().any(|id| index.column(id).ty.is_temporal() || index.facts(id).years),
            What::Adjective(adjective) => adjective
                .numbers
                .iter()
                .chain(&adjective.date)
                .any(|(_, words)| index.columns().any(|id| index.facts(id).has_any(words))),
            _ => false,
        };
        let aged = |at: usize| {
            let compared = |mention: &Mention| {
                let number = tokens.get(mention.end).is_some_and(|token| token.number().is_some());
                number && matches!(mention.what, What::Role(Role::Compare(_)))
            };
            named(&["age"]) && self.at(at).iter().any(compared)
        };
        let about_data = |at: usize| self.is_data(at) || aged(at) || self.at(at).iter().any(speaks);
        let elsewhere = (0..tokens.len()).any(|at| !nouns.contains(&at) && about_data(at));
        let shown = index.row_words.shown.contains(&tokens[*first].singular.as_str());
        if !same || !(elsewhere || shown) {
            self.starts.iter_mut().for_each(|start| start.retain(|mention| !mention.assumed));
        }
    }

    /// Whether the token is a word taken for the rows of the only table.
    pub fn row_noun(&self, at: usize) -> bool {
        self.at(at).iter().any(|mention| mention.assumed)
    }

    /// The mentions that start at a token, longest first.
    pub fn at(&self, at: usize) -> &[Mention] {
        self.starts.get(at).map_or(&[], Vec::as_slice)
    }

    /// Every mention whose span holds the token.
    pub fn covering(&self, token: usize) -> impl Iterator<Item = &Mention> {
        self.starts.iter().take(token + 1).flatten().filter(move |mention| mention.end > token)
    }

    /// Whether a period begins at a position.
    pub fn is_period(&self, at: usize) -> bool {
        self.at(at).iter().any(|mention| matches!(mention.what, What::When(_)))
    }

    /// Whether a name or value of the dataset covers the token.
    pub fn is_data(&self, token: usize) -> bool {
        let data =
            |m: &Mention| !matches!(m.what, What::Role(_) | What::When(_) | What::Adjective(_) | What::Comparative(_));
        self.covering(token).any(data)
    }
}

fn at_token(index: &Index, tokens: &[Token], at: usize) -> Vec<Mention> {
    let mut mentions = Vec::new();
    roles(index, tokens, at, &mut mentions);
    named(index, tokens, at, &mut mentions);
    mentions.extend(opposite(index, &tokens[at], at));
    mentions.extend(denying(index, tokens, at));
    if tokens[at].kind == Kind::Word && index.row_words.words.contains(&tokens[at].singular.as_str()) {
        mentions.push(Mention { assumed: true, ..Mention::plain(at + 1, What::Thing(0)) });
    }
    if index.row_words.days && tokens[at].singular == "day" {
        mentions.push(Mention::plain(at + 1, What::Thing(0)));
    }
    for (end, when) in period::parse(tokens, at) {
        mentions.push(Mention::plain(end, What::When(when)));
    }
    mentions.sort_by_key(|mention| std::cmp::Reverse(mention.end));
    mentions
}

fn roles(index: &Index, tokens: &[Token], at: usize, mentions: &mut Vec<Mention>) {
    let mut phrase = String::new();
    for end in at + 1..=(at + index.lexicon.words_max(&tokens[at].fold)).min(tokens.len()) {
        let token = &tokens[end - 1];
        if matches!(token.kind, Kind::Quoted | Kind::Comma) {
            break;
        }
        if end > at + 1 {
            phrase.push(' ');
        }
        phrase.push_str(&token.fold);
        let plain = |what| Mention::plain(end, what);
        let last_singular = singular_end(&phrase, token);
        let known = index.lexicon.roles(&phrase);
        let roles = if known.is_empty() { plural_roles(index, &last_singular) } else { known };
        mentions.extend(roles.iter().map(|role| plain(What::Role(*role))));
        if let Some(adjective) = index.lexicon.adjective(&phrase) {
            mentions.push(plain(What::Adjective(adjective.clone())));
        }
        if end == at + 1
            && let Some(adjective) = derived(index, &token.fold)
        {
            mentions.push(plain(What::Adjective(adjective)));
        }
        if let Some(comparative) = index.lexicon.comparative(&phrase) {
            mentions.push(plain(What::Comparative(comparative.clone())));
        }
    }
}

/// A superlative whose noun in "-ness" is a word of a column: "happiest" beside `Happiness Score`.
fn derived(index: &Index, word: &str) -> Option<Adjective> {
    let stem = word.strip_suffix("est").filter(|stem| stem.len() > 3)?;
    let noun = format!("{stem}ness");
    if index.lexicon.adjective(word).is_some() {
        return None;
    }
    let named = index.columns().filter(|id| index.column(*id).ty.is_number() && index.facts(*id).words.contains(&noun));
    let used = named.count() > 0;
    used.then(|| Adjective { numbers: vec![(Dir::Desc, vec![noun])], date: None })
}

fn singular_end(phrase: &str, last: &Token) -> String {
    format!("{}{}", &phrase[..phrase.len() - last.fold.len()], last.singular)
}

/// Only nouns of the language have plurals worth folding: `months`, `weekdays`.
fn plural_roles<'a>(index: &'a Index, phrase: &str) -> &'a [Role] {
    let roles = index.lexicon.roles(phrase);
    let noun = |role: &Role| matches!(role, Role::Grain(_) | Role::Part(_) | Role::Distribution);
    if roles.iter().all(noun) { roles } else { &[] }
}

fn named(index: &Index, tokens: &[Token], at: usize, mentions: &mut Vec<Mention>) {
    if is_determiner(&tokens[at].fold) && tokens[at].kind == Kind::Word && !index.is_value(&tokens[at].singular) {
        return;
    }
    let (mut stem, mut singular, mut value, mut whole) = (String::new(), String::new(), String::new(), String::new());
    for end in at + 1..=(at + index.words_max + 1).min(tokens.len()) {
        let token = &tokens[end - 1];
        if token.kind == Kind::Comma || (token.kind == Kind::Quoted && end > at + 1) {
            break;
        }
        join(&mut value, &tokens::fold(&token.singular));
        join(&mut whole, &token.stem);
        if whole != stem && end > at + 1 && !index.names(&whole).is_empty() {
            mentions.extend(name_mentions(index, index.names(&whole), end, &value));
        }
        if token.kind == Kind::Word && is_inner_joint(&token.fold) && end > at + 1 {
            continue;
        }
        join(&mut stem, &token.stem);
        join(&mut singular, &token.singular);
        let entries = if token.kind == Kind::Quoted { &[] } else { index.names(&stem) };
        let unheard: Vec<Entry> = entries.iter().filter(|entry| !is_other_noun(index, entry, token)).cloned().collect();
        let entries = if unheard.len() < entries.len() { &unheard } else { entries };
        let deeds: Vec<Entry> = match at > 0 && tokens[at - 1].fold == "who" && token.fold != token.singular {
            true => entries.iter().filter(|entry| !is_counted_part(index, entry)).cloned().collect(),
            false => Vec::new(),
        };
        let entries = if deeds.is_empty() { entries } else { &deeds };
        let done = if end == at + 1 && is_past(&token.fold) { done(entries) } else { Vec::new() };
        let entries = if done.is_empty() { entries } else { &done };
        let mut names = name_mentions(index, entries, end, &singular);
        if token.stem == token.fold {
            names.retain(|name| !is_deed_of(index, name));
        }
        if token.fold != token.singular && !token.fold.ends_with("'s") {
            names.retain(|name| !describes(index, name, token));
        }
        if end == at + 2 && names.is_empty() {
            names = compound(index, &tokens[at..end], end);
        }
        let values = value_mention(index, &tokens[at..end], &value, end, &names)
            .or_else(|| loose_mention(index, &tokens[at..end], &value, end, &names));
        // A cell of that spelling is nearer than another word for a name.
        mentions.extend(names.into_iter().filter(|name| values.is_none() || !name.synonym));
        mentions.extend(values);
    }
}

/// Whether a noun for a name meets the word only by a stem that the language uses: "taken" are no takings.
fn is_other_noun(index: &Index, entry: &Entry, said: &Token) -> bool {
    let noun = entry.fit == Fit::Synonym && entry.singular.ends_with("ing") && !said.singular.ends_with("ing");
    noun && index.lexicon.roles(&said.fold).iter().any(|role| matches!(role, Role::Neutral | Role::Light))
}

/// Whether a name is a number of which the word is only a part: "who packs" asks for no `nappy_packs`.
fn is_counted_part(index: &Index, entry: &Entry) -> bool {
    entry.fit == Fit::Part && matches!(entry.sense, Sense::Column(id) if index.column(id).ty.is_number())
}

/// Whether rows are named by what is done, and the word by what it is done to: "milk" is not the table of milkings.
fn is_deed_of(index: &Index, name: &Mention) -> bool {
    let doing = |thing: ThingId| index.forms.singular(&index.things[thing].noun).ends_with("ing");
    matches!(name.what, What::Thing(thing) if name.stemmed && doing(thing))
}

/// Whether a part of a column's name only says of what its last word is: "units" are not the money of `unit_cost`.
fn describes(index: &Index, name: &Mention, said: &Token) -> bool {
    let What::Columns(columns) = &name.what else { return false };
    let per_piece = |id: &ColId| {
        let core = &index.facts(*id).core;
        let priced = core.last().is_some_and(|word| matches!(word.as_str(), "cost" | "price" | "rate"));
        let dated = index.column(*id).ty.is_temporal();
        (priced || dated)
            && !core.contains(&said.fold)
            && core.last().is_none_or(|word| index.forms.stem(word) != said.stem)
    };
    name.partial && columns.iter().all(per_piece)
}

/// Half of a compound has at least this many letters.
const COMPOUND_LETTERS_MIN: usize = 2;

/// `check-ins` of a table `checkins`: one word in the data, two in the question.
fn compound(index: &Index, pair: &[Token], end: usize) -> Vec<Mention> {
    let [first, second] = pair else { return Vec::new() };
    // "Sensor S-1" is no plural.
    if first.kind != Kind::Word || second.kind != Kind::Word || second.fold.len() < COMPOUND_LETTERS_MIN {
        return Vec::new();
    }
    let written = format!("{}{}", first.fold, second.fold);
    name_mentions(index, index.names(&index.forms.stem(&written)), end, &index.forms.singular(&written))
}

fn join(phrase: &mut String, word: &str) {
    if !phrase.is_empty() && !word.is_empty() {
        phrase.push(' ');
    }
    phrase.push_str(word);
}

/// What somebody did, among the senses of a past form: "left" is a date of leaving before it is a kind of leave.
fn done(entries: &[Entry]) -> Vec<Entry> {
    entries.iter().filter(|entry| matches!(entry.sense, Sense::Event(_) | Sense::Flag(_))).cloned().collect()
}

/// Words that stress that each row is meant by itself.
pub fn is_stress(word: &str) -> bool {
    matches!(word, "single" | "individual")
}

/// Past forms whose base may also be a noun.
fn is_past(word: &str) -> bool {
    matches!(word, "left" | "won" | "paid" | "rode" | "ridden" | "drove" | "ran" | "built")
}

fn is_determiner(word: &str) -> bool {
    matches!(word, "the" | "a" | "an" | "their" | "its")
}

/// Small words inside a name that it is known without: "met the SLA", "units were sold".
fn is_inner_joint(word: &str) -> bool {
    is_determiner(word) || is_be(word)
}

fn opposite(index: &Index, token: &Token, at: usize) -> Option<Mention> {
    let rest = token.fold.strip_prefix("un").filter(|rest| rest.len() > 3)?;
    let entries = index.names(&index.forms.stem(rest));
    let pick = |wanted: fn(&Sense) -> Option<ColId>| entries.iter().filter_map(move |entry| wanted(&entry.sense));
    let flags: Vec<ColId> = pick(|sense| if let Sense::Flag(id) = sense { Some(*id) } else { None }).collect();
    let dates: Vec<ColId> = pick(|sense| if let Sense::Event(id) = sense { Some(*id) } else { None })
        .filter(|id| index.column(*id).nulls > 0)
        .collect();
    let found = !flags.is_empty() || !dates.is_empty();
    found.then(|| Mention::plain(at + 1, What::Opposite { flags, dates }))
}

/// `rejected` beside a column `approved`: another word for its opposite.
fn denying(index: &Index, tokens: &[Token], at: usize) -> Option<Mention> {
    const WORDS_MAX: usize = 2;
    let spelling = |end: usize| tokens::folded(&tokens[at..end]);
    (at + 1..=(at + WORDS_MAX).min(tokens.len())).rev().find_map(|end| {
        let phrase = spelling(end);
        let is_cell = index.is_value(&phrase) || index.is_value(&index.forms.stem(&phrase));
        if is_cell || !index.names(&phrase).is_empty() {
            return None;
        }
        let names = index.lexicon.opposite(&phrase)?;
        let denied = |id: &ColId| {
            let facts = index.facts(*id);
            let said = |name: &&str| facts.core.iter().any(|word| word == name) || facts.core.join(" ") == *name;
            // "Closed on Sundays" denies `sunday_open`, and "closed" alone does not.
            let dated = facts.core.iter().any(|word| period::is_weekday(word));
            facts.yes.is_some() && names.iter().any(said) && !dated
        };
        let flags: Vec<ColId> = index.columns().filter(denied).collect();
        let what = What::Opposite { flags: flags.clone(), dates: Vec::new() };
        (!flags.is_empty()).then(|| Mention { synonym: true, ..Mention::plain(end, what) })
    })
}

/// Last words of names that many numbers could have.
const VAGUE_PARTS: &[&str] =
    &["size", "area", "level", "value", "amount", "length", "weight", "time", "number", "count", "capacity"];

fn name_mentions(index: &Index, entries: &[Entry], end: usize, singular: &str) -> Vec<Mention> {
    let best = entries.iter().map(|entry| entry.fit).min().unwrap_or(Fit::Synonym);
    // "Pay" says how much beside a column that only says whether it was paid.
    let states = |entry: &Entry| match entry.sense {
        Sense::Flag(_) | Sense::Event(_) => true,
        Sense::Column(id) => entry.fit == Fit::Synonym || index.facts(id).yes.is_some(),
        _ => entry.fit == Fit::Synonym,
    };
    if best != Fit::Synonym && entries.iter().all(states) && entries.iter().any(|entry| entry.fit == Fit::Synonym) {
        let (said, named): (Vec<Entry>, Vec<Entry>) = entries.iter().cloned().partition(|e| e.fit == Fit::Synonym);
        return [name_mentions(index, &named, end, singular), name_mentions(index, &said, end, singular)].concat();
    }
    let fitting = |entry: &&Entry| entry.fit == best;
    let exact = entries.iter().filter(fitting).any(|entry| entry.singular == singular);
    let is_thing_as_written = |entry: &Entry| entry.singular == singular && matches!(entry.sense, Sense::Thing(_));
    let thing = entries.iter().any(is_thing_as_written);
    // "Resolved" keeps its date beside other names; "orders" are things, not the date of ordering.
    let is_event = |entry: &&Entry| matches!(entry.sense, Sense::Event(_)) && !thing;
    let as_written = |entry: &&Entry| {
        let written = entry.singular == singular && !(thing && matches!(entry.sense, Sense::Event(_)));
        !exact || written || is_event(entry)
    };
    let kept: Vec<&Entry> = entries.iter().filter(fitting).filter(as_written).collect();
    let stemmed = !exact;
    let (partial, synonym) = (best == Fit::Part, best == Fit::Synonym);
    let vague = partial && VAGUE_PARTS.contains(&singular);
    let mention = |what| Mention { end, what, partial, vague, synonym, stemmed, assumed: false };
    let columns_of = |pick: fn(&Sense) -> Option<ColId>| -> Vec<ColId> {
        kept.iter().filter_map(|entry| pick(&entry.sense)).collect()
    };
    let things: Vec<ThingId> =
        kept.iter().filter_map(|entry| if let Sense::Thing(id) = entry.sense { Some(id) } else { None }).collect();
    let is_thing = |id: &ColId| {
        things.iter().any(|&thing| index.things[thing].table.is_none() && index.things[thing].keys.contains(id))
    };
    let mut columns = columns_of(|sense| if let Sense::Column(id) = sense { Some(*id) } else { None });
    columns.retain(|id| !is_thing(id));
    if partial {
        // "In total" does not name `hrs_total`.
        columns.retain(|_| index.lexicon.aggregate(singular).is_none());
        // "Site" is a `Dive Site` before it is a `Site Type`.
        let heads =
            |id: &ColId| index.facts(*id).core.last().is_some_and(|word| index.forms.singular(word) == singular);
        if columns.iter().any(heads) {
            let sorted = |id: &ColId| {
                index.facts(*id).core.last().is_some_and(|word| {
                    matches!(word.as_str(), "type" | "kind" | "category" | "class" | "group" | "status")
                })
            };
            columns.retain(|id| heads(id) || !sorted(id));
        }
        // What is rated has a rating; a rate is something else.
        columns.retain(|id| singular != "rated" || !index.facts(*id).has("rate"));
        columns.extend(rivals(index, &columns, singular));
    }
    let flags = columns_of(|sense| if let Sense::Flag(id) = sense { Some(*id) } else { None });
    let events = columns_of(|sense| if let Sense::Event(id) = sense { Some(*id) } else { None });
    let mut mentions: Vec<Mention> = things.into_iter().map(|id| mention(What::Thing(id))).collect();
    for entry in &kept {
        if let Sense::Measure(id) = entry.sense {
            mentions.push(mention(What::Measure(id)));
        }
    }
    let groups = [(columns, What::Columns as fn(_) -> _), (flags, What::Flag), (events, What::Event)];
    mentions.extend(groups.into_iter().filter(|(ids, _)| !ids.is_empty()).map(|(ids, what)| mention(what(ids))));
    mentions
}

/// What else a word says of the tables whose numbers have it in their names: what a dish costs is its price as well as what
/// its ingredients cost.
fn rivals(index: &Index, columns: &[ColId], word: &str) -> Vec<ColId> {
    let number = |id: &ColId| index.is_quantity(*id);
    let Some(concept) = index.lexicon.concepts.iter().find(|concept| concept.words.contains(&word)) else {
        return Vec::new();
    };
    if columns.is_empty() || !columns.iter().all(number) {
        return Vec::new();
    }
    let same = |id: &ColId| columns.iter().any(|known| known.table == id.table) && !columns.contains(id);
    let says = |id: &ColId| {
        let words = &index.facts(*id).words;
        concept.columns.iter().any(|name| name.iter().all(|part| words.iter().any(|word| word == part)))
    };
    index.columns().filter(|id| number(id) && same(id) && says(id)).collect()
}

fn value_mention(index: &Index, span: &[Token], key: &str, end: usize, names: &[Mention]) -> Option<Mention> {
    let flags: Vec<ColId> = names
        .iter()
        .filter_map(|m| if let What::Flag(ids) = &m.what { Some(ids) } else { None })
        .flatten()
        .copied()
        .collect();
    let written = tokens::written(span);
    let exact_only = span.len() == 1 && span[0].kind != Kind::Quoted && index.is_function_word(&span[0].fold);
    let cells: Vec<(ColId, String)> = index
        .values(key)
        .into_iter()
        .filter(|(id, _)| !flags.iter().any(|flag| flag.table == id.table))
        .filter(|(_, text)| !exact_only || *text == written)
        .collect();
    (!cells.is_empty()).then_some(Mention::plain(end, What::Value(cells)))
}

/// Cells by a part or another form of their text, where nothing is called so as it is written.
fn loose_mention(index: &Index, span: &[Token], key: &str, end: usize, names: &[Mention]) -> Option<Mention> {
    let shouted = span.iter().all(|token| !token.text.chars().any(char::is_lowercase));
    let cells = index.loose_values(key, shouted);
    // "The longest single trip" is one trip.
    let stresses = span.len() == 1 && is_stress(&span[0].fold);
    let free = names.is_empty() && !cells.is_empty() && !stresses;
    free.then(|| Mention { synonym: true, ..Mention::plain(end, What::Value(cells.to_vec())) })
}
