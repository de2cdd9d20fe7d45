"""Very many small tables from one file of JSON lines into one prepared DuckDB file.

One idea: each line is a table that gets the types a file of the same cells would get, and fails alone. What is measured
of it is what planning asks for; a small table is measured from one reading of its rows, because the dozen statements
that a large one is worth would take longer than all questions about it. What was found is left as a file beside the
database, so that its size is bounded by the disk and not by a message.
"""

import io
import json
import os
import shutil
import tempfile

import _duckdb

import sql
from cells import encode, type_name
from ingest_kinds import is_type
from ingest_report import InputError, Report, column_names, first_line, progress
from ingest_stage import ENGINE_ERRORS, Rows, Stage
from profiling import TEXT_SHOWN_MAX, VALUES_BYTES_MAX, fold, kept_cells, profile, relate
from sql import quoted

LINE_BYTES_MAX = 64 << 20
# Up to here a table is measured in Python.
SMALL_CELLS_MAX = 50_000
TABLE_NAME_MAX = 100
PROGRESS_TABLES = 50
MEMORY_BYTES = 800 << 20
BLOCK_BYTES = 16 << 10
FOUND_FILE = "dataset.json"
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789")


def read(arguments):
    """Reads the tables into the new file `out`, and leaves what was measured of them beside it."""
    path, out = arguments["files"][0]["path"], arguments["out"]
    label = arguments["files"][0].get("label") or os.path.basename(path)
    folder = tempfile.mkdtemp(prefix="tables-")
    engine = _duckdb.connect(out, config=_settings(folder))
    try:
        engine.execute("SET TimeZone='UTC'; SET enable_progress_bar=false")
        stage, names, found = Stage(engine, folder), _Names(), os.path.join(os.path.dirname(out), FOUND_FILE)
        size = os.path.getsize(path)
        with io.open(path, "rb") as lines, io.open(found, "w", encoding="utf-8") as kept:
            kept.write('{"tables":[')
            for count, (number, line) in enumerate(_lines(lines)):
                if count % PROGRESS_TABLES == 0:
                    progress(f"reading {label}", lines.tell(), size)
                kept.write(",\n" if count else "\n")
                kept.write(json.dumps(_table(stage, names, number, line, label, arguments["values_max"])))
            kept.write("\n]}\n")
        engine.execute("CHECKPOINT")
    finally:
        engine.close()
        shutil.rmtree(folder, ignore_errors=True)
    return {"tables": []}


def related(arguments):
    """The links within each set of measured tables of the prepared file at `path`."""
    sql.open({"path": arguments["path"]})
    return {"relations": [relate(sql.connection(), tables)[0] for tables in arguments["sets"]]}


def _settings(folder):
    # One thread: a small table is read before a second one has begun to help.
    return {
        "default_block_size": str(BLOCK_BYTES), "threads": "1", "memory_limit": f"{MEMORY_BYTES}B",
        "autoinstall_known_extensions": "false", "autoload_known_extensions": "false", "temp_directory": folder,
        "python_enable_replacements": "false",
    }


def _lines(lines):
    """Each line that says something, with its number; one that is too long as None."""
    for number, line in enumerate(iter(lambda: lines.readline(LINE_BYTES_MAX), b""), 1):
        if len(line) == LINE_BYTES_MAX and not line.endswith(b"\n"):
            while line and not line.endswith(b"\n"):
                line = lines.readline(LINE_BYTES_MAX)
            yield number, None
            continue
        line = line.removeprefix(b"\xef\xbb\xbf" if number == 1 else b"").strip()
        if line:
            yield number, line


def _table(stage, names, number, line, label, values_max):
    """One table made and measured, or why it could not be."""
    where = f"line {number} of `{label}`"
    identity = name = None
    report = Report(label, [])
    try:
        if line is None:
            raise InputError(f"{where} has more than {LINE_BYTES_MAX} bytes")
        table = _object(line, where)
        identity = report.label = table["id"]
        shape = _shape(table, where)
        name = names.take(identity, where)
        units = _load(stage, name, shape, report)
        measured = _measure(stage.engine, name, values_max)
        for column in measured["columns"]:
            column["unit"] = units.get(column["name"])
        return {"id": identity, "problem": None, "profile": measured, "remarks": report.remarks}
    except InputError as error:
        problem = error.message if where in error.message else f"{where}: {error.message}"
    except ENGINE_ERRORS as error:
        problem = f"{where} cannot be read: {first_line(error)}"
    if name is not None:
        stage.drop(quoted(name))
    return {"id": identity, "problem": problem, "profile": None, "remarks": []}


class _Shape:
    """What a line says of its table."""

    def __init__(self, headers, types, rows):
        self.headers, self.types, self.rows = headers, types, rows


def _object(line, where):
    """The line's object, which has an id."""
    try:
        table = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where} is not JSON: {first_line(error)}") from error
    if not isinstance(table, dict) or not isinstance(table.get("id"), str) or not table["id"]:
        raise InputError(f"{where} is no object with an `id`")
    return table


def _shape(table, where):
    """What a line says of its table, held against what it may say."""

    def wrong(what):
        return InputError(f"{where} {what}")

    columns, rows = table.get("columns"), table.get("rows")
    if not isinstance(columns, list):
        raise wrong("has no list `columns`")
    if not isinstance(rows, list) or not all(isinstance(row, list) for row in rows):
        raise wrong("has no list of lists `rows`")
    headers, types = [], []
    for column in columns:
        column = {"name": column} if isinstance(column, str) else column
        if not isinstance(column, dict) or not isinstance(column.get("name") or "", str):
            raise wrong("has a column without a `name`")
        given = column.get("type")
        if given is not None and not (isinstance(given, str) and is_type(given)):
            raise wrong(f"gives column `{str(column.get('name'))[:60]}` the type {json.dumps(given)}, which is none")
        headers.append(column.get("name") or "")
        types.append(given)
    return _Shape(headers, types, rows)


