"""Files that know their types: Parquet, DuckDB and SQLite.

One idea: such a file is opened read-only, here in the cell only, and its tables are copied. Types are kept where a
plan can compute with them; others become the nearest type that it can, and that is said. SQLite declares types but
holds what it was given, so there the values decide.
"""

import io

import _duckdb

from cells import type_name
from ingest_json import DEPTH_MAX, say_spread
from ingest_kinds import is_type
from ingest_report import (
    NAMES_SHOWN, InputError, check_width, column_names, first_line, literal, plural, progress, say_names,
)
from ingest_stage import ENGINE_ERRORS, Rows
from profiling import fold
from sql import quoted

TABLES_MAX = 500
FETCH_ROWS = 10_000
_ENGINE_TYPES = {
    "bool": "BOOLEAN", "int": "BIGINT", "float": "DOUBLE", "text": "VARCHAR", "date": "DATE", "time": "TIME",
    "timestamp": "TIMESTAMP", "json": "JSON",
}


_KEPT = frozenset((
    "BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT",
    "DOUBLE", "DECIMAL", "VARCHAR", "DATE", "TIME", "TIMESTAMP", "JSON",
))
# What a column without values becomes, by what its SQLite declaration begins with.
_SQLITE_TYPES = (
    ("INT", "BIGINT"), ("BIGINT", "BIGINT"), ("SMALLINT", "BIGINT"), ("REAL", "DOUBLE"), ("DOUBLE", "DOUBLE"),
    ("FLOAT", "DOUBLE"), ("NUMERIC", "DOUBLE"), ("DECIMAL", "DOUBLE"), ("BOOL", "BOOLEAN"), ("DATETIME", "TIMESTAMP"),
    ("TIMESTAMP", "TIMESTAMP"), ("DATE", "DATE"),
)


def parquet(stage, path, report):
    """The one table of a Parquet file."""
    source = f"read_parquet({literal(path)})"
    return [(None, lambda table, declared: _copy(stage.engine, source, table, declared, report))]


def duckdb(stage, path, report):
    """The tables of a DuckDB file; views are left out and said."""
    engine = stage.engine
    stage.count += 1
    name = f"source_{stage.count}"
    try:
        engine.execute(f"ATTACH {literal(path)} AS {name} (READ_ONLY)")
    except ENGINE_ERRORS as error:
        what = f"cannot be opened as a DuckDB file: {first_line(error)}"
        raise report.refuse(what, "check that it is closed and whole") from error
    tables = engine.execute(
        "SELECT schema_name, table_name FROM duckdb_tables() "
        f"WHERE database_name = '{name}' AND NOT internal ORDER BY 1, 2"
    ).fetchall()
    views = engine.execute(
        f"SELECT view_name FROM duckdb_views() WHERE database_name = '{name}' AND NOT internal ORDER BY 1"
    ).fetchall()
    _check_tables(tables, report)
    if views:
        _say_views(report, [view for view, in views])

    def load(schema, inner):
        source = f"{name}.{quoted(schema)}.{quoted(inner)}"
        return lambda table, declared: _copy(engine, source, table, declared, report)

    return [(inner if schema == "main" else f"{schema}_{inner}", load(schema, inner)) for schema, inner in tables]


def sqlite(stage, path, report):
    """The tables of a SQLite file; views and virtual tables are left out and said."""
    import sqlite3

    with io.open(path, "rb") as file:
        if file.read(20)[18:20] == b"\x02\x02":
            report.say("other", "it keeps a log beside it; what was not yet written back into the file is not seen")
    base = _open_sqlite(path, report)
    try:
        wanted = "SELECT type, name, sql FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY rowid"
        found = base.execute(wanted).fetchall()
    except sqlite3.Error as error:
        raise report.refuse(f"cannot be read as SQLite: {error}", "check that the file is whole") from error
    finally:
        base.close()
    own = [entry for entry in found if not entry[1].startswith("sqlite_")]
    virtual = [name for kind, name, text in own if kind == "table" and "virtual" in (text or "")[:30].lower()]
    views = [name for kind, name, _ in own if kind == "view"] + virtual
    tables = [
        name for kind, name, _ in own
        if kind == "table" and name not in virtual and not any(name.startswith(f"{other}_") for other in virtual)
    ]
    _check_tables(tables, report)
    if views:
        _say_views(report, views)
    return [
        (name, lambda table, declared, name=name: _sqlite_table(stage, path, name, table, declared, report))
        for name in tables
    ]


def _open_sqlite(path, report):
    import sqlite3
    from urllib.parse import quote

    try:
        base = sqlite3.connect(f"file:{quote(path)}?mode=ro&immutable=1", uri=True)
        base.text_factory = lambda raw: raw.decode("utf-8", "replace")
        base.execute("PRAGMA trusted_schema=OFF")
        base.execute("PRAGMA cell_size_check=ON")
    except sqlite3.Error as error:
        raise report.refuse(f"cannot be opened as SQLite: {error}", "check that the file is whole") from error
    return base


def _sqlite_table(stage, path, name, table, declared, report):
    import sqlite3

    base = _open_sqlite(path, report)
    rows = Rows(stage, report)
    try:
        described = base.execute(f"PRAGMA table_info({quoted(name)})").fetchall()
        bools = [str(entry[2]).lower().startswith("bool") for entry in described]
        cursor = base.execute(f"SELECT * FROM {quoted(name)}")
        headers = [entry[0] for entry in cursor.description]
        check_width(report, len(headers))
        for header in headers:
            rows.column(len(rows.names))
        while chunk := cursor.fetchmany(FETCH_ROWS):
            for row in chunk:
                rows.add([bool(cell) if flag and cell in (0, 1) else cell for cell, flag in zip(row, bools)]
                         if any(bools) else row)
    except sqlite3.Error as error:
        raise report.refuse(f"table `{name}` cannot be read: {error}", "check that the file is whole") from error
    finally:
        base.close()
    unused = [next((kind for start, kind in _SQLITE_TYPES if str(entry[2]).upper().startswith(start)), None)
              for entry in described]
    names, units = rows.settle(table, declared, headers=headers, strings="dates", unused=unused)
    say_names(report, headers, names)
    return units


