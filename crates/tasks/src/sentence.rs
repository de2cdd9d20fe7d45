//! One sentence with the number. Every figure in it is a cell of the result, rounded for reading; nothing is computed
//! here but which of the cells are the largest and the smallest.

use base::{Cell, Table, Type};
use data::Dataset;
use data::bins::Bins;
use data::dataset::ColumnInfo;
use data::describe::{describe, describe_output};
use data::figures::{Form, grouped, number, period};
use data::periods;
use data::plan::{Agg, ComputeOp, Dir, Expr, Grain, Group, Measure, Over, OverAgg, Plan};
use serde_json::Value;

/// Says the result of `plan` in one sentence. `table` has all rows, or it says that it has not; the first `listed` of them
/// are shown beside the sentence.
pub fn tell(plan: &Plan, dataset: &Dataset, table: &Table, listed: usize, focus: &[String]) -> String {
    let teller = Teller { plan, dataset, table, listed };
    let reading = describe(plan, dataset);
    let Some(first) = table.rows.first() else { return format!("Nothing matches: {reading}.") };
    if !plan.over.is_empty() {
        return teller.scalar(&reading, first, focus);
    }
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
        Some(measure) => teller.trend(measure).unwrap_or_else(|| teller.named_groups(measure)),
        None => teller.list(),
    }
}

