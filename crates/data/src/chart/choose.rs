//! Which chart helps, from the shape of a result.

use std::collections::HashMap;

use base::{Cell, Table, Type};
use serde_json::Value;

use super::{Along, Chart, Kind, Point, Positions, Series};
use crate::dataset::Dataset;
use crate::describe::{describe, describe_output};
use crate::figures::{Form, number, period};
use crate::plan::{Agg, ComputeOp, Group, Plan};

/// Bars beyond are not told apart; the table has them all.
const BARS_MAX: usize = 40;
/// More colours are not told apart.
const SERIES_MAX: usize = 8;
/// Names beyond need bars that lie.
const UPRIGHT_NAMES_MAX: usize = 12;
const UPRIGHT_NAME_LENGTH_MAX: usize = 12;
const HISTOGRAM_ROWS_MIN: usize = 12;
const SCATTER_ROWS_MIN: usize = 4;

/// The chart that helps to read a result, if one does. `wanted` is the kind that the question names.
pub fn choose(plan: &Plan, dataset: &Dataset, table: &Table, focus: &[String], wanted: Option<Kind>) -> Option<Chart> {
    let result = Result { plan, dataset, table };
    if table.rows.len() < 2 {
        return None;
    }
    if plan.group.is_empty() {
        return result.of_rows();
    }
    result.of_groups(result.measured(focus)?, wanted)
}

struct Result<'a> {
    plan: &'a Plan,
    dataset: &'a Dataset,
    table: &'a Table,
}

