//! `/chat` and `/chat/stream`: a message is a question, `SQL: …` or `PYTHON: …`, and each is a run.

use axum::response::Response;
use base::{Code, Problem, RunId};
use flow::Request;
use serde_json::json;

use crate::body::{Json, Said};
use crate::caller::{ASK, Caller};
use crate::codes;
use crate::place::Place;
use crate::refusal::Answered;
use crate::requests::{self, Question};
use crate::stream;

/// What a message asks for.
#[derive(Debug, PartialEq, Eq)]
enum Mode<'a> {
    Question,
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
            _ => Mode::Question,
        }
    }
}

/// Answers with the whole document, also where the question was refused.
pub async fn chat(Caller(place): Caller<ASK>, Said(mut message): Said<Question>) -> Answered<Json> {
    let continues = message.thread_id.is_some();
    let thread = thread_of(&mut message)?;
    let known = match Mode::of(&message.message) {
        Mode::Question if !continues => {
            let asking = requests::asking(&place, &message, None).await?;
            asking.known(&place).await?.ok_or(asking.request)
        }
        _ => Err(request(&place, &message).await?),
    };
    let (run, mut document) = match known {
        Ok(known) => known,
        Err(request) => {
            let begun = place.begin_soon(request).await?;
            (begun.run.clone(), codes::told(place.end_of(begun).await?))
        }
    };
    document["thread_id"] = json!(thread);
    document["run_id"] = json!(run);
    Ok(Json::ok(document))
}

/// Answers with the run's events as they happen.
pub async fn chat_stream(Caller(place): Caller<ASK>, Said(mut message): Said<Question>) -> Answered<Response> {
    let reader = place.counters.reader()?;
    let thread = thread_of(&mut message)?;
    let run = place.begin(request(&place, &message).await?).await?.run;
    let events = place.runs().await?.watch(&run, 0);
    Ok(stream::of(reader, events, Some(thread)))
}

/// The thread a message is in; a new one, if it names none.
fn thread_of(message: &mut Question) -> Result<String, Problem> {
    let thread = message.thread_id.get_or_insert_with(|| RunId::fresh().to_string()).clone();
    requests::check_thread(&thread)?;
    Ok(thread)
}

/// What a message asks for, in the engine's terms.
async fn request(place: &Place, message: &Question) -> Result<Request, Problem> {
    match Mode::of(&message.message) {
        Mode::Question => requests::ask(place, message, None).await,
        Mode::Sql("") | Mode::Python("") => {
            Err(Problem::new(Code::Usage, "nothing follows the word that says what the message is")
                .hint("write the statement or the program behind it"))
        }
        Mode::Sql(sql) => requests::sql(place, &message.dataset_id, sql, None).await,
        Mode::Python(code) => requests::python(place, Some(&message.dataset_id), code, true, None).await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_says_by_its_beginning_what_it_is() {
        assert_eq!(Mode::of(" how many orders? "), Mode::Question);
        assert_eq!(Mode::of("sql:SELECT 1"), Mode::Sql("SELECT 1"));
        assert_eq!(Mode::of("SQL: SELECT 1"), Mode::Sql("SELECT 1"));
        assert_eq!(Mode::of("Python:\nif x:\n  y\n"), Mode::Python("if x:\n  y"));
        assert_eq!(Mode::of("SQL is what?"), Mode::Question);
        assert_eq!(Mode::of("é"), Mode::Question);
    }
}
