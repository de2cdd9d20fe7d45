"""Writes four datasets as CSV files: water_lab, lost_property, salon, garage.

    python3 make_benches.py OUTDIR      ->  OUTDIR/<dataset>/<table>.csv

Everything is invented, from fixed seeds, with the standard library alone.

    water_lab      samples; a laboratory's one wide table, Title Case with units in brackets
    lost_property  items; what was left in a city's trams and buses, one wide table, snake_case, yes/no
    salon          Clients, Appointments, ProductSales; PascalCase, true/false
    garage         veh, jobs, prt; a car workshop in abbreviations, Y/N
"""

from datetime import date, datetime, timedelta
from random import Random

from rows import between, build_all, day_at, days, distinct, pick, write


# --- water_lab ------------------------------------------------------------

def water_lab(folder):
    rng = Random(4101)
    sites = [  # site, type, district, client, weight
        ("Mill Lane Well", "Well", "Northfield", "Private", 5),
        ("Hobb's Farm Well", "Well", "Ashby Vale", "Private", 7),
        ("Rectory Well", "Well", "Ashby Vale", "Private", 4),
        ("St Anne's Primary", "Tap", "Northfield", "Municipality", 8),
        ("Town Hall Kitchen", "Tap", "Old Harbour", "Municipality", 9),
        ("Quayside Hotel", "Tap", "Old Harbour", "Business", 6),
        ("Cresta Bottling", "Spring", "Upper Dale", "Business", 11),
        ("Lark Spring", "Spring", "Upper Dale", "Municipality", 6),
        ("River Tarn at Weir", "River", "Northfield", "Municipality", 9),
        ("River Tarn at Ford", "River", "Ashby Vale", "Municipality", 7),
        ("Lido Main Pool", "Pool", "Old Harbour", "Municipality", 13),
        ("Lido Paddling Pool", "Pool", "Old Harbour", "Municipality", 10),
        ("Birch Spa", "Pool", "Upper Dale", "Business", 8),
    ]
    samplers = {"D. Okafor": 34, "M. Lindqvist": 27, "P. Vane": 20, "J. Serrano": 12}
    nitrate = {"Well": 31, "Tap": 14, "Spring": 7, "River": 19, "Pool": 9}
    turbid = {"Well": .9, "Tap": .3, "Spring": .4, "River": 6.5, "Pool": .5}
    hard = {"Northfield": 16, "Ashby Vale": 19, "Old Harbour": 12, "Upper Dale": 6}
    taken = []
    for day in days(date(2024, 2, 1), date(2025, 7, 18)):
        if day.weekday() < 5:
            load = 1.3 + (.7 if day.month in (6, 7, 8) else 0) - (.6 if day.weekday() == 4 else 0)
            taken += [day] * pick(rng, {0: 2.2 - load / 2, 1: 1.2, 2: load / 2, 3: load / 4})
    rows = []
    for n, day in enumerate(taken):
        site, kind, district, client, _ = rng.choices(sites, [s[4] for s in sites])[0]
        season = {12: 0, 1: 0, 2: 0, 3: .3, 4: .45, 5: .6, 6: .85, 7: 1, 8: 1, 9: .7, 10: .5, 11: .2}[day.month]
        if kind == "Pool":
            temp = rng.gauss(34 if site == "Birch Spa" else 27, .9)
        elif kind == "River":
            temp = rng.gauss(5 + 14 * season, 1.6)
        else:
            temp = rng.gauss(9 + 5 * season * (kind == "Tap"), 1.0)
        ph = rng.gauss({"Pool": 7.3, "River": 7.8, "Spring": 6.9}.get(kind, 7.5), .24)
        turbidity = turbid[kind] * rng.lognormvariate(0, .5)
        nitrates = nitrate[kind] * rng.lognormvariate(0, .35)
        chlorine = None
        if kind == "Pool":
            chlorine = round(between(.05, rng.gauss(.9, .4), 2.9), 2)
        elif kind == "Tap":
            chlorine = round(between(.02, rng.gauss(.22, .09), .6), 2)
        if kind == "River":
            coli = int(rng.lognormvariate(4.6 + season, .8))
        elif rng.random() < {"Well": .24, "Spring": .05, "Tap": .04, "Pool": .09}[kind]:
            coli = rng.randint(1, 38)
        else:
            coli = 0
        hardness = None if kind == "Pool" or rng.random() < .08 else round(rng.gauss(hard[district], 1.5), 1)
        rush = rng.random() < (.22 if client == "Business" else .09)
        received = day + timedelta(0 if rng.random() < .8 else 1)
        wait = rng.randint(1, 3) if rush else pick(rng, {3: 5, 4: 9, 5: 10, 6: 7, 7: 5, 8: 3, 10: 2, 13: 1})
        reported = received + timedelta(wait)
        if reported > date(2025, 7, 18) or rng.random() < .008:
            reported = None
        if kind == "River":
            passed = coli <= 500
        else:
            passed = coli == 0 and nitrates <= 50 and 6.5 <= ph <= 8.5 and (kind != "Pool" or .3 <= chlorine <= 1.5)
        fee = {"Well": 68, "Tap": 54, "Spring": 92, "River": 75, "Pool": 61}[kind]
        fee = round(fee * (1.5 if rush else 1) * (1.04 if day.year == 2025 else 1), 2)
        rows.append([
            f"W{24000 + n * 3 + rng.randint(0, 2)}", day, received, reported, site, kind, district, client,
            pick(rng, samplers), None if rng.random() < .04 else f"{temp:.1f}", f"{ph:.2f}", f"{turbidity:.2f}",
            f"{nitrates:.1f}", chlorine, coli, hardness, "Yes" if rush else "No", f"{fee:.2f}",
            None if reported is None else "Yes" if passed else "No",
        ])
    write(folder, "samples", [
        "Sample No", "Taken On", "Received On", "Reported On", "Site", "Site Type", "District", "Client Type",
        "Sampled By", "Water Temp (°C)", "pH", "Turbidity (NTU)", "Nitrate (mg/L)", "Free Chlorine (mg/L)",
        "E. Coli (CFU/100 mL)", "Hardness (°dH)", "Rush Order", "Fee (EUR)", "Passed",
    ], rows)


