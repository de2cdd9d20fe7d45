//! CSV files: how they are read, when they are read again, and what a folder means.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::Write;

use serde_json::{Value, json};

use crate::support::tables::{chosen, focus, rows, same_rows};
use crate::support::{Place, shared};

const SALES: &str = "region,product,quantity,price\nNorth,\"Lamp, tall\",3,10.50\nSouth,Desk,1,200.00\n\
    North,Desk,2,190.00\nWest,\"Lamp, tall\",5,12.25\n";

fn in_focus(answer: &Value) -> Vec<Vec<Value>> {
    chosen(&answer["table"], &focus(answer))
}

fn versions(place: &Place) -> usize {
    fs::read_dir(place.data().join("datasets")).map_or(0, |entries| entries.flatten().count())
}

#[test]
fn three_questions_of_a_small_file_are_answered_however_it_is_written() {
    let semicolons = "region;product;quantity;price\nNorth;Lamp, tall;3;10.50\nSouth;Desk;1;200.00\n\
        North;Desk;2;190.00\nWest;Lamp, tall;5;12.25\n";
    let forms = [
        ("commas", SALES.to_string()),
        ("semicolons", semicolons.to_string()),
        ("tabs", semicolons.replace(';', "\t")),
        ("CRLF", SALES.replace('\n', "\r\n")),
        ("byte order mark", format!("\u{feff}{SALES}")),
        ("no newline at the end", SALES.trim_end().to_string()),
    ];
    let questions = [
        ("average price by region", json!([["North", 100.25], ["South", 200.0], ["West", 12.25]])),
        ("how many rows", json!([[4]])),
        ("total quantity by product", json!([["Lamp, tall", 8], ["Desk", 3]])),
    ];
    let place = Place::new();
    for (form, text) in forms {
        let file = place.file("sales.csv", text);
        for (question, expected) in &questions {
            let answer = place.answer(&[file.to_str().unwrap()], question);
            let expected: Vec<Vec<Value>> = serde_json::from_value(expected.clone()).unwrap();
            assert!(same_rows(&in_focus(&answer), &expected, false), "{form}, {question}: {}", answer["table"]);
            assert_eq!(answer["known"]["level"], "verified", "{form}, {question}");
            assert_eq!(answer["dataset"]["id"], "sales");
        }
    }
}

#[test]
fn a_file_is_read_once_until_it_changes() {
    let place = Place::new();
    let file = place.file("sales.csv", SALES);
    let data = [file.to_str().unwrap()];
    let first = place.answer(&data, "how many rows");
    let again = place.answer(&data, "average price by region");
    assert_eq!((versions(&place), &again["dataset"]), (1, &first["dataset"]));
    place.file("copy/sales.csv", SALES);
    let copy = place.answer(&[place.path("copy/sales.csv").to_str().unwrap()], "how many rows");
    assert_eq!((versions(&place), &copy["dataset"]), (1, &first["dataset"]), "the same contents are the same version");
    place.file("sales.csv", format!("{SALES}East,Desk,1,1.00\n"));
    let changed = place.answer(&data, "how many rows");
    assert_ne!(changed["dataset"]["version"], first["dataset"]["version"]);
    assert_eq!((versions(&place), in_focus(&changed)), (2, vec![vec![json!(5)]]));
    place.file("sales.csv", SALES);
    assert_eq!(place.answer(&data, "how many rows")["dataset"], first["dataset"]);
    assert_eq!(versions(&place), 2);
    let locks = place.data_ending_with(".lock");
    assert!(place.data_ending_with(".part").is_empty() && locks.len() <= 3, "one a version and the store's: {locks:?}");
}

#[test]
fn the_first_questions_may_come_at_once() {
    let place = Place::new();
    let file = place.file("sales.csv", SALES);
    let ask = || place.assay(["ask", file.to_str().unwrap(), "how many rows", "--json"]).start();
    for child in [ask(), ask(), ask(), ask()] {
        let output = child.wait_with_output().unwrap();
        let answer: Value = serde_json::from_slice(&output.stdout).expect("one document");
        assert_eq!(answer["table"]["rows"], json!([[4]]), "{answer}");
    }
    assert_eq!(versions(&place), 1);
}

#[test]
fn two_files_with_a_key_in_common_are_joined() {
    let place = Place::new();
    let customers = place.file("customers.csv", "customer_id,name,city\n1,Ann,Oslo\n2,Bob,Rome\n3,Cid,Oslo\n");
    let purchases =
        place.file("purchases.csv", "purchase_id,customer_id,amount\n10,1,5.00\n11,1,7.50\n12,2,1.00\n13,3,2.00\n");
    let data = [purchases.to_str().unwrap(), customers.to_str().unwrap()];
    let shown = place.json(0, &["data", "show", data[0], data[1]]);
    let relation = json!({
        "from_table": "purchases", "from_column": "customer_id", "to_table": "customers", "to_column": "customer_id",
    });
    assert_eq!(shown["relations"], json!([relation]));
    let answer = place.answer(&data, "total amount by city");
    let expected = vec![vec![json!("Oslo"), json!(14.5)], vec![json!("Rome"), json!(1.0)]];
    assert!(same_rows(&in_focus(&answer), &expected, false), "{}", answer["table"]);
}

