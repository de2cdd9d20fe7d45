//! Datasets under a name: added, asked from anywhere, refreshed, exported and forgotten.

mod cache;
mod hostile;
mod kills;
mod versions;

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use crate::support::Place;
use crate::support::tables::rows;

const SALES: &str = "region,amount,paid,on\nNorth,3,true,2024-01-02\nSouth,4,false,2024-01-03\nNorth,5,,2024-02-01\n";

/// How many prepared datasets there are.
fn prepared(place: &Place) -> usize {
    fs::read_dir(place.data().join("datasets")).map_or(0, |entries| entries.flatten().count())
}

/// One dataset of `data list`.
#[track_caller]
fn listed(place: &Place, id: &str) -> Value {
    let list = place.json(0, &["data", "list"]);
    let found = list["datasets"].as_array().unwrap().iter().find(|dataset| dataset["id"] == id).cloned();
    found.unwrap_or_else(|| panic!("`{id}` is not listed: {list}"))
}

#[track_caller]
fn count(place: &Place, data: &str) -> Value {
    // Computed, because the data itself is what is looked at.
    let answer = place.json(0, &["ask", data, "how many rows", "--no-cache"]);
    rows(&answer["table"])[0][0].clone()
}

#[test]
fn an_added_dataset_is_asked_by_its_name_from_anywhere() {
    let place = Place::new();
    place.file("sales.csv", SALES);
    let added = place.json(0, &["data", "add", "sales.csv", "--name", "Shop Sales"]);
    assert_eq!(added["dataset"]["id"], "shop_sales");
    assert_eq!(added["tables"], json!([{ "name": "sales", "rows": 3, "columns": 4 }]));
    let elsewhere = place.folder("else/where");
    let answer = place.assay(["ask", "shop_sales", "total amount by region", "--json"]).within(&elsewhere).run();
    let answer = answer.exits(0).document();
    assert_eq!(answer["dataset"], added["dataset"]);
    let statement = ["sql", "shop_sales", "SELECT sum(amount) FROM sales", "--json"];
    let summed = place.assay(statement).within(&elsewhere).run().exits(0).document();
    assert_eq!(summed["table"]["rows"], json!([[12]]));
    let plan = r#"{"dataset":"shop_sales","table":"sales","select":[{"agg":"count","column":"*","as":"n"}]}"#;
    let ran = place.assay(["plan", "run", "-", "--json"]).within(&elsewhere).stdin(plan).run().exits(0).document();
    assert_eq!(ran["table"]["rows"], json!([[3]]));
    let shown = place.assay(["data", "show", "shop_sales", "--json"]).within(&elsewhere).run().exits(0).document();
    assert_eq!((&shown["id"], &shown["version"]), (&added["dataset"]["id"], &added["dataset"]["version"]));
    let profile = place.json(0, &["data", "profile", "shop_sales"]);
    assert_eq!(profile["tables"][0]["rows"], 3);
    assert_eq!(prepared(&place), 1);
}

#[test]
fn it_answers_from_what_was_added_until_it_is_refreshed() {
    let place = Place::new();
    place.file("sales.csv", SALES);
    let first = place.json(0, &["data", "add", "sales.csv"]);
    assert_eq!(listed(&place, "sales")["files"], "unchanged");
    place.file("sales.csv", "region,amount,city\nNorth,3.5,Oslo\n");
    assert_eq!((count(&place, "sales"), listed(&place, "sales")["files"].clone()), (json!(3), json!("changed")));
    let refreshed = place.json(0, &["data", "refresh", "sales"]);
    let expected = json!([{
        "table": "sales", "rows_before": 3, "rows_after": 1, "columns_added": ["city"],
        "columns_removed": ["paid", "on"], "columns_retyped": [["amount", "int", "float"]],
    }]);
    assert_eq!((&refreshed["changed"], &refreshed["was"]), (&json!(true), &first["dataset"]["version"]));
    assert_eq!(refreshed["tables"], expected);
    assert_eq!((count(&place, "sales"), prepared(&place)), (json!(1), 1), "the old form is gone");
    assert_eq!(place.json(0, &["data", "refresh", "sales"])["changed"], false);
    fs::remove_file(place.path("sales.csv")).unwrap();
    assert_eq!((count(&place, "sales"), listed(&place, "sales")["files"].clone()), (json!(1), json!("missing")));
    assert_eq!(place.json(2, &["data", "refresh", "sales"])["code"], "file_unreadable");
    assert_eq!(count(&place, "sales"), json!(1), "what cannot be refreshed stays");
}

