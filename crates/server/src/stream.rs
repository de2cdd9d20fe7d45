//! A run's events as `text/event-stream`: `id` is the event's number, `event` its type, `data` the event itself.
//!
//! Nothing is kept for a reader who does not read: an event is fetched when the connection can take it.

use std::convert::Infallible;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::{HeaderValue, header};
use axum::response::Response;
use flow::{Event, Events};
use futures_util::stream;
use serde_json::json;

use crate::codes;
use crate::counters::Reader;

/// How long a connection says nothing before it says that it lives.
const QUIET_MAX: Duration = Duration::from_secs(15);

/// The rest of a run's events; the last one names the thread, if one is given. The reader's place is kept as long as it
/// listens.
pub fn of(reader: Reader, events: Events, thread: Option<String>) -> Response {
    let frames = stream::unfold(Some((reader, events, thread)), |state| async move {
        let (reader, mut events, thread) = state?;
        match tokio::time::timeout(QUIET_MAX, events.next()).await {
            Err(_) => Some((Ok(Bytes::from_static(b": still here\n\n")), Some((reader, events, thread)))),
            Ok(Ok(Some(event))) => {
                let is_last = event.kind == "run.finished";
                let frame = frame(&event, thread.as_deref());
                Some((Ok::<_, Infallible>(frame), (!is_last).then_some((reader, events, thread))))
            }
            Ok(_) => None,
        }
    });
    let mut response = Response::new(Body::from_stream(frames));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    // Proxies that keep answers back until they are large would hold a stream for ever.
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}

/// One event; JSON has no line break but escaped ones.
fn frame(event: &Event, thread: Option<&str>) -> Bytes {
    let mut data = json!(event);
    if event.kind == "run.finished" {
        data["data"]["output"] = codes::told(data["data"]["output"].take());
        if let Some(thread) = thread {
            data["data"]["thread_id"] = json!(thread);
        }
    }
    let id = event.seq.map(|seq| format!("id: {seq}\n")).unwrap_or_default();
    Bytes::from(format!("{id}event: {}\ndata: {data}\n\n", event.kind))
}
