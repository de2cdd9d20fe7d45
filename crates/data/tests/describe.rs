//! Plans and the words they are told in. Each case is a plan in canonical JSON, without the parts every plan has.

use base::Hash;
use data::dataset::Dataset;
use data::describe::{describe, title};
use data::metadata::Metadata;
use data::plan::Agg;
use data::profile::Profile;
use data::{builtin, plan};
use serde_json::{Value, json};

/// A built-in dataset as its metadata alone tells it; nothing measured matters here but which keys are unique.
fn dataset(name: &str) -> Dataset {
    let metadata = Metadata::parse(builtin::files(name).expect("a built-in dataset").metadata).expect("it is ours");
    let mut tables: Vec<Value> = Vec::new();
    for table in &metadata.tables {
        let columns: Vec<Value> = (table.columns.iter())
            .map(|(column, declared)| {
                let key = declared.noun.is_some() && declared.noun == table.noun;
                let ty = declared.ty.expect("built-in columns are typed").as_str();
                json!({"name": column, "type": ty, "nulls": 0, "distinct": 1, "unique": key})
            })
            .collect();
        tables.push(json!({"name": table.name, "rows": 1, "columns": columns}));
    }
    let profile: Profile = serde_json::from_value(json!({"tables": tables})).expect("a profile");
    Dataset::assemble(name, Hash::of(b""), &profile, &metadata).expect("the metadata fits")
}

fn check(name: &str, from: &str, rest: Value, expected: &str) {
    let mut document = json!({"v": 1, "dataset": name, "from": from});
    let fields = document.as_object_mut().expect("an object");
    fields.extend(rest.as_object().expect("an object").clone());
    let plan: plan::Plan = serde_json::from_value(document).expect("a plan");
    assert_eq!(describe(&plan, &dataset(name)), expected);
}

fn col(name: &str) -> Value {
    json!({"col": name})
}

fn revenue() -> Value {
    let discount = json!({"op": "div", "args": [col("order_items.discount"), {"lit": 100}]});
    let kept = json!({"op": "sub", "args": [{"lit": 1}, discount]});
    let gross = json!({"op": "mul", "args": [col("order_items.price"), col("order_items.quantity")]});
    json!({"as": "revenue", "agg": "sum", "expr": {"op": "mul", "args": [gross, kept]}})
}

#[test]
fn declared_measures_go_by_their_names() {
    let by_product = json!([{"as": "product", "expr": col("inventory.name")}]);
    check(
        "ecommerce",
        "order_items",
        json!({"group": by_product, "measures": [revenue()], "top": {"n": 10, "by": "revenue", "dir": "desc"}}),
        "sum of revenue by product, highest 10",
    );
    check(
        "ecommerce",
        "order_items",
        json!({"group": [{"as": "c", "expr": col("order_items.category")}],
               "measures": [{"as": "r", "agg": "avg", "expr": col("orders.returned")}]}),
        "return rate (share of returned) by category",
    );
    check(
        "support",
        "tickets",
        json!({"group": [{"as": "category", "expr": col("tickets.category")}],
               "measures": [{"as": "s", "agg": "avg", "expr": col("tickets.csat_score")}],
               "where": {"test": "eq", "expr": col("tickets.priority"), "values": ["Critical"]}}),
        "satisfaction (average csat_score) by category where priority is Critical",
    );
}

#[test]
fn an_alias_is_never_believed() {
    check(
        "ecommerce",
        "order_items",
        json!({"group": [{"as": "product", "expr": col("order_items.category")}],
               "measures": [{"as": "revenue", "agg": "sum", "expr": col("order_items.price")}]}),
        "sum of price by category",
    );
}

