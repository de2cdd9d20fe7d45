//! Where commands about runs meet what they were not made for: files that are in the way, no store, a full disk, Ctrl-C.

use std::fs::{self, File};
use std::os::unix::fs::{FileTypeExt, symlink};
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::Place;
use crate::support::stage::{Stage, lines};
use crate::support::started::{Started, until};

fn exported(place: &Place) -> (String, String) {
    let run = place.json(0, &["demo", "flow", "--steps", "2", "--step-ms", "0"])["run"].as_str().unwrap().to_string();
    let file = place.path("run.zip").to_str().unwrap().to_string();
    place.json(0, &["runs", "export", &run, "--to", &file]);
    (run, file)
}

#[test]
fn an_export_takes_nothing_away_from_anybody() {
    let place = Place::new();
    let (run, file) = exported(&place);
    let first = fs::read(&file).unwrap();
    let problem = place.json(2, &["runs", "export", &run, "--to", &file]);
    assert!(problem["hint"].as_str().unwrap().contains("--force"), "{problem}");
    assert_eq!(fs::read(&file).unwrap(), first);
    place.json(0, &["runs", "export", &run, "--to", &file, "--force"]);

    let pipe = place.path("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for forced in [&["--force"][..], &[]] {
        let words = ["runs", "export", &run, "--to", pipe.to_str().unwrap()];
        place.json(2, &[&words, forced].concat());
    }
    assert!(fs::symlink_metadata(&pipe).unwrap().file_type().is_fifo());
    place.json(2, &["runs", "verify", pipe.to_str().unwrap()]);

    let link = place.path("link.zip");
    symlink(&file, &link).unwrap();
    place.json(0, &["runs", "export", &run, "--to", link.to_str().unwrap(), "--force"]);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink(), "what it points to is replaced");
    place.json(0, &["runs", "verify", &file]);
}

#[test]
fn looking_for_runs_makes_nothing() {
    let place = Place::new();
    let nowhere = place.path("no/where");
    let data_dir = nowhere.to_str().unwrap();
    assert_eq!(place.json(0, &["runs", "list", "--data-dir", data_dir])["runs"], json!([]));
    let problem = place.json(2, &["runs", "show", "0123abcd", "--data-dir", data_dir]);
    assert_eq!(problem["code"], "run_unknown", "{problem}");
    assert!(!nowhere.exists());
}

#[test]
fn a_store_that_is_gone_is_not_taken_for_a_new_one() {
    let place = Place::new();
    exported(&place);
    fs::write(place.data().join("store.db"), "").unwrap();
    for side in ["store.db-wal", "store.db-shm"] {
        let _ = fs::remove_file(place.data().join(side));
    }
    for words in [&["runs", "list"][..], &["demo", "flow", "--steps", "1", "--step-ms", "0"]] {
        let problem = place.json(2, words);
        assert_eq!(problem["code"], "journal_damaged", "{problem}");
        assert!(problem["hint"].as_str().unwrap().contains("store.lock"), "{problem}");
    }
    fs::remove_file(place.data().join("store.db")).unwrap();
    fs::remove_file(place.data().join("store.lock")).unwrap();
    exported_again(&place);
}

fn exported_again(place: &Place) {
    fs::remove_file(place.path("run.zip")).unwrap();
    exported(place);
}

#[test]
fn who_interrupts_a_run_is_told_its_name() {
    let stage = Stage::new();
    let mut command = Started::of(stage.demo(5, 2_000));
    let effect = stage.inside(&command, 0);
    command.signal("INT");
    let problem = command.ends().exits(130).document();
    assert_eq!((&problem["code"], &problem["run"]), (&json!("cancelled"), &json!(effect.run)), "{problem}");
    assert!(problem["hint"].as_str().unwrap().contains(&effect.run), "{problem}");
}

