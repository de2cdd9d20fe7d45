//! `assay data remember|notes`: what people know about a dataset and the data does not say.

use agent::Note;
use base::Problem;
use serde_json::json;

use crate::app::{App, absolute, resolve};
use crate::args::NotesAction;

/// Remembers something about a dataset.
pub async fn remember(app: &App, name: &str, text: &str) -> Result<u8, Problem> {
    let data = there(app, name).await?;
    let note = app.context.notes().remember(&data, text)?;
    show_one(app, name, &note, "remembered");
    Ok(0)
}

/// Shows or changes what is remembered.
pub async fn run(app: &App, name: &str, action: &NotesAction) -> Result<u8, Problem> {
    let data = there(app, name).await?;
    let notes = app.context.notes();
    match action {
        NotesAction::List => {
            let notes = notes.about(&data)?;
            let document = json!({ "v": 1, "kind": "notes", "dataset": name, "notes": notes });
            app.show(&document, |printer| {
                notes.iter().for_each(|note| printer.line(&format!("{:>3}  {}", note.id, note.text)));
                if notes.is_empty() {
                    printer.remark("none", "nothing is remembered; `assay data remember NAME TEXT` does it");
                }
            });
        }
        NotesAction::Edit { number, text } => show_one(app, name, &notes.edit(&data, *number, text)?, "changed"),
        NotesAction::Forget { number } => show_one(app, name, &notes.forget(&data, *number)?, "forgot"),
    }
    Ok(0)
}

/// What the user named, if there is such data: a note about nothing would never be shown.
async fn there(app: &App, name: &str) -> Result<Vec<String>, Problem> {
    let data = [name.to_string()];
    resolve(app, &data).await?;
    Ok(absolute(app, &data))
}

fn show_one(app: &App, name: &str, note: &Note, done: &str) {
    let document = json!({ "v": 1, "kind": "remembered", "dataset": name, "note": note, "done": done });
    app.show(&document, |printer| printer.line(&format!("{done} note {}: {}", note.id, note.text)));
}
