"""unittest, doctest and mock, run inside over the program's own code."""

import doctest
import io
import sys
import unittest
from unittest import mock


def half(number):
    """Halves.

    >>> half(3)
    1.5
    >>> half("a")
    Traceback (most recent call last):
    TypeError: unsupported operand type(s) for /: 'str' and 'int'
    """
    return number / 2


class Halves(unittest.TestCase):
    def test_even(self):
        self.assertEqual(half(4), 2)

    def test_wrong(self):
        self.assertEqual(half(4), 3)

    @unittest.skip("later")
    def test_later(self):
        self.fail()

    def test_mocked(self):
        with mock.patch("__main__.half", return_value=9):
            self.assertEqual(half(1), 9)


told = io.StringIO()
result = unittest.main(module="__main__", argv=["tests"], exit=False, testRunner=unittest.TextTestRunner(told)).result
assert (result.testsRun, len(result.failures), len(result.skipped), len(result.errors)) == (4, 1, 1, 0), told.getvalue()
assert "AssertionError: 2.0 != 3" in told.getvalue()
assert doctest.testmod(sys.modules["__main__"]) == (0, 2)
print(result.testsRun, len(result.failures))