# --- lost_property --------------------------------------------------------

def lost_property(folder):
    rng = Random(7723)
    things = {  # category: weight, typical value, share returned, descriptions
        "umbrella": (17, 14, .12, ["folding umbrella", "long umbrella", "child's umbrella"]),
        "phone": (12, 290, .71, ["smartphone, cracked screen", "smartphone in case", "old button phone"]),
        "bag": (14, 55, .49, ["backpack", "handbag", "sports bag", "laptop bag", "tote bag"]),
        "clothing": (18, 28, .19, ["scarf", "gloves", "winter coat", "baseball cap", "rain jacket"]),
        "keys": (10, None, .38, ["bunch of keys", "car key", "single door key"]),
        "wallet": (8, 48, .77, ["leather wallet", "card holder", "coin purse"]),
        "glasses": (6, 85, .24, ["reading glasses", "sunglasses"]),
        "headphones": (6, 95, .21, ["wireless earbuds", "over-ear headphones"]),
        "toy": (4, 12, .3, ["teddy bear", "toy car", "doll"]),
        "instrument": (1.2, 420, .85, ["violin in case", "trumpet", "ukulele"]),
        "pushchair": (1.3, 160, .55, ["folding pushchair", "double pushchair"]),
    }
    lines = {  # line: mode, weight
        "T1": ("tram", 10), "T4": ("tram", 14), "T7": ("tram", 7), "M1": ("metro", 19), "M2": ("metro", 16),
        "12": ("bus", 6), "31": ("bus", 8), "47": ("bus", 5), "N3": ("night bus", 4),
    }
    stops = {"Central Station": 9, "Market Square": 6, "University": 5, "Harbour": 3, "Zoo": 2}
    finders = {"driver": 40, "cleaner": 27, "passenger": 21, "security": 9}
    colours = {"black": 38, "blue": 15, "grey": 13, "red": 9, "brown": 9, "green": 6, "white": 5, "pink": 3}
    last = datetime(2025, 10, 12, 18, 0)
    found = []
    for day in days(date(2025, 1, 2), date(2025, 10, 12)):
        mean = 2.7 + (1.1 if day.month in (1, 2, 9, 10) else 0) - (1.0 if day.weekday() == 6 else 0) \
            + (.9 if day.weekday() == 4 else 0)
        for _ in range(int(between(0, rng.gauss(mean, 1.5), 9))):
            hour = pick(rng, {5: 1, 6: 3, 7: 8, 8: 11, 9: 6, 10: 4, 11: 4, 12: 5, 13: 5, 14: 5, 15: 7, 16: 9,
                              17: 12, 18: 10, 19: 6, 20: 4, 21: 4, 22: 4, 23: 3})
            found.append(day_at(day, hour, rng.randint(0, 59), rng.randint(0, 59)))
    found = sorted(moment for moment in found if moment <= last)
    rows = []
    for n, moment in enumerate(found, 1):
        category = pick(rng, {name: thing[0] for name, thing in things.items()})
        _, typical, back, texts = things[category]
        if rng.random() < .17:
            line, mode, place = None, None, pick(rng, stops)
        else:
            line = pick(rng, {name: one[1] for name, one in lines.items()})
            mode, place = lines[line][0], "on board"
        value = None
        if typical and rng.random() > .11:
            value = round(between(2, typical * rng.lognormvariate(0, .5), 1400))
            value = value if value < 40 else round(value / 5) * 5
        returned = None
        if rng.random() < back:
            returned = moment.date() + timedelta(pick(rng, {0: 2, 1: 9, 2: 12, 3: 10, 4: 7, 6: 6, 9: 5, 15: 4, 24: 3, 40: 1, 62: 1}))
            if returned > last.date():
                returned = None
        age = (last.date() - moment.date()).days
        posted = returned is not None and rng.random() < .16
        if returned:
            status, fee = "returned", (5 if (value or 0) < 100 else 10) + (7.5 if posted else 0)
        elif age > 180:
            status, fee = ("auctioned" if (value or 0) >= rng.randint(20, 60) else "disposed"), None
        else:
            status, fee = "in storage", None
        asked = returned is not None or rng.random() < .08
        rows.append([
            f"LP-{n:05d}", moment.isoformat(), category, rng.choice(texts),
            None if rng.random() < .13 else pick(rng, colours), mode, line, place, pick(rng, finders),
            value, "yes" if (value or 0) >= 100 else "no", "yes" if asked else "no", status, returned,
            "yes" if posted else "no", None if fee is None else f"{fee:.2f}",
            None if status != "in storage" else rng.choice("ABCDE") + str(rng.randint(1, 12)),
        ])
    write(folder, "items", [
        "item_id", "found_at", "category", "description", "colour", "transport_mode", "line", "found_place",
        "handed_in_by", "estimated_value", "valuable", "owner_enquired", "status", "returned_on", "sent_by_post",
        "collection_fee", "shelf",
    ], rows)


