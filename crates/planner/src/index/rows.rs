//! What people may call the rows of the only table when its owner has not said: words of a closed list, days.
//!
//! A word is only taken where nothing of the dataset is called so and nothing speaks against it: another noun for the
//! rows, a column that identifies such things, or columns that only rows of another class have. Persons are only
//! assumed where a column shows them. Readings that use such a word say so.

use base::{Cell, Type};
use data::dataset::ColumnInfo;
use jiff::civil::Date;

use super::{ColId, Index, Thing, ThingId};
use crate::lexicon::{Entity, Words};
use crate::words::split_name;

/// Words for the rows of the only table that its owner did not declare.
#[derive(Clone, Debug, Default)]
pub struct RowWords {
    /// In the singular.
    pub words: Words,
    /// Those that the names of columns show.
    pub shown: Words,
    /// Whether every row is one day.
    pub days: bool,
}

/// The words that can stand for the rows of a dataset's only table, and the rows.
pub fn row_words(index: &Index) -> RowWords {
    let [table] = &index.dataset.tables[..] else { return RowWords::default() };
    let days = unique_day(index, &index.things[0]).is_some();
    if table.noun.is_some() || days {
        return RowWords { days, ..RowWords::default() };
    }
    let known = known_nouns(index);
    let entities = &index.lexicon.entities;
    let class_of = |noun: &str| entities.iter().find(|entity| entity.has(noun));
    let own: Vec<&Entity> = known.iter().filter_map(|noun| class_of(noun)).collect();
    let others: Vec<&Entity> = other_nouns(index).iter().filter_map(|noun| class_of(noun)).collect();
    let shown: Vec<&Entity> = entities.iter().filter(|entity| evidence(index, entity) > 0).collect();
    let decided = entities.iter().any(|entity| evidence(index, entity) > 1);
    let coded = own.is_empty() && index.columns().any(|id| is_repeated_code(index, id));
    let mut words: Vec<&str> = Vec::new();
    for entity in entities {
        let same = |other: &&Entity| other.class == entity.class;
        if others.iter().any(same) || coded && !entity.generic.contains(&"measurement") {
            continue;
        }
        if !own.is_empty() {
            words.extend(entity.generic.iter().filter(|_| own.iter().any(same)));
        } else if shown.iter().any(same) || !decided && entity.evidence.is_empty() {
            words.extend(entity.generic.iter().chain(&entity.kinds));
        }
    }
    words.retain(|word| !is_used(index, word));
    let mut shown = shown_in_names(index);
    // Beside a known noun only the person that such a record is about: the applicant of a loan.
    let of_person = |word: &str| index.lexicon.is_of("person", word) && own.iter().all(|known| known.class != "person");
    shown.retain(|word| own.is_empty() || of_person(word));
    if !shown.is_empty() {
        // Where names say what the rows are, other kinds of the same class are not they: hurricanes among storms.
        let generic = shown.iter().filter_map(|noun| class_of(noun)).flat_map(|entity| &entity.generic);
        words.retain(|_| !own.is_empty());
        words.extend(generic.copied().filter(|word| !is_used(index, word)).chain(shown.iter().copied()));
    }
    RowWords { words, shown, days }
}

/// The date that is different in every row, where rows have no other date, key or name.
pub fn unique_day(index: &Index, thing: &Thing) -> Option<ColId> {
    let table = thing.table?;
    let dates: Vec<ColId> = index.columns_of(table).filter(|id| index.column(*id).ty.is_temporal()).collect();
    let [date] = dates[..] else { return None };
    let info = index.column(date);
    let named = thing.label.is_some_and(|label| label != date);
    let daily = info.unique && info.ty == Type::Date && is_dense(info);
    (daily && thing.keys.is_empty() && !named).then_some(date)
}

/// Whether most days between the first and the last have a row; weeks and months do not.
fn is_dense(info: &ColumnInfo) -> bool {
    let day = |cell: &Option<Cell>| cell.as_ref().and_then(Cell::as_str)?.get(..10)?.parse::<Date>().ok();
    let (Some(first), Some(last)) = (day(&info.min), day(&info.max)) else { return false };
    let days = (last - first).get_days();
    info.distinct as i64 * 2 > i64::from(days)
}

/// What the rows are called by the table's name or by a column that is different in every row.
fn known_nouns(index: &Index) -> Vec<String> {
    let thing: ThingId = 0;
    let unique = index.columns().filter(|id| index.column(*id).unique && index.column(*id).ty == Type::Text);
    let named = index.columns().filter(|id| index.things[thing].keys.contains(id));
    let words = unique.chain(named).flat_map(|id| index.facts(id).words.clone());
    std::iter::once(index.things[thing].noun.clone()).chain(words).map(|word| index.forms.singular(&word)).collect()
}

/// What values that occur in several rows stand for: such things are not the rows.
fn other_nouns(index: &Index) -> Vec<String> {
    let things = index.things.iter().filter(|thing| thing.table.is_none());
    let repeated = things.filter(|thing| thing.keys.iter().any(|key| !index.column(*key).unique));
    repeated.flat_map(|thing| split_name(&thing.noun)).map(|word| index.forms.singular(&word)).collect()
}

/// A code that occurs in several rows stands for something that a row is not, and which one is open.
fn is_repeated_code(index: &Index, id: ColId) -> bool {
    let code = |word: &String| matches!(word.as_str(), "id" | "no" | "code" | "sku" | "key" | "number");
    !index.column(id).unique && index.facts(id).words.len() > 1 && index.facts(id).words.last().is_some_and(code)
}

/// How many columns are of the kind that only rows of a class have.
fn evidence(index: &Index, entity: &Entity) -> usize {
    let word_shows = |word: &String| entity.evidence.contains(&index.forms.singular(word).as_str());
    index.columns().filter(|id| index.facts(*id).words.iter().any(word_shows)).count()
}

/// What a record is about by the names of its columns.
fn shown_in_names(index: &Index) -> Vec<&'static str> {
    let other = other_nouns(index);
    let known = |word: &str| other.iter().any(|noun| noun == word) || index.is_value(word);
    index.lexicon.records.iter().copied().filter(|word| modifies(index, word) && !known(word)).collect()
}

/// Whether names of columns say the word of something else, and nothing is called so: `applicant` in `ApplicantIncome`.
fn modifies(index: &Index, word: &str) -> bool {
    let is_word = |other: &String| index.forms.singular(other) == word;
    let before_last =
        |id: ColId| index.facts(id).words.split_last().is_some_and(|(_, rest)| rest.iter().any(|w| w == word));
    let ends = |id: ColId| index.facts(id).core.last().is_some_and(is_word);
    index.names(&index.forms.stem(word)).is_empty() && index.columns().any(before_last) && !index.columns().any(ends)
}

/// Whether the dataset uses the word itself, as a name, a part of one, or a cell.
fn is_used(index: &Index, word: &str) -> bool {
    let in_name = |id: ColId| index.facts(id).words.iter().any(|other| index.forms.singular(other) == word);
    !index.names(&index.forms.stem(word)).is_empty() || index.is_value(word) || index.columns().any(in_name)
}
