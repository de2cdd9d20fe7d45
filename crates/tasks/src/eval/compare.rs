//! Whether rows are those that were expected, as people would say: by position, whatever the spelling of numbers and
//! the punctuation of texts.

use base::Cell;
use serde_json::{Map, Value};

/// Numbers that differ by less, relative to the larger, are the same.
const TOLERANCE: f64 = 1e-6;
/// What people write beside numbers.
const BESIDE_NUMBERS: [char; 5] = [',', '$', '%', '£', '€'];

/// Whether the rows are the expected ones; each as often as expected, and in their order if that counts.
pub fn same_rows(expected: &[Vec<Cell>], found: &[Vec<Cell>], ordered: bool) -> bool {
    if expected.len() != found.len() {
        return false;
    }
    let (expected, found) = (spelled(expected), spelled(found));
    if ordered {
        return expected.iter().zip(&found).all(|(expected, found)| same_row(expected, found));
    }
    let mut left: Vec<&Vec<Spelled>> = found.iter().collect();
    expected.iter().all(|row| match left.iter().position(|found| same_row(row, found)) {
        Some(at) => {
            left.swap_remove(at);
            true
        }
        None => false,
    })
}

/// Named values may differ by this much of the expected one: people round what they write down.
const VALUE_TOLERANCE: f64 = 1e-2;

/// Whether a table says the expected values by name: as the columns of one row, or as rows of names and values.
pub fn same_values(expected: &Map<String, Value>, columns: &[String], rows: &[Vec<Cell>]) -> bool {
    let across = || match rows {
        [row] => columns.iter().map(|name| folded(name)).zip(row).collect(),
        _ => Vec::new(),
    };
    let down = || match columns.len() {
        2 => rows.iter().map(|row| (folded(&text_of(&row[0])), &row[1])).collect(),
        _ => Vec::new(),
    };
    let says = |named: Vec<(String, &Cell)>| {
        expected.iter().all(|(name, value)| {
            let name = folded(name);
            named.iter().any(|(other, cell)| *other == name && is_value(value, cell))
        })
    };
    says(across()) || says(down())
}

fn is_value(expected: &Value, found: &Cell) -> bool {
    let (wanted, text) = (text_of(expected), text_of(found));
    match (Spelled::of(expected).number, Spelled::of(found).number) {
        (Some(one), Some(other)) => {
            let scale = 10_f64.powi(decimals(&wanted));
            (one - other).abs() <= VALUE_TOLERANCE * one.abs() || (one * scale).round() == (other * scale).round()
        }
        _ => wanted.trim().to_lowercase() == text.trim().to_lowercase(),
    }
}

/// Digits behind the point, as they are written.
fn decimals(text: &str) -> i32 {
    let behind = text.trim().split_once('.').map_or("", |(_, behind)| behind);
    behind.chars().take_while(char::is_ascii_digit).count().min(15) as i32
}

fn text_of(cell: &Cell) -> String {
    cell.as_str().map_or_else(|| cell.to_string(), str::to_string)
}

/// A name without case and punctuation.
fn folded(name: &str) -> String {
    name.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// A cell as it is compared.
struct Spelled {
    number: Option<f64>,
    letters: String,
}

fn spelled(rows: &[Vec<Cell>]) -> Vec<Vec<Spelled>> {
    rows.iter().map(|row| row.iter().map(Spelled::of).collect()).collect()
}

impl Spelled {
    fn of(cell: &Cell) -> Spelled {
        let text = match cell {
            Cell::Null => String::new(),
            Cell::String(text) => text.clone(),
            other => other.to_string(),
        };
        let bare: String =
            text.chars().filter(|letter| !letter.is_whitespace() && !BESIDE_NUMBERS.contains(letter)).collect();
        // Words such as `nan` and `infinity` are words.
        let number = bare.parse().ok().filter(|number: &f64| number.is_finite());
        let letters = text.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect();
        Spelled { number, letters }
    }
}

fn same_row(one: &[Spelled], other: &[Spelled]) -> bool {
    one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same_cell(one, other))
}

