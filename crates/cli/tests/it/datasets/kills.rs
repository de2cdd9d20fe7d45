//! Commands that are killed at any moment: the next one works, nothing half-made is used, nothing is left behind.

use std::fs;
use std::thread::sleep;
use std::time::Duration;

use serde_json::json;

use super::{SALES, count, prepared};
use crate::support::{Place, slow_is_wanted};

/// A few moments, or many.
fn moments(test: &str, many: u64) -> impl Iterator<Item = u64> {
    let step = if slow_is_wanted(&format!("most moments of {test}")) { 1 } else { many / 2 };
    (0..many).step_by(step as usize)
}

/// Kills a command so long after its start.
fn killed(place: &Place, arguments: &[&str], after_ms: u64, cache_bytes: &str) {
    let mut child = place.assay(arguments).env("ASSAY_CACHE_BYTES", cache_bytes).start();
    sleep(Duration::from_millis(after_ms));
    let _ = child.kill();
    child.wait().unwrap();
}

#[track_caller]
fn nothing_is_left(place: &Place) {
    assert_eq!(place.data_ending_with(".part"), Vec::<std::path::PathBuf>::new());
    for lock in fs::read_dir(place.data().join("locks")).unwrap().flatten() {
        let name = lock.file_name().into_string().unwrap();
        let home = place.data().join("datasets").join(name.strip_suffix(".lock").unwrap());
        assert!(home.is_dir(), "a lock of nothing: {name}");
    }
}

#[test]
fn while_files_are_read() {
    let place = Place::new();
    for moment in moments("while_files_are_read", 14) {
        place.file("sales.csv", format!("{SALES}East,{moment},true,2024-01-01\n"));
        killed(&place, &["ask", "sales.csv", "how many rows"], moment * 35, "1000000000");
        assert_eq!(count(&place, "sales.csv"), json!(4), "killed after {} ms", moment * 35);
        // Where the killed one had come to its end, the second had nothing to make and nothing to tidy.
        place.file("other.csv", format!("n\n{moment}\n"));
        assert_eq!(count(&place, "other.csv"), json!(1));
        nothing_is_left(&place);
    }
}

#[test]
fn while_datasets_are_added_refreshed_and_removed() {
    let place = Place::new();
    place.file("kept.csv", SALES);
    place.json(0, &["data", "add", "kept.csv"]);
    for moment in moments("while_datasets_are_added_refreshed_and_removed", 8) {
        let after = moment * 60;
        place.file("sales.csv", format!("{SALES}East,{moment},true,2024-01-01\n"));
        killed(&place, &["data", "add", "sales.csv"], after, "0");
        if place.json_any(&["data", "add", "sales.csv"])["code"] == "usage" {
            assert_eq!(count(&place, "sales"), json!(4), "it was added whole before it was killed");
        }
        place.file("sales.csv", SALES);
        killed(&place, &["data", "refresh", "sales"], after, "0");
        let rows = count(&place, "sales");
        assert!(rows == json!(4) || rows == json!(3), "one or the other: {rows}");
        place.json(0, &["data", "refresh", "sales"]);
        assert_eq!(count(&place, "sales"), json!(3));
        killed(&place, &["data", "remove", "sales"], moment * 3, "0");
        place.json_any(&["data", "remove", "sales"]);
        assert_eq!(place.json(2, &["ask", "sales", "how many rows"])["code"], "dataset_unknown");
        assert_eq!(count(&place, "kept"), json!(3));
    }
    place.json(0, &["data", "remove", "kept"]);
    nothing_is_left(&place);
    assert_eq!(prepared(&place), 0);
}

#[test]
fn while_room_is_made() {
    let place = Place::new();
    for moment in moments("while_room_is_made", 8) {
        for number in 0..3 {
            place.file(&format!("f{number}.csv"), format!("n\n{moment}\n{number}\n"));
            assert_eq!(count(&place, &format!("f{number}.csv")), json!(2));
        }
        place.file("last.csv", format!("n\n{moment}\n"));
        killed(&place, &["ask", "last.csv", "how many rows"], 150 + moment * 25, "0");
        for number in 0..3 {
            assert_eq!(count(&place, &format!("f{number}.csv")), json!(2), "moment {moment}");
        }
    }
    place.file("end.csv", "n\n1\n");
    assert_eq!(count(&place, "end.csv"), json!(1));
    nothing_is_left(&place);
}

/// Each state that a kill can leave, made by hand.
#[test]
fn whatever_a_kill_leaves_is_removed_by_who_prepares_next() {
    let place = Place::new();
    place.file("sales.csv", SALES);
    assert_eq!(count(&place, "sales.csv"), json!(3));
    let home = fs::read_dir(place.data().join("datasets")).unwrap().flatten().next().unwrap();
    let name = home.file_name().into_string().unwrap();
    // A lock without a folder; a folder with copies; one with a database and no word about it; one on its way out.
    place.file("data/locks/018f.lock", "");
    place.file("data/datasets/018a.part/input/0.csv", SALES);
    place.file("data/locks/018a.lock", "");
    place.file("data/datasets/018b.part/data.duckdb", "half");
    place.file("data/datasets/018c.part/dataset.json", "{}");
    // A dataset whose removal had begun, so that its name is free.
    fs::rename(home.path(), place.data().join("datasets/018d.part")).unwrap();
    place.file("data/sources/sales.018e.part", "{\"v\":");
    assert_eq!((count(&place, "sales.csv"), prepared(&place)), (json!(3), 1));
    assert!(place.data().join("datasets").join(&name).is_dir());
    place.json(0, &["data", "add", "sales.csv"]);
    nothing_is_left(&place);
}
