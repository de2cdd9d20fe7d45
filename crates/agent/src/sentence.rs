//! One sentence with the number. Every figure in it is a cell of the result, rounded for reading; nothing is computed
//! here but which of the cells are the largest and the smallest.

use base::{Cell, Table, Type};
use data::Dataset;
use data::describe::{describe, describe_output};
use data::plan::{Agg, ComputeOp, Dir, Expr, Grain, Measure, Plan};
use serde_json::Value;

/// Says the result of `plan` in one sentence.
pub fn tell(plan: &Plan, dataset: &Dataset, table: &Table, focus: &[String]) -> String {
    let teller = Teller { plan, dataset, table };
    let reading = describe(plan, dataset);
    let Some(first) = table.rows.first() else { return format!("Nothing matches: {reading}.") };
    let values = plan.measures.len() + plan.compute.len();
    if values == 0 {
        return teller.list();
    }
    if plan.group.is_empty() {
        return teller.scalar(&reading, first, focus);
    }
    let asked = |name: &String| focus.contains(name);
    let names: Vec<&String> =
        plan.measures.iter().map(|m| &m.name).chain(plan.compute.iter().map(|c| &c.name)).collect();
    let ranked = plan.top.as_ref().map(|top| &top.by);
    let measure = ranked.or_else(|| names.iter().copied().find(|name| asked(name))).or(names.last().copied());
    match measure.and_then(|name| teller.position(name)) {
        Some(measure) => teller.groups(measure),
        None => teller.list(),
    }
}

struct Teller<'a> {
    plan: &'a Plan,
    dataset: &'a Dataset,
    table: &'a Table,
}

impl Teller<'_> {
    fn position(&self, name: &str) -> Option<usize> {
        self.table.columns.iter().position(|column| column.name == name)
    }

    fn list(&self) -> String {
        let noun = match self.plan.select.as_slice() {
            [only] if self.plan.distinct => match &only.expr {
                Expr::Col { col } => self.dataset.column(col).and_then(|column| column.noun.clone()),
                _ => None,
            },
            _ if self.plan.distinct => None,
            _ => self.dataset.table(&self.plan.from).and_then(|table| table.noun.clone()),
        };
        let noun = noun.as_deref().unwrap_or("row");
        let count = self.table.row_count;
        let cut = if self.table.truncated || count >= u64::from(self.plan.limit) { ", cut at the limit" } else { "" };
        match count {
            1 => format!("1 {noun} matches."),
            _ => format!("{} {} match{cut}.", grouped(&count.to_string()), plural(noun)),
        }
    }

    fn scalar(&self, reading: &str, row: &[Cell], focus: &[String]) -> String {
        let index = focus.first().and_then(|name| self.position(name)).unwrap_or(row.len() - 1);
        let Some(cell) = row.get(index).filter(|cell| !cell.is_null()) else {
            return format!("There is no value: no row gives the {reading}.");
        };
        let value = self.value(index, cell);
        let counts_rows = self.plan.compute.is_empty()
            && matches!(self.plan.measures.as_slice(), [Measure { agg: Agg::Count, expr: None, filter: None, .. }]);
        match reading.strip_prefix("count of ") {
            Some(what) if counts_rows => {
                format!("There {} {value} {what}.", if value == "1" { "is" } else { "are" })
            }
            _ => format!("The {reading} is {value}."),
        }
    }

    /// Who is highest and who is lowest, among groups.
    fn groups(&self, measure: usize) -> String {
        let numbered: Vec<(f64, &Vec<Cell>)> =
            self.table.rows.iter().filter_map(|row| Some((number(&row[measure])?, row))).collect();
        let name = describe_output(self.plan, self.dataset, &self.table.columns[measure].name);
        let count = self.table.rows.len();
        let by = |order: fn(&f64, &f64) -> std::cmp::Ordering| {
            numbered.iter().min_by(|a, b| order(&a.0, &b.0)).map(|(_, row)| *row)
        };
        let (Some(highest), Some(lowest)) = (by(|a, b| b.total_cmp(a)), by(f64::total_cmp)) else {
            return format!("{count} {} without a value of {name}.", if count == 1 { "group" } else { "groups" });
        };
        let shown = |row: &[Cell]| self.value(measure, &row[measure]);
        if let Some(top) = &self.plan.top {
            let (best, extreme) = match top.dir {
                Dir::Desc => (highest, "highest"),
                Dir::Asc => (lowest, "lowest"),
            };
            if count == 1 {
                return format!("{} has the {extreme} {name}: {}.", self.label(best), shown(best));
            }
            let equals = numbered.iter().filter(|(value, _)| Some(*value) == number(&best[measure])).count();
            if equals == count {
                return format!("{count} share the {extreme} {name}: {}.", shown(best));
            }
            return format!("{} has the {extreme} {name}, {}; {count} are listed.", self.label(best), shown(best));
        }
        if count == 1 || number(&highest[measure]) == number(&lowest[measure]) {
            return format!("{}: {name} {}.", self.label(highest), shown(highest));
        }
        let cut = if self.table.truncated { format!(" of {}", self.table.row_count) } else { String::new() };
        format!(
            "{} has the highest {name}, {}; {} the lowest, {} ({count}{cut} groups).",
            self.label(highest),
            shown(highest),
            self.label(lowest),
            shown(lowest)
        )
    }

    /// A group in words: its key columns.
    fn label(&self, row: &[Cell]) -> String {
        if let [group] = self.plan.group.as_slice()
            && let (Some(grain), Some(index)) = (group.grain, self.position(&group.name))
            && let Some(start) = row[index].as_str()
        {
            return period(grain, start);
        }
        let keys: Vec<usize> = self.plan.group.iter().filter_map(|group| self.position(&group.name)).collect();
        // Where a key stands beside its name, the name says it.
        let named = keys.iter().any(|index| self.table.columns[*index].ty == Type::Text);
        let keys = keys.into_iter().filter(|index| !named || self.table.columns[*index].ty != Type::Int);
        let parts: Vec<String> = keys
            .map(|index| match &row[index] {
                Value::Null => format!("no {}", words(&self.table.columns[index].name)),
                Value::String(text) => text.clone(),
                Value::Bool(truth) => {
                    format!("{} {}", if *truth { "" } else { "not" }, words(&self.table.columns[index].name))
                }
                other => format!("{} {other}", words(&self.table.columns[index].name)),
            })
            .collect();
        parts.join(", ").trim().to_string()
    }

    /// One cell of a measure, for reading.
    fn value(&self, index: usize, cell: &Cell) -> String {
        let column = &self.table.columns[index];
        let number = number(cell);
        match number {
            Some(number) if self.is_fraction(&column.name) => format!("{} %", rounded(number * 100.0, 1)),
            Some(number) => {
                let digits = if column.ty == Type::Int { 0 } else { 2 };
                match self.unit(&column.name) {
                    Some(unit) => format!("{} {unit}", rounded(number, digits)),
                    None => rounded(number, digits),
                }
            }
            None => cell.as_str().map_or_else(|| cell.to_string(), str::to_string),
        }
    }

    /// Shares, relative changes and averages of truths are told in percent.
    fn is_fraction(&self, name: &str) -> bool {
        let computed = self.plan.compute.iter().find(|compute| compute.name == name);
        if let Some(compute) = computed {
            return matches!(compute.op, ComputeOp::Share | ComputeOp::ChangePct)
                || (compute.op == ComputeOp::Ratio && compute.args.iter().all(|arg| self.is_count(arg)));
        }
        self.measure(name).is_some_and(|measure| match (&measure.agg, &measure.expr) {
            (Agg::Avg, Some(Expr::Col { col })) => {
                self.dataset.column(col).is_some_and(|column| column.ty == Type::Bool)
            }
            _ => false,
        })
    }

    fn is_count(&self, name: &str) -> bool {
        self.measure(name).is_some_and(|measure| matches!(measure.agg, Agg::Count | Agg::CountDistinct))
    }

    fn measure(&self, name: &str) -> Option<&Measure> {
        self.plan.measures.iter().find(|measure| measure.name == name)
    }

    fn unit(&self, name: &str) -> Option<String> {
        let measure = self.measure(name)?;
        if matches!(measure.agg, Agg::Count | Agg::CountDistinct) {
            return None;
        }
        let declared = self.dataset.measures.iter().find(|d| d.agg == measure.agg && d.expr == measure.expr);
        let of_measure = declared.and_then(|declared| declared.unit.clone());
        let of_column = match &measure.expr {
            Some(Expr::Col { col }) => self.dataset.column(col).and_then(|column| column.unit.clone()),
            _ => None,
        };
        of_measure.or(of_column)
    }
}

