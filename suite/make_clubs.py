"""Writes four more datasets of the question suite as CSV files.

    python3 make_clubs.py OUTDIR      ->  OUTDIR/<dataset>/<table>.csv

Everything is invented here, from one fixed seed, with the standard library
alone: the same rows every time.

    library    branches, catalogue, members, loans; snake_case, abbreviations, Y/N
    roastery   green_lots, roasts, shipments; Title Case headers with units in brackets
    parking    tickets; one wide table, PascalCase, timestamps, TRUE/FALSE
    chess      players, events, games; two keys to the same table, short names
"""

from datetime import date, datetime, timedelta

from rows import build_all, generators, pick, maybe, money, names, day_between, write

generator = generators(20260902)


# --- library --------------------------------------------------------------

BRANCHES = [
    ["CEN", "Central Library", "Old Centre", 3200, 240, date(1931, 5, 2), "Y"],
    ["RIV", "Riverside", "Docklands", 980, 76, date(1987, 9, 14), "Y"],
    ["NOR", "Northfield", "Northfield", 640, 48, date(1974, 3, 11), "N"],
    ["STA", "St Anne's", "Old Centre", 410, 30, date(1958, 10, 6), "N"],
    ["HIL", "Hillcrest", "Eastern Suburbs", 1150, 88, date(2016, 6, 25), "Y"],
    ["MOB", "Mobile Library", "", 22, "", date(2009, 4, 1), "N"],
]
BOOK_GENRES = {
    # genre: (weight, mean pages, first words, last words)
    "Crime": (22, 350, ("Death", "Murder", "A Body", "The Last Witness", "Poison"),
              ("at Low Tide", "in the Vicarage", "on Platform Nine", "After Midnight", "by Post")),
    "Fantasy": (14, 510, ("The Dragon", "A Crown", "The Ember King", "The Stolen Moon"),
                ("of Thorns", "of Hollow Hill", "and the Salt Sea", "Without a Name")),
    "Romance": (13, 320, ("A Summer", "Letters", "One Winter", "The Tea Room"),
                ("in Tuscany", "for Eleanor", "by the Lake", "on Harbour Street")),
    "Children's": (20, 64, ("The Grumpy Badger", "Milly Mouse", "The Little Tractor",
                            "Captain Biscuit", "Oscar Owl"),
                   ("Goes Swimming", "and the Big Storm", "Finds a Friend", "Bakes a Cake")),
    "History": (9, 430, ("A History", "The Fall", "Lost Roads", "The Women"),
                ("of the Canal Age", "of Byzantium", "of the Silk Trade", "of 1848")),
    "Biography": (8, 390, ("The Life", "The Making", "The Secret Diaries"),
                  ("of a Botanist", "of Ada Moorcroft", "of a Polar Captain")),
    "Cookery": (6, 230, ("Simple Suppers", "Baking", "One Pot"),
                ("for Two", "with Rye", "from the Garden")),
    "Travel": (4, 280, ("Slow Trains", "On Foot", "A Year"), ("to Samarkand", "through Galicia")),
    "Graphic Novel": (5, 180, ("Night Courier", "Robot Harbour", "The Paper Girl"),
                      ("Vol. 1", "Vol. 2", "Vol. 3")),
    "Poetry": (3, 110, ("Small Weather", "Songs"), ("and Other Poems", "from the Estuary")),
}
AUTHOR_FIRST = ("Helen", "Marcus", "Ingrid", "Tom", "Aisha", "Piotr", "Laura", "Desmond", "Yuki")
AUTHOR_LAST = ("Blackwood", "Okafor", "Lindqvist", "Marsh", "Petrov", "Delgado", "Finch", "Abbott")


def library_catalogue(rng):
    people = names(rng, AUTHOR_FIRST, AUTHOR_LAST, 44)
    by_genre = {genre: rng.sample(people, 7) for genre in BOOK_GENRES}
    titles = [(genre, f"{a} {b}") for genre, (_, _, first, last) in BOOK_GENRES.items()
              for a in first for b in last]
    rng.shuffle(titles)
    for number, (genre, title) in enumerate(titles, 1):
        _, pages, _, _ = BOOK_GENRES[genre]
        form = pick(rng, {"Paperback": 52, "Hardcover": 22, "Audiobook": 11, "DVD": 6,
                          "Large Print": 9})
        price = {"Paperback": 9.5, "Hardcover": 19, "Audiobook": 24, "DVD": 14,
                 "Large Print": 17}[form] * rng.uniform(0.8, 1.4)
        yield [
            f"IT{number:04}", title, maybe(rng, 0.03, rng.choice(by_genre[genre])), genre, form,
            pick(rng, {"English": 78, "Spanish": 8, "Polish": 7, "French": 4, "Arabic": 3}),
            maybe(rng, 0.03, min(2025, 2025 - int(rng.expovariate(1 / 11)))),
            "" if form in ("Audiobook", "DVD") else max(24, round(rng.gauss(pages, pages * 0.2))),
            money(price), pick(rng, {1: 34, 2: 30, 3: 18, 4: 10, 6: 8}),
        ]


