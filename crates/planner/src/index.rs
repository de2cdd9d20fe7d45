//! Everything about a dataset that planning looks up, computed once: things, names, values and joins.
//!
//! A *thing* is what people count: the rows of a table (`orders`) or the distinct values of an identifier that has no
//! table of its own (`customers` behind `orders.customer_id`).

mod facts;
mod intervals;
mod loose;
mod magnitudes;
pub(crate) mod other_names;
mod other_words;
mod rows;
mod things;
mod units;

use std::collections::BTreeMap;
use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use data::Dataset;
use data::dataset::{ColumnInfo, DeclaredMeasure, TableInfo};
use data::plan::Agg;

pub use facts::Facts;
pub use intervals::Interval;
pub use rows::RowWords;
pub use things::Thing;

use self::other_names::OtherNames;
use crate::lexicon::{Glue, Lexicon, Role};
use crate::lookup;
use crate::schema::{Schema, TableId};
use crate::suggest::{self, Near};
use crate::tokens;
use crate::values::Values;
use crate::words::Forms;

/// A column by position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ColId {
    /// Position of its table.
    pub table: TableId,
    /// Position in the table.
    pub column: usize,
}

/// Position in [`Index::things`].
pub type ThingId = usize;
/// Position in the dataset's measures.
pub type MeasureId = usize;

/// What a name can stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Sense {
    Thing(ThingId),
    Column(ColId),
    Measure(MeasureId),
    /// The rows where a two-valued column says yes.
    Flag(ColId),
    /// The verb behind a date column: `resolved` for `resolved_at`.
    Event(ColId),
}

/// How well a phrase fits the name it was found by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fit {
    /// The declared name, noun or synonym, apart from unit and plural.
    Whole,
    /// A part of a name of several words.
    Part,
    /// A word that people use for one of the name's.
    Synonym,
}

/// One entry of the table of names.
#[derive(Clone, Debug)]
pub struct Entry {
    pub sense: Sense,
    pub fit: Fit,
    /// The singular form; when the question has it too, the match did not need stemming.
    pub singular: String,
}

/// A dataset prepared for planning.
#[derive(Clone, Debug)]
pub struct Index {
    pub(crate) dataset: Dataset,
    pub(crate) lexicon: &'static Lexicon,
    pub(crate) forms: &'static Forms,
    pub(crate) schema: Schema,
    pub(crate) things: Vec<Thing>,
    pub(crate) facts: Vec<Vec<Facts>>,
    /// At most one for each table.
    pub(crate) intervals: Vec<Interval>,
    names: FxHashMap<String, Vec<Entry>>,
    values: Values,
    loose: loose::Loose,
    pub(crate) words_max: usize,
    pub(crate) row_words: RowWords,
    pub(crate) candidates: Vec<Near>,
    /// What the ranker looks up in, made when it is first asked.
    lookup: OnceLock<lookup::Table>,
    /// The names of the dataset in other words, made when the grammar first has no reading.
    other_names: OnceLock<OtherNames>,
}

/// How many words of a value or name are matched.
const PHRASE_WORDS_MAX: usize = 10;

impl Index {
    /// Prepares a dataset; the cost grows with the number of its distinct values.
    pub fn new(dataset: &Dataset) -> Index {
        Index::prepare(dataset, None)
    }

    /// Prepares a dataset whose values were prepared before, by [`Index::value_bytes`]; nothing if another planner made
    /// those, or if they are damaged.
    pub fn with_values(dataset: &Dataset, bytes: &[u8]) -> Option<Index> {
        Some(Index::prepare(dataset, Some(Values::from_bytes(bytes, RULES)?)))
    }

    /// The same with everything made that is otherwise made when a question first needs it.
    pub fn complete(self) -> Index {
        self.lookup();
        self.other_names();
        self
    }

    /// The dataset's values prepared for later questions.
    pub fn value_bytes(&self) -> Vec<u8> {
        self.values.to_bytes(RULES)
    }

