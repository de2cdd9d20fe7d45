//! `assay demo plan` and `assay plan schema`: what is shown is what the other commands say of the same plans.

use serde_json::{Value, json};

use crate::support::shared;
use crate::support::tables::rows;

fn stage<'d>(document: &'d Value, name: &str) -> &'d Value {
    let stages = document["stages"].as_array().expect("stages are a list");
    stages.iter().find(|stage| stage["name"] == name).unwrap_or_else(|| panic!("no stage `{name}` in {document}"))
}

fn plan(action: &str, plan: &Value, code: i32) -> Value {
    shared().assay(["plan", action, "-", "--json"]).stdin(plan.to_string()).run().exits(code).document()
}

#[test]
fn the_walk_shows_what_the_commands_say() {
    let document = shared().json(0, &["demo", "plan"]);
    let short = &stage(&document, "short")["plan"];
    let (canonical, sql, result) = (stage(&document, "canonical"), stage(&document, "sql"), stage(&document, "result"));
    let ran = plan("run", short, 0);
    assert_eq!((&ran["plan"], &ran["plan_hash"]), (&canonical["plan"], &canonical["plan_hash"]));
    assert_eq!((&ran["sql"], &ran["table"]), (&sql["sql"], &result["engine"]));
    assert_eq!(plan("check", &canonical["reworded"]["plan"], 0)["plan_hash"], canonical["plan_hash"]);
    assert_eq!(canonical["reworded"]["plan_hash"], canonical["plan_hash"]);
    for computed in [result, stage(&document, "exists")] {
        assert_eq!(computed["known"]["level"], "verified", "{computed}");
        assert_eq!(rows(&computed["engine"]).len(), rows(&computed["oracle"]).len());
    }
    let doubling = stage(&document, "no_doubling");
    for refused in [stage(&document, "refused"), doubling, &doubling["from_items"]] {
        let checked = plan("check", &refused["plan"], 1);
        assert_eq!(checked["problems"], refused["problems"]);
    }
    assert_eq!(stage(&document, "refused")["problems"][0]["suggestions"][0], "price");
}

#[test]
fn the_doubled_sum_is_really_doubled_by_hand() {
    let document = shared().json(0, &["demo", "plan"]);
    let trap = stage(&document, "no_doubling");
    let only = |table: &Value| rows(table)[0][0].as_str().and_then(|text| text.parse::<f64>().ok()).expect("a decimal");
    assert!(only(&trap["by_hand"]["table"]) > 1.5 * only(&trap["true"]), "{trap}");
    let truth = shared().json(0, &["sql", "ecommerce", "SELECT sum(total) AS total FROM orders"]);
    assert_eq!(rows(&truth["table"]), rows(&trap["true"]));
}

#[test]
fn the_walk_is_told_in_the_terminal() {
    let said = shared().assay(["demo", "plan"]).run().exits(0).stdout;
    let canonical = stage(&shared().json(0, &["demo", "plan"]), "canonical")["plan_hash"].clone();
    for part in [
        "1. A plan in short form",
        "hash      ",
        "WITH \"grouped\"",
        "known  verified",
        "did you mean `price`?",
        "only `exists` may",
    ] {
        assert!(said.contains(part), "{part} in {said}");
    }
    assert!(said.contains(canonical.as_str().expect("a hash")), "{said}");
}

#[test]
fn the_schema_is_the_published_one() {
    let said = shared().assay(["plan", "schema"]).run().exits(0).stdout;
    assert_eq!(said, include_str!("../../../data/schema/plan.schema.json"));
    let document = shared().json(0, &["plan", "schema"]);
    assert_eq!(document["schema"], serde_json::from_str::<Value>(&said).expect("JSON"));
    assert_eq!(document["schema"]["$schema"], json!("https://json-schema.org/draft/2020-12/schema"));
}
