//! `assay plan run|check|compile` on the two examples of the machine interface, and on plans with one fault.

use serde_json::{Value, json};

use crate::support::tables::{column_names, rows};
use crate::support::{Place, shared};

fn canonical() -> Value {
    json!({"v":1,"dataset":"ecommerce","from":"order_items",
     "where":{"test":"within","expr":{"col":"orders.order_date"},"values":["2025-07-01","2026-07-01"]},
     "group":[{"as":"quarter","expr":{"col":"orders.order_date"},"grain":"quarter"},
              {"as":"category","expr":{"col":"order_items.category"}}],
     "measures":[
      {"as":"revenue","agg":"sum",
       "expr":{"op":"mul","args":[{"col":"order_items.price"},{"col":"order_items.quantity"}]}},
      {"as":"items","agg":"count"},
      {"as":"returned","agg":"count","where":{"test":"eq","expr":{"col":"orders.returned"},"values":[true]}}],
     "compute":[
      {"as":"return_rate","op":"ratio","args":["returned","items"]},
      {"as":"share","op":"share","args":["revenue"],"per":["quarter"]},
      {"as":"growth","op":"change_pct","args":["revenue"],"along":"quarter","per":["category"]}],
     "having":{"test":"ge","expr":{"ref":"items"},"values":[20]},
     "top":{"n":3,"by":"revenue","dir":"desc","per":["quarter"],"ties":true},
     "order":[{"by":"quarter","dir":"asc"},{"by":"revenue","dir":"desc"}],"limit":200})
}

fn short() -> Value {
    json!({"dataset_id":"ecommerce","table":"order_items",
     "select":[{"column":"category"},{"agg":"sum","column":"price","as":"total"},{"agg":"count","column":"*","as":"n"}],
     "filters":[{"column":"discount","op":">","value":0},{"column":"category","op":"in","value":["Books","Toys"]}],
     "group_by":["category"],"order_by":[{"expr":"total","dir":"desc"}],"limit":20,"notes":"…"})
}

#[track_caller]
fn plan(action: &str, plan: &Value, code: i32) -> Value {
    shared().assay(["plan", action, "-", "--json"]).stdin(plan.to_string()).run().exits(code).document()
}

#[test]
fn the_example_in_canonical_form_is_valid_and_verified() {
    let document = plan("run", &canonical(), 0);
    assert_eq!(document["known"]["level"], "verified", "{}", document["known"]);
    let names = ["quarter", "category", "revenue", "items", "returned", "return_rate", "share", "growth"];
    assert_eq!(column_names(&document["table"]), names);
    let rows = rows(&document["table"]);
    assert!(!rows.is_empty() && rows.len() <= 3 * 4, "three a quarter: {rows:?}");
    assert_eq!(plan("check", &canonical(), 0)["plan_hash"], document["plan_hash"]);
    assert_eq!(plan("compile", &canonical(), 0)["sql"], document["sql"]);
    assert_eq!(plan("compile", &canonical(), 0)["dialect"], "duckdb");
}

#[test]
fn a_period_without_rows_gives_an_empty_table_that_is_verified_too() {
    let mut earlier = canonical();
    earlier["where"]["values"] = json!(["2025-07-01", "2026-01-01"]);
    let document = plan("run", &earlier, 0);
    assert_eq!(document["known"]["level"], "verified", "{}", document["known"]);
    assert!(rows(&document["table"]).is_empty());
}

#[test]
fn the_example_in_short_form_is_valid_and_equals_sql_by_hand() {
    let document = plan("run", &short(), 0);
    assert_eq!(document["known"]["level"], "verified", "{}", document["known"]);
    let by_hand = "SELECT category, sum(price) AS total, count(*) AS n FROM order_items \
        WHERE discount > 0 AND category IN ('Books', 'Toys') GROUP BY category ORDER BY total DESC LIMIT 20";
    let expected = shared().json(0, &["sql", "ecommerce", by_hand]);
    assert_eq!(rows(&document["table"]), rows(&expected["table"]));
    assert_eq!(document["plan"]["v"], 1, "the canonical form is shown");
}

