//! Callers who want the server to break rather than to tell: false tokens, bodies that never come, archives that unpack to
//! more than there is, names that would begin a header or a line of the log.

use std::io::{Read, Write};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::support::Place;
use crate::support::http::{Frame, Site};
use crate::support::slow_is_wanted;

#[test]
fn whoever_guesses_waits_and_nobody_else_does() {
    const PAUSE: Duration = Duration::from_millis(300);
    let place = Place::new();
    let made = place.json(0, &["token", "create", "right"]);
    let right = made["token"].as_str().unwrap().to_string();
    let site = Site::of(&place);
    site.as_bearer(&right, "GET", "/runs", None).is(200);
    let guesses: Vec<String> = (0..40)
        .map(|number| match number % 4 {
            0 => format!("{}{number:02x}", &right[..right.len() - 2]),
            1 => format!("assay_{number:016x}_{:064x}", 7),
            2 => right.to_uppercase(),
            _ => String::new(),
        })
        // One in so many tokens ends like a guess.
        .filter(|guess| *guess != right)
        .collect();
    thread::scope(|scope| {
        for guess in &guesses {
            let site = &site;
            scope.spawn(move || {
                let begun = Instant::now();
                let reply = site.as_bearer(guess, "GET", "/runs", None);
                // After so many from one address the next are not even looked at.
                if reply.status == 429 {
                    return reply.problem(429, "too_many_requests");
                }
                assert!(begun.elapsed() >= PAUSE, "{guess} was answered after {:?}", begun.elapsed());
                reply.problem(401, "token_invalid")
            });
        }
        let begun = Instant::now();
        site.as_bearer(&right, "GET", "/runs", None).is(200);
        assert!(begun.elapsed() < PAUSE * 10, "who has a token waits: {:?}", begun.elapsed());
    });
    let sign_in = Instant::now();
    let reply = site.post("/session", &json!({ "token": guesses[0] }));
    assert!(reply.status == 429 || reply.status == 401 && sign_in.elapsed() >= PAUSE, "{}", reply.text());
}

#[test]
fn one_request_has_one_answer_however_its_length_is_told() {
    let place = Place::new();
    let site = Site::of(&place);
    let hidden = "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let length = hidden.len();
    for head in [
        format!("Content-Length: {length}\r\nTransfer-Encoding: chunked"),
        format!("Transfer-Encoding: chunked\r\nContent-Length: {length}"),
        format!("Transfer-Encoding: xchunked\r\nContent-Length: {length}"),
        "Transfer-Encoding: identity".to_string(),
        "Transfer-Encoding : chunked".to_string(),
        "Transfer-Encoding: chunked, identity".to_string(),
        "Transfer-Encoding:\u{b}chunked".to_string(),
        format!("Content-Length: {length}\r\nContent-Length: 0"),
        format!("Content-Length: +{length}"),
        format!("Content-Length: 0x{length:x}"),
        "Content-Length: 99999999999999999999".to_string(),
    ] {
        let mut stream = site.connect();
        let request = format!("POST /chat HTTP/1.1\r\nHost: localhost\r\n{head}\r\n\r\n0\r\n\r\n{hidden}");
        let _ = stream.write_all(request.as_bytes());
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let mut answer = String::new();
        let _ = stream.read_to_string(&mut answer);
        assert!(!answer.contains("\"status\":\"ok\""), "what hid in a body was asked: {head}: {answer}");
        assert_eq!(answer.matches("HTTP/1.").count(), 1, "{head}: {answer}");
    }
    site.get("/health").is(200);
}

#[test]
fn no_name_begins_a_header_or_a_line_of_the_log() {
    let place = Place::new();
    let site = Site::with(&place, &["--log"]);
    for path in ["/runs/%0d%0aX-Injected:%201", "/runs/%0a{\"event\":\"forged\"}", "/runs/%1b[2J", "/nothing%0aforged"]
    {
        let reply = site.get(path);
        assert!([400, 404].contains(&reply.status), "{}", reply.text());
        assert_eq!(reply.header("x-injected"), None);
    }
    let code = "open('out/a\\r\\nX-Injected: 1\\\".html', 'w').write('<script>x</script>')";
    let begun = site.post("/runs", &json!({ "task": "python", "input": { "code": code } })).is(202).json();
    let run = begun["run_id"].as_str().unwrap();
    let _: Vec<Frame> = site.stream("GET", begun["events_url"].as_str().unwrap(), &[], None).collect();
    let file = site.get(&format!("/runs/{run}/artifacts/a%0d%0aX-Injected:%201%22.html"));
    assert_eq!((file.header("x-injected"), file.status < 500), (None, true), "{file:?}");
    if file.status == 200 {
        assert_eq!(file.header("content-type"), Some("application/octet-stream"));
        assert!(file.header("content-disposition").unwrap().starts_with("attachment; filename=\"a__X-Injected"));
    }
    let told = site.started.stderr();
    let forged = |line: &str| {
        line.starts_with("forged") || line.starts_with("{\"event\":\"forged\"") || line.starts_with("X-Inj")
    };
    assert!(!told.lines().any(forged) && !told.contains('\u{1b}'), "{told}");
    assert!(told.contains("/runs/"), "the log tells of requests: {told}");
}

