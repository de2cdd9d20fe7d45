//! Rows that are no rows: totals and averages of others, and footnotes. They are set aside and said, or kept and said.

use serde_json::{Value, json};

use crate::support::Place;
use crate::support::tables::{chosen, focus};

fn in_focus(answer: &Value) -> Vec<Vec<Value>> {
    chosen(&answer["table"], &focus(answer))
}

/// What is said of a file: code and rows of each remark on totals and footnotes.
fn said(shown: &Value) -> Vec<String> {
    let remarks = shown["remarks"].as_array().unwrap().iter();
    let about = remarks.filter(|remark| remark["code"] == "rows_set_aside" || remark["code"] == "totals_kept");
    about.map(|remark| format!("{} {}", remark["code"].as_str().unwrap(), remark["rows"])).collect()
}

#[test]
fn a_last_row_of_totals_is_not_counted_along() {
    let place = Place::new();
    let rows = "Region,Units,Price\nNorth,3,10.50\nSouth,4,20.25\nWest,5,1.00\n";
    // The word alone is no proof, and neither is a sum; where they contradict each other nothing is certain.
    let cases = [
        ("Total:,12,", 12, "checked", "adds up the rows above it (`Units`)"),
        ("Total,12,31.75", 12, "checked", "adds up the rows above it (`Units`, `Price`)"),
        ("Average,4,10.58", 12, "checked", "averages the rows above it (`Units`, `Price`)"),
        ("Totality,12,", 24, "verified", ""),
        ("Total,90,", 102, "checked", "looks like a total and does not fit the rows around, kept: row 4 `Total`"),
    ];
    for (number, (last, units, level, note)) in cases.into_iter().enumerate() {
        let file = place.file(&format!("{number}/sales.csv"), format!("{rows}{last}\n"));
        let answer = place.answer(&[file.to_str().unwrap()], "total units");
        assert_eq!(in_focus(&answer), [[json!(units)]], "{last}");
        assert_eq!(answer["known"]["level"], level, "{last}");
        let how = match (units, level) {
            (12, _) => "rows of the files that were set aside: 1",
            (_, "checked") => "rows that look like totals and were counted along: 1",
            _ => "",
        };
        assert!(answer["known"].to_string().contains(how), "{last}: {}", answer["known"]);
        let notes = place.json(0, &["data", "show", file.to_str().unwrap()])["notes"].to_string();
        assert!(notes.contains(note), "{last}: {notes}");
        assert_eq!(notes.contains("`Total"), !note.is_empty() && last.starts_with("Total"), "{last}: {notes}");
    }
}

#[test]
fn totals_between_rows_above_them_and_of_totals_are_found() {
    let place = Place::new();
    let cases = [
        ("parts", "A,1,10\nA,2,20\nSubtotal A,,30\nB,1,5\nB,2,6\nSubtotal B,,11\n", 41, "rows_set_aside [3,6]"),
        (
            "all",
            "A,1,10\nA,2,20\nA total,,30\nB,1,5\nB total,,5\nGrand Total,,35\nAverage,,11.67\n",
            35,
            "rows_set_aside [3,5,6,7]",
        ),
        ("first", "Total,,41\nA,1,10\nA,2,20\nB,1,5\nB,2,6\n", 41, "rows_set_aside [1]"),
        ("in_a_column", "A,x,10\nA,y,20\nA,Total,30\nB,x,5\nB,y,6\nB,Total,11\n", 41, "rows_set_aside [3,6]"),
        (
            "levels",
            "A,1,10\nA,2,20\nTotal A,,30\nB,1,5\nB,2,6\nTotal B,,11\nQuarter total,,41\nC,1,1\nC,2,2\nTotal C,,3\n\
             D,1,4\nD,2,5\nTotal D,,9\nQuarter total,,12\n",
            53,
            "rows_set_aside [3,6,7,10,13,14]",
        ),
    ];
    for (name, rows, sales, expected) in cases {
        let file = place.file(&format!("{name}.csv"), format!("Store,Week,Sales\n{rows}"));
        let shown = place.json(0, &["data", "show", file.to_str().unwrap()]);
        assert_eq!(said(&shown), [expected], "{name}");
        assert_eq!(shown["tables"][0]["columns"][2]["type"], "int", "{name}: an average leaves no trace");
        let answer = place.answer(&[file.to_str().unwrap()], "total sales");
        assert_eq!(in_focus(&answer), [[json!(sales)]], "{name}");
        assert_eq!(answer["known"]["level"], "checked", "{name}");
    }
}

#[test]
fn a_row_that_only_sounds_like_a_total_is_kept_and_said_where_it_looks_like_one() {
    let place = Place::new();
    let cases = [
        (
            "films",
            "Film,Genre,Gross\nTotal Recall,Action,20\nDim Sum,Drama,30\nHeat,Crime,5\nAlien,Horror,50\n",
            &[][..],
        ),
        (
            "wrong",
            "Shop,Day,Gross\nA,x,1\nA,y,2\nSubtotal A,,4\nB,x,5\nB,y,6\nSubtotal B,,11\n",
            &["rows_set_aside [6]", "totals_kept [3]"],
        ),
        (
            "above",
            "Sex,Land,Gross\nTotal,DE,83\nMale,DE,41\nFemale,DE,42\nTotal,FR,68\nMale,FR,33\nFemale,FR,35\n",
            &["totals_kept [1,4]"],
        ),
    ];
    for (name, text, expected) in cases {
        let file = place.file(&format!("{name}.csv"), text);
        assert_eq!(said(&place.json(0, &["data", "show", file.to_str().unwrap()])), expected, "{name}");
        let answer = place.answer(&[file.to_str().unwrap()], "total gross");
        let level = if expected.is_empty() { "verified" } else { "checked" };
        assert_eq!(answer["known"]["level"], level, "{name}");
    }
}

