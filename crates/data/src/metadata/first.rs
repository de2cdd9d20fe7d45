//! A first `dataset.toml` for data that has none: what was measured and guessed, written down with comments, so that its
//! owner corrects a file instead of beginning one.
//!
//! Guesses that change nothing about how files are read stand in the text; what only the owner can know stands beside it
//! as a comment with real names in it. The text always reads back and fits the data it was made from.

use std::fmt::Write as _;

use base::{Cell, Type};

use super::section::{quoted, quoted_key, quoted_list};
use super::{relation, spelled};
use crate::dataset::{ColumnInfo, Dataset, DeclaredMeasure, Relation, TableInfo};
use crate::plan::{Expr, Op};
use crate::profile::{ColumnProfile, Profile, TableProfile, words};

const COLUMNS_MAX: usize = 500;
const EXAMPLES_MAX: usize = 3;
const EXAMPLE_CHARS_MAX: usize = 40;

/// The text of a first `dataset.toml`, which [`super::Metadata::parse`] reads and which fits this data.
pub fn first(dataset: &Dataset, profile: &Profile) -> String {
    let mut out = format!(
        "# What the data of {} means, written from what was measured. Everything here is optional: correct what is\n\
         # wrong, fill in what is missing, remove the rest. Lines that begin with # are suggestions.\n\n",
        quoted(&dataset.id)
    );
    match dataset.description.as_str() {
        "" => out.push_str("# description = \"One sentence about the data\"\n"),
        description => write(&mut out, format_args!("description = {}\n", quoted(description))),
    }
    match dataset.questions.as_slice() {
        [] => out.push_str("# questions = [\"A question worth asking first\"]\n"),
        questions => write_list(&mut out, "questions", questions),
    }
    write_relations(&mut out, dataset);
    for table in &dataset.tables {
        if let Some(measured) = profile.table(&table.name) {
            write_table(&mut out, dataset, table, measured);
        }
    }
    write_measures(&mut out, dataset, profile);
    out
}

fn write(out: &mut String, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text).expect("writing to a string cannot fail");
}

fn write_list(out: &mut String, key: &str, values: &[String]) {
    let lines: String = values.iter().map(|value| format!("    {},\n", quoted(value))).collect();
    write(out, format_args!("{key} = [\n{lines}]\n"));
}

/// The links as they are used now, so that one that is wrong is found by reading.
fn write_relations(out: &mut String, dataset: &Dataset) {
    // A name with an arrow or with blanks at its ends cannot be written as a link and read back.
    let writable = |link: &&Relation| relation(&spelled(link)).as_ref() == Ok(*link);
    let links: Vec<String> = dataset.relations.iter().filter(writable).map(spelled).collect();
    if links.is_empty() {
        out.push_str("\n# No links between tables were found. One is declared so, the unique column to the right:\n");
        out.push_str("# relationships = [\"many.column -> one.column\"]\n");
        return;
    }
    out.push_str("\n# Many-to-one links: each value on the left is one of the unique column on the right.\n");
    write_list(out, "relationships", &links);
    out.push_str("# One that must not be used even if the values suggest it is taken out above and forbidden here:\n");
    write(out, format_args!("# not_relationships = {}\n", quoted_list(&links[..1])));
}

fn write_table(out: &mut String, dataset: &Dataset, table: &TableInfo, measured: &TableProfile) {
    write(out, format_args!("\n# {} rows\n[[table]]\nname = {}\n", table.rows, quoted(&table.name)));
    match table.noun.clone().map_or_else(|| noun(measured), Noun::Told) {
        Noun::Told(noun) => {
            write(out, format_args!("noun = {}  # what one row is, in the singular\n", quoted(&noun)));
        }
        Noun::Repeats(word, column) => {
            let (word, column) = (quoted(&word), quoted(&column));
            write(
                out,
                format_args!("# noun = \"…\"  # what one row is; not {word}, because values of {column} repeat\n"),
            );
        }
        Noun::Unknown => out.push_str("# noun = \"…\"  # what one row is, in the singular\n"),
    }
    match table.synonyms.as_slice() {
        [] => out.push_str("# synonyms = [\"another word for a row\"]\n"),
        synonyms => write(out, format_args!("synonyms = {}\n", quoted_list(synonyms))),
    }
    match table.description.as_str() {
        "" => out.push_str("# description = \"One row per …\"\n"),
        description => write(out, format_args!("description = {}\n", quoted(description))),
    }
    out.push_str("\n[table.columns]\n");
    for column in table.columns.iter().take(COLUMNS_MAX) {
        if let Some(measured) = measured.column(&column.name) {
            write_column(out, dataset, &table.name, column, measured);
        }
    }
    if table.columns.len() > COLUMNS_MAX {
        write(out, format_args!("# and {} more columns\n", table.columns.len() - COLUMNS_MAX));
    }
}

