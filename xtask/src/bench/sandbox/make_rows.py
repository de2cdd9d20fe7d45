"""Makes the file that is aggregated: `make_rows.py FILE ROWS`, the same rows every time."""

import sys

import duckdb


def main() -> None:
    path, rows = sys.argv[1], int(sys.argv[2])
    connection = duckdb.connect(path)
    connection.execute(
        "CREATE TABLE t AS SELECT CAST(hash(i) % 100 AS INTEGER) AS k,"
        " (hash(i + 1) % 1000003) / 7.0 AS v,"
        " CAST((hash(i + 2) % 1000000) / 100.0 AS DECIMAL(12, 2)) AS d"
        f" FROM range({rows}) AS numbers(i)"
    )
    connection.execute("CHECKPOINT")


main()
