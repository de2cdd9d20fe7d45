//! The built-in datasets: their bytes are pinned, their rows have the shapes the machine interface promises, and their
//! metadata fits them.

use std::collections::{BTreeMap, BTreeSet};

use base::{Hash, Type};
use data::builtin;
use data::dataset::{Dataset, Relation};
use data::metadata::{self, Metadata};
use data::profile::{ColumnProfile, Profile, TableProfile};
use serde_json::Value;

const EXPECTED: &str = include_str!("../datasets/expected.py");

/// A table read back: column names and rows of text, `None` where the field is empty.
struct Rows {
    header: Vec<String>,
    rows: Vec<Vec<Option<String>>>,
}

impl Rows {
    fn column(&self, name: &str) -> impl Iterator<Item = Option<&str>> {
        let index = self.header.iter().position(|column| column == name).expect("the column exists");
        self.rows.iter().map(move |row| row[index].as_deref())
    }

    fn texts(&self, name: &str) -> Vec<&str> {
        self.column(name).map(|cell| cell.expect("this column has no nulls")).collect()
    }

    fn numbers(&self, name: &str) -> Vec<f64> {
        self.texts(name).iter().map(|text| text.parse().expect("a number")).collect()
    }

    fn optional_numbers(&self, name: &str) -> Vec<Option<f64>> {
        self.column(name).map(|cell| cell.map(|text| text.parse().expect("a number"))).collect()
    }
}

/// Reads RFC 4180 text by its own rules, independent of the writer.
fn read(text: &str) -> Rows {
    let (mut records, mut record, mut field) = (Vec::new(), Vec::new(), String::new());
    let (mut quoted, mut was_quoted) = (false, false);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => field.extend(chars.next()),
            '"' => (quoted, was_quoted) = (!quoted, true),
            ',' | '\n' if !quoted => {
                let value = std::mem::take(&mut field);
                record.push((!value.is_empty() || was_quoted).then_some(value));
                was_quoted = false;
                if c == '\n' {
                    records.push(std::mem::take(&mut record));
                }
            }
            c => field.push(c),
        }
    }
    assert!(record.is_empty() && field.is_empty(), "the text ends with a line end");
    let header = records.remove(0).into_iter().map(|name| name.expect("columns have names")).collect();
    Rows { header, rows: records }
}

fn table(dataset: &str, name: &str) -> Rows {
    let files = builtin::files(dataset).expect("a built-in dataset");
    let (_, bytes) = files.tables.into_iter().find(|(table, _)| table == name).expect("the table exists");
    read(&String::from_utf8(bytes).expect("the text is UTF-8"))
}

fn close(what: &str, found: f64, wanted: f64, tolerance: f64) {
    assert!((found - wanted).abs() <= tolerance, "{what}: {found:.4} is not within {tolerance} of {wanted}");
}

fn share<T>(items: impl IntoIterator<Item = T>, mut is: impl FnMut(&T) -> bool) -> f64 {
    let (mut count, mut all) = (0_u32, 0_u32);
    for item in items {
        count += u32::from(is(&item));
        all += 1;
    }
    f64::from(count) / f64::from(all)
}

fn distinct<'a>(values: impl IntoIterator<Item = &'a str>) -> BTreeSet<&'a str> {
    values.into_iter().collect()
}

/// 0 for Monday.
fn weekday(text: &str) -> i8 {
    text[..10].parse::<jiff::civil::Date>().expect("a date").weekday().to_monday_zero_offset()
}

fn seconds(moment: &str) -> i64 {
    let moment: jiff::civil::DateTime = moment.parse().expect("a moment");
    moment.to_zoned(jiff::tz::TimeZone::UTC).expect("a civil time is a time in UTC").timestamp().as_second()
}

