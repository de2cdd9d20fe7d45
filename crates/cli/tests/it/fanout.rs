//! The trap of one-to-many joins: orders with several items and several payments. Whatever is computed about them equals
//! what is computed here by hand, over the rows, without any join; what would count a row twice is refused with a reason.
//!
//! The sums are chosen so that every doubling shows: an order has one to four items and one to three payments, and the
//! three ways to count money (orders' totals, items' price times quantity, payments' amounts) agree when nothing is
//! counted twice.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::support::Place;
use crate::support::tables::{column_names, rows, same_rows};

struct Customer {
    id: i64,
    city: &'static str,
}

struct Order {
    id: i64,
    customer: i64,
    month: u32,
    day: u32,
    channel: &'static str,
    cents: i64,
}

struct Item {
    order: i64,
    product: &'static str,
    quantity: i64,
    cents: i64,
}

struct Payment {
    order: i64,
    method: &'static str,
    cents: i64,
}

/// The rows of the four files.
struct Shop {
    customers: Vec<Customer>,
    orders: Vec<Order>,
    items: Vec<Item>,
    payments: Vec<Payment>,
}

impl Shop {
    fn new() -> Shop {
        let cities = ["Oslo", "Bergen", "Malmo"];
        let customers = (1..=8).map(|id: i64| Customer { id, city: cities[id as usize % 3] }).collect();
        let mut shop = Shop { customers, orders: Vec::new(), items: Vec::new(), payments: Vec::new() };
        for id in 1..=40_i64 {
            let total = shop.add_items(id);
            shop.add_payments(id, total);
            let (month, day) = (1 + id as u32 / 12, 1 + id as u32 % 12 * 2);
            let channel = ["web", "shop"][id as usize % 2];
            shop.orders.push(Order { id, customer: 1 + id * 5 % 8, month, day, channel, cents: total });
        }
        shop
    }

    fn add_items(&mut self, order: i64) -> i64 {
        let products = ["lamp", "chair", "table", "rug"];
        let line = |n: i64| Item {
            order,
            product: products[(order + n) as usize % 4],
            quantity: 1 + (order + n) % 3,
            cents: 100 * (1 + (order * 7 + n * 3) % 9) + 50,
        };
        let lines: Vec<Item> = (0..=order % 4).map(line).collect();
        let total = lines.iter().map(|line| line.cents * line.quantity).sum();
        self.items.extend(lines);
        total
    }

    fn add_payments(&mut self, order: i64, total: i64) {
        let methods = ["card", "cash", "voucher"];
        let count = 1 + order % 3;
        for n in 0..count {
            let cents = if n == count - 1 { total - total / count * (count - 1) } else { total / count };
            self.payments.push(Payment { order, method: methods[(order + n) as usize % 3], cents });
        }
    }

    fn place(&self) -> Place {
        let place = Place::new();
        let money = |cents: i64| format!("{}.{:02}", cents / 100, cents % 100);
        let date = |order: &Order| format!("2026-{:02}-{:02}", order.month, order.day);
        let file = |name: &str, header: &str, lines: Vec<String>| {
            place.file(&format!("market/{name}.csv"), format!("{header}\n{}\n", lines.join("\n")));
        };
        let customers = self.customers.iter().map(|one| format!("{},Customer {},{}", one.id, one.id, one.city));
        file("customers", "customer_id,name,city", customers.collect());
        let orders = self.orders.iter();
        let orders = orders
            .map(|one| format!("{},{},{},{},{}", one.id, one.customer, date(one), one.channel, money(one.cents)))
            .collect();
        file("orders", "order_id,customer_id,order_date,channel,total", orders);
        let items = self.items.iter().enumerate();
        let items = items
            .map(|(n, one)| format!("{},{},{},{},{}", n + 1, one.order, one.product, one.quantity, money(one.cents)))
            .collect();
        file("items", "item_id,order_id,product,quantity,price", items);
        let payments = self.payments.iter().enumerate();
        let payments =
            payments.map(|(n, one)| format!("{},{},{},{}", n + 1, one.order, one.method, money(one.cents))).collect();
        file("payments", "payment_id,order_id,method,amount", payments);
        place
    }

    fn order(&self, id: i64) -> &Order {
        self.orders.iter().find(|order| order.id == id).expect("every line has its order")
    }

