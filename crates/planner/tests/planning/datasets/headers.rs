//! Single files with headers as they come: abbreviations, units, camel case, numbers of something, lists in cells.

use data::Dataset;
use data::dataset::ColumnInfo;

use super::{Profile, dataset, decimal, flag, int, key, table, text};

/// The dataset of that name, if it is one of these.
pub fn named(name: &str) -> Option<Dataset> {
    Some(match name {
        "loans" => loans(),
        "outbreaks" => outbreaks(),
        "storms" => storms(),
        "trees" => trees(),
        "survey" => survey(),
        _ => return None,
    })
}

fn loans() -> Dataset {
    let columns = vec![
        ColumnInfo { unique: true, ..text("Loan_ID", &["LP001015", "LP001022", "LP001031"]) },
        text("Gender", &["Male", "Female"]).nulls(11),
        flag("Married"),
        text("Dependents", &["0", "1", "2", "3+"]).nulls(10),
        text("Education", &["Graduate", "Not Graduate"]),
        int("ApplicantIncome", 314, 0, 72529),
        int("CoapplicantIncome", 194, 0, 24000),
        int("LoanAmount", 144, 28, 550).nulls(5),
        int("Loan_Amount_Term", 12, 6, 480).nulls(6),
        text("Property_Area", &["Urban", "Rural", "Semiurban"]),
    ];
    dataset("loans", vec![table("export_7", 367, columns)])
}

fn outbreaks() -> Dataset {
    let countries = ColumnInfo { distinct: 107, ..text("Country", &["Angola", "Benin", "India"]) };
    let columns = vec![
        countries,
        int("Year", 8, 2010, 2017),
        text("No. of cases", &["630308[495000-801000]", "4615605[3106000-6661000]", "0"]),
        int("No. of cases_median", 694, 0, 62020888),
        int("No. of cases_min", 448, 30, 44530000).nulls(312),
        int("No. of cases_max", 481, 50, 84290000).nulls(312),
        text("Region", &["Africa", "South-East Asia"]),
    ];
    dataset("estimates", vec![table("estimates", 856, columns)])
}

fn storms() -> Dataset {
    let areas = ["None", "Florida", "Cuba, Florida", "Guyana, Venezuela", "Bermuda, Azores"];
    let columns = vec![
        key("column_1", 818),
        text("name", &["ARLENE", "BRET", "IRMA"]),
        int("max_storm_cat", 7, 0, 6),
        decimal("max_sust_wind", "30.0", "150.9").nulls(24),
        text("areas_affected", &areas),
        decimal("damage_USD", "0.0", "608000000000.0"),
        int("deaths", 78, 0, 3059),
        int("year", 50, 1968, 2017),
    ];
    dataset("cost_data", vec![table("cost_data", 818, columns)])
}

fn trees() -> Dataset {
    let columns = vec![
        key("LIVE_ID", 9796),
        text("SCIENTIFIC_NAME", &["Abies concolor", "Pinus ponderosa", "Pseudotsuga menziesii"]),
        decimal("DBH_CM", "2.5", "200.1"),
        decimal("HT_M", "1.4", "70.2"),
    ];
    dataset("tree", vec![table("tree", 9796, columns)])
}

fn survey() -> Dataset {
    let columns = vec![
        int("RespondentAge", 60, 18, 90),
        text("Gender", &["F", "M"]),
        int("num_children", 6, 0, 5),
        text("languages", &["English", "English, French", "French, German"]),
        decimal("wt_kg", "41.0", "140.0"),
        int("sleep_hours_min", 8, 2, 9),
        int("sleep_hours_max", 8, 5, 14),
        int("survey_year", 4, 2018, 2021),
    ];
    dataset("answers", vec![table("answers_export", 1200, columns)])
}
