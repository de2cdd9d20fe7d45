//! What is known about data: the profile of its columns, the links that are found between its tables, and the words of
//! a `dataset.toml` about both.

use std::fmt::Write as _;
use std::fs;

use serde_json::{Value, json};

use crate::support::{Place, shared, slow_is_wanted};

const TRIPS: &str = "trip_id,code,started,distance_km,paid,note\n\
    1,AB-101,2024-01-01,1.5,true,ok\n\
    2,AB-102,2024-01-02,2.5,false,\n\
    3,CD-103,2024-01-03,3.5,true,ok\n\
    4,CD-104,2024-01-04,4.5,true,late\n\
    5,AB-105,2024-01-05,21.5,true,ok\n";

fn profile(place: &Place, data: &[&str]) -> Value {
    let arguments: Vec<&str> = ["data", "profile"].iter().chain(data).copied().collect();
    place.json(0, &arguments)
}

fn column<'a>(profile: &'a Value, table: usize, name: &str) -> &'a Value {
    let columns = profile["tables"][table]["columns"].as_array().expect("columns");
    columns.iter().find(|column| column["name"] == name).unwrap_or_else(|| panic!("no column {name}: {profile}"))
}

/// The links between files that are given as (name, text), as they are written in `via`.
fn links(files: &[(&str, &str)]) -> Vec<String> {
    let place = Place::new();
    let folder = place.folder("data-files");
    for (name, text) in files {
        fs::write(folder.join(name), text).expect("a file");
    }
    let shown = profile(&place, &[folder.to_str().expect("a plain path")]);
    let text = |link: &Value, field: &str| link[field].as_str().expect("a text").to_string();
    let written = |link: &Value| {
        let [from, column, to, key] =
            ["from_table", "from_column", "to_table", "to_column"].map(|field| text(link, field));
        format!("{from}.{column}->{to}.{key}")
    };
    shown["relations"].as_array().expect("links").iter().map(written).collect()
}

#[test]
fn every_column_is_measured() {
    let place = Place::new();
    let file = place.file("trips.csv", TRIPS);
    let shown = profile(&place, &[file.to_str().unwrap()]);
    assert_eq!((&shown["v"], &shown["kind"], &shown["dataset"]["id"]), (&json!(1), &json!("profile"), &json!("trips")));
    let table = &shown["tables"][0];
    assert_eq!((&table["rows"], &table["sampled_rows"]), (&json!(5), &Value::Null));
    assert_eq!((&table["keys"], &table["times"]), (&json!(["trip_id", "code"]), &json!(["started"])));

    let distance = column(&shown, 0, "distance_km");
    assert_eq!((&distance["unit"], &distance["nulls"]), (&json!("km"), &json!(0)));
    assert_eq!((&distance["distinct"], &distance["distinct_is_exact"]), (&json!(5), &json!(true)));
    assert_eq!(
        (&distance["quantiles"], &distance["quantiles_are_exact"]),
        (&json!([1.5, 2.5, 3.5, 4.5, 21.5]), &json!(true))
    );
    let bins = distance["histogram"].as_array().unwrap();
    assert_eq!((bins.len(), &bins[0], &bins[1], &bins[19]), (20, &json!(1), &json!(1), &json!(1)));
    assert_eq!(bins.iter().map(|bin| bin.as_u64().unwrap()).sum::<u64>(), 5);

    let code = column(&shown, 0, "code");
    assert_eq!((&code["pattern"], &code["example"], &code["key"]), (&json!("AA-999"), &json!("AB-101"), &json!(true)));
    assert_eq!((&code["quantiles"], &code["histogram"]), (&json!([]), &json!([])));
    let note = column(&shown, 0, "note");
    assert_eq!((&note["nulls"], &note["distinct"], &note["unique"]), (&json!(1), &json!(2), &json!(false)));
    assert_eq!((&note["top"], &note["values_complete"]), (&json!([["ok", 3], ["late", 1]]), &json!(true)));
    assert_eq!(column(&shown, 0, "paid")["top"], json!([[true, 4], [false, 1]]));
    let started = column(&shown, 0, "started");
    assert_eq!(
        (&started["time"], &started["min"], &started["max"]),
        (&json!(true), &json!("2024-01-01"), &json!("2024-01-05"))
    );
    assert_eq!(started["quantiles"][2], "2024-01-03");
}