    fn city(&self, order: &Order) -> &'static str {
        self.customers.iter().find(|one| one.id == order.customer).expect("every order has its customer").city
    }

    fn has_item(&self, order: i64, product: &str) -> bool {
        self.items.iter().any(|item| item.order == order && item.product == product)
    }

    fn has_payment(&self, order: i64, method: &str) -> bool {
        self.payments.iter().any(|payment| payment.order == order && payment.method == method)
    }

    /// The sum of orders' totals where something holds.
    fn total(&self, holds: impl Fn(&Order) -> bool) -> Rows {
        let cents: i64 = self.orders.iter().filter(|order| holds(order)).map(|order| order.cents).sum();
        vec![vec![money(cents)]]
    }
}

type Rows = Vec<Vec<Value>>;

fn money(cents: i64) -> Value {
    json!(cents as f64 / 100.0)
}

/// Cents, or counts, added up by a word.
fn by<'a, K: Ord + Into<Value> + 'a>(parts: impl Iterator<Item = (K, i64)>, shown: impl Fn(i64) -> Value) -> Rows {
    let mut sums = BTreeMap::new();
    for (key, part) in parts {
        *sums.entry(key).or_insert(0) += part;
    }
    sums.into_iter().map(|(key, sum)| vec![key.into(), shown(sum)]).collect()
}

/// Different orders by a word.
fn orders_by<'a>(pairs: impl Iterator<Item = (&'a str, i64)>) -> Rows {
    let mut pairs: Vec<(&str, i64)> = pairs.collect();
    pairs.sort();
    pairs.dedup();
    by(pairs.into_iter().map(|(key, _)| (key, 1)), |count| json!(count))
}

fn same(table: &Value, expected: &Rows) -> bool {
    same_rows(&rows(table), expected, false)
}

/// What has to become of a question or a plan.
enum Must {
    /// There is no number that would not count something twice.
    Refuse,
    /// This, or a refusal.
    Equal(Rows),
}
use Must::{Equal, Refuse};

#[test]
fn no_answer_counts_a_row_twice() {
    let shop = Shop::new();
    let place = shop.place();
    let (orders, items, payments) = (&shop.orders, &shop.items, &shop.payments);
    let count = |count: i64| json!(count);
    let orders_of = |by_word: fn(&Order) -> &str| by(orders.iter().map(|one| (by_word(one), one.cents)), money);
    let month = |order: &Order| format!("2026-{:02}-01", order.month);
    let cases: Vec<(&str, Must)> = vec![
        ("What is the sum of total?", Equal(shop.total(|_| true))),
        ("sum of total by channel", Equal(orders_of(|one| one.channel))),
        ("sum of total by city", Equal(by(orders.iter().map(|one| (shop.city(one), one.cents)), money))),
        ("sum of total by month", Equal(by(orders.iter().map(|one| (month(one), one.cents)), money))),
        ("total order value by payment method", Refuse),
        ("sum of order totals by payment method", Refuse),
        ("sum of total per method", Refuse),
        ("sum of total by product", Refuse),
        ("sum of order total by product", Refuse),
        ("average total by product", Refuse),
        ("average total by method", Refuse),
        ("sum of amount by product", Refuse),
        ("sum of amount for lamp", Refuse),
        ("sum of price by method", Refuse),
        ("sum of quantity by method", Refuse),
        ("sum of quantity and sum of amount by channel", Refuse),
        ("sum of total and number of items by channel", Refuse),
        ("sum of amount by method", Equal(by(payments.iter().map(|one| (one.method, one.cents)), money))),
        (
            "sum of amount by channel",
            Equal(by(payments.iter().map(|one| (shop.order(one.order).channel, one.cents)), money)),
        ),
        (
            "sum of amount by city",
            Equal(by(payments.iter().map(|one| (shop.city(shop.order(one.order)), one.cents)), money)),
        ),
        ("sum of price by product", Equal(by(items.iter().map(|one| (one.product, one.cents)), money))),
        ("sum of quantity by product", Equal(by(items.iter().map(|one| (one.product, one.quantity)), count))),
        (
            "sum of quantity by channel",
            Equal(by(items.iter().map(|one| (shop.order(one.order).channel, one.quantity)), count)),
        ),
        (
            "sum of quantity by city",
            Equal(by(items.iter().map(|one| (shop.city(shop.order(one.order)), one.quantity)), count)),
        ),
        ("how many orders are there", Equal(vec![vec![json!(orders.len())]])),
        ("how many orders by product", Equal(orders_by(items.iter().map(|one| (one.product, one.order))))),
        ("how many orders by method", Equal(orders_by(payments.iter().map(|one| (one.method, one.order))))),
        ("how many items by channel", Equal(by(items.iter().map(|one| (shop.order(one.order).channel, 1)), count))),
        (
            "how many payments by channel",
            Equal(by(payments.iter().map(|one| (shop.order(one.order).channel, 1)), count)),
        ),
        ("sum of total where method is card", Equal(shop.total(|one| shop.has_payment(one.id, "card")))),
        ("sum of total where product is lamp", Equal(shop.total(|one| shop.has_item(one.id, "lamp")))),
        ("sum of total for orders with product rug", Equal(shop.total(|one| shop.has_item(one.id, "rug")))),
        (
            "sum of total where product is rug and method is cash",
            Equal(shop.total(|one| shop.has_item(one.id, "rug") && shop.has_payment(one.id, "cash"))),
        ),
        ("sum of total for orders paid by card", Equal(shop.total(|one| shop.has_payment(one.id, "card")))),
    ];
    let mut answered = 0;
    for (question, must) in &cases {
        let answer = place.json_any(&["ask", "market", question]);
        if answer["status"] == "refused" {
            let message = answer["refusal"]["message"].as_str().unwrap_or_default();
            assert!(!message.is_empty(), "{question}: refused without a reason: {answer}");
            continue;
        }
        answered += 1;
        match must {
            Refuse => panic!("{question}: {} from {}", answer["table"], answer["sql"]),
            Equal(expected) => assert!(
                same(&answer["table"], expected),
                "{question}: {} instead of {expected:?}, {}",
                answer["table"],
                answer["sql"]
            ),
        }
    }
    assert!(answered >= 12, "only {answered} of {} were answered", cases.len());
}

