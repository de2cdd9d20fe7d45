//! `assay demo flow`: a run that lasts, to be killed and resumed; `assay demo plan` and `files` are in files
//! of their own.

mod files;
mod plan;

use base::{Code, Problem};
use serde_json::Value;
use tasks::{DEMO, DemoInput};

use crate::args::{Demo, DemoAction, DemoFlow};
use crate::commands::document;
use crate::printer::Printer;
use crate::terminal::Terminal;

/// Shows one of them. A flow is run, or several of it are queued.
pub async fn run(terminal: &Terminal, demo: &Demo) -> Result<u8, Problem> {
    let flow = match &demo.action {
        DemoAction::Flow(flow) => flow,
        DemoAction::Plan => return plan::run(terminal).await,
        DemoAction::Files { folder } => return files::run(terminal, folder),
    };
    let input = input(flow)?;
    let title = format!("{} steps of {} ms", flow.steps, flow.step_ms);
    if flow.runs > 1 {
        return queue_many(terminal, flow, &input, &title).await;
    }
    terminal.run_and_show(&flow.begin, DEMO, &input, &title, |made| document::show(terminal, made)).await
}

async fn queue_many(terminal: &Terminal, flow: &DemoFlow, input: &DemoInput, title: &str) -> Result<u8, Problem> {
    if flow.begin.key.is_some() {
        return Err(Problem::new(Code::Usage, "a key stands for one run, not for several").hint("leave out --runs"));
    }
    let engine = terminal.app.engine().await?;
    let mut runs = Vec::new();
    for _ in 0..flow.runs {
        runs.push(engine.enqueue(&terminal.request(&flow.begin, DEMO, input, title)?).await?);
    }
    terminal.show_queued(DEMO, &runs);
    Ok(0)
}

fn input(flow: &DemoFlow) -> Result<DemoInput, Problem> {
    // The same file from wherever the run is resumed.
    let effects = flow.effects.as_ref().map(std::path::absolute).transpose();
    let effects = effects.map_err(|error| {
        Problem::new(Code::Usage, format!("--effects names no file: {error}")).hint("give a file's path")
    })?;
    if effects.as_ref().is_some_and(|path| path.to_str().is_none()) {
        return Err(Problem::new(Code::Usage, "the name of --effects is not UTF-8").hint("give a file of another name"));
    }
    Ok(DemoInput { steps: flow.steps, step_ms: flow.step_ms, effects, unlucky: flow.unlucky })
}

/// Draws the result for people.
pub fn print(printer: &Printer, document: &Value) {
    printer.line(&format!("{} steps done, value {}", document["steps"], document["value"]));
}