#[test]
fn the_bytes_are_pinned() {
    for dataset in builtin::names() {
        let files = builtin::files(dataset).expect("a built-in dataset");
        assert_eq!(Some(&files), builtin::files(dataset).as_ref(), "generating twice gives the same");
        let generated: Vec<(String, String)> =
            files.tables.iter().map(|(table, bytes)| (table.clone(), Hash::of(bytes).to_string())).collect();
        let pinned: Vec<(String, String)> =
            builtin::hashes(dataset).map(|(table, hash)| (table.to_string(), hash.to_string())).collect();
        assert_eq!(generated, pinned, "{dataset}");
    }
    assert_eq!(builtin::files("nonsense"), None);
}

#[test]
fn orders_have_their_shape() {
    let orders = table("ecommerce", "orders");
    assert_eq!(orders.header, ["order_id", "customer_id", "order_date", "total", "status", "returned"]);
    assert_eq!(orders.rows.len(), 4_018);
    let customers = distinct(orders.texts("customer_id")).len();
    assert!((1_450..=1_550).contains(&customers), "{customers} customers");
    let statuses = orders.texts("status");
    assert_eq!(distinct(statuses.iter().copied()), BTreeSet::from(["cancelled", "completed", "returned"]));
    close("returned", share(&statuses, |status| **status == "returned"), 0.12, 0.005);
    close("cancelled", share(&statuses, |status| **status == "cancelled"), 0.03, 0.003);
    for (status, returned) in statuses.iter().zip(orders.texts("returned")) {
        assert_eq!(returned, if *status == "returned" { "true" } else { "false" });
    }
    let dates = orders.texts("order_date");
    let days = distinct(dates.iter().copied());
    assert_eq!((days.first(), days.last()), (Some(&"2026-01-02"), Some(&"2026-06-30")));
    assert_eq!(days.len(), 180);
    let is_weekend = |day: &str| weekday(day) >= 5;
    let weekend_days = days.iter().filter(|day| is_weekend(day)).count() as f64;
    let weekend_orders = dates.iter().filter(|day| is_weekend(day)).count() as f64;
    let ratio = (weekend_orders / weekend_days) / ((4_018.0 - weekend_orders) / (180.0 - weekend_days));
    close("weekends against weekdays", ratio, 1.3, 0.06);
}

#[test]
fn items_have_their_shape_and_add_up() {
    let (orders, items, inventory) =
        (table("ecommerce", "orders"), table("ecommerce", "order_items"), table("ecommerce", "inventory"));
    assert_eq!(items.header, ["item_id", "order_id", "product_id", "category", "quantity", "price", "discount"]);
    assert_eq!(items.rows.len(), 9_008);
    assert_eq!(distinct(items.texts("item_id")).len(), 9_008);
    let discounts = items.numbers("discount");
    close("discounted", share(&discounts, |percent| **percent > 0.0), 0.40, 0.015);
    assert!(discounts.iter().all(|percent| *percent == 0.0 || (5.0..=30.0).contains(percent)));
    let (prices, quantities) = (items.numbers("price"), items.numbers("quantity"));
    assert!(prices.iter().all(|price| *price > 0.0) && quantities.iter().all(|quantity| *quantity >= 1.0));

    let category_of: BTreeMap<&str, &str> =
        inventory.texts("product_id").into_iter().zip(inventory.texts("category")).collect();
    let returned: BTreeMap<&str, bool> =
        orders.texts("order_id").into_iter().zip(orders.texts("returned").iter().map(|cell| *cell == "true")).collect();
    let (order_ids, categories) = (items.texts("order_id"), items.texts("category"));
    for (product, category) in items.texts("product_id").iter().zip(&categories) {
        assert_eq!(category_of[product], *category);
    }
    for (category, wanted) in [("Clothing", 0.18), ("Books", 0.05)] {
        let members = order_ids.iter().zip(&categories).filter(|(_, other)| **other == category);
        close(category, share(members, |(order, _)| returned[*order]), wanted, 0.01);
    }

    let mut sums: BTreeMap<&str, f64> = BTreeMap::new();
    for (index, order) in order_ids.iter().enumerate() {
        *sums.entry(order).or_default() += prices[index] * quantities[index] * (100.0 - discounts[index]) / 100.0;
    }
    for (order, total) in orders.texts("order_id").iter().zip(orders.numbers("total")) {
        close("the total of its lines", sums[order], total, 0.005_001);
    }
}

