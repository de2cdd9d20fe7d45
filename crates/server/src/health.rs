//! Whether the server lives and can serve.

use axum::extract::State;

use crate::answers::{Health, value};
use crate::body::Json;
use crate::refusal::Answered;
use crate::serve::Site;

/// It answers, so it lives.
pub async fn live() -> Json {
    Json::ok(value(&Health { status: "ok", version: app::PROGRAM }))
}

/// It can serve where its store can be read.
pub async fn ready(State(site): State<Site>) -> Answered<Json> {
    site.local.runs().await?.now().await?;
    Ok(Json::ok(value(&Health { status: "ready", version: app::PROGRAM })))
}
