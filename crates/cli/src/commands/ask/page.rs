//! An answer for people: the sentence, the table, the chart, and how all that is known.
//!
//! Asked for as CSV or Markdown, the table alone goes to stdout and the rest to stderr, so that stdout can be a file.

use base::Table;
use serde_json::Value;

use crate::args::Show;
use crate::commands::chart;
use crate::commands::runs::step_line;
use crate::commands::sql::forms;
use crate::grid;
use crate::printer::{Printer, clean_lines};

/// What of an answer is shown, and how.
#[derive(Default)]
pub struct View<'a> {
    /// What else to show.
    pub show: &'a [Show],
    /// The run's steps, where they are to be shown.
    pub steps: Vec<Value>,
    /// How the table is written.
    pub form: Form,
    /// Every row as CSV, where that is the form.
    pub csv: Option<Vec<u8>>,
    /// Whether it was said before how the files were read: then only what touches the answer is said again.
    pub is_told: bool,
}

/// How a table is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// Drawn for reading, with everything around it.
    #[default]
    Page,
    /// Exact, for programs.
    Csv,
    /// Exact, for documents.
    Markdown,
}

impl Form {
    /// Prints one line of what stands around the table.
    fn say(self, printer: &Printer, text: &str) {
        match self {
            Form::Page => printer.line(text),
            Form::Csv | Form::Markdown => printer.aside(text),
        }
    }

    fn say_lines(self, printer: &Printer, text: &str) {
        match self {
            Form::Page => printer.lines(text),
            Form::Csv | Form::Markdown => printer.pass_on(&clean_lines(text)),
        }
    }
}

/// Draws an answer or a refusal.
pub fn print(printer: &Printer, answer: &Value, view: &View<'_>) {
    for note in list(&answer[if view.is_told { "notes_touching" } else { "notes" }]) {
        printer.remark("note", text(note));
    }
    if answer["status"] != "answered" {
        print_refusal(printer, &answer["refusal"]);
        return print_steps(printer, view);
    }
    let say = |text: &str| view.form.say(printer, text);
    if let Ok(table) = serde_json::from_value::<Table>(answer["table"].clone()) {
        match view.form {
            Form::Page => {}
            Form::Csv => print_exact(printer, &String::from_utf8_lossy(view.csv.as_deref().unwrap_or_default())),
            Form::Markdown => print_exact(printer, &app::markdown::write(&table)),
        }
        say(&printer.strong(text(&answer["sentence"])));
        if let Some(summary) = answer["summary"].as_str() {
            say(summary);
        }
        if table.truncated && view.form != Form::Csv {
            let (listed, all) = (table.rows.len(), table.row_count);
            printer.remark(
                "note",
                &format!("the table holds the first {listed} of {all} rows; --csv or --out FILE.csv gives all"),
            );
        }
        if view.form == Form::Page && (table.rows.len() > 1 || table.columns.len() > 1) {
            printer.data(&format!("\n{}", grid::draw(&table, &forms(answer, &table), printer.width)));
        }
    }
    if let Some(letters) = chart::in_letters(answer, printer.width).filter(|_| view.form == Form::Page) {
        printer.lines(&format!("\n{letters}"));
    }
    if view.form == Form::Page {
        printer.line("");
    }
    let dim = |label: &str, text: &str| say(&printer.dim(&format!("{label:<8} {text}")));
    dim("reading", text(&answer["reading"]));
    for assumption in list(&answer["assumptions"]) {
        dim("assumed", text(&assumption["text"]));
    }
    let known = &answer["known"];
    dim("known", &how_known(known));
    if let Some(model) = answer["model"]["name"].as_str() {
        dim("model", &format!("{model}, {}", cost(&answer["model"]["cost"], list(&answer["attempts"]).count())));
        let code = text(&answer["code"]["text"]);
        view.form.say_lines(printer, &format!("\n{}\n", code.trim_end()));
    }
    if let Some((run, name)) = chart::figure_of(answer) {
        dim("figure", &format!("assay runs artifact {run} {name}"));
    }
    for note in list(&answer["remembered"]) {
        let from = note["proposed"]["by"].as_str().map(|by| format!("  (proposed by {by})")).unwrap_or_default();
        dim("noted", &format!("{}{from}", text(&note["text"])));
    }
    let proposed = &answer["proposed_note"];
    if proposed.is_object() {
        let id = &proposed["id"];
        dim(
            "proposed",
            &format!("{} (note {id}: `assay data notes NAME accept {id}` keeps it)", text(&proposed["text"])),
        );
    }
    if answer["cached"] == true {
        dim("cached", "answered before, on the same data; --no-cache computes it again");
    }
    if view.show.contains(&Show::Readings) {
        list(&answer["readings"]).for_each(|reading| dim("or", &numbered(reading)));
    }
    for what in view.show {
        match what {
            Show::Sql => view.form.say_lines(printer, &format!("\n{}\n", text(&answer["sql"]))),
            Show::Plan => view.form.say_lines(printer, &format!("\n{:#}\n", answer["plan"])),
            Show::Steps => print_steps(printer, view),
            Show::Readings => {}
        }
    }
}

