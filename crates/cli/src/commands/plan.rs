//! `assay plan run|check|compile|schema`: the plan language by hand.

use agent::{PLAN, PlanInput, Prepared, Resolved, unvalidated};
use base::{Code, Problem};
use data::plan::PlanProblem;
use serde_json::{Value, json};

use crate::app::{App, absolute, resolve};
use crate::args::{Begin, Plan, PlanAction, PlanFile};
use crate::commands::document;

const PLAN_BYTES_MAX: usize = 1 << 20;

/// Runs, checks or compiles a plan, or prints what plans look like.
pub async fn run(app: &App, plan: &Plan) -> Result<u8, Problem> {
    match &plan.action {
        PlanAction::Run { begin, file } => compute(app, begin, file).await,
        PlanAction::Check(file) => check(app, file).await,
        PlanAction::Schema => Ok(schema(app)),
        PlanAction::Compile { file, dialect: _ } => compile(app, file).await,
    }
}

async fn compute(app: &App, begin: &Begin, file: &PlanFile) -> Result<u8, Problem> {
    let (plan, data, resolved) = load(app, file).await?;
    let title = format!("plan over {}", resolved.id);
    let input = PlanInput { data: absolute(app, &data), version: resolved.version.to_string(), plan };
    app.run_and_show(begin, PLAN, &input, &title, |made| document::show(app, made)).await
}

async fn check(app: &App, file: &PlanFile) -> Result<u8, Problem> {
    let value = read_json(&file.file)?;
    let result = match dataset_of(&value, file) {
        Ok(data) => match prepare(app, &data).await {
            Ok(prepared) => data::plan::read(&value, &prepared.dataset),
            Err(problem) if problem.code == Code::DatasetUnknown => Err(vec![PlanProblem {
                path: "/dataset".into(),
                code: problem.code,
                message: problem.message,
                suggestions: base::nearest(&data[0], app.context.datasets().all_names().iter().map(String::as_str)),
            }]),
            Err(problem) => return Err(problem),
        },
        Err(problem) => Err(vec![problem]),
    };
    let (problems, plan) = match result {
        Ok(plan) => (Vec::new(), Some(plan)),
        Err(problems) => (problems, None),
    };
    let document = json!({
        "v": 1, "kind": "plan_check", "valid": plan.is_some(), "problems": problems,
        "plan": plan.as_ref().map(|plan| plan.canonical()), "plan_hash": plan.as_ref().map(|plan| plan.hash()),
    });
    app.show(&document, |printer| match &plan {
        Some(plan) => printer.line(&format!("valid {}", plan.hash())),
        None => {
            for problem in &problems {
                printer.line(&format!("{}: {}", problem.path, problem.message));
                for suggestion in &problem.suggestions {
                    printer.line(&format!("    did you mean `{suggestion}`?"));
                }
            }
        }
    });
    Ok(u8::from(plan.is_none()))
}

async fn compile(app: &App, file: &PlanFile) -> Result<u8, Problem> {
    let (value, data, _) = load(app, file).await?;
    let prepared = prepare(app, &data).await?;
    let plan = data::plan::read(&value, &prepared.dataset).map_err(unvalidated)?;
    let sql = data::compile::duckdb(&plan, &prepared.dataset).map_err(|problem| unvalidated(vec![problem]))?;
    let document = json!({ "v": 1, "kind": "plan_sql", "dialect": "duckdb", "sql": sql, "plan_hash": plan.hash() });
    app.show(&document, |printer| printer.data(&format!("{sql}\n")));
    Ok(0)
}

/// With `--json` inside a document of ours, else the schema itself, for other programs.
fn schema(app: &App) -> u8 {
    let schema = data::plan::schema();
    let document = json!({ "v": 1, "kind": "plan_schema", "schema": schema });
    app.show(&document, |printer| printer.data(&format!("{schema:#}\n")));
    0
}

async fn load(app: &App, file: &PlanFile) -> Result<(Value, Vec<String>, Resolved), Problem> {
    let value = read_json(&file.file)?;
    let data = dataset_of(&value, file).map_err(|problem| unvalidated(vec![problem]))?;
    let resolved = resolve(app, &data).await?;
    Ok((value, data, resolved))
}

async fn prepare(app: &App, data: &[String]) -> Result<Prepared, Problem> {
    resolve(app, data).await?.prepare(&app.context).await
}

fn dataset_of(value: &Value, file: &PlanFile) -> Result<Vec<String>, PlanProblem> {
    if !file.data.is_empty() {
        return Ok(file.data.clone());
    }
    match data::plan::dataset_name(value) {
        Some(name) => Ok(vec![name.to_string()]),
        None => Err(PlanProblem::invalid("/dataset", "the plan does not name its dataset")),
    }
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