#[test]
fn inventory_has_its_shape() {
    let inventory = table("ecommerce", "inventory");
    assert_eq!(inventory.header, ["product_id", "name", "category", "stock"]);
    assert_eq!(inventory.rows.len(), 500);
    assert_eq!(distinct(inventory.texts("product_id")).len(), 500);
    assert_eq!(distinct(inventory.texts("name")).len(), 500);
    assert_eq!(
        distinct(inventory.texts("category")),
        BTreeSet::from(["Books", "Clothing", "Electronics", "Home", "Toys"])
    );
    let stock = inventory.numbers("stock");
    close("out of stock", share(&stock, |units| **units == 0.0), 0.10, 0.001);
    close("under 20", share(&stock, |units| **units < 20.0), 0.30, 0.001);
}

#[test]
fn tickets_have_their_shape() {
    let tickets = table("support", "tickets");
    assert_eq!(
        tickets.header,
        [
            "ticket_id",
            "created_at",
            "resolved_at",
            "category",
            "priority",
            "csat_score",
            "sla_met",
            "resolution_time_hours",
            "status",
            "agent_id",
            "channel"
        ]
    );
    assert_eq!(tickets.rows.len(), 6_417);
    let set = |column: &str| distinct(tickets.texts(column));
    assert_eq!(set("ticket_id").len(), 6_417);
    assert_eq!(set("category"), BTreeSet::from(["Account", "Billing", "Product", "Technical"]));
    assert_eq!(set("status"), BTreeSet::from(["Closed", "Open", "Resolved"]));
    assert_eq!(set("channel"), BTreeSet::from(["Chat", "Email", "Phone"]));
    let scores = tickets.optional_numbers("csat_score");
    close("with a score", share(&scores, |score| score.is_some()), 0.60, 0.001);
    assert!(scores.iter().flatten().all(|score| (1.0..=5.0).contains(score)));

    let (priorities, met) = (tickets.texts("priority"), tickets.texts("sla_met"));
    assert_eq!(set("priority").len(), 4);
    for (priority, compliance) in [("Critical", 0.70), ("High", 0.80), ("Medium", 0.90), ("Low", 0.95)] {
        let members = priorities.iter().zip(&met).filter(|(other, _)| **other == priority);
        close(priority, share(members, |(_, met)| **met == "true"), compliance, 0.01);
    }
    let created = tickets.texts("created_at");
    let days = distinct(created.iter().map(|moment| &moment[..10]));
    assert_eq!((days.len(), days.first(), days.last()), (90, Some(&"2026-04-02"), Some(&"2026-06-30")));
    let in_business_hours = |moment: &str| (9..18).contains(&moment[11..13].parse::<u32>().expect("an hour"));
    assert!(share(&created, |moment| in_business_hours(moment)) > 0.7);
    let per_weekday = |wanted: i8| {
        let tickets = created.iter().filter(|moment| weekday(moment) == wanted).count() as f64;
        tickets / days.iter().filter(|day| weekday(day) == wanted).count() as f64
    };
    assert!((1..7).all(|other| per_weekday(0) > 1.2 * per_weekday(other)), "Mondays are the busiest");
}

#[test]
fn a_ticket_agrees_with_itself() {
    let tickets = table("support", "tickets");
    let resolved: Vec<Option<&str>> = tickets.column("resolved_at").collect();
    let hours = tickets.optional_numbers("resolution_time_hours");
    let (created, statuses) = (tickets.texts("created_at"), tickets.texts("status"));
    let (priorities, met) = (tickets.texts("priority"), tickets.texts("sla_met"));
    let end = seconds("2026-06-30 23:59:59");
    for index in 0..tickets.rows.len() {
        let target = match priorities[index] {
            "Critical" => 4.0,
            "High" => 8.0,
            "Medium" => 24.0,
            _ => 72.0,
        };
        let open = statuses[index] == "Open";
        assert_eq!((open, open), (resolved[index].is_none(), hours[index].is_none()), "row {index}");
        let until = resolved[index].map_or(end, seconds);
        assert!(until <= end, "row {index}");
        let elapsed = (until - seconds(created[index])) as f64 / 3600.0;
        if let Some(hours) = hours[index] {
            close("hours between the stamps", hours, elapsed, 1e-9);
        }
        assert_eq!(met[index] == "true", elapsed <= target + 1e-9, "row {index}");
    }
    close("open", share(&statuses, |status| **status == "Open"), 0.04, 0.02);
}

