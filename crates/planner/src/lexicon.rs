//! The words of the language itself, read from the files in `lexicon/`: what they mean never depends on a dataset.

mod files;
mod states;
mod synonyms;
pub mod verbs;

use std::sync::LazyLock;

use rustc_hash::{FxHashMap, FxHashSet};

use data::chart::Wish;
use data::plan::{Agg, ComputeOp, Dir, Grain, Part, Test};
use files::{
    adjective, alternatives, cell_words, comparative, concept, entity, fields, role, two_lists, unit, valence,
    word_and_list,
};
use states::States;
use synonyms::Synonyms;
use verbs::Verbs;

pub use files::lines;
pub use verbs::Form;

/// Words as they stand in a file, in its order.
pub type Words = Vec<&'static str>;

/// What a closed-class word or phrase does in a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Ask(Ask),
    Count,
    Much,
    Distinct,
    Share,
    Distribution,
    Agg(Agg),
    Percentile,
    /// `highest`: the greatest value of what follows.
    Extreme(Dir),
    /// `most`: the greatest number or sum of what follows.
    Amount(Dir),
    Recent(Dir),
    Top(Dir),
    /// `busiest`: a direction, but not of what.
    Extent(Dir),
    /// `most common`: the value that most rows have.
    Frequent(Dir),
    /// `in terms of`: says what an order is by.
    Terms,
    /// `with the counts`: the number is part of the answer.
    WithNumber,
    /// `taken`, `recorded`: a participle without a condition of its own.
    Neutral,
    /// `price`, `amount`: what a participle that names a number is said of.
    Measured,
    /// `it`: what all rows are of.
    Pronoun,
    /// `usually`: on average.
    Typically,
    /// `taken`: a participle that says nothing, whatever dates there are.
    Light,
    /// `changed`: the verb of "how has it changed".
    Changed,
    /// `unknown`: after a column's name, that nothing is there.
    Absent,
    /// `to solve`: what a duration is for.
    Purpose,
    /// `still`: what has not ended.
    Still,
    /// `last`, `take`: what lasting and reaching is said with.
    ExtentVerb,
    /// `among`: a text that holds several things holds this one.
    Among,
    Sort,
    Direction(Dir),
    Limit,
    Compare(Test),
    Between,
    AfterCompare(Test),
    GroupBy,
    GroupPer,
    Each,
    Adjective(Grain),
    Grain(Grain),
    Part(Part),
    OverTime,
    Series(ComputeOp),
    Not,
    Lack,
    Failed,
    And,
    Or,
    Versus,
    /// `as a bar chart`: how the answer is to be drawn.
    Chart(Wish),
    /// `trend`: a number along time.
    Trend,
    Rows,
    Glue(Glue),
    Link,
    Created,
    /// `in stock` (true), `out of stock` (false).
    Available(bool),
    Rate,
    Numbered,
    Write,
    Unsupported,
    Vague,
}

impl Role {
    /// Whether a word of this role means nothing unless others say what of.
    pub fn says_little_alone(&self) -> bool {
        matches!(
            self,
            Role::Vague
                | Role::Write
                | Role::Unsupported
                | Role::Link
                | Role::Created
                | Role::Neutral
                | Role::Measured
                | Role::Pronoun
                | Role::Among
                | Role::Extent(_)
        )
    }
}

/// The kinds of question words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask {
    What,
    Which,
    Who,
    When,
    List,
}

/// The kinds of words that carry no condition of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Glue {
    Determiner,
    Be,
    Have,
    Relative,
    Auxiliary,
    Preposition,
    /// `value`, `figure`: after a name, nothing but its number.
    Noun,
    Other,
}

/// A superlative that names a quantity.
#[derive(Clone, Debug, Default)]
pub struct Adjective {
    /// How it ranks numbers, and the words such a column carries in its name: the slowest has the lowest speed, and the
    /// longest time.
    pub numbers: Vec<(Dir, Vec<String>)>,
    /// How it ranks a date, and the words such a column carries in its name.
    pub date: Option<(Dir, Vec<String>)>,
}

