//! `assay eval`: what counts as right, what a result says, and that nothing is lost to a bad line or a kill.

use std::fs;

use serde_json::{Value, json};

use crate::support::Place;

const SALES: &str = "region,product,quantity,price\nNorth,\"Lamp, tall\",3,10.50\nSouth,Desk,1,200.00\n\
    North,Desk,2,190.00\nWest,\"Lamp, tall\",5,12.25\n";

/// Tables as strangers write them: names that are no identifiers, repeated headers, rows of any length, every type.
fn awkward_tables() -> String {
    let tables = [
        json!({"id": "2-149", "columns": [{"name": "Set 1", "type": null}, {"name": "Club", "type": null}],
               "rows": [["26–24", "Lube"], ["25–20", "Zenit"]]}),
        json!({"id": "order; DROP TABLE \"x\"", "columns": [{"name": "select", "type": null},
               {"name": "Größe (cm)", "type": null}, {"name": "", "type": null}],
               "rows": [["a", "1,200", "x"], ["b", "3,400"], ["c", "800", "y", "beyond"]]}),
        json!({"id": "typed", "columns": [{"name": "Code", "type": "text"}, {"name": "Score", "type": "int"},
               {"name": "Day", "type": "date"}],
               "rows": [["007", 3, "2024-05-01"], ["008", "4", "2024-05-02"], ["009", null, null]]}),
        json!({"id": "2 149", "columns": [{"name": "City", "type": null}, {"name": "People", "type": null}],
               "rows": [["Bonn", 330000], ["Köln", 1080000]]}),
        json!({"id": "members", "columns": [{"name": "member_id", "type": null}, {"name": "name", "type": null}],
               "rows": [[1, "Ada"], [2, "Bo"], [3, "Cy"]]}),
        json!({"id": "loans", "columns": [{"name": "loan_id", "type": null}, {"name": "member_id", "type": null},
               {"name": "fee", "type": null}],
               "rows": [[10, 1, 2.5], [11, 1, 1.5], [12, 3, 4.0], [13, 2, 1.0]]}),
    ];
    tables.iter().map(|table| format!("{table}\n")).collect()
}

struct Evaluated {
    summary: Value,
    results: Vec<Value>,
}

impl Evaluated {
    fn result(&self, id: &str) -> &Value {
        self.results.iter().find(|result| result["id"] == id).unwrap_or_else(|| panic!("no result of {id}"))
    }
}

#[track_caller]
fn evaluate(place: &Place, cases: &[Value], flags: &[&str]) -> Evaluated {
    let text: String = cases.iter().map(|case| format!("{case}\n")).collect();
    evaluate_text(place, &text, flags)
}

#[track_caller]
fn evaluate_text(place: &Place, cases: &str, flags: &[&str]) -> Evaluated {
    place.file("cases.jsonl", cases);
    let arguments = [&["eval", "cases.jsonl", "--out", "results.jsonl"], flags].concat();
    let summary = place.json(0, &arguments);
    let lines = fs::read_to_string(place.path("results.jsonl")).unwrap();
    let results: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for result in &results {
        holds(result);
    }
    assert_eq!(summary["cases"], results.len(), "{summary}");
    Evaluated { summary, results }
}

/// What must hold of every line of results.
#[track_caller]
fn holds(result: &Value) {
    let fields = "id status would_refuse right confidence reason plan_hash plan columns rows plan_ms total_ms";
    for field in fields.split_whitespace() {
        assert!(result.get(field).is_some(), "`{field}` is missing in {result}");
    }
    let is_answered = result["status"] == "answered";
    for field in ["plan_hash", "plan", "columns", "rows"] {
        assert_eq!(!result[field].is_null(), is_answered, "{field}: {result}");
    }
    assert_eq!(result["reason"].is_null(), is_answered && result["would_refuse"] == false, "{result}");
}

