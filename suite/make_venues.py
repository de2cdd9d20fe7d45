"""Writes four datasets as CSV files: tram_finds, grape_deliveries, rehearsal_rooms, parking_fines.

    python3 make_venues.py OUTDIR      ->  OUTDIR/<dataset>/<table>.csv

Everything is invented, from fixed seeds, with the standard library alone.

    tram_finds        items; one table, snake_case, yes/no
    grape_deliveries  deliveries; one table, Title Case with units in brackets, Y/N
    rehearsal_rooms   rooms, bands, bookings; camelCase, true/false, timestamps
    parking_fines     zones, wardens, fines; abbreviations, 1/0, timestamps
"""

from datetime import date, timedelta

from rows import between, build_all, day_at, day_between, days, generators, maybe, money, names, pick, write


# --- tram_finds --------------------------------------------------------

def tram_finds(folder):
    rng = generators("lost")("items")
    kinds = {  # weight, value, chance of being claimed
        "umbrella": (19, 12, 0.12), "phone": (11, 260, 0.68), "wallet": (10, 45, 0.71), "backpack": (9, 55, 0.55),
        "jacket": (12, 48, 0.31), "gloves": (11, 11, 0.09), "keys": (8, None, 0.47), "glasses": (7, 95, 0.34),
        "headphones": (6, 70, 0.26), "toy": (4, 14, 0.22), "book": (3, 9, 0.15)}
    lines = {"Tram 2": ("tram", 17), "Tram 5": ("tram", 15), "Tram 9": ("tram", 10), "Bus 14": ("bus", 12),
             "Bus 27": ("bus", 14), "Bus 31": ("bus", 9), "Bus 60": ("bus", 6), "Metro A": ("metro", 21),
             "Metro B": ("metro", 16)}
    colours = {"black": 34, "blue": 15, "grey": 13, "red": 9, "brown": 9, "green": 7, "white": 6, "pink": 4, "yellow": 3}
    first, last = date(2024, 3, 1), date(2025, 11, 19)
    calendar = days(first, last)
    weights = [(1.4 if day.month in (11, 12, 1, 2) else 0.75 if day.month in (7, 8) else 1.0)
               * (0.6 if day.weekday() == 6 else 1.0) for day in calendar]
    rows = []
    for number, day in enumerate(sorted(rng.choices(calendar, weights=weights, k=1684)), 1):
        winter = day.month in (10, 11, 12, 1, 2, 3)
        kind = pick(rng, {name: value[0] * (1.6 if winter and name in ("gloves", "jacket") else
                                            0.3 if not winter and name == "gloves" else 1)
                          for name, value in kinds.items()})
        _, value, chance = kinds[kind]
        line = pick(rng, {name: value[1] for name, value in lines.items()})
        with_id = rng.random() < {"wallet": 0.72, "phone": 0.08, "backpack": 0.2, "keys": 0.05}.get(kind, 0.01)
        claimed = rng.random() < min(0.93, chance + (0.2 if with_id else 0))
        when = day + timedelta(days=1 + int(rng.gammavariate(1.5, 5)))
        if when > last:
            claimed = False
        fee = None
        if claimed:
            fee = {"phone": 10, "wallet": 8, "backpack": 8, "glasses": 6, "headphones": 6}.get(kind, 4)
            if rng.random() < 0.08:
                fee = 0
        disposal = None
        if not claimed and (last - day).days > 90:
            disposal = pick(rng, {"charity": 40, "destroyed": 30, "sold": 22, "police": 8})
            if kind in ("keys",):
                disposal = "destroyed"
        worth = None
        if value and rng.random() < 0.84:
            worth = max(2, round(value * rng.lognormvariate(0, 0.5)))
        rows.append([
            f"LP{number + 20000}", day, kind, maybe(rng, 0.07, pick(rng, colours)), lines[line][0], line,
            pick(rng, {"seat": 47, "floor": 21, "luggage rack": 14, "platform": 18}),
            pick(rng, {"driver": 37, "passenger": 31, "cleaner": 32}), worth, "yes" if with_id else "no",
            "yes" if claimed else "no", when if claimed else None, money(fee) if fee is not None else None, disposal,
            maybe(rng, 0.03, pick(rng, {"A": 30, "B": 28, "C": 24, "Safe": 10, "Cellar": 8})
                  if kind not in ("phone", "wallet") else "Safe")])
    write(folder, "items", [
        "item_no", "found_on", "category", "colour", "transport_mode", "line", "found_where", "handed_in_by",
        "est_value_eur", "has_owner_id", "claimed", "claimed_on", "release_fee_eur", "disposal", "shelf"], rows)


