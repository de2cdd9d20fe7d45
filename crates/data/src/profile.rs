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
    /// What people should know about how the files were read.
    #[serde(default)]
    pub notes: Vec<String>,
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
}
