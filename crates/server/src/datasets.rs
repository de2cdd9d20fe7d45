//! `/datasets…`: which there are, and what is known of one.

use app::documents::data::{Dataset, DatasetSchema, Datasets, Profile};
use axum::extract::Path;
use base::{Document, Problem};
use serde_json::{Value, json};
use warehouse::Prepared;

use crate::body::Json;
use crate::outer::Caller;
use crate::place::Place;
use crate::refusal::Answered;

/// Every dataset that has a name.
pub async fn list(Caller(place): Caller) -> Answered<Json> {
    let (document, _) = Datasets::of(place.app.warehouse()).await?;
    let mut document = document.to_json();
    for dataset in document["datasets"].as_array_mut().into_iter().flatten() {
        without_folders(&mut dataset["paths"]);
    }
    Ok(Json::ok(document))
}

/// What is known about one.
pub async fn show(Caller(place): Caller, Path(id): Path<String>) -> Answered<Json> {
    let prepared = prepare(&place, &id).await?;
    let remembered = place.app.warehouse().notes().about(&[id])?;
    Ok(Json::document(&Dataset::of(&prepared, remembered)))
}

/// What can be asked about, and what to ask first.
pub async fn schema(Caller(place): Caller, Path(id): Path<String>) -> Answered<Json> {
    Ok(Json::document(&DatasetSchema::of(&prepare(&place, &id).await?)))
}

/// What was measured of it.
pub async fn profile(Caller(place): Caller, Path(id): Path<String>) -> Answered<Json> {
    let prepared = prepare(&place, &id).await?;
    let mut profile = prepared.profile()?;
    profile.remarks.clone_from(&prepared.remarks);
    Ok(Json::document(&Profile::of(&prepared.dataset, &profile)))
}

async fn prepare(place: &Place, id: &str) -> Result<Prepared, Problem> {
    let resolved = app::requests::resolve(&place.app, &place.names(), &[id.to_string()]).await?;
    resolved.prepare(place.app.warehouse()).await
}

/// Where files lie is nobody's business but the server's.
fn without_folders(paths: &mut Value) {
    for path in paths.as_array_mut().into_iter().flatten() {
        let name = path.as_str().and_then(|path| std::path::Path::new(path).file_name());
        *path = json!(name.map(|name| name.to_string_lossy().into_owned()));
    }
}
