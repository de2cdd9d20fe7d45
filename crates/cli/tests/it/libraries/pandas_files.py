"""pandas: a CSV file from `input/`, one to `out/`, and what is read back."""

import pandas as pd

cities = pd.read_csv("input/cities.csv", parse_dates=["founded"], dtype={"code": "string"})
assert cities.shape == (3, 4), cities
assert cities.code.tolist() == ["007", "010", "100"], "leading zeros are kept"
assert cities.founded.dt.year.tolist() == [1048, 1248, 1624] and cities.people.isna().sum() == 1
big = cities[cities.people > 500_000].sort_values("people", ascending=False)
big.to_csv("out/big.csv", index=False)
assert pd.read_csv("out/big.csv").name.tolist() == big.name.tolist()
big.to_json("out/big.json", orient="records", date_format="iso")
print(len(big), int(cities.people.sum()))
