//! Small datasets for planning: three shaped like the built-in ones, the others like files that people have.

mod amounts;
mod baths;
mod couriers;
mod dates;
mod harbour;
mod headers;
mod inns;
mod parishes;
mod plain;
mod pool;
mod roles;
mod school;
mod shorts;
mod spans;
mod words;

use base::{Cell, Hash, Type};
use data::Dataset;
use data::dataset::{ColumnInfo, DeclaredMeasure, Relation, TableInfo};
use data::plan::{Agg, Expr, Op};

/// The dataset of that name.
pub fn named(name: &str) -> Dataset {
    match name {
        "ecommerce" => ecommerce(),
        "support" => support(),
        "sensors" => sensors(),
        "employees" => employees(),
        "weather" => weather(),
        "books" => books(),
        "sales" => sales(),
        "flights" => flights(),
        _ => plain::named(name)
            .or_else(|| headers::named(name))
            .or_else(|| harbour::named(name))
            .or_else(|| spans::named(name))
            .or_else(|| school::named(name))
            .or_else(|| couriers::named(name))
            .or_else(|| parishes::named(name))
            .or_else(|| baths::named(name))
            .or_else(|| inns::named(name))
            .or_else(|| roles::named(name))
            .or_else(|| words::named(name))
            .or_else(|| amounts::named(name))
            .or_else(|| dates::named(name))
            .or_else(|| shorts::named(name))
            .or_else(|| pool::named(name))
            .unwrap_or_else(|| panic!("no test dataset {name}")),
    }
}

fn dataset(id: &str, tables: Vec<TableInfo>) -> Dataset {
    Dataset {
        id: id.to_string(),
        version: Hash::of(id.as_bytes()),
        description: String::new(),
        tables,
        relations: Vec::new(),
        measures: Vec::new(),
        questions: Vec::new(),
    }
}

fn table(name: &str, rows: u64, columns: Vec<ColumnInfo>) -> TableInfo {
    let (description, synonyms, cells) = (String::new(), Vec::new(), Vec::new());
    TableInfo { name: name.to_string(), description, noun: None, synonyms, rows, columns, cells }
}

trait Words: Sized {
    fn noun(self, noun: &str) -> Self;
    fn words(self, synonyms: &[&str]) -> Self;
}

impl Words for TableInfo {
    fn noun(self, noun: &str) -> Self {
        TableInfo { noun: Some(noun.to_string()), ..self }
    }
    fn words(self, synonyms: &[&str]) -> Self {
        TableInfo { synonyms: synonyms.iter().map(|word| word.to_string()).collect(), ..self }
    }
}

impl Words for ColumnInfo {
    fn noun(self, noun: &str) -> Self {
        ColumnInfo { noun: Some(noun.to_string()), ..self }
    }
    fn words(self, synonyms: &[&str]) -> Self {
        ColumnInfo { synonyms: synonyms.iter().map(|word| word.to_string()).collect(), ..self }
    }
}

trait Profile {
    fn unit(self, unit: &str) -> Self;
    fn nulls(self, nulls: u64) -> Self;
}

impl Profile for ColumnInfo {
    fn unit(self, unit: &str) -> Self {
        ColumnInfo { unit: Some(unit.to_string()), ..self }
    }
    fn nulls(self, nulls: u64) -> Self {
        ColumnInfo { nulls, ..self }
    }
}

