//! What comes with a model's answer beyond the result: charts and figures, notes that it proposes, replies in JSON, the text
//! as it is written; and what it is told where the data is wide or holds nothing of what was asked.

use serde_json::{Value, json};

use super::{Scripted, place, python};
use crate::support::{Call, Place};

/// A model of the user's own settings, with what it can.
fn define(place: &Place, model: &Scripted, capabilities: &str) {
    let text = format!(
        "[models.mine]\nprovider = \"chat\"\nmodel = \"m\"\nbase_url = \"{}\"\ncapabilities = {{ {capabilities} }}\n",
        model.address
    );
    place.file(".config/assay/config.toml", text);
}

fn ask(place: &Place, question: &str, more: &[&str]) -> Call {
    let call = place.assay(["ask", "sales.csv", question, "--planner", "off", "--derivations", "1"]);
    more.iter().fold(call, |call, argument| call.arg(argument))
}

/// Everything a request says.
fn text_of(request: &Value) -> String {
    request["messages"].as_array().unwrap().iter().filter_map(|one| one["content"].as_str()).collect()
}

#[test]
fn a_result_without_a_plan_has_a_chart_of_ours_and_asks_for_no_other() {
    let place = place();
    let code = python("sales.groupby('region', as_index=False)['amount'].sum()");
    let model = Scripted::saying(&[&code, "YES"]);
    let answer = model.ask(&place, "plot the amount by region", &["--derivations", "1"]).exits(0).document();
    let chart = &answer["chart"];
    assert_eq!((&chart["kind"], &chart["drawing"]["title"]), (&json!("bar"), &json!("amount by region")), "{answer:#}");
    assert_eq!((&answer["figures"], model.heard().len()), (&json!([]), 2));
    let told = text_of(&model.heard()[0]);
    assert!(told.contains("The result is drawn afterwards"), "{told}");
    let file = place.path("chart.svg");
    let asked = ["--model", "chat:scripted", "--chart", file.to_str().unwrap()];
    let seen = ask(&place, "plot the amount by region", &asked).env("OPENAI_BASE_URL", &model.address).run().exits(0);
    assert!(seen.stdout.contains("█") && std::fs::read_to_string(&file).unwrap().contains("amount by region"));
}

#[test]
fn what_our_charts_do_not_draw_is_drawn_by_the_models_program() {
    let place = place();
    let rows = python("sales[['region', 'amount']].dropna()");
    let chart = python(
        "import matplotlib.pyplot as plt\nfig, ax = plt.subplots()\nresult.boxplot('amount', by='region', ax=ax)\n\
         assert result['amount'].sum() == 60\nfig",
    );
    let model = Scripted::saying(&[&rows, "YES", &chart]);
    let question = "draw a box plot of the amounts for each region";
    let answer = model.ask(&place, question, &["--derivations", "1"]).exits(0).document();
    assert_eq!(answer["figures"][0]["name"], "figure.png", "{answer:#}");
    assert_eq!((&answer["table"]["row_count"], model.heard().len()), (&json!(3), 3));
    let run = answer["run"].as_str().unwrap();
    let shown = place.json(0, &["runs", "show", run]);
    let kept = shown["artifacts"].as_array().unwrap().iter().find(|one| one["name"] == "figure.png").expect("a figure");
    assert_eq!((&kept["sha256"], &kept["media_type"]), (&answer["figures"][0]["sha256"], &json!("image/png")));
    place.assay(["runs", "replay", run]).run().exits(0);
    assert_eq!(model.heard().len(), 3, "a replay draws nothing anew");
    // Given again, it is the file of the run that drew it.
    let file = place.path("it.png");
    let asked = ["--model", "chat:scripted", "--chart", file.to_str().unwrap()];
    let seen = ask(&place, question, &asked).env("OPENAI_BASE_URL", &model.address).run().exits(0);
    assert!(seen.stdout.contains(&format!("figure   assay runs artifact {run} figure.png\n")), "{}", seen.stdout);
    let picture = std::fs::read(&file).unwrap();
    assert!(picture.starts_with(b"\x89PNG") && picture.len() as u64 == kept["bytes"].as_u64().unwrap());
}

