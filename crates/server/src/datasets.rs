//! `/datasets…`: which there are, and what is known of one.

use app::documents::data::{Dataset, DatasetSchema, Datasets, Profile, Removed};
use axum::extract::{Multipart, Path};
use axum::http::StatusCode;
use base::{Document, Problem};
use serde_json::{Value, json};
use warehouse::Prepared;

use crate::body::Json;
use crate::caller::{Caller, READ, WRITE};
use crate::place::Place;
use crate::refusal::Answered;
use crate::uploads;

/// Every dataset that has a name.
pub async fn list(Caller(place): Caller<READ>) -> Answered<Json> {
    let (document, _) = Datasets::of(place.app.warehouse()).await?;
    let mut document = document.to_json();
    for dataset in document["datasets"].as_array_mut().into_iter().flatten() {
        without_folders(&mut dataset["paths"]);
    }
    Ok(Json::ok(document))
}

/// What is known about one.
pub async fn show(Caller(place): Caller<READ>, Path(id): Path<String>) -> Answered<Json> {
    let prepared = prepare(&place, &id).await?;
    let remembered = place.app.warehouse().notes().about(&[id])?;
    Ok(Json::document(&Dataset::of(&prepared, remembered)))
}

/// What can be asked about, and what to ask first.
pub async fn schema(Caller(place): Caller<READ>, Path(id): Path<String>) -> Answered<Json> {
    Ok(Json::document(&DatasetSchema::of(&prepare(&place, &id).await?)))
}

/// What was measured of it.
pub async fn profile(Caller(place): Caller<READ>, Path(id): Path<String>) -> Answered<Json> {
    let prepared = prepare(&place, &id).await?;
    let mut profile = prepared.profile()?;
    profile.remarks.clone_from(&prepared.remarks);
    Ok(Json::document(&Profile::of(&prepared.dataset, &profile)))
}

/// Takes files in and reads them, in a cell; what was done to them is in the document.
pub async fn add(Caller(place): Caller<WRITE>, files: Multipart) -> Answered<Json> {
    let upload = uploads::receive(&place, files).await?;
    let warehouse = place.app.warehouse();
    let (added, prepared) = warehouse::add(warehouse, &[upload.folder().to_path_buf()], Some(&upload.name)).await?;
    upload.keep();
    let mut document = Dataset::of(&prepared, Vec::new()).to_json();
    document["id"] = json!(added.name);
    Ok(Json(StatusCode::CREATED, document))
}

/// Forgets one, and the files that were sent for it.
pub async fn remove(Caller(place): Caller<WRITE>, Path(id): Path<String>) -> Answered<Json> {
    let warehouse = place.app.warehouse();
    let paths = warehouse.datasets().get(&id)?.paths;
    warehouse::remove(warehouse, &id)?;
    uploads::forget(&place.app.settings.data_dir, &paths);
    Ok(Json::document(&Removed { dataset: id }))
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
