//! The chart of a table that no plan explains, such as what a program gave: the types and the shapes of its columns are all
//! there is to go by. They are put as a plan that groups by what names rows and measures the rest, so that such a chart is
//! chosen, laid out and drawn like any other.

use std::collections::HashSet;

use base::{Cell, Column, Hash, Table, Type};

use super::{Chart, Kind, Positions, Wish, choose};
use crate::dataset::Dataset;
use crate::figures::number;
use crate::periods;
use crate::plan::{Agg, Expr, Grain, Group, Measure, Plan, Select};

/// Where a bare table's columns are said to come from.
const TABLE: &str = "result";
/// Fewer days are days, also where each begins a month.
const MONTHS_MIN: usize = 3;

/// The chart that helps to read a table, if one does. `wish` is what the question says about it.
pub fn of_table(table: &Table, wish: Option<Wish>) -> Option<Chart> {
    let (table, grains) = dated(table);
    let bare = Bare { table: &table, grains: &grains };
    let keys = bare.keys();
    let measured: Vec<usize> = bare.numbers().filter(|at| !keys.contains(at)).collect();
    let are_dots = matches!(wish, Some(Wish::Scatter | Wish::Against)) && measured.len() > 1;
    if keys.is_empty() || are_dots {
        return bare.of_rows(wish);
    }
    bare.of_groups(&keys, &measured, wish)
}

struct Bare<'a> {
    table: &'a Table,
    /// How long the periods are that each column holds, where it holds periods.
    grains: &'a [Option<Grain>],
}

impl Bare<'_> {
    fn columns(&self) -> std::ops::Range<usize> {
        0..self.table.columns.len()
    }

    fn name(&self, at: usize) -> &str {
        &self.table.columns[at].name
    }

    fn words(&self, at: usize) -> String {
        self.name(at).replace('_', " ")
    }

    fn numbers(&self) -> impl Iterator<Item = usize> {
        self.columns().filter(|at| {
            let has_some = self.table.rows.iter().any(|row| number(&row[*at]).is_some());
            self.table.columns[*at].ty.is_number() && has_some && !self.is_time(*at)
        })
    }

    fn is_time(&self, at: usize) -> bool {
        periods::grain(&self.group(at), self.table).is_some()
    }

    /// What names the rows: periods and texts; else a first number that only rises, as ages and sizes do.
    fn keys(&self) -> Vec<usize> {
        let names = |at: &usize| {
            let ty = self.table.columns[*at].ty;
            self.is_time(*at) || matches!(ty, Type::Text | Type::Bool | Type::Date | Type::Timestamp | Type::Time)
        };
        let named: Vec<usize> = self.columns().filter(names).collect();
        let rises = |at: &usize| {
            let numbers: Vec<Option<i64>> = self.table.rows.iter().map(|row| row[*at].as_i64()).collect();
            numbers.windows(2).all(|pair| pair[0].zip(pair[1]).is_some_and(|(one, next)| one < next))
        };
        match named.as_slice() {
            [] if self.table.columns.len() == 2 && rises(&0) => vec![0],
            _ => named,
        }
    }

    fn of_rows(&self, wish: Option<Wish>) -> Option<Chart> {
        let selected = self.numbers().map(|at| Select { name: self.name(at).to_string(), expr: self.source(at) });
        let plan = Plan { select: selected.collect(), ..Plan::new(TABLE, TABLE) };
        let mut chart = choose(&plan, &nothing_known(), self.table, &[], wish)?;
        chart.title = match chart.kind {
            Kind::Scatter => format!("{} and {}", chart.measured, chart.along.label),
            _ => chart.along.label.clone(),
        };
        Some(chart)
    }

    fn of_groups(&self, keys: &[usize], measured: &[usize], wish: Option<Wish>) -> Option<Chart> {
        // Rows that are named alike would stand on each other.
        let mut known = HashSet::new();
        let is_new = |row: &Vec<Cell>| known.insert(keys.iter().map(|at| row[*at].to_string()).collect::<Vec<_>>());
        if !self.table.rows.iter().all(is_new) {
            return None;
        }
        let (first, others) = measured.split_first()?;
        let measure = Measure {
            name: self.name(*first).to_string(),
            agg: Agg::Max,
            expr: Some(self.source(*first)),
            with: None,
            q: None,
            filter: None,
        };
        let group = keys.iter().map(|at| self.group(*at)).collect();
        let plan = Plan { group, measures: vec![measure], ..Plan::new(TABLE, TABLE) };
        let mut chart = choose(&plan, &nothing_known(), self.table, &[], wish)?;
        let along = self.columns().find(|at| keys.contains(at) && self.words(*at) == chart.along.label);
        let mut named: Vec<String> = along.iter().map(|at| self.words(*at)).collect();
        named.extend(keys.iter().filter(|at| Some(**at) != along).map(|at| self.words(*at)));
        chart.title = format!("{} by {}", self.words(*first), named.join(" and "));
        if !matches!(chart.along.positions, Positions::Ranges(..)) {
            chart.measured = self.words(*first);
        }
        if !others.is_empty() {
            let others: Vec<String> = others.iter().map(|at| self.words(*at)).collect();
            let also = format!("the table also has {}", others.join(", "));
            chart.note = Some(chart.note.map_or(also.clone(), |note| format!("{note}; {also}")));
        }
        Some(chart)
    }

    fn group(&self, at: usize) -> Group {
        Group { name: self.name(at).to_string(), expr: self.source(at), grain: self.grains[at] }
    }

    fn source(&self, at: usize) -> Expr {
        Expr::Col { col: format!("{TABLE}.{}", self.name(at)) }
    }
}

