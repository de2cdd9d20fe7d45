//! The same statements through the server, in a message of `/chat` and by the tool of an assistant: the verdicts are those of
//! the command.

use std::fs;
use std::time::Instant;

use serde_json::{Value, json};

use super::{BOUND, CLASSES, CLOCK, Ground, Must, Statement, in_halves, points, word};
use crate::support::assistant::tool;
use crate::support::http::Site;
use crate::support::slow_is_wanted;
use crate::support::tables::rows;

/// A way by which a statement comes in.
/// What a way gives back of a statement.
type Way = fn(&Site, &str) -> Value;

const WAYS: [(&str, Way); 2] = [
    ("/chat", |site, sql| site.chat("orders", &format!("SQL: {sql}"))),
    ("run_sql", |site, sql| tool(site, "run_sql", json!({ "dataset_id": "orders", "sql": sql }))),
];

fn served(ground: &Ground) -> Site {
    let site = Site::of(&ground.place);
    let orders = fs::read(ground.place.path("orders.csv")).expect("the table of the ground");
    site.upload(&[], &[("name", "orders")], &[("orders.csv", &orders)]).is(201);
    site
}

/// What is wrong with how a statement ended, by every way.
fn wrong(site: &Site, statement: &Statement) -> Option<String> {
    WAYS.iter().find_map(|(way, ask)| {
        let begun = Instant::now();
        let document = ask(site, &statement.sql);
        let code = document["error"]["code"].as_str();
        let held = match statement.must {
            Must::Reject => {
                (word(&document), code) == ("refused", Some("SQL_POLICY"))
                    && document["table"].is_null()
                    && points(&document)
            }
            Must::Bounded => {
                let limits = ["RUNNER_TIMEOUT", "RUNNER_MEMORY", "RUNNER_OUTPUT"];
                let ended = match word(&document) {
                    "ok" | "failed" => true,
                    "killed" => code.is_some_and(|code| limits.contains(&code)),
                    word => word == "refused" && code == Some("SQL_POLICY"),
                };
                // Beside other work a cell waits for its own, but never longer than the clock lets it.
                ended && begun.elapsed() < BOUND + CLOCK
            }
            Must::Allow => word(&document) == "ok" && !rows(&document["table"]).is_empty(),
        };
        let sql: String = statement.sql.chars().take(120).collect();
        let shown: String = document.to_string().chars().take(600).collect();
        (!held).then(|| format!("{way}: {:?} in {:?}: {sql}\n    {shown}", statement.must, begun.elapsed()))
    })
}

fn all_hold(ground: &Ground, statements: &[Statement]) {
    let site = served(ground);
    let wrong = in_halves(statements, |statement| wrong(&site, statement));
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), statements.len(), wrong.join("\n"));
    ground.is_untouched();
}

#[test]
fn one_of_each_class_has_the_same_verdict_through_the_server() {
    let ground = Ground::new();
    let statements = ground.statements();
    let quick = |statement: &&Statement| statement.must != Must::Bounded;
    let of = |class: &&str| statements.iter().filter(quick).find(|statement| statement.class == **class).cloned();
    let some: Vec<Statement> = CLASSES.iter().filter_map(of).collect();
    assert!(some.len() >= CLASSES.len() - 1);
    all_hold(&ground, &some);
}

#[test]
fn every_statement_has_the_same_verdict_through_the_server() {
    if slow_is_wanted("every_statement_has_the_same_verdict_through_the_server") {
        let ground = Ground::new();
        all_hold(&ground, &ground.statements());
    }
}