struct Teller<'a> {
    plan: &'a Plan,
    dataset: &'a Dataset,
    table: &'a Table,
    listed: usize,
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
        let shown = self.listed as u64;
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
        let asked: Vec<usize> = focus.iter().filter_map(|name| self.position(name)).collect();
        if asked.len() > 1 {
            return self.several(row, &asked);
        }
        let index = focus.first().and_then(|name| self.position(name)).unwrap_or(row.len().saturating_sub(1));
        let Some(cell) = row.get(index).filter(|cell| !cell.is_null()) else {
            return format!("There is no value: no row gives the {reading}.");
        };
        let value = self.value(index, cell);
        match self.counted(reading) {
            Some(what) if value == "1" && self.in_singular(what).is_some() => {
                format!("There is 1 {}.", self.in_singular(what).unwrap_or_default())
            }
            // Of one thing the reading's plural would be wrong.
            Some(what) if value != "1" => format!("There are {value} {what}."),
            _ if self.plan.over.is_empty() && self.plan.measures.len() + self.plan.compute.len() > 1 => {
                let name = describe_output(self.plan, self.dataset, &self.table.columns[index].name);
                format!("The {name} is {value}.")
            }
            _ => format!("The {reading} is {value}."),
        }
    }

    /// "orders of May" as "order of May", where the rows have a noun.
    fn in_singular(&self, what: &str) -> Option<String> {
        let noun = self.dataset.table(&self.plan.from)?.noun.as_deref()?;
        what.strip_prefix(&plural(noun)).map(|rest| format!("{noun}{rest}"))
    }

    /// Several numbers of one row.
    fn several(&self, row: &[Cell], asked: &[usize]) -> String {
        let told = |index: &usize| {
            let name = describe_output(self.plan, self.dataset, &self.table.columns[*index].name);
            match &row[*index] {
                Value::Null => format!("the {name} has no value"),
                cell => format!("the {name} is {}", self.value(*index, cell)),
            }
        };
        let parts: Vec<String> = asked.iter().map(told).collect();
        let text = joined(&parts);
        format!("T{}.", text.get(1..).unwrap_or_default())
    }

    /// A number along time: where it began, where it ended, and its highest. Only of one value for each period.
    fn trend(&self, measure: usize) -> Option<String> {
        let [group] = &self.plan.group[..] else { return None };
        let (grain, column) = (periods::grain(group, self.table)?, self.position(&group.name)?);
        let name = &self.table.columns[measure].name;
        let mut told: Vec<(String, f64, &Cell)> = Vec::new();
        for row in &self.table.rows {
            let value = number(&row[measure]).filter(|value| !value.is_nan());
            if let (Some(start), Some(value)) = (periods::start(&row[column]), value) {
                told.push((start, value, &row[measure]));
            }
        }
        told.sort_by(|left, right| left.0.cmp(&right.0));
        let changes = |op: ComputeOp| matches!(op, ComputeOp::Change | ComputeOp::ChangePct);
        let is_change = self.plan.compute.iter().any(|c| c.name == *name && changes(c.op));
        // What is not whole is no rise and no fall, and neither is what it is compared with.
        let parts = periods::unfinished(group, self.dataset, self.table);
        for part in &parts {
            if is_change && !part.is_last() {
                told.drain(..told.len().min(1));
            }
            told.retain(|(start, ..)| *start != part.start);
        }
        let (first, last) = (told.first()?, told.last()?);
        let highest = told.iter().max_by(|left, right| left.1.total_cmp(&right.1))?;
        if told.len() < TREND_PERIODS_MIN || self.table.truncated || self.plan.top.is_some() {
            return None;
        }
        let said = |(start, _, cell): &(String, f64, &Cell)| {
            format!("{} in {}", self.value(measure, cell), period(grain, start))
        };
        let name = describe_output(self.plan, self.dataset, name);
        if is_change {
            // A change tells of itself; that it rose from one change to another says nothing.
            let lowest = told.iter().min_by(|left, right| left.1.total_cmp(&right.1))?;
            let (least, most, last) = (said(lowest), said(highest), said(last));
            let count = format!("{} changes", told.len());
            return Some(format!(
                "The {name} ranged from {least} to {most}; the last was {last} ({count}){}.",
                self.parts()
            ));
        }
        let way = match first.1.total_cmp(&last.1) {
            std::cmp::Ordering::Less => "rose",
            std::cmp::Ordering::Greater => "fell",
            std::cmp::Ordering::Equal => "went",
        };
        let whole = if parts.is_empty() { "" } else { "whole " };
        let count = format!("{} {whole}{}", told.len(), many(grain));
        let peak = if highest.1 == last.1 {
            format!(", its highest ({count})")
        } else if highest.1 == first.1 {
            format!("; the first was the highest ({count})")
        } else {
            format!("; the highest was {} ({count})", said(highest))
        };
        Some(format!("The {name} {way} from {} to {}{peak}{}.", said(first), said(last), self.parts()))
    }

    /// What is to be known of periods that the data covers only in part, behind a sentence without its period.
    fn parts(&self) -> String {
        let parts = self.plan.group.iter().flat_map(|group| periods::unfinished(group, self.dataset, self.table));
        parts.map(|part| format!("; {}", part.words())).collect()
    }

    /// Groups with a name are compared; what has none is told behind them: nobody who asks for the highest wants to hear
    /// that it is nothing.
    fn named_groups(&self, measure: usize) -> String {
        let (named, unnamed): (Vec<_>, Vec<_>) = self.table.rows.iter().cloned().partition(|row| self.has_name(row));
        let told = if named.is_empty() {
            self.groups(measure)
        } else {
            let table = Table { rows: named, ..self.table.clone() };
            Teller { table: &table, ..*self }.groups(measure)
        };
        let aside = unnamed.iter().filter(|row| !row[measure].is_null() && unnamed.len() < self.table.rows.len());
        let aside: String =
            aside.map(|row| format!("; {}: {}", self.label(row), self.value(measure, &row[measure]))).collect();
        format!("{}{aside}{}.", told.trim_end_matches('.'), self.parts())
    }

    /// Whether the one column of names that rows are grouped by names this one.
    fn has_name(&self, row: &[Cell]) -> bool {
        let [Group { name, expr, .. }] = &self.plan.group[..] else { return true };
        let Expr::Col { col } = expr else {
            let unknown = || self.position(name).is_some_and(|at| row[at].is_null());
            return Bins::of(expr, self.dataset).is_none() || !unknown();
        };
        let stand_ins = self.dataset.column(col).map(ColumnInfo::stand_ins).unwrap_or_default();
        let Some(cell) = self.position(name).map(|at| &row[at]) else { return true };
        !cell.is_null() && !cell.as_str().is_some_and(|text| stand_ins.contains(&text))
    }

    /// What a plan counts that does nothing else, as its reading says it.
    fn counted<'r>(&self, reading: &'r str) -> Option<&'r str> {
        match (self.plan.over.as_slice(), self.plan.measures.as_slice()) {
            ([Over { agg: OverAgg::Count, .. }], _) => reading.strip_prefix("number of "),
            ([], [Measure { agg: Agg::Count, expr: None, filter: None, .. }]) if self.plan.compute.is_empty() => {
                reading.strip_prefix("count of ")
            }
            _ => None,
        }
    }

    /// Who is highest and who is lowest, among groups; equals are named together.
    fn groups(&self, measure: usize) -> String {
        // What is not a number is neither highest nor lowest.
        let figure = |row: &[Cell]| number(&row[measure]).filter(|value| !value.is_nan());
        if self.table.truncated {
            let (count, listed) = (self.table.row_count.to_string(), self.listed.to_string());
            return format!("{} groups; the first {} are given.", grouped(&count), grouped(&listed));
        }
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
        if let ([one], [other], 2) = (&highest[..], &lowest[..], count) {
            let (one, other) = (std::slice::from_ref(one), std::slice::from_ref(other));
            return format!(
                "{} has the higher {name}, {}; {} has {}.",
                self.labels(one),
                shown(one),
                self.labels(other),
                shown(other)
            );
        }
        let count = grouped(&count.to_string());
        format!(
            "{} {} the highest {name}, {}; {} the lowest, {} ({count} groups).",
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
        joined(&names)
    }

    /// A group in words: its key columns.
    fn label(&self, row: &[Cell]) -> String {
        let keys = || self.plan.group.iter().filter_map(|group| Some((group, self.position(&group.name)?)));
        // Where a key stands beside its name, the name says it.
        let named = keys().any(|(_, index)| self.table.columns[index].ty == Type::Text);
        let is_key = |group: &Group, index: usize| {
            self.table.columns[index].ty == Type::Int && Bins::of(&group.expr, self.dataset).is_none()
        };
        let keys = keys().filter(|(group, index)| !named || !is_key(group, *index));
        let parts: Vec<String> = keys
            .map(|(group, index)| {
                let name = words(&self.table.columns[index].name);
                let bins = Bins::of(&group.expr, self.dataset);
                let name = if bins.is_some() { name.trim_end_matches(" bin").to_string() } else { name };
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
                    (other, _) => match bins.zip(number(other)) {
                        Some((bins, edge)) => bins.label(&name, edge),
                        None => format!("{name} {other}"),
                    },
                }
            })
            .collect();
        parts.join(", ")
    }

    /// One cell of a measure, for reading.
    fn value(&self, index: usize, cell: &Cell) -> String {
        Form::of(self.plan, self.dataset, &self.table.columns[index]).text(cell)
    }
}

/// Fewer periods are compared, not followed.
const TREND_PERIODS_MIN: usize = 3;

fn many(grain: Grain) -> &'static str {
    match grain {
        Grain::Year => "years",
        Grain::Quarter => "quarters",
        Grain::Month => "months",
        Grain::Week => "weeks",
        Grain::Day => "days",
        Grain::Hour => "hours",
    }
}

/// `a, b and c`.
fn joined(parts: &[String]) -> String {
    match parts.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nouns_have_plurals() {
        assert_eq!(plural("category"), "categories");
        assert_eq!(plural("day"), "days");
        assert_eq!(plural("box"), "boxes");
    }
}
