"""Writes four datasets as CSV files: ferry, museum, foodbank, printshop.

    python3 make_trades.py OUTDIR      ->  OUTDIR/<dataset>/<table>.csv

Everything is invented, from one fixed seed, with the standard library alone.

    ferry      vessels, routes, sailings; abbreviations with dots, units in brackets, Y/N
    museum     objects, daily_visits; years inside of numbers, pounds in headers, closed on Mondays
    foodbank   households, parcels, donations; short snake_case names, cells left empty
    printshop  jobs; one wide table with `#`, `?` and `£` in its headers
"""

import random
from datetime import date, timedelta

from rows import build_all, pick, maybe, money, day_between, write

# One source for all tables: each goes on where the one before has stopped.
chance = random.Random(20417)


# --- ferry ----------------------------------------------------------------

VESSELS = {
    # vessel: (built, passengers, cars, crew, propulsion)
    "Aurelia": (1998, 420, 70, 18, "Diesel"),
    "Skarv": (2006, 260, 38, 11, "Diesel"),
    "Havfruen": (2019, 310, 52, 9, "Hybrid"),
    "Lille Per": (1984, 120, 12, 5, "Diesel"),
    "Nordlys II": (2022, 380, 64, 10, "Electric"),
}
ROUTES = [
    ["R1", "Haldvik", "Stornes", 14.5, 55],
    ["R2", "Haldvik", "Munkøy", 6.2, 25],
    ["R3", "Stornes", "Tangen", 9.8, 40],
    ["R4", "Haldvik", "Brekk", 22.0, 85],
]
TRAFFIC = {
    # route: (weight, vessels, fare of a passenger, fare of a car)
    "R1": (34, {"Aurelia": 5, "Nordlys II": 4, "Skarv": 1}, 14.5, 38),
    "R2": (27, {"Lille Per": 5, "Skarv": 3}, 6, 18),
    "R3": (22, {"Havfruen": 5, "Skarv": 3}, 9.5, 26),
    "R4": (17, {"Aurelia": 4, "Nordlys II": 3, "Havfruen": 1}, 19, 54),
}
DEPARTURES = {"06:45": 2, "08:30": 3, "11:00": 3, "14:15": 3, "17:30": 3, "20:10": 2}
SEAS = {
    # sea state: (weight, chance of a cancellation, mean delay)
    "Calm": (5, 0.01, 2), "Moderate": (4, 0.03, 6), "Rough": (2, 0.17, 17),
}
LORRY_FARE = 110


def ferry_vessels():
    for name, row in VESSELS.items():
        yield [name, *row]


def ferry_sailings(rng):
    day, last = date(2025, 3, 1), date(2025, 9, 16)
    number = 0
    while day <= last:
        season = 0.85 if day.month in (6, 7, 8) else 0.5
        for _ in range(pick(rng, {2: 3, 3: 5, 4: 2})):
            number += 1
            route = pick(rng, {name: row[0] for name, row in TRAFFIC.items()})
            _, vessels, passenger_fare, car_fare = TRAFFIC[route]
            vessel = pick(rng, vessels)
            _, seats, spaces, _, _ = VESSELS[vessel]
            departure = pick(rng, DEPARTURES)
            sea = pick(rng, {name: row[0] for name, row in SEAS.items()})
            _, risk, wait = SEAS[sea]
            cancelled = rng.random() < risk
            fill = min(1, max(0.04, rng.gauss(season * (1.1 if day.weekday() >= 5 else 0.9), 0.2)))
            passengers = int(seats * fill)
            cars = min(spaces, int(spaces * max(0, rng.gauss(fill, 0.15))))
            lorries = 0 if vessel == "Lille Per" else pick(rng, {0: 5, 1: 3, 2: 2, 4: 1})
            delay = max(0, int(rng.gauss(wait, 7)))
            income = passengers * passenger_fare + cars * car_fare + lorries * LORRY_FARE
            planned = [f"S{number:04}", day, departure, route, vessel, sea]
            if cancelled:
                yield [*planned, "Y", "", "", "", "", money(0), ""]
                continue
            yield [
                *planned, "N", passengers, cars, lorries, delay, money(income),
                maybe(rng, 0.35, pick(rng, {5: 4, 4: 5, 3: 2, 2: 1, 1: 0.5})),
            ]
        day += timedelta(days=1)


