//! Tables of amounts and levels: what adds up without being called so, what never does, and dates that place no row in time.

use data::Dataset;
use data::dataset::{ColumnInfo, Running};

use super::{Profile, dataset, day, decimal, flag, int, key, link, name_of, table, text};

/// The dataset of that name, if it is one of these.
pub fn named(name: &str) -> Option<Dataset> {
    Some(match name {
        "apiary" => apiary(),
        "marina" => marina(),
        "pantry" => pantry(),
        "pavilion" => pavilion(),
        "vaccinations" => vaccinations(),
        "counties" => counties(),
        "targets" => targets(),
        "quotas" => quotas(),
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

/// A column that holds all that came before, for each of these over the dates.
fn running(entity: &[&str], column: ColumnInfo) -> ColumnInfo {
    let entity = entity.iter().map(|name| name.to_string()).collect();
    ColumnInfo { running: Some(Running { entity, time: "date".to_string() }), ..column }
}

/// Running totals beside what happened on each day, as health agencies publish them.
fn vaccinations() -> Dataset {
    let rows = table(
        "country_vaccinations",
        8600,
        vec![
            ColumnInfo { distinct: 223, values_complete: false, ..text("country", &["France", "Peru", "Japan"]) },
            ColumnInfo { distinct: 223, values_complete: false, ..text("iso_code", &["FRA", "PER", "JPN"]) },
            text("continent", &["Europe", "Asia", "Africa"]),
            day("date", "2020-12-02", "2021-03-29"),
            running(&["country"], int("total_vaccinations", 5000, 0, 145_812_835)).nulls(3000),
            running(&["country"], int("people_vaccinated", 4500, 0, 95_015_762)).nulls(3800),
            int("daily_vaccinations", 6900, 0, 8_000_000).nulls(200),
        ],
    );
    dataset("vaccinations", vec![rows])
}

/// Counties whose names repeat in other states, with a year, a code and coordinates.
fn counties() -> Dataset {
    let rows = table(
        "population_estimates",
        3142,
        vec![
            ColumnInfo {
                distinct: 1848,
                values_complete: false,
                repeats_within: Some("state_name".to_string()),
                ..text("county_name", &["Adams", "Clark", "Union"])
            },
            text("state_name", &["Ohio", "Iowa", "Utah"]),
            int("area_code", 290, 201, 989),
            int("census_year", 3, 2000, 2020),
            decimal("latitude", "18.00", "71.00"),
            decimal("longitude", "-166.00", "-65.00"),
            int("residents", 3000, 80, 9_800_000),
        ],
    );
    dataset("counties", vec![rows])
}

/// What was sold, and what should have been.
fn targets() -> Dataset {
    let rows = table(
        "quarters",
        48,
        vec![
            text("rep", &["Ana", "Bo", "Cy"]),
            day("closed", "2024-01-31", "2024-12-31"),
            int("units", 40, 3, 400),
            int("target", 20, 50, 300),
            decimal("bonus_eur", "0.00", "900.00"),
        ],
    );
    dataset("targets", vec![rows])
}

/// What was sold, and in another table what should have been.
fn quotas() -> Dataset {
    let sales = table(
        "sales",
        300,
        vec![
            key("sale_id", 300),
            text("rep", &["Ana", "Bo", "Cy"]),
            day("day", "2024-01-01", "2024-12-31"),
            int("units", 40, 3, 400),
        ],
    );
    let target = ColumnInfo { unique: true, ..int("target", 3, 50, 300) };
    let targets = table("targets", 3, vec![name_of("rep", &["Ana", "Bo", "Cy"]), target]);
    Dataset { relations: vec![link("sales.rep", "targets.rep")], ..dataset("quotas", vec![sales, targets]) }
}
