//! Questions about the data itself: its first rows, its columns, what is in it. No plan answers them: in a plan rows have
//! no order of their own, and columns are no rows.

use crate::index::Index;
use crate::tokens::{self, Kind, Token};
use crate::words::split_name;
use crate::{Reason, Refusal};

/// Rows that are shown where their number is not said.
const ROWS_DEFAULT: u32 = 10;
/// Rows that are shown at most.
const ROWS_MAX: u32 = 1_000;

/// Words for all that there is.
const DATA: &[&str] = &["data", "dataset", "file", "table", "tables", "csv", "spreadsheet"];
/// Words for what is in it.
const INSIDE: &[&str] = &["in", "inside", "contain", "contains", "about"];
/// Other words that ask for nothing themselves.
const ASIDES: &[&str] = &[
    "the", "this", "that", "my", "me", "please", "can", "could", "you", "a", "an", "all", "us", "there", "of", "from",
    "does", "do", "have", "has", "are", "is", "it", "to", "s",
];

/// What is asked of the data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum About {
    /// The first rows of a table, as they stand in the file.
    Rows {
        /// Whose.
        table: String,
        /// At most so many.
        rows: u32,
    },
    /// The columns of a table, or of all.
    Columns {
        /// Whose.
        table: Option<String>,
        /// Whether also what is in them.
        values: bool,
    },
}

/// What a question asks of the data itself, if it asks nothing else; where it does not say of which table, a refusal.
pub fn about(index: &Index, question: &str) -> Option<Result<About, Box<Refusal>>> {
    let tokens = tokens::merge_magnitudes(tokens::tokenize(question, index.forms));
    let words: Vec<&Token> = tokens.iter().filter(|token| !is_aside(&token.fold)).collect();
    let (request, table) = match named(index, &words) {
        Some((at, table)) => (&words[..at], Some(table)),
        None => (&words[..], None),
    };
    let request: Vec<&str> = request.iter().map(|token| token.fold.as_str()).collect();
    let number = tokens.iter().find_map(|token| match token.kind {
        Kind::Number { value, percent: false, money: false } => Some(value),
        _ => None,
    });
    let columns = |values: bool| Some(Ok(About::Columns { table: table.clone(), values }));
    let (asked, rest) = request.split_first().map_or(("", &[][..]), |(first, rest)| (*first, rest));
    let shows = matches!(asked, "show" | "list" | "give" | "print" | "display" | "get");
    match if shows { rest } else { &request[..] } {
        ["first" | "top", rest @ ..] if is_rows(rest, number) => Some(rows(index, table, number)),
        ["head" | "preview"] if says_data(&tokens) || table.is_some() => Some(rows(index, table, number)),
        [noun] if shows && is_column(index, noun) => columns(false),
        ["what" | "which", noun] | [noun, "names"] if is_column(index, noun) => columns(false),
        ["describe" | "profile" | "summarize" | "summarise"] if says_data(&tokens) || table.is_some() => columns(true),
        ["what" | "what's" | "whats"] if is_inside(&tokens) && (says_data(&tokens) || table.is_some()) => columns(true),
        _ => None,
    }
}

/// `5 rows`, `rows`, `5 records`.
fn is_rows(words: &[&str], number: Option<f64>) -> bool {
    match words {
        [noun] => is_row(noun),
        [_, noun] => number.is_some() && is_row(noun),
        _ => false,
    }
}

fn is_row(word: &str) -> bool {
    matches!(word, "row" | "rows" | "record" | "records" | "line" | "lines" | "entries")
}

/// A word for columns, where the data is not about such things.
fn is_column(index: &Index, word: &str) -> bool {
    let of_data =
        |name: &str| split_name(name).iter().any(|part| word.trim_end_matches('s') == part.trim_end_matches('s'));
    let tables = &index.dataset.tables;
    matches!(word, "column" | "columns" | "fields" | "variables" | "attributes")
        && !tables.iter().any(|table| of_data(&table.name) || table.columns.iter().any(|column| of_data(&column.name)))
}

fn says_data(tokens: &[Token]) -> bool {
    tokens.iter().any(|token| DATA.contains(&token.fold.as_str()))
}

