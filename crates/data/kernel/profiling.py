"""What is measured of tables that were read: counts, ranges, values and shapes.

One idea: look at every row once for what must be right (counts, ranges, whether a column is unique) and at a part of a
large table for what only has to be typical (quantiles, histograms, patterns). Which rows are that part depends on their
numbers alone, so the same file gives the same answer. Wide tables are measured in batches of columns, with less detail
beyond the first few hundred.
"""

import datetime
import math

import profiling_names
import profiling_running
from cells import encode, type_name
from profiling_links import fold, relate  # noqa: F401  who profiles also asks how tables hang together
from sql import quoted

VALUES_BYTES_MAX = 1 << 20
# Up to here everything is of all rows; above, shapes are of a part of them.
ROWS_EXACT_MAX = 1_000_000
SAMPLE_ROWS = 200_000
SAMPLE_CELLS_MAX = 8_000_000
PATTERN_ROWS = 20_000
# Beyond this the values of columns are not looked at, and from here on tables are wide.
COLUMNS_DETAILED_MAX = 500
# Of a wide table, the columns that get quantiles, histograms and patterns.
COLUMNS_SHAPED_MAX = 100
BATCH_COLUMNS = 200
# Every statement costs as much as its table has columns: a wide one is measured in slices that were copied.
SLICE_COLUMNS = 100
SLICED_ROWS_MAX = 100_000
# Up to so many cells of columns that only get counts and ranges are looked at one by one, which takes one statement.
CELLS_COUNTED_MAX = 1_000_000
# Sets and maps of many columns in one statement cost more than as many statements.
BATCH_SETS = 20
BATCH_CELLS = 20_000_000
# Above so many distinct values of a large table, which of them are frequent is looked up in the sample.
GROUPS_MAX = {"text": 100_000}
GROUPS_MAX_OTHERS = 10_000
# The estimate of distinct values is up to a tenth off: below this share of the rows no column is unique.
UNIQUE_SHARE_MIN = 0.7
BITS_MAX = 1 << 30
TOP_MAX = 10
# So many times the mean, and so many rows of the sample, before a value of a large column counts as frequent.
TOP_SAMPLED_MIN = 10
BINS = 20
TEXT_SHOWN_MAX = 200
PATTERN_CHARS_MAX = 64
PATTERN_SHARE = 0.95
PATTERN_WORDS_MIN = 3
EXAMPLE_ROWS = 100
# A table of so few cells is kept whole for planning.
CELLS_KEPT_MAX = 2_000
CELLS_KEPT_CHARACTERS_MAX = 100_000

_RANGED = ("int", "float", "decimal", "date", "timestamp")
_KEYS = ("int", "text", "date", "timestamp")
_WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER")
# No file gives a table such a name.
_SAMPLE = 'temp.main."profile sample"'
_SLICE = 'temp.main."profile slice"'


def profile(engine, table, values_max):
    """What is known of a table: its rows, and of each column counts, range, values, quantiles and shape."""
    source = quoted(table)
    columns = [_Column(name, kind) for name, kind, *_ in engine.execute(f"DESCRIBE {source}").fetchall()]
    rows = engine.execute(f"SELECT count(*) FROM {source}").fetchall()[0][0]
    try:
        if len(columns) <= COLUMNS_DETAILED_MAX or rows > SLICED_ROWS_MAX:
            sampled = _measure(_Table(engine, source, rows, columns, COLUMNS_DETAILED_MAX, len(columns)), values_max)
        else:
            sampled, rest = None, columns[COLUMNS_DETAILED_MAX:]
            counted = rows * len(rest) <= CELLS_COUNTED_MAX
            for start in range(0, COLUMNS_DETAILED_MAX if counted else len(columns), SLICE_COLUMNS):
                part = columns[start : start + SLICE_COLUMNS]
                cells = ", ".join(column.cell for column in part)
                engine.execute(f"CREATE OR REPLACE TEMP TABLE {_SLICE} AS SELECT {cells} FROM {source}")
                detailed, shaped = COLUMNS_DETAILED_MAX - start, COLUMNS_SHAPED_MAX - start
                _measure(_Table(engine, _SLICE, rows, part, detailed, shaped), values_max)
            if counted:
                _count_cells(engine, source, rest)
        profiling_running.mark(engine, source, rows, columns[:COLUMNS_DETAILED_MAX])
        profiling_names.mark(engine, source, rows, columns[:COLUMNS_DETAILED_MAX])
    finally:
        engine.execute(f"DROP TABLE IF EXISTS {_SAMPLE}; DROP TABLE IF EXISTS {_SLICE}")
    answers = [column.answer(rows) for column in columns]
    small = rows * len(columns) <= CELLS_KEPT_MAX
    cells = kept_cells(engine.execute(f"SELECT * FROM {source}").fetchall()) if small else []
    return {"name": table, "rows": rows, "sampled_rows": sampled, "columns": answers, "cells": cells}


