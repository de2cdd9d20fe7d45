"""Where rows wait as text until their types are known: a table that only this ingest sees.

One idea: whatever a file is, its rows become text in one staged table, row numbers are the table's own, and one place
decides types. Small ones wait in memory, large ones in a database of their own in scratch space, so that the prepared
file holds nothing but its tables.
"""

import csv
import io
import os

import _duckdb

from ingest_report import NAMES_SHOWN, InputError, check_width, column_names, literal, plural
from ingest_types import Column, settle
from sql import quoted

# What the engine raises; the second where its message, which quotes the file, is no text.
ENGINE_ERRORS = (_duckdb.Error, RuntimeError)

MEMORY_BYTES_MAX = 32 << 20
LINE_BYTES_MAX = 64 << 20
TEXT_LENGTH_MAX = 8 << 20
WIDE_COLUMNS = 1_000
WIDE_MEMORY_BYTES = 3 << 30
# Turns a long `IN` list into a join, and what comes out of a join is stored by whichever thread is done first.
ORDER_LOSING = "in_clause"


class Stage:
    """The scratch space of one ingest: a folder, and a database in it once one is needed."""

    def __init__(self, engine, folder):
        self.engine, self.folder, self.count, self.attached = engine, folder, 0, set()
        # Rows that the table read next goes without, from 0: a file is read once more where such were found in it.
        self.left_out = frozenset()
        # How many of the last rows of the table read last stand below an empty one.
        self.apart = 0

    def path(self, ending):
        """A fresh path in scratch space."""
        self.count += 1
        return os.path.join(self.folder, f"{self.count}{ending}")

    def table(self, size):
        """A fresh name for a staged table made of so many bytes."""
        self.count += 1
        small = size <= MEMORY_BYTES_MAX
        base = "stage_small" if small else "stage_large"
        path = ":memory:" if small else os.path.join(self.folder, "stage.duckdb")
        if base not in self.attached:
            self.engine.execute(f"ATTACH {literal(path)} AS {base}")
            self.attached.add(base)
        return f"{base}.main.rows_{self.count}"

    def read_text(self, path, names, options):
        """A staged table of every cell of a delimited file as text."""
        self.widen(len(names))
        name = self.table(os.path.getsize(path))
        statement = f"CREATE TABLE {name} AS SELECT * FROM {text_source(path, names, options)}"
        try:
            self.engine.execute(statement)
        except _duckdb.Error as error:
            if "maximum_line_size" not in str(error) and "Maximum line size" not in str(error):
                raise
            longer = f"{options}, max_line_size = {LINE_BYTES_MAX}, buffer_size = {2 * LINE_BYTES_MAX}"
            self.engine.execute(f"CREATE TABLE {name} AS SELECT * FROM {text_source(path, names, longer)}")
        return name

    def widen(self, width):
        """Makes room for very many columns: the engine reserves far more for each than it touches, and one of its
        optimizers takes time with the square of their number.
        """
        if width > WIDE_COLUMNS:
            self.engine.execute(f"SET memory_limit = '{WIDE_MEMORY_BYTES}B'; SET threads = 1")
            self.engine.execute(f"SET disabled_optimizers = '{ORDER_LOSING},statistics_propagation'")

    def leave_out(self, name):
        """Takes the rows to be left out from a staged table, so that types are found from those that stay."""
        if self.left_out:
            self.engine.execute(f"DELETE FROM {name} WHERE rowid IN ({', '.join(map(str, sorted(self.left_out)))})")
            self.left_out = frozenset()

    def drop(self, name):
        """Gives a staged table's room back."""
        self.engine.execute(f"DROP TABLE IF EXISTS {name}")


def text_source(path, names, options):
    """A delimited file as a table function that gives every cell as text."""
    columns = ", ".join(f"{quoted(name)}: 'VARCHAR'" for name in names)
    return f"read_csv({literal(path)}, columns = {{{columns}}}, {options})"


CLEAN = "auto_detect = false, delim = ',', quote = '\"', escape = '\"', comment = '', header = false, new_line = '\\n'"


