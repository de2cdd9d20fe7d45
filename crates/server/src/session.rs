//! `/session` and `/tokens`: how the page signs in, and with what. The cookie holds the token, out of reach of scripts; a session ends when its token does.

use app::documents::tokens::{TokenRevoked, Tokens};
use app::tokens::{self, Bearer, LOCAL};
use axum::extract::{Path, State};
use axum::http::{Extensions, HeaderMap, HeaderValue, Method, header};
use axum::response::{IntoResponse, Response};
use base::Code;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::answers::{Session, value};
use crate::body::{Json, Said};
use crate::caller::{ADMIN, COOKIE, Caller, bearer, cookie, csrf, known, peer};
use crate::place::Place;
use crate::refusal::{Answered, Refusal};
use crate::serve::Site;

/// A token to sign in with.
#[derive(Deserialize, JsonSchema)]
pub struct SignIn {
    token: String,
}

/// Signs in.
pub async fn begin(State(site): State<Site>, at: Extensions, Said(asked): Said<SignIn>) -> Answered<Response> {
    let bearer = bearer(&site, &asked.token, peer(&at)).await?;
    // Only a token is known to be worth something, and it has no letter that would end the cookie.
    let secure = if site.hosts.is_empty() { "" } else { "; Secure" };
    let cookie = format!("{COOKIE}={}; HttpOnly; SameSite=Strict; Path=/; Max-Age=2592000{secure}", asked.token);
    let mut response = Json::ok(told(&bearer, Some(csrf(&asked.token)), true)).into_response();
    let value = HeaderValue::from_str(&cookie)
        .map_err(|_| Refusal::new(Code::TokenInvalid, "the token is worth nothing", "check that it is whole"))?;
    response.headers_mut().insert(header::SET_COOKIE, value);
    Ok(response)
}

/// Who is signed in, and what its requests have to carry.
pub async fn show(State(site): State<Site>, at: Extensions, headers: HeaderMap) -> Answered<Json> {
    let needs_token = site.needs_token().await?;
    let bearer = known(&site, &Method::GET, &headers, peer(&at)).await?;
    Ok(Json::ok(told(&bearer, cookie(&headers).map(csrf), needs_token)))
}

/// Signs out.
pub async fn end() -> Response {
    let nobody = Session { signed_in: false, owner: None, scope: None, csrf: None, token_needed: true };
    let mut response = Json::ok(value(&nobody)).into_response();
    let gone = HeaderValue::from_static("assay_session=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0");
    response.headers_mut().insert(header::SET_COOKIE, gone);
    response
}

/// Which tokens there are, without what a caller sends.
pub async fn tokens(State(site): State<Site>, Caller(place): Caller<ADMIN>) -> Answered<Json> {
    Ok(Json::document(&theirs(&site, &place).await?))
}

/// Makes one worth nothing.
pub async fn revoke(State(site): State<Site>, Caller(place): Caller<ADMIN>, Path(id): Path<String>) -> Answered<Json> {
    if !theirs(&site, &place).await?.tokens.iter().any(|token| token.id == id) {
        let message = format!("there is no token `{}`", base::shown(&id));
        return Err(Refusal::new(Code::NotFound, message, "list the tokens to see their ids"));
    }
    tokens::revoke(site.local.app.store().await?, &id).await?;
    Ok(Json::document(&TokenRevoked { id }))
}

/// The tokens that a caller may know of: its owner's, and all for whoever runs the server.
async fn theirs(site: &Site, place: &Place) -> Answered<Tokens> {
    let mut all = tokens::list(site.local.app.store().await?).await?;
    all.tokens.retain(|token| place.owner == LOCAL || token.owner == place.owner);
    Ok(all)
}

fn told(bearer: &Bearer, csrf: Option<String>, needs_token: bool) -> Value {
    let (owner, scope) = (Some(bearer.owner.clone()), Some(bearer.scope));
    value(&Session { signed_in: true, owner, scope, csrf, token_needed: needs_token })
}