def _count_cells(engine, source, columns):
    """Counts and ranges of the last columns of a wide and short table, from its cells."""
    rows = engine.execute(f"SELECT {', '.join(column.cell for column in columns)} FROM {source}").fetchall()
    for column, cells in zip(columns, zip(*rows) if rows else [()] * len(columns)):
        filled = [cell for cell in cells if cell is not None]
        column.filled, column.distinct, column.exact = len(filled), len(set(filled)), True
        if filled and column.type != "json":
            # What is not a number comes after all numbers, as in the engine.
            column.least, column.greatest = (end(filled, key=lambda cell: (cell != cell, cell)) for end in (min, max))
        column.show_example(next(iter(filled[:1]), None))


def kept_cells(rows):
    """Every row of a small table, so that planning can see what a condition leaves; nothing of a larger one."""
    if not rows or len(rows) * len(rows[0]) > CELLS_KEPT_MAX:
        return []
    kept = [[encode(cell) for cell in row] for row in rows]
    characters = sum(len(cell) for row in kept for cell in row if isinstance(cell, str))
    return kept if characters <= CELLS_KEPT_CHARACTERS_MAX else []


def _measure(table, values_max):
    """Fills in the columns, and says how many rows shapes were taken of if not of all."""
    table.count()
    table.take_sample()
    for column in table.detailed:
        table.look_at_values(column, values_max)
    table.count_the_rest()
    table.look_at_shapes()
    table.find_examples()
    return table.sample_rows if table.is_sampled else None


class _Column:
    """One column while it is measured."""

    def __init__(self, name, kind):
        self.name, self.kind, self.type, self.cell = name, kind, type_name(kind), quoted(name)
        self.filled = self.distinct = 0
        self.exact = False
        self.least = self.greatest = self.low = self.high = None
        self.values, self.complete, self.top, self.frequent = [], False, [], []
        self.quantiles, self.quantiles_exact, self.histogram = [], False, []
        self.pattern = self.example = self.running = self.stock = self.repeats_within = None

    def position(self):
        """Where a value lies, as a number."""
        return f"epoch({self.cell})" if self.type in ("date", "timestamp") else f"CAST({self.cell} AS DOUBLE)"

    def is_ranged(self):
        return self.type in _RANGED and self.filled > 0

    def show_example(self, cell):
        example = encode(cell)
        is_long = isinstance(example, str) and len(example) > TEXT_SHOWN_MAX
        self.example = example[:TEXT_SHOWN_MAX] + "…" if is_long else example

    def answer(self, rows):
        return {
            "name": self.name, "type": self.type, "nulls": rows - self.filled, "distinct": self.distinct,
            "distinct_is_exact": self.exact, "unique": self.exact and rows > 0 and self.distinct == rows,
            "min": encode(self.least), "max": encode(self.greatest), "values": self.values,
            "values_complete": self.complete, "unit": None, "quantiles": [encode(value) for value in self.quantiles],
            "quantiles_are_exact": self.quantiles_exact, "top": [[encode(value), count] for value, count in self.top],
            "histogram": self.histogram, "pattern": self.pattern, "example": self.example,
            "running": self.running, "stock": self.stock, "repeats_within": self.repeats_within,
        }