#[test]
fn a_program_that_draws_nothing_costs_the_figure_and_never_the_answer() {
    let place = place();
    let rows = python("sales[['region', 'amount']].dropna()");
    let escape = python("import os\nos.listdir('/')");
    let broken = python("result['nothing'].plot()");
    let forged = python("open('out/figure-1.png', 'w').write('no picture')\nNone");
    for (programs, why) in [
        ([&escape, &broken], "KeyError"),
        ([&broken, &escape], "it was not executed"),
        ([&forged, &python("1")], "it drew no figure"),
    ] {
        let model = Scripted::saying(&[&rows, "YES", programs[0], programs[1]]);
        let more = ["--derivations", "1", "--no-cache"];
        let answer = model.ask(&place, "a violin plot of the amounts by region", &more).exits(0).document();
        assert_eq!((&answer["table"]["row_count"], &answer["figures"]), (&json!(3), &json!([])), "{answer:#}");
        assert!(answer["notes"].to_string().contains(&format!("no figure is drawn: {why}")), "{:#}", answer["notes"]);
        assert_eq!(model.heard().len(), 4, "tried twice");
    }
}

#[test]
fn a_proposed_note_is_shown_by_its_query_and_kept_by_a_person() {
    let place = place();
    let code = python("{'total': int(sales['amount'].sum())}");
    let note = |said: &str, sql: &str| format!("It is 100 in all.\nNOTE: {said}\n```sql\n{sql}\n```");
    let ask = |reply: &str, question: &str| {
        let model = Scripted::saying(&[&code, "YES", reply]);
        model.ask_as("chat:gpt-9", &place, question, &["--derivations", "1", "--no-cache"]).exits(0).document()
    };
    let right = "SELECT region, sum(amount) AS amount FROM sales WHERE region = 'north' GROUP BY region";
    for (said, sql) in [
        ("The north takes 41.", right),
        ("The north takes 40.", "SELECT * FROM read_csv('/etc/passwd')"),
        ("The north takes 40.", "DROP TABLE sales"),
        ("Sales are good.", right),
        ("See http://127.0.0.1:9/40 for the north.", right),
    ] {
        let answer = ask(&note(said, sql), "what is all of it");
        assert_eq!(
            (&answer["proposed_note"], &answer["summary"]),
            (&Value::Null, &json!("It is 100 in all.")),
            "{said}"
        );
    }
    let answer = ask(&note("The north takes 40.", right), "what is all of it");
    assert_eq!(answer["proposed_note"], json!({ "id": 1, "text": "The north takes 40.", "sql": right }), "{answer:#}");
    assert_eq!(ask(&note("The north takes 40.", right), "and again")["proposed_note"]["id"], 1, "it waits already");
    // It waits apart: no answer and no model is told of it.
    let listed = place.json(0, &["data", "notes", "sales.csv", "list"]);
    assert_eq!((&listed["notes"], &listed["proposed"][0]["text"]), (&json!([]), &json!("The north takes 40.")));
    assert_eq!(listed["proposed"][0]["proposed"]["run"], answer["run"]);
    assert_eq!(place.answer(&["sales.csv"], "total amount by region")["remembered"], json!([]));
    // Accepted, it is as the user's own.
    assert_eq!(place.json(0, &["data", "notes", "sales.csv", "accept", "1"])["done"], "accepted");
    assert_eq!(place.json(2, &["data", "notes", "sales.csv", "accept", "1"])["code"], "usage");
    let kept = &place.json(0, &["data", "notes", "sales.csv", "list"])["notes"][0];
    assert_eq!((&kept["text"], &kept["proposed"]["by"]), (&json!("The north takes 40."), &json!("chat:gpt-9")));
    let model = Scripted::saying(&[&code, "YES", &note("The north takes 40.", right)]);
    let told = model.ask_as("chat:gpt-9", &place, "what is it", &["--derivations", "1"]).exits(0).document();
    assert!(text_of(&model.heard()[0]).contains("Noted: \"The north takes 40.\""), "{:#}", model.heard()[0]);
    assert_eq!(told["proposed_note"], Value::Null, "what is known is not proposed");
    // Rejected, it does not come again.
    let south = note("The south takes 20.", "SELECT 20 AS amount");
    assert_eq!(ask(&south, "how much is it")["proposed_note"]["id"], 2);
    assert_eq!(place.json(0, &["data", "notes", "sales.csv", "reject", "2"])["done"], "rejected");
    assert_eq!(ask(&south, "how much is it")["proposed_note"], Value::Null);
    // A small model is asked for none.
    let small = Scripted::saying(&[&code, "YES"]);
    small.ask(&place, "what is all of it", &["--derivations", "1", "--no-cache"]).exits(0);
    assert_eq!(small.heard().len(), 2);
}

