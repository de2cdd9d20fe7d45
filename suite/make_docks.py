"""Writes four datasets as CSV files: laundry, race_series, marina, lift_service.

    python3 make_docks.py OUTDIR      ->  OUTDIR/<dataset>/<table>.csv

Everything is invented, from fixed seeds, with the standard library alone.

    laundry       items; one wide table, snake_case, yes/no
    race_series   results; one wide table, Title Case with units, Yes/No
    marina        boats, berths, stays; camelCase, true/false
    lift_service  bldgs, lifts, callouts; abbreviations, Y/N, timestamps
"""

from datetime import date, datetime, timedelta
from random import Random

from rows import between, build_all, day_between, money, names, pick, write


# --- laundry ----------------------------------------------------------

def laundry(folder):
    rng = Random(91001)
    branches = {"Castle Street": 34, "Station Arcade": 28, "Millbrook": 22, "Harlow Park": 16}
    garments = {  # price, weight of choice, kg, fabrics
        "Shirt": (3.9, 30, 0.25, ["cotton", "cotton", "linen", "silk"]),
        "Suit": (15.5, 14, 1.4, ["wool", "wool", "wool", "polyester", "linen"]),
        "Dress": (12.5, 11, 0.6, ["silk", "cotton", "polyester", "viscose"]),
        "Coat": (18.0, 9, 1.9, ["wool", "wool", "cashmere", "polyester"]),
        "Trousers": (7.2, 12, 0.6, ["wool", "cotton", "polyester"]),
        "Blouse": (6.4, 8, 0.2, ["silk", "viscose", "cotton"]),
        "Duvet": (24.0, 5, 2.6, ["down", "polyester"]),
        "Curtains": (31.0, 3, 3.8, ["velvet", "cotton", "polyester"]),
        "Wedding Dress": (118.0, 1, 3.1, ["silk", "polyester"]),
        "Leather Jacket": (42.0, 2, 1.8, ["leather", "suede"]),
        "Tie": (5.0, 5, 0.1, ["silk"]),
    }
    first = ["Ada", "Bridget", "Callum", "Denise", "Edwin", "Fatima", "Gordon", "Heather", "Ivor", "Jasmine", "Keith",
             "Lorna", "Malik", "Noreen", "Oscar", "Priya", "Quentin", "Rosalind", "Stuart", "Tessa"]
    last = ["Abbott", "Bannister", "Chowdhury", "Devlin", "Ellery", "Farrow", "Gittins", "Haddad", "Ingram", "Jolly",
            "Kapoor", "Lister", "Mercer", "Nuttall", "Orton", "Pascoe"]
    people = names(rng, first, last, 210)
    weights = [rng.paretovariate(1.4) for _ in people]
    weights = [min(weight, 14) for weight in weights]
    home = {person: pick(rng, branches) for person in people}
    begin, end = date(2024, 9, 2), date(2025, 11, 22)
    drops = []
    while len(drops) < 1720:
        day = day_between(rng, begin, end)
        if day.weekday() == 6 or day.month == 8 and rng.random() < 0.35 or day.month in (1, 2) and rng.random() < 0.2:
            continue
        drops.append(day)
    drops.sort()
    drops[0], drops[-1] = begin, end
    rows = []
    for number, day in enumerate(drops):
        person = rng.choices(people, weights=weights)[0]
        branch = home[person] if rng.random() < 0.87 else pick(rng, branches)
        garment = pick(rng, {name: value[1] for name, value in garments.items()})
        price, _, heavy, fabrics = garments[garment]
        fabric = rng.choice(fabrics)
        if garment == "Leather Jacket":
            service = "specialist"
        elif garment == "Shirt":
            service = pick(rng, {"wash & iron": 82, "iron only": 13, "alteration": 5})
        elif garment in ("Duvet",):
            service = pick(rng, {"wash & iron": 70, "dry clean": 30})
        else:
            service = pick(rng, {"dry clean": 78, "iron only": 8, "alteration": 10, "specialist": 4})
        factor = {"wash & iron": 1, "dry clean": 1, "iron only": 0.6, "alteration": 1.5, "specialist": 1.6}[service]
        express = rng.random() < (0.21 if branch == "Station Arcade" else 0.12)
        if service == "specialist" and rng.random() < 0.8:
            express = False
        amount = price * factor * (1.5 if express else 1) * (1.05 if day >= date(2025, 4, 1) else 1)
        amount = round(amount * 10) / 10
        wait = 1 if express else {"specialist": 10, "alteration": 6}.get(service, rng.choice([3, 3, 4]))
        promised = day + timedelta(days=wait)
        if promised.weekday() == 6:
            promised += timedelta(days=1)
        if promised > date(2025, 11, 29):
            promised = date(2025, 11, 29)
        late = rng.random() < {"Castle Street": 0.06, "Station Arcade": 0.10, "Millbrook": 0.05, "Harlow Park": 0.15}[branch]
        ready = promised + timedelta(days=rng.randint(1, 5)) if late else promised - timedelta(days=rng.choice([0, 0, 0, 1]))
        ready = max(ready, day + timedelta(days=1))
        if ready.weekday() == 6:
            ready += timedelta(days=1 if late else -1)
        ready = max(ready, day)
        collected = ready + timedelta(days=int(rng.gammavariate(1.3, 3.2)))
        if collected.weekday() == 6:
            collected += timedelta(days=1)
        if ready > end:
            ready = None
        if ready is None or collected > end or rng.random() < 0.025:
            collected = None
        stain = pick(rng, {None: 74, "wine": 6, "grease": 8, "ink": 2, "grass": 2, "coffee": 5, "unknown": 3})
        damaged = rng.random() < (0.05 if fabric in ("silk", "velvet", "suede") else 0.018)
        refund = money(round(amount * rng.choice([0.5, 1, 1, 2, 4]), 2)) if damaged and rng.random() < 0.85 else None
        if not damaged and rng.random() < 0.012:
            refund = money(amount / 2)
        rows.append([
            f"DC{20001 + number}", day, promised, ready, collected, person, branch, garment,
            fabric if rng.random() < 0.93 else None, service, stain, "yes" if express else "no",
            money(amount), refund, pick(rng, {"card": 61, "cash": 22, "account": 17}),
            f"{heavy * rng.uniform(0.75, 1.35):.2f}" if rng.random() < 0.96 else None,
            "yes" if damaged else "no",
            rng.choice([5, 5, 5, 4, 4, 4, 3, 2, 1] if not late else [4, 3, 3, 2, 2, 1])
            if collected and rng.random() < 0.37 else None,
        ])
    write(folder, "items", [
        "item_no", "dropped_off", "promised_for", "ready_on", "collected_on", "customer", "branch", "garment", "fabric",
        "service", "stain", "express", "price_gbp", "refund_gbp", "payment", "weight_kg", "damaged", "rating"], rows)


