"""Writes four datasets as CSV files: windfarm, vetclinic, langschool, carhire.

    python3 make_services.py OUTDIR      ->  OUTDIR/<dataset>/<table>.csv

Everything is invented, from one fixed seed, with the standard library alone.

    windfarm    turbines, daily_output, faults
    vetclinic   owners, pets, visits
    langschool  students, classes, enrolments
    carhire     branches, cars, hires
"""

import math
from datetime import date, datetime, timedelta

from rows import build_all, generators, pick, maybe, money, names, day_between, write

generator = generators(77120451)


FIRST = ("Alice Ben Carla Dev Ewan Fatima Greta Hugo Ines Jakub Kirsty Liam Mona Niall Olga Priya "
         "Quentin Rosa Sam Tessa Umar Vera Will Yasmin Zoe Bruno Callum Dora Elif Finn Gwen "
         "Heidi Ivan Joan Keiko Lars Marta Nadia Oscar Pilar Ravi Sofia Tom Ursula Viktor").split()
LAST = ("Abbott Baines Calder Doyle Eriksen Farrow Gupta Hollis Iqbal Jarvis Keane Lomax Moreno "
        "Nolan Okafor Petrov Quigley Rossi Santos Tanaka Underhill Voss Walsh Yilmaz Zielinski "
        "Ashby Bello Costa Dunne Evans Fischer Grady Haddad Innes Jensen Kaur Lindt Mistry").split()


# --- windfarm -------------------------------------------------------------

MACHINES = {
    # model: (maker, kW, hub height)
    "V90": ("Vestas", 3000, 80),
    "E-82": ("Enercon", 2300, 78),
    "SWT-2.3": ("Siemens", 2300, 80),
    "V112": ("Vestas", 3300, 94),
}
SITES = {
    # site: (count, models, mean wind, first and last commissioning)
    "Black Moss": (9, ("V90", "SWT-2.3"), 7.6, date(2009, 4, 1), date(2010, 9, 30)),
    "Carn Ridge": (6, ("E-82",), 8.7, date(2013, 5, 1), date(2013, 11, 30)),
    "Harrow Sands": (7, ("V112", "E-82"), 8.1, date(2017, 3, 1), date(2019, 6, 30)),
}
FAULTS = {
    # description: (weight, code, subsystem, mean hours, mean parts)
    "Pitch battery low": (17, 301, "Pitch", 9, 420),
    "Pitch motor overload": (8, 305, "Pitch", 14, 950),
    "Gearbox oil temp high": (12, 412, "Gearbox", 11, 610),
    "Gearbox vibration": (5, 418, "Gearbox", 40, 5200),
    "Yaw misalignment": (13, 220, "Yaw", 4, 180),
    "Converter trip": (16, 510, "Electrical", 6, 730),
    "Grid loss": (9, 500, "Electrical", 3, 0),
    "Anemometer fault": (8, 115, "Sensors", 5, 140),
    "Blade icing": (7, 610, "Blades", 13, 0),
    "Generator bearing temp": (5, 430, "Generator", 28, 3100),
}
CREW = {"M. Reid": 31, "S. Okoro": 26, "J. Lind": 19, "P. Haas": 14, "D. Baird": 10}


def wind_turbines(rng):
    number = 0
    for site, (count, models, _, first, last) in SITES.items():
        for index in range(count):
            number += 1
            model = models[index % len(models)]
            maker, kw, hub = MACHINES[model]
            yield [
                f"T{number:02}", site, maker, model, kw, hub, day_between(rng, first, last),
                pick(rng, {"Full": 50, "Basic": 30, "In-house": 20}),
                maybe(rng, 0.1, day_between(rng, date(2024, 3, 1), date(2025, 4, 20))),
            ]