# --- salon ----------------------------------------------------------------

def salon(folder):
    rng = Random(9038)
    women = ("Aoife Carla Dana Elena Fiona Grace Hanna Ines Jodie Katya Lena Mira Nadia Orla Petra Rosa Sofia Tamsin "
             "Una Vera Wanda Yasmin Zoë Beth Chloe").split()
    men = "Adam Boris Callum Dario Ewan Felix Gareth Hugo Ivan Jonas Karim Leo Marek Niall Oscar".split()
    family = ("Ahern Bauer Castillo Duarte Egan Farrow Greaves Horvat Ivers Janssen Keane Lowe Marsh Novak O'Dowd "
              "Pereira Quigley Rourke Silva Tobin Ulrich Walsh Yilmaz Zeller Brandt Coyle").split()
    stylists = {"Bianca": 30, "Tomasz": 25, "Shauna": 20, "Rafe": 13, "Ikuko": 9}
    towns = {"Kilmore": 44, "Dunhaven": 23, "Ballyreagh": 16, "Port Easky": 10, "Carrow": 5}
    services = {  # minutes, price, weight women, weight men
        "Cut & Blow Dry": (60, 52, 30, 2), "Men's Cut": (30, 28, 0, 40), "Full Colour": (120, 96, 12, 1),
        "Highlights": (150, 128, 10, 1), "Root Touch-Up": (75, 64, 14, 0), "Fringe Trim": (15, 12, 7, 0),
        "Beard Trim": (20, 16, 0, 12), "Upstyle": (75, 70, 4, 0), "Keratin Treatment": (180, 185, 2, 0),
    }
    clients, keen, sexes, seen = [], {}, {}, set()
    for n in range(1, 237):
        woman = rng.random() < .68
        while True:
            name = (rng.choice(women if woman else men), rng.choice(family))
            if name not in seen:
                break
        seen.add(name)
        joined = date(2021, 5, 3) + timedelta(int(1480 * rng.random() ** .8))
        born = date(1946, 1, 1) + timedelta(int(between(rng.randint(0, 900), rng.gauss(14000, 5200), rng.randint(21500, 22800))))
        code = f"C{1000 + n}"
        clients.append([
            code, *name, "F" if woman else "M", None if rng.random() < .14 else born, pick(rng, towns), joined,
            None if rng.random() < .21 else pick(rng, {"Friend": 40, "Instagram": 26, "Google": 19, "Flyer": 7}),
            "true" if rng.random() < .43 else "false",
        ])
        keen[code] = 0 if rng.random() < .07 else rng.lognormvariate(0, .75)
        sexes[code] = woman
    joined_on = {client[0]: client[6] for client in clients}
    visits = []
    for day in days(date(2024, 9, 3), date(2025, 8, 23)):
        if day.weekday() in (0, 6) or (day.month, day.day) in ((12, 25), (12, 26), (1, 1)):
            continue
        mean = {1: 3.2, 2: 3.8, 3: 4.2, 4: 5.0, 5: 6.1}[day.weekday()] + (1.5 if day.month == 12 else 0)
        known = {code: weight for code, weight in keen.items() if joined_on[code] <= day}
        for _ in range(int(between(1, rng.gauss(mean, 1.3), 10))):
            code = pick(rng, known)
            service = pick(rng, {name: one[2 if sexes[code] else 3] for name, one in services.items()})
            minutes, price = services[service][:2]
            start = day_at(day, pick(rng, {9: 6, 10: 9, 11: 8, 12: 5, 13: 4, 14: 7, 15: 7, 16: 8, 17: 6, 18: 3}),
                           rng.choice([0, 0, 15, 30, 30, 45]))
            stylist = pick(rng, stylists)
            via = pick(rng, {"Online": 46, "Phone": 33, "Walk-In": 14, "Instagram": 6})
            missed = via != "Walk-In" and rng.random() < (.1 if via == "Online" else .05)
            paid = tip = None
            if not missed:
                paid = price * (1.06 if start.year == 2025 else 1) + (6 if stylist == "Bianca" else 0)
                paid = round(paid * (1 if rng.random() < .86 else .85) * 2) / 2
                if rng.random() < .52:
                    tip = pick(rng, {2: 6, 3: 3, 4: 2, 5: 9, 10: 3, 15: 1})
            first = rng.random() < .5
            visits.append([start, code, stylist, service, minutes + (0 if first else rng.choice([0, 0, 5, 10])), via,
                           "true" if missed else "false", None if paid is None else f"{paid:.2f}", tip,
                           None if missed else pick(rng, {"Card": 71, "Cash": 20, "Voucher": 7})])
    visits.sort(key=lambda row: row[0])
    visits = [[40001 + n, f"{row[0]:%Y-%m-%d %H:%M}", *row[1:]] for n, row in enumerate(visits)]
    shelf = {  # product: brand, price, weight
        "Argan Oil 50ml": ("Luma", 24.5, 8), "Repair Shampoo": ("Luma", 18, 14), "Repair Conditioner": ("Luma", 19, 11),
        "Sea Salt Spray": ("Tidal", 15.5, 9), "Matte Clay": ("Tidal", 14, 10), "Beard Balm": ("Tidal", 13, 5),
        "Curl Cream": ("Noor", 22, 6), "Scalp Serum": ("Noor", 34, 4), "Wide-Tooth Comb": ("Basics", 6.5, 7),
        "Silk Scrunchie": ("Basics", 5, 8),
    }
    done = [row for row in visits if row[7] == "false"]
    sales = []
    for row in rng.sample(done, 265):
        sales.append([row[1][:10], row[2], row[3]])
    open_days = sorted({row[1][:10] for row in visits})
    for _ in range(58):
        sales.append([rng.choice(open_days), None, pick(rng, stylists)])
    sales.sort(key=lambda row: row[0])
    lines = []
    for n, (day, code, stylist) in enumerate(sales, 1):
        product = pick(rng, {name: one[2] for name, one in shelf.items()})
        brand, price, _ = shelf[product]
        lines.append([n, day, code, product, brand, pick(rng, {1: 78, 2: 17, 3: 5}), f"{price:.2f}", stylist])
    write(folder, "Clients", ["ClientId", "FirstName", "LastName", "Gender", "BirthDate", "Town", "JoinedOn",
                              "HeardFrom", "Newsletter"], clients)
    write(folder, "Appointments", ["AppointmentId", "StartTime", "ClientId", "Stylist", "Service", "DurationMin",
                                   "BookedVia", "NoShow", "AmountPaid", "Tip", "PaymentMethod"], visits)
    write(folder, "ProductSales", ["SaleId", "SoldOn", "ClientId", "Product", "Brand", "Quantity", "UnitPrice",
                                   "SoldBy"], lines)


