//! What goes wrong: each fault has its code, is tried again or not, and shows no key.

use std::time::{Duration, Instant};

use base::Code;
use model::{Endpoint, Limits, Stop, Wire};
use serde_json::json;

use crate::loopback::{Server, Turn};
use crate::{KEY, WIRES, ask, ask_plainly, endpoint, frames, limits, request};

fn answer(status: &'static str, headers: &str, body: &str) -> Turn {
    Turn::Answer(status, format!("content-type: application/json\r\n{headers}"), body.to_string())
}

/// The server's one turn ends in a problem after so many tries.
async fn check(wire: Wire, turn: Turn, code: Code, tries: usize, part: &str) {
    let server = Server::start(vec![turn]).await;
    let problem = ask_plainly(wire, &server).await.expect_err("no reply");
    assert_eq!((problem.code, server.seen().len()), (code, tries), "{wire:?} {problem:?}");
    assert!(problem.message.contains(part), "{wire:?} {problem:?}");
    assert!(!format!("{problem:?}").contains("canary"), "{problem:?}");
}

#[tokio::test]
async fn a_reply_without_its_end_is_no_reply() {
    for wire in WIRES {
        let open = frames::open(wire, &["half a "]);
        check(wire, Turn::Stream(open.clone()), Code::ModelTruncated, 3, "before its end").await;
        check(wire, Turn::Cut(open.clone()), Code::ModelTruncated, 3, "before its end").await;
        let server = Server::start(vec![Turn::Cut(open), Turn::Stream(frames::text(wire, &["whole"]))]).await;
        let (reply, heard) = ask(endpoint(wire, "m", &server.url), &request(), limits()).await;
        assert_eq!(reply.expect("a reply").text, "whole");
        assert_eq!(heard, ["half a ", "", "whole"], "{wire:?}");
    }
    let mut all = frames::open(Wire::Messages, &["half"]);
    all.push(frames::end(Wire::Messages, "end_turn").remove(0));
    check(Wire::Messages, Turn::Stream(all), Code::ModelTruncated, 3, "before its end").await;
}

#[tokio::test]
async fn silence_has_a_limit() {
    for wire in WIRES {
        check(wire, Turn::Silence, Code::TimedOut, 3, "does not answer within 0.4 s").await;
        check(wire, Turn::Hold(frames::open(wire, &["half"])), Code::TimedOut, 3, "falls silent within 0.4 s").await;
    }
    let server = Server::start(vec![Turn::Silence]).await;
    let limits = Limits { whole: Duration::from_millis(100), ..limits() };
    let problem = ask(endpoint(Wire::Chat, "m", &server.url), &request(), limits).await.0.expect_err("no reply");
    assert_eq!((problem.code, server.seen().len()), (Code::TimedOut, 1), "{problem:?}");
}

#[tokio::test]
async fn a_wait_is_kept() {
    let date = "date: Wed, 18 Nov 2026 10:00:00 GMT\r\nretry-after: Wed, 18 Nov 2026 10:00:01 GMT\r\n";
    let text = r#"{"error":{"message":"Rate limit reached. Please try again in 0.5s."}}"#;
    for (headers, body, wait_ms) in [
        ("retry-after: 1\r\n", "", 1000),
        (date, "", 1000),
        ("retry-after-ms: 300\r\nretry-after: 9\r\n", "", 300),
        ("", text, 500),
    ] {
        let server =
            Server::start(vec![answer("429 Too Many", headers, body), Turn::Stream(frames::text(Wire::Chat, &["hi"]))])
                .await;
        let started = Instant::now();
        assert_eq!(ask_plainly(Wire::Chat, &server).await.expect("a reply").text, "hi");
        assert!(started.elapsed() >= Duration::from_millis(wait_ms), "{headers} {body}");
    }
    check(Wire::Chat, answer("429 Too Many", "retry-after: 3\r\n", ""), Code::RateLimited, 1, "wait 3 s").await;
    check(Wire::Chat, answer("429 Too Many", "", "{}"), Code::RateLimited, 3, "too often").await;
}