def ferry(folder):
    write(folder, "vessels", ["Vessel", "Built", "Pax Cap.", "Car Spaces", "Crew", "Propulsion"],
          ferry_vessels())
    write(folder, "routes", ["Route", "From", "To", "Dist (nm)", "Sched Mins"], ROUTES)
    write(folder, "sailings", ["Sailing ID", "Date", "Dep.", "Route", "Vessel", "Sea State",
                               "Cancelled?", "Foot Pax", "Cars", "Lorries", "Delay (min)",
                               "Ticket Income (EUR)", "Guest Score"], ferry_sailings(chance))


# --- museum ---------------------------------------------------------------

DEPARTMENTS = {
    # department: (weight, object types, galleries, usual value)
    "Ceramics": (26, ("Vase", "Bowl", "Tile", "Jug"), ("G1", "G2"), 900),
    "Textiles": (17, ("Tapestry", "Sampler", "Shawl", "Banner"), ("G2", "G3"), 1400),
    "Paintings": (20, ("Portrait", "Landscape", "Still life"), ("G4", "G5"), 9500),
    "Maritime": (15, ("Ship model", "Sextant", "Chart"), ("G6",), 2600),
    "Natural History": (22, ("Fossil", "Mounted bird", "Mineral"), ("G7",), 450),
}
TITLE_WORDS = ("Blue", "Broken", "Large", "Late", "Miniature", "Painted", "Northern", "Old", "Red",
               "Gilded", "Plain", "Harbour")
GIVERS = ("Hallam family", "E. Roche", "Port Authority", "Friends of the Museum", "Mrs A. Tully",
          "Anon.")
EXHIBITIONS = (
    # first day, last day, name, visitors beside those of an average one
    (date(2024, 10, 5), date(2025, 1, 12), "Salt & Silver", 1),
    (date(2025, 2, 1), date(2025, 5, 4), "Birds of the Estuary", 1.25),
    (date(2025, 5, 17), date(2025, 9, 30), "Threads", 0.95),
)
NO_EXHIBITION = ("", 0.7)


