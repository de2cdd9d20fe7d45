"""Rows that add up or average other rows, as people's tables have them, are no rows like the others.

One idea: counted along they would double every sum and be the highest group of each. The word alone proves nothing, and
neither does a number that happens to be a sum: a row is set aside only where both are there. One that says it is a
total and whose numbers do not fit stays, and that is said, because nobody can know then what a sum over it means. One
that stands apart, below an empty line at the end, is none of the rows all the same.
"""

import math
import re
from decimal import Decimal

from cells import type_name
from ingest_report import COLUMNS_WIDE, NAMES_SHOWN, plural
from sql import quoted

# Fewer rows above it are added up by chance.
ROWS_MIN = 3
WORDS_MAX = 4
LABEL_LENGTH_MAX = 60
LABELS_SHOWN = 5
# Up to so many cells every row is looked at, beyond only the first and the last ones.
SEARCH_CELLS_MAX = 2_000_000
ENDS_ROWS = 10
# More rows that say total are a part of the data, such as `Total` beside `Male` and `Female`: all of them stay.
ROWS_SAYING_MAX = 2_000
# A total may stand for the rows since one of so many totals before it: months within quarters within a year.
SCOPES_MAX = 8
USUAL_SHARE = 0.5
# How totals differ from their rows once both were rounded for people.
TOLERANCE = 1e-6
_NUMBERS = ("int", "float", "decimal")
_TOTALS = frozenset((
    "total", "totals", "sum", "overall", "subtotal", "subtotals", "summe", "gesamt", "gesamtsumme", "zwischensumme",
    "insgesamt", "somme", "totale", "totaal", "suma", "razem", "summa", "totalt",
))
_AVERAGES = frozenset(("average", "averages", "avg", "mean", "durchschnitt", "mittelwert", "moyenne", "promedio"))
_BESIDE = frozenset(("grand", "sub", "of", "all", "the"))
_SPELLED = "|".join(sorted(_TOTALS | _AVERAGES))
_PATTERN = rf"(?i)^\W*({_SPELLED})\b|\b({_SPELLED})\W*$"


class Totals:
    """What was found: rows to set aside and rows to keep, each as (row from 0, label), and the columns that fit."""

    def __init__(self):
        self.aside, self.kept, self.columns, self.averages = [], [], {}, False
        # Rows to set aside that stand below an empty line and whose numbers do not fit.
        self.apart = []

    def say(self, report, rows):
        """Says what is done to the table of so many rows."""
        if self.aside:
            shown = ", ".join(f"`{name[:60]}`" for name in list(self.columns)[:NAMES_SHOWN])
            shown += ", …" if len(self.columns) > NAMES_SHOWN else ""
            numbers = [row + 1 for row, _ in self.aside]
            if numbers == [rows]:
                does = "averages" if self.averages else "adds up"
                text = f"the last row, `{self.aside[0][1]}`, {does} the rows above it ({shown}) and was set aside"
            else:
                count = plural(len(numbers), "row that adds up or averages", "rows that add up or average")
                text = f"{count} other rows ({shown}), set aside: {_listed(self.aside)}"
            report.say("rows_set_aside", text, count=len(numbers), rows=numbers)
        if self.apart:
            one, many = "row that says it is a total and does not", "rows that say they are totals and do not"
            text = f"{plural(len(self.apart), one, many)} fit the rows above, below an empty line and set aside: "
            numbers = [row + 1 for row, _ in self.apart]
            report.say("rows_set_aside", text + _listed(self.apart), count=len(numbers), rows=numbers)
        if self.kept:
            one, many = "row looks like a total and does not", "rows look like totals and do not"
            text = f"{plural(len(self.kept), one, many)} fit the rows around, kept: {_listed(self.kept)}"
            if len(self.kept) > ROWS_SAYING_MAX:
                text = f"more than {ROWS_SAYING_MAX} rows say they are totals, kept: {_listed(self.kept)}"
            report.say("totals_kept", text, count=len(self.kept), rows=[row + 1 for row, _ in self.kept])


