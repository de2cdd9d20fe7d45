//! What every request goes through before any door: its id, the Host header, security headers, the shape of a refusal;
//! and who is calling.

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::{FromRequestParts, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use base::{Code, RunId};

use crate::place::Place;
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
    let mut response = match refused_host(&site, request.headers(), request.uri()) {
        Some(refusal) => refusal.into_response(),
        None => next.run(request).await,
    };
    if let Some(refusal) = response.extensions_mut().remove::<Refusal>() {
        response = refusal.response(&id);
    } else if response.status().is_client_error() && !response.headers().contains_key(header::CONTENT_TYPE) {
        response = unshaped(&response).response(&id);
    } else if response.status().is_client_error() && is_plain_text(&response) {
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
    response
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

fn is_plain_text(response: &Response) -> bool {
    let kind = response.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    kind.is_some_and(|kind| kind.starts_with("text/plain"))
}

/// On loopback a page of somebody else's name that leads here is an attack on whoever looks at it (DNS rebinding).
fn refused_host(site: &Site, headers: &HeaderMap, uri: &Uri) -> Option<Refusal> {
    if !site.address.ip().is_loopback() {
        return None;
    }
    let host =
        headers.get(header::HOST).and_then(|host| host.to_str().ok()).or_else(|| uri.authority().map(|a| a.as_str()));
    let is_ours = host.and_then(|host| host.parse::<axum::http::uri::Authority>().ok()).is_some_and(|authority| {
        let name = authority.host().trim_start_matches('[').trim_end_matches(']');
        let is_port = authority.port_u16().is_none_or(|port| port == site.address.port());
        let is_loopback = name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
        is_port && (is_loopback || name.eq_ignore_ascii_case("localhost"))
    });
    let hint = "open the address that the server printed";
    (!is_ours).then(|| Refusal::new(Code::Forbidden, "the Host header names another server", hint))
}

/// Who is calling: the place of an owner.
pub struct Caller(pub Arc<Place>);

impl FromRequestParts<Site> for Caller {
    type Rejection = Refusal;

    async fn from_request_parts(_parts: &mut Parts, site: &Site) -> Result<Caller, Refusal> {
        Ok(Caller(site.local.clone()))
    }
}
