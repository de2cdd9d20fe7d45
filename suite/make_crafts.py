"""Writes four datasets as CSV files: street_trees, pottery_kiln, piano_tuners, permits_office.

    python3 make_crafts.py OUTDIR      ->  OUTDIR/<dataset>/<table>.csv

Everything is invented, from fixed seeds, with the standard library alone.

    street_trees    trees; one wide table, snake_case with units, true/false
    pottery_kiln    firings; one wide table, Title Case with units in square brackets, Yes/No
    piano_tuners    Clients, Pianos, Visits; PascalCase, keys over two steps
    permits_office  contractors, permits, inspections; abbreviations, Y/N, timestamps with a T
"""

from datetime import date, datetime, timedelta
from random import Random

from rows import build_all, day_at, day_between, pick, write


# --- street_trees ---------------------------------------------------------

def street_trees(folder):
    rng = Random(7101)
    species = {  # latin, growth of trunk in cm a year, height factor, weight
        "Norway Maple": ("Acer platanoides", 0.95, 1.0, 17),
        "Small-leaved Lime": ("Tilia cordata", 0.85, 1.1, 19),
        "London Plane": ("Platanus x hispanica", 1.25, 1.15, 14),
        "Silver Birch": ("Betula pendula", 0.7, 1.1, 9),
        "English Oak": ("Quercus robur", 0.9, 1.0, 8),
        "Horse Chestnut": ("Aesculus hippocastanum", 1.05, 1.0, 9),
        "Hornbeam": ("Carpinus betulus", 0.65, 0.9, 8),
        "Wild Cherry": ("Prunus avium", 0.75, 0.8, 7),
        "Honey Locust": ("Gleditsia triacanthos", 0.9, 0.95, 5),
        "Ginkgo": ("Ginkgo biloba", 0.6, 0.95, 3),
        "Tree of Heaven": ("Ailanthus altissima", 1.4, 1.0, 3),
    }
    streets = {
        "Harbour": ["Quay Street", "Ropewalk", "Cooper Lane", "Anchor Road"],
        "Old Town": ["Market Street", "Bell Lane", "St. Anne Square", "Cloister Walk", "Mill Street"],
        "Northgate": ["Station Road", "Northgate Avenue", "Linden Avenue", "Foundry Street", "Park Road", "Elm Crescent"],
        "Riverside": ["River Drive", "Weir Street", "Willow Way", "Bridge Street"],
        "Eastfield": ["Orchard Road", "Eastfield Avenue", "School Lane", "Meadow Close", "Barley Street"],
    }
    wards = {"Harbour": 14, "Old Town": 19, "Northgate": 30, "Riverside": 17, "Eastfield": 24}
    people = {"M. Okafor": 30, "J. Lindqvist": 27, "R. Castellano": 22, "P. Novak": 15}
    rows = []
    for number in range(1, 941):
        ward = pick(rng, wards)
        street = rng.choice(streets[ward])
        common = pick(rng, {name: value[3] for name, value in species.items()})
        if street == "Linden Avenue" and rng.random() < 0.7:
            common = "Small-leaved Lime"
        latin, growth, tall, _ = species[common]
        age = min(118.0, rng.gammavariate(2.0, 16.0) + 1.5)
        if rng.random() < 0.14:
            age = rng.uniform(0.6, 7.5)
        planted = date(2025, 9, 1) - timedelta(days=int(age * 365.25))
        # people plant in autumn and early spring
        planted = planted.replace(month=rng.choice([2, 3, 3, 4, 10, 11, 11, 12]), day=rng.randint(1, 28))
        if planted > date(2025, 4, 30):
            planted = planted.replace(year=2024)
        dbh = max(3.0, age * growth * rng.uniform(0.75, 1.25) + 2)
        height = max(2.2, tall * 26 * (1 - 2.718 ** (-dbh / 38)) * rng.uniform(0.85, 1.12))
        crown = max(0.8, dbh * 0.16 * rng.uniform(0.75, 1.2) + 0.8)
        wires = rng.random() < (0.34 if ward in ("Northgate", "Eastfield") else 0.14)
        score = rng.random() + (0.12 if common == "Horse Chestnut" else 0) + (0.07 if wires else 0) + (age > 70) * 0.1
        condition = ("excellent" if score < 0.12 else "good" if score < 0.58 else "fair" if score < 0.88
                     else "poor" if score < 1.08 else "dead")
        if rng.random() < 0.012:
            condition = "dead"
        inspected = day_between(rng, date(2022, 3, 1), date(2025, 10, 17))
        if rng.random() < 0.45:
            inspected = day_between(rng, date(2024, 11, 1), date(2025, 10, 17))
        if inspected.weekday() > 4:
            inspected -= timedelta(days=2)
        if inspected < planted:
            inspected = planted + timedelta(days=rng.randint(20, 120))
        if condition == "dead":
            work = pick(rng, {"remove": 85, None: 15})
        elif condition == "poor":
            work = pick(rng, {"remove": 22, "prune": 40, "treat": 18, None: 20})
        elif age < 6:
            work = pick(rng, {"stake": 25, "water": 25, None: 50})
        else:
            work = pick(rng, {"prune": 27, "treat": 3, None: 70})
        due = None
        if condition != "dead" and rng.random() < 0.63:
            due = inspected + timedelta(days=rng.choice([180, 365, 365, 730, 730, 1095]))
        factor = {"excellent": 1.0, "good": 0.85, "fair": 0.6, "poor": 0.25, "dead": 0.0}[condition]
        value = round(factor * (120 + dbh * dbh * 2.6) * rng.uniform(0.85, 1.15), -1)
        rows.append([
            f"T{number:05d}", common, latin, street, ward,
            pick(rng, {"sidewalk": 60, "median": 12, "park edge": 18, "schoolyard": 10}),
            planted if rng.random() < 0.79 else None,
            f"{dbh:.1f}", f"{height:.1f}" if rng.random() < 0.95 else None, f"{crown:.1f}",
            condition, str(wires).lower(), str(age > 55 and rng.random() < 0.6 or rng.random() < 0.02).lower(),
            inspected, pick(rng, people), due, work, int(value),
        ])
    write(folder, "trees", [
        "tree_id", "common_name", "latin_name", "street", "ward", "site_type", "planted_on", "dbh_cm", "height_m",
        "crown_diam_m", "condition", "overhead_wires", "protected", "last_insp", "insp_by", "prune_due", "work_needed",
        "est_value_eur"], rows)


