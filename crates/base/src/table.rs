//! A result set as the machine interface spells it.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

/// One cell as JSON: int and float as numbers (NaN and ±Infinity as strings), bool as JSON, null as null, everything
/// else (decimal, text, date, time, timestamp, json) as a string. The column's [`Type`] says how to read it.
pub type Cell = serde_json::Value;

/// The closed set of column types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum Type {
    Bool,
    Int,
    Float,
    Decimal,
    Text,
    Date,
    Time,
    Timestamp,
    Json,
}

impl Type {
    /// Whether sums and averages make sense.
    pub fn is_number(self) -> bool {
        matches!(self, Type::Int | Type::Float | Type::Decimal)
    }

    /// Whether it can be cut into periods.
    pub fn is_temporal(self) -> bool {
        matches!(self, Type::Date | Type::Timestamp)
    }

    /// The name in the machine interface.
    pub fn as_str(self) -> &'static str {
        match self {
            Type::Bool => "bool",
            Type::Int => "int",
            Type::Float => "float",
            Type::Decimal => "decimal",
            Type::Text => "text",
            Type::Date => "date",
            Type::Time => "time",
            Type::Timestamp => "timestamp",
            Type::Json => "json",
        }
    }
}

/// A named, typed column of a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Column {
    /// As shown to people.
    pub name: String,
    /// How to read its cells.
    #[serde(rename = "type")]
    pub ty: Type,
}

/// A result set. `row_count` is the full count also when only some rows are carried.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Table {
    /// In order.
    pub columns: Vec<Column>,
    /// Each as long as `columns`.
    #[schemars(schema_with = "rows")]
    pub rows: Vec<Vec<Cell>>,
    /// How many rows the result has.
    pub row_count: u64,
    /// Whether `rows` is fewer than `row_count`.
    pub truncated: bool,
}

fn rows(_: &mut SchemaGenerator) -> Schema {
    let cell = serde_json::json!({ "type": ["null", "boolean", "number", "string"] });
    json_schema!({ "type": "array", "items": { "type": "array", "items": cell } })
}