#[test]
fn people_read_it_in_the_terminal() {
    let place = Place::new();
    let file = place.file("trips.csv", TRIPS);
    let ran = place.assay(["data", "profile", file.to_str().unwrap()]).run().exits(0);
    let text = ran.stdout.clone();
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    assert_eq!(lines[0], "trips (5 rows)", "{text}");
    assert_eq!(lines[1], "  trip_id      int        5 distinct, key", "{text}");
    assert!(text.contains("\n  distance_km  float      5 distinct, in km\n"), "{text}");
    assert!(text.contains(" 1.5 to 21.5; quartiles 2.5, 3.5, 4.5\n"), "{text}");
    assert!(text.contains(" ████               █\n"), "{text}");
    assert!(text.contains(" ok ×3, late ×1\n"), "{text}");
    assert!(text.contains(" pattern AA-999\n"), "{text}");
}

#[test]
fn a_built_in_dataset_has_its_keys_links_and_times() {
    let shop = profile(shared(), &["ecommerce"]);
    let names: Vec<&Value> = shop["tables"].as_array().unwrap().iter().map(|table| &table["keys"][0]).collect();
    assert_eq!(names, ["order_id", "item_id", "product_id"]);
    assert_eq!(column(&shop, 1, "order_id")["references"], json!(["orders.order_id"]));
    assert_eq!(column(&shop, 0, "total")["unit"], "USD");
    assert_eq!(shop["tables"][0]["times"], json!(["order_date"]));
    assert_eq!(shop["relations"].as_array().unwrap().len(), 2);
}

#[test]
fn links_are_found_by_what_columns_are_called() {
    let customers = ("customers.csv", "id,name\n1,Ann\n2,Bob\n3,Cid\n");
    let cases: [(&str, &str, &[&str]); 5] = [
        ("orders.csv", "id,customer_id\n10,1\n11,1\n12,3\n", &["orders.customer_id->customers.id"]),
        ("orders.csv", "id,customerId\n10,1\n11,1\n12,3\n", &["orders.customerId->customers.id"]),
        ("orders.csv", "id,fk_customer\n10,1\n11,1\n12,3\n", &["orders.fk_customer->customers.id"]),
        ("orders.csv", "nr,customer\n10,Bob\n11,Bob\n12,Cid\n", &["orders.customer->customers.name"]),
        (
            "calls.csv",
            "nr,from_customer_id,to_customer_id\n10,1,2\n11,1,3\n12,3,3\n",
            &["calls.from_customer_id->customers.id", "calls.to_customer_id->customers.id"],
        ),
    ];
    for (name, text, expected) in cases {
        assert_eq!(links(&[customers, (name, text)]), expected, "{text}");
    }
    let companies = ("companies.csv", "company_id,city\n7,Oslo\n8,Rome\n9,Bern\n");
    let jobs = ("jobs.csv", "job_id,company\n1,7\n2,9\n3,7\n");
    assert_eq!(links(&[companies, jobs]), ["jobs.company->companies.company_id"]);
    let staff = ("staff.csv", "employee_id,manager_id,age\n1,2,3\n2,2,1\n3,1,1\n");
    assert_eq!(links(&[staff]), ["staff.manager_id->staff.employee_id"]);
}