# --- garage ---------------------------------------------------------------

def garage(folder):
    rng = Random(5560)
    models = {  # make: models, weight
        "Skoda": (["Octavia", "Fabia", "Superb"], 17), "Ford": (["Focus", "Fiesta", "Transit"], 19),
        "VW": (["Golf", "Polo", "Caddy"], 21), "Toyota": (["Yaris", "Corolla"], 12), "Renault": (["Clio", "Kangoo", "Zoe"], 11),
        "Opel": (["Corsa", "Astra"], 9), "Volvo": (["V60", "XC40"], 6), "Fiat": (["Panda", "500"], 5),
    }
    people = ("Abbott Becker Conti Dvorak Ellis Fournier Garnett Hale Iversen Jarvis Kowal Larsen Meyer Nagy Orton "
              "Pavlov Quist Rossi Sauer Tran Underhill Voss Weber Young Zanetti").split()
    firms = ["Brightline Cleaning", "Delta Couriers", "Fenn & Sons Roofing", "Hillside Catering", "Nordic Lifts", "Sunrise Care"]
    plates = distinct(lambda: "".join(rng.choice("BCDFGHJKLMNPRSTVWXZ") for _ in range(3)) + f"-{rng.randint(100, 999)}")
    veh = []
    for n in range(1, 185):
        make = pick(rng, {name: one[1] for name, one in models.items()})
        model = rng.choice(models[make][0])
        firm = rng.random() < .24 or model in ("Transit", "Kangoo", "Caddy") and rng.random() < .5
        year = int(between(2003, rng.gauss(2015.5, 4.2), 2024))
        fuel = "E" if model == "Zoe" else pick(rng, {"P": 52, "D": 36, "H": 9 if year > 2014 else 0, "E": 4 if year > 2018 else 0})
        plate = next(plates)
        km = int(between(3000, (2025.5 - year) * rng.gauss(22000 if firm else 13500, 3500), rng.randint(330000, 390000)))
        veh.append([
            f"V{n:03d}", plate, make, model, year, None if rng.random() < .05 else fuel, km,
            rng.choice(firms) if firm else f"{rng.choice('ABCDEFGHJKLMPRST')}. {rng.choice(people)}", "CO" if firm else "PRIV",
            None if rng.random() < .12 else f"0{rng.randint(600, 699)} {rng.randint(100000, 999999)}",
        ])
    kinds = {  # type: hours, weight
        "SVC": (2.2, 30), "BRK": (2.6, 17), "TYR": (1.1, 18), "INSP": (.9, 15), "ENG": (6.5, 7),
        "ELEC": (2.9, 9), "BODY": (8.5, 5), "EXH": (1.9, 5),
    }
    rates = {"Kurt": 78, "Ayla": 78, "Stan": 72, "Jo": 64, "Milo": 52}
    parts = {  # part: price, types
        "oil filter": (11.9, "SVC"), "engine oil 5W30 1L": (9.4, "SVC"), "air filter": (17.5, "SVC"), "cabin filter": (21, "SVC"),
        "brake pads set": (58, "BRK"), "brake disc": (74, "BRK"), "brake fluid 1L": (12.5, "BRK"), "summer tyre": (82, "TYR"),
        "winter tyre": (94, "TYR"), "valve": (3.2, "TYR"), "wiper blade": (13.8, "INSP"), "bulb H7": (8.9, "INSP"),
        "timing belt kit": (168, "ENG"), "water pump": (96, "ENG"), "spark plug": (10.6, "ENG"), "battery 70Ah": (119, "ELEC"),
        "alternator": (285, "ELEC"), "fuse": (1.4, "ELEC"), "bumper": (240, "BODY"), "wing mirror": (88, "BODY"),
        "rear silencer": (132, "EXH"), "exhaust clamp": (6.7, "EXH"),
    }
    dealer = {"SVC": "Autoteile Kern", "BRK": "Brembach", "TYR": "Reifen Nord", "INSP": "Autoteile Kern", "ENG": "Motorix",
              "ELEC": "PartsHub", "BODY": "PartsHub", "EXH": "Motorix"}
    supplier = {name: dealer[part[1]] for name, part in parts.items()}
    weight = {row[0]: rng.lognormvariate(0, .6) * (1.7 if row[8] == "CO" else 1) for row in veh[:-9]}
    last = date(2025, 5, 27)
    jobs, lines = [], []
    for day in days(date(2024, 1, 8), last):
        if day.weekday() > 4 or (day.month == 12 and day.day > 23) or (day.month == 1 and day.day < 3):
            continue
        mean = 1.75 + (1.3 if day.month in (4, 10, 11) else 0) + (.5 if day.weekday() == 0 else 0)
        for _ in range(int(between(0, rng.gauss(mean, 1.0) + .5, 7))):
            tyres = 3 if day.month in (4, 10, 11) else .6
            kind = pick(rng, {name: one[1] * (tyres if name == "TYR" else 1) for name, one in kinds.items()})
            hours = round(between(.25, kinds[kind][0] * rng.lognormvariate(0, .33), 24) * 4) / 4
            hours = max(hours, .25)
            mech = pick(rng, {"Kurt": 28, "Ayla": 26, "Stan": 21, "Jo": 16, "Milo": 9})
            stay = pick(rng, {"ENG": {1: 2, 2: 4, 3: 5, 5: 3, 8: 1}, "BODY": {2: 2, 4: 4, 6: 4, 9: 2}}.get(
                kind, {0: 12, 1: 6, 2: 2, 4: 1}))
            done = day + timedelta(stay)
            done += timedelta({5: 2, 6: 1}.get(done.weekday(), 0))
            car = pick(rng, weight)
            warranty = rng.random() < .06
            paid = None
            if done > last or day > last - timedelta(9) and rng.random() < .3:
                done = None
            elif not warranty and rng.random() > .04:
                firm = next(row for row in veh if row[0] == car)[8] == "CO"
                paid = done + timedelta(pick(rng, {7: 2, 14: 5, 21: 4, 30: 5, 44: 2, 60: 1} if firm else
                                             {0: 14, 1: 3, 5: 2, 12: 1}))
                paid = paid if paid <= last else None
            number = 7001 + len(jobs)
            jobs.append([
                number, car, day, done, kind, mech, rng.randint(1, 4), f"{hours:.2f}",
                f"{0 if warranty else hours * rates[mech]:.2f}", "Y" if warranty else "N", paid,
                None if done is None or rng.random() < .42 else pick(rng, {5: 48, 4: 30, 3: 12, 2: 6, 1: 4}),
            ])
            fitting = [name for name, part in parts.items() if part[1] == kind]
            for name in rng.sample(fitting, rng.randint(0 if kind in ("INSP", "ELEC") else 1, min(3, len(fitting)))):
                count = {"engine oil 5W30 1L": rng.randint(3, 6), "summer tyre": rng.choice([2, 4, 4]),
                         "winter tyre": rng.choice([2, 4, 4]), "valve": 4, "spark plug": rng.choice([3, 4]), "brake disc": 2,
                         "wiper blade": rng.choice([1, 2]), "fuse": rng.randint(1, 4), "bulb H7": rng.choice([1, 2]),
                         "exhaust clamp": rng.choice([1, 2])}.get(name, 1)
                price = parts[name][0] * (1.05 if day.year == 2025 else 1)
                lines.append([len(lines) + 1, number, name, supplier[name], count, f"{price:.2f}", "Y" if rng.random() < .13 else "N"])
    write(folder, "veh", ["veh_id", "reg_no", "mk", "mdl", "yr_blt", "fuel", "km", "cust_nm", "cust_tp", "tel"], veh)
    write(folder, "jobs", ["job_no", "veh_id", "in_dt", "out_dt", "job_tp", "mech", "bay", "lab_hrs", "lab_amt",
                           "wrnty", "pd_dt", "rtg"], jobs)
    write(folder, "prt", ["ln_no", "job_no", "prt_nm", "sup", "qty", "unt_prc", "bk_ord"], lines)


if __name__ == "__main__":
    build_all((water_lab, lost_property, salon, garage))
