//! Tables whose headers cut words short or are nothing but a unit, and whose money has no word for what it is.

use data::Dataset;

use super::{Profile, dataset, day, decimal, flag, int, key, link, name_of, table, text};

/// The dataset of that name, if it is one of these.
pub fn named(name: &str) -> Option<Dataset> {
    Some(match name {
        "solarpark" => solarpark(),
        "archive" => archive(),
        _ => return None,
    })
}

/// What arrays of panels yield day by day, and what broke.
fn solarpark() -> Dataset {
    let arrays = table(
        "arrays",
        30,
        vec![
            name_of("Array", &["A01", "A02", "A30"]),
            text("site", &["North Field", "Quarry"]),
            int("rated_kW", 12, 40, 250),
            int("Crew", 6, 2, 9),
        ],
    );
    let output = table(
        "daily_output",
        3600,
        vec![
            day("day", "2025-01-01", "2025-04-30"),
            text("Array", &["A01", "A02", "A30"]),
            decimal("kWh", "0.0", "1900.4"),
            decimal("wind_avg_ms", "0.4", "17.9"),
            flag("curtailed"),
        ],
    );
    let faults = table(
        "faults",
        410,
        vec![
            key("FaultNo", 410),
            text("Array", &["A01", "A02", "A30"]),
            day("start_date", "2025-01-02", "2025-04-29"),
            decimal("lost_kWh", "0.0", "812.0"),
            decimal("parts_eur", "12.00", "4100.00").nulls(90),
            text("tech", &["J. Lind", "M. Reid", "P. Haas"]).nulls(20),
            text("Propul. unit", &["drive", "none"]),
            text("outcome", &["dismissed", "repaired", "In appeal"]),
        ],
    );
    let relations = vec![link("daily_output.Array", "arrays.Array"), link("faults.Array", "arrays.Array")];
    Dataset { relations, ..dataset("solarpark", vec![arrays, output, faults]) }
}

/// Who may read in an archive, and what they ordered.
fn archive() -> Dataset {
    let holders = table(
        "holders",
        240,
        vec![
            key("HolderRef", 240),
            text("pcode", &["BN1", "BN2", "BN3"]),
            text("referred_by", &["school", "museum", "self"]),
            day("MemberSince", "2015-02-01", "2025-03-01"),
        ],
    );
    let orders = table(
        "orders",
        1900,
        vec![
            key("Order No", 1900),
            int("HolderRef", 230, 1, 240),
            day("Ordered", "2024-07-01", "2025-06-30"),
            text("Special Exhib.", &["Maps", "Seals"]).nulls(900),
            text("Art", &["chart", "letter"]),
            int("Reading Cap.", 9, 1, 20),
            int("Waste shts", 40, 0, 90),
            int("Adults", 30, 0, 60),
            decimal("Net £", "2.00", "410.00"),
            decimal("VAT £", "0.40", "82.00"),
        ],
    );
    let relations = vec![link("orders.HolderRef", "holders.HolderRef")];
    Dataset { relations, ..dataset("archive", vec![holders, orders]) }
}
