//! `assay data export|init`: datasets as files that anybody can read and correct.

use std::path::Path;

use agent::Source;
use base::Problem;
use serde_json::json;

use crate::app::App;

/// Writes a dataset's tables and its words to a folder.
pub async fn export(app: &App, name: &[String], to: &Path) -> Result<u8, Problem> {
    let source = Source::parse(name, &app.context.registry())?;
    let id = match &source {
        Source::Builtin(name) => name.to_string(),
        Source::Added(added) => added.name.clone(),
        Source::Files(files) => files.id.clone(),
    };
    let written = agent::export(&app.context, source, to).await?;
    let document = json!({ "v": 1, "kind": "export", "dataset": id, "files": written });
    app.show(&document, |printer| written.iter().for_each(|file| printer.line(&file.display().to_string())));
    Ok(0)
}

/// Writes a first `dataset.toml` beside files.
pub async fn init(app: &App, path: &Path) -> Result<u8, Problem> {
    let (file, text) = agent::init(&app.context, path).await?;
    let document = json!({ "v": 1, "kind": "metadata", "file": file, "text": text });
    app.show(&document, |printer| {
        printer.line(&file.display().to_string());
        let folder = file.parent().unwrap_or(Path::new(".")).display().to_string();
        printer.remark("next", &format!("correct it, then ask the folder: assay ask {folder} \"how many rows\""));
    });
    Ok(0)
}
