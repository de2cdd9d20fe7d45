"""Files into one prepared DuckDB file, and what was measured of them.

One idea: never a silent guess. What a file is, its contents say; its name is only a hint. Each format gives a list of
tables with a loader; delimited text takes one typed pass where it is clean and the careful way where it is not
(`ingest_csv`), and every decision made for the user becomes a remark. The same input gives the same answer.
"""

import io
import os
import shutil
import tempfile
import zipfile

import _duckdb

import ingest_absent
import ingest_csv
import ingest_footnotes
import ingest_json
import ingest_pack
import ingest_text
import ingest_totals
from ingest_report import COLUMNS_WIDE, InputError, Report, Watch, first_line, progress
from ingest_stage import ORDER_LOSING, Stage
from profiling import profile, relate

VALUES_MAX = 10_000
THREADS = 2
MEMORY_BYTES_MIN = 800 << 20
MEMORY_BYTES_MAX = 2 << 30
SMALL_BYTES_MAX = 16 << 20
BLOCK_BYTES = 256 << 10
SMALL_BLOCK_BYTES = 16 << 10
PACKS_MAX = 2
INNER_SHOWN = 20

_MAGIC = (
    (b"PAR1", "parquet"), (b"SQLite format 3\0", "sqlite"), (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "excel"),
    (b"\x1f\x8b", "gzip"), (b"PK\x03\x04", "zip"), (b"PK\x05\x06", "zip"),
)
_OTHERS = (
    (b"%PDF", "a PDF document"), (b"\x89PNG", "an image"), (b"\xff\xd8\xff", "an image"), (b"GIF8", "an image"),
    (b"\x7fELF", "a program"), (b"MZ", "a program"), (b"7z\xbc\xaf", "a 7z archive"), (b"Rar!", "a RAR archive"),
    (b"BZh", "a bzip2 archive"), (b"\xfd7zXZ", "an xz archive"), (b"\x28\xb5\x2f\xfd", "a zstd archive"),
    (b"ARROW1", "an Arrow file"), (b"Obj\x01", "an Avro file"), (b"ORC", "an ORC file"),
)
_MARKUP = ("<!doctype", "<html", "<?xml", "<svg")


def read(arguments):
    """Reads the files into tables of the new file `out` and answers with their profile."""
    if os.path.exists(arguments["out"]):
        raise InputError(f"`{arguments['out']}` is already there", "ingest writes a new file only")
    files = arguments["files"]
    folder = tempfile.mkdtemp(prefix="ingest-")
    size = sum(os.path.getsize(file["path"]) for file in files)
    engine = _open(arguments["out"], size, folder, any(_is_wide(file["path"]) for file in files))
    try:
        with Watch(engine):
            return _read(Stage(engine, folder), arguments, size)
    finally:
        engine.close()
        shutil.rmtree(folder, ignore_errors=True)


def _read(stage, arguments, size):
    """The files as tables, and what was measured of them."""
    remarks, loaded, files = [], [], arguments["files"]
    names = _Names(file["table"] for file in files)
    for place, file in enumerate(files):
        label = file.get("label") or os.path.basename(file["path"])
        progress(f"reading {label}", place, len(files))
        report = Report(label, remarks)
        with _refusals(report):
            loaded += _load(stage, file, names, arguments.get("types") or {}, report)
    progress("measuring")
    tables, links, near = _measure(stage.engine, loaded, arguments.get("values_max", VALUES_MAX), size)
    return {"tables": tables, "relations": links, "remarks": remarks + near}


def _open(out, size, folder, wide):
    """The engine on the new file. Its memory grows with the input, as the cell's does.

    It holds a block for each column while it writes, so a file with many columns or few rows has small ones. Rows
    arrive in groups that are not all full; to join them afterwards would write the whole table a second time. They
    keep the order of the file, because remarks name them by number: see `ORDER_LOSING`.
    """
    settings = {
        "default_block_size": str(SMALL_BLOCK_BYTES if wide or size <= SMALL_BYTES_MAX else BLOCK_BYTES),
        "autoinstall_known_extensions": "false", "autoload_known_extensions": "false", "threads": str(THREADS),
        "memory_limit": f"{_memory(size)}B", "temp_directory": folder, "python_enable_replacements": "false",
        "max_vacuum_tasks": "0", "disabled_optimizers": ORDER_LOSING,
    }
    engine = _duckdb.connect(out, config=settings)
    engine.execute("SET TimeZone='UTC'")
    return engine


def _is_wide(path):
    """Whether the first line looks like very many columns."""
    with io.open(path, "rb") as file:
        first = file.readline(ingest_text.HEAD_BYTES)
    return max(first.count(mark) for mark in (b",", b";", b"\t", b"|")) > COLUMNS_WIDE


