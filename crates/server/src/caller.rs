//! Who is calling and what it may do: a token in the header, or in the cookie of a page that signed in.
//!
//! ```text
//! no token ever made, loopback   everybody is the local owner, and the start says so
//! else                           Authorization: Bearer … | cookie, and X-Assay-CSRF for what changes something
//! ```
//! Invariant: what a door may do is said by the type of its caller (`Caller<{READ}>` …), and nothing is done before it was
//! checked.

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use app::tokens::{self, Bearer, LOCAL, Scope};
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{Extensions, HeaderMap, Method, header};
use base::{Code, Hash};
use tracing::warn;

use crate::listening::Peer;
use crate::place::Place;
use crate::refusal::Refusal;
use crate::serve::Site;

/// The cookie of a page that signed in.
pub const COOKIE: &str = "assay_session";
/// The header that what is sent with the cookie needs.
pub const CSRF: &str = "x-assay-csrf";
/// How long whoever sends a wrong token waits for the answer.
const GUESS_PAUSE: Duration = Duration::from_millis(300);

/// What looks.
pub const READ: u8 = 0;
/// What asks.
pub const ASK: u8 = 1;
/// What writes.
pub const WRITE: u8 = 2;
/// What administers.
pub const ADMIN: u8 = 3;

/// Whoever calls, who may do at least that: the place that is lent to it.
pub struct Caller<const SCOPE: u8>(pub Arc<Place>);

impl<const SCOPE: u8> FromRequestParts<Site> for Caller<SCOPE> {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, site: &Site) -> Result<Caller<SCOPE>, Refusal> {
        let bearer = known(site, &parts.method, &parts.headers, peer(&parts.extensions)).await?;
        let needed = Scope::ALL[usize::from(SCOPE).min(Scope::ALL.len() - 1)];
        if bearer.scope < needed {
            let message = format!("the token does not allow to {}", needed.as_str());
            return Err(Refusal::new(Code::Forbidden, message, "use one whose scope is wider"));
        }
        Ok(Caller(site.places.of(&bearer.owner).await?))
    }
}

/// Whom a request stands for.
pub async fn known(site: &Site, method: &Method, headers: &HeaderMap, peer: Peer) -> Result<Bearer, Refusal> {
    let needs_token = site.needs_token().await?;
    if let Some(header) = headers.get(header::AUTHORIZATION) {
        let token = header.to_str().ok().and_then(|text| {
            let (scheme, token) = text.split_once(' ')?;
            scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
        });
        return bearer(site, token.unwrap_or_default(), peer).await;
    }
    if let Some(token) = cookie(headers) {
        let changes = !matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS);
        let said = headers.get(CSRF).and_then(|said| said.to_str().ok());
        if needs_token && changes && said != Some(csrf(token).as_str()) {
            let message = "a request with the cookie of a session needs its header `X-Assay-CSRF`";
            return Err(Refusal::new(Code::Forbidden, message, "send the value that GET /session answers"));
        }
        if needs_token {
            return bearer(site, token, peer).await;
        }
    }
    if needs_token {
        let hint = "send `Authorization: Bearer TOKEN`; whoever runs the server makes tokens";
        return Err(Refusal::new(Code::TokenInvalid, "a token is needed", hint));
    }
    Ok(Bearer { owner: LOCAL.to_string(), scope: Scope::Admin })
}

/// Whose connection a request came on. One that came on none is this machine's.
pub fn peer(extensions: &Extensions) -> Peer {
    extensions.get().copied().unwrap_or(Peer(Ipv4Addr::LOCALHOST.into()))
}

/// Whom a token stands for. A wrong one is answered late, and whoever has sent many is not listened to for a while, so that
/// guessing takes for ever.
pub async fn bearer(site: &Site, token: &str, Peer(from): Peer) -> Result<Bearer, Refusal> {
    if let Err(wait) = site.guesses.admit(from, token, Instant::now()) {
        let (message, seconds) = ("too many wrong tokens came from this address", wait.as_secs_f64().ceil());
        warn!(target: "assay::request", %from, "tokens are guessed");
        return Err(Refusal::new(Code::TooManyRequests, message, &format!("try again in {seconds} s")));
    }
    if let Some(bearer) = tokens::bearer(site.local.app.store().await?, token).await? {
        site.guesses.right(from, token, Instant::now());
        return Ok(bearer);
    }
    tokio::time::sleep(GUESS_PAUSE).await;
    let hint = "check that it is whole and neither expired nor revoked";
    Err(Refusal::new(Code::TokenInvalid, "the token is worth nothing", hint))
}

/// What a page proves with that it, and not another site, sends a request.
pub fn csrf(token: &str) -> String {
    Hash::of(format!("csrf {token}").as_bytes()).as_str().chars().take(32).collect()
}

/// The token in the session's cookie.
pub fn cookie(headers: &HeaderMap) -> Option<&str> {
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|cookies| cookies.to_str().ok());
    cookies.flat_map(|cookies| cookies.split(';')).find_map(|cookie| {
        let (name, value) = cookie.trim().split_once('=')?;
        (name == COOKIE).then_some(value)
    })
}
