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
        let shown = self.table.rows.len() as u64;
        let cut = if shown < count {
            format!("; the first {} are given", grouped(&shown.to_string()))
        } else {
            String::new()
        };
        match count {
            1 => format!("1 {noun} matches."),
            _ => format!("{} {} match{cut}.", grouped(&count.to_string()), plural(noun)),
        }
    }

    fn scalar(&self, reading: &str, row: &[Cell], focus: &[String]) -> String {
        let index = focus.first().and_then(|name| self.position(name)).unwrap_or(row.len().saturating_sub(1));
        let Some(cell) = row.get(index).filter(|cell| !cell.is_null()) else {
            return format!("There is no value: no row gives the {reading}.");
        };
        let value = self.value(index, cell);
        let counts_rows = self.plan.compute.is_empty()
            && matches!(self.plan.measures.as_slice(), [Measure { agg: Agg::Count, expr: None, filter: None, .. }]);
        match reading.strip_prefix("count of ") {
            // Of one thing the reading's plural would be wrong.
            Some(what) if counts_rows && value != "1" => format!("There are {value} {what}."),
            _ if self.plan.measures.len() + self.plan.compute.len() > 1 => {
                let name = describe_output(self.plan, self.dataset, &self.table.columns[index].name);
                format!("The {name} is {value}.")
            }
            _ => format!("The {reading} is {value}."),
        }
    }

    /// Who is highest and who is lowest, among groups; equals are named together.
    fn groups(&self, measure: usize) -> String {
        // What is not a number is neither highest nor lowest.
        let figure = |row: &[Cell]| number(&row[measure]).filter(|value| !value.is_nan());
        let numbered: Vec<(f64, &[Cell])> =
            self.table.rows.iter().filter_map(|row| Some((figure(row)?, row.as_slice()))).collect();
        let name = describe_output(self.plan, self.dataset, &self.table.columns[measure].name);
        let count = self.table.rows.len();
        let most = numbered.iter().map(|(value, _)| *value).max_by(f64::total_cmp);
        let least = numbered.iter().map(|(value, _)| *value).min_by(f64::total_cmp);
        let (Some(most), Some(least)) = (most, least) else {
            return format!("{count} {} without a value of {name}.", if count == 1 { "group" } else { "groups" });
        };
        let with = |wanted: f64| -> Vec<&[Cell]> {
            numbered.iter().filter(|(value, _)| *value == wanted).map(|(_, row)| *row).collect()
        };
        let (highest, lowest) = (with(most), with(least));
        let shown = |rows: &[&[Cell]]| self.value(measure, &rows[0][measure]);
        let have = |rows: &[&[Cell]]| if rows.len() == 1 { "has" } else { "have" };
        if let Some(top) = &self.plan.top {
            let (best, extreme) = match top.dir {
                Dir::Desc => (highest, "highest"),
                Dir::Asc => (lowest, "lowest"),
            };
            let listed = if best.len() < count { format!("; {count} are listed") } else { String::new() };
            let who = self.labels(&best);
            return format!("{who} {} the {extreme} {name}, {}{listed}.", have(&best), shown(&best));
        }
        if most == least {
            let all = if count == 1 { self.labels(&highest) } else { format!("All {count} groups") };
            return format!("{all}: {name} {}.", shown(&highest));
        }
        let cut = if self.table.truncated { format!(" of {}", self.table.row_count) } else { String::new() };
        format!(
            "{} {} the highest {name}, {}; {} the lowest, {} ({count}{cut} groups).",
            self.labels(&highest),
            have(&highest),
            shown(&highest),
            self.labels(&lowest),
            shown(&lowest)
        )
    }

    /// Several groups in words, not endlessly.
    fn labels(&self, rows: &[&[Cell]]) -> String {
        const NAMED_MAX: usize = 3;
        let mut names: Vec<String> = rows.iter().take(NAMED_MAX).map(|row| self.label(row)).collect();
        if rows.len() > NAMED_MAX {
            names.truncate(NAMED_MAX - 1);
            names.push(format!("{} others", rows.len() + 1 - NAMED_MAX));
        }
        match names.split_last() {
            Some((last, [])) => last.clone(),
            Some((last, others)) => format!("{} and {last}", others.join(", ")),
            None => String::new(),
        }
    }

    /// A group in words: its key columns.
    fn label(&self, row: &[Cell]) -> String {
        let keys = || self.plan.group.iter().filter_map(|group| Some((group, self.position(&group.name)?)));
        // Where a key stands beside its name, the name says it.
        let named = keys().any(|(_, index)| self.table.columns[index].ty == Type::Text);
        let keys = keys().filter(|(_, index)| !named || self.table.columns[*index].ty != Type::Int);
        let parts: Vec<String> = keys
            .map(|(group, index)| {
                let name = words(&self.table.columns[index].name);
                match (&row[index], group.grain) {
                    (Value::Null, _) => format!("no {name}"),
                    (Value::String(start), Some(grain)) => period(grain, start),
                    (Value::String(text), None) => text.clone(),
                    (Value::Bool(truth), _) => {
                        if *truth {
                            name
                        } else {
                            format!("not {name}")
                        }
                    }
                    (other, _) => format!("{name} {other}"),
                }
            })
            .collect();
        parts.join(", ")
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
                || (compute.op == ComputeOp::Ratio && self.is_part_of_whole(&compute.args));
        }
        self.measure(name).is_some_and(|measure| match (&measure.agg, &measure.expr) {
            (Agg::Avg, Some(Expr::Col { col })) => {
                self.dataset.column(col).is_some_and(|column| column.ty == Type::Bool)
            }
            _ => false,
        })
    }

    /// Whether a ratio compares one measure over fewer rows with the same over more.
    fn is_part_of_whole(&self, args: &[String]) -> bool {
        let [part, whole] = args else { return false };
        match (self.measure(part), self.measure(whole)) {
            (Some(part), Some(whole)) => part.agg == whole.agg && part.expr == whole.expr && part.filter.is_some(),
            _ => false,
        }
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
