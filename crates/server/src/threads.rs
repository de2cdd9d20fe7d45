//! `/threads…`: questions that continue one another, as a conversation.

use app::documents::runs::ThreadForgotten;
use axum::extract::{Path, Query};
use base::{Code, RunId};
use flow::Runs;
use serde::Deserialize;
use serde_json::Value;

use crate::answers::{ListedThread, Message, Messages, Role, ThreadList, value};
use crate::body::Json;
use crate::caller::{Caller, READ, WRITE};
use crate::refusal::{Answered, Refusal};

const PAGE_DEFAULT: usize = 50;
/// More are not shown at once.
const PAGE_MAX: usize = 200;

/// How many threads to list.
#[derive(Debug, Default, Deserialize)]
pub struct Wanted {
    limit: Option<usize>,
}

/// Latest used first, each with its first question.
pub async fn list(Caller(place): Caller<READ>, Query(wanted): Query<Wanted>) -> Answered<Json> {
    let runs = place.runs().await?;
    let limit = wanted.limit.unwrap_or(PAGE_DEFAULT).clamp(1, PAGE_MAX);
    let mut threads = Vec::new();
    for record in runs.threads().await?.threads.into_iter().take(limit) {
        let first = runs.thread(&record.name).await?.runs.into_iter().next();
        let input = match first.and_then(|first| RunId::parse(&first.run)) {
            Some(run) => runs.journal(&run).await?.run.input,
            None => Value::Null,
        };
        threads.push(ListedThread {
            title: input["question"].as_str().map(str::to_string).or(record.title),
            dataset_id: input["data"][0].as_str().map(str::to_string),
            at: record.used_at,
            id: record.name,
        });
    }
    Ok(Json::ok(value(&ThreadList { threads })))
}

/// What was asked and answered, in order.
pub async fn messages(Caller(place): Caller<READ>, Path(id): Path<String>) -> Answered<Json> {
    let runs = place.runs().await?;
    let of_thread = runs.thread(&id).await?.runs;
    if of_thread.is_empty() {
        return Err(unknown());
    }
    let mut messages = Vec::new();
    let from = of_thread.len().saturating_sub(PAGE_MAX);
    for run in of_thread.iter().skip(from).filter_map(|run| RunId::parse(&run.run)) {
        messages.extend(said(runs, &run).await?);
    }
    Ok(Json::ok(value(&Messages { messages })))
}

async fn said(runs: &Runs, id: &RunId) -> Answered<[Message; 2]> {
    let journal = runs.journal(id).await?;
    let output = runs.output(&journal).await?;
    let run = &journal.run;
    let problem = run.problem.as_ref().and_then(|problem| problem["message"].as_str());
    let answer = output["sentence"].as_str().or(output["refusal"]["message"].as_str()).or(problem);
    let said = |role, text: Option<&str>, at| Message { role, text: text.map(str::to_string), run_id: id.clone(), at };
    Ok([
        said(Role::User, run.input["question"].as_str(), Some(run.created_at)),
        said(Role::Assistant, answer, run.finished_at),
    ])
}

/// Forgets a thread, not its runs.
pub async fn forget(Caller(place): Caller<WRITE>, Path(id): Path<String>) -> Answered<Json> {
    let runs = place.runs().await?.forget_thread(&id).await?;
    if runs == 0 {
        return Err(unknown());
    }
    Ok(Json::document(&ThreadForgotten { thread: id, runs }))
}

fn unknown() -> Refusal {
    Refusal::new(Code::NotFound, "there is no thread of that id", "GET /threads lists those there are")
}
