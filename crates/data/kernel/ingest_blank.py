"""Lines of a delimited text that hold nothing but delimiters, and what stands below the last of them.

One idea: a spreadsheet that was saved as text has such lines for its empty rows. They are no rows: counted along, they
would be rows without a name in every count. What is left below the last of them, at the end of the file, stands apart.
"""

import io
import os

from cells import type_name
from ingest_report import COLUMNS_WIDE, ROWS_SHOWN, plural
from sql import quoted

# More lines below an empty one are a second part of the table.
APART_MAX = 5
TAIL_BYTES = 16 << 10
LISTED = 5


def count(engine, table):
    """How many rows of the table hold nothing."""
    return engine.execute(f"SELECT count_if({_holds_nothing(engine, table)}) FROM {table}").fetchall()[0][0]


def drop(stage, name, report):
    """A staged table without its rows that hold nothing, each of which is said; rows are numbered without them."""
    engine = stage.engine
    found = count(engine, name)
    if not found:
        return name
    nothing = _holds_nothing(engine, name)
    rows = engine.execute(f"SELECT rowid + 1 FROM {name} WHERE {nothing} ORDER BY rowid LIMIT {ROWS_SHOWN}").fetchall()
    say(report, "row", found, [row for row, in rows])
    kept = f"{name}_filled"
    engine.execute(f"CREATE TABLE {kept} AS SELECT * FROM {name} WHERE NOT {nothing}")
    stage.drop(name)
    return kept


def say(report, noun, found, places):
    """Says which rows or lines were left out."""
    shown = ", ".join(map(str, places[:LISTED])) + (", …" if found > LISTED else "")
    text = f"{plural(found, noun)} without any value left out: {noun} {shown}"
    report.say("lines_skipped", text, count=found, rows=places)


def lines_apart(text, delimiter):
    """How many of the last lines stand below an empty one, 0 where none do."""
    with io.open(text.path, "rb") as file:
        file.seek(max(0, os.path.getsize(text.path) - TAIL_BYTES))
        lines = file.read().decode("utf-8", "replace").splitlines()[1:]
    lines = [line.strip(f"{delimiter}\"' \t") for line in lines]
    while lines and not lines[-1]:
        lines.pop()
    last = max((place for place, line in enumerate(lines) if not line), default=None)
    apart = 0 if last is None else len(lines) - last - 1
    return apart if apart <= APART_MAX else 0


def _holds_nothing(engine, table):
    described = [(quoted(name), type_name(kind)) for name, kind, *_ in engine.execute(f"DESCRIBE {table}").fetchall()]
    # In a table of one column, a row without a value is an empty cell like any other.
    if not 1 < len(described) <= COLUMNS_WIDE:
        return "false"
    texts = [f"coalesce(trim({cell}), '') = ''" for cell, kind in described if kind == "text"]
    return f"({' AND '.join([f'{cell} IS NULL' for cell, kind in described if kind != 'text'] + texts)})"
