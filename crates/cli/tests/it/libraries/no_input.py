"""Nothing is typed: `input()` meets the end at once, and stdin is no terminal."""

import sys

try:
    input("name? ")
    raise AssertionError("somebody answered")
except EOFError:
    pass
assert sys.stdin.readline() == "" and not sys.stdin.isatty() and not sys.stdout.isatty()
assert sys.argv == ["no_input.py"] and __name__ == "__main__", (sys.argv, __name__)
print("ended")
