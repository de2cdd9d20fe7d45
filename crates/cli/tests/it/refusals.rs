//! Questions that are not understood: a reason, the words, and suggestions that themselves work.

use std::collections::BTreeSet;

use crate::support::shared;

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