# --- race_series ----------------------------------------------------------

def race_series(folder):
    rng = Random(91002)
    races = [  # name, date, km, climb, fee, runners
        ("Blossom Dash", date(2024, 4, 14), 5, 40, 12, 82), ("Castle Loop", date(2024, 5, 19), 10, 165, 18, 96),
        ("Midsummer Mile Ten", date(2024, 6, 22), 16.1, 120, 24, 71), ("Ridgeway Half", date(2024, 9, 8), 21.1, 410, 32, 118),
        ("Pumpkin Plod", date(2024, 10, 27), 10, 95, 18, 88), ("Frosty Five", date(2024, 12, 8), 5, 25, 12, 64),
        ("Blossom Dash", date(2025, 4, 13), 5, 40, 13, 95), ("Castle Loop", date(2025, 5, 18), 10, 165, 20, 107),
        ("Midsummer Mile Ten", date(2025, 6, 21), 16.1, 120, 26, 83), ("Lakeside Trail", date(2025, 7, 20), 12, 230, 22, 61),
        ("Ridgeway Half", date(2025, 9, 7), 21.1, 410, 35, 131), ("Pumpkin Plod", date(2025, 10, 26), 10, 95, 20, 101),
    ]
    women = ["Alice", "Beth", "Carys", "Donna", "Eleri", "Fiona", "Gwen", "Hazel", "Isla", "Joanne", "Kirsty", "Leanne",
             "Megan", "Nia", "Ruth", "Sian"]
    men = ["Aled", "Barry", "Craig", "Darren", "Ewan", "Fergus", "Gareth", "Huw", "Iain", "Jamie", "Kevin", "Lloyd",
           "Martin", "Neil", "Owen", "Rhys"]
    last = ["Ashdown", "Bevan", "Corbett", "Draper", "Ellis", "Fairley", "Griffiths", "Hopkin", "Jarvis", "Kendrick",
            "Llewellyn", "Mostyn", "Norris", "Parry", "Rowlands", "Sutcliffe", "Treharne", "Vaughan", "Wren", "Yeo"]
    clubs = {"Westgate Harriers": 24, "Vale Runners": 19, "Tuesday Trotters": 16, "Dynamo AC": 11, "Fell & Forest": 8, None: 32}
    runners = []
    for name in names(rng, women, last, 165):
        runners.append([name, "F"])
    for name in names(rng, men, last, 190):
        runners.append([name, "M"])
    for runner in runners:
        club = pick(rng, clubs)
        age = int(between(16, rng.gauss(41, 13), 79))
        speed = rng.gauss(5.55, 0.75) + (0.45 if runner[1] == "F" else 0) + max(0, age - 35) * 0.025
        speed += {"Dynamo AC": -0.6, "Westgate Harriers": -0.35, "Fell & Forest": -0.3, "Tuesday Trotters": 0.3}.get(club, 0)
        runner += [club, age, max(3.35, speed), rng.choice(["XS", "S", "S", "M", "M", "M", "L", "L", "XL"]),
                   min(6.0, rng.paretovariate(1.8))]
    seen = set()
    rows = []
    for race, day, km, climb, fee, many in races:
        field, pool = [], list(runners)
        while len(field) < many:
            one = rng.choices(pool, weights=[runner[6] for runner in pool])[0]
            pool.remove(one)
            field.append(one)
        entries = []
        for runner in field:
            name, sex, club, age, speed, shirt, _ = runner
            years = age + day.year - 2024
            status = pick(rng, {"Finished": 90, "DNS": 6, "DNF": 3.2 if km > 9 else 1.2, "DSQ": 0.5})
            minutes = None
            if status == "Finished":
                minutes = round(km * speed * (1 + (km - 5) * 0.006) * (1 + climb / km / 260) * rng.gauss(1, 0.035), 2)
            if years < 20:
                group = "Junior"
            elif years < 40:
                group = "Senior"
            else:
                group = f"V{years // 10 * 10}" if years < 70 else "V70"
            online = rng.random() < (0.74 if day.year == 2024 else 0.86)
            entered = day - timedelta(days=int(rng.gammavariate(2, 17)) + 1) if online else day
            paid = 0 if rng.random() < 0.02 else fee + (0 if online else 3) - (2 if club else 0)
            entries.append([
                name, sex, years if rng.random() < 0.97 else None, group, club, entered,
                "Yes" if online else "No", "Yes" if name not in seen else "No", paid, shirt if rng.random() < 0.9 else None,
                status, minutes])
        for name, *_ in field:
            seen.add(name)
        entries.sort(key=lambda entry: (entry[11] is None, entry[11] or 0, entry[0]))
        bibs = rng.sample(range(101, 101 + 2 * many), many)
        for place, (bib, entry) in enumerate(zip(bibs, entries), 1):
            done = entry[11] is not None
            rows.append([race, day, km, climb, bib, *entry[:11], f"{entry[11]:.2f}" if done else None, place if done else None,
                         rng.randint(128, 189) if done and rng.random() < 0.6 else None])
    write(folder, "results", [
        "Race", "Race Date", "Distance (km)", "Climb (m)", "Bib No", "Runner", "Gender", "Age (yrs)", "Age Group", "Club",
        "Entered On", "Online Entry", "First Timer", "Entry Fee (£)", "T-Shirt Size", "Status", "Finish Time (min)",
        "Finish Place", "Avg Heart Rate (bpm)"], rows)


