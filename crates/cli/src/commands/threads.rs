//! `assay threads list|show|forget`: questions that continue one another. A thread is nothing but its runs.

use base::{Code, Problem, Timestamp};
use serde_json::{Value, json};

use crate::app::App;
use crate::args::{Threads, ThreadsAction};
use crate::commands::runs::runs_of;
use crate::printer::Printer;
use crate::when;

/// Lists, shows or forgets threads.
pub async fn run(app: &App, threads: &Threads) -> Result<u8, Problem> {
    match &threads.action {
        ThreadsAction::List => list(app).await,
        ThreadsAction::Show { thread } => show(app, thread).await,
        ThreadsAction::Forget { thread } => forget(app, thread).await,
    }
}

async fn list(app: &App) -> Result<u8, Problem> {
    let (document, now) = match runs_of(app).await {
        Ok(runs) => (runs.threads().await?, runs.now().await?),
        // Where no store is, no thread is.
        Err(problem) if problem.code == Code::RunUnknown => {
            (json!({ "v": 1, "kind": "threads", "threads": [] }), Timestamp(0))
        }
        Err(problem) => return Err(problem),
    };
    app.show(&document, |printer| print(printer, &document["threads"], now));
    Ok(0)
}

fn print(printer: &Printer, threads: &Value, now: Timestamp) {
    let threads = threads.as_array().map(Vec::as_slice).unwrap_or_default();
    let text = |one: &Value, field: &str| one[field].as_str().unwrap_or_default().to_string();
    let width = threads.iter().map(|one| text(one, "name").chars().count()).max().unwrap_or(0);
    for one in threads {
        let age = when::moment(&text(one, "used_at")).map_or("-".to_string(), |at| when::age(at, now));
        let (name, title) = (text(one, "name"), text(one, "title"));
        printer.line(&format!("{name:<width$}  {age:>4}  {:>3} runs  {}", one["runs"], printer.dim(&title)));
    }
    if threads.is_empty() {
        printer.remark("none", "no thread yet; `assay ask DATA QUESTION --thread NAME` begins one");
    }
}

async fn show(app: &App, thread: &str) -> Result<u8, Problem> {
    let document = runs_of(app).await?.thread(thread).await?;
    let runs = document["runs"].as_array().cloned().unwrap_or_default();
    if runs.is_empty() {
        return Err(unknown(thread));
    }
    app.show(&document, |printer| {
        for run in &runs {
            let text = |field: &str| run[field].as_str().unwrap_or_default();
            printer.line(&format!("{}  {:<9}  {}", printer.dim(text("run")), text("state"), text("title")));
        }
    });
    Ok(0)
}

async fn forget(app: &App, thread: &str) -> Result<u8, Problem> {
    let runs = runs_of(app).await?.forget_thread(thread).await?;
    if runs == 0 {
        return Err(unknown(thread));
    }
    let document = json!({ "v": 1, "kind": "thread_forgotten", "thread": thread, "runs": runs });
    app.show(&document, |printer| printer.line(&format!("forgot the thread {thread}; its runs stay")));
    Ok(0)
}

fn unknown(thread: &str) -> Problem {
    Problem::new(Code::RunUnknown, format!("there is no thread `{thread}`"))
        .hint("`assay threads list` shows those there are")
}
