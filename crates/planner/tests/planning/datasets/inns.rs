//! Names that mislead: thousands in a column's name, people of the same name, a number called like a table, a nightly rate
//! beside what was cancelled.

use data::Dataset;
use data::dataset::ColumnInfo;

use super::{Profile, dataset, day, decimal, int, key, link, name_of, table, text};

/// The dataset of that name, if it is one of these.
pub fn named(name: &str) -> Option<Dataset> {
    match name {
        "inns" => Some(inns()),
        "cinema" => Some(cinema()),
        _ => None,
    }
}

/// Names that several people share.
fn shared(name: &str, distinct: u64, values: &[&str]) -> ColumnInfo {
    ColumnInfo { distinct, values_complete: false, ..text(name, values) }
}

/// Inns, who stays there, and for what price.
fn inns() -> Dataset {
    let guests = table(
        "guests",
        60,
        vec![
            key("guest_id", 60),
            shared("guest", 52, &["Mia Frank", "Noah Clark"]),
            text("country", &["France", "Spain"]),
            int("income_k", 40, 18, 140),
        ],
    );
    let inns = table(
        "inns",
        5,
        vec![
            key("inn_id", 5),
            name_of("name", &["Grand Plaza", "Old Mill"]),
            text("city", &["Lyon", "Nice"]),
            decimal("revenue_m_eur", "0.4", "12.5"),
            int("height_m", 5, 4, 31),
        ],
    );
    let stays = table(
        "stays",
        240,
        vec![
            key("stay_id", 240),
            int("guest_id", 55, 1, 60),
            int("inn_id", 5, 1, 5),
            day("check_in", "2023-11-05", "2025-02-01"),
            text("status", &["completed", "cancelled", "no-show"]),
            int("guests", 4, 1, 4),
            int("nightly_rate", 9, 80, 210),
            decimal("total_price", "80.0", "1900.0"),
            text("breakfast", &["yes", "no"]),
        ],
    );
    let relations = vec![link("stays.guest_id", "guests.guest_id"), link("stays.inn_id", "inns.inn_id")];
    Dataset { relations, ..dataset("inns", vec![guests, inns, stays]) }
}

/// Films, members, and what they borrowed.
fn cinema() -> Dataset {
    let films = table(
        "films",
        100,
        vec![
            key("film_no", 100),
            name_of("title", &["Hidden Garden", "First Mirror"]),
            text("genre", &["action", "drama"]),
            int("votes_k", 90, 12, 1900),
            decimal("gross_musd", "1.2", "640.0"),
            int("runtime", 60, 71, 190),
        ],
    );
    let members = table(
        "members",
        45,
        vec![
            key("member_no", 45),
            shared("member", 40, &["Olga Hall", "Olga Brown"]),
            text("district", &["North", "South"]),
        ],
    );
    let rentals = table(
        "rentals",
        300,
        vec![
            key("rental_no", 300),
            int("member_no", 44, 1, 45),
            int("film_no", 90, 1, 100),
            day("rented_on", "2024-01-02", "2025-06-30"),
            text("state", &["returned", "cancelled", "open"]),
            int("members", 5, 1, 5),
            decimal("daily_rate", "1.5", "4.5"),
            decimal("fee", "1.5", "60.0"),
            text("insured", &["yes", "no"]).nulls(0),
        ],
    );
    let relations = vec![link("rentals.member_no", "members.member_no"), link("rentals.film_no", "films.film_no")];
    Dataset { relations, ..dataset("cinema", vec![films, members, rentals]) }
}