# --- marina ---------------------------------------------------------------

def marina(folder):
    rng = Random(91003)
    adjectives = ["Blue", "Silver", "Wandering", "Lucky", "Salty", "Northern", "Quiet", "Golden", "Merry", "Restless",
                  "Crimson", "Windward", "Little"]
    nouns = ["Heron", "Gull", "Duchess", "Pelican", "Spirit", "Dolphin", "Tern", "Comet", "Lady", "Otter", "Mermaid",
             "Petrel", "Star"]
    people = names(rng, ["Anders", "Birgit", "Carsten", "Dagny", "Erik", "Frauke", "Gerrit", "Hanneke", "Ingo", "Jytte",
                         "Klaas", "Lene", "Mads", "Nora", "Ole", "Pia", "Rolf", "Stine", "Torben", "Ulrike"],
                   ["Aagaard", "Brandt", "Carlsen", "de Vries", "Ekholm", "Friis", "Groot", "Hansen", "Isaksen", "Jepsen",
                    "Koch", "Lindholm", "Mulder", "Nyborg"], 130)
    types = {  # share, length, spread, people
        "Sailing Yacht": (52, 10.6, 1.9, 3), "Motor Yacht": (22, 11.8, 2.4, 4), "Catamaran": (8, 12.4, 1.3, 5),
        "Dinghy": (8, 5.2, 0.6, 2), "Trawler": (6, 12.9, 1.6, 3), "Houseboat": (4, 13.2, 1.2, 3)}
    ports = {"Denmark": ["Svendborg", "Aabenraa", "Marstal", "Faaborg"], "Germany": ["Kappeln", "Flensburg", "Kiel", "Rostock"],
             "Netherlands": ["Enkhuizen", "Harlingen", "Stavoren"], "Sweden": ["Ystad", "Malmö"], "Norway": ["Arendal"]}
    flags = {"Denmark": 44, "Germany": 31, "Netherlands": 13, "Sweden": 9, "Norway": 3}
    titles = rng.sample([f"{one} {other}" for one in adjectives for other in nouns], 148)
    boats = []
    for number, title in enumerate(titles):
        kind = pick(rng, {name: value[0] for name, value in types.items()})
        flag = pick(rng, flags)
        length = between(4.2, rng.gauss(types[kind][1], types[kind][2]), 17.8)
        draught = {"Sailing Yacht": 0.17, "Dinghy": 0.12, "Catamaran": 0.09}.get(kind, 0.1) * length * rng.uniform(0.85, 1.15)
        boats.append([
            f"B{number + 301}", title, kind, f"{length:.1f}", f"{draught:.2f}" if rng.random() < 0.9 else None,
            int(between(1952, rng.gauss(1998, 14), 2024)) if rng.random() < 0.92 else None,
            rng.choice(people), flag, rng.choice(ports[flag]), "true" if rng.random() < 0.88 else "false"])
    berths = []
    for pontoon, many, limit, rate in (("A", 16, 8, 19), ("B", 18, 11, 27), ("C", 18, 13, 34), ("D", 12, 16, 45), ("E", 8, 19, 58)):
        for number in range(1, many + 1):
            power = rng.random() < {"A": 0.35, "B": 0.8, "C": 0.9}.get(pontoon, 1.0)
            berths.append([f"{pontoon}{number:02d}", pontoon, limit, "true" if power else "false",
                           "true" if rng.random() < 0.82 else "false", rate])
    never = {"A05", "B17", "C03"}
    begin, end = date(2024, 4, 6), date(2025, 9, 28)
    stays = []
    keen = [min(7.0, rng.paretovariate(1.3)) for _ in boats]
    for index in (11, 57, 90, 131):
        keen[index] = 0.0
    while len(stays) < 980:
        day = day_between(rng, begin, end)
        if rng.random() > {4: 0.3, 5: 0.5, 6: 0.8, 7: 1.0, 8: 0.9, 9: 0.5, 10: 0.2}.get(day.month, 0.04):
            continue
        boat = rng.choices(boats, weights=keen)[0]
        length = float(boat[3])
        fits = [berth for berth in berths if berth[2] >= length and berth[0] not in never]
        near = [berth for berth in fits if berth[2] <= length + 5]
        berth = rng.choice(near or fits)
        nights = 1 + int(rng.gammavariate(1.1, 1.9))
        if rng.random() < 0.03:
            nights = rng.randint(14, 40)
        left = day + timedelta(days=nights)
        fee = berth[5] * nights * (0.85 if nights >= 7 else 1) * (1.06 if day.year == 2025 else 1)
        if rng.random() < 0.09:
            fee *= 0.8
        if left > end:
            left = None
        power = rng.gammavariate(2, 2.6) * nights if berth[3] == "true" and rng.random() < 0.8 else None
        channel = pick(rng, {"Online": 38 if day.year == 2024 else 54, "Phone": 27, "VHF Radio": 19, "Walk-in": 15})
        stays.append([
            boat[0], berth[0], day, left, nights if left else None, max(1, round(rng.gauss(types[boat[2]][3], 1.1))),
            channel, money(fee), f"{power:.1f}" if power is not None else None,
            "false" if rng.random() < (0.4 if left is None else 0.06) else "true",
            rng.choice([3, 4, 4, 4, 5, 5, 5, 2, 1]) if left and rng.random() < 0.42 else None])
    stays.sort(key=lambda row: (row[2], row[1], row[0]))
    stays = [[70001 + number, *row] for number, row in enumerate(stays)]
    write(folder, "boats", ["boatId", "boatName", "boatType", "lengthM", "draughtM", "builtYear", "ownerName", "flagCountry",
                            "homePort", "isInsured"], boats)
    write(folder, "berths", ["berthId", "pontoon", "maxLengthM", "hasPower", "hasWater", "dailyRateEur"], berths)
    write(folder, "stays", ["stayId", "boatId", "berthId", "arrivedOn", "leftOn", "nights", "crewSize", "bookedVia", "feeEur",
                            "powerKwh", "isPaid", "stars"], stays)