/// One line of words, after one that says what is in the column. Types are only said: a declared type would also decide
/// how the file is read.
fn write_column(out: &mut String, dataset: &Dataset, table: &str, column: &ColumnInfo, measured: &ColumnProfile) {
    write(out, format_args!("# {}\n", remark(dataset, table, column, measured)));
    let mut parts = Vec::new();
    let mut part = |key: &str, value: Option<&str>| {
        parts.extend(value.filter(|value| !value.is_empty()).map(|value| format!("{key} = {}", quoted(value))));
    };
    let entity = entity(&column.name).filter(|_| matches!(column.ty, Type::Int | Type::Text));
    part("noun", column.noun.as_deref().or(entity.as_deref()));
    part("unit", column.unit.as_deref());
    part("description", Some(&column.description));
    if !column.synonyms.is_empty() {
        parts.push(format!("synonyms = {}", quoted_list(&column.synonyms)));
    }
    let words = if parts.is_empty() { "{}".to_string() } else { format!("{{ {} }}", parts.join(", ")) };
    write(out, format_args!("{} = {words}\n", quoted_key(&column.name)));
}

/// `text, 3 distinct, such as "completed", "returned"`.
fn remark(dataset: &Dataset, table: &str, column: &ColumnInfo, measured: &ColumnProfile) -> String {
    let mut parts = vec![column.ty.as_str().to_string()];
    let link = dataset.relations.iter().find(|link| link.from_table == table && link.from_column == column.name);
    if measured.may_be_key() {
        parts.push("unique".to_string());
    } else {
        let about = if measured.distinct_is_exact { "" } else { "about " };
        parts.push(format!("{about}{} distinct", measured.distinct));
    }
    if let Some(link) = link {
        parts.push(format!("one of {}", quoted(&format!("{}.{}", link.to_table, link.to_column))));
    }
    if measured.nulls > 0 {
        parts.push(format!("{} empty", measured.nulls));
    }
    if let (Some(min), Some(max)) = (&measured.min, &measured.max)
        && (column.ty.is_number() || column.ty.is_temporal())
    {
        parts.push(format!("{} to {}", shown(min), shown(max)));
    }
    if let Some(examples) = examples(measured) {
        parts.push(format!("such as {examples}"));
    }
    parts.join(", ")
}

fn examples(measured: &ColumnProfile) -> Option<String> {
    let top = measured.top.iter().map(|(value, _)| value);
    let some: Vec<String> = top.chain(&measured.example).take(EXAMPLES_MAX).map(shown).collect();
    let mut once: Vec<String> = Vec::new();
    for text in some {
        if !once.contains(&text) {
            once.push(text);
        }
    }
    (!once.is_empty()).then(|| once.join(", "))
}

/// A value on one line that ends, whatever is in it.
fn shown(cell: &Cell) -> String {
    match cell {
        Cell::String(text) if text.chars().count() > EXAMPLE_CHARS_MAX => {
            quoted(&(text.chars().take(EXAMPLE_CHARS_MAX).collect::<String>() + "…"))
        }
        Cell::String(text) => quoted(text),
        other => other.to_string(),
    }
}

/// What is known of what one row is.
enum Noun {
    Told(String),
    /// The table is named after something of which it has several rows.
    Repeats(String, String),
    Unknown,
}