def wind_output(rng, turbines):
    first, last = date(2025, 1, 1), date(2025, 5, 10)
    health = {row[0]: rng.uniform(0.86, 1.04) for row in turbines}
    for index in range((last - first).days + 1):
        day = first + timedelta(days=index)
        weather = rng.lognormvariate(0, 0.33) * (1.12 - 0.0022 * index)
        for row in turbines:
            wind = max(1.6, SITES[row[1]][2] * weather * rng.uniform(0.9, 1.1))
            avail = 100.0 if rng.random() < 0.62 else max(0, 100 - rng.expovariate(1 / 14))
            curtailed = rng.random() < (0.09 if row[1] == "Harrow Sands" else 0.03)
            load = min(0.97, max(0.0, (wind - 3) / 10.5) ** 1.25)
            mwh = row[4] / 1000 * 24 * load * avail / 100 * health[row[0]]
            mwh *= 0.6 if curtailed else 1
            yield [
                day, row[0], maybe(rng, 0.012, f"{mwh:.2f}"), maybe(rng, 0.025, f"{wind:.1f}"),
                f"{wind * rng.uniform(1.5, 2.2):.1f}", f"{avail:.1f}", "Y" if curtailed else "N",
            ]


def wind_faults(rng, turbines):
    first, last = datetime(2024, 6, 1), datetime(2025, 5, 10, 22)
    weights = [rng.paretovariate(2.2) for _ in turbines]
    span = int((last - first).total_seconds() // 60)
    starts = sorted(first + timedelta(minutes=rng.randrange(span)) for _ in range(690))
    for number, started in enumerate(starts, 1):
        machine = rng.choices(turbines, weights=weights)[0]
        able = {key: row[0] * (0 if key == "Blade icing" and started.month in (5, 6, 7, 8, 9) else 1)
                for key, row in FAULTS.items()}
        descr = pick(rng, able)
        _, code, subsystem, hours, parts = FAULTS[descr]
        took = max(0.2, rng.lognormvariate(math.log(hours), 0.7))
        ended = started + timedelta(minutes=round(took * 60))
        remote = rng.random() < (0.75 if hours < 7 else 0.2)
        severity = "high" if took > 24 else "med" if took > 7 else "low"
        if rng.random() < 0.12:
            severity = rng.choice(("low", "med", "high"))
        still = ended > last or (number > 640 and rng.random() < 0.2)
        yield [
            f"F-{4000 + number}", machine[0], f"{started:%Y-%m-%d %H:%M}",
            "" if still else f"{ended:%Y-%m-%d %H:%M}", code, descr, subsystem, severity,
            "Y" if remote else "N", "" if remote else maybe(rng, 0.03, pick(rng, CREW)),
            maybe(rng, 0.04, f"{machine[4] / 1000 * took * rng.uniform(0.1, 0.6):.1f}"),
            "" if remote or not parts else money(parts * rng.lognormvariate(0, 0.5)),
        ]


def windfarm(folder):
    turbines = list(wind_turbines(generator("turbines")))
    write(folder, "turbines", ["WTG", "site", "Maker", "model", "rated_kW", "hubHt_m",
                               "commissioned", "svc_contract", "last_svc"], turbines)
    write(folder, "daily_output", ["day", "WTG", "MWh", "wind_avg_ms", "gust_max_ms", "avail_pct",
                                   "curtailed"], wind_output(generator("output"), turbines))
    write(folder, "faults", ["FaultNo", "WTG", "start_ts", "end_ts", "code", "descr", "subsystem",
                             "sev", "remote_reset", "tech", "lost_MWh", "parts_gbp"],
          wind_faults(generator("faults"), turbines))


# --- vetclinic ------------------------------------------------------------

BREEDS = {
    "Dog": ("Labrador", "Cockapoo", "Border Collie", "French Bulldog", "Jack Russell", "Whippet"),
    "Cat": ("Domestic Shorthair", "Maine Coon", "Bengal", "Ragdoll"),
    "Rabbit": ("Mini Lop", "Netherland Dwarf"),
    "Guinea pig": ("Abyssinian", "American"),
    "Parrot": ("African Grey", "Cockatiel"),
    "Tortoise": ("Hermann's",),
}
SPECIES = {"Dog": 47, "Cat": 34, "Rabbit": 9, "Guinea pig": 5, "Parrot": 3, "Tortoise": 2}
WEIGHT = {"Dog": 18.5, "Cat": 4.6, "Rabbit": 2.1, "Guinea pig": 1.0, "Parrot": 0.4, "Tortoise": 1.6}
PET_NAMES = ("Bella Milo Luna Teddy Poppy Alfie Daisy Oscar Willow Max Rosie Charlie Coco Rocky "
             "Ruby Simba Nala Archie Biscuit Pickle Hazel Smudge Ginger Otis Pepper Bramble "
             "Toffee Shadow Olive Ziggy Misty Jasper").split()
REASONS = {
    # reason: (weight, fee, meds, minutes)
    "Vaccination": (26, 46, 12, 12),
    "Check-up": (20, 42, 6, 16),
    "Dental": (10, 185, 28, 48),
    "Skin problem": (11, 52, 34, 19),
    "Lameness": (8, 64, 30, 24),
    "Vomiting": (8, 58, 26, 22),
    "Surgery": (6, 390, 55, 85),
    "Ear infection": (7, 50, 24, 17),
    "Nail clip": (4, 18, 0, 9),
}
VETS = {"Dr Hughes": 30, "Dr Mensah": 27, "Dr Lindqvist": 22, "Dr Patel": 14, "Dr O'Brien": 7}


def vet_owners(rng):
    towns = {"Thornbury": 35, "Yate": 27, "Alveston": 15, "Wickwar": 12, "Bradley Stoke": 11}
    for number, name in enumerate(names(rng, FIRST, LAST, 270), 1):
        yield [
            f"OW{number:03}", name, pick(rng, towns), day_between(rng, date(2016, 1, 4),
                                                                 date(2025, 6, 30)),
            pick(rng, {"Y": 58, "N": 42}), maybe(rng, 0.05, pick(rng, {"Bronze": 20, "Gold": 12,
                                                                     "PAYG": 68})),
        ]


def vet_pets(rng, owners):
    for number in range(1, 391):
        owner = owners[number - 1] if number <= 250 else rng.choice(owners[:250])
        species = pick(rng, SPECIES)
        yield [
            2000 + number, owner[0], rng.choice(PET_NAMES), species,
            maybe(rng, 0.06, rng.choice(BREEDS[species])), pick(rng, {"F": 51, "M": 49}),
            maybe(rng, 0.05, day_between(rng, date(2010, 1, 1), date(2025, 3, 31))),
            maybe(rng, 0.04, pick(rng, {"Y": 66, "N": 34})),
            pick(rng, {"Y": 44, "N": 56}) if species in ("Dog", "Cat") else pick(rng, {"Y": 9,
                                                                                     "N": 91}),
        ]


def vet_visits(rng, pets):
    first, last = date(2024, 9, 2), date(2025, 7, 31)
    weights = [rng.paretovariate(1.8) if rng.random() > 0.06 else 0 for _ in pets]
    days = []
    while len(days) < 1720:
        day = day_between(rng, first, last)
        if day.weekday() < 5 or (day.weekday() == 5 and rng.random() < 0.5):
            days.append(day)
    days.sort()
    for number, day in enumerate(days, 1):
        pet = rng.choices(pets, weights=weights)[0]
        reason = pick(rng, {key: row[0] for key, row in REASONS.items()})
        _, fee, meds, minutes = REASONS[reason]
        paid = rng.random() < (0.97 if day < date(2025, 6, 1) else 0.72)
        emergency = reason in ("Vomiting", "Lameness", "Surgery") and rng.random() < 0.3
        meds_cost = meds * rng.lognormvariate(0, 0.5) if meds and rng.random() < 0.7 else 0
        yield [
            60000 + number, day, pet[0], pick(rng, VETS), reason,
            maybe(rng, 0.08, f"{WEIGHT[pet[3]] * rng.lognormvariate(0, 0.3):.1f}"),
            maybe(rng, 0.03, max(4, round(rng.gauss(minutes, minutes * 0.25)))),
            money(fee * rng.uniform(0.92, 1.15) * (1.6 if emergency else 1)), money(meds_cost),
            "Y" if emergency else "N", "Y" if paid else "N",
            pick(rng, {"card": 66, "cash": 14, "insurer": 20}) if paid else "",
            maybe(rng, 0.7, day + timedelta(days=rng.choice((7, 10, 14, 21, 28)))),
        ]


def vetclinic(folder):
    owners = list(vet_owners(generator("owners")))
    pets = list(vet_pets(generator("pets"), owners))
    write(folder, "owners", ["OwnerRef", "OwnerName", "Town", "ClientSince", "EmailOK", "Plan"],
          owners)
    write(folder, "pets", ["PetID", "OwnerRef", "PetName", "Species", "Breed", "Sex", "DOB",
                           "Neutered", "Insured"], pets)
    write(folder, "visits", ["VisitNo", "VisitDate", "PetID", "Vet", "Reason", "Wt_kg",
                             "MinsInRoom", "ConsultFee", "MedsCost", "Emergency", "Paid",
                             "PaidBy", "FollowUpDue"], vet_visits(generator("vet visits"), pets))


# --- langschool -----------------------------------------------------------

LANGS = {
    # lang: (weight, teachers)
    "Spanish": (30, ("Lucia Ferrer", "Diego Salas")),
    "English": (24, ("Hannah Cole", "Peter Marsh", "Aoife Burke")),
    "French": (18, ("Camille Roche", "Luc Perrin")),
    "German": (14, ("Jonas Keller", "Anke Vogt")),
    "Italian": (9, ("Chiara Bassi",)),
    "Japanese": (5, ("Yuki Mori",)),
}
LEVELS = {"A1": 30, "A2": 25, "B1": 20, "B2": 15, "C1": 10}


def school_students(rng):
    nations = {"Dutch": 30, "Polish": 14, "Turkish": 12, "Brazilian": 10, "Indian": 10,
               "Ukrainian": 9, "British": 8, "Moroccan": 7}
    heard = {"Google": 38, "friend": 28, "Instagram": 17, "employer": 14, "flyer": 7}
    for number, name in enumerate(names(rng, FIRST, LAST, 430), 1):
        yield [
            f"S{1000 + number}", name, pick(rng, nations), maybe(rng, 0.06, rng.choice(
                (rng.randint(1955, 1985), rng.randint(1985, 2007)))),
            pick(rng, {"Utrecht": 48, "Amersfoort": 20, "Zeist": 17, "Houten": 15}),
            maybe(rng, 0.1, pick(rng, heard)), pick(rng, {"true": 22, "false": 78}),
        ]


def school_classes(rng):
    counts = {}
    for _ in range(62):
        lang, level = pick(rng, {key: row[0] for key, row in LANGS.items()}), pick(rng, LEVELS)
        stem = f"{lang[:3].upper()}-{level}"
        counts[stem] = counts.get(stem, 0) + 1
        mode = pick(rng, {"in person": 55, "online": 33, "hybrid": 12})
        hours = rng.choice((24, 30, 36, 48))
        yield [
            f"{stem}-{counts[stem]}", lang, level, rng.choice(LANGS[lang][1]), mode,
            pick(rng, {"Mon": 22, "Tue": 24, "Wed": 20, "Thu": 22, "Sat": 12}),
            rng.choice((10, 12, 14, 16, 18)) * (2 if mode == "online" else 1), hours,
            round(hours * (8.5 if mode == "online" else 11.5) / 5) * 5,
            day_between(rng, date(2024, 9, 9), date(2025, 4, 14)),
            "" if mode == "online" else rng.choice(("R1", "R2", "R3", "Attic", "Studio")),
        ]


def school_enrolments(rng, students, classes):
    weights = [(1.4 if row[2] in ("A1", "A2") else 0.8) * rng.uniform(0.4, 1.6) for row in classes]
    keen = [rng.paretovariate(2) if rng.random() > 0.07 else 0 for _ in students]
    seen, rows, taken = set(), [], {}
    while len(rows) < 880:
        student = rng.choices(students, weights=keen)[0]
        course = rng.choices(classes, weights=weights)[0]
        if (student[0], course[0]) in seen or taken.get(course[0], 0) >= course[6]:
            continue
        taken[course[0]] = taken.get(course[0], 0) + 1
        seen.add((student[0], course[0]))
        enrolled = course[9] - timedelta(days=min(75, int(rng.expovariate(1 / 19))))
        done = course[9] < date(2025, 2, 20)
        status = pick(rng, {"completed": 74, "dropped": 19, "active": 7} if done
                      else {"active": 84, "dropped": 16})
        left = course[9] + timedelta(days=rng.randint(5, 70)) if status == "dropped" else ""
        attend = {"completed": 86, "dropped": 41, "active": 80}[status]
        attend = min(100, max(0, round(rng.gauss(attend, 10))))
        mark = min(100, max(22, round(rng.gauss(69, 12)))) if status == "completed" else ""
        disc = pick(rng, {0: 70, 10: 20, 25: 10})
        rows.append([
            enrolled, student[0], course[0], status, left, maybe(rng, 0.03, attend),
            maybe(rng, 0.06, mark), disc, money(course[8] * (1 - disc / 100)),
            pick(rng, {"paid": 82, "part paid": 9, "unpaid": 9}),
            maybe(rng, 0.55, min(5, max(1, round(rng.gauss(4.1, 0.9))))) if status != "active"
            else "",
        ])
    rows.sort(key=lambda row: (row[0], row[1], row[2]))
    for number, row in enumerate(rows, 1):
        yield [number, *row]


def langschool(folder):
    students = list(school_students(generator("students")))
    classes = list(school_classes(generator("classes")))
    write(folder, "students", ["stud_id", "full_name", "nationality", "birth_yr", "city",
                               "heard_via", "company_pays"], students)
    write(folder, "classes", ["class_code", "lang", "lvl", "teacher", "mode", "wkday",
                              "max_places", "hrs_total", "list_fee_eur", "starts", "room"],
          classes)
    write(folder, "enrolments", ["enrol_no", "enrolled_on", "stud_id", "class_code", "status",
                                 "dropped_on", "attend_pct", "final_mark", "disc_pct",
                                 "charged_eur", "payment", "stars"],
          school_enrolments(generator("enrolments"), students, classes))


# --- carhire --------------------------------------------------------------

BRANCHES = {
    # code: (town, airport, staff, opened, weight)
    "EDI": ("Edinburgh", "Yes", 14, date(2008, 5, 12), 30),
    "GLA": ("Glasgow", "Yes", 12, date(2010, 3, 1), 25),
    "INV": ("Inverness", "Yes", 6, date(2014, 6, 16), 17),
    "ABD": ("Aberdeen", "No", 5, date(2015, 2, 9), 12),
    "DUN": ("Dundee", "No", 4, date(2019, 9, 2), 9),
    "OBN": ("Oban", "No", 2, date(2022, 4, 4), 7),
}
CARS = {
    # (make, model): (weight, class, fuels, rate)
    ("Toyota", "Aygo"): (10, "Mini", ("Petrol",), 27),
    ("Kia", "Picanto"): (8, "Mini", ("Petrol",), 26),
    ("Ford", "Fiesta"): (13, "Economy", ("Petrol", "Diesel"), 32),
    ("Vauxhall", "Corsa"): (11, "Economy", ("Petrol", "Electric"), 33),
    ("Volkswagen", "Golf"): (12, "Compact", ("Petrol", "Diesel"), 41),
    ("Toyota", "Corolla"): (9, "Compact", ("Hybrid",), 43),
    ("Kia", "Niro"): (7, "SUV", ("Hybrid", "Electric"), 56),
    ("Nissan", "Qashqai"): (9, "SUV", ("Petrol", "Diesel"), 54),
    ("Ford", "Transit"): (8, "Van", ("Diesel",), 66),
    ("Tesla", "Model 3"): (4, "Premium", ("Electric",), 88),
}


def hire_cars(rng):
    plates = set()
    while len(plates) < 112:
        letters = "".join(rng.choices("ABCDEFGHJKLMNOPRSTUVWXY", k=3))
        plates.add(f"S{rng.choice('ABCDEFGHJ')}{rng.choice((20, 70, 21, 71, 22, 72, 23, 73, 24))} "
                   f"{letters}")
    for plate in sorted(plates, key=lambda text: text[-3:]):
        make, model = pick(rng, {key: row[0] for key, row in CARS.items()})
        _, group, fuels, rate = CARS[make, model]
        year = 2000 + int(plate[2:4]) % 50
        fuel = rng.choice(fuels)
        gears = "Yes" if fuel in ("Electric", "Hybrid") or rng.random() < 0.15 else "No"
        yield [
            plate, make, model, group, fuel, year, gears,
            2 if group == "Van" else 4 if group == "Mini" else 5,
            maybe(rng, 0.05, round((2025.5 - year) * rng.uniform(9000, 21000))), rate,
            maybe(rng, 0.06, day_between(rng, date(2025, 8, 1), date(2026, 9, 30))),
        ]


def hire_rows(rng, cars):
    first, last = date(2024, 11, 1), date(2025, 9, 14)
    span = (last - first).days
    load = [1 + 1.1 * math.exp(-((index - 265) / 48) ** 2) for index in range(span + 1)]
    days = sorted(rng.choices([first + timedelta(days=i) for i in range(span + 1)], load, k=1980))
    weights = [rng.uniform(0.5, 1.6) for _ in cars]
    codes = {key: row[4] for key, row in BRANCHES.items()}
    free = {car[0]: first for car in cars}
    for number, out in enumerate(days, 1):
        home = [index for index, car in enumerate(cars) if free[car[0]] <= out]
        car = cars[rng.choices(home, weights=[weights[index] for index in home])[0]]
        kind = pick(rng, {"Leisure": 56, "Business": 29, "Insurance replacement": 15})
        leave = pick(rng, codes)
        back = leave if rng.random() < 0.87 else pick(rng, codes)
        booked = max(1, round(rng.lognormvariate(1.3, 0.7)))
        late = pick(rng, {0: 86, 1: 8, 2: 4, 4: 2, -1: 0 if booked == 1 else 6})
        due = out + timedelta(days=booked)
        returned = due + timedelta(days=late)
        free[car[0]] = returned + timedelta(days=1)
        gone = returned > last
        used = booked if gone else max(1, booked + late)
        km = round(used * rng.lognormvariate(4.75, 0.5))
        rate = car[9] * rng.choice((0.9, 1, 1, 1, 1.1))
        extras = 0 if rng.random() < 0.55 else rng.choice((6, 8, 12, 15)) * booked
        damage = pick(rng, {"No": 95, "Yes": 5})
        yield [
            f"H{70000 + number}", car[0], kind, leave, back, out, due, "" if gone else returned,
            "" if gone else maybe(rng, 0.02, km), money(rate), money(extras),
            money(rate * used + extras), "" if gone else damage,
            maybe(rng, 0.05, min(84, max(21, round(rng.gauss(43, 13))))),
            "" if gone else maybe(rng, 0.5, min(5, max(1, round(rng.gauss(4.2 - 0.6 *
                                                                         (damage == "Yes"), 0.9))))),
        ]


def carhire(folder):
    cars = list(hire_cars(generator("cars")))
    write(folder, "branches", ["Branch", "Town", "Airport Desk", "Staff", "Opened"],
          [[code, *row[:4]] for code, row in BRANCHES.items()])
    write(folder, "cars", ["Reg", "Make", "Model", "Class", "Fuel", "Yr", "Automatic?", "Seats",
                           "Odometer (km)", "List Rate (£/day)", "MOT Due"], cars)
    write(folder, "hires", ["Hire No", "Reg", "Customer Type", "Out Branch", "Return Branch",
                            "Out Date", "Due Back", "Returned", "Km Driven", "Rate/Day (£)",
                            "Extras (£)", "Total (£)", "Damage?", "Driver Age", "Rating"],
          hire_rows(generator("hires"), cars))


if __name__ == "__main__":
    build_all((windfarm, vetclinic, langschool, carhire))
