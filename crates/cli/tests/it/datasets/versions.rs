//! When a file is read, when it is not read again, and what happens when somebody writes it meanwhile.

use std::fs::{self, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{count, prepared};
use crate::support::{Place, User, for_each_user, we_are_root};

/// Longer than a file must have been left alone to be read where it is.
const SETTLE: Duration = Duration::from_millis(2_300);

fn large(rows: usize) -> String {
    let mut text = String::from("id,region,amount\n");
    for row in 0..rows {
        text.push_str(&format!("{row},region number {},{}.25\n", row % 17, row % 1_000));
    }
    text
}

for_each_user! {
    fn a_file_that_is_read_in_place_is_the_same_version_as_its_copy(user) {
        let place = Place::of(user);
        let file = place.file("x.csv", large(2_000));
        let private = place.file("private/x.csv", large(2_000));
        if user == User::Own {
            fs::set_permissions(&private, PermissionsExt::from_mode(0o600)).unwrap();
        }
        let show = |name: &str| place.json(0, &["data", "show", name])["version"].clone();
        let copied = show(file.to_str().unwrap());
        sleep(SETTLE);
        for path in [file, private] {
            fs::remove_dir_all(place.data().join("datasets")).unwrap();
            place.folder("data/datasets");
            assert_eq!(show(path.to_str().unwrap()), copied, "{path:?}");
            assert_eq!(count(&place, path.to_str().unwrap()), json!(2_000));
        }
    }
}

/// An access list may deny what the permission bits promise.
#[test]
fn a_file_that_no_cell_may_read_in_place_is_copied() {
    const DENY: &str = "import os, struct, sys
entry = lambda tag, rights, who=0xffffffff: struct.pack('<HHI', tag, rights, who)
rules = entry(1, 6) + entry(2, 0, 1912345678) + entry(4, 4) + entry(16, 4) + entry(32, 4)
os.setxattr(sys.argv[1], 'system.posix_acl_access', struct.pack('<I', 2) + rules)";
    let place = Place::new();
    let file = place.file("denied.csv", large(10));
    let denied = Command::new("python3").args(["-c", DENY]).arg(&file).stderr(Stdio::null()).status();
    if !we_are_root() || !denied.is_ok_and(|status| status.success()) {
        eprintln!("skipped: a_file_that_no_cell_may_read_in_place_is_copied: needs root, python3 and access lists");
        return;
    }
    sleep(SETTLE);
    assert_eq!(count(&place, "denied.csv"), json!(10));
    assert!(place.data_ending_with(".part").is_empty());
}

#[test]
fn the_digest_of_a_large_file_is_remembered_until_the_file_changes() {
    let place = Place::new();
    let file = place.file("large.csv", large(200_000));
    assert!(fs::metadata(&file).unwrap().len() > 4 << 20);
    let first = count(&place, "large.csv");
    assert!(!place.data().join("hashes").exists(), "a file that changed just now is not relied on");
    sleep(SETTLE);
    assert_eq!(count(&place, "large.csv"), first);
    let slot = fs::read_dir(place.data().join("hashes")).unwrap().flatten().next().unwrap().path();
    let remembered: Value = serde_json::from_slice(&fs::read(&slot).unwrap()).unwrap();
    let before = place.json(0, &["data", "show", "large.csv"])["version"].clone();
    let mut forged = remembered.clone();
    forged["hash"] = json!("0".repeat(64));
    fs::write(&slot, forged.to_string()).unwrap();
    let believed = place.json(0, &["data", "show", "large.csv"])["version"].clone();
    assert_ne!(believed, before, "the file was not read");
    let touched = OpenOptions::new().append(true).open(&file).unwrap();
    touched.set_modified(std::time::SystemTime::now()).unwrap();
    assert_eq!(place.json(0, &["data", "show", "large.csv"])["version"], before, "touched, so it was read");
    fs::write(&slot, "damaged").unwrap();
    assert_eq!(place.json(0, &["data", "show", "large.csv"])["version"], before);
}

#[test]
fn a_file_that_is_written_while_it_is_read_in_place_is_not_kept() {
    // Not so many that the file is parsed while it is hashed.
    let (place, rows) = written_meanwhile(&[600_000, 1_200_000, 2_000_000]);
    assert_eq!((prepared(&place), place.data_ending_with(".part").len()), (0, 0));
    assert_eq!(count(&place, "large.csv"), json!(rows + 1));
}

#[test]
fn a_very_large_file_is_parsed_while_its_digest_is_computed() {
    let (place, rows) = written_meanwhile(&[2_400_000, 4_800_000]);
    assert!(fs::metadata(place.path("large.csv")).unwrap().len() > 64 << 20);
    assert_eq!((prepared(&place), place.data_ending_with(".part").len()), (0, 0));
    sleep(SETTLE);
    assert_eq!(count(&place, "large.csv"), json!(rows + 1));
    assert_eq!((prepared(&place), place.data_ending_with(".part").len()), (1, 0));
    fs::remove_dir_all(place.data().join("hashes")).unwrap();
    assert_eq!(count(&place, "large.csv"), json!(rows + 1), "what was begun is given up for what is there");
    assert_eq!((prepared(&place), place.data_ending_with(".part").len()), (1, 0));
}

/// Shows a file and writes to it while it is parsed, where it is: nothing may come of that but the problem. A file that was
/// parsed before it could be written to is followed by one with more rows. Gives the place and the rows as they were.
#[track_caller]
fn written_meanwhile(sizes: &[usize]) -> (Place, usize) {
    for &rows in sizes {
        let place = Place::new();
        let file = place.file("large.csv", large(rows));
        sleep(SETTLE);
        let mut child = place.assay(["data", "show", "large.csv", "--json"]).start();
        let began = Instant::now();
        while place.data_ending_with("input").is_empty() && began.elapsed() < Duration::from_secs(20) {
            sleep(Duration::from_millis(2));
        }
        OpenOptions::new().append(true).open(file).unwrap().write_all(b"1,late,1\n").unwrap();
        assert_eq!(place.data_ending_with(".csv"), Vec::<PathBuf>::new(), "no copy");
        let mut said = String::new();
        child.stdout.take().unwrap().read_to_string(&mut said).unwrap();
        let said: Value = serde_json::from_str(&said).unwrap();
        match child.wait().unwrap().code() {
            Some(0) => assert_eq!(said["tables"][0]["rows"], rows, "what was read before is what was there: {said}"),
            code => {
                assert_eq!((code, said["code"].as_str()), (Some(2), Some("input_changed")), "{said}");
                return (place, rows);
            }
        }
    }
    panic!("files of {sizes:?} rows were parsed before they could be written to");
}

#[test]
fn who_waits_for_another_says_so_and_nobody_else_waits() {
    let place = Place::new();
    place.file("a.csv", "n\n1\n");
    place.file("b.csv", "n\n1\n2\n");
    place.json(0, &["data", "show", "a.csv"]);
    let home = fs::read_dir(place.data().join("datasets")).unwrap().flatten().next().unwrap();
    fs::remove_dir_all(home.path()).unwrap();
    let lock = place.data().join(format!("locks/{}.lock", home.file_name().display()));
    let lock = fs::File::create(lock).unwrap();
    lock.lock().unwrap();
    let waiting = place.assay(["ask", "a.csv", "how many rows", "--json"]).start();
    assert_eq!(count(&place, "b.csv"), json!(2), "another dataset is not kept waiting");
    drop(lock);
    let output = waiting.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&output.stderr).contains("waiting: another command is reading a"));
}
