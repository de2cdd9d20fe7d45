//! What an answer can also be shown as: its SQL, its plan, its steps, and its table as CSV and Markdown.

use crate::support::{Place, shared};

const AWKWARD: &str =
    "name,price\n\"a,b\",0.1\n\"say \"\"hi\"\"\",0.2\n\"x|y\",0.30000000000000004\n\"two\nlines\",1e21\n";

#[test]
fn what_was_computed_is_shown_after_the_answer() {
    let asked = ["ask", "support", "How many tickets are there by priority?", "--show", "sql,plan,steps"];
    let ran = shared().assay(asked).run().exits(0);
    let known = ran.stdout.find("known ").unwrap();
    let places = ["SELECT", "\"measures\"", "step 0"].map(|text| ran.stdout.find(text).unwrap_or(0));
    assert!(places.is_sorted() && places[0] > known, "{}", ran.stdout);
    assert!(ran.stdout.contains(" execute ") && ran.stdout.contains(" verify "), "{}", ran.stdout);
}

#[test]
fn a_refusal_shows_that_nothing_was_computed() {
    let ran = shared().assay(["ask", "ecommerce", "profit by category", "--show", "sql,steps"]).run().exits(1);
    assert_eq!(ran.stdout, "\nno step: nothing was computed\n");
    assert!(ran.stderr.starts_with("refused: `profit`"), "{}", ran.stderr);
}

#[test]
fn csv_holds_every_cell_as_it_is_and_nothing_else() {
    let place = Place::new();
    place.file("things.csv", AWKWARD);
    let ran = place.assay(["ask", "things.csv", "total price by name", "--csv", "--show", "sql"]).run().exits(0);
    let mut lines: Vec<&str> = ran.stdout.split_inclusive('\n').collect();
    assert_eq!(lines.remove(0), "name,total_price\n");
    let mut expected = "\"a,b\",0.1\n\"say \"\"hi\"\"\",0.2\nx|y,0.30000000000000004\n\"two\nlines\",1e+21\n"
        .split_inclusive('\n')
        .collect::<Vec<_>>();
    lines.sort_unstable();
    expected.sort_unstable();
    assert_eq!(lines, expected);
    assert!(["reading ", "known ", "SELECT"].iter().all(|part| ran.stderr.contains(part)), "{}", ran.stderr);
}

#[test]
fn csv_and_markdown_of_a_refusal_are_empty() {
    for form in ["--csv", "--markdown"] {
        let ran = shared().assay(["ask", "ecommerce", "profit by category", form]).run().exits(1);
        assert!(ran.stdout.is_empty() && ran.stderr.contains("try: "), "{}{}", ran.stdout, ran.stderr);
    }
}

#[test]
fn markdown_escapes_what_would_be_markup() {
    let place = Place::new();
    place.file("things.csv", AWKWARD);
    let ran = place.assay(["ask", "things.csv", "total price by name", "--markdown"]).run().exits(0);
    assert!(ran.stdout.starts_with("| name | total_price |\n| --- | ---: |\n"), "{}", ran.stdout);
    for row in ["| x\\|y | 0.30000000000000004 |\n", "| two<br>lines | 1e+21 |\n", "| say \"hi\" | 0.2 |\n"] {
        assert!(ran.stdout.contains(row), "{row} is missing in\n{}", ran.stdout);
    }
    assert_eq!(ran.stdout.lines().count(), 6, "{}", ran.stdout);
}

#[test]
fn one_form_at_a_time() {
    for other in ["--markdown", "--json", "--jsonl"] {
        shared().assay(["ask", "ecommerce", "how many orders", "--csv", other]).run().exits(2);
    }
}