#[test]
fn numbers_that_fit_by_chance_are_no_link() {
    let products: String = (1..=50).fold("id,stock\n".to_string(), |text, id| format!("{text}{id},{}\n", id * 3 % 7));
    let lines: String = (1..=90).fold("id,quantity,rank\n".to_string(), |mut text, id| {
        writeln!(text, "{id},{},{}", id % 5 + 1, id % 9 + 1).unwrap();
        text
    });
    let ranks = "rank,title\n1,a\n2,b\n3,c\n4,d\n5,e\n6,f\n7,g\n8,h\n9,i\n";
    let files = [("products.csv", products.as_str()), ("lines.csv", lines.as_str()), ("ranks.csv", ranks)];
    assert_eq!(links(&files), ["lines.rank->ranks.rank"], "a table of ranks is named after what it ranks");
    assert_eq!(links(&files[..2]), Vec::<String>::new());
    let items = ("items.csv", "id,weight\n1,9\n2,9\n3,7\n4,7\n5,7\n");
    let orders = ("orders.csv", "nr,items\n101,2\n102,5\n103,2\n");
    assert_eq!(links(&[items, orders]), Vec::<String>::new(), "a plural counts them");
    let months =
        [("january.csv", "day,place\n1,Oslo\n2,Rome\n3,Bern\n"), ("february.csv", "day,place\n1,Rome\n2,Oslo\n")];
    assert_eq!(links(&months), Vec::<String>::new(), "the same columns are the same kind of rows");
}

#[test]
fn texts_that_agree_are_a_link_unless_two_tables_could_be_meant() {
    let codes = |prefix: &str| (10..40).fold(format!("{prefix}\n"), |text, code| format!("{text}X{code},n{code}\n"));
    let sales = (0..60).fold("nr,land\n".to_string(), |text, nr| format!("{text}{nr},X{}\n", 10 + nr % 20));
    let (places, sales) = (("places.csv", codes("iso,title")), ("sales.csv", sales));
    let again = ("regions.csv", codes("mark,heading"));
    let as_text = |(name, text): &(&'static str, String)| (*name, text.clone());
    let files = [as_text(&places), as_text(&sales), as_text(&again)];
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (*name, text.as_str())).collect();
    assert_eq!(links(&files[..2]), ["sales.land->places.iso"]);
    assert!(!links(&files).iter().any(|link| link.starts_with("sales")), "either table could be meant");
}

#[test]
fn of_tables_that_share_a_key_the_one_named_after_it_is_meant() {
    let customers = ("customers.csv", "customer_id,name\n1,Ann\n2,Bob\n3,Cid\n");
    let cards = ("cards.csv", "customer_id,card\n1,x9\n2,y9\n3,z9\n");
    let orders = ("orders.csv", "nr,customer_id\n10,1\n11,1\n12,3\n");
    let found = links(&[customers, cards, orders]);
    assert!(found.contains(&"orders.customer_id->customers.customer_id".to_string()), "{found:?}");
    assert!(!found.contains(&"orders.customer_id->cards.customer_id".to_string()), "{found:?}");
    assert!(found.contains(&"customers.customer_id->cards.customer_id".to_string()), "{found:?}");
}

#[test]
fn an_owner_forbids_a_link_that_only_looks_like_one() {
    let files = [
        ("places.csv", "id,name\n1,Oslo\n2,Rome\n3,Bern\n"),
        ("visits.csv", "nr,place_id\n7,1\n8,1\n9,3\n"),
        ("dataset.toml", "not_relationships = ['visits.place_id -> places.id']\n"),
    ];
    assert_eq!(links(&files[..2]), ["visits.place_id->places.id"]);
    assert_eq!(links(&files), Vec::<String>::new());
    let place = Place::new();
    let folder = place.folder("wrong");
    fs::write(folder.join("a.csv"), "id\n1\n2\n").unwrap();
    fs::write(folder.join("dataset.toml"), "not_relationships = ['a.ix -> a.id']\n").unwrap();
    let problem = place.json(2, &["data", "show", folder.to_str().unwrap()]);
    assert!(problem["message"].as_str().unwrap().contains("table `a` has no column `ix`"), "{problem}");
}

