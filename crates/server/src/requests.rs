//! What a body asks for, as a run: one function a task. Data is named, a model is one that the server knows.

use app::documents::plan::WrittenPlan;
use app::requests;
use base::{Code, Problem, RunId};
use flow::Request;
use sandbox::Policy;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tasks::{
    ASK, AskInput, Budget, Consent, ModelUse, PLAN, PROGRAM, ProgramData, ProgramInput, SOLVE, SQL, SolveInput, Solver,
    TestsFile,
};
use warehouse::Resolved;

use crate::place::Place;

/// More is no message.
pub const MESSAGE_BYTES_MAX: usize = 256 << 10;
const THREAD_BYTES_MAX: usize = 64;
/// How many pieces of code are tried where nothing else is said.
const ITERATIONS_MAX_USUAL: u32 = 10;

/// A question about a dataset.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Question {
    /// What is asked.
    pub dataset_id: String,
    /// In the caller's words.
    pub message: String,
    /// The thread in which it is asked.
    #[serde(default)]
    pub thread_id: Option<String>,
    /// Who reads what the planner does not.
    #[serde(default)]
    pub model: Option<String>,
    /// Which of several readings the caller chose, counted from 1.
    #[serde(default)]
    pub reading: Option<usize>,
    /// Whether to compute it also where the answer is known.
    #[serde(default)]
    pub no_cache: bool,
}

#[derive(Deserialize, JsonSchema)]
struct Statement {
    dataset_id: String,
    sql: String,
}

#[derive(Deserialize, JsonSchema)]
struct Plan {
    plan: Value,
}

#[derive(Deserialize, JsonSchema)]
struct Python {
    #[serde(default)]
    dataset_id: Option<String>,
    code: String,
    /// Whether it is held to what an analysis needs, and looked at first.
    #[serde(default)]
    guard: bool,
}

#[derive(Deserialize, JsonSchema)]
struct Solve {
    task: String,
    /// The text of a Python file with tests, which import `solution`.
    #[serde(default)]
    tests: Option<String>,
    #[serde(default)]
    max_iterations: Option<u32>,
    #[serde(default)]
    model: Option<String>,
    /// Whether the caller is asked before code in which the guard sees an error is run; it is never run otherwise.
    #[serde(default)]
    ask: bool,
}

/// The run that a task's name and its input ask for.
pub async fn of_task(place: &Place, task: &str, input: Value, key: Option<&str>) -> Result<Request, Problem> {
    match task {
        "ask" => ask(place, &read(input)?, key).await,
        "sql" => {
            let Statement { dataset_id, sql } = read(input)?;
            self::sql(place, &dataset_id, &sql, key).await
        }
        "plan" => {
            let Plan { plan } = read(input)?;
            let written = WrittenPlan { plan, data: Vec::new() };
            let (input, title) = requests::plan(&place.app, &place.names(), written).await?;
            app::request(PLAN, &input, &title, key)
        }
        "python" => {
            let Python { dataset_id, code, guard } = read(input)?;
            python(place, dataset_id.as_deref(), &code, guard, key).await
        }
        "solve" => solve(place, read(input)?, key),
        other => Err(Problem::new(Code::TaskUnknown, format!("there is no task `{}`", base::shown(other)))
            .hint("give ask, sql, plan, python or solve")),
    }
}

fn read<T: DeserializeOwned>(input: Value) -> Result<T, Problem> {
    let wrong = |why: String| {
        Problem::new(Code::Usage, format!("the input is not what the task reads: {why}"))
            .hint("GET /openapi.json says what is")
            .at("/input")
    };
    // A list would be read as the fields in their order.
    if !input.is_object() {
        return Err(wrong("it is no object".to_string()));
    }
    serde_json::from_value(input).map_err(|error| wrong(error.to_string()))
}

/// A question with what it is about.
pub struct Asking {
    /// In the engine's terms.
    pub request: Request,
    input: AskInput,
    resolved: Resolved,
}

impl Asking {
    /// The answer, where it is known and the question continues no other: a run that is over, and its document.
    pub async fn known(&self, place: &Place) -> Result<Option<(RunId, Value)>, Problem> {
        let engine = place.app.engine().await?;
        tasks::give_again(engine, &place.app.context, &self.request, &self.input, &self.resolved).await
    }
}

/// A question.
pub async fn ask(place: &Place, asked: &Question, key: Option<&str>) -> Result<Request, Problem> {
    Ok(asking(place, asked, key).await?.request)
}

/// The same, to look first whether the answer is known.
pub async fn asking(place: &Place, asked: &Question, key: Option<&str>) -> Result<Asking, Problem> {
    bounded(&asked.message)?;
    if let Some(thread) = &asked.thread_id {
        check_thread(thread)?;
    }
    let names = place.names();
    let words = [asked.dataset_id.clone()];
    let resolved = requests::resolve(&place.app, &names, &words).await?;
    let input = AskInput {
        thread: asked.thread_id.clone(),
        reading: asked.reading,
        no_cache: asked.no_cache,
        model: model(place, asked.model.as_deref())?,
        ..requests::question(&names, &words, &resolved, asked.message.trim())
    };
    Ok(Asking { request: app::request(ASK, &input, &asked.message, key)?, input, resolved })
}