fn column(name: &str) -> Value {
    json!({ "col": name })
}

fn plan(from: &str, rest: Value) -> Value {
    let mut plan = json!({ "v": 1, "dataset": "market", "from": from });
    plan.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
    plan
}

fn sum_of(from: &str, expr: Value) -> Value {
    plan(from, json!({ "measures": [{ "as": "sum", "agg": "sum", "expr": expr }] }))
}

fn grouped(from: &str, group: &str, measured: Value) -> Value {
    let measures = json!([{ "as": "sum", "agg": "sum", "expr": measured }]);
    plan(from, json!({ "group": [{ "as": "by", "expr": column(group) }], "measures": measures }))
}

fn with(mut plan: Value, field: &str, value: Value) -> Value {
    plan[field] = value;
    plan
}

fn short(table: &str, select: Value, group_by: Value) -> Value {
    let mut plan = json!({ "dataset_id": "market", "table": table, "select": select });
    if group_by != json!([]) {
        plan["group_by"] = group_by;
    }
    plan
}

/// Plans that would fan out, in both forms.
fn traps() -> Vec<(&'static str, Value)> {
    let total = || column("orders.total");
    let op = |op: &str, args: Value| json!({ "op": op, "args": args });
    let nothing = op("mul", json!([column("items.quantity"), { "lit": 0 }]));
    let under = json!({ "test": "gt", "expr": column("items.quantity"), "values": [1] });
    let measured = json!([{ "as": "sum", "agg": "sum", "expr": total(), "where": under }]);
    let summed = |column: &str| json!({ "agg": "sum", "column": column, "as": format!("sum of {column}") });
    vec![
        ("sum of a joined total", sum_of("items", total())),
        ("sum of a joined total by product", grouped("items", "items.product", total())),
        ("sum of a joined total times one", sum_of("items", op("mul", json!([total(), { "lit": 1 }])))),
        ("sum of a joined total plus nothing", sum_of("items", op("add", json!([total(), nothing])))),
        ("sum of a joined total under a condition", plan("items", json!({ "measures": measured }))),
        ("one many-side from the other", sum_of("items", column("payments.amount"))),
        ("one many-side by the other", grouped("items", "payments.method", column("items.price"))),
        ("both many-sides from their order", {
            let measure = |name: &str| json!({ "as": name, "agg": "sum", "expr": column(name) });
            plan("orders", json!({ "measures": [measure("items.price"), measure("payments.amount")] }))
        }),
        ("an order's total by its payments", grouped("orders", "payments.method", total())),
        ("customers' orders", sum_of("customers", total())),
        ("a link backwards", with(sum_of("orders", total()), "via", json!(["orders.order_id->items.order_id"]))),
        (
            "a link backwards, grouped by",
            with(grouped("orders", "payments.method", total()), "via", json!(["orders.order_id->payments.order_id"])),
        ),
        (
            "a link across",
            with(sum_of("items", column("payments.amount")), "via", json!(["items.order_id->payments.order_id"])),
        ),
        (
            "exists does not join",
            with(grouped("orders", "payments.method", total()), "where", json!({ "exists": { "table": "payments" } })),
        ),
        (
            "exists across",
            with(sum_of("payments", column("payments.amount")), "where", json!({ "exists": { "table": "items" } })),
        ),
        ("short: sum of a joined total", short("items", json!([summed("orders.total")]), json!([]))),
        (
            "short: sum of a joined total by method",
            short("payments", json!([{ "column": "method" }, summed("total")]), json!(["method"])),
        ),
        (
            "short: sum of a joined total as arithmetic",
            short("items", json!([{ "agg": "sum", "expr": "total * 1", "as": "sum" }]), json!([])),
        ),
        (
            "short: an order's total by its payments",
            short("orders", json!([{ "column": "payments.method" }, summed("total")]), json!(["payments.method"])),
        ),
        (
            "short: both many-sides",
            short("orders", json!([summed("items.price"), summed("payments.amount")]), json!([])),
        ),
    ]
}