    fn prepare(dataset: &Dataset, values: Option<Values>) -> Index {
        let lexicon = Lexicon::built_in();
        let mut index = Index {
            dataset: dataset.clone(),
            forms: Forms::built_in(),
            schema: Schema::new(dataset, lexicon),
            things: Vec::new(),
            facts: Vec::new(),
            intervals: Vec::new(),
            names: FxHashMap::default(),
            values: Values::of(&BTreeMap::new()),
            loose: loose::Loose::default(),
            words_max: 1,
            row_words: RowWords::default(),
            candidates: Vec::new(),
            lexicon,
            lookup: OnceLock::new(),
            other_names: OnceLock::new(),
        };
        index.facts = facts::all(&index);
        index.intervals = intervals::all(&index);
        things::build(&mut index);
        index.name_columns();
        index.name_measures();
        other_words::name(&mut index);
        index.values = values.unwrap_or_else(|| Values::of(&index.phrases()));
        index.loose = loose::values(&index);
        index.row_words = rows::row_words(&index);
        let longest = index.names.keys().map(|key| key.split(' ').count()).max().unwrap_or(1);
        index.words_max = longest.max(index.values.words_max()).min(PHRASE_WORDS_MAX);
        index.candidates = suggest::candidates(&index);
        index
    }

    /// The only table as the ranker sees it; it ranks nothing over several.
    pub(crate) fn lookup(&self) -> Option<&lookup::Table> {
        let [table] = &self.dataset.tables[..] else { return None };
        Some(self.lookup.get_or_init(|| lookup::Table::new(table, self.forms)))
    }

    /// The names of the dataset in other words.
    pub(crate) fn other_names(&self) -> &OtherNames {
        self.other_names.get_or_init(|| OtherNames::new(self))
    }

    /// What a stemmed phrase can stand for.
    pub(crate) fn names(&self, stem: &str) -> &[Entry] {
        self.names.get(stem).map_or(&[], Vec::as_slice)
    }

    /// Whether a column's name has all words of one of some phrases.
    pub(crate) fn is_called_any(&self, id: ColId, phrases: &[impl AsRef<str>]) -> bool {
        let words = &self.facts(id).words;
        phrases.iter().any(|phrase| phrase.as_ref().split(' ').all(|word| words.iter().any(|known| known == word)))
    }

    /// Whether a column is a number that says how much, and not which.
    pub(crate) fn is_quantity(&self, id: ColId) -> bool {
        self.column(id).ty.is_number() && !self.facts(id).identifier
    }

    /// The numbers that some phrases stand for, by their own names or else by others, and whether by others.
    pub(crate) fn numbers_called(&self, phrases: &[impl AsRef<str>]) -> (Vec<ColId>, bool) {
        let number = |id: &ColId| self.is_quantity(*id);
        let named: Vec<ColId> = self.columns().filter(|id| number(id) && self.is_called_any(*id, phrases)).collect();
        if !named.is_empty() {
            return (named, false);
        }
        // A rate is no rating, though they share their stem.
        let fits = |phrase: &str, id: &ColId| {
            number(id) && (phrase.contains("rating") || !self.facts(*id).has_any(&["rating", "score"]))
        };
        let by_other = |phrase: &_| {
            let phrase: &str = AsRef::as_ref(phrase);
            self.columns_called(phrase).into_iter().filter(|id| fits(phrase, id)).collect::<Vec<_>>()
        };
        let others = phrases.iter().map(by_other).find(|ids| !ids.is_empty());
        (others.unwrap_or_default(), true)
    }

    /// Whether nearly all cells of a column are names of countries.
    pub(crate) fn holds_countries(&self, id: ColId) -> bool {
        const CELLS_MIN: usize = 3;
        const CELLS_MAX: usize = 20;
        let cells = &self.column(id).values;
        let cells = &cells[..cells.len().min(CELLS_MAX)];
        let is_country = |cell: &&String| self.lexicon.is_country(&cell.to_lowercase());
        let named = || cells.iter().filter(is_country).count();
        // Most columns show by their first two cells that they hold none.
        cells.len() >= CELLS_MIN && cells[..2].iter().any(|cell| is_country(&cell)) && named() * 10 >= cells.len() * 9
    }

    /// The columns that a word stands for by their own or another name.
    pub(crate) fn columns_called(&self, word: &str) -> Vec<ColId> {
        let column = |entry: &Entry| if let Sense::Column(id) = entry.sense { Some(id) } else { None };
        self.names(&crate::tokens::phrase(word, |word| self.forms.stem(word))).iter().filter_map(column).collect()
    }

