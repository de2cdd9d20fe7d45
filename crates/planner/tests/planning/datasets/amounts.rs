//! Tables of amounts and levels: what adds up without being called so, what never does, and dates that place no row in time.

use data::Dataset;
use data::dataset::ColumnInfo;

use super::{Profile, dataset, day, decimal, flag, int, key, link, name_of, table, text};

/// The dataset of that name, if it is one of these.
pub fn named(name: &str) -> Option<Dataset> {
    Some(match name {
        "apiary" => apiary(),
        "marina" => marina(),
        "pantry" => pantry(),
        "pavilion" => pavilion(),
        _ => return None,
    })
}

/// Rows that are named after what they weigh, hives that cost money beside a price per jar, and cells that say how tests ended.
fn apiary() -> Dataset {
    let hives = table(
        "hives",
        50,
        vec![
            name_of("hive", &["H01", "H02", "H03"]),
            text("site", &["Orchard", "Quarry", "Mill"]),
            text("hive_type", &["National", "WBC", "Langstroth"]),
            int("cost_gbp", 30, 150, 330),
            flag("inspection_passed"),
        ],
    );
    let honey = table(
        "honey",
        160,
        vec![
            key("batch", 160),
            day("extracted_on", "2022-06-26", "2025-08-30"),
            text("hive", &["H01", "H02", "H03"]),
            decimal("wt_kg", "2.00", "22.00"),
            decimal("price_per_jar", "5.00", "8.00"),
            int("gift_packs", 4, 0, 3),
            text("packed_by", &["Anjali", "Dorota"]),
            text("result", &["pass", "fail"]),
        ],
    );
    Dataset { relations: vec![link("honey.hive", "hives.hive")], ..dataset("apiary", vec![hives, honey]) }
}

/// Boats with a rate, and their hires with three dates and several kinds of money.
fn marina() -> Dataset {
    let boats = table(
        "boats",
        40,
        vec![
            name_of("Boat", &["Ada", "Bream", "Cormorant"]),
            text("Model", &["Skiff", "Dinghy", "Cutter"]),
            decimal("List Rate (£/day)", "30.00", "210.00"),
            int("Berths", 6, 2, 8),
        ],
    );
    let hires = table(
        "hires",
        900,
        vec![
            key("Hire No", 900),
            text("Boat", &["Ada", "Bream", "Cormorant"]),
            text("Skipper", &["own", "ours"]),
            day("Out Date", "2024-03-01", "2025-09-20"),
            day("Due Back", "2024-03-02", "2025-10-04"),
            day("Back On", "2024-03-02", "2025-09-20").nulls(11),
            decimal("Total (£)", "60.00", "2900.00"),
            decimal("Deck Take (£)", "0.00", "310.00"),
            int("Km Sailed", 200, 0, 480),
            decimal("Fuel Price (£/l)", "1.40", "1.95"),
        ],
    );
    Dataset { relations: vec![link("hires.Boat", "boats.Boat")], ..dataset("marina", vec![boats, hires]) }
}

/// What was received, who comes, and what they were given.
fn pantry() -> Dataset {
    let donations = table(
        "donations",
        700,
        vec![
            key("don_id", 700),
            day("recd", "2025-01-02", "2025-05-30"),
            text("donor_type", &["shop", "church", "school"]),
            decimal("kg", "0.50", "60.00"),
        ],
    );
    let households = table(
        "households",
        220,
        vec![
            name_of("hh_no", &["HH001", "HH002", "HH220"]),
            int("kids", 6, 0, 5),
            day("first_visit", "2023-02-01", "2025-05-28"),
            flag("pet_food"),
        ],
    );
    let parcels = table(
        "parcels",
        3100,
        vec![
            key("parcel_no", 3100),
            day("given_on", "2024-03-01", "2025-05-30"),
            text("hh_no", &["HH001", "HH002", "HH220"]),
            text("type", &["single", "family", "emergency"]),
            decimal("weight_kg", "4.00", "31.00"),
        ],
    );
    Dataset {
        relations: vec![link("parcels.hh_no", "households.hh_no")],
        ..dataset("pantry", vec![donations, households, parcels])
    }
}

/// One row for each day.
fn pavilion() -> Dataset {
    let days = table(
        "daily",
        400,
        vec![
            ColumnInfo { unique: true, distinct: 400, ..day("Day", "2024-08-01", "2025-09-04") },
            int("Adults", 180, 10, 400),
            int("Children", 90, 0, 160),
            decimal("Door Take (£)", "90.00", "3900.00"),
            text("Weather", &["wet", "dry"]),
        ],
    );
    dataset("pavilion", vec![days])
}
