//! Plain questions about what a dataset has, each with the columns and numbers that it was made from.

use base::Type;

use super::Near;
use crate::decide::is_counted_by_rows;
use crate::index::{ColId, Index};
use crate::lexicon::{Glue, Role};
use crate::schema::TableId;
use crate::understood::Part;
use crate::words::{plural, split_name};

/// Of how many columns of one kind a table's questions are made.
const PER_TABLE_MAX: usize = 3;
/// How many values make a choice of groups.
const GROUPS: std::ops::RangeInclusive<u64> = 2..=50;
/// How many different numbers do.
const NUMBER_GROUPS: std::ops::RangeInclusive<u64> = 2..=12;

/// What is asked of a number where nothing else was.
pub const AVERAGE: &str = "average";

/// A column as people write it.
pub fn spoken(index: &Index, id: ColId) -> String {
    let (facts, column) = (index.facts(id), index.column(id));
    // What an abbreviation may be short for is not what its column is called, nor is "salary in".
    let is_own = facts.core.iter().all(|word| facts.written.contains(word));
    let joins = |role: &Role| matches!(role, Role::Glue(Glue::Preposition));
    let ends = facts.core.last().is_some_and(|word| !index.lexicon.roles(word).iter().any(joins));
    if is_own && ends { facts.core.join(" ") } else { split_name(&column.name).join(" ") }
}

/// Whether rows are grouped by a column.
pub fn is_category(index: &Index, id: ColId) -> bool {
    let column = index.column(id);
    match column.ty {
        Type::Text => !column.unique && GROUPS.contains(&column.distinct),
        Type::Bool => true,
        Type::Int => !index.facts(id).identifier && NUMBER_GROUPS.contains(&column.distinct),
        _ => false,
    }
}

/// Whether that column names its groups.
fn is_text(index: &Index, id: ColId) -> bool {
    index.column(id).ty == Type::Text && is_category(index, id)
}

/// Whether a column says how much, and can be averaged.
pub fn is_amount(index: &Index, id: ColId) -> bool {
    let (facts, column) = (index.facts(id), index.column(id));
    let numbers_rows = column.ty == Type::Int && column.unique;
    index.is_quantity(id) && !facts.mark && !numbers_rows && column.distinct > 2 && column.running.is_none()
}

/// Questions about everything, table by table.
pub fn made(index: &Index) -> Vec<Near> {
    let mut questions = Vec::new();
    for table in 0..index.dataset.tables.len() {
        let columns = |wanted: &dyn Fn(ColId) -> bool| -> Vec<ColId> {
            index.columns_of(table).filter(|id| wanted(*id)).take(PER_TABLE_MAX).collect()
        };
        let (categories, numbers) = (columns(&|id| is_text(index, id)), columns(&|id| is_amount(index, id)));
        questions.extend(rows(index, table));
        questions.extend(categories.iter().filter_map(|category| counts(index, *category)));
        questions.extend(index.columns_of(table).filter_map(|id| latest(index, id)));
        for number in numbers {
            questions.push(amount(index, AVERAGE, number, None));
            questions.extend(categories.iter().map(|category| amount(index, AVERAGE, number, Some(*category))));
        }
        for measure in 0..index.dataset.measures.len() {
            if index.measure(measure).tables.contains(&index.table(table).name) {
                questions.push(declared(index, measure, None));
                questions.extend(categories.iter().map(|category| declared(index, measure, Some(*category))));
            }
        }
    }
    let marks = index.columns().filter(|id| index.facts(*id).mark && index.column(*id).ty.is_number());
    questions.extend(marks.flat_map(|id| counts(index, id).into_iter().chain(extremes(index, id))));
    questions.extend(tops(index));
    questions
}

/// How a question asks for its numbers.
pub struct Manner<'a> {
    /// A word such as "total".
    pub asked_with: &'a str,
    /// Whether it asks how two of them go together.
    pub relates: bool,
    pub along_time: bool,
    pub counts_rows: bool,
}

