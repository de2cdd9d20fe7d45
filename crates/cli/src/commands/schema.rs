//! `assay schema`: what documents look like, as JSON Schema.

use app::documents::Schemas;
use base::{Document, Problem};
use serde_json::Value;

use crate::args::Schema;
use crate::terminal::Terminal;

/// Lists the documents there are, or prints the schema of one.
pub fn run(terminal: &Terminal, schema: &Schema) -> Result<u8, Problem> {
    match &schema.name {
        Some(name) => show(terminal, Schemas::one(name)?),
        None => list(terminal, Schemas::all()),
    }
    Ok(0)
}

/// With `--json` inside a document of ours, else the schema itself, for other programs.
fn show(terminal: &Terminal, one: Schemas) {
    terminal.show(&one.to_json(), |printer| {
        one.schemas.values().for_each(|schema| printer.data(&format!("{schema:#}\n")));
    });
}

fn list(terminal: &Terminal, all: Schemas) {
    terminal.show(&all.to_json(), |printer| {
        let width = all.schemas.keys().map(String::len).max().unwrap_or(0);
        for (name, schema) in &all.schemas {
            printer.line(&format!("{name:<width$}  {}", printer.dim(about(schema))));
        }
        printer.remark("next", "`assay schema NAME` prints one, `assay schema --json` all");
    });
}

/// What a document is, in one line.
fn about(schema: &Value) -> &str {
    schema["description"].as_str().and_then(|text| text.lines().next()).unwrap_or_default()
}
