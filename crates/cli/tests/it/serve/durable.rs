//! Nothing that was accepted is lost: not by a caller that goes away, not by a server that is stopped or killed.

use serde_json::{Value, json};

use crate::support::Place;
use crate::support::http::Site;
use crate::support::slow_is_wanted;
use crate::support::started::until;

const SLOW: &str = "import time\nfor n in range(30):\n    print(n, flush=True)\n    time.sleep(0.1)\nn";

fn begin(site: &Site, code: &str) -> String {
    let body = json!({ "task": "python", "input": { "code": code } });
    site.post("/runs", &body).is(202).json()["run_id"].as_str().unwrap().to_string()
}

fn state(site: &Site, run: &str) -> String {
    site.get(&format!("/runs/{run}/status")).is(200).json()["state"].as_str().unwrap().to_string()
}

fn ends(site: &Site, run: &str) -> Value {
    until("the run ends", || {
        let run = site.get(&format!("/runs/{run}")).is(200).json();
        (!["pending", "running"].contains(&run["state"].as_str().unwrap())).then_some(run)
    })
}

#[test]
fn a_caller_that_goes_away_stops_nothing_and_one_that_comes_back_hears_the_rest() {
    let place = Place::new();
    let site = Site::of(&place);
    let body = json!({ "dataset_id": "support", "message": format!("PYTHON:\n{}", SLOW.replace("30", "10")) });
    let mut stream = site.stream("POST", "/chat/stream", &[], Some(&body));
    let first = stream.next().expect("it begins");
    let run = first.data["run"].as_str().unwrap().to_string();
    drop(stream);
    let heard = first.id.unwrap().to_string();
    let path = format!("/runs/{run}/events");
    let rest: Vec<_> = site.stream("GET", &path, &[("Last-Event-ID", &heard)], None).collect();
    assert_eq!(rest.iter().find_map(|frame| frame.id), Some(first.id.unwrap() + 1));
    assert_eq!(rest.last().unwrap().data["data"]["state"], "succeeded", "{:?}", rest.last());
    assert_eq!(ends(&site, &run)["attempts"], 1);
}

#[test]
fn more_than_are_worked_on_at_once_wait_and_are_told_their_place() {
    let place = Place::new();
    let site = Site::of(&place);
    let most = std::thread::available_parallelism().map_or(2, usize::from);
    let runs: Vec<String> = (0..most + 2).map(|_| begin(&site, SLOW)).collect();
    let waiting = site.get(&format!("/runs/{}/status", runs[most + 1])).is(200).json();
    assert_eq!((&waiting["state"], &waiting["position"]), (&json!("pending"), &json!(2)), "{waiting}");
    let next = site.get(&format!("/runs/{}/status", runs[most])).is(200).json();
    assert_eq!((&next["state"], &next["position"]), (&json!("pending"), &json!(1)), "{next}");
    let cancelled = site.send("POST", &format!("/runs/{}/cancel", runs[0]), &[], b"").is(200).json();
    assert_eq!(cancelled["state"], "cancelled");
    for run in &runs[1..] {
        assert_eq!(ends(&site, run)["state"], "succeeded");
    }
}

#[test]
fn a_server_that_is_killed_finds_its_runs_again() {
    let place = Place::new();
    let mut site = Site::of(&place);
    let most = std::thread::available_parallelism().map_or(2, usize::from);
    let runs: Vec<String> = (0..most + 1).map(|_| begin(&site, SLOW)).collect();
    until("it is at work", || (state(&site, &runs[0]) == "running").then_some(()));
    site.started.kill();
    let site = Site::of(&place);
    for run in &runs {
        let ended = ends(&site, run);
        assert_eq!(ended["state"], "succeeded", "{ended}");
    }
    assert!(ends(&site, &runs[0])["attempts"].as_i64() > Some(1));
}

#[test]
fn a_server_that_is_stopped_hands_its_runs_back() {
    let place = Place::new();
    let mut site = Site::of(&place);
    let run = begin(&site, SLOW);
    // A reader who never reads does not keep it.
    let reader = site.stream("GET", &format!("/runs/{run}/events"), &[], None);
    until("it is at work", || (state(&site, &run) == "running").then_some(()));
    site.started.signal("TERM");
    let ended = site.started.ends();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    drop(reader);
    assert_eq!(place.json(0, &["runs", "show", &run])["state"], "pending");
    let site = Site::of(&place);
    assert_eq!(ends(&site, &run)["state"], "succeeded");
}

#[test]
fn a_queue_that_is_full_says_when_to_come_again() {
    const QUEUE_MAX: usize = 512;
    if !slow_is_wanted("a_queue_that_is_full_says_when_to_come_again") {
        return;
    }
    let place = Place::new();
    let site = Site::of(&place);
    let most = std::thread::available_parallelism().map_or(2, usize::from);
    let body = json!({ "task": "python", "input": { "code": "import time\ntime.sleep(9)" } });
    let begun = (0..QUEUE_MAX + 64).find_map(|number| {
        let reply = site.post("/runs", &body);
        (reply.status != 202).then_some((number, reply))
    });
    let (accepted, refused) = begun.expect("a queue has an end");
    assert!((QUEUE_MAX..=QUEUE_MAX + 4 * most).contains(&accepted), "{accepted} were accepted");
    assert_eq!(refused.header("retry-after"), Some("1"));
    refused.problem(429, "too_many_requests");
    let counted = site.get("/metrics").is(200).text();
    assert!(counted.lines().any(|line| line.starts_with("assay_queue_waiting 5")), "{counted}");
    let waiting = site.get("/runs?state=pending&limit=1000").is(200).json();
    let last = waiting["runs"][0]["id"].as_str().unwrap();
    let status = site.get(&format!("/runs/{last}/status")).is(200).json();
    assert!(status["position"].as_i64() > Some(QUEUE_MAX as i64 - 16), "{status}");
    site.send("POST", &format!("/runs/{last}/cancel"), &[], b"").is(200);
}
