//! `assay demo plan`: a walk through the plan language on the built-in shop, put into words.

use base::{Document, Problem, Table};
use data::figures::Form;
use serde_json::Value;

use crate::grid;
use crate::printer::Printer;
use crate::terminal::Terminal;

/// Has every stage computed, then shows them.
pub async fn run(terminal: &Terminal) -> Result<u8, Problem> {
    let tour = tasks::plan_tour(terminal.app.warehouse()).await?.to_json();
    let stages = tour["stages"].as_array().into_iter().flatten();
    terminal.show(&tour, |printer| stages.enumerate().for_each(|(index, stage)| print(printer, index + 1, stage)));
    Ok(0)
}

fn print(printer: &Printer, number: usize, stage: &Value) {
    let name = text(&stage["name"]);
    let (title, words) = told(name);
    printer.line(&format!("{}{}", if number == 1 { "" } else { "\n" }, printer.strong(&format!("{number}. {title}"))));
    printer.line(&printer.dim(words));
    printer.line("");
    match name {
        "sql" => printer.lines(&format!("{}\n", text(&stage["sql"]))),
        "short" => printer.lines(&laid_out(&stage["plan"])),
        "canonical" => {
            printer.lines(&laid_out(&stage["plan"]));
            printer.line(&format!("hash      {}", text(&stage["plan_hash"])));
            printer.line(&format!("reworded  {}", text(&stage["reworded"]["plan_hash"])));
        }
        "result" => print_computed(printer, stage),
        "exists" => {
            printer.lines(&laid_out(&stage["plan"]));
            print_computed(printer, stage);
        }
        _ => print_refused(printer, stage),
    }
}

/// What a stage shows, and why.
fn told(name: &str) -> (&'static str, &'static str) {
    match name {
        "short" => (
            "A plan in short form",
            "What people and models write. `status` is a column of orders: the link from items to orders is known.",
        ),
        "canonical" => (
            "The canonical form",
            "One spelling for one meaning: every column with its table, defaults written out. Equal plans share a hash.",
        ),
        "sql" => ("The SQL", "Printed from the plan, the same text each time; joins go from many to one only."),
        "result" => (
            "Computed twice",
            "The engine ran the SQL; the oracle interpreted the plan in plain Python and knows no SQL.",
        ),
        "refused" => ("A plan with mistakes", "Each is named with its place, and what could have been meant."),
        "no_doubling" => (
            "A sum that would count orders twice",
            "Joined to its items, an order of three items counts three times. Here that has no spelling, from either side.",
        ),
        _ => ("What can be asked instead", "`exists` asks about the many side and leaves the number of rows alone."),
    }
}

fn print_computed(printer: &Printer, stage: &Value) {
    for who in ["engine", "oracle"] {
        if let Ok(table) = serde_json::from_value::<Table>(stage[who].clone()) {
            printer.line(&printer.dim(who));
            printer.data(&grid::draw(&table, &Form::of_each(&table), printer.width));
        }
    }
    let known = &stage["known"];
    printer.line(&format!("known  {}: {}", text(&known["level"]), text(&known["note"])));
}

fn print_refused(printer: &Printer, stage: &Value) {
    for refused in [Some(stage), stage.get("from_items")].into_iter().flatten() {
        printer.lines(&laid_out(&refused["plan"]));
        for problem in refused["problems"].as_array().into_iter().flatten() {
            printer.line(&format!("{}  {}", text(&problem["path"]), text(&problem["message"])));
            for suggestion in problem["suggestions"].as_array().into_iter().flatten() {
                printer.line(&format!("    did you mean `{}`?", text(suggestion)));
            }
        }
    }
    if let Some(by_hand) = stage.get("by_hand") {
        let only = |table: &Value| text(&table["rows"][0][0]).to_string();
        printer.line(&printer.dim(&format!("\nby hand  {}", text(&by_hand["sql"]))));
        printer.line(&format!("by hand  {}", only(&by_hand["table"])));
        printer.line(&format!("in truth {}", only(&stage["true"])));
    }
}

/// A plan with one line for each of its fields.
fn laid_out(plan: &Value) -> String {
    let fields = plan.as_object().into_iter().flatten().map(|(name, value)| format!("  \"{name}\": {value}"));
    format!("{{\n{}\n}}\n", fields.collect::<Vec<_>>().join(",\n"))
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