def library_members(rng):
    homes = {"CEN": 40, "RIV": 18, "NOR": 14, "STA": 8, "HIL": 16, "MOB": 4}
    for number in range(360):
        kind = pick(rng, {"Adult": 48, "Child": 22, "Student": 14, "Senior": 16})
        born = {"Adult": (1961, 2002), "Child": (2011, 2020), "Student": (1999, 2008),
                "Senior": (1936, 1960)}[kind]
        yield [
            700100 + number * 7, day_between(rng, date(2012, 1, 9), date(2025, 8, 30)),
            maybe(rng, 0.04, rng.randint(*born)), kind,
            rng.choice(("KT1 4", "KT2 9", "KT3 1", "KT5 2", "KT6 7")),
            pick(rng, {"Y": 58, "N": 42}), maybe(rng, 0.05, pick(rng, homes)),
        ]


def library_loans(rng, items, members):
    first, last = date(2024, 7, 1), date(2025, 9, 14)
    keen = [rng.paretovariate(1.5) for _ in members]
    liked = [BOOK_GENRES[item[3]][0] ** 0.4 * rng.paretovariate(2.2) for item in items]
    days = sorted(day_between(rng, first, last) for _ in range(2700))
    days[-1] = last
    for number, out in enumerate(days, 1):
        if out.weekday() == 6 and rng.random() < 0.7:
            out -= timedelta(days=1)
        member = rng.choices(members, weights=keen)[0]
        item = rng.choices(items, weights=liked)[0]
        branch = member[6] if member[6] and rng.random() < 0.8 else pick(
            rng, {"CEN": 50, "RIV": 18, "NOR": 10, "STA": 7, "HIL": 15})
        renewals = pick(rng, {0: 72, 1: 18, 2: 7, 3: 3})
        due = out + timedelta(days=(7 if item[4] == "DVD" else 21) + 14 * renewals)
        back = due + timedelta(days=round(rng.gauss(-5, 6)) if rng.random() < 0.85
                               else round(rng.expovariate(1 / 14)))
        back = max(back, out + timedelta(days=1))
        lost = back > last or rng.random() < 0.012
        late = max(0, (back - due).days)
        yield [
            50000 + number, member[0], item[0], branch, out, due, "" if lost else back, renewals,
            "" if lost else money(min(12, 0.25 * late)),
            pick(rng, {"Self-service": 56, "Desk": 33, "App": 11}),
        ]


def library(folder):
    items = list(library_catalogue(generator("catalogue")))
    members = list(library_members(generator("members")))
    loans = library_loans(generator("loans"), items, members)
    write(folder, "branches", ["branch_code", "branch_name", "district", "floor_sqm", "seats",
                               "opened", "sunday_open"], BRANCHES)
    write(folder, "catalogue", ["item_id", "title", "author", "genre", "format", "lang", "pub_yr",
                                "pages", "purchase_price_eur", "copies"], items)
    write(folder, "members", ["card_no", "joined", "birth_yr", "member_type", "postcode",
                              "email_optin", "home_branch"], members)
    write(folder, "loans", ["loan_id", "card_no", "item_id", "branch_code", "loan_date",
                            "due_date", "return_date", "renewals", "fine_eur", "checkout_via"],
          loans)


# --- roastery -------------------------------------------------------------

