//! Joining what ingest measured with what the owner declared.
//!
//! Names in the metadata are looked up without regard to case and punctuation; one that the data does not have is an
//! error, because the words attached to it would silently have no effect. A link is kept only if its one side was
//! measured to be unique: every join of a plan relies on it. A unit is the owner's, else the data's, else the name's.

use std::collections::BTreeSet;

use base::Hash;

use super::section::advice;
use super::{ColumnMetadata, MeasureMetadata, Metadata, TableMetadata, spelled};
use crate::dataset::{ColumnInfo, Dataset, DeclaredMeasure, Relation, TableInfo};
use crate::plan::{self, Agg, Expr};
use crate::profile::{ColumnProfile, Profile, TableProfile};
use crate::units;

impl Dataset {
    /// The dataset that these tables and these words make; refused if the words speak of something the data lacks.
    pub fn assemble(
        id: impl Into<String>,
        version: Hash,
        profile: &Profile,
        metadata: &Metadata,
    ) -> Result<Dataset, String> {
        let mut dataset = Dataset {
            id: id.into(),
            version,
            description: metadata.description.clone(),
            tables: tables(profile, metadata)?,
            relations: Vec::new(),
            measures: Vec::new(),
            questions: metadata.questions.clone(),
        };
        dataset.relations = relations(&dataset, profile, metadata)?;
        dataset.measures = metadata
            .measures
            .iter()
            .map(|declared| {
                measure(declared, &dataset).map_err(|problem| format!("measure `{}`: {problem}", declared.name))
            })
            .collect::<Result<_, String>>()?;
        Ok(dataset)
    }
}

/// Declared tables first and in their order, then the others as they were read.
fn tables(profile: &Profile, metadata: &Metadata) -> Result<Vec<TableInfo>, String> {
    let silent = TableMetadata::default();
    let mut chosen: Vec<(usize, &TableMetadata)> = Vec::new();
    for declared in &metadata.tables {
        let index = lookup(&declared.name, profile.tables.iter().map(|table| table.name.as_str()))
            .map_err(|advice| format!("the data has no table `{}`; {advice}", declared.name))?;
        if chosen.iter().any(|(other, _)| *other == index) {
            return Err(format!("table `{}` is described twice", profile.tables[index].name));
        }
        chosen.push((index, declared));
    }
    for index in 0..profile.tables.len() {
        if chosen.iter().all(|(other, _)| *other != index) {
            chosen.push((index, &silent));
        }
    }
    chosen.into_iter().map(|(index, declared)| table(&profile.tables[index], declared)).collect()
}

fn table(measured: &TableProfile, declared: &TableMetadata) -> Result<TableInfo, String> {
    let silent = ColumnMetadata::default();
    let mut words: Vec<&ColumnMetadata> = vec![&silent; measured.columns.len()];
    for (name, column) in &declared.columns {
        let index = lookup(name, measured.columns.iter().map(|column| column.name.as_str()))
            .map_err(|advice| format!("table `{}` has no column `{name}`; {advice}", measured.name))?;
        words[index] = column;
    }
    let columns = measured.columns.iter().zip(words);
    Ok(TableInfo {
        name: measured.name.clone(),
        description: declared.description.clone(),
        noun: declared.noun.clone(),
        synonyms: declared.synonyms.clone(),
        rows: measured.rows,
        columns: columns.map(|(column, words)| info(&measured.name, column, words)).collect::<Result<_, _>>()?,
        cells: measured.cells.clone(),
    })
}

fn info(table: &str, measured: &ColumnProfile, declared: &ColumnMetadata) -> Result<ColumnInfo, String> {
    let ty = match declared.ty {
        Some(ty) if ty != measured.ty && !(ty.is_number() && measured.ty.is_number()) => {
            let (name, declared, found) = (&measured.name, ty.as_str(), measured.ty.as_str());
            return Err(format!("column `{table}.{name}` is declared as {declared} but was read as {found}"));
        }
        Some(ty) => ty,
        None => measured.ty,
    };
    Ok(ColumnInfo {
        name: measured.name.clone(),
        ty,
        description: declared.description.clone(),
        synonyms: declared.synonyms.clone(),
        noun: declared.noun.clone(),
        unit: declared.unit.clone().or_else(|| unit(measured)),
        nulls: measured.nulls,
        distinct: measured.distinct,
        unique: measured.unique,
        min: measured.min.clone(),
        max: measured.max.clone(),
        values: measured.values.clone(),
        values_complete: measured.values_complete,
        running: measured.running.clone(),
        stock: measured.stock.clone(),
        repeats_within: measured.repeats_within.clone(),
    })
}

