//! `charts FOLDER`: reads nvBench's questions and targets and prints how often our kind of chart is the target's.
//!
//! Only what the target computes is taken from it (what runs along, whether there are colours, how it is aggregated); the
//! kind comes from the question's words and that shape alone.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Context, ensure};
use data::chart::{Kind, Runs, Shape, Wish, kind};
use serde_json::Value;

/// Targets do not say how many places there are; as many as a year has months is usual.
const PLACES: usize = 12;

fn main() -> anyhow::Result<()> {
    let folder = PathBuf::from(std::env::args().nth(1).context("usage: charts FOLDER")?);
    let types: Value = serde_json::from_str(&std::fs::read_to_string(folder.join("db_tables_columns_types.json"))?)?;
    let rows = records(&std::fs::read_to_string(folder.join("dev.csv"))?);
    let (header, rows) = rows.split_first().context("dev.csv is empty")?;
    let column =
        |name: &str| header.iter().position(|known| known == name).with_context(|| format!("no column {name}"));
    let [database, chart, question, target] =
        [column("db_id")?, column("chart")?, column("question")?, column("vega_zero")?];
    let mut hits: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for row in rows {
        ensure!(row.len() == header.len(), "a row of {} fields: {row:?}", row.len());
        let ours = chosen(&types[row[database].as_str()], &row[target], planner::chart_wish(&row[question]));
        let hit = ours.as_str() == drawn_as(&row[chart]);
        let (right, all) = hits.entry(&row[chart]).or_default();
        (*right, *all) = (*right + usize::from(hit), *all + 1);
    }
    let (right, all) = hits.values().fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    for (name, (right, all)) in &hits {
        println!("{name:<18} {right:>5} of {all:>5}");
    }
    println!("{:<18} {right:>5} of {all:>5}  {:.1} %", "all", 100.0 * right as f64 / all.max(1) as f64);
    println!("a pie counts as met by bars, which are drawn instead and said to be");
    Ok(())
}

/// What we call the target's chart.
fn drawn_as(chart: &str) -> &'static str {
    match chart {
        "Line" | "Grouping Line" => "line",
        "Scatter" | "Grouping Scatter" => "scatter",
        "Stacked Bar" => "stacked",
        _ => "bar",
    }
}

fn chosen(tables: &Value, target: &str, wish: Option<Wish>) -> Kind {
    let words: Vec<&str> = target.split_whitespace().collect();
    let after = |word: &str| words.iter().position(|known| *known == word).and_then(|at| words.get(at + 1)).copied();
    let ty = |column: &str| {
        let tables = || tables.as_object().into_iter().flatten();
        let own = tables().filter(|(name, _)| Some(name.as_str()) == after("data"));
        own.chain(tables()).find_map(|(_, columns)| columns[column].as_str()).unwrap_or_default()
    };
    let aggregate = after("aggregate").unwrap_or("none");
    let measured = words.iter().position(|word| *word == "aggregate").and_then(|at| words.get(at + 2)).copied();
    let across = ty(after("x").unwrap_or_default());
    let binned = words.windows(2).position(|pair| pair == ["bin", "x"]).and_then(|at| words.get(at + 3)).copied();
    if aggregate == "none" && binned.is_none() && across == "numeric" && measured.is_some_and(|up| ty(up) == "numeric")
    {
        return Kind::Scatter;
    }
    let along = match (binned, across) {
        (Some("weekday"), _) => Runs::Names,
        (Some(_), _) | (None, "temporal") => Runs::Time,
        (None, "numeric") => Runs::Numbers,
        _ => Runs::Names,
    };
    let adds_up = matches!(aggregate, "count" | "sum");
    let several = words.contains(&"color");
    kind(Shape { along, places: PLACES, several, adds_up, running: false }, wish).0
}

/// Comma-separated fields, quoted where they hold commas or quotes.
fn records(text: &str) -> Vec<Vec<String>> {
    let mut records = vec![vec![String::new()]];
    let (mut quoted, mut letters) = (false, text.chars().peekable());
    while let Some(letter) = letters.next() {
        let record = records.last_mut().expect("there is a first record");
        let field = record.last_mut().expect("there is a first field");
        match letter {
            '"' if quoted && letters.next_if_eq(&'"').is_some() => field.push('"'),
            '"' => quoted = !quoted,
            ',' if !quoted => record.push(String::new()),
            '\n' if !quoted => records.push(vec![String::new()]),
            '\r' if !quoted => {}
            letter => field.push(letter),
        }
    }
    records.retain(|record| record.len() > 1);
    records
}
