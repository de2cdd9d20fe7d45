//! The effect: sends a request, listens to the stream, and tries again where that may help.
//!
//! Every wait has a limit of [`Limits`], and no text of a provider goes into a problem but through [`Client::clean`].

use std::error::Error;
use std::sync::Once;
use std::time::{Duration, Instant as Moment};

use base::{Code, Problem};
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, DATE, HeaderMap, HeaderValue, LOCATION, RETRY_AFTER};
use reqwest::{Response, Url};
use tokio::time::{Instant, sleep, timeout, timeout_at};
use tracing::debug;

use crate::connections::Connections;
use crate::retry::{self, Answer, Fault};
use crate::sse::{Frame, Parser};
use crate::wire::{Draft, Interruption, Progress};
use crate::{Endpoint, Family, Limits, Listener, Model, Reading, Reply, Request, Secret, Stop, Wire};

/// The most that is read of an answer that is no reply.
const ERROR_BYTES_MAX: usize = 64 << 10;
/// How long a reply that stands waits for its count of tokens.
const AFTERWORD: Duration = Duration::from_secs(5);
/// Letters may be written as six, and a terminal frame may repeat the reply.
const FRAME_PER_REPLY: usize = 8;

/// A model behind a wire.
pub(crate) struct Client {
    name: String,
    model: String,
    wire: Wire,
    url: Url,
    key: Option<Secret>,
    headers: HeaderMap,
    family: Family,
    limits: Limits,
    http: reqwest::Client,
}

impl Model for Client {
    fn name(&self) -> &str {
        &self.name
    }

    fn family(&self) -> &Family {
        &self.family
    }

    fn reply<'a>(&'a self, request: &'a Request, heard: Listener<'a>) -> Reading<'a> {
        Box::pin(async move {
            let started = Moment::now();
            let mut reply = match timeout(self.limits.whole, self.tries(request, heard)).await {
                Ok(reply) => reply?,
                Err(_) => return Err(self.silent("has not finished its reply", self.limits.whole).problem),
            };
            reply.ms = started.elapsed().as_millis() as u64;
            Ok(reply)
        })
    }
}

impl Client {
    pub fn new(endpoint: Endpoint, url: Url, limits: Limits, connections: &Connections) -> Result<Client, Problem> {
        let headers = headers(&endpoint)?;
        let http = connections.to(&url).map_err(|error| {
            let message = format!("no connection can be made for `{}`: {}", endpoint.name, reason(&error));
            Problem::new(Code::ModelFailed, message)
        })?;
        let Endpoint { name, wire, model, key, .. } = endpoint;
        let key = key.filter(|key| !key.expose().is_empty());
        let family = Family::of(&model, wire);
        Ok(Client { name, model, wire, url, key, headers, family, limits, http })
    }

    async fn tries(&self, request: &Request, heard: Listener<'_>) -> Result<Reply, Problem> {
        let body = self.wire.body(&self.model, request).to_string();
        let mut tried = 0;
        loop {
            let mut draft = Draft::default();
            let Err(fault) = self.attempt(&body, &mut draft, heard).await else {
                return Ok(draft.into_reply(&request.stop));
            };
            tried += 1;
            let pause = retry::pause(fault, tried, &self.name, &self.limits)?;
            if !draft.text.is_empty() {
                heard("");
            }
            debug!(target: "assay::model", tried, pause_ms = pause.as_millis() as u64, "asked again");
            sleep(pause).await;
        }
    }

    /// Sends the request once and fills the draft.
    async fn attempt(&self, body: &str, draft: &mut Draft, heard: Listener<'_>) -> Result<(), Fault> {
        let deadline = Instant::now() + self.limits.first_byte;
        let request = self.http.post(self.url.clone()).headers(self.headers.clone()).body(body.to_string());
        let response = match timeout_at(deadline, request.send()).await {
            Ok(Ok(response)) => response,
            Ok(Err(error)) => return Err(self.unreachable(&error)),
            Err(_) => return Err(self.silent("does not answer", self.limits.first_byte)),
        };
        if response.status().is_redirection() {
            return Err(self.redirected(&response));
        }
        if !response.status().is_success() {
            return Err(self.refused(response).await);
        }
        let kind = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        match kind.as_str() {
            "text/event-stream" | "" => self.listen(response, deadline, draft, heard).await,
            "application/json" if self.wire == Wire::Chat => self.read_whole(response, draft, heard).await,
            other => {
                let message = format!("`{}` answers with `{}` instead of a stream", self.name, self.clean(other));
                let mut fault = Fault::lasting(Code::ModelFailed, message);
                fault.problem = fault.problem.hint("check the model's base URL");
                Err(fault)
            }
        }
    }

