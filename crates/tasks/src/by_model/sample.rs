//! What a model is shown beside the profile: a few rows and what the user noted. Recorded as one step, so that a run that
//! goes on later shows the same.
//!
//! Columns that look personal are never shown, nor are their frequent values: whoever sends data to a model means its shape.

use std::collections::BTreeMap;

use base::{Cell, Problem, Type};
use data::dataset::{ColumnInfo, TableInfo};
use flow::Run;
use serde::{Deserialize, Serialize};
use serde_json::json;
use warehouse::Warehouse;

use super::Over;
use crate::query::{Kernel, UNLESS_LOST};

/// Tables of which rows are shown; each takes a cell of its own.
const TABLES_MAX: usize = 4;
/// Columns of each.
const COLUMNS_MAX: usize = 30;
const NOTES_MAX: usize = 10;

/// Some rows, and notes.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Sample {
    /// By table, with the names of the columns.
    pub rows: BTreeMap<String, (Vec<String>, Vec<Vec<Cell>>)>,
    /// In the user's words.
    pub notes: Vec<String>,
}

/// Takes a sample of so many rows of each table; none where the model would not be shown them.
pub async fn take(
    run: &mut Run,
    warehouse: &Warehouse,
    over: Over<'_>,
    rows: u32,
    shows_rows: bool,
) -> Result<Sample, Problem> {
    let input = json!({ "dataset": over.dataset.version, "rows": rows });
    let rows = if shows_rows { rows } else { 0 };
    let effect = || async {
        let mut sample = Sample { notes: notes(warehouse, over), ..Sample::default() };
        for table in over.dataset.tables.iter().take(if rows == 0 { 0 } else { TABLES_MAX }) {
            let columns = shown(table);
            if let Some(found) = first_rows(warehouse, over, table, &columns, rows).await? {
                sample.rows.insert(table.name.clone(), (columns, found));
            }
        }
        Ok(sample)
    };
    Ok(run.step_under(UNLESS_LOST, "sample", &input, effect).await?)
}

fn notes(warehouse: &Warehouse, over: Over<'_>) -> Vec<String> {
    // Notes that cannot be read keep nobody from an answer; `data notes` says what is wrong with them.
    let found =
        if over.names.is_empty() { Vec::new() } else { warehouse.notes().about(over.names).unwrap_or_default() };
    found.into_iter().take(NOTES_MAX).map(|note| note.text).collect()
}

fn shown(table: &TableInfo) -> Vec<String> {
    let columns = table.columns.iter().filter(|column| !is_personal(column, table));
    columns.take(COLUMNS_MAX).map(|column| column.name.clone()).collect()
}

async fn first_rows(
    warehouse: &Warehouse,
    over: Over<'_>,
    table: &TableInfo,
    columns: &[String],
    rows: u32,
) -> Result<Option<Vec<Vec<Cell>>>, Problem> {
    if columns.is_empty() {
        return Ok(None);
    }
    let names: Vec<String> = columns.iter().map(|name| identifier(name)).collect();
    let sql = format!("SELECT {} FROM {} LIMIT {rows}", names.join(", "), identifier(&table.name));
    let mut kernel = Kernel::over(warehouse, over.file, over.dataset);
    let queried = kernel.query(&sql).await?;
    kernel.retire();
    Ok(queried.table.map(|table| table.rows))
}

fn identifier(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Words that a personal column's name holds.
const PERSONAL: &[&str] = &[
    "email",
    "mail",
    "phone",
    "telephone",
    "mobile",
    "fax",
    "address",
    "street",
    "birth",
    "birthday",
    "birthdate",
    "dob",
    "ssn",
    "passport",
    "iban",
    "surname",
    "firstname",
    "lastname",
    "forename",
    "username",
    "login",
    "password",
    "ip",
    "secret",
    "token",
    "latitude",
    "longitude",
];
/// Words for people, which make a name personal.
const PEOPLE: &[&str] = &[
    "first",
    "last",
    "full",
    "customer",
    "client",
    "user",
    "patient",
    "employee",
    "staff",
    "contact",
    "person",
    "people",
    "member",
    "student",
    "teacher",
    "guest",
    "passenger",
    "owner",
    "author",
    "driver",
    "tenant",
    "doctor",
    "nurse",
];

/// Whether a column looks as if it told who somebody is.
pub fn is_personal(column: &ColumnInfo, table: &TableInfo) -> bool {
    let words = words(&column.name);
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    if has(PERSONAL) {
        return true;
    }
    if column.ty != Type::Text {
        return false;
    }
    let names_each = column.distinct * 2 > table.rows;
    let is_name = words.iter().any(|word| word == "name") && (has(PEOPLE) || words.len() == 1 && names_each);
    let is_person = words.len() == 1 && has(PEOPLE) && names_each;
    is_name || is_person || column.values.iter().take(20).any(|value| is_contact(value))
}

/// The words of a name, in lower case: `HomePhone_2` has home, phone and 2.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for letter in name.chars() {
        if !letter.is_alphanumeric() || letter.is_uppercase() && was_lower {
            words.push(String::new());
        }
        was_lower = letter.is_lowercase();
        if let Some(word) = words.last_mut().filter(|_| letter.is_alphanumeric()) {
            word.extend(letter.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// An address of mail, or a telephone number.
fn is_contact(value: &str) -> bool {
    let value = value.trim();
    let is_mail = value.split_once('@').is_some_and(|(who, at)| {
        !who.is_empty() && !who.contains(char::is_whitespace) && at.contains('.') && !at.contains(char::is_whitespace)
    });
    let digits = value.chars().filter(char::is_ascii_digit).count();
    let is_call = |letter: char| letter.is_ascii_digit() || " ()-/.".contains(letter);
    let is_phone = value.strip_prefix('+').is_some_and(|rest| rest.chars().all(is_call)) && (7..=15).contains(&digits);
    is_mail || is_phone
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_tells_who_somebody_is_looks_personal() {
        for name in ["Email", "homePhone", "date_of_birth", "IP address"] {
            assert!(words(name).iter().any(|word| PERSONAL.contains(&word.as_str())), "{name}: {:?}", words(name));
        }
        for name in ["amount", "shipment", "zip", "recipient", "mailing"] {
            assert!(!words(name).iter().any(|word| PERSONAL.contains(&word.as_str())), "{name}");
        }
        assert!(is_contact("ada@example.org") && is_contact("+49 (30) 123-4567"));
        assert!(!is_contact("2 @ 3.50") && !is_contact("+12") && !is_contact("north"));
    }
}
