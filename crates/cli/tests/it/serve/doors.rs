//! Every door there is, asked as another owner: generated from what the server says of itself, so that a new door cannot be
//! forgotten. What belongs to somebody else is not there (404), and no list tells of it.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::support::Place;
use crate::support::http::Site;

/// What one owner has, by the beginning of the addresses that lead to it.
struct Belongings {
    by_path: BTreeMap<&'static str, String>,
}

impl Belongings {
    /// Something of each kind, made by the bearer.
    fn of(site: &Site, bearer: &str) -> Belongings {
        let post = |path: &str, body: Value| site.as_bearer(bearer, "POST", path, Some(&body)).json();
        let header = format!("Bearer {bearer}");
        let file = b"region,price\nNorth,10\nSouth,30\n";
        site.upload(&[("Authorization", &header)], &[("name", "adas_sales")], &[("s.csv", file)]).is(201);
        let answer = post("/chat", json!({ "dataset_id": "adas_sales", "message": "average price by region" }));
        assert_eq!(answer["status"], "answered", "{answer}");
        let lesson = post("/lessons", json!({ "text": "adas prices are gross" }));
        post("/notes", json!({ "dataset_id": "adas_sales", "text": "adas price is gross" }));
        let text = |value: &Value| value.as_str().expect("an id").to_string();
        let by_path = BTreeMap::from([
            ("/datasets/", "adas_sales".to_string()),
            ("/notes/", "adas_sales".to_string()),
            ("/runs/", text(&answer["run_id"])),
            ("/threads/", text(&answer["thread_id"])),
            ("/lessons/", text(&lesson["lessons"][0]["id"])),
            ("/tokens/", bearer.split('_').nth(1).expect("an id").to_string()),
        ]);
        Belongings { by_path }
    }

    /// An address with names of what is there.
    fn filled(&self, path: &str) -> String {
        let known = self.by_path.iter().find(|(beginning, _)| path.starts_with(**beginning));
        let (_, name) = known.unwrap_or_else(|| panic!("whose is what lies at {path}? say it in `Belongings`"));
        let path = path.replace("{id}", name).replace("{dataset}", name);
        path.replace("{number}", "1").replace("{name}", "result.csv")
    }
}

/// A body that would be right, were it one's own.
fn body(path: &str, operation: &Value) -> Option<Value> {
    operation["requestBody"]["required"].as_bool().filter(|required| *required)?;
    Some(match path {
        "/lessons/{id}" => json!({ "fix": "stolen" }),
        "/notes/{dataset}/{number}" => json!({ "text": "stolen" }),
        "/notes" => json!({ "dataset_id": "adas_sales", "text": "stolen" }),
        "/chat" | "/chat/stream" => json!({ "dataset_id": "adas_sales", "message": "how many rows" }),
        "/runs" => json!({ "task": "sql", "input": { "dataset_id": "adas_sales", "sql": "SELECT 1" } }),
        _ => return None,
    })
}

#[test]
fn no_door_leads_to_what_another_owner_made() {
    let place = Place::new();
    let token = |owner: &str| {
        let made = place.json(0, &["token", "create", owner, "--owner", owner, "--scope", "admin"]);
        made["token"].as_str().unwrap().to_string()
    };
    let (ada, bob) = (token("ada"), token("bob"));
    let site = Site::of(&place);
    let belongings = Belongings::of(&site, &ada);
    let described = site.get("/openapi.json").is(200).json();
    let (mut closed, mut silent) = (0, 0);
    for (path, ways) in described["paths"].as_object().unwrap() {
        for (method, operation) in ways.as_object().unwrap() {
            let upper = method.to_uppercase();
            let about = format!("{upper} {path}");
            let said = body(path, operation);
            if path.contains('{') || (said.is_some() && operation["security"].is_null()) {
                let address = if path.contains('{') { belongings.filled(path) } else { path.clone() };
                let reply = site.as_bearer(&bob, &upper, &address, said.as_ref());
                assert_eq!(reply.status, 404, "{about}: {}", reply.text());
                assert_eq!(reply.header("content-type"), Some("application/problem+json"), "{about}");
                closed += 1;
            } else if upper == "GET" {
                let query = if path == "/notes" { "?dataset_id=support" } else { "" };
                let reply = site.as_bearer(&bob, "GET", &format!("{path}{query}"), None);
                let text = reply.text();
                assert_eq!(reply.status, 200, "{about}: {text}");
                for name in belongings.by_path.values().map(String::as_str).chain(["adas", "/of/ada"]) {
                    assert!(!text.contains(name), "{about} tells of {name}: {text}");
                }
                silent += 1;
            }
        }
    }
    assert!(closed >= 20 && silent >= 8, "only {closed} doors with names and {silent} lists were tried");
    // The same with names that are right: what was tried above exists.
    for path in ["/datasets/{id}", "/runs/{id}", "/threads/{id}/messages", "/lessons/{id}"] {
        site.as_bearer(&ada, "GET", &belongings.filled(path), None).is(200);
    }
    let notes = site.as_bearer(&ada, "GET", "/notes?dataset_id=adas_sales", None).is(200).json();
    assert_eq!(notes["notes"][0]["text"], "adas price is gross");
}

#[test]
fn no_door_but_those_that_say_so_opens_without_a_token() {
    let place = Place::new();
    place.json(0, &["token", "create", "somebody"]);
    let site = Site::of(&place);
    let described = site.get("/openapi.json").is(200).json();
    let mut closed = 0;
    for (path, ways) in described["paths"].as_object().unwrap() {
        for (method, operation) in ways.as_object().unwrap() {
            let is_open = operation["security"] == json!([]);
            let address = path.replace("{id}", "x").replace("{dataset}", "x").replace("{number}", "1");
            let reply = site.send(&method.to_uppercase(), &address.replace("{name}", "x"), &[], b"");
            if path == "/session" && method == "delete" {
                continue;
            }
            assert_eq!(reply.status == 401, !is_open, "{method} {path}: {}", reply.text());
            closed += usize::from(!is_open);
        }
    }
    assert!(closed > 30, "{closed}");
    let mcp = [("Content-Type", "application/json"), ("Accept", "application/json, text/event-stream")];
    site.send("POST", "/mcp", &mcp, b"{}").problem(401, "token_invalid");
}
