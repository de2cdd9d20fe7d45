//! Where commands about runs meet what they were not made for: files that are in the way, no store, a full disk, Ctrl-C.

use std::fs;
use std::os::unix::fs::{FileTypeExt, symlink};
use std::process::Command;

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