fn nothing_known() -> Dataset {
    Dataset {
        id: TABLE.to_string(),
        version: Hash::of(TABLE.as_bytes()),
        description: String::new(),
        tables: Vec::new(),
        relations: Vec::new(),
        measures: Vec::new(),
        questions: Vec::new(),
    }
}

/// The table with its periods by their first days, and how long they are, column by column.
fn dated(table: &Table) -> (Table, Vec<Option<Grain>>) {
    let mut table = table.clone();
    let grains = (0..table.columns.len()).map(|at| {
        let (grain, starts) = starts(&table.columns[at], table.rows.iter().map(|row| &row[at]))?;
        table.rows.iter_mut().zip(starts).for_each(|(row, start)| row[at] = Cell::from(start));
        Some(grain)
    });
    let grains = grains.collect();
    (table, grains)
}

fn starts<'a>(column: &Column, cells: impl Iterator<Item = &'a Cell>) -> Option<(Grain, Vec<String>)> {
    if !matches!(column.ty, Type::Text | Type::Date | Type::Timestamp) {
        return None;
    }
    let read: Vec<(Grain, String)> = cells.map(|cell| start(cell.as_str()?)).collect::<Option<_>>()?;
    let grain = read.first()?.0;
    let begins_months = read.len() >= MONTHS_MIN && read.iter().all(|(_, start)| start.ends_with("-01"));
    let grain = match grain {
        Grain::Day if begins_months => Grain::Month,
        Grain::Hour if read.iter().all(|(_, start)| start.ends_with("T00:00:00")) => Grain::Day,
        grain => grain,
    };
    let is_same = read.iter().all(|(one, _)| *one == read[0].0);
    let whole = |(_, start): (Grain, String)| match grain {
        Grain::Hour => start,
        _ => start.chars().take("2026-01-01".len()).collect(),
    };
    is_same.then(|| (grain, read.into_iter().map(whole).collect()))
}

/// A period as programs write it, by its first moment: `2026-03`, `2026Q1`, `2026-03-05`, `2026-03-05 10:00:00`.
fn start(text: &str) -> Option<(Grain, String)> {
    let shape: String = text.chars().map(|letter| if letter.is_ascii_digit() { '#' } else { letter }).collect();
    let year = text.get(..4)?;
    match shape.as_str() {
        "####-##" => Some((Grain::Month, format!("{text}-01"))),
        "####Q#" | "####-Q#" => {
            let quarter: u32 = text.chars().last()?.to_digit(10).filter(|quarter| (1..=4).contains(quarter))?;
            Some((Grain::Quarter, format!("{year}-{:02}-01", quarter * 3 - 2)))
        }
        "####-##-##" => Some((Grain::Day, text.to_string())),
        _ if shape.starts_with("####-##-##T##:##:##") || shape.starts_with("####-##-## ##:##:##") => {
            Some((Grain::Hour, text.chars().take(19).collect::<String>().replace(' ', "T")))
        }
        _ => None,
    }
}