/// A class of things that rows of tables are.
#[derive(Clone, Debug)]
pub struct Entity {
    pub class: &'static str,
    /// Words for anything of the class, in the singular.
    pub generic: Words,
    /// Words for its kinds.
    pub kinds: Words,
    /// Words of columns that only such rows have.
    pub evidence: Words,
}

impl Entity {
    /// Whether a singular noun names something of the class.
    pub fn has(&self, noun: &str) -> bool {
        self.generic.contains(&noun) || self.kinds.contains(&noun)
    }
}

/// Words for a cell that files write in several ways.
#[derive(Clone, Debug)]
pub struct CellWords {
    /// Words of the column's name.
    pub columns: Words,
    /// Spellings of the cell, in lower case.
    pub spellings: Words,
    /// What people say, in the singular.
    pub words: Words,
}

/// What people say for a number that a table calls otherwise.
#[derive(Clone, Debug)]
pub struct Concept {
    /// In their base form.
    pub words: Words,
    /// Words of columns' names, each a list of words that one name has, in order of preference.
    pub columns: Vec<Words>,
}

impl Concept {
    /// Whether it is said of money.
    pub fn is_money(&self) -> bool {
        const MONEY: &[&str] = &["price", "cost", "fare", "bill", "payment", "revenue", "salary", "income"];
        self.columns.iter().flatten().any(|word| MONEY.contains(word))
    }
}

/// A comparative that names a quantity: its test, and the words such a column carries in its name.
pub type Comparative = (Test, Words);

/// A unit of measurement.
#[derive(Clone, Debug, PartialEq)]
pub struct Unit {
    pub name: &'static str,
    pub family: &'static str,
    pub factor: f64,
}

impl Unit {
    /// Whether it is a currency.
    pub fn is_money(&self) -> bool {
        const CURRENCIES: &[&str] = &[
            "usd", "eur", "gbp", "jpy", "inr", "cny", "chf", "cad", "aud", "nzd", "sgd", "hkd", "sek", "nok", "dkk",
            "pln", "czk", "huf", "brl", "mxn", "zar", "krw", "thb", "idr", "php", "ngn",
        ];
        CURRENCIES.contains(&self.family)
    }
}

/// All lexicon files, ready for lookup by lower-case phrase.
#[derive(Clone, Debug)]
pub struct Lexicon {
    roles: FxHashMap<&'static str, Vec<Role>>,
    adjectives: FxHashMap<&'static str, Adjective>,
    comparatives: FxHashMap<&'static str, Comparative>,
    units: FxHashMap<&'static str, Unit>,
    additive: WordSet,
    valence: Vec<(Dir, Words)>,
    grammar: WordSet,
    pub entities: Vec<Entity>,
    generic: WordSet,
    abbreviations: FxHashMap<&'static str, Words>,
    short_words: WordSet,
    extents: FxHashMap<&'static str, Words>,
    synonyms: Synonyms,
    pub verbs: Verbs,
    pub states: States,
    pub concepts: Vec<Concept>,
    /// By a phrase that denies a two-valued column the words of which its name has one.
    opposites: FxHashMap<&'static str, Words>,
    extensive: WordSet,
    beginnings: WordSet,
    elsewhen: WordSet,
    /// What a single record is about, in the singular.
    pub records: Words,
    pub cells: Vec<CellWords>,
    /// What is said of what comes from a country, and how the country is written.
    nationalities: Vec<(Words, Words)>,
    idle: WordSet,
    levels: WordSet,
    unit_nouns: FxHashMap<&'static str, Words>,
    sole_nouns: FxHashMap<&'static str, Words>,
    /// By its first word how many words the longest phrase of the language has.
    longest: FxHashMap<&'static str, usize>,
}

type WordSet = FxHashSet<&'static str>;

/// The lines of one lexicon file.
macro_rules! file {
    ($name:literal) => {
        lines(include_str!(concat!("../lexicon/", $name)))
    };
}

