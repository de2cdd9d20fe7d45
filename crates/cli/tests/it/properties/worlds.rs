//! Random worlds: a few small tables of every type, linked many-to-one, with all that makes values awkward.
//!
//! Each column draws from a small pool of its own, so that equal values, ties and joins are common.

use base::{Hash, Type};
use data::Dataset;
use data::dataset::{ColumnInfo, Relation, TableInfo};
use serde_json::{Value, json};

use super::random::Random;

/// Tables and how they are linked.
#[derive(Clone)]
pub struct World {
    pub tables: Vec<Table>,
    pub relations: Vec<Relation>,
}

#[derive(Clone)]
pub struct Table {
    pub name: String,
    pub columns: Vec<Column>,
    pub rows: Vec<Vec<Option<String>>>,
}

#[derive(Clone)]
pub struct Column {
    pub name: String,
    pub ty: Type,
    /// The engine's type.
    pub engine: String,
    /// What its cells are drawn from.
    pub pool: Vec<String>,
    /// What suits it: the grain that makes neighbours of its values, or `number` for numbers in words.
    pub flavour: &'static str,
}

const TABLE_NAMES: [&str; 9] =
    ["facts", "order_items", "things", "places", "grouped", "listed", "ranked", "computed", "t_2025"];
const COLUMN_NAMES: [&str; 22] = [
    "a",
    "b",
    "value",
    "Amount",
    "unit price",
    "na\"me",
    "it's",
    "dotted.name",
    "Größe",
    "group",
    "select",
    "日本",
    "semi;colon",
    "--",
    "per%cent",
    "x_y",
    "place",
    "n",
    "back\\slash",
    "😀",
    "of",
    "day",
];

impl World {
    pub fn random(random: &mut Random) -> World {
        let count = *random.pick(&[1, 2, 2, 3, 3, 4]);
        let mut names = TABLE_NAMES.to_vec();
        let mut tables: Vec<Table> = Vec::new();
        let mut relations = Vec::new();
        // From the one side to the many sides: a link needs the keys it leads to.
        for index in 0..count {
            let name = names.swap_remove(random.below(names.len()));
            let row_count = match index + 1 == count {
                true => *random.pick(&[0, 1, 3, 8, 12, 16, 20, 24, 24, 28, 28, 32, 32, 36, 40, 40]),
                false => *random.pick(&[0, 1, 3, 5, 5, 7, 7, 7, 9, 9]),
            };
            let mut table = Table { name: name.to_string(), columns: Vec::new(), rows: vec![Vec::new(); row_count] };
            add_key(&mut table, random);
            for one in tables.iter().filter(|_| random.chance(65)).cloned().collect::<Vec<_>>() {
                for _ in 0..random.between(1, 2).min(1 + usize::from(random.chance(25))) {
                    relations.push(add_link(&mut table, &one, random));
                }
            }
            let mut names = COLUMN_NAMES.to_vec();
            for _ in 0..random.between(2, 7) {
                let name = names.swap_remove(random.below(names.len()));
                add_column(&mut table, name, random);
            }
            tables.push(table);
        }
        tables.reverse();
        World { tables, relations }
    }

    /// What the parser and the compiler are told of it.
    pub fn dataset(&self) -> Dataset {
        Dataset {
            id: "world".to_string(),
            version: Hash::of(b"world"),
            description: String::new(),
            tables: self.tables.iter().map(Table::info).collect(),
            relations: self.relations.clone(),
            measures: Vec::new(),
            questions: Vec::new(),
        }
    }

    /// What the interpreters are told of it.
    pub fn document(&self) -> Value {
        let tables: Vec<Value> = self.tables.iter().map(Table::document).collect();
        json!({ "tables": tables, "relations": self.relations })
    }
}

impl Table {
    fn info(&self) -> TableInfo {
        TableInfo {
            name: self.name.clone(),
            description: String::new(),
            noun: None,
            synonyms: Vec::new(),
            rows: self.rows.len() as u64,
            columns: self.columns.iter().map(Column::info).collect(),
            cells: Vec::new(),
        }
    }