    /// The cells a singular phrase can stand for.
    pub(crate) fn values(&self, singular: &str) -> Vec<(ColId, String)> {
        self.values.get(singular)
    }

    /// The cells that a part of their text or another form of it can stand for.
    pub(crate) fn loose_values(&self, singular: &str, shouted: bool) -> &[(ColId, String)] {
        self.loose.get(singular, shouted)
    }

    /// Whether a singular phrase stands for a cell.
    pub(crate) fn is_value(&self, singular: &str) -> bool {
        self.values.contains(singular)
    }

    /// What the rows of a table are.
    pub(crate) fn rows_of(&self, table: TableId) -> Option<ThingId> {
        self.things.iter().position(|thing| thing.table == Some(table))
    }

    pub(crate) fn table(&self, table: TableId) -> &TableInfo {
        &self.dataset.tables[table]
    }

    pub(crate) fn column(&self, id: ColId) -> &ColumnInfo {
        &self.dataset.tables[id.table].columns[id.column]
    }

    pub(crate) fn facts(&self, id: ColId) -> &Facts {
        &self.facts[id.table][id.column]
    }

    pub(crate) fn measure(&self, id: MeasureId) -> &DeclaredMeasure {
        &self.dataset.measures[id]
    }

    /// The name of a column in plans: `table.column`.
    pub(crate) fn qualified(&self, id: ColId) -> String {
        format!("{}.{}", self.table(id.table).name, self.column(id).name)
    }

    /// The position behind `table.column`.
    pub(crate) fn find(&self, qualified: &str) -> Option<ColId> {
        let (table, column) = qualified.split_once('.')?;
        let table = self.dataset.tables.iter().position(|info| info.name == table)?;
        let column = self.dataset.tables[table].columns.iter().position(|info| info.name == column)?;
        Some(ColId { table, column })
    }

