//! Single files as people have them: nothing declared, only names, types and values.

use base::{Cell, Type};
use data::Dataset;
use data::dataset::ColumnInfo;

use super::{Profile, column, dataset, day, decimal, flag, int, key, name_of, table, text};

/// The dataset of that name, if it is one of these.
pub fn named(name: &str) -> Option<Dataset> {
    Some(match name {
        "credit" => credit(),
        "hotels" => hotels(),
        "rides" => rides(),
        "prices" => prices(),
        "arrests" => arrests(),
        "births" => births(),
        "happiness" => happiness(),
        "titanic" => titanic(),
        "calls" => calls(),
        "policies" => policies(),
        "turnout" => turnout(),
        _ => return None,
    })
}

fn unique(column: ColumnInfo) -> ColumnInfo {
    ColumnInfo { unique: true, ..column }
}

fn credit() -> Dataset {
    let columns = vec![
        decimal("Income", "10.3", "186.6"),
        int("Limit", 387, 855, 13913),
        int("Rating", 283, 93, 982),
        int("Cards", 9, 1, 9),
        int("Age", 68, 23, 98),
        text("Gender", &["Female", "Male"]),
        text("Student", &["No", "Yes"]),
        text("Married", &["Yes", "No"]),
        text("Ethnicity", &["Caucasian", "Asian", "African American"]),
        int("Balance", 284, 0, 1999),
    ];
    dataset("credit", vec![table("credit", 400, columns)])
}

fn hotels() -> Dataset {
    let columns = vec![
        key("hotel_id", 1057),
        text("hotel_name", &["Night Theater District", "Solita Soho Hotel", "Row NYC Hotel"]),
        text("city_name", &["New York City", "Brooklyn", "Queens"]),
        ColumnInfo { distinct: 9, ..decimal("star_rating", "1.0", "5.0").nulls(318) },
        ColumnInfo { distinct: 9, ..decimal("bubble_score", "10.0", "50.0").nulls(119) },
        int("review_count", 608, 0, 14000),
        text("brand_name", &["Clarion", "Comfort Inn"]).nulls(607),
        text("parent_brand_name", &["Marriott", "Hilton"]).nulls(710),
    ];
    dataset("hotel_data", vec![table("hotel_data", 1057, columns)])
}

fn rides() -> Dataset {
    let columns = vec![
        unique(day("Date", "2014-10-01", "2014-12-31")),
        int("Trips over the past 24-hours (midnight to 11:59pm)", 92, 876, 39000),
        int("Cumulative trips (since launch):", 92, 13296973, 15000000),
        int("Total Annual Memberships Sold", 92, 124846, 130000),
        int("7-Day Passes Purchased (midnight to 11:59 pm)", 59, 3, 120),
    ];
    dataset("rides", vec![table("t_2014_q4", 92, columns)])
}

fn prices() -> Dataset {
    let columns = vec![
        ColumnInfo { distinct: 250, ..unique(day("Date", "2023-01-03", "2023-12-29")) },
        decimal("Open", "100.0", "200.0"),
        decimal("Close", "100.0", "200.0"),
        int("Volume", 250, 1000, 90000),
    ];
    dataset("prices", vec![table("acme", 250, columns)])
}

fn arrests() -> Dataset {
    let columns = vec![
        int("Date", 27, 1991, 2017),
        text("Offense", &["Aggravated Assault", "Burglary", "Vandalism"]),
        int("Age", 17, 8, 24),
        decimal("Count", "1.0", "900.0").nulls(37),
        text("Category", &["Crimes Against Person", "Crimes Against Property"]),
        text("Offense_Type", &["misdemeanor", "felony"]),
        flag("Expungible"),
    ];
    dataset("arrest_expungibility", vec![table("arrest_expungibility", 8638, columns)])
}

fn births() -> Dataset {
    let columns = vec![
        int("Year", 40, 1980, 2019),
        text("Name", &["Emma", "Noah", "Olivia"]),
        text("Sex", &["F", "M"]),
        int("Count", 5000, 5, 30000),
    ];
    dataset("baby_names", vec![table("baby_names", 60000, columns)])
}

fn happiness() -> Dataset {
    let columns = vec![
        name_of("Country", &["Switzerland", "Canada", "Togo"]),
        text("Region", &["Western Europe", "North America", "Sub-Saharan Africa"]),
        int("Happiness Rank", 157, 1, 158),
        decimal("Happiness Score", "2.839", "7.587"),
        decimal("Economy (GDP per Capita)", "0.0", "1.69"),
        decimal("Health (Life Expectancy)", "0.0", "1.02"),
        decimal("Freedom", "0.0", "0.67"),
    ];
    dataset("t_2015", vec![table("t_2015", 158, columns)])
}

fn titanic() -> Dataset {
    let zero_one =
        ColumnInfo { min: Some(Cell::from(0)), max: Some(Cell::from(1)), ..column("Survived", Type::Int, 2) };
    let columns = vec![
        key("PassengerId", 891),
        zero_one,
        int("Pclass", 3, 1, 3),
        name_of("Name", &["Braund, Mr. Owen", "Heikkinen, Miss Laina"]),
        text("Sex", &["male", "female"]),
        decimal("Age", "0.42", "80.0").nulls(177),
        decimal("Fare", "0.0", "512.33"),
        text("Embarked", &["S", "C", "Q"]).nulls(2),
    ];
    dataset("train", vec![table("train", 891, columns)])
}

fn calls() -> Dataset {
    let columns = vec![
        key("call_id", 5000),
        text("Agent", &["Joe", "Martha", "Stewart"]),
        text("Topic", &["Billing", "Contract", "Technical Support"]),
        flag("Resolved"),
        int("Wait seconds", 116, 10, 125),
        int("Satisfaction rating", 5, 1, 5).nulls(946),
        day("Call Date", "2021-01-01", "2021-03-31"),
    ];
    dataset("calls", vec![table("calls_export", 5000, columns)])
}

fn policies() -> Dataset {
    let columns = vec![
        key("policy_id", 1200),
        int("age", 47, 18, 64),
        text("sex", &["female", "male"]),
        text("smoker", &["yes", "no"]),
        flag("insured"),
        text("region", &["North", "South", "East", "West"]),
        day("start", "1988-02-01", "2023-11-30"),
        decimal("charges", "1121.87", "63770.43"),
    ];
    dataset("policies", vec![table("policies", 1200, columns)])
}

fn turnout() -> Dataset {
    let columns = vec![
        text("state", &["Ohio", "Texas", "Iowa"]),
        name_of("county", &["Adams", "Story", "Travis"]),
        int("year", 9, 1988, 2020),
        int("registered", 900, 812, 740_120),
        int("early_votes", 640, 0, 301_222),
        int("total_votes", 880, 604, 612_337),
    ];
    dataset("turnout", vec![table("turnout", 900, columns)])
}
