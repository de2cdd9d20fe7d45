//! Questions that learn: how a program that failed was mended is told where the same question fails in the same way.

use serde_json::{Value, json};

use crate::models::{Scripted, python};
use crate::support::Place;

const QUESTION: &str = "what did we take in all";
const BROKEN: &str = "sales['amount'].total()";
const SUM: &str = "sales['amount'].sum()";

/// Asks a model that mends what it is shown: it fails at first, and writes the answer twice.
fn ask(place: &Place, question: &str, model_name: &str) -> (Value, Vec<Value>) {
    let (broken, sum) = (python(BROKEN), python(SUM));
    let second = "```sql\nSELECT sum(amount) FROM sales\n```";
    let model = Scripted::saying(&[&broken, &sum, second, "YES, it adds up every amount", "It is all of it."]);
    let call = place.assay(["ask", "sales.csv", question, "--json", "--planner", "off", "--model", model_name]);
    let answer = call.env("OPENAI_BASE_URL", &model.address).run().exits(0).document();
    assert_eq!(
        (&answer["attempts"][0]["text"], &answer["known"]["level"]),
        (&json!(BROKEN), &json!("checked")),
        "{answer:#}"
    );
    (answer, model.heard())
}

fn lessons(place: &Place) -> Vec<Value> {
    place.json(0, &["memory", "list"])["lessons"].as_array().unwrap().clone()
}

#[test]
fn a_question_that_failed_before_in_the_same_way_is_told_what_mended_it() {
    let place = Place::new();
    place.file("sales.csv", "day,amount\n2026-01-01,10\n2026-01-02,20\n");
    let (answer, _) = ask(&place, QUESTION, "chat:claude-x");
    let kept = lessons(&place);
    assert_eq!(kept.len(), 1, "{kept:#?}");
    assert_eq!((&kept[0]["kind"], &kept[0]["code"], &kept[0]["fix"]), (&json!("failure"), &json!(BROKEN), &json!(SUM)));
    assert_eq!((&kept[0]["task"], &kept[0]["run"]), (&json!(QUESTION), &answer["run"]));
    let signature = kept[0]["error_signature"].as_str().unwrap();
    assert!(signature.starts_with("AttributeError: ") && !signature.contains("total"), "{signature}");
    let told = |heard: &[Value]| heard[1]["messages"].to_string().contains("once mended");
    // Another question is not told: nothing shows yet that it would help.
    let (_, heard) = ask(&place, "how much is it altogether", "chat:claude-x");
    assert!(!told(&heard), "{heard:#?}");
    // Over other data the question is asked anew.
    place.file("sales.csv", "day,amount\n2026-01-01,10\n2026-01-02,21\n");
    let (_, heard) = ask(&place, QUESTION, "chat:claude-x");
    assert!(told(&heard) && heard[1]["messages"].to_string().contains("].sum()"), "{heard:#?}");
    let used = lessons(&place).into_iter().find(|one| one["id"] == kept[0]["id"]).unwrap();
    assert_eq!((&used["used"], &used["helped"]), (&json!(1), &json!(1)));
    // What a run was told is recorded with it.
    let run = place.json(0, &["runs", "list", "--limit", "1"])["runs"][0]["id"].as_str().unwrap().to_string();
    place.assay(["runs", "replay", &run]).run().exits(0);
    // A model that writes again instead of mending is told nothing.
    place.file("sales.csv", "day,amount\n2026-01-01,10\n2026-01-02,22\n");
    let model = Scripted::saying(&[&python(BROKEN), &python(SUM), &python("sum(sales['amount'])"), "YES, right"]);
    let call = place.assay(["ask", "sales.csv", QUESTION, "--json", "--planner", "off", "--model", "chat:scripted"]);
    call.env("OPENAI_BASE_URL", &model.address).run().exits(0);
    assert!(!model.prompts().contains("once mended"));
}
