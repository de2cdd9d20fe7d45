//! Charts through the command line: words choose the kind, files are what their names say, and what cannot be drawn is said.

use serde_json::Value;

use crate::support::{Place, shared};

/// What a chart holds: the question, over which data, its kind, and a part of what it says.
const WISHES: &[(&str, &str, &str, &str)] = &[
    ("ecommerce", "revenue by month as a line chart", "line", ""),
    ("ecommerce", "plot revenue by month as a bar chart", "bar", ""),
    ("ecommerce", "draw a graph of revenue by category", "bar", ""),
    ("ecommerce", "pie chart of orders by status", "bar", "instead of a pie"),
    ("ecommerce", "revenue trend", "line", ""),
    ("support", "visualise tickets by priority and status", "stacked", ""),
    ("support", "line chart of tickets by channel", "bar", "instead of a line"),
];

#[test]
fn the_words_of_a_question_choose_its_chart() {
    for (data, question, kind, said) in WISHES {
        let answer = shared().answer(&[data], question);
        assert_eq!(answer["chart"]["kind"], *kind, "{question}");
        let note = answer["chart"]["drawing"]["note"].as_str().unwrap_or_default();
        assert!(note.contains(said), "{question}: {note}");
    }
}

#[test]
fn words_about_a_picture_choose_no_rows_and_no_numbers() {
    let plain = shared().answer(&["ecommerce"], "revenue by category");
    let drawn = shared().answer(&["ecommerce"], "make me a horizontal bar chart of revenue by category");
    assert_eq!(plain["plan_hash"], drawn["plan_hash"]);
    assert_eq!(drawn["chart"]["drawing"]["horizontal"], true);
    let scalar = shared().answer(&["ecommerce"], "how many orders are there as a chart");
    assert_eq!((&scalar["chart"], &scalar["table"]["rows"]), (&Value::Null, &serde_json::json!([[4018]])));
}

#[test]
fn numbers_of_a_file_become_dots_and_histograms() {
    let place = Place::new();
    let rows: String = (0..200).map(|n| format!("{},{}\n", n % 37, (n * 7) % 101)).collect();
    let file = place.file("boxes.csv", format!("weight,height\n{rows}"));
    let data = [file.to_str().unwrap()];
    let counted = place.answer(&data, "distribution of weight");
    assert_eq!(counted["chart"]["kind"], "histogram");
    let rows = counted["chart"]["drawing"]["series"][0]["points"].as_array().unwrap();
    assert_eq!(rows.iter().map(|point| point["value"].as_f64().unwrap()).sum::<f64>(), 200.0);
    let dots = place.answer(&data, "plot height against weight");
    assert_eq!(dots["chart"]["kind"], "scatter");
    assert_eq!(dots["chart"]["drawing"]["along"]["label"], "weight");
}

#[test]
fn a_chart_is_written_as_its_file_is_named() {
    let place = shared();
    let begins = |name: &str, begin: &[u8]| {
        let path = place.path(name);
        place.assay(["ask", "ecommerce", "revenue by category", "--chart", path.to_str().unwrap()]).run().exits(0);
        let contents = std::fs::read(&path).unwrap();
        assert!(contents.starts_with(begin), "{name}");
        contents
    };
    begins("chart.json", b"{");
    begins("chart.svg", b"<svg");
    let light = begins("chart.png", b"\x89PNG\r\n\x1a\n");
    assert_eq!(u32::from_be_bytes(light[16..20].try_into().unwrap()), 1520, "two pixels to a unit");
    let path = place.path("dark.png");
    let dark = ["ask", "ecommerce", "revenue by category", "--chart-theme", "dark", "--chart", path.to_str().unwrap()];
    place.assay(dark).run().exits(0);
    assert_ne!(std::fs::read(&path).unwrap(), light);
    place.assay(["ask", "ecommerce", "revenue by category", "--chart", "chart.gif"]).run().exits(2);
}

#[test]
fn a_picture_for_a_folder_that_is_not_there_costs_no_answer() {
    let place = Place::new();
    let problem = place.json(2, &["ask", "ecommerce", "orders by status", "--chart", "nowhere/orders.svg"]);
    assert_eq!((&problem["code"], problem["run"].is_null()), (&Value::from("file_unreadable"), true), "{problem}");
    place.folder("orders.svg");
    let ran = place.assay(["ask", "ecommerce", "orders by status", "--chart", "orders.svg"]).run().exits(2);
    assert!(ran.stdout.contains("known    verified"), "{}", ran.stdout);
}
