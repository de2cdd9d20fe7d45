"""Writes four datasets as CSV files: climbing, suburbs, goatdairy, bistro.

    python3 make_hosts.py OUTDIR      ->  OUTDIR/<dataset>/<table>.csv

Everything is invented, from fixed seeds, with the standard library alone.

    climbing   members, visits; a climbing gym, snake_case, yes/no
    suburbs    listings; an estate agency's one wide table, Title Case with units in brackets, Yes/No
    goatdairy  Farms, Collections, Audits; a goat milk co-operative, PascalCase, true/false
    bistro     checks; a restaurant's bills in one wide table, abbreviations, Y/N
"""

from datetime import date, timedelta
from random import Random

from rows import build_all, day_at, days, names, pick, write

FIRST = """Amelia Oscar Priya Leon Hannah Mateo Zofia Callum Ines Tariq Freya Jonas Mei Dylan Aoife Rafael Clara Sanjay
Nora Eli Bianca Kofi Greta Owen Lucia Viktor Tessa Imran Heidi Marco Yuki Ben Carmen Anders Ruth Felix Leila Hugo Signe
Theo Nadia Paul Rosa Emil Grace Stefan Ivy Karim Maya Louis""".split()
LAST = """Hartley Novak Okafor Lindqvist Brennan Castellanos Desai Whitlock Moreau Jankowski Pereira Sato Fairburn Keller
Abbasi Rowntree Vasquez Nyberg Halloran Chowdhury Bellini Strand Mbeki Tanner Galloway Petrov Quigley Romero Yilmaz Ashdown
Fischer Lomax Dvorak Sandoval McRae Iversen Pratt Costa Zhang Underhill""".split()


# --- climbing -------------------------------------------------------------

def climbing(folder):
    rng = Random(41870)
    start, end = date(2025, 6, 2), date(2025, 11, 16)
    fees = {"Monthly": "52.00", "Annual": "43.50", "Student": "34.00", "Off-peak": "29.00", "Family": "88.00"}
    members, keen = [], {}
    for number, name in enumerate(names(rng, FIRST, LAST, 260)):
        plan = pick(rng, {"Monthly": 38, "Annual": 24, "Student": 18, "Off-peak": 11, "Family": 9})
        year = rng.randint(1999, 2007) if plan == "Student" else int(rng.triangular(1958, 2006, 1991))
        born = date(year, 1, 1) + timedelta(rng.randrange(365))
        joined = date(2022, 3, 5) + timedelta(int(rng.triangular(0, 1345, 1100)))
        cancelled = None
        if rng.random() < 0.21:
            first = max(joined + timedelta(40), date(2025, 1, 10))
            cancelled = first + timedelta(rng.randrange(max(1, (end - first).days)))
        level = pick(rng, {"beginner": 35, "intermediate": 37, "advanced": 14, None: 14})
        source = pick(rng, {"friend": 34, "walk-in": 22, "instagram": 19, "google": 17, "school": 8})
        town = pick(rng, {"Millbrook": 44, "Eastham": 22, "Stoke Ferry": 15, "Langley": 12, "Harrow Hill": 7})
        key = 2001 + number * 3
        members.append([key, name, born, town, plan, fees[plan], joined, cancelled, level, source,
                        "no" if rng.random() < 0.12 else "yes", "yes" if rng.random() < 0.44 else "no"])
        keen[key] = rng.lognormvariate(0, 0.9) if rng.random() > 0.08 else 0
    write(folder, "members", ["member_id", "full_name", "birth_date", "town", "plan", "monthly_fee", "joined_on",
                              "cancelled_on", "level", "heard_via", "waiver_signed", "newsletter"], members)

    by_key, weekday = {row[0]: row for row in members}, [9, 13, 12, 14, 9, 17, 14]
    slots = []
    for day in days(start, end):
        count = weekday[day.weekday()] * (0.8 if day.month in (7, 8) else 1.1 if day.month > 9 else 1) * 0.72
        for _ in range(int(rng.gauss(count, 2) + 0.5)):
            there = [key for key, row in by_key.items()
                     if row[6] <= day and (row[7] is None or row[7] > day) and keen[key]]
            key = rng.choices(there, [keen[one] for one in there])[0]
            late = day.weekday() < 5 and by_key[key][4] != "Off-peak"
            hour = rng.choices(range(9, 21), [3, 3, 3, 3, 2, 3, 4, 8, 14, 16, 11, 5] if late else
                               [5, 9, 10, 8, 8, 8, 7, 5, 3, 2, 1, 1])[0]
            slots.append((day_at(day, hour, rng.randrange(60)), key))
    slots.sort()
    visits = []
    for number, (when, key) in enumerate(slots[:1500]):
        zone = pick(rng, {"Bouldering": 48, "Top rope": 21, "Lead": 12, "Auto belay": 13, "Moon board": 6})
        stay = rng.gauss(98, 30) + (14 if zone == "Lead" else 0)
        out = when + timedelta(minutes=max(18, int(stay)))
        cafe = f"{rng.choice([2.8, 3.2, 3.5, 4.1, 6.4, 7.9, 9.5, 11.2, 14.6]):.2f}" if rng.random() < 0.38 else None
        rented = rng.random() < {"beginner": 0.6, "intermediate": 0.2, "advanced": 0.03, None: 0.4}[by_key[key][8]]
        desk = pick(rng, {"Robbie": 32, "Anneke": 27, "Jules": 24, "Pim": 17})
        visits.append([f"V{number + 10001}", key, f"{when:%Y-%m-%d %H:%M}",
                       None if rng.random() < 0.07 else f"{out:%Y-%m-%d %H:%M}", zone,
                       "yes" if rented else "no", pick(rng, {0: 84, 1: 12, 2: 3, 3: 1}), cafe, desk])
    write(folder, "visits", ["visit_id", "member_id", "checked_in_at", "checked_out_at", "zone", "shoes_rented",
                             "guests", "cafe_spend", "desk_staff"], visits)