#[test]
fn bodies_that_do_not_come_keep_nobody_waiting() {
    let place = Place::new();
    let site = Site::of(&place);
    let head = format!("POST /chat HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n", site.address);
    let form = head.replace("/chat", "/datasets").replace("application/json", "multipart/form-data; boundary=B");
    let part = "--B\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.csv\"\r\n\r\na,b\n";
    let slow: Vec<_> = (0..60)
        .map(|number| {
            let mut stream = site.connect();
            let said = match number % 3 {
                0 => format!("{head}Content-Length: 1000\r\n\r\n{{\"dataset"),
                1 => format!("{head}Transfer-Encoding: chunked\r\n\r\n5\r\n{{\"dat"),
                _ => format!("{form}Content-Length: 100000\r\n\r\n{part}"),
            };
            stream.write_all(said.as_bytes()).unwrap();
            stream
        })
        .collect();
    assert_eq!(site.chat("support", "how many tickets are there")["status"], "answered");
    drop(slow);
    // What was received of them is not kept.
    crate::support::started::until("half a file is removed", || {
        let left = std::fs::read_dir(place.data().join("uploads")).map_or(0, Iterator::count);
        (left == 0).then_some(())
    });
}

#[test]
fn a_body_that_never_ends_is_given_up() {
    if !slow_is_wanted("a_body_that_never_ends_is_given_up") {
        return;
    }
    let place = Place::new();
    let site = Site::of(&place);
    let head = format!("POST /chat HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n", site.address);
    let mut stream = site.connect();
    stream.write_all(format!("{head}Content-Length: 1000\r\n\r\n{{").as_bytes()).unwrap();
    let begun = Instant::now();
    let mut answer = [0; 512];
    let read = stream.read(&mut answer).unwrap();
    let said = String::from_utf8_lossy(&answer[..read]).into_owned();
    assert!(said.contains("timed_out") || said.contains("HTTP/1.1 4") || said.contains("HTTP/1.1 504"), "{said}");
    assert!(begun.elapsed() < Duration::from_secs(45), "{:?}", begun.elapsed());
}

#[test]
fn an_archive_that_unpacks_to_more_than_there_may_be_is_refused() {
    const MAKE: &str = "
import gzip, sys, zipfile
line = b'a' * 1000 + b'\\n'
with gzip.open('bomb.csv.gz', 'wb', compresslevel=9) as file:
    file.write(b'text\\n')
    for _ in range(int(sys.argv[1])):
        file.write(line * 1000)
with zipfile.ZipFile('bomb.xlsx', 'w', zipfile.ZIP_DEFLATED, compresslevel=9) as book:
    book.writestr('[Content_Types].xml', '<Types/>')
    with book.open('xl/worksheets/sheet1.xml', 'w', force_zip64=True) as sheet:
        sheet.write(b'<worksheet><sheetData>')
        for _ in range(int(sys.argv[1])):
            sheet.write(b' ' * 1_000_000)
";
    let place = Place::new();
    let site = Site::of(&place);
    // A thousand times a megabyte; each file has about one.
    let made = Command::new("python3").args(["-c", MAKE, "1000"]).current_dir(place.path("")).status().unwrap();
    assert!(made.success());
    for name in ["bomb.csv.gz", "bomb.xlsx"] {
        let bytes = std::fs::read(place.path(name)).unwrap();
        assert!(bytes.len() < 8 << 20, "{} bytes", bytes.len());
        let reply = site.upload(&[], &[("name", "bomb")], &[(name, &bytes)]);
        assert!((400..500).contains(&reply.status), "{name}: {} {}", reply.status, reply.text());
        assert_eq!(reply.header("content-type"), Some("application/problem+json"));
        assert!(!reply.text().contains(&place.data().display().to_string()), "{}", reply.text());
    }
    assert_eq!(std::fs::read_dir(place.data().join("uploads")).unwrap().count(), 0);
    assert_eq!(site.chat("support", "how many tickets are there")["status"], "answered");
}

#[test]
fn cells_labels_and_headers_stay_text_in_a_picture() {
    let place = Place::new();
    let site = Site::of(&place);
    let file = "label,price\n\"<script>alert(1)</script>\",10\n\"\"\"><img src=x onerror=alert(2)>\",25\n\
                \"</text></svg><svg onload=alert(3)>\",30\n\"&lt;b&gt; ]]> <!-- \",40\n";
    site.upload(&[], &[("name", "evil")], &[("evil.csv", file.as_bytes())]).is(201);
    let answer = site.chat("evil", "average price by label");
    assert!(answer["chart"].is_object(), "{answer}");
    for query in ["", "?theme=dark", "?theme=light&width=200"] {
        let picture = site.get(&format!("/runs/{}/chart.svg{query}", answer["run_id"].as_str().unwrap())).is(200);
        let text = picture.text();
        assert!(text.contains("&lt;script"), "the label is there, as text: {text}");
        for bad in ["<script", "<img", "<svg onload", "<!--", "onload=\"", "onerror=\""] {
            assert!(!text.contains(bad), "{bad}: {text}");
        }
        assert_eq!(text.matches("<svg").count(), 1);
        let policy = picture.header("content-security-policy").unwrap();
        assert!(policy.contains("default-src 'none'") && policy.contains("sandbox"), "{policy}");
        assert_eq!(picture.header("x-content-type-options"), Some("nosniff"));
    }
}
