"""Writes four datasets as CSV files: animal_shelter, pantries, islands, auction_house.

    python3 make_shelters.py OUTDIR      ->  OUTDIR/<dataset>/<table>.csv

Everything is invented, from fixed seeds, with the standard library alone.

    animal_shelter  animals, adoptions, vet_visits; snake_case, yes/no beside true/false
    pantries        households, parcels, donations; a food bank, Capitalised values, cells left empty
    islands         sailings; a summer of ferries in one wide table, three timestamps
    auction_house   sellers, lots; commissions in percent, estimates, what was not sold left empty
"""

from datetime import date, timedelta
from random import Random

from rows import between, build_all, day_at, day_between, days, distinct, maybe, money, pick, write

FIRST = ("Anna Peter Moira Liam Sofia Jakub Ines Tom Grace Hugo Nadia Owen Petra Ravi Sinead Karl Elena Declan Yusuf "
         "Marta Brigid Colm Dora Felix Aoife Niall").split()
LAST = ("Byrne Kowalski Murphy Walsh Hennessy Novak Duffy Okafor Brennan Lynch Costa Healy Keane Moran Ahmed Fallon "
        "Quinn Popescu Doyle Griffin Tierney Nolan Silva Burke").split()


def person(rng):
    return f"{rng.choice(FIRST)} {rng.choice(LAST)}"


# --- animal_shelter -------------------------------------------------------

SPECIES = {
    # species: (weight, least and most kg, adoption fees, breeds)
    "Dog": (46, (4, 38), (180, 150, 220),
            ("Mixed", "Labrador", "Greyhound", "Collie", "Staffie", "Terrier", "German Shepherd")),
    "Cat": (38, (1.2, 7), (90, 75, 110), ("Domestic Shorthair", "Domestic Longhair", "Siamese", "Maine Coon")),
    "Rabbit": (9, (0.9, 3.5), (35, 30), ("Dutch", "Lop", "Lionhead")),
    "Guinea pig": (5, (0.5, 1.2), (20, 15), ("Abyssinian", "American")),
    "Bird": (2, (0.03, 0.12), (15, 10), ("Budgie", "Cockatiel")),
}
PETS = ("Buddy Luna Max Molly Rosie Shadow Ginger Biscuit Poppy Rex Bella Charlie Misty Oscar Smokey Daisy Tilly Bruno "
        "Pepper Coco Toby Willow Patch Hazel Ziggy Socks Nala Murphy Pip Fern Bramble Jess Rocky Cleo Marmalade "
        "Dusty").split()
CHIPPED = {"Dog": 0.66, "Cat": 0.4}
INTAKES = {"Stray": 44, "Surrendered": 31, "Abandoned": 13, "Transfer": 8, "Seized": 4}
ADOPTER_TOWNS = {"Carlow": 30, "Kilkenny": 18, "Athy": 12, "Tullow": 10, "Naas": 9, "Portlaoise": 8,
                 "Bagenalstown": 13}
VETS = {"Dr Farrell": 36, "Dr Iyer": 30, "Dr Maguire": 22, "Dr Stanley": 12}
TREATMENTS = {
    # treatment: (weight, least and most cost)
    "Vaccination": (36, (28, 45)), "Neutering": (16, (85, 190)), "Microchip": (12, (15, 25)),
    "Dental": (6, (60, 240)), "General check": (22, (20, 40)), "X-ray": (3, (95, 180)), "Wound care": (5, (40, 130)),
}
SHELTER_START, SHELTER_END = date(2024, 9, 2), date(2025, 10, 19)