    /// Every column, table by table.
    pub(crate) fn columns(&self) -> impl Iterator<Item = ColId> + '_ {
        let tables = self.dataset.tables.iter().enumerate();
        tables.flat_map(|(table, info)| (0..info.columns.len()).map(move |column| ColId { table, column }))
    }

    /// Whether one column is the key that the other one names in its table.
    pub(crate) fn is_link(&self, from: ColId, to: ColId) -> bool {
        let is =
            |id: ColId, table: &str, column: &str| self.table(id.table).name == table && self.column(id).name == column;
        self.dataset.relations.iter().any(|relation| {
            is(from, &relation.from_table, &relation.from_column) && is(to, &relation.to_table, &relation.to_column)
        })
    }

    /// The columns of one table.
    pub(crate) fn columns_of(&self, table: TableId) -> impl Iterator<Item = ColId> + use<> {
        (0..self.table(table).columns.len()).map(move |column| ColId { table, column })
    }

    /// Every phrase that names something, but for words that people only also use for a column.
    pub(crate) fn phrases_of_names(&self) -> impl Iterator<Item = (&str, Sense)> {
        let own = |entry: &&Entry| entry.fit != Fit::Synonym || matches!(entry.sense, Sense::Thing(_));
        let entries = self.names.values().flatten().filter(own);
        entries.map(|entry| (entry.singular.as_str(), entry.sense))
    }

    fn add(&mut self, words: &[String], sense: Sense, fit: Fit) {
        if words.is_empty() || words.len() > PHRASE_WORDS_MAX {
            return;
        }
        let singular: Vec<String> = words.iter().map(|word| self.forms.singular(word)).collect();
        let stem: Vec<String> = words.iter().map(|word| self.forms.stem(word)).collect();
        let entries = self.names.entry(stem.join(" ")).or_default();
        match entries.iter_mut().find(|entry| entry.sense == sense) {
            Some(entry) => entry.fit = entry.fit.min(fit),
            None => entries.push(Entry { sense, fit, singular: singular.join(" ") }),
        }
    }

    fn name_columns(&mut self) {
        for id in self.columns().collect::<Vec<_>>() {
            let facts = self.facts(id).clone();
            let synonyms: Vec<Vec<String>> =
                self.column(id).synonyms.iter().map(|synonym| crate::words::split_name(synonym)).collect();
            let whole = [facts.written.clone(), facts.words.clone(), facts.core.clone()].into_iter();
            let whole = whole
                .chain([literal(&self.column(id).name)])
                .chain(self.statistic_names(&facts))
                .chain(self.period_first(&facts.core))
                .chain(last_first(&facts.core))
                .chain(synonyms.clone());
            for words in whole {
                self.add(&words, Sense::Column(id), Fit::Whole);
            }
            let mut partial = parts(&facts.core);
            partial.retain(|words| self.names_column(words));
            for words in partial {
                self.add(&words, Sense::Column(id), Fit::Part);
            }
            if facts.yes.is_some() {
                let noun: Vec<Vec<String>> =
                    self.column(id).noun.iter().map(|noun| crate::words::split_name(noun)).collect();
                for mut words in std::iter::once(facts.core.clone()).chain(synonyms).chain(noun) {
                    self.add(&words, Sense::Flag(id), Fit::Whole);
                    if words.len() == 2 {
                        words.reverse();
                        self.add(&words, Sense::Flag(id), Fit::Whole);
                    }
                }
            }
            if facts.years && !facts.has("year") {
                self.add(&["year".to_string()], Sense::Column(id), Fit::Whole);
            }
            if !facts.event.is_empty() {
                self.add(&facts.event, Sense::Event(id), Fit::Whole);
            }
        }
    }

    /// Whether a part of a name can stand for its column; a person or an aggregate that it is about cannot.
    fn names_column(&self, part: &[String]) -> bool {
        let [word] = part else { return true };
        // A plural is counted itself: `Trips over the past 24 hours`.
        let record = self.lexicon.records.contains(&word.as_str());
        // "At" of `started_at` is no name.
        let joins = self.lexicon.roles(word).iter().any(|role| matches!(role, Role::Glue(Glue::Preposition)));
        !joins && !is_bare_number(part) && !record && self.lexicon.aggregate(word).is_none_or(|agg| agg == Agg::Sum)
    }

    /// "Monthly plan price" for `plan_monthly_price`.
    fn period_first(&self, words: &[String]) -> Option<Vec<String>> {
        let is_period = |word: &String| self.lexicon.roles(word).iter().any(|role| matches!(role, Role::Adjective(_)));
        let at = words.iter().position(is_period).filter(|at| *at > 0)?;
        Some([&words[at..=at], &words[..at], &words[at + 1..]].concat())
    }

    /// Whether the name of a column has the word.
    pub(crate) fn is_in_a_name(&self, word: &str) -> bool {
        self.columns().any(|id| self.facts(id).has(word))
    }

    /// What people say for a column that holds an aggregate: "median cases", "maximum number of deaths".
    fn statistic_names(&self, facts: &Facts) -> Vec<Vec<String>> {
        let mut names = Vec::new();
        if facts.counted {
            names.push([vec!["number".to_string(), "of".to_string()], facts.core.clone()].concat());
        }
        let statistic = |word: &String| self.lexicon.aggregate(word).filter(|agg| *agg != Agg::Sum);
        let Some(at) = facts.core.iter().position(|word| statistic(word).is_some()) else { return names };
        let rest = [&facts.core[..at], &facts.core[at + 1..]].concat();
        let Some(agg) = statistic(&facts.core[at]).filter(|_| !rest.is_empty()) else { return names };
        for word in self.lexicon.aggregate_words(agg).into_iter().map(str::to_string) {
            names.push([vec![word.clone()], rest.clone()].concat());
            names.push([rest.clone(), vec![word.clone()]].concat());
            if facts.counted {
                names.push([vec![word, "number".to_string(), "of".to_string()], rest.clone()].concat());
            }
        }
        names
    }

    fn name_measures(&mut self) {
        for id in 0..self.dataset.measures.len() {
            let measure = &self.dataset.measures[id];
            let names: Vec<Vec<String>> = std::iter::once(&measure.name)
                .chain(&measure.synonyms)
                .map(|name| crate::words::split_name(name))
                .collect();
            for words in names {
                self.add(&words, Sense::Measure(id), Fit::Whole);
            }
        }
    }

    /// What people say for each cell.
    fn phrases(&self) -> BTreeMap<String, Vec<(ColId, String)>> {
        let mut phrases: BTreeMap<String, Vec<(ColId, String)>> = BTreeMap::new();
        for id in self.columns() {
            for text in &self.dataset.tables[id.table].columns[id.column].values {
                let key = tokens::phrase(&tokens::fold(text), |word| self.forms.singular(word));
                for word in self.cell_words(id, text).into_iter().filter(|word| *word != key) {
                    phrases.entry(word).or_default().push((id, text.clone()));
                }
                if !key.is_empty() && key.split(' ').count() <= PHRASE_WORDS_MAX {
                    phrases.entry(key).or_default().push((id, text.clone()));
                }
            }
        }
        phrases
    }

    /// What else people call a cell of a column: "women" where a gender is written F.
    fn cell_words(&self, id: ColId, text: &str) -> Vec<String> {
        let written = text.to_lowercase();
        let fitting = self.lexicon.cells.iter().filter(|cell| self.facts(id).has_any(&cell.columns));
        let written = fitting.filter(|cell| cell.spellings.contains(&written.as_str()));
        written.flat_map(|cell| cell.words.iter().map(|word| word.to_string())).collect()
    }

    /// Whether a value of that spelling can be told from a word of the language: then only its exact spelling counts.
    pub(crate) fn is_function_word(&self, fold: &str) -> bool {
        let open = |role: &Role| role.says_little_alone() || *role == Role::Failed;
        !self.lexicon.roles(fold).iter().all(open)
    }
}