ORIGINS = {
    # origin: (weight, farms, processes, altitude, price, cup score)
    "Ethiopia": (8, ("Guji Highland", "Yirga Station", "Sidama Union"), ("Washed", "Natural"),
                 1980, 7.4, 87.2),
    "Colombia": (9, ("Finca El Roble", "La Esperanza", "Huila Growers"), ("Washed", "Honey"),
                 1720, 6.1, 85.1),
    "Brazil": (7, ("Fazenda Boa Vista", "Santa Clara"), ("Natural", "Pulped Natural"),
               1090, 4.6, 82.6),
    "Guatemala": (5, ("Finca San Luis", "Antigua Coop"), ("Washed",), 1610, 6.0, 84.8),
    "Kenya": (4, ("Kiambu Mill", "Nyeri Hill"), ("Washed",), 1790, 8.3, 88.1),
    "Costa Rica": (4, ("Tarrazu Verde",), ("Honey", "Washed"), 1660, 6.9, 86.0),
    "Indonesia": (3, ("Gayo Cooperative",), ("Wet-hulled",), 1380, 5.4, 82.9),
}
CUSTOMERS = (
    # name, type, city, weight
    ("Blue Door Cafe", "Cafe", "Portland", 10), ("Corner Cup", "Cafe", "Seattle", 8),
    ("The Daily Grind", "Cafe", "Portland", 7), ("Foxglove Bakery", "Cafe", "Eugene", 5),
    ("Harbor Coffee Bar", "Cafe", "Tacoma", 5), ("Night Owl Espresso", "Cafe", "Seattle", 6),
    ("Sunrise Diner", "Restaurant", "Salem", 4), ("Trattoria Nonna", "Restaurant", "Portland", 4),
    ("Hotel Cascade", "Hotel", "Seattle", 5), ("Pine Lodge", "Hotel", "Bend", 3),
    ("Green Basket Market", "Grocery", "Eugene", 8), ("Northside Co-op", "Grocery", "Seattle", 7),
    ("Whole Pantry", "Grocery", "Boise", 4), ("Office Perks Inc", "Office", "Portland", 6),
    ("Lumen Software", "Office", "Seattle", 4), ("Basecamp Outfitters", "Office", "Bend", 2),
    ("Web Store", "Online", "", 12),
)
LEVELS = {
    # level: (weight, loss, drop temp, minutes, price per kg)
    "Light": (26, 0.128, 206, 10.4, 24), "Medium": (38, 0.148, 213, 11.6, 21),
    "Medium-Dark": (22, 0.165, 220, 12.7, 20), "Dark": (14, 0.185, 226, 13.8, 18.5),
}
MACHINES = {"Probat 12": (12, 46), "Loring S15": (15, 38), "Giesen W6": (6, 16)}


def roastery_lots(rng):
    order = [origin for origin, row in ORIGINS.items() for _ in range(row[0])]
    rng.shuffle(order)
    arrivals = sorted(day_between(rng, date(2024, 1, 8), date(2025, 9, 22)) for _ in order)
    for number, (origin, arrived) in enumerate(zip(order, arrivals), 1):
        _, farms, processes, altitude, price, score = ORIGINS[origin]
        yield [
            f"GL-{number:03}", origin, rng.choice(farms),
            rng.choice(("Caturra", "Bourbon", "Heirloom", "Typica", "SL28")),
            rng.choice(processes), maybe(rng, 0.08, int(round(rng.gauss(altitude, 110), -1))),
            arrived, rng.choice((5, 8, 10, 12, 15, 20, 30)),
            60 if origin != "Colombia" else 70, money(price * rng.uniform(0.85, 1.25)),
            maybe(rng, 0.06, f"{round(rng.gauss(score, 1.1) * 4) / 4:.2f}"),
            pick(rng, {"Yes": 36, "No": 64}),
        ]


def roastery_roasts(rng, lots):
    first, last = date(2024, 6, 3), date(2025, 10, 17)
    days = []
    while len(days) < 690:
        day = day_between(rng, first, last)
        if day.weekday() < 5:
            days.append(day)
    days.sort()
    for number, day in enumerate(days, 1):
        ready = [lot for lot in lots if lot[6] <= day - timedelta(days=4)][-22:]
        lot = rng.choices(ready, weights=[5 + row[7] for row in ready])[0]
        level = pick(rng, {name: row[0] for name, row in LEVELS.items()})
        _, loss, drop, minutes, _ = LEVELS[level]
        machine = pick(rng, {name: row[1] for name, row in MACHINES.items()})
        green = MACHINES[machine][0] * rng.choice((0.6, 0.75, 0.9, 1.0, 1.0))
        passed = pick(rng, {"Yes": 91, "No": 6, "": 3})
        yield [
            4000 + number, lot[0], day, machine,
            pick(rng, {"Maya": 38, "Jonas": 30, "Priya": 22, "Curtis": 10}),
            f"{green:.1f}", f"{green * (1 - rng.gauss(loss, 0.009)):.2f}", level,
            maybe(rng, 0.04, round(rng.gauss(drop, 2.2))), f"{rng.gauss(minutes, 0.7):.1f}", passed,
        ]


