"""Writes four datasets as CSV files: crossings, driving_school, beekeepers, larder.

    python3 make_keepers.py OUTDIR      ->  OUTDIR/<dataset>/<table>.csv

Everything is invented, from fixed seeds, with the standard library alone.

    crossings       sailings; ferries between islands, one wide table, abbreviations, true/false
    driving_school  pupils, lessons, driving_tests; snake_case, yes/no, a time of day as text
    beekeepers      hives, inspections, honey; years as numbers, units and numbers in names
    larder          households, parcels; a food bank, short snake_case names, sizes as letters
"""

from datetime import date, timedelta
from itertools import islice
from random import Random

from rows import between, build_all, day_at, day_between, distinct, maybe, pick, write

FIRST = ("Amelia Oliver Priya Tom Zainab Callum Freya Marek Grace Yusuf Hannah Leon Siobhan Kofi Beth Ravi Elena "
         "Jack Nadia Owen Martha Dylan Chloe Ibrahim Lucy Pavel Rosie Samir Erin Harvey Mei Connor Ada Felix Tara "
         "Hugo").split()
LAST = ("Barker Nowak Patel O'Shea Whitcombe Ahmed Lindqvist Mensah Fraser Doyle Chowdhury Haines Petrov Sutton "
        "Okoro Tilley Marsden Quinn Rao Beckett Holt Yilmaz Garside Lowe Pemberton Castell Ngata Ferris Dunmore "
        "Ives").split()


# --- crossings ------------------------------------------------------------

ROUTES = {
    # route: (weight, minutes, fare, vessels)
    "Hallan - Skerra": (38, 45, 8.5, ("MV Corran", "MV Islay Star")),
    "Hallan - Vaila": (24, 95, 14.0, ("MV Northern Lass", "MV Islay Star")),
    "Skerra - Vaila": (15, 60, 9.5, ("MV Corran", "MV Puffin")),
    "Tarbet - Ronay": (28, 25, 4.5, ("MV Puffin",)),
}
CAPTAINS = ("A. MacRae", "J. Sinclair", "I. Drever", "K. Moodie", "S. Halcrow", "B. Laing")
TROUBLES = ("technical", "crew shortage", "technical", "berth blocked")


def crossings_planned(rng):
    """When which route is sailed: no route twice at a time."""
    planned = set()
    for _ in range(372):
        day = day_between(rng, date(2025, 3, 1), date(2025, 6, 25))
        route = pick(rng, {name: row[0] for name, row in ROUTES.items()})
        hour = pick(rng, {6: 2, 7: 5, 9: 4, 11: 3, 13: 3, 15: 4, 17: 6, 19: 3})
        planned.add((day_at(day, hour, rng.choice((0, 15, 30, 40))), route))
    return sorted(planned)


def crossings_sailings(rng):
    for number, (leaves, route) in enumerate(crossings_planned(rng), 20410):
        _, minutes, fare, vessels = ROUTES[route]
        wind = between(3, round(rng.gammavariate(4.2, 4.2)), 52)
        waves = round(max(0.1, wind * 0.075 + rng.gauss(0, 0.35)), 1)
        cancelled = wind > 34 and rng.random() < 0.8 or rng.random() < 0.025
        reason = ""
        if cancelled:
            reason = "weather" if wind > 30 else rng.choice(TROUBLES)
        vessel = rng.choice(vessels)
        passengers = cars = lorries = delay = fuel = takings = ""
        if not cancelled:
            season = 1 + (leaves.month - 3) * 0.17
            weekend = 1.35 if leaves.weekday() in (4, 5, 6) else 1
            crowd = rng.gauss(78, 26) * season * weekend * (1 if minutes > 30 else 0.55)
            passengers = max(4, round(crowd))
            cars = round(passengers * rng.uniform(0.15, 0.34))
            lorries = rng.randrange(7 if minutes > 30 else 3)
            delay = max(0, round(rng.gauss(-3 + wind * 0.45, 9)))
            fuel = round(minutes * rng.uniform(6.2, 8.4) + wind * 3)
            takings = round(passengers * fare * rng.uniform(0.84, 0.98) + cars * fare * 3.1 + lorries * fare * 9, 2)
        captain = rng.choice(CAPTAINS) if rng.random() > 0.03 else ""
        yield [
            f"S{number}", f"{leaves:%Y-%m-%d %H:%M}", route, vessel, captain, passengers, cars, lorries, delay, wind,
            maybe(rng, 0.04, waves), str(cancelled).lower(), reason, fuel, takings,
        ]


