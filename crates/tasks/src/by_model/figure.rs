//! A picture of a result that our own charts do not draw: the model writes a program, which passes the guard and runs in a
//! cell like any other, over the rows of the answer and nothing else. A program that fails costs the picture, never the answer.

use std::fs;
use std::path::Path;

use agent::{Language, Written};
use base::{Hash, Problem, Table, Type};
use data::chart::Wish;
use flow::{Run, Shelf};
use guard::{Checked, Python};
use sandbox::{CellOptions, Execution, Outcome, Policy, Program, Returned};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::execute::{PROGRAM_NAME, why_not};
use super::{Asking, sentence_of};
use crate::answer::{Answer, Figure};
use crate::context::Context;
use crate::program::Job;
use crate::query::UNLESS_LOST;

/// What the run's file is called.
const NAME: &str = "figure.png";
const MEDIA_TYPE: &str = "image/png";
/// How often a program is asked for.
const TRIES_MAX: usize = 2;
/// The plotting library takes longer to load than a query takes to run.
const CPU_MS: u64 = 6_000;
const BYTES_MAX: u64 = 8 << 20;
const PIXELS_MAX: u32 = 10_000;
/// How each PNG begins.
const SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";
/// Makes the rows a DataFrame; they come as values, so nothing of them is read as code.
const PRELUDE: &str = "\
import pandas as pd
result = pd.DataFrame(result_rows, columns=result_columns)
for name in result_numbers: result[name] = pd.to_numeric(result[name])
for name in result_times: result[name] = pd.to_datetime(result[name])
";
/// Pictures that our own charts are not.
const BEYOND: &[&str] = &[
    "box plot",
    "boxplot",
    "box-plot",
    "violin",
    "heatmap",
    "heat map",
    "density",
    "kde",
    "regression line",
    "trend line",
    "trendline",
    "error bar",
    "pair plot",
    "pairplot",
    "subplot",
    "radar",
    "bubble",
    "candlestick",
];
/// Words for how two numbers hang together, which dots show.
const TOGETHER: &[&str] = &["relationship between", "relation between", "correlation between", "against each other"];

/// The chart that the words of a question ask for.
pub fn wish(question: &str) -> Option<Wish> {
    let lower = question.to_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    planner::chart_wish(question)
        .or_else(|| says(BEYOND).then_some(Wish::Any))
        .or_else(|| says(TOGETHER).then_some(Wish::Scatter))
}

/// Whether the words ask for a picture at all.
pub fn is_asked_for(question: &str) -> bool {
    wish(question).is_some()
}

fn is_beyond_ours(question: &str) -> bool {
    let lower = question.to_lowercase();
    BEYOND.iter().any(|word| lower.contains(word))
}

/// What became of a program that draws.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Drawn {
    figure: Option<Figure>,
    /// Why there is none.
    error: Option<String>,
}

impl Drawn {
    fn nothing(error: impl Into<String>) -> Drawn {
        Drawn { figure: None, error: Some(error.into()) }
    }
}

impl Asking<'_> {
    /// Draws an answer where its question asks for a picture and no chart of ours is one.
    pub async fn draw(&mut self, answer: &mut Answer) -> Result<(), Problem> {
        let question = &self.prompts.question;
        let is_wanted = is_asked_for(question) && (answer.chart.is_none() || is_beyond_ours(question));
        let Some(table) = answer.table.clone().filter(|table| is_wanted && table.rows.len() > 1) else { return Ok(()) };
        if table.truncated {
            answer.notes.push("no figure is drawn: only a part of the rows is kept".to_string());
            return Ok(());
        }
        let mut failed: Option<(String, String)> = None;
        for _ in 0..TRIES_MAX {
            let before = failed.as_ref().map(|(code, error)| (code.as_str(), error.as_str()));
            let request = self.prompts.chart(&table, before);
            let Some(reply) = self.ask(&request, "code").await? else { break };
            let text = request.begun().to_string() + &reply.text;
            let Written::Code(code) = agent::read(&text, Language::Python) else {
                failed = Some((text, "there is no program in the reply".to_string()));
                continue;
            };
            let drawn = plot(self.run, self.context, &table, &code.text).await?;
            if let Some(figure) = drawn.figure {
                answer.figures.push(figure);
                return Ok(());
            }
            let error = drawn.error.unwrap_or_default();
            self.tell(&error);
            failed = Some((code.text, error));
        }
        let why = failed.map_or_else(|| self.replies.exhausted(), |(_, error)| error);
        answer.notes.push(format!("no figure is drawn: {}", sentence_of(&why)));
        Ok(())
    }
}

