//! Finding tables and columns by the names people write: case and punctuation do not count, an exact spelling wins.

use base::{Code, nearest};

use super::PlanProblem;
use crate::dataset::{ColumnInfo, Dataset, TableInfo};
use crate::join;

/// Letters and digits only, in lower case; a name without any keeps its spelling.
pub(crate) fn folded(name: &str) -> String {
    let kept: String = name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    if kept.is_empty() { name.to_string() } else { kept }
}

/// What a name leads to.
pub(crate) enum Found<T> {
    One(T),
    Several(Vec<T>),
    None,
}

/// Looks a name up: the exact spelling, else the folded one where it is the only one.
pub(crate) fn lookup<'a, T: Copy>(wanted: &str, all: impl Iterator<Item = (T, &'a str)> + Clone) -> Found<T> {
    if let Some((item, _)) = all.clone().find(|(_, name)| *name == wanted) {
        return Found::One(item);
    }
    let wanted = folded(wanted);
    let close: Vec<T> = all.filter(|(_, name)| folded(name) == wanted).map(|(item, _)| item).collect();
    match close[..] {
        [] => Found::None,
        [one] => Found::One(one),
        _ => Found::Several(close),
    }
}

/// The table of that name.
pub(crate) fn table<'d>(dataset: &'d Dataset, wanted: &str) -> Result<&'d TableInfo, PlanProblem> {
    let names = || dataset.tables.iter().map(|table| table.name.as_str());
    match lookup(wanted, dataset.tables.iter().map(|table| (table, table.name.as_str()))) {
        Found::One(table) => Ok(table),
        Found::Several(tables) => Err(PlanProblem::invalid("", format!("`{wanted}` may be several tables"))
            .suggest(tables.iter().map(|table| table.name.clone()).collect())),
        Found::None => Err(PlanProblem::invalid("", format!("dataset `{}` has no table `{wanted}`", dataset.id))
            .code(Code::TableUnknown)
            .suggest(nearest(wanted, names()))),
    }
}

fn column_in<'d>(table: &'d TableInfo, wanted: &str) -> Found<&'d ColumnInfo> {
    lookup(wanted, table.columns.iter().map(|column| (column, column.name.as_str())))
}

/// The column a name means, seen from the rows of `from`: `table.column`, or a bare name that is looked up in `from`
/// and then along the joins, nearest first.
pub(crate) fn column<'d>(
    dataset: &'d Dataset,
    from: &'d TableInfo,
    via: &[String],
    wanted: &str,
) -> Result<(&'d TableInfo, &'d ColumnInfo), PlanProblem> {
    let prefix = wanted.split_once('.').and_then(|(prefix, rest)| Some((table(dataset, prefix).ok()?, rest)));
    if let Some((owner, rest)) = prefix
        && let Some(column) = only(owner, column_in(owner, rest), wanted)?
    {
        join::path(dataset, &from.name, &owner.name, via)?;
        return Ok((owner, column));
    }
    if let Some(column) = only(from, column_in(from, wanted), wanted)? {
        return Ok((from, column));
    }
    for tables in join::reachable(dataset, &from.name) {
        let mut found = Vec::new();
        for owner in tables {
            found.extend(only(owner, column_in(owner, wanted), wanted)?.map(|column| (owner, column)));
        }
        match found[..] {
            [] => continue,
            [(owner, column)] => {
                join::path(dataset, &from.name, &owner.name, via)?;
                return Ok((owner, column));
            }
            _ => {
                let names = found.iter().map(|(owner, column)| qualified(owner, column)).collect();
                return Err(PlanProblem::invalid("", format!("`{wanted}` may be several columns")).suggest(names));
            }
        }
    }
    Err(unknown(dataset, from, prefix, wanted))
}

fn only<'d>(
    owner: &TableInfo,
    found: Found<&'d ColumnInfo>,
    wanted: &str,
) -> Result<Option<&'d ColumnInfo>, PlanProblem> {
    match found {
        Found::One(column) => Ok(Some(column)),
        Found::None => Ok(None),
        Found::Several(columns) => Err(PlanProblem::invalid("", format!("`{wanted}` may be several columns"))
            .suggest(columns.iter().map(|column| qualified(owner, column)).collect())),
    }
}

/// The one spelling of a column in canonical plans.
pub(crate) fn qualified(table: &TableInfo, column: &ColumnInfo) -> String {
    format!("{}.{}", table.name, column.name)
}

fn unknown(dataset: &Dataset, from: &TableInfo, prefix: Option<(&TableInfo, &str)>, wanted: &str) -> PlanProblem {
    if let Some((owner, rest)) = prefix {
        let near = nearest(rest, owner.columns.iter().map(|column| column.name.as_str()));
        return PlanProblem::invalid("", format!("table `{}` has no column `{rest}`", owner.name))
            .code(Code::ColumnUnknown)
            .suggest(near.iter().map(|name| format!("{}.{name}", owner.name)).collect());
    }
    let names_column = |name: &str| dataset.tables.iter().any(|table| matches!(column_in(table, name), Found::One(_)));
    if let Some((prefix, rest)) = wanted.split_once('.')
        && names_column(rest)
    {
        return PlanProblem::invalid("", format!("dataset `{}` has no table `{prefix}`", dataset.id))
            .code(Code::TableUnknown)
            .suggest(nearest(prefix, dataset.tables.iter().map(|table| table.name.as_str())));
    }
    PlanProblem::invalid("", format!("neither `{}` nor what it joins has a column `{wanted}`", from.name))
        .code(Code::ColumnUnknown)
        .suggest(near_columns(dataset, from, wanted))
}

/// Bare names of `from` and qualified names of other tables, by likeness of the bare name.
fn near_columns(dataset: &Dataset, from: &TableInfo, wanted: &str) -> Vec<String> {
    const SUGGESTIONS_MAX: usize = 3;
    let mut names = nearest(wanted, from.columns.iter().map(|column| column.name.as_str()));
    let joined = join::reachable(dataset, &from.name);
    for table in joined.into_iter().flatten() {
        let near = nearest(wanted, table.columns.iter().map(|column| column.name.as_str()));
        names.extend(near.iter().map(|name| format!("{}.{name}", table.name)));
    }
    names.truncate(SUGGESTIONS_MAX);
    names
}
