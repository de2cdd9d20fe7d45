//! A note that a model proposes after an answer: what it says is believed only as far as its own query shows it. The query
//! passes the policy like any other, each number of the note is looked for in what it gives, and a note that says nothing
//! which is there is dropped. A person decides whether it is kept.

use agent::{Code, Language};
use base::{Problem, Table};
use flow::StepPolicy;
use serde_json::json;
use warehouse::Proposed;

use super::{Asking, execute, summary};
use crate::answer::{Answer, ProposedNote};

impl Asking<'_> {
    /// Takes a proposal up, if its query shows it.
    pub async fn propose(&mut self, answer: &mut Answer, text: &str, sql: String) -> Result<(), Problem> {
        let code = Code { language: Language::Sql, text: sql };
        let executed = execute::execute(self.run, self.context, self.over, &self.prompts.question, &code).await?;
        let shown = executed.table.and_then(|table| shown_by(text, &table));
        let Some(text) = shown else { return Ok(()) };
        let (names, by, from) = (self.over.names, self.using.name.as_str(), self.run.id().clone());
        let notes = self.context.warehouse.notes();
        let from = Proposed { by: by.into(), run: from, sql: code.text.clone() };
        let input = json!({ "text": text, "sql": code.text });
        // Notes that cannot be kept keep nobody from an answer.
        let effect = || async { Ok(notes.propose(names, &text, &from).unwrap_or_default()) };
        let id: Option<u32> = self.run.step_under(StepPolicy::ONCE, "propose", &input, effect).await?;
        answer.proposed_note = id.map(|id| ProposedNote { id, text, sql: code.text });
        Ok(())
    }
}

/// The note as it may be kept: every number of it is in the result, and something of the result is in it.
fn shown_by(text: &str, table: &Table) -> Option<String> {
    let text = summary::shown(text, table).filter(|text| text.chars().count() <= warehouse::NOTE_CHARACTERS_MAX)?;
    let lower = text.to_lowercase();
    let names =
        |cell: &base::Cell| cell.as_str().is_some_and(|cell| cell.len() > 1 && lower.contains(&cell.to_lowercase()));
    let says_something =
        lower.contains(|letter: char| letter.is_ascii_digit()) || table.rows.iter().flatten().any(names);
    says_something.then_some(text)
}

#[cfg(test)]
mod tests {
    use base::{Column, Type};

    use super::*;

    #[test]
    fn a_note_says_what_its_query_shows() {
        let column = |name: &str, ty| Column { name: name.into(), ty };
        let table = Table {
            columns: vec![column("region", Type::Text), column("share", Type::Float)],
            rows: vec![vec![json!("north"), json!(0.402)]],
            row_count: 1,
            truncated: false,
        };
        for kept in ["The North takes 40 % of it all.", "Most of it is taken in the north."] {
            assert!(shown_by(kept, &table).is_some(), "{kept}");
        }
        for dropped in ["The north takes 41 % of it all.", "Sales are good.", "See http://127.0.0.1/ for the north."] {
            assert_eq!(shown_by(dropped, &table), None, "{dropped}");
        }
    }
}