#[test]
fn a_first_file_is_read_as_it_was_written() {
    let place = Place::new();
    let folder = place.folder("shop");
    fs::write(folder.join("customers.csv"), "customer_id,name\n1,Ann\n2,Bob\n3,Cid\n").unwrap();
    let orders = "order_id,customer_id,paid_eur,\"a \"\"b\"\"\nc\"\n1,1,2.50,x\n2,1,7.50,y\n3,3,1.00,z\n";
    fs::write(folder.join("orders.csv"), orders).unwrap();
    let folder = folder.to_str().unwrap();
    let before = profile(&place, &[folder]);
    let written = place.json(0, &["data", "init", folder]);
    let text = fs::read_to_string(place.path("shop/dataset.toml")).unwrap();
    assert_eq!(written["text"], json!(text));
    assert!(text.contains("\nrelationships = [\n    \"orders.customer_id -> customers.customer_id\",\n]\n"), "{text}");
    assert!(text.contains("\npaid_eur = { unit = \"EUR\" }\n"), "{text}");
    let after = profile(&place, &[folder]);
    assert_eq!(after["relations"], before["relations"]);
    let nouns: Vec<&Value> = after["tables"].as_array().unwrap().iter().map(|table| &table["noun"]).collect();
    assert_eq!(nouns, ["customer", "order"]);
    let answer = place.answer(&[folder], "how many orders");
    assert_eq!(answer["table"]["rows"], json!([[3]]));
}

#[test]
fn a_table_of_a_thousand_columns_is_measured_with_less_detail() {
    let place = Place::new();
    let names: Vec<String> = (0..1_000).map(|at| format!("c{at}")).collect();
    let row = |row: u64| (0..1_000).map(|at| ((row * 7 + at) % 13).to_string()).collect::<Vec<_>>().join(",");
    let text = format!("{}\n{}\n{}\n{}\n", names.join(","), row(1), row(2), row(3));
    let file = place.file("wide.csv", text);
    let shown = profile(&place, &[file.to_str().unwrap()]);
    assert_eq!(shown["tables"][0]["columns"].as_array().unwrap().len(), 1_000);
    let (first, last) = (column(&shown, 0, "c0"), column(&shown, 0, "c999"));
    assert_eq!(first["histogram"].as_array().unwrap().len(), 20);
    assert_eq!((&last["histogram"], &last["nulls"], &last["example"]), (&json!([]), &json!(0), &json!((7 + 999) % 13)));
    assert_eq!((&last["min"], &last["max"]), (&json!(5), &json!(12)));
    assert_eq!((&last["distinct"], &last["distinct_is_exact"]), (&json!(3), &json!(true)));
    let text = place.assay(["data", "profile", file.to_str().unwrap()]).run().exits(0).stdout;
    assert!(text.contains("… 800 more columns; --json has them"));
}

#[test]
fn a_large_table_is_measured_alike_every_time_and_says_what_is_estimated() {
    if !slow_is_wanted("a_large_table_is_measured_alike_every_time_and_says_what_is_estimated") {
        return;
    }
    let rows = 1_100_000_u64;
    let mut text = "id,repeated,token,amount\n".to_string();
    for row in 0..rows {
        let mixed = row.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20;
        writeln!(text, "{row},{},k{mixed:x},{}.5", row % (rows - 1), mixed % 1_000).unwrap();
    }
    let measured = || {
        let place = Place::new();
        let file = place.file("large.csv", &text);
        profile(&place, &[file.to_str().unwrap()])
    };
    let first = measured();
    assert_eq!(first, measured());
    let sampled = first["tables"][0]["sampled_rows"].as_u64().unwrap();
    assert!((150_000..250_000).contains(&sampled), "{sampled}");
    let of = |name: &str| column(&first, 0, name);
    let counts =
        |name: &str| (of(name)["unique"].clone(), of(name)["distinct"].clone(), of(name)["distinct_is_exact"].clone());
    assert_eq!(counts("id"), (json!(true), json!(rows), json!(true)));
    assert_eq!(counts("repeated"), (json!(false), json!(rows - 1), json!(true)), "one value occurs twice");
    assert_eq!(counts("token"), (json!(true), json!(rows), json!(true)));
    assert_eq!(of("amount")["quantiles_are_exact"], json!(false));
    let median = of("amount")["quantiles"][2].as_f64().unwrap();
    assert!((490.0..510.0).contains(&median), "{median}");
}

