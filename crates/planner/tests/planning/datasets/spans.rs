//! Tables whose rows begin and end, with days and with moments, and with parts on the many side.

use data::Dataset;
use data::dataset::ColumnInfo;

use super::{Profile, dataset, day, decimal, flag, int, key, link, moment, name_of, table, text};

/// The dataset of that name, if it is one of these.
pub fn named(name: &str) -> Option<Dataset> {
    Some(match name {
        "library" => library(),
        "jobs" => jobs(),
        "ferries" => ferries(),
        _ => return None,
    })
}

/// Books lent by the day; a book that was not brought back has no end.
fn library() -> Dataset {
    let members = table(
        "members",
        150,
        vec![
            key("member_id", 150),
            name_of("member_name", &["Ida Falk", "Tom Reyes", "Uma Nand"]),
            text("town", &["Lakeside", "Milton", "Harrow"]),
            text("gender", &["F", "M"]),
            int("age", 60, 8, 88),
            flag("student"),
        ],
    );
    let loans = table(
        "loans",
        2600,
        vec![
            key("loan_id", 2600),
            int("member_id", 131, 1, 150),
            text("branch", &["Central", "Riverside", "Hilltop"]),
            day("borrowed_on", "2024-01-02", "2024-12-30"),
            day("returned_on", "2024-01-04", "2025-01-20").nulls(90),
            int("page_count", 400, 20, 1100),
            decimal("late_fee_eur", "0.00", "14.00"),
        ],
    );
    let relations = vec![link("loans.member_id", "members.member_id")];
    Dataset { relations, ..dataset("library", vec![members, loans]) }
}

/// Work of machines by the minute, with what it took and what came of it.
fn jobs() -> Dataset {
    let machines = table(
        "machines",
        12,
        vec![
            name_of("machine_code", &["M-01", "M-02", "M-12"]),
            text("hall", &["East hall", "West hall"]),
            int("floor_area_sqm", 11, 6, 60),
            decimal("yearly_budget_eur", "9000.00", "80000.00"),
        ],
    );
    let jobs = table(
        "jobs",
        5000,
        vec![
            key("job_id", 5000),
            ColumnInfo { distinct: 12, ..text("machine_code", &["M-01", "M-02", "M-12"]) },
            moment("started_at", "2025-03-01T05:10:00", "2025-05-31T21:40:00"),
            moment("ended_at", "2025-03-01T05:55:00", "2025-06-01T02:00:00"),
            text("material", &["steel", "brass", "nylon"]),
            int("parts_made", 300, 1, 900),
            int("parts_planned", 300, 1, 900),
            decimal("energy_kwh", "0.40", "88.00"),
            decimal("cost_eur", "1.00", "410.00"),
            decimal("peak_temperature_c", "18.0", "96.0"),
        ],
    );
    let stops = table(
        "stops",
        700,
        vec![key("stop_id", 700), int("job_id", 610, 1, 5000), text("cause", &["jam", "tool change", "no material"])],
    );
    let relations = vec![link("jobs.machine_code", "machines.machine_code"), link("stops.job_id", "jobs.job_id")];
    Dataset { relations, ..dataset("jobs", vec![machines, jobs, stops]) }
}

/// Crossings between two ports each, and what a port cost in millions.
fn ferries() -> Dataset {
    let ports = table(
        "ports",
        9,
        vec![
            key("port_id", 9),
            name_of("port_name", &["Grey Point", "Old Pier", "Skerry"]),
            text("coast", &["west coast", "south coast"]),
            int("pier_level", 4, 1, 4),
            decimal("Build Cost ($M)", "1.2", "96.0"),
        ],
    );
    let crossings = table(
        "crossings",
        3100,
        vec![
            key("crossing_id", 3100),
            int("start_port_id", 9, 1, 9),
            int("end_port_id", 9, 1, 9),
            moment("started_at", "2025-02-01T05:00:00", "2025-07-31T22:10:00"),
            moment("ended_at", "2025-02-01T05:40:00", "2025-07-31T23:50:00"),
            text("passenger_type", &["child", "adult", "senior"]),
            int("passenger_age", 80, 2, 90).nulls(200),
            text("Deck Class", &["C1", "C2+"]),
            decimal("fare_eur", "2.00", "64.00"),
            decimal("fuel_cost_eur", "1.00", "70.00"),
            decimal("air_temp_c", "-9.0", "31.0").unit("°C"),
            flag("is_estimated"),
        ],
    );
    let relations =
        vec![link("crossings.start_port_id", "ports.port_id"), link("crossings.end_port_id", "ports.port_id")];
    Dataset { relations, ..dataset("ferries", vec![ports, crossings]) }
}