fn column(name: &str, ty: Type, distinct: u64) -> ColumnInfo {
    ColumnInfo {
        name: name.to_string(),
        ty,
        description: String::new(),
        synonyms: Vec::new(),
        noun: None,
        unit: None,
        nulls: 0,
        distinct,
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

fn key(name: &str, rows: u64) -> ColumnInfo {
    let bounds = (Some(Cell::from(1)), Some(Cell::from(rows)));
    ColumnInfo { unique: true, min: bounds.0, max: bounds.1, ..column(name, Type::Int, rows) }
}

fn int(name: &str, distinct: u64, min: i64, max: i64) -> ColumnInfo {
    ColumnInfo { min: Some(Cell::from(min)), max: Some(Cell::from(max)), ..column(name, Type::Int, distinct) }
}

fn decimal(name: &str, min: &str, max: &str) -> ColumnInfo {
    ColumnInfo { min: Some(Cell::from(min)), max: Some(Cell::from(max)), ..column(name, Type::Decimal, 900) }
}

fn text(name: &str, values: &[&str]) -> ColumnInfo {
    let values: Vec<String> = values.iter().map(|value| value.to_string()).collect();
    ColumnInfo { values, values_complete: true, ..column(name, Type::Text, 0) }.counted()
}

fn name_of(name: &str, values: &[&str]) -> ColumnInfo {
    ColumnInfo { unique: true, ..text(name, values) }
}

fn flag(name: &str) -> ColumnInfo {
    column(name, Type::Bool, 2)
}

fn day(name: &str, first: &str, last: &str) -> ColumnInfo {
    ColumnInfo { min: Some(Cell::from(first)), max: Some(Cell::from(last)), ..column(name, Type::Date, 180) }
}

fn moment(name: &str, first: &str, last: &str) -> ColumnInfo {
    ColumnInfo { ty: Type::Timestamp, ..day(name, first, last) }
}

trait Counted {
    fn counted(self) -> Self;
}

impl Counted for ColumnInfo {
    fn counted(self) -> Self {
        ColumnInfo { distinct: self.values.len() as u64, ..self }
    }
}

fn link(from: &str, to: &str) -> Relation {
    let parts = |text: &str| text.split_once('.').map(|(a, b)| (a.to_string(), b.to_string())).expect("table.column");
    let ((from_table, from_column), (to_table, to_column)) = (parts(from), parts(to));
    Relation { from_table, from_column, to_table, to_column }
}

fn measure(name: &str, synonyms: &[&str], agg: Agg, expr: Expr, tables: &[&str], unit: &str) -> DeclaredMeasure {
    DeclaredMeasure {
        name: name.to_string(),
        synonyms: synonyms.iter().map(|word| word.to_string()).collect(),
        agg,
        expr: Some(expr),
        tables: tables.iter().map(|table| table.to_string()).collect(),
        unit: Some(unit.to_string()),
        description: String::new(),
    }
}

fn ecommerce() -> Dataset {
    let categories = ["Electronics", "Clothing", "Home", "Books", "Toys"];
    let orders = table(
        "orders",
        4018,
        vec![
            key("order_id", 4018).noun("order"),
            int("customer_id", 1500, 1, 1600).noun("customer").words(&["buyer", "client", "shopper"]),
            day("order_date", "2026-01-02", "2026-06-30").words(&["date", "ordered", "placed"]),
            decimal("total", "4.10", "2900.00").unit("USD").words(&["order value", "order total", "amount"]),
            text("status", &["completed", "returned", "cancelled"]).words(&["order status", "state"]),
            flag("returned").words(&["sent back", "came back"]),
        ],
    );
    let items = table(
        "order_items",
        9008,
        vec![
            key("item_id", 9008).noun("item"),
            int("order_id", 4018, 1, 4018).noun("order"),
            int("product_id", 497, 1, 500).noun("product"),
            text("category", &categories).words(&["product category", "department"]),
            int("quantity", 5, 1, 5).unit("units").words(&["pieces"]),
            decimal("price", "3.00", "1200.00").unit("USD").words(&["unit price"]),
            int("discount", 7, 0, 30).unit("percent").words(&["reduction", "discount percent"]),
        ],
    );
    let inventory = table(
        "inventory",
        500,
        vec![
            key("product_id", 500).noun("product"),
            name_of("name", &["Solar Lamp", "Wool Scarf", "Desk Fan"])
                .noun("product")
                .words(&["product name", "title"]),
            text("category", &categories).words(&["product category", "department"]),
            int("stock", 180, 0, 400).unit("units").words(&["in stock", "units in stock", "stock level", "left"]),
        ],
    );
    let tables = vec![
        orders.noun("order").words(&["purchase"]),
        items.noun("item").words(&["order item", "order line", "line item"]),
        inventory.noun("product").words(&["article", "catalogue"]),
    ];
    let op = |op, args| Expr::Op { op, args };
    let lit = |number: i64| Expr::Lit { lit: Cell::from(number) };
    let item = |name: &str| Expr::col(format!("order_items.{name}"));
    let net = op(Op::Sub, vec![lit(1), op(Op::Div, vec![item("discount"), lit(100)])]);
    let revenue = op(Op::Mul, vec![op(Op::Mul, vec![item("price"), item("quantity")]), net]);
    let returned = Expr::col("orders.returned");
    let measures = vec![
        measure("revenue", &["sales", "turnover", "income"], Agg::Sum, revenue, &["order_items"], "USD"),
        measure(
            "items sold",
            &["units sold", "units", "quantity sold"],
            Agg::Sum,
            item("quantity"),
            &["order_items"],
            "units",
        ),
        measure(
            "average order value",
            &["aov", "average order"],
            Agg::Avg,
            Expr::col("orders.total"),
            &["orders"],
            "USD",
        ),
        measure(
            "return rate",
            &["returns rate", "share returned"],
            Agg::Avg,
            returned,
            &["orders", "order_items"],
            "share",
        ),
    ];
    let relations =
        vec![link("order_items.order_id", "orders.order_id"), link("order_items.product_id", "inventory.product_id")];
    let questions = [
        "What are the top 10 products by revenue?",
        "What is the return rate by category?",
        "Which products have fewer than 20 units in stock?",
        "What was the revenue by category last month?",
        "What is the average order value by month?",
        "How many orders are there by status?",
    ];
    let questions = questions.iter().map(|question| question.to_string()).collect();
    Dataset { relations, measures, questions, ..dataset("ecommerce", tables) }
}

fn support() -> Dataset {
    let tickets = table(
        "tickets",
        6417,
        vec![
            key("ticket_id", 6417).noun("ticket"),
            moment("created_at", "2026-04-02T00:10:00", "2026-06-30T22:41:00").words(&[
                "created",
                "opened",
                "submitted",
                "date",
            ]),
            moment("resolved_at", "2026-04-02T03:00:00", "2026-07-01T09:00:00")
                .nulls(800)
                .words(&["resolved", "solved"]),
            text("category", &["Technical", "Billing", "Account", "Product"]).words(&["topic", "ticket category"]),
            text("priority", &["Low", "Medium", "High", "Critical"]).words(&["urgency", "severity"]),
            int("csat_score", 5, 1, 5).nulls(2500).unit("points").words(&[
                "satisfaction score",
                "score",
                "customer rating",
                "rating",
            ]),
            flag("sla_met").words(&["met the sla", "within sla", "on time"]),
            decimal("resolution_time_hours", "0.10", "140.00").nulls(800).unit("hours").words(&[
                "resolution hours",
                "time to resolve",
                "hours to resolve",
                "took to resolve",
            ]),
            text("status", &["Open", "Resolved", "Closed"]).words(&["state", "ticket status"]),
            int("agent_id", 24, 1, 24).noun("agent").words(&["assignee", "employee"]),
            text("channel", &["Email", "Chat", "Phone"]).words(&["contact channel", "medium"]),
        ],
    );
    let ticket = |name: &str| Expr::col(format!("tickets.{name}"));
    let measures = vec![
        measure(
            "SLA compliance",
            &["sla compliance rate", "sla rate", "service level"],
            Agg::Avg,
            ticket("sla_met"),
            &["tickets"],
            "share",
        ),
        measure(
            "satisfaction",
            &["csat", "customer satisfaction", "average satisfaction"],
            Agg::Avg,
            ticket("csat_score"),
            &["tickets"],
            "points",
        ),
        measure(
            "resolution time",
            &["average resolution time", "handling time"],
            Agg::Avg,
            ticket("resolution_time_hours"),
            &["tickets"],
            "hours",
        ),
    ];
    let tables = vec![tickets.noun("ticket").words(&["case", "request", "issue"])];
    let questions = vec![
        "What is the SLA compliance by priority?".to_string(),
        "Which 5 agents have the lowest satisfaction?".to_string(),
    ];
    Dataset { measures, questions, ..dataset("support", tables) }
}

fn sensors() -> Dataset {
    let places = ["Boiler Room", "Assembly", "Loading Dock"];
    let kinds = ["high_temp", "low_temp", "high_humidity", "sensor_fault", "vibration_alarm"];
    let sensors = table(
        "sensors",
        49950,
        vec![
            text("sensor_id", &["S-001", "S-002", "S-150"]).noun("sensor").words(&["device"]),
            moment("timestamp", "2026-06-01T00:00:00", "2026-06-30T23:55:00").words(&["time", "date", "taken"]),
            text("location", &places).words(&["place", "site"]),
            text("zone", &["North", "South", "East", "West"]).words(&["area"]),
            decimal("temperature_c", "-5.00", "48.00").nulls(90).unit("°C").words(&["temperature", "temp"]),
            decimal("humidity_pct", "10.00", "99.00")
                .nulls(90)
                .unit("percent")
                .words(&["humidity", "relative humidity"]),
            decimal("pressure_hpa", "980.00", "1040.00").nulls(90).unit("hPa").words(&["pressure", "air pressure"]),
            decimal("vibration_mm_s", "0.00", "19.00").nulls(90).unit("mm/s").words(&["vibration"]),
            flag("anomaly_flag").words(&["anomaly", "anomalous", "abnormal", "flagged"]),
            text("anomaly_type", &kinds).nulls(48000).words(&["type of anomaly", "anomaly kind"]),
            int("battery_pct", 101, 0, 100).nulls(29000).unit("percent").words(&["battery", "battery level", "charge"]),
            text("status", &["online", "offline", "maintenance"]).words(&["state", "sensor status"]),
        ],
    );
    let anomaly = Expr::col("sensors.anomaly_flag");
    let measures = vec![measure("anomaly rate", &["share of anomalies"], Agg::Avg, anomaly, &["sensors"], "share")];
    let tables = vec![sensors.noun("reading").words(&["measurement", "record"])];
    Dataset { measures, ..dataset("sensors", tables) }
}

fn employees() -> Dataset {
    let employees = table(
        "employees",
        120,
        vec![
            key("Employee ID", 120),
            name_of("Name", &["Ada Young", "Ben Stone", "Carla Diaz"]),
            text("Department", &["Sales", "IT", "Human Resources", "Finance"]),
            text("Job Title", &["Manager", "Analyst", "Engineer"]),
            int("Salary", 110, 28000, 190000),
            int("Age", 40, 19, 66),
            day("Hire Date", "2009-03-01", "2025-11-15"),
            text("Remote", &["Yes", "No"]),
            text("City", &["Berlin", "Paris", "New York"]),
        ],
    );
    dataset("employees", vec![employees])
}

fn weather() -> Dataset {
    let weather = table(
        "weather_2024",
        1464,
        vec![
            day("Date", "2024-01-01", "2024-12-31"),
            text("City", &["Oslo", "Rome", "Lima", "Cairo"]),
            decimal("Temperature (°C)", "-20.0", "44.0"),
            decimal("Rainfall (mm)", "0.0", "80.0"),
            decimal("WindSpeed_kmh", "0.0", "120.0"),
            text("Conditions", &["Sunny", "Cloudy", "Rain", "Snow"]),
        ],
    );
    dataset("weather", vec![weather])
}

fn books() -> Dataset {
    let books = table(
        "books",
        300,
        vec![
            key("book_id", 300),
            name_of("title", &["Deep Water", "The Long Road"]),
            int("author_id", 80, 1, 90),
            text("genre", &["Fantasy", "History", "Poetry"]),
            int("pages", 250, 40, 1200),
            int("year", 60, 1950, 2024),
            decimal("rating", "1.0", "5.0").nulls(12),
        ],
    );
    let authors = table(
        "authors",
        90,
        vec![
            key("author_id", 90),
            name_of("name", &["Mira Holt", "Jon Berg"]),
            text("country", &["Norway", "Chile", "Japan"]),
        ],
    );
    let relations = vec![link("books.author_id", "authors.author_id")];
    Dataset { relations, ..dataset("books", vec![books, authors]) }
}

fn sales() -> Dataset {
    let sales = table(
        "sales",
        2400,
        vec![
            day("Order Date", "2023-01-03", "2024-12-29"),
            text("Region", &["East", "West", "Central"]),
            text("Customer Name", &["Acme Corp", "Blue Sky", "Zed Ltd"]),
            text("Product", &["Chair", "Table", "Lamp"]),
            int("Units", 60, 1, 60),
            decimal("Unit Price", "2.50", "900.00"),
            decimal("Sales", "2.50", "40000.00"),
            decimal("Profit", "-900.00", "9000.00"),
            text("Paid", &["Yes", "No"]),
        ],
    );
    dataset("sales", vec![sales])
}

fn flights() -> Dataset {
    let flights = table(
        "flights",
        900,
        vec![
            key("flight_id", 900),
            text("origin", &["OSL", "FCO", "CAI"]),
            text("destination", &["OSL", "FCO", "CAI"]),
            int("delay_minutes", 200, 0, 400),
            flag("cancelled"),
            day("flight_date", "2025-01-01", "2025-12-31"),
        ],
    );
    let airports = table(
        "airports",
        3,
        vec![name_of("code", &["OSL", "FCO", "CAI"]), text("country", &["Norway", "Italy", "Egypt"])],
    );
    let relations = vec![link("flights.origin", "airports.code"), link("flights.destination", "airports.code")];
    Dataset { relations, ..dataset("flights", vec![flights, airports]) }
}
