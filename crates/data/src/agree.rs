//! When two results are the same answer: same columns, same rows in the same order, floats within a hair.

use base::{Cell, Table, Type};

use crate::figures;
use crate::plan::Plan;

/// How far two floats may be apart, relative to the larger; correlations, whose scale is known, by as much in itself.
const TOLERANCE: f64 = 1e-9;

/// Whether two results of a plan agree; if not, the first difference. Integers and decimals compare as exact numbers.
pub fn agree(plan: &Plan, expected: &Table, actual: &Table) -> Result<(), String> {
    let names = |table: &Table| table.columns.iter().map(|column| column.name.clone()).collect::<Vec<_>>();
    if names(expected) != names(actual) {
        return Err(format!("columns are {:?}, expected {:?}", names(actual), names(expected)));
    }
    for (want, have) in expected.columns.iter().zip(&actual.columns) {
        if want.ty != have.ty && !(want.ty.is_number() && have.ty.is_number()) {
            return Err(format!("column `{}` is {}, expected {}", want.name, have.ty.as_str(), want.ty.as_str()));
        }
    }
    if expected.row_count != actual.row_count || expected.rows.len() != actual.rows.len() {
        return Err(format!("{} rows, expected {}", actual.row_count, expected.row_count));
    }
    for (row, (want, have)) in expected.rows.iter().zip(&actual.rows).enumerate() {
        if want.len() != expected.columns.len() || have.len() != want.len() {
            return Err(format!("row {} has {} cells, expected {}", row + 1, have.len(), expected.columns.len()));
        }
        for (index, column) in expected.columns.iter().enumerate() {
            let types = (column.ty, actual.columns[index].ty);
            let (want, have) = (&want[index], &have[index]);
            let nearly = || is_correlation(plan, &column.name) && are_near(want, have);
            if !same(want, have, types) && !nearly() {
                return Err(format!("row {}, column `{}` is {have}, expected {want}", row + 1, column.name));
            }
        }
    }
    Ok(())
}

/// Whether a column holds correlations, or what is left between them: where the parts cancel out, what remains of them is
/// noise, and no share of it says how large it may be.
fn is_correlation(plan: &Plan, name: &str) -> bool {
    let over = plan.over.iter().find(|over| over.name == name).and_then(|over| over.of.as_deref());
    figures::is_correlation(plan, over.unwrap_or(name))
}

fn are_near(want: &Cell, have: &Cell) -> bool {
    matches!((float(want), float(have)), (Some(want), Some(have)) if (want - have).abs() <= TOLERANCE)
}

fn same(want: &Cell, have: &Cell, types: (Type, Type)) -> bool {
    if want.is_null() || have.is_null() || !types.0.is_number() {
        return want == have;
    }
    if types.0 == Type::Float || types.1 == Type::Float {
        return match (float(want), float(have)) {
            (Some(want), Some(have)) => close(want, have),
            _ => false,
        };
    }
    match (exact(want), exact(have)) {
        (Some(want), Some(have)) => want == have,
        _ => want == have,
    }
}

fn close(want: f64, have: f64) -> bool {
    let alike = want == have || (want.is_nan() && have.is_nan());
    alike || (want.is_finite() && have.is_finite() && (want - have).abs() <= TOLERANCE * want.abs().max(have.abs()))
}

/// A number as a float; NaN, infinities and decimals are spelled as strings.
fn float(cell: &Cell) -> Option<f64> {
    match cell {
        Cell::Number(number) => number.as_f64(),
        Cell::String(text) => text.parse().ok(),
        Cell::Null | Cell::Bool(_) | Cell::Array(_) | Cell::Object(_) => None,
    }
}