def crossings(folder):
    write(folder, "sailings", ["sailing_no", "dep_time", "route", "vessel", "captain", "pax", "cars", "lorries",
                               "delay_min", "wind_kn", "wave_ht_m", "cancelled", "cancel_reason", "fuel_l",
                               "takings_eur"], crossings_sailings(Random(4101)))


# --- driving_school -------------------------------------------------------

INSTRUCTORS = {"Sandra Pike": 6, "Wes Holloway": 4, "Imran Aziz": 5, "Carol Byrne": 3, "Dougie Platt": 2}
EXAMINERS = ("D. Whyte", "P. Rosen", "L. Achebe", "M. Coyle", "")
SCHOOL_END = date(2025, 5, 23)


def driving_pupils(rng):
    """The rows of the table, each with the pupil's instructor after it."""
    people = list(islice(distinct(lambda: f"{rng.choice(FIRST)} {rng.choice(LAST)}"), 92))
    for index, name in enumerate(people):
        age = pick(rng, {17: 9, 18: 7, 19: 4, 22: 3, 27: 2, 34: 2, 45: 1})
        signed_up = date(2024, 1, 8) + timedelta(days=int(index * 4.6) + rng.randrange(9))
        born = date(signed_up.year - age, 1, 1) + timedelta(days=rng.randrange(360))
        gearbox = pick(rng, {"manual": 7, "automatic": 4})
        theory = "yes" if rng.random() < 0.66 else "no"
        heard_from = pick(rng, {"friend": 5, "Google": 4, "Facebook": 2, "leaflet": 1, "": 3})
        instructor = pick(rng, INSTRUCTORS)
        postcode = pick(rng, {"LS6": 5, "LS7": 3, "LS8": 4, "LS16": 3, "LS17": 2, "BD3": 1})
        deposit = f"{rng.choice((25, 50, 100))}.00" if rng.random() < 0.3 else ""
        yield [501 + index, name, born, postcode, gearbox, signed_up, theory, heard_from, deposit, instructor]


def driving_lessons(rng, pupils):
    rows = []
    for _ in range(388):
        pupil, _, _, _, gearbox, signed_up, _, _, _, instructor = rng.choice(pupils)
        if rng.random() < 0.1:
            instructor = rng.choice(list(INSTRUCTORS))
        day = day_between(rng, max(signed_up, date(2024, 9, 2)), SCHOOL_END)
        if day.weekday() == 6:
            day -= timedelta(days=1)
        minutes = pick(rng, {60: 6, 90: 4, 120: 3})
        rate = (36 if gearbox == "manual" else 39) + (2 if day >= date(2025, 1, 1) else 0)
        status = pick(rng, {"done": 84, "cancelled": 9, "no show": 6})
        fee = round(rate * minutes / 60, 2) if status != "cancelled" else 0.0
        miles = round(minutes / 60 * rng.uniform(11, 21), 1) if status == "done" else ""
        paid_by = pick(rng, {"card": 5, "bank transfer": 4, "cash": 2}) if fee else ""
        start = pick(rng, {"08:00": 2, "09:30": 3, "11:00": 3, "13:00": 3, "15:00": 4, "16:30": 5, "18:00": 3})
        rows.append([day, start, pupil, instructor, minutes, fee, status, paid_by, miles])
    rows.sort(key=lambda row: row[:2])
    for number, row in enumerate(rows, 9001):
        yield [number, *row]


def driving_tests(rng, pupils):
    rows = []
    for pupil, _, _, _, _, signed_up, theory, *_ in pupils:
        if theory == "no":
            continue
        day = signed_up + timedelta(days=rng.randrange(110, 190))
        for attempt in range(1, 5):
            if day > SCHOOL_END:
                break
            if day.weekday() > 4:
                day += timedelta(days=2)
            passed = rng.random() < 0.43 + 0.06 * attempt
            minor = rng.randrange(10) if passed else rng.randrange(3, 17)
            serious = 0 if passed else pick(rng, {1: 6, 2: 3, 3: 1})
            centre = pick(rng, {"Horsforth": 5, "Harehills": 4, "Colton": 3})
            rows.append([day, pupil, centre, attempt, "pass" if passed else "fail", minor, serious,
                         rng.choice(EXAMINERS)])
            if passed:
                break
            day += timedelta(days=rng.randrange(24, 75))
    rows.sort(key=lambda row: row[:2])
    for number, row in enumerate(rows, 1):
        yield [f"T{number:03}", *row]


