//! Many callers at once: none is lost, none gets another's answer, and those who only listen or never read cost little.

use std::io::Write;
use std::thread;

use serde_json::{Value, json};

use crate::support::Place;
use crate::support::http::{Frame, Site};
use crate::support::slow_is_wanted;
use crate::support::started::until;

/// Questions of which each has an answer of its own.
fn question(number: usize) -> String {
    format!("how many tickets have a csat score of {} and priority {}", number % 5 + 1, ["Low", "High"][number / 5 % 2])
}

#[test]
fn two_hundred_streams_at_once_each_get_their_own_answer() {
    if !slow_is_wanted("two_hundred_streams_at_once_each_get_their_own_answer") {
        return;
    }
    let place = Place::new();
    let site = Site::of(&place);
    let expected: Vec<Value> = (0..10).map(|number| site.chat("support", &question(number))["table"].clone()).collect();
    thread::scope(|scope| {
        let asking: Vec<_> = (0..200)
            .map(|number| {
                let site = &site;
                scope.spawn(move || {
                    let body = json!({ "dataset_id": "support", "message": question(number), "no_cache": true });
                    let frames: Vec<Frame> = site.stream("POST", "/chat/stream", &[], Some(&body)).collect();
                    let last = frames.last().expect("it ends").data["data"]["output"].clone();
                    (number, last)
                })
            })
            .collect();
        for one in asking {
            let (number, answer) = one.join().unwrap();
            assert_eq!(answer["question"], question(number));
            assert_eq!(answer["table"], expected[number % 10], "{answer}");
        }
    });
    let text = site.get("/metrics").is(200).text();
    assert!(text.contains("assay_runs{task=\"ask/1\",state=\"succeeded\"} 210"), "{text}");
}

#[test]
fn callers_who_say_nothing_or_never_read_keep_nobody_from_being_served() {
    let place = Place::new();
    let site = Site::of(&place);
    let program = "import time\nfor n in range(40):\n    print('x' * 10_000, flush=True)\n    time.sleep(0.05)";
    let body = json!({ "task": "python", "input": { "code": program } });
    let begun = site.post("/runs", &body).is(202).json();
    let events = begun["events_url"].as_str().unwrap();
    let silent: Vec<_> = (0..100).map(|_| site.connect()).collect();
    let slow: Vec<_> = (0..20)
        .map(|_| {
            let mut stream = site.connect();
            stream.write_all(b"POST /chat HTTP/1.1\r\nHost: local").unwrap();
            stream
        })
        .collect();
    let deaf: Vec<_> = (0..100).map(|_| site.stream("GET", events, &[], None)).collect();
    let frames: Vec<Frame> = site.stream("GET", events, &[], None).collect();
    assert_eq!(frames.last().unwrap().data["data"]["state"], "succeeded");
    let answer = site.chat("support", "how many tickets are there");
    assert_eq!(answer["status"], "answered");
    drop((silent, slow, deaf));
}

#[test]
fn a_thousand_who_only_listen_cost_little_and_hear_the_end() {
    const READERS: usize = 1_000;
    const BYTES_EACH_MAX: u64 = 64 << 10;
    if !slow_is_wanted("a_thousand_who_only_listen_cost_little_and_hear_the_end") {
        return;
    }
    let _ = sandbox::allow_more_files();
    let place = Place::new();
    let site = Site::of(&place);
    let code = "import time\ntime.sleep(8)\nprint('over')";
    let begun = site.post("/runs", &json!({ "task": "python", "input": { "code": code } })).is(202).json();
    let events = begun["events_url"].as_str().unwrap();
    let before = resident_bytes(site.started.pid());
    let mut readers: Vec<_> = (0..READERS).map(|_| site.stream("GET", events, &[], None)).collect();
    assert!(readers.iter_mut().all(|reader| reader.next().is_some()), "each hears the beginning");
    let after = resident_bytes(site.started.pid());
    let each = after.saturating_sub(before) / READERS as u64;
    assert!(each < BYTES_EACH_MAX, "{each} bytes for each reader");
    assert_eq!(site.chat("support", "how many tickets are there")["status"], "answered");
    for reader in readers {
        assert_eq!(reader.last().expect("it goes on").event, "run.finished");
    }
}

fn resident_bytes(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches("kB").trim().parse::<u64>().unwrap() << 10
}

/// Stops the broker of a place, whatever becomes of the test.
struct Warm<'a>(&'a Place);

impl Drop for Warm<'_> {
    fn drop(&mut self) {
        let _ = self.0.assay(["sandbox", "stop", "--json"]).env("ASSAY_BROKER", "on").start().wait();
    }
}

#[test]
fn questions_that_share_cells_have_the_answers_they_have_alone() {
    let place = Place::new();
    let asked = |site: &Site, question: &str| {
        let body = json!({ "dataset_id": "support", "message": question, "no_cache": true });
        let answer = site.post("/chat", &body).is(200).json();
        assert_eq!((&answer["status"], &answer["cached"]), (&json!("answered"), &json!(false)), "{answer}");
        json!([answer["table"], answer["known"], answer["sentence"]])
    };
    let questions: Vec<String> = (0..10).map(question).collect();
    let cold = Site::of(&place);
    let alone: Vec<Value> = questions.iter().map(|question| asked(&cold, question)).collect();
    drop(cold);
    let _stopped = Warm(&place);
    let serve = place.assay(["serve", "--listen", "127.0.0.1:0"]).env("ASSAY_BROKER", "on");
    let site = Site::starting(serve);
    let served = || {
        let status = place.assay(["sandbox", "status", "--json"]).env("ASSAY_BROKER", "on").run();
        let status: Value = serde_json::from_str(&status.stdout).unwrap();
        Some(status["hits"].as_u64()? + status["misses"].as_u64()?)
    };
    until("cells are ready", || served().map(drop));
    thread::scope(|scope| {
        for number in 0..4 {
            let (site, asked, questions, alone) = (&site, &asked, &questions, &alone);
            scope.spawn(move || {
                for turn in 0..20 {
                    let at = (turn + number) % questions.len();
                    assert_eq!(asked(site, &questions[at]), alone[at]);
                }
            });
        }
    });
    let served = served().expect("the broker is there");
    assert!(served < 80, "80 questions had {served} cells: none was shared");
}