# --- grape_deliveries -----------------------------------------------------

def grape_deliveries(folder):
    source = generators("grapes")
    rng = source("growers")
    varieties = {  # colour, weight, must weight, acidity, price, first week
        "Riesling": ("White", 24, 84, 8.6, 1.35, 3), "Silvaner": ("White", 15, 82, 7.2, 1.05, 2),
        "Müller-Thurgau": ("White", 17, 76, 6.8, 0.82, 0), "Pinot Blanc": ("White", 11, 88, 7.0, 1.28, 2),
        "Pinot Noir": ("Red", 17, 92, 7.4, 1.62, 2), "Dornfelder": ("Red", 11, 75, 6.9, 0.9, 1),
        "Regent": ("Red", 5, 83, 6.4, 0.98, 0)}
    villages = {"Altenfels": 30, "Burgheim": 24, "Kreuzbach": 19, "Niederau": 15, "Steinthal": 12}
    sites = {"Altenfels": ["Sonnenberg", "Kirchwingert", "Rosengarten"], "Burgheim": ["Schlossberg", "Pfaffenweg"],
             "Kreuzbach": ["Felsenkopf", "Hasenlauf", "Mandelpfad"], "Niederau": ["Auacker", "Mühlrain"],
             "Steinthal": ["Steinmauer", "Goldgrube"]}
    people = names(rng, ["Alois", "Bernd", "Christa", "Dieter", "Eva", "Franz", "Gerda", "Heinrich", "Inge", "Karl",
                         "Lena", "Monika", "Otto", "Petra", "Rainer"],
                   ["Becker", "Diehl", "Ehrhardt", "Gross", "Hammes", "Jung", "Kessler", "Lorenz", "Merz", "Pauly",
                    "Reiss", "Stumpf", "Weyand"], 46)
    growers = []
    for person in people:
        growers.append((person, pick(rng, villages), rng.random() < 0.2, rng.random() < 0.3, rng.uniform(0.5, 2.4),
                        rng.sample(list(varieties), rng.randint(2, 5))))
    rng = source("deliveries")
    rows = []
    for year, start, crop, sweet in ((2023, date(2023, 9, 4), 1.0, 0), (2024, date(2024, 9, 2), 0.78, -3),
                                     (2025, date(2025, 8, 27), 1.08, 4)):
        final = {2023: date(2023, 10, 24), 2024: date(2024, 10, 19), 2025: date(2025, 10, 16)}[year]
        for grower, village, organic, hands, size, kinds in growers:
            for _ in range(max(1, round(size * crop * rng.uniform(4.0, 7.2)))):
                kind = pick(rng, {name: varieties[name][1] for name in kinds})
                colour, _, must, acid, price, week = varieties[kind]
                day = start + timedelta(days=int(week * 7 + rng.gammavariate(3, 5)))
                if day.weekday() == 6:
                    day += timedelta(days=1)
                if day > final:
                    day = final - timedelta(days=rng.randint(0, 3))
                oechsle = round(must + sweet + (day - start).days * 0.15 + rng.gauss(0, 5))
                rot = between(0, rng.gammavariate(1.2, 2.4) + (2.5 if year == 2024 else 0), 38)
                picked = rng.random() < (0.75 if hands else 0.12)
                weight = round(between(180, rng.gauss(2300 if not picked else 1250, 750), 5600) * (0.7 + size * 0.2), -1)
                paid = price * (1 + (oechsle - must) * 0.008) * (1.25 if organic else 1) * (1.08 if picked else 1)
                paid = max(0.4, paid * (0.8 if rot > 10 else 1))
                refused = rot > 8.5 and rng.random() < 0.4
                at = day_at(day, rng.choice([8, 9, 10, 11, 12, 13, 14, 14, 15, 16, 16, 17, 18, 19]), rng.randrange(60))
                rows.append([at, grower, village, rng.choice(sites[village]), kind, colour, int(weight),
                             maybe(rng, 0.03, oechsle), maybe(rng, 0.09, f"{acid + rng.gauss(0, 0.7) - sweet * 0.1:.1f}"),
                             f"{rot:.1f}", "Y" if picked else "N", "Y" if organic else "N",
                             None if refused else f"T{rng.randint(1, 9) if colour == 'White' else rng.randint(10, 14)}",
                             None if refused else f"{paid:.2f}",
                             None if refused else money(round(paid, 2) * weight), "Y" if refused else "N",
                             pick(rng, {"Haas": 44, "Wirth": 33, "Nikolic": 23})])
    rows.sort(key=lambda row: (row[0], row[1]))
    rows = [[4001 + index, f"{row[0]:%Y-%m-%d}", f"{row[0]:%H:%M}", *row[1:]] for index, row in enumerate(rows)]
    write(folder, "deliveries", [
        "Slip No", "Delivery Date", "Time In", "Grower", "Village", "Vineyard Site", "Grape Variety", "Colour",
        "Net Weight (kg)", "Must Weight (°Oe)", "Acidity (g/l)", "Rot (%)", "Hand Picked", "Organic", "Tank",
        "Price (€/kg)", "Payout (€)", "Rejected", "Checked By"], rows)


