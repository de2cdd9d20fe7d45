//! `/runs…`: what was done, what happens, and what to do about it.

use app::documents::runs::{Cancel, Import, Replay};
use app::pictures::chart_of;
use axum::body::Body;
use axum::extract::{Multipart, Path, Query};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use base::{Code, Document, Problem, RunId};
use data::chart::svg::{self, Theme};
use flow::{Filter, Mode, RunState, Start, Target};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use tokio::task::spawn_blocking;

use crate::answers::{BegunRun, FollowUps, RunStatus, value};
use crate::body::{Json, Said};
use crate::caller::{ASK, Caller, READ, WRITE};
use crate::codes;
use crate::place::Place;
use crate::refusal::{Answered, Refusal};
use crate::{requests, stream, uploads};

const PAGE_DEFAULT: usize = 50;

/// Which runs to list.
#[derive(Debug, Default, Deserialize)]
pub struct Wanted {
    task: Option<String>,
    state: Option<String>,
    limit: Option<usize>,
    cursor: Option<String>,
}

/// Newest first.
pub async fn list(Caller(place): Caller<READ>, Query(wanted): Query<Wanted>) -> Answered<Json> {
    let runs = place.runs().await?;
    let states = wanted.state.iter().flat_map(|states| states.split(',')).filter(|state| !state.is_empty());
    let state = |word: &str| {
        RunState::parse(word)
            .ok_or_else(|| Refusal::new(Code::Usage, "no run can be in that state", "name states as runs show them"))
    };
    let before = match &wanted.cursor {
        Some(cursor) => Some(runs.find(cursor).await?),
        None => None,
    };
    let states = states.map(state).collect::<Result<_, _>>()?;
    let filter = Filter { task: wanted.task, states, before, ..Filter::default() };
    let limit = wanted.limit.unwrap_or(PAGE_DEFAULT).clamp(1, place.limits().rows);
    Ok(Json::document(&runs.list(&filter, limit).await?))
}

/// What to run.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Asked {
    task: String,
    input: Value,
}

/// Begins a run and says where to look for it. The same key and input is the same run.
pub async fn begin(Caller(place): Caller<ASK>, headers: HeaderMap, Said(asked): Said<Asked>) -> Answered<Json> {
    let key = headers.get("idempotency-key").map(|key| key.to_str().unwrap_or_default());
    let request = requests::of_task(&place, &asked.task, asked.input, key).await?;
    let run = place.begin(request).await?.run;
    let (status_url, events_url) = (format!("/runs/{run}/status"), format!("/runs/{run}/events"));
    Ok(Json(StatusCode::ACCEPTED, value(&BegunRun { run_id: run, status_url, events_url })))
}

/// One run with its steps.
pub async fn show(Caller(place): Caller<READ>, Path(id): Path<String>) -> Answered<Json> {
    Ok(Json::ok(document(&place, &found(&place, &id).await?).await?))
}

/// The `run` document, its output named as it is over HTTP.
pub async fn document(place: &Place, id: &RunId) -> Result<Value, Problem> {
    let mut shown = place.runs().await?.show(id).await?;
    if shown.task == tasks::SOLVE {
        shown.progress = place.app.engine().await?.note(&place.app.context, id).await?;
    }
    let mut run = shown.to_json();
    run["output"] = codes::told(run["output"].take());
    Ok(run)
}

/// Where a run stands, and where in the queue if it waits.
pub async fn status(Caller(place): Caller<READ>, Path(id): Path<String>) -> Answered<Json> {
    let id = found(&place, &id).await?;
    let runs = place.runs().await?;
    let state = runs.journal(&id).await?.run.state;
    let position = match state {
        RunState::Pending => Some(runs.waiting_before(&id).await? + 1),
        _ => None,
    };
    Ok(Json::ok(value(&RunStatus { run_id: id, state, position })))
}

/// How the answer of a run can be continued: questions that are answered when they are asked next in its thread. None where
/// it has no plan, and none where its data is gone.
pub async fn follow_ups(Caller(place): Caller<READ>, Path(id): Path<String>) -> Answered<Json> {
    let id = found(&place, &id).await?;
    let run = place.runs().await?.show(&id).await?;
    let names: Vec<String> = serde_json::from_value(run.input["data"].clone()).unwrap_or_default();
    let answer = run.output.filter(|output| run.task == tasks::ASK && output["plan"].is_object());
    let (Some(answer), Ok(resolved)) = (answer, app::requests::resolve(&place.app, &place.names(), &names).await)
    else {
        return Ok(Json::ok(value(&FollowUps { run_id: id, questions: Vec::new() })));
    };
    let warehouse = place.app.warehouse();
    let prepared = resolved.prepare(warehouse).await?;
    let indexes = warehouse.indexes.clone();
    let planning = spawn_blocking(move || tasks::follow_ups(&indexes.of(&prepared), &prepared.dataset, &answer));
    let questions = planning.await.map_err(|error| Problem::new(Code::Internal, error.to_string()))?;
    Ok(Json::ok(value(&FollowUps { run_id: id, questions })))
}