/// A key says what a row is (`product_id`), else a table's name in the plural does (`orders`).
fn noun(table: &TableProfile) -> Noun {
    if let Some(entity) = table.keys().first().and_then(|key| entity(&key.name)) {
        return Noun::Told(entity);
    }
    let name = words(&table.name);
    let Some((last, before)) = name.split_last() else { return Noun::Unknown };
    let Some(single) = singular(last) else { return Noun::Unknown };
    let noun = [before, &[single]].concat().join(" ");
    let repeated = table.columns.iter().find(|column| !column.unique && entity(&column.name).as_ref() == Some(&noun));
    match repeated {
        Some(column) => Noun::Repeats(noun, column.name.clone()),
        None => Noun::Told(noun),
    }
}

/// What the values of a column that is named as a key stand for: `customer` for `customer_id`.
fn entity(column: &str) -> Option<String> {
    let words = words(column);
    let (last, before) = words.split_last()?;
    (last == "id" && !before.is_empty()).then(|| before.join(" "))
}

/// The singular of a word that is clearly a plural.
fn singular(word: &str) -> Option<String> {
    const NO_PLURALS: [&str; 8] = ["ss", "us", "is", "news", "series", "species", "always", "gas"];
    if word == "people" {
        return Some("person".to_string());
    }
    if word.len() < 4 || NO_PLURALS.iter().any(|ending| word.ends_with(ending)) {
        return None;
    }
    if let Some(stem) = word.strip_suffix("ies") {
        return Some(format!("{stem}y"));
    }
    let hissing = ["sses", "shes", "ches", "xes"].iter().any(|ending| word.ends_with(ending));
    word.strip_suffix(if hissing { "es" } else { "s" }).map(str::to_string)
}

/// Declared measures as they are, or an example of one made of a real column.
fn write_measures(out: &mut String, dataset: &Dataset, profile: &Profile) {
    for measure in &dataset.measures {
        if let Some(text) = measure_text(measure) {
            write(out, format_args!("\n{text}"));
        }
    }
    if dataset.measures.is_empty() {
        write_examples(out, profile);
    }
}

fn write_examples(out: &mut String, profile: &Profile) {
    let number = profile.tables.iter().find_map(|table| {
        let counted = |column: &&ColumnProfile| {
            let plain = !column.may_be_key() && entity(&column.name).is_none() && !column.tells_time();
            column.ty.is_number() && plain
        };
        Some((table, table.columns.iter().find(counted)?))
    });
    let Some((table, column)) = number else { return };
    let name = words(&column.name).join(" ");
    out.push_str("\n# A measure gives a word one meaning. `expr` is a column or arithmetic over columns.\n");
    out.push_str("# [[measure]]\n");
    write(out, format_args!("# name = {}\n", quoted(&format!("{name} in all"))));
    out.push_str("# synonyms = [\"another word for it\"]\n# agg = \"sum\"\n");
    write(out, format_args!("# expr = {}\n# tables = [{}]\n", quoted(&column.name), quoted(&table.name)));
    out.push_str("\n# Other words for a column, in its line above:\n");
    let words = format!("{} = {{ synonyms = [\"another word\"] }}", quoted_key(&column.name));
    write(out, format_args!("# {words}\n"));
}

fn measure_text(measure: &DeclaredMeasure) -> Option<String> {
    let mut out = format!("[[measure]]\nname = {}\n", quoted(&measure.name));
    if !measure.synonyms.is_empty() {
        write(&mut out, format_args!("synonyms = {}\n", quoted_list(&measure.synonyms)));
    }
    write(&mut out, format_args!("agg = {}\n", quoted(measure.agg.as_str())));
    if let Some(expr) = &measure.expr {
        write(&mut out, format_args!("expr = {}\n", quoted(&expression(expr)?)));
    }
    write(&mut out, format_args!("tables = {}\n", quoted_list(&measure.tables)));
    if let Some(unit) = &measure.unit {
        write(&mut out, format_args!("unit = {}\n", quoted(unit)));
    }
    if !measure.description.is_empty() {
        write(&mut out, format_args!("description = {}\n", quoted(&measure.description)));
    }
    Some(out)
}

/// An expression as arithmetic that reads back; none where a name in it cannot be written there.
fn expression(expr: &Expr) -> Option<String> {
    match expr {
        // A column alone is taken as it is spelled, so it needs no quotes.
        Expr::Col { col } => Some(col.clone()),
        other => arithmetic(other),
    }
}

