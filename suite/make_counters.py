"""Writes four datasets as CSV files: dive_club, registry_office, campsite, dry_cleaner.

    python3 make_counters.py OUTDIR      ->  OUTDIR/<dataset>/<table>.csv

Everything is invented, from fixed seeds, with the standard library alone.

    dive_club        dives; one wide table, Title Case with units in square brackets, yes/no
    registry_office  ceremonies; one wide table, snake_case, true/false
    campsite         Pitches, Guests, Stays; PascalCase, timestamps with a T
    dry_cleaner      cust, tkt; abbreviations, four timestamps, Y/N
"""

from datetime import date, datetime, timedelta
from random import Random

from rows import between, build_all, day_at, days, names, pick, write


# --- dive_club ------------------------------------------------------------

def dive_club(folder):
    rng = Random(41077)
    divers = [
        ("Ines Kovac", "Instructor", 9), ("Tomasz Reid", "Divemaster", 8), ("Priya Lindqvist", "Rescue", 7),
        ("Jonas Abara", "Advanced", 6), ("Marguerite Holt", "Advanced", 5), ("Felix Okonjo", "Open Water", 4),
        ("Sanna Bright", "Open Water", 3), ("Dario Petit", "Rescue", 5), ("Wendy Tsai", "Advanced", 6),
        ("Oskar Lund", "Divemaster", 6), ("Leah Moreau", "Open Water", 3), ("Ruben Castell", "Instructor", 7),
        ("Nadia Farrow", "Advanced", 4), ("Hugh Penrose", "Rescue", 3), ("Yuki Sorensen", "Open Water", 2),
        ("Carla Dunmore", "Advanced", 3),
    ]
    limit = {"Open Water": 18, "Advanced": 30, "Rescue": 35, "Divemaster": 40, "Instructor": 42}
    sites = [
        ("Millstone Quarry", "Quarry", 22, None, 16), ("Gannet Reef", "Reef", 20, "Sea Otter", 14),
        ("SS Harrowgate", "Wreck", 34, "Sea Otter", 9), ("Black Needle Wall", "Wall", 40, "Marlin", 8),
        ("Tinker's Cove", "Reef", 14, None, 14), ("Trawler Annelise", "Wreck", 26, "Marlin", 9),
        ("Cathedral Arch", "Wall", 30, "Sea Otter", 7), ("Old Lime Pit", "Quarry", 16, None, 9),
        ("Seal Ledges", "Reef", 18, "Marlin", 8),
    ]
    season = {1: 2, 2: 2, 3: 4, 4: 7, 5: 10, 6: 12, 7: 14, 8: 15, 9: 11, 10: 7, 11: 3, 12: 2}
    warmth = {1: 7, 2: 6.5, 3: 7.5, 4: 9.5, 5: 12, 6: 14.5, 7: 17, 8: 18.5, 9: 17, 10: 14, 11: 11, 12: 8.5}
    calendar = days(date(2024, 3, 2), date(2025, 9, 28))
    weights = [season[day.month] * (6 if day.weekday() >= 5 else 1.6 if day.weekday() == 2 else 0.5) for day in calendar]
    entries = []
    for day in rng.choices(calendar, weights, k=638):
        night = rng.random() < 0.12
        hour = rng.choice([19, 20, 21]) if night else rng.choice([9, 9, 10, 10, 11, 13, 14, 14, 15])
        entries.append((day_at(day, hour, rng.randrange(0, 60, 5)), night))
    entries.append((datetime(2025, 9, 28, 10, 15), False))
    entries.append((datetime(2025, 9, 28, 14, 40), False))
    rows = []
    for number, (when, night) in enumerate(sorted(entries), 2201):
        diver, level, _ = rng.choices(divers, [weight for *_, weight in divers])[0]
        while True:
            site, kind, bottom, boat, _ = rng.choices(sites, [site[-1] for site in sites])[0]
            if bottom <= limit[level] + 8:
                break
        depth = round(between(4.5, rng.gauss(min(bottom, limit[level]) * 0.8, bottom * 0.13), min(bottom, limit[level])), 1)
        minutes = int(between(14, rng.gauss(72 - depth * 1.1, 7), 78))
        temp = warmth[when.month] + rng.gauss(0, 0.9) - depth * 0.06 - (1.2 if kind == "Quarry" else 0)
        sight = between(1, rng.gauss({"Quarry": 5, "Reef": 9, "Wreck": 8, "Wall": 12}[kind], 2.4), 20)
        start = rng.choice([195, 200, 200, 205, 210, 215, 220])
        used = between(45, minutes * (1 + depth / 10) * rng.uniform(0.85, 1.25), start - 25)
        gas = pick(rng, {"Air": 6, "EAN32": 3} if depth > 28 else {"Air": 7, "EAN32": 2.5, "EAN36": 1})
        if level == "Open Water":
            gas = "Air"
        buddy = rng.choice([name for name, *_ in divers if name != diver])
        rows.append([
            number, f"{when:%Y-%m-%d %H:%M}", diver, level, site, kind, depth, minutes,
            "" if rng.random() < 0.09 else f"{temp:.1f}", "" if rng.random() < 0.14 else f"{sight:.0f}",
            start, int(start - used), gas, "yes" if night else "no", "" if rng.random() < 0.06 else buddy,
            rng.choice([4, 5, 6, 6, 7, 8, 8, 9, 10]), boat or "",
            {"Sea Otter": 28, "Marlin": 35}[boat] if boat else 0,
        ])
    write(folder, "dives", [
        "Dive No", "Entered Water", "Diver", "Certification Level", "Dive Site", "Site Type", "Max Depth [m]",
        "Bottom Time [min]", "Water Temp [°C]", "Visibility [m]", "Start Pressure [bar]", "End Pressure [bar]",
        "Gas Mix", "Night Dive", "Buddy", "Weights [kg]", "Boat", "Boat Fee [EUR]"], rows)


