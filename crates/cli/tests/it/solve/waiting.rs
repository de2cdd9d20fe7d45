//! What a person has to allow: code with an error is asked about, refused or run as they say, and a file is written only
//! after a yes. A run that waits outlives its process.

use serde_json::{Value, json};

use super::{RIGHT, TASK, WRONG, saying, solve};
use crate::models::Scripted;
use crate::support::Place;

/// Right, and with something in it that the guard calls an error.
const DANGEROUS: &str = "import os\ndef double(x):\n    return x * 2\ndef leave():\n    os.setsid()";

fn waiting(model: &Scripted, place: &Place, more: &[&str]) -> String {
    let problem = solve(model, place, TASK, &[&["--ask"], more].concat()).exits(1).document();
    assert_eq!(problem["code"], "approval_needed", "{problem:#}");
    let run = problem["run"].as_str().unwrap().to_string();
    assert!(problem["hint"].as_str().unwrap().contains("runs approve"), "{problem:#}");
    let shown = place.json(0, &["runs", "show", &run]);
    assert_eq!((&shown["state"], shown["questions"].as_array().unwrap().len()), (&json!("waiting"), 1), "{shown:#}");
    run
}

fn resumed(place: &Place, model: &Scripted, run: &str, code: i32) -> Value {
    let call = place.assay(["runs", "resume", run, "--json"]).env("OPENAI_BASE_URL", &model.address);
    call.run().exits(code).document()
}

#[test]
fn code_with_an_error_is_run_only_where_somebody_says_so() {
    let place = Place::new();
    let model = saying(&[DANGEROUS, RIGHT]);
    let solution = solve(&model, &place, TASK, &["--no-memory"]).exits(0).document();
    assert_eq!((&solution["code"], &solution["iteration"]), (&json!(RIGHT), &json!(2)), "{solution:#}");
    assert_eq!(solution["history"][0]["findings"][0]["severity"], "error");
    let model = saying(&[DANGEROUS]);
    let solution = solve(&model, &place, TASK, &["--yes", "--no-memory"]).exits(0).document();
    assert_eq!(solution["code"], DANGEROUS);
}

#[test]
fn a_yes_lets_it_run_and_a_no_makes_it_try_something_else() {
    let place = Place::new();
    let model = saying(&[DANGEROUS]);
    let run = waiting(&model, &place, &["--no-memory"]);
    assert_eq!(place.json(0, &["runs", "approve", &run])["allowed"], true);
    assert_eq!(place.json(2, &["runs", "deny", &run])["code"], "not_found", "what is decided is decided");
    let solution = resumed(&place, &model, &run, 0);
    assert_eq!((&solution["code"], model.heard().len()), (&json!(DANGEROUS), 1), "{solution:#}");
    place.assay(["runs", "replay", &run]).run().exits(0);
    let events = place.assay(["runs", "show", &run, "--jsonl"]).run().exits(0).stdout;
    let events: Vec<Value> = events.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |kind: &str| events.iter().find(|event| event["type"] == kind).map(|event| event["data"].clone()).unwrap();
    let (asked, given) = (of("approval.requested"), of("approval.given"));
    assert_eq!((&asked["action"], &asked["id"], &given["allowed"]), (&json!("run_code"), &given["id"], &json!(true)));
    assert!(asked["detail"].as_str().unwrap().contains("os.setsid"), "{asked}");

    let model = saying(&[DANGEROUS, RIGHT]);
    let run = waiting(&model, &place, &["--no-memory"]);
    assert_eq!(resumed(&place, &model, &run, 1)["code"], "approval_needed", "nobody has decided yet");
    place.assay(["runs", "deny", &run]).run().exits(0);
    let solution = resumed(&place, &model, &run, 0);
    assert_eq!((&solution["code"], model.heard().len()), (&json!(RIGHT), 2), "{solution:#}");
    assert!(solution["history"][0]["error"].as_str().unwrap().contains("did not allow"));
}

#[test]
fn a_file_is_written_only_after_a_yes() {
    let place = Place::new();
    place.file("out.py", "before");
    let model = saying(&[RIGHT]);
    let run = waiting(&model, &place, &["--file", "out.py", "--no-memory"]);
    place.assay(["runs", "deny", &run]).run().exits(0);
    let solution = resumed(&place, &model, &run, 0);
    assert_eq!((&solution["verdict"], &solution["written"]), (&json!("verified"), &json!(false)));
    assert_eq!(std::fs::read_to_string(place.path("out.py")).unwrap(), "before");
    let run = waiting(&saying(&[RIGHT]), &place, &["--file", "out.py", "--no-memory"]);
    place.assay(["runs", "approve", &run]).run().exits(0);
    assert_eq!(resumed(&place, &model, &run, 0)["written"], true);
    assert_eq!(std::fs::read_to_string(place.path("out.py")).unwrap(), format!("{RIGHT}\n"));
}

#[test]
fn a_worker_goes_on_with_a_queued_run_once_it_is_decided_and_a_waiting_one_can_be_cancelled() {
    let place = Place::new();
    let model = saying(&[DANGEROUS, WRONG]);
    let queued = solve(&model, &place, TASK, &["--ask", "--queue", "--no-memory"]).exits(0).document();
    let run = queued["runs"][0].as_str().unwrap().to_string();
    let work = || {
        let worker = place.assay(["worker", "--until-idle"]).env("OPENAI_BASE_URL", &model.address);
        worker.run().exits(0);
        place.json(0, &["runs", "show", &run])["state"].clone()
    };
    assert_eq!([work(), work()], ["waiting", "waiting"], "nobody works on it while it waits");
    assert_eq!(place.json(0, &["runs", "approve", &run])["state"], "pending");
    assert_eq!((work(), model.heard().len()), (json!("succeeded"), 1));
    let model = saying(&[DANGEROUS]);
    let run = waiting(&model, &place, &["--no-memory"]);
    place.assay(["runs", "cancel", &run]).run().exits(0);
    assert_eq!(place.json(0, &["runs", "show", &run])["state"], "cancelled");
}

#[test]
fn a_run_that_is_killed_around_its_question_pays_once_and_forgets_no_decision() {
    // Of the steps recall, model, decision, execute, remember.
    for position in 0..5 {
        for point in ["before_effect", "after_commit"] {
            let place = Place::new();
            let model = saying(&[DANGEROUS]);
            let fault = format!("{point}:{position}");
            let begin = || super::solving(&model, &place, TASK, &["--ask", "--key", "one"]);
            begin().env("ASSAY_FAULT", &fault).run();
            let problem = begin().run().exits(1).document();
            assert_eq!(problem["code"], "approval_needed", "{fault}: {problem:#}");
            let run = problem["run"].as_str().unwrap();
            place.assay(["runs", "approve", run]).run().exits(0);
            let resume = || place.assay(["runs", "resume", run, "--json"]).env("OPENAI_BASE_URL", &model.address);
            resume().env("ASSAY_FAULT", &fault).run();
            let shown = place.json(0, &["runs", "show", run]);
            let solution = match shown["state"].as_str() {
                Some("succeeded") => shown["output"].clone(),
                _ => resume().run().exits(0).document(),
            };
            assert_eq!((&solution["verdict"], model.heard().len()), (&json!("verified"), 1), "{fault}: {solution:#}");
        }
    }
}