#[test]
fn a_name_stands_for_one_dataset() {
    let place = Place::new();
    place.file("sales.csv", SALES);
    place.file("other.csv", SALES);
    place.json(0, &["data", "add", "sales.csv"]);
    for (arguments, hint) in [
        (&["data", "add", "other.csv", "--name", "sales"][..], "refresh sales"),
        (&["data", "add", "sales.csv"], "remove sales"),
        (&["data", "add", "sales.csv", "--name", "ecommerce"], "--name"),
        (&["data", "add", "sales.csv", "--name", "…"], "--name"),
        (&["data", "remove", "ecommerce"], "added"),
    ] {
        let problem = place.json(2, arguments);
        assert_eq!(problem["code"], "usage", "{problem}");
        assert!(problem["hint"].as_str().unwrap().contains(hint), "{problem}");
    }
    let problem = place.json(2, &["data", "remove", "sale"]);
    assert_eq!((&problem["code"], &problem["hint"]), (&json!("dataset_unknown"), &json!("did you mean `sales`?")));
    assert_eq!(place.json(2, &["ask", "sale", "how many rows"])["hint"], "did you mean `sales`?");
    let problem = place.json(2, &["ask", "sales", "other.csv", "how many rows"]);
    assert_eq!(problem["code"], "usage", "{problem}");
    assert_eq!(place.json(2, &["data", "add", "missing.csv"])["code"], "file_unreadable");
    assert_eq!(listed(&place, "sales")["origin"], "added");
}

#[test]
fn removing_takes_what_only_that_dataset_used() {
    let place = Place::new();
    let file = place.file("sales.csv", SALES);
    place.json(0, &["data", "add", "sales.csv", "--name", "one"]);
    place.json(0, &["data", "add", "sales.csv", "--name", "two"]);
    assert_eq!(prepared(&place), 1);
    place.json(0, &["data", "remove", "one"]);
    assert_eq!((prepared(&place), count(&place, "two")), (1, json!(3)));
    assert_eq!(place.json(2, &["ask", "one", "how many rows"])["code"], "dataset_unknown");
    place.json(0, &["data", "remove", "two"]);
    assert_eq!((prepared(&place), fs::read_to_string(file).unwrap().as_str()), (0, SALES));
    let left: Vec<_> = fs::read_dir(place.data().join("sources")).unwrap().flatten().map(|e| e.file_name()).collect();
    assert_eq!(left, [".lock"]);
}

#[test]
fn a_record_that_is_damaged_concerns_only_its_own_dataset() {
    let place = Place::new();
    place.file("sales.csv", SALES);
    place.json(0, &["data", "add", "sales.csv", "--name", "good"]);
    place.file("data/sources/bad.json", "{\"v\":1,");
    assert_eq!(count(&place, "good"), json!(3));
    assert_eq!(listed(&place, "good")["rows"], 3);
    let problem = place.json(2, &["ask", "bad", "how many rows"]);
    assert!(problem["hint"].as_str().unwrap().contains("assay data remove bad"), "{problem}");
    place.json(0, &["data", "remove", "bad"]);
    assert_eq!(place.json(2, &["ask", "bad", "how many rows"])["code"], "dataset_unknown");
}

#[test]
fn files_and_folders_together_are_one_dataset() {
    let place = Place::new();
    place.file("more/b.csv", "id,b\n1,2\n");
    place.file("more/a.CSV", "id,a\n1,2\n3,4\n");
    place.file("more/notes.md", "no table");
    place.file("c.csv", "id,c\n9,9\n");
    let shown = place.json(0, &["data", "show", "c.csv", "more"]);
    let tables: Vec<&Value> = shown["tables"].as_array().unwrap().iter().map(|table| &table["name"]).collect();
    assert_eq!((tables, &shown["id"]), (vec![&json!("c"), &json!("a"), &json!("b")], &json!("c")));
    assert!(shown["notes"].to_string().contains("`notes.md`"), "{}", shown["notes"]);
    let joined = place.json(0, &["sql", "c.csv", "more", "SELECT count(*) FROM a, b, c"]);
    assert_eq!(joined["table"]["rows"], json!([[2]]));
    let added = place.json(0, &["data", "add", "more", "c.csv", "--name", "all"]);
    assert!(added["remarks"].to_string().contains("notes.md"), "{added}");
    assert!(place.json(0, &["data", "show", "all"])["notes"].to_string().contains("notes.md"), "it is repeated");
    place.file("more/d.csv", "id\n1\n");
    assert_eq!(listed(&place, "all")["files"], "changed", "a file more is a change");
    let refreshed = place.json(0, &["data", "refresh", "all"]);
    assert_eq!((&refreshed["tables"][0]["table"], &refreshed["tables"][0]["rows_before"]), (&json!("d"), &json!(null)));
}

