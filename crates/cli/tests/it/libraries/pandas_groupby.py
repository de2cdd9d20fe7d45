"""pandas: groups, named aggregates, transforms and windows."""

import pandas as pd

sales = pd.DataFrame({"region": ["north", "south", "north", "south", "west"], "units": [3, 5, 7, 1, 4]})
sales["price"] = [2.0, 1.5, 2.5, 4.0, 1.0]
sales["revenue"] = sales.units * sales.price
told = sales.groupby("region").agg(units=("units", "sum"), revenue=("revenue", "sum"), best=("price", "max"))
assert told.loc["north"].tolist() == [10.0, 23.5, 2.5], told
share = sales.revenue / sales.groupby("region").revenue.transform("sum")
assert share.round(3).tolist() == [0.255, 0.652, 0.745, 0.348, 1.0], share
rolling = sales.units.rolling(2).mean().dropna()
assert rolling.tolist() == [4.0, 6.0, 4.0, 2.5], rolling
ranked = sales.groupby("region").apply(lambda part: part.units.max() - part.units.min())
assert ranked.to_dict() == {"north": 4, "south": 4, "west": 0}, ranked
print(told.revenue.to_dict())