#[test]
fn no_plan_that_fans_out_is_valid() {
    let place = Shop::new().place();
    let mut wrong = Vec::new();
    for (name, plan) in traps() {
        let checked = place.assay(["plan", "check", "-", "--json"]).stdin(plan.to_string()).run().document();
        let message = checked["problems"][0]["message"].as_str().unwrap_or_default();
        let refused = checked["valid"] == false && !message.is_empty();
        if !refused {
            wrong.push(format!("{name}: {checked}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What may be asked about the same tables, and what it must come to.
#[test]
fn plans_at_their_own_grain_are_right() {
    let shop = Shop::new();
    let place = shop.place();
    let product = json!({ "op": "mul", "args": [column("items.price"), column("items.quantity")] });
    let exists = |table: &str, column_name: &str, word: &str| {
        let test = json!({ "test": "eq", "expr": column(column_name), "values": [word] });
        json!({ "exists": { "table": table, "where": test } })
    };
    let lamp_and_cash =
        json!({ "and": [exists("items", "items.product", "lamp"), exists("payments", "payments.method", "cash")] });
    let line = |item: &Item| item.cents * item.quantity;
    let all: i64 = shop.orders.iter().map(|one| one.cents).sum();
    let counted = json!([{ "as": "orders", "agg": "count_distinct", "expr": column("orders.order_id") }]);
    let cases: Vec<(&str, Value, Rows)> = vec![
        ("orders", sum_of("orders", column("orders.total")), vec![vec![money(all)]]),
        ("items", sum_of("items", product.clone()), vec![vec![money(shop.items.iter().map(line).sum())]]),
        ("payments", sum_of("payments", column("payments.amount")), vec![vec![money(all)]]),
        (
            "items by what is their order's",
            grouped("items", "orders.channel", product),
            by(shop.items.iter().map(|one| (shop.order(one.order).channel, line(one))), money),
        ),
        (
            "payments by what is their customer's",
            grouped("payments", "customers.city", column("payments.amount")),
            by(shop.payments.iter().map(|one| (shop.city(shop.order(one.order)), one.cents)), money),
        ),
        (
            "orders with both",
            with(sum_of("orders", column("orders.total")), "where", lamp_and_cash),
            shop.total(|one| shop.has_item(one.id, "lamp") && shop.has_payment(one.id, "cash")),
        ),
        (
            "orders with none",
            with(
                sum_of("orders", column("orders.total")),
                "where",
                json!({ "not": exists("payments", "payments.method", "card") }),
            ),
            shop.total(|one| !shop.has_payment(one.id, "card")),
        ),
        (
            "different orders among items",
            plan("items", json!({ "measures": counted })),
            vec![vec![json!(shop.orders.len())]],
        ),
    ];
    for (name, plan, expected) in cases {
        let ran = place.assay(["plan", "run", "-", "--json"]).stdin(plan.to_string()).run().exits(0).document();
        assert_eq!(ran["known"]["level"], "verified", "{name}: {}", ran["known"]);
        let columns = column_names(&ran["table"]);
        assert!(same(&ran["table"], &expected), "{name}: {columns:?} {} instead of {expected:?}", ran["table"]);
    }
}