    fn document(&self) -> Value {
        let column = |column: &Column| json!({"name": column.name, "type": column.ty, "engine": column.engine});
        let columns: Vec<Value> = self.columns.iter().map(column).collect();
        json!({ "name": self.name, "columns": columns, "rows": self.rows })
    }

    fn push(&mut self, column: Column, cells: Vec<Option<String>>) {
        self.columns.push(column);
        self.rows.iter_mut().zip(cells).for_each(|(row, cell)| row.push(cell));
    }
}

impl Column {
    fn info(&self) -> ColumnInfo {
        let measured = json!({
            "name": self.name, "type": self.ty, "description": "", "synonyms": [], "noun": null, "unit": null,
            "nulls": 0, "distinct": 0, "unique": false, "min": null, "max": null, "values": [],
            "values_complete": false,
        });
        serde_json::from_value(measured).expect("a column's description")
    }
}

fn add_key(table: &mut Table, random: &mut Random) {
    let (ty, engine) = *random.pick(&[
        (Type::Int, "BIGINT"),
        (Type::Int, "INTEGER"),
        (Type::Text, "VARCHAR"),
        (Type::Date, "DATE"),
        (Type::Decimal, "DECIMAL(9,2)"),
    ]);
    let spelled = |number: usize| match ty {
        Type::Int => number.to_string(),
        Type::Date => format!("2024-{:02}-{:02}", 3 + number / 28, number % 28 + 1),
        Type::Decimal => format!("{number}.50"),
        _ => format!("k{number}"),
    };
    // The last two lead nowhere.
    let pool: Vec<String> = (0..table.rows.len() + 2).map(spelled).collect();
    let cells = pool[..table.rows.len()].iter().cloned().map(Some).collect();
    let kept = if table.rows.is_empty() { pool } else { pool[..table.rows.len() + 1].to_vec() };
    table.push(Column { name: "id".to_string(), ty, engine: engine.to_string(), pool: kept, flavour: "" }, cells);
}

fn add_link(table: &mut Table, one: &Table, random: &mut Random) -> Relation {
    let key = &one.columns[0];
    let names = (1..).map(|number| format!("{}_{number}", one.name));
    let name =
        { names }.find(|name| table.columns.iter().all(|column| column.name != *name)).expect("numbers do not end");
    let cells = cells(&key.pool, table.rows.len(), random);
    table.push(Column { name: name.clone(), ..key.clone() }, cells);
    Relation {
        from_table: table.name.clone(),
        from_column: name,
        to_table: one.name.clone(),
        to_column: key.name.clone(),
    }
}

fn add_column(table: &mut Table, name: &str, random: &mut Random) {
    let (ty, engine, pool) = column(random);
    let flavour = match ty {
        Type::Date | Type::Timestamp => {
            STEPS.iter().find(|step| pool[0].starts_with(step.1)).map_or("day", |step| step.0)
        }
        Type::Text if pool.iter().all(|text| WRITTEN_NUMBERS.contains(&text.as_str())) => "number",
        _ => "",
    };
    let cells = cells(&pool, table.rows.len(), random);
    table.push(Column { name: name.to_string(), ty, engine: engine.to_string(), pool, flavour }, cells);
}

fn cells(pool: &[String], count: usize, random: &mut Random) -> Vec<Option<String>> {
    let nulls = *random.pick(&[0, 0, 0, 0, 5, 5, 10, 10, 15, 15, 25, 25, 40, 40, 100]);
    (0..count).map(|_| (!random.chance(nulls)).then(|| random.pick(pool).clone())).collect()
}

