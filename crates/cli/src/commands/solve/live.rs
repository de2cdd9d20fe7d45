//! A solve as it happens, on stderr: what the model says and writes, what was seen in it, what it printed, what came of it
//! and what is left of the budget. stdout keeps to the program itself.

use serde_json::Value;

use super::{first_line, list, text};
use crate::printer::Printer;

const OUTPUT_LINES_MAX: usize = 10;

/// What was told of one solve so far.
#[derive(Default)]
pub struct Live {
    /// What the line that is being written belongs to.
    channel: String,
    /// As far as it was written.
    line: String,
    is_labelled: bool,
    /// The try whose findings were told, and the one whose outcome was.
    found: u64,
    came: u64,
    is_on: bool,
}

impl Live {
    /// Whether it is a solve that is under way.
    pub fn is_on(&self) -> bool {
        self.is_on
    }

    /// A piece of what the model writes. An empty one says that the reply comes again from its start.
    pub fn hear(&mut self, printer: &Printer, channel: &str, piece: &str) {
        if channel != self.channel {
            self.finish(printer);
            (self.channel, self.is_labelled) = (channel.to_string(), false);
        }
        if piece.is_empty() {
            self.line.clear();
        }
        for letter in piece.chars() {
            if letter == '\n' {
                self.write_line(printer);
            } else {
                self.line.push(letter);
            }
        }
    }

    /// How far it is.
    pub fn see(&mut self, printer: &Printer, state: &Value) {
        self.finish(printer);
        self.channel.clear();
        self.is_on = true;
        let iteration = state["iteration"].as_u64().unwrap_or_default();
        let say = |label: &str, told: &str| say(printer, label, told);
        if iteration > self.found {
            self.found = iteration;
            for finding in list(&state["findings"]) {
                say("found", &format!("{}: {}", text(&finding["severity"]), text(&finding["message"])));
            }
        }
        let status = text(&state["status"]);
        if iteration == self.came || !matches!(status, "reflecting" | "finished" | "failed") {
            return;
        }
        self.came = iteration;
        let printed = text(&state["output"]);
        for (at, line) in printed.lines().take(OUTPUT_LINES_MAX).enumerate() {
            say(if at == 0 { "printed" } else { "" }, line);
        }
        let more = printed.lines().count().saturating_sub(OUTPUT_LINES_MAX);
        if more > 0 {
            say("", &format!("and {more} lines more"));
        }
        let evidence: Vec<&str> = list(&state["evidence"])
            .filter(|one| text(&one["by"]) != "types" || one["failed"].as_u64() != Some(0))
            .map(|one| text(&one["detail"]))
            .collect();
        evidence.iter().for_each(|detail| say("checked", detail));
        let error = first_line(&state["error"]);
        if !error.is_empty() && !evidence.iter().any(|detail| detail.contains(error)) {
            say("failed", error);
        }
        if let Some(reflection) = state["reflection"].as_str().filter(|_| status == "reflecting") {
            say("next", reflection);
            say("left", &left(&state["left"]));
        }
    }

    fn finish(&mut self, printer: &Printer) {
        if !self.line.is_empty() {
            self.write_line(printer);
        }
    }

    fn write_line(&mut self, printer: &Printer) {
        let label = if std::mem::replace(&mut self.is_labelled, true) { "" } else { self.channel.as_str() };
        say(printer, label, &self.line.replace('\t', "    "));
        self.line.clear();
    }
}

fn say(printer: &Printer, label: &str, told: &str) {
    const LABEL_WIDTH: usize = 12;
    printer.narrate(&format!("{}{told}", printer.dim(&format!("{label:<LABEL_WIDTH$}"))));
}

/// `199,890 tokens and 898 s, 9 tries`.
fn left(left: &Value) -> String {
    let usd = left["usd"].as_f64().map(|usd| format!(", ${usd:.4}")).unwrap_or_default();
    format!("{} tokens{usd}, {} s and {} tries of the budget", left["tokens"], left["seconds"], left["tries"])
}
