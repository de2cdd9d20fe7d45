//! Questions that are not understood: a reason, the words, and suggestions that themselves work.

use std::collections::BTreeSet;

use serde_json::json;

use crate::support::{Place, shared};

/// Dataset, question, reasons that are right, and a word that the refusal names.
const CASES: &[(&str, &str, &[&str], Option<&str>)] = &[
    ("ecommerce", "What is the profit by category?", &["unknown_word"], Some("profit")),
    ("ecommerce", "How many unicorns are there?", &["unknown_word", "not_about_data"], Some("unicorns")),
    ("ecommerce", "What is the weather in Paris?", &["not_about_data", "unknown_word"], Some("weather")),
    ("ecommerce", "Delete all orders", &["write_requested"], Some("delete")),
    ("ecommerce", "Set the stock of every product to 5", &["write_requested"], None),
    ("ecommerce", "Predict revenue for next year", &["unsupported"], None),
    ("ecommerce", "Why did revenue fall?", &["unsupported"], None),
    ("ecommerce", "", &["not_about_data"], None),
    ("support", "What is the average salary of agents?", &["unknown_word"], Some("salary")),
    ("sensors", "Which sensors were painted green?", &["unknown_word"], None),
    ("sensors", "lorem ipsum dolor", &["not_about_data", "unknown_word"], Some("lorem")),
];

#[test]
fn a_question_that_is_not_understood_is_refused_with_its_reason_and_words() {
    let mut wrong = Vec::new();
    for (dataset, question, reasons, word) in CASES {
        let ran = shared().assay(["ask", dataset, question, "--json"]).run();
        let answer = ran.document();
        let refusal = &answer["refusal"];
        let words = refusal["words"].to_string().to_lowercase();
        let reason_fits = reasons.iter().any(|reason| refusal["reason"] == *reason);
        if ran.code != Some(1) || !reason_fits || !word.is_none_or(|word| words.contains(word)) {
            wrong.push(format!("{question:?}: exit {:?}, {}, {refusal}", ran.code, answer["reading"]));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn each_suggestion_of_a_refusal_is_itself_answered() {
    let mut suggestions = BTreeSet::new();
    for (dataset, question, ..) in CASES {
        let refusal = shared().json_any(&["ask", dataset, question])["refusal"].clone();
        let offered: Vec<String> = serde_json::from_value(refusal["suggestions"].clone()).unwrap_or_default();
        assert!(!offered.is_empty(), "{question:?} is refused without a suggestion");
        suggestions.extend(offered.into_iter().map(|text| (*dataset, text)));
    }
    let refused: Vec<String> = suggestions
        .iter()
        .map(|(dataset, text)| (text, shared().json_any(&["ask", dataset, text])))
        .filter(|(_, answer)| answer["status"] != "answered")
        .map(|(text, answer)| format!("{text:?}: {}", answer["refusal"]))
        .collect();
    assert!(refused.is_empty(), "suggested and then refused:\n{}", refused.join("\n"));
}

#[test]
fn a_refusal_for_people_stands_on_stderr() {
    let ran = shared().assay(["ask", "ecommerce", "What is the profit by category?"]).run().exits(1);
    assert_eq!(ran.stdout, "");
    assert!(ran.stderr.contains("profit"), "{}", ran.stderr);
    assert!(ran.stderr.lines().any(|line| line.starts_with("try: ")), "{}", ran.stderr);
}

const RENTALS: &str = "\
pier,insured,crew,fees
North,yes,2,120.50
North,no,3,80.00
South,yes,1,210.00
South,no,4,95.25
West,yes,2,60.75
West,no,5,310.00
";

fn rentals() -> Place {
    let place = Place::new();
    place.file("rentals.csv", RENTALS);
    place
}

#[test]
fn slips_in_several_words_are_mended_together_and_the_other_words_are_told() {
    let place = rentals();
    let ran = place.assay(["ask", "rentals.csv", "averge fes by peir"]).run().exits(1);
    assert!(ran.stderr.lines().any(|line| line == "try: average fees by pier"), "{}", ran.stderr);
    let ran = place.assay(["ask", "rentals.csv", "average fees by captain"]).run().exits(1);
    let understood = "understood: `average` the average, `fees` the column fees";
    assert!(ran.stderr.lines().any(|line| line == understood), "{}", ran.stderr);
    let refusal = place.json(1, &["ask", "rentals.csv", "average fees by captain"])["refusal"].clone();
    assert_eq!((&refusal["words"], refusal["understood"][1]["words"].as_str()), (&json!(["captain"]), Some("fees")));
    assert_eq!(refusal["suggestions"][0], "average fees by pier");
}

#[test]
fn only_where_a_number_is_asked_for_a_measure_is_advised() {
    let place = rentals();
    let hint = |question: &str| place.json(1, &["ask", "rentals.csv", question])["refusal"]["hint"].to_string();
    for question in ["average wages by pier", "what is the total fuel", "top 2 pier by profit"] {
        assert!(hint(question).contains("[[measure]]"), "{question}: {}", hint(question));
    }
    for question in ["average fees by captain", "averge fes by peir", "why are the fees high", "fees of retired crew"] {
        assert_eq!(hint(question), "null", "{question}");
    }
}

#[test]
fn a_model_is_spoken_of_in_one_line_where_none_was_asked_that_may_read_the_question() {
    let place = rentals();
    let lines = |arguments: &[&str]| {
        let ran = place.assay(arguments.iter().copied()).run().exits(1);
        ran.stderr.lines().filter(|line| line.contains("model")).count()
    };
    assert_eq!(lines(&["ask", "rentals.csv", "average fees by captain"]), 1);
    assert_eq!(lines(&["ask", "rentals.csv", "average fees by captain", "--model", "off"]), 0);
    assert_eq!(lines(&["ask", "rentals.csv", "delete all rows of the North pier"]), 0);
    let refusal = |question: &str| place.json(1, &["ask", "rentals.csv", question])["refusal"].clone();
    assert_eq!(refusal("average fees by captain")["model_may_read"], true);
    assert_eq!(refusal("delete all rows of the North pier")["model_may_read"], false);
}

#[test]
fn a_question_with_several_readings_lists_exactly_those_and_nothing_else() {
    let place = rentals();
    let answer = place.json_any(&["ask", "rentals.csv", "best pier"]);
    // What is left open is no reading, so there is none to choose.
    assert_eq!((&answer["refusal"]["reason"], &answer["refusal"]["readings"]), (&json!("ambiguous"), &json!([])));
    let message = answer["refusal"]["message"].as_str().unwrap();
    assert!(message.contains("`best`"), "{message}");
}