fn arithmetic(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Col { col } => (!col.contains('`')).then(|| format!("`{col}`")),
        Expr::Lit { lit: Cell::Number(number) } => Some(format!("({number})")),
        Expr::Op { op, args } => {
            let sign = match op {
                Op::Add => "+",
                Op::Sub => "-",
                Op::Mul => "*",
                Op::Div => "/",
                _ => return None,
            };
            let args: Option<Vec<String>> = args.iter().map(arithmetic).collect();
            Some(format!("({})", args?.join(&format!(" {sign} "))))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use base::Hash;
    use serde_json::json;

    use super::*;
    use crate::metadata::Metadata;

    #[test]
    fn no_name_and_no_value_breaks_the_text() {
        let names = [
            "plain",
            "two words",
            "a.b",
            "a->b",
            "quote\"s",
            "single'quote",
            "back\\slash",
            "line\nbreak",
            "\r",
            "tab\t",
            "\u{7f}",
            "\u{202e}",
            "# no comment",
            "= 1",
            "[x]",
            "[[table]]",
            " blank ",
            "",
            "id",
            "Größe (cm)",
            "名前",
            "x_id",
            "X ID",
            "'''",
            "\"\"\"",
            "true",
            "1.5",
        ];
        let column = |(at, name): (usize, &&str)| {
            let ty = ["text", "int", "decimal"][at % 3];
            json!({
                "name": name, "type": ty, "nulls": at, "distinct": 3, "unique": at % 2 == 0, "min": "\n", "max": "]\n#",
                "top": [["a\nb = \"\u{0}\" # \u{1b}[2J", 2], [null, 1]], "example": "\r\n[[measure]]",
            })
        };
        let columns: Vec<_> = names.iter().enumerate().map(column).collect();
        let table = |name: &str| json!({ "name": name, "rows": 3, "columns": columns });
        let link = |from: usize, to: usize| json!({ "from_table": "many", "from_column": names[from], "to_table": "one", "to_column": names[to] });
        let links: Vec<_> = (0..names.len()).map(|from| link(from, (from + 3) % names.len() / 6 * 6)).collect();
        let profile: Profile =
            serde_json::from_value(json!({ "tables": [table("many"), table("one")], "relations": links }))
                .expect("a profile");
        let made = |metadata: &Metadata| Dataset::assemble("odd \"x\"\n", Hash::of(b"v"), &profile, metadata);
        let dataset = made(&Metadata::default()).expect("words are optional");
        assert!(dataset.relations.len() > 3, "{:?}", dataset.relations);
        let text = first(&dataset, &profile);
        let metadata = Metadata::parse(&text).unwrap_or_else(|problem| panic!("{problem}\n{text}"));
        assert_eq!(metadata.tables[0].columns.len(), names.len());
        assert!(!metadata.relations.is_empty() && metadata.measures.is_empty());
        made(&metadata).unwrap_or_else(|problem| panic!("{problem}\n{text}"));
        assert_eq!(Metadata::parse(&metadata.to_toml()), Ok(metadata));
    }

    #[test]
    fn plurals_that_are_clear_have_a_singular() {
        let of = |word| singular(word).unwrap_or_default();
        let words =
            ["orders", "cities", "boxes", "classes", "people", "sales", "status", "address", "news", "inventory"];
        let singles = ["order", "city", "box", "class", "person", "sale", "", "", "", ""];
        assert_eq!(words.map(of), singles);
    }

    #[test]
    fn a_wide_table_is_not_written_out() {
        let column =
            |at| json!({ "name": format!("c{at}"), "type": "int", "nulls": 0, "distinct": 1, "unique": false });
        let columns: Vec<_> = (0..700).map(column).collect();
        let profile: Profile =
            serde_json::from_value(json!({ "tables": [{ "name": "t", "rows": 1, "columns": columns }] })).expect("one");
        let dataset = Dataset::assemble("t", Hash::of(b"v"), &profile, &Metadata::default()).expect("it fits");
        let text = first(&dataset, &profile);
        assert!(text.contains("\nc499 = {}\n# and 200 more columns\n"), "{text}");
    }
}
