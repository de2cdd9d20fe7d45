//! What comes in and goes out: JSON bodies read strictly and bounded, documents written as they are.

use axum::body::{Body, Bytes};
use axum::extract::{FromRequest, OptionalFromRequest, Request};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use base::{Code, Document};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::refusal::Refusal;
use crate::serve::Site;

/// A body of JSON.
pub struct Said<T>(pub T);

impl<T: DeserializeOwned> FromRequest<Site> for Said<T> {
    type Rejection = Refusal;

    async fn from_request(request: Request, site: &Site) -> Result<Said<T>, Refusal> {
        let kind = request.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        let is_json = kind.is_some_and(|kind| {
            let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
            kind == "application/json" || kind.ends_with("+json")
        });
        if !is_json {
            let hint = "send JSON with the header `Content-Type: application/json`";
            return Err(Refusal::new(Code::UnsupportedMedia, "the body is not JSON", hint));
        }
        let read = tokio::time::timeout(site.places.limits().body_time, Bytes::from_request(request, site)).await;
        let too_slow = |_| Refusal::new(Code::TimedOut, "the body did not come in time", "send it faster");
        let bytes = read.map_err(too_slow)?.map_err(|rejection| match rejection.status() {
            StatusCode::PAYLOAD_TOO_LARGE => Refusal::new(Code::TooLarge, "the body is too large", "send less at once"),
            _ => Refusal::new(Code::Usage, "the body cannot be read", "send it whole"),
        })?;
        // A list would be read as the fields in their order, which nobody was told of.
        if !bytes.trim_ascii_start().starts_with(b"{") {
            let message = "the body is no JSON object";
            return Err(Refusal::new(Code::Usage, message, "GET /openapi.json says what is read here"));
        }
        serde_json::from_slice(&bytes).map(Said).map_err(|error| {
            let message = format!("the body is not what is read here: {error}");
            Refusal::new(Code::Usage, message, "GET /openapi.json says what is")
        })
    }
}

/// Without a body nothing is said.
impl<T: DeserializeOwned> OptionalFromRequest<Site> for Said<T> {
    type Rejection = Refusal;

    async fn from_request(request: Request, site: &Site) -> Result<Option<Said<T>>, Refusal> {
        if request.headers().contains_key(header::CONTENT_TYPE) {
            return <Said<T> as FromRequest<Site>>::from_request(request, site).await.map(Some);
        }
        Ok(None)
    }
}

/// JSON on its way out.
pub struct Json(pub StatusCode, pub Value);

impl Json {
    /// A document, as the command line prints it.
    pub fn document(document: &impl Document) -> Json {
        Json(StatusCode::OK, document.to_json())
    }

    /// Anything else.
    pub fn ok(value: Value) -> Json {
        Json(StatusCode::OK, value)
    }
}

impl IntoResponse for Json {
    fn into_response(self) -> Response {
        let mut response = Response::new(Body::from(self.1.to_string()));
        *response.status_mut() = self.0;
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        response
    }
}
