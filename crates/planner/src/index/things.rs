//! Finds what people count in a dataset, what identifies it and by what name it is shown.

use base::Type;

use super::{ColId, Fit, Index, Sense, ThingId};
use crate::schema::TableId;
use crate::words::split_name;

/// What is measured and never counted, whatever a table is called.
const MEASURED: &[&str] = &[
    "output",
    "production",
    "consumption",
    "usage",
    "generation",
    "rainfall",
    "precipitation",
    "traffic",
    "attendance",
    "revenue",
    "income",
    "spending",
    "expenditure",
    "energy",
    "electricity",
    "power",
];

/// Something people count.
#[derive(Clone, Debug, PartialEq)]
pub struct Thing {
    /// In the singular.
    pub noun: String,
    /// The table that has one row for each, if there is one.
    pub table: Option<TableId>,
    /// Columns whose values identify one, its own table's key first.
    pub keys: Vec<ColId>,
    /// The column people know it by.
    pub label: Option<ColId>,
}

impl Index {
    /// The thing that a column of names stands for, where several of them have the same name and a key tells them apart:
    /// `customer` beside `customer_no`.
    pub fn namesakes(&self, columns: &[ColId]) -> Option<ThingId> {
        let (first, others) = columns.split_first()?;
        let thing = self.things.iter().position(|thing| thing.label == Some(*first))?;
        let info = &self.things[thing];
        let key = info.keys.iter().find(|key| key.table == first.table)?;
        let called = self.facts(*first).core.iter().map(|word| self.forms.singular(word)).collect::<Vec<_>>();
        let shared = self.column(*first).distinct < self.column(*key).distinct;
        (shared && others.is_empty() && !info.keys.contains(first) && called == split_name(&info.noun)).then_some(thing)
    }

    /// The thing with rows of its own that a number column of another table is called like: `guests` of a booking.
    pub fn rows_called_like(&self, column: ColId) -> Option<ThingId> {
        let facts = self.facts(column);
        let called = facts.core.iter().map(|word| self.forms.singular(word)).collect::<Vec<_>>();
        let measured = self.column(column).ty.is_number() && !facts.identifier;
        let rows = |thing: &Thing| thing.table.is_some_and(|table| table != column.table);
        self.things.iter().position(|thing| measured && rows(thing) && split_name(&thing.noun) == called)
    }
}

/// Fills the index's things and their names.
pub fn build(index: &mut Index) {
    for table in 0..index.dataset.tables.len() {
        add_table(index, table);
    }
    for thing in 0..index.things.len() {
        name_days(index, thing);
    }
    for id in index.columns().collect::<Vec<_>>() {
        add_column(index, id);
    }
}

fn add_table(index: &mut Index, table: TableId) {
    let info = index.table(table);
    let name_words = split_name(&info.name);
    let last = last_noun(index, &name_words);
    let key = key(index, table);
    let noun = info.noun.clone().unwrap_or_else(|| {
        let named = index.lexicon.is_entity(&index.forms.singular(&last)) || index.forms.singular(&last) != last;
        let identified = key.filter(|_| !named).and_then(|key| identified(index, key));
        identified.unwrap_or_else(|| index.forms.singular(&last))
    });
    let mut phrases = vec![split_name(&noun)];
    phrases.extend(info.synonyms.iter().map(|synonym| split_name(synonym)));
    let generic =
        info.noun.is_none() && name_words.iter().all(|word| index.lexicon.is_generic(&index.forms.singular(word)));
    // "Monthly output" of a table `daily_output` is measured, not counted.
    let measured = info.noun.is_none() && MEASURED.contains(&last.as_str());
    let taken = is_column_noun(index, &name_words) || generic || measured;
    if measured {
        phrases.clear();
    }
    if !taken {
        phrases.push(name_words.clone());
    }
    let label = label(index, table, &noun, key);
    let mut keys: Vec<ColId> = key.into_iter().collect();
    keys.extend(links_to(index, table));
    let id = index.things.len();
    index.things.push(Thing { noun, table: Some(table), keys, label });
    for words in phrases {
        index.add(&words, Sense::Thing(id), Fit::Whole);
    }
    if index.table(table).noun.is_none() && !taken && name_words.len() > 1 {
        index.add(&[last], Sense::Thing(id), Fit::Part);
    }
}

