//! Results of more rows than are listed: what is said and drawn is of all of them, and all of them can be taken along.

use std::fs;

use serde_json::Value;

use crate::support::Place;

/// One row for each of many towns; the smallest stands where a listing of the largest has ended.
fn towns(place: &Place, towns: usize) -> String {
    let row = |town: usize| format!("t{town:05},{}\n", if town == 7 { 1 } else { 1_000 + (town * 7_919) % 9_973 });
    let rows: String = (0..towns).map(row).collect();
    let file = place.file("towns.csv", format!("town,people\n{rows}"));
    file.to_str().unwrap().to_string()
}

fn points(answer: &Value) -> Vec<(f64, f64)> {
    let points = answer["chart"]["drawing"]["series"][0]["points"].as_array().expect("a series");
    points.iter().map(|point| (point["at"].as_f64().unwrap(), point["value"].as_f64().unwrap())).collect()
}

fn note(answer: &Value) -> &str {
    answer["chart"]["drawing"]["note"].as_str().unwrap_or_default()
}

#[test]
fn the_lowest_of_many_groups_is_the_lowest_of_all() {
    let place = Place::new();
    let file = towns(&place, 1_500);
    let answer = place.answer(&[&file], "sum of people by town");
    assert_eq!(answer["table"]["rows"].as_array().unwrap().len(), 1_000);
    assert_eq!((&answer["table"]["row_count"], &answer["table"]["truncated"]), (&1_500.into(), &true.into()));
    let sentence = answer["sentence"].as_str().unwrap();
    assert!(sentence.contains("t00007 the lowest, 1") && sentence.contains("(1,500 groups)"), "{sentence}");
    assert_eq!(answer["known"]["level"], "verified", "{}", answer["known"]);
    assert!(note(&answer).contains("the first 40 of 1,500 bars"), "{}", note(&answer));
}

#[test]
fn every_row_can_be_taken_along() {
    let place = Place::new();
    let file = towns(&place, 1_500);
    let ran = place.assay(["ask", &file, "sum of people by town", "--csv"]).run().exits(0);
    assert_eq!(ran.stdout.lines().count(), 1_501);
    assert!(ran.stdout.contains("t00007,1\n"), "the last of all");
    assert!(!ran.stderr.contains("holds the first"), "{}", ran.stderr);
    let out = place.path("all.csv");
    place.assay(["ask", &file, "sum of people by town", "--out", out.to_str().unwrap()]).run().exits(0);
    assert_eq!(fs::read_to_string(&out).unwrap(), ran.stdout);
    let ran = place.assay(["sql", &file, "SELECT town, people FROM towns ORDER BY town", "--csv"]).run().exits(0);
    let original = fs::read_to_string(&file).unwrap();
    assert_eq!(ran.stdout, original);
    // What was written typed is read back and gives the same rows.
    let typed = place.path("typed.parquet");
    let statement = "SELECT * FROM towns";
    place.assay(["sql", &file, statement, "--out", typed.to_str().unwrap()]).run().exits(0);
    let statement = "SELECT count(*), sum(people), min(people) FROM typed";
    let back = place.assay(["sql", typed.to_str().unwrap(), statement, "--json"]).run().exits(0).document();
    let statement = "SELECT count(*), sum(people), min(people) FROM towns";
    let first = place.assay(["sql", &file, statement, "--json"]).run().exits(0).document();
    assert_eq!(back["table"]["rows"], first["table"]["rows"]);
}

#[test]
fn a_listing_that_is_whole_is_taken_along_as_it_is() {
    let place = Place::new();
    let file = place.file("few.csv", "a,b\n1,x\n2,\n");
    let (file, out) = (file.to_str().unwrap(), place.path("few-out.csv"));
    let ran =
        place.assay(["sql", file, "SELECT * FROM few ORDER BY a", "--out", out.to_str().unwrap(), "--json"]).run();
    let document = ran.exits(0).document();
    assert_eq!(fs::read_to_string(&out).unwrap(), "a,b\n1,x\n2,\n");
    assert_eq!(document["table"]["row_count"], 2);
    for wrong in ["rows.txt", "rows", "no/such/folder/rows.csv"] {
        let path = place.path(wrong);
        place.assay(["sql", file, "SELECT 1", "--out", path.to_str().unwrap()]).run().exits(2);
    }
    let refused = place.assay(["ask", file, "profit by moon phase", "--out", place.path("no.csv").to_str().unwrap()]);
    refused.run().exits(1);
    assert!(!place.path("no.csv").exists());
}

#[test]
fn dots_are_of_all_rows_or_of_a_fair_part_that_is_said() {
    let place = Place::new();
    let rows = |count: u64| (0..count).map(|n| format!("{}.5,{}\n", n / 2, (n * 7_919) % 997)).collect::<String>();
    for (count, drawn) in [(1_338, 1_338), (6_000, 2_000)] {
        let file = place.file(&format!("r{count}.csv"), format!("width,height\n{}", rows(count)));
        let answer = place.answer(&[file.to_str().unwrap()], "plot height against width");
        let points = points(&answer);
        assert_eq!(points.len(), drawn, "{}", note(&answer));
        let most = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).fold(f64::NEG_INFINITY, f64::max);
        let highest = (0..count).map(|n| (n * 7_919) % 997).max().unwrap() as f64;
        assert_eq!((most(|point| point.0), most(|point| point.1)), (((count - 1) / 2) as f64 + 0.5, highest));
        let said = if drawn as u64 == count { "" } else { "2,000 of 6,000 dots are drawn" };
        assert!(note(&answer).contains(said), "{}", note(&answer));
        let again = place.answer(&[file.to_str().unwrap()], "Plot height against width!");
        assert_eq!(again["chart"]["drawing"]["series"], answer["chart"]["drawing"]["series"]);
    }
}

#[test]
fn a_histogram_of_many_different_numbers_counts_every_row() {
    let place = Place::new();
    let rows: String = (0..5_000).map(|n| format!("{}.{:03}\n", (n * 7_919) % 997, n % 1_000)).collect();
    let file = place.file("boxes.csv", format!("weight\n{rows}"));
    let answer = place.answer(&[file.to_str().unwrap()], "distribution of weight");
    assert_eq!(answer["chart"]["kind"], "histogram");
    assert_eq!(points(&answer).iter().map(|point| point.1).sum::<f64>(), 5_000.0);
}
