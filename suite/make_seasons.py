"""Writes four datasets as CSV files: apiary, theatre, depot, dentallab.

    python3 make_seasons.py OUTDIR      ->  OUTDIR/<dataset>/<table>.csv

Everything is invented, from one fixed seed, with the standard library alone.

    apiary     hives, inspections, harvests; snake_case, years as numbers, Y/N
    theatre    shows, performances, bookings; Title Case headers, keys over two steps
    depot      drivers, parcels; timestamps, true/false, what is still on its way left empty
    dentallab  jobs; one wide table, abbreviations, four dates, `£` and `?` in its headers
"""

import random
from datetime import date, datetime, timedelta

from rows import build_all, pick, money, day_between, write

# One source for all tables: each goes on where the one before has stopped.
chance = random.Random(20417)


# --- apiary ---------------------------------------------------------------

RACES = {
    # race: (weight, mean temper)
    "Buckfast": (4, 4.2), "Carniolan": (3, 3.8), "Local": (3, 2.9),
}
JAR_PRICES = {"Spring blossom": 6.5, "Lime": 7.25, "Heather": 9.5, "Oilseed rape": 5.0}
JAR_KG = 0.34


def apiary_hives(rng):
    for number in range(1, 39):
        set_up = day_between(rng, date(2019, 3, 1), date(2024, 2, 27))
        yield [
            f"H{number:02}",
            pick(rng, {"Orchard": 4, "Heather Moor": 3, "Mill Lane": 3, "Rectory Garden": 2}),
            pick(rng, {"National": 6, "Langstroth": 3, "WBC": 1, "Top Bar": 1}),
            pick(rng, {name: row[0] for name, row in RACES.items()}),
            rng.choice((2022, 2023, 2023, 2024, 2024)), pick(rng, {"Y": 7, "N": 3}), set_up,
            pick(rng, {"swarm": 3, "split": 4, "bought": 2}),
        ]


def apiary_inspections(rng, hives):
    days = sorted(day_between(rng, date(2025, 3, 20), date(2025, 10, 5)) for _ in range(470))
    for number, day in enumerate(days, 1001):
        hive = rng.choice(hives)
        _, temper = RACES[hive[3]]
        summer = max(0, 1 - abs((day - date(2025, 6, 10)).days) / 130)
        mites, treatment = "", ""
        if rng.random() >= 0.45:
            mites = max(0, round(rng.gauss(2 + 9 * (day.month - 3) / 7, 3)))
            if mites > 8 and rng.random() < 0.7:
                treatment = pick(rng, {"Oxalic acid": 4, "Thymol": 3, "Formic acid": 1})
        swarming = rng.random() >= 0.8 and 4 <= day.month <= 7
        queen_cells = rng.randint(1, 9) if swarming else 0
        yield [
            number, day, hive[0], pick(rng, {"Agnes": 5, "Tomasz": 4, "Bill": 2, "Farida": 1}),
            max(1, round(rng.gauss(2 + 6 * summer, 1.2))), max(0, round(rng.gauss(4, 1.7))),
            pick(rng, {"Y": 6, "N": 4}), min(5, max(1, round(rng.gauss(temper, 0.9)))), mites,
            queen_cells, treatment, rng.randint(6, 28),
        ]


def apiary_harvests(rng, hives):
    days = sorted(day_between(rng, date(2025, 5, 12), date(2025, 9, 13)) for _ in range(124))
    for number, day in enumerate(days, 1):
        hive = rng.choice(hives[:33])
        if hive[1] == "Heather Moor" and day.month > 7:
            honey = "Heather"
        elif day.month < 7:
            honey = pick(rng, {"Oilseed rape": 2, "Spring blossom": 4})
        else:
            honey = pick(rng, {"Lime": 4, "Spring blossom": 2})
        weight = round(max(2, rng.gauss(11, 4)), 1)
        jars = int(weight / JAR_KG)
        yield [
            number, day, hive[0], honey, weight, round(rng.gauss(17.9, 0.9), 1), jars,
            int(jars * rng.uniform(0.4, 1)), money(JAR_PRICES[honey]),
        ]


