"""decimal, fractions, statistics, seeded random, whole numbers without bounds, and how floats are written."""

import decimal
import fractions
import math
import random
import statistics

decimal.getcontext().prec = 50
root = decimal.Decimal(2).sqrt()
assert str(root).startswith("1.41421356237309504880168872420969807856967187537"), root
assert decimal.Decimal("1.005").quantize(decimal.Decimal("0.01"), decimal.ROUND_HALF_UP) == decimal.Decimal("1.01")
assert sum(fractions.Fraction(1, n) for n in range(1, 5)) == fractions.Fraction(25, 12)
assert statistics.quantiles([1, 2, 3, 4, 5]) == [1.5, 3.0, 4.5] and statistics.mode("aab") == "a"
assert random.Random(1).sample(range(100), 4) == [17, 72, 97, 8]
big = math.factorial(500)
assert big % 10**124 == 0 and big % 10**125 != 0 and pow(3, 10**6, 10**9 + 7) == 64935414
assert 2**4000 >> 3999 == 2 and math.isqrt(10**200) == 10**100 and len(str(7**4000)) == 3381
try:
    str(10**5000)
    raise AssertionError("so many digits are refused")
except ValueError as error:
    assert "4300" in str(error)
assert repr(0.1 + 0.2) == "0.30000000000000004" and float("1e400") == math.inf and math.nan != math.nan
assert math.fsum([0.1] * 10) == 1.0 and math.nextafter(1, 2) - 1 == 2.0**-52
print(f"{1234567.891:,.2f} {0.00012345:.3g} {255:#x} {1e16:.0f} {-7 // 2} {round(2.5)}")