/// A number by sign, whole digits and fraction digits, without idle zeros.
fn exact(cell: &Cell) -> Option<(bool, String, String)> {
    let text = match cell {
        Cell::Number(number) => number.to_string(),
        Cell::String(text) => text.clone(),
        Cell::Null | Cell::Bool(_) | Cell::Array(_) | Cell::Object(_) => return None,
    };
    let (negative, digits) = text.strip_prefix('-').map_or((false, text.as_str()), |digits| (true, digits));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    if !whole.bytes().chain(fraction.bytes()).all(|byte| byte.is_ascii_digit()) || digits.is_empty() {
        return None;
    }
    let (whole, fraction) = (whole.trim_start_matches('0'), fraction.trim_end_matches('0'));
    let zero = whole.is_empty() && fraction.is_empty();
    Some((negative && !zero, whole.to_string(), fraction.to_string()))
}

#[cfg(test)]
mod tests {
    use base::Column;
    use serde_json::json;

    use super::*;

    fn table(ty: Type, cells: &[Cell]) -> Table {
        let columns = vec![Column { name: "x".to_string(), ty }];
        let rows = cells.iter().map(|cell| vec![cell.clone()]).collect::<Vec<_>>();
        Table { columns, row_count: rows.len() as u64, rows, truncated: false }
    }

    fn check(types: (Type, Type), want: Cell, have: Cell, agrees: bool) {
        let result = agree(
            &Plan::new("d", "t"),
            &table(types.0, std::slice::from_ref(&want)),
            &table(types.1, std::slice::from_ref(&have)),
        );
        assert_eq!(result.is_ok(), agrees, "{want} and {have}: {result:?}");
    }

    #[test]
    fn numbers_compare_by_value_and_floats_within_a_hair() {
        let (int, float, decimal, text) = (Type::Int, Type::Float, Type::Decimal, Type::Text);
        check((float, float), json!(0.1), json!(0.1 + 1e-12), true);
        check((float, float), json!(0.1), json!(0.1001), false);
        check((float, float), json!("NaN"), json!("NaN"), true);
        check((float, float), json!("Infinity"), json!(1e300), false);
        check((float, float), json!(0.0), json!(null), false);
        check((decimal, decimal), json!("1.50"), json!("1.5"), true);
        check((decimal, decimal), json!("-0.00"), json!("0"), true);
        check((decimal, decimal), json!("10000000000000000000.01"), json!("10000000000000000000.02"), false);
        check((int, decimal), json!(12), json!("12.0"), true);
        check((int, int), json!(9007199254740993_i64), json!(9007199254740992_i64), false);
        check((text, text), json!("1.50"), json!("1.5"), false);
        check((text, int), json!("1"), json!(1), false);
    }

    #[test]
    fn what_cancels_out_in_a_correlation_is_noise() {
        let plan = |agg: &str| -> Plan {
            let (x, y) = (json!({"col": "t.x"}), json!({"col": "t.y"}));
            let measure = json!({"as": "x", "agg": agg, "expr": x, "with": y});
            let plan = json!({"v": 1, "dataset": "d", "from": "t", "measures": [measure]});
            serde_json::from_value(plan).expect("a plan")
        };
        let apart = |agg: &str, want: f64, have: f64| {
            agree(&plan(agg), &table(Type::Float, &[json!(want)]), &table(Type::Float, &[json!(have)]))
        };
        assert_eq!(apart("corr", 1e-17, -3e-16), Ok(()));
        assert!(apart("corr", 0.5, 0.5001).is_err());
        assert!(apart("avg", 1e-17, -3e-16).is_err(), "an average may be as small as it is");
        let plan = plan("corr");
        assert!(agree(&plan, &table(Type::Float, &[json!(null)]), &table(Type::Float, &[json!(0.0)])).is_err());
    }

    #[test]
    fn the_first_difference_is_named() {
        let agree = |want: &Table, have: &Table| agree(&Plan::new("d", "t"), want, have);
        let want = table(Type::Int, &[json!(1), json!(2)]);
        let have = table(Type::Int, &[json!(1), json!(3)]);
        assert_eq!(agree(&want, &have), Err("row 2, column `x` is 3, expected 2".to_string()));
        assert_eq!(agree(&want, &table(Type::Int, &[json!(1)])), Err("1 rows, expected 2".to_string()));
        assert_eq!(agree(&want, &table(Type::Text, &[])), Err("column `x` is text, expected int".to_string()));
    }
}