/// Runs the kernel's own code on tables that a script makes, in a cell with the real engine.
fn related(tables: &str) -> Value {
    let place = Place::new();
    let script = format!(
        "import sys\nsys.path.insert(0, 'input')\nimport json\nimport _duckdb\nimport profiling\n\
         engine = _duckdb.connect()\n{tables}\n\
         names = [name for (name,) in engine.execute('SELECT table_name FROM duckdb_tables() ORDER BY 1').fetchall()]\n\
         tables = [profiling.profile(engine, name, 100) for name in names]\n\
         print(json.dumps(profiling.relate(engine, tables)))\n"
    );
    let script = place.file("related.py", script);
    let mut call = place.assay(["sandbox", "run", script.to_str().unwrap(), "--json", "--input"]);
    let modules = data::kernel::MODULES.iter().map(|(name, text)| (*name, *text));
    // The engine's own module for SQL speaks to the host through this one, which the script has no use for.
    for (name, text) in modules.chain([("wire.py", "")]) {
        call = call.arg(place.file(name, text));
    }
    let ran = call.run().document();
    serde_json::from_str(ran["stdout"].as_str().unwrap()).unwrap_or_else(|_| panic!("{ran}"))
}

#[test]
fn rows_without_a_partner_are_counted_and_named() {
    let customers = "engine.execute('CREATE TABLE customers AS SELECT i AS id FROM range(1, 101) AS t(i)')\n";
    let orders = |strays: &str| {
        let row = format!("CASE WHEN i IN ({strays}) THEN -1 ELSE i % 100 + 1 END");
        format!(
            "{customers}engine.execute('CREATE TABLE orders AS SELECT {row} AS customer_id FROM range(200) AS t(i)')"
        )
    };
    let near = related(&orders("4, 9"));
    assert_eq!(near[0], json!([]), "a link that two rows break is none");
    let message = "`orders.customer_id` is not linked with `customers.id`: 2 rows have a value that is not there";
    let remark = json!({
        "file": null, "table": "orders", "column": "customer_id", "code": "other", "message": message, "count": 2,
        "rows": [5, 10],
    });
    assert_eq!(near[1], json!([remark]));
    let far = "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11";
    assert_eq!(related(&orders(far)), json!([[], []]), "more than one in twenty is no near miss");
    let whole = related(&orders("1000"));
    assert_eq!((whole[0].as_array().unwrap().len(), &whole[1]), (1, &json!([])));
}

/// Days of two countries with totals so far, what was given on the day, and how many people live there.
fn vaccinations() -> String {
    let mut text = "country,date,total_vaccinations,daily_vaccinations,population\n".to_string();
    for (country, pace) in [("France", 700), ("Peru", 300)] {
        let mut total = 0;
        for day in 1..=28 {
            let daily = pace + day * 37 % 50;
            total += daily;
            // Some days were never reported.
            let told = if day % 5 == 0 { String::new() } else { total.to_string() };
            writeln!(text, "{country},2021-02-{day:02},{told},{daily},{}", 5_000_000 + day * 9).expect("a text");
        }
    }
    text
}

#[test]
fn a_running_total_is_known_by_its_rows_and_never_added_up() {
    let place = Place::new();
    let file = place.file("country_vaccinations.csv", vaccinations());
    let file = file.to_str().expect("a plain path");
    let shown = profile(&place, &[file]);
    let running = |name: &str| column(&shown, 0, name)["running"].clone();
    assert_eq!(running("total_vaccinations"), json!({ "entity": ["country"], "time": "date" }));
    assert_eq!((running("daily_vaccinations"), running("population")), (Value::Null, Value::Null));
    let told = place.assay(["data", "show", file]).run().exits(0).stdout;
    assert!(told.contains("running total per country over date"), "{told}");
    assert!(!told.contains("How many vaccinations"), "{told}");

    let refused = place.json(1, &["ask", file, "what is the sum of total_vaccinations by country"]);
    let message = refused["refusal"]["message"].as_str().expect("a message");
    assert!(message.contains("running total per country over date"), "{message}");
    assert_eq!(refused["refusal"]["suggestions"][0], "What is the latest total vaccinations by country?");
    let latest = place.json(0, &["ask", file, "What is the latest total vaccinations by country?"]);
    assert_eq!(latest["table"]["rows"], json!([["France", 20322], ["Peru", 9122]]));
    let rows = place.json(0, &["ask", file, "how many vaccinations are there"]);
    assert_ne!(rows["known"]["level"], "verified", "{rows}");
    assert!(rows.to_string().contains("rows of country_vaccinations were counted"), "{rows}");
}

