//! `assay data export|init`: datasets as files that anybody can read and correct.

use std::path::Path;

use agent::Source;
use base::Problem;
use serde_json::json;

use crate::app::App;

/// Writes a dataset's tables and its words to a folder.
pub async fn export(app: &App, name: &[String], to: &Path) -> Result<u8, Problem> {
    let source = Source::parse(name, &app.context.datasets())?;
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
        printer.remark("next", &format!("correct it, then {}", use_of(app, &file)));
    });
    Ok(0)
}

/// How what a `dataset.toml` says comes to be used.
fn use_of(app: &App, file: &Path) -> String {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let datasets = app.context.datasets();
    let here = std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf());
    let names = datasets.names().unwrap_or_default().into_iter();
    let mut added = names.filter_map(|name| datasets.find(&name).ok().flatten());
    match added.find(|added| added.paths.contains(&here)) {
        Some(added) => format!("`assay data refresh {}` reads it", added.name),
        // A path, also where a dataset is called like the folder.
        None if folder.components().count() == 1 && folder.is_relative() && folder != Path::new(".") => {
            format!("ask the folder, all of its tables together: assay ask ./{} \"…\"", folder.display())
        }
        None => format!("ask the folder, all of its tables together: assay ask {} \"…\"", folder.display()),
    }
}
