//! `/lessons…`: what was learned from runs, and what people add to it.

use app::documents::memory::{LessonChange, Lessons, LessonsForgotten, noted, search};
use axum::extract::{Path, Query};
use axum::http::StatusCode;
use base::{Document, Problem};
use flow::{Learned, Lesson};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::body::{Json, Said};
use crate::caller::{Caller, READ, WRITE};
use crate::place::Place;
use crate::refusal::Answered;
use crate::runs;

const PAGE_DEFAULT: usize = 50;
const PAGE_MAX: usize = 1_000;

/// What is looked for; all there are, if nothing is.
#[derive(Debug, Default, Deserialize)]
pub struct Wanted {
    q: Option<String>,
    limit: Option<usize>,
}

/// Something to remember.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Note {
    /// What is to be done, or not.
    pub text: String,
    /// In which task.
    #[serde(default)]
    pub task: Option<String>,
    /// After which error.
    #[serde(default)]
    pub error: Option<String>,
    /// The run that taught it.
    #[serde(default)]
    pub run: Option<String>,
}

/// The newest, or the best for what is looked for.
pub async fn list(Caller(place): Caller<READ>, Query(wanted): Query<Wanted>) -> Answered<Json> {
    let limit = wanted.limit.unwrap_or(PAGE_DEFAULT).clamp(1, PAGE_MAX);
    Ok(Json::document(&found(&place, wanted.q.as_deref(), limit).await?))
}

/// Lessons for a text, or the newest.
pub async fn found(place: &Place, text: Option<&str>, limit: usize) -> Result<Lessons, Problem> {
    match text {
        Some(text) => search(&place.app, text, limit).await,
        None => {
            let memory = place.runs().await?.memory();
            let mut lessons = memory.all().await?;
            lessons.truncate(limit);
            Ok(Lessons::of(lessons))
        }
    }
}

/// One of them.
pub async fn show(Caller(place): Caller<READ>, Path(id): Path<String>) -> Answered<Json> {
    Ok(Json::document(&Lessons::of(vec![place.runs().await?.memory().find(&id).await?])))
}

/// Remembers something.
pub async fn add(Caller(place): Caller<WRITE>, Said(note): Said<Note>) -> Answered<Json> {
    let lesson = kept(&place, &note).await?;
    Ok(Json(StatusCode::CREATED, Lessons::of(vec![lesson]).to_json()))
}

/// Keeps what a person or an assistant says.
pub async fn kept(place: &Place, note: &Note) -> Result<Lesson, Problem> {
    let memory = place.runs().await?.memory();
    let mut lesson = noted(&note.text, note.task.as_deref(), note.error.as_deref())?;
    if let Some(run) = &note.run {
        lesson.run = Some(runs::found(place, run).await?.to_string());
    }
    let id = lesson.id.clone();
    memory.learn(Learned { lessons: vec![lesson], ..Learned::default() }).await?;
    memory.find(&id).await
}

/// Says one otherwise, or that it is found no more.
pub async fn edit(
    Caller(place): Caller<WRITE>,
    Path(id): Path<String>,
    Said(change): Said<LessonChange>,
) -> Answered<Json> {
    let memory = place.runs().await?.memory();
    let lesson = change.of(memory.find(&id).await?)?;
    memory.edit(lesson.clone()).await?;
    Ok(Json::document(&Lessons::of(vec![lesson])))
}

/// Forgets one.
pub async fn forget(Caller(place): Caller<WRITE>, Path(id): Path<String>) -> Answered<Json> {
    let memory = place.runs().await?.memory();
    let id = memory.find(&id).await?.id;
    memory.forget(vec![id.clone()]).await?;
    Ok(Json::document(&LessonsForgotten { forgotten: vec![id] }))
}
