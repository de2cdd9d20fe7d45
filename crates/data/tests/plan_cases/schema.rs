//! The published schema: it is the one that the code makes, it lets every plan of the cases through, and it refuses what
//! is misshapen.

use std::path::PathBuf;

use data::plan;
use serde_json::{Value, json};

use super::{cases, dataset, shop};

fn published() -> PathBuf {
    std::env::current_dir().expect("tests run in their crate's folder").join("schema/plan.schema.json")
}

#[test]
fn the_published_schema_is_current() {
    let made = format!("{:#}\n", plan::schema());
    if std::env::var_os("ASSAY_BLESS").is_some() {
        std::fs::write(published(), &made).expect("the schema can be written");
    }
    let found = std::fs::read_to_string(published()).expect("the schema is part of the crate");
    assert!(found == made, "schema/plan.schema.json is not what the code makes; ASSAY_BLESS=1 rewrites it");
}

#[test]
fn every_valid_plan_fits_the_schema_in_both_forms() {
    let schema = plan::schema();
    let (mut valid, mut short) = (0, 0);
    for name in ["plan_check.md", "compile_duckdb.md"] {
        for case in cases(name) {
            let Ok(plan) = plan::read(&case.input, &dataset(&case.input)) else { continue };
            let canonical = fits(&plan.canonical(), &json!({"$ref": "#/$defs/Plan"}), &schema);
            assert_eq!(canonical, Ok(()), "{}: {}", case.heading, plan.canonical());
            assert_eq!(fits(&case.input, &schema, &schema), Ok(()), "{}: {}", case.heading, case.input);
            valid += 1;
            short += usize::from(case.input.get("table").is_some());
        }
    }
    assert!(valid >= 50 && short >= 4, "{valid} valid plans, {short} of them short");
}

#[test]
fn what_is_misshapen_does_not_fit() {
    let schema = plan::schema();
    let count = json!({"v": 1, "dataset": "shop", "from": "orders", "measures": [{"as": "n", "agg": "count"}]});
    assert_eq!(fits(&count, &schema, &schema), Ok(()));
    let with = |pointer: &str, value: Value| {
        let mut plan = count.clone();
        let (parent, field) = pointer.rsplit_once('/').expect("a pointer");
        plan.pointer_mut(parent).expect("it is there")[field] = value;
        plan
    };
    let test = |test: &str, values: Value| json!({"test": test, "expr": {"col": "total"}, "values": values});
    let misshapen = [
        json!([]),
        with("/v", json!(2)),
        with("/measurs", json!([])),
        with("/limit", json!(1001)),
        with("/limit", json!(1.5)),
        with("/select", json!([{"as": "x", "expr": {"col": "total"}}])),
        with("/measures/0/agg", json!("total")),
        with("/measures/0/agg", json!("sum")),
        with("/measures/0/q", json!(0.5)),
        with("/measures/0/expr", json!({"op": "div", "args": [{"col": "total"}]})),
        with("/measures/0/expr", json!({"ref": "n"})),
        with("/measures/0/expr", json!({"lit": [1]})),
        with("/measures/0/as", json!("")),
        with("/where", test("between", json!([1]))),
        with("/where", test("is_null", json!([1]))),
        with("/where", json!({"and": []})),
        with("/having", test("eq", json!([1]))),
        with("/having", json!({"exists": {"table": "order_items"}})),
        with("/compute", json!([{"as": "r", "op": "ratio", "args": ["n"]}])),
        with("/compute", json!([{"as": "r", "op": "share", "args": ["n"], "along": "n"}])),
        with("/top", json!({"by": "n"})),
        with("/over", json!([{"as": "most", "agg": "max"}])),
        with("/over", json!([{"as": "groups", "agg": "count", "of": "n"}])),
        with("/over", json!([{"as": "spread", "agg": "stddev", "of": "n"}])),
        json!({"v": 1, "dataset": "shop", "from": "orders", "select": [{"as": "x", "expr": {"col": "total"}}],
            "over": [{"as": "rows", "agg": "count"}]}),
        json!({"v": 1, "dataset": "shop", "from": "orders", "measures": [{"as": "n", "agg": "count"}],
            "over": [{"as": "groups", "agg": "count"}], "order": [{"by": "groups"}]}),
        with("/order", json!([{"by": "n", "dir": "up"}])),
        json!({"dataset_id": "shop", "table": "orders", "select": []}),
        json!({"dataset_id": "shop", "table": "orders", "filters": [{"column": "total", "op": "is_null", "value": 1}]}),
        json!({"table": "orders"}),
    ];
    let shop = shop();
    for plan in misshapen {
        assert!(fits(&plan, &schema, &schema).is_err(), "the schema lets it through: {plan}");
        assert!(data::plan::read(&plan, &shop).is_err(), "the reader lets it through: {plan}");
    }
}

