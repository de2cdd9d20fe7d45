"""A hundred megabytes of stdout; the first part is kept, and the program runs to its end."""

import sys

line = "x" * 99 + "\n"
block = line * 10_000
for _ in range(100):
    sys.stdout.write(block)
sys.stdout.flush()
with open("out/done", "w") as file:
    file.write(str(100 * len(block)))