def _memory(size):
    return min(MEMORY_BYTES_MIN + size, MEMORY_BYTES_MAX)


class _refusals:
    """Failures of the libraries that read strangers' files become refusals of the file."""

    def __init__(self, report):
        self.report = report

    def __enter__(self):
        return self

    def __exit__(self, kind, error, _):
        report = self.report
        if kind is None or issubclass(kind, InputError):
            return False
        if issubclass(kind, (MemoryError, _duckdb.OutOfMemoryException)):
            raise report.refuse("takes too much memory to be read", "give a smaller file, or Parquet") from error
        if issubclass(kind, _duckdb.Error) or kind is RuntimeError:
            if "No space left" in str(error):
                raise report.refuse("needs more room than there is to be read", "give a smaller file") from error
            raise report.refuse(f"cannot be read: {first_line(error)}", "check that the file is whole") from error
        if issubclass(kind, OSError):
            raise ingest_pack.no_room(error, report) from error
        if issubclass(kind, UnicodeError):
            raise report.refuse("has bytes that are not of its encoding", "save it as UTF-8") from error
        if issubclass(kind, ingest_json.NotJson):
            raise report.refuse(f"is not JSON: {error}", "give an array of objects, or one object a line") from error
        return False


class _Names:
    """Names of tables, each used once; a file's own name is kept for it."""

    def __init__(self, kept):
        self.taken = set(kept)

    def own(self, inner, file_table):
        """A name for a table inside a file."""
        stem = _normal(inner) or file_table
        if stem == file_table:
            return stem if self._claim(file_table) else self._next(stem)
        return stem if stem not in self.taken and not self.taken.add(stem) else self._next(stem)

    def _claim(self, name):
        claimed = f"claimed:{name}"
        fresh = claimed not in self.taken
        self.taken.add(claimed)
        return fresh

    def _next(self, stem):
        number = 2
        while f"{stem}_{number}" in self.taken:
            number += 1
        self.taken.add(f"{stem}_{number}")
        return f"{stem}_{number}"


def _normal(name):
    """The contract's rule for table names: lower-cased, runs of other characters an `_`, `t_` before a digit."""
    letters = "".join(letter if letter in "abcdefghijklmnopqrstuvwxyz0123456789" else " " for letter in name.lower())
    normal = "_".join(letters.split())[:100]
    return f"t_{normal}" if normal[:1].isdigit() else normal


def _load(stage, file, names, types, report):
    """Loads every table of one file; gives their names with the units found in them and the report."""
    start = report.mark()
    parts = _parts(stage, file["path"], file.get("format"), report, packs=0)
    if not parts:
        raise report.refuse("holds no table", "give CSV, JSON, Parquet, Excel, SQLite or DuckDB")
    named = [file["table"]] if len(parts) == 1 else [names.own(inner or "", file["table"]) for inner, _ in parts]
    if len(parts) > 1:
        shown = ", ".join(f"`{name}`" for name in named[:INNER_SHOWN]) + (", …" if len(named) > INNER_SHOWN else "")
        report.say("inner_tables", f"it holds {len(named)} tables: {shown}", count=len(named))
    loaded = []
    for place, (name, (_, load)) in enumerate(zip(named, parts)):
        before = report.mark()
        units, rows = _load_table(stage, load, name, types.get(name) or {}, report)
        if rows == 0:
            text = "it has a header and no rows" if len(parts) == 1 else f"`{name}` has no rows"
            report.say("no_rows", text, count=0)
        for remark in report.remarks[start if len(parts) == 1 else before :]:
            remark["table"] = name
        if len(parts) > 1:
            progress(f"reading {report.label}", place + 1, len(parts))
        loaded.append((name, units, report))
    return loaded


def _load_table(stage, load, name, declared, report):
    """Loads one table without its totals and footnotes; gives the units found and how many rows it has.

    Such rows are known by the numbers beside them. Where some are found, the table is loaded once more without them:
    the word `Total` below dates would make the whole column text.
    """
    engine, before = stage.engine, report.mark()
    stage.apart = 0
    units = load(name, declared)
    rows = engine.execute(f'SELECT count(*) FROM "{name}"').fetchall()[0][0]
    notes = ingest_footnotes.find(engine, name, rows, stage.apart)
    totals = ingest_totals.find(engine, name, rows, [row for row, _ in notes], stage.apart)
    aside = frozenset(row for row, _ in notes + totals.aside + totals.apart)
    if aside:
        report.forget(before)
        engine.execute(f'DROP TABLE "{name}"')
        stage.left_out = aside
        units = load(name, declared)
        # Files that know their types are copied as they are.
        stage.leave_out(f'"{name}"')
    ingest_absent.clear(engine, name, declared, report)
    totals.say(report, rows - len(notes))
    ingest_footnotes.say(report, notes)
    return units, rows - len(aside)


