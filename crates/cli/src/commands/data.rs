//! `assay data …`: datasets, where they come from and what is known about them.

mod change;
mod notes;
mod profile;
mod write;

use agent::{Prepared, Resolved, Source};
use base::{Problem, Timestamp};
use data::builtin;
use data::profile::Remark;
use serde_json::{Value, json};

use crate::app::{App, absolute, resolve};
use crate::args::{Data, DataAction};
use crate::commands::ask;
use crate::printer::Printer;
use crate::when;

/// Adds, lists, shows, writes or forgets datasets.
pub async fn run(app: &App, data: &Data) -> Result<u8, Problem> {
    match &data.action {
        DataAction::Add { paths, name } => change::add(app, paths, name.as_deref()).await,
        DataAction::List => list(app).await,
        DataAction::Show { name } => show(app, name).await,
        DataAction::Profile { name } => profile(app, name).await,
        DataAction::Refresh { name } => change::refresh(app, name).await,
        DataAction::Remove { name } => change::remove(app, name),
        DataAction::Export { name, to } => write::export(app, name, to).await,
        DataAction::Remember { name, text } => notes::remember(app, name, text).await,
        DataAction::Notes { name, action } => notes::run(app, name, action).await,
        DataAction::Init { path } => write::init(app, path).await,
    }
}

async fn list(app: &App) -> Result<u8, Problem> {
    let mut datasets = Vec::new();
    for name in builtin::names() {
        datasets.push(listed(app, Source::Builtin(name)).await?);
    }
    let added = app.context.datasets();
    for name in added.names()? {
        match added.find(&name) {
            Ok(Some(one)) => datasets.push(listed(app, Source::Added(Box::new(one))).await?),
            Ok(None) => {}
            Err(problem) => app.printer.remark("warning", &problem.message),
        }
    }
    let cache = json!({ "bytes": app.context.cache().bytes(), "bytes_max": app.context.cache_bytes });
    let document = json!({ "v": 1, "kind": "datasets", "datasets": datasets, "cache": cache });
    app.show(&document, |printer| {
        let now = Timestamp::from(std::time::SystemTime::now());
        let width = datasets.iter().filter_map(|dataset| dataset["id"].as_str()).map(str::len).max().unwrap_or(0);
        for dataset in &datasets {
            printer.line(&list_line(printer, dataset, width, now));
        }
        let (used, most) = (size(app.context.cache().bytes()), size(app.context.cache_bytes));
        printer.remark("prepared", &format!("{used} of at most {most}"));
    });
    Ok(0)
}

async fn listed(app: &App, source: Source) -> Result<Value, Problem> {
    let added = match &source {
        Source::Added(added) => Some((**added).clone()),
        Source::Builtin(_) | Source::Files(_) => None,
    };
    let resolved = Resolved::of(&app.context, source).await?;
    let prepared = resolved.prepared_form(&app.context);
    let tables: Vec<String> = match &added {
        Some(added) => added.tables.iter().map(|(table, _)| table.clone()).collect(),
        None => builtin::hashes(&resolved.id).map(|(table, _)| table.to_string()).collect(),
    };
    let rows = match (&added, &prepared) {
        (Some(added), _) => Some(added.tables.iter().map(|(_, rows)| rows).sum::<u64>()),
        (None, Some(prepared)) => Some(prepared.dataset.tables.iter().map(|table| table.rows).sum()),
        (None, None) => None,
    };
    Ok(json!({
        "id": resolved.id, "version": resolved.version, "description": resolved.metadata().description,
        "tables": tables, "origin": if added.is_some() { "added" } else { "built-in" },
        "rows": rows, "bytes": prepared.as_ref().map(Prepared::bytes),
        "files_bytes": added.as_ref().map(agent::Added::bytes),
        "paths": added.as_ref().map(|added| &added.paths),
        "added_at": added.as_ref().map(|added| added.added_at), "read_at": added.as_ref().map(|added| added.read_at),
        "files": added.as_ref().map(|added| app.context.files_now(added)),
    }))
}

fn list_line(printer: &Printer, dataset: &Value, width: usize, now: Timestamp) -> String {
    let text = |field: &str| dataset[field].as_str().unwrap_or_default().to_string();
    let rows = dataset["rows"].as_u64().map_or_else(|| "not read yet".to_string(), |rows| counted(rows, "row"));
    let bytes = dataset["bytes"].as_u64().map(size).unwrap_or_default();
    let state = match dataset["files"].as_str() {
        Some("changed") => "  files have changed since",
        Some("missing") => "  files are gone",
        _ => "",
    };
    let when = Timestamp::parse(&text("read_at")).map(|at| format!("read {} ago", when::age(at, now)));
    let about = when.unwrap_or_else(|| text("description"));
    format!("{:<width$}  {:<9} {rows:>14} {bytes:>9}  {}{state}", text("id"), text("origin"), printer.dim(&about))
}