def shelter_animals(rng):
    arrived = sorted(day_between(rng, SHELTER_START, SHELTER_END) for _ in range(230))
    for number, day in enumerate(arrived, 1001):
        species = pick(rng, {name: row[0] for name, row in SPECIES.items()})
        _, (least, most), _, breeds = SPECIES[species]
        age = between(1, int(rng.expovariate(1 / 34)), 180 if species in CHIPPED else 70)
        chipped = species in CHIPPED and rng.random() < CHIPPED[species]
        digits = 2 if most < 2 else 1
        yield [
            number, rng.choice(PETS) if rng.random() > 0.06 else "", species, rng.choice(breeds), rng.choice("FM"),
            age, f"{rng.uniform(least, most):.{digits}f}" if rng.random() > 0.05 else "", day, pick(rng, INTAKES),
            "yes" if chipped else "no", "yes" if rng.random() < 0.52 else "no",
            f"{rng.choice('ABCD')}{rng.randint(1, 14)}" if species in CHIPPED or rng.random() < 0.4 else "",
        ]


def shelter_adoptions(rng, animals):
    adopted = []
    for animal, _, species, _, _, _, _, arrived, *_ in animals:
        if rng.random() < 0.66:
            adopted.append((arrived + timedelta(days=int(rng.gammavariate(2, 16)) + 5), animal, species))
    adopted = sorted(row for row in adopted if row[0] <= SHELTER_END)
    for number, (day, animal, species) in enumerate(adopted, 1):
        back = day + timedelta(days=rng.randint(2, 45)) if rng.random() < 0.11 else None
        yield [
            f"AD-{number:04}", animal, person(rng), pick(rng, ADOPTER_TOWNS), day,
            rng.choice(SPECIES[species][2]) if rng.random() > 0.05 else 0,
            "true" if rng.random() < 0.8 else "false", back if back and back <= SHELTER_END else "",
        ]


def shelter_vet_visits(rng, animals):
    visits = []
    for animal, _, _, _, _, _, _, arrived, *_ in animals:
        for _ in range(pick(rng, {0: 12, 1: 38, 2: 28, 3: 15, 4: 7})):
            visits.append((arrived + timedelta(days=rng.randint(0, 28)), animal))
    visits = sorted(visit for visit in visits if visit[0] <= SHELTER_END)
    for number, (day, animal) in enumerate(visits, 1):
        treatment = pick(rng, {name: row[0] for name, row in TREATMENTS.items()})
        yield [number, animal, day, pick(rng, VETS), treatment, money(rng.uniform(*TREATMENTS[treatment][1])),
               "true" if rng.random() < 0.14 else "false"]


def animal_shelter(folder):
    rng = Random(4101)
    animals = list(shelter_animals(rng))
    write(folder, "animals", ["animal_id", "name", "species", "breed", "sex", "age_months", "weight_kg", "intake_date",
                              "intake_reason", "microchipped", "neutered", "pen"], animals)
    write(folder, "adoptions", ["adoption_id", "animal_id", "adopter", "town", "adopted_on", "fee_eur",
                                "home_check_done", "returned_on"], shelter_adoptions(rng, animals))
    write(folder, "vet_visits", ["visit_id", "animal_id", "visit_date", "vet", "treatment", "cost_eur", "follow_up"],
          shelter_vet_visits(rng, animals))


# --- pantries -------------------------------------------------------------

WARDS = {"Northgate": 24, "Millbrook": 19, "Harbour": 17, "St Anne's": 14, "Eastfield": 15, "Old Town": 11}
REFERRERS = {"GP": 17, "Council": 25, "Citizens Advice": 22, "School": 14, "Self": 16, "": 6}
DIETS = {"": 60, "Halal": 12, "Vegetarian": 10, "Gluten free": 6, "Baby formula": 8, "Diabetic": 4}
PACKERS = {"Bernie": 28, "Joanne": 22, "Ali": 17, "Mr Pratt": 12, "Kasia": 13, "Deirdre": 8}
PARCEL_KG = {"Single": 8, "Couple": 13, "Family": 21, "Large family": 30}
OPEN = {1: 3, 2: 2, 4: 4, 5: 2.4}  # weekday: weight
DONORS = {
    # donor: (weight, type)
    "Tesco Extra": (26, "Supermarket"), "Aldi Quay Rd": (17, "Supermarket"), "Morrisons": (13, "Supermarket"),
    "St Anne's Church": (12, "Church"), "Methodist Hall": (5, "Church"), "Harbour Primary": (7, "School"),
    "Eastfield Academy": (5, "School"), "Rotary Club": (6, "Community group"), "Walk-in donor": (20, "Individual"),
    "Baker & Sons": (8, "Business"), "Pellow Accountants": (3, "Business"),
}
DONATION_KG_MAX = {"Supermarket": 120, "Church": 60, "School": 70, "Community group": 50, "Individual": 14,
                   "Business": 45}