#[test]
fn answers_are_right_as_people_would_say() {
    let place = Place::new();
    place.file("sales.csv", SALES);
    let average = |id: &str, expect: Value| json!({"id": id, "dataset": ["sales.csv"], "tables": null, "question": "average price by region", "expect": expect});
    let cases = [
        average(
            "any order",
            json!({"rows": [["west", "12.25"], ["SOUTH", "$ 200"], ["north", 100.25]], "ordered": false}),
        ),
        average("its order", json!({"rows": [["South", 200], ["North", 100.25], ["West", 12.25]], "ordered": true})),
        average(
            "another order",
            json!({"rows": [["West", 12.25], ["North", 100.25], ["South", 200]], "ordered": true}),
        ),
        average("a row short", json!({"rows": [["West", 12.25], ["North", 100.25]]})),
        average("another number", json!({"rows": [["West", 12.25], ["North", 100.26], ["South", 200]]})),
        average("also", json!({"rows": [["x", 1]], "also": [[["West", 12.25], ["North", 100.25], ["South", 200]]]})),
        average("should be refused", json!({"refused": true})),
        json!({"id": "unscored", "dataset": ["sales.csv"], "question": "how many rows"}),
        json!({"id": "focus", "dataset": ["sales.csv"], "question": "which product has the highest total quantity",
               "expect": {"rows": [["lamp tall"]]}}),
        json!({"id": "refused", "dataset": "ecommerce", "question": "profit by category", "expect": {"refused": true}}),
        json!({"id": "tickets", "dataset": "support", "question": "How many tickets are there?",
               "expect": {"rows": [["6,417"]]}}),
    ];
    let evaluated = evaluate(&place, &cases, &[]);
    let right: Vec<(&str, &Value)> =
        evaluated.results.iter().map(|result| (result["id"].as_str().unwrap(), &result["right"])).collect();
    let (yes, no, unknown) = (&json!(true), &json!(false), &Value::Null);
    assert_eq!(
        right,
        [
            ("any order", yes),
            ("its order", yes),
            ("another order", no),
            ("a row short", no),
            ("another number", no),
            ("also", yes),
            ("should be refused", no),
            ("unscored", unknown),
            ("focus", yes),
            ("refused", yes),
            ("tickets", yes),
        ]
    );
    assert_eq!(evaluated.result("focus")["columns"], json!(["product"]));
    assert_eq!(evaluated.result("refused")["reason"], "unknown_word");
    assert_eq!(evaluated.result("tickets")["known"], "verified");
    let summary = &evaluated.summary;
    let counts = ["cases", "answered", "right", "wrong", "refused", "refused_right", "problems"];
    assert_eq!(counts.map(|name| summary[name].as_u64().unwrap()), [11, 10, 5, 4, 1, 1, 0]);
    let close = |name: &str, expected: f64| (summary[name].as_f64().unwrap() - expected).abs() < 1e-9;
    assert!(close("accuracy", 6.0 / 10.0) && close("precision", 5.0 / 9.0) && close("coverage", 1.0), "{summary}");
    let last = summary["curve"].as_array().unwrap().last().unwrap();
    assert!((last["precision"].as_f64().unwrap() - 5.0 / 9.0).abs() < 1e-9 && last["coverage"] == 1.0, "{summary}");
}

#[test]
fn a_case_says_what_ask_says() {
    let place = Place::new();
    place.file("sales.csv", SALES);
    let questions = ["average price by region", "how many rows", "total quantity by product", "profit by moon"];
    let cases: Vec<Value> = questions
        .iter()
        .map(|question| json!({"id": question, "dataset": ["sales.csv"], "question": question}))
        .collect();
    let evaluated = evaluate(&place, &cases, &[]);
    for question in questions {
        let answer = place.assay(["ask", "sales.csv", question, "--json"]).run().document();
        let result = evaluated.result(question);
        assert_eq!(result["status"], answer["status"], "{question}");
        assert_eq!(result["plan_hash"], answer["plan_hash"], "{question}");
        assert_eq!(result["confidence"], answer["confidence"], "{question}");
        assert_eq!(result["known"], answer["known"]["level"], "{question}");
        assert_eq!(result["reason"], answer["refusal"]["reason"], "{question}");
    }
}

#[test]
fn tables_of_a_file_are_datasets_of_their_own() {
    let place = Place::new();
    place.file("tables.jsonl", awkward_tables());
    let of = |id: &str, tables: Value, question: &str, rows: Value| json!({"id": id, "dataset": null, "tables": tables, "question": question, "expect": {"rows": rows}});
    let drop = "order; DROP TABLE \"x\"";
    let cases = [
        of("number", json!([drop]), "what is the total größe?", json!([["5400"]])),
        of("count", json!([drop]), "how many rows", json!([[3]])),
        of("code stays text", json!(["typed"]), "list the code", json!([["007"], ["008"], ["009"]])),
        of("typed", json!(["typed"]), "average score", json!([[3.5]])),
        of("same name", json!(["2 149"]), "total people", json!([[1_410_000]])),
        of("dash", json!(["2-149"]), "how many rows", json!([[2]])),
        of("joined", json!(["loans", "members"]), "total fee by name", json!([["Ada", 4], ["Cy", 4], ["Bo", 1]])),
        of("unknown", json!(["nowhere"]), "how many rows", json!([[1]])),
    ];
    let evaluated = evaluate(&place, &cases, &["--tables", "tables.jsonl"]);
    for result in &evaluated.results {
        let expected = if result["id"] == "unknown" { "problem" } else { "answered" };
        assert_eq!(result["status"], expected, "{result}");
        assert_eq!(result["right"], result["id"] != "unknown", "{result}");
    }
    assert_eq!(evaluated.result("unknown")["reason"], "table_unknown");
    assert_eq!(evaluated.result("joined")["known"], "verified");
    let again = place.assay(["eval", "cases.jsonl", "--tables", "tables.jsonl"]).run().exits(0);
    assert!(!again.stderr.contains("reading"), "the tables are read once: {}", again.stderr);
}

