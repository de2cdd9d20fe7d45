//! Runs `cases/sql.md` through the guard with the parse answers stored beside it, and attacks the limits.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use base::Finding;
use serde_json::{Value, json};

const TABLES: &[&str] = &["orders", "customers"];

/// Fields whose text is one of a few words.
const CLOSED: &[&str] = &[
    "type",
    "class",
    "aggregate_handling",
    "comparison_type",
    "end",
    "exclude_clause",
    "join_type",
    "kind",
    "limit_type",
    "materialized",
    "nearest_order_type",
    "null_order",
    "ref_type",
    "setop_type",
    "show_type",
    "start",
    "subquery_type",
    "syntax_type",
    "with_ordinality",
];

struct Case {
    heading: String,
    sql: String,
    expected: Vec<String>,
}

fn read(name: &str) -> String {
    let path = std::env::current_dir().expect("tests run in their crate's folder").join("cases").join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn cases() -> Vec<Case> {
    let text = read("sql.md");
    let parts = text.split("\n## ").skip(1);
    let case = |part: &str| {
        let (heading, rest) = part.split_once("\n```sql\n").expect("a heading and a statement");
        let (sql, rest) = rest.split_once("\n```\n").expect("the end of the statement");
        let expected = rest.lines().filter_map(|line| line.strip_prefix("- ")).map(str::to_string).collect();
        Case { heading: heading.to_string(), sql: sql.to_string(), expected }
    };
    parts.map(case).collect()
}

/// Each case with what the engine's parser made of its statement.
fn parsed_cases() -> Vec<(Case, Value)> {
    let trees = read("sql.trees.jsonl");
    let answers = trees.lines().map(|line| serde_json::from_str::<Value>(line).expect("a line of JSON"));
    let parsed: BTreeMap<String, Value> = answers
        .map(|mut answer| (answer["sql"].as_str().expect("the statement").to_string(), answer["parsed"].take()))
        .collect();
    let with_tree = |case: Case| match parsed.get(&case.sql) {
        Some(tree) => (case, tree.clone()),
        None => panic!("{}: its statement was not parsed yet; `cargo xtask guard` does that", case.heading),
    };
    cases().into_iter().map(with_tree).collect()
}

fn shown(sql: &str, finding: &Finding) -> String {
    match finding.span {
        Some(span) => format!("{} @ `{}`", finding.rule, &sql[span.start..span.end]),
        None => finding.rule.clone(),
    }
}

fn check(sql: &str, parsed: &Value) -> Vec<String> {
    match guard::sql::check(sql, parsed, TABLES) {
        Ok(checked) => {
            assert_eq!(checked.text(), sql);
            vec!["ok".to_string()]
        }
        Err(report) => report.findings.iter().map(|finding| shown(sql, finding)).collect(),
    }
}

#[test]
fn every_case_is_as_its_heading_says() {
    let cases = parsed_cases();
    let mut wrong = Vec::new();
    for (case, parsed) in &cases {
        let found = check(&case.sql, parsed);
        if found != case.expected {
            wrong.push(format!("{}\n  expected {:?}\n  found    {found:?}", case.heading, case.expected));
        }
    }
    assert!(wrong.is_empty(), "{} of {} cases:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

/// Every allowed tree, changed at one place to something unknown, is refused: a node cannot hide. Large trees say
/// nothing that small ones do not, and are left out for time.
#[test]
fn an_unknown_word_anywhere_in_the_tree_is_refused() {
    const NODES_MAX: usize = 60;
    let mut changed = 0;
    let mut fields = BTreeSet::new();
    for (case, whole) in parsed_cases().iter().filter(|(_, parsed)| parsed["error"].is_null()) {
        let sql = case.sql.as_str();
        let nodes = whole["tree"].as_array().expect("a tree");
        if nodes.len() > NODES_MAX || check(sql, whole) != ["ok"] {
            continue;
        }
        for (index, node) in nodes.iter().enumerate() {
            for field in CLOSED.iter().filter(|field| node.get(field).is_some_and(Value::is_string)) {
                let mut parsed = whole.clone();
                parsed["tree"][index][field] = json!("SOMETHING_NEW");
                assert_ne!(check(sql, &parsed), ["ok"], "{sql}: node {index}, {field}");
                fields.insert(*field);
            }
            let mut parsed = whole.clone();
            parsed["tree"][index]["something_new"] = json!(true);
            assert_ne!(check(sql, &parsed), ["ok"], "{sql}: node {index}");
            changed += 1;
        }
    }
    assert!(changed > 500, "only {changed} nodes were changed");
    let unseen: Vec<_> = CLOSED.iter().filter(|field| !fields.contains(*field)).collect();
    assert!(unseen.is_empty(), "no case has {unseen:?}");
}

#[test]
fn messages_say_what_to_write_instead() {
    let message = |heading: &str| {
        let (case, parsed) = parsed_cases().into_iter().find(|(case, _)| case.heading == heading).expect("a case");
        let report = guard::sql::check(&case.sql, &parsed, TABLES).expect_err("a refusal");
        report.findings[0].message.clone()
    };
    assert_eq!(message("a misspelt table"), "there is no table `ordres`; did you mean `orders`?");
    assert!(message("a file as a text").ends_with("its tables are: orders, customers"));
    assert!(message("an unknown function").contains("near: upper"));
    assert!(message("the clock").contains("DATE '2026-01-31'"));
    assert!(message("PIVOT that looks at the data").contains("FILTER (WHERE"));
}

/// Every refusal points at a token and has a second half that says what to write; a text that is too deep has no token
/// of its own, and the words of a syntax error are the parser's.
#[test]
fn every_refusal_points_and_advises() {
    for (case, parsed) in &parsed_cases() {
        let Err(report) = guard::sql::check(&case.sql, parsed, TABLES) else { continue };
        for finding in &report.findings {
            let advises = finding.message.contains("; ") || finding.rule == "sql/syntax";
            assert!(advises, "{}: {}", case.heading, finding.message);
            let points = finding.span.is_some() || finding.rule == "sql/limit" || case.sql.starts_with("--");
            assert!(points, "{}: {}", case.heading, finding.message);
        }
    }
}

#[test]
fn what_cannot_be_checked_is_refused() {
    let long = format!("SELECT '{}'", "x".repeat(guard::sql::TEXT_BYTES_MAX));
    assert_eq!(check(&long, &Value::Null), ["sql/limit"]);
    assert_eq!(check("SELECT 1", &Value::Null), ["sql/syntax"]);
    assert_eq!(check("SELECT 1", &json!({"tree": [], "tokens": [], "error": null})), ["sql/statement"]);
    assert_eq!(check("SELECT \0 1", &Value::Null), ["sql/syntax @ `\0`"]);
}

#[test]
fn a_tree_that_bites_its_tail_is_refused() {
    let tree = json!([
        {"statements": [{"$": 1}]},
        {"node": {"$": 2}},
        {"type": "SUBQUERY", "subquery": {"$": 1}},
    ]);
    let parsed = json!({"tree": tree, "tokens": [], "error": null});
    assert_ne!(check("SELECT 1", &parsed), ["ok"]);
}

#[test]
fn a_deep_tree_is_refused_before_the_stack_ends() {
    let depth = 100_000;
    let link = |index: usize| json!({"class": "OPERATOR", "type": "OPERATOR_NOT", "children": [{"$": index + 1}]});
    let mut tree = vec![json!({"statements": [{"$": 1}]})];
    tree.extend((1..depth).map(link));
    tree.push(json!({"class": "STAR", "type": "STAR"}));
    let parsed = json!({"tree": tree, "tokens": [], "error": null});
    assert_eq!(check("SELECT 1", &parsed), ["sql/limit"]);
}