# --- rehearsal_rooms ------------------------------------------------------

def rehearsal_rooms(folder):
    source = generators("rooms")
    rooms = [
        ["R1", "The Cave", "basement", 18, "12.00", "true", "false", 4], ["R2", "Red Room", "basement", 24, "15.00", "true", "false", 5],
        ["R3", "Blue Room", "basement", 26, "15.00", "true", "false", 6], ["R4", "Attic", "top", 14, "9.00", "false", "true", 3],
        ["R5", "Big Hall", "ground", 62, "28.00", "true", "true", 14], ["R6", "Garage", "ground", 35, "19.00", "true", "false", 8],
        ["R7", "Velvet", "ground", 22, "16.00", "false", "true", 5], ["R8", "Closet", "top", 9, "6.50", "false", "false", 2]]
    rng = source("bands")
    front = ["Broken", "Velvet", "Paper", "Midnight", "Electric", "Silent", "Rusty", "Golden", "Lazy", "Northern", "Plastic",
             "Crooked", "Burning", "Tiny", "Hollow"]
    back = ["Foxes", "Machines", "Sirens", "Harbour", "Cassettes", "Gardeners", "Planets", "Elevators", "Wolves", "Teacups",
            "Parade", "Satellites", "Pilots"]
    genres = {"rock": 26, "metal": 17, "jazz": 13, "indie": 18, "punk": 10, "folk": 8, "funk": 8}
    towns = {"Leeds": 44, "Bradford": 19, "Wakefield": 13, "Harrogate": 10, "Otley": 8, "Ilkley": 6}
    bands = []
    for name in names(rng, front, back, 94):
        kind = pick(rng, genres)
        bands.append([
            None, name if rng.random() < 0.5 else f"The {name}", kind, pick(rng, {2: 8, 3: 24, 4: 34, 5: 22, 6: 8, 8: 4}),
            maybe(rng, 0.06, pick(rng, towns)), day_between(rng, date(2021, 5, 1), date(2025, 6, 30)),
            "true" if rng.random() < 0.27 else "false",
            pick(rng, {"basic": 52, "plus": 31, "pro": 17})])
    bands.sort(key=lambda row: row[5])
    for index, band in enumerate(bands):
        band[0] = f"B{index + 1:03d}"
    rng = source("bookings")
    rate = {room[0]: float(room[4]) for room in rooms}
    busy = {band[0]: rng.lognormvariate(0, 0.8) for band in bands}
    silent = set(rng.sample([band[0] for band in bands], 7))
    first, last = date(2024, 7, 1), date(2025, 8, 14)
    bookings = []
    for day in days(first, last):
        here = {band[0]: busy[band[0]] * (0.6 if band[7] == "basic" else 1.5 if band[7] == "pro" else 1)
                for band in bands if band[5] <= day and band[0] not in silent}
        many = {0: 4.2, 1: 5.0, 2: 5.3, 3: 6.0, 4: 5.5, 5: 6.6, 6: 5.0}[day.weekday()]
        many *= 0.5 if day.month == 12 and day.day > 20 else 0.8 if day.month in (7, 8) else 1.05
        for _ in range(max(0, round(rng.gauss(many, 1.6)))):
            who = pick(rng, here)
            band = next(row for row in bands if row[0] == who)
            room = pick(rng, {"R1": 16, "R2": 17, "R3": 15, "R4": 9, "R5": 9 if band[3] < 6 else 30, "R6": 15,
                              "R7": 12 + (14 if band[2] == "jazz" else 0), "R8": 4})
            hours = rng.choice([1, 2, 2, 2, 3, 3, 3, 4, 5])
            weekend = day.weekday() > 4
            at = day_at(day, rng.choice([10, 11, 13, 14, 15, 16, 17, 18] if weekend else [12, 15, 17, 18, 18, 19, 19, 20]),
                        rng.choice([0, 0, 0, 30]))
            status = pick(rng, {"completed": 86, "cancelled": 10, "no-show": 4})
            off = (15 if band[6] == "true" else 0) + {"basic": 0, "plus": 5, "pro": 10}[band[7]]
            price = 0 if status == "cancelled" else rate[room] * hours * (1 - off / 100)
            done = status == "completed"
            bookings.append([
                None, band[0], room, f"{at:%Y-%m-%d %H:%M}", hours, off, money(price), status,
                pick(rng, {"card": 55, "cash": 18, "transfer": 27}) if status != "cancelled" and rng.random() < 0.96 else None,
                "true" if done and rng.random() < (0.16 if band[2] in ("metal", "punk") else 0.04) else "false",
                rng.choice([0, 0, 0, 0, 1, 1, 2, 3]) if done else 0,
                pick(rng, {1: 3, 2: 6, 3: 17, 4: 41, 5: 33}) if done and rng.random() < 0.58 else None])
    bookings.sort(key=lambda row: (row[3], row[2]))
    for index, booking in enumerate(bookings):
        booking[0] = 70001 + index
    write(folder, "rooms", ["roomId", "roomName", "floor", "sizeSqm", "hourlyRate", "hasDrumKit", "hasPiano", "maxPeople"], rooms)
    write(folder, "bands", ["bandId", "bandName", "genre", "memberCount", "homeTown", "joinedOn", "isStudentBand", "plan"], bands)
    write(folder, "bookings", ["bookingId", "bandId", "roomId", "startsAt", "hoursBooked", "discountPct", "pricePaid", "status",
                               "paymentMethod", "noiseComplaint", "ampsRented", "rating"], bookings)