    async fn listen(
        &self,
        mut response: Response,
        deadline: Instant,
        draft: &mut Draft,
        heard: Listener<'_>,
    ) -> Result<(), Fault> {
        let mut parser = Parser::default();
        let (mut until, mut limit) = (deadline, self.limits.first_byte);
        loop {
            let bytes = match timeout_at(until, response.chunk()).await {
                Ok(Ok(Some(bytes))) => bytes,
                Ok(Ok(None) | Err(_)) => {
                    parser.end().map_or(Ok(()), |frame| self.take(&frame, draft, heard))?;
                    return self.ended(draft);
                }
                Err(_) if draft.progress != Progress::Open => return Ok(()),
                Err(_) => return Err(self.silent("falls silent", limit)),
            };
            for frame in parser.push(&bytes) {
                self.take(&frame, draft, heard)?;
                if draft.progress == Progress::Complete {
                    return Ok(());
                }
            }
            let frame_bytes_max = self.limits.reply_bytes_max.saturating_mul(FRAME_PER_REPLY);
            if draft.bytes > self.limits.reply_bytes_max || parser.bytes_held() > frame_bytes_max {
                draft.stop = Some(Stop::Length);
                return Ok(());
            }
            limit = if draft.progress == Progress::Open { self.limits.idle } else { self.limits.idle.min(AFTERWORD) };
            until = Instant::now() + limit;
        }
    }

    fn take(&self, frame: &Frame, draft: &mut Draft, heard: Listener<'_>) -> Result<(), Fault> {
        let piece = self.wire.read(draft, frame).map_err(|interruption| self.interrupted(interruption))?;
        if !piece.is_empty() {
            heard(&piece);
        }
        Ok(())
    }

    fn ended(&self, draft: &Draft) -> Result<(), Fault> {
        if draft.progress != Progress::Open {
            return Ok(());
        }
        let message = format!("the reply of `{}` ended before its end", self.name);
        Err(Fault::passing(Code::ModelTruncated, message))
    }

    /// A server that does not stream gives its reply at once.
    async fn read_whole(&self, response: Response, draft: &mut Draft, heard: Listener<'_>) -> Result<(), Fault> {
        let bytes_max = self.limits.reply_bytes_max.saturating_mul(FRAME_PER_REPLY);
        let body = self.body_of(response, bytes_max).await?;
        match self.wire.read_whole(draft, &body) {
            Some(Ok(piece)) => {
                if !piece.is_empty() {
                    heard(&piece);
                }
                self.ended(draft)
            }
            Some(Err(interruption)) => Err(self.interrupted(interruption)),
            None => self.ended(draft),
        }
    }

    /// The start of a body.
    async fn body_of(&self, mut response: Response, bytes_max: usize) -> Result<String, Fault> {
        let mut body = Vec::new();
        loop {
            match timeout(self.limits.idle, response.chunk()).await {
                Ok(Ok(Some(bytes))) if body.len() + bytes.len() <= bytes_max => body.extend_from_slice(&bytes),
                Ok(Ok(Some(bytes))) => {
                    body.extend_from_slice(&bytes[..bytes_max - body.len()]);
                    break;
                }
                Ok(Ok(None)) => break,
                Ok(Err(_)) => {
                    let message = format!("the answer of `{}` ended before its end", self.name);
                    return Err(Fault::passing(Code::ModelTruncated, message));
                }
                Err(_) => return Err(self.silent("falls silent", self.limits.idle)),
            }
        }
        Ok(String::from_utf8_lossy(&body).into_owned())
    }