impl Lexicon {
    /// What comes with the planner, read when it is first asked for.
    pub fn built_in() -> &'static Lexicon {
        static BUILT_IN: LazyLock<Lexicon> = LazyLock::new(Lexicon::new);
        &BUILT_IN
    }

    /// Reads every lexicon file; what is kept are slices of the files.
    fn new() -> Lexicon {
        let roles = roles();
        let adjectives = adjectives();
        let comparatives: FxHashMap<_, _> = file!("comparatives.tsv").filter_map(comparative).collect();
        let longest = longest(roles.keys().chain(adjectives.keys()).chain(comparatives.keys()));
        Lexicon {
            roles,
            adjectives,
            comparatives,
            units: file!("units.tsv").flat_map(unit).collect(),
            additive: file!("additive.txt").collect(),
            valence: file!("valence.tsv").filter_map(valence).collect(),
            grammar: file!("grammar.txt").collect(),
            entities: file!("entities.tsv").filter_map(entity).collect(),
            generic: file!("generic.txt").collect(),
            abbreviations: file!("abbreviations.tsv").filter_map(word_and_list).collect(),
            short_words: file!("short_words.txt").flat_map(str::split_whitespace).collect(),
            extents: file!("extents.tsv").filter_map(word_and_list).collect(),
            synonyms: Synonyms::new(),
            verbs: Verbs::new(),
            states: States::new(),
            concepts: file!("concepts.tsv").filter_map(concept).collect(),
            opposites: opposites(),
            extensive: file!("extensive.txt").collect(),
            beginnings: file!("beginnings.txt").collect(),
            elsewhen: file!("elsewhen.txt").collect(),
            records: file!("records.txt").collect(),
            cells: file!("cells.tsv").filter_map(cell_words).collect(),
            nationalities: file!("nationalities.tsv").filter_map(two_lists).collect(),
            idle: file!("idle.txt").flat_map(alternatives).collect(),
            levels: file!("levels.txt").collect(),
            unit_nouns: file!("unit_nouns.tsv").filter_map(word_and_list).collect(),
            sole_nouns: file!("sole_nouns.tsv").filter_map(word_and_list).collect(),
            longest,
        }
    }

    /// The roles of a lower-case phrase.
    pub fn roles(&self, phrase: &str) -> &[Role] {
        self.roles.get(phrase).map_or(&[], Vec::as_slice)
    }

    /// The single words of phrases that have a role of some kind, sorted.
    pub fn words_of(&self, wanted: impl Fn(&Role) -> bool) -> Vec<&'static str> {
        let phrases = self.roles.iter().filter(|(_, roles)| roles.iter().any(&wanted));
        let mut words: Vec<&str> = phrases.flat_map(|(phrase, _)| phrase.split(' ')).collect();
        words.sort_unstable();
        words.dedup();
        words
    }

    /// The quantity behind a superlative.
    pub fn adjective(&self, phrase: &str) -> Option<&Adjective> {
        self.adjectives.get(phrase)
    }

    /// The quantity and test behind a comparative.
    pub fn comparative(&self, phrase: &str) -> Option<&Comparative> {
        self.comparatives.get(phrase)
    }

    /// The unit of that spelling.
    pub fn unit(&self, phrase: &str) -> Option<&Unit> {
        self.units.get(phrase)
    }

    /// How a unit is written.
    pub fn unit_spellings(&self, name: &str) -> Words {
        let mut spellings: Words =
            self.units.iter().filter(|(_, unit)| unit.name == name).map(|(spelling, _)| *spelling).collect();
        spellings.sort_unstable();
        spellings
    }

    /// Whether values of a column with that word in its name add up over rows.
    pub fn is_additive(&self, word: &str) -> bool {
        self.additive.contains(word)
    }

    /// Whether "how much" adds up values of a column with that word in its name.
    pub fn is_extensive(&self, word: &str) -> bool {
        self.extensive.contains(word)
    }

    /// Whether a date of that name does not say when its row happened.
    pub fn is_elsewhen(&self, word: &str) -> bool {
        self.elsewhen.contains(word)
    }

    /// Whether a word of a name says how something began.
    pub fn is_beginning(&self, word: &str) -> bool {
        self.beginnings.contains(word)
    }

    /// Whether numbers of a column with that word in its name say how high something stands.
    pub fn is_level(&self, word: &str) -> bool {
        self.levels.contains(word)
    }

    /// Whether numbers in units of that family do.
    pub fn is_level_unit(&self, family: &str) -> bool {
        matches!(
            family,
            "percent" | "celsius" | "fahrenheit" | "pressure" | "speed" | "mph" | "speed_mm" | "speed_m" | "points"
        )
    }

    /// Nouns for the only number of a table with units of a family.
    pub fn sole_nouns<'a>(&'a self, family: &'a str) -> impl Iterator<Item = &'static str> + 'a {
        self.sole_nouns.iter().filter(move |(_, families)| families.contains(&family)).map(|(noun, _)| *noun)
    }

    /// Nouns for what units of a family measure: energy for kilowatt hours.
    pub fn unit_nouns<'a>(&'a self, family: &'a str) -> impl Iterator<Item = &'static str> + 'a {
        self.unit_nouns.iter().filter(move |(_, families)| families.contains(&family)).map(|(noun, _)| *noun)
    }

    /// Whether a phrase says nothing about which rows are meant.
    pub fn is_idle(&self, phrase: &str) -> bool {
        self.idle.contains(phrase)
    }

    /// Whether a word has a meaning only together with others.
    pub fn is_grammar(&self, word: &str) -> bool {
        self.grammar.contains(word)
    }

    /// The direction in which a number with these words in its name gets better, where they agree.
    pub fn better(&self, words: &[String]) -> Option<Dir> {
        let said = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
        let mut found = self.valence.iter().filter(|(_, list)| said(list)).map(|(dir, _)| *dir);
        found.next().filter(|_| found.next().is_none())
    }

    /// Whether a singular word of a table's name says nothing about its rows.
    pub fn is_generic(&self, word: &str) -> bool {
        self.generic.contains(word)
    }

    /// The word behind an abbreviation in a column's name, or the word itself.
    pub fn spoken<'a>(&'a self, word: &'a str) -> &'a str {
        self.abbreviations.get(word).and_then(|words| words.first()).copied().unwrap_or(word)
    }

    /// Whether people generally understand an abbreviation as a singular word.
    pub fn is_short_for(&self, short: &str, word: &str) -> bool {
        self.abbreviations.get(short).is_some_and(|words| words.contains(&word))
    }

    /// Every word that an abbreviation is short for.
    pub fn short_for_all(&self, short: &str) -> impl Iterator<Item = &'static str> {
        self.abbreviations.get(short).into_iter().flatten().copied()
    }

    /// Whether a short word is one of English, and no other cut short.
    pub fn is_short_word(&self, word: &str) -> bool {
        self.short_words.contains(word)
    }

    /// How a singular word is cut short.
    pub fn short_for<'a>(&'a self, word: &'a str) -> impl Iterator<Item = &'static str> + 'a {
        let first = move |full: &Words| full.first().is_some_and(|first| *first == word);
        self.abbreviations.iter().filter(move |(_, full)| first(full)).map(|(short, _)| *short)
    }

    /// Whether a lower-case text is the name of a country.
    pub fn is_country(&self, text: &str) -> bool {
        self.nationalities.iter().any(|(_, names)| names.contains(&text))
    }

    /// What people say of what comes from a country, by its name in lower case.
    pub fn nationality<'a>(&'a self, country: &'a str) -> impl Iterator<Item = &'static str> + 'a {
        let named = self.nationalities.iter().filter(move |(_, names)| names.contains(&country));
        named.flat_map(|(words, _)| words.iter().copied())
    }

    /// The words of columns that say how tall, heavy or old something is.
    pub fn extent(&self, word: &str) -> Option<&[&'static str]> {
        self.extents.get(word).map(Vec::as_slice)
    }

    /// Other words for a singular word; never one that asks for something by itself.
    pub fn synonyms<'a>(&'a self, word: &'a str) -> impl Iterator<Item = &'static str> + 'a {
        let asks = |role: &Role| {
            matches!(role, Role::Count | Role::Agg(_) | Role::Share | Role::Ask(_) | Role::Grain(_) | Role::Part(_))
        };
        self.synonyms.of(word).filter(move |other| !self.roles(other).iter().any(asks))
    }

    /// The chart that a question's words ask for by name, wherever they stand.
    pub fn chart_wish(&self, words: &[&str]) -> Option<Wish> {
        let mut wish = None;
        for start in 0..words.len() {
            for end in start + 1..=(start + self.words_max(words[start])).min(words.len()) {
                for role in self.roles(&words[start..end].join(" ")) {
                    wish = match role {
                        Role::Chart(named) => Some(named.beside(wish)),
                        Role::Trend => Some(Wish::Line.beside(wish)),
                        _ => wish,
                    };
                }
            }
        }
        wish
    }

    /// The aggregate a single word asks for; it may also be a part of a column's name.
    pub fn aggregate(&self, word: &str) -> Option<Agg> {
        self.roles(word).iter().find_map(|role| if let Role::Agg(agg) = role { Some(*agg) } else { None })
    }

    /// The single words for an aggregate.
    pub fn aggregate_words(&self, agg: Agg) -> Words {
        let single =
            self.roles.iter().filter(|(phrase, roles)| !phrase.contains(' ') && roles.contains(&Role::Agg(agg)));
        let mut words: Words = single.map(|(phrase, _)| *phrase).collect();
        words.sort_unstable();
        words
    }

    /// Whether a singular word names what rows of tables are.
    pub fn is_entity(&self, word: &str) -> bool {
        self.entities.iter().any(|entity| entity.has(word))
    }

    /// Whether a singular word is one that people say for a cell written otherwise.
    pub fn is_cell_word(&self, word: &str) -> bool {
        self.cells.iter().any(|cell| cell.words.contains(&word))
    }

    /// Whether a singular noun names something of a class of entities.
    pub fn is_of(&self, class: &str, noun: &str) -> bool {
        self.entities.iter().any(|entity| entity.class == class && entity.has(noun))
    }

    /// Whether a singular noun names somebody: a person, or what a person does.
    pub fn is_person(&self, noun: &str) -> bool {
        self.is_of_any(&["person", "role"], noun)
    }

    /// Whether a noun is a word of one of some classes.
    pub fn is_of_any(&self, classes: &[&str], noun: &str) -> bool {
        classes.iter().any(|class| self.is_of(class, noun))
    }

    /// How many words the longest phrase that begins with a word has.
    pub fn words_max(&self, first: &str) -> usize {
        self.longest.get(first).copied().unwrap_or(1)
    }

    /// The words of which a two-valued column has one that the phrase denies.
    pub fn opposite(&self, phrase: &str) -> Option<&[&'static str]> {
        self.opposites.get(phrase).map(Vec::as_slice)
    }
}