def apiary(folder):
    hives = list(apiary_hives(chance))
    write(folder, "hives", ["hive_no", "site", "hive_type", "queen_race", "queen_yr",
                            "queen_marked", "set_up", "came_from"], hives)
    write(folder, "inspections", ["insp_id", "insp_date", "hive_no", "inspector", "brood_frames",
                                  "stores_frames", "queen_seen", "temper_1to5", "mites_per_day",
                                  "queen_cells", "treatment", "mins"],
          apiary_inspections(chance, hives))
    write(folder, "harvests", ["harvest_id", "harvest_date", "hive_no", "honey", "kg", "water_pct",
                               "jars_filled", "jars_sold", "jar_price_gbp"],
          apiary_harvests(chance, hives))


# --- theatre --------------------------------------------------------------

SHOWS = (
    ("The Glass Orchard", "Play"), ("Kitchen Sink Blues", "Musical"),
    ("Jack and the Beanstalk", "Panto"), ("Late Trains", "Play"), ("Nobody's Aunt", "Comedy"),
    ("River Dances", "Dance"), ("An Inspector Dines", "Comedy"), ("Mill Girls", "Musical"),
    ("Small Hours", "Play"), ("Snow in April", "Dance"), ("Twelve Angry Hens", "Comedy"),
    ("The Lighthouse Keeper", "Play"),
)
SLOTS = {
    # weekday: what is played, where it is not the evening alone
    0: (), 2: ("Matinee", "Evening"), 5: ("Matinee", "Evening"),
}
CAPACITIES = {"Main House": 420, "Studio": 90}
TICKET_PRICES = {"Play": 19, "Musical": 27, "Panto": 16, "Comedy": 21, "Dance": 18}
STALLS_EXTRA = 4
CONCESSIONS = {
    # concession: part of the price that is left
    "": 1, "Student": 0.6, "Senior": 0.8, "Member": 0.9, "Group": 0.75,
}


def theatre_shows(rng):
    """Every show, and the house in which it plays."""
    opens = date(2024, 9, 5)
    for number, (title, genre) in enumerate(SHOWS, 1):
        days = rng.choice((4, 6, 9, 11))
        if genre == "Panto":
            days = 20
        small = genre in ("Play", "Dance") and rng.random() < 0.5
        yield [
            f"SH{number:02}", title, genre,
            pick(rng, {"In-house": 4, "Northern Lights Touring": 3, "Youth Company": 2}), opens,
            opens + timedelta(days=days - 1), rng.randrange(70, 166, 5),
            pick(rng, {"Yes": 7, "No": 3}),
        ], "Studio" if small else "Main House"
        opens += timedelta(days=days + rng.randint(6, 22))


def theatre_performances(shows):
    number = 500
    for show, house in shows:
        day, closes = show[4], show[5]
        while day <= closes:
            for slot in SLOTS.get(day.weekday(), ("Evening",)):
                number += 1
                yield [number, show[0], day, slot, house, CAPACITIES[house]]
            day += timedelta(days=1)


def theatre_bookings(rng, shows, performances):
    genres = {show[0]: show[2] for show, _ in shows}
    rows = []
    for _ in range(600):
        number, show, day, _, house, _ = rng.choice(performances)
        booked = day - timedelta(days=min(90, int(rng.expovariate(1 / 17))))
        area = pick(rng, {"Stalls": 6, "Circle": 4}) if house == "Main House" else "Studio Seating"
        seats = pick(rng, {1: 3, 2: 9, 3: 3, 4: 4, 5: 1, 6: 1, 12: 0.3})
        if seats >= 6 and rng.random() < 0.7:
            concession = "Group"
        else:
            concession = pick(rng, {"": 12, "Student": 2, "Senior": 4, "Member": 3})
        price = TICKET_PRICES[genres[show]] + (STALLS_EXTRA if area == "Stalls" else 0)
        channel = pick(rng, {"Web": 7, "Box Office": 3, "Phone": 2})
        refunded = pick(rng, {"No": 16, "Yes": 1})
        postcode = ""
        if rng.random() < 0.9:
            postcode = pick(rng, {"HX1": 4, "HX3": 3, "HD6": 2, "BD13": 2, "OL14": 1})
        rows.append([
            booked, number, channel, seats, area, concession, money(price),
            money(price * seats * CONCESSIONS[concession]), refunded, postcode,
        ])
    rows.sort(key=lambda row: row[0])
    for index, row in enumerate(rows):
        yield [f"B{20000 + 3 * index}", *row]