#[tokio::test]
async fn a_status_decides_whether_to_try_again() {
    for status in ["500 Error", "502 Bad Gateway", "503 Unavailable", "529 Overloaded"] {
        check(Wire::Messages, answer(status, "", "busy"), Code::ModelFailed, 3, &status[..3]).await;
    }
    for status in ["400 Bad", "404 Not Found", "413 Large", "422 Strange"] {
        let body = json!({"error": {"message": format!("bad \u{1b}[31m {}", "x".repeat(1000))}}).to_string();
        check(Wire::Chat, answer(status, "", &body), Code::ModelRefused, 1, "bad \\u{1b}[31m xxx").await;
    }
    for (status, body) in [
        ("429 Too Many", r#"{"error":{"code":"insufficient_quota","message":"You exceeded your quota"}}"#),
        ("400 Bad", r#"{"error":{"type":"invalid_request_error","message":"Your credit balance is too low"}}"#),
    ] {
        check(Wire::Responses, answer(status, "", body), Code::QuotaExceeded, 1, "nothing left").await;
    }
    for status in ["401 Unauthorized", "403 Forbidden"] {
        check(Wire::Chat, answer(status, "", ""), Code::ModelRefused, 1, "the key is not accepted").await;
        let server = Server::start(vec![answer(status, "", "")]).await;
        let endpoint = Endpoint { key: None, ..endpoint(Wire::Chat, "m", &server.url) };
        let problem = ask(endpoint, &request(), limits()).await.0.expect_err("no reply");
        assert_eq!((problem.code, server.seen().len()), (Code::KeyMissing, 1));
        assert!(!server.seen()[0].head.contains("authorization"));
    }
}

#[tokio::test]
async fn an_error_within_the_stream_is_an_error() {
    for wire in WIRES {
        let fail = |kind: &str| {
            let error = json!({"type": kind, "code": kind, "message": format!("sorry, {KEY}")});
            let value = match wire {
                Wire::Messages => json!({"type": "error", "error": error}),
                Wire::Responses => json!({"type": "response.failed", "response": {"error": error}}),
                Wire::Chat => json!({"error": error}),
            };
            let mut all = frames::open(wire, &["half"]);
            all.push(frames::frame(wire, &value));
            Turn::Stream(all)
        };
        check(wire, fail("overloaded_error"), Code::ModelFailed, 3, "sorry, [key]").await;
        check(wire, fail("invalid_request_error"), Code::ModelRefused, 1, "sorry, [key]").await;
        let mut all = frames::open(wire, &["half"]);
        all.push("data: {\"no json\n\n".into());
        check(wire, Turn::Stream(all), Code::ModelFailed, 3, "no JSON").await;
    }
}

#[tokio::test]
async fn an_endless_reply_is_cut() {
    for wire in WIRES {
        let again = frames::frame(wire, &frames::piece(wire, "and so on "));
        for again in [again, "data: x".to_string()] {
            let turn = Turn::Endless(frames::open(wire, &["first, "]).concat(), again);
            let server = Server::start(vec![turn]).await;
            let limits = Limits { reply_bytes_max: 10_000, ..limits() };
            let reply = ask(endpoint(wire, "m", &server.url), &request(), limits).await.0.expect("a reply");
            assert_eq!((reply.stop, server.seen().len()), (Stop::Length, 1), "{wire:?}");
            assert!(reply.text.starts_with("first, ") && reply.text.len() < 1_000_000, "{wire:?}");
        }
    }
}

#[tokio::test]
async fn what_is_no_stream_is_named_and_a_redirect_is_not_followed() {
    let other = Server::start(vec![Turn::Stream(frames::text(Wire::Chat, &["stolen"]))]).await;
    for wire in WIRES {
        let page = Turn::Answer("200 OK", "content-type: text/html; charset=utf-8\r\n".into(), "<html>".into());
        check(wire, page, Code::ModelFailed, 1, "`text/html`").await;
        for status in ["301 Moved", "307 Temporary Redirect", "308 Permanent Redirect"] {
            let location = format!("location: {}/x\r\n", other.url.replace("127.0.0.1", "localhost"));
            check(wire, answer(status, &location, ""), Code::ModelFailed, 1, "answers with a redirect to localhost")
                .await;
        }
    }
    assert!(other.seen().is_empty());
}

#[tokio::test]
async fn a_key_that_the_server_repeats_is_not_shown() {
    // Where the text is cut, no half of the key may remain.
    let long = format!("{}{KEY}", "x".repeat(290));
    for wire in WIRES {
        for said in [format!("Incorrect API key provided: {KEY}"), long.clone()] {
            let in_json = json!({"error": {"message": said}}).to_string();
            check(wire, answer("401 Unauthorized", "", &in_json), Code::ModelRefused, 1, "[key]").await;
            check(wire, answer("500 Error", "", &said), Code::ModelFailed, 3, "[key]").await;
        }
        let location = format!("location: http://{KEY}.example/\r\n");
        check(wire, answer("302 Found", &location, ""), Code::ModelFailed, 1, "[key].example").await;
        let page = Turn::Answer("200 OK", format!("content-type: {KEY}\r\n"), String::new());
        check(wire, page, Code::ModelFailed, 1, "[key]").await;
        let mut all = frames::open(wire, &[]);
        all.push(format!("data: {KEY}\n\n"));
        check(wire, Turn::Stream(all), Code::ModelFailed, 3, "[key]").await;
    }
}

#[tokio::test]
async fn a_server_that_is_not_there_is_named() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let url = format!("http://{}", listener.local_addr().expect("it is bound"));
    drop(listener);
    let problem = ask(endpoint(Wire::Chat, "m", &url), &request(), limits()).await.0.expect_err("no reply");
    assert_eq!(problem.code, Code::ModelFailed);
    assert!(problem.message.starts_with("`test:m` cannot be reached at 127.0.0.1: "), "{problem:?}");
}
