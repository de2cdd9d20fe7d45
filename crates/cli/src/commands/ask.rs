//! `assay ask`: a question and its answer.

mod page;

use std::borrow::Cow;

use base::{Code, Document, Problem};
use flow::Runs;
use serde_json::Value;
use tasks::{ASK, AskInput};
use warehouse::{FilesNow, Resolved};

pub use self::page::{Form, View, how_known, print};
use crate::args::{Ask, Show};
use crate::commands::chart::{self, ChartFile, Written};
use crate::commands::runs::runs_of;
use crate::printer::Format;
use crate::rows::Rows;
use crate::terminal::Terminal;
use crate::told;

/// Asks and prints; 1 when refused.
pub async fn run(terminal: &Terminal, ask: &Ask) -> Result<u8, Problem> {
    Ok(perform(terminal, ask).await?.map_or(0, |answer| exit_code(&answer)))
}

/// Asks and prints; the answer, unless it was only queued.
pub async fn perform(terminal: &Terminal, ask: &Ask) -> Result<Option<Value>, Problem> {
    // Read while the data is looked for; whoever needs it before it is there waits for it.
    drop(tokio::task::spawn_blocking(planner::read_lexicon));
    let words = words(terminal, ask).await?;
    let (data, question, resolved) = terminal.data_and_last(&words, "ask", "question").await?;
    let rows = Rows::asked(ask.csv, ask.out.as_deref())?;
    let input = AskInput {
        answer_all: ask.answer_all,
        reading: ask.reading.map(usize::from),
        no_cache: ask.no_cache,
        thread: ask.thread.clone(),
        file: rows.form(),
        model: ask.model.chosen(&terminal.app.settings),
        ..app::requests::question(&terminal.data_names(), data, &resolved, question)
    };
    let chart = ChartFile::asked(ask.chart.as_deref(), ask.chart_theme, &terminal.app.settings.env_dir)?;
    let Some((answer, runs)) = terminal.run_or_queue(&ask.begin, ASK, &input, question).await? else { return Ok(None) };
    let form = match (ask.csv, ask.markdown) {
        (true, _) => Form::Csv,
        (_, true) => Form::Markdown,
        _ => Form::Page,
    };
    let steps = if ask.show.contains(&Show::Steps) { steps(&runs, &answer).await? } else { Vec::new() };
    let csv = if answer["status"] == "answered" { rows.take(&runs, &answer).await? } else { None };
    let version = answer["dataset"]["version"].as_str().unwrap_or_default();
    let data_dir = &terminal.app.settings.data_dir;
    terminal.show(&answer, |printer| {
        let is_told = !told::is_first_time(data_dir, version);
        print(printer, &answer, &View { show: &ask.show, steps, form, csv, is_told });
    });
    if let Some(chart) = chart.filter(|_| answer["status"] == "answered") {
        write_chart(terminal, &runs, &chart, &answer).await?;
    }
    say_if_outdated(terminal, &resolved);
    let is_told = terminal.printer.format == Format::Text && ask.model.choice.model.is_none();
    if is_told && answer["refusal"]["model_may_read"] == true {
        terminal
            .printer
            .remark("model", "one may read this: `assay model list` shows which there are and how to ask one");
    }
    Ok(Some(answer))
}

/// Data and question as they were typed; a thread that goes on knows its data.
async fn words<'a>(terminal: &Terminal, ask: &'a Ask) -> Result<Cow<'a, [String]>, Problem> {
    let (Some(thread), [question]) = (&ask.thread, ask.words.as_slice()) else { return Ok(Cow::Borrowed(&ask.words)) };
    if terminal.data_names().is_data(question) {
        return Ok(Cow::Borrowed(&ask.words));
    }
    let before = match runs_of(terminal).await {
        Ok(runs) => data_of(&runs, thread).await?,
        Err(problem) if problem.code == Code::RunUnknown => None,
        Err(problem) => return Err(problem),
    };
    let Some(data) = before else {
        let message = format!("the thread `{thread}` has no question yet, so its data is not known");
        return Err(Problem::new(Code::Usage, message)
            .hint(format!("name the data once: assay ask DATA \"{question}\" --thread {thread}")));
    };
    Ok(Cow::Owned([data, vec![question.clone()]].concat()))
}

/// What the latest question of a thread was asked of.
async fn data_of(runs: &Runs, thread: &str) -> Result<Option<Vec<String>>, Problem> {
    let Some(latest) = runs.thread(thread).await?.runs.into_iter().last() else { return Ok(None) };
    let run = runs.show(&runs.find(&latest.run).await?).await?.to_json();
    Ok(serde_json::from_value::<AskInput>(run["input"].clone()).ok().map(|input| input.data))
}

async fn write_chart(terminal: &Terminal, runs: &flow::Runs, chart: &ChartFile, answer: &Value) -> Result<(), Problem> {
    match (chart.write(app::pictures::chart_of(answer).as_ref())?, chart::figure_of(answer)) {
        (Written::Nothing, Some((run, name))) => {
            if !chart.write_figure(&runs.artifact(&run, name).await?)? {
                terminal
                    .printer
                    .remark("note", "a model's code drew this answer as .png, which is the only kind there is");
            }
        }
        (Written::Nothing, None) => terminal.printer.remark("note", chart::NO_CHART),
        (Written::WithoutSomeLetters, _) => terminal.printer.remark("note", chart::LETTERS_MISSING),
        (Written::Whole, _) => {}
    }
    Ok(())
}

/// An added dataset answers from what was read; whoever changed its files since is told.
pub fn say_if_outdated(terminal: &Terminal, resolved: &Resolved) {
    let Some(added) = resolved.added() else { return };
    let became = match terminal.app.warehouse().files_now(added) {
        FilesNow::Unchanged => return,
        FilesNow::Changed => {
            format!("changed since they were read: `assay data refresh {}` reads them again", added.name)
        }
        FilesNow::Missing => "are gone; what was read of them is still here".to_string(),
    };
    terminal.printer.remark("note", &format!("the files of {} {became}", added.name));
}

/// What the run of an answer recorded.
async fn steps(runs: &Runs, answer: &Value) -> Result<Vec<Value>, Problem> {
    let id = answer["run"].as_str().and_then(base::RunId::parse);
    let id = id.ok_or_else(|| Problem::new(Code::Internal, "the answer names no run"))?;
    Ok(runs.show(&id).await?.to_json()["steps"].as_array().cloned().unwrap_or_default())
}

/// 0 for an answer, 1 for a refusal.
pub fn exit_code(answer: &Value) -> u8 {
    u8::from(answer["status"] != "answered")
}
