//! The same programs through the server, begun as runs and by the tool of an assistant: what holds for the command holds
//! there, and what a limit ended is called by its code.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::checks::{self, Host};
use super::setting::{Attacked, Setting, Speed};
use super::{CLASSES, bombs};
use crate::support::User;
use crate::support::assistant::tool;
use crate::support::http::{Frame, Site};
use crate::support::slow_is_wanted;

/// Longer than any limit that a program has by default.
const ELAPSED_MAX: Duration = Duration::from_secs(90);
const FILLS_THE_DISK: &str =
    "with open('/work/out/big', 'wb') as file:\n    while True:\n        file.write(bytes(1 << 20))";

/// A way by which a program comes in; gives the name of its run.
type Way = fn(&Site, &str) -> String;

const WAYS: [(&str, Way); 2] = [
    ("/runs", |site, code| {
        let begun = site.post("/runs", &json!({ "task": "python", "input": { "code": code } })).is(202).json();
        let _: Vec<Frame> = site.stream("GET", begun["events_url"].as_str().unwrap(), &[], None).collect();
        begun["run_id"].as_str().unwrap().to_string()
    }),
    ("run_python", |site, code| tool(site, "run_python", json!({ "code": code }))["run_id"].as_str().unwrap().into()),
];

/// What a program came to, whole: what an assistant is told is cut.
fn came_to(site: &Site, run: &str) -> Value {
    site.get(&format!("/runs/{run}")).is(200).json()["output"].clone()
}

#[test]
fn every_class_holds_through_the_server_and_the_guard_refuses_each() {
    if !slow_is_wanted("every_class_holds_through_the_server_and_the_guard_refuses_each") {
        return;
    }
    let ground = Setting { speed: Speed::Cold, user: User::Own }.ground();
    let host = Host::of(ground.place());
    let site = Site::of(ground.place());
    for (class, _) in &CLASSES {
        let program = host.program(&[*class], json!({}), "report()");
        for (way, run) in WAYS {
            let begun = Instant::now();
            let document = came_to(&site, &run(&site, &program));
            println!("{} by {way} took {:?}", class.name, begun.elapsed());
            checks::judge(&ground, &Attacked { document, elapsed: begun.elapsed() }, class);
        }
        let guarded = site.chat("support", &format!("PYTHON: {program}"));
        let verdict = (&guarded["outcome"], &guarded["error"]["code"]);
        assert_eq!(verdict, (&json!("refused"), &json!("PYTHON_POLICY")), "{}: {guarded}", class.name);
        assert!(!guarded["findings"].as_array().unwrap().is_empty());
    }
}

#[test]
fn what_a_limit_ends_is_called_by_its_code() {
    if !slow_is_wanted("what_a_limit_ends_is_called_by_its_code") {
        return;
    }
    let ground = Setting { speed: Speed::Cold, user: User::Own }.ground();
    let site = Site::of(ground.place());
    let bomb = |name: &str| format!("{}\n{name}()\n", bombs::TEXT);
    let by_processes = ["RUNNER_PROCESSES", "RUNNER_TIMEOUT"];
    for (program, codes) in [
        (bomb("spinning_with_all_signals_ignored"), &["RUNNER_TIMEOUT"][..]),
        (bomb("memory_by_objects"), &["RUNNER_MEMORY"]),
        (bomb("output_without_end"), &["RUNNER_OUTPUT"]),
        (bomb("fork_without_end"), &by_processes),
        (FILLS_THE_DISK.to_string(), &["RUNNER_DISK"]),
    ] {
        for (way, run) in WAYS {
            let begun = Instant::now();
            let run = run(&site, &program);
            let output = came_to(&site, &run);
            let code = output["error"]["code"].as_str().unwrap_or_default();
            assert!(codes.contains(&code), "{way}: {codes:?}, not {code}: {output}");
            assert_eq!(tool(&site, "get_run", json!({ "run_id": run }))["output"]["error"]["code"], code);
            assert!(begun.elapsed() < ELAPSED_MAX, "{:?}", begun.elapsed());
        }
    }
}