/// One statement.
pub async fn sql(place: &Place, dataset: &str, sql: &str, key: Option<&str>) -> Result<Request, Problem> {
    bounded(sql)?;
    let (names, words) = (place.names(), [dataset.to_string()]);
    let resolved = requests::resolve(&place.app, &names, &words).await?;
    app::request(SQL, &requests::statement(&names, &words, &resolved, sql), sql, key)
}

/// A program, over a dataset's tables if it names one; guarded it is held to what an analysis needs, and looked at first.
pub async fn python(
    place: &Place,
    dataset: Option<&str>,
    code: &str,
    guard: bool,
    key: Option<&str>,
) -> Result<Request, Problem> {
    bounded(code)?;
    let data = match dataset {
        Some(dataset) => Some(requests::tables(&place.app, &place.names(), &[dataset.to_string()], |_| false).await?),
        None => None,
    };
    app::request(PROGRAM, &program(code, data, guard), title(code), key)
}

/// What a program is called where many are listed: its first line that does something.
fn title(code: &str) -> &str {
    let says_nothing =
        |line: &&str| line.is_empty() || ["#", "import ", "from "].iter().any(|word| line.starts_with(word));
    code.lines().map(str::trim).find(|line| !says_nothing(line)).unwrap_or("a program")
}

fn program(code: &str, data: Option<ProgramData>, guard: bool) -> ProgramInput {
    ProgramInput {
        name: "program.py".to_string(),
        code: code.to_string(),
        policy: if guard { Policy::analysis() } else { Policy::task() },
        inputs: Vec::new(),
        out: None,
        values: Default::default(),
        data,
        guard,
    }
}

/// A task and the program that does it. Nothing is written but the record of the run.
fn solve(place: &Place, asked: Solve, key: Option<&str>) -> Result<Request, Problem> {
    bounded(&asked.task)?;
    let budget = &place.app.settings.budget_run;
    let input = SolveInput {
        tests: asked.tests.map(|text| TestsFile { name: "test_solution.py".to_string(), text }),
        beside: Vec::new(),
        file: None,
        max_iterations: asked.max_iterations.unwrap_or(ITERATIONS_MAX_USUAL),
        candidates: None,
        model: model(place, asked.model.as_deref())?.map(|model| Solver { name: model.name, budget: budget.clone() }),
        consent: if asked.ask { Consent::Ask } else { Consent::None },
        // The folders and the search engine are those of whoever started the server.
        tools: Vec::new(),
        no_memory: false,
        task: asked.task,
    };
    input.check()?;
    app::request(SOLVE, &input, &input.task, key)
}

/// The model that is asked.
fn model(place: &Place, named: Option<&str>) -> Result<Option<ModelUse>, Problem> {
    named.map_or(Ok(()), |name| check_model(place, name))?;
    Ok(requests::model(&place.app.settings, named, &Budget::default()))
}

/// A caller names no program to start and no file to read, but what the settings name.
pub fn check_model(place: &Place, name: &str) -> Result<(), Problem> {
    let settings = &place.app.settings;
    let is_theirs = |name: &str| {
        let provider = name.split_once(':').map_or(name, |(provider, _)| provider);
        let is_reachable = ["anthropic", "openai", "chat", "ollama", "local"].contains(&provider);
        name == app::MODEL_OFF || settings.models.defined.contains_key(name) || (name.contains(':') && is_reachable)
    };
    if settings.model.as_deref() == Some(name) || is_theirs(name) {
        return Ok(());
    }
    Err(Problem::new(Code::ModelUnknown, format!("no model here is called `{}`", base::shown(name)))
        .hint("GET /models lists those there are"))
}

fn bounded(message: &str) -> Result<(), Problem> {
    if message.trim().is_empty() || message.len() > MESSAGE_BYTES_MAX {
        return Err(Problem::new(Code::Usage, format!("a message has 1 to {MESSAGE_BYTES_MAX} bytes"))
            .hint("ask a question, or give a statement or a program"));
    }
    Ok(())
}

/// A thread's id as callers give it.
pub fn check_thread(thread: &str) -> Result<(), Problem> {
    let fits = !thread.trim().is_empty() && thread.len() <= THREAD_BYTES_MAX && !thread.chars().any(char::is_control);
    if fits {
        return Ok(());
    }
    Err(Problem::new(Code::Usage, format!("a thread's id has 1 to {THREAD_BYTES_MAX} bytes and no line break"))
        .hint("give the one that an answer had, or none to begin a thread"))
}