#[test]
fn a_bad_line_is_told_by_its_number_and_loses_nothing() {
    let place = Place::new();
    let good = json!({"id": "t", "columns": [{"name": "n", "type": null}], "rows": [[1], [2]]});
    let tables = [
        "not json".to_string(),
        json!({"id": "u", "columns": [{"name": "n", "type": "colour"}], "rows": []}).to_string(),
        json!({"id": "w", "columns": [{"name": "n", "type": "int"}], "rows": [["x"]]}).to_string(),
        String::new(),
        good.to_string(),
        json!({"id": "t", "columns": [{"name": "m", "type": null}], "rows": []}).to_string(),
    ];
    place.file("tables.jsonl", tables.join("\n"));
    let cases = [
        json!({"id": "good", "tables": ["t"], "question": "total n", "expect": {"rows": [[3]]}}).to_string(),
        "{\"id\": \"cut\", \"tables\": [\"t\"]".to_string(),
        json!({"id": "neither", "question": "how many"}).to_string(),
        json!({"id": "no type", "tables": ["u"], "question": "how many rows"}).to_string(),
        json!({"id": "no int", "tables": ["w"], "question": "how many rows"}).to_string(),
        json!({"id": "good", "tables": ["t"], "question": "total n"}).to_string(),
        json!({"id": "no file", "dataset": ["gone.csv"], "question": "how many rows"}).to_string(),
        json!({"id": "last", "tables": ["t"], "question": "how many rows", "expect": {"rows": [[2]]}}).to_string(),
    ];
    let evaluated = evaluate_text(&place, &cases.join("\n"), &["--tables", "tables.jsonl"]);
    let said: Vec<String> = evaluated
        .results
        .iter()
        .map(|result| {
            let message = result["message"].as_str().unwrap_or_default();
            format!("{} {} {}", result["id"].as_str().unwrap(), result["status"].as_str().unwrap(), message)
        })
        .collect();
    let expected = [
        "good answered ",
        "line 2 problem line 2 of `cases.jsonl`: it is no case: EOF",
        "neither problem line 3 of `cases.jsonl`: it has neither",
        "no type problem line 2 of `tables.jsonl` gives column `n` the type \"colour\"",
        "no int problem line 3 of `tables.jsonl`",
        "good problem line 6 of `cases.jsonl`: the id `good` is that of line 1",
        "no file problem cannot read `gone.csv`",
        "last answered ",
    ];
    assert_eq!(said.len(), expected.len(), "{said:#?}");
    for (said, expected) in said.iter().zip(expected) {
        assert!(said.starts_with(expected), "{said}\nshould begin with\n{expected}");
    }
    assert_eq!(evaluated.summary["problems"], 6);
    assert_eq!(evaluated.summary["right"], 2);

    let without = evaluate_text(&place, &cases[0], &[]);
    assert_eq!(without.result("good")["reason"], "usage", "no tables file was given");
}

#[test]
fn answer_all_answers_what_would_be_refused_and_says_so() {
    let place = Place::new();
    place.file(
        "games.csv",
        "game,date,away team,away team score,score,record\n67,march 3,jets,4.15 (39),24-7,4-10\n\
         68,march 5,kings,3.11 (29),21-7,5-10\n69,march 7,jets,2.1 (13),24-9,6-10\n",
    );
    let questions = [
        "how many rows",
        "What's the record of game 67?",
        "Which away team scored 4.15 (39)?",
        "Which date has a score of 24-7, and a record of 4-10?",
        "What is the purpose of life?",
    ];
    let cases: Vec<Value> = questions
        .iter()
        .map(|question| json!({"id": question, "dataset": ["games.csv"], "question": question}))
        .collect();
    let plain = evaluate(&place, &cases, &[]);
    let all = evaluate(&place, &cases, &["--answer-all"]);
    assert!(
        all.summary["answered"].as_u64() > plain.summary["answered"].as_u64(),
        "{}\n{}",
        all.summary,
        plain.summary
    );
    for (plain, all) in plain.results.iter().zip(&all.results) {
        assert_eq!(plain["would_refuse"], plain["status"] == "refused", "{plain}");
        assert_eq!((&all["would_refuse"], &all["reason"]), (&plain["would_refuse"], &plain["reason"]), "{all}");
    }
}