# --- pottery_kiln ---------------------------------------------------------

def pottery_kiln(folder):
    rng = Random(7202)
    kilns = {"Big Bertha": (42, 0.40, 3.6), "Rohde 220": (30, 0.22, 2.1), "Little Nabertherm": (22, 0.09, 1.0),
             "Raku Barrel": (6, 0.06, 0.0)}
    potters = {"Hannah Pryce": 26, "Tom Abara": 21, "Greta Solheim": 18, "Imran Sheikh": 14, "Lucy Fenwick": 12,
               "Dai Morgan": 9}
    groups = {"Evening Class": 27, "Studio Members": 38, "Children's Club": 12, "Outside Customer": 15, "Staff": 8}
    remarks = ["thermocouple replaced", "shelf collapsed", "glaze ran on bottom shelf", "power cut, restarted",
               "over-fired slightly", "lovely result", "door seal worn"]
    rows = []
    moment = datetime(2024, 1, 8, 9, 0)
    for number in range(1, 437):
        moment += timedelta(hours=rng.choice([12, 24, 24, 36, 36, 48, 48, 60]))
        if moment.month == 8 and rng.random() < 0.5:
            moment += timedelta(days=3)
        if moment.month == 12 and moment.day > 21:
            moment = datetime(moment.year + 1, 1, 6, 9, 0)
        start = moment.replace(hour=rng.choice([8, 8, 9, 9, 10, 13, 16, 18, 20]), minute=rng.choice([0, 10, 15, 20, 30, 40, 45]))
        kiln = pick(rng, {name: value[0] for name, value in kilns.items()})
        size = kilns[kiln][1]
        if kiln == "Raku Barrel":
            kind = "Raku"
        else:
            kind = pick(rng, {"Bisque": 44, "Glaze": 42, "Lustre": 7, "Test": 7})
        cone, peak, hours = {
            "Bisque": rng.choice([("C06", 999, 9.5), ("C06", 999, 9.5), ("C04", 1060, 10.5)]),
            "Glaze": rng.choice([("C6", 1222, 8.5), ("C6", 1222, 8.5), ("C9", 1280, 10.0), ("C05", 1046, 7.0)]),
            "Lustre": ("C018", 717, 5.0), "Raku": ("C06", 980, 1.6), "Test": ("C6", 1222, 7.5)}[kind]
        peak += rng.randint(-9, 11)
        hours *= rng.uniform(0.85, 1.2)
        end = start + timedelta(minutes=round(hours * 60))
        group = pick(rng, groups)
        if kind == "Test":
            group = "Staff"
        load = size * 210 * rng.uniform(0.45, 1.0) * (0.3 if kind == "Test" else 0.6 if kind == "Lustre" else 1)
        pieces = max(2, round(load / rng.uniform(0.45, 0.9)))
        risk = {"Bisque": 0.022, "Glaze": 0.03, "Lustre": 0.008, "Raku": 0.11, "Test": 0.04}[kind]
        if group == "Children's Club":
            risk *= 2.2
        lost = sum(rng.random() < risk for _ in range(pieces))
        power = None if kiln == "Raku Barrel" else round(size * 190 * (peak / 1000) ** 1.6 * rng.uniform(0.9, 1.12) + 4, 1)
        fee = None
        paid = None
        if group != "Staff":
            base = {"Evening Class": 0.9, "Studio Members": 1.1, "Children's Club": 0.7, "Outside Customer": 2.1}[group]
            fee = f"{round((9 + load * base) * 2) / 2:.2f}"
            late = end > datetime(2025, 9, 1)
            paid = "Yes" if rng.random() < (0.55 if late else 0.92) else "No"
        rows.append([
            number, f"{start:%Y-%m-%d %H:%M}", f"{end:%Y-%m-%d %H:%M}", kiln, kind, cone, peak,
            rng.choice([0, 10, 10, 15, 20, 30]) if kind != "Raku" else None, power, f"{load:.1f}", pieces, lost,
            pick(rng, potters), group, fee, paid, rng.choice(remarks) if rng.random() < 0.11 else None,
        ])
    write(folder, "firings", [
        "Firing No", "Started", "Finished", "Kiln", "Firing Type", "Cone", "Peak Temp [°C]", "Hold [min]",
        "Electricity [kWh]", "Load [kg]", "Pieces In", "Pieces Cracked", "Fired By", "Group", "Firing Fee [£]", "Paid",
        "Remarks"], rows)