impl Result<'_> {
    fn position(&self, name: &str) -> Option<usize> {
        self.table.columns.iter().position(|column| column.name == name)
    }

    fn form(&self, column: usize) -> Form {
        Form::of(self.plan, self.dataset, &self.table.columns[column])
    }

    /// The measure that the question is about: what is ranked, else the last one asked for.
    fn measured(&self, focus: &[String]) -> Option<usize> {
        let names = self.plan.measures.iter().map(|m| &m.name).chain(self.plan.compute.iter().map(|c| &c.name));
        let names: Vec<&String> = names.collect();
        let ranked = self.plan.top.as_ref().map(|top| &top.by).filter(|by| names.contains(by));
        let asked = names.iter().rev().find(|name| focus.contains(name)).or(names.last());
        let column = self.position(ranked.or(asked.copied())?)?;
        let numbers = self.table.rows.iter().any(|row| value(&row[column]).is_some());
        (numbers && self.table.columns[column].ty.is_number()).then_some(column)
    }

    fn of_groups(&self, measured: usize, wanted: Option<Kind>) -> Option<Chart> {
        let keys = self.keys();
        let (along, colour) = match keys.as_slice() {
            [one] => (*one, None),
            // Time runs along, whatever comes first in the words.
            [first, second] if self.plan.group[*second].grain.is_some() && self.plan.group[*first].grain.is_none() => {
                (*second, Some(*first))
            }
            [first, second] => (*first, Some(*second)),
            _ => return None,
        };
        let group = &self.plan.group[along];
        let positions = self.positions(along, group)?;
        let kind = self.kind(&positions, colour.is_some(), measured, wanted);
        let (series, left_out) = self.series(along, colour, measured, &positions)?;
        let names = match &positions {
            Positions::Names(names) => names.as_slice(),
            _ => &[],
        };
        let long = names.iter().any(|name| name.chars().count() > UPRIGHT_NAME_LENGTH_MAX);
        let chart = Chart {
            kind,
            horizontal: kind == Kind::Bar && colour.is_none() && (long || names.len() > UPRIGHT_NAMES_MAX),
            title: self.title(),
            along: Along { label: describe_output(self.plan, self.dataset, &group.name), positions },
            form: self.form(measured),
            measured: describe_output(self.plan, self.dataset, &self.table.columns[measured].name),
            series,
            note: self.note(left_out),
        };
        Some(chart)
    }

    /// The groups that are shown: a key beside its name is one thing, which the name stands for.
    fn keys(&self) -> Vec<usize> {
        let ty = |index: &usize| self.position(&self.plan.group[*index].name).map(|at| self.table.columns[at].ty);
        let all: Vec<usize> = (0..self.plan.group.len()).collect();
        let named = all.iter().any(|index| ty(index) == Some(Type::Text));
        let is_key = |index: &usize| named && ty(index) == Some(Type::Int) && self.varies_with_a_name(*index);
        all.iter().copied().filter(|index| !is_key(index)).collect()
    }

    /// Whether some text column has as many different cells as this one: then it names what this one numbers.
    fn varies_with_a_name(&self, index: usize) -> bool {
        let distinct = |column: usize| {
            let cells: std::collections::HashSet<String> =
                self.table.rows.iter().map(|row| row[column].to_string()).collect();
            cells.len()
        };
        let Some(own) = self.position(&self.plan.group[index].name) else { return false };
        let names = self.plan.group.iter().filter_map(|group| self.position(&group.name));
        names.filter(|at| self.table.columns[*at].ty == Type::Text).any(|at| distinct(at) == distinct(own))
    }

    fn positions(&self, along: usize, group: &Group) -> Option<Positions> {
        let column = self.position(&group.name)?;
        if let Some(grain) = group.grain {
            let mut periods: Vec<(f64, String)> = Vec::new();
            for row in &self.table.rows {
                let start = row[column].as_str()?;
                periods.push((seconds(start)?, period(grain, start)));
            }
            periods.sort_by(|left, right| left.0.total_cmp(&right.0));
            periods.dedup();
            return Some(Positions::Times { grain, periods });
        }
        let mut names: Vec<String> = Vec::new();
        for row in &self.table.rows {
            let name = self.name(along, &row[column]);
            if !names.contains(&name) && names.len() < BARS_MAX {
                names.push(name);
            }
        }
        Some(Positions::Names(names))
    }

    fn name(&self, group: usize, cell: &Cell) -> String {
        match cell {
            Value::Null => format!("no {}", self.plan.group[group].name.replace('_', " ")),
            Value::String(text) => match self.plan.group[group].grain {
                Some(grain) => period(grain, text),
                None => text.clone(),
            },
            other => other.to_string(),
        }
    }

    fn kind(&self, positions: &Positions, several: bool, measured: usize, wanted: Option<Kind>) -> Kind {
        let name = &self.table.columns[measured].name;
        let compute = self.plan.compute.iter().find(|compute| compute.name == *name).map(|compute| compute.op);
        let adds_up = compute == Some(ComputeOp::Share)
            || self.plan.measures.iter().any(|m| m.name == *name && matches!(m.agg, Agg::Sum | Agg::Count));
        let positive = self.table.rows.iter().filter_map(|row| value(&row[measured])).all(|number| number >= 0.0);
        let stacks = several && adds_up && positive;
        match (wanted, positions) {
            (Some(Kind::Stacked), _) if stacks => Kind::Stacked,
            (Some(kind @ (Kind::Line | Kind::Area)), Positions::Times { .. }) if !several || kind == Kind::Line => kind,
            (Some(Kind::Bar), _) => Kind::Bar,
            (_, Positions::Times { .. }) if compute == Some(ComputeOp::Cumulative) && !several => Kind::Area,
            (_, Positions::Times { .. }) if self.table.rows.len() > 2 => Kind::Line,
            _ if stacks => Kind::Stacked,
            _ => Kind::Bar,
        }
    }

    fn series(
        &self,
        along: usize,
        colour: Option<usize>,
        measured: usize,
        positions: &Positions,
    ) -> Option<(Vec<Series>, usize)> {
        let column = self.position(&self.plan.group[along].name)?;
        let colour_column = colour.and_then(|colour| self.position(&self.plan.group[colour].name));
        let places: HashMap<&str, usize> = match positions {
            Positions::Names(names) => names.iter().enumerate().map(|(at, name)| (name.as_str(), at)).collect(),
            Positions::Times { periods, .. } => {
                periods.iter().enumerate().map(|(at, (_, name))| (name.as_str(), at)).collect()
            }
            Positions::Numbers(_) | Positions::Ranges(..) => HashMap::new(),
        };
        let mut series: Vec<Series> = Vec::new();
        let mut left_out = 0;
        for row in &self.table.rows {
            let name = colour.zip(colour_column).map(|(group, at)| self.name(group, &row[at]));
            let place = places.get(self.name(along, &row[column]).as_str());
            let known = series.iter().position(|one| one.name == name);
            let (Some(place), true) = (place, known.is_some() || series.len() < SERIES_MAX) else {
                left_out += 1;
                continue;
            };
            let at = known.unwrap_or_else(|| {
                series.push(Series { name, points: Vec::new() });
                series.len() - 1
            });
            if let Some(value) = value(&row[measured]) {
                series[at].points.push(Point { at: *place as f64, value, exact: exact(&row[measured]) });
            }
        }
        for one in &mut series {
            one.points.sort_by(|left, right| left.at.total_cmp(&right.at));
        }
        Some((series, left_out))
    }

    /// Plain rows: two numbers make a cloud of dots, one makes a histogram.
    fn of_rows(&self) -> Option<Chart> {
        let numbers: Vec<usize> = (0..self.table.columns.len())
            .filter(|at| self.table.columns[*at].ty.is_number() && !self.is_key(*at))
            .collect();
        match numbers.as_slice() {
            [only] if self.table.rows.len() >= HISTOGRAM_ROWS_MIN && self.table.columns.len() <= 2 => {
                self.histogram(*only)
            }
            [across, up] if self.table.rows.len() >= SCATTER_ROWS_MIN => Some(self.scatter(*across, *up)),
            _ => None,
        }
    }

    fn is_key(&self, column: usize) -> bool {
        let name = &self.table.columns[column].name;
        let source = self.plan.select.iter().find(|select| select.name == *name).map(|select| &select.expr);
        match source {
            Some(crate::plan::Expr::Col { col }) => {
                let ends = |ending: &&str| col.ends_with(ending);
                ["_id", "_ID", ".id", ".ID", "Id"].iter().any(ends)
                    || self.dataset.column(col).is_some_and(|column| column.unique)
            }
            _ => false,
        }
    }

    fn histogram(&self, column: usize) -> Option<Chart> {
        let numbers: Vec<f64> = self.table.rows.iter().filter_map(|row| value(&row[column])).collect();
        let low = numbers.iter().copied().fold(f64::INFINITY, f64::min);
        let high = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if low >= high {
            return None;
        }
        let bins = ((numbers.len() as f64).sqrt().ceil() as usize).clamp(5, 20);
        let scale = super::scale::Scale::around(low, high, bins);
        let width = scale.ticks[1] - scale.ticks[0];
        let mut counts = vec![0_u64; scale.ticks.len() - 1];
        for number in numbers {
            let bin = ((number - scale.low) / width).floor() as usize;
            counts[bin.min(scale.ticks.len() - 2)] += 1;
        }
        let points = counts.iter().enumerate();
        let points = points.map(|(at, count)| Point { at: at as f64, value: *count as f64, exact: count.to_string() });
        Some(Chart {
            kind: Kind::Histogram,
            horizontal: false,
            title: self.title(),
            along: Along { label: self.words(column), positions: Positions::Ranges(scale.ticks, self.form(column)) },
            form: Form { percent: false, digits: 0, unit: None },
            measured: "rows".to_string(),
            series: vec![Series { name: None, points: points.collect() }],
            note: self.note(0),
        })
    }

    fn scatter(&self, across: usize, up: usize) -> Chart {
        let point = |row: &Vec<Cell>| {
            let exact = format!("{}, {}", exact(&row[across]), exact(&row[up]));
            Some(Point { at: value(&row[across])?, value: value(&row[up])?, exact })
        };
        let points: Vec<Point> = self.table.rows.iter().filter_map(point).collect();
        Chart {
            kind: Kind::Scatter,
            horizontal: false,
            title: self.title(),
            along: Along { label: self.words(across), positions: Positions::Numbers(self.form(across)) },
            form: self.form(up),
            measured: self.words(up),
            series: vec![Series { name: None, points }],
            note: self.note(0),
        }
    }

    /// What is shown; the picture shows its order itself.
    fn title(&self) -> String {
        describe(&Plan { order: Vec::new(), ..self.plan.clone() }, self.dataset)
    }

    fn words(&self, column: usize) -> String {
        describe_output(self.plan, self.dataset, &self.table.columns[column].name)
    }

    fn note(&self, left_out: usize) -> Option<String> {
        let beyond = self.table.row_count as usize - self.table.rows.len().min(self.table.row_count as usize);
        match left_out + beyond {
            0 => None,
            rows => Some(format!("{rows} rows of the result are not drawn")),
        }
    }
}