/// What a model's answer cost, in words.
fn cost(cost: &Value, failed: usize) -> String {
    let tokens: u64 =
        cost["tokens"].as_object().into_iter().flat_map(|counts| counts.values()).filter_map(Value::as_u64).sum();
    let dollars = cost["usd"].as_f64().map(|usd| format!(", ${usd:.4}")).unwrap_or_default();
    let failed = match failed {
        0 => String::new(),
        1 => "; 1 try came to nothing before".to_string(),
        more => format!("; {more} tries came to nothing before"),
    };
    format!("{} replies, {tokens} tokens{dollars}{failed}", cost["calls"])
}

/// What was done, in words. People read the best level's word as "correct", so it stands in documents only.
pub fn how_known(known: &Value) -> String {
    match text(&known["level"]) {
        "verified" => text(&known["note"]).to_string(),
        level => format!("{level}: {}", text(&known["note"])),
    }
}

/// Prints cells as they are; only a terminal is spared what would command it.
fn print_exact(printer: &Printer, table: &str) {
    match printer.width {
        Some(_) => printer.lines(table),
        None => printer.data(table),
    }
}

fn print_steps(printer: &Printer, view: &View<'_>) {
    if !view.show.contains(&Show::Steps) {
        return;
    }
    let lines: Vec<String> = view.steps.iter().map(|step| step_line(step) + "\n").collect();
    let none = "no step: nothing was computed\n".to_string();
    view.form.say_lines(printer, &format!("\n{}", if lines.is_empty() { none } else { lines.concat() }));
}

fn print_refusal(printer: &Printer, refusal: &Value) {
    printer.remark("refused", text(&refusal["message"]));
    let understood =
        list(&refusal["understood"]).map(|span| format!("`{}` {}", text(&span["words"]), text(&span["meaning"])));
    let understood = understood.collect::<Vec<_>>().join(", ");
    if !understood.is_empty() {
        printer.remark("understood", &understood);
    }
    for reading in list(&refusal["readings"]) {
        printer.remark("reading", &numbered(reading));
    }
    if refusal["readings"][0].is_object() {
        printer.remark("hint", "choose one with --reading and its number");
    }
    for suggestion in list(&refusal["suggestions"]) {
        printer.remark("try", text(suggestion));
    }
    // The one hint that a refusal has is to declare a measure.
    if let Some(hint) = refusal["hint"].as_str() {
        printer.remark("hint", &format!("{hint}; `assay data init FOLDER` writes a first dataset.toml"));
    }
}

/// A reading with the number it is chosen by.
fn numbered(reading: &Value) -> String {
    format!("{}: {}", reading["number"], text(&reading["reading"]))
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
