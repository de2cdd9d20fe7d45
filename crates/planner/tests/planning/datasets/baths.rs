//! Swimming baths and an orchard: two ways to the same table, units in parentheses, two-valued texts, prices of 0.

use data::Dataset;

use super::{Profile, dataset, day, decimal, int, key, link, moment, name_of, table, text};

/// The dataset of that name, if it is one of these.
pub fn named(name: &str) -> Option<Dataset> {
    Some(match name {
        "baths" => baths(),
        "orchard" => orchard(),
        _ => return None,
    })
}

/// Members who have a home bath, some of whom have cancelled, and every time that one of them came.
fn baths() -> Dataset {
    let baths = table(
        "baths",
        6,
        vec![
            key("bath_id", 6),
            name_of("bath_name", &["Lido", "Old Baths", "Harbour Pool"]),
            text("town", &["Hove", "Deal"]),
            int("founded_year", 6, 1890, 1999),
        ],
    );
    let members = table(
        "members",
        300,
        vec![
            key("member_no", 300),
            int("home_bath_id", 6, 1, 6),
            text("plan", &["Gold", "Silver"]),
            decimal("monthly_fee_gbp", "0.00", "60.00"),
            day("joined_on", "2020-01-02", "2025-06-30"),
            day("cancelled_on", "2021-02-01", "2025-06-29").nulls(250),
            text("towel_service", &["yes", "no"]),
        ],
    );
    let checkins = table(
        "checkins",
        5000,
        vec![
            key("checkin_id", 5000),
            int("member_no", 290, 1, 300),
            int("bath_id", 6, 1, 6),
            moment("checkin_at", "2024-01-01T06:00:00", "2025-06-30T21:00:00"),
            text("lane", &["slow", "fast"]),
            int("minutes_swum", 90, 5, 120),
        ],
    );
    let relations = vec![
        link("checkins.member_no", "members.member_no"),
        link("checkins.bath_id", "baths.bath_id"),
        link("members.home_bath_id", "baths.bath_id"),
    ];
    Dataset { relations, ..dataset("baths", vec![baths, members, checkins]) }
}

/// Deliveries of fruit between towns.
fn orchard() -> Dataset {
    let columns = vec![
        key("Delivery No", 800),
        text("Fruit", &["Apple", "Plum", "Pear"]),
        text("Origin Town", &["Deal", "Hove", "Rye"]),
        text("Destination Town", &["Deal", "Hove", "Rye"]),
        day("Picked On", "2023-05-01", "2025-10-20"),
        day("Delivered On", "2023-05-02", "2025-10-25"),
        decimal("Load (t)", "0.10", "9.00"),
        decimal("Orchard Size (ha)", "1.00", "40.00"),
        decimal("Price (EUR/t)", "0.00", "900.00"),
        text("State", &["Delivered", "Cancelled", "On the road"]),
        text("Cooled Van", &["Yes", "No"]),
        text("Driver Called", &["Yes", "No"]),
    ];
    dataset("orchard", vec![table("deliveries", 800, columns)])
}