# --- piano_tuners ---------------------------------------------------------

def piano_tuners(folder):
    rng = Random(7303)
    last = ["Adeyemi", "Baumann", "Carvalho", "Doyle", "Eriksen", "Fournier", "Gallagher", "Hofstetter", "Ivanova",
            "Jansen", "Keller", "Lombardi", "McBride", "Nakamura", "O'Hara", "Petrov", "Quinn", "Rossi", "Schmid",
            "Tanaka", "Ueda", "Vogel", "Whitaker", "Xu", "Yilmaz", "Zeller", "Brunner", "Cohen", "Dubois", "Egli",
            "Frei", "Graf", "Huber", "Imhof", "Jost", "Kunz", "Lang", "Moser", "Naef", "Ott"]
    first = ["Anna", "Ben", "Clara", "David", "Elena", "Felix", "Grace", "Hugo", "Iris", "Jonas", "Karin", "Leo",
             "Mira", "Nils", "Olga", "Paul", "Ruth", "Simon", "Thea", "Urs"]
    towns = {"Lindenau": 32, "Sankt Veit": 19, "Oberfeld": 15, "Marbach": 14, "Seewil": 11, "Tannberg": 9}
    kinds = {"Private": 62, "School": 13, "Church": 10, "Music School": 8, "Hotel": 4, "Concert Hall": 3}
    labels = {"School": ["Primary School", "Secondary School", "Grammar School"], "Church": ["Parish Church", "Chapel"],
              "Music School": ["Music School", "Conservatory"], "Hotel": ["Grand Hotel", "Hotel Krone", "Hotel Post"],
              "Concert Hall": ["Town Hall", "Concert Hall"]}
    clients, used = [], set()
    while len(clients) < 138:
        kind, town = pick(rng, kinds), pick(rng, towns)
        if kind == "Private":
            name = f"{rng.choice(first)} {rng.choice(last)}"
        else:
            name = f"{rng.choice(labels[kind])} {town}"
        if name in used:
            continue
        used.add(name)
        clients.append([
            f"C{len(clients) + 101}", name, kind, town, day_between(rng, date(2011, 1, 10), date(2025, 3, 20)),
            rng.choice([6, 12, 12, 12, 24]) if rng.random() < 0.86 else None,
            rng.choice(["true", "true", "true", "false"])])
    clients.sort(key=lambda row: row[4])
    for index, client in enumerate(clients):
        client[0] = f"C{index + 101}"
    makes = {"Yamaha": 27, "Steinway & Sons": 9, "Kawai": 15, "Bechstein": 10, "Schimmel": 14, "Bösendorfer": 4,
             "Petrof": 8, "Sabel": 6, "Burger & Jacobi": 7}
    pianos = []
    for client in clients:
        many = {"Private": [1, 1, 1, 1, 2], "School": [1, 2, 2, 3], "Church": [1, 1, 2], "Music School": [3, 4, 5, 6],
                "Hotel": [1, 2], "Concert Hall": [2, 3]}[client[2]]
        for _ in range(rng.choice(many)):
            make = pick(rng, makes)
            if client[2] == "Concert Hall":
                make = rng.choice(["Steinway & Sons", "Bösendorfer", "Bechstein"])
            grand = rng.random() < (0.9 if client[2] == "Concert Hall" else 0.75 if make in ("Steinway & Sons", "Bösendorfer")
                                    else 0.22)
            built = int(min(2023, max(1888, rng.gauss(1988, 26))))
            pianos.append([
                f"P{len(pianos) + 1:03d}", client[0], make, "Grand" if grand else "Upright",
                built if rng.random() < 0.87 else None,
                rng.choice(["Black", "Black", "Black", "Walnut", "Mahogany", "White"]),
                "true" if rng.random() < 0.17 else "false"])
    staff = {"Marek": 34, "Silvia": 29, "Jörg": 22, "Annelies": 15}
    services = {"Tuning": (70, 165, 75), "Pitch Raise": (9, 240, 120), "Regulation": (7, 380, 210), "Repair": (10, 270, 110),
                "Appraisal": (4, 120, 45)}
    distance = {"Lindenau": 4, "Sankt Veit": 14, "Oberfeld": 19, "Marbach": 27, "Seewil": 33, "Tannberg": 46}
    where = {client[0]: client for client in clients}
    visits = []
    begin, end = date(2023, 1, 9), date(2025, 6, 27)
    for piano in pianos:
        client = where[piano[1]]
        if rng.random() < 0.06:
            continue  # never visited yet
        gap = {"Private": 330, "School": 240, "Church": 260, "Music School": 130, "Hotel": 200, "Concert Hall": 45}[client[2]]
        day = max(begin, client[4]) + timedelta(days=rng.randint(0, gap))
        while day <= end:
            at = day
            while at.weekday() == 6 or at.weekday() == 5 and rng.random() < 0.7:
                at -= timedelta(days=1)
            service = pick(rng, {name: value[0] for name, value in services.items()})
            _, price, minutes = services[service]
            cancelled = rng.random() < 0.055
            price = round(price * (1.15 if piano[3] == "Grand" else 1) * (1.04 if at.year == 2025 else 1) * rng.uniform(0.95, 1.1) / 5) * 5
            if service in ("Repair", "Regulation"):
                price = round(price * rng.uniform(0.6, 1.7) / 5) * 5
            paid = at + timedelta(days=int(rng.gammavariate(2, 9)))
            if cancelled or rng.random() < 0.05 or paid > end:
                paid = None
            measured = service in ("Tuning", "Pitch Raise") and not cancelled and rng.random() < 0.92
            visits.append([
                at, piano[0], pick(rng, staff), service,
                None if cancelled else int(minutes * (1.12 if piano[3] == "Grand" else 1) * rng.uniform(0.75, 1.4) / 5) * 5,
                f"{rng.gauss(436 if service == 'Tuning' else 430, 2.2 if service == 'Tuning' else 2.5):.1f}" if measured else None,
                rng.randint(28, 64) if not cancelled and rng.random() < 0.88 else None,
                round(distance[client[3]] * rng.uniform(0.8, 1.3) * 2, 1), 0 if cancelled else price,
                "yes" if cancelled else "no", paid])
            day += timedelta(days=max(9, int(gap * rng.uniform(0.7, 1.35))))
    visits.sort(key=lambda row: (row[0], row[1]))
    visits = [[5001 + index, *row] for index, row in enumerate(visits)]
    write(folder, "Clients", ["ClientId", "ClientName", "ClientType", "Town", "ClientSince", "ReminderMonths",
                              "NewsletterOk"], clients)
    write(folder, "Pianos", ["PianoId", "ClientId", "Make", "Kind", "BuiltYear", "Finish", "HasSilentSystem"], pianos)
    write(folder, "Visits", ["VisitId", "VisitDate", "PianoId", "Tuner", "Service", "DurationMin", "PitchFoundHz",
                             "HumidityPct", "TravelKm", "FeeChf", "Cancelled", "PaidOn"], visits)


