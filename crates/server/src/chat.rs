//! `/chat` and `/chat/stream`: a message is a question, `SQL: …` or `PYTHON: …`, and each is a run.

use app::requests;
use axum::response::Response;
use base::{Code, Problem, RunId};
use flow::Request;
use sandbox::Policy;
use serde::Deserialize;
use serde_json::json;
use tasks::{ASK, AskInput, Budget, PROGRAM, ProgramInput, SQL};

use crate::body::{Json, Said};
use crate::codes;
use crate::outer::Caller;
use crate::place::Place;
use crate::refusal::{Answered, Refusal};
use crate::stream;

/// More is no message.
const MESSAGE_BYTES_MAX: usize = 256 << 10;
const THREAD_BYTES_MAX: usize = 64;

/// A message about a dataset.
#[derive(Debug, Deserialize)]
pub struct Message {
    dataset_id: String,
    message: String,
    #[serde(default)]
    thread_id: Option<String>,
    #[serde(default)]
    model: Option<String>,
    /// Which of several readings the caller chose, counted from 1.
    #[serde(default)]
    reading: Option<usize>,
    #[serde(default)]
    no_cache: bool,
}

/// What a message asks for.
#[derive(Debug, PartialEq, Eq)]
enum Mode<'a> {
    Question(&'a str),
    Sql(&'a str),
    Python(&'a str),
}

impl<'a> Mode<'a> {
    fn of(message: &'a str) -> Mode<'a> {
        let message = message.trim();
        let after = |word: &str| {
            let start = message.get(..word.len())?;
            start.eq_ignore_ascii_case(word).then(|| message[word.len()..].trim_matches(['\n', '\r', ' ']))
        };
        match (after("SQL:"), after("PYTHON:")) {
            (Some(sql), _) => Mode::Sql(sql),
            (_, Some(code)) => Mode::Python(code),
            _ => Mode::Question(message),
        }
    }
}

/// Answers with the whole document, also where the question was refused.
pub async fn chat(Caller(place): Caller, Said(message): Said<Message>) -> Answered<Json> {
    let (request, thread) = request(&place, message).await?;
    let ended = place.follow(request).await?;
    let mut document = codes::told(ended.result?.output);
    document["thread_id"] = json!(thread);
    document["run_id"] = json!(ended.run);
    Ok(Json::ok(document))
}

/// Answers with the run's events as they happen.
pub async fn chat_stream(Caller(place): Caller, Said(message): Said<Message>) -> Answered<Response> {
    let (request, thread) = request(&place, message).await?;
    let run = place.begin(request).await?.run;
    let events = place.runs().await?.watch(&run, 0);
    Ok(stream::of(events, Some(thread)))
}

/// What a message asks for, in the engine's terms, and the thread it is in.
async fn request(place: &Place, message: Message) -> Result<(Request, String), Refusal> {
    if message.message.trim().is_empty() || message.message.len() > MESSAGE_BYTES_MAX {
        let problem = format!("a message has 1 to {MESSAGE_BYTES_MAX} bytes");
        return Err(Refusal::new(Code::Usage, problem, "ask a question, or begin with `SQL:` or `PYTHON:`"));
    }
    let thread = thread_of(message.thread_id.as_deref())?;
    let names = place.names();
    let words = [message.dataset_id.clone()];
    let resolved = requests::resolve(&place.app, &names, &words).await?;
    let request = match Mode::of(&message.message) {
        Mode::Question(question) => {
            let model = requests::model(&place.app.settings, message.model.as_deref(), &Budget::default());
            let input = AskInput {
                thread: Some(thread.clone()),
                reading: message.reading,
                no_cache: message.no_cache,
                model,
                ..requests::question(&names, &words, &resolved, question)
            };
            app::request(ASK, &input, question, None)?
        }
        Mode::Sql(sql) => app::request(SQL, &requests::statement(&names, &words, &resolved, sql), sql, None)?,
        Mode::Python(code) => {
            let data = requests::tables(&place.app, &names, &words, |_| false).await?;
            app::request(PROGRAM, &program(code, Some(data)), "run program.py", None)?
        }
    };
    Ok((request, thread))
}

/// A program as it came, over a dataset if it names one.
pub fn program(code: &str, data: Option<tasks::ProgramData>) -> ProgramInput {
    ProgramInput {
        name: "program.py".to_string(),
        code: code.to_string(),
        policy: Policy::task(),
        inputs: Vec::new(),
        out: None,
        values: Default::default(),
        data,
        guard: false,
    }
}

/// The thread that was named, or a new one.
fn thread_of(named: Option<&str>) -> Result<String, Problem> {
    let Some(thread) = named else { return Ok(RunId::fresh().to_string()) };
    let fits = !thread.trim().is_empty() && thread.len() <= THREAD_BYTES_MAX && !thread.chars().any(char::is_control);
    if fits {
        return Ok(thread.to_string());
    }
    Err(Problem::new(Code::Usage, format!("a thread's id has 1 to {THREAD_BYTES_MAX} bytes and no line break"))
        .hint("give the one that an answer had, or none to begin a thread"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_says_by_its_beginning_what_it_is() {
        assert_eq!(Mode::of(" how many orders? "), Mode::Question("how many orders?"));
        assert_eq!(Mode::of("sql:SELECT 1"), Mode::Sql("SELECT 1"));
        assert_eq!(Mode::of("SQL: SELECT 1"), Mode::Sql("SELECT 1"));
        assert_eq!(Mode::of("Python:\nif x:\n  y\n"), Mode::Python("if x:\n  y"));
        assert_eq!(Mode::of("SQL is what?"), Mode::Question("SQL is what?"));
        assert_eq!(Mode::of("é"), Mode::Question("é"));
    }
}