def theatre(folder):
    shows = list(theatre_shows(chance))
    performances = list(theatre_performances(shows))
    write(folder, "shows", ["Show ID", "Title", "Genre", "Company", "Opens", "Closes",
                            "Running Time (min)", "Interval"], [show for show, _ in shows])
    write(folder, "performances", ["Perf No", "Show ID", "Perf Date", "Slot", "House", "Capacity"],
          performances)
    write(folder, "bookings", ["Booking Ref", "Booked On", "Perf No", "Channel", "Seats", "Area",
                               "Concession", "Ticket Price (£)", "Amount Paid (£)", "Refunded",
                               "Postcode"], theatre_bookings(chance, shows, performances))


# --- depot ----------------------------------------------------------------

DRIVERS = ("Moira Platt", "Gary Finn", "Sunil Rao", "Ewa Nowak", "Pete Lamb", "Carol Otieno",
           "Dean Marsh", "Joana Reis", "Lee Whitty", "Hamid Aziz", "Tess Boyle", "Craig Munro",
           "Ivo Petkov", "Ruth Sands")
DEPOT_ROUTES = {
    # route: (weight, its drivers, as places in the list above)
    "North 1": (5, range(0, 3)), "North 2": (3, range(3, 5)), "City": (7, range(5, 10)),
    "Coast": (2, range(10, 12)), "Villages": (3, range(12, 14)),
}
SERVICES = {
    # service: (weight, mean hours, what it adds to the postage)
    "Next Day": (5, 22, 3), "Two Day": (3, 41, 1.5), "Economy": (4, 73, 0),
}
SENDERS = {"Bright Books": 5, "Garden Direct": 4, "Vitals Pharmacy": 3, "Hobbs & Son": 2,
           "Threadbare": 4, "PetPantry": 3}


def depot_drivers(rng):
    for number, name in enumerate(DRIVERS, 1):
        plate = (f"YK{rng.randint(18, 24)} "
                 f"{rng.choice('ABCDEFG')}{rng.choice('HJKLMN')}{rng.choice('PRSTUV')}")
        yield [
            f"DR{number:02}", name, plate, pick(rng, {"Y": 3, "N": 7}),
            day_between(rng, date(2015, 1, 5), date(2024, 11, 12)),
            pick(rng, {"Early": 3, "Late": 2}), money(rng.choice((12.6, 13.1, 13.75, 14.2, 15))),
        ]


def depot_parcels(rng, drivers):
    moments = sorted(
        datetime(2025, 7, 1, 4) + timedelta(days=rng.randrange(85), minutes=rng.randrange(14 * 60))
        for _ in range(590))
    for index, scanned in enumerate(moments):
        route = pick(rng, {name: row[0] for name, row in DEPOT_ROUTES.items()})
        service = pick(rng, {name: row[0] for name, row in SERVICES.items()})
        _, hours, extra = SERVICES[service]
        weight = round(max(0.2, rng.lognormvariate(1, 0.9)), 1)
        size = "S" if weight < 1.5 else "M" if weight < 5 else "L" if weight < 12 else "XL"
        status = "Delivered"
        if scanned >= datetime(2025, 9, 20):
            status = pick(rng, {"Delivered": 1, "In depot": 2, "On van": 2})
        attempts = pick(rng, {1: 8, 2: 2, 3: 0.7})
        if status == "Delivered" and rng.random() < 0.06:
            status = pick(rng, {"Returned": 4, "Lost": 1})
        arrived = status == "Delivered"
        delivered = ""
        if arrived:
            taken = max(3, rng.gauss(hours, hours * 0.25)) + 20 * (attempts - 1)
            delivered = (scanned + timedelta(hours=taken)).strftime("%Y-%m-%d %H:%M")
        if status in ("In depot", "On van", "Lost"):
            attempts = 0
        sender = pick(rng, SENDERS)
        driver = "" if status == "In depot" else drivers[rng.choice(DEPOT_ROUTES[route][1])][0]
        yield [
            f"P{410000 + index * 7}", scanned.strftime("%Y-%m-%d %H:%M"), delivered, sender, route,
            driver, service, size, weight, status, attempts,
            pick(rng, {"true": 6, "false": 4}) if arrived else "",
            "" if rng.random() < 0.3 else money(rng.lognormvariate(3.4, 0.8)),
            money(2.4 + weight * 0.42 + extra),
        ]


