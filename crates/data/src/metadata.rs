//! `dataset.toml`: what the owner of a dataset says about it, so that people's words have one meaning.
//!
//! Everything in the file is optional and nothing in it is specific to the built-in datasets:
//!
//! ```toml
//! description = "Sales of a bakery"
//! questions = ["Which bread sells best?"]
//! relationships = ["sales.bread -> breads.id"]
//! not_relationships = ["sales.shelf -> breads.id"]  # a link that must not be inferred, whichever way it runs
//!
//! [[table]]
//! name = "sales"
//! noun = "sale"                      # what one row is
//! synonyms = ["purchase"]
//!
//! [table.columns]
//! paid = { type = "decimal", unit = "EUR", synonyms = ["amount"] }
//! card = { noun = "customer" }       # what a distinct value stands for
//!
//! [[measure]]
//! name = "turnover"
//! agg = "sum"
//! expr = "paid * (1 - rebate / 100)" # a column or arithmetic over columns; without it rows are counted
//! tables = ["sales"]                 # where it may be computed, the natural one first
//! ```
//!
//! Reading is strict: a key that has no meaning is refused, because a misspelt `synonym` that is silently ignored shows
//! only later, as a question that is not understood. Names are compared with the data in `assemble`.

mod assemble;
mod first;
mod section;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use base::Type;

use crate::dataset::Relation;
use crate::plan::Agg;
pub use first::first;
use section::{Section, quoted, quoted_key, quoted_list};

/// What the owner declared, in the file's own names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Metadata {
    /// One sentence for people.
    pub description: String,
    /// Questions worth asking first.
    pub questions: Vec<String>,
    /// Many-to-one links, which take the place of inferred ones between the same two tables.
    pub relations: Vec<Relation>,
    /// Pairs of columns that are no link, however much they look like one.
    pub not_relations: Vec<Relation>,
    /// In the order they are to be shown.
    pub tables: Vec<TableMetadata>,
    /// Measures with a meaning.
    pub measures: Vec<MeasureMetadata>,
}

/// What the owner declared about a table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TableMetadata {
    /// Which table.
    pub name: String,
    /// One sentence for people.
    pub description: String,
    /// What one row is, in the singular.
    pub noun: Option<String>,
    /// Other words for a row or the table.
    pub synonyms: Vec<String>,
    /// By name; the order of columns is the data's.
    pub columns: BTreeMap<String, ColumnMetadata>,
}

/// What the owner declared about a column.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ColumnMetadata {
    /// What its cells are to be read as.
    pub ty: Option<Type>,
    /// One sentence for people.
    pub description: String,
    /// Other words for it; for a bool, words for the rows where it is true.
    pub synonyms: Vec<String>,
    /// What a distinct value stands for, in the singular. Where a key and a text column of one table share a noun, the
    /// text is what people read and the key is what is counted.
    pub noun: Option<String>,
    /// Such as `°C`, `hours`, `percent`.
    pub unit: Option<String>,
}

/// A measure as declared; its expression is still text.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasureMetadata {
    /// In people's words.
    pub name: String,
    /// Other words for it.
    pub synonyms: Vec<String>,
    /// How rows become one number.
    pub agg: Agg,
    /// A column or arithmetic over columns; absent counts rows.
    pub expr: Option<String>,
    /// The grains it may be computed at, the natural one first; may be left out where there is one table.
    pub tables: Vec<String>,
    /// Such as `USD`, `share`.
    pub unit: Option<String>,
    /// One sentence for people.
    pub description: String,
}

const TYPES: [Type; 9] = [
    Type::Bool,
    Type::Int,
    Type::Float,
    Type::Decimal,
    Type::Text,
    Type::Date,
    Type::Time,
    Type::Timestamp,
    Type::Json,
];

impl Metadata {
    /// Reads the text of a `dataset.toml`.
    pub fn parse(text: &str) -> Result<Metadata, String> {
        let mut file = Section::root(text)?;
        let metadata = Metadata {
            description: file.text("description")?.unwrap_or_default(),
            questions: file.texts("questions")?,
            relations: links(&mut file, "relationships")?,
            not_relations: links(&mut file, "not_relationships")?,
            tables: file.sections("table")?.into_iter().map(table).collect::<Result<Vec<_>, String>>()?,
            measures: file.sections("measure")?.into_iter().map(measure).collect::<Result<Vec<_>, String>>()?,
        };
        file.finish(&["description", "questions", "relationships", "not_relationships", "table", "measure"])?;
        refuse_twice("table", metadata.tables.iter().map(|table| table.name.as_str()))?;
        refuse_twice("measure", metadata.measures.iter().map(|measure| measure.name.as_str()))?;
        Ok(metadata)
    }

    /// The declared column types as (table, column, type), for ingest to read the files by.
    pub fn types(&self) -> Vec<(&str, &str, Type)> {
        self.tables
            .iter()
            .flat_map(|table| {
                let typed = table.columns.iter().filter_map(|(name, column)| Some((name.as_str(), column.ty?)));
                typed.map(|(name, ty)| (table.name.as_str(), name, ty))
            })
            .collect()
    }

