//! Runs that die and come back: nothing half-written, nothing computed twice, the same answer.

use std::fs;
use std::io::Read;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::leftovers::{Before, cells_of, processes_in, processes_of, soon, supervisors_of};
use crate::support::stage::Stage;
use crate::support::started::{Started, until};
use crate::support::trace::{Event, traced};
use crate::support::{Place, User, for_each_user};

const QUESTION: &str = "How many orders are there by status?";
const SIGABRT: i32 = 6;

fn newest(place: &Place) -> Value {
    place.json(0, &["runs", "list"])["runs"][0].clone()
}

#[test]
fn a_run_that_dies_anywhere_is_resumed_to_the_same_answer() {
    let place = Place::new();
    let whole = place.answer(&["ecommerce"], QUESTION);
    let faults = [
        ("before_effect:0", 0),
        ("after_effect:0", 0),
        ("after_commit:0", 1),
        ("before_effect:1", 1),
        ("after_effect:1", 1),
        ("after_commit:1", 2),
    ];
    for (fault, recorded) in faults {
        let ran = place.assay(["ask", "ecommerce", QUESTION, "--json", "--no-cache"]).env("ASSAY_FAULT", fault).run();
        assert_eq!((ran.signal, ran.stdout.as_str()), (Some(SIGABRT), ""), "{fault}");
        let listed = newest(&place);
        assert_eq!((&listed["state"], &listed["finished_at"]), (&json!("interrupted"), &Value::Null), "{fault}");
        let id = listed["id"].as_str().unwrap();
        let shown = place.json(0, &["runs", "show", id]);
        assert_eq!((&shown["state"], &shown["output"]), (&json!("interrupted"), &Value::Null), "{fault}");
        assert_eq!(shown["steps"].as_array().unwrap().len(), recorded, "{fault}");

        let resumed = place.json(0, &["runs", "resume", id]);
        assert_eq!((&resumed["plan_hash"], &resumed["table"]), (&whole["plan_hash"], &whole["table"]), "{fault}");
        assert_eq!((&resumed["run"], &resumed["known"]), (&json!(id), &whole["known"]), "{fault}");

        let after = place.json(0, &["runs", "show", id]);
        assert_eq!((&after["state"], &after["attempts"]), (&json!("succeeded"), &json!(2)), "{fault}");
        assert_eq!(after["output"], resumed, "{fault}");
        let kept = |run: &Value| run["steps"].as_array().unwrap()[..recorded].to_vec();
        assert_eq!(kept(&after), kept(&shown), "{fault}: what was recorded stays as it was");
        assert_eq!(place.json(0, &["runs", "resume", id]), resumed, "{fault}: a finished run gives what it gave");
    }
}

#[test]
fn a_run_shows_every_field_with_its_outcome() {
    let place = Place::new();
    let failing = place.file("failing.py", "raise ValueError('no')\n");
    let cases: [(&[&str], i32, &str, &str); 5] = [
        (&["ask", "ecommerce", QUESTION], 0, "succeeded", "ask/1"),
        (&["ask", "ecommerce", "What is the profit by category?"], 1, "rejected", "ask/1"),
        (&["sql", "ecommerce", "DROP TABLE orders"], 1, "rejected", "sql/1"),
        (&["sql", "ecommerce", "SELECT 1"], 0, "succeeded", "sql/1"),
        (&["sandbox", "run", failing.to_str().unwrap()], 1, "failed", "program/1"),
    ];
    for (arguments, code, state, task) in cases {
        let document = place.json(code, arguments);
        let shown = place.json(0, &["runs", "show", document["run"].as_str().unwrap()]);
        assert_eq!((&shown["state"], &shown["task"]), (&json!(state), &json!(task)), "{arguments:?}");
        assert_eq!(shown["output"], document, "{arguments:?}");
        assert_eq!((&shown["attempts"], &shown["mode"]), (&json!(1), &json!("attached")));
        assert!(shown["steps"].as_array().is_some_and(|steps| state == "rejected" || !steps.is_empty()));
    }
    assert_eq!(place.json(0, &["runs", "list"])["runs"].as_array().unwrap().len(), cases.len());
    let page = place.json(0, &["runs", "list", "--limit", "2"]);
    let next = page["next"].as_str().expect("there are more");
    let rest = place.json(0, &["runs", "list", "--before", next]);
    assert_eq!(rest["runs"].as_array().unwrap().len(), cases.len() - 2);
}

