# Hold a program against it: assay solve "parse ISO 8601 durations into seconds: seconds(text)" --tests tests.py --file duration.py
from duration import seconds

assert seconds("PT0S") == 0
assert seconds("PT1M30S") == 90
assert seconds("PT2H") == 7200
assert seconds("P1DT1S") == 86401