def roastery_shipments(rng, roasts):
    last = date(2025, 10, 24)
    rows = []
    for roast in roasts:
        if roast[10] == "No":
            continue
        left = float(roast[6])
        for _ in range(pick(rng, {1: 22, 2: 46, 3: 32})):
            weight = min(left, rng.choice((1, 2, 2.5, 3, 4, 5, 6)))
            if weight < 0.5:
                break
            left -= weight
            name, kind, city, _ = rng.choices(CUSTOMERS, weights=[row[3] for row in CUSTOMERS])[0]
            sent = roast[2] + timedelta(days=rng.randint(1, 12))
            if sent > last:
                continue
            carrier = pick(rng, {"UPS": 40, "FedEx": 26, "USPS": 14, "Own van": 20})
            days = {"UPS": 3, "FedEx": 2.6, "USPS": 4.4, "Own van": 0.6}[carrier]
            there = sent + timedelta(days=max(0, round(rng.gauss(days, 1.1))))
            price = LEVELS[roast[7]][4] * {"Online": 1.45, "Cafe": 1.0, "Restaurant": 1.05,
                                           "Hotel": 1.0, "Grocery": 0.94, "Office": 1.1}[kind]
            freight = {"UPS": 6.5, "FedEx": 8.2, "USPS": 5.1, "Own van": 2.4}[carrier]
            rows.append([
                roast[0], name, kind,
                city or rng.choice(("Portland", "Seattle", "Boise", "Spokane", "Eugene")), sent,
                there if there <= last else "", f"{weight:.2f}",
                money(weight * price * rng.uniform(0.94, 1.08)), carrier,
                maybe(rng, 0.03, money(freight + weight * rng.uniform(0.5, 1.1))),
            ])
    rows.sort(key=lambda row: row[4])
    for number, row in enumerate(rows, 1):
        yield [f"SH{number:05}", *row]


def roastery(folder):
    lots = list(roastery_lots(generator("lots")))
    roasts = list(roastery_roasts(generator("roasts"), lots))
    shipments = roastery_shipments(generator("shipments"), roasts)
    write(folder, "green_lots", ["Lot", "Origin", "Farm", "Variety", "Process", "Altitude (m)",
                                 "Arrival Date", "Bags", "Bag Weight (kg)", "Price per kg (USD)",
                                 "Cup Score", "Organic"], lots)
    write(folder, "roasts", ["Batch No", "Lot", "Roast Date", "Machine", "Operator",
                             "Green In (kg)", "Roasted Out (kg)", "Roast Level", "Drop Temp (C)",
                             "Roast Time (min)", "QC Passed"], roasts)
    write(folder, "shipments", ["Shipment ID", "Batch No", "Customer", "Customer Type", "City",
                                "Ship Date", "Delivered On", "Weight (kg)", "Revenue (USD)",
                                "Carrier", "Freight Cost (USD)"], shipments)


# --- parking --------------------------------------------------------------

ZONES = {
    "Downtown": (38, ("Main St", "Court Ave", "2nd St", "Liberty St", "Exchange Pl")),
    "Waterfront": (18, ("Pier Rd", "Harbor Dr", "Ferry St")),
    "University": (22, ("College Ave", "Campus Dr", "Elm St", "Stadium Way")),
    "Hospital District": (13, ("Mercy Blvd", "Park Ave")),
    "Old Mill": (9, ("Mill Rd", "Canal St")),
}
VIOLATIONS = {
    # violation: (weight, fine, chance of a tow)
    "Expired meter": (44, 30, 0.0), "No permit": (17, 45, 0.01), "Street sweeping": (13, 50, 0.02),
    "Double parking": (7, 75, 0.05), "Blocked driveway": (5, 90, 0.35),
    "Fire hydrant": (5, 110, 0.3), "Bus lane": (6, 100, 0.12), "Disabled bay": (3, 250, 0.25),
}
MAKES = {"Toyota": 20, "Honda": 16, "Ford": 17, "Chevrolet": 12, "Subaru": 9, "Nissan": 8,
         "BMW": 6, "Tesla": 5, "Volkswagen": 7}


