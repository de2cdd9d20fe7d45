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
    assert!(ran.stdout.contains("known    computed twice"), "{}", ran.stdout);
}

/// A file of one row for each day, in which the last month has nine days.
fn nine_days_of_november() -> String {
    const LENGTHS: [usize; 11] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 9];
    let day = |month: usize, day: usize| format!("2026-{month:02}-{day:02},{},{}\n", 100 + month, 60 + month);
    let rows = LENGTHS.iter().zip(1..).flat_map(|(days, month)| (1..=*days).map(move |at| day(month, at)));
    format!("day,revenue,level\n{}", rows.collect::<String>())
}

#[test]
fn a_last_month_that_is_not_whole_is_no_fall() {
    let place = Place::new();
    let file = place.file("shop.csv", nine_days_of_november());
    let file = file.to_str().unwrap();
    let trend = place.answer(&[file], "revenue by month");
    assert_eq!(
        trend["sentence"],
        "The sum of revenue rose from 3,131 in Jan 2026 to 3,410 in Oct 2026, its highest (10 whole months); \
         Nov 2026 has data to the 9th only."
    );
    assert_eq!(trend["chart"]["drawing"]["unfinished"], serde_json::json!([10]));
    assert_eq!(trend["chart"]["drawing"]["note"], "Nov 2026 has data to the 9th only");
    let change = place.answer(&[file], "change in revenue by month");
    assert_eq!(
        change["sentence"],
        "The change of sum of revenue from one month to the next ranged from -275 in Feb 2026 to 337 in Mar 2026; \
         the last was 140 in Oct 2026 (9 changes); Nov 2026 has data to the 9th only."
    );
    let lowest = place.answer(&[file], "which month had the lowest revenue");
    let told = lowest["sentence"].as_str().unwrap();
    assert!(told.ends_with("; Nov 2026 has data to the 9th only."), "{told}");
}

#[test]
fn years_run_forward_and_have_no_thousands() {
    let place = Place::new();
    let rows: String = (1990..2022).map(|year| format!("{year},{},{}\n", 900 + year % 37, year % 3)).collect();
    let file = place.file("crops.csv", format!("Year,Harvest,Rain\n{rows}"));
    let file = file.to_str().unwrap();
    let answer = place.answer(&[file], "total harvest by year");
    let years: Vec<&Value> = answer["table"]["rows"].as_array().unwrap().iter().map(|row| &row[0]).collect();
    assert!(years.is_sorted_by_key(|year| year.as_i64()), "{years:?}");
    assert_eq!(
        answer["sentence"],
        "The sum of Harvest fell from 929 in 1990 to 923 in 2021; the highest was 936 in 1997 (32 years)."
    );
    let ranked = place.answer(&[file], "total harvest by year sorted by harvest descending");
    assert_eq!(ranked["table"]["rows"][0][1], 936, "an order that is asked for stands");
    let newest = place.answer(&[file], "what is the highest year");
    assert!(newest["sentence"].as_str().unwrap().ends_with(" 2021."), "{}", newest["sentence"]);
    let picture = place.path("dots.svg");
    place.assay(["ask", file, "scatter plot of year and harvest", "--chart", picture.to_str().unwrap()]).run();
    let drawn = std::fs::read_to_string(&picture).expect("the picture");
    assert!(drawn.contains(">1990<") && !drawn.contains("1,990"), "{drawn}");
}