/// Checks a program that draws and runs it over the rows of a result, as one step that keeps the picture.
async fn plot(run: &mut Run, context: &Context, table: &Table, code: &str) -> Result<Drawn, Problem> {
    let text = format!("{PRELUDE}{code}");
    let input = json!({ "code": Hash::of(text.as_bytes()), "result": Hash::of_json(&json!(table)) });
    let folder = context.warehouse.data_dir.join("jobs").join(format!("{}-{}", run.id(), run.attempt()));
    let shelf = run.shelf();
    let effect = || async {
        match guard::python::check(&text, guard::python::Profile::Analysis) {
            Ok(checked) => run_checked(context, table, &checked, folder.clone(), &shelf).await,
            Err(report) => {
                let said: Vec<&str> = report.findings.iter().map(|one| one.message.as_str()).take(3).collect();
                Ok(Drawn::nothing(format!("it was not executed: {}", said.join("; "))))
            }
        }
    };
    Ok(run.step_under(UNLESS_LOST, "draw", &input, effect).await?)
}

async fn run_checked(
    context: &Context,
    table: &Table,
    checked: &Checked<Python>,
    folder: std::path::PathBuf,
    shelf: &Shelf,
) -> Result<Drawn, Problem> {
    let job = Job::enter(folder).await?;
    let program = Program { code: checked.text(), name: PROGRAM_NAME, values: values(table), ..Program::default() };
    let policy = Policy { cpu_ms: CPU_MS, ..Policy::analysis() };
    let options = CellOptions { out: Some(job.folder.join("out")), ..CellOptions::of(policy) };
    let execution = sandbox::execute_with(context.warehouse.sandbox().await?, &program, options).await?;
    if execution.outcome != Outcome::Ok {
        return Ok(Drawn::nothing(why_not(execution, PRELUDE.lines().count())));
    }
    let picture = match picture(&execution, &job.folder.join("out")) {
        Ok(picture) => picture,
        Err(why) => return Ok(Drawn::nothing(why)),
    };
    let sha256 = shelf.put(NAME, MEDIA_TYPE, picture).await?;
    Ok(Drawn { figure: Some(Figure { name: NAME.to_string(), sha256 }), error: None })
}

/// The rows of a result, and which of their columns are more than text.
fn values(table: &Table) -> Map<String, Value> {
    let named = |fits: &dyn Fn(Type) -> bool| -> Vec<&str> {
        table.columns.iter().filter(|column| fits(column.ty)).map(|column| column.name.as_str()).collect()
    };
    let plain = |cell: &Value| match cell.as_str() {
        Some("NaN" | "Infinity" | "-Infinity") => Value::Null,
        _ => cell.clone(),
    };
    let rows: Vec<Vec<Value>> = table.rows.iter().map(|row| row.iter().map(plain).collect()).collect();
    let names: Vec<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
    let values = [
        ("result_rows", json!(rows)),
        ("result_columns", json!(names)),
        ("result_numbers", json!(named(&Type::is_number))),
        ("result_times", json!(named(&|ty| matches!(ty, Type::Date | Type::Timestamp)))),
    ];
    values.into_iter().map(|(name, value)| (name.to_string(), value)).collect()
}

/// The picture that a program left, if it is one: a stranger's program can leave anything under any name.
fn picture(execution: &Execution, out: &Path) -> Result<Vec<u8>, String> {
    let shown = match &execution.result {
        Returned::Figure { path } => Some(path),
        _ => None,
    };
    let left = || execution.files.iter().map(|file| &file.path).find(|path| path.ends_with(".png"));
    let path = shown.or_else(left).ok_or("it drew no figure; the last line must be the figure")?;
    let bytes = execution.files.iter().find(|file| file.path == *path).map_or(0, |file| file.bytes);
    if bytes > BYTES_MAX {
        return Err(format!("its figure has {bytes} bytes, and may have {BYTES_MAX}"));
    }
    let picture = fs::read(out.join(path)).map_err(|error| format!("its figure cannot be read: {error}"))?;
    match size(&picture) {
        Some((width, height)) if width.max(height) <= PIXELS_MAX => Ok(picture),
        Some((width, height)) => Err(format!("its figure is {width} by {height} pixels, too large to show")),
        None => Err("what it left is no PNG picture".to_string()),
    }
}

/// Width and height of a PNG, which follow its signature and the head of its first block.
fn size(picture: &[u8]) -> Option<(u32, u32)> {
    let head = picture.strip_prefix(SIGNATURE)?;
    let number = |from: usize| Some(u32::from_be_bytes(head.get(from..from + 4)?.try_into().ok()?));
    Some((number(8)?, number(12)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_ask_for_a_picture_or_do_not() {
        for asks in ["plot sales by month", "a box plot of fares", "what is the relationship between age and fare"] {
            assert!(is_asked_for(asks), "{asks}");
        }
        for asks_not in ["how many rows are there", "what is the mean fare"] {
            assert!(!is_asked_for(asks_not), "{asks_not}");
        }
        assert!(is_beyond_ours("a Heatmap of sales") && !is_beyond_ours("plot sales by month"));
    }

    #[test]
    fn a_picture_says_how_large_it_is() {
        let mut picture = SIGNATURE.to_vec();
        picture.extend(b"\0\0\0\x0dIHDR\0\0\x02\x80\0\0\x01\xe0");
        assert_eq!(size(&picture), Some((640, 480)));
        assert_eq!((size(b"GIF89a"), size(SIGNATURE)), (None, None));
    }
}
