"""A program that prints and then ends with a status of its own; its atexit handlers run."""

import atexit
import sys

atexit.register(print, "and ended")
print("said", end=" ")
sys.exit(3)
