"""Delimited text into a table: one typed pass where the file is clean, the careful way where it is not.

One idea: the fast way proves what it reads. It takes types from a sample and lets any cell in another spelling end
the statement; what the engine would accept in silence (a value too many at the end of a line, a header in the middle,
text that is nearly all numbers) is looked for afterwards. Whatever is found there sends the file the careful way:
every cell as text, and if rows are irregular, through `ingest_mend`. Both ways give the same table.
"""

import io
import os

import ingest_blank
from ingest_kinds import STRICT_KINDS, strict_value
from ingest_mend import mend
from ingest_report import EMPTY_WORDS, check_width, column_names, progress, say_names
from ingest_stage import CLEAN, ENGINE_ERRORS, text_source
from ingest_text import decode, dialect_of
from ingest_types import Column, candidates, decide, declared_columns, settle
from sql import quoted

FAST_COLUMNS_MAX = 500
SAMPLE_MAX = 3_000
# From here on it pays to load the library that finds pairs of bytes faster; what it looks at should lie in a cache.
PAIRS_BYTES_MIN = 64 << 20
PAIRS_READ_BYTES = 256 << 10
# So many cells that equal the header's are enough to look at the row more closely.
HEADER_CELLS_MAX = 50


def load(stage, text, table, declared, report, hint=None, careful=False):
    """Reads the text into the new table; gives the units found. `careful` leaves the fast way out."""
    dialect = dialect_of(text, report, hint)
    stage.apart = ingest_blank.lines_apart(text, dialect.delimiter)
    check_width(report, dialect.width)
    cells = dialect.first if dialect.header else [""] * dialect.width
    names = column_names(cells)
    if dialect.header:
        say_names(report, cells, names)
    columns = [Column(name) for name in names]
    types = {column.name: kind for column, kind in declared_columns(columns, declared, report).items()}
    engine, mark = stage.engine, report.mark()
    progress(f"reading {report.label}")
    # The engine leaves a line out in silence that is longer than several of its buffers.
    if text.plain and dialect.plain and not text.long_lines:
        tails = _tails(text.path, dialect) if dialect.width > 1 else None
        kinds = None if careful or stage.left_out else _kinds(dialect, names, types)
        if kinds and _fast(stage, text, table, dialect, columns, kinds, tails, report):
            return {}
        report.forget(mark)
        name = _staged(stage, text, dialect, names, tails)
        if name is not None:
            return _finish(stage, name, table, columns, declared, report)
    progress(f"reading {report.label} row by row")
    text = decode(text, report) if text.plain else text
    clean = stage.path(".csv")
    mend(text, dialect, clean, report)
    if os.path.getsize(clean):
        name = stage.read_text(clean, names, CLEAN)
    else:
        name = stage.table(0)
        engine.execute(f"CREATE TABLE {name} ({', '.join(f'{quoted(name)} VARCHAR' for name in names)})")
    os.remove(clean)
    return _finish(stage, name, table, columns, declared, report)


def _finish(stage, name, table, columns, declared, report):
    progress(f"finding the types of {report.label}")
    name = ingest_blank.drop(stage, name, report)
    stage.leave_out(name)
    units = settle(stage.engine, name, table, columns, declared, report)
    stage.drop(name)
    return units


def _kinds(dialect, names, types):
    """The kind of each column as far as a sample shows, None where the fast way cannot read one of them."""
    if dialect.width > FAST_COLUMNS_MAX:
        return None
    rows = dialect.sample[-SAMPLE_MAX:] if len(dialect.sample) > SAMPLE_MAX else dialect.sample
    kinds = []
    for name, column in zip(names, zip(*rows) if rows else [()] * dialect.width):
        kind = types.get(name) or _kind([cell.strip() for cell in column if cell.strip()])
        if kind is None or (kind != "text" and kind not in STRICT_KINDS):
            return None
        kinds.append(kind)
    return kinds


def _kind(cells):
    proposed, forms = candidates(cells)
    for kind in proposed:
        if all(kind.shape.fullmatch(cell) for cell in cells):
            return kind.name
    if any(all(form.matches(cell) or cell.lower() in EMPTY_WORDS for cell in cells) for form in forms):
        return None
    words = any(cell.lower() in EMPTY_WORDS for cell in cells)
    return None if proposed and words else "text"


