//! The chart of a result: which one, what stands on it, and what is said to be left out.

use std::collections::HashMap;

use base::{Cell, Table, Type};
use serde_json::Value;

use super::bins::{self, Counted};
use super::sample;
use super::wish::{Runs, Shape, kind};
use super::{Along, Chart, Kind, Point, Positions, Series, Wish};
use crate::bins::Bins;
use crate::dataset::Dataset;
use crate::describe::{describe, describe_output};
use crate::figures::{Form, grouped, number, period};
use crate::periods;
use crate::plan::{Agg, ComputeOp, Expr, Grain, Group, Plan};

/// Bars beyond are not told apart; the table has them all.
const BARS_MAX: usize = 40;
/// More colours are not told apart.
const SERIES_MAX: usize = 8;
/// Dots beyond are not told apart, and make a file that is slow to open.
const DOTS_MAX: usize = 2_000;
/// Names beyond need bars that lie.
const UPRIGHT_NAMES_MAX: usize = 12;
const UPRIGHT_NAME_LENGTH_MAX: usize = 12;
const HISTOGRAM_ROWS_MIN: usize = 12;
/// So few different numbers have a bar each.
const HISTOGRAM_VALUES_MIN: usize = 13;
const SCATTER_ROWS_MIN: usize = 4;
/// Beyond, differences of numbers are not finite.
const DRAWN_MAX: f64 = 1e300;

