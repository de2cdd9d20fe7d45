//! `assay data export|init`: datasets as files that anybody can read and correct.

use std::path::Path;

use app::documents::data::{Export, Metadata};
use base::{Document, Problem};

use crate::terminal::Terminal;

/// Writes a dataset's tables and its words to a folder.
pub async fn export(terminal: &Terminal, name: &[String], to: &Path) -> Result<u8, Problem> {
    let source = terminal.data_names().source(name)?;
    let export = Export::write(terminal.app.warehouse(), source, to).await?;
    terminal.show(&export.to_json(), |printer| export.files.iter().for_each(|file| printer.line(file)));
    Ok(0)
}

/// Writes a first `dataset.toml` beside files.
pub async fn init(terminal: &Terminal, path: &Path) -> Result<u8, Problem> {
    let (file, text) = warehouse::init(terminal.app.warehouse(), path).await?;
    let document = Metadata { file: file.display().to_string(), text };
    terminal.show(&document.to_json(), |printer| {
        printer.line(&document.file);
        printer.remark("next", &format!("correct it, then {}", use_of(terminal, &file)));
    });
    Ok(0)
}

/// How what a `dataset.toml` says comes to be used.
fn use_of(terminal: &Terminal, file: &Path) -> String {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let datasets = terminal.app.warehouse().datasets();
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