/// Stands for whatever decides how a value becomes a phrase: when any of it changes, prepared values are made anew.
const RULES: u64 = {
    const DECISIVE: [&str; 8] = [
        include_str!("index.rs"),
        include_str!("index/facts.rs"),
        include_str!("tokens.rs"),
        include_str!("values.rs"),
        include_str!("words.rs"),
        include_str!("../lexicon/cells.tsv"),
        include_str!("../lexicon/irregular.tsv"),
        include_str!("../lexicon/spellings.tsv"),
    ];
    let (mut digest, mut text) = (0xcbf2_9ce4_8422_2325_u64, 0);
    while text < DECISIVE.len() {
        let (bytes, mut at) = (DECISIVE[text].as_bytes(), 0);
        while at < bytes.len() {
            digest = (digest ^ bytes[at] as u64).wrapping_mul(0x0100_0000_01b3);
            at += 1;
        }
        text += 1;
    }
    digest
};

/// "Count" alone asks how many, it does not name `review_count`.
fn is_bare_number(words: &[String]) -> bool {
    matches!(words, [word] if matches!(word.as_str(), "count" | "counts" | "number"))
}

/// A name as a question has it when it is copied: `ApplicantIncome` is one word there.
fn literal(name: &str) -> Vec<String> {
    name.to_lowercase().split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).map(str::to_string).collect()
}

/// "Type of property" for `Property type`.
fn last_first(words: &[String]) -> Option<Vec<String>> {
    let (last, rest) = words.split_last().filter(|(_, rest)| !rest.is_empty())?;
    Some([vec![last.clone(), "of".to_string()], rest.to_vec()].concat())
}

/// Two or more words of a short name in its order: "loan term" of `Loan_Amount_Term`.
fn selections(words: &[String]) -> Vec<Vec<String>> {
    const WORDS_MAX: usize = 5;
    let joins = |word: &String| matches!(word.as_str(), "of" | "in" | "per" | "the" | "to" | "and" | "by" | "for");
    if !(3..=WORDS_MAX).contains(&words.len()) || words.iter().any(joins) {
        return Vec::new();
    }
    let chosen = |mask: u32| {
        let word = |(at, word): (usize, &String)| (mask >> at & 1 == 1).then(|| word.clone());
        words.iter().enumerate().filter_map(word).collect::<Vec<_>>()
    };
    (1..1_u32 << words.len()).map(chosen).filter(|part| part.len() > 1 && part.len() < words.len()).collect()
}

/// The parts of a name of several words that can stand for it: beginnings, ends and selections.
fn parts(words: &[String]) -> Vec<Vec<String>> {
    let ends = (1..words.len()).map(|from| words[from..].to_vec());
    let beginnings = (1..words.len()).map(|to| words[..to].to_vec());
    ends.chain(beginnings).chain(selections(words)).collect()
}