#[test]
fn a_half_open_range_of_days_ends_with_its_last_day() {
    let june = |test: &str, from: &str, to: &str, column: &str| {
        json!({"measures": [{"as": "n", "agg": "count"}],
               "where": {"test": test, "expr": col(column), "values": [from, to]}})
    };
    let told = "number of orders where order_date is from 2026-06-24 to 2026-06-30";
    check("ecommerce", "orders", june("within", "2026-06-24", "2026-07-01", "orders.order_date"), told);
    check("ecommerce", "orders", june("between", "2026-06-24", "2026-06-30", "orders.order_date"), told);
    check(
        "support",
        "tickets",
        june("within", "2026-06-24", "2026-07-01", "tickets.created_at"),
        "number of tickets where created_at is from 2026-06-24 to 2026-06-30",
    );
    check(
        "support",
        "tickets",
        june("between", "2026-06-24", "2026-06-30", "tickets.created_at"),
        "number of tickets where created_at is from 2026-06-24 00:00 to 2026-06-30 00:00",
    );
    check(
        "support",
        "tickets",
        june("within", "2026-06-24 08:00:00", "2026-06-24 09:00:00", "tickets.created_at"),
        "number of tickets where created_at is from 2026-06-24 08:00:00 up to but without 2026-06-24 09:00:00",
    );
}

#[test]
fn every_aggregate_has_words() {
    let cases = [
        (json!({"agg": "count"}), "number of readings"),
        (json!({"agg": "count", "expr": col("sensors.battery_pct")}), "number of readings with a value of battery_pct"),
        (json!({"agg": "count_distinct", "expr": col("sensors.sensor_id")}), "number of different sensors"),
        (json!({"agg": "count_distinct", "expr": col("sensors.zone")}), "number of different zone"),
        (json!({"agg": "sum", "expr": col("sensors.battery_pct")}), "sum of battery_pct"),
        (json!({"agg": "min", "expr": col("sensors.timestamp")}), "earliest timestamp"),
        (json!({"agg": "max", "expr": col("sensors.pressure_hpa")}), "maximum of pressure_hpa"),
        (json!({"agg": "median", "expr": col("sensors.pressure_hpa")}), "median pressure_hpa"),
        (
            json!({"agg": "corr", "expr": col("sensors.pressure_hpa"), "with": col("sensors.humidity_pct")}),
            "correlation of pressure_hpa with humidity_pct",
        ),
        (json!({"agg": "stddev", "expr": col("sensors.pressure_hpa")}), "standard deviation of pressure_hpa"),
        (json!({"agg": "quantile", "q": 0.9, "expr": col("sensors.pressure_hpa")}), "90th percentile of pressure_hpa"),
        (json!({"agg": "quantile", "q": 0.995, "expr": col("sensors.pressure_hpa")}), "0.995 quantile of pressure_hpa"),
        (json!({"agg": "avg", "expr": col("sensors.anomaly_flag")}), "anomaly rate (share of anomaly_flag)"),
        (
            json!({"agg": "count", "where": {"test": "eq", "expr": col("sensors.anomaly_flag"), "values": [true]}}),
            "number of readings (only where anomaly_flag is true)",
        ),
    ];
    assert!(Agg::ALL.iter().all(|agg| cases.iter().any(|(measure, _)| measure["agg"] == agg.as_str())));
    for (mut measure, expected) in cases {
        measure["as"] = json!("m");
        check("sensors", "sensors", json!({"measures": [measure]}), expected);
    }
}