# --- permits_office -------------------------------------------------------

def permits_office(folder):
    rng = Random(7404)
    heads = ["Ridgeline", "Blue Heron", "Summit", "Cascade", "Ironwood", "Pacific", "Granite", "Maple Leaf", "Keystone",
             "Lakeside", "Cornerstone", "Evergreen", "Red Barn", "Northstar", "Prairie", "Sandoval", "Kowalski", "Nguyen",
             "Hargrove", "Delgado"]
    tails = {"General": ["Builders", "Construction", "Homes"], "Electrical": ["Electric"], "Plumbing": ["Plumbing"],
             "Roofing": ["Roofing"], "Demolition": ["Wrecking"]}
    trades = {"General": 44, "Electrical": 19, "Plumbing": 16, "Roofing": 15, "Demolition": 6}
    firms, used = [], set()
    while len(firms) < 92:
        trade = pick(rng, trades)
        name = f"{rng.choice(heads)} {rng.choice(tails[trade])}"
        if name in used:
            name += rng.choice([" LLC", " & Sons", " Inc"])
        if name in used:
            continue
        used.add(name)
        firms.append([
            f"LIC-{20417 + 37 * len(firms)}", name, trade,
            pick(rng, {"Fairmont": 48, "Dunmore": 18, "West Haven": 16, "Clifton": 11, "Barlow": 7}),
            day_between(rng, date(2025, 3, 1), date(2027, 12, 31)), "Y" if rng.random() < 0.9 else "N",
            rng.randint(2, 34) if rng.random() < 0.9 else None])
    work = {  # weight, typical cost, square feet, trades
        "New Construction": (11, 385000, 2300, ["General"]), "Addition": (13, 92000, 520, ["General"]),
        "Alteration": (21, 46000, 700, ["General"]), "Demolition": (5, 21000, 1500, ["Demolition", "General"]),
        "Roofing": (16, 14500, None, ["Roofing"]), "Electrical": (15, 7200, None, ["Electrical"]),
        "Plumbing": (12, 8300, None, ["Plumbing"]), "Deck/Fence": (9, 9800, 260, ["General"]),
        "Sign": (3, 3900, None, ["General"])}
    hoods = {"Downtown": 20, "Hillcrest": 17, "Mill District": 14, "Orchard Park": 19, "Southside": 21, "Airport": 9}
    by_trade = {trade: [firm for firm in firms if firm[2] == trade] for trade in trades}
    begin, end = date(2024, 1, 2), date(2025, 8, 29)
    days = sorted(day_between(rng, begin, end) for _ in range(646))
    permits, inspections = [], []
    for index, day in enumerate(days):
        while day.weekday() > 4:
            day -= timedelta(days=1)
        day = max(day, begin)
        kind = pick(rng, {name: value[0] for name, value in work.items()})
        _, cost, feet, who = work[kind]
        hood = pick(rng, hoods)
        use = pick(rng, {"Commercial": 60, "Mixed Use": 20, "Residential": 20} if hood == "Downtown" else
                   {"Industrial": 55, "Commercial": 45} if hood == "Airport" else
                   {"Residential": 80, "Commercial": 13, "Mixed Use": 7})
        if kind == "Sign":
            use = "Commercial"
        scale = rng.lognormvariate(0, 0.45) * (1.0 if use == "Residential" else 1.9)
        cost = round(cost * scale, -2)
        feet = round(feet * scale * rng.uniform(0.8, 1.2)) if feet and rng.random() < 0.93 else None
        trade = rng.choice(who)
        pool = by_trade[trade]
        owner = use == "Residential" and rng.random() < (0.4 if kind in ("Deck/Fence", "Alteration") else 0.1)
        firm = None if owner else pool[min(len(pool) - 1, int(rng.expovariate(1) * len(pool) / 2.6))]
        online = rng.random() < 0.5 + 0.3 * (day - begin).days / (end - begin).days
        wait = int(rng.gammavariate(2.2, {"New Construction": 22, "Addition": 14, "Demolition": 12, "Alteration": 9}.get(kind, 3))
                   * (0.85 if online else 1.1)) + 1
        issued = day + timedelta(days=wait)
        while issued.weekday() > 4:
            issued += timedelta(days=1)
        fate = rng.random()
        if fate < 0.045:
            status, issued = "Denied", None
        elif fate < 0.085:
            status, issued = "Withdrawn", None
        elif issued > end:
            status, issued = "In Review", None
        else:
            age = (end - issued).days
            status = "Closed" if rng.random() < min(0.85, age / 330) else "Expired" if age > 365 and rng.random() < 0.5 else "Issued"
        number = f"BP{day:%y}-{index + 1:04d}"
        permits.append([
            number, day, issued, kind, use, hood, firm[0] if firm else None, int(cost),
            f"{max(65, cost * 0.0105 + 40):.2f}", feet, status, "Y" if online else "N"])
        if issued is None:
            continue
        steps = {"New Construction": ["Footing", "Framing", "Electrical", "Plumbing", "Final"],
                 "Addition": ["Footing", "Framing", "Electrical", "Final"], "Alteration": ["Framing", "Electrical", "Final"],
                 "Demolition": ["Final"], "Roofing": ["Final"], "Electrical": ["Electrical", "Final"],
                 "Plumbing": ["Plumbing", "Final"], "Deck/Fence": ["Footing", "Final"], "Sign": ["Final"]}[kind]
        if status == "Expired":
            steps = steps[:rng.randint(0, len(steps) - 1)]
        elif status == "Issued":
            steps = steps[:rng.randint(0, max(0, len(steps) - 1))]
        when = issued
        for step in steps:
            again = False
            for _ in range(4):
                when += timedelta(days=rng.randint(4, 24) if not again else rng.randint(2, 9))
                while when.weekday() > 4:
                    when += timedelta(days=1)
                if when > end:
                    break
                at = day_at(when, rng.choice([8, 9, 9, 10, 10, 11, 13, 13, 14, 15]), rng.choice([0, 0, 15, 30, 30, 45]))
                person = pick(rng, {"Rosa Delaney": 31, "Curtis Boyd": 27, "Amy Thornquist": 24, "Walt Jimenez": 18})
                bad = {"Framing": 0.24, "Electrical": 0.22, "Plumbing": 0.17, "Footing": 0.12, "Final": 0.13}[step]
                outcome = pick(rng, {"Pass": 1 - bad - 0.05 - 0.05, "Fail": bad * (1.2 if person == "Curtis Boyd" else 0.95),
                                     "Partial": 0.05, "No Access": 0.05})
                if status == "Closed" and again:
                    outcome = pick(rng, {"Pass": 85, "Fail": 15})
                inspections.append([
                    number, at, step, person, outcome, None if outcome == "No Access" else rng.choice([15, 20, 20, 25, 30, 30, 40, 45, 60]),
                    75 if again and rng.random() < 0.7 else None])
                if outcome == "Pass":
                    break
                again = True
    inspections.sort(key=lambda row: (row[1], row[0]))
    inspections = [[30001 + index, *row] for index, row in enumerate(
        [row[0], f"{row[1]:%Y-%m-%dT%H:%M:%S}", *row[2:]] for row in inspections)]
    write(folder, "contractors", ["lic_no", "firm_name", "trade", "city", "lic_exp_dt", "insured", "yrs_in_biz"], firms)
    write(folder, "permits", ["permit_no", "appl_dt", "issue_dt", "wk_type", "bldg_use", "nbhd", "lic_no", "est_cost_usd",
                              "fee_usd", "sq_ft", "stat", "online_appl"], permits)
    write(folder, "inspections", ["insp_id", "permit_no", "insp_dt", "insp_type", "inspector", "outcome", "mins_on_site",
                                  "reinsp_fee_usd"], inspections)


if __name__ == "__main__":
    build_all((street_trees, pottery_kiln, piano_tuners, permits_office))
