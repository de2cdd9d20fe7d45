//! Answers about the data itself: the first rows of a table as they stand in it, and the columns with what was measured of
//! them when they were read. No plan says either, so nothing is computed a second time, and the answer says so.

use base::{Cell, Column, Problem, Table, Type};
use data::Dataset;
use data::dataset::{ColumnInfo, TableInfo};
use data::figures::grouped;
use flow::Run;
use planner::About;
use serde_json::json;
use tokio::sync::Mutex;
use warehouse::Prepared;

use crate::answer::{Answer, AnswerStatus, Known};
use crate::ask::unfinished;
use crate::query::{Kernel, Queried, UNLESS_LOST};

/// Frequent values that are named of a column.
const VALUES_MAX: usize = 3;

/// Answers what is asked of the data itself.
pub async fn answer(
    run: &mut Run,
    kernel: &mut Kernel<'_>,
    prepared: &Prepared,
    about: About,
    answer: &mut Answer,
) -> Result<(), Problem> {
    let dataset = &prepared.dataset;
    let table = match &about {
        About::Rows { table, rows } => match first_rows(run, kernel, dataset, (table, *rows), answer).await? {
            Some(found) => found,
            None => return Ok(()),
        },
        About::Columns { table, values } => columns(dataset, table.as_deref(), *values, answer),
    };
    answer.status = AnswerStatus::Answered;
    answer.confidence = 1.0;
    answer.focus = Some(table.columns.iter().map(|column| column.name.clone()).collect());
    answer.table = Some(table);
    Ok(())
}

async fn first_rows(
    run: &mut Run,
    kernel: &mut Kernel<'_>,
    dataset: &Dataset,
    (name, rows): (&str, u32),
    answer: &mut Answer,
) -> Result<Option<Table>, Problem> {
    let sql = format!("SELECT *\nFROM \"{}\"\nLIMIT {rows}", name.replace('"', "\"\""));
    let input = json!({ "dataset": dataset.version, "sql": sql });
    let kernel = Mutex::new(kernel);
    let effect = || async { kernel.lock().await.query(&sql).await };
    let queried: Queried = run.step_under(UNLESS_LOST, "execute", &input, effect).await?;
    let Some(table) = queried.table.clone() else {
        answer.refuse(&unfinished(&queried)?, None);
        return Ok(None);
    };
    let all = dataset.table(name).map_or(table.row_count, |info| info.rows);
    let shown = table.rows.len() as u64;
    answer.reading = Some(format!("the first {rows} rows of {name}, as they stand in it"));
    answer.known = Some(Known::unverified("read once, in the order of the data"));
    answer.sentence = Some(match shown {
        _ if shown < all => format!("{name} has {}; the first {shown} are shown.", counted(all, "row")),
        _ => format!("{name} has {}.", counted(all, "row")),
    });
    answer.sql = Some(sql);
    Ok(Some(table))
}

/// A row for each column. Least and greatest are shown of numbers and times, frequent values of texts.
fn columns(dataset: &Dataset, name: Option<&str>, values: bool, answer: &mut Answer) -> Table {
    let tables: Vec<&TableInfo> =
        dataset.tables.iter().filter(|table| name.is_none_or(|name| table.name == name)).collect();
    let of_several = tables.len() > 1;
    let mut shown = vec![("column", Type::Text), ("type", Type::Text), ("missing", Type::Int)];
    if of_several {
        shown.insert(0, ("table", Type::Text));
    }
    if values {
        let measured = [("distinct", Type::Int), ("least", Type::Text), ("greatest", Type::Text)];
        shown.extend(measured);
        shown.push(("values", Type::Text));
    }
    let mut rows = Vec::new();
    for (table, column) in tables.iter().flat_map(|table| table.columns.iter().map(move |column| (*table, column))) {
        let mut row: Vec<Cell> = of_several.then(|| table.name.clone().into()).into_iter().collect();
        row.extend([column.name.clone().into(), column.ty.as_str().into(), column.nulls.into()]);
        if values {
            row.extend(measured(column));
        }
        rows.push(row);
    }
    let sizes = tables.iter().map(|table| {
        let (rows, columns) = (counted(table.rows, "row"), counted(table.columns.len() as u64, "column"));
        format!("{} has {rows} and {columns}", table.name)
    });
    answer.sentence = Some(format!("{}.", sizes.collect::<Vec<_>>().join("; ")));
    let of = name.map_or_else(|| dataset.id.clone(), str::to_string);
    answer.reading = Some(format!("the columns of {of}{}", if values { " and what is in them" } else { "" }));
    answer.known = Some(Known::unverified("measured once, when the data was read"));
    let columns = shown.into_iter().map(|(name, ty)| Column { name: name.to_string(), ty }).collect();
    Table { columns, row_count: rows.len() as u64, rows, truncated: false }
}

fn counted(number: u64, noun: &str) -> String {
    format!("{} {noun}{}", grouped(&number.to_string()), if number == 1 { "" } else { "s" })
}

fn measured(column: &ColumnInfo) -> [Cell; 4] {
    let ends = column.ty.is_number() || column.ty.is_temporal() || column.ty == Type::Time;
    let end = |cell: &Option<Cell>| match cell {
        Some(Cell::String(text)) if ends => text.as_str().into(),
        Some(Cell::Number(number)) if ends => number.to_string().into(),
        _ => Cell::Null,
    };
    let frequent: Vec<&str> = column.values.iter().take(VALUES_MAX).map(String::as_str).collect();
    let more = if column.distinct > frequent.len() as u64 { ", …" } else { "" };
    let frequent = if frequent.is_empty() { Cell::Null } else { format!("{}{more}", frequent.join(", ")).into() };
    [column.distinct.into(), end(&column.min), end(&column.max), frequent]
}