#[test]
fn every_test_has_words_and_an_opposite() {
    let cases = [
        ("eq", "stock", json!([0]), "stock is 0", "stock is not 0"),
        ("ne", "category", json!(["Books"]), "category is not Books", "category is Books"),
        ("lt", "stock", json!([20]), "stock is below 20", "stock is not below 20"),
        ("le", "stock", json!([20]), "stock is at most 20", "stock is not at most 20"),
        ("gt", "stock", json!([20]), "stock is above 20", "stock is not above 20"),
        ("ge", "stock", json!([20]), "stock is at least 20", "stock is not at least 20"),
        (
            "in",
            "category",
            json!(["Books", "Toys"]),
            "category is one of Books or Toys",
            "category is none of Books and Toys",
        ),
        ("between", "stock", json!([1, 5]), "stock is from 1 to 5", "stock is not from 1 to 5"),
        (
            "within",
            "stock",
            json!([1, 5]),
            "stock is from 1 up to but without 5",
            "stock is not from 1 up to but without 5",
        ),
        ("contains", "name", json!(["oak"]), "name contains \"oak\"", "name does not contain \"oak\""),
        ("starts_with", "name", json!(["a b"]), "name starts with \"a b\"", "name does not start with \"a b\""),
        ("ends_with", "name", json!(["x"]), "name ends with \"x\"", "name does not end with \"x\""),
        ("is_null", "name", json!([]), "name is missing", "name is present"),
        ("eq", "name", json!(["Oak Vase"]), "name is \"Oak Vase\"", "name is not \"Oak Vase\""),
    ];
    for (test, column, values, positive, negative) in cases {
        let pred = json!({"test": test, "expr": col(&format!("inventory.{column}")), "values": values});
        let count = json!([{"as": "n", "agg": "count"}]);
        check(
            "ecommerce",
            "inventory",
            json!({"measures": count, "where": pred}),
            &format!("number of products where {positive}"),
        );
        check(
            "ecommerce",
            "inventory",
            json!({"measures": count, "where": {"not": pred}}),
            &format!("number of products where {negative}"),
        );
    }
}

#[test]
fn conditions_nest_without_losing_their_brackets() {
    let is = |column: &str, value: Value| json!({"test": "eq", "expr": col(column), "values": [value]});
    let books = json!({"exists": {"table": "order_items", "where": is("order_items.category", json!("Books"))}});
    check(
        "ecommerce",
        "orders",
        json!({"measures": [{"as": "n", "agg": "count"}],
               "where": {"and": [
                   {"or": [is("orders.status", json!("completed")), is("orders.returned", json!(true))]},
                   books,
                   {"not": {"or": [is("orders.total", json!(0)), is("orders.total", json!(1))]}}]}}),
        "number of orders where (status is completed or returned is true) and there is at least one item where \
         category is Books and not (total is 0 or total is 1)",
    );
    check(
        "ecommerce",
        "inventory",
        json!({"select": [{"as": "name", "expr": col("inventory.name")}],
               "where": {"not": {"exists": {"table": "order_items"}}}}),
        "name of products where there is no item",
    );
}

#[test]
fn lists_and_distinct_lists() {
    let name = json!({"as": "name", "expr": col("inventory.name")});
    let stock = json!({"as": "stock", "expr": col("inventory.stock")});
    check(
        "ecommerce",
        "inventory",
        json!({"select": [name, stock], "where": {"test": "lt", "expr": col("inventory.stock"), "values": [20]},
               "order": [{"by": "stock", "dir": "asc"}, {"by": "name", "dir": "desc"}], "limit": 5}),
        "name and stock of products where stock is below 20, sorted by stock (lowest first), then name (Z to A), \
         at most 5 rows",
    );
    check(
        "sensors",
        "sensors",
        json!({"select": [{"as": "z", "expr": col("sensors.zone")}], "distinct": true}),
        "distinct zone of readings",
    );
    check(
        "sensors",
        "sensors",
        json!({"group": [{"as": "z", "expr": col("sensors.sensor_id")}]}),
        "distinct sensor of readings",
    );
    check("sensors", "sensors", json!({}), "all columns of readings");
}

