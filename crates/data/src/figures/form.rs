//! The form of one output column: every cell of it is written alike, as its plan and its cells say.

use base::{Cell, Table, Type};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{grouped, number, period, readable, rounded};
use crate::bins::Bins;
use crate::dataset::Dataset;
use crate::plan::{Agg, ComputeOp, Expr, Grain, Measure, Part, Plan};
use crate::profile::words;

/// Decimals of numbers that are not all whole, where these say something.
const DIGITS: usize = 2;
/// The same of percents.
const DIGITS_OF_PERCENT: usize = 1;
/// Of correlations, which lie between -1 and 1.
const DIGITS_OF_CORRELATION: usize = 3;
/// Of the greatest number, before and after the point together; beyond, the least does not decide for the others.
const SIGNIFICANT_MAX: i32 = 6;
/// Calendar years that numbers are taken for.
const CALENDAR: std::ops::RangeInclusive<i64> = 1500..=2200;

/// How the cells of one output column are written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Form {
    /// Shares, relative changes and averages of truths are told in percent.
    pub percent: bool,
    /// Decimals, the same for every cell; a cell that would be nothing with so few has more.
    pub digits: usize,
    /// Such as `hours`.
    pub unit: Option<String>,
    /// Numbers that are names, such as years and ids, have no thousands.
    #[serde(default, alias = "years", skip_serializing_if = "std::ops::Not::not")]
    pub plain: bool,
    /// The length of the periods whose first moments the cells are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub period: Option<Grain>,
    /// Correlations lie between -1 and 1: what is too small for the digits is nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub correlates: bool,
    /// Lower edges of bins are told as the bins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bins: Option<Bins>,
}

impl Form {
    /// The form of an output column of a plan.
    pub fn of(plan: &Plan, dataset: &Dataset, table: &Table, at: usize) -> Form {
        let column = &table.columns[at];
        // What is aggregated over groups is written as the groups' values are; how many groups there are has no unit.
        let name = match plan.over.iter().find(|over| over.name == column.name) {
            Some(over) => over.of.as_deref(),
            None => Some(column.name.as_str()),
        };
        let percent = name.is_some_and(|name| is_fraction(plan, dataset, name));
        let unit = name.and_then(|name| unit(plan, dataset, name)).filter(|_| !percent);
        let plain = unit.is_none() && name.is_some_and(|name| names_something(plan, dataset, name));
        let period = plan.group.iter().find(|group| group.name == column.name).and_then(|group| group.grain);
        let bins = name.and_then(|name| bins(plan, dataset, name));
        let correlates = name.is_some_and(|name| is_correlation(plan, name));
        let digits = if correlates { DIGITS_OF_CORRELATION } else { digits(table, at, percent, unit.as_deref()) };
        Form { percent, digits, unit, plain, period, correlates, bins }
    }

    /// The form of a column of which only its name and its cells are known.
    pub fn bare(table: &Table, at: usize) -> Form {
        let column = &table.columns[at];
        let calendar = || {
            table.rows.iter().all(|row| row.get(at).and_then(Cell::as_i64).is_none_or(|year| CALENDAR.contains(&year)))
        };
        let words = words(&column.name);
        let plain =
            column.ty == Type::Int && (is_name(&column.name) || calendar() && words.iter().any(|word| word == "year"));
        Form { digits: digits(table, at, false, None), plain, ..Form::of_counts() }
    }

    /// The forms of all columns of a table that no plan explains.
    pub fn of_each(table: &Table) -> Vec<Form> {
        (0..table.columns.len()).map(|at| Form::bare(table, at)).collect()
    }

    /// One that counts rows.
    pub fn of_counts() -> Form {
        Form { percent: false, digits: 0, unit: None, plain: false, period: None, correlates: false, bins: None }
    }

    /// One cell with its unit.
    pub fn text(&self, cell: &Cell) -> String {
        let exact = exact(cell);
        match (number(cell), &self.unit) {
            (Some(number), Some(unit)) if number.abs() == 1.0 && self.digits == 0 => {
                format!("{} {}", self.figure(&exact), one_of(unit))
            }
            (Some(_), Some(unit)) => format!("{} {unit}", self.figure(&exact)),
            _ => self.cell(cell),
        }
    }