#[test]
fn a_file_that_changed_since_the_run_began_is_not_answered_from() {
    let place = Place::new();
    let file = place.file("sales.csv", "region,price\nNorth,1\nSouth,2\n");
    let arguments = ["ask", file.to_str().unwrap(), "how many rows", "--json"];
    place.assay(arguments).env("ASSAY_FAULT", "after_commit:0").run();
    let id = newest(&place)["id"].as_str().unwrap().to_string();
    place.file("sales.csv", "region,price\nNorth,1\nSouth,2\nWest,3\n");
    let problem = place.json(2, &["runs", "resume", &id]);
    assert_eq!((&problem["code"], &problem["run"]), (&json!("input_changed"), &json!(id)), "{problem}");
    place.file("sales.csv", "region,price\nNorth,1\nSouth,2\n");
    let resumed = place.json(0, &["runs", "resume", &id]);
    assert_eq!(resumed["table"]["rows"], json!([[2]]), "with the old contents it can still be finished");
}

#[test]
fn a_relative_path_means_the_same_when_resumed_elsewhere() {
    let place = Place::new();
    place.file("sales.csv", "region,price\nNorth,1\nSouth,2\n");
    place.assay(["ask", "sales.csv", "how many rows", "--json"]).env("ASSAY_FAULT", "after_effect:0").run();
    let id = newest(&place)["id"].as_str().unwrap().to_string();
    let elsewhere = Place::new();
    let data = place.data();
    let resumed = elsewhere.json(0, &["runs", "resume", &id, "--data-dir", data.to_str().unwrap()]);
    assert_eq!(resumed["table"]["rows"], json!([[2]]));
}

#[test]
fn killed_at_any_moment_there_is_a_whole_answer_or_none() {
    let place = Place::new();
    let mut whole = None;
    // From the first moments, in which the dataset is read, to after the end.
    for delay_ms in [5, 40, 90, 150, 220, 300, 400, 60, 110, 160, 200, 260] {
        let mut child = place.assay(["ask", "ecommerce", QUESTION, "--json"]).start();
        thread::sleep(Duration::from_millis(delay_ms));
        let _ = child.kill();
        let mut printed = String::new();
        child.stdout.take().unwrap().read_to_string(&mut printed).unwrap();
        child.wait().unwrap();
        if !printed.is_empty() {
            let document: Value = serde_json::from_str(&printed).expect("what was printed is whole");
            assert_eq!(document["status"], "answered");
        }
    }
    for run in place.json(0, &["runs", "list"])["runs"].as_array().unwrap() {
        let id = run["id"].as_str().unwrap();
        let before = place.json(0, &["runs", "show", id]);
        assert!(["succeeded", "interrupted"].iter().any(|state| before["state"] == *state), "{before}");
        assert_eq!(before["output"].is_object(), before["state"] == "succeeded", "{before}");
        let answer = place.json(0, &["runs", "resume", id]);
        let essence = (answer["plan_hash"].clone(), answer["table"].clone());
        assert_eq!(whole.get_or_insert(essence.clone()), &essence);
    }
    assert!(whole.is_some(), "no run was even begun");
    soon("all cells are gone", || processes_of(&place).is_empty());
    assert_eq!(place.data_ending_with(".part"), Vec::<std::path::PathBuf>::new());
}

for_each_user! {
    fn a_killed_command_takes_its_cell_with_it(user) {
        let place = Place::of(user);
        let program = place.file("program.py", "import os, time\nos.fork()\nos.setsid() if os.getpid() > 3 else 0\ntime.sleep(30)\n");
        let before = Before::look();
        let mut child = place.assay(["sandbox", "run", program.to_str().unwrap()]).start();
        soon("two processes beside init", || {
            cells_of(&supervisors_of(&place)).first().is_some_and(|cell| processes_in(cell).len() >= 3)
        });
        let cell = cells_of(&supervisors_of(&place)).remove(0);
        let inside = processes_in(&cell);
        child.kill().unwrap();
        child.wait().unwrap();
        soon("the cell is gone", || still_in(&cell, &inside).is_empty());
        soon("its supervisor is gone", || processes_of(&place).is_empty());
        // What a killed command left on disk goes when its run is resumed.
        let id = newest(&place)["id"].as_str().unwrap().to_string();
        let call = place.assay(["runs", "resume", &id, "--json"]).time_max(Duration::from_secs(40));
        if crate::support::slow_is_wanted("resuming a program of ten seconds") {
            assert_eq!(call.run().document()["killed_by"], "time");
            before.nothing_is_left(&place, "");
        }
    }
}