async fn show(app: &App, name: &[String]) -> Result<u8, Problem> {
    let resolved = resolve(app, name).await?;
    let prepared = resolved.prepare(&app.context).await?;
    let remembered = app.context.notes().about(&absolute(app, name))?;
    let mut document = json!({ "v": 1, "kind": "dataset" });
    if let (Some(document), Ok(Value::Object(fields))) =
        (document.as_object_mut(), serde_json::to_value(&prepared.dataset))
    {
        document.extend(fields);
        let notes: Vec<&str> = prepared.remarks.iter().map(|remark| remark.message.as_str()).collect();
        document.insert("notes".into(), json!(notes));
        document.insert("remarks".into(), json!(prepared.remarks));
        document.insert("remembered".into(), json!(remembered));
    }
    app.show(&document, |printer| {
        print(printer, &prepared, &name.join(" "));
        if !remembered.is_empty() {
            printer.line("\nremembered");
        }
        remembered.iter().for_each(|note| printer.line(&format!("  {:>3}  {}", note.id, note.text)));
        ask::say_if_outdated(app, &resolved);
    });
    Ok(0)
}

async fn profile(app: &App, name: &[String]) -> Result<u8, Problem> {
    let prepared = resolve(app, name).await?.prepare(&app.context).await?;
    let mut profile = prepared.profile()?;
    profile.remarks.clone_from(&prepared.remarks);
    let document = profile::document(&prepared.dataset, &profile);
    app.show(&document, |printer| profile::print(printer, &prepared.dataset, &profile));
    Ok(0)
}

fn print(printer: &Printer, prepared: &Prepared, name: &str) {
    let dataset = &prepared.dataset;
    printer.line(&printer.strong(&dataset.id));
    if !dataset.description.is_empty() {
        printer.line(&dataset.description);
    }
    for table in &dataset.tables {
        let rows = counted(table.rows, "row");
        printer.line(&format!("\n{} ({rows})  {}", printer.strong(&table.name), table.description));
        let width = table.columns.iter().map(|column| column.name.chars().count()).max().unwrap_or(0);
        for column in &table.columns {
            let nulls = if column.nulls > 0 { format!(", {} empty", column.nulls) } else { String::new() };
            let unit = column.unit.as_ref().map(|unit| format!(" in {unit}")).unwrap_or_default();
            printer.line(&format!(
                "  {:<width$}  {:<9} {} distinct{nulls}{unit}  {}",
                column.name,
                column.ty.as_str(),
                column.distinct,
                printer.dim(&column.description)
            ));
        }
    }
    if !dataset.relations.is_empty() {
        printer.line("\nrelationships");
        for relation in &dataset.relations {
            printer.line(&format!("  {}", data::join::link(relation)));
        }
    }
    if !dataset.measures.is_empty() {
        printer.line("\nmeasures");
        for measure in &dataset.measures {
            printer.line(&format!("  {:<22} {}", measure.name, printer.dim(&measure.description)));
        }
    }
    let questions = prepared.first_questions();
    if !questions.is_empty() {
        printer.line("\nquestions to begin with");
        questions.iter().for_each(|question| printer.line(&format!("  assay ask {name} \"{question}\"")));
    }
    say(printer, &prepared.remarks);
}

/// Every remark, beside the data.
fn say(printer: &Printer, remarks: &[Remark]) {
    for remark in remarks {
        printer.remark("note", &remark.message);
    }
}

/// A number of things.
fn counted(number: u64, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}

/// How much that is, for people.
fn size(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
    let mut number = bytes as f64;
    let mut unit = 0;
    while number >= 1024.0 && unit + 1 < UNITS.len() {
        number /= 1024.0;
        unit += 1;
    }
    if unit == 0 { format!("{bytes} B") } else { format!("{number:.1} {}", UNITS[unit]) }
}

#[cfg(test)]
mod tests {
    use super::size;

    #[test]
    fn sizes_are_short() {
        assert_eq!([size(0), size(1023), size(1024), size(10 << 30)], ["0 B", "1023 B", "1.0 KiB", "10.0 GiB"]);
    }
}