#[test]
fn readings_have_their_shape() {
    let readings = table("sensors", "sensors");
    assert_eq!(
        readings.header,
        [
            "sensor_id",
            "timestamp",
            "location",
            "zone",
            "temperature_c",
            "humidity_pct",
            "pressure_hpa",
            "vibration_mm_s",
            "anomaly_flag",
            "anomaly_type",
            "battery_pct",
            "status"
        ]
    );
    assert_eq!(readings.rows.len(), 49_950);
    let set = |column: &str| distinct(readings.texts(column));
    assert_eq!((set("sensor_id").len(), set("location").len()), (150, 10));
    assert_eq!(set("zone"), BTreeSet::from(["East", "North", "South", "West"]));
    assert_eq!(set("status"), BTreeSet::from(["maintenance", "offline", "online"]));
    let days = distinct(readings.texts("timestamp").into_iter().map(|moment| &moment[..10]));
    assert_eq!((days.len(), days.first(), days.last()), (30, Some(&"2026-06-01"), Some(&"2026-06-30")));

    let (flags, kinds) = (readings.texts("anomaly_flag"), readings.column("anomaly_type"));
    close("anomalies", share(&flags, |flag| **flag == "true"), 0.03, 0.0005);
    let mut seen = BTreeSet::new();
    for (flag, kind) in flags.iter().zip(kinds) {
        assert_eq!(*flag == "true", kind.is_some());
        seen.extend(kind);
    }
    let kinds = BTreeSet::from(["high_humidity", "high_temp", "low_temp", "sensor_fault", "vibration_alarm"]);
    assert_eq!(seen, kinds);

    let mut battery: BTreeMap<&str, BTreeSet<bool>> = BTreeMap::new();
    for (sensor, charge) in readings.texts("sensor_id").iter().zip(readings.optional_numbers("battery_pct")) {
        battery.entry(sensor).or_default().insert(charge.is_some());
        assert!(charge.is_none_or(|charge| (0.0..=100.0).contains(&charge)));
    }
    assert!(battery.values().all(|kinds| kinds.len() == 1), "a sensor is on battery or it is not");
    assert_eq!(battery.values().filter(|kinds| kinds.contains(&true)).count(), 60);
    for column in ["temperature_c", "humidity_pct", "pressure_hpa", "vibration_mm_s"] {
        let missing = share(readings.column(column), Option::is_none);
        assert!((0.005..0.05).contains(&missing), "{column}: {missing} missing");
    }
    let humidity = readings.optional_numbers("humidity_pct");
    assert!(humidity.iter().flatten().all(|percent| (0.0..=100.0).contains(percent)));
}

#[test]
fn temperature_follows_the_day() {
    let readings = table("sensors", "sensors");
    let mut by_hour = vec![(0.0, 0.0); 24];
    for (moment, temperature) in readings.texts("timestamp").iter().zip(readings.optional_numbers("temperature_c")) {
        if let Some(temperature) = temperature {
            let hour: usize = moment[11..13].parse().expect("an hour");
            by_hour[hour] = (by_hour[hour].0 + temperature, by_hour[hour].1 + 1.0);
        }
    }
    let mean = |hour: usize| by_hour[hour].0 / by_hour[hour].1;
    assert!(by_hour.iter().all(|(_, count)| *count > 1_000.0), "every hour is read");
    let warmest = (0..24).max_by(|a, b| mean(*a).total_cmp(&mean(*b))).expect("there are hours");
    let coldest = (0..24).min_by(|a, b| mean(*a).total_cmp(&mean(*b))).expect("there are hours");
    assert!((13..=16).contains(&warmest) && (2..=5).contains(&coldest), "{coldest} and {warmest}");
    assert!(mean(warmest) - mean(coldest) > 4.0);
}

