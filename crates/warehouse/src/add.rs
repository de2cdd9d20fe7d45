//! Naming datasets: files are added under a name, read again, and forgotten.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::SystemTime;

use base::{Code, Problem, Timestamp};
use data::Dataset;
use data::dataset::TableInfo;
use schemars::JsonSchema;
use serde::Serialize;

use crate::added_datasets::{Added, RECORD_FORMAT};
use crate::source::{Files, Source, shown};
use crate::versions::{Prepared, Resolved, tidy};
use crate::warehouse::Warehouse;

/// What became of one table when its files were read again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TableChange {
    /// Which.
    pub table: String,
    /// How many rows it had; none if it is new.
    pub rows_before: Option<u64>,
    /// How many rows it has; none if it is gone.
    pub rows_after: Option<u64>,
    /// Columns that are new.
    pub columns_added: Vec<String>,
    /// Columns that are gone.
    pub columns_removed: Vec<String>,
    /// Columns that are of another type, with both.
    pub columns_retyped: Vec<(String, String, String)>,
}

/// What reading again gave.
#[derive(Debug)]
pub struct Refreshed {
    /// The record as it is now.
    pub added: Added,
    /// The record as it was.
    pub was: Added,
    /// What is different; nothing where the old form was not there to compare with.
    pub changes: Vec<TableChange>,
    /// The new form.
    pub prepared: Prepared,
}

/// Adds files under a name and reads them.
pub async fn add(warehouse: &Warehouse, paths: &[PathBuf], name: Option<&str>) -> Result<(Added, Prepared), Problem> {
    let datasets = warehouse.datasets();
    let paths = absolute(paths)?;
    let files = Files::at(&paths)?;
    let name = datasets.free_name(name.unwrap_or(&files.id))?;
    let (added, prepared) = read(warehouse, &name, paths, files, None).await?;
    let changing = datasets.change()?;
    // Somebody may have been faster.
    datasets.free_name(&name)?;
    datasets.write(&changing, &added)?;
    Ok((added, prepared))
}

/// Reads the files of an added dataset again; its name stands for the new version from then on.
pub async fn refresh(warehouse: &Warehouse, name: &str) -> Result<Refreshed, Problem> {
    let datasets = warehouse.datasets();
    let was = datasets.get(name)?;
    let before = {
        let resolved = Resolved::of(warehouse, Source::Added(Box::new(was.clone()))).await?;
        resolved.prepared_form(warehouse)
    };
    let files = Files::at(&was.paths)?;
    let (mut added, prepared) = read(warehouse, name, was.paths.clone(), files, Some(was.added_at)).await?;
    added.replaced = Some(was.prepared.clone()).filter(|form| *form != added.prepared);
    let changing = datasets.change()?;
    if datasets.find(name)?.is_none_or(|now| now.added_at != was.added_at) {
        return Err(Problem::new(Code::DatasetUnknown, format!("`{name}` was removed while it was read"))
            .hint("add its files again"));
    }
    datasets.write(&changing, &added)?;
    let changes = before.as_ref().map(|before| compare(&before.dataset, &prepared.dataset)).unwrap_or_default();
    drop(before);
    forget_forms(warehouse, &was, None);
    drop(changing);
    Ok(Refreshed { added, was, changes, prepared })
}

/// Forgets an added dataset, and what was prepared for it alone.
pub fn remove(warehouse: &Warehouse, name: &str) -> Result<(), Problem> {
    let datasets = warehouse.datasets();
    let changing = datasets.change()?;
    match datasets.find(name) {
        Ok(Some(added)) => {
            // In this order: whoever is stopped in between leaves a record that can be removed again.
            forget_forms(warehouse, &added, Some(name));
            warehouse.notes().forget_all(&added.name);
            datasets.forget(&changing, name)?;
        }
        Ok(None) => return datasets.get(name).map(drop),
        Err(_) => drop(datasets.forget(&changing, name)?),
    }
    drop(changing);
    tidy(warehouse);
    Ok(())
}