def _parts(stage, path, hint, report, packs):
    """The tables of a file as (inner name, loader), by what the file contains."""
    found = _format(path, report)
    if found in ("gzip", "zip") and packs == PACKS_MAX:
        raise report.refuse("is packed more than twice", "unpack it yourself and give the file")
    if found == "gzip":
        return _parts(stage, ingest_pack.unpack_gzip(path, stage, report), hint, report, packs + 1)
    if found == "zip":
        return _members(stage, path, hint, report, packs)
    if any(letter in path for letter in "*?["):
        raise report.refuse("has a name that the reader would take for a pattern", "rename the file without * ? [")
    if found == "excel":
        import ingest_sheets

        return ingest_sheets.parts(stage, path, report)
    if found in ("parquet", "duckdb", "sqlite"):
        import ingest_other

        return getattr(ingest_other, found)(stage, path, report)
    return _text_parts(stage, path, hint, report)


def _format(path, report):
    """The format that the first bytes show; None for text."""
    with io.open(path, "rb") as file:
        head = file.read(64)
    if head[8:12] == b"DUCK":
        return "duckdb"
    found = next((name for magic, name in _MAGIC if head.startswith(magic)), None)
    if found == "zip":
        import ingest_sheets

        try:
            with zipfile.ZipFile(path) as archive:
                return "excel" if ingest_sheets.is_workbook(archive.namelist()) else "zip"
        except (zipfile.BadZipFile, OSError, ValueError) as error:
            raise report.refuse(f"cannot be unpacked: {error}", "fetch the file again") from error
    other = next((name for magic, name in _OTHERS if head.startswith(magic)), None)
    if found is None and other and (b"\0" in head or not head.isascii() or other == "a PDF document"):
        raise report.refuse(f"is {other}, not a table", "give CSV, JSON, Parquet, Excel, SQLite or DuckDB")
    return found


def _members(stage, path, hint, report, packs):
    """The tables of a zip; members of text that are no tables are left out and said."""
    parts, left = [], []
    members = ingest_pack.unpack_zip(path, stage, report)
    for name, member in members:
        inner = Report(f"{report.label}/{name}", report.remarks)
        prose = name.lower().endswith(".txt") and not _is_table(member, inner)
        if len(members) > 1 and (prose or os.path.getsize(member) == 0):
            left.append(name)
            continue
        stem = os.path.splitext(os.path.basename(name.removesuffix(".gz")))[0]
        found = _parts(stage, member, hint, inner, packs + 1)
        parts += [(own if len(found) > 1 and own else stem, load) for own, load in found]
    if left:
        ingest_pack.say_left_out(report, left)
    return parts


def _is_table(path, report):
    """Whether a text has columns: notes beside data have none."""
    mark = report.mark()
    try:
        text = ingest_text.scan(path, report)
        return ingest_text.dialect_of(text, report).width > 1
    except InputError:
        return False
    finally:
        report.forget(mark)


def _text_parts(stage, path, hint, report):
    text = ingest_text.scan(path, report)
    head = ingest_text.head_of(text)
    if head.lstrip()[:20].lower().startswith(_MARKUP):
        raise report.refuse("is a page or document in markup, not a table", "save the table as CSV")
    if ingest_json.looks_like_json(head) or (hint in ("json", "jsonl") and head.lstrip()[:1] in ("{", "[")):
        return ingest_json.parts(stage, ingest_text.decode(text, report) if text.plain else text, report)
    if hint in ("json", "jsonl"):
        if not _is_table(path, report):
            what = "is not JSON: it begins with neither { nor ["
            raise report.refuse(what, "give an array of objects, or one object a line")
        report.say("other", "its name says JSON, its contents are a table in delimited text and were read so")
    return [(None, lambda table, declared: ingest_csv.load(stage, text, table, declared, report, hint))]


def _measure(engine, loaded, values_max, size):
    """The profiles of the tables, the links between them and those that nearly hold; then everything is written."""
    tables = []
    for name, units, report in loaded:
        with _refusals(report):
            measured = profile(engine, name, values_max)
        for column in measured["columns"]:
            if column["name"] in units:
                column["unit"] = units[column["name"]]
        tables.append(measured)
    with _refusals(loaded[0][2]):
        # Each column of a very wide table would be held against every other.
        links, near = relate(engine, [table for table in tables if len(table["columns"]) <= COLUMNS_WIDE])
        # Whoever needed more room for columns has it no more: writing them takes what it is given.
        engine.execute(f"SET memory_limit = '{_memory(size)}B'")
        engine.execute("CHECKPOINT")
    return tables, links, near