# --- registry_office ------------------------------------------------------

def registry_office(folder):
    rng = Random(90216)
    rooms = [("Garden Room", 40, 140), ("Council Chamber", 90, 260), ("Clock Tower", 14, 190),
             ("Rose Suite", 60, 210), ("Small Office", 6, 60)]
    registrars = {"A. Whitcombe": 8, "B. Osei": 7, "M. Delacroix": 6, "S. Ferreira": 5, "T. Nakagawa": 4, "J. Ballard": 2}
    districts = {"Northgate": 6, "Harbourside": 5, "Elm Park": 5, "Old Town": 4, "Castle Hill": 3, "Outside the city": 3}
    calendar = days(date(2024, 2, 3), date(2025, 10, 18))
    season = {1: 3, 2: 4, 3: 5, 4: 7, 5: 10, 6: 12, 7: 12, 8: 13, 9: 10, 10: 7, 11: 4, 12: 6}
    weights = [season[day.month] * {4: 4, 5: 8, 6: 0}.get(day.weekday(), 1) for day in calendar]
    chosen = sorted(rng.choices(calendar, weights, k=468) + [date(2025, 10, 18)] * 2)
    drafts = []
    for day in chosen:
        room, size, fee = rng.choices(rooms, [7, 4, 4, 6, 5])[0]
        kind = pick(rng, {"marriage": 70, "civil partnership": 14, "vow renewal": 10, "naming ceremony": 6})
        booked = day - timedelta(int(between(12, rng.gauss(150, 75), 380)))
        age = int(between(19, rng.gauss(33 if kind != "vow renewal" else 54, 8), 83))
        other = int(between(19, age + rng.gauss(-1, 4.5), 84))
        state = pick(rng, {"held": 88, "cancelled": 8, "postponed": 4})
        language = pick(rng, {"English": 78, "Polish": 6, "Portuguese": 5, "French": 4, "Arabic": 3, "Mandarin": 3})
        interpreter = language != "English" and rng.random() < 0.7
        extras = rng.choice([0, 0, 0, 25, 40, 40, 65, 85, 120])
        saturday = 75 if day.weekday() == 5 else 0
        paid = "" if rng.random() < (0.55 if state == "cancelled" else 0.05) else \
            booked + timedelta(rng.choice([0, 0, 0, 1, 2, 5, 7, 10, 14, 21]))
        score = rng.choices([1, 2, 3, 4, 5], [1, 2, 6, 18, 30])[0] if state == "held" and rng.random() < 0.58 else ""
        guests = int(between(2, rng.gauss(size * 0.6, size * 0.25), size))
        drafts.append([
            booked, day, kind, room, pick(rng, registrars), pick(rng, districts), language,
            "true" if interpreter else "false", *(("", "") if kind == "naming ceremony" else (age, other)), guests,
            fee + saturday, extras, paid,
            "true" if rng.random() < 0.47 else "false", "true" if rng.random() < 0.11 else "false", state, score])
    rows = [[f"RC-{number:05d}", *draft] for number, draft in enumerate(sorted(drafts, key=lambda row: row[1]), 3101)]
    write(folder, "ceremonies", [
        "ceremony_ref", "booked_on", "ceremony_date", "ceremony_type", "room", "registrar", "home_district", "language",
        "interpreter_present", "first_partner_age", "second_partner_age", "guests", "room_fee", "extras_fee", "paid_on",
        "photographer_booked", "step_free_access_needed", "status", "feedback_score"], rows)


