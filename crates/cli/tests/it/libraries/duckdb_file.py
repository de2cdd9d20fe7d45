"""DuckDB: a database file in `out/`, parquet and CSV written and read by SQL."""

import duckdb

with duckdb.connect("out/shop.duckdb") as connection:
    connection.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, price DECIMAL(8, 2))")
    connection.executemany("INSERT INTO item VALUES (?, ?, ?)", [(1, "nut", "0.10"), (2, "bolt", "0.20")])
    connection.execute("BEGIN")
    connection.execute("DELETE FROM item")
    connection.execute("ROLLBACK")
    connection.execute("COPY (SELECT i AS n, i * i AS square FROM range(1000) t(i)) TO 'out/squares.parquet'")
    connection.execute("COPY item TO 'out/item.csv' (HEADER)")
with duckdb.connect("out/shop.duckdb", read_only=True) as connection:
    total = connection.execute("SELECT sum(price) FROM item").fetchone()[0]
    squares = connection.execute("SELECT sum(square), count(*) FROM 'out/squares.parquet'").fetchone()
    names = connection.execute("SELECT name FROM read_csv('out/item.csv') ORDER BY id").fetchall()
assert names == [("nut",), ("bolt",)], names
print(total, *squares)