def _check_tables(tables, report):
    if not tables:
        raise report.refuse("holds no tables", "give a database with at least one table")
    if len(tables) > TABLES_MAX:
        raise report.refuse(f"holds {len(tables)} tables", f"at most {TABLES_MAX} are read; copy those you need")


def _say_views(report, names):
    shown = ", ".join(f"`{name[:80]}`" for name in names[:NAMES_SHOWN]) + (", …" if len(names) > NAMES_SHOWN else "")
    report.say("members_skipped", f"{plural(len(names), 'view')} left out: {shown}", count=len(names))


def _copy(engine, source, table, declared, report):
    """Copies a typed table; what a plan cannot compute with becomes the nearest type that it can."""
    progress(f"reading {report.label}")
    try:
        found = engine.execute(f"SELECT * FROM {source} LIMIT 0").description
        described, spread = _columns([(name, kind) for name, kind, *_ in found])
        check_width(report, len(described))
        headers = [header for header, *_ in described]
        names = column_names(headers)
        say_names(report, headers, names)
        wanted = _declared(names, declared, report)
        nested, zoned, values = [], [], []
        for name, (_, cell, engine_type) in zip(names, described):
            values.append(f"{_value(cell, engine_type, wanted.get(name))} AS {quoted(name)}")
            nested += [name] if type_name(engine_type) == "json" and engine_type != "JSON" else []
            zoned += [name] if _zoned(engine_type) else []
            if engine_type.endswith("_NS"):
                report.say("date_form", "times were rounded to microseconds", name)
            if engine_type == "BLOB":
                report.say("other", "bytes are shown in hexadecimal", name)
        engine.execute(f"CREATE TABLE {quoted(table)} AS SELECT {', '.join(values)} FROM {source}")
    except (_duckdb.ConversionException, _duckdb.InvalidInputException) as error:
        if declared:
            what = f"does not hold the declared types: {first_line(error)}"
            raise report.refuse(what, "correct dataset.toml") from error
        raise report.refuse(f"cannot be read: {first_line(error)}", "check that the file is whole") from error
    if spread:
        say_spread(report, spread)
    if nested:
        shown = ", ".join(f"`{name}`" for name in nested[:NAMES_SHOWN])
        text = f"{plural(len(nested), 'column')} with values inside values, kept as JSON: {shown}"
        report.say("nested", text, count=len(nested))
    for name in zoned:
        report.say("time_zone", "times were converted to UTC", name)
    return {}


def _columns(found):
    """Header, cell and type of each column, with the parts of structs as columns of their own; which were spread out.

    As with objects in JSON: one of which a part would have the name of another column stays whole.
    """
    taken = {name.casefold() for name, _ in found}
    columns, spread = [], []
    for name, kind in found:
        parts = _parts(name, quoted(name), kind, DEPTH_MAX)
        if len(parts) > 1 or parts[0][0] != name:
            fresh = {header.casefold() for header, *_ in parts}
            if len(fresh) < len(parts) or fresh & taken:
                parts = [(name, quoted(name), str(kind))]
            else:
                taken |= fresh
                spread.append(name)
        columns += parts
    return columns, spread


def _parts(header, cell, kind, depth):
    children = kind.children if kind.id == "struct" and depth else []
    if not children or not all(name for name, _ in children):
        return [(header, cell, str(kind))]
    parts = []
    for name, inner in children:
        parts += _parts(f"{header}_{name}", f"struct_extract({cell}, {literal(name)})", inner, depth - 1)
    return parts


def _declared(names, declared, report):
    by_fold = {fold(name): name for name in names}
    types = {}
    for name, kind in declared.items():
        if fold(name) not in by_fold:
            raise report.refuse(f"has no column `{name}`", f"it has: {', '.join(names[:20])}")
        if not is_type(kind):
            raise InputError(f"column `{name}` of `{report.label}` is declared as `{kind}`, which is no type")
        types[by_fold[fold(name)]] = kind
    return types


def _value(cell, engine_type, declared):
    if declared == "decimal":
        return cell if engine_type.startswith("DECIMAL") else f"CAST({cell} AS DECIMAL(18,4))"
    if declared and type_name(engine_type) != declared:
        return f"CAST({cell} AS {_ENGINE_TYPES[declared]})"
    plain = engine_type.partition("(")[0]
    if plain in _KEPT:
        return cell
    if plain == "FLOAT":
        return f"CAST({cell} AS DOUBLE)"
    if type_name(engine_type) == "json":
        return f"to_json({cell})"
    if engine_type == "BLOB":
        return f"lower(hex({cell}))"
    if _zoned(engine_type):
        return f"timezone('UTC', CAST({cell} AS TIMESTAMPTZ))"
    if plain.startswith("TIMESTAMP"):
        return f"CAST({cell} AS TIMESTAMP)"
    return f"CAST({cell} AS TIME)" if plain == "TIME_NS" else f"CAST({cell} AS VARCHAR)"


def _zoned(engine_type):
    return engine_type.startswith(("TIMESTAMP WITH TIME ZONE", "TIMESTAMPTZ"))
