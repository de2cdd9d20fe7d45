"""Writes five datasets of the question suite as CSV files.

    python3 make.py OUTDIR        ->  OUTDIR/<dataset>/<table>.csv

Everything is invented here, from one fixed seed, with the standard library
alone: the same rows every time. The files look like what people get
from a colleague: a header, rows, a few empty cells, and no description.

    hospital   patients, doctors, visits, prescriptions; yes/no, short names
    bikeshare  stations, trips; snake_case with units, ISO timestamps with a T
    films      films; one wide table, headers with spaces and brackets
    payroll    departments, employees, leave; Y/N, money, percent
    energy     homes, meter_log; camelCase, a reading every six hours
"""

import math
from datetime import date, datetime, timedelta

from rows import build_all, generators, pick, maybe, money, day_between, write

generator = generators(20260417)


# --- hospital -------------------------------------------------------------

DEPTS = {
    # dept: (weight, specialties, mean nights, mean bill)
    "Emergency Room": (34, ("Emergency Medicine", "Internal Medicine"), 0.6, 820),
    "Outpatient Clinic": (30, ("Internal Medicine", "Pediatrics", "Neurology"), 0.0, 240),
    "Day Surgery": (16, ("General Surgery", "Orthopedics"), 0.2, 2650),
    "Intensive Care": (8, ("Internal Medicine", "General Surgery"), 6.0, 14800),
    "Maternity Ward": (12, ("Obstetrics",), 2.6, 5200),
}
DIAGNOSES = {
    "Emergency Room": ("Chest pain", "Broken wrist", "Concussion", "Food poisoning"),
    "Outpatient Clinic": ("High blood pressure", "Migraine", "Asthma", "Back pain"),
    "Day Surgery": ("Hernia", "Torn meniscus", "Gallstones"),
    "Intensive Care": ("Sepsis", "Pneumonia", "Heart failure"),
    "Maternity Ward": ("Normal delivery", "Caesarean section"),
}
NOTES = (
    "patient arrived by ambulance",
    "wants a second opinion",
    "allergic to penicillin",
    "interpreter needed",
    "missed the first appointment",
    "asked for a single room",
)
DRUGS = {
    # drug: (weight, doses in mg, price of one unit)
    "Ibuprofen": (24, (200, 400, 600), 0.18),
    "Paracetamol": (22, (500, 1000), 0.09),
    "Amoxicillin": (16, (250, 500), 0.42),
    "Metoprolol": (12, (25, 50, 100), 0.31),
    "Salbutamol": (9, (2, 4), 1.15),
    "Omeprazole": (11, (20, 40), 0.27),
    "Morphine": (4, (10, 20), 2.9),
}


def hospital_patients(rng):
    cities = {"New Haven": 38, "Hartford": 26, "West Haven": 16, "New Britain": 12, "Stamford": 8}
    blood = {"O+": 38, "A+": 34, "B+": 9, "O-": 7, "A-": 6, "AB+": 3, "B-": 2, "AB-": 1}
    insurance = {"Private": 52, "Public": 38, "Uninsured": 10}
    for number in range(1, 241):
        sex = pick(rng, {"F": 54, "M": 46})
        height = rng.gauss(164 if sex == "F" else 177, 7)
        weight = (height / 100) ** 2 * rng.gauss(25.4, 3.6)
        yield [
            f"P{number:04}", sex,
            day_between(rng, date(1938, 1, 1), date(2006, 12, 31)),
            pick(rng, cities), pick(rng, blood),
            pick(rng, {"no": 81, "yes": 19}), pick(rng, insurance),
            maybe(rng, 0.07, round(height)), maybe(rng, 0.07, f"{weight:.1f}"),
        ]


def hospital_doctors(rng):
    specialties = (
        ["Internal Medicine"] * 6 + ["Emergency Medicine"] * 5 + ["General Surgery"] * 4
        + ["Orthopedics"] * 3 + ["Pediatrics"] * 3 + ["Obstetrics"] * 3 + ["Neurology"] * 2
    )
    starts = ("Vel", "Or", "Quin", "Tam", "Bres", "Hal", "Mor", "Ist", "Dun")
    ends = ("mar", "eck", "dale", "oby", "wick", "enne", "ford")
    names = rng.sample([a + b for a in starts for b in ends], len(specialties))
    for number, (name, specialty) in enumerate(zip(names, specialties), 1):
        yield [
            f"D{number:02}", f"Dr. {name}", specialty, rng.randint(2, 34),
            pick(rng, {"yes": 70, "no": 30}),
        ]