/// The unit that the data shows, or that the name of a number tells.
pub(super) fn unit(measured: &ColumnProfile) -> Option<String> {
    let named = || units::of_name(&measured.name).filter(|_| measured.ty.is_number());
    measured.unit.clone().or_else(named)
}

/// Declared links, then inferred ones between tables about which nothing was declared, but for the forbidden.
fn relations(dataset: &Dataset, profile: &Profile, metadata: &Metadata) -> Result<Vec<Relation>, String> {
    let forbidden = forbidden(dataset, metadata)?;
    let mut relations: Vec<Relation> = Vec::new();
    for declared in &metadata.relations {
        let (from, to) =
            resolve(dataset, declared).map_err(|problem| format!("relationship `{}`: {problem}", spelled(declared)))?;
        let relation = Relation { from_table: from.0, from_column: from.1, to_table: to.0, to_column: to.1 };
        if forbidden.contains(&ends(&relation)) {
            return Err(format!("relationship `{}` is both declared and forbidden", spelled(declared)));
        }
        if !relations.contains(&relation) {
            relations.push(relation);
        }
    }
    let declared_pairs: BTreeSet<[String; 2]> = relations.iter().map(pair).collect();
    let inferred = profile.relations.iter().filter(|relation| !declared_pairs.contains(&pair(relation)));
    for relation in inferred {
        let allowed = resolve(dataset, relation).is_ok() && !forbidden.contains(&ends(relation));
        if allowed && !relations.contains(relation) {
            relations.push(relation.clone());
        }
    }
    Ok(relations)
}

/// The pairs of columns that no link may join, in the data's own spelling.
fn forbidden(dataset: &Dataset, metadata: &Metadata) -> Result<BTreeSet<[Qualified; 2]>, String> {
    let pair = |forbidden: &Relation| {
        let wrong = |problem: String| format!("forbidden relationship `{}`: {problem}", spelled(forbidden));
        let qualified = |table: &str, column: &str| {
            let (table, column) = end(dataset, table, column).map_err(wrong)?;
            Ok::<Qualified, String>((table.to_string(), column.name.clone()))
        };
        let mut ends = [
            qualified(&forbidden.from_table, &forbidden.from_column)?,
            qualified(&forbidden.to_table, &forbidden.to_column)?,
        ];
        ends.sort();
        Ok(ends)
    };
    metadata.not_relations.iter().map(pair).collect()
}

/// The two columns of a link, whichever way it runs.
fn ends(relation: &Relation) -> [Qualified; 2] {
    let Relation { from_table, from_column, to_table, to_column } = relation.clone();
    let mut ends = [(from_table, from_column), (to_table, to_column)];
    ends.sort();
    ends
}

/// The two tables of a link, whichever way it runs.
fn pair(relation: &Relation) -> [String; 2] {
    let mut tables = [relation.from_table.clone(), relation.to_table.clone()];
    tables.sort();
    tables
}

type Qualified = (String, String);

/// Both ends in the data's own spelling, if the link is one that joins may rely on.
fn resolve(dataset: &Dataset, relation: &Relation) -> Result<(Qualified, Qualified), String> {
    let (from_table, from) = end(dataset, &relation.from_table, &relation.from_column)?;
    let (to_table, to) = end(dataset, &relation.to_table, &relation.to_column)?;
    let alike = from.ty == to.ty || (from.ty.is_number() && to.ty.is_number());
    if !alike {
        let (from, to) = (from.ty.as_str(), to.ty.as_str());
        return Err(format!("it compares {from} with {to}"));
    }
    if !to.unique {
        return Err(format!(
            "values of `{}.{}` are not unique, so a row could have several partners",
            to_table, to.name
        ));
    }
    Ok(((from_table.to_string(), from.name.clone()), (to_table.to_string(), to.name.clone())))
}

