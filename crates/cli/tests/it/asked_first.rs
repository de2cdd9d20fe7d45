//! What people ask first of a file: what is in it, how its numbers go together, by ranges, and how two groups differ.

use serde_json::{Value, json};

use crate::support::Place;

const MEMBERS: &str = "name,age,joined,plan,smoker,visits,fee\n\
    Zoe,23,1994-05-01,Gold,yes,4,30.5\n\
    Abe,27,1999-01-15,Basic,no,8,12\n\
    Mia,31,2001-07-20,Gold,no,12,31\n\
    Kim,38,2008-03-03,Basic,yes,2,11.5\n\
    Lou,39,2012-11-30,Gold,no,16,33\n\
    Pat,52,2013-02-14,Basic,no,20,14\n\
    Eve,,2014-06-06,Gold,yes,6,29\n";

fn place() -> Place {
    let place = Place::new();
    place.file("members.csv", MEMBERS);
    place
}

fn rows(place: &Place, question: &str) -> Value {
    let answer = place.answer(&["members.csv"], question);
    assert_eq!(answer["status"], "answered", "{question}: {answer}");
    answer["table"]["rows"].clone()
}

#[test]
fn the_first_rows_are_those_of_the_file() {
    let place = place();
    let answer = place.answer(&["members.csv"], "show the first 2 rows");
    assert_eq!(answer["table"]["rows"][0][0], "Zoe", "not sorted: {answer}");
    assert_eq!(answer["table"]["rows"][1][0], "Abe");
    assert_eq!((&answer["table"]["row_count"], &answer["table"]["truncated"]), (&json!(2), &json!(false)));
    assert_eq!(answer["sentence"], "members has 7 rows; the first 2 are shown.");
    assert_eq!((&answer["plan"], &answer["known"]["level"]), (&Value::Null, &json!("unverified")));
}

#[test]
fn columns_are_told_with_what_is_in_them() {
    let place = place();
    let columns = rows(&place, "what columns are there?");
    assert_eq!(columns.as_array().map(Vec::len), Some(7));
    assert_eq!(columns[1], json!(["age", "int", 1]));
    let described = place.answer(&["members.csv"], "describe the data");
    assert_eq!(described["sentence"], "members has 7 rows and 7 columns.");
    assert_eq!(described["table"]["rows"][1], json!(["age", "int", 1, 6, "23", "52", null]));
    assert_eq!(described["table"]["rows"][3][6], "Gold, Basic");
    place.file("plans.csv", "plan,price\nGold,30\nBasic,12\n");
    let refused = place.json(1, &["ask", "members.csv", "plans.csv", "first 3 rows"]);
    assert_eq!(refused["refusal"]["suggestions"][0], "show the first 3 rows of members");
    let plans = place.json(0, &["ask", "members.csv", "plans.csv", "first 3 rows of plans"]);
    assert_eq!(plans["table"]["rows"], json!([["Gold", 30], ["Basic", 12]]));
}

#[test]
fn a_correlation_is_a_number_without_a_unit() {
    let place = place();
    let answer = place.answer(&["members.csv"], "correlation between age and visits");
    assert_eq!(answer["known"]["level"], "verified");
    assert_eq!(answer["sentence"], "The correlation of age with visits is 0.691.");
    let by_plan = rows(&place, "how are age and visits correlated by plan");
    assert_eq!(by_plan.as_array().map(Vec::len), Some(2));
}

#[test]
fn ranges_are_said_as_people_say_them() {
    let place = place();
    let answer = place.answer(&["members.csv"], "average fee by age group of 10");
    let edges: Vec<&Value> = answer["table"]["rows"].as_array().expect("rows").iter().map(|row| &row[0]).collect();
    assert_eq!(edges, [&json!(20), &json!(30), &json!(50), &Value::Null], "documents keep the lower edge");
    let sentence = answer["sentence"].as_str().expect("a sentence");
    assert!(sentence.contains("age 30–39") && sentence.contains("age 50–59"), "{sentence}");
    let decades = place.answer(&["members.csv"], "members by decade of joined");
    assert_eq!(decades["table"]["rows"], json!([[1990, 2], [2000, 2], [2010, 3]]));
    assert!(decades["sentence"].as_str().expect("a sentence").starts_with("2010s has"), "{decades}");
    let chosen = place.answer(&["members.csv"], "average fee by age group");
    assert_eq!(chosen["assumptions"][0]["code"], "width");
    assert_eq!(chosen["known"]["level"], "checked");
}

#[test]
fn a_difference_shows_both_sides() {
    let place = place();
    let answer = place.answer(&["members.csv"], "difference in average visits between smokers and non-smokers");
    assert_eq!(answer["table"]["rows"], json!([[4.0, 14.0, -10.0]]));
    let more = rows(&place, "how much higher is the average fee of Gold than of Basic");
    assert_eq!(more[0][2], json!(18.375));
    let less = rows(&place, "how much lower is the average fee of Basic than of Gold");
    assert_eq!(less[0][2], json!(18.375));
}