fn same_cell(one: &Spelled, other: &Spelled) -> bool {
    match (one.number, other.number) {
        (Some(one), Some(other)) => (one - other).abs() <= TOLERANCE * one.abs().max(other.abs()),
        _ => one.letters == other.letters,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn rows(value: Value) -> Vec<Vec<Cell>> {
        serde_json::from_value(value).expect("rows")
    }

    #[test]
    fn cells_are_compared_as_people_read_them() {
        let same = [
            (json!("1,234.50"), json!(1234.5)),
            (json!("$ 12"), json!("12.00")),
            (json!("12 %"), json!(12)),
            (json!("£3"), json!("3 €")),
            (json!(1_000_000), json!(1_000_000.5)),
            (json!("26–24"), json!("26 - 24")),
            (json!("St. John's"), json!("st johns")),
            (json!("Åre"), json!("åRE")),
            (json!(true), json!("True")),
            (json!(null), json!("")),
            (json!(0), json!("0.0")),
            (json!("NaN"), json!("nan")),
        ];
        for (one, other) in same {
            assert!(same_rows(&[vec![one.clone()]], &[vec![other.clone()]], true), "{one} {other}");
        }
        let different = [
            (json!(1_000_000), json!(1_000_002)),
            (json!(0), json!(null)),
            (json!(0), json!(1e-9)),
            (json!("12"), json!("1.2")),
            (json!("north"), json!("south")),
            (json!("inf"), json!("infinity")),
        ];
        for (one, other) in different {
            assert!(!same_rows(&[vec![one.clone()]], &[vec![other.clone()]], true), "{one} {other}");
        }
    }

    #[test]
    fn values_are_found_by_name_across_or_down() {
        let named = |expected: Value, columns: &[&str], found: Value| {
            let columns: Vec<String> = columns.iter().map(|name| name.to_string()).collect();
            same_values(expected.as_object().expect("names"), &columns, &rows(found))
        };
        let both = || json!({ "mean_fare": 34.65, "Sex": "Female" });
        assert!(named(both(), &["Mean fare", "n", "sex"], json!([[34.654, 3, "female"]])));
        assert!(named(both(), &["name", "value"], json!([["sex", "FEMALE"], ["mean-fare", "34.65"]])));
        assert!(!named(both(), &["mean_fare"], json!([[34.65]])), "one is missing");
        assert!(!named(both(), &["fare", "sex"], json!([[34.65, "female"]])), "another name");
        assert!(!named(both(), &["mean_fare", "sex"], json!([[34.65, "female"], [1, "male"]])), "two rows");
        assert!(named(json!({ "r": 0.5 }), &["r"], json!([[0.46]])), "0.46 is 0.5 when rounded");
        assert!(named(json!({ "n": 1000 }), &["n"], json!([[1009]])));
        assert!(!named(json!({ "n": 1000 }), &["n"], json!([[1011]])));
        assert!(!named(json!({ "n": 0 }), &["n"], json!([[null]])));
    }

    #[test]
    fn rows_are_a_multiset_unless_ordered() {
        let expected = rows(json!([["a", 1], ["b", 2], ["a", 1]]));
        assert!(same_rows(&expected, &rows(json!([["b", 2], ["a", 1], ["a", 1]])), false));
        assert!(!same_rows(&expected, &rows(json!([["b", 2], ["a", 1], ["a", 1]])), true));
        assert!(!same_rows(&expected, &rows(json!([["b", 2], ["b", 2], ["a", 1]])), false));
        assert!(!same_rows(&expected, &rows(json!([["a", 1], ["b", 2]])), false));
        assert!(!same_rows(&expected, &rows(json!([["a"], ["b"], ["a"]])), false));
        assert!(same_rows(&[], &[], true));
    }
}