#[test]
fn weights_are_read_and_a_bad_line_of_them_is_named() {
    let place = Place::new();
    place.file(
        "cases.jsonl",
        json!({"id": "a", "dataset": "support", "question": "How many tickets are there?"}).to_string(),
    );
    place.file("weights.tsv", "# none\n");
    place.json(0, &["eval", "cases.jsonl", "--weights", "weights.tsv"]);
    place.file("weights.tsv", "a\t1\nb two\n");
    let problem = place.json(2, &["eval", "cases.jsonl", "--weights", "weights.tsv"]);
    assert_eq!(problem["code"], "file_format");
    assert!(problem["message"].as_str().unwrap().contains("line 2"), "{problem}");
    let problem = place.json(2, &["eval", "gone.jsonl"]);
    assert_eq!(problem["code"], "file_unreadable");
}

#[test]
fn the_page_shows_failures_and_lets_no_word_of_theirs_become_markup() {
    let place = Place::new();
    place.file("sales.csv", "region,price\n<script>alert(1)</script>,3\n\"\"\"><img src=x>\",4\n");
    let cases = [
        json!({"id": "<b>id</b>", "dataset": ["sales.csv"], "question": "average price by region",
               "expect": {"rows": [["<i>& \"x\" 'y'\u{202e}", 1]]}}),
        json!({"id": "r", "dataset": ["sales.csv"], "question": "profit by </article><svg onload=alert(1)>",
               "expect": {"rows": [[1]]}}),
    ];
    evaluate(&place, &cases, &["--html", "report.html"]);
    let page = fs::read_to_string(place.path("report.html")).unwrap();
    for raw in ["<script", "<img", "<b>", "<i>", "<svg onload", "\u{202e}", "href="] {
        assert!(!page.contains(raw), "{raw}");
    }
    for shown in [
        "&lt;script&gt;alert(1)&lt;/script&gt;",
        "&lt;b&gt;id&lt;/b&gt;",
        "&lt;i&gt;&amp; &quot;x&quot; &#39;y&#39;·",
        "average price by region",
        "Failures: 2",
        "prefers-color-scheme:dark",
        "<svg viewBox",
    ] {
        assert!(page.contains(shown), "{shown}\n{page}");
    }
}

#[test]
fn people_get_the_figures_and_the_first_failures() {
    let place = Place::new();
    place.file("sales.csv", SALES);
    let case = json!({"id": "wrong", "dataset": ["sales.csv"], "question": "how many rows", "expect": {"rows": [[5]]}});
    place.file("cases.jsonl", case.to_string());
    let said = place.assay(["eval", "cases.jsonl"]).run().exits(0);
    for expected in
        ["1 cases, accuracy 0.0 %", "0 right, 1 wrong", "wrong  how many rows", "answered  4", "expected  5"]
    {
        assert!(said.stdout.contains(expected), "{expected}\n{}", said.stdout);
    }
}

#[test]
fn an_evaluation_that_was_killed_goes_on_where_it_stopped() {
    let place = Place::new();
    place.file("sales.csv", SALES);
    let cases = [
        json!({"id": "a", "dataset": ["sales.csv"], "question": "how many rows", "expect": {"rows": [[4]]}}),
        json!({"id": "b", "dataset": "support", "question": "How many tickets are there?", "expect": {"rows": [[6417]]}}),
    ];
    place.file("cases.jsonl", cases.map(|case| format!("{case}\n")).concat());
    place.assay(["eval", "cases.jsonl", "--key", "k"]).env("ASSAY_FAULT", "after_commit:0").run();
    let summary = place.json(0, &["eval", "cases.jsonl", "--key", "k", "--out", "results.jsonl"]);
    assert_eq!((&summary["cases"], &summary["right"]), (&json!(2), &json!(2)));
    let run = place.json(0, &["runs", "show", summary["run"].as_str().unwrap()]);
    assert_eq!((&run["attempts"], run["steps"].as_array().unwrap().len()), (&json!(2), 2), "{run}");
    assert_eq!(fs::read_to_string(place.path("results.jsonl")).unwrap().lines().count(), 2);
    let replay = place.json(0, &["runs", "replay", summary["run"].as_str().unwrap()]);
    assert_eq!(replay["same"], true, "{replay}");
}