/// What an identifier is of: `PassengerId` of a passenger.
fn identified(index: &Index, key: ColId) -> Option<String> {
    let words = &index.facts(key).words;
    let (last, rest) = words.split_last()?;
    (last == "id" && !rest.is_empty()).then(|| rest.join(" "))
}

/// Rows that only differ by their date are days, and known by it.
fn name_days(index: &mut Index, thing: ThingId) {
    if index.dataset.tables.len() != 1 {
        return;
    }
    let Some(date) = super::rows::unique_day(index, &index.things[thing]) else { return };
    let undeclared = index.table(date.table).noun.is_none();
    let thing = &mut index.things[thing];
    thing.label = Some(date);
    if undeclared {
        thing.noun = "day".to_string();
    }
}

/// The word of a table's name that says what a row is: the last one that says anything, unless only one before it
/// names what rows of tables are.
fn last_noun(index: &Index, words: &[String]) -> String {
    let numeral = |word: &str| word.chars().all(|c| c.is_ascii_digit());
    let singular = |word: &String| index.forms.singular(word);
    let spoken: Vec<&String> = words.iter().filter(|word| !numeral(word)).collect();
    let telling: Vec<&String> =
        spoken.iter().copied().filter(|word| !index.lexicon.is_generic(&singular(word))).collect();
    let Some(last) = telling.last().or(spoken.last()) else { return String::new() };
    let plural = singular(last) != **last;
    let entity = telling.iter().rfind(|word| index.lexicon.is_entity(&singular(word)));
    entity.filter(|_| !plural).unwrap_or(last).to_string()
}

/// Whether a column declares these words as what its values stand for; they then do not mean the rows of a table.
fn is_column_noun(index: &Index, words: &[String]) -> bool {
    let singular = |words: &[String]| words.iter().map(|word| index.forms.singular(word)).collect::<Vec<_>>();
    let wanted = singular(words);
    let columns = index.dataset.tables.iter().flat_map(|table| table.columns.iter().map(move |column| (table, column)));
    columns
        .filter(|(table, column)| table.noun.is_some() && !column.unique)
        .filter_map(|(table, column)| column.noun.as_ref().map(|noun| (table, noun)))
        .any(|(table, noun)| singular(&split_name(noun)) == wanted && table.noun.as_ref() != Some(noun))
}

/// The unique column that identifies a table's rows; a unique measurement is a coincidence, not a key.
fn key(index: &Index, table: TableId) -> Option<ColId> {
    let ids = || index.columns_of(table);
    let unique = |id: &ColId| index.column(*id).unique;
    let named = ids().filter(unique).find(|id| index.facts(*id).identifier);
    let text = || ids().filter(unique).find(|id| index.column(*id).ty == Type::Text);
    let linked = index.dataset.relations.iter().find(|relation| relation.to_table == index.table(table).name);
    let target = linked.and_then(|relation| index.find(&format!("{}.{}", relation.to_table, relation.to_column)));
    target.or(named).or_else(text)
}

fn label(index: &Index, table: TableId, noun: &str, key: Option<ColId>) -> Option<ColId> {
    let noun = split_name(noun);
    // `wdn_nm` beside `wdn_id`: of the same, whatever that is short for.
    let of_key = key.and_then(|key| index.facts(key).words.split_last()).map(|(_, of)| of).filter(|of| !of.is_empty());
    let score = |id: &ColId| {
        let words = &index.facts(*id).words;
        let last = words.last().map(String::as_str)?;
        match last {
            "name" | "title" if words.len() == 1 => Some(0),
            "name" | "title" if words[..words.len() - 1] == noun[..] => Some(1),
            "name" if words[0] == "full" => Some(2),
            "name" | "title" if Some(&words[..words.len() - 1]) == of_key => Some(3),
            _ if *words == noun => Some(4),
            _ => None,
        }
    };
    let texts = index.columns_of(table).filter(|id| index.column(*id).ty == Type::Text && is_common(index, *id));
    texts.filter_map(|id| score(&id).map(|score| (score, id))).min().map(|(_, id)| id)
}