/// What ingest would measure, by the declared types.
fn profile(dataset: &str) -> Profile {
    let files = builtin::files(dataset).expect("a built-in dataset");
    let metadata = Metadata::parse(files.metadata).expect("the metadata is well formed");
    let types: BTreeMap<(&str, &str), Type> =
        metadata.types().into_iter().map(|(table, column, ty)| ((table, column), ty)).collect();
    let measure = |(name, bytes): &(String, Vec<u8>)| {
        let rows = read(std::str::from_utf8(bytes).expect("the text is UTF-8"));
        let column = |column: &String| {
            let present: Vec<&str> = rows.column(column).flatten().collect();
            let distinct = distinct(present.iter().copied());
            ColumnProfile {
                name: column.clone(),
                ty: types[&(name.as_str(), column.as_str())],
                nulls: (rows.rows.len() - present.len()) as u64,
                distinct: distinct.len() as u64,
                unique: distinct.len() == rows.rows.len(),
                min: distinct.first().map(|text| Value::from(*text)),
                max: distinct.last().map(|text| Value::from(*text)),
                values: Vec::new(),
                values_complete: false,
                unit: None,
                quantiles: Vec::new(),
                quantiles_are_exact: true,
                top: Vec::new(),
                histogram: Vec::new(),
                pattern: None,
                example: None,
                running: None,
                stock: None,
                repeats_within: None,
                distinct_is_exact: true,
            }
        };
        TableProfile {
            name: name.clone(),
            rows: rows.rows.len() as u64,
            sampled_rows: None,
            columns: rows.header.iter().map(column).collect(),
            cells: Vec::new(),
        }
    };
    Profile { tables: files.tables.iter().map(measure).collect(), relations: Vec::new(), remarks: Vec::new() }
}

fn assembled(dataset: &str) -> Dataset {
    let metadata = Metadata::parse(builtin::files(dataset).expect("a built-in dataset").metadata).expect("well formed");
    Dataset::assemble(dataset, Hash::of(b"v"), &profile(dataset), &metadata).expect("the metadata fits the data")
}

#[test]
fn the_metadata_describes_every_column_and_survives_an_export() {
    for name in builtin::names() {
        let text = builtin::files(name).expect("a built-in dataset").metadata;
        let metadata = Metadata::parse(text).expect("the metadata is well formed");
        assert_eq!(Metadata::parse(&metadata.to_toml()).as_ref(), Ok(&metadata));
        let dataset = assembled(name);
        assert_eq!(dataset.questions.len(), 6);
        for question in &dataset.questions {
            let entry = format!("case(\"{name}\", \"{question}\"");
            assert!(EXPECTED.contains(&entry), "datasets/expected.py has no answer to: {question}");
        }
        for table in &dataset.tables {
            assert!(table.noun.is_some() && !table.description.is_empty(), "{}", table.name);
            for column in &table.columns {
                assert!(!column.description.is_empty(), "{}.{}", table.name, column.name);
            }
        }
    }
    let shop = assembled("ecommerce");
    assert_eq!(shop.relations.len(), 2);
    let measures: Vec<&str> = shop.measures.iter().map(|measure| measure.name.as_str()).collect();
    assert_eq!(measures, ["revenue", "items sold", "average order value", "return rate"]);
    let tables: Vec<&str> = shop.tables.iter().map(|table| table.name.as_str()).collect();
    assert_eq!(tables, ["orders", "order_items", "inventory"]);
}

fn refusal(text: &str) -> String {
    let metadata = Metadata::parse(text).expect("the text itself is fine");
    Dataset::assemble("shop", Hash::of(b"v"), &profile("ecommerce"), &metadata).expect_err("it must be refused")
}

