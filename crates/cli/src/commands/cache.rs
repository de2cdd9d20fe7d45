//! `assay cache list|clear`: which answers are given again without computing them.

use std::time::Duration;

use app::documents::runs::Caches;
use base::{Code, Document, Problem, Timestamp};
use flow::documents::Cleared;
use warehouse::Source;

use crate::args::{Cache, CacheAction};
use crate::commands::runs::runs_of;
use crate::printer::Printer;
use crate::terminal::Terminal;
use crate::when::{self, When};

/// Lists or forgets cached answers.
pub async fn run(terminal: &Terminal, cache: &Cache) -> Result<u8, Problem> {
    match &cache.action {
        CacheAction::List { name } => list(terminal, name.as_deref()).await,
        CacheAction::Clear { name, older_than } => clear(terminal, name.as_deref(), *older_than).await,
    }
}

async fn list(terminal: &Terminal, name: Option<&str>) -> Result<u8, Problem> {
    let about = name.map(|name| about(terminal, name));
    let (entries, now) = match runs_of(terminal).await {
        Ok(runs) => (runs.recalls(about.as_deref()).await?, runs.now().await?),
        // Where no store is, no answer is.
        Err(problem) if problem.code == Code::RunUnknown => (Vec::new(), Timestamp(0)),
        Err(problem) => return Err(problem),
    };
    let caches = Caches::of(entries);
    terminal.show(&caches.to_json(), |printer| print(printer, &caches, now));
    Ok(0)
}

fn print(printer: &Printer, Caches { entries, .. }: &Caches, now: Timestamp) {
    let width = entries.iter().map(|entry| entry.about.chars().count()).max().unwrap_or(0);
    for entry in entries {
        let (about, age) = (&entry.about, printer.dim(&when::age(entry.used_at, now)));
        let title = entry.title.as_deref().unwrap_or_default();
        printer.line(&format!("{about:<width$}  {age:>4}  {:>4}x  {title}", entry.uses));
    }
    if entries.is_empty() {
        printer.remark("none", "no answer is cached");
    }
}

async fn clear(terminal: &Terminal, name: Option<&str>, older_than: Option<Duration>) -> Result<u8, Problem> {
    let about = name.map(|name| about(terminal, name));
    let document = match runs_of(terminal).await {
        Ok(runs) => {
            let now = runs.now().await?;
            runs.forget_recalls(about.as_deref(), older_than.map(|ago| When::Ago(ago).at(now))).await?
        }
        Err(problem) if problem.code == Code::RunUnknown => Cleared::default(),
        Err(problem) => return Err(problem),
    };
    terminal.show(&document.to_json(), |printer| {
        let answers = document.answers;
        printer.line(&format!("forgot {answers} answer{}; their runs stay", if answers == 1 { "" } else { "s" }));
    });
    Ok(0)
}

/// What answers about this data are listed under: for files the name of their dataset, also when they are gone.
fn about(terminal: &Terminal, name: &str) -> String {
    match terminal.data_names().source(&[name.to_string()]) {
        Ok(Source::Files(files)) => files.id,
        _ => name.to_string(),
    }
}