def museum_objects(rng):
    for number in range(1, 341):
        department = pick(rng, {name: row[0] for name, row in DEPARTMENTS.items()})
        _, types, galleries, value = DEPARTMENTS[department]
        kind = rng.choice(types)
        year = int(rng.triangular(1921, 2024, 1988))
        acquired = date(year, 1, 1) + timedelta(days=rng.randrange(365))
        how = pick(rng, {"Gift": 46, "Purchase": 27, "Bequest": 18, "Field collection": 9})
        shown = rng.random() < 0.34
        checked = date(2019, 1, 10) + timedelta(days=int(rng.triangular(0, 2300, 1700)))
        yield [
            f"{year}/{number}", f"{rng.choice(TITLE_WORDS)} {kind.lower()}", department, kind,
            acquired, how,
            maybe(rng, 0.1, rng.choice(GIVERS)) if how in ("Gift", "Bequest") else "",
            maybe(rng, 0.07, int(value * rng.lognormvariate(0, 0.9)) // 10 * 10 + 20),
            "Yes" if shown else "No", rng.choice(galleries) if shown else "",
            round(rng.uniform(4, 190), 1),
            pick(rng, {"Good": 50, "Fair": 32, "Poor": 13, "At risk": 5}), checked,
        ]


def museum_daily_visits(rng):
    day, last = date(2024, 10, 1), date(2025, 8, 17)
    while day <= last:
        weekend, holidays = day.weekday() >= 5, day.month in (7, 8)
        if day.weekday() != 0:
            exhibition, drawn = next(((name, drawn) for first, end, name, drawn in EXHIBITIONS
                                      if first <= day <= end), NO_EXHIBITION)
            crowd = (1.7 if weekend else 1) * (1.35 if holidays or day.month == 12 else 1) * drawn
            adults, children, members = (
                max(0, int(rng.gauss(mean * crowd, mean * 0.25 * crowd))) for mean in (92, 34, 21))
            schools = 0 if weekend or holidays else pick(rng, {0: 6, 1: 3, 2: 1})
            shop = (adults * 2.4 + children * 1.1 + members * 1.8) * rng.uniform(0.6, 1.4)
            cafe = (adults + children + members) * rng.uniform(1.6, 3.1)
            yield [
                day, exhibition, adults, children, members, schools,
                money(adults * 9.5 + children * 4), money(shop), maybe(rng, 0.03, money(cafe)),
                pick(rng, {"dry": 6, "wet": 4, "snow": 0.3}),
            ]
        day += timedelta(days=1)


def museum(folder):
    write(folder, "objects", ["Acc. No", "Title", "Dept", "Object Type", "Acquired",
                              "How Acquired", "Donor", "Ins. Value (£)", "On Display", "Gallery",
                              "Ht (cm)", "Condition", "Last Checked"], museum_objects(chance))
    write(folder, "daily_visits", ["Day", "Special Exhib.", "Adults", "Children", "Members",
                                   "School Groups", "Door Take (£)", "Shop (£)", "Cafe (£)",
                                   "Weather"], museum_daily_visits(chance))


# --- foodbank -------------------------------------------------------------

PARCELS = {
    # type: (weight among the types, mean kg)
    "standard": (6, 11), "family": (4, 19), "emergency": (1.5, 7), "baby": (1, 5),
}
PACKERS = ("Ines", "Bob", "Farah", "Margaret", "Tunde", "Colm")
DONORS = (
    # name, type, weight
    ("Tesco Hove", "supermarket", 9), ("Lidl Lewes Rd", "supermarket", 7),
    ("Aldi Portslade", "supermarket", 5), ("St Luke's", "church", 3), ("All Saints", "church", 2),
    ("Varndean School", "school", 2), ("Drop-off box", "public", 8), ("Rotary Club", "club", 2),
    ("Amex canteen", "business", 1),
)
ITEM_GROUPS = {
    # group: (weight, days for which it usually keeps)
    "tins": (7, 500), "pasta & rice": (5, 380), "fresh veg": (4, 6), "bread": (4, 3),
    "toiletries": (2, None), "baby": (1.5, 200), "pet food": (1, 300),
}


def foodbank_households(rng):
    for number in range(1, 131):
        first_visit = date(2024, 1, 8) + timedelta(days=int(rng.triangular(0, 520, 200)))
        adults = pick(rng, {1: 5, 2: 5, 3: 1})
        children = pick(rng, {0: 5, 1: 3, 2: 3, 3: 1.4, 4: 0.5})
        yield [
            f"HH{number:03}", pick(rng, {"BN1": 3, "BN2": 4, "BN3": 2, "BN41": 2, "BN42": 1}),
            adults, children, first_visit,
            pick(rng, {"GP surgery": 2, "Citizens Advice": 4, "school": 3, "church": 1, "self": 2}),
            maybe(rng, 0.06, pick(rng, {"anything": 6, "halal": 2, "vegetarian": 2,
                                        "gluten free": 1})),
            pick(rng, {"Y": 3, "N": 7}),
        ]


def foodbank_parcels(rng, households):
    last = date(2025, 8, 29)
    need = [rng.paretovariate(2.2) for _ in households]
    rows = []
    for _ in range(520):
        household = rng.choices(households, weights=need)[0]
        first_visit = household[4]
        day = first_visit + timedelta(days=int(rng.random() * max(1, (last - first_visit).days)))
        while day.weekday() not in (1, 3, 4):
            day += timedelta(days=1)
        kind = pick(rng, {name: row[0] for name, row in PARCELS.items()})
        weight = max(2, rng.gauss(PARCELS[kind][1], 1.8))
        rows.append([min(day, last), household[0], kind, round(weight, 1), rng.choice(PACKERS),
                     "yes" if rng.random() < 0.28 else "no"])
    rows.sort(key=lambda row: (row[0], row[1]))
    for number, row in enumerate(rows, 5001):
        yield [number, *row, maybe(rng, 0.55, pick(rng, {10: 4, 15: 3, 20: 2, 30: 1}))]


def foodbank_donations(rng):
    rows = []
    for _ in range(330):
        day = day_between(rng, date(2025, 1, 2), date(2025, 8, 29))
        donor, kind, _ = rng.choices(DONORS, weights=[row[2] for row in DONORS])[0]
        group = pick(rng, {name: row[0] for name, row in ITEM_GROUPS.items()})
        _, keeps = ITEM_GROUPS[group]
        weight = round(rng.lognormvariate(2.6, 0.7), 1)
        rows.append([
            day, donor, kind, group, weight,
            day + timedelta(days=int(keeps * rng.uniform(0.3, 1.4))) if keeps else "",
            round(weight * rng.choice((0, 0, 0, 0.05, 0.1, 0.3)), 1),
        ])
    rows.sort(key=lambda row: (row[0], row[1]))
    for number, row in enumerate(rows, 1):
        yield [f"D{number:04}", *row]


def foodbank(folder):
    households = list(foodbank_households(chance))
    write(folder, "households", ["hh_no", "pcode", "adults", "kids", "first_visit", "referred_by",
                                 "diet", "pet_food"], households)
    write(folder, "parcels", ["parcel_no", "given_on", "hh_no", "type", "weight_kg", "packed_by",
                              "delivered", "voucher_value"], foodbank_parcels(chance, households))
    write(folder, "donations", ["don_id", "recd", "donor", "donor_type", "item_group", "kg",
                                "best_before", "binned_kg"], foodbank_donations(chance))


# --- printshop ------------------------------------------------------------

CLIENTS = {
    "Bramley Estates": 6, "Cafe Lumo": 5, "City Theatre": 9, "Dunstan & Co": 4,
    "Eastgate Dental": 4, "Fell Runners Club": 2, "Greenleaf Co-op": 6, "Harker Weddings": 5,
    "Ivy Street School": 7, "Jolly Brewing": 8, "Kestrel Motors": 3, "Lantern Books": 4,
}
PRODUCTS = {
    # product: (weight, usual quantity, price of one)
    "Flyers": (26, 1000, 0.045), "Business cards": (20, 500, 0.06), "Posters": (18, 80, 1.9),
    "Booklets": (14, 250, 1.35), "Menus": (12, 120, 0.85), "Banners": (10, 4, 48),
}


def printshop_jobs(rng):
    first, last = date(2024, 7, 1), date(2025, 6, 30)
    for number in range(1, 441):
        ordered = first + timedelta(days=int(number * 365 / 440))
        if ordered.weekday() == 6:
            ordered -= timedelta(days=1)
        product = pick(rng, {name: row[0] for name, row in PRODUCTS.items()})
        _, usual, price = PRODUCTS[product]
        banner = product == "Banners"
        quantity = max(1, int(usual * rng.choice((0.5, 1, 1, 1.5, 2, 4))))
        promised = ordered + timedelta(days=rng.choice((2, 3, 4, 5, 7)))
        if rng.random() < 0.17:
            delivered = promised + timedelta(days=rng.randint(1, 6))
        else:
            delivered = promised - timedelta(days=rng.choice((0, 0, 0, 1)))
        done = delivered <= last
        net = round(quantity * price * rng.uniform(0.8, 1.25) + 12, 2)
        rush = rng.random() < 0.13
        if rush:
            net = round(net * 1.3, 2)
        press = "Wide format" if banner else pick(rng, {"Heidelberg": 4, "Digital 1": 5, "Digital 2": 3})
        client = pick(rng, CLIENTS)
        stock = "PVC" if banner else pick(rng, {"Silk": 4, "Uncoated": 3, "Recycled": 2, "Gloss": 2})
        if banner:
            grams = ""
        else:
            grams = 350 if product == "Business cards" else rng.choice((100, 130, 170, 250))
        yield [
            f"J-{2400 + number}", client, ordered, promised, delivered if done else "", product,
            quantity, stock, grams, pick(rng, {"4/4": 6, "4/0": 4, "1/0": 1.5}), press,
            rng.choice(("Marek", "Gill") if banner else ("Dot", "Marek", "Sunil")),
            "" if banner else int(abs(rng.gauss(14, 12))), "rush" if rush else "", money(net),
            money(net * 0.2),
            "Paid" if done and rng.random() < (0.93 if ordered < date(2025, 4, 1) else 0.55)
            else "Unpaid",
            "Y" if rng.random() < 0.06 else "N",
        ]


def printshop(folder):
    write(folder, "jobs", ["Job #", "Client", "Ordered", "Promised", "Delivered", "Product", "Qty",
                           "Stock", "GSM", "Colours", "Press", "Operator", "Waste shts", "Rush?",
                           "Net £", "VAT £", "Invoice", "Reprint"], printshop_jobs(chance))


if __name__ == "__main__":
    build_all((ferry, museum, foodbank, printshop))
