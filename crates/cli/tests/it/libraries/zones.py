"""zoneinfo: names of zones, changes of the clock, and folds."""

import datetime as dt
import zoneinfo

names = zoneinfo.available_timezones()
assert len(names) > 400 and {"Europe/Berlin", "America/New_York", "Asia/Kolkata", "UTC"} <= names, len(names)
berlin = zoneinfo.ZoneInfo("Europe/Berlin")
summer = dt.datetime(2026, 7, 1, 12, tzinfo=berlin)
assert summer.utcoffset() == dt.timedelta(hours=2) and summer.tzname() == "CEST"
first = dt.datetime(2026, 10, 25, 2, 30, tzinfo=berlin)
assert first.replace(fold=1).utcoffset() - first.utcoffset() == -dt.timedelta(hours=1)
there = summer.astimezone(zoneinfo.ZoneInfo("Asia/Kolkata"))
assert dt.datetime(2026, 1, 1).astimezone().utcoffset() == dt.timedelta(0), "the cell's own clock is UTC"
try:
    zoneinfo.ZoneInfo("Mars/Base")
    raise AssertionError("no such zone")
except zoneinfo.ZoneInfoNotFoundError:
    pass
print(there.isoformat())