def _fast(stage, text, table, dialect, columns, kinds, tails, report):
    """One typed pass, and a look at what the engine accepts in silence. Says whether the table is there."""
    engine = stage.engine
    cells = ((quoted(column.name), kind) for column, kind in zip(columns, kinds))
    values = ", ".join(cell if kind == "text" else f"{strict_value(kind, cell)} AS {cell}" for cell, kind in cells)
    source = text_source(text.path, [column.name for column in columns], _options(dialect))
    try:
        engine.execute(f"CREATE TABLE {quoted(table)} AS SELECT {values} FROM {source}")
    except ENGINE_ERRORS:
        return False
    texts = [column for column, kind in zip(columns, kinds) if kind == "text"]
    floats = [quoted(column.name) for column, kind in zip(columns, kinds) if kind == "float"]
    regular = _regular(engine, quoted(table), dialect, columns, tails, len(texts) == len(columns))
    regular = regular and _finite(engine, quoted(table), floats) and not ingest_blank.count(engine, quoted(table))
    if regular:
        decide(engine, quoted(table), texts, report)
    if not regular or any(column.kind or column.form for column in texts):
        for column in texts:
            column.kind = column.form = column.unit = None
            column.with_words = False
        engine.execute(f"DROP TABLE {quoted(table)}")
        return False
    return True


def _finite(engine, table, floats):
    """Whether no number is too large for a float, or a word for infinity."""
    odd = " OR ".join(f"NOT isfinite({cell})" for cell in floats)
    return not floats or engine.execute(f"SELECT count_if({odd}) FROM {table}").fetchall()[0][0] == 0


def _staged(stage, text, dialect, names, tails):
    """The file as a staged table of text, where the engine reads it without a complaint; else None."""
    try:
        name = stage.read_text(text.path, names, _options(dialect))
    except ENGINE_ERRORS:
        return None
    if _regular(stage.engine, name, dialect, [Column(name) for name in names], tails, True):
        return name
    stage.drop(name)
    return None


def _options(dialect):
    return f"{dialect.options()}, header = {str(dialect.header).lower()}"


def _regular(engine, table, dialect, columns, tails, all_text):
    """Whether no line has an empty value too many at its end, and none repeats the header."""
    wanted = []
    if tails:
        last, before = (quoted(column.name) for column in (columns[-1], columns[-2]))
        wanted += [f"count_if({last} IS NULL)", f"count_if({last} IS NULL AND {before} IS NULL)"]
    if all_text and dialect.header and len(columns) > 1:
        named = zip(columns[:HEADER_CELLS_MAX], dialect.first)
        pairs = [(quoted(column.name), cell.strip()) for column, cell in named if cell.strip()]
        same = " AND ".join("trim(" + name + ") = '" + cell.replace("'", "''") + "'" for name, cell in pairs)
        wanted.append(f"count_if({same})" if same else "0")
    if not wanted:
        return True
    counts = list(engine.execute(f"SELECT {', '.join(wanted)} FROM {table}").fetchall()[0])
    if tails and (counts.pop(0), counts.pop(0)) != tails:
        return False
    return not any(counts)


def _tails(path, dialect):
    """How many rows end in a delimiter and how many in two, as far as lines are rows; None where none does."""
    mark = dialect.delimiter.encode()
    holds = _pair_finder() if os.path.getsize(path) > PAIRS_BYTES_MIN else lambda chunk, pair: pair in chunk
    once = twice = 0
    kept = b""
    with io.open(path, "rb") as file:
        while chunk := file.read(PAIRS_READ_BYTES):
            chunk = kept + chunk
            for end in (b"\n", b"\r") if b"\r" in chunk else (b"\n",):
                if holds(chunk, mark + end):
                    once += chunk.count(mark + end)
                    twice += chunk.count(mark + mark + end)
            kept = chunk[-2:] if chunk.endswith(mark) else b""
    once, twice = once + kept.endswith(mark), twice + (kept == mark + mark)
    if dialect.header and not dialect.first[-1].strip():
        once, twice = once - 1, twice - (dialect.width > 1 and not dialect.first[-2].strip())
    return (once, twice) if once or twice else None


def _pair_finder():
    """A function that says whether two bytes follow each other in a chunk, at an even or at an odd place."""
    import numpy

    def holds(chunk, pair):
        wanted = int.from_bytes(pair, "little")
        return any(
            (numpy.frombuffer(chunk, "<u2", (len(chunk) - start) // 2, start) == wanted).any() for start in (0, 1)
        )

    return holds