def hospital_visits(rng, patients, doctors):
    first, last = date(2024, 10, 1), date(2025, 11, 18)
    weights = [rng.paretovariate(1.6) for _ in patients]
    mothers = [i for i, patient in enumerate(patients)
               if patient[1] == "F" and 1980 <= patient[2].year <= 2004]
    days = sorted(day_between(rng, first, last) for _ in range(1480))
    days[-1] = last
    for number, admitted in enumerate(days, 1):
        dept = pick(rng, {name: row[0] for name, row in DEPTS.items()})
        _, specialties, nights, bill = DEPTS[dept]
        pool = mothers if dept == "Maternity Ward" else range(len(patients))
        patient = patients[rng.choices(pool, weights=[weights[i] for i in pool])[0]]
        able = [doctor for doctor in doctors if doctor[2] in specialties]
        stay = int(rng.expovariate(1 / nights) + 0.5) if nights else 0
        out = admitted + timedelta(days=stay)
        yield [
            20000 + number, patient[0],
            rng.choices(able, weights=[2 + index % 5 for index in range(len(able))])[0][0],
            dept, admitted, out if out <= last else "",
            rng.choice(DIAGNOSES[dept]),
            money(bill * rng.lognormvariate(0, 0.45) * (1 + 0.15 * stay)),
            pick(rng, {"yes": 84, "no": 16}),
            maybe(rng, 0.35, min(10, max(1, round(rng.gauss(7.4, 1.7))))),
            maybe(rng, 0.85, rng.choice(NOTES)),
        ]


def hospital_prescriptions(rng, visits):
    number = 0
    for visit in visits:
        for drug in {pick(rng, {name: row[0] for name, row in DRUGS.items()}): 0
                     for _ in range(pick(rng, {0: 30, 1: 38, 2: 24, 3: 8}))}:
            _, doses, price = DRUGS[drug]
            number += 1
            yield [
                f"RX{number:05}", visit[0], drug, rng.choice(doses),
                rng.choice((10, 14, 20, 28, 30, 60)), money(price * rng.uniform(0.9, 1.2)),
            ]


def hospital(folder):
    patients = list(hospital_patients(generator("patients")))
    doctors = list(hospital_doctors(generator("doctors")))
    visits = list(hospital_visits(generator("visits"), patients, doctors))
    prescriptions = hospital_prescriptions(generator("prescriptions"), visits)
    write(folder, "patients", ["patient_id", "sex", "DOB", "city", "blood_type", "smoker",
                               "insurance", "height_cm", "weight_kg"], patients)
    write(folder, "doctors", ["doctor_id", "doctor_name", "specialty", "yrs_exp", "full_time"],
          doctors)
    write(folder, "visits", ["visit_id", "patient_id", "doctor_id", "dept", "admitted",
                             "discharged", "diagnosis", "bill_amt", "paid", "satisfaction",
                             "notes"], visits)
    write(folder, "prescriptions", ["rx_id", "visit_id", "drug", "dose_mg", "qty", "unit_price"],
          prescriptions)


# --- bikeshare ------------------------------------------------------------

STATIONS = {
    "Old Town": ("City Hall", "Cathedral Square", "Fish Market", "North Gate", "Mint Tower"),
    "Harbour": ("Ferry Terminal", "Old Harbour", "Lighthouse Quay", "Rope Walk"),
    "University Quarter": ("Main Library", "Science Campus", "Botanical Garden", "Observatory"),
    "West End": ("Opera House", "West Station", "Tram Depot", "Linden Park", "Mill Bridge"),
    "Green Hills": ("Hill View", "Orchard Lane", "Reservoir", "Forest Edge"),
}
BIKES = {"classic": 58, "electric": 36, "cargo": 6}
RIDERS = {"annual member": 57, "single ride": 29, "day pass": 14}
SPEED_KMH = {"classic": 13.5, "electric": 17.5, "cargo": 11.0}


def bikeshare_stations(rng):
    number = 100
    for district, names in STATIONS.items():
        for name in names:
            number += rng.randint(1, 4)
            yield [
                number, name, district, rng.choice((12, 14, 16, 18, 20, 24, 30, 36)),
                rng.choice(("true", "false", "false")),
                day_between(rng, date(2018, 3, 1), date(2024, 9, 30)),
            ]


def fare(rng, rider, bike, minutes):
    """Members ride the first half hour free; everyone pays more for a cargo bike."""
    rate = {"classic": 0.08, "electric": 0.15, "cargo": 0.22}[bike]
    if rider == "annual member":
        return max(0, minutes - 30) * rate
    return (1.0 if rider == "single ride" else 0.0) + minutes * rate


