//! What a hostile caller tries over HTTP, each with what must stop it.

use std::io::{Read, Write};

use serde_json::json;

use crate::support::Place;
use crate::support::http::Site;

#[test]
fn a_page_of_another_name_that_leads_here_is_refused() {
    let place = Place::new();
    let site = Site::of(&place);
    let port = site.address.rsplit(':').next().unwrap().to_string();
    for ours in [format!("localhost:{port}"), format!("127.0.0.1:{port}"), format!("LOCALHOST:{port}")] {
        site.send("GET", "/datasets", &[("Host", &ours)], b"").is(200);
    }
    for theirs in
        ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example:80", "127.0.0.1:1", "evil@127.0.0.1"]
    {
        for path in ["/datasets", "/", "/health"] {
            let reply = site.send("GET", path, &[("Host", theirs)], b"");
            assert!([400, 403].contains(&reply.status), "{theirs}: {}", reply.text());
        }
    }
    let none = site.raw(b"GET /datasets HTTP/1.1\r\nConnection: close\r\n\r\n");
    assert!([400, 403].contains(&none.status), "{none:?}");
    let origin = [("Content-Type", "application/json"), ("Origin", "http://evil.example")];
    let body = json!({ "dataset_id": "support", "message": "how many tickets" }).to_string();
    site.send("POST", "/chat", &origin, body.as_bytes()).problem(403, "forbidden");
    // What a form can send without asking is no JSON.
    site.send("POST", "/chat", &[("Content-Type", "text/plain")], body.as_bytes()).problem(415, "unsupported_media");
    site.send("POST", "/chat", &[], body.as_bytes()).problem(415, "unsupported_media");
}

#[test]
fn no_spelling_of_a_dataset_reaches_a_file() {
    let place = Place::new();
    place.file("secret.csv", "name,value\ntop,hushhush\n");
    let secret = place.path("secret.csv").display().to_string();
    let site = Site::of(&place);
    let escaped = secret.replace('/', "%2F");
    for name in
        ["..%2F..%2Fetc%2Fpasswd", "%2Fetc%2Fpasswd", ".%2Fsecret.csv", "secret.csv", "%00", "a%0d%0ab", &escaped]
    {
        for part in ["", "/schema", "/profile"] {
            let reply = site.get(&format!("/datasets/{name}{part}"));
            assert!([400, 404].contains(&reply.status), "{name}: {} {}", reply.status, reply.text());
            assert!(!reply.text().contains("hushhush"), "{}", reply.text());
        }
        let gone = site.delete(&format!("/datasets/{name}"));
        assert!([400, 404].contains(&gone.status), "{}", gone.text());
    }
    for name in ["../secret.csv", "/etc/passwd", "./secret.csv", "secret.csv", &secret, "file:///etc/passwd", "\u{0}"] {
        for message in ["how many rows", "SQL: SELECT 1", "PYTHON: 1"] {
            let body = json!({ "dataset_id": name, "message": message });
            site.post("/chat", &body).problem(404, "dataset_unknown");
        }
        let plan = json!({ "task": "plan", "input": { "plan": { "dataset_id": name, "table": "t" } } });
        site.post("/runs", &plan).problem(404, "dataset_unknown");
    }
    let read = site.chat("support", &format!("SQL: SELECT * FROM read_csv('{secret}')"));
    assert_eq!(read["error"]["code"], "SQL_POLICY");
    assert!(place.path("secret.csv").exists());
}

#[test]
fn a_caller_names_no_program_and_no_file_as_a_model() {
    let place = Place::new();
    let site = Site::of(&place);
    for model in ["command:touch /tmp/x", "recorded:/etc/passwd", "nobody"] {
        let body = json!({ "dataset_id": "support", "message": "is it warm?", "model": model });
        site.post("/chat", &body).problem(422, "model_unknown");
    }
}

