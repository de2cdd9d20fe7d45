//! What a new user types first: the name alone, the small files of the examples, statements from elsewhere, a thread that
//! knows its data.

use serde_json::json;

use crate::support::{Place, shared};

#[test]
fn the_name_alone_says_where_to_begin() {
    let ran = shared().assay([] as [&str; 0]).run();
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    for word in ["assay ask ecommerce", "assay data list", "assay serve", "assay doctor", "--help"] {
        assert!(ran.stdout.contains(word), "{}", ran.stdout);
    }
    assert_eq!(shared().assay(["data"]).run().code, Some(2), "half a command is none");
}

#[test]
fn the_files_of_the_examples_are_written_and_answer_what_stands_there() {
    let place = Place::new();
    let written = place.json(0, &["demo", "files", "try"]);
    assert_eq!(written["kind"], "demo_files");
    assert!(written["files"].as_array().is_some_and(|files| files.contains(&json!("shop/orders.csv"))), "{written}");
    place.json(0, &["demo", "files", "try"]);
    let asked = |code: i32, data: &[&str], question: &str| place.json(code, &[&["ask"], data, &[question]].concat());
    let answer = asked(0, &["try/sales.csv", "try/stores.csv"], "average price by country");
    assert_eq!(answer["table"]["rows"][0], json!(["Ireland", 240.0]));
    assert_eq!(asked(1, &["try/rides.csv"], "rides by station")["refusal"]["reason"], "ambiguous");
    assert_eq!(asked(0, &["./try/shop"], "orders per month")["table"]["row_count"], 4);
    let guess = place.json(1, &["guard", "check", "try/guess.py", "--profile", "analysis"]);
    assert!(!guess["findings"].as_array().unwrap().is_empty(), "{guess}");
    let scored = place
        .assay(["eval", "cases.jsonl", "--out", "results.jsonl", "--json"])
        .within(&place.path("try"))
        .run()
        .document();
    assert_eq!((&scored["right"], &scored["refused_right"]), (&json!(2), &json!(1)), "{scored}");
    place.file("try/sales.csv", "mine\n1\n");
    let refused = place.assay(["demo", "files", "try", "--json"]).run();
    assert_eq!((refused.code, &refused.document()["code"]), (Some(2), &json!("usage")));
    assert_eq!(std::fs::read_to_string(place.path("try/sales.csv")).unwrap(), "mine\n1\n");
}

#[test]
fn a_statement_may_come_from_standard_input_and_go_out_as_markdown() {
    let place = shared();
    let sql =
        |arguments: &[&str], typed: &str| place.assay([&["sql", "support"], arguments].concat()).stdin(typed).run();
    let made = sql(&["-", "--markdown"], "SELECT priority, count(*) AS n FROM tickets GROUP BY 1 ORDER BY 1 LIMIT 1\n");
    assert_eq!(made.code, Some(0), "{}", made.stderr);
    assert!(made.stdout.starts_with("| priority | n |\n| --- | ---: |\n| Critical | "), "{}", made.stdout);
    assert_eq!(sql(&["-", "--json"], "DROP TABLE tickets").code, Some(1));
    let cut = sql(&["SELECT ticket_id FROM tickets", "--markdown"], "");
    assert!(cut.stderr.contains("the first 1000 of 6417 rows"), "{}", cut.stderr);
}

#[test]
fn a_thread_knows_its_data() {
    let place = shared();
    let first = place.json(0, &["ask", "ecommerce", "revenue by category", "--thread", "knows"]);
    let then = place.json(0, &["ask", "only for May 2026", "--thread", "knows"]);
    assert_eq!((&then["dataset"], then["status"].as_str()), (&first["dataset"], Some("answered")));
    let none = place.assay(["ask", "only for May 2026", "--thread", "nobody-began-it", "--json"]).run();
    assert_eq!((none.code, &none.document()["code"]), (Some(2), &json!("usage")));
    assert!(none.document()["hint"].as_str().unwrap().contains("name the data once"));
}
