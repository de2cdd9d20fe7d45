//! The plan language through its boundary: what is refused and why, what is accepted and as what, and the SQL it becomes.
//!
//! Cases are text: a heading, a plan, what is expected. With `ASSAY_BLESS=1` the expectations are rewritten; read them
//! before you keep them.

#[path = "plan_cases/schema.rs"]
mod schema;

use std::fmt::Write as _;
use std::path::PathBuf;

use base::{Column, Hash, Type};
use data::dataset::{ColumnInfo, Dataset, Relation, TableInfo};
use data::{compile, join, plan};
use serde_json::{Value, json};

#[test]
fn plans_are_checked() {
    let shop = shop();
    run("plan_check.md", |input| match plan::read(input, &shop) {
        Ok(plan) => format!("valid\n{}", plan.canonical()),
        Err(problems) => {
            let mut text = String::new();
            for problem in problems {
                let place = if problem.path.is_empty() { "(plan)" } else { &problem.path };
                writeln!(text, "{place} {}: {}", problem.code.as_str(), problem.message).expect("a string");
                for suggestion in problem.suggestions {
                    writeln!(text, "  suggests {suggestion}").expect("a string");
                }
            }
            text.trim_end().to_string()
        }
    });
}

#[test]
fn plans_become_sql() {
    run("compile_duckdb.md", |input| match plan::read(input, &dataset(input)) {
        Ok(plan) => compile::duckdb(&plan, &dataset(input)).unwrap_or_else(|problem| format!("refused: {problem}")),
        Err(problems) => format!("not a plan: {problems:?}"),
    });
}

#[test]
fn equal_meaning_has_one_hash() {
    let test = |column: &str, value: Value| json!({"test": "eq", "expr": {"col": column}, "values": [value]});
    let (a, b, c) = (test("orders.total", json!(1.0)), test("orders.status", json!("x")), test("status", json!("y")));
    let within = |pred: Value| json!({"v": 1, "dataset": "shop", "from": "orders", "where": pred, "measures": [{"as": "n", "agg": "count"}]});
    let nested = hash(&within(json!({"and": [a, {"and": [b, {"or": [c]}]}]})));
    let whole = test("Orders.Total", json!(1));
    assert_eq!(nested, hash(&within(json!({"and": [c, whole, b, b]}))));
    assert_ne!(nested, hash(&within(json!({"or": [a, b, c]}))));

    let among = |values: Value| within(json!({"test": "in", "expr": {"col": "orders.total"}, "values": values}));
    assert_eq!(hash(&among(json!([10, 9, 2.50]))), hash(&among(json!([2.5, 9.0, 10, 10]))));

    let mut defaults =
        within(json!({"test": "eq", "expr": {"col": "orders.placed"}, "values": ["2025-01-01T00:00:00Z"]}));
    let bare = within(json!({"test": "eq", "expr": {"col": "placed"}, "values": ["2025-01-01"]}));
    for (field, value) in
        [("limit", json!(200)), ("distinct", json!(false)), ("order", json!([])), ("top", json!(null))]
    {
        defaults[field] = value;
    }
    assert_eq!(hash(&defaults), hash(&bare));

    let short = json!({"dataset_id": "shop", "table": "Order Items",
        "select": [{"column": "category"}, {"func": "sum", "column": "price", "alias": "total"}],
        "group_by": ["category"], "order_by": [{"expr": "total", "direction": "desc"}]});
    let canonical = json!({"v": 1, "dataset": "shop", "from": "order_items",
        "group": [{"as": "category", "expr": {"col": "order_items.category"}}],
        "measures": [{"as": "total", "agg": "sum", "expr": {"col": "order_items.price"}}],
        "order": [{"by": "total", "dir": "desc"}], "limit": 200});
    assert_eq!(hash(&short), hash(&canonical));
}

#[test]
fn the_hash_is_that_of_the_published_form() {
    let input = json!({"dataset": "shop", "from": "orders", "measures": [{"as": "n", "agg": "count"}]});
    let text = r#"{"dataset":"shop","distinct":false,"from":"orders","limit":200,"measures":[{"agg":"count","as":"n"}],"v":1}"#;
    assert_eq!(hash(&input), Hash::of(text.as_bytes()));
}

#[test]
fn a_canonical_plan_reads_as_itself() {
    for case in cases("compile_duckdb.md") {
        let dataset = dataset(&case.input);
        let plan = plan::read(&case.input, &dataset).expect("every case here is a plan");
        assert_eq!(plan::read(&plan.canonical(), &dataset), Ok(plan), "{}", case.heading);
    }
}

