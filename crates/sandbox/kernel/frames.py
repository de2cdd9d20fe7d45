"""Tables of a prepared database file as pandas DataFrames.

The engine's own conversion decides the types: whole numbers and bools as numpy's, or pandas' nullable ones where a value
is missing; DECIMAL as float64, which is what people compute with in pandas; text as `str`; dates and timestamps as
datetime64.
"""

import duckdb

SETTINGS = {
    "threads": "1",
    "temp_directory": "",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
}


def load(path, names):
    """The tables of these names, each as a DataFrame."""
    connection = duckdb.connect(path, read_only=True, config=SETTINGS)
    try:
        return {name: connection.table(name).df() for name in names}
    finally:
        connection.close()
