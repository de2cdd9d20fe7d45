"""locale: the one that the environment names can be set, and sorts and writes numbers."""

import locale
import os

assert locale.setlocale(locale.LC_ALL, "") == os.environ["LANG"]
assert locale.format_string("%.2f", 1234.5) == "1234.50" and locale.strcoll("a", "b") < 0
print(locale.getlocale()[1])