fn roles() -> FxHashMap<&'static str, Vec<Role>> {
    let mut roles: FxHashMap<_, Vec<Role>> = FxHashMap::default();
    for [name, argument, phrases] in file!("words.tsv").filter_map(fields) {
        let Some(role) = role(name, argument) else { continue };
        for phrase in alternatives(phrases) {
            roles.entry(phrase).or_default().push(role);
        }
    }
    roles
}

fn adjectives() -> FxHashMap<&'static str, Adjective> {
    let mut adjectives: FxHashMap<_, Adjective> = FxHashMap::default();
    for (phrase, more) in file!("adjectives.tsv").filter_map(adjective) {
        let known = adjectives.entry(phrase).or_default();
        known.numbers.extend(more.numbers);
        known.date = known.date.take().or(more.date);
    }
    adjectives
}

fn opposites() -> FxHashMap<&'static str, Words> {
    let mut opposites: FxHashMap<_, Words> = FxHashMap::default();
    for (phrases, names) in file!("opposites.tsv").filter_map(two_lists) {
        for phrase in phrases {
            opposites.entry(phrase).or_insert_with(|| names.clone());
        }
    }
    opposites
}

fn longest<'a>(phrases: impl Iterator<Item = &'a &'static str>) -> FxHashMap<&'static str, usize> {
    let mut longest: FxHashMap<_, usize> = FxHashMap::default();
    for phrase in phrases {
        let words = phrase.split(' ').count();
        let known = longest.entry(phrase.split(' ').next().unwrap_or_default()).or_default();
        *known = words.max(*known);
    }
    longest
}