class _Table:
    """One table, or some columns of a wide one, while it is measured."""

    def __init__(self, engine, source, rows, columns, detailed, shaped):
        self.engine, self.name, self.rows, self.columns = engine, source, rows, columns
        self.detailed = columns[: max(0, detailed)]
        self.shaped = self.detailed[: max(0, shaped)]
        self.is_sampled = rows > ROWS_EXACT_MAX
        self.source, self.sample_rows = source, rows

    def _one(self, expressions, source):
        return self.engine.execute(f"SELECT {expressions} FROM {source}").fetchall()[0]

    def count(self):
        """What is asked of every row: what is filled, the range, and distinct values.

        Ranges of texts are left for later in a large table: the engine knows the others without looking at a row, and
        the values that are found there tell most of them.
        """
        later = [column for column in self.detailed if column.type == "text" and self.is_sampled]
        for batch in _batches([column for column in self.columns if column not in later], BATCH_COLUMNS):
            self._find_ranges(batch)
        for batch in _batches(later, BATCH_COLUMNS):
            filled = self._one(", ".join(f"count({column.cell})" for column in batch), self.name)
            for column, count in zip(batch, filled):
                column.filled = count
        unknown = [column for column in self.columns if not self._count_by_range(column)]
        for batch in _batches(unknown, BATCH_COLUMNS):
            wanted = ", ".join(f"approx_count_distinct({column.cell})" for column in batch)
            for column, distinct in zip(batch, self._one(wanted, self.name)):
                # An estimate may exceed what is possible.
                column.distinct, column.exact = min(distinct, column.filled), column.filled == 0

    def _find_ranges(self, batch):
        answers = iter(self._one(", ".join(text for column in batch for text in _range(column)), self.name))
        for column in batch:
            column.filled, column.least, column.greatest = next(answers), next(answers), next(answers)

    def _count_by_range(self, column):
        """Distinct values of a large table's column of few possible ones, which need not be estimated first."""
        if not self.is_sampled or column not in self.detailed or column.filled == 0:
            return False
        possible = _possible(column)
        if possible is not None and possible <= GROUPS_MAX_OTHERS:
            # Its groups are counted when its values are looked at.
            column.distinct = min(possible, column.filled)
            return True
        if self._fits_in_bits(column):
            low, high = int(column.least), int(column.greatest)
            bits = f"bit_count(bitstring_agg(CAST({column.cell} AS BIGINT), {low}, {high}))"
            column.distinct, column.exact = self._one(bits, self.name)[0], True
            return True
        return False

    def take_sample(self):
        """A part of a large table, chosen by the rows' numbers: evenly spread, and blind to anything that repeats."""
        if not self.is_sampled:
            return
        wanted = max(1, min(SAMPLE_ROWS, SAMPLE_CELLS_MAX // len(self.detailed)))
        cells = ", ".join(column.cell for column in self.detailed)
        self.engine.execute(
            f"CREATE OR REPLACE TEMP TABLE {_SAMPLE} AS SELECT {cells} FROM {self.name} "
            f"WHERE hash(rowid) % {math.ceil(self.rows / wanted)} = 0"
        )
        self.source = _SAMPLE
        self.sample_rows = self._one("count(*)", _SAMPLE)[0]

    def look_at_values(self, column, values_max):
        """The frequent values with their counts; those of a text column are kept for the planner."""
        if column.type == "json" or column.filled == 0:
            return
        limit = values_max + 1 if column.type == "text" else TOP_MAX
        if not self.is_sampled or column.distinct <= GROUPS_MAX.get(column.type, GROUPS_MAX_OTHERS):
            column.frequent, column.distinct = self._frequent(self.name, column, limit)
            column.exact, top = True, column.frequent[:TOP_MAX]
        else:
            column.frequent, _ = self._frequent(self.source, column, limit)
            clearly = TOP_SAMPLED_MIN * max(1, self.sample_rows / column.distinct)
            top = self._counted(column, [value for value, count in column.frequent[:TOP_MAX] if count >= clearly])
        if top and (top[0][1] > 1 or column.distinct <= TOP_MAX):
            column.top = [(value, count) for value, count in top if len(str(value)) <= TEXT_SHOWN_MAX]
        if column.type == "text":
            column.values, all_fit = _bounded([encode(value) for value, _ in column.frequent], values_max)
            column.complete = all_fit and column.exact
            if self.is_sampled:
                self._find_ends_of_text(column)

    def _find_ends_of_text(self, column):
        """The least and the greatest text: letters have the same order here as in the engine."""
        if column.exact and column.kind == "VARCHAR" and len(column.frequent) == column.distinct:
            values = [value for value, _ in column.frequent]
            column.least, column.greatest = min(values), max(values)
        else:
            self._find_ranges([column])

    def _frequent(self, source, column, limit):
        """Values, most frequent first, then in their own order, and how many distinct ones there are."""
        found = self.engine.execute(
            f"SELECT {column.cell}, count(*) AS times, count(*) OVER () FROM {source} WHERE {column.cell} IS NOT NULL "
            f"GROUP BY {column.cell} ORDER BY times DESC, {column.cell} LIMIT {limit}"
        ).fetchall()
        return [(value, times) for value, times, _ in found], (found[0][2] if found else 0)

    def _counted(self, column, values):
        if not values:
            return []
        places = ", ".join("?" for _ in values)
        return self.engine.execute(
            f"SELECT {column.cell}, count(*) AS times FROM {self.name} WHERE {column.cell} IN ({places}) "
            f"GROUP BY {column.cell} ORDER BY times DESC, {column.cell}",
            values,
        ).fetchall()

    def count_the_rest(self):
        """Exact counts where an estimate is not enough: columns that may be unique, and whatever is cheap."""
        unsure = [column for column in self.detailed if not column.exact]
        if self.is_sampled:
            for column in unsure:
                self._count_large(column)
            return
        for batch in _batches(unsure, BATCH_SETS):
            counts = ", ".join(f"count(DISTINCT {column.cell})" for column in batch)
            for column, distinct in zip(batch, self._one(counts, self.name)):
                column.distinct, column.exact = distinct, True

    def _may_be_unique(self, column):
        return column.filled == self.rows and column.distinct >= UNIQUE_SHARE_MIN * self.rows

    def _count_large(self, column):
        if self._may_be_unique(column) and column.type in _KEYS:
            # As many hashes as rows prove as many values; fewer prove nothing, and the estimate stays.
            if self._one(f"count(DISTINCT hash({column.cell}))", self.name)[0] == self.rows:
                column.distinct, column.exact = self.rows, True

    def _fits_in_bits(self, column):
        """Whether one bit for each possible value is less than the values themselves."""
        if column.kind.upper() not in _WHOLE or column.filled == 0:
            return False
        return int(column.greatest) - int(column.least) < min(BITS_MAX, 64 * self.rows)

    def look_at_shapes(self):
        """Quantiles and histograms of what has a range, patterns of texts."""
        ranged = [column for column in self.shaped if column.is_ranged()]
        for batch in _batches(ranged, max(1, min(BATCH_COLUMNS, BATCH_CELLS // max(1, self.sample_rows)))):
            self._quantiles(batch)
            self._find_ends(batch)
        for batch in _batches([column for column in ranged if _has_width(column)], BATCH_SETS):
            self._histograms(batch)
        for column in self.shaped:
            if column.type == "text" and column.filled:
                column.pattern = _pattern(column.frequent if column.complete else self._some_texts(column))

    def _quantiles(self, batch):
        wanted = ", ".join(f"quantile_disc({column.cell}, [0.25, 0.5, 0.75])" for column in batch)
        for column, middle in zip(batch, self._one(wanted, self.source)):
            if middle is not None:
                column.quantiles = [column.least, *middle, column.greatest]
                column.quantiles_exact = not self.is_sampled

    def _find_ends(self, batch):
        """The range of a histogram as numbers, without what is infinite or not a number."""
        times = [column for column in batch if column.type in ("date", "timestamp")]
        for column in batch:
            if column not in times:
                column.low, column.high = float(column.least), float(column.greatest)
        if times:
            wanted = ", ".join(f"epoch({end}({column.cell}))" for column in times for end in ("min", "max"))
            answers = iter(self._one(wanted, self.name))
            for column in times:
                column.low, column.high = next(answers), next(answers)
        for column in batch:
            if column.type == "float" and not (math.isfinite(column.low) and math.isfinite(column.high)):
                finite = ", ".join(f"{end}({column.cell}) FILTER (isfinite({column.cell}))" for end in ("min", "max"))
                column.low, column.high = self._one(finite, self.name)

    def _histograms(self, batch):
        wanted = ", ".join(f"histogram({_bin(column)})" for column in batch)
        for column, bins in zip(batch, self._one(wanted, self.source)):
            bins = bins or {}
            column.histogram = [bins.get(number, 0) for number in range(BINS)]

    def _some_texts(self, column):
        every = math.ceil(self.sample_rows / PATTERN_ROWS)
        spread = f"AND hash(rowid) % {every} = 0" if every > 1 else ""
        found = self.engine.execute(
            f"SELECT left(CAST({column.cell} AS VARCHAR), {PATTERN_CHARS_MAX + 1}) AS start, count(*) "
            f"FROM {self.source} WHERE {column.cell} IS NOT NULL {spread} GROUP BY start"
        )
        return found.fetchall()

    def find_examples(self):
        """The first filled cell near the top of the file, else the most frequent or least value."""
        for batch in _batches(self.columns, BATCH_COLUMNS):
            cells = ", ".join(column.cell for column in batch)
            rows = self.engine.execute(f"SELECT {cells} FROM {self.name} LIMIT {EXAMPLE_ROWS}").fetchall()
            for position, column in enumerate(batch):
                near = (row[position] for row in rows if row[position] is not None)
                known = column.frequent[0][0] if column.frequent else column.least
                column.show_example(next(near, known))


def _batches(items, size):
    return (items[start : start + size] for start in range(0, len(items), size))


def _range(column):
    """What is filled, and the least and greatest value."""
    cell = column.cell
    ends = ("NULL", "NULL") if column.type == "json" else (f"min({cell})", f"max({cell})")
    return f"count({cell})", *ends


def _possible(column):
    """How many values lie in the range of a column; None where that cannot be counted."""
    if column.kind.upper() in _WHOLE:
        return int(column.greatest) - int(column.least) + 1
    if column.type == "date" and isinstance(column.least, datetime.date) and isinstance(column.greatest, datetime.date):
        return (column.greatest - column.least).days + 1
    return 2 if column.type == "bool" else None


def _has_width(column):
    if column.low is None or column.high is None:
        return False
    return math.isfinite(column.low) and math.isfinite(column.high) and 0 < column.high - column.low < math.inf


def _bin(column):
    """The number of the bin a value lies in; what is not finite lies in none."""
    place, width = column.position(), column.high - column.low
    share = f"({place} - CAST('{column.low!r}' AS DOUBLE)) / CAST('{width!r}' AS DOUBLE) * {BINS}"
    return f"CASE WHEN isfinite({place}) THEN CAST(greatest(0, least({BINS - 1}, floor({share}))) AS INTEGER) END"


def _bounded(values, values_max):
    """As many values as are kept, and whether that is all of them."""
    kept, size = [], 0
    for value in values:
        value = value if isinstance(value, str) else str(value)
        size += len(value.encode())
        if len(kept) == values_max or size > VALUES_BYTES_MAX:
            return kept, False
        kept.append(value)
    return kept, True


class _Shapes(dict):
    """The letter that stands for a kind of character in a pattern; other characters stand for themselves."""

    def __missing__(self, code):
        letter = chr(code)
        if letter.isdigit():
            kind = "9"
        elif letter.isalpha():
            kind = "A" if letter.isupper() else "a"
        else:
            kind = letter
        self[code] = kind
        return kind


def _pattern(counted):
    """The shape that nearly all texts share, else the one that they share but for the lengths of their parts."""
    shapes, plain, total = _Shapes(), {}, 0
    for text, count in counted:
        text = encode(text)
        fits = isinstance(text, str) and 0 < len(text) <= PATTERN_CHARS_MAX
        _add(plain, text.translate(shapes) if fits else None, count, 1)
        total += count
    collapsed = {}
    for shape, (count, texts) in plain.items():
        _add(collapsed, shape if shape is None else _without_lengths(shape), count, texts)
    found = _shared(plain, total)
    # Of a word or two it says nothing that they are so long, and of words of any length that they are words.
    if found is not None and ("9" in found or plain[found][1] >= PATTERN_WORDS_MIN):
        return found
    found = _shared(collapsed, total)
    return found if found is not None and ("9" in found or "@" in found) else None


def _add(shapes, shape, count, texts):
    before = shapes.get(shape, (0, 0))
    shapes[shape] = (before[0] + count, before[1] + texts)


def _shared(shapes, total):
    shape = max(shapes, key=lambda shape: (shapes[shape][0], shape or ""), default=None)
    return shape if shape is not None and shapes[shape][0] >= PATTERN_SHARE * total else None


def _without_lengths(shape):
    out = []
    for letter in shape:
        if letter not in "Aa9":
            out.append(letter)
        elif not out or out[-1] != letter + "+":
            out.append(letter + "+")
    return "".join(out)
