//! `assay data remember|notes`: what people know about a dataset and the data does not say.

use app::documents::data::{Done, Notes, Remembered};
use base::{Document, Problem};
use warehouse::Note;

use crate::args::NotesAction;
use crate::terminal::Terminal;

/// Remembers something about a dataset.
pub async fn remember(terminal: &Terminal, name: &str, text: &str) -> Result<u8, Problem> {
    let data = there(terminal, name).await?;
    let note = terminal.app.warehouse().notes().remember(&data, text)?;
    show_one(terminal, name, note, Done::Remembered);
    Ok(0)
}

/// Shows or changes what is remembered.
pub async fn run(terminal: &Terminal, name: &str, action: &NotesAction) -> Result<u8, Problem> {
    let data = there(terminal, name).await?;
    let notes = terminal.app.warehouse().notes();
    match action {
        NotesAction::List => {
            let (kept, proposed) = (notes.about(&data)?, notes.proposed(&data)?);
            let document = Notes { dataset: name.to_string(), notes: kept, proposed };
            terminal.show(&document.to_json(), |printer| {
                document
                    .notes
                    .iter()
                    .for_each(|note| printer.line(&format!("{:>3}  {}{}", note.id, note.text, from(note))));
                if !document.proposed.is_empty() {
                    printer.line("\nproposed by a model, not shown with answers until accepted");
                }
                for note in &document.proposed {
                    printer.line(&format!("{:>3}  {}{}", note.id, note.text, from(note)));
                }
                if !document.proposed.is_empty() {
                    printer.remark("decide", &format!("assay data notes {name} accept NUMBER, or reject NUMBER"));
                }
                if document.notes.is_empty() {
                    printer.remark("none", "nothing is remembered; `assay data remember NAME TEXT` does it");
                }
            });
        }
        NotesAction::Edit { number, text } => {
            show_one(terminal, name, notes.edit(&data, *number, text)?, Done::Changed)
        }
        NotesAction::Forget { number } => show_one(terminal, name, notes.forget(&data, *number)?, Done::Forgot),
        NotesAction::Accept { number } => show_one(terminal, name, notes.accept(&data, *number)?, Done::Accepted),
        NotesAction::Reject { number } => show_one(terminal, name, notes.reject(&data, *number)?, Done::Rejected),
    }
    Ok(0)
}

/// Where a note comes from, if it is not the user's own.
fn from(note: &Note) -> String {
    note.proposed
        .as_ref()
        .map(|from| format!("  (proposed by {}, run {})", from.by, from.run.short()))
        .unwrap_or_default()
}

/// What the user named, if there is such data: a note about nothing would never be shown.
async fn there(terminal: &Terminal, name: &str) -> Result<Vec<String>, Problem> {
    let data = [name.to_string()];
    terminal.resolve(&data).await?;
    Ok(terminal.data_names().lasting(&data))
}

fn show_one(terminal: &Terminal, name: &str, note: Note, done: Done) {
    let document = Remembered { dataset: name.to_string(), note, done };
    terminal.show(&document.to_json(), |printer| {
        printer.line(&format!("{} note {}: {}", done.as_str(), document.note.id, document.note.text));
    });
}
