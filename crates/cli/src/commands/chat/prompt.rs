//! Where lines are typed: with a history that is kept, and names of the data completed. Lines that are no typing but a file's
//! are taken as they come.

use std::path::{Path, PathBuf};

use base::{Code, Problem, cut};
use data::Dataset;
use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::FileHistory;
use rustyline::validate::Validator;
use rustyline::{CompletionType, Config, Context, Editor, Helper};

use super::line::COMMANDS;

const HISTORY_MAX: usize = 1_000;
/// Of a dataset's name before the mark.
const NAME_WIDTH_MAX: usize = 24;
/// Values of one column that are completed.
const VALUES_MAX: usize = 200;
/// Longer ones are no names that somebody would type.
const VALUE_CHARS_MAX: usize = 40;

/// What the user did.
pub enum Typed {
    /// A line.
    Line(String),
    /// Ctrl-C.
    Interrupted,
    /// Ctrl-D, or the end of a file.
    End,
}

/// The place where lines are typed.
pub struct Prompt {
    editor: Editor<Names, FileHistory>,
    text: String,
    history: PathBuf,
}

impl Prompt {
    /// One that completes the names of a dataset and remembers in that file what was typed.
    pub fn new(dataset: &Dataset, history: &Path) -> Result<Prompt, Problem> {
        let config = Config::builder().completion_type(CompletionType::List).max_history_size(HISTORY_MAX);
        let config = config.map(rustyline::config::Builder::build).map_err(broken)?;
        let mut editor = Editor::with_config(config).map_err(broken)?;
        editor.set_helper(Some(Names::of(dataset)));
        // One that is not there, or cannot be read, is empty.
        let _ = editor.load_history(history);
        Ok(Prompt { editor, text: format!("{}> ", cut(&dataset.id, NAME_WIDTH_MAX)), history: history.to_path_buf() })
    }

    /// Waits for a line.
    pub fn read(&mut self) -> Result<Typed, Problem> {
        match self.editor.readline(&self.text) {
            Ok(line) => {
                // What cannot be remembered was typed all the same.
                let _ = self.editor.add_history_entry(&line);
                let _ = self.editor.save_history(&self.history);
                Ok(Typed::Line(line))
            }
            Err(ReadlineError::Interrupted) => Ok(Typed::Interrupted),
            Err(ReadlineError::Eof) => Ok(Typed::End),
            Err(error) => Err(broken(error)),
        }
    }
}

fn broken(error: ReadlineError) -> Problem {
    Problem::new(Code::FileUnreadable, format!("cannot read what is typed: {error}"))
        .hint("`assay ask DATA QUESTION` asks without a session")
}

/// The words that can be completed: commands, tables, columns and the values of texts.
struct Names(Vec<String>);

impl Names {
    fn of(dataset: &Dataset) -> Names {
        let mut names: Vec<String> = Vec::new();
        for table in &dataset.tables {
            names.push(table.name.clone());
            for column in &table.columns {
                names.push(column.name.clone());
                let short = |value: &&String| value.chars().count() <= VALUE_CHARS_MAX;
                names.extend(column.values.iter().filter(short).take(VALUES_MAX).cloned());
            }
        }
        names.sort();
        names.dedup();
        Names(names)
    }

    /// What the text before the cursor can become: where it begins, and the words. A value of several words is known by all
    /// that was typed of it.
    fn fitting(&self, before: &str) -> (usize, Vec<String>) {
        if before.starts_with(':') && !before.contains(' ') {
            let commands = COMMANDS.iter().filter_map(|(usage, _)| usage.split(' ').next());
            return (0, commands.filter(|name| name.starts_with(before)).map(str::to_string).collect());
        }
        let starts =
            before.char_indices().filter(|(_, letter)| letter.is_whitespace()).map(|(at, gap)| at + gap.len_utf8());
        for start in std::iter::once(0).chain(starts) {
            let begun = before[start..].to_lowercase();
            if begun.is_empty() {
                continue;
            }
            let fits = |name: &&String| name.to_lowercase().starts_with(&begun);
            let found: Vec<String> = self.0.iter().filter(fits).cloned().collect();
            if !found.is_empty() {
                return (start, found);
            }
        }
        (before.len(), Vec::new())
    }
}

impl Completer for Names {
    type Candidate = String;

    fn complete(&self, line: &str, at: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<String>)> {
        Ok(self.fitting(&line[..at]))
    }
}

impl Hinter for Names {
    type Hint = String;
}

impl Highlighter for Names {}
impl Validator for Names {}
impl Helper for Names {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_completed_also_those_of_several_words() {
        let names = Names(["New York", "Newark", "category", "city"].map(str::to_string).to_vec());
        assert_eq!(names.fitting("orders in new y"), (10, vec!["New York".to_string()]));
        assert_eq!(names.fitting("orders in New"), (10, vec!["New York".to_string(), "Newark".to_string()]));
        assert_eq!(names.fitting("revenue by c"), (11, vec!["category".to_string(), "city".to_string()]));
        assert_eq!(names.fitting("revenue by "), (11, vec![]));
        assert_eq!(names.fitting(":ex"), (0, vec![":export".to_string()]));
    }
}