def parking_tickets(rng):
    first, last = date(2025, 1, 2), date(2025, 11, 23)
    days = [first + timedelta(days=index) for index in range((last - first).days + 1)]
    load = [(1.0, 1.05, 1.1, 1.1, 1.25, 0.8, 0.25)[day.weekday()]
            * (1.15 if day.month in (9, 10) else 0.8 if day.month in (1, 7) else 1.0)
            for day in days]
    hours = [0, 0, 0, 0, 0, 0, 1, 6, 12, 14, 13, 12, 10, 12, 13, 12, 11, 8, 4, 2, 2, 1, 0, 0]
    moments = sorted(
        datetime.combine(day, datetime.min.time()) + timedelta(
            hours=rng.choices(range(24), weights=hours)[0], minutes=rng.randrange(60))
        for day in rng.choices(days, weights=load, k=2650))
    number = 88000
    for at in moments:
        number += rng.randint(1, 4)
        zone = pick(rng, {name: row[0] for name, row in ZONES.items()})
        offence = pick(rng, {name: row[0] for name, row in VIOLATIONS.items()})
        _, fine, tow = VIOLATIONS[offence]
        status = pick(rng, {"Paid": 68, "Open": 15, "Dismissed": 7, "Under appeal": 4,
                            "In collections": 6})
        late, paid, paid_on = 0, "", ""
        if status == "Paid":
            wait = round(rng.expovariate(1 / 16))
            paid_on = (at + timedelta(days=wait)).date()
            if paid_on > last:
                status, paid_on = "Open", ""
            else:
                late = 25 if wait > 30 else 0
                paid = money(fine + late)
        if status == "In collections":
            late = 50
        state = pick(rng, {"OH": 78, "PA": 8, "MI": 6, "KY": 4, "NY": 3, "": 1})
        yield [
            f"T{number}", at.strftime("%Y-%m-%d %H:%M"),
            pick(rng, {412: 20, 418: 17, 421: 15, 433: 14, 437: 12, 440: 10, 452: 8, 466: 4}),
            zone, rng.choice(ZONES[zone][1]), offence, maybe(rng, 0.02, pick(rng, MAKES)),
            maybe(rng, 0.05, pick(rng, {"Black": 22, "White": 24, "Silver": 19, "Gray": 14,
                                        "Blue": 11, "Red": 10})),
            state, money(fine), money(late), paid, paid_on, status,
            "TRUE" if rng.random() < tow else "FALSE",
            f"M-{rng.randint(100, 180)}" if offence == "Expired meter" else "",
        ]


def parking(folder):
    write(folder, "tickets", ["TicketNo", "IssuedAt", "OfficerBadge", "Zone", "Street",
                              "Violation", "VehMake", "VehColor", "PlateState", "FineUSD",
                              "LateFeeUSD", "PaidUSD", "PaidOn", "Status", "Towed", "MeterNo"],
          parking_tickets(generator("tickets")))


# --- chess ----------------------------------------------------------------

EVENTS = (
    # name, time control, first day, last day, entry fee, prize, venue, rounds, players
    ("Autumn Championship", "classical", date(2024, 9, 12), date(2024, 11, 28), 20, 400,
     "Trinity Hall", 9, 24),
    ("Friday Blitz I", "blitz", date(2024, 10, 4), date(2024, 10, 4), 5, 60, "The Crown", 9, 20),
    ("Christmas Rapid", "rapid", date(2024, 12, 14), date(2024, 12, 15), 12, 180, "Trinity Hall",
     7, 30),
    ("New Year Blitz", "blitz", date(2025, 1, 3), date(2025, 1, 3), 5, 60, "The Crown", 9, 18),
    ("Winter Swiss", "classical", date(2025, 1, 16), date(2025, 3, 20), 18, 300,
     "Community Centre", 8, 28),
    ("Junior Cup", "rapid", date(2025, 4, 12), date(2025, 4, 12), 0, 75, "Westgate School", 6, 14),
    ("Spring Rapid", "rapid", date(2025, 5, 10), date(2025, 5, 11), 12, 150, "Community Centre",
     7, 26),
    ("Friday Blitz II", "blitz", date(2025, 6, 6), date(2025, 6, 6), 5, 60, "The Crown", 9, 22),
    ("Summer Open", "classical", date(2025, 7, 3), date(2025, 8, 28), 25, 500, "Trinity Hall",
     9, 32),
    ("September Rapid", "rapid", date(2025, 9, 20), date(2025, 9, 20), 10, "", "Westgate School",
     6, 20),
)
OPENINGS = {
    "Sicilian Defence": 22, "Queen's Gambit": 17, "Italian Game": 14, "French Defence": 10,
    "Caro-Kann": 11, "Ruy Lopez": 9, "London System": 10, "King's Indian": 5,
    "English Opening": 4, "Scandinavian": 4,
}


