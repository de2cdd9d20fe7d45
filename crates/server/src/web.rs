//! The page: files under one folder that is named after all of them, and everything else a browser asks for is the index.
//!
//! Which files there are is known when the program is built, so no path leads anywhere else; while the program is written
//! their contents are read from disk, so that a reload shows a change.

use std::borrow::Cow;

use axum::body::Body;
use axum::extract::Path;
use axum::http::{HeaderMap, HeaderValue, Method, Uri, header};
use axum::response::{IntoResponse, Response};

use crate::refusal::Refusal;

include!(concat!(env!("OUT_DIR"), "/web.rs"));

const INDEX: &str = "index.html";

/// A file of the page.
pub async fn asset(Path((hash, path)): Path<(String, String)>) -> Response {
    let known = FILES.iter().find(|(name, _)| *name == path && *name != INDEX && hash == HASH);
    let Some((name, embedded)) = known else { return Refusal::not_found("no such file").into_response() };
    let mut response = Response::new(Body::from(contents(name, embedded).into_owned()));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind(name)));
    let kept = if cfg!(debug_assertions) { "no-store" } else { "public, max-age=31536000, immutable" };
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(kept));
    response
}

/// The index, for whatever address of the page; anything else is not there.
pub async fn index(method: Method, uri: Uri, headers: HeaderMap) -> Response {
    let wants_html = headers.get(header::ACCEPT).and_then(|kinds| kinds.to_str().ok());
    let wants_html = uri.path() == "/" || wants_html.is_some_and(|kinds| kinds.contains("text/html"));
    if !(method == Method::GET || method == Method::HEAD) || !wants_html {
        return Refusal::not_found("there is nothing at that address").into_response();
    }
    let Some((name, embedded)) = FILES.iter().find(|(name, _)| *name == INDEX) else {
        return Refusal::not_found("this program was built without a page").into_response();
    };
    let text = String::from_utf8_lossy(&contents(name, embedded)).replace("{{assets}}", &format!("/ui/{HASH}"));
    let mut response = Response::new(Body::from(text));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}

fn contents(name: &str, embedded: &'static [u8]) -> Cow<'static, [u8]> {
    let on_disk =
        if cfg!(debug_assertions) { std::fs::read(std::path::Path::new(FOLDER).join(name)).ok() } else { None };
    on_disk.map_or(Cow::Borrowed(embedded), Cow::Owned)
}

fn kind(name: &str) -> &'static str {
    match name.rsplit_once('.').map(|(_, ending)| ending) {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("ico") => "image/x-icon",
        Some("webmanifest") => "application/manifest+json",
        _ => "application/octet-stream",
    }
}