type Kind = (Type, &'static str, Vec<String>);

fn column(random: &mut Random) -> Kind {
    match random.below(14) {
        0 => (Type::Bool, "BOOLEAN", vec!["true".to_string(), "false".to_string()]),
        1..=2 => ints(random),
        3..=4 => floats(random),
        5..=6 => decimals(random),
        7 => (Type::Text, "VARCHAR", of(random, WORDS)),
        8 => (Type::Text, "VARCHAR", of(random, HOSTILE)),
        9 | 13 => (Type::Text, "VARCHAR", [of(random, WRITTEN_NUMBERS), of(random, WRITTEN_NUMBERS)].concat()),
        10 => (Type::Date, "DATE", days(random)),
        11 => (Type::Timestamp, "TIMESTAMP", moments(random)),
        _ if random.chance(80) => (Type::Time, "TIME", of(random, TIMES)),
        _ => (Type::Json, "JSON", of(random, DOCUMENTS)),
    }
}

fn of(random: &mut Random, all: &[&str]) -> Vec<String> {
    (0..random.between(2, 6)).map(|_| random.pick(all).to_string()).collect()
}

fn ints(random: &mut Random) -> Kind {
    const BIG: &[&str] =
        &["9223372036854775807", "-9223372036854775808", "9007199254740993", "-9007199254740993", "0", "1"];
    match random.below(10) {
        0 => (Type::Int, "BIGINT", of(random, BIG)),
        3 => (Type::Int, "UTINYINT", of(random, &["0", "1", "255", "254", "7"])),
        4 => (Type::Int, "UBIGINT", of(random, &["0", "1", "18446744073709551615", "9223372036854775808", "3"])),
        5 => {
            (Type::Int, "HUGEINT", of(random, &["0", "-1", "99999999999999999999999999", "18446744073709551616", "3"]))
        }
        1 => (Type::Int, "TINYINT", of(random, &["-128", "127", "0", "-1", "3", "100"])),
        2 => (Type::Int, "INTEGER", of(random, &["2147483647", "-2147483648", "0", "1", "65536", "-7"])),
        _ => (Type::Int, "BIGINT", of(random, &["-3", "-1", "0", "1", "2", "3", "5", "8", "100", "1000"])),
    }
}

fn floats(random: &mut Random) -> Kind {
    const GRID: &[&str] = &["-2.5", "-1", "0", "0.125", "0.5", "1", "1.5", "2", "3.25", "10", "100.75"];
    const FINE: &[&str] = &["0.1", "0.2", "0.3", "2.675", "-1.1", "1e-3", "19.99", "3.3333333333333335"];
    const WILD: &[&str] =
        &["NaN", "Infinity", "-Infinity", "1e300", "-1e300", "1e-300", "-0.0", "0", "1", "-2.5", "1.7e308", "1e-290"];
    match random.below(5) {
        0 => (Type::Float, "DOUBLE", of(random, FINE)),
        1 | 2 => (Type::Float, "DOUBLE", of(random, WILD)),
        _ => (Type::Float, "DOUBLE", of(random, GRID)),
    }
}

fn decimals(random: &mut Random) -> Kind {
    const WIDE: &[&str] = &[
        "1234567890123456789012345.0123456789",
        "-9999999999999999999999999999.9999999999",
        "0.0000000001",
        "0",
        "1.5",
        "2.5",
    ];
    match random.below(6) {
        0 => (Type::Decimal, "DECIMAL(38,10)", of(random, WIDE)),
        1 => (Type::Decimal, "DECIMAL(18,4)", of(random, &["99999999999999.9999", "0.0001", "-0.5", "12.3456", "7"])),
        2 => (Type::Decimal, "DECIMAL(4,1)", of(random, &["999.9", "-999.9", "0.1", "0.2", "0.3"])),
        3 => (Type::Decimal, "DECIMAL(9,0)", of(random, &["999999999", "-999999999", "0", "1", "2"])),
        _ => (
            Type::Decimal,
            "DECIMAL(12,2)",
            of(random, &["0.10", "0.31", "0.30", "19.99", "-5.01", "0", "1000.55", "7.02"]),
        ),
    }
}

const WORDS: &[&str] = &["North", "south", "SOUTH", "East", "east side", "West", "north-west", "Z"];
const HOSTILE: &[&str] = &[
    "",
    " ",
    "O'Neil",
    "\"quoted\"",
    "%",
    "_",
    "a\\b",
    "İ",
    "i",
    "ß",
    "SS",
    "Σ",
    "σ",
    "ς",
    "日本",
    "😀",
    "é",
    "e\u{301}",
    "NULL",
    "null",
    "NaN",
    "-- x",
    "'; DROP TABLE facts; --",
    "line\nbreak",
    "tab\there",
    "\u{202e}rtl",
    "\u{feff}bom",
    "Ǆ",
    "ǅ",
    "K",
    "\u{212a}",
    "ﬁ",
    "\u{fffd}",
    "\u{10ffff}",
];
const WRITTEN_NUMBERS: &[&str] = &[
    "1,234",
    "$5",
    "12 %",
    "-3.5",
    "1e5",
    "",
    ".5",
    "5.",
    "+7",
    "1,23",
    "\u{2212}4",
    "\u{2212}1,000.5",
    "\u{2212}12 %",
    "€ 1,000.25",
    "12a",
    "٣",
    "1 000",
    "--1",
    "0",
    "007",
    "1,234,567.5",
    "Infinity",
    "0x10",
    "1_000",
    ".",
    "-",
    "\u{a0}8",
    "9\u{202f}9",
];
const TIMES: &[&str] = &["00:00:00", "23:59:59.999999", "09:30:00", "09:30:00.5", "12:00:00"];
const DOCUMENTS: &[&str] = &["{}", "[1,2]", "{\"a\":1}", "null", "\"x\"", "3"];
const DAYS: &[&str] = &[
    "2023-12-31",
    "2024-01-01",
    "2024-02-28",
    "2024-02-29",
    "2024-03-01",
    "2024-12-29",
    "2024-12-30",
    "2024-12-31",
    "2025-01-01",
    "2025-01-05",
    "2025-01-06",
    "2020-12-31",
    "2021-01-03",
    "2021-01-04",
    "1970-01-01",
    "1969-12-31",
    "0001-01-01",
    "9999-12-31",
    "1582-10-10",
    "2000-02-29",
    "1900-03-01",
];

/// Each grain and the first day of a row of its periods, one of which is missing.
const STEPS: [(&str, &str); 6] = [
    ("year", "2019-11"),
    ("quarter", "2022-02"),
    ("month", "2023-10"),
    ("week", "2026-04"),
    ("day", "2028-02"),
    ("hour", "2025-03-30T22"),
];

/// Edges of periods, or days of periods in a row.
fn days(random: &mut Random) -> Vec<String> {
    if random.chance(30) {
        return of(random, DAYS);
    }
    let (step, _) = *random.pick(&STEPS[..5]);
    let day = |index: usize| match step {
        "year" => format!("{}-11-30", 2019 + index),
        "quarter" => format!("{}-{:02}-01", 2022 + index / 4, 2 + index % 4 * 3),
        "month" => format!("{}-{:02}-{:02}", 2023 + (index + 9) / 12, (index + 9) % 12 + 1, 1 + index),
        "week" => format!("2026-04-{:02}", 1 + 7 * index.min(4)),
        _ => format!("2028-{}", ["02-27", "02-28", "02-29", "03-01", "03-03", "03-04"][index]),
    };
    let missing = random.between(1, 5);
    (0..random.between(3, 6)).filter(|index| *index != missing).map(day).collect()
}

fn moments(random: &mut Random) -> Vec<String> {
    if random.chance(30) {
        let hour = |hour: usize| format!("2025-03-{}T{:02}:59:59", 30 + (22 + hour) / 24, (22 + hour) % 24);
        return (0..random.between(3, 6)).filter(|index| *index != 4).map(hour).collect();
    }
    days(random).iter().map(|day| format!("{day}T{}", random.pick(TIMES))).collect()
}