/// Questions about what another question spoke of, in its manner.
pub fn about(index: &Index, parts: &[Part], manner: &Manner) -> Vec<Near> {
    let Manner { asked_with, relates, along_time, counts_rows } = *manner;
    let columns = || parts.iter().filter_map(|part| if let Part::Column(id) = part { Some(*id) } else { None });
    let measures = || parts.iter().filter_map(|part| if let Part::Measure(id) = part { Some(*id) } else { None });
    let names = |id: &ColId| index.column(*id).ty == Type::Text && !index.column(*id).unique;
    let categories: Vec<ColId> = columns().filter(names).collect();
    let numbers: Vec<ColId> = columns().filter(|id| is_amount(index, *id)).collect();
    let is_only_rows = categories.is_empty() && numbers.is_empty() && measures().next().is_none() && !counts_rows;
    let mut questions = Vec::new();
    if let ([first, second, ..], true) = (&numbers[..], relates) {
        let question = format!("plot {} against {}", spoken(index, *first), spoken(index, *second));
        questions.push(near(question, [*first, *second].map(Part::Column)));
    }
    if let Some(years) = index.columns().find(|id| along_time && index.facts(*id).years) {
        questions.extend(numbers.iter().map(|number| amount(index, asked_with, *number, Some(years))));
    }
    for category in &categories {
        questions.extend(measures().map(|measure| declared(index, measure, Some(*category))));
        questions.extend(numbers.iter().map(|number| amount(index, asked_with, *number, Some(*category))));
    }
    questions.extend(measures().map(|measure| declared(index, measure, None)));
    questions.extend(numbers.iter().map(|number| amount(index, asked_with, *number, None)));
    questions.extend(columns().filter_map(|id| latest(index, id)));
    for category in categories {
        let others = index.columns_of(category.table).filter(|id| is_amount(index, *id) && numbers.is_empty());
        questions.extend(others.take(PER_TABLE_MAX).map(|number| amount(index, AVERAGE, number, Some(category))));
        questions.extend(counts(index, category));
    }
    questions.extend(columns().filter(|id| index.facts(*id).mark).flat_map(|id| extremes(index, id)));
    let table = |part: &Part| {
        let Part::Table(name) = part else { return None };
        index.dataset.tables.iter().position(|table| table.name == *name)
    };
    for table in parts.iter().filter_map(table) {
        let of_rows = index.columns_of(table).filter(|id| is_only_rows && is_amount(index, *id)).take(PER_TABLE_MAX);
        questions.extend(of_rows.map(|number| amount(index, asked_with, number, None)));
        questions.extend(rows(index, table));
    }
    questions
}

fn near(question: String, parts: impl IntoIterator<Item = Part>) -> Near {
    Near { question, parts: parts.into_iter().map(|part| vec![part]).collect() }
}

/// What the rows of a table are called; just that where they are named by no more than a file.
fn things(index: &Index, table: TableId) -> Option<String> {
    let noun = &index.things[index.rows_of(table)?].noun;
    let info = index.table(table);
    let last = split_name(&info.name).pop().unwrap_or_default();
    let is_named = info.noun.is_some() || index.dataset.tables.len() > 1 || index.forms.singular(&last) != last;
    Some(if is_named { plural(noun) } else { "rows".to_string() })
}

/// How many rows there are; what a number of each row counts is not counted by rows.
fn rows(index: &Index, table: TableId) -> Option<Near> {
    let things = things(index, table).filter(|_| !is_counted_by_rows(index, table))?;
    Some(near(format!("How many {things} are there?"), [Part::Table(index.table(table).name.clone())]))
}

fn counts(index: &Index, category: ColId) -> Option<Near> {
    let things = things(index, category.table).filter(|_| !is_counted_by_rows(index, category.table))?;
    Some(near(format!("How many {things} are there by {}?", spoken(index, category)), [Part::Column(category)]))
}

fn amount(index: &Index, asked_with: &str, number: ColId, category: Option<ColId>) -> Near {
    let by = category.map(|id| format!(" by {}", spoken(index, id))).unwrap_or_default();
    let parts = [Some(number), category].into_iter().flatten().map(Part::Column);
    near(format!("What is the {asked_with} {}{by}?", spoken(index, number)), parts)
}

fn declared(index: &Index, measure: usize, category: Option<ColId>) -> Near {
    let by = category.map(|id| format!(" by {}", spoken(index, id))).unwrap_or_default();
    let parts = std::iter::once(Part::Measure(measure)).chain(category.map(Part::Column));
    near(format!("What is the {}{by}?", index.measure(measure).name), parts)
}

/// What a running total came to, by what it is of.
fn latest(index: &Index, id: ColId) -> Option<Near> {
    let name = |name: &String| split_name(name).join(" ");
    let running = index.column(id).running.as_ref()?;
    let of = running.entity.iter().map(name).collect::<Vec<_>>().join(" and ");
    let by = if of.is_empty() { String::new() } else { format!(" by {of}") };
    Some(near(format!("What is the latest {}{by}?", name(&index.column(id).name)), [Part::Column(id)]))
}

/// The ends of a number that only places or tells apart.
fn extremes(index: &Index, id: ColId) -> Vec<Near> {
    let name = split_name(&index.column(id).name).join(" ");
    ["highest", "lowest"].map(|end| near(format!("What is the {end} {name}?"), [Part::Column(id)])).into()
}

/// What ranks things by declared measures.
fn tops(index: &Index) -> Vec<Near> {
    let mut questions = Vec::new();
    for (id, measure) in index.dataset.measures.iter().enumerate() {
        let natural = measure.tables.first();
        let ranked = |table: TableId| Some(&index.table(table).name) != natural;
        let things = index.things.iter().filter(|thing| thing.table.is_none_or(ranked));
        let top = |noun: &str| format!("What are the top 10 {} by {}?", plural(noun), measure.name);
        questions.extend(things.map(|thing| near(top(&thing.noun), [Part::Measure(id)])));
    }
    questions
}
