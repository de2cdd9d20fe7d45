"""What the makers of the suite's datasets share: chance that is the same every time, cells, and files."""

import csv
import random
import sys
from datetime import timedelta
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


def money(amount):
    return f"{amount:.2f}"


def day_between(rng, first, last):
    return first + timedelta(days=rng.randrange((last - first).days + 1))


def write(folder, table, header, rows):
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
