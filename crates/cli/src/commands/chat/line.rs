//! What a line of a session means.

use std::path::PathBuf;

/// A command and what it does.
pub const COMMANDS: [(&str, &str); 8] = [
    (":sql [SELECT …]", "run a statement; alone, the statement of the last answer"),
    (":plan", "what the last question was read as"),
    (":chart [FILE]", "draw the last answer again, or into a .svg or .png"),
    (":export FILE", "write every row of the last answer, as .csv or .parquet"),
    (":columns", "what the data has"),
    ("1, 2, …", "choose a reading that was offered"),
    (":help", "this"),
    (":quit", "leave; Ctrl-D does too"),
];
/// The longest name of a command.
pub const NAME_WIDTH: usize = 15;

/// One line, read.
#[derive(Debug, PartialEq, Eq)]
pub enum Line {
    /// Blanks only.
    Nothing,
    /// A question.
    Question(String),
    /// Which of the readings that were offered.
    Reading(u16),
    /// A statement, or that of the last answer.
    Sql(Option<String>),
    /// What the last question was read as.
    Plan,
    /// The last answer's chart, on the terminal or in a file.
    Chart(Option<PathBuf>),
    /// All rows of the last answer in a file.
    Export(PathBuf),
    /// What the data has.
    Columns,
    /// What can be typed.
    Help,
    /// Leave.
    Quit,
    /// Begins with a colon and is no command.
    Unknown(String),
    /// A command that lacks something; how it is written.
    Incomplete(&'static str),
}

impl Line {
    /// Reads a line; `offered` readings are waiting for one to be chosen.
    pub fn read(text: &str, offered: usize) -> Line {
        let text = text.trim();
        if text.is_empty() {
            return Line::Nothing;
        }
        if let Ok(number) = text.parse::<u16>()
            && (1..=offered).contains(&usize::from(number))
        {
            return Line::Reading(number);
        }
        if !text.starts_with(':') {
            return Line::Question(text.to_string());
        }
        let (name, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let rest = Some(rest.trim()).filter(|rest| !rest.is_empty());
        match (name, rest) {
            (":sql", statement) => Line::Sql(statement.map(str::to_string)),
            (":plan", None) => Line::Plan,
            (":chart", file) => Line::Chart(file.map(PathBuf::from)),
            (":export", Some(file)) => Line::Export(file.into()),
            (":export", None) => Line::Incomplete(":export FILE.csv"),
            (":columns", None) => Line::Columns,
            (":help" | ":h" | ":?", None) => Line::Help,
            (":quit" | ":q" | ":exit", None) => Line::Quit,
            _ => Line::Unknown(text.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_chooses_only_what_was_offered() {
        assert_eq!(Line::read(" 2 ", 2), Line::Reading(2));
        assert_eq!(Line::read("3", 2), Line::Question("3".into()));
        assert_eq!(Line::read("0", 2), Line::Question("0".into()));
        assert_eq!(Line::read("2", 0), Line::Question("2".into()));
    }

    #[test]
    fn commands_begin_with_a_colon() {
        assert_eq!(Line::read("", 0), Line::Nothing);
        assert_eq!(Line::read("orders by month", 0), Line::Question("orders by month".into()));
        assert_eq!(Line::read(":sql  SELECT 1 ", 0), Line::Sql(Some("SELECT 1".into())));
        assert_eq!(Line::read(":sql", 0), Line::Sql(None));
        assert_eq!(Line::read(":chart a b.svg", 0), Line::Chart(Some("a b.svg".into())));
        assert_eq!(Line::read(":export", 0), Line::Incomplete(":export FILE.csv"));
        assert_eq!(Line::read(":plan b", 0), Line::Unknown(":plan b".into()));
        assert_eq!(Line::read(":q", 0), Line::Quit);
        assert!(COMMANDS.iter().all(|(name, _)| name.chars().count() <= NAME_WIDTH));
    }
}
