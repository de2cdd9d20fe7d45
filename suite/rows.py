"""What the makers of the suite's datasets share: chance that is the same every time, cells, and files."""

import csv
import random
import sys
from datetime import datetime, time, timedelta
from pathlib import Path


def generators(seed):
    """Gives each table a random source of its own, so that one can change alone."""
    return lambda name: random.Random(f"{seed}/{name}")


def pick(rng, weighted):
    """One key of a {value: weight} dict."""
    return rng.choices(list(weighted), weights=list(weighted.values()))[0]


def maybe(rng, chance, value):
    """The value, or an empty cell with the given chance."""
    return "" if rng.random() < chance else value


def distinct(make):
    """What `make` gives, one after the other, without what it gave before."""
    seen = set()
    while True:
        value = make()
        if value not in seen:
            seen.add(value)
            yield value


def names(rng, first, last, count):
    """The names of as many people, each with one of the first names and one of the last."""
    return rng.sample([f"{one} {other}" for one in first for other in last], count)


def between(low, value, high):
    """The value, or the limit that it goes beyond."""
    return max(low, min(high, value))


def money(amount):
    return f"{amount:.2f}"


def days(first, last):
    """Every day from the first to the last."""
    return [first + timedelta(days=number) for number in range((last - first).days + 1)]


def day_between(rng, first, last):
    return first + timedelta(days=rng.randrange((last - first).days + 1))


def day_at(day, hour, minute=0, second=0):
    """The moment at which a clock shows the time on a day."""
    return datetime.combine(day, time(hour, minute, second))


def write(folder, table, header, rows):
    """Writes a table; what is `None` becomes an empty cell."""
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / f"{table}.csv", "w", newline="", encoding="utf-8") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(header)
        out.writerows(rows)


def build_all(datasets):
    """Writes every dataset into a folder of its own name below the one that the command names."""
    if len(sys.argv) != 2:
        sys.exit(f"usage: {Path(sys.argv[0]).name} OUTDIR")
    for dataset in datasets:
        dataset(Path(sys.argv[1]) / dataset.__name__)
