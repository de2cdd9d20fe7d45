//! How SQL text is laid out, and how names and strings are quoted.

use crate::dataset::Dataset;

/// A name between double quotes.
pub(super) fn identifier(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// A text between single quotes.
pub(super) fn string(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// The name, numbered if it is taken.
pub(super) fn fresh(name: &str, taken: impl Fn(&str) -> bool) -> String {
    let numbered = (2..).map(|number| format!("{name}_{number}"));
    let mut names = std::iter::once(name.to_string()).chain(numbered);
    names.find(|name| !taken(name)).expect("numbers do not end")
}

/// One SELECT. `from` is a table and its joins; `groups` counts the first columns that are grouped by.
#[derive(Default)]
pub(super) struct Select {
    pub(super) distinct: bool,
    pub(super) columns: Vec<String>,
    pub(super) from: Vec<String>,
    pub(super) filter: Vec<String>,
    pub(super) groups: usize,
    pub(super) order: Vec<String>,
    pub(super) limit: Option<u32>,
}

impl Select {
    /// One clause or item a line, all of them indented by `indent`. Only what lies between clauses is laid out: a line
    /// break inside a string is the user's.
    pub(super) fn print(&self, indent: &str) -> String {
        self.join(&format!("\n{indent}"), &format!("\n{indent}  "))
    }

    /// On one line, for the inside of a condition.
    pub(super) fn inline(&self) -> String {
        self.join(" ", " ")
    }

    fn join(&self, line: &str, item: &str) -> String {
        let separator = format!(",{item}");
        let mut text =
            format!("SELECT{}{item}{}", if self.distinct { " DISTINCT" } else { "" }, self.columns.join(&separator));
        for (index, table) in self.from.iter().enumerate() {
            text += &format!("{line}{} {table}", if index == 0 { "FROM" } else { "LEFT JOIN" });
        }
        for (index, condition) in self.filter.iter().enumerate() {
            text += &if index == 0 { format!("{line}WHERE {condition}") } else { format!("{item}AND {condition}") };
        }
        if self.groups > 0 {
            let positions: Vec<String> = (1..=self.groups).map(|position| position.to_string()).collect();
            text += &format!("{line}GROUP BY {}", positions.join(", "));
        }
        if !self.order.is_empty() {
            text += &format!("{line}ORDER BY{item}{}", self.order.join(&separator));
        }
        if let Some(limit) = self.limit {
            text += &format!("{line}LIMIT {limit}");
        }
        text
    }
}

/// The CTEs so far. None is named like a table, which it would hide.
pub(super) struct Stages<'d> {
    dataset: &'d Dataset,
    names: Vec<String>,
    texts: Vec<String>,
}

impl<'d> Stages<'d> {
    pub(super) fn new(dataset: &'d Dataset) -> Stages<'d> {
        Stages { dataset, names: Vec::new(), texts: Vec::new() }
    }

    /// Adds a stage and returns its quoted name.
    pub(super) fn add(&mut self, name: &str, select: Select) -> String {
        let is_table = |name: &str| self.dataset.tables.iter().any(|table| table.name.eq_ignore_ascii_case(name));
        let name = fresh(name, |name| is_table(name) || self.names.iter().any(|stage| stage == name));
        let quoted = identifier(&name);
        self.names.push(name);
        self.texts.push(format!("{quoted} AS (\n  {}\n)", select.print("  ")));
        quoted
    }

    pub(super) fn finish(self, last: Select) -> String {
        format!("WITH {}\n{}", self.texts.join(",\n"), last.print(""))
    }
}