#[test]
fn odd_requests_are_refused_and_the_server_goes_on() {
    let place = Place::new();
    let site = Site::of(&place);
    let json_kind = [("Content-Type", "application/json")];
    let large = vec![b'x'; 2 << 20];
    site.send("POST", "/chat", &json_kind, &large).problem(413, "too_large");
    site.send("POST", "/chat", &json_kind, b"{").problem(400, "usage");
    site.send("POST", "/chat", &json_kind, b"\xff\xfe").problem(400, "usage");
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    site.send("POST", "/chat", &json_kind, deep.as_bytes()).problem(400, "usage");
    let many = json!({ "dataset_id": "support", "message": "x".repeat(300 << 10) });
    site.post("/chat", &many).problem(400, "usage");
    site.get("/nothing").problem(404, "not_found");
    site.send("PATCH", "/runs", &[], b"").problem(405, "method_unknown");
    for odd in [
        &b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /x"[..],
        b"POST /chat HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\nConnection: close\r\n\r\nxx",
        b"POST /chat HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\nConnection: close\r\n\r\n",
        b"\x00\x01\x02\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
    ] {
        let mut stream = site.connect();
        stream.write_all(odd).unwrap();
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        let mut answer = String::new();
        let _ = stream.read_to_string(&mut answer);
        assert!(!answer.contains("HTTP/1.1 200 OK\r\ncontent-type: text/html") || !answer.contains("HTTP/1.1 404"), "{answer}");
        assert!(answer.matches("HTTP/1.").count() <= 1, "two answers to one request: {answer}");
    }
    // A name that would begin a header of its own.
    let sent = site.upload(&[], &[("name", "x")], &[("a\"\r\nX-Injected: 1.csv", b"a,b\n1,2\n")]);
    assert_eq!(sent.header("x-injected"), None);
    let key = [("Content-Type", "application/json"), ("Idempotency-Key", &*"k".repeat(300))];
    let body = json!({ "task": "sql", "input": { "dataset_id": "support", "sql": "SELECT 1" } }).to_string();
    site.send("POST", "/runs", &key, body.as_bytes()).problem(400, "usage");
    site.get("/health").is(200);
}

#[test]
fn every_answer_says_how_a_browser_has_to_treat_it() {
    let place = Place::new();
    let site = Site::of(&place);
    for path in ["/", "/health", "/datasets", "/nothing", "/ui/x/y"] {
        let reply = site.get(path);
        let policy = reply.header("content-security-policy").unwrap();
        assert!(policy.starts_with("default-src 'self'") && !policy.contains("unsafe"), "{policy}");
        assert_eq!(reply.header("x-content-type-options"), Some("nosniff"), "{path}");
        assert_eq!(reply.header("x-frame-options"), Some("DENY"), "{path}");
        assert_eq!(reply.header("access-control-allow-origin"), None, "{path}");
        assert!(reply.header("x-request-id").is_some(), "{path}");
    }
}

#[test]
fn what_a_file_says_of_itself_stays_text() {
    let place = Place::new();
    let site = Site::of(&place);
    let file = "<script>alert(1)</script>,price\n\"<img src=x onerror=alert(2)>\",1\n\"</svg><script>x</script>\",2\n";
    site.upload(&[], &[("name", "evil")], &[("<script>.csv", file.as_bytes())]).is(201);
    let schema = site.get("/datasets/evil/schema").is(200);
    assert_eq!(schema.header("content-type"), Some("application/json"));
    let column = "scriptalert1script";
    let answer = site.chat("evil", &format!("average price by {column}"));
    if answer["chart"].is_object() {
        let run = answer["run_id"].as_str().unwrap();
        let picture = site.get(&format!("/runs/{run}/chart.svg")).is(200);
        assert!(!picture.text().contains("<script") && !picture.text().contains("<img"), "{}", picture.text());
        assert!(picture.header("content-security-policy").unwrap().contains("default-src 'none'"));
    }
    let code = "open('out/page.html', 'w').write('<script>alert(1)</script>')";
    let body = json!({ "task": "python", "input": { "code": code } });
    let begun = site.post("/runs", &body).is(202).json();
    let _: Vec<_> = site.stream("GET", begun["events_url"].as_str().unwrap(), &[], None).collect();
    let page = site.get(&format!("/runs/{}/artifacts/page.html", begun["run_id"].as_str().unwrap())).is(200);
    assert_eq!(page.header("content-type"), Some("application/octet-stream"));
    assert!(page.header("content-disposition").unwrap().starts_with("attachment"));
}