/// Where to go on in a stream.
#[derive(Debug, Default, Deserialize)]
pub struct After {
    after: Option<i64>,
}

/// A run's events, those that are recorded and those that come. Nothing (204) once all were heard, so that a browser does
/// not ask for ever.
pub async fn events(
    Caller(place): Caller<READ>,
    Path(id): Path<String>,
    Query(asked): Query<After>,
    headers: HeaderMap,
) -> Answered<Response> {
    let id = found(&place, &id).await?;
    let heard = headers.get("last-event-id").and_then(|seq| seq.to_str().ok()).map(|seq| seq.trim().parse());
    let heard: Option<i64> = heard.transpose().map_err(|_| {
        Refusal::new(Code::Usage, "`Last-Event-ID` is no event's number", "send the `id` of the last event")
    })?;
    let after = heard.or(asked.after).unwrap_or(0);
    let runs = place.runs().await?;
    let journal = runs.journal(&id).await?;
    if journal.run.state.is_final() && after >= journal.run.last_seq {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    Ok(stream::of(place.counters.reader()?, runs.watch(&id, after), None))
}

/// A file of a run.
pub async fn artifact(Caller(place): Caller<READ>, Path((id, name)): Path<(String, String)>) -> Answered<Response> {
    let runs = place.runs().await?;
    let id = found(&place, &id).await?;
    let journal = runs.journal(&id).await?;
    let Some(artifact) = journal.artifacts.iter().find(|artifact| artifact.name == name) else {
        let names: Vec<&str> = journal.artifacts.iter().map(|artifact| artifact.name.as_str()).collect();
        let there = if names.is_empty() { "it has none".to_string() } else { format!("it has {}", names.join(", ")) };
        return Err(Refusal::new(Code::NotFound, format!("run `{id}` has no file of that name"), &there));
    };
    let contents = runs.artifact(&id, &name).await?;
    Ok(download(contents, kind_of(&artifact.media_type), &name))
}

/// A run as a file that others can check and continue.
pub async fn capsule(Caller(place): Caller<READ>, Path(id): Path<String>) -> Answered<Response> {
    let runs = place.runs().await?;
    let id = found(&place, &id).await?;
    let unwritable = |error: std::io::Error| {
        Problem::new(Code::Internal, format!("cannot write the capsule: {error}")).hint("try again")
    };
    let folder = tempfile::tempdir_in(&place.app.settings.data_dir).map_err(unwritable)?;
    let path = folder.path().join("run.zip");
    runs.export(&id, Target { path: path.clone(), replace: false }, app::PROGRAM).await?;
    let contents = tokio::fs::read(&path).await.map_err(unwritable)?;
    Ok(download(contents, HeaderValue::from_static("application/zip"), &format!("{id}.zip")))
}

/// Takes a run in from a capsule; what is not finished in it waits to be resumed.
pub async fn import(Caller(place): Caller<WRITE>, files: Multipart) -> Answered<Json> {
    let upload = uploads::receive(&place, files).await?;
    let [file] = upload.files() else {
        return Err(Refusal::new(Code::Usage, "more than one file was sent", "send one capsule at a time"));
    };
    let imported = place.runs().await?.import(file).await.map_err(|mut problem| {
        // Where it lay on this machine is nobody's business.
        problem.message = problem.message.replace(&format!("{}/", upload.folder().display()), "");
        problem
    })?;
    Ok(Json(StatusCode::CREATED, Import::from(imported).to_json()))
}

/// How to draw a chart.
#[derive(Debug, Default, Deserialize)]
pub struct Drawing {
    theme: Option<String>,
    width: Option<f64>,
}

/// The chart of a run's answer.
pub async fn chart(
    Caller(place): Caller<READ>,
    Path(id): Path<String>,
    Query(drawing): Query<Drawing>,
) -> Answered<Response> {
    let runs = place.runs().await?;
    let id = found(&place, &id).await?;
    let output = runs.output(&runs.journal(&id).await?).await?;
    let chart = chart_of(&output).ok_or_else(|| Refusal::not_found("the run has no chart"))?;
    let theme = match drawing.theme.as_deref() {
        Some("light") => Theme::Light,
        Some("dark") => Theme::Dark,
        None | Some("auto") => Theme::Automatic,
        Some(_) => return Err(Refusal::new(Code::Usage, "no such theme", "light, dark or auto")),
    };
    let svg = svg::draw_in(&chart, theme, drawing.width.unwrap_or(svg::WIDTH));
    let mut response = Response::new(Body::from(svg));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("image/svg+xml"));
    // A picture has nothing to fetch and nothing to run; what it becomes on a dark screen is a style of its own.
    let policy = "default-src 'none'; style-src 'unsafe-inline'; sandbox";
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, max-age=3600"));
    Ok(response)
}

