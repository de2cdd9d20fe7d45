//! Tokens: who may call, what for, and that nobody sees what another owner made.

use serde_json::{Value, json};

use crate::support::Place;
use crate::support::http::Site;

fn token(place: &Place, arguments: &[&str]) -> Value {
    let all: Vec<&str> = ["token", "create"].iter().chain(arguments).copied().collect();
    place.json(0, &all)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

#[test]
fn a_token_is_needed_once_there_is_one_and_says_what_its_bearer_may_do() {
    let place = Place::new();
    let site = Site::of(&place);
    site.get("/datasets").is(200);
    let made = token(&place, &["all"]);
    assert_eq!((&made["owner"], &made["scopes"]), (&json!("local"), &json!(["read", "ask", "write"])));
    site.get("/health").is(200);
    site.get("/readyz").is(200);
    let problem = site.get("/datasets").problem(401, "token_invalid");
    assert!(text(&problem["detail"]).contains("Bearer"), "{problem}");
    site.as_bearer(text(&made["token"]), "GET", "/datasets", None).is(200);
    let changed = text(&made["token"]).replace('0', "1");
    for wrong in ["", "assay", "assay_1_2", &changed] {
        site.as_bearer(wrong, "GET", "/datasets", None).problem(401, "token_invalid");
    }
    let reader = token(&place, &["reader", "--scope", "read"]);
    let question = json!({ "dataset_id": "support", "message": "how many tickets are there" });
    site.as_bearer(text(&reader["token"]), "GET", "/runs", None).is(200);
    site.as_bearer(text(&reader["token"]), "POST", "/chat", Some(&question)).problem(403, "forbidden");
    let asker = token(&place, &["asker", "--scope", "ask"]);
    site.as_bearer(text(&asker["token"]), "POST", "/chat", Some(&question)).is(200);
    let note = json!({ "dataset_id": "support", "text": "x" });
    site.as_bearer(text(&asker["token"]), "POST", "/notes", Some(&note)).problem(403, "forbidden");
    site.as_bearer(text(&made["token"]), "GET", "/settings", None).problem(403, "forbidden");
    let admin = token(&place, &["admin", "--scope", "admin"]);
    for (method, path) in [("GET", "/tokens".to_string()), ("DELETE", format!("/tokens/{}", text(&admin["id"])))] {
        site.as_bearer(text(&made["token"]), method, &path, None).problem(403, "forbidden");
    }
    let there = site.as_bearer(text(&admin["token"]), "GET", "/tokens", None).is(200).json();
    assert_eq!(there["tokens"].as_array().unwrap().len(), 4);
    assert!(!there.to_string().contains(text(&asker["token"])), "{there}");
    let path = format!("/tokens/{}", text(&made["id"]));
    site.as_bearer(text(&admin["token"]), "DELETE", &path, None).is(200);
    site.as_bearer(text(&admin["token"]), "DELETE", &path, None).problem(401, "token_invalid");
    site.as_bearer(text(&made["token"]), "GET", "/datasets", None).problem(401, "token_invalid");
    let short = token(&place, &["short", "--expires", "1s"]);
    std::thread::sleep(std::time::Duration::from_millis(1_200));
    site.as_bearer(text(&short["token"]), "GET", "/datasets", None).problem(401, "token_invalid");
    let listed = place.json(0, &["token", "list"]);
    assert_eq!(listed["tokens"].as_array().unwrap().len(), 5);
    assert!(!listed.to_string().contains(text(&asker["token"])));
    place.json(2, &["token", "create", "x", "--owner", "../up"]);
    let kept: Vec<u8> =
        ["store.db", "store.db-wal"].iter().flat_map(|name| std::fs::read(place.data().join(name)).unwrap()).collect();
    let secret = text(&asker["token"]).rsplit('_').next().unwrap().as_bytes();
    assert!(!kept.windows(secret.len()).any(|bytes| bytes == secret), "a token is kept as it is");
}

#[test]
fn another_address_than_this_machine_is_not_listened_on_without_a_token() {
    let place = Place::new();
    for arguments in [["--listen", "0.0.0.0:0"], ["--host", "assay.example.org"]] {
        let ran = place.assay(["serve", arguments[0], arguments[1]]).run();
        assert_eq!(ran.code, Some(2), "{}", ran.stderr);
        assert!(ran.stderr.contains("assay token create"), "{}", ran.stderr);
    }
    let made = token(&place, &["proxy"]);
    let site = Site::with(&place, &["--host", "assay.example.org"]);
    let bearer = format!("Bearer {}", text(&made["token"]));
    let from = |host: &str| site.send("GET", "/runs", &[("Host", host), ("Authorization", &bearer)], b"").status;
    assert_eq!((from("assay.example.org"), from("evil.example.org"), from(&site.address)), (200, 403, 200));
}

#[test]
fn what_one_owner_made_does_not_exist_for_another() {
    let place = Place::new();
    let ada = token(&place, &["a", "--owner", "ada"]);
    let bob = token(&place, &["b", "--owner", "bob"]);
    let (ada, bob) = (text(&ada["token"]), text(&bob["token"]));
    let site = Site::of(&place);
    let bearer = format!("Bearer {ada}");
    let file = b"region,price\nNorth,10\nSouth,30\n";
    site.upload(&[("Authorization", &bearer)], &[("name", "sales")], &[("sales.csv", file)]).is(201);
    let question = json!({ "dataset_id": "sales", "message": "average price by region" });
    let answer = site.as_bearer(ada, "POST", "/chat", Some(&question)).is(200).json();
    let note = json!({ "dataset_id": "sales", "text": "price is gross" });
    site.as_bearer(ada, "POST", "/notes", Some(&note)).is(201);
    let (run, thread) = (text(&answer["run_id"]), text(&answer["thread_id"]));

    let denied = |method: &str, path: &str, body: Option<&Value>, code: &str| {
        site.as_bearer(bob, method, path, body).problem(404, code);
    };
    for path in ["/datasets/sales", "/datasets/sales/schema", "/datasets/sales/profile", "/notes?dataset_id=sales"] {
        denied("GET", path, None, "dataset_unknown");
    }
    denied("DELETE", "/datasets/sales", None, "dataset_unknown");
    denied("DELETE", "/notes/sales/1", None, "dataset_unknown");
    denied("PUT", "/notes/sales/1", Some(&json!({ "text": "x" })), "dataset_unknown");
    denied("POST", "/notes", Some(&note), "dataset_unknown");
    denied("POST", "/notes/sales/1/accept", None, "dataset_unknown");
    denied("POST", "/notes/sales/1/reject", None, "dataset_unknown");
    site.as_bearer(ada, "POST", "/notes/sales/1/accept", None).problem(400, "usage");
    denied("POST", "/chat", Some(&question), "dataset_unknown");
    denied("POST", "/chat/stream", Some(&question), "dataset_unknown");
    for (task, input) in [
        ("ask", question.clone()),
        ("sql", json!({ "dataset_id": "sales", "sql": "SELECT 1" })),
        ("python", json!({ "dataset_id": "sales", "code": "1" })),
        ("plan", json!({ "plan": { "dataset_id": "sales", "table": "sales" } })),
    ] {
        denied("POST", "/runs", Some(&json!({ "task": task, "input": input })), "dataset_unknown");
    }
    for part in ["", "/status", "/events", "/follow-ups", "/capsule", "/chart.svg", "/artifacts/x"] {
        denied("GET", &format!("/runs/{run}{part}"), None, "run_unknown");
    }
    for what in ["cancel", "resume", "replay", "fork", "approve", "deny"] {
        denied("POST", &format!("/runs/{run}/{what}"), None, "run_unknown");
    }
    let lesson = json!({ "text": "prices of sales are gross" });
    let lesson = site.as_bearer(ada, "POST", "/lessons", Some(&lesson)).is(201).json();
    let lesson = text(&lesson["lessons"][0]["id"]).to_string();
    denied("GET", &format!("/lessons/{lesson}"), None, "not_found");
    denied("DELETE", &format!("/lessons/{lesson}"), None, "not_found");
    denied("PUT", &format!("/lessons/{lesson}"), Some(&json!({ "fix": "net" })), "not_found");
    denied("POST", "/lessons", Some(&json!({ "text": "x", "run": run })), "run_unknown");
    assert_eq!(site.as_bearer(bob, "GET", "/lessons", None).is(200).json()["lessons"], json!([]));
    denied("GET", &format!("/threads/{thread}/messages"), None, "not_found");
    denied("DELETE", &format!("/threads/{thread}"), None, "not_found");
    assert_eq!(site.as_bearer(bob, "GET", "/runs", None).is(200).json()["runs"], json!([]));
    assert_eq!(site.as_bearer(bob, "GET", "/threads", None).is(200).json()["threads"], json!([]));
    let listed = site.as_bearer(bob, "GET", "/datasets", None).is(200).json();
    assert!(!listed.to_string().contains("sales"), "{listed}");

    // What is built in is everybody's, an answer to it is not.
    let shared = json!({ "dataset_id": "support", "message": "how many tickets are there" });
    site.as_bearer(ada, "POST", "/chat", Some(&shared)).is(200);
    let fresh = site.as_bearer(bob, "POST", "/chat", Some(&shared)).is(200).json();
    assert_eq!(fresh["cached"], false, "{fresh}");
    let again = site.as_bearer(bob, "POST", "/chat", Some(&shared)).is(200).json();
    assert_eq!(again["cached"], true, "{again}");
    // The same name is free for another.
    let bearer = format!("Bearer {bob}");
    site.upload(&[("Authorization", &bearer)], &[("name", "sales")], &[("sales.csv", b"a,b\n1,2\n")]).is(201);
}

#[test]
fn a_page_signs_in_with_a_token_and_proves_that_it_is_the_page() {
    let place = Place::new();
    let made = token(&place, &["page", "--owner", "ada"]);
    let site = Site::of(&place);
    site.post("/session", &json!({ "token": "assay_no" })).problem(401, "token_invalid");
    let signed_in = site.post("/session", &json!({ "token": made["token"] })).is(200);
    let cookie = signed_in.header("set-cookie").unwrap().to_string();
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
    let said = signed_in.json();
    assert_eq!((&said["owner"], &said["scope"]), (&json!("ada"), &json!("write")));
    let cookie = cookie.split(';').next().unwrap();
    let shown = site.send("GET", "/session", &[("Cookie", cookie)], b"").is(200).json();
    assert_eq!(shown["csrf"], said["csrf"]);
    site.send("GET", "/runs", &[("Cookie", cookie)], b"").is(200);
    let body = json!({ "dataset_id": "support", "message": "how many tickets are there" }).to_string();
    let with = |headers: &[(&str, &str)]| {
        let all: Vec<(&str, &str)> =
            [("Content-Type", "application/json"), ("Cookie", cookie)].iter().chain(headers).copied().collect();
        site.send("POST", "/chat", &all, body.as_bytes())
    };
    with(&[]).problem(403, "forbidden");
    with(&[("X-Assay-CSRF", "wrong")]).problem(403, "forbidden");
    with(&[("X-Assay-CSRF", text(&said["csrf"]))]).is(200);
    with(&[("X-Assay-CSRF", text(&said["csrf"])), ("Origin", "http://evil.example")]).problem(403, "forbidden");
    let gone = site.send("DELETE", "/session", &[("Cookie", cookie)], b"").is(200);
    assert!(gone.header("set-cookie").unwrap().contains("Max-Age=0"));
}
