//! `assay sql`: what is refused and where, what comes back, and what ends at a limit.

use std::time::Duration;

use serde_json::{Value, json};

use crate::support::leftovers::Before;
use crate::support::tables::rows;
use crate::support::{Place, shared};

#[test]
fn statements_that_do_more_than_read_are_refused_at_the_right_token() {
    let cases = [
        ("DROP TABLE orders", "DROP"),
        ("  drop table orders", "drop"),
        ("COPY orders TO '/tmp/x.csv'", "COPY"),
        ("COPY (SELECT 1) TO '/tmp/x.csv'", "COPY"),
        ("ATTACH '/tmp/x.db' AS x", "ATTACH"),
        ("SELECT * FROM read_csv('/etc/passwd')", "read_csv"),
        ("SELECT * FROM read_text('/etc/passwd')", "read_text"),
        ("SELECT * FROM glob('/*')", "glob"),
        ("SELECT * FROM '/etc/passwd'", "'/etc/passwd'"),
        ("SELECT * FROM \"/etc/passwd\"", "\"/etc/passwd\""),
        ("SELECT * FROM orders WHERE order_id IN (SELECT 1 FROM read_blob('/etc/passwd'))", "read_blob"),
        ("SELECT getenv('HOME')", "getenv"),
        ("SELECT * FROM duckdb_settings()", "duckdb_settings"),
        ("SELECT * FROM information_schema.tables", "information_schema.tables"),
        ("SELECT * FROM nowhere", "nowhere"),
        ("WITH x AS (DELETE FROM orders RETURNING *) SELECT * FROM x", "DELETE"),
        ("INSERT INTO orders SELECT * FROM orders", "INSERT"),
        ("UPDATE orders SET total = 0", "UPDATE"),
        ("CREATE TABLE x AS SELECT 1", "CREATE"),
        ("PRAGMA database_list", "PRAGMA"),
        ("SET threads = 4", "SET"),
        ("INSTALL httpfs", "INSTALL"),
        ("LOAD httpfs", "LOAD"),
        ("CALL pragma_version()", "CALL"),
        ("EXPORT DATABASE '/tmp/x'", "EXPORT"),
        ("CHECKPOINT", "CHECKPOINT"),
        ("/* é */ DROP TABLE orders", "DROP"),
    ];
    let mut wrong = Vec::new();
    for (sql, token) in cases {
        let ran = shared().assay(["sql", "ecommerce", sql, "--json"]).run();
        let document = ran.document();
        let finding = &document["findings"][0];
        let at = |field: &str| finding["span"][field].as_u64().map(|offset| offset as usize);
        let pointed = at("start").zip(at("end")).and_then(|(start, end)| sql.get(start..end));
        let points = pointed.is_some_and(|found| found.trim_matches('"') == token.trim_matches('"'));
        if ran.code != Some(1) || document["outcome"] != "refused" || !points || document["sql"] != sql {
            wrong.push(format!("{sql:?} points at {pointed:?}, wanted {token:?}: {document}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn two_statements_are_refused_at_the_second() {
    let sql = "SELECT 1; SELECT 2";
    let document = shared().json(1, &["sql", "ecommerce", sql]);
    assert_eq!(document["outcome"], "refused");
    assert_eq!(document["findings"][0]["span"]["start"], 10, "{document}");
}

#[test]
fn a_syntax_error_is_refused_with_its_own_rule() {
    for (sql, token) in [("SELEC 1", Some("SELEC")), ("SELECT * FROM", None), ("SELECT (1", None)] {
        let document = shared().json(1, &["sql", "ecommerce", sql]);
        assert_eq!((&document["outcome"], &document["findings"][0]["rule"]), (&json!("refused"), &json!("sql/syntax")));
        if let Some(token) = token {
            let span = &document["findings"][0]["span"];
            assert_eq!(span, &json!({ "start": 0, "end": token.len() }), "{document}");
        }
    }
}

#[test]
fn no_statement_at_all_is_refused() {
    for sql in ["", "   ", "/* only a comment */", ";"] {
        assert_eq!(shared().json(1, &["sql", "ecommerce", sql])["outcome"], "refused", "{sql:?}");
    }
}

#[test]
fn a_column_that_is_not_there_is_a_failure_and_not_a_crash() {
    let document = shared().json(1, &["sql", "ecommerce", "SELECT nope FROM orders"]);
    assert!(["failed", "refused"].iter().any(|word| document["outcome"] == *word), "{document}");
    assert!(document.to_string().contains("nope"));
}

#[test]
fn a_refusal_for_people_names_the_token() {
    let ran = shared().assay(["sql", "ecommerce", "SELECT * FROM read_csv('/etc/passwd')"]).run().exits(1);
    assert!(ran.stdout.is_empty() && ran.stderr.contains("read_csv"), "{}", ran.stderr);
}

#[test]
fn every_dataset_has_the_rows_and_types_it_promises() {
    let cases = [
        ("ecommerce", "orders", 4018, "int int date decimal text bool"),
        ("ecommerce", "order_items", 9008, "int int int text int decimal int"),
        ("ecommerce", "inventory", 500, "int text text int"),
        ("support", "tickets", 6417, "int timestamp timestamp text text int bool decimal text int text"),
        ("sensors", "sensors", 49950, "text timestamp text text decimal decimal decimal decimal bool text int text"),
    ];
    for (dataset, table, count, types) in cases {
        let counted = shared().json(0, &["sql", dataset, &format!("SELECT count(*) FROM {table}")]);
        assert_eq!(rows(&counted["table"]), [[json!(count)]], "{table}");
        let listed = shared().json(0, &["sql", dataset, &format!("SELECT * FROM {table} ORDER BY ALL LIMIT 20")]);
        let columns = listed["table"]["columns"].as_array().unwrap();
        let found: Vec<&str> = columns.iter().map(|column| column["type"].as_str().unwrap()).collect();
        assert_eq!(found.join(" "), types, "{table}");
    }
}

#[test]
fn every_type_of_cell_is_written_as_the_interface_says() {
    let cases: &[(&str, &str, Value)] = &[
        ("TRUE", "bool", json!(true)),
        ("1", "int", json!(1)),
        ("9007199254740993", "int", json!(9_007_199_254_740_993_i64)),
        ("(-128)::TINYINT", "int", json!(-128)),
        ("sum(range)", "int", json!(3)),
        ("1.5::DOUBLE", "float", json!(1.5)),
        ("0.1::DOUBLE", "float", json!(0.1)),
        ("'nan'::DOUBLE", "float", json!("NaN")),
        ("'inf'::DOUBLE", "float", json!("Infinity")),
        ("'-inf'::DOUBLE", "float", json!("-Infinity")),
        ("2.50::DECIMAL(9,2)", "decimal", json!("2.50")),
        ("12345678901234567890.123456789::DECIMAL(38,9)", "decimal", json!("12345678901234567890.123456789")),
        ("'é😀' || chr(9)", "text", json!("é😀\t")),
        ("DATE '2024-02-29'", "date", json!("2024-02-29")),
        ("TIME '03:04:05'", "time", json!("03:04:05")),
        ("TIMESTAMP '2025-01-02 03:04:05'", "timestamp", json!("2025-01-02T03:04:05")),
        ("TIMESTAMP '2025-01-02 03:04:05.25'", "timestamp", json!("2025-01-02T03:04:05.250000")),
        ("[1, NULL]", "json", json!("[1,null]")),
        ("{'a': 1}", "json", json!("{\"a\":1}")),
        ("NULL::INTEGER", "int", json!(null)),
        ("NULL::DATE", "date", json!(null)),
    ];
    let expressions: Vec<String> =
        cases.iter().enumerate().map(|(index, (sql, ..))| format!("{} AS c{index}", constant(sql))).collect();
    let sql = format!("SELECT {} FROM range(3)", expressions.join(", "));
    let document = shared().json(0, &["sql", "ecommerce", &sql]);
    let row = &rows(&document["table"])[0];
    for (index, (sql, ty, value)) in cases.iter().enumerate() {
        assert_eq!(&document["table"]["columns"][index]["type"], ty, "type of {sql}");
        assert_eq!(&row[index], value, "cell of {sql}");
    }
}

/// Beside an aggregate, constants need one too.
fn constant(sql: &str) -> String {
    if sql.starts_with("sum(") { sql.to_string() } else { format!("any_value({sql})") }
        .replace("any_value(NULL", "first(NULL")
}

#[test]
fn long_results_are_cut_and_counted() {
    let document = shared().json(0, &["sql", "sensors", "SELECT sensor_id FROM sensors"]);
    assert_eq!((&document["table"]["truncated"], &document["table"]["row_count"]), (&json!(true), &json!(49950)));
    assert!(rows(&document["table"]).len() <= 1000);
}

#[test]
fn wide_texts_are_cut_by_bytes_and_counted() {
    let ran =
        shared().assay(["sql", "ecommerce", "SELECT repeat('x', 100000) FROM range(400)", "--json"]).run().exits(0);
    let table = &ran.document()["table"];
    assert_eq!((&table["truncated"], &table["row_count"]), (&json!(true), &json!(400)));
    assert!((100..170).contains(&rows(table).len()) && ran.stdout.len() < 17 << 20, "{} rows", rows(table).len());
}

#[test]
fn a_statement_may_have_so_many_bytes_and_no_more() {
    let of = |bytes: usize| format!("SELECT length('{}')", "x".repeat(bytes - "SELECT length('')".len()));
    let longest = shared().json(0, &["sql", "ecommerce", &of(65_536)]);
    assert_eq!(rows(&longest["table"]), [[json!(65_519)]]);
    let refused = shared().json(1, &["sql", "ecommerce", &of(65_537)]);
    assert_eq!((&refused["outcome"], &refused["findings"][0]["rule"]), (&json!("refused"), &json!("sql/limit")));
}

#[test]
fn expressions_may_be_so_deep_and_no_deeper() {
    let of = |depth: usize| format!("SELECT {}1{}", "abs(".repeat(depth), ")".repeat(depth));
    assert_eq!(rows(&shared().json(0, &["sql", "ecommerce", &of(60)])["table"]), [[json!(1)]]);
    for depth in [300, 2_000, 12_000] {
        let refused = shared().json(1, &["sql", "ecommerce", &of(depth)]);
        let finding = &refused["findings"][0];
        assert_eq!((&refused["outcome"], &finding["rule"]), (&json!("refused"), &json!("sql/limit")), "{depth}");
    }
}

#[test]
fn a_file_of_two_thousand_columns_can_be_asked() {
    let place = Place::new();
    let line = |cell: fn(usize) -> String| (1..=2_000).map(cell).collect::<Vec<_>>().join(",");
    let text = [line(|n| format!("c{n}")), line(|n| n.to_string()), line(|n| (n * 2).to_string())].join("\n");
    place.file("wide.csv", text);
    let one = place.json(0, &["sql", "wide.csv", "SELECT sum(c2000) FROM wide"]);
    assert_eq!(rows(&one["table"]), [[json!(6_000)]]);
    let all = place.json(0, &["sql", "wide.csv", "SELECT * FROM wide ORDER BY c1"]);
    assert_eq!(rows(&all["table"])[1][1_999], json!(4_000));
    let more = place.json(1, &["sql", "wide.csv", "SELECT *, 1 AS one_more FROM wide"]);
    assert_eq!((&more["outcome"], &more["error"]["type"]), (&json!("failed"), &json!("LimitError")), "{more}");
    let message = more["error"]["message"].as_str().unwrap();
    assert!(message.contains("2001 columns") && message.contains("2000"), "{message}");
}

/// The first engine has 32 MB; what needs more gets a second one, and its rows are right.
#[test]
fn what_needs_more_memory_gets_it() {
    let cases = [
        ("SELECT count(*) FROM (SELECT DISTINCT range % 700000 AS k FROM range(900000))", json!(700_000)),
        ("SELECT len(list(range ORDER BY range DESC)) FROM range(1500000)", json!(1_500_000)),
        (
            "SELECT sum(length(t)) FROM (SELECT repeat('y', 60) || range AS t FROM range(700000) ORDER BY t)",
            json!(46_088_890),
        ),
    ];
    for (sql, expected) in cases {
        let document = shared().json(0, &["sql", "ecommerce", sql]);
        assert_eq!(rows(&document["table"]), [[expected]], "{sql}");
        let peak = document["usage"]["memory_peak_bytes"].as_u64().unwrap();
        assert!(peak > 32 << 20, "{sql} used {peak} bytes: no test of more than 32 MB");
    }
}

#[test]
fn what_needs_more_memory_than_there_is_fails_with_a_clear_word() {
    for sql in [
        "SELECT len(list(range)) FROM range(40000000)",
        "SELECT count(DISTINCT repeat('y', 400) || range) FROM range(3000000)",
    ] {
        let document = shared().json(1, &["sql", "ecommerce", sql]);
        assert_eq!(
            (&document["outcome"], &document["error"]["type"]),
            (&json!("failed"), &json!("LimitError")),
            "{sql}"
        );
        let message = document["error"]["message"].as_str().unwrap();
        assert!(message.contains("384 MB of memory"), "{message}");
    }
    let killed = shared().json(1, &["sql", "ecommerce", "SELECT len(range(150000000))"]);
    assert_eq!((&killed["outcome"], &killed["killed_by"]), (&json!("killed"), &json!("memory")), "{killed}");
}

#[test]
fn what_takes_too_long_is_killed_by_time() {
    let sql = "SELECT sum(a.range) FROM range(100000) a, range(100000000) b";
    let document = shared().json(1, &["sql", "ecommerce", sql]);
    assert_eq!((&document["outcome"], &document["killed_by"]), (&json!("killed"), &json!("time")), "{document}");
}

#[test]
fn the_same_statement_gives_the_same_rows() {
    let sql = "SELECT status, first(order_id), list(order_id)[1:5], sum(total::DOUBLE), mode(customer_id), \
               approx_count_distinct(customer_id) FROM orders GROUP BY status";
    let [one, other] = [0, 1].map(|_| shared().json(0, &["sql", "ecommerce", sql])["table"].clone());
    assert_eq!(one, other);
}

#[test]
fn an_empty_result_has_columns_and_no_rows() {
    let document = shared().json(0, &["sql", "ecommerce", "SELECT order_id FROM orders WHERE order_id < 0"]);
    assert_eq!(document["table"]["columns"][0]["name"], "order_id");
    assert!(rows(&document["table"]).is_empty());
}

#[test]
fn the_allowed_table_functions_work() {
    for sql in ["SELECT * FROM range(2)", "SELECT * FROM generate_series(1, 2)", "SELECT unnest([1, 2])"] {
        let document = shared().json(0, &["sql", "ecommerce", sql]);
        assert_eq!(rows(&document["table"]).len(), 2, "{sql}");
    }
}

#[test]
fn bombs_end_at_a_limit_and_leave_nothing() {
    let place = Place::new();
    place.json(0, &["data", "show", "ecommerce"]);
    for sql in [
        "SELECT len(list_sort(range(500000000)))",
        "SELECT count(*) FROM range(10000000) a, range(10000000) b WHERE a.range + b.range = 7",
        "SELECT length(repeat('x', 2000000000))",
        "SELECT repeat('x', 2000000000)",
        "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r",
    ] {
        let before = Before::look();
        let ran = place.assay(["sql", "ecommerce", sql, "--json"]).time_max(Duration::from_secs(20)).run().exits(1);
        let document = ran.document();
        assert!(["killed", "failed"].iter().any(|word| document["outcome"] == *word), "{sql}: {document}");
        assert!(ran.elapsed < Duration::from_secs(12), "{sql} took {:?}", ran.elapsed);
        let peak = document["usage"]["memory_peak_bytes"].as_u64().unwrap();
        assert!(peak < 600 << 20, "{sql} used {peak} bytes");
        before.nothing_is_left(&place, "");
    }
}

#[test]
fn the_list_of_functions_is_what_the_engine_says() {
    let sources = concat!(env!("CARGO_MANIFEST_DIR"), "/../guard/src/sql");
    let ran = Place::new().assay(["sandbox", "run", &format!("{sources}/functions.py")]).run().exits(0);
    let kept = std::fs::read_to_string(format!("{sources}/functions.txt")).expect("the list");
    assert_eq!(ran.stdout, kept, "`cargo xtask guard` prints it anew");
}