def driving_school(folder):
    rng = Random(4202)
    pupils = list(driving_pupils(rng))
    active = [pupil for pupil in pupils if rng.random() > 0.07]
    write(folder, "pupils", ["pupil_id", "name", "dob", "postcode", "gearbox", "signed_up", "theory_passed",
                             "heard_from", "deposit_gbp"], [pupil[:-1] for pupil in pupils])
    write(folder, "lessons", ["lesson_id", "lesson_date", "start", "pupil_id", "instructor", "mins", "fee_gbp",
                              "status", "paid_by", "miles"], driving_lessons(rng, active))
    write(folder, "driving_tests", ["test_no", "test_date", "pupil_id", "centre", "attempt", "result",
                                    "minor_faults", "serious_faults", "examiner"], driving_tests(rng, active))


# --- beekeepers -----------------------------------------------------------

KEEPERS = ("Joan Tapper", "Bill Ashdown", "Ulla Berg", "Ted Crewe", "Farida Khan", "Nick Orme", "Wendy Sallis")
INSPECTORS = KEEPERS[:5]
JAR_PRICES = {"heather": 8.5, "blossom": 6.0, "lime": 6.5, "clover": 6.25}


def bee_hives(rng):
    for number in range(1, 69):
        apiary = pick(rng, {"Mill Lane": 5, "Rectory Orchard": 4, "Quarry Top": 3, "Allotments": 3, "Long Meadow": 2})
        kind = pick(rng, {"National": 9, "Langstroth": 4, "WBC": 3, "Top bar": 2})
        set_up = date(2019, 4, 1) + timedelta(days=365 * rng.randrange(6) + rng.randrange(120))
        breed = pick(rng, {"Buckfast": 6, "Carniolan": 4, "native black": 4, "": 2})
        queen = rng.choice((2021, 2022, 2022, 2023, 2023, 2023, 2024, 2024)) if rng.random() > 0.06 else ""
        status = pick(rng, {"active": 17, "died out": 3, "sold": 1})
        keeper = rng.choice(KEEPERS)
        cost = rng.randrange(95, 331, 5) if rng.random() > 0.12 else ""
        yield [f"H{number:02}", apiary, keeper, kind, breed, queen, set_up, status, cost]


def bee_inspections(rng, hives):
    rows = []
    for _ in range(340):
        hive, _, _, _, breed, *_ = rng.choice(hives)
        day = date(2024, 3, 20) + timedelta(days=between(0, int(rng.gauss(88, 46)), 190))
        from_summer = abs((day - date(2024, 7, 5)).days)
        warmth = round(23 - from_summer * 0.09 + rng.gauss(0, 2.6), 1)
        brood = between(0, round(8 - from_summer * 0.05 + rng.gauss(0, 1.7)), 11)
        queen_seen = rng.random() < 0.58
        mites = ""
        if rng.random() > 0.17:
            mites = max(0, round(rng.gammavariate(1.3, 4.2) + (day.month - 4) * 1.1))
        cells = pick(rng, {0: 12, 1: 2, 2: 2, 3: 1, 5: 1}) if day.month in (5, 6, 7) else 0
        temper = pick(rng, {"calm": 11, "nervous": 5, "aggressive": 6 if breed == "native black" else 3})
        fed = pick(rng, {"none": 14, "syrup": 1} if day.month in (6, 7) else {"none": 8, "syrup": 4, "fondant": 2})
        rows.append([day, hive, rng.choice(INSPECTORS), warmth, brood, str(queen_seen).lower(), cells, mites, temper,
                     fed])
    rows.sort(key=lambda row: row[:2])
    for number, row in enumerate(rows, 1):
        yield [number, *row]


def bee_honey(rng, hives):
    rows = []
    for hive, _, _, hive_type, *_ in hives:
        for _ in range(rng.choice((0, 1, 2, 2, 3))):
            year = rng.choice((2022, 2023, 2023, 2024, 2024))
            day = date(year, 6, 25) + timedelta(days=rng.randrange(82))
            if day.month == 9 or day.month == 8 and rng.random() < 0.4:
                kind = "heather"
            else:
                kind = pick(rng, {"blossom": 4, "lime": 2, "clover": 3})
            weight = round(max(2.1, rng.gauss(7 if hive_type == "Top bar" else 12, 4.3)), 1)
            jars = int(weight / 0.34 * rng.uniform(0.9, 0.99))
            price = JAR_PRICES[kind] + (0.5 if year == 2024 else 0)
            moisture = round(rng.gauss(18.1, 1.0), 1) if rng.random() > 0.1 else ""
            rows.append([day, hive, kind, weight, jars, price, moisture])
    rows.sort(key=lambda row: row[:2])
    for number, row in enumerate(rows, 101):
        yield [f"B{number}", *row]


