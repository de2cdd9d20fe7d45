"""Writes random tables and questions about them, with what is right, as `assay eval` reads them.

    python3 make.py SEED FILES QUESTIONS FOLDER

The same numbers give the same questions. What is right is computed here, from
the plan the question was made of, and nothing of the program is used for it.
"""

import json
import random
import sys
from pathlib import Path

from plans import PLANS, Unfit
from worlds import World

TRIES_MAX = 50


def asked(chance, world):
    """A plan that has an answer over this world, and its name."""
    for _ in range(TRIES_MAX):
        make = chance.choice(PLANS)
        try:
            return make(chance, world), make.__name__
        except Unfit:
            continue
    raise SystemExit("no plan fits this table")


def dressed(chance, text):
    """As people type it."""
    form = chance.randrange(4)
    if form == 0:
        return text[0].upper() + text[1:] + "?"
    if form == 1 and not text.startswith(("how", "what", "which", "list", "count", "for", "compare")):
        return chance.choice(("show me the ", "show the ", "give me the ")) + text.removeprefix("the ")
    return text + chance.choice(("", "", "?", "."))


def expected(plan):
    """What is right; a date is written as such, everything else is JSON already."""
    plain = lambda cell: cell.isoformat() if hasattr(cell, "isoformat") else cell
    first, *also = [[[plain(cell) for cell in row] for row in rows] for rows in plan.sets]
    return {"rows": first, "also": also, "ordered": plan.ordered}


def main():
    if len(sys.argv) != 5:
        sys.exit("usage: make.py SEED FILES QUESTIONS FOLDER")
    seed, files, questions, folder = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4])
    chance = random.Random(seed)
    seen = set()
    with open(folder / "cases.jsonl", "w", encoding="utf-8") as out:
        for number in range(files):
            world = World(chance, number)
            world.write(folder)
            wanted = len(seen) + questions // files
            while len(seen) < wanted:
                plan, name = asked(chance, world)
                for phrasing in chance.sample(plan.phrasings, min(2, len(plan.phrasings))):
                    question = dressed(chance, phrasing)
                    if (number, question) in seen or len(seen) == wanted:
                        continue
                    seen.add((number, question))
                    case = {"id": f"{name} {len(seen)}", "dataset": [f"{world.folder}/{world.file}"],
                            "question": question, "expect": expected(plan)}
                    out.write(json.dumps(case, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