class _Names:
    """The names of tables by the rule for files: letters and digits, others an `_`, `t_` before a digit, each once."""

    def __init__(self):
        self.identities, self.taken = {}, set()

    def take(self, identity, where):
        if identity in self.identities:
            raise InputError(f"{where} has the id `{identity[:60]}` once more")
        words = "".join(letter if letter in _LETTERS else " " for letter in identity.lower()).split()
        stem = "_".join(words)[:TABLE_NAME_MAX].strip("_") or "table"
        stem = f"t_{stem}" if stem[0].isdigit() else stem
        name, number = stem, 1
        while name in self.taken:
            number += 1
            name = f"{stem}_{number}"
        self.taken.add(name)
        self.identities[identity] = name
        return name


def _load(stage, name, shape, report):
    """The table with its types; a cell beyond the last header gets a column of its own. Gives the units found."""
    width = max([len(shape.headers), *(_filled(row) for row in shape.rows)])
    if width == 0:
        raise report.refuse("has no columns", "give each table at least one")
    headers = shape.headers + [""] * (width - len(shape.headers))
    types = shape.types + [None] * (width - len(shape.types))
    # Names that differ only in what lookup ignores would share a declared type.
    names = column_names(headers)
    apart = any(types) and len({fold(name) for name in names}) < width
    settled = [f"column_{place}" for place in range(1, width + 1)] if apart else names
    rows = [(row + [None] * (width - len(row)))[:width] for row in shape.rows]
    declared = {name: given for name, given in zip(settled, types) if given is not None}
    begun = report.mark()
    units = _typed(stage, name, rows, settled, declared, report)
    respelled = [column for column in _respelled(stage.engine, name, rows, settled) if column not in declared]
    if respelled:
        report.forget(begun)
        stage.drop(quoted(name))
        units = _typed(stage, name, rows, settled, declared | dict.fromkeys(respelled, "text"), report)
    if apart:
        for old, new in zip(settled, names):
            if old != new:
                stage.engine.execute(f"ALTER TABLE {quoted(name)} RENAME COLUMN {quoted(old)} TO {quoted(new)}")
    return {new: units.get(old) for old, new in zip(settled, names)}


def _typed(stage, name, rows, headers, declared, report):
    """Makes the table from its rows; gives the units found."""
    staged = Rows(stage, report)
    for place in range(len(headers)):
        staged.column(place)
    for row in rows:
        staged.add(row)
    return staged.settle(name, declared, headers=headers)[1]


def _respelled(engine, name, rows, headers):
    """The columns whose dates or times would be given back in another spelling than they came in: those stay texts,
    because whoever gave the table looks for its own cells in the answer."""
    found = []
    described = engine.execute(f"DESCRIBE {quoted(name)}").fetchall()
    for place, (column, given) in enumerate((row[0], row[1]) for row in described):
        if given not in ("DATE", "TIME", "TIMESTAMP"):
            continue
        kept = {encode(cell[0]) for cell in engine.execute(f"SELECT {quoted(column)} FROM {quoted(name)}").fetchall()}
        written = {row[place] for row in rows if row[place] not in (None, "")}
        if any(text not in kept and str(text).replace("T", " ") not in kept for text in written):
            found.append(headers[place])
    return found


def _filled(row):
    """How many cells a row has up to its last that is filled."""
    width = len(row)
    while width and row[width - 1] in (None, ""):
        width -= 1
    return width


def _measure(engine, name, values_max):
    described = engine.execute(f"DESCRIBE {quoted(name)}").fetchall()
    rows = engine.execute(f"SELECT count(*) FROM {quoted(name)}").fetchall()[0][0]
    if rows * len(described) > SMALL_CELLS_MAX:
        return profile(engine, name, values_max)
    cells = engine.execute(f"SELECT * FROM {quoted(name)}").fetchall()
    columns = list(zip(*cells)) if cells else [()] * len(described)
    measured = [_column(column[0], type_name(column[1]), values, values_max) for column, values in zip(described, columns)]
    return {"name": name, "rows": rows, "sampled_rows": None, "columns": measured, "cells": kept_cells(cells)}


def _column(name, kind, cells, values_max):
    """The same facts of a column that `profiling` finds, as far as planning asks for them."""
    filled = [cell for cell in cells if cell is not None]
    counts = {}
    for cell in filled:
        counts[cell] = counts.get(cell, 0) + 1
    ranged = filled and kind != "json"
    values, complete = _values(counts, values_max) if kind == "text" else ([], False)
    return {
        "name": name, "type": kind, "nulls": len(cells) - len(filled), "distinct": len(counts),
        "distinct_is_exact": True, "unique": bool(cells) and len(counts) == len(cells),
        "min": encode(min(filled)) if ranged else None, "max": encode(max(filled)) if ranged else None,
        "values": values, "values_complete": complete and bool(filled), "unit": None,
        "example": _shown(filled[0]) if filled else None,
    }


def _values(counts, values_max):
    """Texts, most frequent first, then in their own order, within both bounds; and whether these are all."""
    kept, size = [], 0
    for text, _ in sorted(counts.items(), key=lambda entry: (-entry[1], entry[0])):
        size += len(text.encode())
        if len(kept) == values_max or size > VALUES_BYTES_MAX:
            return kept, False
        kept.append(text)
    return kept, True


def _shown(cell):
    cell = encode(cell)
    return cell[:TEXT_SHOWN_MAX] + "…" if isinstance(cell, str) and len(cell) > TEXT_SHOWN_MAX else cell