# --- suburbs --------------------------------------------------------------

def suburbs(folder):
    rng = Random(41871)
    suburbs = {"Kellerton": (1.0, 20), "Port Avis": (1.35, 12), "Banksia Park": (0.82, 17), "Norwell": (0.7, 15),
               "Glenrowe": (1.12, 14), "Saltwater Bay": (1.6, 8), "Redgum": (0.62, 14)}
    agents = {"T. Marchetti": 22, "J. Oduya": 19, "L. Pham": 18, "S. Winterbourne": 15, "D. Kowalczyk": 14, "R. Ellery": 9}
    streets = ["Acacia", "Bellbird", "Crown", "Dalton", "Elm", "Fernleigh", "Garrison", "Hope", "Ivanhoe", "Jetty",
               "Kingfisher", "Lawson", "Mason", "Orchard", "Pelican", "Quarry", "Station", "Tallow"]
    end, rows = date(2025, 8, 27), []
    starts = sorted(date(2024, 1, 8) + timedelta(rng.randrange((end - date(2024, 1, 8)).days)) for _ in range(640))
    for number, listed in enumerate(starts):
        suburb = pick(rng, {name: weight for name, (_, weight) in suburbs.items()})
        kind = pick(rng, {"House": 50, "Apartment": 24, "Townhouse": 17, "Duplex": 9})
        beds = pick(rng, {"House": {2: 8, 3: 42, 4: 38, 5: 12}, "Apartment": {1: 32, 2: 51, 3: 17},
                          "Townhouse": {2: 35, 3: 55, 4: 10}, "Duplex": {2: 20, 3: 55, 4: 25}}[kind])
        baths = max(1, min(4, beds - rng.choice([1, 1, 2, 2, 0])))
        floor = int(beds * {"House": 42, "Apartment": 36, "Townhouse": 40, "Duplex": 41}[kind] * rng.uniform(0.82, 1.25) + 12)
        land = None if kind == "Apartment" else int(floor * rng.uniform(1.4, 4.2)) if kind == "House" else int(floor * rng.uniform(1.0, 1.9))
        year = None if rng.random() < 0.09 else int(rng.triangular(1925, 2024, 1996))
        pool = rng.random() < {"House": 0.24, "Apartment": 0.12}.get(kind, 0.05)
        worth = (floor * 3900 + (land or 0) * 380 + (55000 if pool else 0)) * suburbs[suburb][0] * rng.uniform(0.88, 1.14)
        asking = int(worth / 5000 + 0.5) * 5000
        wait = int(rng.lognormvariate(3.6, 0.65)) + 4
        sold = listed + timedelta(wait)
        status = "Sold"
        if rng.random() < 0.08:
            status = "Withdrawn"
        elif sold > end:
            status = "For Sale"
        auction = rng.random() < 0.27
        price = int(asking * rng.gauss(1.012 if auction else 0.978, 0.034) / 500 + 0.5) * 500
        done = status == "Sold"
        rows.append([f"KR-{number + 1200}", f"{rng.randint(1, 188)} {rng.choice(streets)} {rng.choice(['St', 'Rd', 'Ave', 'Cres'])}",
                     suburb, kind, listed, sold if done else None, status, beds, baths, floor, land, year,
                     "Yes" if pool else "No", "Yes" if auction else "No",
                     pick(rng, {"A": 7, "B": 16, "C": 27, "D": 22, "E": 11, "F": 4, None: 13}), asking,
                     price if done else None, rng.choice(["1.8", "2.0", "2.0", "2.2", "2.5"]) if done else None,
                     max(0, int(rng.gauss(11, 5) + (6 if done else 0))), pick(rng, agents)])
    write(folder, "listings", ["Listing Ref", "Street Address", "Suburb", "Property Type", "Listed On", "Sold On", "Status",
                               "Bedrooms", "Bathrooms", "Floor Area (m²)", "Land Size (m²)", "Year Built", "Pool", "Auction",
                               "Energy Rating", "Asking Price ($)", "Sale Price ($)", "Commission (%)", "Viewings",
                               "Agent"], rows)


