//! A table as lookups see it: the words of its headers, what kind of thing each column holds, and, where the table is
//! small enough to have its rows at hand, its cells.

use base::{Cell, Type};
use data::dataset::{ColumnInfo, TableInfo};
use rustc_hash::FxHashMap;

use super::classes::KIN;
use super::words::{CLOSED, key, number};
use crate::period::MONTHS;
use crate::words::{Forms, split_name};

/// What the cells of a column are, as far as questions care.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    Number,
    /// Whole numbers that are calendar years.
    Year,
    Date,
    /// Texts that begin with digits: `26-24`, `5th`, `3 km`.
    Mixed,
    Text,
}

impl Kind {
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Number => "number",
            Kind::Year => "year",
            Kind::Date => "date",
            Kind::Mixed => "mixed",
            Kind::Text => "text",
        }
    }

    pub fn is_number(self) -> bool {
        matches!(self, Kind::Number | Kind::Year)
    }
}

/// One word of a header.
#[derive(Clone, Debug)]
pub struct HeaderWord {
    pub fold: String,
    pub stem: String,
    /// The classes of words used for one another that it is in.
    pub kin: &'static [u16],
    /// How much it tells: less where other columns have it too, little where it is a function word.
    pub weight: f64,
}

/// One distinct cell of a column.
#[derive(Clone, Debug)]
pub struct Value {
    /// As a plan has to spell it.
    pub cell: Cell,
    pub key: String,
    pub number: Option<f64>,
    /// Equal for cells that people would call the same.
    pub sameness: u64,
}

/// Position of a value in its column.
pub type ValueId = u32;

/// One column.
#[derive(Clone, Debug)]
pub struct Column {
    pub header: Vec<HeaderWord>,
    pub kind: Kind,
    pub ty: Type,
    pub unique: bool,
    /// Least and greatest number.
    pub range: Option<(f64, f64)>,
    pub values: Vec<Value>,
    /// The value in each row, none where it is missing; empty where the rows are not at hand.
    pub rows: Vec<Option<ValueId>>,
}

/// One table.
#[derive(Clone, Debug)]
pub struct Table {
    pub columns: Vec<Column>,
    /// Whether the rows are at hand.
    pub known: bool,
    pub rows: usize,
    by_key: FxHashMap<String, Vec<(usize, ValueId)>>,
    by_stems: FxHashMap<String, Vec<(usize, ValueId)>>,
    by_word: FxHashMap<String, Vec<(usize, ValueId)>>,
    pub words_max: usize,
}

impl Table {
    pub fn new(info: &TableInfo, forms: &Forms) -> Table {
        let known = !info.cells.is_empty();
        let mut table = Table {
            columns: (0..info.columns.len()).map(|at| column(info, at, forms)).collect(),
            known,
            rows: info.cells.len(),
            by_key: FxHashMap::default(),
            by_stems: FxHashMap::default(),
            by_word: FxHashMap::default(),
            words_max: 0,
        };
        table.weigh_headers();
        for (at, column) in table.columns.iter().enumerate() {
            for (id, value) in column.values.iter().enumerate() {
                let place = (at, id as ValueId);
                for phrase in phrases(value, column.ty) {
                    table.words_max = table.words_max.max(phrase.split(' ').count());
                    let stems: Vec<String> = phrase.split(' ').map(|word| forms.stem(word)).collect();
                    table.by_stems.entry(stems.join(" ")).or_default().push(place);
                    table.by_key.entry(phrase).or_default().push(place);
                }
                for word in value.key.split(' ') {
                    let places = table.by_word.entry(word.to_string()).or_default();
                    if places.last() != Some(&place) {
                        places.push(place);
                    }
                }
            }
        }
        table
    }

    /// The cells that are these words.
    pub fn equal(&self, key: &str) -> &[(usize, ValueId)] {
        self.by_key.get(key).map_or(&[], Vec::as_slice)
    }

    /// The cells that are these words in another form.
    pub fn alike(&self, stems: &str) -> &[(usize, ValueId)] {
        self.by_stems.get(stems).map_or(&[], Vec::as_slice)
    }

    /// The cells that have the word.
    pub fn with_word(&self, word: &str) -> &[(usize, ValueId)] {
        self.by_word.get(word).map_or(&[], Vec::as_slice)
    }

    /// A word that half of the columns have tells half as much as one of a single column.
    fn weigh_headers(&mut self) {
        let mut columns_with: FxHashMap<String, usize> = FxHashMap::default();
        for column in &self.columns {
            let mut stems: Vec<&str> = column.header.iter().map(|word| word.stem.as_str()).collect();
            stems.sort_unstable();
            stems.dedup();
            for stem in stems {
                *columns_with.entry(stem.to_string()).or_default() += 1;
            }
        }
        const FUNCTION_WORD: f64 = 0.1;
        let telling = |word: &str| !matches!(CLOSED.binary_search(&word), Ok(at) if is_plain(CLOSED[at]));
        for word in self.columns.iter_mut().flat_map(|column| &mut column.header) {
            let shared = columns_with[&word.stem] as f64;
            word.weight = if telling(&word.fold) { 1.0 / shared.sqrt() } else { FUNCTION_WORD };
        }
    }
}

