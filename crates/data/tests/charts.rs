//! Which chart a result gets, and that every number on it is one of the table's.

use base::{Cell, Column, Hash, Table, Type};
use data::Dataset;
use data::chart::svg::{self, Theme};
use data::chart::{Chart, Kind, Positions, Wish, choose, of_table, terminal};
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
        running: None,
        stock: None,
        repeats_within: None,
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
            column("age", Type::Int),
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
    wished(plan, table, None)
}

fn wished(plan: &Plan, table: &Table, wish: Option<Wish>) -> Option<Chart> {
    let focus: Vec<String> = table.columns.iter().map(|column| column.name.clone()).collect();
    let chart = choose(plan, &dataset(), table, &focus, wish)?;
    for theme in [Theme::Automatic, Theme::Light, Theme::Dark] {
        let drawn = svg::draw(&chart, theme);
        well_formed(&drawn);
        every_number_is_a_cell(&chart, table, &drawn);
    }
    nothing_is_dropped_in_silence(&chart, table);
    for width in [60, 80, 120] {
        let letters = terminal::draw(&chart, width);
        assert!(letters.lines().all(|line| columns(line) <= width), "{width}\n{letters}");
        assert!(!letters.contains("NaN") && !letters.contains("inf"), "{letters}");
    }
    let again: Chart = serde_json::from_value(serde_json::to_value(&chart).expect("plain data")).expect("plain data");
    assert_eq!(svg::draw(&chart, Theme::Light), svg::draw(&again, Theme::Light));
    Some(chart)
}

/// At least so many; wide letters take two.
fn columns(line: &str) -> usize {
    line.chars().filter(|letter| !('\u{300}'..='\u{36f}').contains(letter)).count()
}

fn cells(table: &Table) -> Vec<String> {
    table.rows.iter().flatten().map(|cell| cell.as_str().map_or(cell.to_string(), str::to_string)).collect()
}

/// The tooltips of the bars and dots of a picture.
fn tips(svg: &str) -> Vec<String> {
    let marks = svg.lines().filter(|line| line.starts_with("<rect x") || line.starts_with("<circle"));
    let tip = |line: &str| line.split_once("<title>")?.1.split_once("</title>").map(|(tip, _)| tip.to_string());
    marks.filter_map(tip).collect()
}

/// The numbers that stand at bars: black texts that are no name.
fn labels(chart: &Chart, svg: &str) -> Vec<String> {
    let Positions::Names(names) = &chart.along.positions else { return Vec::new() };
    let names: Vec<&String> =
        names.iter().chain(chart.series.iter().filter_map(|series| series.name.as_ref())).collect();
    let plain = svg.lines().filter(|line| line.starts_with("<text") && line.contains("fill=\"#1f2328\""));
    let texts = plain.filter(|line| !line.contains("bold") && !line.contains("<title>"));
    let texts = texts.filter_map(|line| Some(line.split_once('>')?.1.strip_suffix("</text>")?.to_string()));
    texts.filter(|text| text.starts_with(|c: char| c.is_ascii_digit() || c == '-') && !names.contains(&text)).collect()
}

fn every_number_is_a_cell(chart: &Chart, table: &Table, svg: &str) {
    let tips = tips(svg);
    if matches!(chart.along.positions, Positions::Ranges(..)) || chart.measured == "number of rows" {
        let counted: u64 =
            tips.iter().map(|tip| tip.rsplit_once(": ").expect("a count").1.parse::<u64>().expect("it")).sum();
        let valued = |row: &&Vec<Cell>| data::figures::number(&row[0]).is_some_and(|number| number.abs() <= 1e300);
        assert_eq!(counted as usize, table.rows.iter().filter(valued).count(), "every row is in one range");
        return;
    }
    let cells = cells(table);
    let legends = chart.series.iter().filter(|series| series.name.is_some() && chart.kind != Kind::Line).count();
    let points: usize = chart.series.iter().map(|series| series.points.len()).sum();
    assert_eq!(tips.len(), points + legends, "every point has a tooltip");
    for point in chart.series.iter().flat_map(|series| &series.points) {
        assert!(tips.iter().any(|tip| tip.ends_with(&point.exact)), "{} is not on the picture", point.exact);
        for part in point.exact.split(", ") {
            assert!(cells.contains(&part.to_string()), "{part} is no cell");
        }
        let exact: f64 = point.exact.rsplit(", ").next().expect("a number").parse().expect("a number");
        assert_eq!(exact, point.value, "drawn where its cell says");
    }
    for label in labels(chart, svg) {
        assert!(cells.iter().any(|cell| chart.form.figure(cell) == label), "{label} is no cell\n{svg}");
    }
}