    /// The fault of an answer with an error's status.
    async fn refused(&self, response: Response) -> Fault {
        let status = response.status().as_u16();
        let header = |name: &str| response.headers().get(name).and_then(|value| value.to_str().ok());
        let wait = retry::wait_of(header("retry-after-ms"), header(RETRY_AFTER.as_str()), header(DATE.as_str()));
        // The status says enough where the body cannot be read.
        let body = self.body_of(response, ERROR_BYTES_MAX).await.unwrap_or_default();
        let (kind, message) = match serde_json::from_str(&body).map(|value| Interruption::said(&value)) {
            Ok(Interruption::Said { kind, message }) => (kind, message),
            _ => (String::new(), body),
        };
        self.judge(Some(status), &kind, &message, wait)
    }

    fn interrupted(&self, interruption: Interruption) -> Fault {
        match interruption {
            Interruption::Said { kind, message } => {
                let status =
                    kind.split(' ').find_map(|word| word.parse().ok()).filter(|status| (400..600).contains(status));
                self.judge(status, &kind, &message, None)
            }
            Interruption::Malformed(data) => {
                let message = format!("`{}` sends a frame that is no JSON: {}", self.name, self.clean(&data));
                Fault::passing(Code::ModelFailed, message)
            }
        }
    }

    fn judge(&self, status: Option<u16>, kind: &str, message: &str, wait: Option<Duration>) -> Fault {
        let message = &self.clean(message);
        retry::judge(&Answer { name: &self.name, has_key: self.key.is_some(), status, kind, message, wait })
    }

    fn redirected(&self, response: &Response) -> Fault {
        let location = response.headers().get(LOCATION).and_then(|value| value.to_str().ok());
        let target = location.and_then(|location| self.url.join(location).ok());
        let host = target.as_ref().and_then(Url::host_str).unwrap_or("nowhere");
        let message = format!("`{}` answers with a redirect to {}", self.name, self.clean(host));
        let mut fault = Fault::lasting(Code::ModelFailed, message);
        fault.problem = fault.problem.hint("redirects are not followed: give the address itself as the base URL");
        fault
    }

    fn unreachable(&self, error: &reqwest::Error) -> Fault {
        let host = self.url.host_str().unwrap_or_default();
        let message = format!("`{}` cannot be reached at {host}: {}", self.name, self.clean(&reason(error)));
        Fault::passing(Code::ModelFailed, message)
    }

    fn silent(&self, what: &str, limit: Duration) -> Fault {
        let message = format!("`{}` {what} within {} s", self.name, limit.as_secs_f64());
        Fault::passing(Code::TimedOut, message)
    }

    /// A stranger's text as a problem may hold it: without the key, on one line, short, nothing a terminal would obey.
    fn clean(&self, text: &str) -> String {
        const CHARS_MAX: usize = 300;
        let text = self.key.as_ref().map_or_else(|| text.to_string(), |key| key.redact(text));
        let words: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut shown = String::new();
        for letter in words.chars().take(CHARS_MAX) {
            match letter {
                '"' | '\'' | '\\' => shown.push(letter),
                _ => shown.extend(letter.escape_debug()),
            }
        }
        if words.chars().nth(CHARS_MAX).is_some() { shown + "…" } else { shown }
    }
}

/// Before the first connection of the process.
pub fn provide_cryptography() {
    static PROVIDER: Once = Once::new();
    PROVIDER.call_once(|| {
        // An error says that somebody else has installed one, which is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
}

fn headers(endpoint: &Endpoint) -> Result<HeaderMap, Problem> {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
    if endpoint.wire == Wire::Messages {
        headers.insert("anthropic-version", HeaderValue::from_static("2023-06-01"));
    }
    let Some(key) = endpoint.key.as_ref().map(Secret::expose).filter(|key| !key.is_empty()) else { return Ok(headers) };
    let (name, value) = match endpoint.wire {
        Wire::Messages => ("x-api-key", key.to_string()),
        Wire::Responses | Wire::Chat => (AUTHORIZATION.as_str(), format!("Bearer {key}")),
    };
    let mut value = HeaderValue::from_str(&value).map_err(|_| {
        Problem::new(Code::SettingInvalid, format!("the key of `{}` has characters that no key has", endpoint.name))
    })?;
    value.set_sensitive(true);
    headers.insert(name, value);
    Ok(headers)
}

/// The innermost cause, which alone says something; the outer ones repeat the address.
pub(crate) fn reason(error: &reqwest::Error) -> String {
    let mut cause: &dyn Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    if cause.source().is_none() && error.source().is_none() { "no request was made".into() } else { cause.to_string() }
}