/// Whether a value fits a schema; only the keywords that ours uses, and no other is passed over.
fn fits(value: &Value, schema: &Value, root: &Value) -> Result<(), String> {
    let rules = schema.as_object().ok_or_else(|| format!("not a schema: {schema}"))?;
    for (keyword, rule) in rules {
        let held = match keyword.as_str() {
            "$schema" | "title" | "description" | "default" | "$defs" | "then" | "else" => true,
            "$ref" => {
                let pointer = rule.as_str().and_then(|text| text.strip_prefix('#')).ok_or("not a reference")?;
                let target = root.pointer(pointer).ok_or_else(|| format!("nothing at {pointer}"))?;
                fits(value, target, root).map_err(|why| format!("{pointer}: {why}"))?;
                true
            }
            "type" => [rule].into_iter().chain(rule.as_array().into_iter().flatten()).any(|ty| is(value, ty)),
            "const" => value == rule,
            "enum" => items(rule).contains(value),
            "required" => {
                let fields = value.as_object();
                items(rule).iter().all(|name| fields.is_none_or(|fields| fields.contains_key(text(name))))
            }
            "properties" => {
                for (name, inner) in rule.as_object().into_iter().flatten() {
                    if let Some(field) = value.get(name) {
                        fits(field, inner, root).map_err(|why| format!("{name}: {why}"))?;
                    }
                }
                true
            }
            "additionalProperties" => {
                let known = &rules["properties"];
                value.as_object().is_none_or(|fields| fields.keys().all(|name| known.get(name).is_some()))
            }
            "items" => value.as_array().into_iter().flatten().all(|item| fits(item, rule, root).is_ok()),
            "minItems" => value.as_array().is_none_or(|items| items.len() as u64 >= number(rule)),
            "maxItems" => value.as_array().is_none_or(|items| items.len() as u64 <= number(rule)),
            "minLength" => value.as_str().is_none_or(|text| text.chars().count() as u64 >= number(rule)),
            "maxLength" => value.as_str().is_none_or(|text| text.chars().count() as u64 <= number(rule)),
            "minimum" => value.as_f64().is_none_or(|found| found >= number(rule) as f64),
            "maximum" => value.as_f64().is_none_or(|found| found <= number(rule) as f64),
            // The only pattern that is used has no signs of its own.
            "pattern" => value.as_str().is_none_or(|found| found.contains(text(rule))),
            "allOf" => items(rule).iter().all(|inner| fits(value, inner, root).is_ok()),
            "anyOf" => items(rule).iter().any(|inner| fits(value, inner, root).is_ok()),
            "oneOf" => items(rule).iter().filter(|inner| fits(value, inner, root).is_ok()).count() == 1,
            "not" => fits(value, rule, root).is_err(),
            "if" => {
                let branch = if fits(value, rule, root).is_ok() { "then" } else { "else" };
                rules.get(branch).is_none_or(|inner| fits(value, inner, root).is_ok())
            }
            other => return Err(format!("the keyword `{other}` is not known here")),
        };
        if !held {
            return Err(format!("`{keyword}` {rule} does not hold of {value}"));
        }
    }
    Ok(())
}

fn is(value: &Value, ty: &Value) -> bool {
    match ty.as_str() {
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("boolean") => value.is_boolean(),
        Some("number") => value.is_number(),
        Some("integer") => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        _ => false,
    }
}

fn items(rule: &Value) -> &[Value] {
    rule.as_array().expect("a list")
}

fn text(rule: &Value) -> &str {
    rule.as_str().expect("a text")
}

fn number(rule: &Value) -> u64 {
    rule.as_u64().expect("a whole number")
}
