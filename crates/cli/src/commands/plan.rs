//! `assay plan run|check|compile|schema`: the plan language by hand.

use app::documents::plan::{PlanSchema, WrittenPlan};
use base::{Code, Document, Problem};
use serde_json::Value;
use tasks::PLAN;

use crate::args::{Begin, Plan, PlanAction, PlanFile};
use crate::commands::document;
use crate::terminal::Terminal;

const PLAN_BYTES_MAX: usize = 1 << 20;

/// Runs, checks or compiles a plan, or prints what plans look like.
pub async fn run(terminal: &Terminal, plan: &Plan) -> Result<u8, Problem> {
    match &plan.action {
        PlanAction::Run { begin, file } => compute(terminal, begin, file).await,
        PlanAction::Check(file) => check(terminal, file).await,
        PlanAction::Schema => Ok(schema(terminal)),
        PlanAction::Compile { file, dialect: _ } => compile(terminal, file).await,
    }
}

async fn compute(terminal: &Terminal, begin: &Begin, file: &PlanFile) -> Result<u8, Problem> {
    let (input, title) = app::requests::plan(&terminal.app, &terminal.data_names(), read(file)?).await?;
    terminal.run_and_show(begin, PLAN, &input, &title, |made| document::show(terminal, made)).await
}

async fn check(terminal: &Terminal, file: &PlanFile) -> Result<u8, Problem> {
    let check = read(file)?.check(terminal.app.warehouse(), &terminal.data_names()).await?;
    terminal.show(&check.to_json(), |printer| match &check.plan_hash {
        Some(hash) => printer.line(&format!("valid {hash}")),
        None => {
            for problem in &check.problems {
                printer.line(&format!("{}: {}", problem.path, problem.message));
                for suggestion in &problem.suggestions {
                    printer.line(&format!("    did you mean `{suggestion}`?"));
                }
            }
        }
    });
    Ok(u8::from(!check.valid))
}

async fn compile(terminal: &Terminal, file: &PlanFile) -> Result<u8, Problem> {
    let compiled = read(file)?.compile(terminal.app.warehouse(), &terminal.data_names()).await?;
    terminal.show(&compiled.to_json(), |printer| printer.data(&format!("{}\n", compiled.sql)));
    Ok(0)
}

/// With `--json` inside a document of ours, else the schema itself, for other programs.
fn schema(terminal: &Terminal) -> u8 {
    let language = PlanSchema::of_the_language();
    terminal.show(&language.to_json(), |printer| printer.data(&format!("{:#}\n", language.schema)));
    0
}

fn read(file: &PlanFile) -> Result<WrittenPlan, Problem> {
    Ok(WrittenPlan { plan: read_json(&file.file)?, data: file.data.clone() })
}

fn read_json(file: &str) -> Result<Value, Problem> {
    let text = read_text(file, PLAN_BYTES_MAX)?;
    serde_json::from_str(&text).map_err(|error| {
        Problem::new(Code::PlanInvalid, format!("`{file}` is not JSON: {error}")).hint("write one JSON object")
    })
}

/// Reads a file or, for `-`, stdin; bounded, and as text.
pub fn read_text(file: &str, bytes_max: usize) -> Result<String, Problem> {
    use std::io::Read;
    let unreadable = |error: std::io::Error| {
        let said = error.to_string();
        let said = said.split(" (os error").next().unwrap_or_default().to_lowercase();
        Problem::new(Code::FileUnreadable, format!("cannot read `{file}`: {said}"))
            .hint("check the path, or use - for stdin")
    };
    let mut bytes = Vec::new();
    let limit = bytes_max as u64 + 1;
    let read = match file {
        "-" => std::io::stdin().lock().take(limit).read_to_end(&mut bytes),
        path => std::fs::File::open(path).map_err(unreadable)?.take(limit).read_to_end(&mut bytes),
    };
    read.map_err(unreadable)?;
    if bytes.len() > bytes_max {
        return Err(Problem::new(Code::FileFormat, format!("`{file}` has more than {bytes_max} bytes"))
            .hint("give a smaller file"));
    }
    String::from_utf8(bytes)
        .map_err(|_| Problem::new(Code::FileFormat, format!("`{file}` is not UTF-8 text")).hint("give a text file"))
}