fn nothing_is_dropped_in_silence(chart: &Chart, table: &Table) {
    let points: usize = chart.series.iter().map(|series| series.points.len()).sum();
    let counted = chart.kind == Kind::Histogram || chart.measured == "number of rows";
    let all = counted || points == table.rows.len();
    let complete = table.rows.len() as u64 == table.row_count;
    assert!(all && complete || chart.note.is_some(), "{points} of {} rows, nothing said", table.rows.len());
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

/// A line through the months of 2026 with these numbers.
fn months(values: &[&str]) -> Chart {
    let plan = by(&[("day", Some("month"))], total());
    let row = |(at, value): (usize, &&str)| vec![json!(format!("2026-{:02}-01", at + 1)), json!(value)];
    let rows = values.iter().enumerate().map(row).collect();
    chart(&plan, &table(&[("day", Type::Date), ("paid", Type::Decimal)], rows)).expect("a chart")
}

#[test]
fn a_line_begins_at_zero_or_says_where() {
    let marks = |chart: &Chart| (svg::draw(chart, Theme::Light), terminal::draw(chart, 80));
    let (drawn, letters) = marks(&months(&["50", "90", "70"]));
    assert!(drawn.contains(">0</text>") && !drawn.contains("axis begins") && !letters.contains("axis begins"));
    let (drawn, letters) = marks(&months(&["61", "65", "64"]));
    assert!(drawn.contains("(the axis begins at 61)") && letters.contains("the axis begins at 61"), "{letters}");
    let (drawn, letters) = marks(&months(&["-61", "-65", "-64"]));
    assert!(drawn.contains("(the axis ends at -61)") && letters.contains("the axis ends at -61"), "{letters}");
    let (drawn, _) = marks(&months(&["-5", "60", "64"]));
    assert!(!drawn.contains("the axis"), "zero is in between");
}

#[test]
fn a_period_that_is_not_whole_is_marked() {
    let whole = months(&["5", "6", "7"]);
    let mut data = dataset();
    let day = data.tables[0].columns.iter_mut().find(|column| column.name == "day").expect("a day");
    (day.min, day.max, day.distinct) = (Some(json!("2026-01-01")), Some(json!("2026-03-09")), 68);
    let columns = [("day", Type::Date), ("paid", Type::Decimal)];
    let row = |(at, value): (usize, &&str)| vec![json!(format!("2026-{:02}-01", at + 1)), json!(value)];
    let result = table(&columns, ["5", "6", "2"].iter().enumerate().map(row).collect());
    let plan = by(&[("day", Some("month"))], total());
    for (wish, mark) in [(None, "stroke-dasharray"), (Some(Wish::Bar), "fill-opacity=\"0.45\"")] {
        let part = choose(&plan, &data, &result, &["paid".to_string()], wish).expect("a chart");
        assert_eq!(part.unfinished, [2]);
        assert_eq!(part.note.as_deref(), Some("March 2026 has data to the 9th only"));
        assert_eq!(part.spec()["title"]["subtitle"], "March 2026 has data to the 9th only");
        for theme in [Theme::Automatic, Theme::Light, Theme::Dark] {
            let drawn = svg::draw(&part, theme);
            well_formed(&drawn);
            assert_eq!(drawn.matches(mark).count(), 1, "{drawn}");
            assert!(!svg::draw(&whole, theme).contains(mark));
        }
        assert!(terminal::draw(&part, 80).contains("March 2026 has data to the 9th only"));
    }
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
    assert_eq!(many.note.as_deref(), Some("the first 40 of 1,000 bars are drawn"));
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

fn numbers(rows: impl Iterator<Item = Value>) -> Table {
    table(&[("paid", Type::Float)], rows.map(|cell| vec![cell]).collect())
}

#[test]
fn a_histogram_counts_rows_or_weighs_counted_values() {
    let listed = plan(json!({ "select": [{ "as": "paid", "expr": { "col": "sales.paid" } }] }));
    let many = wished(&listed, &numbers((0..500).map(|n| json!(f64::from(n) * 0.37))), Some(Wish::Histogram));
    assert_eq!(many.expect("a chart").kind, Kind::Histogram);
    let few = wished(&listed, &numbers((0..500).map(|n| json!(n % 5))), Some(Wish::Histogram)).expect("a chart");
    assert_eq!((few.kind, few.series[0].points.len()), (Kind::Bar, 5), "few values have a bar each");
    let same = wished(&listed, &numbers((0..20).map(|_| json!(7.5))), Some(Wish::Histogram)).expect("a chart");
    assert_eq!((same.kind, same.series[0].points.len()), (Kind::Bar, 1));
    let counted = by(&[("weight", None)], json!({ "as": "rows", "agg": "count" }));
    let rows = (0..40).map(|n| vec![json!(n), json!(n * 3)]).collect();
    let result = table(&[("weight", Type::Int), ("rows", Type::Int)], rows);
    let focus = ["rows".to_string()];
    let weighed = choose(&counted, &dataset(), &result, &focus, Some(Wish::Histogram)).expect("a chart");
    assert_eq!(weighed.kind, Kind::Histogram);
    assert_eq!(weighed.series[0].points.iter().map(|point| point.value).sum::<f64>(), 3.0 * 780.0);
}

#[test]
fn a_wish_that_cannot_be_fulfilled_is_answered_with_a_reason() {
    let plan = by(&[("region", None)], total());
    let rows = vec![vec![json!("North"), json!("10.50")], vec![json!("South"), json!("2.25")]];
    let result = table(&[("region", Type::Text), ("paid", Type::Decimal)], rows);
    for (wish, said) in [(Wish::Pie, "instead of a pie"), (Wish::Line, "instead of a line"), (Wish::Scatter, "no dots")]
    {
        let chart = wished(&plan, &result, Some(wish)).expect("a chart");
        assert_eq!(chart.kind, Kind::Bar);
        assert!(chart.note.as_ref().is_some_and(|note| note.contains(said)), "{:?}", chart.note);
    }
    assert!(wished(&plan, &result, Some(Wish::Lying)).expect("a chart").horizontal);
}

#[test]
fn missing_dates_and_values_are_said_and_break_the_line() {
    let plan = by(&[("day", Some("month"))], total());
    let month = |month: u32, paid: Value| vec![json!(format!("2025-{month:02}-01")), paid];
    let rows = vec![
        month(1, json!("3")),
        month(2, json!("4")),
        month(3, json!(null)),
        month(4, json!("5")),
        vec![json!(null), json!("9")],
    ];
    let line = chart(&plan, &table(&[("day", Type::Date), ("paid", Type::Decimal)], rows)).expect("a chart");
    assert_eq!(line.note.as_deref(), Some("1 row without a date is not drawn; 1 value is missing"));
    assert_eq!(svg::draw(&line, Theme::Light).matches("<polyline").count(), 2);
}

#[test]
fn more_than_eight_lines_are_cut_and_said() {
    let plan = by(&[("day", Some("month")), ("product", None)], total());
    let columns = [("day", Type::Date), ("product", Type::Text), ("paid", Type::Decimal)];
    let row = |n: usize| {
        vec![json!(format!("2025-{:02}-01", n / 12 + 1)), json!(format!("p{}", n % 12)), json!(n.to_string())]
    };
    let lines = chart(&plan, &table(&columns, (0..48).map(row).collect())).expect("a chart");
    assert_eq!((lines.kind, lines.series.len()), (Kind::Line, 8));
    assert_eq!(lines.note.as_deref(), Some("the first 8 of 12 groups are drawn; the table has all"));
}

#[test]
fn years_run_along_and_ranked_periods_do_not() {
    let years = by(&[("weight", None)], total());
    let mut years_named = years.clone();
    years_named.group[0].name = "year".to_string();
    years_named.group[0].expr =
        serde_json::from_value(json!({ "part": "year", "of": { "col": "sales.day" } })).expect("it");
    let rows = |from: i32| (from..from + 5).rev().map(|year| vec![json!(year), json!(year.to_string())]).collect();
    let result = table(&[("year", Type::Int), ("paid", Type::Decimal)], rows(2019));
    assert_eq!(chart(&years_named, &result).expect("a chart").kind, Kind::Line);
    let mut ranked = by(&[("day", Some("month"))], total());
    ranked.top = serde_json::from_value(json!({ "n": 3, "by": "paid", "dir": "desc" })).expect("it");
    let month = |month: u32, paid: &str| vec![json!(format!("2025-{month:02}-01")), json!(paid)];
    let months = vec![month(7, "5"), month(1, "4"), month(2, "3")];
    let bars = chart(&ranked, &table(&[("day", Type::Date), ("paid", Type::Decimal)], months)).expect("a chart");
    assert_eq!(bars.kind, Kind::Bar);
    let Positions::Names(names) = &bars.along.positions else { panic!("not by name") };
    assert_eq!(names[0], "July 2025", "in the order of the ranking");
}

/// A stream of numbers that is the same each time.
struct Stream(u64);

impl Stream {
    fn next(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }

    fn name(&mut self, number: usize) -> Value {
        const STEMS: [&str; 9] = [
            "North",
            "A far too long name of a thing that nobody says",
            "مرحبا",
            "שלום",
            "日本語の名前",
            "<&>\"'",
            "e\u{301}\u{202e}",
            "",
            "🍞",
        ];
        match self.next(12) {
            0 => Value::Null,
            kind => json!(format!("{}{number}", STEMS[kind as usize % STEMS.len()])),
        }
    }

    fn number(&mut self, size: u64) -> Value {
        let sign = if self.next(4) == 0 { -1.0 } else { 1.0 };
        let digits = self.next(1_000_000) as f64;
        match size {
            _ if self.next(15) == 0 => Value::Null,
            0 => json!(sign * digits * 1e-12),
            1 => json!(sign * digits * 1e-3),
            2 => json!(sign * digits * 1e14),
            3 => json!(format!("{}.{:02}", self.next(10_000), self.next(100))),
            4 => json!(0),
            5 => json!(42),
            6 => json!(sign * digits * 1e295),
            _ => json!(self.next(50)),
        }
    }
}

#[test]
fn every_number_of_any_result_is_on_its_chart_or_said_to_be_missing() {
    let wishes: Vec<Option<Wish>> = Wish::ALL.iter().copied().map(Some).chain([None]).collect();
    let mut drawn = 0;
    for seed in 0..600 {
        let stream = &mut Stream(seed);
        let (rows, size) = ([1, 2, 5, 13, 60, 300][stream.next(6) as usize], stream.next(8));
        let wish = wishes[stream.next(wishes.len() as u64) as usize];
        let (plan, table) = match stream.next(5) {
            0 => {
                let row = |n: usize, stream: &mut Stream| vec![stream.name(n), stream.number(size)];
                let rows = (0..rows).map(|n| row(n, stream)).collect();
                (by(&[("region", None)], total()), table(&[("region", Type::Text), ("paid", Type::Float)], rows))
            }
            1 => {
                let date = |n: usize| json!(format!("{}-{:02}-01", 1990 + n / 12, n % 12 + 1));
                let rows = (0..rows).map(|n| vec![date(n), stream.number(size)]).collect();
                (by(&[("day", Some("month"))], total()), table(&[("day", Type::Date), ("paid", Type::Float)], rows))
            }
            2 => {
                let names: Vec<Value> = (0..20).map(|n| stream.name(n)).filter(|name| !name.is_null()).collect();
                let parts = stream.next(10) as usize + 1;
                let row = |n: usize, stream: &mut Stream| {
                    vec![
                        json!(format!("r{}", n / parts)),
                        names[n % parts.min(names.len())].clone(),
                        stream.number(size),
                    ]
                };
                let rows = (0..rows / parts * parts).map(|n| row(n, stream)).collect();
                let columns = [("region", Type::Text), ("product", Type::Text), ("paid", Type::Float)];
                (by(&[("region", None), ("product", None)], total()), table(&columns, rows))
            }
            3 => {
                let rows = (0..rows).map(|_| vec![stream.number(size)]).collect();
                let select = json!({ "select": [{ "as": "paid", "expr": { "col": "sales.paid" } }] });
                (plan(select), table(&[("paid", Type::Float)], rows))
            }
            _ => {
                let rows = (0..rows).map(|_| vec![stream.number(size), stream.number(1)]).collect();
                let select = json!({ "select": [
                    { "as": "paid", "expr": { "col": "sales.paid" } }, { "as": "weight", "expr": { "col": "sales.weight" } },
                ] });
                (plan(select), table(&[("paid", Type::Float), ("weight", Type::Float)], rows))
            }
        };
        drawn += usize::from(wished(&plan, &table, wish).is_some());
    }
    assert!(drawn > 400, "{drawn} charts");
}

#[test]
fn a_table_without_a_plan_is_drawn_by_what_its_columns_are() {
    let drawn = |columns: &[(&str, Type)], rows: Value, wish: Option<Wish>| {
        let rows: Vec<Vec<Cell>> = serde_json::from_value(rows).expect("rows");
        let bare = table(columns, rows);
        let chart = of_table(&bare, wish)?;
        let picture = svg::draw(&chart, Theme::Light);
        well_formed(&picture);
        every_number_is_a_cell(&chart, &bare, &picture);
        nothing_is_dropped_in_silence(&chart, &bare);
        Some((chart.kind, chart.title.clone(), chart.note.unwrap_or_default()))
    };
    let said = |kind, title: &str, note: &str| Some((kind, title.to_string(), note.to_string()));
    use Type::{Date, Float, Int, Text};
    let regions = json!([["north", 2, 10.5], ["south", 1, 20.0]]);
    let two = [("region", Text), ("n", Int), ("mean_paid", Float)];
    assert_eq!(drawn(&two, regions.clone(), None), said(Kind::Bar, "n by region", "the table also has mean paid"));
    assert_eq!(drawn(&two, regions, Some(Wish::Scatter)).expect("dots").0, Kind::Scatter);
    // Months as programs write them, a quarter, and days that are months.
    for (ty, periods) in [
        (Text, ["2026-01", "2026-02", "2026-03"]),
        (Text, ["2026Q1", "2026Q2", "2026Q4"]),
        (Date, ["2026-01-01", "2026-02-01", "2026-03-01"]),
    ] {
        let rows = json!([[periods[0], 5], [periods[1], 6], [periods[2], 7]]);
        assert_eq!(drawn(&[("when", ty), ("paid", Int)], rows, None), said(Kind::Line, "paid by when", ""));
    }
    let years = json!([[2024, 5], [2025, 6], [2026, 7]]);
    assert_eq!(drawn(&[("year", Int), ("paid", Int)], years.clone(), None), said(Kind::Line, "paid by year", ""));
    assert_eq!(drawn(&[("size", Int), ("paid", Int)], years, Some(Wish::Line)), said(Kind::Line, "paid by size", ""));
    let both =
        json!([["2026-01", "north", 1], ["2026-01", "south", 2], ["2026-02", "north", 3], ["2026-02", "south", 4]]);
    let months = drawn(&[("month", Text), ("region", Text), ("paid", Int)], both, None);
    assert_eq!(months, said(Kind::Bar, "paid by month and region", ""));
    let ages: Vec<Value> = (0..30).map(|n| json!([f64::from(n * 7 % 30) + 0.5])).collect();
    assert_eq!(drawn(&[("age", Float)], json!(ages), Some(Wish::Histogram)), said(Kind::Histogram, "age", ""));
    let pairs: Vec<Value> = (0..9).map(|n| json!([n * 5 % 9, n])).collect();
    assert_eq!(drawn(&[("a", Int), ("b", Int)], json!(pairs), None).expect("dots").0, Kind::Scatter);
    // One row, rows that are named alike, and texts alone are no picture.
    assert_eq!(drawn(&[("n", Int)], json!([[3]]), Some(Wish::Any)), None);
    assert_eq!(drawn(&[("region", Text), ("n", Int)], json!([["a", 1], ["a", 2]]), None), None);
    assert_eq!(drawn(&[("region", Text), ("city", Text)], json!([["a", "b"], ["c", "d"]]), None), None);
}

#[test]
fn bins_stand_in_their_order_however_the_table_is_sorted() {
    let bins = |width: Value| {
        let expr = json!({ "op": "bin", "args": [{ "col": "sales.age" }, { "lit": width }] });
        plan(json!({ "group": [{ "as": "age_bin", "expr": expr }], "measures": [total()],
                     "order": [{ "by": "paid", "dir": "desc" }] }))
    };
    let columns = [("age_bin", Type::Int), ("paid", Type::Decimal)];
    let rows = vec![
        vec![json!(100), json!("9")],
        vec![json!(20), json!("5")],
        vec![Cell::Null, json!("3")],
        vec![json!(-10), json!("1")],
    ];
    let Some(drawn) = chart(&bins(json!(10)), &table(&columns, rows)) else { panic!("it is drawn") };
    let names = ["-10 to -1", "20–29", "100–109", "no age"].map(str::to_string).to_vec();
    assert_eq!((drawn.kind, drawn.along.positions), (Kind::Bar, Positions::Names(names)));
    let values: Vec<f64> = drawn.series[0].points.iter().map(|point| point.value).collect();
    assert_eq!(values, [1.0, 5.0, 9.0, 3.0]);
    let columns = [("age_bin", Type::Float), ("paid", Type::Decimal)];
    let rows = vec![vec![json!(2.5), json!("9")], vec![json!(0.0), json!("5")]];
    let Some(drawn) = chart(&bins(json!(2.5)), &table(&columns, rows)) else { panic!("it is drawn") };
    assert_eq!(drawn.along.positions, Positions::Names(vec!["[0, 2.5)".to_string(), "[2.5, 5)".to_string()]));
}