FOODS = {
    # category: (weight, days for which it usually keeps)
    "Tins": (26, 500), "Pasta & rice": (18, 400), "Fresh": (14, 5), "Toiletries": (12, None), "Cereal": (12, 200),
    "Baby": (7, 250), "Bread": (9, 3),
}
PANTRIES_START, PANTRIES_END = date(2025, 1, 6), date(2025, 11, 28)


def pantry_households(rng):
    for number in range(1, 89):
        adults = pick(rng, {1: 44, 2: 40, 3: 11, 4: 5})
        children = pick(rng, {0: 36, 1: 20, 2: 22, 3: 13, 4: 6, 5: 3})
        registered = day_between(rng, date(2023, 3, 1), date(2025, 10, 31))
        yield [
            f"H{number:03}", rng.choice(LAST), pick(rng, WARDS), adults, children, registered, pick(rng, REFERRERS),
            pick(rng, DIETS), "true" if rng.random() < 0.87 else "false",
        ]


def pantry_parcels(rng, households):
    need = [min(5, rng.paretovariate(1.3)) for _ in households]
    open_days = [day for day in days(PANTRIES_START, PANTRIES_END) if day.weekday() in OPEN]
    load = [OPEN[day.weekday()] for day in open_days]
    given = set()
    for _ in range(430):
        index = rng.choices(range(len(households)), need)[0]
        given.add((rng.choices(open_days, load)[0], index))
    given = sorted((day, index) for day, index in given if day >= households[index][5])
    for number, (day, index) in enumerate(given, 5001):
        household, _, _, adults, children, *_ = households[index]
        people = adults + children
        kind = "Single" if people == 1 else "Couple" if people == 2 else "Family" if people < 6 else "Large family"
        yield [
            number, household, day, kind, f"{rng.gauss(PARCEL_KG[kind], 1.6):.1f}",
            pick(rng, {"Collected": 68, "Delivered": 24, "No show": 8}),
            pick(rng, PACKERS) if rng.random() > 0.04 else "",
            rng.choice((10, 20, 25, 30, 49)) if rng.random() < 0.18 else "",
        ]


def pantry_donations(rng):
    received = sorted(day_between(rng, PANTRIES_START, PANTRIES_END) for _ in range(140))
    for number, day in enumerate(received, 1):
        donor = pick(rng, {name: row[0] for name, row in DONORS.items()})
        category = pick(rng, {name: row[0] for name, row in FOODS.items()})
        if donor == "Baker & Sons":
            category = "Bread"
        kind, keeps, best_before = DONORS[donor][1], FOODS[category][1], ""
        if keeps and rng.random() > 0.1:
            best_before = day + timedelta(days=max(1, int(keeps * rng.uniform(0.3, 1.4))))
        most = DONATION_KG_MAX[kind]
        yield [f"D{number:04}", day, donor, kind, category, f"{rng.uniform(most * 0.1, most):.1f}", best_before,
               "yes" if rng.random() < 0.34 else "no"]


def pantries(folder):
    rng = Random(4202)
    households = list(pantry_households(rng))
    write(folder, "households", ["household_id", "surname", "ward", "adults", "children", "registered", "referred_by",
                                 "diet", "has_cooker"], households)
    write(folder, "parcels", ["parcel_no", "household_id", "parcel_date", "parcel_type", "weight_kg", "status",
                              "packed_by", "fuel_voucher_gbp"], pantry_parcels(rng, households))
    write(folder, "donations", ["donation_id", "received_on", "donor", "donor_type", "category", "qty_kg",
                                "best_before", "thank_you_sent"], pantry_donations(rng))


