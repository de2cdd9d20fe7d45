//! Parishes and the lakes in them: two tables that have a number of the same name, and a name that is a cell of both.

use data::Dataset;

use super::{dataset, decimal, int, link, name_of, table, text};

/// The dataset of that name, if it is one of these.
pub fn named(name: &str) -> Option<Dataset> {
    (name == "parishes").then(parishes)
}

fn parishes() -> Dataset {
    let villages = table(
        "villages",
        310,
        vec![
            text("village_name", &["Askby", "Ellwick", "Harrow Mead"]),
            text("parish_name", &["Northmoor", "Southmoor"]),
            int("inhabitants", 290, 12, 4100),
        ],
    );
    let lakes = table(
        "lakes",
        40,
        vec![
            name_of("lake_name", &["Black Tarn", "Long Water"]),
            text("parish_name", &["Northmoor", "Southmoor"]),
            decimal("surface", "0.1", "94.0"),
        ],
    );
    let parishes = table(
        "parishes",
        12,
        vec![
            name_of("parish_name", &["Northmoor", "Southmoor"]),
            name_of("seat", &["Askby", "Ellwick"]),
            int("inhabitants", 12, 900, 40000),
            decimal("surface", "20.0", "410.0"),
        ],
    );
    let relations =
        vec![link("villages.parish_name", "parishes.parish_name"), link("lakes.parish_name", "parishes.parish_name")];
    Dataset { relations, ..dataset("parishes", vec![villages, lakes, parishes]) }
}
