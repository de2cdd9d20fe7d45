//! What every request goes through before any door: its id, the Host header and the Origin, security headers, and the shape
//! of a refusal.

use std::net::IpAddr;
use std::time::{Duration, Instant};

use axum::extract::{MatchedPath, Request, State};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use base::{Code, RunId};
use tracing::field::Empty;
use tracing::{Instrument, Span, error_span, info, warn};

use crate::refusal::Refusal;
use crate::serve::Site;

/// Nothing of the page comes from elsewhere, and nobody else shows it in a frame.
const POLICY: &str =
    "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'";

/// The response's own name.
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The outermost layer.
pub async fn outer(State(site): State<Site>, request: Request, next: Next) -> Response {
    let id = RunId::fresh().to_string();
    let began = Instant::now();
    let (method, path) = (request.method().clone(), request.uri().path().to_string());
    let refused = refused_host(&site, request.headers(), request.uri())
        .or_else(|| refused_origin(request.method(), request.headers(), request.uri()));
    let door = request.extensions().get::<MatchedPath>().map(|door| door.as_str().to_string());
    let span = span(&id, &method, door.as_deref(), request.headers());
    let mut response = match refused {
        Some(refusal) => refusal.into_response(),
        None => next.run(request).instrument(span.clone()).await,
    };
    if let Some(refusal) = response.extensions_mut().remove::<Refusal>() {
        response = refusal.response(&id);
    } else if response.status().is_client_error() && has_no_shape(&response) {
        response = unshaped(&response).response(&id);
    }
    let headers = response.headers_mut();
    let mut set = |name: HeaderName, value: &'static str| {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    };
    set(header::CONTENT_SECURITY_POLICY, POLICY);
    set(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    set(header::REFERRER_POLICY, "no-referrer");
    set(header::X_FRAME_OPTIONS, "DENY");
    set(HeaderName::from_static("cross-origin-opener-policy"), "same-origin");
    set(HeaderName::from_static("cross-origin-resource-policy"), "same-origin");
    set(header::CACHE_CONTROL, "no-store");
    if let Ok(value) = HeaderValue::from_str(&id) {
        headers.insert(REQUEST_ID, value);
    }
    let (status, took) = (response.status().as_u16(), began.elapsed());
    site.places.counters.answered(method.as_str(), door.as_deref(), status, took);
    span.in_scope(|| told(&method, &path, status, took));
    response
}

/// What everything that is told of a request is within. A caller's own trace goes on in it.
fn span(id: &str, method: &Method, door: Option<&str>, headers: &HeaderMap) -> Span {
    error_span!(
        target: "assay::request",
        "request",
        request_id = id,
        method = method.as_str(),
        door,
        status = Empty,
        error.type = Empty,
        traceparent = headers.get("traceparent").and_then(|header| header.to_str().ok()),
    )
}

/// A request in the log: nothing of its query, headers or body, in which secrets may be.
fn told(method: &Method, path: &str, status: u16, took: Duration) {
    const PATH_CHARACTERS_MAX: usize = 200;
    let path = path.char_indices().nth(PATH_CHARACTERS_MAX).map_or(path, |(end, _)| &path[..end]);
    let (method, ms) = (method.as_str(), took.as_secs_f64() * 1e3);
    Span::current().record("status", status);
    if status >= 500 {
        Span::current().record("error.type", tracing::field::display(status));
        warn!(target: "assay::request", method, path, status, ms, "request");
    } else {
        info!(target: "assay::request", method, path, status, ms, "request");
    }
}

/// What the router itself answers has no shape of ours.
fn unshaped(response: &Response) -> Refusal {
    match response.status().as_u16() {
        404 => Refusal::not_found("there is nothing at that address"),
        405 => Refusal::new(Code::MethodUnknown, "that address is not asked in this way", "GET /openapi.json says how"),
        413 => Refusal::new(Code::TooLarge, "the body is too large", "send less at once"),
        415 => Refusal::new(Code::UnsupportedMedia, "the body is of another kind", "GET /openapi.json says which"),
        _ => Refusal::new(Code::Usage, "the request is not understood", "GET /openapi.json says what is"),
    }
}

/// Whether it is neither JSON nor a file: a sentence of the router's, or nothing.
fn has_no_shape(response: &Response) -> bool {
    let kind = response.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    kind.is_none_or(|kind| kind.starts_with("text/plain"))
}

/// On loopback a page of somebody else's name that leads here is an attack on whoever looks at it (DNS rebinding).
fn refused_host(site: &Site, headers: &HeaderMap, uri: &Uri) -> Option<Refusal> {
    if !site.address.ip().is_loopback() {
        return None;
    }
    let host =
        headers.get(header::HOST).and_then(|host| host.to_str().ok()).or_else(|| uri.authority().map(|a| a.as_str()));
    let is_ours = host.and_then(|host| host.parse::<Authority>().ok()).is_some_and(|authority| {
        let name = authority.host().trim_start_matches('[').trim_end_matches(']');
        let is_named = site.hosts.iter().any(|host| host.eq_ignore_ascii_case(name));
        let is_port = authority.port_u16().is_none_or(|port| port == site.address.port());
        let is_loopback = name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
        let is_here = is_port && (is_loopback || name.eq_ignore_ascii_case("localhost"));
        !authority.as_str().contains('@') && (is_named || is_here)
    });
    let hint = "open the address that the server printed";
    (!is_ours).then(|| Refusal::new(Code::Forbidden, "the Host header names another server", hint))
}

/// A page of another site may have a browser send what changes something here; its address is in the Origin.
fn refused_origin(method: &Method, headers: &HeaderMap, uri: &Uri) -> Option<Refusal> {
    if matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS) {
        return None;
    }
    let origin = headers.get(header::ORIGIN)?;
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
    let host = host.or_else(|| uri.authority().map(|authority| authority.as_str()));
    let of_origin = origin.to_str().ok().and_then(|origin| origin.split_once("://")).map(|(_, authority)| authority);
    let is_ours = of_origin.is_some() && of_origin == host;
    let hint = "send it from a page of this server, or without the header Origin";
    (!is_ours).then(|| Refusal::new(Code::Forbidden, "the request comes from a page of another site", hint))
}