# --- campsite -------------------------------------------------------------

def campsite(folder):
    rng = Random(6653)
    zones = [("Lakeside", 26, 9), ("Forest", 30, 0), ("Meadow", 28, -3), ("Hilltop", 14, 3)]
    pitches, number = [], 0
    for zone, count, bonus in zones:
        for index in range(1, count + 1):
            number += 1
            kind = pick(rng, {"Lakeside": {"Motorhome": 4, "Caravan": 4, "Cabin": 3, "Tent": 2},
                              "Forest": {"Tent": 6, "Cabin": 3, "Caravan": 2},
                              "Meadow": {"Tent": 5, "Caravan": 4, "Motorhome": 4},
                              "Hilltop": {"Tent": 5, "Cabin": 2}}[zone])
            rate = {"Tent": 19, "Caravan": 29, "Motorhome": 33, "Cabin": 68}[kind] + bonus + rng.choice([0, 0, 1.5, 3])
            power = kind in ("Cabin", "Motorhome") or rng.random() < {"Caravan": 0.85, "Tent": 0.25}[kind]
            area = {"Tent": 60, "Caravan": 95, "Motorhome": 110, "Cabin": 45}[kind] + rng.randrange(-12, 26)
            people = {"Tent": 4, "Caravan": 5, "Motorhome": 5, "Cabin": 6}[kind] + rng.choice([-1, 0, 0, 1])
            pitches.append([f"P{number:03d}", f"{zone[0]}{index}", zone, kind, area, "true" if power else "false",
                            f"{rate:.2f}", people])
    write(folder, "Pitches", ["PitchId", "PitchLabel", "Zone", "PitchType", "AreaSqm", "HasElectricity",
                              "NightlyRate", "MaxPersons"], pitches)
    places = {"Germany": ["Kassel", "Bremen", "Ulm", "Leipzig"], "Netherlands": ["Zwolle", "Breda", "Utrecht"],
              "Belgium": ["Ghent", "Namur"], "France": ["Nancy", "Lille", "Dijon"], "Denmark": ["Odense", "Aarhus"],
              "Austria": ["Graz", "Linz"], "Switzerland": ["Chur", "Biel"]}
    given = ["Anke", "Bram", "Claire", "Dirk", "Elise", "Frits", "Greta", "Henrik", "Ilse", "Joris", "Karin", "Lucas", "Mette",
             "Niels", "Odile", "Pieter", "Ronja", "Stefan", "Tilda", "Ulrich", "Vera", "Wout", "Yvonne", "Zoe"]
    family = ["Aalders", "Becker", "Claes", "Dupont", "Engel", "Fischer", "Graf", "Hansen", "Iversen", "Jansen", "Keller", "Lemaire",
              "Mulder", "Nielsen", "Ott", "Peeters", "Roth", "Smit", "Thomsen", "Urban", "Vogel", "Wouters", "Zeller"]
    guests = []
    for number, name in enumerate(names(rng, given, family, 330), 1001):
        country = pick(rng, {"Germany": 36, "Netherlands": 27, "Belgium": 12, "France": 10, "Denmark": 7,
                             "Austria": 4, "Switzerland": 4})
        born = date(1944, 1, 1) + timedelta(rng.randrange(0, 365 * 60))
        joined = "" if rng.random() < 0.62 else date(2017, 1, 10) + timedelta(rng.randrange(0, 3000))
        guests.append([number, name, country, rng.choice(places[country]), born, joined,
                       "true" if rng.random() < (0.75 if joined else 0.3) else "false"])
    write(folder, "Guests", ["GuestId", "FullName", "Country", "HomeTown", "BirthDate", "MemberSince", "Newsletter"],
          guests)
    regular = [rng.paretovariate(1.6) for _ in guests]
    silent = set(rng.sample(range(len(guests)), 22))
    regular = [0 if index in silent else min(weight, 9) for index, weight in enumerate(regular)]
    season = {4: 4, 5: 8, 6: 11, 7: 19, 8: 19, 9: 9, 10: 4}
    calendar = days(date(2025, 4, 4), date(2025, 10, 18))
    weights = [season[day.month] * {4: 3, 5: 2.2}.get(day.weekday(), 1) for day in calendar]
    taken = {pitch[0]: set() for pitch in pitches}
    empty = set(rng.sample([pitch[0] for pitch in pitches if pitch[2] != "Lakeside"], 4))
    drafts = []
    while len(drafts) < 1180:
        arrival = rng.choices(calendar, weights)[0]
        nights = rng.choices([1, 2, 3, 4, 5, 7, 10, 14], [10, 24, 18, 9, 8, 16, 5, 4])[0]
        pitch = rng.choice(pitches)
        cancelled = rng.random() < 0.09
        span = {arrival + timedelta(n) for n in range(nights)}
        if pitch[0] in empty or not cancelled and span & taken[pitch[0]]:
            continue
        if not cancelled:
            taken[pitch[0]] |= span
        guest = rng.choices(guests, regular)[0]
        channel = pick(rng, {"Website": 52, "Phone": 17, "Agency": 15, "Walk-in": 16})
        if channel == "Walk-in" and cancelled:
            channel = "Website"
        lead = 0 if channel == "Walk-in" else int(between(1, rng.expovariate(1 / 42), 210))
        booked = day_at(arrival, rng.randrange(8, 20), rng.randrange(60), rng.randrange(60)) - timedelta(lead)
        adults = rng.choices([1, 2, 3, 4], [14, 62, 12, 12])[0]
        adults = min(adults, pitch[7])
        children = min(rng.choices([0, 1, 2, 3], [52, 16, 25, 7])[0], pitch[7] - adults)
        dogs = rng.choices([0, 1, 2], [74, 21, 5])[0]
        price = nights * (float(pitch[6]) + 4.5 * max(0, adults - 2) + 3 * children + 2.5 * dogs)
        price *= {7: 1.15, 8: 1.15}.get(arrival.month, 1) * (0.9 if guest[5] else 1)
        liked = {"Lakeside": 8.6, "Forest": 8.1, "Meadow": 7.3, "Hilltop": 7.9}[pitch[2]]
        score = "" if cancelled or rng.random() < 0.46 else int(between(2, rng.gauss(liked, 1.3), 10))
        drafts.append([guest[0], pitch[0], booked.isoformat(), arrival, arrival + timedelta(nights), adults, children, dogs, channel,
                       f"{price:.2f}", "true" if cancelled else "false", score])
    drafts.sort(key=lambda row: row[2])
    write(folder, "Stays", [
        "StayId", "GuestId", "PitchId", "BookedAt", "ArrivalDate", "DepartureDate", "Adults", "Children", "Dogs", "Channel",
        "TotalPrice", "Cancelled", "ReviewScore"], [[number, *draft] for number, draft in enumerate(drafts, 50001)])


