//! Tables whose columns people call otherwise: short names, names in British English, verbs for rows.

use data::Dataset;

use super::{Profile, dataset, day, decimal, flag, int, key, link, name_of, table, text};

/// The dataset of that name, if it is one of these.
pub fn named(name: &str) -> Option<Dataset> {
    Some(match name {
        "brewery" => brewery(),
        "towing" => towing(),
        "lending" => lending(),
        "firehouse" => firehouse(),
        "stall" => stall(),
        _ => return None,
    })
}

/// Hops from several countries, brews, and what was sent out.
fn brewery() -> Dataset {
    let hops = table(
        "hop_lots",
        60,
        vec![
            name_of("Lot", &["HL-01", "HL-02", "HL-60"]),
            text("Origin", &["Germany", "Slovenia", "New Zealand", "Poland"]),
            decimal("Price per kg (EUR)", "8.00", "41.00"),
        ],
    );
    let brews = table(
        "brews",
        640,
        vec![
            key("Brew No", 640),
            text("Lot", &["HL-01", "HL-02", "HL-60"]),
            text("Operator", &["Jana", "Luc", "Ravi"]),
            day("Brew Date", "2024-01-03", "2024-12-20"),
            int("Boil Time (min)", 40, 45, 95),
            flag("QC Passed"),
        ],
    );
    let shipments = table(
        "shipments",
        1900,
        vec![
            key("Shipment ID", 1900),
            int("Brew No", 610, 1, 640),
            text("Carrier", &["DPD", "UPS"]),
            text("Customer", &["Harbor Coffee Bar", "The Anchor", "Mill Hotel"]),
            day("Ship Date", "2024-01-20", "2025-01-10"),
            day("Delivered On", "2024-01-22", "2025-01-15").nulls(12),
            decimal("Freight Cost (EUR)", "4.00", "96.00"),
        ],
    );
    let relations = vec![link("brews.Lot", "hop_lots.Lot"), link("shipments.Brew No", "brews.Brew No")];
    Dataset { relations, ..dataset("brewery", vec![hops, brews, shipments]) }
}

/// One wide table with short names.
fn towing() -> Dataset {
    let tickets = table(
        "tickets",
        2600,
        vec![
            key("TicketNo", 2600),
            day("IssuedOn", "2025-01-02", "2025-12-30"),
            int("OfficerBadge", 14, 401, 430),
            text("VehMake", &["Ford", "Tesla", "Kia"]),
            text("VehColor", &["Black", "White", "Gray"]).nulls(40),
            text("Violation", &["No permit", "Bus lane"]),
            decimal("FineUSD", "25.00", "250.00"),
            flag("Towed"),
        ],
    );
    dataset("towing", vec![tickets])
}

/// Items with an author and pages, members known by a card, and what was lent.
fn lending() -> Dataset {
    let catalogue = table(
        "catalogue",
        900,
        vec![
            name_of("item_id", &["IT1", "IT2", "IT900"]),
            name_of("title", &["Deep Water", "North of Here"]),
            text("author", &["Mira Holt", "Ben Okri"]),
            text("genre", &["Crime", "Fantasy"]),
            int("pages", 300, 40, 900),
        ],
    );
    let members = table(
        "members",
        400,
        vec![
            name_of("card_no", &["700100", "700101", "700499"]),
            text("member_type", &["Adult", "Student", "Senior"]),
            text("honorific", &["Dr", "Prof"]).nulls(370),
            flag("sunday_open"),
        ],
    );
    let loans = table(
        "loans",
        5200,
        vec![
            key("loan_id", 5200),
            text("card_no", &["700100", "700101", "700499"]),
            text("item_id", &["IT1", "IT2", "IT900"]),
            day("loan_date", "2024-07-01", "2025-06-30"),
            day("due_date", "2024-07-22", "2025-07-21"),
            day("return_date", "2024-07-04", "2025-07-20").nulls(210),
            int("renewals", 4, 0, 3),
        ],
    );
    let relations = vec![link("loans.card_no", "members.card_no"), link("loans.item_id", "catalogue.item_id")];
    Dataset { relations, ..dataset("lending", vec![catalogue, members, loans]) }
}

/// Calls that many stations share, with states that are not the stations' own.
fn firehouse() -> Dataset {
    let callouts = table(
        "callouts",
        900,
        vec![
            key("incident_no", 900),
            day("alarm_on", "2024-01-02", "2024-12-29"),
            text("station", &["Airport", "Central", "Docks"]),
            text("investigation", &["open", "closed"]),
            text("medal", &["gold", "silver", "bronze"]).nulls(800),
            int("response_min", 40, 2, 41),
            int("duration_min", 300, 5, 600),
            text("logged_by", &["Ana", "Ben", "Cy"]),
        ],
    );
    dataset("firehouse", vec![callouts])
}

/// What was sold and for how much, and who buys and translates.
fn stall() -> Dataset {
    let sales = table(
        "sales",
        1200,
        vec![
            key("sale_id", 1200),
            int("client_id", 60, 1, 60),
            int("translator_id", 9, 1, 9),
            text("channel", &["online", "market"]),
            day("sold_on", "2024-01-02", "2024-12-29"),
            decimal("total_eur", "2.00", "90.00"),
        ],
    );
    let clients = table("clients", 64, vec![key("client_id", 64), text("town", &["Ulm", "Kiel"])]);
    let languages = text("native_language", &["German", "Polish"]);
    let translators = table("translators", 9, vec![key("translator_id", 9), languages]);
    let relations =
        vec![link("sales.client_id", "clients.client_id"), link("sales.translator_id", "translators.translator_id")];
    Dataset { relations, ..dataset("stall", vec![sales, clients, translators]) }
}
