//! Roles and deeds: employees some of whom manage others, a job that is called so too, and a state that is called like what
//! guests do.

use data::Dataset;
use data::dataset::ColumnInfo;

use super::{dataset, day, int, key, link, name_of, table, text};

/// The dataset of that name, if it is one of these.
pub fn named(name: &str) -> Option<Dataset> {
    match name {
        "offices" => Some(offices()),
        "lodge" => Some(lodge()),
        _ => None,
    }
}

/// Departments and who works there for whom.
fn offices() -> Dataset {
    let departments = table(
        "departments",
        6,
        vec![
            key("dept_id", 6),
            name_of("dept_name", &["Sales", "Engineering"]),
            text("location", &["Berlin", "Munich"]),
        ],
    );
    let employees = table(
        "employees",
        90,
        vec![
            key("emp_id", 90),
            name_of("full_name", &["Tina King", "Noah Adams"]),
            int("dept_id", 6, 1, 6),
            ColumnInfo { nulls: 3, ..int("manager_id", 12, 1, 90) },
            text("job", &["Manager", "Engineer", "Clerk"]),
            text("remote", &["yes", "no"]),
            int("age", 40, 20, 64),
        ],
    );
    let relations =
        vec![link("employees.dept_id", "departments.dept_id"), link("employees.manager_id", "employees.emp_id")];
    Dataset { relations, ..dataset("offices", vec![departments, employees]) }
}

/// Guests and their bookings, some of which are only booked yet.
fn lodge() -> Dataset {
    let guests = table(
        "guests",
        60,
        vec![key("guest_id", 60), name_of("name", &["Mia Frank", "Noah Clark"]), text("country", &["France", "Spain"])],
    );
    let bookings = table(
        "bookings",
        240,
        vec![
            key("booking_id", 240),
            int("guest_id", 51, 1, 60),
            day("booked_on", "2023-01-05", "2024-12-01"),
            text("status", &["booked", "completed", "cancelled"]),
            text("breakfast", &["yes", "no"]),
            int("extras", 6, 0, 5),
        ],
    );
    Dataset {
        relations: vec![link("bookings.guest_id", "guests.guest_id")],
        ..dataset("lodge", vec![guests, bookings])
    }
}
