"""A guess that reads what it should not: look at it with `assay guard check guess.py --profile analysis`."""

import os

numbers = [len(name) for name in os.listdir("/")]
print(sum(numbers) / len(numbers))