#[test]
fn an_exported_dataset_gives_the_answers_of_the_built_in_one() {
    let place = Place::new();
    for dataset in ["ecommerce", "support", "sensors"] {
        let folder = place.path(dataset.to_owned() + "-exported");
        let folder = folder.to_str().unwrap();
        place.json(0, &["data", "export", dataset, "--to", folder]);
        let described = |value: &Value| {
            let mut value = value.clone();
            for field in ["id", "version", "notes"] {
                value.as_object_mut().unwrap().remove(field);
            }
            value
        };
        let of_files = place.json(0, &["data", "show", folder]);
        let built_in = shared().json(0, &["data", "show", dataset]);
        assert_eq!(described(&of_files), described(&built_in), "{dataset} is described alike");
        let name = format!("{dataset}_again");
        place.json(0, &["data", "add", folder, "--name", &name]);
        for question in built_in["questions"].as_array().unwrap() {
            let question = question.as_str().unwrap();
            let one = place.json_any(&["ask", &name, question]);
            let other = shared().json_any(&["ask", dataset, question]);
            assert_eq!(one["status"], "answered", "{question:?}: {}", one["refusal"]);
            for field in ["status", "table", "focus", "sentence", "assumptions"] {
                assert_eq!(one[field], other[field], "{field} of {question:?}");
            }
        }
    }
}

/// Suggested questions about a number that only the `dataset.toml` says how to compute.
const NEED_A_MEASURE: &[(&str, &str)] = &[
    ("ecommerce", "What are the top 10 products by revenue?"),
    ("ecommerce", "What was the revenue by category last month?"),
    ("ecommerce", "What is the average order value by month?"),
    ("support", "What is the SLA compliance by priority?"),
];

const REVENUE: &str = r#"
[[measure]]
name = "revenue"
agg = "sum"
expr = "order_items.price * order_items.quantity"
tables = ["order_items"]
"#;

#[test]
fn without_its_declared_measures_a_dataset_refuses_them_and_says_how_to_declare_one() {
    let place = Place::new();
    for (dataset, question) in NEED_A_MEASURE {
        let folder = place.path(dataset);
        if !folder.exists() {
            place.json(0, &["data", "export", dataset, "--to", dataset]);
            fs::remove_file(folder.join("dataset.toml")).unwrap();
        }
        let data = format!("./{dataset}");
        let refused = place.json(1, &["ask", &data, question]);
        // Where every word has a meaning of its own, a column is what may have been meant.
        if refused["refusal"]["words"] == json!([]) {
            assert_eq!(refused["refusal"]["suggestions"][0], "What is the average total?", "{question:?}: {refused}");
            continue;
        }
        let hint = refused["refusal"]["hint"].as_str().unwrap_or_else(|| panic!("{question:?}: {refused}"));
        assert!(hint.contains("[[measure]]"), "{question:?}: {hint}");
    }
    let told = place.assay(["ask", "./ecommerce", "revenue by category"]).run().exits(1);
    assert!(told.stderr.contains("hint: if `revenue` is a number to be computed, declare it"), "{}", told.stderr);
    assert!(told.stderr.contains("`assay data init FOLDER` writes a first"), "{}", told.stderr);
    // As the hint says: a measure is declared, and the question has an answer.
    place.json(0, &["data", "init", "./ecommerce"]);
    let metadata = fs::read_to_string(place.path("ecommerce/dataset.toml")).unwrap();
    place.file("ecommerce/dataset.toml", metadata + REVENUE);
    let answer = place.answer(&["./ecommerce"], "revenue by category");
    assert_eq!(answer["known"]["level"], "verified", "{answer}");
}

#[test]
fn exported_files_are_plain_csv() {
    let place = Place::new();
    let folder = place.path("deep/er/exported");
    place.json(0, &["data", "export", "support", "--to", folder.to_str().unwrap()]);
    let text = fs::read_to_string(folder.join("tickets.csv")).unwrap();
    let mut lines = text.lines();
    assert!(lines.next().unwrap().starts_with("ticket_id,created_at,resolved_at,category,priority,csat_score,sla_met"));
    let first: Vec<&str> = lines.next().unwrap().split(',').collect();
    assert!(first[6] == "true" || first[6] == "false", "{first:?}");
    assert!(first[1].starts_with("20") && first[1].as_bytes()[4] == b'-', "{first:?}");
    assert_eq!(text.lines().count(), 6418);
    assert!(text.contains(",,"), "nulls are empty");
    assert!(folder.join("dataset.toml").is_file());
}

