//! Models that the user's settings define: by their own names, with prices, keys and who is asked where one fails.

use serde_json::{Value, json};

use super::{Scripted, place, python};
use crate::support::{Call, Place};

/// Nobody listens there.
const NOBODY: &str = "http://127.0.0.1:9/v1";

fn settings(place: &Place, text: &str) {
    place.file(".config/assay/config.toml", text);
}

fn ask(place: &Place, question: &str, more: &[&str]) -> Call {
    let call = place.assay(["ask", "sales.csv", question, "--json", "--planner", "off", "--derivations", "1"]);
    more.iter().fold(call, |call, argument| call.arg(argument))
}

#[test]
fn where_one_fails_the_next_is_asked_and_what_it_cost_is_counted() {
    let place = place();
    let model = Scripted::saying(&[&python("sales['amount'].sum()"), "YES"]);
    settings(
        &place,
        &format!(
            "model = \"main\"\n[models.main]\nprovider = \"chat\"\nmodel = \"m\"\nbase_url = \"{NOBODY}\"\n\
             fallback = \"spare\"\n[models.spare]\nprovider = \"chat\"\nmodel = \"qwen\"\nbase_url = \"{}\"\n\
             key_env = \"SPARE_KEY\"\nprices = {{ input = 1000, output = 10000 }}\n",
            model.address
        ),
    );
    let answer = ask(&place, "what is all of it", &[]).env("SPARE_KEY", "k").run().exits(0).document();
    assert_eq!((&answer["table"]["rows"], &answer["model"]["name"]), (&json!([[100]]), &json!("main")), "{answer:#}");
    // Twice 100 tokens read and 10 written.
    assert_eq!(answer["model"]["cost"]["usd"], json!(0.4));
    assert_eq!((model.heard().len(), &model.heard()[0]["model"]), (2, &json!("qwen")));
    let shown = place.json(0, &["runs", "show", answer["run"].as_str().unwrap()]);
    let output = &shown["steps"][0]["output"];
    assert_eq!((&output["by"], &output["usd"]), (&json!("spare"), &json!(0.2)), "{output:#}");
    // Who was asked first is named where the last one cannot be asked either.
    let problem = ask(&place, "what else is it", &[]).run().exits(4).document();
    assert_eq!(problem["code"], "key_missing");
    let hint = problem["hint"].as_str().unwrap();
    assert!(hint.contains("SPARE_KEY") && hint.contains("`main` cannot be reached"), "{hint}");
}

#[test]
fn dollars_are_a_budget_where_prices_are_known() {
    let place = place();
    let broken = python("nothing_here");
    let model = Scripted::saying(&[&broken, &broken]);
    let table = format!(
        "[models.priced]\nprovider = \"chat\"\nmodel = \"m\"\nbase_url = \"{}\"\n[models.priced.prices]\n\
         input = 1000\noutput = 10000\n",
        model.address
    );
    settings(&place, &table);
    let spent = ask(&place, "what is it", &["--model", "priced", "--max-usd", "0.1"]).run().exits(2).document();
    assert_eq!((&spent["code"], model.heard().len()), (&json!("budget_exhausted"), 1), "{spent:#}");
    assert!(spent["message"].as_str().unwrap().contains("$0.2000"), "{spent:#}");
}

#[test]
fn a_wrong_table_is_an_error_that_says_what_to_write() {
    let place = place();
    settings(&place, "[models.main]\nprovider = \"chat\"\nmodel = \"m\"\nfallback = \"main\"\n");
    let problem = place.json(2, &["config", "show"]);
    assert_eq!(
        (&problem["code"], &problem["hint"]),
        (&json!("setting_invalid"), &json!("let one of them have no fallback"))
    );
    settings(&place, "");
    place.file("assay.toml", "[models.main]\nprovider = \"command\"\nmodel = \"./evil\"\n");
    let problem: Value = place.json(2, &["config", "show"]);
    assert_eq!(problem["code"], "setting_invalid");
    assert!(problem["message"].as_str().unwrap().contains("cannot come from a project"), "{problem:#}");
}

#[test]
fn settings_bound_a_run_and_a_day() {
    let place = place();
    let broken = python("nothing_here");
    settings(&place, "[budget.run]\ntokens = 50\n");
    let model = Scripted::saying(&[&broken]);
    let asked = |question: &str, more: &[&str]| {
        let call = ask(&place, question, &["--model", "chat:m", "--no-cache"]).env("OPENAI_BASE_URL", &model.address);
        more.iter().fold(call, |call, argument| call.arg(argument)).run()
    };
    let problem = asked("what is it", &[]).exits(2).document();
    assert_eq!((&problem["code"], model.heard().len()), (&json!("budget_exhausted"), 1), "{problem:#}");
    // A flag says otherwise for one run.
    asked("what is it", &["--max-tokens", "150"]);
    assert_eq!(model.heard().len(), 3);
    // Three replies of 110 tokens each.
    settings(&place, "[budget.day]\ntokens = 331\n");
    asked("what is it", &["--max-tokens", "1"]);
    assert_eq!(model.heard().len(), 4, "one token is left");
    let problem = asked("what is it", &[]).exits(2).document();
    assert_eq!((&problem["code"], model.heard().len()), (&json!("budget_exhausted"), 4), "{problem:#}");
    assert!(problem["message"].as_str().unwrap().contains("440 tokens since midnight"), "{problem:#}");
    assert_eq!(problem["hint"], "the setting budget.day.tokens raises it");
    // What costs nothing is not held up.
    place.json(0, &["ask", "sales.csv", "total amount", "--model", "chat:m"]);
}