#[test]
fn a_problem_among_events_is_a_line_of_its_own() {
    let stage = Stage::new();
    let unknown = stage.assay(&["runs", "show", "0123abcd", "--jsonl"]).run().exits(2);
    let printed = lines(&unknown.stdout);
    assert_eq!((printed.len(), &printed[0]["code"]), (1, &json!("run_unknown")));
    let mut command = Started::of(stage.assay(&["demo", "flow", "--steps", "3", "--step-ms", "2000", "--jsonl"]));
    let run = until("a run", || stage.listed().first().map(|run| run["id"].as_str().unwrap().to_string()));
    stage.json(0, &["runs", "cancel", &run]);
    let printed = lines(&command.ends().exits(130).stdout);
    let last = printed.last().unwrap();
    assert_eq!((&last["type"], &last["data"]["problem"]["code"]), (&json!("run.finished"), &json!("cancelled")));
}

#[test]
fn a_worker_says_in_one_document_what_it_did() {
    let stage = Stage::new();
    stage.queue(2, 1, 0);
    let document = stage.json(0, &["worker", "--until-idle"]);
    assert_eq!((&document["kind"], &document["runs"]), (&json!("worker"), &json!(2)), "{document}");
}

#[test]
fn a_program_whose_files_do_not_fit_has_not_succeeded() {
    let place = Place::new();
    let program = place.file("big.py", "open('out/big', 'wb').write(b'x' * 3_000_000)\n");
    let out = place.folder("small");
    place.json(0, &["sandbox", "run", program.to_str().unwrap()]);
    let script = "exec unshare --mount sh -c 'mount -t tmpfs -o size=500k none \"$0\" && exec \"$@\"'";
    let call = place.assay(["sandbox", "run", program.to_str().unwrap(), "--json", "--out", out.to_str().unwrap()]);
    let problem = call.below(&format!("{script} '{}' \"$@\"", out.display())).run().exits(2).document();
    assert_eq!((&problem["kind"], &problem["code"]), (&json!("problem"), &json!("disk_full")), "{problem}");
    assert!(problem["hint"].is_string() && problem["run"].is_string(), "{problem}");
}

#[test]
fn a_frozen_command_with_a_key_gives_the_answer_of_whoever_finished() {
    let stage = Stage::with_lease(1_000);
    let keyed = |step_ms| stage.demo(3, step_ms).arg("--key").arg("k");
    let mut frozen = Started::of(keyed(1_500));
    let effect = stage.inside(&frozen, 0);
    frozen.signal("STOP");
    let heir = keyed(1_500).run().exits(0).document();
    assert_eq!(heir["run"], json!(effect.run));
    frozen.signal("CONT");
    let thawed: Value = frozen.ends().exits(0).document();
    assert_eq!(thawed, heir);
}

/// The children of a process, ended ones that nobody has waited for included.
fn children(pid: u32) -> Vec<String> {
    let listed = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap();
    listed.split_whitespace().map(str::to_string).collect()
}

#[test]
fn two_datasets_are_prepared_by_one_worker_at_once() {
    let place = Place::new();
    for (dataset, question) in [("ecommerce", "how many orders"), ("support", "how many tickets")] {
        place.json(0, &["ask", dataset, question, "--queue"]);
    }
    let worker = place.assay(["worker", "--slots", "2", "--until-idle", "--json"]).time_max(Duration::from_secs(40));
    assert_eq!(worker.run().exits(0).document()["runs"], json!(2));
    for run in place.json(0, &["runs", "list"])["runs"].as_array().unwrap() {
        assert_eq!(run["state"], "succeeded", "{run}");
    }
}

#[test]
fn a_worker_keeps_no_cell_of_an_answer_that_is_given() {
    let stage = Stage::new();
    for _ in 0..3 {
        stage.json(0, &["ask", "ecommerce", "how many orders", "--queue"]);
    }
    let worker = stage.worker(&[]);
    until("three answers", || stage.listed().iter().all(|run| run["state"] == "succeeded").then_some(()));
    until("all cells are gone", || children(worker.pid()).is_empty().then_some(()));
}