#[test]
fn tables_and_columns_are_named_as_the_interface_says() {
    let place = Place::new();
    let names = ["Sales 2024 (final).csv", "2014_q4.csv", "a/x.csv", "b/X.csv"];
    let files: Vec<String> = names
        .iter()
        .map(|name| place.file(name, "Total Value,,id,id\n1,2,3,4\n5,6,7,8\n").display().to_string())
        .collect();
    let arguments: Vec<&str> = ["data", "show"].into_iter().chain(files.iter().map(String::as_str)).collect();
    let shown = place.json(0, &arguments);
    let tables: BTreeMap<&str, Vec<&str>> = shown["tables"]
        .as_array()
        .unwrap()
        .iter()
        .map(|table| {
            let columns = table["columns"].as_array().unwrap().iter().map(|column| column["name"].as_str().unwrap());
            (table["name"].as_str().unwrap(), columns.collect())
        })
        .collect();
    let columns = vec!["Total Value", "column_2", "id", "id_2"];
    let expected = ["sales_2024_final", "t_2014_q4", "x", "x_2"].map(|name| (name, columns.clone()));
    assert_eq!(tables, BTreeMap::from(expected));
}

#[test]
fn a_file_with_a_header_only_has_no_rows() {
    let place = Place::new();
    let file = place.file("empty.csv", "region,price\n");
    let answer = place.answer(&[file.to_str().unwrap()], "how many rows");
    assert_eq!(in_focus(&answer), [[json!(0)]]);
    let listed = place.json(0, &["sql", file.to_str().unwrap(), "SELECT * FROM \"empty\""]);
    assert!(rows(&listed["table"]).is_empty());
}

#[test]
fn cells_that_look_like_formulas_or_markup_stay_text() {
    let place = Place::new();
    let odd = "name,note\n=1+1,\"<b>bold</b>\"\n\"line\nbreak\",\"quote \"\" inside\"\n'; DROP TABLE x; --,\u{202e}\n";
    let file = place.file("odd.csv", odd);
    let listed = place.json(0, &["sql", file.to_str().unwrap(), "SELECT * FROM odd"]);
    let expected =
        json!([["=1+1", "<b>bold</b>"], ["line\nbreak", "quote \" inside"], ["'; DROP TABLE x; --", "\u{202e}"]]);
    assert_eq!(listed["table"]["rows"], expected);
}

#[test]
fn words_for_missing_numbers_are_empty_and_said_and_text_stays_text() {
    let place = Place::new();
    place.file(
        "prices.csv",
        "day,price,code,paid\n1,1.5,NA,2024-01-01\n2,null,DE,n/a\n3,2.5,FR,2024-02-01\n4,-,US,2024-03-01\n",
    );
    let shown = place.assay(["data", "show", "prices.csv", "--json"]).run().document();
    let columns = shown["tables"][0]["columns"].as_array().unwrap();
    let types: Vec<&Value> = columns.iter().map(|column| &column["type"]).collect();
    assert_eq!(types, ["int", "float", "text", "date"]);
    assert_eq!((&columns[1]["nulls"], &columns[2]["nulls"], &columns[3]["nulls"]), (&json!(2), &json!(0), &json!(1)));
    let notes = shown["notes"].to_string();
    assert!(notes.contains("`price`") && notes.contains("read as empty: 2") && !notes.contains("`code`"), "{notes}");
    let answer = place.answer(&["prices.csv"], "average price");
    assert_eq!(in_focus(&answer), [[json!(2.0)]]);
}

/// Goods whose brand is often `None`, with a column of few answers, one of codes and one of signs.
fn goods() -> String {
    let brands = ["None", "Acme", "Bolt", "None", "Corex", "Dyna", "None", "Elan", "Fuji", "n/a", "Acme", "?"];
    let makers = ["Unknown", "Ore", "Unknown", "Pine", "Ore", "Unknown"];
    let row = |at: usize| {
        let (paid, land, sign) = (["yes", "no", "unknown"][at % 3], ["NA", "DE", "FR"][at % 3], ["-", "+"][at % 2]);
        format!("G{at},{},{},{paid},{land},{sign},{}\n", brands[at], makers[at % 6], 10 + at)
    };
    format!("code,brand,maker,paid,land,sign,price\n{}", (0..brands.len()).map(row).collect::<String>())
}