    /// One cell as a table shows it: the unit stands elsewhere.
    pub fn cell(&self, cell: &Cell) -> String {
        let exact = exact(cell);
        match (cell.as_str(), self.period) {
            (Some(start), Some(grain)) => period(grain, start),
            _ if number(cell).is_some() => self.figure(&exact),
            _ => exact,
        }
    }

    /// A number as the table spells it, for reading. Whole numbers keep every digit, however many.
    pub fn figure(&self, exact: &str) -> String {
        if let (Some(bins), Ok(edge)) = (&self.bins, exact.parse()) {
            return bins.text(edge);
        }
        let digits = exact.strip_prefix('-').unwrap_or(exact);
        if !self.percent && self.digits == 0 && digits.chars().all(|letter| letter.is_ascii_digit()) {
            return if self.plain { exact.to_string() } else { grouped(exact) };
        }
        exact.parse().map_or_else(|_| exact.to_string(), |number| self.number(number))
    }

    /// One number without its unit.
    pub fn number(&self, number: f64) -> String {
        match self {
            Form { bins: Some(bins), .. } => bins.text(number),
            Form { correlates: true, digits, .. } => {
                let told = rounded(number, *digits);
                if told.trim_matches(['-', '0', '.']).is_empty() { rounded(0.0, *digits) } else { told }
            }
            Form { percent: true, digits, .. } => format!("{} %", readable(number * 100.0, *digits)),
            Form { plain: true, digits, .. } => format!("{number:.digits$}"),
            Form { digits, .. } => readable(number, *digits),
        }
    }
}

/// A cell as the table has it.
pub fn exact(cell: &Cell) -> String {
    cell.as_str().map_or_else(|| cell.to_string(), str::to_string)
}

/// As many decimals as the cells of a column need, and the same for all of them: none where all are whole.
fn digits(table: &Table, at: usize, percent: bool, unit: Option<&str>) -> usize {
    if table.columns[at].ty == Type::Int && !percent {
        return 0;
    }
    let hundredfold = if percent { 100.0 } else { 1.0 };
    let numbers = table.rows.iter().filter_map(|row| number(row.get(at)?)).map(|number| number.abs() * hundredfold);
    let numbers: Vec<f64> = numbers.filter(|number| number.is_finite()).collect();
    let had = numbers.iter().map(|number| decimals(*number)).max().unwrap_or(0);
    if had == 0 {
        return 0;
    }
    let usual = if percent { DIGITS_OF_PERCENT } else { DIGITS };
    // The least one says something with two digits.
    let least = numbers.iter().copied().filter(|number| *number > 0.0).fold(1.0, f64::min);
    let telling = if least < 1.0 { (-least.log10()).ceil() as usize + 1 } else { 0 };
    let greatest = numbers.iter().copied().fold(0.0, f64::max);
    let room = (SIGNIFICANT_MAX - 1 - greatest.log10().floor() as i32).max(0) as usize;
    let wanted = if percent { usual } else { usual.max(telling.min(room)) };
    if unit.is_some_and(is_money) { wanted.max(DIGITS) } else { wanted.min(had) }
}

/// How many decimals a number has, as far as they are more than the noise of arithmetic.
fn decimals(number: f64) -> usize {
    let text = format!("{number:.9}");
    text.trim_end_matches('0').split_once('.').map_or(0, |(_, decimals)| decimals.len())
}

/// Whether a unit is a currency, whose hundredths people expect: `USD`, `thousand USD`.
fn is_money(unit: &str) -> bool {
    let last = unit.rsplit(' ').next().unwrap_or(unit);
    last.len() == 3 && last.chars().all(|letter| letter.is_ascii_uppercase())
}