def _listed(found):
    shown = ", ".join(f"row {row + 1} `{label}`" for row, label in found[:LABELS_SHOWN])
    return shown + (", …" if len(found) > LABELS_SHOWN else "")


class _Saying:
    """A row that says it is a total or an average, with its numbers by column."""

    def __init__(self, row, label, names, cells):
        words = _words(label)
        self.row, self.label, self.cells, self.names = row, label, cells, names
        self.averages = words[0] in _AVERAGES or words[-1] in _AVERAGES
        self.only_says = all(word in _TOTALS or word in _AVERAGES or word in _BESIDE for word in words)
        self.alone = True

    def fitting(self, sums):
        """The columns whose number is what rows with these sums and counts come to."""
        return [name for name, cell in self.cells.items() if _fits(cell, *sums[name], self.averages)]

    def proven(self, sums):
        """The columns that prove what the row says; where its other cells are filled like any row's, all must."""
        found = self.fitting(sums)
        sure = any(sums[name][1] > 1 for name in found) and (self.alone or len(found) == len(self.cells))
        return found if sure else []

    def repeats(self, sums):
        """Whether it is the total of a single row, which only other totals make believable."""
        return len(self.fitting(sums)) == len(self.cells) and max(count for _, count in sums.values()) == 1


def find(engine, table, rows, left_out=(), apart=0):
    """The rows of totals among the table's rows, those left out already not counted along; so many of the last stand
    below an empty line.
    """
    totals = Totals()
    if rows - len(left_out) < ROWS_MIN:
        return totals
    source = quoted(table)
    described = [(name, type_name(kind)) for name, kind, *_ in engine.execute(f"DESCRIBE {source}").fetchall()]
    kinds = {kind for _, kind in described}
    if len(described) > COLUMNS_WIDE or "text" not in kinds or not kinds & set(_NUMBERS):
        return totals
    saying = _saying(engine, source, described, rows, left_out)
    if len(saying) > ROWS_SAYING_MAX:
        totals.kept = [(each.row, each.label) for each in saying]
    elif saying:
        _judge(saying, _between(engine, source, described, saying, left_out), totals)
        totals.apart = [(row, label) for row, label in totals.kept if row >= rows - apart]
        totals.kept = [(row, label) for row, label in totals.kept if row < rows - apart]
    return totals


def _saying(engine, source, described, rows, left_out):
    """The rows with a text that begins or ends in a word for totals, and with numbers."""
    texts = [quoted(name) for name, kind in described if kind == "text"]
    says = " OR ".join(
        f"(length({cell}) <= {LABEL_LENGTH_MAX} AND regexp_matches({cell}, '{_PATTERN}'))" for cell in texts
    )
    ends = "" if rows * len(texts) <= SEARCH_CELLS_MAX else f"(rowid = 0 OR rowid >= {rows - ENDS_ROWS}) AND "
    wanted = f"SELECT rowid, * FROM {source} WHERE {ends}({says}) ORDER BY rowid LIMIT {ROWS_SAYING_MAX + 1}"
    found = []
    for row, *cells in engine.execute(wanted).fetchall():
        named = list(zip(described, cells))
        label = next((cell for (_, kind), cell in named if kind == "text" and cell and _says_total(cell)), None)
        numbers = {name: cell for (name, kind), cell in named if kind in _NUMBERS and cell}
        if label and numbers and row not in left_out:
            found.append(_Saying(row, label.strip(), [name for (name, _), cell in named if cell is None], numbers))
    return found


