"""What people would do without us: `peer.py WHAT CSV DATABASE`. Prints one JSON object.

`read` makes a DuckDB file of the CSV, `ask` opens that file and groups it, `pandas` reads the CSV and groups it.
"""

import json
import sys
import time

QUERY = "SELECT region, sum(revenue) AS revenue FROM rows GROUP BY region ORDER BY region"


def main() -> None:
    what, csv, database = sys.argv[1:]
    if what == "pandas":
        import pandas

        begun = time.perf_counter()
        frame = pandas.read_csv(csv)
        read = time.perf_counter()
        rows = sorted(frame.groupby("region").revenue.sum().items())
        took = {"read": read - begun, "whole": time.perf_counter() - begun}
    else:
        import duckdb

        begun = time.perf_counter()
        connection = duckdb.connect(database, read_only=what == "ask", config={"threads": 2})
        if what == "read":
            connection.execute(f"CREATE TABLE rows AS SELECT * FROM read_csv('{csv}')")
            connection.execute("CHECKPOINT")
            rows = []
        else:
            rows = connection.execute(QUERY).fetchall()
        took = {"whole": time.perf_counter() - begun}
    milliseconds = {name: seconds * 1e3 for name, seconds in took.items()}
    print(json.dumps({"rows": [[name, float(value)] for name, value in rows], "ms": milliseconds}))


main()