# --- dry_cleaner ----------------------------------------------------------

def dry_cleaner(folder):
    rng = Random(2718)
    hotels = ["Hotel Bellerive", "Grand Pavilion", "The Lantern Inn", "Station Hotel", "Quayside Suites", "Hotel Aurora"]
    eating = ["Trattoria Nonna", "The Copper Pot", "Blue Plate Diner", "Chez Armand", "Saffron House"]
    offices = ["Hartley & Moss LLP", "Crown Notaries", "Pembury Bank", "Orbit Insurance"]
    given = ["Ada", "Ben", "Cora", "Dan", "Esme", "Finn", "Gail", "Hal", "Iris", "Jude", "Kim", "Leo", "Mona", "Ned", "Opal", "Pam",
             "Quinn", "Rex", "Sue", "Ted"]
    family = ["Archer", "Blythe", "Crane", "Doyle", "Ellery", "Frost", "Grange", "Hobbs", "Irwin", "Jarvis", "Knox", "Lamb"]
    people = names(rng, given, family, 130)
    crowd = [(name, "hotel") for name in hotels] + [(name, "restaurant") for name in eating] + [(name, "office") for name in offices] + \
            [(name, "private") for name in people]
    rng.shuffle(crowd)
    customers = []
    for number, (name, kind) in enumerate(crowd, 301):
        since = date(2019, 1, 7) + timedelta(rng.randrange(0, 2420))
        mail = "" if rng.random() < 0.28 else f"{''.join(c for c in name.lower() if c.isalpha())}@example.com"
        customers.append([f"C{number}", name, kind, rng.choice(["4051", "4052", "4053", "4056", "4058"]), mail, since,
                          {"hotel": 15, "restaurant": 10, "office": 5}.get(kind, rng.choice([0, 0, 0, 0, 5]))])
    write(folder, "cust", ["cust_no", "nm", "seg", "zip", "eml", "since_dt", "disc_pct"], customers)
    prices = {"dry clean": 11.5, "laundry": 4.2, "ironing": 3.1, "alteration": 16, "leather": 42}
    loyal = [{"hotel": 9, "restaurant": 6, "office": 3}.get(row[2], min(rng.paretovariate(1.7), 6)) for row in customers]
    absent = set(rng.sample([index for index, row in enumerate(customers) if row[2] == "private"], 13))
    loyal = [0 if index in absent else weight for index, weight in enumerate(loyal)]
    last = datetime(2026, 2, 21, 17, 40)
    calendar = days(date(2025, 8, 4), last.date())
    weights = [{0: 15, 5: 11, 6: 0}.get(day.weekday(), 9) * {8: 0.6, 12: 1.2}.get(day.month, 1) for day in calendar]
    times = []
    while len(times) < 939:
        day = rng.choices(calendar, weights)[0]
        when = day_at(day, rng.choice([8, 8, 9, 9, 10, 11, 12, 13, 14, 15, 16, 17, 17]), rng.randrange(60))
        if when < last:
            times.append(when)
    times.append(last)
    rows = []
    for number, when in enumerate(sorted(times), 77001):
        guest = rng.choices(customers, loyal)[0]
        kind = guest[2]
        service = pick(rng, {"hotel": {"laundry": 6, "dry clean": 2, "ironing": 3}, "restaurant": {"laundry": 7, "ironing": 3},
                             "office": {"dry clean": 6, "ironing": 3, "alteration": 1}}.get(
                                 kind, {"dry clean": 8, "laundry": 4, "ironing": 4, "alteration": 3, "leather": 1}))
        pieces = rng.randrange(12, 70) if kind in ("hotel", "restaurant") else rng.randrange(3, 15) if kind == "office" else \
            1 if service == "leather" else rng.choice([1, 1, 2, 2, 3, 4, 5, 7])
        express = service not in ("alteration", "leather") and rng.random() < 0.17
        hours = {"dry clean": 72, "laundry": 48, "ironing": 48, "alteration": 120, "leather": 240}[service]
        promise = (when + timedelta(hours=24 if express else hours)).replace(hour=17, minute=0)
        if promise.weekday() == 6:
            promise += timedelta(1)
        late = rng.random() < {"alteration": 0.24, "leather": 0.3}.get(service, 0.11)
        ready = promise.replace(hour=rng.randrange(9, 17), minute=rng.randrange(60))
        if late:
            ready += timedelta(rng.choice([1, 1, 2]))
            if ready.weekday() == 6:
                ready += timedelta(1)
        elif rng.random() < 0.4 and ready - timedelta(1) > when and ready.weekday() != 0:
            ready -= timedelta(1)
        collected = ready + timedelta(minutes=rng.randrange(15, 80))
        if rng.random() < 0.8:
            collected = (ready + timedelta(rng.choice([1, 1, 1, 2, 2, 3, 4, 7]))).replace(
                hour=rng.choice([8, 9, 10, 12, 13, 16, 17, 17]), minute=rng.randrange(60))
            if collected.weekday() == 6:
                collected += timedelta(1)
        net = pieces * prices[service] * rng.uniform(0.92, 1.1) * (1.4 if express else 1) * (1 - guest[6] / 100)
        net = round(net, 2)
        vat = round(net * 0.2, 2)
        damaged = rng.random() < 0.025
        branch = pick(rng, {"CTR": 5, "STN": 4, "WST": 2})
        staff = rng.choice({"CTR": ["MK", "JP", "AV"], "STN": ["LD", "RS"], "WST": ["TB"]}[branch])
        method = pick(rng, {"ACCT": 9, "CARD": 1} if kind != "private" else {"CARD": 7, "CASH": 3})
        rows.append([
            number, guest[0], f"{when:%Y-%m-%dT%H:%M}", f"{promise:%Y-%m-%dT%H:%M}",
            f"{ready:%Y-%m-%dT%H:%M}" if ready <= last else "",
            f"{collected:%Y-%m-%dT%H:%M}" if collected <= last and rng.random() > 0.03 else "",
            service, pieces, f"{pieces * rng.uniform(0.3, 0.6):.1f}" if service == "laundry" else "",
            f"{net:.2f}", f"{vat:.2f}", f"{net + vat:.2f}", method, "Y" if express else "N", "Y" if damaged else "N",
            f"{(net + vat) * rng.choice([0.5, 1]):.2f}" if damaged and rng.random() < 0.8 else "", branch, staff])
    write(folder, "tkt", [
        "tkt_no", "cust_no", "in_ts", "prom_ts", "rdy_ts", "coll_ts", "svc", "pcs", "wt_kg", "net_amt", "vat_amt", "tot_amt",
        "pay_mth", "expr", "dmg", "rfnd_amt", "brn", "stf"], rows)


if __name__ == "__main__":
    build_all((dive_club, registry_office, campsite, dry_cleaner))
