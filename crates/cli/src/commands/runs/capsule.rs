//! `assay runs export|verify|import`: runs as files that others can check and continue.

use std::path::Path;

use app::documents::runs::{Capsule, Import};
use base::{Document, Problem, RunId};
use flow::{Runs, Target};

use crate::terminal::Terminal;

/// Writes a run to a capsule.
pub async fn export(terminal: &Terminal, runs: &Runs, id: &RunId, target: Target) -> Result<u8, Problem> {
    let to = target.path.clone();
    let manifest = runs.export(id, target, env!("CARGO_PKG_VERSION")).await?;
    terminal.show_apart(&Capsule::of(&manifest, &to).to_json(), |printer| {
        printer.line(&format!("{id} with {} parts in {}", manifest.parts.len(), to.display()));
    });
    Ok(0)
}

/// Checks every byte of a capsule.
pub fn verify(terminal: &Terminal, file: &Path) -> Result<u8, Problem> {
    let manifest = flow::verify(file)?;
    terminal.show_apart(&Capsule::of(&manifest, file).to_json(), |printer| {
        let (run, task, parts) = (&manifest.run, &manifest.task, manifest.parts.len());
        printer.line(&format!(
            "whole: run {run} of {task}, {parts} parts, exported {}",
            manifest.exported_at.to_rfc3339()
        ));
    });
    Ok(0)
}

/// Takes a run in from a capsule.
pub async fn import(terminal: &Terminal, runs: &Runs, file: &Path) -> Result<u8, Problem> {
    let imported = Import::from(runs.import(file).await?);
    terminal.show_apart(&imported.to_json(), |printer| {
        let before = if imported.was_here { " was here already" } else { "" };
        printer.line(&format!("{}{before}", imported.run));
        let elsewhere =
            terminal.app.settings.all.iter().any(|setting| setting.name == "data_dir" && setting.origin == "flag");
        let data_dir =
            if elsewhere { format!(" --data-dir {}", terminal.app.settings.data_dir.display()) } else { String::new() };
        printer.remark("next", &format!("`assay runs show {}{data_dir}` shows it", imported.run));
    });
    Ok(0)
}
