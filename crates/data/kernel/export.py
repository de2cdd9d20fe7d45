"""Tables of a prepared file as CSV text: what `data export` writes for data that is not built in.

The text is that of `csv.rs`: truths as `true`/`false`, ISO dates and times, a null empty and an empty text `""`; in a
table of one column a null is `""` too, because most readers skip an empty line and with it the row.
"""

import _duckdb
from sql import quoted

SETTINGS = {
    "access_mode": "read_only",
    "threads": "1",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "python_enable_replacements": "false",
}


def write(arguments):
    """Writes one table of the prepared file `path` to the new file `out`, its rows in the order they were read."""
    engine = _duckdb.connect(arguments["path"], config=SETTINGS)
    try:
        engine.execute("SET TimeZone='UTC'")
        columns = ", ".join(map(quoted, arguments["columns"]))
        if len(arguments["columns"]) == 1:
            columns = f"coalesce(CAST({columns} AS VARCHAR), '') AS {columns}"
        out = arguments["out"].replace("'", "''")
        engine.execute(f"COPY (SELECT {columns} FROM {quoted(arguments['table'])}) TO '{out}' (FORMAT csv, HEADER true)")
    finally:
        engine.close()
    return {}