class Rows:
    """Rows of Python values on their way into a staged table: columns may turn up late, values keep their types.

    Each value is one of None, bool, int, float, text, a date or time, or a list or dict (which becomes JSON).
    """

    def __init__(self, stage, report):
        self.stage, self.report = stage, report
        self.names, self.places, self.seen, self.count = [], {}, [], 0
        self.path = stage.path(".csv")
        self._file = io.open(self.path, "w", encoding="utf-8", errors="replace", newline="")
        self._writer = csv.writer(self._file, lineterminator="\n")

    def column(self, name):
        """The place of a column, made on first sight."""
        place = self.places.get(name)
        if place is None:
            place = self.places[name] = len(self.names)
            self.names.append(name)
            self.seen.append({})
            if place % 1_000 == 999:
                check_width(_Silent(self.report), place + 1)
        return place

    def add(self, values):
        """One row, by place; it may be shorter than the columns known by then."""
        cells, stays = [], self.count not in self.stage.left_out
        for place, value in enumerate(values):
            kind = type(value).__name__
            if stays and value is not None and value != "":
                seen = self.seen[place]
                seen[kind] = seen.get(kind, 0) + 1
            spell = _SPELLINGS.get(kind)
            cells.append(value if spell is None else spell(value))
        # A row of nothing would be an empty line, which is no row.
        self._writer.writerow(cells or [""])
        self.count += 1

    def settle(self, table, declared, headers=None, strings="any", unused=()):
        """Makes the table; `strings` says what text may become, `unused` the types of columns without values.

        Gives the names of the columns and the units found.
        """
        self._file.close()
        if not self.names:
            raise self.report.refuse("has no rows with named values", "give at least one row")
        check_width(self.report, len(self.names))
        names = column_names(headers or [str(name) for name in self.names])
        options = CLEAN + (", null_padding = true, parallel = false" if len(names) > 1 else "")
        name = self.stage.read_text(self.path, names, options)
        os.remove(self.path)
        self.stage.leave_out(name)
        columns = [_column(name, seen, strings) for name, seen in zip(names, self.seen)]
        for column, seen, kind in zip(columns, self.seen, unused):
            column.fixed = column.fixed if seen else kind
        _say_types(columns, self.seen, self.report)
        units = settle(self.stage.engine, name, table, columns, declared, self.report)
        self.stage.drop(name)
        return names, units


class _Silent:
    """A report that only refuses."""

    def __init__(self, report):
        self.refuse = report.refuse

    def say(self, *_, **__):
        pass


def _json(value):
    import json

    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)


def _text(value):
    if len(value) > TEXT_LENGTH_MAX:
        raise InputError(f"a value has {len(value)} characters", f"at most {TEXT_LENGTH_MAX} are read")
    return value


_SPELLINGS = {
    "NoneType": lambda value: "",
    "bool": lambda value: "true" if value else "false",
    "int": str,
    "float": repr,
    "str": _text,
    "list": _json,
    "dict": _json,
    "bytes": lambda value: value.hex(),
    "date": lambda value: value.isoformat(),
    "time": lambda value: value.isoformat(),
    "datetime": lambda value: value.isoformat(sep=" "),
    "timedelta": str,
}
_FIXED = {
    frozenset({"bool"}): "BOOLEAN", frozenset({"date"}): "DATE", frozenset({"time"}): "TIME",
    frozenset({"datetime"}): "TIMESTAMP", frozenset({"date", "datetime"}): "TIMESTAMP",
}


def _column(name, seen, strings):
    """What a column's values may become: what they are, or for text what it looks like."""
    kinds = frozenset(seen)
    if kinds in _FIXED:
        return Column(name, fixed=_FIXED[kinds])
    if kinds & {"list", "dict"}:
        return Column(name, fixed="JSON") if not kinds - {"list", "dict"} else Column(name, "text")
    if kinds <= {"int", "float"}:
        return Column(name)
    if kinds == {"str"}:
        return Column(name, strings)
    return Column(name, "text")


def _say_types(columns, seen, report):
    nested = [column.name for column, kinds in zip(columns, seen) if {"list", "dict"} & set(kinds)]
    if nested:
        shown = ", ".join(f"`{name}`" for name in nested[:NAMES_SHOWN]) + (", …" if len(nested) > NAMES_SHOWN else "")
        report.say("nested", f"{plural(len(nested), 'column')} with values inside values, kept as JSON: {shown}",
                   count=len(nested))
    for column, kinds in zip(columns, seen):
        if len(kinds) > 1 and not column.fixed and column.allowed == "text":
            counted = sorted(kinds.items(), key=lambda entry: -entry[1])
            words = ", ".join(f"{count} {_NOUNS.get(kind, kind)}" for kind, count in counted)
            report.say("mixed_types", f"stays text: it holds {words}", column.name, count=min(kinds.values()))
        if "bytes" in kinds:
            report.say("other", "bytes are shown in hexadecimal", column.name, count=kinds["bytes"])


_NOUNS = {
    "str": "texts", "int": "ints", "float": "floats", "bool": "true or false", "list": "lists", "dict": "objects",
    "date": "dates", "datetime": "timestamps", "time": "times", "bytes": "bytes", "timedelta": "durations",
}