/// Whether a word of the closed class says nothing about what a column holds.
pub fn is_plain(closed: &str) -> bool {
    matches!(
        closed,
        "a" | "an"
            | "the"
            | "of"
            | "in"
            | "at"
            | "by"
            | "for"
            | "from"
            | "to"
            | "on"
            | "and"
            | "or"
            | "with"
            | "s"
            | "is"
            | "as"
    )
}

fn column(info: &TableInfo, at: usize, forms: &Forms) -> Column {
    let column = &info.columns[at];
    let header = split_name(&column.name)
        .iter()
        .flat_map(|word| key(word).split(' ').map(str::to_string).collect::<Vec<_>>())
        .filter(|word| !word.is_empty())
        .map(|fold| {
            let stem = forms.stem(&fold);
            HeaderWord { kin: KIN.of(&stem), stem, fold, weight: 1.0 }
        })
        .collect();
    let mut values: Vec<Value> = Vec::new();
    let mut ids: FxHashMap<String, ValueId> = FxHashMap::default();
    let mut rows = Vec::with_capacity(info.cells.len());
    for row in &info.cells {
        let text = row.get(at).map(shown).unwrap_or_default();
        if text.trim().is_empty() {
            rows.push(None);
            continue;
        }
        let id = *ids.entry(text).or_insert_with_key(|text| {
            values.push(value(row[at].clone(), text));
            (values.len() - 1) as ValueId
        });
        rows.push(Some(id));
    }
    let range = range(column, &values);
    Column { header, kind: kind(column, &values, range), ty: column.ty, unique: column.unique, range, values, rows }
}

fn value(cell: Cell, text: &str) -> Value {
    let number = number(text);
    Value { key: key(text), sameness: sameness(number, text), number, cell }
}

/// A cell as a text.
pub fn shown(cell: &Cell) -> String {
    match cell {
        Cell::Null => String::new(),
        Cell::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Equal for equal numbers, else for equal letters and digits.
pub fn sameness(number: Option<f64>, text: &str) -> u64 {
    let mut digest = 0xcbf2_9ce4_8422_2325_u64;
    let mut eat = |byte: u8| digest = (digest ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    match number {
        // Seven digits are as many as two ways of adding agree on.
        Some(number) => (number as f32 + 0.0).to_le_bytes().into_iter().for_each(&mut eat),
        None => {
            let letters = text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase);
            letters.for_each(|c| c.encode_utf8(&mut [0; 4]).bytes().for_each(&mut eat));
        }
    }
    digest
}

fn range(column: &ColumnInfo, values: &[Value]) -> Option<(f64, f64)> {
    let bound = |cell: &Option<Cell>| cell.as_ref().and_then(|cell| number(&shown(cell)));
    if values.is_empty() {
        return bound(&column.min).zip(bound(&column.max)).filter(|_| column.ty.is_number());
    }
    let numbers = values.iter().filter_map(|value| value.number);
    numbers.fold(None, |range: Option<(f64, f64)>, number| {
        let (least, greatest) = range.unwrap_or((number, number));
        Some((least.min(number), greatest.max(number)))
    })
}

fn kind(column: &ColumnInfo, values: &[Value], range: Option<(f64, f64)>) -> Kind {
    let calendar = range.is_some_and(|(least, greatest)| least >= 1500.0 && greatest <= 2100.0 && least.fract() == 0.0);
    if column.ty.is_temporal() {
        return Kind::Date;
    }
    let texts: Vec<(&str, Option<f64>)> = match values.is_empty() {
        false => values.iter().map(|value| (value.key.as_str(), value.number)).collect(),
        true => column.values.iter().take(50).map(|text| (text.as_str(), number(text))).collect(),
    };
    let share = |found: usize| if texts.is_empty() { 0.0 } else { found as f64 / texts.len() as f64 };
    if column.ty.is_number() || share(texts.iter().filter(|(_, number)| number.is_some()).count()) > 0.7 {
        return if calendar { Kind::Year } else { Kind::Number };
    }
    if share(texts.iter().filter(|(text, _)| has_month(text)).count()) > 0.6 {
        return Kind::Date;
    }
    if share(texts.iter().filter(|(text, _)| text.starts_with(|c: char| c.is_ascii_digit())).count()) > 0.6 {
        Kind::Mixed
    } else {
        Kind::Text
    }
}

fn has_month(text: &str) -> bool {
    let month = |word: &str| word.len() >= 3 && MONTHS.iter().any(|month| month.starts_with(&word.to_lowercase()));
    text.split(|c: char| !c.is_alphabetic()).any(month) && text.contains(|c: char| c.is_ascii_digit())
}

/// What people write for a value: itself, and a date by the name of its month.
fn phrases(value: &Value, ty: Type) -> Vec<String> {
    let mut phrases = vec![value.key.clone()];
    if let (true, Some(text)) = (ty.is_temporal(), value.cell.as_str()) {
        let parts: Vec<usize> = text.split(['-', 'T', ' ']).take(3).filter_map(|part| part.parse().ok()).collect();
        if let [year, month @ 1..=12, day] = parts[..] {
            let name = MONTHS[month - 1];
            phrases.push(format!("{name} {day} {year}"));
            phrases.push(format!("{day} {name} {year}"));
            phrases.push(format!("{} {day} {year}", &name[..3]));
            phrases.push(format!("{day} {} {year}", &name[..3]));
        }
    }
    phrases.retain(|phrase| !phrase.is_empty());
    phrases
}