#[test]
fn arithmetic_keeps_the_brackets_it_needs() {
    let op = |op: &str, a: Value, b: Value| json!({"op": op, "args": [a, b]});
    let (price, one) = (col("order_items.price"), json!({"lit": 1}));
    let cases = [
        (revenue()["expr"].clone(), "maximum of price × quantity × (1 − discount ÷ 100)"),
        (op("sub", price.clone(), op("sub", price.clone(), one.clone())), "maximum of price − (price − 1)"),
        (op("div", op("add", price.clone(), one.clone()), one.clone()), "maximum of (price + 1) ÷ 1"),
        (
            op("elapsed_days", col("orders.order_date"), json!({"lit": "2026-06-30"})),
            "maximum of days from order_date to 2026-06-30",
        ),
        (json!({"part": "month", "of": col("orders.order_date")}), "maximum of month number of order_date"),
        (json!({"op": "to_number", "args": [col("inventory.name")]}), "maximum of name as a number"),
        (col("inventory.category"), "maximum of inventory.category"),
    ];
    for (expr, expected) in cases {
        check("ecommerce", "order_items", json!({"measures": [{"as": "m", "agg": "max", "expr": expr}]}), expected);
    }
}

#[test]
fn computed_values_top_lists_and_having() {
    check(
        "ecommerce",
        "order_items",
        json!({
            "group": [{"as": "quarter", "expr": col("orders.order_date"), "grain": "quarter"},
                      {"as": "category", "expr": col("order_items.category")}],
            "measures": [revenue(), {"as": "items", "agg": "count"}],
            "compute": [{"as": "share", "op": "share", "args": ["revenue"], "per": ["quarter"]},
                        {"as": "growth", "op": "change_pct", "args": ["revenue"], "along": "quarter",
                         "per": ["category"]}],
            "having": {"test": "ge", "expr": {"ref": "items"}, "values": [20]},
            "top": {"n": 3, "by": "revenue", "dir": "desc", "per": ["quarter"], "ties": true},
            "order": [{"by": "quarter", "dir": "asc"}, {"by": "revenue", "dir": "desc"}]}),
        "sum of revenue, number of items, share of the total revenue for each quarter and relative change of revenue \
         from one quarter to the next for each category by quarter and category, only where number of \
         items is at least 20, highest 3 by revenue for each quarter, ties included, sorted by quarter \
         (earliest first), then revenue (highest first)",
    );
    check(
        "support",
        "tickets",
        json!({"group": [{"as": "d", "expr": {"part": "weekday", "of": col("tickets.created_at")}}],
               "measures": [{"as": "n", "agg": "count"}],
               "compute": [{"as": "running", "op": "cumulative", "args": ["n"], "along": "d"}],
               "top": {"n": 1, "by": "n", "dir": "asc"}, "order": [{"by": "n", "dir": "asc"}]}),
        "number of tickets and running total of number of tickets over weekday of created_at by weekday of created_at, \
         lowest 1 by number of tickets",
    );
    let late = json!({"test": "eq", "expr": col("tickets.sla_met"), "values": [false]});
    check(
        "support",
        "tickets",
        json!({"measures": [{"as": "late", "agg": "count", "where": late}, {"as": "n", "agg": "count"}],
               "compute": [{"as": "r", "op": "ratio", "args": ["late", "n"]},
                           {"as": "loop", "op": "diff", "args": ["r", "loop"]}]}),
        "number of tickets (only where sla_met is false), number of tickets, ratio of number of tickets (only where \
         sla_met is false) to number of tickets and (ratio of number of tickets (only where sla_met is false) to \
         number of tickets) minus loop",
    );
}