    /// The text of a `dataset.toml` that reads back as this.
    pub fn to_toml(&self) -> String {
        let mut out = String::new();
        line(&mut out, "description", Some(&self.description).filter(|text| !text.is_empty()));
        long_list(&mut out, "questions", &self.questions);
        for (key, relations) in [("relationships", &self.relations), ("not_relationships", &self.not_relations)] {
            long_list(&mut out, key, &relations.iter().map(spelled).collect::<Vec<String>>());
        }
        self.tables.iter().for_each(|table| write_table(&mut out, table));
        self.measures.iter().for_each(|measure| write_measure(&mut out, measure));
        out.trim_start().to_string()
    }
}

fn refuse_twice<'a>(kind: &str, names: impl Iterator<Item = &'a str>) -> Result<(), String> {
    let mut seen = std::collections::BTreeSet::new();
    for name in names {
        if !seen.insert(name) {
            return Err(format!("{kind} `{name}` is described twice"));
        }
    }
    Ok(())
}

fn links(file: &mut Section, key: &str) -> Result<Vec<Relation>, String> {
    file.texts(key)?.iter().map(|link| relation(link)).collect()
}

/// Reads `a.x -> b.y`. Table names have no dot, so the first one ends the table's name.
fn relation(link: &str) -> Result<Relation, String> {
    let wrong = || format!("relationship `{link}` is not of the form `table.column -> table.column`");
    let side = |text: &str| {
        let (table, column) = text.trim().split_once('.')?;
        (!table.is_empty() && !column.is_empty()).then(|| (table.to_string(), column.to_string()))
    };
    let (from, to) = link.split_once("->").ok_or_else(wrong)?;
    let (from_table, from_column) = side(from).ok_or_else(wrong)?;
    let (to_table, to_column) = side(to).ok_or_else(wrong)?;
    Ok(Relation { from_table, from_column, to_table, to_column })
}

fn spelled(relation: &Relation) -> String {
    let Relation { from_table, from_column, to_table, to_column } = relation;
    format!("{from_table}.{from_column} -> {to_table}.{to_column}")
}

fn table(mut section: Section) -> Result<TableMetadata, String> {
    let name = section.name()?;
    let columns = section.entries("columns")?.into_iter();
    let columns = columns.map(|(name, section)| Ok((name, column(section)?))).collect::<Result<_, String>>()?;
    let table = TableMetadata {
        name,
        columns,
        description: section.text("description")?.unwrap_or_default(),
        noun: section.text("noun")?,
        synonyms: section.texts("synonyms")?,
    };
    section.finish(&["name", "description", "noun", "synonyms", "columns"])?;
    Ok(table)
}

fn column(mut section: Section) -> Result<ColumnMetadata, String> {
    let column = ColumnMetadata {
        ty: section.word("type", &TYPES.map(|ty| (ty.as_str(), ty)))?,
        description: section.text("description")?.unwrap_or_default(),
        synonyms: section.texts("synonyms")?,
        noun: section.text("noun")?,
        unit: section.text("unit")?,
    };
    section.finish(&["type", "description", "synonyms", "noun", "unit"])?;
    Ok(column)
}

fn measure(mut section: Section) -> Result<MeasureMetadata, String> {
    let name = section.name()?;
    // A quantile needs its number and a correlation another column, which a measure has no place for.
    let aggregates: Vec<(&str, Agg)> = Agg::ALL
        .iter()
        .filter(|agg| !matches!(agg, Agg::Quantile | Agg::Corr))
        .map(|agg| (agg.as_str(), *agg))
        .collect();
    let agg = section.word("agg", &aggregates)?.ok_or_else(|| format!("measure `{name}` has no `agg`"))?;
    let measure = MeasureMetadata {
        agg,
        synonyms: section.texts("synonyms")?,
        expr: section.text("expr")?,
        tables: section.texts("tables")?,
        unit: section.text("unit")?,
        description: section.text("description")?.unwrap_or_default(),
        name,
    };
    section.finish(&["name", "synonyms", "agg", "expr", "tables", "unit", "description"])?;
    if measure.expr.is_none() && measure.agg != Agg::Count {
        return Err(format!("measure `{}` has no `expr` to take the {} of", measure.name, measure.agg.as_str()));
    }
    Ok(measure)
}

fn line(out: &mut String, key: &str, value: Option<&String>) {
    if let Some(value) = value {
        writeln!(out, "{key} = {}", quoted(value)).expect("writing to a string cannot fail");
    }
}

fn list(out: &mut String, key: &str, values: &[String]) {
    if !values.is_empty() {
        writeln!(out, "{key} = {}", quoted_list(values)).expect("writing to a string cannot fail");
    }
}

fn long_list(out: &mut String, key: &str, values: &[String]) {
    if !values.is_empty() {
        let lines: String = values.iter().map(|value| format!("    {},\n", quoted(value))).collect();
        writeln!(out, "{key} = [\n{lines}]").expect("writing to a string cannot fail");
    }
}