/// The chart that helps to read a result, if one does. `wish` is what the question says about it.
pub fn choose(plan: &Plan, dataset: &Dataset, table: &Table, focus: &[String], wish: Option<Wish>) -> Option<Chart> {
    let result = Result { plan, dataset, table };
    // The rows that are given are not a fair part of all, and axes and counts would not be those of all.
    if table.truncated || table.rows.len() < 2 && wish.is_none() {
        return None;
    }
    if plan.group.is_empty() {
        return if plan.measures.is_empty() { result.of_rows(wish) } else { None };
    }
    let in_order = result.in_order_of_bins();
    let result = Result { table: in_order.as_ref().unwrap_or(table), ..result };
    if let Some(dots) = matches!(wish, Some(Wish::Scatter | Wish::Against)).then(|| result.of_measures(wish)).flatten()
    {
        return Some(dots);
    }
    result.of_groups(result.measured(focus)?, wish)
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

    /// The rows from the lowest bin to the highest, where what is ranked is not the first of something.
    fn in_order_of_bins(&self) -> Option<Table> {
        let has_bins = |group: &&Group| Bins::of(&group.expr, self.dataset).is_some();
        let bins = self.plan.group.iter().find(has_bins).filter(|_| self.plan.top.is_none())?;
        let column = self.position(&bins.name)?;
        let mut table = self.table.clone();
        let edge = |row: &[Cell]| number(&row[column]).unwrap_or(f64::INFINITY);
        table.rows.sort_by(|left, right| edge(left).total_cmp(&edge(right)));
        Some(table)
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

    fn of_groups(&self, measured: usize, wish: Option<Wish>) -> Option<Chart> {
        let keys = self.keys();
        let (along, colour) = match keys.as_slice() {
            [one] => (*one, None),
            // Time runs along, whatever comes first in the words.
            [first, second] if self.grain(*second).is_some() && self.grain(*first).is_none() => (*second, Some(*first)),
            [first, second] => (*first, Some(*second)),
            _ => return None,
        };
        let shape = self.shape(along, colour, measured)?;
        let (kind, why) = kind(shape, wish);
        if kind == Kind::Histogram {
            return self.histogram_of_counts(along, measured);
        }
        let mut notes = Notes::default();
        notes.add(why.map(str::to_string));
        let positions = self.positions(along, kind, shape.along, &mut notes)?;
        let series = self.series(along, colour, measured, &positions, &mut notes)?;
        let names = match &positions {
            Positions::Names(names) => names.as_slice(),
            _ => &[],
        };
        let lies = wish == Some(Wish::Lying)
            || names.len() > UPRIGHT_NAMES_MAX
            || names.iter().any(|name| name.chars().count() > UPRIGHT_NAME_LENGTH_MAX);
        let one_bar_each = kind == Kind::Stacked || kind == Kind::Bar && colour.is_none();
        let parts = periods::unfinished(&self.plan.group[along], self.dataset, self.table);
        parts.iter().for_each(|part| notes.add(Some(part.words())));
        let unfinished = match &positions {
            Positions::Times { periods, .. } => {
                let starts: Vec<f64> = parts.iter().filter_map(|part| seconds(&part.start)).collect();
                (0..periods.len()).filter(|at| starts.contains(&periods[*at].0)).collect()
            }
            _ => Vec::new(),
        };
        Some(Chart {
            kind,
            horizontal: one_bar_each && lies && !names.is_empty(),
            title: self.title(),
            along: Along { label: self.words(self.position(&self.plan.group[along].name)?), positions },
            form: self.form(measured),
            measured: self.words(measured),
            series,
            unfinished,
            note: notes.text(),
        })
    }

    fn shape(&self, along: usize, colour: Option<usize>, measured: usize) -> Option<Shape> {
        let column = self.position(&self.plan.group[along].name)?;
        let cells: std::collections::HashSet<String> =
            self.table.rows.iter().map(|row| row[column].to_string()).collect();
        let runs = if self.plan.top.is_some() {
            Runs::Names
        } else if self.grain(along).is_some() {
            Runs::Time
        } else if self.table.columns[column].ty.is_number() && self.form(column).bins.is_none() {
            Runs::Numbers
        } else {
            Runs::Names
        };
        let name = &self.table.columns[measured].name;
        let compute = self.plan.compute.iter().find(|compute| compute.name == *name).map(|compute| compute.op);
        let summed = self.plan.measures.iter().any(|m| m.name == *name && matches!(m.agg, Agg::Sum | Agg::Count));
        let positive = self.table.rows.iter().filter_map(|row| value(&row[measured])).all(|number| number >= 0.0);
        Some(Shape {
            along: runs,
            places: cells.len(),
            several: colour.is_some(),
            adds_up: (summed || compute == Some(ComputeOp::Share)) && positive,
            running: compute == Some(ComputeOp::Cumulative),
        })
    }

    /// The groups that are shown: a key beside its name is one thing, which the name stands for.
    fn keys(&self) -> Vec<usize> {
        let ty = |index: &usize| self.position(&self.plan.group[*index].name).map(|at| self.table.columns[at].ty);
        let all: Vec<usize> = (0..self.plan.group.len()).collect();
        let named = all.iter().any(|index| ty(index) == Some(Type::Text));
        let bins = |index: &usize| Bins::of(&self.plan.group[*index].expr, self.dataset).is_some();
        let is_key =
            |index: &usize| named && ty(index) == Some(Type::Int) && !bins(index) && self.varies_with_a_name(*index);
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

    fn grain(&self, group: usize) -> Option<Grain> {
        periods::grain(&self.plan.group[group], self.table)
    }

    fn positions(&self, along: usize, kind: Kind, runs: Runs, notes: &mut Notes) -> Option<Positions> {
        let column = self.position(&self.plan.group[along].name)?;
        if runs == Runs::Numbers && matches!(kind, Kind::Line | Kind::Area) {
            return Some(Positions::Numbers(self.form(column)));
        }
        if let (Some(grain), Runs::Time) = (self.grain(along), runs) {
            let mut periods: Vec<(f64, String)> = Vec::new();
            let mut undated = 0;
            for row in &self.table.rows {
                match moment(&row[column]) {
                    Some((start, text)) => periods.push((start, period(grain, &text))),
                    None => undated += 1,
                }
            }
            notes.count(undated, "row without a date is not drawn", "rows without a date are not drawn");
            periods.sort_by(|left, right| left.0.total_cmp(&right.0));
            periods.dedup();
            return (!periods.is_empty()).then_some(Positions::Times { grain, periods });
        }
        let mut cells: Vec<&Cell> = Vec::new();
        let mut known = std::collections::HashSet::new();
        for row in &self.table.rows {
            if known.insert(row[column].to_string()) {
                cells.push(&row[column]);
            }
        }
        if cells.len() > BARS_MAX {
            notes.add(Some(format!("the first {BARS_MAX} of {} bars are drawn", grouped(&cells.len().to_string()))));
        }
        Some(Positions::Names(cells.into_iter().take(BARS_MAX).map(|cell| self.name(along, cell)).collect()))
    }

    fn name(&self, group: usize, cell: &Cell) -> String {
        let spoken = self.plan.group[group].name.replace('_', " ");
        match cell {
            Value::Null => format!("no {}", spoken.trim_end_matches(" bin")),
            Value::Bool(true) => spoken,
            Value::Bool(false) => format!("not {spoken}"),
            Value::String(text) => match self.plan.group[group].grain {
                Some(grain) => period(grain, text),
                None if text.is_empty() => "(empty)".to_string(),
                None => text.clone(),
            },
            other => match Bins::of(&self.plan.group[group].expr, self.dataset).zip(number(other)) {
                Some((bins, edge)) => bins.text(edge),
                None => other.to_string(),
            },
        }
    }

    fn series(
        &self,
        along: usize,
        colour: Option<usize>,
        measured: usize,
        positions: &Positions,
        notes: &mut Notes,
    ) -> Option<Vec<Series>> {
        let column = self.position(&self.plan.group[along].name)?;
        let colour_column = colour.and_then(|colour| self.position(&self.plan.group[colour].name));
        let mut places: HashMap<String, usize> = HashMap::new();
        let mut series: Vec<(String, Series)> = Vec::new();
        let (mut missing, mut colours_beyond) = (0, std::collections::HashSet::new());
        for row in &self.table.rows {
            let at = match positions {
                Positions::Numbers(_) => value(&row[column]),
                Positions::Times { periods, .. } => moment(&row[column])
                    .and_then(|(start, _)| periods.binary_search_by(|known| known.0.total_cmp(&start)).ok())
                    .map(|place| place as f64),
                Positions::Names(_) | Positions::Ranges(..) => {
                    let next = places.len();
                    let place = *places.entry(row[column].to_string()).or_insert(next);
                    (place < positions.len()).then_some(place as f64)
                }
            };
            let Some(at) = at else { continue };
            let key = colour_column.map(|at| row[at].to_string()).unwrap_or_default();
            let known = series.iter().position(|(known, _)| *known == key);
            if known.is_none() && series.len() == SERIES_MAX {
                colours_beyond.insert(key);
                continue;
            }
            let index = known.unwrap_or_else(|| {
                let name = colour.zip(colour_column).map(|(group, at)| self.name(group, &row[at]));
                series.push((key, Series { name, points: Vec::new() }));
                series.len() - 1
            });
            match value(&row[measured]) {
                Some(value) => series[index].1.points.push(Point { at, value, exact: exact(&row[measured]) }),
                None => missing += 1,
            }
        }
        if !colours_beyond.is_empty() {
            let all = colours_beyond.len() + SERIES_MAX;
            notes.add(Some(format!("the first {SERIES_MAX} of {all} groups are drawn; the table has all")));
        }
        notes.count(missing, "value is missing", "values are missing");
        let mut series: Vec<Series> = series.into_iter().map(|(_, series)| series).collect();
        for one in &mut series {
            one.points.sort_by(|left, right| left.at.total_cmp(&right.at));
        }
        Some(series)
    }

    /// Plain rows: two numbers make a cloud of dots, one makes a histogram.
    fn of_rows(&self, wish: Option<Wish>) -> Option<Chart> {
        let named = matches!(wish, Some(Wish::Scatter | Wish::Against));
        let numbers: Vec<usize> = (0..self.table.columns.len())
            .filter(|at| self.table.columns[*at].ty.is_number() && !self.is_key(*at, named))
            .collect();
        let rows = self.table.rows.len();
        match numbers.as_slice() {
            [only] if wish == Some(Wish::Histogram) || rows >= HISTOGRAM_ROWS_MIN && self.table.columns.len() <= 2 => {
                self.histogram_of_rows(*only)
            }
            [first, second, ..] if numbers.len() == 2 || wish.is_some_and(|wish| wish != Wish::Any) => {
                let few = rows < SCATTER_ROWS_MIN && wish.is_none();
                (!few).then(|| self.scatter(*first, *second, wish))?
            }
            _ => None,
        }
    }

    /// Two numbers of every group, as dots.
    fn of_measures(&self, wish: Option<Wish>) -> Option<Chart> {
        let names = self.plan.measures.iter().map(|m| &m.name).chain(self.plan.compute.iter().map(|c| &c.name));
        let columns: Vec<usize> =
            names.filter_map(|name| self.position(name)).filter(|at| self.table.columns[*at].ty.is_number()).collect();
        match columns.as_slice() {
            [first, second] => self.scatter(*first, *second, wish),
            _ => None,
        }
    }

    /// What only tells rows apart; two numbers that were `named` to be drawn are what they are.
    fn is_key(&self, column: usize, named: bool) -> bool {
        let name = &self.table.columns[column].name;
        let source = self.plan.select.iter().find(|select| select.name == *name).map(|select| &select.expr);
        match source {
            Some(Expr::Col { col }) => {
                let ends = |ending: &&str| col.ends_with(ending);
                ["_id", "_ID", ".id", ".ID", "Id"].iter().any(ends)
                    || !named && self.dataset.column(col).is_some_and(|column| column.unique && column.ty == Type::Int)
            }
            _ => false,
        }
    }

    fn histogram_of_rows(&self, column: usize) -> Option<Chart> {
        let counted = self.table.rows.iter().map(|row| Some(Counted { value: value(&row[column])?, rows: 1 }));
        self.histogram(column, counted.collect())
    }

    fn histogram_of_counts(&self, along: usize, measured: usize) -> Option<Chart> {
        let column = self.position(&self.plan.group[along].name)?;
        let counted = self.table.rows.iter().map(|row| {
            let rows = row[measured].as_u64()?;
            Some(Counted { value: value(&row[column])?, rows })
        });
        self.histogram(column, counted.collect())
    }

    fn histogram(&self, column: usize, counted: Vec<Option<Counted>>) -> Option<Chart> {
        let mut notes = Notes::default();
        let known: Vec<Counted> = counted.iter().flatten().copied().collect();
        notes.count(counted.len() - known.len(), "value is missing", "values are missing");
        let form = self.form(column);
        let whole = self.table.columns[column].ty == Type::Int;
        let values = bins::distinct(&known);
        let (kind, positions, counts) = if values.len() < HISTOGRAM_VALUES_MIN {
            let names = values.iter().map(|(value, _)| form.bare(*value)).collect();
            (Kind::Bar, Positions::Names(names), values.iter().map(|(_, rows)| *rows).collect())
        } else {
            let (edges, counts) = bins::cut(&known, whole);
            (Kind::Histogram, Positions::Ranges(edges, form), counts)
        };
        let point =
            |(at, count): (usize, &u64)| Point { at: at as f64, value: *count as f64, exact: count.to_string() };
        let points: Vec<Point> = counts.iter().enumerate().map(point).collect();
        (!points.is_empty()).then(|| Chart {
            kind,
            horizontal: false,
            title: self.title(),
            along: Along { label: self.words(column), positions },
            form: Form::of_counts(),
            measured: "number of rows".to_string(),
            series: vec![Series { name: None, points }],
            unfinished: Vec::new(),
            note: notes.text(),
        })
    }

    fn scatter(&self, first: usize, second: usize, wish: Option<Wish>) -> Option<Chart> {
        let (across, up) = if wish == Some(Wish::Against) { (second, first) } else { (first, second) };
        let point = |row: &Vec<Cell>| {
            let exact = format!("{}, {}", exact(&row[across]), exact(&row[up]));
            Some(Point { at: value(&row[across])?, value: value(&row[up])?, exact })
        };
        let mut points: Vec<Point> = self.table.rows.iter().filter_map(point).collect();
        let mut notes = Notes::default();
        let other = |wish| !matches!(wish, Wish::Any | Wish::Scatter | Wish::Against);
        notes.add(wish.filter(|wish| other(*wish)).map(|_| "dots: these are two numbers of each row".to_string()));
        let missing = self.table.rows.len() - points.len();
        notes.count(missing, "row lacks one of the numbers", "rows lack one of the numbers");
        if points.len() > DOTS_MAX {
            let all = grouped(&points.len().to_string());
            points = sample::of(points, DOTS_MAX);
            let drawn = grouped(&points.len().to_string());
            notes.add(Some(format!("{drawn} of {all} dots are drawn, chosen by chance; the axes are those of all")));
        }
        (!points.is_empty()).then(|| Chart {
            kind: Kind::Scatter,
            horizontal: false,
            title: self.title(),
            along: Along { label: self.words(across), positions: Positions::Numbers(self.form(across)) },
            form: self.form(up),
            measured: self.words(up),
            series: vec![Series { name: None, points }],
            unfinished: Vec::new(),
            note: notes.text(),
        })
    }

    /// What is shown; the picture shows its order itself.
    fn title(&self) -> String {
        describe(&Plan { order: Vec::new(), ..self.plan.clone() }, self.dataset)
    }

    fn words(&self, column: usize) -> String {
        describe_output(self.plan, self.dataset, &self.table.columns[column].name).replace('_', " ")
    }
}

/// What a reader must know to read the picture right.
#[derive(Default)]
struct Notes(Vec<String>);

impl Notes {
    fn add(&mut self, note: Option<String>) {
        self.0.extend(note);
    }

    fn count(&mut self, number: usize, one: &str, many: &str) {
        match number {
            0 => {}
            1 => self.0.push(format!("1 {one}")),
            _ => self.0.push(format!("{} {many}", grouped(&number.to_string()))),
        }
    }

    fn text(self) -> Option<String> {
        (!self.0.is_empty()).then(|| self.0.join("; "))
    }
}

/// A number that has a place on a chart.
fn value(cell: &Cell) -> Option<f64> {
    number(cell).filter(|number| number.abs() <= DRAWN_MAX)
}

fn exact(cell: &Cell) -> String {
    cell.as_str().map_or_else(|| cell.to_string(), str::to_string)
}

/// The first moment of a period in seconds, and its text.
fn moment(cell: &Cell) -> Option<(f64, String)> {
    let text = periods::start(cell)?;
    Some((seconds(&text)?, text))
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
