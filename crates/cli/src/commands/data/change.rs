//! `assay data add|refresh|remove`: which files a name stands for.

use std::path::PathBuf;

use agent::TableChange;
use base::Problem;
use serde_json::json;

use super::{counted, say, size};
use crate::app::App;

/// Gives files a name and reads them.
pub async fn add(app: &App, paths: &[PathBuf], name: Option<&str>) -> Result<u8, Problem> {
    let (added, prepared) = agent::add(&app.context, paths, name).await?;
    let tables: Vec<_> = prepared
        .dataset
        .tables
        .iter()
        .map(|table| json!({ "name": table.name, "rows": table.rows, "columns": table.columns.len() }))
        .collect();
    let document = json!({
        "v": 1, "kind": "added", "dataset": { "id": added.name, "version": added.version }, "paths": added.paths,
        "tables": tables, "files_bytes": added.bytes(), "bytes": prepared.bytes(), "remarks": prepared.remarks,
    });
    app.show(&document, |printer| {
        printer.line(&format!("added {} ({} of files)", printer.strong(&added.name), size(added.bytes())));
        if let Some(wanted) = name.filter(|wanted| *wanted != added.name) {
            let rule = "names are of small letters a to z, digits and `_`";
            printer.remark("note", &format!("`{wanted}` is called {} here: {rule}", added.name));
        }
        for table in &prepared.dataset.tables {
            let columns = table.columns.len() as u64;
            let (rows, columns) = (counted(table.rows, "row"), counted(columns, "column"));
            printer.line(&format!("  {}: {rows}, {columns}", table.name));
        }
        say(printer, &prepared.remarks);
        let ask = |question: &String| format!("; assay ask {} \"{question}\"", added.name);
        let ask = prepared.first_questions().first().map(ask).unwrap_or_default();
        printer.remark("next", &format!("assay data show {}{ask}", added.name));
    });
    Ok(0)
}

/// Reads the files of a dataset again.
pub async fn refresh(app: &App, name: &str) -> Result<u8, Problem> {
    let refreshed = agent::refresh(&app.context, name).await?;
    let changed = refreshed.was.version != refreshed.added.version;
    let document = json!({
        "v": 1, "kind": "refreshed", "dataset": { "id": name, "version": refreshed.added.version },
        "was": refreshed.was.version, "changed": changed, "tables": refreshed.changes,
        "remarks": refreshed.prepared.remarks,
    });
    app.show(&document, |printer| {
        match (changed, refreshed.changes.is_empty()) {
            (_, false) => refreshed.changes.iter().for_each(|change| printer.line(&told(change))),
            (false, true) => printer.line(&format!("{name}: nothing has changed")),
            (true, true) => printer.line(&format!("{name}: other contents in as many rows of the same columns")),
        }
        say(printer, &refreshed.prepared.remarks);
    });
    Ok(0)
}

/// Forgets a dataset.
pub fn remove(app: &App, name: &str) -> Result<u8, Problem> {
    agent::remove(&app.context, name)?;
    let document = json!({ "v": 1, "kind": "removed", "dataset": name });
    app.show(&document, |printer| printer.line(&format!("removed {name}; its files are as they were")));
    Ok(0)
}

/// What became of a table, in words.
fn told(change: &TableChange) -> String {
    let mut parts = Vec::new();
    match (change.rows_before, change.rows_after) {
        (None, Some(rows)) => parts.push(format!("new, {}", counted(rows, "row"))),
        (Some(_), None) => parts.push("gone".to_string()),
        (Some(before), Some(after)) if before != after => {
            parts.push(format!("{}, now {after}", counted(before, "row")))
        }
        _ => {}
    }
    for (names, word) in [(&change.columns_added, "new columns"), (&change.columns_removed, "columns gone")] {
        if !names.is_empty() {
            parts.push(format!("{word}: {}", names.join(", ")));
        }
    }
    parts.extend(change.columns_retyped.iter().map(|(name, before, after)| format!("{name}: {before}, now {after}")));
    format!("{}: {}", change.table, parts.join("; "))
}
