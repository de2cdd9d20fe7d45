//! What ingest measured of a dataset's tables: the answer of the kernel, before its owner's words are joined to it; and
//! what follows from it alone: which columns may be keys, and which tell the time.

use base::{Cell, Type};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::dataset::{Relation, Running, Stock};

/// Everything measured at ingest.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
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
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TableProfile {
    /// Its name in SQL and plans.
    pub name: String,
    /// How many rows.
    pub rows: u64,
    /// Where the table is large: of how many of its rows quantiles, histograms and patterns were taken. Which rows these
    /// are depends on their number only, so the same file always gives the same answer.
    #[serde(default)]
    pub sampled_rows: Option<u64>,
    /// In order.
    pub columns: Vec<ColumnProfile>,
    /// Every row of a small table; none of a larger one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cells: Vec<Vec<Cell>>,
}

/// One measured column; the fields mean what they mean in [`crate::dataset::ColumnInfo`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
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
    /// At 0, 25, 50, 75 and 100 percent, each a value of the column; numbers, dates and timestamps only.
    #[serde(default)]
    pub quantiles: Vec<Cell>,
    /// Whether they are of all rows.
    #[serde(default)]
    pub quantiles_are_exact: bool,
    /// The most frequent values with their counts.
    #[serde(default)]
    pub top: Vec<(Cell, u64)>,
    /// Counts in equal bins from the least to the greatest value.
    #[serde(default)]
    pub histogram: Vec<u64>,
    /// The shape that nearly all texts share: `AA-999`, or `A+-9+` where only the lengths differ.
    #[serde(default)]
    pub pattern: Option<String>,
    #[serde(default)]
    pub example: Option<Cell>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub running: Option<Running>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stock: Option<Stock>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeats_within: Option<String>,
    /// Whether `distinct` was counted; else it is an estimate, and the column is not unique.
    #[serde(default)]
    pub distinct_is_exact: bool,
}

impl Profile {
    /// The table of that exact name.
    pub fn table(&self, name: &str) -> Option<&TableProfile> {
        self.tables.iter().find(|table| table.name == name)
    }
}

impl TableProfile {
    /// The column of that exact name.
    pub fn column(&self, name: &str) -> Option<&ColumnProfile> {
        self.columns.iter().find(|column| column.name == name)
    }

    /// The columns that tell its rows apart, the likeliest key first: those named like a key, then as they stand.
    pub fn keys(&self) -> Vec<&ColumnProfile> {
        let mut keys: Vec<&ColumnProfile> = self.columns.iter().filter(|column| column.may_be_key()).collect();
        keys.sort_by_key(|column| !is_key_name(&column.name));
        keys
    }

    /// The columns that say when something was.
    pub fn times(&self) -> impl Iterator<Item = &ColumnProfile> {
        self.columns.iter().filter(|column| column.tells_time())
    }
}

impl ColumnProfile {
    /// Whether each row has one value of its own, of a type that people use to name rows. A price or a moment that
    /// happens to occur once is no name.
    pub fn may_be_key(&self) -> bool {
        self.unique && matches!(self.ty, Type::Int | Type::Text)
    }

    /// Whether its cells are dates or moments, or years that are written as numbers.
    pub fn tells_time(&self) -> bool {
        let is_year = |cell: &Option<Cell>| {
            cell.as_ref().and_then(Cell::as_i64).is_some_and(|year| (1000..=2999).contains(&year))
        };
        let named_year = || words(&self.name).iter().any(|word| word == "year");
        self.ty.is_temporal() || (self.ty == Type::Int && named_year() && is_year(&self.min) && is_year(&self.max))
    }
}

/// Whether a name ends as the names of keys do.
fn is_key_name(name: &str) -> bool {
    words(name).last().is_some_and(|last| KEY_ENDINGS.contains(&last.as_str()))
}

const KEY_ENDINGS: [&str; 10] = ["id", "key", "code", "number", "no", "nr", "uuid", "guid", "sku", "isbn"];

/// The words of a name in lower case: `orderID`, `Order id` and `order_id` have the same.
pub fn words(name: &str) -> Vec<String> {
    let letters: Vec<char> = name.chars().collect();
    let mut words: Vec<String> = Vec::new();
    let mut open = false;
    for (at, letter) in letters.iter().enumerate() {
        if !letter.is_alphanumeric() {
            open = false;
            continue;
        }
        let before = at.checked_sub(1).map(|before| letters[before]);
        let after_small = before.is_some_and(|before| before.is_lowercase() || before.is_ascii_digit());
        let before_small = letters.get(at + 1).is_some_and(|after| after.is_lowercase());
        let begins = letter.is_uppercase() && (after_small || (before_small && before.is_some_and(char::is_uppercase)));
        if !open || begins {
            words.push(String::new());
        }
        open = true;
        words.last_mut().expect("a word was begun above").extend(letter.to_lowercase());
    }
    words
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn table(columns: serde_json::Value) -> TableProfile {
        serde_json::from_value(json!({ "name": "t", "rows": 3, "columns": columns })).expect("a table")
    }

    fn column(name: &str, ty: &str, unique: bool) -> serde_json::Value {
        json!({ "name": name, "type": ty, "nulls": 0, "distinct": 3, "unique": unique, "min": 1990, "max": 2020 })
    }

    #[test]
    fn names_fall_apart_into_words() {
        let of = |name: &str| words(name).join(" ");
        let names = ["order_id", "orderID", "Order Id", "USDPrice", "weightKg", "a1B", "__x__", "°C", "naïveÉtat", ""];
        assert_eq!(
            names.map(of),
            ["order id", "order id", "order id", "usd price", "weight kg", "a1 b", "x", "c", "naïve état", ""]
        );
    }

    #[test]
    fn what_tells_rows_apart_may_be_a_key() {
        let table = table(json!([
            column("name", "text", true),
            column("price", "decimal", true),
            column("seen", "timestamp", true),
            column("colour", "text", false),
            column("sku", "text", true),
        ]));
        assert_eq!(table.keys().iter().map(|key| key.name.as_str()).collect::<Vec<_>>(), ["sku", "name"]);
    }

    #[test]
    fn dates_moments_and_years_tell_the_time() {
        let mut columns = vec![
            column("day", "date", false),
            column("seen", "timestamp", false),
            column("Year built", "int", false),
            column("year_end_stock", "int", false),
            column("yearly", "int", false),
        ];
        columns[3]["min"] = json!(0);
        let table = table(json!(columns));
        assert_eq!(table.times().map(|time| time.name.as_str()).collect::<Vec<_>>(), ["day", "seen", "Year built"]);
    }
}