#[test]
fn results_are_described_before_they_are_computed() {
    let input = json!({"v": 1, "dataset": "shop", "from": "orders",
        "group": [{"as": "month", "expr": {"col": "orders.day"}, "grain": "month"},
                  {"as": "hour", "expr": {"col": "orders.placed"}, "grain": "hour"},
                  {"as": "weekday", "expr": {"part": "weekday", "of": {"col": "orders.day"}}}],
        "measures": [{"as": "total", "agg": "sum", "expr": {"col": "orders.total"}}, {"as": "n", "agg": "count"},
                     {"as": "rate", "agg": "avg", "expr": {"col": "orders.returned"}},
                     {"as": "first", "agg": "min", "expr": {"col": "orders.placed"}}],
        "compute": [{"as": "each", "op": "ratio", "args": ["total", "n"]},
                    {"as": "so_far", "op": "cumulative", "args": ["total"], "along": "month"}]});
    let shop = shop();
    let plan = plan::read(&input, &shop).expect("a plan");
    let column = |name: &str, ty| Column { name: name.to_string(), ty };
    assert_eq!(
        plan::output(&plan, &shop),
        [
            column("month", Type::Date),
            column("hour", Type::Timestamp),
            column("weekday", Type::Text),
            column("total", Type::Decimal),
            column("n", Type::Int),
            column("rate", Type::Float),
            column("first", Type::Timestamp),
            column("each", Type::Float),
            column("so_far", Type::Decimal),
        ]
    );
}

#[test]
fn joins_follow_the_only_path_or_the_one_named() {
    let shop = shop();
    let links = |from, to, via: &[&str]| {
        let via: Vec<String> = via.iter().map(|link| link.to_string()).collect();
        join::path(&shop, from, to, &via).map(|path| path.into_iter().map(join::link).collect::<Vec<_>>())
    };
    let to_order = "order_items.order_id->orders.order_id".to_string();
    assert_eq!(links("orders", "orders", &[]), Ok(vec![]));
    assert_eq!(links("order_items", "orders", &[]), Ok(vec![to_order.clone()]));
    let ship = "orders.ship_to->places.place_id";
    assert_eq!(links("order_items", "places", &[ship]), Ok(vec![to_order, ship.to_string()]));
    let ambiguous = links("order_items", "places", &[]).expect_err("two links enter places");
    assert_eq!(ambiguous.suggestions, [ship, "orders.bill_to->places.place_id"]);
    assert!(links("orders", "order_items", &[]).expect_err("one to many").message.contains("exists"));
    assert!(links("places", "orders_log", &[]).expect_err("nothing links").message.contains("no many-to-one path"));
}