#[test]
fn a_stock_is_added_up_only_within_one_time() {
    let place = Place::new();
    let mut text = "city,land,year,population,births\n".to_string();
    for (at, (city, land)) in [("Ulm", "South"), ("Kiel", "North"), ("Bonn", "South")].iter().enumerate() {
        // It falls and rises, so its course gives it away to nobody.
        let course = [100, 90, 120, 110];
        (0..4)
            .for_each(|year| writeln!(text, "{city},{land},{},{},{}", 2000 + year, course[year] + at, at + 1).unwrap());
    }
    let file = place.file("cities.csv", &text);
    let file = file.to_str().expect("a plain path");
    let shown = profile(&place, &[file]);
    let stock = |name: &str| column(&shown, 0, name)["stock"].clone();
    assert_eq!((stock("population"), stock("births")), (json!({ "entity": ["city"], "time": "year" }), Value::Null));
    let refused = place.json(1, &["ask", file, "total population by land"]);
    let message = refused["refusal"]["message"].as_str().expect("a message");
    assert!(message.contains("population is a stock per city at each year"), "{message}");
    let rows = |question: &str| place.json(0, &["ask", file, question])["table"]["rows"].clone();
    assert_eq!(rows("total population by land in 2003"), json!([["South", 222], ["North", 111]]));
    assert_eq!(rows("total population by year")[0], json!([2000, 303]));
    assert_eq!(rows("total births by land"), json!([["South", 16], ["North", 8]]));
}

#[test]
fn numbers_that_rise_for_other_reasons_are_no_running_totals() {
    let place = Place::new();
    let mut orders = "order_no,row,placed,customer,age,price\n".to_string();
    for row in 1..=90 {
        let (day, age) = ((row - 1) / 3 + 1, 30 + row % 3 * 10 + row / 60);
        writeln!(orders, "{},{row},2024-04-{day:02},K{},{age},{}", 1000 + row, row % 3, 100 + row).expect("a text");
    }
    let file = place.file("orders.csv", &orders);
    let shown = profile(&place, &[file.to_str().expect("a plain path")]);
    let columns = shown["tables"][0]["columns"].as_array().expect("columns");
    assert!(columns.iter().all(|column| column["running"].is_null()), "{columns:?}");
}

#[test]
fn names_that_repeat_in_other_places_are_not_counted_as_if_they_were_one_each() {
    let place = Place::new();
    let mut text = "county,state,product,residents\n".to_string();
    for (at, state) in ["Ohio", "Iowa", "Utah", "Texas", "Maine", "Idaho"].iter().enumerate() {
        for name in ["Adams", ["Clark", "Union", "Lake"][at / 2], state] {
            (0..4).for_each(|product| writeln!(text, "{name},{state},P{product},{}", 90 + at).expect("a text"));
        }
    }
    let file = place.file("places.csv", &text);
    let file = file.to_str().expect("a plain path");
    let shown = profile(&place, &[file]);
    let repeats = |name: &str| column(&shown, 0, name)["repeats_within"].clone();
    assert_eq!((repeats("county"), repeats("product")), (json!("state"), Value::Null));
    let answer = place.json(0, &["ask", file, "how many counties are there"]);
    assert!(answer.to_string().contains("counted by county"), "{answer}");
    assert_ne!(answer["known"]["level"], "verified", "{answer}");
}
