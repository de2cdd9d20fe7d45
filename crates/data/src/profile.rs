//! What ingest measured of a dataset's tables: the answer of the kernel, before its owner's words are joined to it.

use base::{Cell, Type};
use serde::{Deserialize, Serialize};

use crate::dataset::Relation;

/// Everything measured at ingest.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Profile {
    /// In the order they were read.
    pub tables: Vec<TableProfile>,
    /// Links that the data suggests: names alike and every value found on the unique side.
    #[serde(default)]
    pub relations: Vec<Relation>,
    /// What was done to the files so that they could be read.
    #[serde(default)]
    pub remarks: Vec<Remark>,
}

/// What was done to which rows of a file, so that nothing is a silent guess.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remark {
    /// As its owner calls it.
    pub file: Option<String>,
    /// The table that it became.
    #[serde(default)]
    pub table: Option<String>,
    /// Where it concerns one column.
    #[serde(default)]
    pub column: Option<String>,
    /// What kind of thing was done, for programs: `ragged_rows`.
    pub code: String,
    /// For people.
    pub message: String,
    /// How many rows or cells.
    #[serde(default)]
    pub count: Option<u64>,
    /// The first of them, counted from 1 without the header, or lines where the message speaks of lines.
    #[serde(default)]
    pub rows: Vec<u64>,
}

/// One measured table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TableProfile {
    /// Its name in SQL and plans.
    pub name: String,
    /// How many rows.
    pub rows: u64,
    /// In order.
    pub columns: Vec<ColumnProfile>,
}

/// One measured column; the fields mean what they mean in [`crate::dataset::ColumnInfo`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct ColumnProfile {
    pub name: String,
    #[serde(rename = "type")]
    pub ty: Type,
    pub nulls: u64,
    pub distinct: u64,
    pub unique: bool,
    #[serde(default)]
    pub min: Option<Cell>,
    #[serde(default)]
    pub max: Option<Cell>,
    #[serde(default)]
    pub values: Vec<String>,
    #[serde(default)]
    pub values_complete: bool,
    /// A sign that was found beside its numbers, or a unit that its name ends in.
    #[serde(default)]
    pub unit: Option<String>,
    /// At 0, 25, 50, 75 and 100 percent; numbers and dates only.
    #[serde(default)]
    pub quantiles: Vec<Cell>,
    /// The most frequent values with their counts.
    #[serde(default)]
    pub top: Vec<(Cell, u64)>,
    /// Counts in equal bins from the least to the greatest value.
    #[serde(default)]
    pub histogram: Vec<u64>,
    /// The shape that nearly all texts share: `AA-999`.
    #[serde(default)]
    pub pattern: Option<String>,
    #[serde(default)]
    pub example: Option<Cell>,
    /// Whether `distinct` was counted; else it is an estimate, and the column is not unique.
    #[serde(default)]
    pub distinct_is_exact: bool,
}
