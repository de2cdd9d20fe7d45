"""Makes the file that is read: `make_rows.py FILE ROWS`, the same rows every time, about 50 bytes each."""

import sys

import duckdb


def main() -> None:
    path, rows = sys.argv[1], int(sys.argv[2])
    columns = (
        "SELECT i AS id, DATE '2024-01-01' + CAST(hash(i) % 700 AS INTEGER) AS day,"
        " ['North', 'South', 'East', 'West', 'Central'][CAST(1 + hash(i + 1) % 5 AS INTEGER)] AS region,"
        " 'store ' || lpad(CAST(hash(i + 2) % 400 AS VARCHAR), 3, '0') AS store,"
        " CAST(1 + hash(i + 3) % 9 AS INTEGER) AS quantity,"
        " CAST((hash(i + 4) % 50000) / 100.0 AS DECIMAL(9, 2)) AS price"
        f" FROM range({rows}) AS numbers(i)"
    )
    query = f"SELECT *, CAST(quantity * price AS DECIMAL(12, 2)) AS revenue FROM ({columns}) AS made"
    duckdb.connect().execute(f"COPY ({query}) TO '{path}' (HEADER)")


main()
