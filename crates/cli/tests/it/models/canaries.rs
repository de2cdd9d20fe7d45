//! No key comes to rest anywhere: not in the store, a capsule, what is printed or what a model is told, whoever repeats it.

use std::io::Write;
use std::net::TcpListener;
use std::thread;

use serde_json::{Value, json};

use super::{CANARY, Scripted, place, python, read_request};
use crate::support::{Call, Place, Ran};

/// A server that gives every request the same answer, whatever it is.
fn answering(answer: String) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/v1", listener.local_addr().unwrap());
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            if read_request(&stream).is_some() {
                let _ = stream.write_all(answer.as_bytes());
            }
        }
    });
    address
}

fn answer(status: &str, headers: &str, body: &str) -> String {
    format!("HTTP/1.1 {status}\r\n{headers}content-length: {}\r\nconnection: close\r\n\r\n{body}", body.len())
}

fn ask(place: &Place, model: &str) -> Call {
    let call =
        place.assay(["ask", "sales.csv", "what is all of it", "--json", "--planner", "off", "--derivations", "1"]);
    call.arg("--model").arg(model).env("OPENAI_API_KEY", CANARY)
}

/// Nothing that was printed, kept or exported holds the key.
#[track_caller]
fn is_nowhere(place: &Place, ran: &Ran, what: &str) {
    assert!(!ran.stdout.contains(CANARY) && !ran.stderr.contains(CANARY), "{what}: {} {}", ran.stdout, ran.stderr);
    let mut files: Vec<_> = place.data_ending_with("").into_iter().filter(|file| file.is_file()).collect();
    if let Some(run) = ran.document()["run"].as_str() {
        place.assay(["runs", "export", run, "--to", "it.zip"]).run().exits(0);
        for arguments in [["runs", "show", run, "--json"], ["runs", "show", run, "--quiet"]] {
            let shown = place.assay(arguments).env("OPENAI_API_KEY", CANARY).run();
            assert!(!shown.stdout.contains(CANARY), "{what}: {}", shown.stdout);
        }
        files.push(place.path("it.zip"));
    }
    assert!(files.len() > 2, "{what}: {files:?}");
    for file in &files {
        let bytes = std::fs::read(file).unwrap();
        let shows = bytes.windows(CANARY.len()).any(|window| window == CANARY.as_bytes());
        assert!(!shows, "{what}: the key stands in {}", file.display());
    }
    let _ = std::fs::remove_file(place.path("it.zip"));
}

#[test]
fn a_key_that_a_server_repeats_comes_to_rest_nowhere() {
    let frame = json!({ "error": { "type": "x", "message": format!("not with {CANARY}") } });
    let json = "content-type: application/json\r\n";
    let error =
        json!({ "error": { "message": format!("Incorrect API key provided: {CANARY}"), "code": "invalid_api_key" } });
    let page = format!("<html>Bearer {CANARY}</html>");
    for (what, answered) in [
        ("an error", answer("401 Unauthorized", json, &error.to_string())),
        ("a page", answer("400 Bad Request", "content-type: text/html\r\n", &page)),
        ("a redirect", answer("302 Found", &format!("location: http://{CANARY}.example/?key={CANARY}\r\n"), "")),
        ("a header", answer("200 OK", &format!("content-type: {CANARY}\r\n"), "")),
        ("an event", answer("200 OK", "content-type: text/event-stream\r\n", &format!("data: {frame}\n\n"))),
    ] {
        let place = place();
        let ran = ask(&place, "chat:m").env("OPENAI_BASE_URL", answering(answered)).run();
        assert_ne!(ran.code, Some(0), "{what}: {}", ran.stdout);
        is_nowhere(&place, &ran, what);
    }
}

#[test]
fn a_key_in_a_reply_is_taken_out_before_anybody_sees_it() {
    let place = place();
    let broken = python(&format!("headers = 'Bearer {CANARY}'\nsales[headers]"));
    let right = python(&format!("key = '{CANARY}'\nlen(sales)"));
    let model = Scripted::saying(&[&broken, &right, &format!("NO, ask with {CANARY}")]);
    let ran = ask(&place, "chat:m").env("OPENAI_BASE_URL", &model.address).run().exits(0);
    let document = ran.document();
    assert!(document["code"]["text"].as_str().unwrap().contains("[key]"), "{document:#}");
    assert!(!model.prompts().contains(CANARY), "the model was told");
    is_nowhere(&place, &ran, "a reply");
}

#[test]
fn a_key_that_a_program_prints_is_taken_out() {
    let place = place();
    let model = "command:printenv OPENAI_API_KEY";
    let ran = ask(&place, model).run().exits(1);
    assert!(ran.document()["attempts"].to_string().contains("[key]"), "{}", ran.stdout);
    is_nowhere(&place, &ran, "a program");
    // What it says where it fails is not read at all.
    let script = place.file("fails.sh", "echo $OPENAI_API_KEY >&2\nexit 3\n");
    let ran = ask(&place, &format!("command:sh {}", script.display())).run().exits(2);
    is_nowhere(&place, &ran, "a failing program");
}

#[test]
fn a_key_in_an_address_is_not_repeated() {
    for address in [
        format!("http://user:{CANARY}@127.0.0.1:9/v1"),
        format!("http://127.0.0.1:9/v1?key={CANARY}"),
        format!("http://127.0.0.1:9/{CANARY}/v1"),
        format!("http://127.0.0.1:9/v1#{CANARY}"),
    ] {
        let place = place();
        let ran = ask(&place, "chat:m").env("OPENAI_BASE_URL", &address).run().exits(2);
        is_nowhere(&place, &ran, "an address");
        for arguments in [["config", "show", "--json"], ["model", "list", "--json"], ["doctor", "--json", "--quiet"]] {
            let call = place.assay(arguments).env("OPENAI_BASE_URL", &address).env("OPENAI_API_KEY", CANARY);
            let shown = call.run();
            let shown: Value = serde_json::from_str(&shown.stdout).unwrap();
            assert!(!shown.to_string().contains(CANARY), "{arguments:?}: {shown:#}");
        }
    }
}