/// A period by its first day, as people say it.
fn period(grain: Grain, start: &str) -> String {
    const MONTHS: [&str; 12] = [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ];
    let year = start.get(..4).unwrap_or(start);
    let month: usize = start.get(5..7).and_then(|month| month.parse().ok()).unwrap_or(1);
    match grain {
        Grain::Year => year.to_string(),
        Grain::Quarter => format!("Q{} {year}", (month.max(1) - 1) / 3 + 1),
        Grain::Month => format!("{} {year}", MONTHS.get(month.max(1) - 1).unwrap_or(&start)),
        Grain::Week => format!("the week of {start}"),
        Grain::Day | Grain::Hour => start.replace('T', " "),
    }
}

fn number(cell: &Cell) -> Option<f64> {
    match cell {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.parse().ok(),
        _ => None,
    }
}

fn words(name: &str) -> String {
    name.replace('_', " ")
}

fn plural(noun: &str) -> String {
    match noun {
        _ if noun.ends_with('s') || noun.ends_with('x') || noun.ends_with("ch") => format!("{noun}es"),
        _ if noun.ends_with('y') && !noun.ends_with("ay") && !noun.ends_with("ey") => {
            format!("{}ies", &noun[..noun.len() - 1])
        }
        _ => format!("{noun}s"),
    }
}

/// A number with thousands set apart and at most `digits` decimals.
fn rounded(number: f64, digits: usize) -> String {
    if !number.is_finite() {
        return number.to_string();
    }
    let text = format!("{number:.digits$}");
    match text.split_once('.') {
        Some((whole, rest)) => format!("{}.{rest}", grouped(whole)),
        None => grouped(&text),
    }
}

fn grouped(whole: &str) -> String {
    let (sign, figures) = whole.strip_prefix('-').map_or(("", whole), |figures| ("-", figures));
    let mut out = String::new();
    for (index, figure) in figures.chars().enumerate() {
        if index > 0 && (figures.len() - index) % 3 == 0 {
            out.push(',');
        }
        out.push(figure);
    }
    format!("{sign}{out}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_rounded_for_reading_only() {
        assert_eq!(rounded(1234567.891, 2), "1,234,567.89");
        assert_eq!(rounded(-4018.0, 0), "-4,018");
        assert_eq!(rounded(0.125, 2), "0.12");
        assert_eq!(plural("category"), "categories");
    }

    #[test]
    fn periods_are_said_as_people_say_them() {
        assert_eq!(period(Grain::Month, "2026-05-01"), "May 2026");
        assert_eq!(period(Grain::Quarter, "2026-10-01"), "Q4 2026");
        assert_eq!(period(Grain::Hour, "2026-05-01T13:00:00"), "2026-05-01 13:00:00");
    }
}