/// Whether the numbers of an output column are names and no amounts: ids, codes, calendar years.
fn names_something(plan: &Plan, dataset: &Dataset, name: &str) -> bool {
    let expr = match measure(plan, name) {
        Some(Measure { agg: Agg::Min | Agg::Max, expr, .. }) => expr.as_ref(),
        Some(_) => None,
        None => {
            let groups = plan.group.iter().map(|group| (&group.name, &group.expr));
            let mut shown = groups.chain(plan.select.iter().map(|select| (&select.name, &select.expr)));
            shown.find(|(known, _)| *known == name).map(|(_, expr)| expr)
        }
    };
    match expr {
        Some(expr) if is_year(expr, dataset) => true,
        Some(Expr::Col { col }) => is_name_column(dataset, col),
        _ => false,
    }
}

/// Whether the values of a row are calendar years for all that the data shows.
pub(crate) fn is_year(expr: &Expr, dataset: &Dataset) -> bool {
    let within = |cell: &Option<Cell>| cell.as_ref().and_then(Cell::as_i64).is_some_and(|n| CALENDAR.contains(&n));
    match expr {
        Expr::Part { part, .. } => *part == Part::Year,
        Expr::Col { col } => dataset
            .column(col)
            .is_some_and(|column| column.ty == Type::Int && within(&column.min) && within(&column.max)),
        _ => false,
    }
}

/// Whether an output column holds correlations, or the difference between two.
pub(crate) fn is_correlation(plan: &Plan, name: &str) -> bool {
    let correlates = |name: &str| measure(plan, name).is_some_and(|measure| measure.agg == Agg::Corr);
    let between = plan.compute.iter().find(|made| made.name == name);
    match between.filter(|made| matches!(made.op, ComputeOp::Diff | ComputeOp::Change | ComputeOp::Cumulative)) {
        Some(made) => made.args.iter().all(|arg| correlates(arg)),
        None => correlates(name),
    }
}

/// The bins that an output column holds the lower edges of.
fn bins(plan: &Plan, dataset: &Dataset, name: &str) -> Option<Bins> {
    let groups = plan.group.iter().map(|group| (&group.name, &group.expr));
    let mut shown = groups.chain(plan.select.iter().map(|select| (&select.name, &select.expr)));
    shown.find(|(known, _)| *known == name).and_then(|(_, expr)| Bins::of(expr, dataset))
}

fn is_name_column(dataset: &Dataset, qualified: &str) -> bool {
    let (Some(column), Some((table, name))) = (dataset.column(qualified), qualified.split_once('.')) else {
        return false;
    };
    let links = |link: &crate::dataset::Relation| {
        link.from_table == table && link.from_column == name || link.to_table == table && link.to_column == name
    };
    column.ty == Type::Int && (is_name(name) || dataset.relations.iter().any(links))
}

/// Whether a column's own name says that its numbers only tell things apart.
fn is_name(column: &str) -> bool {
    let words = words(column);
    let last = words.last().map_or("", String::as_str);
    matches!(last, "id" | "ids" | "key" | "code" | "zip" | "zipcode" | "postcode" | "phone" | "isbn")
        || words.len() > 1 && matches!(last, "no" | "nr" | "number")
}

/// A unit after one: `1 hour`.
fn one_of(unit: &str) -> &str {
    let counted =
        ["years", "months", "weeks", "days", "hours", "minutes", "seconds", "units", "items", "pieces", "points"];
    if counted.contains(&unit) { unit.trim_end_matches('s') } else { unit }
}

fn measure<'a>(plan: &'a Plan, name: &str) -> Option<&'a Measure> {
    plan.measures.iter().find(|measure| measure.name == name)
}

fn is_fraction(plan: &Plan, dataset: &Dataset, name: &str) -> bool {
    if let Some(compute) = plan.compute.iter().find(|compute| compute.name == name) {
        return matches!(compute.op, ComputeOp::Share | ComputeOp::ChangePct)
            || (compute.op == ComputeOp::Ratio && is_part_of_whole(plan, &compute.args));
    }
    measure(plan, name).is_some_and(|measure| match (&measure.agg, &measure.expr) {
        (Agg::Avg, Some(Expr::Col { col })) => dataset.column(col).is_some_and(|column| column.ty == Type::Bool),
        _ => false,
    })
}