#[test]
fn arithmetic_is_read_with_positions() {
    let shop = shop();
    let read = |text: &str| {
        plan::parse_arithmetic(text, "order_items", &shop)
            .map(|expr| serde_json::to_value(expr).expect("plain data").to_string())
            .map_err(|problem| problem.message)
    };
    let price = r#"{"col":"order_items.price"}"#;
    assert_eq!(read("price").as_deref(), Ok(price));
    assert_eq!(read("\"Price\" - -2.0"), Ok(format!(r#"{{"op":"sub","args":[{price},{{"lit":-2}}]}}"#)));
    assert_eq!(
        read("price*(1 - discount/100)"),
        Ok(format!(
            r#"{{"op":"mul","args":[{price},{{"op":"sub","args":[{{"lit":1}},{{"op":"div","args":[{{"col":"order_items.discount"}},{{"lit":100}}]}}]}}]}}"#
        ))
    );
    for (text, message) in [
        ("", "a column or a number is expected, but the text ends at character 1"),
        ("price *", "a column or a number is expected, but the text ends at character 8"),
        ("price quantity", "an operator is expected, not `quantity` at character 7"),
        ("(price + 1", "the parenthesis at character 1 is not closed"),
        ("price ^ 2", "`^` has no meaning in arithmetic at character 7"),
        ("1.2.3 + price", "`1.2.3` is not a number at character 1"),
        ("price + prise2", "neither `order_items` nor what it joins has a column `prise2` at character 9"),
        ("price + category", "`add` takes numbers, not text at character 7"),
        ("abs(price)", "neither `order_items` nor what it joins has a column `abs` at character 1"),
    ] {
        assert_eq!(read(text), Err(message.to_string()), "{text}");
    }
    let deep = format!("{}price{}", "(".repeat(40), ")".repeat(40));
    assert!(read(&deep).expect_err("too deep").contains("nested deeper"));
}

fn hash(input: &Value) -> Hash {
    plan::read(input, &shop()).unwrap_or_else(|problems| panic!("{input}: {problems:?}")).hash()
}

struct Case {
    heading: String,
    input_text: String,
    input: Value,
    expected: Option<String>,
}

fn file(name: &str) -> PathBuf {
    std::env::current_dir().expect("tests run in their crate's folder").join("cases").join(name)
}

fn cases(name: &str) -> Vec<Case> {
    let text = std::fs::read_to_string(file(name)).expect("the case file is part of the crate");
    let mut cases = Vec::new();
    for section in text.split("\n## ").skip(1) {
        let (heading, body) = section.split_once('\n').expect("a heading ends its line");
        let mut blocks = body.split("```").skip(1).step_by(2).map(|block| block.split_once('\n').expect("a fence").1);
        let input_text = blocks.next().unwrap_or_else(|| panic!("`{heading}` has no input")).trim_end().to_string();
        let input = serde_json::from_str(&input_text).unwrap_or_else(|error| panic!("`{heading}`: {error}"));
        let expected = blocks.next().map(|block| block.trim_end().to_string());
        cases.push(Case { heading: heading.to_string(), input_text, input, expected });
    }
    cases
}

/// Compares every case with what the function makes of it, and names the headings that differ.
fn run(name: &str, actual: impl Fn(&Value) -> String) {
    let cases = cases(name);
    if std::env::var_os("ASSAY_BLESS").is_some() {
        let old = std::fs::read_to_string(file(name)).expect("read above");
        let mut text = old.split("\n## ").next().unwrap_or_default().to_string();
        for case in &cases {
            let output = actual(&case.input);
            write!(text, "\n## {}\n```json\n{}\n```\n```text\n{output}\n```\n", case.heading, case.input_text)
                .expect("a string");
        }
        std::fs::write(file(name), text).expect("the case file can be written");
        return;
    }
    let mut failures = String::new();
    for case in &cases {
        let output = actual(&case.input);
        if case.expected.as_ref() != Some(&output) {
            let expected = case.expected.as_deref().unwrap_or("(nothing)");
            write!(failures, "## {}\nexpected:\n{expected}\nfound:\n{output}\n\n", case.heading).expect("a string");
        }
    }
    assert!(failures.is_empty(), "{name}: these cases differ\n\n{failures}");
}

/// The dataset a case is about: the shop, or one whose table is named like a stage of the SQL.
fn dataset(input: &Value) -> Dataset {
    let shop = shop();
    match plan::dataset_name(input) {
        Some("stages") => {
            let tables = vec![table("grouped", "id:int v:float")];
            Dataset { id: "stages".to_string(), tables, relations: Vec::new(), ..shop }
        }
        _ => shop,
    }
}

/// Orders with two links to places, their items, and the products of those.
fn shop() -> Dataset {
    let link = |from_table: &str, from_column: &str, to_table: &str, to_column: &str| Relation {
        from_table: from_table.to_string(),
        from_column: from_column.to_string(),
        to_table: to_table.to_string(),
        to_column: to_column.to_string(),
    };
    Dataset {
        id: "shop".to_string(),
        version: Hash::of(b"shop"),
        description: String::new(),
        tables: vec![
            table(
                "orders",
                "order_id:int customer_id:int ship_to:int bill_to:int day:date placed:timestamp done:timestamp \
                 due_at:time total:decimal status:text returned:bool extra:json",
            ),
            table(
                "order_items",
                "item_id:int order_id:int product_id:int category:text quantity:int price:decimal discount:int \
                 weight:float label_\"x\":text",
            ),
            table("products", "product_id:int name:text category:text cost:decimal list_price:text"),
            table("customers", "customer_id:int name:text since:date city:text"),
            table("places", "place_id:int city:text"),
            table("orders_log", "entry:int message:text"),
        ],
        relations: vec![
            link("order_items", "order_id", "orders", "order_id"),
            link("order_items", "product_id", "products", "product_id"),
            link("orders", "customer_id", "customers", "customer_id"),
            link("orders", "ship_to", "places", "place_id"),
            link("orders", "bill_to", "places", "place_id"),
        ],
        measures: Vec::new(),
        questions: Vec::new(),
    }
}

/// A table from `name:type` words; an underscore before a quote is a blank.
fn table(name: &str, columns: &str) -> TableInfo {
    let column = |word: &str| {
        let (name, ty) = word.split_once(':').expect("name:type");
        let measured = json!({
            "name": name.replace("_\"", " \""), "type": ty, "description": "", "synonyms": [], "noun": null, "unit": null,
            "nulls": 0, "distinct": 0, "unique": false, "min": null, "max": null, "values": [],
            "values_complete": false,
        });
        serde_json::from_value::<ColumnInfo>(measured).expect("a column's description")
    };
    TableInfo {
        name: name.to_string(),
        description: String::new(),
        noun: None,
        synonyms: Vec::new(),
        rows: 0,
        columns: columns.split_whitespace().map(column).collect(),
        cells: Vec::new(),
    }
}
