//! What is known about a dataset: its tables, what their columns hold, how they hang together, and which words people
//! use for them. Built from the profile that ingest measured and from the metadata its owner declared.

use base::{Cell, Hash, Type};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::plan::{Agg, Expr};
use crate::profile::Profile;

/// Named tables of one content version.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Dataset {
    /// The name it is asked by.
    pub id: String,
    /// Hash of contents and metadata.
    pub version: Hash,
    /// One sentence for people.
    pub description: String,
    /// In declared order.
    pub tables: Vec<TableInfo>,
    /// Many-to-one links between tables.
    pub relations: Vec<Relation>,
    /// Measures that the owner gave a meaning.
    pub measures: Vec<DeclaredMeasure>,
    /// Questions worth asking first.
    pub questions: Vec<String>,
}

/// Which dataset, and which contents of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Identity {
    /// The name it is asked by.
    pub id: String,
    /// Hash of contents and metadata.
    pub version: Hash,
}

/// One table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TableInfo {
    /// Its name in SQL and plans.
    pub name: String,
    /// One sentence for people.
    pub description: String,
    /// What one row is, in the singular: `order`, `reading`.
    pub noun: Option<String>,
    /// Other words for a row or the table.
    pub synonyms: Vec<String>,
    /// How many rows.
    pub rows: u64,
    /// In order.
    pub columns: Vec<ColumnInfo>,
    /// Every row of a small table; none of a larger one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cells: Vec<Vec<Cell>>,
}

/// One column and what was measured of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ColumnInfo {
    /// As its owner spells it.
    pub name: String,
    /// What its cells are.
    #[serde(rename = "type")]
    pub ty: Type,
    /// One sentence for people.
    pub description: String,
    /// Other words for it.
    pub synonyms: Vec<String>,
    /// What a distinct value of it stands for, in the singular: `customer` for `customer_id`.
    pub noun: Option<String>,
    /// Such as `°C`, `hours`, `percent`.
    pub unit: Option<String>,
    /// How many cells are null.
    pub nulls: u64,
    /// How many distinct values, nulls apart.
    pub distinct: u64,
    /// Whether no value occurs twice and none is null.
    pub unique: bool,
    /// Least and greatest value.
    pub min: Option<Cell>,
    /// Least and greatest value.
    pub max: Option<Cell>,
    /// Distinct values of a text column, most frequent first, at most [`VALUES_MAX`].
    pub values: Vec<String>,
    /// Whether `values` is all of them.
    pub values_complete: bool,
    /// Where each number holds all that came before it, so that a sum of them counts everything again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub running: Option<Running>,
    /// Where each number is what there was at a time, so that a sum over times counts the same things again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stock: Option<Stock>,
    /// The column within which names of this one repeat, so that one name may stand for several things: counties in states.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeats_within: Option<String>,
}

/// What a running total is of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Running {
    /// The columns that tell apart what has a total of its own; none where there is one for the whole table.
    pub entity: Vec<String>,
    /// The column that it rises along.
    pub time: String,
}

impl std::fmt::Display for Running {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let per = if self.entity.is_empty() { String::new() } else { format!(" per {}", self.entity.join(" and ")) };
        write!(f, "running total{per} over {}", self.time)
    }
}

/// What a number that is there again at each time is of: a population, an inventory, a balance.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Stock {
    /// The columns that tell apart what has a stock of its own; none where there is one for the whole table.
    pub entity: Vec<String>,
    /// The column that says when.
    pub time: String,
}

impl std::fmt::Display for Stock {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let per = if self.entity.is_empty() { String::new() } else { format!(" per {}", self.entity.join(" and ")) };
        write!(f, "stock{per} at each {}", self.time)
    }
}

/// How many distinct values of a text column are kept for the planner.
pub const VALUES_MAX: usize = 10_000;

/// A many-to-one link: each row of `from_table` has at most one row of `to_table`, whose `to_column` is unique.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Relation {
    /// The many side.
    pub from_table: String,
    /// The many side's column.
    pub from_column: String,
    /// The one side.
    pub to_table: String,
    /// The one side's unique column.
    pub to_column: String,
}

impl Relation {
    /// Where it leads, as `table.column`.
    pub fn target(&self) -> String {
        format!("{}.{}", self.to_table, self.to_column)
    }
}

/// A measure that the dataset's owner gave a meaning, so that people's words have one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DeclaredMeasure {
    /// In people's words: `return rate`.
    pub name: String,
    /// Other words for it.
    pub synonyms: Vec<String>,
    /// How rows become one number.
    pub agg: Agg,
    /// Over what; absent counts rows.
    #[schemars(with = "Option<serde_json::Map<String, serde_json::Value>>")]
    pub expr: Option<Expr>,
    /// The grains it may be computed at, the natural one first: joined from another grain it would count rows twice.
    pub tables: Vec<String>,
    /// Such as `USD`, `share`.
    pub unit: Option<String>,
    /// One sentence for people.
    pub description: String,
}

/// How many values of a text column are kept once all of them are found by the planner's index.
const FREQUENT_VALUES_MAX: usize = 200;

impl Dataset {
    /// Its name and its version.
    pub fn identity(&self) -> Identity {
        Identity { id: self.id.clone(), version: self.version.clone() }
    }

    /// Forgets all but the most frequent values of each column, so that a dataset is read in no time.
    pub fn keep_frequent_values(&mut self) {
        for column in self.tables.iter_mut().flat_map(|table| &mut table.columns) {
            column.values_complete &= column.values.len() <= FREQUENT_VALUES_MAX;
            column.values.truncate(FREQUENT_VALUES_MAX);
        }
    }

    /// Takes back every value that was measured.
    pub fn take_values(&mut self, profile: &Profile) {
        for table in &mut self.tables {
            let Some(measured) = profile.tables.iter().find(|measured| measured.name == table.name) else { continue };
            for column in &mut table.columns {
                if let Some(measured) = measured.columns.iter().find(|measured| measured.name == column.name) {
                    column.values.clone_from(&measured.values);
                    column.values_complete = measured.values_complete;
                }
            }
        }
    }

    /// The links that lead away from a column.
    pub fn references<'a>(&'a self, table: &'a str, column: &'a str) -> impl Iterator<Item = &'a Relation> {
        self.relations.iter().filter(move |link| link.from_table == table && link.from_column == column)
    }

    /// The table of that exact name.
    pub fn table(&self, name: &str) -> Option<&TableInfo> {
        self.tables.iter().find(|table| table.name == name)
    }

    /// The column behind `table.column`.
    pub fn column(&self, qualified: &str) -> Option<&ColumnInfo> {
        let (table, column) = qualified.split_once('.')?;
        self.table(table)?.column(column)
    }
}

impl TableInfo {
    /// The column of that exact name.
    pub fn column(&self, name: &str) -> Option<&ColumnInfo> {
        self.columns.iter().find(|column| column.name == name)
    }
}
