//! `assay data …`: datasets, where they come from and what is known about them.

mod change;
mod notes;
mod profile;
mod write;

use app::documents::data::{Dataset, Datasets, Listed, Profile};
use base::{Document, Problem, Timestamp};
use data::profile::Remark;
use warehouse::{FilesNow, Prepared};

use crate::args::{Data, DataAction};
use crate::commands::ask;
use crate::printer::Printer;
use crate::terminal::Terminal;
use crate::when;

/// Adds, lists, shows, writes or forgets datasets.
pub async fn run(terminal: &Terminal, data: &Data) -> Result<u8, Problem> {
    match &data.action {
        DataAction::Add { paths, name } => change::add(terminal, paths, name.as_deref()).await,
        DataAction::List => list(terminal).await,
        DataAction::Show { name } => show(terminal, name).await,
        DataAction::Profile { name } => profile(terminal, name).await,
        DataAction::Refresh { name } => change::refresh(terminal, name).await,
        DataAction::Remove { name } => change::remove(terminal, name),
        DataAction::Export { name, to } => write::export(terminal, name, to).await,
        DataAction::Remember { name, text } => notes::remember(terminal, name, text).await,
        DataAction::Notes { name, action } => notes::run(terminal, name, action).await,
        DataAction::Init { path } => write::init(terminal, path).await,
    }
}

async fn list(terminal: &Terminal) -> Result<u8, Problem> {
    let (document, unreadable) = Datasets::of(terminal.app.warehouse()).await?;
    unreadable.iter().for_each(|problem| terminal.printer.remark("warning", &problem.message));
    terminal.show(&document.to_json(), |printer| {
        let now = Timestamp::from(std::time::SystemTime::now());
        let width = document.datasets.iter().map(|dataset| dataset.id.len()).max().unwrap_or(0);
        for dataset in &document.datasets {
            printer.line(&list_line(printer, dataset, width, now));
        }
        let (used, most) = (size(document.cache.bytes), size(document.cache.bytes_max));
        printer.remark("prepared", &format!("{used} of at most {most}"));
    });
    Ok(0)
}

fn list_line(printer: &Printer, dataset: &Listed, width: usize, now: Timestamp) -> String {
    let rows = dataset.rows.map_or_else(|| "not read yet".to_string(), |rows| counted(rows, "row"));
    let bytes = dataset.bytes.map(size).unwrap_or_default();
    let state = match dataset.files {
        Some(FilesNow::Changed) => "  files have changed since",
        Some(FilesNow::Missing) => "  files are gone",
        Some(FilesNow::Unchanged) | None => "",
    };
    let when = dataset.read_at.map(|at| format!("read {} ago", when::age(at, now)));
    let about = printer.dim(&when.unwrap_or_else(|| dataset.description.clone()));
    let (id, origin) = (&dataset.id, dataset.origin.as_str());
    format!("{id:<width$}  {origin:<9} {rows:>14} {bytes:>9}  {about}{state}")
}

async fn show(terminal: &Terminal, name: &[String]) -> Result<u8, Problem> {
    let resolved = terminal.resolve(name).await?;
    let prepared = resolved.prepare(terminal.app.warehouse()).await?;
    let remembered = terminal.app.warehouse().notes().about(&terminal.data_names().lasting(name))?;
    let document = Dataset::of(&prepared, remembered);
    terminal.show(&document.to_json(), |printer| {
        print(printer, &prepared, &name.join(" "));
        if !document.remembered.is_empty() {
            printer.line("\nremembered");
        }
        document.remembered.iter().for_each(|note| printer.line(&format!("  {:>3}  {}", note.id, note.text)));
        ask::say_if_outdated(terminal, &resolved);
    });
    Ok(0)
}

async fn profile(terminal: &Terminal, name: &[String]) -> Result<u8, Problem> {
    let prepared = terminal.resolve(name).await?.prepare(terminal.app.warehouse()).await?;
    let mut profile = prepared.profile()?;
    profile.remarks.clone_from(&prepared.remarks);
    let document = Profile::of(&prepared.dataset, &profile);
    terminal.show(&document.to_json(), |printer| profile::print(printer, &prepared.dataset, &profile));
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
            let running = column.running.as_ref().map(|running| format!(", {running}")).unwrap_or_default();
            let stock = column.stock.as_ref().map(|stock| format!(", {stock}")).unwrap_or_default();
            printer.line(&format!(
                "  {:<width$}  {:<9} {} distinct{nulls}{unit}{running}{stock}  {}",
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