#[test]
fn aggregates_over_groups() {
    let by_customer = json!([{"as": "c", "expr": col("orders.customer_id")}]);
    let orders = json!([{"as": "n", "agg": "count"}]);
    check(
        "ecommerce",
        "orders",
        json!({"group": by_customer, "measures": orders,
               "having": {"test": "gt", "expr": {"ref": "n"}, "values": [5]},
               "over": [{"as": "loyal", "agg": "count"}]}),
        "number of customers where number of orders is above 5",
    );
    check(
        "ecommerce",
        "orders",
        json!({"group": by_customer, "measures": orders, "limit": 10,
               "where": {"test": "eq", "expr": col("orders.status"), "values": ["completed"]},
               "over": [{"as": "a", "agg": "avg", "of": "n"}, {"as": "m", "agg": "max", "of": "n"}]}),
        "average of the number of orders per customer and maximum of the number of orders per customer, from orders \
         where status is completed",
    );
    check(
        "ecommerce",
        "order_items",
        json!({"group": [{"as": "month", "expr": col("orders.order_date"), "grain": "month"}], "measures": [revenue()],
               "having": {"test": "gt", "expr": {"ref": "revenue"}, "values": [50000]},
               "over": [{"as": "n", "agg": "count"}]}),
        "number of months where revenue is above 50000",
    );
    check(
        "ecommerce",
        "order_items",
        json!({"group": [{"as": "p", "expr": col("inventory.name")}, {"as": "c", "expr": col("order_items.category")}],
               "measures": [revenue()], "top": {"n": 10, "by": "revenue", "dir": "desc"},
               "over": [{"as": "n", "agg": "count"}, {"as": "t", "agg": "median", "of": "revenue"}]}),
        "number of pairs of product and category and median of the revenue per product and category, of the highest 10",
    );
}

#[test]
fn titles_are_short_and_in_peoples_words() {
    let titled = |name: &str, from: &str, rest: Value| {
        let mut document = json!({"v": 1, "dataset": name, "from": from});
        document.as_object_mut().expect("an object").extend(rest.as_object().expect("an object").clone());
        let plan: plan::Plan = serde_json::from_value(document).expect("a plan");
        title(&plan, &dataset(name))
    };
    let by_month = json!([{"as": "month", "expr": col("orders.order_date"), "grain": "month"}]);
    let count = json!([{"as": "n", "agg": "count"}]);
    assert_eq!(titled("ecommerce", "orders", json!({"group": by_month, "measures": count})), "orders by month");
    let average = json!([{"as": "mean", "agg": "avg", "expr": col("products.unit_price")}]);
    let by_category = json!([{"as": "category", "expr": col("products.category")}]);
    let sorted = json!({"group": by_category, "measures": average, "order": [{"by": "mean", "dir": "desc"}]});
    assert_eq!(titled("ecommerce", "products", sorted), "average unit price by category");
    let top = json!({"n": 3, "by": "revenue", "dir": "desc"});
    let ranked = json!({"group": by_category, "measures": [revenue()], "top": top});
    assert_eq!(titled("ecommerce", "order_items", ranked), "revenue by category, top 3");
}

#[test]
fn bins_are_told_by_their_width_and_decades_by_their_name() {
    let bin = |of: Value, width: u32| json!([{"as": "b", "expr": {"op": "bin", "args": [of, {"lit": width}]}}]);
    let items = json!([{"as": "n", "agg": "count"}]);
    check(
        "ecommerce",
        "order_items",
        json!({"group": bin(col("order_items.price"), 50), "measures": items, "order": [{"by": "b", "dir": "asc"}]}),
        "number of items by price in bins of 50, sorted by price in bins of 50 (lowest first)",
    );
    let year = json!({"part": "year", "of": col("orders.order_date")});
    check(
        "ecommerce",
        "orders",
        json!({"group": bin(year, 10), "measures": items}),
        "number of orders by decade of order_date",
    );
}

#[test]
fn a_difference_of_two_sides_names_the_number_once() {
    let side = |name: &str, status: &str| {
        json!({"as": name, "agg": "avg", "expr": col("orders.total"),
               "where": {"test": "eq", "expr": col("orders.status"), "values": [status]}})
    };
    check(
        "ecommerce",
        "orders",
        json!({"measures": [side("a", "completed"), side("b", "cancelled")],
               "compute": [{"as": "d", "op": "diff", "args": ["b", "a"]}]}),
        "average order value (average total) (only where status is completed), average order value (average \
         total) (only where status is cancelled) and difference in average order value (status is cancelled minus status \
         is completed)",
    );
}
