//! Which chart a result gets, and that every number on it is one of the table's.

use base::{Cell, Column, Hash, Table, Type};
use data::Dataset;
use data::chart::svg::{self, Theme};
use data::chart::{Chart, Kind, Positions, choose, terminal};
use data::dataset::{ColumnInfo, TableInfo};
use data::plan::Plan;
use serde_json::{Value, json};

fn column(name: &str, ty: Type) -> ColumnInfo {
    ColumnInfo {
        name: name.to_string(),
        ty,
        description: String::new(),
        synonyms: Vec::new(),
        noun: None,
        unit: None,
        nulls: 0,
        distinct: 10,
        unique: false,
        min: None,
        max: None,
        values: Vec::new(),
        values_complete: false,
    }
}

fn dataset() -> Dataset {
    let sales = TableInfo {
        name: "sales".to_string(),
        description: String::new(),
        noun: Some("sale".to_string()),
        synonyms: Vec::new(),
        rows: 100,
        columns: vec![
            column("region", Type::Text),
            column("product", Type::Text),
            column("day", Type::Date),
            column("paid", Type::Decimal),
            column("weight", Type::Float),
            column("returned", Type::Bool),
        ],
        cells: Vec::new(),
    };
    Dataset {
        id: "shop".to_string(),
        version: Hash::of(b"v"),
        description: String::new(),
        tables: vec![sales],
        relations: Vec::new(),
        measures: Vec::new(),
        questions: Vec::new(),
    }
}

fn plan(text: Value) -> Plan {
    let mut text = text;
    text["v"] = json!(1);
    text["dataset"] = json!("shop");
    text["from"] = json!("sales");
    data::plan::read(&text, &dataset()).expect("a valid plan")
}

fn by(groups: &[(&str, Option<&str>)], measure: Value) -> Plan {
    let group = |(name, grain): &(&str, Option<&str>)| {
        let mut group = json!({ "as": name, "expr": { "col": format!("sales.{name}") } });
        if let Some(grain) = grain {
            group["grain"] = json!(grain);
        }
        group
    };
    plan(json!({ "group": groups.iter().map(group).collect::<Vec<_>>(), "measures": [measure] }))
}

fn total() -> Value {
    json!({ "as": "paid", "agg": "sum", "expr": { "col": "sales.paid" } })
}

fn table(columns: &[(&str, Type)], rows: Vec<Vec<Cell>>) -> Table {
    let columns = columns.iter().map(|(name, ty)| Column { name: name.to_string(), ty: *ty }).collect();
    Table { columns, row_count: rows.len() as u64, rows, truncated: false }
}

fn chart(plan: &Plan, table: &Table) -> Option<Chart> {
    let focus: Vec<String> = table.columns.iter().map(|column| column.name.clone()).collect();
    let chart = choose(plan, &dataset(), table, &focus, None)?;
    every_number_is_a_cell(&chart, table);
    well_formed(&svg::draw(&chart, Theme::Automatic));
    well_formed(&svg::draw(&chart, Theme::Dark));
    let letters = terminal::draw(&chart, 80);
    assert!(letters.lines().all(|line| line.chars().count() <= 82), "{letters}");
    let again: Chart = serde_json::from_value(serde_json::to_value(&chart).expect("plain data")).expect("plain data");
    assert_eq!(svg::draw(&chart, Theme::Light), svg::draw(&again, Theme::Light));
    Some(chart)
}

fn every_number_is_a_cell(chart: &Chart, table: &Table) {
    if chart.kind == Kind::Histogram {
        let counted: f64 = chart.series[0].points.iter().map(|point| point.value).sum();
        assert_eq!(counted, table.rows.len() as f64, "every row is in one range");
        return;
    }
    let cells: Vec<String> =
        table.rows.iter().flatten().map(|cell| cell.as_str().map_or(cell.to_string(), str::to_string)).collect();
    for point in chart.series.iter().flat_map(|series| &series.points) {
        for part in point.exact.split(", ") {
            assert!(cells.contains(&part.to_string()), "{part} is no cell");
        }
        let shown = svg::draw(chart, Theme::Light);
        assert!(shown.contains(&point.exact), "{} is not on the picture", point.exact);
    }
}

/// Every tag that is opened is closed, in order, and nothing is left that XML does not allow.
fn well_formed(svg: &str) {
    let mut open: Vec<&str> = Vec::new();
    for part in svg.split('<').skip(1) {
        let (tag, text) = part.split_once('>').expect("a tag ends");
        assert!(!text.contains('>') && !tag.contains('\n'), "{part}");
        let name = tag.trim_start_matches('/').split([' ', '/']).next().expect("a tag has a name");
        if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(name), "{svg}");
        } else if !tag.ends_with('/') {
            open.push(name);
        }
        let references = text.split('&').skip(1);
        for reference in references {
            assert!(["amp;", "lt;", "gt;", "quot;"].iter().any(|known| reference.starts_with(known)), "&{reference}");
        }
    }
    assert!(open.is_empty() && !svg.contains("NaN") && !svg.contains("inf"), "{open:?}\n{svg}");
}

#[test]
fn names_get_bars_and_long_names_lie() {
    let plan = by(&[("region", None)], total());
    let columns = [("region", Type::Text), ("paid", Type::Decimal)];
    let short = table(&columns, vec![vec![json!("North"), json!("10.50")], vec![json!("South"), json!("-2.00")]]);
    let upright = chart(&plan, &short).expect("a chart");
    assert_eq!((upright.kind, upright.horizontal), (Kind::Bar, false));
    let long = table(
        &columns,
        vec![
            vec![json!("the far north of it all, beyond <&> the \"sea\""), json!("1")],
            vec![json!(null), json!("2")],
            vec![json!("South\u{7}"), json!(null)],
        ],
    );
    let lying = chart(&plan, &long).expect("a chart");
    assert!(lying.horizontal);
    assert_eq!(lying.series[0].points.len(), 2, "a missing value has no bar");
}