#[test]
fn a_canonical_plan_is_its_own_canonical_form_and_the_sql_runs_by_hand() {
    let first = plan("check", &short(), 0);
    let again = plan("check", &first["plan"], 0);
    assert_eq!((&again["plan"], &again["plan_hash"]), (&first["plan"], &first["plan_hash"]));
    let compiled = plan("compile", &first["plan"], 0);
    assert_eq!(compiled["plan_hash"], first["plan_hash"]);
}

#[test]
fn plans_that_mean_the_same_have_the_same_hash() {
    let hash = |value: &Value| plan("check", value, 0)["plan_hash"].clone();
    let mut other = short();
    other["select"][1] = json!({"func":"sum","column":"price","alias":"total"});
    other["order_by"] = json!([{"expr":"total","direction":"desc"}]);
    other["filters"][1]["value"] = json!(["Toys", "Books"]);
    other["filters"].as_array_mut().unwrap().reverse();
    other["notes"] = json!("other");
    assert_eq!(hash(&other), hash(&short()));
    other["limit"] = json!(21);
    assert_ne!(hash(&other), hash(&short()));
}

#[test]
fn a_plan_with_one_fault_is_not_valid_and_says_where() {
    let mut misspelt_column = short();
    misspelt_column["select"][1]["column"] = json!("prise");
    let mut misspelt_canonical = canonical();
    misspelt_canonical["measures"][0]["expr"]["args"][0]["col"] = json!("order_items.prise");
    let mut misspelt_field = canonical();
    misspelt_field["messures"] = misspelt_field["measures"].take();
    let mut missing_table = short();
    missing_table.as_object_mut().unwrap().remove("table");
    let mut too_many = canonical();
    too_many["limit"] = json!(1001);
    let mut beside_an_aggregate = short();
    beside_an_aggregate["group_by"] = json!([]);
    let cases = [
        (misspelt_column, "/select/1", Some("price")),
        (misspelt_canonical, "/measures/0/expr/args/0", Some("price")),
        (misspelt_field, "/messures", Some("measures")),
        (missing_table, "", None),
        (too_many, "/limit", None),
        (beside_an_aggregate, "", None),
    ];
    for (value, path, suggestion) in cases {
        let checked = plan("check", &value, 1);
        assert_eq!(checked["valid"], false, "{value}");
        let problem = &checked["problems"][0];
        assert!(problem["path"].as_str().unwrap().starts_with(path), "{path} in {checked}");
        if let Some(suggestion) = suggestion {
            assert!(problem["suggestions"].to_string().contains(suggestion), "{suggestion} in {checked}");
        }
        let ran = plan("run", &value, 2);
        assert_eq!((&ran["kind"], &ran["message"]), (&json!("problem"), &problem["message"]));
        assert_eq!(ran["path"], problem["path"]);
    }
}

#[test]
fn a_plan_file_and_stdin_give_the_same() {
    let place = Place::new();
    let file = place.file("plan.json", short().to_string());
    let of_file = place.json(0, &["plan", "run", file.to_str().unwrap()]);
    let of_stdin = plan("run", &short(), 0);
    assert_eq!((&of_file["table"], &of_file["plan_hash"]), (&of_stdin["table"], &of_stdin["plan_hash"]));
}

#[test]
fn the_plan_of_an_answer_runs_by_itself_to_the_same_table() {
    let answer = shared().answer(&["support"], "What is the SLA compliance by priority?");
    let document = plan("run", &answer["plan"], 0);
    assert_eq!((&document["plan_hash"], &document["table"]), (&answer["plan_hash"], &answer["table"]));
    assert_eq!(document["sql"], answer["sql"]);
}