fn end<'a>(dataset: &'a Dataset, table: &str, column: &str) -> Result<(&'a str, &'a ColumnInfo), String> {
    let table = find_table(dataset, table)?;
    let index = lookup(column, table.columns.iter().map(|column| column.name.as_str()))
        .map_err(|advice| format!("table `{}` has no column `{column}`; {advice}", table.name))?;
    Ok((&table.name, &table.columns[index]))
}

fn find_table<'a>(dataset: &'a Dataset, name: &str) -> Result<&'a TableInfo, String> {
    let index = lookup(name, dataset.tables.iter().map(|table| table.name.as_str()))
        .map_err(|advice| format!("the data has no table `{name}`; {advice}"))?;
    Ok(&dataset.tables[index])
}

fn measure(declared: &MeasureMetadata, dataset: &Dataset) -> Result<DeclaredMeasure, String> {
    let mut tables: Vec<String> = Vec::new();
    for name in &declared.tables {
        tables.push(find_table(dataset, name)?.name.clone());
    }
    if tables.is_empty() {
        match dataset.tables.as_slice() {
            [only] => tables.push(only.name.clone()),
            _ => return Err("say with `tables` where it may be computed".to_string()),
        }
    }
    let expr = match &declared.expr {
        Some(text) => Some(expression(text, &tables[0], dataset)?),
        None => None,
    };
    if let Some(expr) = &expr {
        check_type(declared.agg, expr, dataset)?;
        for table in &tables {
            check_reach(expr, table, dataset)?;
        }
    }
    Ok(DeclaredMeasure {
        name: declared.name.clone(),
        synonyms: declared.synonyms.clone(),
        agg: declared.agg,
        expr,
        tables,
        unit: declared.unit.clone(),
        description: declared.description.clone(),
    })
}

/// A column is taken as it is spelled, whatever characters are in its name; anything else is arithmetic.
fn expression(text: &str, from_table: &str, dataset: &Dataset) -> Result<Expr, String> {
    let own = dataset.table(from_table).and_then(|table| table.column(text));
    if let Some(column) = own {
        return Ok(Expr::col(format!("{from_table}.{}", column.name)));
    }
    if dataset.column(text).is_some() {
        return Ok(Expr::col(text));
    }
    plan::parse_arithmetic(text, from_table, dataset).map_err(|problem| match problem.suggestions.first() {
        Some(name) => format!("{}; did you mean `{name}`?", problem.message),
        None => problem.message,
    })
}

fn check_type(agg: Agg, expr: &Expr, dataset: &Dataset) -> Result<(), String> {
    let Expr::Col { col } = expr else { return Ok(()) };
    let Some(ty) = dataset.column(col).map(|column| column.ty) else { return Ok(()) };
    match crate::plan::kind::aggregate(agg, Some(ty.into())) {
        Ok(_) => Ok(()),
        Err(_) => Err(format!("`{col}` is {}, which has no {}", ty.as_str(), agg.as_str())),
    }
}

/// Every column must be found from the grain along many-to-one links, or the measure could not be computed there.
fn check_reach(expr: &Expr, grain: &str, dataset: &Dataset) -> Result<(), String> {
    let mut reached = BTreeSet::from([grain]);
    loop {
        let next: Vec<&str> = dataset
            .relations
            .iter()
            .filter(|link| reached.contains(link.from_table.as_str()))
            .map(|link| link.to_table.as_str())
            .filter(|table| !reached.contains(table))
            .collect();
        if next.is_empty() {
            break;
        }
        reached.extend(next);
    }
    match expr
        .columns()
        .into_iter()
        .find(|column| !column.split_once('.').is_some_and(|(table, _)| reached.contains(table)))
    {
        None => Ok(()),
        Some(column) => Err(format!("no link leads from a row of `{grain}` to one value of `{column}`")),
    }
}

/// The index of the name, spelled exactly or else alike but for case and punctuation; otherwise advice.
fn lookup<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> Result<usize, String> {
    let fold =
        |name: &str| -> String { name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect() };
    let names: Vec<&str> = names.collect();
    let exact = names.iter().position(|name| *name == wanted);
    let alike = || {
        let folded = fold(wanted);
        let mut found = (0..names.len()).filter(|index| !folded.is_empty() && fold(names[*index]) == folded);
        found.next().filter(|_| found.next().is_none())
    };
    exact.or_else(alike).ok_or_else(|| advice(wanted, &names))
}