#[test]
fn a_folder_may_hold_several_kinds_of_files() {
    let place = Place::new();
    place.file("mixed/packed.csv", "n,city\n1,Oslo\n2,Rome\n");
    assert!(Command::new("gzip").arg(place.path("mixed/packed.csv")).status().unwrap().success());
    place.file("mixed/lines.jsonl", "{\"id\":1,\"x\":\"a\"}\n{\"id\":2,\"x\":\"b\"}\n");
    place.file("mixed/tabs.tsv", "a\tb\n1\t2\n");
    let added = place.json(0, &["data", "add", "mixed"]);
    let rows: Vec<(&Value, &Value)> =
        added["tables"].as_array().unwrap().iter().map(|table| (&table["name"], &table["rows"])).collect();
    let expected = [("lines", 2), ("packed", 2), ("tabs", 1)].map(|(name, rows)| (json!(name), json!(rows)));
    assert_eq!(rows, expected.iter().map(|(name, rows)| (name, rows)).collect::<Vec<_>>(), "{added}");
    assert_eq!(
        place.json(0, &["sql", "mixed", "SELECT city FROM packed WHERE n = 2"])["table"]["rows"],
        json!([["Rome"]])
    );
}

#[test]
fn what_is_exported_reads_back_as_the_same() {
    let place = Place::new();
    let odd = "name,ok,day,at,ratio\n\"a, \"\"b\"\"\",true,2024-01-02,2024-01-02 03:04:05,1.5\n,false,,,\nc,,2024-02-01,2024-02-01 00:00:00,2.25\n";
    place.file("odd.csv", odd);
    place.file("single.csv", "n\n1\n2\n");
    place.json(0, &["data", "add", "odd.csv", "single.csv", "--name", "odd"]);
    let exported = place.json(0, &["data", "export", "odd", "--to", "out/put"]);
    assert_eq!(exported["files"].as_array().unwrap().len(), 3);
    let text = fs::read_to_string(place.path("out/put/odd.csv")).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "name,ok,day,at,ratio");
    assert_eq!(lines[1], "\"a, \"\"b\"\"\",true,2024-01-02,2024-01-02 03:04:05,1.5");
    assert_eq!(lines[2], ",false,,,");
    let again = place.json(0, &["data", "show", "out/put"]);
    let first = place.json(0, &["data", "show", "odd"]);
    for table in ["odd", "single"] {
        let columns = |shown: &Value| {
            let found = shown["tables"].as_array().unwrap().iter().find(|one| one["name"] == table).cloned().unwrap();
            let columns = found["columns"].as_array().unwrap().clone();
            columns.iter().map(|c| json!([c["name"], c["type"], c["nulls"], c["min"], c["max"]])).collect::<Vec<_>>()
        };
        assert_eq!(columns(&again), columns(&first), "{table}");
    }
}

#[test]
fn texts_that_look_like_numbers_stay_texts_when_exported() {
    let place = Place::new();
    place.file("codes.jsonl", "{\"code\":\"007\",\"n\":1}\n{\"code\":\"042\",\"n\":2}\n");
    place.json(0, &["data", "export", "codes.jsonl", "--to", "out"]);
    let listed = place.json(0, &["sql", "out", "SELECT code FROM codes ORDER BY n"]);
    assert_eq!(listed["table"]["rows"], json!([["007"], ["042"]]));
}

#[test]
fn an_export_replaces_nothing() {
    let place = Place::new();
    place.file("sales.csv", SALES);
    place.file("out/dataset.toml", "mine");
    for dataset in ["sales.csv", "support"] {
        let problem = place.json(2, &["data", "export", dataset, "--to", "out"]);
        assert!(problem["message"].as_str().unwrap().contains("dataset.toml` is there already"), "{problem}");
        let left: Vec<_> = fs::read_dir(place.path("out")).unwrap().flatten().map(|entry| entry.file_name()).collect();
        assert_eq!(left, ["dataset.toml"], "nothing was written beside it");
    }
    assert_eq!(fs::read_to_string(place.path("out/dataset.toml")).unwrap(), "mine");
    fs::remove_file(place.path("out/dataset.toml")).unwrap();
    std::os::unix::fs::symlink("/nowhere/at/all", place.path("out/sales.csv")).unwrap();
    place.json(2, &["data", "export", "sales.csv", "--to", "out"]);
}

