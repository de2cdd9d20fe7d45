//! `assay cache list|clear`: which answers are given again without computing them.

use std::time::Duration;

use agent::{ANSWERS_BYTES_MAX, ANSWERS_MAX, Source};
use base::{Code, Problem, Timestamp};
use serde_json::{Value, json};

use crate::app::App;
use crate::args::{Cache, CacheAction};
use crate::commands::runs::runs_of;
use crate::printer::Printer;
use crate::when::{self, When};

/// Lists or forgets cached answers.
pub async fn run(app: &App, cache: &Cache) -> Result<u8, Problem> {
    match &cache.action {
        CacheAction::List { name } => list(app, name.as_deref()).await,
        CacheAction::Clear { name, older_than } => clear(app, name.as_deref(), *older_than).await,
    }
}

async fn list(app: &App, name: Option<&str>) -> Result<u8, Problem> {
    let about = name.map(|name| about(app, name));
    let (mut document, now) = match runs_of(app).await {
        Ok(runs) => (runs.recalls(about.as_deref()).await?, runs.now().await?),
        // Where no store is, no answer is.
        Err(problem) if problem.code == Code::RunUnknown => {
            (json!({ "v": 1, "kind": "caches", "entries": [], "bytes": 0 }), Timestamp(0))
        }
        Err(problem) => return Err(problem),
    };
    document["bytes_max"] = json!(ANSWERS_BYTES_MAX);
    document["answers_max"] = json!(ANSWERS_MAX);
    app.show(&document, |printer| print(printer, &document, now));
    Ok(0)
}

fn print(printer: &Printer, document: &Value, now: Timestamp) {
    let entries = document["entries"].as_array().map(Vec::as_slice).unwrap_or_default();
    let text = |entry: &Value, field: &str| entry[field].as_str().unwrap_or_default().to_string();
    let width = entries.iter().map(|entry| text(entry, "about").chars().count()).max().unwrap_or(0);
    for entry in entries {
        let age = when::moment(&text(entry, "used_at")).map_or("-".to_string(), |at| when::age(at, now));
        let (about, title) = (text(entry, "about"), text(entry, "title"));
        let uses = entry["uses"].to_string();
        printer.line(&format!("{about:<width$}  {:>4}  {:>4}x  {title}", printer.dim(&age), uses));
    }
    if entries.is_empty() {
        printer.remark("none", "no answer is cached");
    }
}

async fn clear(app: &App, name: Option<&str>, older_than: Option<Duration>) -> Result<u8, Problem> {
    let about = name.map(|name| about(app, name));
    let document = match runs_of(app).await {
        Ok(runs) => {
            let now = runs.now().await?;
            runs.forget_recalls(about.as_deref(), older_than.map(|ago| When::Ago(ago).at(now))).await?
        }
        Err(problem) if problem.code == Code::RunUnknown => {
            json!({ "v": 1, "kind": "cleared", "answers": 0, "bytes": 0 })
        }
        Err(problem) => return Err(problem),
    };
    app.show(&document, |printer| {
        let answers = document["answers"].as_u64().unwrap_or_default();
        printer.line(&format!("forgot {answers} answer{}; their runs stay", if answers == 1 { "" } else { "s" }));
    });
    Ok(0)
}

/// What answers about this data are listed under: for files the name of their dataset, also when they are gone.
fn about(app: &App, name: &str) -> String {
    match Source::parse(&[name.to_string()], &app.context.datasets()) {
        Ok(Source::Files(files)) => files.id,
        _ => name.to_string(),
    }
}
