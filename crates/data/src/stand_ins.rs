//! Words that stand in a column of names where there is no name: `Unknown`, and `None` beside few others.
//!
//! Ingest leaves such a word as it is, because it may be an answer like the others. It is remarked, it wins no ranking, and
//! it is meant where rows without a name are asked for. Beside words of a scale (`yes`, `low`) it is one of them.

use base::Type;

use crate::dataset::ColumnInfo;
use crate::profile::{ColumnProfile, Profile, Remark};

const WORDS: [&str; 5] = ["none", "unknown", "not known", "unspecified", "not specified"];
const SCALE: [&str; 23] = [
    "yes",
    "no",
    "y",
    "n",
    "true",
    "false",
    "low",
    "medium",
    "high",
    "mild",
    "moderate",
    "severe",
    "minor",
    "major",
    "some",
    "partial",
    "full",
    "all",
    "always",
    "often",
    "sometimes",
    "rarely",
    "never",
];

impl ColumnInfo {
    /// Its values that only say that there is none, as they are spelled.
    pub fn stand_ins(&self) -> Vec<&str> {
        if self.ty == Type::Text { found(&self.values) } else { Vec::new() }
    }
}

impl Profile {
    /// What is to be said of the values that probably mean that there is none.
    pub fn remarks_on_stand_ins(&self) -> Vec<Remark> {
        let columns = self.tables.iter().flat_map(|table| table.columns.iter().map(move |column| (table, column)));
        let texts = columns.filter(|(_, column)| column.ty == Type::Text);
        let remark = |(table, column): (&crate::profile::TableProfile, &ColumnProfile)| {
            let spelled = found(&column.values);
            let rows =
                |word: &str| column.top.iter().find(|(cell, _)| cell.as_str() == Some(word)).map(|(_, rows)| *rows);
            let counted: Vec<String> = spelled.iter().map(|word| told(word, rows(word))).collect();
            (!spelled.is_empty()).then(|| Remark {
                file: None,
                table: Some(table.name.clone()),
                column: Some(column.name.clone()),
                code: "stand_ins".to_string(),
                message: format!(
                    "`{}`, column `{}`: {} probably {} that there is no value; kept, and left out of rankings",
                    table.name,
                    column.name,
                    counted.join(", "),
                    if spelled.len() == 1 { "means" } else { "mean" },
                ),
                count: spelled.iter().map(|word| rows(word)).sum(),
                rows: Vec::new(),
            })
        };
        texts.filter_map(remark).collect()
    }
}

fn told(word: &str, rows: Option<u64>) -> String {
    match rows {
        Some(1) => format!("`{word}` (1 row)"),
        Some(rows) => format!("`{word}` ({rows} rows)"),
        None => format!("`{word}`"),
    }
}

fn found(values: &[String]) -> Vec<&str> {
    let is = |words: &[&str], value: &str| words.contains(&value.trim().to_lowercase().as_str());
    if values.iter().any(|value| is(&SCALE, value)) {
        return Vec::new();
    }
    let spelled: Vec<&str> = values.iter().map(String::as_str).filter(|value| is(&WORDS, value)).collect();
    if spelled.len() < values.len() { spelled } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(values: &[&str], expected: &[&str]) {
        let values: Vec<String> = values.iter().map(ToString::to_string).collect();
        assert_eq!(found(&values), expected);
    }

    #[test]
    fn a_word_for_no_name_stands_among_names_and_not_among_answers() {
        check(&["Acme", "Unknown", "Bolt", "None"], &["Unknown", "None"]);
        check(&["Yes", "No", "Unknown"], &[]);
        check(&["none", "Low", "High"], &[]);
        check(&["Unknown"], &[]);
        check(&["Unknown Pleasures", "Closer"], &[]);
    }
}
