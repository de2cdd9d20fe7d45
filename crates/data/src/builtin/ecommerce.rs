//! A shop: orders, their lines and the stock.
//!
//! `returned` belongs to the order while return rates differ by category. Orders therefore have a main category that
//! most of their lines come from, and that category decides how many of them come back.

use jiff::civil::{Date, date};

use super::Fixed;
use super::calendar::Calendar;
use super::products::{self, CATEGORIES, Product};
use super::random::{Random, share_of};
use crate::csv::Writer;

const SEED: u64 = 0x5eed_0001;
const LAST_DAY: Date = date(2026, 6, 30);
const DAYS: usize = 180;
const ORDERS: usize = 4_018;
const LINES: usize = 9_008;
const LINES_PER_ORDER_MAX: usize = 7;
const CUSTOMERS: usize = 1_500;
const CANCELLED_PER_MILLE: usize = 30;
const OUT_OF_STOCK_PER_MILLE: usize = 100;
/// Including those out of stock.
const UNDER_20_PER_MILLE: usize = 300;
/// Of 1,000 lines, how many come from the order's main category; the rest from any.
const MAIN_CATEGORY_PER_MILLE: usize = 850;

// Ranges that do not overlap, so that an id is recognised by its size and no key looks like another one's.
const PRODUCT_ID_FIRST: usize = 1_001;
const CUSTOMER_ID_FIRST: usize = 20_001;
const ORDER_ID_FIRST: usize = 100_001;
const ITEM_ID_FIRST: usize = 500_001;

#[derive(Clone, Copy, PartialEq)]
enum Status {
    Completed,
    Returned,
    Cancelled,
}

struct Line {
    product: usize,
    quantity: i64,
    discount: i64,
}

pub(super) fn tables() -> Vec<(&'static str, String)> {
    let mut random = Random::new(SEED);
    let products = products::all(&mut random);
    let inventory = inventory_csv(&products, &mut random);
    let calendar = Calendar::ending(LAST_DAY, DAYS as i64);
    let days = days(&calendar, &mut random);
    let customers = customers(&mut random);
    let popularity: Vec<usize> = CATEGORIES.iter().map(|category| category.popularity).collect();
    let main_categories: Vec<usize> = (0..ORDERS).map(|_| random.weighted(&popularity)).collect();
    let statuses = statuses(&main_categories, &mut random);
    let orders: Vec<Vec<Line>> = line_counts(&mut random)
        .into_iter()
        .zip(&main_categories)
        .map(|(count, main)| lines(count, *main, &products, &mut random))
        .collect();

    let mut order_rows = Writer::new(["order_id", "customer_id", "order_date", "total", "status", "returned"]);
    let mut item_rows = Writer::new(["item_id", "order_id", "product_id", "category", "quantity", "price", "discount"]);
    let mut item_id = ITEM_ID_FIRST;
    for (index, lines) in orders.iter().enumerate() {
        let order_id = ORDER_ID_FIRST + index;
        order_rows.plain(order_id);
        order_rows.plain(customers[index]);
        order_rows.plain(calendar.day(days[index]));
        order_rows.plain(Fixed { units: total_cents(lines, &products), digits: 2 });
        order_rows.plain(match statuses[index] {
            Status::Completed => "completed",
            Status::Returned => "returned",
            Status::Cancelled => "cancelled",
        });
        order_rows.plain(statuses[index] == Status::Returned);
        order_rows.end_row();
        for line in lines {
            let product = &products[line.product];
            item_rows.plain(item_id);
            item_rows.plain(order_id);
            item_rows.plain(PRODUCT_ID_FIRST + line.product);
            item_rows.plain(CATEGORIES[product.category].name);
            item_rows.plain(line.quantity);
            item_rows.plain(Fixed { units: product.price_cents, digits: 2 });
            item_rows.plain(line.discount);
            item_rows.end_row();
            item_id += 1;
        }
    }
    vec![("orders", order_rows.finish()), ("order_items", item_rows.finish()), ("inventory", inventory)]
}

/// The sum of the lines, rounded once, half up.
fn total_cents(lines: &[Line], products: &[Product]) -> i64 {
    let hundredths: i64 =
        lines.iter().map(|line| products[line.product].price_cents * line.quantity * (100 - line.discount)).sum();
    (hundredths + 50) / 100
}