/// A number that has a place on a chart.
fn value(cell: &Cell) -> Option<f64> {
    number(cell).filter(|number| number.is_finite())
}

fn exact(cell: &Cell) -> String {
    cell.as_str().map_or_else(|| cell.to_string(), str::to_string)
}

/// Seconds since the first day of the year 1, of an ISO date or moment.
fn seconds(text: &str) -> Option<f64> {
    let part = |from: usize, to: usize| text.get(from..to)?.parse::<i64>().ok();
    let (year, month, day) = (part(0, 4)?, part(5, 7)?, part(8, 10)?);
    let clock = match text.get(10..) {
        Some("") | None => 0,
        Some(_) => part(11, 13)? * 3600 + part(14, 16)? * 60 + part(17, 19).unwrap_or(0),
    };
    // Counted from March, a leap day is the last day of its year.
    let (year, month) = if month <= 2 { (year - 1, month + 9) } else { (year, month - 3) };
    let days = year * 365 + year / 4 - year / 100 + year / 400 + (month * 306 + 5) / 10 + day;
    Some((days * 86_400 + clock) as f64)
}

#[cfg(test)]
mod tests {
    use super::seconds;

    #[test]
    fn days_are_counted_over_leap_years() {
        let day = |text: &str| seconds(text).expect("a date") / 86_400.0;
        assert_eq!(day("2024-03-01") - day("2024-02-28"), 2.0);
        assert_eq!(day("2023-03-01") - day("2023-02-28"), 1.0);
        assert_eq!(day("2025-01-01") - day("2024-01-01"), 366.0);
        assert_eq!(day("2000-03-01") - day("1900-03-01"), 36_525.0);
        assert_eq!(day("2025-01-01T12:00:00") - day("2025-01-01"), 0.5);
        assert_eq!(seconds("soon"), None);
    }
}