fn is_inside(tokens: &[Token]) -> bool {
    tokens.iter().any(|token| INSIDE.contains(&token.fold.as_str()))
}

/// Words that ask for nothing themselves.
fn is_aside(word: &str) -> bool {
    ASIDES.contains(&word) || DATA.contains(&word) || INSIDE.contains(&word)
}

/// The table that the last words name, and where its name begins.
fn named(index: &Index, words: &[&Token]) -> Option<(usize, String)> {
    index.dataset.tables.iter().find_map(|table| {
        let name = split_name(&table.name);
        let at = words.len().checked_sub(name.len()).filter(|at| *at > 0)?;
        let same = words[at..].iter().zip(&name).all(|(token, part)| token.fold == *part || token.singular == *part);
        same.then(|| (at, table.name.clone()))
    })
}

fn rows(index: &Index, table: Option<String>, number: Option<f64>) -> Result<About, Box<Refusal>> {
    let rows = number.map_or(ROWS_DEFAULT, |number| (number.max(1.0) as u32).min(ROWS_MAX));
    let names: Vec<&String> = index.dataset.tables.iter().map(|table| &table.name).collect();
    if let Some(table) = table.or_else(|| (names.len() == 1).then(|| names[0].clone())) {
        return Ok(About::Rows { table, rows });
    }
    let listed: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    let message = format!("rows of which table is not said: there are {}", listed.join(", "));
    let suggestions = names.iter().take(3).map(|name| format!("show the first {rows} rows of {name}")).collect();
    Err(Box::new(Refusal { suggestions, ..Refusal::new(Reason::Ambiguous, message) }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index(tables: &[(&str, &[&str])]) -> Index {
        let column =
            |name: &&str| serde_json::json!({"name": name, "type": "text", "nulls": 0, "distinct": 3, "unique": false});
        let tables: Vec<serde_json::Value> = tables
            .iter()
            .map(|(name, columns)| serde_json::json!({"name": name, "rows": 9, "columns": columns.iter().map(column).collect::<Vec<_>>()}))
            .collect();
        let profile: data::profile::Profile =
            serde_json::from_value(serde_json::json!({"tables": tables})).expect("a profile");
        let metadata = data::metadata::Metadata::default();
        let version = base::Hash::of(b"v");
        Index::new(&data::Dataset::assemble("d", version, &profile, &metadata).expect("a dataset"))
    }

    #[test]
    fn what_asks_about_the_data_is_told_from_what_asks_of_it() {
        let one = index(&[("sales_2024", &["region", "price"])]);
        let rows = |rows: u32| Some(Ok(About::Rows { table: "sales_2024".to_string(), rows }));
        let columns =
            |table: Option<&str>, values: bool| Some(Ok(About::Columns { table: table.map(str::to_string), values }));
        for (question, expected) in [
            ("first 5 rows", rows(5)),
            ("Show me the first five rows of the file", rows(5)),
            ("show the first rows", rows(ROWS_DEFAULT)),
            ("preview the data", rows(ROWS_DEFAULT)),
            ("what columns are there", columns(None, false)),
            ("What are the columns in this file?", columns(None, false)),
            ("list the columns of sales 2024", columns(Some("sales_2024"), false)),
            ("column names", columns(None, false)),
            ("describe the data", columns(None, true)),
            ("describe the dataset", columns(None, true)),
            ("what is in this file?", columns(None, true)),
            ("what's in the sales 2024 table", columns(Some("sales_2024"), true)),
            ("what is in North", None),
            ("describe North", None),
            ("first 5 regions", None),
            ("what is the first price", None),
            ("how many columns have a price", None),
        ] {
            assert_eq!(about(&one, question), expected, "{question}");
        }
        let farm = index(&[("fields", &["crop"]), ("barns", &["roof"])]);
        assert_eq!(about(&farm, "list the fields"), None, "fields are what the data is about");
        let Some(Err(refusal)) = about(&farm, "show the first 3 rows") else { panic!("of which table is not said") };
        assert_eq!(refusal.suggestions, ["show the first 3 rows of fields", "show the first 3 rows of barns"]);
        assert_eq!(
            about(&farm, &refusal.suggestions[1]),
            Some(Ok(About::Rows { table: "barns".to_string(), rows: 3 }))
        );
    }
}