#[test]
fn who_waits_for_a_dataset_can_be_told_to_stop() {
    let stage = Stage::new();
    stage.json(0, &["data", "show", "ecommerce"]);
    let prepared = fs::read_dir(stage.place.data().join("datasets")).unwrap().next().unwrap().unwrap();
    fs::remove_dir_all(prepared.path()).unwrap();
    let name = format!("locks/{}.lock", prepared.file_name().display());
    let lock = File::create(stage.place.data().join(name)).unwrap();
    lock.lock().unwrap();
    for words in [["ask", "ecommerce", "how many orders"], ["sql", "ecommerce", "SELECT 1"]] {
        let mut command = Started::of(stage.assay(&words).arg("--json"));
        let run = until("a run", || {
            let run = stage.listed().first()?.clone();
            (run["state"] == "running").then(|| run["id"].as_str().unwrap().to_string())
        });
        assert_eq!(stage.json(0, &["runs", "cancel", &run])["cancelled"], true);
        let problem = command.ends().exits(130).document();
        assert_eq!((&problem["code"], &problem["run"]), (&json!("cancelled"), &json!(run)), "{problem}");
    }
}

#[test]
fn what_a_strangers_program_printed_does_not_reach_the_terminal() {
    let (place, elsewhere) = (Place::new(), Place::new());
    let code = "import sys\nprint('a\\tb\\x1b]0;owned\\x07')\nprint('\\x1b[2J', file=sys.stderr)\n";
    let program = place.file("program.py", code);
    let run = place.json(0, &["sandbox", "run", program.to_str().unwrap()])["run"].as_str().unwrap().to_string();
    let own = place.assay(["runs", "resume", &run]).run().exits(0);
    assert_eq!((own.stdout.as_str(), own.stderr.as_str()), ("a\tb\x1b]0;owned\x07\n", "\x1b[2J\n"));
    let file = place.path("run.zip").to_str().unwrap().to_string();
    place.json(0, &["runs", "export", &run, "--to", &file]);
    elsewhere.json(0, &["runs", "import", &file]);
    let again = elsewhere.assay(["runs", "resume", &run]).run().exits(0);
    assert_eq!((again.stdout.as_str(), again.stderr.as_str()), ("a\tb·]0;owned·\n", "·[2J\n"));
    let forked = elsewhere.assay(["runs", "fork", &run, "--from-step", "1"]).run().exits(0);
    assert_eq!(forked.stdout, "a\tb·]0;owned·\n");
}

#[test]
fn a_strangers_program_does_not_choose_its_own_limits() {
    let place = Place::new();
    let program = place.file("program.py", "print('ran')\n");
    let call = place.assay(["sandbox", "run", program.to_str().unwrap()]);
    call.env("ASSAY_FAULT", "before_effect:0").run();
    let run = place.json(0, &["runs", "list"])["runs"][0]["id"].as_str().unwrap().to_string();
    // As a capsule would bring it, which need not say the hash of a run's input.
    let script = "import json, sqlite3, sys
store = sqlite3.connect(sys.argv[1] + '/store.db')
run = json.loads(store.execute('SELECT input FROM runs').fetchone()[0])
run['policy']['wall_ms'] = 3_600_000
store.execute('UPDATE runs SET input = ?, input_hash = NULL, imported_at = 1', (json.dumps(run),))
store.commit()";
    assert!(Command::new("python3").args(["-c", script]).arg(place.data()).status().unwrap().success());
    let problem = place.json(2, &["runs", "resume", &run]);
    assert_eq!(problem["code"], "usage", "{problem}");
    assert!(problem["message"].as_str().unwrap().contains("`wall_ms` is 3600000"), "{problem}");
    assert!(problem["hint"].is_string(), "{problem}");
}

#[test]
fn a_file_of_a_run_comes_out_byte_for_byte() {
    let place = Place::new();
    let program = place.file("bytes.py", "open('out/b', 'wb').write(bytes(range(256)))\n");
    let document = place.json(0, &["sandbox", "run", program.to_str().unwrap()]);
    let run = document["run"].as_str().unwrap();
    let output = Command::new(place.program())
        .args(["runs", "artifact", run, "b", "--data-dir"])
        .arg(place.data())
        .output()
        .unwrap();
    assert_eq!((output.status.code(), output.stdout), (Some(0), (0..=255).collect::<Vec<u8>>()));
    let problem = place.json(2, &["runs", "artifact", run, "c"]);
    assert!(problem["hint"].as_str().unwrap().ends_with(": b"), "{problem}");
}
