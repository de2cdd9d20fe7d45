//! What is remembered about a dataset is shown with the answers it touches, and stays when the data changes.

use serde_json::{Value, json};

use crate::support::Place;

const SALES: &str = "region,price,day\nNorth,10,2025-01-03\nSouth,20,2025-02-03\nSouth,30,2025-02-04\n";

fn texts(answer: &Value) -> Vec<&str> {
    answer["remembered"].as_array().unwrap().iter().map(|one| one["text"].as_str().unwrap()).collect()
}

#[test]
fn a_note_is_shown_with_the_answers_it_touches() {
    let place = Place::new();
    place.file("sales.csv", SALES);
    let ask = |question: &str| place.answer(&["sales.csv"], question);
    assert_eq!(texts(&ask("total price by region")), [""; 0]);
    let (prices, january) = ("Prices are without tax", "a strike in January");
    for (number, text) in [(1, prices), (2, january)] {
        assert_eq!(place.json(0, &["data", "remember", "sales.csv", text])["note"]["id"], number);
    }
    let again = ask("total price by region");
    assert_eq!((&again["cached"], texts(&again)), (&json!(true), vec![prices]), "also with an answer that is known");
    assert_eq!(texts(&ask("how many rows by region")), [""; 0]);
    assert_eq!(texts(&ask("total price in January 2025")), [prices, january]);
    assert_eq!(texts(&ask("total price in February 2025")), [prices]);
    let people = place.assay(["ask", "sales.csv", "total price by region"]).run().exits(0);
    assert!(people.stdout.contains(&format!("noted    {prices}\n")), "{}", people.stdout);
    let run = again["run"].as_str().unwrap();
    assert_eq!(place.json(0, &["runs", "replay", run])["same"], true);
}

#[test]
fn notes_are_changed_and_forgotten_and_outlive_a_refresh() {
    let place = Place::new();
    place.file("sales.csv", SALES);
    place.json(0, &["data", "add", "sales.csv", "--name", "shop"]);
    let list = || place.json(0, &["data", "notes", "shop", "list"])["notes"].clone();
    assert_eq!(list(), json!([]));
    for text in ["prices are net", "regions were renamed"] {
        place.json(0, &["data", "remember", "shop", text]);
    }
    place.file("sales.csv", format!("{SALES}West,1,2025-03-01\n"));
    assert_eq!(place.json(0, &["data", "refresh", "shop"])["changed"], true);
    place.json(0, &["data", "notes", "shop", "edit", "1", "prices are gross"]);
    assert_eq!(place.json(0, &["data", "notes", "shop", "forget", "2"])["note"]["text"], "regions were renamed");
    assert_eq!(place.json(2, &["data", "notes", "shop", "forget", "2"])["code"], "usage");
    assert_eq!((list()[0]["id"].clone(), list()[0]["text"].clone()), (json!(1), json!("prices are gross")));
    assert_eq!(place.json(0, &["data", "remember", "shop", "another"])["note"]["id"], 3, "no number is given twice");
    assert_eq!(place.json(0, &["data", "show", "shop"])["remembered"][0]["text"], "prices are gross");
    let people = place.assay(["data", "show", "shop"]).run().exits(0);
    assert!(people.stdout.contains("prices are gross"), "{}", people.stdout);
    assert_eq!(texts(&place.answer(&["shop"], "total price by region")), ["prices are gross"]);
    place.json(0, &["data", "remove", "shop"]);
    place.json(0, &["data", "add", "sales.csv", "--name", "shop"]);
    assert_eq!(list(), json!([]), "another dataset of that name has notes of its own");
}

#[test]
fn a_note_about_nothing_is_refused() {
    let place = Place::new();
    assert_eq!(place.json(2, &["data", "remember", "nothing", "text"])["code"], "dataset_unknown");
    for text in ["  ", &"x".repeat(501)] {
        assert_eq!(place.json(2, &["data", "remember", "ecommerce", text])["code"], "usage");
    }
}
