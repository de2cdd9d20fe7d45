"""pandas: timestamps, zones, resampling and categories."""

import pandas as pd

days = pd.date_range("2026-01-30", periods=60, freq="D")
series = pd.Series(range(60), index=days)
months = series.resample("MS").sum()
assert months.tolist() == [1, 434, 1335], months
assert series["2026-02"].size == 28 and days[0].day_name() == "Friday"
berlin = pd.Timestamp("2026-03-29 00:30", tz="UTC").tz_convert("Europe/Berlin")
assert (berlin + pd.Timedelta(hours=1)).hour == 3, "the clock is put forward"
assert pd.Period("2026Q1", freq="Q").end_time.date().isoformat() == "2026-03-31"
sizes = pd.Categorical(["small", "large", "small"], categories=["small", "medium", "large"], ordered=True)
counts = pd.Series(sizes).value_counts(sort=False)
assert counts.tolist() == [2, 0, 1] and sizes.max() == "large"
bins = pd.cut(pd.Series([1, 5, 9]), [0, 3, 6, 10], labels=["low", "middle", "high"])
assert bins.astype(str).tolist() == ["low", "middle", "high"]
print(months.index[1].date(), berlin.isoformat())