def beekeepers(folder):
    rng = Random(4303)
    hives = list(bee_hives(rng))
    looked_after = [hive for hive in hives if hive[7] == "active" or rng.random() < 0.5]
    write(folder, "hives", ["hive", "apiary", "keeper", "hive_type", "queen_breed", "queen_yr", "set_up", "status",
                            "cost_gbp"], hives)
    write(folder, "inspections", ["insp_id", "insp_date", "hive", "inspector", "temp_c", "brood_frames", "queen_seen",
                                  "swarm_cells", "mite_cnt", "temperament", "fed"], bee_inspections(rng, looked_after))
    write(folder, "honey", ["batch", "extracted_on", "hive", "honey_type", "wt_kg", "jars_340g", "price_per_jar",
                            "moisture_pct"], bee_honey(rng, looked_after))


# --- larder ---------------------------------------------------------------

WARDS = {"Castle": 6, "Northfield": 5, "St Mary's": 4, "Docks": 5, "Hillside": 2, "Eastgate": 3}
REFERRERS = {"Citizens Advice": 6, "GP surgery": 4, "school": 4, "Jobcentre": 3, "self": 2}
DIETS = {"": 10, "halal": 3, "vegetarian": 3, "gluten free": 1, "nut allergy": 1}
PACKERS = ("Jean", "Malcolm", "Anjali", "Rob", "Sister Agnes", "Kit", "Dorota")
PARCEL_KG = {"S": 8, "M": 14, "L": 22}
TUESDAY, THURSDAY, FRIDAY = 1, 3, 4


def larder_households(rng):
    for index in range(128):
        adults = pick(rng, {1: 6, 2: 6, 3: 2, 4: 1})
        children = pick(rng, {0: 7, 1: 4, 2: 4, 3: 2, 4: 1})
        registered = date(2023, 9, 4) + timedelta(days=int(index * 3.7) + rng.randrange(6))
        referrer, diet = pick(rng, REFERRERS), pick(rng, DIETS)
        yield [
            3001 + index, rng.choice(LAST), pick(rng, WARDS), adults, children, registered, referrer, diet,
            str(rng.random() < 0.84).lower(), str(rng.random() < 0.27).lower(),
        ]


def larder_parcels(rng, households):
    rows = []
    while len(rows) < 376:
        household, _, _, adults, children, registered, *_ = rng.choice(households)
        day = day_between(rng, max(registered, date(2024, 6, 4)), date(2025, 2, 14))
        if day.weekday() not in (TUESDAY, THURSDAY, FRIDAY) or day.weekday() == TUESDAY and rng.random() < 0.3:
            continue
        if day.month != 12 and rng.random() >= 0.86:
            continue
        people = adults + children
        size = "S" if people == 1 else "M" if people <= 3 else "L"
        if rng.random() < 0.08:
            size = rng.choice("SML")
        weight = round(max(4, PARCEL_KG[size] + rng.gauss(0, 1.9)), 1)
        handover = pick(rng, {"collected": 7, "delivered": 3})
        value = round(weight * rng.uniform(2.3, 3.1), 2)
        rows.append([
            day, household, size, weight, value, handover, rng.choice(PACKERS) if rng.random() > 0.04 else "",
            f"V{rng.randrange(10000, 99999)}" if rng.random() > 0.13 else "",
            rng.randrange(1, 4) if rng.random() < 0.2 else 0,
            pick(rng, {"ok": 22, "item missing": 2, "not picked up": 3}),
        ])
    rows.sort(key=lambda row: row[:2])
    for number, row in enumerate(rows, 70001):
        yield [number, *row]


def larder(folder):
    rng = Random(4404)
    households = list(larder_households(rng))
    helped = [household for household in households if rng.random() > 0.06]
    write(folder, "households", ["hh_id", "surname", "ward", "adults", "children", "registered", "referred_by",
                                 "diet", "has_cooker", "pets"], households)
    write(folder, "parcels", ["parcel_no", "given_on", "hh_id", "size", "weight_kg", "est_value_gbp", "handover",
                              "packed_by", "voucher_ref", "nappy_packs", "outcome"], larder_parcels(rng, helped))


if __name__ == "__main__":
    build_all((crossings, driving_school, beekeepers, larder))