/// Whether most rows have a cell there: the title of a book, not the title that some players hold.
fn is_common(index: &Index, id: ColId) -> bool {
    index.column(id).nulls * 2 <= index.table(id.table).rows
}

/// Columns of other tables that hold this table's key.
fn links_to(index: &Index, table: TableId) -> Vec<ColId> {
    let name = &index.table(table).name;
    let relations = index.dataset.relations.iter().filter(|relation| relation.to_table == *name);
    relations.filter_map(|relation| index.find(&format!("{}.{}", relation.from_table, relation.from_column))).collect()
}

fn add_column(index: &mut Index, id: ColId) {
    let column = index.column(id);
    if index.facts(id).yes.is_some() {
        return;
    }
    let words = index.facts(id).words.clone();
    let from_name = || {
        let last = words.last().map(String::as_str);
        let named = words.len() > 1 && matches!(last, Some("id" | "name" | "no"));
        (named && matches!(column.ty, Type::Int | Type::Text)).then(|| words[..words.len() - 1].join(" "))
    };
    let declared = column.noun.is_some();
    let Some(noun) = column.noun.clone().or_else(from_name) else { return };
    let phrase = split_name(&noun);
    let owner = index.things.iter().position(|thing| thing.keys.contains(&id) || thing.label == Some(id));
    if let Some(thing) = owner {
        if is_one_of_several_roles(index, thing, id, &phrase) {
            // Beside the rows themselves it is only a part of what the word may mean: a job may be called so, too.
            let own = index.things[thing].table == Some(id.table);
            index.add(&phrase, Sense::Column(id), if own { Fit::Part } else { Fit::Whole });
            return;
        }
        if declared || index.things[thing].keys.contains(&id) {
            index.add(&phrase, Sense::Thing(thing), Fit::Whole);
            if words.last().is_some_and(|last| last == "no") {
                let numbered: Vec<String> = phrase.iter().cloned().chain(["number".to_string()]).collect();
                index.add(&numbered, Sense::Thing(thing), Fit::Whole);
            }
        }
        return;
    }
    let same_noun = index.things.iter().position(|thing| index.forms.singular(&thing.noun) == noun);
    match same_noun {
        Some(thing) if index.things[thing].table.is_none() => extend(index, thing, id),
        Some(_) => {}
        None => {
            let thing = index.things.len();
            let label = sibling_label(index, id, &phrase);
            index.things.push(Thing { noun, table: None, keys: vec![id], label });
            index.add(&phrase, Sense::Thing(thing), Fit::Whole);
        }
    }
}

/// `home_club_id` of members beside `club_id` of visits: the home club is not just any club that a row has. Nor is every
/// employee a manager because employees have a `manager_id`.
fn is_one_of_several_roles(index: &Index, thing: ThingId, id: ColId, phrase: &[String]) -> bool {
    let info = &index.things[thing];
    if info.table == Some(id.table) && !index.column(id).unique && phrase != split_name(&info.noun) {
        return true;
    }
    let linked = |key: &&ColId| info.table != Some(key.table) && key.table != id.table;
    let role = phrase.len() > split_name(&info.noun).len();
    role && info.table.is_some_and(|table| table != id.table) && info.keys.iter().any(|key| linked(&key))
}

/// The same noun again: a name beside an identifier is its label, elsewhere it is another key.
fn extend(index: &mut Index, thing: ThingId, id: ColId) {
    let key = index.things[thing].keys[0];
    let is_name = index.facts(id).words.last().is_some_and(|word| word == "name");
    if is_name && key.table == id.table {
        index.things[thing].label = Some(id);
    } else if !is_name {
        index.things[thing].keys.push(id);
    }
}

fn sibling_label(index: &Index, id: ColId, noun: &[String]) -> Option<ColId> {
    if index.facts(id).words.last().is_some_and(|word| word == "name") {
        return None;
    }
    let named = |other: &ColId| {
        let words = &index.facts(*other).words;
        let is_name =
            words.len() > noun.len() && words[..noun.len()] == *noun && words[noun.len()..] == ["name".to_string()];
        index.column(*other).ty == Type::Text && (is_name || words == noun)
    };
    index.columns_of(id.table).find(named)
}
