//! How a request that was not served is answered: any [`Problem`], as `application/problem+json`.
//!
//! A door gives the problem; the outermost layer writes it, because it knows the request's id.

use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use base::{Code, Problem};
use schemars::JsonSchema;
use serde::Serialize;

use crate::advice;

/// A problem on its way out.
#[derive(Clone, Debug)]
pub struct Refusal(pub Problem);

/// What doors give.
pub type Answered<T> = Result<T, Refusal>;

/// A problem as it is sent (RFC 9457).
#[derive(Serialize, JsonSchema)]
pub struct Told<'a> {
    /// The class of the error.
    pub code: &'a str,
    /// What failed and on what.
    pub title: &'a str,
    /// What to do about it.
    pub detail: Option<String>,
    /// The status of the response.
    pub status: u16,
    /// The response's own name, to be found in the log.
    pub request_id: &'a str,
    /// The run it happened in.
    pub run: Option<&'a str>,
    /// A JSON pointer into the input that is wrong.
    pub path: Option<&'a str>,
}

impl From<Problem> for Refusal {
    fn from(problem: Problem) -> Refusal {
        Refusal(problem)
    }
}

impl Refusal {
    /// A problem in a few words.
    pub fn new(code: Code, message: impl Into<String>, hint: &str) -> Refusal {
        Refusal(Problem::new(code, message).hint(hint))
    }

    /// Nothing is there.
    pub fn not_found(what: &str) -> Refusal {
        Refusal::new(Code::NotFound, what, "GET /openapi.json lists what is served")
    }

    /// The response, written.
    pub fn response(&self, request_id: &str) -> Response {
        let problem = &self.0;
        let status = StatusCode::from_u16(problem.code.http_status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let told = Told {
            code: problem.code_name(),
            title: &problem.message,
            detail: advice::hint(problem),
            status: status.as_u16(),
            request_id,
            run: problem.run.as_ref().map(|run| run.as_str()),
            path: problem.path.as_deref(),
        };
        let body = serde_json::to_vec(&told).unwrap_or_default();
        let mut response = Response::new(Body::from(body));
        *response.status_mut() = status;
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        if matches!(problem.code, Code::TooManyRequests | Code::SandboxBusy | Code::StoreLocked) {
            headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        }
        if problem.code == Code::TokenInvalid {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}

/// Only marks the response: the outermost layer writes it.
impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::INTERNAL_SERVER_ERROR;
        response.extensions_mut().insert(self);
        response
    }
}
