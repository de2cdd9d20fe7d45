"""What a program for durations is held against: `assay solve "seconds(text) of an ISO 8601 duration" --tests tests.py`."""

from duration import seconds

assert seconds("PT0S") == 0
assert seconds("PT1M30S") == 90
assert seconds("PT2H") == 7200
assert seconds("P1DT1S") == 86401