#[test]
fn words_about_what_is_not_there_are_refused() {
    let measure = |rest: &str| refusal(&format!("[[measure]]\nname = 'm'\n{rest}"));
    assert_eq!(refusal("[[table]]\nname = 'ordrs'"), "the data has no table `ordrs`; did you mean `orders`?");
    assert_eq!(
        refusal("[[table]]\nname = 'Orders'\n[table.columns]\ntotall = {}"),
        "table `orders` has no column `totall`; did you mean `total`?"
    );
    assert_eq!(
        refusal("[[table]]\nname = 'orders'\n[table.columns]\nstatus = { type = 'date' }"),
        "column `orders.status` is declared as date but was read as text"
    );
    assert_eq!(
        refusal("relationships = ['orders.order_id -> order_items.order_id']"),
        "relationship `orders.order_id -> order_items.order_id`: values of `order_items.order_id` are not unique, so a \
         row could have several partners"
    );
    assert_eq!(measure("agg = 'count'"), "measure `m`: say with `tables` where it may be computed");
    assert_eq!(
        measure("agg = 'avg'\nexpr = 'order_items.price'\ntables = ['orders']"),
        "measure `m`: no link leads from a row of `orders` to one value of `order_items.price`"
    );
    assert_eq!(
        measure("agg = 'sum'\nexpr = 'status'\ntables = ['orders']"),
        "measure `m`: `orders.status` is text, which has no sum"
    );
}

fn link(from_table: &str, from_column: &str, to_table: &str, to_column: &str) -> Relation {
    Relation {
        from_table: from_table.to_string(),
        from_column: from_column.to_string(),
        to_table: to_table.to_string(),
        to_column: to_column.to_string(),
    }
}

#[test]
fn a_declared_link_takes_the_place_of_inferred_ones_between_its_tables() {
    let mut profile = profile("ecommerce");
    let by_product = link("order_items", "product_id", "inventory", "product_id");
    let not_unique = link("inventory", "category", "order_items", "category");
    let misled = link("order_items", "item_id", "orders", "order_id");
    profile.relations = vec![misled.clone(), not_unique, by_product.clone()];
    let declared = Metadata::parse("relationships = ['order_items.order_id -> orders.order_id']").expect("well formed");
    let relations =
        |metadata: &Metadata| Dataset::assemble("shop", Hash::of(b"v"), &profile, metadata).expect("it fits").relations;
    let by_order = link("order_items", "order_id", "orders", "order_id");
    assert_eq!(relations(&declared), [by_order, by_product.clone()]);
    assert_eq!(relations(&Metadata::default()), [misled, by_product]);
}

#[test]
fn a_forbidden_link_is_not_inferred_whichever_way_it_runs() {
    let text = |forbidden: &str| format!("not_relationships = ['{forbidden}']");
    let mut profile = profile("ecommerce");
    profile.relations = vec![
        link("order_items", "product_id", "inventory", "product_id"),
        link("order_items", "order_id", "orders", "order_id"),
    ];
    let relations = |text: &str| {
        let metadata = Metadata::parse(text).expect("well formed");
        Dataset::assemble("shop", Hash::of(b"v"), &profile, &metadata).map(|dataset| dataset.relations)
    };
    let by_order = vec![link("order_items", "order_id", "orders", "order_id")];
    assert_eq!(relations(&text("order_items.product_id -> inventory.product_id")), Ok(by_order.clone()));
    assert_eq!(relations(&text("inventory.Product-ID -> Order Items.product_id")), Ok(by_order));
    assert_eq!(relations(&text("order_items.item_id -> inventory.product_id")), Ok(profile.relations.clone()));
    let unknown = "forbidden relationship `order_items.product -> inventory.product_id`: table `order_items` has no \
                   column `product`; did you mean `product_id`?";
    assert_eq!(relations(&text("order_items.product -> inventory.product_id")), Err(unknown.to_string()));
    let both = "relationships = ['order_items.order_id -> orders.order_id']\n\
                not_relationships = ['orders.order_id -> order_items.order_id']";
    let said = "relationship `order_items.order_id -> orders.order_id` is both declared and forbidden";
    assert_eq!(relations(both), Err(said.to_string()));
}