# --- goatdairy ------------------------------------------------------------

def goatdairy(folder):
    rng = Random(41872)
    start, end = date(2025, 3, 1), date(2025, 6, 18)
    heads = ["Upper", "Nether", "Old", "Far", "Little", "West", "Stone", "Ash", "Black", "Thorn", "High", "Long", "Mill", "Bryn", "Cold"]
    tails = ["field", "combe", "brook", "ridge", "acre", "down", "hollow", "thorpe", "gate", "moor"]
    kinds = ["Farm", "Goats", "Dairy", "Holding"]
    titles = rng.sample([f"{head}{tail} {kind}" if head in ("Stone", "Ash", "Black", "Thorn", "Mill") else f"{head} {tail.title()} {kind}"
                         for head in heads for tail in tails for kind in kinds], 88)
    farms, owners = [], names(rng, FIRST, LAST, 88)
    for number, title in enumerate(titles):
        herd = int(rng.lognormvariate(4.8, 0.55))
        tank = next((size for size in (400, 600, 800, 1200, 1600, 2400) if size > herd * 7), 4000)
        farms.append([f"GF{number + 101}", title, owners[number],
                      pick(rng, {"Dorset": 26, "Somerset": 24, "Devon": 22, "Wiltshire": 16, "Cornwall": 12}),
                      pick(rng, {"Saanen": 42, "Toggenburg": 21, "Alpine": 19, "Anglo-Nubian": 11, "Mixed": 7}),
                      herd, "true" if rng.random() < 0.27 else "false",
                      date(2004, 4, 1) + timedelta(rng.randrange(7500)), f"{rng.triangular(4, 96, 30):.1f}",
                      None if rng.random() < 0.12 else tank, "true" if rng.random() < 0.18 else "false"])
    write(folder, "Farms", ["FarmID", "FarmName", "OwnerName", "County", "Breed", "HerdSize", "Organic", "MemberSince",
                            "DistanceToDairyKm", "TankCapacityL", "RoboticMilking"], farms)

    drivers = {"TK1": "Gwen Trask", "TK2": "Alan Pascoe", "TK3": "Mick Doble", "TK4": "Sue Hannaford", "TK5": "Piotr Zielinski"}
    calls = []
    for farm in farms[:85]:
        if rng.random() < 0.03:
            continue
        day = start + timedelta(rng.randrange(7))
        while day <= end:
            if rng.random() > 0.05:
                calls.append((day_at(day, rng.choice([5, 6, 6, 7, 7, 8, 9, 10, 11, 13]), rng.randrange(60)), farm))
            day += timedelta(rng.choice([6, 7, 7, 7, 8]))
    calls.sort(key=lambda call: call[0])
    rich = {"Saanen": (3.5, 3.0), "Toggenburg": (3.6, 3.05), "Alpine": (3.7, 3.1), "Anglo-Nubian": (4.7, 3.6), "Mixed": (3.8, 3.15)}
    rows = []
    for number, (when, farm) in enumerate(calls):
        season = 0.8 + 0.3 * min(1, (when.date() - start).days / 70)
        volume = int(farm[5] * 5.4 * season * rng.uniform(0.8, 1.15))
        fat, protein = (rng.gauss(mean, 0.22) for mean in rich[farm[4]])
        temp = rng.gauss(3.7, 0.55)
        reason = None
        if rng.random() < 0.024:
            reason = pick(rng, {"Antibiotics": 4, "Too warm": 5, "Off smell": 2, "Sediment": 2})
        if reason == "Too warm":
            temp = rng.uniform(6.2, 9)
        price = 0.74 + (0.11 if farm[6] == "true" else 0) + (0.03 if when.month >= 5 else 0) + round((fat - 3.6) * 0.04, 3)
        tanker = pick(rng, {"TK1": 27, "TK2": 24, "TK3": 22, "TK4": 16, "TK5": 11})
        rows.append([number + 40001, farm[0], f"{when:%Y-%m-%dT%H:%M}", tanker, drivers[tanker] if rng.random() < 0.9 else "Relief driver",
                     volume, f"{fat:.2f}", f"{protein:.2f}", f"{temp:.1f}",
                     None if rng.random() < 0.15 else int(rng.lognormvariate(6.6, 0.4)), "true" if reason else "false", reason,
                     f"{price:.3f}", "0.00" if reason else f"{volume * float(f'{price:.3f}'):.2f}"])
    write(folder, "Collections", ["CollectionID", "FarmID", "CollectedAt", "Tanker", "DriverName", "VolumeL", "FatPct", "ProteinPct",
                                  "MilkTempC", "CellCountThousands", "Rejected", "RejectReason", "PricePerL", "PaymentGbp"], rows)

    audits = []
    for farm in farms[:80]:
        for _ in range(pick(rng, {1: 15, 2: 40, 3: 35, 4: 10})):
            day = date(2023, 1, 9) + timedelta(rng.randrange(880))
            while day.weekday() > 4:
                day += timedelta(1)
            score = min(100, int(rng.gauss(82, 10)))
            result = "Pass" if score >= 75 else "Conditional" if score >= 62 else "Fail"
            audits.append([day, farm[0], pick(rng, {"H. Penrose": 40, "M. Adeyemi": 35, "C. Vane": 25}), score, result,
                           None if result == "Pass" else day + timedelta(rng.choice([14, 28, 42])), rng.randint(60, 260)])
    audits.sort(key=lambda row: row[:2])
    write(folder, "Audits", ["AuditID", "FarmID", "AuditDate", "Inspector", "Score", "Outcome", "FollowUpDue", "DurationMin"],
          [[f"AU-{number + 501}", row[1], row[0], *row[2:]] for number, row in enumerate(audits)])