for_each_user! {
    fn a_lost_supervisor_is_noticed_and_takes_its_cell_with_it(user) {
        let place = Place::of(user);
        // The first cell of a place may be one that only looks whether the environment works.
        place.assay(["sandbox", "run", "-"]).stdin("pass").run().exits(0);
        soon("the first cell is cleared away", || supervisors_of(&place).is_empty());
        let program = place.file("program.py", "import time\ntime.sleep(8)\n");
        let mut child = place.assay(["sandbox", "run", program.to_str().unwrap(), "--json"]).start();
        soon("python beside init", || {
            cells_of(&supervisors_of(&place)).first().is_some_and(|cell| processes_in(cell).len() >= 2)
        });
        // The cell's own first process carries the same argument; the supervisor is its parent, the first of them.
        let supervisors = supervisors_of(&place);
        let cell = cells_of(&supervisors).remove(0);
        let inside = processes_in(&cell);
        let supervisor = *supervisors.iter().find(|pid| !inside.contains(pid)).unwrap();
        kill(supervisor);
        let started = Instant::now();
        while started.elapsed() < Duration::from_secs(4) && !(still_in(&cell, &inside).is_empty() && child.try_wait().unwrap().is_some()) {
            thread::sleep(Duration::from_millis(10));
        }
        let (left, ended) = (still_in(&cell, &inside), child.try_wait().unwrap());
        left.iter().for_each(|pid| kill(*pid));
        let _ = child.kill();
        let output = child.wait_with_output().unwrap();
        assert_eq!(left, Vec::<u32>::new(), "the cell outlives its supervisor");
        assert_eq!(ended.and_then(|status| status.code()), Some(2), "lost is exit 2");
        let document: Value = serde_json::from_slice(&output.stdout).expect("one document");
        assert_eq!(document["outcome"], "lost", "{document}");
    }
}

#[test]
fn a_query_whose_cell_is_lost_is_tried_again() {
    let place = Place::new();
    let statement = "SELECT count(*) FROM range(150000000) AS t(i) WHERE i % 7 = 3";
    let undisturbed = place.json(0, &["sql", "ecommerce", statement]);
    soon("the first cell is cleared away", || supervisors_of(&place).is_empty());
    let child = place.assay(["sql", "ecommerce", statement, "--json"]).start();
    soon("python beside init", || {
        cells_of(&supervisors_of(&place)).first().is_some_and(|cell| processes_in(cell).len() >= 2)
    });
    let supervisors = supervisors_of(&place);
    let inside = processes_in(&cells_of(&supervisors).remove(0));
    kill(*supervisors.iter().find(|pid| !inside.contains(pid)).unwrap());
    let output = child.wait_with_output().unwrap();
    let document: Value = serde_json::from_slice(&output.stdout).expect("one document");
    assert_eq!((&document["outcome"], &document["table"]), (&json!("ok"), &undisturbed["table"]), "{document}");
    let shown = place.json(0, &["runs", "show", document["run"].as_str().unwrap()]);
    assert_eq!((&shown["steps"][0]["attempts"], &shown["attempts"]), (&json!(2), &json!(1)));
}

/// Those of the processes that are still there; others in a namespace of that number are a later cell's.
fn still_in(cell: &str, processes: &[u32]) -> Vec<u32> {
    processes_in(cell).into_iter().filter(|pid| processes.contains(pid)).collect()
}

fn kill(pid: u32) {
    let _ = std::process::Command::new("kill").args(["-KILL", &pid.to_string()]).status();
}

#[test]
fn interrupting_by_keyboard_ends_with_130_and_can_be_resumed() {
    let place = Place::of(User::Own);
    let program = place.file("program.py", "import time\ntime.sleep(1.5)\nprint('done')\n");
    let child = place.assay(["sandbox", "run", program.to_str().unwrap(), "--json"]).start();
    soon("a cell", || !supervisors_of(&place).is_empty());
    thread::sleep(Duration::from_millis(100));
    let sent = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let problem: Value = serde_json::from_slice(&output.stdout).expect("one document");
    assert_eq!((&problem["kind"], &problem["code"]), (&json!("problem"), &json!("cancelled")));
    soon("all cells are gone", || processes_of(&place).is_empty());
    let listed = newest(&place);
    assert!(["interrupted", "cancelled"].iter().any(|state| listed["state"] == *state), "{listed}");
    let resumed = place.json(0, &["runs", "resume", listed["id"].as_str().unwrap()]);
    assert_eq!(resumed["stdout"], "done\n");
    assert!(fs::read_dir(place.data().join("jobs")).is_ok_and(|mut jobs| jobs.next().is_none()));
}