#[test]
fn a_first_dataset_toml_is_written_once_and_understood() {
    let place = Place::new();
    place.file("shop/sales.csv", SALES);
    let written = place.json(0, &["data", "init", "shop"]);
    assert_eq!(written["file"], "shop/dataset.toml");
    let text = fs::read_to_string(place.path("shop/dataset.toml")).unwrap();
    assert_eq!(written["text"], text);
    assert_eq!(count(&place, "shop"), json!(3), "it fits the data it was made from");
    let problem = place.json(2, &["data", "init", "shop"]);
    assert!(problem["message"].as_str().unwrap().contains("is there already"), "{problem}");
    place.file("alone/x.csv", SALES);
    place.json(0, &["data", "init", "alone/x.csv"]);
    assert!(place.path("alone/dataset.toml").is_file());
    assert_eq!(place.json(2, &["data", "init", "missing"])["code"], "file_unreadable");
}

#[test]
fn the_owners_words_are_part_of_what_was_added() {
    let place = Place::new();
    place.file("shop/sales.csv", SALES);
    place.file("shop/dataset.toml", "description = \"A shop\"\n");
    place.json(0, &["data", "add", "shop"]);
    assert_eq!(listed(&place, "shop")["description"], "A shop");
    place.file("shop/dataset.toml", "description = \"Another\"\n");
    assert_eq!(place.json(0, &["data", "show", "shop"])["description"], "A shop");
    assert_eq!(listed(&place, "shop")["files"], "changed");
    place.json(0, &["data", "refresh", "shop"]);
    assert_eq!(place.json(0, &["data", "show", "shop"])["description"], "Another");
}

#[test]
fn a_disk_without_room_is_found_out_before_anything_is_copied() {
    let place = Place::new();
    place.json(0, &["sql", "ecommerce", "SELECT 1"]);
    let file = place.file("large.csv", format!("text\n{}", "some text of a line\n".repeat(200_000)));
    let data = place.folder("small");
    let script = "exec unshare --mount sh -c 'mount -t tmpfs -o size=3m none \"$0\" && exec \"$@\"'";
    let call = place.assay(["data", "add", file.to_str().unwrap(), "--json", "--data-dir", data.to_str().unwrap()]);
    let problem = call.below(&format!("{script} '{}' \"$@\"", data.display())).run().exits(2).document();
    assert_eq!(problem["code"], "disk_full", "{problem}");
    assert!(problem["message"].as_str().unwrap().contains("are free"), "{problem}");
}

#[test]
fn names_of_datasets_are_completed() {
    let place = Place::new();
    place.file("sales.csv", SALES);
    place.json(0, &["data", "add", "sales.csv", "--name", "shop"]);
    let offered = |words: &[&str]| {
        let words = ["--", "assay"].iter().chain(words);
        let ran = place.assay(words).env("ASSAY_COMPLETE", "fish").run().exits(0);
        ran.stdout.lines().map(|line| line.split('\t').next().unwrap().to_string()).collect::<Vec<_>>()
    };
    assert_eq!(offered(&["ask", "sho"]), ["shop"]);
    assert!(offered(&["data", "show", "s"]).contains(&"sales.csv".to_string()), "files too");
    assert!(offered(&["data", "show", "s"]).contains(&"support".to_string()));
    assert_eq!(offered(&["data", "remove", "s"]), ["shop"], "only what can be removed");
}

#[test]
fn what_to_do_next_can_be_done() {
    let place = Place::new();
    place.file("shop/orders.csv", "region,price\nNorth,3\nSouth,4\nNorth,5\n");
    place.file("shop/regions.csv", "region,country\nNorth,NO\nSouth,ES\n");
    let said = place.assay(["data", "add", "shop"]).run().exits(0).stderr;
    let question =
        said.rsplit_once("assay ask shop \"").and_then(|(_, rest)| rest.split_once('"')).expect("a question").0;
    place.answer(&["shop"], question);
    let by_region = place.answer(&["shop"], "average price by region");
    assert_eq!(by_region["focus"], json!(["region", "avg_price"]), "both ends of a link are one");
    assert_eq!(rows(&by_region["table"]).len(), 2);
    let init = place.assay(["data", "init", "shop"]).run().exits(0).stderr;
    assert!(init.contains("assay data refresh shop"), "{init}");
}

#[test]
fn answers_over_files_that_have_changed_say_so() {
    let place = Place::new();
    let file = place.file("sales.csv", SALES);
    place.json(0, &["data", "add", "sales.csv"]);
    let told = || place.assay(["ask", "sales", "how many rows"]).run().exits(0).stderr;
    assert!(!told().contains("assay data refresh"), "{}", told());
    fs::write(&file, SALES.to_owned() + "West,6,true,2024-02-02\n").unwrap();
    assert!(told().contains("assay data refresh sales"), "{}", told());
    fs::remove_file(&file).unwrap();
    assert!(told().contains("gone"), "{}", told());
}
