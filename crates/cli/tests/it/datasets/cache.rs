//! The cache of prepared datasets: what goes when there is no room, and what never goes.

use std::fs::{self, File};

use serde_json::{Value, json};

use super::{SALES, count, listed, prepared};
use crate::support::Place;

fn table(number: usize) -> String {
    format!("n,text\n{number},a\n{},b\n", number + 1)
}

fn bytes(place: &Place) -> u64 {
    place.json(0, &["data", "list"])["cache"]["bytes"].as_u64().unwrap()
}

#[track_caller]
fn count_within(place: &Place, data: &str, bytes_max: u64) -> Value {
    let call = place.assay(["ask", data, "how many rows", "--json"]).env("ASSAY_CACHE_BYTES", bytes_max.to_string());
    call.run().exits(0).document()["table"]["rows"][0][0].clone()
}

/// The version that a file has, as the names of prepared datasets begin.
fn version(place: &Place, data: &str) -> String {
    place.json(0, &["data", "show", data])["version"].as_str().unwrap().to_string()
}

fn holds(place: &Place, version: &str) -> bool {
    let entries = fs::read_dir(place.data().join("datasets")).unwrap().flatten();
    entries.into_iter().any(|entry| entry.file_name().to_string_lossy().starts_with(version))
}

#[test]
fn what_was_not_used_for_longest_makes_room() {
    let place = Place::new();
    let mut versions = Vec::new();
    for number in 0..3 {
        place.file(&format!("f{number}.csv"), table(number));
        versions.push(version(&place, &format!("f{number}.csv")));
    }
    let all = bytes(&place);
    assert_eq!(count(&place, "f0.csv"), json!(2));
    place.file("f3.csv", table(3));
    assert_eq!(count_within(&place, "f3.csv", all), json!(2));
    let left: Vec<bool> = versions.iter().map(|version| holds(&place, version)).collect();
    assert_eq!((left, prepared(&place)), (vec![true, false, true], 3), "the first was used again, the second was not");
    assert!(bytes(&place) <= all);
    assert_eq!(count(&place, "f1.csv"), json!(2), "what is gone is made again");
    let list = place.assay(["data", "list", "--json"]).env("ASSAY_CACHE_BYTES", "123").run().document();
    assert_eq!(list["cache"]["bytes_max"], 123);
}

#[test]
fn what_is_in_use_stays() {
    let place = Place::new();
    place.file("a.csv", table(1));
    place.file("b.csv", table(2));
    let used = version(&place, "a.csv");
    let lock = fs::read_dir(place.data().join("locks")).unwrap().flatten().next().unwrap().path();
    let lock = File::open(lock).unwrap();
    lock.lock_shared().unwrap();
    assert_eq!(count_within(&place, "b.csv", 0), json!(2));
    assert!(holds(&place, &used));
    drop(lock);
    place.file("c.csv", table(3));
    assert_eq!((count_within(&place, "c.csv", 0), prepared(&place)), (json!(2), 1));
    assert!(!holds(&place, &used));
}

#[test]
fn what_an_added_dataset_cannot_get_again_stays() {
    let place = Place::new();
    place.file("gone.csv", SALES);
    place.file("there.csv", format!("{SALES}East,1,true,2024-01-01\n"));
    place.json(0, &["data", "add", "gone.csv"]);
    place.json(0, &["data", "add", "there.csv"]);
    fs::remove_file(place.path("gone.csv")).unwrap();
    place.file("other.csv", table(1));
    assert_eq!((count_within(&place, "other.csv", 0), prepared(&place)), (json!(2), 2));
    assert_eq!(listed(&place, "there")["bytes"], json!(null), "it made room");
    assert_eq!((count(&place, "gone"), count(&place, "there")), (json!(3), json!(4)));
}

#[test]
fn what_an_older_program_prepared_goes_unless_it_is_all_there_is() {
    let place = Place::new();
    place.file("sales.csv", SALES);
    place.json(0, &["data", "add", "sales.csv"]);
    let entry = fs::read_dir(place.data().join("datasets")).unwrap().flatten().next().unwrap();
    let name = entry.file_name().into_string().unwrap();
    let old = format!("{}-{}", name.split_once('-').unwrap().0, "0".repeat(12));
    fs::rename(entry.path(), place.data().join("datasets").join(&old)).unwrap();
    let record = place.data().join("sources/sales.json");
    fs::write(&record, fs::read_to_string(&record).unwrap().replace(&name, &old)).unwrap();
    fs::remove_file(place.path("sales.csv")).unwrap();
    let stale = format!("data/datasets/{}-{}", "0".repeat(64), "0".repeat(12));
    place.file(&format!("{stale}/data.duckdb"), "x");
    place.file("data/datasets/somebody else's/file", "x");
    place.file("other.csv", table(1));
    assert_eq!(count(&place, "other.csv"), json!(2));
    assert!(!place.path(stale).exists() && place.data().join("datasets/somebody else's/file").exists());
    assert_eq!(count(&place, "sales"), json!(3), "its files are gone: the old form answers");
    place.file("sales.csv", SALES);
    place.json(0, &["data", "refresh", "sales"]);
    assert!(!place.data().join("datasets").join(&old).exists());
    assert_eq!(count(&place, "sales"), json!(3));
}

#[test]
fn a_prepared_form_that_is_damaged_is_made_again() {
    let place = Place::new();
    place.file("sales.csv", SALES);
    assert_eq!(count(&place, "sales.csv"), json!(3));
    let home = fs::read_dir(place.data().join("datasets")).unwrap().flatten().next().unwrap().path();
    for (file, text) in [("dataset.json", Some("{")), ("dataset.json", None), ("data.duckdb", None)] {
        match text {
            Some(text) => fs::write(home.join(file), text).unwrap(),
            None => fs::remove_file(home.join(file)).unwrap(),
        }
        assert_eq!((count(&place, "sales.csv"), prepared(&place)), (json!(3), 1), "{file}");
    }
    assert!(home.join("profile.json").is_file());
}