fn write_table(out: &mut String, table: &TableMetadata) {
    out.push_str("\n[[table]]\n");
    line(out, "name", Some(&table.name));
    line(out, "noun", table.noun.as_ref());
    list(out, "synonyms", &table.synonyms);
    line(out, "description", Some(&table.description).filter(|text| !text.is_empty()));
    if !table.columns.is_empty() {
        out.push_str("\n[table.columns]\n");
    }
    for (name, column) in &table.columns {
        let mut parts = Vec::new();
        let mut part = |key: &str, value: Option<&str>| {
            parts.extend(value.map(|value| format!("{key} = {}", quoted(value))));
        };
        part("type", column.ty.map(Type::as_str));
        part("noun", column.noun.as_deref());
        part("unit", column.unit.as_deref());
        part("description", Some(column.description.as_str()).filter(|text| !text.is_empty()));
        if !column.synonyms.is_empty() {
            parts.push(format!("synonyms = {}", quoted_list(&column.synonyms)));
        }
        writeln!(out, "{} = {{ {} }}", quoted_key(name), parts.join(", ")).expect("writing to a string cannot fail");
    }
}

fn write_measure(out: &mut String, measure: &MeasureMetadata) {
    out.push_str("\n[[measure]]\n");
    line(out, "name", Some(&measure.name));
    list(out, "synonyms", &measure.synonyms);
    line(out, "agg", Some(&measure.agg.as_str().to_string()));
    line(out, "expr", measure.expr.as_ref());
    list(out, "tables", &measure.tables);
    line(out, "unit", measure.unit.as_ref());
    line(out, "description", Some(&measure.description).filter(|text| !text.is_empty()));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(text: &str) -> String {
        Metadata::parse(text).expect_err("this must be refused")
    }

    #[test]
    fn what_is_written_reads_back() {
        let text = r#"
            description = "Quotes \" and \\ and\ttabs"
            questions = ["Why?", "How \"much\"?"]
            relationships = ["sales.Bread No. -> breads.id"]
            not_relationships = ["sales.shelf -> breads.id", "sales.x.y -> breads.id"]
            [[table]]
            name = "sales"
            noun = "sale"
            synonyms = ["purchase"]
            description = "One row\nper sale"
            [table.columns]
            "Bread No." = { type = "int", noun = "bread", synonyms = ["a", "b"], description = "Which bread" }
            paid = { unit = "€" }
            empty = {}
            [[table]]
            name = "breads"
            [[measure]]
            name = "visits"
            agg = "count"
            [[measure]]
            name = "turnover"
            agg = "sum"
            expr = "paid * 2"
            tables = ["sales"]
            unit = "€"
            synonyms = ["revenue"]
            description = "What was paid"
        "#;
        let metadata = Metadata::parse(text).expect("the text is well formed");
        assert_eq!(metadata.tables[0].columns["Bread No."].ty, Some(Type::Int));
        assert_eq!(metadata.relations[0].from_column, "Bread No.");
        assert_eq!(metadata.not_relations[1].from_column, "x.y");
        let turnover = &metadata.measures[1];
        assert_eq!((turnover.unit.as_deref(), turnover.synonyms.as_slice()), (Some("€"), &["revenue".to_string()][..]));
        assert_eq!(Metadata::parse(&metadata.to_toml()), Ok(metadata));
        assert_eq!(Metadata::parse(""), Ok(Metadata::default()));
    }

    #[test]
    fn every_refusal_says_where_and_what_to_write() {
        let cases = [
            ("desciption = 'x'", "unknown key `desciption`; did you mean `description`?"),
            ("[[table]]\nname = 'a'\nsynonym = ['b']", "unknown key `synonym` in table `a`; did you mean `synonyms`?"),
            (
                "[[table]]\nname = 'a'\n[table.columns]\nx = { colour = 'red' }",
                "unknown key `colour` in column `x` of table `a`; known are type, description, synonyms, noun, unit",
            ),
            (
                "[[table]]\nname = 'a'\n[table.columns]\nx = { type = 'integer' }",
                "`type` in column `x` of table `a` cannot be `integer`; did you mean `int`?",
            ),
            ("questions = 'why?'", "`questions` must be a list of texts"),
            ("[[table]]\nnoun = 'a'", "table 1 has no `name`"),
            ("[[table]]\nname = 'a'\n[[table]]\nname = 'a'", "table `a` is described twice"),
            ("[table.a]\nnoun = 'b'", "`table` must be a list of sections, each headed `[[table]]`"),
            ("[[measure]]\nname = 'm'", "measure `m` has no `agg`"),
            ("[[measure]]\nname = 'm'\nagg = 'sum'", "measure `m` has no `expr` to take the sum of"),
            ("not_relationship = ['a.x -> b.y']", "unknown key `not_relationship`; did you mean `not_relationships`?"),
            ("not_relationships = ['a.x']", "relationship `a.x` is not of the form `table.column -> table.column`"),
            ("relationships = ['a -> b']", "relationship `a -> b` is not of the form `table.column -> table.column`"),
        ];
        for (text, message) in cases {
            assert_eq!(refusal(text), message);
        }
        let broken = refusal("description = 'x'\nnoun == 3");
        assert!(broken.starts_with("line 2: "), "{broken}");
    }
}