#[test]
fn types_are_found_from_the_rows_that_are_left() {
    let place = Place::new();
    let file = place.file(
        "cafe.csv",
        "Day,Cups,Revenue,Note\n2025-04-01,5,12.5,\n2025-04-02,n/a,3,a\n2025-05-01,4,8,b\nSubtotal,9,23.5,\n\
         2025-05-02,1,?,c\n2025-05-03,2,4,d\nTotal,12,27.5,\nSource: the till,,,\n",
    );
    let shown = place.json(0, &["data", "show", file.to_str().unwrap()]);
    let columns = shown["tables"][0]["columns"].as_array().unwrap();
    let types: Vec<&Value> = columns.iter().map(|column| &column["type"]).collect();
    assert_eq!(types, ["date", "int", "float", "text"]);
    assert_eq!(said(&shown), ["rows_set_aside [4,7]", "rows_set_aside [8]"]);
    let words = shown["remarks"].as_array().unwrap().iter().filter(|remark| remark["code"] == "empty_words");
    let rows: Vec<String> = words.map(|remark| remark["rows"].to_string()).collect();
    assert_eq!(rows, ["[2]", "[5]"], "rows are named by their place in the file");
    let answer = place.answer(&[file.to_str().unwrap()], "total revenue by month");
    assert_eq!(in_focus(&answer).len(), 2, "{}", answer["table"]);
}

#[test]
fn footnotes_are_set_aside_and_a_row_that_was_only_begun_is_not() {
    let place = Place::new();
    let rows = "Name,Age,City\nAnn,31,Oslo\nBob,42,Rome\nCid,53,Oslo\n";
    let cases = [
        ("\nSource: meter readings by dad\n", &["rows_set_aside [4]"][..], 3),
        ("* estimated,,\nNote: ages of 2024,,\n", &["rows_set_aside [4,5]"], 3),
        ("Dan,,\n", &[], 4),
        ("Dan,,\nEve,55,Rome\nSource: the club,,\n", &[], 6),
    ];
    for (number, (last, expected, count)) in cases.into_iter().enumerate() {
        let file = place.file(&format!("{number}/people.csv"), format!("{rows}{last}"));
        let shown = place.json(0, &["data", "show", file.to_str().unwrap()]);
        assert_eq!(
            (said(&shown), &shown["tables"][0]["rows"]),
            (expected.iter().map(ToString::to_string).collect(), &json!(count)),
            "{last}"
        );
        assert_eq!(shown["notes"].to_string().contains("footnote"), !expected.is_empty(), "{last}");
    }
}

#[test]
fn the_end_of_a_large_table_is_looked_at() {
    let place = Place::new();
    let rows: String = (0..2_100_000).map(|row| format!("a,{}\n", row % 2)).collect();
    let file = place.file("large.csv", format!("shop,units\n{rows}Total,1050000\n"));
    let shown = place.json(0, &["data", "show", file.to_str().unwrap()]);
    assert_eq!(said(&shown), ["rows_set_aside [2100001]"]);
}

/// Lines of delimiters alone, with a total and a source below the last of them.
#[test]
fn lines_without_a_value_are_no_rows_and_what_stands_below_them_is_none_either() {
    let place = Place::new();
    let rows = "Day,Shop,Units,Price\n2025-01-01,North,3,10\n2025-01-02,South,4,20\n";
    let cases = [
        ("2025-01-03,West,5,5\n,,,\n", &["lines_skipped [4]"][..], 3),
        (",,,\n2025-01-03,West,5,5\n , ,,\n,,,\n", &["lines_skipped [3,5,6]"], 3),
        ("2025-01-03,West,5,5\n,,,\nTotal,,12,35\n", &["lines_skipped [4]", "rows_set_aside [4]"], 3),
        ("2025-01-03,West,5,5\n,,,\nTotal,,,500\n", &["lines_skipped [4]", "rows_set_aside [4]"], 3),
        ("2025-01-03,West,5,5\n\nTotal,,,500\n", &["rows_set_aside [4]"], 3),
        ("2025-01-03,West,5,5\n,,,\nAs the ministry has it,,,\n", &["lines_skipped [4]", "rows_set_aside [4]"], 3),
        (
            "2025-01-03,West,5,5\n,,,\nTotal,,,500\nSource: ministry,,,\n",
            &["lines_skipped [4]", "rows_set_aside [4]", "rows_set_aside [5]"],
            3,
        ),
        // Read row by row, where places are lines of the file.
        (
            "2025-01-03,West,5,5\n,,,\nTotal,,,500\nSource: ministry\n",
            &["ragged_rows [7]", "lines_skipped [5]", "rows_set_aside [4]", "rows_set_aside [5]"],
            3,
        ),
    ];
    for (number, (last, expected, count)) in cases.into_iter().enumerate() {
        let file = place.file(&format!("{number}/sales.csv"), format!("{rows}{last}"));
        let shown = place.json(0, &["data", "show", file.to_str().unwrap()]);
        let remarks = shown["remarks"].as_array().unwrap().iter();
        let said: Vec<String> =
            remarks.map(|remark| format!("{} {}", remark["code"].as_str().unwrap(), remark["rows"])).collect();
        assert_eq!(said, expected, "{last}");
        assert_eq!(shown["tables"][0]["rows"], json!(count), "{last}");
        assert_eq!(shown["tables"][0]["columns"][0]["type"], "date", "{last}");
    }
}
