//! A harbour's files, as questions with slips and with words that are not in them find them.

use data::Dataset;

use super::{dataset, decimal, int, moment, table, text};

/// The dataset of that name, if it is one of these.
pub fn named(name: &str) -> Option<Dataset> {
    Some(match name {
        "berths" => berths(),
        "tides" => tides(),
        "catches" => catches(),
        "ports" => ports(),
        _ => return None,
    })
}

/// A single file whose name says nothing of its rows.
fn berths() -> Dataset {
    let columns = vec![
        decimal("length", "4.2", "31.0"),
        text("pier", &["North Pier", "South Pier", "West Pier"]),
        text("insured", &["yes", "no"]),
        decimal("fees", "80.00", "4100.00"),
        int("crew", 9, 1, 9),
    ];
    dataset("harbour", vec![table("harbour", 640, columns)])
}

/// Readings of a day, with the sun's share of each.
fn tides() -> Dataset {
    let columns = vec![
        moment("time", "2024-01-01T00:00:00", "2024-06-30T23:00:00"),
        decimal("sun", "0.0", "60.0"),
        decimal("temperature", "-4.0", "31.5"),
        decimal("humidity", "21.0", "100.0"),
        text("wind", &["calm", "fresh", "gale"]),
    ];
    dataset("tides", vec![table("tides", 4300, columns)])
}

/// Cells that are one letter from words that people say.
fn catches() -> Dataset {
    let columns = vec![
        text("species", &["Pike", "Tench", "Bream"]),
        text("water", &["Long Pond", "Mere"]),
        decimal("weight_kg", "0.2", "14.0"),
    ];
    dataset("catches", vec![table("catches", 900, columns)])
}

/// Names cut short.
fn ports() -> Dataset {
    let columns = vec![
        text("country", &["Norway", "Chile", "Japan"]),
        int("year", 12, 2008, 2019),
        decimal("cargoperhead", "0.1", "9.0"),
        decimal("draftexp", "3.0", "16.0"),
        int("pop", 300, 900, 900000),
    ];
    dataset("ports", vec![table("ports", 1100, columns)])
}
