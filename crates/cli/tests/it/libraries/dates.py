"""datetime, calendar, time and dateutil."""

import calendar
import datetime as dt
import time

from dateutil.parser import parse
from dateutil.relativedelta import relativedelta

day = dt.date(2024, 2, 29)
assert day + relativedelta(years=1) == dt.date(2025, 2, 28) and day.isocalendar()[:2] == (2024, 9)
moment = dt.datetime.fromisoformat("2026-01-31T23:59:59.5+02:00")
assert moment.astimezone(dt.UTC).isoformat() == "2026-01-31T21:59:59.500000+00:00"
assert dt.datetime.strptime("31 Jan 2026", "%d %b %Y").strftime("%A %j") == "Saturday 031"
assert parse("Jan 5th, 2026 3pm") == dt.datetime(2026, 1, 5, 15) and calendar.monthrange(2026, 2) == (6, 28)
assert dt.datetime.fromtimestamp(0) == dt.datetime(1970, 1, 1) and time.strftime("%Z") == "UTC"
assert dt.datetime.now(dt.UTC).year >= 2025, "the clock is set"
begin, used = time.monotonic(), time.process_time()
time.sleep(0.1)
assert 0.1 <= time.monotonic() - begin < 5 and time.process_time() - used < 0.09
print((dt.datetime(2026, 1, 1) - dt.datetime(2025, 1, 1)).days, day.strftime("%a"))