#[test]
fn a_run_that_is_being_worked_on_is_not_taken_away() {
    let place = Place::new();
    let program = place.file("program.py", "import time\ntime.sleep(2)\n");
    let child = place.assay(["sandbox", "run", program.to_str().unwrap(), "--json"]).start();
    soon("a cell", || !supervisors_of(&place).is_empty());
    let running = newest(&place);
    assert_eq!(running["state"], "running");
    let problem = place.json(2, &["runs", "resume", running["id"].as_str().unwrap()]);
    assert_eq!(problem["code"], "run_busy", "{problem}");
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(0));
}

fn jobs(place: &Place) -> Vec<String> {
    let entries = fs::read_dir(place.data().join("jobs")).into_iter().flatten().flatten();
    entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

#[test]
fn a_frozen_owner_of_a_program_does_not_hold_up_its_heir() {
    let stage = Stage::with_lease(1_000);
    let program = stage.place.file("program.py", "import time\ntime.sleep(1)\nprint('done')\n");
    let keyed = || stage.assay(&["sandbox", "run", program.to_str().unwrap(), "--key", "k", "--json"]);
    let mut frozen = Started::of(keyed());
    until("a job", || (jobs(&stage.place).len() == 1).then_some(()));
    soon("a cell", || !supervisors_of(&stage.place).is_empty());
    frozen.signal("STOP");
    let heir = keyed().time_max(Duration::from_secs(20)).run().exits(0).document();
    assert_eq!((&heir["outcome"], &heir["stdout"]), (&json!("ok"), &json!("done\n")), "{heir}");
    let run = heir["run"].as_str().unwrap();
    assert_eq!(jobs(&stage.place), [format!("{run}-1")], "that of the frozen one is still its own");
    frozen.kill();
    stage.assay(&["sandbox", "run", "-"]).stdin("pass").run().exits(0);
    assert_eq!(jobs(&stage.place), Vec::<String>::new(), "what a killed process left is swept");
}

#[test]
fn a_live_program_can_be_replayed_and_a_replay_makes_nothing() {
    let place = Place::new();
    let program = place.file("program.py", "import time\ntime.sleep(4)\n");
    let mut live = Started::of(place.assay(["sandbox", "run", program.to_str().unwrap(), "--json"]));
    until("a job", || (jobs(&place).len() == 1).then_some(()));
    let run = newest(&place)["id"].as_str().unwrap().to_string();
    let replay = place.assay(["runs", "replay", &run, "--json"]).time_max(Duration::from_secs(3)).run().exits(0);
    assert_eq!((&replay.document()["steps"], &replay.document()["same"]), (&json!(0), &json!(true)));
    assert_eq!(newest(&place)["state"], "running", "the replay did not wait for it");
    live.ends().exits(0);
    fs::remove_dir(place.data().join("jobs")).unwrap();
    assert_eq!(place.json(0, &["runs", "replay", &run])["same"], true);
    assert!(!place.data().join("jobs").exists());
}

#[test]
fn a_prepared_dataset_is_on_the_disk_before_it_has_its_name() {
    let place = Place::new();
    let (ran, events) = traced(&place, place.assay(["data", "show", "ecommerce", "--json"]));
    ran.exits(0);
    let synced = |name: &str| events.iter().position(|event| event.syncs(name)).expect(name);
    let folder_synced = |ending: &str| {
        let is_it = |event: &Event| matches!(event, Event::SyncedFolder { path, .. } if path.to_string_lossy().ends_with(ending));
        events.iter().position(is_it).expect(ending)
    };
    let (part, datasets) = (folder_synced(".part"), folder_synced("/datasets"));
    assert!(synced("data.duckdb") < part && synced("dataset.json") < part && part < datasets);
    let Event::SyncedFolder { names, .. } = &events[datasets] else { unreachable!("found as one") };
    assert!(names.iter().any(|(name, _)| !name.ends_with(".part")), "{names:?}");
}
