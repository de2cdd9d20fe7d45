//! A school's lessons and the checks of a wine cellar: alarms as cells, promises kept or not, names said in part.

use data::Dataset;

use super::{Profile, dataset, day, decimal, flag, int, key, link, moment, name_of, table, text};

/// The dataset of that name, if it is one of these.
pub fn named(name: &str) -> Option<Dataset> {
    Some(match name {
        "school" => school(),
        "cellar" => cellar(),
        _ => return None,
    })
}

/// Courses with two ratings each, and what was booked.
fn school() -> Dataset {
    let courses = table(
        "courses",
        60,
        vec![
            key("course_id", 60),
            name_of("course_title", &["Pottery", "Welding", "Latin"]),
            text("language", &["English", "Welsh", "French"]),
            decimal("student_rating", "1.0", "5.0"),
            decimal("inspector_rating", "1.0", "5.0"),
            int("seat_count", 20, 4, 40),
            flag("has_projector"),
            flag("full_time"),
        ],
    );
    let bookings = table(
        "bookings",
        900,
        vec![
            key("booking_id", 900),
            int("course_id", 60, 1, 60),
            day("booked_on", "2025-01-03", "2025-12-29"),
            day("confirmed_on", "2025-01-03", "2025-12-30").nulls(70),
            text("state", &["paid", "cancelled", "waiting"]),
            text("office", &["Human Resources", "Town Hall"]),
            int("pupil_age", 60, 9, 80).nulls(40),
            decimal("fee_eur", "20.00", "400.00"),
            int("duration_min", 90, 30, 300),
            flag("deadline_met"),
        ],
    );
    let relations = vec![link("bookings.course_id", "courses.course_id")];
    Dataset { relations, ..dataset("school", vec![courses, bookings]) }
}

/// One table of checks by the hour.
fn cellar() -> Dataset {
    let columns = vec![
        text("probe", &["P1", "P2", "P3"]),
        moment("checked_at", "2025-03-01T00:00:00", "2025-05-31T23:00:00"),
        text("vault", &["East Vault", "Old Vault"]),
        decimal("temperature_c", "4.0", "22.0"),
        text("alarm_kind", &["dew_alarm", "door_alarm"]).nulls(8000),
        text("mode", &["normal", "cleaning"]),
    ];
    dataset("cellar", vec![table("checks", 9000, columns)])
}