#[test]
fn words_for_no_name_are_said_win_nothing_and_are_meant_by_without() {
    let place = Place::new();
    let file = place.file("goods.csv", goods());
    let file = file.to_str().unwrap();
    let shown = place.json(0, &["data", "show", file]);
    let nulls: Vec<&Value> =
        shown["tables"][0]["columns"].as_array().unwrap().iter().map(|column| &column["nulls"]).collect();
    assert_eq!(nulls, [0, 5, 0, 0, 0, 0, 0], "a brand is missing; Unknown, answers, Namibia and signs are values");
    let notes: Vec<&str> = shown["notes"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert_eq!(
        notes,
        [
            "`goods.csv`, column `brand`: `None` (3 rows), `?` (1 row), `n/a` (1 row) probably mean that there is no \
             value, read as empty",
            "`goods`, column `maker`: `Unknown` (6 rows) probably means that there is no value; kept, and left out of \
             rankings",
        ]
    );
    let cases = [
        ("which brand has the most goods", json!([["Acme"]])),
        ("how many goods have no brand", json!([[5]])),
        ("how many goods without a brand", json!([[5]])),
        ("how many goods have an unknown brand", json!([[5]])),
        ("which maker has the most goods", json!([["Ore"]])),
        ("how many goods have no maker", json!([[6]])),
        ("how many goods without a maker", json!([[6]])),
        ("how many goods have an unknown maker", json!([[6]])),
        ("how many goods have the maker Unknown", json!([[6]])),
    ];
    for (question, expected) in cases {
        let answer = place.answer(&[file], question);
        let cells: Vec<Vec<Value>> = in_focus(&answer).into_iter().map(|row| row[..1].to_vec()).collect();
        assert_eq!(json!(cells), expected, "{question}: {}", answer["reading"]);
    }
    for (question, told) in [
        ("number of goods by brand", "Acme has the highest number of rows, 2; "),
        ("number of goods by maker", "Ore has the higher number of rows, 4; Pine has 2; Unknown: 6."),
        ("number of goods by paid", "All 3 groups: number of rows 4."),
    ] {
        let sentence = place.answer(&[file], question)["sentence"].as_str().unwrap().to_string();
        assert!(sentence.starts_with(told), "{sentence}");
    }
}

#[test]
fn a_period_in_the_name_of_a_column_is_not_asked_for() {
    let place = Place::new();
    let rows = "country,plan_monthly_price,started_on\nUS,10,2024-01-05\nUS,20,2024-02-05\nCA,5,2024-02-09\n";
    let file = place.file("plans.csv", rows);
    let answer = place.json(0, &["ask", file.to_str().unwrap(), "Sum of the monthly plan price by country"]);
    assert_eq!(answer["table"]["rows"], json!([["US", 30], ["CA", 5]]), "{}", answer["reading"]);
}

/// A file of 40 MB, large enough for two threads to read it.
fn large(paid: fn(usize) -> &'static str) -> String {
    const ROWS: usize = 1_300_000;
    let rows = (1..=ROWS).map(|row| format!("{row},{},2024-01-01 00:00:00\n", paid(row)));
    format!("id,paid,at\n{}", rows.collect::<String>())
}

#[test]
fn a_large_file_is_kept_in_the_order_of_its_rows() {
    let place = Place::new();
    // The second cannot be read in one typed pass.
    place.file("clean.csv", large(|row| if row % 3 == 0 { "true" } else { "false" }));
    place.file("gaps.csv", large(|row| if row % 100_000 == 7 { "n/a" } else { "false" }));
    for table in ["clean", "gaps"] {
        let placed = format!("SELECT id, row_number() OVER () AS place FROM {table}");
        let moved = format!("SELECT count(*) FROM ({placed}) WHERE id <> place");
        let moved = place.json(0, &["sql", &format!("{table}.csv"), &moved]);
        assert_eq!(rows(&moved["table"]), [[json!(0)]], "{table}");
    }
}

#[test]
fn reading_a_large_file_says_on_the_terminal_how_far_it_is() {
    let place = Place::new();
    let file = place.file("large.csv", large(|_| "true"));
    let more = large(|_| "true").split_once('\n').expect("a header").1.repeat(4);
    let percent = |line: &str| line.strip_prefix("reading large.csv ")?.strip_suffix(" %…")?.parse().ok();
    // What is read at once is not told; so the file grows until it takes a while on this machine, too.
    let mut told: Vec<u8> = Vec::new();
    for _ in 0..4 {
        let ran = place.assay(["data", "show", "large.csv"]).on_a_terminal().run().exits(0);
        told = ran.stdout.split("\r\x1b[K").filter_map(percent).collect();
        if told.iter().any(|percent| (1..100).contains(percent)) {
            return assert!(told.is_sorted(), "{told:?}: {}", ran.stdout);
        }
        OpenOptions::new().append(true).open(&file).unwrap().write_all(more.as_bytes()).unwrap();
    }
    panic!("{told:?}");
}
