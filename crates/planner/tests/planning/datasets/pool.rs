//! What people who had not seen the planner asked and it read otherwise: swimming courses, some of them without a teacher,
//! and the calls of ambulances in abbreviations.

use data::Dataset;

use super::{Profile, dataset, day, decimal, flag, int, key, link, moment, name_of, table, text};

/// The dataset of that name, if it is one of these.
pub fn named(name: &str) -> Option<Dataset> {
    Some(match name {
        "pool" => pool(),
        "ambulance" => ambulance(),
        _ => return None,
    })
}

/// Courses, who teaches them, and who takes them.
fn pool() -> Dataset {
    let instructors = table(
        "instructors",
        8,
        vec![
            key("instructor_id", 8),
            name_of("instructor_name", &["Ravi Nair", "Aylin Demir"]),
            text("contract", &["full-time", "part-time", "freelance"]),
            decimal("hourly_pay_eur", "18.00", "32.00"),
        ],
    );
    let courses = table(
        "courses",
        90,
        vec![
            key("course_no", 90),
            text("level", &["Bronze", "Silver", "Gold"]),
            int("instructor_id", 8, 1, 8).nulls(6),
            int("max_places", 6, 6, 14),
        ],
    );
    let enrolments = table(
        "enrolments",
        700,
        vec![
            key("enrolment_no", 700),
            int("course_no", 86, 1, 90),
            text("swimmer", &["Lena Ford", "Gus Cole"]),
            text("membership", &["member", "non-member"]),
            int("lessons_attended", 12, 1, 12),
            text("exam_result", &["passed", "failed"]).nulls(80),
            decimal("fee_paid_eur", "30.00", "140.00"),
            decimal("discount_eur", "0.00", "20.00"),
            text("payment_method", &["cash", "card", "account"]),
            flag("resident"),
            flag("account_holder"),
            day("enrolled_on", "2025-01-03", "2025-12-29"),
        ],
    );
    let relations = vec![
        link("courses.instructor_id", "instructors.instructor_id"),
        link("enrolments.course_no", "courses.course_no"),
    ];
    Dataset { relations, ..dataset("pool", vec![instructors, courses, enrolments]) }
}

/// Calls and the stations they were sent from.
fn ambulance() -> Dataset {
    let stations = table(
        "stations",
        9,
        vec![key("STN_CD", 9), name_of("STN_NM", &["Kingsway", "Millfield"]), int("VEH_CNT", 6, 2, 8)],
    );
    let callouts = table(
        "callouts",
        1400,
        vec![
            key("INC_NO", 1400),
            moment("CALL_DT", "2025-01-01T07:20:00", "2025-12-31T22:10:00"),
            int("STN_CD", 9, 1, 9),
            int("PT_AGE", 90, 1, 98).nulls(30),
            text("PT_SEX", &["F", "M"]).nulls(25),
            text("CHIEF_CMPL", &["Chest pain", "Fall", "Breathing difficulty"]),
            int("nights", 6, 1, 6),
            decimal("price_per_night_eur", "18.00", "90.00"),
            text("paid", &["Yes", "No", "Part"]),
            decimal("parts_eur", "0.00", "90.00"),
        ],
    );
    let relations = vec![link("callouts.STN_CD", "stations.STN_CD")];
    Dataset { relations, ..dataset("ambulance", vec![stations, callouts]) }
}