/// Whether a ratio compares one measure over fewer rows with the same over more.
fn is_part_of_whole(plan: &Plan, args: &[String]) -> bool {
    let [part, whole] = args else { return false };
    match (measure(plan, part), measure(plan, whole)) {
        (Some(part), Some(whole)) => part.agg == whole.agg && part.expr == whole.expr && part.filter.is_some(),
        _ => false,
    }
}

fn unit(plan: &Plan, dataset: &Dataset, name: &str) -> Option<String> {
    let same = [ComputeOp::Cumulative, ComputeOp::Change, ComputeOp::Diff];
    if let Some(compute) = plan.compute.iter().find(|compute| compute.name == name && same.contains(&compute.op)) {
        return compute.args.first().filter(|arg| *arg != name).and_then(|arg| unit(plan, dataset, arg));
    }
    if let Some(select) = plan.select.iter().find(|select| select.name == name) {
        return column_unit(dataset, &select.expr);
    }
    let measure = measure(plan, name)?;
    if matches!(measure.agg, Agg::Count | Agg::CountDistinct | Agg::Corr) {
        return None;
    }
    let declared = dataset.measures.iter().find(|d| d.agg == measure.agg && d.expr == measure.expr);
    let of_measure = declared.and_then(|declared| declared.unit.clone());
    of_measure.or_else(|| measure.expr.as_ref().and_then(|expr| column_unit(dataset, expr)))
}

fn column_unit(dataset: &Dataset, expr: &Expr) -> Option<String> {
    match expr {
        Expr::Col { col } => dataset.column(col).and_then(|column| column.unit.clone()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use base::Column;
    use serde_json::json;

    use super::*;

    fn written(name: &str, ty: Type, cells: &[Cell]) -> Vec<String> {
        let columns = vec![Column { name: name.into(), ty }];
        let rows: Vec<Vec<Cell>> = cells.iter().map(|cell| vec![cell.clone()]).collect();
        let table = Table { columns, row_count: rows.len() as u64, rows, truncated: false };
        let form = Form::bare(&table, 0);
        table.rows.iter().map(|row| form.cell(&row[0])).collect()
    }

    #[test]
    fn a_column_has_one_number_of_decimals() {
        let floats = |cells: &[f64]| written("mean", Type::Float, &cells.iter().map(|n| json!(n)).collect::<Vec<_>>());
        assert_eq!(floats(&[240.0, 56.75, 55.0]), ["240.00", "56.75", "55.00"]);
        assert_eq!(floats(&[72.5, 80.0, 1204.1]), ["72.5", "80.0", "1,204.1"]);
        assert_eq!(floats(&[1200.0, 3.0]), ["1,200", "3"]);
        assert_eq!(floats(&[1.0 / 3.0, 0.05]), ["0.333", "0.050"]);
        assert_eq!(floats(&[0.1 + 0.2, 1.0]), ["0.3", "1.0"]);
        assert_eq!(floats(&[1200.25, 0.000_000_2]), ["1,200.25", "2e-7"]);
        assert_eq!(written("total", Type::Decimal, &[json!("1200.50"), json!("7")]), ["1,200.5", "7.0"]);
    }

    #[test]
    fn correlations_have_three_decimals() {
        let correlation = Form { correlates: true, digits: DIGITS_OF_CORRELATION, ..Form::of_counts() };
        let told = ["0.29876", "-0.9996", "-0.0000000000000001", "1"].map(|exact| correlation.figure(exact));
        assert_eq!(told, ["0.299", "-1.000", "0.000", "1.000"]);
    }

    #[test]
    fn numbers_that_are_names_have_no_thousands() {
        let ints =
            |name: &str, cells: &[i64]| written(name, Type::Int, &cells.iter().map(|n| json!(n)).collect::<Vec<_>>());
        assert_eq!(ints("orders", &[12_345]), ["12,345"]);
        assert_eq!(ints("customer_id", &[12_345]), ["12345"]);
        assert_eq!(ints("year", &[1999, 2024]), ["1999", "2024"]);
        assert_eq!(ints("years_of_debt", &[19_990]), ["19,990"]);
        assert_eq!(ints("number", &[12_345]), ["12,345"]);
    }
}