#[test]
fn a_unit_is_the_owners_then_the_datas_then_the_names() {
    let mut profile = profile("sensors");
    for column in &mut profile.tables[0].columns {
        if column.name == "battery_pct" {
            column.unit = Some("‰".to_string());
        }
    }
    let units = |text: &str| {
        let metadata = Metadata::parse(text).expect("well formed");
        let dataset = Dataset::assemble("s", Hash::of(b"v"), &profile, &metadata).expect("it fits");
        let unit = |name: &str| dataset.tables[0].column(name).and_then(|column| column.unit.clone());
        ["temperature_c", "battery_pct", "vibration_mm_s", "status"].map(unit)
    };
    let some = |unit: &str| Some(unit.to_string());
    assert_eq!(units(""), [some("°C"), some("‰"), some("mm/s"), None]);
    let declared = "[[table]]\nname = 'sensors'\n[table.columns]\n\
                    temperature_c = { unit = 'K' }\nbattery_pct = { unit = 'x' }";
    assert_eq!(units(declared), [some("K"), some("x"), some("mm/s"), None]);
}

#[test]
fn a_first_file_of_a_dataset_keeps_all_that_was_said() {
    for name in builtin::names() {
        let (profile, dataset) = (profile(name), assembled(name));
        let text = metadata::first(&dataset, &profile);
        let read = Metadata::parse(&text).unwrap_or_else(|problem| panic!("{problem}\n{text}"));
        let mut again = Dataset::assemble(*name, Hash::of(b"v"), &profile, &read).expect("it fits its own data");
        for (table, before) in again.tables.iter_mut().zip(&dataset.tables) {
            for (column, before) in table.columns.iter_mut().zip(&before.columns) {
                assert!(before.noun.is_none() || column.noun == before.noun, "{name}.{}", column.name);
                column.noun.clone_from(&before.noun);
            }
        }
        assert_eq!(again, dataset, "{text}");
    }
}

#[test]
fn a_first_file_of_bare_tables_guesses_and_says_so() {
    let bare = |profile: &Profile| Dataset::assemble("x", Hash::of(b"v"), profile, &Metadata::default()).expect("fits");
    let mut shop = profile("ecommerce");
    shop.relations = vec![link("order_items", "product_id", "inventory", "product_id")];
    let text = metadata::first(&bare(&shop), &shop);
    let read = Metadata::parse(&text).expect("it reads back");
    let nouns: Vec<_> = read.tables.iter().map(|table| table.noun.as_deref()).collect();
    assert_eq!(nouns, [Some("order"), Some("item"), Some("product")]);
    assert_eq!(read.relations, shop.relations);
    assert_eq!(read.tables[0].columns["customer_id"].noun.as_deref(), Some("customer"));
    assert!(text.contains("# not_relationships = [\"order_items.product_id -> inventory.product_id\"]\n"), "{text}");

    let (_, example) = text.split_once("# [[measure]]\n").expect("an example of a measure");
    let example = example.lines().take_while(|line| !line.is_empty()).map(|line| &line[2..]).collect::<Vec<_>>();
    let uncommented = Metadata::parse(&format!("{text}\n[[measure]]\n{}", example.join("\n"))).expect("it reads back");
    let dataset = Dataset::assemble("x", Hash::of(b"v"), &shop, &uncommented).expect("the example fits the data");
    assert_eq!((dataset.measures.len(), dataset.measures[0].name.as_str()), (1, "total in all"));

    let sensors = profile("sensors");
    let text = metadata::first(&bare(&sensors), &sensors);
    let wanted = "# noun = \"…\"  # what one row is; not \"sensor\", because values of \"sensor_id\" repeat\n";
    assert!(text.contains(wanted), "{text}");
    assert!(text.contains("\ntemperature_c = { unit = \"°C\" }\n"), "{text}");
}