# --- parking_fines --------------------------------------------------------

def parking_fines(folder):
    source = generators("fines")
    zones = [
        ["Z01", "Cathedral Quarter", "Centre", 140, "3.20", 0, 24], ["Z02", "Corn Market", "Centre", 95, "3.20", 0, 19],
        ["Z03", "Station Forecourt", "Centre", 60, "4.00", 0, 15], ["Z04", "Canal Side", "East", 210, "1.80", 0, 11],
        ["Z05", "Tannery Row", "East", 180, "1.60", 1, 7], ["Z06", "University", "North", 260, "2.20", 0, 13],
        ["Z07", "Poplar Estate", "North", 320, "1.00", 1, 5], ["Z08", "Hospital Hill", "West", 150, "2.40", 0, 9],
        ["Z09", "Vine Street", "West", 120, None, 1, 6], ["Z10", "Stadium", "South", 400, "1.50", 0, 8],
        ["Z11", "Old Brickworks", "South", 85, None, 0, 0]]
    rng = source("wardens")
    people = names(rng, ["Agnes", "Bilal", "Carmen", "Declan", "Elif", "Fergus", "Gwen", "Hassan", "Ines", "Joost"],
                   ["Marlow", "Oduya", "Pereira", "Quist", "Rahman", "Stokes", "Tully", "Visser", "Wade"], 17)
    wardens = [[f"W{201 + index}", person, pick(rng, {"A": 6, "B": 6, "C": 5}),
                day_between(rng, date(2012, 2, 1), date(2024, 9, 30)), pick(rng, {20: 4, 30: 4, 38: 9}), int(rng.random() < 0.65)]
               for index, person in enumerate(people)]
    rng = source("fines")
    kinds = {"no ticket": (33, 40), "overstay": (27, 30), "double parking": (9, 70), "disabled bay": (6, 120),
             "no resident permit": (10, 50), "loading zone": (8, 60), "fire lane": (3, 150), "pavement": (4, 80)}
    first, last = date(2024, 1, 3), date(2025, 6, 17)
    speed = {warden[0]: rng.uniform(0.5, 1.8) * warden[4] / 38 for warden in wardens}
    calendar = days(first, last)
    weights = [(1.25 if day.weekday() == 5 else 0.25 if day.weekday() == 6 else 1) * (1.2 if day.month in (11, 12) else 1)
               for day in calendar]
    rows = []
    for day in sorted(rng.choices(calendar, weights=weights, k=2572)):
        zone = pick(rng, {row[0]: row[6] for row in zones if row[6]})
        resident = next(row for row in zones if row[0] == zone)[5]
        kind = pick(rng, {name: value[0] * (0 if name == "no resident permit" and not resident else 4 if
                                            name == "no resident permit" else 1) for name, value in kinds.items()})
        warden = pick(rng, {row[0]: speed[row[0]] for row in wardens if row[3] <= day})
        at = day_at(day, pick(rng, {7: 2, 8: 6, 9: 10, 10: 12, 11: 12, 12: 9, 13: 8, 14: 10, 15: 10, 16: 9, 17: 7, 18: 4, 19: 2}),
                    rng.randrange(60))
        amount = kinds[kind][1] + (5 if day >= date(2025, 1, 1) else 0)
        vehicle = pick(rng, {"car": 74, "van": 16, "motorbike": 4, "lorry": 4, "camper": 2})
        country = maybe(rng, 0.02, pick(rng, {"NL": 71, "DE": 13, "BE": 11, "FR": 3, "PL": 2}))
        appeal = rng.random() < (0.17 if amount > 75 else 0.1)
        outcome = None
        if appeal:
            outcome = pick(rng, {"granted": 31, "refused": 69}) if (last - day).days > 45 else "pending"
        delay = int(rng.gammavariate(1.6, 11))
        chance = 0.84 if country == "NL" else 0.58
        paid = rng.random() < chance and day + timedelta(days=delay) <= last and outcome not in ("granted", "pending")
        early = paid and delay <= 7
        rows.append([
            f"{at:%Y-%m-%d %H:%M}", zone, maybe(rng, 0.015, warden), kind, vehicle, country, amount, int(paid),
            day + timedelta(days=delay) if paid else None, (f"{amount * 0.75:.2f}" if early else money(amount)) if paid else None,
            int(appeal), outcome, rng.choice([0, 1, 2, 2, 3, 3, 4])])
    rows.sort(key=lambda row: (row[0], row[1]))
    rows = [[f"PF{88001 + index}", *row] for index, row in enumerate(rows)]
    write(folder, "zones", ["zone_cd", "zone_nm", "distr", "n_bays", "hr_rate_eur", "resid_only"], [row[:6] for row in zones])
    write(folder, "wardens", ["wdn_id", "wdn_nm", "team", "start_dt", "hrs_wk", "full_trng"], wardens)
    write(folder, "fines", ["fine_no", "iss_dt", "zone_cd", "wdn_id", "viol", "veh_typ", "plate_ctry", "amt_eur", "pd", "pd_dt",
                            "pd_amt_eur", "appeal", "appeal_res", "n_photos"], rows)


if __name__ == "__main__":
    build_all((tram_finds, grape_deliveries, rehearsal_rooms, parking_fines))