# --- islands --------------------------------------------------------------

VESSELS = {
    # vessel: (weight, passengers, vehicles)
    "Isle Star": (42, 220, 38), "Western Light": (36, 310, 60), "Lady Morag": (22, 96, 12),
}
ROUTES = {
    # route: (weight, minutes, fare of a passenger, fare of a vehicle)
    "Ardmore-Skerra": (38, 45, 9.5, 31), "Ardmore-Inish": (27, 70, 14.0, 44), "Skerra-Inish": (23, 30, 6.0, 22),
    "Ardmore-Rona": (12, 110, 19.5, 58),
}
CAPTAINS = {"MacLeod": 30, "Farquhar": 24, "Ó Conaill": 19, "Reid": 16, "Sutherland": 11}
CLOCK = [(hour, minute) for hour in range(6, 21) for minute in (0, 15, 30, 45)]


def islands_planned(rng):
    """When a ship is to leave, and how the wind blows on that day."""
    for day in days(date(2025, 6, 2), date(2025, 8, 24)):
        wind = min(34, rng.gammavariate(4, 4))
        for hour, minute in sorted(rng.sample(CLOCK, 5 if day.weekday() >= 4 else 4)):
            yield day_at(day, hour, minute), wind


def islands_sailings(rng):
    for number, (planned, wind) in enumerate(islands_planned(rng), 1):
        route = pick(rng, {name: row[0] for name, row in ROUTES.items()})
        vessel = pick(rng, {name: row[0] for name, row in VESSELS.items()})
        _, minutes, fare, vehicle_fare = ROUTES[route]
        _, seats, spaces = VESSELS[vessel]
        wind = max(2, round(wind + rng.gauss(0, 3)))
        tide = pick(rng, {"Low": 3, "Mid": 4, "High": 3})
        known = [f"S{number:04}", route, vessel, pick(rng, CAPTAINS), f"{planned:%Y-%m-%d %H:%M}"]
        if rng.random() < (0.35 if wind > 27 else 0.02):
            reason = "Weather" if wind > 27 else rng.choice(("Technical", "Crew"))
            yield [*known, "", "", "", "", "", wind, tide, "", "cancelled", reason]
            continue
        late = pick(rng, {0: 38, rng.randint(1, 9): 42, rng.randint(10, 55): 20})
        left = planned + timedelta(minutes=late)
        arrived = left + timedelta(minutes=minutes + rng.randint(-3, 12))
        season = 0.35 + 0.12 * (planned.month - 6) + (0.16 if planned.weekday() >= 4 else 0)
        passengers = between(3, int(seats * rng.gauss(season, 0.17)), seats)
        vehicles = between(0, int(spaces * rng.gauss(season, 0.2)), spaces)
        revenue = passengers * fare * rng.uniform(0.8, 1) + vehicles * vehicle_fare
        fuel = round(minutes * seats * rng.uniform(0.045, 0.06)) if rng.random() > 0.06 else ""
        yield [*known, f"{left:%Y-%m-%d %H:%M}", f"{arrived:%Y-%m-%d %H:%M}", passengers, vehicles, money(revenue), wind,
               tide, fuel, "sailed", ""]


def islands(folder):
    write(folder, "sailings", ["sailing_id", "route", "vessel", "captain", "sched_dep", "actual_dep", "arrived_at",
                               "pax", "vehicles", "revenue_gbp", "wind_kn", "tide", "fuel_l", "status",
                               "cancel_reason"], islands_sailings(Random(4303)))


# --- auction_house --------------------------------------------------------