/// Stops a run.
pub async fn cancel(Caller(place): Caller<ASK>, Path(id): Path<String>) -> Answered<Json> {
    let id = found(&place, &id).await?;
    Cancel::stop(place.runs().await?, id.clone()).await?;
    Ok(Json::ok(document(&place, &id).await?))
}

/// Goes on with a run that was interrupted, stopped or ended by a problem.
pub async fn resume(Caller(place): Caller<ASK>, Path(id): Path<String>) -> Answered<Json> {
    let id = found(&place, &id).await?;
    place.app.spawn(Start::Resume(id.clone())).await?;
    Ok(Json(StatusCode::ACCEPTED, document(&place, &id).await?))
}

/// Which of a run's questions a decision is about: the oldest, if none is named.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub struct Decided {
    #[serde(default)]
    id: Option<String>,
}

/// Allows what a waiting run asks; it goes on.
pub async fn approve(caller: Caller<ASK>, id: Path<String>, said: Option<Said<Decided>>) -> Answered<Json> {
    decide(caller, id, said, true).await
}

/// Denies what a waiting run asks; it goes on without.
pub async fn deny(caller: Caller<ASK>, id: Path<String>, said: Option<Said<Decided>>) -> Answered<Json> {
    decide(caller, id, said, false).await
}

async fn decide(
    Caller(place): Caller<ASK>,
    Path(id): Path<String>,
    said: Option<Said<Decided>>,
    allowed: bool,
) -> Answered<Json> {
    let id = found(&place, &id).await?;
    let question = said.and_then(|Said(decided)| decided.id);
    let state = place.runs().await?.decide(&id, question.as_deref(), allowed).await?;
    if state == RunState::Pending {
        place.one_waits();
    }
    Ok(Json::ok(document(&place, &id).await?))
}

/// Holds a run's code against its journal; what that came to is in `replay`.
pub async fn replay(Caller(place): Caller<ASK>, Path(id): Path<String>) -> Answered<Json> {
    let id = found(&place, &id).await?;
    let replay = place.app.engine().await?.replay(&place.app.context, &id).await?;
    let mut run = document(&place, &id).await?;
    run["replay"] = Replay::from(replay).to_json();
    Ok(Json::ok(run))
}

/// Where to fork.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub struct From {
    #[serde(default)]
    from_step: usize,
}

/// Begins a new run with the first steps of another: none, if nothing is said.
pub async fn fork(Caller(place): Caller<ASK>, Path(id): Path<String>, said: Option<Said<From>>) -> Answered<Json> {
    let from = found(&place, &id).await?;
    let steps = said.map(|Said(from)| from.from_step).unwrap_or_default();
    let forked = place.app.spawn(Start::Fork { from, steps, mode: Mode::Queued }).await?;
    Ok(Json(StatusCode::ACCEPTED, document(&place, &forked.run).await?))
}

/// The run that is meant by an id, or by enough of its digits. It is there.
pub async fn found(place: &Place, text: &str) -> Result<RunId, Problem> {
    let runs = place.runs().await?;
    let id = runs.find(text).await?;
    runs.state(&id).await?;
    Ok(id)
}

/// What is safe to say of a file: what a browser would run as part of this site is only to be saved.
fn kind_of(media_type: &str) -> HeaderValue {
    let is_harmless = ["image/png", "image/jpeg", "text/plain", "text/csv", "application/json"].contains(&media_type);
    let kind = if is_harmless { media_type } else { "application/octet-stream" };
    HeaderValue::from_str(kind).unwrap_or(HeaderValue::from_static("application/octet-stream"))
}

fn download(contents: Vec<u8>, kind: HeaderValue, name: &str) -> Response {
    let mut response = Response::new(Body::from(contents));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, kind);
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '-' | '_');
    let plain: String = name.chars().map(|letter| if is_plain(letter) { letter } else { '_' }).collect();
    if let Ok(value) = HeaderValue::from_str(&format!("attachment; filename=\"{plain}\"")) {
        headers.insert(header::CONTENT_DISPOSITION, value);
    }
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
