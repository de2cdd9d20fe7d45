//! Couriers and their rounds: people who have left, two ends of a way, a distance and how long it took, remarks.

use data::Dataset;

use super::{Profile, dataset, day, decimal, flag, int, key, link, moment, name_of, table, text};

/// The dataset of that name, if it is one of these.
pub fn named(name: &str) -> Option<Dataset> {
    (name == "couriers").then(couriers)
}

/// Couriers, some of whom have left, and what they carried between depots.
fn couriers() -> Dataset {
    let depots = table(
        "depots",
        8,
        vec![
            key("depot_id", 8),
            name_of("depot_name", &["Canal Yard", "Hill Gate", "Mill End"]),
            text("quarter_name", &["Docks", "Old Town"]),
            int("resident_count", 8, 400, 9000),
        ],
    );
    let employees = table(
        "employees",
        140,
        vec![
            key("emp_no", 140),
            text("team", &["Day", "Night", "Laboratory"]),
            text("country", &["France", "United States", "South Korea"]),
            int("mgr_emp_no", 12, 1, 140).nulls(4),
            day("hire_date", "2015-02-01", "2025-11-03"),
            day("exit_date", "2018-01-31", "2025-12-31").nulls(101),
            int("hourly_wage_eur", 40, 12, 52),
            int("weekly_hours", 30, 8, 40),
        ],
    );
    let rounds = table(
        "rounds",
        6200,
        vec![
            key("round_id", 6200),
            int("emp_no", 139, 1, 140),
            int("start_depot_id", 8, 1, 8),
            int("end_depot_id", 8, 1, 8),
            moment("started_at", "2025-01-02T05:00:00", "2025-12-30T20:00:00"),
            text("vehicle_kind", &["electric", "cargo", "van"]),
            decimal("distance_km", "0.4", "38.0"),
            decimal("duration_min", "3.0", "190.0"),
            decimal("tip_eur", "0.00", "19.00"),
            text("remarks", &["nobody was at home", "left with a neighbour", "box was damaged"]).nulls(5800),
            flag("paid"),
        ],
    );
    let relations = vec![
        link("rounds.emp_no", "employees.emp_no"),
        link("rounds.start_depot_id", "depots.depot_id"),
        link("rounds.end_depot_id", "depots.depot_id"),
    ];
    Dataset { relations, ..dataset("couriers", vec![depots, employees, rounds]) }
}