COUNTIES = {"Devon": 34, "Somerset": 24, "Dorset": 16, "Cornwall": 14, "Wiltshire": 12}
CATEGORIES = {
    # category: (weight, lowest and highest of the low estimates, what is sold)
    "Furniture": (25, 60, 900, ("Oak chest of drawers", "Walnut bureau", "Windsor chair", "Pine dresser",
                                "Mahogany side table", "Set of six dining chairs")),
    "Ceramics": (18, 20, 350, ("Staffordshire dog", "Delft charger", "Moorcroft vase", "Part dinner service",
                               "Wedgwood jug")),
    "Silver": (14, 50, 800, ("George III teapot", "Pair of candlesticks", "Cream jug", "Cased fish set",
                             "Christening mug")),
    "Pictures": (15, 40, 1800, ("Watercolour, harbour scene", "Oil portrait of a lady", "Still life with fruit",
                                "Signed etching")),
    "Jewellery": (13, 80, 2400, ("Diamond ring", "Pearl necklace", "Gold bangle", "Cameo brooch",
                                 "Sapphire earrings")),
    "Clocks": (7, 70, 1500, ("Longcase clock", "Carriage clock", "Bracket clock", "Station wall clock")),
    "Books": (8, 20, 400, ("Box of county histories", "Dickens, first edition", "Atlas, hand coloured",
                           "Field guides, 22 vols")),
}
BIDDERS = {"Room": 33, "Online": 45, "Phone": 13, "Commission bid": 9}
SALES = [date(2025, month, day) for month, day in ((1, 18), (2, 15), (3, 22), (4, 26), (5, 17), (6, 21), (7, 19), (9, 20))]


def tens(amount):
    return int(round(amount, -1))


def auction_sellers(rng):
    people = distinct(lambda: person(rng))
    for number in range(101, 169):
        name = next(people)
        trade = rng.random() < 0.24
        yield [
            number, name, pick(rng, COUNTIES), "true" if trade else "false",
            rng.choice((10, 12.5) if trade else (15, 15, 17.5, 20)),
            day_between(rng, date(2017, 1, 5), date(2025, 6, 30)),
            maybe(rng, 0.2, f"{name.lower().replace(' ', '.')}@example.com"),
        ]


def auction_lots(rng, sellers):
    busy = [min(7, rng.paretovariate(1.4)) for _ in sellers]
    number = 0
    for day in SALES:
        for lot in range(1, rng.randint(33, 46)):
            number += 1
            seller = rng.choices(sellers, busy)[0]
            category = pick(rng, {name: row[0] for name, row in CATEGORIES.items()})
            _, least, most, things = CATEGORIES[category]
            low = tens(rng.triangular(least, most, least * 1.3))
            high = tens(low * rng.uniform(1.3, 1.7))
            reserve = tens(low * rng.uniform(0.7, 1)) if rng.random() < 0.58 else None
            bids = pick(rng, {0: 14, rng.randint(1, 5): 46, rng.randint(6, 24): 40})
            price = tens(low * (0.6 + bids * 0.055) * rng.uniform(0.85, 1.2))
            sold = bids > 0 and (reserve is None or price >= reserve)
            collected = day + timedelta(days=rng.randint(0, 16)) if sold and rng.random() < 0.86 else None
            row = [number, day, lot, rng.choice(things), category, seller[0], low, high, reserve, bids]
            if sold:
                row += [price, pick(rng, BIDDERS), "yes" if collected or rng.random() < 0.4 else "no", collected]
            else:
                row += ["", "", "", ""]
            yield row


def auction_house(folder):
    rng = Random(4404)
    sellers = list(auction_sellers(rng))
    write(folder, "sellers", ["seller_id", "name", "county", "is_trade", "commission_pct", "client_since", "email"],
          sellers)
    write(folder, "lots", ["lot_id", "sale_date", "lot_no", "description", "category", "seller_id", "est_low",
                           "est_high", "reserve", "bids", "hammer_price", "sold_via", "paid", "collected_on"],
          auction_lots(rng, sellers))


if __name__ == "__main__":
    build_all((animal_shelter, pantries, islands, auction_house))