def chess_players(rng):
    first = ("Alice", "Ben", "Carla", "Dmitri", "Eva", "Farid", "Grace", "Hugo", "Isla", "Jakub",
             "Kate", "Liam", "Mona", "Nikhil", "Olga", "Pavel", "Rosa", "Sean", "Tara", "Victor")
    last = ("Whitlock", "Murphy", "Novak", "Sharma", "Keller", "Osei", "Bright", "Tanaka",
            "Kowalski", "Fraser", "Lund", "Harte", "Bianchi", "Voss")
    for number, name in enumerate(names(rng, first, last, 64), 1):
        kind = pick(rng, {"Full": 56, "Junior": 22, "Senior": 16, "Social": 6})
        born = {"Full": (1961, 2005), "Junior": (2008, 2016), "Senior": (1940, 1959),
                "Social": (1955, 2000)}[kind]
        elo = round(rng.gauss(1380 if kind == "Junior" else 1690, 230))
        title = "" if elo < 1950 else "CM" if elo < 2050 else "FM" if elo < 2200 else "IM"
        yield [
            f"P{number:02}", name,
            maybe(rng, 0.05, day_between(rng, date(born[0], 1, 1), date(born[1], 12, 31))),
            pick(rng, {"ENG": 60, "IRL": 10, "POL": 9, "IND": 8, "GER": 6, "UKR": 4, "ITA": 3}),
            maybe(rng, 0.06, elo) if not title else elo, title, kind,
            day_between(rng, date(2005, 9, 1), date(2025, 8, 20)) if kind != "Junior"
            else day_between(rng, date(2021, 9, 1), date(2025, 8, 20)),
            pick(rng, {"paid": 80, "due": 20}),
        ]


def chess_events():
    for number, row in enumerate(EVENTS, 1):
        yield [f"E{number:02}", *row[:7]]


def chess_games(rng, players):
    strength = {row[0]: (row[4] or rng.gauss(1500, 150)) + rng.gauss(0, 60) for row in players}
    number = 0
    for index, (name, control, start, end, _, _, _, rounds, size) in enumerate(EVENTS, 1):
        pool = [row[0] for row in players
                if row[6] != "Social" and (name != "Junior Cup" or row[6] == "Junior")]
        size = min(size, len(pool) // 2 * 2)
        entrants = rng.sample(pool, size)
        for rnd in range(1, rounds + 1):
            span = (end - start).days
            day = start + timedelta(days=round(span * (rnd - 1) / (rounds - 1) / 7) * 7
                                    if span > 7 else span * (rnd - 1) // (rounds - 1))
            rng.shuffle(entrants)
            for board in range(size // 2):
                white, black = entrants[2 * board:2 * board + 2]
                number += 1
                gap = strength[white] + 35 - strength[black]
                score = 1 / (1 + 10 ** (-gap / 400))
                draw = {"classical": 0.3, "rapid": 0.2, "blitz": 0.1}[control] * 4 * score * (
                    1 - score)
                dice = rng.random()
                result = ("1/2-1/2" if dice < draw else
                          "1-0" if rng.random() < score else "0-1")
                moves = max(9, round(rng.gauss(39, 14)))
                if result == "1/2-1/2":
                    how = pick(rng, {"agreement": 60, "repetition": 28, "stalemate": 12})
                else:
                    how = pick(rng, {"resignation": 58, "checkmate": 24, "time": 50
                                     if control == "blitz" else 14})
                mins = moves * {"classical": 4.1, "rapid": 1.05, "blitz": 0.22}[control] \
                    * rng.uniform(0.7, 1.2)
                yield [
                    1000 + number, f"E{index:02}", rnd, day, white, black, result, moves,
                    maybe(rng, 0.06, pick(rng, OPENINGS)), how, maybe(rng, 0.1, round(mins)),
                ]


def chess(folder):
    players = list(chess_players(generator("players")))
    write(folder, "players", ["player_id", "full_name", "dob", "fed", "elo", "title",
                              "membership", "member_since", "fee_status"], players)
    write(folder, "events", ["event_id", "event_name", "time_ctrl", "start_date", "end_date",
                             "entry_fee_gbp", "prize_fund_gbp", "venue"], chess_events())
    write(folder, "games", ["game_id", "event_id", "rnd", "played_on", "white_id", "black_id",
                            "result", "n_moves", "opening", "ended_by", "mins"],
          chess_games(generator("games"), players))


if __name__ == "__main__":
    build_all((library, roastery, parking, chess))