def depot(folder):
    drivers = list(depot_drivers(chance))
    write(folder, "drivers", ["driver_id", "driver_name", "van_reg", "agency", "started", "shift",
                              "hourly_pay"], drivers)
    write(folder, "parcels", ["parcel_no", "scanned_in", "delivered_at", "sender", "route",
                              "driver_id", "service", "size", "weight_kg", "status", "attempts",
                              "signed_for", "declared_value", "postage"],
          depot_parcels(chance, drivers))


# --- dentallab ------------------------------------------------------------

PRACTICES = {
    # practice: (weight, dentists)
    "Abbey Dental": (5, ("Dr Shaw", "Dr Amari")),
    "Bridge Street": (2, ("Dr Lund",)),
    "Castle Smiles": (6, ("Dr Pereira", "Dr Hook", "Dr Vane")),
    "Dale Dental Care": (3, ("Dr Imre", "Dr Moss")),
    "Elm Practice": (2, ("Dr Chowdhury",)),
}
WORK = {
    # work: (weight, materials, price of a unit)
    "Crown": (9, ("Zirconia", "E.max", "PFM"), 95),
    "Bridge": (4, ("Zirconia", "PFM"), 88),
    "Denture": (4, ("Acrylic", "Chrome"), 240),
    "Veneer": (2, ("E.max",), 120),
    "Night guard": (3, ("Acrylic",), 65),
    "Implant crown": (2, ("Zirconia", "PFM"), 190),
}
MATERIAL_FACTORS = {"Zirconia": 1.15, "E.max": 1.1, "PFM": 1, "Acrylic": 1, "Chrome": 1.5}


def dentallab_units(rng, work):
    """How many teeth a job is about."""
    if work == "Bridge":
        return rng.randint(2, 5)
    if work == "Veneer":
        return pick(rng, {1: 6, 2: 2, 4: 1, 6: 1})
    if work == "Crown":
        return pick(rng, {1: 6, 2: 1})
    return 1


def dentallab_jobs(rng):
    last = date(2025, 10, 31)
    days = sorted(day_between(rng, date(2025, 1, 6), date(2025, 10, 30)) for _ in range(440))
    for number, received in enumerate(days, 3001):
        practice = pick(rng, {name: row[0] for name, row in PRACTICES.items()})
        work = pick(rng, {name: row[0] for name, row in WORK.items()})
        _, materials, unit_price = WORK[work]
        material = rng.choice(materials)
        units = dentallab_units(rng, work)
        due = received + timedelta(days=rng.randint(6, 14))
        sent = due + timedelta(days=pick(rng, {-2: 3, -1: 5, 0: 6, 1: 2, 2: 1, 4: 1}))
        price = units * unit_price * MATERIAL_FACTORS[material]
        remake = rng.random() < 0.08
        paid = sent + timedelta(days=rng.randint(8, 60))
        unpaid = paid > last or rng.random() < 0.04
        yield [
            f"J{number}", received, due, sent if sent <= last else "", practice,
            rng.choice(PRACTICES[practice][1]), work, material, units,
            "" if work == "Night guard" else pick(rng, {"A1": 3, "A2": 5, "A3": 4, "B1": 2, "B2": 2,
                                                        "C2": 1}),
            pick(rng, {"Nadia": 5, "Owen": 4, "Piet": 3, "Sally": 2}),
            round(rng.uniform(0.8, 2.2) * (1 + 0.5 * units), 1), money(price),
            money(price * rng.uniform(0.16, 0.34)), "Y" if remake else "N",
            pick(rng, {"fit": 4, "shade": 3, "broken": 2}) if remake else "",
            "" if unpaid else paid,
        ]


def dentallab(folder):
    write(folder, "jobs", ["Job No", "Rcvd", "Due", "Sent", "Practice", "Dentist", "Work",
                           "Material", "Units", "Shade", "Technician", "Bench Hrs", "Price £",
                           "Mat. Cost £", "Remake?", "Remake Reason", "Paid On"],
          dentallab_jobs(chance))


if __name__ == "__main__":
    build_all((apiary, theatre, depot, dentallab))
