//! `assay runs export|verify|import`: runs as files that others can check and continue.

use std::path::Path;

use base::{Problem, RunId};
use flow::{Manifest, Runs, Target};
use serde_json::{Value, json};

use crate::app::App;

/// Writes a run to a capsule.
pub async fn export(app: &App, runs: &Runs, id: &RunId, target: Target) -> Result<u8, Problem> {
    let to = target.path.clone();
    let manifest = runs.export(id, target, env!("CARGO_PKG_VERSION")).await?;
    let document = document(&manifest, &to);
    app.show_apart(&document, |printer| {
        printer.line(&format!("{id} with {} parts in {}", manifest.parts.len(), to.display()));
    });
    Ok(0)
}

/// Checks every byte of a capsule.
pub fn verify(app: &App, file: &Path) -> Result<u8, Problem> {
    let manifest = flow::verify(file)?;
    let document = document(&manifest, file);
    app.show_apart(&document, |printer| {
        let (run, task, parts) = (&manifest.run, &manifest.task, manifest.parts.len());
        printer.line(&format!(
            "whole: run {run} of {task}, {parts} parts, exported {}",
            manifest.exported_at.to_rfc3339()
        ));
    });
    Ok(0)
}

/// Takes a run in from a capsule.
pub async fn import(app: &App, runs: &Runs, file: &Path) -> Result<u8, Problem> {
    let imported = runs.import(file).await?;
    let document = json!({ "v": 1, "kind": "import", "run": imported.run, "was_here": imported.was_here });
    app.show_apart(&document, |printer| {
        let before = if imported.was_here { " was here already" } else { "" };
        printer.line(&format!("{}{before}", imported.run));
        let elsewhere = app.settings.all.iter().any(|setting| setting.name == "data_dir" && setting.origin == "flag");
        let data_dir =
            if elsewhere { format!(" --data-dir {}", app.settings.data_dir.display()) } else { String::new() };
        printer.remark("next", &format!("`assay runs show {}{data_dir}` shows it", imported.run));
    });
    Ok(0)
}

fn document(manifest: &Manifest, file: &Path) -> Value {
    json!({
        "v": 1, "kind": "capsule", "valid": true, "file": file, "format": manifest.format, "run": manifest.run,
        "task": manifest.task, "program": manifest.program, "exported_at": manifest.exported_at,
        "parts": manifest.parts,
    })
}
