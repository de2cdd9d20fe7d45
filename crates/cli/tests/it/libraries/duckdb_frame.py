"""DuckDB: SQL over a DataFrame of the program, both ways."""

import duckdb
import pandas as pd

people = pd.DataFrame({"name": ["Ada", "Bo", "Cy", "Di"], "team": ["x", "y", "x", "y"], "score": [3, 8, 5, 2]})
top = duckdb.sql("SELECT team, max(score) AS best, count(*) AS n FROM people GROUP BY team ORDER BY team").df()
assert top.best.tolist() == [5, 8] and top.n.tolist() == [2, 2], top
ranked = duckdb.sql("SELECT name, row_number() OVER (ORDER BY score DESC) AS place FROM people").fetchall()
assert ranked[0] == ("Bo", 1), ranked
connection = duckdb.connect()
connection.register("crowd", people)
pairs = connection.execute("SELECT count(*) FROM crowd a JOIN crowd b USING (team) WHERE a.name < b.name").fetchone()
assert pairs == (2,), pairs
assert connection.execute("SELECT sum(i) FROM range(?) t(i)", [1_000_001]).fetchone() == (500_000_500_000,)
print(top.to_dict("list"))
