"""pandas: joins, pivots, melts and concatenation."""

import pandas as pd

orders = pd.DataFrame({"order": [1, 2, 3, 4], "customer": [10, 20, 10, 30], "amount": [5.0, 7.0, 2.0, 9.0]})
customers = pd.DataFrame({"customer": [10, 20, 40], "city": ["Köln", "Oslo", "Rome"]})
left = orders.merge(customers, on="customer", how="left", indicator=True)
assert left.city.isna().tolist() == [False, False, False, True]
assert left._merge.astype(str).tolist()[-1] == "left_only"
outer = orders.merge(customers, how="outer", on="customer")
assert len(outer) == 5 and outer.amount.isna().sum() == 1
left["even"] = left.order % 2 == 0
known = left.fillna({"city": "?"})
pivot = known.pivot_table(index="city", columns="even", values="amount", aggfunc="sum", fill_value=0)
assert pivot.loc["Köln"].tolist() == [7.0, 0.0] and pivot.loc["?"].tolist() == [0.0, 9.0], pivot
long = pivot.reset_index().melt(id_vars="city", value_name="amount")
assert long.amount.sum() == orders.amount.sum()
both = pd.concat([orders, orders.assign(order=orders.order + 4)], ignore_index=True)
assert both.index.tolist() == list(range(8)) and not both.order.duplicated().any()
print(sorted(pivot.index), len(outer))
