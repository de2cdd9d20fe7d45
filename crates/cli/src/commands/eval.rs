//! `assay eval`: many questions, and how many of the answers are right.

mod curve;
mod page;

use base::{Code, Problem, RunId};
use serde_json::Value;
use tasks::{CaseResult, EVAL, EvalInput, Expected, FileInput, RESULTS_FILE, Status};

use crate::args::Eval;
use crate::files;
use crate::printer::{Format, Printer};
use crate::terminal::Terminal;

/// Failures that are shown in the terminal.
const FAILURES_SHOWN: usize = 10;
/// Rows of each that are shown there.
const ROWS_SHOWN: usize = 3;

/// Evaluates, writes the files asked for and prints the figures.
pub async fn run(terminal: &Terminal, eval: &Eval) -> Result<u8, Problem> {
    let input = EvalInput {
        cases: FileInput::at(&eval.cases)?,
        tables: eval.tables.as_deref().map(FileInput::at).transpose()?,
        weights: eval.weights.as_deref().map(FileInput::at).transpose()?,
        directory: std::env::current_dir().map_err(|error| {
            Problem::new(Code::FileUnreadable, format!("the current directory is gone: {error}"))
                .hint("change to one that exists")
        })?,
        answer_all: eval.answer_all,
        model: eval.model.chosen(&terminal.app.settings),
    };
    let title = format!("eval {}", eval.cases.display());
    for (path, option) in [(&eval.out, "--out"), (&eval.html, "--html")] {
        path.as_deref().map_or(Ok(()), |path| files::check_folder(path, option))?;
    }
    let Some((document, runs)) = terminal.run_or_queue(&eval.begin, EVAL, &input, &title).await? else { return Ok(0) };
    let run = document["run"].as_str().and_then(RunId::parse);
    let run = run.ok_or_else(|| Problem::new(Code::Internal, "the evaluation names no run"))?;
    let lines = runs.artifact(&run, RESULTS_FILE).await?;
    let kept = format!("the results are kept: `assay runs artifact {run} {RESULTS_FILE}`");
    if let Some(path) = &eval.out {
        files::write(path, &lines, &kept)?;
    }
    let results = results_of(&lines)?;
    if let Some(path) = &eval.html {
        let page = page::draw(&eval.cases.display().to_string(), &document, &results);
        files::write(path, page.as_bytes(), &kept)?;
    }
    terminal.show(&document, |printer| {
        print(printer, &document);
        print_failures(printer, &results);
    });
    if terminal.printer.format != Format::Text {
        tell_problems(terminal, &results);
    }
    Ok(0)
}

fn results_of(lines: &[u8]) -> Result<Vec<CaseResult>, Problem> {
    let lines = lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    lines
        .map(|line| {
            serde_json::from_slice(line)
                .map_err(|error| Problem::new(Code::JournalDamaged, format!("the run's results: {error}")))
        })
        .collect()
}

/// The figures, for people.
pub fn print(printer: &Printer, document: &Value) {
    let count = |name: &str| document[name].as_u64().unwrap_or_default();
    let percent =
        |name: &str| document[name].as_f64().map_or("–".to_string(), |share| format!("{:.1} %", 100.0 * share));
    let time = |name: &str| {
        let of = |rank: &str| document[name][rank].as_f64().map_or("–".to_string(), |time| format!("{time:.1} ms"));
        format!("{} at the middle, {} at 99 %", of("p50"), of("p99"))
    };
    let lost = match count("problems") {
        0 => String::new(),
        problems => format!("; {problems} could not be evaluated"),
    };
    printer.line(&printer.strong(&format!("{} cases, accuracy {}{lost}", count("cases"), percent("accuracy"))));
    printer.line("");
    printer.line(&format!(
        "answered  {} ({} right, {} wrong): precision {}, coverage {}",
        count("answered"),
        count("right"),
        count("wrong"),
        percent("precision"),
        percent("coverage"),
    ));
    printer.line(&format!("refused   {} ({} rightly)", count("refused"), count("refused_right")));
    if count("problems") > 0 {
        printer.line(&format!("problems  {}", count("problems")));
    }
    if let Some(name) = document["model"]["name"].as_str() {
        let cost = &document["model"]["cost"];
        let tokens: u64 =
            cost["tokens"].as_object().into_iter().flatten().filter_map(|(_, tokens)| tokens.as_u64()).sum();
        printer.line(&format!("model     {name}, {} replies, {tokens} tokens", cost["calls"]));
    }
    printer.line(&format!("planning  {}", time("plan_ms")));
    printer.line(&format!("in all    {}", time("total_ms")));
}

fn print_failures(printer: &Printer, results: &[CaseResult]) {
    let failures: Vec<&CaseResult> = results.iter().filter(|result| is_failure(result)).collect();
    for result in failures.iter().take(FAILURES_SHOWN) {
        printer.line("");
        let question = result.question.as_deref().unwrap_or_default();
        printer.line(&format!("{}  {question}", printer.strong(&result.id)));
        match result.status {
            Status::Answered => {
                printer.line(&format!("  read as   {}", result.reading.as_deref().unwrap_or_default()));
                printer.line(&format!("  answered  {}", rows_in_short(result.rows.as_deref())));
            }
            Status::Refused => printer.line(&format!("  refused   {}", result.message.as_deref().unwrap_or_default())),
            Status::Problem => printer.line(&format!("  problem   {}", result.message.as_deref().unwrap_or_default())),
        }
        match &result.expect {
            Some(expect) if expect.refused => printer.line("  expected  a refusal"),
            Some(Expected { values: Some(values), .. }) => {
                let told: Vec<String> = values.iter().map(|(name, value)| format!("{name} {}", cell(value))).collect();
                printer.line(&format!("  expected  {}", told.join(", ")));
            }
            Some(expect) => printer.line(&format!("  expected  {}", rows_in_short(expect.rows.as_deref()))),
            None => {}
        }
    }
    if failures.len() > FAILURES_SHOWN {
        let more = failures.len() - FAILURES_SHOWN;
        printer.line(&printer.dim(&format!("\n{more} more; --out FILE has all, --html FILE shows them")));
    }
}

fn is_failure(result: &CaseResult) -> bool {
    result.status == Status::Problem || result.right == Some(false)
}

/// The first rows in one line.
fn rows_in_short(rows: Option<&[Vec<Value>]>) -> String {
    const CHARACTERS_MAX: usize = 160;
    let rows = rows.unwrap_or_default();
    let row = |row: &Vec<Value>| row.iter().map(cell).collect::<Vec<_>>().join(", ");
    let mut text = rows.iter().take(ROWS_SHOWN).map(row).collect::<Vec<_>>().join(" | ");
    if text.chars().count() > CHARACTERS_MAX {
        text = text.chars().take(CHARACTERS_MAX).chain(['…']).collect();
    }
    match rows.len() {
        0 => "no rows".to_string(),
        count if count > ROWS_SHOWN => format!("{text} | … ({count} rows)"),
        _ => text,
    }
}

fn cell(cell: &Value) -> String {
    match cell {
        Value::Null => "null".to_string(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Says on stderr which cases could not be asked.
fn tell_problems(terminal: &Terminal, results: &[CaseResult]) {
    let problems = results.iter().filter(|result| result.status == Status::Problem);
    for result in problems.take(FAILURES_SHOWN) {
        terminal
            .printer
            .remark("problem", &format!("{}: {}", result.id, result.message.as_deref().unwrap_or_default()));
    }
}