#[test]
fn a_reply_in_json_is_enforced_where_the_server_can_and_mended_once_where_it_did_not() {
    let place = place();
    let code = python("int(sales['amount'].sum())");
    let no = r#"{"verdict": "NO", "reason": "it is too low"}"#;
    let model = Scripted::saying(&[&code, "perhaps", no, &code, &code, "YES"]);
    let answer = model.ask_as("chat:gpt-9", &place, "all of it", &["--derivations", "1"]).exits(0).document();
    let heard = model.heard();
    let schema = &heard[1]["response_format"]["json_schema"];
    assert_eq!((&schema["strict"], &schema["schema"]["required"]), (&json!(true), &json!(["verdict", "reason"])));
    assert!(text_of(&heard[2]).contains("perhaps") && text_of(&heard[2]).contains("no JSON object"), "{:#}", heard[2]);
    assert!(text_of(&heard[3]).contains("it is too low"), "the NO was heard: {answer:#}");
    // A plan as JSON, by a model that is asked for plans.
    let plan = json!({ "cannot": null, "plan": {
        "table": "sales", "filters": [], "group_by": ["region"], "order_by": [], "limit": null, "select": [
            { "column": "region", "agg": null, "expr": null, "as": null },
            { "column": "amount", "agg": "sum", "expr": null, "as": "total" },
        ],
    } });
    let plan = plan.to_string();
    let model = Scripted::saying(&["A plan, then.", &plan, "YES"]);
    define(&place, &model, "action = \"plan\", schema = true");
    let answer = ask(&place, "amount for each region", &["--json", "--model", "mine"]).run().exits(0).document();
    assert_eq!((&answer["known"]["by"], &answer["code"]["language"]), (&json!("oracle"), &json!("plan")), "{answer:#}");
    assert_eq!(answer["table"]["rows"], json!([["north", 40], ["south", 20], [null, 40]]), "{answer:#}");
    let heard = model.heard();
    assert_eq!(heard[0]["response_format"]["json_schema"]["strict"], true);
    assert!(
        text_of(&heard[1]).contains("A plan, then.") && text_of(&heard[1]).contains("Reply again"),
        "{:#}",
        heard[1]
    );
    let model = Scripted::saying(&[r#"{"plan": null, "cannot": "there is no weather"}"#]);
    define(&place, &model, "action = \"plan\", schema = true");
    let answer = ask(&place, "did it rain", &["--json", "--model", "mine"]).run().exits(1).document();
    // Who asked a model is not told of models.
    let told = (&answer["refusal"]["reason"], &answer["refusal"]["model_may_read"]);
    assert_eq!(told, (&json!("no_data"), &json!(false)), "{answer:#}");
}

#[test]
fn a_wide_table_is_cut_to_the_models_context_and_says_so() {
    let place = Place::new();
    let names: Vec<String> = (0..600).map(|n| format!("measurement_number_{n:03}")).collect();
    let row = |of: i64| (0..600).map(|n| (n * of).to_string()).collect::<Vec<_>>().join(",");
    place.file("sales.csv", format!("{}\n{}\n{}\n", names.join(","), row(1), row(2)));
    let code = python("int(sales['measurement_number_577'].sum())");
    for (tokens, named) in [(3_000, false), (32_000, true)] {
        for capabilities in
            [format!("context_tokens = {tokens}"), format!("context_tokens = {tokens}, critique_is_gate = true")]
        {
            let model = Scripted::saying(&[&code, "YES"]);
            define(&place, &model, &capabilities);
            let asked = ["--json", "--no-cache", "--model", "mine"];
            let answer = ask(&place, "the sum of measurement_number_577", &asked).run().exits(0).document();
            assert_eq!(answer["table"]["rows"], json!([[577 * 3]]), "{answer:#}");
            for request in model.heard() {
                let told = text_of(&request);
                let room = 3 * (tokens - request["max_tokens"].as_u64().unwrap() as usize);
                assert!(told.len() <= room, "{} letters for {room}: {capabilities}", told.len());
                assert!(told.contains("\"measurement_number_577\" int"), "{told}");
                assert_eq!(told.contains("measurement_number_123"), named, "{capabilities}: {told}");
                assert_eq!(told.contains("more columns, not named here"), !named, "{capabilities}: {told}");
            }
        }
    }
}

#[test]
fn who_goes_on_with_a_program_is_first_asked_whether_there_is_anything_to_compute_from() {
    let place = place();
    // What was begun is gone on with.
    let code = "float(sales['amount'].mean())";
    let asked = |question: &str, replies: &[&str]| {
        let model = Scripted::saying(replies);
        define(&place, &model, "continues = true");
        let ran = ask(&place, question, &["--json", "--no-cache", "--model", "mine"]).run();
        (ran.document(), model.heard())
    };
    let (answer, heard) = asked("what is the mean rainfall", &["NONE"]);
    assert_eq!((&answer["refusal"]["reason"], heard.len()), (&json!("no_data"), 1), "{answer:#}");
    assert!(answer["refusal"]["message"].as_str().unwrap().contains("`rainfall`"), "{answer:#}");
    // A column that is there is believed more than a NONE, and a column that is not is no reason to go on or to stop.
    for reply in ["amount", "NONE, but perhaps amount", "rainfall"] {
        let (answer, heard) = asked("what is the mean rainfall", &[reply, code, "YES"]);
        assert_eq!((&answer["table"]["rows"], heard.len()), (&json!([[25.0]]), 3), "{reply}: {answer:#}");
    }
    // Where every word is known, nothing is asked.
    let (answer, heard) = asked("what is the mean amount", &[code, "YES"]);
    assert_eq!((&answer["table"]["rows"], heard.len()), (&json!([[25.0]]), 2), "{answer:#}");
}

#[test]
fn what_is_written_is_seen_while_it_comes() {
    let place = place();
    let (broken, code) = (python("sales['amout'].max()"), python("int(sales['amount'].sum())"));
    let model = Scripted::saying(&[&broken, &code, "YES", "It is 100."]);
    let ran = ask(&place, "all of it", &["--jsonl", "--no-cache", "--model", "chat:gpt-9"]);
    let ran = ran.env("OPENAI_BASE_URL", &model.address).run().exits(0);
    let events: Vec<Value> = ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let said = |channel: &str| -> String {
        let deltas = events.iter().filter(|event| event["type"] == "text.delta" && event["data"]["channel"] == channel);
        deltas.filter_map(|event| event["data"]["text"].as_str()).collect()
    };
    assert!(
        said("code").contains("amout") && said("critique").contains("YES") && said("answer").contains("It is 100.")
    );
    assert!(said("reflection").contains("KeyError: 'amout'") && said("reflection").contains("Result is 100."));
    // On a terminal the text stands in a block that the answer takes the place of.
    let model = Scripted::saying(&[&code, "YES"]);
    let mut terminal = std::process::Command::new("script");
    let call = place.assay(["--version"]).env("OPENAI_BASE_URL", &model.address);
    terminal.envs(call.environment()).env("OPENAI_BASE_URL", &model.address).current_dir(place.path("."));
    let program = place.program().display().to_string();
    let command =
        format!("{program} ask sales.csv 'all of it' --planner off --derivations 1 --no-cache --model chat:x");
    let output = terminal.args(["-qec", &command, "/dev/null"]).output().expect("`script` of util-linux");
    let seen = String::from_utf8(output.stdout).unwrap();
    let at = |text: &str| seen.find(text).unwrap_or_else(|| panic!("no {text}: {seen:?}"));
    assert!(at("the model writes…") < at("```python") && at("```python") < at("Result is 100."), "{seen:?}");
    assert!(seen[..at("Result is 100.")].contains("\x1b[1A\x1b[K"), "the block is taken away: {seen:?}");
}
