//! `assay runs prune`: deletes what ended long ago, or says what that would be.

use base::{Document, Problem};
use flow::{Prune, Runs};
use serde_json::Value;

use super::list::{print_damaged, print_table};
use crate::args::RunsPrune;
use crate::terminal::Terminal;

/// Deletes, or with `--dry-run` says what would be deleted.
pub async fn prune(terminal: &Terminal, runs: &Runs, asked: &RunsPrune) -> Result<u8, Problem> {
    let settings = &terminal.app.settings;
    let prune = Prune {
        older_than: asked.older_than.unwrap_or(settings.retention),
        keep: asked.keep.unwrap_or(settings.retention_keep) as usize,
        dry_run: asked.dry_run,
    };
    let now = runs.now().await?;
    let document = runs.prune(&prune).await?.to_json();
    terminal.show(&document, |printer| {
        print_table(printer, &document["runs"], "finished_at", now);
        printer.line(&told(&document));
        if document["artifacts_busy"] == true {
            printer.remark("note", "no file was removed, because another process is recording one; prune again later");
        }
        print_damaged(printer, &document);
    });
    Ok(0)
}

fn told(document: &Value) -> String {
    let number = |field: &str| document[field].as_u64().unwrap_or_default();
    let (runs, files) = (number("deleted"), number("artifacts"));
    let done = if document["dry_run"] == true { "would delete" } else { "deleted" };
    let plural = |count: u64| if count == 1 { "" } else { "s" };
    let files = match files {
        0 => String::new(),
        _ => format!(", and {files} file{} of {} that no run needs", plural(files), size(number("bytes"))),
    };
    format!("{done} {runs} run{}{files}", plural(runs))
}

fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.1} GB", bytes as f64 / 1e9),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::told;

    #[test]
    fn a_dry_run_does_not_say_it_deleted_anything() {
        let document = |dry_run: bool, deleted: u64, artifacts: u64| {
            let bytes = 12_345_678;
            json!({ "dry_run": dry_run, "deleted": deleted, "artifacts": artifacts, "bytes": bytes })
        };
        assert_eq!(told(&document(true, 2, 0)), "would delete 2 runs");
        assert_eq!(told(&document(false, 1, 1)), "deleted 1 run, and 1 file of 12.3 MB that no run needs");
    }
}
