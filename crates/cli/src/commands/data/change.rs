//! `assay data add|refresh|remove`: which files a name stands for.

use std::path::PathBuf;

use app::documents::data::{Added, Refreshed, Removed};
use base::{Document, Problem};
use warehouse::TableChange;

use super::{counted, say, size};
use crate::terminal::Terminal;

/// Gives files a name and reads them.
pub async fn add(terminal: &Terminal, paths: &[PathBuf], name: Option<&str>) -> Result<u8, Problem> {
    let (added, prepared) = warehouse::add(terminal.app.warehouse(), paths, name).await?;
    terminal.show(&Added::of(&added, &prepared).to_json(), |printer| {
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
pub async fn refresh(terminal: &Terminal, name: &str) -> Result<u8, Problem> {
    let refreshed = warehouse::refresh(terminal.app.warehouse(), name).await?;
    let document = Refreshed::of(&refreshed);
    terminal.show(&document.to_json(), |printer| {
        match (document.changed, refreshed.changes.is_empty()) {
            (_, false) => refreshed.changes.iter().for_each(|change| printer.line(&told(change))),
            (false, true) => printer.line(&format!("{name}: nothing has changed")),
            (true, true) => printer.line(&format!("{name}: other contents in as many rows of the same columns")),
        }
        say(printer, &refreshed.prepared.remarks);
    });
    Ok(0)
}

/// Forgets a dataset.
pub fn remove(terminal: &Terminal, name: &str) -> Result<u8, Problem> {
    warehouse::remove(terminal.app.warehouse(), name)?;
    let document = Removed { dataset: name.to_string() };
    terminal.show(&document.to_json(), |printer| printer.line(&format!("removed {name}; its files are as they were")));
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
