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

/// The first step of a run that is a model's reply.
fn first_reply(shown: &Value) -> &Value {
    shown["steps"].as_array().unwrap().iter().find(|step| step["name"] == "model").expect("a reply")
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
    let output = &first_reply(&shown)["output"];
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

#[test]
fn a_model_is_tried_and_what_its_family_lacks_is_no_failure() {
    let place = place();
    let said = ["ready", "1 2 3", "{\"city\": \"Paris\"}", "I call nothing"];
    let tried = |name: &str, code: i32| {
        let model = Scripted::saying(&said);
        let call = place.assay(["model", "test", name, "--json"]).env("OPENAI_BASE_URL", &model.address);
        call.run().exits(code).document()
    };
    let test = tried("chat:m", 0);
    let checks: Vec<(&str, bool)> = test["checks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|check| (check["id"].as_str().unwrap(), check["ok"] == true))
        .collect();
    assert_eq!(checks, [("text", true), ("stream", true), ("structured", true), ("tools", false)], "{test:#}");
    assert_eq!((&test["ok"], &test["usage"]["output"]), (&json!(true), &json!(40)));
    // Of this one calls are expected.
    let test = tried("chat:claude", 1);
    assert_eq!(
        (&test["ok"], &test["checks"][3]["note"]),
        (&json!(false), &json!("called nothing, said `I call nothing`"))
    );
    let silent = place.assay(["model", "test", "chat:m", "--json"]).env("OPENAI_BASE_URL", NOBODY).run();
    let test = silent.exits(1).document();
    assert_eq!(test["checks"][3]["note"], "not tried, for no text came", "{test:#}");
    let problem = place.assay(["model", "test", "--json"]).run().exits(2).document();
    assert_eq!(problem["code"], "model_unknown");
}

#[test]
fn models_are_listed_shown_and_chosen_without_their_keys() {
    let place = place();
    let file = "# mine\n[models.main]\nprovider = \"chat\"\nmodel = \"qwen\"\nbase_url = \"https://h.example/secret/v1\"\n\
                key_env = \"MAIN_KEY\"\nprices = { input = 3, output = 15 }\nfallback = \"ollama:x\"\n";
    settings(&place, file);
    let run = |arguments: &[&str]| {
        let call = place.assay(arguments).arg("--json").env("MAIN_KEY", super::CANARY);
        let ran = call.env("ANTHROPIC_API_KEY", super::CANARY).run();
        assert!(!ran.stdout.contains(super::CANARY) && !ran.stderr.contains(super::CANARY));
        ran
    };
    let list = run(&["model", "list"]).exits(0).document();
    assert_eq!((&list["default"], &list["models"][0]["key"]), (&Value::Null, &json!("there")), "{list:#}");
    assert_eq!(list["models"][0]["fallbacks"], json!(["ollama:x"]));
    let keys: Vec<&Value> = list["providers"].as_array().unwrap().iter().map(|one| &one["key"]).collect();
    assert_eq!(keys, ["there", "missing", "not_needed", "not_needed", "not_needed"]);
    let shown = run(&["model", "show", "main"]).exits(0).document();
    assert_eq!((&shown["origin"], &shown["prices"]["cache_read"]), (&json!("https://h.example"), &json!(3.0)));
    run(&["model", "use", "nobody"]).exits(2);
    run(&["model", "use", "main"]).exits(0);
    let written = std::fs::read_to_string(place.path(".config/assay/config.toml")).unwrap();
    assert_eq!(written, file.replace("# mine\n", "# mine\nmodel = \"main\"\n"));
    let list = run(&["model", "list"]).exits(0).document();
    assert_eq!((&list["default"], &list["default_origin"]), (&json!("main"), &json!("user file")));
}

#[test]
fn a_recorded_run_answers_again_without_a_network() {
    let place = place();
    let model = Scripted::saying(&[&python("sales['amount'].sum()"), "YES", "All of it is 100."]);
    let asked = |name: &str, question: &str| {
        ask(&place, question, &["--no-cache", "--model", name]).env("OPENAI_BASE_URL", &model.address).run()
    };
    let first = asked("chat:claude", "what is all of it").exits(0).document();
    place.assay(["runs", "export", first["run"].as_str().unwrap(), "--to", "it.zip"]).run().exits(0);
    let again = asked("recorded:it.zip", "what is all of it").exits(0).document();
    assert_eq!(
        (&again["table"], &again["code"], &again["critique"]),
        (&first["table"], &first["code"], &first["critique"])
    );
    assert_eq!(model.heard().len(), 3);
    let shown = place.json(0, &["runs", "show", again["run"].as_str().unwrap()]);
    let output = &first_reply(&shown)["output"];
    assert_eq!((&output["by"], &output["recorded"]), (&json!("chat:claude"), &json!(true)), "{output:#}");
    // Another question was not asked then.
    let problem = asked("recorded:it.zip", "what is half of it").exits(2).document();
    assert_eq!(problem["code"], "model_failed");
    let hint = problem["hint"].as_str().unwrap();
    assert!(hint.contains("what is half of it") && hint.contains("what is all of it"), "{hint}");
    assert_eq!(model.heard().len(), 3);
    // The journal of an unpacked capsule is as good, and a changed file beside it is none.
    let unzip = "import zipfile; zipfile.ZipFile('it.zip').extractall('it')";
    assert!(
        std::process::Command::new("python3")
            .args(["-c", unzip])
            .current_dir(place.path("."))
            .status()
            .unwrap()
            .success()
    );
    let again = asked("recorded:it/journal.jsonl", "what is all of it").exits(0).document();
    assert_eq!(again["table"], first["table"]);
    for artifact in std::fs::read_dir(place.path("it/artifacts")).unwrap() {
        std::fs::write(artifact.unwrap().path(), "{}").unwrap();
    }
    assert_eq!(asked("recorded:it/journal.jsonl", "what is all of it").exits(2).document()["code"], "file_unreadable");
    assert_eq!(asked("recorded:sales.csv", "what is all of it").exits(2).document()["code"], "file_unreadable");
    assert_eq!(model.heard().len(), 3);
}