fn inventory_csv(products: &[Product], random: &mut Random) -> String {
    let empty = share_of(products.len(), OUT_OF_STOCK_PER_MILLE);
    let low = share_of(products.len(), UNDER_20_PER_MILLE);
    let mut stock: Vec<i64> = (0..products.len())
        .map(|rank| match rank {
            _ if rank < empty => 0,
            _ if rank < low => random.between(1, 19),
            _ => random.skewed(20, 480),
        })
        .collect();
    random.shuffle(&mut stock);
    let mut rows = Writer::new(["product_id", "name", "category", "stock"]);
    for (index, product) in products.iter().enumerate() {
        rows.plain(PRODUCT_ID_FIRST + index);
        rows.text(&product.name);
        rows.plain(CATEGORIES[product.category].name);
        rows.plain(stock[index]);
        rows.end_row();
    }
    rows.finish()
}

/// The day of each order, in order: weekends are busier by 30 %, and business grows a little.
fn days(calendar: &Calendar, random: &mut Random) -> Vec<usize> {
    let weights: Vec<usize> =
        (0..DAYS).map(|day| (900 + day) * if calendar.weekday(day) >= 5 { 130 } else { 100 }).collect();
    let mut days: Vec<usize> = (0..ORDERS).map(|_| random.weighted(&weights)).collect();
    days.sort_unstable();
    days
}

/// Everybody orders once; who orders again is mostly a minority of regulars.
fn customers(random: &mut Random) -> Vec<usize> {
    let mut numbers: Vec<usize> = (0..CUSTOMERS).collect();
    random.shuffle(&mut numbers);
    let loyalty: Vec<usize> = (0..CUSTOMERS).map(|rank| 40 + 20_000 / (rank + 50)).collect();
    let mut customers = numbers.clone();
    customers.extend((CUSTOMERS..ORDERS).map(|_| numbers[random.weighted(&loyalty)]));
    random.shuffle(&mut customers);
    customers.into_iter().map(|number| CUSTOMER_ID_FIRST + number).collect()
}

fn line_counts(random: &mut Random) -> Vec<usize> {
    let mut counts = vec![1; ORDERS];
    let mut left = LINES - ORDERS;
    while left > 0 {
        let order = random.below(ORDERS);
        if counts[order] < LINES_PER_ORDER_MAX {
            counts[order] += 1;
            left -= 1;
        }
    }
    counts
}

/// Exact quotas within each main category, dealt out at random.
fn statuses(main_categories: &[usize], random: &mut Random) -> Vec<Status> {
    let mut statuses = vec![Status::Completed; main_categories.len()];
    for (index, category) in CATEGORIES.iter().enumerate() {
        let mut orders: Vec<usize> =
            (0..main_categories.len()).filter(|order| main_categories[*order] == index).collect();
        random.shuffle(&mut orders);
        let returned = share_of(orders.len(), category.returned_per_mille);
        let cancelled = share_of(orders.len(), CANCELLED_PER_MILLE);
        orders[..returned].iter().for_each(|order| statuses[*order] = Status::Returned);
        orders[returned..returned + cancelled].iter().for_each(|order| statuses[*order] = Status::Cancelled);
    }
    statuses
}

/// The lines of one order, no product twice.
fn lines(count: usize, main_category: usize, products: &[Product], random: &mut Random) -> Vec<Line> {
    let popularity: Vec<usize> = CATEGORIES.iter().map(|category| category.popularity).collect();
    let mut lines: Vec<Line> = Vec::with_capacity(count);
    while lines.len() < count {
        let keeps = random.chance(MAIN_CATEGORY_PER_MILLE);
        let category = if keeps { main_category } else { random.weighted(&popularity) };
        let weights: Vec<usize> =
            products.iter().map(|product| if product.category == category { product.popularity } else { 0 }).collect();
        let product = random.weighted(&weights);
        if lines.iter().any(|line| line.product == product) {
            continue;
        }
        let quantity = 1 + random.weighted(&[62, 22, 9, 4, 3]) as i64;
        let discount = if random.chance(400) { 5 * (1 + random.weighted(&[20, 30, 20, 15, 10, 5])) as i64 } else { 0 };
        lines.push(Line { product, quantity, discount });
    }
    lines
}