def _between(engine, source, described, saying, left_out):
    """The sums and counts of each number over the rows before, between and behind those that say total.

    Also finds which of those stand out by an empty cell where other rows have one that is filled.
    """
    marks = ", ".join(f"({each.row})" for each in saying)
    without = ", ".join(str(row) for row in [each.row for each in saying] + list(left_out))
    numbers = [name for name, kind in described if kind in _NUMBERS]
    sums = [f"coalesce(sum(CAST({quoted(name)} AS DOUBLE)), 0)" for name in numbers]
    counts = [f"count({quoted(name)})" for name, _ in described]
    found = engine.execute(
        f"SELECT marks.mark, count(*), {', '.join(sums + counts)} FROM {source} AS t "
        f"ASOF LEFT JOIN (VALUES {marks}) AS marks(mark) ON t.rowid >= marks.mark "
        f"WHERE t.rowid NOT IN ({without}) GROUP BY 1"
    ).fetchall()
    filled, rows, parts = dict.fromkeys((name for name, _ in described), 0), 0, {}
    for mark, count, *values in found:
        counted = dict(zip(filled, values[len(numbers) :]))
        parts[mark] = {name: (value, counted[name]) for name, value in zip(numbers, values)}
        rows += count
        for name, cells in counted.items():
            filled[name] += cells
    usual = {name for name, count in filled.items() if count >= USUAL_SHARE * rows}
    texts = [name for name, kind in described if kind not in _NUMBERS and name in usual]
    for each in saying:
        each.alone = each.only_says or len(texts) < 2 or bool(usual & set(each.names))
    nothing = {name: (0.0, 0) for name in numbers}
    return [parts.get(mark, nothing) for mark in [None] + [each.row for each in saying]]


def _judge(saying, between, totals):
    """Holds each row against all rows above it and against those since each of the last totals, in one pass."""
    # Sums without any row that says total, and with those of them that are kept.
    plain = along = between[0]
    nothing = {name: (0.0, 0) for name in plain}
    starts, aside, kept, single = [(nothing, nothing)], [], [], []
    for each, part in zip(saying, between[1:]):
        scopes = [_minus(now, then) for start in reversed(starts) for now, then in zip((plain, along), start)]
        proven = next(filter(None, (each.proven(scope) for scope in scopes)), [])
        if proven or each.repeats(scopes[0]):
            (aside if proven else single).append(each)
            totals.columns.update(dict.fromkeys(proven))
        else:
            kept.append(each)
            along = _plus(along, _own(each, nothing))
        if each.alone:
            # Also behind a total that is wrong the next one begins anew.
            starts = starts[:1] + [*starts[1:], (plain, along)][-SCOPES_MAX:]
        plain, along = _plus(plain, part), _plus(along, part)
    first = kept[0] if kept and kept[0].row == 0 else None
    if first:
        below = plain, _minus(along, _own(first, nothing))
        proven = next(filter(None, map(first.proven, below)), [])
        if proven:
            totals.columns.update(dict.fromkeys(proven))
            aside.append(kept.pop(0))
    (aside if aside else kept).extend(single)
    totals.averages = all(each.averages for each in aside)
    totals.aside = sorted((each.row, each.label) for each in aside)
    totals.kept = sorted((each.row, each.label) for each in kept if each.alone)


def _own(each, nothing):
    return nothing | {name: (float(cell), 1) for name, cell in each.cells.items()}


def _plus(one, other):
    return {name: (value + other[name][0], count + other[name][1]) for name, (value, count) in one.items()}


def _minus(one, other):
    return {name: (value - other[name][0], count - other[name][1]) for name, (value, count) in one.items()}


def _fits(cell, added, count, averages):
    if not count:
        return False
    value, wanted = float(cell), added / count if averages else added
    # An average is written with fewer digits than it has.
    rounding = 0.5000001 * 10.0 ** -_places(cell) if averages else 0.0
    return math.isclose(value, wanted, rel_tol=TOLERANCE, abs_tol=rounding)


def _places(cell):
    """How many digits of a fraction a number was written with, as far as it shows."""
    exponent = Decimal(str(cell)).normalize().as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def _words(text):
    return re.findall(r"\w+", text.casefold())


def _says_total(text):
    words = _words(text)
    ends = {words[0], words[-1]} if words else set()
    return len(words) <= WORDS_MAX and bool(ends & (_TOTALS | _AVERAGES))
