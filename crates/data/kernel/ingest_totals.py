"""A last row that adds up the rows above it, as people's tables have one, is no row like the others.

One idea: counted along it would double every sum and be the highest group of each. The word alone proves nothing, and
neither does a number that happens to be a sum: the row is set aside, and that is said, only where both are there.
"""

import math

from cells import type_name
from ingest_report import COLUMNS_WIDE
from sql import quoted

# Fewer rows above it are added up by chance.
ROWS_MIN = 3
WORDS_MAX = 4
# How totals differ from their rows once both were rounded for people.
TOLERANCE = 1e-6
_NUMBERS = ("int", "float", "decimal")
_WORDS = frozenset((
    "total", "totals", "sum", "overall", "grand", "subtotal", "summe", "gesamt", "gesamtsumme", "insgesamt", "somme",
    "totale", "totaal", "suma", "razem", "summa", "totalt",
))


def set_aside(engine, table, rows, report):
    """Takes a row of totals out of the table; gives how many rows the table has then."""
    if rows < ROWS_MIN:
        return rows
    source = quoted(table)
    described = [(name, type_name(kind)) for name, kind, *_ in engine.execute(f"DESCRIBE {source}").fetchall()]
    kinds = [kind for _, kind in described]
    if len(kinds) > COLUMNS_WIDE or "text" not in kinds:
        return rows
    last = engine.execute(f"SELECT * FROM {source} WHERE rowid = {rows - 1}").fetchall()[0]
    word = next((cell for cell, kind in zip(last, kinds) if kind == "text" and cell), "")
    filled = [(name, cell) for cell, (name, kind) in zip(last, described) if kind in _NUMBERS and cell]
    if not filled or not _says_total(word):
        return rows
    wanted = ", ".join(f"sum(CAST({quoted(name)} AS DOUBLE)), count({quoted(name)})" for name, _ in filled)
    sums = engine.execute(f"SELECT {wanted} FROM {source} WHERE rowid < {rows - 1}").fetchall()[0]
    added = zip(filled, sums[0::2], sums[1::2])
    proven = [name for (name, cell), found, count in added
              if count >= ROWS_MIN - 1 and math.isclose(float(cell), found, rel_tol=TOLERANCE)]
    if not proven:
        return rows
    engine.execute(f"DELETE FROM {source} WHERE rowid = {rows - 1}")
    text = f"the last row, `{word[:60]}`, adds up the rows above it (`{proven[0][:60]}`) and was set aside"
    report.say("rows_set_aside", text, count=1, rows=[rows])
    return rows - 1


def _says_total(text):
    words = text.casefold().replace(":", " ").split()
    return bool(words) and len(words) <= WORDS_MAX and words[0] in _WORDS