def bikeshare_trips(rng, stations):
    first, last = date(2025, 4, 1), date(2025, 9, 21)
    span = (last - first).days + 1
    days = [first + timedelta(days=index) for index in range(span)]
    load = [(0.7 if day.weekday() > 4 else 1.0) * (0.7 + 0.5 * math.sin(math.pi * index / span))
            for index, day in enumerate(days)]
    hours = [1, 0, 0, 0, 0, 1, 4, 12, 16, 8, 5, 5, 7, 7, 6, 7, 11, 17, 14, 9, 6, 4, 3, 2]
    popular = [rng.paretovariate(1.3) for _ in stations]
    starts = sorted(
        datetime.combine(day, datetime.min.time()) + timedelta(
            hours=rng.choices(range(24), weights=hours)[0], seconds=rng.randrange(3600))
        for day in rng.choices(days, weights=load, k=5200))
    for number, started in enumerate(starts, 1):
        bike, rider = pick(rng, BIKES), pick(rng, RIDERS)
        begin, end = rng.choices(stations, weights=popular, k=2)
        distance = rng.lognormvariate(1.05, 0.5) if begin != end else rng.uniform(0.4, 9)
        minutes = distance / SPEED_KMH[bike] * 60 * rng.uniform(0.85, 1.5)
        seconds = round(minutes * 60)
        yield [
            300000 + number, started.isoformat(), (started + timedelta(seconds=seconds)).isoformat(),
            begin[0], end[0], bike, rider, f"{distance:.2f}", f"{seconds / 60:.1f}",
            money(fare(rng, rider, bike, minutes)),
            maybe(rng, 0.18, min(79, max(16, round(rng.gauss(36, 12))))),
            maybe(rng, 0.02, rng.randint(8, 97)) if bike == "electric" else "",
        ]


def bikeshare(folder):
    stations = list(bikeshare_stations(generator("stations")))
    trips = bikeshare_trips(generator("trips"), stations)
    write(folder, "stations", ["station_id", "station_name", "district", "dock_count",
                               "has_charger", "opened_on"], stations)
    write(folder, "trips", ["trip_id", "started_at", "ended_at", "start_station_id",
                            "end_station_id", "bike_type", "rider_type", "distance_km",
                            "duration_min", "fare_eur", "rider_age", "battery_left_pct"], trips)


# --- films ----------------------------------------------------------------

GENRES = {
    # genre: (weight, mean runtime, mean budget in millions, mean critic score)
    "Drama": (28, 116, 18, 70), "Comedy": (20, 101, 24, 58), "Science Fiction": (11, 124, 88, 63),
    "Documentary": (13, 92, 3, 81), "Horror": (10, 98, 12, 54), "Animation": (8, 94, 72, 74),
    "Film Noir": (4, 107, 9, 72), "Action": (14, 119, 96, 56),
}
LANGUAGES = {
    "United States": "English", "United Kingdom": "English", "France": "French",
    "South Korea": "Korean", "New Zealand": "English", "Spain": "Spanish", "Mexico": "Spanish",
    "Japan": "Japanese",
}
COUNTRIES = {
    "United States": 40, "United Kingdom": 16, "France": 14, "South Korea": 9, "Spain": 8,
    "Japan": 7, "Mexico": 4, "New Zealand": 2,
}
HEROES = ("a retired lighthouse keeper", "a pair of sisters", "a night-shift baker", "a young pilot",
          "a stubborn judge", "an orphaned fox", "a tired detective", "the last cartographer")
QUESTS = ("searches for a missing ship", "uncovers an old family secret", "must win one last race",
          "finds a letter that was never sent", "learns to live with the sea",
          "is chased across the desert", "opens a school in the mountains")


def film_title(rng):
    first = ("Silent", "Crimson", "Broken", "Paper", "Hidden", "Winter", "Distant", "Golden",
             "Hollow", "Electric", "Burning", "Second", "Midnight", "Glass", "Salt")
    last = ("River", "Harvest", "Orchard", "Signal", "Kingdom", "Letters", "Shore", "Station",
            "Garden", "Horizon", "Mirror", "Parade", "Compass", "Summer", "Engine", "Tide",
            "Avenue", "Witness", "Lantern", "Bridge")
    form = rng.choice(("The {} {}", "{} {}", "{} {}", "A {} {}", "{} {} II"))
    return form.format(rng.choice(first), rng.choice(last))


