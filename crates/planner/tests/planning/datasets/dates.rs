//! Rows with several dates, in one table and in two, and amounts that something was done with: a bakery and a hire of tools.

use data::Dataset;

use super::{Profile, dataset, day, decimal, flag, int, key, link, moment, name_of, table, text};

/// The dataset of that name, if it is one of these.
pub fn named(name: &str) -> Option<Dataset> {
    match name {
        "bakery" => Some(bakery()),
        "toolhire" => Some(toolhire()),
        _ => None,
    }
}

/// Doughs that are mixed, and the parcels that are ordered, sent and brought to people.
fn bakery() -> Dataset {
    let doughs = table(
        "doughs",
        310,
        vec![
            key("dough_no", 310),
            day("mix_date", "2025-01-02", "2025-06-27"),
            text("flour", &["rye", "spelt", "wheat"]),
            decimal("weight_kg", "4.00", "40.00"),
        ],
    );
    let parcels = table(
        "parcels",
        1900,
        vec![
            key("parcel_no", 1900),
            int("dough_no", 300, 1, 310),
            day("ordered_on", "2025-01-03", "2025-06-28"),
            day("promised_on", "2025-01-04", "2025-07-02"),
            day("delivered_on", "2025-01-04", "2025-07-06").nulls(40),
            text("town", &["Aldham", "Brock", "Celle"]),
            decimal("net_eur", "4.00", "190.00"),
            decimal("tip_eur", "0.00", "12.00"),
            int("reorders", 5, 0, 4),
            int("stars", 5, 1, 5).nulls(700),
            flag("fragile").nulls(60),
            int("loaf_count", 12, 1, 12),
        ],
    );
    let flour = table(
        "flour_gifts",
        220,
        vec![
            key("gift_no", 220),
            day("gifted_on", "2025-01-05", "2025-06-20"),
            decimal("kg", "1.0", "60.0"),
            decimal("spoilt_kg", "0.0", "9.0"),
        ],
    );
    Dataset {
        relations: vec![link("parcels.dough_no", "doughs.dough_no")],
        ..dataset("bakery", vec![doughs, parcels, flour])
    }
}

/// Tools that go out and come back, and what is owed for it.
fn toolhire() -> Dataset {
    let tools = table(
        "tools",
        90,
        vec![
            key("tool_no", 90),
            name_of("tool_name", &["Small saw", "Long ladder", "Blue drill"]),
            text("maker", &["Arden", "Bolt", "Corvin"]),
            int("units_in_stock", 9, 0, 8),
        ],
    );
    let hires = table(
        "hires",
        2400,
        vec![
            key("hire_no", 2400),
            int("tool_no", 88, 1, 90),
            day("Out Date", "2024-01-03", "2025-03-30"),
            day("Due Back", "2024-01-05", "2025-04-20"),
            day("Returned", "2024-01-04", "2025-03-31").nulls(50),
            int("Km Driven", 400, 0, 900),
            decimal("Rate/Day (EUR)", "3.00", "80.00"),
            text("renter", &["Mara Lind", "Olu Beck", "Pia Sand"]),
            text("Damage?", &["No", "Yes"]).nulls(30),
        ],
    );
    let bills = table(
        "bills",
        2300,
        vec![
            key("bill_no", 2300),
            int("hire_no", 2300, 1, 2400),
            moment("IssuedAt", "2024-01-04T08:00:00", "2025-03-31T17:00:00"),
            day("PaidOn", "2024-01-05", "2025-04-30").nulls(300),
            decimal("late_fee_eur", "0.00", "25.00"),
        ],
    );
    Dataset {
        relations: vec![link("hires.tool_no", "tools.tool_no"), link("bills.hire_no", "hires.hire_no")],
        ..dataset("toolhire", vec![tools, hires, bills])
    }
}