# --- lift_service ---------------------------------------------------------

def lift_service(folder):
    rng = Random(91004)
    heads = ["Meridian", "Oakmont", "Harborview", "Lakeshore", "Union", "Crescent", "Wexford", "Pinnacle", "Beacon",
             "Franklin", "Sterling", "Whitman", "Granger", "Belmont", "Alder", "Carver"]
    tails = {"Office": ["Tower", "Plaza", "Center"], "Residential": ["Apartments", "Lofts", "Court"], "Hotel": ["Hotel", "Inn"],
             "Retail": ["Mall", "Galleria"], "Garage": ["Parking"], "Public": ["City Hall", "Courthouse", "Library"]}
    uses = {"Office": 34, "Residential": 36, "Hotel": 10, "Retail": 9, "Garage": 5, "Public": 6}
    districts = {"Downtown": 32, "Midtown": 24, "Waterfront": 16, "University": 15, "Eastgate": 13}
    bldgs, used = [], set()
    while len(bldgs) < 74:
        use = pick(rng, uses)
        name = f"{rng.choice(heads)} {rng.choice(tails[use])}"
        if name in used:
            continue
        used.add(name)
        district = pick(rng, districts)
        floors = {"Office": rng.randint(6, 38), "Residential": rng.randint(4, 24), "Hotel": rng.randint(6, 22)}.get(use, rng.randint(3, 8))
        bldgs.append([f"BL-{110 + 3 * len(bldgs)}", name, use, district, floors,
                      pick(rng, {"Cityline PM": 30, "Harcourt Mgmt": 24, "Bluestone": 19, "Owner-run": 15, None: 12})])
    makers = {"Otis": 31, "Schindler": 24, "Kone": 21, "Thyssen": 16, "Dover": 8}
    rough = {"Otis": 0.9, "Schindler": 1.0, "Kone": 0.8, "Thyssen": 1.15, "Dover": 2.0}
    lifts = []
    for building in bldgs:
        for _ in range(max(1, round(building[4] / rng.uniform(5, 10)))):
            maker = pick(rng, makers)
            year = rng.randint(1974, 1994) if maker == "Dover" else int(between(1979, rng.gauss(2005, 10), 2024))
            kind = pick(rng, {"Traction": 70, "MRL": 22, "Freight": 8} if building[4] > 8 else {"Hydraulic": 58, "MRL": 30, "Freight": 12})
            lifts.append([
                f"L{len(lifts) + 1:03d}", building[0], maker, kind, year,
                rng.choice([630, 800, 1000, 1000, 1275, 1600]) if kind != "Freight" else rng.choice([2000, 2500, 3200]),
                pick(rng, {"Full": 48, "Basic": 37, "Oil & Grease": 15}),
                f"{rng.choice([145, 165, 190, 210, 240, 285]) * (1.4 if building[4] > 20 else 1):.2f}",
                "Y" if year > 2008 or rng.random() < 0.3 else "N",
                day_between(rng, date(2024, 11, 1), date(2025, 7, 25)) if rng.random() < 0.91 else None])
    begin, end = datetime(2024, 1, 1), datetime(2025, 7, 31)
    worn = [rough[lift[2]] * (1 + max(0, 2025 - lift[4] - 12) * 0.05) * rng.lognormvariate(0, 0.6) for lift in lifts]
    for index in rng.sample(range(len(lifts)), 11):
        worn[index] = 0
    techs = {"R. Pacheco": 27, "D. Whitlock": 24, "S. Okonkwo": 20, "M. Brandvold": 17, "T. Nguyen": 12}
    faults = {"Door": 39, "Controller": 17, "Leveling": 14, "Button/Display": 12, "Drive": 8, "Power Loss": 6, "Vandalism": 4}
    calls = []
    for _ in range(1460):
        lift = rng.choices(lifts, weights=worn)[0]
        day = begin + timedelta(days=rng.randrange((end - begin).days + 1))
        if day.weekday() > 4 and rng.random() < 0.45:
            day -= timedelta(days=2)
        day = max(day, begin)
        told = day + timedelta(minutes=int(between(0, rng.gauss(13 * 60, 250), 1439)))
        fault = pick(rng, faults)
        trapped = rng.random() < {"Door": 0.12, "Controller": 0.2, "Leveling": 0.1, "Power Loss": 0.45, "Drive": 0.2}.get(fault, 0.01)
        level = "P1" if trapped else pick(rng, {"P2": 45, "P3": 55})
        wait = rng.gammavariate(3, {"P1": 11, "P2": 32, "P3": 70}[level])
        came = told + timedelta(minutes=int(wait) + 4)
        hours = rng.gammavariate(2, {"Door": 0.6, "Controller": 1.1, "Drive": 1.9, "Leveling": 0.8}.get(fault, 0.5)) + 0.2
        done = came + timedelta(minutes=int(hours * 60) + (rng.randint(1, 6) * 1440 if rng.random() < 0.07 else 0))
        cancelled = rng.random() < 0.035
        parts = None
        if rng.random() < 0.46:
            parts = money(rng.lognormvariate({"Door": 4.9, "Controller": 5.9, "Drive": 6.6}.get(fault, 4.2), 0.6))
        open_ = done > datetime(2025, 7, 31, 23, 59) or not cancelled and told > datetime(2025, 7, 10) and rng.random() < 0.2
        person = pick(rng, techs)
        calls.append([
            told, lift[0], level, fault if rng.random() < 0.97 else None, "Y" if trapped else "N",
            None if cancelled else person, None if cancelled else came, None if cancelled or open_ else done,
            None if cancelled or open_ else f"{hours:.1f}", None if cancelled or open_ else parts,
            "Cancelled" if cancelled else "Open" if open_ else "Closed",
            pick(rng, {"Y": 78, "N": 22}) if lift[6] == "Full" else pick(rng, {"Y": 35, "N": 65})])
    calls.sort(key=lambda row: (row[0], row[1]))
    stamp = lambda at: f"{at:%Y-%m-%d %H:%M}" if at else None
    calls = [[f"C{4001 + number}", row[1], stamp(row[0]), *row[2:6], stamp(row[6]), stamp(row[7]), *row[8:]]
             for number, row in enumerate(calls)]
    write(folder, "bldgs", ["bldg_cd", "bldg_nm", "bldg_use", "distr", "flrs", "mgmt_co"], bldgs)
    write(folder, "lifts", ["lift_no", "bldg_cd", "mfr", "lift_typ", "inst_yr", "cap_kg", "contr_typ", "mthly_fee_usd",
                            "emerg_phone", "last_svc_dt"], lifts)
    write(folder, "callouts", ["call_no", "lift_no", "rptd_at", "prio", "fault_cat", "entrapmt", "tech", "arrvd_at", "fixed_at",
                               "labor_hrs", "parts_usd", "stat", "covered"], calls)


if __name__ == "__main__":
    build_all((laundry, race_series, marina, lift_service))