def films_rows(rng):
    seen = set()
    while len(seen) < 420:
        title = film_title(rng)
        if title in seen:
            continue
        seen.add(title)
        genre = pick(rng, {name: row[0] for name, row in GENRES.items()})
        _, runtime, budget, score = GENRES[genre]
        country = pick(rng, COUNTRIES)
        released = day_between(rng, date(1998, 1, 1), date(2025, 6, 30))
        critics = min(99, max(9, round(rng.gauss(score, 14))))
        viewers = min(9.6, max(2.1, rng.gauss(4.2 + critics / 32, 0.7)))
        cost = budget * rng.lognormvariate(0, 0.6) * (1 if country == "United States" else 0.4)
        gross = cost * rng.lognormvariate(0.55, 0.8)
        added = day_between(rng, max(released, date(2021, 1, 1)), date(2025, 8, 31))
        yield [
            title, genre, country, LANGUAGES[country], released,
            maybe(rng, 0.01, max(62, round(rng.gauss(runtime, 15)))),
            pick(rng, {"12+": 36, "16+": 28, "All ages": 24, "18+": 12}),
            maybe(rng, 0.05, critics), f"{viewers:.1f}",
            round(rng.lognormvariate(9.2, 1.1)), maybe(rng, 0.14, f"{cost:.1f}"),
            maybe(rng, 0.11, f"{gross:.1f}"),
            "Yes" if rng.random() < max(0.02, (critics - 55) / 110) else "No", added,
            maybe(rng, 0.06, f"{rng.choice(HEROES).capitalize()} {rng.choice(QUESTS)}."),
        ]


def films(folder):
    write(folder, "films", ["Title", "Genre", "Country", "Language", "Release Date",
                            "Runtime (min)", "Age Rating", "Critic Score (%)", "Viewer Rating",
                            "Votes", "Budget ($M)", "Box Office ($M)", "Award Winner", "Added On",
                            "Synopsis"], films_rows(generator("films")))


# --- payroll --------------------------------------------------------------

UNITS = {
    # department: (people, mean salary, budget, floor, job titles)
    "Customer Care": (58, 44000, 3100000, 1, ("Support Agent", "Team Lead")),
    "Sales": (49, 61000, 4300000, 2, ("Account Manager", "Sales Engineer", "Team Lead")),
    "Research and Development": (63, 92000, 7900000, 3,
                                 ("Software Engineer", "Data Scientist", "Lab Technician")),
    "Human Resources": (14, 57000, 1150000, 4, ("Recruiter", "HR Partner")),
    "Finance": (21, 68000, 1900000, 4, ("Accountant", "Controller")),
    "Legal": (8, 99000, 1250000, 5, ("Counsel",)),
    "Warehouse": (41, 36500, 2200000, 0, ("Picker", "Forklift Driver", "Shift Manager")),
    "Marketing": (17, 59000, 1700000, 2, ("Copywriter", "Brand Manager")),
}
LEAVES = {
    # type: (weight, days from, days to)
    "Annual leave": (56, 1, 15), "Sick leave": (33, 1, 8), "Parental leave": (4, 20, 80),
    "Unpaid leave": (3, 2, 20), "Training": (4, 1, 5),
}


def payroll_employees(rng):
    offices = {"New York": 44, "San Francisco": 24, "Salt Lake City": 20, "Boston": 12}
    number = 1000
    for index, (people, mean, _, _, titles) in enumerate(UNITS.values()):
        boss = ""
        for place in range(people):
            number += rng.randint(1, 3)
            hired = day_between(rng, date(2009, 2, 1), date(2026, 2, 16))
            late = max(hired + timedelta(days=120), date(2023, 1, 1))
            left = rng.random() < 0.11 and place > 0 and late < date(2026, 2, 1)
            years = (date(2026, 3, 1) - hired).days / 365
            salary = mean * rng.lognormvariate(0, 0.16) * (1 + 0.012 * years)
            yield [
                number, f"DP{index + 1:02}",
                f"Head of {list(UNITS)[index]}" if place == 0 else rng.choice(titles),
                pick(rng, {"F": 49, "M": 48, "X": 3}),
                hired - timedelta(days=rng.randint(7400, 15000)), hired,
                day_between(rng, late, date(2026, 2, 27)) if left else "",
                int(round(salary * (1.7 if place == 0 else 1), -2)),
                pick(rng, {0: 30, 5: 34, 8: 14, 10: 15, 15: 7}),
                pick(rng, {"Full time": 76, "Part time": 15, "Fixed term": 9}),
                "Salt Lake City" if index == 6 else pick(rng, offices),
                "N" if index == 6 else pick(rng, {"Y": 37, "N": 63}), boss,
                maybe(rng, 0.12, pick(rng, {1: 3, 2: 11, 3: 44, 4: 31, 5: 11})),
            ]
            boss = boss or number