#[test]
fn time_gets_a_line_by_its_calendar() {
    let plan = by(&[("day", Some("month"))], total());
    let columns = [("day", Type::Date), ("paid", Type::Decimal)];
    let month = |month: u32, paid: &str| vec![json!(format!("2025-{month:02}-01")), json!(paid)];
    let result = table(&columns, vec![month(7, "5"), month(1, "3"), month(2, "4")]);
    let line = chart(&plan, &result).expect("a chart");
    assert_eq!(line.kind, Kind::Line);
    let Positions::Times { periods, .. } = &line.along.positions else { panic!("not along time") };
    assert_eq!(
        periods.iter().map(|(_, words)| words.as_str()).collect::<Vec<_>>(),
        ["January 2025", "February 2025", "July 2025"]
    );
    assert!(periods[2].0 - periods[1].0 > 4.0 * (periods[1].0 - periods[0].0), "a gap is as wide as it lasts");
}

#[test]
fn two_groups_get_parts_that_add_up_or_bars_side_by_side() {
    let rows = |values: [&str; 4]| {
        let names = [("North", "Bread"), ("North", "Rolls"), ("South", "Bread"), ("South", "Rolls")];
        let row = |((region, product), value): ((&str, &str), &str)| vec![json!(region), json!(product), json!(value)];
        names.into_iter().zip(values).map(row).collect::<Vec<_>>()
    };
    let columns = [("region", Type::Text), ("product", Type::Text), ("paid", Type::Decimal)];
    let groups = [("region", None), ("product", None)];
    let sum = chart(&by(&groups, total()), &table(&columns, rows(["1", "2", "3", "4"]))).expect("a chart");
    assert_eq!((sum.kind, sum.series.len()), (Kind::Stacked, 2));
    let mean = json!({ "as": "paid", "agg": "avg", "expr": { "col": "sales.paid" } });
    let columns = [("region", Type::Text), ("product", Type::Text), ("paid", Type::Float)];
    let average = chart(&by(&groups, mean), &table(&columns, rows(["1", "2", "3", "4"]))).expect("a chart");
    assert_eq!(average.kind, Kind::Bar, "averages do not add up");
    let negative = chart(&by(&groups, total()), &table(&columns, rows(["1", "-2", "3", "4"]))).expect("a chart");
    assert_eq!(negative.kind, Kind::Bar);
}

#[test]
fn plain_rows_get_dots_or_a_histogram() {
    let two = plan(json!({ "select": [
        { "as": "paid", "expr": { "col": "sales.paid" } }, { "as": "weight", "expr": { "col": "sales.weight" } },
    ] }));
    let rows: Vec<Vec<Cell>> = (0..30).map(|n| vec![json!(format!("{n}.5")), json!(f64::from(n) * 0.1)]).collect();
    let columns = [("paid", Type::Decimal), ("weight", Type::Float)];
    assert_eq!(chart(&two, &table(&columns, rows.clone())).expect("a chart").kind, Kind::Scatter);
    let one = plan(json!({ "select": [{ "as": "paid", "expr": { "col": "sales.paid" } }] }));
    let single = rows.into_iter().map(|row| row[..1].to_vec()).collect();
    assert_eq!(chart(&one, &table(&columns[..1], single)).expect("a chart").kind, Kind::Histogram);
}

#[test]
fn one_number_and_nothing_get_no_chart() {
    let scalar = plan(json!({ "measures": [total()] }));
    assert_eq!(chart(&scalar, &table(&[("paid", Type::Decimal)], vec![vec![json!("3")]])), None);
    let grouped = by(&[("region", None)], total());
    let columns = [("region", Type::Text), ("paid", Type::Decimal)];
    assert_eq!(chart(&grouped, &table(&columns, Vec::new())), None);
    let nothing = vec![vec![json!("North"), json!(null)], vec![json!("South"), json!(null)]];
    assert_eq!(chart(&grouped, &table(&columns, nothing)), None);
}

#[test]
fn many_names_say_what_is_left_out() {
    let plan = by(&[("region", None)], total());
    let rows: Vec<Vec<Cell>> = (0..1_000).map(|n| vec![json!(format!("r{n}")), json!(n.to_string())]).collect();
    let columns = [("region", Type::Text), ("paid", Type::Decimal)];
    let many = chart(&plan, &table(&columns, rows)).expect("a chart");
    assert_eq!(many.series[0].points.len(), 40);
    assert_eq!(many.note.as_deref(), Some("960 rows of the result are not drawn"));
}

#[test]
fn the_specification_has_the_tables_numbers() {
    let plan = by(&[("region", None)], total());
    let columns = [("region", Type::Text), ("paid", Type::Decimal)];
    let rows = vec![vec![json!("North"), json!("10.50")], vec![json!("South"), json!("2.25")]];
    let spec = chart(&plan, &table(&columns, rows)).expect("a chart").spec();
    assert_eq!(
        spec["data"]["values"],
        json!([
            { "along": "North", "measured": 10.5 }, { "along": "South", "measured": 2.25 },
        ])
    );
    assert_eq!(spec["encoding"]["x"]["sort"], json!(["North", "South"]));
    assert_eq!(spec["mark"]["type"], "bar");
}
