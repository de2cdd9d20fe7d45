//! The suggested questions: answered, verified, and equal to what pandas computes on the exported files, inside our
//! own sandbox and without any of our own query code.

use serde_json::Value;

use crate::support::tables::{chosen, context, focus, same_rows};
use crate::support::{Place, shared};

const EXPECTED: &str = "../data/datasets/expected.py";

/// Computes every expected answer of one dataset; the file's name names the dataset.
const DRIVER: &str = "\
import json, os, sys
sys.path.insert(0, 'input')
import expected
tables = {name[:-4]: expected.read('input/' + name) for name in os.listdir('input') if name.endswith('.csv')}
print(json.dumps(expected.expected(os.path.basename(__file__)[:-3], tables)))
";

#[test]
fn questions_of_ecommerce_equal_pandas() {
    check("ecommerce");
}

#[test]
fn questions_of_support_equal_pandas() {
    check("support");
}

#[test]
fn questions_of_sensors_equal_pandas() {
    check("sensors");
}

fn check(dataset: &str) {
    let described = shared().json(0, &["data", "show", dataset]);
    let questions: Vec<&str> =
        described["questions"].as_array().unwrap().iter().map(|one| one.as_str().unwrap()).collect();
    let expected = computed_by_pandas(dataset);
    assert_eq!(questions.len(), 6, "each dataset suggests six questions");
    assert_eq!(questions, expected.iter().map(|one| one["question"].as_str().unwrap()).collect::<Vec<_>>());
    let wrong: Vec<String> = expected.iter().filter_map(|one| difference(dataset, one).err()).collect();
    assert!(wrong.is_empty(), "{} of 6 are wrong:\n{}", wrong.len(), wrong.join("\n"));
}

fn computed_by_pandas(dataset: &str) -> Vec<Value> {
    let place = Place::new();
    let folder = place.path("exported");
    place.json(0, &["data", "export", dataset, "--to", folder.to_str().unwrap()]);
    let driver = place.file(&format!("{dataset}.py"), DRIVER);
    let mut call = place.assay(["sandbox", "run", driver.to_str().unwrap(), "--json", "--time", "60s", "--input"]);
    call = call.arg(std::env::current_dir().expect("tests run in their crate's folder").join(EXPECTED));
    for table in std::fs::read_dir(&folder).unwrap().flatten().map(|entry| entry.path()) {
        if table.extension().is_some_and(|extension| extension == "csv") {
            call = call.arg(table);
        }
    }
    let execution = call.run().document();
    assert_eq!(execution["outcome"], "ok", "{execution}");
    serde_json::from_str(execution["stdout"].as_str().unwrap()).expect("the driver prints JSON")
}

/// What is wrong with the answer to one question.
fn difference(dataset: &str, expected: &Value) -> Result<(), String> {
    let question = expected["question"].as_str().unwrap();
    let ran = shared().assay(["ask", dataset, question, "--json"]).run();
    let answer = ran.document();
    let fail = |what: String| Err(format!("{question:?}: {what}"));
    if (ran.code, &answer["status"]) != (Some(0), &Value::from("answered")) {
        return fail(format!("exit {:?}, refused: {}", ran.code, answer["refusal"]));
    }
    // A question about things with several rows each leaves open whether one row is enough; the answer says so.
    let open = answer["assumptions"].to_string().contains("any_row");
    if answer["known"]["level"] != if open { "checked" } else { "verified" } {
        return fail(format!("known is {}", answer["known"]));
    }
    let rows: Vec<Vec<Value>> = serde_json::from_value(expected["rows"].clone()).unwrap();
    let in_focus = expected["focus"].as_u64().unwrap() as usize;
    let ordered = expected["ordered"].as_bool().unwrap();
    let part = |range: std::ops::Range<usize>| rows.iter().map(|row| row[range.clone()].to_vec()).collect::<Vec<_>>();
    let found = chosen(&answer["table"], &focus(&answer));
    if !same_rows(&found, &part(0..in_focus), ordered) {
        return fail(format!("focus {:?} is {found:?}, pandas says {:?}", focus(&answer), part(0..in_focus)));
    }
    // Context columns have names of their own; what pandas computed must be one of them, beside the same focus.
    let width = expected["columns"].as_array().unwrap().len();
    for index in in_focus..width {
        let wanted: Vec<Vec<Value>> =
            rows.iter().map(|row| row[..in_focus].iter().chain([&row[index]]).cloned().collect()).collect();
        let beside = |name: String| chosen(&answer["table"], &[focus(&answer), vec![name]].concat());
        if !context(&answer).into_iter().any(|name| same_rows(&beside(name), &wanted, ordered)) {
            return fail(format!("no context column of {} holds {wanted:?}", answer["table"]));
        }
    }
    Ok(())
}
