//! `assay threads list|show|forget`: questions that continue one another. A thread is nothing but its runs.

use app::documents::runs::ThreadForgotten;
use base::{Code, Document, Problem, Timestamp};
use flow::documents::Threads as ThreadsDocument;

use crate::args::{Threads, ThreadsAction};
use crate::commands::runs::runs_of;
use crate::printer::Printer;
use crate::terminal::Terminal;
use crate::when;

/// Lists, shows or forgets threads.
pub async fn run(terminal: &Terminal, threads: &Threads) -> Result<u8, Problem> {
    match &threads.action {
        ThreadsAction::List => list(terminal).await,
        ThreadsAction::Show { thread } => show(terminal, thread).await,
        ThreadsAction::Forget { thread } => forget(terminal, thread).await,
    }
}

async fn list(terminal: &Terminal) -> Result<u8, Problem> {
    let (document, now) = match runs_of(terminal).await {
        Ok(runs) => (runs.threads().await?, runs.now().await?),
        // Where no store is, no thread is.
        Err(problem) if problem.code == Code::RunUnknown => (ThreadsDocument::default(), Timestamp(0)),
        Err(problem) => return Err(problem),
    };
    terminal.show(&document.to_json(), |printer| print(printer, &document, now));
    Ok(0)
}

fn print(printer: &Printer, ThreadsDocument { threads }: &ThreadsDocument, now: Timestamp) {
    let width = threads.iter().map(|one| one.name.chars().count()).max().unwrap_or(0);
    for one in threads {
        let (name, age) = (&one.name, when::age(one.used_at, now));
        let title = printer.dim(one.title.as_deref().unwrap_or_default());
        printer.line(&format!("{name:<width$}  {age:>4}  {:>3} runs  {title}", one.runs));
    }
    if threads.is_empty() {
        printer.remark("none", "no thread yet; `assay ask DATA QUESTION --thread NAME` begins one");
    }
}

async fn show(terminal: &Terminal, thread: &str) -> Result<u8, Problem> {
    let document = runs_of(terminal).await?.thread(thread).await?;
    if document.runs.is_empty() {
        return Err(unknown(thread));
    }
    terminal.show(&document.to_json(), |printer| {
        for run in &document.runs {
            let title = run.title.as_deref().unwrap_or_default();
            printer.line(&format!("{}  {:<9}  {title}", printer.dim(&run.run), run.state.as_str()));
        }
    });
    Ok(0)
}

async fn forget(terminal: &Terminal, thread: &str) -> Result<u8, Problem> {
    let runs = runs_of(terminal).await?.forget_thread(thread).await?;
    if runs == 0 {
        return Err(unknown(thread));
    }
    let document = ThreadForgotten { thread: thread.to_string(), runs };
    terminal.show(&document.to_json(), |printer| printer.line(&format!("forgot the thread {thread}; its runs stay")));
    Ok(0)
}

fn unknown(thread: &str) -> Problem {
    Problem::new(Code::RunUnknown, format!("there is no thread `{thread}`"))
        .hint("`assay threads list` shows those there are")
}