def payroll_leave(rng, employees):
    first, last = date(2025, 1, 6), date(2026, 3, 13)
    days = sorted(day_between(rng, first, last) for _ in range(1150))
    days[-1] = last
    for number, start in enumerate(days, 1):
        while start.weekday() > 4:
            start -= timedelta(days=1)
        there = [row for row in employees
                 if row[5] < start and (row[6] == "" or row[6] > start)]
        kind = pick(rng, {name: row[0] for name, row in LEAVES.items()})
        count = rng.randint(*LEAVES[kind][1:])
        end, left = start, count - 1
        while left:
            end += timedelta(days=1)
            left -= end.weekday() < 5
        yield [
            f"L{number:05}", rng.choice(there)[0], kind, start, end, count,
            pick(rng, {"Y": 90, "N": 10}) if kind != "Sick leave" else "Y",
        ]


def payroll(folder):
    departments = [[f"DP{index:02}", name, row[3], row[2]]
                   for index, (name, row) in enumerate(UNITS.items(), 1)]
    employees = list(payroll_employees(generator("employees")))
    leave = payroll_leave(generator("leave"), employees)
    write(folder, "departments", ["dept_id", "dept_name", "floor", "annual_budget_usd"],
          departments)
    write(folder, "employees", ["emp_no", "dept_id", "job_title", "gender", "birth_date",
                                "hire_date", "exit_date", "base_salary", "bonus_pct", "contract",
                                "office", "remote", "mgr_emp_no", "perf_rating"], employees)
    write(folder, "leave", ["leave_id", "emp_no", "leave_type", "from_date", "to_date", "days",
                            "approved"], leave)


# --- energy ---------------------------------------------------------------

TARIFFS = {"Standard": (0.31, 0.31), "Night Saver": (0.35, 0.21), "Green Flex": (0.33, 0.28)}


def energy_homes(rng):
    kinds = {"Apartment": 6, "Terraced house": 5, "Detached house": 5}
    area = {"Apartment": 68, "Terraced house": 112, "Detached house": 164}
    order = [kind for kind, count in kinds.items() for _ in range(count)]
    rng.shuffle(order)
    for number, kind in enumerate(order, 1):
        solar = kind != "Apartment" and rng.random() < 0.6
        yield [
            f"H-{number:02}", kind, round(area[kind] * rng.uniform(0.8, 1.25)),
            rng.choice((1, 2, 2, 3, 4, 5)), rng.choice(("Heat pump", "Gas boiler",
                                                        "District heating")),
            "true" if solar else "false",
            rng.choice(("River Side", "Upper Town", "Mill Quarter")), rng.choice(list(TARIFFS)),
        ]


def energy_log(rng, homes):
    first = datetime(2025, 12, 12)
    level = {home[0]: rng.uniform(0.75, 1.3) for home in homes}
    number = 0
    for step in range(93 * 4):
        at = first + timedelta(hours=6 * step)
        season = math.cos(2 * math.pi * (at.timetuple().tm_yday - 20) / 365)
        outdoor = 7 - 6 * season + (-2.5, -1, 3.5, 1)[at.hour // 6] + rng.gauss(0, 2.2)
        for home in homes:
            number += 1
            usage = (0.5, 1.5, 1.7, 2.4)[at.hour // 6] * (0.55 + 0.22 * home[3])
            if home[4] == "Heat pump":
                usage += max(0, 16 - outdoor) * home[2] / 900
            usage *= level[home[0]] * rng.lognormvariate(0, 0.22)
            sun = (0, 0.25, 1, 0.05)[at.hour // 6] * (2.6 - 1.7 * season)
            solar = sun * rng.uniform(0.1, 1.3) if home[5] == "true" else None
            rate = TARIFFS[home[7]][at.hour < 6]
            lost = rng.random() < 0.012
            yield [
                number, home[0], at.strftime("%Y-%m-%d %H:%M:%S"),
                "" if lost else f"{usage:.3f}", "" if solar is None or lost else f"{solar:.3f}",
                "" if lost else money(usage * rate), f"{outdoor:.1f}",
                "true" if rng.random() < 0.04 else "false",
            ]


def energy(folder):
    homes = list(energy_homes(generator("homes")))
    write(folder, "homes", ["homeId", "dwellingType", "floorAreaSqm", "residentCount",
                            "heatingType", "hasSolar", "cityDistrict", "tariffName"], homes)
    write(folder, "meter_log", ["readingId", "homeId", "readAt", "usageKwh", "solarKwh", "costEur",
                                "outdoorTempC", "isEstimated"],
          energy_log(generator("meter_log"), homes))


if __name__ == "__main__":
    build_all((hospital, bikeshare, films, payroll, energy))