# --- bistro ---------------------------------------------------------------

def bistro(folder):
    rng = Random(41873)
    rows, opened = [], []
    for day in days(date(2025, 10, 1), date(2026, 2, 21)):
        if day.weekday() == 0 or day in (date(2025, 12, 25), date(2025, 12, 26), date(2026, 1, 1)):
            continue
        usual = [0, 6, 7, 8, 13, 15, 11][day.weekday()] * (1.3 if day.month == 12 else 0.85 if day.month == 1 else 1)
        for _ in range(max(2, int(rng.gauss(usual, 1.8) + 0.5))):
            meal = pick(rng, {"Brunch": 20, "Lunch": 30, "Dinner": 50} if day.weekday() > 4 else {"Lunch": 38, "Dinner": 62})
            hour = {"Brunch": (9, 11), "Lunch": (12, 14), "Dinner": (17, 21)}[meal]
            opened.append((day_at(day, rng.randint(*hour), rng.randrange(60), rng.randrange(60)), meal))
    opened.sort()
    head = {"Brunch": 15, "Lunch": 19, "Dinner": 34}
    for number, (when, meal) in enumerate(opened[:1500]):
        kind = pick(rng, {"Dine-in": 78, "Takeaway": 14, "Delivery": 8})
        covers = pick(rng, {1: 8, 2: 44, 3: 15, 4: 19, 5: 6, 6: 5, 8: 3}) if kind == "Dine-in" else None
        sect = pick(rng, {"Main": 48, "Bar": 18, "Terrace": 14, "Window": 14, "Cellar": 6}) if covers else None
        heads = covers or rng.choice([1, 2, 2, 3])
        food = sum(max(6, rng.gauss(head[meal], head[meal] * 0.25)) for _ in range(heads))
        drink = sum(max(0, rng.gauss(head[meal] * 0.42, 6)) for _ in range(heads)) if covers else rng.choice([0, 0, 0, 4.5, 9])
        code = pick(rng, {None: 88, "WINTER10": 6, "LOCAL15": 4, "STAFF25": 2})
        off = (food + drink) * int(code[-2:]) / 100 if code else 0
        method = pick(rng, {"Card": 70, "Cash": 15, "Mobile": 12, "Gift card": 3})
        tip = (food + drink) * max(0, rng.gauss(0.11, 0.05)) if covers and rng.random() < 0.83 else 0
        stay = rng.gauss(48 + 8 * min(heads, 5) + (16 if meal == "Dinner" else 0), 14) if covers else rng.uniform(9, 35)
        table = {"Main": 1, "Bar": 21, "Terrace": 31, "Window": 41, "Cellar": 51}
        rows.append([number + 70311, f"{when:%Y-%m-%d %H:%M:%S}", f"{when + timedelta(seconds=int(max(8, stay) * 60)):%Y-%m-%d %H:%M:%S}",
                     meal, kind, sect, table[sect] + rng.randrange(12 if sect == "Main" else 6) if sect else None, covers,
                     pick(rng, {"Dani": 25, "Marguerite": 22, "Kwame": 20, "Olly": 18, "Sunniva": 15}),
                     ("Y" if rng.random() < (0.7 if meal == "Dinner" else 0.35) else "N") if covers else "N",
                     f"{food:.2f}", f"{drink:.2f}", f"{off:.2f}", f"{tip:.2f}", method, code,
                     pick(rng, {1: 2, 2: 4, 3: 11, 4: 34, 5: 49}) if rng.random() < 0.34 else None])
    write(folder, "checks", ["chk_no", "opn_ts", "cls_ts", "meal", "ord_typ", "sect", "tbl_no", "cvrs", "srvr", "rsvd",
                             "food_amt", "bev_amt", "disc_amt", "tip_amt", "pmt_mth", "promo_cd", "fb_scr"], rows)


if __name__ == "__main__":
    build_all((climbing, suburbs, goatdairy, bistro))
