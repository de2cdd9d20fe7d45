//! `assay data list|show|export`.

use std::path::Path;

use agent::{Prepared, Resolved, Source};
use base::{Code, Problem};
use data::builtin;
use serde_json::{Value, json};

use crate::app::App;
use crate::args::{Data, DataAction};
use crate::printer::Printer;

/// Lists, shows or exports datasets.
pub async fn run(app: &App, data: &Data) -> Result<u8, Problem> {
    match &data.action {
        DataAction::List => list(app),
        DataAction::Show { name } => show(app, name).await,
        DataAction::Export { name, to } => export(app, name, to),
    }
}

fn list(app: &App) -> Result<u8, Problem> {
    let mut datasets = Vec::new();
    for name in builtin::names() {
        let resolved = Resolved::of(Source::Builtin(name))?;
        let tables: Vec<&str> = builtin::hashes(name).map(|(table, _)| table).collect();
        datasets.push(json!({
            "id": name, "version": resolved.version, "description": resolved.metadata().description, "tables": tables,
        }));
    }
    let document = json!({ "v": 1, "kind": "datasets", "datasets": datasets });
    app.show(&document, |printer| {
        for dataset in &datasets {
            let text = |field: &str| dataset[field].as_str().unwrap_or_default().to_string();
            printer.line(&format!("{:<10} {}", text("id"), text("description")));
        }
    });
    Ok(0)
}

async fn show(app: &App, name: &[String]) -> Result<u8, Problem> {
    let prepared = Resolved::of(Source::parse(name)?)?.prepare(&app.context).await?;
    let mut document = json!({ "v": 1, "kind": "dataset" });
    if let (Some(document), Ok(Value::Object(fields))) =
        (document.as_object_mut(), serde_json::to_value(&prepared.dataset))
    {
        document.extend(fields);
        let notes: Vec<&str> = prepared.remarks.iter().map(|remark| remark.message.as_str()).collect();
        document.insert("notes".into(), json!(notes));
        document.insert("remarks".into(), json!(prepared.remarks));
    }
    app.show(&document, |printer| print(printer, &prepared));
    Ok(0)
}

fn print(printer: &Printer, prepared: &Prepared) {
    let dataset = &prepared.dataset;
    printer.line(&printer.strong(&dataset.id));
    if !dataset.description.is_empty() {
        printer.line(&dataset.description);
    }
    for table in &dataset.tables {
        printer.line(&format!("\n{} ({} rows)  {}", printer.strong(&table.name), table.rows, table.description));
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
    if !dataset.questions.is_empty() {
        printer.line("\nquestions to begin with");
        for question in &dataset.questions {
            printer.line(&format!("  assay ask {} \"{question}\"", dataset.id));
        }
    }
    for remark in &prepared.remarks {
        printer.remark("note", &remark.message);
    }
}

fn export(app: &App, name: &str, to: &Path) -> Result<u8, Problem> {
    let Some(files) = builtin::files(name) else {
        // A clear word about the name comes first; what is a file already needs no export.
        Source::parse(&[name.to_string()])?;
        return Err(Problem::new(Code::DatasetUnknown, format!("`{name}` is not a dataset that can be exported"))
            .hint(format!("datasets: {}", builtin::names().join(", "))));
    };
    let unwritable = |error: std::io::Error| {
        let code = if error.kind() == std::io::ErrorKind::StorageFull { Code::DiskFull } else { Code::FileUnreadable };
        Problem::new(code, format!("cannot write to `{}`: {error}", to.display())).hint("give another folder with --to")
    };
    std::fs::create_dir_all(to).map_err(unwritable)?;
    let mut written = Vec::new();
    for (table, contents) in &files.tables {
        let file = to.join(format!("{table}.csv"));
        std::fs::write(&file, contents).map_err(unwritable)?;
        written.push(file);
    }
    let toml = to.join("dataset.toml");
    std::fs::write(&toml, files.metadata).map_err(unwritable)?;
    written.push(toml);
    let document = json!({ "v": 1, "kind": "export", "dataset": name, "files": written });
    app.show(&document, |printer| written.iter().for_each(|file| printer.line(&file.display().to_string())));
    Ok(0)
}