/// Removes the prepared forms of a record that no name but one stands for any more. Only while records do not change.
fn forget_forms(warehouse: &Warehouse, record: &Added, but: Option<&str>) {
    let (added, whole) = warehouse.datasets().all();
    let stays = |form: &String| added.iter().any(|added| added.prepared == *form && but != Some(added.name.as_str()));
    for form in [Some(&record.prepared), record.replaced.as_ref()].into_iter().flatten() {
        if whole && !stays(form) {
            warehouse.cache().remove(form);
        }
    }
}

async fn read(
    warehouse: &Warehouse,
    name: &str,
    paths: Vec<PathBuf>,
    files: Files,
    added_at: Option<Timestamp>,
) -> Result<(Added, Prepared), Problem> {
    let skipped = files.skipped.clone();
    let files = Files { id: name.to_string(), ..files };
    let resolved = Resolved::of(warehouse, Source::Files(files)).await?;
    let prepared = resolved.prepare(warehouse).await?;
    let now = Timestamp::from(SystemTime::now());
    let added = Added {
        v: RECORD_FORMAT,
        name: name.to_string(),
        paths,
        version: resolved.version.clone(),
        prepared: prepared.name.clone(),
        replaced: None,
        added_at: added_at.unwrap_or(now),
        read_at: now,
        files: resolved.files().to_vec(),
        metadata: resolved.metadata_text().to_string(),
        skipped,
        tables: prepared.dataset.tables.iter().map(|table| (table.name.clone(), table.rows)).collect(),
    };
    Ok((added, prepared))
}

/// Paths that mean the same from everywhere.
fn absolute(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Problem> {
    let whole = |path: &PathBuf| {
        std::path::absolute(path).map_err(|error| {
            let name = shown(&path.display().to_string());
            Problem::new(Code::FileUnreadable, format!("`{name}` is no path: {error}")).hint("check the path")
        })
    };
    paths.iter().map(whole).collect()
}

/// What is different between two versions, table by table; what is the same is not told.
fn compare(before: &Dataset, after: &Dataset) -> Vec<TableChange> {
    let by_name = |dataset: &'_ Dataset| -> BTreeMap<String, TableInfo> {
        dataset.tables.iter().map(|table| (table.name.clone(), table.clone())).collect()
    };
    let (old, new) = (by_name(before), by_name(after));
    let mut names: Vec<&String> = old.keys().chain(new.keys()).collect();
    names.sort();
    names.dedup();
    names.into_iter().filter_map(|name| table_change(name, old.get(name), new.get(name))).collect()
}

fn table_change(name: &str, old: Option<&TableInfo>, new: Option<&TableInfo>) -> Option<TableChange> {
    let names = |table: Option<&TableInfo>, other: Option<&TableInfo>| -> Vec<String> {
        let (Some(table), Some(other)) = (table, other) else { return Vec::new() };
        let mine = table.columns.iter().map(|column| column.name.clone());
        mine.filter(|name| other.column(name).is_none()).collect()
    };
    let retyped = old.iter().flat_map(|old| &old.columns).filter_map(|column| {
        let now = new?.column(&column.name)?;
        (now.ty != column.ty)
            .then(|| (column.name.clone(), column.ty.as_str().to_string(), now.ty.as_str().to_string()))
    });
    let change = TableChange {
        table: name.to_string(),
        rows_before: old.map(|table| table.rows),
        rows_after: new.map(|table| table.rows),
        columns_added: names(new, old),
        columns_removed: names(old, new),
        columns_retyped: retyped.collect(),
    };
    let is_same = change.rows_before == change.rows_after
        && change.columns_added.is_empty()
        && change.columns_removed.is_empty()
        && change.columns_retyped.is_empty();
    (!is_same).then_some(change)
}
