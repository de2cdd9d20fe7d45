//! `/notes…`, `/models…`, `/spending`, `/isolation`, `/settings`: what is remembered about data, who can be asked, and how the server is set up.

use app::documents::data::{Done, Notes, Remembered};
use app::documents::machine::{Config, Probe};
use app::documents::models::{ModelTest, Models};
use axum::extract::{Path, Query};
use axum::http::StatusCode;
use base::{Document, Problem};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tasks::DaySpent;
use warehouse::Note;

use crate::answers::{DayUse, RunLimit, Spending, value};
use crate::body::{Json, Said};
use crate::caller::{ADMIN, Caller, READ, WRITE};
use crate::place::Place;
use crate::refusal::Answered;
use crate::requests;

/// Which data.
#[derive(Debug, Deserialize)]
pub struct About {
    dataset_id: String,
}

/// Something to remember.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Text {
    dataset_id: String,
    text: String,
}

/// A note in other words.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Words {
    text: String,
}

/// The notes about a dataset.
pub async fn notes(Caller(place): Caller<READ>, Query(about): Query<About>) -> Answered<Json> {
    let data = there(&place, &about.dataset_id).await?;
    let (notes, proposed) = {
        let kept = place.app.warehouse().notes();
        (kept.about(&data)?, kept.proposed(&data)?)
    };
    Ok(Json::document(&Notes { dataset: about.dataset_id, notes, proposed }))
}

/// Remembers something.
pub async fn remember(Caller(place): Caller<WRITE>, Said(said): Said<Text>) -> Answered<Json> {
    let data = there(&place, &said.dataset_id).await?;
    let note = place.app.warehouse().notes().remember(&data, &said.text)?;
    let document = told(said.dataset_id, note, Done::Remembered);
    Ok(Json(StatusCode::CREATED, document))
}

/// Says a note otherwise.
pub async fn edit(
    Caller(place): Caller<WRITE>,
    Path((dataset, number)): Path<(String, u32)>,
    Said(said): Said<Words>,
) -> Answered<Json> {
    let data = there(&place, &dataset).await?;
    let note = place.app.warehouse().notes().edit(&data, number, &said.text)?;
    Ok(Json::ok(told(dataset, note, Done::Changed)))
}

/// Remembers a note no more.
pub async fn forget(Caller(place): Caller<WRITE>, Path((dataset, number)): Path<(String, u32)>) -> Answered<Json> {
    let data = there(&place, &dataset).await?;
    let note = place.app.warehouse().notes().forget(&data, number)?;
    Ok(Json::ok(told(dataset, note, Done::Forgot)))
}

/// Remembers what a model proposed.
pub async fn accept(Caller(place): Caller<WRITE>, Path((dataset, number)): Path<(String, u32)>) -> Answered<Json> {
    let data = there(&place, &dataset).await?;
    let note = place.app.warehouse().notes().accept(&data, number)?;
    Ok(Json::ok(told(dataset, note, Done::Accepted)))
}

/// Drops what a model proposed.
pub async fn reject(Caller(place): Caller<WRITE>, Path((dataset, number)): Path<(String, u32)>) -> Answered<Json> {
    let data = there(&place, &dataset).await?;
    let note = place.app.warehouse().notes().reject(&data, number)?;
    Ok(Json::ok(told(dataset, note, Done::Rejected)))
}

/// Who can be asked what the planner does not read.
pub async fn models(Caller(place): Caller<READ>) -> Answered<Json> {
    Ok(Json::document(&Models::of(&place.app)?))
}

/// Which model to try.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Tried {
    model: String,
}

/// Asks a model for one thing after the other.
pub async fn try_model(Caller(place): Caller<WRITE>, Said(tried): Said<Tried>) -> Answered<Json> {
    requests::check_model(&place, &tried.model)?;
    Ok(Json::document(&ModelTest::run(&place.app, &tried.model).await?))
}

/// What models may use and have used.
pub async fn spending(Caller(place): Caller<READ>) -> Answered<Json> {
    let settings = &place.app.settings;
    let spent = DaySpent::of(place.runs().await?.outputs_of_today("model").await?);
    let (run, day) = (&settings.budget_run, &settings.budget_day);
    let run = RunLimit { tokens_max: run.tokens_max, usd_max: run.usd_max, seconds_max: run.seconds_max };
    let DaySpent { calls, tokens, usd } = spent;
    let day = DayUse { tokens_max: day.tokens_max, usd_max: day.usd_max, calls, tokens, usd };
    Ok(Json::ok(value(&Spending { run, day })))
}

/// What isolates the programs that are run here.
pub async fn isolation(Caller(place): Caller<ADMIN>) -> Answered<Json> {
    Ok(Json::document(&Probe::examine(&place.app).await))
}

/// How the server is set up, without where things lie on it.
pub async fn settings(Caller(place): Caller<ADMIN>) -> Answered<Json> {
    let mut document = Config::from(&place.app.settings).to_json();
    for setting in document["settings"].as_array_mut().into_iter().flatten() {
        let is_place = ["data_dir", "env_dir", "python"].contains(&setting["name"].as_str().unwrap_or_default());
        let is_path = setting["value"].as_str().is_some_and(|value| value.starts_with('/'));
        let is_program = setting["value"].as_str().is_some_and(|value| value.starts_with("command:"));
        let has_password = setting["value"].as_str().is_some_and(|value| value.contains("://") && value.contains('@'));
        if (is_place || is_path || is_program || has_password) && !setting["value"].is_null() {
            setting["value"] = json!("(set)");
        }
    }
    Ok(Json::ok(document))
}

fn told(dataset: String, note: Note, done: Done) -> Value {
    Remembered { dataset, note, done }.to_json()
}

/// The data that is named, if there is such: a note about nothing would never be shown.
async fn there(place: &Place, dataset: &str) -> Result<Vec<String>, Problem> {
    let words = [dataset.to_string()];
    app::requests::resolve(&place.app, &place.names(), &words).await?;
    Ok(words.to_vec())
}
